// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Programs written, with their bytes, and their functions.

#include "convert/member_program.h"

#include "convert/compiled.h"

#include <assert.h>

/* ---- writing ---- */

static void clear(cairn_member_program *program)
{
    cairn_pass_list_clear(&program->list);
    program->functions = 0;
    program->pads = program->tuples = false;
    program->division               = (cairn_source_division){.most = 1};
}

cairn_pass_writer cairn_passes_begin(cairn_compiled *c)
{
    const cairn_layout   *to      = c->m->layout;
    const cairn_layout   *from    = cairn_origin_layout(&c->origin);
    const double          entries = c->facts.entries ? (double)c->facts.entries : 1;
    const double          all     = (double)cairn_build_entries(c->build);
    const double          looks   = c->origin.filter.member ? all / entries : 1;
    const cairn_interval  rows    = c->origin.box[0];
    cairn_member_program *program = &c->program;
    cairn_pass_writer     w       = {
                  .program  = program,
                  .assuming = -1,
                  .pass = {.method = c->choice.method->name, .member = c->m->number, .index = -1},
                  .read    = looks * cairn_pass_entry_bytes(from, to->order),
                  .values  = looks * to->values.bits / 8,
                  .written = (double)cairn_pass_entry_bytes(to, to->order),
                  .groups  = (double)c->facts.groups / entries,
                  .rows    = (double)(rows.hi - rows.lo + 1) / entries,
                  .arrays  = cairn_pass_arrays(to),
    };

    for (int l = 0; l < to->levels; l++)
        w.ptrs |= w.arrays & CAIRN_PASS_PTR(l);
    clear(program);
    return w;
}

cairn_pass_writer cairn_passes_begin_early(cairn_compiled *c)
{
    clear(&c->program);
    return (cairn_pass_writer){
        .program  = &c->program,
        .assuming = -1,
        .pass     = {.member = c->m->number, .index = -1}
    };
}

cairn_pass *cairn_pass_written(const cairn_pass_writer *w)
{
    cairn_pass_list *list = &w->program->list;

    return w->assuming < 0 ? &list->pass[list->passes - 1]
                           : &list->otherwise[list->otherwises - 1];
}

/// What it does.
static cairn_program_step *last_step(const cairn_pass_writer *w)
{
    cairn_pass_list *list = &w->program->list;

    assert(w->assuming < 0 ? list->passes > 0 : list->otherwises > 0);
    return w->assuming < 0 ? &w->program->step[list->passes - 1]
                           : &w->program->otherwise[list->otherwises - 1];
}

void cairn_passes_otherwise(cairn_pass_writer *w,
                            int                k,
                            const char        *what,
                            const char        *method)
{
    assert(!w->program->list.pass[k].assumes.what); /* one assumption a pass */
    assert(w->assuming < 0 && k < w->program->list.passes);
    w->program->list.pass[k].assumes.what = what;
    w->assuming                           = k;
    w->pass.method                        = method;
}

cairn_status cairn_passes_add(cairn_pass_writer     *w,
                              cairn_pass_kind        what,
                              cairn_pass_unit        unit,
                              uint64_t               arrays,
                              cairn_pass_stores      stores,
                              double                 bytes,
                              const cairn_pass_work *work)
{
    cairn_pass_list *list = &w->program->list;
    cairn_pass       pass = w->pass;

    assert(list->passes < CAIRN_PROGRAM_PASSES);
    assert(list->otherwises < CAIRN_PROGRAM_PASSES);
    pass.what   = what;
    pass.unit   = unit;
    pass.arrays = arrays;
    pass.stores = stores;
    pass.bytes  = bytes;
    CAIRN_TRY(w->assuming < 0
                  ? cairn_pass_list_add(list, &pass)
                  : cairn_pass_list_add_otherwise(list, w->assuming, &pass));
    *last_step(w) = (cairn_program_step){.work = work, .query = -1};
    return CAIRN_OK;
}

void cairn_passes_set_query(cairn_pass_writer *w, int query)
{
    assert(query >= 0 && last_step(w)->query < 0);
    last_step(w)->query = query;
}

cairn_status cairn_passes_count(cairn_pass_writer     *w,
                                cairn_pass_unit        unit,
                                const cairn_pass_work *work)
{
    w->pass.index = w->program->list.indices++;
    return cairn_passes_add(w, CAIRN_PASS_COUNT, unit, 0, CAIRN_STORES_NONE,
                            unit == CAIRN_UNIT_RUN ? 8 * w->rows : w->read - w->values,
                            work);
}

cairn_status cairn_passes_offsets(cairn_pass_writer *w, const cairn_pass_work *work)
{
    return cairn_passes_add(w, CAIRN_PASS_OFFSETS, CAIRN_UNIT_RUN, w->ptrs,
                            CAIRN_STORES_DIRECT, 12 * w->groups, work);
}

cairn_status cairn_passes_number(cairn_pass_writer     *w,
                                 cairn_pass_unit        unit,
                                 cairn_number_rule      rule,
                                 uint64_t               arrays,
                                 const cairn_pass_work *work)
{
    /* Lists are put in order where they begin, and then their begins are written. */
    const double begins = arrays & w->ptrs ? 16 * w->groups : 0;

    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_NUMBER, unit, arrays, CAIRN_STORES_NONE,
                               begins + (unit == CAIRN_UNIT_RUN ? 8 * w->rows : 0),
                               work));
    cairn_pass_written(w)->rule = rule;
    return CAIRN_OK;
}

cairn_status cairn_passes_move(cairn_pass_writer     *w,
                               cairn_pass_kind        what,
                               cairn_pass_unit        unit,
                               cairn_pass_stores      stores,
                               const cairn_pass_work *work)
{
    const double times = stores == CAIRN_STORES_DIRECT ? 2 : 1;

    return cairn_passes_add(w, what, unit, w->arrays & ~w->ptrs, stores,
                            w->read + times * w->written
                                + (what == CAIRN_PASS_APPEND ? 12 * w->groups : 0),
                            work);
}

cairn_status cairn_passes_share(cairn_pass_writer *w, uint64_t arrays)
{
    return cairn_passes_add(w, CAIRN_PASS_SHARE, CAIRN_UNIT_RUN, arrays,
                            CAIRN_STORES_NONE, 0, NULL);
}

cairn_status cairn_passes_exchange(cairn_pass_writer *w, const cairn_pass_work *work)
{
    return cairn_passes_add(w, CAIRN_PASS_EXCHANGE, w->pass.unit, 0, CAIRN_STORES_NONE,
                            0, work);
}

cairn_status cairn_passes_assign(cairn_pass_writer *w, const cairn_pass_work *work)
{
    return cairn_passes_add(w, CAIRN_PASS_ASSIGN, CAIRN_UNIT_ENTRY, 0,
                            CAIRN_STORES_NONE, 0, work);
}

cairn_status cairn_passes_pad(cairn_pass_writer *w, const cairn_pass_work *work)
{
    w->program->pads = true;
    return cairn_passes_add(w, CAIRN_PASS_PAD, CAIRN_UNIT_RUN, w->arrays & ~w->ptrs,
                            CAIRN_STORES_DIRECT, 0, work);
}

cairn_pass_function *cairn_passes_call(cairn_pass_writer        *w,
                                       const cairn_convert_spec *spec)
{
    cairn_pass_function *function = &w->program->function[w->program->functions];

    assert(w->program->functions < CAIRN_PROGRAM_FUNCTIONS);
    w->program->functions++;
    *function = (cairn_pass_function){.spec = *spec};
    return function;
}

void cairn_pass_set_stores(const cairn_compiled *c,
                           cairn_pass           *pass,
                           cairn_pass_stores     stores)
{
    const double written =
        (double)cairn_pass_entry_bytes(c->m->layout, c->m->layout->order);
    const bool was = pass->stores == CAIRN_STORES_DIRECT;

    assert(stores != CAIRN_STORES_NONE && pass->stores != CAIRN_STORES_NONE);
    /* Lines that are written whole are not read before. */
    pass->bytes += written * ((stores == CAIRN_STORES_DIRECT) - (int)was);
    pass->stores = stores;
}

/* ---- what goes on otherwise ---- */

void cairn_pass_break(cairn_compiled *c)
{
    assert(c->step && !c->step->broken);
    c->step->broken = true;
}

cairn_status cairn_passes_go_on(cairn_member_program *program, int k, int *next)
{
    const cairn_pass_span its = program->list.pass[k].assumes.otherwise;

    assert(program->step[k].broken);
    CAIRN_TRY(cairn_pass_list_go_on(&program->list, k, next));
    assert(program->list.passes <= CAIRN_PROGRAM_PASSES);
    for (int p = 0; p < its.count; p++)
        program->step[*next + p] = program->otherwise[its.first + p];
    return CAIRN_OK;
}

/* ---- functions ---- */

cairn_status cairn_passes_load(cairn_compiled *c)
{
    const bool at_hand = cairn_build_worth(c->m->env, c->build) != CAIRN_BUILD_COMPILED;
    cairn_member_program *p = &c->program;

    for (int k = 0; k < p->functions; k++) {
        cairn_pass_function *f = &p->function[k];

        assert(!f->phase.loader);
        if (f->alone && c->ranges.n > 1) continue;
        const cairn_status status =
            cairn_phase_load(c->m->env, c->build->loader, &f->spec, at_hand, &f->phase);

        if (status == CAIRN_NO_KERNEL && f->optional) continue;
        CAIRN_TRY(status);
        if (f->phase.kernel.route > p->route) p->route = f->phase.kernel.route;
    }
    return CAIRN_OK;
}

void cairn_passes_request(const cairn_compiled *c, cairn_kernel_requests *requests)
{
    for (int k = 0; k < c->program.functions; k++) {
        assert(requests->specs < (int)(sizeof requests->spec / sizeof *requests->spec));
        requests->spec[requests->specs++] = c->program.function[k].spec;
    }
}

static bool reads_keys(const cairn_convert_spec *spec)
{
    return spec->source == CAIRN_CONVERT_KEYS || spec->source == CAIRN_CONVERT_LONG;
}

static const cairn_phase *
find(const cairn_compiled *c, cairn_convert_phase phase, bool keys, bool marked)
{
    for (int k = 0; k < c->program.functions; k++) {
        const cairn_pass_function *f = &c->program.function[k];

        if (f->spec.phase == phase && reads_keys(&f->spec) == keys
            && f->spec.rows.marked == marked)
            return f->phase.loader ? &f->phase : NULL;
    }
    return NULL;
}

const cairn_phase *cairn_pass_phase(const cairn_compiled *c, cairn_convert_phase phase)
{
    return find(c, phase, false, false);
}

const cairn_phase *cairn_pass_keys_phase(const cairn_compiled *c,
                                         cairn_convert_phase   phase)
{
    return find(c, phase, true, false);
}

const cairn_phase *cairn_pass_marked_phase(const cairn_compiled *c,
                                           cairn_convert_phase   phase)
{
    return find(c, phase, false, true);
}

void cairn_passes_fini(cairn_member_program *program)
{
    for (int k = 0; k < program->functions; k++)
        cairn_phase_release(&program->function[k].phase);
    cairn_pass_list_fini(&program->list);
}
