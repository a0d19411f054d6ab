// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How many positions a group has at most, and the ranges of queries.

#include "format/layout.h"
#include "format/points.h"

#include <string.h>

/* 2^17 steps of the search are about 30 ms; beyond, bounds must do. */
enum { MAX_STEPS = 1 << 17, MAX_CORNERS = 8 };

static const int64_t far = (int64_t)1 << 40; /* an "unbounded" box reaches this far */

static int64_t extent_of(cairn_interval i)
{
    return i.hi < i.lo ? 0 : i.hi - i.lo + 1;
}

static int64_t saturating_mul(int64_t a, int64_t b)
{
    int64_t product;

    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/// Count the points of the group of @p at, at most MAX_STEPS; dimensions outside
/// @p used are held fixed.
static int64_t count_group(const cairn_algebra  *algebra,
                           int                   forms,
                           const cairn_form     *form,
                           const cairn_interval *box,
                           uint32_t              used,
                           const int64_t        *at)
{
    cairn_points   points;
    cairn_interval narrow[CAIRN_MAX_ORDER];
    int64_t        target[CAIRN_MAX_LEVELS], d[CAIRN_MAX_ORDER], count = 0;

    for (int k = 0; k < algebra->order; k++)
        narrow[k] = used & 1U << k ? box[k] : (cairn_interval){at[k], at[k]};
    for (int f = 0; f < forms; f++)
        target[f] = cairn_form_value(algebra, &form[f], at, NULL);
    cairn_points_init(&points, algebra, forms, form, target, narrow);
    while (count < MAX_STEPS && cairn_points_next(&points, d))
        count++;
    return count;
}

/// A diagonal: one form a*di + b*dj (perhaps floored) over two dimensions. Points of one
/// line are steps of (b/g, -a/g) apart.
static bool diagonal(const cairn_algebra  *algebra,
                     const cairn_form     *form,
                     const cairn_interval *box,
                     int64_t              *count)
{
    const cairn_atom *atom  = form->terms ? &algebra->atom[form->term[0].atom] : NULL;
    int64_t           lines = 1, g, a, b;

    if (form->terms == 1 && atom->kind == CAIRN_ATOM_DIV) {
        lines = atom->divisor;
        form  = &atom->form;
    }
    if (form->terms != 2 || form->term[1].atom >= algebra->order) return false;
    a = form->term[0].factor < 0 ? -form->term[0].factor : form->term[0].factor;
    b = form->term[1].factor < 0 ? -form->term[1].factor : form->term[1].factor;
    for (int64_t x = a, y = b; (g = x, y != 0);) {
        const int64_t r = x % y;

        x = y;
        y = r;
    }
    const int64_t along_i = (extent_of(box[form->term[0].atom]) + b / g - 1) / (b / g);
    const int64_t along_j = (extent_of(box[form->term[1].atom]) + a / g - 1) / (a / g);

    *count = saturating_mul((lines + g - 1) / g, along_i < along_j ? along_i : along_j);
    return true;
}

/// Largest count over groups through low corners and centres of the box, of the
/// dimensions @p used, which the given forms alone depend on.
static int64_t sample_groups(const cairn_algebra  *algebra,
                             int                   forms,
                             const cairn_form     *form,
                             const cairn_interval *box,
                             uint32_t              used)
{
    const int dims = __builtin_popcount(used);
    int64_t   most = 0;

    for (uint32_t corner = 0; corner < 1U << (dims < 4 ? dims : 4); corner++) {
        int64_t at[CAIRN_MAX_ORDER];
        int     bit = 0;

        for (int k = 0; k < algebra->order; k++) {
            const bool centre = used & 1U << k ? corner >> (bit++ & 3) & 1 : false;

            at[k] = centre ? box[k].lo + (box[k].hi - box[k].lo) / 2 : box[k].lo;
        }
        const int64_t count = count_group(algebra, forms, form, box, used, at);

        if (count > most) most = count;
        if (most == MAX_STEPS) break;
    }
    return most;
}

/// Positions of the box in the dimensions @p used.
static int64_t
box_positions(const cairn_algebra *algebra, const cairn_interval *box, uint32_t used)
{
    int64_t positions = 1;

    for (int k = 0; k < algebra->order; k++)
        if (used & 1U << k) positions = saturating_mul(positions, extent_of(box[k]));
    return positions;
}

/// Forms that depend on dimensions of @p used, gathered; @p used grows to all their
/// dimensions.
static int gather_component(const cairn_algebra *algebra,
                            int                  forms,
                            const cairn_form    *form,
                            uint32_t            *used,
                            cairn_form          *gathered)
{
    uint32_t before;
    int      n;

    do {
        before = *used;
        n      = 0;
        for (int f = 0; f < forms; f++) {
            const uint32_t dims = cairn_form_dims(algebra, &form[f]);

            if (!(dims & *used)) continue;
            *used |= dims;
            gathered[n++] = form[f];
        }
    } while (*used != before);
    return n;
}

/// Dimensions that no form ties together count by themselves: groups are products.
static int64_t largest_in_component(const cairn_algebra  *algebra,
                                    int                   forms,
                                    const cairn_form     *form,
                                    const cairn_interval *box,
                                    uint32_t              used)
{
    int64_t count = 0;

    if (forms == 0) return box_positions(algebra, box, used);
    if (box_positions(algebra, box, used) >= MAX_STEPS && forms == 1
        && diagonal(algebra, &form[0], box, &count))
        return count;
    count = sample_groups(algebra, forms, form, box, used);
    /* too long to count: the box itself bounds it */
    return count == MAX_STEPS ? box_positions(algebra, box, used) : count;
}

cairn_status cairn_group_largest(cairn_env            *env,
                                 const cairn_algebra  *algebra,
                                 int                   forms,
                                 const cairn_form     *form,
                                 const cairn_interval *box,
                                 int64_t              *positions)
{
    uint32_t    seen     = 0;
    cairn_form *gathered = NULL;
    int64_t     product  = 1;

    CAIRN_TRY(CAIRN_NEW(env, forms, &gathered));
    for (int k = 0; k < algebra->order; k++) {
        uint32_t used = 1U << k;

        if (extent_of(box[k]) == 0) product = 0;
        if (seen & used || product == 0) continue;
        const int n = gather_component(algebra, forms, form, &used, gathered);

        product = saturating_mul(product,
                                 largest_in_component(algebra, n, gathered, box, used));
        seen |= used;
    }
    cairn_free(env, gathered);
    *positions = product;
    return CAIRN_OK;
}

/// Is the group of @p form bounded in an unbounded box? Then how large at most, over
/// the groups through the first positions (groups repeat with the divisors' period).
static bool unbounded_capacity(const cairn_algebra *algebra,
                               int                  forms,
                               const cairn_form    *form,
                               int64_t             *positions)
{
    cairn_interval box[CAIRN_MAX_ORDER], narrow[CAIRN_MAX_ORDER];
    int64_t        at[CAIRN_MAX_ORDER] = {0}, reach = 1;

    for (int k = 0; k < algebra->order; k++)
        box[k] = narrow[k] = (cairn_interval){-far, far};
    for (int round = 0; round < 4; round++)
        for (int f = 0; f < forms; f++) {
            const int64_t v = cairn_form_value(algebra, &form[f], at, NULL);

            cairn_form_narrow(algebra, &form[f], (cairn_interval){v, v}, narrow);
        }
    for (int k = 0; k < algebra->order; k++)
        reach = saturating_mul(reach, extent_of(narrow[k]));
    if (reach >= MAX_STEPS * 8) return false;
    *positions = 0;
    for (int corner = 0; corner < MAX_CORNERS; corner++) {
        for (int k = 0; k < algebra->order; k++)
            at[k] = corner;
        const int64_t count = count_group(algebra, forms, form, box, ~0U, at);

        if (count > *positions) *positions = count;
    }
    return true;
}

cairn_status cairn_group_capacity(cairn_env            *env,
                                  const cairn_algebra  *algebra,
                                  int                   forms,
                                  const cairn_form     *form,
                                  const cairn_interval *box,
                                  int64_t              *positions)
{
    if (unbounded_capacity(algebra, forms, form, positions)) return CAIRN_OK;
    return cairn_group_largest(env, algebra, forms, form, box, positions);
}

/// Forms of a map over a fresh algebra's atoms.
static cairn_status
map_forms(cairn_algebra *algebra, const cairn_map *map, cairn_form *form)
{
    for (int k = 0; k < map->count; k++)
        CAIRN_TRY(cairn_form_of(algebra, map->expr[k], &form[k]));
    return CAIRN_OK;
}

/// An upper bound of the number of distinct tuples of @p map: product of the ranges.
static cairn_status count_groups(cairn_algebra        *algebra,
                                 const cairn_map      *map,
                                 const cairn_interval *box,
                                 const cairn_interval *queries,
                                 int64_t              *count)
{
    cairn_form form[CAIRN_MAX_LEVELS];

    *count = 1;
    CAIRN_TRY(map_forms(algebra, map, form));
    for (int k = 0; k < map->count; k++) {
        cairn_interval range;

        CAIRN_TRY(cairn_form_range(algebra, &form[k], box, queries, &range));
        *count = saturating_mul(*count, extent_of(range));
    }
    return CAIRN_OK;
}

static bool
map_has_form(cairn_algebra *algebra, const cairn_form *form, const cairn_map *map)
{
    for (int k = 0; k < map->count; k++) {
        cairn_form other;

        if (cairn_form_of(algebra, map->expr[k], &other) == CAIRN_OK
            && cairn_form_equal(form, &other))
            return true;
    }
    return false;
}

/// How many groups of @p inner one group of @p outer holds at most: the ranges of the
/// inner expressions that the outer ones do not fix.
static cairn_status groups_per_group(cairn_algebra        *algebra,
                                     const cairn_map      *inner,
                                     const cairn_map      *outer,
                                     const cairn_interval *box,
                                     const cairn_interval *queries,
                                     int64_t              *count)
{
    cairn_map rest = *inner;

    rest.count = 0;
    for (int k = 0; k < inner->count; k++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(algebra, inner->expr[k], &form));
        if (!map_has_form(algebra, &form, outer))
            rest.expr[rest.count++] = inner->expr[k];
    }
    return count_groups(algebra, &rest, box, queries, count);
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
    uint32_t   uses = 0;

    if (query->arg != CAIRN_ARG_VALUE)
        return groups_per_group(algebra, &encoding->query[query->arg].group_by,
                                &query->group_by, box, queries, size);
    CAIRN_TRY(map_forms(algebra, &query->group_by, form));
    for (int k = 0; k < query->group_by.count; k++)
        uses |= cairn_form_queries(algebra, &form[k]);
    if (uses) /* groups by another query's value: anything up to the whole box */
        return cairn_group_largest(env, algebra, 0, NULL, box, size);
    return cairn_group_largest(env, algebra, query->group_by.count, form, box, size);
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
        CAIRN_TRY(count_groups(algebra, &encoding->query[query->arg].group_by, box,
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

    CAIRN_TRY(CAIRN_NEW(env, 1, &algebra));
    cairn_algebra_init(algebra, env, encoding->map.order);
    for (int k = 0; k < encoding->map.order; k++)
        box[k] = (cairn_interval){0, extent[k] - 1};
    for (int p = 0; p <= q && status == CAIRN_OK; p++)
        status = range_of(env, algebra, encoding, p, box, queries, known);
    if (status == CAIRN_OK) *range = queries[q];
    cairn_free(env, algebra);
    return status;
}
