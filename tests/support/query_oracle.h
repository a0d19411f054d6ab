// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries straight from their definition: every position of a small box is looked at,
/// every search is a loop. Nothing of src/query or the algebra is used.

#ifndef CAIRN_TESTS_QUERY_ORACLE_H
#define CAIRN_TESTS_QUERY_ORACLE_H

#include "query/query.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#ifndef ORACLE_POSITIONS
#    define ORACLE_POSITIONS 256 ///< The largest box; a test may define another before.
#endif

enum { ORACLE_WIDTH = 4 };

/// What one query says; arrays by position (value) or by element.
typedef struct {
    int     elements;
    int     at[ORACLE_POSITIONS];                  ///< First position of each element.
    int     of[ORACLE_POSITIONS];                  ///< Element of each position.
    int64_t group[ORACLE_POSITIONS][ORACLE_WIDTH]; ///< groupBy, by position.
    int64_t number[ORACLE_POSITIONS];              ///< By element; enum and after.
    int64_t value[ORACLE_POSITIONS];               ///< By position.
} oracle_query;

typedef struct {
    const cairn_encoding *encoding;
    int                   order, positions;
    cairn_coord           d[ORACLE_POSITIONS][3];
    bool                  stored[ORACLE_POSITIONS];
    double                content[ORACLE_POSITIONS];
    oracle_query          query[CAIRN_MAX_QUERIES];
    bool refused; ///< Two equal numbers in one group, or a class with two starts.
} oracle;

static int64_t oracle_floor(int64_t a, int64_t c)
{
    int64_t quotient = 0;

    while (quotient * c > a)
        quotient--;
    while ((quotient + 1) * c <= a)
        quotient++;
    return quotient;
}

static int64_t oracle_expr(const oracle *o, const cairn_expr *e, int p)
{
    const int64_t a = e->a ? oracle_expr(o, e->a, p) : 0;
    const int64_t b = e->b ? oracle_expr(o, e->b, p) : 0;

    switch (e->op) {
    case CAIRN_EXPR_CONST: return e->value;
    case CAIRN_EXPR_RANKS: break; /* of no map */
    case CAIRN_EXPR_DIM: return o->d[p][e->value];
    case CAIRN_EXPR_QUERY:
    case CAIRN_EXPR_INDIRECT: return o->query[e->value].value[p];
    case CAIRN_EXPR_NEG: return -a;
    case CAIRN_EXPR_ADD: return a + b;
    case CAIRN_EXPR_SUB: return a - b;
    case CAIRN_EXPR_MUL: return a * b;
    case CAIRN_EXPR_DIV: return oracle_floor(a, b);
    case CAIRN_EXPR_MOD: return a - b * oracle_floor(a, b);
    }
    return 0;
}

static bool oracle_relation(double a, cairn_relation relation, double b)
{
    switch (relation) {
    case CAIRN_REL_EQ: return a == b;
    case CAIRN_REL_NE: return a != b;
    case CAIRN_REL_GT: return a > b;
    case CAIRN_REL_GE: return a >= b;
    case CAIRN_REL_LT: return a < b;
    case CAIRN_REL_LE: return a <= b;
    }
    return false;
}

static bool oracle_case(const oracle *o, const cairn_case *when, int p)
{
    if (when->var >= 0) {
        const int64_t value = o->query[when->var].value[p];

        if (value == CAIRN_NO_NUMBER) return when->relation == CAIRN_REL_NE;
        return oracle_relation((double)value, when->relation, (double)when->constant);
    }
    if (when->constant == 0 && when->relation == CAIRN_REL_EQ) return !o->stored[p];
    if (when->constant == 0 && when->relation == CAIRN_REL_NE) return o->stored[p];
    return oracle_relation(o->stored[p] ? o->content[p] : 0, when->relation,
                           (double)when->constant);
}

/// Arm and start at a position.
static int64_t oracle_start(const oracle *o, const cairn_query *query, int p, int *arm)
{
    const cairn_start *start = &query->otherwise;

    for (*arm = 0; *arm < query->cases; ++*arm)
        if (oracle_case(o, &query->when[*arm], p)) {
            start = &query->when[*arm].start;
            break;
        }
    if (start->kind == CAIRN_START_CONST) return start->value;
    return start->kind == CAIRN_START_NONE ? CAIRN_NO_NUMBER
                                           : o->query[start->value].value[p];
}

static int oracle_compare(const int64_t *a, const int64_t *b, int n)
{
    for (int k = 0; k < n; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static void oracle_tuple(const oracle *o, const cairn_map *map, int p, int64_t *tuple)
{
    for (int k = 0; map && k < map->count; k++)
        tuple[k] = oracle_expr(o, map->expr[k], p);
}

/// The query's elements: positions, or the argument's groups at their first position.
static void oracle_elements(oracle *o, int q)
{
    oracle_query *out = &o->query[q];
    const int     arg = o->encoding->query[q].arg;
    const int     n   = arg < 0 ? 0 : o->encoding->query[arg].group_by.count;

    out->elements = 0;
    for (int p = 0; p < o->positions; p++) {
        int e = 0;

        oracle_tuple(o, &o->encoding->query[q].group_by, p, out->group[p]);
        if (arg < 0)
            e = out->elements;
        else
            while (e < out->elements
                   && oracle_compare(o->query[arg].group[p],
                                     o->query[arg].group[out->at[e]], n)
                          != 0)
                e++;
        if (e == out->elements) out->at[out->elements++] = p;
        out->of[p] = e;
    }
}

/// Does element @p x come before @p y: traverse, then id? (schedule's shorthand orders
/// by the dimension.)
static bool oracle_before(const oracle *o, int q, int x, int y)
{
    const cairn_query *query = &o->encoding->query[q];
    const int          px = o->query[q].at[x], py = o->query[q].at[y];
    int64_t            a[ORACLE_WIDTH], b[ORACLE_WIDTH];
    cairn_map          inner;
    const cairn_map   *map = query->traverse_by;
    int                c;

    if (query->shorthand) {
        inner         = *map;
        inner.expr[0] = map->expr[0]->a;
        map           = &inner;
    }
    oracle_tuple(o, map, px, a);
    oracle_tuple(o, map, py, b);
    c = oracle_compare(a, b, map ? map->count : 0);
    if (c) return c < 0;
    if (query->arg < 0) return px < py;
    return oracle_compare(o->query[query->arg].group[px],
                          o->query[query->arg].group[py],
                          o->encoding->query[query->arg].group_by.count)
           < 0;
}

static bool oracle_same_group(const oracle *o, int q, int x, int y)
{
    const oracle_query *out = &o->query[q];

    return oracle_compare(out->group[out->at[x]], out->group[out->at[y]],
                          o->encoding->query[q].group_by.count)
           == 0;
}

/// All elements in traverse order (insertion sort).
static void oracle_order(const oracle *o, int q, int *order)
{
    for (int e = 0; e < o->query[q].elements; e++) {
        int k = e;

        for (; k > 0 && oracle_before(o, q, e, order[k - 1]); k--)
            order[k] = order[k - 1];
        order[k] = e;
    }
}

static void oracle_sum(oracle *o, int q)
{
    oracle_query *out = &o->query[q];
    int           arm;

    for (int p = 0; p < o->positions; p++) {
        out->value[p] = 0;
        for (int e = 0; e < out->elements; e++) {
            const int64_t start =
                oracle_start(o, &o->encoding->query[q], out->at[e], &arm);

            if (oracle_compare(out->group[p], out->group[out->at[e]],
                               o->encoding->query[q].group_by.count)
                    == 0
                && start != CAIRN_NO_NUMBER)
                out->value[p] += start;
        }
    }
}

/// How many elements of e's group and arm come before it; with a distance: the first
/// free number.
static int64_t oracle_number(const oracle *o, int q, const int *order, int k)
{
    const cairn_query  *query = &o->encoding->query[q];
    const oracle_query *out   = &o->query[q];
    int                 arm, other;
    const int64_t       start  = oracle_start(o, query, out->at[order[k]], &arm);
    int64_t             number = start, key[ORACLE_WIDTH], key2[ORACLE_WIDTH];
    bool                taken  = query->distance > 0;

    if (start == CAIRN_NO_NUMBER) return start;
    oracle_tuple(o, query->distance_by, out->at[order[k]], key);
    for (int j = 0; j < k; j++) {
        if (!oracle_same_group(o, q, order[j], order[k])) continue;
        oracle_start(o, query, out->at[order[j]], &other);
        if (!query->distance) {
            number += other == arm;
            continue;
        }
        oracle_tuple(o, query->distance_by, out->at[order[j]], key2);
        if (out->number[order[j]] != CAIRN_NO_NUMBER
            && oracle_compare(key, key2,
                              query->distance_by ? query->distance_by->count : 0)
                   == 0
            && out->number[order[j]] + query->distance > number)
            number = out->number[order[j]] + query->distance;
    }
    while (taken) {
        taken = false;
        for (int j = 0; j < k && !taken; j++)
            taken = oracle_same_group(o, q, order[j], order[k])
                    && out->number[order[j]] == number;
        number += taken;
    }
    return number;
}

static void oracle_enum(oracle *o, int q)
{
    oracle_query *out = &o->query[q];
    int           order[ORACLE_POSITIONS];

    oracle_order(o, q, order);
    for (int k = 0; k < out->elements; k++)
        out->number[order[k]] = oracle_number(o, q, order, k);
    for (int x = 0; x < out->elements; x++)
        for (int y = 0; y < x; y++) {
            const cairn_query *query = &o->encoding->query[q];
            int                arm, other;
            const int64_t      start = oracle_start(o, query, out->at[x], &arm),
                          start2     = oracle_start(o, query, out->at[y], &other);

            if (!oracle_same_group(o, q, x, y)) continue;
            if (!query->distance && arm == other && start != start2) o->refused = true;
            if (out->number[x] == out->number[y] && out->number[x] != CAIRN_NO_NUMBER)
                o->refused = true;
        }
}

/// Groups in (window, value, traverse, id) order.
static void oracle_reorder(oracle *o, int q)
{
    const cairn_query *query = &o->encoding->query[q];
    oracle_query      *out   = &o->query[q];

    for (int x = 0; x < out->elements; x++) {
        out->number[x] = 0;
        for (int y = 0; y < out->elements; y++) {
            const int     px = out->at[x], py = out->at[y];
            const int64_t vx = o->query[query->arg].value[px],
                          vy = o->query[query->arg].value[py];
            const int window =
                oracle_compare(out->group[py], out->group[px], query->group_by.count);
            const bool first = vy != vx ? (query->descend ? vy > vx : vy < vx)
                                        : oracle_before(o, q, y, x);

            out->number[x] += window ? window < 0 : first;
        }
    }
}

static void oracle_schedule(oracle *o, int q)
{
    const cairn_query *query = &o->encoding->query[q];
    oracle_query      *out   = &o->query[q];
    int                order[ORACLE_POSITIONS];

    oracle_order(o, q, order);
    for (int k = 0; k < out->elements; k++) {
        int64_t least = 0, load[128] = {0};

        for (int j = 0; j < k; j++)
            if (oracle_same_group(o, q, order[j], order[k]))
                load[out->number[order[j]]] +=
                    o->query[query->arg].value[out->at[order[j]]];
        for (int b = 1; b < query->buckets; b++)
            if (load[b] < load[least]) least = b;
        out->number[order[k]] = least;
    }
}

/// Answer all queries; stops after a refused one.
static void oracle_run(oracle *o)
{
    for (int q = 0; q < o->encoding->queries && !o->refused; q++) {
        oracle_elements(o, q);
        switch (o->encoding->query[q].func) {
        case CAIRN_QUERY_SUM: oracle_sum(o, q); continue;
        case CAIRN_QUERY_ENUM: oracle_enum(o, q); break;
        case CAIRN_QUERY_REORDER: oracle_reorder(o, q); break;
        case CAIRN_QUERY_SCHEDULE: oracle_schedule(o, q); break;
        }
        for (int p = 0; p < o->positions; p++)
            o->query[q].value[p] = o->query[q].number[o->query[q].of[p]];
    }
}

/// Start with the positions of a shape, and the entries among them.
static void oracle_init(oracle               *o,
                        const cairn_encoding *encoding,
                        const cairn_shape    *shape,
                        const cairn_entries  *entries)
{
    cairn_coord d[3] = {0};
    int         k;

    memset(o, 0, sizeof *o);
    o->encoding = encoding;
    o->order    = shape->order;
    do {
        memcpy(o->d[o->positions], d, sizeof d);
        for (cairn_pos p = 0; p < entries->n; p++) {
            bool here = true;

            for (int j = 0; j < o->order; j++)
                here = here && entries->coord[j][p] == d[j];
            if (!here) continue;
            o->stored[o->positions]  = true;
            o->content[o->positions] = entries->value[p];
        }
        o->positions++;
        for (k = o->order - 1; k >= 0 && ++d[k] == shape->extent[k]; k--)
            d[k] = 0;
    } while (k >= 0);
}

#endif
