// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbering with a distance: an element gets the first number of its group that is free,
/// not below its start, nor nearer than the distance to the last one of its keys. What is
/// taken is kept as runs of numbers, in order.

#include "query/set.h"

/// Numbers of one group that are taken: begin .. end - 1, runs apart from each other.
typedef struct {
    int64_t n;
    struct run {
        int64_t begin, end;
    } * run; ///< [n]
} taken;

/// The first run that ends behind a number.
static int64_t find_run(const taken *t, int64_t number)
{
    int64_t lo = 0, hi = t->n;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (t->run[mid].end <= number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/// Take the first free number from @p from on.
static int64_t take(taken *t, int64_t from)
{
    int64_t at = find_run(t, from);

    if (at < t->n && t->run[at].begin <= from) from = t->run[at++].end;
    if (from == INT64_MAX) return from;

    const bool joins_last = at > 0 && t->run[at - 1].end == from;
    const bool joins_next = at < t->n && t->run[at].begin == from + 1;
    const int  more       = 1 - joins_last - joins_next;

    if (joins_last && joins_next) t->run[at - 1].end = t->run[at].end;
    if (joins_last && !joins_next) t->run[at - 1].end = from + 1;
    if (!joins_last && joins_next) t->run[at].begin = from;
    if (more)
        memmove(t->run + at + (more > 0), t->run + at + (more < 0),
                (size_t)(t->n - at - (more < 0)) * sizeof *t->run);
    if (more > 0) t->run[at] = (struct run){from, from + 1};
    t->n += more;
    return from;
}

static cairn_status overflow(cairn_env *env)
{
    return cairn_fail(env, CAIRN_OVERFLOW, "query: enum: a number leaves 64 bits");
}

/// Number the elements of one group. @p last: of each key, CAIRN_NO_NUMBER before its first.
static cairn_status number_group(cairn_env            *env,
                                 const cairn_distance *d,
                                 int64_t               g,
                                 int64_t              *last,
                                 taken                *t)
{
    t->n = 0;
    for (int64_t k = d->first[g]; k < d->first[g + 1]; k++) {
        const int64_t  p    = d->order[k];
        int64_t *const mine = &last[d->key[p]];
        int64_t        from = d->start[p], after;

        d->number[p] = CAIRN_NO_NUMBER;
        if (from == CAIRN_NO_NUMBER) continue;
        if (*mine != CAIRN_NO_NUMBER) {
            if (__builtin_add_overflow(*mine, d->distance, &after))
                return overflow(env);
            from = after > from ? after : from;
        }
        d->number[p] = *mine = take(t, from);
        if (*mine == INT64_MAX) return overflow(env);
    }
    return CAIRN_OK;
}

cairn_status cairn_distance_number(cairn_env *env, const cairn_distance *d)
{
    taken        t    = {.n = 0};
    int64_t     *last = NULL;
    cairn_status status;

    CAIRN_GO(done, CAIRN_NEW(env, d->keys, &last));
    CAIRN_GO(done, CAIRN_NEW(env, d->n + 1, &t.run));
    for (int64_t k = 0; k < d->keys; k++)
        last[k] = CAIRN_NO_NUMBER;
    cairn_visit(env, d->n);
    for (int64_t g = 0; g < d->groups; g++)
        CAIRN_GO(done, number_group(env, d, g, last, &t));
    status = CAIRN_OK;
done:
    cairn_free(env, last);
    cairn_free(env, t.run);
    return status;
}
