// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks of a few keys, by all who rank; lines of items of any length, ordered.

#include "entries/sort_lines.h"
#include "entries/sort_rank.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/// Keys of @p bits bits, and rubbish past them.
static void check_ranks(const cairn_ranker *ranker, int n, int bits, uint64_t *state)
{
    uint64_t handle[CAIRN_RANK_MOST + CAIRN_RANK_PAST];
    uint16_t rank[CAIRN_RANK_MOST + CAIRN_RANK_PAST];

    for (int k = 0; k < n + CAIRN_RANK_PAST; k++) {
        handle[k] = next_random(state);
        if (k < n) handle[k] &= ((UINT64_C(1) << bits) - 1) << 32 | UINT32_MAX;
    }
    ranker->rank(n, handle, rank);
    for (int k = 0; k < n; k++) {
        int less = 0;

        for (int q = 0; q < n; q++)
            less += handle[q] >> 32 < handle[k] >> 32;
        cr_assert_eq(rank[k], less, "key %d of %d, %d bits", k, n, bits);
    }
}

Test(sort_rank, everybody_counts_what_is_less)
{
    static const int bits[] = {3, 15, 16, 17, CAIRN_RANK_BITS};
    uint64_t         state  = 4711;

    for (int k = 0; cairn_ranker_at(k); k++)
        for (int n = 1; cairn_ranker_at(k)->usable() && n <= cairn_ranker_at(k)->most;
             n++)
            for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
                check_ranks(cairn_ranker_at(k), n, bits[b], &state);
}

/// A bucket of lines; what differs below the line has @p split bits.
typedef struct {
    int64_t     n, lines;
    int         split;
    cairn_item *items, *scratch, *to;
    uint32_t   *begin;
} bucket;

enum { FIRST = 1000 }; ///< Line.

static void init(bucket *b, int64_t n, int64_t lines, int split)
{
    *b         = (bucket){.n = n, .lines = lines, .split = split};
    b->items   = malloc((size_t)n * sizeof *b->items);
    b->scratch = malloc((size_t)(n + CAIRN_LINES_PAST) * sizeof *b->scratch);
    b->to      = malloc((size_t)n * sizeof *b->to);
    b->begin   = malloc((size_t)(lines + 1) * sizeof *b->begin);
}

static void fini(bucket *b)
{
    free(b->items);
    free(b->scratch);
    free(b->to);
    free(b->begin);
}

/// Words that are all there once: the k-th has k in its low bits, in a random order.
static void make_items(bucket *b, uint64_t *state)
{
    for (int64_t k = 0; k < b->n; k++) {
        const uint64_t line = FIRST + next_random(state) % (uint64_t)b->lines;
        const uint64_t high =
            (next_random(state) << 18) & ((UINT64_C(1) << b->split) - 1);

        b->items[k].word = line << b->split | high | (uint64_t)k;
        b->items[k].load = k;
    }
    for (int64_t k = b->n - 1; k > 0; k--) {
        const int64_t    q   = (int64_t)(next_random(state) % (uint64_t)(k + 1));
        const cairn_item one = b->items[k];

        b->items[k] = b->items[q];
        b->items[q] = one;
    }
}

static bool sort(bucket *b)
{
    return cairn_sort_lines(b->n, b->split, FIRST, b->lines, b->items, b->scratch,
                            b->to, b->begin);
}

static void check_sorted(const bucket *b)
{
    for (int64_t k = 1; k < b->n; k++)
        cr_assert_lt(b->to[k - 1].word, b->to[k].word);
    for (int64_t k = 0; k < b->n; k++) /* the value came along */
        cr_assert_eq(b->to[k].word & ((1 << 18) - 1), (uint64_t)b->to[k].load);
    cr_assert_eq(b->begin[b->lines], (uint32_t)b->n);
    for (int64_t line = 0; line < b->lines; line++)
        for (uint32_t k = b->begin[line]; k < b->begin[line + 1]; k++)
            cr_assert_eq(b->to[k].word >> b->split, (uint64_t)(FIRST + line));
}

static const struct {
    int64_t n, lines;
    int     split;
} cases[] = {
    {1,     1,    18},
    {1,     5,    18},
    {7,     1,    20},
    {40,    1,    31},
    {129,   1,    18},
    {3000,  1,    31},
    {3000,  700,  18},
    {5000,  60,   24},
    {9000,  50,   31},
    {9000,  5,    28},
    {9000,  50,   40},
    {70000, 9,    18},
    {60000, 3000, 45},
    {20000, 400,  18},
};

Test(sort_lines, lines_of_any_length_are_ordered)
{
    uint64_t state = 99;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bucket b;

        init(&b, cases[k].n, cases[k].lines, cases[k].split);
        make_items(&b, &state);

        cr_assert(sort(&b), "case %zu", k);

        check_sorted(&b);
        fini(&b);
    }
}

/// Every possible word with probability 1/@p each, in a random order; loads are words.
static void make_near(bucket *b, int64_t each, uint64_t *state)
{
    const int64_t words = b->lines << b->split;

    b->n = 0;
    for (int64_t w = 0; w < words; w++)
        if (next_random(state) % (uint64_t)each == 0) {
            const int64_t q = (int64_t)(next_random(state) % (uint64_t)(b->n + 1));

            b->items[b->n++] = b->items[q];
            b->items[q]      = (cairn_item){(FIRST << b->split) + (uint64_t)w, w};
        }
}

static void check_near(const bucket *b)
{
    int64_t line = 0;

    for (int64_t k = 0; k < b->n; k++) {
        cr_assert(k == 0 || b->to[k - 1].word < b->to[k].word);
        cr_assert_eq(b->to[k].word - (FIRST << b->split), (uint64_t)b->to[k].load);
        for (; line <= (int64_t)(b->to[k].word >> b->split) - FIRST; line++)
            cr_assert_eq(b->begin[line], k, "line %ld", (long)line);
    }
    for (; line <= b->lines; line++)
        cr_assert_eq(b->begin[line], b->n, "line %ld", (long)line);
}

Test(sort_lines, words_near_each_other_are_ordered_for_any_width_of_lines)
{
    static const int split[] = {0, 1, 3, 5, 6, 7, 11, 16};
    uint64_t         state   = 12345;

    for (size_t k = 0; k < sizeof split / sizeof *split; k++)
        for (int64_t each = 1; each <= 90; each = 3 * each + 1) {
            const int64_t lines = 1 + (70000 >> split[k]);
            bucket        b;

            init(&b, lines << split[k], lines, split[k]);
            make_near(&b, each, &state);

            cr_assert(sort(&b), "%d bits, one of %ld", split[k], (long)each);

            check_near(&b);
            if (b.n > 1) b.items[b.n - 1] = b.items[0];
            cr_assert_eq(sort(&b), b.n < 2);
            fini(&b);
        }
}

Test(sort_lines, a_word_that_is_there_twice_is_found)
{
    uint64_t state = 7;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bucket b;

        if (cases[k].n == 1) continue;
        init(&b, cases[k].n, cases[k].lines, cases[k].split);
        make_items(&b, &state);
        b.items[cases[k].n - 1].word = b.items[cases[k].n / 3].word;

        cr_assert_not(sort(&b), "case %zu", k);

        fini(&b);
    }
}

static int by_word_and_place(const void *a, const void *b)
{
    const cairn_item *p = *(const cairn_item *const *)a;
    const cairn_item *q = *(const cairn_item *const *)b;

    if (p->word != q->word) return p->word < q->word ? -1 : 1;
    return p < q ? -1 : p > q;
}

static double value_of(const cairn_item *item)
{
    double value;

    memcpy(&value, &item->load, sizeof value);
    return value;
}

/// Words are one of some @p kinds, and values such that sums are rounded.
static void make_repeats(bucket *b, int64_t kinds, uint64_t *state)
{
    make_items(b, state);
    for (int64_t k = 0; k < b->n; k++) {
        const double value = (double)(int64_t)next_random(state) / 3;

        if (k >= kinds)
            b->items[k].word = b->items[next_random(state) % (uint64_t)kinds].word;
        memcpy(&b->items[k].load, &value, sizeof value);
    }
}

static void check_combined(bucket *b)
{
    const cairn_item **order = malloc((size_t)b->n * sizeof *order);
    int64_t            left  = 0;

    for (int64_t k = 0; k < b->n; k++)
        order[k] = &b->items[k];
    qsort(order, (size_t)b->n, sizeof *order, by_word_and_place);
    const cairn_pos made = cairn_combine_lines(b->n, b->split, FIRST, b->lines,
                                               b->items, b->scratch, b->to, b->begin);

    for (int64_t k = 0; k < b->n; left++) {
        const uint64_t word = order[k]->word;
        double         sum  = value_of(order[k]);

        for (k++; k < b->n && order[k]->word == word; k++)
            sum += value_of(order[k]);
        cr_assert_lt(left, made);
        cr_assert_eq(b->to[left].word, word);
        cr_assert_eq(value_of(&b->to[left]), sum, "item %ld", (long)left);
    }
    cr_assert_eq(left, made);
    free(order);
}

Test(sort_lines, repeats_are_added_in_the_order_given)
{
    uint64_t state = 2718;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int each = 1; each <= 64; each *= 4) {
            bucket b;

            init(&b, cases[k].n, cases[k].lines, cases[k].split);
            make_repeats(&b, 1 + cases[k].n / each, &state);
            check_combined(&b);
            fini(&b);
        }
}
