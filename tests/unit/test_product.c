// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products as users ask for them: columns, transposes, alpha and beta, both element
/// types, held to sums over a dense copy; every way that a format can go.

#include "api/api.h"
#include "support/small_product.h"
#include "support/suite_context.h"

TestSuite(product, .init = context_up, .fini = context_down);

/// Compiled, or the reference way.
static void
multiply(cairn_tensor *tensor, operands *o, const char *text, cairn_kernels_way way)
{
    const bool  f32 = o->dtype == CAIRN_F32;
    cairn_plan *plan;

    fill(o);
    context->env.options.kernels = way;
    MUST(context, cairn_plan_create_product(tensor, &o->op, &plan));
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
    cr_assert_eq(strcmp(cairn_plan_member_route(plan, 0), "reference") == 0,
                 way == CAIRN_KERNELS_REFERENCE);
    cr_assert_eq(cairn_plan_x(plan) == NULL, f32);
    cr_assert_eq(cairn_plan_x_f32(plan) == NULL, !f32);
    for (int again = 0; again < 2;
         again++) { /* the second run starts from the same Y */
        fill(o);
        MUST(context, cairn_plan_run(plan, f32 ? (void *)o->x32 : (void *)o->x,
                                     f32 ? (void *)o->y32 : (void *)o->y));
        check(o, text);
    }
    cairn_plan_destroy(&plan);
}

/// All formats; of each four of the list the first two where PRODUCT_HALF is 0, the others
/// where it is 1.
static bool is_tried(size_t format)
{
    const char *half = getenv("PRODUCT_HALF");

    return !half || format / 2 % 2 == strtoul(half, NULL, 10);
}

static void check_formats(operands *o)
{
    cairn_source *source = make_source(context);

    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (int t = 0; t < 2; t++) {
            if (!is_tried(f)) continue;
            if (o->op.columns != 1 && (f + (size_t)t) % 2) continue; /* either type */
            o->dtype             = t ? CAIRN_F32 : CAIRN_F64;
            cairn_tensor *tensor = must_store(context, source, formats[f], o->dtype);

            multiply(tensor, o, formats[f], CAIRN_KERNELS_COMPILED);
            multiply(tensor, o, formats[f], CAIRN_KERNELS_REFERENCE);
            cairn_tensor_destroy(&tensor);
        }
    cairn_source_destroy(&source);
}

Test(product, of_a_vector)
{
    static operands o = {.op = CAIRN_PRODUCT_OPTIONS};

    check_formats(&o);
}

Test(product, of_several_columns)
{
    static operands o = {
        .op = {.size = sizeof(cairn_product_options), .columns = MOST, .alpha = 1}
    };

    check_formats(&o);
}

Test(product, of_the_transpose)
{
    static operands o = {
        .op = {.size       = sizeof(cairn_product_options),
               .columns    = 1,
               .transposed = 1,
               .alpha      = 1}
    };

    check_formats(&o);
}

Test(product, of_the_transpose_and_several_columns)
{
    static operands o = {
        .op = {.size       = sizeof(cairn_product_options),
               .columns    = 3,
               .transposed = 1,
               .alpha      = 1}
    };

    check_formats(&o);
}

Test(product, is_scaled_and_added_to_what_was_there)
{
    static operands o = {
        .op = {.size    = sizeof(cairn_product_options),
               .columns = 1,
               .alpha   = -1.5,
               .beta    = 0.75}
    };

    check_formats(&o);
    o.op = (cairn_product_options){
        .size = sizeof(cairn_product_options), .columns = 2, .alpha = 2, .beta = 1};
    check_formats(&o);
    o.op = (cairn_product_options){.size       = sizeof(cairn_product_options),
                                   .columns    = 2,
                                   .transposed = 1,
                                   .alpha      = 0.5,
                                   .beta       = -1};
    check_formats(&o);
}

/// Y of a row longer than the cut, for x(j,c) = 1/(j + c + 1).
static void
multiply_long(cairn_tensor *tensor, int64_t columns, cairn_kernels_way way, double *y)
{
    const cairn_product_options op = {
        .size = sizeof(cairn_product_options), .columns = columns, .alpha = 1};
    cairn_plan *plan;
    int64_t     first, end;

    context->env.options.kernels = way;
    MUST(context, cairn_plan_create_product(tensor, &op, &plan));
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
    cairn_plan_columns(plan, &first, &end);
    for (int64_t n = 0; n < end * columns; n++)
        cairn_plan_x(plan)[n] = 1.0 / (double)(n / columns + n % columns + 1);
    for (int again = 0; again < 2; again++)
        MUST(context, cairn_plan_run(plan, NULL, y));
    cairn_plan_destroy(&plan);
}

/// The reference way gives a column the bits that it has alone, also where rows are cut;
/// a new sum begins after 4,096 entries.
Test(product, long_rows_are_cut_in_every_column)
{
    enum { LONG = 10000 };
    const int64_t  extent[2] = {2, LONG};
    static int64_t coord[2 * LONG];
    static double  value[LONG];
    cairn_source  *source;
    double         one[2], many[6], cut[3] = {0};

    for (int64_t j = 0; j < LONG; j++) {
        coord[2 * j]     = 1;
        coord[2 * j + 1] = j;
        value[j]         = 1 + (double)(j % 7) / 3;
        cut[j / 4096] += value[j] / (double)(j + 1);
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, LONG, coord, value,
                                           CAIRN_BY_ROWS, &source));
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

    multiply_long(tensor, 1, CAIRN_KERNELS_REFERENCE, one);
    multiply_long(tensor, 3, CAIRN_KERNELS_REFERENCE, many);

    cr_expect_eq(one[1], cut[0] + cut[1] + cut[2]);
    cr_expect_eq(many[3], one[1]);
    cr_expect_eq(many[0], 0);
    multiply_long(tensor, 1, CAIRN_KERNELS_COMPILED, many);
    cr_expect_float_eq(many[1], one[1], 1e-14 * one[1]);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// As verify sees it, whatever the columns.
Test(product, is_verified)
{
    cairn_source *source = make_source(context);
    double        rel, abs;

    for (int k = 0; k < 8; k++) {
        const cairn_product_options op = {.size       = sizeof(cairn_product_options),
                                          .columns    = k & 1 ? 4 : 1,
                                          .transposed = k & 2,
                                          .alpha      = k & 4 ? -3 : 1};
        cairn_tensor               *tensor =
            must_store(context, source, "csr", k % 3 ? CAIRN_F64 : CAIRN_F32);
        cairn_plan *plan;
        int64_t     first, end;

        MUST(context, cairn_plan_create_product(tensor, &op, &plan));
        cairn_plan_columns(plan, &first, &end);
        for (int64_t n = 0; n < (end - first) * op.columns; n++)
            if (k % 3)
                cairn_plan_x(plan)[n] = ramp(n);
            else
                cairn_plan_x_f32(plan)[n] = (float)ramp(n);
        MUST(context, cairn_plan_run(plan, NULL, NULL));
        MUST(context, cairn_plan_verify(plan, source, &rel, &abs));
        if (k % 3) cairn_plan_y(plan)[op.columns - 1] *= 1 + 1e-9;
        if (k % 3)
            REFUSED(context, NOT_VERIFIED, "1e-12",
                    cairn_plan_verify(plan, source, &rel, &abs));
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

Test(product, options_are_checked)
{
    cairn_source               *source = make_source(context);
    cairn_tensor               *tensor = must_store(context, source, "csr", CAIRN_F64);
    const cairn_product_options none   = {.size    = sizeof(cairn_product_options),
                                          .columns = 0,
                                          .alpha   = 1},
                                beta   = {.size    = sizeof(cairn_product_options),
                                          .columns = 1,
                                          .alpha   = 1,
                                          .beta    = 2};
    char        text[CAIRN_NOTATION];
    cairn_plan *plan = NULL;
    double      rel, abs;

    REFUSED(context, BAD_ARGUMENT, "columns: 0",
            cairn_plan_create_product(tensor, &none, &plan));
    cr_expect_null(plan);
    REFUSED(context, BAD_SHAPE, "the order is 3",
            cairn_product_check(context, NULL, 3));
    MUST(context, cairn_plan_create_product(tensor, &beta, &plan));
    REFUSED(context, BAD_ARGUMENT, "beta", cairn_plan_verify(plan, source, &rel, &abs));
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);

    cairn_product_notation(NULL, text);
    cr_expect_str_eq(text, "y(i) += A(i,j)*x(j)");
    cairn_product_notation(
        &(cairn_product_options){sizeof(cairn_product_options), 3, 1, 2, 0}, text);
    cr_expect_str_eq(text, "Y(j,k) += alpha*A(i,j)*X(i,k)");
}
