// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A member from its start to its end, and what of it had to be interpreted.

#include "convert/compiled.h"
#include "convert/members/assign_members.h"
#include "convert/numbers/compiled_blocks.h"
#include "convert/numbers/compiled_numbers.h"
#include "format/normal.h"

#include <stdio.h>
#include <string.h>

/* One way for all ranks, whatever entries they have: they exchange groups. */
cairn_status cairn_build_encoding(cairn_env             *env,
                                  const cairn_build     *build,
                                  int                    member,
                                  const cairn_encoding **encoding)
{
    const bool forced = env->options.convert[0]
                            ? strcmp(env->options.convert, CAIRN_METHOD_REFERENCE) == 0
                            : env->options.kernels == CAIRN_KERNELS_REFERENCE;

    *encoding = build->format->member[member];
    if (!build->loader || forced) return CAIRN_OK;
    return cairn_format_meaning(env, build->format, member, build->shape.extent,
                                encoding);
}

cairn_status cairn_member_init(cairn_env          *env,
                               const cairn_build  *build,
                               int                 number,
                               cairn_member_build *m)
{
    *m = (cairn_member_build){.env = env, .number = number};
    cairn_pass_list_init(&m->passes, env);
    cairn_table_init(env, &m->table);
    cairn_table_init(env, &m->source.seen);
    cairn_table_init(env, &m->source.all);
    CAIRN_TRY(cairn_build_encoding(env, build, number, &m->encoding));
    m->rows.interpreted = cairn_numbers_all(m->encoding);
    return CAIRN_OK;
}

void cairn_member_fini(cairn_env *env, cairn_member_build *m)
{
    cairn_compiled_destroy(env, &m->compiled);
    cairn_pass_list_fini(&m->passes);
    cairn_groups_destroy(env, &m->set);
    cairn_layout_destroy(env, &m->layout);
    cairn_table_fini(&m->table);
    cairn_table_fini(&m->source.seen);
    cairn_table_fini(&m->source.all);
    cairn_free(env, m->source.member_of);
    cairn_member_groups_destroy(env, &m->source.groups);
    cairn_free(env, m->rows.table);
    cairn_blocks_drop(m);
    cairn_free(env, m->bank);
}

/// What a query is called in messages: its name, else its number, from 1.
static void name_query(char text[128], const cairn_build *build, int member, int query)
{
    if (member < 0) {
        snprintf(text, 128, "assigning the entries to members");
        return;
    }
    const char *name = build->format->member[member]->query[query].name;

    if (name)
        snprintf(text, 128, "member %d: query %s", member, name);
    else
        snprintf(text, 128, "member %d: query %d", member, query + 1);
}

cairn_status cairn_build_interpret(cairn_env         *env,
                                   const cairn_build *build,
                                   bool               compiled,
                                   int                member,
                                   int                query)
{
    const bool        spread = build->net && build->net->size > 1;
    const char *const why = spread ? "no compiled function answers it on several ranks"
                                   : "no compiled function answers it";
    char              what[128];

    name_query(what, build, member, query);
    CAIRN_CHECK(
        build->duty != CAIRN_BUILD_PLEDGED && build->duty != CAIRN_BUILD_WORDS, env,
        CAIRN_NO_KERNEL,
        "convert: %s: %s, and CAIRN_KERNELS=compiled lets nothing be interpreted", what,
        why);
    if (build->report.interpreted) ++*build->report.interpreted;
    if (compiled && build->report.why_interpreted && !build->report.why_interpreted[0])
        snprintf(build->report.why_interpreted, CAIRN_MESSAGE, "%s was interpreted: %s",
                 what, why);
    return CAIRN_OK;
}
