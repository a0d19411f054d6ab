// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A choice of a format under way: what the rank that decides knows.

#ifndef CAIRN_AUTO_CHOICE_H
#define CAIRN_AUTO_CHOICE_H

#include "auto/candidates.h"
#include "auto/learned.h"
#include "auto/matrix_rows.h"
#include "auto/sample_run.h"
#include "comm/comm.h"

#include <cairn/auto.h>

/// What was counted.
typedef enum {
    CAIRN_SEEN_NOTHING, ///< So few products come that the first candidate is taken.
    CAIRN_SEEN_ROWS,    ///< No sample, where that would not be worth its time.
    CAIRN_SEEN_SAMPLE
} cairn_seen;

/// What a format is chosen for.
typedef struct cairn_choice_matrix {
    cairn_matrix_rows rows; ///< This rank's.
    int64_t           held; ///< Bytes in memory beside whatever is tried.
    cairn_candidate
        stored;   ///< The format that they are in, which takes no storing: then it
                  ///< is the first candidate. No format: they are in none.
    double wider; ///< Bytes of one of its indices beyond what one need have.
} cairn_choice_matrix;

/// A candidate, and what is thought of it.
typedef struct cairn_offer {
    const cairn_candidate *candidate;
    cairn_counts           counts;  ///< What it stores.
    double                 convert; ///< Seconds to store.
    double factor; ///< Of what rates say of a product, by products that ran.
} cairn_offer;

/// What a search has of the context of who asks.
typedef struct cairn_choice_context {
    void       *user; ///< Theirs.
    cairn_env  *env;
    cairn_comm *comm;
    /// Find devices, costs, candidates and threads, below. Called on the rank that decides,
    /// alone.
    cairn_status (*open)(struct cairn_choice_context *within);
    /// As cairn_sample_run_run() of the format that is called @p format, with the loader
    /// that a build of the sample has. Local.
    cairn_status (*run)(const struct cairn_choice_context *within,
                        const char                        *format,
                        const cairn_sample_runs           *trials,
                        cairn_sample_run                  *trial);
    cairn_devices          *devices;
    cairn_costs            *costs;
    const cairn_candidates *candidates; ///< That come with the library.
    int                     threads;
} cairn_choice_context;

/// What one rank thinks with.
typedef struct cairn_choice {
    const cairn_choice_matrix *matrix;
    cairn_choice_context      *within;
    const cairn_auto_options  *options;
    cairn_predictor            by; ///< The product, threads, this machine's memory.
    cairn_value_widths
                     values; ///< Of this rank's entries; wide until they are looked at.
    cairn_sample     sample; ///< That is counted, then that is tried on.
    cairn_candidates own;    ///< The caller's; or none.
    int              offered;   ///< Candidates for the product,
    cairn_offer     *offer;     ///< [offered] these.
    cairn_pattern    structure; ///< Of the whole,
    cairn_pattern    tried;     ///< of the sample that is tried on.
    cairn_seen       seen;
    double           replays; ///< Products to come.
    cairn_auto_info *info;
} cairn_choice;

/// Choose, on the rank with most entries, and have all ranks know.
///
/// Collective. Frees what the choice holds.
///
/// @param[out] chosen  A candidate.
cairn_status cairn_choice_make(cairn_choice *c, int *chosen);

/// Are products so few that whatever is stored anew cannot pay, by their number alone?
bool cairn_choice_is_of_few(double replays);

/// What candidate @p k stores of a structure, as cairn_candidate_count() has it; of the
/// format that the matrix is in, with the indices that it has there.
void cairn_choice_count(const cairn_choice  *c,
                        int                  k,
                        const cairn_pattern *structure,
                        cairn_counts        *counts);

/// Seconds of a product, and to store; what is stored already takes none.
void cairn_choice_predict(const cairn_choice *c,
                          int                 k,
                          const cairn_counts *counts,
                          double             *product,
                          double             *convert);

/// Seconds that a product is thought to take in candidate @p k.
double cairn_choice_seconds(const cairn_choice *c, int k);

/// The same of storing and all products to come.
double cairn_choice_total(const cairn_choice *c, int k);

/// The best of all, the first of equals; -1: none is for this matrix.
int cairn_choice_best(const cairn_choice *c);

/// Take a sample of this rank's entries instead of the one there is.
///
/// @param[in] wanted  Entries, about.
/// @param[in] grain   As cairn_sample_take() has it.
cairn_status cairn_choice_take_sample(cairn_choice *c, int64_t wanted, int64_t grain);

/// Seconds that a part of the search may take: so many products in the first candidate, and
/// at most a share of all that come.
double cairn_choice_allowed(const cairn_choice *c, double products, double share);

/// Can anything be won by counting rows? By the extents, the entries and the products to
/// come alone, in a microsecond or two.
bool cairn_choice_may_win(const cairn_choice *c);

/// Entries that a sample may have: in so much time as blocks and stretches could win over
/// what the rows say, if all were full, by a twentieth; and as some products in the first
/// candidate take.
double cairn_choice_countable(const cairn_choice *c);

/// Seconds since @p begin, but for getting kernels.
double cairn_choice_spent(const cairn_choice *c, double begin);

/// Try the first format, with which others are compared, and the best of the others, as
/// long as there is time; nothing, where that is not worth it.
///
/// Local. @param[in] begin  When the search began.
cairn_status cairn_choice_try(cairn_choice *c, double begin);

#endif
