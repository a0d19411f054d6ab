// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Forms as digits.

#include "rules/digit.h"

cairn_digit cairn_digit_of(const cairn_algebra *algebra, const cairn_form *form)
{
    const cairn_digit whole  = {*form, 1, 0};
    const int         single = cairn_form_atom(form);
    int64_t           at;

    if (single < 0) return whole;

    const cairn_atom *atom = &algebra->atom[single];

    if (atom->kind != CAIRN_ATOM_DIV && atom->kind != CAIRN_ATOM_MOD) return whole;

    cairn_digit digit = cairn_digit_of(algebra, &atom->form);

    if (digit.hi && digit.hi / digit.lo % atom->divisor != 0) return whole;
    if (__builtin_mul_overflow(digit.lo, atom->divisor, &at)) return whole;
    if (atom->kind == CAIRN_ATOM_DIV && at == digit.hi) return whole;
    *(atom->kind == CAIRN_ATOM_DIV ? &digit.lo : &digit.hi) = at;
    return digit;
}

cairn_status
cairn_digit_form(cairn_algebra *algebra, const cairn_digit *digit, cairn_form *form)
{
    cairn_form floor, sum = digit->root;

    if (digit->lo > 1)
        CAIRN_TRY(cairn_form_div(algebra, &digit->root, digit->lo, &sum));
    if (digit->hi) {
        CAIRN_TRY(cairn_form_div(algebra, &digit->root, digit->hi, &floor));
        CAIRN_TRY(cairn_form_add(algebra, &sum, &floor, -(digit->hi / digit->lo)));
    }
    *form = sum;
    return CAIRN_OK;
}

int cairn_digit_at(const cairn_digit *digit, int n, const cairn_form *root, int64_t lo)
{
    for (int k = 0; k < n; k++)
        if (digit[k].lo == lo && cairn_form_equal(&digit[k].root, root)) return k;
    return -1;
}

bool cairn_digits_tile(const cairn_digit *digit, int n, const cairn_form *root)
{
    int64_t lo  = 1;
    int     own = 0, steps = 0;

    for (int k = 0; k < n; k++)
        own += cairn_form_equal(&digit[k].root, root);
    do {
        const int k = cairn_digit_at(digit, n, root, lo);

        if (k < 0 || ++steps > own) return false;
        lo = digit[k].hi;
    } while (lo);
    return steps == own;
}

bool cairn_digits_tile_all(const cairn_digit *digit, int n)
{
    for (int k = 0; k < n; k++)
        if (!cairn_digits_tile(digit, n, &digit[k].root)) return false;
    return true;
}
