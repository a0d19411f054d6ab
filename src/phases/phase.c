// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loading, interpreting and calling the phases of conversions.

#include "phases/phase.h"

#include "emit/c.h"

enum { BROKEN = -2 }; ///< Result of a phase that cannot be interpreted.

typedef struct {
    const cairn_convert_spec *spec;
    const char               *key;
} writer;

static cairn_status
lower(cairn_env *env, void *user, const char *symbol, cairn_ir_function **function)
{
    const writer *w = user;

    return cairn_convert_lower(env, w->spec, symbol, function);
}

static cairn_status write_source(cairn_env *env, void *user, char **source)
{
    const writer      *w = user;
    char               symbol[CAIRN_KERNEL_SYMBOL];
    cairn_ir_function *function;

    cairn_kernel_symbol(w->key, symbol);
    CAIRN_TRY(lower(env, user, symbol, &function));
    const cairn_status status = cairn_c_print(env, function, symbol, source);

    cairn_ir_destroy(env, &function);
    return status;
}

/// Lower a phase, to be interpreted.
static cairn_status
prepare(cairn_env *env, const cairn_convert_spec *spec, cairn_ir_code **code)
{
    cairn_ir_function *function;

    CAIRN_TRY(cairn_convert_lower(env, spec, "phase", &function));
    const cairn_status status = cairn_ir_code_create(env, function, code);

    cairn_ir_destroy(env, &function);
    return status;
}

cairn_status cairn_phase_load(cairn_env                 *env,
                              const cairn_kernel_loader *loader,
                              const cairn_convert_spec  *spec,
                              bool                       at_hand,
                              cairn_phase               *phase)
{
    char *key;

    if (loader->interprets) {
        CAIRN_TRY(prepare(env, spec, &phase->interpreted));
        phase->kernel = (cairn_kernel){.route = CAIRN_ROUTE_REFERENCE};
        phase->loader = loader;
        phase->env    = env;
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_convert_key(env, spec, &key));
    writer                     w       = {spec, key};
    const cairn_kernel_request request = {
        .key     = key,
        .source  = write_source,
        .lower   = lower,
        .user    = &w,
        .at_hand = at_hand,
    };
    const cairn_status status = loader->load(loader->user, &request, &phase->kernel);

    if (status == CAIRN_OK) phase->loader = loader;
    cairn_free(env, key);
    return status;
}

cairn_status cairn_phase_request(cairn_env                 *env,
                                 const cairn_kernel_loader *loader,
                                 const cairn_convert_spec  *spec)
{
    cairn_phase phase = {.loader = NULL};

    if (!loader->load) return CAIRN_OK;
    CAIRN_TRY(cairn_phase_load(env, loader, spec, false, &phase));
    cairn_phase_release(&phase);
    return CAIRN_OK;
}

static cairn_status request_all(cairn_env                 *env,
                                const cairn_kernel_loader *loader,
                                const cairn_convert_spec  *spec,
                                int                        specs,
                                writer                    *w,
                                cairn_kernel_request      *request)
{
    for (int k = 0; k < specs; k++) {
        char *key;

        CAIRN_TRY(cairn_convert_key(env, &spec[k], &key));
        w[k]       = (writer){&spec[k], key};
        request[k] = (cairn_kernel_request){
            .key = key, .source = write_source, .lower = lower, .user = &w[k]};
    }
    loader->ahead(loader->user, request, specs);
    return CAIRN_OK;
}

void cairn_phases_ahead(cairn_env                 *env,
                        const cairn_kernel_loader *loader,
                        const cairn_convert_spec  *spec,
                        int                        specs)
{
    cairn_kernel_request *request = NULL;
    writer               *w       = NULL;

    if (loader->interprets || !loader->ahead || specs < 2) return;
    if (CAIRN_NEW_ZERO(env, specs, &w) == CAIRN_OK
        && CAIRN_NEW(env, specs, &request) == CAIRN_OK)
        request_all(env, loader, spec, specs, w, request);
    for (int k = 0; w && k < specs; k++)
        cairn_free(env, (char *)w[k].key);
    cairn_free(env, request);
    cairn_free(env, w);
}

void cairn_phase_release(cairn_phase *phase)
{
    if (phase->interpreted)
        cairn_ir_code_destroy(phase->env, &phase->interpreted);
    else if (phase->loader)
        phase->loader->release(phase->loader->user, &phase->kernel);
    phase->loader = NULL;
}

int64_t cairn_phase_call(const cairn_phase        *phase,
                         const cairn_kernel_part  *from,
                         cairn_kernel_part        *to,
                         const cairn_convert_args *args)
{
    const cairn_convert_fn run = (cairn_convert_fn)phase->kernel.run;
    int64_t                result;

    if (!phase->interpreted) return run(from, to, args);
    if (cairn_ir_code_run(phase->env, phase->interpreted, from, to, args, NULL, &result)
        != CAIRN_OK)
        return BROKEN;
    return result;
}

cairn_status cairn_phase_check(cairn_env *env, int64_t result)
{
    CAIRN_CHECK(result != BROKEN, env, CAIRN_BAD_ARGUMENT,
                "convert: a phase cannot be interpreted: %s", cairn_message(env));
    CAIRN_CHECK(result >= 0, env, CAIRN_NO_MEMORY, "convert: out of memory in a phase");
    CAIRN_CHECK(result != CAIRN_CONVERT_FULL, env, CAIRN_BAD_ARGUMENT,
                "convert: a part holds more entries than it was built with");
    return CAIRN_OK;
}

cairn_status cairn_phase_run(cairn_env                *env,
                             const cairn_phase        *phase,
                             const cairn_kernel_part  *from,
                             cairn_kernel_part        *to,
                             const cairn_convert_args *args)
{
    return cairn_phase_check(env, cairn_phase_call(phase, from, to, args));
}
