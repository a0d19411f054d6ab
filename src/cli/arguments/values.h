// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values of options: texts into numbers and choices. Every function leaves its output
/// unchanged when the option was not given, so that the caller's default stands.

#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include "cli/arguments/job.h"

/// --candidates needs a format that is chosen: @p chooses. @p how says which option would.
///
/// @retval CAIRN_BAD_OPTION  It is given, and none is chosen.
cairn_status cli_check_candidates(cli_job *job, bool chooses, const char *how);

/// A whole number of at least @p least.
///
/// @retval CAIRN_BAD_OPTION  It is none, smaller, or beyond 64 bits.
cairn_status cli_integer(cli_job *job, cli_option_id id, int64_t least, int64_t *value);

/// A whole number of 64 bits without sign.
cairn_status cli_unsigned(cli_job *job, cli_option_id id, uint64_t *value);

/// A finite number.
cairn_status cli_real(cli_job *job, cli_option_id id, double *value);

/// Seconds, 0 or more.
cairn_status cli_wait(cli_job *job, cli_option_id id, double *seconds);

/// Bytes: a whole number, at least 1, with k, M, G, T (powers of 1000) or Ki, Mi, ...
cairn_status cli_bytes(cli_job *job, cli_option_id id, int64_t *value);

/// Whole numbers joined by commas.
///
/// @param[out] values  Room for @p most.
cairn_status
cli_integers(cli_job *job, cli_option_id id, int most, int64_t *values, int *count);

/// Words of which one is to be chosen.
typedef struct cli_choices {
    const char        *what;  ///< "element type".
    const char *const *now;   ///< Of this version, NULL-terminated.
    const char *const *later; ///< Refused as "not in this version"; may be NULL.
} cli_choices;

/// The words that options and operands may be; completion offers those of now.
extern const cli_choices cli_dtypes;        ///< --dtype
extern const cli_choices cli_distributions; ///< --distribute
extern const cli_choices cli_operations;    ///< `run`
extern const cli_choices cli_studies;       ///< `scale`, `whatif`
extern const cli_choices cli_targets;       ///< --target
extern const cli_choices cli_xs;            ///< --x, beside a file

/// Find @p word among the choices. @p where names the option in messages.
///
/// @param[out] which  Number in choices->now. Unchanged on failure.
/// @retval CAIRN_BAD_OPTION   No such word; the nearest is named.
/// @retval CAIRN_UNSUPPORTED  It is for a later version.
cairn_status cli_choose(cli_job           *job,
                        const char        *where,
                        const char        *word,
                        const cli_choices *choices,
                        int               *which);

#endif
