// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loops over lists of a plan, one for each width of values and of positions: compilers
/// make them of one text.

#include "api/refill_move.h"

#include <string.h>

enum { WORTH_A_THREAD = 1 << 15 }; ///< Items.

#define INLINED static inline __attribute__((always_inline))

/// What is moved: one list, or a part of it.
typedef struct {
    const cairn_refill_plan *plan;
    const cairn_refill_list *list;
    int64_t                  lo, hi; ///< Items.
    const char              *val;    ///< The list's array;
    const char
           *second; ///< of sums the first, and this is the second, by the plan's split.
    char   *to;
    int64_t stride; ///< Bytes from place to place.
} move;

/// What is dealt out.
typedef struct {
    const cairn_refill_plan *plan;
    int                      tasks;
    cairn_refill_visit      *visit;
    void                    *user;
} deal;

/// Values as wide as the tensor's type.
typedef struct {
    const cairn_refill_plan   *plan;
    const cairn_local         *local;
    const cairn_refill_values *val;
} refill;

/// The run that has item @p k.
static const cairn_refill_run *find_run(const cairn_refill_list *list, int64_t k)
{
    int64_t lo = 0, hi = list->runs - 1;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo + 1) / 2;

        if (list->run[mid].item <= k)
            lo = mid;
        else
            hi = mid - 1;
    }
    return list->run + lo;
}

/* ---- one value for each place ---- */

INLINED void move_run(const move             *m,
                      const cairn_refill_run *run,
                      int64_t                 lo,
                      int64_t                 hi,
                      size_t                  width,
                      int                     bits,
                      int64_t                 stride)
{
    const void *const place = m->list->place, *const source = m->list->source;
    const int64_t to = run->place - run->item, from = run->source - run->item;
    const int64_t wide = (int64_t)width;

    if (place && source)
        for (int64_t k = lo; k < hi; k++)
            memcpy(m->to + cairn_refill_number(place, k, bits) * stride,
                   m->val + cairn_refill_number(source, k, bits) * wide, width);
    else if (place)
        for (int64_t k = lo; k < hi; k++)
            memcpy(m->to + cairn_refill_number(place, k, bits) * stride,
                   m->val + (from + k) * wide, width);
    else if (source)
        for (int64_t k = lo; k < hi; k++)
            memcpy(m->to + (to + k) * stride,
                   m->val + cairn_refill_number(source, k, bits) * wide, width);
    else if (stride == wide)
        memcpy(m->to + (to + lo) * wide, m->val + (from + lo) * wide,
               (size_t)(hi - lo) * width);
    else
        for (int64_t k = lo; k < hi; k++)
            memcpy(m->to + (to + k) * stride, m->val + (from + k) * wide, width);
}

INLINED void move_runs(const move *m, size_t width, int bits, int64_t stride)
{
    const cairn_refill_run *run = find_run(m->list, m->lo);

    for (int64_t lo = m->lo; lo < m->hi; run++) {
        const int64_t hi = run[1].item < m->hi ? run[1].item : m->hi;

        move_run(m, run, lo, hi, width, bits, stride);
        lo = hi;
    }
}

/* ---- sums ---- */

INLINED double load(const char *val, int64_t k, size_t width)
{
    return width == 4 ? (double)((const float *)val)[k] : ((const double *)val)[k];
}

/// The value of entry @p e of those that are added up.
INLINED double load_source(const move *m, int64_t e, size_t width, int bits)
{
    const int64_t source = cairn_refill_number(m->plan->source, e, bits);

    return source < m->plan->split ? load(m->val, source, width)
                                   : load(m->second, source - m->plan->split, width);
}

/// What goes to place @p k of all.
INLINED double sum_sources(const move *m, int64_t k, size_t width, int bits)
{
    const int64_t end = cairn_refill_number(m->plan->begin, k + 1, bits);
    int64_t       e   = cairn_refill_number(m->plan->begin, k, bits);
    double        sum = load_source(m, e, width, bits);

    while (++e < end)
        sum += load_source(m, e, width, bits);
    return sum;
}

INLINED void add_runs(const move *m, size_t width, int bits, int64_t stride)
{
    const cairn_refill_run *run = find_run(m->list, m->lo);

    for (int64_t k = m->lo; k < m->hi; k++) {
        if (k == run[1].item) run++;
        const double sum    = sum_sources(m, m->list->first + k, width, bits);
        const float  narrow = (float)sum;

        memcpy(m->to + cairn_refill_place(m->plan, m->list, run, k) * stride,
               width == 4 ? (const void *)&narrow : &sum, width);
    }
}

/// Of items lo .. hi-1, which are in one run.
INLINED void load_run(const move             *m,
                      const cairn_refill_run *run,
                      int64_t                 lo,
                      int64_t                 hi,
                      size_t                  width,
                      int                     bits,
                      double                 *value)
{
    const void *const source = m->list->source;
    const int64_t     from   = run->source - run->item;

    if (m->plan->begin)
        for (int64_t k = lo; k < hi; k++)
            value[k - lo] = sum_sources(m, m->list->first + k, width, bits);
    else if (source)
        for (int64_t k = lo; k < hi; k++)
            value[k - lo] = load(m->val, cairn_refill_number(source, k, bits), width);
    else if (width == 8)
        memcpy(value, m->val + (from + lo) * 8, (size_t)(hi - lo) * 8);
    else
        for (int64_t k = lo; k < hi; k++)
            value[k - lo] = load(m->val, from + k, width);
}

INLINED void load_runs(const move *m, size_t width, int bits, double *value)
{
    const cairn_refill_run *run = find_run(m->list, m->lo);

    for (int64_t lo = m->lo; lo < m->hi; run++) {
        const int64_t hi = run[1].item < m->hi ? run[1].item : m->hi;

        load_run(m, run, lo, hi, width, bits, value + (lo - m->lo));
        lo = hi;
    }
}

static void load_items(const move *m, int bits, double *value)
{
    if (bits == 64 && m->plan->bits == 32)
        load_runs(m, 8, 32, value);
    else if (bits == 64)
        load_runs(m, 8, 64, value);
    else if (m->plan->bits == 32)
        load_runs(m, 4, 32, value);
    else
        load_runs(m, 4, 64, value);
}

void cairn_refill_load(const cairn_refill_plan   *plan,
                       const cairn_refill_list   *list,
                       int64_t                    first,
                       int                        n,
                       const cairn_refill_values *val,
                       int                        bits,
                       double                    *value)
{
    const move m = {.plan   = plan,
                    .list   = list,
                    .lo     = first,
                    .hi     = first + n,
                    .val    = val->array[list->array],
                    .second = val->array[1]};

    load_items(&m, bits, value);
}

/* ---- lists ---- */

INLINED void move_all(const move *m, size_t width, int bits, int64_t stride)
{
    if (m->plan->begin)
        add_runs(m, width, bits, stride);
    else
        move_runs(m, width, bits, stride);
}

INLINED void move_strided(const move *m, size_t width, int bits)
{
    if (m->stride == (int64_t)width)
        move_all(m, width, bits, (int64_t)width);
    else
        move_all(m, width, bits, m->stride);
}

/// Values that lie in blocks of tuples, by their addresses.
static void move_by_address(const move *m, const cairn_kernel_part *view)
{
    const cairn_refill_run *run = find_run(m->list, m->lo);
    double                  value[CAIRN_REFILL_STRIP];

    for (int64_t lo = m->lo; lo < m->hi; lo += CAIRN_REFILL_STRIP) {
        const int64_t rest = m->hi - lo;
        const int     n    = rest < CAIRN_REFILL_STRIP ? (int)rest : CAIRN_REFILL_STRIP;
        move          strip = *m;

        strip.lo = lo;
        strip.hi = lo + n;
        load_items(&strip, view->val_bits, value);
        for (int64_t k = lo; k < lo + n; k++) {
            if (k == run[1].item) run++;
            cairn_value_set(view, cairn_refill_place(m->plan, m->list, run, k),
                            value[k - lo]);
        }
    }
}

static void move_list(const move *m, const cairn_kernel_part *view)
{
    if (view->val_block != 1)
        move_by_address(m, view);
    else if (view->val_bits == 64 && m->plan->bits == 32)
        move_strided(m, 8, 32);
    else if (view->val_bits == 64)
        move_strided(m, 8, 64);
    else if (m->plan->bits == 32)
        move_strided(m, 4, 32);
    else
        move_strided(m, 4, 64);
}

static void
move_items(void *user, const cairn_refill_list *list, int64_t lo, int64_t hi)
{
    const refill     *r    = user;
    const cairn_part *part = &r->local->part[list->part];
    const move        m    = {.plan   = r->plan,
                              .list   = list,
                              .lo     = lo,
                              .hi     = hi,
                              .val    = r->val->array[list->array],
                              .second = r->val->array[1],
                              .to     = part->view.val,
                              .stride = part->view.val_stride};

    if (cairn_layout_is_wide(part->layout)) move_list(&m, &part->view);
}

void cairn_refill_move(const cairn_refill_plan   *plan,
                       const cairn_local         *local,
                       const cairn_refill_values *val,
                       int                        threads)
{
    refill r = {plan, local, val};

    cairn_refill_deal(plan, local->env, threads, move_items, &r);
}

/* ---- words ---- */

INLINED void put_runs(const move *m, const char *words, size_t width, int bits)
{
    const void *const       place = m->list->place;
    const cairn_refill_run *run   = find_run(m->list, m->lo);

    if (place) {
        for (int64_t k = m->lo; k < m->hi; k++)
            memcpy(m->to + cairn_refill_number(place, k, bits) * (int64_t)width,
                   words + (size_t)(k - m->lo) * width, width);
        return;
    }
    for (int64_t lo = m->lo; lo < m->hi; run++) {
        const int64_t hi = run[1].item < m->hi ? run[1].item : m->hi;

        memcpy(m->to + (run->place + lo - run->item) * (int64_t)width,
               words + (size_t)(lo - m->lo) * width, (size_t)(hi - lo) * width);
        lo = hi;
    }
}

void cairn_refill_put(const cairn_refill_plan *plan,
                      const cairn_refill_list *list,
                      int64_t                  first,
                      int                      n,
                      const void              *words,
                      const cairn_kernel_part *view)
{
    const move m = {
        .plan = plan, .list = list, .lo = first, .hi = first + n, .to = view->val};

    if (view->val_bits == 8 && plan->bits == 32)
        put_runs(&m, words, 1, 32);
    else if (view->val_bits == 8)
        put_runs(&m, words, 1, 64);
    else if (view->val_bits == 16 && plan->bits == 32)
        put_runs(&m, words, 2, 32);
    else if (view->val_bits == 16)
        put_runs(&m, words, 2, 64);
    else if (plan->bits == 32)
        put_runs(&m, words, 4, 32);
    else
        put_runs(&m, words, 4, 64);
}

/* ---- shares ---- */

/// Visit an equal share of all items.
static void visit_share(void *user, int number)
{
    const deal              *d     = user;
    const cairn_refill_plan *plan  = d->plan;
    const int64_t            each  = plan->items / d->tasks;
    const int64_t            begin = each * number;
    const int64_t            end = number + 1 == d->tasks ? plan->items : begin + each;

    for (int64_t l = 0; l < plan->lists; l++) {
        const cairn_refill_list *list = &plan->list[l];
        int64_t                  lo = begin - list->first, hi = end - list->first;

        if (lo < 0) lo = 0;
        if (hi > list->items) hi = list->items;
        if (lo < hi) d->visit(d->user, list, lo, hi);
    }
}

void cairn_refill_deal(const cairn_refill_plan *plan,
                       cairn_env               *env,
                       int                      threads,
                       cairn_refill_visit      *visit,
                       void                    *user)
{
    const int64_t worth = plan->items / WORTH_A_THREAD;
    deal          d     = {.plan = plan, .tasks = 1, .visit = visit, .user = user};

    if (worth < threads) threads = (int)worth;
    if (threads > 1) d.tasks = threads;
    cairn_thread_pool_run(&env->thread_pool, d.tasks, visit_share, &d, d.tasks);
}
