// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Forms over columns, a chunk at a time. Quotients are products with a reciprocal where
/// all values of a chunk lie near each other, as coordinates do.

#include "format/columns.h"

#include "base/wide.h"

#include <string.h>

/* Positions at a time: the columns of a chunk stay in cache. */
enum { CHUNK = 1024 };

/// What is evaluated, and where the chunk begins.
typedef struct {
    const cairn_algebra  *algebra;
    const int64_t *const *dims, *const *queries;
    int64_t begin;
    int     n;
} chunk;

CAIRN_WIDE void
cairn_columns_add(int n, int64_t factor, const int64_t *column, int64_t *out)
{
    /* few processors multiply many such words at a time */
    if (factor == 1)
        for (int k = 0; k < n; k++)
            out[k] = (int64_t)((uint64_t)out[k] + (uint64_t)column[k]);
    else
        for (int k = 0; k < n; k++)
            out[k] =
                (int64_t)((uint64_t)out[k] + (uint64_t)factor * (uint64_t)column[k]);
}

CAIRN_WIDE void cairn_columns_begin(int            n,
                                    int64_t        constant,
                                    int64_t        factor,
                                    const int64_t *column,
                                    int64_t       *out)
{
    if (factor == 1)
        for (int k = 0; k < n; k++)
            out[k] = (int64_t)((uint64_t)constant + (uint64_t)column[k]);
    else
        for (int k = 0; k < n; k++)
            out[k] =
                (int64_t)((uint64_t)constant + (uint64_t)factor * (uint64_t)column[k]);
}

CAIRN_WIDE cairn_interval cairn_columns_range(int64_t n, const int64_t *value)
{
    int64_t lo = value[0], hi = lo;

    for (int64_t k = 1; k < n; k++) {
        lo = value[k] < lo ? value[k] : lo;
        hi = value[k] > hi ? value[k] : hi;
    }
    return (cairn_interval){lo, hi};
}

/* ---- checks: bytes in place of bool, which compilers do not vectorize ---- */

CAIRN_WIDE void
cairn_columns_hold_range(int n, const int64_t *value, cairn_interval range, bool *ok)
{
    const uint64_t      first   = (uint64_t)range.lo;
    const uint64_t      width   = (uint64_t)range.hi - first;
    const unsigned char any     = range.lo <= range.hi;
    unsigned char *restrict its = (unsigned char *)ok;

    for (int k = 0; k < n; k++)
        its[k] &= (unsigned char)((uint64_t)value[k] - first <= width) & any;
}

CAIRN_WIDE void
cairn_columns_hold_equal(int n, const int64_t *a, const int64_t *b, bool *ok)
{
    unsigned char *restrict its = (unsigned char *)ok;

    for (int k = 0; k < n; k++)
        its[k] &= (unsigned char)(a[k] == b[k]);
}

/* ---- quotients ---- */

static void divide_each(int n, int64_t c, const int64_t *value, int64_t *quotient)
{
    for (int k = 0; k < n; k++)
        quotient[k] = cairn_floor_div(value[k], c);
}

/// Divide values that lie less than 2^31 above @p base, a multiple of c, which is at least
/// 2 and less than 2^31. With b bits in c - 1 the reciprocal 2^(31+b) / c, rounded up, has
/// 32 bits and is at most 1 too large: less than 2^-b * value, which c * quotient + c - 1
/// leaves room for.
///
/// Source: T. Granlund, P. L. Montgomery, Division by Invariant Integers using
/// Multiplication, PLDI 1994, theorem 4.2.
CAIRN_WIDE static void
divide_near(int n, int64_t c, int64_t base, const int64_t *value, int64_t *quotient)
{
    const int      shift = 31 + 64 - __builtin_clzll((uint64_t)c - 1);
    const uint32_t reciprocal =
        (uint32_t)(((uint64_t)1 << shift) / (uint64_t)c + 1); /* it fits */
    const int64_t first = base / c;

    for (int k = 0; k < n; k++) {
        const uint64_t above = (uint64_t)value[k] - (uint64_t)base;

        quotient[k] =
            first + (int64_t)((uint64_t)(uint32_t)above * reciprocal >> shift);
    }
}

/// Bits that some of the values have.
CAIRN_WIDE static uint64_t bits_of(int n, const int64_t *value)
{
    uint64_t bits = 0;

    for (int k = 0; k < n; k++)
        bits |= (uint64_t)value[k];
    return bits;
}

/// floor(value / c), which may go where the values are.
static void divide(int n, int64_t c, const int64_t *value, int64_t *quotient)
{
    const int64_t most = (int64_t)1 << 31;
    int64_t       base, last;

    if (c == 1) {
        if (quotient != value) memcpy(quotient, value, (size_t)n * sizeof *quotient);
        return;
    }
    if (c >= 2 && c < most && bits_of(n, value) < (uint64_t)most) {
        divide_near(n, c, 0, value, quotient);
        return;
    }
    const cairn_interval its = cairn_columns_range(n, value);

    if (c < 2 || c >= most
        || __builtin_mul_overflow(cairn_floor_div(its.lo, c), c, &base)
        || __builtin_sub_overflow(its.hi, base, &last) || last >= most)
        divide_each(n, c, value, quotient);
    else
        divide_near(n, c, base, value, quotient);
}

void cairn_columns_floor_div(int64_t        n,
                             int64_t        divisor,
                             const int64_t *value,
                             int64_t       *quotient)
{
    for (int64_t at = 0; at < n; at += CHUNK)
        divide((int)(n - at < CHUNK ? n - at : CHUNK), divisor, value + at,
               quotient + at);
}

/* ---- forms ---- */

static void evaluate(const chunk *at, const cairn_form *form, int64_t *out);

/// out += factor * (value - c * quotient)
CAIRN_WIDE static void add_remainder(int            n,
                                     int64_t        factor,
                                     int64_t        c,
                                     const int64_t *value,
                                     const int64_t *quotient,
                                     int64_t       *out)
{
    for (int k = 0; k < n; k++) {
        const uint64_t left = (uint64_t)value[k] - (uint64_t)c * (uint64_t)quotient[k];

        out[k] = (int64_t)((uint64_t)out[k] + (uint64_t)factor * left);
    }
}

CAIRN_WIDE static void fill(int n, int64_t constant, int64_t *out)
{
    for (int k = 0; k < n; k++)
        out[k] = constant;
}

/// Add a quotient or remainder of a form.
static void
add_digit(const chunk *at, const cairn_atom *atom, int64_t factor, int64_t *out)
{
    const int64_t c = atom->divisor;
    int64_t       inner[CHUNK], quotient[CHUNK];

    evaluate(at, &atom->form, inner);
    divide(at->n, c, inner, quotient);
    if (atom->kind == CAIRN_ATOM_DIV)
        cairn_columns_add(at->n, factor, quotient, out);
    else
        add_remainder(at->n, factor, c, inner, quotient, out);
}

/// The column that an atom is, or NULL: it is a digit.
static const int64_t *column_of(const chunk *at, const cairn_atom *atom)
{
    switch (atom->kind) {
    case CAIRN_ATOM_DIM: return at->dims[atom->number] + at->begin;
    case CAIRN_ATOM_QUERY: return at->queries[atom->number] + at->begin;
    case CAIRN_ATOM_DIV:
    case CAIRN_ATOM_MOD: break;
    }
    return NULL;
}

static void evaluate(const chunk *at, const cairn_form *form, int64_t *out)
{
    for (int t = 0; t < form->terms; t++) {
        const cairn_atom    *atom   = &at->algebra->atom[form->term[t].atom];
        const int64_t        factor = form->term[t].factor;
        const int64_t *const column = column_of(at, atom);

        if (t == 0 && !column) fill(at->n, form->constant, out);
        if (!column)
            add_digit(at, atom, factor, out);
        else if (t == 0)
            cairn_columns_begin(at->n, form->constant, factor, column, out);
        else
            cairn_columns_add(at->n, factor, column, out);
    }
    if (form->terms == 0) fill(at->n, form->constant, out);
}

void cairn_form_columns(const cairn_algebra  *algebra,
                        const cairn_form     *form,
                        const int64_t *const *dims,
                        const int64_t *const *queries,
                        int64_t               n,
                        int64_t              *out)
{
    chunk at = {.algebra = algebra, .dims = dims, .queries = queries};

    for (; at.begin < n; at.begin += CHUNK) {
        at.n = (int)(n - at.begin < CHUNK ? n - at.begin : CHUNK);
        evaluate(&at, form, out + at.begin);
    }
}
