// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Indices of determined levels where no entry is: the level's recipe is run on the
/// indices of the levels above. What has no answer stays a hole. The reference way has all
/// steps run and all checks made, position by position.

#include "convert/build_steps.h"

typedef struct {
    const cairn_member_build *m;
    const cairn_layout       *layout;
    const cairn_level        *level; ///< The determined one,
    int                       l;     ///< its number.
    uint32_t                  above; ///< Levels that the recipe may read.
    cairn_form               *form;  ///< [steps][CAIRN_MAX_LEVELS] groupBy of the query
                                     ///< that a step's query is taken over.
    int          open[CAIRN_MAX_LEVELS]; ///< Complete levels above whose indices are
    int          opens;                  ///< combined, outermost first.
    int64_t      vars[CAIRN_MAX_VARS];
    cairn_status status; ///< The first failure: nothing is padded after it.
} padder;

/// Values of a query step's results: the position found, or the earlier query's
/// groupBy expressions there.
static void step_results(padder *p, int s, const cairn_coord *d)
{
    const cairn_step  *step  = &p->level->determined.recipe.step[s];
    const cairn_query *query = &p->layout->encoding->query[step->query];

    if (query->arg == CAIRN_ARG_VALUE) {
        for (int k = 0; k < p->layout->order; k++)
            p->vars[step->var + k] = d[k];
        return;
    }
    for (int g = 0; g < p->layout->encoding->query[query->arg].group_by.count; g++)
        p->vars[step->var + g] = cairn_form_value(
            p->layout->algebra, &p->form[s * CAIRN_MAX_LEVELS + g], d, NULL);
}

/// The forms that step_results() needs, once for all positions.
static cairn_status prepare_forms(padder *p)
{
    const cairn_recipe *recipe = &p->level->determined.recipe;

    CAIRN_TRY(
        CAIRN_NEW(p->m->env, (int64_t)recipe->steps * CAIRN_MAX_LEVELS, &p->form));
    for (int s = 0; s < recipe->steps; s++) {
        if (recipe->step[s].kind != CAIRN_STEP_QUERY) continue;
        const cairn_query *queries = p->layout->encoding->query;
        const int          arg     = queries[recipe->step[s].query].arg;

        for (int g = 0; arg >= 0 && g < queries[arg].group_by.count; g++)
            CAIRN_TRY(cairn_form_of(p->layout->algebra, queries[arg].group_by.expr[g],
                                    &p->form[s * CAIRN_MAX_LEVELS + g]));
    }
    return CAIRN_OK;
}

/// Do the direct levels above mean position @p d?
static bool levels_agree(const padder *p, const cairn_coord *d)
{
    for (int l = 0; l < p->l; l++) {
        const cairn_level *level = &p->layout->level[l];

        if (p->above >> l & 1 && !level->indirect
            && cairn_form_value(p->layout->algebra, &level->form, d, NULL)
                   != p->vars[l])
            return false;
    }
    return true;
}

/// An element found by number and group must also agree with the direct levels above.
static bool agrees(const padder *p, const cairn_step *step, const cairn_coord *d)
{
    return p->layout->encoding->query[step->query].arg != CAIRN_ARG_VALUE
           || levels_agree(p, d);
}

static bool run_query(padder *p, int s)
{
    const cairn_step *step = &p->level->determined.recipe.step[s];
    int64_t           number, group[CAIRN_MAX_LEVELS];
    cairn_coord       d[CAIRN_MAX_ORDER];
    bool              found;

    if (!cairn_linear_value(&step->in, p->vars, &number)) return false;
    for (int g = 0; g < step->groups; g++)
        if (!cairn_linear_value(&step->group[g], p->vars, &group[g])) return false;
    p->status = cairn_groups_element(p->m->set, step->query, number, group, d, &found);
    if (p->status != CAIRN_OK || !found || !agrees(p, step, d)) return false;
    step_results(p, s, d);
    return true;
}

static bool run_step(padder *p, int s)
{
    const cairn_step *step = &p->level->determined.recipe.step[s];
    int64_t           in;

    if (step->kind == CAIRN_STEP_QUERY) return run_query(p, s);
    if (!cairn_linear_value(&step->in, p->vars, &in)) return false;
    p->vars[step->var] = step->kind == CAIRN_STEP_FLOOR
                             ? cairn_floor_div(in, step->divisor)
                             : cairn_floor_mod(in, step->divisor);
    return true;
}

/// What a query step found must be what stands at position @p d.
static bool step_agrees(const padder *p, int s, const cairn_coord *d)
{
    const cairn_step  *step  = &p->level->determined.recipe.step[s];
    const cairn_query *query = &p->layout->encoding->query[step->query];

    if (step->kind != CAIRN_STEP_QUERY || query->arg == CAIRN_ARG_VALUE) return true;
    for (int g = 0; g < p->layout->encoding->query[query->arg].group_by.count; g++)
        if (cairn_form_value(p->layout->algebra, &p->form[s * CAIRN_MAX_LEVELS + g], d,
                             NULL)
            != p->vars[step->var + g])
            return false;
    return true;
}

/// Where the whole position follows, levels and queries must all mean this one.
static bool position_agrees(const padder *p, const cairn_coord *d)
{
    for (int s = 0; s < p->level->determined.recipe.steps; s++)
        if (!step_agrees(p, s, d)) return false;
    return levels_agree(p, d);
}

/// Do the dimensions that are known lie in the box? Else the position hangs over.
static bool is_inside(const padder *p)
{
    const cairn_recipe *recipe = &p->level->determined.recipe;
    cairn_coord         d[CAIRN_MAX_ORDER];

    for (int k = 0; recipe->dims >> k; k++) {
        const cairn_interval box = p->layout->box[k];

        if (!(recipe->dims >> k & 1)) continue;
        if (!cairn_linear_value(&recipe->dim[k], p->vars, &d[k])) return false;
        if (d[k] < box.lo || d[k] > box.hi) return false;
    }
    return recipe->dims != (1U << p->layout->order) - 1 || position_agrees(p, d);
}

/// The level's index for the indices in vars; false: a hole.
static bool run_recipe(padder *p, int64_t *index)
{
    const cairn_recipe *recipe = &p->level->determined.recipe;

    for (int s = 0; s < recipe->steps; s++)
        if (!run_step(p, s)) return false;
    return is_inside(p) && cairn_linear_value(&recipe->result, p->vars, index)
           && *index >= p->level->range.lo && *index <= p->level->range.hi;
}

/// Next combination of the open levels, the last fastest; false after the last.
static bool next_combination(padder *p)
{
    for (int k = p->opens; k-- > 0;) {
        const int            l     = p->open[k];
        const cairn_interval range = p->layout->level[l].range;

        if (p->vars[l] < range.hi) {
            p->vars[l]++;
            return true;
        }
        p->vars[l] = range.lo;
    }
    return false;
}

/// All combinations of the complete levels, from position @p at on.
static cairn_pos
pad_combinations(padder *p, const cairn_kernel_level *view, cairn_pos at)
{
    for (int k = 0; k < p->opens; k++)
        p->vars[p->open[k]] = p->layout->level[p->open[k]].range.lo;
    do {
        const int64_t now = cairn_load_int(view->idx, at, view->idx_stride,
                                           view->idx_bits, view->idx_signed);
        int64_t       index;

        if (now == view->hole && run_recipe(p, &index))
            cairn_store_int((void *)view->idx, at, view->idx_stride, view->idx_bits,
                            index);
        at++;
    } while (p->status == CAIRN_OK && next_combination(p));
    return at;
}

/// The indices of the bank's levels are the same for all its positions.
static void set_bank(padder *p, int64_t bank)
{
    for (int l = p->layout->partition; l >= 0; l--) {
        p->vars[l] = p->layout->level[l].range.lo + bank % p->layout->level[l].size;
        bank /= p->layout->level[l].size;
    }
}

static void pad_level(padder *p, cairn_part *part, int64_t *const *tuples)
{
    const cairn_kernel_level *view  = &part->view.level[p->l];
    const int                 last  = p->layout->last;
    const cairn_pos           nodes = last < 0 ? 1 : part->view.level[last].nodes;
    cairn_pos                 at    = 0;

    if (view->idx_length == 0) return;
    for (int l = p->layout->partition + 1; l < p->l; l++)
        if (p->level->determined.by >> l & 1) p->open[p->opens++] = l;
    if (!p->level->determined.per_node) {
        cairn_visit(p->m->env, pad_combinations(p, view, 0));
        return;
    }
    for (cairn_pos node = 0; node < nodes && p->status == CAIRN_OK; node++) {
        for (int l = 0; l <= last; l++)
            p->vars[l] = tuples[l][node];
        at = pad_combinations(p, view, at);
    }
    cairn_visit(p->m->env, at);
}

cairn_status cairn_build_padding(const cairn_member_build *m,
                                 cairn_part               *part,
                                 int64_t *const           *tuples)
{
    for (int l = m->layout->last + 1; l < m->layout->levels; l++) {
        padder p = {.m = m, .layout = m->layout, .level = &m->layout->level[l], .l = l};

        if (!p.level->determined.on) continue;
        for (int k = 0; k < l; k++)
            if (p.level->determined.per_node ? !m->layout->level[k].determined.on
                                             : p.level->determined.by >> k & 1)
                p.above |= 1U << k;
        set_bank(&p, part->where.bank);
        p.status = prepare_forms(&p);
        if (p.status == CAIRN_OK) pad_level(&p, part, tuples);
        cairn_free(m->env, p.form);
        CAIRN_TRY(p.status);
    }
    return CAIRN_OK;
}
