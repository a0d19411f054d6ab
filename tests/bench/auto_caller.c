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

static void time_choice(cairn_context      *context,
                        const caller       *c,
                        const cairn_format *chosen,
                        caller_costs       *costs)
{
    cairn_tensor *lent = borrow(context, c, &costs->take), *made = NULL;
    cairn_source *source = NULL;
    double        begin  = bench_seconds();

    if (cairn_source_from_tensor(lent, &source) != CAIRN_OK) stop(context);
    costs->source = fmin(costs->source, bench_seconds() - begin);
    begin         = bench_seconds();
    if (cairn_tensor_convert(lent, chosen, &made) != CAIRN_OK) stop(context);
    costs->store = fmin(costs->store, bench_seconds() - begin);
    cairn_tensor_destroy(&made);
    cairn_source_destroy(&source);
    cairn_tensor_destroy(&lent);
}

/// The least of many runs: of small matrices one takes less than the clock can tell.
static double time_plain(cairn_plan *plan, cairn_context *context, int rounds)
{
    double least = INFINITY;

    for (int k = 0; k < 4 * rounds; k++) {
        const double begin = bench_seconds();

        if (cairn_plan_run(plan, NULL, NULL) != CAIRN_OK) stop(context);
        least = fmin(least, bench_seconds() - begin);
    }
    return least;
}

caller_costs time_caller(cairn_source                *source,
                         cairn_dtype                  dtype,
                         const cairn_product_options *product,
                         int                          rounds,
                         const cairn_format          *chosen)
{
    cairn_context *const context = source->context;
    caller               c       = copy_rows(source, dtype);
    caller_costs         costs   = {INFINITY, INFINITY, INFINITY, INFINITY};
    cairn_tensor        *lent    = borrow(context, &c, &costs.take);
    cairn_plan          *plan    = NULL;

    if (cairn_plan_create_product(lent, product, &plan) != CAIRN_OK) stop(context);
    costs.plain = time_plain(plan, context, rounds);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&lent);
    for (int k = 0; k < 4; k++)
        time_choice(context, &c, chosen, &costs);
    free(c.ptr);
    free(c.idx);
    free(c.val);
    return costs;
}
