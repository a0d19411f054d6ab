// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A caller's rows, as auto_caller.h says.

#include "auto_caller.h"

#include "api/api.h"
#include "bench.h"

#include <math.h>

/// A matrix as a caller has it: compressed rows, indices of 32 bits.
typedef struct {
    cairn_dtype dtype;
    int64_t     rows, cols;
    int32_t    *ptr, *idx;
    void       *val;
} caller;

static void stop(cairn_context *context)
{
    fprintf(stderr, "bench_auto: a caller's rows: %s\n",
            cairn_context_message(context));
    exit(1);
}

static caller copy_rows(const cairn_source *source, cairn_dtype dtype)
{
    const cairn_entries *e = &source->entries;
    const size_t         n = (size_t)e->n;
    cairn_source_info    m = CAIRN_SOURCE_INFO;

    if (cairn_source_describe(source, &m) != CAIRN_OK) stop(source->context);

    caller c = {.dtype = dtype,
                .rows  = m.extent[0],
                .cols  = m.extent[1],
                .ptr   = calloc((size_t)m.extent[0] + 1, sizeof *c.ptr),
                .idx   = malloc((n + 1) * sizeof *c.idx),
                .val   = malloc((n + 1) * sizeof(double))};

    if (!c.ptr || !c.idx || !c.val) exit(1);
    for (cairn_pos p = 0; p < e->n; p++) {
        c.ptr[e->coord[0][p] + 1]++;
        c.idx[p] = (int32_t)e->coord[1][p];
        if (dtype == CAIRN_F64)
            ((double *)c.val)[p] = e->value[p];
        else
            ((float *)c.val)[p] = (float)e->value[p];
    }
    for (int64_t i = 0; i < c.rows; i++)
        c.ptr[i + 1] += c.ptr[i];
    return c;
}

static cairn_tensor *borrow(cairn_context *context, const caller *c, double *seconds)
{
    cairn_tensor *lent  = NULL;
    const double  begin = bench_seconds();

    if (cairn_tensor_from_csr(context, c->rows, c->cols, 0, c->rows, c->ptr, 32, c->idx,
                              32, c->val, c->dtype, CAIRN_BORROW, NULL, &lent)
        != CAIRN_OK)
        stop(context);
    *seconds = fmin(*seconds, bench_seconds() - begin);
    return lent;
}

/// The least of many runs: of small matrices one takes less than the clock can tell.
static double time_product(cairn_context               *context,
                           cairn_tensor                *tensor,
                           const cairn_product_options *product,
                           int                          rounds)
{
    cairn_plan *plan  = NULL;
    double      least = INFINITY;

    if (cairn_plan_create_product(tensor, product, &plan) != CAIRN_OK) stop(context);
    for (int k = 0; k < 4 * rounds; k++) {
        const double begin = bench_seconds();

        if (cairn_plan_run(plan, NULL, NULL) != CAIRN_OK) stop(context);
        least = fmin(least, bench_seconds() - begin);
    }
    cairn_plan_destroy(&plan);
    return least;
}

/// The format for one product; NULL: the rows stay.
static cairn_format *choose(cairn_context               *context,
                            const cairn_tensor          *lent,
                            const cairn_product_options *product,
                            double                      *seconds)
{
    const cairn_auto_options options = {.size    = sizeof(cairn_auto_options),
                                        .replays = 1};
    cairn_format            *format  = NULL;
    const double             begin   = bench_seconds();

    if (cairn_tensor_auto(lent, product, &options, &format, NULL) != CAIRN_OK)
        stop(context);
    *seconds = fmin(*seconds, bench_seconds() - begin);
    return format;
}

/// Choose, and convert where that is what is chosen, from the begin.
static void time_choice(cairn_context               *context,
                        const caller                *c,
                        const cairn_product_options *product,
                        int                          rounds,
                        caller_costs                *costs)
{
    cairn_tensor *lent = borrow(context, c, &costs->take), *made = NULL;
    cairn_format *chosen = choose(context, lent, product, &costs->choose);
    const double  begin  = bench_seconds();

    if (chosen && cairn_tensor_convert(lent, chosen, &made) != CAIRN_OK) stop(context);
    costs->store   = made ? fmin(costs->store, bench_seconds() - begin) : 0;
    costs->product = fmin(costs->product,
                          time_product(context, made ? made : lent, product, rounds));
    cairn_format_destroy(&chosen);
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&lent);
}

caller_costs time_caller(cairn_source                *source,
                         cairn_dtype                  dtype,
                         const cairn_product_options *product,
                         int                          rounds)
{
    cairn_context *const context = source->context;
    caller               c       = copy_rows(source, dtype);
    caller_costs         costs   = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};

    for (int k = 0; k < 4; k++) {
        cairn_tensor *lent = borrow(context, &c, &costs.take);

        costs.plain = fmin(costs.plain, time_product(context, lent, product, rounds));
        cairn_tensor_destroy(&lent);
        time_choice(context, &c, product, rounds, &costs);
    }
    free(c.ptr);
    free(c.idx);
    free(c.val);
    return costs;
}
