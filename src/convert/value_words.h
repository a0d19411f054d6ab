// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values moved as wide as they are stored. Functions of conversions only move values, and
/// ask whether one is 0; so a source whose values are narrower than its type is taken for a
/// tensor of *words* of 8, 16 or 32 bits, among which 0 is 0, and what was built is told
/// afterwards what the words stand for. One function serves all types of a width: i8 and
/// dict8 go by words of 8 bits, i16, f16, bf16 and dict16 by words of 16, f32 as values of
/// an f32 tensor do, and values that are all equal as the narrowest type that holds them
/// and 0.
///
/// It is done where no more than moving is asked for. Values are widened first, as ever,
/// where entries may be there twice and are added, where a query compares values that are
/// no numbers as words, where the target's values are in tuples or in a caller's arrays, on
/// several ranks, and where no function for such words is at hand. Where the target's values
/// are as wide as the type they are widened first, too, unless a card is listed: then the
/// words go to the card and back, and are widened at the end.

#ifndef CAIRN_CONVERT_VALUE_WORDS_H
#define CAIRN_CONVERT_VALUE_WORDS_H

#include "convert/build.h"

typedef struct cairn_value_words {
    cairn_local *tensor; ///< The source, its values words; NULL: they must be widened.
    cairn_value_kind kind; ///< What the words stand for,
    int              bits; ///< each as wide as this,
    const double    *word; ///< [2^bits] and the numbers of what, if it is CODE.
    bool             own;  ///< They are not where the source has its values.
    bool
        widens; ///< Where the format names no type, values are as wide as the tensor's.
} cairn_value_words;

/// Does a query ask for more than whether there is an entry? Then other values may be stored
/// elsewhere.
bool cairn_compares_values(const cairn_encoding *encoding);

/// Find the words of a build's source.
///
/// Local.
///
/// @param[in]  build  From a tensor, some of whose values are narrow.
/// @param[out] words  Destroy with cairn_value_words_destroy().
cairn_status cairn_value_words_create(const cairn_build *build,
                                      cairn_value_words *words);

/// Let what was built of words be a tensor of values of @p value_bits again, each member
/// stored as its format says, or in the narrowest type.
///
/// Local. On failure @p built may be destroyed and no more.
cairn_status cairn_value_words_restore(const cairn_value_words *words,
                                       int                      value_bits,
                                       cairn_local             *built);

void cairn_value_words_destroy(cairn_value_words *words);

#endif
