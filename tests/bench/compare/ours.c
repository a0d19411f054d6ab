// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cairn's side of the products: a source stored in a format, a plan, and runs of it, all
/// by the public API. Every format is there twice: with the plan's own dense operands,
/// filled before, as PETSc's and GraphBLAS's are; and with a caller's, as a user meets it
/// first. All are stored for 10,000 products, so that values are as narrow as they are
/// (those that are borrowed stay as they lie); how they are stored, and whether a plan had
/// to widen them, is told. `auto` is one of the formats; what it chose is told beside it.
/// Compressed rows are there once more over the caller's own arrays.

#include "compare.h"

/// As a solver has them.
enum { PRODUCTS = 10000 };

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

static cairn_product_options get_product(const compare_task *task)
{
    return (cairn_product_options){
        .size = sizeof(cairn_product_options), .columns = task->columns, .alpha = 1};
}

/// The name that a format has in the list that it was chosen from.
static void
copy_name(const state *s, const cairn_auto_info *info, char *name, size_t room)
{
    cairn_context *const context = s->task->matrix->context;
    const char          *text    = cairn_format_text(s->format);

    snprintf(name, room, "%s", text);
    for (int k = 0; k < info->candidates; k++) {
        cairn_format *format = NULL;

        if (cairn_format_create(context, info->candidate[k].format, &format)) continue;
        if (strcmp(cairn_format_text(format), text) == 0)
            snprintf(name, room, "%s", info->candidate[k].format);
        cairn_format_destroy(&format);
    }
}

/// @param[out] chosen  [160] What `auto` chose; "" for other formats.
static cairn_status make_format(state *s, const char *format, char *chosen)
{
    const cairn_product_options product = get_product(s->task);
    const cairn_auto_options    options = {.size = sizeof options, .replays = PRODUCTS};
    cairn_auto_info            *info;
    cairn_status                status;

    *chosen = '\0';
    if (strcmp(format, "auto") != 0)
        return cairn_format_create(s->task->matrix->context, format, &s->format);
    info   = compare_take(1, sizeof *info);
    *info  = (cairn_auto_info)CAIRN_AUTO_INFO;
    status = cairn_format_auto(s->task->matrix->source, s->task->dtype, &product,
                               &options, &s->format, info);
    if (!status) copy_name(s, info, chosen, 160);
    free(info);
    return status;
}

static cairn_status borrow(state *s)
{
    const compare_matrix *m   = s->task->matrix;
    const bool            f64 = s->task->dtype == CAIRN_F64;

    return cairn_tensor_from_csr(m->context, m->rows, m->cols, 0, m->rows, m->ptr, 32,
                                 m->idx, 32, f64 ? (const void *)m->val : m->val32,
                                 s->task->dtype, CAIRN_BORROW, NULL, &s->tensor);
}

/// How the members' values are stored, each type once, and whether their kernels read
/// copies that were widened.
static void name_values(const state *s, char *values, size_t room)
{
    cairn_part_info *part  = NULL;
    cairn_plan_part *run   = NULL;
    int64_t          parts = 0, runs = 0;

    *values = '\0';
    if (cairn_tensor_parts(s->tensor, &parts, &part)
        || cairn_plan_parts(s->plan, &runs, &run))
        compare_stop(s->task->matrix->name, "its parts cannot be listed");
    for (int64_t p = 0; p < parts; p++) {
        cairn_array_info array = CAIRN_ARRAY_INFO;

        for (int k = 0; !cairn_tensor_array(s->tensor, part[p].local, k, &array); k++)
            if (array.stored && !strstr(values, array.stored))
                snprintf(values + strlen(values), room - strlen(values), "%s%s",
                         *values ? "+" : "", array.stored);
    }
    for (int64_t p = 0; p < runs; p++)
        if (strstr(run[p].note, "values widened")) {
            snprintf(values + strlen(values), room - strlen(values), " widened");
            break;
        }
    cairn_parts_free(s->tensor, &part);
    cairn_plan_parts_free(s->plan, &run);
}

/// One contender.
static void fill(compare_contender *c, state *s, const cairn_plan_info *info, bool lent)
{
    *c = (compare_contender){.memory = MEMORY_KEPT,
                             .way    = &ways[lent],
                             .state  = s,
                             .lent   = lent,
                             .bytes  = (double)info->bytes_per_run};
    snprintf(c->route, sizeof c->route, "%s", info->route);
    name_values(s, c->values, sizeof c->values);
    s->users++;
}

/// @return The number of contenders: two, with the caller's rows one.
static int prepare(compare_contender *c, const compare_task *task, const char *format)
{
    cairn_context *const        context     = task->matrix->context;
    const cairn_product_options options     = get_product(task);
    const cairn_store_options   often       = {sizeof often, PRODUCTS};
    const bool                  borrowed    = !format;
    cairn_plan_info             info        = CAIRN_PLAN_INFO;
    char                        chosen[160] = "";
    state                      *s           = compare_take(1, sizeof *s);

    *s = (state){.task = task};
    if ((borrowed ? borrow(s)
                  : make_format(s, format, chosen)
                        || cairn_tensor_create_with(task->matrix->source, s->format,
                                                    task->dtype, &often, &s->tensor))
        || cairn_plan_create_product(s->tensor, &options, &s->plan)
        || cairn_plan_describe(s->plan, &info)) {
        fprintf(stderr, "%s in %s: %s\n", task->matrix->name,
                borrowed ? "the caller's rows" : format,
                cairn_context_message(context));
        destroy(s);
        return 0;
    }
    if (info.why)
        fprintf(stderr, "%s in %s: %s: %s\n", task->matrix->name,
                borrowed ? "the caller's rows" : format, info.route, info.why);
    if (borrowed) {
        fill(c, s, &info, true);
        c->borrowed = true;
        snprintf(c->name, sizeof c->name, "csr, caller's arrays, x and y");
        return 1;
    }
    fill_x(task, s->plan);
    for (int lent = 0; lent < 2; lent++) {
        fill(&c[lent], s, &info, lent);
        snprintf(c[lent].name, sizeof c[lent].name, "%s%s", format,
                 lent ? ", caller's x and y" : "");
        snprintf(c[lent].chosen, sizeof c[lent].chosen, "%s", chosen);
    }
    return 2;
}

int compare_ours(const compare_task     *task,
                 const compare_settings *settings,
                 compare_contender      *list,
                 int                     room)
{
    const char *const known = compare_formats(task->matrix, task->dtype, task->columns);
    char              formats[2048];
    const char       *next = formats;
    int               n    = 0;

    if (settings->formats)
        snprintf(formats, sizeof formats, "%s", settings->formats);
    else
        snprintf(formats, sizeof formats, "auto;%s", known);
    while (*next && n + 2 < room) {
        const size_t length = strcspn(next, ";");
        char         format[512];

        snprintf(format, sizeof format, "%.*s", (int)length, next);
        n += prepare(&list[n], task, format);
        next += length + (next[length] == ';');
    }
    if (n < room) n += prepare(&list[n], task, NULL);
    return n;
}
