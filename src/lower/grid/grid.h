// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products lowered to a grid: groups of items, as OpenCL devices and cards run them
/// (ir/ir.h, CAIRN_TURNS_GROUPS). Loops of groups and items stand around the nest, the terms
/// and the sums of product.h: what is added in which order is the processor's, and so are
/// the bits. A grid follows from what the layout's levels are:
///
/// - LISTS: the entries of a row, or of a row of blocks, are a list: neighbouring nodes
///   of one level, found by a ptr, by arithmetic, or where their row changes. Lists are
///   put together to tiles of at most CAIRN_GRID_TILE values. MAIN does a tile in two
///   phases: all items put products of values and x, side by side as they are stored,
///   into what the group shares; then an item a row adds them up. Longer lists are
///   left to LONG, which does pieces of them, a few a group: whole cuts, whose sums are
///   joined by JOIN, or the whole list where a row's sum is not cut.
/// - LANES: an item does a row by itself, and neighbouring items do neighbouring rows,
///   whose values lie side by side where the layout has them so (slots, slices,
///   diagonals). For rows that are met once, by a level all of whose positions have rows
///   of their own.
/// - REGROUPED: rows are met again and again, as where columns stand above rows. What
///   meets them is listed by row first; then as LISTS, or, where not all visits have as
///   many values, an item a row. The latter is for any nest that has no other grid.
///
/// Where X has several columns, nothing is shared: an item has a few of them, and does all
/// terms of a row, or of a block's rows, one after the other. Tiles, of at most
/// CAIRN_GRID_COLUMNS_TILE values or one list, balance the groups' work; only lists whose
/// sums are cut are left to LONG. Groups do all tiles for some columns before the next.
///
/// Which groups and items do what is a division of the part, made once on the host
/// (devices/grid_tiles.h); it changes no bit.

#ifndef CAIRN_LOWER_GRID_H
#define CAIRN_LOWER_GRID_H

#include "lower/product/product.h"
#include "share/abi.h"

enum {
    CAIRN_GRID_ITEMS        = 128,  ///< Of a group.
    CAIRN_GRID_TILE         = 1024, ///< Values of a tile, and its lists, at most;
    CAIRN_GRID_COLUMNS_TILE = 512   ///< of several columns.
};

typedef enum {
    CAIRN_GRID_NONE, ///< The product has no grid.
    CAIRN_GRID_LANES,
    CAIRN_GRID_LISTS,
    CAIRN_GRID_REGROUPED,
} cairn_grid_shape;

/// How lists are told from each other.
typedef enum {
    CAIRN_GRID_BY_PTR,  ///< By the ptr of the level,
    CAIRN_GRID_BY_SIZE, ///< all alike: its indices,
    CAIRN_GRID_BY_IDX, ///< or by `first` of the arguments: a list ends where the idx of a
                       ///< level of `same` changes.
} cairn_grid_lists;

/// How a grid is laid over a part.
typedef struct cairn_grid {
    cairn_grid_shape shape;
    int  level; ///< LANES: positions of it, or rows where `rows` is set, are the lanes,
    bool rows;
    int64_t each;   ///< `each` of them for a position.
    bool    beside; ///< LANES: values of neighbouring lanes lie side by side.
    int     list; ///< LISTS: the level whose nodes are listed; `level` is the first of
    cairn_grid_lists by; ///< those with the same nodes.
    uint32_t         same;
    int64_t          block; ///< Values of a node; of a visit.
    int64_t          high;  ///< Rows of a list: of a block.
    bool             cuts; ///< A row's sum is cut: long lists are pieces of whole cuts.
    int              group;  ///< Several columns: items that a row's are dealt to,
    int              width;  ///< so many to each at once. 0: a vector.
    int              pieces; ///< LISTS: pieces of long lists that a group of LONG does.
    bool             listed; ///< REGROUPED: each value is listed, an item does a row.
} cairn_grid;

/// Values of a tile, and its lists, at most.
static inline int64_t cairn_grid_tile_size(const cairn_grid *grid)
{
    return grid->group ? CAIRN_GRID_COLUMNS_TILE : CAIRN_GRID_TILE;
}

/// Values of a list that others share a tile with, at most. One item adds them up while the
/// others wait: what is longer than LONG has of a piece at once is sooner done there.
static inline int64_t cairn_grid_longest(const cairn_grid *grid)
{
    return CAIRN_GRID_TILE / (grid->pieces > 1 ? grid->pieces : 1);
}

/// Is a list of @p nodes left to LONG and JOIN?
static inline bool cairn_grid_is_long(const cairn_grid *grid, int64_t nodes)
{
    if (grid->group) return grid->cuts && nodes > CAIRN_CUT;
    return nodes * grid->block > cairn_grid_longest(grid);
}

/// The functions of a grid. What they count as turns, from `from` to `to` of the
/// arguments: MAIN lanes or tiles, LONG pieces, JOIN long lists. (REGROUPED has no JOIN.)
/// LONG and JOIN need only be run where there are some, JOIN after LONG, in any order
/// with MAIN.
typedef enum {
    CAIRN_GRID_MAIN,
    CAIRN_GRID_LONG,
    CAIRN_GRID_JOIN,
    CAIRN_GRID_FUNCTIONS
} cairn_grid_role;

typedef struct cairn_grid_kernel {
    cairn_grid         grid;
    cairn_ir_function *function[CAIRN_GRID_FUNCTIONS]; ///< NULL: the grid has none.
} cairn_grid_kernel;

/// Which grid a product has; the vectors that it is for do not matter, and of its hints
/// `group` and `width` alone are seen in it.
cairn_grid cairn_grid_of(const cairn_layout *layout, const cairn_product *product);

/// Deal @p columns columns of X and Y to items: set `width` and `group` of @p hints.
void cairn_grid_deal_columns(const cairn_product *product,
                             int64_t              columns,
                             cairn_grid_hints    *hints);

/// Groups that @p turns turns of a function keep busy, for @p columns columns of X.
int64_t cairn_grid_groups(const cairn_grid *grid,
                          cairn_grid_role   role,
                          int64_t           turns,
                          int64_t           columns);

/// Do all integers of a launch fit in 32 bits, so that its functions may be narrow? The
/// arguments say what operands are; what divides the part is of its size.
bool cairn_grid_is_narrow(const cairn_kernel_part *part, const cairn_grid_args *args);

/// The key of a product's grid: everything that its functions depend on.
/// @param[out] key  Freed with cairn_free().
cairn_status cairn_grid_key(cairn_env           *env,
                            const cairn_layout  *layout,
                            const cairn_product *product,
                            char               **key);

/// Lower a product to a grid: functions of the calling convention CAIRN_ABI_GRID, named
/// @p name, with "_long" or "_join" behind it. Rows of a part without values are not set.
///
/// Local.
///
/// @param[out] kernel  Release with cairn_grid_kernel_fini(). Unchanged on failure.
/// @retval CAIRN_BAD_SHAPE    The layout is not of order 2.
/// @retval CAIRN_UNSUPPORTED  It has none.
cairn_status cairn_grid_lower(cairn_env           *env,
                              const cairn_layout  *layout,
                              const cairn_product *product,
                              const char          *name,
                              cairn_grid_kernel   *kernel);

/// Lower what lists the visits of a REGROUPED product, for the host: a function that
/// counts those of each row (`first` of the arguments, [rows], begins with 0) or, where
/// @p counts is false, one that lists them (`first` is where those of each row go in `via`
/// and `at`, and then where they end).
///
/// Local.
///
/// @param[out] function  Destroy with cairn_ir_destroy(). Unchanged on failure.
/// @retval CAIRN_UNSUPPORTED  It is none.
cairn_status cairn_grid_lower_visits(cairn_env           *env,
                                     const cairn_layout  *layout,
                                     const cairn_product *product,
                                     bool                 counts,
                                     const char          *name,
                                     cairn_ir_function  **function);

void cairn_grid_kernel_fini(cairn_env *env, cairn_grid_kernel *kernel);

#endif
