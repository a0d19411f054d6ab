// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Visits by row: counted, then listed, by functions that are lowered from the product's
/// own nest.

#include "devices/grid_visits.h"

#include "base/text.h"
#include "emit/c.h"

#include <inttypes.h>
#include <string.h>

/* Values from which on compiling is faster, at some 150 ns a visit that is interpreted. */
enum { MANY = 200000 };

/// A pass over the part.
typedef struct {
    const cairn_grid_work *work;
    bool                   counts; ///< Else it lists.
    char                   symbol[CAIRN_KERNEL_SYMBOL];
} pass;

static cairn_status write_source(cairn_env *env, void *user, char **source)
{
    const pass        *p = user;
    cairn_ir_function *function;

    CAIRN_TRY(cairn_grid_lower_visits(env, p->work->layout, p->work->product, p->counts,
                                      p->symbol, &function));
    const cairn_status status = cairn_c_print(env, function, p->symbol, source);

    cairn_ir_destroy(env, &function);
    return status;
}

static cairn_status name_pass(cairn_env *env, pass *p, char **key)
{
    cairn_text text;
    char      *grid;

    CAIRN_TRY(cairn_grid_key(env, p->work->layout, p->work->product, &grid));
    cairn_text_init(&text, env);
    cairn_text_add(&text, "%s visits of %s", p->counts ? "count" : "list", grid);
    cairn_free(env, grid);
    CAIRN_TRY(cairn_text_take(&text, key));
    cairn_kernel_symbol(*key, p->symbol);
    return CAIRN_OK;
}

/// What a function says of its own memory.
static cairn_status check_memory(cairn_env *env, int64_t result)
{
    CAIRN_CHECK(result == 0, env, CAIRN_NO_MEMORY, "out of memory: visits of rows");
    return CAIRN_OK;
}

static cairn_status run_compiled(cairn_env *env, pass *p, const cairn_grid_args *args)
{
    const cairn_kernel_loader *loader  = p->work->loader;
    cairn_kernel_request       request = {.source = write_source, .user = p};
    cairn_kernel               kernel;
    char                      *key;

    CAIRN_TRY(name_pass(env, p, &key));
    request.key               = key;
    const cairn_status status = loader->load(loader->user, &request, &kernel);

    cairn_free(env, key);
    CAIRN_TRY(status);
    const int64_t result = ((cairn_grid_fn)kernel.run)(p->work->part, args);

    loader->release(loader->user, &kernel);
    return check_memory(env, result);
}

/// Get the function that is interpreted, from the parts before or anew.
static cairn_status prepare(cairn_env *env, const pass *p, cairn_ir_code **kept)
{
    cairn_ir_function *function;

    if (*kept) return CAIRN_OK;
    CAIRN_TRY(cairn_grid_lower_visits(env, p->work->layout, p->work->product, p->counts,
                                      "visits", &function));
    const cairn_status status = cairn_ir_code_create(env, function, kept);

    cairn_ir_destroy(env, &function);
    return status;
}

static cairn_status
run_interpreted(cairn_env *env, const pass *p, const cairn_grid_args *args)
{
    cairn_ir_code **const code   = &p->work->passes->code[p->counts ? 0 : 1];
    int64_t               result = -1;

    CAIRN_TRY(prepare(env, p, code));
    CAIRN_TRY(cairn_ir_code_run(env, *code, p->work->part, NULL, args, NULL, &result));
    return check_memory(env, result);
}

void cairn_grid_passes_fini(cairn_env *env, cairn_grid_passes *passes)
{
    for (int k = 0; k < 2; k++)
        cairn_ir_code_destroy(env, &passes->code[k]);
}

/// Go through the part: count, or list.
static cairn_status visit(cairn_env             *env,
                          const cairn_grid_work *work,
                          bool                   counts,
                          const cairn_grid_args *args)
{
    const cairn_kernel_loader *loader = work->loader;
    char *const                why    = work->passes->why;
    pass                       p      = {.work = work, .counts = counts};

    if (loader && !loader->interprets && work->part->values >= MANY) {
        const cairn_status status = run_compiled(env, &p, args);

        if (status != CAIRN_NO_KERNEL || env->options.kernels == CAIRN_KERNELS_COMPILED)
            return status;
        if (!why[0]) memcpy(why, cairn_message(env), CAIRN_MESSAGE);
    }
    return run_interpreted(env, &p, args);
}

/// Numbers of visits become where those of each row go. @return all of them.
static int64_t place_rows(uint32_t *count, int64_t rows)
{
    int64_t before = 0;

    for (int64_t i = 0; i < rows; i++) {
        const uint32_t own = count[i];

        count[i] = (uint32_t)before;
        before += own;
    }
    return before;
}

int64_t cairn_grid_rows(const cairn_grid_work *work)
{
    return work->product->transposed ? work->args.col_end - work->args.col_lo
                                     : work->args.row_end - work->args.row_lo;
}

static cairn_status
list_visits(cairn_env *env, const cairn_grid_work *work, cairn_grid_visits *visits)
{
    const int64_t   rows = cairn_grid_rows(work);
    cairn_grid_args args = work->args;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, rows + 1, &visits->first));
    args.first = visits->first + 1;
    CAIRN_TRY(visit(env, work, true, &args));
    visits->count = place_rows(args.first, rows);
    CAIRN_CHECK(visits->count < (int64_t)1 << 32, env, CAIRN_UNSUPPORTED,
                "product: as a grid: %" PRId64 " visits are too many to list by row",
                visits->count);
    CAIRN_TRY(CAIRN_NEW(env, visits->count + 1, &visits->via));
    CAIRN_TRY(CAIRN_NEW(env, visits->count + 1, &visits->at));
    args.via = visits->via;
    args.at  = visits->at;
    /* Where a row's begin becomes where they end: where the next one's begin. */
    return visit(env, work, false, &args);
}

cairn_status cairn_grid_visits_make(cairn_env             *env,
                                    const cairn_grid_work *work,
                                    cairn_grid_visits     *visits)
{
    cairn_grid_visits fresh = {.count = 0};

    CAIRN_CHECK(work->part->values < (int64_t)1 << 32, env, CAIRN_UNSUPPORTED,
                "product: as a grid: %" PRId64 " values are too many to list by row",
                work->part->values);
    const cairn_status status = list_visits(env, work, &fresh);

    if (status == CAIRN_OK)
        *visits = fresh;
    else
        cairn_grid_visits_fini(env, &fresh);
    return status;
}

void cairn_grid_visits_fini(cairn_env *env, cairn_grid_visits *visits)
{
    cairn_free(env, visits->first);
    cairn_free(env, visits->via);
    cairn_free(env, visits->at);
    *visits = (cairn_grid_visits){.count = 0};
}
