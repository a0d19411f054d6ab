// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The operations of <cairn/expr.h>, for the rooms: their checks and their names.

#ifndef CAIRN_EXPR_OPERATION_H
#define CAIRN_EXPR_OPERATION_H

#include "base/env.h"

#include <cairn/expr.h>

/// cairn_product_check() without a context.
cairn_status
cairn_product_valid(cairn_env *env, const cairn_product_options *options, int order);

#endif
