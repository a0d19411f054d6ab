// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Steps of a recipe as loops over columns. Where a step has no answer the row is not `ok`
/// from there on; what stands in its columns is then any number.

#include "convert/padding/padding_columns.h"

#include "base/wide.h"
#include "convert/numbers/compiled_blocks.h"
#include "format/columns.h"

#include <string.h>

/* Positions from which it pays to look for what a recipe need not do (a guess). */
enum { WORTH_PLANNING = 64 };

/* Positions for each number of a line from which it pays to list the places of all (a
   guess). */
enum { WORTH_LISTING = 4 };

/* Words between columns: else those of one row would fall into one set of the cache. */
enum { STAGGER = 8 };

/* ---- columns ---- */

static const cairn_query *query_of(const cairn_padding_columns *c,
                                   const cairn_step            *step)
{
    return &c->m->layout->encoding->query[step->query];
}

static const cairn_query *earlier_of(const cairn_padding_columns *c,
                                     const cairn_step            *step)
{
    const int arg = query_of(c, step)->arg;

    return arg < 0 ? NULL : &c->m->layout->encoding->query[arg];
}

/// Does it ask for groups that are numbered along lines?
static bool is_numbered(const cairn_padding_columns *c, const cairn_step *step)
{
    return c->m->blocks && step->query == c->m->blocks->slot;
}

/// Values that a step gives, from its variable on.
static int results_of(const cairn_padding_columns *c, const cairn_step *step)
{
    if (step->kind != CAIRN_STEP_QUERY) return 1;
    const cairn_query *earlier = earlier_of(c, step);

    return earlier ? earlier->group_by.count : c->m->layout->order;
}

static cairn_status make_columns(cairn_padding_columns *c)
{
    const int     order = c->m->layout->order;
    const int64_t rows  = CAIRN_PADDING_ROWS + STAGGER;
    int           vars = c->m->layout->levels, groups = 0;

    for (int s = 0; s < c->recipe->steps; s++) {
        const cairn_step *step = &c->recipe->step[s];
        const int         end  = step->var + results_of(c, step);

        vars = end > vars ? end : vars;
        if (step->kind == CAIRN_STEP_QUERY && step->groups > groups)
            groups = step->groups;
    }
    CAIRN_TRY(
        CAIRN_NEW_ZERO(c->m->env, (vars + 2 * order + groups + 2) * rows, &c->memory));
    int64_t *next = c->memory;

    for (int v = 0; v < vars; v++, next += rows)
        c->var[v] = next;
    for (int k = 0; k < order; k++, next += 2 * rows) {
        c->dim[k]   = next;
        c->other[k] = next + rows;
    }
    for (int g = 0; g < groups; g++, next += rows)
        c->spare[g] = next;
    c->value        = next;
    c->places.spare = next + rows;
    return CAIRN_OK;
}

/// Is a value of the step's group the index of level @p k, so that whatever it finds there
/// has that index?
static bool is_of_group(const cairn_padding_columns *c, const cairn_step *step, int k)
{
    const cairn_query *query = query_of(c, step);
    cairn_form         form;

    for (int g = 0; g < step->groups; g++) {
        const cairn_linear *its = &step->group[g];

        if (its->terms == 1 && its->var[0] == k && its->num[0] == 1 && its->den == 1
            && its->constant == 0
            && cairn_form_of(c->m->layout->algebra, query->group_by.expr[g], &form)
                   == CAIRN_OK
            && cairn_form_equal(&form, &c->m->layout->level[k].form))
            return true;
    }
    return false;
}

/// What a query step needs, once for all @p positions.
static cairn_status prepare_query(cairn_padding_columns *c, int s, int64_t positions)
{
    const cairn_step  *step    = &c->recipe->step[s];
    const cairn_query *earlier = earlier_of(c, step);

    for (int g = 0; earlier && g < earlier->group_by.count; g++)
        CAIRN_TRY(cairn_form_of(c->m->layout->algebra, earlier->group_by.expr[g],
                                &c->form[s * CAIRN_MAX_LEVELS + g]));
    for (int k = 0; k < c->l; k++)
        if (!earlier && c->above >> k & 1 && !c->m->layout->level[k].indirect
            && !is_of_group(c, step, k))
            c->checks[s] |= 1U << k;
    if (is_numbered(c, step)) {
        if (!c->places.place)
            cairn_blocks_list_places(c->m->env, c->m->blocks, positions / WORTH_LISTING,
                                     &c->places.numbers, &c->places.place);
        return CAIRN_OK;
    }
    return cairn_elements_create(c->m->env, c->m->set, step->query, &c->elements[s]);
}

static bool is_variable(const cairn_linear *linear)
{
    return linear->terms == 1 && linear->num[0] == 1 && linear->constant == 0
           && linear->den == 1;
}

/// Is the position that follows the one that a query has found? That was held to the levels
/// above.
static bool is_found(const cairn_padding_columns *c)
{
    for (int s = 0; s < c->recipe->steps; s++) {
        const cairn_step *step = &c->recipe->step[s];
        bool              its  = step->kind == CAIRN_STEP_QUERY && !earlier_of(c, step);

        for (int k = 0; k < c->m->layout->order && its; k++)
            its = c->recipe->dims >> k & 1 && is_variable(&c->recipe->dim[k])
                  && c->recipe->dim[k].var[0] == step->var + k;
        if (its) return true;
    }
    return false;
}

/// The recipe's only step that asks an interpreted query, and where what it finds is an
/// entry, that lies at the position which the levels above say; -1: there is no such step.
static int step_of_entries(const cairn_padding_columns *c)
{
    const cairn_layout *layout = c->m->layout;
    const cairn_level  *level  = &layout->level[c->l];
    int                 query  = -1;

    for (int s = 0; s < c->recipe->steps; s++) {
        if (c->recipe->step[s].kind != CAIRN_STEP_QUERY) continue;
        if (query >= 0) return -1;
        query = s;
    }
    if (query < 0 || !c->elements[query]) return -1;
    if (c->l <= layout->partition) return -1; /* entries write no index of a bank */
    /* the bank, the node, and where below it */
    for (int k = 0; k < c->l; k++) {
        const bool node = level->determined.per_node && k <= layout->last;
        const bool asks = c->above >> k & 1;

        if (k <= layout->partition || node || level->determined.by >> k & 1 ? !asks
                                                                            : asks)
            return -1;
    }
    return cairn_padding_plan_is_of_number(layout, c->l, query, c->above) ? query : -1;
}

bool cairn_padding_columns_are_of_entries(const cairn_padding_columns *c)
{
    const int query = step_of_entries(c);

    return query >= 0 && cairn_elements_are_entries(c->elements[query]);
}

cairn_status cairn_padding_columns_init(const cairn_member_build *m,
                                        int                       l,
                                        uint32_t                  above,
                                        int64_t                   positions,
                                        cairn_padding_columns    *c)
{
    memset(c, 0, sizeof *c);
    c->m      = m;
    c->recipe = &m->layout->level[l].determined.recipe;
    c->l      = l;
    c->above  = above;
    CAIRN_TRY(
        CAIRN_NEW(m->env, (int64_t)c->recipe->steps * CAIRN_MAX_LEVELS, &c->form));
    CAIRN_TRY(CAIRN_NEW_ZERO(m->env, c->recipe->steps, &c->checks));
    for (int s = 0; s < c->recipe->steps; s++)
        if (c->recipe->step[s].kind == CAIRN_STEP_QUERY)
            CAIRN_TRY(prepare_query(c, s, positions));
    cairn_padding_plan_init(c->m->layout, l, above, &c->plan);
    if (positions >= WORTH_PLANNING)
        cairn_padding_plan_find(c->m->layout, l, c->form, &c->plan);
    if (is_found(c)) c->plan.levels = 0;

    /* an entry's index is written, and what else would find it is a hole */
    const int entries = step_of_entries(c);

    if (entries >= 0) cairn_elements_leave_entries(c->elements[entries]);
    return make_columns(c);
}

void cairn_padding_columns_fini(cairn_padding_columns *c)
{
    for (int s = 0; s < CAIRN_KNOWN_STEPS; s++)
        cairn_elements_destroy(c->m->env, &c->elements[s]);
    cairn_free(c->m->env, c->form);
    cairn_free(c->m->env, c->checks);
    cairn_free(c->m->env, c->places.place);
    cairn_free(c->m->env, c->memory);
}

/* ---- steps ---- */

/// Divide by @p c, at least 1, and clear `ok` where there is a remainder. With c = 2^e u,
/// u odd, multiplying by the inverse of u modulo 2^64 gives 2^e times the quotient where
/// the division has no remainder. Else the low e bits are not 0, or what is above them is
/// beyond all quotients.
///
/// Source: T. Granlund, P. L. Montgomery, Division by Invariant Integers using
/// Multiplication, PLDI 1994, section 9.
CAIRN_WIDE static void divide_exactly(int n, int64_t c, int64_t *value, bool *ok)
{
    unsigned char *restrict its = (unsigned char *)ok; /* as in columns.c */

    const int      e    = __builtin_ctzll((uint64_t)c);
    const uint64_t u    = (uint64_t)c >> e;
    const uint64_t low  = ((uint64_t)1 << e) - 1;
    const int64_t  most = INT64_MAX / c, least = INT64_MIN / c;
    uint64_t       inverse = u; /* of 3 bits; each step doubles them */

    for (int bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - u * inverse;
    for (int p = 0; p < n; p++) {
        const uint64_t product  = (uint64_t)value[p] * inverse;
        const int64_t  quotient = (int64_t)product >> e;

        its[p] &= (unsigned char)(((product & low) == 0) & (quotient >= least)
                                  & (quotient <= most));
        value[p] = quotient;
    }
}

const int64_t *cairn_padding_columns_value(const cairn_padding_columns *c,
                                           const cairn_linear          *linear,
                                           int                          n,
                                           int64_t                     *value,
                                           bool                        *ok)
{
    if (is_variable(linear)) return c->var[linear->var[0]];
    if (linear->terms == 0)
        for (int p = 0; p < n; p++)
            value[p] = linear->constant;
    else
        cairn_columns_begin(n, linear->constant, linear->num[0], c->var[linear->var[0]],
                            value);
    for (int t = 1; t < linear->terms; t++)
        cairn_columns_add(n, linear->num[t], c->var[linear->var[t]], value);
    if (linear->den != 1) divide_exactly(n, linear->den, value, ok);
    return value;
}

/// floor(in / divisor), or what is left.
static void run_division(cairn_padding_columns *c, const cairn_step *step, int n)
{
    int64_t *const       out = c->var[step->var];
    const int64_t *const in =
        cairn_padding_columns_value(c, &step->in, n, c->value, c->ok);

    cairn_columns_floor_div(n, step->divisor, in, out);
    for (int p = 0; p < n && step->kind == CAIRN_STEP_MOD; p++)
        out[p] =
            (int64_t)((uint64_t)in[p] - (uint64_t)step->divisor * (uint64_t)out[p]);
}

/// What a query step asks for.
typedef struct {
    const cairn_step   *step;
    cairn_elements     *elements;
    const int64_t      *number, *group[CAIRN_MAX_LEVELS]; ///< Columns.
    cairn_coord *const *d;                                ///< Where the positions go.
} question;

static bool same_group(const question *ask, int p, int q)
{
    for (int g = 0; g < ask->step->groups; g++)
        if (ask->group[g][p] != ask->group[g][q]) return false;
    return true;
}

/// Elements of the rows from @p begin to @p end, of one group, with numbers that ascend by
/// 0 or 1 from row to row.
static cairn_status
read_rows(cairn_padding_columns *c, const question *ask, int begin, int end)
{
    const int64_t *const number = ask->number;
    const int            order  = c->m->layout->order;
    const int            n      = (int)(number[end - 1] - number[begin]) + 1;
    int64_t              group[CAIRN_MAX_LEVELS];
    cairn_coord         *to[CAIRN_MAX_ORDER];
    bool                 found[CAIRN_PADDING_ROWS];

    for (int g = 0; g < ask->step->groups; g++)
        group[g] = ask->group[g][begin];
    if (n == end - begin) {
        for (int k = 0; k < order; k++)
            to[k] = ask->d[k] + begin;
        return cairn_elements_read(ask->elements, group, number[begin], n, to,
                                   c->ok + begin);
    }
    CAIRN_TRY(
        cairn_elements_read(ask->elements, group, number[begin], n, c->other, found));
    for (int p = begin; p < end; p++) {
        const int64_t from = number[p] - number[begin];

        c->ok[p] = found[from];
        for (int k = 0; k < order; k++)
            ask->d[k][p] = c->other[k][from];
    }
    return CAIRN_OK;
}

/// Where the rows from @p p on end that are of one group, with numbers that ascend by 0 or
/// 1 from row to row.
static int end_of_run(const cairn_padding_columns *c, const question *ask, int p, int n)
{
    const uint64_t *const number = (const uint64_t *)ask->number;
    int                   end    = p + 1;

    while (end < n && c->ok[end] && number[end] - number[end - 1] <= 1
           && same_group(ask, p, end))
        end++;
    return end;
}

/// Elements of the rows from @p begin to @p end, which are of group after group.
static cairn_status
find_rows(cairn_padding_columns *c, const question *ask, int begin, int end)
{
    const int64_t *group[CAIRN_MAX_LEVELS];
    cairn_coord   *to[CAIRN_MAX_ORDER];

    for (int g = 0; g < ask->step->groups; g++)
        group[g] = ask->group[g] + begin;
    for (int k = 0; k < c->m->layout->order; k++)
        to[k] = ask->d[k] + begin;
    return cairn_elements_of_groups(ask->elements, end - begin, ask->number + begin,
                                    group, to, c->ok + begin);
}

/// Positions of the elements with a number and a group in each row: those of long runs are
/// read, and the rows between these are found together.
static cairn_status find_positions(cairn_padding_columns *c, const question *ask, int n)
{
    int begin = 0;

    if (cairn_elements_are_places(ask->elements))
        return cairn_elements_places(ask->elements, n, ask->number, ask->d, c->ok);
    for (int p = 0, end; p < n; p = end) {
        end = c->ok[p] ? end_of_run(c, ask, p, n) : p + 1;
        if (begin == p && !c->ok[p]) {
            for (int k = 0; k < c->m->layout->order; k++)
                ask->d[k][p] = 0;
            begin = end;
        }
        if (end - p < CAIRN_ELEMENTS_WORTH_READING) continue;
        if (begin < p) CAIRN_TRY(find_rows(c, ask, begin, p));
        CAIRN_TRY(read_rows(c, ask, p, end));
        begin = end;
    }
    return begin < n ? find_rows(c, ask, begin, n) : CAIRN_OK;
}

/// Rows whose level @p form has another index at the position than @p index are not ok.
static void hold(cairn_padding_columns *c,
                 const cairn_form      *form,
                 const int64_t *const  *d,
                 const int64_t         *index,
                 int                    n)
{
    cairn_form_columns(c->m->layout->algebra, form, d, NULL, n, c->value);
    cairn_columns_hold_equal(n, c->value, index, c->ok);
}

static cairn_status run_query(cairn_padding_columns *c, int s, int n)
{
    const cairn_layout   *layout  = c->m->layout;
    const cairn_step     *step    = &c->recipe->step[s];
    const cairn_query    *earlier = earlier_of(c, step);
    question              ask     = {.step     = step,
                                     .elements = c->elements[s],
                                     .d        = earlier ? c->dim : &c->var[step->var]};
    const int64_t *const *d       = (const int64_t *const *)ask.d;

    for (int g = 0; g < step->groups; g++)
        ask.group[g] =
            cairn_padding_columns_value(c, &step->group[g], n, c->spare[g], c->ok);
    ask.number = cairn_padding_columns_value(c, &step->in, n, c->value, c->ok);
    if (is_numbered(c, step)) {
        cairn_blocks_elements(c->m->blocks, c->places.numbers, c->places.place, n,
                              ask.number, ask.group, c->places.spare,
                              &c->var[step->var], c->ok);
        return CAIRN_OK;
    }
    CAIRN_TRY(find_positions(c, &ask, n));
    for (int k = 0; c->checks[s] >> k; k++)
        if (c->checks[s] >> k & 1) hold(c, &layout->level[k].form, d, c->var[k], n);
    for (int g = 0; earlier && g < earlier->group_by.count; g++)
        cairn_form_columns(layout->algebra, &c->form[s * CAIRN_MAX_LEVELS + g], d, NULL,
                           n, c->var[step->var + g]);
    return CAIRN_OK;
}

/* ---- checks ---- */

/// Where the whole position follows, levels and queries must all mean this one.
static void hold_positions(cairn_padding_columns *c, const int64_t *const *d, int n)
{
    for (int l = 0; c->plan.levels >> l; l++)
        if (c->plan.levels >> l & 1)
            hold(c, &c->m->layout->level[l].form, d, c->var[l], n);
    for (int s = 0; c->plan.steps >> s; s++) {
        const cairn_step *step = &c->recipe->step[s];

        if (!(c->plan.steps >> s & 1)) continue;
        for (int g = 0; g < earlier_of(c, step)->group_by.count; g++)
            hold(c, &c->form[s * CAIRN_MAX_LEVELS + g], d, c->var[step->var + g], n);
    }
}

/// Do the dimensions that are known lie in the box? Else the position hangs over.
static void check_positions(cairn_padding_columns *c, int n)
{
    const bool     held   = (c->plan.levels | c->plan.steps) != 0;
    const uint32_t needed = held ? c->recipe->dims : c->plan.dims;
    const int64_t *d[CAIRN_MAX_ORDER];

    for (int k = 0; needed >> k; k++) {
        const cairn_interval box = c->m->layout->box[k];

        if (!(needed >> k & 1)) continue;
        d[k] = cairn_padding_columns_value(c, &c->recipe->dim[k], n, c->dim[k], c->ok);
        cairn_columns_hold_range(n, d[k], box, c->ok);
    }
    if (held) hold_positions(c, d, n);
}

cairn_status cairn_padding_columns_run(cairn_padding_columns *c, int n)
{
    memset(c->ok, true, (size_t)n * sizeof *c->ok);
    for (int s = 0; s < c->recipe->steps; s++) {
        const cairn_step *step = &c->recipe->step[s];

        if (step->kind == CAIRN_STEP_QUERY)
            CAIRN_TRY(run_query(c, s, n));
        else
            run_division(c, step, n);
    }
    check_positions(c, n);
    return CAIRN_OK;
}
