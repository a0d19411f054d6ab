// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reference iteration: visit what a part stores, level by level, straight from the
/// definitions, with nothing but its layout and arrays. Positions come in storage order
/// (that of the e-tuples), in batches so that the visitor's loop is tight.

#ifndef CAIRN_TENSOR_WALK_H
#define CAIRN_TENSOR_WALK_H

#include "tensor/local.h"

enum { CAIRN_BATCH = 1024 };

/// Up to CAIRN_BATCH positions inside the tensor's box: overhang and holes are left out,
/// padding (positions without an entry, value 0) is not.
typedef struct cairn_batch {
    int         n;
    cairn_coord coord[CAIRN_MAX_ORDER][CAIRN_BATCH];
    cairn_pos   value[CAIRN_BATCH]; ///< Position in the part's values.
    int64_t    *level; ///< [levels][CAIRN_BATCH] indices, once asked for; else NULL.
} cairn_batch;

typedef cairn_status (*cairn_visit_fn)(void              *user,
                                       const cairn_part  *part,
                                       const cairn_batch *batch);

typedef struct cairn_walker cairn_walker;

/// Prepare to walk parts of @p layout: a few kilobytes, so that walks allocate nothing.
///
/// Local. Destroy with cairn_walker_destroy().
cairn_status
cairn_walker_create(cairn_env *env, const cairn_layout *layout, cairn_walker **walker);

void cairn_walker_destroy(cairn_env *env, cairn_walker **walker);

/// From now on give the indices of the levels with each position (0 at an indirect level
/// that stores none).
cairn_status cairn_walker_show_levels(cairn_env *env, cairn_walker *walker);

/// From now on visit also positions that hang over the box, of a layout that is `exact`.
void cairn_walker_show_overhang(cairn_walker *walker);

/// From now on an index that no array stores is what it was numbered as where the level
/// keeps its gaps, and elsewhere any number that tells the nodes of one parent apart, in
/// their order, and is one number under a node above that has one index there.
void cairn_walker_number_nodes(cairn_walker *walker);

/// The level by which rows can be divided: the first that is complete, or trimmed at the
/// top, and whose index is a function of d0 alone, so that positions with different
/// indices are in different rows. -1 when there is none.
int cairn_layout_row_level(const cairn_layout *layout);

/// From now on visit only positions whose index at @p level, one that
/// cairn_layout_row_level() gave, is in lo..hi.
void cairn_walker_restrict(cairn_walker *walker, int level, int64_t lo, int64_t hi);

/// From now on visit only positions below these nodes of each level, numbered in a part's
/// own order, at the last level the values themselves: nothing else of the arrays is
/// looked at. The nodes above them are among those of their levels.
///
/// @param[in] nodes  [levels] NULL: all again.
void cairn_walker_keep(cairn_walker *walker, const cairn_interval *nodes);

/// Visit all positions of a part of the walker's layout.
///
/// Local. One walk at a time with one walker.
///
/// @return the first failure of @p visit, or CAIRN_OK.
cairn_status cairn_walk(cairn_walker     *walker,
                        const cairn_part *part,
                        cairn_visit_fn    visit,
                        void             *user);

/// Visit all parts of one member of a tensor.
cairn_status cairn_walk_member(cairn_walker      *walker,
                               const cairn_local *tensor,
                               int                member,
                               cairn_visit_fn     visit,
                               void              *user);

/// The entries of a whole tensor again, unsorted; positions without an entry are left
/// out (where a layout pads, a stored zero cannot be told from padding and is left out
/// too).
cairn_status cairn_local_entries(const cairn_local *tensor, cairn_entries *entries);

#endif
