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
    const char              *val;
    char                    *to;
    int64_t                  stride; ///< Bytes from place to place.
} move;

/// All lists.
typedef struct {
    const cairn_refill_plan *plan;
    const cairn_local       *local;
    const void              *val;
    int                      tasks;
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

INLINED double sum_sources(const cairn_refill_plan *plan,
                           int64_t                  k,
                           const char              *val,
                           size_t                   width,
                           int                      bits)
{
    const int64_t end = cairn_refill_number(plan->begin, k + 1, bits);
    int64_t       e   = cairn_refill_number(plan->begin, k, bits);
    double        sum = load(val, cairn_refill_number(plan->source, e, bits), width);

    while (++e < end)
        sum += load(val, cairn_refill_number(plan->source, e, bits), width);
    return sum;
}

INLINED void add_runs(const move *m, size_t width, int bits, int64_t stride)
{
    const cairn_refill_run *run = find_run(m->list, m->lo);

    for (int64_t k = m->lo; k < m->hi; k++) {
        if (k == run[1].item) run++;
        const double sum =
            sum_sources(m->plan, m->list->first + k, m->val, width, bits);
        const float narrow = (float)sum;

        memcpy(m->to + cairn_refill_place(m->plan, m->list, run, k) * stride,
               width == 4 ? (const void *)&narrow : &sum, width);
    }
}

double cairn_refill_value(const cairn_refill_plan *plan,
                          const cairn_refill_list *list,
                          const cairn_refill_run  *run,
                          int64_t                  k,
                          const void              *val,
                          int                      bits)
{
    const size_t width = (size_t)bits / 8;

    return plan->begin ? sum_sources(plan, list->first + k, val, width, plan->bits)
                       : load(val, cairn_refill_source(plan, list, run, k), width);
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

    for (int64_t k = m->lo; k < m->hi; k++) {
        if (k == run[1].item) run++;
        cairn_value_set(
            view, cairn_refill_place(m->plan, m->list, run, k),
            cairn_refill_value(m->plan, m->list, run, k, m->val, view->val_bits));
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

/// Move an equal share of all items.
static void move_share(void *user, int number)
{
    const refill            *r     = user;
    const cairn_refill_plan *plan  = r->plan;
    const int64_t            begin = plan->items / r->tasks * number,
                  end              = number + 1 == r->tasks ? plan->items
                                                            : plan->items / r->tasks * (number + 1);

    for (int64_t l = 0; l < plan->lists; l++) {
        const cairn_refill_list *list = &plan->list[l];
        const cairn_part        *part = &r->local->part[list->part];
        const int64_t            lo = begin - list->first, hi = end - list->first;
        const move               m = {.plan   = plan,
                                      .list   = list,
                                      .lo     = lo > 0 ? lo : 0,
                                      .hi     = hi < list->items ? hi : list->items,
                                      .val    = r->val,
                                      .to     = part->view.val,
                                      .stride = part->view.val_stride};

        if (m.lo < m.hi && cairn_layout_is_wide(part->layout))
            move_list(&m, &part->view);
    }
}

void cairn_refill_move(const cairn_refill_plan *plan,
                       const cairn_local       *local,
                       const void              *val,
                       int                      threads)
{
    const int64_t worth = plan->items / WORTH_A_THREAD;
    refill        r     = {.plan = plan, .local = local, .val = val, .tasks = 1};

    if (worth < threads) threads = (int)worth;
    if (threads > 1) r.tasks = threads;
    cairn_thread_pool_run(&local->env->thread_pool, r.tasks, move_share, &r, r.tasks);
}
