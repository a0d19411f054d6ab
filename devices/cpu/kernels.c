// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels for the processor, loaded.

#include "devices/cpu/kernels.h"

#include "base/file.h"
#include "devices/cpu/library.h"
#include "devices/cpu/machine.h"
#include "devices/discover.h"
#include "share/abi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/// What the code of a kernel depends on beside its request: the build of Cairn that
/// prints it, the structs it is called with, the compiler, the processor.
static cairn_status describe_machine(cairn_cpu_kernels *kernels)
{
    unsigned char id[CAIRN_BUILD_ID];
    const int     bytes = cairn_build_id(id);
    cairn_text    text;

    cairn_text_init(&text, kernels->env);
    cairn_text_add(&text, "build: ");
    for (int k = 0; k < bytes; k++)
        cairn_text_add(&text, "%02x", id[k]);
    cairn_text_add(&text,
                   "\nabi: cairn %s, part %zu, level %zu, product %zu, convert %zu\n",
                   CAIRN_VERSION, sizeof(cairn_kernel_part), sizeof(cairn_kernel_level),
                   sizeof(cairn_product_args), sizeof(cairn_convert_args));
    cairn_compiler_describe(&kernels->compiler, &text);
    cairn_cpu_describe(&text);
    return cairn_text_take(&text, &kernels->machine);
}

static cairn_cpu_library *find_loaded(const cairn_cpu_kernels *kernels, const char *key)
{
    cairn_cpu_library *library = kernels->first;

    while (library && strcmp(library->key, key) != 0)
        library = library->next;
    return library;
}

static void unload(cairn_cpu_kernels *kernels, cairn_cpu_library *library)
{
    cairn_cpu_library **link = &kernels->first;

    while (*link != library)
        link = &(*link)->next;
    *link = library->next;
    cairn_library_close(library->handle);
    cairn_free(kernels->env, library->why);
    cairn_free(kernels->env, library->key);
    cairn_free(kernels->env, library);
}

/// Unload the one that has been without a user for the longest.
static void unload_oldest(cairn_cpu_kernels *kernels)
{
    cairn_cpu_library *oldest = NULL;

    for (cairn_cpu_library *l = kernels->first; l; l = l->next)
        if (l->users == 0 && (!oldest || l->released < oldest->released)) oldest = l;
    unload(kernels, oldest);
    kernels->idle--;
}

/// Keep the first thing worth telling.
static void take_note(cairn_cpu_kernels *kernels)
{
    if (kernels->note[0]) return;
    if (kernels->cache.note[0])
        memcpy(kernels->note, kernels->cache.note, sizeof kernels->note);
    else if (kernels->compiler.serial)
        snprintf(kernels->note, sizeof kernels->note,
                 "compile: %.300s: its code cannot use the threads of this process; "
                 "kernels run on one",
                 kernels->compiler.path);
    else if (cairn_compiler_is_foreign(&kernels->compiler))
        snprintf(kernels->note, sizeof kernels->note,
                 "compile: %.300s: it takes another processor for native; kernels are "
                 "compiled with %s",
                 kernels->compiler.path, kernels->compiler.march);
}

/// Write the source where CAIRN_DUMP_KERNELS says.
static cairn_status
dump(cairn_env *env, const cairn_kernel_request *request, const char *symbol)
{
    char *source = NULL;

    CAIRN_TRY(request->source(env, request->user, &source));
    const cairn_status status = cairn_kernel_dump(env, symbol, ".c", source);

    cairn_free(env, source);
    return status;
}

/// Compile a printed kernel and load it. Code that cannot be loaded with the threads of
/// this process is compiled without; if that helps, all that follows is, too.
static cairn_status build(cairn_cpu_kernels *kernels,
                          const char        *symbol,
                          const char        *source,
                          cairn_object      *object,
                          cairn_cpu_library *library)
{
    cairn_env      *env      = kernels->env;
    cairn_compiler *compiler = &kernels->compiler;
    cairn_object    made     = {0};
    cairn_status    status;

    CAIRN_TRY(cairn_compile(compiler, symbol, source, &made));
    status = cairn_library_open(env, &made, symbol, &library->handle, &library->run);
    if (status == CAIRN_NO_KERNEL && !compiler->serial) {
        char why[CAIRN_MESSAGE];

        memcpy(why, cairn_message(env), sizeof why);
        cairn_object_free(env, &made);
        compiler->serial = true;
        status           = cairn_compile(compiler, symbol, source, &made);
        if (status == CAIRN_OK)
            status =
                cairn_library_open(env, &made, symbol, &library->handle, &library->run);
        compiler->serial = status == CAIRN_OK;
        if (status == CAIRN_NO_KERNEL) status = cairn_fail(env, status, "%s", why);
    }
    if (status == CAIRN_OK)
        *object = made;
    else
        cairn_object_free(env, &made);
    return status;
}

/// Print, compile, load and keep a kernel.
static cairn_status make(cairn_cpu_kernels          *kernels,
                         const cairn_kernel_request *request,
                         const char                 *symbol,
                         const char                 *disk_key,
                         cairn_cpu_library          *library)
{
    char        *source = NULL;
    cairn_object object = {0};

    CAIRN_TRY(request->source(kernels->env, request->user, &source));
    const cairn_status status = build(kernels, symbol, source, &object, library);

    cairn_free(kernels->env, source);
    if (status == CAIRN_OK) cairn_cache_store(&kernels->cache, disk_key, &object);
    cairn_object_free(kernels->env, &object);
    return status;
}

/// Load a kernel from the cache, or make it. @p cached tells which.
static cairn_status fetch(cairn_cpu_kernels          *kernels,
                          const cairn_kernel_request *request,
                          const char                 *disk_key,
                          cairn_cpu_library          *library,
                          bool                       *cached)
{
    cairn_env       *env    = kernels->env;
    cairn_object     object = {0};
    cairn_cache_lock lock;
    char             symbol[CAIRN_KERNEL_SYMBOL];
    cairn_status     status;

    cairn_kernel_symbol(request->key, symbol);
    if (request->at_hand)
        CAIRN_TRY(cairn_cache_find(&kernels->cache, disk_key, &object));
    else
        CAIRN_TRY(cairn_cache_find_or_lock(&kernels->cache, disk_key, &object, &lock));
    *cached =
        object.bytes
        && cairn_library_open(env, &object, symbol, &library->handle, &library->run)
               == CAIRN_OK;
    cairn_object_free(env, &object);
    if (request->at_hand)
        return *cached
                   ? CAIRN_OK
                   : cairn_fail(env, CAIRN_NO_KERNEL,
                                "kernels: %s: it would have to be compiled", symbol);
    status = *cached ? CAIRN_OK : make(kernels, request, symbol, disk_key, library);
    cairn_cache_unlock(&lock);
    return status;
}

cairn_status cairn_cpu_kernels_key(const cairn_cpu_kernels    *kernels,
                                   const cairn_kernel_request *request,
                                   char                      **key)
{
    cairn_text text;

    cairn_text_init(&text, kernels->env);
    cairn_text_add(&text, "kernel: %s\n%s", request->key, kernels->machine);
    return cairn_text_take(&text, key);
}

cairn_status cairn_cpu_kernels_add(cairn_cpu_kernels  *kernels,
                                   const char         *key,
                                   cairn_cpu_library  *about,
                                   cairn_cpu_library **library)
{
    cairn_env         *env   = kernels->env;
    cairn_cpu_library *fresh = NULL;
    cairn_status       status;

    CAIRN_GO(about, CAIRN_NEW(env, 1, &fresh));
    *fresh     = *about;
    fresh->key = NULL;
    CAIRN_GO(fresh, cairn_strndup(env, key, strlen(key), &fresh->key));
    fresh->next     = kernels->first;
    kernels->first  = fresh;
    fresh->released = kernels->turn++;
    kernels->idle++;
    if (kernels->idle > CAIRN_CPU_IDLE) unload_oldest(kernels);
    *library = fresh;
    *about   = (cairn_cpu_library){0};
    return CAIRN_OK;

fresh:
    cairn_free(env, fresh);
about:
    cairn_library_close(about->handle);
    cairn_free(env, about->why);
    *about = (cairn_cpu_library){0};
    return status;
}

/// Add a library to those that are loaded.
static cairn_status add_library(cairn_cpu_kernels          *kernels,
                                const cairn_kernel_request *request,
                                cairn_cpu_library         **library,
                                bool                       *cached)
{
    cairn_cpu_library fetched = {0};
    char             *key     = NULL;

    CAIRN_TRY(cairn_cpu_kernels_key(kernels, request, &key));
    const cairn_status status = fetch(kernels, request, key, &fetched, cached);

    cairn_free(kernels->env, key);
    CAIRN_TRY(status);
    return cairn_cpu_kernels_add(kernels, request->key, &fetched, library);
}

bool cairn_cpu_kernels_has(const cairn_cpu_kernels    *kernels,
                           const cairn_kernel_request *request)
{
    return find_loaded(kernels, request->key)
           || cairn_prebuilt_find(kernels->prebuilt, kernels->prebuilt_count,
                                  request->key, kernels->vector_bytes);
}

/// Tell why a library could not be compiled ahead, and forget it: who asks again has it
/// tried again.
static cairn_status tell(cairn_cpu_kernels *kernels, cairn_cpu_library *library)
{
    const cairn_status status =
        cairn_fail(kernels->env, CAIRN_NO_KERNEL, "%s", library->why);

    kernels->idle--;
    unload(kernels, library);
    return status;
}

/// One of those that are loaded, or a new one among them.
static cairn_status get_library(cairn_cpu_kernels          *kernels,
                                const cairn_kernel_request *request,
                                cairn_kernel               *kernel)
{
    cairn_cpu_library *library = find_loaded(kernels, request->key);

    if (library && library->why) return tell(kernels, library);
    kernel->route  = CAIRN_ROUTE_COMPILED;
    kernel->cached = !library || !library->fresh;
    if (!library) CAIRN_TRY(add_library(kernels, request, &library, &kernel->cached));
    kernels->idle -= library->users == 0;
    library->fresh = false;
    library->users++;
    kernel->run     = library->run;
    kernel->library = library;
    return CAIRN_OK;
}

static cairn_status
load(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    cairn_cpu_kernels *kernels = user;
    cairn_env         *env     = kernels->env;
    const double       start   = cairn_seconds();
    cairn_kernel       found   = {.route = CAIRN_ROUTE_PREBUILT};
    char               symbol[CAIRN_KERNEL_SYMBOL];
    cairn_status       status = CAIRN_OK;

    CAIRN_CHECK(env->options.kernels != CAIRN_KERNELS_REFERENCE, env, CAIRN_NO_KERNEL,
                "kernels: CAIRN_KERNELS: it asks for the reference way");
    cairn_kernel_symbol(request->key, symbol);
    if (env->options.dump_kernels[0]) CAIRN_TRY(dump(env, request, symbol));
    found.run = cairn_prebuilt_find(kernels->prebuilt, kernels->prebuilt_count,
                                    request->key, kernels->vector_bytes);
    if (!found.run) status = get_library(kernels, request, &found);
    take_note(kernels);
    if (status != CAIRN_OK) return status;
    found.seconds = cairn_seconds() - start;
    *kernel       = found;
    return CAIRN_OK;
}

static void release(void *user, cairn_kernel *kernel)
{
    cairn_cpu_kernels *kernels = user;
    cairn_cpu_library *library = kernel->library;

    *kernel = (cairn_kernel){0};
    if (!library || --library->users > 0) return;
    library->released = kernels->turn++;
    kernels->idle++;
    if (kernels->idle > CAIRN_CPU_IDLE) unload_oldest(kernels);
}

cairn_status cairn_cpu_kernels_open(cairn_device *device, cairn_kernel_loader *loader)
{
    cairn_env         *env     = device->env;
    cairn_cpu_kernels *kernels = NULL;
    cairn_status       status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &kernels));
    kernels->env            = env;
    kernels->prebuilt       = cairn_prebuilt_table;
    kernels->prebuilt_count = cairn_prebuilt_count;
    kernels->vector_bytes   = cairn_cpu_vector_bytes();
    kernels->at_once        = device->info.cores;
    cairn_compiler_init(env, &kernels->compiler);
    if (device->machine->here) kernels->compiler.cores = &device->info.bound;
    CAIRN_GO(kernels, describe_machine(kernels));
    cairn_cache_open(env, &kernels->cache);
    *loader = (cairn_kernel_loader){.load         = load,
                                    .release      = release,
                                    .ahead        = cairn_cpu_kernels_ahead,
                                    .user         = kernels,
                                    .vector_bytes = kernels->vector_bytes,
                                    .threads      = device->info.threads,
                                    .note         = kernels->note};
    return CAIRN_OK;

kernels:
    cairn_free(env, kernels);
    return status;
}

void cairn_cpu_kernels_close(cairn_device *device, cairn_kernel_loader *loader)
{
    cairn_cpu_kernels *kernels = loader->user;

    while (kernels->first)
        unload(kernels, kernels->first);
    cairn_cache_close(&kernels->cache);
    cairn_free(device->env, kernels->machine);
    cairn_free(device->env, kernels);
    *loader = (cairn_kernel_loader){0};
}
