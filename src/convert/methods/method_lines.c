// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of groups that were numbered along lines: each line has slots in a group of
/// the layout (convert/passes/pass_lines.c).

#include "convert/numbers/compiled_blocks.h"
#include "convert/passes.h"

/* Positions are 32 bits wide. */
#define MOST ((int64_t)UINT32_MAX - 1)

/* ---- what fits ---- */

static bool is_var(const cairn_linear *linear, int var)
{
    return linear->terms == 1 && linear->var[0] == var && linear->num[0] == 1
           && linear->constant == 0 && linear->den == 1;
}

/// Is the index found by one look for a number in a line, which the levels above give, and
/// is there nothing else to be held against it?
static bool
is_looked_up(const cairn_layout *to, const cairn_level *level, const cairn_blocks *b)
{
    const cairn_recipe *recipe = &level->determined.recipe;
    const cairn_step   *step   = recipe->step;

    if (!level->determined.per_node || recipe->steps != 1 || recipe->dims != 0
        || step->kind != CAIRN_STEP_QUERY || step->query != b->slot
        || !is_var(&step->in, to->last)
        || !is_var(&recipe->result, step->var + b->form[b->outer].given))
        return false;
    for (int g = 0; g < step->groups; g++)
        for (int t = 0; t < step->group[g].terms; t++)
            if (step->group[g].var[t] == to->last) return false;
    return level->range.lo == 0 && level->range.hi == b->along.places - 1;
}

/// Is a level's form the enum's number, by itself?
static bool is_number(const cairn_layout *to, int l, int query)
{
    const cairn_atom *atom =
        cairn_form_single(to->algebra, &to->level[l].form, CAIRN_ATOM_QUERY);

    return atom && atom->number == query;
}

/// Is the sum over the groups that of the entries?
static bool adds_ones(const cairn_query *sum)
{
    for (int k = 0; k < sum->cases; k++)
        if (sum->when[k].start.value > 1) return false;
    return sum->otherwise.value <= 1;
}

bool cairn_lines_fit(const cairn_compiled *c)
{
    const cairn_blocks *b  = c->m->blocks;
    const cairn_layout *to = c->m->layout;
    const int           S = to->first, D = cairn_lines_index_level(to);

    if (!b || b->joint || b->forms != b->outer + 1 || S != to->last
        || to->packs.count > 0 || to->partition >= 0
        || (S > 0 && !to->level[S].arrays.has_ptr) || to->level[S].gaps
        || !is_number(to, S, b->slot) || D == to->levels
        || !is_looked_up(to, &to->level[D], b))
        return false;
    for (int l = 0; l < to->levels; l++)
        if (l != D && (to->level[l].determined.on || (l != S && to->level[l].indirect)))
            return false;
    return c->facts.trusted && (cairn_lines_are_exact(c) || adds_ones(&b->query))
           && c->facts.entries <= MOST && c->facts.groups <= MOST;
}

static cairn_status applies(cairn_compiled *c, bool *may)
{
    *may = cairn_lines_fit(c);
    return CAIRN_OK;
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    cairn_convert_spec fill = cairn_compiled_spec(c, CAIRN_CONVERT_RANKED);

    fill.omit.determined      = true;
    w->program->division.most = INT64_MAX;
    CAIRN_TRY(cairn_passes_offsets(w, &cairn_offsets_of_lines));
    CAIRN_TRY(cairn_passes_move(w, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY,
                                CAIRN_STORES_DIRECT, &cairn_move_to_lines));
    cairn_passes_call(w, &fill);
    return cairn_passes_pad(w, &cairn_pad_lines);
}

const cairn_method cairn_method_lines = {
    .name    = "groups",
    .needs   = "one trimmed level of few indices, or queries that number groups",
    .applies = applies,
    .passes  = passes,
};
