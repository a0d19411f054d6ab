// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The elements that a query looks at, and the groups they are in.

#include "query/columns.h"

#include <string.h>

/* A table of slots may be this much larger than what is entered, so that rows of a
 * matrix with few entries still get computed slots. */
enum { SLOTS_PER_ELEMENT = 4, SLOTS_ALWAYS = 1 << 16 };

/// The position of every element of a box, and which entry it has: both in id order.
static cairn_status box_elements(cairn_query_set *set, cairn_elements *elements)
{
    const int64_t positions = cairn_box_points(set->box, set->order, UINT32_MAX);

    CAIRN_TRY(
        cairn_check_room(set->env, "positions of a query", (__int128)positions * 40));
    if (positions > INT64_MAX / 64) /* also without a limit */
        return cairn_fail(set->env, CAIRN_NO_MEMORY,
                          "query: the positions of the tensor are too many to list");
    CAIRN_TRY(CAIRN_NEW(set->env, positions, &elements->entry));
    elements->kind = CAIRN_ELEMENTS_BOX;
    elements->n    = positions;
    cairn_visit(set->env, positions + set->entries->n);
    memset(elements->entry, 0xff, (size_t)positions * sizeof *elements->entry);
    for (int64_t p = 0; p < set->entries->n; p++) {
        cairn_coord d[CAIRN_MAX_ORDER];

        for (int k = 0; k < set->order; k++)
            d[k] = set->entries->coord[k][p];
        elements->entry[cairn_box_number(set, d)] = p;
    }
    return CAIRN_OK;
}

cairn_status
cairn_elements_of(cairn_query_set *set, int q, bool all, cairn_elements *elements)
{
    const int arg = set->state[q].query->arg;

    if (arg < 0 && all) return box_elements(set, elements);
    if (arg < 0) {
        *elements =
            (cairn_elements){.kind = CAIRN_ELEMENTS_ENTRIES, .n = set->entries->n};
        return CAIRN_OK;
    }
    if (all) CAIRN_TRY(cairn_query_list(set, arg));
    *elements = (cairn_elements){
        .kind = CAIRN_ELEMENTS_GROUPS,
        .q    = arg,
        .n    = all ? set->state[arg].groups.n : set->state[arg].touched,
    };
    return CAIRN_OK;
}

int cairn_form_plain_dim(const cairn_query_set *set, const cairn_form *form)
{
    const bool plain = form->constant == 0 && form->terms == 1
                       && form->term[0].factor == 1 && form->term[0].atom < set->order;

    return plain ? form->term[0].atom : -1;
}

/// Let slots be computed where the groups' ranges are known and small.
static cairn_status use_ranges(cairn_query_set *set, cairn_query_state *s)
{
    cairn_interval range[CAIRN_MAX_WIDTH];

    cairn_tuples_init(&s->groups, s->group.count);
    if (s->group.queries) return CAIRN_OK;
    for (int f = 0; f < s->group.count; f++)
        CAIRN_TRY(cairn_form_range(set->algebra, &s->group.form[f], set->global, NULL,
                                   &range[f]));
    return cairn_tuples_use_ranges(set->env, &s->groups, range,
                                   SLOTS_PER_ELEMENT * s->elements.n + SLOTS_ALWAYS);
}

/// Entering the groups of elements, chunk by chunk.
typedef struct {
    cairn_query_set   *set;
    cairn_query_state *s;
    bool               runs;     ///< Every group so far was a run of entries.
    int64_t            capacity; ///< Of begin.
    int64_t            group;    ///< Of the element before.
    int64_t            last[CAIRN_MAX_LEVELS]; ///< Its values.
    cairn_reader       reader[CAIRN_MAX_LEVELS];
    const int64_t     *value[CAIRN_MAX_LEVELS]; ///< Of the chunk.
    int64_t            buffer[CAIRN_MAX_LEVELS][CAIRN_CHUNK];
    bool               differs[CAIRN_CHUNK]; ///< From the element before.
    int64_t            slot[CAIRN_CHUNK];    ///< Of its tuple, if slots are computed.
} entering;

static cairn_status read_chunk(entering *e, int64_t begin, int n)
{
    memset(e->differs, 0, (size_t)n);
    e->differs[0] = begin == 0;
    for (int f = 0; f < e->s->group.count; f++) {
        const int64_t *value;

        CAIRN_TRY(
            cairn_reader_read(&e->reader[f], begin, n, e->buffer[f], &e->value[f]));
        value         = e->value[f];
        e->differs[0] = e->differs[0] || value[0] != e->last[f];
        for (int k = 1; k < n; k++)
            e->differs[k] |= value[k] != value[k - 1];
        e->last[f] = value[n - 1];
    }
    if (e->s->groups.direct) cairn_tuples_slots(&e->s->groups, n, e->value, e->slot);
    return CAIRN_OK;
}

/// A group came back: from here on every element has its group's number.
static cairn_status leave_runs(entering *e, int64_t p)
{
    cairn_query_state *s = e->s;

    CAIRN_TRY(CAIRN_NEW(e->set->env, s->elements.n, &s->group_of));
    cairn_visit(e->set->env, p);
    for (int64_t g = 0, k = 0; k < p; k++) {
        g              = g + 1 < s->groups.n && s->begin[g + 1] == k ? g + 1 : g;
        s->group_of[k] = g;
    }
    cairn_free(e->set->env, s->begin);
    s->begin = NULL;
    e->runs  = false;
    return CAIRN_OK;
}

static cairn_status begin_run(entering *e, int64_t g, int64_t p)
{
    if (g >= e->capacity) {
        const int64_t more = e->capacity + e->capacity / 2 + CAIRN_CHUNK;

        CAIRN_TRY(cairn_realloc(e->set->env, more, sizeof *e->s->begin,
                                (void **)&e->s->begin));
        e->capacity = more;
    }
    e->s->begin[g] = p;
    return CAIRN_OK;
}

/// Is the group at the slot known, and of the same first integer where that counts?
static bool is_known(const entering *e, int k)
{
    const cairn_tuples *groups = &e->s->groups;

    return groups->direct && groups->slot[e->slot[k]] >= groups->base
           && (groups->from == 0
               || e->value[0][k] == cairn_tuples_at(groups, groups->n - 1)[0]);
}

/// A group, perhaps new, begins at element @p p, number @p k of the chunk.
static cairn_status enter_group(entering *e, int64_t p, int k)
{
    cairn_tuples *groups = &e->s->groups;
    const int64_t known  = groups->n;
    int64_t       tuple[CAIRN_MAX_WIDTH];

    if (!e->runs && is_known(e, k)) {
        e->group = groups->slot[e->slot[k]];
        return CAIRN_OK;
    }

    for (int f = 0; f < groups->width; f++)
        tuple[f] = e->value[f][k];
    if (e->runs) {
        CAIRN_TRY(begin_run(e, known, p)); /* there must be room if it is new */
        CAIRN_TRY(cairn_tuples_add(e->set->env, groups, tuple, &e->group));
        return e->group < known ? leave_runs(e, p) : CAIRN_OK;
    }
    return cairn_tuples_add(e->set->env, groups, tuple, &e->group);
}

static cairn_status enter_chunk(entering *e, int64_t begin, int n)
{
    CAIRN_TRY(read_chunk(e, begin, n));
    cairn_visit(e->set->env, 2 * (int64_t)n);
    for (int k = 0; k < n; k++) {
        if (e->differs[k]) CAIRN_TRY(enter_group(e, begin + k, k));
        if (!e->runs) e->s->group_of[begin + k] = e->group;
    }
    return CAIRN_OK;
}

static cairn_status enter_all(entering *e)
{
    cairn_query_set   *set = e->set;
    cairn_query_state *s   = e->s;

    e->runs = s->elements.kind == CAIRN_ELEMENTS_ENTRIES;
    if (!e->runs) CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &s->group_of));
    for (int f = 0; f < s->group.count; f++)
        cairn_reader_init(set, &s->elements, &s->group, f, &e->reader[f]);
    cairn_tuples_expect_ascending(&s->groups);
    for (int64_t p = 0; p < s->elements.n; p += CAIRN_CHUNK) {
        const int64_t left = s->elements.n - p;

        CAIRN_TRY(enter_chunk(e, p, (int)(left < CAIRN_CHUNK ? left : CAIRN_CHUNK)));
    }
    if (e->runs) CAIRN_TRY(begin_run(e, s->groups.n, s->elements.n));
    return set->groups_only ? CAIRN_OK : cairn_tuples_seal(set->env, &s->groups);
}

/* ---- groups that are known ---- */

static bool same_map(const cairn_query_map *a, const cairn_query_map *b)
{
    bool same = a->count == b->count;

    for (int f = 0; same && f < a->count; f++)
        same = cairn_form_equal(&a->form[f], &b->form[f]);
    return same;
}

static bool same_elements(const cairn_elements *a, const cairn_elements *b)
{
    return a->kind == b->kind && a->n == b->n && a->kind != CAIRN_ELEMENTS_BOX
           && (a->kind == CAIRN_ELEMENTS_ENTRIES || a->q == b->q);
}

/// A query before @p q that has the same groups of the same elements, or -1. Sums have
/// their own, which grow when they are listed.
static int find_same(const cairn_query_set *set, int q)
{
    const cairn_query_state *s = &set->state[q];

    if (s->query->func != CAIRN_QUERY_ENUM) return -1;
    for (int r = 0; r < q; r++) {
        const cairn_query_state *t = &set->state[r];

        if (t->query->func == CAIRN_QUERY_SUM && same_map(&s->group, &t->group)
            && same_elements(&s->elements, &t->elements))
            return r;
    }
    return -1;
}

cairn_status cairn_query_group(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    entering          *e;
    cairn_status       status;

    s->same = find_same(set, q);
    if (s->same >= 0) {
        s->group_of = set->state[s->same].group_of;
        s->begin    = set->state[s->same].begin;
        s->touched  = set->state[s->same].touched;
        return CAIRN_OK;
    }
    CAIRN_TRY(use_ranges(set, s));
    CAIRN_TRY(CAIRN_NEW(set->env, 1, &e));
    e->set      = set;
    e->s        = s;
    e->capacity = 0;
    status      = enter_all(e);
    s->touched  = s->groups.n;
    cairn_free(set->env, e);
    return status;
}
