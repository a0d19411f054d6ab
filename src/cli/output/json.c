// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// JSON output. Objects are built with json_pack where possible: it returns NULL when
/// any of its parts is NULL, so that one check at the end finds every failure.

#include "cli/output/json.h"

#include "cli/output/save.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *cli_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_count(int64_t value)
{
    return value >= 0 ? json_integer(value) : json_null();
}

json_t *cli_json_part(const cairn_part_info *part)
{
    return json_pack("{s:i, s:i, s:i, s:o, s:I, s:I, s:b, s:s}", "member", part->member,
                     "rank", part->rank, "share", part->share, "bank",
                     cli_json_count(part->bank), "nnz", (json_int_t)part->nnz, "bytes",
                     (json_int_t)part->bytes, "given", part->given, "values",
                     part->stored);
}

json_t *cli_json_text(const char *text)
{
    json_t *string = text ? json_string(text) : json_null();

    if (string) return string;
    char *plain = strdup(text);

    if (!plain) return NULL;
    for (char *c = plain; *c; c++)
        if ((unsigned char)*c > 127) *c = '?';
    string = json_string(plain);
    free(plain);
    return string;
}

bool cli_json_embed(const json_t *object, FILE *file)
{
    return json_dumpf(object, file, JSON_REAL_PRECISION(17) | JSON_EMBED) == 0;
}

/// Print one object of jansson's.
static bool dump(const void *user, FILE *file)
{
    return json_dumpf((const json_t *)user, file, JSON_REAL_PRECISION(17)) == 0;
}

static cairn_status
write_file(cli_job *job, cli_json_dump print, const void *user, const char *path)
{
    cli_save save;

    CLI_TRY(cli_save_begin(job, path, &save));
    errno              = 0;
    const bool   whole = print(user, save.file) && fputc('\n', save.file) != EOF;
    cairn_status status =
        whole ? CAIRN_OK
              : cli_fail(job, CAIRN_IO, "write: %s: %s", path, strerror(errno));

    return cli_save_end(job, &save, status);
}

cairn_status cli_json_print(cli_job *job, cli_json_dump print, const void *user)
{
    const char *path = cli_text(job, CLI_JSON);

    if (strcmp(path, "-") != 0) return write_file(job, print, user, path);
    if (print(user, stdout) && fputc('\n', stdout) != EOF) return CAIRN_OK;
    return cli_flush(job);
}

cairn_status cli_json_write(cli_job *job, json_t *object)
{
    if (!object)
        return cli_fail(job, CAIRN_NO_MEMORY, "report: %s: out of memory",
                        cli_text(job, CLI_JSON));
    const cairn_status status = cli_json_print(job, dump, object);

    json_decref(object);
    return status;
}

/// Words of a text, separated by single blanks.
static json_t *words(const char *text)
{
    json_t *list = json_array();

    while (*text && list) {
        const size_t length = strcspn(text, " ");

        json_array_append_new(list, json_stringn(text, length));
        text += length + (text[length] == ' ');
    }
    return list;
}

/// What else would have done.
static json_t *others(const cairn_path *path, int k, int alternatives)
{
    json_t *list = json_array();

    for (int n = 0; n < alternatives && list; n++) {
        const cairn_pass_alternative a = cairn_path_alternative(path, k, n);

        if (json_array_append_new(list,
                                  json_pack("{s:s, s:f, s:f}", "method", a.method,
                                            "bytes", a.bytes, "seconds", a.seconds))
            != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static json_t *one_pass(const cairn_path *path, int k)
{
    const cairn_pass_info info = cairn_path_pass(path, k), *pass = &info;
    char                  on[CAIRN_PASS_OTHERWISE];
    const char *const     assumes = cairn_path_assumes(path, k, on);

    return json_pack(
        "{s:o, s:i, s:s, s:s, s:s, s:s?, s:o, s:o, s:s?, s:b, s:f, s:o, "
        "s:s?, s:o, s:s?, s:s?, s:s?}",
        "member", pass->member >= 0 ? json_integer(pass->member) : json_null(), "into",
        pass->into, "method", pass->method, "pass", pass->pass, "unit", pass->unit,
        "rule", pass->rule, "index",
        pass->index >= 0 ? json_integer(pass->index) : json_null(), "arrays",
        words(pass->arrays), "stores", pass->stores, "interpreted",
        (int)pass->interpreted, "bytes", pass->bytes, "alternatives",
        others(path, k, pass->alternatives), "class", pass->query_class, "visits",
        pass->query_class ? json_integer(pass->visits) : json_null(), "assumes",
        assumes, "otherwise", assumes ? on : NULL, "device",
        cairn_path_device(path, k));
}

json_t *cli_json_program(const cairn_path *path)
{
    json_t *list = json_array();

    for (int k = 0; k < cairn_path_passes(path) && list; k++)
        if (json_array_append_new(list, one_pass(path, k)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

json_t *cli_json_path(const cairn_path *path)
{
    json_t *list = json_array();

    for (int k = 0; k < cairn_path_steps(path) && list; k++)
        if (json_array_append_new(list, json_string(cairn_path_at(path, k).rule))
            != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}
