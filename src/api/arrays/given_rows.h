// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that a caller describes by a struct, as the library's own calls take them. Internal
/// to api.

#ifndef CAIRN_API_GIVEN_ROWS_H
#define CAIRN_API_GIVEN_ROWS_H

#include "api/arrays/solver_rows.h"

#include <cairn/rows.h>

/// Rows from 0 on, with values of the tensor's type.
typedef struct cairn_given_rows {
    cairn_solver_rows rows;
    bool              copied;          ///< Some of the arrays are these:
    void             *ptr, *idx, *val; ///< else NULL.
} cairn_given_rows;

/// Look at a caller's rows, and copy what of them lies otherwise than the library has it.
///
/// Local.
///
/// @param[in]  its    Whole (CAIRN_READ).
/// @param[out] given  Give back with cairn_given_rows_fini(), on failure, too.
/// @retval CAIRN_BAD_ARGUMENT  There is no ptr, or no such width, base or kind.
cairn_status cairn_given_rows_init(cairn_context    *context,
                                   const char       *call,
                                   const cairn_csr  *its,
                                   cairn_given_rows *given);

void cairn_given_rows_fini(cairn_env *env, cairn_given_rows *given);

#endif
