// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn devices --models`: the cost models of the first rank's machine.

#ifndef CLI_DEVICE_MODELS_H
#define CLI_DEVICE_MODELS_H

#include "cli/arguments/job.h"

/// Print them, or write them where --json says. Rank 0.
cairn_status cli_device_models(cli_job *job);

#endif
