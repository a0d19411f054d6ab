// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Value maps in normal form. What conditions compare is cut into *cells*, in each of
/// which every condition holds or does not: a value that is stored lies between two
/// constants, at one, or is no number; or nothing is stored. A value map says which class
/// each cell is in. From that alone the cases are written anew: of the conditions, in a
/// fixed order, the first that takes exactly what is left of one class becomes the next
/// case.

#include "format/normal_steps.h"

#include <string.h>

enum {
    VARS     = 3, ///< Of one value map; with more it stays as it is.
    CUTS     = 2 * CAIRN_MAX_CASES + 2,
    CELLS    = 2 * CUTS + 3,
    PRODUCTS = 4096, ///< Cells of all variables together.
    CLASSES  = CAIRN_MAX_CASES + 1,
    GONE     = 255, ///< A cell that cannot be, or that a case has taken.
};

/// What conditions compare. A value: cut points, with the cells below the first, at it,
/// between it and the next, ...; then no number; then not stored. A query's number: cuts
/// are the first integers of cells; then no number.
typedef struct {
    int     var;
    bool    counts; ///< A query's, never below 0 and never missing.
    int64_t unit;   ///< The text's numbers are so many times these.
    int     cuts;
    int64_t cut[CUTS];
    int     cells;
    int     stride; ///< Of its cells in the product.
} variable;

typedef struct {
    const cairn_normal *n;
    const cairn_query  *text;
    int                 vars;
    variable            var[VARS];
    int                 products;
    uint8_t class[PRODUCTS];
    int         classes; ///< The last is `otherwise`.
    cairn_start start[CLASSES];
    cairn_query made; ///< Its cases.
} value_map;

/* ---- variables and cells ---- */

static void add_cut(variable *v, int64_t cut)
{
    int k = v->cuts;

    for (int c = 0; c < v->cuts; c++)
        if (v->cut[c] == cut) return;
    for (; k > 0 && v->cut[k - 1] > cut; k--)
        v->cut[k] = v->cut[k - 1];
    v->cut[k] = cut;
    v->cuts++;
}

/* Constants are compared as doubles: those that are one double are one cut. */
static void cut_at(variable *v, int64_t constant)
{
    if (v->var == CAIRN_ARG_VALUE) {
        for (int c = 0; c < v->cuts; c++)
            if ((double)v->cut[c] == (double)constant) return;
        add_cut(v, constant);
        return;
    }
    const int64_t floor = cairn_floor_div(constant, v->unit);

    if (floor * v->unit == constant) add_cut(v, floor);
    if (floor < INT64_MAX) add_cut(v, floor + 1);
}

static variable *find_variable(value_map *w, int var)
{
    variable *v = w->var;

    while (v < w->var + w->vars && v->var != var)
        v++;
    if (v == w->var + VARS) return NULL;
    if (v < w->var + w->vars) return v;
    *v = (variable){.var = var, .unit = 1};
    if (var != CAIRN_ARG_VALUE) {
        v->counts = w->n->counts >> var & 1;
        v->unit   = w->n->unit[var];
        add_cut(v, v->counts ? 0 : INT64_MIN + 1);
    }
    w->vars++;
    return v;
}

/// Drop cuts below 0 of what is never below.
static void finish_variable(variable *v)
{
    int below = 0;

    while (v->counts && v->cut[below] < 0)
        below++;
    memmove(v->cut, v->cut + below, (size_t)(v->cuts - below) * sizeof *v->cut);
    v->cuts -= below;
    v->cells = v->var == CAIRN_ARG_VALUE ? 2 * v->cuts + 3 : v->cuts + !v->counts;
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static bool holds_by(cairn_relation relation, int order)
{
    switch (relation) {
    case CAIRN_REL_EQ: return order == 0;
    case CAIRN_REL_NE: return order != 0;
    case CAIRN_REL_GT: return order > 0;
    case CAIRN_REL_GE: return order >= 0;
    case CAIRN_REL_LT: return order < 0;
    case CAIRN_REL_LE: break;
    }
    return order <= 0;
}

/// Does a condition on the value hold in a cell?
static bool
holds_of_value(const variable *v, int cell, cairn_relation relation, int64_t k)
{
    const int  none   = 2 * v->cuts + 1;
    const bool stored = cell <= none;
    int        c      = 0;

    if (k == 0 && relation == CAIRN_REL_EQ) return !stored;
    if (k == 0 && relation == CAIRN_REL_NE) return stored;
    if (!stored) return holds_by(relation, compare(0, (double)k));
    if (cell == none) return relation == CAIRN_REL_NE;
    while ((double)v->cut[c] != (double)k)
        c++;
    return holds_by(relation, cell - (2 * c + 1));
}

/// Does a condition on the query's number hold in a cell?
static bool
holds_of_number(const variable *v, int cell, cairn_relation relation, int64_t k)
{
    if (cell == v->cuts) return relation == CAIRN_REL_NE;

    const __int128 number = (__int128)v->cut[cell] * v->unit;

    return holds_by(relation, (number > k) - (number < k));
}

static bool holds(const variable *v, int cell, cairn_relation relation, int64_t k)
{
    return v->var == CAIRN_ARG_VALUE ? holds_of_value(v, cell, relation, k)
                                     : holds_of_number(v, cell, relation, k);
}

static int cell_of(const variable *v, int product)
{
    return product / v->stride % v->cells;
}

/// False: there are too many.
static bool find_variables(value_map *w)
{
    const cairn_query *q = w->text;

    for (int c = 0; c < q->cases; c++) {
        variable *v = find_variable(w, q->when[c].var);

        if (!v) return false;
        cut_at(v, q->when[c].constant);
    }
    for (int a = 1; a < w->vars; a++) /* in the order of their numbers */
        for (int b = a; b > 0 && w->var[b].var < w->var[b - 1].var; b--) {
            const variable v = w->var[b];

            w->var[b]     = w->var[b - 1];
            w->var[b - 1] = v;
        }
    w->products = 1;
    for (int k = 0; k < w->vars; k++) {
        finish_variable(&w->var[k]);
        w->var[k].stride = w->products;
        w->products *= w->var[k].cells;
        if (w->products > PRODUCTS) return false;
    }
    return true;
}

static const variable *variable_of(const value_map *w, int var)
{
    const variable *v = w->var;

    while (v->var != var)
        v++;
    return v;
}

static void classify(value_map *w)
{
    const cairn_query *q = w->text;

    for (int p = 0; p < w->products; p++) {
        int c = 0;

        for (; c < q->cases; c++) {
            const cairn_case *when = &q->when[c];
            const variable   *v    = variable_of(w, when->var);

            if (holds(v, cell_of(v, p), when->relation, when->constant)) break;
        }
        w->class[p] = (uint8_t)c;
    }
    w->classes = q->cases + 1;
    for (int c = 0; c < q->cases; c++)
        w->start[c] = q->when[c].start;
    w->start[q->cases] = q->otherwise;
}

/* ---- fewer classes, fewer cuts ---- */

static bool same_start(const cairn_start *a, const cairn_start *b)
{
    return a->kind == b->kind && (a->kind == CAIRN_START_NONE || a->value == b->value);
}

/// Classes that say the same become one: in a sum, those of one start; in an enum only
/// those that are not numbered, since each other numbers its own.
static void join_classes(value_map *w)
{
    for (int p = 0; p < w->products; p++)
        for (int c = 0; c < w->class[p]; c++)
            if (same_start(&w->start[c], &w->start[w->class[p]])
                && (w->text->func == CAIRN_QUERY_SUM
                    || w->start[c].kind == CAIRN_START_NONE))
                w->class[p] = (uint8_t)c;
}

/// Are cells @p a and @p b of a variable in one class, whatever the other variables?
static bool same_cells(const value_map *w, const variable *v, int a, int b)
{
    for (int p = 0; p < w->products; p++)
        if (cell_of(v, p) == a && w->class[p] != w->class[p + (b - a) * v->stride])
            return false;
    return true;
}

/// Leave out @p count cells of a variable from @p first on.
static void drop_cells(value_map *w, variable *v, int first, int count)
{
    const int cells = v->cells;
    int       kept  = 0;

    for (int p = 0; p < w->products; p++) {
        const int cell = p / v->stride % cells;

        if (cell < first || cell >= first + count) w->class[kept++] = w->class[p];
    }
    w->products = kept;
    v->cells    = cells - count;
    for (variable *u = v + 1; u < w->var + w->vars; u++)
        u->stride = u[-1].stride * u[-1].cells;
}

static void drop_cut(variable *v, int c)
{
    v->cuts--;
    memmove(v->cut + c, v->cut + c + 1, (size_t)(v->cuts - c) * sizeof *v->cut);
}

/// Cuts between cells that are always in one class say nothing.
static void drop_cuts(value_map *w)
{
    for (int k = 0; k < w->vars; k++) {
        variable  *v     = &w->var[k];
        const bool value = v->var == CAIRN_ARG_VALUE;

        for (int c = v->cuts - 1; c >= (value ? 0 : 1); c--) {
            const int at = value ? 2 * c + 1 : c;

            if (!same_cells(w, v, at - 1, at)
                || (value && !same_cells(w, v, at, at + 1)))
                continue;
            drop_cells(w, v, at, value ? 2 : 1);
            drop_cut(v, c);
        }
    }
}

/* ---- cases ---- */

static int remaining_classes(const value_map *w, int *last)
{
    bool seen[CLASSES] = {false};
    int  n             = 0;

    for (int p = 0; p < w->products; p++)
        if (w->class[p] != GONE && !seen[w->class[p]]) {
            seen[w->class[p]] = true;
            *last             = w->class[p];
            n++;
        }
    return n;
}

/// The class that the condition takes, all of it and nothing else; -1: none.
static int
taken_class(const value_map *w, const variable *v, cairn_relation relation, int64_t k)
{
    int class = -1;

    for (int p = 0; p < w->products; p++) {
        if (w->class[p] == GONE || !holds(v, cell_of(v, p), relation, k)) continue;
        if (class >= 0 && w->class[p] != class) return -1;
        class = w->class[p];
    }
    for (int p = 0; p < w->products && class >= 0; p++)
        if (w->class[p] == class && !holds(v, cell_of(v, p), relation, k)) return -1;
    return class;
}

static bool take(value_map *w, const variable *v, cairn_relation relation, int64_t k)
{
    const int class = taken_class(w, v, relation, k);

    if (class < 0 || w->made.cases == CAIRN_MAX_CASES) return false;
    w->made.when[w->made.cases++] = (cairn_case){
        .var = v->var, .relation = relation, .constant = k, .start = w->start[class]};
    for (int p = 0; p < w->products; p++)
        if (w->class[p] == class) w->class[p] = GONE;
    return true;
}

/// Conditions at one number: those that tell cells apart there. Of a query's number cells
/// begin at a cut, and end before the next.
static bool take_at(value_map *w, const variable *v, int c, bool ends)
{
    static const cairn_relation relations[] = {CAIRN_REL_NE, CAIRN_REL_EQ,
                                               CAIRN_REL_LT, CAIRN_REL_LE,
                                               CAIRN_REL_GT, CAIRN_REL_GE};
    const int64_t               k           = v->cut[c];

    for (int r = 0; r < 6; r++) {
        const bool point = relations[r] == CAIRN_REL_NE || relations[r] == CAIRN_REL_EQ;

        if (k == 0 && point && v->var == CAIRN_ARG_VALUE) continue;
        if (ends
            && (point ? c + 1 == v->cuts || v->cut[c + 1] != k + 1
                      : relations[r] == CAIRN_REL_LE || relations[r] == CAIRN_REL_GT))
            continue;
        if (take(w, v, relations[r], k)) return true;
    }
    return false;
}

static bool take_next(value_map *w)
{
    for (int k = 0; k < w->vars; k++) {
        const variable *v     = &w->var[k];
        const bool      value = v->var == CAIRN_ARG_VALUE;

        if (value && (take(w, v, CAIRN_REL_NE, 0) || take(w, v, CAIRN_REL_EQ, 0)))
            return true;
        for (int c = 0; c < v->cuts; c++)
            if (take_at(w, v, c, !value)) return true;
    }
    return false;
}

/// Write the cases. False: no condition takes a class by itself.
static bool write_cases(value_map *w)
{
    uint8_t kept[PRODUCTS];
    int     last = 0;
    bool    done = true;

    memcpy(kept, w->class, sizeof kept);
    w->made.cases = 0;
    while (done && remaining_classes(w, &last) > 1)
        done = take_next(w);
    w->made.otherwise = w->start[last];
    memcpy(w->class, kept, sizeof kept);
    return done;
}

/// A class per run of cells that are alike, for sums, whose classes may be cut.
static bool cut_classes(value_map *w)
{
    int         n = 0;
    cairn_start start[CLASSES];
    uint8_t     before = GONE;

    if (w->vars != 1 || w->text->func != CAIRN_QUERY_SUM) return false;
    for (int p = 0; p < w->products; p++) {
        const int class = w->class[p];

        if (class != before || p + 2 >= w->products) {
            if (n == CLASSES) return false;
            start[n++] = w->start[class];
        }
        before      = (uint8_t) class;
        w->class[p] = (uint8_t)(n - 1);
    }
    memcpy(w->start, start, sizeof start);
    return true;
}

/* ---- starts ---- */

static void normalise_start(const cairn_normal *n, bool sum, cairn_start *start)
{
    if (start->kind == CAIRN_START_QUERY) start->value = n->alias[start->value];
    if (start->kind == CAIRN_START_NONE) start->value = 0;
    if (sum && start->kind == CAIRN_START_NONE) start->kind = CAIRN_START_CONST;
}

static void normalise_starts(const cairn_normal *n, cairn_query *q)
{
    for (int c = 0; c < q->cases; c++) {
        if (q->when[c].var >= 0) q->when[c].var = n->alias[q->when[c].var];
        normalise_start(n, q->func == CAIRN_QUERY_SUM, &q->when[c].start);
    }
    normalise_start(n, q->func == CAIRN_QUERY_SUM, &q->otherwise);
}

/// Cells and their classes; what follows counts in the normal form's own numbers.
static bool start(value_map *w)
{
    w->vars = 0;
    if (!find_variables(w)) return false;
    classify(w);
    for (int k = 0; k < w->vars; k++)
        w->var[k].unit = 1;
    return true;
}

static bool rewrite(value_map *w)
{
    if (!start(w)) return false;
    join_classes(w);
    drop_cuts(w);
    if (write_cases(w) || (cut_classes(w) && write_cases(w))) return true;
    start(w);
    drop_cuts(w);
    return write_cases(w);
}

cairn_status cairn_normal_with(cairn_normal *n, int q)
{
    cairn_query *query = &n->made->query[q];
    value_map   *w;

    normalise_starts(n, query);
    if (query->func != CAIRN_QUERY_SUM && query->func != CAIRN_QUERY_ENUM)
        return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(n->env, 1, &w));
    w->n    = n;
    w->text = query;

    const bool done = rewrite(w);

    if (done) {
        query->cases     = w->made.cases;
        query->otherwise = w->made.otherwise;
        query->has_with  = true;
        memcpy(query->when, w->made.when, sizeof query->when);
    }
    cairn_free(n->env, w);
    return done ? CAIRN_OK
                : cairn_fail(n->env, CAIRN_UNSUPPORTED,
                             "format: a value map has too many cases to rewrite");
}
