// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One route from an encoding to another, as rules. Internal to convert.

#ifndef CAIRN_RULES_PLAN_ROUTE_H
#define CAIRN_RULES_PLAN_ROUTE_H

#include "rules/path.h"

/// Plan a route.
///
/// Local.
///
/// @param[in]  extent          [order] or NULL, as of cairn_path_plan().
/// @param[in]  from, to        NULL: coordinates, sorted.
/// @param[in]  by_coordinates  Levels are not derived from levels, but from coordinates.
/// @param[out] path  cairn_path_destroy(). Unchanged on failure.
cairn_status cairn_plan_route(cairn_env            *env,
                              int                   order,
                              const int64_t        *extent,
                              const cairn_encoding *from,
                              const cairn_encoding *to,
                              bool                  by_coordinates,
                              cairn_path          **path);

#endif
