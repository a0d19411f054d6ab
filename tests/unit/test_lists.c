// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lists of numbers looked at whole say what a look at one number after the other says.

#include "support/random_format.h"
#include "support/seed.h"
#include "tensor/lists.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

enum { MOST = 300 };

/// Children of up to MOST parents, nearly in order.
typedef struct {
    int64_t parents, children;
    int64_t ptr[MOST + 1], idx[4 * MOST];
} lists;

static void draw(uint64_t *state, cairn_interval range, lists *l)
{
    const int width = (int)(range.hi - range.lo) + 1;

    l->parents  = random_below(state, MOST);
    l->children = 0;
    for (int64_t p = 0; p < l->parents; p++) {
        const int step = 1 + width / 8;
        int       at   = random_below(state, step);

        l->ptr[p] = l->children;
        for (int k = random_below(state, 5); k > 0 && at < width; k--) {
            l->idx[l->children++] = range.lo + at;
            at += 1 + random_below(state, step);
        }
    }
    l->ptr[l->parents] = l->children;
    /* One number in half of the lists is another. */
    if (l->children > 0 && random_chance(state, 50))
        l->idx[random_below(state, (int)l->children)] += random_below(state, 5) - 2;
}

static bool ascends(const lists *l)
{
    for (int64_t p = 0; p < l->parents; p++)
        for (int64_t k = l->ptr[p] + 1; k < l->ptr[p + 1]; k++)
            if (l->idx[k] <= l->idx[k - 1]) return false;
    return true;
}

static bool is_within(const lists *l, cairn_interval range)
{
    for (int64_t k = 0; k < l->children; k++)
        if (l->idx[k] < range.lo || l->idx[k] > range.hi) return false;
    return true;
}

/// The numbers in a width.
static void pack(const int64_t *from, int64_t n, int bits, void *to)
{
    for (int64_t k = 0; k < n; k++)
        memcpy((char *)to + k * (bits / 8), &from[k], (size_t)bits / 8);
}

static void check_span(const lists *l, const cairn_kernel_level *level, uint64_t seed)
{
    cairn_interval is = {INT64_MAX, INT64_MIN};

    for (int64_t k = l->children / 3; k < l->children; k++) {
        is.lo = l->idx[k] < is.lo ? l->idx[k] : is.lo;
        is.hi = l->idx[k] > is.hi ? l->idx[k] : is.hi;
    }
    const cairn_interval span =
        cairn_idx_span(level, false, l->children / 3, l->children);

    cr_expect(span.lo == is.lo && span.hi == is.hi, "seed %llu: %lld..%lld",
              (unsigned long long)seed, (long long)span.lo, (long long)span.hi);
}

/// Do all pieces of the list ascend within the range? Three, and each index by itself.
static bool pieces_ascend(const cairn_kernel_level *level, cairn_interval range)
{
    const int64_t n   = level->idx_length;
    bool          all = true, each = true;

    for (int k = 0; k < 3; k++)
        all &= cairn_idx_ascends_within(level, range, n * k / 3, n * (k + 1) / 3);
    for (int64_t k = 0; k < n; k++)
        each &= cairn_idx_ascends_within(level, range, k, k + 1);
    cr_expect_eq(all, each);
    return all;
}

static void check(const lists *l, cairn_interval range, int bits, uint64_t seed)
{
    static uint64_t          ptr[MOST + 1], idx[4 * MOST];
    const int                widths = bits == 64 ? 64 : 32;
    const cairn_kernel_level level  = {.nodes      = l->children,
                                       .ptr        = ptr,
                                       .ptr_bits   = widths,
                                       .ptr_length = l->parents + 1,
                                       .idx        = idx,
                                       .idx_bits   = bits,
                                       .idx_stride = bits / 8,
                                       .idx_length = l->children,
                                       .idx_signed = range.lo < 0};

    pack(l->ptr, l->parents + 1, widths, ptr);
    pack(l->idx, l->children, bits, idx);
    cr_expect(cairn_ptr_rises(&level), "seed %llu", (unsigned long long)seed);
    const bool within = is_within(l, range);

    cr_expect_eq(cairn_idx_is_within(&level, range), within, "seed %llu, %d bits",
                 (unsigned long long)seed, bits);
    cr_expect_eq(cairn_idx_ascends_within(&level, range, 0, l->children),
                 within && ascends(l), "seed %llu, %d bits", (unsigned long long)seed,
                 bits);
    cr_expect_eq(pieces_ascend(&level, range), within && ascends(l),
                 "seed %llu, %d bits", (unsigned long long)seed, bits);
    if (!within) return;
    check_span(l, &level, seed);
    cr_expect_eq(cairn_idx_ascends(&level, true, range), ascends(l),
                 "seed %llu, %d bits", (unsigned long long)seed, bits);
    if (l->parents < 2) return;
    pack(&(int64_t){l->children + 1}, 1, widths,
         (char *)ptr + (l->parents - 1) * (widths / 8));
    cr_expect(!cairn_ptr_rises(&level), "seed %llu", (unsigned long long)seed);
}

Test(lists, widths_and_ranges)
{
    const uint64_t first = seed_clock() * 1000003;

    printf("first seed %llu\n", (unsigned long long)first);
    for (uint64_t seed = first; seed < first + 4000; seed++) {
        static lists   l;
        uint64_t       state = seed;
        const int      bits  = 8 << random_below(&state, 4);
        const int      width = 20 + random_below(&state, 80);
        const int      lo    = random_below(&state, 3) * 10 - 10;
        cairn_interval range = {lo, lo + width};

        draw(&state, range, &l);
        check(&l, range, bits, seed);
    }
}

/// A repeat is seen wherever it stands in a list of several blocks, and is none where a
/// parent's children begin; many parents have no children.
Test(lists, longer_than_a_block)
{
    enum { ALL = 12300, EACH = 3, PARENTS = 3 * ALL / EACH };
    static uint32_t          ptr[PARENTS + 1], idx[ALL];
    const cairn_interval     range = {0, ALL};
    const cairn_kernel_level level = {.nodes      = ALL,
                                      .ptr        = ptr,
                                      .ptr_bits   = 32,
                                      .ptr_length = PARENTS + 1,
                                      .idx        = idx,
                                      .idx_bits   = 32,
                                      .idx_stride = 4,
                                      .idx_length = ALL};
    static const int at[] = {0,    1,    2,    3,    4094, 4095,    4096,    4097,
                             8190, 8191, 8192, 8193, 8194, ALL - 3, ALL - 2, ALL - 1};

    for (int p = 0; p <= PARENTS; p++)
        ptr[p] = (uint32_t)(p / 3 * EACH);
    for (int k = 0; k < ALL; k++)
        idx[k] = (uint32_t)(k % EACH);
    cr_assert(cairn_idx_ascends(&level, true, range));
    cr_assert(cairn_idx_ascends_within(&level, range, 0, ALL));
    cr_assert(cairn_idx_ascends_within(&level, range, 5000, ALL));
    for (size_t n = 0; n < sizeof at / sizeof *at; n++) {
        const uint32_t was = idx[at[n]];

        idx[at[n]] = at[n] > 0 ? idx[at[n] - 1] : 1;
        bool rises = true;

        for (int k = 1; k < ALL; k++)
            rises = rises && (k % EACH == 0 || idx[k] > idx[k - 1]);
        cr_expect_eq(cairn_idx_ascends(&level, true, range), rises, "%d", at[n]);
        idx[at[n]] = was;
    }
}

/// Extremes of 64 bits are compared as numbers, not as differences that overflow.
Test(lists, extremes)
{
    const int64_t            idx[] = {-INT64_MAX / 2, 0, INT64_MAX / 2};
    const cairn_kernel_level level = {.idx        = idx,
                                      .nodes      = 3,
                                      .idx_bits   = 64,
                                      .idx_stride = 8,
                                      .idx_length = 3,
                                      .idx_signed = true};

    cr_expect(cairn_idx_is_within(&level, (cairn_interval){idx[0], idx[2]}));
    cr_expect(!cairn_idx_is_within(&level, (cairn_interval){idx[0], idx[2] - 1}));
    cr_expect(cairn_idx_ascends(&level, false, (cairn_interval){idx[0], idx[2]}));
}
