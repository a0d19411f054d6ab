// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plain forms, and spaces of them.

#include "format/space.h"

#include <stdlib.h>
#include <string.h>

/* ---- plain forms ---- */

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
    case CAIRN_EXPR_MOD: break;
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

/* ---- spaces ---- */

static int64_t factor_of(const cairn_form *form, int atom)
{
    for (int t = 0; t < form->terms; t++)
        if (form->term[t].atom == atom) return form->term[t].factor;
    return 0;
}

static void make_primitive(cairn_form *form)
{
    int64_t g = 0;

    form->constant = 0;
    for (int t = 0; t < form->terms; t++)
        g = cairn_gcd(g, llabs(form->term[t].factor));
    for (int t = 0; t < form->terms; t++)
        form->term[t].factor /= g;
}

/// Free @p form of the atom @p pivot of @p row, whose factor there is positive.
static cairn_status eliminate(const cairn_algebra *algebra,
                              const cairn_form    *row,
                              int                  pivot,
                              cairn_form          *form)
{
    const int64_t have = factor_of(form, pivot), unit = factor_of(row, pivot);
    cairn_form    sum = {0};

    if (have == 0) return CAIRN_OK;
    form->constant = 0;
    CAIRN_TRY(cairn_form_add(algebra, &sum, form, unit));
    CAIRN_TRY(cairn_form_add(algebra, &sum, row, -have));
    make_primitive(&sum);
    *form = sum;
    return CAIRN_OK;
}

cairn_status cairn_space_reduce(const cairn_space *space, cairn_form *form)
{
    make_primitive(form);
    for (int r = 0; r < space->rows; r++)
        CAIRN_TRY(eliminate(space->algebra, &space->row[r], space->pivot[r], form));
    return CAIRN_OK;
}

cairn_status
cairn_space_knows(const cairn_space *space, const cairn_form *form, bool *known)
{
    cairn_form rest = *form;

    CAIRN_TRY(cairn_space_reduce(space, &rest));
    *known = rest.terms == 0;
    return CAIRN_OK;
}

static cairn_status add_row(cairn_space *space, const cairn_form *form)
{
    const cairn_algebra *algebra = space->algebra;
    const int            r       = space->rows;
    cairn_form           rest    = *form;
    int                  pivot;

    CAIRN_TRY(cairn_space_reduce(space, &rest));
    if (rest.terms == 0) return CAIRN_OK;
    CAIRN_CHECK(r < CAIRN_SPACE_ROWS, algebra->env, CAIRN_UNSUPPORTED,
                "format: a query has more than %d forms", CAIRN_SPACE_ROWS);
    pivot = rest.term[0].atom;
    for (int t = 1; t < rest.terms; t++)
        if (cairn_atom_compare(algebra, rest.term[t].atom, pivot) > 0)
            pivot = rest.term[t].atom;
    for (int t = 0, flip = factor_of(&rest, pivot) < 0; t < rest.terms && flip; t++)
        rest.term[t].factor = -rest.term[t].factor;
    for (int k = 0; k < r; k++)
        CAIRN_TRY(eliminate(algebra, &rest, pivot, &space->row[k]));
    space->row[r]   = rest;
    space->pivot[r] = pivot;
    space->rows++;
    return CAIRN_OK;
}

bool cairn_floor_coarsens(const cairn_algebra *algebra, int a, int b)
{
    const cairn_atom *x = &algebra->atom[a], *y = &algebra->atom[b];
    cairn_form        form = y->form;
    int64_t           shift;

    if (x->kind != CAIRN_ATOM_DIV || y->kind != CAIRN_ATOM_DIV
        || x->divisor % y->divisor != 0)
        return false;
    form.constant = x->form.constant;
    return cairn_form_equal(&x->form, &form)
           && !__builtin_sub_overflow(x->form.constant, y->form.constant, &shift)
           && shift % y->divisor == 0;
}

/// The atom of a row with factor 1 or -1, the pivot if it is; -1: there is none.
static int unit_atom(const cairn_form *row, int pivot)
{
    if (factor_of(row, pivot) == 1) return pivot;
    for (int t = 0; t < row->terms; t++)
        if (row->term[t].factor == 1 || row->term[t].factor == -1)
            return row->term[t].atom;
    return -1;
}

/// Reduce by rows that have such an atom, so that the form is not multiplied.
static cairn_status reduce_exactly(const cairn_space *space, cairn_form *form)
{
    for (int r = 0; r < space->rows; r++) {
        const int     atom = unit_atom(&space->row[r], space->pivot[r]);
        const int64_t have = atom < 0 ? 0 : factor_of(form, atom);

        if (have != 0)
            CAIRN_TRY(cairn_form_add(space->algebra, form, &space->row[r],
                                     -have * factor_of(&space->row[r], atom)));
    }
    return CAIRN_OK;
}

/// Of atom @p a, which is floor(f/c): where f + c*h is known for integers h, the floor + h
/// is; h is 0 if f is known.
static cairn_status follows_of(const cairn_space *space,
                               int                a,
                               const cairn_form  *form,
                               int64_t            c,
                               cairn_form        *floor,
                               bool              *known)
{
    cairn_form rest = *form;

    *floor = (cairn_form){.terms = 1, .term = {{a, 1}}};
    *known = true;
    CAIRN_TRY(reduce_exactly(space, &rest));
    for (int t = 0; t < rest.terms; t++)
        *known = *known && rest.term[t].factor % c == 0;
    for (int t = 0; t < rest.terms && *known; t++)
        CAIRN_TRY(cairn_form_add_term(space->algebra, floor, rest.term[t].atom,
                                      -(rest.term[t].factor / c)));
    return CAIRN_OK;
}

/// What follows of a floor, if anything: by what it divides, or by floors it coarsens.
static cairn_status
follows(const cairn_space *space, int a, cairn_form *floor, bool *known)
{
    const cairn_algebra *algebra = space->algebra;
    const cairn_atom    *atom    = &algebra->atom[a];

    CAIRN_TRY(follows_of(space, a, &atom->form, atom->divisor, floor, known));
    for (int b = 0; b < algebra->atoms && !*known; b++) {
        const cairn_form form = {.terms = 1, .term = {{b, 1}}};

        if (b != a && cairn_floor_coarsens(algebra, a, b))
            CAIRN_TRY(follows_of(space, a, &form,
                                 atom->divisor / algebra->atom[b].divisor, floor,
                                 known));
    }
    return CAIRN_OK;
}

static cairn_status close_space(cairn_space *space)
{
    const cairn_algebra *algebra = space->algebra;
    bool                 grown   = true;

    while (grown) {
        grown = false;
        for (int a = algebra->order; a < algebra->atoms; a++) {
            cairn_form floor;
            bool       follow, known;

            if (algebra->atom[a].kind != CAIRN_ATOM_DIV) continue;
            CAIRN_TRY(follows(space, a, &floor, &follow));
            if (!follow) continue;
            CAIRN_TRY(cairn_space_knows(space, &floor, &known));
            if (known) continue;
            CAIRN_TRY(add_row(space, &floor));
            grown = true;
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_space_add(cairn_space *space, const cairn_form *form)
{
    CAIRN_TRY(add_row(space, form));
    return close_space(space);
}

/// The last dimension has a plus, else the simplest floor: d1-d0, d0/2-4*(d0/8).
static void set_sign(const cairn_algebra *algebra, cairn_form *row)
{
    int lead = row->term[0].atom;

    for (int t = 1; t < row->terms; t++) {
        const int atom = row->term[t].atom;

        if (algebra->atom[atom].kind == CAIRN_ATOM_DIM
            || (algebra->atom[lead].kind != CAIRN_ATOM_DIM
                && cairn_atom_compare(algebra, atom, lead) < 0))
            lead = atom;
    }
    if (factor_of(row, lead) > 0) return;
    for (int t = 0; t < row->terms; t++)
        row->term[t].factor = -row->term[t].factor;
}

/// The first dimension that a row has to do with: rows are listed by these.
static int first_dim(const cairn_algebra *algebra, const cairn_form *form)
{
    const uint32_t dims = cairn_form_dims(algebra, form);

    return dims ? __builtin_ctz(dims) : CAIRN_MAX_ORDER;
}

static void
sort_rows(const cairn_algebra *algebra, int rows, cairn_form *row, int *pivot)
{
    for (int r = 1; r < rows; r++)
        for (int k = r; k > 0; k--) {
            const cairn_form form = row[k];
            const int        p    = pivot[k],
                      by = first_dim(algebra, &form) - first_dim(algebra, &row[k - 1]);

            if (by > 0 || (by == 0 && cairn_atom_compare(algebra, p, pivot[k - 1]) > 0))
                break;
            row[k]       = row[k - 1];
            pivot[k]     = pivot[k - 1];
            row[k - 1]   = form;
            pivot[k - 1] = p;
        }
}

/// Does row @p r follow from the base and the other rows that are kept?
static cairn_status is_implied(const cairn_space *space,
                               const cairn_space *base,
                               const bool        *left_out,
                               int                r,
                               cairn_space       *scratch,
                               bool              *implied)
{
    scratch->algebra = space->algebra;
    scratch->rows    = 0;
    if (base) *scratch = *base;
    for (int k = 0; k < space->rows; k++)
        if (k != r && !left_out[k]) CAIRN_TRY(add_row(scratch, &space->row[k]));
    CAIRN_TRY(close_space(scratch));
    return cairn_space_knows(scratch, &space->row[r], implied);
}

/// The most complicated row that was not looked at yet; -1: none.
static int next_row(const cairn_space *space, const bool *seen)
{
    int next = -1;

    for (int r = 0; r < space->rows; r++)
        if (!seen[r]
            && (next < 0
                || cairn_atom_compare(space->algebra, space->pivot[r],
                                      space->pivot[next])
                       > 0))
            next = r;
    return next;
}

cairn_status cairn_space_basis(const cairn_space *space,
                               const cairn_space *base,
                               int               *rows,
                               cairn_form        *row)
{
    cairn_env   *env                        = space->algebra->env;
    bool         left_out[CAIRN_SPACE_ROWS] = {false}, seen[CAIRN_SPACE_ROWS] = {false};
    int          pivot[CAIRN_SPACE_ROWS];
    cairn_space *scratch;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW(env, 1, &scratch));
    status = CAIRN_OK;
    *rows  = 0;
    for (int r; status == CAIRN_OK && (r = next_row(space, seen)) >= 0;) {
        seen[r] = true;
        status  = is_implied(space, base, left_out, r, scratch, &left_out[r]);
    }
    cairn_free(env, scratch);
    for (int r = 0; r < space->rows; r++) {
        if (left_out[r]) continue;
        row[*rows] = space->row[r];
        set_sign(space->algebra, &row[*rows]);
        pivot[(*rows)++] = space->pivot[r];
    }
    sort_rows(space->algebra, *rows, row, pivot);
    return status;
}
