// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How wide a matrix's values are where a format stores them. What is counted of a format
/// is how many values it stores, and the bytes of its indices (suggest.h); the bytes of a
/// value follow from what its text says of them, from whether it pads, and from the values
/// themselves, which are looked at once.

#ifndef CAIRN_AUTO_VALUE_WIDTHS_H
#define CAIRN_AUTO_VALUE_WIDTHS_H

#include "auto/matrix_rows.h"
#include "tensor/value_types.h"

/// What is known of the values of a matrix.
typedef struct cairn_value_widths {
    int carrier_bits; ///< Of the tensor's type.
    bool
        narrows; ///< Values of which a text says nothing are stored as narrow as they are.
    bool one;    ///< All are the same.
    cairn_value_storage
        with_zeros, ///< The narrowest that holds all of them, and zeros between them, of
                    ///< those that need not be asked for,
        exact;      ///< and of all that have no dictionary.
} cairn_value_widths;

/// Nothing is known: they are as wide as the type.
cairn_value_widths cairn_value_widths_wide(int carrier_bits);

/// Look at all values; those of entries are rounded to the type first. Local. O(n).
///
/// @param[in] rows          Entries, or lists of a tensor of the type.
/// @param[in] carrier_bits  Of the type: 32 or 64.
cairn_value_widths
cairn_value_widths_look(const cairn_matrix_rows *rows, int carrier_bits, bool narrows);

/// Does a member whose text says nothing of them, and which pads perhaps, store them
/// narrower than the type has them?
bool cairn_value_widths_narrow(const cairn_value_widths *values);

/// How a member of a format stores them.
///
/// @param[in] type    What its text says; what it names is taken at its word.
/// @param[in] padded  Zeros stand between them.
cairn_value_storage cairn_value_widths_in(const cairn_value_widths *values,
                                          cairn_val_type            type,
                                          bool                      padded);

/// Bytes of each value that is stored so: none of one for all.
double cairn_value_storage_bytes(const cairn_value_storage *storage);

#endif
