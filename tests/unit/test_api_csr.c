// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A solver's own CSR arrays: borrowed, copied, stored in another format, updated.

#include "support/arrays.h"
#include "support/every_format.h"
#include "support/storage.h"
#include "support/suite_context.h"

enum { N = 400, DEGREE = 6 };

TestSuite(api_csr, .init = context_up, .fini = context_down);

/// N rows of DEGREE entries; columns unsorted, the last entry of every third row given
/// twice, the diagonal dense.
typedef struct {
    int32_t ptr[N + 1], idx[N * (DEGREE + 1)];
    double  val[N * (DEGREE + 1)];
} matrix;

static void fill(matrix *a, int seed)
{
    int n = 0;

    for (int i = 0; i < N; i++) {
        a->ptr[i] = n;
        for (int t = 0; t < DEGREE; t++)
            a->idx[n + t] = t == 2 ? i : (i * 7 + t * 61 + t * t * 13) % N;
        n += DEGREE;
        if (i % 3 == 0) {
            a->idx[n] = a->idx[n - 1];
            n++;
        }
    }
    a->ptr[N] = n;
    for (int k = 0; k < n; k++)
        a->val[k] = (double)((k * 37 + seed * 101) % 1009 + 1) / 1024;
}

static cairn_tensor *must_take(const matrix   *a,
                               const void     *val,
                               cairn_dtype     dtype,
                               cairn_copy_mode mode,
                               const char     *text)
{
    cairn_format *format = text ? must_format(context, text) : NULL;
    cairn_tensor *tensor = NULL;

    cr_assert_eq(cairn_tensor_from_csr(context, N, N, 0, N, a->ptr, 32, a->idx, 32, val,
                                       dtype, mode, format, &tensor),
                 CAIRN_OK, "%s: %s", text ? text : "csr",
                 cairn_context_message(context));
    cairn_format_destroy(&format);
    return tensor;
}

/// The product by definition, for x the ramp.
static void expect_product(const matrix *a, const double *y, const char *what)
{
    for (int i = 0; i < N; i++) {
        long double sum = 0;

        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            sum += a->val[k] * ramp(a->idx[k]);
        cr_assert_float_eq(y[i], (double)sum, 1e-13, "%s: row %d: %.17g, not %.17Lg",
                           what, i, y[i], sum);
    }
}

Test(api_csr, borrowed_arrays_are_not_copied)
{
    enum { ROWS = 1000000 };
    int64_t *ptr = malloc((ROWS + 1) * sizeof *ptr), *idx = malloc(ROWS * sizeof *idx);
    double  *val         = malloc(ROWS * sizeof *val);
    cairn_tensor *tensor = NULL;

    for (int64_t i = 0; i < ROWS; i++) {
        ptr[i] = i;
        idx[i] = ROWS - 1 - i;
        val[i] = 2;
    }
    ptr[ROWS]            = ROWS;
    const int64_t before = live_bytes(context);

    MUST(context, cairn_tensor_from_csr(context, ROWS, ROWS, 0, ROWS, ptr, 64, idx, 64,
                                        val, CAIRN_F64, CAIRN_BORROW, NULL, &tensor));
    cr_expect_lt(live_bytes(context) - before, 500000, "%" PRId64 " bytes",
                 live_bytes(context) - before);
    double *y = must_multiply(context, tensor);

    for (int64_t i = 0; i < ROWS; i++)
        cr_assert_eq(y[i], 2 * ramp(ROWS - 1 - i));
    free(y);
    free(val);
    free(idx);
    free(ptr);
    cairn_tensor_destroy(&tensor);
}

Test(api_csr, values_changed_in_place_change_the_product)
{
    static matrix a;
    cairn_plan   *plan;
    double        x[N], y[N];

    fill(&a, 1);
    cairn_tensor *tensor = must_take(&a, a.val, CAIRN_F64, CAIRN_BORROW, NULL);

    for (int j = 0; j < N; j++)
        x[j] = ramp(j);
    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    for (int step = 0; step < 4; step++) {
        fill(&a, step);
        MUST(context, cairn_plan_run(plan, x, y));
        expect_product(&a, y, "changed in place");
    }
    MUST(context, cairn_tensor_update(tensor, a.val));
    double other[1] = {0};

    REFUSED(context, BAD_ARGUMENT, "in place", cairn_tensor_update(tensor, other));
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
}

Test(api_csr, copied_arrays_may_go)
{
    static matrix a, b;

    fill(&a, 1);
    b                    = a;
    cairn_tensor *tensor = must_take(&b, b.val, CAIRN_F64, CAIRN_COPY, NULL);

    memset(&b, 0, sizeof b);
    double *y = must_multiply(context, tensor);

    expect_product(&a, y, "copied");
    free(y);
    cairn_tensor_destroy(&tensor);
}

static const char *const updated[] = {
    "csr",
    "csc",
    "coo",
    "lil",
    "dcsc",
    "ell",
    "sell<4>",
    "bcsr<2,3>",
    "dia",
    "csb<16,16>",
    "cisr-plus<3>",
    "sell-sigma<4,8>",
    "bell<2>",
    "bdia<16>",
    "hybrid<bdia<16>,csr>",
    "hybrid<ell,coo,0.5,0.5>",
    "hybrid<dia,csr,0.9>",
};

/// New values bring the same arrays as a tensor made with them.
static void check_update(const char *text, cairn_dtype dtype)
{
    static matrix a, b;
    static float  fa[N * (DEGREE + 1)], fb[N * (DEGREE + 1)];

    fill(&a, 1);
    fill(&b, 2);
    for (int k = 0; k < a.ptr[N]; k++) {
        fa[k] = (float)a.val[k];
        fb[k] = (float)b.val[k];
    }
    const void *old      = dtype == CAIRN_F32 ? (void *)fa : a.val;
    const void *new      = dtype == CAIRN_F32 ? (void *)fb : b.val;
    cairn_tensor *tensor = must_take(&a, old, dtype, CAIRN_COPY, text);
    cairn_tensor *fresh  = must_take(&b, new, dtype, CAIRN_COPY, text);

    MUST(context, cairn_tensor_update(tensor, new));
    MUST(context, cairn_tensor_update(tensor, old));
    MUST(context, cairn_tensor_update(tensor, new));
    double *y = must_multiply(context, tensor), *z = must_multiply(context, fresh);

    if (dtype == CAIRN_F64) expect_product(&b, y, text);
    for (int i = 0; i < N; i++)
        cr_assert_eq(y[i], z[i], "%s, row %d: %.17g, not %.17g", text, i, y[i], z[i]);
    free(y);
    free(z);
    cairn_tensor_destroy(&fresh);
    cairn_tensor_destroy(&tensor);
}

Test(api_csr, new_values_find_their_places_in_every_format)
{
    for (size_t k = 0; k < sizeof updated / sizeof *updated; k++)
        check_update(updated[k], CAIRN_F64);
}

Test(api_csr, new_values_in_single_precision)
{
    for (size_t k = 0; k < sizeof updated / sizeof *updated; k++)
        check_update(updated[k], CAIRN_F32);
}

Test(api_csr, positions_of_64_bits_are_taken_too)
{
    static const int64_t ptr[] = {0, 1, 3}, idx[] = {1, 0, 1};
    static const double  val[] = {1, 2, 3};
    static char          text[256];
    cairn_tensor        *tensor = NULL;

    MUST(context, cairn_tensor_from_csr(context, 2, 2, 0, 2, ptr, 64, idx, 64, val,
                                        CAIRN_F64, CAIRN_BORROW, NULL, &tensor));
    arrays_text(context, tensor, text, sizeof text);
    cr_expect_str_eq(text, "ptr1=[0,1,3] idx1=[1,0,1] val=[1,2,3]");
    cairn_tensor_destroy(&tensor);
}

/// One matrix as CSR in several ways.
typedef struct {
    int64_t ptr64[N + 1], idx64[2 * N * DEGREE];
    int32_t ptr32[N + 1], idx32[2 * N * DEGREE];
    double  val[2 * N * DEGREE];
} csr_arrays;

/// Rows of 0 to DEGREE entries, ascending; @p reversed descending; @p twice each entry in
/// two halves. Some values are 0. @return the entries, each once, in @p coord and @p value.
static int
fill_csr(csr_arrays *a, bool reversed, bool twice, int64_t *coord, double *value)
{
    int n = 0, entries = 0;

    for (int i = 0; i < N; i++) {
        const int degree = i % (DEGREE + 1);

        a->ptr64[i] = a->ptr32[i] = n;
        for (int t = 0; t < degree; t++) {
            const int    k = reversed ? degree - 1 - t : t;
            const int    j = (i * 7) % 13 + k * (N / DEGREE - 3);
            const double v = (i + k) % 11 ? (double)(i * 31 + k) / 64 : 0;

            coord[2 * entries]     = i;
            coord[2 * entries + 1] = j;
            value[entries++]       = v;
            for (int part = 0; part <= twice; part++) {
                a->idx64[n] = a->idx32[n] = j;
                a->val[n++]               = twice ? v / 2 : v;
            }
        }
    }
    a->ptr64[N] = a->ptr32[N] = n;
    return entries;
}

/// However its rows stand, a matrix is stored as it is from coordinates; what is checked
/// and ascends is converted as a tensor of the library's own is.
Test(api_csr, every_format_stores_what_it_does_of_coordinates)
{
    static csr_arrays a;
    static int64_t    coord[2 * N * DEGREE];
    static double     value[N * DEGREE];
    static parts_seen seen, other;

    for (int way = 0; way < 4 * FORMATS; way++) {
        const char *const text   = formats[way / 4];
        const bool        wide   = way % 2 == 1;
        const int         order  = way / 2 % 2 ? 1 + way / 4 % 2 : 0;
        const int         n      = fill_csr(&a, order == 1, order == 2, coord, value);
        cairn_format     *format = must_format(context, text);
        cairn_source     *source;
        cairn_tensor     *tensor, *fresh;

        MUST(context, cairn_source_from_coords(context, 2, (int64_t[]){N, N}, n, coord,
                                               value, CAIRN_BY_NNZ, &source));
        MUST(context, cairn_tensor_create(source, format, CAIRN_F64, &fresh));
        MUST(context,
             cairn_tensor_from_csr(context, N, N, 0, N,
                                   wide ? (void *)a.ptr64 : a.ptr32, wide ? 64 : 32,
                                   wide ? (void *)a.idx64 : a.idx32, wide ? 64 : 32,
                                   a.val, CAIRN_F64, CAIRN_COPY, format, &tensor));
        parts_get(context, fresh, &seen);
        parts_get(context, tensor, &other);
        cr_expect(parts_same(&seen, &other), "%s, rows in order %d", text, order);
        parts_restore(context, fresh, &seen);
        parts_restore(context, tensor, &other);
        cairn_tensor_destroy(&tensor);
        cairn_tensor_destroy(&fresh);
        cairn_source_destroy(&source);
        cairn_format_destroy(&format);
    }
}

/// Arrays that ascend are trusted: nothing is sorted.
Test(api_csr, rows_that_ascend_are_converted_without_sorting)
{
    static csr_arrays a;
    static int64_t    coord[2 * N * DEGREE];
    static double     value[N * DEGREE];

    for (int reversed = 0; reversed < 2; reversed++) {
        cairn_tensor *lent, *converted;
        cairn_format *format = must_format(context, "csc");

        fill_csr(&a, reversed, false, coord, value);
        MUST(context,
             cairn_tensor_from_csr(context, N, N, 0, N, a.ptr32, 32, a.idx32, 32, a.val,
                                   CAIRN_F64, CAIRN_BORROW, NULL, &lent));
        MUST(context,
             cairn_context_set_convert(context, reversed ? "sort" : "scatter"));
        MUST(context, cairn_tensor_convert(lent, format, &converted));
        MUST(context, cairn_context_set_convert(context, ""));
        cairn_tensor_destroy(&converted);
        cairn_format_destroy(&format);
        cairn_tensor_destroy(&lent);
    }
}

typedef struct {
    int64_t      rows, cols, first, own;
    int          ptr_bits, idx_bits;
    const char  *format;
    cairn_status status;
    const char  *words;
} wrong;

/// The entries of @p source as text.
static char *source_text(const cairn_source *source)
{
    char   folder[64], path[96];
    size_t length;

    scratch_create(folder);
    snprintf(path, sizeof path, "%s/a.mtx", folder);
    MUST(context, cairn_source_write(source, path));
    char *const text = scratch_read(path, &length);

    remove(path);
    rmdir(folder);
    return text;
}

/// More columns than are looked at one by one.
/// The passes of the program that are about a caller's arrays, as words.
static void list_looks(const cairn_tensor *tensor, char *text)
{
    const cairn_path *path = cairn_tensor_path(tensor);

    text[0] = '\0';
    for (int k = 0; k < cairn_path_passes(path); k++) {
        const cairn_pass_info pass = cairn_path_pass(path, k);

        if (strcmp(pass.method, "arrays") != 0) break;
        strcat(strcat(text, text[0] ? " " : ""), pass.pass);
        cr_expect_eq(pass.member, -1);
        cr_expect_gt(pass.bytes, 0);
    }
}

/// What is found in a caller's arrays chooses how the program goes on, and it says so.
Test(api_csr, programs_begin_with_the_check_of_the_arrays)
{
    static const struct {
        int         idx[6];
        const char *passes;
    } cases[] = {
        {{0, 2, 1, 3, 0, 3}, "Check"             }, /* ascend */
        {{2, 0, 1, 3, 0, 3}, "Check Sort"        },
        {{0, 2, 3, 1, 3, 3}, "Check Sort Combine"},
        {{0, 2, 1, 3, 3, 3}, "Check Sort Combine"}, /* in order, but there twice */
    };
    static const int    ptr[] = {0, 2, 4, 6};
    static const double val[] = {1, 2, 3, 4, 5, 6};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cairn_format *format = must_format(context, "ell");
        cairn_tensor *tensor = NULL;
        char          looks[100];

        MUST(context,
             cairn_tensor_from_csr(context, 3, 4, 0, 3, ptr, 32, cases[k].idx, 32, val,
                                   CAIRN_F64, CAIRN_COPY, format, &tensor));
        list_looks(tensor, looks);
        cr_expect_str_eq(looks, cases[k].passes);
        char              otherwise[CAIRN_PASS_OTHERWISE];
        const char *const assumes =
            cairn_path_assumes(cairn_tensor_path(tensor), 0, otherwise);

        cr_expect_str_eq(assumes, "the entries ascend, each once");
        cr_expect_str_eq(otherwise, "arrays Sort, Combine");
        cr_expect(strstr(cairn_tensor_how(tensor), "otherwise arrays Sort, Combine"));
        cairn_tensor_destroy(&tensor);
        cairn_format_destroy(&format);
    }
}

/// A borrowed tensor whose rows are in no order is sorted, and its repeats are combined, by
/// the program of each conversion.
Test(api_csr, borrowed_repeats_are_combined_by_a_pass)
{
    static matrix a;

    cairn_context_set_convert(context, "sort");
    fill(&a, 3);
    cairn_tensor *borrowed = must_take(&a, a.val, CAIRN_F64, CAIRN_BORROW, NULL);
    cairn_format *format   = must_format(context, "csc");
    cairn_tensor *stored   = NULL;

    MUST(context, cairn_tensor_convert(borrowed, format, &stored));
    cr_expect(strstr(cairn_tensor_how(stored), "sort: Combine entry"), "%s",
              cairn_tensor_how(stored));
    cairn_tensor_destroy(&stored);
    cairn_tensor_destroy(&borrowed);
    cairn_format_destroy(&format);
}

/* More entries than a cache holds, in a symmetric pattern. */
enum { FAR_ROWS = 16000, FAR_HALF = 12, FAR_ENTRIES = FAR_ROWS * (2 * FAR_HALF + 1) };

static double far_value(int i, int j)
{
    return i + (double)(j % 1000) / 1024;
}

/// Is entry (i, j) left out, and (j, i) with it? Rows are of different lengths then.
static bool is_gap(int i, int j)
{
    return (int64_t)i * j % 5 > 1;
}

/// Convert compressed rows, whose entries stand so far @p apart, to columns.
static void check_far(int apart, bool gaps, cairn_copy_mode mode, const char *method)
{
    int32_t *const ptr     = malloc((FAR_ROWS + 1) * sizeof *ptr);
    int32_t *const idx     = malloc(FAR_ENTRIES * sizeof *idx);
    double *const  val     = malloc(FAR_ENTRIES * sizeof *val);
    int32_t *const row     = malloc(FAR_ENTRIES * sizeof *row);
    int32_t *const begin   = malloc((FAR_ROWS + 1) * sizeof *begin);
    double *const  made    = malloc(FAR_ENTRIES * sizeof *made);
    cairn_format  *columns = must_format(context, "csc");
    cairn_format  *own     = must_format(context, "csr");
    cairn_tensor  *rows, *tensor;
    int32_t        n = 0;

    for (int i = 0; i < FAR_ROWS; i++) {
        ptr[i] = n;
        for (int j = i - FAR_HALF * apart; j <= i + FAR_HALF * apart; j += apart)
            if (j >= 0 && j < FAR_ROWS && !(gaps && is_gap(i, j))) {
                idx[n]   = j;
                val[n++] = far_value(i, j);
            }
    }
    ptr[FAR_ROWS] = n;
    MUST(context, cairn_tensor_from_csr(context, FAR_ROWS, FAR_ROWS, 0, FAR_ROWS, ptr,
                                        32, idx, 32, val, CAIRN_F64, mode,
                                        mode == CAIRN_BORROW ? NULL : own, &rows));
    MUST(context, cairn_tensor_convert(rows, columns, &tensor));
    cr_expect(strstr(cairn_tensor_how(tensor), method), "%d apart: %s", apart,
              cairn_tensor_how(tensor));
    cairn_compressed out = CAIRN_COMPRESSED;

    out.ptr        = begin;
    out.idx        = row;
    out.val        = made;
    out.ptr_bits   = 32;
    out.idx_bits   = 32;
    out.ptr_length = FAR_ROWS + 1;
    out.length     = n;
    MUST(context, cairn_tensor_to_csc(tensor, &out));
    cr_expect_arr_eq(begin, ptr, (FAR_ROWS + 1) * sizeof *ptr);
    cr_expect_arr_eq(row, idx, (size_t)n * sizeof *idx);
    for (int j = 0; j < FAR_ROWS; j++)
        for (int k = ptr[j]; k < ptr[j + 1]; k++)
            cr_assert_eq(made[k], far_value(row[k], j));
    cairn_tensor_destroy(&tensor);
    cairn_tensor_destroy(&rows);
    cairn_format_destroy(&columns);
    cairn_format_destroy(&own);
    void *all[] = {ptr, idx, val, row, begin, made};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

/// Where the cursors of a row's columns are all over a cache, its entries are dealt out,
/// unless mirroring them spares the indices.
Test(api_csr,
     entries_of_many_runs_are_dealt_out_and_those_of_few_mirrored,
     .timeout = 120)
{
    cairn_context_set_threads(context, 1);
    check_far(1, false, CAIRN_BORROW, "mirror: Move");
    check_far(3, false, CAIRN_BORROW, "scatter: Move");
    check_far(3, false, CAIRN_COPY, "mirror: Move");
}

/// As few as are mirrored by marks are dealt out by them, unless the indices are spared.
Test(api_csr, short_rows_of_different_lengths_are_dealt_out, .timeout = 120)
{
    cairn_context_set_threads(context, 1);
    check_far(1, true, CAIRN_BORROW, "scatter: Move");
    check_far(1, true, CAIRN_COPY, "mirror: Move");
}

/* Rows of different lengths, so few on average that they are gone through as one list; many
 * that are empty follow each other here and there. */
enum { LIST_ENTRIES = 100000 };

typedef struct {
    int32_t  rows, cols, entries;
    int32_t *ptr, *idx, *begin, *row;
    double  *val, *made;
    float   *val32, *made32;
} list_rows;

static int32_t length_of(int32_t i, int32_t rows)
{
    return i % 2000 >= 1400 ? 0 : (int32_t)((int64_t)i * 7919 % 23) * 12000 / rows;
}

static list_rows make_list(int32_t rows, int32_t cols)
{
    const size_t lines = (size_t)(rows > cols ? rows : cols) + 1, n = LIST_ENTRIES;
    list_rows    l = {.rows   = rows,
                      .cols   = cols,
                      .ptr    = malloc(lines * sizeof *l.ptr),
                      .idx    = malloc(n * sizeof *l.idx),
                      .begin  = malloc(lines * sizeof *l.begin),
                      .row    = malloc(n * sizeof *l.row),
                      .val    = malloc(n * sizeof *l.val),
                      .made   = malloc(n * sizeof *l.made),
                      .val32  = malloc(n * sizeof *l.val32),
                      .made32 = malloc(n * sizeof *l.made32)};

    for (int32_t i = 0; i < rows; i++) {
        const int32_t some = length_of(i, rows), step = cols / 23;

        l.ptr[i] = l.entries;
        for (int32_t k = 0; k < some && l.entries < LIST_ENTRIES; k++) {
            l.idx[l.entries]   = k * step + (int32_t)((int64_t)i * 31 % step);
            l.val[l.entries]   = l.entries + 0.25;
            l.val32[l.entries] = (float)l.entries;
            l.entries++;
        }
    }
    l.ptr[rows] = l.entries;
    return l;
}

static void free_list(list_rows *l)
{
    void *all[] = {l->ptr, l->idx,  l->begin, l->row,
                   l->val, l->made, l->val32, l->made32};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

/// By definition: column by column, each entry behind those of the rows above.
static void expect_columns(const list_rows *l, bool f64, const char *what)
{
    int32_t *const next = malloc((size_t)l->cols * sizeof *next);
    int64_t        bad  = 0;

    memcpy(next, l->begin, (size_t)l->cols * sizeof *next);
    for (int32_t i = 0; i < l->rows; i++)
        for (int32_t k = l->ptr[i]; k < l->ptr[i + 1]; k++) {
            const int32_t at = next[l->idx[k]]++;

            bad += l->row[at] != i
                   || (f64 ? l->made[at] != l->val[k] : l->made32[at] != l->val32[k]);
        }
    for (int32_t j = 0; j < l->cols; j++)
        bad += next[j] != l->begin[j + 1];
    cr_expect_eq(bad, 0, "%s: %" PRId64 " entries or columns are wrong", what, bad);
    free(next);
}

static void check_list(list_rows *l, bool f64, cairn_copy_mode mode)
{
    cairn_format    *own  = mode == CAIRN_BORROW ? NULL : must_format(context, "csr");
    cairn_format    *csc  = must_format(context, "csc");
    cairn_tensor    *rows = NULL, *columns = NULL;
    cairn_compressed out = CAIRN_COMPRESSED;
    char             what[80];

    snprintf(what, sizeof what, "%d x %d, %s, %s", l->rows, l->cols,
             f64 ? "f64" : "f32", own ? "own" : "borrowed");
    MUST(context, cairn_tensor_from_csr(context, l->rows, l->cols, 0, l->rows, l->ptr,
                                        32, l->idx, 32, f64 ? (void *)l->val : l->val32,
                                        f64 ? CAIRN_F64 : CAIRN_F32, mode, own, &rows));
    MUST(context, cairn_tensor_convert(rows, csc, &columns));
    cr_expect(strstr(cairn_tensor_how(columns), "scatter: Move"), "%s: %s", what,
              cairn_tensor_how(columns));
    out.ptr        = l->begin;
    out.idx        = l->row;
    out.val        = f64 ? (void *)l->made : l->made32;
    out.dtype      = f64 ? CAIRN_F64 : CAIRN_F32;
    out.ptr_bits   = 32;
    out.idx_bits   = 32;
    out.ptr_length = l->cols + 1;
    out.length     = l->entries;
    MUST(context, cairn_tensor_to_csc(columns, &out));
    expect_columns(l, f64, what);
    cairn_tensor_destroy(&columns);
    cairn_tensor_destroy(&rows);
    cairn_format_destroy(&csc);
    cairn_format_destroy(&own);
}

/// Whatever the widths, whoever has the arrays, on one thread and several.
Test(api_csr, rows_gone_through_as_one_list_go_to_their_columns, .timeout = 120)
{
    static const int32_t extent[][2] = {
        {12000, 9000 },
        {12000, 70000},
        {70000, 9000 },
        {70000, 70000}
    };

    /* Of a library without kernels it would not pay to compile them for so little. */
    context_down();
    setenv("CAIRN_KERNELS", "compiled", 1);
    context_up();
    unsetenv("CAIRN_KERNELS");
    for (size_t k = 0; k < sizeof extent / sizeof *extent; k++) {
        list_rows l = make_list(extent[k][0], extent[k][1]);

        for (int threads = 1; threads <= 3; threads++) {
            cairn_context_set_threads(context, threads);
            for (int way = 0; way < 4; way++)
                check_list(&l, way % 2, way / 2 ? CAIRN_BORROW : CAIRN_COPY);
        }
        free_list(&l);
    }
}

/// Threads look at pieces; a fault in any of them is seen.
Test(api_csr, what_is_wrong_in_any_piece_of_a_look_is_refused, .timeout = 60)
{
    list_rows     l      = make_list(70000, 9000);
    cairn_tensor *tensor = NULL;

    cairn_context_set_threads(context, 2);
    for (int32_t k = 0; k < l.entries; k += 997) {
        const int32_t was = l.idx[k];

        l.idx[k] = k % 2 ? -1 : l.cols;
        cr_expect_eq(cairn_tensor_from_csr(context, l.rows, l.cols, 0, l.rows, l.ptr,
                                           32, l.idx, 32, l.val, CAIRN_F64,
                                           CAIRN_BORROW, NULL, &tensor),
                     CAIRN_BAD_COORD, "entry %d", k);
        l.idx[k] = was;
    }
    free_list(&l);
}

Test(api_csr, few_entries_of_wide_rows_find_their_places)
{
    enum { WIDE = 100000000 };
    const int64_t ptr[] = {0, 2, 2, 4}, idx[] = {WIDE - 1, 5, 7, WIDE - 1};
    const double  old[] = {1, 2, 3, 4}, val[] = {10, 20, 30, 40};

    for (size_t k = 0; k < 3; k++) {
        static const char *const wide[] = {"csr", "coo", "dcsr"};
        cairn_format            *format = must_format(context, wide[k]);
        cairn_tensor            *tensor;
        cairn_source            *source;

        MUST(context,
             cairn_tensor_from_csr(context, 3, WIDE, 0, 3, ptr, 64, idx, 64, old,
                                   CAIRN_F64, CAIRN_COPY, format, &tensor));
        MUST(context, cairn_tensor_update(tensor, val));
        MUST(context, cairn_source_from_tensor(tensor, &source));
        char *const text = source_text(source);

        cr_expect_not_null(strstr(text, "\n1 6 20\n1 100000000 10\n3 8 30\n3 100000000 "
                                        "40\n"),
                           "%s: %s", wide[k], text);
        free(text);
        cairn_source_destroy(&source);
        cairn_tensor_destroy(&tensor);
        cairn_format_destroy(&format);
    }
}

Test(api_csr, wrong_arguments_are_refused)
{
    static const int32_t ptr[] = {0, 1, 2}, idx[] = {0, 1}, far[] = {0, 2},
                         neg[]      = {0, -1};
    static const int32_t descends[] = {0, 2, 1}, begins[] = {1, 1, 2};
    static const double  val[]   = {1, 2};
    static const wrong   cases[] = {
          {2,         2,  0,         2,  16, 32, NULL,     CAIRN_BAD_ARGUMENT, "32 or 64"        },
          {2,         2,  0,         2,  32, 0,  NULL,     CAIRN_BAD_ARGUMENT, "32 or 64"        },
          {2,         2,  1,         2,  32, 32, NULL,     CAIRN_BAD_SHAPE,    "2 rows from 1 on"},
          {2,         2,  -1,        2,  32, 32, NULL,     CAIRN_BAD_SHAPE,    "-1"              },
          {2,         2,  0,         -1, 32, 32, NULL,     CAIRN_BAD_SHAPE,    "rows"            },
          {2,         -2, 0,         2,  32, 32, NULL,     CAIRN_BAD_SHAPE,    "extent 1 is -2"  },
          {INT64_MAX, 2,  0,         2,  32, 32, NULL,     CAIRN_BAD_SHAPE,    "extent 0"        },
          {2,         2,  INT64_MAX, 2,  32, 32, NULL,     CAIRN_BAD_SHAPE,    "rows"            },
          {3,         2,  0,         2,  32, 32, NULL,     CAIRN_BAD_SHAPE,    "follow"          },
          {3,         2,  1,         2,  32, 32, NULL,     CAIRN_BAD_SHAPE,    "follow"          },
          {2,         2,  0,         2,  32, 32, "csf<3>", CAIRN_BAD_SHAPE,    "order 3"         },
    };
    cairn_tensor *tensor = NULL;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const wrong  *c      = &cases[k];
        cairn_format *format = c->format ? must_format(context, c->format) : NULL;

        cr_expect_eq(cairn_tensor_from_csr(context, c->rows, c->cols, c->first, c->own,
                                           ptr, c->ptr_bits, idx, c->idx_bits, val,
                                           CAIRN_F64, CAIRN_COPY, format, &tensor),
                     c->status, "case %zu: %s", k, cairn_context_message(context));
        cr_expect(strstr(cairn_context_message(context), c->words), "case %zu: %s", k,
                  cairn_context_message(context));
        cairn_format_destroy(&format);
    }
#define TAKE(p, i)                                                           \
    cairn_tensor_from_csr(context, 2, 2, 0, 2, p, 32, i, 32, val, CAIRN_F64, \
                          CAIRN_BORROW, NULL, &tensor)
    REFUSED(context, BAD_COORD, "column 2 is not within 0..1", TAKE(ptr, far));
    REFUSED(context, BAD_COORD, "column -1", TAKE(ptr, neg));
    REFUSED(context, BAD_COORD, "descends after row 1", TAKE(descends, idx));
    REFUSED(context, BAD_COORD, "ptr[0] is 1", TAKE(begins, idx));
    cr_expect_null(tensor);
}
