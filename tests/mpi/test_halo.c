// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The halo holds exactly the columns of stored entries that other ranks own: padding
/// pulls in nothing.

#include "mpi_suite.h"

#include <cairn/cairn.h>

#include <stdlib.h>
#include <string.h>

TestSuite(halo, .init = mpi_up, .fini = mpi_down);

enum { N = 60, PER_ROW = 3 };

/// Column k of row i, the same on every rank; some rows are empty.
static int column_of(int i, int k)
{
    return (i * 7 + k * k * 13 + (i * k) % 5) % N;
}

static bool is_empty_row(int i)
{
    return i % 11 == 4;
}

static cairn_status make_source(cairn_context *context, cairn_source **source)
{
    const int64_t extent[2] = {N, N};
    int64_t       coord[2 * N * PER_ROW], n = 0;

    for (int i = 0; i < N && rank == 0; i++)
        for (int k = 0; k < PER_ROW && !is_empty_row(i); k++, n++) {
            coord[2 * n]     = i;
            coord[2 * n + 1] = column_of(i, k);
        }
    return cairn_source_from_coords(context, 2, extent, n, coord, NULL, CAIRN_BY_ROWS,
                                    source);
}

/// Distinct columns of this rank's entries outside its own range, counted one by one.
static int64_t expected_halo(int64_t first, int64_t end)
{
    bool    needed[N] = {false};
    int64_t count     = 0;

    for (int64_t i = first; i < end; i++)
        for (int k = 0; k < PER_ROW && !is_empty_row((int)i); k++)
            needed[column_of((int)i, k)] = true;
    for (int j = 0; j < N; j++)
        count += needed[j] && (j < first || j >= end);
    return count;
}

static bool halo_is_exact(cairn_context *context, const char *text)
{
    cairn_source   *source = NULL;
    cairn_format   *format = NULL;
    cairn_tensor   *tensor = NULL;
    cairn_plan     *plan   = NULL;
    cairn_plan_info info   = {0};
    int64_t         first = 0, end = 0, mine, all = -1;

    bool fine = make_source(context, &source) == CAIRN_OK
                && cairn_format_create(context, text, &format) == CAIRN_OK
                && cairn_tensor_create(source, format, CAIRN_F64, &tensor) == CAIRN_OK
                && cairn_plan_spmv(tensor, &plan) == CAIRN_OK
                && cairn_plan_describe(plan, &info) == CAIRN_OK;

    if (fine) cairn_tensor_rows(tensor, &first, &end);
    mine = expected_halo(first, end);
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    fine = fine && info.halo == all;
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return fine;
}

Test(halo, holds_exactly_the_stored_columns, .timeout = 60)
{
    static const char *const formats[] = {"csr",     "csc",     "ell",     "dia",
                                          "bell<4>", "bdia<4>", "csb<8,8>"};
    cairn_context           *context;

    cr_assert_eq(
        cairn_context_create_fortran((int)MPI_Comm_c2f(MPI_COMM_WORLD), &context),
        CAIRN_OK);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        ON_ALL_RANKS(halo_is_exact(context, formats[f]), "%s: %s", formats[f],
                     cairn_context_message(context));
    cairn_context_destroy(&context);
}
