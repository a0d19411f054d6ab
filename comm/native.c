// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Prologue and table by rank 0; segments by their ranks, at offsets that follow from the
/// lengths of all ranks.

#include "comm/native.h"

#include "comm/collective.h"
#include "comm/output.h"
#include "io/stream/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/// This rank's segment while it is written.
typedef struct {
    cairn_comm        *comm;
    const cairn_local *tensor;
    cairn_coord       *row; ///< The user's at this rank's places; NULL: by number.
    char              *head;
    int64_t            head_bytes;
    cairn_native_row  *table; ///< [size]
    int64_t            total; ///< Length of the file.
    int64_t            version;
    int64_t            rows; ///< As cairn_native_describe() has it.
} writer;

static int64_t row_bytes(const writer *w)
{
    return w->row ? 8 * cairn_interval_size(w->tensor->box[0]) : 0;
}

static int64_t segment_length(const writer *w)
{
    int64_t length = w->head_bytes + cairn_native_padded(row_bytes(w));

    for (int64_t p = 0; p < w->tensor->parts; p++) {
        cairn_array array[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_own_arrays(&w->tensor->part[p], array);

        for (int a = 0; a < arrays; a++)
            length += cairn_native_padded(array[a].bytes);
    }
    return length;
}

/// Hand bytes, padded to 64, to the checksum and, with a file, to it at @p at.
static cairn_status
add_chunk(const void *data, int64_t bytes, cairn_file *file, int64_t *at, uint32_t *crc)
{
    static const char zeros[64];
    const int64_t     rest = cairn_native_padded(bytes) - bytes;

    *crc = cairn_native_crc(*crc, data, bytes);
    *crc = cairn_native_crc(*crc, zeros, rest);
    if (file && bytes > 0)
        CAIRN_TRY(cairn_file_write_at(file, data, (size_t)bytes, *at));
    if (file && rest > 0)
        CAIRN_TRY(cairn_file_write_at(file, zeros, (size_t)rest, *at + bytes));
    *at += bytes + rest;
    return CAIRN_OK;
}

/// All bytes of a segment, chunk by chunk.
static cairn_status for_each_chunk(const writer *w, cairn_file *file, uint32_t *crc)
{
    int64_t at = file ? w->table[w->comm->rank].offset : 0;

    *crc = 0;
    CAIRN_TRY(add_chunk(w->head, w->head_bytes, file, &at, crc));
    for (int64_t p = 0; p < w->tensor->parts; p++) {
        cairn_array array[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_own_arrays(&w->tensor->part[p], array);

        for (int a = 0; a < arrays; a++)
            CAIRN_TRY(add_chunk(array[a].data, array[a].bytes, file, &at, crc));
    }
    return add_chunk(w->row, row_bytes(w), file, &at, crc);
}

/// Give all ranks the length and checksum of each, and the highest version.
static cairn_status make_table(writer *w)
{
    cairn_native_row mine = {.length = segment_length(w)};
    uint32_t         crc;

    CAIRN_TRY(for_each_chunk(w, NULL, &crc)); /* without a file it cannot fail */
    mine.crc = crc;
    CAIRN_TRY(w->comm->ops->allgather(w->comm, &mine, sizeof mine, w->table));
    w->version = cairn_native_version(w->tensor, w->rows);
    CAIRN_TRY(w->comm->ops->allreduce(w->comm, &w->version, 1, CAIRN_MAX));
    w->total = CAIRN_NATIVE_PROLOGUE + w->comm->size * (int64_t)sizeof mine;
    w->total = (w->total + 63) / 64 * 64;
    for (int r = 0; r < w->comm->size; r++) {
        w->table[r].offset = w->total;
        w->total += w->table[r].length;
    }
    return CAIRN_OK;
}

static cairn_status write_front(const writer *w, cairn_file *file)
{
    const int64_t bytes = w->comm->size * (int64_t)sizeof *w->table;
    char          prologue[CAIRN_NATIVE_PROLOGUE];

    if (w->comm->rank != 0) return CAIRN_OK;
    cairn_native_put_prologue(prologue, w->version, w->comm->size, w->total,
                              cairn_native_crc(0, w->table, bytes));
    CAIRN_TRY(cairn_file_write_at(file, prologue, sizeof prologue, 0));
    return cairn_file_write_at(file, w->table, (size_t)bytes, sizeof prologue);
}

static cairn_status write_file(writer *w, const char *path)
{
    cairn_file   file   = {.env = w->comm->env, .fd = -1};
    cairn_status status = cairn_output_open(w->comm, path, &file);
    uint32_t     crc;

    if (status == CAIRN_OK) status = write_front(w, &file);
    if (status == CAIRN_OK) status = for_each_chunk(w, &file, &crc);
    if (status == CAIRN_OK && w->comm->rank != 0) status = cairn_file_sync(&file);
    return cairn_output_finish(w->comm, status, &file);
}

cairn_status cairn_native_write_file(cairn_comm              *comm,
                                     const char              *path,
                                     const cairn_local       *tensor,
                                     const cairn_renumbering *places,
                                     const char              *text,
                                     int64_t                 *bytes)
{
    writer           w         = {.comm = comm, .tensor = tensor};
    cairn_collective arguments = {0};
    cairn_status     status    = CAIRN_OK;

    cairn_collective_text(&arguments, "file", path);
    if (places)
        w.rows = places->parts && places->parts->first ? CAIRN_NATIVE_VERSION
                                                       : CAIRN_NATIVE_PLACES;
    if (places) CAIRN_TRY(cairn_renumbering_rows(comm, places, &w.row));
    status = cairn_native_describe(tensor, text, w.rows, &w.head, &w.head_bytes);
    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, comm->size, &w.table);
    status = cairn_comm_agree_on(comm, status, &arguments);
    if (status == CAIRN_OK) status = make_table(&w);
    if (status == CAIRN_OK) status = write_file(&w, path);
    if (status == CAIRN_OK) *bytes = w.total;
    cairn_free(comm->env, w.row);
    cairn_free(comm->env, w.head);
    cairn_free(comm->env, w.table);
    return status;
}

cairn_status cairn_native_probe(cairn_env *env, const char *path, bool *native)
{
    char      magic[8] = "";
    size_t    got      = 0;
    const int fd       = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    /* Not blocking: a pipe may have no writer. It cannot be read here, hence is no
     * native file; the reader of the other kinds says what it is. */
    CAIRN_CHECK(fd >= 0, env, CAIRN_IO, "read: %s: %s", path, strerror(errno));
    const cairn_status status =
        cairn_read_at(env, path, fd, magic, sizeof magic, 0, &got);

    *native = status == CAIRN_OK && got == sizeof magic
              && memcmp(magic, CAIRN_NATIVE_MAGIC, sizeof magic) == 0;
    close(fd);
    return CAIRN_OK;
}
