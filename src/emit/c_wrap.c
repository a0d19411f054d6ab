// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lines that are too long, broken as clang-format breaks our sources: before the
/// loosest operator or after the outermost comma, the rest below what it belongs to.

#include "emit/c_inside.h"

#include <string.h>

/// Where the printer stands in a line: columns at which the rest of every open
/// parenthesis is aligned.
typedef struct {
    int column[32];
    int depth;
} context;

/// Operators between blanks, loosest first: the earlier, the better to break before.
static const char *const loose[] = {
    "?", ":", "||", "&&", "|", "&", "==", "!=", "<=", ">=",
    "<", ">", "<<", ">>", "+", "-", "*",  "/",  "%",
};

/// How loosely the text at @p at, a blank, is held together: small is loose; -1 where a
/// line cannot be broken.
static int looseness(const char *line, int at)
{
    const size_t count = sizeof loose / sizeof *loose;

    if (line[at - 1] == ';') return 0;
    if (line[at - 1] == ',') return 1;
    for (size_t n = 0; n < count; n++) {
        const size_t length = strlen(loose[n]);

        if (strncmp(line + at + 1, loose[n], length) == 0
            && line[at + 1 + length] == ' ')
            return 2 + (int)n;
    }
    return -1;
}

/// Follow @p length characters that stand from column @p column on.
static void follow(context *c, const char *piece, int length, int column)
{
    for (int n = 0; n < length; n++, column++) {
        const bool value = c->depth == 0 && piece[n] == ' ' && n > 0
                           && (piece[n - 1] == '='
                               || (n >= 6 && strncmp(piece + n - 6, "return", 6) == 0));

        if (strchr("([{", piece[n])) {
            c->depth += c->depth < 31;
            c->column[c->depth] = column + 1;
        }
        if (strchr(")]}", piece[n])) c->depth -= c->depth > 0;
        if (value) c->column[0] = column + 1;
    }
}

/// A place where a line may be broken.
typedef struct {
    int at;        ///< The blank; 0: nowhere.
    int depth;     ///< Parentheses around it,
    int looseness; ///< and how it is held together there.
} place;

enum { DEPTH = 64 }; ///< One parenthesis weighs more than all operators.

static int score(place p)
{
    return DEPTH * p.depth + p.looseness;
}

/// The best place to break @p line, whose first character stands at @p column.
static place best_place(const char *line, int column, int depth)
{
    place best = {0};

    for (int n = 0; line[n]; n++) {
        if (strchr("([{", line[n])) depth++;
        if (strchr(")]}", line[n])) depth--;
        if (line[n] != ' ' || n < 2) continue;

        const place here = {n, depth, looseness(line, n)};
        const bool  far  = column + n > CAIRN_C_COLUMNS;

        if (here.looseness < 0 || (far && best.at)) continue;
        if (!best.at || score(here) <= score(best)) best = here;
    }
    return best;
}

/// The blank behind the `=` of an assignment that is a line of its own; 0: there is none.
static int assignment(const char *line)
{
    const char *const at = strstr(line, "= ");
    const size_t      n  = (size_t)(at ? at - line : 0);

    if (!at || n < 2 || memchr(line, '(', n) || !strchr(" +-*", at[-1])) return 0;
    return (int)n + 1;
}

/// Is all behind the `=` better on a line of its own than broken at @p best?
static bool prefer_assignment(const char *line, int behind, place best, int indent)
{
    const int  rest  = (int)strlen(line + behind + 1);
    const int  after = (int)strlen(line + best.at + 1);
    const bool comma = best.looseness < 2;

    if (behind == 0 || best.depth == 0 || indent + 4 + rest > CAIRN_C_COLUMNS)
        return false;
    return !comma || after + indent + behind > CAIRN_C_COLUMNS;
}

/// An operator that holds @p line together more loosely than what it is broken at, in the
/// same parentheses and further on: there it must be broken, too. NULL: there is none.
static const char *looser(const char *line, place broken)
{
    int depth = 0;

    for (const char *at = line + broken.at + 1; *at && depth >= 0; at++) {
        if (strchr("([{", *at)) depth++;
        if (strchr(")]}", *at)) depth--;
        if (*at != ' ' || depth != 0) continue;

        const int how = looseness(line, (int)(at - line));

        if (how >= 2 && how < broken.looseness) return at;
    }
    return NULL;
}

void cairn_c_wrap(cairn_text *out, const char *line, int indent)
{
    context     c      = {.column = {indent + 4}};
    int         column = indent;
    const char *must   = NULL; /* Where the line is broken whether it fits or not. */

    cairn_text_add(out, "%*s", indent, "");
    while (must || column + (int)strlen(line) > CAIRN_C_COLUMNS) {
        const int  behind = column == indent ? assignment(line) : 0;
        place      best   = best_place(line, column, c.depth);
        const bool next   = must && column + (must - line) <= CAIRN_C_COLUMNS;

        if (next) best = (place){.at = (int)(must - line)};
        if (best.at == 0) break;
        if (!next && prefer_assignment(line, behind, best, indent)) {
            cairn_text_add_bytes(out, line, (size_t)behind);
            line += behind + 1;
            c.column[0] = indent + 4;
        } else {
            const bool passed = must && must - line <= best.at;

            if (best.looseness >= 2 && !next)
                must = looser(line, best);
            else if (passed)
                must = NULL;
            follow(&c, line, best.at, column);
            cairn_text_add_bytes(out, line, (size_t)best.at);
            line += best.at + 1;
        }
        column = c.column[c.depth];
        cairn_text_add(out, "\n%*s", column, "");
    }
    cairn_text_add(out, "%s\n", line);
}
