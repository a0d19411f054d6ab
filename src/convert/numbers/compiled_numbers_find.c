// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which queries functions answer, each judged by itself from its normal form and from what
/// was found of the earlier queries that it names. Three operations are known to functions:
/// a sum to which every entry adds counts groups; a `reorder` or `schedule` of rows by such
/// a sum gives every row a number; an `enum` numbers such groups, or entries, along lines.
/// What is left, and what that asks for, is run on coordinates.

#include "convert/numbers/compiled_blocks.h"
#include "convert/numbers/compiled_numbers.h"
#include "format/normal.h"

/// Queries while they are looked through.
typedef struct {
    cairn_member_build   *m;
    const cairn_build    *build;
    const cairn_encoding *encoding;
    cairn_algebra        *algebra;
    cairn_layout         *layout; ///< Before any number is known.
    uint32_t              used;   ///< Queries that the map uses,
    uint32_t              counts; ///< sums to which every entry adds.
    bool                  padded; ///< Positions without an entry have indices.
    cairn_blocks         *b;
    int                   forms;
    cairn_form            form[CAIRN_MAX_LEVELS]; ///< Of the sum's groupBy,
    uint32_t              taken;                  ///< and those that `b` has.
} finder;

static const cairn_query *query_of(const finder *f, int q)
{
    return &f->encoding->query[q];
}

static bool is_spread(const finder *f)
{
    return f->build->net && f->build->net->size > 1;
}

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

    return query->func == CAIRN_QUERY_ENUM && !query->distance
                   && cairn_query_starts(query, &some, &others, &apart) && apart
                   && is_constant(some, 0)
               ? others
               : NULL;
}

/// Queries that the expressions of a map use.
static cairn_status add_uses(finder *f, const cairn_map *map, uint32_t *uses)
{
    for (int k = 0; map && k < map->count; k++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(f->algebra, map->expr[k], &form));
        *uses |= cairn_form_queries(f->algebra, &form);
    }
    return CAIRN_OK;
}

/* ---- numbers of rows ---- */

/// Do a map's values follow from the row and its numbers?
static cairn_status is_by_row(const finder *f, const cairn_map *map, bool *by_row)
{
    for (int k = 0; map && k < map->count && *by_row; k++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(f->algebra, map->expr[k], &form));
        *by_row = (cairn_form_dims(f->algebra, &form) & ~(1U << f->m->rows.row)) == 0
                  && (cairn_form_queries(f->algebra, &form) & ~f->m->rows.tables) == 0;
    }
    return CAIRN_OK;
}

/// Keys by which it sorts, at most.
static int keys_of(const cairn_query *query)
{
    return query->group_by.count + 2
           + (query->traverse_by ? query->traverse_by->count : 0);
}

/// Let this sum be the one that counts rows, of several ranks those of each; false: another
/// does, or it counts no rows.
static bool take_count(finder *f, int sum)
{
    cairn_numbered_rows *const rows = &f->m->rows;
    const int row = sum < 0 ? -1 : cairn_query_dimension(query_of(f, sum));

    if (rows->on) return rows->count == sum;
    if (row < 0 || !(f->counts >> sum & 1)) return false;
    if (f->build->net && (row != 0 || f->build->shape.extent[0] > (int64_t)UINT32_MAX))
        return false;
    *rows = (cairn_numbered_rows){
        .on = true, .row = row, .count = sum, .tables = 1U << sum};
    return true;
}

/// Does the query give every row a number?
static cairn_status find_table(finder *f, int q)
{
    const cairn_query *query = query_of(f, q);
    bool               fits  = true;

    if (query->func == CAIRN_QUERY_SUM) {
        if (f->used >> q & 1) (void)take_count(f, q);
        return CAIRN_OK;
    }
    if (query->func == CAIRN_QUERY_ENUM || query->shorthand || query->cases > 0
        || keys_of(query) > CAIRN_MAX_LEVELS || !take_count(f, query->arg))
        return CAIRN_OK;
    CAIRN_TRY(is_by_row(f, &query->group_by, &fits));
    CAIRN_TRY(is_by_row(f, query->traverse_by, &fits));
    if (fits) f->m->rows.tables |= 1U << q;
    return CAIRN_OK;
}

/* ---- numbers along rows ---- */

/// Is a level's form this atom, by itself?
static bool
is_level(const cairn_layout *layout, int l, cairn_atom_kind kind, int number)
{
    const cairn_atom *atom =
        cairn_form_single(layout->algebra, &layout->level[l].form, kind);

    return atom && atom->number == number;
}

/// Has any index a place in tuples? Which these are, layouts with extents say.
static bool is_packed(const cairn_layout *layout)
{
    const cairn_encoding *e = layout->encoding;

    for (int p = 0; p < e->packs; p++)
        for (int l = e->pack[p].first; l <= e->pack[p].last; l++)
            if (layout->level[l].arrays.has_idx) return true;
    return false;
}

/// Do the entries of a row stand in a lane that the row alone gives, and is all that is
/// determined the row's, but a last level that is the column? An index that follows from
/// the row is stored with it: so it must be a hole where no row stands.
static bool has_lanes(const cairn_layout *layout, const cairn_numbered_rows *rows)
{
    const int      S = layout->first, last = layout->levels - 1;
    const uint32_t row = 1U << rows->row, number = 1U << rows->slot;

    if (S != layout->last || S == last || is_packed(layout)
        || (S > 0 && !layout->level[S].arrays.has_ptr) || layout->level[S].gaps
        || layout->partition >= 0 || !is_level(layout, S, CAIRN_ATOM_QUERY, rows->slot)
        || !layout->level[last].determined.on
        || !layout->level[last].determined.per_node
        || !is_level(layout, last, CAIRN_ATOM_DIM, rows->col))
        return false;
    for (int l = 0; l < last; l++) {
        const cairn_level *level = &layout->level[l];

        if (l == S) continue;
        if ((cairn_form_dims(layout->algebra, &level->form) & ~row)
            || (cairn_form_queries(layout->algebra, &level->form) & number)
            || (level->determined.on
                && (level->determined.per_node || level->determined.by >> S & 1
                    || !(level->determined.recipe.dims & row))))
            return false;
    }
    return true;
}

/// Are the entries of rows numbered, from 0, and all other positions from their counts on,
/// and is all else that the map uses the row's? Rows in order: entries are scattered, or
/// read, by them.
static bool numbers_along(finder *f)
{
    cairn_numbered_rows *const rows   = &f->m->rows;
    const uint32_t             left   = f->used & ~(rows->on ? rows->tables : 0);
    const int                  q      = left ? __builtin_ctz(left) : -1;
    const cairn_query *const   slot   = q < 0 ? NULL : query_of(f, q);
    const cairn_start *const   others = slot ? others_of(slot) : NULL;
    const cairn_numbered_rows  before = *rows;

    if (!f->layout || !others || left != 1U << q || slot->arg != CAIRN_ARG_VALUE
        || cairn_query_dimension(slot) != 0 || cairn_query_line(slot) < 0
        || others->kind != CAIRN_START_QUERY || !take_count(f, (int)others->value))
        return false;
    rows->slot  = q;
    rows->col   = cairn_query_line(slot);
    rows->along = rows->row == 0 && cairn_query_counts(query_of(f, rows->count), 1)
                  && has_lanes(f->layout, rows)
                  && (cairn_method_allowed(f->m->env, &cairn_method_row_slots)
                      || cairn_method_allowed(f->m->env, &cairn_method_card));
    if (!rows->along) *rows = before;
    return rows->along;
}

/* ---- numbers along lines ---- */

/// The dimension that a form is, or is the quotient of; -1: it is neither.
static int dimension_of(const finder *f, const cairn_form *form, int64_t *divisor)
{
    const cairn_atom *atom = cairn_form_single(f->algebra, form, CAIRN_ATOM_DIV);

    *divisor = atom ? atom->divisor : 1;
    return cairn_form_dimension(atom ? &atom->form : form, f->algebra->order);
}

/// Which of the sum's expressions this is; -1: none.
static int find_form(const finder *f, const cairn_form *form)
{
    int g = f->forms - 1;

    while (g >= 0 && !cairn_form_equal(form, &f->form[g]))
        g--;
    return g;
}

/// The expressions of the sum over whose groups an enum is. On several ranks, and where
/// groups without an entry are asked for, they are quotients, each of a dimension of its
/// own.
static cairn_status read_groups(finder *f, const cairn_map *map, bool *fits)
{
    uint32_t dims = 0;

    for (; f->forms < map->count && *fits; f->forms++) {
        cairn_form *const form = &f->form[f->forms];
        int64_t           divisor;
        int               dim;

        CAIRN_TRY(cairn_form_of(f->algebra, map->expr[f->forms], form));
        if (!f->padded && !is_spread(f)) continue;
        dim   = dimension_of(f, form, &divisor);
        *fits = dim >= 0 && !(dims >> dim & 1);
        if (*fits) dims |= 1U << dim;
    }
    return CAIRN_OK;
}

/// Append the expressions of a map to those that tell groups, each once; if these are
/// another's groups, they must be among its own.
static cairn_status add_forms(finder *f, const cairn_map *map, bool *fits)
{
    cairn_blocks *const b = f->b;

    for (int k = 0; map && k < map->count && *fits; k++) {
        cairn_block_form *const its = &b->form[b->forms];
        cairn_form              form;

        CAIRN_TRY(cairn_form_of(f->algebra, map->expr[k], &form));
        *fits =
            b->forms < CAIRN_MAX_LEVELS && cairn_form_queries(f->algebra, &form) == 0;
        const int g = find_form(f, &form);

        if (!cairn_blocks_of_entries(b) && *fits) *fits = g >= 0;
        if (!*fits || (g >= 0 && f->taken >> g & 1)) continue;
        if (g >= 0) f->taken |= 1U << g;
        its->given                       = g;
        its->dim                         = dimension_of(f, &form, &its->divisor);
        b->query.group_by.expr[b->forms] = map->expr[k];
        b->query.group_by.count          = ++b->forms;
    }
    return CAIRN_OK;
}

/// Lines first, in the order of the enum's groupBy; then what it traverses; then @p rest,
/// by which groups go where the traversal says nothing.
static cairn_status
add_all_forms(finder *f, const cairn_query *slot, const cairn_map *rest, bool *fits)
{
    cairn_blocks *const b = f->b;

    b->query.group_by = (cairn_map){.order = slot->group_by.order};
    CAIRN_TRY(add_forms(f, &slot->group_by, fits));
    *fits    = *fits && b->forms == slot->group_by.count;
    b->outer = b->forms;
    CAIRN_TRY(add_forms(f, slot->traverse_by, fits));
    CAIRN_TRY(add_forms(f, rest, fits));
    b->row = b->outer - 1;
    while (b->row >= 0 && b->form[b->row].dim != 0)
        b->row--;
    return CAIRN_OK;
}

/// Does another query have the enum's lines?
static cairn_status has_lines(finder *f, const cairn_map *map, bool *same)
{
    uint32_t lines = 0;

    for (int k = 0; k < map->count; k++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(f->algebra, map->expr[k], &form));
        const int g = find_form(f, &form);

        if (g >= 0) lines |= 1U << g;
    }
    *same = map->count == f->b->outer;
    for (int k = 0; k < f->b->outer && *same; k++)
        *same = lines >> f->b->form[k].given & 1;
    return CAIRN_OK;
}

/// Is a sum one that counts the groups with entries of every line?
static bool is_width(const finder *f, const cairn_query *width)
{
    const cairn_start *some, *none;
    bool               apart;

    return width->func == CAIRN_QUERY_SUM && width->arg == f->b->sum
           && cairn_query_starts(width, &some, &none, &apart) && is_constant(some, 1)
           && is_constant(none, 0);
}

/// An enum of the groups of a sum numbers those with entries from 0, apart from the others,
/// which have no number, or go on from a count of those with entries.
static cairn_status find_groups(finder *f, const cairn_query *slot, bool *fits)
{
    const cairn_start *const others = others_of(slot);
    cairn_blocks *const      b      = f->b;
    const cairn_query       *sum;

    *fits = others->kind != CAIRN_START_CONST && f->counts >> slot->arg & 1
            && cairn_blocks_has_all(f->build, f->build->net != NULL);
    if (!*fits) return CAIRN_OK;
    sum      = query_of(f, slot->arg);
    b->sum   = slot->arg;
    b->width = others->kind == CAIRN_START_QUERY ? (int)others->value : -1;
    b->query = *sum;
    *fits    = b->width < 0 || is_width(f, query_of(f, b->width));
    CAIRN_TRY(read_groups(f, &sum->group_by, fits));
    CAIRN_TRY(add_all_forms(f, slot, &sum->group_by, fits));
    *fits = *fits && b->outer < b->forms;
    if (*fits && b->width >= 0)
        CAIRN_TRY(has_lines(f, &query_of(f, b->width)->group_by, fits));
    return CAIRN_OK;
}

/// An enum numbers the entries of groups from 0, and no position without an entry is stored:
/// entries count on from where their group begins, groups being told by the keys, too.
static cairn_status find_entries(finder *f, const cairn_query *slot, bool *fits)
{
    static const cairn_query ones = {
        .func      = CAIRN_QUERY_SUM,
        .arg       = CAIRN_ARG_VALUE,
        .cases     = 1,
        .when      = {{.var      = CAIRN_ARG_VALUE,
                       .relation = CAIRN_REL_NE,
                       .start    = {.kind = CAIRN_START_CONST, .value = 1}}},
        .otherwise = {.kind = CAIRN_START_CONST}};
    cairn_blocks *const b = f->b;

    *fits    = !f->padded && !is_spread(f);
    b->sum   = -1;
    b->width = -1;
    b->query = ones;
    return add_all_forms(f, slot, NULL, fits);
}

/// The first query that numbers along lines; the member gets `blocks`.
static cairn_status find_lines(finder *f)
{
    const uint32_t left = f->used & ~(f->m->rows.on ? f->m->rows.tables : 0);

    for (int q = 0; left >> q && !f->m->blocks; q++) {
        bool         fits = false;
        cairn_status status;

        if (!(left >> q & 1) || !others_of(query_of(f, q))) continue;
        CAIRN_TRY(CAIRN_NEW_ZERO(f->m->env, 1, &f->b));
        f->b->slot = q;
        f->taken   = 0;
        f->forms   = 0;
        status     = query_of(f, q)->arg >= 0 ? find_groups(f, query_of(f, q), &fits)
                                              : find_entries(f, query_of(f, q), &fits);
        if (status == CAIRN_OK && fits)
            f->m->blocks = f->b;
        else
            cairn_free(f->m->env, f->b);
        f->b = NULL;
        CAIRN_TRY(status);
    }
    return CAIRN_OK;
}

/* ---- all ---- */

static bool adds_every_entry(const cairn_query *query)
{
    return query->func == CAIRN_QUERY_SUM && query->arg == CAIRN_ARG_VALUE
           && cairn_sum_counts_each(query);
}

/// Has the layout, whatever the numbers are, indices where there is no entry? Extents have
/// no part in that; a layout that has none may still come to be with the numbers.
static cairn_status find_padding(finder *f)
{
    const cairn_status status = cairn_layout_create(
        f->m->env, f->encoding, NULL, NULL, NULL, f->build->value_bits, &f->layout);

    if (status == CAIRN_NO_MEMORY) return status;
    f->padded = status != CAIRN_OK;
    for (int l = 0; !f->padded && l < f->layout->levels; l++)
        f->padded = f->layout->level[l].determined.on || f->layout->level[l].gaps;
    return CAIRN_OK;
}

/// What is run on coordinates: what the map uses and no function answers, and the earlier
/// queries that this asks for.
static cairn_status find_interpreted(finder *f)
{
    const cairn_member_build *const m    = f->m;
    uint32_t                        left = f->used;

    if (m->rows.on) left &= ~m->rows.tables;
    if (m->rows.along) left &= ~(1U << m->rows.slot);
    if (m->blocks) left &= ~(1U << m->blocks->slot);
    for (int q = f->encoding->queries - 1; q >= 0; q--) {
        const cairn_query *const query = query_of(f, q);

        if (!(left >> q & 1)) continue;
        if (query->arg >= 0) left |= 1U << query->arg;
        CAIRN_TRY(add_uses(f, &query->group_by, &left));
        CAIRN_TRY(add_uses(f, query->traverse_by, &left));
        CAIRN_TRY(add_uses(f, query->distance_by, &left));
        for (int k = 0; k <= query->cases; k++) {
            const cairn_start *const start =
                k < query->cases ? &query->when[k].start : &query->otherwise;

            if (start->kind == CAIRN_START_QUERY) left |= 1U << start->value;
            if (k < query->cases && query->when[k].var >= 0)
                left |= 1U << query->when[k].var;
        }
    }
    f->m->rows.interpreted = left;
    return CAIRN_OK;
}

static cairn_status find(finder *f)
{
    cairn_member_build *const m = f->m;

    CAIRN_TRY(add_uses(f, &f->encoding->map, &f->used));
    for (int q = cairn_encoding_next_query(f->encoding, 0); q < f->encoding->queries;
         q     = cairn_encoding_next_query(f->encoding, q + 1))
        if (adds_every_entry(query_of(f, q))) f->counts |= 1U << q;
    CAIRN_TRY(find_padding(f));
    for (int q = cairn_encoding_next_query(f->encoding, 0); q < f->encoding->queries;
         q     = cairn_encoding_next_query(f->encoding, q + 1))
        CAIRN_TRY(find_table(f, q));
    if (!numbers_along(f)) {
        if (f->padded || !(f->used & m->rows.tables))
            m->rows = (cairn_numbered_rows){.on = false};
        CAIRN_TRY(find_lines(f));
    }
    return find_interpreted(f);
}

cairn_status cairn_numbers_find(cairn_member_build *m, const cairn_build *build)
{
    finder       f = {.m = m, .build = build, .encoding = m->encoding};
    cairn_status status;

    m->rows.interpreted = cairn_numbers_all(m->encoding);
    if (m->rows.interpreted == 0) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(m->env, 1, &f.algebra));
    cairn_algebra_init(f.algebra, m->env, build->shape.order);
    status = find(&f);
    cairn_layout_destroy(m->env, &f.layout);
    cairn_free(m->env, f.algebra);
    return status;
}
