// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Shares: the layout on some rows, and one of two ways to its arrays.

#include "rows/row_share.h"

#include "rows/row_share_steps.h"

#include <assert.h>
#include <string.h>

/// The tensor that the share is, without arrays.
static cairn_status create_local(cairn_row_share *share)
{
    const cairn_local  *whole  = share->tensor;
    const cairn_layout *layout = cairn_row_share_group(share)->layout;
    cairn_env          *env    = whole->env;
    cairn_local        *local;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &local));
    share->local        = local;
    local->env          = env;
    local->shape        = whole->shape;
    local->format       = whole->format;
    local->value_bits   = whole->value_bits;
    local->groups       = 1;
    local->pattern.kept = whole->pattern.kept;
    memcpy(local->box, whole->box, sizeof local->box);
    local->box[0] = share->rows;
    CAIRN_TRY(cairn_layout_create(env, layout->encoding, layout->extent, local->box,
                                  layout->given.span, layout->values.carrier_bits,
                                  &local->group[0].layout));
    local->parts          = local->group[0].layout->banks;
    local->group[0].count = local->parts;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, local->parts, &local->part));
    for (int64_t bank = 0; bank < local->parts; bank++)
        local->part[bank].where =
            (cairn_where){share->member, cairn_row_share_part(share, 0)->where.rank,
                          share->number, bank};
    return CAIRN_OK;
}

/// Values that are lent are stored as the member's are; walked ones are as wide as the type.
static cairn_status store_alike(cairn_row_share *share)
{
    const cairn_layout *whole = cairn_row_share_group(share)->layout;
    cairn_group        *group = &share->local->group[0];
    cairn_layout       *stored;

    if (cairn_layout_is_wide(whole)) return CAIRN_OK;
    CAIRN_TRY(cairn_layout_store(share->tensor->env, group->layout, whole->values.kind,
                                 whole->values.bits, &stored));
    cairn_layout_destroy(share->tensor->env, &group->layout);
    group->layout         = stored;
    share->local->narrows = share->tensor->narrows;
    return CAIRN_OK;
}

cairn_status cairn_row_share_init(const cairn_local  *tensor,
                                  int                 member,
                                  cairn_interval      rows,
                                  int                 number,
                                  cairn_row_share_way way,
                                  int64_t             held,
                                  cairn_row_share    *share)
{
    *share = (cairn_row_share){
        .tensor = tensor, .member = member, .number = number, .rows = rows};
    assert(member >= 0 && member < tensor->groups);
    assert(rows.lo > rows.hi
           || (rows.lo >= tensor->box[0].lo && rows.hi <= tensor->box[0].hi));
    CAIRN_TRY(create_local(share));
    if (way != CAIRN_SHARE_WALKED)
        CAIRN_TRY(cairn_row_share_is_stretch(share, &share->lent));
    if (!share->lent)
        return way == CAIRN_SHARE_LENT_OR_NONE ? CAIRN_OK
                                               : cairn_row_share_walk(share, held);
    CAIRN_TRY(store_alike(share));
    return cairn_row_share_lend(share, held);
}

void cairn_row_share_fini(cairn_row_share *share)
{
    cairn_local_destroy(&share->local);
    *share = (cairn_row_share){0};
}

cairn_status cairn_row_share_refresh(cairn_row_share *share)
{
    cairn_row_share fresh;

    if (share->lent) return CAIRN_OK;
    cairn_status status =
        cairn_row_share_init(share->tensor, share->member, share->rows, share->number,
                             CAIRN_SHARE_WALKED, 0, &fresh);

    /* The pattern is the same, and so all arrays lie where they did. */
    assert(status != CAIRN_OK || fresh.bytes == share->bytes);
    if (status == CAIRN_OK && share->bytes > 0)
        memcpy(share->local->group[0].block, fresh.local->group[0].block,
               (size_t)share->bytes);
    cairn_row_share_fini(&fresh);
    return status;
}

static int64_t entries_of(const cairn_local *tensor, int member)
{
    const cairn_group *group   = &tensor->group[member];
    int64_t            entries = 0;

    for (int64_t k = 0; k < group->count; k++)
        entries += tensor->part[group->first + k].nnz;
    return entries;
}

void cairn_row_shares_settle(cairn_row_share *const *share, int count)
{
    cairn_local *last    = share[count - 1]->local;
    int64_t      missing = entries_of(share[0]->tensor, share[0]->member);

    for (int k = 0; k < count; k++)
        missing -= entries_of(share[k]->local, 0);
    if (last->parts > 0) last->part[0].nnz += missing;
}
