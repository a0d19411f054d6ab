// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The print of a normal form: its queries by canonical names, and which levels use them.

#include "base/text.h"
#include "format/language.h"
#include "format/normal.h"

#include <stdio.h>

typedef char names[CAIRN_MAX_QUERIES][16];

static void name_start(names name, cairn_start *start)
{
    if (start->kind == CAIRN_START_QUERY) start->text = name[start->value];
}

static const char *name_of(names name, int q)
{
    return q < 0 ? "value" : name[q];
}

static void name_queries(names name, cairn_encoding *e)
{
    for (int q = 0, n = 0; q < e->queries; q++) {
        cairn_query *query = &e->query[q];

        if (!(e->idle >> q & 1)) snprintf(name[q], sizeof name[q], "q%d", n++);
        query->name     = name[q];
        query->arg_text = name_of(name, query->arg);
        for (int c = 0; c < query->cases; c++) {
            query->when[c].text = name_of(name, query->when[c].var);
            name_start(name, &query->when[c].start);
        }
        name_start(name, &query->otherwise);
    }
}

/// The first query that an expression asks, by number; CAIRN_MAX_QUERIES: it asks none.
static int first_asked(const cairn_expr *e)
{
    int a = CAIRN_MAX_QUERIES, b = CAIRN_MAX_QUERIES;

    if (e->op == CAIRN_EXPR_QUERY || e->op == CAIRN_EXPR_INDIRECT) return (int)e->value;
    if (e->a) a = first_asked(e->a);
    if (e->b) b = first_asked(e->b);
    return a < b ? a : b;
}

/// Which numbers the levels use.
static void add_levels(cairn_text *text, names name, const cairn_map *map)
{
    for (int l = 0; l < map->count; l++)
        if (cairn_expr_is_indirect(map->expr[l]))
            cairn_text_add(text, "; level %d by %s", l,
                           name[first_asked(map->expr[l])]);
}

static cairn_status
add_queries(cairn_env *env, const cairn_encoding *e, cairn_text *text)
{
    for (int q = cairn_encoding_next_query(e, 0); q < e->queries;
         q     = cairn_encoding_next_query(e, q + 1)) {
        char *one;

        CAIRN_TRY(cairn_query_print(env, &e->query[q], e->query, &one));
        cairn_text_add(text, "%s%s", q ? "; " : "", one);
        cairn_free(env, one);
    }
    return CAIRN_OK;
}

cairn_status
cairn_normal_print(cairn_env *env, const cairn_encoding *normal, char **text)
{
    names           name = {{0}};
    cairn_encoding *copy;
    cairn_text      out;
    cairn_status    status;

    CAIRN_TRY(CAIRN_NEW(env, 1, &copy));
    *copy = *normal;
    name_queries(name, copy);
    cairn_text_init(&out, env);
    status = add_queries(env, copy, &out);
    add_levels(&out, name, &copy->map);
    cairn_free(env, copy);
    if (status == CAIRN_OK) return cairn_text_take(&out, text);
    cairn_text_fini(&out);
    return status;
}
