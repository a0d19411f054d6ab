// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A build that is only planned: the same members, intermediates and methods as those of a
/// build whose source has so many entries in so many rows, without any entry. Sources are
/// tensors whose arrays nobody writes or reads; spans are what queries would give if every
/// row had as many entries as every other.

#include "convert/build_plan.h"

#include "convert/compiled.h"
#include "convert/compiled_blocks.h"
#include "convert/compiled_numbers.h"
#include "convert/group_counter.h"
#include "convert/intermediates.h"

#include <string.h>

enum { NOMINAL_ROWS = 1000, NOMINAL_ENTRIES = 1000000 };

typedef struct {
    cairn_env          *env;
    const cairn_build  *build; ///< As a build's; `from` has no entries in its arrays.
    int                 members;
    cairn_member_build *m; ///< [members]
} planner;

/* ---- sources without entries ---- */

static void set_shape(const cairn_format *format, const int64_t *extent, cairn_build *b)
{
    b->shape.order = format->order;
    for (int d = 0; d < b->shape.order; d++) {
        b->shape.extent[d] = extent && extent[d] > 0 ? extent[d]
                             : d == 0                ? NOMINAL_ROWS
                                                     : NOMINAL_ENTRIES;
        b->box[d]          = (cairn_interval){0, b->shape.extent[d] - 1};
    }
}

/// Numbers that queries would give: of rows, or along them.
static void
set_spans(const cairn_encoding *e, const cairn_build *b, cairn_interval *span)
{
    const int64_t rows = b->shape.extent[0] > 0 ? b->shape.extent[0] : 1;
    const int64_t each = NOMINAL_ENTRIES / rows + 1;

    for (int q = 0; q < e->queries; q++) {
        switch (e->query[q].func) {
        case CAIRN_QUERY_SUM: span[q] = (cairn_interval){0, each}; break;
        case CAIRN_QUERY_ENUM: span[q] = (cairn_interval){0, each - 1}; break;
        case CAIRN_QUERY_REORDER: span[q] = (cairn_interval){0, rows - 1}; break;
        case CAIRN_QUERY_SCHEDULE:
            span[q] = (cairn_interval){0, e->query[q].buckets - 1};
            break;
        }
    }
}

static cairn_status create_layout(cairn_env            *env,
                                  const cairn_encoding *e,
                                  const cairn_build    *b,
                                  cairn_layout        **layout)
{
    cairn_interval span[CAIRN_MAX_QUERIES] = {{0}};

    set_spans(e, b, span);
    return cairn_layout_create(env, e, b->shape.extent, b->box, span, b->value_bits,
                               layout);
}

/// Nodes of the trimmed levels, each of them with some entries.
static void count_nodes(const cairn_layout *layout, cairn_pos entries, cairn_pos *nodes)
{
    __int128 most = 1, below = 1;

    for (int l = layout->last + 1; l < layout->levels; l++)
        if (!layout->level[l].determined) below *= layout->level[l].size;
    for (int l = 0; l <= layout->last; l++) {
        most *= layout->level[l].size > 0 ? layout->level[l].size : 1;
        if (most > entries) most = entries;
        nodes[l] = (cairn_pos)most;
    }
    if (layout->last >= 0 && below > 0) {
        const __int128 last = entries / below + 1;

        if (last < nodes[layout->last]) nodes[layout->last] = (cairn_pos)last;
    }
    for (int l = layout->last; l > layout->first; l--)
        if (layout->level[l].kind == CAIRN_LEVEL_SINGLETON) nodes[l - 1] = nodes[l];
}

/// Give a tensor one part without entries, whose layout becomes the tensor's.
static cairn_status add_part(cairn_local *t, int member, cairn_layout *layout)
{
    cairn_pos       nodes[CAIRN_MAX_LEVELS] = {0};
    cairn_group    *group                   = &t->group[member];
    cairn_part     *part                    = &t->part[member];
    const cairn_pos entries                 = NOMINAL_ENTRIES / t->groups;

    group->layout = layout;
    group->first  = member;
    group->count  = 1;
    part->where   = (cairn_where){.member = member};
    count_nodes(layout, entries, nodes);
    CAIRN_TRY(cairn_group_alloc(t->env, group, layout, nodes, true, NULL, part));
    part->nnz = layout->pads ? entries : part->view.values;
    return CAIRN_OK;
}

static cairn_status create_source(cairn_env          *env,
                                  const cairn_format *format,
                                  const cairn_build  *b,
                                  cairn_local       **source)
{
    cairn_local *t;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &t));
    t->env        = env;
    t->shape      = b->shape;
    t->format     = format;
    t->value_bits = b->value_bits;
    memcpy(t->box, b->box, sizeof t->box);
    status = CAIRN_NEW_ZERO(env, format->members, &t->part);
    for (int k = 0; k < format->members && status == CAIRN_OK; k++) {
        cairn_layout *layout = NULL;

        t->groups = format->members;
        status    = create_layout(env, format->member[k], b, &layout);
        if (status == CAIRN_OK) status = add_part(t, k, layout);
    }
    t->parts = format->members;
    if (status == CAIRN_OK)
        *source = t;
    else
        cairn_local_destroy(&t);
    return status;
}

/* ---- members ---- */

/// Do all start where the source lies? Else they start from coordinates.
static cairn_status starts_direct(const planner *p, bool *direct)
{
    const cairn_build *b = p->build;
    cairn_query        deals;

    *direct = b->from && !b->from->format->hybrid;
    if (*direct && b->format->hybrid) {
        CAIRN_TRY(cairn_decompose_query(p->env, b->format, &b->shape, &deals));
        CAIRN_TRY(cairn_group_counter_comes_by_lines(p->env, b->from->group[0].layout,
                                                     &deals, direct));
    }
    for (int k = 0; k < p->members && *direct; k++)
        CAIRN_TRY(cairn_numbers_direct(&p->m[k], p->build, direct));
    return CAIRN_OK;
}

/// Choose the method of a member, unless it goes the reference way.
static cairn_status
plan_member(planner *p, cairn_member_build *m, const cairn_entries *none, bool direct)
{
    static uint8_t anybody                 = 0;
    cairn_interval span[CAIRN_MAX_QUERIES] = {{0}};
    cairn_status   status;

    set_spans(m->encoding, p->build, span);
    if (m->rows.on) memcpy(m->rows.span, span, sizeof span);
    if (m->blocks) memcpy(m->blocks->span, span, sizeof span);
    m->direct  = direct;
    m->entries = *none;
    if (p->members > 1)
        m->filter = (cairn_filter){&anybody, m->number, none->n / p->members, NULL};
    CAIRN_TRY(create_layout(p->env, m->encoding, p->build, &m->layout));
    if (!p->build->loader) return CAIRN_OK;
    for (int l = m->layout->last + 1; l < m->layout->levels && m->blocks; l++)
        if (m->layout->level[l].determined)
            m->blocks->across = m->layout->level[l].size;
    CAIRN_TRY(cairn_compiled_create(m, p->build, &m->compiled));
    status = cairn_compiled_choose(m->compiled);
    if (status == CAIRN_OK && p->build->loader->load)
        status = cairn_passes_load(m->compiled);
    if (status != CAIRN_NO_KERNEL) return status;
    cairn_compiled_destroy(p->env, &m->compiled);
    return CAIRN_OK;
}

static cairn_status plan_members(planner *p, cairn_pass_list *program)
{
    const cairn_entries none   = {.order = p->build->shape.order, .n = NOMINAL_ENTRIES};
    bool                direct = false;

    CAIRN_TRY(starts_direct(p, &direct));
    for (int k = 0; k < p->members; k++)
        CAIRN_TRY(plan_member(p, &p->m[k], &none, direct));
    return cairn_build_describe(p->m, p->members, program);
}

static cairn_status
plan(cairn_env *env, const cairn_build *build, cairn_pass_list *program);

/// Intermediates, each from the one before; then `build->from` is the last.
static cairn_status plan_stations(planner             *p,
                                  cairn_intermediates *way,
                                  cairn_build         *onward,
                                  cairn_local        **last,
                                  cairn_pass_list     *program)
{
    for (int k = 0; k < way->stations; k++) {
        cairn_build     b    = *onward;
        cairn_local    *next = NULL;
        cairn_pass_list its;

        b.format = way->station[k].format;
        b.strict = true;
        cairn_pass_list_init(&its, p->env);
        cairn_status status = plan(p->env, &b, &its);

        if (status == CAIRN_OK) status = cairn_pass_list_append(program, &its, k + 1);
        if (status == CAIRN_OK) status = create_source(p->env, b.format, &b, &next);
        cairn_pass_list_fini(&its);
        cairn_local_destroy(last);
        CAIRN_TRY(status);
        *last        = next;
        onward->from = next;
    }
    return CAIRN_OK;
}

static cairn_status make_members(planner *p)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(p->env, p->members, &p->m));
    for (int k = 0; k < p->members; k++) {
        CAIRN_TRY(cairn_member_init(p->env, p->build, k, &p->m[k]));
        p->m[k].looked = CAIRN_ROUTE_PREBUILT;
        if (p->build->loader) CAIRN_TRY(cairn_numbers_find(&p->m[k], p->build));
    }
    return CAIRN_OK;
}

static cairn_status
plan(cairn_env *env, const cairn_build *build, cairn_pass_list *program)
{
    cairn_build onward = *build;
    planner     p = {.env = env, .build = &onward, .members = build->format->members};
    cairn_intermediates way    = {.stations = 0};
    cairn_local        *last   = NULL;
    cairn_status        status = make_members(&p);

    if (status == CAIRN_OK && build->loader)
        status = cairn_intermediates_find(env, build, p.m, &way);
    if (status == CAIRN_OK) status = plan_stations(&p, &way, &onward, &last, program);
    if (status == CAIRN_OK) status = plan_members(&p, program);
    for (int k = 0; k < p.members && p.m; k++)
        cairn_member_fini(env, &p.m[k]);
    cairn_free(env, p.m);
    cairn_intermediates_fini(env, &way);
    cairn_local_destroy(&last);
    return status;
}

cairn_status cairn_build_plan(cairn_env                 *env,
                              const cairn_format        *from,
                              const cairn_format        *to,
                              const int64_t             *extent,
                              const cairn_kernel_loader *loader,
                              cairn_pass_list           *program)
{
    const cairn_kernel_loader nobody = {.threads = 1};
    const cairn_entries       none   = {.order = to->order, .n = NOMINAL_ENTRIES};
    cairn_build               build  = {.format     = to,
                                        .entries    = &none,
                                        .value_bits = 64,
                                        .loader     = loader ? loader : &nobody,
                                        .planned    = true};
    cairn_local              *source = NULL;
    cairn_status              status = CAIRN_OK;

    set_shape(to, extent, &build);
    if (cairn_build_worth(env, &build) == CAIRN_BUILD_REFERENCE) build.loader = NULL;
    if (from) status = create_source(env, from, &build, &source);
    build.from = source;
    if (source) build.entries = NULL;
    if (status == CAIRN_OK) status = plan(env, &build, program);
    cairn_local_destroy(&source);
    return status;
}
