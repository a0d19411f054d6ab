// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random formats as text: permutations, skews, nested tilings, every legal trim and
/// merge, packs, partitions, queries, hybrids. Texts are legal by the grammar; a few are
/// refused for reasons that only sizes or packs show, which the tests tell apart.

#ifndef CAIRN_TESTS_SUPPORT_RANDOM_FORMAT_H
#define CAIRN_TESTS_SUPPORT_RANDOM_FORMAT_H

#include "random_queries.h"

#ifndef RANDOM_VAL
#    define RANDOM_VAL 0 ///< Of 100 layouts, how many say how values are stored.
#endif

/// Of 100 formats, how many have what the rest never has: several queries, queries of
/// vectors, maps that fall or divide by 1, widths, hybrids that ask their first member or
/// cut it.
#ifndef RANDOM_WIDE
#    define RANDOM_WIDE 40
#endif

static inline bool random_is_wide(uint64_t *state)
{
    return RANDOM_WIDE > 0 && random_chance(state, RANDOM_WIDE);
}

static inline void random_build_map(random_map *m, int order, bool queries)
{
    m->order      = order;
    m->levels     = 0;
    m->bucketed   = false;
    m->indexed    = false;
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
    if (m->wide && random_chance(m->state, 20)) random_negate(m);
    random_shuffle(m);
    if (random_chance(m->state, 10)) random_extra(m);
    for (int t = random_below(m->state, 4); t > 0; t--)
        random_tile(m);
    if (!queries) return;
    if (m->wide && random_chance(m->state, 70)) {
        random_many_queries(m);
        return;
    }
    switch (random_below(m->state, 5)) {
    case 0:
    case 1: random_slot(m); break;
    case 2: random_place(m); break;
    case 3: random_bucket(m); break;
    case 4: m->order > 1 ? random_blocks(m) : random_slot(m); break;
    }
}

/// Is the level an expression of dimensions?
static inline bool random_is_direct(const random_map *m, int level)
{
    const char *d = strchr(m->expr[level], 'd');

    while (d && (d[1] < '0' || d[1] > '9'))
        d = strchr(d + 1, 'd');
    return d && !strstr(m->expr[level], "indirect");
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
    for (int l = S; l <= E; l++)
        m->indexed = m->indexed || random_is_direct(m, l);
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

/// bits<...>, mostly wide enough.
static inline void random_bits(random_map *m, char *out, size_t size)
{
    static const int widths[] = {8, 16, 32, 32, 64, 64};

    out[0] = '\0';
    if (!m->wide || !random_chance(m->state, 15)) return;
    const char *name  = random_chance(m->state, 50) ? "idx" : "ptr";
    const int   width = widths[random_below(m->state, 6)];

    if (random_chance(m->state, 50))
        snprintf(out, size, ", bits<%s = %d>", name, width);
    else
        snprintf(out, size, ", bits<%s(%d) = %d>", name,
                 random_below(m->state, m->levels), width);
}

/// Write a random encoding of @p order; with @p queries it may have some.
/// @return Does a trimmed level store an index?
static inline bool
random_encoding_of(uint64_t *state, int order, bool queries, char *out, size_t size)
{
    random_map m = {.state = state, .wide = random_is_wide(state)};
    char       mutation[256], layout[128], bits[64];

    random_build_map(&m, order, queries);
    const int S = random_mutation(&m, mutation, sizeof mutation);

    random_layout(&m, S, layout, sizeof layout);
    random_bits(&m, bits, sizeof bits);
    snprintf(out, size, "#encoding<{ idx_map<%s->(", m.dims);
    for (int l = 0; l < m.levels; l++)
        snprintf(out + strlen(out), size - strlen(out), "%s%s", l ? "," : "",
                 m.expr[l]);
    snprintf(out + strlen(out), size - strlen(out), ")>%s", mutation);
    if (m.queries[0])
        snprintf(out + strlen(out), size - strlen(out), ", indirect<{ %s }>",
                 m.queries);
    snprintf(out + strlen(out), size - strlen(out), "%s%s }>", layout, bits);
    return m.indexed;
}

static inline bool random_encoding(uint64_t *state, int order, char *out, size_t size)
{
    const bool queries = (order >= 2 || RANDOM_WIDE > 0) && random_chance(state, 45);

    return random_encoding_of(state, order, queries, out, size);
}

/// What a hybrid asks, or nothing: then its first member is @p asked about its blocks.
static inline void
random_split(uint64_t *state, int order, bool asked, char *out, size_t size)
{
    const bool wide = random_is_wide(state);

    out[0] = '\0';
    if (wide && asked && random_chance(state, 50)) return;
    snprintf(out, size, ", query = sum(value) groupBy (");
    for (int d = 0; d < order; d++)
        snprintf(out + strlen(out), size - strlen(out), "%sd%d", d ? "," : "", d);
    snprintf(out + strlen(out), size - strlen(out), ")->(d%d/%d",
             random_below(state, order), 1 + random_below(state, 3));
    if (wide && order > 1)
        snprintf(out + strlen(out), size - strlen(out), ",d%d-d%d",
                 random_below(state, order), random_below(state, order));
    snprintf(out + strlen(out), size - strlen(out), ")");
    if (wide) {
        char counts[128];

        snprintf(out + strlen(out), size - strlen(out), "%s",
                 random_counts(state, counts, sizeof counts));
    }
}

/// Write a random format: an encoding or, now and then, a hybrid of two or three.
static inline void random_format(uint64_t *state, int order, char *out, size_t size)
{
    static const char *const modes[] = {"", "absolute ", "capacity ", "maximum "};
    const int members  = random_chance(state, 80) ? 1 : 2 + random_below(state, 2);
    bool      slots[3] = {false}; ///< Members that `keep` may cut.
    bool      asked    = false;   ///< The first stores indices, and any sizes will do.
    char      encoding[3000];

    if (members == 1) {
        random_encoding(state, order, out, size);
        return;
    }
    snprintf(out, size, "#hybrid<{ fmats = [");
    for (int k = 0; k < members; k++) {
        const bool its = random_encoding(state, order, encoding, sizeof encoding);

        if (k == 0)
            asked = its && !strstr(encoding, "pack(") && !strstr(encoding, "distance");
        slots[k] = strstr(encoding, "indirect<") != NULL;
        snprintf(out + strlen(out), size - strlen(out), "%s%s", k ? ", " : "",
                 encoding);
    }
    snprintf(out + strlen(out), size - strlen(out), "]");
    random_split(state, order, asked, encoding, sizeof encoding);
    snprintf(out + strlen(out), size - strlen(out), "%s, %sthresholds = [", encoding,
             modes[random_below(state, 4)]);
    for (int k = 1; k < members; k++)
        snprintf(out + strlen(out), size - strlen(out), "%s%d.%d", k > 1 ? ", " : "",
                 members - 1 - k, random_below(state, 10));
    snprintf(out + strlen(out), size - strlen(out), "]");
    if (random_is_wide(state) && random_chance(state, 50)) {
        snprintf(out + strlen(out), size - strlen(out), ", keep = [");
        for (int k = 1; k < members; k++)
            snprintf(out + strlen(out), size - strlen(out), "%s%s", k > 1 ? ", " : "",
                     slots[k - 1] && random_chance(state, 70) ? "0.5" : "1");
        snprintf(out + strlen(out), size - strlen(out), "]");
    }
    snprintf(out + strlen(out), size - strlen(out), " }>");
}

/// Reasons for which a random text may be refused where it is read or stored: packs and
/// partitions without sound arrays, distance levels that cannot keep their gaps, widths
/// too small, padding that a type of values has not.
static inline bool random_may_be_refused(const char *message)
{
    static const char *const reasons[] = {"pack(", "partition(", "distance",
                                          "bits:", "packed with"};

    for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++)
        if (strstr(message, reasons[k])) return true;
    return false;
}

/// Do queries compare values with other constants than 0? Where entries then lie goes by
/// the values that a tensor was made with.
static inline bool random_compares_values(const char *text)
{
    return strstr(text, "value gt") || strstr(text, "value le");
}

#endif
