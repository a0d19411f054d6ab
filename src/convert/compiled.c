// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A member's build, compiled: what can be proved about its order chooses the way, whose
/// functions are loaded, and which counts nodes and fills arrays.

#include "convert/compiled.h"

#include "convert/compiled_blocks.h"
#include "convert/compiled_check.h"
#include "convert/compiled_rank.h"
#include "convert/compiled_taken.h"

#include <string.h>

enum {
    WORTH_LOOKING = 4000, ///< Entries from which looking for functions pays (a guess).
};

static const cairn_way *const ways[] = {
    [CAIRN_STRATEGY_APPEND]  = &cairn_way_append,
    [CAIRN_STRATEGY_SCATTER] = &cairn_way_scatter,
    [CAIRN_STRATEGY_SLOTS]   = &cairn_way_slots,
    [CAIRN_STRATEGY_SORT]    = &cairn_way_sort,
    [CAIRN_STRATEGY_LANES]   = &cairn_way_lanes,
    [CAIRN_STRATEGY_ROWS]    = &cairn_way_rows,
    [CAIRN_STRATEGY_DEALT]   = &cairn_way_dealt,
    [CAIRN_STRATEGY_LINES]   = &cairn_way_lines,
    [CAIRN_STRATEGY_WHOLE]   = &cairn_way_whole,
    [CAIRN_STRATEGY_TAKE]    = &cairn_way_take,
};

cairn_pos cairn_build_entries(const cairn_build *build)
{
    cairn_pos n = 0;

    if (!build->from) return build->entries->n;
    for (int64_t k = 0; k < build->from->parts; k++)
        n += build->from->part[k].nnz;
    return n;
}

cairn_status cairn_build_judge(cairn_build *build)
{
    build->judged_by = cairn_build_entries(build);
    return build->net ? build->net->max(build->net->user, &build->judged_by) : CAIRN_OK;
}

cairn_pos cairn_build_judged_by(const cairn_build *build)
{
    const cairn_pos n = cairn_build_entries(build);

    return build->judged_by > n ? build->judged_by : n;
}

cairn_build_worthy cairn_build_worth(const cairn_env *env, const cairn_build *build)
{
    const cairn_pos n = cairn_build_judged_by(build);

    if (env->options.convert[0])
        return strcmp(env->options.convert, CAIRN_METHOD_REFERENCE) == 0
                   ? CAIRN_BUILD_REFERENCE
                   : CAIRN_BUILD_COMPILED;
    switch ((cairn_kernels_way)env->options.kernels) {
    case CAIRN_KERNELS_COMPILED: return CAIRN_BUILD_COMPILED;
    case CAIRN_KERNELS_REFERENCE: return CAIRN_BUILD_REFERENCE;
    case CAIRN_KERNELS_AUTO: break;
    }
    if (n >= CAIRN_WORTH_COMPILING) return CAIRN_BUILD_COMPILED;
    return n >= WORTH_LOOKING ? CAIRN_BUILD_AT_HAND : CAIRN_BUILD_REFERENCE;
}

/* ---- phases ---- */

cairn_convert_spec cairn_compiled_spec(const cairn_compiled *c,
                                       cairn_convert_phase   phase)
{
    const cairn_blocks *b = c->m->blocks;

    return (cairn_convert_spec){
        .phase      = phase,
        .source     = c->origin.from ? CAIRN_CONVERT_PART : CAIRN_CONVERT_ENTRIES,
        .order      = c->m->layout->order,
        .from       = c->origin.from ? c->origin.from->group[0].layout : NULL,
        .to         = c->m->layout,
        .every      = c->facts.every,
        .filter     = c->origin.filter.member != NULL,
        .rank       = c->m->ranked,
        .rank_query = c->m->rank.query,
        .rank_row   = c->m->rank.row,
        .tables     = c->m->rows.on ? c->m->rows.tables : 0,
        .table_row  = c->m->rows.row,

        .blocks        = b ? &b->tally.query : NULL,
        .block_query   = b ? b->slot : 0,
        .blocks_listed = b && b->tally.listed,
    };
}

cairn_status cairn_compiled_load(cairn_compiled           *c,
                                 const cairn_convert_spec *spec,
                                 cairn_phase              *phase)
{
    if (c->wishes) {
        if (c->wishes->specs < (int)(sizeof c->wishes->spec / sizeof *spec))
            c->wishes->spec[c->wishes->specs++] = *spec;
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_phase_load(
        c->m->env, c->build->loader, spec,
        cairn_build_worth(c->m->env, c->build) != CAIRN_BUILD_COMPILED, phase));
    if (phase->kernel.route > c->route) c->route = phase->kernel.route;
    return CAIRN_OK;
}

/// Levels above the trimmed ones; where there are none, rows that are numbered.
static cairn_lines lines_of(const cairn_compiled *c, cairn_form *row)
{
    const cairn_layout *to    = c->m->layout;
    cairn_lines         lines = {.algebra = to->algebra, .forms = to->first};

    for (int l = 0; l < to->first; l++)
        lines.form[l] = &to->level[l].form;
    if (!c->m->ranked) return lines;
    *row = (cairn_form){.terms = 1, .term = {{.atom = c->m->rank.row, .factor = 1}}};
    lines.dims = 1U << c->m->rank.row;
    if (to->first == 0) lines.form[lines.forms++] = row;
    return lines;
}

/// Do entries of several threads lie where one index of a determined level is? Each of
/// them would write it. With slots a node is one thread's, unless there is one group for
/// all; with lanes a group is.
static bool shares_determined(const cairn_compiled *c)
{
    const cairn_layout *to    = c->m->layout;
    const bool          slots = c->strategy == CAIRN_STRATEGY_SLOTS;
    const bool          alone = !slots || to->first > 0;

    if (!slots && c->strategy != CAIRN_STRATEGY_SCATTER) return false;
    for (int l = to->last + 1; l < to->levels; l++)
        if (to->level[l].determined
            && (!to->level[l].per_node || (!alone && l + 1 < to->levels)))
            return true;
    return false;
}

cairn_status cairn_compiled_divide(cairn_compiled *c, bool groups, int64_t most)
{
    const int64_t     threads = shares_determined(c) ? 1 : c->build->loader->threads;
    const int64_t     slots   = c->m->blocks ? c->m->blocks->threads : INT64_MAX;
    cairn_form        row;
    const cairn_lines lines = lines_of(c, &row);

    if (most > slots) most = slots;

    return cairn_shares_divide(c->m->env, &c->origin, groups ? &lines : NULL,
                               threads < most ? threads : most, &c->shares);
}

cairn_status cairn_compiled_run(const cairn_compiled *c,
                                const cairn_phase    *phase,
                                cairn_kernel_part    *to,
                                cairn_convert_args   *args)
{
    if (c->beside && c->shares.n > 1)
        return cairn_shares_spread(
            c->m->env, &c->shares, &c->origin, phase, to, args,
            c->strategy == CAIRN_STRATEGY_SCATTER ? c->facts.groups : 0);
    return cairn_shares_run(c->m->env, &c->shares, &c->origin, phase, to, args);
}

/* ---- counting ---- */

/// Are all entries nodes, which are therefore known? A part that pads may have others
/// than it was built with.
static bool knows_nodes(const cairn_compiled *c)
{
    return c->facts.every && c->m->layout->banks == 1
           && !(c->origin.from && c->origin.from->group[0].layout->pads);
}

/// What is known to be too large need not be counted, for which groups take as much.
static cairn_status check_least(const cairn_compiled *c)
{
    const cairn_layout *to                      = c->m->layout;
    cairn_pos           nodes[CAIRN_MAX_LEVELS] = {0};
    int64_t             offset = 0, bytes = 0;
    cairn_part          part = {0};

    for (int l = to->first; l <= to->last && knows_nodes(c); l++)
        nodes[l] = c->facts.entries;
    cairn_part_place(to, nodes, NULL, &offset, &bytes, &part);
    return cairn_build_check_memory(c->m->env, c->build,
                                    (__int128)bytes * to->banks - c->taken.bytes);
}

/// The list of banks, and a part without arrays that has the ranges of levels.
static cairn_status make_banks(cairn_compiled *c)
{
    cairn_member_build *m                      = c->m;
    const int64_t       banks                  = m->layout->banks;
    const cairn_pos     none[CAIRN_MAX_LEVELS] = {0}; /* there may be no bank */
    int64_t             offset = 0, bytes = 0;
    const __int128      list =
        (__int128)banks * (int64_t)(sizeof(cairn_part) + sizeof(cairn_bank));

    CAIRN_TRY(cairn_check_memory(m->env, "the list of banks", list));
    CAIRN_TRY(check_least(c));
    CAIRN_TRY(CAIRN_NEW_ZERO(m->env, banks, &m->bank));
    cairn_part_place(m->layout, none, NULL, &offset, &bytes, &c->empty);
    return CAIRN_OK;
}

/// The fewest and the most entries of a row, over all threads.
static void set_spans(const cairn_compiled *c)
{
    int64_t fewest = INT64_MAX, most = 0;

    for (int64_t t = 0; t < c->shares.n; t++) {
        const int64_t *its = c->shares.found + t * CAIRN_CONVERT_FACTS;

        if (its[5] > 0 && its[4] < fewest) fewest = its[4];
        if (its[5] > most) most = its[5];
    }
    cairn_rank_set_spans(c->m, fewest, most);
}

static cairn_status make_counts(cairn_compiled *c)
{
    const cairn_interval rows = c->m->layout->box[c->m->rank.row];

    return CAIRN_NEW_ZERO(c->m->env, rows.hi - rows.lo + 1, &c->origin.counts);
}

/// May a way go? What numbers entries along rows goes with their slots alone.
static cairn_status applies(cairn_compiled *c, cairn_strategy strategy, bool *may)
{
    const bool by_facts = cairn_strategy_applies(strategy, c->m->layout, &c->facts);

    *may = false;
    if (c->m->laned != (strategy == CAIRN_STRATEGY_LANES)) return CAIRN_OK;
    switch (strategy) {
    case CAIRN_STRATEGY_LANES: *may = true; return CAIRN_OK;
    case CAIRN_STRATEGY_ROWS: return cairn_way_rows_fits(c, may);
    case CAIRN_STRATEGY_LINES: *may = cairn_way_lines_fits(c); return CAIRN_OK;
    case CAIRN_STRATEGY_WHOLE:
        *may = cairn_strategy_applies(CAIRN_STRATEGY_SCATTER, c->m->layout, &c->facts)
               && cairn_way_whole_fits(c);
        return CAIRN_OK;
    case CAIRN_STRATEGY_TAKE:
        c->strategy = CAIRN_STRATEGY_APPEND;
        if (!cairn_strategy_applies(c->strategy, c->m->layout, &c->facts))
            return CAIRN_OK;
        cairn_taken_find(c);
        *may = cairn_way_take_fits(c);
        return CAIRN_OK;
    default: *may = by_facts; return CAIRN_OK;
    }
}

/// The way of the method that CAIRN_CONVERT names.
static cairn_status choose_named(cairn_compiled *c, const char *method)
{
    const char *needs = "";
    bool        may;

    for (int k = 0; k < (int)(sizeof ways / sizeof *ways); k++) {
        const cairn_strategy strategy = (cairn_strategy)k;

        if (strcmp(cairn_strategy_name(strategy), method) != 0) continue;
        needs = cairn_strategy_needs(strategy);
        CAIRN_TRY(applies(c, strategy, &may));
        c->strategy = strategy;
        if (may) return CAIRN_OK;
    }
    return cairn_fail(c->m->env, CAIRN_BAD_OPTION,
                      "option: CAIRN_CONVERT: %s does not apply to member %d: %s",
                      method, c->m->number, needs);
}

static cairn_status choose(cairn_compiled *c)
{
    bool by_rows = false;

    if (c->build->dealt) {
        const char *const method = c->m->env->options.convert;
        const bool        named =
            !method[0] || c->build->strict
            || strcmp(method, cairn_strategy_name(CAIRN_STRATEGY_DEALT)) == 0;

        CAIRN_CHECK(
            named && cairn_way_dealt_fits(c->build->dealt, c->m->layout, &c->facts),
            c->m->env, CAIRN_NO_KERNEL,
            "convert: the target is not filled from buckets");
        c->strategy = CAIRN_STRATEGY_DEALT;
        return CAIRN_OK;
    }
    if (c->m->rows.on && !c->m->laned) CAIRN_TRY(cairn_way_rows_fits(c, &by_rows));
    if (c->m->laned)
        c->strategy = CAIRN_STRATEGY_LANES;
    else if (by_rows)
        c->strategy = CAIRN_STRATEGY_ROWS;
    else if (cairn_way_lines_fits(c))
        c->strategy = CAIRN_STRATEGY_LINES;
    else
        c->strategy = cairn_strategy_choose(c->m->layout, &c->facts);
    if (c->strategy == CAIRN_STRATEGY_SCATTER && cairn_way_whole_fits(c))
        c->strategy = CAIRN_STRATEGY_WHOLE;
    /* Rows can be counted where no query asks for it. */
    if (c->strategy == CAIRN_STRATEGY_SORT && !c->m->rows.on && !c->m->ranked)
        CAIRN_TRY(cairn_way_rows_fits(c, &by_rows));
    if (by_rows) c->strategy = CAIRN_STRATEGY_ROWS;
    return CAIRN_OK;
}

/// Choose the way, and load what it needs.
static cairn_status prepare(cairn_compiled *c)
{
    cairn_env *const            env    = c->m->env;
    const char *const           method = env->options.convert;
    const cairn_strategy_source source = cairn_strategy_source_of(&c->origin);

    CAIRN_TRY(cairn_compiled_ranges(c, c->range));
    CAIRN_CHECK(cairn_origin_fits(&c->origin), env, CAIRN_NO_KERNEL,
                "convert: arrays of other widths than their layout's");
    CAIRN_TRY(cairn_strategy_find(env, &source, c->m->layout, c->range, &c->facts));
    if (method[0] && !c->build->strict && !c->build->dealt)
        CAIRN_TRY(choose_named(c, method));
    else
        CAIRN_TRY(choose(c));
    if (c->strategy != CAIRN_STRATEGY_TAKE) cairn_taken_find(c);
    if (!method[0] && cairn_way_take_fits(c)) c->strategy = CAIRN_STRATEGY_TAKE;
    return ways[c->strategy]->load(c);
}

static cairn_status count(cairn_compiled *c)
{
    CAIRN_TRY(prepare(c));
    CAIRN_TRY(cairn_compiled_check_values(c));
    CAIRN_TRY(make_banks(c));
    if (c->m->ranked && !c->m->laned) CAIRN_TRY(make_counts(c));
    CAIRN_TRY(ways[c->strategy]->count(c));
    if (c->m->ranked && !c->m->laned) set_spans(c);
    return CAIRN_OK;
}

/// The queries whose numbers some level needs.
static uint32_t used_queries(const cairn_layout *layout)
{
    uint32_t used = 0;

    for (int l = 0; l < layout->levels; l++)
        used |= cairn_form_queries(layout->algebra, &layout->level[l].form);
    return used;
}

static cairn_status
create(cairn_member_build *m, const cairn_build *build, cairn_compiled **compiled)
{
    cairn_compiled *c;

    CAIRN_TRY(CAIRN_NEW_ZERO(m->env, 1, &c));
    c->m      = m;
    c->build  = build;
    c->origin = (cairn_origin){.entries = &m->entries,
                               .from    = m->direct ? build->from : NULL,
                               .box     = m->layout->box,
                               .filter  = m->filter,
                               .table   = m->rows.on ? m->rows.table : NULL,
                               .rows    = m->rows.n,
                               .blocks  = m->blocks,
                               .set     = m->set,
                               .queries = m->set ? used_queries(m->layout) : 0};
    *compiled = c;
    return CAIRN_OK;
}

void cairn_compiled_foresee(cairn_member_build *m,
                            const cairn_build  *build,
                            cairn_wishes       *wishes)
{
    cairn_compiled *c;

    if (create(m, build, &c) != CAIRN_OK) return;
    c->wishes = wishes;
    prepare(c);
    cairn_compiled_destroy(m->env, &c);
}

cairn_status cairn_compiled_count(cairn_member_build *m,
                                  const cairn_build  *build,
                                  cairn_compiled    **compiled)
{
    cairn_compiled *c;

    CAIRN_TRY(create(m, build, &c));
    const cairn_status status = count(c);

    if (status == CAIRN_OK) {
        *compiled = c;
        return CAIRN_OK;
    }
    cairn_compiled_destroy(m->env, &c);
    cairn_free(m->env, m->bank); /* another way makes its own */
    m->bank = NULL;
    return status;
}

/* ---- filling ---- */

/// Parents of levels with a ptr; indices of determined levels.
static void
set_lengths(const cairn_layout *layout, const cairn_kernel_part *view, int64_t *length)
{
    for (int l = 0; l < layout->levels; l++)
        length[l] = layout->level[l].has_ptr ? view->level[l].ptr_length - 1
                                             : view->level[l].idx_length;
}

/// Room for the indices of every node of level E, which padding needs.
static cairn_status make_tuples(const cairn_compiled *c,
                                const cairn_bank     *bank,
                                int64_t             **tuples,
                                int64_t             **tuple)
{
    const int last = c->m->layout->last;

    if (c->m->ranked || c->strategy == CAIRN_STRATEGY_LINES
        || !cairn_convert_needs_tuples(c->m->layout))
        return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(c->m->env, (last + 1) * bank->nodes[last], tuples));
    for (int l = 0; l <= last; l++)
        tuple[l] = *tuples + l * bank->nodes[last];
    return CAIRN_OK;
}

bool cairn_compiled_writes_all(const cairn_compiled *c)
{
    const cairn_layout *layout = c->m->layout;

    if (c->m->ranked) return true; /* padding is written, too */
    if (c->strategy == CAIRN_STRATEGY_SLOTS
        && (c->tile > 0 || cairn_convert_clears(layout)))
        return true;
    for (int l = 0; l < layout->levels; l++)
        if (layout->level[l].gaps) return false;
    /* Below the trimmed levels there may be positions that no entry writes: holes, too,
       where `pads` speaks of values that a product would meet. */
    return !layout->pads && layout->tuples == 0 && layout->last + 1 == layout->levels;
}

void cairn_compiled_find_zeros(cairn_compiled *c)
{
    const void *block = c->m->layout->banks == 1
                            ? cairn_group_block(c->m->group, c->m->part[0].view.val)
                            : c->m->group->block;

    c->zeros = block && cairn_alloc_is_zero(block);
}

bool cairn_compiled_fits_beside(const cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;

    if (c->shares.n <= 1) return true;
    /* Indices that no entry has are written once, before all shares. */
    for (int l = to->last + 1; l < to->levels; l++)
        if (to->level[l].determined) return false;
    return !c->m->ranked
           && (c->strategy == CAIRN_STRATEGY_SCATTER
               || (c->strategy == CAIRN_STRATEGY_SLOTS && to->first > 0));
}

cairn_status
cairn_compiled_fill(const cairn_compiled *c, int64_t bank, cairn_part *part)
{
    int64_t            length[CAIRN_MAX_LEVELS] = {0};
    int64_t            low[CAIRN_MAX_LEVELS]    = {0};
    int64_t           *tuple[CAIRN_MAX_LEVELS]  = {NULL};
    cairn_convert_args args = {.facts = c->shares.found, .length = length, .low = low};

    for (int l = 0; l < c->m->layout->levels; l++)
        low[l] = c->range[l].lo;
    part->nnz = c->m->bank[bank].end - c->m->bank[bank].begin;
    CAIRN_TRY(cairn_build_check_widths(c->m->env, &part->view));
    set_lengths(c->m->layout, &part->view, length);
    CAIRN_TRY(make_tuples(c, &c->m->bank[bank], &args.tuple, tuple));
    cairn_status status = ways[c->strategy]->fill(c, bank, &args, part);

    if (status == CAIRN_OK && c->m->ranked && !c->m->laned)
        cairn_rank_pad(c->m, c->origin.counts, (int)c->shares.n, part);
    if (status == CAIRN_OK && !c->m->ranked && c->strategy != CAIRN_STRATEGY_LINES)
        status = cairn_build_padding(c->m, part, tuple);
    cairn_free(c->m->env, args.tuple);
    return status;
}

void cairn_compiled_destroy(cairn_env *env, cairn_compiled **compiled)
{
    cairn_compiled *c = *compiled;

    if (!c) return;
    cairn_phase_release(&c->read);
    cairn_phase_release(&c->mirror);
    cairn_phase_release(&c->dealt);
    cairn_phase_release(&c->count);
    cairn_phase_release(&c->fill);
    cairn_phase_release(&c->move);
    cairn_keys_fini(env, &c->keys);
    cairn_shares_fini(env, &c->shares);
    cairn_free(env, c->origin.counts);
    cairn_free(env, c->cursor);
    cairn_free(env, c->slot);
    cairn_free(env, c->list);
    cairn_free(env, c->lane);
    cairn_free(env, c->row_of);
    cairn_free(env, c->order);
    cairn_free(env, c->row_first);
    cairn_free(env, c->place);
    cairn_free(env, c->bank_first);
    cairn_free(env, c->bank_rows);
    cairn_free(env, c);
    *compiled = NULL;
}
