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

static void
insert_each(const cairn_coord *column, const double *value, int64_t n, entry *to)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t at = k;

        for (; at > 0 && to[at - 1].column > column[k]; at--)
            to[at] = to[at - 1];
        to[at] = (entry){column[k], value[k]};
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

/// Where the entries from @p begin on, none of which is below the one before, end.
static int64_t ascend_until(const entry *e, int64_t begin, int64_t n)
{
    for (begin++; begin < n && e[begin - 1].column <= e[begin].column; begin++) {
    }
    return begin < n ? begin : n;
}

/// Merge what ascends, two and two, until all does. @return the one of both arrays that has
/// them.
static entry *merge_all(entry *e, int64_t n, entry *other)
{
    while (ascend_until(e, 0, n) < n) {
        entry *const before = e;

        for (int64_t k = 0, middle, end; k < n; k = end) {
            middle = ascend_until(e, k, n);
            end    = middle < n ? ascend_until(e, middle, n) : n;
            merge(e + k, middle - k, e + middle, end - middle, other + k);
        }
        e     = other;
        other = before;
    }
    return e;
}

/// Arrays of the longest row.
typedef struct {
    cairn_coord *column;
    double      *value;
    entry       *entry, *other;
} row_arrays;

/// Rows for several threads.
typedef struct {
    const cairn_kernel_part  *from;
    const cairn_column_names *names;
    cairn_kernel_part        *to;
    int64_t                  *room; ///< [pieces][6][longest]
    int64_t                   longest;
    int                       pieces;
} ordering;

static row_arrays arrays_of(const ordering *o, int piece)
{
    int64_t *const room = o->room + 6 * o->longest * piece;

    return (row_arrays){room, (double *)(room + o->longest),
                        (entry *)(room + 2 * o->longest),
                        (entry *)(room + 4 * o->longest)};
}

/// Read a row, with its names. @return Is it in their order?
static bool read_row(const ordering *o, cairn_run its, const row_arrays *a)
{
    const cairn_kernel_level *level  = &o->from->level[1];
    const cairn_word          word   = cairn_word_of_bits(level->idx_bits);
    const int64_t             n      = its.end - its.begin;
    bool                      sorted = true;

    cairn_words_get_coords(
        word, (const char *)level->idx + its.begin * cairn_word_bytes(word), n,
        a->column);
    if (o->names)
        for (int64_t k = 0; k < n; k++)
            a->column[k] = cairn_column_name_of(o->names, a->column[k]);
    for (int64_t k = 1; k < n; k++)
        sorted &= a->column[k - 1] < a->column[k];
    if (!sorted || o->from != o->to)
        cairn_runs_get_values(o->from, its.begin, n, a->value);
    return sorted;
}

/// Put the columns and values of a row in order, of which no column is twice.
static void sort_row(int64_t n, const row_arrays *a)
{
    for (int64_t k = 0, here; k < n; k += here) {
        here = n - k < SORTED_AT_ONCE ? n - k : SORTED_AT_ONCE;
        insert_each(a->column + k, a->value + k, here, a->entry + k);
    }
    const entry *const in_order = merge_all(a->entry, n, a->other);

    for (int64_t k = 0; k < n; k++) {
        a->column[k] = in_order[k].column;
        a->value[k]  = in_order[k].value;
    }
}

static void order_row(const ordering *o, cairn_run its, const row_arrays *a)
{
    const cairn_word index  = cairn_word_of_bits(o->to->level[1].idx_bits);
    const int64_t    n      = its.end - its.begin;
    const bool       sorted = read_row(o, its, a);

    if (sorted && o->from == o->to) return;
    if (!sorted) sort_row(n, a);
    cairn_words_put_coords(index, a->column, n,
                           (char *)o->to->level[1].idx
                               + its.begin * cairn_word_bytes(index));
    cairn_words_put_values(cairn_word_of_bits(o->to->val_bits), a->value, n,
                           cairn_value_at(o->to, its.begin));
}

static void order_some(void *user, int piece)
{
    const ordering *const           o      = user;
    const cairn_kernel_level *const level  = &o->from->level[1];
    const int64_t                   rows   = level->ptr_length - 1;
    const row_arrays                arrays = arrays_of(o, piece);
    const int64_t end = (int64_t)((__int128)rows * (piece + 1) / o->pieces);

    for (int64_t k = (int64_t)((__int128)rows * piece / o->pieces); k < end; k++)
        order_row(o,
                  (cairn_run){cairn_runs_ptr(level, k), cairn_runs_ptr(level, k + 1)},
                  &arrays);
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
    /* More pieces than rows as long would only need more room. */
    if (o.longest > 0 && o.pieces > from->values / o.longest)
        o.pieces = (int)(from->values / o.longest);
    const int64_t room = 6 * o.longest * o.pieces;

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
