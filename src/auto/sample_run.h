// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Trials: a sample stored in a format and multiplied a few times, by this rank alone, to
/// see what that takes.

#ifndef CAIRN_AUTO_SAMPLE_RUN_H
#define CAIRN_AUTO_SAMPLE_RUN_H

#include "auto/sample.h"
#include "convert/build.h"
#include "place/placement.h"

/// What all trials of a choice share.
typedef struct cairn_sample_runs {
    cairn_env                   *env;
    const cairn_sample          *sample;
    cairn_devices               *devices;
    cairn_placing_question       placing; ///< All but `tensor`.
    const cairn_product_options *op;
    int                          value_bits;
    bool    narrows; ///< Values of which the format says nothing are narrowed.
    int64_t held;    ///< Bytes in memory beside.
} cairn_sample_runs;

/// What one took.
typedef struct cairn_sample_run {
    double product; ///< Seconds of a product with the sample: the least of some.
    double search;  ///< Seconds of all else but kernels: storing, running.
    double kernels; ///< Seconds of the plan and of getting kernels.
} cairn_sample_run;

/// Store and multiply.
///
/// Local.
///
/// @param[in]  loader  Of conversions; NULL: they go the reference way.
/// @param[out] trial   Unchanged on failure.
/// @return As cairn_local_build(), cairn_placing_choose(), cairn_replay_create().
cairn_status cairn_sample_run_run(const cairn_sample_runs   *trials,
                                  const cairn_format        *format,
                                  const cairn_kernel_loader *loader,
                                  cairn_sample_run          *trial);

#endif
