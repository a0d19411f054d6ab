// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lists of small numbers, one behind the other, each put in order. Internal to convert.

#ifndef CAIRN_CONVERT_COMPILED_LISTS_H
#define CAIRN_CONVERT_COMPILED_LISTS_H

#include "base/env.h"

/// Sort each of @p lists: list k is list[first[k]..first[k+1]), different numbers below
/// @p numbers. What is in order already costs one look; long lists are sorted by bits, in
/// time linear in their length and the words that their numbers span.
///
/// Local. Holds a bit for each number and thread, if any list is long.
cairn_status cairn_lists_sort(cairn_env      *env,
                              int             threads,
                              int64_t         lists,
                              const uint32_t *first,
                              int64_t         numbers,
                              uint32_t       *list);

#endif
