// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions from rows by places, or to them. Entries get the user's coordinates back,
/// then those of their new places, both where they are; so each is sent once, and only if
/// its rank is another one.

#include "api/tensors/moving.h"
#include "comm/distribute_text.h"
#include "comm/move_entries.h"

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

static cairn_status note_moved(const moved *m, cairn_tensor *to)
{
    cairn_comm            *comm  = to->context->comm;
    const cairn_path_moves moves = {m->sent.entries, m->sent.bytes, m->sent.messages,
                                    m->asked};
    const cairn_pass       pass  = {
               .method = "places",
               .what   = CAIRN_PASS_EXCHANGE,
               .unit   = CAIRN_UNIT_ENTRY,
               .member = -1,
               .index  = -1,
               .stores = CAIRN_STORES_DIRECT,
               .bytes  = 2.0 * (double)cairn_entry_bytes(to->local->shape.order)};

    cairn_task_log_begin(&to->how.log, "exchange", m->sent.bytes, m->send, m->end);
    cairn_task_log_begin(&to->how.log, "places", m->asked, m->begin, m->send);
    return cairn_comm_agree(comm,
                            cairn_path_add_exchange(to->how.path, NULL, &pass, &moves));
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

cairn_status cairn_tensor_convert_places(const cairn_tensor *tensor, cairn_tensor *to)
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
    status = note_moved(&m, to);
done:
    cairn_source_destroy(&source);
    return status;
}
