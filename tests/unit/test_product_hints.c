// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a part says of how its product may be made faster: whether the last columns of
/// rows follow each other, whether rows are of different lengths, whether their columns
/// follow each other or are those of the row before, and what follows from that.

#include "emit/c.h"
#include "support/product_case.h"

enum { ROWS = 25600, SIDE = 160 };

static void add(product_case *c, cairn_coord i, cairn_coord j)
{
    const cairn_coord d[2] = {i, j};

    if (j < 0 || j >= ROWS) return;
    cr_assert_eq(cairn_entries_add(&c->env, &c->entries, d, 1), CAIRN_OK);
}

/// Three diagonals.
static void band(product_case *c)
{
    for (cairn_coord i = 0; i < ROWS; i++)
        for (cairn_coord j = i - 1; j <= i + 1; j++)
            add(c, i, j);
}

/// Five points on a grid of SIDE x SIDE: a row in SIDE has no neighbour on the right.
static void grid(product_case *c)
{
    for (cairn_coord i = 0; i < ROWS; i++) {
        add(c, i, i - SIDE);
        if (i % SIDE > 0) add(c, i, i - 1);
        add(c, i, i);
        if (i % SIDE < SIDE - 1) add(c, i, i + 1);
        add(c, i, i + SIDE);
    }
}

static void scattered(product_case *c)
{
    for (cairn_coord i = 0; i < ROWS; i++) {
        const cairn_coord first = random_below(&c->state, ROWS / 2);

        add(c, i, first);
        add(c, i, first + 1 + random_below(&c->state, ROWS / 2 - 1));
    }
}

/// Rows of one to nine entries, in no order.
static void ragged(product_case *c)
{
    for (cairn_coord i = 0; i < ROWS; i++) {
        const cairn_coord n     = 1 + random_below(&c->state, 9),
                          first = i * 7 % (ROWS / 2);

        for (cairn_coord k = 0; k < n; k++)
            add(c, i, first + 3 * k);
    }
}

/// Rows of @p least entries and up to 20 more, @p alike next to each other of one length.
static void rows_of_length(product_case *c, cairn_coord least, cairn_coord alike)
{
    cairn_coord n = 0;

    for (cairn_coord i = 0; i < ROWS; i++) {
        if (i % alike == 0) n = least + random_below(&c->state, 21);
        for (cairn_coord k = 0; k < n; k++)
            add(c, i, i * 7 % (ROWS / 2) + 3 * k);
    }
}

static void short_in_threes(product_case *c)
{
    rows_of_length(c, 5, 3);
}

/// What is won at every third end is lost on the way there.
static void long_in_threes(product_case *c)
{
    rows_of_length(c, 40, 3);
}

static void long_ragged(product_case *c)
{
    rows_of_length(c, 40, 1);
}

/// Too few rows have entries to say.
static void nearly_nothing(product_case *c)
{
    add(c, 5, 5);
    add(c, 6, 6);
}

/// Ten entries in a row, side by side but for one in @p apart rows, where every other
/// column has one.
static void side_by_side(product_case *c, cairn_coord apart)
{
    for (cairn_coord i = 0; i < ROWS; i++)
        for (cairn_coord k = 0; k < 10; k++)
            add(c, i, i % apart == 0 ? i - 5 + 2 * k : i - 5 + k);
}

static void broad(product_case *c)
{
    side_by_side(c, ROWS);
}

/// So few rows are learned, and half of them are enough.
static void broad_at_times(product_case *c)
{
    side_by_side(c, 2);
}

static void spread(product_case *c)
{
    side_by_side(c, 1);
}

/// Rows of @p n entries, @p rows next to each other in the same columns but for one of @p
/// apart rows, whose last column is another.
static void meshes(product_case *c, cairn_coord n, cairn_coord rows, cairn_coord apart)
{
    for (cairn_coord i = 0; i < ROWS; i++)
        for (cairn_coord k = 0; k < n; k++)
            add(c, i,
                i / rows * 7 % (ROWS / 2) + 3 * k + (k == n - 1 && i % apart == 0));
}

static void in_threes(product_case *c)
{
    meshes(c, 20, 3, ROWS);
}

static void in_pairs(product_case *c)
{
    meshes(c, 10, 2, ROWS);
}

static void short_in_pairs(product_case *c)
{
    meshes(c, 3, 2, ROWS);
}

/// Rows are as long as the ones before them, and have all columns but one.
static void nearly_in_pairs(product_case *c)
{
    meshes(c, 10, 2, 2);
}

/// Nine in ten rows are like the one before, and would be runs, or of uneven lengths.
static void broad_in_tens(product_case *c)
{
    for (cairn_coord i = 0; i < ROWS; i++)
        for (cairn_coord k = 0; k < 8 + i / 10 % 9; k++)
            add(c, i, i / 10 * 10 + k);
}

static void nothing(product_case *c)
{
    (void)c;
}

static const struct {
    void (*fill)(product_case *c);
    const char *format;
    int         columns;
    bool        follows, uneven, runs, alike;
} wanted[] = {
    {band,            "csr",       0, true,  false, false, false},
    {band,            "csr",       1, false, false, false, false},
    {band,            "lil",       0, true,  false, false, false},
    {band,            "dcsr",      0, true,  false, false, false},
    {band,            "bdia<16>",  0, true,  false, false, false},
    {band,            "coo",       0, false, false, false, false},
    {band,            "sell<8>",   0, false, false, false, false},
    {grid,            "csr",       0, true,  false, false, false},
    {grid,            "csr",       1, false, false, false, false},
    {scattered,       "csr",       0, false, false, false, false},
    {scattered,       "csr",       1, false, false, false, false},
    {nearly_nothing,  "csr",       0, false, false, false, false},
    {nearly_nothing,  "dcsr",      0, false, false, false, false},
    {nearly_nothing,  "csr",       1, false, false, false, false},
    {nothing,         "csr",       0, false, false, false, false},
    {nothing,         "csr",       1, false, false, false, false},
    {ragged,          "csr",       1, false, true,  false, false},
    {ragged,          "dcsr",      1, false, true,  false, false},
    {short_in_threes, "csr",       1, false, true,  false, false},
    {long_in_threes,  "csr",       1, false, false, false, false},
    {long_ragged,     "csr",       1, false, true,  false, false},
    {ragged,          "csr",       0, false, false, false, false}, /* columns are the lanes */
    {ragged,          "csc",       1, false, false, false, false}, /* and here rows are met often */
    {ragged,          "bcsr<2,2>", 1, false, false, false, false},
    {ragged,          "sell<8>",   1, false, false, false, false},
    {broad,           "csr",       1, false, false, true,  false},
    {broad,           "dcsr",      1, false, false, true,  false},
    {broad,           "csr",       0, true,  false, false, false},
    {broad,           "ell",       1, false, false, false, false}, /* what pads names any column */
    {broad_at_times,  "csr",       1, false, false, true,  false},
    {spread,          "csr",       1, false, false, false, false},
    {in_threes,       "csr",       1, false, false, false, true },
    {in_threes,       "dcsr",      1, false, false, false, true },
    {in_threes,       "csr",       0, false, false, false, false},
    {in_threes,       "lil",       1, false, false, false, false},
    {in_threes,       "ell",       1, false, false, false, false},
    {in_pairs,        "csr",       1, false, false, false, true },
    {short_in_pairs,  "csr",       1, false, false, false, false},
    {nearly_in_pairs, "csr",       1, false, false, false, false},
    {broad_in_tens,   "csr",       1, false, false, false, true },
};

enum { WANTED = sizeof wanted / sizeof *wanted };

/// Build, ask, and let go.
static cairn_product_seen asked_of(product_case *c,
                                   void (*fill)(product_case *c),
                                   const char          *format,
                                   const cairn_product *product,
                                   int64_t              threads)
{
    const int64_t n = ROWS;

    *c = (product_case){
        .state = 7, .shape = {.order = 2, .extent = {n, n}}
    };
    c->wish.fixed = true;
    cairn_env_init(&c->env);
    cairn_entries_init(&c->entries, 2);
    c->box[0] = c->box[1] = (cairn_interval){0, n - 1};
    fill(c);
    by_name(format, c->text, sizeof c->text);
    cr_assert_eq(cairn_format_parse(&c->env, NULL, c->text, "hints", &c->format),
                 CAIRN_OK, "%s", c->env.message);
    const cairn_build build = {
        .format     = c->format,
        .shape      = c->shape,
        .box        = {c->box[0], c->box[1]},
        .entries    = &c->entries,
        .value_bits = 64
    };

    cr_assert_eq(cairn_local_build(&c->env, &build, &c->local), CAIRN_OK);
    return cairn_product_look(c->local->group[0].layout, product,
                              &c->local->part[0].view, threads);
}

static cairn_product_seen
asked(product_case *c, int k, const cairn_product *product, int64_t threads)
{
    return asked_of(c, wanted[k].fill, wanted[k].format, product, threads);
}

Test(product_hints, bands_and_uneven_rows_are_told_from_others)
{
    static product_case c;

    for (int k = 0; k < WANTED; k++) {
        const cairn_product product = {.columns      = wanted[k].columns,
                                       .operand      = CAIRN_IR_F64,
                                       .accumulate   = CAIRN_IR_F64,
                                       .vector_bytes = 64};

        const cairn_product_seen seen = asked(&c, k, &product, 1);

        cr_expect_eq(seen.follows, wanted[k].follows, "case %d: %s", k,
                     wanted[k].format);
        cr_expect_eq(seen.uneven, wanted[k].uneven, "case %d: %s", k, wanted[k].format);
        cr_expect_eq(seen.runs, wanted[k].runs, "case %d: %s", k, wanted[k].format);
        cr_expect_eq(seen.alike, wanted[k].alike, "case %d: %s", k, wanted[k].format);
        product_case_close(&c);
    }
}

/// Rows whose columns each go on by one, of four entries or more, three in four, may be
/// summed as lanes.
Test(product_hints, rows_that_go_on_are_abreast)
{
    static const struct {
        void (*fill)(product_case *c);
        const char *format;
        int         vector_bytes;
        bool        abreast;
    } rows[] = {
        {grid,           "csr",      64, true },
        {grid,           "csr",      32, true },
        {grid,           "csr",      16, false}, /* two lanes */
        {grid,           "dcsr",     64, false}, /* rows are stored */
        {grid,           "sell<8>",  64, false},
        {grid,           "bdia<16>", 64, false},
        {broad,          "csr",      64, true },
        {broad,          "ell",      64, false}, /* it pads */
        {band,           "csr",      64, false}, /* three entries */
        {scattered,      "csr",      64, false},
        {spread,         "csr",      64, true },
        {ragged,         "csr",      64, false},
        {broad_at_times, "csr",      64, false},
        {nothing,        "csr",      64, false},
    };
    static product_case c;

    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        const cairn_product product = {.columns      = 1,
                                       .operand      = CAIRN_IR_F64,
                                       .accumulate   = CAIRN_IR_F64,
                                       .vector_bytes = rows[n].vector_bytes};

        cr_expect_eq(asked_of(&c, rows[n].fill, rows[n].format, &product, 1).abreast,
                     rows[n].abreast, "case %d: %s", (int)n, rows[n].format);
        product_case_close(&c);
    }
}

/// 100 rows of @p n entries, each seventh column, of which a tenth stand one further on.
static void long_rows(product_case *c, cairn_coord n)
{
    for (cairn_coord i = 0; i < 100; i++)
        for (cairn_coord k = 0; k < n; k++)
            add(c, i, 7 * k + random_chance(&c->state, 10));
}

static void longer(product_case *c)
{
    long_rows(c, 800);
}

static void shorter(product_case *c)
{
    long_rows(c, 700);
}

/// All columns of a row, so that x is loaded as it lies.
static void full(product_case *c)
{
    for (cairn_coord i = 0; i < 100; i++)
        for (cairn_coord j = i % 2; j < 800; j++)
            add(c, i, j);
}

Test(product_hints, long_rows_are_beside_each_other)
{
    static const struct {
        void (*fill)(product_case *c);
        const char *format;
        int         columns;
        bool        beside;
    } rows[] = {
        {longer,  "dcsr",    1, true },
        {longer,  "dcsr",    0, false},
        {longer,  "lil",     1, false},
        {longer,  "sell<8>", 1, false},
        {longer,  "csr",     1, false}, /* nearly all rows have no entries */
        {shorter, "dcsr",    1, false},
        {full,    "dcsr",    1, false},
        {ragged,  "csr",     1, false},
        {nothing, "csr",     1, false},
    };
    static product_case c;

    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        const cairn_product product = {.columns      = rows[n].columns,
                                       .operand      = CAIRN_IR_F64,
                                       .accumulate   = CAIRN_IR_F64,
                                       .vector_bytes = 64};

        cr_expect_eq(asked_of(&c, rows[n].fill, rows[n].format, &product, 1).beside,
                     rows[n].beside, "case %d: %s", (int)n, rows[n].format);
        product_case_close(&c);
    }
}

/// The C of a product; freed with free().
static char *printed(product_case *c, const cairn_product *product)
{
    cairn_product_kernel kernel;
    char                *text, *copy;

    cr_assert_eq(
        cairn_product_lower(&c->env, c->local->group[0].layout, product, "f", &kernel),
        CAIRN_OK);
    cr_assert_eq(cairn_c_print(&c->env, kernel.function, "f", &text), CAIRN_OK);
    copy = strdup(text);
    cairn_free(&c->env, text);
    cairn_ir_destroy(&c->env, &kernel.function);
    return copy;
}

/// What rows abreast come to is added up in lanes, not one by one; and only kernels that add
/// Y up ask that a compiler leave the order of instructions as it is.
Test(product_hints, rows_abreast_are_added_up_as_lanes)
{
    static product_case c;
    cairn_product       product = {.columns      = 1,
                                   .operand      = CAIRN_IR_F64,
                                   .accumulate   = CAIRN_IR_F64,
                                   .vector_bytes = 64};

    product.hints.abreast = asked_of(&c, grid, "csr", &product, 1).abreast;
    char *const plain     = printed(&c, &product);

    cr_assert(cairn_product_sum_y(c.local->group[0].layout, &product));
    char *const adding = printed(&c, &product);

    cr_assert_not_null(strstr(adding, "lanes0 +="), "%s", adding);
    cr_assert_not_null(strstr(adding, "no-schedule-insns2"));
    cr_assert_null(strstr(plain, "no-schedule-insns2"));
    free(plain);
    free(adding);
    product_case_close(&c);
}

/// Rows abreast look at the indices of all of them before a value is loaded: of values of
/// 64 bits and indices of 16, those of 12 KB of entries ahead are asked for, and values of
/// three quarters of it.
Test(product_hints, rows_abreast_ask_for_lists_further_ahead)
{
    static product_case c;
    cairn_product       product = {.columns      = 1,
                                   .operand      = CAIRN_IR_F64,
                                   .accumulate   = CAIRN_IR_F64,
                                   .vector_bytes = 64};

    asked_of(&c, grid, "csr", &product, 1);
    cr_assert_eq(c.local->group[0].layout->values.bits, 64);
    cr_assert_eq(c.local->group[0].layout->level[1].arrays.idx_bits, 16);
    product.hints    = (cairn_product_hints){.stream = true};
    char *const rows = printed(&c, &product);

    product.hints.abreast = true;
    char *const abreast   = printed(&c, &product);

    cr_expect_not_null(strstr(rows, "+ 512,"), "%s", rows);
    cr_expect_not_null(strstr(rows, "+ 1024,"));
    cr_expect_null(strstr(rows, "+ 1228,"));
    cr_expect_not_null(strstr(abreast, "+ 921,"), "%s", abreast);
    cr_expect_not_null(strstr(abreast, "+ 1228,"));
    cr_expect_null(strstr(abreast, "+ 1024,"));
    free(rows);
    free(abreast);
    product_case_close(&c);
}

/// Rows without entries are looked for where a product adds to Y, and rows are not those
/// that have entries.
Test(product_hints, rows_without_entries_are_looked_for)
{
    static const struct {
        const char *format;
        bool        adds, looks;
        int         columns;
    } asked[] = {
        {"csr",     true,  true,  1},
        {"csr",     false, false, 1},
        {"csr",     true,  false, 3},
        {"dcsr",    true,  false, 1},
        {"sell<8>", true,  false, 1},
    };

    for (size_t n = 0; n < sizeof asked / sizeof *asked; n++) {
        static product_case c;
        const cairn_product product = {.columns      = asked[n].columns,
                                       .operand      = CAIRN_IR_F64,
                                       .accumulate   = CAIRN_IR_F64,
                                       .vector_bytes = 64,
                                       .adds         = asked[n].adds};

        asked_of(&c, ragged, asked[n].format, &product, 1);
        char *const text = printed(&c, &product);

        cr_expect_eq(strstr(text, "rows without entries together") != NULL,
                     asked[n].looks, "%s", asked[n].format);
        free(text);
        product_case_close(&c);
    }
}

/// Where f64 values are more than the last cache holds, memory is the bound and long rows
/// are walked; others are abreast, and then neither uneven nor looked at for runs.
Test(product_hints, rows_are_abreast_where_memory_is_not_the_bound)
{
    static const struct {
        int64_t per_row, l3;
        bool    abreast;
    } parts[] = {
        {40,  32 << 20, true },
        {160, 32 << 20, false},
        {160, 64 << 20, true },
        {40,  8 << 20,  false},
        {19,  4 << 20,  true },
    };
    static product_case      c;
    const cairn_product_seen seen    = {.abreast = true, .runs = true, .uneven = true};
    const cairn_product      product = {.columns      = 1,
                                        .operand      = CAIRN_IR_F64,
                                        .accumulate   = CAIRN_IR_F64,
                                        .vector_bytes = 64};

    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++) {
        asked(&c, 1, &product, 1);
        const cairn_product_hints hints = cairn_product_hints_of(
            c.local->group[0].layout, &product, parts[n].per_row * ROWS, 1, seen,
            1 << 20, parts[n].l3);

        cr_expect_eq(hints.abreast, parts[n].abreast, "case %d", (int)n);
        cr_expect_eq(hints.runs, !parts[n].abreast, "case %d", (int)n);
        cr_expect_eq(hints.uneven, !parts[n].abreast, "case %d", (int)n);
        product_case_close(&c);
    }
}

/// Lists are fetched ahead where they come from memory, slots side by side from the L3 on.
Test(product_hints, lists_are_fetched_ahead_from_memory_alone)
{
    static const struct {
        const char *format;
        int64_t     entries;
        bool        ahead;
    } parts[] = {
        {"csr",     50000,   false},
        {"csr",     1000000, false},
        {"csr",     2000000, true },
        {"dcsr",    1000000, false},
        {"sell<8>", 50000,   false},
        {"sell<8>", 1000000, true },
    };
    static product_case c;
    const cairn_product product = {.columns      = 1,
                                   .operand      = CAIRN_IR_F64,
                                   .accumulate   = CAIRN_IR_F64,
                                   .vector_bytes = 64};

    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++) {
        const cairn_product_seen seen =
            asked_of(&c, ragged, parts[n].format, &product, 1);
        const cairn_product_hints hints =
            cairn_product_hints_of(c.local->group[0].layout, &product, parts[n].entries,
                                   1, seen, 1 << 20, 32 << 20);

        cr_expect_eq(hints.stream, parts[n].ahead, "%s, %d entries", parts[n].format,
                     (int)parts[n].entries);
        product_case_close(&c);
    }
}

/// Of several threads each has few rows, and learns where they end.
Test(product_hints, rows_that_a_processor_learns_are_not_uneven)
{
    static product_case c;
    const cairn_product product = {.columns      = 1,
                                   .operand      = CAIRN_IR_F64,
                                   .accumulate   = CAIRN_IR_F64,
                                   .vector_bytes = 64};

    for (int k = 0; k < WANTED; k++) {
        if (!wanted[k].uneven) continue;
        for (int64_t threads = 1; threads <= 64; threads *= 4) {
            cr_expect_eq(asked(&c, k, &product, threads).uneven, threads == 1,
                         "case %d: %s, %d threads", k, wanted[k].format, (int)threads);
            product_case_close(&c);
        }
    }
}

Test(product_hints, rows_that_follow_are_fetched_alone)
{
    static product_case c;
    const cairn_product product = {
        .operand = CAIRN_IR_F64, .accumulate = CAIRN_IR_F64, .vector_bytes = 64};
    const int64_t l2 = 1 << 20, l3 = 1 << 21, entries = 16 * ROWS;

    const cairn_product_seen follows = {.follows = true}, none = {.follows = false};

    cr_assert(asked(&c, 0, &product, 1).follows);
    const cairn_layout       *layout = c.local->group[0].layout;
    const cairn_product_hints bands =
        cairn_product_hints_of(layout, &product, entries, 32, follows, l2, l3);
    const cairn_product_hints others =
        cairn_product_hints_of(layout, &product, entries, 32, none, l2, l3);
    const cairn_product_hints small =
        cairn_product_hints_of(layout, &product, entries, 32, follows, 8 * l2, 8 * l3);

    cr_expect(bands.follow_x && bands.bypass_y && !bands.fetch_x);
    cr_expect(!others.follow_x && !others.bypass_y && others.fetch_x);
    cr_expect(!small.follow_x && !small.bypass_y && !small.fetch_x);
    product_case_close(&c);
}

/// The key of a product on a part with these numbers.
static char *key_of(product_case *c, cairn_product *product, bool uneven)
{
    const cairn_layout      *layout = c->local->group[0].layout;
    const cairn_product_seen seen   = {.uneven = uneven};
    char                    *key;

    product->hints =
        cairn_product_hints_of(layout, product, 16 * ROWS, 1, seen, 1 << 20, 1 << 21);
    cr_assert_eq(cairn_product_key(&c->env, layout, product, &key), CAIRN_OK);
    return key;
}

Test(product_hints, uneven_rows_have_kernels_of_their_own_where_chains_are_lanes)
{
    static const struct {
        int  vector_bytes;
        bool other;
    } targets[] = {
        {64,          true },
        {32,          true },
        {16,          false}, /* two lanes: chains are scalars */
        {CAIRN_ITEMS, false},
    };
    static product_case c;

    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        cairn_product product = {.columns      = 1,
                                 .operand      = CAIRN_IR_F64,
                                 .accumulate   = CAIRN_IR_F64,
                                 .vector_bytes = targets[k].vector_bytes};

        asked(&c, 0, &product, 1);
        char *const even   = key_of(&c, &product, false);
        char *const uneven = key_of(&c, &product, true);

        cr_expect_eq(strcmp(even, uneven) != 0, targets[k].other, "%d bytes",
                     targets[k].vector_bytes);
        cairn_free(&c.env, even);
        cairn_free(&c.env, uneven);
        product_case_close(&c);
    }
}
