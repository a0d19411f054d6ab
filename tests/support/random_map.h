// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random index maps as text: permutations, skews, nested tilings. What random formats are
/// made of.

#ifndef CAIRN_TESTS_SUPPORT_RANDOM_MAP_H
#define CAIRN_TESTS_SUPPORT_RANDOM_MAP_H

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

enum { RANDOM_LEVELS = 9, RANDOM_TEXT = 256, RANDOM_FORMAT = 8192 };

/// A map under construction.
typedef struct {
    uint64_t *state;
    int       order, levels;
    char      expr[RANDOM_LEVELS + 2][RANDOM_TEXT];
    char      dims[64];      ///< "(d0,d1)"
    char      queries[2048]; ///< Between indirect<{ and }>, or "".
    bool      bucketed;      ///< Level 0 is a schedule's bucket.
    bool      indexed;       ///< A trimmed level stores an index.
    bool      wide;          ///< What is rare is drawn, too (RANDOM_WIDE).
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

/// e becomes -e.
static inline void random_negate(random_map *m)
{
    const int i = random_below(m->state, m->levels);
    char      text[RANDOM_TEXT];

    if (strlen(m->expr[i]) > 60) return;
    snprintf(text, sizeof text, "-(%s)", m->expr[i]);
    strcpy(m->expr[i], text);
}

/// e becomes e/c and e%c, in any two places.
static inline void random_tile(random_map *m)
{
    const int i = random_below(m->state, m->levels);
    const int c = m->wide && random_chance(m->state, 8) ? 1 : random_divisor(m->state);
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

#endif
