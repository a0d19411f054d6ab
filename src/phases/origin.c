// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading a source into keys, part by part.

#include "phases/origin.h"

#include "phases/line_index.h"

#include <string.h>

cairn_pos cairn_origin_entries(const cairn_origin *origin)
{
    cairn_pos n = 0;

    if (origin->filter.member) return origin->filter.entries;
    if (!origin->from) return origin->entries->n;
    for (int64_t k = 0; k < cairn_origin_group(origin)->count; k++)
        n += cairn_origin_part(origin, k)->nnz;
    return n;
}

/// Coordinates and numbers.
static void entry_args(const cairn_origin *origin, cairn_convert_args *args)
{
    const int64_t **coord  = &args->coord0;
    const int64_t **number = &args->number0;

    args->begin = 0;
    args->end   = origin->entries->n;
    args->value = origin->entries->value;
    for (int k = 0; k < origin->entries->order; k++)
        coord[k] = origin->entries->coord[k];
    for (int q = 0; origin->queries >> q; q++)
        if (origin->queries >> q & 1)
            number[q] = cairn_groups_at_entries(origin->set, q);
}

/// Values of the parts before number @p number: where its members begin.
static cairn_pos values_before(const cairn_origin *origin, int64_t number)
{
    cairn_pos n = 0;

    for (int64_t k = 0; k < number; k++)
        n += cairn_origin_part(origin, k)->view.values;
    return n;
}

cairn_pos cairn_origin_positions(const cairn_origin *origin)
{
    return origin->from ? values_before(origin, cairn_origin_group(origin)->count)
                        : origin->entries->n;
}

/// Indices of the levels that number the bank.
static void outer_indices(const cairn_part *part, int64_t *outer)
{
    int64_t bank = part->where.bank;

    for (int l = part->layout->partition; l >= 0; l--) {
        const cairn_level *level = &part->layout->level[l];

        outer[l] = level->range.lo + bank % level->size;
        bank /= level->size;
    }
}

/// Every function that reads the source numbers its entries anew, from the first part on.
static void
group_args(const cairn_numbered_groups *g, int64_t part, cairn_convert_args *args)
{
    const cairn_line_index *x = g->index;

    if (g->entries && !x->listed && x->number && part == 0)
        memcpy(x->slot, x->number, (size_t)x->n * sizeof *x->slot);
    args->group_low  = g->low;
    args->group_size = g->size;
    args->rank_of    = x->number;
    args->line_first = x->begin;
    args->line_list  = x->place;
    args->line_slot  = x->slot;
    args->line_slots = x->places;
}

void cairn_origin_args(const cairn_origin *origin,
                       int64_t             number,
                       int64_t            *outer,
                       cairn_convert_args *args)
{
    args->box        = &origin->box[0].lo;
    args->member     = origin->filter.member;
    args->which      = origin->filter.which;
    args->table      = origin->table;
    args->table_rows = origin->rows;
    if (origin->groups.index) group_args(&origin->groups, number, args);
    if (!origin->from) {
        entry_args(origin, args);
        return;
    }
    const cairn_part *part = cairn_origin_part(origin, number);

    if (args->member) args->member += values_before(origin, number);
    outer_indices(part, outer);
    args->outer = outer;
    args->begin = 0;
    args->end   = cairn_convert_turns(part->layout, &part->view);
    /* Complete levels may have very many indices above one that has none. */
    if (part->view.values == 0) args->end = 0;
}

static cairn_status pack_part(cairn_env          *env,
                              const cairn_origin *origin,
                              int64_t             number,
                              const cairn_phase  *pack,
                              cairn_keys         *keys)
{
    int64_t                  outer[CAIRN_MAX_LEVELS], facts[CAIRN_CONVERT_FACTS] = {0};
    cairn_convert_args       args = {.facts = facts};
    const cairn_kernel_part *view = cairn_origin_view(origin, number);

    cairn_origin_args(origin, number, outer, &args);
    cairn_keys_args(keys, keys->n, &args);
    CAIRN_TRY(cairn_phase_run(env, pack, view, NULL, &args));
    cairn_keys_grow(keys, facts);
    return CAIRN_OK;
}

/* ---- entries on several threads ---- */

enum {
    PIECE       = 30000, ///< Entries worth another thread (measured).
    MOST_PIECES = 64,
};

/// Pieces of entries, each of which has keys of its own.
typedef struct {
    const cairn_phase        *pack;
    const cairn_keys         *keys;
    const cairn_convert_args *args;
    int                       pieces;
    int64_t                   result[MOST_PIECES];
    int64_t                   facts[MOST_PIECES][CAIRN_CONVERT_FACTS];
} packing;

/// Is the key of an entry its own affair, and its place as well?
static bool is_divisible(const cairn_origin *origin, const cairn_phase *pack)
{
    return !origin->from && !origin->filter.member && !origin->groups.index
           && !pack->interpreted;
}

static void pack_piece(void *user, int piece)
{
    packing *const     p    = user;
    cairn_convert_args args = *p->args;
    const cairn_pos    n    = args.end;

    args.begin = (cairn_pos)((__int128)n * piece / p->pieces);
    args.end   = (cairn_pos)((__int128)n * (piece + 1) / p->pieces);
    args.facts = p->facts[piece];
    cairn_keys_args(p->keys, p->keys->n + args.begin, &args);
    p->result[piece] = cairn_phase_call(p->pack, NULL, NULL, &args);
}

static cairn_status pack_pieces(cairn_env          *env,
                                int                 threads,
                                const cairn_origin *origin,
                                const cairn_phase  *pack,
                                cairn_keys         *keys)
{
    const int64_t      pieces = origin->entries->n / PIECE;
    cairn_convert_args args   = {.facts = NULL};
    packing            p      = {.pack   = pack,
                                 .keys   = keys,
                                 .args   = &args,
                                 .pieces = pieces < MOST_PIECES ? (int)pieces : MOST_PIECES};

    cairn_origin_args(origin, 0, NULL, &args);
    cairn_thread_pool_run(&env->thread_pool, threads, pack_piece, &p, p.pieces);
    for (int k = 0; k < p.pieces; k++) {
        CAIRN_TRY(cairn_phase_check(env, p.result[k]));
        cairn_keys_grow(keys, p.facts[k]);
    }
    return CAIRN_OK;
}

cairn_status cairn_origin_pack(cairn_env          *env,
                               int                 threads,
                               const cairn_origin *origin,
                               const cairn_phase  *pack,
                               cairn_keys         *keys)
{
    const int64_t parts = origin->from ? cairn_origin_group(origin)->count : 1;

    if (threads > 1 && is_divisible(origin, pack) && origin->entries->n >= 2 * PIECE)
        return pack_pieces(env, threads, origin, pack, keys);
    for (int64_t k = 0; k < parts; k++)
        CAIRN_TRY(pack_part(env, origin, k, pack, keys));
    return CAIRN_OK;
}

bool cairn_origin_fits(const cairn_origin *origin)
{
    const cairn_group *group = cairn_origin_group(origin);

    return !group || cairn_parts_fit(&origin->from->part[group->first], group->count);
}
