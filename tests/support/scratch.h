// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files for tests, in a folder that is theirs alone.

#ifndef CAIRN_TESTS_SCRATCH_H
#define CAIRN_TESTS_SCRATCH_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/// Make a folder and print its name into @p folder (at least 64 bytes).
static inline void scratch_create(char *folder)
{
    const char *base = getenv("TMPDIR");

    snprintf(folder, 64, "%.40s/cairn-XXXXXX", base && *base ? base : "/tmp");
    cr_assert(mkdtemp(folder) != NULL, "no scratch folder");
}

static inline void scratch_write(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    cr_assert(file != NULL, "%s cannot be written", path);
    cr_assert_eq(fwrite(bytes, 1, length, file), length);
    cr_assert_eq(fclose(file), 0);
}

/// Write @p bytes as one gzip member, behind what the file already has.
static inline void
scratch_append_gzip(const char *path, const void *bytes, size_t length)
{
    gzFile file = gzopen(path, "ab6");

    cr_assert(file != NULL, "%s cannot be written", path);
    if (length) cr_assert_eq((size_t)gzwrite(file, bytes, (unsigned)length), length);
    cr_assert_eq(gzclose(file), Z_OK);
}

/// Read a whole file into malloc'ed memory, with a NUL behind it.
static inline char *scratch_read(const char *path, size_t *length)
{
    FILE       *file = fopen(path, "rb");
    struct stat about;

    cr_assert(file != NULL, "%s cannot be read", path);
    cr_assert_eq(fstat(fileno(file), &about), 0);

    char *bytes = calloc(1, (size_t)about.st_size + 1);

    *length = fread(bytes, 1, (size_t)about.st_size, file);
    fclose(file);
    return bytes;
}

#endif
