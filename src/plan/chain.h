// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Chains of products, each Y the next X, on a device that keeps both: X goes there once,
/// and comes back with the last Y. Where all of a product is one launch that sits on such a
/// device (devices/seat.h), on one rank; else the host runs product after product
/// (callers.h).

#ifndef CAIRN_PLAN_CHAIN_H
#define CAIRN_PLAN_CHAIN_H

#include "plan/replay.h"

/// Run a chain on a device, from the plan's own X to its own Y. The product is square, not
/// transposed, and beta is 0.
///
/// Local. Afterwards X is what the last Y was computed from.
///
/// @param[in] n  At least 1.
/// @return false: it cannot, or the device was lost; X is what it was, and the host's way
///         is left, which retires the device.
bool cairn_replay_chain(cairn_replay *replay, int64_t n);

#endif
