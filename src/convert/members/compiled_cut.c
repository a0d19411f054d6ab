// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// ASSIGN of `keep`, a cascade: the entries of a member are numbered where they lie, by the
/// passes that number them for building it; one pass finds the largest index of its
/// outermost indirect level, another sends on what lies beyond the share that is kept.

#include "convert/members/assign_members.h"
#include "convert/numbers/compiled_blocks.h"
#include "convert/numbers/compiled_numbers.h"
#include "groups/decompose.h"

/// The outermost level that a query numbers; NULL: there is none.
static const cairn_expr *cut_level(const cairn_encoding *encoding)
{
    for (int l = 0; l < encoding->map.count; l++)
        if (cairn_expr_is_indirect(encoding->map.expr[l])) return encoding->map.expr[l];
    return NULL;
}

/// The function that looks at indices.
static cairn_status load(const cairn_compiled *c, cairn_phase *phase)
{
    const cairn_build *build = c->build;
    cairn_convert_spec spec  = cairn_compiled_spec(c, CAIRN_CONVERT_CUT);

    spec.members.cut = cut_level(c->m->encoding);
    CAIRN_CHECK(cairn_origin_fits(&c->origin), c->m->env, CAIRN_NO_KERNEL,
                "convert: arrays of other widths than their layout's");
    if (build->planned) return cairn_phase_request(c->m->env, build->loader, &spec);
    return cairn_phase_load(c->m->env, build->loader, &spec,
                            cairn_build_worth(c->m->env, build) != CAIRN_BUILD_COMPILED,
                            phase);
}

/// Entries of a row that are numbered along it are one thread's.
static cairn_status divide(cairn_compiled *c)
{
    const cairn_member_build *m    = c->m;
    int64_t                   most = m->blocks ? m->blocks->threads : INT64_MAX;
    const cairn_form row   = {.terms = 1, .term = {{.atom = m->rows.row, .factor = 1}}};
    cairn_lines      lines = {.forms = 1, .form = {&row}, .dims = 1U << m->rows.row};
    cairn_algebra   *algebra;

    CAIRN_TRY(CAIRN_NEW(m->env, 1, &algebra));
    cairn_algebra_init(algebra, m->env, c->build->shape.order);
    lines.algebra = algebra;
    if (most > c->build->loader->threads) most = c->build->loader->threads;
    const cairn_status status =
        cairn_thread_ranges_divide(m->env, &c->origin, m->rows.along ? &lines : NULL,
                                   most, CAIRN_RANGES_WORTH, &c->ranges);

    cairn_free(m->env, algebra);
    return status;
}

/// Run the phase: entries from @p cut on go to the next member.
/// @param[out] largest  Index of this rank's entries.
static cairn_status
look(const cairn_compiled *c, const cairn_phase *phase, int64_t cut, int64_t *largest)
{
    cairn_convert_args args = {.cut = cut, .facts = c->ranges.found};

    CAIRN_TRY(
        cairn_thread_ranges_run(c->m->env, &c->ranges, &c->origin, phase, NULL, &args));
    *largest = -1;
    for (int64_t t = 0; t < c->ranges.n; t++)
        if (c->ranges.found[t * CAIRN_CONVERT_FACTS] > *largest)
            *largest = c->ranges.found[t * CAIRN_CONVERT_FACTS];
    return CAIRN_OK;
}

/// The largest index of all ranks' entries.
static cairn_status
find_largest(cairn_compiled *c, cairn_phase *phase, int64_t *largest)
{
    const cairn_query_net *net    = c->build->net;
    cairn_status           status = load(c, phase);

    if (status == CAIRN_OK) status = divide(c);
    if (status == CAIRN_OK) status = look(c, phase, INT64_MAX, largest);
    CAIRN_TRY(cairn_build_all_compiled(c->build, status));
    return net ? net->max(net->user, largest) : CAIRN_OK;
}

static cairn_status cut(cairn_compiled *c)
{
    cairn_member_build *m     = c->m;
    cairn_phase         phase = {.loader = NULL};
    int64_t             largest;

    c->origin.table  = m->rows.on ? m->rows.table : NULL;
    c->origin.rows   = m->rows.n;
    c->origin.groups = cairn_blocks_numbers(m->blocks);
    if (c->build->planned) return load(c, &phase);
    cairn_status status = find_largest(c, &phase, &largest);

    if (status == CAIRN_OK)
        status =
            look(c, &phase,
                 cairn_decompose_cut(c->build->format->keep[m->number], largest + 1),
                 &largest);
    if (phase.loader && phase.kernel.route > m->route) m->route = phase.kernel.route;
    cairn_phase_release(&phase);
    return status;
}

static const cairn_pass_work assign_by_cut = {.prepare = cut, .together = true};

static cairn_status write_passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    w->pass.method = CAIRN_METHOD_ASSIGN;
    CAIRN_TRY(cairn_numbers_write(c, w));
    return cairn_passes_assign(w, &assign_by_cut);
}

/// Which kind of numbers the member's entries get; it has to be one that is compiled.
static cairn_status find_numbers(cairn_member_build *m,
                                 const cairn_build  *build,
                                 const cairn_origin *origin)
{
    bool         direct = true;
    cairn_status status = cairn_numbers_find(m, build);

    if (build->net) status = cairn_numbers_agree(m, 1, build, status);
    CAIRN_TRY(status);
    if (origin->from) status = cairn_numbers_direct(m, build, &direct);
    CAIRN_TRY(cairn_build_all(build, status, &direct));
    CAIRN_CHECK(cairn_numbers_known(m) && direct, m->env, CAIRN_NO_KERNEL,
                "format: hybrid: keep cuts numbers that are not compiled");
    return CAIRN_OK;
}

static cairn_status cut_member(cairn_member_build *first,
                               const cairn_build  *build,
                               const cairn_origin *origin,
                               int                 k)
{
    cairn_env          *env = first->env;
    cairn_origin        its = *origin;
    cairn_member_build *m   = NULL;
    cairn_status        status;

    its.filter = cairn_members_filter(build, origin, first->source.member_of, k);
    status     = CAIRN_NEW_ZERO(env, 1, &m);
    if (status == CAIRN_OK) status = cairn_member_init(env, build, k, m);
    CAIRN_GO(done, cairn_build_all_compiled(build, status));
    CAIRN_GO(done, find_numbers(m, build, &its));
    status = cairn_compiled_run_early(m, build, &its, write_passes, CAIRN_OK,
                                      &first->passes);
    if (m->route > first->route) first->route = m->route;
done:
    if (m) cairn_member_fini(env, m);
    cairn_free(env, m);
    return status;
}

cairn_status cairn_assign_cut(cairn_member_build *first,
                              const cairn_build  *build,
                              const cairn_origin *origin)
{
    for (int k = 0; k < build->format->members - 1; k++)
        if (build->format->keep[k] < 1) CAIRN_TRY(cut_member(first, build, origin, k));
    return CAIRN_OK;
}
