// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Finding the order of a query's groups: first what the groupBy values leave open, then
/// whether the keys read digits of it, or at least repeat with a period
/// (query_class_runs.c).

#include "format/query_class.h"

#include "format/query_class_steps.h"

#include <stdlib.h>
#include <string.h>

/* Products of extents beyond are not counted. */
static const int64_t most_positions = (int64_t)1 << 60;

/// One term of a form that is not the same for all positions of a group.
typedef struct {
    int     dim; ///< floor(dim / low) % (high / low), high 0: no end.
    int64_t low, high;
    int64_t factor, most; ///< The largest value before the factor.
} digit_term;

static bool is_open(const cairn_query_order *o, int k)
{
    return o->positions.slope[k] != 0 && o->positions.on[k] == k;
}

static uint32_t moving(const cairn_query_order *o)
{
    uint32_t dims = 0;

    for (int k = 0; k < o->order; k++)
        if (o->positions.slope[k] != 0) dims |= 1U << k;
    return dims;
}

bool cairn_varying_find(const cairn_query_order *o,
                        const cairn_form        *form,
                        uint32_t                 constant,
                        cairn_varying           *v)
{
    memset(v, 0, sizeof *v);
    if (cairn_form_queries(o->algebra, form) & ~constant) return false;
    for (int t = 0; t < form->terms; t++) {
        const cairn_atom *atom = &o->algebra->atom[form->term[t].atom];
        const int         k    = atom->number;

        if (atom->kind == CAIRN_ATOM_QUERY) continue;
        if (atom->kind == CAIRN_ATOM_DIM) {
            int64_t step;

            if (o->positions.slope[k] == 0) continue;
            if (__builtin_mul_overflow(form->term[t].factor, o->positions.slope[k],
                                       &step)
                || __builtin_add_overflow(v->factor[o->positions.on[k]], step,
                                          &v->factor[o->positions.on[k]]))
                return false;
        } else if (cairn_form_dims(o->algebra, &atom->form) & moving(o)) {
            if (cairn_form_queries(o->algebra, &atom->form)) return false;
            v->term[v->atoms++] = t;
        }
    }
    for (int k = 0; k < o->order; k++)
        if (v->factor[k] != 0) {
            v->dim = k;
            v->dims++;
        }
    return true;
}

/// The open dimension that a form is by itself, or -1.
static int plain_open(const cairn_query_order *o, const cairn_form *form)
{
    const int k = cairn_form_dimension(form, o->order);

    return k >= 0 && is_open(o, k) ? k : -1;
}

/// Is an atom a digit of one open dimension?
static bool digit_of_atom(const cairn_query_order *o, int number, digit_term *digit)
{
    const cairn_atom *atom  = &o->algebra->atom[number];
    const cairn_form *inner = &atom->form;
    int               under;

    digit->low  = 1;
    digit->high = 0;
    if (atom->kind == CAIRN_ATOM_DIV) digit->low = atom->divisor;
    if (atom->kind == CAIRN_ATOM_MOD) {
        digit->high = atom->divisor;
        under       = cairn_form_atom(inner);
        if (under >= 0 && o->algebra->atom[under].kind == CAIRN_ATOM_DIV) {
            digit->low = o->algebra->atom[under].divisor;
            inner      = &o->algebra->atom[under].form;
            if (__builtin_mul_overflow(digit->low, digit->high, &digit->high))
                return false;
        }
    }
    digit->dim = plain_open(o, inner);
    return digit->dim >= 0;
}

/* ---- what groupBy leaves open ---- */

static void fix(cairn_query_order *o, int dim)
{
    for (int k = 0; k < o->order; k++)
        if (o->positions.on[k] == dim) o->positions.slope[k] = 0;
}

static bool has_digit_step(const cairn_query_order *o, int dim)
{
    for (int s = 0; s < o->positions.steps; s++)
        if (o->positions.step[s].what == CAIRN_GROUP_DIGIT
            && o->positions.step[s].dim == dim)
            return true;
    return false;
}

static bool is_tied_to(const cairn_query_order *o, int dim)
{
    for (int k = 0; k < o->order; k++)
        if (k != dim && o->positions.slope[k] != 0 && o->positions.on[k] == dim)
            return true;
    return false;
}

/// A floor of one open dimension leaves an interval, a remainder a residue.
static bool step_by_atom(cairn_query_order *o, int f, const cairn_varying *v)
{
    const cairn_form *form = &o->group[f];
    const int         atom = form->term[v->term[0]].atom;
    cairn_group_step  step = {
         .f = f, .atom = atom, .factor = form->term[v->term[0]].factor};
    digit_term    digit;
    cairn_varying inner;

    if (o->algebra->atom[atom].kind == CAIRN_ATOM_MOD) {
        if (!digit_of_atom(o, atom, &digit)) return false;
        step.what = CAIRN_GROUP_DIGIT;
        step.dim  = digit.dim;
        step.low  = digit.low;
        step.high = digit.high;
    } else {
        if (!cairn_varying_find(o, &o->algebra->atom[atom].form, 0, &inner)
            || inner.atoms || inner.dims != 1)
            return false;
        step.what  = CAIRN_GROUP_SPAN;
        step.dim   = inner.dim;
        step.slope = inner.factor[inner.dim];
    }
    o->positions.step[o->positions.steps++] = step;
    return true;
}

/// Two open dimensions in one sum: one of factor 1 or -1 follows from the other.
static bool step_by_tie(cairn_query_order *o, int f, const cairn_varying *v)
{
    for (int k = o->order; k-- > 0;) {
        if (v->factor[k] != 1 && v->factor[k] != -1) continue;
        if (has_digit_step(o, k) || is_tied_to(o, k)) continue;
        for (int j = 0; j < o->order; j++) {
            if (j == k || v->factor[j] == 0) continue;
            o->positions.on[k]    = j;
            o->positions.slope[k] = -v->factor[j] * v->factor[k];
            o->positions.step[o->positions.steps++] =
                (cairn_group_step){.what   = CAIRN_GROUP_TIE,
                                   .f      = f,
                                   .dim    = k,
                                   .factor = v->factor[k],
                                   .on     = j,
                                   .slope  = o->positions.slope[k]};
            return true;
        }
    }
    return false;
}

/// Let one more groupBy value do its work.
static bool
take_value(cairn_query_order *o, int f, uint32_t constant, bool ties, bool *possible)
{
    cairn_varying v;

    if (!cairn_varying_find(o, &o->group[f], constant, &v)) {
        *possible = false;
        return false;
    }
    if (v.atoms == 0 && v.dims == 0) return true;
    if (v.atoms == 0 && v.dims == 1) {
        o->positions.step[o->positions.steps++] = (cairn_group_step){
            .what = CAIRN_GROUP_FIX, .f = f, .dim = v.dim, .factor = v.factor[v.dim]};
        fix(o, v.dim);
        return true;
    }
    if (v.atoms == 1 && v.dims == 0) return step_by_atom(o, f, &v);
    return ties && v.atoms == 0 && v.dims == 2 && step_by_tie(o, f, &v);
}

/// False: the groups are not known so.
static bool take_values(cairn_query_order *o)
{
    uint32_t left     = (1U << o->groups) - 1;
    bool     possible = true;

    for (bool ties = false, more = true; left && possible && (more || !ties);) {
        ties = !more;
        more = false;
        for (int f = 0; f < o->groups && possible; f++) {
            if (!(left >> f & 1) || (ties && more)) continue;
            if (!take_value(o, f, 0, ties, &possible)) continue;
            left &= ~(1U << f);
            more = true;
        }
        if (ties && !more) break;
    }
    o->positions.open = 0;
    for (int k = 0; k < o->order; k++)
        if (is_open(o, k)) o->positions.open |= 1U << k;
    o->positions.checks = (1U << o->groups) - 1;
    for (int s = 0; s < o->positions.steps; s++)
        if (o->positions.step[s].what != CAIRN_GROUP_DIGIT
            || is_open(o, o->positions.step[s].dim))
            o->positions.checks &= ~(1U << o->positions.step[s].f);
    return possible && left == 0;
}

/* ---- keys as digits ---- */

static int by_factor(const void *x, const void *y)
{
    const digit_term *a = x, *b = y;
    const int64_t     fa = llabs(a->factor), fb = llabs(b->factor);

    return fa < fb ? 1 : fa > fb ? -1 : 0;
}

static int64_t most_of(const cairn_query_order *o, const digit_term *d)
{
    const int64_t most = o->global[d->dim].hi / d->low;

    return d->high && d->high / d->low - 1 < most ? d->high / d->low - 1 : most;
}

/// Does every term outweigh all that follow? Then they compare one after the other.
static bool outweigh(const digit_term *term, int n)
{
    int64_t rest = 0, weight;

    for (int t = n; t-- > 0;) {
        if (llabs(term[t].factor) <= rest) return false;
        if (__builtin_mul_overflow(llabs(term[t].factor), term[t].most, &weight)
            || __builtin_add_overflow(rest, weight, &rest))
            return false;
    }
    return true;
}

/// A key as digits of open dimensions, the most significant first; -1: it is none.
static int digits_of(const cairn_query_order *o,
                     const cairn_form        *form,
                     uint32_t                 constant,
                     digit_term               term[CAIRN_MAX_TERMS])
{
    cairn_varying v;
    int           n = 0;

    if (!cairn_varying_find(o, form, constant, &v)) return -1;
    for (int k = 0; k < o->order; k++)
        if (v.factor[k] != 0)
            term[n++] = (digit_term){.dim = k, .low = 1, .factor = v.factor[k]};
    for (int t = 0; t < v.atoms; t++) {
        if (n == CAIRN_MAX_TERMS) return -1;
        if (!digit_of_atom(o, form->term[v.term[t]].atom, &term[n])) return -1;
        term[n++].factor = form->term[v.term[t]].factor;
    }
    for (int t = 0; t < n; t++)
        term[t].most = most_of(o, &term[t]);
    qsort(term, (size_t)n, sizeof *term, by_factor);
    return n == 1 || outweigh(term, n) ? n : -1;
}

static bool add_cut(cairn_digits *d, int64_t cut)
{
    int at = 0;

    while (at < d->cuts && d->cut[at] < cut)
        at++;
    if (at < d->cuts && d->cut[at] == cut) return true;
    if (d->cuts == CAIRN_MAX_CUTS) return false;
    memmove(&d->cut[at + 1], &d->cut[at], (size_t)(d->cuts - at) * sizeof *d->cut);
    d->cut[at] = cut;
    d->cuts++;
    return true;
}

static bool add_cuts(cairn_query_order *o, const digit_term *term, int n)
{
    for (int t = 0; t < n; t++)
        if (!add_cut(&o->digits.of[term[t].dim], term[t].low)
            || (term[t].high && !add_cut(&o->digits.of[term[t].dim], term[t].high)))
            return false;
    return true;
}

static bool is_chain(const cairn_digits *d)
{
    for (int c = 1; c < d->cuts; c++)
        if (d->cut[c] % d->cut[c - 1] != 0) return false;
    return true;
}

/// Bits of the digits that a term reads.
static uint32_t read_by(const cairn_digits *d, const digit_term *term)
{
    uint32_t bits = 0;

    for (int c = 0; c < d->cuts; c++)
        if (d->cut[c] >= term->low && (!term->high || d->cut[c] < term->high))
            bits |= 1U << c;
    return bits;
}

/// Append the digits of a key that nothing before decided.
static void
append(cairn_query_order *o, const digit_term *term, int n, uint32_t decided[])
{
    for (int t = 0; t < n; t++) {
        const int      k    = term[t].dim;
        const uint32_t bits = read_by(&o->digits.of[k], &term[t]) & ~decided[k];

        for (int c = o->digits.of[k].cuts; c-- > 0;)
            if (bits >> c & 1)
                o->digits.key[o->digits.keys++] =
                    (cairn_group_key){k, c, term[t].factor < 0};
        decided[k] |= bits;
    }
}

static void add_keys(cairn_key_list *keys, const cairn_forms *forms)
{
    for (int f = 0; forms && f < forms->count; f++)
        keys->form[keys->n++] = &forms->form[f];
}

/// Digits that the steps have fixed, and those that are 0.
static void decide(const cairn_query_order *o, uint32_t decided[])
{
    for (int k = 0; k < o->order; k++)
        decided[k] = o->digits.of[k].zero;
    for (int s = 0; s < o->positions.steps; s++) {
        const cairn_group_step *step = &o->positions.step[s];

        if (step->what != CAIRN_GROUP_DIGIT || !is_open(o, step->dim)) continue;
        decided[step->dim] |=
            read_by(&o->digits.of[step->dim],
                    &(digit_term){.low = step->low, .high = step->high});
    }
}

/// Elements that are groups stand at first positions: what none of their forms reads is 0.
static bool hide(cairn_query_order *o, const cairn_forms *ids)
{
    digit_term term[CAIRN_MAX_TERMS];
    uint32_t   seen[CAIRN_MAX_ORDER] = {0};

    for (int f = 0; f < ids->count; f++) {
        const int n = digits_of(o, &ids->form[f], 0, term);

        if (n < 0 || n > 1) return false;
        for (int t = 0; t < n; t++)
            seen[term[t].dim] |= read_by(&o->digits.of[term[t].dim], &term[t]);
    }
    for (int k = 0; k < o->order; k++)
        o->digits.of[k].zero = ((1U << o->digits.of[k].cuts) - 1) & ~seen[k];
    return true;
}

/// The last keys of positions: dimensions, tied ones in the direction of theirs.
static void append_dims(cairn_query_order *o, uint32_t decided[])
{
    for (int k = 0; k < o->order; k++)
        if (o->positions.slope[k] != 0)
            append(o,
                   &(digit_term){.dim    = o->positions.on[k],
                                 .low    = 1,
                                 .factor = o->positions.slope[k] < 0 ? -1 : 1},
                   1, decided);
}

static bool all_decided(const cairn_query_order *o, const uint32_t decided[])
{
    for (int k = 0; k < o->order; k++)
        if (o->positions.open >> k & 1
            && decided[k] != (1U << o->digits.of[k].cuts) - 1)
            return false;
    return true;
}

static bool find_digits(cairn_query_order    *o,
                        const cairn_key_list *keys,
                        const cairn_forms    *ids,
                        uint32_t              constant)
{
    digit_term term[CAIRN_MAX_TERMS];
    uint32_t   decided[CAIRN_MAX_ORDER];

    for (int s = 0; s < o->positions.steps; s++)
        if (o->positions.step[s].what == CAIRN_GROUP_DIGIT
            && !add_cuts(o,
                         &(digit_term){.dim  = o->positions.step[s].dim,
                                       .low  = o->positions.step[s].low,
                                       .high = o->positions.step[s].high},
                         1))
            return false;
    for (int f = 0; f < keys->n; f++) {
        const int n = digits_of(o, keys->form[f], constant, term);

        if (n < 0 || !add_cuts(o, term, n)) return false;
    }
    for (int k = 0; k < o->order; k++)
        if (!is_chain(&o->digits.of[k])) return false;
    if (ids && !hide(o, ids)) return false;
    decide(o, decided);
    o->digits.keys = 0;
    for (int f = 0; f < keys->n; f++) {
        if (f == keys->leading) o->digits.prefix = o->digits.keys;
        append(o, term, digits_of(o, keys->form[f], constant, term), decided);
    }
    if (keys->leading == keys->n) o->digits.prefix = o->digits.keys;
    if (!ids) append_dims(o, decided);
    return all_decided(o, decided);
}

/* ---- the order ---- */

static void start(cairn_query_order *o, const cairn_forms *ids)
{
    uint32_t seen = ids ? 0 : ~0U;

    for (int f = 0; ids && f < ids->count; f++)
        seen |= cairn_form_dims(o->algebra, &ids->form[f]);
    for (int k = 0; k < o->order; k++) {
        o->positions.on[k]     = k;
        o->positions.slope[k]  = seen >> k & 1;
        o->digits.of[k].cuts   = 1;
        o->digits.of[k].cut[0] = 1;
    }
}

static bool is_countable(const cairn_query_order *o)
{
    int64_t positions = 1;

    for (int k = 0; k < o->order; k++)
        if (o->positions.open >> k & 1
            && (__builtin_mul_overflow(positions, o->global[k].hi + 1, &positions)
                || positions > most_positions))
            return false;
    return true;
}

/// Are the groups' forms digits of dimensions, so that what they do not read is 0 at the
/// first position of each? Before anything is fixed.
static bool ids_are_digits(const cairn_query_order *o, const cairn_forms *ids)
{
    digit_term term[CAIRN_MAX_TERMS];

    for (int f = 0; f < ids->count; f++)
        if (digits_of(o, &ids->form[f], 0, term) != 1) return false;
    return true;
}

/// Are they dimensions?
static bool ids_are_whole(const cairn_query_order *o, const cairn_forms *ids)
{
    for (int f = 0; f < ids->count; f++)
        if (cairn_form_dimension(&ids->form[f], o->order) < 0) return false;
    return true;
}

void cairn_query_order_find(const cairn_algebra  *algebra,
                            const cairn_interval *global,
                            const cairn_forms    *group,
                            const cairn_forms    *leading,
                            const cairn_forms    *traverse,
                            const cairn_forms    *ids,
                            uint32_t              constant,
                            cairn_query_order    *order)
{
    cairn_key_list keys = {.n = 0};

    memset(order, 0, sizeof *order);
    order->known   = CAIRN_CLASS_OTHER;
    order->algebra = algebra;
    order->order   = algebra->order;
    order->groups  = group->count;
    order->group   = group->form;
    memcpy(order->global, global, (size_t)algebra->order * sizeof *global);
    start(order, ids);
    add_keys(&keys, leading);
    keys.leading = keys.n;
    add_keys(&keys, traverse);
    add_keys(&keys, ids);
    if (ids && !ids_are_digits(order, ids)) return;
    if (!take_values(order) || !is_countable(order)) return;

    const bool line = __builtin_popcount(order->positions.open) <= 1;

    if (find_digits(order, &keys, ids, constant)) {
        order->known = line ? CAIRN_CLASS_LINE : CAIRN_CLASS_BOX;
    } else if (!leading && (!ids || ids_are_whole(order, ids))
               && cairn_query_runs_find(order, &keys, constant)) {
        order->known   = line ? CAIRN_CLASS_LINE : CAIRN_CLASS_OTHER;
        order->runs.on = true;
    }
}

const char *cairn_query_class_name(cairn_query_class known)
{
    static const char *const names[] = {"line", "box", "other"};

    return names[known];
}
