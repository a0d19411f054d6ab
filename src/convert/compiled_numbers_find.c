// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which queries need not be run, by their normal form. The first that is asked for is a
/// `sum(value)` to which every entry adds, so that it says which groups have entries. Over
/// one dimension it counts the entries of rows, and all others are to number rows, or the
/// entries along them; over quotients of dimensions it counts groups, and one `enum` is to
/// number these along lines.

#include "convert/compiled_blocks.h"
#include "convert/compiled_numbers.h"
#include "format/normal.h"

/// Queries while they are looked through.
typedef struct {
    cairn_member_build   *m;
    const cairn_build    *build;
    const cairn_encoding *encoding;
    cairn_algebra        *algebra;
    int                   sum;    ///< The first query.
    uint32_t              tables; ///< Bit q: query q gives every row a number.
    cairn_blocks         *b;
    cairn_form            form[CAIRN_MAX_LEVELS]; ///< Of the sum's groupBy.
    uint32_t              taken;                  ///< Those that `b` has.
} finder;

static bool is_constant(const cairn_start *start, int64_t value)
{
    return start->kind == CAIRN_START_CONST && start->value == value;
}

/// Where an enum that numbers elements with an entry from 0, apart from the others, begins
/// with these; NULL: it does not.
static const cairn_start *others_of(const cairn_query *query)
{
    const cairn_start *some, *others;
    bool               apart;

    return cairn_query_starts(query, &some, &others, &apart) && apart
                   && is_constant(some, 0)
               ? others
               : NULL;
}

/* ---- numbers of rows, and along them ---- */

/// Do a map's values follow from the row and its numbers?
static cairn_status is_by_row(const finder *f, const cairn_map *map, bool *by_row)
{
    for (int k = 0; map && k < map->count && *by_row; k++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(f->algebra, map->expr[k], &form));
        *by_row = (cairn_form_dims(f->algebra, &form) & ~(1U << f->m->rows.row)) == 0
                  && (cairn_form_queries(f->algebra, &form) & ~f->tables) == 0;
    }
    return CAIRN_OK;
}

/// Keys by which it sorts, at most.
static int keys_of(const cairn_query *query)
{
    return query->group_by.count + 2
           + (query->traverse_by ? query->traverse_by->count : 0);
}

/// Does it number the entries along rows, from 0, and all other positions from their counts
/// on? Rows in order: entries are dealt out, or read, by them.
static bool numbers_entries(const finder *f, const cairn_query *query)
{
    const cairn_start *others = others_of(query);

    return f->m->rows.row == 0 && cairn_query_counts(&f->encoding->query[f->sum], 1)
           && query->arg == CAIRN_ARG_VALUE && cairn_query_dimension(query) == 0
           && cairn_query_line(query) >= 0 && others
           && others->kind == CAIRN_START_QUERY && others->value == f->sum;
}

static cairn_status look_at(finder *f, int q, bool *fits)
{
    const cairn_query *query = &f->encoding->query[q];

    *fits = false;
    switch (query->func) {
    case CAIRN_QUERY_SUM: return CAIRN_OK;
    case CAIRN_QUERY_ENUM:
        *fits            = !f->m->rows.along && numbers_entries(f, query);
        f->m->rows.along = true;
        f->m->rows.slot  = q;
        f->m->rows.col   = cairn_query_line(query);
        return CAIRN_OK;
    default: break;
    }
    *fits = query->arg == f->sum && !query->shorthand && query->cases == 0
            && keys_of(query) <= CAIRN_MAX_LEVELS;
    CAIRN_TRY(is_by_row(f, &query->group_by, fits));
    CAIRN_TRY(is_by_row(f, query->traverse_by, fits));
    f->tables |= 1U << q;
    return CAIRN_OK;
}

/// Is a level's form this atom, by itself?
static bool
is_level(const cairn_layout *layout, int l, cairn_atom_kind kind, int number)
{
    const cairn_atom *atom =
        cairn_form_single(layout->algebra, &layout->level[l].form, kind);

    return atom && atom->number == number;
}

/// Do the entries of a row stand in a lane that the row alone gives, and is all that is
/// determined the row's, but a last level that is the column?
static bool has_lanes(const cairn_layout *layout, const cairn_numbered_rows *rows)
{
    const int      S = layout->first, last = layout->levels - 1;
    const uint32_t row = 1U << rows->row, number = 1U << rows->slot;

    if (S != layout->last || S == last || layout->tuples > 0
        || (S > 0 && !layout->level[S].has_ptr) || layout->level[S].gaps
        || layout->partition >= 0 || !is_level(layout, S, CAIRN_ATOM_QUERY, rows->slot)
        || !layout->level[last].determined || !layout->level[last].per_node
        || !is_level(layout, last, CAIRN_ATOM_DIM, rows->col))
        return false;
    for (int l = 0; l < last; l++) {
        const cairn_level *level = &layout->level[l];

        if (l == S) continue;
        if ((cairn_form_dims(layout->algebra, &level->form) & ~row)
            || (cairn_form_queries(layout->algebra, &level->form) & number)
            || (level->determined && (level->per_node || level->by >> S & 1)))
            return false;
    }
    return true;
}

/// Without numbers along rows nothing may be padded by a query.
static bool fits_layout(const cairn_member_build *m, const cairn_layout *layout)
{
    if (m->rows.along)
        return has_lanes(layout, &m->rows)
               && cairn_method_allowed(m->env, &cairn_method_row_slots);
    for (int l = 0; l < layout->levels; l++)
        if (layout->level[l].determined || layout->level[l].gaps) return false;
    return true;
}

/// The sum counts the entries of rows; are the others about these? Sets `rows` of the
/// member.
static cairn_status find_rows(finder *f, bool *fits)
{
    cairn_numbered_rows *rows   = &f->m->rows;
    const cairn_build   *build  = f->build;
    cairn_layout        *layout = NULL;

    *fits = cairn_query_dimension(&f->encoding->query[f->sum]) >= 0;
    if (!*fits) return CAIRN_OK;
    rows->count = f->sum;
    rows->row   = cairn_query_dimension(&f->encoding->query[f->sum]);
    *fits       = !build->net
            || (rows->row == 0 && build->shape.extent[0] <= (int64_t)UINT32_MAX);
    f->tables = 1U << f->sum;
    for (int q = cairn_encoding_next_query(f->encoding, f->sum + 1);
         q < f->encoding->queries && *fits;
         q = cairn_encoding_next_query(f->encoding, q + 1))
        CAIRN_TRY(look_at(f, q, fits));
    rows->tables = f->tables;
    if (!*fits) return CAIRN_OK;
    CAIRN_TRY(cairn_layout_create(f->m->env, f->encoding, build->shape.extent,
                                  build->box, NULL, build->value_bits, &layout));
    *fits = fits_layout(f->m, layout);
    cairn_layout_destroy(f->m->env, &layout);
    return CAIRN_OK;
}

/* ---- numbers of groups along lines: expressions ---- */

/// Is a form a dimension, or its quotient?
static bool is_quotient(const cairn_algebra *algebra,
                        const cairn_form    *form,
                        int                 *dim,
                        int64_t             *divisor)
{
    const cairn_atom *atom = cairn_form_single(algebra, form, CAIRN_ATOM_DIV);

    *divisor = atom ? atom->divisor : 1;
    *dim     = cairn_form_dimension(atom ? &atom->form : form, algebra->order);
    return *dim >= 0;
}

/// All expressions quotients, each of a dimension of its own.
static cairn_status read_groups(finder *f, bool *fits)
{
    const cairn_map *map  = &f->encoding->query[f->sum].group_by;
    uint32_t         dims = 0;

    for (int g = 0; g < map->count && *fits; g++) {
        int     dim;
        int64_t divisor;

        CAIRN_TRY(cairn_form_of(f->algebra, map->expr[g], &f->form[g]));
        *fits =
            is_quotient(f->algebra, &f->form[g], &dim, &divisor) && !(dims >> dim & 1);
        if (*fits) dims |= 1U << dim;
    }
    return CAIRN_OK;
}

/// The next of our expressions is number @p g of the sum's.
static void take(finder *f, int g)
{
    const cairn_query *sum = &f->encoding->query[f->sum];
    cairn_blocks      *b   = f->b;
    const int          k   = b->forms++;

    (void)is_quotient(f->algebra, &f->form[g], &b->form[k].dim, &b->form[k].divisor);
    b->form[k].given          = g;
    b->query.group_by.expr[k] = sum->group_by.expr[g];
    f->taken |= 1U << g;
}

/// Which of the sum's expressions this is; -1: none.
static cairn_status find_expr(finder *f, const cairn_expr *expr, int *g)
{
    cairn_form form;

    CAIRN_TRY(cairn_form_of(f->algebra, expr, &form));
    *g = f->encoding->query[f->sum].group_by.count - 1;
    while (*g >= 0 && !cairn_form_equal(&form, &f->form[*g]))
        --*g;
    return CAIRN_OK;
}

/// Lines first, in the order of the enum's groupBy; then what it traverses; then the rest
/// in the order of the sum's, by which it goes where the traversal says nothing.
static cairn_status order_groups(finder *f, bool *fits)
{
    const cairn_query *slot = &f->encoding->query[f->b->slot];
    const int          all  = f->encoding->query[f->sum].group_by.count;
    int                g;

    for (int k = 0; k < slot->group_by.count && *fits; k++) {
        CAIRN_TRY(find_expr(f, slot->group_by.expr[k], &g));
        *fits = g >= 0 && !(f->taken >> g & 1);
        if (*fits) take(f, g);
    }
    f->b->outer = f->b->forms;
    for (int k = 0; slot->traverse_by && k < slot->traverse_by->count && *fits; k++) {
        CAIRN_TRY(find_expr(f, slot->traverse_by->expr[k], &g));
        *fits = g >= 0;
        if (*fits && !(f->taken >> g & 1)) take(f, g);
    }
    for (g = 0; g < all && *fits; g++)
        if (!(f->taken >> g & 1)) take(f, g);
    f->b->row = f->b->outer - 1;
    while (f->b->row >= 0 && f->b->form[f->b->row].dim != 0)
        f->b->row--;
    *fits = *fits && f->b->outer < f->b->forms;
    return CAIRN_OK;
}

/// Does another query have the enum's lines?
static cairn_status has_lines(finder *f, const cairn_map *map, bool *same)
{
    uint32_t lines = 0;
    int      g;

    *same = map->count == f->b->outer;
    for (int k = 0; k < map->count && *same; k++) {
        CAIRN_TRY(find_expr(f, map->expr[k], &g));
        *same = g >= 0 && !(lines >> g & 1);
        if (*same) lines |= 1U << g;
    }
    for (int k = 0; k < f->b->outer && *same; k++)
        *same = lines >> f->b->form[k].given & 1;
    return CAIRN_OK;
}

/* ---- numbers of groups along lines: queries ---- */

/// An enum of the sum's groups that numbers those with entries from 0, apart from others:
/// these are the groups whose sum is not 0.
static bool is_slot(finder *f)
{
    const cairn_query *slot   = &f->encoding->query[f->b->slot];
    const cairn_start *others = others_of(slot);

    if (slot->func != CAIRN_QUERY_ENUM || slot->arg != f->sum || slot->distance
        || !others)
        return false;
    f->b->width = others->kind == CAIRN_START_QUERY ? (int)others->value : -1;
    return others->kind != CAIRN_START_CONST;
}

/// A sum that counts the groups with entries of every line.
static cairn_status is_width(finder *f, bool *fits)
{
    const cairn_query *width = &f->encoding->query[f->b->width];
    const cairn_start *some, *none;
    bool               apart;

    *fits = width->func == CAIRN_QUERY_SUM && width->arg == f->sum
            && cairn_query_starts(width, &some, &none, &apart) && is_constant(some, 1)
            && is_constant(none, 0);
    return *fits ? has_lines(f, &width->group_by, fits) : CAIRN_OK;
}

/// Does the map use no number but the slot's?
static cairn_status uses_slot_only(finder *f, bool *fits)
{
    const cairn_map *map = &f->encoding->map;

    for (int l = 0; l < map->count && *fits; l++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(f->algebra, map->expr[l], &form));
        *fits = (cairn_form_queries(f->algebra, &form) & ~(1U << f->b->slot)) == 0;
    }
    return CAIRN_OK;
}

/// The enum, and how many queries are asked for.
static int find_slot(const cairn_encoding *e, int *asked)
{
    int slot = -1;

    *asked = 0;
    for (int q = cairn_encoding_next_query(e, 0); q < e->queries;
         q     = cairn_encoding_next_query(e, q + 1)) {
        ++*asked;
        if (e->query[q].func == CAIRN_QUERY_ENUM) slot = q;
    }
    return slot;
}

/// The sum counts groups; is there an enum that numbers them, and nothing else but what
/// this needs? Sets `b`.
static cairn_status find_blocks(finder *f, bool *fits)
{
    cairn_blocks *b;
    int           asked;

    *fits = cairn_blocks_has_all(f->build, f->build->net != NULL);
    if (!*fits) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(f->m->env, 1, &f->b));
    b        = f->b;
    b->sum   = f->sum;
    b->query = f->encoding->query[f->sum];
    b->slot  = find_slot(f->encoding, &asked);
    *fits    = b->slot >= 0 && is_slot(f) && asked == (b->width >= 0 ? 3 : 2);
    if (*fits) CAIRN_TRY(read_groups(f, fits));
    if (*fits) CAIRN_TRY(order_groups(f, fits));
    if (*fits && b->width >= 0) CAIRN_TRY(is_width(f, fits));
    if (*fits) CAIRN_TRY(uses_slot_only(f, fits));
    return CAIRN_OK;
}

/* ---- all ---- */

static bool adds_every_entry(const cairn_query *query)
{
    return query->func == CAIRN_QUERY_SUM && query->arg == CAIRN_ARG_VALUE
           && cairn_sum_counts_each(query);
}

cairn_status cairn_numbers_find(cairn_member_build *m, const cairn_build *build)
{
    finder       f    = {.m        = m,
                         .build    = build,
                         .encoding = m->encoding,
                         .sum      = cairn_encoding_next_query(m->encoding, 0)};
    bool         rows = false, blocks = false;
    cairn_status status;

    if (f.sum >= m->encoding->queries || !adds_every_entry(&m->encoding->query[f.sum]))
        return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(m->env, 1, &f.algebra));
    cairn_algebra_init(f.algebra, m->env, build->shape.order);
    status        = find_rows(&f, &rows);
    m->rows.on    = rows && status == CAIRN_OK;
    m->rows.along = m->rows.along && m->rows.on;
    if (status == CAIRN_OK && !rows) status = find_blocks(&f, &blocks);
    if (status == CAIRN_OK && blocks)
        m->blocks = f.b;
    else
        cairn_free(m->env, f.b);
    cairn_free(m->env, f.algebra);
    return status;
}
