// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions from rows by places, or to them. Rows go as runs of the arrays of a list of
/// rows, which each rank converts then: whole, or cut at the columns of blocks. Where columns
/// are numbered by places, before or after, the list gets other columns first, which are asked
/// for once each. Where there can be no such list, entries get the user's coordinates back,
/// then those of their new places, both where they are. Either way each is sent once, and
/// only if its rank is another one.

#include "api/tensors/moving.h"
#include "comm/distribute_text.h"
#include "comm/move_entries.h"
#include "comm/move_runs.h"
#include "convert/kept.h"

/// The rows that ranks are to have of entries that have the user's coordinates; the entries
/// are numbered where these rows are by places.
static cairn_status find_rows(cairn_source *source, cairn_tensor *to)
{
    cairn_comm               *comm   = source->context->comm;
    const cairn_distribution *said   = &to->format->distribution;
    const cairn_coord         extent = source->shape.extent[0];
    const int64_t             grain  = cairn_format_grain(to->format);
    const cairn_to_cut        what   = {.extent = extent, .entries = &source->entries};
    cairn_rows                rows   = {0};
    bool                      cut    = false, scattered;

    CAIRN_TRY(cairn_rows_by_text(comm, said, extent, grain, &rows, &cut, &scattered));
    if (scattered) {
        CAIRN_TRY(cairn_renumbering_by_text(comm, said, &source->shape, grain,
                                            &source->entries, &to->places));
        CAIRN_TRY(cairn_renumbering_number(comm, to->places, &source->entries));
        source->shape = cairn_renumbering_stored(to->places, &source->shape);
        CAIRN_TRY(cairn_comm_agree(
            comm, cairn_rows_copy(comm->env, &to->places->rows, &rows)));
    } else if (!cut) {
        CAIRN_TRY(cairn_format_cut_rows(source->context, to->format, &what, &rows));
    }
    cairn_rows_fini(comm->env, &to->rows);
    to->rows = rows;
    return CAIRN_OK;
}

/// What was sent, and when: `asked` by the begin of sending.
typedef struct {
    cairn_entries_sent sent;
    int64_t            asked; ///< Bytes that this rank had sent before.
    double             begin, send, end;
} moved;

/// @param[in] before  Passes that made a list of rows to move; NULL: none did.
static cairn_status note_moved(const moved           *m,
                               cairn_pass_unit        unit,
                               const cairn_pass_list *before,
                               cairn_tensor          *to)
{
    cairn_comm            *comm  = to->context->comm;
    const cairn_path_moves moves = {m->sent.entries, m->sent.bytes, m->sent.messages,
                                    m->asked};
    const cairn_pass       pass  = {
               .method = "places",
               .what   = CAIRN_PASS_EXCHANGE,
               .unit   = unit,
               .member = -1,
               .index  = -1,
               .stores = CAIRN_STORES_DIRECT,
               .bytes  = 2.0 * (double)cairn_entry_bytes(to->local->shape.order)};

    cairn_task_log_begin(&to->how.log, "exchange", m->sent.bytes, m->send, m->end);
    cairn_task_log_begin(&to->how.log, "places", m->asked, m->begin, m->send);
    return cairn_comm_agree(
        comm, cairn_path_add_exchange(to->how.path, before, &pass, &moves));
}

/// Give entries the coordinates that they are to have, and bring them there.
static cairn_status
move(const cairn_tensor *tensor, cairn_source *source, cairn_tensor *to, moved *m)
{
    cairn_comm   *comm   = tensor->context->comm;
    const int64_t before = comm->swapped;

    m->begin = cairn_seconds();
    if (tensor->places)
        CAIRN_TRY(cairn_renumbering_undo(comm, tensor->places, &source->entries));
    source->shape = cairn_tensor_users_shape(tensor);
    CAIRN_TRY(find_rows(source, to));
    m->asked = comm->swapped - before;
    CAIRN_TRY(comm->ops->allreduce(comm, &m->asked, 1, CAIRN_SUM));
    m->send = cairn_seconds();
    CAIRN_TRY(cairn_entries_to_owners(comm, &to->rows, &source->entries, &m->sent));
    m->end = cairn_seconds();
    return cairn_comm_agree(comm, cairn_entries_sort(comm->env, &source->entries));
}

/* ---- by entries ---- */

static cairn_status convert_by_entries(const cairn_tensor *tensor, cairn_tensor *to)
{
    cairn_comm   *comm   = tensor->context->comm;
    cairn_source *source = NULL;
    moved         m      = {.asked = 0};
    cairn_status  status =
        cairn_comm_agree(comm, cairn_tensor_take_entries(tensor, &source));

    CAIRN_GO(done, status);
    CAIRN_GO(done, move(tensor, source, to, &m));
    to->held = cairn_local_array_bytes(tensor->local);
    CAIRN_GO(done, cairn_tensor_build(to, &source->shape, &source->entries, NULL));
    status = note_moved(&m, CAIRN_UNIT_ENTRY, NULL, to);
done:
    cairn_source_destroy(&source);
    return status;
}

/* ---- by runs of rows ---- */

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

/// Where ranks are to have rows and columns: of blocks with places for them.
static cairn_status
find_blocks(const cairn_shape *shape, const cairn_row_counts *counts, cairn_tensor *to)
{
    cairn_comm               *comm  = to->context->comm;
    const cairn_distribution *said  = &to->format->distribution;
    const int64_t             grain = cairn_format_grain(to->format);
    cairn_rows                rows  = {0};
    int                       p, q;

    CAIRN_TRY(cairn_column_parts_count(comm->env, said, comm->size, &p, &q));
    CAIRN_TRY(p == 1 ? cairn_rows_equal(comm, shape->extent[0], 1, &rows)
                     : cairn_rows_by_counts(comm, counts, shape->extent[0], grain, NULL,
                                            &rows));
    const cairn_status status =
        cairn_renumbering_create_parts(comm, p, q, shape, rows.first, &to->places);

    cairn_rows_fini(comm->env, &rows);
    return status;
}

static cairn_status
find_grid(const cairn_shape *shape, const row_list *list, cairn_tensor *to)
{
    cairn_comm               *comm   = to->context->comm;
    const cairn_distribution *said   = &to->format->distribution;
    const cairn_coord         extent = shape->extent[0];
    cairn_row_counts          counts = {view_of(list)->values, entries_before, list};
    const cairn_to_cut        what   = {.extent = extent, .counts = &counts};
    cairn_rows                rows   = {0};
    bool                      cut;

    if (said->kind == CAIRN_DISTRIBUTION_BLOCKS) {
        CAIRN_TRY(find_blocks(shape, &counts, to));
        CAIRN_TRY(cairn_comm_agree(
            comm, cairn_rows_copy(comm->env, &to->places->rows, &rows)));
    } else {
        CAIRN_TRY(cairn_rows_by_text(comm, said, extent, cairn_format_grain(to->format),
                                     &rows, &cut, NULL));
        if (!cut)
            CAIRN_TRY(cairn_format_cut_rows(to->context, to->format, &what, &rows));
    }
    cairn_rows_fini(comm->env, &to->rows);
    to->rows = rows;
    return CAIRN_OK;
}

/// How rows are to go: the same on all ranks.
typedef struct {
    cairn_moving_way way;
    bool             scattered; ///< To places that are not consecutive.
    int64_t          rows;      ///< That are stored after, of all ranks.
    cairn_format    *list;      ///< The format of a list, where they go by way of one.
} going;

/// Can rows of a tensor go as runs at all? Not where they stand for members, or are more than
/// are counted.
static cairn_status
may_be_runs(const cairn_tensor *tensor, const cairn_tensor *to, going *g, bool *may)
{
    cairn_comm               *comm  = to->context->comm;
    const cairn_distribution *said  = &to->format->distribution;
    const cairn_shape         shape = cairn_tensor_users_shape(tensor);
    cairn_rows                cut   = {0};
    bool                      is_cut;
    int                       p, q = 1;

    *may = false;
    if (shape.order != 2
        || (tensor->places && tensor->places->parts && tensor->places->parts->first))
        return CAIRN_OK;
    CAIRN_TRY(cairn_rows_by_text(comm, said, shape.extent[0],
                                 cairn_format_grain(to->format), &cut, &is_cut,
                                 &g->scattered));
    cairn_rows_fini(comm->env, &cut);
    if (said->kind == CAIRN_DISTRIBUTION_BLOCKS) {
        g->scattered = false;
        CAIRN_TRY(cairn_column_parts_count(comm->env, said, comm->size, &p, &q));
    }
    if (shape.extent[0] >= INT64_MAX / 4 / q) return CAIRN_OK;
    *may    = true;
    g->rows = shape.extent[0] * q;
    return CAIRN_OK;
}

/// How rows of this rank can go.
static cairn_status choose_own_way(const cairn_tensor *tensor,
                                   const cairn_format *list,
                                   cairn_moving_way   *way)
{
    const cairn_options *options = &tensor->context->env.options;
    bool                 fit;

    *way = CAIRN_MOVING_COORDINATES;
    if (options->kernels == CAIRN_KERNELS_REFERENCE || options->convert[0]
        || tensor->local->pattern.kept)
        return CAIRN_OK;
    CAIRN_TRY(cairn_runs_fit(tensor->local, list->member[0], &fit));
    *way = fit ? CAIRN_MOVING_ROWS : CAIRN_MOVING_LISTS;
    return CAIRN_OK;
}

/// How rows of all ranks are to go; not as runs where most have no entry, for each has a
/// place in a list.
///
/// @param[in,out] g  All 0 before; its list is to be destroyed, also after a failure.
static cairn_status
choose_way(const cairn_tensor *tensor, const cairn_tensor *to, going *g)
{
    cairn_comm       *comm    = tensor->context->comm;
    const cairn_shape shape   = cairn_tensor_users_shape(tensor);
    const cairn_coord stored  = tensor->local->shape.extent[0];
    int64_t           entries = cairn_local_nnz(tensor->local), its;
    bool              may;

    g->way = CAIRN_MOVING_COORDINATES;
    CAIRN_TRY(may_be_runs(tensor, to, g, &may));
    if (!may) return CAIRN_OK;
    CAIRN_TRY(comm->ops->allreduce(comm, &entries, 1, CAIRN_SUM));
    if ((g->rows < stored ? stored : g->rows) / 4 > entries) return CAIRN_OK;
    cairn_status status =
        cairn_create_list_format(tensor->context, &shape, entries, &g->list);

    if (status == CAIRN_OK) status = choose_own_way(tensor, g->list, &g->way);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    its = g->way;
    CAIRN_TRY(comm->ops->allreduce(comm, &its, 1, CAIRN_MIN));
    g->way = (cairn_moving_way)its;
    return CAIRN_OK;
}

/// Rows by runs on their way. What has no place is NULL.
typedef struct {
    const cairn_tensor *tensor;
    cairn_tensor       *to;
    const cairn_format *list;  ///< Of what is put together from runs.
    row_list            own;   ///< Of the user's rows,
    cairn_coord        *place; ///< [rows] their new places,
    cairn_column_names
                *names;   ///< their columns, under the names that they are to have,
    cairn_local *renamed; ///< and the list with these.
    int64_t      held;    ///< Bytes of arrays in memory, of all of these.
} run_moves;

static cairn_status name_columns(run_moves *m)
{
    cairn_comm *const comm   = m->to->context->comm;
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
    cairn_comm *const              comm   = m->to->context->comm;
    const cairn_renumbering *const places = m->tensor->places;

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
    cairn_env *const                env   = &m->to->context->env;
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
    cairn_comm *const         comm    = m->to->context->comm;
    const cairn_distribution *said    = &m->to->format->distribution;
    const cairn_shape         shape   = cairn_tensor_users_shape(m->tensor);
    const int64_t             n       = rows_of(&m->own);
    cairn_coord              *row     = m->own.row;
    cairn_entries             entries = {0};
    cairn_status              status  = CAIRN_OK;

    cairn_entries_init(&entries, 2);
    if (said->kind == CAIRN_DISTRIBUTION_GRAPH) status = list_entries(m, &entries);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, cairn_renumbering_by_text(comm, said, &shape,
                                             cairn_format_grain(m->to->format),
                                             &entries, &m->to->places));
    cairn_entries_fini(comm->env, &entries);
    const cairn_renumbering *const p = m->to->places;

    cairn_rows_fini(comm->env, &m->to->rows);
    status = cairn_rows_copy(comm->env, &p->rows, &m->to->rows);
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
static cairn_status prepare(run_moves *m, bool scattered, moved *sent)
{
    cairn_comm *const comm   = m->to->context->comm;
    const cairn_shape shape  = cairn_tensor_users_shape(m->tensor);
    const int64_t     before = comm->swapped;

    CAIRN_TRY(find_users(m));
    CAIRN_TRY(scattered ? find_places(m) : find_grid(&shape, &m->own, m->to));
    if (scattered || m->own.row) {
        sent->asked = comm->swapped - before;
        CAIRN_TRY(comm->ops->allreduce(comm, &sent->asked, 1, CAIRN_SUM));
    }
    if (!m->names) return CAIRN_OK;
    CAIRN_TRY(cairn_comm_agree(
        comm, cairn_runs_rename(m->own.rows, m->names, m->list, m->held, &m->renamed)));
    m->held -= cairn_column_names_bytes(m->names);
    m->held += cairn_local_array_bytes(m->renamed);
    cairn_column_names_destroy(comm->env, &m->names);
    return CAIRN_OK;
}

/// Send them.
static cairn_status send_rows(const run_moves *m, cairn_local **fresh, moved *sent)
{
    cairn_comm *const         comm   = m->to->context->comm;
    const cairn_shape         shape  = cairn_tensor_users_shape(m->tensor);
    const cairn_coord         all[2] = {0, shape.extent[1]};
    const cairn_column_parts *had = m->tensor->places ? m->tensor->places->parts : NULL;
    const cairn_column_parts *has = m->to->places ? m->to->places->parts : NULL;
    const cairn_row_grid      grid =
        has ? (cairn_row_grid){has->p, has->q, has->row, has->col}
                 : (cairn_row_grid){comm->size, 1, m->to->rows.first, all};
    const cairn_moving_rows rows = {.n     = rows_of(&m->own),
                                    .first = m->own.first,
                                    .row   = m->place ? m->place : m->own.row,
                                    .mixed = had && had->q > 1 && m->renamed};

    sent->send = cairn_seconds();
    CAIRN_TRY(cairn_runs_move(comm, m->renamed ? m->renamed : m->own.rows, &rows, &grid,
                              m->list, m->held, fresh, &sent->sent));
    sent->end = cairn_seconds();
    return CAIRN_OK;
}

/// @param[in] listed  NULL, or the tensor's rows by a list that was made of them.
static cairn_status convert_by_runs(const cairn_tensor *tensor,
                                    const going        *g,
                                    const cairn_tensor *listed,
                                    cairn_tensor       *to)
{
    cairn_env *const          env   = &to->context->env;
    const cairn_column_parts *had   = tensor->places ? tensor->places->parts : NULL;
    const int                 rank  = to->context->comm->rank;
    cairn_local              *fresh = NULL;
    moved                     sent  = {.begin = cairn_seconds()};
    run_moves                 m     = {
                            .tensor = tensor,
                            .to     = to,
                            .list   = g->list,
                            .own    = {listed ? listed->local : tensor->local,
                                       had ? had->row[rank / had->q] : tensor->rows.first[rank], NULL},
                            .held = cairn_local_array_bytes(tensor->local)
    };
    cairn_status status;

    if (listed) m.held += cairn_local_array_bytes(listed->local);
    CAIRN_GO(done, prepare(&m, g->scattered, &sent));
    CAIRN_GO(done, send_rows(&m, &fresh, &sent));
    status =
        cairn_tensor_build_from(fresh, m.held + cairn_local_array_bytes(fresh), to);
    if (status == CAIRN_OK)
        status = note_moved(&sent, CAIRN_UNIT_RUN,
                            listed ? &listed->how.path->program : NULL, to);
    if (status == CAIRN_OK) {
        cairn_kept_add(g->list, to->local, to->how.path);
        cairn_tensor_own_arrays(to);
    }
done:
    cairn_local_destroy(&fresh);
    cairn_local_destroy(&m.renamed);
    cairn_column_names_destroy(env, &m.names);
    cairn_free(env, m.place);
    cairn_free(env, m.own.row);
    return status;
}

cairn_status cairn_tensor_convert_places(const cairn_tensor *tensor, cairn_tensor *to)
{
    cairn_comm   *comm   = tensor->context->comm;
    going         g      = {.list = NULL};
    cairn_tensor *listed = NULL;
    cairn_status  status;

    CAIRN_GO(done, choose_way(tensor, to, &g));
    if (g.way == CAIRN_MOVING_LISTS)
        CAIRN_GO(without, cairn_tensor_list_rows(tensor, &listed));
    if (g.way != CAIRN_MOVING_COORDINATES)
        CAIRN_GO(without, convert_by_runs(tensor, &g, listed, to));
without:
    /* Functions are wanted, and there are none from a tensor. */
    if (g.way == CAIRN_MOVING_COORDINATES || status == CAIRN_NO_KERNEL) {
        cairn_renumbering_destroy(comm->env, &to->places);
        status = convert_by_entries(tensor, to);
    }
done:
    cairn_tensor_destroy(&listed);
    cairn_format_destroy(&g.list);
    return status;
}
