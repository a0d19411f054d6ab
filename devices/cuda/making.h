// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A launch while it is made: its code and its division, from which steps follow, the starts
/// of functions with what they are given. Parts of a member, its banks, have a start each of
/// every function; where no bank has a row of another's, a function's is one for all.

#ifndef CAIRN_DEVICES_CUDA_MAKING_H
#define CAIRN_DEVICES_CUDA_MAKING_H

#include "devices/cuda/product.h"
#include "devices/grid_tiles.h"
#include "emit/cuda.h"

typedef struct cairn_cuda_making {
    cairn_cuda_product *p;
    cairn_product       product;
    cairn_grid          grid;
    cairn_cuda_kernel   kernel;
    cairn_cuda_entry    entry[CAIRN_GRID_FUNCTIONS];
    cairn_grid_tiles   *tiles; ///< [parts]
    int64_t             parts;
    cairn_grid_passes   passes;
    bool                joined;        ///< A start does all banks,
    char *table[CAIRN_GRID_FUNCTIONS]; ///< of which these say, a function's one block:
                                       ///< structs, then groups before each.
} cairn_cuda_making;

/// The operation's arguments, with addresses of the card.
cairn_grid_args cairn_cuda_arguments_of(const cairn_cuda_product *p);

/// Bytes of the launch's own block on the card, with Y.
int64_t cairn_cuda_steps_bytes(const cairn_cuda_making *m);

/// Make all steps, and those of stages, where the product has some.
cairn_status cairn_cuda_steps_make(cairn_cuda_making *m);

/// Bring what steps are given to the block.
cairn_status cairn_cuda_steps_bring(const cairn_cuda_making *m);

#endif
