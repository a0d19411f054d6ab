// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Questions: what the command answers instead of running a verb. They need no valid
/// command line, those without the catalogue no valid environment either, and are
/// answered by the first rank alone.

#ifndef CLI_QUESTIONS_H
#define CLI_QUESTIONS_H

#include "cli/arguments/job.h"

typedef struct cli_question {
    const char *word;  ///< "--man".
    const char *usage; ///< "--man [PAGE]".
    const char *help;
    /// @param[in] operand  The word after it; NULL: there is none. An answer may open
    ///                     the job's context; who asked destroys it.
    cairn_status (*answer)(cli_job *job, const char *operand);
} cli_question;

/// The k-th question; NULL past the last.
const cli_question *cli_question_at(int k);

/// The question that @p word is; NULL: none.
const cli_question *cli_question_find(const char *word);

#endif
