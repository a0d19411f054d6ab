// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The object that --json writes, and what its values need beyond jansson.

#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "cli/arguments/job.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/// A double; null for NaN and infinities, which JSON does not have.
json_t *cli_json_real(double value);

/// A text; bytes that are no UTF-8, as file names and what other programs say may have,
/// become question marks. NULL: null.
json_t *cli_json_text(const char *text);

/// An integer; null if it is negative.
json_t *cli_json_count(int64_t value);

/// The rules of a path as strings; NULL: out of memory.
json_t *cli_json_path(const cairn_path *path);

/// The passes of a path, as objects.
json_t *cli_json_program(const cairn_path *path);

/// A part of a tensor, without its arrays; NULL: out of memory.
json_t *cli_json_part(const cairn_part_info *part);

/// Prints one object; false when memory or the file ends.
typedef bool (*cli_json_dump)(const void *user, FILE *file);

/// Write what @p dump prints, and a line end, where --json says.
///
/// Rank 0.
cairn_status cli_json_print(cli_job *job, cli_json_dump dump, const void *user);

/// Print an object without its braces, to go between others; false when the file ends.
bool cli_json_embed(const json_t *object, FILE *file);

/// Write @p object where --json says, and release it.
///
/// Rank 0. @p object may be NULL: something before ran out of memory.
cairn_status cli_json_write(cli_job *job, json_t *object);

#endif
