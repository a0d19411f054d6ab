// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Native files that are changed behind the library's back, with checksums
/// that are right.

#ifndef CAIRN_TESTS_NATIVE_FILE_H
#define CAIRN_TESTS_NATIVE_FILE_H

#include "io/native/io_native.h"
#include "scratch.h"

typedef struct {
    char    bytes[1 << 16];
    size_t  length;
    int64_t segments;
    char   *segment, *segment_end; ///< The first one's.
} native_file;

static inline cairn_native_row native_file_row(const native_file *file, int64_t s)
{
    cairn_native_row row;

    memcpy(&row, file->bytes + CAIRN_NATIVE_PROLOGUE + s * (int64_t)sizeof row,
           sizeof row);
    return row;
}

static inline void native_file_load(const char *path, native_file *file)
{
    FILE *f = fopen(path, "rb");

    cr_assert(f != NULL, "%s cannot be read", path);
    file->length = fread(file->bytes, 1, sizeof file->bytes, f);
    cr_assert_eq(fclose(f), 0);
    cr_assert_lt(file->length, sizeof file->bytes);
    memcpy(&file->segments, file->bytes + 16, sizeof file->segments);
    const cairn_native_row row = native_file_row(file, 0);

    file->segment     = file->bytes + row.offset;
    file->segment_end = file->segment + row.length;
}

static inline void native_file_store(const char *path, native_file *file)
{
    char *const   table = file->bytes + CAIRN_NATIVE_PROLOGUE;
    const int64_t rows  = file->segments * (int64_t)sizeof(cairn_native_row);
    int64_t       version;

    for (int64_t s = 0; s < file->segments; s++) {
        cairn_native_row row = native_file_row(file, s);

        row.crc = cairn_native_crc(0, file->bytes + row.offset, row.length);
        memcpy(table + s * (int64_t)sizeof row, &row, sizeof row);
    }
    memcpy(&version, file->bytes + 8, sizeof version);
    cairn_native_put_prologue(file->bytes, version, file->segments,
                              (int64_t)file->length, cairn_native_crc(0, table, rows));
    scratch_write(path, file->bytes, file->length);
}

#endif
