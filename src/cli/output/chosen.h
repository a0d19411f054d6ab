// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a format was chosen, for `run` and `convert`.

#ifndef CLI_CHOSEN_H
#define CLI_CHOSEN_H

#include <cairn/auto.h>

#include <jansson.h>

/// Print it as two lines.
void cli_chosen_print(const cairn_auto_info *chosen);

/// Field `auto` of reports. NULL: there is no memory.
json_t *cli_chosen_json(const cairn_auto_info *chosen);

#endif
