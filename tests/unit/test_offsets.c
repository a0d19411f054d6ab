// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Counts that become begins.

#include "base/offsets.h"

#include <criterion/criterion.h>

/// Counts of which about one in @p rare is not 0, against their sums.
static void check(int64_t n, uint32_t rare)
{
    uint32_t count[200], want[200], sum = 3, state = 1 + rare;

    cr_assert_leq(n, 200);
    for (int64_t k = 0; k < n; k++) {
        state    = state * 1664525 + 1013904223;
        count[k] = (state >> 8) % rare ? 0 : state >> 28;
        want[k]  = sum;
        sum += count[k];
    }
    cr_expect_eq(cairn_offsets_sparse(n, 3, count), sum);
    for (int64_t k = 0; k < n; k++)
        cr_assert_eq(count[k], want[k], "%ld of %ld, one in %u", (long)k, (long)n,
                     rare);
}

Test(offsets, sparse_counts_add_up)
{
    for (int64_t n = 0; n <= 200; n++)
        for (uint32_t rare = 1; rare <= 40; rare += 13)
            check(n, rare);
}
