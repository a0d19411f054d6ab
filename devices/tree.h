// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// hwloc's objects as the plain nodes of a machine. Internal to discovery.

#ifndef CAIRN_DEVICES_TREE_H
#define CAIRN_DEVICES_TREE_H

#include "devices/discover.h"

#include <hwloc.h>

/// Copy the objects that are shown, depth first, an object's memory before its parts,
/// and these before the cards at it.
///
/// Local.
///
/// @param[out] machine  nodes and node are set.
cairn_status
cairn_tree_copy(cairn_env *env, hwloc_topology_t topology, cairn_machine *machine);

#endif
