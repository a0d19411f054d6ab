// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Readers and writers of byte ranges. A reader gets a buffer with a begin and an end,
/// whole lines of one file, and adds entries; it knows neither files nor ranks (who
/// reads which bytes is comm's). Nothing is allocated on the word of a header alone.
///
/// "Decided once" of the command's contract holds here: duplicates are kept (added when
/// sorted), upper entries of a symmetric file, a skew file's diagonal, hermitian real
/// and integers over 64 bits are refused, D exponents are accepted, pattern values are 1,
/// NaN and Inf are kept, values beyond double's range are refused and underflow is 0.

#ifndef CAIRN_IO_IO_H
#define CAIRN_IO_IO_H

#include "entries/entries.h"

typedef enum {
    CAIRN_FIELD_REAL,
    CAIRN_FIELD_INTEGER,
    CAIRN_FIELD_COMPLEX,
    CAIRN_FIELD_PATTERN
} cairn_field;
typedef enum {
    CAIRN_SYM_GENERAL,
    CAIRN_SYM_SYMMETRIC,
    CAIRN_SYM_SKEW,
    CAIRN_SYM_HERMITIAN
} cairn_symmetry;

/// What the first lines of a Matrix Market file say.
typedef struct cairn_mtx_header {
    bool           array; ///< Dense, column by column; else coordinate.
    cairn_field    field;
    cairn_symmetry symmetry;
    cairn_coord    rows, cols;
    cairn_pos      entries; ///< Lines to come (array files: what symmetry leaves).
    size_t         bytes;   ///< Length of the header: where the entries begin.
    int64_t        lines;   ///< Lines in it.
    char field_word[16], symmetry_word[16]; ///< The banner's words, lower case.
} cairn_mtx_header;

/// Parse banner, comments and size line.
///
/// @param[in]  name  The file's name, for messages.
/// @param[in]  last  The buffer holds the whole file; false: more may follow.
/// @param[out] header  Unchanged unless CAIRN_OK.
/// @param[out] more    Set when the header does not end within the buffer (and !last):
///                     call again with a longer one; the status is CAIRN_OK then.
/// @retval CAIRN_BAD_FILE     Not Matrix Market, with line and cause.
/// @retval CAIRN_UNSUPPORTED  complex and hermitian.
cairn_status cairn_mtx_read_header(cairn_env        *env,
                                   const char       *name,
                                   const char       *begin,
                                   const char       *end,
                                   bool              last,
                                   cairn_mtx_header *header,
                                   bool             *more);

/// Where a range of entry lines stands in its file, and how much was found.
typedef struct cairn_text_range {
    int64_t first_line; ///< Number of the range's first line, 1-based; 0: unknown, then
                        ///< messages give the byte offset instead.
    int64_t   offset;   ///< Byte offset in the (inflated) file of `begin`.
    cairn_pos first;    ///< Entry lines before the range; too few (0) is allowed for
                        ///< coordinate files: only an entry too many is seen later.
    cairn_pos found;    ///< Out: entry lines found (comments and blank lines are none).
    int64_t   lines;    ///< Out: lines of any kind.
} cairn_text_range;

/// Parse whole lines and append their entries, mirror images of symmetric ones right
/// after them. Array files: only positions other than 0 become entries. No byte outside
/// begin .. end is read. The environment's threads share long ranges; entries and
/// messages do not depend on their number.
///
/// @retval CAIRN_BAD_FILE  A line that is no entry: name, line (or offset), cause.
cairn_status cairn_mtx_read_entries(cairn_env              *env,
                                    const char             *name,
                                    const cairn_mtx_header *header,
                                    const char             *begin,
                                    const char             *end,
                                    cairn_text_range       *range,
                                    cairn_entries          *entries);

/// Count lines.
///
/// @param[in]  comment  Lines that begin with it, after blanks, are comments.
/// @param[out] lines    Lines of any kind; the last one may lack its newline.
/// @param[out] entries  Those that are neither blank nor comments.
void cairn_count_lines(const char *begin,
                       const char *end,
                       char        comment,
                       int64_t    *lines,
                       cairn_pos  *entries);

/// Parse a number as the readers do: decimal, D exponents, nan, inf; the whole token.
/// @return 0; -1 not a number; -2 beyond double's range.
int cairn_parse_double(const char *begin, const char *end, double *value);

#endif
