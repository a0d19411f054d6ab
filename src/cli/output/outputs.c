// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which files are the same: the same inode, or where there is none yet, the same name in
/// the same folder. Files that cannot be written for want of a folder.

#include "cli/output/outputs.h"

#include "cli/arguments/values.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILES 64 ///< Of a command; of a longer --devices the rest is not compared.
#define MOST_LINKS 40

static const cli_option_id outputs[] = {CLI_OUTPUT, CLI_OUT,      CLI_JSON,   CLI_SPY,
                                        CLI_TRACE,  CLI_PLAN_OUT, CLI_PICTURE};

/// A file by what no other has.
typedef struct {
    dev_t device;
    ino_t inode;          ///< Its own, or its folder's;
    char  name[PATH_MAX]; ///< then its name there. "": it is there.
} identity;

typedef struct {
    identity file[MOST_FILES];
    int      files;
} list;

bool cli_names_entries(const char *path)
{
    const char *const ending = strrchr(path, '.');
    const char       *at     = ending ? strstr(CLI_ENTRIES " ", ending) : NULL;

    /* ".petsc" is also how ".petsc64" begins. */
    while (at && at[strlen(ending)] != ' ')
        at = strstr(at + 1, ending);
    return at != NULL;
}

/// Where a link leads that leads nowhere yet. @return false: @p path is none.
static bool follow(char path[PATH_MAX])
{
    char          to[PATH_MAX], joined[2 * PATH_MAX];
    const ssize_t n      = readlink(path, to, sizeof to - 1);
    const char   *slash  = strrchr(path, '/');
    const int     folder = slash ? (int)(slash - path + 1) : 0;

    if (n <= 0) return false;
    to[n] = '\0';
    snprintf(joined, sizeof joined, "%.*s%s", to[0] == '/' ? 0 : folder, path, to);
    if (strlen(joined) >= PATH_MAX) return false;
    strcpy(path, joined);
    return true;
}

static void follow_all(char path[PATH_MAX])
{
    for (int links = 0; links < MOST_LINKS && follow(path);)
        links++;
}

/// Of what is not there: its folder, and its name in it.
static bool identify_name(const char *path, identity *file)
{
    struct stat about;
    char        folder[PATH_MAX];

    if (strlen(path) + 2 >= sizeof folder) return false;
    strcpy(folder, path);
    follow_all(folder);
    char *const slash = strrchr(folder, '/');

    snprintf(file->name, sizeof file->name, "%s", slash ? slash + 1 : folder);
    strcpy(slash ? slash + 1 : folder, ".");
    if (stat(folder, &about) != 0) return false;
    file->device = about.st_dev;
    file->inode  = about.st_ino;
    return true;
}

/// @return false: it is nothing that could be replaced.
static bool identify(const char *path, identity *file)
{
    struct stat about;

    if (stat(path, &about) != 0) return identify_name(path, file);
    file->device  = about.st_dev;
    file->inode   = about.st_ino;
    file->name[0] = '\0';
    return S_ISREG(about.st_mode);
}

static bool are_same(const identity *a, const identity *b)
{
    return a->device == b->device && a->inode == b->inode
           && strcmp(a->name, b->name) == 0;
}

/// Note a file. @return false: it is one of those noted before.
static bool add(list *l, const char *path)
{
    identity *file = &l->file[l->files];

    if (l->files == MOST_FILES || !identify(path, file)) return true;
    for (int k = 0; k < l->files; k++)
        if (are_same(&l->file[k], file)) return false;
    l->files++;
    return true;
}

/// The operands that the verb's usage calls FILE.
static void add_operands(const cli_job *job, list *l)
{
    const char *usage = job->verb->operands;

    for (int k = 0; k < job->arguments.operands; k++) {
        const size_t length = strcspn(usage, " ");

        if (memmem(usage, length, "FILE", 4)) add(l, job->arguments.operand[k]);
        usage += length + (usage[length] == ' ');
    }
}

/// Files among the items of a list, "cpu,sim.json"; of 0=cpu:0 the device.
static void add_items(const char *text, list *l)
{
    char path[PATH_MAX];

    while (text && *text) {
        const size_t length = strcspn(text, ",=+*");

        snprintf(path, sizeof path, "%.*s", (int)length, text);
        if (strchr(path, '/') || strstr(path, ".json")) add(l, path);
        text += length + (text[length] != '\0');
    }
}

static void add_inputs(const cli_job *job, list *l)
{
    const char *const x = cli_text(job, CLI_X), *const plan = cli_text(job, CLI_PLAN);
    const char *const candidates = cli_text(job, CLI_CANDIDATES);
    const char *const rhs        = cli_text(job, CLI_RHS);

    add_operands(job, l);
    if (x && strcmp(x, "ones") != 0 && strcmp(x, "ramp") != 0) add(l, x);
    if (plan) add(l, plan);
    if (rhs && strcmp(rhs, "ones") != 0) add(l, rhs);
    if (candidates) add(l, candidates);
    add_items(cli_text(job, CLI_DEVICES), l);
    add_items(cli_text(job, CLI_PLACE), l);
}

/// Refuse a file whose folder is missing or cannot be written to, and a folder in place of
/// the file, before the work whose result would be lost.
static cairn_status check_folder(cli_job *job, const char *path)
{
    struct stat about;
    char        at[PATH_MAX], folder[PATH_MAX];

    if (stat(path, &about) == 0) {
        if (!S_ISDIR(about.st_mode)) return CAIRN_OK;
        return cli_fail(job, CAIRN_IO, "create: %s: %s", path, strerror(EISDIR));
    }
    snprintf(at, sizeof at, "%s", path);
    follow_all(at);
    const char *const slash = strrchr(at, '/');

    snprintf(folder, sizeof folder, "%.*s.", slash ? (int)(slash - at + 1) : 0, at);
    if (access(folder, W_OK | X_OK) == 0) return CAIRN_OK;
    return cli_fail(job, CAIRN_IO, "create: %s: %s", at, strerror(errno));
}

cairn_status cli_check_outputs(cli_job *job)
{
    static list taken; /* too large for a stack */

    add_inputs(job, &taken);
    for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
        const char *const path = cli_text(job, outputs[k]);

        if (!path || (outputs[k] == CLI_JSON && strcmp(path, "-") == 0)) continue;
        if (!add(&taken, path))
            return cli_fail(
                job, CAIRN_BAD_OPTION,
                "option: --%s: %s: is the file of another operand or option",
                cli_option_row(outputs[k])->name, path);
        CLI_TRY(check_folder(job, path));
    }
    return CAIRN_OK;
}
