// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The algebra of index maps. An expression becomes a *form*: a constant plus integer
/// multiples of *atoms*, like terms collected. Atoms are the dimensions, the values of
/// queries, floor(f/c) and f%c of other forms; equal atoms are one atom, so equal forms
/// have equal terms. Ranges come from forms by interval arithmetic.
///
/// All arithmetic is checked: a result beyond 64 bits is CAIRN_OVERFLOW.

#ifndef CAIRN_FORMAT_ALGEBRA_H
#define CAIRN_FORMAT_ALGEBRA_H

#include "format/encoding.h"
#include "format/interval.h"

#define CAIRN_MAX_TERMS 24  ///< Terms of one form.
#define CAIRN_MAX_ATOMS 160 ///< Atoms of one encoding with its queries.

typedef enum {
    CAIRN_ATOM_DIM,   ///< Dimension `number`.
    CAIRN_ATOM_QUERY, ///< The value of query `number`.
    CAIRN_ATOM_DIV,   ///< floor(form / divisor)
    CAIRN_ATOM_MOD,   ///< form % divisor
} cairn_atom_kind;

typedef struct cairn_term {
    int     atom;
    int64_t factor; ///< Never 0.
} cairn_term;

/// constant + sum of factor * atom, atoms ascending.
typedef struct cairn_form {
    int64_t    constant;
    int        terms;
    cairn_term term[CAIRN_MAX_TERMS];
} cairn_form;

typedef struct cairn_atom {
    cairn_atom_kind kind;
    int             number;  ///< DIM, QUERY.
    int64_t         divisor; ///< DIV, MOD; at least 2.
    cairn_form      form;    ///< DIV, MOD: what is divided.
} cairn_atom;

/// The atoms of one encoding. Atoms 0..order-1 are the dimensions.
typedef struct cairn_algebra {
    cairn_env *env;
    int        order;
    int        atoms;
    cairn_atom atom[CAIRN_MAX_ATOMS];
} cairn_algebra;

/// Start an algebra over @p order dimensions.
void cairn_algebra_init(cairn_algebra *algebra, cairn_env *env, int order);

/// Turn an expression into its form. f/1 is f, f%1 is 0; nested floors are joined,
/// floor(floor(f/a)/b) = floor(f/(a*b)), and digits of digits are digits: (f%a)%c = f%c
/// where c divides a, and (f%a)/c = ((f/g)%(a/g))/(c/g) for g = gcd(a,c), so that equal
/// functions meet more often.
/// @retval CAIRN_OVERFLOW  A constant, a factor or a joined divisor leaves 64 bits.
cairn_status
cairn_form_of(cairn_algebra *algebra, const cairn_expr *expr, cairn_form *form);

/// floor(form / divisor) as a form, divisor > 0.
cairn_status cairn_form_div(cairn_algebra    *algebra,
                            const cairn_form *form,
                            int64_t           divisor,
                            cairn_form       *quotient);

/// form += factor * other, and form += factor * atom.
cairn_status cairn_form_add(const cairn_algebra *algebra,
                            cairn_form          *form,
                            const cairn_form    *other,
                            int64_t              factor);
cairn_status cairn_form_add_term(const cairn_algebra *algebra,
                                 cairn_form          *form,
                                 int                  atom,
                                 int64_t              factor);

bool cairn_form_equal(const cairn_form *a, const cairn_form *b);

/// Range of a form, when dimension k runs over dims[k] and query q over queries[q].
/// An empty interval among those used gives an empty one, f%c included.
/// @param[in] queries  May be NULL when no form uses a query.
/// @retval CAIRN_OVERFLOW  A bound leaves 64 bits.
cairn_status cairn_form_range(const cairn_algebra  *algebra,
                              const cairn_form     *form,
                              const cairn_interval *dims,
                              const cairn_interval *queries,
                              cairn_interval       *range);

/// Value of a form at a point, when dimension k is dims[k] and query q is queries[q].
/// The point is inside the ranges that were checked, so nothing overflows.
int64_t cairn_form_value(const cairn_algebra *algebra,
                         const cairn_form    *form,
                         const int64_t       *dims,
                         const int64_t       *queries);

/// Narrow the box @p dims to a box that still holds every point of it at which the
/// form's value lies in @p target (forms over dimensions only). An impossible target
/// empties the first interval. Never widens; not always as tight as possible.
void cairn_form_narrow(const cairn_algebra *algebra,
                       const cairn_form    *form,
                       cairn_interval       target,
                       cairn_interval      *dims);

/// The atom that a form is by itself, with factor 1 and no constant; -1: it is more.
static inline int cairn_form_atom(const cairn_form *form)
{
    if (form->terms != 1 || form->constant != 0 || form->term[0].factor != 1) return -1;
    return form->term[0].atom;
}

/// The dimension, of @p order, that a form is by itself; -1: it is something else. (The
/// first atoms of an algebra are the dimensions.)
static inline int cairn_form_dimension(const cairn_form *form, int order)
{
    const int atom = cairn_form_atom(form);

    return atom < order ? atom : -1;
}

/// The atom of @p kind that a form is by itself; NULL: it is something else.
static inline const cairn_atom *cairn_form_single(const cairn_algebra *algebra,
                                                  const cairn_form    *form,
                                                  cairn_atom_kind      kind)
{
    const int atom = cairn_form_atom(form);

    return atom >= 0 && algebra->atom[atom].kind == kind ? &algebra->atom[atom] : NULL;
}

/// Bit k set: the form depends on dimension k (through floors and remainders too).
uint32_t cairn_form_dims(const cairn_algebra *algebra, const cairn_form *form);

/// Bit q set: the form depends on query q.
uint32_t cairn_form_queries(const cairn_algebra *algebra, const cairn_form *form);

/// Greatest common divisor of two numbers that are not negative.
static inline int64_t cairn_gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t r = a % b;

        a = b;
        b = r;
    }
    return a;
}

/// floor(a / c) and a - c * floor(a / c), c > 0.
static inline int64_t cairn_floor_div(int64_t a, int64_t c)
{
    return a / c - (a % c < 0);
}

static inline int64_t cairn_floor_mod(int64_t a, int64_t c)
{
    const int64_t r = a % c;

    return r < 0 ? r + c : r;
}

#endif
