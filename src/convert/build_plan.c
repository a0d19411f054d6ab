// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A build that is only planned: the same members, intermediates and methods as those of a
/// build whose source has so many entries in so many rows, without any entry; and the same
/// functions, which are asked for and not run. Sources are tensors without
/// arrays; spans are what queries would give if every row had as many entries as
/// every other.

#include "convert/build_plan.h"

#include "convert/compiled.h"
#include "convert/intermediates/intermediates.h"
#include "convert/numbers/compiled_blocks.h"
#include "convert/numbers/compiled_numbers.h"
#include "rules/path.h"

#include <string.h>

enum { NOMINAL_ROWS = 1000, NOMINAL_ENTRIES = 1000000 };

typedef struct {
    cairn_env          *env;
    const cairn_build  *build; ///< As a build's; `from` has no entries in its arrays.
    cairn_pos           entries;
    int                 members;
    cairn_member_build *m; ///< [members]
} planner;

/* ---- sources without entries ---- */

/// The extents that the sample gives; 0 is one where there are no entries.
static void
set_shape(const cairn_format *format, const cairn_plan_sample *sample, cairn_build *b)
{
    const int64_t *extent = sample->extent;

    b->shape.order = format->order;
    for (int d = 0; d < b->shape.order; d++) {
        const bool given = extent && (extent[d] > 0 || sample->entries == 0);

        b->shape.extent[d] = given    ? extent[d]
                             : d == 0 ? NOMINAL_ROWS
                                      : NOMINAL_ENTRIES;
        b->box[d]          = (cairn_interval){0, b->shape.extent[d] - 1};
    }
}

/// Numbers that queries would give: of rows, or along them; none where there are no
/// entries.
static void set_spans(const cairn_encoding *e,
                      const cairn_build    *b,
                      cairn_pos             entries,
                      cairn_interval       *span)
{
    const int64_t rows = b->shape.extent[0] > 0 ? b->shape.extent[0] : 1;
    const int64_t each = b->planned->longest;

    for (int q = 0; q < e->queries; q++) {
        switch (e->query[q].func) {
        case CAIRN_QUERY_SUM: span[q] = (cairn_interval){0, each}; break;
        case CAIRN_QUERY_ENUM: span[q] = (cairn_interval){0, each - 1}; break;
        case CAIRN_QUERY_REORDER: span[q] = (cairn_interval){0, rows - 1}; break;
        case CAIRN_QUERY_SCHEDULE:
            span[q] = (cairn_interval){0, e->query[q].buckets - 1};
            break;
        }
        if (entries == 0) span[q] = (cairn_interval){0, -1};
    }
}

static cairn_status create_layout(cairn_env            *env,
                                  const cairn_encoding *e,
                                  const cairn_build    *b,
                                  cairn_pos             entries,
                                  cairn_layout        **layout)
{
    cairn_interval span[CAIRN_MAX_QUERIES] = {{0}};

    set_spans(e, b, entries, span);
    return cairn_layout_create(env, e, b->shape.extent, b->box, span, b->value_bits,
                               layout);
}

/// Nodes of the trimmed levels, each of them with some entries.
static void count_nodes(const cairn_layout *layout, cairn_pos entries, cairn_pos *nodes)
{
    __int128 most = 1, below = 1;

    for (int l = layout->last + 1; l < layout->levels; l++)
        if (!layout->level[l].determined.on) below *= layout->level[l].size;
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

/// Entries of number @p k of @p n that have about as many.
static cairn_pos share_of(cairn_pos entries, int64_t n, int64_t k)
{
    return entries / n + (k < entries % n);
}

/// Give a tensor a member's parts, without entries, of which banks share. Their arrays are
/// addresses that are never read; those without elements are NULL.
static cairn_status
add_parts(cairn_local *t, int member, cairn_pos entries, cairn_layout *layout)
{
    static char   nowhere;
    cairn_group  *group = &t->group[member];
    const int64_t first = t->parts, banks = layout->banks, all = first + banks;
    int64_t       offset = 0;

    t->groups      = member + 1;
    group->layout  = layout;
    group->first   = first;
    group->count   = banks;
    group->checked = true;
    CAIRN_TRY(cairn_realloc(t->env, all, sizeof *t->part, (void **)&t->part));
    for (; t->parts < all; t->parts++) {
        const int64_t   bank                    = t->parts - first;
        const cairn_pos its                     = share_of(entries, banks, bank);
        cairn_pos       nodes[CAIRN_MAX_LEVELS] = {0};
        cairn_part     *part                    = &t->part[t->parts];

        *part = (cairn_part){
            .where = {.member = member, .bank = bank}
        };
        count_nodes(layout, its, nodes);
        cairn_part_place(layout, nodes, its > 0 ? &nowhere : NULL, &offset,
                         &group->bytes, part);
        part->nnz = layout->pads ? its : part->view.values;
    }
    return CAIRN_OK;
}

static cairn_status create_source(cairn_env          *env,
                                  const cairn_format *format,
                                  const cairn_build  *b,
                                  cairn_pos           entries,
                                  cairn_local       **source)
{
    cairn_local *t;
    cairn_status status = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &t));
    t->env        = env;
    t->shape      = b->shape;
    t->format     = format;
    t->value_bits = b->value_bits;
    memcpy(t->box, b->box, sizeof t->box);
    for (int k = 0; k < format->members && status == CAIRN_OK; k++) {
        cairn_layout *layout = NULL;

        status = create_layout(env, format->member[k], b, entries, &layout);
        if (status == CAIRN_OK)
            status = add_parts(t, k, share_of(entries, format->members, k), layout);
    }
    if (status == CAIRN_OK)
        *source = t;
    else
        cairn_local_destroy(&t);
    return status;
}

/* ---- members ---- */

/// Choose the method of a member, unless it goes the reference way.
static cairn_status plan_member(planner *p, cairn_member_build *m)
{
    cairn_interval  span[CAIRN_MAX_QUERIES] = {{0}};
    const cairn_pos n = m->source.filter.member ? m->source.filter.entries
                        : m->source.direct      ? cairn_build_entries(p->build)
                                                : m->source.entries.n;
    cairn_status    status;

    set_spans(m->encoding, p->build, n, span);
    if (m->rows.on) memcpy(m->rows.span, span, sizeof span);
    if (m->blocks) m->blocks->span = span[m->blocks->slot];
    CAIRN_TRY(create_layout(p->env, m->encoding, p->build, n, &m->layout));
    if (!p->build->loader) return CAIRN_OK;
    CAIRN_TRY(cairn_compiled_create(m, p->build, &m->compiled));
    status = cairn_compiled_choose(m->compiled);
    if (status == CAIRN_OK && p->build->loader->load)
        status = cairn_passes_load(m->compiled);
    if (status != CAIRN_NO_KERNEL || p->build->duty == CAIRN_BUILD_STRICT)
        return status;
    cairn_compiled_destroy(p->env, &m->compiled);
    return CAIRN_OK;
}

/// Let members have the entries that their path brings them, of which there are none.
static cairn_status plan_members(planner *p, cairn_pass_list *program)
{
    const cairn_local *from   = p->build->from;
    cairn_path        *path   = NULL;
    cairn_status       status = CAIRN_OK;

    if (p->build->bucketed) {
        p->m[0].source.entries = *p->build->entries;
        if (p->members > 1 || p->m[0].encoding->queries > 0) return CAIRN_NO_KERNEL;
    } else if (p->build->loader) {
        status = cairn_path_plan(p->env, from ? from->format : NULL, p->build->format,
                                 p->build->shape.extent, &path);
        if (status == CAIRN_OK)
            status = cairn_path_run(p->env, p->build, path, true, p->m);
        cairn_path_destroy(&path);
    }
    for (int k = 0; k < p->members && status == CAIRN_OK; k++)
        status = plan_member(p, &p->m[k]);
    CAIRN_TRY(status);
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
    const bool bucketed = onward->bucketed != NULL;

    for (int k = 0; k < way->count; k++) {
        cairn_build     b    = *onward;
        cairn_local    *next = NULL;
        cairn_pass_list its;

        b.format = way->intermediate[k].format;
        b.duty   = CAIRN_BUILD_STRICT;
        cairn_pass_list_init(&its, p->env);
        cairn_status status = plan(p->env, &b, &its);

        if (status == CAIRN_OK) status = cairn_pass_list_append(program, &its, k + 1);
        if (status == CAIRN_OK)
            status = create_source(p->env, b.format, &b, p->entries, &next);
        cairn_pass_list_fini(&its);
        cairn_local_destroy(last);
        CAIRN_TRY(status);
        *last            = next;
        onward->from     = next;
        onward->entries  = NULL;
        onward->bucketed = NULL;
    }
    for (int k = 0; k < p->members && way->count > 0 && bucketed; k++)
        CAIRN_TRY(cairn_numbers_find(&p->m[k], onward));
    return CAIRN_OK;
}

static cairn_status make_members(planner *p)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(p->env, p->members, &p->m));
    for (int k = 0; k < p->members; k++) {
        CAIRN_TRY(cairn_member_init(p->env, p->build, k, &p->m[k]));
        if (p->build->loader && !p->build->bucketed)
            CAIRN_TRY(cairn_numbers_find(&p->m[k], p->build));
    }
    return CAIRN_OK;
}

static void unmake_members(planner *p)
{
    for (int k = 0; k < p->members && p->m; k++)
        cairn_member_fini(p->env, &p->m[k]);
    cairn_free(p->env, p->m);
    p->m = NULL;
}

/// By way of intermediates if there are any. @p straight: there shall be none.
static cairn_status plan_once(planner             *p,
                              cairn_build         *onward,
                              cairn_intermediates *way,
                              bool                 straight,
                              cairn_pass_list     *program)
{
    cairn_local *last   = NULL;
    cairn_status status = make_members(p);

    if (status == CAIRN_OK && onward->loader && !straight)
        status = cairn_intermediates_find(p->env, onward, p->m, way);
    if (status == CAIRN_OK) status = plan_stations(p, way, onward, &last, program);
    if (status == CAIRN_OK) status = plan_members(p, program);
    unmake_members(p);
    cairn_local_destroy(&last);
    return status;
}

/* As a build does, which starts over without intermediates where these fail. */
static cairn_status
plan(cairn_env *env, const cairn_build *build, cairn_pass_list *program)
{
    cairn_build         onward = *build;
    cairn_intermediates way    = {.count = 0};
    planner             p      = {.env     = env,
                                  .build   = &onward,
                                  .entries = cairn_build_entries(build),
                                  .members = build->format->members};
    cairn_status        status = plan_once(&p, &onward, &way, false, program);

    if (status == CAIRN_NO_KERNEL && way.count > 0) {
        onward = *build;
        cairn_intermediates_fini(env, &way);
        cairn_pass_list_fini(program);
        status = plan_once(&p, &onward, &way, true, program);
    }
    cairn_intermediates_fini(env, &way);
    return status;
}

/// The source of a sample, unless it is coordinates.
static cairn_status make_source(cairn_env               *env,
                                const cairn_format      *from,
                                const cairn_plan_sample *sample,
                                cairn_build             *build,
                                cairn_local            **source)
{
    if (!from) return CAIRN_OK;
    CAIRN_TRY(create_source(env, from, build, sample->entries, source));
    (*source)->pattern.kept = sample->state == CAIRN_SAMPLE_PATTERN;
    for (int g = 0; g < (*source)->groups; g++)
        (*source)->group[g].unsorted = sample->state == CAIRN_SAMPLE_UNSORTED;
    build->from    = *source;
    build->entries = NULL;
    return CAIRN_OK;
}

cairn_status cairn_build_plan_sample(cairn_env                 *env,
                                     const cairn_format        *from,
                                     const cairn_format        *to,
                                     const cairn_plan_sample   *sample,
                                     const cairn_kernel_loader *loader,
                                     cairn_pass_list           *program)
{
    const cairn_kernel_loader no_loader = {.threads = 1};
    const cairn_entries       none      = {.order = to->order, .n = sample->entries};
    cairn_supposed            supposed  = {.members = to->members};
    cairn_build               build     = {.format     = to,
                                           .entries    = &none,
                                           .value_bits = sample->value_bits,
                                           .loader     = loader ? loader : &no_loader,
                                           .planned    = &supposed};
    uint64_t                  least[2]  = {0};
    cairn_columns             columns   = {.rows = 0};
    cairn_bucketed            bucketed  = {.order   = to->order,
                                           .n       = sample->entries,
                                           .buckets = 1,
                                           .least   = least,
                                           .columns = sample->state == CAIRN_SAMPLE_LINES ? &columns
                                                                                          : NULL};
    cairn_local              *source    = NULL;
    cairn_status              status;

    set_shape(to, sample, &build);
    supposed.apart   = sample->apart;
    supposed.lent    = sample->state == CAIRN_SAMPLE_LENT;
    supposed.longest = sample->entries / (build.shape.extent[0] + 1) + 1;
    if (sample->members > 0) supposed.members = sample->members;
    if (cairn_build_worth(env, &build) == CAIRN_BUILD_REFERENCE) build.loader = NULL;
    if (sample->state >= CAIRN_SAMPLE_BUCKETS) build.bucketed = &bucketed;
    status = make_source(env, from, sample, &build, &source);
    if (status == CAIRN_OK) status = plan(env, &build, program);
    cairn_local_destroy(&source);
    return status;
}

cairn_status cairn_build_plan(cairn_env                 *env,
                              const cairn_format        *from,
                              const cairn_format        *to,
                              const int64_t             *extent,
                              const cairn_kernel_loader *loader,
                              cairn_pass_list           *program)
{
    const cairn_plan_sample sample = {
        .extent = extent, .entries = NOMINAL_ENTRIES, .value_bits = 64};

    return cairn_build_plan_sample(env, from, to, &sample, loader, program);
}
