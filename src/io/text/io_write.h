// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Matrix Market and FROSTT as text, handed to a sink in chunks. The text of one matrix
/// or tensor is the same bytes however it is cut: a header (FROSTT has none), then one
/// line an entry, values as by "%.17g" (they read back the same), no comments.

#ifndef CAIRN_IO_IO_WRITE_H
#define CAIRN_IO_IO_WRITE_H

#include "entries/entries.h"

/// Where text goes. A failure of `write` is passed up.
typedef struct cairn_sink {
    cairn_status (*write)(void *user, const char *bytes, size_t length);
    void *user;
} cairn_sink;

/// Write banner and size line of a coordinate file.
cairn_status cairn_mtx_write_coordinate_header(const cairn_sink *sink,
                                               cairn_coord       rows,
                                               cairn_coord       cols,
                                               cairn_pos         nnz);

/// Write the lines of @p entries, indices from 1 and the value, as they stand: sorted
/// ones by row. Both kinds of file have the same lines.
cairn_status cairn_text_write_entries(const cairn_sink    *sink,
                                      const cairn_entries *entries);

/// Write banner and size line of an array file.
cairn_status cairn_mtx_write_array_header(const cairn_sink *sink,
                                          cairn_coord       rows,
                                          cairn_coord       cols);

/// Write @p n elements that stand @p stride apart: a column, or a part of one.
cairn_status cairn_mtx_write_values(const cairn_sink *sink,
                                    cairn_pos         n,
                                    const double     *value,
                                    cairn_pos         stride);

/// Print an integer; @p out has at least 21 bytes. @return The length.
size_t cairn_print_integer(char *out, int64_t value);

/// Print as "%.17g" does in the C locale; nan and inf as words. @p out has at least 32
/// bytes. @return The length.
size_t cairn_print_double(char *out, double value);

/// Print 17 digits, the point behind the first of them, and an exponent, as Fortran's
/// 1PE26.16 reads: "1.0000000000000000E-01"; NaN, Inf and -Inf as words. @p out has at
/// least 32 bytes. @return The length, at most 24.
size_t cairn_print_fortran(char *out, double value);

#endif
