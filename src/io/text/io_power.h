// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The product of an integer and a power of ten, rounded to the nearest double, ties to
/// even. The integer times the first 128 bits of the power of five is exact enough to
/// decide the rounding but for cases that are known, and left undecided.
///
/// Source: Lemire, "Number parsing at a gigabyte per second", Software: Practice and
/// Experience 51, 2021, 10.1002/spe.2984, algorithm 1 (Eisel's idea). What it would work
/// out for subnormal results is left undecided here.

#ifndef CAIRN_IO_IO_POWER_H
#define CAIRN_IO_IO_POWER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CAIRN_POWER_LEAST (-342) ///< Below it 64 bits times a power of ten round to 0.
#define CAIRN_POWER_MOST  308    ///< Above it only 0 is finite.

/// The first 128 bits of a power of five, the first of all set; what follows is cut off,
/// or rounded up in 5^-27 .. 5^-1.
typedef struct cairn_power {
    uint64_t high, low;
} cairn_power;

/// [CAIRN_POWER_MOST - CAIRN_POWER_LEAST + 1], written at build time.
extern const cairn_power cairn_power_of_five[];

/// Find the double nearest to @p mantissa * 10^@p exponent.
///
/// @param[out] value  Unchanged unless true is returned.
/// @return false: undecided, subnormal, or beyond double's range.
static inline bool
cairn_scale_decimal(uint64_t mantissa, int64_t exponent, double *value)
{
    if (mantissa == 0) {
        *value = 0.0;
        return true;
    }
    if (exponent < CAIRN_POWER_LEAST || exponent > CAIRN_POWER_MOST) return false;

    const cairn_power      *power = &cairn_power_of_five[exponent - CAIRN_POWER_LEAST];
    const int               zeros = __builtin_clzll(mantissa);
    const uint64_t          w     = mantissa << zeros;
    const unsigned __int128 first = (unsigned __int128)w * power->high;
    uint64_t                high = (uint64_t)(first >> 64), low = (uint64_t)first;

    /* 55 bits are wanted: the low half of the power matters if all after them are 1. */
    if ((high & 0x1ff) == 0x1ff) {
        const uint64_t more = (uint64_t)((unsigned __int128)w * power->low >> 64);

        high += __builtin_add_overflow(low, more, &low);
        if (low == UINT64_MAX) return false;
    }

    const int upper = (int)(high >> 63), shift = upper + 9;
    uint64_t  m = high >> shift;

    /* 217706 / 2^16 is log2(10) closely enough for the floor to be right. */
    const int64_t biased = (217706 * exponent >> 16) + 63 + upper - zeros + 1023;

    if (biased <= 0) return false;
    /* Just between two doubles, and exactly so: the even one. */
    if (low <= 1 && exponent >= -4 && exponent <= 23 && (m & 3) == 1
        && m << shift == high)
        m &= ~UINT64_C(1);

    /* The leading 1 of the fraction, and what rounding carries, add to the exponent. */
    const uint64_t bits = ((uint64_t)(biased - 1) << 52) + ((m + (m & 1)) >> 1);

    if (bits >= UINT64_C(0x7ff) << 52) return false;
    memcpy(value, &bits, sizeof bits);
    return true;
}

/// @p value, or its negative: signs alternate in files, and a branch would be guessed
/// wrong.
static inline double cairn_apply_sign(double value, bool negative)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    bits ^= (uint64_t)negative << 63;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

#endif
