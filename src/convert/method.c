// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The list of methods, and their names.

#include "convert/method.h"

#include "base/options.h"

#include <string.h>

const cairn_method *const cairn_methods[CAIRN_METHODS] = {
    &cairn_method_partitioned, &cairn_method_share,   &cairn_method_append,
    &cairn_method_row_slots,   &cairn_method_rows,    &cairn_method_lines,
    &cairn_method_whole_rows,  &cairn_method_scatter, &cairn_method_groups,
    &cairn_method_sort,        &cairn_method_card,
};

cairn_status cairn_method_check(cairn_env *env, const char *word)
{
    const char *names[CAIRN_METHODS + 2] = {CAIRN_METHOD_REFERENCE};
    const char *nearest;

    for (int k = 0; k < CAIRN_METHODS; k++)
        names[k + 1] = cairn_methods[k]->name;
    if (!*word) return CAIRN_OK;
    for (int k = 0; names[k]; k++) {
        if (strcmp(word, names[k]) != 0) continue;
        CAIRN_CHECK(k == 0 || env->options.kernels != CAIRN_KERNELS_REFERENCE, env,
                    CAIRN_BAD_OPTION,
                    "option: CAIRN_CONVERT: %s: compiled functions do it, and "
                    "CAIRN_KERNELS=reference asks for none",
                    word);
        return CAIRN_OK;
    }
    nearest = cairn_nearest(word, names);
    return cairn_fail(
        env, CAIRN_BAD_OPTION, "option: CAIRN_CONVERT: %s is no method%s%s%s", word,
        nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

bool cairn_method_allowed(const cairn_env *env, const cairn_method *method)
{
    const char *const word = env->options.convert;

    return !word[0] || strcmp(word, method->name) == 0;
}
