// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Injectivity of index maps, and functions of groups.

#include "format/check.h"

#include "format/known.h"
#include "format/language.h"

/// Everything that one check needs; two thirds of a megabyte, so not on the stack.
typedef struct {
    cairn_env            *env;
    const cairn_encoding *encoding;
    const char           *origin;
    cairn_algebra        *algebra;
    cairn_known          *known;
} checker;

/// A remainder f%c alone may still give back f, if sizes say so later: for the text its
/// floor counts as known.
static cairn_status assume_floors(checker *c)
{
    const int atoms = c->algebra->atoms;

    for (int a = 0; a < atoms; a++) {
        const cairn_atom atom = c->algebra->atom[a];
        cairn_form       floor;

        if (atom.kind != CAIRN_ATOM_MOD) continue;
        CAIRN_TRY(cairn_form_div(c->algebra, &atom.form, atom.divisor, &floor));
        CAIRN_TRY(cairn_known_add(c->known, &floor, NULL, NULL));
    }
    return CAIRN_OK;
}

/// Refuse the map: dimension @p dim does not come back. The offending expression is the
/// first direct one that uses it.
static cairn_status refuse_map(checker *c, int dim)
{
    const cairn_map *map = &c->encoding->map;

    for (int level = 0; level < map->count; level++) {
        const cairn_expr *expr = map->expr[level];
        cairn_form        form;
        char             *text;

        if (cairn_expr_is_indirect(expr)) continue;
        CAIRN_TRY(cairn_form_of(c->algebra, expr, &form));
        if (!(cairn_form_dims(c->algebra, &form) & 1U << dim)) continue;
        CAIRN_TRY(cairn_expr_print(c->env, expr, c->encoding->query, &text));
        const cairn_status status = cairn_fail(
            c->env, CAIRN_BAD_FORMAT,
            "format: %s:%d:%d: the index map does not give back d%d: level %d, "
            "'%s', and the levels beside it leave it open",
            c->origin, expr->place.line, expr->place.column, dim, level, text);
        cairn_free(c->env, text);
        return status;
    }
    return cairn_fail(c->env, CAIRN_BAD_FORMAT,
                      "format: %s: the index map does not give back d%d: no direct "
                      "expression uses it",
                      c->origin, dim);
}

static cairn_status check_map(checker *c)
{
    const cairn_map *map = &c->encoding->map;

    for (int level = 0; level < map->count; level++) {
        cairn_form form;

        if (cairn_expr_is_indirect(map->expr[level])) continue;
        CAIRN_TRY(cairn_form_of(c->algebra, map->expr[level], &form));
        CAIRN_TRY(cairn_known_add(c->known, &form, NULL, NULL));
    }
    CAIRN_TRY(assume_floors(c));
    for (int dim = 0; dim < map->order; dim++) {
        const cairn_form form = {.terms = 1, .term = {{dim, 1}}};
        bool             back;

        CAIRN_TRY(cairn_known_solve(c->known, &form, &back, NULL));
        if (!back) return refuse_map(c, dim);
    }
    return CAIRN_OK;
}

/// Start over with only the values of @p map known, and all that follows from them.
static cairn_status know_map(checker *c, const cairn_map *map, const cairn_map *wanted)
{
    cairn_form form;

    cairn_known_destroy(c->env, &c->known);
    CAIRN_TRY(cairn_known_create(c->env, c->algebra, &c->known));
    for (int k = 0; k < map->count; k++) {
        CAIRN_TRY(cairn_form_of(c->algebra, map->expr[k], &form));
        CAIRN_TRY(cairn_known_add(c->known, &form, NULL, NULL));
    }
    for (int k = 0; k < wanted->count;
         k++) /* their floors must be atoms to be closed over */
        CAIRN_TRY(cairn_form_of(c->algebra, wanted->expr[k], &form));
    return cairn_known_close(c->known, NULL, 0);
}

/// Are the groups of @p inner functions of those of @p outer?
static cairn_status check_groups(checker           *c,
                                 const cairn_query *query,
                                 const cairn_map   *inner,
                                 const cairn_map   *outer,
                                 const char        *what)
{
    CAIRN_TRY(know_map(c, outer, inner));
    for (int k = 0; k < inner->count; k++) {
        cairn_form form;
        bool       given;
        char      *text;

        CAIRN_TRY(cairn_form_of(c->algebra, inner->expr[k], &form));
        CAIRN_TRY(cairn_known_solve(c->known, &form, &given, NULL));
        if (given) continue;
        CAIRN_TRY(cairn_expr_print(c->env, inner->expr[k], c->encoding->query, &text));
        const cairn_status status = cairn_fail(
            c->env, CAIRN_BAD_FORMAT, "format: %s:%d:%d: '%s' is not a function of %s",
            c->origin, query->place.line, query->place.column, text, what);
        cairn_free(c->env, text);
        return status;
    }
    return CAIRN_OK;
}

/// The value of query @p other must be one per element, or per group, of @p query.
static cairn_status
check_use(checker *c, const cairn_query *query, int other, bool per_group)
{
    const cairn_query *queries = c->encoding->query;

    if (other < 0 || other == query->arg) return CAIRN_OK;
    if (per_group)
        return check_groups(c, query, &queries[other].group_by, &query->group_by,
                            "the groups of this query, whose start it is");
    if (query->arg == CAIRN_ARG_VALUE) return CAIRN_OK;
    return check_groups(c, query, &queries[other].group_by,
                        &queries[query->arg].group_by,
                        "the groups of the query it is taken over");
}

static cairn_status
check_start(checker *c, const cairn_query *query, const cairn_start *start)
{
    if (start->kind != CAIRN_START_QUERY) return CAIRN_OK;
    return check_use(c, query, (int)start->value, query->func == CAIRN_QUERY_ENUM);
}

static cairn_status check_query(checker *c, const cairn_query *query)
{
    const cairn_query *queries = c->encoding->query;

    if (query->arg != CAIRN_ARG_VALUE)
        CAIRN_TRY(check_groups(c, query, &query->group_by,
                               &queries[query->arg].group_by,
                               "the groups of the query it is taken over"));
    for (int k = 0; k < query->cases; k++) {
        CAIRN_TRY(check_use(c, query, query->when[k].var, false));
        CAIRN_TRY(check_start(c, query, &query->when[k].start));
    }
    return check_start(c, query, &query->otherwise);
}

cairn_status
cairn_encoding_check(cairn_env *env, const cairn_encoding *encoding, const char *origin)
{
    checker      c      = {.env = env, .encoding = encoding, .origin = origin};
    cairn_status status = CAIRN_NEW(env, 1, &c.algebra);

    if (status != CAIRN_OK) return status;
    cairn_algebra_init(c.algebra, env, encoding->map.order);
    CAIRN_GO(done, cairn_known_create(env, c.algebra, &c.known));
    CAIRN_GO(done, check_map(&c));
    for (int q = 0; q < encoding->queries; q++)
        CAIRN_GO(done, check_query(&c, &encoding->query[q]));
done:
    cairn_known_destroy(env, &c.known);
    cairn_free(env, c.algebra);
    return status;
}
