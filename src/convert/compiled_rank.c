// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Recognising queries that number entries as they are visited.

#include "convert/compiled_rank.h"

static bool is_dim(const cairn_expr *e, int64_t *dim)
{
    if (e->op != CAIRN_EXPR_DIM) return false;
    *dim = e->value;
    return true;
}

static bool is_constant(const cairn_start *start, int64_t value)
{
    return start->kind == CAIRN_START_CONST && start->value == value;
}

/// The one condition of a query, on the value against 0.
static bool has_case(const cairn_query *q, cairn_relation relation)
{
    return q->arg == CAIRN_ARG_VALUE && q->cases == 1
           && q->when[0].var == CAIRN_ARG_VALUE && q->when[0].relation == relation
           && q->when[0].constant == 0 && is_constant(&q->otherwise, 0)
           && q->group_by.count == 1 && q->distance == 0 && q->buckets == 0;
}

static bool is_count(const cairn_query *q, int64_t *row)
{
    return q->func == CAIRN_QUERY_SUM && has_case(q, CAIRN_REL_NE)
           && is_constant(&q->when[0].start, 1) && is_dim(q->group_by.expr[0], row);
}

static bool is_rank(const cairn_query *q, int64_t count, int64_t *row, int64_t *col)
{
    return q->func == CAIRN_QUERY_ENUM && has_case(q, CAIRN_REL_EQ)
           && q->when[0].start.kind == CAIRN_START_QUERY
           && q->when[0].start.value == count && is_dim(q->group_by.expr[0], row)
           && q->traverse_by && q->traverse_by->count == 1
           && is_dim(q->traverse_by->expr[0], col) && *row != *col;
}

bool cairn_rank_is_count(const cairn_query *query)
{
    int64_t row;

    return is_count(query, &row);
}

bool cairn_rank_is_number(const cairn_query *query, cairn_rank *rank)
{
    int64_t row, col;

    if (!is_rank(query, rank->count, &row, &col)) return false;
    rank->row = (int)row;
    rank->col = (int)col;
    return true;
}

/// Is a level's form this atom, by itself?
static bool
is_atom(const cairn_layout *layout, int l, cairn_atom_kind kind, int64_t number)
{
    const cairn_form *form = &layout->level[l].form;
    const cairn_atom *atom;

    if (form->terms != 1 || form->constant || form->term[0].factor != 1) return false;
    atom = &layout->algebra->atom[form->term[0].atom];
    return atom->kind == kind && atom->number == number;
}

/// Queries appear in the one trimmed level only, and padding in the last level only,
/// where one index belongs to each combination of what is above.
static bool fits_layout(const cairn_layout *layout, const cairn_rank *rank)
{
    const int           S = layout->first, last = layout->levels - 1;
    const cairn_linear *row = &layout->dim[rank->row];

    if (S != layout->last || layout->tuples > 0 || (S > 0 && !layout->level[S].has_ptr)
        || layout->level[S].gaps || layout->partition >= 0
        || !is_atom(layout, S, CAIRN_ATOM_QUERY, rank->query))
        return false;
    for (int l = 0; l < layout->levels; l++) {
        const bool indirect =
            cairn_form_queries(layout->algebra, &layout->level[l].form) != 0;

        if (indirect != (l == S) || layout->level[l].determined != (l == last))
            return false;
    }
    for (int t = 0; t < row->terms; t++)
        if (row->var[t] == S || row->var[t] == last) return false;
    return row->den == 1 && layout->level[last].per_node
           && is_atom(layout, last, CAIRN_ATOM_DIM, rank->col);
}

bool cairn_rank_fits_lanes(const cairn_layout *layout, const cairn_rank *rank)
{
    const int      S = layout->first, last = layout->levels - 1;
    const uint32_t row = 1U << rank->row, number = 1U << rank->query;

    if (S != layout->last || S == last || layout->tuples > 0
        || (S > 0 && !layout->level[S].has_ptr) || layout->level[S].gaps
        || layout->partition >= 0 || !is_atom(layout, S, CAIRN_ATOM_QUERY, rank->query)
        || !layout->level[last].determined || !layout->level[last].per_node
        || !is_atom(layout, last, CAIRN_ATOM_DIM, rank->col))
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

static bool is_pattern(const cairn_encoding *e, cairn_rank *rank)
{
    int64_t row, again, col;

    if (e->map.order != 2 || e->queries != 2) return false;
    if (!is_count(&e->query[0], &row) || !is_rank(&e->query[1], 0, &again, &col)
        || row != again)
        return false;
    *rank = (cairn_rank){.query = 1, .count = 0, .row = (int)row, .col = (int)col};
    return true;
}

cairn_status cairn_rank_find(cairn_member_build *m, const cairn_build *build)
{
    cairn_rank    rank;
    cairn_layout *layout = NULL;

    m->ranked = false;
    if (!cairn_method_allowed(m->env, &cairn_method_groups)
        || !is_pattern(m->encoding, &rank))
        return CAIRN_OK;
    CAIRN_TRY(cairn_layout_create(m->env, m->encoding, build->shape.extent, build->box,
                                  NULL, build->value_bits, &layout));
    /* Entries are dealt out, or read, in the order of rows. */
    m->ranked = rank.row == 0 && fits_layout(layout, &rank);
    m->rank   = rank;
    cairn_layout_destroy(m->env, &layout);
    return CAIRN_OK;
}

cairn_status
cairn_rank_is_direct(cairn_member_build *m, const cairn_build *build, bool *direct)
{
    const cairn_group *group = &build->from->group[0];
    bool               rows;

    *direct = false;
    if (group->count != 1 || !cairn_group_is_ordered(group)) return CAIRN_OK;
    CAIRN_TRY(cairn_convert_by_rows(m->env, group->layout, &rows));
    *direct = rows;
    return CAIRN_OK;
}

void cairn_rank_set_spans(cairn_member_build *m, int64_t fewest, int64_t most)
{
    const cairn_interval none = {0, -1};

    m->layout->span[m->rank.query] = most ? (cairn_interval){0, most - 1} : none;
    m->layout->span[m->rank.count] = most ? (cairn_interval){fewest, most} : none;
}
