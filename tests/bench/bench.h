// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the timings share: a clock, medians, and the sum by which readers are compared.

#ifndef CAIRN_TESTS_BENCH_H
#define CAIRN_TESTS_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline double bench_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/// The median of @p n times, which get sorted.
static inline double bench_median(double *time, int n)
{
    qsort(time, (size_t)n, sizeof *time, bench_compare);
    return n % 2 ? time[n / 2] : (time[n / 2 - 1] + time[n / 2]) / 2;
}

/// Copy the first line that a command prints, without its end; "unknown" if there is none.
static inline void bench_first_line(const char *command, char *line, int room)
{
    FILE *const out = popen(command, "r");

    if (!out || !fgets(line, room, out)) snprintf(line, (size_t)room, "unknown");
    if (out) pclose(out);
    line[strcspn(line, "\n")] = '\0';
}

/// Say where and what is measured.
static inline void bench_print_machine(const char *source, int rounds)
{
    char model[128], commit[64], command[512];

    bench_first_line("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo", model,
                     sizeof model);
    snprintf(command, sizeof command, "git -C '%s' rev-parse --short HEAD 2>/dev/null",
             source);
    bench_first_line(command, commit, sizeof commit);
    printf("%s, %ld processors, gcc %s, commit %s; %d interleaved rounds\n", model,
           sysconf(_SC_NPROCESSORS_ONLN), __VERSION__, commit, rounds);
}

/// A number of 53 bits that a place (0-based) gives, between 1/2 and 1, either sign.
static inline double bench_value_of(int64_t i, int64_t j)
{
    uint64_t z = UINT64_C(0x9E3779B97F4A7C15)
                 * ((uint64_t)i * UINT64_C(0x100000001B3) + (uint64_t)j + 1);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    z = z ^ z >> 31;
    return (z >> 63 ? -0x1p-53 : 0x1p-53)
           * (double)((z << 1 >> 12) | UINT64_C(1) << 52 | 1);
}

/// What one entry (0-based) adds to the sum modulo 2^64: every bit of the value counts,
/// the order of entries does not.
static inline uint64_t bench_sum_of(int64_t i, int64_t j, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits
           * (UINT64_C(1000003) * (uint64_t)i + UINT64_C(998244353) * (uint64_t)j + 1);
}

/// Say what one reading took, for the program that compares.
static inline void bench_report(double seconds, int64_t entries, uint64_t sum)
{
    printf("%.9f %lld %llu\n", seconds, (long long)entries, (unsigned long long)sum);
}

#endif
