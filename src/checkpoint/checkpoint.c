// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// States: names of vectors and scalars.

#include "checkpoint/checkpoint.h"

#include <string.h>

static bool is_name(const char *name)
{
    return name[0] && strlen(name) < CAIRN_CHECKPOINT_NAME;
}

int cairn_checkpoint_find_vector(const cairn_checkpoint *state, const char *name)
{
    for (int k = 0; k < state->vectors; k++)
        if (strcmp(state->vector[k].name, name) == 0) return k;
    return -1;
}

int cairn_checkpoint_find_scalar(const cairn_checkpoint *state, const char *name)
{
    for (int k = 0; k < state->scalars; k++)
        if (strcmp(state->scalar[k].name, name) == 0) return k;
    return -1;
}

bool cairn_checkpoint_add_vector(cairn_checkpoint *state,
                                 const char       *name,
                                 cairn_dtype       dtype,
                                 void             *value)
{
    if (!is_name(name) || state->vectors == CAIRN_CHECKPOINT_VECTORS
        || cairn_checkpoint_find_vector(state, name) >= 0)
        return false;
    cairn_checkpoint_vector *const v = &state->vector[state->vectors++];

    *v = (cairn_checkpoint_vector){.dtype = dtype, .value = value};
    strcpy(v->name, name);
    return true;
}

bool cairn_checkpoint_add_scalar(cairn_checkpoint *state,
                                 const char       *name,
                                 uint64_t          bits)
{
    if (!is_name(name) || state->scalars == CAIRN_CHECKPOINT_SCALARS
        || cairn_checkpoint_find_scalar(state, name) >= 0)
        return false;
    cairn_checkpoint_scalar *const s = &state->scalar[state->scalars++];

    *s = (cairn_checkpoint_scalar){.bits = bits};
    strcpy(s->name, name);
    return true;
}
