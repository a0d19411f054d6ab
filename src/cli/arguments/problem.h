// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Test problems as the command takes them: which parameters belong to which kind, by
/// options (`generate`), or in one word where a FILE may stand, "stencil5:nx=100,ny=100".

#ifndef CLI_PROBLEM_H
#define CLI_PROBLEM_H

#include "cli/arguments/job.h"

#define CLI_OFFSETS_MOST 256

/// A test problem.
typedef struct cli_problem {
    const char   *kind;
    cairn_problem values;
    int64_t       offsets[CLI_OFFSETS_MOST]; ///< What values.offsets points to, if any.
} cli_problem;

/// The k-th kind, for help and completion; false past the last.
bool cli_problem_word(int k, cli_word_row *row);

/// Read the problem of @p kind from the options: all that it needs, and no others.
/// @retval CAIRN_BAD_OPTION  No such kind; an option is missing, one too many, or no number.
cairn_status cli_problem_read(cli_job *job, const char *kind, cli_problem *problem);

/// Is @p file a problem in one word? It begins with the name of a kind and a colon.
bool cli_problem_is_named(const char *file);

/// Read a problem in one word.
/// @retval CAIRN_BAD_OPTION  As cli_problem_read(), or an item is no NAME=VALUE.
cairn_status cli_problem_parse(cli_job *job, const char *word, cli_problem *problem);

/// The same problem with about @p times as many rows: the last extent of a kind times as
/// large (docs/scaling.md), of rmat 2^scale and edges.
///
/// Allocates @p grown, freed with free().
/// @retval CAIRN_BAD_OPTION  It is beyond 64 bits; rmat: @p times is no power of two.
cairn_status
cli_problem_grow(cli_job *job, const char *word, int64_t times, char **grown);

#endif
