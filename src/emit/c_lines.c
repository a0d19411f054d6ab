// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lines of statements. Neighbours wait in `run` until something else comes; then their
/// declared names, and their `=`, are put below each other, as in our own sources.

#include "emit/c_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cairn_c_line(cairn_c *c, cairn_text *line)
{
    if (line->status != CAIRN_OK) c->run.status = line->status;
    if (line->data) cairn_text_add(&c->run, "%s;\n", line->data);
    cairn_text_fini(line);
}

void cairn_c_print_line(cairn_c *c, const char *fmt, ...)
{
    va_list args;
    char    text[256];

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    cairn_text_add(&c->run, "%s;\n", text);
}

/// The characters of a line without its marks.
static int width(const char *line, size_t length)
{
    int count = 0;

    for (size_t n = 0; n < length; n++)
        count += line[n] != '\1' && line[n] != '\2';
    return count;
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

/// Where @p mark stands in the line; NULL: nowhere.
static const char *find(const char *line, char mark)
{
    return memchr(line, mark, line_length(line));
}

/// Column of @p mark in a line, and how far it may be moved to the right.
static int column_of(const char *line, char mark, int *room)
{
    const char *const at     = find(line, mark);
    const int         whole  = width(line, line_length(line));
    const int         column = width(line, (size_t)(at - line));

    /* What is too long anyhow is broken behind its mark. */
    *room = whole > CAIRN_C_COLUMNS ? CAIRN_C_COLUMNS - 30 - column
                                    : CAIRN_C_COLUMNS - whole;
    return column;
}

/// The end of the neighbours from @p line on whose @p mark can stand in one column.
static const char *neighbours(const char *line, char mark, int indent, int *column)
{
    int most = 0, limit = 1 << 20;

    while (*line && find(line, mark)) {
        int       room;
        const int at       = column_of(line, mark, &room);
        const int new_most = at > most ? at : most;
        const int may      = at + room - indent;

        if (new_most > (may < limit ? may : limit)) break;
        most  = new_most;
        limit = may < limit ? may : limit;
        line += line_length(line) + 1;
    }
    *column = most;
    return line;
}

/// Copy a line and its end, @p blanks more where @p mark was.
static void copy_marked(cairn_text *out, const char *line, char mark, int column)
{
    const size_t      length = line_length(line);
    const char *const at     = find(line, mark);
    const size_t      head   = (size_t)(at - line);

    cairn_text_add_bytes(out, line, head);
    cairn_text_add(out, "%*s", column - width(line, head), "");
    cairn_text_add_bytes(out, at + 1, length - head - 1);
    cairn_text_add(out, "\n");
}

/// Align one mark in all lines of @p run, which are replaced.
static void align(cairn_text *run, char mark, int indent)
{
    cairn_text out;

    if (run->status != CAIRN_OK) return; /* its last line may have no end */
    cairn_text_init(&out, run->env);
    for (const char *line = run->data; line && *line;) {
        int               column = 0;
        const char *const end    = neighbours(line, mark, indent, &column);

        if (end == line) { /* Without the mark, or alone too long. */
            const size_t length = line_length(line) + 1;

            for (size_t n = 0; n < length; n++)
                if (line[n] != mark) cairn_text_add_bytes(&out, line + n, 1);
            line += length;
        }
        for (; line < end; line += line_length(line) + 1)
            copy_marked(&out, line, mark, column);
    }
    if (run->status != CAIRN_OK) out.status = run->status;
    cairn_text_fini(run);
    *run = out;
}

void cairn_c_flush(cairn_c *c)
{
    align(&c->run, '\1', c->indent);
    align(&c->run, '\2', c->indent);
    for (char *line = c->run.status == CAIRN_OK ? c->run.data : NULL; line && *line;) {
        char *const end = line + line_length(line);

        *end = '\0';
        cairn_c_wrap(&c->text, line, c->indent);
        line = end + 1;
    }
    if (c->run.status != CAIRN_OK) c->text.status = c->run.status;
    cairn_text_fini(&c->run);
}

void cairn_c_blank(cairn_c *c)
{
    cairn_c_flush(c);

    const char *const text   = c->text.data;
    const size_t      length = c->text.length;

    /* Not at the start of a block, nor twice. */
    if (length < 2 || text[length - 2] == '{' || text[length - 2] == '\n') return;
    cairn_text_add(&c->text, "\n");
}

void cairn_c_comment_text(cairn_text *out,
                          const char *note,
                          int         column,
                          const char *fresh)
{
    const int back  = (int)strlen(fresh) - 1;
    bool      first = true;

    while (*note) {
        const int word = (int)strcspn(note, " ");

        if (!first && column + word > CAIRN_C_COLUMNS - 6) {
            cairn_text_add(out, "%s", fresh);
            column = back;
        } else if (!first) {
            cairn_text_add(out, " ");
        }
        for (int n = 0; n < word; n++) { /* Nothing in a note ends its comment. */
            const bool mark = (note[n] == '*' && note[n + 1] == '/')
                              || (note[n] == '/' && note[n + 1] == '*');

            cairn_text_add(out, "%c",
                           mark || (unsigned char)note[n] < ' ' ? '.' : note[n]);
        }
        note += word;
        column += word;
        note += strspn(note, " ");
        column++;
        first = false;
    }
}

void cairn_c_comment(cairn_c *c, const char *note)
{
    char fresh[64];

    snprintf(fresh, sizeof fresh, "\n%*s * ", c->indent < 50 ? c->indent : 50, "");
    cairn_c_flush(c);
    cairn_text_add(&c->text, "%*s/* ", c->indent, "");
    cairn_c_comment_text(&c->text, note, c->indent + 3, fresh);
    cairn_text_add(&c->text, " */\n");
}
