// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `keep`: the entries of a member are numbered where they lie, as for building it; one
/// pass finds the largest index of its outermost indirect level, another sends on what
/// lies beyond the share that is kept.

#include "convert/assign_members.h"
#include "convert/compiled_blocks.h"
#include "convert/compiled_numbers.h"
#include "convert/compiled_shares.h"

/// A member while it is cut.
typedef struct {
    cairn_env          *env;
    const cairn_build  *build;
    cairn_member_build *m;
    cairn_origin        origin; ///< Its entries.
    cairn_algebra      *algebra;
    cairn_form          row; ///< What must be one thread's, if entries are numbered so.
    cairn_shares        shares;
    cairn_phase         phase;
} cutter;

/// The outermost level that a query numbers; NULL: there is none.
static const cairn_expr *cut_level(const cairn_encoding *encoding)
{
    for (int l = 0; l < encoding->map.count; l++)
        if (cairn_expr_is_indirect(encoding->map.expr[l])) return encoding->map.expr[l];
    return NULL;
}

static cairn_status load(cutter *c)
{
    const cairn_member_build *m    = c->m;
    const cairn_blocks       *b    = m->blocks;
    const cairn_local        *from = c->origin.from;
    const cairn_convert_spec  spec = {
         .phase  = CAIRN_CONVERT_CUT,
         .source = from ? CAIRN_CONVERT_PART : CAIRN_CONVERT_ENTRIES,
         .order  = c->build->shape.order,
         .from   = from ? from->group[0].layout : NULL,
         .filter = true,
         .cut    = cut_level(m->encoding),

         .rank          = m->ranked,
         .rank_query    = m->rank.query,
         .rank_row      = m->rank.row,
         .tables        = m->rows.on ? m->rows.tables : 0,
         .table_row     = m->rows.row,
         .blocks        = b ? &b->tally.query : NULL,
         .block_query   = b ? b->slot : 0,
         .blocks_listed = b && b->tally.listed,
    };

    CAIRN_CHECK(cairn_origin_fits(&c->origin), c->env, CAIRN_NO_KERNEL,
                "convert: arrays of other widths than their layout's");
    if (c->build->planned) return cairn_phase_request(c->env, c->build->loader, &spec);
    return cairn_phase_load(c->env, c->build->loader, &spec,
                            cairn_build_worth(c->env, c->build) != CAIRN_BUILD_COMPILED,
                            &c->phase);
}

/// Entries of a row that are numbered along it are one thread's.
static cairn_status divide(cutter *c)
{
    const cairn_member_build *m     = c->m;
    int64_t                   most  = m->blocks ? m->blocks->threads : INT64_MAX;
    cairn_lines               lines = {.algebra = c->algebra,
                                       .forms   = 1,
                                       .form    = {&c->row},
                                       .dims    = 1U << m->rank.row};

    c->row = (cairn_form){.terms = 1, .term = {{.atom = m->rank.row, .factor = 1}}};
    if (most > c->build->loader->threads) most = c->build->loader->threads;
    return cairn_shares_divide(c->env, &c->origin, m->ranked ? &lines : NULL, most,
                               &c->shares);
}

/// Run the phase: entries from @p cut on go to the next member.
/// @param[out] largest  Index of this rank's entries.
static cairn_status pass(cutter *c, int64_t cut, int64_t *largest)
{
    cairn_convert_args args = {.cut = cut, .facts = c->shares.found};

    CAIRN_TRY(cairn_shares_run(c->env, &c->shares, &c->origin, &c->phase, NULL, &args));
    *largest = -1;
    for (int64_t t = 0; t < c->shares.n; t++)
        if (c->shares.found[t * CAIRN_CONVERT_FACTS] > *largest)
            *largest = c->shares.found[t * CAIRN_CONVERT_FACTS];
    return CAIRN_OK;
}

/// Number the member's entries as for building it.
static cairn_status count(cutter *c)
{
    bool         counted = true, direct = true;
    cairn_status status = cairn_numbers_find(c->m, c->build);

    if (c->build->net) status = cairn_numbers_agree(c->m, 1, c->build, status);
    CAIRN_TRY(status);
    if (c->origin.from) status = cairn_numbers_direct(c->m, c->build, &direct);
    CAIRN_TRY(cairn_build_all(c->build, status, &direct));
    CAIRN_CHECK(cairn_numbers_known(c->m) && direct, c->env, CAIRN_NO_KERNEL,
                "format: hybrid: keep cuts numbers that are not compiled");
    CAIRN_TRY(cairn_numbers_count(c->m, c->build, &c->origin, CAIRN_OK, &counted));
    CAIRN_CHECK(counted && cairn_numbers_known(c->m), c->env, CAIRN_NO_KERNEL,
                "format: hybrid: keep cuts numbers that are not compiled");
    c->origin.table  = c->m->rows.on ? c->m->rows.table : NULL;
    c->origin.rows   = c->m->rows.n;
    c->origin.blocks = c->m->blocks;
    return CAIRN_OK;
}

/// The largest index of all ranks' entries.
static cairn_status find_largest(cutter *c, int64_t *largest)
{
    const cairn_query_net *net    = c->build->net;
    cairn_status           status = load(c);

    if (status == CAIRN_OK) status = divide(c);
    if (status == CAIRN_OK) status = pass(c, INT64_MAX, largest);
    CAIRN_TRY(cairn_build_all_compiled(c->build, status));
    return net ? net->max(net->user, largest) : CAIRN_OK;
}

static cairn_status cut(cutter *c, double keep)
{
    int64_t largest;

    CAIRN_TRY(count(c));
    if (c->build->planned) return load(c);
    CAIRN_TRY(find_largest(c, &largest));
    return pass(c, cairn_decompose_cut(keep, largest + 1), &largest);
}

static cairn_status cut_member(cairn_env          *env,
                               const cairn_build  *build,
                               const cairn_origin *origin,
                               int                 k,
                               uint8_t            *member,
                               cairn_route        *route)
{
    cutter       c = {.env = env, .build = build, .origin = *origin};
    cairn_status status;

    c.origin.filter = cairn_members_filter(build, origin, member, k);
    status          = CAIRN_NEW_ZERO(env, 1, &c.m);
    if (status == CAIRN_OK) status = CAIRN_NEW(env, 1, &c.algebra);
    if (status == CAIRN_OK)
        status = cairn_build_encoding(env, build, k, &c.m->encoding);
    CAIRN_GO(done, cairn_build_all_compiled(build, status));
    c.m->env = env;
    cairn_algebra_init(c.algebra, env, build->shape.order);
    status = cairn_build_all_compiled(build, cut(&c, build->format->keep[k]));
    if (c.m->looked > *route) *route = c.m->looked;
    if (c.phase.loader && c.phase.kernel.route > *route) *route = c.phase.kernel.route;
done:
    cairn_phase_release(&c.phase);
    cairn_shares_fini(env, &c.shares);
    cairn_free(env, c.algebra);
    if (c.m && c.m->env) cairn_numbers_drop(c.m);
    cairn_free(env, c.m);
    return status;
}

cairn_status cairn_compiled_cut(cairn_env          *env,
                                const cairn_build  *build,
                                const cairn_origin *origin,
                                uint8_t            *member,
                                cairn_route        *route)
{
    for (int k = 0; k < build->format->members - 1; k++)
        if (build->format->keep[k] < 1)
            CAIRN_TRY(cut_member(env, build, origin, k, member, route));
    return CAIRN_OK;
}
