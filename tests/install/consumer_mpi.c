// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program outside the tree that has ranks, for find_package's cairn::mpi and for
/// cairn-mpi.pc: the first rank hands over a diagonal, all multiply.

#include <cairn/cairn.h>
#include <cairn/mpi.h>

enum { N = 64 };

static int multiply(cairn_context *context, int rank)
{
    const int64_t extent[2] = {N, N};
    int64_t       coord[2 * N], first, end;
    double        value[N], x[N], y[N];
    cairn_source *source;
    cairn_format *format;
    cairn_tensor *tensor;
    cairn_plan   *plan;
    int           wrong = 0;

    for (int i = 0; i < N; i++) {
        coord[2 * i] = coord[2 * i + 1] = i;
        value[i]                        = i;
        x[i]                            = 2;
    }
    if (cairn_source_from_coords(context, 2, extent, rank ? 0 : N, coord, value,
                                 CAIRN_BY_ROWS, &source))
        return 2;
    if (cairn_format_create(context, "csr", &format)) return 3;
    if (cairn_tensor_create(source, format, CAIRN_F64, &tensor)) return 4;
    if (cairn_plan_create_spmv(tensor, &plan)) return 5;
    if (cairn_plan_run(plan, x, y)) return 6;
    cairn_plan_rows(plan, &first, &end);
    for (int64_t i = first; i < end; i++)
        wrong += y[i - first] != 2 * (double)i;
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return wrong ? 7 : 0;
}

int main(int argc, char **argv)
{
    cairn_context *context;
    int            rank, failed;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    failed = cairn_context_create_mpi(MPI_COMM_WORLD, &context)
                 ? 1
                 : multiply(context, rank);
    cairn_context_destroy(&context);
    MPI_Finalize();
    return failed;
}
