// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How far rates are from products that they were not fitted to. A machine that is described
/// by a start, a bandwidth and a rate of entries alone (rated_machine.h) says nothing of how
/// a format's loops go; so what such rates are worth is seen here, where products were
/// measured: rates are fitted to those of other families of formats, and asked of the one
/// that was held out.

#ifndef CAIRN_COST_HELD_OUT_H
#define CAIRN_COST_HELD_OUT_H

#include "cost/cost.h"

/// Measured over predicted, of measurements that no rate had a part in.
typedef struct cairn_held_out {
    int64_t measurements;      ///< That were held out; 0: there is nothing to hold out.
    int     families;          ///< That they are of.
    double  low, middle, high; ///< The tenth, the half, and nine tenths lie below.
} cairn_held_out;

/// Look at all measured products of this machine, device by device. Families are dealt to
/// at most eight groups, of which each is held out once: a fit for each group and device.
/// Of a device with one family alone nothing is held out. Of each family the newest eight
/// measurements count.
///
/// Local. Nothing is learned, and nothing that is known changes.
///
/// @param[out] held  Unchanged on failure.
/// @retval CAIRN_NO_MEMORY
cairn_status cairn_cost_held_out(const cairn_costs *costs, cairn_held_out *held);

#endif
