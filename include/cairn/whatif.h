// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a plan would take on another machine, of which nothing is known but rates: a file
/// says how many devices it has, how fast they move bytes and entries, and what messages
/// take (docs/whatif.md). What is done is the plan's: it is made here, on as many ranks as
/// are asked about, so that bytes, messages, and the rows that are computed meanwhile are
/// counted, not guessed.
///
/// A rank's product takes
///
///     parts * start + bytes / bandwidth + entries / rate,
///
/// and its messages, one after the other, latency + bytes / bandwidth each. Rows that read no
/// X of other ranks are computed meanwhile: of the two what is longer counts, and then the
/// other rows. A run is as long as the slowest rank's. A solver's step adds its vectors at the
/// device's bandwidth, and its sums over ranks, each as many latencies, one after the other,
/// as doubling the ranks takes.
///
/// How far such rates are from what formats take is seen here: rates of the same three kinds
/// are fitted to the products that this machine has measured (CAIRN_COSTS), but for some
/// families of formats, and asked of these. The bar is where four fifths of the held-out
/// measurements lie. It says nothing of messages, nor whether the file's rates are right.

#ifndef CAIRN_WHATIF_H
#define CAIRN_WHATIF_H

#include <cairn/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is asked.
typedef struct cairn_whatif_options {
    size_t      size; ///< sizeof(cairn_whatif_options); CAIRN_WHATIF_OPTIONS sets it.
    const char *machine; ///< The file; each rank reads it.
    const char
        *method; ///< A step of this solver, as of cairn_solve_options; NULL: a run.
    const char *precondition; ///< Of the solver: "none" (NULL) or "jacobi".
} cairn_whatif_options;

// clang-format off
#define CAIRN_WHATIF_OPTIONS \
    { sizeof(cairn_whatif_options), NULL, NULL, NULL }
// clang-format on

/// Seconds of a run, or of a step. This struct stays as it is.
typedef struct cairn_whatif_seconds {
    double all;  ///< Less than the sum, where work and messages are at the same time.
    double work; ///< Of products, on the device;
    double exchange; ///< of their messages;
    double vectors;  ///< of the solver's passes over vectors;
    double sums;     ///< and of its sums over ranks.
} cairn_whatif_seconds;

/// What comes of it.
typedef struct cairn_whatif {
    size_t size; ///< sizeof(cairn_whatif); CAIRN_WHATIF sets it.
    double
        seconds; ///< Predicted; the same on all ranks, as low, high, measurements are.
    double low,
        high; ///< With work and vectors as held-out measurements were, rank 0's;
              ///< both are `seconds` where there are none.
    double
        error[3]; ///< Measured over predicted of these: a tenth of them, the half, nine
                  ///< tenths are less; 1 where there are none.
    int64_t measurements;         ///< That were held out,
    int     families;             ///< and of how many families of formats.
    char    machine[64];          ///< Its name,
    char    device[64];           ///< and that of this rank's device.
    int64_t bytes, entries;       ///< Of this rank's product.
    int64_t messages, halo_bytes; ///< That come to this rank in a product.
    double  inside; ///< Share of its rows that are computed while messages travel.
    cairn_whatif_seconds mine; ///< This rank's.
} cairn_whatif;

// clang-format off
#define CAIRN_WHATIF \
    { sizeof(cairn_whatif), 0.0, 0.0, 0.0, {0.0, 0.0, 0.0}, 0, 0, {0}, {0}, 0, 0, 0, 0, 0.0, {0.0, 0.0, 0.0, 0.0, 0.0} }
// clang-format on

/// Predict what a plan takes on the machine of a file: rank r on its r-th device. Where the
/// plan's parts are on several devices here, they are one after the other there.
///
/// Collective. Nothing runs. Cost: a fit for each of eight groups of families.
///
/// @param[in]  options  NULL is refused: there is no machine by default.
/// @param[out] answer   Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, or ranks ask for different solvers.
/// @retval CAIRN_BAD_OPTION    There is no such method or preconditioner.
/// @retval CAIRN_UNSUPPORTED   The product is transposed, on several ranks; its rows are by
///                             places; there is a method, and the product is not y = A x of
///                             one column in f64, as solvers take it; the method is gmres,
///                             whose steps differ; or the preconditioner has blocks.
/// @retval CAIRN_BAD_SHAPE     A solver, and the matrix is not square.
/// @retval CAIRN_NO_DEVICE     The machine has fewer devices than there are ranks.
/// @retval CAIRN_IO, CAIRN_BAD_FILE  The file cannot be read, or describes no machine.
/// @retval CAIRN_NO_MEMORY
CAIRN_API cairn_status cairn_plan_whatif(const cairn_plan           *plan,
                                         const cairn_whatif_options *options,
                                         cairn_whatif               *answer);

#ifdef __cplusplus
}
#endif

#endif
