// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lines by the machine's own stores; on others by the usual ones.

#include "base/stream.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#    include <immintrin.h>
#endif

enum { LINE = 64 };

#ifdef __SSE2__
/// Lines of which each is one store: none waits for the rest of a line.
__attribute__((target("avx512f"))) static void
copy_whole(char *to, const char *from, size_t lines)
{
    for (size_t k = 0; k < lines; k++, to += LINE, from += LINE)
        _mm512_stream_si512((void *)to, _mm512_loadu_si512(from));
}

static void copy_parts(char *to, const char *from, size_t lines)
{
    enum { PARTS = LINE / (int)sizeof(__m128i) };

    for (size_t k = 0; k < lines * PARTS; k++)
        _mm_stream_si128((__m128i *)(void *)to + k,
                         _mm_loadu_si128((const __m128i *)(const void *)from + k));
}

/// Lines, @p to being aligned.
static void copy_lines(char *to, const char *from, size_t lines)
{
    if (__builtin_cpu_supports("avx512f"))
        copy_whole(to, from, lines);
    else
        copy_parts(to, from, lines);
}

void cairn_stream_end(void)
{
    _mm_sfence();
}
#else
static void copy_lines(char *to, const char *from, size_t lines)
{
    memcpy(to, from, LINE * lines);
}

void cairn_stream_end(void)
{
}
#endif

void cairn_stream_copy(void *to, const void *from, size_t bytes)
{
    char       *a    = to;
    const char *b    = from;
    size_t      head = (size_t)(-(uintptr_t)a % LINE);

    if (head > bytes) head = bytes;
    memcpy(a, b, head);
    bytes -= head;
    copy_lines(a + head, b + head, bytes / LINE);
    head += bytes / LINE * LINE;
    memcpy(a + head, b + head, bytes % LINE);
}
