// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The functions that conversions call, each once, by what is known without any entry: so
/// that they can be compiled before there is one.

#ifndef CAIRN_CONVERT_FUNCTION_LIST_H
#define CAIRN_CONVERT_FUNCTION_LIST_H

#include "convert/build_plan.h"

/// A function: its key, and its text in C, which defines the key's symbol.
typedef struct cairn_listed_function {
    char *key, *source;
} cairn_listed_function;

typedef struct cairn_function_list {
    cairn_env             *env;
    int                    count, room;
    cairn_listed_function *function; ///< [count]
} cairn_function_list;

/// Empty. Pairs with cairn_function_list_fini().
void cairn_function_list_init(cairn_function_list *list, cairn_env *env);
void cairn_function_list_fini(cairn_function_list *list);

/// Add those that the conversion of a source that is as @p sample says calls.
///
/// Local.
///
/// @param[in] from    NULL: coordinates.
/// @param[in] loader  That will load them: its vectors and rates count.
/// @return as cairn_build_plan_sample(); the list may have some of them then.
cairn_status cairn_function_list_add(cairn_function_list       *list,
                                     const struct cairn_format *from,
                                     const struct cairn_format *to,
                                     const cairn_plan_sample   *sample,
                                     const cairn_kernel_loader *loader);

#endif
