// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// APPEND of arrays whole: what the target would take over
/// (convert/stores/shared_arrays.h), but nobody can give it, is copied from one end to the
/// other. Indices may become narrower on the way. What waits to be looked at is looked at
/// before, block by block, each of which is still in a cache when its rows' begins are
/// found and its indices copied: once read in place of twice.

#include "base/wide.h"
#include "convert/given_arrays.h"
#include "convert/method.h"
#include "convert/passes.h"
#include "convert/stores/shared_arrays.h"
#include "phases/row_starts.h"

#include <stdatomic.h>
#include <string.h>

enum {
    PIECE       = 1 << 17, ///< Entries worth another thread (a guess),
    MOST_PIECES = 64,      ///< and pieces at most.
    BLOCK       = 1 << 12, ///< Entries of a turn,
    LOOK        = 1 << 11, ///< and of one that looks: 16 KB of indices.
};

/// Entries of one array of indices, or of values: of these both widths are the same.
typedef struct {
    const char *from;
    char       *to;
    int         from_bytes, to_bytes;
} array;

typedef struct {
    array               its[CAIRN_MAX_LEVELS + 1];
    int                 arrays, pieces;
    int64_t             entries;
    const cairn_origin *origin; ///< NULL: nothing waits.
    uint32_t           *first;  ///< [rows + 1] where rows begin.
    _Atomic bool        wrong;  ///< Something is in no order.
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

/// Copy indices that wait, as far as they are in order: of a block that is not, nothing is
/// used, so that no row begins outside the array. The entry before the piece is another's to
/// look at, and here it is, too, since its row is read. Where a piece is in order, and what
/// comes behind it begins lower, both write where the same rows begin; the list is wrong then,
/// and what was written is thrown away: stores of 32 bits, of which any may remain.
static void look_and_copy(copying *c, int64_t begin, int64_t end)
{
    const cairn_given_arrays *const given = c->origin->from->waiting;
    const int row = cairn_starts_row(c->origin), values = c->arrays - 1;

    for (int64_t k = begin; k < end && !atomic_load(&c->wrong); k += LOOK) {
        const int64_t then = k + LOOK < end ? k + LOOK : end;

        if (!cairn_given_ascends(given->lists, given->least, given->most,
                                 k == begin && k > 0 ? k - 1 : k, then)) {
            atomic_store(&c->wrong, true);
            return;
        }
        cairn_starts_write_some(c->origin, row, k, then, c->first);
        for (int a = 0; a < values; a++)
            copy(&c->its[a], k, then);
    }
    if (!atomic_load(&c->wrong)) copy(&c->its[values], begin, end);
}

static void copy_piece(void *user, int piece)
{
    copying *const c     = user;
    const int64_t  begin = (int64_t)((__int128)c->entries * piece / c->pieces);
    const int64_t  end   = (int64_t)((__int128)c->entries * (piece + 1) / c->pieces);

    if (c->origin) {
        look_and_copy(c, begin, end);
        return;
    }
    for (int k = 0; k < c->arrays; k++)
        copy(&c->its[k], begin, end);
}

bool cairn_append_arrays_looks(const cairn_compiled *c)
{
    const cairn_given_arrays *const given =
        c->origin.from ? c->origin.from->waiting : NULL;

    return given && !given->looked && c->choice.method == &cairn_method_share
           && c->shared.bytes == 0 && c->m->layout->level[1].arrays.ptr_bits == 32;
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
                                        to->values.bits / 8, to->values.bits / 8};
    all.pieces = threads <= 1 ? 1 : wanted < MOST_PIECES ? (int)wanted : MOST_PIECES;
    if (cairn_append_arrays_looks(c)) {
        all.origin = &c->origin;
        all.first  = (uint32_t *)(uintptr_t)view->level[1].ptr;
    }
    cairn_thread_pool_run(&env->thread_pool, threads, copy_piece, &all, all.pieces);
    return all.origin ? cairn_given_looked(env, c->origin.from->waiting, !all.wrong)
                      : CAIRN_OK;
}

const cairn_pass_work cairn_append_arrays = {.write = append_arrays};
