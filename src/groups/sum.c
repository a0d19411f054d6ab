// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `sum`: what elements start with, added up by group; those without an entry are counted.

#include "groups/spread.h"

#include <assert.h>

cairn_status cairn_groups_sum_overflows(cairn_groups *set, int q)
{
    char text[32];

    return cairn_fail(set->env, CAIRN_OVERFLOW, "query: %s: a sum leaves 64 bits",
                      cairn_groups_label(set, q, text));
}

/// Add what @p start gives to each of the group's elements that have no entry.
static cairn_status add_rest(cairn_groups  *set,
                             int            q,
                             const int64_t *tuple,
                             int64_t        entries,
                             int64_t       *total)
{
    const cairn_group_query *s     = &set->query[q];
    int64_t                  start = 0;
    cairn_group_box          box;
    cairn_coord              d[CAIRN_MAX_ORDER];
    int                      arm;

    if (s->rest.one && s->rest.start.kind == CAIRN_START_CONST)
        start = s->rest.start.value;
    if (s->rest.one && start == 0) return CAIRN_OK;
    cairn_group_box_enter(&s->forms.order, tuple, &box);
    assert(box.size >= entries); /* a group has no more elements than positions */
    s = &set->query[q];
    if (box.size == entries) return CAIRN_OK;
    if (!s->rest.one) {
        cairn_group_box_first(&s->forms.order, &box, d);
        CAIRN_TRY(cairn_groups_rest_of_none(set, q, d, &arm, &start));
        if (start == CAIRN_NO_NUMBER) return CAIRN_OK;
    }
    if (__builtin_mul_overflow(start, box.size - entries, &start)
        || __builtin_add_overflow(*total, start, total))
        return cairn_groups_sum_overflows(set, q);
    return CAIRN_OK;
}

cairn_status
cairn_groups_sum_rest(cairn_groups *set, int q, const int64_t *tuple, int64_t *total)
{
    *total = 0;
    return add_rest(set, q, tuple, 0, total);
}

static cairn_status add_group(cairn_groups             *set,
                              int                       q,
                              const cairn_group_starts *starts,
                              int64_t                   g,
                              int64_t                  *total)
{
    const cairn_group_index *x = &set->query[q].index;
    const int64_t            n = x->begin[g + 1] - x->begin[g];

    *total = 0;
    if (starts->one) {
        if (starts->one_start != CAIRN_NO_NUMBER
            && __builtin_mul_overflow(starts->one_start, n, total))
            return cairn_groups_sum_overflows(set, q);
    } else {
        for (int64_t k = x->begin[g]; k < x->begin[g + 1]; k++) {
            const int64_t start = starts->start[cairn_group_index_element(x, k)];

            if (start != CAIRN_NO_NUMBER
                && __builtin_add_overflow(*total, start, total))
                return cairn_groups_sum_overflows(set, q);
        }
    }
    if (set->query[q].spread.crossing && set->query[q].spread.crossing[g])
        return CAIRN_OK; /* spread_sum.c adds what other ranks have */
    return add_rest(set, q, cairn_group_index_tuple(x, g), n, total);
}

/// Does each element with an entry add 1, and no other anything?
static bool counts_elements(const cairn_group_query  *s,
                            const cairn_group_starts *starts)
{
    return starts->one && starts->one_start == 1 && s->rest.one
           && (s->rest.start.kind == CAIRN_START_NONE
               || (s->rest.start.kind == CAIRN_START_CONST
                   && s->rest.start.value == 0));
}

cairn_status cairn_groups_sum(cairn_groups *set, int q)
{
    cairn_group_query *s      = &set->query[q];
    cairn_group_starts starts = {.one = false};
    cairn_status       status;

    assert(s->query->func == CAIRN_QUERY_SUM && s->index.begin && !s->total);
    CAIRN_GO(done, cairn_groups_find_crossing(set, q));
    CAIRN_GO(done, cairn_group_starts_find(set, q, &starts));
    CAIRN_GO(done, CAIRN_NEW(set->env, s->index.groups, &s->total));
    cairn_visit(set->env, s->index.groups + (starts.one ? 0 : s->elements));
    if (counts_elements(s, &starts))
        for (int64_t g = 0; g < s->index.groups; g++)
            s->total[g] = s->index.begin[g + 1] - s->index.begin[g];
    for (int64_t g = 0; g < s->index.groups && !counts_elements(s, &starts); g++)
        CAIRN_GO(done, add_group(set, q, &starts, g, &s->total[g]));
    if (s->spread.crosses) status = cairn_groups_share_sum(set, q, &starts);
done:
    cairn_group_starts_fini(set->env, &starts);
    return status;
}
