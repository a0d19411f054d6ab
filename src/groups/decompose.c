// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Hybrids: thresholds on a query's value assign the entries, then `keep` cuts the
/// outermost indirect level of each member but the last, and what is beyond goes on.
///
/// Ranks agree once about a failure: a rank that fails by itself says so in the place of
/// the next thing that all do together.

#include "groups/decompose.h"

#include "format/group_forms.h"
#include "format/layout.h"
#include "groups/groups.h"

#include <math.h>
#include <string.h>

typedef struct {
    cairn_env             *env;
    const cairn_format    *format;
    const cairn_shape     *shape;
    const cairn_interval  *box;
    const cairn_entries   *entries;
    const cairn_query_net *net; ///< NULL: one rank.
    bool                   definition;
    bool                   agreed; ///< A failure is known to all ranks.
    uint8_t               *member; ///< [n] of entries.
} assigner;

static cairn_status meet(assigner *d, cairn_status mine)
{
    cairn_status status = mine;

    if (!d->net || d->agreed) return mine;
    status    = d->net->agree(d->net->user, mine);
    d->agreed = status != CAIRN_OK;
    return status;
}

static cairn_status largest(assigner *d, cairn_status mine, int64_t *value)
{
    cairn_status status = meet(d, mine);

    if (status != CAIRN_OK || !d->net) return status;
    status    = d->net->max(d->net->user, value);
    d->agreed = status != CAIRN_OK;
    return status;
}

/// Answer all queries of an encoding.
static cairn_status run(assigner             *d,
                        const cairn_encoding *encoding,
                        const cairn_entries  *entries,
                        cairn_groups        **set)
{
    cairn_status status = CAIRN_OK;

    CAIRN_TRY(meet(d, cairn_groups_begin(d->env, encoding, d->shape, d->box, entries,
                                         d->definition, set)));
    for (int q = 0; q < encoding->queries && status == CAIRN_OK; q++)
        status = cairn_groups_step(*set, q, d->net);
    d->agreed = d->agreed || status != CAIRN_OK;
    return status;
}

/* ---- the query ---- */

/// Stored entries per block: groups are the first member's direct expressions down to
/// the last level that stores an index.
static cairn_status block_query(assigner *d, cairn_query *query)
{
    const cairn_encoding *first = d->format->member[0];
    uint32_t              levels;

    CAIRN_TRY(cairn_encoding_index_levels(d->env, first, &levels));
    CAIRN_CHECK(
        levels, d->env, CAIRN_BAD_FORMAT,
        "format: hybrid: its first member stores no index, so it needs a query");
    *query = (cairn_query){.func = CAIRN_QUERY_SUM, .arg = CAIRN_ARG_VALUE};
    query->group_by.order = first->map.order;
    for (int level = 0; levels >> level; level++)
        if (!cairn_expr_is_indirect(first->map.expr[level]))
            query->group_by.expr[query->group_by.count++] = first->map.expr[level];
    query->cases   = 1;
    query->when[0] = (cairn_case){
        .var      = CAIRN_ARG_VALUE,
        .relation = CAIRN_REL_NE,
        .start    = {.kind = CAIRN_START_CONST, .value = 1}
    };
    return CAIRN_OK;
}

/// An encoding of one query.
static cairn_status make_encoding(assigner *d, cairn_encoding **encoding)
{
    cairn_encoding *made;
    cairn_status    status = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW_ZERO(d->env, 1, &made));
    made->map.order = d->shape->order;
    made->queries   = 1;
    if (d->format->query)
        made->query[0] = *d->format->query;
    else
        status = block_query(d, &made->query[0]);
    if (status == CAIRN_OK)
        *encoding = made;
    else
        cairn_free(d->env, made);
    return status;
}

/// Positions of one group of the query.
static cairn_status
find_capacity(assigner *d, const cairn_query *query, int64_t *positions)
{
    cairn_form     form[CAIRN_MAX_LEVELS];
    cairn_interval box[CAIRN_MAX_ORDER];
    cairn_algebra *algebra;
    cairn_status   status;
    int            forms;

    CAIRN_TRY(CAIRN_NEW(d->env, 1, &algebra));
    cairn_algebra_init(algebra, d->env, d->shape->order);
    for (int k = 0; k < d->shape->order; k++)
        box[k] = (cairn_interval){0, d->shape->extent[k] - 1};
    CAIRN_GO(done, cairn_independent_forms(algebra, &query->group_by, box, NULL, &forms,
                                           form));
    status = cairn_group_capacity(d->env, algebra, forms, form, box, positions);
done:
    cairn_free(d->env, algebra);
    return status;
}

/// What a group's value is compared with, before the threshold multiplies it.
static cairn_status find_scale(assigner           *d,
                               const cairn_query  *query,
                               const cairn_groups *set,
                               double             *scale)
{
    int64_t amount = 1;

    if (d->format->mode == CAIRN_THRESHOLD_CAPACITY)
        CAIRN_TRY(find_capacity(d, query, &amount));
    if (d->format->mode == CAIRN_THRESHOLD_MAXIMUM) {
        amount = d->entries->n ? cairn_groups_span(set, 0).hi : INT64_MIN;
        CAIRN_TRY(largest(d, CAIRN_OK, &amount));
    }
    *scale = (double)amount;
    return CAIRN_OK;
}

/// Is the value above threshold @p k? `maximum` divides by the largest value.
static bool is_above(const cairn_format *format, int k, double value, double scale)
{
    if (format->mode == CAIRN_THRESHOLD_MAXIMUM)
        return scale > 0 && value / scale > format->threshold[k];
    return value > format->threshold[k] * scale;
}

static uint8_t member_for(const cairn_format *format, int64_t value, double scale)
{
    const int last = format->members - 1;
    int       k    = 0;

    while (k < last && !is_above(format, k, (double)value, scale))
        k++;
    return (uint8_t)k;
}

static void assign(assigner *d, const cairn_groups *set, double scale)
{
    const int64_t *value = cairn_groups_at_entries(set, 0);

    cairn_visit(d->env, d->entries->n);
    for (cairn_pos p = 0; p < d->entries->n; p++)
        d->member[p] = member_for(d->format, value[p], scale);
}

static cairn_status assign_by_query(assigner *d)
{
    cairn_encoding *encoding = NULL;
    cairn_groups   *set      = NULL;
    double          scale;
    cairn_status    status;

    CAIRN_TRY(make_encoding(d, &encoding));
    CAIRN_GO(done, run(d, encoding, d->entries, &set));
    CAIRN_GO(done, find_scale(d, &encoding->query[0], set, &scale));
    assign(d, set, scale);
done:
    cairn_groups_destroy(d->env, &set);
    cairn_free(d->env, encoding);
    return status;
}

/* ---- keep ---- */

/// The entries of member @p k, one array after the other.
static cairn_status select_entries(assigner *d, int k, cairn_entries *chosen)
{
    const cairn_entries *all = d->entries;
    cairn_pos            n   = 0;

    cairn_visit(d->env, all->n * (all->order + 2));
    for (cairn_pos p = 0; p < all->n; p++)
        n += d->member[p] == k;
    CAIRN_TRY(cairn_entries_reserve(d->env, chosen, n));
    chosen->n = n;
    for (int dim = 0; dim < all->order; dim++)
        for (cairn_pos p = 0, at = 0; p < all->n; p++)
            if (d->member[p] == k) chosen->coord[dim][at++] = all->coord[dim][p];
    for (cairn_pos p = 0, at = 0; p < all->n; p++)
        if (d->member[p] == k) chosen->value[at++] = all->value[p];
    return CAIRN_OK;
}

/// Values of the outermost indirect level; CAIRN_NO_NUMBER where a query gives none.
static cairn_status level_values(assigner             *d,
                                 const cairn_encoding *encoding,
                                 const cairn_groups   *set,
                                 cairn_pos             n,
                                 int64_t              *value)
{
    int            level = 0;
    cairn_form     form;
    cairn_algebra *algebra;
    cairn_status   status;

    while (level < encoding->map.count
           && !cairn_expr_is_indirect(encoding->map.expr[level]))
        level++;
    CAIRN_CHECK(level < encoding->map.count, d->env, CAIRN_BAD_FORMAT,
                "format: hybrid: keep cuts an indirect level, and the member has none");
    CAIRN_TRY(CAIRN_NEW(d->env, 1, &algebra));
    cairn_algebra_init(algebra, d->env, encoding->map.order);
    CAIRN_GO(done, cairn_form_of(algebra, encoding->map.expr[level], &form));
    const uint32_t uses = cairn_form_queries(algebra, &form);

    cairn_visit(d->env, n);

    for (cairn_pos p = 0; p < n; p++) {
        int64_t queries[CAIRN_MAX_QUERIES];
        bool    numbered = true;

        for (int q = 0; uses >> q; q++) {
            if (!(uses >> q & 1)) continue;
            queries[q] = cairn_groups_at_entries(set, q)[p];
            numbered   = numbered && queries[q] != CAIRN_NO_NUMBER;
        }
        value[p] = numbered ? cairn_form_value(algebra, &form, NULL, queries)
                            : CAIRN_NO_NUMBER;
    }
done:
    cairn_free(d->env, algebra);
    return status;
}

int64_t cairn_decompose_cut(double keep, int64_t size)
{
    const double exact = keep * (double)size, near = nearbyint(exact);

    return (int64_t)(fabs(exact - near) <= 1e-12 * exact ? near : ceil(exact));
}

/// Send what lies beyond the cut, or has no number, to the next member.
static void send_on(assigner *d, int k, const int64_t *value, int64_t cut)
{
    cairn_pos at = 0;

    cairn_visit(d->env, d->entries->n);
    for (cairn_pos p = 0; p < d->entries->n; p++) {
        if (d->member[p] != k) continue;
        if (value[at] >= cut || value[at] == CAIRN_NO_NUMBER)
            d->member[p] = (uint8_t)(k + 1);
        at++;
    }
}

static cairn_status cut_member(assigner *d, int k)
{
    const cairn_encoding *encoding = d->format->member[k];
    cairn_entries         chosen;
    cairn_groups         *set   = NULL;
    int64_t              *value = NULL, most = -1;
    cairn_status          status;

    cairn_entries_init(&chosen, d->entries->order);
    CAIRN_GO(done, select_entries(d, k, &chosen));
    CAIRN_GO(done, CAIRN_NEW(d->env, chosen.n, &value));
    CAIRN_GO(done, run(d, encoding, &chosen, &set));
    status = level_values(d, encoding, set, chosen.n, value);
    for (cairn_pos p = 0; status == CAIRN_OK && p < chosen.n; p++)
        if (value[p] > most) most = value[p];
    CAIRN_GO(done, largest(d, status, &most));
    send_on(d, k, value, cairn_decompose_cut(d->format->keep[k], most + 1));
done:
    cairn_groups_destroy(d->env, &set);
    cairn_free(d->env, value);
    cairn_entries_fini(d->env, &chosen);
    return status;
}

static cairn_status decompose(assigner *d)
{
    CAIRN_TRY(CAIRN_NEW(d->env, d->entries->n, &d->member));
    CAIRN_TRY(assign_by_query(d));
    for (int k = 0; k < d->format->members - 1; k++)
        if (d->format->keep[k] < 1) CAIRN_TRY(cut_member(d, k));
    return CAIRN_OK;
}

cairn_status cairn_decompose(cairn_env             *env,
                             const cairn_format    *format,
                             const cairn_shape     *shape,
                             const cairn_interval  *box,
                             const cairn_entries   *entries,
                             bool                   definition,
                             const cairn_query_net *net,
                             uint8_t               *member)
{
    assigner d = {.env        = env,
                  .format     = format,
                  .shape      = shape,
                  .box        = box,
                  .entries    = entries,
                  .net        = net && net->size > 1 ? net : NULL,
                  .definition = definition};

    if (!format->hybrid) {
        memset(member, 0, (size_t)entries->n);
        return CAIRN_OK;
    }
    const cairn_status status = meet(&d, decompose(&d));

    if (status == CAIRN_OK) memcpy(member, d.member, (size_t)entries->n);
    cairn_free(env, d.member);
    return status;
}

/* ---- for those who count by themselves ---- */

static assigner
assigner_of(cairn_env *env, const cairn_format *f, const cairn_shape *shape)
{
    return (assigner){.env = env, .format = f, .shape = shape};
}

cairn_status cairn_decompose_query(cairn_env          *env,
                                   const cairn_format *format,
                                   const cairn_shape  *shape,
                                   cairn_query        *query)
{
    assigner d = assigner_of(env, format, shape);

    if (!format->query) return block_query(&d, query);
    *query = format->normal_query ? *format->normal_query : *format->query;
    return CAIRN_OK;
}

cairn_status cairn_decompose_totals(cairn_env             *env,
                                    const cairn_format    *format,
                                    const cairn_shape     *shape,
                                    const cairn_query     *query,
                                    const cairn_query_net *net,
                                    cairn_status           mine,
                                    int64_t                n,
                                    const uint32_t        *total,
                                    uint8_t               *member)
{
    const bool   maximum = format->mode == CAIRN_THRESHOLD_MAXIMUM;
    assigner     d       = assigner_of(env, format, shape);
    int64_t      amount  = maximum ? 0 : 1;
    cairn_status status  = mine;

    d.net = net;
    /* A group's size is not exact for all expressions: it goes by those of the text. */
    if (status == CAIRN_OK && format->mode == CAIRN_THRESHOLD_CAPACITY)
        status = find_capacity(&d, format->query ? format->query : query, &amount);
    for (int64_t g = 0; g < n && maximum && status == CAIRN_OK; g++)
        if (total[g] > amount) amount = total[g];
    if (maximum) status = largest(&d, status, &amount);
    CAIRN_TRY(status);
    for (int64_t g = 0; g < n; g++)
        member[g] = member_for(format, total[g], (double)amount);
    return CAIRN_OK;
}
