// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A member's build, compiled: of the methods that apply the one whose passes take least
/// is chosen; its functions are loaded, and it counts nodes and fills arrays.

#include "convert/compiled.h"

#include "convert/compiled_blocks.h"
#include "convert/compiled_check.h"
#include "convert/compiled_rank.h"
#include "convert/shared_arrays.h"

#include <string.h>

enum {
    WORTH_LOOKING = 4000, ///< Entries from which looking for functions pays (a guess).
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
    const bool          slots = c->method == &cairn_method_groups;
    const bool          alone = !slots || to->first > 0;

    if (!slots && c->method != &cairn_method_scatter) return false;
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
        return cairn_shares_spread(c->m->env, &c->shares, &c->origin, phase, to, args,
                                   c->method == &cairn_method_scatter ? c->facts.groups
                                                                      : 0);
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

/* ---- passes ---- */

/// Numbers along rows are given, and what they pad is written, beside methods that know of
/// none.
static bool is_numbered_beside(const cairn_compiled *c)
{
    return c->m->ranked && !c->m->laned;
}

/// Does some level need indices where there is no entry?
static bool pads_beside(const cairn_compiled *c)
{
    return is_numbered_beside(c)
           || (!c->m->ranked && c->method != &cairn_method_lines
               && cairn_convert_needs_tuples(c->m->layout));
}

static cairn_pass_writer start_writing(const cairn_compiled *c,
                                       cairn_pass_list      *program)
{
    const cairn_layout *to = c->m->layout;
    const cairn_layout *from =
        c->origin.from ? c->origin.from->group[c->origin.member].layout : NULL;
    const double         entries = c->facts.entries ? (double)c->facts.entries : 1;
    const double         all     = (double)cairn_build_entries(c->build);
    const double         looks   = c->origin.filter.member ? all / entries : 1;
    const cairn_interval rows    = c->origin.box[0];
    cairn_pass_writer    w       = {
                 .program = program,
                 .pass    = {.method = c->method->name,
                             .member = c->m->number,
                             .index  = cairn_pass_list_last_index(program, c->m->number)},
                 .read    = looks * cairn_pass_entry_bytes(from, to->order),
                 .values  = looks * to->value_bits / 8,
                 .written = (double)cairn_pass_entry_bytes(to, to->order),
                 .groups  = (double)c->facts.groups / entries,
                 .rows    = (double)(rows.hi - rows.lo + 1) / entries,
                 .arrays  = cairn_pass_arrays(to),
    };

    for (int l = 0; l < to->levels; l++)
        w.ptrs |= w.arrays & CAIRN_PASS_PTR(l);
    return w;
}

cairn_status cairn_compiled_passes(const cairn_compiled *c, cairn_pass_list *program)
{
    cairn_pass_writer w     = start_writing(c, program);
    const int         first = program->passes;

    if (is_numbered_beside(c))
        CAIRN_TRY(cairn_passes_number(&w, CAIRN_UNIT_ENTRY, CAIRN_NUMBER_RANK, 0));
    CAIRN_TRY(c->method->passes(c, &w));
    if (pads_beside(c)) CAIRN_TRY(cairn_passes_pad(&w));
    return cairn_pass_list_explain(program, first, c->alternatives, c->alternative);
}

/* ---- the choice ---- */

/// Of the methods that go by what numbers the member has, by its source, and by name if
/// one is asked for.
static bool is_considered(const cairn_compiled *c, const cairn_method *method)
{
    return c->m->laned == (method == &cairn_method_row_slots)
           && (c->build->dealt != NULL) == (method == &cairn_method_partitioned)
           && (c->build->strict || cairn_method_allowed(c->m->env, method));
}

/// What the passes of a method would take; -1: it does not apply.
static cairn_status
predict(cairn_compiled *c, const cairn_method *method, cairn_alternative *its)
{
    cairn_pass_list program;
    bool            may = false;

    *its      = (cairn_alternative){.method = method->name, .seconds = -1};
    c->method = method;
    c->taken  = (cairn_taken){0};
    CAIRN_TRY(method->applies(c, &may));
    if (!may) return CAIRN_OK;
    cairn_pass_list_init(&program, c->m->env);
    c->alternatives           = 0;
    const cairn_status status = cairn_compiled_passes(c, &program);

    if (status == CAIRN_OK)
        cairn_pass_list_sum(&program, 0, c->facts.entries, &its->bytes, &its->seconds);
    cairn_pass_list_fini(&program);
    return status;
}

/// Keep what else would have done, each name once.
static void keep_others(cairn_compiled *c, const cairn_alternative *all, int chosen)
{
    c->alternatives = 0;
    for (int k = 0; k < CAIRN_METHODS; k++) {
        bool known = all[k].seconds < 0 || all[k].method == all[chosen].method;

        for (int a = 0; a < c->alternatives; a++)
            known = known || c->alternative[a].method == all[k].method;
        if (!known) c->alternative[c->alternatives++] = all[k];
    }
}

static cairn_status none_applies(const cairn_compiled *c)
{
    const char *const word  = c->m->env->options.convert;
    const char       *needs = "";

    CAIRN_CHECK(!c->build->dealt, c->m->env, CAIRN_NO_KERNEL,
                "convert: the target is not filled from buckets");
    for (int k = 0; k < CAIRN_METHODS; k++)
        if (strcmp(cairn_methods[k]->name, word) == 0) needs = cairn_methods[k]->needs;
    return cairn_fail(c->m->env, CAIRN_BAD_OPTION,
                      "option: CAIRN_CONVERT: %s does not apply to member %d: %s", word,
                      c->m->number, needs);
}

/// Take the method whose passes take least.
static cairn_status choose(cairn_compiled *c)
{
    cairn_alternative all[CAIRN_METHODS];
    bool              may;
    int               best = -1;

    for (int k = 0; k < CAIRN_METHODS; k++) {
        all[k] = (cairn_alternative){.seconds = -1};
        if (!is_considered(c, cairn_methods[k])) continue;
        CAIRN_TRY(predict(c, cairn_methods[k], &all[k]));
        if (all[k].seconds < 0) continue;
        if (best < 0 || all[k].seconds < all[best].seconds) best = k;
    }
    if (best < 0) return none_applies(c);
    keep_others(c, all, best);
    c->method = cairn_methods[best];
    c->taken  = (cairn_taken){0};
    return c->method->applies(c, &may);
}

cairn_status cairn_compiled_choose(cairn_compiled *c)
{
    cairn_env *const         env    = c->m->env;
    const cairn_source_facts source = cairn_source_facts_of(&c->origin);

    CAIRN_TRY(cairn_compiled_ranges(c, c->range));
    CAIRN_CHECK(cairn_origin_fits(&c->origin), env, CAIRN_NO_KERNEL,
                "convert: arrays of other widths than their layout's");
    CAIRN_TRY(cairn_facts_find(env, &source, c->m->layout, c->range, &c->facts));
    return choose(c);
}

static cairn_status prepare(cairn_compiled *c)
{
    CAIRN_TRY(cairn_compiled_choose(c));
    return c->method->load(c);
}

/* ---- counting ---- */

static cairn_status count(cairn_compiled *c)
{
    CAIRN_TRY(prepare(c));
    CAIRN_TRY(cairn_compiled_check_values(c));
    CAIRN_TRY(make_banks(c));
    if (c->m->ranked && !c->m->laned) CAIRN_TRY(make_counts(c));
    CAIRN_TRY(c->method->count(c));
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

cairn_status cairn_compiled_create(cairn_member_build *m,
                                   const cairn_build  *build,
                                   cairn_compiled    **compiled)
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

void cairn_compiled_foresee(cairn_member_build    *m,
                            const cairn_build     *build,
                            cairn_kernel_requests *wishes)
{
    cairn_compiled *c;

    if (cairn_compiled_create(m, build, &c) != CAIRN_OK) return;
    c->wishes = wishes;
    prepare(c);
    cairn_compiled_destroy(m->env, &c);
}

cairn_status cairn_compiled_count(cairn_member_build *m,
                                  const cairn_build  *build,
                                  cairn_compiled    **compiled)
{
    cairn_compiled *c;

    CAIRN_TRY(cairn_compiled_create(m, build, &c));
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

    if (c->m->ranked || c->method == &cairn_method_lines
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
    if (c->method == &cairn_method_groups
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
           && (c->method == &cairn_method_scatter
               || (c->method == &cairn_method_groups && to->first > 0));
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
    cairn_status status = c->method->fill(c, bank, &args, part);

    if (status == CAIRN_OK && c->m->ranked && !c->m->laned)
        cairn_rank_pad(c->m, c->origin.counts, (int)c->shares.n, part);
    if (status == CAIRN_OK && !c->m->ranked && c->method != &cairn_method_lines)
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
