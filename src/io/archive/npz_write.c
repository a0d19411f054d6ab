// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Archives of arrays, written: every number has 64 bits, the same bytes at any time of
/// day. The head of an array is as long as its elements need to begin at a multiple of 64
/// bytes of the file, so that they can be mapped.

#include "io/archive/npz.h"
#include "io/native/io_native.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    LOCAL = 30 + 20, ///< Head of a member, with the 64-bit field, without its name.
    ROW   = 46 + 28, ///< Row of the directory, likewise.
    ALIGN = 64,
    HEAD  = 256, ///< Longest head of an array.
    NAME  = CAIRN_ARCHIVE_NAME + 4,
    ENDS  = 56 + 20 + 22, ///< Both ends, and the locator.
    DAY   = 0x21,         ///< 1980-01-01, the first that there is.
    NEEDS = 45,           ///< The version that has 64-bit fields.
};

/// Bytes that are put together.
typedef struct {
    unsigned char bytes[LOCAL + NAME + HEAD + ENDS];
    int           n;
} buffer;

/// Where a member is in the file.
typedef struct {
    int64_t  offset, bytes;
    uint32_t crc;
} member;

static void put(buffer *b, int bytes, uint64_t value)
{
    for (int k = 0; k < bytes; k++)
        b->bytes[b->n++] = (unsigned char)(value >> 8 * k);
}

static void put_bytes(buffer *b, const void *bytes, size_t n)
{
    memcpy(b->bytes + b->n, bytes, n);
    b->n += (int)n;
}

/// The head of a .npy of which @p before bytes of the file are before it.
static int
print_head(const cairn_archive_out *array, int64_t before, unsigned char *out)
{
    char shape[80] = "";
    int  n         = 0;

    if (array->elements >= 0)
        n = snprintf(shape, sizeof shape, "%" PRId64 ",", array->elements);
    for (int k = 0; k < 2 && array->inner[k] > 0; k++)
        n += snprintf(shape + n, sizeof shape - (size_t)n, "%" PRId64 ",",
                      array->inner[k]);
    const int text =
        snprintf((char *)out + 10, HEAD - 10,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                 array->descr, shape);
    const int whole =
        10 + text + 1 + (int)((ALIGN - (before + 10 + text + 1) % ALIGN) % ALIGN);

    memset(out + 10 + text, ' ', (size_t)(whole - 10 - text));
    out[whole - 1] = '\n';
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (unsigned char)((whole - 10) & 0xff);
    out[9] = (unsigned char)((whole - 10) >> 8);
    return whole;
}

/// What a member's head and its row in the directory have alike.
static void put_common(buffer *b, const member *m, size_t name, int extra)
{
    put(b, 2, NEEDS);
    put(b, 4, 0); /* no flag; stored */
    put(b, 2, 0);
    put(b, 2, DAY);
    put(b, 4, m->crc);
    put(b, 4, UINT32_MAX);
    put(b, 4, UINT32_MAX);
    put(b, 2, name);
    put(b, 2, (uint64_t)extra);
}

/// Write a member at @p at, which moves behind it.
static cairn_status
write_member(cairn_file *file, const cairn_archive_out *array, member *m, int64_t *at)
{
    unsigned char head[HEAD];
    char          name[NAME];
    const size_t  length = (size_t)snprintf(name, sizeof name, "%s.npy", array->name);
    const int     bytes  = print_head(array, *at + LOCAL + (int64_t)length, head);
    buffer        b      = {.n = 0};

    *m = (member){.offset = *at,
                  .bytes  = bytes + array->bytes,
                  .crc = cairn_native_crc(cairn_native_crc(0, head, bytes), array->data,
                                          array->bytes)};
    put(&b, 4, 0x04034b50);
    put_common(&b, m, length, 20);
    put_bytes(&b, name, length);
    put(&b, 2, 1);
    put(&b, 2, 16);
    put(&b, 8, (uint64_t)m->bytes);
    put(&b, 8, (uint64_t)m->bytes);
    put_bytes(&b, head, (size_t)bytes);
    CAIRN_TRY(cairn_file_write_at(file, b.bytes, (size_t)b.n, *at));
    *at += b.n;
    if (array->bytes > 0)
        CAIRN_TRY(cairn_file_write_at(file, array->data, (size_t)array->bytes, *at));
    *at += array->bytes;
    return CAIRN_OK;
}

static cairn_status write_row(cairn_file              *file,
                              const cairn_archive_out *array,
                              const member            *m,
                              int64_t                 *at)
{
    char         name[NAME];
    const size_t length = (size_t)snprintf(name, sizeof name, "%s.npy", array->name);
    buffer       b      = {.n = 0};

    put(&b, 4, 0x02014b50);
    put(&b, 2, NEEDS);
    put_common(&b, m, length, 28);
    put(&b, 2, 0);
    put(&b, 8, 0); /* disk, attributes */
    put(&b, 4, UINT32_MAX);
    put_bytes(&b, name, length);
    put(&b, 2, 1);
    put(&b, 2, 24);
    put(&b, 8, (uint64_t)m->bytes);
    put(&b, 8, (uint64_t)m->bytes);
    put(&b, 8, (uint64_t)m->offset);
    CAIRN_TRY(cairn_file_write_at(file, b.bytes, (size_t)b.n, *at));
    *at += b.n;
    return CAIRN_OK;
}

/// The directory's end in 64 bits, where that is, and the end as it always was.
static cairn_status
write_ends(cairn_file *file, int arrays, int64_t begin, int64_t end, int64_t *length)
{
    buffer b = {.n = 0};

    put(&b, 4, 0x06064b50);
    put(&b, 8, 44);
    put(&b, 2, NEEDS);
    put(&b, 2, NEEDS);
    put(&b, 8, 0);
    put(&b, 8, (uint64_t)arrays);
    put(&b, 8, (uint64_t)arrays);
    put(&b, 8, (uint64_t)(end - begin));
    put(&b, 8, (uint64_t)begin);
    put(&b, 4, 0x07064b50);
    put(&b, 4, 0);
    put(&b, 8, (uint64_t)end);
    put(&b, 4, 1);
    put(&b, 4, 0x06054b50);
    put(&b, 4, 0);
    put(&b, 2, (uint64_t)arrays);
    put(&b, 2, (uint64_t)arrays);
    put(&b, 4, (uint64_t)(end - begin));
    put(&b, 4, begin < UINT32_MAX ? (uint64_t)begin : UINT32_MAX);
    put(&b, 2, 0);
    *length = end + b.n;
    return cairn_file_write_at(file, b.bytes, (size_t)b.n, end);
}

cairn_status
cairn_npz_write(cairn_file *file, const cairn_archive_list *list, int64_t *length)
{
    member      *m      = NULL;
    int64_t      at     = 0;
    cairn_status status = CAIRN_NEW(list->env, list->arrays, &m);

    for (int k = 0; k < list->arrays; k++)
        if (status == CAIRN_OK)
            status = write_member(file, &list->array[k], &m[k], &at);
    const int64_t begin = at;

    for (int k = 0; k < list->arrays; k++)
        if (status == CAIRN_OK) status = write_row(file, &list->array[k], &m[k], &at);
    if (status == CAIRN_OK) status = write_ends(file, list->arrays, begin, at, length);
    cairn_free(list->env, m);
    return status;
}
