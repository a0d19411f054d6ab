// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The ranges of queries by definition: how many groups there are, and how many of one
/// query lie in one of another.

#include "format/group_forms.h"
#include "format/group_table.h"
#include "format/layout.h"

#include <string.h>

/* Values of forms that counting looks at: about 50 ms. */
enum { MAX_VALUES = 1 << 18 };

static const int64_t far = (int64_t)1 << 40; /* the largest number of what only runs */

/// Count the distinct tuples of the forms from @p first on, over a box: for every value
/// of a form what is left narrows the next ones. Exact where the last form takes every
/// value of its range; @p budget bounds the values looked at, beyond it the product of
/// the ranges does.
static cairn_status count_tuples(const cairn_algebra  *algebra,
                                 int                   forms,
                                 const cairn_form     *form,
                                 const cairn_interval *box,
                                 const cairn_interval *queries,
                                 int64_t              *budget,
                                 int64_t              *count)
{
    cairn_interval range, narrow[CAIRN_MAX_ORDER];
    int64_t        rest;

    *count = 1;
    if (forms == 0) return CAIRN_OK;
    CAIRN_TRY(cairn_form_range(algebra, form, box, queries, &range));
    const int64_t size = cairn_interval_size(range);

    if (forms == 1 || size > *budget || cairn_form_queries(algebra, form)) {
        CAIRN_TRY(
            count_tuples(algebra, forms - 1, form + 1, box, queries, budget, &rest));
        *count = cairn_count_times(size, rest);
        return CAIRN_OK;
    }
    *budget -= size;
    *count = 0;
    for (int64_t step = 0; step < size; step++) {
        const int64_t v = range.lo + step;

        memcpy(narrow, box, sizeof narrow);
        cairn_form_narrow(algebra, form, (cairn_interval){v, v}, narrow);
        if (cairn_box_is_empty(narrow, algebra->order)) continue;
        CAIRN_TRY(
            count_tuples(algebra, forms - 1, form + 1, narrow, queries, budget, &rest));
        *count = cairn_count_plus(*count, rest);
    }
    return CAIRN_OK;
}

static uint32_t
forms_dims(const cairn_algebra *algebra, int forms, const cairn_form *form)
{
    uint32_t dims = 0;

    for (int f = 0; f < forms; f++)
        dims |= cairn_form_dims(algebra, &form[f]);
    return dims;
}

static uint32_t
forms_queries(const cairn_algebra *algebra, int forms, const cairn_form *form)
{
    uint32_t queries = 0;

    for (int f = 0; f < forms; f++)
        queries |= cairn_form_queries(algebra, &form[f]);
    return queries;
}

/// Few positions are listed, which is exact whatever the forms are.
static bool can_list(const cairn_algebra  *algebra,
                     int                   outer,
                     const cairn_form     *outer_form,
                     int                   inner,
                     const cairn_form     *inner_form,
                     const cairn_interval *box)
{
    const uint32_t used =
        forms_dims(algebra, outer, outer_form) | forms_dims(algebra, inner, inner_form);

    return !forms_queries(algebra, outer, outer_form)
           && !forms_queries(algebra, inner, inner_form)
           && cairn_box_points(box, algebra->order, used) <= CAIRN_TABLE_POSITIONS;
}

/// The most groups of the inner forms in the groups of the outer ones that go through
/// the box's ends and middle.
static cairn_status sample_inner(const cairn_algebra  *algebra,
                                 int                   outer,
                                 const cairn_form     *outer_form,
                                 int                   inner,
                                 const cairn_form     *inner_form,
                                 const cairn_interval *box,
                                 const cairn_interval *queries,
                                 int64_t              *count)
{
    *count = 0;
    for (int which = 0; which < 3; which++) {
        cairn_interval narrow[CAIRN_MAX_ORDER];
        int64_t        at[CAIRN_MAX_ORDER], budget = MAX_VALUES, here;

        for (int k = 0; k < algebra->order; k++)
            at[k] = which == 0   ? box[k].lo
                    : which == 1 ? box[k].lo + (box[k].hi - box[k].lo) / 2
                                 : box[k].hi;
        memcpy(narrow, box, sizeof narrow);
        for (int f = 0; f < outer; f++) {
            if (cairn_form_queries(algebra, &outer_form[f])) continue;
            const int64_t v = cairn_form_value(algebra, &outer_form[f], at, NULL);

            cairn_form_narrow(algebra, &outer_form[f], (cairn_interval){v, v}, narrow);
        }
        CAIRN_TRY(
            count_tuples(algebra, inner, inner_form, narrow, queries, &budget, &here));
        if (here > *count) *count = here;
    }
    return CAIRN_OK;
}

/// Number of groups of a map that have a position in the box.
static cairn_status count_groups(cairn_env            *env,
                                 cairn_algebra        *algebra,
                                 const cairn_map      *map,
                                 const cairn_interval *box,
                                 const cairn_interval *queries,
                                 int64_t              *count)
{
    cairn_form         form[CAIRN_MAX_LEVELS];
    cairn_group_counts exact;
    int64_t            budget = MAX_VALUES;
    int                forms;

    CAIRN_TRY(cairn_independent_forms(algebra, map, box, queries, &forms, form));
    if (!can_list(algebra, forms, form, 0, NULL, box))
        return count_tuples(algebra, forms, form, box, queries, &budget, count);
    CAIRN_TRY(cairn_group_table(env, algebra, forms, form, 0, NULL, box,
                                forms_dims(algebra, forms, form), &exact));
    *count = cairn_box_is_empty(box, algebra->order) ? 0 : exact.groups;
    return CAIRN_OK;
}

/// How many groups of @p inner one group of @p outer holds at most.
static cairn_status groups_per_group(cairn_env            *env,
                                     cairn_algebra        *algebra,
                                     const cairn_map      *inner,
                                     const cairn_map      *outer,
                                     const cairn_interval *box,
                                     const cairn_interval *queries,
                                     int64_t              *count)
{
    cairn_form         outer_form[CAIRN_MAX_LEVELS], inner_form[CAIRN_MAX_LEVELS];
    cairn_group_counts exact;
    int                outers, inners;

    CAIRN_TRY(
        cairn_independent_forms(algebra, outer, box, queries, &outers, outer_form));
    CAIRN_TRY(
        cairn_independent_forms(algebra, inner, box, queries, &inners, inner_form));
    if (can_list(algebra, outers, outer_form, inners, inner_form, box)) {
        CAIRN_TRY(cairn_group_table(env, algebra, outers, outer_form, inners,
                                    inner_form, box,
                                    forms_dims(algebra, outers, outer_form)
                                        | forms_dims(algebra, inners, inner_form),
                                    &exact));
        *count = exact.inner;
        return CAIRN_OK;
    }
    return sample_inner(algebra, outers, outer_form, inners, inner_form, box, queries,
                        count);
}

static cairn_status enum_size(cairn_env            *env,
                              cairn_algebra        *algebra,
                              const cairn_encoding *encoding,
                              const cairn_query    *query,
                              const cairn_interval *box,
                              const cairn_interval *queries,
                              int64_t              *size)
{
    cairn_form form[CAIRN_MAX_LEVELS];
    int        forms;

    if (query->arg != CAIRN_ARG_VALUE)
        return groups_per_group(env, algebra, &encoding->query[query->arg].group_by,
                                &query->group_by, box, queries, size);
    CAIRN_TRY(
        cairn_independent_forms(algebra, &query->group_by, box, queries, &forms, form));
    if (forms_queries(algebra, forms, form)) /* by numbers: up to the whole box */
        forms = 0;
    return cairn_group_largest(env, algebra, forms, form, box, size);
}

static cairn_status range_of(cairn_env            *env,
                             cairn_algebra        *algebra,
                             const cairn_encoding *encoding,
                             int                   q,
                             const cairn_interval *box,
                             cairn_interval       *queries,
                             bool                 *known)
{
    const cairn_query *query = &encoding->query[q];
    int64_t            size  = 0;

    *known = true;
    switch (query->func) {
    case CAIRN_QUERY_SUM: *known = false; break;
    case CAIRN_QUERY_SCHEDULE: size = query->buckets; break;
    case CAIRN_QUERY_REORDER:
        CAIRN_TRY(count_groups(env, algebra, &encoding->query[query->arg].group_by, box,
                               queries, &size));
        break;
    case CAIRN_QUERY_ENUM:
        *known = query->distance == 0;
        if (*known)
            CAIRN_TRY(enum_size(env, algebra, encoding, query, box, queries, &size));
        break;
    }
    /* A range that only running gives is taken as wide as may be by those that use it. */
    queries[q] = *known ? (cairn_interval){0, size - 1} : (cairn_interval){0, far};
    return CAIRN_OK;
}

cairn_status cairn_query_range(cairn_env            *env,
                               const cairn_encoding *encoding,
                               int                   q,
                               const int64_t        *extent,
                               cairn_interval       *range,
                               bool                 *known)
{
    cairn_interval box[CAIRN_MAX_ORDER], queries[CAIRN_MAX_QUERIES];
    cairn_algebra *algebra;
    cairn_status   status = CAIRN_OK;

    /* What is not exact goes by the expressions; widths must not go by more than the text. */
    if (encoding->written)
        return cairn_query_range(env, encoding->written, q, extent, range, known);
    CAIRN_TRY(CAIRN_NEW(env, 1, &algebra));
    for (int k = 0; k < encoding->map.order; k++)
        box[k] = (cairn_interval){0, extent[k] - 1};
    for (int p = 0; p <= q && status == CAIRN_OK; p++) {
        cairn_algebra_init(algebra, env, encoding->map.order);
        status = range_of(env, algebra, encoding, p, box, queries, known);
    }
    if (status == CAIRN_OK) *range = queries[q];
    cairn_free(env, algebra);
    return status;
}
