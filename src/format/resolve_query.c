// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Resolving of queries: what they run over, their clauses, and the defaults. A clause
/// that says what its default says is dropped, so that equal queries have equal prints.

#include "format/resolve.h"

#include <stdio.h>
#include <string.h>

static const char *const func_names[] = {"sum", "enum", "reorder", "schedule"};

static cairn_status last_sum(const cairn_names  *names,
                             cairn_text_position place,
                             const char         *word,
                             int                *query)
{
    for (*query = names->queries - 1; *query >= 0; --*query)
        if (names->query[*query].func == CAIRN_QUERY_SUM) return CAIRN_OK;
    return cairn_fail_in(names->scope, place,
                         "%.60s means the last sum before, and there is none", word);
}

/// Number of the dimension that a query's own maps, or the index map, call @p name, or -1.
static int
find_any_dim(const cairn_names *names, const cairn_query_node *node, const char *name)
{
    const cairn_map_node *const maps[] = {node->group_by, node->traverse_by};
    const int                   dim    = cairn_dim_find(names, name);

    for (int m = 0; dim < 0 && m < 2; m++) {
        const cairn_node *d = maps[m] ? maps[m]->dims : NULL;

        for (int k = 0; d; d = d->next, k++)
            if (d->op == CAIRN_NODE_ID && strcmp(d->name, name) == 0) return k;
    }
    return dim;
}

static cairn_status
unknown_query(const cairn_names *names, cairn_text_position place, const char *name)
{
    const char *words[CAIRN_MAX_QUERIES + 3] = {"value", "sumVal"};
    char        hint[96];
    int         n = 2;

    if (cairn_query_node_find(names->later, name))
        return cairn_fail_in(names->scope, place,
                             "query %.60s comes later; only earlier ones can be used",
                             name);
    for (int q = 0; q < names->queries; q++)
        if (names->query[q].name) words[n++] = names->query[q].name;
    cairn_did_you_mean(hint, name, words);
    return cairn_fail_in(names->scope, place, "there is no query %.60s%s", name, hint);
}

/// value, sumVal or the name of an earlier query; @p text gets what is printed.
static cairn_status resolve_word(const cairn_names  *names,
                                 cairn_text_position place,
                                 const char         *word,
                                 int                *query,
                                 const char        **text)
{
    if (strcmp(word, "value") == 0 || strcmp(word, "val") == 0) {
        *query = CAIRN_ARG_VALUE;
        *text  = "value";
        return CAIRN_OK;
    }
    if (strcmp(word, "sumVal") == 0) {
        *text = "sumVal";
        return last_sum(names, place, word, query);
    }
    *query = cairn_query_find(names->query, names->queries, word);
    if (*query < 0) return unknown_query(names, place, word);
    *text = names->query[*query].name;
    return CAIRN_OK;
}

/// One argument; a dimension's name means the last sum, as in the paper's schedule(d0).
static cairn_status resolve_var(const cairn_names      *names,
                                const cairn_query_node *node,
                                const cairn_node       *var,
                                int                    *arg,
                                const char            **text)
{
    const int dim = find_any_dim(names, node, var->name);

    if (dim < 0 || cairn_query_find(names->query, names->queries, var->name) >= 0)
        return resolve_word(names, var->place, var->name, arg, text);
    *text = cairn_dim_names[dim < CAIRN_MAX_ORDER ? dim : CAIRN_MAX_ORDER - 1];
    return last_sum(names, var->place, var->name, arg);
}

/// Several arguments must mean the same; their texts are joined for the print.
static cairn_status
join_texts(const cairn_names *names, const char *more, const char **text)
{
    const size_t total = strlen(*text) + strlen(more) + 2;
    char        *joined;

    CAIRN_TRY(CAIRN_ARENA_NEW(names->scope->resolver->arena, total, &joined));
    snprintf(joined, total, "%s,%s", *text, more);
    *text = joined;
    return CAIRN_OK;
}

static cairn_status
resolve_arg(const cairn_names *names, const cairn_query_node *node, cairn_query *query)
{
    const cairn_node *var = node->vars;
    const bool        over_value =
        query->func == CAIRN_QUERY_SUM || query->func == CAIRN_QUERY_ENUM;
    const char *more;
    int         other, count = 1;

    if (!var)
        return resolve_word(names, node->place, over_value ? "value" : "sumVal",
                            &query->arg, &query->arg_text);
    CAIRN_TRY(resolve_var(names, node, var, &query->arg, &query->arg_text));
    while ((var = var->next)) {
        if (++count > CAIRN_MAX_ORDER)
            return cairn_fail_in(names->scope, var->place, "more than %d arguments",
                                 CAIRN_MAX_ORDER);
        CAIRN_TRY(resolve_var(names, node, var, &other, &more));
        if (other != query->arg)
            return cairn_fail_in(
                names->scope, var->place,
                "a query runs over one thing, not over %.60s and %.60s",
                query->arg_text, more);
        CAIRN_TRY(join_texts(names, more, &query->arg_text));
    }
    return CAIRN_OK;
}

static cairn_status check_arg(const cairn_names      *names,
                              const cairn_query_node *node,
                              const cairn_query      *query)
{
    if (query->arg != CAIRN_ARG_VALUE) return CAIRN_OK;
    if (query->func == CAIRN_QUERY_REORDER)
        return cairn_fail_in(names->scope, node->place,
                             "reorder orders the groups of an earlier query; name one");
    if (query->func == CAIRN_QUERY_SCHEDULE)
        return cairn_fail_in(
            names->scope, node->place,
            "schedule hands out the groups of an earlier query; name one");
    return CAIRN_OK;
}

/// A clause that the function has no meaning for is refused. A sum's order changes
/// nothing, but its traverseBy is kept as it was given.
static cairn_status check_clauses(const cairn_names      *names,
                                  const cairn_query_node *node)
{
    enum { GROUP = 1u << CAIRN_CLAUSE_GROUP_BY | 1u << CAIRN_CLAUSE_TRAVERSE_BY };
    static const unsigned allowed[] = {
        [CAIRN_QUERY_SUM] = GROUP | 1u << CAIRN_CLAUSE_WITH,
        [CAIRN_QUERY_ENUM] =
            GROUP | 1u << CAIRN_CLAUSE_WITH | 1u << CAIRN_CLAUSE_DISTANCE,
        [CAIRN_QUERY_REORDER] =
            GROUP | 1u << CAIRN_CLAUSE_ASCEND | 1u << CAIRN_CLAUSE_DESCEND,
        [CAIRN_QUERY_SCHEDULE] = GROUP | 1u << CAIRN_CLAUSE_BUCKETS,
    };
    static const char *const belongs[CAIRN_CLAUSES] = {
        [CAIRN_CLAUSE_WITH]     = "with belongs to sum and enum",
        [CAIRN_CLAUSE_BUCKETS]  = "buckets belongs to schedule",
        [CAIRN_CLAUSE_DISTANCE] = "distance belongs to enum",
        [CAIRN_CLAUSE_ASCEND]   = "ascend belongs to reorder",
        [CAIRN_CLAUSE_DESCEND]  = "descend belongs to reorder",
    };
    enum { BOTH = 1u << CAIRN_CLAUSE_ASCEND | 1u << CAIRN_CLAUSE_DESCEND };

    for (int c = 0; c < CAIRN_CLAUSES; c++)
        if (node->given & ~allowed[node->func] & 1u << c)
            return cairn_fail_in(names->scope, node->where[c], "%s, not to %s",
                                 belongs[c], func_names[node->func]);
    if ((node->given & BOTH) == BOTH)
        return cairn_fail_in(names->scope, node->where[CAIRN_CLAUSE_DESCEND],
                             "a reorder cannot both ascend and descend");
    return CAIRN_OK;
}

/// A map of the query, over as many dimensions as the index map.
static cairn_status
resolve_map(const cairn_names *names, const cairn_map_node *node, cairn_map *map)
{
    cairn_names own = *names;

    CAIRN_TRY(cairn_resolve_dims(&own, node));
    if (own.order != names->order)
        return cairn_fail_in(names->scope, node->place,
                             "the map has %d dimensions, but the tensor has %d",
                             own.order, names->order);
    return cairn_resolve_exprs(&own, node, map);
}

/// The id order: (d0,d1)->(d0,d1), or no key at all.
static bool is_id_order(const cairn_map *map)
{
    if (map->count != 0 && map->count != map->order) return false;
    for (int k = 0; k < map->count; k++)
        if (map->expr[k]->op != CAIRN_EXPR_DIM || map->expr[k]->value != k)
            return false;
    return true;
}

/// A map behind a pointer; NULL stays the default.
static cairn_status resolve_pointed(const cairn_names    *names,
                                    const cairn_map_node *node,
                                    const cairn_map     **map)
{
    cairn_map *fresh;

    CAIRN_TRY(CAIRN_ARENA_NEW(names->scope->resolver->arena, 1, &fresh));
    CAIRN_TRY(resolve_map(names, node, fresh));
    *map = fresh;
    return CAIRN_OK;
}

static cairn_status
resolve_maps(const cairn_names *names, const cairn_query_node *node, cairn_query *query)
{
    query->group_by.order = names->order;
    if (node->group_by) CAIRN_TRY(resolve_map(names, node->group_by, &query->group_by));
    if (node->traverse_by)
        CAIRN_TRY(resolve_pointed(names, node->traverse_by, &query->traverse_by));
    if (node->distance_by)
        CAIRN_TRY(resolve_pointed(names, node->distance_by, &query->distance_by));
    if (query->distance_by && query->distance_by->count == 0) query->distance_by = NULL;
    if (query->traverse_by && is_id_order(query->traverse_by))
        query->traverse_by = NULL;
    return CAIRN_OK;
}

static cairn_status resolve_start(const cairn_names      *names,
                                  const cairn_start_node *node,
                                  const cairn_query      *query,
                                  cairn_start            *start)
{
    int number;

    if (node->number) {
        start->kind = CAIRN_START_CONST;
        return cairn_resolve_const(names->scope, node->number, &start->value);
    }
    if (strcmp(node->word, "none") == 0) {
        if (query->func != CAIRN_QUERY_ENUM)
            return cairn_fail_in(names->scope, node->place,
                                 "none belongs to enum, not to %s",
                                 func_names[query->func]);
        start->kind = CAIRN_START_NONE;
        return CAIRN_OK;
    }
    CAIRN_TRY(resolve_word(names, node->place, node->word, &number, &start->text));
    if (number == CAIRN_ARG_VALUE)
        return cairn_fail_in(
            names->scope, node->place,
            "'->' needs a number, sumVal, the name of a query or none, "
            "not %s",
            start->text);
    start->kind  = CAIRN_START_QUERY;
    start->value = number;
    return CAIRN_OK;
}

static cairn_status resolve_case(const cairn_names     *names,
                                 const cairn_case_node *node,
                                 const cairn_query     *query,
                                 cairn_case            *when)
{
    CAIRN_TRY(resolve_word(names, node->place, node->var, &when->var, &when->text));
    if (when->var == CAIRN_ARG_VALUE && query->arg != CAIRN_ARG_VALUE)
        return cairn_fail_in(names->scope, node->place,
                             "%s runs over the groups of %.60s; a condition asks that, "
                             "not value",
                             func_names[query->func], query->arg_text);
    when->relation = node->relation;
    CAIRN_TRY(cairn_resolve_const(names->scope, node->constant, &when->constant));
    return resolve_start(names, &node->start, query, &when->start);
}

static bool is_const(const cairn_start *start, int64_t value)
{
    return start->kind == CAIRN_START_CONST && start->value == value;
}

/// Does the value map say what it would without `with`?
static bool is_default_with(const cairn_query *query)
{
    const cairn_case *first = &query->when[0];

    if (!is_const(&query->otherwise, 0)) return false;
    if (query->func != CAIRN_QUERY_SUM) return query->cases == 0;
    return query->cases == 1 && first->var == query->arg
           && first->relation == CAIRN_REL_NE && first->constant == 0
           && is_const(&first->start, 1);
}

static void set_default_with(cairn_query *query)
{
    query->otherwise = (cairn_start){.kind = CAIRN_START_CONST, .value = 0};
    if (query->func != CAIRN_QUERY_SUM) return;
    query->cases   = 1;
    query->when[0] = (cairn_case){
        .var      = query->arg,
        .text     = query->arg_text,
        .relation = CAIRN_REL_NE,
        .start    = {.kind = CAIRN_START_CONST, .value = 1},
    };
}

static cairn_status
resolve_with(const cairn_names *names, const cairn_query_node *node, cairn_query *query)
{
    if (!(node->given & 1u << CAIRN_CLAUSE_WITH)) {
        set_default_with(query);
        return CAIRN_OK;
    }
    for (const cairn_case_node *c = node->cases; c; c = c->next) {
        if (query->cases == CAIRN_MAX_CASES)
            return cairn_fail_in(names->scope, c->place, "more than %d conditions",
                                 CAIRN_MAX_CASES);
        CAIRN_TRY(resolve_case(names, c, query, &query->when[query->cases]));
        query->cases++;
    }
    CAIRN_TRY(resolve_start(names, &node->otherwise, query, &query->otherwise));
    query->has_with = !is_default_with(query);
    return CAIRN_OK;
}

/// traverseBy (d0,d1)->(d0/2) without buckets: 2 buckets, as in the paper's listing.
static cairn_status resolve_shorthand(const cairn_names      *names,
                                      const cairn_query_node *node,
                                      cairn_query            *query)
{
    const cairn_map  *map = query->traverse_by;
    const cairn_expr *e   = map && map->count == 1 ? map->expr[0] : NULL;

    if (!e || e->op != CAIRN_EXPR_DIV || e->a->op != CAIRN_EXPR_DIM)
        return cairn_fail_in(
            names->scope, node->place,
            "schedule needs buckets, or one dimension over a constant in "
            "traverseBy");
    query->shorthand = true;
    query->buckets   = e->b->value;
    return CAIRN_OK;
}

static cairn_status resolve_numbers(const cairn_names      *names,
                                    const cairn_query_node *node,
                                    cairn_query            *query)
{
    if (node->distance)
        CAIRN_TRY(cairn_resolve_range(names->scope, node->distance, "distance", 1,
                                      INT64_MAX, &query->distance));
    if (query->func != CAIRN_QUERY_SCHEDULE) return CAIRN_OK;
    if (!node->buckets) return resolve_shorthand(names, node, query);
    return cairn_resolve_range(names->scope, node->buckets, "buckets", 1, INT64_MAX,
                               &query->buckets);
}

static cairn_status
resolve_name(const cairn_names *names, const cairn_query_node *node, cairn_query *query)
{
    if (!node->name) return CAIRN_OK;
    if (cairn_query_find(names->query, names->queries, node->name) >= 0)
        return cairn_fail_in(names->scope, node->place, "query %.60s is defined twice",
                             node->name);
    return cairn_arena_copy(names->scope->resolver->arena, node->name,
                            strlen(node->name), &query->name);
}

cairn_status cairn_resolve_query(const cairn_names      *names,
                                 const cairn_query_node *node,
                                 cairn_query            *query)
{
    *query = (cairn_query){.func    = node->func,
                           .place   = node->place,
                           .descend = node->given >> CAIRN_CLAUSE_DESCEND & 1};
    CAIRN_TRY(resolve_name(names, node, query));
    CAIRN_TRY(check_clauses(names, node));
    CAIRN_TRY(resolve_arg(names, node, query));
    CAIRN_TRY(check_arg(names, node, query));
    CAIRN_TRY(resolve_maps(names, node, query));
    CAIRN_TRY(resolve_with(names, node, query));
    return resolve_numbers(names, node, query);
}
