// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Fingerprints: a sum over entries, so that neither their order nor who has them matters.
///
/// An entry's hash takes its coordinates and the bits of its value one word after the other
/// (base/mix.h), twice, from two beginnings, for 128 bits.

#ifndef CAIRN_COMM_FINGERPRINT_H
#define CAIRN_COMM_FINGERPRINT_H

#include "comm/renumber.h"
#include "tensor/local.h"

/// Compute a number that tells matrices apart, with the coordinates of the user's.
///
/// Collective.
///
/// @param[in]  places       NULL: rows are by number.
/// @param[out] fingerprint  [2] The low half, and the high one; the same on all ranks.
///                          Unchanged on failure.
///
/// Cost: one visit of all positions; by places the entries once more.
cairn_status cairn_comm_fingerprint(cairn_comm              *comm,
                                    const cairn_local       *tensor,
                                    const cairn_renumbering *places,
                                    uint64_t                 fingerprint[2]);

#endif
