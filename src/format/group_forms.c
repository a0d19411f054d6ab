// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The forms of groups: what a map says, less what follows.

#include "format/group_forms.h"

#include "format/space.h"

#include <string.h>

cairn_status
cairn_space_enter_map(cairn_algebra *algebra, const int *alias, const cairn_map *map)
{
    cairn_form form;

    for (int k = 0; map && k < map->count; k++)
        CAIRN_TRY(cairn_plain_form(algebra, alias, map->expr[k], &form));
    return CAIRN_OK;
}

cairn_status
cairn_space_know_map(cairn_space *space, const int *alias, const cairn_map *map)
{
    cairn_form form;

    for (int k = 0; map && k < map->count; k++) {
        CAIRN_TRY(cairn_plain_form(space->algebra, alias, map->expr[k], &form));
        CAIRN_TRY(cairn_space_add(space, &form));
    }
    return CAIRN_OK;
}

cairn_status cairn_space_map_basis(cairn_space     *space,
                                   const int       *alias,
                                   const cairn_map *map,
                                   int             *rows,
                                   cairn_form      *row)
{
    CAIRN_TRY(cairn_space_enter_map(space->algebra, alias, map));
    space->rows = 0;
    CAIRN_TRY(cairn_space_know_map(space, alias, map));
    return cairn_space_basis(space, NULL, rows, row);
}

/* ---- forms to count by ---- */

/// Are they dimensions, each once? Nothing follows from the others then.
static bool
are_dimensions(const cairn_algebra *algebra, int forms, const cairn_form *form)
{
    uint32_t seen = 0;

    for (int f = 0; f < forms; f++) {
        const int dim = cairn_form_dimension(&form[f], algebra->order);

        if (dim < 0 || seen >> dim & 1) return false;
        seen |= 1U << dim;
    }
    return true;
}

/// What the basis of a map's groups needs while it is found.
typedef struct {
    cairn_arena  *arena;
    cairn_algebra plain;
    cairn_space   space;
    cairn_form    row[CAIRN_SPACE_ROWS];
} scratch;

/// Put form @p f, whose range has @p size[f] values, among those before it: counting looks
/// at all values of the first forms, so that few come first.
static void insert_by_size(cairn_form *form, int64_t *size, int f)
{
    const cairn_form one    = form[f];
    const int64_t    values = size[f];

    for (; f > 0 && size[f - 1] > values; f--) {
        form[f] = form[f - 1];
        size[f] = size[f - 1];
    }
    form[f] = one;
    size[f] = values;
}

/// The basis in the forms of @p algebra, in which remainders are atoms; as it was if the
/// map says the same in fewer.
static cairn_status reduce_forms(scratch              *s,
                                 cairn_algebra        *algebra,
                                 const cairn_map      *map,
                                 const cairn_interval *box,
                                 const cairn_interval *queries,
                                 int                  *forms,
                                 cairn_form           *form)
{
    int        rows, self[CAIRN_MAX_QUERIES];
    int64_t    size[CAIRN_MAX_LEVELS];
    cairn_form made[CAIRN_MAX_LEVELS];

    for (int q = 0; q < CAIRN_MAX_QUERIES; q++)
        self[q] = q;
    cairn_algebra_init(&s->plain, algebra->env, algebra->order);
    s->space.algebra = &s->plain;
    CAIRN_TRY(cairn_space_map_basis(&s->space, self, map, &rows, s->row));
    if (rows > map->count) return CAIRN_OK;
    for (int r = 0; r < rows; r++) {
        const cairn_expr *expr;
        cairn_interval    range;

        CAIRN_TRY(cairn_plain_expr(&s->plain, s->arena, &s->row[r], &expr));
        CAIRN_TRY(cairn_form_of(algebra, expr, &made[r]));
        CAIRN_TRY(cairn_form_range(algebra, &made[r], box, queries, &range));
        size[r] = cairn_interval_size(range);
        insert_by_size(made, size, r);
    }
    *forms = rows;
    memcpy(form, made, (size_t)rows * sizeof *made);
    return CAIRN_OK;
}

cairn_status cairn_independent_forms(cairn_algebra        *algebra,
                                     const cairn_map      *map,
                                     const cairn_interval *box,
                                     const cairn_interval *queries,
                                     int                  *forms,
                                     cairn_form           *form)
{
    cairn_env   *env = algebra->env;
    scratch     *s   = NULL;
    cairn_status status;

    *forms = map->count;
    for (int k = 0; k < map->count; k++)
        CAIRN_TRY(cairn_form_of(algebra, map->expr[k], &form[k]));
    if (are_dimensions(algebra, *forms, form)) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &s));
    status = cairn_arena_create(env, &s->arena);
    if (status == CAIRN_OK)
        status = reduce_forms(s, algebra, map, box, queries, forms, form);
    cairn_arena_destroy(env, &s->arena);
    cairn_free(env, s);
    return status == CAIRN_NO_MEMORY ? status : CAIRN_OK;
}
