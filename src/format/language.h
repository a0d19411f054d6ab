// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The format language: text in, formats out, text again. A library is a set of named
/// definitions (a file, or the catalogue); a format is instantiated from it with its
/// parameters bound. Errors name the origin, line and column and say what was expected.
///
/// Every failure of text is CAIRN_BAD_SYNTAX or CAIRN_BAD_FORMAT (exit 2).

#ifndef CAIRN_FORMAT_LANGUAGE_H
#define CAIRN_FORMAT_LANGUAGE_H

#include "format/encoding.h"

typedef struct cairn_library cairn_library;

/// Parse a file of definitions (`#NAME<params> = ...`).
///
/// Local. Every definition is checked for grammar; names are looked up in the library
/// itself, then in the catalogue, when a format is instantiated.
///
/// @param[in]  text    The definitions, @p length bytes; need not be NUL-terminated.
/// @param[in]  origin  Name of the source in messages.
/// @param[out] library Destroy with cairn_library_destroy(). Unchanged on failure.
cairn_status cairn_library_parse(cairn_env      *env,
                                 const char     *text,
                                 size_t          length,
                                 const char     *origin,
                                 cairn_library **library);

/// The built-in catalogue, parsed from its text.
cairn_status cairn_library_catalogue(cairn_env *env, cairn_library **library);

/// The catalogue's text, as it stands in src/format/catalogue.txt.
extern const char cairn_catalogue_text[];

void cairn_library_destroy(cairn_env *env, cairn_library **library);

/// Number of definitions, and the name of the k-th in the order of the text.
int         cairn_library_size(const cairn_library *library);
const char *cairn_library_name(const cairn_library *library, int k);

/// The text of a definition as written, white space made single (`cairn format NAME`).
/// @param[out] missing  Number of parameters without a default; 0: it can be used bare.
/// @retval CAIRN_BAD_FORMAT  There is no such definition (the nearest name is named).
cairn_status cairn_library_definition(cairn_env           *env,
                                      const cairn_library *library,
                                      const char          *name,
                                      char               **text,
                                      int                 *missing);

/// What a definition is, in a sentence: the last comment before it; "" without.
/// @retval CAIRN_BAD_FORMAT  There is no such definition (the nearest name is named).
cairn_status cairn_library_note(cairn_env           *env,
                                const cairn_library *library,
                                const char          *name,
                                char               **text);

/// Read what a user writes where a format is expected: `NAME`, `NAME<args>`, a whole
/// `#encoding<{...}>` or `#hybrid<{...}>`, each perhaps with `@` and how it is distributed.
///
/// Local.
///
/// @param[in]  library  Where names are looked up first; NULL: only the catalogue.
/// @param[in]  text     NUL-terminated.
/// @param[in]  origin   Name of the source in messages ("--format").
/// @param[out] format   Checked by cairn_encoding_check(). Destroy with
///                      cairn_format_destroy(). Unchanged on failure.
cairn_status cairn_format_parse(cairn_env           *env,
                                const cairn_library *library,
                                const char          *text,
                                const char          *origin,
                                cairn_format       **format);

/// As cairn_format_parse(), for a text that is part of a file: messages have places that
/// begin at @p line and @p column, 1-based.
///
/// @param[in,out] catalogue  Parsed where it is NULL and needed, for many lines once.
///                           Destroy with cairn_library_destroy(), after failures too.
cairn_status cairn_format_parse_line(cairn_env      *env,
                                     cairn_library **catalogue,
                                     const char     *text,
                                     const char     *origin,
                                     int             line,
                                     int             column,
                                     cairn_format  **format);

/// The format of compressed rows: for each row its columns, in ascending order, side by
/// side. Solvers' arrays (CSR) are such, with widths of their own.
///
/// Local.
///
/// @param[in]  ptr_bits, idx_bits  8, 16, 32 or 64; both 0: as narrow as the extents allow.
/// @param[out] format              Destroy with cairn_format_destroy(). Unchanged on failure.
cairn_status cairn_format_compressed_rows(cairn_env     *env,
                                          int            ptr_bits,
                                          int            idx_bits,
                                          cairn_format **format);

/// Likewise of compressed columns.
cairn_status cairn_format_compressed_columns(cairn_env     *env,
                                             int            ptr_bits,
                                             int            idx_bits,
                                             cairn_format **format);

/// The format of a matrix as a list of coordinates, in the order of rows: arrays of rows, of
/// columns and of values.
///
/// Local. As cairn_format_compressed_rows().
cairn_status
cairn_format_coordinates(cairn_env *env, int idx_bits, cairn_format **format);

/// As cairn_format_parse(), where @p spec may also be `FILE:NAME` or `FILE:NAME<args>`
/// (the file is read; its names come before the catalogue's).
/// @retval CAIRN_IO  The file cannot be read.
cairn_status cairn_format_open(cairn_env     *env,
                               const char    *spec,
                               const char    *origin,
                               cairn_format **format);

/// Hold a format once more, instead of copying what is constant: what is returned is
/// destroyed like one of its own.
///
/// Local; in the thread of the format's environment, like destroying.
cairn_format *cairn_format_hold(const cairn_format *format);

/// Destroy a format, unless others hold it; its environment is the one it was parsed with.
CAIRN_API void cairn_format_destroy(cairn_format **format);

/// Print in the canonical form: one line, parse(print(f)) = f, and two formats are
/// equal when their prints are.
/// @param[out] text  Freed with cairn_free().
cairn_status
cairn_format_print(cairn_env *env, const cairn_format *format, char **text);

/// Print what follows '@', as "nnz" or "(d0/64%ranks)"; "" where nothing was said.
cairn_status cairn_distribution_print(cairn_env                *env,
                                      const cairn_distribution *distribution,
                                      char                    **text);

/// Print one encoding canonically.
cairn_status
cairn_encoding_print(cairn_env *env, const cairn_encoding *encoding, char **text);

/// Print one query canonically (`count = sum(value) groupBy ...`).
cairn_status cairn_query_print(cairn_env         *env,
                               const cairn_query *query,
                               const cairn_query *queries,
                               char             **text);

/// Print one expression as the canonical form has it ("d1-d0", "place/2").
/// @param[in] queries  The encoding's queries, for their names.
cairn_status cairn_expr_print(cairn_env         *env,
                              const cairn_expr  *expr,
                              const cairn_query *queries,
                              char             **text);

#endif
