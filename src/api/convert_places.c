// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions from rows by places, or to them. Entries get the user's coordinates back,
/// then those of their new places, both where they are; so each is sent once, and only if
/// its rank is another one.

#include "api/moving.h"
#include "comm/distribute_text.h"

/// The rows that ranks are to have of entries that have the user's coordinates; the entries
/// are numbered where these rows are by places.
static cairn_status find_rows(cairn_source *source, cairn_tensor *to)
{
    cairn_comm               *comm   = source->context->comm;
    const cairn_distribution *said   = &to->format->distribution;
    const cairn_coord         extent = source->shape.extent[0];
    const int64_t             grain  = cairn_format_grain(to->format);
    cairn_rows                rows   = {0};
    bool                      cut    = false, scattered;

    CAIRN_TRY(cairn_rows_by_text(comm, said, extent, grain, &rows, &cut, &scattered));
    if (scattered) {
        CAIRN_TRY(cairn_renumbering_by_text(comm, said, &source->shape,
                                            &source->entries, &to->places));
        CAIRN_TRY(cairn_renumbering_number(comm, to->places, &source->entries));
        CAIRN_TRY(cairn_comm_agree(
            comm, cairn_rows_copy(comm->env, &to->places->rows, &rows)));
    } else if (!cut) {
        CAIRN_TRY(cairn_rows_by_entries(comm, &source->entries, extent, grain, &rows));
    }
    cairn_rows_fini(comm->env, &to->rows);
    to->rows = rows;
    return CAIRN_OK;
}

/// Count what will be sent, on all ranks: entries, and pairs of ranks.
static cairn_status
count_sent(const cairn_source *source, const cairn_rows *rows, int64_t sent[2])
{
    cairn_comm          *comm = source->context->comm;
    const cairn_entries *e    = &source->entries;
    int64_t             *to   = NULL;

    CAIRN_TRY(cairn_comm_agree(comm, CAIRN_NEW_ZERO(comm->env, comm->size, &to)));
    for (cairn_pos k = 0; k < e->n; k++)
        to[cairn_rows_owner(rows, e->coord[0][k])]++;
    sent[0] = sent[1] = 0;
    for (int r = 0; r < comm->size; r++) {
        if (r == comm->rank) continue;
        sent[0] += to[r];
        sent[1] += to[r] > 0;
    }
    cairn_free(comm->env, to);
    return comm->ops->allreduce(comm, sent, 2, CAIRN_SUM);
}

cairn_status cairn_tensor_convert_places(const cairn_tensor *tensor, cairn_tensor *to)
{
    cairn_comm   *comm   = tensor->context->comm;
    cairn_source *source = NULL;
    int64_t       sent[2];
    cairn_status  status =
        cairn_comm_agree(comm, cairn_tensor_take_entries(tensor, &source));

    if (status == CAIRN_OK && tensor->places)
        status = cairn_renumbering_undo(comm, tensor->places, &source->entries);
    CAIRN_GO(done, status);
    CAIRN_GO(done, find_rows(source, to));
    CAIRN_GO(done, count_sent(source, &to->rows, sent));
    CAIRN_GO(done, cairn_entries_to_owners(comm, &to->rows, &source->entries));
    CAIRN_GO(done,
             cairn_comm_agree(comm, cairn_entries_sort(comm->env, &source->entries)));
    to->held = cairn_local_array_bytes(tensor->local);
    CAIRN_GO(done, cairn_tensor_build(to, &source->shape, &source->entries, NULL));
    to->path->moved    = sent[0];
    to->path->sent     = sent[0] * cairn_entry_bytes(source->shape.order);
    to->path->messages = sent[1];
done:
    cairn_source_destroy(&source);
    return status;
}
