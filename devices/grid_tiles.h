// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A part's work divided among groups of items, for devices that run products as grids
/// (lower/grid/grid.h): which lists are a tile, which are too long for one and are cut to
/// pieces, and where lists begin that no ptr tells. Made once, when a launch is; what is
/// divided changes no bit of Y.

#ifndef CAIRN_DEVICES_GRID_TILES_H
#define CAIRN_DEVICES_GRID_TILES_H

#include "devices/grid_visits.h"

typedef struct cairn_grid_tiles {
    /// Of each function, from 0 on: lanes or tiles, pieces, long lists.
    int64_t   turns[CAIRN_GRID_FUNCTIONS];
    int64_t  *tile;        ///< [tiles + 1] where each begins among the lists; or NULL.
    int64_t  *piece_at;    ///< [pieces] first node of each,
    int64_t  *piece_end;   ///< and end.
    int64_t  *piece_first; ///< [long lists + 1] pieces before each.
    int64_t  *long_list;   ///< [long lists] their numbers.
    uint32_t *first; ///< [lists + 1] where lists begin that no ptr tells; or NULL.
    int64_t   lists;
    cairn_grid_visits visits; ///< REGROUPED; else none.
    int64_t           sums;   ///< Of a piece: rows of a list, or columns.
} cairn_grid_tiles;

/// Divide a part, for the grid that cairn_grid_of() says.
///
/// Local. Time: lists are looked at once, and nodes where no ptr tells lists apart; a part
/// whose rows are regrouped is gone through twice. Memory: about 8 bytes a tile, 40 for
/// 4,096 entries of long lists, 4 a list that no ptr tells, 12 a visit.
///
/// @param[out] tiles  Release with cairn_grid_tiles_fini(). Unchanged on failure.
/// @retval CAIRN_UNSUPPORTED  Lists that no ptr tells begin beyond 2^32 nodes, or values
///                            that are regrouped are as many.
cairn_status cairn_grid_tiles_make(cairn_env             *env,
                                   const cairn_grid_work *work,
                                   cairn_grid_tiles      *tiles);

void cairn_grid_tiles_fini(cairn_env *env, cairn_grid_tiles *tiles);

enum { CAIRN_GRID_ARRAYS = 9 };

/// An array of the arguments that a device gets.
typedef struct cairn_grid_array_of {
    int         field; ///< A cairn_grid_field.
    const void *data;  ///< NULL: the functions write it first.
    int64_t     bytes;
} cairn_grid_array_of;

/// What a device has to be brought for the functions, and the room that they need.
/// @param[out] array  [CAIRN_GRID_ARRAYS] @return how many there are.
int cairn_grid_tiles_arrays(const cairn_grid_tiles *tiles, cairn_grid_array_of *array);

/// Fill in what the arguments of function @p role say of a division: all of its turns,
/// and the arrays of this memory but for `partial`.
void cairn_grid_tiles_use(const cairn_grid_tiles *tiles,
                          cairn_grid_role         role,
                          cairn_grid_args        *args);

#endif
