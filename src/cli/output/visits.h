// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A note on queries that looked at far more than is stored.

#ifndef CLI_VISITS_H
#define CLI_VISITS_H

#include <cairn/cairn.h>

/// Print a line for each pass of a program that visited more than 1000 positions or groups
/// an entry. Rank 0.
void cli_visits_print(const cairn_path *path);

#endif
