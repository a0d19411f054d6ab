// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Homes at fixed cuts: where sums are divided, so that it does not matter who makes them.

#include "place/divide.h"
#include "place/placement.h"

/// The home of member @p member that has row @p row.
static const cairn_member_home *
find(const cairn_placing *placing, int member, cairn_coord row)
{
    const cairn_member_home *found = NULL;

    for (int k = 0; k < placing->count; k++)
        if (placing->home[k].member == member
            && (!found || placing->home[k].rows.lo <= row))
            found = &placing->home[k];
    return found;
}

/// Add rows first..end-1 of a member as its next share, unless there are none.
static void add(cairn_placing           *cut,
                const cairn_placing     *placing,
                const cairn_row_weights *w,
                cairn_coord              first,
                cairn_coord              end)
{
    if (first >= end) return;
    cairn_member_home *const home = &cut->home[cut->count];

    *home         = *find(placing, w->member, first);
    home->share   = cairn_placing_shares(cut, w->member);
    home->rows    = (cairn_interval){first, end - 1};
    home->seconds = 0; /* it was not asked for */
    cut->count++;
}

static cairn_status cut_member(const cairn_local   *tensor,
                               const cairn_placing *placing,
                               int                  member,
                               cairn_placing       *cut)
{
    const cairn_interval box  = tensor->box[0];
    const int            most = CAIRN_MAX_HOMES / tensor->groups;
    const int   cuts  = most < CAIRN_MEMBER_HOME_CUTS ? most : CAIRN_MEMBER_HOME_CUTS;
    cairn_coord first = box.lo;
    cairn_row_weights w;

    if (box.lo > box.hi) {
        cut->home[cut->count++] = *find(placing, member, box.lo);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_row_weights_init(tensor, member, &w));
    for (int k = 1; k <= cuts; k++) {
        const cairn_coord row =
            k < cuts ? cairn_row_weights_cut(&w, (double)k / cuts) : box.hi + 1;

        add(cut, placing, &w, first, row);
        if (row > first) first = row;
    }
    cairn_row_weights_fini(&w);
    return CAIRN_OK;
}

cairn_status cairn_placing_cut(const cairn_local *tensor, cairn_placing *placing)
{
    cairn_placing cut = *placing;

    cut.count       = 0;
    cut.makespan[0] = cut.makespan[1] = 0;
    for (int m = 0; m < tensor->groups; m++)
        CAIRN_TRY(cut_member(tensor, placing, m, &cut));
    *placing = cut;
    return CAIRN_OK;
}
