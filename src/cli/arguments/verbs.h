// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The verbs: a table of this version's, and the names of those to come.

#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "cli/arguments/job.h"

/// The k-th verb; NULL past the last.
const cli_verb *cli_verb_at(int k);

/// Find a verb of this version.
///
/// @retval CAIRN_BAD_OPTION   No such verb; the nearest is named.
/// @retval CAIRN_UNSUPPORTED  It is for a later version.
cairn_status cli_verb_find(cli_job *job, const char *name, const cli_verb **verb);

/// The k-th option of a verb, those of all verbs last; CLI_OPTIONS past the last.
cli_option_id cli_verb_option(const cli_verb *verb, int k);

extern const cli_verb cli_verb_info;
extern const cli_verb cli_verb_generate;
extern const cli_verb cli_verb_format;
extern const cli_verb cli_verb_convert;
extern const cli_verb cli_verb_run;
extern const cli_verb cli_verb_solve;
extern const cli_verb cli_verb_emit;
extern const cli_verb cli_verb_devices;
extern const cli_verb cli_verb_doctor;
extern const cli_verb cli_verb_scale;
extern const cli_verb cli_verb_whatif;

#endif
