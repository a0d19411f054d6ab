// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Collective reading: open on every rank, the header on rank 0, then the entry lines
/// as the kind of file allows.

#include "comm/read_internal.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/// 4 MB: a piece is parsed for some ten milliseconds, so that reading ahead, messages
/// and inflating overlap with it, and the buffer stays in the last-level cache.
enum { PIECE = 4 << 20 };

void cairn_matrix_file_fini(cairn_env *env, cairn_matrix_file *source)
{
    cairn_entries_fini(env, &source->entries);
    *source = (cairn_matrix_file){0};
}

cairn_status cairn_read_lines(cairn_reading   *reading,
                              const char      *begin,
                              const char      *end,
                              cairn_mtx_range *place)
{
    CAIRN_TRY(cairn_mtx_read_entries(reading->comm->env, reading->path,
                                     &reading->header, begin, end, place,
                                     &reading->entries));
    reading->found += place->found;
    place->first += place->found;
    place->offset += end - begin;
    if (place->first_line) place->first_line += place->lines;
    return CAIRN_OK;
}

/// Kinds of files that are known by name and not read yet.
static const char *other_kind(const char *path)
{
    static const char *const kinds[] = {".tns", ".rua", ".rsa", ".rb", ".cua"};
    size_t                   n       = strlen(path);

    if (n > 3 && strcasecmp(path + n - 3, ".gz") == 0) n -= 3;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t length = strlen(kinds[k]);

        if (n > length && strncasecmp(path + n - length, kinds[k], length) == 0)
            return kinds[k];
    }
    return NULL;
}

/// The content decides: only what is not Matrix Market is judged by its name.
static cairn_status check_kind(const cairn_reading *r)
{
    const cairn_stream *stream = &r->stream;
    const size_t        have   = stream->length - stream->begin;
    const char *const   kind   = other_kind(r->path);

    if (have >= 14 && memcmp(stream->buffer + stream->begin, "%%MatrixMarket", 14) == 0)
        return CAIRN_OK;
    CAIRN_CHECK(!kind, r->comm->env, CAIRN_UNSUPPORTED,
                "%s: line 1: %s files: not in this version", r->path, kind);
    return CAIRN_OK;
}

/// Read the head of the file until the header is in the buffer.
static cairn_status read_header(cairn_reading *r)
{
    cairn_stream *const stream = &r->stream;
    bool                more   = true;

    while (more) {
        CAIRN_TRY(cairn_stream_fill(stream));
        CAIRN_TRY(check_kind(r));

        const char *const begin = stream->buffer + stream->begin;

        CAIRN_TRY(cairn_mtx_read_header(r->comm->env, r->path, begin,
                                        stream->buffer + stream->length, stream->ended,
                                        &r->header, &more));
    }
    cairn_stream_consume(stream, r->header.bytes);
    return CAIRN_OK;
}

/// What rank 0 tells about the file; ranks that see another file fail while reading.
typedef struct {
    cairn_mtx_header header;
    int64_t          size;
    bool             gzip;
} file_facts;

static cairn_status share_header(cairn_reading *r, bool *gzip)
{
    file_facts facts;

    memset(&facts, 0, sizeof facts);
    CAIRN_TRY(
        cairn_comm_agree(r->comm, r->comm->rank == 0 ? read_header(r) : CAIRN_OK));
    facts.header = r->header;
    facts.size   = r->stream.size;
    facts.gzip   = cairn_stream_is_gzip(&r->stream);
    CAIRN_TRY(r->comm->ops->broadcast(r->comm, &facts, sizeof facts, 0));
    r->header      = facts.header;
    r->stream.size = facts.size;
    *gzip          = facts.gzip;
    return CAIRN_OK;
}

/// Every declared entry must have been there. (Too many were refused where they stood.)
static cairn_status check_total(cairn_reading *r)
{
    int64_t total = r->found;

    CAIRN_TRY(r->comm->ops->allreduce(r->comm, &total, 1, CAIRN_SUM));
    CAIRN_CHECK(total == r->header.entries, r->comm->env, CAIRN_BAD_FILE,
                "%s: end of file: the size line declares %" PRId64
                " entries, but the file has %" PRId64,
                r->path, r->header.entries, total);
    return CAIRN_OK;
}

static cairn_status read_all(cairn_reading *r)
{
    bool gzip = false;

    CAIRN_TRY(cairn_comm_agree(
        r->comm, cairn_stream_open(r->comm->env, r->path, r->piece, &r->stream)));
    CAIRN_TRY(share_header(r, &gzip));
    CAIRN_TRY(gzip ? cairn_read_gzip(r) : cairn_read_plain(r));
    return check_total(r);
}

static void fill_source(cairn_reading *r, cairn_matrix_file *source)
{
    *source = (cairn_matrix_file){
        .shape   = {.order = 2, .extent = {r->header.rows, r->header.cols}},
        .entries = r->entries,
    };
    memcpy(source->field, r->header.field_word, sizeof source->field);
    memcpy(source->symmetry, r->header.symmetry_word, sizeof source->symmetry);
    cairn_entries_init(&r->entries, 2);
}

cairn_status cairn_read_matrix_in_pieces(cairn_comm        *comm,
                                         const char        *path,
                                         size_t             piece,
                                         cairn_matrix_file *source)
{
    cairn_reading r = {
        .comm   = comm,
        .path   = path,
        .piece  = piece,
        .stream = {.env = comm->env, .fd = -1}
    };

    cairn_entries_init(&r.entries, 2);

    const cairn_status status = read_all(&r);

    if (status == CAIRN_OK) fill_source(&r, source);
    cairn_entries_fini(comm->env, &r.entries);
    cairn_stream_close(&r.stream);
    return status;
}

cairn_status
cairn_read_matrix(cairn_comm *comm, const char *path, cairn_matrix_file *source)
{
    return cairn_read_matrix_in_pieces(comm, path, PIECE, source);
}
