// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Who compiles conversions for the public calls: the first device that has kernels.

#include "api/api.h"

#include <string.h>

/* Entries that the reference way takes as long for as finding the processor does: 2 ms,
   of which it takes 0.1 to 0.25 us each (measured). */
enum { WORTH_DEVICES = 20000 };

/// Where none has, the reason of the first is reported: the others stand in for it.
static cairn_status find_loader(cairn_context              *context,
                                const cairn_kernel_loader **loader)
{
    cairn_env *env                  = &context->env;
    char       first[CAIRN_MESSAGE] = "there is no device";

    CAIRN_TRY(cairn_context_devices(context));
    for (int k = 0; k < context->devices->count; k++) {
        const cairn_status status =
            cairn_device_kernels(&context->devices->device[k], loader);

        if (status == CAIRN_OK || status == CAIRN_NO_MEMORY) return status;
        if (k == 0) memcpy(first, cairn_message(env), sizeof first);
    }
    return cairn_fail(env, CAIRN_NO_KERNEL,
                      "convert: no device of this run has kernels: %s", first);
}

/// Threads of a conversion: those of all devices that are the processor, none of which
/// runs anything else meanwhile.
static int threads_here(const cairn_devices *devices, int least)
{
    int threads = 0;

    for (int k = 0; k < devices->count; k++)
        if (cairn_device_is_host(&devices->device[k]))
            threads += devices->device[k].info.threads;
    return threads > least ? threads : least;
}

/// Entries of the builds that have missed a function; the one that was missed longest ago
/// is forgotten. (Were it the one with fewest entries, the functions of one build would
/// take each other's place in a full list, and none would ever be compiled.)
static cairn_pos *entries_without(cairn_missed *missed, const char *key)
{
    const int           count = (int)(sizeof missed->list / sizeof *missed->list);
    cairn_missed_kernel its   = {.entries = 0};
    int                 k     = 0;

    cairn_kernel_symbol(key, its.symbol);
    while (k < count && strcmp(missed->list[k].symbol, its.symbol) != 0)
        k++;
    if (k < count)
        its = missed->list[k];
    else
        k--;
    memmove(&missed->list[1], &missed->list[0], (size_t)k * sizeof *missed->list);
    missed->list[0] = its;
    return &missed->list[0].entries;
}

/// A function that is missing for small builds is compiled once they have cost as much as
/// that does: whatever comes after, it is at most twice the price of knowing it before.
/// What else the build asks for is then compiled, too.
static bool pays_now(cairn_build_loader *own, const char *key)
{
    cairn_pos *const entries = entries_without(own->missed, key);

    *entries += own->entries;
    if (*entries < CAIRN_WORTH_COMPILING) return false;
    *entries = 0; /* if it fails, not at once again */
    return true;
}

static cairn_status
load(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    cairn_build_loader  *own    = user;
    const double         begin  = cairn_seconds();
    cairn_kernel_request wanted = *request;

    wanted.at_hand      = request->at_hand && (request->spare || !own->compiling);
    cairn_status status = own->device->load(own->device->user, &wanted, kernel);

    if (status == CAIRN_NO_KERNEL && wanted.at_hand && !request->spare
        && pays_now(own, request->key)) {
        wanted.at_hand = false;
        status         = own->device->load(own->device->user, &wanted, kernel);
        own->compiling = status == CAIRN_OK;
    }
    own->seconds += cairn_seconds() - begin;
    /* What is only wanted if it is at hand may be missing. */
    if (status == CAIRN_NO_KERNEL && !request->at_hand)
        memcpy(own->why, cairn_message(own->env), CAIRN_MESSAGE);
    return status;
}

static void ahead(void *user, const cairn_kernel_request *request, int requests)
{
    cairn_build_loader *own   = user;
    const double        begin = cairn_seconds();

    own->device->ahead(own->device->user, request, requests);
    own->seconds += cairn_seconds() - begin;
}

static void release(void *user, cairn_kernel *kernel)
{
    const cairn_build_loader *own = user;

    own->device->release(own->device->user, kernel);
}

/// Finding devices takes longer than a small build does, but not than many of them. What
/// cannot be done without any from buckets will be tried again, and counts then.
static bool is_worth_devices(cairn_context *context, const cairn_build *build)
{
    if (context->devices) return true;
    if (build->bucketed) return false;
    context->small += cairn_build_judged_by(build);
    return context->small >= WORTH_DEVICES;
}

cairn_status cairn_context_loader(cairn_context      *context,
                                  cairn_build        *build,
                                  cairn_build_loader *own,
                                  char               *why)
{
    cairn_env             *env   = &context->env;
    const cairn_build_tier worth = cairn_build_worth(env, build);

    build->loader = NULL;
    if (env->options.kernels == CAIRN_KERNELS_COMPILED)
        build->duty = CAIRN_BUILD_PLEDGED;
    if (worth == CAIRN_BUILD_REFERENCE
        || (worth == CAIRN_BUILD_AT_HAND && !is_worth_devices(context, build)))
        return CAIRN_OK;

    const cairn_kernel_loader *device;
    const cairn_status         status = find_loader(context, &device);

    if (status == CAIRN_OK) {
        *own                = (cairn_build_loader){.loader  = *device,
                                                   .device  = device,
                                                   .env     = env,
                                                   .why     = why,
                                                   .missed  = &context->missed,
                                                   .entries = cairn_build_judged_by(build)};
        own->loader.threads = threads_here(context->devices, device->threads);
        own->loader.load    = load;
        own->loader.release = release;
        own->loader.ahead   = device->ahead ? ahead : NULL;
        own->loader.user    = own;
        build->loader       = &own->loader;
    } else if (worth == CAIRN_BUILD_COMPILED) {
        memcpy(why, cairn_message(env), CAIRN_MESSAGE);
    }
    return env->options.kernels == CAIRN_KERNELS_COMPILED ? status : CAIRN_OK;
}
