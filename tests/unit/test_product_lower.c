// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Generated products against the triples: random formats, random matrices, every
/// variant. Values and operands are small binary fractions, so that all sums are exact in
/// any order and results must be equal. Every layout must lower: there is no other way.
///
/// Arrays of parts and operands end where memory ends, and operands are NaN outside what
/// the box lets a kernel read. The seed is printed; PRODUCT_SEED=N runs case N alone,
/// and PRODUCT_VERBOSE says what runs.

#include "support/brutal.h"
#include "support/product_case.h"
#include "support/seed.h"

#ifdef __SANITIZE_ADDRESS__
enum { USUAL_CASES = 20 };
#else
enum { USUAL_CASES = 60 };
#endif

enum { BATCH = 60 }; ///< Cases that are compiled at once.

static void run_cases(product_case *cases, int n, const char *flags)
{
    static kernel_batch batch;

    batch_open(&batch);
    for (int k = 0; k < n; k++)
        product_case_lower(&cases[k], &batch);
    batch_build(&batch, flags);
    for (int k = 0; k < n; k++)
        for (int v = 0; v < PRODUCT_VARIANTS; v++)
            product_case_check(&cases[k], &batch, v);
    printf("%d tensors, %d kernels\n", n, batch.kernels);
    batch_close(&batch);
    for (int k = 0; k < n; k++)
        product_case_close(&cases[k]);
}

/// Some random cases, in one batch, optimised where their number was asked for (`slow`).
/// @return the next seed.
static uint64_t run_random(uint64_t seed, int want, bool narrow)
{
    static product_case cases[BATCH];
    int                 n = 0;

    for (int k = 0; n < want && k < 8 * want; k++, seed++) {
        cases[n] = (product_case){.seed = seed, .state = seed, .wish.narrow = narrow};
        random_format(&cases[n].state, 2, cases[n].text, RANDOM_FORMAT);
        n += product_case_open(&cases[n]);
    }
    cr_assert(n == want || want == 1, "only %d cases", n);
    run_cases(cases, n, seed_cases(0) > 0 ? "-O1" : "-O0");
    return seed;
}

static void run_all_random(bool narrow)
{
    const char *given = getenv("PRODUCT_SEED");
    uint64_t    seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int left = given ? 1 : seed_cases(USUAL_CASES); left > 0; left -= BATCH)
        seed = run_random(seed, given ? 1 : left < BATCH ? left : BATCH, narrow);
}

Test(product_lower, random_formats, .timeout = 3600)
{
    run_all_random(false);
}

Test(product_lower, random_formats_of_narrow_values, .timeout = 3600)
{
    run_all_random(true);
}

/// Formats of the catalogue, some in more than one shape of block.
static const char *const catalogue[] = {
    "dense<2>",
    "coo",
    "dok",
    "csr",
    "lil",
    "csc",
    "dcsr",
    "dcsc",
    "dia",
    "dia-variant",
    "bcsr<2,3>",
    "bcsr<3,3>",
    "bcsr<8,8>",
    "bcsr<16,5>",
    "bcsc<4,2>",
    "bcoo<3,4>",
    "bdcsr<2,2>",
    "csb<4,4>",
    "bdia<64>",
    "bdia<5>",
    "bdia<100>",
    "bdia<67>",
    "c2sr<3>",
    "ell",
    "sell<8>",
    "sell<3>",
    "sell<70>",
    "sell<127>",
    "sell-sigma<8,16>",
    "sell-sigma<4,1000>",
    "bell<3>",
    "bell<8>",
    "cisr<3>",
    "cisr-plus<3>",
    "serpens<2,16,3>",
    "hybrid<dia,csr,0.5>",
    "hybrid<bdia<8>,sell<4>,0.4>",
    "csf<2>",
    /* Windows of columns, and diagonals by rows: x is reached by a sum. */
    "#encoding<{ idx_map<(d0,d1)->(d1/40,d0,d1%40)>,"
    " mutation<merge(0,1), trim(2,2)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0,d0-d1)>, mutation<merge(0), trim(1,1)> }>",
    /* A stored index between the row and the loop, the same for all of its entries. */
    "#encoding<{ idx_map<(d0,d1)->(d0,d1/40,d1%40)>, mutation<merge(1), trim(0,2)> }>",
};

enum { CATALOGUE = sizeof catalogue / sizeof *catalogue };

Test(product_lower, catalogue_on_awkward_shapes, .timeout = 3600)
{
    static const int shapes[][2] = {
        {1,   1 },
        {5,   4 },
        {0,   7 },
        {9,   1 },
        {131, 97}
    };
    static product_case cases[2 * CATALOGUE];
    const char         *given = getenv("PRODUCT_SEED");
    int                 n     = 0;

    for (int k = 0; k < 2 * CATALOGUE; k++) {
        product_case *c = &cases[n];

        if (given && strtoull(given, NULL, 10) != (uint64_t)k) continue;
        *c = (product_case){.seed = (uint64_t)k, .state = (uint64_t)k + 77};
        by_name(catalogue[k / 2], c->text, sizeof c->text);
        c->wish.fixed      = true;
        c->shape.extent[0] = shapes[k % 2 ? 4 : k / 2 % 4][0];
        c->shape.extent[1] = shapes[k % 2 ? 4 : k / 2 % 4][1];
        n += product_case_open(c);
    }
    cr_assert(given || n == 2 * CATALOGUE, "%d cases", n);
    run_cases(cases, n, "-O1");
}

Test(product_lower, catalogue_of_narrow_values, .timeout = 3600)
{
    static product_case cases[2 * CATALOGUE];
    const uint64_t      seed = seed_clock() * 1000003;
    int                 n    = 0;

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 2 * CATALOGUE; k++) {
        product_case *c = &cases[n];

        *c = (product_case){.seed        = seed + (uint64_t)k,
                            .state       = seed + (uint64_t)k,
                            .wish.narrow = true};
        by_name(catalogue[k / 2], c->text, sizeof c->text);
        c->wish.fixed      = true;
        c->shape.extent[0] = 83;
        c->shape.extent[1] = 71;
        n += product_case_open(c);
    }
    cr_assert_gt(n, CATALOGUE);
    run_cases(cases, n, "-O0");
}

/// The result of variant @p v on @p threads threads.
static void result(product_case       *c,
                   const kernel_batch *batch,
                   int                 v,
                   int                 threads,
                   product_operands   *o)
{
    product_operands_make(c, &c->product[v], o);
    product_operands_expect(c, &c->product[v], o);
    product_case_run(c, batch, v, o, threads);
}

/// Threads, vectors and hints change no bit: variants 1 and 2 are variant 0 with others.
static void check_bits(product_case *c, const kernel_batch *batch)
{
    const uint64_t   state = c->state;
    product_operands one, other;

    result(c, batch, 0, 1, &one);
    for (int k = 1; k < 6; k++) {
        const int v = k < 4 ? 0 : k - 3, threads = k < 4 ? k + 1 : k - 2;

        c->state = state;
        result(c, batch, v, threads, &other);
        for (int64_t i = 0; i < one.rows; i++)
            for (int64_t col = 0; col < one.columns; col++) {
                const double a = product_get(one.y, one.narrow, i * one.y_stride + col),
                             b = product_get(other.y, other.narrow,
                                             i * one.y_stride + col);

                cr_assert(memcmp(&a, &b, sizeof a) == 0,
                          "%s, variant %d, %d threads: row %lld: %a, not %a\n%s",
                          c->text, v, threads, (long long)i, b, a,
                          batch->key[c->kernel[v][0][0]]);
            }
        guarded_free(&other.memory);
        free(other.expected);
    }
    guarded_free(&one.memory);
    free(one.expected);
}

static void vary(product_case *c, kernel_batch *batch, int columns, bool transposed)
{
    static const int vectors[] = {64, 32, 16};

    for (int v = 0; v < PRODUCT_VARIANTS; v++) {
        c->product[v] = (cairn_product){
            .transposed   = transposed,
            .columns      = columns,
            .operand      = CAIRN_IR_F64,
            .accumulate   = CAIRN_IR_F64,
            .vector_bytes = vectors[v],
            .hints        = {v == 1, v == 2, v == 1, false, v == 2, v == 2, v == 1},
        };
        product_case_kernels(c, batch, v);
    }
}

Test(product_lower, threads_vectors_and_hints_change_no_bit, .timeout = 3600)
{
    static product_case cases[CATALOGUE];
    static kernel_batch batch;

    batch_open(&batch);
    for (int k = 0; k < CATALOGUE; k++) {
        product_case *c = &cases[k];

        *c = (product_case){.seed       = (uint64_t)k,
                            .state      = (uint64_t)k,
                            .wish.fixed = true,
                            .wish.real  = true};
        by_name(catalogue[k], c->text, sizeof c->text);
        c->shape.extent[0] = 131;
        c->shape.extent[1] = 115 + k;
        cr_assert(product_case_open(c));
        vary(c, &batch, k % 5 != 4, k % 7 == 5);
    }
    batch_build(&batch, "-O1");
    for (int k = 0; k < CATALOGUE; k++) {
        check_bits(&cases[k], &batch);
        product_case_close(&cases[k]);
    }
    batch_close(&batch);
}

/// Who comes last to f64 sums rounds what comes of them into an f32 Y, in all rows: empty
/// ones, too, and where nothing of Y is left from before.
Test(product_lower, the_last_kernel_rounds_sums_into_y, .timeout = 600)
{
    static const char *const formats[] = {
        "csr",      "ell", "sell<8>",          "bcsr<3,3>",
        "bdia<64>", "dia", "sell-sigma<8,16>", "sell-sigma<6,64>",
        "coo",      "csc"};
    enum { FORMATS = sizeof formats / sizeof *formats, ROUND = 8 };
    static product_case cases[2 * FORMATS];
    static kernel_batch batch;

    batch_open(&batch);
    for (int k = 0; k < 2 * FORMATS; k++) {
        product_case *c = &cases[k];

        *c = (product_case){.seed         = (uint64_t)k,
                            .state        = (uint64_t)k + 5,
                            .wish.fixed   = true,
                            .wish.percent = 2};
        by_name(formats[k / 2], c->text, sizeof c->text);
        c->shape.extent[0] = 131;
        c->shape.extent[1] = 97;
        cr_assert(product_case_open(c));
        for (int v = 0; v < PRODUCT_VARIANTS; v++) {
            c->product[v] = (cairn_product){.adds         = true,
                                            .has_sums     = true,
                                            .scaled       = v == 1,
                                            .columns      = k % 2 == 0,
                                            .operand      = CAIRN_IR_F32,
                                            .accumulate   = CAIRN_IR_F64,
                                            .vector_bytes = 16 << v};
            product_case_round(c, &c->product[v]);
            cr_assert_eq(c->product[v].rounds, k / 2 < ROUND, "%s", formats[k / 2]);
            cr_assert_neq(c->product[v].rounds, c->product[v].has_sums);
            product_case_kernels(c, &batch, v);
        }
    }
    batch_build(&batch, "-O1");
    for (int k = 0; k < 2 * FORMATS; k++) {
        for (int v = 0; v < PRODUCT_VARIANTS && k / 2 < ROUND; v++)
            product_case_check(&cases[k], &batch, v);
        product_case_close(&cases[k]);
    }
    batch_close(&batch);
}

/// Rows sorted by their lengths: tiles whose rows follow each other are joined as vectors,
/// others lane by lane, such that end in a hole and such that only begin and end as if.
Test(product_lower, sorted_rows_are_joined_wherever_they_stand, .timeout = 600)
{
    static const char *const formats[] = {"sell-sigma<8,16>", "sell-sigma<6,64>",
                                          "sell-sigma<16,32>", "sell-sigma<32,128>"};
    enum { FORMATS = sizeof formats / sizeof *formats, ROWS = 263 };
    static const int    swapped[] = {9, 7, 8, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1};
    static int          lengths[ROWS];
    static product_case cases[2 * FORMATS];
    static kernel_batch batch;

    for (int i = 0; i < ROWS; i++)
        lengths[i] = i < 70 || i >= 200 ? 3 : i < 140 ? i % 5 : i % 16 == 3 ? 7 : 4;
    for (int i = 0; i < 32; i++)
        lengths[i] = i < 8 ? 9 : i < 16 ? 7 : i < 24 ? 8 : 6;
    memcpy(lengths + 144, swapped, sizeof swapped);
    batch_open(&batch);
    for (int k = 0; k < 2 * FORMATS; k++) {
        product_case *c = &cases[k];

        *c = (product_case){.seed         = (uint64_t)k,
                            .state        = (uint64_t)k + 9,
                            .wish.fixed   = true,
                            .wish.exact   = true,
                            .wish.lengths = lengths};
        by_name(formats[k / 2], c->text, sizeof c->text);
        c->shape.extent[0] = ROWS;
        c->shape.extent[1] = 97;
        cr_assert(product_case_open(c), "%s", c->env.message);
        for (int v = 0; v < PRODUCT_VARIANTS; v++) {
            c->product[v] =
                (cairn_product){.adds         = v != 1,
                                .columns      = 1,
                                .operand      = k % 2 ? CAIRN_IR_F32 : CAIRN_IR_F64,
                                .accumulate   = CAIRN_IR_F64,
                                .vector_bytes = 16 << v};
            if (k % 2 && v != 1) product_case_round(c, &c->product[v]);
            product_case_kernels(c, &batch, v);
        }
    }
    batch_build(&batch, "-O1");
    for (int k = 0; k < 2 * FORMATS; k++) {
        for (int v = 0; v < PRODUCT_VARIANTS; v++)
            product_case_check(&cases[k], &batch, v);
        product_case_close(&cases[k]);
    }
    batch_close(&batch);
}

/// Tiles of a constant number of rows, in as many strips as that takes.
Test(product_lower, tiles_of_every_width_have_all_rows, .timeout = 600)
{
    static const int sizes[] = {15, 23, 31, 47, 55,  59,  61,
                                62, 63, 67, 94, 127, 131, 254};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    static product_case cases[SIZES];
    static kernel_batch batch;

    batch_open(&batch);
    for (int k = 0; k < SIZES; k++) {
        product_case *c = &cases[k];
        char          name[32];

        *c = (product_case){.seed         = (uint64_t)k,
                            .state        = (uint64_t)k,
                            .wish.fixed   = true,
                            .wish.percent = 10};
        snprintf(name, sizeof name, "%s<%d>", k % 2 ? "bdia" : "sell", sizes[k]);
        by_name(name, c->text, sizeof c->text);
        c->shape.extent[0] = c->shape.extent[1] = 280;
        cr_assert(product_case_open(c));
        for (int v = 0; v < PRODUCT_VARIANTS; v++) {
            c->product[v] = (cairn_product){.columns      = 1,
                                            .operand      = CAIRN_IR_F64,
                                            .accumulate   = CAIRN_IR_F64,
                                            .vector_bytes = 16 << v};
            product_case_kernels(c, &batch, v);
        }
    }
    batch_build(&batch, "-O1");
    for (int k = 0; k < SIZES; k++) {
        for (int v = 0; v < PRODUCT_VARIANTS; v++)
            product_case_check(&cases[k], &batch, v);
        product_case_close(&cases[k]);
    }
    batch_close(&batch);
}

/// The only loop below the row is over slots: all of its entries have one element of x,
/// which lanes must not take for neighbours.
Test(product_lower, slots_of_one_column_share_its_element_of_x, .timeout = 600)
{
    static product_case c;
    static kernel_batch batch;

    c = (product_case){.state = 9, .wish.fixed = true, .wish.percent = 40};
    by_name("#encoding<{ idx_map<(d0,d1)->(d1-2*d0,d0,slot)>,"
            " mutation<merge(0), trim(1,1)>, indirect<{ slot = enum(value)"
            " groupBy (d0,d1)->(d0) traverseBy (d0,d1)->(d1) }> }>",
            c.text, sizeof c.text);
    c.shape.extent[0] = 20;
    c.shape.extent[1] = 23;
    cr_assert(product_case_open(&c));
    batch_open(&batch);
    vary(&c, &batch, 1, false);
    batch_build(&batch, "-O1");
    for (int v = 0; v < PRODUCT_VARIANTS; v++)
        product_case_check(&c, &batch, v);
    batch_close(&batch);
    product_case_close(&c);
}

/// Rows of more entries than one sum takes.
Test(product_lower, long_rows_are_cut, .timeout = 600)
{
    static const char *const formats[] = {"csr", "coo",     "dcsr", "lil",
                                          "csc", "c2sr<2>", "ell"};
    enum { FORMATS = sizeof formats / sizeof *formats };
    static product_case cases[FORMATS];

    for (int k = 0; k < FORMATS; k++) {
        product_case *c = &cases[k];

        *c = (product_case){
            .seed = (uint64_t)k, .state = 5, .wish.fixed = true, .wish.percent = 90};
        by_name(formats[k], c->text, sizeof c->text);
        c->shape.extent[0] = 3;
        c->shape.extent[1] = 12000;
        cr_assert(product_case_open(c));
        cr_assert_gt(c->entries.n, 3 * 4096);
    }
    run_cases(cases, FORMATS, "-O1");
}

/// Rows that a stored index moves and that the tile's other levels may take beyond the
/// last: the remainder of a row beside the block of another.
Test(product_lower, moved_rows_are_held_to_the_box, .timeout = 600)
{
#define PLACES                                             \
    "indirect<{ load = sum(value) groupBy (d0,d1)->(d0); " \
    "place = reorder(load) descend }> }>"
    static const char *const texts[] = {
        "#encoding<{ idx_map<(d0,d1)->(d0%6,place/2,d1,place%2,d0/6)>, " PLACES,
        "#encoding<{ idx_map<(d0,d1)->(d0%5,place/4,d1,place%4,d0/5)>, " PLACES,
        "#encoding<{ idx_map<(d0,d1)->(d0%64,place/8,d1,place%8,d0/64)>, " PLACES,
    };
#undef PLACES
    enum { CASES = 12 };
    static product_case cases[CASES];

    for (int k = 0; k < CASES; k++) {
        product_case *c = &cases[k];

        *c = (product_case){.seed         = (uint64_t)k,
                            .state        = (uint64_t)k,
                            .wish.fixed   = true,
                            .wish.percent = 30};
        snprintf(c->text, sizeof c->text, "%s", texts[k % 3]);
        c->shape.extent[0] = 1 + 9 * k;
        c->shape.extent[1] = 20 + 5 * k;
        cr_assert(product_case_open(c), "%s", c->env.message);
    }
    run_cases(cases, CASES, "-O1");
}

/// A tile of rows that are told by columns, too, which loops inside the tile tell: nothing
/// can be fetched ahead before they are entered.
Test(product_lower, rows_told_by_columns_inside_a_tile, .timeout = 600)
{
    static const char *const texts[] = {
        "#encoding<{ idx_map<(d0,d1)->(d1/6,d1%6,d0+2*d1)>, mutation<merge(0), "
        "trim(0,1)> }>",
        "#encoding<{ idx_map<(d0,d1)->(d1/5,d1%5,d0-d1)>, mutation<merge(0), "
        "trim(0,1)> }>",
        "#encoding<{ idx_map<(d0,d1)->(d1/4,d1%4,d0+d1)>, mutation<trim(0,1)> }>",
    };
    enum { CASES = 12 };
    static product_case cases[CASES];

    for (int k = 0; k < CASES; k++) {
        product_case *c = &cases[k];

        *c = (product_case){.seed         = (uint64_t)k,
                            .state        = (uint64_t)k,
                            .wish.fixed   = true,
                            .wish.percent = 30};
        snprintf(c->text, sizeof c->text, "%s", texts[k % 3]);
        c->shape.extent[0] = 3 + 20 * k;
        c->shape.extent[1] = 3 + 7 * k;
        cr_assert(product_case_open(c), "%s", c->env.message);
    }
    run_cases(cases, CASES, "-O1");
}

/// A tile's rows that are told by a stored index, too, which is the same for all of them:
/// the slot of a block numbers the columns of blocks, and rows of the tile lie in one.
Test(product_lower, levels_alike_in_a_tile_are_entered_before_it, .timeout = 600)
{
#define SLOTS                                                                     \
    "indirect<{ block = sum(value) groupBy (d0,d1)->(d0/3,d1/3); "                \
    "width = sum(block) groupBy (d0,d1)->(d0/3); "                                \
    "slot = enum(block) groupBy (d0,d1)->(d0/3) traverseBy (d0,d1)->(d1/3) with " \
    "block eq 0 -> width | otherwise -> 0 }> }>"
    static const char *const texts[] = {
        "#encoding<{ idx_map<(d0,d1)->(slot,d0/3,(d1/6)/6,d1%6,(d1/6)%6,d0%3)>, " SLOTS,
        "#encoding<{ idx_map<(d0,d1)->(slot,d0/3,(d1/6)/6,(d1/6)%6,d0%3,d1%6)>, " SLOTS,
        "#encoding<{ "
        "idx_map<(d0,d1)->(slot,d0/3,(d1/60)/6,(d1/60)%6,d0%3,d1%60)>, " SLOTS,
    };
#undef SLOTS
    enum { CASES = 12 };
    static product_case cases[CASES];

    for (int k = 0; k < CASES; k++) {
        product_case *c = &cases[k];

        *c = (product_case){.seed            = (uint64_t)k,
                            .state           = (uint64_t)k,
                            .wish.fixed      = true,
                            .wish.transposed = true,
                            .wish.percent    = 30};
        snprintf(c->text, sizeof c->text, "%s", texts[k % 3]);
        c->shape.extent[0] = 7 + k;
        c->shape.extent[1] = 130 + 5 * k;
        cr_assert(product_case_open(c), "%s", c->env.message);
    }
    run_cases(cases, CASES, "-O1");
}

/// Rows whose index is stored beside a remainder that is a level of its own, or numbers a
/// bank: positions where the two contradict each other are padding, and name rows (of x
/// for the transpose) beyond the last.
Test(product_lower, rows_of_padding_are_left_out, .timeout = 600)
{
    static const char *const texts[] = {
        "#encoding<{ idx_map<(d0,d1)->(d0%6,place/2,d1,place%2,d0/6)>, indirect<{ "
        "load = sum(value) groupBy (d0,d1)->(d0); place = reorder(load) descend }> }>",
        "#encoding<{ idx_map<(d0,d1)->(d1%6,place/2,d0,place%2,d1/6)>, "
        "mutation<merge(0,1), trim(2,2)>, indirect<{ load = sum(value) groupBy "
        "(d0,d1)->(d1); place = reorder(load) descend }> }>",
        "#encoding<{ idx_map<(d0,d1)->(d0%4,(d1/6)%3,d0/4,slot,d1%6,d1/18)>, "
        "indirect<{ "
        "count = sum(value) groupBy (d0,d1)->(d0); slot = enum(value) groupBy "
        "(d0,d1)->(d0) traverseBy (d0,d1)->(d1) with value eq 0 -> count | otherwise "
        "-> "
        "0 }>, layout<partition(5)> }>",
    };
    enum { CASES = 15, FORMATS = sizeof texts / sizeof *texts };
    static product_case cases[CASES];

    for (int k = 0; k < CASES; k++) {
        product_case *c = &cases[k];

        *c = (product_case){.seed            = (uint64_t)k,
                            .state           = (uint64_t)k,
                            .wish.fixed      = true,
                            .wish.transposed = k % FORMATS > 0,
                            .wish.percent    = 20};
        snprintf(c->text, sizeof c->text, "%s", texts[k % FORMATS]);
        c->shape.extent[0] = k % FORMATS == 2 ? 7 : 31 + k;
        c->shape.extent[1] = k % FORMATS == 2 ? 5 + k : 43 + k;
        cr_assert(product_case_open(c), "%s", c->env.message);
    }
    run_cases(cases, CASES, "-O1");
}

/// Products that round what stands beside Y write every row, of a matrix without entries
/// too: there levels of constant size and places of rows have nothing.
Test(product_lower, rows_without_entries_are_rounded)
{
    static const char *const texts[] = {
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>",
        "#encoding<{ idx_map<(d0,d1)->(d0/3,d0%3,d1,place)>, "
        "mutation<merge(2,3), trim(3,3)>, indirect<{ load = sum(value) groupBy "
        "(d0,d1)->(d1); place = reorder(load) }> }>",
    };
    static const int    none[11];
    static kernel_batch batch;
    int                 rounded = 0;

    for (int k = 0; k < 2; k++) {
        static product_case c;

        batch_open(&batch);
        c                 = (product_case){.wish.fixed = true, .wish.lengths = none};
        c.shape.extent[0] = 11;
        c.shape.extent[1] = 7;
        snprintf(c.text, sizeof c.text, "%s", texts[k]);
        cr_assert(product_case_open(&c), "%s", c.env.message);
        for (int v = 0; v < PRODUCT_VARIANTS; v++) {
            c.product[v] = (cairn_product){.adds         = true,
                                           .columns      = v == 0,
                                           .operand      = CAIRN_IR_F32,
                                           .accumulate   = CAIRN_IR_F64,
                                           .vector_bytes = 16 << v};
            product_case_round(&c, &c.product[v]);
            rounded += c.product[v].rounds;
            product_case_kernels(&c, &batch, v);
        }
        batch_build(&batch, "-O1");
        for (int v = 0; v < PRODUCT_VARIANTS; v++)
            product_case_check(&c, &batch, v);
        batch_close(&batch);
        product_case_close(&c);
    }
    cr_assert_eq(rounded, 2 * PRODUCT_VARIANTS);
}

Test(product_lower, other_orders_are_refused)
{
    static product_case  c;
    cairn_layout        *layout;
    const int64_t        extent[3] = {2, 3, 4};
    const cairn_product  product   = {.columns      = 1,
                                      .operand      = CAIRN_IR_F64,
                                      .accumulate   = CAIRN_IR_F64,
                                      .vector_bytes = 16};
    cairn_product_kernel kernel    = {.function = NULL};
    cairn_format        *format;

    cairn_env_init(&c.env);
    by_name("csf<3>", c.text, sizeof c.text);
    cr_assert_eq(cairn_format_parse(&c.env, NULL, c.text, "test", &format), CAIRN_OK);
    cr_assert_eq(
        cairn_layout_create(&c.env, format->member[0], extent, NULL, NULL, 64, &layout),
        CAIRN_OK);

    cr_expect_eq(cairn_product_lower(&c.env, layout, &product, "f", &kernel),
                 CAIRN_BAD_SHAPE);

    cr_expect_eq(kernel.function, NULL);
    cr_expect(strstr(c.env.message, "order 3"), "%s", c.env.message);
    cairn_layout_destroy(&c.env, &layout);
    cairn_format_destroy(&format);
    cr_expect_eq(c.env.live_blocks, 0);
    cairn_env_fini(&c.env);
}

Test(product_lower, survives_every_failed_allocation)
{
    static product_case  c;
    cairn_product_kernel kernel;
    char                *key;

    c = (product_case){
        .state = 3, .wish.fixed = true, .shape.extent = {20, 20}
    };
    by_name("sell-sigma<8,16>", c.text, sizeof c.text);
    cr_assert(product_case_open(&c));
    const cairn_product product = {.columns      = 1,
                                   .operand      = CAIRN_IR_F64,
                                   .accumulate   = CAIRN_IR_F64,
                                   .vector_bytes = 64};

    CAIRN_BRUTAL(&c.env, cairn_product_lower(&c.env, c.local->group[0].layout, &product,
                                             "product", &kernel));
    cairn_ir_destroy(&c.env, &kernel.function);
    CAIRN_BRUTAL(&c.env,
                 cairn_product_key(&c.env, c.local->group[0].layout, &product, &key));
    cairn_free(&c.env, key);
    product_case_close(&c);
}
