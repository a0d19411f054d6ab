// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Windows: of each array of a part only the elements that some consecutive values need.
/// Storage is a tree whose levels keep its order, so that values that follow each other lie
/// below nodes that do, on every level; where those begin is found from the top down by
/// searches in each ptr, which read a few elements of the file.
///
/// A window's arrays stand at addresses from which elements have the numbers that they have
/// in the part, so that the walk that visits parts visits windows; it is kept to the nodes
/// that are there.
///
/// The windows of all values, one behind the other, have every element: what is wrong with
/// an array is seen in one of them.

#ifndef CAIRN_IO_IO_NATIVE_WINDOW_H
#define CAIRN_IO_IO_NATIVE_WINDOW_H

#include "io/native/io_native_segment.h"
#include "tensor/check.h"

/// A part of a segment, and how to find nodes in it.
typedef struct cairn_native_tree {
    const cairn_native_segment *segment;
    const cairn_part           *part;  ///< Lengths alone.
    cairn_pos nodes[CAIRN_MAX_LEVELS]; ///< Of each level, those of complete ones too.
    int64_t ptr_at[CAIRN_MAX_LEVELS];  ///< Byte of the segment at which its ptr begins,
    int64_t idx_at[CAIRN_MAX_LEVELS];  ///< and its idx, or the first tuple's field.
} cairn_native_tree;

/// Local. Nothing is allocated.
void cairn_native_tree_init(const cairn_native_segment *segment,
                            int64_t                     part,
                            cairn_native_tree          *tree);

/// Where the children of node @p node begin at level @p l, below it: also of one past the
/// last node, where the children of all end. Level -1 is the root, one node.
///
/// @retval CAIRN_BAD_FILE  The ptr has a number that is none of a node.
cairn_status cairn_native_children(const cairn_native_tree *tree,
                                   int                      l,
                                   cairn_pos                node,
                                   cairn_pos               *first);

/// One window.
typedef struct cairn_native_window {
    cairn_part     part; ///< The arrays; elements outside the window are not there.
    cairn_interval nodes[CAIRN_MAX_LEVELS]; ///< For cairn_walker_keep().
    void          *block;
} cairn_native_window;

/// Load the dictionary of a member's values. Local.
///
/// @param[out] dictionary  Freed with cairn_free(); NULL: it has none.
/// @retval CAIRN_BAD_FILE  Its values are none of the type's.
cairn_status cairn_native_load_dictionary(const cairn_native_segment *segment,
                                          int                         member,
                                          double                    **dictionary);

/// Load the window of values @p first .. @p end - 1 of a part, or of less of them where
/// their arrays have more than @p room bytes: of one value at least. Of a part without
/// values it is the whole part.
///
/// Local.
///
/// @param[in]     window  Zero before the first; frees what it held.
/// @param[out]    end     Behind the last value that it has.
/// @retval CAIRN_BAD_FILE  An array contradicts another, or its layout.
cairn_status cairn_native_window_load(const cairn_native_tree *tree,
                                      cairn_pos                first,
                                      cairn_pos               *end,
                                      int64_t                  room,
                                      const double            *dictionary,
                                      cairn_native_window     *window);

void cairn_native_window_fini(cairn_env *env, cairn_native_window *window);

#endif
