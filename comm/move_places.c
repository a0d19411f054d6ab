// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where each rank's rows are to be, and under which numbers, their columns too; and the one
/// message to each rank that takes them there.

#include "comm/move_places.h"

#include "comm/column_names.h"
#include "comm/distribute_text.h"
#include "comm/move_runs.h"

/* ---- lists ---- */

/// A list of a rank's rows, and which of the user's they are.
typedef struct {
    const cairn_local *rows;
    cairn_coord        first; ///< The first; the others follow it, or
    cairn_coord       *row;   ///< NULL, or [rows] each, ascending.
} row_list;

static int64_t rows_of(const row_list *list)
{
    return list->rows->box[0].hi + 1 - list->rows->box[0].lo;
}

/// How many of the list's rows are before one of the user's.
static int64_t rows_before(const row_list *list, cairn_coord row)
{
    int64_t low = 0, high = rows_of(list);

    if (!list->row)
        return row < list->first          ? 0
               : row < list->first + high ? row - list->first
                                          : high;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (list->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const cairn_kernel_part *view_of(const row_list *list)
{
    return &list->rows->part[list->rows->group[0].first].view;
}

static int64_t entries_before(const void *user, cairn_coord row)
{
    const row_list           *list  = user;
    const cairn_kernel_level *level = &view_of(list)->level[1];

    return cairn_load_int(level->ptr, rows_before(list, row), level->ptr_bits / 8,
                          level->ptr_bits, false);
}

/* ---- where rows go ---- */

cairn_status cairn_rows_may_run(cairn_comm              *comm,
                                const cairn_renumbering *had,
                                cairn_rows_aim          *aim,
                                int64_t                 *rows,
                                bool                    *may)
{
    const cairn_coord extent = aim->shape->extent[0];
    cairn_rows        cut    = {0};
    bool              is_cut;
    int               p, q = 1;

    *may = false;
    if (aim->shape->order != 2 || (had && had->parts && had->parts->first))
        return CAIRN_OK;
    CAIRN_TRY(cairn_rows_by_text(comm, aim->said, extent, aim->grain, &cut, &is_cut,
                                 &aim->scattered));
    cairn_rows_fini(comm->env, &cut);
    if (aim->said->kind == CAIRN_DISTRIBUTION_BLOCKS) {
        aim->scattered = false;
        CAIRN_TRY(cairn_column_parts_count(comm->env, aim->said, comm->size, &p, &q));
    }
    if (extent >= INT64_MAX / 4 / q) return CAIRN_OK;
    *may  = true;
    *rows = extent * q;
    return CAIRN_OK;
}

/// Rows on their way. What has no place is NULL.
typedef struct {
    cairn_comm              *comm;
    const cairn_listed_rows *from;
    const cairn_rows_aim    *aim;
    cairn_rows              *rows;   ///< Who is to have which,
    cairn_renumbering      **places; ///< by these.
    row_list                 own;    ///< Of the user's rows,
    cairn_coord             *place;  ///< [rows] their new places,
    cairn_column_names
                *names;   ///< their columns, under the names that they are to have,
    cairn_local *renamed; ///< and the list with these.
    int64_t      held;    ///< Bytes of arrays in memory, of all of these.
} run_moves;

/// Where ranks are to have rows and columns: of blocks with places for them.
static cairn_status find_blocks(run_moves *m, const cairn_row_counts *counts)
{
    cairn_comm *const        comm  = m->comm;
    const cairn_shape *const shape = m->aim->shape;
    cairn_rows               rows  = {0};
    int                      p, q;

    CAIRN_TRY(cairn_column_parts_count(comm->env, m->aim->said, comm->size, &p, &q));
    CAIRN_TRY(p == 1 ? cairn_rows_equal(comm, shape->extent[0], 1, &rows)
                     : cairn_rows_by_counts(comm, counts, shape->extent[0],
                                            m->aim->grain, NULL, &rows));
    const cairn_status status =
        cairn_renumbering_create_parts(comm, p, q, shape, rows.first, m->places);

    cairn_rows_fini(comm->env, &rows);
    return status;
}

static cairn_status find_grid(run_moves *m)
{
    cairn_comm *const           comm = m->comm;
    const cairn_rows_aim *const aim  = m->aim;
    cairn_row_counts counts = {view_of(&m->own)->values, entries_before, &m->own};
    cairn_rows       rows   = {0};
    cairn_status     status;
    bool             cut;

    if (aim->said->kind == CAIRN_DISTRIBUTION_BLOCKS) {
        CAIRN_TRY(find_blocks(m, &counts));
        status = cairn_comm_agree(
            comm, cairn_rows_copy(comm->env, &(*m->places)->rows, &rows));
    } else {
        status = cairn_rows_by_text(comm, aim->said, aim->shape->extent[0], aim->grain,
                                    &rows, &cut, NULL);
        if (status == CAIRN_OK && !cut)
            status = aim->cut(aim->user, aim->shape->extent[0], &counts, &rows);
    }
    cairn_rows_fini(comm->env, status == CAIRN_OK ? m->rows : &rows);
    if (status == CAIRN_OK) *m->rows = rows;
    return status;
}

static cairn_status name_columns(run_moves *m)
{
    cairn_comm *const comm   = m->comm;
    cairn_status      status = CAIRN_OK;

    if (m->names) return CAIRN_OK;
    status = cairn_column_names_create(comm->env, view_of(&m->own), m->held, &m->names);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    m->held += cairn_column_names_bytes(m->names);
    return CAIRN_OK;
}

/// The user's rows, and his columns as names, of what lies by places.
static cairn_status find_users(run_moves *m)
{
    cairn_comm *const              comm   = m->comm;
    const cairn_renumbering *const places = m->from->places;

    if (!places || places->parts) return CAIRN_OK;
    CAIRN_TRY(cairn_renumbering_rows(comm, places, &m->own.row));
    m->held += rows_of(&m->own) * (int64_t)sizeof *m->own.row;
    if (!places->all) return CAIRN_OK;
    CAIRN_TRY(name_columns(m));
    return cairn_column_names_fetch(comm, &places->rows, m->own.row, m->names);
}

/// The entries' coordinates in the user's order, for the graph: it looks at no value.
static cairn_status list_entries(const run_moves *m, cairn_entries *entries)
{
    cairn_env *const                env   = m->comm->env;
    const cairn_kernel_part *const  view  = view_of(&m->own);
    const cairn_kernel_level *const level = &view->level[1];
    const int64_t                   rows  = rows_of(&m->own);

    CAIRN_TRY(cairn_check_memory(env, "entries of the graph",
                                 m->held + view->values * cairn_entry_bytes(2)));
    CAIRN_TRY(cairn_entries_reserve(env, entries, view->values));
    for (int64_t k = 0, at = 0; k < rows; k++) {
        const int64_t end = cairn_load_int(level->ptr, k + 1, level->ptr_bits / 8,
                                           level->ptr_bits, false);

        for (; at < end; at++) {
            const cairn_coord column = cairn_load_int(level->idx, at, level->idx_stride,
                                                      level->idx_bits, false);

            entries->coord[0][at] = m->own.row ? m->own.row[k] : m->own.first + k;
            entries->coord[1][at] =
                m->names ? cairn_column_name_of(m->names, column) : column;
            entries->value[at] = 1;
        }
    }
    entries->n = view->values;
    return CAIRN_OK;
}

/// Places that are not consecutive, of rows, and of columns as their names.
static cairn_status find_places(run_moves *m)
{
    cairn_comm *const comm    = m->comm;
    const int64_t     n       = rows_of(&m->own);
    cairn_coord      *row     = m->own.row;
    cairn_entries     entries = {0};
    cairn_status      status  = CAIRN_OK;

    cairn_entries_init(&entries, 2);
    if (m->aim->said->kind == CAIRN_DISTRIBUTION_GRAPH)
        status = list_entries(m, &entries);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, cairn_renumbering_by_text(comm, m->aim->said, m->aim->shape,
                                             m->aim->grain, &entries, m->places));
    cairn_entries_fini(comm->env, &entries);
    const cairn_renumbering *const p = *m->places;

    cairn_rows_fini(comm->env, m->rows);
    status = cairn_rows_copy(comm->env, &p->rows, m->rows);
    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, n, &m->place);
    if (status == CAIRN_OK && !row) {
        status = CAIRN_NEW(comm->env, n, &row);
        for (int64_t k = 0; k < n && status == CAIRN_OK; k++)
            row[k] = m->own.first + k;
    }
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    m->held += n * (int64_t)sizeof *m->place;
    CAIRN_GO(done,
             cairn_rows_fetch(comm, &p->rows, sizeof *row, p->place, n, row, m->place));
    if (!p->all) goto done;
    CAIRN_GO(done, name_columns(m));
    status = cairn_column_names_fetch(comm, &p->rows, p->place, m->names);
done:
    if (row != m->own.row) cairn_free(comm->env, row);
    cairn_entries_fini(comm->env, &entries);
    return status;
}

/// Which rows are to be where, with which columns.
static cairn_status prepare(run_moves *m, cairn_rows_sent *sent)
{
    cairn_comm *const comm   = m->comm;
    const int64_t     before = comm->swapped;

    CAIRN_TRY(find_users(m));
    CAIRN_TRY(m->aim->scattered ? find_places(m) : find_grid(m));
    if (m->aim->scattered || m->own.row) {
        sent->asked = comm->swapped - before;
        CAIRN_TRY(comm->ops->allreduce(comm, &sent->asked, 1, CAIRN_SUM));
    }
    if (!m->names) return CAIRN_OK;
    CAIRN_TRY(
        cairn_comm_agree(comm, cairn_runs_rename(m->own.rows, m->names, m->from->list,
                                                 m->held, &m->renamed)));
    m->held -= cairn_column_names_bytes(m->names);
    m->held += m->renamed->group[0].bytes; /* a list is one group */
    cairn_column_names_destroy(comm->env, &m->names);
    return CAIRN_OK;
}

/// Send them.
static cairn_status
send_rows(const run_moves *m, cairn_local **fresh, cairn_rows_sent *sent)
{
    cairn_comm *const         comm   = m->comm;
    const cairn_coord         all[2] = {0, m->aim->shape->extent[1]};
    const cairn_column_parts *had    = m->from->places ? m->from->places->parts : NULL;
    const cairn_column_parts *has    = *m->places ? (*m->places)->parts : NULL;
    const cairn_row_grid      grid =
        has ? (cairn_row_grid){has->p, has->q, has->row, has->col}
                 : (cairn_row_grid){comm->size, 1, m->rows->first, all};
    const cairn_moving_rows rows = {.n     = rows_of(&m->own),
                                    .first = m->own.first,
                                    .row   = m->place ? m->place : m->own.row,
                                    .mixed = had && had->q > 1 && m->renamed};

    sent->send = cairn_seconds();
    CAIRN_TRY(cairn_runs_move(comm, m->renamed ? m->renamed : m->own.rows, &rows, &grid,
                              m->from->list, m->held, fresh, &sent->sent));
    sent->end = cairn_seconds();
    return CAIRN_OK;
}

cairn_status cairn_rows_move(cairn_comm              *comm,
                             const cairn_listed_rows *from,
                             const cairn_rows_aim    *aim,
                             cairn_rows              *rows,
                             cairn_renumbering      **places,
                             cairn_local            **fresh,
                             cairn_rows_sent         *sent)
{
    const cairn_column_parts *had = from->places ? from->places->parts : NULL;
    run_moves                 m   = {
                          .comm   = comm,
                          .from   = from,
                          .aim    = aim,
                          .rows   = rows,
                          .places = places,
                          .own    = {from->own,
                                     had ? had->row[comm->rank / had->q] : from->rows->first[comm->rank],
                                     NULL},
                          .held   = from->held
    };
    cairn_status status;

    CAIRN_GO(done, prepare(&m, sent));
    status = send_rows(&m, fresh, sent);
done:
    cairn_local_destroy(&m.renamed);
    cairn_column_names_destroy(comm->env, &m.names);
    cairn_free(comm->env, m.place);
    cairn_free(comm->env, m.own.row);
    return status;
}
