// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the `with` of a query says of the elements that it looks at: which case each is in,
/// and what it starts with.

#ifndef CAIRN_GROUPS_STARTS_H
#define CAIRN_GROUPS_STARTS_H

#include "groups/state.h"

typedef struct cairn_group_starts {
    bool     one; ///< All are in one case with a constant,
    int      one_arm;
    int64_t  one_start; ///< this (CAIRN_NO_NUMBER: none).
    uint8_t *arm;       ///< Else: [elements] the case, `otherwise` being the last,
    int64_t *start;     ///< [elements] and the start.
} cairn_group_starts;

cairn_status
cairn_group_starts_find(cairn_groups *set, int q, cairn_group_starts *starts);

void cairn_group_starts_fini(cairn_env *env, cairn_group_starts *starts);

static inline int cairn_group_starts_arm(const cairn_group_starts *s, int64_t p)
{
    return s->one ? s->one_arm : s->arm[p];
}

static inline int64_t cairn_group_starts_at(const cairn_group_starts *s, int64_t p)
{
    return s->one ? s->one_start : s->start[p];
}

#endif
