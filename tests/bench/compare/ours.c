// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cairn's side of the products: a source stored in a format, a plan, and runs of it, all
/// by the public API. Every format is there twice: with the plan's own dense operands,
/// filled before, as PETSc's and GraphBLAS's are; and with a caller's, as a user meets it
/// first.

#include "compare.h"

typedef struct {
    const compare_task *task;
    cairn_format       *format;
    cairn_tensor       *tensor;
    cairn_plan         *plan;
    int                 users; ///< Contenders that have it.
} state;

static void destroy(void *given)
{
    state *s = given;

    if (--s->users > 0) return;
    cairn_plan_destroy(&s->plan);
    cairn_tensor_destroy(&s->tensor);
    cairn_format_destroy(&s->format);
    free(s);
}

static double run(void *given)
{
    state *const s     = given;
    const double begin = bench_seconds();

    return cairn_plan_run(s->plan, NULL, NULL) ? -1 : bench_seconds() - begin;
}

static int64_t count_y(const compare_task *t)
{
    return (int64_t)t->matrix->rows * t->columns;
}

static void result(void *given, compare_result *result)
{
    const state *const s = given;
    const int64_t      n = count_y(s->task);

    if (s->task->dtype == CAIRN_F64)
        memcpy(result->y, cairn_plan_y(s->plan), (size_t)n * sizeof(double));
    else
        for (int64_t k = 0; k < n; k++)
            result->y[k] = cairn_plan_y_f32(s->plan)[k];
}

static double run_lent(void *given)
{
    state *const s     = given;
    const double begin = bench_seconds();

    return cairn_plan_run(s->plan, s->task->x, s->task->y) ? -1
                                                           : bench_seconds() - begin;
}

static void result_lent(void *given, compare_result *result)
{
    const compare_task *const t = ((const state *)given)->task;

    for (int64_t k = 0; k < count_y(t); k++)
        result->y[k] = t->dtype == CAIRN_F64 ? ((const double *)t->y)[k]
                                             : ((const float *)t->y)[k];
}

/// With the plan's operands, and with a caller's.
static const compare_way ways[2] = {
    {.name = "Cairn", .run = run,      .result = result,      .destroy = destroy},
    {.name = "Cairn", .run = run_lent, .result = result_lent, .destroy = destroy},
};

static void fill_x(const compare_task *t, cairn_plan *plan)
{
    const size_t n = (size_t)t->matrix->cols * (size_t)t->columns;

    if (t->dtype == CAIRN_F64)
        memcpy(cairn_plan_x(plan), t->x, n * sizeof(double));
    else
        memcpy(cairn_plan_x_f32(plan), t->x, n * sizeof(float));
}

/// Two contenders.
static bool prepare(compare_contender *c, const compare_task *task, const char *format)
{
    cairn_context *const        context = task->matrix->context;
    const cairn_product_options options = {
        .size = sizeof(cairn_product_options), .columns = task->columns, .alpha = 1};
    cairn_plan_info info = CAIRN_PLAN_INFO;
    state          *s    = compare_take(1, sizeof *s);

    *s = (state){.task = task, .users = 1};
    if (cairn_format_create(context, format, &s->format)
        || cairn_tensor_create(task->matrix->source, s->format, task->dtype, &s->tensor)
        || cairn_plan_create_product(s->tensor, &options, &s->plan)
        || cairn_plan_describe(s->plan, &info)) {
        fprintf(stderr, "%s in %s: %s\n", task->matrix->name, format,
                cairn_context_message(context));
        destroy(s);
        return false;
    }
    if (info.why)
        fprintf(stderr, "%s in %s: %s: %s\n", task->matrix->name, format, info.route,
                info.why);
    fill_x(task, s->plan);
    s->users = 2;
    for (int lent = 0; lent < 2; lent++) {
        c[lent] = (compare_contender){.memory = MEMORY_KEPT,
                                      .way    = &ways[lent],
                                      .state  = s,
                                      .lent   = lent,
                                      .bytes  = (double)info.bytes_per_run};
        snprintf(c[lent].name, sizeof c[lent].name, "%s%s", format,
                 lent ? ", caller's x and y" : "");
        snprintf(c[lent].route, sizeof c[lent].route, "%s", info.route);
    }
    return true;
}

int compare_ours(const compare_task     *task,
                 const compare_settings *settings,
                 compare_contender      *list,
                 int                     room)
{
    const char *next = settings->formats
                           ? settings->formats
                           : compare_formats(task->matrix, task->dtype, task->columns);
    int         n    = 0;

    while (*next && n + 1 < room) {
        const size_t length = strcspn(next, ";");
        char         format[512];

        snprintf(format, sizeof format, "%.*s", (int)length, next);
        if (prepare(&list[n], task, format)) n += 2;
        next += length + (next[length] == ';');
    }
    return n;
}
