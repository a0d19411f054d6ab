// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Several kernels at once: those that neither came with the library, nor are loaded or
/// in the cache, are compiled by as many compilers as there are cores. Locks of the
/// cache are held for all that are under way, and no process is waited for meanwhile:
/// what another process is compiling is left to load().

#include "devices/cpu/kernels.h"
#include "devices/cpu/library.h"

#include <string.h>

/// One kernel that is on its way.
typedef struct {
    const cairn_kernel_request *request;
    char                        symbol[CAIRN_KERNEL_SYMBOL];
    char                       *key; ///< On disk; NULL: there is nothing to be done.
    cairn_cache_lock            lock;
    cairn_compilation          *compilation; ///< NULL: it was not started.
} job;

/// Is it wanted, and not being compiled yet?
static bool is_new(const cairn_cpu_kernels *kernels, const job *jobs, int k)
{
    const cairn_kernel_request *request = jobs[k].request;

    if (request->at_hand || cairn_cpu_kernels_has(kernels, request)) return false;
    for (int j = 0; j < k; j++)
        if (strcmp(jobs[j].request->key, request->key) == 0) return false;
    return true;
}

/// Lock a job's kernel, if it is missing and no other process is at it. The cache is
/// looked into after that: the last holder of the lock may have stored it.
static bool take(cairn_cpu_kernels *kernels, job *j)
{
    cairn_object object = {0};

    if (cairn_cpu_kernels_key(kernels, j->request, &j->key) != CAIRN_OK
        || !cairn_cache_try_lock(&kernels->cache, j->key, &j->lock))
        return false;
    const bool missing =
        cairn_cache_find(&kernels->cache, j->key, &object) == CAIRN_OK && !object.bytes;

    cairn_object_free(kernels->env, &object);
    return missing;
}

static bool start(cairn_cpu_kernels *kernels, job *j)
{
    cairn_env *env    = kernels->env;
    char      *source = NULL;

    if (j->request->source(env, j->request->user, &source) != CAIRN_OK) return false;
    cairn_kernel_symbol(j->request->key, j->symbol);
    const cairn_status status =
        cairn_compile_start(&kernels->compiler, j->symbol, source, &j->compilation);

    cairn_free(env, source);
    return status == CAIRN_OK;
}

static void begin(cairn_cpu_kernels *kernels, job *jobs, int k)
{
    job *j = &jobs[k];

    if (!is_new(kernels, jobs, k)) return;
    if (!take(kernels, j) || !start(kernels, j)) cairn_cache_unlock(&j->lock);
}

/// Load what was compiled and keep it. What cannot be loaded is left to load(), which
/// tries without threads.
static void keep(cairn_cpu_kernels *kernels, const job *j, const cairn_object *object)
{
    cairn_cpu_library about = {.fresh = true}, *library;

    if (cairn_library_open(kernels->env, object, j->symbol, &about.handle, &about.run)
        != CAIRN_OK)
        return;
    cairn_cache_store(&kernels->cache, j->key, object);
    cairn_cpu_kernels_add(kernels, j->request->key, &about, &library);
}

/// Keep why it could not be compiled, so that it is not tried twice.
static void keep_reason(cairn_cpu_kernels *kernels, const job *j)
{
    cairn_env        *env   = kernels->env;
    cairn_cpu_library about = {0}, *library;

    if (cairn_strndup(env, cairn_message(env), CAIRN_MESSAGE, &about.why) == CAIRN_OK)
        cairn_cpu_kernels_add(kernels, j->request->key, &about, &library);
}

static void end(cairn_cpu_kernels *kernels, job *j)
{
    cairn_object object = {0};

    if (j->compilation) {
        const cairn_status status = cairn_compile_finish(&j->compilation, &object);

        if (status == CAIRN_OK) keep(kernels, j, &object);
        if (status == CAIRN_NO_KERNEL) keep_reason(kernels, j);
    }
    cairn_object_free(kernels->env, &object);
    cairn_cache_unlock(&j->lock);
    cairn_free(kernels->env, j->key);
}

void cairn_cpu_kernels_ahead(void                       *user,
                             const cairn_kernel_request *request,
                             int                         requests)
{
    cairn_cpu_kernels *kernels = user;
    const int          at_once = kernels->at_once > 1 ? kernels->at_once : 1;
    job               *jobs    = NULL;

    if (kernels->env->options.kernels == CAIRN_KERNELS_REFERENCE
        || CAIRN_NEW_ZERO(kernels->env, requests, &jobs) != CAIRN_OK)
        return;
    for (int k = 0; k < requests + at_once; k++) {
        if (k >= at_once) end(kernels, &jobs[k - at_once]);
        if (k >= requests) continue;
        jobs[k].request = &request[k];
        jobs[k].lock.fd = -1;
        begin(kernels, jobs, k);
    }
    cairn_free(kernels->env, jobs);
}
