// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums in a binary tree.

#include "solve/tree.h"

#include <string.h>

/// Is there no leaf behind this node, and is it not the root?
static bool ends(const cairn_tree *tree, const cairn_tree_node *node)
{
    return (int64_t)1 << node->level < tree->leaves
           && (node->index + 1) << node->level >= tree->leaves;
}

/// The last node becomes its parent where its sibling is there, or is none. @return Is it so?
static bool climb(cairn_tree *tree)
{
    cairn_tree_node *last = &tree->node[tree->nodes - 1];

    if (last->index % 2 == 0) {
        if (!ends(tree, last)) return false;
    } else {
        if (tree->nodes < 2 || last[-1].level != last->level
            || last[-1].index != last->index - 1)
            return false;
        double *const sum = tree->sum + (tree->nodes - 2) * tree->sums;

        for (int k = 0; k < tree->sums; k++)
            sum[k] += sum[tree->sums + k];
        tree->nodes--;
        last--;
    }
    last->level++;
    last->index /= 2;
    return true;
}

void cairn_tree_push(cairn_tree *tree, cairn_tree_node node, const double *sum)
{
    tree->node[tree->nodes] = node;
    memcpy(tree->sum + tree->nodes * tree->sums, sum, (size_t)tree->sums * sizeof *sum);
    tree->nodes++;
    while (climb(tree))
        continue;
}

void cairn_tree_push_leaves(cairn_tree *tree,
                            int64_t     first,
                            int64_t     leaves,
                            double     *sum)
{
    const int count = tree->sums;
    int       level = 0;

    for (; leaves > 1 && leaves % 2 == 0 && first % 2 == 0;
         level++, first /= 2, leaves /= 2)
        for (int64_t n = 0; n < leaves / 2; n++)
            for (int k = 0; k < count; k++)
                sum[n * count + k] =
                    sum[2 * n * count + k] + sum[(2 * n + 1) * count + k];
    for (int64_t n = 0; n < leaves; n++)
        cairn_tree_push(tree, (cairn_tree_node){level, first + n}, sum + n * count);
}

void cairn_tree_join(cairn_tree *tree, const cairn_tree *from)
{
    for (int k = 0; k < from->nodes; k++)
        cairn_tree_push(tree, from->node[k], from->sum + k * from->sums);
}

void cairn_tree_fold(const cairn_tree *tree, double *sum)
{
    memset(sum, 0, (size_t)tree->sums * sizeof *sum);
    if (tree->nodes > 0) memcpy(sum, tree->sum, (size_t)tree->sums * sizeof *sum);
    for (int n = 1; n < tree->nodes; n++)
        for (int k = 0; k < tree->sums; k++)
            sum[k] += tree->sum[n * tree->sums + k];
}
