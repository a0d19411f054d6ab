// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Programs: loaded, in the cache, or compiled.

#include "devices/cuda/program.h"

#include "emit/kernel.h"

#include <stdio.h>
#include <string.h>

/// Which codes of the driver's say that it cannot use what it was given?
static bool is_refusal(cairn_cuda_result error)
{
    return error == 200 || error == 209 || (error >= 218 && error <= 225)
           || error == 300;
}

static cairn_status load(cairn_device       *device,
                         const cairn_object *object,
                         const char         *symbol,
                         cairn_cuda_module  *module)
{
    cairn_cuda_device      *d = cairn_cuda_of(device);
    const cairn_cuda_result error =
        CAIRN_CUDA(d, cuModuleLoadData, module, object->bytes);
    char what[CAIRN_KERNEL_SYMBOL + 16];

    if (error == CAIRN_CUDA_OK) return CAIRN_OK;
    if (is_refusal(error))
        return cairn_fail(device->env, CAIRN_NO_KERNEL, "device: %s: %s: %s",
                          device->info.id, symbol, cairn_cuda_error(&d->driver, error));
    snprintf(what, sizeof what, "code of %s", symbol);
    return cairn_cuda_fail(device, error, what);
}

/// Look for a compiler's code in the cache, and load it.
/// @param[out] found  There was some that could be loaded.
static cairn_status load_cached(cairn_device            *device,
                                const char              *key,
                                const char              *symbol,
                                const cairn_cuda_origin *from,
                                cairn_cuda_module       *module,
                                bool                    *found)
{
    cairn_env   *env    = device->env;
    cairn_object object = {0};
    char        *whole  = NULL;
    cairn_status status;

    CAIRN_TRY(cairn_cuda_code_key(env, key, from, &whole));
    status = cairn_cache_find(&cairn_cuda_of(device)->code.cache, whole, &object);
    if (status == CAIRN_OK && object.bytes) {
        status = load(device, &object, symbol, module);
        *found = status == CAIRN_OK;
        if (status == CAIRN_NO_KERNEL) status = CAIRN_OK; /* another's may do */
    }
    cairn_object_free(env, &object);
    cairn_free(env, whole);
    return status;
}

/// Without a compiler: look for what any of those that the driver suits has made.
static cairn_status find_any(cairn_device      *device,
                             const char        *key,
                             const char        *symbol,
                             cairn_cuda_module *module)
{
    const cairn_cuda_device *d     = cairn_cuda_of(device);
    cairn_cuda_origin        from  = {0};
    bool                     found = false;

    /* Code for a card runs on later ones of its major version. */
    for (int sm = d->capable; sm >= d->capable / 10 * 10; sm--) {
        snprintf(from.target, sizeof from.target, "--gpu-architecture=sm_%d", sm);
        for (from.major = d->driver.version / 1000; from.major >= 12; from.major--)
            for (from.minor = 9; from.minor >= 0 && !found; from.minor--)
                CAIRN_TRY(load_cached(device, key, symbol, &from, module, &found));
    }
    if (found) return CAIRN_OK;
    return cairn_fail(device->env, CAIRN_NO_KERNEL,
                      "device: %s: %s: it is not in the cache of kernels, and %s",
                      device->info.id, symbol, d->code.why);
}

/// Compile, load, keep.
static cairn_status compile(cairn_device      *device,
                            const char        *whole,
                            const char        *symbol,
                            const char        *text,
                            cairn_cuda_module *module)
{
    cairn_cuda_code *code   = &cairn_cuda_of(device)->code;
    cairn_object     object = {0};

    CAIRN_TRY(cairn_nvrtc_compile(device->env, &code->nvrtc, symbol, text, &object));
    const cairn_status status = load(device, &object, symbol, module);

    if (status == CAIRN_OK) cairn_cache_store(&code->cache, whole, &object);
    cairn_object_free(device->env, &object);
    return status;
}

/// Have it compiled, here or by another process that is at it.
static cairn_status find_or_compile(cairn_device      *device,
                                    const char        *key,
                                    const char        *symbol,
                                    const char        *text,
                                    cairn_cuda_module *module)
{
    cairn_env        *env    = device->env;
    cairn_cuda_code  *code   = &cairn_cuda_of(device)->code;
    cairn_cuda_origin from   = cairn_cuda_origin_of(&code->nvrtc);
    cairn_object      object = {0};
    cairn_cache_lock  lock   = {.fd = -1};
    char             *whole  = NULL;
    cairn_status      status;

    CAIRN_TRY(cairn_cuda_code_key(env, key, &from, &whole));
    CAIRN_GO(done, cairn_cache_find_or_lock(&code->cache, whole, &object, &lock));
    status = object.bytes ? load(device, &object, symbol, module) : CAIRN_NO_KERNEL;
    if (status == CAIRN_NO_KERNEL)
        status = compile(device, whole, symbol, text, module);
    cairn_cache_unlock(&lock);

done:
    cairn_object_free(env, &object);
    cairn_free(env, whole);
    return status;
}

static cairn_cuda_fresh **find_fresh(const cairn_device *device, const char *key)
{
    cairn_cuda_fresh **link = &cairn_cuda_of(device)->code.fresh;

    while (*link && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    return link;
}

static void free_fresh(cairn_device *device, cairn_cuda_fresh **link)
{
    cairn_cuda_fresh *f = *link;

    *link = f->next;
    cairn_object_free(device->env, &f->object);
    cairn_free(device->env, f->why);
    cairn_free(device->env, f->key);
    cairn_free(device->env, f);
}

/// Take what was got ahead. @retval CAIRN_UNSUPPORTED  Nothing was, or the driver refuses
///                                                     it: it has to be compiled anew.
static cairn_status use_fresh(cairn_device      *device,
                              const char        *key,
                              const char        *symbol,
                              cairn_cuda_module *module)
{
    cairn_cuda_fresh **link   = find_fresh(device, key);
    cairn_status       status = CAIRN_UNSUPPORTED;

    if (!*link) return status;
    if ((*link)->object.bytes) {
        status = load(device, &(*link)->object, symbol, module);
        if (status == CAIRN_NO_KERNEL) status = CAIRN_UNSUPPORTED;
    } else {
        status = cairn_fail(device->env, CAIRN_NO_KERNEL, "%s", (*link)->why);
    }
    free_fresh(device, link);
    return status;
}

cairn_status cairn_cuda_fresh_keep(cairn_device *device, cairn_cuda_wanted *wanted)
{
    cairn_env        *env  = device->env;
    cairn_cuda_code  *code = &cairn_cuda_of(device)->code;
    cairn_cuda_fresh *f    = NULL;
    cairn_status      status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &f));
    CAIRN_GO(discard, cairn_strndup(env, wanted->key, strlen(wanted->key), &f->key));
    f->object      = wanted->object;
    f->why         = wanted->why;
    wanted->object = (cairn_object){0};
    wanted->why    = NULL;
    f->next        = code->fresh;
    code->fresh    = f;
    return CAIRN_OK;

discard:
    cairn_free(env, f);
    return status;
}

void cairn_cuda_fresh_drop(cairn_device *device)
{
    cairn_cuda_code *code = &cairn_cuda_of(device)->code;

    while (code->fresh)
        free_fresh(device, &code->fresh);
}

static cairn_cuda_program *find_loaded(const cairn_device *device, const char *key)
{
    cairn_cuda_program *p = cairn_cuda_of(device)->code.first;

    while (p && strcmp(p->key, key) != 0)
        p = p->next;
    return p;
}

bool cairn_cuda_code_has(const cairn_device *device, const char *key)
{
    return find_loaded(device, key) || *find_fresh(device, key);
}

/// Get its code, from wherever it is.
static cairn_status get_module(cairn_device      *device,
                               const char        *key,
                               const char        *symbol,
                               const char        *text,
                               cairn_cuda_module *module)
{
    const cairn_status status = use_fresh(device, key, symbol, module);

    if (status != CAIRN_UNSUPPORTED) return status;
    return cairn_cuda_of(device)->code.nvrtc.library
               ? find_or_compile(device, key, symbol, text, module)
               : find_any(device, key, symbol, module);
}

static cairn_status make(cairn_device        *device,
                         const char          *key,
                         const char          *text,
                         cairn_cuda_program **program)
{
    cairn_env          *env   = device->env;
    cairn_cuda_code    *code  = &cairn_cuda_of(device)->code;
    cairn_cuda_program *fresh = NULL;
    char                symbol[CAIRN_KERNEL_SYMBOL];
    cairn_status        status;

    cairn_kernel_symbol(key, symbol);
    CAIRN_TRY(cairn_kernel_dump(env, symbol, ".cu", text));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    CAIRN_GO(discard, cairn_strndup(env, key, strlen(key), &fresh->key));
    CAIRN_GO(discard, get_module(device, key, symbol, text, &fresh->module));
    fresh->next = code->first;
    code->first = fresh;
    *program    = fresh;
    return CAIRN_OK;

discard:
    cairn_free(env, fresh->key);
    cairn_free(env, fresh);
    return status;
}

cairn_status cairn_cuda_program_get(cairn_device        *device,
                                    const char          *key,
                                    const char          *text,
                                    cairn_cuda_program **program)
{
    cairn_cuda_program *p = find_loaded(device, key);

    if (!p) CAIRN_TRY(make(device, key, text, &p));
    p->users++;
    *program = p;
    return CAIRN_OK;
}

void cairn_cuda_program_leave(cairn_device *device, cairn_cuda_program **program)
{
    cairn_cuda_device   *d    = cairn_cuda_of(device);
    cairn_cuda_program **link = &d->code.first, *p = *program;

    *program = NULL;
    if (!p || --p->users > 0) return;
    while (*link != p)
        link = &(*link)->next;
    *link = p->next;
    if (!d->loss.lost) CAIRN_CUDA(d, cuModuleUnload, p->module);
    cairn_free(device->env, p->key);
    cairn_free(device->env, p);
}

cairn_status cairn_cuda_program_function(cairn_device             *device,
                                         const cairn_cuda_program *program,
                                         const char               *name,
                                         cairn_cuda_entry         *function)
{
    const cairn_cuda_result error = CAIRN_CUDA(
        cairn_cuda_of(device), cuModuleGetFunction, function, program->module, name);

    return error == CAIRN_CUDA_OK ? CAIRN_OK : cairn_cuda_fail(device, error, name);
}

void cairn_cuda_code_open(cairn_device *device)
{
    cairn_cuda_device *d    = cairn_cuda_of(device);
    cairn_cuda_code   *code = &d->code;

    cairn_nvrtc_open(device->env->options.nvrtc, d->driver.version, d->capable,
                     &code->nvrtc, code->why, sizeof code->why);
    cairn_cache_open(device->env, &code->cache);
}

void cairn_cuda_code_close(cairn_device *device)
{
    cairn_cuda_code *code = &cairn_cuda_of(device)->code;

    cairn_cuda_fresh_drop(device);
    cairn_cache_close(&code->cache);
    cairn_nvrtc_close(&code->nvrtc);
}
