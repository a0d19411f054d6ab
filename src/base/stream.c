// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lines by the machine's own stores; on others by the usual ones.

#include "base/stream.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#    include <immintrin.h>
#endif

enum { LINE = 64 };

/// Rows from one table to another, and whether zeros are left behind. Rows are short: what
/// is known of all of them is not asked for each. Passed by value, since what is written
/// might else be the table's own.
typedef struct {
    char       *to;
    const char *from;
    char       *clear; ///< `from`, or NULL.
    size_t      to_stride, from_stride, rows, bytes;
} table;

/// Bytes of a row before whole lines of where it goes, of these, and behind.
typedef struct {
    size_t head, whole, tail;
} span;

static inline span span_of(const void *to, size_t bytes)
{
    const size_t before = (size_t)(-(uintptr_t)to % LINE);
    const size_t head   = before < bytes ? before : bytes;
    const size_t tail   = (bytes - head) % LINE;

    return (span){head, bytes - head - tail, tail};
}

/// Bytes before whole lines.
static inline void copy_head(table t, size_t to, size_t from, span s)
{
    if (s.head) memcpy(t.to + to, t.from + from, s.head);
}

/// Bytes behind whole lines; and of the row, which has been copied, these and as many as
/// stood before lines are cleared: those before them have been.
static inline void end_row(table t, size_t to, size_t from, span s)
{
    const size_t at = s.head + s.whole;

    if (s.tail) memcpy(t.to + to + at, t.from + from + at, s.tail);
    if (t.clear && s.head + s.tail)
        memset(t.clear + from + s.whole, 0, s.head + s.tail);
}

#ifdef __SSE2__
/// Lines of which each is one store: none waits for the rest of a line. What is cleared are
/// lines of the row where it was, which begins one: all that each holds has been copied by
/// then (stores across lines took half as long again).
__attribute__((target("avx512f"))) static void move_lines(table t)
{
    for (size_t r = 0; r < t.rows; r++) {
        const size_t to = r * t.to_stride, from = r * t.from_stride;
        const span   s = span_of(t.to + to, t.bytes);

        copy_head(t, to, from, s);
        for (size_t at = 0; at < s.whole; at += LINE) {
            _mm512_stream_si512((void *)(t.to + to + s.head + at),
                                _mm512_loadu_si512(t.from + from + s.head + at));
            if (t.clear)
                _mm512_storeu_si512(t.clear + from + at, _mm512_setzero_si512());
        }
        end_row(t, to, from, s);
    }
}

/// A line in parts.
static inline void stream_line(char *to, const char *from)
{
    for (size_t at = 0; at < LINE; at += sizeof(__m128i))
        _mm_stream_si128((void *)(to + at), _mm_loadu_si128((const void *)(from + at)));
}

static bool has_lines(void)
{
    return __builtin_cpu_supports("avx512f");
}

void cairn_stream_end(void)
{
    _mm_sfence();
}
#else
static inline void stream_line(char *to, const char *from)
{
    memcpy(to, from, LINE);
}

static void move_lines(table t)
{
    (void)t;
}

static bool has_lines(void)
{
    return false;
}

void cairn_stream_end(void)
{
}
#endif

static void move_parts(table t)
{
    for (size_t r = 0; r < t.rows; r++) {
        const size_t to = r * t.to_stride, from = r * t.from_stride;
        const span   s = span_of(t.to + to, t.bytes);

        copy_head(t, to, from, s);
        for (size_t at = s.head; at < s.head + s.whole; at += LINE)
            stream_line(t.to + to + at, t.from + from + at);
        if (t.clear) memset(t.clear + from, 0, s.whole);
        end_row(t, to, from, s);
    }
}

static void move(table t)
{
    if (has_lines())
        move_lines(t);
    else
        move_parts(t);
}

void cairn_stream_rows(void       *to,
                       size_t      to_stride,
                       const void *from,
                       size_t      from_stride,
                       size_t      rows,
                       size_t      bytes)
{
    move((table){.to          = to,
                 .from        = from,
                 .to_stride   = to_stride,
                 .from_stride = from_stride,
                 .rows        = rows,
                 .bytes       = bytes});
}

void cairn_stream_rows_out(void  *to,
                           size_t to_stride,
                           void  *from,
                           size_t from_stride,
                           size_t rows,
                           size_t bytes)
{
    move((table){.to          = to,
                 .from        = from,
                 .clear       = from,
                 .to_stride   = to_stride,
                 .from_stride = from_stride,
                 .rows        = rows,
                 .bytes       = bytes});
}
