// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Names in a folder of checkpoints.

#include "checkpoint/generations.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// What a name says.
typedef struct {
    int64_t generation;
    int     share;     ///< Or CAIRN_MANIFEST.
    bool    temporary; ///< A name that cairn_file gave until the file was complete.
} file_name;

static void print_name(char name[64], int64_t generation, int share)
{
    if (share == CAIRN_MANIFEST)
        snprintf(name, 64, "generation-%06" PRId64 ".manifest", generation);
    else
        snprintf(name, 64, "generation-%06" PRId64 ".share-%d", generation, share);
}

void cairn_generation_path(char       *path,
                           const char *folder,
                           int64_t     generation,
                           int         share)
{
    char name[64];

    print_name(name, generation, share);
    snprintf(path, CAIRN_GENERATION_PATH, "%s/%s", folder, name);
}

/// @return Is it one of ours, letter by letter?
static bool parse(const char *name, file_name *f)
{
    char own[64];

    *f = (file_name){.share = CAIRN_MANIFEST};
    if (sscanf(name, "generation-%18" SCNd64 ".share-%9d", &f->generation, &f->share)
            < 1
        || f->generation <= 0 || f->share < CAIRN_MANIFEST)
        return false;
    print_name(own, f->generation, f->share);
    const size_t length = strlen(own);

    if (strncmp(name, own, length) != 0) return false;
    f->temporary = strncmp(name + length, ".part-", 6) == 0;
    return f->temporary || name[length] == '\0';
}

/// Enter a number in a list that descends, and loses its end where it is full.
static void enter(int64_t *list, int *count, int64_t number)
{
    int k = *count;

    if (k == CAIRN_GENERATION_MOST && number < list[k - 1]) return;
    if (k < CAIRN_GENERATION_MOST)
        ++*count;
    else
        k--;
    for (; k > 0 && list[k - 1] < number; k--)
        list[k] = list[k - 1];
    list[k] = number;
}

cairn_status cairn_generations_list(cairn_env  *env,
                                    const char *folder,
                                    int64_t    *generation,
                                    int        *count,
                                    int64_t    *newest)
{
    DIR *const     dir = opendir(folder);
    struct dirent *entry;
    file_name      file;

    CAIRN_CHECK(dir, env, CAIRN_IO, "checkpoint: %s: %s", folder, strerror(errno));
    *count  = 0;
    *newest = 0;
    while ((entry = readdir(dir))) {
        if (!parse(entry->d_name, &file)) continue;
        if (file.generation > *newest) *newest = file.generation;
        if (file.share == CAIRN_MANIFEST && !file.temporary)
            enter(generation, count, file.generation);
    }
    closedir(dir);
    return CAIRN_OK;
}

/// Remove all but these generations; manifests first, so that none is without its shares.
static void
remove_unless(const char *folder, const int64_t *keep, int kept, bool temporary_too)
{
    for (int pass = 0; pass < 2; pass++) {
        DIR *const     dir = opendir(folder);
        struct dirent *entry;
        file_name      file;

        if (!dir) return;
        while ((entry = readdir(dir))) {
            bool stays = false;

            if (!parse(entry->d_name, &file)) continue;
            for (int k = 0; k < kept; k++)
                stays = stays || keep[k] == file.generation;
            if (file.temporary) stays = !temporary_too;
            if (!stays && (pass == 1 || file.share == CAIRN_MANIFEST))
                unlinkat(dirfd(dir), entry->d_name, 0);
        }
        closedir(dir);
    }
}

void cairn_generations_sweep(cairn_env *env, const char *folder)
{
    int64_t generation[CAIRN_GENERATION_MOST], newest;
    int     count;

    if (cairn_generations_list(env, folder, generation, &count, &newest) == CAIRN_OK)
        remove_unless(folder, generation, count, true);
}

void cairn_generations_keep(const char *folder, int64_t one, int64_t other)
{
    const int64_t keep[2] = {one, other};

    remove_unless(folder, keep, 2, false);
}
