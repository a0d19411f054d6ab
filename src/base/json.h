// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// JSON files that users write. The library jansson reads them, but forgets where it saw
/// what; since a message shall name line and column, the text is kept beside the tree,
/// and places in it are found again by walking it. In the functions of places `at` is a
/// place in the text where a value begins; NULL is passed on.

#ifndef CAIRN_BASE_JSON_H
#define CAIRN_BASE_JSON_H

#include "base/env.h"

#include <jansson.h>

#define CAIRN_JSON_BYTES (1 << 20) ///< Of the longest file.

typedef struct cairn_json {
    json_t     *root;
    char       *text;
    const char *path; ///< Borrowed; for messages.
} cairn_json;

/// Read the file called @p path.
///
/// Local.
///
/// @param[in]  what  What it is for, which begins messages: "devices".
/// @param[out] json  Freed with cairn_json_fini(); borrows @p path. Unchanged on failure.
/// @retval CAIRN_IO        It cannot be read.
/// @retval CAIRN_BAD_FILE  It is no JSON, has a field twice, or is too long; the message
///                         is "WHAT: FILE:LINE:COLUMN: WHY".
cairn_status
cairn_json_read(cairn_env *env, const char *what, const char *path, cairn_json *json);

void cairn_json_fini(cairn_env *env, cairn_json *json);

/// Where the whole value begins; the k-th element of an array; the name of a field of
/// an object, or the value behind it. NULL: there is none.
const char *cairn_json_root(const cairn_json *json);
const char *cairn_json_element(const char *at, size_t k);
const char *cairn_json_field(const char *at, const char *name);
const char *cairn_json_value(const char *at, const char *name);

/// "sim.json:4:12": file, line and column (in bytes) of a place, both from 1; of NULL the
/// file alone.
typedef struct cairn_json_where {
    char text[CAIRN_OPTION_PATH + 32];
} cairn_json_where;

cairn_json_where cairn_json_place(const cairn_json *json, const char *at);

#endif
