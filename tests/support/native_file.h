// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Native files of one segment that are changed behind the library's back, with checksums
/// that are right.

#ifndef CAIRN_TESTS_NATIVE_FILE_H
#define CAIRN_TESTS_NATIVE_FILE_H

#include "io/io_native.h"
#include "scratch.h"

typedef struct {
    char   bytes[1 << 16];
    size_t length;
    char  *segment, *segment_end;
} native_file;

static inline void native_file_load(const char *path, native_file *file)
{
    FILE            *f = fopen(path, "rb");
    cairn_native_row row;

    cr_assert(f != NULL, "%s cannot be read", path);
    file->length = fread(file->bytes, 1, sizeof file->bytes, f);
    cr_assert_eq(fclose(f), 0);
    cr_assert_lt(file->length, sizeof file->bytes);
    memcpy(&row, file->bytes + CAIRN_NATIVE_PROLOGUE, sizeof row);
    file->segment     = file->bytes + row.offset;
    file->segment_end = file->segment + row.length;
}

static inline void native_file_store(const char *path, native_file *file)
{
    char *const      table = file->bytes + CAIRN_NATIVE_PROLOGUE;
    cairn_native_row row;

    memcpy(&row, table, sizeof row);
    row.crc = cairn_native_crc(0, file->segment, row.length);
    memcpy(table, &row, sizeof row);
    int64_t version;

    memcpy(&version, file->bytes + 8, sizeof version);
    cairn_native_put_prologue(file->bytes, version, 1, (int64_t)file->length,
                              cairn_native_crc(0, table, sizeof row));
    scratch_write(path, file->bytes, file->length);
}

#endif
