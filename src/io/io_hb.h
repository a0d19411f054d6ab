// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Harwell-Boeing and Rutherford-Boeing matrices: columns compressed, as cards (lines)
/// of fixed-width fields. Four or five header cards, then column pointers, row indices
/// and values, each section in the Fortran format that the header names, then right-hand
/// sides, which are skipped.
///
/// Sections follow each other, so one reader takes the lines in order, as they arrive:
/// entries are added when their row index is read and get their value later. Memory is
/// one integer a column and the entries; nothing is allocated on the header's word.
///
/// Fields are read as Fortran does (io_fortran.h), but stricter: a field that is wholly
/// blank where a number is due, and text behind the last field of a card, are refused.
///
/// Read are real (R), integer (I) and pattern (P) matrices, unsymmetric (U),
/// rectangular (R), symmetric (S) and skew (Z), assembled (A). Complex and elemental
/// matrices are CAIRN_UNSUPPORTED. Of S and Z the lower triangle is stored and mirrored.
///
/// Sources: Duff, Grimes, Lewis, "Users' Guide for the Harwell-Boeing Sparse Matrix
/// Collection", RAL 92-086, 1992; the same, "The Rutherford-Boeing Sparse Matrix
/// Collection", RAL-TR-97-031, 1997.

#ifndef CAIRN_IO_IO_HB_H
#define CAIRN_IO_IO_HB_H

#include "io/io.h"
#include "io/io_fortran.h"

/// What the header cards say.
typedef struct cairn_hb_header {
    cairn_field          field;    ///< Real, integer or pattern.
    cairn_symmetry       symmetry; ///< General, symmetric or skew.
    cairn_coord          rows, cols;
    cairn_pos            entries;   ///< Stored ones: row indices to come.
    int64_t              rhs_cards; ///< Cards behind the values.
    cairn_fortran_format pointers, indices, values; ///< No values: of a pattern.
    size_t               bytes; ///< Length of the header: where the pointers begin.
    int64_t              lines; ///< Cards in it.
    char                 field_word[16], symmetry_word[16]; ///< As Matrix Market's.
} cairn_hb_header;

/// Whether a file that begins with these bytes is of this kind: the second card is
/// numbers, the third begins with a matrix type. Local.
bool cairn_hb_probe(const char *begin, const char *end);

/// Parse the header cards.
///
/// Local.
///
/// @param[in]  name    The file's name, for messages.
/// @param[in]  last    The buffer holds the whole file; false: more may follow.
/// @param[out] header  Unchanged unless CAIRN_OK and no more is needed.
/// @param[out] more    Set when the header does not end within the buffer (and !last):
///                     call again with a longer one; the status is CAIRN_OK then.
/// @retval CAIRN_BAD_FILE     A card that is wrong: name, line, cause.
/// @retval CAIRN_UNSUPPORTED  Complex or elemental.
cairn_status cairn_hb_read_header(cairn_env       *env,
                                  const char      *name,
                                  const char      *begin,
                                  const char      *end,
                                  bool             last,
                                  cairn_hb_header *header,
                                  bool            *more);

/// Reading of what follows the header. The fields are the reader's own.
typedef struct cairn_hb_reader {
    cairn_env             *env;
    const char            *name;
    const cairn_hb_header *header;
    cairn_entries         *entries;
    int                    section; ///< Pointers, indices, values, right-hand sides.
    int64_t                line;    ///< Number of the current card.
    int64_t                done;    ///< Fields, or cards, of the section so far.
    int64_t               *pointer; ///< [capacity], `pointers` of them known, 0-based.
    int64_t                pointers, capacity;
    cairn_coord            column; ///< Of the next row index.
    cairn_pos              filled; ///< Entries that have their value.
} cairn_hb_reader;

/// Start reading behind the header. Local. Pairs with cairn_hb_reader_fini().
///
/// @param[in] header   Must live as long as the reader.
/// @param[in] entries  Of order 2; gets the entries, column by column, mirror images
///                     right after them. Its values are complete after
///                     cairn_hb_reader_end() only.
void cairn_hb_reader_init(cairn_env             *env,
                          const char            *name,
                          const cairn_hb_header *header,
                          cairn_entries         *entries,
                          cairn_hb_reader       *reader);

/// Take the next whole lines of the file, in order; the last may lack its newline.
///
/// Local.
///
/// @retval CAIRN_BAD_FILE   A field that is wrong, or text behind the end: name, line,
///                          column, cause.
/// @retval CAIRN_NO_MEMORY  Pointers or entries do not fit.
cairn_status
cairn_hb_read_lines(cairn_hb_reader *reader, const char *begin, const char *end);

/// The file has ended: everything that the header declares must have been there. Local.
/// @retval CAIRN_BAD_FILE  What is missing.
cairn_status cairn_hb_reader_end(cairn_hb_reader *reader);

void cairn_hb_reader_fini(cairn_hb_reader *reader);

#endif
