// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop over the passes of a member: those that count, number and sort; then, once
/// memory was checked and arrays are there, those that write them.

#include "convert/card.h"
#include "convert/compiled.h"
#include "convert/compiled_check.h"
#include "convert/given_arrays.h"
#include "convert/members/assign_members.h"
#include "convert/numbers/compiled_blocks.h"
#include "convert/padding/padding_chunks.h"
#include "convert/passes.h"

#include <assert.h>

/* ---- threads ---- */

/// Levels above the trimmed ones; where there are none, rows that are numbered.
static cairn_lines lines_of(const cairn_compiled *c, cairn_form *row)
{
    const cairn_layout *to    = c->m->layout;
    cairn_lines         lines = {.algebra = to->algebra, .forms = to->first};

    for (int l = 0; l < to->first; l++)
        lines.form[l] = &to->level[l].form;
    if (!c->m->rows.along) return lines;
    *row = (cairn_form){.terms = 1, .term = {{.atom = c->m->rows.row, .factor = 1}}};
    lines.dims = 1U << c->m->rows.row;
    if (to->first == 0) lines.form[lines.forms++] = row;
    return lines;
}

/// Do entries of several threads lie where one index of a determined level is? Each of
/// them would write it. With nodes of its own a node is one thread's, unless there is one
/// group for all; with cursors of its own a group is.
static bool shares_determined(const cairn_compiled *c)
{
    const cairn_layout          *to    = c->m->layout;
    const cairn_source_division *how   = &c->program.division;
    const bool                   alone = !how->nodes || to->first > 0;

    if (!how->nodes && !how->cursors) return false;
    for (int l = to->last + 1; l < to->levels; l++)
        if (to->level[l].determined.on
            && (!to->level[l].determined.per_node || (!alone && l + 1 < to->levels)))
            return true;
    return false;
}

/// Entries from which threads pay. Indices that mirroring spares are worth more than a
/// second thread for few entries.
static cairn_pos worth_of(const cairn_compiled *c)
{
    const cairn_pos entries = c->facts.entries;
    const bool      few = entries >= CAIRN_RANGES_DEALT && entries < CAIRN_RANGES_WORTH;

    return few && c->program.division.cursors && !cairn_mirror_spares(c)
               ? CAIRN_RANGES_DEALT
               : CAIRN_RANGES_WORTH;
}

/// Divide the source, unless rows are divided once they are counted.
static cairn_status divide(cairn_compiled *c)
{
    const cairn_source_division *how = &c->program.division;
    const int64_t     threads = shares_determined(c) ? 1 : c->build->loader->threads;
    const int64_t     slots   = c->m->blocks ? c->m->blocks->threads : INT64_MAX;
    const int64_t     most    = how->most < slots ? how->most : slots;
    cairn_form        row;
    const cairn_lines lines = lines_of(c, &row);

    assert(c->ranges.n == 0);
    if (how->rows) return CAIRN_OK;
    CAIRN_TRY(cairn_thread_ranges_divide(
        c->m->env, &c->origin, how->groups ? &lines : NULL,
        threads < most ? threads : most, threads > 1 ? worth_of(c) : CAIRN_RANGES_WORTH,
        &c->ranges));
    /* Who sleeps wakes while functions are looked for. */
    if (c->ranges.few)
        cairn_thread_team_do(&c->m->env->thread_team, (int)c->ranges.n, NULL, NULL, 0);
    return CAIRN_OK;
}

cairn_status cairn_compiled_run(const cairn_compiled *c,
                                const cairn_phase    *phase,
                                cairn_kernel_part    *to,
                                cairn_convert_args   *args)
{
    assert(phase && c->ranges.n > 0);
    assert(!c->ranges.few || cairn_compiled_fits_beside(c));
    if (c->ranges.n > 1 && (c->stores.concurrent || c->ranges.few))
        return cairn_thread_ranges_spread(
            c->m->env, &c->ranges, &c->origin, phase, to, args,
            c->program.division.cursors ? c->facts.groups : 0);
    return cairn_thread_ranges_run(c->m->env, &c->ranges, &c->origin, phase, to, args);
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
                                    (__int128)bytes * to->banks - c->shared.bytes);
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

    assert(!m->bank);
    CAIRN_TRY(cairn_check_memory(m->env, "the list of banks", list));
    CAIRN_TRY(check_least(c));
    CAIRN_TRY(CAIRN_NEW_ZERO(m->env, banks, &m->bank));
    cairn_part_place(m->layout, none, NULL, &offset, &bytes, &c->empty);
    return CAIRN_OK;
}

/// The loop before there are arrays, from pass @p first on. Where what a pass assumes
/// breaks, those that it has for that go on. A rank that fails goes on to where all meet
/// next.
/// @param[out] met  There they met, and all have failed.
static cairn_status run_passes(cairn_compiled *c, int first, bool *met)
{
    cairn_status status = CAIRN_OK;

    *met = false;
    assert(first >= 0 && first <= c->program.list.passes);
    for (int k = first; k < c->program.list.passes && !*met; k++) {
        const cairn_pass_work *work = c->program.step[k].work;

        if (!work || !work->prepare) continue;
        if (work->together) status = cairn_build_all_compiled(c->build, status);
        *met    = work->together && status != CAIRN_OK;
        c->step = &c->program.step[k];
        if (status == CAIRN_OK) status = work->prepare(c);
        if (status == CAIRN_OK && c->step->broken) {
            status = cairn_passes_go_on(&c->program, k, &k);
            k--;
        }
    }
    return status;
}

/// Append the passes that had something to do.
static cairn_status note_passes(cairn_compiled *c, cairn_pass_list *ran)
{
    cairn_pass_list *list = &c->program.list;
    int              kept = 0;

    for (int k = 0; k < list->passes; k++)
        if (!c->program.step[k].idle) list->pass[kept++] = list->pass[k];
    assert(kept <= list->passes);
    list->passes = kept;
    return cairn_pass_list_append(ran, list, 0);
}

cairn_status cairn_compiled_run_early(cairn_member_build *m,
                                      const cairn_build  *build,
                                      const cairn_origin *origin,
                                      cairn_early_passes  write,
                                      cairn_status        status,
                                      cairn_pass_list    *ran)
{
    cairn_compiled *c   = NULL;
    bool            met = false;

    assert(!m->layout && !m->compiled); /* passes that come before a layout */
    if (status == CAIRN_OK) status = cairn_compiled_create(m, build, &c);
    if (status == CAIRN_OK) {
        cairn_pass_writer w = cairn_passes_begin_early(c);

        c->origin = *origin;
        status    = write(c, &w);
    }
    if (status == CAIRN_OK) status = run_passes(c, 0, &met);
    if (status == CAIRN_OK) status = note_passes(c, ran);
    cairn_compiled_destroy(m->env, &c);
    return met ? status : cairn_build_all_compiled(build, status);
}

/// Of the passes from @p first on.
static cairn_status prepare_passes(cairn_compiled *c, int first)
{
    bool met;

    CAIRN_TRY(run_passes(c, first, &met));
    assert(c->ranges.n > 0);
    return CAIRN_OK;
}

static cairn_status prepare(cairn_compiled *c)
{
    CAIRN_TRY(cairn_compiled_choose(c));
    if (!cairn_append_arrays_looks(c)) CAIRN_TRY(cairn_given_look_now(c->origin.from));
    CAIRN_TRY(divide(c));
    CAIRN_TRY(cairn_passes_load(c));
    CAIRN_TRY(cairn_compiled_check_values(c));
    CAIRN_TRY(make_banks(c));
    return prepare_passes(c, 0);
}

cairn_status cairn_compiled_count(cairn_member_build *m,
                                  const cairn_build  *build,
                                  cairn_compiled    **compiled)
{
    cairn_compiled *c;

    assert(m->layout && !m->bank && !m->compiled);
    CAIRN_TRY(cairn_compiled_create(m, build, &c));
    const cairn_status status = prepare(c);

    if (status == CAIRN_OK) {
        assert(cairn_banks_follow(m));
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
        length[l] = layout->level[l].arrays.has_ptr ? view->level[l].ptr_length - 1
                                                    : view->level[l].idx_length;
}

/// Room for the indices of every node of level E, which padding needs: of as many banks as
/// there may be each has what the largest before it had.
static cairn_status
make_tuples(cairn_compiled *c, const cairn_bank *bank, int64_t **tuple)
{
    cairn_member_program *program = &c->program;
    const int             last    = c->m->layout->last;

    if (!program->tuples) return CAIRN_OK;
    const int64_t need = (last + 1) * bank->nodes[last];

    if (!program->tuple || need > program->tuple_room) {
        cairn_free(c->m->env, program->tuple);
        program->tuple      = NULL;
        program->tuple_room = need;
        CAIRN_TRY(CAIRN_NEW(c->m->env, need, &program->tuple));
    }
    for (int l = 0; l <= last; l++)
        tuple[l] = program->tuple + l * bank->nodes[last];
    return CAIRN_OK;
}

static void free_tuples(cairn_env *env, cairn_member_program *program)
{
    cairn_free(env, program->tuple);
    program->tuple = NULL;
}

/// Is there a gap, or a field between others?
static bool has_strays(const cairn_layout *layout)
{
    for (int l = 0; l < layout->levels; l++)
        if (layout->level[l].gaps) return true;
    return layout->packs.count > 0;
}

cairn_clearing cairn_compiled_clears(const cairn_compiled *c)
{
    const cairn_layout *layout = c->m->layout;

    if (c->m->rows.along) return CAIRN_CLEAR_NONE; /* padding is written, too */
    if (c->program.division.nodes
        && (c->stores.tile > 0 || cairn_convert_clears(layout)))
        return CAIRN_CLEAR_NONE;
    if (has_strays(layout)) return CAIRN_CLEAR_ALL;
    /* Below the trimmed levels there may be positions that no entry writes: holes, too,
       where `pads` speaks of values that a product would meet. */
    if (!layout->pads && layout->last + 1 == layout->levels) return CAIRN_CLEAR_NONE;
    return cairn_pass_phase(c, CAIRN_CONVERT_FILL)
                   || cairn_pass_keys_phase(c, CAIRN_CONVERT_FILL)
               ? CAIRN_CLEAR_POSITIONS
               : CAIRN_CLEAR_ALL;
}

void cairn_compiled_find_zeros(cairn_compiled *c)
{
    const void *block = c->m->layout->banks == 1
                            ? cairn_group_block(c->m->group, c->m->part[0].view.val)
                            : c->m->group->block;

    c->stores.zeros = block && cairn_alloc_is_zero(block);
}

bool cairn_compiled_fits_beside(const cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;

    if (c->ranges.n <= 1) return true;
    /* Indices that no entry has are written once, before all ranges. */
    for (int l = to->last + 1; l < to->levels; l++)
        if (to->level[l].determined.on) return false;
    return !c->m->rows.along
           && (c->program.division.cursors
               || (c->program.division.nodes && to->first > 0));
}

/// Each pass has arguments of its own. Where one finds that what it assumes does not hold,
/// what goes on has to be prepared first.
///
/// @param length, low  [levels]
static cairn_status write_all(cairn_compiled        *c,
                              int64_t               *length,
                              int64_t               *low,
                              const cairn_pass_call *of_bank)
{
    for (int k = 0; k < c->program.list.passes; k++) {
        const cairn_pass_work *work = c->program.step[k].work;

        c->step = &c->program.step[k];
        if (work && work->write) {
            cairn_convert_args args = {.facts  = c->ranges.found,
                                       .length = length,
                                       .low    = low,
                                       .tuple  = c->program.tuple};
            cairn_pass_call    call = *of_bank;

            call.pass = &c->program.list.pass[k];
            call.args = &args;
            CAIRN_TRY(work->write(c, &call));
        }
        if (!c->step->broken) continue;
        assert(of_bank->bank == 0); /* of others something would be written */
        CAIRN_TRY(cairn_passes_go_on(&c->program, k, &k));
        CAIRN_TRY(prepare_passes(c, k));
        k--;
    }
    return CAIRN_OK;
}

cairn_status cairn_compiled_fill(cairn_compiled *c, int64_t bank, cairn_part *part)
{
    int64_t  length[CAIRN_MAX_LEVELS], low[CAIRN_MAX_LEVELS];
    int64_t *tuple[CAIRN_MAX_LEVELS] = {NULL};

    assert(bank >= 0 && bank < c->m->layout->banks && part->layout == c->m->layout);
    assert(c->m->part && c->ranges.n > 0); /* counted, and allocated */
    for (int l = 0; l < c->m->layout->levels; l++)
        low[l] = c->range[l].lo;
    part->nnz = c->m->bank[bank].end - c->m->bank[bank].begin;
    CAIRN_TRY(cairn_build_check_widths(c->m->env, &part->view));
    set_lengths(c->m->layout, &part->view, length);
    CAIRN_TRY(make_tuples(c, &c->m->bank[bank], tuple));
    const cairn_status status = write_all(
        c, length, low, &(cairn_pass_call){.bank = bank, .part = part, .tuple = tuple});

    if (bank == c->m->layout->banks - 1) free_tuples(c->m->env, &c->program);
    return status;
}

void cairn_compiled_destroy(cairn_env *env, cairn_compiled **compiled)
{
    cairn_compiled *c = *compiled;

    if (!c) return;
    cairn_card_close(env, &c->program.card);
    cairn_padding_destroy(env, &c->program.padding);
    free_tuples(env, &c->program);
    cairn_passes_fini(&c->program);
    cairn_keys_fini(env, &c->keys);
    cairn_thread_ranges_fini(env, &c->ranges);
    cairn_line_index_fini(env, &c->groups);
    cairn_free(env, c->slots.lane);
    cairn_free(env, c->slots.row_of);
    cairn_free(env, c->rows.order);
    cairn_free(env, c->rows.first);
    cairn_free(env, c->rows.place);
    cairn_free(env, c->rows.marks);
    cairn_free(env, c->rows.bank_first);
    cairn_free(env, c->rows.bank_rows);
    cairn_free(env, c);
    *compiled = NULL;
}
