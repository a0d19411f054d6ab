// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels of grids (lower/grid/grid.h) as text for cards, listed before anything runs: what is
/// compiled side by side, or for another day.

#ifndef CAIRN_DEVICES_GRID_TEXTS_H
#define CAIRN_DEVICES_GRID_TEXTS_H

#include "devices/device.h"
#include "lower/product/product.h"

typedef struct cairn_grid_texts {
    cairn_env         *env;
    cairn_kernel_text *text; ///< [texts] keys all different.
    int                texts;
} cairn_grid_texts;

/// May a key be left out? @p user is of who lists.
typedef bool (*cairn_grid_has_fn)(const void *user, const char *key);

/// List the kernel of a product, whose hints are set: lowered and printed, unless it is
/// listed, @p has says that it need not be (NULL: nothing is left out), or the product has
/// no grid.
cairn_status cairn_grid_texts_add(cairn_grid_texts    *list,
                                  const cairn_layout  *layout,
                                  const cairn_product *product,
                                  cairn_grid_has_fn    has,
                                  const void          *user);

void cairn_grid_texts_fini(cairn_grid_texts *list);

#endif
