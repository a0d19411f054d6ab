// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The header of a text file, line by line: what the parsers of headers share. The buffer
/// may end within a line; then a longer one is asked for, unless nothing follows it.

#ifndef CAIRN_IO_IO_HEADER_H
#define CAIRN_IO_IO_HEADER_H

#include "io/text/io_refuse.h"

#include <string.h>

/// Characters of a line.
typedef struct cairn_span {
    const char *begin, *end;
} cairn_span;

/// Where parsing stands.
typedef struct cairn_header_parser {
    cairn_env  *env;
    const char *name;    ///< The file's, for messages.
    const char *p, *end; ///< What is left of the buffer.
    bool        last;    ///< Nothing follows the buffer.
    int64_t     line;    ///< Number of the current line; 0: before the first one.
    cairn_span  text;    ///< The current line.
} cairn_header_parser;

/// Step to the next line; false when the buffer holds no whole one any more.
static inline bool cairn_header_next(cairn_header_parser *h)
{
    const char *const newline = memchr(h->p, '\n', (size_t)(h->end - h->p));

    if (!newline && (!h->last || h->p == h->end)) return false;
    h->text = (cairn_span){h->p, newline ? newline : h->end};
    h->p    = newline ? newline + 1 : h->end;
    h->line++;
    return true;
}

/// The current line, to refuse it.
static inline cairn_text_place cairn_header_place(const cairn_header_parser *h)
{
    return (cairn_text_place){.env = h->env, .name = h->name, .line = h->line};
}

#endif
