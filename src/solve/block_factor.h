// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Diagonal blocks of a matrix, dense, factored: by Cholesky where a block is symmetric and
/// positive definite, so that its inverse is symmetric as well, else by LU with a pivot of
/// each column. Blocks are of so many consecutive rows of the whole matrix; the first and the
/// last of a rank may have fewer.

#ifndef CAIRN_SOLVE_BLOCK_FACTOR_H
#define CAIRN_SOLVE_BLOCK_FACTOR_H

#include "base/env.h"

typedef struct cairn_block_factors {
    int64_t first, rows; ///< Of this rank.
    int64_t block;       ///< Rows of a whole block.
    double
        *value; ///< [rows][block] A block of m rows begins with its first row, [m][m].
    int32_t *
        pivot; ///< [rows] The row of its block that a row was exchanged with; -1 in the
               ///< first row of a block: by Cholesky.
} cairn_block_factors;

/// Blocks of zeros.
///
/// Local. Destroy with cairn_block_factors_destroy().
cairn_status cairn_block_factors_create(cairn_env            *env,
                                        int64_t               first,
                                        int64_t               rows,
                                        int64_t               block,
                                        cairn_block_factors **factors);

void cairn_block_factors_destroy(cairn_env *env, cairn_block_factors **factors);

/// Add an entry of this rank's rows, before they are factored; what lies in no block is
/// left out. Local.
void cairn_block_factors_add(cairn_block_factors *f,
                             int64_t              i,
                             int64_t              j,
                             double               value);

/// Factor all blocks. Local.
///
/// @retval CAIRN_BAD_ARGUMENT  A block is singular, or as good as (a pivot's inverse is not
///                             finite), or has a number that is not finite: the message has
///                             its rows, or the row and the column.
cairn_status cairn_block_factors_factor(cairn_env *env, cairn_block_factors *f);

/// Solve with the blocks of rows i to i+n-1 of this rank, which begin and end them.
///
/// Local. @param[in] r, z  [n] Of these rows; they may be the same.
void cairn_block_factors_solve(const cairn_block_factors *f,
                               int64_t                    i,
                               int64_t                    n,
                               const double              *r,
                               double                    *z);

/// Solve with all blocks, by threads. Local.
void cairn_block_factors_solve_all(const cairn_block_factors *f,
                                   int                        threads,
                                   const double              *r,
                                   double                    *z);

#endif
