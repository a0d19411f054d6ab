// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Floating point of 16 bits, f16 (IEEE 754 binary16: 5 bits of exponent, 10 of fraction)
/// and bf16 (the upper half of an f32: 8 and 7), to and from f64. Widening keeps every
/// value; a NaN keeps its payload and becomes a quiet one, as processors have it.

#ifndef CAIRN_BASE_HALVES_H
#define CAIRN_BASE_HALVES_H

#include <stdint.h>
#include <string.h>

/// @param[in] fraction, exponent  Bits of a word: 10 and 5, or 7 and 8.
static inline double cairn_half_widened(uint16_t word, int fraction, int exponent)
{
    const uint64_t sign = (uint64_t)(word >> 15) << 63;
    const uint64_t e    = word >> fraction & ((1u << exponent) - 1);
    const uint64_t m    = word & ((1u << fraction) - 1);
    const int      bias = (1 << (exponent - 1)) - 1;
    uint64_t       bits = (e - (uint64_t)bias + 1023) << 52 | m << (52 - fraction);
    double         value;

    if (e == (1u << exponent) - 1)
        bits = UINT64_C(0x7ff) << 52 | m << (52 - fraction) | (uint64_t)(m > 0) << 51;
    if (e == 0) { /* m times the smallest subnormal number */
        const uint64_t unit = (uint64_t)(1023 + 1 - bias - fraction) << 52;
        double         step;

        memcpy(&step, &unit, sizeof step);
        step *= (double)m;
        memcpy(&bits, &step, sizeof bits);
    }
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// The nearest word, of two the even one; beyond the largest one infinity.
static inline uint16_t cairn_half_nearest(double value, int fraction, int exponent)
{
    const int bias = (1 << (exponent - 1)) - 1, top = (1 << exponent) - 1;
    int       shift = 52 - fraction;
    uint64_t  bits, full, rest;
    uint32_t  word;

    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 63 << 15);
    const uint64_t m    = bits & ((UINT64_C(1) << 52) - 1);
    const int      e    = (int)(bits >> 52 & 0x7ff);
    const int      to   = e - 1023 + bias;

    if (e == 0x7ff && m > 0)
        return (uint16_t)(sign | top << fraction | (int)(m >> shift)
                          | 1 << (fraction - 1));
    if (to >= top) return (uint16_t)(sign | top << fraction);
    if (to <= 0) shift += 1 - to;
    if (shift > 54) return sign;
    full = m | UINT64_C(1) << 52;
    rest = full & ((UINT64_C(1) << shift) - 1);
    word = (uint32_t)(full >> shift);
    if (to > 0) word += (uint32_t)(to - 1) << fraction; /* the leading 1 adds another */
    if (rest > UINT64_C(1) << (shift - 1)
        || (rest == UINT64_C(1) << (shift - 1) && word & 1))
        word++;
    return (uint16_t)(sign | word);
}

static inline double cairn_f16_widened(uint16_t word)
{
    return cairn_half_widened(word, 10, 5);
}

static inline uint16_t cairn_f16_nearest(double value)
{
    return cairn_half_nearest(value, 10, 5);
}

static inline double cairn_bf16_widened(uint16_t word)
{
    return cairn_half_widened(word, 7, 8);
}

static inline uint16_t cairn_bf16_nearest(double value)
{
    return cairn_half_nearest(value, 7, 8);
}

#endif
