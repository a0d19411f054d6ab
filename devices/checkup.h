// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What could go wrong with the machine itself: threads and cores, memory, clocks, drivers
/// and cards. What a kind of device finds about itself is its slot `check`.

#ifndef CAIRN_DEVICES_CHECKUP_H
#define CAIRN_DEVICES_CHECKUP_H

#include "devices/drivers.h"

/// A rank and its place on the node.
typedef struct cairn_checkup_rank {
    const cairn_machine *machine; ///< As its binding lets it see it.
    int                  threads; ///< That its kernels use.
    int                  ranks;   ///< On its node, itself included.
    int64_t              memory_limit;
} cairn_checkup_rank;

/// Are there more threads than cores, or a binding that was hardly meant? For every rank.
void cairn_checkup_threads(const cairn_checkup_rank *rank, cairn_diagnostics *findings);

/// The memory of a node, for one of its ranks: the limits of all together (taken to be as
/// this one's), and the size of pages.
void cairn_checkup_memory(const cairn_checkup_rank *rank, cairn_diagnostics *findings);

/// Why times may not repeat: other work, saving power, slow clocks, a virtual machine.
void cairn_checkup_clock(const cairn_checkup_rank *rank, cairn_diagnostics *findings);

/// Drivers, and cards that none of them offers.
///
/// @param[in] survey  cairn_machine_survey() with these drivers.
void cairn_checkup_drivers(const cairn_drivers *drivers,
                           const cairn_machine *survey,
                           cairn_diagnostics   *findings);

#endif
