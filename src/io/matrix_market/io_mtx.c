// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The entry lines of Matrix Market files. Reading goes by line, never by token: a
/// missing value must not make the next line's row number the value.

#include "io/matrix_market/io_mtx.h"

#include "io/text/io_number.h"
#include "io/text/io_refuse.h"

#include <inttypes.h>
#include <string.h>

/// Where parsing stands.
typedef struct {
    cairn_env              *env;
    const char             *name;
    const cairn_mtx_header *header;
    const cairn_text_range *range;
    cairn_entries          *entries;
    const char             *begin;   ///< Of the range.
    const char             *p, *end; ///< What is left of the current line.
    const char             *line;    ///< Begin of the current line.
    int64_t                 lines;   ///< Lines of the range before the current one.
    cairn_pos               found;   ///< Entry lines before the current one.
    cairn_coord             i, j;    ///< Array files: position of the next element.
} entry_parser;

static cairn_text_place at(const entry_parser *e)
{
    return cairn_place_in(e->env, e->name, e->range, e->lines, e->line - e->begin);
}

/// Take the next token; empty at the end of the line.
static const char *take_token(entry_parser *e, const char **end)
{
    const char *const begin = cairn_skip_blanks(e->p, e->end);

    *end = e->p = cairn_skip_token(begin, e->end);
    return begin;
}

/// An index that is not plain digits within range: an unusual spelling, or an error.
static cairn_status read_odd_index(entry_parser *e,
                                   const char   *what,
                                   cairn_coord   extent,
                                   cairn_coord  *index)
{
    const char       *end;
    const char *const begin = take_token(e, &end);
    char              text[48];
    int64_t           value;

    if (begin == end)
        return cairn_refuse(at(e), CAIRN_BAD_FILE, "the %s index is missing", what);

    const int error = cairn_parse_integer(begin, end, &value);

    cairn_print_token(begin, end, text);
    if (error == -1)
        return cairn_refuse(at(e), CAIRN_BAD_FILE, "%s index '%s' is not an integer",
                            what, text);
    if (error == -2 || value < 1 || value > extent)
        return cairn_refuse(at(e), CAIRN_BAD_FILE, "%s index %s is outside 1..%" PRId64,
                            what, text, extent);
    *index = value - 1;
    return CAIRN_OK;
}

static inline cairn_status
read_index(entry_parser *e, const char *what, cairn_coord extent, cairn_coord *index)
{
    int64_t value;

    e->p = cairn_skip_blanks(e->p, e->end);

    const char *const p = cairn_take_index(e->p, e->end, &value);

    if (value < 1 || value > extent || (p < e->end && !cairn_is_blank(*p)))
        return read_odd_index(e, what, extent, index);
    e->p   = p;
    *index = value - 1;
    return CAIRN_OK;
}

static cairn_status
read_integer(const entry_parser *e, const char *begin, const char *end, double *value)
{
    int64_t   integer;
    const int error = cairn_parse_integer(begin, end, &integer);

    if (error) return cairn_refuse_integer(at(e), "value", begin, end, error);
    *value = (double)integer;
    return CAIRN_OK;
}

static cairn_status read_value(entry_parser *e, double *value)
{
    const char       *end;
    const char *const begin = take_token(e, &end);

    if (begin == end)
        return cairn_refuse(at(e), CAIRN_BAD_FILE, "the value is missing");
    if (e->header->field == CAIRN_FIELD_INTEGER)
        return read_integer(e, begin, end, value);

    const int error = cairn_parse_double(begin, end, value);

    return error ? cairn_refuse_double(at(e), begin, end, error) : CAIRN_OK;
}

static cairn_status check_line_end(entry_parser *e)
{
    const char       *end;
    const char *const begin = take_token(e, &end);
    char              text[48];

    if (begin == end) return CAIRN_OK;
    return cairn_refuse(at(e), CAIRN_BAD_FILE, "'%s' follows a complete entry",
                        cairn_print_token(begin, end, text));
}

/// Append an entry and, when it stands for two, its mirror image.
static cairn_status
add_entry(const entry_parser *e, cairn_coord i, cairn_coord j, double value)
{
    CAIRN_TRY(cairn_entries_add(e->env, e->entries, (cairn_coord[]){i, j}, value));
    if (e->header->symmetry == CAIRN_SYM_GENERAL || i == j) return CAIRN_OK;
    return cairn_entries_add(e->env, e->entries, (cairn_coord[]){j, i},
                             e->header->symmetry == CAIRN_SYM_SKEW ? -value : value);
}

static cairn_status read_coordinate_line(entry_parser *e)
{
    cairn_coord i = 0, j = 0;
    double      value = 1.0;

    CAIRN_TRY(read_index(e, "row", e->header->rows, &i));
    CAIRN_TRY(read_index(e, "column", e->header->cols, &j));
    if (e->header->field != CAIRN_FIELD_PATTERN) CAIRN_TRY(read_value(e, &value));
    CAIRN_TRY(check_line_end(e));
    if (!cairn_may_store(e->header->symmetry, i, j))
        return cairn_refuse_entry(at(e), e->header->symmetry_word, i, j);
    return add_entry(e, i, j, value);
}

/// Elements of an array file before column @p j.
static __int128 elements_before(const cairn_mtx_header *header, cairn_coord j)
{
    const __int128 n = header->rows, c = j;

    if (header->symmetry == CAIRN_SYM_GENERAL) return n * c;
    return (n - (header->symmetry == CAIRN_SYM_SKEW)) * c - c * (c - 1) / 2;
}

static cairn_coord first_row(const cairn_mtx_header *header, cairn_coord j)
{
    if (header->symmetry == CAIRN_SYM_GENERAL) return 0;
    return j + (header->symmetry == CAIRN_SYM_SKEW);
}

/// Find the position of element @p first: the last column with none of its own before.
static void find_position(entry_parser *e, cairn_pos first)
{
    cairn_coord low = 0, high = e->header->cols > 0 ? e->header->cols - 1 : 0;

    while (low < high) {
        const cairn_coord middle = low + (high - low + 1) / 2;

        if (elements_before(e->header, middle) <= first)
            low = middle;
        else
            high = middle - 1;
    }
    e->j = low;
    e->i = first_row(e->header, low)
           + (cairn_coord)(first - elements_before(e->header, low));
}

static cairn_status read_array_line(entry_parser *e)
{
    const cairn_coord i = e->i, j = e->j;
    double            value = 0.0;

    CAIRN_TRY(read_value(e, &value));
    CAIRN_TRY(check_line_end(e));
    if (++e->i == e->header->rows) e->i = first_row(e->header, ++e->j);
    return value != 0.0 ? add_entry(e, i, j, value) : CAIRN_OK;
}

/// One line, which may be blank or a comment.
static inline cairn_status read_line(entry_parser *e)
{
    e->p = cairn_skip_blanks(e->p, e->end);
    if (e->p == e->end) return CAIRN_OK;
    if (*e->p == '%') {
        if (memchr(e->p, '\0', (size_t)(e->end - e->p)))
            return cairn_refuse(at(e), CAIRN_BAD_FILE, "a NUL byte: this is not text");
        return CAIRN_OK;
    }
    if (e->range->first + e->found >= e->header->entries)
        return cairn_refuse(at(e), CAIRN_BAD_FILE,
                            "more entries than the %" PRId64 " of the size line",
                            e->header->entries);
    e->found++;
    return e->header->array ? read_array_line(e) : read_coordinate_line(e);
}

/// Let the scanner take usual lines from @p p on. Returns where it stopped.
static const char *scan_lines(entry_parser        *e,
                              const cairn_scanner *scanner,
                              const char          *p,
                              const char          *end)
{
    const cairn_mtx_header *h    = e->header;
    cairn_scan              scan = {.p       = p,
                                    .end     = end,
                                    .rows    = h->rows,
                                    .cols    = h->cols,
                                    .pattern = h->field == CAIRN_FIELD_PATTERN,
                                    .integer = h->field == CAIRN_FIELD_INTEGER,
                                    .mirror  = h->symmetry != CAIRN_SYM_GENERAL,
                                    .skew    = h->symmetry == CAIRN_SYM_SKEW,
                                    .entries = e->entries};

    scanner->run(&scan, h->entries - e->range->first - e->found);
    e->lines += scan.lines;
    e->found += scan.lines;
    return scan.p;
}

/// For the first lines: room for as many entries as there are lines. What follows is
/// estimated from them, or grows.
static cairn_status reserve_first(entry_parser *e, const char *begin, const char *end)
{
    const cairn_pos most  = e->env->memory_limit / cairn_entry_bytes(2);
    const cairn_pos lines = cairn_mtx_line_count(begin, end);
    const cairn_pos want = e->header->symmetry == CAIRN_SYM_GENERAL ? lines : 2 * lines;

    return cairn_entries_reserve(e->env, e->entries, want < most ? want : most);
}

cairn_status cairn_mtx_read_lines(const cairn_mtx_way *way,
                                  const char          *begin,
                                  const char          *end,
                                  cairn_text_range    *range,
                                  cairn_entries       *entries)
{
    const bool   scan = way->scanner && !way->header->array;
    entry_parser e    = {.env     = way->env,
                         .name    = way->name,
                         .header  = way->header,
                         .range   = range,
                         .entries = entries,
                         .begin   = begin};

    if (way->header->array) find_position(&e, range->first);
    if (scan && entries->capacity == 0) CAIRN_TRY(reserve_first(&e, begin, end));
    for (const char *p = begin; p < end; p = e.end + 1, e.lines++) {
        if (scan) p = scan_lines(&e, way->scanner, p, end);
        if (p == end) break;

        const char *const newline = memchr(p, '\n', (size_t)(end - p));

        e.line = e.p = p;
        e.end        = newline ? newline : end;
        CAIRN_TRY(read_line(&e));
    }
    range->found = e.found;
    range->lines = e.lines;
    return CAIRN_OK;
}
