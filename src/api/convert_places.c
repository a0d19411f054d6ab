// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions from rows by places, or to them. Entries get the user's coordinates back,
/// then those of their new places, both where they are; so each is sent once, and only if
/// its rank is another one.

#include "api/moving.h"
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

cairn_status cairn_tensor_convert_places(const cairn_tensor *tensor, cairn_tensor *to)
{
    cairn_comm        *comm   = tensor->context->comm;
    cairn_source      *source = NULL;
    cairn_entries_sent sent;
    cairn_status       status =
        cairn_comm_agree(comm, cairn_tensor_take_entries(tensor, &source));

    if (status == CAIRN_OK && tensor->places)
        status = cairn_renumbering_undo(comm, tensor->places, &source->entries);
    CAIRN_GO(done, status);
    CAIRN_GO(done, find_rows(source, to));
    CAIRN_GO(done, cairn_entries_to_owners(comm, &to->rows, &source->entries, &sent));
    CAIRN_GO(done,
             cairn_comm_agree(comm, cairn_entries_sort(comm->env, &source->entries)));
    to->held = cairn_local_array_bytes(tensor->local);
    CAIRN_GO(done, cairn_tensor_build(to, &source->shape, &source->entries, NULL));
    to->path->sent = sent;
done:
    cairn_source_destroy(&source);
    return status;
}
