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
        if (k == 0) memcpy(first, env->message, sizeof first);
    }
    return cairn_fail(env, CAIRN_NO_KERNEL,
                      "convert: no device of this run has kernels: %s", first);
}

cairn_status cairn_context_loader(cairn_context              *context,
                                  const cairn_build          *build,
                                  const cairn_kernel_loader **loader)
{
    const cairn_build_worthy worth = cairn_build_worth(&context->env, build);

    *loader = NULL;
    /* Finding devices takes longer than a small build does. */
    if (worth == CAIRN_BUILD_REFERENCE
        || (worth == CAIRN_BUILD_AT_HAND && !context->devices))
        return CAIRN_OK;

    const cairn_status status = find_loader(context, loader);

    return context->env.options.kernels == CAIRN_KERNELS_COMPILED ? status : CAIRN_OK;
}
