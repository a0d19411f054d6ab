// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Readers of byte ranges, whatever their kind: the whole text at once by one thread and
/// by several, and the same text in chunks of whole lines, give the same header and
/// entries or the same message, and memory that the text has paid for.

#ifndef CAIRN_TESTS_FUZZ_LINES_H
#define CAIRN_TESTS_FUZZ_LINES_H

#include "fuzz.h"
#include "io/harwell_boeing/io_hb.h"
#include "io/matrix_market/io_tns.h"

/// One way of reading a text.
typedef struct {
    cairn_env    env;
    cairn_status status;
    size_t       begin; ///< Bytes and lines of the header.
    int64_t      lines;
    cairn_shape  shape;
    union {
        cairn_mtx_header mtx;
        cairn_tns_header tns;
        cairn_hb_header  hb;
    };
    cairn_hb_cards hb_cards;
    int64_t        hb_lines;
    cairn_entries  entries;
} reading;

/// A kind of text.
typedef struct {
    /// As the readers have it; sets begin, lines and shape.
    void (
        *header)(reading *r, const char *begin, const char *end, bool last, bool *more);
    void (*start)(reading *r); ///< Behind the header.
    void (*range)(reading          *r,
                  const char       *begin,
                  const char       *end,
                  cairn_text_range *range);
    void (*finish)(reading *r); ///< All was given; sets what is left of the shape.
    void (*close)(reading *r);
} text_kind;

enum { BYTES_A_BYTE = 512, BYTES_AT_ALL = 1 << 17 };

/// The header from longer and longer beginnings; at once if @p state is NULL.
static inline void read_header(const text_kind *kind,
                               reading         *r,
                               const char      *text,
                               size_t           size,
                               uint64_t        *state)
{
    bool more = true;

    for (size_t n = 0; more;) {
        n += state ? 1 + random_next(state) % 40 : size;
        if (n > size) n = size;
        char *chunk = fuzz_copy(text, n);

        more = false;
        kind->header(r, chunk, chunk + n, n == size, &more);
        free(chunk);
        FUZZ_CHECK(!more || (n < size && r->status == CAIRN_OK), "more of nothing");
    }
    FUZZ_CHECK(r->status != CAIRN_OK || r->begin <= size, "%zu bytes", r->begin);
}

/// Where the line ends that holds byte @p at.
static inline size_t line_end(const char *text, size_t size, size_t at)
{
    const char *end = at < size ? memchr(text + at, '\n', size - at) : NULL;

    return end ? (size_t)(end - text) + 1 : size;
}

static inline void read_ranges(const text_kind *kind,
                               reading         *r,
                               const char      *text,
                               size_t           size,
                               uint64_t        *state)
{
    cairn_text_range range = {.first_line = r->lines + 1, .offset = (int64_t)r->begin};

    for (size_t at = r->begin; at < size && r->status == CAIRN_OK;) {
        const size_t end =
            state ? line_end(text, size, at + random_next(state) % 60) : size;
        char *chunk = fuzz_copy(text + at, end - at);

        range.found = range.lines = 0;
        kind->range(r, chunk, chunk + (end - at), &range);
        free(chunk);
        range.first += range.found;
        range.first_line += range.lines;
        range.offset += (int64_t)(end - at);
        at = end;
    }
}

static inline void read_text(const text_kind *kind,
                             reading         *r,
                             const char      *text,
                             size_t           size,
                             uint64_t        *state,
                             int              threads)
{
    memset(r, 0, sizeof *r);
    fuzz_up(&r->env);
    r->env.options.threads = threads;
    read_header(kind, r, text, size, state);
    if (r->status != CAIRN_OK) return;
    cairn_entries_init(&r->entries, r->shape.order);
    kind->start(r);
    read_ranges(kind, r, text, size, state);
    if (r->status == CAIRN_OK) kind->finish(r);
    kind->close(r);
}

static inline void check_reading(reading *r, size_t size)
{
    if (fuzz_succeeded(&r->env, r->status))
        for (int d = 0; d < r->shape.order; d++)
            for (cairn_pos k = 0; k < r->entries.n; k++)
                FUZZ_CHECK(r->entries.coord[d][k] >= 0
                               && r->entries.coord[d][k] < r->shape.extent[d],
                           "coordinate %lld", (long long)r->entries.coord[d][k]);
    FUZZ_CHECK(r->env.peak_bytes <= BYTES_AT_ALL + BYTES_A_BYTE * (int64_t)size,
               "%lld bytes for a text of %zu", (long long)r->env.peak_bytes, size);
}

static inline void
compare_readings(const reading *a, const reading *b, const char *what)
{
    FUZZ_CHECK(a->status == b->status && strcmp(a->env.message, b->env.message) == 0,
               "whole %d: %s; %s %d: %s", a->status, a->env.message, what, b->status,
               b->env.message);
    if (a->status != CAIRN_OK) return;
    FUZZ_CHECK(memcmp(&a->shape, &b->shape, sizeof a->shape) == 0, "shape");
    FUZZ_CHECK(a->entries.n == b->entries.n, "%lld and %lld entries",
               (long long)a->entries.n, (long long)b->entries.n);
    const size_t bytes = (size_t)a->entries.n * 8;

    for (int d = 0; d < a->shape.order && bytes; d++)
        FUZZ_CHECK(memcmp(a->entries.coord[d], b->entries.coord[d], bytes) == 0,
                   "mode %d", d);
    if (bytes)
        FUZZ_CHECK(memcmp(a->entries.value, b->entries.value, bytes) == 0, "values");
}

/// Read a text in another way than @p whole, and compare.
static inline void check_way(const text_kind *kind,
                             const reading   *whole,
                             const uint8_t   *data,
                             size_t           size,
                             uint64_t        *state,
                             int              threads)
{
    static reading other;

    read_text(kind, &other, (const char *)data, size, state, threads);
    compare_readings(whole, &other, state ? "in chunks" : "by threads");
    check_reading(&other, size);
    cairn_entries_fini(&other.env, &other.entries);
    fuzz_down(&other.env);
}

/// Read a text in all ways and compare.
static inline int check_text(const text_kind *kind, const uint8_t *data, size_t size)
{
    static reading whole;
    uint64_t       state   = fuzz_hash(data, size);
    const int      threads = fuzz_threads(&state);

    read_text(kind, &whole, (const char *)data, size, NULL, 1);
    check_reading(&whole, size);
    check_way(kind, &whole, data, size, &state, 1);
    if (threads > 1) check_way(kind, &whole, data, size, NULL, threads);
    cairn_entries_fini(&whole.env, &whole.entries);
    fuzz_down(&whole.env);
    return 0;
}

static inline void nothing(reading *r)
{
    (void)r;
}

#endif
