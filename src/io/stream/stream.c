// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files as chunks of whole lines. Files are read by pread into a buffer that is used
/// again: a file that shrinks under a mapping would end the process with SIGBUS.

#include "io/stream/stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HALVED = 1 << 20 }; ///< Bytes from which two threads read a chunk.

cairn_status cairn_read_at(cairn_env  *env,
                           const char *path,
                           int         fd,
                           char       *out,
                           size_t      bytes,
                           int64_t     offset,
                           size_t     *got)
{
    size_t done = 0;

    while (done < bytes) {
        const ssize_t n = pread(fd, out + done, bytes - done, offset + (int64_t)done);

        if (n < 0 && errno == EINTR) continue;
        CAIRN_CHECK(n >= 0, env, CAIRN_IO, "read: %s: %s", path, strerror(errno));
        if (n == 0) break;
        done += (size_t)n;
    }
    *got = done;
    return CAIRN_OK;
}

static cairn_status open_file(cairn_stream *stream)
{
    struct stat about;

    stream->fd = open(stream->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    CAIRN_CHECK(stream->fd >= 0, stream->env, CAIRN_IO, "read: %s: %s", stream->path,
                strerror(errno));
    CAIRN_CHECK(fstat(stream->fd, &about) == 0, stream->env, CAIRN_IO, "read: %s: %s",
                stream->path, strerror(errno));
    CAIRN_CHECK(S_ISREG(about.st_mode), stream->env, CAIRN_IO,
                "read: %s: it is not a regular file", stream->path);
    stream->size = about.st_size;
    return CAIRN_OK;
}

cairn_status
cairn_stream_open(cairn_env *env, const char *path, size_t chunk, cairn_stream *stream)
{
    static const char magic[] = {'\x1f', '\x8b'};
    char              head[2];
    size_t            got = 0;

    *stream = (cairn_stream){.env = env, .path = path, .fd = -1, .chunk = chunk};
    CAIRN_TRY(open_file(stream));
    cairn_stream_set_range(stream, 0, stream->size);
    CAIRN_TRY(cairn_read_at(env, path, stream->fd, head, sizeof head, 0, &got));
    if (got < sizeof magic || memcmp(head, magic, sizeof magic) != 0) return CAIRN_OK;
    CAIRN_TRY(cairn_gunzip_create(env, path, stream->fd, &stream->gunzip));
    /* By halves: with what is left of a line a chunk still fits the buffer. */
    return cairn_ahead_create(env, stream->gunzip, chunk > 1 ? chunk / 2 : 1,
                              &stream->ahead);
}

void cairn_stream_close(cairn_stream *stream)
{
    cairn_ahead_destroy(stream->ahead);
    cairn_gunzip_destroy(stream->gunzip);
    cairn_free(stream->env, stream->buffer);
    if (stream->fd >= 0) close(stream->fd);
    *stream = (cairn_stream){.env = stream->env, .fd = -1};
}

void cairn_stream_set_range(cairn_stream *stream, int64_t from, int64_t to)
{
    stream->at = stream->offset = from;
    stream->to                  = to;
    stream->begin = stream->length = stream->searched = 0;
    stream->ended                                     = false;
}

/// Move what is left to the front, and double the buffer when that is all of it.
static cairn_status make_room(cairn_stream *stream)
{
    const size_t left = stream->length - stream->begin;

    assert(stream->begin <= stream->length && stream->length <= stream->capacity);
    if (stream->begin > 0)
        memmove(stream->buffer, stream->buffer + stream->begin, left);
    stream->begin  = 0;
    stream->length = left;
    if (left < stream->capacity) return CAIRN_OK;

    const size_t capacity = stream->capacity ? 2 * stream->capacity : stream->chunk;

    /* Growing means one long line, or a long header, which is held whole: it is held to
     * the limit as arrays are. */
    if (stream->capacity)
        CAIRN_TRY(cairn_check_memory(stream->env, "a line, or a file's header",
                                     (__int128)capacity));
    CAIRN_TRY(
        cairn_realloc(stream->env, (int64_t)capacity, 1, (void **)&stream->buffer));
    stream->capacity = capacity;
    return CAIRN_OK;
}

/// A part of a chunk.
typedef struct {
    int     fd;
    char   *out;
    size_t  bytes;
    int64_t offset;
    bool    done;
} part;

static void read_part(void *parts, int number)
{
    part *const p = (part *)parts + number;

    for (ssize_t n; p->bytes > 0; p->out += n, p->offset += n, p->bytes -= (size_t)n)
        if ((n = pread(p->fd, p->out, p->bytes, p->offset)) <= 0) break;
    p->done = p->bytes == 0;
}

/// Read a long chunk in two halves at once: copying is what reading cached files takes.
/// False when that is not worth it, or went wrong: then it is read again, by one thread,
/// which says why.
static bool read_halves(const cairn_stream *stream, char *out, size_t bytes)
{
    const size_t half    = bytes / 2;
    part         both[2] = {
                {stream->fd, out,        half,         stream->at,                 false},
                {stream->fd, out + half, bytes - half, stream->at + (int64_t)half, false}
    };

    if (stream->env->options.threads < 2 || bytes < HALVED) return false;
    cairn_thread_pool_run(&stream->env->thread_pool, 2, read_part, both, 2);
    return both[0].done && both[1].done;
}

static cairn_status fill_plain(cairn_stream *stream, char *out, size_t room)
{
    const int64_t left  = stream->to - stream->at;
    const size_t  bytes = left < (int64_t)room ? (size_t)left : room;
    size_t        got   = 0;

    assert(left >= 0);
    if (read_halves(stream, out, bytes))
        got = bytes;
    else
        CAIRN_TRY(cairn_read_at(stream->env, stream->path, stream->fd, out, bytes,
                                stream->at, &got));
    CAIRN_CHECK(got == bytes, stream->env, CAIRN_IO,
                "read: %s: the file became shorter meanwhile", stream->path);
    stream->at += (int64_t)got;
    stream->length += got;
    stream->ended = stream->at == stream->to;
    return CAIRN_OK;
}

static cairn_status fill_gzip(cairn_stream *stream, char *out, size_t room)
{
    size_t got = 0;

    CAIRN_TRY(cairn_ahead_read(stream->ahead, out, room, &got, &stream->ended));
    stream->length += got;
    return CAIRN_OK;
}

cairn_status cairn_stream_fill(cairn_stream *stream)
{
    CAIRN_TRY(make_room(stream));

    char *const  out  = stream->buffer + stream->length;
    const size_t room = stream->capacity - stream->length;

    assert(room > 0); /* make_room() has seen to it */

    return stream->gunzip ? fill_gzip(stream, out, room)
                          : fill_plain(stream, out, room);
}

void cairn_stream_consume(cairn_stream *stream, size_t bytes)
{
    assert(bytes <= stream->length - stream->begin);
    stream->begin += bytes;
    stream->offset += (int64_t)bytes;
    stream->searched = 0;
}

/// Find the last newline of the buffer, among the bytes that were not yet searched: a
/// long line is searched once, not once for every chunk of it.
static const char *last_newline(cairn_stream *stream)
{
    const size_t left = stream->length - stream->begin;

    if (left == stream->searched) return NULL;

    const char *const newline =
        memrchr(stream->buffer + stream->begin + stream->searched, '\n',
                left - stream->searched);

    if (!newline) stream->searched = left;
    return newline;
}

cairn_status
cairn_stream_lines(cairn_stream *stream, const char **begin, const char **end)
{
    const char *newline;

    for (;;) {
        newline = last_newline(stream);
        if (newline || stream->ended) break;
        CAIRN_TRY(cairn_stream_fill(stream));
    }

    const size_t bytes = newline
                             ? (size_t)(newline + 1 - stream->buffer) - stream->begin
                             : stream->length - stream->begin;

    /* The buffer may not exist: an empty share is never filled. */
    *begin = stream->buffer ? stream->buffer + stream->begin : "";
    *end   = *begin + bytes;
    cairn_stream_consume(stream, bytes);
    stream->searched = stream->length - stream->begin; /* behind the last newline */
    return CAIRN_OK;
}

cairn_status cairn_stream_line_start(cairn_stream *stream,
                                     int64_t       begin,
                                     int64_t       offset,
                                     int64_t      *start)
{
    char block[1 << 14];

    if (offset <= begin) {
        *start = begin;
        return CAIRN_OK;
    }
    /* From the byte before: a line that starts right here is found too. */
    for (int64_t at = offset - 1; at < stream->size;) {
        size_t got = 0;

        CAIRN_TRY(cairn_read_at(stream->env, stream->path, stream->fd, block,
                                sizeof block, at, &got));

        const char *const newline = memchr(block, '\n', got);

        if (newline) {
            *start = at + (newline - block) + 1;
            return CAIRN_OK;
        }
        if (got == 0) break;
        at += (int64_t)got;
    }
    *start = stream->size;
    return CAIRN_OK;
}

double cairn_stream_progress(const cairn_stream *stream)
{
    const int64_t at = stream->ahead ? cairn_ahead_offset(stream->ahead) : stream->at;

    return stream->size > 0 ? (double)at / (double)stream->size : 1.0;
}
