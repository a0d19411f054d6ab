// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions from rows by places, or to them. Where rows are consecutive, or in blocks, as
/// before so after, each is cut at the columns of blocks, and goes as runs of the arrays of a
/// list of rows, which each rank converts then. Else entries get the user's coordinates back,
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

/// A list of a rank's rows, which the user counts from `first` on.
typedef struct {
    const cairn_local *rows;
    cairn_coord        first;
} row_list;

static cairn_coord first_row(const cairn_tensor *tensor)
{
    const cairn_column_parts *parts = tensor->places ? tensor->places->parts : NULL;
    const int                 rank  = tensor->context->comm->rank;

    return parts ? parts->row[rank / parts->q] : tensor->rows.first[rank];
}

static int64_t entries_before(const void *user, cairn_coord row)
{
    const row_list           *list  = user;
    const cairn_local        *local = list->rows;
    const cairn_kernel_level *level = &local->part[local->group[0].first].view.level[1];
    const int64_t             rows = level->ptr_length - 1, k = row - list->first;

    return cairn_load_int(level->ptr,
                          k < 0      ? 0
                          : k < rows ? k
                                     : rows,
                          level->ptr_bits / 8, level->ptr_bits, false);
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
    cairn_row_counts   counts = {entries_before(list, extent), entries_before, list};
    const cairn_to_cut what   = {.extent = extent, .counts = &counts};
    cairn_rows         rows   = {0};
    bool               cut;

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

/// Can rows of a tensor go as runs at all? Not where they are scattered, before or after, or
/// stand for members, or are more than are counted. The same on all ranks.
///
/// @param[out] rows  That are stored after, of all ranks.
static cairn_status may_be_runs(const cairn_tensor *tensor,
                                const cairn_tensor *to,
                                int64_t            *rows,
                                bool               *may)
{
    cairn_comm               *comm  = to->context->comm;
    const cairn_distribution *said  = &to->format->distribution;
    const cairn_shape         shape = cairn_tensor_users_shape(tensor);
    cairn_rows                cut   = {0};
    bool                      is_cut, scattered;
    int                       p, q = 1;

    *may = false;
    if (shape.order != 2
        || (tensor->places && (!tensor->places->parts || tensor->places->parts->first)))
        return CAIRN_OK;
    CAIRN_TRY(cairn_rows_by_text(comm, said, shape.extent[0],
                                 cairn_format_grain(to->format), &cut, &is_cut,
                                 &scattered));
    cairn_rows_fini(comm->env, &cut);
    if (said->kind == CAIRN_DISTRIBUTION_BLOCKS)
        CAIRN_TRY(cairn_column_parts_count(comm->env, said, comm->size, &p, &q));
    if ((scattered && said->kind != CAIRN_DISTRIBUTION_BLOCKS)
        || shape.extent[0] >= INT64_MAX / 4 / q)
        return CAIRN_OK;
    *may  = true;
    *rows = shape.extent[0] * q;
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
/// @param[out] list  The format of a list, where they go by way of one.
static cairn_status choose_way(const cairn_tensor *tensor,
                               const cairn_tensor *to,
                               cairn_format      **list,
                               cairn_moving_way   *way)
{
    cairn_comm       *comm    = tensor->context->comm;
    const cairn_shape shape   = cairn_tensor_users_shape(tensor);
    int64_t           entries = cairn_local_nnz(tensor->local), rows = 0, its;
    bool              may;

    *way = CAIRN_MOVING_COORDINATES;
    CAIRN_TRY(may_be_runs(tensor, to, &rows, &may));
    if (!may) return CAIRN_OK;
    CAIRN_TRY(comm->ops->allreduce(comm, &entries, 1, CAIRN_SUM));
    if (rows < tensor->local->shape.extent[0]) rows = tensor->local->shape.extent[0];
    if (rows / 4 > entries) return CAIRN_OK;
    cairn_status status =
        cairn_create_list_format(tensor->context, &shape, entries, list);

    if (status == CAIRN_OK) status = choose_own_way(tensor, *list, way);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    its = *way;
    CAIRN_TRY(comm->ops->allreduce(comm, &its, 1, CAIRN_MIN));
    *way = (cairn_moving_way)its;
    return CAIRN_OK;
}

/// @param[in] list    The format of what is put together from runs.
/// @param[in] listed  NULL, or the tensor's rows by a list that was made of them.
static cairn_status convert_by_runs(const cairn_tensor *tensor,
                                    const cairn_format *list,
                                    const cairn_tensor *listed,
                                    cairn_tensor       *to)
{
    cairn_comm       *comm   = tensor->context->comm;
    const cairn_shape shape  = cairn_tensor_users_shape(tensor);
    const cairn_coord all[2] = {0, shape.extent[1]};
    const row_list    own = {listed ? listed->local : tensor->local, first_row(tensor)};
    cairn_row_grid    grid  = {comm->size, 1, NULL, all};
    cairn_local      *fresh = NULL;
    int64_t           held  = cairn_local_array_bytes(tensor->local);
    moved             m     = {.begin = cairn_seconds()};

    CAIRN_TRY(find_grid(&shape, &own, to));
    if (to->places) {
        const cairn_column_parts *parts = to->places->parts;

        grid = (cairn_row_grid){parts->p, parts->q, parts->row, parts->col};
    } else {
        grid.row = to->rows.first;
    }
    if (listed) held += cairn_local_array_bytes(own.rows);
    m.send = cairn_seconds();
    CAIRN_TRY(
        cairn_runs_move(comm, own.rows, own.first, &grid, list, held, &fresh, &m.sent));
    m.end = cairn_seconds();
    cairn_status status =
        cairn_tensor_build_from(fresh, held + cairn_local_array_bytes(fresh), to);

    if (status == CAIRN_OK)
        status = note_moved(&m, CAIRN_UNIT_RUN,
                            listed ? &listed->how.path->program : NULL, to);
    if (status == CAIRN_OK) {
        cairn_kept_add(list, to->local, to->how.path);
        cairn_tensor_own_arrays(to);
    }
    cairn_local_destroy(&fresh);
    return status;
}

cairn_status cairn_tensor_convert_places(const cairn_tensor *tensor, cairn_tensor *to)
{
    cairn_comm      *comm   = tensor->context->comm;
    cairn_format    *list   = NULL;
    cairn_tensor    *listed = NULL;
    cairn_status     status;
    cairn_moving_way way;

    CAIRN_GO(done, choose_way(tensor, to, &list, &way));
    if (way == CAIRN_MOVING_LISTS)
        CAIRN_GO(without, cairn_tensor_list_rows(tensor, &listed));
    if (way != CAIRN_MOVING_COORDINATES)
        CAIRN_GO(without, convert_by_runs(tensor, list, listed, to));
without:
    /* Functions are wanted, and there are none from a tensor. */
    if (way == CAIRN_MOVING_COORDINATES || status == CAIRN_NO_KERNEL) {
        cairn_renumbering_destroy(comm->env, &to->places);
        status = convert_by_entries(tensor, to);
    }
done:
    cairn_tensor_destroy(&listed);
    cairn_format_destroy(&list);
    return status;
}
