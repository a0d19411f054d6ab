// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Dividing the processors of a binding.

#include "devices/domains.h"

#include <stdio.h>

int64_t cairn_domains_memory(hwloc_topology_t     topology,
                             hwloc_const_bitmap_t cores,
                             cairn_domains_near  *is_near)
{
    int64_t bytes = 0;

    for (hwloc_obj_t o = NULL;
         (o = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, o));)
        if (is_near(o->cpuset, cores))
            bytes = cairn_bytes_add(bytes, o->attr->numanode.local_memory);
    return bytes;
}

/// A machine while its lists are made.
typedef struct {
    hwloc_topology_t      topology;
    hwloc_bitmap_t        left; ///< Bound, and not listed yet.
    int                   pus, cores, domains;
    cairn_machine_pu     *pu;
    cairn_machine_domain *domain;
} lists;

/// Add what is left of @p cores as a domain. Where two are near to the same cores, as fast
/// and slow memory of a package are, nothing is left for the second.
static void add_domain(lists *l, hwloc_const_bitmap_t cores, int64_t bytes, int index)
{
    const int   first = l->cores;
    hwloc_obj_t last  = NULL;

    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_inside_cpuset_by_type(
                                    l->topology, cores, HWLOC_OBJ_PU, o));) {
        const hwloc_obj_t core =
            hwloc_get_ancestor_obj_by_type(l->topology, HWLOC_OBJ_CORE, o);
        const int number = hwloc_bitmap_first(o->cpuset);

        if (number < 0 || !hwloc_bitmap_isset(l->left, (unsigned)number)) continue;
        hwloc_bitmap_clr(l->left, (unsigned)number);
        /* A machine that tells of no cores has one for each hardware thread. */
        if (!core || core != last) l->cores++;
        last            = core;
        l->pu[l->pus++] = (cairn_machine_pu){number, l->cores - 1};
    }
    if (l->cores > first)
        l->domain[l->domains++] =
            (cairn_machine_domain){l->cores - first, bytes, index};
}

static void fill(lists *l)
{
    for (hwloc_obj_t o = NULL;
         (o = hwloc_get_next_obj_by_type(l->topology, HWLOC_OBJ_NUMANODE, o));)
        add_domain(l, o->cpuset,
                   cairn_domains_memory(l->topology, o->cpuset, hwloc_bitmap_isequal),
                   (int)o->logical_index);
    /* What is near to no memory, and all where the system does not say. */
    add_domain(l, hwloc_topology_get_topology_cpuset(l->topology), 0, -1);
}

static cairn_status allocate(cairn_env *env, hwloc_const_bitmap_t bound, lists *l)
{
    const int nodes = hwloc_get_nbobjs_by_type(l->topology, HWLOC_OBJ_NUMANODE);
    const int pus   = hwloc_get_nbobjs_by_type(l->topology, HWLOC_OBJ_PU);

    CAIRN_TRY(CAIRN_NEW(env, pus, &l->pu));
    CAIRN_TRY(CAIRN_NEW(env, nodes + 1, &l->domain));
    l->left = hwloc_bitmap_dup(bound);
    return l->left
               ? CAIRN_OK
               : cairn_fail(env, CAIRN_NO_MEMORY, "out of memory: discovery: hwloc");
}

/// A described machine may name processors that it does not list.
static cairn_status check_any(cairn_env *env, const lists *l)
{
    const char *text = env->options.topology;

    if (l->pus > 0) return CAIRN_OK;
    return text[0]
               ? cairn_fail(env, CAIRN_BAD_FILE,
                            "topology: %.200s: it lists no hardware thread (PU) of "
                            "its processors",
                            text)
               : cairn_fail(env, CAIRN_NO_DEVICE,
                            "discovery: this machine: hwloc lists no hardware thread "
                            "(PU) of its processors");
}

cairn_status cairn_domains_list(cairn_env           *env,
                                hwloc_topology_t     topology,
                                hwloc_const_bitmap_t bound,
                                cairn_machine       *machine)
{
    lists        l      = {.topology = topology};
    cairn_status status = allocate(env, bound, &l);

    if (status == CAIRN_OK) fill(&l);
    if (status == CAIRN_OK) status = check_any(env, &l);
    if (status == CAIRN_OK) {
        machine->pu      = l.pu;
        machine->pus     = l.pus;
        machine->cores   = l.cores;
        machine->domain  = l.domain;
        machine->domains = l.domains;
    } else {
        cairn_free(env, l.pu);
        cairn_free(env, l.domain);
    }
    hwloc_bitmap_free(l.left);
    return status;
}

/// A run of cores, by their numbers.
typedef struct {
    int     first, cores;
    int64_t bytes;
} stretch;

static stretch whole(const cairn_machine *machine)
{
    return (stretch){0, machine->cores, machine->memory_bytes};
}

static stretch domain_at(const cairn_machine *machine, int index)
{
    stretch s = {0, machine->domain[index].cores, machine->domain[index].bytes};

    for (int d = 0; d < index; d++)
        s.first += machine->domain[d].cores;
    return s;
}

/// The index-th of @p count equal parts, one core at least.
static stretch part_of(stretch s, int index, int count)
{
    const int64_t from = (int64_t)s.cores * index / count;
    const int64_t to   = (int64_t)s.cores * (index + 1) / count;

    return (stretch){s.first + (int)from, to > from ? (int)(to - from) : 1,
                     s.bytes / count};
}

void cairn_domains_divide(const cairn_machine *machine,
                          int                  index,
                          int                  count,
                          cairn_domains_share *share)
{
    const bool    even = count % machine->domains == 0;
    const int     each = even ? count / machine->domains : count;
    const stretch all  = even ? domain_at(machine, index / each) : whole(machine);
    const stretch mine = part_of(all, index % each, each);

    *share = (cairn_domains_share){.cores = mine.cores, .memory_bytes = mine.bytes};
    for (int k = 0; k < machine->pus; k++) {
        const cairn_machine_pu *pu = &machine->pu[k];

        if (pu->core >= mine.first && pu->core < mine.first + mine.cores)
            cairn_pu_set_add(&share->bound, pu->number);
    }
}

/// The last of the numbers in a row that begin at @p first.
static int end_of_row(const cairn_pu_set *set, int first)
{
    int last = first;

    while (last + 1 < CAIRN_PU_MOST && cairn_pu_set_has(set, last + 1))
        last++;
    return last;
}

void cairn_pu_set_print(const cairn_pu_set *set, char *text, size_t size)
{
    size_t n = 0;

    snprintf(text, size, "none");
    for (int k = 0; k < CAIRN_PU_MOST && n < size; k++) {
        if (!cairn_pu_set_has(set, k)) continue;
        const int last = end_of_row(set, k);

        n += (size_t)snprintf(text + n, size - n, last > k ? "%s%d-%d" : "%s%d",
                              n ? "," : "", k, last);
        k = last;
    }
}
