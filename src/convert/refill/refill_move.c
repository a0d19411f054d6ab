// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loops over lists of a plan, one for each width of values and of positions: compilers
/// make them of one text.

#include "convert/refill/refill_move.h"

#include "tensor/value_types.h"

#include <string.h>

enum {
    WORTH_A_THREAD = 1 << 15, ///< Items.
    AHEAD          = 112, ///< Items, whose lines are asked for before they are written.
    FOUR           = 4,   ///< Numbers of 16 bits that are read at once.
};

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

/// From the caller's type to the stored one.
typedef enum { F64, F32, F64_TO_F32, F64_TO_I16, F64_TO_I8, F32_TO_I16, F32_TO_I8 } way;

INLINED int64_t width_before(way w)
{
    return w == F32 || w == F32_TO_I16 || w == F32_TO_I8 ? 4 : 8;
}

INLINED int64_t width_after(way w)
{
    if (w == F64) return 8;
    if (w == F32 || w == F64_TO_F32) return 4;
    return w == F64_TO_I16 || w == F32_TO_I16 ? 2 : 1;
}

/* A caller's values, and those in tuples, may lie anywhere. */
INLINED double load_f64(const char *from)
{
    double value;

    memcpy(&value, from, sizeof value);
    return value;
}

INLINED float load_f32(const char *from)
{
    float value;

    memcpy(&value, from, sizeof value);
    return value;
}

/// Values that change their type are ones that the stored one holds, or rounds.
INLINED void move_value(char *to, const char *from, way w)
{
    if (w == F64)
        memcpy(to, from, 8);
    else if (w == F32)
        memcpy(to, from, 4);
    else if (w == F64_TO_F32)
        memcpy(to, &(float){(float)load_f64(from)}, 4);
    else if (w == F64_TO_I16)
        memcpy(to, &(int16_t){(int16_t)(int32_t)load_f64(from)}, 2);
    else if (w == F64_TO_I8)
        *(int8_t *)to = (int8_t)(int32_t)load_f64(from);
    else if (w == F32_TO_I16)
        memcpy(to, &(int16_t){(int16_t)(int32_t)load_f32(from)}, 2);
    else
        *(int8_t *)to = (int8_t)(int32_t)load_f32(from);
}

/// Numbers k .. k+3 of a list of 16 bits, by one load: where a cache holds all values,
/// blocks of 2 by 2 take 0.34 ns an entry instead of 0.43, those of 4 by 4 0.41 instead of
/// 0.48, blocks of diagonals 0.22 instead of 0.27 (tests/bench/refill.c, 12,000 rows).
INLINED uint64_t four_numbers(const void *list, int64_t k)
{
    uint64_t four;

    memcpy(&four, (const uint16_t *)list + k, sizeof four);
    return four;
}

/// The @p i-th of four, as memory has them.
INLINED int64_t number_of(uint64_t four, int i)
{
    const int place = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : FOUR - 1 - i;

    return (int64_t)(four >> 16 * place & UINT16_MAX);
}

/// Values of items lo .. hi-1, one after the other at @p from, to places near each other.
/// Lines of a block are written in turns, and the next ones are not fetched by themselves:
/// asked for ahead, blocks of 64 diagonals with gaps take 0.7 ns an entry instead of 1.05,
/// blocks of 2 by 2 0.75 instead of 0.85, but slices 0.57 instead of 0.5. Whole diagonals,
/// whose places are far apart, are fetched in time as they are (tests/bench/refill.c).
INLINED void scatter_near(char       *to,
                          const void *place,
                          const char *from,
                          int64_t     lo,
                          int64_t     hi,
                          int64_t     stride)
{
    int64_t k = lo;

    for (; k + AHEAD + FOUR <= hi; k += FOUR, from += FOUR * 8) {
        const uint64_t next = four_numbers(place, k + AHEAD);
        const uint64_t now  = four_numbers(place, k);

        for (int i = 0; i < FOUR; i++)
            __builtin_prefetch(to + number_of(next, i) * stride, 1);
        for (int i = 0; i < FOUR; i++)
            memcpy(to + number_of(now, i) * stride, from + i * 8, 8);
    }
    for (; k < hi; k++, from += 8)
        memcpy(to + cairn_refill_number(place, k, 16) * stride, from, 8);
}

/// Values of items lo .. hi-1, near each other, to places one after the other from @p to on.
INLINED void gather_near(char       *to,
                         const char *from,
                         const void *source,
                         int64_t     lo,
                         int64_t     hi,
                         int64_t     stride)
{
    int64_t k = lo;

    for (; k + FOUR <= hi; k += FOUR, to += FOUR * stride) {
        const uint64_t four = four_numbers(source, k);

        for (int i = 0; i < FOUR; i++)
            memcpy(to + i * stride, from + number_of(four, i) * 8, 8);
    }
    for (; k < hi; k++, to += stride)
        memcpy(to, from + cairn_refill_number(source, k, 16) * 8, 8);
}

/// Items lo .. hi-1, which are in one run.
INLINED void move_run(const move             *m,
                      const cairn_refill_run *run,
                      int64_t                 lo,
                      int64_t                 hi,
                      way                     w,
                      int                     bits,
                      int64_t                 stride)
{
    const void *const place = m->list->place, *const source = m->list->source;
    const int64_t     wide = width_before(w), n = hi - lo;
    char *const       to        = m->to + run->place * stride;
    const char *const from      = m->val + run->source * wide;
    char *const       next_to   = to + (lo - run->item) * stride;
    const char *const next_from = from + (lo - run->item) * wide;

    if (place && !source && w == F64 && bits == 16)
        scatter_near(to, place, next_from, lo, hi, stride);
    else if (source && !place && w == F64 && bits == 16)
        gather_near(next_to, from, source, lo, hi, stride);
    else if (place && source)
        for (int64_t k = lo; k < hi; k++)
            move_value(to + cairn_refill_number(place, k, bits) * stride,
                       from + cairn_refill_number(source, k, bits) * wide, w);
    else if (place)
        for (int64_t k = 0; k < n; k++)
            move_value(to + cairn_refill_number(place, lo + k, bits) * stride,
                       next_from + k * wide, w);
    else if (source)
        for (int64_t k = 0; k < n; k++)
            move_value(next_to + k * stride,
                       from + cairn_refill_number(source, lo + k, bits) * wide, w);
    else if (wide == width_after(w) && stride == wide)
        memcpy(next_to, next_from, (size_t)(n * wide));
    else
        for (int64_t k = 0; k < n; k++)
            move_value(next_to + k * stride, next_from + k * wide, w);
}

INLINED void move_runs(const move *m, way w, int bits, int64_t stride)
{
    const cairn_refill_run *run = find_run(m->list, m->lo);

    for (int64_t lo = m->lo; lo < m->hi; run++) {
        const int64_t hi = run[1].item < m->hi ? run[1].item : m->hi;

        move_run(m, run, lo, hi, w, bits, stride);
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

        memcpy(m->to + cairn_refill_place(m->list, run, k) * stride,
               width == 4 ? (const void *)&narrow : &sum, width);
    }
}

/// Of items lo .. hi-1, which are in one run.
INLINED void load_run(const move             *m,
                      const cairn_refill_run *run,
                      int64_t                 lo,
                      int64_t                 hi,
                      size_t                  width,
                      double                 *value)
{
    const int64_t next = run->source + (lo - run->item);

    if (m->plan->begin)
        for (int64_t k = lo; k < hi; k++)
            value[k - lo] = sum_sources(m, m->list->first + k, width, m->plan->bits);
    else if (m->list->source)
        for (int64_t k = lo; k < hi; k++)
            value[k - lo] = load(
                m->val,
                run->source + cairn_refill_number(m->list->source, k, m->list->bits),
                width);
    else if (width == 8)
        memcpy(value, m->val + next * 8, (size_t)(hi - lo) * 8);
    else
        for (int64_t k = lo; k < hi; k++)
            value[k - lo] = load(m->val, next + (k - lo), width);
}

INLINED void load_runs(const move *m, size_t width, double *value)
{
    const cairn_refill_run *run = find_run(m->list, m->lo);

    for (int64_t lo = m->lo; lo < m->hi; run++) {
        const int64_t hi = run[1].item < m->hi ? run[1].item : m->hi;

        load_run(m, run, lo, hi, width, value + (lo - m->lo));
        lo = hi;
    }
}

static void load_items(const move *m, int bits, double *value)
{
    if (bits == 64)
        load_runs(m, 8, value);
    else
        load_runs(m, 4, value);
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

INLINED void move_as(const move *m, way w, int64_t stride)
{
    if (m->list->bits == 16)
        move_runs(m, w, 16, stride);
    else if (m->list->bits == 32)
        move_runs(m, w, 32, stride);
    else
        move_runs(m, w, 64, stride);
}

/// Values as wide as the type.
INLINED void move_wide(const move *m, way w, int bits)
{
    const size_t width = (size_t)width_after(w);

    if (m->plan->begin)
        add_runs(m, width, bits, m->stride);
    else if (m->stride == (int64_t)width)
        move_as(m, w, (int64_t)width);
    else
        move_as(m, w, m->stride);
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
            cairn_value_set(view, cairn_refill_place(m->list, run, k), value[k - lo]);
        }
    }
}

static void move_list(const move *m, const cairn_kernel_part *view)
{
    if (view->val_block != 1)
        move_by_address(m, view);
    else if (view->val_bits == 64 && m->plan->bits == 32)
        move_wide(m, F64, 32);
    else if (view->val_bits == 64)
        move_wide(m, F64, 64);
    else if (m->plan->bits == 32)
        move_wide(m, F32, 32);
    else
        move_wide(m, F32, 64);
}

bool cairn_refill_converts(const cairn_refill_plan *plan, const cairn_kernel_part *view)
{
    return !plan->begin
           && (view->val_kind == CAIRN_VALUE_INTEGER
               || (view->val_kind == CAIRN_VALUE_FLOAT && view->val_bits == 32));
}

/// Items of a list without numbers, which are stored run by run.
static void store_runs(const move *m, const cairn_kernel_part *view)
{
    const cairn_refill_run *run = find_run(m->list, m->lo);

    for (int64_t lo = m->lo, hi; lo < m->hi; lo = hi, run++) {
        hi = run[1].item < m->hi ? run[1].item : m->hi;
        for (int64_t k = lo, n; k < hi; k += n) {
            n = hi - k < INT32_MAX ? hi - k : INT32_MAX;
            cairn_values_store((const double *)m->val + run->source + (k - run->item),
                               (int)n, NULL, view, run->place + (k - run->item));
        }
    }
}

/// Values that are narrower than the caller's, of which each is converted on its way; those
/// that count up together, of f64, by the loops of those that are stored first.
static void convert_list(const move *m, const cairn_kernel_part *view, int bits)
{
    if (bits == 64 && !m->list->place && !m->list->source)
        store_runs(m, view);
    else if (bits == 64 && view->val_bits == 32)
        move_as(m, F64_TO_F32, 4);
    else if (bits == 64 && view->val_bits == 16)
        move_as(m, F64_TO_I16, 2);
    else if (bits == 64)
        move_as(m, F64_TO_I8, 1);
    else if (view->val_bits == 16)
        move_as(m, F32_TO_I16, 2);
    else
        move_as(m, F32_TO_I8, 1);
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

    if (cairn_layout_is_wide(part->layout))
        move_list(&m, &part->view);
    else if (cairn_refill_converts(r->plan, &part->view))
        convert_list(&m, &part->view, r->local->value_bits);
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

INLINED void put_runs(const move *m, const char *words, size_t width)
{
    const void *const       place = m->list->place;
    const cairn_refill_run *run   = find_run(m->list, m->lo);

    for (int64_t lo = m->lo; lo < m->hi; run++) {
        const int64_t hi = run[1].item < m->hi ? run[1].item : m->hi;

        for (int64_t k = lo; place && k < hi; k++)
            memcpy(m->to + cairn_refill_place(m->list, run, k) * (int64_t)width,
                   words + (size_t)(k - m->lo) * width, width);
        if (!place)
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

    if (view->val_bits == 8)
        put_runs(&m, words, 1);
    else if (view->val_bits == 16)
        put_runs(&m, words, 2);
    else
        put_runs(&m, words, 4);
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
