// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Homes at fixed cuts: where sums are divided, so that it does not matter who makes them.

#include "place/placement.h"

void cairn_row_cuts_find(cairn_coord     rows,
                         int             members,
                         int64_t         grain,
                         cairn_row_cuts *cuts)
{
    const int most = CAIRN_MAX_HOMES / (members > 0 ? members : 1);

    *cuts       = (cairn_row_cuts){0};
    cuts->count = most < CAIRN_MEMBER_HOME_CUTS ? most : CAIRN_MEMBER_HOME_CUTS;
    for (int k = 1; k < cuts->count; k++) {
        const cairn_coord row =
            rows / cuts->count * k + rows % cuts->count * k / cuts->count;

        cuts->row[k] = row / grain * grain;
    }
    cuts->row[cuts->count] = rows;
}

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

/// Add rows first..end-1 of a member as its next share.
static void add(cairn_placing       *cut,
                const cairn_placing *placing,
                int                  member,
                cairn_coord          first,
                cairn_coord          end)
{
    cairn_member_home *const home = &cut->home[cut->count];

    *home         = *find(placing, member, first);
    home->share   = cairn_placing_shares(cut, member);
    home->rows    = (cairn_interval){first, end - 1};
    home->seconds = 0; /* it was not asked for */
    cut->count++;
}

void cairn_placing_cut(const cairn_local    *tensor,
                       const cairn_row_cuts *cuts,
                       cairn_placing        *placing)
{
    const cairn_interval box = tensor->box[0];
    cairn_placing        cut = *placing;

    cut.count       = 0;
    cut.cuts        = *cuts;
    cut.makespan[0] = cut.makespan[1] = 0;
    for (int m = 0; m < tensor->groups; m++) {
        if (box.lo > box.hi) cut.home[cut.count++] = *find(placing, m, box.lo);
        for (int k = 0; k < cuts->count; k++)
            if (box.lo <= cuts->row[k] && cuts->row[k] < cuts->row[k + 1]
                && cuts->row[k] <= box.hi)
                add(&cut, placing, m, cuts->row[k], cuts->row[k + 1]);
    }
    *placing = cut;
}
