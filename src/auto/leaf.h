// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Leaves: how the innermost loop of a member's product goes, as the lowering decides it
/// from the layout (lower/product/product_plan.h). What a turn of it takes depends on that,
/// and on nothing that a format is called: a new format gets one of these loops.

#ifndef CAIRN_AUTO_LEAF_H
#define CAIRN_AUTO_LEAF_H

#include "format/layout.h"

#include <cairn/expr.h>

/* Every leaf, and what to call a unit of what it works through. */
#define CAIRN_LEAF_MAP(X)                                                         \
    X(RUN, "rows")           /* entries of a row, one after the other */          \
    X(RUN_LISTED, "rows")    /* which row is stored */                            \
    X(RUN_FOUND, "rows")     /* each entry has its row; equal ones are found */   \
    X(TABLE, "slots")        /* rows are lanes, x gathered; any number of rows */ \
    X(SLOTS, "slots")        /* a slice of rows are lanes, x gathered */          \
    X(SLOTS_MOVED, "slots")  /* and rows are permuted */                          \
    X(STRETCH, "stretches")  /* lanes take x as it lies */                        \
    X(BLOCK, "blocks")       /* unrolled, rows x columns */                       \
    X(BLOCK_LANES, "blocks") /* its rows are lanes */                             \
    X(BLOCK_TABLE, "blocks") /* equally many in all rows */                       \
    X(LOOP, "units")         /* none of these: places are checked */              \
    X(SCATTER, "lists")      /* y is met again and again */                       \
    X(SCATTER_BLOCK, "blocks")                                                    \
    X(SCATTER_LOOP, "units") /* by one thread alone */

typedef enum {
#define X(leaf, unit) CAIRN_LEAF_##leaf,
    CAIRN_LEAF_MAP(X)
#undef X
        CAIRN_LEAVES
} cairn_leaf_kind;

typedef struct cairn_leaf {
    cairn_leaf_kind kind;
    int             rows, cols; ///< Of what is unrolled, or lanes; 1: nothing; 0: all.
    bool            alone;      ///< Rows cannot be divided: one thread does it all.
    bool            moved;      ///< The rows of lanes are permuted.
    bool by_rows;    ///< X is met as rows have it: the outermost loop is over rows,
                     ///< or the innermost, which meets Y as rows have X.
    bool finds_rows; ///< Entries of a row merely follow each other.
} cairn_leaf;

/// The leaf of a member's product. Local.
///
/// @param[in] layout  Of order 2, with extents.
cairn_leaf cairn_leaf_of(const cairn_layout *layout, const cairn_product_options *op);

/// Is it the same loop? Which rows are stored may be listed.
bool cairn_leaf_is_like(const cairn_leaf *leaf, const cairn_leaf *other);

/// "blocks", for sentences.
const char *cairn_leaf_unit(const cairn_leaf *leaf);

#endif
