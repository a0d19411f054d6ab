// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Forms over columns, a chunk at a time. Quotients are products with a reciprocal where
/// all values of a chunk lie near each other, as coordinates do.

#include "format/columns.h"

#include "base/wide.h"

/* Positions at a time: the columns of a chunk stay in cache. */
enum { CHUNK = 1024 };

/// What is evaluated, and where the chunk begins.
typedef struct {
    const cairn_algebra  *algebra;
    const int64_t *const *dims, *const *queries;
    int64_t begin;
    int     n;
} chunk;

static int64_t multiply(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

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

static void divide_each(int n, int64_t c, int64_t *value)
{
    for (int k = 0; k < n; k++)
        value[k] = cairn_floor_div(value[k], c);
}

/// Divide values that lie less than 2^31 above @p base, a multiple of c, which is at least
/// 2 and less than 2^31. With b bits in c - 1 the reciprocal 2^(31+b) / c, rounded up, has
/// 32 bits and is at most 1 too large: less than 2^-b * value, which c * quotient + c - 1
/// leaves room for.
///
/// Source: T. Granlund, P. L. Montgomery, Division by Invariant Integers using
/// Multiplication, PLDI 1994, theorem 4.2.
CAIRN_WIDE static void divide_near(int n, int64_t c, int64_t base, int64_t *value)
{
    const int      shift = 31 + 64 - __builtin_clzll((uint64_t)c - 1);
    const uint32_t reciprocal =
        (uint32_t)(((uint64_t)1 << shift) / (uint64_t)c + 1); /* it fits */
    const int64_t first = base / c;

    for (int k = 0; k < n; k++) {
        const uint64_t above = (uint64_t)value[k] - (uint64_t)base;

        value[k] = first + (int64_t)((uint64_t)(uint32_t)above * reciprocal >> shift);
    }
}

static void divide(int n, int64_t c, int64_t *value)
{
    const int64_t most = (int64_t)1 << 31;
    int64_t       lo = value[0], hi = value[0], base, last;
    uint64_t      bits = 0;

    if (c == 1) return;
    for (int k = 0; k < n; k++)
        bits |= (uint64_t)value[k];
    if (bits < (uint64_t)most && c >= 2 && c < most) {
        divide_near(n, c, 0, value);
        return;
    }
    for (int k = 1; k < n; k++) {
        lo = value[k] < lo ? value[k] : lo;
        hi = value[k] > hi ? value[k] : hi;
    }
    if (c < 2 || c >= most || __builtin_mul_overflow(cairn_floor_div(lo, c), c, &base)
        || __builtin_sub_overflow(hi, base, &last) || last >= most)
        divide_each(n, c, value);
    else
        divide_near(n, c, base, value);
}

void cairn_columns_floor_div(int64_t n, int64_t divisor, int64_t *value)
{
    for (int64_t at = 0; at < n; at += CHUNK)
        divide((int)(n - at < CHUNK ? n - at : CHUNK), divisor, value + at);
}

/* ---- forms ---- */

static void evaluate(const chunk *at, const cairn_form *form, int64_t *out);

/// Add a quotient or remainder of a form.
static void
add_digit(const chunk *at, const cairn_atom *atom, int64_t factor, int64_t *out)
{
    const int64_t c = atom->divisor;
    int64_t       inner[CHUNK], quotient[CHUNK];

    evaluate(at, &atom->form, inner);
    for (int k = 0; k < at->n; k++)
        quotient[k] = inner[k];
    divide(at->n, c, quotient);
    if (atom->kind == CAIRN_ATOM_DIV) {
        cairn_columns_add(at->n, factor, quotient, out);
        return;
    }
    cairn_columns_add(at->n, factor, inner, out);
    cairn_columns_add(at->n, multiply(-factor, c), quotient, out);
}

static void evaluate(const chunk *at, const cairn_form *form, int64_t *out)
{
    for (int k = 0; k < at->n; k++)
        out[k] = form->constant;
    for (int t = 0; t < form->terms; t++) {
        const cairn_atom *atom   = &at->algebra->atom[form->term[t].atom];
        const int64_t     factor = form->term[t].factor;

        switch (atom->kind) {
        case CAIRN_ATOM_DIM:
            cairn_columns_add(at->n, factor, at->dims[atom->number] + at->begin, out);
            break;
        case CAIRN_ATOM_QUERY:
            cairn_columns_add(at->n, factor, at->queries[atom->number] + at->begin,
                              out);
            break;
        case CAIRN_ATOM_DIV:
        case CAIRN_ATOM_MOD: add_digit(at, atom, factor, out); break;
        }
    }
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
