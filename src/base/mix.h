// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The finalizer of SplitMix64, a bijection in which every bit of a word changes half of all
/// bits (variant 13 of Stafford's; G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom
/// Number Generators, OOPSLA 2014, doi:10.1145/2660193.2660195): for sums that are to be the
/// same whatever the order, and others where any bit is another. A CRC would not do: it is
/// linear, and sums of it over things that trade places or values are often the same. It is
/// no hash against who means to deceive.

#ifndef CAIRN_BASE_MIX_H
#define CAIRN_BASE_MIX_H

#include <stdint.h>

static inline uint64_t cairn_mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/// Two beginnings of chains of words: fractions of the golden ratio and of the root of 2.
#define CAIRN_MIX_LOW  UINT64_C(0x9e3779b97f4a7c15)
#define CAIRN_MIX_HIGH UINT64_C(0x6a09e667f3bcc908)

#endif
