// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The cache stays below a size. A file's time is that of its last use, to the hour; the
/// longest unused go first. One in use by another process may go too: what runs is a copy
/// in memory.

#include "emit/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    char            name[32];
    struct timespec used;
    int64_t         bytes;
} kept;

typedef struct {
    kept   *file;
    int64_t files, capacity, bytes;
} list;

bool cairn_cache_is_kernel(const char *name, const char *after)
{
    return strncmp(name, "cairn_", 6) == 0 && strspn(name + 6, "0123456789abcdef") == 16
           && strncmp(name + 22, after, strlen(after)) == 0;
}

/// Add a file; without memory the list stays as it is, and less is removed.
static void add(cairn_env *env, list *l, const char *name, const struct stat *about)
{
    if (l->files == l->capacity) {
        const int64_t more = l->capacity ? 2 * l->capacity : 64;

        if (cairn_realloc(env, more, sizeof *l->file, (void **)&l->file) != CAIRN_OK)
            return;
        l->capacity = more;
    }
    kept *file = &l->file[l->files++];

    strcpy(file->name, name);
    file->used  = about->st_mtim;
    file->bytes = about->st_size;
    l->bytes += about->st_size;
}

/// A writer needs no hour for its file; older ones were left by writers that died.
static bool is_left_over(const char *name, const struct stat *about)
{
    return cairn_cache_is_kernel(name, ".so.part-")
           && time(NULL) - about->st_mtime > 3600;
}

static void look_at(cairn_cache *cache, const char *name, list *l)
{
    struct stat about;

    if (!cairn_cache_is_kernel(name, ".so")) return;
    if (fstatat(cache->folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (!S_ISREG(about.st_mode)) return;
    if (is_left_over(name, &about))
        unlinkat(cache->folder, name, 0);
    else if (strcmp(name + 22, ".so") == 0)
        add(cache->env, l, name, &about);
}

static int compare_used(const void *a, const void *b)
{
    const struct timespec *s = &((const kept *)a)->used, *t = &((const kept *)b)->used;

    if (s->tv_sec != t->tv_sec) return s->tv_sec < t->tv_sec ? -1 : 1;
    return (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec);
}

/// Remove the oldest until an eighth of the limit is free, so that not every writer has
/// to remove something again.
static void remove_oldest(cairn_cache *cache, list *l)
{
    if (l->bytes <= cache->limit) return;
    qsort(l->file, (size_t)l->files, sizeof *l->file, compare_used);
    for (int64_t k = 0; k + 1 < l->files && l->bytes > cache->limit - cache->limit / 8;
         k++) {
        unlinkat(cache->folder, l->file[k].name, 0);
        l->bytes -= l->file[k].bytes;
    }
}

void cairn_cache_prune(cairn_cache *cache)
{
    const int fd     = openat(cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR      *folder = fd >= 0 ? fdopendir(fd) : NULL;
    list      l      = {0};

    if (!folder) {
        if (fd >= 0) close(fd);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(folder));)
        look_at(cache, entry->d_name, &l);
    closedir(folder);
    remove_oldest(cache, &l);
    cairn_free(cache->env, l.file);
}
