// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups that assigned entries, once more: where a member has a node for each of its
/// groups, as a format by blocks has that is assigned by blocks, its nodes were counted
/// when the groups were.

#include "convert/members/assign_members.h"

void cairn_member_groups_destroy(cairn_env *env, cairn_member_groups **groups)
{
    if (!*groups) return;
    cairn_group_counter_fini(&(*groups)->counter);
    cairn_free(env, (*groups)->member_of);
    cairn_free(env, *groups);
    *groups = NULL;
}

/// Has a group that gave nothing no entry? Those that are listed have some.
static bool tells_empty(const cairn_group_counter *t)
{
    return t->index.listed || cairn_sum_counts_each(&t->query);
}

cairn_status cairn_member_groups_fit(const cairn_member_groups *groups,
                                     const cairn_layout        *to,
                                     cairn_interval             range,
                                     bool                      *fit)
{
    const cairn_group_counter *t = &groups->counter;
    const int                  E = to->last;

    *fit = false;
    if (to->first != E || E < 1 || t->forms != E + 1 || !tells_empty(t)
        || t->low[E] != range.lo || t->size[E] != range.hi - range.lo + 1)
        return CAIRN_OK;
    for (int l = 0; l <= E; l++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(t->algebra, to->encoding->map.expr[l], &form));
        if (!cairn_form_equal(&form, &t->form[l])
            || (l < E
                && (t->low[l] != to->level[l].range.lo
                    || t->size[l] != to->level[l].size)))
            return CAIRN_OK;
    }
    *fit = true;
    return CAIRN_OK;
}

/// Has group @p q entries, all of member @p which?
static bool is_of(const cairn_member_groups *groups, int64_t q, int which)
{
    const cairn_line_index *x = &groups->counter.index;

    return groups->member_of[q] == which && (x->listed || x->count[q] > 0);
}

cairn_status cairn_member_groups_list(const cairn_member_groups *groups,
                                      int                        which,
                                      cairn_line_index          *nodes)
{
    const cairn_line_index *x = &groups->counter.index;
    cairn_pos               n = 0;

    for (int64_t q = 0; q < x->n; q++)
        nodes->n += is_of(groups, q, which);
    CAIRN_TRY(CAIRN_NEW(groups->counter.env, nodes->n, &nodes->place));
    for (int64_t line = 0; line < x->lines; line++) {
        const int64_t end = cairn_line_index_begin(x, line + 1);

        nodes->begin[line] = (uint32_t)n;
        for (int64_t q = cairn_line_index_begin(x, line); q < end; q++)
            if (is_of(groups, q, which))
                nodes->place[n++] = (uint32_t)cairn_line_index_place(x, line, q);
    }
    nodes->begin[x->lines] = (uint32_t)n;
    return CAIRN_OK;
}
