// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which rows ranks own, as a format's text says it, or else the run.

#include "api/api.h"
#include "comm/distribute_text.h"

#include <string.h>

/// Is a member's own what the whole has? One rank has all rows by counts of any kind.
static bool is_same(const cairn_format       *format,
                    int                       member,
                    const cairn_distribution *whole,
                    int                       ranks)
{
    const cairn_distribution *own = &format->member_distribution[member];

    if (own->kind == CAIRN_DISTRIBUTION_UNSAID) return true;
    if (ranks == 1
        && (own->kind == CAIRN_DISTRIBUTION_ROWS
            || own->kind == CAIRN_DISTRIBUTION_NNZ))
        return true;
    if (own->kind != whole->kind) return false;
    return own->kind == CAIRN_DISTRIBUTION_ROWS || own->kind == CAIRN_DISTRIBUTION_NNZ
           || (format->print.whole_distribution
               && strcmp(format->print.distribution[member],
                         format->print.whole_distribution)
                      == 0);
}

cairn_status cairn_format_check_members(cairn_comm               *comm,
                                        const cairn_format       *format,
                                        const cairn_distribution *whole)
{
    for (int m = 0; m < format->members; m++)
        CAIRN_CHECK(is_same(format, m, whole, comm->size), comm->env, CAIRN_UNSUPPORTED,
                    "format: distribution: member %d has @ %s, and the whole another: "
                    "members lie with the whole's rows in this version",
                    m + 1, format->print.distribution[m]);
    return CAIRN_OK;
}

cairn_status cairn_source_divide(cairn_source *source, const cairn_format *format)
{
    cairn_comm        *comm   = source->context->comm;
    const cairn_coord  extent = source->shape.extent[0];
    const int64_t      grain  = format ? cairn_format_grain(format) : 1;
    cairn_rows         rows   = {0};
    cairn_distribution whole  = {source->division == CAIRN_BY_ROWS
                                     ? CAIRN_DISTRIBUTION_ROWS
                                     : CAIRN_DISTRIBUTION_NNZ,
                                NULL, NULL};
    bool cut;

    if (format && format->distribution.kind != CAIRN_DISTRIBUTION_UNSAID)
        whole = format->distribution;
    if (format) CAIRN_TRY(cairn_format_check_members(comm, format, &whole));
    CAIRN_TRY(cairn_rows_by_text(comm, &whole, extent, grain, &rows, &cut));
    if (!cut)
        CAIRN_TRY(cairn_rows_by_entries(comm, &source->entries, extent, grain, &rows));
    const cairn_status status = cairn_entries_to_owners(comm, &rows, &source->entries);

    if (status != CAIRN_OK) {
        cairn_rows_fini(comm->env, &rows);
        return status;
    }
    cairn_rows_fini(comm->env, &source->rows);
    source->rows = rows;
    return CAIRN_OK;
}

cairn_status cairn_check_callers_rows(cairn_comm *comm, const cairn_format *format)
{
    const cairn_distribution *whole = &format->distribution;

    if (whole->kind == CAIRN_DISTRIBUTION_UNSAID
        || (comm->size == 1
            && (whole->kind == CAIRN_DISTRIBUTION_ROWS
                || whole->kind == CAIRN_DISTRIBUTION_NNZ)))
        return cairn_format_check_members(comm, format, whole);
    return cairn_fail(
        comm->env, CAIRN_UNSUPPORTED,
        "format: distribution: @ %s: rows that a caller divided stay with "
        "their ranks in this version; convert the tensor",
        format->print.whole_distribution);
}
