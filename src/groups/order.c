// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Counting in a mixed radix: positions that agree with one in its first digits, and have
/// a smaller one next, digit by digit.

#include "groups/order.h"

#include <string.h>

static const int64_t none[CAIRN_MAX_QUERIES]; ///< Values of queries that cancel.

/// Make the span of an open dimension what is left of it when lo <= factor * d <= hi.
static void narrow(cairn_interval *span, __int128 lo, __int128 hi, int64_t factor)
{
    if (factor < 0) {
        const __int128 swap = -lo;

        lo     = -hi;
        hi     = swap;
        factor = -factor;
    }
    if (factor == 1) { /* as nearly always: divisions of 128 bits are slow */
        if (lo > span->lo) span->lo = lo > INT64_MAX ? INT64_MAX : (int64_t)lo;
        if (hi < span->hi) span->hi = hi < INT64_MIN ? INT64_MIN : (int64_t)hi;
        return;
    }
    const __int128 first = lo > 0 ? (lo + factor - 1) / factor : -(-lo / factor);
    const __int128 last  = hi >= 0 ? hi / factor : -((-hi + factor - 1) / factor);

    if (first > span->lo) span->lo = first > INT64_MAX ? INT64_MAX : (int64_t)first;
    if (last < span->hi) span->hi = last < INT64_MIN ? INT64_MIN : (int64_t)last;
}

static bool fix(const cairn_query_order *o,
                const cairn_group_step  *s,
                int64_t                  rest,
                cairn_group_box         *box)
{
    if (rest % s->factor != 0) return false;
    const int64_t at = rest / s->factor;

    if (at < box->span[s->dim].lo || at > box->span[s->dim].hi) return false;
    for (int k = 0; k < o->order; k++)
        if (k != s->dim
            && o->positions.on[k] == s->dim) /* its slope is that of its step */
            for (int t = 0; t < o->positions.steps; t++)
                if (o->positions.step[t].what == CAIRN_GROUP_TIE
                    && o->positions.step[t].dim == k)
                    box->base[k] += o->positions.step[t].slope * at;
    box->base[s->dim] = at;
    return true;
}

static bool tie(const cairn_query_order *o,
                const cairn_group_step  *s,
                int64_t                  rest,
                cairn_group_box         *box)
{
    const cairn_interval mine = box->span[s->dim];

    box->base[s->dim] = rest * s->factor;
    narrow(&box->span[s->on], (__int128)mine.lo - box->base[s->dim],
           (__int128)mine.hi - box->base[s->dim], s->slope);
    (void)o;
    return true;
}

static bool take_step(const cairn_query_order *o,
                      const cairn_group_step  *s,
                      int64_t                  value,
                      cairn_group_box         *box)
{
    const cairn_form *form = &o->group[s->f];
    const cairn_atom *atom = &o->algebra->atom[s->atom];
    int64_t           rest = cairn_form_value(o->algebra, form, box->base, none);

    if (s->what == CAIRN_GROUP_FIX || s->what == CAIRN_GROUP_TIE) {
        if (__builtin_sub_overflow(value, rest, &rest)) return false;
        return s->what == CAIRN_GROUP_FIX ? fix(o, s, rest, box) : tie(o, s, rest, box);
    }
    /* the value of the floor, or remainder, alone */
    const int64_t here = s->what == CAIRN_GROUP_DIGIT
                             ? 0
                             : cairn_floor_div(cairn_form_value(o->algebra, &atom->form,
                                                                box->base, none),
                                               atom->divisor);

    if (__builtin_sub_overflow(value, rest - s->factor * here, &rest)
        || rest % s->factor != 0)
        return false;
    rest /= s->factor;
    if (s->what == CAIRN_GROUP_SPAN) {
        const __int128 at = cairn_form_value(o->algebra, &atom->form, box->base, none);

        narrow(&box->span[s->dim], (__int128)rest * atom->divisor - at,
               (__int128)rest * atom->divisor + atom->divisor - 1 - at, s->slope);
        return true;
    }
    for (int c = 0; c < o->digits.of[s->dim].cuts; c++) {
        const cairn_digits *d = &o->digits.of[s->dim];

        if (d->cut[c] < s->low || d->cut[c] >= s->high) continue;
        const int64_t next  = c + 1 < d->cuts ? d->cut[c + 1] : 0;
        const int64_t digit = next ? rest * s->low / d->cut[c] % (next / d->cut[c])
                                   : rest * s->low / d->cut[c];

        cairn_interval *allow = &box->allow[s->dim][c];

        if (allow->lo == allow->hi && allow->lo != digit && !(d->zero >> c & 1))
            return false; /* another value says otherwise */
        *allow = (cairn_interval){digit, digit};
    }
    return rest >= 0 && rest < s->high / s->low;
}

/// How many of 0 .. n-1 have digits that are allowed?
static int64_t
count_below(const cairn_digits *d, const cairn_interval *allow, int64_t n)
{
    int64_t free[CAIRN_MAX_CUTS], count = 0;

    if (n <= 0) return 0;
    free[0] = 1;
    for (int c = 0; c + 1 < d->cuts; c++) {
        const int64_t        most = d->cut[c + 1] / d->cut[c] - 1;
        const cairn_interval a    = {allow[c].lo > 0 ? allow[c].lo : 0,
                                  allow[c].hi < most ? allow[c].hi : most};

        free[c + 1] = a.hi < a.lo ? 0 : free[c] * (a.hi - a.lo + 1);
    }
    for (int c = d->cuts; c-- > 0;) {
        const int64_t digit = c + 1 < d->cuts
                                  ? n / d->cut[c] % (d->cut[c + 1] / d->cut[c])
                                  : n / d->cut[c];
        const int64_t lo    = allow[c].lo > 0 ? allow[c].lo : 0;
        const int64_t hi    = allow[c].hi < digit - 1 ? allow[c].hi : digit - 1;

        if (hi >= lo) count += (hi - lo + 1) * free[c];
        if (digit < allow[c].lo || digit > allow[c].hi) break;
    }
    return count;
}

int64_t cairn_group_box_count(const cairn_query_order *o,
                              const cairn_group_box   *box,
                              int                      k,
                              const cairn_interval    *allow)
{
    const cairn_interval span = box->span[k];

    if (span.hi < span.lo) return 0;
    return count_below(&o->digits.of[k], allow, span.hi + 1)
           - count_below(&o->digits.of[k], allow, span.lo);
}

/// Are open dimensions, whole, the keys, each once? Then positions count in a radix whose
/// digits they are.
static bool is_plain(const cairn_query_order *o, const cairn_group_box *box)
{
    uint32_t left = o->positions.open;

    if (o->runs.on || box->size == INT64_MAX) return false;
    for (int k = 0; k < o->digits.keys; k++) {
        const int            dim   = o->digits.key[k].dim;
        const cairn_interval allow = box->allow[dim][0];

        if (!(left >> dim & 1) || o->digits.of[dim].cuts != 1 || allow.lo > 0
            || allow.hi < INT64_MAX)
            return false;
        left &= ~(1U << dim);
    }
    return left == 0;
}

void cairn_group_box_enter(const cairn_query_order *o,
                           const int64_t           *tuple,
                           cairn_group_box         *box)
{
    box->empty = false;
    box->plain = false;
    box->size  = 1;
    for (int k = 0; k < o->order; k++) {
        box->base[k] = 0;
        box->span[k] = o->global[k];
        box->empty   = box->empty || box->span[k].hi < box->span[k].lo;
        for (int c = 0; c < o->digits.of[k].cuts && !o->runs.on; c++)
            box->allow[k][c] =
                (cairn_interval){0, o->digits.of[k].zero >> c & 1 ? 0 : INT64_MAX};
    }
    for (int s = 0; s < o->positions.steps && !box->empty; s++)
        box->empty =
            !take_step(o, &o->positions.step[s], tuple[o->positions.step[s].f], box);
    for (int f = 0; o->positions.checks >> f && !box->empty; f++)
        if (o->positions.checks >> f & 1)
            box->empty =
                cairn_form_value(o->algebra, &o->group[f], box->base, none) != tuple[f];
    for (int k = 0; k < o->order && !box->empty; k++) {
        box->count[k] = 1;
        if (!(o->positions.open >> k & 1)) continue;
        box->count[k] = o->runs.on ? box->span[k].hi - box->span[k].lo + 1
                                   : cairn_group_box_count(o, box, k, box->allow[k]);
        if (box->count[k] <= 0) box->empty = true;
        if (__builtin_mul_overflow(box->size, box->count[k], &box->size))
            box->size = INT64_MAX;
    }
    if (box->empty) {
        box->size = 0;
        return;
    }
    box->plain = is_plain(o, box);
}

static int64_t digit_at(const cairn_digits *d, int c, int64_t value)
{
    return c + 1 < d->cuts ? value / d->cut[c] % (d->cut[c + 1] / d->cut[c])
                           : value / d->cut[c];
}

int64_t cairn_group_box_rank(const cairn_query_order *o,
                             const cairn_group_box   *box,
                             const cairn_coord       *d)
{
    cairn_interval allow[CAIRN_MAX_ORDER][CAIRN_MAX_CUTS];
    int64_t        all = box->size, rank = 0, count[CAIRN_MAX_ORDER];

    for (int k = 0; box->plain && k < o->digits.keys; k++) {
        const int dim = o->digits.key[k].dim;

        rank = rank * box->count[dim]
               + (o->digits.key[k].down ? box->span[dim].hi - d[dim]
                                        : d[dim] - box->span[dim].lo);
    }
    if (box->plain) return rank;
    memcpy(allow, box->allow, (size_t)o->order * sizeof *allow);
    memcpy(count, box->count, (size_t)o->order * sizeof *count);
    for (int k = 0; k < o->digits.keys; k++) {
        const cairn_group_key key  = o->digits.key[k];
        cairn_interval       *here = &allow[key.dim][key.digit];
        const int64_t digit  = digit_at(&o->digits.of[key.dim], key.digit, d[key.dim]);
        const int64_t others = all / count[key.dim];

        *here = key.down ? (cairn_interval){digit + 1, INT64_MAX}
                         : (cairn_interval){0, digit - 1};
        rank += others * cairn_group_box_count(o, box, key.dim, allow[key.dim]);
        *here          = (cairn_interval){digit, digit};
        count[key.dim] = cairn_group_box_count(o, box, key.dim, allow[key.dim]);
        all            = others * count[key.dim];
    }
    return rank;
}

int64_t cairn_group_box_digit(const cairn_query_order *o,
                              const cairn_group_box   *box,
                              cairn_group_key          key,
                              cairn_interval          *allow,
                              int64_t                  others,
                              int64_t                 *rank)
{
    const cairn_digits *d  = &o->digits.of[key.dim];
    const int64_t       hi = key.digit + 1 < d->cuts
                                 ? d->cut[key.digit + 1] / d->cut[key.digit] - 1
                                 : box->span[key.dim].hi / d->cut[key.digit];
    int64_t             lo = 0, up = hi, before = 0; /* steps from the first digit */

    while (lo < up) { /* the last number of steps with no more than rank before */
        const int64_t mid = lo + (up - lo + 1) / 2;

        allow[key.digit]    = key.down ? (cairn_interval){hi - mid + 1, INT64_MAX}
                                       : (cairn_interval){0, mid - 1};
        const int64_t below = others * cairn_group_box_count(o, box, key.dim, allow);

        if (below <= *rank) {
            lo     = mid;
            before = below;
        } else {
            up = mid - 1;
        }
    }
    *rank -= before;
    return key.down ? hi - lo : lo;
}

static void plain_at(const cairn_query_order *o,
                     const cairn_group_box   *box,
                     int64_t                  rank,
                     cairn_coord             *d)
{
    int64_t open[CAIRN_MAX_ORDER] = {0};

    for (int k = o->digits.keys; k-- > 0;) {
        const int     dim = o->digits.key[k].dim;
        const int64_t at  = k ? rank % box->count[dim] : rank;

        open[dim] =
            o->digits.key[k].down ? box->span[dim].hi - at : box->span[dim].lo + at;
        if (k) rank /= box->count[dim];
    }
    for (int k = 0; k < o->order; k++)
        d[k] = box->base[k] + o->positions.slope[k] * open[o->positions.on[k]];
}

void cairn_group_box_at(const cairn_query_order *o,
                        const cairn_group_box   *box,
                        int64_t                  rank,
                        cairn_coord             *d)
{
    cairn_interval allow[CAIRN_MAX_ORDER][CAIRN_MAX_CUTS];
    int64_t        all = box->size, count[CAIRN_MAX_ORDER], open[CAIRN_MAX_ORDER] = {0};

    if (box->plain) {
        plain_at(o, box, rank, d);
        return;
    }
    memcpy(allow, box->allow, (size_t)o->order * sizeof *allow);
    memcpy(count, box->count, (size_t)o->order * sizeof *count);
    for (int k = 0; k < o->digits.keys; k++) {
        const cairn_group_key key    = o->digits.key[k];
        const int64_t         others = all / count[key.dim];
        const int64_t         digit =
            cairn_group_box_digit(o, box, key, allow[key.dim], others, &rank);

        allow[key.dim][key.digit] = (cairn_interval){digit, digit};
        count[key.dim] = cairn_group_box_count(o, box, key.dim, allow[key.dim]);
        all            = others * count[key.dim];
    }
    for (int k = 0; k < o->order; k++)
        for (int c = 0; o->positions.open >> k & 1 && c < o->digits.of[k].cuts; c++)
            open[k] += allow[k][c].lo * o->digits.of[k].cut[c];
    for (int k = 0; k < o->order; k++)
        d[k] = box->base[k] + o->positions.slope[k] * open[o->positions.on[k]];
}

void cairn_group_box_place(const cairn_query_order *o,
                           const cairn_group_box   *box,
                           int64_t                  number,
                           cairn_coord             *d)
{
    int64_t open[CAIRN_MAX_ORDER] = {0};

    open[o->runs.along] =
        box->span[o->runs.along].lo + number % box->count[o->runs.along];
    number /= box->count[o->runs.along];
    for (int k = o->order; k-- > 0;) {
        if (!(o->positions.open >> k & 1) || k == o->runs.along) continue;
        open[k] = box->span[k].lo + number % box->count[k];
        number /= box->count[k];
    }
    for (int k = 0; k < o->order; k++)
        d[k] = box->base[k] + o->positions.slope[k] * open[o->positions.on[k]];
}

int64_t cairn_group_box_number(const cairn_query_order *o,
                               const cairn_group_box   *box,
                               const cairn_coord       *d)
{
    int64_t row = 0;

    for (int k = 0; k < o->order; k++)
        if (o->positions.open >> k & 1 && k != o->runs.along)
            row = row * box->count[k] + (d[k] - box->span[k].lo);
    return row * box->count[o->runs.along]
           + (d[o->runs.along] - box->span[o->runs.along].lo);
}

void cairn_group_box_first(const cairn_query_order *o,
                           const cairn_group_box   *box,
                           cairn_coord             *d)
{
    if (o->runs.on)
        cairn_group_box_place(o, box, 0, d);
    else
        cairn_group_box_at(o, box, 0, d);
}
