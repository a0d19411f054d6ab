// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Recognising queries that number entries as they are visited.

#include "convert/compiled_rank.h"

#include "format/normal.h"

#include <stdlib.h>

bool cairn_rank_is_count(const cairn_query *query)
{
    return cairn_query_counts(query, 1) && cairn_query_dimension(query) >= 0;
}

bool cairn_rank_is_number(const cairn_query *query, cairn_rank *rank)
{
    const cairn_start *stored, *others;
    bool               apart;

    rank->row = cairn_query_dimension(query);
    rank->col = cairn_query_line(query);
    return query->func == CAIRN_QUERY_ENUM && query->arg == CAIRN_ARG_VALUE
           && rank->row >= 0 && rank->col >= 0
           && cairn_query_starts(query, &stored, &others, &apart) && apart
           && stored->kind == CAIRN_START_CONST && stored->value == 0
           && others->kind == CAIRN_START_QUERY && others->value == rank->count;
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

/// Does a row lie in one lane, whose levels are digits of it? Where they say more than its
/// number (d0/3 beside d0, or a column's block), there are lanes that are no row's.
static bool has_one_lane(const cairn_layout *layout, const cairn_rank *rank)
{
    const cairn_linear *row  = &layout->dim[rank->row];
    const int           last = layout->levels - 1;
    __int128            most = 0; /* what digits below add up to, at most */
    uint32_t            left = 0;

    for (int l = 0; l < last; l++) {
        if (l == layout->first) continue;
        if (cairn_form_dims(layout->algebra, &layout->level[l].form)
            & ~(1U << rank->row))
            return false;
        if (layout->level[l].size > 1) left |= 1U << l;
    }
    while (left) {
        int next = -1;

        for (int t = 0; t < row->terms; t++)
            if (left >> row->var[t] & 1
                && (next < 0 || llabs(row->num[t]) < llabs(row->num[next])))
                next = t;
        if (next < 0 || llabs(row->num[next]) <= most) return false;
        most +=
            (__int128)llabs(row->num[next]) * (layout->level[row->var[next]].size - 1);
        left &= ~(1U << row->var[next]);
    }
    return true;
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
    return row->den == 1 && has_one_lane(layout, rank) && layout->level[last].per_node
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

/// Two queries: one counts the entries of rows, the other numbers them.
static bool is_pattern(const cairn_encoding *e, cairn_rank *rank)
{
    const int count  = cairn_encoding_next_query(e, 0);
    const int number = cairn_encoding_next_query(e, count + 1);

    *rank = (cairn_rank){.query = number, .count = count};
    return number < e->queries && cairn_encoding_next_query(e, number + 1) == e->queries
           && cairn_rank_is_count(&e->query[count])
           && cairn_rank_is_number(&e->query[number], rank)
           && cairn_query_dimension(&e->query[count]) == rank->row;
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
