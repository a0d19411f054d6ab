// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The program that a build would be, without entries to build from.

#ifndef CAIRN_CONVERT_BUILD_PLAN_H
#define CAIRN_CONVERT_BUILD_PLAN_H

#include "emit/kernel.h"
#include "rules/pass_list.h"

struct cairn_format;

/// What is known of a source that is not there.
typedef struct cairn_plan_sample {
    const int64_t *extent; ///< [order]; NULL: 10^3 rows, and 10^6 of all else.
    cairn_pos      entries;
    int            value_bits; ///< 32 or 64.
    enum {
        CAIRN_SAMPLE_SORTED,  ///< It is trusted to hold each entry once.
        CAIRN_SAMPLE_PATTERN, ///< So it is; its values will change, and are its own.
        CAIRN_SAMPLE_LENT, ///< So it is; its arrays are a caller's, and are not shared.
        CAIRN_SAMPLE_UNSORTED, ///< A tensor: in any order, perhaps more than once.
        CAIRN_SAMPLE_BUCKETS,  ///< Coordinates: scattered to buckets,
        CAIRN_SAMPLE_LINES,    ///< in which rows are known.
    } state;
    bool apart; ///< Hardly two of its entries share a node of the target.
    int64_t
        members; ///< A member of a hybrid gets one of so many entries; 0: it gets as
                 ///< many as each other.
} cairn_plan_sample;

/// Find the passes of a conversion, on one rank and one thread; and all functions that it
/// calls, those that count groups, assign entries and read coordinates among them.
///
/// Local.
///
/// @param[in]     from     NULL: entries.
/// @param[in]     loader   NULL; or it is asked for the functions, which are given back at
///                         once: none of them runs.
/// @param[in,out] program  Initialised and empty; on failure it may have some passes.
/// @retval CAIRN_BAD_OPTION  The method that CAIRN_CONVERT names does not apply.
/// @retval CAIRN_NO_MEMORY   There is none for its lists.
/// @retval CAIRN_NO_KERNEL   The loader has none of a function.
cairn_status cairn_build_plan_sample(cairn_env                 *env,
                                     const struct cairn_format *from,
                                     const struct cairn_format *to,
                                     const cairn_plan_sample   *sample,
                                     const cairn_kernel_loader *loader,
                                     cairn_pass_list           *program);

/// Likewise for 10^6 entries of 64 bits.
///
/// Local.
cairn_status cairn_build_plan(cairn_env                 *env,
                              const struct cairn_format *from,
                              const struct cairn_format *to,
                              const int64_t             *extent,
                              const cairn_kernel_loader *loader,
                              cairn_pass_list           *program);

#endif
