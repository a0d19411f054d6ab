// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The same bits wherever members are: hybrids on every placement and division, with every
/// sort of product, held byte by byte to one device alone. Members that meet rows more than
/// once are held so where a plan is to be reproducible; else one placement has one result.

#include "support/device_file.h"
#include "support/seed.h"

TestSuite(same_bits, .init = up, .fini = down);

enum { SIDE = 211, WIDE = 173, COLUMNS = 3 };

static uint64_t state;
static bool     floats; ///< Values are those of floats.

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/// Values whose sums are not exact, and of any size.
static double draw_value(void)
{
    const double v = (double)(draw(2000001)) / 1e6 - 1;

    const double w = draw(5) == 0 ? v * 4096 : v;

    return floats ? (double)(float)w : w;
}

/// Diagonals, entries anywhere, rows that are empty, and one that is full.
static cairn_source *draw_matrix(void)
{
    int64_t *coord = malloc(2 * SIDE * WIDE * sizeof *coord), extent[2] = {SIDE, WIDE};
    double  *value = malloc(SIDE * WIDE * sizeof *value);
    int64_t  n     = 0;
    cairn_source *source;

    for (int64_t i = 0; i < SIDE; i++) {
        const bool empty = draw(9) == 0;

        for (int64_t j = 0; j < WIDE; j++) {
            const bool band = i == j || i + 3 == j;

            if (i != 100 && (empty || (!band && draw(12) != 0))) continue;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = draw_value();
        }
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, value,
                                           CAIRN_BY_ROWS, &source));
    free(coord);
    free(value);
    return source;
}

/// What is multiplied, and by what.
typedef struct {
    const char           *format;
    cairn_dtype           dtype;
    cairn_product_options op;
    int                   reproducible;
    _Alignas(8) char x[SIDE * COLUMNS * sizeof(double)];
    _Alignas(8) char before[SIDE * COLUMNS * sizeof(double)];
    size_t bytes; ///< Of Y.
} product;

/// Fill an operand with values, one in ten 0, of either sign.
static void draw_operand(char *operand, cairn_dtype dtype)
{
    for (int k = 0; k < SIDE * COLUMNS; k++) {
        const double v = draw(10) == 0 ? (draw(2) ? 0.0 : -0.0) : draw_value();

        if (dtype == CAIRN_F64)
            ((double *)operand)[k] = v;
        else
            ((float *)operand)[k] = (float)v;
    }
}

static product draw_product(const char *format, int reproducible)
{
    static const double alphas[] = {1, 1, -0.5}, betas[] = {0, 0, 1, -0.75};
    product             p = {
                    .format       = format,
                    .dtype        = draw(2) ? CAIRN_F32 : CAIRN_F64,
                    .op           = {.size    = sizeof(cairn_product_options),
                                     .columns = draw(3) ? 1 : COLUMNS,
                                     .alpha   = alphas[draw(3)],
                                     .beta    = betas[draw(4)]},
                    .reproducible = reproducible
    };

    draw_operand(p.x, p.dtype);
    draw_operand(p.before, p.dtype);
    return p;
}

static cairn_plan *
plan_at(cairn_tensor *tensor, const product *p, const char *place, const char *text)
{
    const cairn_plan_options options = {.size         = sizeof(cairn_plan_options),
                                        .product      = &p->op,
                                        .place        = place,
                                        .reproducible = p->reproducible};
    cairn_plan              *plan    = NULL;

    cr_assert_eq(cairn_plan_create_with(tensor, &options, &plan), CAIRN_OK, "%s: %s",
                 text, cairn_context_message(context));
    return plan;
}

/// Run a product at a place, twice; the second Y must have the bytes of the first.
static void
run_at(cairn_tensor *tensor, product *p, const char *place, char *y, const char *text)
{
    static _Alignas(8) char again[SIDE * COLUMNS * sizeof(double)];
    cairn_plan             *plan = plan_at(tensor, p, place, text);
    int64_t                 first, end;

    cairn_plan_rows(plan, &first, &end);
    p->bytes = (size_t)((end - first) * p->op.columns)
               * (p->dtype == CAIRN_F32 ? sizeof(float) : sizeof(double));
    for (int k = 0; k < 2; k++) {
        char *const into = k ? again : y;

        memcpy(into, p->before, sizeof again);
        MUST(context, cairn_plan_run(plan, p->x, into));
    }
    cr_assert_eq(memcmp(y, again, p->bytes), 0, "%s: another run, other bits", text);
    cairn_plan_destroy(&plan);
}

/// Hold the product to cpu:0 alone, at every place.
static void hold(cairn_source *source, product *p, const char *const *places, int count)
{
    static _Alignas(8) char one[sizeof p->x], other[sizeof p->x];
    cairn_tensor           *tensor = must_store(context, source, p->format, p->dtype);
    char                    text[256];

    for (int k = 0; k < count; k++) {
        snprintf(text, sizeof text, "%s%s at %s, %s, %d columns, alpha %g, beta %g%s",
                 p->format, p->op.transposed ? " transposed" : "",
                 places[k] ? places[k] : "open", p->dtype == CAIRN_F32 ? "f32" : "f64",
                 (int)p->op.columns, p->op.alpha, p->op.beta,
                 p->reproducible ? ", reproducible" : "");
        run_at(tensor, p, places[k], k ? other : one, text);
        cr_assert_eq(k ? memcmp(one, other, p->bytes) : 0, 0, "%s", text);
    }
    cairn_tensor_destroy(&tensor);
}

/// Devices with so many threads for each processor.
static void use_threads(int threads)
{
    cairn_context_set_threads(context, threads);
    use_devices("cpu:2,debug");
}

static const char *const once[] = {
    "hybrid<bdia<4>,csr,0.6>",    "hybrid<bell<2>,coo,0.5,0.5>",
    "hybrid<dia,sell<4>,0.6>",    "hybrid<bdia<8>,sell-sigma<4,8>,0.6>",
    "hybrid<bcsr<2,2>,dcsr,0.4>", "hybrid<bdia<4>,c2sr<2>,0.6>",
    "hybrid<dia,ell,0.6>",        "hybrid<bdcsr<2,2>,sell<4>,0.4>",
};

static const char *const often[] = {
    "hybrid<bdia<4>,csc,0.6>",
    "hybrid<bdia<4>,csb<4,4>,0.6>",
    "hybrid<bdia<4>,serpens<2,4,2>,0.6>",
    "hybrid<bell<2>,dcsc,0.5,0.5>",
};

enum { ONCE = sizeof once / sizeof *once, OFTEN = sizeof often / sizeof *often };

static const char *const places[] = {
    "cpu:0",
    "cpu:1",
    "debug",
    "0=cpu:0,1=cpu:1",
    "0=cpu:1,1=cpu:0",
    "0=debug,1=cpu:1",
    "0=cpu:0,1=debug",
    "0=cpu:0*0.3+cpu:1*0.7,1=cpu:0",
    "0=debug*0.4+cpu:0*0.6,1=cpu:1*0.8+cpu:0*0.2",
    "cpu:0+cpu:1+debug",
    NULL,
};

enum { PLACES = sizeof places / sizeof *places };

static const char *const whole[] = {"csr", "coo", "bdia<8>", "sell<4>", "c2sr<2>"};

Test(same_bits, of_members_that_meet_rows_once, .timeout = 600)
{
    state = seed_clock() * 2 + 1;
    for (int f = 0; f < ONCE + 5; f++) {
        cairn_source *source = draw_matrix();

        for (int k = 0; k < 2; k++) {
            product p =
                draw_product(f < ONCE ? once[f] : whole[f - ONCE], (f + k) % 4 == 3);

            use_threads(1 + (f + k) % 2);
            if (f < ONCE) {
                hold(source, &p, places, PLACES);
            } else {
                hold(source, &p,
                     (const char *const[]){"cpu:0", "debug", "cpu:0*0.3+cpu:1*0.7",
                                           "cpu:1+debug", NULL},
                     5);
            }
        }
        cairn_source_destroy(&source);
    }
}

Test(same_bits, of_all_members_where_that_is_asked_for, .timeout = 600)
{
    state = seed_clock() * 2 + 1;
    for (int f = 0; f < ONCE + OFTEN; f++) {
        cairn_source *source = draw_matrix();

        for (int k = 0; k < (f < OFTEN ? 2 : 1); k++) {
            product p = draw_product(f < OFTEN ? often[f] : once[f - OFTEN], 1);

            p.op.transposed = f >= OFTEN || k % 2;
            use_threads(1 + (f + k) % 2);
            hold(source, &p, places, PLACES);
        }
        cairn_source_destroy(&source);
    }
}

/// Also on the reference way.
Test(same_bits, of_what_is_interpreted, .timeout = 600)
{
    state                        = seed_clock() * 2 + 1;
    context->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    for (int f = 0; f < ONCE + OFTEN; f++) {
        cairn_source *source = draw_matrix();
        product       p = draw_product(f < ONCE ? once[f] : often[f - ONCE], f % 2);

        p.op.transposed = p.reproducible && draw(2);
        use_threads(1 + f % 2);
        hold(source, &p, places, PLACES);
        cairn_source_destroy(&source);
    }
}

/// The f64 sums of an f32 product, rounded once: what the same values give in f64, since
/// kernels of both types add in the same order.
Test(same_bits, in_f32_are_those_of_f64_rounded, .timeout = 600)
{
    static double           wide_x[SIDE * COLUMNS], wide_y[SIDE * COLUMNS];
    static _Alignas(8) char y[SIDE * COLUMNS * sizeof(double)];

    state = seed_clock() * 2 + 1;
    use_threads(1);
    floats = true;
    for (int f = 0; f < ONCE; f++) {
        cairn_source *source = draw_matrix();
        product       p      = draw_product(once[f], 0);
        cairn_tensor *wide   = must_store(context, source, p.format, CAIRN_F64);
        cairn_tensor *narrow = must_store(context, source, p.format, CAIRN_F32);

        p.dtype = CAIRN_F32;
        draw_operand(p.x, p.dtype);
        draw_operand(p.before, p.dtype);
        for (int k = 0; k < SIDE * COLUMNS; k++) {
            wide_x[k] = (double)((float *)p.x)[k];
            wide_y[k] = (double)((float *)p.before)[k];
        }
        run_at(narrow, &p, f % 2 ? "cpu:0" : "0=cpu:0,1=cpu:1", y, p.format);
        cairn_plan *plan = plan_at(wide, &p, "cpu:0", p.format);

        MUST(context, cairn_plan_run(plan, wide_x, wide_y));
        for (int k = 0; k < SIDE * (int)p.op.columns; k++)
            cr_assert_eq(((float *)y)[k], (float)wide_y[k], "%s: Y(%d)", p.format, k);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&wide);
        cairn_tensor_destroy(&narrow);
        cairn_source_destroy(&source);
    }
}

/// The kernel of the last member rounds what comes of f64 sums where it meets every row
/// once and is a whole member on the device of those before it. Else a pass does, and Y has
/// the same bits.
Test(same_bits, in_f32_whoever_rounds, .timeout = 600)
{
    static const struct {
        const char *format, *place;
        bool        rounds; ///< Where one member alone is on the device.
    } cases[] = {
        {"hybrid<bdia<4>,csr,0.6>",             "cpu:0",                         true },
        {"hybrid<bdia<4>,csr,0.6>",             "cpu:1",                         true },
        {"hybrid<bdia<4>,csr,0.6>",             "0=cpu:0,1=cpu:1",               false},
        {"hybrid<bdia<4>,csr,0.6>",             "debug",                         false},
        {"hybrid<bdia<4>,csr,0.6>",             "0=cpu:0,1=cpu:0*0.5+cpu:1*0.5", false},
        {"hybrid<dia,sell<4>,0.6>",             "cpu:0",                         true },
        {"hybrid<bdia<4>,sell<4>,0.6>",         "cpu:0",                         true },
        {"hybrid<bell<2>,coo,0.5,0.5>",         "cpu:0",                         false},
        {"hybrid<bdia<4>,sell-sigma<4,8>,0.6>", "cpu:0",                         true },
        {"hybrid<bdia<4>,csc,0.6>",             "cpu:0",                         false},
        {"hybrid<bdia<4>,c2sr<2>,0.6>",         "cpu:0",                         false},
    };
    static _Alignas(8) char one[SIDE * COLUMNS * sizeof(double)], other[sizeof one];

    state  = seed_clock() * 2 + 1;
    floats = true;
    for (size_t f = 0; f < sizeof cases / sizeof *cases; f++)
        for (int k = 0; k < 4; k++) {
            cairn_source *source = draw_matrix();
            product       p      = draw_product(cases[f].format, 0);

            use_threads(1 + k % 2);
            p.dtype      = CAIRN_F32;
            p.op.columns = k < 2 ? 1 : COLUMNS;
            draw_operand(p.x, p.dtype);
            draw_operand(p.before, p.dtype);
            cairn_tensor *tensor = must_store(context, source, p.format, p.dtype);
            cairn_plan   *plan   = plan_at(tensor, &p, cases[f].place, p.format);

            cr_expect(plan->replay->sums.wide);
            cr_expect_eq(plan->replay->sums.rounded, cases[f].rounds, "%s at %s",
                         p.format, cases[f].place);
            cairn_plan_destroy(&plan);
            run_at(tensor, &p, cases[f].place, one, p.format);
            if (cases[f].rounds) {
                run_at(tensor, &p, "0=cpu:0,1=cpu:1", other, p.format);
                cr_assert_eq(memcmp(one, other, p.bytes), 0, "%s at %s", p.format,
                             cases[f].place);
            }
            cairn_tensor_destroy(&tensor);
            cairn_source_destroy(&source);
        }
}

/// All entries in the first member: the others need no f64 Y, wherever they are, and are
/// not run, nor is anything learned of their time.
Test(same_bits, in_f32_where_later_members_store_nothing, .timeout = 600)
{
    static const char *const formats[] = {"hybrid<bdia<4>,sell<4>,0>",
                                          "hybrid<bdia<4>,csr,0>", "hybrid<dia,coo,0>",
                                          "hybrid<bdia<4>,csc,0>"};
    static _Alignas(8) char  one[SIDE * COLUMNS * sizeof(double)], other[sizeof one];

    state  = seed_clock() * 2 + 1;
    floats = true;
    use_threads(2);
    for (int f = 0; f < 4; f++) {
        cairn_source *source = draw_matrix();
        product       p      = draw_product(formats[f], 0);

        p.dtype    = CAIRN_F32;
        p.op.alpha = 1;
        p.op.beta  = 0;
        draw_operand(p.x, p.dtype);
        cairn_tensor *tensor = must_store(context, source, p.format, p.dtype);

        for (int k = 0; k < 4; k++) {
            static const char *const there[] = {"cpu:0", "0=cpu:0,1=cpu:1",
                                                "0=cpu:1,1=debug",
                                                "0=cpu:0*0.3+cpu:1*0.7,1=cpu:0"};
            cairn_plan              *plan    = plan_at(tensor, &p, there[k], p.format);
            const cairn_replay      *replay  = plan->replay;

            cr_expect_not(replay->sums.wide, "%s at %s", p.format, there[k]);
            cr_expect(
                cairn_subproduct_is_idle(&replay->subproduct[replay->subproducts - 1]));
            cairn_plan_destroy(&plan);
            run_at(tensor, &p, there[k], k ? other : one, p.format);
            cr_assert_eq(k ? memcmp(one, other, p.bytes) : 0, 0, "%s at %s", p.format,
                         there[k]);
        }
        p.op.alpha       = -0.5; /* times infinity 0 would be no number */
        cairn_plan *plan = plan_at(tensor, &p, "cpu:0", p.format);

        cr_expect(plan->replay->sums.wide);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
}

/// Where bits would follow places, open ones follow a rule: whatever costs say, and no
/// other way is kept for later. Named ones have one result each.
Test(same_bits, of_one_placement_every_time, .timeout = 600)
{
    static _Alignas(8) char one[SIDE * COLUMNS * sizeof(double)], other[sizeof one];

    state = seed_clock() * 2 + 1;
    for (int f = 0; f < OFTEN; f++)
        for (int k = 0; k < 3; k++) {
            const char   *place  = k == 0 ? NULL : k == 1 ? "1=cpu:1" : "cpu:0+cpu:1";
            product       p      = draw_product(often[f], 0);
            cairn_source *source = draw_matrix();

            p.op.transposed = draw(2) != 0;
            for (int run = 0; run < 3; run++) {
                /* Costs are learned when plans go, and forgotten with devices. */
                if (run != 1) use_threads(1 + run);
                cairn_tensor *tensor = must_store(context, source, p.format, p.dtype);

                run_at(tensor, &p, place, run ? other : one, p.format);
                cr_assert_eq(run ? memcmp(one, other, p.bytes) : 0, 0,
                             "%s, run %d at %s", p.format, run,
                             place ? place : "open places");
                cairn_plan *plan = plan_at(tensor, &p, place, p.format);

                /* Transposed, members may meet rows once, and any place will do. */
                if (!p.op.transposed)
                    cr_expect_null(plan->adapt.other, "%s has another way", p.format);
                cairn_plan_destroy(&plan);
                cairn_tensor_destroy(&tensor);
            }
            cairn_source_destroy(&source);
        }
}
