// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Renumbering of rows that are not consecutive on their ranks.

#include "comm/renumber.h"

#include "comm/move_entries.h"

#include <string.h>

static int64_t own_rows(const cairn_comm *comm, const cairn_rows *rows)
{
    return rows->first[comm->rank + 1] - rows->first[comm->rank];
}

void cairn_renumbering_destroy(cairn_env *env, cairn_renumbering **renumbering)
{
    if (!*renumbering) return;
    cairn_column_parts_destroy(env, &(*renumbering)->parts);
    cairn_rows_fini(env, &(*renumbering)->rows);
    cairn_free(env, (*renumbering)->place);
    cairn_free(env, (*renumbering)->order);
    cairn_free(env, (*renumbering)->send);
    cairn_free(env, *renumbering);
    *renumbering = NULL;
}

bool cairn_renumbers_all(const cairn_shape *shape)
{
    return shape->order == 2 && shape->extent[0] == shape->extent[1];
}

/* ---- places ---- */

/// How many of the rows each rank is to have.
static void count_owners(const int64_t *owner, int64_t n, int64_t *count, int ranks)
{
    memset(count, 0, (size_t)ranks * sizeof *count);
    for (int64_t k = 0; k < n; k++)
        count[owner[k]]++;
}

/// How many rows each rank is to have of all.
static cairn_status cut_places(cairn_comm        *comm,
                               const cairn_rows  *rows,
                               const int64_t     *owner,
                               cairn_renumbering *p)
{
    CAIRN_TRY(cairn_rows_equal(comm, rows->first[comm->size], 1, &p->rows));
    count_owners(owner, own_rows(comm, rows), p->recv, comm->size);
    CAIRN_TRY(comm->ops->allreduce(comm, p->recv, comm->size, CAIRN_SUM));
    for (int r = 0; r < comm->size; r++)
        p->rows.first[r + 1] = p->rows.first[r] + p->recv[r];
    return CAIRN_OK;
}

/// The owners of the rows that this rank has in the user's order.
static cairn_status fetch_owners(cairn_comm        *comm,
                                 const cairn_rows  *rows,
                                 const int64_t     *owner,
                                 cairn_renumbering *p,
                                 int64_t           *fetched)
{
    const int64_t n = own_rows(comm, &p->rows);

    /* `order` is free until rows are numbered: it has the rows that are asked for. */
    for (int64_t k = 0; k < n; k++)
        p->order[k] = p->rows.first[comm->rank] + k;
    return cairn_rows_fetch(comm, rows, sizeof *owner, owner, n, p->order, fetched);
}

/// Number this rank's rows; @p counts is [ranks][ranks]: rows of one rank, in the user's
/// order, that another is to have.
static void number_rows(const cairn_comm  *comm,
                        const int64_t     *owner,
                        const int64_t     *counts,
                        cairn_renumbering *p)
{
    const int      size = comm->size, rank = comm->rank;
    const int64_t  n     = own_rows(comm, &p->rows);
    int64_t *const place = p->recv + size, *const at = place + size;

    for (int r = 0; r < size; r++) {
        at[r]    = r == 0 ? 0 : at[r - 1] + p->send[r - 1];
        place[r] = p->rows.first[r];
        for (int lower = 0; lower < rank; lower++)
            place[r] += counts[(int64_t)lower * size + r];
    }
    for (int64_t k = 0; k < n; k++) {
        p->place[k]              = place[owner[k]]++;
        p->order[at[owner[k]]++] = k;
    }
    for (int r = 0; r < size; r++)
        p->recv[r] = counts[(int64_t)r * size + rank];
}

static cairn_status find_places(cairn_comm        *comm,
                                const cairn_rows  *rows,
                                const int64_t     *owner,
                                cairn_renumbering *p)
{
    const int64_t size    = comm->size;
    int64_t      *counts  = NULL;
    int64_t      *fetched = NULL;
    cairn_status  status;

    CAIRN_TRY(cairn_comm_agree(comm, CAIRN_NEW(comm->env, 4 * size, &p->send)));
    p->recv = p->send + size;
    CAIRN_TRY(cut_places(comm, rows, owner, p));
    const int64_t n = own_rows(comm, &p->rows);

    status = CAIRN_NEW(comm->env, size * size, &counts);
    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, n + 1, &p->place);
    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, n, &p->order);
    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, n, &fetched);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, fetch_owners(comm, rows, owner, p, fetched));
    count_owners(fetched, n, p->send, comm->size);
    CAIRN_GO(done, comm->ops->allgather(comm, p->send, size * (int64_t)sizeof *counts,
                                        counts));
    number_rows(comm, fetched, counts, p);
done:
    cairn_free(comm->env, fetched);
    cairn_free(comm->env, counts);
    return status;
}

cairn_status cairn_renumbering_create(cairn_comm         *comm,
                                      const cairn_rows   *rows,
                                      const int64_t      *owner,
                                      bool                all,
                                      cairn_renumbering **renumbering)
{
    cairn_renumbering *fresh = NULL;
    cairn_status status = cairn_comm_agree(comm, CAIRN_NEW_ZERO(comm->env, 1, &fresh));

    if (status == CAIRN_OK) {
        fresh->all = all;
        status     = find_places(comm, rows, owner, fresh);
    }
    if (status == CAIRN_OK)
        *renumbering = fresh;
    else
        cairn_renumbering_destroy(comm->env, &fresh);
    return status;
}

cairn_status cairn_renumbering_create_parts(cairn_comm         *comm,
                                            int                 p,
                                            int                 q,
                                            const cairn_shape  *shape,
                                            const cairn_coord  *row,
                                            cairn_renumbering **renumbering)
{
    cairn_renumbering *fresh = NULL;

    CAIRN_TRY(cairn_comm_agree(comm, CAIRN_NEW_ZERO(comm->env, 1, &fresh)));
    const cairn_status status =
        cairn_column_parts_create(comm, p, q, shape, row, &fresh->parts, &fresh->rows);

    if (status == CAIRN_OK)
        *renumbering = fresh;
    else
        cairn_renumbering_destroy(comm->env, &fresh);
    return status;
}

cairn_status cairn_renumbering_create_members(cairn_comm         *comm,
                                              int                 members,
                                              const cairn_shape  *shape,
                                              const cairn_rows   *rows,
                                              const cairn_rows   *user,
                                              cairn_renumbering **renumbering)
{
    cairn_renumbering *fresh = NULL;

    CAIRN_TRY(cairn_comm_agree(comm, CAIRN_NEW_ZERO(comm->env, 1, &fresh)));
    const cairn_status status = cairn_member_parts_create(
        comm, members, shape, rows, user, &fresh->parts, &fresh->rows);

    if (status == CAIRN_OK)
        *renumbering = fresh;
    else
        cairn_renumbering_destroy(comm->env, &fresh);
    return status;
}

/* ---- dense rows ---- */

/// Bytes to and from each rank.
static void set_bytes(const cairn_comm *comm,
                      const int64_t    *send,
                      const int64_t    *recv,
                      size_t            bytes,
                      int64_t          *counts)
{
    for (int r = 0; r < comm->size; r++) {
        counts[r]              = send[r] * (int64_t)bytes;
        counts[comm->size + r] = recv[r] * (int64_t)bytes;
    }
}

cairn_status cairn_renumbering_to_places(cairn_comm              *comm,
                                         const cairn_renumbering *p,
                                         size_t                   bytes,
                                         const void              *from,
                                         void                    *to,
                                         void                    *buffer,
                                         int64_t                 *counts)
{
    const int64_t n = own_rows(comm, &p->rows);

    for (int64_t k = 0; k < n; k++)
        memcpy((char *)buffer + (size_t)k * bytes,
               (const char *)from + (size_t)p->order[k] * bytes, bytes);
    set_bytes(comm, p->send, p->recv, bytes, counts);
    return comm->ops->alltoallv(comm, buffer, counts, to, counts + comm->size);
}

cairn_status cairn_renumbering_from_places(cairn_comm              *comm,
                                           const cairn_renumbering *p,
                                           size_t                   bytes,
                                           const void              *from,
                                           void                    *to,
                                           void                    *buffer,
                                           int64_t                 *counts)
{
    const int64_t n = own_rows(comm, &p->rows);

    set_bytes(comm, p->recv, p->send, bytes, counts);
    CAIRN_TRY(comm->ops->alltoallv(comm, from, counts, buffer, counts + comm->size));
    for (int64_t k = 0; k < n; k++)
        memcpy((char *)to + (size_t)p->order[k] * bytes,
               (const char *)buffer + (size_t)k * bytes, bytes);
    return CAIRN_OK;
}

/* ---- values of any rows ---- */

/// Answers, in the order of the questions.
static cairn_status answer(cairn_comm        *comm,
                           const cairn_rows  *rows,
                           size_t             bytes,
                           const void        *own,
                           const cairn_coord *asked,
                           int64_t            n,
                           char             **answers)
{
    CAIRN_TRY(cairn_alloc(comm->env, n > 0 ? n : 1, (int64_t)bytes, (void **)answers));
    for (int64_t k = 0; k < n; k++)
        memcpy(*answers + (size_t)k * bytes,
               (const char *)own + (size_t)(asked[k] - rows->first[comm->rank]) * bytes,
               bytes);
    return CAIRN_OK;
}

cairn_status cairn_rows_fetch(cairn_comm        *comm,
                              const cairn_rows  *rows,
                              size_t             bytes,
                              const void        *own,
                              int64_t            n,
                              const cairn_coord *row,
                              void              *value)
{
    const int    size  = comm->size;
    int64_t     *count = NULL, asked_in_all = 0;
    cairn_coord *asked   = NULL;
    char        *answers = NULL;
    cairn_status status  = CAIRN_NEW_ZERO(comm->env, 2 * (int64_t)size, &count);

    CAIRN_GO(done, cairn_comm_agree(comm, status));
    for (int64_t k = 0; k < n; k++)
        count[cairn_rows_owner(rows, row[k])]++;
    CAIRN_GO(done, cairn_comm_exchange(comm, row, count, sizeof *row, (void **)&asked,
                                       count + size));
    for (int r = 0; r < size; r++)
        asked_in_all += count[size + r];
    CAIRN_GO(done, cairn_comm_agree(comm, answer(comm, rows, bytes, own, asked,
                                                 asked_in_all, &answers)));
    for (int r = 0; r < 2 * size; r++)
        count[r] *= (int64_t)bytes;
    status = comm->ops->alltoallv(comm, answers, count + size, value, count);
done:
    cairn_free(comm->env, answers);
    cairn_free(comm->env, asked);
    cairn_free(comm->env, count);
    return status;
}

/* ---- entries ---- */

/// Coordinates of one dimension, each once, ascending, and what becomes of them.
typedef struct {
    cairn_coord *index, *place; ///< [n] each.
    int64_t      n;
} lookup;

static cairn_status
list_indices(cairn_env *env, const cairn_entries *e, int mode, lookup *l)
{
    const cairn_coord *coord = e->coord[mode];
    cairn_pos         *order = NULL;
    cairn_status       status;

    CAIRN_GO(done, CAIRN_NEW(env, e->n, &order));
    CAIRN_GO(done, CAIRN_NEW(env, e->n, &l->index));
    CAIRN_GO(done, CAIRN_NEW(env, e->n, &l->place));
    CAIRN_GO(done, cairn_sort_order(env, e->n, 1, &coord, order));
    for (cairn_pos k = 0; k < e->n; k++)
        if (l->n == 0 || l->index[l->n - 1] != coord[order[k]])
            l->index[l->n++] = coord[order[k]];
done:
    cairn_free(env, order);
    return status;
}

static cairn_coord place_of(const lookup *l, cairn_coord index)
{
    int64_t low = 0, high = l->n - 1;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (l->index[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return l->place[low];
}

/// Number one dimension.
static cairn_status renumber_mode(cairn_comm        *comm,
                                  const cairn_rows  *rows,
                                  const cairn_coord *own,
                                  int                mode,
                                  cairn_entries     *e)
{
    lookup       l = {NULL, NULL, 0};
    cairn_status status;

    CAIRN_GO(done, cairn_comm_agree(comm, list_indices(comm->env, e, mode, &l)));
    CAIRN_GO(done,
             cairn_rows_fetch(comm, rows, sizeof *l.place, own, l.n, l.index, l.place));
    for (cairn_pos k = 0; k < e->n; k++)
        e->coord[mode][k] = place_of(&l, e->coord[mode][k]);
done:
    cairn_free(comm->env, l.index);
    cairn_free(comm->env, l.place);
    return status;
}

cairn_status cairn_entries_renumber(cairn_comm        *comm,
                                    const cairn_rows  *rows,
                                    const cairn_coord *own,
                                    int                modes,
                                    cairn_entries     *entries)
{
    for (int mode = 0; mode < modes; mode++)
        CAIRN_TRY(renumber_mode(comm, rows, own, mode, entries));
    return CAIRN_OK;
}

cairn_status cairn_renumbering_number(cairn_comm              *comm,
                                      const cairn_renumbering *p,
                                      cairn_entries           *entries)
{
    if (p->parts) {
        cairn_column_parts_number(p->parts, entries);
        return CAIRN_OK;
    }
    return cairn_entries_renumber(comm, &p->rows, p->place, p->all ? entries->order : 1,
                                  entries);
}

cairn_status
cairn_renumbering_rows(cairn_comm *comm, const cairn_renumbering *p, cairn_coord **row)
{
    const int64_t n   = own_rows(comm, &p->rows);
    cairn_coord  *own = NULL, *buffer = NULL;
    int64_t      *counts = NULL;
    cairn_status  status = CAIRN_NEW(comm->env, n + 1, &own);

    if (p->parts) {
        for (int64_t k = 0; k < n && own; k++)
            own[k] = cairn_column_parts_row(p->parts, p->rows.first[comm->rank] + k);
        status = cairn_comm_agree(comm, status);
        if (status == CAIRN_OK)
            *row = own;
        else
            cairn_free(comm->env, own);
        return status;
    }

    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, 2 * n, &buffer);
    if (status == CAIRN_OK)
        status = CAIRN_NEW(comm->env, 2 * (int64_t)comm->size, &counts);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    for (int64_t k = 0; k < n; k++)
        buffer[n + k] = p->rows.first[comm->rank] + k;
    CAIRN_GO(done, cairn_renumbering_to_places(comm, p, sizeof *own, buffer + n, own,
                                               buffer, counts));
    *row = own;
    own  = NULL;
done:
    cairn_free(comm->env, counts);
    cairn_free(comm->env, buffer);
    cairn_free(comm->env, own);
    return status;
}

cairn_status cairn_renumbering_undo(cairn_comm              *comm,
                                    const cairn_renumbering *p,
                                    cairn_entries           *entries)
{
    cairn_coord *row = NULL;

    if (p->parts) {
        cairn_column_parts_undo(p->parts, entries);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_renumbering_rows(comm, p, &row));
    const cairn_status status = cairn_entries_renumber(
        comm, &p->rows, row, p->all ? entries->order : 1, entries);

    cairn_free(comm->env, row);
    return status;
}

cairn_status cairn_renumbering_apply(cairn_comm              *comm,
                                     const cairn_renumbering *renumbering,
                                     cairn_entries           *entries)
{
    CAIRN_TRY(cairn_renumbering_number(comm, renumbering, entries));
    CAIRN_TRY(cairn_entries_to_owners(comm, &renumbering->rows, entries, NULL));
    return cairn_comm_agree(comm, cairn_entries_sort(comm->env, entries));
}

/* ---- rows that ranks name ---- */

/// Rows by the rank that has them: so many for each, one rank's behind the other's.
static void sort_by_owner(const cairn_comm  *comm,
                          const cairn_rows  *rows,
                          const cairn_coord *row,
                          int64_t           *count,
                          int64_t           *next,
                          cairn_coord       *sorted)
{
    const int64_t n = own_rows(comm, rows);

    for (int64_t k = 0; k < n; k++)
        count[cairn_rows_owner(rows, row[k])]++;
    for (int r = 1; r < comm->size; r++)
        next[r] = next[r - 1] + count[r - 1];
    for (int64_t k = 0; k < n; k++)
        sorted[next[cairn_rows_owner(rows, row[k])]++] = row[k];
}

cairn_status cairn_rows_named(cairn_comm        *comm,
                              const cairn_rows  *rows,
                              const cairn_coord *row,
                              int64_t           *owner)
{
    const int64_t n = own_rows(comm, rows), size = comm->size;
    const int64_t first  = rows->first[comm->rank];
    cairn_coord  *sorted = NULL, *named = NULL;
    int64_t      *count  = NULL;
    cairn_status  status = CAIRN_NEW_ZERO(comm->env, 2 * size, &count);

    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, n, &sorted);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    sort_by_owner(comm, rows, row, count, count + size, sorted);
    CAIRN_GO(done, cairn_comm_exchange(comm, sorted, count, sizeof *sorted,
                                       (void **)&named, count + size));
    for (int64_t k = 0; k < n; k++)
        owner[k] = -1;
    for (int64_t r = 0, k = 0, end = 0; r < size; r++)
        for (end += count[size + r]; k < end; k++)
            owner[named[k] - first] = r;
done:
    cairn_free(comm->env, named);
    cairn_free(comm->env, sorted);
    cairn_free(comm->env, count);
    return status;
}
