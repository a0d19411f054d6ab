// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Measurements on disk: one JSON file a machine, beside the compiled kernels, or where
/// the option COSTS says.
///
///     {"cairn": "cost models", "version": 1, "host": FINGERPRINT,
///      "memory": [BYTE, NEAR, FAR, WHEN],
///      "models": [{"device": KEY, "family": FAMILY, "prior": [L, B, E], "count": N,
///                  "samples": [[BYTES, ENTRIES, SECONDS, WHEN], ...]}, ...]}
///
/// The fingerprint has the processor, its number of hardware threads, its governor and
/// highest clock where they can be read, and Cairn's version: if another stands there, the
/// measurements are of another machine and are forgotten. So are those older than
/// CAIRN_COST_AGE, or from the future.
///
/// Saving reads the file again and adds what this process has measured since, under a
/// lock, and the file appears by renaming; so many jobs at once lose nothing. Where there
/// are no locks, or the lock is not released, the file is still whole. A file that
/// others may write to is not believed, nor is a number that no measurement can be.

#ifndef CAIRN_COST_COST_FILE_H
#define CAIRN_COST_COST_FILE_H

#include "cost/cost.h"

#define CAIRN_COST_VERSION 1
#define CAIRN_COST_LARGEST (4 << 20) ///< Bytes of the largest file believed.

/// Find out where the file is, and read it. Cannot fail: `note` says what is wrong.
void cairn_cost_file_open(cairn_costs *costs, const cairn_machine *machine);

/// Keep what was observed since the last time. One rank of a node is enough, but all may.
///
/// Local. Cannot fail: what cannot be written is not, and `note` says why.
void cairn_costs_save(cairn_costs *costs);

/// How much slower this machine's memory is than that of the one where rates were fitted
/// (memory.h): by what the file says; else it is measured, and kept, under the lock, so
/// that processes at once have one answer.
///
/// Local; 10 to 20 ms on the first call of a machine, and again after CAIRN_COST_AGE.
///
/// @param[out] factors  All 1 where nothing is learned (option COST), and where nothing
///                      can be kept: then each process would find something else.
void cairn_costs_memory(cairn_costs *costs, cairn_memory_rates *factors);

/// Read models from text. What is no model, or no measurement, is passed over.
///
/// @param[in]     now    Seconds since 1970.
/// @param[in,out] costs  Gets the models.
/// @return NULL, or why nothing of it can be used, in a few constant words.
const char *
cairn_cost_parse(cairn_costs *costs, const char *text, size_t length, int64_t now);

/// Print all models. @param[out] text  Freed with cairn_free().
cairn_status cairn_cost_print(const cairn_costs *costs, char **text);

/* Parts of cost.c. */

/// Find a model, or add one without measurements. @return NULL: there is no memory.
cairn_cost_model *cairn_cost_add_model(cairn_costs            *costs,
                                       const char             *device,
                                       const char             *family,
                                       const cairn_cost_rates *prior);

/// Add a measurement, making room for it.
void cairn_cost_add_sample(cairn_cost_model *model, const cairn_cost_sample *sample);

/// Fit its rates if they are stale; it has at least one measurement.
void cairn_cost_refit(cairn_cost_model *model);

#endif
