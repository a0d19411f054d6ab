// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Spaces of plain forms: rows reduced, what follows from them, a basis.

#include "format/space.h"

#include <stdlib.h>
#include <string.h>

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

/// Rows are in the order of their pivots: what is of dimensions alone reduces first, since
/// a floor that it brings in seldom goes out again.
static void insert_row(cairn_space *space, const cairn_form *form, int pivot)
{
    int r = space->rows++;

    for (; r > 0 && cairn_atom_compare(space->algebra, space->pivot[r - 1], pivot) > 0;
         r--) {
        space->row[r]   = space->row[r - 1];
        space->pivot[r] = space->pivot[r - 1];
    }
    space->row[r]   = *form;
    space->pivot[r] = pivot;
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
    insert_row(space, &rest, pivot);
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

/// Reduce by rows that have such an atom, the simplest first, so that the form is not
/// multiplied.
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
