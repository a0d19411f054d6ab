// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Integer rows in reduced echelon form: (sum of atoms) = (sum of variables), with one
/// pivot atom a row, absent from all other rows. Rows are kept primitive (divided by
/// their greatest common divisor); products are formed in 128 bits and checked.

#include "format/known.h"

#include <string.h>

enum {
    CONSTANT = CAIRN_MAX_ATOMS, /* columns: atoms, the constant, variables */
    VARS     = CONSTANT + 1,
    WIDTH    = VARS + CAIRN_MAX_VARS,
    MAX_ROWS = CAIRN_MAX_VARS,
    FEW      = 4, ///< Rows or steps that there is room for at first.
};

/// sum row[atom] * atom = sum row[VARS + var] * var + row[CONSTANT]
typedef struct {
    int     pivot;
    int64_t c[WIDTH];
} row;

struct cairn_known {
    cairn_env     *env;
    cairn_algebra *algebra;
    int            vars, rows, steps;
    int            row_room, step_room;
    uint32_t       queries_used;
    row           *row;  ///< [rows], of row_room
    cairn_step    *step; ///< [steps], of step_room
};

cairn_status
cairn_known_create(cairn_env *env, cairn_algebra *algebra, cairn_known **known)
{
    cairn_known *fresh;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    fresh->env     = env;
    fresh->algebra = algebra;
    *known         = fresh;
    return CAIRN_OK;
}

void cairn_known_destroy(cairn_env *env, cairn_known **known)
{
    if (!*known) return;
    cairn_free(env, (*known)->row);
    cairn_free(env, (*known)->step);
    cairn_free(env, *known);
    *known = NULL;
}

/// Room for one more in a list.
static cairn_status
make_room(const cairn_known *known, int used, int *room, size_t size, void **list)
{
    const int more = *room > 0 ? 2 * *room : FEW;

    if (used < *room) return CAIRN_OK;
    CAIRN_TRY(cairn_realloc(known->env, more, size, list));
    *room = more;
    return CAIRN_OK;
}

static cairn_status too_large(const cairn_known *known)
{
    return cairn_fail(known->env, CAIRN_UNSUPPORTED,
                      "format: index map: too large for its algebra");
}

/// The column after @p k in which rows may have something: behind the atoms that there are
/// come the constant, the variables, and the one that solving adds.
static int next_column(const cairn_known *known, int k)
{
    return k + 1 == known->algebra->atoms ? CONSTANT : k + 1;
}

static int end_of_columns(const cairn_known *known)
{
    return VARS + (known->vars < CAIRN_MAX_VARS ? known->vars + 1 : known->vars);
}

static void make_primitive(const cairn_known *known, row *r)
{
    const int end = end_of_columns(known);
    int64_t   g   = 0;

    for (int k = 0; k < end && g != 1; k = next_column(known, k))
        g = cairn_gcd(g, r->c[k] < 0 ? -r->c[k] : r->c[k]);
    if (g > 1)
        for (int k = 0; k < end; k = next_column(known, k))
            r->c[k] /= g;
}

/// target = target * by[pivot] - by * target[pivot]: without by's pivot atom.
static cairn_status eliminate(const cairn_known *known, row *target, const row *by)
{
    const int64_t t = target->c[by->pivot], b = by->c[by->pivot];
    const int     end = end_of_columns(known);

    if (t == 0) return CAIRN_OK;
    for (int k = 0; k < end; k = next_column(known, k)) {
        const __int128 v = (__int128)target->c[k] * b - (__int128)by->c[k] * t;

        if (v > INT64_MAX || v < -INT64_MAX) return too_large(known);
        target->c[k] = (int64_t)v;
    }
    make_primitive(known, target);
    return CAIRN_OK;
}

/// Write a form's atoms into a row, remainders as f - c*floor(f/c).
static cairn_status
expand(cairn_known *known, const cairn_form *form, int64_t factor, row *r)
{
    int64_t scaled;

    if (__builtin_mul_overflow(form->constant, factor, &scaled)
        || __builtin_sub_overflow(r->c[CONSTANT], scaled, &r->c[CONSTANT]))
        return too_large(known);
    for (int t = 0; t < form->terms; t++) {
        const int a = form->term[t].atom;

        if (__builtin_mul_overflow(form->term[t].factor, factor, &scaled))
            return too_large(known);
        if (known->algebra->atom[a].kind == CAIRN_ATOM_MOD) {
            const cairn_form inner   = known->algebra->atom[a].form;
            const int64_t    divisor = known->algebra->atom[a].divisor;
            cairn_form       floor;
            int64_t          back;

            if (__builtin_mul_overflow(-scaled, divisor, &back))
                return too_large(known);
            CAIRN_TRY(cairn_form_div(known->algebra, &inner, divisor, &floor));
            CAIRN_TRY(expand(known, &inner, scaled, r));
            CAIRN_TRY(expand(known, &floor, back, r));
        } else if (__builtin_add_overflow(r->c[a], scaled, &r->c[a])) {
            return too_large(known);
        }
    }
    return CAIRN_OK;
}

static cairn_status reduce(const cairn_known *known, row *r)
{
    for (int k = 0; k < known->rows; k++)
        CAIRN_TRY(eliminate(known, r, &known->row[k]));
    return CAIRN_OK;
}

/// Enter a row (reduced or not); false in @p fresh when its atoms vanish.
static cairn_status enter(cairn_known *known, row *r, bool *fresh)
{
    CAIRN_TRY(reduce(known, r));
    for (r->pivot = 0; r->pivot < known->algebra->atoms && r->c[r->pivot] == 0;)
        r->pivot++;
    *fresh = r->pivot < known->algebra->atoms;
    if (!*fresh) return CAIRN_OK;
    if (known->rows == MAX_ROWS) return too_large(known);
    CAIRN_TRY(make_room(known, known->rows, &known->row_room, sizeof *known->row,
                        (void **)&known->row));
    for (int k = 0; k < known->rows; k++)
        CAIRN_TRY(eliminate(known, &known->row[k], r));
    known->row[known->rows++] = *r;
    return CAIRN_OK;
}

cairn_status
cairn_known_add(cairn_known *known, const cairn_form *form, int *var, bool *fresh)
{
    row  r = {0};
    bool is_fresh;

    if (known->vars == CAIRN_MAX_VARS) return too_large(known);
    CAIRN_TRY(expand(known, form, 1, &r));
    r.c[VARS + known->vars] = 1;
    if (var) *var = known->vars;
    known->vars++;
    CAIRN_TRY(enter(known, &r, &is_fresh));
    if (fresh) *fresh = is_fresh;
    return CAIRN_OK;
}

void cairn_known_skip(cairn_known *known)
{
    if (known->vars < CAIRN_MAX_VARS) known->vars++;
}

cairn_status
cairn_known_add_constant(cairn_known *known, const cairn_form *form, int64_t value)
{
    row  r = {0};
    bool fresh;

    CAIRN_TRY(expand(known, form, 1, &r));
    if (__builtin_add_overflow(r.c[CONSTANT], value, &r.c[CONSTANT]))
        return too_large(known);
    return enter(known, &r, &fresh);
}

/// Read the combination off a row whose atoms vanished: 0 = vars + constant, where
/// variable @p marker stands for the form itself.
static cairn_status
read_linear(const cairn_known *known, const row *r, int marker, cairn_linear *out)
{
    const int64_t m = r->c[VARS + marker], sign = m > 0 ? -1 : 1;

    memset(out, 0, sizeof *out);
    out->den      = sign > 0 ? -m : m;
    out->constant = sign * r->c[CONSTANT];
    for (int v = 0; v < marker; v++) {
        const int64_t c = r->c[VARS + v];

        if (c == 0) continue;
        if (out->terms == CAIRN_MAX_LEVELS) return too_large(known);
        out->var[out->terms]   = v;
        out->num[out->terms++] = sign * c;
    }
    return CAIRN_OK;
}

cairn_status cairn_known_solve(cairn_known      *known,
                               const cairn_form *form,
                               bool             *is_known,
                               cairn_linear     *out)
{
    row       r      = {0};
    const int marker = known->vars;

    /* The form itself enters as one more variable; what is left when the atoms are
     * gone is its combination of the others. */
    if (marker == CAIRN_MAX_VARS) return too_large(known);
    CAIRN_TRY(expand(known, form, 1, &r));
    r.c[VARS + marker] = 1;
    CAIRN_TRY(reduce(known, &r));
    *is_known = true;
    for (int k = 0; k < known->algebra->atoms; k++)
        if (r.c[k] != 0) *is_known = false;
    if (*is_known && out) CAIRN_TRY(read_linear(known, &r, marker, out));
    return CAIRN_OK;
}

const cairn_step *cairn_known_steps(const cairn_known *known, int *count)
{
    *count = known->steps;
    return known->step;
}

static cairn_status new_step(cairn_known *known, cairn_step **step)
{
    if (known->steps == CAIRN_KNOWN_STEPS) return too_large(known);
    CAIRN_TRY(make_room(known, known->steps, &known->step_room, sizeof *known->step,
                        (void **)&known->step));
    *step = &known->step[known->steps++];
    memset(*step, 0, sizeof **step);
    (*step)->var = known->vars;
    return CAIRN_OK;
}

static cairn_form atom_form(int atom)
{
    return (cairn_form){.terms = 1, .term = {{atom, 1}}};
}

/// If @p dividend is known, so is @p result, by one division.
static cairn_status try_division(cairn_known      *known,
                                 int               kind,
                                 const cairn_form *dividend,
                                 int64_t           divisor,
                                 const cairn_form *result,
                                 bool             *grown)
{
    bool         already, given;
    cairn_linear in;
    cairn_step  *step;

    CAIRN_TRY(cairn_known_solve(known, result, &already, NULL));
    if (already) return CAIRN_OK;
    CAIRN_TRY(cairn_known_solve(known, dividend, &given, &in));
    if (!given) return CAIRN_OK;
    CAIRN_TRY(new_step(known, &step));
    step->kind    = kind;
    step->in      = in;
    step->divisor = divisor;
    *grown        = true;
    return cairn_known_add(known, result, NULL, NULL);
}

/// Floors of @p other's dividend: floor(f/(ck)) from floor(f/c), f%c from f%(ck).
static cairn_status close_pair(cairn_known *known, int atom, int other, bool *grown)
{
    const cairn_atom a = known->algebra->atom[atom], b = known->algebra->atom[other];
    cairn_form       fine = b.form, coarse = a.form;
    const cairn_form floor_a = atom_form(atom), floor_b = atom_form(other);

    if (atom == other || b.kind != CAIRN_ATOM_DIV || a.divisor % b.divisor != 0
        || !cairn_form_equal(&a.form, &b.form))
        return CAIRN_OK;
    CAIRN_TRY(try_division(known, CAIRN_STEP_FLOOR, &floor_b, a.divisor / b.divisor,
                           &floor_a, grown));
    CAIRN_TRY(cairn_form_add(known->algebra, &coarse, &floor_a, -a.divisor));
    CAIRN_TRY(cairn_form_add(known->algebra, &fine, &floor_b, -b.divisor));
    return try_division(known, CAIRN_STEP_MOD, &coarse, b.divisor, &fine, grown);
}

static cairn_status close_atom(cairn_known *known, int atom, bool *grown)
{
    const cairn_atom a     = known->algebra->atom[atom];
    const cairn_form floor = atom_form(atom);

    if (a.kind != CAIRN_ATOM_DIV) return CAIRN_OK;
    CAIRN_TRY(try_division(known, CAIRN_STEP_FLOOR, &a.form, a.divisor, &floor, grown));
    for (int other = 0; other < known->algebra->atoms; other++)
        CAIRN_TRY(close_pair(known, atom, other, grown));
    return CAIRN_OK;
}

/// Known number and group of an enum or reorder query: fill in the step's inputs.
static cairn_status query_inputs(cairn_known       *known,
                                 const cairn_query *queries,
                                 int                q,
                                 cairn_step        *step,
                                 bool              *given)
{
    const cairn_query *query  = &queries[q];
    const cairn_expr   number = {.op = CAIRN_EXPR_QUERY, .value = q};
    cairn_form         form;

    CAIRN_TRY(cairn_form_of(known->algebra, &number, &form));
    CAIRN_TRY(cairn_known_solve(known, &form, given, &step->in));
    if (query->func == CAIRN_QUERY_REORDER) return CAIRN_OK; /* places are global */
    step->groups = query->group_by.count;
    for (int g = 0; g < step->groups && *given; g++) {
        CAIRN_TRY(cairn_form_of(known->algebra, query->group_by.expr[g], &form));
        CAIRN_TRY(cairn_known_solve(known, &form, given, &step->group[g]));
    }
    return CAIRN_OK;
}

/// What the element gives: its dimensions, or the groupBy expressions of its group.
static cairn_status query_results(cairn_known *known, const cairn_query *queries, int q)
{
    const int arg = queries[q].arg;

    if (arg == CAIRN_ARG_VALUE) {
        for (int k = 0; k < known->algebra->order; k++) {
            const cairn_form dim = atom_form(k);

            CAIRN_TRY(cairn_known_add(known, &dim, NULL, NULL));
        }
        return CAIRN_OK;
    }
    for (int g = 0; g < queries[arg].group_by.count; g++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(known->algebra, queries[arg].group_by.expr[g], &form));
        CAIRN_TRY(cairn_known_add(known, &form, NULL, NULL));
    }
    return CAIRN_OK;
}

static cairn_status
close_query(cairn_known *known, const cairn_query *queries, int q, bool *grown)
{
    const cairn_query_func func   = queries[q].func;
    cairn_step             inputs = {.kind = CAIRN_STEP_QUERY, .query = q}, *step;
    bool                   given;

    if ((known->queries_used & 1U << q)
        || (func != CAIRN_QUERY_ENUM && func != CAIRN_QUERY_REORDER))
        return CAIRN_OK;
    CAIRN_TRY(query_inputs(known, queries, q, &inputs, &given));
    if (!given) return CAIRN_OK;
    CAIRN_TRY(new_step(known, &step));
    inputs.var = step->var;
    *step      = inputs;
    *grown     = true;
    known->queries_used |= 1U << q;
    return query_results(known, queries, q);
}

static cairn_status
enter_query_forms(cairn_known *known, const cairn_query *queries, int count)
{
    cairn_form form;

    for (int q = 0; q < count; q++)
        for (int g = 0; g < queries[q].group_by.count; g++)
            CAIRN_TRY(
                cairn_form_of(known->algebra, queries[q].group_by.expr[g], &form));
    return CAIRN_OK;
}

cairn_status
cairn_known_close(cairn_known *known, const cairn_query *queries, int count)
{
    bool grown = true;

    CAIRN_TRY(enter_query_forms(known, queries, count));
    while (grown) {
        grown = false;
        for (int a = 0; a < known->algebra->atoms; a++)
            CAIRN_TRY(close_atom(known, a, &grown));
        for (int q = 0; q < count; q++)
            CAIRN_TRY(close_query(known, queries, q, &grown));
    }
    return CAIRN_OK;
}
