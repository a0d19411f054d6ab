// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values for an old pattern: the same bytes as a tensor made with them, and nothing
/// written beside them.

#include "api/api.h"
#include "api/arrays/solver_rows.h"
#include "support/api.h"
#include "support/arrays.h"
#include "support/every_format.h"
#include "support/random_format.h"
#include "support/seed.h"

enum { MOST = 400, ORDERS = 3, CASES = 1000, SIDE = 20000, BAND = 7 };

static cairn_context *context;
static int64_t        blocks_before;

static void up(void)
{
    blocks_before = must_start(&context);
}

static void down(void)
{
    must_end(&context, blocks_before);
}

TestSuite(refill, .init = up, .fini = down, .timeout = 900);

/* ---- any format, any order ---- */

/// Entries of a caller's, in no order, some of them twice or more.
typedef struct {
    int         order;
    int64_t     extent[ORDERS], n;
    int64_t     coord[ORDERS][MOST];
    double      value[MOST];
    float       narrow[MOST];
    cairn_dtype dtype;
} list;

static void draw_values(uint64_t *state, list *l)
{
    for (int64_t p = 0; p < l->n; p++) {
        l->value[p]  = (double)(1 + random_below(state, 1000)) / 7;
        l->narrow[p] = (float)l->value[p];
    }
}

static void draw(uint64_t *state, list *l)
{
    const bool repeats = random_chance(state, 50);

    l->order = random_chance(state, 70) ? 2 : 1 + random_below(state, ORDERS);
    l->dtype = random_chance(state, 30) ? CAIRN_F32 : CAIRN_F64;
    l->n     = 0;
    for (int k = 0; k < l->order; k++)
        l->extent[k] = 1 + random_below(state, 25);
    const int wanted = random_chance(state, 4) ? 0 : random_below(state, MOST);

    for (int tries = 0; tries < wanted; tries++) {
        for (int k = 0; k < l->order; k++)
            l->coord[k][l->n] = random_below(state, (int)l->extent[k]);
        bool there = false;

        for (int64_t p = 0; p < l->n && !there; p++) {
            there = true;
            for (int k = 0; k < l->order; k++)
                there = there && l->coord[k][p] == l->coord[k][l->n];
        }
        l->n += repeats || !there;
    }
    draw_values(state, l);
}

static const void *values_of(const list *l)
{
    return l->dtype == CAIRN_F32 ? (const void *)l->narrow : l->value;
}

static cairn_status
make(const list *l, const char *text, bool updates, cairn_tensor **made)
{
    cairn_coords  c      = CAIRN_COORDS;
    cairn_format *format = must_format(context, text);

    c.order   = l->order;
    c.entries = l->n;
    for (int k = 0; k < l->order; k++) {
        c.extent[k] = l->extent[k];
        c.idx[k]    = l->coord[k];
    }
    c.val     = values_of(l);
    c.dtype   = l->dtype;
    c.updates = updates;
    const cairn_status status =
        cairn_tensor_from_coords(context, &c, CAIRN_COPY, format, made);

    cairn_format_destroy(&format);
    return status;
}

static void
expect_same(cairn_tensor *a, cairn_tensor *b, const char *text, uint64_t seed)
{
    static parts_seen x, y;

    parts_get(context, a, &x);
    parts_get(context, b, &y);
    cr_assert(parts_same(&x, &y), "seed %" PRIu64 ": %s", seed, text);
    parts_restore(context, a, &x);
    parts_restore(context, b, &y);
}

/// The same entries by rows, each row in the list's order, repeats among them. @p from:
/// where each value is in the list.
static void by_rows(const list *l, int64_t *ptr, int64_t *idx, int64_t *from)
{
    int64_t n = 0;

    for (int64_t i = 0; i < l->extent[0]; i++) {
        ptr[i] = n;
        for (int64_t p = 0; p < l->n; p++)
            if (l->coord[0][p] == i) {
                from[n]  = p;
                idx[n++] = l->coord[1][p];
            }
    }
    ptr[l->extent[0]] = n;
}

/// Rows of @p old, updated with the values of @p fresh.
static cairn_tensor *update_rows(const list *old, const list *fresh, const char *text)
{
    int64_t       ptr[26], idx[MOST], from[MOST];
    double        val[MOST];
    float         narrow[MOST];
    cairn_format *format = must_format(context, text);
    cairn_tensor *made   = NULL;
    const bool    is_f32 = old->dtype == CAIRN_F32;

    by_rows(old, ptr, idx, from);
    for (int64_t k = 0; k < old->n; k++)
        val[k] = narrow[k] = old->narrow[from[k]];
    MUST(context, cairn_tensor_from_csr(context, old->extent[0], old->extent[1], 0,
                                        old->extent[0], ptr, 64, idx, 64,
                                        is_f32 ? (void *)narrow : val, old->dtype,
                                        CAIRN_COPY, format, &made));
    for (int64_t k = 0; k < old->n; k++) {
        val[k]    = fresh->value[from[k]];
        narrow[k] = fresh->narrow[from[k]];
    }
    MUST(context, cairn_tensor_update(made, is_f32 ? (void *)narrow : val));
    cairn_format_destroy(&format);
    return made;
}

/// @return false: no tensor has this format.
static bool check(uint64_t seed)
{
    static list   old, fresh;
    char          text[RANDOM_FORMAT];
    uint64_t      state = seed;
    cairn_tensor *made = NULL, *again = NULL;

    draw(&state, &old);
    fresh = old;
    draw_values(&state, &fresh);
    random_format(&state, old.order, text, sizeof text);
    if (random_chance(&state, 20) && old.order == 2)
        strcpy(text, formats[random_below(&state, FORMATS)]);
    if (random_compares_values(text)) return false;
    if (make(&old, text, true, &made) != CAIRN_OK) {
        cr_expect(strlen(cairn_context_message(context)) > 0);
        return false;
    }
    if (made->local->parts >= ARRAYS_PARTS) { /* more than are compared */
        cairn_tensor_destroy(&made);
        return false;
    }
    cr_assert_eq(make(&fresh, text, false, &again), CAIRN_OK, "seed %" PRIu64, seed);
    MUST(context, cairn_tensor_update(made, values_of(&fresh)));
    expect_same(made, again, text, seed);
    MUST(context, cairn_tensor_update(made, values_of(&old)));
    MUST(context, cairn_tensor_update(made, values_of(&fresh)));
    expect_same(made, again, text, seed);
    cairn_tensor_destroy(&made);
    if (old.order == 2) {
        made = update_rows(&old, &fresh, text);
        expect_same(made, again, text, seed);
        cairn_tensor_destroy(&made);
    }
    cairn_tensor_destroy(&again);
    return true;
}

Test(refill, has_the_bytes_of_a_fresh_conversion_in_random_formats)
{
    int good = 0;

    for (uint64_t k = 0; good < CASES; k++) {
        cr_assert_lt(k, 8 * CASES, "only %d formats are good", good);
        good += check(seed_clock() * 1000003 + k);
    }
}

/* ---- nothing else is written ---- */

/// A band of values: rows of BAND entries; with gaps, of every third row one less.
typedef struct {
    int64_t ptr[SIDE + 1];
    int32_t idx[SIDE * BAND];
    double  val[SIDE * BAND];
    int64_t n;
} band;

static void make_band(band *b, bool gaps)
{
    static const int offset[BAND] = {-900, -30, -1, 0, 1, 30, 900};

    b->n = 0;
    for (int i = 0; i < SIDE; i++) {
        b->ptr[i] = b->n;
        for (int t = 0; t < BAND; t++) {
            const int j = i + offset[t];

            if (j < 0 || j >= SIDE || (gaps && i % 3 == 0 && t == 5)) continue;
            b->idx[b->n]   = j;
            b->val[b->n++] = 1 + (double)((i * 31 + t) % 1009) / 1024;
        }
    }
    b->ptr[SIDE] = b->n;
}

static cairn_tensor *take(const band *b, const char *text, cairn_status status)
{
    cairn_format *format = must_format(context, text);
    cairn_tensor *made   = NULL;

    cr_expect_eq(cairn_tensor_from_csr(context, SIDE, SIDE, 0, SIDE, b->ptr, 64, b->idx,
                                       32, b->val, CAIRN_F64, CAIRN_COPY, format,
                                       &made),
                 status, "%s: %s", text, cairn_context_message(context));
    cairn_format_destroy(&format);
    return made;
}

static const char *const big[] = {
    "csr",       "csc",       "coo",      "ell",  "dia",     "sell<4>",
    "bcsr<3,3>", "bcsr<4,4>", "bdia<64>", "dcsr", "cisr<4>", "hybrid<dia,csr,0.9>"};

enum { BIG = sizeof big / sizeof *big };

static const double mark = 12345.0;

/// Turn every bit of the indices, and mark every value that is 0. @return How many are.
static int64_t spoil(cairn_tensor *tensor)
{
    int64_t marked = 0;

    for (int64_t p = 0; p < tensor->local->parts; p++) {
        cairn_kernel_part *view = &tensor->local->part[p].view;

        for (int l = 0; l < view->levels; l++) {
            const cairn_kernel_level *level = &view->level[l];

            for (int64_t k = 0; k < level->ptr_length * level->ptr_bits / 8; k++)
                ((uint8_t *)(uintptr_t)level->ptr)[k] ^= 0xff;
            for (int64_t k = 0; k < level->idx_length; k++)
                for (int b = 0; b < level->idx_bits / 8; b++)
                    ((uint8_t *)(uintptr_t)level->idx)[k * level->idx_stride + b] ^=
                        0xff;
        }
        for (int64_t v = 0; v < view->values; v++)
            if (cairn_value_get(view, v) == 0) {
                cairn_value_set(view, v, mark);
                marked++;
            }
    }
    return marked;
}

/// Once more, and what was marked, and only that, is still so.
static int64_t unspoil(cairn_tensor *tensor)
{
    int64_t marked = 0;

    for (int64_t p = 0; p < tensor->local->parts; p++) {
        cairn_kernel_part *view = &tensor->local->part[p].view;

        for (int64_t v = 0; v < view->values; v++)
            if (cairn_value_get(view, v) == mark) {
                cairn_value_set(view, v, 0);
                marked++;
            }
    }
    spoil(tensor); /* indices are what they were: bits are turned twice */
    for (int64_t p = 0; p < tensor->local->parts; p++)
        for (int64_t v = 0; v < tensor->local->part[p].view.values; v++)
            if (cairn_value_get(&tensor->local->part[p].view, v) == mark)
                cairn_value_set(&tensor->local->part[p].view, v, 0);
    return marked;
}

Test(refill, writes_no_index_and_no_padding)
{
    static band b;

    make_band(&b, true);
    for (int k = 0; k < BIG; k++) {
        cairn_tensor *made = take(&b, big[k], CAIRN_OK);

        MUST(context, cairn_tensor_update(made, b.val));
        for (int64_t p = 0; p < b.n; p++)
            b.val[p] *= 1.25;
        cairn_tensor *fresh  = take(&b, big[k], CAIRN_OK);
        const int64_t marked = spoil(made);

        MUST(context, cairn_tensor_update(made, b.val));
        cr_expect_eq(unspoil(made), marked, "%s", big[k]);
        expect_same(made, fresh, big[k], 0);
        cairn_tensor_destroy(&fresh);
        cairn_tensor_destroy(&made);
    }
}

Test(refill, is_the_same_on_any_number_of_threads)
{
    static band b;

    make_band(&b, true);
    for (int k = 0; k < BIG; k++) {
        cairn_tensor *made = take(&b, big[k], CAIRN_OK);

        MUST(context, cairn_tensor_update(made, b.val));
        for (int64_t p = 0; p < b.n; p++)
            b.val[p] *= 0.75;
        cairn_tensor *fresh = take(&b, big[k], CAIRN_OK);

        for (int threads = 1; threads <= 4; threads++) {
            MUST(context, cairn_context_set_threads(context, threads));
            MUST(context, cairn_tensor_update(made, b.val));
            expect_same(made, fresh, big[k], (uint64_t)threads);
        }
        cairn_tensor_destroy(&fresh);
        cairn_tensor_destroy(&made);
    }
}

/* ---- memory ---- */

/// A plan's bytes, for each entry, in hundredths; the tensor's own copy of ptr and idx goes.
Test(refill, keeps_few_bytes_an_entry)
{
    static const struct {
        const char *text;
        int         most;
    } cases[] = {
        {"csr",       1  },
        {"dcsr",      1  },
        {"coo",       1  },
        {"csc",       210}, /* of 16 bits */
        {"dia",       410},
        {"ell",       410},
        {"bcsr<3,3>", 210},
        {"bdia<64>",  210},
    };
    static band b;

    make_band(&b, true);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cairn_tensor *made  = take(&b, cases[k].text, CAIRN_OK);
        const int64_t copy  = (SIDE + 1) * 8 + b.n * 4;
        const int64_t first = live_bytes(context) - copy;

        MUST(context, cairn_tensor_update(made, b.val));
        const int64_t plan = live_bytes(context) - first;

        cr_expect_leq(100 * plan, b.n * cases[k].most + 100000, "%s: %" PRId64 " bytes",
                      cases[k].text, plan);
        context->env.allowed = 0; /* the next one allocates nothing */
        MUST(context, cairn_tensor_update(made, b.val));
        context->env.allowed = -1;
        cairn_tensor_destroy(&made);
    }
}

/// In which order values are moved: what is listed is where they go, or where they are from.
/// Of blocks of diagonals without gaps that is the order in which they are stored.
Test(refill, writes_blocks_of_diagonals_one_after_the_other)
{
    static const struct {
        const char *text;
        bool        gaps, places, sources;
    } cases[] = {
        {"csr",      false, false, false},
        {"csc",      false, false, true },
        {"dia",      false, true,  false},
        {"bdia<64>", false, false, true },
        {"bdia<64>", true,  true,  false},
    };
    static band b;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        make_band(&b, cases[k].gaps);
        cairn_tensor *made = take(&b, cases[k].text, CAIRN_OK);

        MUST(context, cairn_tensor_update(made, b.val));
        const cairn_refill_plan *plan = made->refill->plan;

        cr_expect_eq(plan->lists, 1, "case %zu", k);
        cr_expect_eq(plan->list->place != NULL, cases[k].places, "case %zu", k);
        cr_expect_eq(plan->list->source != NULL, cases[k].sources, "case %zu", k);
        cairn_tensor_destroy(&made);
    }
}

static const int64_t i2[] = {0, 1, 1, 0, 2}, j2[] = {0, 0, 1, 0, 1};

/// Coordinates with one entry twice.
static void describe(cairn_coords *c, const double *val)
{
    *c           = (cairn_coords)CAIRN_COORDS;
    c->extent[0] = 3;
    c->extent[1] = 2;
    c->entries   = 5;
    c->idx[0]    = i2;
    c->idx[1]    = j2;
    c->val       = val;
    c->updates   = true;
}

Test(refill, goes_on_after_any_allocation_that_fails)
{
    static const double old[] = {1, 2, 3, 4, 5}, val[] = {10, 20, 30, 40, 50};
    cairn_format       *format = must_format(context, "csc");
    cairn_coords        c;
    bool                enough = false;

    describe(&c, old);
    for (long allowed = 0; !enough; allowed++) {
        cairn_tensor *made = NULL;

        context->env.allowed = allowed;
        const cairn_status status =
            cairn_tensor_from_coords(context, &c, CAIRN_COPY, format, &made);

        enough               = status == CAIRN_OK;
        context->env.allowed = -1;
        cr_assert(enough || (status == CAIRN_NO_MEMORY && !made), "%ld", allowed);
        cr_assert_lt(allowed, 5000, "never succeeds");
        if (enough) MUST(context, cairn_tensor_update(made, val));
        cairn_tensor_destroy(&made);
    }
    static const int64_t ptr[] = {0, 2, 4, 5}, idx[] = {0, 0, 0, 1, 1};

    for (long allowed = 0; allowed == 0 || !enough; allowed++) {
        cairn_tensor *made = NULL;

        MUST(context, cairn_tensor_from_csr(context, 3, 2, 0, 3, ptr, 64, idx, 64, old,
                                            CAIRN_F64, CAIRN_COPY, format, &made));
        context->env.allowed = allowed;
        enough               = cairn_tensor_update(made, val) == CAIRN_OK;
        context->env.allowed = -1;
        MUST(context, cairn_tensor_update(made, val));
        double *y = must_multiply(context, made);

        cr_expect_float_eq(y[0], 30 * ramp(0), 1e-13);
        cr_expect_float_eq(y[1], 30 * ramp(0) + 40 * ramp(1), 1e-13);
        free(y);
        cairn_tensor_destroy(&made);
    }
    cairn_format_destroy(&format);
}

Test(refill, of_coordinates_needs_a_word_beforehand)
{
    static const double val[]  = {1, 2, 3, 4, 5};
    cairn_format       *format = must_format(context, "csr");
    cairn_tensor       *made   = NULL;
    cairn_coords        c;

    describe(&c, val);
    c.updates = false;
    MUST(context, cairn_tensor_from_coords(context, &c, CAIRN_COPY, format, &made));
    REFUSED(context, BAD_ARGUMENT, "for updates", cairn_tensor_update(made, val));
    cairn_tensor_destroy(&made);
    c.updates = true;
    MUST(context, cairn_tensor_from_coords(context, &c, CAIRN_COPY, format, &made));
    REFUSED(context, BAD_ARGUMENT, "val", cairn_tensor_update(made, NULL));
    MUST(context, cairn_tensor_update(made, val));
    cairn_tensor_destroy(&made);
    cairn_format_destroy(&format);
}
