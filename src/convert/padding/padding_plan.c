// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a recipe gives is written as sums of its variables, and forms at the position are
/// evaluated on these: floor((7 u + v) / 7) is u where v is known to lie in 0..6. A check
/// whose two sides become the same sum always holds.

#include "convert/padding/padding_plan.h"

#include <string.h>

enum { VARS = 32 }; ///< Of recipes that are shortened: few have as many.

/// constant + sum of num[v] * variable v.
typedef struct {
    bool    known;
    int64_t constant, num[VARS];
} sum;

typedef struct {
    const cairn_layout *layout;
    const cairn_recipe *recipe;
    cairn_interval      range[VARS];           ///< Empty: not known.
    sum                 in[CAIRN_KNOWN_STEPS]; ///< What steps divide.
    sum                 dim[CAIRN_MAX_ORDER];  ///< Of the position.
    int                 query;  ///< Whose number there is known; -1: none,
    sum                 number; ///< and is this.
} prover;

/* ---- sums ---- */

static sum sum_of_variable(int var)
{
    sum s = {.known = true};

    s.num[var] = 1;
    return s;
}

static sum sum_of_linear(const cairn_linear *linear)
{
    sum s = {.known = linear->den == 1, .constant = linear->constant};

    for (int k = 0; k < linear->terms; k++)
        s.num[linear->var[k]] += linear->num[k];
    return s;
}

static bool same(const sum *a, const sum *b)
{
    return a->known && b->known && a->constant == b->constant
           && memcmp(a->num, b->num, sizeof a->num) == 0;
}

/// a += factor * b
static void add(sum *a, int64_t factor, const sum *b)
{
    int64_t more;

    a->known = a->known && b->known
               && !__builtin_mul_overflow(factor, b->constant, &more)
               && !__builtin_add_overflow(a->constant, more, &a->constant);
    for (int v = 0; v < VARS && a->known; v++)
        a->known = !__builtin_mul_overflow(factor, b->num[v], &more)
                   && !__builtin_add_overflow(a->num[v], more, &a->num[v]);
}

/// Where its values lie; empty: that is not known.
static cairn_interval range_of(const prover *p, const sum *s)
{
    const cairn_interval unknown = {0, -1};
    cairn_interval       r       = {s->constant, s->constant};

    if (!s->known) return unknown;
    for (int v = 0; v < VARS; v++) {
        const int64_t        f = s->num[v];
        const cairn_interval x = p->range[v];
        int64_t              lo, hi;

        if (f == 0) continue;
        if (x.hi < x.lo || __builtin_mul_overflow(f, f < 0 ? x.hi : x.lo, &lo)
            || __builtin_mul_overflow(f, f < 0 ? x.lo : x.hi, &hi)
            || __builtin_add_overflow(r.lo, lo, &r.lo)
            || __builtin_add_overflow(r.hi, hi, &r.hi))
            return unknown;
    }
    return r;
}

/// floor(s / divisor): terms that the divisor divides leave it whole, the others and the
/// constant are to lie between two of its multiples; or a step divides the same.
static sum floor_of(const prover *p, const sum *s, int64_t divisor)
{
    sum quotient = {.known = s->known}, rest = *s;

    for (int v = 0; v < VARS; v++) {
        if (s->num[v] % divisor != 0) continue;
        quotient.num[v] = s->num[v] / divisor;
        rest.num[v]     = 0;
    }
    const cairn_interval r = range_of(p, &rest);

    if (r.lo <= r.hi
        && cairn_floor_div(r.lo, divisor) == cairn_floor_div(r.hi, divisor)) {
        quotient.constant = cairn_floor_div(r.lo, divisor);
        return quotient;
    }
    for (int k = 0; k < p->recipe->steps; k++)
        if (p->recipe->step[k].kind == CAIRN_STEP_FLOOR
            && p->recipe->step[k].divisor == divisor && same(&p->in[k], s))
            return sum_of_variable(p->recipe->step[k].var);
    return (sum){.known = false};
}

/// s % divisor = s - divisor * floor(s / divisor)
static sum remainder_of(const prover *p, const sum *s, int64_t divisor)
{
    const sum quotient = floor_of(p, s, divisor);
    sum       rest     = *s;

    for (int k = 0; k < p->recipe->steps && !quotient.known; k++)
        if (p->recipe->step[k].kind == CAIRN_STEP_MOD
            && p->recipe->step[k].divisor == divisor && same(&p->in[k], s))
            return sum_of_variable(p->recipe->step[k].var);
    add(&rest, -divisor, &quotient);
    return rest;
}

/// A form at the position.
static sum value_of(const prover *p, const cairn_form *form)
{
    const cairn_algebra *algebra = p->layout->algebra;
    sum                  s       = {.known = true, .constant = form->constant};

    for (int t = 0; t < form->terms && s.known; t++) {
        const cairn_atom *atom = &algebra->atom[form->term[t].atom];
        sum               its  = {.known = false};

        if (atom->kind == CAIRN_ATOM_DIM) {
            its = p->dim[atom->number];
        } else if (atom->kind == CAIRN_ATOM_QUERY) {
            if (atom->number == p->query) its = p->number;
        } else {
            its = value_of(p, &atom->form);
            its = atom->kind == CAIRN_ATOM_DIV ? floor_of(p, &its, atom->divisor)
                                               : remainder_of(p, &its, atom->divisor);
        }
        add(&s, form->term[t].factor, &its);
    }
    return s;
}

/* ---- what is known of variables ---- */

/// Enter what a step gives.
static void take_step(prover *p, int k)
{
    const cairn_step *step = &p->recipe->step[k];

    if (step->kind == CAIRN_STEP_QUERY) return;
    p->in[k] = sum_of_linear(&step->in);
    if (step->kind == CAIRN_STEP_MOD) {
        p->range[step->var] = (cairn_interval){0, step->divisor - 1};
        return;
    }
    const cairn_interval r = range_of(p, &p->in[k]);

    if (r.lo <= r.hi)
        p->range[step->var] = (cairn_interval){cairn_floor_div(r.lo, step->divisor),
                                               cairn_floor_div(r.hi, step->divisor)};
}

static void begin(prover *p, const cairn_layout *layout, int l)
{
    memset(p, 0, sizeof *p);
    p->layout = layout;
    p->recipe = &layout->level[l].determined.recipe;
    p->query  = -1;
    for (int v = 0; v < VARS; v++)
        p->range[v] = v < l ? layout->level[v].range : (cairn_interval){0, -1};
    for (int k = 0; k < p->recipe->steps; k++)
        take_step(p, k);
    for (int k = 0; k < layout->order; k++)
        if (p->recipe->dims >> k & 1) p->dim[k] = sum_of_linear(&p->recipe->dim[k]);
}

/* ---- plans ---- */

void cairn_padding_plan_init(const cairn_layout *layout,
                             int                 l,
                             uint32_t            above,
                             cairn_padding_plan *plan)
{
    const cairn_recipe *recipe = &layout->level[l].determined.recipe;

    *plan = (cairn_padding_plan){.dims = recipe->dims};
    if (recipe->dims != (1U << layout->order) - 1) return; /* no position follows */
    for (int k = 0; k < l; k++)
        if (above >> k & 1 && !layout->level[k].indirect) plan->levels |= 1U << k;
    for (int k = 0; k < recipe->steps; k++)
        if (recipe->step[k].kind == CAIRN_STEP_QUERY
            && layout->encoding->query[recipe->step[k].query].arg != CAIRN_ARG_VALUE)
            plan->steps |= (uint64_t)1 << k;
}

/// Results of a step begin at its variable, and end here.
static int end_of(const cairn_layout *layout, const cairn_step *step)
{
    if (step->kind != CAIRN_STEP_QUERY) return step->var + 1;
    const int arg = layout->encoding->query[step->query].arg;

    return step->var
           + (arg == CAIRN_ARG_VALUE ? layout->order
                                     : layout->encoding->query[arg].group_by.count);
}

/// Are there at most VARS variables?
static bool fits(const cairn_layout *layout, int l)
{
    const cairn_recipe *recipe = &layout->level[l].determined.recipe;

    return recipe->steps == 0
               ? l <= VARS
               : end_of(layout, &recipe->step[recipe->steps - 1]) <= VARS;
}

/// Is what a query step found always the element at the position?
static bool step_holds(const prover *p, int k, const cairn_form *form)
{
    const cairn_step *step = &p->recipe->step[k];
    const int         arg  = p->layout->encoding->query[step->query].arg;

    for (int g = 0; g < p->layout->encoding->query[arg].group_by.count; g++) {
        const sum value = value_of(p, &form[k * CAIRN_MAX_LEVELS + g]);
        const sum mine  = sum_of_variable(step->var + g);

        if (!same(&value, &mine)) return false;
    }
    return true;
}

void cairn_padding_plan_find(const cairn_layout *layout,
                             int                 l,
                             const cairn_form   *form,
                             cairn_padding_plan *plan)
{
    prover p;

    if (!fits(layout, l)) return;
    begin(&p, layout, l);
    for (int k = 0; k < layout->order; k++) {
        const cairn_interval box = layout->box[k], r = range_of(&p, &p.dim[k]);

        if (r.lo <= r.hi && r.lo >= box.lo && r.hi <= box.hi) plan->dims &= ~(1U << k);
    }
    for (int k = 0; k < l; k++) {
        if (!(plan->levels >> k & 1)) continue;
        const sum value = value_of(&p, &layout->level[k].form);
        const sum mine  = sum_of_variable(k);

        if (same(&value, &mine)) plan->levels &= ~(1U << k);
    }
    for (int k = 0; k < p.recipe->steps; k++)
        if (plan->steps >> k & 1 && step_holds(&p, k, form))
            plan->steps &= ~((uint64_t)1 << k);
}

bool cairn_padding_plan_is_of_number(const cairn_layout *layout,
                                     int                 l,
                                     int                 s,
                                     uint32_t            above)
{
    bool   follows = fits(layout, l);
    prover p;

    if (!follows) return false;
    begin(&p, layout, l);
    p.query  = p.recipe->step[s].query;
    p.number = sum_of_linear(&p.recipe->step[s].in);
    for (int k = 0; k < l && follows; k++) {
        if (!(above >> k & 1) || !layout->level[k].indirect) continue;
        const sum value = value_of(&p, &layout->level[k].form);
        const sum mine  = sum_of_variable(k);

        follows = same(&value, &mine);
    }
    return follows;
}
