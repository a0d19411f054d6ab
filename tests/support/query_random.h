// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random encodings with queries, as text, and random small tensors. Many texts have no
/// meaning; the language refuses those, and they are drawn again.

#ifndef CAIRN_TESTS_QUERY_RANDOM_H
#define CAIRN_TESTS_QUERY_RANDOM_H

#include "query/query.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

typedef struct {
    uint64_t state;
    int      order;
    int      queries;
    bool     global; ///< Only queries whose values do not depend on the rank count.
    char     group[4][2][40]; ///< groupBy expressions of each query,
    int      groups[4];
    int      func[4];
    char     text[4000];
} drawer;

static uint32_t draw(drawer *w, uint32_t n)
{
    w->state = w->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((w->state >> 33) % n);
}

static void put(drawer *w, const char *text)
{
    strncat(w->text, text, sizeof w->text - strlen(w->text) - 1);
}

/// An expression over dimensions.
static void draw_expr(drawer *w, char *out)
{
    const int a = (int)draw(w, (uint32_t)w->order);
    const int b = (a + 1) % w->order;
    const int c = 2 + (int)draw(w, 2);

    switch (draw(w, 12)) {
    case 0: snprintf(out, 40, "d%d/%d", a, c); return;
    case 1: snprintf(out, 40, "d%d%%%d", a, c); return;
    case 2: snprintf(out, 40, "d%d-d%d", a, b); return;
    case 3: snprintf(out, 40, "(d%d+d%d)/%d", a, b, c); return;
    case 4: snprintf(out, 40, "d%d/2/%d", a, c); return;
    case 5: snprintf(out, 40, "d%d/2%%2", a); return;
    case 6: snprintf(out, 40, "2*d%d+d%d", a, b); return;
    case 7: snprintf(out, 40, "-d%d", a); return;
    default: snprintf(out, 40, "d%d", a); return;
    }
}

static void put_dims(drawer *w)
{
    put(w, w->order == 2 ? "(d0,d1)->(" : "(d0,d1,d2)->(");
}

/// A map of at most two expressions: of the argument's groups, an earlier value, or any.
static void put_map(drawer *w, int arg, bool values, char kept[2][40], int *n)
{
    char text[2][40];

    *n = (int)draw(w, 3);
    put_dims(w);
    for (int k = 0; k < *n; k++) {
        if (values && w->queries && draw(w, 6) == 0)
            snprintf(text[k], 40, "q%u", draw(w, (uint32_t)w->queries));
        else if (arg >= 0 && w->groups[arg] && draw(w, 8))
            snprintf(text[k], 40, draw(w, 3) ? "%.30s" : "(%.30s)/2",
                     w->group[arg][draw(w, (uint32_t)w->groups[arg])]);
        else
            draw_expr(w, text[k]);
        put(w, k ? "," : "");
        put(w, text[k]);
    }
    put(w, ")");
    if (kept) memcpy(kept, text, sizeof text);
}

static void put_start(drawer *w, bool none)
{
    char text[40];

    if (none && draw(w, 4) == 0)
        snprintf(text, 40, "none");
    else if (w->queries && draw(w, 4) == 0)
        snprintf(text, 40, "q%u", draw(w, (uint32_t)w->queries));
    else
        snprintf(text, 40, "%u", draw(w, 3) ? draw(w, 2) : draw(w, 6));
    put(w, text);
}

static void put_with(drawer *w, int arg, bool none)
{
    static const char *const relations[] = {"eq", "ne", "ne", "eq",
                                            "gt", "ge", "lt", "le"};
    const int                cases       = (int)draw(w, 3);
    char                     text[80];

    put(w, " with ");
    for (int k = 0; k < cases; k++) {
        const bool     other = w->queries && draw(w, 5) == 0;
        const uint32_t r     = draw(w, 8);

        if (other)
            snprintf(text, 80, "q%u ", draw(w, (uint32_t)w->queries));
        else if (arg >= 0)
            snprintf(text, 80, "q%d ", arg);
        else
            snprintf(text, 80, "value ");
        put(w, text);
        snprintf(text, 80, "%s %u -> ", relations[r],
                 r < 4 && draw(w, 4) ? 0 : draw(w, 5));
        put(w, text);
        put_start(w, none);
        put(w, " | ");
    }
    put(w, "otherwise -> ");
    put_start(w, none);
}

/// An earlier sum, or -1.
static int draw_sum(drawer *w)
{
    const int begin = w->queries ? (int)draw(w, (uint32_t)w->queries) : 0;

    for (int k = 0; k < w->queries; k++)
        if (w->func[(begin + k) % w->queries] == 0) return (begin + k) % w->queries;
    return -1;
}

static void put_query(drawer *w)
{
    static const char *const funcs[] = {"sum", "enum", "reorder", "schedule"};
    int                      func    = (int)draw(w, w->global ? 3 : 4), ignored;
    const int                sum     = draw_sum(w);
    const int                arg     = func >= 2 || draw(w, 2) ? sum : -1;
    char                     text[80];

    if (sum < 0) func = func % 2;
    w->func[w->queries] = func;
    if (arg < 0)
        snprintf(text, 80, "q%d = %s(value) groupBy ", w->queries, funcs[func]);
    else
        snprintf(text, 80, "q%d = %s(q%d) groupBy ", w->queries, funcs[func], arg);
    put(w, text);
    put_map(w, arg, func == 1 && draw(w, 4) == 0, w->group[w->queries],
            &w->groups[w->queries]);
    if (func != 0 && draw(w, 2)) {
        put(w, " traverseBy ");
        put_map(w, arg, true, NULL, &ignored);
    }
    if (func < 2 && draw(w, 6)) put_with(w, arg, func == 1);
    if (func == 2 && draw(w, 2)) put(w, " descend");
    if (func == 3) {
        snprintf(text, 80, " buckets %u", 1 + draw(w, 4));
        put(w, text);
    }
    if (func == 1 && !w->global && draw(w, 4) == 0) {
        snprintf(text, 80, " distance %u", 1 + draw(w, 3));
        put(w, text);
        if (draw(w, 2)) {
            put(w, " by ");
            put_map(w, arg, false, NULL, &ignored);
        }
    }
    w->queries++;
}

/// A text with one to four queries.
static const char *draw_text(drawer *w)
{
    const int n = 1 + (int)draw(w, 4);

    w->queries = 0;
    w->text[0] = '\0';
    put(w, w->order == 2 ? "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ "
                         : "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, indirect<{ ");
    for (int q = 0; q < n; q++) {
        put(w, q ? "; " : "");
        put_query(w);
    }
    put(w, " }> }>");
    return w->text;
}

static cairn_shape draw_shape(drawer *w)
{
    cairn_shape shape = {.order = w->order};

    for (int k = 0; k < w->order; k++)
        shape.extent[k] = 1 + draw(w, w->order == 2 ? 11 : 5);
    return shape;
}

/// Entries of a random density; values 0 to 4 (a stored 0 counts as stored).
static cairn_entries draw_entries(drawer *w, cairn_env *env, const cairn_shape *shape)
{
    cairn_coord    d[3] = {0};
    const uint32_t some = 1 + draw(w, 6);
    cairn_entries  entries;
    int            k;

    cairn_entries_init(&entries, shape->order);
    do {
        if (draw(w, 6) < some - 1 + draw(w, 2))
            cr_assert_eq(cairn_entries_add(env, &entries, d, draw(w, 5)), CAIRN_OK);
        for (k = shape->order - 1; k >= 0 && ++d[k] == shape->extent[k]; k--)
            d[k] = 0;
    } while (k >= 0);
    return entries;
}

#endif
