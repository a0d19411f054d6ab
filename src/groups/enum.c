// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `enum`: elements of each group in key order, numbered by the cases of their `with`. Those
/// without an entry are not looked at: numbered apart, they only have a start; in one case
/// with others, an element's rank in its group says how many of them come before.

#include "entries/entries.h"
#include "groups/distance.h"
#include "groups/spread.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MOVES_PER_ELEMENT  = 8,    ///< Beyond these elements are sorted (a guess),
    MOVES_ALWAYS       = 4096, ///< but for so many, by which it is seen soon.
    PLACES_PER_ELEMENT = 2,    ///< That elements are counted by (a guess).
};

/* ---- in key order ---- */

/// Is the key the same for all elements of a group, or implied by the order in which they
/// stand?
static bool is_group_form(const cairn_group_query *s, const cairn_form *form)
{
    for (int f = 0; f < s->forms.group.count; f++)
        if (cairn_form_equal(&s->forms.group.form[f], form)) return true;
    return false;
}

cairn_status
cairn_groups_sort(cairn_groups *set, int q, int keys, const int64_t *const *key)
{
    cairn_group_query *s = &set->query[q];
    int64_t           *order;

    CAIRN_TRY(CAIRN_NEW(set->env, s->elements, &order));
    cairn_visit(set->env, s->elements);
    const cairn_status status =
        cairn_sort_order(set->env, s->elements, keys, key, order);

    if (status != CAIRN_OK) {
        cairn_free(set->env, order);
        return status;
    }
    cairn_free(set->env, s->index.order);
    s->index.order = order;
    return CAIRN_OK;
}

/// Does an element's key come behind another's? Keys from 1 on; ties do not.
static bool comes_behind(int keys, const int64_t *const *key, int64_t p, int64_t than)
{
    for (int k = 1; k < keys; k++)
        if (key[k][p] != key[k][than]) return key[k][p] > key[k][than];
    return false;
}

/// As insert_elements(), of one key and with a list.
static bool insert_by_one(cairn_groups *set, int q, const int64_t *key)
{
    const cairn_group_query *s     = &set->query[q];
    const cairn_group_index *x     = &s->index;
    int64_t *const           order = x->order;
    int64_t                  moves = MOVES_ALWAYS, done = 0;

    for (int64_t g = 0; g < x->groups && moves >= 0; g++) {
        const int64_t begin = x->begin[g], end = x->begin[g + 1];

        moves += MOVES_PER_ELEMENT * (end - begin);
        for (int64_t k = begin + 1; k < end && moves >= 0; k++) {
            const int64_t p = order[k], its = key[p];
            int64_t       at = k;

            for (; at > begin && key[order[at - 1]] > its; at--)
                order[at] = order[at - 1];
            order[at] = p;
            moves -= k - at;
            done += k - at;
        }
    }
    cairn_visit(set->env, s->elements + done);
    return moves >= 0;
}

/// Put the elements of each group in key order by insertion; false: that takes more than
/// some moves an element, or there is no list of them to move in.
static bool
insert_elements(cairn_groups *set, int q, int keys, const int64_t *const *key)
{
    const cairn_group_query *s     = &set->query[q];
    const cairn_group_index *x     = &s->index;
    int64_t                  moves = MOVES_ALWAYS, done = 0;

    if (keys == 2 && x->order) return insert_by_one(set, q, key[1]);
    for (int64_t g = 0; g < x->groups && moves >= 0; g++) {
        moves += MOVES_PER_ELEMENT * (x->begin[g + 1] - x->begin[g]);
        for (int64_t k = x->begin[g] + 1; k < x->begin[g + 1] && moves >= 0; k++) {
            const int64_t p  = cairn_group_index_element(x, k);
            int64_t       at = k;

            while (
                at > x->begin[g] && moves >= 0
                && comes_behind(keys, key, cairn_group_index_element(x, at - 1), p)) {
                if (!x->order) return false;
                x->order[at] = x->order[at - 1];
                at--;
                moves--;
                done++;
            }
            if (at < k) x->order[at] = p;
        }
    }
    cairn_visit(set->env, s->elements + done);
    return moves >= 0;
}

/// The same where elements stand group by group: they may stand in order, too.
static cairn_status insert_standing(cairn_groups         *set,
                                    int                   q,
                                    int                   keys,
                                    const int64_t *const *key,
                                    bool                 *put)
{
    cairn_group_query *s = &set->query[q];

    *put = insert_elements(set, q, keys, key);
    if (*put || s->index.order) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements, &s->index.order));
    for (int64_t p = 0; p < s->elements; p++)
        s->index.order[p] = p;
    *put = insert_elements(set, q, keys, key);
    return CAIRN_OK;
}

/// Where the keys of each group's elements begin, and how many values lie between the least
/// and the largest of a group at most; 0: more than @p most.
static int64_t
find_least(const cairn_group_index *x, const int64_t *key, int64_t most, int64_t *least)
{
    int64_t width = 0, its;

    for (int64_t g = 0; g < x->groups && width <= most; g++) {
        int64_t lo = INT64_MAX, hi = INT64_MIN;

        for (int64_t k = x->begin[g]; k < x->begin[g + 1]; k++) {
            const int64_t value = key[cairn_group_index_element(x, k)];

            lo = value < lo ? value : lo;
            hi = value > hi ? value : hi;
        }
        least[g] = lo;
        if (__builtin_sub_overflow(hi, lo, &its) || its >= most) return 0;
        width = its + 1 > width ? its + 1 : width;
    }
    return width <= most ? width : 0;
}

/// Put the elements of each group in the order of one key by counting, where the values of
/// a group lie so near to each other that places for all are few.
static cairn_status
count_elements(cairn_groups *set, int q, const int64_t *key, bool *put)
{
    cairn_group_query       *s = &set->query[q];
    const cairn_group_index *x = &s->index;
    const int64_t            n = s->elements;
    int64_t                 *least, *order = NULL, before = 0;
    uint32_t                *next = NULL;
    cairn_status             status;

    *put = false;
    if (n >= UINT32_MAX / PLACES_PER_ELEMENT || n < MOVES_PER_ELEMENT * x->groups)
        return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, x->groups, &least));
    cairn_visit(set->env, n);
    const int64_t width = find_least(x, key, PLACES_PER_ELEMENT * n / x->groups, least);

    status = CAIRN_OK;
    if (width == 0) goto done;
    CAIRN_GO(done, CAIRN_NEW_ZERO(set->env, x->groups * width, &next));
    CAIRN_GO(done, CAIRN_NEW(set->env, n, &order));
    cairn_visit(set->env, 2 * n + x->groups * width);
    for (int64_t g = 0; g < x->groups; g++)
        for (int64_t k = x->begin[g]; k < x->begin[g + 1]; k++)
            next[g * width + (key[cairn_group_index_element(x, k)] - least[g])]++;
    for (int64_t place = 0; place < x->groups * width; place++) {
        const uint32_t count = next[place];

        next[place] = (uint32_t)before;
        before += count;
    }
    for (int64_t g = 0; g < x->groups; g++)
        for (int64_t k = x->begin[g]; k < x->begin[g + 1]; k++) {
            const int64_t p = cairn_group_index_element(x, k);

            order[next[g * width + (key[p] - least[g])]++] = p;
        }
    cairn_free(set->env, s->index.order);
    s->index.order = order;
    *put           = true;
done:
    cairn_free(set->env, next);
    cairn_free(set->env, least);
    return status;
}

/// Does a key ascend as elements stand? Behind all others it changes nothing: groups list
/// elements as they stand, and no way of putting them in order swaps two that are alike.
static bool ascends_standing(int64_t n, const int64_t *key)
{
    int64_t p = 1;

    while (p < n && key[p - 1] <= key[p])
        p++;
    return p >= n;
}

/// Put the elements of every group in key order. They stand by number already.
static cairn_status order_elements(cairn_groups *set, int q)
{
    cairn_group_query *s                        = &set->query[q];
    cairn_group_column column[CAIRN_MAX_LEVELS] = {{.own = NULL}};
    const int64_t     *key[CAIRN_MAX_LEVELS + 1];
    int                keys = 1;
    bool               put;
    cairn_status       status = CAIRN_OK;

    for (int f = 0; f < s->forms.traverse.count; f++) {
        if (is_group_form(s, &s->forms.traverse.form[f])) continue;
        CAIRN_GO(done, cairn_groups_column(set, q, &s->forms.traverse.form[f],
                                           &column[keys]));
        key[keys] = column[keys].data;
        keys++;
    }
    while (keys > 1 && ascends_standing(s->elements, key[keys - 1]))
        keys--;
    if (keys == 1) goto done;
    put = false;
    if (keys == 2) CAIRN_GO(done, count_elements(set, q, key[1], &put));
    if (!put) CAIRN_GO(done, insert_standing(set, q, keys, key, &put));
    if (put) goto done;
    CAIRN_GO(done, cairn_groups_of(set, q, &key[0]));
    status = cairn_groups_sort(set, q, keys, key);
done:
    for (int k = 0; k < CAIRN_MAX_LEVELS; k++)
        cairn_free(set->env, column[k].own);
    return status;
}

/* ---- elements without an entry, of one group ---- */

/// What numbers elements of one group without an entry.
typedef struct {
    int             arm; ///< -1: they have no numbers.
    int64_t         start;
    bool            shared; ///< Elements with an entry are in the same case: by rank.
    cairn_group_box box;
    cairn_line_runs runs;
} rest;

/// Without numbers, as long as find_rest() finds none. The box and runs, which are 5 KB,
/// are enter_group()'s to write: clearing them would cost more than all else in a group.
static void init_rest(rest *r)
{
    r->arm      = -1;
    r->start    = CAIRN_NO_NUMBER;
    r->shared   = false;
    r->runs.env = NULL;
}

/// Their case and start, where it is one for the group.
static cairn_status find_rest(cairn_groups *set, int q, int64_t g, rest *r)
{
    cairn_group_query *s     = &set->query[q];
    const int          start = (int)s->rest.start.value;
    cairn_coord        d[CAIRN_MAX_ORDER];

    if (s->spread.rest_arm
        && !s->spread.crossing) { /* those of other ranks' elements */
        r->arm   = s->spread.rest_arm[g];
        r->start = s->spread.rest_start[g];
        return CAIRN_OK;
    }
    r->arm = s->rest.one ? s->rest.arm : -1;
    r->start =
        s->rest.start.kind == CAIRN_START_CONST ? s->rest.start.value : CAIRN_NO_NUMBER;
    if (s->rest.one && s->rest.start.kind != CAIRN_START_QUERY) return CAIRN_OK;
    if (s->rest.one && !set->spread
        && cairn_group_index_is_shared(&set->query[start].index, &s->index)) {
        r->start = set->query[start].total[g]; /* only sums share their groups */
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_groups_position(
        set, q, cairn_group_index_element(&s->index, s->index.begin[g]), d));
    if (!s->rest.one) return cairn_groups_rest_of_none(set, q, d, &r->arm, &r->start);
    return cairn_groups_value(set, start, d, &r->start);
}

static bool
shares(const cairn_group_index *x, const cairn_group_starts *starts, int64_t g, int arm)
{
    if (starts->one) return starts->one_arm == arm;
    for (int64_t k = x->begin[g]; k < x->begin[g + 1]; k++)
        if (starts->arm[cairn_group_index_element(x, k)] == arm) return true;
    return false;
}

static cairn_status enter_group(cairn_groups *set, int q, int64_t g, rest *r)
{
    const cairn_group_query *s = &set->query[q];

    cairn_group_box_enter(&s->forms.order, cairn_group_index_tuple(&s->index, g),
                          &r->box);
    if (!s->forms.order.runs.on || r->box.empty) return CAIRN_OK;
    return cairn_line_runs_init(set->env, &s->forms.order, &r->box, &r->runs);
}

static void leave_group(const cairn_groups *set, int q, rest *r)
{
    if (set->query[q].forms.order.runs.on && r->runs.env)
        cairn_line_runs_fini(&r->runs);
}

static cairn_status
rank_of(cairn_groups *set, int q, const rest *r, int64_t p, int64_t *rank)
{
    const cairn_query_order *order = &set->query[q].forms.order;
    cairn_coord              d[CAIRN_MAX_ORDER];

    CAIRN_TRY(cairn_groups_position(set, q, p, d));
    *rank = order->runs.on ? cairn_line_runs_rank(&r->runs, d)
                           : cairn_group_box_rank(order, &r->box, d);
    return CAIRN_OK;
}

/* ---- numbering ---- */

static cairn_status overflow(cairn_groups *set)
{
    return cairn_fail(set->env, CAIRN_OVERFLOW, "query: enum: a number leaves 64 bits");
}

static cairn_status several_starts(cairn_groups *set)
{
    return cairn_fail(
        set->env, CAIRN_BAD_QUERY,
        "query: enum: a class of elements of one group has several starts");
}

/// Number elements of a group by case, each from its start.
static cairn_status number_group(cairn_groups             *set,
                                 int                       q,
                                 const cairn_group_starts *starts,
                                 int64_t                   g,
                                 const rest               *r)
{
    cairn_group_query       *s = &set->query[q];
    const cairn_group_index *x = &s->index;
    int64_t  next[CAIRN_MAX_CASES + 1], start[CAIRN_MAX_CASES + 1], others = 0, rank;
    uint32_t begun = 0;

    for (int64_t k = x->begin[g]; k < x->begin[g + 1]; k++) {
        const int64_t p    = cairn_group_index_element(x, k);
        const int     arm  = cairn_group_starts_arm(starts, p);
        const int64_t from = cairn_group_starts_at(starts, p);

        if (!(begun >> arm & 1)) next[arm] = start[arm] = from;
        begun |= 1U << arm;
        if (start[arm] != from) return several_starts(set);
        s->enumerated.number[p] = from == CAIRN_NO_NUMBER ? from : next[arm];
        if (r->shared && arm == r->arm && from != CAIRN_NO_NUMBER) {
            if (from != r->start && r->box.size > x->begin[g + 1] - x->begin[g])
                return several_starts(set);
            CAIRN_TRY(rank_of(set, q, r, p, &rank));
            if (__builtin_add_overflow(from, rank - others, &s->enumerated.number[p]))
                return overflow(set);
            continue;
        }
        others++;
        if (from != CAIRN_NO_NUMBER && __builtin_add_overflow(next[arm], 1, &next[arm]))
            return overflow(set);
    }
    return CAIRN_OK;
}

/// All elements count from one constant, apart from those without an entry.
static cairn_status number_uniformly(cairn_groups *set, int q, int64_t start)
{
    cairn_group_query       *s = &set->query[q];
    const cairn_group_index *x = &s->index;
    int64_t                  end;

    for (int64_t g = 0; g < x->groups; g++) {
        const int64_t begin = x->begin[g], n = x->begin[g + 1] - begin;

        if (__builtin_add_overflow(start, n, &end)) return overflow(set);
        for (int64_t k = 0; k < n && !x->order; k++)
            s->enumerated.number[begin + k] = start + k;
        for (int64_t k = 0; k < n && x->order; k++)
            s->enumerated.number[x->order[begin + k]] = start + k;
    }
    s->enumerated.in_turn = !set->spread;
    s->enumerated.from    = start;
    return CAIRN_OK;
}

/// Where elements without an entry begin in all groups, if that is one constant or the
/// totals of a sum that has the same groups; false: it is neither.
static bool number_rests(cairn_groups *set, int q)
{
    cairn_group_query       *s     = &set->query[q];
    const cairn_start       *start = &s->rest.start;
    const cairn_group_query *sum =
        start->kind == CAIRN_START_QUERY ? &set->query[start->value] : NULL;

    if (set->spread || !s->rest.one
        || (sum && !cairn_group_index_is_shared(&sum->index, &s->index)))
        return false;
    for (int64_t g = 0; g < s->index.groups; g++)
        s->enumerated.rest_start[g] = sum ? sum->total[g] : start->value;
    return true;
}

/// Keep what tells elements that are numbered with those without an entry from the others.
static cairn_status
keep_shared(cairn_groups *set, int q, const cairn_group_starts *starts)
{
    cairn_group_query *s = &set->query[q];

    if (s->enumerated.rest_arm) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, s->index.groups, &s->enumerated.rest_arm));
    memset(s->enumerated.rest_arm, 0xff, (size_t)s->index.groups);
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements, &s->enumerated.arm));
    for (int64_t p = 0; p < s->elements; p++)
        s->enumerated.arm[p] = (uint8_t)cairn_group_starts_arm(starts, p);
    return CAIRN_OK;
}

/// Keep for the rank that numbers the group what numbers its elements without an entry.
static cairn_status keep_rest(cairn_groups *set, int q, int64_t g)
{
    cairn_group_query *s = &set->query[q];
    rest               r;

    if (!s->enumerated.rest_start) return CAIRN_OK;
    init_rest(&r);
    CAIRN_TRY(find_rest(set, q, g, &r));
    s->enumerated.rest_start[g] = CAIRN_NO_NUMBER;
    s->spread.rest_arm[g]       = r.arm;
    s->spread.rest_start[g]     = r.start;
    return CAIRN_OK;
}

static cairn_status number_one(cairn_groups             *set,
                               int                       q,
                               const cairn_group_starts *starts,
                               int64_t                   g,
                               bool                      only_rest)
{
    cairn_group_query *s = &set->query[q];
    rest               r;

    init_rest(&r);
    if (s->spread.crossing && s->spread.crossing[g]) return keep_rest(set, q, g);
    if (s->enumerated.rest_start) {
        CAIRN_TRY(find_rest(set, q, g, &r));
        s->enumerated.rest_start[g] = r.start;
        r.shared = r.start != CAIRN_NO_NUMBER && shares(&s->index, starts, g, r.arm);
    }
    if (r.shared) {
        CAIRN_TRY(keep_shared(set, q, starts));
        s->enumerated.rest_arm[g] = (uint8_t)r.arm;
        CAIRN_TRY(enter_group(set, q, g, &r));
    }
    const cairn_status status =
        only_rest ? CAIRN_OK : number_group(set, q, starts, g, &r);

    if (r.shared) leave_group(set, q, &r);
    return status;
}

cairn_status
cairn_groups_number(cairn_groups *set, int q, const cairn_group_starts *starts)
{
    cairn_group_query *s     = &set->query[q];
    const bool         rests = !s->rest.one || s->rest.start.kind != CAIRN_START_NONE;
    /* apart from those without an entry, from one constant */
    const bool uniform = starts->one && starts->one_start != CAIRN_NO_NUMBER
                         && (!rests || (s->rest.one && s->rest.arm != starts->one_arm));

    assert(s->enumerated.number && !s->enumerated.rest_start);
    if (rests)
        CAIRN_TRY(CAIRN_NEW(set->env, s->index.groups, &s->enumerated.rest_start));
    if (s->spread.crosses && rests) {
        CAIRN_TRY(CAIRN_NEW(set->env, s->index.groups, &s->spread.rest_arm));
        CAIRN_TRY(CAIRN_NEW(set->env, s->index.groups, &s->spread.rest_start));
    }
    cairn_visit(set->env, s->index.groups + s->elements);
    if (uniform) CAIRN_TRY(number_uniformly(set, q, starts->one_start));
    if (uniform && (!rests || number_rests(set, q))) return CAIRN_OK;
    for (int64_t g = 0; g < s->index.groups; g++)
        CAIRN_TRY(number_one(set, q, starts, g, uniform));
    return CAIRN_OK;
}

/* ---- with a distance ---- */

static cairn_status
number_distance(cairn_groups *set, int q, const cairn_group_starts *starts)
{
    cairn_group_query *s                    = &set->query[q];
    cairn_group_column by[CAIRN_MAX_LEVELS] = {{.own = NULL}};
    cairn_numbering    b                    = {.n         = s->elements,
                                               .groups    = s->index.groups,
                                               .start     = starts->start,
                                               .one_start = starts->one_start,
                                               .distance  = s->query->distance,
                                               .bys       = s->forms.by.count,
                                               .number    = s->enumerated.number,
                                               .order     = s->index.order,
                                               .first     = s->index.begin};
    cairn_status       status;

    assert(s->query->distance > 0);
    for (int f = 0; f < s->forms.by.count; f++) {
        CAIRN_GO(done, cairn_groups_column(set, q, &s->forms.by.form[f], &by[f]));
        b.by[f] = by[f].data;
    }
    status = cairn_number_distance(set->env, &b);
done:
    for (int f = 0; f < CAIRN_MAX_LEVELS; f++)
        cairn_free(set->env, by[f].own);
    return status;
}

/* ---- no two elements of one number ---- */

static cairn_status refuse(cairn_groups *set, int q, int64_t g, int64_t number)
{
    const cairn_group_index *x = &set->query[q].index;
    char                     text[32], tuple[32 * CAIRN_MAX_LEVELS] = "";

    for (int f = 0, at = 0; f < x->width; f++)
        at += snprintf(tuple + at, sizeof tuple - (size_t)at, "%s%" PRId64,
                       f ? "," : "", cairn_group_index_tuple(x, g)[f]);
    return cairn_fail(set->env, CAIRN_BAD_QUERY,
                      "query: %s: two elements of group (%s) get the number %" PRId64,
                      cairn_groups_label(set, q, text), tuple, number);
}

static bool ascends(const cairn_group_query *s)
{
    const cairn_group_index *x = &s->index;

    for (int64_t g = 0; g < x->groups; g++)
        for (int64_t k = x->begin[g] + 1; k < x->begin[g + 1]; k++)
            if (s->enumerated.number[cairn_group_index_element(x, k - 1)]
                >= s->enumerated.number[cairn_group_index_element(x, k)])
                return false;
    return true;
}

static cairn_status sort_by_number(cairn_groups *set, int q)
{
    cairn_group_query *s = &set->query[q];
    const int64_t     *key[2];
    int64_t           *order;

    key[1] = s->enumerated.number;
    CAIRN_TRY(cairn_groups_of(set, q, &key[0]));
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements, &order));
    const cairn_status status = cairn_sort_order(set->env, s->elements, 2, key, order);

    if (status != CAIRN_OK) {
        cairn_free(set->env, order);
        return status;
    }
    s->enumerated.by_number = order;
    for (int64_t g = 0; g < s->index.groups; g++)
        for (int64_t k = s->index.begin[g] + 1; k < s->index.begin[g + 1]; k++) {
            const int64_t number = s->enumerated.number[s->enumerated.by_number[k]];

            if (number != CAIRN_NO_NUMBER
                && number == s->enumerated.number[s->enumerated.by_number[k - 1]])
                return refuse(set, q, g, number);
        }
    return CAIRN_OK;
}

/// Are the numbers of elements with an entry before those of the others, or are there none
/// of these?
static inline bool rest_is_behind(const cairn_group_query *s, int64_t g)
{
    const int64_t from = s->enumerated.rest_start[g];

    return from == CAIRN_NO_NUMBER
           || s->enumerated.number[cairn_groups_by_number(s, s->index.begin[g + 1] - 1)]
                  < from;
}

/// Does an element that is not numbered with those without an entry get a number of theirs?
static cairn_status check_rest(cairn_groups *set, int q, int64_t g)
{
    const cairn_group_query *s     = &set->query[q];
    const cairn_group_index *x     = &s->index;
    const int64_t            from  = s->enumerated.rest_start[g];
    int64_t                  least = CAIRN_NO_NUMBER, others = 0, room;
    cairn_group_box          box;

    for (int64_t k = x->begin[g]; k < x->begin[g + 1]; k++) {
        const int64_t p      = cairn_group_index_element(x, k),
                      number = s->enumerated.number[p];

        if (s->enumerated.rest_arm && s->enumerated.arm[p] == s->enumerated.rest_arm[g])
            continue;
        others++;
        if (number >= from && (least == CAIRN_NO_NUMBER || number < least))
            least = number;
    }
    if (least == CAIRN_NO_NUMBER || __builtin_sub_overflow(least, from, &room))
        return CAIRN_OK;
    cairn_group_box_enter(&s->forms.order, cairn_group_index_tuple(x, g), &box);
    if (box.size == x->begin[g + 1] - x->begin[g]) return CAIRN_OK; /* there are none */
    return room < box.size - others ? refuse(set, q, g, least) : CAIRN_OK;
}

cairn_status cairn_groups_find_numbers(cairn_groups *set, int q)
{
    cairn_group_query *s = &set->query[q];

    if (!s->enumerated.later) return CAIRN_OK;
    cairn_visit(set->env, s->elements + s->index.groups);
    if (!ascends(s)) CAIRN_TRY(sort_by_number(set, q));
    s->enumerated.later = false;
    return CAIRN_OK;
}

cairn_status cairn_groups_check(cairn_groups *set, int q)
{
    cairn_group_query *s = &set->query[q];

    if (s->query->distance) { /* an element gets what no other of its group has */
        s->enumerated.later = true;
        return CAIRN_OK;
    }
    cairn_visit(set->env, 2 * (s->elements + s->index.groups));
    assert(!s->enumerated.in_turn || ascends(s));
    if (!s->enumerated.in_turn && !ascends(s)) CAIRN_TRY(sort_by_number(set, q));
    for (int64_t g = 0; s->enumerated.rest_start && g < s->index.groups; g++)
        if (!rest_is_behind(s, g)) CAIRN_TRY(check_rest(set, q, g));
    return CAIRN_OK;
}

cairn_status cairn_groups_enum(cairn_groups *set, int q)
{
    cairn_group_query *s      = &set->query[q];
    cairn_group_starts starts = {.one = false};
    cairn_status       status;

    assert(s->query->func == CAIRN_QUERY_ENUM && s->index.begin);
    assert(!s->enumerated.number);
    if (!s->query->distance) CAIRN_GO(done, cairn_groups_find_crossing(set, q));
    CAIRN_GO(done, cairn_group_starts_find(set, q, &starts));
    CAIRN_GO(done, order_elements(set, q));
    CAIRN_GO(done, CAIRN_NEW(set->env, s->elements, &s->enumerated.number));
    CAIRN_GO(done, s->query->distance ? number_distance(set, q, &starts)
                                      : cairn_groups_number(set, q, &starts));
    if (s->spread.crosses) CAIRN_GO(done, cairn_groups_share_enum(set, q, &starts));
    status = cairn_groups_check(set, q);
done:
    cairn_group_starts_fini(set->env, &starts);
    return status;
}

/* ---- elements that are skipped ---- */

cairn_status cairn_groups_find_skips(cairn_groups *set, int q, int64_t g)
{
    cairn_group_query       *s      = &set->query[q];
    const cairn_group_index *x      = &s->index;
    int64_t                  n      = 0;
    cairn_status             status = CAIRN_OK;
    rest                     r;

    if (!s->enumerated.skip) {
        int64_t *skips;

        CAIRN_TRY(CAIRN_NEW(set->env, x->groups, &skips));
        memset(skips, 0xff, (size_t)x->groups * sizeof *skips);
        cairn_visit(set->env, x->groups);
        s->enumerated.skips = skips;
        CAIRN_TRY(CAIRN_NEW(set->env, s->elements, &s->enumerated.skip));
    }
    if (s->enumerated.skips[g] >= 0) return CAIRN_OK;
    init_rest(&r);
    CAIRN_TRY(enter_group(set, q, g, &r));
    cairn_visit(set->env, x->begin[g + 1] - x->begin[g]);
    for (int64_t k = x->begin[g]; k < x->begin[g + 1] && status == CAIRN_OK; k++) {
        const int64_t p = cairn_group_index_element(x, k);

        if (s->enumerated.rest_arm && s->enumerated.arm[p] == s->enumerated.rest_arm[g])
            continue;
        status = rank_of(set, q, &r, p, &s->enumerated.skip[x->begin[g] + n++]);
    }
    leave_group(set, q, &r);
    if (status == CAIRN_OK) s->enumerated.skips[g] = n;
    return status;
}
