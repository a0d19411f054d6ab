// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loops over columns of numbers, for the vectors that a machine has: a function marked
/// CAIRN_WIDE is compiled for each of some instruction sets, and the loader takes the
/// widest that can be used. The results are the same: of floating point, too, since the
/// library is compiled with no contraction (-ffp-contract=off) and no leave to reorder, so
/// that sums are in the order that is written down.
///
/// Such a function is called by way of a pointer and not inlined: it is to have a loop of
/// some hundred iterations.

#ifndef CAIRN_BASE_WIDE_H
#define CAIRN_BASE_WIDE_H

/* Sanitizers are not ready when the loader chooses; clang 14 does not know the levels. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)         \
    && __GNUC__ >= 12 && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) \
    && !defined(__SANITIZE_THREAD__)
#    define CAIRN_WIDE \
        __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#    define CAIRN_WIDE
#endif

#endif
