// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Who compiles conversions for the public calls: the first device that has kernels.

#include "api/api.h"

#include <string.h>

/// Where none has, the reason of the first is told: the others stand in for it.
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

static cairn_status
load(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    const cairn_build_loader *own = user;
    const cairn_status status = own->device->load(own->device->user, request, kernel);

    /* What is only wanted if it is at hand may be missing. */
    if (status == CAIRN_NO_KERNEL && !request->at_hand)
        memcpy(own->why, cairn_message(own->env), CAIRN_MESSAGE);
    return status;
}

static void ahead(void *user, const cairn_kernel_request *request, int requests)
{
    const cairn_build_loader *own = user;

    own->device->ahead(own->device->user, request, requests);
}

static void release(void *user, cairn_kernel *kernel)
{
    const cairn_build_loader *own = user;

    own->device->release(own->device->user, kernel);
}

cairn_status cairn_context_loader(cairn_context      *context,
                                  cairn_build        *build,
                                  cairn_build_loader *own,
                                  char               *why)
{
    cairn_env               *env   = &context->env;
    const cairn_build_worthy worth = cairn_build_worth(env, build);

    build->loader = NULL;
    /* Finding devices takes longer than a small build does. */
    if (worth == CAIRN_BUILD_REFERENCE
        || (worth == CAIRN_BUILD_AT_HAND && !context->devices))
        return CAIRN_OK;

    const cairn_kernel_loader *device;
    const cairn_status         status = find_loader(context, &device);

    if (status == CAIRN_OK) {
        *own                = (cairn_build_loader){*device, device, env, why};
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
