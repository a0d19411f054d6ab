// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Shares as files.

#include "checkpoint/share.h"

#include "base/file.h"
#include "checkpoint/manifest.h"
#include "io/native/io_native.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'C', 'A', 'I', 'R', 'N', 'C', 'K', 'S'};

static_assert(sizeof(cairn_share_head) == 144, "bytes without gaps");

enum { CHECKED = 16 }; ///< What is before this byte has no checksum.

static int64_t blocks_of(const cairn_share_head *h)
{
    return (h->end_row - h->first_row + h->block - 1) / h->block;
}

/// Where values begin.
static int64_t head_bytes(const cairn_share_head *h)
{
    return (int64_t)sizeof *h + 4 * blocks_of(h) * h->vectors;
}

int64_t cairn_share_value_bytes(const cairn_share_head *head)
{
    int64_t row = 0;

    for (uint32_t v = 0; v < head->vectors; v++)
        row += head->bits[v] / 8;
    return row * (head->end_row - head->first_row);
}

void cairn_share_expect(const cairn_checkpoint *state,
                        uint64_t                run,
                        int                     share,
                        int64_t                 first_row,
                        int64_t                 end_row,
                        cairn_share_head       *head)
{
    *head = (cairn_share_head){
        .version    = CAIRN_SHARE_VERSION,
        .run        = run,
        .generation = state->generation,
        .iteration  = state->iteration,
        .first_row  = first_row,
        .end_row    = end_row,
        .block      = CAIRN_SHARE_BLOCK,
        .share      = (uint32_t)share,
        .vectors    = (uint32_t)state->vectors,
    };
    memcpy(head->magic, magic, sizeof magic);
    for (int v = 0; v < state->vectors; v++)
        head->bits[v] = cairn_checkpoint_bits(state->vector[v].dtype);
    head->length = head_bytes(head) + cairn_share_value_bytes(head);
}

static uint32_t crc_of_head(const cairn_share_head *h, const uint32_t *table)
{
    const uint32_t crc =
        cairn_native_crc(0, (const char *)h + CHECKED, (int64_t)sizeof *h - CHECKED);

    return cairn_native_crc(crc, table, 4 * blocks_of(h) * h->vectors);
}

/// The least of two.
static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- writing ---- */

/// Values block by block, so that one is still in the cache when it is written.
static cairn_status
write_values(cairn_file *file, const cairn_share_head *h, const char *at, uint32_t *crc)
{
    int64_t offset = head_bytes(h);

    for (uint32_t v = 0; v < h->vectors; v++)
        for (int64_t row = h->first_row; row < h->end_row; row += h->block) {
            const int64_t bytes = least(h->block, h->end_row - row) * h->bits[v] / 8;

            *crc++ = cairn_native_crc(0, at, bytes);
            CAIRN_TRY(cairn_file_write_at(file, at, (size_t)bytes, offset));
            at += bytes;
            offset += bytes;
        }
    return CAIRN_OK;
}

static cairn_status
write_head(cairn_file *file, const cairn_share_head *h, const uint32_t *table)
{
    cairn_share_head head = *h;

    head.crc = crc_of_head(h, table);
    CAIRN_TRY(cairn_file_write_at(file, &head, sizeof head, 0));
    return cairn_file_write_at(file, table, (size_t)(head_bytes(h) - sizeof head),
                               sizeof head);
}

cairn_status cairn_share_write(cairn_env              *env,
                               const char             *path,
                               const cairn_share_head *head,
                               const char             *values)
{
    cairn_file   file;
    uint32_t    *table;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW(env, blocks_of(head) * head->vectors, &table));
    CAIRN_GO(no_file, cairn_file_create(env, path, &file));
    status = write_values(&file, head, values, table);
    if (status == CAIRN_OK) status = write_head(&file, head, table);
    if (status == CAIRN_OK)
        status = cairn_file_commit(&file);
    else
        cairn_file_discard(&file);
no_file:
    cairn_free(env, table);
    return status;
}

/* ---- reading ---- */

/// A share that is read.
typedef struct {
    cairn_env              *env;
    const char             *path;
    int                     fd;
    const cairn_share_head *head;  ///< Expected, and found to be so.
    uint32_t               *table; ///< [vectors][blocks] Checksums.
    char *block; ///< [head->block] values: one that is wanted in part.
} source;

static cairn_status read_at(const source *s, void *to, int64_t bytes, int64_t offset)
{
    for (int64_t done = 0; done < bytes;) {
        const ssize_t n =
            pread(s->fd, (char *)to + done, (size_t)(bytes - done), offset + done);

        if (n < 0 && errno == EINTR) continue;
        CAIRN_CHECK(n >= 0, s->env, CAIRN_IO, "%s: %s", s->path, strerror(errno));
        CAIRN_CHECK(n > 0, s->env, CAIRN_BAD_FILE, "%s: ends at byte %" PRId64, s->path,
                    offset + done);
        done += n;
    }
    return CAIRN_OK;
}

/// Is it the share that is expected?
static cairn_status check_head(const source *s, const cairn_share_head *is)
{
    const cairn_share_head *e   = s->head;
    cairn_env              *env = s->env;

    CAIRN_CHECK(memcmp(is->magic, e->magic, sizeof magic) == 0, env, CAIRN_BAD_FILE,
                "%s: is no share of a checkpoint", s->path);
    CAIRN_CHECK(is->version == e->version, env, CAIRN_BAD_FILE,
                "%s: has version %" PRIu32 ", and %d is known", s->path, is->version,
                CAIRN_SHARE_VERSION);
    CAIRN_CHECK(is->run == e->run && is->generation == e->generation, env,
                CAIRN_BAD_FILE, "%s: is another checkpoint's than its manifest",
                s->path);
    CAIRN_CHECK(memcmp((const char *)is + CHECKED, (const char *)e + CHECKED,
                       sizeof *e - CHECKED)
                    == 0,
                env, CAIRN_BAD_FILE, "%s: contradicts its manifest", s->path);
    return CAIRN_OK;
}

/// Compare the file's length before memory is taken on the manifest's word.
static cairn_status open_share(source *s)
{
    const cairn_share_head *e = s->head;
    cairn_share_head        is;
    struct stat             about;

    s->fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* were it a pipe */
    CAIRN_CHECK(s->fd >= 0 && fstat(s->fd, &about) == 0, s->env,
                errno == ENOENT ? CAIRN_BAD_FILE : CAIRN_IO, "%s: %s", s->path,
                strerror(errno));
    CAIRN_CHECK(about.st_size == e->length, s->env, CAIRN_BAD_FILE,
                "%s: has %" PRId64 " bytes, and should have %" PRId64, s->path,
                (int64_t)about.st_size, e->length);
    CAIRN_TRY(read_at(s, &is, sizeof is, 0));
    CAIRN_TRY(check_head(s, &is));
    CAIRN_TRY(CAIRN_NEW(s->env, blocks_of(e) * e->vectors, &s->table));
    CAIRN_TRY(CAIRN_NEW(s->env, 8 * e->block, &s->block));
    CAIRN_TRY(read_at(s, s->table, head_bytes(e) - (int64_t)sizeof is, sizeof is));
    CAIRN_CHECK(is.crc == crc_of_head(e, s->table), s->env, CAIRN_BAD_FILE,
                "%s: is damaged: the checksum of its head is another", s->path);
    return CAIRN_OK;
}

/// Rows @p from .. @p to - 1 of vector @p v to @p out, by whole blocks.
static cairn_status read_rows(const source *s,
                              uint32_t      v,
                              int64_t       offset,
                              int64_t       from,
                              int64_t       to,
                              char         *out)
{
    const cairn_share_head *h    = s->head;
    const int64_t           size = h->bits[v] / 8;
    const uint32_t         *crc  = s->table + v * blocks_of(h);

    for (int64_t b = (from - h->first_row) / h->block; from < to; b++) {
        const int64_t begin = h->first_row + b * h->block;
        const int64_t end   = least(begin + h->block, h->end_row);
        const int64_t upto  = least(end, to);
        const bool    whole = from == begin && upto == end;
        char *const   at    = whole ? out : s->block;

        CAIRN_TRY(read_at(s, at, (end - begin) * size,
                          offset + (begin - h->first_row) * size));
        CAIRN_CHECK(crc[b] == cairn_native_crc(0, at, (end - begin) * size), s->env,
                    CAIRN_BAD_FILE,
                    "%s: is damaged: rows %" PRId64 "..%" PRId64 " of vector %" PRIu32
                    " have another checksum",
                    s->path, begin, end - 1, v);
        if (!whole)
            memcpy(out, at + (from - begin) * size, (size_t)((upto - from) * size));
        out += (upto - from) * size;
        from = upto;
    }
    return CAIRN_OK;
}

cairn_status cairn_share_read(cairn_env              *env,
                              const char             *path,
                              const cairn_share_head *expected,
                              int64_t                 from,
                              int64_t                 to,
                              const cairn_checkpoint *state)
{
    source       s      = {.env = env, .path = path, .fd = -1, .head = expected};
    int64_t      offset = head_bytes(expected);
    cairn_status status = open_share(&s);

    for (uint32_t v = 0; v < expected->vectors && status == CAIRN_OK; v++) {
        const int64_t size = expected->bits[v] / 8;

        status = read_rows(&s, v, offset, from, to,
                           (char *)state->vector[v].value
                               + (from - state->first_row) * size);
        offset += size * (expected->end_row - expected->first_row);
    }
    if (s.fd >= 0) close(s.fd);
    cairn_free(env, s.block);
    cairn_free(env, s.table);
    return status;
}
