// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Programs: loaded, in the cache, or compiled.

#include "devices/cuda/program.h"

#include "base/text.h"
#include "emit/cuda.h"
#include "emit/kernel.h"

#include <stdio.h>
#include <string.h>

/// What code depends on beside its text.
typedef struct {
    int  major, minor; ///< Of the compiler.
    char target[64];
} origin;

/// The key of a file: the processor's have no such lines.
static cairn_status
print_key(cairn_env *env, const char *key, const origin *from, char **whole)
{
    unsigned char id[CAIRN_BUILD_ID];
    const int     bytes = cairn_build_id(id);
    cairn_text    text;

    cairn_text_init(&text, env);
    cairn_text_add(&text, "kernel: %s\ntarget cuda\narch %s\nnvrtc %d.%d\nflags", key,
                   from->target, from->major, from->minor);
#define X(flag) cairn_text_add(&text, " %s", flag);
    CAIRN_CUDA_OPTIONS_MAP(X)
#undef X
    cairn_text_add(&text, "\nbuild: ");
    for (int k = 0; k < bytes; k++)
        cairn_text_add(&text, "%02x", id[k]);
    return cairn_text_take(&text, whole);
}

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
static cairn_status load_cached(cairn_device      *device,
                                const char        *key,
                                const char        *symbol,
                                const origin      *from,
                                cairn_cuda_module *module,
                                bool              *found)
{
    cairn_env   *env    = device->env;
    cairn_object object = {0};
    char        *whole  = NULL;
    cairn_status status;

    CAIRN_TRY(print_key(env, key, from, &whole));
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
    origin                   from  = {0};
    bool                     found = false;

    snprintf(from.target, sizeof from.target, "--gpu-architecture=sm_%d", d->capable);
    for (from.major = d->driver.version / 1000; from.major >= 12; from.major--)
        for (from.minor = 9; from.minor >= 0 && !found; from.minor--)
            CAIRN_TRY(load_cached(device, key, symbol, &from, module, &found));
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
    cairn_env       *env    = device->env;
    cairn_cuda_code *code   = &cairn_cuda_of(device)->code;
    origin           from   = {.major = code->nvrtc.major, .minor = code->nvrtc.minor};
    cairn_object     object = {0};
    cairn_cache_lock lock   = {.fd = -1};
    char            *whole  = NULL;
    cairn_status     status;

    cairn_nvrtc_target(&code->nvrtc, from.target, sizeof from.target);
    CAIRN_TRY(print_key(env, key, &from, &whole));
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
    CAIRN_GO(discard, code->nvrtc.library
                          ? find_or_compile(device, key, symbol, text, &fresh->module)
                          : find_any(device, key, symbol, &fresh->module));
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
    cairn_cuda_program *p = cairn_cuda_of(device)->code.first;

    while (p && strcmp(p->key, key) != 0)
        p = p->next;
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

    cairn_cache_close(&code->cache);
    cairn_nvrtc_close(&code->nvrtc);
}
