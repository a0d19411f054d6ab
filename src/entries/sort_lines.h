// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ordering a bucket of items whose words begin with a line's number, of few lines: they
/// are counted by line and scattered to the lines, and each line is then ordered by itself.

#ifndef CAIRN_ENTRIES_SORT_LINES_H
#define CAIRN_ENTRIES_SORT_LINES_H

#include "entries/sort_items.h"

enum { CAIRN_LINES_PAST = 16 }; ///< Items of scratch beyond those of a bucket.

/// Where lines begin.
///
/// @param begin  [lines + 1] the first item of each line, if lines stand in order, and the
///               last one's end. Other arguments as of cairn_sort_lines().
void cairn_lines_begin(cairn_pos         n,
                       int               split,
                       uint64_t          first,
                       int64_t           lines,
                       const cairn_item *items,
                       uint32_t         *begin);

/// Order items, stably.
///
/// @param split    Bits of a word below those that number its line.
/// @param first    The bucket's first line; @p lines lines from there on have all items.
/// @param items    [n], fewer than 2^32
/// @param scratch  [n + CAIRN_LINES_PAST]
/// @param to       [n] the result.
/// @param begin    [lines + 1] where each line begins in the result, and its end.
/// @return false: a word is there twice, and the result is nothing.
///
/// Cost: where the words could be up to 64 times as many, two passes over the items and
/// one over a bit for each word. Else two passes in cache; in a line of n items each is
/// then compared with all, as many at a time as the machine can, and one of more than 32,
/// 64 or 128 is sorted digit by digit.
/// Where words have more than 31 bits below the line, cairn_sort_items() sorts the bucket.
bool cairn_sort_lines(cairn_pos         n,
                      int               split,
                      uint64_t          first,
                      int64_t           lines,
                      const cairn_item *items,
                      cairn_item       *scratch,
                      cairn_item       *to,
                      uint32_t         *begin);

/// Order items, each word once, the values of repeats added in the order given.
///
/// @param begin  [lines + 1] overwritten. Other arguments as of cairn_sort_lines().
/// @return Items left.
///
/// Cost: as of cairn_sort_lines(), but never by a bit for each word.
cairn_pos cairn_combine_lines(cairn_pos         n,
                              int               split,
                              uint64_t          first,
                              int64_t           lines,
                              const cairn_item *items,
                              cairn_item       *scratch,
                              cairn_item       *to,
                              uint32_t         *begin);

/// The same of items in order.
///
/// @param handle  [n] the order: the low 32 bits of the k-th number the item that comes k-th;
///                NULL: items stand in it, and may be overwritten by @p to.
/// @param to      [n]
/// @return Items left.
cairn_pos cairn_combine_sorted(cairn_pos         n,
                               const cairn_item *items,
                               const uint64_t   *handle,
                               cairn_item       *to);

#endif
