// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where random tests begin when no case is asked for, and how many cases they try. They
/// begin elsewhere every second, or where SEED_CLOCK says, so that two runs try the same
/// cases; SEED_CASES is how many, in place of a program's usual number, and SEED_SHARE=N has
/// one Nth of the usual number tried, but 10 at least, where a case costs much (a
/// sanitizer). SEED_ENTRIES is the size up to which matrices of the shared data are
/// tried, which no share makes smaller.

#ifndef CAIRN_TESTS_SUPPORT_SEED_H
#define CAIRN_TESTS_SUPPORT_SEED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/// Seconds: the clock's, or those of SEED_CLOCK.
static inline uint64_t seed_clock(void)
{
    const char *given = getenv("SEED_CLOCK");

    return given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
}

/// Cases that a share of them leaves at least.
enum { SEED_FEWEST = 10 };

/// Cases of a random test: SEED_CASES, or @p usual, or the share of it that is asked for.
static inline int seed_cases(int usual)
{
    const char *given = getenv("SEED_CASES"), *part = getenv("SEED_SHARE");
    const int   share = part ? (int)strtol(part, NULL, 10) : 1;

    if (given) return (int)strtol(given, NULL, 10);
    if (share < 2 || usual <= SEED_FEWEST) return usual;
    return usual / share > SEED_FEWEST ? usual / share : SEED_FEWEST;
}

/// Whether as many cases are tried as a test's expectations of their kinds are for ("a
/// quarter of them can be compared"): a share of them may be of other kinds.
static inline bool seed_whole(void)
{
    return !getenv("SEED_SHARE");
}

/// Entries up to which a matrix of the shared data is tried: SEED_ENTRIES, or @p usual.
static inline long seed_entries(long usual)
{
    const char *given = getenv("SEED_ENTRIES");

    return given ? strtol(given, NULL, 10) : usual;
}

#endif
