// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plain forms: made from expressions, ordered by what they are, and written as
/// expressions again.

#include "format/plain.h"

#include <stdlib.h>
#include <string.h>

static cairn_status too_large(const cairn_algebra *algebra)
{
    return cairn_fail(algebra->env, CAIRN_OVERFLOW,
                      "format: a query's expression leaves 64 bits");
}

/// Split f = c*high + low, factors and constant of low in 0..c-1.
static cairn_status split(const cairn_algebra *algebra,
                          const cairn_form    *form,
                          int64_t              c,
                          cairn_form          *high,
                          cairn_form          *low)
{
    *high = (cairn_form){.constant = cairn_floor_div(form->constant, c)};
    *low  = (cairn_form){.constant = cairn_floor_mod(form->constant, c)};
    for (int t = 0; t < form->terms; t++) {
        const cairn_term term = form->term[t];

        CAIRN_TRY(cairn_form_add_term(algebra, high, term.atom,
                                      cairn_floor_div(term.factor, c)));
        CAIRN_TRY(cairn_form_add_term(algebra, low, term.atom,
                                      cairn_floor_mod(term.factor, c)));
    }
    return CAIRN_OK;
}

/// Divide factors, constant (downwards) and divisor by what they have in common.
static void shorten(cairn_form *form, int64_t *c)
{
    int64_t g = *c;

    for (int t = 0; t < form->terms; t++)
        g = cairn_gcd(g, form->term[t].factor);
    for (int t = 0; t < form->terms; t++)
        form->term[t].factor /= g;
    form->constant = cairn_floor_div(form->constant, g);
    *c /= g;
}

static cairn_status plain_div(cairn_algebra    *algebra,
                              const cairn_form *form,
                              int64_t           c,
                              cairn_form       *quotient)
{
    cairn_form low, floor;

    CAIRN_TRY(split(algebra, form, c, quotient, &low));
    if (low.terms == 0) return CAIRN_OK;
    shorten(&low, &c);
    if (c == 1) return cairn_form_add(algebra, quotient, &low, 1);

    const cairn_atom *inner = &algebra->atom[low.term[0].atom];

    if (low.terms == 1 && low.term[0].factor == 1 && inner->kind == CAIRN_ATOM_DIV) {
        cairn_form whole = inner->form;
        int64_t    step;

        if (__builtin_mul_overflow(inner->divisor, low.constant, &step)
            || __builtin_add_overflow(whole.constant, step, &whole.constant)
            || __builtin_mul_overflow(inner->divisor, c, &c))
            return too_large(algebra);
        CAIRN_TRY(plain_div(algebra, &whole, c, &floor));
    } else {
        CAIRN_TRY(cairn_form_div(algebra, &low, c, &floor));
    }
    return cairn_form_add(algebra, quotient, &floor, 1);
}

static cairn_status
plain_query(cairn_algebra *algebra, const int *alias, int64_t q, cairn_form *form)
{
    const cairn_expr expr = {.op = CAIRN_EXPR_QUERY, .value = alias[q]};

    return cairn_form_of(algebra, &expr, form);
}

cairn_status cairn_plain_form(cairn_algebra    *algebra,
                              const int        *alias,
                              const cairn_expr *expr,
                              cairn_form       *form)
{
    cairn_form a = {0}, b = {0}, floor;

    if (expr->a) CAIRN_TRY(cairn_plain_form(algebra, alias, expr->a, &a));
    if (expr->b) CAIRN_TRY(cairn_plain_form(algebra, alias, expr->b, &b));
    memset(form, 0, sizeof *form);
    switch (expr->op) {
    case CAIRN_EXPR_CONST: form->constant = expr->value; return CAIRN_OK;
    case CAIRN_EXPR_DIM: return cairn_form_add_term(algebra, form, (int)expr->value, 1);
    case CAIRN_EXPR_QUERY:
    case CAIRN_EXPR_INDIRECT: return plain_query(algebra, alias, expr->value, form);
    case CAIRN_EXPR_NEG: return cairn_form_add(algebra, form, &a, -1);
    case CAIRN_EXPR_ADD:
    case CAIRN_EXPR_SUB:
        *form = a;
        return cairn_form_add(algebra, form, &b, expr->op == CAIRN_EXPR_ADD ? 1 : -1);
    case CAIRN_EXPR_MUL:
        return a.terms == 0 ? cairn_form_add(algebra, form, &b, a.constant)
                            : cairn_form_add(algebra, form, &a, b.constant);
    case CAIRN_EXPR_DIV: return plain_div(algebra, &a, b.constant, form);
    case CAIRN_EXPR_MOD:
    case CAIRN_EXPR_RANKS: break; /* of no map */
    }
    CAIRN_TRY(plain_div(algebra, &a, b.constant, &floor));
    *form = a;
    return cairn_form_add(algebra, form, &floor, -b.constant);
}

cairn_status cairn_plain_replace(cairn_algebra    *algebra,
                                 const int        *atom,
                                 const int64_t    *by,
                                 const cairn_form *form,
                                 cairn_form       *replaced)
{
    const cairn_form copy = *form;

    *replaced = (cairn_form){.constant = copy.constant};
    for (int t = 0; t < copy.terms; t++) {
        const cairn_term term = copy.term[t];
        const cairn_atom part = algebra->atom[term.atom];
        cairn_form       inner, whole = {.terms = 1, .term = {{term.atom, 1}}};

        if (part.kind == CAIRN_ATOM_DIM) {
            whole = (cairn_form){0};
            CAIRN_TRY(cairn_form_add_term(algebra, &whole, atom[part.number],
                                          by[part.number]));
        } else if (part.kind == CAIRN_ATOM_DIV) {
            CAIRN_TRY(cairn_plain_replace(algebra, atom, by, &part.form, &inner));
            CAIRN_TRY(plain_div(algebra, &inner, part.divisor, &whole));
        }
        CAIRN_TRY(cairn_form_add(algebra, replaced, &whole, term.factor));
    }
    return CAIRN_OK;
}

/* ---- the order of atoms ---- */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int depth_of(const cairn_algebra *algebra, int a)
{
    const cairn_form *form  = &algebra->atom[a].form;
    int               depth = 0;

    if (algebra->atom[a].kind != CAIRN_ATOM_DIV) return 0;
    for (int t = 0; t < form->terms; t++) {
        const int inner = depth_of(algebra, form->term[t].atom);

        if (inner > depth) depth = inner;
    }
    return depth + 1;
}

/// Terms by their atoms' order, simplest first.
static void
sort_terms(const cairn_algebra *algebra, const cairn_form *form, cairn_term *term)
{
    for (int t = 0; t < form->terms; t++) {
        int k = t;

        while (k > 0
               && cairn_atom_compare(algebra, form->term[t].atom, term[k - 1].atom)
                      < 0) {
            term[k] = term[k - 1];
            k--;
        }
        term[k] = form->term[t];
    }
}

static int
compare_forms(const cairn_algebra *algebra, const cairn_form *a, const cairn_form *b)
{
    cairn_term x[CAIRN_MAX_TERMS], y[CAIRN_MAX_TERMS];
    int        order = compare_numbers(a->terms, b->terms);

    sort_terms(algebra, a, x);
    sort_terms(algebra, b, y);
    for (int t = 0; t < a->terms && !order; t++) {
        order = cairn_atom_compare(algebra, x[t].atom, y[t].atom);
        if (!order) order = compare_numbers(x[t].factor, y[t].factor);
    }
    return order ? order : compare_numbers(a->constant, b->constant);
}

int cairn_atom_compare(const cairn_algebra *algebra, int a, int b)
{
    const cairn_atom *x = &algebra->atom[a], *y = &algebra->atom[b];
    int               order;

    if (a == b) return 0;
    order = compare_numbers(depth_of(algebra, a), depth_of(algebra, b));
    if (!order) order = compare_numbers(x->kind, y->kind);
    if (order) return order;
    if (x->kind == CAIRN_ATOM_DIM || x->kind == CAIRN_ATOM_QUERY)
        return compare_numbers(x->number, y->number);
    order = compare_numbers(x->divisor, y->divisor);
    return order ? order : compare_forms(algebra, &x->form, &y->form);
}

/* ---- back to expressions ---- */

typedef struct {
    const cairn_algebra *algebra;
    cairn_arena         *arena;
} writer;

static cairn_status node(const writer      *w,
                         cairn_expr_op      op,
                         int64_t            value,
                         const cairn_expr  *a,
                         const cairn_expr  *b,
                         const cairn_expr **expr)
{
    cairn_expr *made;

    CAIRN_TRY(CAIRN_ARENA_NEW(w->arena, 1, &made));
    *made = (cairn_expr){.op = op, .value = value, .a = a, .b = b};
    *expr = made;
    return CAIRN_OK;
}

/// sum = sum + factor * what; @p sum NULL: nothing so far.
static cairn_status
append(const writer *w, int64_t factor, const cairn_expr *what, const cairn_expr **sum)
{
    const bool        minus  = factor < 0;
    const int64_t     amount = minus ? -factor : factor;
    const cairn_expr *number;

    if (amount != 1) {
        CAIRN_TRY(node(w, CAIRN_EXPR_CONST, amount, NULL, NULL, &number));
        CAIRN_TRY(node(w, CAIRN_EXPR_MUL, 0, number, what, &what));
    }
    if (*sum)
        return node(w, minus ? CAIRN_EXPR_SUB : CAIRN_EXPR_ADD, 0, *sum, what, sum);
    if (minus) return node(w, CAIRN_EXPR_NEG, 0, what, NULL, sum);
    *sum = what;
    return CAIRN_OK;
}

static cairn_status write_form(const writer      *w,
                               const cairn_form  *form,
                               bool               whole,
                               const cairn_expr **expr);

static cairn_status
write_quotient(const writer *w, const cairn_atom *atom, const cairn_expr **expr)
{
    const cairn_expr *inner, *number;

    CAIRN_TRY(write_form(w, &atom->form, true, &inner));
    CAIRN_TRY(node(w, CAIRN_EXPR_CONST, atom->divisor, NULL, NULL, &number));
    return node(w, CAIRN_EXPR_DIV, 0, inner, number, expr);
}

static cairn_status write_atom(const writer *w, int a, const cairn_expr **expr)
{
    const cairn_atom *atom = &w->algebra->atom[a];

    switch (atom->kind) {
    case CAIRN_ATOM_DIM: return node(w, CAIRN_EXPR_DIM, atom->number, NULL, NULL, expr);
    case CAIRN_ATOM_QUERY:
        return node(w, CAIRN_EXPR_QUERY, atom->number, NULL, NULL, expr);
    default: return write_quotient(w, atom, expr);
    }
}

/// A digit of a form: m*(f%c), or m*(f/b%c).
typedef struct {
    const cairn_atom *atom;  ///< f/c, or f/(b*c).
    int64_t           below; ///< b
    int64_t           factor;
} digit;

/// m*f in a form beside -m*c times this floor: take both out.
static bool
take_whole(const cairn_algebra *algebra, cairn_form *form, cairn_term term, digit *d)
{
    cairn_form rest = *form;

    *d = (digit){.atom = &algebra->atom[term.atom], .below = 1};
    if (term.factor % d->atom->divisor) return false;
    d->factor = -(term.factor / d->atom->divisor);
    if (cairn_form_add_term(algebra, &rest, term.atom, -term.factor) != CAIRN_OK
        || cairn_form_add(algebra, &rest, &d->atom->form, -d->factor) != CAIRN_OK
        || rest.terms != form->terms - 1 - d->atom->form.terms)
        return false;
    *form = rest;
    return true;
}

/// m*(f/b) in a form beside -m*c times f/(b*c): take both out.
static bool
take_floor(const cairn_algebra *algebra, cairn_form *form, cairn_term term, digit *d)
{
    d->atom = &algebra->atom[term.atom];
    for (int t = 0; t < form->terms; t++) {
        const cairn_term  other = form->term[t];
        const cairn_atom *atom  = &algebra->atom[other.atom];

        if (atom->kind != CAIRN_ATOM_DIV || atom->divisor == d->atom->divisor
            || d->atom->divisor % atom->divisor
            || !cairn_form_equal(&atom->form, &d->atom->form)
            || term.factor != -other.factor * (d->atom->divisor / atom->divisor))
            continue;
        d->below  = atom->divisor;
        d->factor = other.factor;
        return cairn_form_add_term(algebra, form, term.atom, -term.factor) == CAIRN_OK
               && cairn_form_add_term(algebra, form, other.atom, -other.factor)
                      == CAIRN_OK;
    }
    return false;
}

static bool take_digit(const cairn_algebra *algebra, cairn_form *form, digit *d)
{
    for (int t = 0; t < form->terms; t++)
        if (algebra->atom[form->term[t].atom].kind == CAIRN_ATOM_DIV
            && (take_whole(algebra, form, form->term[t], d)
                || take_floor(algebra, form, form->term[t], d)))
            return true;
    return false;
}

static cairn_status
write_digit(const writer *w, const digit *d, const cairn_expr **expr)
{
    const cairn_expr *number;

    CAIRN_TRY(write_form(w, &d->atom->form, true, expr));
    if (d->below > 1) {
        CAIRN_TRY(node(w, CAIRN_EXPR_CONST, d->below, NULL, NULL, &number));
        CAIRN_TRY(node(w, CAIRN_EXPR_DIV, 0, *expr, number, expr));
    }
    CAIRN_TRY(
        node(w, CAIRN_EXPR_CONST, d->atom->divisor / d->below, NULL, NULL, &number));
    return node(w, CAIRN_EXPR_MOD, 0, *expr, number, expr);
}

/// @p whole: with the constant.
static cairn_status
write_form(const writer *w, const cairn_form *form, bool whole, const cairn_expr **expr)
{
    cairn_form        rest = *form;
    cairn_term        term[CAIRN_MAX_TERMS];
    const cairn_expr *part, *sum = NULL;
    digit             d;

    while (take_digit(w->algebra, &rest, &d)) {
        CAIRN_TRY(write_digit(w, &d, &part));
        CAIRN_TRY(append(w, d.factor, part, &sum));
    }
    sort_terms(w->algebra, &rest, term);
    for (int t = 0; t < 2 * rest.terms; t++) { /* those with a plus first */
        const cairn_term one = term[t % rest.terms];

        if ((one.factor > 0) != (t < rest.terms)) continue;
        CAIRN_TRY(write_atom(w, one.atom, &part));
        CAIRN_TRY(append(w, one.factor, part, &sum));
    }
    if ((whole && rest.constant != 0) || !sum) {
        const int64_t k = whole ? rest.constant : 0;

        CAIRN_TRY(node(w, CAIRN_EXPR_CONST, k < 0 && sum ? -k : k, NULL, NULL, &part));
        CAIRN_TRY(append(w, k < 0 && sum ? -1 : 1, part, &sum));
    }
    *expr = sum;
    return CAIRN_OK;
}

cairn_status cairn_plain_expr(const cairn_algebra *algebra,
                              cairn_arena         *arena,
                              const cairn_form    *form,
                              const cairn_expr   **expr)
{
    const writer w = {algebra, arena};

    return write_form(&w, form, false, expr);
}
