// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A disk that stops: to be loaded before the C library (LD_PRELOAD). The call that
/// STOP_AT names, "pwrite:2" for the second, waits before it is done, and says so by
/// making the file STOP_MARK.RANK, with the number of the process in it; it goes on when
/// that file is gone. With a plus, "linkat:1+", it is done before it waits. Only the rank
/// STOP_RANK stops, if that is set. With NO_UNNAMED there are no files without a name;
/// with NO_REACH no process may open what another's descriptors are.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *rank(void)
{
    const char *const set = getenv("OMPI_COMM_WORLD_RANK");

    return set ? set : "0";
}

/// Is this call the one?
static bool is_the_one(const char *name, int n, const char *after)
{
    const char *const at = getenv("STOP_AT"), *const only = getenv("STOP_RANK");
    char call[64];

    snprintf(call, sizeof call, "%s:%d%s", name, n, after);
    return at && strcmp(at, call) == 0 && !(only && strcmp(only, rank()) != 0);
}

static void wait_here(void)
{
    char  name[4000], whole[4096];
    FILE *file;

    snprintf(name, sizeof name, "%s.%s", getenv("STOP_MARK"), rank());
    snprintf(whole, sizeof whole, "%s.new", name);
    if (!(file = fopen(whole, "w"))) abort();
    fprintf(file, "%ld\n", (long)getpid());
    fclose(file);
    syscall(SYS_rename, whole, name);
    while (access(name, F_OK) == 0)
        usleep(1000);
}

/// The body of a call: wait before or after it, if it is the one.
#define STOPPING(name, type, arguments, ...)                           \
    static _Atomic int calls;                                          \
    type (*const own)(__VA_ARGS__) = (type(*)(__VA_ARGS__))own_(name); \
    const int n                    = ++calls;                          \
                                                                       \
    if (is_the_one(name, n, "")) wait_here();                          \
    type const result           = own arguments;                       \
    const int               why = errno;                               \
                                                                       \
    if (is_the_one(name, n, "+")) wait_here();                         \
    errno = why;                                                       \
    return result

/// The C library's function.
static void *own_(const char *name)
{
    void *const function = dlsym(RTLD_NEXT, name);

    if (!function) abort();
    return function;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
    STOPPING("pwrite", ssize_t, (fd, bytes, length, offset), int, const void *, size_t,
             off_t);
}

ssize_t pread(int fd, void *bytes, size_t length, off_t offset)
{
    STOPPING("pread", ssize_t, (fd, bytes, length, offset), int, void *, size_t, off_t);
}

int fsync(int fd)
{
    STOPPING("fsync", int, (fd), int);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    STOPPING("linkat", int, (from_folder, from, to_folder, to, flags), int,
             const char *, int, const char *, int);
}

int rename(const char *from, const char *to)
{
    STOPPING("rename", int, (from, to), const char *, const char *);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    STOPPING("renameat", int, (from_folder, from, to_folder, to), int, const char *,
             int, const char *);
}

char *mkdtemp(char *name)
{
    STOPPING("mkdtemp", char *, (name), char *);
}

static int create(const char *path, int flags, mode_t mode)
{
    int (*const open)(const char *, int, ...) =
        (int (*)(const char *, int, ...))own_("open");

    errno = EOPNOTSUPP;
    if ((flags & O_TMPFILE) == O_TMPFILE && getenv("NO_UNNAMED")) return -1;
    errno = EACCES;
    if (strncmp(path, "/proc/", 6) == 0 && strstr(path, "/fd/") && getenv("NO_REACH"))
        return -1;
    return open(path, flags, mode);
}

/// Calls that create a file of a new name, or of none, are "open".
int open(const char *path, int flags, ...)
{
    static _Atomic int calls;
    const bool         creates = (flags & O_EXCL) || (flags & O_TMPFILE) == O_TMPFILE;
    const int          n       = creates ? ++calls : 0;
    va_list            rest;

    va_start(rest, flags);
    const mode_t mode = creates || (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;

    va_end(rest);
    if (creates && is_the_one("open", n, "")) wait_here();
    const int fd = create(path, flags, mode), why = errno;

    if (creates && is_the_one("open", n, "+")) wait_here();
    errno = why;
    return fd;
}
