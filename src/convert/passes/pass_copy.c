// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// APPEND of arrays whole: what the target would take over
/// (convert/stores/shared_arrays.h), but nobody can give it, is copied from one end to the
/// other. Indices may become narrower on the way. What waits to be looked at is looked at
/// before, block by block, each of which is still in a cache when its rows' begins are
/// found and its indices copied: once read in place of twice.

#include "base/stream.h"
#include "base/wide.h"
#include "convert/given_arrays.h"
#include "convert/method.h"
#include "convert/passes.h"
#include "convert/stores/shared_arrays.h"
#include "entries/entries_rows.h"
#include "phases/row_starts.h"

#include <stdatomic.h>
#include <string.h>

enum {
    PIECE       = 1 << 17, ///< Entries worth another thread (a guess),
    MOST_PIECES = 64,      ///< and pieces at most.
    BLOCK       = 1 << 12, ///< Entries of a turn,
    LOOK        = 1 << 11, ///< and of one that looks: 16 KB of indices.
    /* Bytes of an array from which it is written past the caches (measured, lists by rows,
     * kept memory: 0.86 of the time with 13 MB, 0.79 with 26, 1.07 with 0.8; in fresh memory
     * 0.94 to 1). */
    STREAMED = 1 << 23,
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
    cairn_rows_copy     rows;   ///< What waits, of which `first` gets where rows begin,
    bool                fits;   ///< if it can be copied in one loop.
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

static void copy_bytes(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

/// @param all  Entries of the array.
static void copy(const array *a, int64_t all, int64_t begin, int64_t end)
{
    if (a->from_bytes == a->to_bytes)
        (all * a->to_bytes >= STREAMED ? cairn_stream_copy : copy_bytes)(
            a->to + begin * a->to_bytes, a->from + begin * a->from_bytes,
            (size_t)(end - begin) * (size_t)a->to_bytes);
    else
        for (int64_t k = begin; k < end; k += BLOCK)
            narrow(a, k, k + BLOCK < end ? k + BLOCK : end);
}

/// Copy the indices of a block that waits. @return false: they are in no order.
static bool take_block(copying *c, int64_t begin, int64_t then, int64_t end)
{
    const cairn_given_arrays *const given = c->origin->from->waiting;

    if (c->fits) return cairn_rows_copy_some(&c->rows, then, end);
    if (!cairn_given_ascends(given->lists, given->least, given->most,
                             then == begin && then > 0 ? then - 1 : then, end))
        return false;
    cairn_starts_write_some(c->origin, cairn_starts_row(c->origin), then, end,
                            c->rows.first);
    for (int a = 0; a < c->arrays - 1; a++)
        copy(&c->its[a], c->entries, then, end);
    return true;
}

/// Copy indices that wait, as far as they are in order: of a block that is not, nothing is
/// used, so that no row begins outside the array. The entry before the piece is another's to
/// look at, and here it is, too, since its row is read. Where a piece is in order, and what
/// comes behind it begins lower, both write where the same rows begin; the list is wrong then,
/// and what was written is thrown away: stores of 32 bits, of which any may remain.
static void look_and_copy(copying *c, int64_t begin, int64_t end)
{
    for (int64_t k = begin; k < end && !atomic_load(&c->wrong); k += LOOK)
        if (!take_block(c, begin, k, k + LOOK < end ? k + LOOK : end))
            atomic_store(&c->wrong, true);
    if (!atomic_load(&c->wrong)) copy(&c->its[c->arrays - 1], c->entries, begin, end);
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
        copy(&c->its[k], c->entries, begin, end);
}

bool cairn_append_arrays_looks(const cairn_compiled *c)
{
    const cairn_given_arrays *const given =
        c->origin.from ? c->origin.from->waiting : NULL;

    return given && !given->looked && c->choice.method == &cairn_method_share
           && c->shared.bytes == 0 && c->m->layout->level[1].arrays.ptr_bits == 32;
}

/// Rows and columns of a list that waits go to @p level.
static void
set_rows(const cairn_given_arrays *given, const cairn_kernel_level *level, copying *all)
{
    all->rows = (cairn_rows_copy){
        .given       = given->lists,
        .least       = {given->least[0], given->least[1]},
        .most        = {given->most[0],  given->most[1] },
        .column      = (void *)(uintptr_t)level->idx,
        .column_bits = level->idx_bits,
        .first       = (uint32_t *)(uintptr_t)level->ptr
    };
    all->fits = all->arrays == 2 && cairn_rows_copy_fits(&all->rows);
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
        set_rows(c->origin.from->waiting, &view->level[1], &all);
    }
    cairn_thread_pool_run(&env->thread_pool, threads, copy_piece, &all, all.pieces);
    return all.origin ? cairn_given_looked(env, c->origin.from->waiting, !all.wrong)
                      : CAIRN_OK;
}

const cairn_pass_work cairn_append_arrays = {.write = append_arrays};
