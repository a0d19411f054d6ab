// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks by AVX-512: a comparison gives a mask, under which ranks grow by one. Many keys
/// that are near each other, as those of most long lines, are compared as 16 bits.

#include "entries/sort_rank.h"

#if defined(__x86_64__) && !defined(__clang__)

#    include <immintrin.h>

#    pragma GCC push_options
#    pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq")

#    define INLINE static inline __attribute__((always_inline))

enum { NARROW = 1 << 16 }; ///< Keys that 16 bits tell apart.

/// The upper halves of 16 handles.
INLINE __m512i keys_of(const uint64_t *handle)
{
    const __m512i upper =
        _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);

    return _mm512_permutex2var_epi32(_mm512_loadu_si512(handle), upper,
                                     _mm512_loadu_si512(handle + 8));
}

INLINE __m512i key_of(const uint64_t *handle)
{
    return _mm512_set1_epi32((int32_t)(*handle >> 32));
}

static void rank_8(int n, const uint64_t *handle, uint16_t *rank)
{
    const __m256i its = _mm512_castsi512_si256(keys_of(handle)),
                  one = _mm256_set1_epi32(1);
    __m256i less      = _mm256_setzero_si256();

    for (int k = 0; k < n; k++) {
        const __m256i key = _mm512_castsi512_si256(key_of(handle + k));

        less =
            _mm256_mask_add_epi32(less, _mm256_cmpgt_epi32_mask(its, key), less, one);
    }
    _mm_storeu_si128((__m128i *)(void *)rank, _mm256_cvtepi32_epi16(less));
}

/// Rank 16 keys, or with @p two 32 keys, which is a constant.
INLINE void rank_some(int n, const uint64_t *handle, int at, int two, uint16_t *rank)
{
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i a = keys_of(handle + at), b = two ? keys_of(handle + at + 16) : one;
    __m512i       below_a = _mm512_setzero_si512(), below_b = below_a;

    for (int k = 0; k < n; k++) {
        const __m512i key = key_of(handle + k);

        below_a = _mm512_mask_add_epi32(below_a, _mm512_cmpgt_epi32_mask(a, key),
                                        below_a, one);
        if (two)
            below_b = _mm512_mask_add_epi32(below_b, _mm512_cmpgt_epi32_mask(b, key),
                                            below_b, one);
    }
    _mm256_storeu_si256((__m256i *)(void *)(rank + at), _mm512_cvtepi32_epi16(below_a));
    if (two)
        _mm256_storeu_si256((__m256i *)(void *)(rank + at + 16),
                            _mm512_cvtepi32_epi16(below_b));
}

/// As rank_some(), with 32 or 64 keys of 16 bits.
INLINE void rank_narrow(int n, const uint16_t *key, int at, int two, uint16_t *rank)
{
    const __m512i one = _mm512_set1_epi16(1), a = _mm512_loadu_si512(key + at);
    const __m512i b       = two ? _mm512_loadu_si512(key + at + 32) : one;
    __m512i       below_a = _mm512_setzero_si512(), below_b = below_a;

    for (int k = 0; k < n; k++) {
        const __m512i its = _mm512_set1_epi16((int16_t)key[k]);

        below_a = _mm512_mask_add_epi16(below_a, _mm512_cmpgt_epu16_mask(a, its),
                                        below_a, one);
        if (two)
            below_b = _mm512_mask_add_epi16(below_b, _mm512_cmpgt_epu16_mask(b, its),
                                            below_b, one);
    }
    _mm512_storeu_si512(rank + at, below_a);
    if (two) _mm512_storeu_si512(rank + at + 32, below_b);
}

/// The least of the keys, and the distance to the greatest.
static uint32_t find_range(int n, const uint64_t *handle, uint32_t *least)
{
    __m512i low = _mm512_set1_epi32(-1), high = _mm512_setzero_si512();

    for (int k = 0; k < n; k += 16) {
        const __mmask16 there = n - k < 16 ? (__mmask16)((1U << (n - k)) - 1) : 0xffff;
        const __m512i   keys  = keys_of(handle + k);

        low  = _mm512_mask_min_epu32(low, there, low, keys);
        high = _mm512_mask_max_epu32(high, there, high, keys);
    }
    *least = _mm512_reduce_min_epu32(low);
    return _mm512_reduce_max_epu32(high) - *least;
}

static void rank_many(int n, const uint64_t *handle, uint16_t *rank)
{
    uint16_t key[CAIRN_RANK_MOST + CAIRN_RANK_PAST];
    uint32_t least;
    int      k = 0;

    if (find_range(n, handle, &least) >= NARROW) {
        for (; k < n; k += 32)
            rank_some(n, handle, k, true, rank);
        return;
    }
    for (k = 0; k < n; k += 16)
        _mm256_storeu_si256((__m256i *)(void *)(key + k),
                            _mm512_cvtepi32_epi16(_mm512_sub_epi32(
                                keys_of(handle + k), _mm512_set1_epi32((int)least))));
    for (k = 0; n - k > 32; k += 64)
        rank_narrow(n, key, k, true, rank);
    if (k < n) rank_narrow(n, key, k, false, rank);
}

static void rank(int n, const uint64_t *handle, uint16_t *rank)
{
    if (n <= 8)
        rank_8(n, handle, rank);
    else if (n <= 16)
        rank_some(n, handle, 0, false, rank);
    else if (n <= 32)
        rank_some(n, handle, 0, true, rank);
    else
        rank_many(n, handle, rank);
}

#    pragma GCC pop_options

static bool usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

const cairn_ranker cairn_ranker_avx512 = {CAIRN_RANK_MOST, rank, usable};

#else

static bool usable(void)
{
    return false;
}

const cairn_ranker cairn_ranker_avx512 = {.usable = usable};

#endif
