// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Levels as digits: (root/lo) % (hi/lo) of a root form. d0/4 is the digit [4,oo) of d0,
/// d0%4 is [1,4), d0/2%2 is [2,4), and a level that is no quotient and no remainder is
/// the whole [1,oo) of itself. The digits of a root that tile [1,oo) give it back.

#ifndef CAIRN_RULES_DIGIT_H
#define CAIRN_RULES_DIGIT_H

#include "format/algebra.h"

typedef struct cairn_digit {
    cairn_form root;
    int64_t    lo, hi; ///< lo >= 1 divides hi; hi 0: no end.
} cairn_digit;

/// The digit that a form is.
cairn_digit cairn_digit_of(const cairn_algebra *algebra, const cairn_form *form);

/// The digit's form, remainders written as f - c*floor(f/c).
/// @retval CAIRN_OVERFLOW  A factor leaves 64 bits.
cairn_status
cairn_digit_form(cairn_algebra *algebra, const cairn_digit *digit, cairn_form *form);

static inline bool cairn_digit_equal(const cairn_digit *a, const cairn_digit *b)
{
    return a->lo == b->lo && a->hi == b->hi && cairn_form_equal(&a->root, &b->root);
}

/// True for the whole of its root.
static inline bool cairn_digit_is_whole(const cairn_digit *digit)
{
    return digit->lo == 1 && digit->hi == 0;
}

/// Do the digits of @p root among @p digit[0..n-1] tile [1,oo), each once?
bool cairn_digits_tile(const cairn_digit *digit, int n, const cairn_form *root);

/// Do all of them tile their roots?
bool cairn_digits_tile_all(const cairn_digit *digit, int n);

/// The digit of @p root that begins at @p lo, or -1.
int cairn_digit_at(const cairn_digit *digit, int n, const cairn_form *root, int64_t lo);

#endif
