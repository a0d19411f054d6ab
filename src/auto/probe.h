// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Probes: what any format at all stores of a matrix, found by storing a small sample of
/// it, the reference way, and looking at the arrays. What is counted follows from what the
/// layout does: how often the lists begin over which the loops run, how long they are and
/// how they differ, the values with their padding, and in which order lines of X and Y are
/// met. It is scaled to the whole: what there is for each entry by the entries, what there
/// is for each row or column by the extents; complete tables keep the columns that they
/// have, and have as many as the longest row says.

#ifndef CAIRN_AUTO_PROBE_H
#define CAIRN_AUTO_PROBE_H

#include "auto/pattern_statistics.h"
#include "auto/sample.h"
#include "auto/suggest.h"

/* Entries that a probe wants: each takes about a microsecond, for each format. */
enum { CAIRN_PROBE_ENTRIES = 8192 };

typedef struct cairn_probe {
    cairn_env                   *env;
    const cairn_sample          *sample;
    const cairn_pattern         *sampled; ///< Of the sample,
    const cairn_pattern         *whole;   ///< of all.
    const cairn_product_options *op;
    const cairn_value_widths    *values; ///< Of all entries.
} cairn_probe;

/// Rows that a format keeps together, in all members: a sample must not cut them.
int64_t cairn_probe_rows(const cairn_format *format);

/// Count a format.
///
/// Local.
///
/// @param[out] counts  No members: it cannot store the sample, or stores so much that it
///                     is for nothing of that kind. Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  There is none for the sample's arrays, that are few.
cairn_status cairn_probe_count(const cairn_probe  *probe,
                               const cairn_format *format,
                               cairn_counts       *counts);

#endif
