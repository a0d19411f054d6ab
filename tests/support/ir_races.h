// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Who touches which element while a function with GROUPS is interpreted, and whether the
/// rules of ir.h hold: between two barriers no item touches what another one writes, and
/// groups never touch what another one writes. Reading what a group shares before anything
/// was stored there is a breach, too.

#ifndef CAIRN_TESTS_SUPPORT_IR_RACES_H
#define CAIRN_TESTS_SUPPORT_IR_RACES_H

#include "ir/ir_run.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

enum { RACES_SLOTS = 1 << 21 };

/// Of one element: who wrote, added and read it last, and when.
typedef struct {
    const char *array; ///< NULL: the slot is free.
    bool        own;
    int64_t at, group, phase; ///< Of what follows; of a group's own also which group.
    int64_t writer, reader;   ///< Items; -1: all of the group, -2: none.
    bool    readers;          ///< More than one.
    bool    added;            ///< The writer adds, and may be joined by others.
    bool    stored;           ///< Ever, in this group.
    int64_t writer_group, reader_group; ///< -2: none; of elements that are given.
    bool    reader_groups;
} races_element;

typedef struct {
    races_element *slot;  ///< [RACES_SLOTS]
    uint32_t      *taken; ///< [used] numbers of the slots that are.
    int            used;
} races;

static inline void races_open(races *r)
{
    r->slot  = calloc(RACES_SLOTS, sizeof *r->slot);
    r->taken = malloc(RACES_SLOTS / 2 * sizeof *r->taken);
    r->used  = 0;
}

/// For another run: only what was touched is cleared.
static inline void races_again(races *r)
{
    for (int k = 0; k < r->used; k++)
        r->slot[r->taken[k]].array = NULL;
    r->used = 0;
}

static inline void races_close(races *r)
{
    free(r->slot);
    free(r->taken);
}

static inline races_element *races_find(races *r, const cairn_ir_touch *t)
{
    uint64_t at = ((uintptr_t)t->array ^ (uint64_t)t->at * 0x9e3779b97f4a7c15U) >> 7;

    for (;; at++) {
        races_element *const e = &r->slot[at % RACES_SLOTS];

        if (e->array == t->array && e->at == t->at) return e;
        if (e->array) continue;
        cr_assert_lt(++r->used, RACES_SLOTS / 2,
                     "more elements than races are sought in");
        r->taken[r->used - 1] = (uint32_t)(at % RACES_SLOTS);
        *e                    = (races_element){.array        = t->array,
                                                .own          = t->own,
                                                .at           = t->at,
                                                .group        = -2,
                                                .writer_group = -2,
                                                .reader_group = -2};
        return e;
    }
}

/// Between groups, of what all of them are given.
static inline const char *races_between_groups(races_element        *e,
                                               const cairn_ir_touch *t)
{
    const bool writes = t->how != CAIRN_IR_READS;
    const bool adds   = t->how == CAIRN_IR_ADDS && e->added;

    if (e->writer_group >= 0 && e->writer_group != t->group && !adds)
        return "a group touches what another one wrote";
    if (writes
        && (e->reader_groups || (e->reader_group >= 0 && e->reader_group != t->group)))
        return "a group writes what another one read";
    if (writes) e->writer_group = t->group;
    if (!writes && e->reader_group >= 0 && e->reader_group != t->group)
        e->reader_groups = true;
    if (!writes) e->reader_group = t->group;
    return NULL;
}

/// Between items of a group, in one phase.
static inline const char *races_between_items(races_element *e, const cairn_ir_touch *t)
{
    if (t->how == CAIRN_IR_READS) {
        if (e->writer != -2 && e->writer != t->item)
            return "an item reads what another one wrote, and no barrier is between";
        if (e->reader != -2 && e->reader != t->item) e->readers = true;
        e->reader = t->item;
        return NULL;
    }
    if (e->writer != -2 && e->writer != t->item
        && !(t->how == CAIRN_IR_ADDS && e->added))
        return "two items write one element";
    if (e->readers || (e->reader != -2 && e->reader != t->item))
        return "an item writes what another one read, and no barrier is between";
    e->writer = t->item;
    return NULL;
}

static inline const char *races_touch(void *user, const cairn_ir_touch *t)
{
    if (t->group < 0) return NULL; /* before the groups, or behind them */

    races_element *const e = races_find(user, t);
    const char          *why;

    if (e->group != t->group || e->phase != t->phase) {
        if (e->group != t->group) e->stored = false;
        e->group  = t->group;
        e->phase  = t->phase;
        e->writer = e->reader = -2;
        e->readers            = false;
    }
    if (e->own && t->how == CAIRN_IR_READS && !e->stored)
        return "what is shared is read, and was not stored";
    why = e->own ? NULL : races_between_groups(e, t);
    if (!why) why = races_between_items(e, t);
    if (t->how != CAIRN_IR_READS) {
        e->stored = true;
        e->added  = t->how == CAIRN_IR_ADDS;
    }
    return why;
}

#endif
