// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The folder of a study: what it is a study of (study.json), and the runs' own reports
/// (runs/), which are there whole or not at all, so that what is there is finished.

#include "cli/arguments/problem.h"
#include "cli/arguments/values.h"
#include "cli/output/json.h"
#include "cli/scale/scale.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

cairn_status cli_scale_file(cli_scale *study, const char *name, char path[PATH_MAX])
{
    const int n = snprintf(path, PATH_MAX, "%s/%s", study->settings.folder, name);

    if (n > 0 && n < PATH_MAX) return CAIRN_OK;
    return cli_fail(study->job, CAIRN_BAD_OPTION, "option: --folder: is too long");
}

/// A text as part of a file's name: what is no letter and no digit is %XX.
static void encode(const char *text, char *name, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789";
    size_t            n       = 0;

    for (; *text && n + 4 < size; text++)
        if (strchr(plain, *text))
            name[n++] = *text;
        else
            n += (size_t)snprintf(name + n, size - n, "%%%02X", (unsigned char)*text);
    name[n] = '\0';
}

cairn_status cli_scale_run_file(cli_scale             *study,
                                const cli_scale_point *point,
                                int                    run,
                                const char            *ending,
                                char                   path[PATH_MAX])
{
    char devices[3 * CLI_SCALE_TEXT + 8], name[NAME_MAX + 1], which[16];

    encode(point->devices, devices, sizeof devices);
    if (run == CLI_SCALE_RECORD)
        strcpy(which, "record");
    else
        snprintf(which, sizeof which, "%d", run + 1);
    const int n =
        snprintf(name, sizeof name, "runs/ranks%d-threads%d%s%s-%s.%s", point->ranks,
                 point->threads, *devices ? "-" : "", devices, which, ending);

    if (n >= (int)sizeof name)
        return cli_fail(study->job, CAIRN_BAD_OPTION,
                        "option: --devices: %s: is too long", point->devices);
    return cli_scale_file(study, name, path);
}

/// When a file was written last, and how long it is; of a test problem nothing.
static json_t *identify(const cli_scale_settings *settings)
{
    struct stat about;

    if (cli_problem_is_named(settings->matrix) || stat(settings->matrix, &about) != 0)
        return json_null();
    return json_pack("[I, I, I]", (json_int_t)about.st_size,
                     (json_int_t)about.st_mtim.tv_sec,
                     (json_int_t)about.st_mtim.tv_nsec);
}

/// All that decides what a point's runs are, so that those of the folder may stand for
/// them. NULL: out of memory.
static json_t *describe(cli_scale *study)
{
    const cli_scale_settings *settings  = &study->settings;
    char                      host[256] = "", op[256] = "";
    json_t                   *options = json_object();
    int                       failed  = !options;

    gethostname(host, sizeof host - 1);
    for (int k = 0; settings->words[k]; k++)
        snprintf(op + strlen(op), sizeof op - strlen(op), "%s%s", k ? " " : "",
                 settings->words[k]);
    for (int k = 0; cli_scale_passed(k) != CLI_OPTIONS && !failed; k++) {
        const cli_option_id id = cli_scale_passed(k);

        if (cli_given(study->job, id))
            failed |= json_object_set_new(options, cli_option_row(id)->name,
                                          cli_json_text(cli_text(study->job, id)));
    }
    if (failed) {
        json_decref(options);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o}", "cairn", CAIRN_VERSION,
                     "operation", op, "matrix", cli_json_text(settings->matrix), "file",
                     identify(settings), "scaling", settings->weak ? "weak" : "strong",
                     "options", options, "launcher", cli_json_text(settings->launcher),
                     "host", settings->launcher ? json_null() : cli_json_text(host));
}

/// Name the first thing that is another in the folder's study.
static cairn_status compare(cli_scale *study, const json_t *mine, const json_t *theirs)
{
    const char   *name;
    const json_t *value;

    json_object_foreach((json_t *)mine, name, value)
    {
        const json_t *const other = json_object_get(theirs, name);
        char               *text;

        if (other && json_equal(value, other)) continue;
        text = other ? json_dumps(other, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        cli_fail(study->job, CAIRN_BAD_OPTION,
                 "option: --folder: %s: is another study's: its %s is %.200s",
                 study->settings.folder, name, text ? text : "not there");
        free(text);
        return CAIRN_BAD_OPTION;
    }
    return CAIRN_OK;
}

static cairn_status write_description(cli_scale *study, const char *path, json_t *mine)
{
    char        *text = json_dumps(mine, JSON_INDENT(1));
    cairn_status status =
        text ? cairn_context_write_file(study->job->context, path, text, strlen(text))
             : cli_fail(study->job, CAIRN_NO_MEMORY, "memory: %s", path);

    free(text);
    return status;
}

/// Hold the folder against this study; one that has none yet becomes this one's.
static cairn_status check(cli_scale *study)
{
    char         path[PATH_MAX];
    json_error_t error;
    cairn_status status;

    CLI_TRY(cli_scale_file(study, "study.json", path));
    json_t *const mine   = describe(study);
    json_t *const theirs = json_load_file(path, 0, &error);

    if (!mine)
        status = cli_fail(study->job, CAIRN_NO_MEMORY, "memory: %s", path);
    else if (theirs)
        status = compare(study, mine, theirs);
    else if (access(path, F_OK) == 0)
        status =
            cli_fail(study->job, CAIRN_BAD_FILE, "study: %s: %s", path, error.text);
    else
        status = write_description(study, path, mine);
    json_decref(mine);
    json_decref(theirs);
    return status;
}

/// Make a folder that may be there.
static cairn_status make(cli_scale *study, const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return CAIRN_OK;
    return cli_fail(study->job, CAIRN_IO, "folder: %s: %s", path, strerror(errno));
}

/// One command at a time works there.
static cairn_status lock(cli_scale *study, const char *path)
{
    study->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (study->lock < 0)
        return cli_fail(study->job, CAIRN_IO, "folder: %s: %s", path, strerror(errno));
    if (flock(study->lock, LOCK_EX | LOCK_NB) == 0) return CAIRN_OK;
    return cli_fail(study->job, CAIRN_IO,
                    "folder: %s: another command is at work there", path);
}

cairn_status cli_scale_folder_open(cli_scale *study)
{
    char path[PATH_MAX];

    study->lock = -1;
    CLI_TRY(make(study, study->settings.folder));
    CLI_TRY(cli_scale_file(study, "runs", path));
    CLI_TRY(make(study, path));
    CLI_TRY(lock(study, path));
    return check(study);
}

void cli_scale_folder_close(cli_scale *study)
{
    if (study->lock >= 0) close(study->lock);
    study->lock = -1;
}
