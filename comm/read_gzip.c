// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A gzip file: rank 0 inflates and hands out chunks in file order, each to the rank
/// whose share of the compressed bytes it came from, so that no rank ever has the
/// whole. A rank that fails goes on receiving, and drops what comes, until the message
/// that there are no more chunks: no failure leaves another rank waiting.

#include "comm/read_internal.h"

#include <math.h>
#include <string.h>

enum { TAG_HEAD = 1, TAG_TEXT = 2 };

/// The message before a chunk.
typedef struct {
    int64_t   bytes; ///< Below 0: no more chunks.
    int64_t   first_line, offset;
    cairn_pos first;
} chunk_head;

static cairn_status send_chunk(cairn_file_reading     *r,
                               int                     to,
                               const char             *begin,
                               const char             *end,
                               const cairn_text_range *place)
{
    const cairn_comm_ops *ops  = r->comm->ops;
    const chunk_head      head = {.bytes      = end - begin,
                                  .first_line = place->first_line,
                                  .offset     = place->offset,
                                  .first      = place->first};

    CAIRN_TRY(ops->send(r->comm, &head, sizeof head, to, TAG_HEAD));
    for (const char *p = begin; p < end;) {
        const int64_t left = end - p;
        const int64_t n    = left < (int64_t)r->chunk ? left : (int64_t)r->chunk;

        CAIRN_TRY(ops->send(r->comm, p, n, to, TAG_TEXT));
        p += n;
    }
    return CAIRN_OK;
}

/// Parse what is rank 0's own, send what is not.
static cairn_status deliver(cairn_file_reading *r,
                            int                 to,
                            const char         *begin,
                            const char         *end,
                            cairn_text_range   *place)
{
    cairn_pos entries;
    int64_t   lines;

    if (to == 0) return cairn_read_lines(r, begin, end, place);
    CAIRN_TRY(send_chunk(r, to, begin, end, place));
    cairn_count_lines(begin, end, r->kind->comment, &lines, &entries);
    place->first_line += lines;
    place->first += entries;
    place->offset += end - begin;
    return CAIRN_OK;
}

/// How much of the compressed file was inflated before a chunk and with it, and whose
/// share comes next.
typedef struct {
    double before, after; ///< 0..1
    int    to;
} share;

/// Where in a chunk the share of rank `to` ends: its part of the chunk's compressed
/// bytes, to the end of the line.
static const char *cut_share(const cairn_file_reading *r,
                             const share              *s,
                             const char               *begin,
                             const char               *end)
{
    const double stop = (double)(s->to + 1) / r->comm->size;

    if (s->to + 1 == r->comm->size || stop >= s->after) return end;
    if (stop <= s->before) return begin;

    const double      part    = (stop - s->before) / (s->after - s->before);
    const char *const middle  = begin + (ptrdiff_t)(part * (double)(end - begin));
    const char *const newline = memchr(middle, '\n', (size_t)(end - middle));

    return newline ? newline + 1 : end;
}

static cairn_status hand_out_lines(cairn_file_reading *r,
                                   const char         *begin,
                                   const char         *end,
                                   cairn_text_range   *place,
                                   share              *s)
{
    while (begin < end) {
        const char *const cut = cut_share(r, s, begin, end);

        if (begin < cut) CAIRN_TRY(deliver(r, s->to, begin, cut, place));
        if (cut == end) break;
        s->before = fmax(s->before, (double)(s->to + 1) / r->comm->size);
        begin     = cut;
        s->to++;
    }
    s->before = s->after;
    return CAIRN_OK;
}

static cairn_status hand_out(cairn_file_reading *r)
{
    cairn_text_range place = {.first_line = r->head.lines + 1,
                              .offset     = (int64_t)r->head.bytes};
    const char      *begin, *end;
    share            s = {.to = 0};

    do {
        CAIRN_TRY(cairn_stream_lines(&r->stream, &begin, &end));
        s.after = cairn_stream_progress(&r->stream);
        CAIRN_TRY(hand_out_lines(r, begin, end, &place, &s));
        cairn_progress(r->comm->env, "read", s.after);
    } while (begin < end);
    return CAIRN_OK;
}

/// Told also after a failure.
static cairn_status tell_end(cairn_file_reading *r)
{
    const chunk_head head = {.bytes = -1};

    for (int to = 1; to < r->comm->size; to++)
        CAIRN_TRY(r->comm->ops->send(r->comm, &head, sizeof head, to, TAG_HEAD));
    return CAIRN_OK;
}

/// Where chunks arrive.
typedef struct {
    char   *text; ///< [capacity]: one chunk, grown for a longer line.
    int64_t capacity;
    char   *dropped; ///< [chunk of the reading]: where text goes after a failure.
} inbox;

static cairn_status make_room(cairn_file_reading *r, inbox *in, int64_t bytes)
{
    if (bytes <= in->capacity) return CAIRN_OK;
    CAIRN_TRY(cairn_check_memory(r->comm->env, "a line", bytes));
    CAIRN_TRY(cairn_realloc(r->comm->env, bytes, 1, (void **)&in->text));
    in->capacity = bytes;
    return CAIRN_OK;
}

static cairn_status
receive_text(cairn_file_reading *r, const inbox *in, int64_t bytes, bool keep)
{
    for (int64_t done = 0; done < bytes;) {
        const int64_t left = bytes - done;
        const int64_t n    = left < (int64_t)r->chunk ? left : (int64_t)r->chunk;
        char *const   to   = keep ? in->text + done : in->dropped;

        CAIRN_TRY(r->comm->ops->recv(r->comm, to, n, 0, TAG_TEXT));
        done += n;
    }
    return CAIRN_OK;
}

static cairn_status
parse_chunk(cairn_file_reading *r, const inbox *in, const chunk_head *head)
{
    cairn_text_range place = {
        .first_line = head->first_line, .offset = head->offset, .first = head->first};

    return cairn_read_lines(r, in->text, in->text + head->bytes, &place);
}

/// Receive until the end is told; the first failure is what is returned.
static cairn_status receive(cairn_file_reading *r, inbox *in)
{
    cairn_status status = CAIRN_OK;

    for (;;) {
        chunk_head head;

        CAIRN_TRY(r->comm->ops->recv(r->comm, &head, sizeof head, 0, TAG_HEAD));
        if (head.bytes < 0) return status;
        if (status == CAIRN_OK) status = make_room(r, in, head.bytes);
        CAIRN_TRY(receive_text(r, in, head.bytes, status == CAIRN_OK));
        if (status == CAIRN_OK) status = parse_chunk(r, in, &head);
    }
}

static cairn_status create_inbox(cairn_file_reading *r, inbox *in)
{
    const int64_t chunk = (int64_t)r->chunk;

    if (r->comm->rank == 0) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(r->comm->env, chunk, &in->text));
    in->capacity = chunk;
    return CAIRN_NEW(r->comm->env, chunk, &in->dropped);
}

static cairn_status hand_out_all(cairn_file_reading *r)
{
    const cairn_status status = hand_out(r);
    char               message[CAIRN_MESSAGE];

    /* Telling the end may fail too, but the first failure is the cause. */
    memcpy(message, r->comm->env->message, sizeof message);

    const cairn_status end = status == CAIRN_COMM ? status : tell_end(r);

    if (status == CAIRN_OK) return end;
    return cairn_fail(r->comm->env, status, "%s", message);
}

cairn_status cairn_read_gzip(cairn_file_reading *reading)
{
    cairn_file_reading *const r  = reading;
    inbox                     in = {0};
    cairn_status              status;

    CAIRN_GO(done, cairn_comm_agree(r->comm, create_inbox(r, &in)));
    status = r->comm->rank == 0 ? hand_out_all(r) : receive(r, &in);
    status = cairn_comm_agree(r->comm, status);
done:
    cairn_free(r->comm->env, in.text);
    cairn_free(r->comm->env, in.dropped);
    return status;
}
