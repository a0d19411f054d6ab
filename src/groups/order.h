// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One group of a query and its positions in key order, by arithmetic: how many there are,
/// how many come before one, which is the k-th. See format/query_class.h.

#ifndef CAIRN_GROUPS_ORDER_H
#define CAIRN_GROUPS_ORDER_H

#include "format/query_class.h"

/// The positions of one group.
typedef struct cairn_group_box {
    bool           empty;
    bool           plain; ///< Open dimensions are themselves the keys, each once.
    cairn_coord    base[CAIRN_MAX_ORDER]; ///< Where open dimensions are 0.
    cairn_interval span[CAIRN_MAX_ORDER]; ///< Of dimensions that are open.
    cairn_interval allow[CAIRN_MAX_ORDER][CAIRN_MAX_CUTS]; ///< Of their digits.
    int64_t        count[CAIRN_MAX_ORDER]; ///< Values of each dimension.
    int64_t        size;                   ///< Positions.
} cairn_group_box;

/// Find the positions of the group with @p tuple. Constant time.
void cairn_group_box_enter(const cairn_query_order *order,
                           const int64_t           *tuple,
                           cairn_group_box         *box);

/// How many positions of the group come before @p d, which is one. Digits only.
int64_t cairn_group_box_rank(const cairn_query_order *order,
                             const cairn_group_box   *box,
                             const cairn_coord       *d);

/// Position number @p rank, below the size. Digits only.
void cairn_group_box_at(const cairn_query_order *order,
                        const cairn_group_box   *box,
                        int64_t                  rank,
                        cairn_coord             *d);

/// How many values of open dimension @p k has the group, of those with digits @p allow?
int64_t cairn_group_box_count(const cairn_query_order *order,
                              const cairn_group_box   *box,
                              int                      k,
                              const cairn_interval    *allow);

/// The digit of a key below which, in its direction, at most @p *rank positions lie; takes
/// these from the rank.
///
/// @param[in,out] allow   Digits of its dimension; that of the key is overwritten.
/// @param[in]     others  Positions for each value of the dimension.
int64_t cairn_group_box_digit(const cairn_query_order *order,
                              const cairn_group_box   *box,
                              cairn_group_key          key,
                              cairn_interval          *allow,
                              int64_t                  others,
                              int64_t                 *rank);

/// Some position of a group that has one.
void cairn_group_box_first(const cairn_query_order *order,
                           const cairn_group_box   *box,
                           cairn_coord             *d);

/// Positions of a group that is taken as runs have numbers, row by row of those along the
/// dimension of the runs: the position with a number, and the number of a position.
void    cairn_group_box_place(const cairn_query_order *order,
                              const cairn_group_box   *box,
                              int64_t                  number,
                              cairn_coord             *d);
int64_t cairn_group_box_number(const cairn_query_order *order,
                               const cairn_group_box   *box,
                               const cairn_coord       *d);

#endif
