// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A solver's arrays by compressed rows, or by compressed columns, and new values of theirs.
/// Internal to api.

#ifndef CAIRN_API_SOLVER_ROWS_H
#define CAIRN_API_SOLVER_ROWS_H

#include "api/api.h"
#include "convert/refill/refill_pattern.h"

/// Arrays of a caller, and how he brought them.
typedef struct cairn_solver_rows {
    cairn_context    *context;
    const char       *call; ///< That brought them: cairn_tensor_from_ is left out.
    cairn_line_arrays lines;
    int     base;    ///< What the caller calls the first: messages have his numbers.
    int64_t replays; ///< As in cairn_store_options.
} cairn_solver_rows;

/// Look at widths, extents and which rows they are.
///
/// Local.
///
/// @retval CAIRN_BAD_ARGUMENT, CAIRN_BAD_SHAPE  Something is wrong with them.
cairn_status cairn_solver_rows_check(const cairn_solver_rows *a);

/// Make a tensor of rows: a format's, or over the arrays.
///
/// Collective.
///
/// @param[in]  mine    This rank's status so far: a failure of one rank is returned on all.
/// @param[in]  mode    CAIRN_COPY or CAIRN_BORROW.
/// @param[in]  format  NULL: compressed rows.
/// @param[out] tensor  Unchanged on failure.
cairn_status cairn_solver_rows_take(const cairn_solver_rows *a,
                                    cairn_status             mine,
                                    cairn_copy_mode          mode,
                                    const cairn_format      *format,
                                    cairn_tensor           **tensor);

/// Store rows in a format, as cairn_tensor_from_csr() does, but without what refills need.
///
/// Local: on one rank alone.
///
/// @param[out] tensor  Destroy with cairn_tensor_destroy(), also on failure.
cairn_status cairn_solver_rows_store(const cairn_solver_rows *a,
                                     const cairn_format      *format,
                                     cairn_tensor           **tensor);

/// Bring new values to where they are stored, planned when it is first called:
/// cairn_tensor_update() for a tensor that takes new values, and has none of the caller's.
///
/// Local.
///
/// @retval CAIRN_NO_MEMORY  For wider values: all are what they were.
cairn_status cairn_tensor_refill(cairn_tensor *tensor, const cairn_refill_values *val);

#endif
