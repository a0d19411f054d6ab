// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What may stand for a value's name ("SPEC", "TYPE", "FILE") in words that shells
/// understand, and the scripts of each shell.

#ifndef CLI_COMPLETION_WORDS_H
#define CLI_COMPLETION_WORDS_H

#include "cli/arguments/job.h"

#include <stdbool.h>

#define CLI_LIST 4096 ///< Bytes of a list of words.

/// Words between blanks. What was collected when a script begins.
typedef struct cli_lists {
    char bare[CLI_LIST];    ///< Formats that need no arguments.
    char argued[CLI_LIST];  ///< Formats that do, with them: "bcsr<r,c>".
    char devices[CLI_LIST]; ///< What --place may be.
} cli_lists;

/// What a value may be. Several may hold at once.
typedef struct cli_values {
    bool formats;         ///< A format, or a file of formats.
    bool files;           ///< A file,
    char endings[128];    ///< with one of these endings; "": with any.
    char words[CLI_LIST]; ///< One of these words; "": none.
} cli_values;

/// What may stand for @p value, the name of an option's value.
/// @param[in] verb  Whose option it is; NULL: an option's that all verbs take alike.
void cli_option_values(const cli_lists *lists,
                       const cli_verb  *verb,
                       const char      *value,
                       cli_values      *values);

/// What the k-th operand (from 0) of a verb may be; false past the last.
bool cli_operand_values(const cli_verb *verb, int k, cli_values *values);

void cli_completion_bash(const cli_lists *lists);
void cli_completion_zsh(const cli_lists *lists);
void cli_completion_fish(const cli_lists *lists);

#endif
