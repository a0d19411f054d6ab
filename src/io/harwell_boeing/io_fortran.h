// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers in columns, as Fortran's formatted input reads them. A card is a line; its
/// fields have one width and may touch. Within a field blanks are ignored; the
/// exponent's letter is E, D or Q, or left out before its sign ("1.5+3"); a number
/// without a point has the format's decimals behind it ("15" is 1.5 under F8.1); a scale
/// factor (kP) divides numbers that have no exponent by 10^k.
///
/// Source: ISO/IEC 1539-1:2010, 10.7.2 "Numeric editing", 10.8.5 "P editing".

#ifndef CAIRN_IO_IO_FORTRAN_H
#define CAIRN_IO_IO_FORTRAN_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CAIRN_FORTRAN_REPEAT = 10000, ///< Most fields of a card.
    CAIRN_FORTRAN_WIDTH  = 200,   ///< Most characters of a field.
};

/// A format of equal fields.
typedef struct cairn_fortran_format {
    char kind;     ///< 'I', or 'F' for E, D, F and G.
    int  repeat;   ///< Fields of a card, 1..CAIRN_FORTRAN_REPEAT.
    int  width;    ///< Characters of a field, 1..CAIRN_FORTRAN_WIDTH.
    int  decimals; ///< Digits behind the point of numbers that have none.
    int  scale;    ///< k of kP.
} cairn_fortran_format;

/// Parse a format such as "(16I5)", "(1P,4D20.12)", "(3(1P,E25.16))". Local.
/// @return Whether it is one of equal fields within the limits above.
bool cairn_fortran_parse(const char           *begin,
                         const char           *end,
                         cairn_fortran_format *format);

/// Read one field under an I format.
/// @return 0; -1 not an integer (a blank field is none); -2 beyond 64 bits.
int cairn_fortran_integer(const char *begin, const char *end, int64_t *value);

/// Read one field, at most CAIRN_FORTRAN_WIDTH long, under an E, D, F or G format.
/// @return 0; -1 not a number (a blank field is none); -2 beyond double's range.
int cairn_fortran_real(const cairn_fortran_format *format,
                       const char                 *begin,
                       const char                 *end,
                       double                     *value);

#endif
