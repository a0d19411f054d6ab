// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Is a build worth compiling functions for, or looking for them?

#include "convert/build_steps.h"
#include "convert/method.h"

#include <string.h>

enum {
    WORTH_LOOKING = 4000, ///< Entries from which looking for functions pays (a guess).
};

cairn_pos cairn_build_entries(const cairn_build *build)
{
    cairn_pos n = 0;

    if (!build->from) return build->entries->n;
    for (int64_t k = 0; k < build->from->parts; k++)
        n += build->from->part[k].nnz;
    return n;
}

cairn_status cairn_build_judge(cairn_build *build)
{
    build->ranks.judged_by =
        build->bucketed ? build->bucketed->room : cairn_build_entries(build);
    return build->net ? build->net->max(build->net->user, &build->ranks.judged_by)
                      : CAIRN_OK;
}

cairn_pos cairn_build_judged_by(const cairn_build *build)
{
    const cairn_pos n = cairn_build_entries(build);

    return build->ranks.judged_by > n ? build->ranks.judged_by : n;
}

cairn_build_tier cairn_build_worth(const cairn_env *env, const cairn_build *build)
{
    const cairn_pos n = cairn_build_judged_by(build);

    if (env->options.convert[0])
        return strcmp(env->options.convert, CAIRN_METHOD_REFERENCE) == 0
                   ? CAIRN_BUILD_REFERENCE
                   : CAIRN_BUILD_COMPILED;
    switch ((cairn_kernels_way)env->options.kernels) {
    case CAIRN_KERNELS_COMPILED: return CAIRN_BUILD_COMPILED;
    case CAIRN_KERNELS_REFERENCE: return CAIRN_BUILD_REFERENCE;
    case CAIRN_KERNELS_AUTO: break;
    }
    if (n >= CAIRN_WORTH_COMPILING) return CAIRN_BUILD_COMPILED;
    return n >= WORTH_LOOKING ? CAIRN_BUILD_AT_HAND : CAIRN_BUILD_REFERENCE;
}
