// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the lowering of a product decides before it builds anything: in which order
/// levels are entered, where the row is known, what is tiled, and how sums are made.

#ifndef CAIRN_LOWER_PRODUCT_PLAN_H
#define CAIRN_LOWER_PRODUCT_PLAN_H

#include "lower/nest.h"
#include "lower/product/product.h"

/// How the terms of a row are added.
typedef enum {
    CAIRN_SUM_ONE,     ///< One after the other.
    CAIRN_SUM_FOUR,    ///< One loop: in four chains.
    CAIRN_SUM_COLUMNS, ///< Blocks: a chain for each column of the block.
} cairn_sum_kind;

/// How rows are tiled.
typedef enum {
    CAIRN_TILE_NONE,
    CAIRN_TILE_ROWS,  ///< A few rows at once, each with sums of its own.
    CAIRN_TILE_LANES, ///< Rows are lanes of vectors.
} cairn_tile_kind;

/// How x is reached from the lanes of a tile.
typedef enum {
    CAIRN_REACH_ONE,    ///< All lanes take the same element.
    CAIRN_REACH_NEXT,   ///< Neighbouring lanes take neighbouring elements.
    CAIRN_REACH_GATHER, ///< A stored index says.
} cairn_reach;

enum {
    CAIRN_BLOCK  = 8, ///< Largest block that is unrolled.
    CAIRN_CHAINS = 4, ///< Of one loop over stored entries,
    CAIRN_TURN   = 8  ///< and entries of a turn of it.
};

/// In which order levels are entered, and where the row is known.
typedef struct cairn_product_order {
    uint32_t rows;                    ///< Levels on which the row depends.
    int      levels;                  ///< In `level`.
    int      level[CAIRN_MAX_LEVELS]; ///< Levels as they are entered.
    int      known;                   ///< After so many of them the row is known.
    int      run;      ///< Level at which runs of equal rows are found; or -1,
    int      run_last; ///< and the last level that has the same nodes.
    bool     once;     ///< Every row is met at most once,
    bool     complete; ///< and every row of the box is met.
} cairn_product_order;

/// What is tiled.
typedef struct cairn_product_tiling {
    cairn_tile_kind kind;
    int             level;    ///< Or -1.
    int64_t         constant; ///< Its size if that is constant; else 0.
    cairn_reach     reach;
    bool beyond;    ///< Blocks: in a tile that is inside, values behind its last block
                    ///< follow.
    uint32_t lanes; ///< Determined levels whose index differs between lanes.
    bool     moved; ///< The row is a stored index of the lane, not by arithmetic.
    bool     shifted; ///< The tile runs over rows; the tiled level's place follows
                      ///< from the row and the levels entered inside.
} cairn_product_tiling;

typedef struct cairn_product_plan {
    const cairn_layout  *layout;
    const cairn_product *product;
    int                  out, in; ///< Dimension of y and of x.
    cairn_product_order  order;
    bool                 guard_row, guard_x;
    cairn_sum_kind       sum;
    int                  chains; ///< COLUMNS: of a block.
    cairn_product_tiling tile;
    cairn_product_hints  hints; ///< Of those given, what has an effect here.
    bool                 empty; ///< Rows without entries are looked for.
    cairn_share          share;
} cairn_product_plan;

void cairn_product_plan_make(const cairn_layout  *layout,
                             const cairn_product *product,
                             cairn_product_plan  *plan);

/* Pieces of the analysis, for its files alone. */

/// Is the level's index a function of dimension @p k alone?
bool cairn_plan_function_of(const cairn_layout *layout, int l, int k);

/// Is it a complete level below the stored ones?
bool cairn_plan_is_below(const cairn_layout *layout, int l);

/// Its size if that is constant, else 0.
int64_t cairn_plan_constant(const cairn_layout *layout, int l);

/// What the level is multiplied by in a combination; 0: it is not there.
int64_t cairn_plan_factor(const cairn_linear *linear, int l);

/// Enter level @p l next.
void cairn_plan_append(cairn_product_plan *p, int l);

/// Is a level from number @p from of the order on determined?
bool cairn_plan_any_determined(const cairn_product_plan *p, int from);

/// Tile over rows where the tiled level's place follows from the row. @return false: it
/// is not such a layout, and nothing was decided.
bool cairn_plan_shift(cairn_product_plan *p);

void cairn_plan_choose_tile(cairn_product_plan *p);
void cairn_plan_choose_sum(cairn_product_plan *p);
bool cairn_plan_has_beyond(const cairn_product_plan *p);

/// Can the four chains of a loop over stored entries be the lanes of one vector?
bool cairn_plan_packs_chains(const cairn_product_plan *p);

/// Number in the order of the first level whose index may differ from entry to entry: the
/// loop's, or of a run the first below the row. Those before are the same for all.
int cairn_plan_first_varying(const cairn_product_plan *p);

/// Are the entries of a row one list of stored indices, found by a ptr?
bool cairn_plan_ends_in_list(const cairn_product_plan *p);

cairn_share cairn_plan_choose_share(const cairn_product_plan *p);
int64_t     cairn_plan_leaf(const cairn_product_plan *p, const cairn_share *share);
cairn_cuts  cairn_plan_choose_cuts(const cairn_product_plan *p);
cairn_product_hints cairn_plan_choose_hints(const cairn_product_plan *p);

/// Are rows without entries looked for? They are where a product adds to Y, and rows, one by
/// one, are all indices of a level.
bool cairn_plan_looks_for_empty(const cairn_product_plan *p);

#endif
