// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Making a group index: by counting where groups can be numbered by arithmetic, else by
/// sorting.

#include "groups/index.h"

#include "base/offsets.h"
#include "base/wide.h"
#include "entries/entries.h"
#include "format/columns.h"

#include <assert.h>
#include <string.h>

/* A dense array may have this many places for each element. */
enum { PLACES_PER_ELEMENT = 2, PLACES_ALWAYS = 4096 };

void cairn_group_index_fini(cairn_env *env, cairn_group_index *index)
{
    cairn_free(env, index->tuple);
    cairn_free(env, index->begin);
    cairn_free(env, index->order);
    cairn_free(env, index->dense);
    memset(index, 0, sizeof *index);
}

/// Do the groups of elements ascend, so that they stand group by group?
static bool stands_in_order(int64_t n, int width, const int64_t *const *value)
{
    for (int64_t p = 1; p < n; p++)
        for (int f = 0; f < width; f++) {
            if (value[f][p - 1] < value[f][p]) break;
            if (value[f][p - 1] > value[f][p]) return false;
        }
    return true;
}

/// Ranges of the values; false: their product is too much for an array.
static bool find_ranges(int64_t n, const int64_t *const *value, cairn_group_index *x)
{
    const int64_t most   = PLACES_PER_ELEMENT * n + PLACES_ALWAYS;
    int64_t       places = 1;

    if (most > UINT32_MAX) return false;
    for (int f = 0; f < x->width; f++) {
        const cairn_interval its =
            n > 0 ? cairn_columns_range(n, value[f]) : (cairn_interval){0, 0};

        x->lo[f] = its.lo;
        if (__builtin_sub_overflow(its.hi, its.lo, &x->size[f]) || x->size[f] >= most)
            return false;
        x->size[f]++;
        places *= x->size[f];
        if (places > most) return false;
    }
    return true;
}

static bool same_group(int width, const int64_t *const *value, int64_t p, int64_t q)
{
    for (int f = 0; f < width; f++)
        if (value[f][p] != value[f][q]) return false;
    return true;
}

/// Elements stand, or were put, group by group: where each begins, and its values.
static cairn_status list_groups(cairn_env            *env,
                                int64_t               n,
                                const int64_t *const *value,
                                cairn_group_index    *x)
{
    int64_t g = 0;

    x->groups = 0;
    for (int64_t k = 0; k < n; k++)
        x->groups +=
            k == 0
            || !same_group(x->width, value, cairn_group_index_element(x, k - 1),
                           cairn_group_index_element(x, k));
    CAIRN_TRY(CAIRN_NEW(env, x->groups + 1, &x->begin));
    CAIRN_TRY(CAIRN_NEW(env, x->groups * x->width + 1, &x->tuple));
    for (int64_t k = 0; k < n; k++) {
        const int64_t p = cairn_group_index_element(x, k);

        if (k > 0
            && same_group(x->width, value, cairn_group_index_element(x, k - 1), p))
            continue;
        x->begin[g] = k;
        for (int f = 0; f < x->width; f++)
            x->tuple[g * x->width + f] = value[f][p];
        g++;
    }
    x->begin[g] = n;
    assert(g == x->groups);
    return CAIRN_OK;
}

/* ---- dense ---- */

/// place = place * size + (value - lo); size 0: the first of the values.
CAIRN_WIDE static void add_value(int64_t        n,
                                 uint32_t       size,
                                 int64_t        lo,
                                 const int64_t *value,
                                 uint32_t *restrict place)
{
    for (int64_t p = 0; p < n && size == 0; p++)
        place[p] = (uint32_t)((uint64_t)value[p] - (uint64_t)lo);
    for (int64_t p = 0; p < n && size > 0; p++)
        place[p] = place[p] * size + (uint32_t)((uint64_t)value[p] - (uint64_t)lo);
}

/// Places of all elements, row-major, and how many elements each has; do they ascend?
static bool find_places(const cairn_group_index *x,
                        int64_t                  n,
                        const int64_t *const    *value,
                        uint32_t                *place,
                        uint32_t                *count)
{
    uint32_t before = 0;
    bool     ascend = true;

    if (x->width == 0) memset(place, 0, (size_t)n * sizeof *place);
    for (int f = 0; f < x->width; f++)
        add_value(n, f > 0 ? (uint32_t)x->size[f] : 0, x->lo[f], value[f], place);
    for (int64_t p = 0; p < n; p++) {
        ascend &= before <= place[p];
        before = place[p];
        count[before]++;
    }
    return ascend;
}

/// The next tuple of places, the last value fastest.
static void advance(const cairn_group_index *x, int64_t *tuple)
{
    for (int f = x->width - 1; f >= 0; f--) {
        if (tuple[f] - x->lo[f] + 1 < x->size[f]) {
            tuple[f]++;
            return;
        }
        tuple[f] = x->lo[f];
    }
}

/// Groups are the places that have elements; @p next: how many each has, and then where
/// they begin.
static cairn_status
list_places(cairn_env *env, int64_t places, uint32_t *next, cairn_group_index *x)
{
    int64_t tuple[CAIRN_MAX_LEVELS], g = 0, before = 0;

    x->groups = 0;
    for (int64_t s = 0; s < places; s++)
        x->groups += next[s] > 0;
    CAIRN_TRY(CAIRN_NEW(env, x->groups + 1, &x->begin));
    CAIRN_TRY(CAIRN_NEW(env, x->groups * x->width + 1, &x->tuple));
    CAIRN_TRY(CAIRN_NEW(env, places, &x->dense));
    memcpy(tuple, x->lo, sizeof tuple);
    for (int64_t s = 0; s < places; s++, advance(x, tuple)) {
        const uint32_t count = next[s];

        x->dense[s] = count ? g : -1;
        next[s]     = (uint32_t)before;
        if (count == 0) continue;
        for (int f = 0; f < x->width; f++)
            x->tuple[g * x->width + f] = tuple[f];
        x->begin[g++] = before;
        before += count;
    }
    x->begin[g] = before;
    assert(g == x->groups);
    return CAIRN_OK;
}

/// Group by group by counting, in the order in which elements stand.
static cairn_status count_places(cairn_env            *env,
                                 int64_t               n,
                                 const int64_t *const *value,
                                 int64_t               places,
                                 cairn_group_index    *x)
{
    uint32_t    *place, *next = NULL;
    bool         ascend;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW(env, n, &place));
    CAIRN_GO(done, CAIRN_NEW_ZERO(env, places, &next));
    ascend = find_places(x, n, value, place, next);
    CAIRN_GO(done, list_places(env, places, next, x));
    if (ascend) goto done;
    CAIRN_GO(done, CAIRN_NEW(env, n, &x->order));
    for (int64_t p = 0; p < n; p++)
        x->order[next[place[p]]++] = p;
done:
    cairn_free(env, next);
    cairn_free(env, place);
    return status;
}

static cairn_status
make(cairn_env *env, int64_t n, const int64_t *const *value, cairn_group_index *x)
{
    int64_t places = 1;

    cairn_visit(env, 4 * n);
    if (find_ranges(n, value, x)) {
        for (int f = 0; f < x->width; f++)
            places *= x->size[f];
        cairn_visit(env, 2 * places);
        return count_places(env, n, value, places, x);
    }
    if (!stands_in_order(n, x->width, value)) {
        CAIRN_TRY(CAIRN_NEW(env, n, &x->order));
        CAIRN_TRY(cairn_sort_order(env, n, x->width, value, x->order));
    }
    return list_groups(env, n, value, x);
}

cairn_status cairn_group_index_make(cairn_env            *env,
                                    int64_t               n,
                                    int                   width,
                                    const int64_t *const *value,
                                    cairn_group_index    *index)
{
    cairn_group_index  x      = {.width = width};
    const cairn_status status = make(env, n, value, &x);

    assert(width >= 0 && width <= CAIRN_MAX_LEVELS);
    assert(status != CAIRN_OK || cairn_begins_ascend(x.groups, x.begin, n));
    if (status == CAIRN_OK)
        *index = x;
    else
        cairn_group_index_fini(env, &x);
    return status;
}

cairn_status cairn_group_index_share(cairn_env               *env,
                                     int64_t                  n,
                                     const cairn_group_index *other,
                                     cairn_group_index       *index)
{
    cairn_group_index x = *other;

    assert(other->begin && other->begin[other->groups] == n); /* of the same elements */
    x.order = NULL; /* elements of a group are put in other orders */
    if (other->order) {
        CAIRN_TRY(CAIRN_NEW(env, n, &x.order));
        cairn_visit(env, n);
        memcpy(x.order, other->order, (size_t)n * sizeof *x.order);
    }
    cairn_hold(x.tuple);
    cairn_hold(x.begin);
    if (x.dense) cairn_hold(x.dense);
    *index = x;
    return CAIRN_OK;
}

static int64_t search(const cairn_group_index *x, const int64_t *tuple)
{
    int64_t lo = 0, hi = x->groups;

    while (lo < hi) {
        const int64_t  mid = lo + (hi - lo) / 2;
        const int64_t *at  = cairn_group_index_tuple(x, mid);
        int            f   = 0;

        while (f < x->width && at[f] == tuple[f])
            f++;
        if (f == x->width) return mid;
        if (at[f] < tuple[f])
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

int64_t cairn_group_index_find(const cairn_group_index *x, const int64_t *tuple)
{
    assert(x->begin); /* it was made */
    int64_t place = 0;

    if (!x->dense) return search(x, tuple);
    for (int f = 0; f < x->width; f++) {
        int64_t at;

        if (__builtin_sub_overflow(tuple[f], x->lo[f], &at) || at < 0
            || at >= x->size[f])
            return -1;
        place = place * x->size[f] + at;
    }
    return x->dense[place];
}
