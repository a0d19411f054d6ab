// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Structure of a matrix as formats see it: how long rows are, what slices of rows would
/// store, how many small blocks and stretches of diagonals hold an entry, and how full
/// they are. Rows are counted as they are, blocks and stretches over a sample (sample.h),
/// to say what a format would store without storing it.

#ifndef CAIRN_AUTO_PATTERN_STATISTICS_H
#define CAIRN_AUTO_PATTERN_STATISTICS_H

#include "auto/touches.h"

/* Rows of a stretch of a diagonal, and of a slice. */
enum { CAIRN_STRETCH = 64, CAIRN_SLICE = 8 };

/// How rows are sorted by length before they are cut into slices.
typedef enum {
    CAIRN_SLICES_PLAIN,  ///< Not at all.
    CAIRN_SLICES_WINDOW, ///< Within windows of 256 rows.
    CAIRN_SLICES_SORTED, ///< All of them.
    CAIRN_SLICES_KINDS
} cairn_slices;

/// Blocks that are counted, as rows x columns.
typedef enum {
    CAIRN_BLOCKS_2,
    CAIRN_BLOCKS_3,
    CAIRN_BLOCKS_4,
    CAIRN_BLOCKS_KINDS
} cairn_block_kind;

extern const int cairn_block_side[CAIRN_BLOCKS_KINDS];

/// Stretches of diagonals.
typedef struct cairn_stretches {
    int64_t all;         ///< With an entry.
    int64_t full;        ///< Those more than 60 % full,
    int64_t entries;     ///< and the entries in them. Of entries outside full ones:
    int64_t rest_rows;   ///< rows that have any,
    int64_t rest_breaks; ///< rows that have another number of them than the row before,
    int64_t rest_slots;  ///< values of slices.
} cairn_stretches;

typedef struct cairn_pattern {
    int64_t entries, rows, cols;
    bool    spreads; ///< Rows and columns are so many beside the entries that only the
                     ///< next two were counted; all others are 0.
    int64_t filled_rows, max_row;
    int64_t breaks;       ///< Rows of another length than the row before, and slices of
    int64_t slice_breaks; ///< another width: there a processor guesses wrong.
    int64_t slots[CAIRN_SLICES_KINDS]; ///< Values that slices store, padding included.
    /* Entries in rows of blocks, and in bands of stretches, of which one sticks out of
       the matrix: there kernels look out for the end of X. */
    int64_t edge_blocks[CAIRN_BLOCKS_KINDS], edge_stretches;
    int64_t blocks[CAIRN_BLOCKS_KINDS]; ///< Blocks with an entry,
    int64_t widest[CAIRN_BLOCKS_KINDS]; ///< and most of them in a row of blocks.
    cairn_stretches stretch;
    cairn_touches   touches; ///< Entries for which a line of X is fetched from afar,
    int64_t         alike;   ///< and entries of rows that have the columns of the row
                             ///< before (share/alike_rows.h).
} cairn_pattern;

/// Count what rows say, all of them: everything above `blocks`. The rest becomes 0.
///
/// Local.
///
/// @param[in]  rows       Where a list is not in order, its first and last column are taken
///                        for the least and the most.
/// @param[out] structure  Unchanged on failure.
/// @retval CAIRN_NO_MEMORY
///
/// Cost: some ns for each row and, where it is long, for each doubling of its length;
/// memory 5 bytes for each row, where rows and columns are at most 64 for each entry (and
/// 2^20 more) and at most a 16th of the limit of memory, else none.
cairn_status cairn_pattern_count_rows(cairn_env               *env,
                                      const cairn_matrix_rows *rows,
                                      cairn_pattern           *structure);

/// Count blocks and stretches, from `blocks` on, in a sample, and scale them to all.
///
/// Local.
///
/// @param[in,out] structure  Of cairn_pattern_count_rows(); unchanged on failure.
/// @retval CAIRN_NO_MEMORY
///
/// Cost: six passes over the sample; memory 4 bytes for each of its rows and columns.
/// Where these are more than there, nothing is counted.
cairn_status cairn_pattern_count_sample(cairn_env          *env,
                                        const cairn_sample *sample,
                                        cairn_pattern      *structure);

/// Fill in what was not counted as the best matrix with what was has it: no padding, all
/// blocks and stretches full, all rows alike.
///
/// @param[in] rows_counted  Of cairn_pattern_count_rows(); else only entries, rows and
///                          columns are known.
void cairn_pattern_assume_best(cairn_pattern *structure, bool rows_counted);

/// Fill in all but entries, rows and columns as a bad one has it: no row is as long as the
/// one before, blocks and stretches have one entry each.
void cairn_pattern_assume_worst(cairn_pattern *structure);

/// Take back what was counted of stretches.
void cairn_pattern_drop_stretches(cairn_pattern *structure);

#endif
