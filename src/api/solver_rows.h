// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A solver's arrays by compressed rows, and where new values of theirs go. Internal to api.

#ifndef CAIRN_API_SOLVER_ROWS_H
#define CAIRN_API_SOLVER_ROWS_H

#include "api/api.h"

/// Rows first_row .. first_row+rows-1 of a matrix, as a caller has them.
typedef struct cairn_solver_rows {
    cairn_context *context;
    cairn_shape    shape; ///< Of the whole matrix.
    int64_t        first_row, rows;
    const void    *ptr, *idx, *val;
    int            ptr_bits, idx_bits;
    cairn_dtype    dtype;
} cairn_solver_rows;

static inline int64_t cairn_rows_ptr(const cairn_solver_rows *a, int64_t k)
{
    return cairn_load_int(a->ptr, k, a->ptr_bits / 8, a->ptr_bits, true);
}

static inline int64_t cairn_rows_idx(const cairn_solver_rows *a, int64_t k)
{
    return cairn_load_int(a->idx, k, a->idx_bits / 8, a->idx_bits, true);
}

/// Its entries, sorted, duplicates added.
///
/// Local. Without values (`val` is NULL) all of them are 1.
///
/// @param[out] entries  Empty before, of order 2.
cairn_status cairn_solver_rows_entries(const cairn_solver_rows *a,
                                       cairn_entries           *entries);

/// Where new values go.
typedef struct cairn_refill {
    const void *borrowed; ///< The caller's values, which are the tensor's; or NULL,
    cairn_solver_rows
            pattern; ///< and these are copies of ptr and idx, until the first update
    int64_t n;       ///< finds where each of its entries
    cairn_target *target; ///< is stored: [n].
} cairn_refill;

/// Have a tensor take new values: its pattern is kept, so that the caller's arrays may go.
///
/// Local. Takes as much memory as ptr and idx. On failure what it has is freed with the
/// tensor.
cairn_status cairn_refill_create(const cairn_solver_rows *a, cairn_tensor *tensor);

/// @param[in,out] refill  May be NULL.
void cairn_refill_destroy(cairn_env *env, cairn_refill **refill);

#endif
