// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A format chosen for a tensor that is there: few products keep a caller's arrays as they
/// lie, without a look or a byte for it; many convert what pays; rows are counted in lists
/// as they are in entries. No test depends on how long anything takes.

#include "api/api.h"
#include "auto/pattern_statistics.h"
#include "support/narrow_values.h"
#include "support/suite_context.h"
#include "tensor/value_storage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void up(void)
{
    context_up();
    context->env.options.cost = CAIRN_RATES_SHIPPED;
}

TestSuite(auto_tensor, .init = up, .fini = context_down, .timeout = 240);

/// A caller's compressed rows.
typedef struct {
    int     bits; ///< Of ptr and idx.
    int64_t rows, cols, n;
    void   *ptr, *idx;
    double *val;
} caller;

static void put(void *list, int bits, int64_t k, int64_t number)
{
    if (bits == 32)
        ((int32_t *)list)[k] = (int32_t)number;
    else
        ((int64_t *)list)[k] = number;
}

/// The rows of a source; every second one back to front where they are to be in no order.
static caller rows_of(const cairn_source *source, int bits, bool ordered)
{
    const cairn_entries *e = &source->entries;
    caller               c = {bits,
                              source->shape.extent[0],
                              source->shape.extent[1],
                              e->n,
                              calloc((size_t)source->shape.extent[0] + 1, 8),
                              malloc((size_t)(e->n + 1) * 8),
                              malloc((size_t)(e->n + 1) * 8)};

    cr_assert(c.ptr && c.idx && c.val);
    for (int64_t i = 0, k = 0, end; i < c.rows; i++, k = end) {
        for (end = k; end < e->n && e->coord[0][end] == i;)
            end++;
        for (int64_t p = k; p < end; p++) {
            const int64_t from = ordered || i % 2 ? p : k + end - 1 - p;

            put(c.idx, bits, p, e->coord[1][from]);
            c.val[p] = e->value[from];
        }
        put(c.ptr, bits, i + 1, end);
    }
    return c;
}

static cairn_tensor *borrow(const caller *c)
{
    cairn_tensor *tensor = NULL;

    MUST(context, cairn_tensor_from_csr(context, c->rows, c->cols, 0, c->rows, c->ptr,
                                        c->bits, c->idx, c->bits, c->val, CAIRN_F64,
                                        CAIRN_BORROW, NULL, &tensor));
    return tensor;
}

static void drop(caller *c)
{
    free(c->ptr);
    free(c->idx);
    free(c->val);
}

static cairn_source *generate(const char *kind, cairn_problem problem)
{
    cairn_source *source = NULL;

    problem.seed = 5;
    MUST(context, cairn_source_generate(context, kind, &problem, &source));
    MUST(context, cairn_source_sort(source));
    return source;
}

static cairn_source *stencil(void)
{
    return generate(
        "stencil5",
        (cairn_problem){.size = sizeof(cairn_problem), .nx = 200, .ny = 150});
}

static cairn_source *graph(void)
{
    return generate(
        "rmat",
        (cairn_problem){.size = sizeof(cairn_problem), .scale = 13, .edges = 90000});
}

/// A product with a tensor, against the source's entries.
static void check_product(cairn_tensor *tensor, cairn_source *source)
{
    cairn_plan *plan = NULL;
    double      relative, absolute;

    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    fill_ramp(plan);
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    MUST(context, cairn_plan_verify(plan, source, &relative, &absolute));
    cr_expect_lt(relative, 1e-13);
    cairn_plan_destroy(&plan);
}

/// Bytes that were allocated while a format was chosen for so many products, by the model.
static int64_t choose(const cairn_tensor *tensor,
                      int64_t             replays,
                      cairn_format      **format,
                      cairn_auto_info    *info)
{
    const cairn_auto_options options = {
        .size = sizeof(cairn_auto_options), .replays = replays, .tries = -1};
    const int64_t before = atomic_load(&context->env.allocated);

    *info = (cairn_auto_info)CAIRN_AUTO_INFO;
    MUST(context, cairn_tensor_auto(tensor, NULL, &options, format, info));
    return atomic_load(&context->env.allocated) - before;
}

Test(auto_tensor, one_product_allocates_nothing)
{
    cairn_source   *source = stencil();
    caller          c      = rows_of(source, 32, true);
    cairn_tensor   *tensor = borrow(&c);
    cairn_format   *format = (cairn_format *)&c; /* what is not written is seen */
    cairn_auto_info info;

    for (int64_t replays = 1; replays <= 2; replays++) {
        cr_expect_eq(choose(tensor, replays, &format, &info), 0);
        cr_expect_null(format);
        cr_expect_eq(info.share, 0);
        cr_expect_eq(info.candidates, 1);
        cr_expect_str_eq(info.candidate[0].format,
                         cairn_format_text(cairn_tensor_format(tensor)));
        cr_expect(info.why[0][0] && info.why[1][0]);
        MUST(context,
             cairn_tensor_auto(tensor, NULL,
                               &(cairn_auto_options){.size = sizeof(cairn_auto_options),
                                                     .replays = replays},
                               &format, NULL));
        cr_expect_null(format);
    }
    check_product(tensor, source);
    cairn_tensor_destroy(&tensor);
    drop(&c);
    cairn_source_destroy(&source);
}

/// Sizes say that no conversion can pay: what is allocated does not depend on the entries.
Test(auto_tensor, a_handful_of_products_looks_at_no_entry)
{
    cairn_source   *source = stencil();
    caller          c      = rows_of(source, 32, true);
    cairn_tensor   *tensor = borrow(&c);
    cairn_format   *format = NULL;
    cairn_auto_info info;

    choose(tensor, 4, &format, &info); /* measures the machine, and reads candidates */
    const int64_t blocks = live_blocks(context);
    const int64_t bytes  = choose(tensor, 4, &format, &info);

    cr_expect_null(format);
    cr_expect_eq(live_blocks(context), blocks);
    cr_expect_eq(info.share, 0);
    cr_expect_gt(info.candidates, 1);
    cr_expect_lt(bytes, c.n / 4, "%" PRId64, bytes);
    cairn_tensor_destroy(&tensor);
    drop(&c);
    cairn_source_destroy(&source);
}

/// What pays is found by counting in the caller's arrays, of which no copy is made.
static void check_many(int bits, bool ordered)
{
    cairn_source   *source = stencil();
    caller          c      = rows_of(source, bits, ordered);
    cairn_tensor   *tensor = borrow(&c), *made = NULL;
    cairn_format   *format = NULL;
    cairn_auto_info info;

    choose(tensor, 4, &format, &info);
    const int64_t bytes = choose(tensor, 100000, &format, &info);

    cr_assert(format, "%s; %s", info.why[0], info.why[1]);
    cr_expect(strstr(cairn_format_text(format), "d1-d0"), "%s",
              cairn_format_text(format));
    cr_expect_gt(info.share, 0);
    cr_expect_lt(bytes, 16 * c.n, "%" PRId64 " for %" PRId64, bytes, c.n);
    cr_expect(strstr(info.why[1], "what it is in"), "%s", info.why[1]);
    MUST(context, cairn_tensor_convert(tensor, format, &made));
    check_product(made, source);
    check_product(tensor, source);
    cairn_tensor_destroy(&made);
    cairn_format_destroy(&format);
    cairn_tensor_destroy(&tensor);
    drop(&c);
    cairn_source_destroy(&source);
}

Test(auto_tensor, many_products_convert_what_pays)
{
    check_many(32, true);
    check_many(64, true);
    check_many(32, false);
}

/// What is chosen for many products is chosen once: over what it was converted to, the
/// answer is to leave it.
Test(auto_tensor, what_was_chosen_is_left)
{
    cairn_source   *source[] = {stencil(), graph()};
    cairn_auto_info info;

    for (int k = 0; k < 2; k++) {
        caller        c      = rows_of(source[k], 32, true);
        cairn_tensor *tensor = borrow(&c), *made = NULL;
        cairn_format *format = NULL;

        choose(tensor, 100000, &format, &info);
        if (format) {
            MUST(context, cairn_tensor_convert(tensor, format, &made));
            cairn_format_destroy(&format);
            choose(made, 100000, &format, &info);
            cr_expect_null(format, "%s: %s; %s", cairn_format_text(format), info.why[0],
                           info.why[1]);
        }
        cairn_format_destroy(&format);
        cairn_tensor_destroy(&made);
        cairn_tensor_destroy(&tensor);
        drop(&c);
        cairn_source_destroy(&source[k]);
    }
}

/// Tensors in other formats: kept for some products, looked at for many.
Test(auto_tensor, other_formats_are_taken_back_for_many_products)
{
    cairn_source   *source = stencil();
    cairn_tensor   *tensor = must_store(context, source, "coo", CAIRN_F64);
    cairn_format   *format = NULL;
    cairn_auto_info info;

    choose(tensor, 99, &format, &info);
    cr_expect_null(format);
    cr_expect_eq(info.share, 0);
    choose(tensor, 100000, &format, &info);
    cr_assert(format, "%s; %s", info.why[0], info.why[1]);
    cr_expect(strstr(cairn_format_text(format), "d1-d0"), "%s",
              cairn_format_text(format));
    cr_expect_str_eq(info.candidate[0].format,
                     cairn_format_text(cairn_tensor_format(tensor)));
    cairn_format_destroy(&format);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/* ---- rows in lists as rows in entries ---- */

static void check_sample(const cairn_matrix_rows *lists,
                         const cairn_matrix_rows *entries,
                         int64_t                  wanted)
{
    cairn_sample one, other;

    MUST(context,
         cairn_sample_take(&context->env, lists, wanted, CAIRN_SAMPLE_GRAIN, &one));
    MUST(context,
         cairn_sample_take(&context->env, entries, wanted, CAIRN_SAMPLE_GRAIN, &other));
    cr_assert_eq(one.entries.n, other.entries.n);
    cr_expect_eq(memcmp(&one.shape, &other.shape, sizeof one.shape), 0);
    for (cairn_pos k = 0; k < one.entries.n; k++) {
        cr_assert_eq(one.entries.coord[0][k], other.entries.coord[0][k]);
        cr_assert_eq(one.entries.coord[1][k], other.entries.coord[1][k]);
        cr_assert_eq(one.entries.value[k], other.entries.value[k]);
    }
    cairn_sample_fini(&context->env, &one);
    cairn_sample_fini(&context->env, &other);
}

static void check_counts(cairn_source *source, int bits, bool ordered)
{
    caller                  c      = rows_of(source, bits, ordered);
    cairn_tensor           *tensor = borrow(&c);
    const cairn_matrix_rows entries =
        cairn_matrix_rows_of_entries(&source->entries, 0, c.rows, c.cols);
    cairn_matrix_rows lists;
    cairn_pattern     one, other;

    cr_assert(cairn_matrix_rows_of_local(tensor->local, &lists));
    cr_expect_eq(lists.ordered, ordered);
    MUST(context, cairn_pattern_count_rows(&context->env, &lists, &one));
    MUST(context, cairn_pattern_count_rows(&context->env, &entries, &other));
    if (ordered) cr_expect_eq(memcmp(&one, &other, sizeof one), 0);
    for (int64_t part = 1; part <= 64; part *= 4)
        check_sample(&lists, &entries, c.n / part);
    cairn_tensor_destroy(&tensor);
    drop(&c);
}

Test(auto_tensor, lists_are_counted_as_entries_are)
{
    const cairn_problem few = {
        .size = sizeof(cairn_problem), .rows = 500, .cols = 900, .density = 0.5};
    cairn_source *source[] = {stencil(), graph(), generate("pruned", few)};

    for (int k = 0; k < 3; k++) {
        check_counts(source[k], 32, true);
        check_counts(source[k], 64, true);
        check_counts(source[k], 32, false);
        cairn_source_destroy(&source[k]);
    }
}

/* ---- values as they are stored ---- */

/// A stencil whose values are of a set.
static cairn_source *stencil_of(narrow_set set)
{
    cairn_source *source = stencil();
    uint64_t      state  = 11;

    for (cairn_pos k = 0; k < source->entries.n; k++)
        source->entries.value[k] = narrow_value(&state, set);
    return source;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check_storage(const cairn_value_storage *a, const cairn_value_storage *b)
{
    cr_expect(a->kind == b->kind && a->bits == b->bits, "%s, not %s",
              cairn_value_storage_name(a->kind, a->bits),
              cairn_value_storage_name(b->kind, b->bits));
}

/// Rows of compressed lists in which values are stored as @p name says are what the entries
/// are: value by value, in samples, and in what would hold them.
static void check_stored(const char *name, narrow_set set, cairn_dtype dtype)
{
    const int     bits   = dtype == CAIRN_F32 ? 32 : 64;
    cairn_source *source = stencil_of(set);
    char          text[256];

    snprintf(text, sizeof text,
             "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
             "layout<val(%s)> }>",
             name);
    cairn_tensor           *tensor  = must_store(context, source, text, dtype);
    const cairn_layout     *layout  = tensor->local->group[0].layout;
    const cairn_matrix_rows entries = cairn_matrix_rows_of_entries(
        &source->entries, 0, source->shape.extent[0], source->shape.extent[1]);
    cairn_matrix_rows lists;

    cr_expect_str_eq(cairn_value_storage_name(layout->values.kind, layout->values.bits),
                     name);
    cr_assert(cairn_matrix_rows_of_local(tensor->local, &lists), "%s", text);
    cr_assert_eq(lists.n, entries.n);
    for (cairn_pos k = 0; k < lists.n; k++) {
        const double wanted = cairn_matrix_value(&entries, k);

        cr_assert(same_bits(cairn_matrix_value(&lists, k),
                            bits == 32 ? (double)(float)wanted : wanted),
                  "%s: %g, not %g", text, cairn_matrix_value(&lists, k), wanted);
    }
    if (bits == 64) check_sample(&lists, &entries, lists.n / 3);
    const cairn_value_widths seen   = cairn_value_widths_look(&lists, bits, true),
                             wanted = cairn_value_widths_look(&entries, bits, true);

    cr_expect_eq(seen.one, wanted.one);
    check_storage(&seen.with_zeros, &wanted.with_zeros);
    check_storage(&seen.exact, &wanted.exact);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(auto_tensor, lists_have_their_values_however_they_are_stored)
{
    static const struct {
        const char *name;
        narrow_set  set;
        bool        both; ///< Of f32, too.
    } stored[] = {
        {"iso",    NARROW_PATTERN, true },
        {"iso",    NARROW_ONE,     true },
        {"i8",     NARROW_I8,      true },
        {"i8",     NARROW_PATTERN, true },
        {"i16",    NARROW_I16,     true },
        {"f16",    NARROW_F16,     true },
        {"bf16",   NARROW_BF16,    true },
        {"f32",    NARROW_F32,     true },
        {"dict8",  NARROW_FEW,     true },
        {"dict16", NARROW_FEW,     true },
        {"f64",    NARROW_MIXED,   false},
    };

    for (size_t k = 0; k < sizeof stored / sizeof *stored; k++) {
        check_stored(stored[k].name, stored[k].set, CAIRN_F64);
        if (stored[k].both) check_stored(stored[k].name, stored[k].set, CAIRN_F32);
    }
}

/// Narrow compressed rows are looked at where they lie, as wide ones are: no copy is made,
/// and what they are compared with is what they are stored in.
Test(auto_tensor, narrow_lists_are_looked_at_where_they_lie)
{
    static const narrow_set  sets[]  = {NARROW_PATTERN, NARROW_I8, NARROW_I16,
                                        NARROW_F32};
    static const char *const names[] = {"i8", "i8", "i16", "f32"}; /* beside zeros */

    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        cairn_source   *source = stencil_of(sets[k]);
        cairn_format   *format = NULL;
        cairn_auto_info info;

        source->narrows      = true; /* as those from files do */
        cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

        cr_assert(cairn_local_is_narrow(tensor->local));
        choose(tensor, 4, &format, &info);
        cr_expect_null(format);
        const int64_t bytes = choose(tensor, 1000000, &format, &info);

        cr_expect_lt(bytes, 16 * source->entries.n, "%" PRId64, bytes);
        cr_expect_gt(info.share, 0);
        cr_assert(format, "%s; %s", info.why[0], info.why[1]);
        cr_expect_str_eq(info.values, names[k], "set %zu: %s in %s", k, info.values,
                         cairn_format_text(format));
        cairn_format_destroy(&format);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
}

/// What conversions find out about a format is found again, since lists of a kind have one
/// format, and one layout while extents stay.
Test(auto_tensor, lists_of_a_kind_have_one_format)
{
    cairn_source *source[] = {stencil(), graph()};
    caller        c = rows_of(source[0], 32, true), wide = rows_of(source[0], 64, true),
           other        = rows_of(source[1], 32, true);
    cairn_tensor *first = borrow(&c), *second = borrow(&c);
    cairn_tensor *apart = borrow(&wide), *third = borrow(&other);

    cr_expect_eq(first->format, second->format);
    cr_expect_eq(first->local->group[0].layout, second->local->group[0].layout);
    cr_expect_eq(first->format, third->format);
    cr_expect_neq(first->local->group[0].layout, third->local->group[0].layout);
    cr_expect_neq(first->format, apart->format);
    check_product(second, source[0]);
    check_product(third, source[1]);
    cairn_tensor_destroy(&first);
    cairn_tensor_destroy(&second);
    cairn_tensor_destroy(&third);
    cairn_tensor_destroy(&apart);
    drop(&c);
    drop(&wide);
    drop(&other);
    for (int k = 0; k < 2; k++)
        cairn_source_destroy(&source[k]);
}
