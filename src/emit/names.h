// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Names of what is in sight at the place where a printer stands. Two objects may share
/// a name; where both are in sight the second is printed with a number: `k`, `k_2`. Loops
/// beside each other may both count with `k`.

#ifndef CAIRN_EMIT_NAMES_H
#define CAIRN_EMIT_NAMES_H

#include "base/env.h"

/// The longest printed name; lowerings choose short ones.
#define CAIRN_NAME 64

typedef struct cairn_name {
    const void *object; ///< NULL: a name that nothing else may have.
    char        text[CAIRN_NAME];
} cairn_name;

typedef struct cairn_symbols {
    cairn_env   *env;
    cairn_name  *name;
    int          count, capacity;
    cairn_status status; ///< The first failure.
} cairn_symbols;

void cairn_names_init(cairn_symbols *names, cairn_env *env);
void cairn_names_fini(cairn_symbols *names);

/// Bring @p object in sight, as @p name or that with the first number that is free.
void cairn_names_push(cairn_symbols *names, const void *object, const char *name);

/// Out of sight goes what came after there were @p count.
void cairn_names_pop(cairn_symbols *names, int count);

/// What @p object is called; "" if it is not in sight.
const char *cairn_names_of(const cairn_symbols *names, const void *object);

#endif
