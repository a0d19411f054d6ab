// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments of public calls that must be the same on all ranks (comm/collective.h).

#ifndef CAIRN_API_COLLECTIVE_ARGUMENTS_H
#define CAIRN_API_COLLECTIVE_ARGUMENTS_H

#include "comm/collective.h"

#include <cairn/expr.h>
#include <cairn/format.h>
#include <cairn/tensor.h>

void cairn_collective_dtype(cairn_collective *arguments, cairn_dtype dtype);

/// @param[in] format  NULL: none.
void cairn_collective_format(cairn_collective *arguments, const cairn_format *format);

void cairn_collective_division(cairn_collective *arguments, cairn_division division);

/// Order and extents.
///
/// @param[in] extent  [order]; of an order that no tensor has, only the order is compared.
void cairn_collective_extents(cairn_collective *arguments,
                              int               order,
                              const int64_t    *extent);

void cairn_collective_product(cairn_collective            *arguments,
                              const cairn_product_options *op);

/// @param[in] problem  With its offsets.
void cairn_collective_problem(cairn_collective    *arguments,
                              const char          *kind,
                              const cairn_problem *problem);

#endif
