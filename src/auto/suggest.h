// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a product in a format would take, told before the matrix is stored in it: what the
/// format stores is counted, member by member (counts), and rates say what that takes.
///
/// Two things can count. An *estimator* says it from the structure (structure.h) alone, in no
/// time; there is one for what is asked most often. For every other format a small sample
/// is stored, and its arrays are looked at (probe.h).
///
/// Rates belong to leaves (leaf.h), ways in which an innermost loop goes, and not to
/// formats. They are seconds of one thread, fitted once to many matrices on one machine; on
/// another those of bytes and of lines of X are scaled by how its memory compares with that
/// one's (cost/memory.h).

#ifndef CAIRN_AUTO_SUGGEST_H
#define CAIRN_AUTO_SUGGEST_H

#include "auto/leaf.h"
#include "auto/pattern_statistics.h"
#include "auto/value_widths.h"
#include "cost/memory.h"
#include "format/encoding.h"

/* Most members of a format that an estimator counts. */
enum { CAIRN_COUNTED = 2 };

/// What the product of a member works through.
typedef struct cairn_suggest_work {
    double rows;  ///< Rows, slices, rows of blocks: what begins a list.
    double units; ///< Entries of these lists: blocks, stretches, slots.
    double turns; ///< Lists of another length than the one before: there a processor
                  ///< guesses wrong.
    double scattered_rows; ///< Rows of Y that stand where other threads write, too.
    double
        added; ///< Rows of Y with an entry: after other members these are read again.
    double values;  ///< Padding included.
    double entries; ///< Without.
    double edge;    ///< Values of rows of blocks or stretches that stick out.
    double
        widest;   ///< Values of the longest list, at most: one thread works through it.
    double bytes; ///< Of the arrays, as they are stored;
    double wide;  ///< while they are made: values are as wide as the type then.
    double alike; ///< Entries of rows that have the columns of the row before.
    double near, far; ///< Lines of X that come from beyond the first, the second cache.
} cairn_suggest_work;

/// What a format stores of a matrix.
typedef struct cairn_counts {
    int                 members; ///< 0: it is not for this matrix, or was not counted.
    cairn_suggest_work  work[CAIRN_MAX_MEMBERS];
    cairn_leaf          leaf[CAIRN_MAX_MEMBERS];
    cairn_value_storage stored[CAIRN_MAX_MEMBERS]; ///< How each member has its values.
} cairn_counts;

/// Turn work into that of a share of it.
void cairn_suggest_work_scale(cairn_suggest_work *work, double share);

/// Say how a member stores its values, and add their bytes to those of its indices.
///
/// @param[in] type  As the member's text says, if anything.
void cairn_counts_store(cairn_counts             *counts,
                        int                       member,
                        const cairn_value_widths *values,
                        cairn_val_type            type);

/// Bytes of all arrays, as they are stored, and while they are made; values of all members.
double cairn_counts_bytes(const cairn_counts *counts);
double cairn_counts_room(const cairn_counts *counts);
double cairn_counts_values(const cairn_counts *counts);

/// What a format stores, from the structure alone.
typedef struct cairn_estimator {
    const char *name; ///< As candidates.txt has it.
    /// Count; `bytes` are those of indices alone. @return the members; 0: it is not for that.
    int (*count)(const cairn_pattern *structure,
                 cairn_suggest_work   work[CAIRN_COUNTED]);
    /// Say what of the structure speaks for it, as a part of a sentence.
    void (*say)(const cairn_pattern *structure, char *out, size_t size);
} cairn_estimator;

/// The estimator called @p name; NULL: there is none.
const cairn_estimator *cairn_estimator_find(const char *name);

/// Bytes of an index below @p range.
double cairn_index_bytes(int64_t range);

/// What a prediction goes by, beside what a format stores.
typedef struct cairn_predictor {
    const cairn_product_options *op;
    int                          threads;
    cairn_memory_rates memory; ///< Factors of this machine (cairn_memory_factors()).
} cairn_predictor;

/// Seconds that a product takes, and seconds to store.
///
/// @param[out] product  INFINITY: the format is not for this matrix, or was not counted.
void cairn_counts_predict(const cairn_counts    *counts,
                          const cairn_predictor *by,
                          double                *product,
                          double                *convert);

#endif
