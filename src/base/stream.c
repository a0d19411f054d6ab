// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lines by the machine's own stores; on others by the usual ones.

#include "base/stream.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#    include <immintrin.h>
#endif

enum { LINE = CAIRN_STREAM_LINE };

/// Bytes of the line in which @p to lies that are before it.
static inline size_t before(const char *to)
{
    return (uintptr_t)to % LINE;
}

static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/// The first whole line of a row that goes on at @p to, seen from there: it begins in what
/// is carried, or, where that does not reach so far back, behind the line that it is in.
/// Of that line is written what there is, if it is full now.
static inline ptrdiff_t
begin_row(char *to, const char *from, size_t carried, size_t bytes)
{
    const size_t passed = before(to), rest = LINE - passed;

    if (passed <= carried) return -(ptrdiff_t)passed;
    if (rest <= bytes) memcpy(to - carried, from - carried, carried + rest);
    return (ptrdiff_t)rest;
}

#ifdef __SSE2__
/// Lines of which each is one store: none waits for the rest of a line.
__attribute__((target("avx512f"))) static void send_lines(cairn_stream_table t,
                                                          ptrdiff_t          bytes)
{
    for (size_t r = 0; r < t.rows; r++) {
        char *const to   = t.to + r * t.to_stride;
        char *const from = t.tile + r * t.tile_stride;
        ptrdiff_t   at   = begin_row(to, from, t.carried, (size_t)bytes);

        for (; at + LINE <= bytes; at += LINE)
            _mm512_stream_si512((void *)(to + at), _mm512_loadu_si512(from + at));
        if (at != bytes)
            _mm512_storeu_si512(from - LINE, _mm512_loadu_si512(from + bytes - LINE));
        if (t.clear) memset(from, 0, (size_t)bytes);
    }
}

__attribute__((target("avx512f"))) static void
copy_lines(char *to, const char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINE)
        _mm512_stream_si512((void *)(to + at), _mm512_loadu_si512(from + at));
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

static void fence(void)
{
    _mm_sfence();
}
#else
static inline void stream_line(char *to, const char *from)
{
    memcpy(to, from, LINE);
}

static void send_lines(cairn_stream_table t, ptrdiff_t bytes)
{
    (void)t;
    (void)bytes;
}

static void copy_lines(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static bool has_lines(void)
{
    return false;
}

static void fence(void)
{
}
#endif

static void send_parts(cairn_stream_table t, ptrdiff_t bytes)
{
    for (size_t r = 0; r < t.rows; r++) {
        char *const to   = t.to + r * t.to_stride;
        char *const from = t.tile + r * t.tile_stride;
        ptrdiff_t   at   = begin_row(to, from, t.carried, (size_t)bytes);

        for (; at + LINE <= bytes; at += LINE)
            stream_line(to + at, from + at);
        if (at != bytes) memmove(from - LINE, from + bytes - LINE, LINE);
        if (t.clear) memset(from, 0, (size_t)bytes);
    }
}

void cairn_stream_send(cairn_stream_table *t, size_t bytes)
{
    /* by value, since what is written might else be the table itself */
    if (has_lines())
        send_lines(*t, (ptrdiff_t)bytes);
    else
        send_parts(*t, (ptrdiff_t)bytes);
    t->to += bytes;
    t->carried = smaller(t->carried + bytes, LINE);
}

void cairn_stream_end(cairn_stream_table *t)
{
    for (size_t r = 0; r < t->rows; r++) {
        char *const  to   = t->to + r * t->to_stride;
        const size_t left = smaller(before(to), t->carried);

        memcpy(to - left, t->tile + r * t->tile_stride - left, left);
    }
    fence();
}

void cairn_stream_copy(void *to, const void *from, size_t bytes)
{
    char        *its   = to;
    const char  *other = from;
    const size_t first = smaller(before(its) ? LINE - before(its) : 0, bytes);
    const size_t lines = (bytes - first) / LINE * LINE;

    memcpy(its, other, first);
    its += first;
    other += first;
    if (has_lines())
        copy_lines(its, other, lines);
    else
        for (size_t at = 0; at < lines; at += LINE)
            stream_line(its + at, other + at);
    memcpy(its + lines, other + lines, bytes - first - lines);
    fence();
}
