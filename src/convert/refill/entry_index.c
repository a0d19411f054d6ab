// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries by row, and where each row's search stands.

#include "convert/refill/entry_index.h"

#include "tensor/walk.h"

/// The search of every row begins at its first entry.
static void begin_rows(cairn_entry_index *l)
{
    for (int64_t row = 0; row < l->rows; row++)
        l->next[row] = l->begin[row];
}

/// Is entry @p k before @p d (below 0), behind it, or there, its row being the same?
static int compare(const cairn_entries *e, cairn_pos k, const cairn_coord *d)
{
    for (int m = 1; m < e->order; m++)
        if (e->coord[m][k] != d[m]) return e->coord[m][k] < d[m] ? -1 : 1;
    return 0;
}

/// The first entry of lo..hi-1, of one row, that is not before @p d.
static cairn_pos
search_row(const cairn_entries *e, cairn_pos lo, cairn_pos hi, const cairn_coord *d)
{
    while (lo < hi) {
        const cairn_pos mid = lo + (hi - lo) / 2;

        if (compare(e, mid, d) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/// Number of the entry at @p d, or -1: padding.
static cairn_pos find_entry(const cairn_entry_index *l, const cairn_coord *d)
{
    const int64_t row = d[0] - l->first_row;

    if (row < 0 || row >= l->rows) return -1;
    const cairn_pos end = l->begin[row + 1];
    cairn_pos       k   = l->next[row];

    if (k == end || compare(l->entries, k, d) != 0)
        k = search_row(l->entries, l->begin[row], end, d);
    if (k == end || compare(l->entries, k, d) != 0) return -1;
    l->next[row] = k + 1;
    return k;
}

static cairn_status locate(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const cairn_entry_index *l = user;

    for (int n = 0; n < batch->n; n++) {
        cairn_coord d[CAIRN_MAX_ORDER];

        for (int m = 0; m < l->entries->order; m++)
            d[m] = batch->coord[m][n];
        const cairn_pos k = find_entry(l, d);

        /* An entry is stored once, but a hybrid's other members may pad its position.
         * Their values are 0, like a stored zero's: then any of the places will do,
         * since each of them adds a(i,j)*x(j) to y(i). */
        if (k >= 0
            && (l->stored[k].part < 0
                || cairn_value_get(&part->view, batch->value[n]) != 0))
            l->stored[k] = (cairn_target){part - l->local->part, batch->value[n]};
    }
    return CAIRN_OK;
}

static cairn_status locate_member(cairn_entry_index *l, int member)
{
    cairn_env    *env = l->local->env;
    cairn_walker *walker;

    CAIRN_TRY(cairn_walker_create(env, l->local->group[member].layout, &walker));
    const cairn_status status = cairn_walk_member(walker, l->local, member, locate, l);

    cairn_walker_destroy(env, &walker);
    return status;
}

static cairn_status make_arrays(cairn_entry_index *l, cairn_env *env)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(env, l->rows + 1, &l->begin));
    CAIRN_TRY(CAIRN_NEW(env, l->rows, &l->next));
    CAIRN_TRY(CAIRN_NEW(env, l->entries->n, &l->stored));
    for (cairn_pos k = 0; k < l->entries->n; k++) {
        l->begin[l->entries->coord[0][k] - l->first_row + 1]++;
        l->stored[k].part = -1;
    }
    for (int64_t row = 0; row < l->rows; row++)
        l->begin[row + 1] += l->begin[row];
    begin_rows(l);
    return CAIRN_OK;
}

cairn_status cairn_entry_index_init(cairn_entry_index   *l,
                                    const cairn_local   *local,
                                    const cairn_entries *entries,
                                    int64_t              first_row,
                                    int64_t              rows)
{
    *l = (cairn_entry_index){
        .local = local, .entries = entries, .first_row = first_row, .rows = rows};
    CAIRN_TRY(make_arrays(l, local->env));
    for (int m = 0; m < local->groups; m++)
        CAIRN_TRY(locate_member(l, m));
    begin_rows(l);
    return CAIRN_OK;
}

cairn_target cairn_entry_index_at(cairn_entry_index *l, const cairn_coord *d)
{
    return l->stored[find_entry(l, d)];
}

void cairn_entry_index_fini(cairn_entry_index *l)
{
    cairn_env *env = l->local->env;

    cairn_free(env, l->begin);
    cairn_free(env, l->next);
    cairn_free(env, l->stored);
}
