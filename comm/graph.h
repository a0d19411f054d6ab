// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows for ranks by a partition of the matrix's graph.

#ifndef CAIRN_COMM_GRAPH_H
#define CAIRN_COMM_GRAPH_H

#include "comm/distribute.h"
#include "tensor/local.h"

/// Find owners so that ranks have about as many entries, and few entries are between rows of
/// different ranks: the graph is that of A + A^T without loops, and a row weighs as many as
/// it has entries, and one. On one rank nothing is asked of any library.
///
/// Collective.
///
/// @param[in]  entries  Of this rank, anywhere.
/// @param[in]  rows     Consecutive rows of each rank,
/// @param[out] owner    [own rows] and the ranks that are to have them.
/// @retval CAIRN_BAD_SHAPE  It is no square matrix.
/// @retval CAIRN_ATTENTION  There is no PT-Scotch here.
///
/// Source: Chevalier, Pellegrini, PT-Scotch: A tool for efficient parallel graph ordering,
/// Parallel Computing 2008, by its library.
cairn_status cairn_graph_owners(cairn_comm          *comm,
                                const cairn_shape   *shape,
                                const cairn_entries *entries,
                                const cairn_rows    *rows,
                                int64_t             *owner);

#endif
