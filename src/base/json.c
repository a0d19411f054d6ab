// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading a JSON file, and finding places in a text that is known to be JSON: strings
/// and brackets are all that has to be understood.

#include "base/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/// Read the file into a text that ends with a NUL.
static cairn_status
read_text(cairn_env *env, const char *what, const char *path, char **text)
{
    FILE *file = fopen(path, "re");

    if (!file)
        return cairn_fail(env, CAIRN_IO, "%s: %.500s: cannot be opened: %s", what, path,
                          strerror(errno));
    cairn_status status = CAIRN_NEW(env, CAIRN_JSON_BYTES + 2, text);

    if (status == CAIRN_OK) {
        const size_t n = fread(*text, 1, CAIRN_JSON_BYTES + 1, file);

        (*text)[n] = '\0';
        if (ferror(file))
            status = cairn_fail(env, CAIRN_IO, "%s: %.500s: cannot be read: %s", what,
                                path, strerror(errno));
        else if (n > CAIRN_JSON_BYTES || strlen(*text) != n)
            status = cairn_fail(env, CAIRN_BAD_FILE,
                                "%s: %.500s: %s, which no description is", what, path,
                                n > CAIRN_JSON_BYTES ? "more than a MiB" : "not text");
        if (status != CAIRN_OK) cairn_free(env, *text);
    }
    fclose(file);
    return status;
}

cairn_status
cairn_json_read(cairn_env *env, const char *what, const char *path, cairn_json *json)
{
    json_error_t error;
    char        *text = NULL;

    CAIRN_TRY(read_text(env, what, path, &text));
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

    if (root) {
        *json = (cairn_json){.root = root, .text = text, .path = path};
        return CAIRN_OK;
    }
    cairn_free(env, text);
    if (json_error_code(&error) == json_error_out_of_memory)
        return cairn_fail(env, CAIRN_NO_MEMORY, "out of memory: %s: %.500s", what,
                          path);
    return cairn_fail(env, CAIRN_BAD_FILE, "%s: %.500s:%d:%d: %s", what, path,
                      error.line, error.column, error.text);
}

void cairn_json_fini(cairn_env *env, cairn_json *json)
{
    json_decref(json->root);
    cairn_free(env, json->text);
    *json = (cairn_json){0};
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/// Behind the string that begins at @p at.
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

/// Behind the value that begins at @p at.
static const char *skip_value(const char *at)
{
    int depth = 0;

    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        if (*at == '{' || *at == '[') depth++;
        if (*at == '}' || *at == ']') depth--;
        at++;
    } while (*at && (depth > 0 || !strchr(",]} \t\r\n", *at)));
    return at;
}

/// The next value of an object or array, behind a comma; NULL: it ends.
static const char *next(const char *at)
{
    at = skip_blanks(at);
    return *at == ',' ? skip_blanks(at + 1) : NULL;
}

/// The first thing inside the brackets at @p at; NULL: there is nothing.
static const char *first(const char *at, char bracket)
{
    if (!at || *at != bracket) return NULL;
    at = skip_blanks(at + 1);
    return *at == bracket + 2 ? NULL : at; /* '[' and ']', '{' and '}' */
}

const char *cairn_json_root(const cairn_json *json)
{
    return skip_blanks(json->text);
}

const char *cairn_json_element(const char *at, size_t k)
{
    for (at = first(at, '['); at && k > 0; k--)
        at = next(skip_value(at));
    return at;
}

/// From the name of a field to its value.
static const char *value_of(const char *at)
{
    at = skip_blanks(skip_string(at));
    return *at == ':' ? skip_blanks(at + 1) : at;
}

const char *cairn_json_field(const char *at, const char *name)
{
    const size_t length = strlen(name);

    for (at = first(at, '{'); at; at = next(skip_value(value_of(at))))
        if (strncmp(at + 1, name, length) == 0 && at[length + 1] == '"') return at;
    return NULL;
}

const char *cairn_json_value(const char *at, const char *name)
{
    at = cairn_json_field(at, name);
    return at ? value_of(at) : NULL;
}

cairn_json_where cairn_json_place(const cairn_json *json, const char *at)
{
    cairn_json_where where;
    const char      *line   = json->text;
    int              number = 1;

    for (const char *c = json->text; at && c < at; c++)
        if (*c == '\n') line = c + 1, number++;
    if (at)
        snprintf(where.text, sizeof where.text, "%s:%d:%d", json->path, number,
                 (int)(at - line) + 1);
    else
        snprintf(where.text, sizeof where.text, "%s", json->path);
    return where;
}
