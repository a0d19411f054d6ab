// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where groups lie among the ranks' rows, and totals of those that several ranks have.

#include "groups/spread.h"

#include <string.h>

/* ---- rows ---- */

bool cairn_groups_stay(const cairn_groups *set, const cairn_forms *map)
{
    for (int f = 0; f < map->count; f++)
        if (cairn_form_dimension(&map->form[f], set->order) == 0) return true;
    return false;
}

/// Rows between which the positions of a group lie.
static cairn_interval
rows_of(const cairn_groups *set, const cairn_forms *map, const int64_t *tuple)
{
    cairn_interval box[CAIRN_MAX_ORDER];

    for (int k = 0; k < set->order; k++)
        box[k] = (cairn_interval){0, set->shape.extent[k] - 1};
    for (int f = 0; f < map->count; f++) {
        if (cairn_form_queries(set->algebra, &map->form[f])) continue;
        cairn_form_narrow(set->algebra, &map->form[f],
                          (cairn_interval){tuple[f], tuple[f]}, box);
    }
    return box[0];
}

static bool lies_in(cairn_interval rows, cairn_interval of)
{
    return rows.lo >= of.lo && rows.hi <= of.hi;
}

cairn_group_owner cairn_groups_owner(const cairn_groups *set,
                                     const cairn_forms  *map,
                                     const int64_t      *tuple)
{
    if (!set->spread) return CAIRN_GROUP_MINE;

    const cairn_interval rows = rows_of(set, map, tuple);

    if (lies_in(rows, set->box[0])) return CAIRN_GROUP_MINE;
    for (int r = 0; r < set->ranks; r++)
        if (lies_in(rows, set->rows[r])) return CAIRN_GROUP_ELSEWHERE;
    return CAIRN_GROUP_JOINT;
}

bool cairn_groups_crosses(const cairn_groups *set,
                          const cairn_forms  *map,
                          const int64_t      *tuple)
{
    return set->spread && !lies_in(rows_of(set, map, tuple), set->box[0]);
}

cairn_status cairn_groups_meet(cairn_groups *set)
{
    const int      size   = set->meeting.net->size;
    cairn_exchange travel = {.n = 0};
    cairn_status   status;

    CAIRN_GO(done,
             cairn_exchange_meet(&set->meeting,
                                 cairn_exchange_init(&set->meeting, &travel, 2, size)));
    for (int r = 0; r < size; r++) {
        travel.record[2 * r]     = set->box[0].lo;
        travel.record[2 * r + 1] = set->box[0].hi;
        travel.to[r]             = r;
    }
    CAIRN_GO(done, cairn_exchange_send(&set->meeting,
                                       CAIRN_NEW(set->env, size, &set->rows), &travel));
    set->ranks = size;
    for (int r = 0; r < size; r++)
        set->rows[r] = (cairn_interval){travel.in[2 * r], travel.in[2 * r + 1]};
done:
    cairn_exchange_fini(&set->meeting, &travel);
    return status;
}

/* ---- groups that cross ---- */

/// By what a form divides rows, whose quotient it is; 0: it is none.
static int64_t row_divisor(const cairn_groups *set, const cairn_form *form)
{
    const int         at   = cairn_form_atom(form);
    const cairn_atom *atom = at < 0 ? NULL : &set->algebra->atom[at];

    return atom && atom->kind == CAIRN_ATOM_DIV && cairn_form_atom(&atom->form) == 0
               ? atom->divisor
               : 0;
}

/// Blocks of rows cross where the rank's first or last row cuts them.
static void mark_blocks(const cairn_groups *set, int q, int f, int64_t divisor)
{
    cairn_group_query   *s    = &set->query[q];
    const cairn_interval mine = set->box[0];
    const int64_t        most = set->shape.extent[0] - 1;

    for (int64_t g = 0; g < s->index.groups; g++) {
        const int64_t lo = cairn_group_index_tuple(&s->index, g)[f] * divisor;
        const int64_t hi = most - lo < divisor ? most : lo + divisor - 1;

        s->spread.crossing[g] = lo < mine.lo || hi > mine.hi;
    }
}

static cairn_status mark(cairn_groups *set, int q)
{
    cairn_group_query *s      = &set->query[q];
    const bool         valued = cairn_forms_queries(set->algebra, &s->forms.group);

    CAIRN_TRY(CAIRN_NEW(set->env, s->index.groups, &s->spread.crossing));
    cairn_visit(set->env, s->index.groups);
    for (int f = 0; f < s->forms.group.count && !valued; f++) {
        const int64_t divisor = row_divisor(set, &s->forms.group.form[f]);

        if (s->forms.group.count > 1 || divisor == 0) continue;
        mark_blocks(set, q, f, divisor);
        return CAIRN_OK;
    }
    for (int64_t g = 0; g < s->index.groups; g++)
        s->spread.crossing[g] =
            valued
            || cairn_groups_crosses(set, &s->forms.group,
                                    cairn_group_index_tuple(&s->index, g));
    return CAIRN_OK;
}

cairn_status cairn_groups_find_crossing(cairn_groups *set, int q)
{
    cairn_group_query *s   = &set->query[q];
    int64_t            any = 0;

    if (!set->spread || cairn_groups_stay(set, &s->forms.group)) return CAIRN_OK;
    const cairn_status status = mark(set, q);

    for (int64_t g = 0; status == CAIRN_OK && g < s->index.groups; g++)
        any |= s->spread.crossing[g];
    CAIRN_TRY(cairn_exchange_max(&set->meeting, status, &any));
    s->spread.crosses = any;
    if (any) return CAIRN_OK;
    cairn_free(set->env, s->spread.crossing);
    s->spread.crossing = NULL;
    return CAIRN_OK;
}

/* ---- totals of other ranks ---- */

/// Queries that the text of query @p q names, and that it is over.
static uint32_t named(const cairn_groups *set, int q)
{
    const cairn_group_query *s     = &set->query[q];
    const cairn_query       *query = s->query;
    uint32_t                 uses  = cairn_forms_queries(set->algebra, &s->forms.group)
                    | cairn_forms_queries(set->algebra, &s->forms.traverse)
                    | cairn_forms_queries(set->algebra, &s->forms.by);

    for (int c = 0; c <= query->cases; c++) {
        const cairn_start *start =
            c < query->cases ? &query->when[c].start : &query->otherwise;

        if (start->kind == CAIRN_START_QUERY) uses |= 1U << start->value;
        if (c < query->cases && query->when[c].var >= 0)
            uses |= 1U << query->when[c].var;
    }
    return query->arg < 0 ? uses : uses | 1U << query->arg;
}

/// Queries whose value may be asked for where this rank has none of the entries.
static uint32_t asked_elsewhere(const cairn_groups *set, int q)
{
    const cairn_group_query *s = &set->query[q];
    const bool               lists =
        s->query->func == CAIRN_QUERY_REORDER || s->query->func == CAIRN_QUERY_SCHEDULE;
    uint32_t asked = named(set, q);

    if (!lists && s->query->arg < 0 && !s->asks) return 0;
    if (!lists && s->query->arg >= 0) asked &= ~(1U << s->query->arg);
    for (int r = q; r-- > 0;)
        if (asked >> r & 1) asked |= named(set, r);
    return asked;
}

bool cairn_groups_is_asked(const cairn_groups *set, int r)
{
    for (int q = r + 1; q < set->encoding->queries; q++)
        if (asked_elsewhere(set, q) >> r & 1) return true;
    return false;
}

/// Records (group, total) of the crossing groups, to every rank.
static cairn_status pack_totals(cairn_groups *set, int r, cairn_exchange *travel)
{
    const cairn_group_query *s = &set->query[r];
    const int width = s->forms.group.count, size = set->meeting.net->size;
    int64_t   n = 0;

    for (int64_t g = 0; s->spread.crossing && g < s->index.groups; g++)
        n += s->spread.crossing[g];
    CAIRN_TRY(cairn_exchange_init(&set->meeting, travel, width + 1, n * size));
    n = 0;
    for (int64_t g = 0; s->spread.crossing && g < s->index.groups; g++)
        for (int to = 0; s->spread.crossing[g] && to < size; to++) {
            int64_t *record = travel->record + n * travel->width;

            memcpy(record, cairn_group_index_tuple(&s->index, g),
                   (size_t)width * sizeof *record);
            record[width]   = s->total[g];
            travel->to[n++] = to;
        }
    return CAIRN_OK;
}

static cairn_status take_totals(cairn_groups *set, int r, const cairn_exchange *travel)
{
    cairn_group_spread *s     = &set->query[r].spread;
    const int           width = travel->width - 1;
    const int64_t       n     = travel->received;
    cairn_group_records in    = {.n = 0};
    cairn_status        status;

    CAIRN_GO(done, cairn_group_records_take(set->env, travel, 0, NULL, &in));
    CAIRN_GO(done, cairn_group_index_make(set->env, n, width, in.column, &s->others));
    CAIRN_GO(done, CAIRN_NEW(set->env, s->others.groups, &s->totals));
    cairn_visit(set->env, s->others.groups);
    for (int64_t g = 0; g < s->others.groups; g++)
        s->totals[g] =
            in.column[width][cairn_group_index_element(&s->others, s->others.begin[g])];
    s->known = true;
done:
    cairn_group_records_fini(set->env, &in);
    return status;
}

static cairn_status know(cairn_groups *set, int r)
{
    cairn_exchange travel = {.n = 0};
    cairn_status   status = pack_totals(set, r, &travel);

    status = cairn_exchange_send(&set->meeting, status, &travel);
    if (status == CAIRN_OK) status = take_totals(set, r, &travel);
    cairn_exchange_fini(&set->meeting, &travel);
    return status;
}

cairn_status cairn_groups_know(cairn_groups *set, int q)
{
    const uint32_t asked = set->spread ? asked_elsewhere(set, q) : 0;

    for (int r = 0; asked >> r; r++) {
        const cairn_group_query *s = &set->query[r];

        if (asked >> r & 1 && s->query->func == CAIRN_QUERY_SUM && s->spread.crosses
            && !s->spread.known)
            CAIRN_TRY(know(set, r));
    }
    return CAIRN_OK;
}

cairn_status cairn_groups_elsewhere(cairn_groups *set, int r)
{
    char text[32];

    return cairn_fail(set->env, CAIRN_UNSUPPORTED,
                      "query: %s: its value is asked for at a position of another rank",
                      cairn_groups_label(set, r, text));
}

cairn_status
cairn_groups_total(cairn_groups *set, int r, const int64_t *tuple, int64_t *total)
{
    const cairn_group_query *s = &set->query[r];
    int64_t                  g = cairn_group_index_find(&s->index, tuple);

    if (g >= 0) {
        *total = s->total[g];
        return CAIRN_OK;
    }
    if (set->spread && s->spread.known) {
        g = cairn_group_index_find(&s->spread.others, tuple);
        if (g >= 0) {
            *total = s->spread.totals[g];
            return CAIRN_OK;
        }
    }
    switch (cairn_groups_owner(set, &s->forms.group, tuple)) {
    case CAIRN_GROUP_MINE: break;
    case CAIRN_GROUP_JOINT:
        if (s->spread.known || !s->spread.crosses) break;
        return cairn_groups_elsewhere(set, r);
    case CAIRN_GROUP_ELSEWHERE: return cairn_groups_elsewhere(set, r);
    }
    return cairn_groups_sum_rest(set, r, tuple, total);
}

/* ---- records that came ---- */

void cairn_group_records_fini(cairn_env *env, cairn_group_records *r)
{
    cairn_free(env, r->own);
    cairn_free(env, r->order);
    memset(r, 0, sizeof *r);
}

cairn_status cairn_group_records_take(cairn_env            *env,
                                      const cairn_exchange *travel,
                                      int                   keys,
                                      const int            *key,
                                      cairn_group_records  *r)
{
    const int64_t *column[CAIRN_MAX_RECORD];

    r->n     = travel->received;
    r->width = travel->width;
    CAIRN_TRY(CAIRN_NEW(env, r->n * r->width, &r->own));
    cairn_visit(env, r->n);
    for (int k = 0; k < r->width; k++) {
        r->column[k] = r->own + k * r->n;
        for (int64_t p = 0; p < r->n; p++)
            r->own[k * r->n + p] = travel->in[p * r->width + k];
    }
    CAIRN_TRY(CAIRN_NEW(env, r->n, &r->order));
    for (int k = 0; k < keys; k++)
        column[k] = r->column[key[k]];
    return cairn_sort_order(env, r->n, keys, column, r->order);
}
