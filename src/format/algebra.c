// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Expressions to forms, and intervals over them.

#include "format/algebra.h"

#include <inttypes.h>
#include <string.h>

void cairn_algebra_init(cairn_algebra *algebra, cairn_env *env, int order)
{
    algebra->env   = env;
    algebra->order = order;
    algebra->atoms = order;
    for (int k = 0; k < order; k++)
        algebra->atom[k] = (cairn_atom){.kind = CAIRN_ATOM_DIM, .number = k};
}

bool cairn_form_equal(const cairn_form *a, const cairn_form *b)
{
    if (a->constant != b->constant || a->terms != b->terms) return false;
    for (int t = 0; t < a->terms; t++)
        if (a->term[t].atom != b->term[t].atom
            || a->term[t].factor != b->term[t].factor)
            return false;
    return true;
}

static cairn_status overflow(const cairn_algebra *algebra)
{
    return cairn_fail(algebra->env, CAIRN_OVERFLOW,
                      "format: index map: a coefficient or bound leaves 64 bits");
}

static cairn_status too_many(const cairn_algebra *algebra)
{
    return cairn_fail(algebra->env, CAIRN_UNSUPPORTED,
                      "format: index map: more than %d terms or %d atoms",
                      CAIRN_MAX_TERMS, CAIRN_MAX_ATOMS);
}

cairn_status cairn_form_add_term(const cairn_algebra *algebra,
                                 cairn_form          *form,
                                 int                  atom,
                                 int64_t              factor)
{
    int t = 0;

    if (factor == 0) return CAIRN_OK;
    while (t < form->terms && form->term[t].atom < atom)
        t++;
    if (t < form->terms && form->term[t].atom == atom) {
        if (__builtin_add_overflow(form->term[t].factor, factor, &form->term[t].factor))
            return overflow(algebra);
        if (form->term[t].factor != 0) return CAIRN_OK;
        form->terms--;
        memmove(form->term + t, form->term + t + 1,
                (size_t)(form->terms - t) * sizeof *form->term);
        return CAIRN_OK;
    }
    if (form->terms == CAIRN_MAX_TERMS) return too_many(algebra);
    memmove(form->term + t + 1, form->term + t,
            (size_t)(form->terms - t) * sizeof *form->term);
    form->term[t] = (cairn_term){atom, factor};
    form->terms++;
    return CAIRN_OK;
}

cairn_status cairn_form_add(const cairn_algebra *algebra,
                            cairn_form          *form,
                            const cairn_form    *other,
                            int64_t              factor)
{
    const cairn_form copy = *other; /* other may be form itself */
    int64_t          scaled;

    if (__builtin_mul_overflow(copy.constant, factor, &scaled)
        || __builtin_add_overflow(form->constant, scaled, &form->constant))
        return overflow(algebra);
    for (int t = 0; t < copy.terms; t++) {
        if (__builtin_mul_overflow(copy.term[t].factor, factor, &scaled))
            return overflow(algebra);
        CAIRN_TRY(cairn_form_add_term(algebra, form, copy.term[t].atom, scaled));
    }
    return CAIRN_OK;
}

static bool atom_equal(const cairn_atom *a, const cairn_atom *b)
{
    if (a->kind != b->kind) return false;
    if (a->kind == CAIRN_ATOM_DIM || a->kind == CAIRN_ATOM_QUERY)
        return a->number == b->number;
    return a->divisor == b->divisor && cairn_form_equal(&a->form, &b->form);
}

/// Add factor * atom to @p form, entering the atom in the table if it is new.
static cairn_status add_atom(cairn_algebra    *algebra,
                             const cairn_atom *atom,
                             int64_t           factor,
                             cairn_form       *form)
{
    int k = 0;

    while (k < algebra->atoms && !atom_equal(&algebra->atom[k], atom))
        k++;
    if (k == algebra->atoms) {
        if (k == CAIRN_MAX_ATOMS) return too_many(algebra);
        algebra->atom[algebra->atoms++] = *atom;
    }
    return cairn_form_add_term(algebra, form, k, factor);
}

static cairn_status form_mod(cairn_algebra    *algebra,
                             const cairn_form *form,
                             int64_t           divisor,
                             cairn_form       *rest);

/// (f%a)/c = ((f/g)%(a/g)) / (c/g) for g = gcd(a,c): digits of digits are digits.
static cairn_status div_of_digit(cairn_algebra    *algebra,
                                 const cairn_atom *digit,
                                 int64_t           c,
                                 int64_t           g,
                                 cairn_form       *quotient)
{
    const int64_t rest = digit->divisor / g;
    cairn_form    high, low;

    CAIRN_TRY(cairn_form_div(algebra, &digit->form, g, &high));
    CAIRN_TRY(form_mod(algebra, &high, rest, &low));
    return cairn_form_div(algebra, &low, c / g, quotient);
}

cairn_status cairn_form_div(cairn_algebra    *algebra,
                            const cairn_form *form,
                            int64_t           divisor,
                            cairn_form       *quotient)
{
    const cairn_form  copy  = *form;
    const cairn_atom *inner = cairn_form_single(algebra, &copy, CAIRN_ATOM_DIV);
    const cairn_atom *digit = cairn_form_single(algebra, &copy, CAIRN_ATOM_MOD);
    cairn_atom        atom = {.kind = CAIRN_ATOM_DIV, .divisor = divisor, .form = copy};

    memset(quotient, 0, sizeof *quotient);
    if (divisor == 1) {
        *quotient = copy;
        return CAIRN_OK;
    }
    if (copy.terms == 0) {
        quotient->constant = cairn_floor_div(copy.constant, divisor);
        return CAIRN_OK;
    }
    const int64_t g = digit ? cairn_gcd(digit->divisor, divisor) : 1;

    if (g > 1) return div_of_digit(algebra, digit, divisor, g, quotient);
    if (inner) {
        /* Once more from the start: what was divided may be a digit of the product. */
        const cairn_form whole = inner->form;

        if (__builtin_mul_overflow(inner->divisor, divisor, &divisor))
            return overflow(algebra);
        return cairn_form_div(algebra, &whole, divisor, quotient);
    }
    return add_atom(algebra, &atom, 1, quotient);
}

static cairn_status form_mod(cairn_algebra    *algebra,
                             const cairn_form *form,
                             int64_t           divisor,
                             cairn_form       *rest)
{
    const cairn_atom *digit = cairn_form_single(algebra, form, CAIRN_ATOM_MOD);
    /* (f%a)%c = f%c where c divides a */
    const cairn_form dividend =
        digit && digit->divisor % divisor == 0 ? digit->form : *form;
    const cairn_atom atom = {
        .kind = CAIRN_ATOM_MOD, .divisor = divisor, .form = dividend};
    cairn_form floor;

    memset(rest, 0, sizeof *rest);
    if (divisor == 1) return CAIRN_OK;
    if (form->terms == 0) {
        rest->constant = cairn_floor_mod(form->constant, divisor);
        return CAIRN_OK;
    }
    /* The floor beside it becomes an atom too: what is known is reasoned over atoms. */
    CAIRN_TRY(cairn_form_div(algebra, &dividend, divisor, &floor));
    return add_atom(algebra, &atom, 1, rest);
}

/// a*b, one of which is constant (the language sees to that).
static cairn_status form_product(cairn_algebra    *algebra,
                                 const cairn_form *a,
                                 const cairn_form *b,
                                 cairn_form       *product)
{
    const bool a_constant = a->terms == 0;

    memset(product, 0, sizeof *product);
    return cairn_form_add(algebra, product, a_constant ? b : a,
                          a_constant ? a->constant : b->constant);
}

cairn_status
cairn_form_of(cairn_algebra *algebra, const cairn_expr *expr, cairn_form *form)
{
    const cairn_atom query = {.kind = CAIRN_ATOM_QUERY, .number = (int)expr->value};
    cairn_form       a = {0}, b = {0};

    memset(form, 0, sizeof *form);
    if (expr->a) CAIRN_TRY(cairn_form_of(algebra, expr->a, &a));
    if (expr->b) CAIRN_TRY(cairn_form_of(algebra, expr->b, &b));
    switch (expr->op) {
    case CAIRN_EXPR_CONST: form->constant = expr->value; return CAIRN_OK;
    case CAIRN_EXPR_DIM: return cairn_form_add_term(algebra, form, (int)expr->value, 1);
    case CAIRN_EXPR_QUERY:
    case CAIRN_EXPR_INDIRECT: return add_atom(algebra, &query, 1, form);
    case CAIRN_EXPR_NEG: return cairn_form_add(algebra, form, &a, -1);
    case CAIRN_EXPR_ADD:
    case CAIRN_EXPR_SUB:
        *form = a;
        return cairn_form_add(algebra, form, &b, expr->op == CAIRN_EXPR_ADD ? 1 : -1);
    case CAIRN_EXPR_MUL: return form_product(algebra, &a, &b, form);
    case CAIRN_EXPR_DIV: return cairn_form_div(algebra, &a, b.constant, form);
    case CAIRN_EXPR_MOD: return form_mod(algebra, &a, b.constant, form);
    case CAIRN_EXPR_RANKS: break; /* of no map */
    }
    return CAIRN_OK;
}

static const cairn_interval empty_interval = {0, -1};

static bool is_empty(cairn_interval i)
{
    return i.lo > i.hi;
}

static cairn_status atom_range(const cairn_algebra  *algebra,
                               const cairn_atom     *atom,
                               const cairn_interval *dims,
                               const cairn_interval *queries,
                               cairn_interval       *range)
{
    cairn_interval inner;

    switch (atom->kind) {
    case CAIRN_ATOM_DIM: *range = dims[atom->number]; return CAIRN_OK;
    case CAIRN_ATOM_QUERY: *range = queries[atom->number]; return CAIRN_OK;
    case CAIRN_ATOM_DIV:
    case CAIRN_ATOM_MOD: break;
    }
    CAIRN_TRY(cairn_form_range(algebra, &atom->form, dims, queries, &inner));
    if (is_empty(inner))
        *range = empty_interval;
    else if (atom->kind == CAIRN_ATOM_MOD)
        *range = (cairn_interval){0, atom->divisor - 1};
    else
        *range = (cairn_interval){cairn_floor_div(inner.lo, atom->divisor),
                                  cairn_floor_div(inner.hi, atom->divisor)};
    return CAIRN_OK;
}

cairn_status cairn_form_range(const cairn_algebra  *algebra,
                              const cairn_form     *form,
                              const cairn_interval *dims,
                              const cairn_interval *queries,
                              cairn_interval       *range)
{
    __int128 lo = form->constant, hi = form->constant;

    for (int t = 0; t < form->terms; t++) {
        const cairn_term term = form->term[t];
        cairn_interval   r;

        CAIRN_TRY(atom_range(algebra, &algebra->atom[term.atom], dims, queries, &r));
        if (is_empty(r)) {
            *range = empty_interval;
            return CAIRN_OK;
        }
        lo += (__int128)term.factor * (term.factor > 0 ? r.lo : r.hi);
        hi += (__int128)term.factor * (term.factor > 0 ? r.hi : r.lo);
    }
    /* One bit of room is kept so that sizes hi-lo+1 cannot overflow either. */
    if (lo < INT64_MIN / 4 || hi > INT64_MAX / 2) return overflow(algebra);
    *range = (cairn_interval){(int64_t)lo, (int64_t)hi};
    return CAIRN_OK;
}

static int64_t atom_value(const cairn_algebra *algebra,
                          const cairn_atom    *atom,
                          const int64_t       *dims,
                          const int64_t       *queries)
{
    switch (atom->kind) {
    case CAIRN_ATOM_DIM: return dims[atom->number];
    case CAIRN_ATOM_QUERY: return queries[atom->number];
    case CAIRN_ATOM_DIV:
        return cairn_floor_div(cairn_form_value(algebra, &atom->form, dims, queries),
                               atom->divisor);
    case CAIRN_ATOM_MOD: break;
    }
    return cairn_floor_mod(cairn_form_value(algebra, &atom->form, dims, queries),
                           atom->divisor);
}

int64_t cairn_form_value(const cairn_algebra *algebra,
                         const cairn_form    *form,
                         const int64_t       *dims,
                         const int64_t       *queries)
{
    int64_t value = form->constant;

    for (int t = 0; t < form->terms; t++)
        value +=
            form->term[t].factor
            * atom_value(algebra, &algebra->atom[form->term[t].atom], dims, queries);
    return value;
}

static uint32_t
form_uses(const cairn_algebra *algebra, const cairn_form *form, cairn_atom_kind kind)
{
    uint32_t uses = 0;

    for (int t = 0; t < form->terms; t++) {
        const cairn_atom *atom = &algebra->atom[form->term[t].atom];

        if (atom->kind == kind)
            uses |= 1U << atom->number;
        else if (atom->kind == CAIRN_ATOM_DIV || atom->kind == CAIRN_ATOM_MOD)
            uses |= form_uses(algebra, &atom->form, kind);
    }
    return uses;
}

uint32_t cairn_form_dims(const cairn_algebra *algebra, const cairn_form *form)
{
    return form_uses(algebra, form, CAIRN_ATOM_DIM);
}

uint32_t cairn_form_queries(const cairn_algebra *algebra, const cairn_form *form)
{
    return form_uses(algebra, form, CAIRN_ATOM_QUERY);
}

static int64_t ceil_div(int64_t a, int64_t c)
{
    return -cairn_floor_div(-a, c);
}

static int64_t clamp128(__int128 value)
{
    if (value > INT64_MAX / 2) return INT64_MAX / 2;
    if (value < INT64_MIN / 4) return INT64_MIN / 4;
    return (int64_t)value;
}

/// The interval of an atom whose multiple must lie in [lo, hi].
static cairn_interval divide_interval(__int128 lo, __int128 hi, int64_t factor)
{
    const __int128 flipped_lo = factor > 0 ? lo : -hi,
                   flipped_hi = factor > 0 ? hi : -lo;
    const int64_t c           = factor > 0 ? factor : -factor;

    return (cairn_interval){ceil_div(clamp128(flipped_lo), c),
                            cairn_floor_div(clamp128(flipped_hi), c)};
}

static void atom_narrow(const cairn_algebra *algebra,
                        const cairn_atom    *atom,
                        cairn_interval       target,
                        cairn_interval      *dims)
{
    cairn_interval *d = &dims[atom->number];

    switch (atom->kind) {
    case CAIRN_ATOM_DIM:
        if (target.lo > d->lo) d->lo = target.lo;
        if (target.hi < d->hi) d->hi = target.hi;
        return;
    case CAIRN_ATOM_DIV:
        cairn_form_narrow(
            algebra, &atom->form,
            (cairn_interval){
                clamp128((__int128)target.lo * atom->divisor),
                clamp128((__int128)target.hi * atom->divisor + atom->divisor - 1)},
            dims);
        return;
    case CAIRN_ATOM_MOD:
    case CAIRN_ATOM_QUERY: return; /* a remainder says nothing about an interval */
    }
}

void cairn_form_narrow(const cairn_algebra *algebra,
                       const cairn_form    *form,
                       cairn_interval       target,
                       cairn_interval      *dims)
{
    cairn_interval part[CAIRN_MAX_TERMS];
    __int128       lo = form->constant, hi = form->constant;

    for (int t = 0; t < form->terms; t++) {
        const int64_t f = form->term[t].factor;

        if (atom_range(algebra, &algebra->atom[form->term[t].atom], dims, NULL,
                       &part[t])
                != CAIRN_OK
            || is_empty(part[t])) {
            dims[0] = empty_interval;
            return;
        }
        lo += (__int128)f * (f > 0 ? part[t].lo : part[t].hi);
        hi += (__int128)f * (f > 0 ? part[t].hi : part[t].lo);
    }
    if (hi < target.lo || lo > target.hi) {
        dims[0] = empty_interval;
        return;
    }
    for (int t = 0; t < form->terms; t++) {
        const int64_t  f    = form->term[t].factor;
        const __int128 low  = (__int128)f * (f > 0 ? part[t].lo : part[t].hi);
        const __int128 high = (__int128)f * (f > 0 ? part[t].hi : part[t].lo);

        /* what the other terms leave for this one */
        atom_narrow(algebra, &algebra->atom[form->term[t].atom],
                    divide_interval(target.lo - (hi - high), target.hi - (lo - low), f),
                    dims);
    }
}
