// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups that cross ranks: each rank numbers its own as its entries lie, and all ranks use
/// one number for a group where they exchange what they have counted.

#include "convert/numbers/group_counter.h"
#include "phases/count_exchange.h"

/* ---- do groups cross ranks? ---- */

/// Does no group have rows on both sides of where the box begins?
static bool stays(const cairn_group_counter *t, const cairn_interval rows)
{
    for (int f = 0; f < t->forms; f++)
        if (cairn_exchange_spares(t->algebra, &t->form[f], rows)) return true;
    return rows.lo == 0 || rows.lo > rows.hi;
}

/* ---- one number for all ranks ---- */

/// Row-major numbers of groups by the query's expressions over all positions.
typedef struct {
    int64_t low[CAIRN_MAX_LEVELS]; ///< Of each expression, in the order of the counter,
    int64_t step[CAIRN_MAX_LEVELS]; ///< and what one more of it adds.
    int64_t groups;
} numbering;

static cairn_status
number_all(const cairn_group_counter *t, const cairn_build *build, numbering *n)
{
    cairn_interval box[CAIRN_MAX_ORDER], range;
    __int128       groups = 1;

    for (int k = 0; k < build->shape.order; k++)
        box[k] = (cairn_interval){0, build->shape.extent[k] - 1};
    for (int g = t->forms - 1; g >= 0; g--) {
        const int f = (g - t->rotated + t->forms) % t->forms;

        CAIRN_TRY(cairn_form_range(t->algebra, &t->form[f], box, NULL, &range));
        n->low[f]  = range.lo;
        n->step[f] = (int64_t)groups;
        groups *= range.lo <= range.hi ? (__int128)range.hi - range.lo + 1 : 1;
        CAIRN_CHECK(groups < INT64_MAX, t->env, CAIRN_NO_KERNEL,
                    "query: more groups than 64 bits number");
    }
    n->groups = (int64_t)groups;
    return CAIRN_OK;
}

/// The groups that may have entries of this rank, by these numbers.
static cairn_status list_groups(cairn_group_counter  *t,
                                const cairn_build    *build,
                                numbering            *n,
                                cairn_group_counted **counted,
                                int64_t              *groups)
{
    cairn_group_walk walk = cairn_group_walk_begin(t);
    int64_t          low = 0, k = 0;

    CAIRN_TRY(number_all(t, build, n));
    for (int f = 0; f < t->forms; f++) {
        walk.step[0][f] = n->step[f];
        low += (t->low[f] - n->low[f]) * n->step[f];
    }
    for (cairn_group_walk all = walk; cairn_group_walk_next(&all);)
        ++*groups;
    CAIRN_TRY(CAIRN_NEW(t->env, *groups, counted));
    for (; cairn_group_walk_next(&walk); k++)
        (*counted)[k] = (cairn_group_counted){.line  = low + walk.number[0],
                                              .count = t->index.count[walk.q]};
    return CAIRN_OK;
}

static void take_counts(cairn_group_counter *t, const cairn_group_counted *counted)
{
    cairn_group_walk walk = cairn_group_walk_begin(t);

    for (int64_t k = 0; cairn_group_walk_next(&walk); k++)
        t->index.count[walk.q] = counted[k].count;
}

cairn_status cairn_group_counter_join(cairn_group_counter *t,
                                      const cairn_build   *build,
                                      cairn_status         mine)
{
    cairn_group_counted *counted = NULL;
    int64_t              groups  = 0;
    numbering            n       = {.groups = 0};
    bool                 stay    = mine != CAIRN_OK || stays(t, build->box[0]);

    if (!build->net) return mine;
    CAIRN_TRY(cairn_build_all(build, mine, &stay));
    if (stay) return CAIRN_OK;
    cairn_status status =
        cairn_build_all_compiled(build, list_groups(t, build, &n, &counted, &groups));

    if (status == CAIRN_OK)
        status = cairn_exchange_groups(t->env, build->net, CAIRN_OK, n.groups, groups,
                                       counted);
    if (status == CAIRN_OK) take_counts(t, counted);
    t->joint = status == CAIRN_OK;
    cairn_free(t->env, counted);
    return status;
}
