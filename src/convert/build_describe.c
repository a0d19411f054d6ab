// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The program of a build: the dealing to members, and for each member the numbers of its
/// queries and the passes of its method.

#include "convert/compiled.h"
#include "convert/compiled_blocks.h"
#include "convert/compiled_numbers.h"

static cairn_number_rule rule_of(const cairn_query *query)
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

/// Ranks tell each other what the next pass needs of all.
static cairn_status add_exchange(cairn_pass_list *program, const cairn_pass *like)
{
    cairn_pass pass = *like;

    pass.what = CAIRN_PASS_EXCHANGE;
    pass.rule = CAIRN_NUMBER_NONE;
    return cairn_pass_list_add(program, &pass);
}

static cairn_status add_assign(const cairn_member_build *members,
                               cairn_pass_list          *program)
{
    const bool interpreted = members[0].looked == CAIRN_ROUTE_REFERENCE;
    cairn_pass pass        = {.method      = "assign",
                              .what        = CAIRN_PASS_COUNT,
                              .member      = -1,
                              .index       = program->indices++,
                              .interpreted = interpreted};

    CAIRN_TRY(cairn_pass_list_add(program, &pass));
    if (members[0].joint) CAIRN_TRY(add_exchange(program, &pass));
    pass.what = CAIRN_PASS_ASSIGN;
    return cairn_pass_list_add(program, &pass);
}

/// Sums are counts of groups; what numbers elements goes by the counts before.
static cairn_status
add_query(cairn_pass_list *program, cairn_pass *pass, const cairn_query *query)
{
    pass->rule = rule_of(query);
    pass->what = pass->rule == CAIRN_NUMBER_NONE ? CAIRN_PASS_COUNT : CAIRN_PASS_NUMBER;
    if (pass->what == CAIRN_PASS_COUNT) pass->index = program->indices++;
    return cairn_pass_list_add(program, pass);
}

/// Is a query's number told by what several ranks have?
static bool is_joint(const cairn_member_build *m, int q)
{
    if (m->blocks) return m->blocks->spread && q == m->blocks->slot;
    return m->rows.on && m->rows.joint >> q & 1;
}

/// What gave the member its numbers. Along rows they are given where entries are moved, if
/// the rows have not been counted before.
static cairn_status
add_queries(const cairn_member_build *m, const char *method, cairn_pass_list *program)
{
    const cairn_encoding *e    = m->encoding;
    const bool            runs = e->queries > 0 && !cairn_numbers_known(m);
    cairn_pass            pass = {.method = method,
                                  .member = m->number,
                                  .index  = -1,
                                  .unit   = runs ? CAIRN_UNIT_ENTRY : CAIRN_UNIT_RUN,
                                  .interpreted = runs};

    if (!runs && !m->rows.on && !m->blocks) return CAIRN_OK;
    for (int q = 0; q < e->queries; q++) {
        if (!runs && e->idle >> q & 1) continue;
        if (runs && m->set) {
            pass.query_class = cairn_query_class_name(cairn_groups_class(m->set, q));
            pass.visits      = cairn_groups_visits(m->set, q);
            pass.entries     = m->entries.n;
        }
        if (runs && m->set ? cairn_groups_is_joint(m->set, q) : is_joint(m, q))
            CAIRN_TRY(add_exchange(program, &pass));
        CAIRN_TRY(add_query(program, &pass, &e->query[q]));
    }
    return CAIRN_OK;
}

static cairn_status describe_member(const cairn_member_build *m,
                                    cairn_pass_list          *program)
{
    const cairn_compiled *c      = m->compiled;
    const char *const     method = c ? c->choice.method->name : CAIRN_METHOD_REFERENCE;
    const cairn_pass      rules  = {.method      = method,
                                    .what        = CAIRN_PASS_RULES,
                                    .member      = m->number,
                                    .index       = -1,
                                    .arrays      = cairn_pass_arrays(m->layout),
                                    .stores      = CAIRN_STORES_DIRECT,
                                    .interpreted = true};

    if (c || (m->set && !cairn_groups_is_reference(m->set)))
        CAIRN_TRY(add_queries(m, method, program));
    if (!c) return cairn_pass_list_add(program, &rules);
    return cairn_compiled_passes(c, program);
}

cairn_status cairn_build_describe(const cairn_member_build *members,
                                  int                       count,
                                  cairn_pass_list          *program)
{
    if (count > 1 && members[0].compiled) CAIRN_TRY(add_assign(members, program));
    for (int k = 0; k < count; k++)
        CAIRN_TRY(describe_member(&members[k], program));
    return CAIRN_OK;
}
