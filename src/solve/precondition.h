// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Preconditioners: z = M^-1 r. Those that work on some rows at a time are called inside the
/// solvers' passes, where r has just been made; others between them.

#ifndef CAIRN_SOLVE_PRECONDITION_H
#define CAIRN_SOLVE_PRECONDITION_H

#include "solve/block_factor.h"
#include "solve/sums.h"

#include <cairn/solve.h>

typedef enum {
    CAIRN_PRECONDITION_NONE,
    CAIRN_PRECONDITION_JACOBI,
    CAIRN_PRECONDITION_BLOCKS,
    CAIRN_PRECONDITION_CALLERS, ///< An operator.
} cairn_precondition_kind;

typedef struct cairn_preconditioner {
    cairn_precondition_kind     kind;
    int64_t                     block;   ///< Rows of a block.
    double                     *inverse; ///< [rows] Of the diagonal.
    cairn_block_factors        *factors;
    const cairn_solve_operator *callers;
} cairn_preconditioner;

/// Read "none", "jacobi" or "block-jacobi:B".
///
/// Local. @param[in] text  NULL: none.
/// @retval CAIRN_BAD_OPTION
cairn_status
cairn_precondition_parse(cairn_env *env, const char *text, cairn_preconditioner *m);

/// Make the inverse of a diagonal out of the diagonal in `inverse`.
///
/// Local. @param[in] first  The number of the first row, for the message.
/// @retval CAIRN_BAD_ARGUMENT  An element, or its inverse, is no finite number.
cairn_status cairn_precondition_invert(cairn_env            *env,
                                       int64_t               first,
                                       int64_t               rows,
                                       cairn_preconditioner *m);

void cairn_precondition_fini(cairn_env *env, cairn_preconditioner *m);

/// Does M work on the rows of each leaf alone?
static inline bool cairn_precondition_by_leaf(const cairn_preconditioner *m)
{
    return m->kind < CAIRN_PRECONDITION_BLOCKS
           || (m->kind == CAIRN_PRECONDITION_BLOCKS && CAIRN_LEAF_ROWS % m->block == 0);
}

/// Is z made again, where it is needed, with less memory traffic than it takes to keep it?
static inline bool cairn_precondition_is_cheap(const cairn_preconditioner *m)
{
    return m->kind < CAIRN_PRECONDITION_BLOCKS;
}

/// z = M^-1 r in rows i to i+n-1 of a pass, by leaf.
///
/// @param[in]  r, z  [n] Of these rows.
/// @return r itself where M is the identity, else @p z.
const double *cairn_precondition_rows(const cairn_preconditioner *m,
                                      int64_t                     i,
                                      int64_t                     n,
                                      const double               *r,
                                      double                     *z);

/// The same in all rows of this rank, whatever M is.
cairn_status cairn_precondition_all(const cairn_preconditioner *m,
                                    cairn_row_sums             *sums,
                                    const double               *r,
                                    double                     *z);

#endif
