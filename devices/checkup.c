// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Threads, memory and clocks, from what Linux says in /proc and /sys. A file that is not
/// there says nothing, and nothing is made of it.

#include "devices/checkup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double gib(int64_t bytes)
{
    return (double)bytes / (1 << 30);
}

/// Read a number that a file of the process's control group holds. Source: Linux,
/// Documentation/admin-guide/cgroup-v2.rst.
/// @return false: no such file, or no limit ("max").
static bool read_group(const char *file, char *line, size_t size)
{
    char group[512], path[1024];

    if (!cairn_read_line("/proc/self/cgroup", group, sizeof group)
        || strncmp(group, "0::", 3) != 0)
        return false;
    /* Inside a container the group's own name may be that outside of it. */
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", group + 3, file);
    if (!cairn_read_line(path, line, size)) {
        snprintf(path, sizeof path, "/sys/fs/cgroup/%s", file);
        if (!cairn_read_line(path, line, size)) return false;
    }
    return strncmp(line, "max", 3) != 0;
}

/// The processors' worth of time that the control group grants; 0: no limit.
static double granted_processors(void)
{
    char   line[64];
    double quota, period;

    if (!read_group("cpu.max", line, sizeof line)
        || sscanf(line, "%lf %lf", &quota, &period) != 2 || period <= 0)
        return 0;
    return quota / period;
}

static void check_grant(const cairn_checkup_rank *rank, cairn_diagnostics *findings)
{
    const double granted = granted_processors();
    const int    threads = rank->threads * rank->ranks;

    if (granted > 0 && granted < threads)
        cairn_diagnostics_attention(
            findings, "threads", "fewer ranks, or --threads; or a larger grant",
            "the control group grants the time of %.3g processors to %d threads: they "
            "stop in the middle of work",
            granted, threads);
}

void cairn_checkup_threads(const cairn_checkup_rank *rank, cairn_diagnostics *findings)
{
    const cairn_machine *machine = rank->machine;
    const int            cores = machine->node[0].cores, pus = machine->node[0].pus;
    const bool           unbound = machine->pus == pus;
    const int            share   = cores / rank->ranks;

    if (machine->cores == 1 && share > 1)
        cairn_diagnostics_attention(
            findings, "binding",
            "mpirun --bind-to none, or --map-by slot:PE=N for N cores a rank",
            "bound to one core, where the node has %d for each of its ranks", share);
    if (rank->threads > machine->pus)
        cairn_diagnostics_attention(
            findings, "threads", "as many threads as cores: --threads or CAIRN_THREADS",
            "%d threads on %d processor%s that the rank may use", rank->threads,
            machine->pus, machine->pus == 1 ? "" : "s");
    else if (unbound && rank->threads * rank->ranks > pus)
        cairn_diagnostics_attention(
            findings, "threads",
            "fewer ranks on the node, or fewer threads each (--threads)",
            "%d ranks of %d threads share %d processors", rank->ranks, rank->threads,
            pus);
    else
        cairn_diagnostics_ok(
            findings, "threads",
            "%d thread%s on %d core%s; ranks on the node: %d, cores: %d", rank->threads,
            rank->threads == 1 ? "" : "s", machine->cores,
            machine->cores == 1 ? "" : "s", rank->ranks, cores);
    check_grant(rank, findings);
}

/// Bytes that could be had now; 0: the kernel does not say.
static int64_t available_bytes(void)
{
    FILE   *file = fopen("/proc/meminfo", "re");
    char    line[256];
    int64_t kilobytes = 0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNd64, &kilobytes) == 1) break;
    if (file) fclose(file);
    return kilobytes * 1024;
}

static void check_limits(const cairn_checkup_rank *rank, cairn_diagnostics *findings)
{
    static const char fix[]     = "a smaller --memory or CAIRN_MEMORY, or fewer ranks";
    const int64_t     all       = rank->memory_limit * rank->ranks;
    const int64_t     available = available_bytes();
    char              line[64];

    if (read_group("memory.max", line, sizeof line) && atoll(line) < all)
        cairn_diagnostics_attention(findings, "memory", fix,
                                    "the control group ends what takes more than %.3g "
                                    "GiB, but the node's ranks "
                                    "may take %.3g GiB together",
                                    gib(atoll(line)), gib(all));
    if (available > 0 && all > available)
        cairn_diagnostics_attention(
            findings, "memory", fix,
            "%.3g GiB are available, but the node's ranks may take %.3g GiB together",
            gib(available), gib(all));
    else
        cairn_diagnostics_ok(findings, "memory",
                             "%.3g GiB are available; limit of a rank: %.3g GiB",
                             gib(available), gib(rank->memory_limit));
}

void cairn_checkup_memory(const cairn_checkup_rank *rank, cairn_diagnostics *findings)
{
    char line[128];

    check_limits(rank, findings);
    if (!cairn_read_line("/sys/kernel/mm/transparent_hugepage/enabled", line,
                         sizeof line))
        return;
    if (strstr(line, "[never]"))
        cairn_diagnostics_note(
            findings, "pages",
            "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled (as root)",
            "huge pages are switched off: large matrices are made and read more "
            "slowly");
    else
        cairn_diagnostics_ok(findings, "pages", "huge pages can be had (%s)", line);
}

/// Is this a guest, whose processors others may take away?
static bool is_virtual(void)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char  line[8192];
    bool  found = false;

    while (file && !found && fgets(line, sizeof line, file) && line[0] != '\n')
        found = strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor");
    if (file) fclose(file);
    return found;
}

static void check_load(const cairn_checkup_rank *rank, cairn_diagnostics *findings)
{
    const int pus = rank->machine->here ? rank->machine->node[0].pus : 0;
    double    load;

    if (pus == 0 || getloadavg(&load, 1) != 1 || load < 0.5 * pus) return;
    cairn_diagnostics_note(
        findings, "clock", "time on a quiet machine",
        "in the last minute %.1f threads ran on %d processors: times "
        "will not repeat",
        load, pus);
}

void cairn_checkup_clock(const cairn_checkup_rank *rank, cairn_diagnostics *findings)
{
    static const char base[] = "/sys/devices/system";
    char              path[256], source[64], governor[64];

    snprintf(path, sizeof path, "%s/clocksource/clocksource0/current_clocksource",
             base);
    cairn_read_line(path, source, sizeof source);
    snprintf(path, sizeof path, "%s/cpu/cpu0/cpufreq/scaling_governor", base);
    cairn_read_line(path, governor, sizeof governor);

    if (strcmp(source, "hpet") == 0 || strcmp(source, "acpi_pm") == 0)
        cairn_diagnostics_note(
            findings, "clock", "boot with tsc=reliable if it is",
            "the system's clock is %s, which takes a microsecond to read", source);
    else
        cairn_diagnostics_ok(
            findings, "clock", "%s%s%s%s", source[0] ? source : "the system's",
            governor[0] ? ", governor " : "", governor,
            is_virtual() ? "; a virtual machine: its host has other work" : "");
    if (strcmp(governor, "powersave") == 0 || strcmp(governor, "ondemand") == 0)
        cairn_diagnostics_note(
            findings, "clock", "cpupower frequency-set -g performance (as root)",
            "the governor '%s' may start work at a low frequency", governor);
    check_load(rank, findings);
}
