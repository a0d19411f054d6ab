// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The hardware threads that a process may use, by NUMA domain and core, out of hwloc.

#ifndef CAIRN_DEVICES_DOMAINS_H
#define CAIRN_DEVICES_DOMAINS_H

#include "devices/discover.h"

#include <hwloc.h>

/// Add bytes as hwloc counts them. What a file says may be any number: the sum stays at
/// the largest that there is.
static inline int64_t cairn_bytes_add(int64_t bytes, uint64_t more)
{
    return more < (uint64_t)(INT64_MAX - bytes) ? bytes + (int64_t)more : INT64_MAX;
}

/// How a domain's cores are to lie to others: hwloc_bitmap_isequal(), or _intersects().
typedef int cairn_domains_near(hwloc_const_bitmap_t domain, hwloc_const_bitmap_t cores);

/// Bytes of the domains near to @p cores; one without cores is near to no core.
///
/// Local.
int64_t cairn_domains_memory(hwloc_topology_t     topology,
                             hwloc_const_bitmap_t cores,
                             cairn_domains_near  *is_near);

/// List the hardware threads in @p bound, and the domains that have some of them.
///
/// Local.
///
/// A thread's number is the one in its set of processors, by which threads are bound; the
/// number that a described machine gives it beside may be another.
///
/// @param[in,out] machine  Gets pus, cores, domains and their lists; unchanged on failure.
/// @retval CAIRN_BAD_FILE   A described machine has no hardware thread in @p bound.
/// @retval CAIRN_NO_DEVICE  This machine has none.
cairn_status cairn_domains_list(cairn_env           *env,
                                hwloc_topology_t     topology,
                                hwloc_const_bitmap_t bound,
                                cairn_machine       *machine);

/// The cores and the memory of the index-th of @p count devices that divide the bound
/// processors: whole domains, or equal parts of one, where their numbers allow, else
/// equal numbers of cores wherever they are. Each has one core at least, if need be
/// together with others.
typedef struct cairn_domains_share {
    int          cores;
    int64_t      memory_bytes;
    cairn_pu_set bound; ///< Its hardware threads.
} cairn_domains_share;

/// Local.
void cairn_domains_divide(const cairn_machine *machine,
                          int                  index,
                          int                  count,
                          cairn_domains_share *share);

/// Write a set as people do: "0-3,8"; "none" of an empty one.
void cairn_pu_set_print(const cairn_pu_set *set, char *text, size_t size);

#endif
