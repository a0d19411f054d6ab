// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A file, plain or gzip, as a sequence of chunks of whole lines. A line that a chunk
/// cuts is carried over to the next one; a line longer than a chunk makes the buffer
/// grow. Nothing here knows ranks.

#ifndef CAIRN_IO_STREAM_H
#define CAIRN_IO_STREAM_H

#include "base/env.h"

typedef struct cairn_gunzip cairn_gunzip;
typedef struct cairn_ahead  cairn_ahead;

typedef struct cairn_stream {
    cairn_env  *env;
    const char *path; ///< The caller's; for messages.
    int         fd;
    int64_t     size; ///< Bytes of the file on disk.
    int64_t at, to;   ///< Plain files: bytes [at, to) of the file are still to be read.
    cairn_gunzip *gunzip;            ///< NULL for a plain file.
    cairn_ahead  *ahead;             ///< Reads `gunzip`.
    char         *buffer;            ///< [capacity]
    size_t  begin, length, capacity; ///< Bytes [begin, length) are not yet consumed.
    size_t  searched; ///< Bytes behind `begin` that are known to hold no newline.
    size_t  chunk;    ///< Bytes of the buffer at first.
    int64_t offset;   ///< Byte offset in the (inflated) file of buffer[begin].
    bool    ended;    ///< Nothing follows the buffer.
} cairn_stream;

/// Open a file and see whether it is gzip.
///
/// Local. Pairs with cairn_stream_close(), also after a failure.
///
/// @param[in] chunk  Bytes read at a time.
/// @retval CAIRN_IO  It cannot be opened or read, or is no regular file.
cairn_status
cairn_stream_open(cairn_env *env, const char *path, size_t chunk, cairn_stream *stream);

void cairn_stream_close(cairn_stream *stream);

/// Whether the file is gzip, by its magic.
static inline bool cairn_stream_is_gzip(const cairn_stream *stream)
{
    return stream->gunzip != NULL;
}

/// Start again with the bytes [from, to) of a plain file.
void cairn_stream_set_range(cairn_stream *stream, int64_t from, int64_t to);

/// Read more behind what the buffer holds, or set `ended`.
///
/// @retval CAIRN_IO        Reading failed, or the file is shorter than it was.
/// @retval CAIRN_BAD_FILE  The gzip data are damaged or cut.
cairn_status cairn_stream_fill(cairn_stream *stream);

/// Drop @p bytes from the begin of the buffer.
void cairn_stream_consume(cairn_stream *stream, size_t bytes);

/// Hand out the next whole lines and consume them; the text lives until the next call.
/// The last line may lack its newline; at the end the range is empty.
cairn_status
cairn_stream_lines(cairn_stream *stream, const char **begin, const char **end);

/// Find the first line of a plain file that starts at @p offset or later; @p begin is
/// where one starts for sure. @p start gets the file's size when there is none.
cairn_status cairn_stream_line_start(cairn_stream *stream,
                                     int64_t       begin,
                                     int64_t       offset,
                                     int64_t      *start);

/// How much of the file's bytes was read (gzip: inflated), 0..1.
double cairn_stream_progress(const cairn_stream *stream);

/// Read a file through pread, all of @p bytes unless the file ends; @p got says.
cairn_status cairn_read_at(cairn_env  *env,
                           const char *path,
                           int         fd,
                           char       *out,
                           size_t      bytes,
                           int64_t     offset,
                           size_t     *got);

/// Inflate the gzip file @p fd from its begin; several members make one text.
cairn_status
cairn_gunzip_create(cairn_env *env, const char *path, int fd, cairn_gunzip **gunzip);

/// Bytes of the file that were inflated.
int64_t cairn_gunzip_offset(const cairn_gunzip *gunzip);

void cairn_gunzip_destroy(cairn_gunzip *gunzip);

/// Inflate up to @p room bytes; @p got is less only at the end.
///
/// @retval CAIRN_BAD_FILE  Damaged, cut, or something else follows the last member.
cairn_status
cairn_gunzip_read(cairn_gunzip *gunzip, char *out, size_t room, size_t *got);

/// Leave messages in @p env, which another thread than its own may use.
void cairn_gunzip_tell(cairn_gunzip *gunzip, cairn_env *env);

/// Inflate chunks of @p size bytes ahead of those that ask for them, if the environment
/// has more than one thread. Pairs with cairn_ahead_destroy(), before that of @p gunzip.
cairn_status cairn_ahead_create(cairn_env    *env,
                                cairn_gunzip *gunzip,
                                size_t        size,
                                cairn_ahead **ahead);

/// Wait for what is under way; NULL is accepted.
void cairn_ahead_destroy(cairn_ahead *ahead);

/// Take up to @p room inflated bytes.
///
/// @param[out] got    Less than @p room also where a chunk ends; 0 only at the end.
/// @param[out] ended  Nothing follows.
/// @retval CAIRN_BAD_FILE  As cairn_gunzip_read().
cairn_status
cairn_ahead_read(cairn_ahead *ahead, char *out, size_t room, size_t *got, bool *ended);

/// Bytes of the file behind which the chunks begin that were not yet taken from.
int64_t cairn_ahead_offset(const cairn_ahead *ahead);

#endif
