// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One kind of numbers after the other, and the passes that give them.

#include "convert/numbers/compiled_numbers.h"

#include "convert/card.h"
#include "convert/numbers/compiled_blocks.h"
#include "convert/numbers/compiled_rows.h"
#include "format/normal.h"
#include "lower/conversion/convert_order.h"

/// Which of a member's queries are answered how.
static uint64_t answers_of(const cairn_member_build *m)
{
    uint64_t answers = m->rows.interpreted;

    if (m->rows.on) answers = 31 * answers + 4 * m->rows.tables + 2 * m->rows.along + 1;
    return m->blocks ? 31 * answers + 64 + 2 * (uint64_t)m->blocks->slot
                           + cairn_blocks_of_entries(m->blocks)
                     : answers;
}

cairn_status cairn_numbers_agree(cairn_member_build *members,
                                 int                 count,
                                 const cairn_build  *build,
                                 cairn_status        status)
{
    const cairn_query_net *net = build->net;
    uint64_t               all = 0;
    int64_t                most, least;
    bool                   same;

    for (int k = 0; k < count; k++)
        all = 8191 * all + answers_of(&members[k]);
    const int64_t mine = (int64_t)(all >> 1);

    most  = mine;
    least = -mine;
    CAIRN_TRY(net->max(net->user, &most));
    CAIRN_TRY(net->max(net->user, &least));
    same = most == mine && least == -mine;
    CAIRN_TRY(cairn_build_all(build, status, &same));
    for (int k = 0; k < count && !same; k++)
        cairn_numbers_drop(&members[k]);
    return CAIRN_OK;
}

bool cairn_numbers_any(const cairn_member_build *m)
{
    return m->rows.on || m->blocks;
}

bool cairn_numbers_known(const cairn_member_build *m)
{
    return m->encoding->queries > 0 && m->rows.interpreted == 0;
}

cairn_interval cairn_numbers_span(const cairn_member_build *m, int q)
{
    if (m->rows.interpreted >> q & 1) return cairn_groups_span(m->set, q);
    return m->blocks && q == m->blocks->slot ? m->blocks->span : m->rows.span[q];
}

/// Do the entries of the tensor to start from come by rows?
static cairn_status comes_by_rows(cairn_env *env, const cairn_build *build, bool *rows)
{
    const cairn_group *group = &build->from->group[0];

    *rows = false;
    if (group->count != 1 || !cairn_group_is_ordered(group)) return CAIRN_OK;
    return cairn_convert_by_rows(env, group->layout, rows);
}

cairn_status
cairn_numbers_direct(cairn_member_build *m, const cairn_build *build, bool *direct)
{
    /* A card sorts: it numbers along rows from whatever order there is. */
    const bool along = m->rows.along && !cairn_card_is_asked_for(build);

    *direct = m->rows.interpreted == 0;
    return *direct && (along || (m->blocks && cairn_blocks_of_entries(m->blocks)))
               ? comes_by_rows(m->env, build, direct)
               : CAIRN_OK;
}

/* ---- groups along lines, as passes ---- */

static cairn_status count_blocks(cairn_compiled *c)
{
    return cairn_blocks_run(c->m, c->build, &c->origin);
}

static cairn_status join_blocks(cairn_compiled *c)
{
    if (c->build->planned) return CAIRN_OK;
    return cairn_blocks_join(c->m, c->build);
}

static cairn_status exchange_blocks(cairn_compiled *c)
{
    CAIRN_TRY(join_blocks(c));
    c->step->idle = !c->m->blocks->joint;
    return CAIRN_OK;
}

static const cairn_pass_work count_groups    = {.prepare = count_blocks},
                             number_groups   = {.prepare = join_blocks},
                             exchange_groups = {.prepare  = exchange_blocks,
                                                .together = true};

/* ---- the passes of queries ---- */

cairn_number_rule cairn_numbers_rule(const cairn_query *query)
{
    switch (query->func) {
    case CAIRN_QUERY_SUM: return CAIRN_NUMBER_NONE;
    case CAIRN_QUERY_ENUM:
        return query->distance > 0 ? CAIRN_NUMBER_DISTANCE : CAIRN_NUMBER_RANK;
    case CAIRN_QUERY_REORDER: return CAIRN_NUMBER_PLACE;
    case CAIRN_QUERY_SCHEDULE: return CAIRN_NUMBER_BUCKET;
    }
    return CAIRN_NUMBER_NONE;
}

/// Sums are counts of groups; what numbers elements goes by the counts before.
static cairn_status add_query(const cairn_compiled  *c,
                              cairn_pass_writer     *w,
                              int                    q,
                              const cairn_pass_work *work)
{
    const cairn_number_rule rule = cairn_numbers_rule(&c->m->encoding->query[q]);

    CAIRN_TRY(rule == CAIRN_NUMBER_NONE
                  ? cairn_passes_count(w, w->pass.unit, work)
                  : cairn_passes_number(w, w->pass.unit, rule, 0, work));
    cairn_passes_set_query(w, q);
    return CAIRN_OK;
}

static cairn_status
add_exchange(cairn_pass_writer *w, int q, const cairn_pass_work *work)
{
    CAIRN_TRY(cairn_passes_exchange(w, work));
    cairn_passes_set_query(w, q);
    return CAIRN_OK;
}

static bool has_others(const cairn_build *build)
{
    return build->net && build->net->size > 1;
}

/// The first query counts rows, the others number them.
static cairn_status add_rows_query(const cairn_compiled *c, cairn_pass_writer *w, int q)
{
    const cairn_query *query = &c->m->encoding->query[q];

    if (has_others(c->build) && query->func == CAIRN_QUERY_REORDER)
        CAIRN_TRY(add_exchange(w, q, &cairn_exchange_rows));
    return add_query(c, w, q,
                     q == c->m->rows.count ? &cairn_count_by_query
                                           : &cairn_number_by_query);
}

/// Groups are numbered where they are counted; those of lines that cross ranks after the
/// exchange.
static cairn_status
add_groups_query(const cairn_compiled *c, cairn_pass_writer *w, int q)
{
    const cairn_blocks *b = c->m->blocks;

    if (q != b->sum && q != b->slot && q != b->width) return CAIRN_OK;
    if (cairn_blocks_of_entries(b))
        CAIRN_TRY(cairn_passes_count(w, w->pass.unit, &count_groups));
    if (q == b->sum) return add_query(c, w, q, &count_groups);
    if (q != b->slot) return add_query(c, w, q, NULL);
    if (!has_others(c->build)) return add_query(c, w, q, &number_groups);
    CAIRN_TRY(add_exchange(w, q, &exchange_groups));
    return add_query(c, w, q, NULL);
}

/// Queries that are run on coordinates have no passes.
static cairn_status add_answer(const cairn_compiled *c, cairn_pass_writer *w, int q)
{
    const cairn_numbered_rows *rows = &c->m->rows;

    if (rows->on && (rows->tables >> q & 1 || (rows->along && q == rows->slot)))
        return add_rows_query(c, w, q);
    return c->m->blocks ? add_groups_query(c, w, q) : CAIRN_OK;
}

/* Along rows entries are numbered where they are moved, if the rows are not counted. */
cairn_status cairn_numbers_write(const cairn_compiled *c, cairn_pass_writer *w)
{
    const cairn_encoding *e = c->m->encoding;

    w->pass.unit = CAIRN_UNIT_RUN;
    for (int q = cairn_encoding_next_query(e, 0); q < e->queries;
         q     = cairn_encoding_next_query(e, q + 1))
        CAIRN_TRY(add_answer(c, w, q));
    return CAIRN_OK;
}

/* ---- counting ---- */

/// Forget what ran for the queries: those passes are of no method yet.
static void drop_passes(cairn_pass_list *list)
{
    int kept = 0;

    list->indices = 0;
    for (int k = 0; k < list->passes; k++) {
        if (!list->pass[k].method) continue;
        if (list->pass[k].index >= list->indices)
            list->indices = list->pass[k].index + 1;
        list->pass[kept++] = list->pass[k];
    }
    list->passes = kept;
}

cairn_status cairn_numbers_count(cairn_member_build *m,
                                 const cairn_build  *build,
                                 const cairn_origin *origin,
                                 cairn_status        status,
                                 bool               *counted)
{
    *counted = true;
    if (!cairn_numbers_any(m)) return status;
    drop_passes(&m->passes);
    status   = cairn_compiled_run_early(m, build, origin, cairn_numbers_write, status,
                                        &m->passes);
    *counted = status != CAIRN_NO_KERNEL;
    return *counted ? status : CAIRN_OK;
}

bool cairn_numbers_uncounted(const cairn_member_build *m)
{
    return (m->rows.on && !m->rows.table) || (m->blocks && !m->blocks->counted);
}

void cairn_numbers_forget(cairn_member_build *m)
{
    cairn_free(m->env, m->rows.table);
    m->rows.table = NULL;
    cairn_blocks_forget(m->env, m->blocks);
    cairn_pass_list_clear(&m->passes);
}

void cairn_numbers_drop(cairn_member_build *m)
{
    drop_passes(&m->passes);
    cairn_rows_drop(m);
    cairn_blocks_drop(m);
    m->rows.interpreted = cairn_numbers_all(m->encoding);
}
