// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lists of rows: made for what they are to have, and put in the order of other columns.

#include "comm/move_runs_steps.h"

enum {
    SORTED_AT_ONCE = 16,   ///< Entries of a row that are put in order by insertion.
    PIECE          = 16384 ///< Entries that are worth a thread's beginning.
};

cairn_status cairn_runs_create_list(const cairn_local  *own,
                                    const cairn_format *list,
                                    cairn_coord         extent,
                                    cairn_interval      rows,
                                    int                 rank,
                                    cairn_local       **fresh)
{
    cairn_local *local;

    CAIRN_TRY(CAIRN_NEW_ZERO(own->env, 1, fresh));
    local                  = *fresh;
    local->env             = own->env;
    local->shape           = own->shape;
    local->shape.extent[0] = extent;
    local->format          = list;
    local->value_bits      = own->value_bits;
    local->groups          = 1;
    local->box[0]          = rows;
    local->box[1]          = (cairn_interval){0, local->shape.extent[1] - 1};
    CAIRN_TRY(cairn_layout_create(own->env, list->member[0], local->shape.extent,
                                  local->box, NULL, own->value_bits,
                                  &local->group[0].layout));
    local->group[0].count = 1;
    CAIRN_TRY(CAIRN_NEW_ZERO(own->env, 1, &local->part));
    local->parts         = 1;
    local->part[0].where = (cairn_where){.rank = rank};
    return CAIRN_OK;
}

cairn_status
cairn_runs_alloc_list(cairn_local *fresh, const int64_t *begin, int64_t held)
{
    const int64_t    rows                    = fresh->box[0].hi + 1 - fresh->box[0].lo;
    cairn_group     *group                   = &fresh->group[0];
    cairn_part      *part                    = &fresh->part[0];
    cairn_pos        nodes[CAIRN_MAX_LEVELS] = {0};
    int64_t          offset = 0, bytes = 0;
    cairn_env *const env = fresh->env;

    part->nnz = nodes[1] = begin[rows];
    cairn_part_place(group->layout, nodes, NULL, &offset, &bytes, part);
    CAIRN_TRY(cairn_check_memory(env, "rows from other ranks", held + bytes));
    CAIRN_TRY(cairn_group_alloc(env, group, group->layout, nodes, CAIRN_CLEAR_NONE,
                                NULL, part));
    const cairn_kernel_level *const level = &part->view.level[1];

    for (int64_t k = 0; k <= rows; k++)
        cairn_store_int((void *)level->ptr, k, level->ptr_bits / 8, level->ptr_bits,
                        begin[k]);
    return CAIRN_OK;
}

/* ---- the order of a row ---- */

typedef struct {
    cairn_coord column;
    double      value;
} entry;

static void insert_each(entry *e, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        const entry its = e[k];
        int64_t     at  = k;

        for (; at > 0 && e[at - 1].column > its.column; at--)
            e[at] = e[at - 1];
        e[at] = its;
    }
}

static void
merge(const entry *a, int64_t n, const entry *b, int64_t more, entry *restrict to)
{
    int64_t i = 0, j = 0;

    while (i < n && j < more)
        if (b[j].column < a[i].column)
            *to++ = b[j++];
        else
            *to++ = a[i++];
    memcpy(to, a + i, (size_t)(n - i) * sizeof *to);
    memcpy(to + (n - i), b + j, (size_t)(more - j) * sizeof *to);
}

/// Sort by columns, of which none is twice. @return the one of both arrays that has them.
static entry *sort_entries(entry *e, int64_t n, entry *other)
{
    for (int64_t k = 0; k < n; k += SORTED_AT_ONCE)
        insert_each(e + k, n - k < SORTED_AT_ONCE ? n - k : SORTED_AT_ONCE);
    for (int64_t width = SORTED_AT_ONCE; width < n; width *= 2) {
        entry *const before = e;

        for (int64_t k = 0; k < n; k += 2 * width) {
            const int64_t left = n - k < width ? n - k : width;
            const int64_t rest = n - k - left < width ? n - k - left : width;

            merge(e + k, left, e + k + left, rest, other + k);
        }
        e     = other;
        other = before;
    }
    return e;
}

/// Rows for several threads.
typedef struct {
    const cairn_kernel_part  *from;
    const cairn_column_names *names;
    cairn_kernel_part        *to;
    entry                    *room; ///< [pieces][2][longest]
    int64_t                   longest;
    int                       pieces;
} ordering;

static void order_row(const ordering *o, cairn_run its, entry *e)
{
    const cairn_kernel_level *from = &o->from->level[1], *to = &o->to->level[1];
    const cairn_word          word   = cairn_word_of_bits(o->to->val_bits);
    const int64_t             n      = its.end - its.begin;
    bool                      sorted = true;

    for (int64_t k = 0; k < n; k++) {
        const cairn_coord column = cairn_runs_index(from, its.begin + k);

        e[k].column = o->names ? cairn_column_name_of(o->names, column) : column;
        e[k].value  = cairn_value_get(o->from, its.begin + k);
        sorted      = sorted && (k == 0 || e[k - 1].column < e[k].column);
    }
    if (sorted && o->from == o->to) return;
    const entry *const in_order = sorted ? e : sort_entries(e, n, e + o->longest);

    for (int64_t k = 0; k < n; k++) {
        cairn_store_int((void *)to->idx, its.begin + k, to->idx_stride, to->idx_bits,
                        in_order[k].column);
        cairn_word_put_value(word, in_order[k].value,
                             cairn_value_at(o->to, its.begin + k));
    }
}

static void order_some(void *user, int piece)
{
    const ordering *const           o     = user;
    const cairn_kernel_level *const level = &o->from->level[1];
    const int64_t                   rows  = level->ptr_length - 1;
    const int64_t end = (int64_t)((__int128)rows * (piece + 1) / o->pieces);

    for (int64_t k = (int64_t)((__int128)rows * piece / o->pieces); k < end; k++)
        order_row(o,
                  (cairn_run){cairn_runs_ptr(level, k), cairn_runs_ptr(level, k + 1)},
                  o->room + 2 * o->longest * piece);
}

cairn_status cairn_runs_order(cairn_env                *env,
                              const cairn_kernel_part  *from,
                              const cairn_column_names *names,
                              int64_t                   held,
                              cairn_kernel_part        *to)
{
    const cairn_kernel_level *level   = &from->level[1];
    const int                 threads = (int)env->options.threads;
    const int64_t             wanted  = from->values / PIECE + 1;
    ordering                  o       = {from, names, to, NULL, 0, 1};

    if (threads > 1) o.pieces = wanted < threads ? (int)wanted : threads;
    for (int64_t k = 0; k + 1 < level->ptr_length; k++) {
        const int64_t n = cairn_runs_ptr(level, k + 1) - cairn_runs_ptr(level, k);

        o.longest = n > o.longest ? n : o.longest;
    }
    const int64_t room = 2 * o.longest * o.pieces;

    CAIRN_TRY(cairn_check_memory(env, "rows that are put in order",
                                 held + room * (int64_t)sizeof *o.room));
    CAIRN_TRY(CAIRN_NEW(env, room, &o.room));
    cairn_thread_pool_run(&env->thread_pool, threads, order_some, &o, o.pieces);
    cairn_visit(env, from->values);
    cairn_free(env, o.room);
    return CAIRN_OK;
}

cairn_status cairn_runs_rename(const cairn_local        *own,
                               const cairn_column_names *names,
                               const cairn_format       *list,
                               int64_t                   held,
                               cairn_local             **fresh)
{
    const cairn_part         *part  = &own->part[own->group[0].first];
    const cairn_kernel_level *level = &part->view.level[1];
    cairn_env *const          env   = own->env;
    const int64_t             rows  = own->box[0].hi + 1 - own->box[0].lo;
    cairn_local              *local = NULL;
    int64_t                  *begin = NULL;
    cairn_status              status;

    held += (rows + 1) * (int64_t)sizeof *begin;
    CAIRN_GO(done, cairn_check_memory(env, "rows by other columns", held));
    CAIRN_GO(done, CAIRN_NEW_ZERO(env, rows + 1, &begin));
    for (int64_t k = 0; k <= rows && level->ptr_length > 0; k++)
        begin[k] = cairn_runs_ptr(level, k);
    CAIRN_GO(done, cairn_runs_create_list(own, list, own->shape.extent[0], own->box[0],
                                          part->where.rank, &local));
    CAIRN_GO(done, cairn_runs_alloc_list(local, begin, held));
    held += local->group[0].bytes;
    CAIRN_GO(done,
             cairn_runs_order(env, &part->view, names, held, &local->part[0].view));
    local->group[0].checked = true;
    *fresh                  = local;
    local                   = NULL;
done:
    cairn_free(env, begin);
    cairn_local_destroy(&local);
    return status;
}
