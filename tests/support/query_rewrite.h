// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The queries of a format in other words of the same meaning, at random: names, cases
/// that are swapped, overlap or never hold, starts of sums that have no effect times a
/// number, keys scaled, shifted, with terms that are one value in the group and keys that
/// say nothing, groups recombined. What comes out is a text.

#ifndef CAIRN_TESTS_SUPPORT_QUERY_REWRITE_H
#define CAIRN_TESTS_SUPPORT_QUERY_REWRITE_H

#include "format/language.h"
#include "format/normal.h"
#include "random_format.h"

#ifndef REWRITE_CHECK /* a program without Criterion has its own */
#    include <criterion/criterion.h>

#    define REWRITE_CHECK(condition) cr_assert(condition)
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REWRITE_NODES = 4000, REWRITE_MAPS = 64 };

typedef struct {
    uint64_t              state;
    const cairn_encoding *normal; ///< Of the text: what cases mean.
    cairn_encoding        made;
    int                   nodes, maps;
    cairn_expr            node[REWRITE_NODES];
    cairn_map             map[REWRITE_MAPS];
    char                  name[CAIRN_MAX_QUERIES][16];
} rewriter;

static inline int rewrite_draw(rewriter *w, int below)
{
    return (int)random_below(&w->state, below);
}

/* ---- expressions ---- */

static inline const cairn_expr *rewrite_node(rewriter         *w,
                                             cairn_expr_op     op,
                                             int64_t           value,
                                             const cairn_expr *a,
                                             const cairn_expr *b)
{
    REWRITE_CHECK(w->nodes < REWRITE_NODES);
    w->node[w->nodes] = (cairn_expr){.op = op, .value = value, .a = a, .b = b};
    return &w->node[w->nodes++];
}

static inline const cairn_expr *rewrite_constant(rewriter *w, int64_t value)
{
    return rewrite_node(w, CAIRN_EXPR_CONST, value, NULL, NULL);
}

static inline const cairn_expr *
rewrite_times(rewriter *w, const cairn_expr *e, int64_t k)
{
    if (k == 1) return e;
    if (k == -1) return rewrite_node(w, CAIRN_EXPR_NEG, 0, e, NULL);
    return rewrite_node(w, CAIRN_EXPR_MUL, 0, rewrite_constant(w, k), e);
}

static inline const cairn_expr *
rewrite_plus(rewriter *w, const cairn_expr *e, const cairn_expr *other, int64_t k)
{
    if (k < 0)
        return rewrite_node(w, CAIRN_EXPR_SUB, 0, e, rewrite_times(w, other, -k));
    return rewrite_node(w, CAIRN_EXPR_ADD, 0, e, rewrite_times(w, other, k));
}

static inline const cairn_expr *
rewrite_over(rewriter *w, const cairn_expr *e, int64_t divisor)
{
    return rewrite_node(w, CAIRN_EXPR_DIV, 0, e, rewrite_constant(w, divisor));
}

/* ---- groups and keys ---- */

/// Of a digit of a digit the language need not see that it follows: then levels that were
/// determined would not be.
static inline bool rewrite_has_digit(const cairn_expr *e)
{
    return e->op == CAIRN_EXPR_MOD || (e->a && rewrite_has_digit(e->a))
           || (e->b && rewrite_has_digit(e->b));
}

/// @p ordered: the order of the groups must stay.
static inline void rewrite_groups(rewriter *w, cairn_map *map, bool ordered)
{
    const int n = map->count;

    for (int i = 0; i < n; i++) {
        const int j = ordered ? rewrite_draw(w, i + 1) : rewrite_draw(w, n);

        if (j != i && rewrite_draw(w, 2))
            map->expr[i] = rewrite_plus(w, map->expr[i], map->expr[j],
                                        1 + rewrite_draw(w, 2) * -2);
        if (rewrite_draw(w, 2))
            map->expr[i] = rewrite_times(w, map->expr[i], 2 + rewrite_draw(w, 2));
        if (!ordered && rewrite_draw(w, 2))
            map->expr[i] = rewrite_times(w, map->expr[i], -1);
        if (rewrite_draw(w, 2))
            map->expr[i] = rewrite_plus(w, map->expr[i],
                                        rewrite_constant(w, 1 + rewrite_draw(w, 5)), 1);
    }
    if (n > 1 && !ordered && rewrite_draw(w, 2)) {
        const cairn_expr *first = map->expr[0];

        map->expr[0]     = map->expr[n - 1];
        map->expr[n - 1] = first;
    }
    if (n > 0 && rewrite_draw(w, 3) == 0) {
        const cairn_expr *again = map->expr[rewrite_draw(w, n)];

        map->expr[map->count++] = rewrite_has_digit(again) ? rewrite_times(w, again, 2)
                                                           : rewrite_over(w, again, 3);
    }
}

static inline cairn_map *rewrite_map(rewriter *w, const cairn_map *map)
{
    REWRITE_CHECK(w->maps < REWRITE_MAPS);
    cairn_map *copy = &w->map[w->maps++];

    *copy = map ? *map : (cairn_map){.order = w->normal->map.order};
    return copy;
}

/// Keys that say what the line's own order says.
static inline void rewrite_line(rewriter *w, int along, cairn_map *keys)
{
    const cairn_expr *d = rewrite_node(w, CAIRN_EXPR_DIM, along, NULL, NULL);

    keys->count = 0;
    if (rewrite_draw(w, 3) == 0)
        keys->expr[keys->count++] = rewrite_over(w, d, 2 + rewrite_draw(w, 5));
    if (rewrite_draw(w, 4)) keys->expr[keys->count++] = d;
}

static inline void rewrite_keys(rewriter *w, int q, cairn_query *query)
{
    const cairn_query *plain = &w->normal->query[q];
    const cairn_map   *group = &w->normal->written->query[q].group_by;
    cairn_map         *keys  = rewrite_map(w, query->traverse_by);
    const int along = query->arg == CAIRN_ARG_VALUE ? cairn_query_line(plain) : -1;

    if (query->shorthand) return;
    if (query->func == CAIRN_QUERY_ENUM && along >= 0) rewrite_line(w, along, keys);
    for (int k = 0; k < keys->count; k++) {
        if (cairn_expr_is_indirect(keys->expr[k])) {
            keys->expr[k] = rewrite_times(w, keys->expr[k], 1 + rewrite_draw(w, 3));
            continue;
        }
        if (group->count && rewrite_draw(w, 2))
            keys->expr[k] = rewrite_plus(w, keys->expr[k],
                                         group->expr[rewrite_draw(w, group->count)],
                                         rewrite_draw(w, 2) ? 1 : -3);
        keys->expr[k] = rewrite_times(w, keys->expr[k], 1 + rewrite_draw(w, 3));
        if (rewrite_draw(w, 2))
            keys->expr[k] = rewrite_times(w, rewrite_times(w, keys->expr[k], -2), -1);
        if (rewrite_draw(w, 2))
            keys->expr[k] = rewrite_plus(w, keys->expr[k], rewrite_constant(w, 7), 1);
    }
    if (keys->count && rewrite_draw(w, 2))
        keys->expr[keys->count++] = rewrite_over(w, keys->expr[0], 2);
    if (group->count && rewrite_draw(w, 2))
        keys->expr[keys->count++] = group->expr[rewrite_draw(w, group->count)];
    query->traverse_by = keys->count ? keys : NULL;
}

/* ---- value maps ---- */

static inline void rewrite_case(cairn_query       *query,
                                cairn_relation     relation,
                                int64_t            constant,
                                const cairn_start *start)
{
    query->when[query->cases++] = (cairn_case){
        .var = query->arg, .relation = relation, .constant = constant, .start = *start};
}

/// Is it a sum of constants, none of which is negative?
static inline bool rewrite_counts(const rewriter *w, int q)
{
    const cairn_query *query  = &w->normal->written->query[q < 0 ? 0 : q];
    bool               counts = q >= 0 && query->func == CAIRN_QUERY_SUM
                  && query->otherwise.kind != CAIRN_START_QUERY
                  && query->otherwise.value >= 0;

    for (int c = 0; c < query->cases; c++)
        counts = counts && query->when[c].start.kind != CAIRN_START_QUERY
                 && query->when[c].start.value >= 0;
    return counts;
}

/// Stored and not, or a group's number 0 and not.
static inline void rewrite_with(rewriter *w, int q, cairn_query *query, int64_t unit)
{
    static const cairn_relation some[]    = {CAIRN_REL_NE, CAIRN_REL_GT, CAIRN_REL_GE};
    static const int64_t        from[]    = {0, 0, 1};
    static const cairn_relation without[] = {CAIRN_REL_EQ, CAIRN_REL_LE, CAIRN_REL_LT};
    const cairn_start          *stored, *others, any = {.value = 9};
    cairn_start                 yes, no;
    bool                        apart;
    const int k = rewrite_counts(w, query->arg) ? rewrite_draw(w, 3) : 0;

    if (!cairn_query_starts(&w->normal->query[q], &stored, &others, &apart) || !apart)
        return;
    if (stored->kind == CAIRN_START_QUERY || others->kind == CAIRN_START_QUERY)
        unit = 1;
    yes = *stored;
    no  = *others;
    yes.value *= unit;
    no.value *= unit;
    query->cases = 0;
    switch (rewrite_draw(w, 4)) {
    case 0:
        rewrite_case(query, some[k], from[k], &yes);
        query->otherwise = no;
        break;
    case 1:
        rewrite_case(query, without[k], from[k], &no);
        query->otherwise = yes;
        break;
    case 2:
        rewrite_case(query, some[k], from[k], &yes);
        rewrite_case(query, some[k], from[k], &any);
        query->otherwise = no;
        break;
    default:
        rewrite_case(query, without[k], from[k], &no);
        rewrite_case(query, some[k], from[k], &yes);
        query->otherwise = any;
        break;
    }
    query->has_with = true;
}

/* ---- names ---- */

static inline const char *rewrite_name(const rewriter *w, int q)
{
    return q < 0 ? "value" : w->name[q];
}

static inline void rewrite_names(rewriter *w)
{
    for (int q = 0; q < w->made.queries; q++) {
        cairn_query *query = &w->made.query[q];

        snprintf(w->name[q], sizeof w->name[q], "n%d%c", rewrite_draw(w, 90), 'a' + q);
        query->name = w->name[q];
    }
    for (int q = 0; q < w->made.queries; q++) {
        cairn_query *query = &w->made.query[q];

        query->arg_text       = rewrite_name(w, query->arg);
        query->otherwise.text = rewrite_name(w, (int)query->otherwise.value);
        for (int c = 0; c < query->cases; c++) {
            query->when[c].text = rewrite_name(w, query->when[c].var);
            query->when[c].start.text =
                rewrite_name(w, (int)query->when[c].start.value);
        }
    }
}

/* ---- all ---- */

static inline bool rewrite_is_argument(const cairn_encoding *e, int q)
{
    for (int r = q + 1; r < e->queries; r++)
        if (e->query[r].arg == q && e->query[r].func != CAIRN_QUERY_SUM) return true;
    return false;
}

static inline bool rewrite_expr_asks(const cairn_expr *e, int q)
{
    return ((e->op == CAIRN_EXPR_QUERY || e->op == CAIRN_EXPR_INDIRECT)
            && e->value == q)
           || (e->a && rewrite_expr_asks(e->a, q))
           || (e->b && rewrite_expr_asks(e->b, q));
}

/// Is its number itself used anywhere?
static inline bool rewrite_is_seen(const cairn_encoding *e, int q)
{
    bool seen = false;

    for (int l = 0; l < e->map.count; l++)
        seen |= rewrite_expr_asks(e->map.expr[l], q);
    for (int r = 0; r < e->queries; r++) {
        const cairn_query *query = &e->query[r];

        seen |=
            query->otherwise.kind == CAIRN_START_QUERY && query->otherwise.value == q;
        for (int c = 0; c < query->cases; c++)
            seen |= query->when[c].start.kind == CAIRN_START_QUERY
                    && query->when[c].start.value == q;
        for (int k = 0; query->traverse_by && k < query->traverse_by->count; k++)
            seen |= rewrite_expr_asks(query->traverse_by->expr[k], q);
        for (int k = 0; k < query->group_by.count; k++)
            seen |= rewrite_expr_asks(query->group_by.expr[k], q);
    }
    return seen;
}

/// Is it compared with another number than 0? Then its own must stay.
static inline bool rewrite_is_compared(const cairn_encoding *e, int q)
{
    for (int r = 0; r < e->queries; r++)
        for (int c = 0; c < e->query[r].cases; c++)
            if (e->query[r].when[c].var == q && e->query[r].when[c].constant != 0)
                return true;
    return false;
}

static inline void rewrite_query(rewriter *w, int q)
{
    const cairn_encoding *text  = w->normal->written;
    cairn_query          *query = &w->made.query[q];
    const bool            sum   = query->func == CAIRN_QUERY_SUM;
    const bool            seen = /* in the normal form perhaps by an earlier spelling */
        rewrite_is_seen(text, q) || rewrite_is_seen(w->normal, q);
    const int64_t unit = sum && !seen ? 1 + rewrite_draw(w, 3) : 1;

    if (query->func == CAIRN_QUERY_ENUM || (sum && !rewrite_is_compared(text, q)))
        rewrite_with(w, q, query, unit);
    if (!sum) rewrite_keys(w, q, query);
    rewrite_groups(w, &query->group_by,
                   query->func == CAIRN_QUERY_REORDER || rewrite_is_argument(text, q));
    if (!query->distance_by) return;

    cairn_map *by = rewrite_map(w, query->distance_by);

    rewrite_groups(w, by, false);
    query->distance_by = by;
}

/// Rewrite a format that is one encoding. @return its text, to be freed with
/// cairn_free().
static inline char *rewrite(cairn_env *env, const cairn_format *format, uint64_t seed)
{
    rewriter *w = calloc(1, sizeof *w);
    char     *text;

    w->state  = seed;
    w->normal = format->normal[0];
    w->made   = *format->member[0];
    for (int q = 0; q < w->made.queries; q++)
        rewrite_query(w, q);
    rewrite_names(w);
    REWRITE_CHECK(cairn_encoding_print(env, &w->made, &text) == CAIRN_OK);
    free(w);
    return text;
}

#endif
