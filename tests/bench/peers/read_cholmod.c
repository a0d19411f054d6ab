// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One reading by SuiteSparse: cholmod_read_triplet.
#include "../bench.h"

#include <cholmod.h>

int main(int argc, char **argv)
{
    cholmod_common common;
    FILE          *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    uint64_t       sum  = 0;

    if (!file) return 1;
    cholmod_l_start(&common);

    const double     begin   = bench_seconds();
    cholmod_triplet *triplet = cholmod_l_read_triplet(file, &common);
    const double     seconds = bench_seconds() - begin;

    if (!triplet) return 1;
    for (size_t k = 0; k < triplet->nnz; k++)
        sum += bench_sum_of(((SuiteSparse_long *)triplet->i)[k],
                            ((SuiteSparse_long *)triplet->j)[k],
                            ((double *)triplet->x)[k]);
    bench_report(seconds, (int64_t)triplet->nnz, sum);
    cholmod_l_free_triplet(&triplet, &common);
    cholmod_l_finish(&common);
    fclose(file);
    return 0;
}
