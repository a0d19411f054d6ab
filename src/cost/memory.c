// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Measuring memory.

#include "cost/memory.h"

#include <math.h>
#include <string.h>

/* Beyond the second cache of any processor: as much as a matrix has, and as an X; and
   within the second cache of nearly all. */
enum { BYTES = 16 << 20, FAR_BYTES = 4 << 20, NEAR_BYTES = 256 << 10, LINE = 64 };

/* Lines of a try: a tenth of a millisecond. */
enum { NEAR_READS = 1 << 13, FAR_READS = 1 << 13, TRIES = 12 };

static const double enough = 1e-2; /* seconds */

/* Factors that are no difference, and the largest. */
static const double same = 1.4, most = 4;

/* The middle of what two cores of an AMD EPYC (virtual) give, the kind of machine that
   auto/rates.def is from: of 20 processes the first lay within 15 % of it, the second within
   30 %, and all but three of the third within 30 %. */
const cairn_memory_rates cairn_memory_shipped = {3.5e-11, 6.5e-9, 1.8e-8};

#ifdef __clang__
#    define OPTIMIZED /* It has no such attribute, and measures what -O0 makes. */
#else
#    define OPTIMIZED optimize("O3"),
#endif

/// Add up words. Optimised in every build type: at -O0 it would be the loop, not the
/// memory, that is measured.
__attribute__((OPTIMIZED noinline)) static uint64_t read_in_order(const uint64_t *word,
                                                                  int64_t         bytes)
{
    uint64_t sum = 0;

    for (int64_t k = 0; k < bytes / 8; k++)
        sum += word[k];
    return sum;
}

/// Read words of some lines, of a number that is a power of two, anywhere, each when the one
/// before has told where: so many reads at once as there are in a gather would say less,
/// for they differ by twice as much from process to process.
__attribute__((OPTIMIZED noinline)) static uint64_t
read_anywhere(const uint64_t *word, int64_t bytes, int reads, uint64_t line)
{
    const uint64_t lines = (uint64_t)(bytes / LINE);

    for (int k = 0; k < reads; k++) {
        const uint64_t hash = line * UINT64_C(6364136223846793005) + 1;

        line = hash + word[(hash >> 33 & (lines - 1)) * (LINE / 8)];
    }
    return line;
}

bool cairn_memory_rates_valid(const cairn_memory_rates *rates)
{
    const double rate[] = {rates->byte, rates->near, rates->far};

    for (int k = 0; k < 3; k++)
        if (!(rate[k] >= 1e-14 && rate[k] <= 1e-3)) return false; /* nor NaN */
    return true;
}

static void keep_least(double *least, double begin, double count)
{
    *least = fmin(*least, (cairn_seconds() - begin) / count);
}

cairn_status cairn_memory_measure(cairn_env *env, cairn_memory_rates *rates)
{
    cairn_memory_rates least = {INFINITY, INFINITY, INFINITY};
    volatile uint64_t  sum   = 1; /* It is used, so that the reads are not removed. */
    uint64_t          *word;

    CAIRN_TRY(CAIRN_NEW(env, BYTES / 8, &word));
    memset(word, 1, BYTES);
    const double start = cairn_seconds();

    for (int k = 0; k < TRIES && (k == 0 || cairn_seconds() - start < enough); k++) {
        /* Where pages lie in caches is a process's luck: each try has others. */
        const uint64_t *far   = word + k * (FAR_BYTES / 8) % (BYTES / 8);
        const uint64_t *near  = far + k * (NEAR_BYTES / 8) % (FAR_BYTES / 8);
        double          begin = cairn_seconds();

        sum += read_in_order(word, BYTES);
        keep_least(&least.byte, begin, BYTES);
        sum += read_in_order(far, FAR_BYTES); /* as close as it gets */
        begin = cairn_seconds();
        sum   = read_anywhere(far, FAR_BYTES, FAR_READS, sum);
        keep_least(&least.far, begin, FAR_READS);
        sum += read_in_order(near, NEAR_BYTES);
        begin = cairn_seconds();
        sum   = read_anywhere(near, NEAR_BYTES, NEAR_READS, sum);
        keep_least(&least.near, begin, NEAR_READS);
    }
    cairn_free(env, word);
    *rates = least;
    return CAIRN_OK;
}

static double factor_of(double here, double shipped)
{
    const double factor = fmin(most, fmax(1 / most, here / shipped));

    return factor <= same && factor >= 1 / same ? 1 : factor;
}

cairn_memory_rates cairn_memory_factors(const cairn_memory_rates *here)
{
    const cairn_memory_rates *shipped = &cairn_memory_shipped;

    return (cairn_memory_rates){factor_of(here->byte, shipped->byte),
                                factor_of(here->near, shipped->near),
                                factor_of(here->far, shipped->far)};
}
