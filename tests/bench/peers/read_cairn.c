// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One reading by Cairn, from the call to a source that is sorted and divided. Threads
/// are CAIRN_THREADS; under mpirun all ranks read, and the slowest counts.
#include "../bench.h"
#include "api/api.h"
#ifdef CAIRN_WITH_MPI
#    include <cairn/mpi.h>

#    include <mpi.h>
#endif

static int fail(cairn_context *context)
{
    fprintf(stderr, "read_cairn: %s\n",
            context ? cairn_context_message(context) : "no context");
    return 1;
}

static void
sum_up(const cairn_source *source, double *seconds, int64_t *entries, uint64_t *sum)
{
    const cairn_entries *e = &source->entries;

    *entries = e->n;
    *sum     = 0;
    for (cairn_pos p = 0; p < e->n; p++)
        *sum += bench_sum_of(e->coord[0][p], e->coord[1][p], e->value[p]);
#ifdef CAIRN_WITH_MPI
    int started;

    MPI_Initialized(&started);
    if (!started) return;
    MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, entries, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
#else
    (void)seconds;
#endif
}

int main(int argc, char **argv)
{
    const bool     ranks   = argc > 2 && strcmp(argv[2], "ranks") == 0;
    cairn_context *context = NULL;
    cairn_source  *source  = NULL;
    int64_t        entries;
    uint64_t       sum;

    if (argc < 2) return 2;
    if ((ranks ? cairn_context_create_world(&context) : cairn_context_create(&context))
        != CAIRN_OK)
        return fail(context);

    const double begin = bench_seconds();

    if (cairn_source_read(context, argv[1], CAIRN_BY_NNZ, &source) != CAIRN_OK)
        return fail(context);

    double seconds = bench_seconds() - begin;

    sum_up(source, &seconds, &entries, &sum);
    if (context->comm->rank == 0) bench_report(seconds, entries, sum);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    return 0;
}
