// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which columns of a matrix a rank's entries are in, of those that other ranks own: the
/// rows of a dense operand that it shares with them. Padding needs nothing.

#ifndef CAIRN_PLAN_HALO_COLUMNS_H
#define CAIRN_PLAN_HALO_COLUMNS_H

#include "comm/distribute.h"
#include "tensor/local.h"

/// List the columns of stored entries outside this rank's own, with repeats, unsorted.
/// With one rank there are none.
///
/// Local.
///
/// @param[out] column  [n], freed with cairn_free(). Unchanged on failure.
cairn_status cairn_columns_needed(cairn_comm        *comm,
                                  const cairn_local *tensor,
                                  const cairn_rows  *owners,
                                  cairn_coord      **column,
                                  cairn_pos         *n);

#endif
