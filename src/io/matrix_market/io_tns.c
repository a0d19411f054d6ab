// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// FROSTT tensors, line by line: a number that is missing must not be taken from the
/// next line.

#include "io/matrix_market/io_tns.h"

#include "io/text/io_number.h"
#include "io/text/io_refuse.h"

#include <inttypes.h>
#include <string.h>

/// Numbers on a line.
static int64_t count_tokens(const char *p, const char *end)
{
    int64_t n = 0;

    for (p = cairn_skip_blanks(p, end); p < end;
         p = cairn_skip_blanks(cairn_skip_token(p, end), end))
        n++;
    return n;
}

/// The first entry line says the order.
static cairn_status check_order(cairn_env        *env,
                                const char       *name,
                                int64_t           line,
                                int64_t           tokens,
                                cairn_tns_header *header)
{
    CAIRN_CHECK(tokens > 1, env, CAIRN_BAD_FILE,
                "read: %s: line %" PRId64
                ": one number is no entry: indices and a value "
                "are (the file has no header)",
                name, line);
    CAIRN_CHECK(tokens - 1 <= CAIRN_MAX_ORDER, env, CAIRN_UNSUPPORTED,
                "read: %s: line %" PRId64 ": %" PRId64
                " modes, more than %d: not in this version",
                name, line, tokens - 1, CAIRN_MAX_ORDER);
    header->order = (int)tokens - 1;
    return CAIRN_OK;
}

cairn_status cairn_tns_read_header(cairn_env        *env,
                                   const char       *name,
                                   const char       *begin,
                                   const char       *end,
                                   bool              last,
                                   cairn_tns_header *header,
                                   bool             *more)
{
    cairn_tns_header fresh = {.order = 0};

    *more = false;
    for (const char *p = begin; p < end;) {
        const size_t      left    = (size_t)(end - p);
        const char *const newline = memchr(p, '\n', left);
        const size_t      length  = newline ? (size_t)(newline - p) : left;
        const char *const stop    = p + length;
        const char *const first   = cairn_skip_blanks(p, stop);

        if (!newline && !last) break;
        if (first < stop && *first != '#') {
            fresh.bytes = (size_t)(p - begin);
            CAIRN_TRY(check_order(env, name, fresh.lines + 1, count_tokens(first, stop),
                                  &fresh));
            *header = fresh;
            return CAIRN_OK;
        }
        fresh.lines++;
        CAIRN_CHECK(!memchr(p, '\0', length), env, CAIRN_BAD_FILE,
                    "read: %s: line %" PRId64 ": a NUL byte: this is not text", name,
                    fresh.lines);
        p = newline ? newline + 1 : end;
    }
    *more = !last;
    CAIRN_CHECK(!last, env, CAIRN_BAD_FILE,
                "read: %s: line %" PRId64
                ": the file has no entry, so the number of its "
                "modes is unknown",
                name, fresh.lines ? fresh.lines : 1);
    return CAIRN_OK;
}

/// Where parsing stands.
typedef struct {
    cairn_env              *env;
    const char             *name;
    const cairn_text_range *range;
    int                     order;
    const char             *begin;   ///< Of the range.
    const char             *p, *end; ///< What is left of the current line.
    const char             *line;    ///< Begin of the current line.
    int64_t                 lines;   ///< Lines of the range before the current one.
} tns_parser;

static cairn_text_place at(const tns_parser *t)
{
    return cairn_place_in(t->env, t->name, t->range, t->lines, t->line - t->begin);
}

/// An entry line has as many numbers as the first one.
static cairn_status check_tokens(const tns_parser *t)
{
    const int64_t tokens = count_tokens(t->line, t->end);

    if (tokens == t->order + 1) return CAIRN_OK;
    return cairn_refuse(at(t), CAIRN_BAD_FILE,
                        "%" PRId64
                        " numbers, but the first entry has %d: %d indices and a "
                        "value",
                        tokens, t->order + 1, t->order);
}

/// An index that is not plain digits: an unusual spelling, or an error.
static cairn_status read_odd_index(tns_parser *t, int mode, cairn_coord *index)
{
    const char *const begin = t->p, *const end = cairn_skip_token(begin, t->end);
    char      text[48];
    int64_t   value;
    const int error = cairn_parse_integer(begin, end, &value);

    cairn_print_token(begin, end, text);
    if (error == -1) {
        CAIRN_TRY(check_tokens(t)); /* another number of modes is the better cause */
        return cairn_refuse(at(t), CAIRN_BAD_FILE, "index %d: '%s' is not an integer",
                            mode + 1, text);
    }
    if (error == -2)
        return cairn_refuse(at(t), CAIRN_BAD_FILE, "index %d: %s is beyond 64 bits",
                            mode + 1, text);
    if (value < 1)
        return cairn_refuse(at(t), CAIRN_BAD_FILE,
                            "index %d: %s is below 1: indices count from 1", mode + 1,
                            text);
    t->p   = end;
    *index = value - 1;
    return CAIRN_OK;
}

static inline cairn_status read_index(tns_parser *t, int mode, cairn_coord *index)
{
    int64_t value;

    t->p = cairn_skip_blanks(t->p, t->end);

    const char *const p = cairn_take_index(t->p, t->end, &value);

    if (p == t->end) return check_tokens(t); /* no value follows: always a failure */
    if (value < 1 || !cairn_is_blank(*p)) return read_odd_index(t, mode, index);
    t->p   = p;
    *index = value - 1;
    return CAIRN_OK;
}

static cairn_status read_value(tns_parser *t, double *value)
{
    const char *const begin = cairn_skip_blanks(t->p, t->end);
    const char *const end   = cairn_skip_token(begin, t->end);

    if (begin == end || cairn_skip_blanks(end, t->end) < t->end) return check_tokens(t);

    const int error = cairn_parse_double(begin, end, value);

    return error ? cairn_refuse_double(at(t), begin, end, error) : CAIRN_OK;
}

static cairn_status
read_entry(tns_parser *t, cairn_coord *extent, cairn_entries *entries)
{
    cairn_coord index[CAIRN_MAX_ORDER];
    double      value = 0.0;

    for (int k = 0; k < t->order; k++)
        CAIRN_TRY(read_index(t, k, &index[k]));
    CAIRN_TRY(read_value(t, &value));
    for (int k = 0; k < t->order; k++)
        if (index[k] >= extent[k]) extent[k] = index[k] + 1;
    return cairn_entries_add(t->env, entries, index, value);
}

cairn_status cairn_tns_read_entries(cairn_env              *env,
                                    const char             *name,
                                    const cairn_tns_header *header,
                                    const char             *begin,
                                    const char             *end,
                                    cairn_text_range       *range,
                                    cairn_coord            *extent,
                                    cairn_entries          *entries)
{
    tns_parser t     = {.env   = env,
                        .name  = name,
                        .range = range,
                        .order = header->order,
                        .begin = begin};
    cairn_pos  found = 0;

    for (const char *p = begin; p < end; p = t.end + 1, t.lines++) {
        const char *const newline = memchr(p, '\n', (size_t)(end - p));

        t.line = p;
        t.end  = newline ? newline : end;
        t.p    = cairn_skip_blanks(p, t.end);
        if (t.p < t.end && *t.p == '#') {
            if (memchr(t.p, '\0', (size_t)(t.end - t.p)))
                return cairn_refuse(at(&t), CAIRN_BAD_FILE,
                                    "a NUL byte: this is not text");
        } else if (t.p < t.end) {
            CAIRN_TRY(read_entry(&t, extent, entries));
            found++;
        }
    }
    range->found = found;
    range->lines = t.lines;
    return CAIRN_OK;
}
