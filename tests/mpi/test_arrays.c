// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays in and out on several ranks: each gives its own rows' parts, all get the same
/// verdict.

#include "arrays.h"
#include "every_format.h"
#include "mpi_suite.h"

#include <cairn/mpi.h>

static cairn_context *context;
static int64_t        blocks_before;

static void arrays_up(void)
{
    mpi_up();
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context) != CAIRN_OK) abort();
    blocks_before = must_settle(context);
}

static void arrays_down(void)
{
    must_end(&context, blocks_before);
    mpi_down();
}

TestSuite(arrays, .init = arrays_up, .fini = arrays_down, .timeout = 170);

#define ALL(call)                                                                      \
    do {                                                                               \
        const cairn_status s_ = (call);                                                \
        ON_ALL_RANKS(s_ == CAIRN_OK, "%s: %s", #call, cairn_context_message(context)); \
    } while (0)

enum { ROWS = 41, COLS = 37, ENTRIES = 300 };

static const int64_t extent[] = {ROWS, COLS};

static void stored(const char *text, cairn_tensor **tensor)
{
    int64_t       coord[2 * ENTRIES];
    double        value[ENTRIES];
    cairn_source *source = NULL;
    cairn_format *format = NULL;

    for (int k = 0; k < ENTRIES; k++) {
        const int p = 11 * k % (ROWS * COLS);

        coord[2 * k]     = p / COLS;
        coord[2 * k + 1] = p % COLS;
        value[k]         = 1 + k / 8.0;
    }
    ALL(cairn_source_from_coords(context, 2, extent, rank == 0 ? ENTRIES : 0, coord,
                                 value, CAIRN_BY_NNZ, &source));
    ALL(cairn_format_create(context, text, &format));
    ALL(cairn_tensor_create(source, format, CAIRN_F64, tensor));
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

static parts_seen      seen, other;
static cairn_part_view handed[ARRAYS_PARTS];

/// A tensor around the parts in `handed`, of as many rows as @p like has here.
static cairn_status
make(cairn_tensor *like, int64_t parts, cairn_copy_mode mode, cairn_tensor **tensor)
{
    cairn_parts_options options = CAIRN_PARTS_OPTIONS;
    int64_t             end;

    cairn_tensor_rows(like, &options.first_row, &end);
    options.rows = end - options.first_row;
    options.mode = mode;
    return cairn_tensor_from_parts(context, cairn_tensor_format(like), extent,
                                   CAIRN_F64, handed, parts, &options, tensor);
}

static bool any_given(cairn_tensor *tensor)
{
    cairn_part_info *info  = NULL;
    int64_t          count = 0;
    bool             given = cairn_tensor_parts(tensor, &count, &info) != CAIRN_OK;

    for (int64_t k = 0; k < count; k++)
        given |= info[k].given;
    cairn_parts_free(tensor, &info);
    return given;
}

static cairn_status multiply(cairn_tensor *tensor, cairn_plan **plan)
{
    const cairn_status status = cairn_plan_create_spmv(tensor, plan);

    if (status != CAIRN_OK) return status;
    fill_ramp(*plan);
    return cairn_plan_run(*plan, NULL, NULL);
}

static bool same_product(cairn_tensor *a, cairn_tensor *b)
{
    cairn_plan *x = NULL, *y = NULL;
    int64_t     first, end;
    bool        same = false;

    if (multiply(a, &x) == CAIRN_OK && multiply(b, &y) == CAIRN_OK) {
        cairn_plan_rows(x, &first, &end);
        same = memcmp(cairn_plan_y(x), cairn_plan_y(y), (size_t)(end - first) * 8) == 0;
    }
    cairn_plan_destroy(&x);
    cairn_plan_destroy(&y);
    return same;
}

Test(arrays, every_catalogue_format_comes_back)
{
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        cairn_tensor *tensor = NULL, *again = NULL, *x = NULL, *y = NULL;

        stored(formats[f], &tensor);
        parts_get(context, tensor, &seen);
        memcpy(handed, seen.view, (size_t)seen.n * sizeof *handed);
        ALL(make(tensor, seen.n, f % 2 ? CAIRN_BORROW : CAIRN_COPY, &again));
        ON_ALL_RANKS(!any_given(again), "%s is marked", formats[f]);
        parts_get(context, again, &other);
        ON_ALL_RANKS(parts_same(&seen, &other), "%s: other arrays", formats[f]);
        parts_restore(context, again, &other);
        ON_ALL_RANKS(same_product(tensor, again), "%s: another product", formats[f]);
        ALL(cairn_tensor_convert(tensor, cairn_tensor_format(tensor), &x));
        ALL(cairn_tensor_convert(again, cairn_tensor_format(tensor), &y));
        parts_restore(context, tensor, &seen);
        parts_get(context, x, &seen);
        parts_get(context, y, &other);
        ON_ALL_RANKS(parts_same(&seen, &other), "%s: converted otherwise", formats[f]);
        parts_restore(context, x, &seen);
        parts_restore(context, y, &other);
        cairn_tensor_destroy(&y);
        cairn_tensor_destroy(&x);
        cairn_tensor_destroy(&again);
        cairn_tensor_destroy(&tensor);
    }
}

/// Arrays that are wrong on one rank are refused on all, in the same words.
Test(arrays, one_wrong_rank_is_everybodys)
{
    cairn_tensor *tensor = NULL, *none = NULL;

    stored("csr", &tensor);
    parts_get(context, tensor, &seen);
    parts_copy(&seen);
    parts_of_copies(&seen, handed);
    if (rank == size - 1)
        memset((void *)(uintptr_t)seen.own[0].level[1].idx, 0xff,
               seen.own[0].level[1].idx_bits / 8);
    const int64_t      held   = live_blocks(context);
    const cairn_status status = make(tensor, seen.n, CAIRN_COPY, &none);

    ON_ALL_RANKS(status == CAIRN_BAD_ARGUMENT
                     && strstr(cairn_context_message(context),
                               "member 0: level 1: idx[0]: 255 is not within 0..36"),
                 "status %d: %s", status, cairn_context_message(context));
    ON_ALL_RANKS(!none && live_blocks(context) == held, "something is left");
    parts_free(&seen);
    parts_restore(context, tensor, &seen);
    cairn_tensor_destroy(&tensor);
}

/// A wrong argument of one rank, and rows that overlap.
Test(arrays, ranks_are_asked_the_same)
{
    cairn_tensor *tensor = NULL, *none = NULL;

    stored("ell", &tensor);
    parts_get(context, tensor, &seen);
    memcpy(handed, seen.view, (size_t)seen.n * sizeof *handed);
    if (rank == size - 1) handed[0].size = 0;
    cairn_status status = make(tensor, seen.n, CAIRN_COPY, &none);

    ON_ALL_RANKS(status == CAIRN_BAD_ARGUMENT, "%s", cairn_context_message(context));
    memcpy(handed, seen.view, (size_t)seen.n * sizeof *handed);
    status = cairn_tensor_from_parts(context, cairn_tensor_format(tensor), extent,
                                     CAIRN_F64, handed, seen.n, NULL, &none);
    ON_ALL_RANKS(size == 1 ? status == CAIRN_OK : status == CAIRN_BAD_SHAPE, "%s",
                 cairn_context_message(context));
    cairn_tensor_destroy(&none);
    if (size > 1) {
        status = make(tensor, seen.n, rank ? CAIRN_COPY : CAIRN_BORROW, &none);
        ON_ALL_RANKS(status == CAIRN_BAD_ARGUMENT
                         && strstr(cairn_context_message(context), "arrays"),
                     "%s", cairn_context_message(context));
    }
    parts_restore(context, tensor, &seen);
    cairn_tensor_destroy(&tensor);
}
