// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Walking as an odometer turns: the last key moves, and when it is through the one before
/// moves on. Where a box cuts a dimension inside a period of its digits, which of them there
/// are is counted; everywhere else their bounds say it.

#include "groups/walk.h"

#include <string.h>

/* ---- digits ---- */

static int64_t cut_of(const cairn_position_walk *w, int k)
{
    const cairn_group_key key = w->order->digits.key[k];

    return w->order->digits.of[key.dim].cut[key.digit];
}

static bool is_even(const cairn_position_walk *w, int k)
{
    return w->even >> w->order->digits.key[k].dim & 1;
}

static cairn_interval *allowed(cairn_position_walk *w, int k)
{
    return &w->allow[w->order->digits.key[k].dim][w->order->digits.key[k].digit];
}

static void set_digit(cairn_position_walk *w, int k, int64_t digit)
{
    w->open[w->order->digits.key[k].dim] += (digit - w->digit[k]) * cut_of(w, k);
    w->digit[k]    = digit;
    *allowed(w, k) = (cairn_interval){digit, digit};
}

/// Any digit may stand there again.
static void free_digit(cairn_position_walk *w, int k)
{
    const cairn_group_key key = w->order->digits.key[k];

    set_digit(w, k, 0);
    *allowed(w, k) = w->box->allow[key.dim][key.digit];
}

/// How many values has the dimension of a key, of the digits that are allowed?
static int64_t count(const cairn_position_walk *w, int k)
{
    const int dim = w->order->digits.key[k].dim;

    return cairn_group_box_count(w->order, w->box, dim, w->allow[dim]);
}

/// The first digit of a key, those of the keys before being set, with @p before values of
/// its dimension before it.
static int64_t digit_behind(cairn_position_walk *w, int k, int64_t before)
{
    const cairn_group_key key = w->order->digits.key[k];

    return cairn_group_box_digit(w->order, w->box, key, w->allow[key.dim], 1, &before);
}

/// The bounds of the last key's digit, all others being set.
static cairn_interval last_bound(const cairn_position_walk *w, int k)
{
    const cairn_interval span = w->box->span[w->order->digits.key[k].dim];
    const int64_t        cut  = cut_of(w, k);
    const int64_t  rest  = w->open[w->order->digits.key[k].dim] - w->digit[k] * cut;
    cairn_interval bound = w->bound[k];

    if (is_even(w, k)) return bound;
    const int64_t lo = -cairn_floor_div(rest - span.lo, cut);
    const int64_t hi = cairn_floor_div(span.hi - rest, cut);

    return (cairn_interval){lo > bound.lo ? lo : bound.lo,
                            hi < bound.hi ? hi : bound.hi};
}

static int64_t first_digit(cairn_position_walk *w, int k)
{
    if (k < w->order->digits.keys - 1 && !is_even(w, k)) return digit_behind(w, k, 0);
    const cairn_interval bound =
        k < w->order->digits.keys - 1 ? w->bound[k] : last_bound(w, k);

    return w->order->digits.key[k].down ? bound.hi : bound.lo;
}

/// Set the last key's digit: a stretch goes on from there.
static void set_last(cairn_position_walk *w, int k, int64_t digit)
{
    set_digit(w, k, digit);
    const cairn_interval bound = last_bound(w, k);

    w->left =
        w->order->digits.key[k].down ? digit - bound.lo + 1 : bound.hi - digit + 1;
}

static void set_key(cairn_position_walk *w, int k, int64_t digit)
{
    if (k == w->order->digits.keys - 1)
        set_last(w, k, digit);
    else
        set_digit(w, k, digit);
}

/// Move a key on, those behind it being free; false: it stood at its last digit.
static bool advance(cairn_position_walk *w, int k)
{
    const bool    down = w->order->digits.key[k].down;
    const int64_t from = w->digit[k], next = down ? from - 1 : from + 1;

    if (next < w->bound[k].lo || next > w->bound[k].hi) return false;
    if (!is_even(w, k)) {
        *allowed(w, k) = (cairn_interval){next, next};
        if (count(w, k) == 0) {
            *allowed(w, k) =
                down ? (cairn_interval){0, next} : (cairn_interval){next, INT64_MAX};
            if (count(w, k) == 0) return false;
            *allowed(w, k) =
                down ? (cairn_interval){from, INT64_MAX} : (cairn_interval){0, from};
            set_digit(w, k, digit_behind(w, k, count(w, k)));
            return true;
        }
    }
    set_digit(w, k, next);
    return true;
}

/// The stretch after this one, which is through; there is one.
static void next_stretch(cairn_position_walk *w)
{
    int k = w->order->digits.keys - 1;

    do
        free_digit(w, k--);
    while (!advance(w, k));
    while (++k < w->order->digits.keys)
        set_key(w, k, first_digit(w, k));
}

/* ---- positions ---- */

/// The bounds of a key's digit, whatever the other digits are.
static cairn_interval
bound_of(const cairn_query_order *o, const cairn_group_box *box, cairn_group_key key)
{
    const cairn_digits  *d     = &o->digits.of[key.dim];
    const cairn_interval span  = box->span[key.dim];
    const cairn_interval allow = box->allow[key.dim][key.digit];
    const int64_t        cut   = d->cut[key.digit];
    const bool           top   = key.digit + 1 == d->cuts;
    const int64_t        lo    = top ? span.lo / cut : 0;
    const int64_t        hi    = top ? span.hi / cut : d->cut[key.digit + 1] / cut - 1;

    return (cairn_interval){lo > allow.lo ? lo : allow.lo,
                            hi < allow.hi ? hi : allow.hi};
}

void cairn_position_walk_init(const cairn_query_order *o,
                              const cairn_group_box   *box,
                              cairn_position_walk     *w)
{
    __int128 values[CAIRN_MAX_ORDER];

    w->order = o;
    w->box   = box;
    w->even  = 0;
    w->left  = 0;
    w->rank  = -1;
    for (int k = 0; k < o->order; k++) {
        values[k]  = 1;
        w->open[k] = 0;
        for (int c = 0; o->positions.open >> k & 1 && c < o->digits.of[k].cuts; c++)
            w->open[k] += box->allow[k][c].lo * o->digits.of[k].cut[c];
    }
    for (int k = 0; k < o->digits.keys; k++) {
        __int128 *its = &values[o->digits.key[k].dim];

        w->digit[k] = 0;
        w->bound[k] = bound_of(o, box, o->digits.key[k]);
        *its *= w->bound[k].hi - w->bound[k].lo + 1;
        if (*its > INT64_MAX) *its = 0; /* more than the dimension has */
    }
    for (int k = 0; k < o->order; k++)
        if (o->positions.open >> k & 1 && values[k] == box->count[k])
            w->even |= 1U << k;
    memcpy(w->allow, box->allow, (size_t)o->order * sizeof *w->allow);
}

/// Set all digits, by dividing or else by counting.
static void find(cairn_position_walk *w, int64_t rank)
{
    const cairn_query_order *o   = w->order;
    int64_t                  all = w->box->size, its[CAIRN_MAX_ORDER];

    for (int k = o->digits.keys; k-- > 0;)
        free_digit(w, k);
    w->left = 1;
    if ((w->even & o->positions.open) == o->positions.open && all < INT64_MAX) {
        for (int k = 0; k < o->digits.keys; k++) {
            const cairn_interval bound = w->bound[k];

            all /= bound.hi - bound.lo + 1;
            const int64_t steps = rank / all;

            rank -= steps * all;
            set_key(w, k, o->digits.key[k].down ? bound.hi - steps : bound.lo + steps);
        }
        return;
    }
    memcpy(its, w->box->count, (size_t)o->order * sizeof *its);
    for (int k = 0; k < o->digits.keys; k++) {
        const int     dim    = o->digits.key[k].dim;
        const int64_t others = all / its[dim];

        set_key(w, k,
                cairn_group_box_digit(o, w->box, o->digits.key[k], w->allow[dim],
                                      others, &rank));
        its[dim] = count(w, k);
        all      = others * its[dim];
    }
}

/// Step over positions of the stretch.
static void step(cairn_position_walk *w, int64_t n)
{
    const int last = w->order->digits.keys - 1;

    w->left -= n;
    w->rank += n;
    if (last < 0) return;
    const int64_t moved = w->order->digits.key[last].down ? -n : n;

    w->digit[last] += moved;
    w->open[w->order->digits.key[last].dim] += moved * cut_of(w, last);
}

void cairn_position_walk_seek(cairn_position_walk *w, int64_t rank)
{
    if (w->rank >= 0 && rank >= w->rank) {
        if (rank - w->rank > w->left && w->left < w->box->size - w->rank) {
            step(w, w->left);
            next_stretch(w);
        }
        if (rank - w->rank <= w->left) {
            step(w, rank - w->rank);
            return;
        }
    }
    find(w, rank);
    w->rank = rank;
}

/// Write positions of the stretch.
static void
write(const cairn_position_walk *w, int64_t n, cairn_coord *const *d, int64_t at)
{
    const cairn_query_order *o    = w->order;
    const int                last = o->digits.keys - 1;

    for (int k = 0; k < o->order; k++) {
        cairn_coord *const out   = d[k] + at;
        const int          on    = o->positions.on[k];
        cairn_coord        first = w->box->base[k], by = 0;

        if (o->positions.slope[k] != 0) first += o->positions.slope[k] * w->open[on];
        if (o->positions.slope[k] != 0 && last >= 0 && o->digits.key[last].dim == on)
            by = o->positions.slope[k]
                 * (o->digits.key[last].down ? -cut_of(w, last) : cut_of(w, last));
        for (int64_t p = 0; p < n; p++)
            out[p] = first + p * by;
    }
}

void cairn_position_walk_take(cairn_position_walk *w,
                              int64_t              n,
                              cairn_coord *const  *d,
                              int64_t              at)
{
    while (n > 0) {
        if (w->left == 0) next_stretch(w);
        const int64_t now = n < w->left ? n : w->left;

        write(w, now, d, at);
        step(w, now);
        at += now;
        n -= now;
    }
}
