// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tables by row: keys of queries at rows, and what they give.

#include "convert/numbers/compiled_rows.h"

#include "convert/numbers/group_counter.h"
#include "format/columns.h"
#include "format/normal.h"
#include "groups/rows.h"
#include "phases/count_exchange.h"
#include "phases/row_starts.h"

#include <assert.h>
#include <string.h>

/* ---- tables ---- */

void cairn_row_keys_fini(cairn_env *env, cairn_row_keys *c)
{
    for (int k = 0; k < c->keys; k++)
        cairn_free(env, c->own[k]);
    c->keys = 0;
}

static uint32_t *table_of(const cairn_member_build *m, int q)
{
    return m->rows.table + q * m->rows.n;
}

static bool is_row(const cairn_member_build *m, const cairn_form *form)
{
    return cairn_form_atom(form) == m->rows.row;
}

/// Values of a form at all rows, the first of which is @p low.
static cairn_status evaluate(const cairn_member_build *m,
                             const cairn_algebra      *algebra,
                             const cairn_form         *form,
                             int64_t                   low,
                             int64_t                  *value)
{
    const uint32_t uses               = cairn_form_queries(algebra, form);
    const int64_t  n                  = m->rows.n;
    int64_t       *columns            = NULL, *next;
    const int64_t *d[CAIRN_MAX_ORDER] = {NULL}, *number[CAIRN_MAX_QUERIES] = {NULL};

    CAIRN_TRY(CAIRN_NEW(m->env, (1 + __builtin_popcount(uses)) * n, &columns));
    next           = columns;
    d[m->rows.row] = next;
    for (int64_t i = 0; i < n; i++)
        *next++ = low + i;
    for (int q = 0; uses >> q; q++) {
        if (!(uses >> q & 1)) continue;
        number[q] = next;
        for (int64_t i = 0; i < n; i++)
            *next++ = table_of(m, q)[i];
    }
    cairn_form_columns(algebra, form, d, number, n, value);
    cairn_free(m->env, columns);
    return CAIRN_OK;
}

cairn_status cairn_row_keys_add(const cairn_member_build *m,
                                const cairn_algebra      *algebra,
                                const cairn_form         *form,
                                int64_t                   low,
                                cairn_row_keys           *c)
{
    const int k = c->keys++;

    c->own[k] = NULL;
    c->key[k] = NULL;
    if (is_row(m, form)) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(m->env, m->rows.n, &c->own[k]));
    c->key[k] = c->own[k];
    return evaluate(m, algebra, form, low, c->own[k]);
}

static cairn_status add_keys(const cairn_member_build *m,
                             cairn_algebra            *algebra,
                             const cairn_map          *map,
                             int64_t                   low,
                             cairn_row_keys           *c)
{
    for (int f = 0; map && f < map->count; f++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(algebra, map->expr[f], &form));
        CAIRN_TRY(cairn_row_keys_add(m, algebra, &form, low, c));
    }
    return CAIRN_OK;
}

/// How many entries a row has; complemented, where the most come first.
static cairn_status
add_counts(const cairn_member_build *m, bool descend, cairn_row_keys *c)
{
    const uint32_t *count = table_of(m, m->rows.count);
    int64_t        *own;

    CAIRN_TRY(CAIRN_NEW(m->env, m->rows.n, &own));
    for (int64_t i = 0; i < m->rows.n; i++)
        own[i] = descend ? ~(int64_t)count[i] : count[i];
    c->own[c->keys]   = own;
    c->key[c->keys++] = own;
    return CAIRN_OK;
}

/* ---- rows of several ranks ---- */

/// Is every window of rows one rank's, and behind those of the ranks before? Then the rows
/// before the box are those with lower places.
static cairn_status windows_stay(cairn_algebra     *algebra,
                                 const cairn_build *build,
                                 const cairn_map   *map,
                                 bool              *stay)
{
    cairn_form form;

    *stay = map->count > 0;
    if (!*stay) return CAIRN_OK;
    CAIRN_TRY(cairn_form_of(algebra, map->expr[0], &form));
    *stay = cairn_exchange_spares(algebra, &form, build->box[0]);
    return CAIRN_OK;
}

/// Rows as a key, where it is needed.
static cairn_status
write_rows(cairn_env *env, int64_t n, int64_t low, cairn_row_keys *c)
{
    for (int k = 0; k < c->keys; k++) {
        if (c->key[k]) continue;
        CAIRN_TRY(CAIRN_NEW(env, n, &c->own[k]));
        for (int64_t i = 0; i < n; i++)
            c->own[k][i] = low + i;
        c->key[k] = c->own[k];
    }
    return CAIRN_OK;
}

/* ---- numbers of rows ---- */

/// By what a query orders the rows of the box, whose first is @p low.
static cairn_status find_keys(cairn_member_build *m,
                              int                 q,
                              cairn_algebra      *algebra,
                              int64_t             low,
                              cairn_row_keys     *c,
                              int                *windows)
{
    const cairn_query *query = &m->encoding->query[q];

    CAIRN_TRY(add_keys(m, algebra, &query->group_by, low, c));
    *windows = c->keys;
    if (query->func == CAIRN_QUERY_REORDER) CAIRN_TRY(add_counts(m, query->descend, c));
    return add_keys(m, algebra, query->traverse_by, low, c);
}

/// @p before: rows of other ranks that come before those of the box.
static cairn_status number_rows(cairn_member_build *m,
                                int                 q,
                                int64_t             before,
                                int                 windows,
                                cairn_row_keys     *c)
{
    const cairn_query *query  = &m->encoding->query[q];
    uint32_t          *number = table_of(m, q), *order;
    cairn_status       status;

    CAIRN_TRY(CAIRN_NEW(m->env, m->rows.n, &order));
    CAIRN_GO(done, cairn_rows_order(m->env, m->rows.n, c->keys, c->key, order));
    if (query->func == CAIRN_QUERY_SCHEDULE)
        status =
            cairn_rows_schedule(m->env, m->rows.n, order, windows, c->key,
                                table_of(m, m->rows.count), query->buckets, number);
    else
        for (int64_t k = 0; k < m->rows.n; k++)
            number[order[k]] = (uint32_t)(before + k);
done:
    cairn_free(m->env, order);
    return status;
}

/// What the numbers of a query follow from.
typedef struct {
    cairn_algebra *algebra;
    int64_t        low; ///< The first row.
    cairn_row_keys keys;
    int windows; ///< So many of the keys say which rows are ordered together.
} ordering;

/// Start the numbers of query @p q. Pairs with ordering_fini(), on failure, too.
static cairn_status ordering_init(const cairn_compiled *c, ordering *o)
{
    *o = (ordering){.low = c->build->box[c->m->rows.row].lo};
    CAIRN_TRY(CAIRN_NEW(c->m->env, 1, &o->algebra));
    cairn_algebra_init(o->algebra, c->m->env, c->build->shape.order);
    return CAIRN_OK;
}

static void ordering_fini(cairn_env *env, ordering *o)
{
    cairn_row_keys_fini(env, &o->keys);
    cairn_free(env, o->algebra);
}

/// Rows of other ranks are in the same windows: all are ordered by one rank.
static cairn_status exchange_rows(cairn_compiled *c)
{
    cairn_member_build *m    = c->m;
    const int           q    = c->step->query;
    bool                stay = true;
    ordering            o;
    cairn_status        status = ordering_init(c, &o);

    if (status == CAIRN_OK)
        status =
            windows_stay(o.algebra, c->build, &m->encoding->query[q].group_by, &stay);
    CAIRN_GO(done, cairn_build_all(c->build, status, &stay));
    c->step->idle = stay;
    if (stay) goto done;
    m->rows.joint |= 1U << q;
    status = find_keys(m, q, o.algebra, o.low, &o.keys, &o.windows);
    if (status == CAIRN_OK) status = write_rows(m->env, m->rows.n, o.low, &o.keys);
    status = cairn_exchange_places(m->env, c->build->net, status, m->rows.n,
                                   o.keys.keys, o.keys.key, table_of(m, q));
done:
    ordering_fini(m->env, &o);
    return status;
}

const cairn_pass_work cairn_exchange_rows = {.prepare  = exchange_rows,
                                             .together = true};

/// Numbers that a query gave to rows; @p counts: but for rows without entries.
static cairn_interval span_of(const cairn_member_build *m, int q, bool counts)
{
    const uint32_t *number = table_of(m, q);
    const uint32_t  none   = counts; /* 0, the least, becomes the largest */
    uint32_t        before = UINT32_MAX, most = 0;

    for (int64_t i = 0; i < m->rows.n; i++) {
        before = number[i] - none < before ? number[i] - none : before;
        most   = number[i] > most ? number[i] : most;
    }
    return m->rows.n == 0 || most < none
               ? (cairn_interval){0, -1}
               : (cairn_interval){(int64_t)before + none, most};
}

/// Numbers along rows: as many as the fullest row has entries.
static cairn_interval span_of_slots(const cairn_member_build *m)
{
    const int64_t most = m->rows.span[m->rows.count].hi;

    return most < 0 ? (cairn_interval){0, -1} : (cairn_interval){0, most - 1};
}

/// Number the rows of this rank, unless all ranks' were ordered together.
static cairn_status number_own(const cairn_compiled *c, int q)
{
    cairn_member_build *m       = c->m;
    const bool          reorder = m->encoding->query[q].func == CAIRN_QUERY_REORDER;
    const bool          all     = c->build->net && reorder;
    ordering            o;
    cairn_status        status = ordering_init(c, &o);

    if (status == CAIRN_OK)
        status = find_keys(m, q, o.algebra, o.low, &o.keys, &o.windows);
    if (status == CAIRN_OK)
        status = number_rows(m, q, all ? o.low : 0, o.windows, &o.keys);
    ordering_fini(m->env, &o);
    return status;
}

static cairn_status number_by_query(cairn_compiled *c)
{
    cairn_member_build *m     = c->m;
    const int           q     = c->step->query;
    const bool          table = m->rows.tables >> q & 1;

    if (c->build->planned) return CAIRN_OK;
    if (table && !(m->rows.joint >> q & 1)) CAIRN_TRY(number_own(c, q));
    m->rows.span[q] = table ? span_of(m, q, false) : span_of_slots(m);
    return CAIRN_OK;
}

const cairn_pass_work cairn_number_by_query = {.prepare = number_by_query};

static cairn_status take_counts(cairn_member_build        *m,
                                const cairn_group_counter *counter)
{
    assert(!m->rows.table && counter->index.count && !counter->index.listed);
    m->rows.n = counter->index.n;
    CAIRN_TRY(CAIRN_NEW(m->env, m->rows.n * m->encoding->queries, &m->rows.table));
    for (int64_t i = 0; i < m->rows.n; i++)
        table_of(m, m->rows.count)[i] = counter->index.count[i];
    return CAIRN_OK;
}

/// How many entries each row has, where it shows where they begin.
static cairn_status measure_rows(cairn_member_build *m,
                                 const cairn_build  *build,
                                 const cairn_origin *origin)
{
    const cairn_interval box = origin->box[m->rows.row];

    if (build->planned) return CAIRN_OK;
    m->rows.n = box.hi - box.lo + 1;
    CAIRN_TRY(CAIRN_NEW(m->env, m->rows.n * m->encoding->queries, &m->rows.table));
    return cairn_starts_count(m->env, origin, m->rows.row, build->loader->threads,
                              table_of(m, m->rows.count));
}

/// Does it, for a sum of entries?
static bool is_measured(const cairn_member_build *m, const cairn_origin *origin)
{
    const cairn_interval box     = origin->box[m->rows.row];
    const cairn_pos      entries = cairn_origin_entries(origin);

    return cairn_query_counts(&m->encoding->query[m->rows.count], 1)
           && cairn_starts_fit(origin, m->rows.row) && entries > 0
           && (box.hi - box.lo) / entries < 16;
}

/// Count entries one by one.
static cairn_status count_rows(cairn_member_build  *m,
                               const cairn_build   *build,
                               const cairn_origin  *origin,
                               cairn_group_counter *counter)
{
    CAIRN_TRY(cairn_group_counter_run(
        m->env, build, origin, &m->encoding->query[m->rows.count], false, counter));
    if (counter->route > m->route) m->route = counter->route;
    return build->planned ? CAIRN_OK : take_counts(m, counter);
}

static cairn_status count_by_query(cairn_compiled *c)
{
    cairn_member_build *m       = c->m;
    cairn_group_counter counter = {.env = m->env};
    cairn_status        status;

    m->rows.joint = 0;
    status        = is_measured(m, &c->origin) ? measure_rows(m, c->build, &c->origin)
                                               : count_rows(m, c->build, &c->origin, &counter);
    cairn_group_counter_fini(&counter);
    if (status == CAIRN_OK && !c->build->planned)
        m->rows.span[m->rows.count] = span_of(m, m->rows.count, true);
    return status;
}

const cairn_pass_work cairn_count_by_query = {.prepare = count_by_query};

void cairn_rows_drop(cairn_member_build *m)
{
    cairn_free(m->env, m->rows.table);
    m->rows = (cairn_numbered_rows){.on = false};
}
