// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Collective reading: open on every rank, kind and header on rank 0, then the rest as
/// the kind of file allows.

#include "comm/read_internal.h"

#include <string.h>

/// 4 MB: a chunk is parsed for some ten milliseconds, so that reading ahead, messages
/// and inflating overlap with it, and the buffer stays in the last-level cache.
enum { CHUNK = 4 << 20 };

enum { HEAD = 4096 }; ///< Bytes that are looked at to tell the kind of a file.

void cairn_text_file_fini(cairn_env *env, cairn_text_file *source)
{
    cairn_entries_fini(env, &source->entries);
    *source = (cairn_text_file){0};
}

cairn_status cairn_read_lines(cairn_file_reading *reading,
                              const char         *begin,
                              const char         *end,
                              cairn_text_range   *place)
{
    CAIRN_TRY(reading->kind->read_lines(reading, begin, end, place));
    reading->found += place->found;
    place->first += place->found;
    place->offset += end - begin;
    if (place->first_line) place->first_line += place->lines;
    return CAIRN_OK;
}

/// Whether the buffer shows what kind the file is: three lines do, or a begin that is
/// longer than any header's.
static bool shows_kind(const cairn_stream *stream)
{
    const char *p   = stream->buffer + stream->begin;
    const char *end = stream->buffer + stream->length;

    if (stream->ended || end - p >= HEAD) return true;
    for (int lines = 0; lines < 3; lines++) {
        const char *const newline = memchr(p, '\n', (size_t)(end - p));

        if (!newline) return false;
        p = newline + 1;
    }
    return true;
}

/// Read the head of the file until its kind is known.
static cairn_status find_kind(cairn_file_reading *r)
{
    cairn_stream *const stream = &r->stream;

    do
        CAIRN_TRY(cairn_stream_fill(stream));
    while (!shows_kind(stream));

    const char *const begin = stream->buffer + stream->begin;
    const size_t      have  = stream->length - stream->begin;

    r->head.kind =
        cairn_file_kind_of(r->path, begin, begin + (have < HEAD ? have : HEAD));
    CAIRN_CHECK(r->head.kind >= 0, r->comm->env, CAIRN_BAD_FILE, "read: %s: line 1: %s",
                r->path,
                have == 0 ? "the file is empty"
                          : "the kind of the file is unknown: it begins neither with "
                            "%%MatrixMarket nor as Harwell-Boeing files do, and its "
                            "name is none of .mtx .tns .hb .rb .rua ...");
    return CAIRN_OK;
}

/// Fill all of the buffer, or grow it when it is full.
static cairn_status fill_up(cairn_stream *stream)
{
    do
        CAIRN_TRY(cairn_stream_fill(stream));
    while (!stream->ended && stream->length - stream->begin < stream->capacity);
    return CAIRN_OK;
}

/// Read on until the header is in the buffer. It is parsed from its begin each time, and
/// each time the buffer has doubled, so that long headers take linear time.
static cairn_status read_header(cairn_file_reading *r)
{
    cairn_stream *const stream = &r->stream;
    bool                more;

    CAIRN_TRY(find_kind(r));
    for (;;) {
        const char *const begin = stream->buffer + stream->begin;

        CAIRN_TRY(cairn_file_kinds[r->head.kind].read_header(
            r, begin, stream->buffer + stream->length, &more));
        if (!more) break;
        CAIRN_TRY(fill_up(stream));
    }
    cairn_stream_consume(stream, r->head.bytes);
    return CAIRN_OK;
}

/// What rank 0 tells about the file; ranks that see another file fail while reading.
typedef struct {
    cairn_file_head head;
    int64_t         size;
    bool            gzip;
} file_facts;

static cairn_status share_header(cairn_file_reading *r, bool *gzip)
{
    file_facts facts;

    memset(&facts, 0, sizeof facts);
    CAIRN_TRY(
        cairn_comm_agree(r->comm, r->comm->rank == 0 ? read_header(r) : CAIRN_OK));
    facts.head = r->head;
    facts.size = r->stream.size;
    facts.gzip = cairn_stream_is_gzip(&r->stream);
    CAIRN_TRY(r->comm->ops->broadcast(r->comm, &facts, sizeof facts, 0));
    r->head        = facts.head;
    r->kind        = &cairn_file_kinds[r->head.kind];
    r->stream.size = facts.size;
    *gzip          = facts.gzip;
    return CAIRN_OK;
}

static cairn_status read_all(cairn_file_reading *r, cairn_text_file *source)
{
    bool gzip = false;

    CAIRN_TRY(cairn_comm_agree(
        r->comm, cairn_stream_open(r->comm->env, r->path, r->chunk, &r->stream)));
    CAIRN_TRY(share_header(r, &gzip));
    cairn_entries_init(&r->entries, r->head.order);
    CAIRN_TRY(gzip ? cairn_read_gzip(r) : cairn_read_plain(r));
    return r->kind->finish(r, source);
}

cairn_status cairn_read_text_in_chunks(cairn_comm      *comm,
                                       const char      *path,
                                       size_t           chunk,
                                       cairn_text_file *source)
{
    cairn_text_file    fresh = {.shape.order = 0};
    cairn_file_reading r     = {
            .comm   = comm,
            .path   = path,
            .chunk  = chunk,
            .stream = {.env = comm->env, .fd = -1}
    };

    const cairn_status status = read_all(&r, &fresh);

    if (status == CAIRN_OK) {
        fresh.entries = r.entries;
        *source       = fresh;
    } else {
        cairn_entries_fini(comm->env, &r.entries);
    }
    cairn_hb_cards_fini(comm->env, &r.cards);
    cairn_stream_close(&r.stream);
    return status;
}

cairn_status
cairn_read_text(cairn_comm *comm, const char *path, cairn_text_file *source)
{
    return cairn_read_text_in_chunks(comm, path, CHUNK, source);
}
