// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random formats as text: permutations, skews, nested tilings, every legal trim and
/// merge, packs, partitions, queries, hybrids. Texts are legal by the grammar; a few are
/// refused for reasons that only sizes or packs show, which the tests tell apart.

#ifndef CAIRN_TESTS_SUPPORT_RANDOM_FORMAT_H
#define CAIRN_TESTS_SUPPORT_RANDOM_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/// SplitMix64, so that a seed means the same on every machine.
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#ifndef RANDOM_NEXT
#    define RANDOM_NEXT random_next ///< What all of the below draws from.
#endif

/// A number in 0..n-1.
static inline int random_below(uint64_t *state, int n)
{
    return (int)(RANDOM_NEXT(state) % (uint64_t)n);
}

static inline bool random_chance(uint64_t *state, int percent)
{
    return random_below(state, 100) < percent;
}

#ifndef RANDOM_VAL
#    define RANDOM_VAL 0 ///< Of 100 layouts, how many say how values are stored.
#endif

enum { RANDOM_LEVELS = 9, RANDOM_TEXT = 256, RANDOM_FORMAT = 8192 };

/// A map under construction.
typedef struct {
    uint64_t *state;
    int       order, levels;
    char      expr[RANDOM_LEVELS + 2][RANDOM_TEXT];
    char      dims[64];      ///< "(d0,d1)"
    char      queries[2048]; ///< Between indirect<{ and }>, or "".
    bool      bucketed;      ///< Level 0 is a schedule's bucket.
} random_map;

static inline void random_insert(random_map *m, int at, const char *expr)
{
    for (int l = m->levels; l > at; l--)
        strcpy(m->expr[l], m->expr[l - 1]);
    snprintf(m->expr[at], RANDOM_TEXT, "%s", expr);
    m->levels++;
}

/// e_i becomes e_i + c*e_j, c in -3..3 but not 0: still invertible.
static inline void random_skew(random_map *m)
{
    const int i = random_below(m->state, m->levels),
              j = random_below(m->state, m->levels);
    const int c = 1 + random_below(m->state, 3);
    char      text[RANDOM_TEXT];

    if (i == j || strlen(m->expr[i]) + strlen(m->expr[j]) > 60) return;
    const char *sign = random_chance(m->state, 50) ? "+" : "-";

    if (c == 1)
        snprintf(text, sizeof text, "%s%s(%s)", m->expr[i], sign, m->expr[j]);
    else
        snprintf(text, sizeof text, "%s%s%d*(%s)", m->expr[i], sign, c, m->expr[j]);
    strcpy(m->expr[i], text);
}

/// e becomes c*e + k, c in -3..3 but not 0: positions between the multiples hang over.
static inline void random_scale(random_map *m)
{
    const int i = random_below(m->state, m->levels), k = random_below(m->state, 9) - 4;
    int       c = random_below(m->state, 7) - 3;
    char      text[RANDOM_TEXT];

    if (c == 0) c = 2;
    if (strlen(m->expr[i]) > 60) return;
    snprintf(text, sizeof text, "%d*(%s)%+d", c, m->expr[i], k);
    strcpy(m->expr[i], text);
}

/// One more level that the others determine: a copy, a quotient or a difference.
static inline void random_extra(random_map *m)
{
    const int i = random_below(m->state, m->levels),
              j = random_below(m->state, m->levels);
    char text[RANDOM_TEXT];

    if (m->levels >= 6 || strlen(m->expr[i]) + strlen(m->expr[j]) > 60) return;
    switch (random_below(m->state, 3)) {
    case 0: snprintf(text, sizeof text, "%s", m->expr[i]); break;
    case 1: snprintf(text, sizeof text, "(%s)/3", m->expr[i]); break;
    default: snprintf(text, sizeof text, "%s-(%s)", m->expr[i], m->expr[j]); break;
    }
    random_insert(m, random_below(m->state, m->levels + 1), text);
}

/// Mostly small; some larger than vectors, than loops that are unrolled, than what 6 or 7
/// bits hold. Those are primes: of a remainder by 6 of one by 8, say, halves and thirds
/// are not seen to give it back, and the format is refused.
static inline int random_divisor(uint64_t *state)
{
    static const int large[] = {17, 31, 37, 61, 67, 127, 131};
    const int        small   = 2 + random_below(state, 6);

    if (!random_chance(state, 12)) return small;
    return large[random_below(state, (int)(sizeof large / sizeof *large))];
}

/// e becomes e/c and e%c, in any two places.
static inline void random_tile(random_map *m)
{
    const int i = random_below(m->state, m->levels), c = random_divisor(m->state);
    char      high[RANDOM_TEXT], low[RANDOM_TEXT];

    if (m->levels >= 6 || strlen(m->expr[i]) > 60) return;
    snprintf(high, sizeof high, "(%s)/%d", m->expr[i], c);
    snprintf(low, sizeof low, "(%s)%%%d", m->expr[i], c);
    strcpy(m->expr[i], high);
    random_insert(m, random_below(m->state, m->levels + 1), low);
}

static inline void random_shuffle(random_map *m)
{
    for (int i = m->levels - 1; i > 0; i--) {
        const int j = random_below(m->state, i + 1);
        char      text[RANDOM_TEXT];

        if (i == j) continue;
        strcpy(text, m->expr[i]);
        strcpy(m->expr[i], m->expr[j]);
        strcpy(m->expr[j], text);
    }
}

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

static inline void random_build_map(random_map *m, int order, bool queries)
{
    m->order      = order;
    m->levels     = 0;
    m->bucketed   = false;
    m->queries[0] = '\0';
    strcpy(m->dims, "(");
    for (int d = 0; d < order; d++) {
        char name[16];

        snprintf(name, sizeof name, "d%d", d);
        random_insert(m, d, name);
        snprintf(m->dims + strlen(m->dims), sizeof m->dims - strlen(m->dims), "%s%s",
                 d ? "," : "", name);
    }
    strcat(m->dims, ")");
    if (random_chance(m->state, 40)) random_skew(m);
    if (random_chance(m->state, 15)) random_skew(m);
    if (random_chance(m->state, 15)) random_scale(m);
    random_shuffle(m);
    if (random_chance(m->state, 10)) random_extra(m);
    for (int t = random_below(m->state, 4); t > 0; t--)
        random_tile(m);
    if (!queries) return;
    switch (random_below(m->state, 5)) {
    case 0:
    case 1: random_slot(m); break;
    case 2: random_place(m); break;
    case 3: random_bucket(m); break;
    case 4: m->order > 1 ? random_blocks(m) : random_slot(m); break;
    }
}

/// mutation<...>: any legal trim with any merges.
static inline int random_mutation(random_map *m, char *out, size_t size)
{
    const int S      = random_below(m->state, m->levels);
    const int E      = S + random_below(m->state, m->levels - S);
    int       merges = 0;

    out[0] = '\0';
    if (random_chance(m->state, 8)) return m->levels; /* dense */
    snprintf(out, size, ", mutation<");
    for (int l = 0; l < m->levels; l++) {
        if (l != S - 1 && !random_chance(m->state, 40)) continue;
        snprintf(out + strlen(out), size - strlen(out), "%s%d",
                 merges++ ? "," : "merge(", l);
    }
    snprintf(out + strlen(out), size - strlen(out), "%strim(%d,%d)>",
             merges ? "), " : "", S, E);
    return S;
}

/// A type that holds every value or, where values are no fields, eighths up to 2^20.
static inline const char *random_val(uint64_t *state, bool pack)
{
    static const char *const types[] = {"exact", "f64", "exact", "f32"};

    return types[random_below(state, pack ? 3 : 4)];
}

/// layout<...>: perhaps a pack, perhaps a partition of untrimmed levels.
static inline void random_layout(random_map *m, int S, char *out, size_t size)
{
    const int  first = random_below(m->state, m->levels);
    const int  last  = first + random_below(m->state, m->levels - first);
    const bool pack  = random_chance(m->state, 25);
    const bool part  = S > 0 && random_chance(m->state, m->bucketed ? 70 : 15);

    const bool val = RANDOM_VAL > 0 && random_chance(m->state, RANDOM_VAL);

    out[0] = '\0';
    if (!pack && !part && !val) return;
    snprintf(out, size, ", layout<");
    if (pack)
        snprintf(out + strlen(out), size - strlen(out), "pack(%d,%d%s)", first, last,
                 random_chance(m->state, 20) ? ",novalue" : "");
    if (part)
        snprintf(
            out + strlen(out), size - strlen(out), "%spartition(%d)", pack ? ", " : "",
            m->bucketed ? 0 : random_below(m->state, S < m->levels ? S : m->levels));
    if (val)
        snprintf(out + strlen(out), size - strlen(out), "%sval(%s)",
                 pack || part ? ", " : "", random_val(m->state, pack));
    snprintf(out + strlen(out), size - strlen(out), ">");
}

/// Write a random encoding of @p order; with @p queries it may have some.
static inline void
random_encoding_of(uint64_t *state, int order, bool queries, char *out, size_t size)
{
    random_map m = {.state = state};
    char       mutation[256], layout[128];

    random_build_map(&m, order, queries);
    const int S = random_mutation(&m, mutation, sizeof mutation);

    random_layout(&m, S, layout, sizeof layout);
    snprintf(out, size, "#encoding<{ idx_map<%s->(", m.dims);
    for (int l = 0; l < m.levels; l++)
        snprintf(out + strlen(out), size - strlen(out), "%s%s", l ? "," : "",
                 m.expr[l]);
    snprintf(out + strlen(out), size - strlen(out), ")>%s", mutation);
    if (m.queries[0])
        snprintf(out + strlen(out), size - strlen(out), ", indirect<{ %s }>",
                 m.queries);
    snprintf(out + strlen(out), size - strlen(out), "%s }>", layout);
}

static inline void random_encoding(uint64_t *state, int order, char *out, size_t size)
{
    const bool queries = order >= 2 && random_chance(state, 45);

    random_encoding_of(state, order, queries, out, size);
}

/// Write a random format: an encoding or, now and then, a hybrid of two or three.
static inline void random_format(uint64_t *state, int order, char *out, size_t size)
{
    static const char *const modes[] = {"", "absolute ", "capacity ", "maximum "};
    const int members = random_chance(state, 80) ? 1 : 2 + random_below(state, 2);
    char      encoding[3000];

    if (members == 1) {
        random_encoding(state, order, out, size);
        return;
    }
    snprintf(out, size, "#hybrid<{ fmats = [");
    for (int k = 0; k < members; k++) {
        random_encoding(state, order, encoding, sizeof encoding);
        snprintf(out + strlen(out), size - strlen(out), "%s%s", k ? ", " : "",
                 encoding);
    }
    snprintf(out + strlen(out), size - strlen(out), "], query = sum(value) groupBy (");
    for (int d = 0; d < order; d++)
        snprintf(out + strlen(out), size - strlen(out), "%sd%d", d ? "," : "", d);
    snprintf(out + strlen(out), size - strlen(out), ")->(d%d/%d), %sthresholds = [",
             random_below(state, order), 1 + random_below(state, 3),
             modes[random_below(state, 4)]);
    for (int k = 1; k < members; k++)
        snprintf(out + strlen(out), size - strlen(out), "%s%d.%d", k > 1 ? ", " : "",
                 members - 1 - k, random_below(state, 10));
    snprintf(out + strlen(out), size - strlen(out), "] }>");
}

#endif
