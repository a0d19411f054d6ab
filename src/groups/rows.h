// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `reorder` and `schedule` where the groups are rows 0..n-1, whose values are known: the
/// same numbers as by running the queries on entries (query/query.h), in time linear in n.

#ifndef CAIRN_GROUPS_ROWS_H
#define CAIRN_GROUPS_ROWS_H

#include "base/env.h"

/// Rows in the order of some keys, the first deciding first, rows that are equal in all as
/// they are numbered.
///
/// Local. Holds 4 bytes a row and 4 for each value of a key where keys have few values;
/// else 8 bytes a row beside what cairn_windows_order() takes.
///
/// @param[in]  key    [keys] columns of [n]; NULL: the row's own number.
/// @param[out] order  [n]
/// @retval CAIRN_NO_KERNEL  More rows than 32 bits number.
cairn_status cairn_rows_order(cairn_env            *env,
                              int64_t               n,
                              int                   keys,
                              const int64_t *const *key,
                              uint32_t             *order);

/// Hand rows out: each, in the order given, to the bucket that has the least, of those to
/// the first. Rows that differ in one of the @p windows keys have buckets of their own.
///
/// Local. Memory: that of cairn_buckets_init() for @p buckets, or n where these are fewer.
///
/// @param[in]  order   [n] rows; those of a window follow each other.
/// @param[in]  load    [n] of each row.
/// @param[out] number  [n] bucket of each row.
/// @retval CAIRN_OVERFLOW  A bucket's load leaves 64 bits.
cairn_status cairn_rows_schedule(cairn_env            *env,
                                 int64_t               n,
                                 const uint32_t       *order,
                                 int                   windows,
                                 const int64_t *const *key,
                                 const uint32_t       *load,
                                 int64_t               buckets,
                                 uint32_t             *number);

#endif
