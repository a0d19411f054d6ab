// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The header cards of Harwell-Boeing and Rutherford-Boeing files:
///
///     title and key
///     TOTCRD PTRCRD INDCRD VALCRD RHSCRD   cards; Rutherford-Boeing has no RHSCRD
///     MXTYPE NROW NCOL NNZERO NELTVL
///     PTRFMT INDFMT VALFMT RHSFMT
///     RHSTYP NRHS NRHSIX                   only where RHSCRD > 0
///
/// Numbers stand in columns of 14 characters. Files whose writers lost count are read
/// too: where a number crosses from one column into the next, blanks separate.

#include "io/harwell_boeing/io_hb.h"
#include "io/text/io_header.h"
#include "io/text/io_number.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum {
    COLUMN = 14, ///< Characters of a number's column.
    COUNTS = 5,  ///< Numbers on the second card.
    SIZES  = 4,  ///< Numbers on the third card.
};

static bool take_number(const char *begin, const char *end, int64_t *number)
{
    return cairn_parse_integer(begin, end, number) == 0 && *number >= 0;
}

/// One number a column of 14; a blank one is 0. @return How many columns there are, to
/// the last that is not blank; -1: a number crosses columns, two share one, it is none,
/// or there are more than @p most.
static int split_columns(cairn_span c, int most, int64_t *number)
{
    int n = 0;

    for (const char *p = c.begin; cairn_skip_blanks(p, c.end) < c.end; n++) {
        const char *const end   = c.end - p < COLUMN ? c.end : p + COLUMN;
        const char *const begin = cairn_skip_blanks(p, end), *const stop =
                                                                 cairn_skip_token(begin,
                                                                                  end);

        if (n == most || cairn_skip_blanks(stop, end) < end) return -1;
        if (stop == end && end < c.end && begin < end && !cairn_is_blank(*end))
            return -1;
        number[n] = 0;
        if (begin < stop && !take_number(begin, stop, &number[n])) return -1;
        p = end;
    }
    return n;
}

/// Numbers between blanks. @return How many; -1 as above.
static int split_blanks(cairn_span c, int most, int64_t *number)
{
    int n = 0;

    for (const char *p = cairn_skip_blanks(c.begin, c.end); p < c.end; n++) {
        const char *const stop = cairn_skip_token(p, c.end);

        if (n == most || !take_number(p, stop, &number[n])) return -1;
        p = cairn_skip_blanks(stop, c.end);
    }
    return n;
}

static int split_numbers(cairn_span c, int most, int64_t *number)
{
    const int n = split_columns(c, most, number);

    return n >= 0 ? n : split_blanks(c, most, number);
}

/// The second card. @p rhs: cards of right-hand sides; 0 in Rutherford-Boeing.
static cairn_status
read_counts(const cairn_header_parser *h, int64_t *values, int64_t *rhs)
{
    int64_t   count[COUNTS] = {0};
    const int n             = split_numbers(h->text, COUNTS, count);

    if (n < 3)
        return cairn_refuse(
            cairn_header_place(h), CAIRN_BAD_FILE,
            "the second card is four or five numbers of cards: in all, of "
            "pointers, of indices, of values, of right-hand sides");
    *values = count[3];
    *rhs    = count[4];
    return CAIRN_OK;
}

/// Number of @p letter among @p letters in any case, or -1.
static int find_letter(char letter, const char *letters)
{
    const char *const at =
        letter ? strchr(letters, toupper((unsigned char)letter)) : NULL;

    return at ? (int)(at - letters) : -1;
}

static bool is_type(const char *begin, const char *end)
{
    return end - begin == 3 && find_letter(begin[0], "RCPIQ") >= 0
           && find_letter(begin[1], "USHZR") >= 0 && find_letter(begin[2], "AE") >= 0;
}

static cairn_status
set_type(const cairn_header_parser *h, const char *type, cairn_hb_header *header)
{
    static const cairn_field    fields[]     = {CAIRN_FIELD_REAL, CAIRN_FIELD_PATTERN,
                                                CAIRN_FIELD_INTEGER};
    static const char *const    field[]      = {"real", "pattern", "integer"};
    static const cairn_symmetry symmetries[] = {CAIRN_SYM_GENERAL, CAIRN_SYM_GENERAL,
                                                CAIRN_SYM_SYMMETRIC, CAIRN_SYM_SKEW};
    static const char *const    symmetry[]   = {"general", "general", "symmetric",
                                                "skew-symmetric"};
    const int f = find_letter(type[0], "RPI"), s = find_letter(type[1], "URSZ");

    if (find_letter(type[0], "CQ") >= 0)
        return cairn_refuse(cairn_header_place(h), CAIRN_UNSUPPORTED,
                            "type %.3s: complex values: not in this version", type);
    if (find_letter(type[2], "E") >= 0)
        return cairn_refuse(cairn_header_place(h), CAIRN_UNSUPPORTED,
                            "type %.3s: elemental, not assembled: not in this version",
                            type);
    if (s < 0)
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "type %.3s: hermitian matrices are complex", type);
    header->field    = fields[f];
    header->symmetry = symmetries[s];
    strcpy(header->field_word, field[f]);
    strcpy(header->symmetry_word, symmetry[s]);
    if (header->field == CAIRN_FIELD_PATTERN && header->symmetry == CAIRN_SYM_SKEW)
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "type %.3s: a pattern has no signs to be skew-symmetric",
                            type);
    return CAIRN_OK;
}

/// Numbers behind the type: from column 15 on, or wherever the type ends.
static int split_sizes(cairn_span c, const char *type_end, int64_t size[SIZES])
{
    const cairn_span columns = {c.end - c.begin < COLUMN ? c.end : c.begin + COLUMN,
                                c.end};

    if (cairn_skip_blanks(type_end, columns.begin) == columns.begin)
        return split_numbers(columns, SIZES, size);
    return split_numbers((cairn_span){type_end, c.end}, SIZES, size);
}

/// The third card.
static cairn_status read_sizes(const cairn_header_parser *h, cairn_hb_header *header)
{
    const char *const begin       = cairn_skip_blanks(h->text.begin, h->text.end);
    const char *const end         = cairn_skip_token(begin, h->text.end);
    int64_t           size[SIZES] = {0};
    char              text[48];

    if (!is_type(begin, end))
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "'%s' is no matrix type: three letters, as RUA, PSA or RZA",
                            cairn_print_token(begin, end, text));
    CAIRN_TRY(set_type(h, begin, header));

    const int n = split_sizes(h->text, end, size);

    if (n < 3)
        return cairn_refuse(
            cairn_header_place(h), CAIRN_BAD_FILE,
            "the type is followed by three or four numbers: rows, columns, "
            "entries, elements");
    if (size[1] == INT64_MAX)
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "the pointers of %" PRId64 " columns are beyond 64 bits",
                            size[1]);
    header->rows    = size[0];
    header->cols    = size[1];
    header->entries = size[2];
    if (header->symmetry != CAIRN_SYM_GENERAL && header->rows != header->cols)
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "a %s matrix is square, but this is %" PRId64 " x %" PRId64,
                            header->symmetry_word, header->rows, header->cols);
    return CAIRN_OK;
}

/// The next format of the fourth card: what stands in balanced parentheses.
static bool next_format(const char **p, const char *end, cairn_span *format)
{
    int depth = 0;

    format->begin = cairn_skip_blanks(*p, end);
    if (format->begin == end || *format->begin != '(') return false;
    for (const char *c = format->begin; c < end; c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth > 0) continue;
        format->end = *p = c + 1;
        return true;
    }
    return false;
}

static cairn_status read_format(const cairn_header_parser *h,
                                const char               **p,
                                const char                *what,
                                cairn_fortran_format      *format)
{
    cairn_span found;
    char       text[48];

    if (!next_format(p, h->text.end, &found))
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "the format of the %s is missing", what);
    if (cairn_fortran_parse(found.begin, found.end, format)) return CAIRN_OK;
    return cairn_refuse(
        cairn_header_place(h), CAIRN_BAD_FILE,
        "the format of the %s, %s, is none of equal fields, as (16I5) or "
        "(1P,4D20.12)",
        what, cairn_print_token(found.begin, found.end, text));
}

/// The fourth card.
static cairn_status read_formats(const cairn_header_parser *h, cairn_hb_header *header)
{
    const char *p = h->text.begin;

    CAIRN_TRY(read_format(h, &p, "pointers", &header->pointers));
    CAIRN_TRY(read_format(h, &p, "indices", &header->indices));
    if (header->pointers.kind != 'I' || header->indices.kind != 'I')
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "pointers and indices have I formats");
    if (header->field == CAIRN_FIELD_PATTERN) return CAIRN_OK;
    CAIRN_TRY(read_format(h, &p, "values", &header->values));
    if (header->field == CAIRN_FIELD_INTEGER && header->values.kind != 'I')
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "the values of an integer matrix have an I format");
    return CAIRN_OK;
}

/// The cards that every file has; @p found says whether they, and the one about
/// right-hand sides, are in the buffer.
static cairn_status
read_cards(cairn_header_parser *h, cairn_hb_header *header, bool *found)
{
    int64_t values = 0;

    *found = false;
    if (!cairn_header_next(h)) return CAIRN_OK;
    if (memchr(h->text.begin, '\0', (size_t)(h->text.end - h->text.begin)))
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "a NUL byte: this is not text");
    if (!cairn_header_next(h)) return CAIRN_OK;
    CAIRN_TRY(read_counts(h, &values, &header->rhs_cards));
    if (!cairn_header_next(h)) return CAIRN_OK;
    CAIRN_TRY(read_sizes(h, header));
    if (header->field != CAIRN_FIELD_PATTERN && values == 0 && header->entries > 0)
        return cairn_refuse(
            cairn_header_place(h), CAIRN_BAD_FILE,
            "a %s matrix has values, but the second card counts no cards of them",
            header->field_word);
    if (!cairn_header_next(h)) return CAIRN_OK;
    CAIRN_TRY(read_formats(h, header));
    *found = header->rhs_cards == 0 || cairn_header_next(h);
    return CAIRN_OK;
}

cairn_status cairn_hb_read_header(cairn_env       *env,
                                  const char      *name,
                                  const char      *begin,
                                  const char      *end,
                                  bool             last,
                                  cairn_hb_header *header,
                                  bool            *more)
{
    cairn_header_parser h = {
        .env = env, .name = name, .p = begin, .end = end, .last = last};
    cairn_hb_header fresh = {.rows = 0};
    bool            found;

    CAIRN_TRY(read_cards(&h, &fresh, &found));
    *more = !found && !last;
    if (*more) return CAIRN_OK;
    h.line += !found && h.line == 0;
    if (!found)
        return cairn_refuse(cairn_header_place(&h), CAIRN_BAD_FILE,
                            "the file ends within its header cards");
    fresh.bytes = (size_t)(h.p - begin);
    fresh.lines = h.line;
    *header     = fresh;
    return CAIRN_OK;
}

bool cairn_hb_probe(const char *begin, const char *end)
{
    cairn_header_parser h             = {.p = begin, .end = end, .last = true};
    int64_t             count[COUNTS] = {0};

    if (!cairn_header_next(&h) || !cairn_header_next(&h)) return false;
    if (split_numbers(h.text, COUNTS, count) < 3 || !cairn_header_next(&h))
        return false;

    const char *const type = cairn_skip_blanks(h.text.begin, h.text.end);

    return is_type(type, cairn_skip_token(type, h.text.end));
}
