// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where a text says nothing of values: those of a file are stored as narrow as they are,
/// without a dictionary, those of arrays where many products are said to come; with the
/// same positions, the same bits and within the same limit of memory as wide ones.

#include "api/api.h"
#include "emit/prebuilt.h"
#include "support/every_format.h"
#include "support/narrow_values.h"
#include "support/same_sums.h"
#include "support/suite_context.h"
#include "tensor/value_storage.h"

enum { ROWS = 40, COLS = 30, ENTRIES = 600 };

static char folder[64], path[96];

static void up(void)
{
    setenv("CAIRN_THREADS", "2", 1);
    unsetenv("CAIRN_REPLAYS");
    context_up();
    scratch_create(folder);
    snprintf(path, sizeof path, "%s/a.cairn", folder);
}

static void down(void)
{
    context_down();
    unlink(path);
    cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
}

TestSuite(values_default, .init = up, .fini = down, .timeout = 600);

static double of_set(uint64_t *state, int set)
{
    if (set == NARROW_SETS)
        return 1 + (double)(random_next(state) >> 11) / 9007199254740992.0;
    return set == NARROW_FEW ? random_below(state, 32) / 10.0 + 0.1
                             : narrow_value(state, (narrow_set)set);
}

static cairn_source *draw(int set, int entries)
{
    int64_t      *coord  = malloc((size_t)entries * 2 * sizeof *coord);
    double       *value  = malloc((size_t)entries * sizeof *value);
    cairn_source *source = NULL;
    const int64_t rows   = (int64_t)entries / 15 + 1;
    uint64_t      state  = (uint64_t)set + 1;

    for (int k = 0; k < entries; k++) {
        coord[2 * k]     = k / 15;
        coord[2 * k + 1] = 2 * (k % 15) + k / 15 % 2;
        value[k]         = of_set(&state, set);
    }
    MUST(context, cairn_source_from_coords(context, 2, (int64_t[]){rows, COLS}, entries,
                                           coord, value, CAIRN_BY_NNZ, &source));
    free(coord);
    free(value);
    return source;
}

/// The same entries as a file has them: in the library's own, values keep their bits.
static cairn_source *read_back(cairn_source *source, cairn_dtype dtype)
{
    cairn_tensor *tensor = must_store(context, source, "csr", dtype);
    cairn_source *read   = NULL;

    MUST(context, cairn_tensor_write(tensor, path, NULL));
    MUST(context, cairn_source_read(context, path, CAIRN_BY_NNZ, &read));
    cairn_tensor_destroy(&tensor);
    return read;
}

static const char *stored_as(const cairn_tensor *tensor)
{
    const cairn_kernel_part *view = &tensor->local->part[0].view;

    return cairn_value_storage_name((cairn_value_kind)view->val_kind, view->val_bits);
}

/// The same arrays but for the type of the values.
static void same_arrays(const cairn_tensor *a, const cairn_tensor *b, const char *what)
{
    cr_assert_eq(a->local->parts, b->local->parts, "%s", what);
    for (int64_t p = 0; p < a->local->parts; p++) {
        const cairn_kernel_part *x = &a->local->part[p].view,
                                *y = &b->local->part[p].view;

        cr_assert_eq(a->local->part[p].nnz, b->local->part[p].nnz, "%s", what);
        cr_assert_eq(x->values, y->values, "%s", what);
        for (int64_t v = 0; v < x->values; v++) {
            const double u = cairn_value_get(x, v), w = cairn_value_get(y, v);

            cr_assert_eq(memcmp(&u, &w, sizeof u), 0, "%s: value %d", what, (int)v);
        }
        for (int l = 0; l < x->levels; l++) {
            const cairn_kernel_level *u = &x->level[l], *w = &y->level[l];

            cr_assert_eq(u->idx_length, w->idx_length, "%s", what);
            for (int64_t k = 0; k < u->idx_length; k++)
                cr_assert_eq(
                    cairn_load_int(u->idx, k, u->idx_stride, u->idx_bits, true),
                    cairn_load_int(w->idx, k, w->idx_stride, w->idx_bits, true),
                    "%s: idx%d[%d]", what, l, (int)k);
        }
    }
}

static bool has_dictionary(const cairn_tensor *tensor)
{
    for (int64_t p = 0; p < tensor->local->parts; p++)
        if (tensor->local->part[p].view.val_kind == CAIRN_VALUE_CODE) return true;
    return false;
}

/// To every format, as from wide values, and not wide again.
static void converts(cairn_tensor *narrow, cairn_tensor *wide, const char *to)
{
    cairn_format *format = must_format(context, to);
    cairn_tensor *a = NULL, *b = NULL;

    MUST(context, cairn_tensor_convert(narrow, format, &a));
    MUST(context, cairn_tensor_convert(wide, format, &b));
    same_arrays(a, b, to);
    cr_expect_not(cairn_local_is_narrow(b->local), "%s", to);
    if (a->local->group[0].layout->values.tuple < 0
        && cairn_local_is_narrow(narrow->local) && !strstr(to, "hybrid"))
        cr_expect(cairn_local_is_narrow(a->local), "%s: wide again", to);
    cairn_tensor_destroy(&a);
    cairn_tensor_destroy(&b);
    cairn_format_destroy(&format);
}

static void check(int set, cairn_dtype dtype)
{
    static const char *const csr[] = {"iso", "iso", "i8",  "i16", "f64", "f32",
                                      "f32", "f32", "f32", "f64", "f64"};
    cairn_source *arrays = draw(set, ENTRIES), *file = read_back(arrays, dtype);

    for (int f = 0; f < FORMATS; f++) {
        cairn_tensor *narrow = must_store(context, file, formats[f], dtype);
        cairn_tensor *wide   = must_store(context, arrays, formats[f], dtype);

        same_arrays(narrow, wide, formats[f]);
        cr_expect_str_eq(cairn_format_text(narrow->format),
                         cairn_format_text(wide->format));
        cr_expect_not(cairn_local_is_narrow(wide->local), "%s", formats[f]);
        cr_expect_not(has_dictionary(narrow), "%s", formats[f]);
        cr_expect_leq(narrow->local->group[0].bytes, wide->local->group[0].bytes);
        if (strcmp(formats[f], "csr") == 0 && dtype == CAIRN_F64) {
            cr_expect_str_eq(stored_as(narrow), csr[set]);
            for (int to = 0; to < FORMATS; to++)
                converts(narrow, wide, formats[to]);
        }
        converts(narrow, wide, "coo");
        cairn_tensor_destroy(&narrow);
        cairn_tensor_destroy(&wide);
    }
    cairn_source_destroy(&arrays);
    cairn_source_destroy(&file);
}

Test(values_default, files_are_narrow_in_every_format)
{
    for (int set = 0; set <= NARROW_SETS; set++) {
        check(set, CAIRN_F64);
        if (set % 3 == 0) check(set, CAIRN_F32);
    }
}

/// Written and read, a tensor is what it was, and its file no larger than a wide one's.
Test(values_default, tensors_of_files_are_written_as_they_are)
{
    cairn_source *arrays = draw(NARROW_I8, ENTRIES),
                 *file   = read_back(arrays, CAIRN_F64);
    cairn_tensor *narrow = must_store(context, file, "sell<2>", CAIRN_F64),
                 *back   = NULL;

    MUST(context, cairn_tensor_write(narrow, path, NULL));
    MUST(context, cairn_tensor_read(context, path, &back));
    cr_expect_str_eq(stored_as(back), "i8");
    same_arrays(narrow, back, "read");
    cairn_tensor *wide = must_store(context, arrays, "sell<2>", CAIRN_F64);

    converts(back, wide, "csr");
    cairn_tensor_destroy(&wide);
    cairn_tensor_destroy(&back);
    cairn_tensor_destroy(&narrow);
    cairn_source_destroy(&file);
    cairn_source_destroy(&arrays);
}

/// Around what each type just holds, and what an integer of 32 bits does.
Test(values_default, values_at_the_edges_of_types_keep_their_bits)
{
    static const double edges[] = {127,         128,         -128,       -129,
                                   32767,       32768,       -32768,     -32769,
                                   2147483646,  2147483647,  2147483648, -2147483647,
                                   -2147483648, -2147483649, 16777216,   16777217,
                                   4294967295,  65504,       65536,      -0.0};

    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) {
        const double  value[] = {5, edges[k], 7};
        cairn_source *arrays  = NULL;

        MUST(context, cairn_source_from_coords(context, 2, (int64_t[]){3, 3}, 3,
                                               (int64_t[]){0, 0, 1, 1, 2, 2}, value,
                                               CAIRN_BY_NNZ, &arrays));
        cairn_source *file   = read_back(arrays, CAIRN_F64);
        cairn_tensor *stored = must_store(context, file, "csr", CAIRN_F64);

        for (int v = 0; v < 3; v++) {
            const double now = cairn_value_get(&stored->local->part[0].view, v);

            cr_expect_eq(memcmp(&now, &value[v], sizeof now), 0, "%.17g becomes %.17g",
                         value[v], now);
        }
        cairn_tensor_destroy(&stored);
        cairn_source_destroy(&file);
        cairn_source_destroy(&arrays);
    }
}

static void same_products(cairn_tensor *a, cairn_tensor *b, const char *what)
{
    double       *x = must_multiply(context, a), *y = must_multiply(context, b);
    const int64_t n = a->local->shape.extent[0];

    cr_expect_eq(first_other(x, y, n), -1, "%s: other bits", what);
    free(x);
    free(y);
}

/// With a kernel at hand or with wide values, it is the same product.
Test(values_default, products_have_the_same_bits)
{
    static const char *const some[] = {"csr", "coo", "dia", "bcsr<2,3>",
                                       "hybrid<bdia<2>,csr,0.5>"};

    for (int set = 0; set <= NARROW_SETS; set++) {
        cairn_source *arrays = draw(set, ENTRIES), *file = read_back(arrays, CAIRN_F64);

        for (size_t f = 0; f < sizeof some / sizeof *some; f++) {
            cairn_tensor *narrow = must_store(context, file, some[f], CAIRN_F64);
            cairn_tensor *wide   = must_store(context, arrays, some[f], CAIRN_F64);

            same_products(narrow, wide, some[f]);
            cairn_tensor_destroy(&narrow);
            cairn_tensor_destroy(&wide);
        }
        cairn_source_destroy(&arrays);
        cairn_source_destroy(&file);
    }
}

/// Is the source stored within a limit?
static bool fits(cairn_source *source, int64_t limit, bool *narrow)
{
    cairn_format *format = must_format(context, "csr");
    cairn_tensor *tensor = NULL;

    MUST(context, cairn_context_set_memory(context, limit));
    const cairn_status status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);

    cr_assert(status == CAIRN_OK || status == CAIRN_NO_MEMORY);
    if (tensor) *narrow = cairn_local_is_narrow(tensor->local);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    return status == CAIRN_OK;
}

/// Where wide values fit, narrow ones are made of them: nothing is refused for it.
Test(values_default, memory_that_is_enough_for_wide_values_is_enough)
{
    /* More than the 8 MiB that may be beside a limit. */
    enum { MANY = 1500000 };
    cairn_source *arrays = draw(NARROW_F32, MANY), *file = read_back(arrays, CAIRN_F64);
    const int64_t held    = live_bytes(context);
    bool          refused = false, stored = false;

    for (int64_t more = 4 << 20; more <= 100 << 20; more += 3 << 20) {
        bool       narrow = false;
        const bool wide   = fits(arrays, held + more, &narrow);

        cr_expect_not(narrow);
        narrow = false;
        cr_expect_eq(fits(file, held + more, &narrow), wide, "%d MiB",
                     (int)(more >> 20));
        cr_expect_eq(narrow, wide, "%d MiB: it is wide", (int)(more >> 20));
        refused |= !wide;
        stored |= wide;
    }
    cr_expect(refused && stored, "the limits are none");
    MUST(context, cairn_context_set_memory(context, INT64_MAX));
    cairn_source_destroy(&arrays);
    cairn_source_destroy(&file);
}

/// Arrays that a conversion takes over are taken over from a narrow tensor, too.
Test(values_default, conversions_share_indices)
{
    enum { MANY = 300000 };
    cairn_source *arrays = draw(NARROW_I8, MANY), *file = read_back(arrays, CAIRN_F64);
    cairn_tensor *csr = must_store(context, file, "csr", CAIRN_F64), *coo = NULL;
    cairn_format *format   = must_format(context, "coo");
    cairn_part_info *info  = NULL;
    int64_t          count = 0;
    /* Values, a byte each, are moved as they are by functions that come along. */
    const bool at_hand = cairn_prebuilt_count > 0;

    MUST(context, cairn_tensor_convert(csr, format, &coo));
    MUST(context, cairn_tensor_parts(coo, &count, &info));
    cr_expect_eq(count, 1);
    cr_expect_eq(info[0].shared,
                 csr->local->part[0].view.level[1].idx_length + (at_hand ? MANY : 0),
                 "%" PRId64, info[0].shared);
    cr_expect_eq(coo->local->part[0].view.val == csr->local->part[0].view.val, at_hand);
    cr_expect_eq(coo->local->part[0].view.level[1].idx,
                 csr->local->part[0].view.level[1].idx);
    cr_expect_str_eq(stored_as(coo), "i8");
    cr_expect_str_eq(info[0].stored, "i8");
    cairn_parts_free(coo, &info);
    cairn_tensor_destroy(&csr); /* what is shared stays */
    cairn_tensor *again = must_store(context, arrays, "coo", CAIRN_F64);

    same_arrays(coo, again, "shared");
    cairn_tensor_destroy(&again);
    cairn_tensor_destroy(&coo);
    cairn_format_destroy(&format);
    cairn_source_destroy(&arrays);
    cairn_source_destroy(&file);
}

/* ---- arrays ---- */

static cairn_tensor *must_take(const double *value, cairn_copy_mode mode)
{
    static const int32_t ptr[] = {0, 2, 3, 4}, idx[] = {0, 2, 1, 0};
    cairn_format        *format = must_format(context, "csr");
    cairn_tensor        *tensor = NULL;

    MUST(context,
         cairn_tensor_from_csr(context, 3, 3, 0, 3, ptr, 32, idx, 32, value, CAIRN_F64,
                               mode, mode == CAIRN_BORROW ? NULL : format, &tensor));
    cairn_format_destroy(&format);
    return tensor;
}

/// A caller's values stay as wide as they are, but where he says that many products come:
/// then new ones that do not fit widen them.
Test(values_default, arrays_are_narrow_where_many_products_come)
{
    static const double bytes[] = {1, 2, 3, -4}, tenths[] = {0.1, 2, 3, -4};
    cairn_tensor       *tensor = must_take(bytes, CAIRN_COPY);

    cr_expect_str_eq(stored_as(tensor), "f64");
    cairn_tensor_destroy(&tensor);
    context_down();
    setenv("CAIRN_REPLAYS", "100", 1);
    context_up();
    tensor = must_take(bytes, CAIRN_BORROW);
    cr_expect_str_eq(stored_as(tensor), "f64");
    cairn_tensor_destroy(&tensor);
    tensor = must_take(bytes, CAIRN_COPY);
    cr_expect_str_eq(stored_as(tensor), "i8");
    double *y = must_multiply(context, tensor);

    cr_expect_eq(y[1], 3 * ramp(1));
    free(y);
    MUST(context, cairn_tensor_update(tensor, tenths));
    cr_expect_str_eq(stored_as(tensor), "f64");
    y = must_multiply(context, tensor);
    cr_expect_eq(y[0], 0.1 * ramp(0) + 2 * ramp(2));
    free(y);
    cairn_tensor_destroy(&tensor);
    unsetenv("CAIRN_REPLAYS");
}

/// What a plan of the source says of its only part, in a format of which kernels of wide
/// values come with the library, and none of narrow ones.
static void check_note(cairn_source *source, const char *note)
{
    cairn_tensor    *tensor = must_store(context, source, "bcsc<2,2>", CAIRN_F64);
    cairn_plan      *plan   = NULL;
    cairn_plan_part *parts;
    int64_t          count;

    cr_assert_str_eq(stored_as(tensor), "f32");
    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    MUST(context, cairn_plan_parts(plan, &count, &parts));
    cr_expect_str_eq(parts[0].note, note);
    cr_expect_str_eq(parts[0].values, "f32");
    cairn_plan_parts_free(plan, &parts);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
}

/// A compiler takes a tenth of a second: for few products a wide copy is read instead.
Test(values_default, kernels_of_narrow_values_are_compiled_for_many_products)
{
    const cairn_problem problem = {
        .size = sizeof(cairn_problem), .n = 5000, .degree = 4, .seed = 1};
    cairn_source *made = NULL;

    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    context_down();
    setenv("CAIRN_CACHE", "none", 1);
    context_up();
    MUST(context, cairn_source_generate(context, "mixed", &problem, &made));
    cairn_source *file = read_back(made, CAIRN_F64);

    check_note(file, "values widened to f64");
    MUST(context, cairn_context_set_replays(context, 100));
    check_note(file, "values widened to f64");
    MUST(context, cairn_context_set_replays(context, 1000000));
    check_note(file, "");
    cairn_source_destroy(&file);
    cairn_source_destroy(&made);
    unsetenv("CAIRN_CACHE");
}
