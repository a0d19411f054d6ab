// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks whose values are of different widths: in one file, read by as many ranks and by
/// one; and a value of one rank that is not of the type asked for.

#include "api/api.h"
#include "mpi_suite.h"
#include "tensor/value_storage.h"

#include <cairn/cairn.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(narrow_files, .init = mpi_up, .fini = mpi_down, .timeout = 500);

enum { ROWS = 30, N = 2 * ROWS }; ///< Of each rank.

#define CSR "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>%s }>"

static cairn_context *context;

/// Integers of 8 bits, but for the last rank's first one.
static cairn_source *make_source(double odd)
{
    const int64_t n = (int64_t)ROWS * size;
    int64_t       coord[2 * N];
    double        value[N];
    cairn_source *source = NULL;

    for (int k = 0; k < N; k++) {
        coord[2 * k]     = (int64_t)rank * ROWS + k / 2;
        coord[2 * k + 1] = k % 2 * 7;
        value[k]         = (k * 37 + rank) % 200 - 99;
        if (value[k] == 0) value[k] = 1;
    }
    if (rank == size - 1) value[0] = odd;
    cairn_source_from_coords(context, 2, (int64_t[]){n, 9}, N, coord, value,
                             CAIRN_BY_ROWS, &source);
    return source;
}

static cairn_status store(cairn_source *source, const char *type, cairn_tensor **tensor)
{
    char          text[256];
    cairn_format *format = NULL;

    snprintf(text, sizeof text, CSR, type);
    cairn_status status = cairn_format_create(context, text, &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F64, tensor);
    cairn_format_destroy(&format);
    return status;
}

static bool open_context(void)
{
    return cairn_context_create_fortran((int)MPI_Comm_c2f(MPI_COMM_WORLD), &context)
           == CAIRN_OK;
}

static const char *stored(const cairn_tensor *tensor)
{
    const cairn_layout *layout = tensor->local->group[0].layout;

    return cairn_value_storage_name(layout->values.kind, layout->values.bits);
}

/// Every rank by itself: the number of entries, and the values' sum.
static bool reads_alone(const char *path)
{
    cairn_context *own    = NULL;
    cairn_source  *source = NULL;
    double         sum = 0, expected = 0;
    bool           right;

    if (cairn_context_create(&own) != CAIRN_OK) return false;
    right = cairn_source_read(own, path, CAIRN_BY_NNZ, &source) == CAIRN_OK
            && source->entries.n == (int64_t)N * size;
    for (int64_t k = 0; right && k < source->entries.n; k++)
        sum += source->entries.value[k];
    for (int r = 0; r < size; r++)
        for (int k = 0; k < N; k++) {
            const int value = (k * 37 + r) % 200 - 99;

            expected += r == size - 1 && k == 0 ? 0.5 : value == 0 ? 1 : value;
        }
    cairn_source_destroy(&source);
    cairn_context_destroy(&own);
    return right && sum == expected;
}

Test(narrow_files, ranks_have_widths_of_their_own)
{
    const char   *expected = rank == size - 1 ? "f16" : "i8";
    char          folder[64], path[128];
    cairn_tensor *tensor = NULL, *again = NULL;

    ON_ALL_RANKS(open_context(), "no context");
    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.cairn", folder);
    cairn_source *source = make_source(0.5);

    ON_ALL_RANKS(source && store(source, ", layout<val(exact)>", &tensor) == CAIRN_OK,
                 "%s", cairn_context_message(context));
    ON_ALL_RANKS(strcmp(stored(tensor), expected) == 0, "%s", stored(tensor));
    ON_ALL_RANKS(cairn_tensor_write(tensor, path, NULL) == CAIRN_OK, "%s",
                 cairn_context_message(context));
    ON_ALL_RANKS(cairn_tensor_read(context, path, &again) == CAIRN_OK, "%s",
                 cairn_context_message(context));
    ON_ALL_RANKS(strcmp(stored(again), expected) == 0, "%s", stored(again));
    for (int64_t v = 0; v < N; v++)
        cr_expect_eq(cairn_value_get(&again->local->part[0].view, v),
                     cairn_value_get(&tensor->local->part[0].view, v));
    ON_ALL_RANKS(reads_alone(path), "read by one rank");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && (unlink(path) != 0 || rmdir(folder) != 0)) abort();
    cairn_tensor_destroy(&again);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}

Test(narrow_files, a_value_of_one_rank_fails_everywhere)
{
    cairn_tensor *tensor = NULL;

    ON_ALL_RANKS(open_context(), "no context");
    cairn_source *source = make_source(0.5);

    ON_ALL_RANKS(source
                     && store(source, ", layout<val(i8)>", &tensor) == CAIRN_OVERFLOW,
                 "%s", cairn_context_message(context));
    ON_ALL_RANKS(
        !tensor
            && strstr(cairn_context_message(context),
                      "val(i8): member 0 has a value that it does not hold: 0.5"),
        "%s", cairn_context_message(context));
    ON_ALL_RANKS(store(source, "", &tensor) == CAIRN_OK, "%s",
                 cairn_context_message(context));
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}

Test(narrow_files, a_matrix_is_described_alike_on_all_ranks)
{
    static const struct {
        double      odd;
        const char *values;
    } cases[] = {
        {7,     "i8" },
        {-0.0,  "f32"},
        {300,   "i16"},
        {0.1,   "f64"},
        {40000, "f32"},
    };

    ON_ALL_RANKS(open_context(), "no context");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cairn_source     *source = make_source(cases[k].odd);
        cairn_source_info info   = CAIRN_SOURCE_INFO;

        ON_ALL_RANKS(source && cairn_source_describe(source, &info) == CAIRN_OK, "%s",
                     cairn_context_message(context));
        ON_ALL_RANKS(strcmp(info.values, cases[k].values) == 0, "%g: %s", cases[k].odd,
                     info.values);
        cairn_source_destroy(&source);
    }
    cairn_context_destroy(&context);
}
