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

/* ---- lists and lines of a caller ---- */

/// A rank's entries out of a tensor, as coordinates and by columns.
typedef struct {
    int64_t first, rows, n;
    int32_t i[ENTRIES], j[ENTRIES];
    int64_t ptr[COLS + 1], idx[ENTRIES];
    double  list[ENTRIES], val[ENTRIES];
} entries_of;

static void write_out(cairn_tensor *tensor, entries_of *e)
{
    cairn_coords_out list  = CAIRN_COORDS_OUT;
    cairn_compressed lines = CAIRN_COMPRESSED;
    int64_t          end;

    cairn_tensor_rows(tensor, &e->first, &end);
    e->rows       = end - e->first;
    list.idx[0]   = e->i;
    list.idx[1]   = e->j;
    list.idx_bits = 32;
    list.val      = e->list;
    list.length = lines.length = ENTRIES;
    lines.ptr                  = e->ptr;
    lines.ptr_length           = COLS + 1;
    lines.idx                  = e->idx;
    lines.val                  = e->val;
    ALL(cairn_tensor_to_coords(tensor, &list));
    ALL(cairn_tensor_to_csc(tensor, &lines));
    e->n = list.entries;
    ON_ALL_RANKS(list.entries == lines.entries && lines.entries == e->ptr[COLS],
                 "%ld entries, and %ld by columns", (long)list.entries,
                 (long)lines.entries);
    for (int64_t p = 0; p < e->n; p++)
        cr_assert(e->i[p] >= e->first && e->i[p] < end);
}

/// The same arrays as those of @p tensor, on the same ranks?
static void expect_arrays(cairn_tensor *tensor, cairn_tensor *made, const char *what)
{
    static parts_seen a, b;

    parts_get(context, tensor, &a);
    parts_get(context, made, &b);
    ON_ALL_RANKS(parts_same(&a, &b), "%s", what);
    parts_restore(context, tensor, &a);
    parts_restore(context, made, &b);
}

/// In again: a list of own rows, ascending or not; columns of own rows.
static void take_back(cairn_tensor *tensor, entries_of *e, const cairn_format *format)
{
    cairn_coords  list = CAIRN_COORDS;
    cairn_tensor *made = NULL, *lent = NULL;

    list.extent[0] = ROWS;
    list.extent[1] = COLS;
    list.first_row = e->first;
    list.rows      = e->rows;
    list.entries   = e->n;
    list.idx[0]    = e->i;
    list.idx[1]    = e->j;
    list.idx_bits  = 32;
    list.val       = e->list;
    ALL(cairn_tensor_from_coords(context, &list, CAIRN_COPY, format, &made));
    expect_arrays(tensor, made, "a list");
    cairn_tensor_destroy(&made);
    ALL(cairn_tensor_from_coords(context, &list, CAIRN_BORROW, NULL, &lent));
    ALL(cairn_tensor_convert(lent, format, &made));
    expect_arrays(tensor, made, "a list, borrowed");
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&lent);
    ALL(cairn_tensor_from_csc(context, ROWS, COLS, e->first, e->rows, e->ptr, 64,
                              e->idx, 64, e->val, CAIRN_F64, CAIRN_COPY, format,
                              &made));
    expect_arrays(tensor, made, "columns");
    cairn_tensor_destroy(&made);
    if (rank == size - 1 && e->n > 1) { /* one rank's is in no order: all copy */
        const int32_t i = e->i[0], j = e->j[0];
        const double  v = e->list[0];

        e->i[0] = e->i[e->n - 1], e->j[0] = e->j[e->n - 1];
        e->list[0]        = e->list[e->n - 1];
        e->i[e->n - 1]    = i;
        e->j[e->n - 1]    = j;
        e->list[e->n - 1] = v;
    }
    ALL(cairn_tensor_from_coords(context, &list, CAIRN_COPY, format, &made));
    expect_arrays(tensor, made, "a list in no order");
    cairn_tensor_destroy(&made);
}

/// Every rank gives entries of all rows, some twice.
static void partition_anew(const char *text)
{
    int64_t       coord[ENTRIES][2];
    double        value[ENTRIES];
    cairn_coords  list   = CAIRN_COORDS;
    cairn_format *format = NULL;
    cairn_source *source = NULL;
    cairn_tensor *made = NULL, *want = NULL;
    const int     n = ENTRIES / size;

    for (int k = 0; k < n; k++) {
        const int p = (13 * k + 5 * rank) % (ROWS * COLS);

        coord[k][0] = p / COLS;
        coord[k][1] = p % COLS;
        value[k]    = 1 + k / 8.0;
    }
    list.extent[0]  = ROWS;
    list.extent[1]  = COLS;
    list.entries    = n;
    list.idx[0]     = &coord[0][0];
    list.idx[1]     = &coord[0][1];
    list.idx_stride = 16;
    list.val        = value;
    ALL(cairn_format_create(context, text, &format));
    ALL(cairn_source_from_coords(context, 2, extent, n, &coord[0][0], value,
                                 CAIRN_BY_NNZ, &source));
    ALL(cairn_tensor_create(source, format, CAIRN_F64, &want));
    ALL(cairn_tensor_from_coords(context, &list, CAIRN_COPY, format, &made));
    expect_arrays(want, made, text);
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&want);
    cairn_source_destroy(&source);
    cairn_format_destroy(&format);
}

Test(arrays, lists_and_columns_out_and_in_again)
{
    static const char *const few[] = {
        "csr",     "coo",       "csc", "ell",
        "sell<2>", "bcsr<2,3>", "dia", "hybrid<dia,csr,0.3>"};
    static entries_of e;

    for (size_t k = 0; k < sizeof few / sizeof *few; k++) {
        cairn_tensor *tensor = NULL;
        cairn_format *format = NULL;

        stored(few[k], &tensor);
        ALL(cairn_format_create(context, few[k], &format));
        write_out(tensor, &e);
        take_back(tensor, &e, format);
        partition_anew(few[k]);
        cairn_tensor_destroy(&tensor);
        cairn_format_destroy(&format);
    }
}

Test(arrays, lists_that_differ_are_told_to_all)
{
    static const int64_t i[] = {0}, j[] = {0};
    static const double  v[]    = {1};
    cairn_coords         list   = CAIRN_COORDS;
    cairn_compressed     lines  = CAIRN_COMPRESSED;
    cairn_tensor        *tensor = NULL, *made = NULL;
    cairn_status         status;

    list.extent[0] = list.extent[1] = size;
    list.entries                    = 1;
    list.idx[0]                     = i;
    list.idx[1]                     = j;
    list.val                        = v;
    list.dtype                      = rank == size - 1 ? CAIRN_F32 : CAIRN_F64;
    status = cairn_tensor_from_coords(context, &list, CAIRN_COPY, NULL, &made);
    ON_ALL_RANKS(status == (size == 1 ? CAIRN_OK : CAIRN_BAD_ARGUMENT), "%d", status);
    cairn_tensor_destroy(&made);
    list.dtype = CAIRN_F64;
    if (rank == size - 1) list.extent[1] = 0; /* and an index outside */
    status = cairn_tensor_from_coords(context, &list, CAIRN_COPY, NULL, &made);
    ON_ALL_RANKS(status == (size == 1 ? CAIRN_BAD_COORD : CAIRN_BAD_ARGUMENT), "%d",
                 status);
    list.extent[1] = size;
    status = cairn_tensor_from_coords(context, &list, CAIRN_BORROW, NULL, &made);
    ON_ALL_RANKS(status == (size == 1 ? CAIRN_OK : CAIRN_BAD_ARGUMENT), "%d", status);
    cairn_tensor_destroy(&made);
    stored("csr", &tensor);
    lines.length = rank == 0 ? 0 : ENTRIES; /* one rank's arrays are too short */
    status       = cairn_tensor_to_csr(tensor, &lines);
    ON_ALL_RANKS(status == CAIRN_BAD_ARGUMENT, "%d", status);
    cairn_tensor_destroy(&tensor);
}
