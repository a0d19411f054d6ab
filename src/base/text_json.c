// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Escaping is jansson's.

#include "base/text_json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/// As json_string(), with question marks for what is no UTF-8. NULL: no memory.
static json_t *make_string(const char *text)
{
    json_t *string = json_string(text);
    char   *plain  = string ? NULL : strdup(text);

    for (char *c = plain; c && *c; c++)
        if ((unsigned char)*c > 127) *c = '?';
    if (plain) string = json_string(plain);
    free(plain);
    return string;
}

void cairn_text_add_json(cairn_text *text, const char *string)
{
    json_t *const value  = make_string(string);
    char *const   quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;

    if (quoted)
        cairn_text_add_bytes(text, quoted, strlen(quoted));
    else if (text->status == CAIRN_OK)
        text->status = cairn_fail(text->env, CAIRN_NO_MEMORY, "memory: JSON: no more");
    free(quoted);
    json_decref(value);
}
