// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions from rows by places, or to them. Rows go as runs of the arrays of a list of
/// rows (comm/move_places.h), which each rank converts then: whole, or cut at the columns of
/// blocks. Where there can be no such list, entries get the user's coordinates back, then
/// those of their new places, both where they are. Either way each is sent once, and only if
/// its rank is another one.

#include "api/tensors/moving.h"
#include "comm/distribute_text.h"
#include "comm/move_entries.h"
#include "comm/move_places.h"
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

/// @param[in] before  Passes that made a list of rows to move; NULL: none did.
static cairn_status note_moved(const cairn_rows_sent *m,
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
static cairn_status move(const cairn_tensor *tensor,
                         cairn_source       *source,
                         cairn_tensor       *to,
                         cairn_rows_sent    *m)
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
    cairn_comm     *comm   = tensor->context->comm;
    cairn_source   *source = NULL;
    cairn_rows_sent m      = {.asked = 0};
    cairn_status    status =
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

/// How rows are to go: the same on all ranks.
typedef struct {
    cairn_moving_way way;
    cairn_shape      shape; ///< As the user has it.
    cairn_rows_aim   aim;
    cairn_format    *list; ///< The format of a list, where they go by way of one.
} going;

/// Rows of a format that leaves them to counts. @param user  The tensor that is to have them.
static cairn_status cut_rows(void                   *user,
                             cairn_coord             extent,
                             const cairn_row_counts *counts,
                             cairn_rows             *rows)
{
    const cairn_tensor *const to   = user;
    const cairn_to_cut        what = {.extent = extent, .counts = counts};

    return cairn_format_cut_rows(to->context, to->format, &what, rows);
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
/// @param[in,out] g  Its list is to be destroyed, also after a failure.
static cairn_status choose_way(const cairn_tensor *tensor, going *g)
{
    cairn_comm       *comm    = tensor->context->comm;
    const cairn_coord stored  = tensor->local->shape.extent[0];
    int64_t           entries = cairn_local_nnz(tensor->local), rows, its;
    bool              may;

    g->way = CAIRN_MOVING_COORDINATES;
    CAIRN_TRY(cairn_rows_may_run(comm, tensor->places, &g->aim, &rows, &may));
    if (!may) return CAIRN_OK;
    CAIRN_TRY(comm->ops->allreduce(comm, &entries, 1, CAIRN_SUM));
    if ((rows < stored ? stored : rows) / 4 > entries) return CAIRN_OK;
    cairn_status status =
        cairn_create_list_format(tensor->context, &g->shape, entries, &g->list);

    if (status == CAIRN_OK) status = choose_own_way(tensor, g->list, &g->way);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    its = g->way;
    CAIRN_TRY(comm->ops->allreduce(comm, &its, 1, CAIRN_MIN));
    g->way = (cairn_moving_way)its;
    return CAIRN_OK;
}

/// @param[in] listed  NULL, or the tensor's rows by a list that was made of them.
static cairn_status convert_by_runs(const cairn_tensor *tensor,
                                    const going        *g,
                                    const cairn_tensor *listed,
                                    cairn_tensor       *to)
{
    const cairn_listed_rows from = {
        .own    = listed ? listed->local : tensor->local,
        .rows   = &tensor->rows,
        .places = tensor->places,
        .list   = g->list,
        .held   = cairn_local_array_bytes(tensor->local)
                + (listed ? cairn_local_array_bytes(listed->local) : 0)};
    cairn_local    *fresh = NULL;
    cairn_rows_sent sent  = {.begin = cairn_seconds()};
    cairn_status    status;

    CAIRN_GO(done, cairn_rows_move(to->context->comm, &from, &g->aim, &to->rows,
                                   &to->places, &fresh, &sent));
    status =
        cairn_tensor_build_from(fresh, from.held + cairn_local_array_bytes(fresh), to);
    if (status == CAIRN_OK)
        status = note_moved(&sent, CAIRN_UNIT_RUN,
                            listed ? &listed->how.path->program : NULL, to);
    if (status == CAIRN_OK) {
        cairn_kept_add(g->list, to->local, to->how.path);
        cairn_tensor_own_arrays(to);
    }
done:
    cairn_local_destroy(&fresh);
    return status;
}

cairn_status cairn_tensor_convert_places(const cairn_tensor *tensor, cairn_tensor *to)
{
    cairn_comm   *comm   = tensor->context->comm;
    cairn_tensor *listed = NULL;
    going         g      = {.shape = cairn_tensor_users_shape(tensor)};
    cairn_status  status;

    g.aim = (cairn_rows_aim){.shape = &g.shape,
                             .said  = &to->format->distribution,
                             .grain = cairn_format_grain(to->format),
                             .cut   = cut_rows,
                             .user  = to};
    CAIRN_GO(done, choose_way(tensor, &g));
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
