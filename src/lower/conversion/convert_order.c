// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Proofs by the forms of both maps. A walk along both sequences of levels keeps what is
/// known, that is fixed: source levels that are known do not move any more, target levels
/// that are known need no order. The next source level that moves must move the next
/// target level upwards.

#include "lower/conversion/convert_order.h"

typedef struct {
    cairn_env          *env;
    cairn_algebra      *algebra;
    cairn_known        *known;
    const cairn_layout *from, *to; ///< NULL: coordinates.
    bool numbers;      ///< A number of the target's queries tells its element, and an
                       ///< element its number;
    bool       visits; ///< and some ascend as entries come.
    int        order;
    int        sources; ///< Levels of the source that can be used,
    int        levels;  ///< and of the target.
    cairn_form source[CAIRN_MAX_LEVELS], target[CAIRN_MAX_LEVELS];
    int        learned;                    ///< Forms that were told to be known,
    cairn_form form[CAIRN_MAX_LEVELS + 1]; ///< since the walk began: a row and levels.
} proof;

static cairn_form atom_form(int atom)
{
    return (cairn_form){.terms = 1, .term = {{.atom = atom, .factor = 1}}};
}

static cairn_status read_forms(proof *p)
{
    p->sources = p->order;
    p->levels  = p->to ? p->to->levels : p->order;
    for (int k = 0; k < p->order; k++)
        p->source[k] = p->target[k] = atom_form(k);
    for (int l = 0; p->from && l < p->from->levels; l++) {
        p->sources = l;
        if (p->from->level[l].indirect) break;
        CAIRN_TRY(
            cairn_form_of(p->algebra, p->from->encoding->map.expr[l], &p->source[l]));
        p->sources = l + 1;
    }
    for (int l = 0; p->to && l < p->to->levels; l++)
        CAIRN_TRY(
            cairn_form_of(p->algebra, p->to->encoding->map.expr[l], &p->target[l]));
    return CAIRN_OK;
}

static cairn_status is_known(proof *p, const cairn_form *form, bool *known)
{
    return cairn_known_solve(p->known, form, known, NULL);
}

/// Are all values of a map known?
static cairn_status is_map_known(proof *p, const cairn_map *map, bool *known)
{
    cairn_form form;

    *known = true;
    for (int f = 0; f < map->count && *known; f++) {
        CAIRN_TRY(cairn_form_of(p->algebra, map->expr[f], &form));
        CAIRN_TRY(is_known(p, &form, known));
    }
    return CAIRN_OK;
}

/// Is the element of query @p q known that an entry belongs to, or the group that is added
/// up? Of queries of queries, those whose elements are groups that were added up.
static cairn_status is_element_known(proof *p, int q, bool *known)
{
    const cairn_query *all = p->to->encoding->query, *query = &all[q];

    if (query->func == CAIRN_QUERY_SUM) return is_map_known(p, &query->group_by, known);
    if (query->arg != CAIRN_ARG_VALUE) {
        *known = all[query->arg].func == CAIRN_QUERY_SUM;
        return *known ? is_map_known(p, &all[query->arg].group_by, known) : CAIRN_OK;
    }
    *known = true;
    for (int k = 0; k < p->order && *known; k++) {
        const cairn_form dim = atom_form(k);

        CAIRN_TRY(is_known(p, &dim, known));
    }
    return CAIRN_OK;
}

/// Learn the numbers of known elements.
static cairn_status learn_numbers(proof *p, bool *grown)
{
    *grown = false;
    for (int a = 0; a < p->algebra->atoms; a++) {
        const cairn_form number = atom_form(a);
        bool             known;

        if (p->algebra->atom[a].kind != CAIRN_ATOM_QUERY) continue;
        CAIRN_TRY(is_known(p, &number, &known));
        if (known) continue;
        CAIRN_TRY(is_element_known(p, p->algebra->atom[a].number, &known));
        if (!known) continue;
        CAIRN_TRY(cairn_known_add(p->known, &number, NULL, NULL));
        *grown = true;
    }
    return CAIRN_OK;
}

/// Add what follows from a form, too.
static cairn_status add_known(proof *p, const cairn_form *form)
{
    const cairn_encoding *e     = p->numbers ? p->to->encoding : NULL;
    bool                  grown = true;

    CAIRN_TRY(cairn_known_add(p->known, form, NULL, NULL));
    while (grown) {
        CAIRN_TRY(cairn_known_close(p->known, e ? e->query : NULL, e ? e->queries : 0));
        grown = false;
        if (e) CAIRN_TRY(learn_numbers(p, &grown));
    }
    return CAIRN_OK;
}

static cairn_status learn(proof *p, const cairn_form *form)
{
    p->form[p->learned++] = *form;
    return add_known(p, form);
}

/// Is x - y known: do the two move by the same steps?
static cairn_status
is_shifted(proof *p, const cairn_form *x, const cairn_form *y, bool *shifted)
{
    cairn_form difference = *x;

    CAIRN_TRY(cairn_form_add(p->algebra, &difference, y, -1));
    return is_known(p, &difference, shifted);
}

/// floor(f/c) of what moves as @p s does, or of floor(f/c') with c' dividing c: it never
/// falls while s rises.
static cairn_status
is_quotient(proof *p, const cairn_form *t, const cairn_form *s, bool *quotient)
{
    const cairn_atom *of = cairn_form_single(p->algebra, t, CAIRN_ATOM_DIV), *finer;

    *quotient = false;
    if (!of) return CAIRN_OK;
    finer     = cairn_form_single(p->algebra, s, CAIRN_ATOM_DIV);
    *quotient = finer && of->divisor % finer->divisor == 0
                && cairn_form_equal(&of->form, &finer->form);
    return *quotient ? CAIRN_OK : is_shifted(p, &of->form, s, quotient);
}

/// The next source level after @p i that is not fixed; `sources` when there is none.
static cairn_status next_moving(proof *p, int i, int *next)
{
    bool fixed = true;

    for (*next = i + 1; *next < p->sources; ++*next) {
        CAIRN_TRY(is_known(p, &p->source[*next], &fixed));
        if (!fixed) break;
    }
    return CAIRN_OK;
}

/// Source level i and the next that moves, *low_level, are quotient and remainder of what
/// @p t moves as.
static cairn_status
is_split(proof *p, int i, const cairn_form *t, int *low_level, bool *split)
{
    const cairn_atom *high =
                         cairn_form_single(p->algebra, &p->source[i], CAIRN_ATOM_DIV),
                     *low;

    *split = false;
    if (!high) return CAIRN_OK;
    CAIRN_TRY(next_moving(p, i, low_level));
    if (*low_level >= p->sources) return CAIRN_OK;
    low = cairn_form_single(p->algebra, &p->source[*low_level], CAIRN_ATOM_MOD);
    if (!low || low->divisor != high->divisor
        || !cairn_form_equal(&low->form, &high->form))
        return CAIRN_OK;
    return is_shifted(p, &high->form, t, split);
}

/// Does an enum number all stored positions of a group from one constant on, whatever
/// their values?
static bool numbers_entries_alike(const cairn_query *query)
{
    if (query->func != CAIRN_QUERY_ENUM || query->arg != CAIRN_ARG_VALUE
        || query->distance > 0)
        return false;
    for (int k = 0; k < query->cases; k++) {
        const cairn_case *its = &query->when[k];

        if (its->var != CAIRN_ARG_VALUE || its->constant != 0) return false;
        if (its->relation == CAIRN_REL_NE) return its->start.kind == CAIRN_START_CONST;
        if (its->relation != CAIRN_REL_EQ) return false;
    }
    return query->otherwise.kind == CAIRN_START_CONST;
}

/// The query with whose number @p t rises, by the same steps or never falling, if it numbers
/// entries alike and their group is known; -1: there is none.
static cairn_status find_numbering(proof *p, const cairn_form *t, int *q)
{
    *q = -1;
    for (int a = 0; p->visits && a < p->algebra->atoms && *q < 0; a++) {
        const cairn_form   number = atom_form(a);
        const cairn_query *query;
        bool               rises;

        if (p->algebra->atom[a].kind != CAIRN_ATOM_QUERY) continue;
        query = &p->to->encoding->query[p->algebra->atom[a].number];
        if (!numbers_entries_alike(query)) continue;
        CAIRN_TRY(is_map_known(p, &query->group_by, &rises));
        if (!rises) continue;
        CAIRN_TRY(is_shifted(p, t, &number, &rises));
        if (!rises) CAIRN_TRY(is_quotient(p, t, &number, &rises));
        if (rises) *q = p->algebra->atom[a].number;
    }
    return CAIRN_OK;
}

static cairn_status walk_on(proof *p, int *end);

/// Does @p t ascend with the number of an enum that visits the entries of a known group in
/// the order in which they come?
static cairn_status is_visited(proof *p, const cairn_form *t, bool *visited)
{
    const cairn_map *by;
    cairn_status     status;
    proof           *order;
    int              q, first, end = 0;

    *visited = false;
    CAIRN_TRY(find_numbering(p, t, &q));
    if (q < 0) return CAIRN_OK;
    by    = p->to->encoding->query[q].traverse_by;
    first = by ? by->count : 0;
    if (first + p->order > CAIRN_MAX_LEVELS) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(p->env, 1, &order));
    *order        = *p;
    order->known  = NULL;
    order->visits = false;
    order->levels = first + p->order; /* those of one place come by dimensions */
    for (int k = 0; k < p->order; k++)
        order->target[first + k] = atom_form(k);
    CAIRN_GO(done, cairn_known_create(p->env, p->algebra, &order->known));
    for (int f = 0; f < first; f++)
        CAIRN_GO(done, cairn_form_of(p->algebra, by->expr[f], &order->target[f]));
    for (int f = 0; f < p->learned; f++)
        CAIRN_GO(done, add_known(order, &p->form[f]));
    order->learned = 0;
    status         = walk_on(order, &end);
    *visited       = end == order->levels;
done:
    cairn_known_destroy(p->env, &order->known);
    cairn_free(p->env, order);
    return status;
}

/// One step of the walk at source level *i and target level *j; @p ordered is false where
/// the proof ends.
static cairn_status step(proof *p, int *i, int *j, bool *ordered)
{
    const cairn_form *s = &p->source[*i], *t = &p->target[*j];
    bool              fixed;
    int               low;

    *ordered = true;
    CAIRN_TRY(is_known(p, t, &fixed));
    if (fixed) return (*j)++, CAIRN_OK;
    CAIRN_TRY(is_visited(p, t, &fixed));
    if (fixed) return learn(p, &p->target[(*j)++]);
    if (*i >= p->sources) return *ordered = false, CAIRN_OK;
    CAIRN_TRY(is_known(p, s, &fixed));
    if (fixed) return (*i)++, CAIRN_OK;
    CAIRN_TRY(is_shifted(p, t, s, &fixed));
    if (fixed) return (*i)++, learn(p, &p->target[(*j)++]);
    CAIRN_TRY(is_quotient(p, t, s, &fixed));
    if (fixed) return learn(p, &p->target[(*j)++]);
    CAIRN_TRY(is_split(p, *i, t, &low, ordered));
    if (*ordered) return *i = low + 1, learn(p, &p->target[(*j)++]);
    return CAIRN_OK;
}

/// Go on from level *end of the target, with what is known fixed, as far as levels come in
/// order.
static cairn_status walk_on(proof *p, int *end)
{
    bool ordered = true;
    int  i       = 0;

    while (ordered && *end < p->levels)
        CAIRN_TRY(step(p, &i, end, &ordered));
    return CAIRN_OK;
}

/// How far from level @p begin on the target's levels come in order, with those above
/// fixed, and dimension @p row, too, unless it is -1.
static cairn_status walk(proof *p, int row, int begin, int *end)
{
    const cairn_form dim = atom_form(row < 0 ? 0 : row);

    cairn_status status;

    p->learned = 0;
    CAIRN_TRY(cairn_known_create(p->env, p->algebra, &p->known));
    status = row < 0 ? CAIRN_OK : learn(p, &dim);
    for (int l = 0; l < begin && status == CAIRN_OK; l++)
        status = learn(p, &p->target[l]);
    *end = begin;
    if (status == CAIRN_OK) status = walk_on(p, end);
    cairn_known_destroy(p->env, &p->known);
    return status;
}

/// Through which level the tuple gives back every dimension, or only dimension @p row,
/// unless it is -1.
static cairn_status find_distinct(proof *p, int row, int *distinct)
{
    cairn_status status;
    bool         all = false;

    *distinct  = 0;
    p->learned = 0;
    CAIRN_TRY(cairn_known_create(p->env, p->algebra, &p->known));
    status = CAIRN_OK;
    for (; *distinct < p->levels && status == CAIRN_OK; ++*distinct) {
        status = learn(p, &p->target[*distinct]);
        all    = true;
        for (int k = 0; k < p->order && status == CAIRN_OK && all; k++) {
            const cairn_form dim = atom_form(k);

            if (row < 0 || k == row) status = is_known(p, &dim, &all);
        }
        if (all) break;
    }
    cairn_known_destroy(p->env, &p->known);
    return status;
}

/// Levels of a tensor that is read which have the indices of levels that are filled.
static void find_same(const proof *p, int *same)
{
    for (int l = 0; l < p->levels; l++) {
        same[l] = -1;
        for (int k = 0; p->from && k < p->sources && same[l] < 0; k++)
            if (cairn_form_equal(&p->source[k], &p->target[l])
                && cairn_form_queries(p->algebra, &p->target[l]) == 0)
                same[l] = k;
    }
}

/// Let the values of a map take the place of the target's levels.
static cairn_status aim_at(proof *p, const cairn_map *map)
{
    p->levels = map->count;
    for (int f = 0; f < map->count; f++)
        CAIRN_TRY(cairn_form_of(p->algebra, map->expr[f], &p->target[f]));
    return CAIRN_OK;
}

static void fini(proof *p)
{
    cairn_free(p->env, p->algebra);
    p->algebra = NULL;
}

static cairn_status init(proof              *p,
                         cairn_env          *env,
                         int                 order,
                         const cairn_layout *from,
                         const cairn_layout *to)
{
    p->env   = env;
    p->from  = from;
    p->to    = to;
    p->order = order;
    CAIRN_TRY(CAIRN_NEW(env, 1, &p->algebra));
    cairn_algebra_init(p->algebra, env, p->order);
    return read_forms(p);
}

/// With numbers of queries, or as if nothing followed from these.
static cairn_status find_facts(proof *p, bool numbers, cairn_convert_facts *facts)
{
    p->numbers = p->visits = numbers;
    CAIRN_TRY(init(p, p->env, p->order, p->from, p->to));
    find_same(p, facts->same);
    CAIRN_TRY(walk(p, -1, 0, &facts->sorted));
    CAIRN_TRY(
        walk(p, -1, p->to->first <= p->to->last ? p->to->first : 0, &facts->grouped));
    return find_distinct(p, -1, &facts->distinct);
}

cairn_status cairn_convert_facts_find(cairn_env           *env,
                                      const cairn_layout  *from,
                                      const cairn_layout  *to,
                                      cairn_convert_facts *facts)
{
    const bool   numbers = to->encoding->queries > 0;
    proof       *p;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &p));
    *p     = (proof){.env = env, .from = from, .to = to, .order = to->order};
    status = find_facts(p, numbers, facts);
    fini(p);
    /* The algebra holds no more: less is proved. */
    if (status == CAIRN_UNSUPPORTED && numbers) {
        status = find_facts(p, false, facts);
        fini(p);
    }
    cairn_free(env, p);
    return status;
}

cairn_status
cairn_convert_by_rows(cairn_env *env, const cairn_layout *layout, bool *by_rows)
{
    proof       *p;
    cairn_status status;
    int          sorted = 0;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &p));
    status = init(p, env, layout->order, layout, NULL);
    if (status == CAIRN_OK) status = walk(p, -1, 0, &sorted);
    if (status == CAIRN_OK) *by_rows = sorted == layout->order;
    fini(p);
    cairn_free(env, p);
    return status;
}

cairn_status cairn_convert_sorted_by(cairn_env          *env,
                                     const cairn_layout *from,
                                     const cairn_map    *map,
                                     int                *sorted)
{
    proof       *p;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &p));
    CAIRN_GO(done, init(p, env, map->order, from, NULL));
    CAIRN_GO(done, aim_at(p, map));
    status = walk(p, -1, 0, sorted);
done:
    fini(p);
    cairn_free(env, p);
    return status;
}

cairn_status cairn_convert_sorted_within(cairn_env          *env,
                                         const cairn_layout *from,
                                         const cairn_layout *to,
                                         int                 row,
                                         int                 begin,
                                         int                *sorted)
{
    proof       *p;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &p));
    CAIRN_GO(done, init(p, env, to->order, from, to));
    status = walk(p, row, begin, sorted);
done:
    fini(p);
    cairn_free(env, p);
    return status;
}

cairn_status cairn_convert_levels_to_sort(cairn_env          *env,
                                          const cairn_layout *from,
                                          const cairn_layout *to,
                                          int                *levels)
{
    const int    last   = to->last > to->partition ? to->last : to->partition;
    int          sorted = last + 1;
    proof       *p;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &p));
    *levels = last + 1;
    CAIRN_GO(done, init(p, env, to->order, from, to));
    p->numbers = p->visits = true;
    while (*levels > 0 && sorted > last) {
        CAIRN_GO(done, walk(p, -1, *levels - 1, &sorted));
        if (sorted > last) --*levels;
    }
done:
    /* The algebra holds no more: what was proved so far stands. */
    if (status == CAIRN_UNSUPPORTED) status = CAIRN_OK;
    fini(p);
    cairn_free(env, p);
    return status;
}

cairn_status
cairn_convert_known_through(cairn_env *env, const cairn_layout *to, int row, int *level)
{
    proof       *p;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &p));
    CAIRN_GO(done, init(p, env, to->order, NULL, to));
    status = find_distinct(p, row, level);
done:
    fini(p);
    cairn_free(env, p);
    return status;
}
