// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What callers tell the library on all ranks, and must tell alike (comm/told.h).

#ifndef CAIRN_API_TOLD_ALIKE_H
#define CAIRN_API_TOLD_ALIKE_H

#include "comm/told.h"

#include <cairn/expr.h>
#include <cairn/format.h>
#include <cairn/tensor.h>

void cairn_told_dtype(cairn_told *told, cairn_dtype dtype);

/// @param[in] format  NULL: none.
void cairn_told_format(cairn_told *told, const cairn_format *format);

void cairn_told_division(cairn_told *told, cairn_division division);

/// Order and extents.
///
/// @param[in] extent  [order]; an order that no tensor has is told alone.
void cairn_told_extents(cairn_told *told, int order, const int64_t *extent);

void cairn_told_product(cairn_told *told, const cairn_product_options *op);

/// @param[in] problem  With its offsets.
void cairn_told_problem(cairn_told          *told,
                        const char          *kind,
                        const cairn_problem *problem);

#endif
