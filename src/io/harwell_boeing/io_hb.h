// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Harwell-Boeing and Rutherford-Boeing matrices: columns compressed, as cards (lines)
/// of fixed-width fields. Four or five header cards, then column pointers, row indices
/// and values, each section in the Fortran format that the header names, then right-hand
/// sides, which are skipped.
///
/// Every card but the last of a section has as many fields as the section's format says,
/// so the number of a line tells which fields are on it: any range of whole lines is read
/// by itself, in any order, and what the sections mean together is checked when all of
/// them are there. Nothing is allocated on the header's word.
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

#include "io/harwell_boeing/io_fortran.h"
#include "io/io.h"
#include "io/text/io_write.h"

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

/// The sections, in their order.
typedef enum {
    CAIRN_HB_POINTERS,
    CAIRN_HB_INDICES,
    CAIRN_HB_VALUES,
    CAIRN_HB_SECTIONS, ///< Right-hand sides, and the end.
} cairn_hb_section;

/// Fields [first, first + count) of a section, counted from 0.
typedef struct cairn_hb_span {
    int64_t first, count, capacity;
} cairn_hb_span;

/// What was read of the three sections: a stretch of each. All zero: nothing yet.
typedef struct cairn_hb_cards {
    cairn_hb_span span[CAIRN_HB_SECTIONS];
    int64_t      *pointer; ///< Of columns, from 0 on.
    cairn_coord  *index;   ///< Of rows, from 0 on.
    double       *value;
} cairn_hb_cards;

/// Columns that begin at one entry.
typedef struct cairn_hb_step {
    cairn_pos   entry;
    cairn_coord columns;
} cairn_hb_step;

void cairn_hb_cards_fini(cairn_env *env, cairn_hb_cards *cards);

/// Take whole lines, of which the last may lack its newline.
///
/// Local.
///
/// @param[in,out] place  `first_line` says which lines these are; gets how many there
///                       are, also in `found`.
/// @param[in,out] cards  Lines must follow those that were taken before.
/// @retval CAIRN_BAD_FILE   A field that is wrong, or text behind the end: name, line,
///                          column, cause.
/// @retval CAIRN_NO_MEMORY  The fields do not fit.
cairn_status cairn_hb_read_cards(cairn_env             *env,
                                 const char            *name,
                                 const cairn_hb_header *header,
                                 const char            *begin,
                                 const char            *end,
                                 cairn_text_range      *place,
                                 cairn_hb_cards        *cards);

/// See that everything was there which the header declares. Local.
///
/// @param[in] lines  Lines behind the header.
/// @retval CAIRN_BAD_FILE  What is missing.
cairn_status cairn_hb_check_end(cairn_env             *env,
                                const char            *name,
                                const cairn_hb_header *header,
                                int64_t                lines);

/// See that column pointers begin at the first entry, ascend, and end behind the last.
/// Local.
///
/// @param[in] before  The pointer before the first of @p cards; not asked for at the
///                    begin of the section.
/// @retval CAIRN_BAD_FILE  The first pointer that is wrong: name, line, column, cause.
cairn_status cairn_hb_check_pointers(cairn_env             *env,
                                     const char            *name,
                                     const cairn_hb_header *header,
                                     const cairn_hb_cards  *cards,
                                     int64_t                before);

/// Where columns begin within the entries behind @p from and before @p to, by the
/// pointers of @p cards, which were checked. Local.
///
/// @param[out] steps  By ascending entries; NULL: they are counted only.
/// @return Their number.
int64_t cairn_hb_steps(const cairn_hb_cards *cards,
                       cairn_pos             from,
                       cairn_pos             to,
                       cairn_hb_step        *steps);

/// How many pointers of @p cards, which were checked, are at most @p entry. Local.
int64_t cairn_hb_pointers_to(const cairn_hb_cards *cards, cairn_pos entry);

/// Consecutive entries of the file, and where their columns begin.
typedef struct cairn_hb_columns {
    cairn_pos            first;  ///< The first of the entries.
    cairn_coord          column; ///< Its column.
    const cairn_hb_step *step;   ///< [steps], by ascending entries.
    int64_t              steps;
} cairn_hb_columns;

/// Give entries their columns, and mirror images right behind them.
///
/// Local.
///
/// @param[in,out] entries  Of order 2: `n` is set, and the arrays of row indices and of
///                         values (a pattern: none) are as long, `capacity` is 0; complete
///                         on success.
/// @retval CAIRN_BAD_FILE   An entry that the symmetry excludes: name, line, column.
/// @retval CAIRN_NO_MEMORY  They do not fit.
cairn_status cairn_hb_complete(cairn_env              *env,
                               const char             *name,
                               const cairn_hb_header  *header,
                               const cairn_hb_columns *columns,
                               cairn_entries          *entries);

/* ---- writing ---- */

/// The greatest number of a header card, which has 14 characters for each.
#define CAIRN_HB_MOST INT64_C(99999999999999)

/// A matrix to be written.
typedef struct cairn_hb_form {
    char        type[4]; ///< "RUA", "RSA", "RRA", "PUA" or "PSA".
    cairn_coord rows, cols;
    cairn_pos   stored; ///< Entries that the file has.
} cairn_hb_form;

/// Bytes of the values section's fields, with 17 digits, three to a card.
enum { CAIRN_HB_VALUE_WIDTH = 26, CAIRN_HB_VALUE_REPEAT = 3 };

/// Sections of a matrix: a pattern has no values. Local.
int cairn_hb_sections(const cairn_hb_form *form);

/// Write the four header cards. Fields of pointers and indices have a blank before the
/// longest number, so that readers that split at blanks have them too.
///
/// @param[in] form  No number is beyond CAIRN_HB_MOST.
cairn_status cairn_hb_write_header(const cairn_sink *sink, const cairn_hb_form *form);

/// Consecutive columns of a matrix, and their entries.
typedef struct cairn_hb_part {
    const cairn_entries *entries; ///< Coordinate 0 is the column; sorted.
    cairn_coord first, last;      ///< Columns; the last part of all has one more, cols,
    cairn_pos   before; ///< without entries. Entries of the columns before these.
} cairn_hb_part;

/// Write the fields of a section that a part has; those of all parts, one behind the
/// other, are the section. Newlines go with the fields before them.
cairn_status cairn_hb_write_section(const cairn_sink    *sink,
                                    cairn_hb_section     section,
                                    const cairn_hb_form *form,
                                    const cairn_hb_part *part);

#endif
