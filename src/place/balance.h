// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Dividing a member's rows among devices of which some copy what they read and write: so
/// that all end at the same time. What a device with a memory of its own takes for some rows
/// is a start, copies of the X between the least and the largest column that these rows
/// store, and of their Y, and its kernel; one that reads the host's memory has but the
/// last. Rows are cut at 64 places at most, between stretches that store about as much.

#ifndef CAIRN_PLACE_BALANCE_H
#define CAIRN_PLACE_BALANCE_H

#include "place/divide.h"

enum { CAIRN_ROW_STRETCHES = 64 };

/// A member's rows in stretches.
typedef struct cairn_row_stretches {
    int count;
    cairn_coord
           row[CAIRN_ROW_STRETCHES + 1];    ///< [count + 1] Where they begin; the end.
    double before[CAIRN_ROW_STRETCHES + 1]; ///< Part of what is stored, before each.
    cairn_interval
        columns[CAIRN_ROW_STRETCHES]; ///< From the least to the largest stored.
} cairn_row_stretches;

/// Seconds of one device.
typedef struct cairn_share_costs {
    double start;  ///< Of a run, whatever it computes.
    double kernel; ///< Of all that the member stores.
    double in,
        out; ///< Of one row of X that is copied in, of one of Y that is copied out.
} cairn_share_costs;

/// Cut the rows of a member in stretches.
///
/// Local.
///
/// @param[in] columns  Find the columns, for which the member is walked once; else they are
///                     those of the whole box.
cairn_status cairn_row_stretches_find(const cairn_row_weights *weights,
                                      bool                     columns,
                                      cairn_row_stretches     *stretches);

/// What stretches first..end-1 take on a device; 0 for none.
double cairn_row_stretches_seconds(const cairn_row_stretches *stretches,
                                   const cairn_share_costs   *costs,
                                   int                        first,
                                   int                        end);

/// Give every device stretches that follow each other, in the order of the devices, so that
/// the last of them ends as early as can be.
///
/// Local. O(devices * CAIRN_ROW_STRETCHES^2): by dynamic programming over where each ends.
///
/// @param[in]  costs  [devices] at most CAIRN_MAX_SHARES
/// @param[in]  each   Every device gets some, where there are as many.
/// @param[out] end    [devices] Where each device's stretches end; the last is `count`.
/// @return the seconds.
double cairn_row_stretches_balance(const cairn_row_stretches *stretches,
                                   const cairn_share_costs   *costs,
                                   int                        devices,
                                   bool                       each,
                                   int                       *end);

#endif
