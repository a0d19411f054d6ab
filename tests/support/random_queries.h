// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random queries of formats as text, and the levels that use them.

#ifndef CAIRN_TESTS_SUPPORT_RANDOM_QUERIES_H
#define CAIRN_TESTS_SUPPORT_RANDOM_QUERIES_H

#include "random_map.h"

/// Some of the map's expressions, as a groupBy list; never all of them.
static inline void random_groups(random_map *m, char *out, size_t size)
{
    int kept = 0;

    out[0] = '\0';
    for (int d = 0; d < m->order; d++) {
        const int form = random_below(m->state, 5);
        char      one[32];

        if (kept == m->order - 1 || form == 0) continue;
        if (form == 1)
            snprintf(one, sizeof one, "d%d/%d", d, 2 + random_below(m->state, 3));
        else if (form == 2 && m->order > 1)
            snprintf(one, sizeof one, "d%d-d%d", (d + 1) % m->order, d);
        else
            snprintf(one, sizeof one, "d%d", d);
        snprintf(out + strlen(out), size - strlen(out), "%s%s", kept ? "," : "", one);
        kept++;
    }
}

/// enum: ELL's slot, or a numbering without padding, perhaps with distance.
static inline void random_slot(random_map *m)
{
    char      groups[128], traverse[160] = "", rest[200];
    const int d = random_below(m->state, m->order);

    random_groups(m, groups, sizeof groups);
    if (random_chance(m->state, 50))
        snprintf(traverse, sizeof traverse, " traverseBy %s->(%sd%d)", m->dims,
                 random_chance(m->state, 20) ? "-" : "", d);
    if (random_chance(m->state, 60))
        snprintf(rest, sizeof rest, "value eq 0 -> count | otherwise -> 0");
    else if (random_chance(m->state, 50))
        snprintf(rest, sizeof rest, "value ne 0 -> 0 | otherwise -> none");
    else
        snprintf(rest, sizeof rest,
                 "value ne 0 -> 0 | otherwise -> none distance %d by %s->(d%d)",
                 1 + random_below(m->state, 4), m->dims, d);
    snprintf(m->queries, sizeof m->queries,
             "count = sum(value) groupBy %s->(%s); "
             "slot = enum(value) groupBy %s->(%s)%s with %s",
             m->dims, groups, m->dims, groups, traverse, rest);
    random_insert(m, random_below(m->state, m->levels + 1), "slot");
}

/// reorder: a place, whole or as blocks.
static inline void random_place(random_map *m)
{
    const int d = random_below(m->state, m->order), c = 2 + random_below(m->state, 3);
    char      window[96] = "", high[32], low[32];

    if (random_chance(m->state, 50))
        snprintf(window, sizeof window, " groupBy %s->(d%d/%d)", m->dims, d,
                 2 + random_below(m->state, 4));
    snprintf(m->queries, sizeof m->queries,
             "load = sum(value) groupBy %s->(d%d); place = reorder(load)%s%s", m->dims,
             d, window, random_chance(m->state, 50) ? " descend" : "");
    if (random_chance(m->state, 50)) {
        random_insert(m, random_below(m->state, m->levels + 1), "place");
        return;
    }
    snprintf(high, sizeof high, "place/%d", c);
    snprintf(low, sizeof low, "place%%%d", c);
    const int at = random_below(m->state, m->levels + 1);

    random_insert(m, at, high);
    random_insert(m, at + 1 + random_below(m->state, m->levels - at), low);
}

/// schedule: a bucket, first of all levels so that partition may take it.
static inline void random_bucket(random_map *m)
{
    const int d = random_below(m->state, m->order);

    snprintf(m->queries, sizeof m->queries,
             "load = sum(value) groupBy %s->(d%d); schedule(load) traverseBy "
             "%s->(%sd%d) buckets %d",
             m->dims, d, m->dims, random_chance(m->state, 30) ? "-" : "", d,
             1 + random_below(m->state, 4));
    random_insert(m, 0, "indirect(d0)");
    m->bucketed = true;
}

/// BELL's queries: blocks numbered within block rows.
static inline void random_blocks(random_map *m)
{
    const int b = 2 + random_below(m->state, 3), c = 2 + random_below(m->state, 3);

    snprintf(m->queries, sizeof m->queries,
             "block = sum(value) groupBy %s->(d0/%d,d1/%d); "
             "width = sum(block) groupBy %s->(d0/%d); "
             "slot = enum(block) groupBy %s->(d0/%d) traverseBy %s->(d1/%d) "
             "with block eq 0 -> width | otherwise -> 0",
             m->dims, b, c, m->dims, b, m->dims, b, m->dims, c);
    random_insert(m, random_below(m->state, m->levels + 1), "slot");
}

/// What a sum gives each element: stored or not, by its value, or all alike.
static inline const char *random_counts(uint64_t *state, char *out, size_t size)
{
    const int k = 1 + random_below(state, 120);

    switch (random_below(state, 7)) {
    case 0: return " with value ne 0 -> 1 | otherwise -> 0";
    case 1: return " with value eq 0 -> 1 | otherwise -> 0";
    case 2: return " with otherwise -> 1";
    case 3:
        snprintf(out, size,
                 " with value gt %d -> %d | value ne 0 -> 1 | otherwise -> 0", k,
                 2 + random_below(state, 3));
        return out;
    case 4:
        snprintf(out, size, " with value le %d -> 2 | otherwise -> 1", k);
        return out;
    default: return "";
    }
}

/// Level @p name, whole or as its quotient and remainder in any two places.
static inline void random_whole_or_tiled(random_map *m, const char *name)
{
    const int c  = 2 + random_below(m->state, 3);
    const int at = random_below(m->state, m->levels + 1);
    char      text[RANDOM_TEXT];

    if (random_chance(m->state, 50)) {
        random_insert(m, at, name);
        return;
    }
    snprintf(text, sizeof text, "%s/%d", name, c);
    random_insert(m, at, text);
    snprintf(text, sizeof text, "%s%%%d", name, c);
    random_insert(m, random_below(m->state, m->levels + 1), text);
}

/// SELL-sigma's: places of rows, of any dimension, and slots beside them.
static inline void random_place_and_slot(random_map *m)
{
    const int d = random_below(m->state, m->order),
              g = random_below(m->state, m->order);
    char counts[128], window[96] = "", order[96] = "";

    if (random_chance(m->state, 50))
        snprintf(window, sizeof window, " groupBy %s->(d%d/%d)", m->dims, d,
                 2 + random_below(m->state, 6));
    if (random_chance(m->state, 30))
        snprintf(order, sizeof order, " traverseBy %s->(%sd%d)", m->dims,
                 random_chance(m->state, 50) ? "-" : "", d);
    snprintf(m->queries, sizeof m->queries,
             "load = sum(value) groupBy %s->(d%d)%s; "
             "place = reorder(load)%s%s%s; "
             "count = sum(value) groupBy %s->(d%d); "
             "slot = enum(value) groupBy %s->(d%d) with value eq 0 -> count | "
             "otherwise -> 0",
             m->dims, d, random_counts(m->state, counts, sizeof counts), window, order,
             random_chance(m->state, 50) ? " descend" : "", m->dims, g, m->dims, g);
    random_whole_or_tiled(m, "place");
    random_whole_or_tiled(m, "slot");
}

/// CISR-plus's: buckets in the order of places.
static inline void random_place_and_bucket(random_map *m)
{
    const int d = random_below(m->state, m->order);
    char      counts[128];

    snprintf(m->queries, sizeof m->queries,
             "load = sum(value) groupBy %s->(d%d)%s; place = reorder(load)%s; "
             "bucket = schedule(load) traverseBy %s->(%splace) buckets %d",
             m->dims, d, random_counts(m->state, counts, sizeof counts),
             random_chance(m->state, 50) ? " descend" : "", m->dims,
             random_chance(m->state, 20) ? "-" : "", 1 + random_below(m->state, 5));
    random_insert(m, 0, "bucket");
    m->bucketed = true;
    if (random_chance(m->state, 70))
        random_insert(m, 1 + random_below(m->state, m->levels), "place");
}

/// Slots along two dimensions.
static inline void random_two_slots(random_map *m)
{
    const int d = random_below(m->state, m->order),
              g = random_below(m->state, m->order);

    snprintf(m->queries, sizeof m->queries,
             "over = enum(value) groupBy %s->(d%d) with value ne 0 -> 0 | otherwise -> "
             "none; count = sum(value) groupBy %s->(d%d); across = enum(value) groupBy "
             "%s->(d%d) with value eq 0 -> count | otherwise -> 0",
             m->dims, d, m->dims, g, m->dims, g);
    random_whole_or_tiled(m, "over");
    random_insert(m, random_below(m->state, m->levels + 1), "across");
}

/// Slots in which large values, small ones and padding follow each other.
static inline void random_classes(random_map *m)
{
    const int k = random_below(m->state, 125);
    char      groups[128];

    random_groups(m, groups, sizeof groups);
    snprintf(
        m->queries, sizeof m->queries,
        "big = sum(value) groupBy %s->(%s) with value gt %d -> 1 | otherwise -> 0; "
        "all = sum(value) groupBy %s->(%s); "
        "slot = enum(value) groupBy %s->(%s) with value gt %d -> 0 | "
        "value ne 0 -> big | otherwise -> %s",
        m->dims, groups, k, m->dims, groups, m->dims, groups, k,
        random_chance(m->state, 70) ? "all" : "none");
    random_whole_or_tiled(m, "slot");
}

/// Block rows in the order of how many blocks they have, and perhaps slots of the blocks.
static inline void random_placed_blocks(random_map *m)
{
    const int b = 2 + random_below(m->state, 3), c = 2 + random_below(m->state, 3);

    snprintf(m->queries, sizeof m->queries,
             "block = sum(value) groupBy %s->(d0/%d,d1/%d); "
             "width = sum(block) groupBy %s->(d0/%d); "
             "slot = enum(block) groupBy %s->(d0/%d) with block eq 0 -> width | "
             "otherwise -> 0; place = reorder(width)%s",
             m->dims, b, c, m->dims, b, m->dims, b,
             random_chance(m->state, 50) ? " descend" : "");
    random_whole_or_tiled(m, "place");
    if (random_chance(m->state, 50)) random_whole_or_tiled(m, "slot");
}

/// Serpens's: cycles in which an entry is apart from the last one of its key.
static inline void random_cycles(random_map *m)
{
    const int p = 1 + random_below(m->state, 3), w = 2 + random_below(m->state, 6);

    snprintf(m->queries, sizeof m->queries,
             "cycle = enum(value) groupBy %s->(d1/%d,d0/2%%%d) traverseBy %s->(d1,d0) "
             "with value ne 0 -> 0 | otherwise -> none distance %d by %s->(d0/2)",
             m->dims, w, p, m->dims, 1 + random_below(m->state, 5), m->dims);
    random_insert(m, random_below(m->state, m->levels + 1), "cycle");
}

/// Slots of slices of places.
static inline void random_slots_of_places(random_map *m)
{
    const int d = random_below(m->state, m->order), c = 1 + random_below(m->state, 3);

    snprintf(m->queries, sizeof m->queries,
             "load = sum(value) groupBy %s->(d%d); place = reorder(load)%s; "
             "slot = enum(value) groupBy %s->(place/%d) traverseBy %s->(%splace) "
             "with value ne 0 -> 0 | otherwise -> none",
             m->dims, d, random_chance(m->state, 50) ? " descend" : "", m->dims, c,
             m->dims, random_chance(m->state, 30) ? "-" : "");
    if (random_chance(m->state, 60)) random_whole_or_tiled(m, "place");
    random_whole_or_tiled(m, "slot");
}

/// Several queries, as no catalogue format has them.
static inline void random_many_queries(random_map *m)
{
    static void (*const recipes[])(random_map *) = {
        random_place_and_slot, random_place_and_bucket, random_two_slots,
        random_classes,        random_slots_of_places,  random_placed_blocks,
        random_cycles,
    };
    const int all = sizeof recipes / sizeof *recipes;

    recipes[random_below(m->state, m->order > 1 ? all : all - 2)](m);
}

#endif
