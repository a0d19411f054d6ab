// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The first lines of a Matrix Market file: banner, comments, size line.
///
/// Source: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats: Initial
/// Design", NISTIR 5935, 1996.

#include "io/text/io_header.h"
#include "io/text/io_number.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { BANNER_WORDS = 5, MOST_WORDS = 6 };

static const char banner_start[] = "%%MatrixMarket";

/// Split the current line; counts at most MOST_WORDS.
static int split(const cairn_header_parser *h, cairn_span word[MOST_WORDS])
{
    int n = 0;

    for (const char *p = h->text.begin; n < MOST_WORDS; n++) {
        p = cairn_skip_blanks(p, h->text.end);
        if (p == h->text.end) break;
        word[n].begin = p;
        word[n].end = p = cairn_skip_token(p, h->text.end);
    }
    return n;
}

/// Number of the word among @p names, in any case, or -1.
static int find_word(cairn_span word, const char *const *names)
{
    const size_t n = (size_t)(word.end - word.begin);

    for (int k = 0; names[k]; k++)
        if (strlen(names[k]) == n && strncasecmp(names[k], word.begin, n) == 0)
            return k;
    return -1;
}

static void keep_word(cairn_span word, char out[16])
{
    size_t n = 0;

    for (const char *p = word.begin; p < word.end && n < 15; p++)
        out[n++] = (char)tolower((unsigned char)*p);
    out[n] = '\0';
}

static cairn_status
fail_word(const cairn_header_parser *h, const char *what, cairn_span word)
{
    char text[48];

    return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE, "%s '%s' is unknown",
                        what, cairn_print_token(word.begin, word.end, text));
}

/// Whether words that are known have a meaning together, and one in this version.
static cairn_status check_banner(const cairn_header_parser *h,
                                 const cairn_mtx_header    *header)
{
    if (header->symmetry == CAIRN_SYM_HERMITIAN && header->field != CAIRN_FIELD_COMPLEX)
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "hermitian matrices are complex");
    if (header->field == CAIRN_FIELD_COMPLEX)
        return cairn_refuse(cairn_header_place(h), CAIRN_UNSUPPORTED,
                            "complex values: not in this version");
    if (header->field == CAIRN_FIELD_PATTERN && header->array)
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "an array file has values, not a pattern");
    if (header->field == CAIRN_FIELD_PATTERN && header->symmetry == CAIRN_SYM_SKEW)
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "a pattern has no signs to be skew-symmetric");
    return CAIRN_OK;
}

static cairn_status read_banner(cairn_header_parser *h, cairn_mtx_header *header)
{
    static const char *const objects[]    = {"matrix", NULL};
    static const char *const formats[]    = {"coordinate", "array", NULL};
    static const char *const fields[]     = {"real",    "integer", "complex",
                                             "pattern", "double",  NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric",
                                             "hermitian", NULL};
    cairn_span               word[MOST_WORDS];

    if (split(h, word) != BANNER_WORDS || word[0].end - word[0].begin != 14)
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "the banner is not '%%%%MatrixMarket matrix FORMAT FIELD "
                            "SYMMETRY'");

    const int format   = find_word(word[2], formats);
    const int field    = find_word(word[3], fields);
    const int symmetry = find_word(word[4], symmetries);

    if (find_word(word[1], objects) < 0) return fail_word(h, "object", word[1]);
    if (format < 0) return fail_word(h, "format", word[2]);
    if (field < 0) return fail_word(h, "field", word[3]);
    if (symmetry < 0) return fail_word(h, "symmetry", word[4]);
    header->array    = format == 1;
    header->field    = field == 4 ? CAIRN_FIELD_REAL : (cairn_field)field;
    header->symmetry = (cairn_symmetry)symmetry;
    keep_word(word[3], header->field_word);
    keep_word(word[4], header->symmetry_word);
    return check_banner(h, header);
}

static cairn_status read_size(const cairn_header_parser *h,
                              cairn_span                 word,
                              const char                *what,
                              int64_t                   *value)
{
    char      text[48];
    int64_t   size;
    const int error = cairn_parse_integer(word.begin, word.end, &size);

    if (error == 0 && size >= 0) {
        *value = size;
        return CAIRN_OK;
    }
    return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE, "%s '%s' is %s", what,
                        cairn_print_token(word.begin, word.end, text),
                        error == -1   ? "not an integer"
                        : error == -2 ? "beyond 64 bits"
                                      : "negative");
}

/// Lines of an array file: what symmetry leaves of the rectangle.
static cairn_status count_elements(const cairn_header_parser *h,
                                   cairn_mtx_header          *header)
{
    const __int128 n = header->rows, all = n * header->cols;
    __int128       count = all;

    if (header->symmetry == CAIRN_SYM_SYMMETRIC) count = (all + n) / 2;
    if (header->symmetry == CAIRN_SYM_SKEW) count = (all - n) / 2;
    if (count > INT64_MAX)
        return cairn_refuse(
            cairn_header_place(h), CAIRN_BAD_FILE,
            "an array of this size has more elements than 64 bits count");
    header->entries = (cairn_pos)count;
    return CAIRN_OK;
}

static cairn_status read_size_line(const cairn_header_parser *h,
                                   cairn_mtx_header          *header)
{
    cairn_span word[MOST_WORDS];
    const int  words = split(h, word);

    if (header->array && words != 2)
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "the size line of an array file is two integers: rows, "
                            "columns");
    if (!header->array && words != 3)
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "the size line is three integers: rows, columns, entries");
    CAIRN_TRY(read_size(h, word[0], "number of rows", &header->rows));
    CAIRN_TRY(read_size(h, word[1], "number of columns", &header->cols));
    if (header->symmetry != CAIRN_SYM_GENERAL && header->rows != header->cols)
        return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                            "a %s matrix is square, but this is %" PRId64 " x %" PRId64,
                            header->symmetry_word, header->rows, header->cols);
    if (header->array) return count_elements(h, header);
    return read_size(h, word[2], "number of entries", &header->entries);
}

/// Step over blank lines and comments to the size line; false when it is not there.
static cairn_status find_size_line(cairn_header_parser *h, bool *found)
{
    *found = false;
    while (cairn_header_next(h)) {
        const char *const p = cairn_skip_blanks(h->text.begin, h->text.end);

        if (p < h->text.end && memchr(p, '\0', (size_t)(h->text.end - p)))
            return cairn_refuse(cairn_header_place(h), CAIRN_BAD_FILE,
                                "a NUL byte: this is not text");
        *found = p < h->text.end && *p != '%';
        if (*found) return CAIRN_OK;
    }
    return CAIRN_OK;
}

/// Whether the buffer can still become a Matrix Market file.
static cairn_status check_start(const cairn_header_parser *h)
{
    const size_t whole = sizeof banner_start - 1, have = (size_t)(h->end - h->p);

    if (have == 0 && h->last)
        return cairn_fail(h->env, CAIRN_BAD_FILE, "read: %s: line 1: the file is empty",
                          h->name);
    if (memcmp(h->p, banner_start, have < whole ? have : whole) == 0) return CAIRN_OK;
    return cairn_fail(
        h->env, CAIRN_BAD_FILE,
        "read: %s: line 1: not a Matrix Market file: it does not begin with "
        "%s",
        h->name, banner_start);
}

cairn_status cairn_mtx_read_header(cairn_env        *env,
                                   const char       *name,
                                   const char       *begin,
                                   const char       *end,
                                   bool              last,
                                   cairn_mtx_header *header,
                                   bool             *more)
{
    cairn_header_parser h = {
        .env = env, .name = name, .p = begin, .end = end, .last = last};
    cairn_mtx_header fresh = {0};
    bool             found = false;

    *more = false;
    CAIRN_TRY(check_start(&h));
    if (cairn_header_next(&h)) {
        CAIRN_TRY(read_banner(&h, &fresh));
        CAIRN_TRY(find_size_line(&h, &found));
    }
    *more = !found && !last;
    if (*more) return CAIRN_OK;
    if (!found)
        return cairn_refuse(cairn_header_place(&h), CAIRN_BAD_FILE,
                            "the file ends without a size line");
    CAIRN_TRY(read_size_line(&h, &fresh));
    fresh.bytes = (size_t)(h.p - begin);
    fresh.lines = h.line;
    *header     = fresh;
    return CAIRN_OK;
}
