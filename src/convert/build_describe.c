// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The program of a build: what assigned members, and for each member what gave the numbers
/// of its queries and the passes of its method.

#include "convert/numbers/compiled_numbers.h"

/// Ranks exchange what the next pass needs of all.
static cairn_status add_exchange(cairn_pass_list *program, const cairn_pass *like)
{
    cairn_pass pass = *like;

    pass.what = CAIRN_PASS_EXCHANGE;
    pass.rule = CAIRN_NUMBER_NONE;
    return cairn_pass_list_add(program, &pass);
}

/// Queries that were interpreted, and what they visited, to the end of the build.
static cairn_status add_interpreted(const cairn_member_build *m,
                                    const char               *method,
                                    cairn_pass_list          *program)
{
    const cairn_encoding *e    = m->encoding;
    cairn_pass            pass = {
                   .method = method, .member = m->number, .index = -1, .interpreted = true};

    for (int q = 0; q < e->queries; q++) {
        if (!(m->rows.interpreted >> q & 1)) continue;
        if (m->set) {
            pass.query_class  = cairn_query_class_name(cairn_groups_class(m->set, q));
            pass.look.visits  = cairn_groups_visits(m->set, q);
            pass.look.entries = m->source.entries.n;
            if (cairn_groups_is_joint(m->set, q))
                CAIRN_TRY(add_exchange(program, &pass));
        }
        pass.rule = cairn_numbers_rule(&e->query[q]);
        pass.what =
            pass.rule == CAIRN_NUMBER_NONE ? CAIRN_PASS_COUNT : CAIRN_PASS_NUMBER;
        if (pass.what == CAIRN_PASS_COUNT) pass.index = program->indices++;
        CAIRN_TRY(cairn_pass_list_add(program, &pass));
    }
    return CAIRN_OK;
}

/// Passes that came before there was a layout. Those of queries are said to be of the
/// member's method, and are left out where it has none (@p method NULL).
static cairn_status
add_early(const cairn_member_build *m, const char *method, cairn_pass_list *program)
{
    int kept = program->passes;

    CAIRN_TRY(cairn_pass_list_append(program, &m->passes, 0));
    for (int k = kept; k < program->passes; k++) {
        cairn_pass pass = program->pass[k];

        if (!pass.method) pass.method = method;
        if (pass.method) program->pass[kept++] = pass;
    }
    program->passes = kept;
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
    const bool            runs =
        c ? m->rows.interpreted != 0 : m->set && !cairn_groups_is_reference(m->set);

    CAIRN_TRY(add_early(m, c ? method : NULL, program));
    if (runs) CAIRN_TRY(add_interpreted(m, method, program));
    if (!c) return cairn_pass_list_add(program, &rules);
    return cairn_compiled_passes(c, program);
}

cairn_status cairn_build_describe(const cairn_member_build *members,
                                  int                       count,
                                  cairn_pass_list          *program)
{
    for (int k = 0; k < count; k++)
        CAIRN_TRY(describe_member(&members[k], program));
    return CAIRN_OK;
}
