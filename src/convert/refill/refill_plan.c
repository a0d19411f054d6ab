// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans of refills. Values are moved in the order of their places or of their sources,
/// whichever touches fewer lines of memory: new values of a transposed matrix are gathered,
/// and so are those of blocks of diagonals; those of whole diagonals are scattered. What
/// counts up in long runs needs no list.

#include "convert/refill/refill_plan.h"

#include <string.h>

enum {
    LONG_RUN  = 8,    ///< Items, on average, from which runs are faster than lists.
    NEAR_RUN  = 256,  ///< From which numbers of 16 bits are worth their runs.
    LINE      = 64,   ///< Bytes.
    LINES     = 512,  ///< Of a cache, as it is modelled: each line has one place.
    KEEPS_ALL = 4096, ///< Items so few that no order is better than another.
    ABOUT     = 32,   ///< Lines more by one in so many are about as many.
};

/// A plan at work.
typedef struct {
    cairn_env                  *env;
    const cairn_local          *local;
    const cairn_refill_targets *targets;
    cairn_refill_plan          *plan;
    cairn_pos
        *by_place; ///< [n] entries by part and place; those of one place in order.
    cairn_pos *by_source; ///< [n] by part alone.
} planner;

/* ---- in which order ---- */

/// Lines that are fetched when values of @p width are moved in some order, those that are
/// written counted twice.
static int64_t
count_lines(const planner *p, const cairn_pos *order, int64_t n, int64_t width)
{
    int64_t read[LINES] = {0}, written[LINES] = {0}, lines = 0;

    for (int64_t k = 0; k < n; k++) {
        const int64_t from = order[k] * width / LINE + 1;
        const int64_t to   = p->targets->place[order[k]] * width / LINE + 1;

        lines += (read[from % LINES] != from) + 2 * (written[to % LINES] != to);
        read[from % LINES]  = from;
        written[to % LINES] = to;
    }
    return lines;
}

/// Numbers of items: which are in an array, and of how many bits.
typedef struct {
    bool places, sources;
    int  bits;
} form;

/// The least and the greatest of numbers.
typedef struct {
    int64_t low, high;
} range;

/// Make room in a range for one more number, unless it would be too wide for 16 bits.
static bool widen(range *r, int64_t number)
{
    const int64_t low  = number < r->low ? number : r->low;
    const int64_t high = number > r->high ? number : r->high;

    if (high - low > UINT16_MAX) return false;
    *r = (range){low, high};
    return true;
}

/// Where does the run end that begins with item @p begin? Numbers that are in no array count
/// up in it; those that are in one of 16 bits are near each other.
static int64_t end_of_run(const planner    *p,
                          const cairn_pos  *order,
                          int64_t           begin,
                          int64_t           n,
                          const form       *f,
                          cairn_refill_run *run)
{
    const int64_t *place = p->targets->place;
    const bool     is16 = f->bits == 16, sums = p->plan->begin != NULL;
    range          places  = {place[order[begin]], place[order[begin]]};
    range          sources = {order[begin], order[begin]};
    int64_t        k       = begin + 1;

    for (; k < n; k++) {
        const int64_t to = place[order[k]], from = order[k];

        if (!f->places && to != place[order[k - 1]] + 1) break;
        if (!f->sources && !sums && from != order[k - 1] + 1) break;
        if (is16 && f->places && !widen(&places, to)) break;
        if (is16 && f->sources && !widen(&sources, from)) break;
    }
    run->item   = begin;
    run->place  = f->places && !is16 ? 0 : places.low;
    run->source = f->sources && !is16 ? 0 : sources.low;
    return k;
}

static int64_t
count_runs(const planner *p, const cairn_pos *order, int64_t n, const form *f)
{
    cairn_refill_run run;
    int64_t          runs = 0;

    for (int64_t k = 0; k < n; k = end_of_run(p, order, k, n, f, &run))
        runs++;
    return runs;
}

/* ---- lists ---- */

static void put(void *list, int64_t k, int bits, int64_t number)
{
    if (bits == 16)
        ((uint16_t *)list)[k] = (uint16_t)number;
    else if (bits == 32)
        ((uint32_t *)list)[k] = (uint32_t)number;
    else
        ((int64_t *)list)[k] = number;
}

/// Write down the items of a list, which are in @p order, in numbers of 16 bits if these make
/// long runs.
static cairn_status
fill_list(const planner *p, cairn_refill_list *list, const cairn_pos *order, form f)
{
    const int64_t n = list->items, before = list->array ? p->targets->split : 0;

    f.bits = 16;
    if ((!f.places && !f.sources) || NEAR_RUN * count_runs(p, order, n, &f) > n)
        f.bits = p->plan->bits;
    list->bits = f.bits;
    list->runs = count_runs(p, order, n, &f);
    CAIRN_TRY(CAIRN_NEW(p->env, list->runs + 1, &list->run));
    if (f.places) CAIRN_TRY(cairn_alloc(p->env, n, (size_t)f.bits / 8, &list->place));
    if (f.sources) CAIRN_TRY(cairn_alloc(p->env, n, (size_t)f.bits / 8, &list->source));
    cairn_refill_run *run = list->run;

    for (int64_t k = 0, end; k < n; k = end, run++) {
        end = end_of_run(p, order, k, n, &f, run);
        for (int64_t i = k; i < end; i++) {
            if (f.places)
                put(list->place, i, f.bits, p->targets->place[order[i]] - run->place);
            if (f.sources)
                put(list->source, i, f.bits,
                    order[i] - run->source - (f.bits == 16 ? 0 : before));
        }
        if (!f.sources || f.bits == 16) run->source -= before;
    }
    *run = (cairn_refill_run){.item = n};
    return CAIRN_OK;
}

/// Are values of a part best gathered in the order of its places? Where both orders fetch
/// about as many lines, as of a block of diagonals and its rows, which are in the cache at
/// once, wide ones are, if that needs no longer list: those of blocks of 64 diagonals take
/// 0.5 ns an entry, and 1.0 if they are scattered. Narrow ones are not: in blocks of rows
/// they take a sixth longer (tests/bench/refill.c).
static bool is_gathered(const planner           *p,
                        const cairn_refill_list *list,
                        const cairn_pos         *by_place,
                        const cairn_pos         *by_source)
{
    const form    near  = {.sources = true, .bits = 16};
    const int64_t width = p->local->value_bits / 8, n = list->items;

    if (n <= KEEPS_ALL) return false;
    const int64_t gathered  = count_lines(p, by_place, n, width);
    const int64_t scattered = count_lines(p, by_source, n, width);

    return gathered < scattered
           || (gathered - scattered <= scattered / ABOUT
               && cairn_layout_is_wide(p->local->part[list->part].layout)
               && NEAR_RUN * count_runs(p, by_place, n, &near) <= n);
}

/// Choose how the values of a part are moved. @p at: its first item in both orders.
static cairn_status choose(const planner *p, cairn_refill_list *list, int64_t at)
{
    const cairn_pos *by_place = p->by_place + at, *by_source = p->by_source + at;
    const int64_t    n = list->items;

    if (LONG_RUN * count_runs(p, by_source, n, &(form){0}) <= n)
        return fill_list(p, list, by_source, (form){0});
    const bool       gathers = is_gathered(p, list, by_place, by_source);
    const cairn_pos *order   = gathers ? by_place : by_source;
    const form       one     = {.places = !gathers, .sources = gathers};

    if (LONG_RUN * count_runs(p, order, n, &one) <= n)
        return fill_list(p, list, order, one);
    return fill_list(p, list, order, (form){.places = true, .sources = true});
}

/* ---- places with several values ---- */

static bool is_same_place(const planner *p, cairn_pos a, cairn_pos b)
{
    const cairn_refill_targets *t = p->targets;

    return t->part[a] == t->part[b] && t->place[a] == t->place[b];
}

/// Drop all but the first entry of each place from the order, and keep where each begins.
static cairn_status share_places(planner *p)
{
    const int64_t n     = p->targets->n;
    const size_t  width = (size_t)p->plan->bits / 8;
    int64_t       items = 0;

    CAIRN_TRY(cairn_alloc(p->env, n, width, &p->plan->source));
    CAIRN_TRY(cairn_alloc(p->env, p->plan->items + 1, width, &p->plan->begin));
    for (int64_t k = 0; k < n; k++)
        put(p->plan->source, k, p->plan->bits, p->by_place[k]);
    for (int64_t k = 0; k < n; k++)
        if (k == 0 || !is_same_place(p, p->by_place[k], p->by_place[items - 1])) {
            put(p->plan->begin, items, p->plan->bits, k);
            p->by_place[items++] = p->by_place[k];
        }
    put(p->plan->begin, items, p->plan->bits, n);
    return CAIRN_OK;
}

/// The values of a part that may be sums, in the order of its places.
static cairn_status choose_sums(const planner *p, cairn_refill_list *list, int64_t at)
{
    const cairn_pos *order = p->by_place + at;
    const form f = {.places = LONG_RUN * count_runs(p, order, list->items, &(form){0})
                              > list->items};

    return fill_list(p, list, order, f);
}

/* ---- a plan ---- */

/// Put the entries of the first array before those of the second, else in their order.
static cairn_status put_apart(const planner *p, cairn_pos *order)
{
    const int64_t n = p->targets->n, split = p->targets->split;
    int64_t       at[2] = {0, split};
    cairn_pos    *apart;

    CAIRN_TRY(CAIRN_NEW(p->env, n, &apart));
    for (int64_t k = 0; k < n; k++)
        apart[at[order[k] >= split]++] = order[k];
    memcpy(order, apart, (size_t)n * sizeof *order);
    cairn_free(p->env, apart);
    return CAIRN_OK;
}

/// Entries by part and place, and by part.
static cairn_status sort(planner *p)
{
    const cairn_refill_targets *t      = p->targets;
    const int64_t *const        keys[] = {t->part, t->place};

    CAIRN_TRY(CAIRN_NEW(p->env, t->n, &p->by_source));
    if (!p->by_place) {
        CAIRN_TRY(CAIRN_NEW(p->env, t->n, &p->by_place));
        CAIRN_TRY(cairn_sort_order(p->env, t->n, 2, keys, p->by_place));
    }
    return cairn_sort_order(p->env, t->n, 1, keys, p->by_source);
}

/// Count items; see of how many bits positions are.
static void measure(planner *p)
{
    const cairn_refill_targets *t    = p->targets;
    cairn_refill_plan          *plan = p->plan;
    const cairn_pos            *e    = p->by_place;

    plan->bits = t->n > UINT32_MAX ? 64 : 32;
    for (int64_t k = 0; k < t->n; k++) {
        plan->items += k == 0 || !is_same_place(p, e[k], e[k - 1]);
        if (t->place[e[k]] > UINT32_MAX) plan->bits = 64;
    }
}

/// Do two entries go by one list?
static bool is_same_list(const planner *p, cairn_pos a, cairn_pos b)
{
    const cairn_refill_targets *t = p->targets;

    return t->part[a] == t->part[b]
           && (p->plan->begin || (a >= t->split) == (b >= t->split));
}

static cairn_status fill(planner *p)
{
    const cairn_refill_targets *t    = p->targets;
    cairn_refill_plan          *plan = p->plan;

    CAIRN_TRY(sort(p));
    measure(p);
    if (plan->items < t->n) {
        CAIRN_TRY(share_places(p));
    } else if (t->split < t->n) {
        CAIRN_TRY(put_apart(p, p->by_place));
        CAIRN_TRY(put_apart(p, p->by_source));
    }
    const cairn_pos *e = p->by_place;

    for (int64_t k = 0; k < plan->items; k++)
        plan->lists += k == 0 || !is_same_list(p, e[k], e[k - 1]);
    CAIRN_TRY(CAIRN_NEW_ZERO(p->env, plan->lists, &plan->list));
    cairn_refill_list *list = plan->list;

    for (int64_t k = 0, end; k < plan->items; k = end, list++) {
        for (end = k; end < plan->items && is_same_list(p, e[end], e[k]);)
            end++;
        list->part  = t->part[e[k]];
        list->array = !plan->begin && e[k] >= t->split;
        list->first = k;
        list->items = end - k;
        CAIRN_TRY(plan->begin ? choose_sums(p, list, k) : choose(p, list, k));
    }
    return CAIRN_OK;
}

cairn_status cairn_refill_plan_create(const cairn_local          *local,
                                      const cairn_refill_targets *targets,
                                      cairn_refill_plan         **plan)
{
    cairn_env *env = local->env;
    planner    p   = {
             .env = env, .local = local, .targets = targets, .by_place = targets->by_place};

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &p.plan));
    p.plan->split             = targets->split;
    const cairn_status status = fill(&p);

    if (p.by_place != targets->by_place) cairn_free(env, p.by_place);
    cairn_free(env, p.by_source);
    if (status == CAIRN_OK)
        *plan = p.plan;
    else
        cairn_refill_plan_destroy(env, &p.plan);
    return status;
}

void cairn_refill_plan_destroy(cairn_env *env, cairn_refill_plan **plan)
{
    if (!*plan) return;
    for (int64_t k = 0; (*plan)->list && k < (*plan)->lists; k++) {
        cairn_free(env, (*plan)->list[k].run);
        cairn_free(env, (*plan)->list[k].place);
        cairn_free(env, (*plan)->list[k].source);
    }
    cairn_free(env, (*plan)->list);
    cairn_free(env, (*plan)->begin);
    cairn_free(env, (*plan)->source);
    cairn_free(env, *plan);
    *plan = NULL;
}
