// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups and keys in normal form.
///
/// Where the order of groups does not matter they are a closed space, and written by its
/// basis. Keys order elements that agree in what comes before them: whatever of a key is
/// known from there is left out, what remains is scaled, and where it grows (or falls)
/// with one coordinate alone it is that coordinate. Elements that agree in all keys come
/// in the order of their coordinates, so that keys at the end which say so go.
///
/// Coordinates are the dimensions of a position, or, for the groups of a query, its
/// groupBy expressions if each is a dimension or a floor.

#include "format/normal_steps.h"

#include <string.h>

/// How a form changes along one coordinate while all that is known stays.
typedef enum { CONSTANT, UP, UP_STRICTLY, DOWN, DOWN_STRICTLY, MIXED } course;

/// What orders the elements of a query.
typedef struct {
    cairn_normal *n;
    int           coordinates;
    int           coordinate[CAIRN_MAX_LEVELS]; ///< Atoms, in the order of ids.
    bool          replaced;                     ///< In keys, dimension k becomes
    int           atom[CAIRN_MAX_ORDER];
    int64_t       by[CAIRN_MAX_ORDER]; ///< so many times this atom.
} elements;

/* ---- courses ---- */

static cairn_form atom_form(int atom)
{
    return (cairn_form){.terms = 1, .term = {{atom, 1}}};
}

static course flip(course c)
{
    switch (c) {
    case UP: return DOWN;
    case DOWN: return UP;
    case UP_STRICTLY: return DOWN_STRICTLY;
    case DOWN_STRICTLY: return UP_STRICTLY;
    default: return c;
    }
}

static bool goes_up(course c)
{
    return c == UP || c == UP_STRICTLY;
}

static bool goes_down(course c)
{
    return c == DOWN || c == DOWN_STRICTLY;
}

static course join(course a, course b)
{
    if (a == CONSTANT) return b;
    if (b == CONSTANT) return a;
    if (goes_up(a) && goes_up(b)) return a == UP ? b : a;
    if (goes_down(a) && goes_down(b)) return a == DOWN ? b : a;
    return MIXED;
}

static cairn_status
course_of(const cairn_space *known, const cairn_form *form, int along, course *course);

static cairn_status
course_of_atom(const cairn_space *known, int a, int along, course *c)
{
    const cairn_algebra *algebra = known->algebra;
    const cairn_atom    *atom    = &algebra->atom[a];
    const cairn_form     form    = atom_form(a);
    bool                 given;

    *c = UP_STRICTLY;
    if (a == along) return CAIRN_OK;
    CAIRN_TRY(cairn_space_knows(known, &form, &given));
    *c = given ? CONSTANT : MIXED;
    if (given || atom->kind != CAIRN_ATOM_DIV) return CAIRN_OK;
    if (cairn_floor_coarsens(algebra, a, along)) {
        *c = UP;
        return CAIRN_OK;
    }
    CAIRN_TRY(course_of(known, &atom->form, along, c));
    if (*c == UP_STRICTLY) *c = UP;
    if (*c == DOWN_STRICTLY) *c = DOWN;
    return CAIRN_OK;
}

static cairn_status
course_of(const cairn_space *known, const cairn_form *form, int along, course *c)
{
    *c = CONSTANT;
    for (int t = 0; t < form->terms; t++) {
        course one;

        CAIRN_TRY(course_of_atom(known, form->term[t].atom, along, &one));
        *c = join(*c, form->term[t].factor > 0 ? one : flip(one));
    }
    return CAIRN_OK;
}

/// The coordinate along which alone a form changes, and how; -1: there is none.
static cairn_status find_course(const elements    *e,
                                const cairn_space *known,
                                const cairn_form  *form,
                                int               *along,
                                course            *c)
{
    *along = -1;
    for (int k = 0; k < e->coordinates; k++) {
        CAIRN_TRY(course_of(known, form, e->coordinate[k], c));
        if (*c == MIXED || *c == CONSTANT) continue;
        *along = e->coordinate[k];
        break;
    }
    return CAIRN_OK;
}

/* ---- keys ---- */

static cairn_status know_first(const cairn_space     *base,
                               const cairn_form_list *keys,
                               int                    count,
                               cairn_space           *known)
{
    *known = *base;
    for (int k = 0; k < count; k++)
        CAIRN_TRY(cairn_space_add(known, &keys->form[k]));
    return CAIRN_OK;
}

/// Reduce keys one after the other.
static cairn_status reduce_keys(const elements    *e,
                                const cairn_space *base,
                                cairn_space       *known,
                                cairn_form_list   *keys)
{
    int n = 0;

    *known = *base;
    for (int k = 0; k < keys->n; k++) {
        cairn_form key = keys->form[k];
        course     c;
        int        along;

        CAIRN_TRY(cairn_space_reduce(known, &key));
        if (key.terms == 0) continue;
        CAIRN_TRY(find_course(e, known, &key, &along, &c));
        if (along >= 0 && (c == UP_STRICTLY || c == DOWN_STRICTLY))
            key =
                (cairn_form){.terms = 1, .term = {{along, c == UP_STRICTLY ? 1 : -1}}};
        CAIRN_TRY(cairn_space_add(known, &key));
        keys->form[n++] = key;
    }
    keys->n = n;
    return CAIRN_OK;
}

static void drop_key(cairn_form_list *keys, int k)
{
    keys->n--;
    memmove(keys->form + k, keys->form + k + 1,
            (size_t)(keys->n - k) * sizeof *keys->form);
}

/// Drop keys that go with the coordinate which is the key after them.
static cairn_status drop_before(const elements    *e,
                                const cairn_space *base,
                                cairn_space       *known,
                                cairn_form_list   *keys)
{
    for (int k = keys->n - 2; k >= 0; k--) {
        const cairn_form *next = &keys->form[k + 1];
        course            c;
        int               along;

        CAIRN_TRY(know_first(base, keys, k, known));
        CAIRN_TRY(find_course(e, known, &keys->form[k], &along, &c));
        if (along >= 0 && next->terms == 1 && next->term[0].atom == along
            && (next->term[0].factor > 0 ? goes_up(c) : goes_down(c)))
            drop_key(keys, k);
    }
    return CAIRN_OK;
}

/// The first coordinate that is open; -1: none.
static cairn_status find_open(const elements *e, const cairn_space *known, int *open)
{
    *open = -1;
    for (int k = 0; k < e->coordinates && *open < 0; k++) {
        const cairn_form form = atom_form(e->coordinate[k]);
        bool             given;

        CAIRN_TRY(cairn_space_knows(known, &form, &given));
        if (!given) *open = e->coordinate[k];
    }
    return CAIRN_OK;
}

/// Drop keys at the end that say no more than the order of ids.
static cairn_status drop_last(const elements    *e,
                              const cairn_space *base,
                              cairn_space       *known,
                              cairn_form_list   *keys)
{
    while (keys->n > 0) {
        course c;
        int    open;

        CAIRN_TRY(know_first(base, keys, keys->n - 1, known));
        CAIRN_TRY(find_open(e, known, &open));
        if (open < 0) return CAIRN_OK;
        CAIRN_TRY(course_of(known, &keys->form[keys->n - 1], open, &c));
        if (!goes_up(c)) return CAIRN_OK;
        keys->n--;
    }
    return CAIRN_OK;
}

/* ---- maps and forms ---- */

static cairn_status
read_map(cairn_normal *n, const cairn_map *map, cairn_form_list *list)
{
    list->n = map ? map->count : 0;
    for (int k = 0; k < list->n; k++)
        CAIRN_TRY(cairn_plain_form(n->algebra, n->alias, map->expr[k], &list->form[k]));
    return CAIRN_OK;
}

static cairn_status
write_map(const cairn_normal *n, int forms, const cairn_form *form, cairn_map *map)
{
    CAIRN_CHECK(forms <= CAIRN_MAX_LEVELS, n->env, CAIRN_UNSUPPORTED,
                "format: a query has more than %d forms", CAIRN_MAX_LEVELS);
    map->order = n->written->map.order;
    map->count = forms;
    for (int f = 0; f < forms; f++)
        CAIRN_TRY(cairn_plain_expr(n->algebra, n->arena, &form[f], &map->expr[f]));
    return CAIRN_OK;
}

/// A map behind a pointer; NULL where there are no forms.
static cairn_status write_pointed(const cairn_normal *n,
                                  int                 forms,
                                  const cairn_form   *form,
                                  const cairn_map   **map)
{
    cairn_map *made;

    *map = NULL;
    if (forms == 0) return CAIRN_OK;
    CAIRN_TRY(CAIRN_ARENA_NEW(n->arena, 1, &made));
    CAIRN_TRY(write_map(n, forms, form, made));
    *map = made;
    return CAIRN_OK;
}

static cairn_status know_map(cairn_normal *n, const cairn_map *map, cairn_space *known)
{
    known->algebra = n->algebra;
    known->rows    = 0;
    return cairn_space_know_map(known, n->alias, map);
}

cairn_status cairn_normal_groups(cairn_normal *n, const cairn_map *map, cairn_map *made)
{
    int rows;

    n->space[0].algebra = n->algebra;
    CAIRN_TRY(
        cairn_space_map_basis(&n->space[0], n->alias, map, &rows, n->list[0].form));
    return write_map(n, rows, n->list[0].form, made);
}

cairn_status cairn_normal_same_map(cairn_normal    *n,
                                   const cairn_map *a,
                                   const cairn_map *b,
                                   bool            *same)
{
    *same = (a ? a->count : 0) == (b ? b->count : 0);
    for (int k = 0; a && k < a->count && *same; k++) {
        cairn_form x, y;

        CAIRN_TRY(cairn_plain_form(n->algebra, n->alias, a->expr[k], &x));
        CAIRN_TRY(cairn_plain_form(n->algebra, n->alias, b->expr[k], &y));
        *same = cairn_form_equal(&x, &y);
    }
    return CAIRN_OK;
}

/* ---- elements ---- */

/// The dimension that an atom is, or divides; -1: it is more.
static int dimension_of(const cairn_algebra *algebra, int a, int64_t *divisor)
{
    const cairn_atom *atom = &algebra->atom[a];

    *divisor = 1;
    if (atom->kind == CAIRN_ATOM_DIM) return atom->number;
    if (atom->kind != CAIRN_ATOM_DIV) return -1;
    *divisor = atom->divisor;
    return cairn_form_dimension(&atom->form, algebra->order);
}

/// Groups of quotients, each of a dimension of its own, have their first position where
/// each of these is the quotient times its divisor, and each other dimension 0.
static void find_first(elements *e)
{
    const cairn_algebra *algebra = e->n->algebra;

    memset(e->by, 0, sizeof e->by);
    memset(e->atom, 0, sizeof e->atom);
    e->replaced = true;
    for (int k = 0; k < e->coordinates && e->replaced; k++) {
        int64_t   divisor;
        const int d = dimension_of(algebra, e->coordinate[k], &divisor);

        e->replaced = d >= 0 && e->by[d] == 0;
        if (!e->replaced) return;
        e->atom[d] = e->coordinate[k];
        e->by[d]   = divisor;
    }
}

static cairn_status find_elements(cairn_normal *n, const cairn_query *q, elements *e)
{
    *e = (elements){.n = n};
    if (q->arg < 0) {
        e->coordinates = n->written->map.order;
        for (int k = 0; k < e->coordinates; k++)
            e->coordinate[k] = k;
        return CAIRN_OK;
    }
    const cairn_map *groups = &n->made->query[q->arg].group_by;

    for (int k = 0; k < groups->count; k++) {
        cairn_form form;

        CAIRN_TRY(cairn_plain_form(n->algebra, n->alias, groups->expr[k], &form));
        e->coordinate[k] = cairn_form_atom(&form);
        if (e->coordinate[k] < 0
            || n->algebra->atom[e->coordinate[k]].kind == CAIRN_ATOM_QUERY)
            return CAIRN_OK; /* nothing is known of the order of ids */
    }
    e->coordinates = groups->count;
    find_first(e);
    return CAIRN_OK;
}

/// Keys as they are at the first position of a group.
static cairn_status
read_keys(const elements *e, const cairn_map *map, cairn_form_list *keys)
{
    CAIRN_TRY(read_map(e->n, map, keys));
    for (int k = 0; k < keys->n && e->replaced; k++)
        CAIRN_TRY(cairn_plain_replace(e->n->algebra, e->atom, e->by, &keys->form[k],
                                      &keys->form[k]));
    return CAIRN_OK;
}

/* ---- the maps of a query ---- */

/// `traverseBy (d0/2)` that stands for 2 buckets means the order of d0.
static cairn_status spell_out(cairn_normal *n, cairn_query *q)
{
    cairn_map *order;

    if (!q->shorthand) return CAIRN_OK;
    CAIRN_TRY(CAIRN_ARENA_NEW(n->arena, 1, &order));
    *order         = *q->traverse_by;
    order->expr[0] = order->expr[0]->a;
    q->traverse_by = order;
    q->shorthand   = false;
    return CAIRN_OK;
}

/// Places run on over the groups of a reorder: their order counts.
static cairn_status normalise_windows(const elements *e, cairn_query *q)
{
    cairn_normal    *n    = e->n;
    cairn_form_list *keys = &n->list[1];

    n->space[0].algebra = n->algebra;
    n->space[0].rows    = 0;
    CAIRN_TRY(read_map(n, &q->group_by, keys));
    CAIRN_TRY(reduce_keys(e, &n->space[0], &n->space[1], keys));
    CAIRN_TRY(drop_before(e, &n->space[0], &n->space[1], keys));
    return write_map(n, keys->n, keys->form, &q->group_by);
}

static cairn_status normalise_keys(const elements *e, cairn_query *q)
{
    cairn_normal    *n    = e->n;
    cairn_form_list *keys = &n->list[1];

    CAIRN_TRY(cairn_space_enter_map(n->algebra, n->alias, &q->group_by));
    CAIRN_TRY(read_keys(e, q->traverse_by, keys));
    CAIRN_TRY(know_map(n, &q->group_by, &n->space[0]));
    CAIRN_TRY(reduce_keys(e, &n->space[0], &n->space[1], keys));
    CAIRN_TRY(drop_before(e, &n->space[0], &n->space[1], keys));
    CAIRN_TRY(drop_last(e, &n->space[0], &n->space[1], keys));
    return write_pointed(n, keys->n, keys->form, &q->traverse_by);
}

/// What keeps a distance: groups within the groups. What follows from the groups and the
/// expressions before says nothing.
static cairn_status normalise_by(cairn_normal *n, cairn_query *q)
{
    cairn_form_list *by = &n->list[1];
    int              rows, kept = 0;

    if (!q->distance_by) return CAIRN_OK;
    CAIRN_TRY(cairn_space_enter_map(n->algebra, n->alias, &q->group_by));
    CAIRN_TRY(read_map(n, q->distance_by, by));
    CAIRN_TRY(know_map(n, &q->group_by, &n->space[0]));
    CAIRN_TRY(know_first(&n->space[0], by, by->n, &n->space[1]));
    CAIRN_TRY(cairn_space_basis(&n->space[1], NULL, &rows, by->form));
    for (int r = 0; r < rows; r++) {
        bool known;

        CAIRN_TRY(cairn_space_knows(&n->space[0], &by->form[r], &known));
        if (known) continue;
        CAIRN_TRY(cairn_space_add(&n->space[0], &by->form[r]));
        by->form[kept++] = by->form[r];
    }
    return write_pointed(n, kept, by->form, &q->distance_by);
}

/// Do groups and keys of a query that orders the groups of @p sum tell all of them apart?
static cairn_status separates(cairn_normal *n, int r, const cairn_map *sum, bool *apart)
{
    const cairn_query *q = &n->written->query[r];

    CAIRN_TRY(cairn_space_enter_map(n->algebra, n->alias, sum));
    CAIRN_TRY(cairn_space_enter_map(n->algebra, n->alias, q->traverse_by));
    CAIRN_TRY(know_map(n, &q->group_by, &n->space[0]));
    for (int k = 0; q->traverse_by && k < q->traverse_by->count && !q->shorthand; k++) {
        cairn_form form;

        CAIRN_TRY(
            cairn_plain_form(n->algebra, n->alias, q->traverse_by->expr[k], &form));
        CAIRN_TRY(cairn_space_add(&n->space[0], &form));
    }
    for (int k = 0; k < sum->count && *apart; k++) {
        cairn_form form;

        CAIRN_TRY(cairn_plain_form(n->algebra, n->alias, sum->expr[k], &form));
        CAIRN_TRY(cairn_space_knows(&n->space[0], &form, apart));
    }
    return CAIRN_OK;
}

/// Does a later query order groups by what the expressions of query @p q are?
static cairn_status order_matters(cairn_normal *n, int q, bool *matters)
{
    bool apart = true;

    for (int r = q + 1; r < n->written->queries && apart; r++)
        if (n->written->query[r].func != CAIRN_QUERY_SUM
            && n->alias[n->written->query[r].arg < 0 ? r : n->written->query[r].arg]
                   == q)
            CAIRN_TRY(separates(n, r, &n->written->query[q].group_by, &apart));
    *matters = !apart;
    return CAIRN_OK;
}

/// Does a map use numbers that an enum gives, and may not give?
static bool uses_enum(const cairn_encoding *e, const cairn_expr *expr)
{
    if (expr->op == CAIRN_EXPR_QUERY || expr->op == CAIRN_EXPR_INDIRECT)
        return e->query[expr->value].func == CAIRN_QUERY_ENUM;
    return (expr->a && uses_enum(e, expr->a)) || (expr->b && uses_enum(e, expr->b));
}

static bool map_uses_enum(const cairn_encoding *e, const cairn_map *map)
{
    for (int k = 0; map && k < map->count; k++)
        if (uses_enum(e, map->expr[k])) return true;
    return false;
}

cairn_status cairn_normal_maps(cairn_normal *n, int q)
{
    cairn_query *query   = &n->made->query[q];
    bool         ordered = query->func == CAIRN_QUERY_REORDER;
    elements     e;

    CAIRN_TRY(spell_out(n, query));
    if (map_uses_enum(n->written, &query->group_by)
        || map_uses_enum(n->written, query->traverse_by)
        || map_uses_enum(n->written, query->distance_by))
        return CAIRN_OK;
    CAIRN_TRY(find_elements(n, query, &e));
    if (query->func == CAIRN_QUERY_SUM) CAIRN_TRY(order_matters(n, q, &ordered));
    CAIRN_TRY(ordered ? normalise_windows(&e, query)
                      : cairn_normal_groups(n, &query->group_by, &query->group_by));
    if (query->func == CAIRN_QUERY_SUM) {
        query->traverse_by = NULL;
        return CAIRN_OK;
    }
    CAIRN_TRY(normalise_keys(&e, query));
    return normalise_by(n, query);
}
