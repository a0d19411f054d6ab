// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Members divided among devices: every division gives the product, with the bits of the
/// undivided member; memories that are too small and devices that fail meet shares.

#include "support/shares.h"

TestSuite(shares, .init = up, .fini = down);

/// A product of the tensor at a place, run twice and checked.
static void
run_at(cairn_tensor *tensor, const char *format, const char *place, operands *o)
{
    cairn_plan *plan = make_plan(tensor, o, place);
    char        text[256];

    snprintf(text, sizeof text, "%s at %s, beta %g", format, place, o->op.beta);
    run(plan, o, text);
    run(plan, o, text);
    cairn_plan_destroy(&plan);
}

/// Products of all sorts, one after the other.
static operands sort_of_product(int k)
{
    return (operands){
        .dtype = k % 2 ? CAIRN_F32 : CAIRN_F64,
        .op    = {.size       = sizeof(cairn_product_options),
                  .columns    = k % 3 == 2 ? MOST : 1,
                  .transposed = k % 5 == 3,
                  .alpha      = k % 7 ? 1 : -0.5,
                  .beta       = k % 4 ? 0 : 1.25}
    };
}

static bool same_y(const operands *a, const operands *b)
{
    const size_t n = (size_t)(outer(a) * a->op.columns);

    return a->dtype == CAIRN_F32 ? memcmp(a->y32, b->y32, n * sizeof *a->y32) == 0
                                 : memcmp(a->y, b->y, n * sizeof *a->y) == 0;
}

/// Divisions of a format with one member. Processors add into Y where it is, and so a
/// product that is not transposed has the bits of one device.
static void check_divisions(const char *format, int sort)
{
    static const struct {
        const char *place;
        bool        bits;
    } rows[] = {
        {"cpu:0+cpu:1",                   true },
        {"cpu:1*0.25+cpu:0*0.75",         true },
        {"cpu:0*0.6+debug*0.4",           false},
        {"debug*0.5+cpu:1*0.5",           false},
        {"cpu:0*0.3+debug*0.3+cpu:1*0.4", false},
    };
    cairn_source *source = make_source(context);

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        static operands one, o;

        o = one              = sort_of_product(sort + (int)k);
        cairn_tensor *tensor = must_store(context, source, format, o.dtype);

        run_at(tensor, format, "cpu:0", &one);
        run_at(tensor, format, rows[k].place, &o);
        if ((rows[k].bits || o.op.beta == 0) && !o.op.transposed)
            cr_assert(same_y(&one, &o), "%s at %s: other bits", format, rows[k].place);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

Test(shares, every_division_gives_the_product, .timeout = 600)
{
    int sort = 0;

    use_devices("cpu:2,debug");
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++, sort++)
        if (strncmp(formats[f], "hybrid", 6) != 0) check_divisions(formats[f], sort);
}

/// Rows without an entry become 0, in whatever was in Y's memory.
Test(shares, empty_rows_are_set)
{
    static const int64_t place[]  = {0, 0, 1, 1, 2, 2, 11, 11, 15, 15},
                         extent[] = {16, 16};
    static const double value[]   = {1, 2, 3, 4, 5};
    cairn_source       *source;

    use_devices("cpu:2,debug");
    MUST(context, cairn_source_from_coords(context, 2, extent, 5, place, value,
                                           CAIRN_BY_ROWS, &source));
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        const cairn_plan_options options = {.size  = sizeof(cairn_plan_options),
                                            .place = "debug*0.5+cpu:1*0.5"};
        cairn_tensor *tensor = must_store(context, source, formats[f], CAIRN_F64);
        cairn_plan   *plan;
        double        x[16], y[16];

        for (int k = 0; k < 16; k++)
            x[k] = 1, y[k] = NAN;
        MUST(context, cairn_plan_create_with(tensor, &options, &plan));
        MUST(context, cairn_plan_run(plan, x, y));
        for (int i = 0, k = 0; i < 16; i++)
            cr_expect_eq(y[i], k < 5 && place[2 * k] == i ? value[k++] : 0,
                         "%s: Y(%d) is %g", formats[f], i, y[i]);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

Test(shares, hybrids_divide_any_member)
{
    static const char *const places[] = {
        "0=cpu:0+cpu:1,1=cpu:0+cpu:1", "0=cpu:0,1=cpu:0+cpu:1",
        "0=cpu:1+debug,1=cpu:0*0.5+cpu:1*0.5", "0=debug,1=cpu:1+debug", "cpu:1+cpu:0"};
    static operands o;
    cairn_source   *source = make_source(context);

    use_devices("cpu:2,debug");
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        for (int sort = 0; sort < 6; sort++) {
            o                    = sort_of_product((int)k + sort);
            cairn_tensor *tensor = must_store(context, source,
                                              sort % 2 ? "hybrid<bell<2>,coo,0.5,0.5>"
                                                       : "hybrid<bdia<4>,csr,0.6>",
                                              o.dtype);

            run_at(tensor, "hybrid", places[k], &o);
            cairn_tensor_destroy(&tensor);
        }
    cairn_source_destroy(&source);
}

Test(shares, reference_ways_divide_as_well)
{
    static operands one, o;
    cairn_source   *source = make_source(context);

    use_devices("cpu:2");
    context->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        o = one              = sort_of_product((int)f);
        cairn_tensor *tensor = must_store(context, source, formats[f], o.dtype);

        run_at(tensor, formats[f], "cpu:0", &one);
        run_at(tensor, formats[f], "cpu:0+cpu:1", &o);
        if (!o.op.transposed && !strstr(formats[f], "hybrid"))
            cr_assert(same_y(&one, &o), "%s: other bits", formats[f]);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

Test(shares, shares_say_what_they_have)
{
    static operands o      = {.op = CAIRN_PRODUCT_OPTIONS};
    cairn_source   *source = make_source(context);

    use_devices("cpu:2,debug");
    cairn_tensor *tensor = must_store(context, source, "bcsr<2,3>", CAIRN_F64);
    cairn_plan   *plan   = make_plan(tensor, &o, "cpu:0*0.3+debug*0.5+cpu:1*0.2");

    run(plan, &o, "listed");
    listing l = list(plan);

    cr_assert_eq(l.count, 3);
    int64_t entries = 0, next = 0;

    for (int k = 0; k < 3; k++) {
        static const char *const device[] = {"cpu:0", "debug:0", "cpu:1"};

        cr_expect_str_eq(l.part[k].device, device[k]);
        cr_expect_eq(l.part[k].member, 0);
        cr_expect_eq(l.part[k].share, k);
        cr_expect_eq(l.part[k].first_row, next);
        cr_expect_eq(next % 2, 0, "a block is cut at row %d", (int)next);
        cr_expect_gt(l.part[k].bytes, 0);
        cr_expect_gt(l.part[k].seconds, 0);
        entries += l.part[k].nnz;
        next += l.part[k].rows;
    }
    cr_expect_eq(next, ROWS);
    cr_expect_eq(entries, tensor->local->part[0].nnz);
    cr_expect(l.part[0].nnz < l.part[1].nnz && l.part[2].nnz < l.part[1].nnz);
    cairn_plan_parts_free(plan, &l.part);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(shares, a_device_that_fails_loses_its_share_alone)
{
    static const char *const places[] = {"debug*0.5+cpu:1*0.5", "cpu:0*0.4+debug*0.6"};
    cairn_source            *source   = make_source(context);

    for (int k = 0; k < 12; k++) {
        static operands o;
        char            what[64];

        snprintf(what, sizeof what, ", \"fail_run\": %d", 1 + k % 3);
        o = sort_of_product(k);
        use_debug("cpu:2", what, NULL);
        cairn_tensor *tensor =
            must_store(context, source, k % 2 ? "csr" : "sell-sigma<4,8>", o.dtype);
        cairn_plan *plan = make_plan(tensor, &o, places[k % 2]);

        for (int n = 0; n < 5; n++)
            run(plan, &o, what);
        listing l = list(plan);

        cr_expect_str_eq(l.part[k % 2].device, "cpu:0");
        cr_expect(strstr(l.part[k % 2].note, "retired"), "%s", l.part[k % 2].note);
        cr_expect_str_eq(l.part[1 - k % 2].device, k % 2 ? "cpu:0" : "cpu:1");
        cr_expect_str_eq(l.part[1 - k % 2].note, "");
        cairn_plan_parts_free(plan, &l.part);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

/// What does not fit a device's memory: a share stays there, the rest is the processor's,
/// for any memory that has room for X and some rows.
Test(shares, what_does_not_fit_is_divided)
{
    static const char *const names[] = {"csr", "bcsr<2,3>", "ell", "csc", "dia"};
    cairn_source            *source  = make_source(context);
    int                      divided = 0;

    for (int k = 0; k < 40; k++) {
        static operands o;
        char            what[64];

        o                = sort_of_product(k);
        o.op.columns     = 1;
        cairn_plan *plan = NULL;

        snprintf(what, sizeof what, ", \"memory\": %d", 700 + 160 * k);
        use_debug("cpu:2", what, NULL);
        cairn_tensor *tensor = must_store(context, source, names[k % 5], o.dtype);
        const cairn_plan_options options = {
            .size = sizeof(cairn_plan_options), .product = &o.op, .place = "debug"};

        if (cairn_plan_create_with(tensor, &options, &plan) != CAIRN_OK) {
            cr_expect(strstr(cairn_context_message(context), "debug:0"), "%s: %s",
                      names[k % 5], cairn_context_message(context));
            cr_expect_lt(k, 20, "%s: nothing fits %s", names[k % 5], what);
        } else {
            cairn_plan_info info = CAIRN_PLAN_INFO;
            listing         l    = list(plan);

            run(plan, &o, names[k % 5]);
            cr_expect_str_eq(l.part[0].device, "debug:0");
            if (l.count == 2) cr_expect_str_eq(l.part[1].device, "cpu:0");
            MUST(context, cairn_plan_describe(plan, &info));
            cr_expect_eq(strstr(info.placement, "does not fit debug:0") != NULL,
                         l.count == 2, "%s", info.placement);
            divided += l.count == 2;
            cairn_plan_parts_free(plan, &l.part);
        }
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
    }
    cr_expect_gt(divided, 8, "%d divided", divided);
    cairn_source_destroy(&source);
}

enum { MANY = 40000, LONG = 12000 };

/// A matrix in which processors have enough to do, with a row that is cut.
static cairn_source *make_large(void)
{
    int64_t      *coord = malloc(2 * (5 * MANY + LONG) * sizeof *coord), n = 0;
    double       *value     = malloc((5 * MANY + LONG) * sizeof *value);
    int64_t       extent[2] = {MANY, MANY};
    cairn_source *source;

    for (int64_t i = 0; i < MANY; i++)
        for (int64_t k = 0; k < (i == 777 ? LONG : 5); k++) {
            coord[2 * n]     = i;
            coord[2 * n + 1] = i == 777 ? 3 * k : (i * 7919 + 1013 * k) % MANY;
            value[n++]       = 1 + (double)((i + k) % 11) / 7;
        }
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, value,
                                           CAIRN_BY_ROWS, &source));
    free(coord);
    free(value);
    return source;
}

/// Y of the plan for the ramp; of MANY rows.
static double *multiply(cairn_plan *plan)
{
    double *y = malloc(MANY * sizeof *y);

    fill_ramp(plan);
    MUST(context, cairn_plan_run(plan, NULL, y));
    return y;
}

/// Who leaves places open gets a division tried; who wants the same bits every time one
/// device. Bits are the same either way.
Test(shares, open_members_are_tried_divided)
{
    const cairn_plan_options fixed = {.size         = sizeof(cairn_plan_options),
                                      .reproducible = 1},
                             open  = CAIRN_PLAN_OPTIONS;
    cairn_source   *source         = make_large();
    cairn_plan     *plan, *single;
    cairn_plan_info info = CAIRN_PLAN_INFO;

    use_devices("cpu:2");
    strcpy(context->env.options.costs, "none");
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

    MUST(context, cairn_plan_create_with(tensor, &open, &plan));
    MUST(context, cairn_plan_describe(plan, &info));
    cr_expect(strstr(info.placement, "several devices"), "%s", info.placement);
    MUST(context, cairn_plan_create_with(tensor, &fixed, &single));
    listing l = list(single);

    cr_expect_eq(l.count, 1);
    cairn_plan_parts_free(single, &l.part);
    double *a = multiply(plan), *b = multiply(single);

    cr_expect_eq(memcmp(a, b, MANY * sizeof *a), 0);
    free(a);
    free(b);
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&single);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// Long rows are cut at the same entries in a share.
Test(shares, long_rows_keep_their_bits)
{
    static const char *const names[] = {"csr", "coo", "sell<4>", "csc"};
    static operands          o       = {.op = CAIRN_PRODUCT_OPTIONS};
    cairn_source            *source  = make_large();

    use_devices("cpu:2");
    for (int k = 0; k < 8; k++) {
        context->env.options.kernels =
            k < 4 ? CAIRN_KERNELS_REFERENCE : CAIRN_KERNELS_AUTO;
        cairn_tensor *tensor = must_store(context, source, names[k % 4], CAIRN_F64);
        cairn_plan   *one    = make_plan(tensor, &o, "cpu:1");
        cairn_plan   *two    = make_plan(tensor, &o, "cpu:0*0.01+cpu:1*0.99");
        double       *a = multiply(one), *b = multiply(two);

        cr_expect_eq(memcmp(a, b, MANY * sizeof *a), 0, "%s: other bits", names[k % 4]);
        free(a);
        free(b);
        cairn_plan_destroy(&one);
        cairn_plan_destroy(&two);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

/// Shares that have arrays of their own count against the limit.
Test(shares, memory_of_shares_is_counted)
{
    static operands o      = {.op = CAIRN_PRODUCT_OPTIONS};
    cairn_source   *source = make_large();
    cairn_plan     *plan   = NULL;

    use_devices("cpu:2");
    cairn_tensor *tensor = must_store(context, source, "csc", CAIRN_F64);

    cairn_context_set_memory(context, live_bytes(context) + 1000000);
    REFUSED(
        context, NO_MEMORY, "share",
        cairn_plan_create_with(tensor,
                               &(cairn_plan_options){.size = sizeof(cairn_plan_options),
                                                     .place = "cpu:0+cpu:1"},
                               &plan));
    cr_expect_null(plan);
    cairn_context_set_memory(context, (int64_t)1 << 30);
    plan = make_plan(tensor, &o, "cpu:0+cpu:1");
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}
