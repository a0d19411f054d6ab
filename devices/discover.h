// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Discovery: what the machine consists of, as a plain tree that needs no outside
/// library to walk. This is the one place beside the back ends that knows hwloc. With
/// CAIRN_TOPOLOGY another machine is described instead: an XML export, or a synthetic
/// text such as "pack:2 numa:2 core:4 pu:2".

#ifndef CAIRN_DEVICES_DISCOVER_H
#define CAIRN_DEVICES_DISCOVER_H

#include "devices/device.h"

typedef struct cairn_drivers cairn_drivers; // devices/drivers.h

/// One piece of the machine. Cards are "gpu", "fpga", "accelerator", "display" and
/// "network" (pci.h); "opencl" and "cuda" are what drivers offer, under their card where
/// they say which it is.
typedef struct cairn_machine_node {
    const char *kind;  ///< "machine", "package", "numa", "cache", "core", or as above.
    int         depth; ///< 0 for the machine, which comes first.
    int         index; ///< Number among its kind (and level), from 0.
    int         level; ///< Caches: 1, 2, 3, ...; else 0.
    int64_t     bytes; ///< Size of a cache, memory of a NUMA domain, machine or device.
    int         cores; ///< That it spans, bound or not; of a driver's device its units.
    int         pus;   ///< Hardware threads that it spans, bound or not.
    int         domain;   ///< Cards: index of the NUMA domain they are at; -1: no one.
    double      link;     ///< Cards: of their bus, bytes per second; 0: unknown.
    char        name[96]; ///< Of cards and drivers' devices; else "".
    char        pci[16];  ///< Cards: "0000:3b:00.0"; else "".
    char        interfaces[64]; ///< What the system calls a card: "ib0 mlx5_0".
} cairn_machine_node;

/// A hardware thread that the process may use.
typedef struct cairn_machine_pu {
    int number; ///< The system's.
    int core;   ///< Of those in the binding, from 0, domain by domain.
} cairn_machine_pu;

/// A NUMA domain that the process may use cores of.
typedef struct cairn_machine_domain {
    int     cores; ///< In the process's binding.
    int64_t bytes; ///< Of its memory; 0: unknown.
    int     index; ///< Of its node in the tree; -1: the machine tells of none.
} cairn_machine_domain;

/// This process's number among those of its job on this machine, and how many they are;
/// {0, 0}: it is alone.
typedef struct cairn_machine_turn {
    int number, of;
} cairn_machine_turn;

struct cairn_machine {
    char                  name[128]; ///< The processor's model; "synthetic" for texts.
    bool                  here;      ///< This machine, so that it can be measured.
    int                   cores;     ///< In the process's binding, at least 1.
    int                   pus;       ///< In the process's binding, at least 1.
    cairn_pu_set          bound;     ///< Those.
    cairn_machine_pu     *pu;        ///< [pus] by core
    int                   domains;   ///< With cores of the binding, at least 1.
    cairn_machine_domain *domain;    ///< [domains]
    int64_t               memory_bytes; ///< Of the NUMA domains near those cores.
    int64_t               cache_bytes; ///< Last-level caches, all together; 0: unknown.
    int                   nodes;
    cairn_machine_node   *node; ///< [nodes] parents before children, depth first.
    cairn_machine_turn    turn;
};

/// Discover the machine that this process runs on, or the one that the environment's
/// option `topology` describes. An open file is taken for XML, other text for a
/// synthetic description.
///
/// Local. Cost: 10 to 40 ms, once per context.
///
/// @param[out] machine  Freed with cairn_machine_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_OPTION  The text describes nothing.
/// @retval CAIRN_BAD_FILE    The file is no topology that hwloc reads.
/// @retval CAIRN_IO          A text that looks like a path cannot be opened.
cairn_status cairn_machine_discover(cairn_env *env, cairn_machine **machine);

/// As cairn_machine_discover(), and look for cards, too; what @p drivers offer stands
/// beside them. For reports: runs do not pay for it.
///
/// Local. Cost: 20 to 60 ms.
///
/// @param[in] drivers  NULL: nothing. Passed over where another machine is described.
cairn_status cairn_machine_survey(cairn_env           *env,
                                  const cairn_drivers *drivers,
                                  cairn_machine      **machine);

void cairn_machine_destroy(cairn_env *env, cairn_machine **machine);

#endif
