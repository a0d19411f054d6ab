// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random formats the third way: stored, multiplied by plans whose kernels are compiled,
/// and held to sums over a dense copy. A plan that fell back to the reference way fails.
///
/// The seed is printed; PROPERTY_SEED=N in the environment runs case N alone.

#include "support/api.h"
#include "support/crash_note.h"
#include "support/random_format.h"
#include "support/random_products.h"
#include "support/seed.h"

#include <math.h>

enum { USUAL_CASES = 150, MOST_ROWS = 40, MOST_COLS = 32, MOST = 4 };

typedef struct {
    uint64_t              seed, state;
    int64_t               extent[2], n;
    int64_t               coord[2 * MOST_ROWS * MOST_COLS];
    double                value[MOST_ROWS * MOST_COLS];
    double                dense[MOST_ROWS][MOST_COLS];
    cairn_dtype           dtype;
    cairn_product_options op;
    char                  text[RANDOM_FORMAT];
} example;

static void draw(example *e, uint64_t seed)
{
    e->seed = e->state = seed;
    e->n               = 0;
    e->extent[0]       = 1 + random_below(&e->state, MOST_ROWS);
    e->extent[1]       = 1 + random_below(&e->state, MOST_COLS);
    const int  density = random_below(&e->state, 101);
    const bool banded  = random_chance(&e->state, 30);

    memset(e->dense, 0, sizeof e->dense);
    for (int64_t i = 0; i < e->extent[0]; i++)
        for (int64_t j = 0; j < e->extent[1]; j++) {
            if (banded ? i - j > 2 || j - i > 1 : !random_chance(&e->state, density))
                continue;
            e->coord[2 * e->n]     = i;
            e->coord[2 * e->n + 1] = j;
            e->value[e->n]         = (float)(1 + random_below(&e->state, 1000) / 7.0);
            e->dense[i][j]         = e->value[e->n++];
        }
    random_format(&e->state, 2, e->text, sizeof e->text);
    e->dtype = random_chance(&e->state, 30) ? CAIRN_F32 : CAIRN_F64;
    e->op    = (cairn_product_options){
           .size       = sizeof(cairn_product_options),
           .columns    = random_chance(&e->state, 60) ? 1 : 2 + random_below(&e->state, 3),
           .transposed = random_chance(&e->state, 30),
           .alpha      = random_chance(&e->state, 70) ? 1 : -0.5,
           .beta       = random_chance(&e->state, 80) ? 0 : 2,
    };
}

/// Entry k of an operand, not 0; exact in both types.
static double operand(int64_t k)
{
    return (double)(float)((double)(k % 97 + 1) / 97);
}

static void check_row(const example *e, int64_t i, int64_t c, double y)
{
    const bool    t     = e->op.transposed;
    const int64_t inner = e->extent[t ? 0 : 1];
    double        r     = e->op.beta == 0 ? 0 : e->op.beta * operand(i + c);
    double        size  = fabs(r);

    for (int64_t j = 0; j < inner; j++) {
        const double term = e->op.alpha * (t ? e->dense[j][i] : e->dense[i][j])
                            * operand(j * e->op.columns + c);

        r += term;
        size += fabs(term);
    }
    cr_assert(fabs(y - r) <= (e->dtype == CAIRN_F32 ? 1e-6 : 1e-14) * size,
              "seed %llu: Y(%d,%d) is %.17g, not %.17g%s%s\n%s",
              (unsigned long long)e->seed, (int)i, (int)c, y, r,
              t ? ", transposed" : "", e->dtype == CAIRN_F32 ? ", f32" : "", e->text);
}

/// Run, from the same Y each time, and hold it to the definition.
static void run(cairn_context *context, const example *e, cairn_plan *plan)
{
    static double x[MOST_ROWS * MOST], y[MOST_ROWS * MOST];
    static float  x32[MOST_ROWS * MOST], y32[MOST_ROWS * MOST];
    const bool    f32   = e->dtype == CAIRN_F32;
    const int64_t outer = e->extent[e->op.transposed ? 1 : 0] * e->op.columns;

    for (int64_t k = 0; k < MOST_ROWS * MOST; k++)
        x[k] = x32[k] = (float)operand(k);
    for (int64_t k = 0; k < outer; k++)
        y[k] = y32[k] = (float)operand(k / e->op.columns + k % e->op.columns);
    MUST(context, cairn_plan_run(plan, f32 ? (void *)x32 : (void *)x,
                                 f32 ? (void *)y32 : (void *)y));
    for (int64_t k = 0; k < outer; k++)
        check_row(e, k / e->op.columns, k % e->op.columns, f32 ? (double)y32[k] : y[k]);
}

static void multiply(cairn_context *context, const example *e, cairn_tensor *tensor)
{
    cairn_plan     *plan;
    cairn_plan_info info = CAIRN_PLAN_INFO;

    cr_assert_eq(cairn_plan_create_product(tensor, &e->op, &plan), CAIRN_OK,
                 "seed %llu: %s\n%s", (unsigned long long)e->seed,
                 cairn_context_message(context), e->text);
    MUST(context, cairn_plan_describe(plan, &info));
    cr_assert_str_neq(info.route, "reference", "seed %llu: %s\n%s",
                      (unsigned long long)e->seed, info.why, e->text);
    for (int again = 0; again < 2; again++)
        run(context, e, plan);
    cairn_plan_destroy(&plan);
}

/// Reasons for which a random text may be refused as storage.
static bool may_refuse(cairn_context *context, cairn_status status)
{
    const char *message = cairn_context_message(context);

    return status == CAIRN_NO_MEMORY
           || ((status == CAIRN_BAD_FORMAT || status == CAIRN_OVERFLOW)
               && random_may_be_refused(message));
}

/// A case of random_products().
static bool run_case(cairn_context *context, uint64_t seed)
{
    static example e;
    cairn_source  *source = NULL;
    cairn_format  *format = NULL;
    cairn_tensor  *tensor = NULL;

    crash_note("seed %llu", (unsigned long long)seed);
    draw(&e, seed);
    MUST(context, cairn_source_from_coords(context, 2, e.extent, e.n, e.coord, e.value,
                                           CAIRN_BY_ROWS, &source));
    cairn_status status = cairn_format_create(context, e.text, &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, e.dtype, &tensor);
    cr_assert(status == CAIRN_OK || may_refuse(context, status), "seed %llu: %s\n%s",
              (unsigned long long)seed, cairn_context_message(context), e.text);
    if (status == CAIRN_OK) multiply(context, &e, tensor);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return status == CAIRN_OK;
}

Test(property_compiled, random_formats_multiply_by_compiled_kernels, .timeout = 3600)
{
    random_products(run_case, seed_cases(USUAL_CASES));
}
