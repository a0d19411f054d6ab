// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the comparison runs on: caches by hwloc, memory and pages by the system.

#include "compare.h"

#include <hwloc.h>

static hwloc_topology_t topology; ///< Once it is asked for, until the program ends.

static bool look(void)
{
    if (topology) return true;
    if (hwloc_topology_init(&topology)) return false;
    if (!hwloc_topology_load(topology)) return true;
    hwloc_topology_destroy(topology);
    topology = NULL;
    return false;
}

/// The first cache of a type, or NULL.
static hwloc_obj_t get_cache(hwloc_obj_type_t type)
{
    return look() ? hwloc_get_obj_by_type(topology, type, 0) : NULL;
}

size_t compare_last_cache(void)
{
    size_t bytes = 0;

    for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L5CACHE; type++) {
        const hwloc_obj_t cache = get_cache((hwloc_obj_type_t)type);

        if (cache && cache->attr->cache.size > bytes) bytes = cache->attr->cache.size;
    }
    return bytes;
}

/// A number behind a word of a file of the system, in KB there; 0 if there is none.
static double get_number(const char *path, const char *word)
{
    FILE  *file      = fopen(path, "r");
    char   line[256] = "";
    double kb        = 0;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, word, strlen(word)) == 0)
            sscanf(line + strlen(word), "%lf", &kb);
    if (file) fclose(file);
    return 1024 * kb;
}

double compare_free_memory(void)
{
    return get_number("/proc/meminfo", "MemAvailable:");
}

void compare_print_machine(const compare_settings *settings)
{
    static const char *const names[] = {"L1d", "L2", "L3", "L4", "L5"};
    char                     thp[80];

    bench_print_machine(BENCH_SOURCE, settings->rounds);
    printf("caches:");
    for (int k = 0; k < 5; k++) {
        const hwloc_obj_t cache = get_cache((hwloc_obj_type_t)(HWLOC_OBJ_L1CACHE + k));

        if (cache)
            printf(" %s %d x %llu KB,", names[k],
                   hwloc_get_nbobjs_by_type(topology, cache->type),
                   (unsigned long long)cache->attr->cache.size >> 10);
    }
    printf(" the last has %.1f MB; memory %.1f GB, %.1f free\n",
           (double)compare_last_cache() * 1e-6,
           get_number("/proc/meminfo", "MemTotal:") * 1e-9,
           compare_free_memory() * 1e-9);
    bench_first_line("cat /sys/kernel/mm/transparent_hugepage/enabled", thp,
                     sizeof thp);
    printf(
        "pages: %s (the system: %s); generated matrices with %s values\n",
        settings->pages[0] == 's'
            ? "small for all"
            : "huge for all: arrays of callers, Cairn's, and what libraries take from "
              "malloc",
        thp, settings->values);
}

void compare_print_pages(void)
{
    static const char *const file = "/proc/self/smaps_rollup";

    printf("of %.0f MB in memory now %.0f in huge pages\n",
           get_number(file, "Rss:") * 1e-6, get_number(file, "AnonHugePages:") * 1e-6);
}
