// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums over rows in a binary tree whose shape the number of rows alone decides. Leaf k has
/// rows 64 k to 64 k + 63; node i of level h has leaves i 2^h to (i + 1) 2^h - 1, those of
/// its left child first. A node whose right child would lie beyond the last leaf is its left
/// child.
///
/// Who has consecutive leaves, a thread or a rank, adds them up to the nodes that lie whole
/// within them, no more than two a level. Such lists, one behind the other, are added up
/// again in the same way. So the root is the same sum of the same leaves, whoever added.

#ifndef CAIRN_SOLVE_TREE_H
#define CAIRN_SOLVE_TREE_H

#include "base/env.h"

enum {
    CAIRN_LEAF_ROWS  = 64,
    CAIRN_TREE_NODES = 128 ///< No list is longer: two a level, of fewer than 60 levels.
};

typedef struct cairn_tree_node {
    int     level;
    int64_t index;
} cairn_tree_node;

/// Nodes of consecutive leaves, from the left, each with several sums.
typedef struct cairn_tree {
    int64_t         leaves; ///< Of the whole tree.
    int             sums;   ///< Of a node.
    int             nodes;
    cairn_tree_node node[CAIRN_TREE_NODES];
    double         *sum; ///< [CAIRN_TREE_NODES][sums]
} cairn_tree;

/// Forget all nodes, and have @p sums sums from now on. Local.
static inline void cairn_tree_clear(cairn_tree *tree, int sums)
{
    tree->nodes = 0;
    tree->sums  = sums;
}

/// Add the node behind those that there are.
///
/// Local. @param[in] sum  [tree->sums]
void cairn_tree_push(cairn_tree *tree, cairn_tree_node node, const double *sum);

/// Add leaves behind those that there are: the nodes that they make up first, which needs no
/// list.
///
/// Local. @param[in,out] sum  [leaves][tree->sums]; what is left in it means nothing.
void cairn_tree_push_leaves(cairn_tree *tree,
                            int64_t     first,
                            int64_t     leaves,
                            double     *sum);

/// Add all nodes of @p from. Local.
void cairn_tree_join(cairn_tree *tree, const cairn_tree *from);

/// Add up what there is, from the left: of all leaves that is the root. Local.
///
/// @param[out] sum  [tree->sums]; 0 of none.
void cairn_tree_fold(const cairn_tree *tree, double *sum);

#endif
