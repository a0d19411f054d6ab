// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sorting of lists.

#include "convert/compiled_lists.h"

enum { FEW = 24 }; ///< Numbers up to which insertion is fastest.

static void sort_few(uint32_t *list, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        const uint32_t x = list[k];
        int64_t        j = k;

        for (; j > 0 && list[j - 1] > x; j--)
            list[j] = list[j - 1];
        list[j] = x;
    }
}

/// @p bits are zero, and become so again.
static void sort_by_bits(uint32_t *list, int64_t n, uint64_t *bits)
{
    uint32_t lo = list[0] / 64, hi = lo;
    int64_t  at = 0;

    for (int64_t k = 0; k < n; k++) {
        const uint32_t word = list[k] / 64;

        bits[word] |= (uint64_t)1 << list[k] % 64;
        if (word < lo) lo = word;
        if (word > hi) hi = word;
    }
    for (int64_t word = lo; word <= hi; word++) {
        for (uint64_t left = bits[word]; left; left &= left - 1)
            list[at++] = (uint32_t)(64 * word + __builtin_ctzll(left));
        bits[word] = 0;
    }
}

static bool is_sorted(const uint32_t *list, int64_t n)
{
    for (int64_t k = 1; k < n; k++)
        if (list[k - 1] > list[k]) return false;
    return true;
}

static void sort_list(uint32_t *list, int64_t n, uint64_t *bits)
{
    if (is_sorted(list, n)) return;
    if (n <= FEW)
        sort_few(list, n);
    else
        sort_by_bits(list, n, bits);
}

static bool has_long(int64_t lists, const uint32_t *first)
{
    for (int64_t k = 0; k < lists; k++)
        if (first[k + 1] - first[k] > FEW) return true;
    return false;
}

cairn_status cairn_lists_sort(cairn_env      *env,
                              int             threads,
                              int64_t         lists,
                              const uint32_t *first,
                              int64_t         numbers,
                              uint32_t       *list)
{
    const int64_t words = numbers / 64 + 1;
    uint64_t     *bits  = NULL;

    if (threads < 1) threads = 1;
    if (has_long(lists, first)) CAIRN_TRY(CAIRN_NEW_ZERO(env, threads * words, &bits));
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t k = lists * t / threads; k < lists * (t + 1) / threads; k++)
            sort_list(list + first[k], first[k + 1] - (int64_t)first[k],
                      bits ? bits + t * words : NULL);
    cairn_free(env, bits);
    return CAIRN_OK;
}
