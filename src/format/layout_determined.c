// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Levels below E that the levels above determine: found by closing the knowledge of
/// the levels above, and kept with the recipe that computes them.

#include "format/layout_steps.h"
#include "format/normal.h"

#include <string.h>

/// Is level @p target a function of the levels in @p given? Then copy how.
static cairn_status solve_level(cairn_layout *layout,
                                cairn_known  *known,
                                int           target,
                                uint32_t      given,
                                bool         *is_function,
                                cairn_linear *result)
{
    const cairn_encoding *e = layout->encoding;

    for (int l = 0; l < target; l++) {
        if (given & 1U << l)
            CAIRN_TRY(cairn_known_add(known, &layout->level[l].form, NULL, NULL));
        else
            cairn_known_skip(known);
    }
    for (int l = target; l < layout->levels; l++)
        cairn_known_skip(known);
    CAIRN_TRY(cairn_known_close(known, e->query, e->queries));
    return cairn_known_solve(known, &layout->level[target].form, is_function, result);
}

/// Which dimensions are known with a determined level, and how.
static cairn_status
solve_dims(const cairn_layout *layout, cairn_known *known, cairn_recipe *recipe)
{
    recipe->dims = 0;
    for (int k = 0; k < layout->order; k++) {
        const cairn_form form = {.terms = 1, .term = {{k, 1}}};
        bool             is_known;

        CAIRN_TRY(cairn_known_solve(known, &form, &is_known, &recipe->dim[k]));
        if (is_known) recipe->dims |= 1U << k;
    }
    return CAIRN_OK;
}

/// As solve_level(); @p recipe (may be NULL) gets the steps.
static cairn_status determined_by(cairn_env    *env,
                                  cairn_layout *layout,
                                  int           target,
                                  uint32_t      given,
                                  bool         *is_function,
                                  cairn_recipe *recipe)
{
    cairn_known *known;
    cairn_linear result;
    cairn_status status;
    int          steps;

    CAIRN_TRY(cairn_known_create(env, layout->algebra, &known));
    CAIRN_GO(done, solve_level(layout, known, target, given, is_function, &result));
    if (!*is_function || !recipe) goto done;
    CAIRN_GO(done, solve_dims(layout, known, recipe));
    const cairn_step *step = cairn_known_steps(known, &steps);

    CAIRN_GO(done, CAIRN_NEW(env, steps, &recipe->step));
    if (steps > 0) memcpy(recipe->step, step, (size_t)steps * sizeof *step);
    recipe->steps  = steps;
    recipe->result = result;
    recipe->vars   = CAIRN_MAX_VARS;
done:
    cairn_known_destroy(env, &known);
    return status;
}

/// Drop from @p by every level without which the target is still determined.
static cairn_status
fewest_levels(cairn_env *env, cairn_layout *layout, int target, uint32_t *by)
{
    for (int l = target - 1; l >= 0; l--) {
        const uint32_t fewer = *by & ~(1U << l);
        bool           enough;

        if (fewer == *by) continue;
        CAIRN_TRY(determined_by(env, layout, target, fewer, &enough, NULL));
        if (enough) *by = fewer;
    }
    return CAIRN_OK;
}

bool cairn_level_is_constant(const cairn_level *level)
{
    return !level->indirect && level->form.terms == 0;
}

/// Is it a complete level of one index, of which nothing is stored?
static bool stores_nothing(const cairn_layout *layout, int l)
{
    return !layout->given.constants && cairn_level_is_constant(&layout->level[l]);
}

static cairn_status determine_level(cairn_env *env, cairn_layout *layout, int l)
{
    cairn_level *level = &layout->level[l];
    uint32_t     above = 0, complete = 0, below = 0;
    bool         given;

    if (level->indirect || stores_nothing(layout, l)) return CAIRN_OK;
    for (int k = 0; k < l; k++) {
        if (layout->level[k].determined.on
            || (k > layout->last && stores_nothing(layout, k)))
            continue;
        above |= 1U << k;
        if (!layout->level[k].trimmed) complete |= 1U << k;
        if (k > layout->last) below |= 1U << k;
    }
    CAIRN_TRY(determined_by(env, layout, l, above, &given, NULL));
    if (!given) return CAIRN_OK;
    CAIRN_TRY(determined_by(env, layout, l, complete, &given, NULL));
    if (given) CAIRN_TRY(fewest_levels(env, layout, l, &complete));
    level->determined.on       = true;
    level->arrays.has_idx      = true;
    level->determined.per_node = !given;
    level->determined.by       = given ? complete : below;
    return determined_by(env, layout, l, given ? complete : above, &given,
                         &level->determined.recipe);
}

/// Does an unstored position get a number from this query?
static bool numbers_unstored(const cairn_query *query)
{
    if (query->func != CAIRN_QUERY_ENUM || query->arg != CAIRN_ARG_VALUE) return true;
    for (int k = 0; k < query->cases; k++) {
        const cairn_case *c     = &query->when[k];
        const bool        asked = c->var != CAIRN_ARG_VALUE;

        if (!asked && !cairn_case_holds_of_others(c)) continue;
        if (!asked || c->start.kind != CAIRN_START_NONE)
            return c->start.kind != CAIRN_START_NONE;
    }
    return query->otherwise.kind != CAIRN_START_NONE;
}

/// The query by which the element is found among stored positions; -1: none does.
static int query_of_stored(const cairn_layout *layout, const cairn_recipe *recipe)
{
    for (int s = 0; s < recipe->steps; s++) {
        const cairn_step *step = &recipe->step[s];

        if (step->kind == CAIRN_STEP_QUERY
            && !numbers_unstored(&layout->encoding->query[step->query]))
            return step->query;
    }
    return -1;
}

/// Is @p form the same for the element that query @p q finds and the position? It is where
/// a direct level above level @p l has it, or the query's groups.
static cairn_status
is_shared(cairn_layout *layout, int l, int q, const cairn_form *form, bool *shared)
{
    const cairn_map *groups = &layout->encoding->query[q].group_by;

    *shared = false;
    for (int k = 0; k < l; k++)
        *shared |= !layout->level[k].indirect && !layout->level[k].determined.on
                   && cairn_form_equal(&layout->level[k].form, form);
    for (int g = 0; g < groups->count && !*shared; g++) {
        cairn_form group;

        CAIRN_TRY(cairn_form_of(layout->algebra, groups->expr[g], &group));
        *shared = cairn_form_equal(&group, form);
    }
    return CAIRN_OK;
}

/// Are the groups over which query @p q is taken the found element's, too?
static cairn_status
shares_groups(cairn_layout *layout, int l, int found, int q, bool *shares)
{
    const int arg = layout->encoding->query[q].arg;

    *shares = arg != CAIRN_ARG_VALUE; /* two elements are not compared */
    if (!*shares) return CAIRN_OK;
    const cairn_map *groups = &layout->encoding->query[arg].group_by;

    for (int g = 0; g < groups->count && *shares; g++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(layout->algebra, groups->expr[g], &form));
        CAIRN_TRY(is_shared(layout, l, found, &form, shares));
    }
    return CAIRN_OK;
}

/// Is level @p k, an index of a number, held to the element that query @p found finds for
/// level @p l? It is where a step looks its number up, and gives that element or a group
/// in which it lies.
static cairn_status is_held(cairn_layout *layout, int l, int found, int k, bool *held)
{
    const cairn_recipe *r     = &layout->level[l].determined.recipe;
    const int           query = layout->level[k].query;

    *held = false;
    for (int s = 0; s < r->steps && !*held; s++) {
        const cairn_step *step = &r->step[s];

        if (step->kind != CAIRN_STEP_QUERY || step->query != query) continue;
        for (int t = 0; t < step->in.terms; t++)
            *held |= step->in.var[t] == k;
    }
    if (*held && query != found)
        CAIRN_TRY(shares_groups(layout, l, found, query, held));
    return CAIRN_OK;
}

/// A level that finds the element by its number, with everything above given, is a hole
/// where there is none. If the query numbers stored positions only, and every other number
/// above is held to the element, too, nothing is padded.
static cairn_status
finds_only_stored(cairn_env *env, cairn_layout *layout, int l, bool *only_stored)
{
    const cairn_level *level   = &layout->level[l];
    const int          found   = level->determined.per_node
                                     ? query_of_stored(layout, &level->determined.recipe)
                                     : -1;
    uint32_t           numbers = 0;
    bool               held    = found >= 0;

    *only_stored = false;
    for (int k = 0; k < l && held; k++) {
        if (!layout->level[k].indirect) continue;
        CAIRN_TRY(is_held(layout, l, found, k, &held));
        numbers |= 1U << k;
    }
    if (!held) return CAIRN_OK;
    return cairn_layout_levels_agree(env, layout, numbers, only_stored);
}

cairn_status cairn_layout_pads(cairn_env *env, cairn_layout *layout, bool *pads)
{
    *pads = false;
    for (int l = 0; l <= layout->last; l++)
        *pads |= layout->level[l].gaps;
    for (int l = layout->last + 1; l < layout->levels; l++) {
        bool only_stored = false;

        if (stores_nothing(layout, l)) continue; /* one index: no position beside */
        if (layout->level[l].determined.on)
            CAIRN_TRY(finds_only_stored(env, layout, l, &only_stored));
        else
            *pads = true;
        if (only_stored) *pads = false;
    }
    return CAIRN_OK;
}

cairn_status cairn_layout_determine(cairn_env *env, cairn_layout *layout)
{
    for (int l = layout->last + 1; l < layout->levels; l++)
        CAIRN_TRY(determine_level(env, layout, l));
    return CAIRN_OK;
}
