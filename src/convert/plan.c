// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The plan of a member: facts, once; then of the methods that apply the one whose program
/// takes least.

#include "convert/card.h"
#include "convert/compiled_check.h"
#include "convert/members/assign_members.h"
#include "convert/numbers/compiled_blocks.h"
#include "convert/passes.h"

#include <assert.h>
#include <string.h>

cairn_convert_spec cairn_compiled_spec(const cairn_compiled *c,
                                       cairn_convert_phase   phase)
{
    const cairn_numbered_rows *rows = &c->m->rows;
    const cairn_blocks        *b    = c->m->blocks;

    return (cairn_convert_spec){
        .phase          = phase,
        .source         = c->origin.from ? CAIRN_CONVERT_PART : CAIRN_CONVERT_ENTRIES,
        .order          = c->build->shape.order,
        .from           = c->origin.from ? c->origin.from->group[0].layout : NULL,
        .to             = c->m->layout,
        .of_entries     = c->facts.of_entries,
        .members.one    = c->origin.filter.member != NULL,
        .along.on       = rows->along,
        .along.query    = rows->slot,
        .along.row      = rows->row,
        .tables.queries = rows->on ? rows->tables : 0,
        .tables.row     = rows->row,
        .blocks.query   = b ? &b->counter.query : NULL,
        .blocks.number  = b ? b->slot : 0,
        .blocks.listed  = b && b->counter.index.listed,
        .blocks.each    = b && cairn_blocks_of_entries(b),
    };
}

/* ---- programs ---- */

/// Does some level have indices where there is no entry, of which the method's passes know
/// nothing?
static bool pads_beside(const cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;

    for (int l = to->last + 1; l < to->levels; l++)
        if (to->level[l].determined.on) return !c->program.pads;
    return false;
}

/// The method's passes, and those beside them.
static cairn_status write_program(cairn_compiled *c)
{
    cairn_pass_writer w = cairn_passes_begin(c);

    CAIRN_TRY(c->choice.method->passes(c, &w));
    if (!pads_beside(c)) return CAIRN_OK;
    assert(w.assuming < 0); /* both ways to go on would have to pad */
    c->program.tuples = cairn_convert_needs_tuples(c->m->layout);
    return cairn_passes_pad(&w, &cairn_pad_nodes);
}

/* Indices of groups go on from those of queries, by which passes before a count go. */
cairn_status cairn_compiled_passes(const cairn_compiled *c, cairn_pass_list *program)
{
    const int last  = cairn_pass_list_last_index(program, c->m->number);
    const int first = program->passes;

    CAIRN_TRY(cairn_pass_list_append(program, &c->program.list, 0));
    for (int k = first; k < program->passes; k++)
        if (program->pass[k].index < 0) program->pass[k].index = last;
    return cairn_pass_list_explain(program, first, c->choice.alternatives,
                                   c->choice.alternative);
}

/* ---- the choice ---- */

/// Of the methods that go by what numbers the member has, by its source, and by name if
/// one is asked for.
static bool is_considered(const cairn_compiled *c, const cairn_method *method)
{
    const cairn_conversion_card *card = c->build->loader->card;
    /* What was asked for and failed is done in any other way. */
    const bool any = card && card->failed;

    return (method == &cairn_method_card
            || c->m->rows.along == (method == &cairn_method_row_slots))
           && (c->build->bucketed != NULL) == (method == &cairn_method_partitioned)
           && (c->build->duty == CAIRN_BUILD_STRICT || any
               || cairn_method_allowed(c->m->env, method));
}

/// What the passes of a method would take; -1: it does not apply.
static cairn_status
predict(cairn_compiled *c, const cairn_method *method, cairn_alternative *its)
{
    bool may = false;

    *its             = (cairn_alternative){.method = method->name, .seconds = -1};
    c->choice.method = method;
    c->shared        = (cairn_shared_arrays){0};
    CAIRN_TRY(method->applies(c, &may));
    if (!may) return CAIRN_OK;
    CAIRN_TRY(write_program(c));
    cairn_pass_list_predict(&c->program.list, c->build->loader->moves, c->facts.entries,
                            its);
    return CAIRN_OK;
}

/// Keep what else would have done, each name once.
static void keep_others(cairn_compiled *c, const cairn_alternative *all, int chosen)
{
    c->choice.alternatives = 0;
    for (int k = 0; k < CAIRN_METHODS; k++) {
        bool known = all[k].seconds < 0 || all[k].method == all[chosen].method;

        for (int a = 0; a < c->choice.alternatives; a++)
            known = known || c->choice.alternative[a].method == all[k].method;
        if (!known) c->choice.alternative[c->choice.alternatives++] = all[k];
    }
}

static cairn_status none_applies(const cairn_compiled *c)
{
    const char *const word  = c->m->env->options.convert;
    const char       *needs = "", *why;

    CAIRN_CHECK(!c->build->bucketed, c->m->env, CAIRN_NO_KERNEL,
                "convert: the target is not filled from buckets");
    CAIRN_CHECK(word[0], c->m->env, CAIRN_NO_KERNEL, "convert: %s",
                cairn_method_sort.needs);
    for (int k = 0; k < CAIRN_METHODS; k++)
        if (strcmp(cairn_methods[k]->name, word) == 0) needs = cairn_methods[k]->needs;
    if (strcmp(word, cairn_method_card.name) == 0 && !cairn_card_can(c, &why))
        needs = why;
    return cairn_fail(c->m->env, CAIRN_BAD_OPTION,
                      "option: CAIRN_CONVERT: %s does not apply to member %d: %s", word,
                      c->m->number, needs);
}

/// Nodes of one trimmed level may be the groups by which entries were assigned to
/// members.
static cairn_status find_known(cairn_compiled *c)
{
    const int E = c->m->layout->last;

    if (!c->origin.filter.groups || E < 0) return CAIRN_OK;
    return cairn_member_groups_fit(c->origin.filter.groups, c->m->layout, c->range[E],
                                   &c->choice.known);
}

/* What is learned differs a little from run to run, and the same conversion is to be done in
   the same way: only a method that takes less than this share of another's time is better. */
static const double surely_less = 0.8;

/// Take the method whose passes take least by shipped rates, the first of equals; another
/// where it is surely better by rates that were learned.
static cairn_status choose(cairn_compiled *c)
{
    cairn_alternative all[CAIRN_METHODS];
    bool              may;
    int               best = -1, quick = -1;

    for (int k = 0; k < CAIRN_METHODS; k++) {
        all[k] = (cairn_alternative){.seconds = -1};
        if (!is_considered(c, cairn_methods[k])) continue;
        CAIRN_TRY(predict(c, cairn_methods[k], &all[k]));
        if (all[k].seconds < 0) continue;
        if (best < 0 || all[k].shipped < all[best].shipped) best = k;
        if (quick < 0 || all[k].seconds < all[quick].seconds) quick = k;
    }
    if (best < 0) return none_applies(c);
    if (all[quick].seconds < surely_less * all[best].seconds) best = quick;
    keep_others(c, all, best);
    c->choice.method = cairn_methods[best];
    c->shared        = (cairn_shared_arrays){0};
    CAIRN_TRY(c->choice.method->applies(c, &may));
    CAIRN_TRY(find_known(c));
    return write_program(c);
}

cairn_status cairn_compiled_choose(cairn_compiled *c)
{
    cairn_env *const         env    = c->m->env;
    const cairn_source_facts source = cairn_source_facts_of(&c->origin);

    CAIRN_TRY(cairn_compiled_ranges(c, c->range));
    CAIRN_CHECK(cairn_origin_fits(&c->origin), env, CAIRN_NO_KERNEL,
                "convert: arrays of other widths than their layout's");
    CAIRN_TRY(cairn_facts_find(env, c->build->format, &source, c->m->layout, c->range,
                               &c->facts));
    return choose(c);
}

/// The queries whose numbers some level needs.
static uint32_t used_queries(const cairn_layout *layout)
{
    uint32_t used = 0;

    for (int l = 0; l < layout->levels; l++)
        used |= cairn_form_queries(layout->algebra, &layout->level[l].form);
    return used;
}

cairn_status cairn_compiled_create(cairn_member_build *m,
                                   const cairn_build  *build,
                                   cairn_compiled    **compiled)
{
    cairn_compiled *c;

    CAIRN_TRY(CAIRN_NEW_ZERO(m->env, 1, &c));
    c->m      = m;
    c->build  = build;
    c->origin = (cairn_origin){
        .entries = &m->source.entries,
        .from    = m->source.direct ? build->from : NULL,
        .box     = build->box,
        .filter  = m->source.filter,
        .table   = m->rows.on ? m->rows.table : NULL,
        .rows    = m->rows.n,
        .groups  = cairn_blocks_numbers(m->blocks),
        .set     = m->set,
        .queries =
            m->set && m->layout ? used_queries(m->layout) & m->rows.interpreted : 0};
    cairn_pass_list_init(&c->program.list, m->env);
    *compiled = c;
    return CAIRN_OK;
}
