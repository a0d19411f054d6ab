// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values for members that are stored in narrow types: in place where the type holds
/// them, else as wide as the tensor's type; always those of a tensor that is wide.

#include "api/api.h"
#include "emit/prebuilt.h"
#include "support/narrow_values.h"
#include "support/suite_context.h"

enum { N = 30000, BAND = 3, MOST = N * BAND + 2 };

TestSuite(narrow_update, .init = context_up, .fini = context_down);

/// Three diagonals that wrap around, the last row with two entries twice where `shared`.
typedef struct {
    int32_t ptr[N + 1], idx[MOST];
    double  val[MOST];
    int     n;
} matrix;

static void make_pattern(matrix *a, bool shared)
{
    a->n = 0;
    for (int i = 0; i < N; i++) {
        a->ptr[i] = a->n;
        for (int t = 0; t < BAND; t++)
            a->idx[a->n++] = (i + t * 7) % N;
    }
    for (int t = 0; t < 2 && shared; t++)
        a->idx[a->n++] = (N - 1 + t * 7) % N;
    a->ptr[N] = a->n;
}

static cairn_tensor *must_take(const matrix *a, cairn_dtype dtype, const char *text)
{
    static float  single[MOST];
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;

    for (int k = 0; k < a->n; k++)
        single[k] = (float)a->val[k];
    MUST(context, cairn_format_create(context, text, &format));
    cr_assert_eq(
        cairn_tensor_from_csr(context, N, N, 0, N, a->ptr, 32, a->idx, 32,
                              dtype == CAIRN_F32 ? (void *)single : (void *)a->val,
                              dtype, CAIRN_COPY, format, &tensor),
        CAIRN_OK, "%s: %s", text, cairn_context_message(context));
    cairn_format_destroy(&format);
    return tensor;
}

static void
expect_same_values(const cairn_tensor *a, const cairn_tensor *b, const char *what)
{
    cr_assert_eq(a->local->parts, b->local->parts);
    for (int64_t p = 0; p < a->local->parts; p++) {
        const cairn_kernel_part *v = &a->local->part[p].view,
                                *w = &b->local->part[p].view;

        cr_assert_eq(v->values, w->values);
        for (int64_t k = 0; k < v->values; k++) {
            const double x = cairn_value_get(v, k), y = cairn_value_get(w, k);

            cr_assert_eq(memcmp(&x, &y, sizeof x), 0, "%s: value %d: %a, not %a", what,
                         (int)k, x, y);
        }
    }
}

static void update(cairn_tensor *tensor, const matrix *a)
{
    static float single[MOST];

    for (int k = 0; k < a->n; k++)
        single[k] = (float)a->val[k];
    MUST(context,
         cairn_tensor_update(tensor, tensor->dtype == CAIRN_F32 ? (void *)single
                                                                : (void *)a->val));
}

/// Which values come, after those of the set.
typedef struct {
    narrow_set first;
    double     scale, more; ///< New ones are value * scale, one of them `more`.
    bool       narrow;      ///< The first member is narrow then.
} step;

static bool is_narrow(const cairn_tensor *tensor)
{
    return !cairn_layout_is_wide(tensor->local->group[0].layout);
}

static const char *const texts[] = {
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<trim(0,1)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0/2,d1/2,d0%2,d1%2)>, mutation<merge(0), "
    "trim(1,1)> "
    "}>",
    "#encoding<{ idx_map<(d0,d1)->(d1,d0)>, mutation<merge(0), trim(1,1)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0/64,d1-d0,d0%64)>, mutation<trim(0,1)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d1-d0,d0)>, mutation<trim(0,0)> }>",
};

enum { TEXTS = sizeof texts / sizeof *texts };

static void check(const char *plain, const step *s, cairn_dtype dtype, bool shared)
{
    static matrix a;
    uint64_t      state = 5;
    char          text[RANDOM_FORMAT];

    strcpy(text, plain);
    narrow_text(text, "exact");
    make_pattern(&a, shared);
    for (int k = 0; k < a.n; k++)
        a.val[k] = narrow_value(&state, s->first);
    cairn_tensor *narrow = must_take(&a, dtype, text),
                 *wide   = must_take(&a, dtype, plain);

    cr_assert(is_narrow(narrow), "%s", text);
    expect_same_values(narrow, wide, text);
    for (int k = 0; k < a.n; k++)
        a.val[k] *= s->scale;
    a.val[N / 2] = s->more;
    update(narrow, &a);
    update(wide, &a);
    expect_same_values(narrow, wide, text);
    cr_assert_eq(is_narrow(narrow), s->narrow, "set %d to %g: %s", (int)s->first,
                 s->more, text);
    update(narrow, &a);
    expect_same_values(narrow, wide, text);
    cairn_tensor_destroy(&narrow);
    cairn_tensor_destroy(&wide);
}

Test(narrow_update, values_that_fit_go_in_place_and_others_widen, .timeout = 300)
{
    static const step steps[] = {
        {NARROW_I8,  -1,   100,                     false}, /* -128 becomes 128 */
        {NARROW_I8,  0.5,  3,                       false},
        {NARROW_I8,  1,    -7,                      true },
        {NARROW_I8,  1,    -0.0,                    false},
        {NARROW_I8,  1,    9007199254740992.0,      false},
        {NARROW_I8,  1,    4.9406564584124654e-324, false},
        {NARROW_I16, 1,    -32768,                  true },
        {NARROW_I16, 1,    32768,                   false},
        {NARROW_FEW, 2,    0.5,                     true },
        {NARROW_FEW, 0.1,  -0.0,                    true },
        {NARROW_FEW, 1,    4.9406564584124654e-324, true },
        {NARROW_F32, 0.25, -0.0,                    true },
        {NARROW_F32, 0.1,  1,                       false},
        {NARROW_F32, 1,    16777217,                false},
    };

    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        for (int t = 0; t < TEXTS; t++)
            check(texts[t], &steps[k], CAIRN_F64, false);
}

Test(narrow_update, entries_that_are_given_twice_are_added, .timeout = 300)
{
    static const step fits   = {NARROW_I8, 1, 5, true},
                      widens = {NARROW_I8, 1, 0.5, false};

    for (int t = 0; t < TEXTS; t++) {
        check(texts[t], &fits, CAIRN_F64, true);
        check(texts[t], &widens, CAIRN_F64, true);
    }
}

Test(narrow_update, f32_values_fit_as_well)
{
    static const step steps[] = {
        {NARROW_I8,  1,   -7,  true },
        {NARROW_I8,  0.5, 3,   false},
        {NARROW_I16, 1,   -7,  true },
        {NARROW_FEW, 2,   0.5, true },
    };
    static const step one = {NARROW_ONE, 2, -7.25, true};

    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        for (int t = 0; t < TEXTS; t++)
            check(texts[t], &steps[k], CAIRN_F32, false);
    check(texts[0], &one, CAIRN_F32, false);
}

Test(narrow_update, one_value_stays_one_where_all_become_another)
{
    static const step same  = {NARROW_ONE, 2, -7.25, true},
                      other = {NARROW_ONE, 2, 1, false};

    check(texts[0], &same, CAIRN_F64, false);
    check(texts[1], &same, CAIRN_F64, false);
    check(texts[0], &other, CAIRN_F64, false);
}

Test(narrow_update, the_payload_of_a_nan_is_kept)
{
    static matrix  a;
    const uint64_t bits = 0x7ff4deadbeef0001;
    char           text[RANDOM_FORMAT];

    strcpy(text, texts[0]);
    narrow_text(text, "exact");
    make_pattern(&a, false);
    for (int k = 0; k < a.n; k++)
        a.val[k] = k % 200 + 0.1; /* fewer than 256 words */
    cairn_tensor *tensor = must_take(&a, CAIRN_F64, text);

    cr_assert(is_narrow(tensor));
    memcpy(&a.val[17], &bits, sizeof bits);
    update(tensor, &a);
    cr_assert(is_narrow(tensor));
    const double kept = cairn_value_get(&tensor->local->part[0].view, 17);

    cr_assert_eq(memcmp(&kept, &bits, sizeof bits), 0);
    for (int k = 0; k < a.n; k++)
        a.val[k] = k + 0.1;
    update(tensor, &a); /* too many words */
    cr_assert_not(is_narrow(tensor));
    memcpy(&a.val[17], &bits, sizeof bits);
    update(tensor, &a);
    const double wide = cairn_value_get(&tensor->local->part[0].view, 17);

    cr_assert_eq(memcmp(&wide, &bits, sizeof bits), 0);
    cairn_tensor_destroy(&tensor);
}

/* ---- without a compiler ---- */

/// A product with what was taken in one of two texts, its plan's note checked.
static void
multiply(cairn_tensor *tensor, cairn_plan **plan, const char *note, double *y)
{
    cairn_plan_part *parts;
    int64_t          count;
    static double    x[N];

    for (int i = 0; i < N; i++)
        x[i] = (i % 97 + 1) / 97.0;
    if (!*plan) MUST(context, cairn_plan_create_spmv(tensor, plan));
    MUST(context, cairn_plan_run(*plan, x, y));
    MUST(context, cairn_plan_parts(*plan, &count, &parts));
    cr_assert_str_eq(parts[0].route, "prebuilt");
    cr_assert_str_eq(parts[0].note, note);
    cairn_plan_parts_free(*plan, &parts);
}

/// The narrow text's products have the wide one's bits, before and after an update.
static void check_products(const char *type, narrow_set set, const char *note)
{
    static matrix a;
    static double y[2][N];
    uint64_t      state = 7;
    char          text[RANDOM_FORMAT];
    cairn_plan   *plan[2] = {NULL, NULL};

    strcpy(text, texts[0]);
    narrow_text(text, type);
    make_pattern(&a, false);
    for (int k = 0; k < a.n; k++)
        a.val[k] = narrow_value(&state, set);
    cairn_tensor *tensor[2] = {must_take(&a, CAIRN_F64, text),
                               must_take(&a, CAIRN_F64, texts[0])};

    for (int again = 0; again < 3; again++) {
        for (int k = 0; k < 2; k++)
            multiply(tensor[k], &plan[k], k == 0 && again < 2 ? note : "", y[k]);
        cr_assert_arr_eq(y[0], y[1], sizeof y[0], "%s, run %d", type, again);
        a.val[3] = again == 0 ? a.val[4] : 0.1; /* which fits, and then not */
        for (int k = 0; k < 2; k++)
            update(tensor[k], &a);
        cr_assert_eq(is_narrow(tensor[0]), again == 0);
    }
    for (int k = 0; k < 2; k++) {
        cairn_plan_destroy(&plan[k]);
        cairn_tensor_destroy(&tensor[k]);
    }
}

Test(narrow_update, what_has_no_kernel_runs_on_a_wide_copy)
{
    cairn_context *others = context;

    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    setenv("CAIRN_CC", "/nowhere/cc", 1);
    setenv("CAIRN_CACHE", "none", 1);
    MUST(NULL, cairn_context_create(&context));
    check_products("i8", NARROW_I8, "");
    check_products("exact", NARROW_F16, "values widened to f64"); /* f16 */
    cairn_context_destroy(&context);
    context = others;
}
