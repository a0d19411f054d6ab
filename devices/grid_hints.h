// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a grid (lower/grid/grid.h) is asked for, from what a launch's parts and vectors
/// are: one choice for all devices that have grids. It is part of the key and changes no
/// bit.

#ifndef CAIRN_DEVICES_GRID_HINTS_H
#define CAIRN_DEVICES_GRID_HINTS_H

#include "devices/product.h"
#include "lower/product/product.h"

/// The hints of grids for @p product, which @p work is lowered as; none where it has no
/// grid.
///
/// @param[in] units  Multiprocessors, or what the device has instead; 0: not known.
cairn_grid_hints cairn_grid_hints_of(const cairn_device_work *work,
                                     const cairn_product     *product,
                                     int64_t                  units);

enum { CAIRN_GRID_HINTS = 8 };

/// All that cairn_grid_hints_of() may say of products that are lowered like @p product,
/// whatever the matrix and the device.
///
/// @param[in]  columns  Of X and Y.
/// @param[in]  apart    Of its banks (cairn_product_rows.apart); false where it has none.
/// @param[out] hints    Room for CAIRN_GRID_HINTS.
/// @return how many there are.
int cairn_grid_hints_all(const cairn_product *product,
                         int64_t              columns,
                         bool                 apart,
                         cairn_grid_hints     hints[CAIRN_GRID_HINTS]);

#endif
