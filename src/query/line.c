// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups that are lines: all dimensions but one, or all expressions of the earlier
/// query's groups but one, are among the groupBy expressions. The element with a given
/// rank among those without an entry is then found by a binary search over the others:
/// padding asks for millions of them, and no list would hold the lines.

#include "query/set.h"

static const cairn_query_map *arg_map(const cairn_query_set   *set,
                                      const cairn_query_state *s)
{
    return s->query->arg < 0 ? NULL : &set->state[s->query->arg].group;
}

static int find_form(const cairn_query_map *map, const cairn_form *form)
{
    for (int f = 0; f < map->count; f++)
        if (cairn_form_equal(&map->form[f], form)) return f;
    return -1;
}

/// Which groupBy value is dimension @p k of a position?
static int find_dimension(const cairn_query_set *set, const cairn_query_map *map, int k)
{
    for (int f = 0; f < map->count; f++)
        if (cairn_form_dimension(&map->form[f], set->order) == k) return f;
    return -1;
}

/// Set `from` and `along`; false unless exactly one coordinate is open.
static bool find_along(const cairn_query_set *set, cairn_query_state *s)
{
    const cairn_query_map *ids = arg_map(set, s);

    s->line.along = -1;
    for (int k = 0; k < (ids ? ids->count : set->order); k++) {
        s->line.from[k] = ids ? find_form(&s->group, &ids->form[k])
                              : find_dimension(set, &s->group, k);
        if (s->line.from[k] >= 0) continue;
        if (s->line.along >= 0) return false;
        s->line.along = k;
    }
    return s->line.along >= 0;
}

/// Expressions beside the coordinates must not depend on where on the line one is.
static bool positions_fit(const cairn_query_set *set, const cairn_query_state *s)
{
    const int along = s->line.along;

    for (int f = 0; f < s->group.count; f++)
        if (cairn_form_dims(set->algebra, &s->group.form[f]) >> along & 1) return false;
    for (int f = 0; f < s->traverse.count; f++)
        if (cairn_form_dims(set->algebra, &s->traverse.form[f]) >> along & 1
            && cairn_form_dimension(&s->traverse.form[f], set->order) != along)
            return false;
    return true;
}

static bool unit_term(const cairn_form *form)
{
    return form->terms == 1
           && (form->term[0].factor == 1 || form->term[0].factor == -1);
}

/// Is the form one dimension, or its floor, so that all values of its range exist?
static bool is_stepwise(const cairn_algebra *algebra, const cairn_form *form)
{
    if (!unit_term(form)) return false;

    const cairn_atom *atom = &algebra->atom[form->term[0].atom];

    if (atom->kind == CAIRN_ATOM_DIV)
        return unit_term(&atom->form)
               && algebra->atom[atom->form.term[0].atom].kind == CAIRN_ATOM_DIM;
    return atom->kind == CAIRN_ATOM_DIM;
}

/// Every value along the line must exist, and everything else be one of the coordinates.
static bool groups_fit(const cairn_query_set *set, const cairn_query_state *s)
{
    const cairn_query_map *ids  = arg_map(set, s);
    const cairn_form      *open = &ids->form[s->line.along];
    const uint32_t         dims = cairn_form_dims(set->algebra, open);

    if (ids->queries || !is_stepwise(set->algebra, open)) return false;
    for (int k = 0; k < ids->count; k++)
        if (k != s->line.along && cairn_form_dims(set->algebra, &ids->form[k]) & dims)
            return false;
    for (int f = 0; f < s->group.count; f++)
        if (find_form(ids, &s->group.form[f]) < 0) return false;
    for (int f = 0; f < s->traverse.count; f++)
        if (find_form(ids, &s->traverse.form[f]) < 0) return false;
    return true;
}

void cairn_query_find_line(cairn_query_set *set, int q)
{
    cairn_query_state     *s   = &set->state[q];
    const cairn_query_map *ids = arg_map(set, s);

    s->line.on = !s->group.queries && !s->traverse.queries && find_along(set, s);
    if (!s->line.on) return;
    s->line.on = ids ? groups_fit(set, s) : positions_fit(set, s);
    if (!ids) s->line.range = set->global[s->line.along];
    if (ids && s->line.on)
        s->line.on = cairn_form_range(set->algebra, &ids->form[s->line.along],
                                      set->global, NULL, &s->line.range)
                     == CAIRN_OK;
}

/// Coordinate along the line of the element number @p p, one with an entry.
static int64_t
coordinate(const cairn_query_set *set, const cairn_query_state *s, int64_t p)
{
    if (s->elements.q < 0) return set->entries->coord[s->line.along][p];
    return cairn_query_table_at(cairn_elements_table(set, &s->elements),
                                p)[s->line.along];
}

/// The k-th rank that no element has: before the t-th element lie its rank - t free ones.
static int64_t
free_rank(const cairn_query_set *set, const cairn_query_state *s, int64_t g, int64_t k)
{
    const int64_t begin = g < 0 ? 0 : s->num.first[g];
    int64_t       lo = 0, hi = g < 0 ? 0 : s->num.first[g + 1] - begin;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (coordinate(set, s, s->num.order[begin + mid]) - s->line.range.lo - mid > k)
            hi = mid;
        else
            lo = mid + 1;
    }
    return k + lo;
}

/// Is the position in the rank's box and, where more is asked for than its coordinates,
/// in the group?
static bool is_inside(const cairn_query_set   *set,
                      const cairn_query_state *s,
                      const int64_t           *group,
                      const cairn_coord       *d)
{
    for (int k = 0; k < set->order; k++)
        if (d[k] < set->box[k].lo || d[k] > set->box[k].hi) return false;
    if (s->group.count == set->order - 1) return true;
    for (int f = 0; f < s->group.count; f++)
        if (cairn_form_value(set->algebra, &s->group.form[f], d, NULL) != group[f])
            return false;
    return true;
}

bool cairn_line_element(const cairn_query_set *set,
                        int                    q,
                        const int64_t         *group,
                        int64_t                g,
                        int64_t                k,
                        cairn_coord           *d)
{
    const cairn_query_state *s   = &set->state[q];
    const cairn_query_map   *ids = arg_map(set, s);
    const int                n   = ids ? ids->count : set->order;
    int64_t                  at[CAIRN_MAX_LEVELS];

    if (k < 0 || k > s->line.range.hi - s->line.range.lo) return false;

    const int64_t rank = free_rank(set, s, g, k);

    if (rank > s->line.range.hi - s->line.range.lo) return false;
    for (int c = 0; c < n; c++)
        at[c] = c == s->line.along ? s->line.range.lo + rank : group[s->line.from[c]];
    if (ids) return cairn_group_first(set, ids, at, set->global, d);
    if (!is_inside(set, s, group, at)) return false;
    memcpy(d, at, (size_t)n * sizeof *d);
    return true;
}
