// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes as a file that has a name, without a disk.

#ifndef CAIRN_TESTS_FUZZ_FILE_H
#define CAIRN_TESTS_FUZZ_FILE_H

#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

typedef struct {
    int      fd;
    char     path[64];
    uint64_t hash; ///< Of the bytes that it was opened with.
} fuzz_file;

static inline void fuzz_write(fuzz_file *file, const void *bytes, size_t size)
{
    FUZZ_CHECK(ftruncate(file->fd, 0) == 0, "truncate");
    FUZZ_CHECK(pwrite(file->fd, bytes, size, 0) == (ssize_t)size, "write");
}

/// Open a file with these bytes; close() its fd.
static inline fuzz_file fuzz_open(const void *bytes, size_t size)
{
    fuzz_file file = {.fd   = memfd_create("fuzz", MFD_CLOEXEC),
                      .hash = fuzz_hash(bytes, size)};

    FUZZ_CHECK(file.fd >= 0, "memfd_create");
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    fuzz_write(&file, bytes, size);
    return file;
}

/// The same bytes as one or two gzip members, freed with free().
static inline char *
fuzz_gzip(const void *bytes, size_t size, size_t cut, size_t *length)
{
    const size_t room = size + size / 500 + 256;
    char        *out  = malloc(room);
    z_stream     z    = {0};

    *length = 0;
    for (int member = 0; member < 2; member++) {
        FUZZ_CHECK(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, 0) == Z_OK, "deflate");
        z.next_in   = (Bytef *)bytes + (member ? cut : 0);
        z.avail_in  = (uInt)(member ? size - cut : cut);
        z.next_out  = (Bytef *)out + *length;
        z.avail_out = (uInt)(room - *length);
        FUZZ_CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END, "deflate");
        *length = room - z.avail_out;
        deflateEnd(&z);
    }
    return out;
}

#endif
