// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// APPEND of arrays whole: what the target would take over (shared_arrays.h), but nobody can
/// give it, is copied from one end to the other. Indices may become narrower on the way.

#include "base/wide.h"
#include "convert/passes.h"
#include "convert/stores/shared_arrays.h"

#include <string.h>

enum {
    PIECE       = 1 << 17, ///< Entries worth another thread (a guess),
    MOST_PIECES = 64,      ///< and pieces at most.
    BLOCK       = 1 << 12, ///< Entries of a turn.
};

/// Entries of one array of indices, or of values: of these both widths are the same.
typedef struct {
    const char *from;
    char       *to;
    int         from_bytes, to_bytes;
} array;

typedef struct {
    array   its[CAIRN_MAX_LEVELS + 1];
    int     arrays, pieces;
    int64_t entries;
} copying;

#define NARROW(wide, narrow)              \
    for (int64_t k = begin; k < end; k++) \
    ((narrow *)to)[k] = (narrow)((const wide *)from)[k]

/// Each is in the range of both widths, so that the lower bytes are all there is.
CAIRN_WIDE static void narrow(const array *a, int64_t begin, int64_t end)
{
    const void *const restrict from = a->from;
    void *const restrict to         = a->to;

    switch (16 * a->from_bytes + a->to_bytes) {
    case 0x84: NARROW(uint64_t, uint32_t); break;
    case 0x82: NARROW(uint64_t, uint16_t); break;
    case 0x81: NARROW(uint64_t, uint8_t); break;
    case 0x42: NARROW(uint32_t, uint16_t); break;
    case 0x41: NARROW(uint32_t, uint8_t); break;
    default: NARROW(uint16_t, uint8_t);
    }
}

static void copy(const array *a, int64_t begin, int64_t end)
{
    if (a->from_bytes == a->to_bytes)
        memcpy(a->to + begin * a->to_bytes, a->from + begin * a->from_bytes,
               (size_t)(end - begin) * (size_t)a->to_bytes);
    else
        for (int64_t k = begin; k < end; k += BLOCK)
            narrow(a, k, k + BLOCK < end ? k + BLOCK : end);
}

static void copy_piece(void *user, int piece)
{
    const copying *const c     = user;
    const int64_t        begin = (int64_t)((__int128)c->entries * piece / c->pieces);
    const int64_t end = (int64_t)((__int128)c->entries * (piece + 1) / c->pieces);

    for (int k = 0; k < c->arrays; k++)
        copy(&c->its[k], begin, end);
}

static cairn_status append_arrays(cairn_compiled *c, const cairn_pass_call *call)
{
    cairn_env *const         env     = c->m->env;
    const cairn_layout      *to      = c->m->layout;
    const cairn_kernel_part *view    = &call->part->view;
    const int                threads = c->build->loader->threads;
    const int64_t            wanted  = c->facts.entries / PIECE + 1;
    copying                  all     = {.entries = c->facts.entries};

    for (int l = to->first; l <= to->last; l++) {
        const cairn_kernel_level *from = cairn_shared_arrays_like(c, l);

        if (!c->shared.idx[l])
            all.its[all.arrays++] =
                (array){from->idx, (char *)(uintptr_t)view->level[l].idx,
                        from->idx_bits / 8, view->level[l].idx_bits / 8};
    }
    if (!c->shared.val)
        all.its[all.arrays++] = (array){cairn_compiled_source(c)->val, view->val,
                                        to->value_bits / 8, to->value_bits / 8};
    all.pieces = threads <= 1 ? 1 : wanted < MOST_PIECES ? (int)wanted : MOST_PIECES;
    cairn_thread_pool_run(&env->thread_pool, threads, copy_piece, &all, all.pieces);
    return CAIRN_OK;
}

const cairn_pass_work cairn_append_arrays = {.write = append_arrays};
