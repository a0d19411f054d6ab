// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parsing of queries: `name = func(var) clauses`, and `#unisparse.func<var, clauses>`
/// as in line 11 of the paper's Figure 3d.

#include "format/parse.h"

static const char *const funcs[] = {"sum",      "enum",      "reorder",
                                    "schedule", "enumerate", NULL};

static const cairn_query_func func_of[] = {CAIRN_QUERY_SUM, CAIRN_QUERY_ENUM,
                                           CAIRN_QUERY_REORDER, CAIRN_QUERY_SCHEDULE,
                                           CAIRN_QUERY_ENUM};

static const char *const angle_funcs[] = {"unisparse.sum",       "unisparse.enum",
                                          "unisparse.reorder",   "unisparse.schedule",
                                          "unisparse.enumerate", NULL};

/// In the order of cairn_clause.
static const char *const clauses[] = {"groupBy",  "traverseBy", "with",    "buckets",
                                      "distance", "ascend",     "descend", NULL};

static const char *const relations[] = {"eq", "ne", "gt", "ge", "lt",
                                        "le", "bt", "be", NULL};

static const cairn_relation relation_of[] = {CAIRN_REL_EQ, CAIRN_REL_NE, CAIRN_REL_GT,
                                             CAIRN_REL_GE, CAIRN_REL_LT, CAIRN_REL_LE,
                                             CAIRN_REL_GT, CAIRN_REL_GE};

const char *const cairn_reserved_words[] = {
    "value",   "val",        "sumVal",   "none",    "otherwise", "indirect",
    "groupBy", "traverseBy", "with",     "buckets", "distance",  "ascend",
    "descend", "by",         "floordiv", "mod",     "minus",     NULL};

bool cairn_at_angle_query(const cairn_parser *p)
{
    cairn_lexer ahead = p->lex;

    if (ahead.token.kind != CAIRN_TOKEN_HASH) return false;
    if (cairn_lex_find(&ahead, angle_funcs) < 0) return false;
    cairn_lex_next(&ahead);
    return cairn_lex_is(&ahead, '<');
}

static cairn_status parse_constant_start(cairn_parser *p, cairn_start_node *start)
{
    if (p->lex.token.kind != CAIRN_TOKEN_INT && !cairn_lex_is(&p->lex, '-')
        && !cairn_lex_is(&p->lex, '(') && !cairn_find_param(p))
        return cairn_lex_expected(&p->lex,
                                  "a number, sumVal, the name of a query or none");
    return cairn_parse_expr(p, &start->number);
}

/// '->' start
static cairn_status parse_start(cairn_parser *p, cairn_start_node *start)
{
    if (p->lex.token.kind != CAIRN_TOKEN_ARROW)
        return cairn_lex_expected(&p->lex, "'->'");
    cairn_lex_next(&p->lex);
    start->place = p->lex.token.place;
    if (p->lex.token.kind != CAIRN_TOKEN_ID || cairn_find_param(p)
        || cairn_lex_is_word(&p->lex, "minus"))
        return parse_constant_start(p, start);
    return cairn_parse_id(p, "a name", &start->word);
}

/// var REL CONST '->' start '|'
static cairn_status parse_case(cairn_parser *p, cairn_case_node **node)
{
    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, node));
    (*node)->place = p->lex.token.place;
    CAIRN_TRY(cairn_parse_id(p, "a condition or otherwise", &(*node)->var));

    const int relation = cairn_lex_find(&p->lex, relations);

    if (relation < 0)
        return cairn_lex_expected_word(&p->lex, "eq, ne, gt, ge, lt or le", relations);
    (*node)->relation = relation_of[relation];
    cairn_lex_next(&p->lex);
    CAIRN_TRY(cairn_parse_expr(p, &(*node)->constant));
    CAIRN_TRY(parse_start(p, &(*node)->start));
    return cairn_lex_need(&p->lex, '|');
}

static cairn_status parse_cases(cairn_parser *p, cairn_query_node *query)
{
    cairn_case_node **next = &query->cases;

    while (!cairn_lex_is_word(&p->lex, "otherwise")) {
        CAIRN_TRY(parse_case(p, next));
        next = &(*next)->next;
    }
    cairn_lex_next(&p->lex);
    return parse_start(p, &query->otherwise);
}

static cairn_status parse_distance(cairn_parser *p, cairn_query_node *query)
{
    CAIRN_TRY(cairn_parse_expr(p, &query->distance));
    if (!cairn_lex_take_word(&p->lex, "by")) return CAIRN_OK;
    return cairn_parse_map(p, &query->distance_by);
}

static cairn_status
parse_clause(cairn_parser *p, cairn_clause clause, cairn_query_node *query)
{
    if (query->given & 1u << clause)
        return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin,
                             p->lex.token.place, "%s is given twice", clauses[clause]);
    query->given |= 1u << clause;
    query->where[clause] = p->lex.token.place;
    cairn_lex_next(&p->lex);
    switch (clause) {
    case CAIRN_CLAUSE_GROUP_BY: return cairn_parse_map(p, &query->group_by);
    case CAIRN_CLAUSE_TRAVERSE_BY: return cairn_parse_map(p, &query->traverse_by);
    case CAIRN_CLAUSE_WITH: return parse_cases(p, query);
    case CAIRN_CLAUSE_BUCKETS: return cairn_parse_expr(p, &query->buckets);
    case CAIRN_CLAUSE_DISTANCE: return parse_distance(p, query);
    default: return CAIRN_OK;
    }
}

/// The clause at hand, or -1.
static int clause_at(const cairn_parser *p)
{
    return p->lex.token.kind == CAIRN_TOKEN_ID ? cairn_lex_find(&p->lex, clauses) : -1;
}

static cairn_status parse_var(cairn_parser *p, cairn_node **var)
{
    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, var));
    (*var)->op    = CAIRN_NODE_ID;
    (*var)->place = p->lex.token.place;
    return cairn_parse_id(p, "value or the name of an earlier query", &(*var)->name);
}

/// '<' [ var ',' ] { [','] clause } '>', after '#unisparse.func'.
static cairn_status parse_angle(cairn_parser *p, cairn_query_node *query)
{
    int clause;

    query->func = func_of[cairn_lex_find(&p->lex, angle_funcs)];
    cairn_lex_next(&p->lex);
    CAIRN_TRY(cairn_lex_need(&p->lex, '<'));
    if (p->lex.token.kind == CAIRN_TOKEN_ID && clause_at(p) < 0) {
        CAIRN_TRY(parse_var(p, &query->vars));
        if (!cairn_lex_is(&p->lex, '>')) CAIRN_TRY(cairn_lex_need(&p->lex, ','));
    }
    while (!cairn_lex_take(&p->lex, '>')) {
        cairn_lex_take(&p->lex, ',');
        if ((clause = clause_at(p)) < 0)
            return cairn_lex_expected_word(&p->lex, "a clause or '>'", clauses);
        CAIRN_TRY(parse_clause(p, (cairn_clause)clause, query));
    }
    return CAIRN_OK;
}

/// func '(' var { ',' var } ')' { clause }
static cairn_status parse_call(cairn_parser *p, cairn_query_node *query)
{
    cairn_node **next = &query->vars;
    int          clause;

    query->func = func_of[cairn_lex_find(&p->lex, funcs)];
    cairn_lex_next(&p->lex);
    CAIRN_TRY(cairn_lex_need(&p->lex, '('));
    do {
        CAIRN_TRY(parse_var(p, next));
        next = &(*next)->next;
    } while (cairn_lex_take(&p->lex, ','));
    CAIRN_TRY(cairn_lex_need(&p->lex, ')'));
    while ((clause = clause_at(p)) >= 0)
        CAIRN_TRY(parse_clause(p, (cairn_clause)clause, query));
    return CAIRN_OK;
}

/// A query's name must not read as a word of the language or as a dimension.
static cairn_status check_name(cairn_parser *p)
{
    char              word[64];
    const cairn_token t = p->lex.token;

    cairn_quote(word, t.start, t.length, 12);
    if (cairn_lex_find(&p->lex, cairn_reserved_words) >= 0)
        return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin, t.place,
                             "a query cannot be called %s: the word has a meaning",
                             word);
    if (cairn_find_param(p))
        return cairn_fail_at(p->lex.env, CAIRN_BAD_FORMAT, p->lex.origin, t.place,
                             "a query cannot be called %s: a parameter is", word);
    if (t.start[0] != 'd' || t.length == 1) return CAIRN_OK;
    for (size_t k = 1; k < t.length; k++)
        if (t.start[k] < '0' || t.start[k] > '9') return CAIRN_OK;
    return cairn_fail_at(p->lex.env, CAIRN_BAD_FORMAT, p->lex.origin, t.place,
                         "a query cannot be called %s: dimensions are", word);
}

/// id '=', if it is there: an id that is followed by '='.
static cairn_status parse_query_name(cairn_parser *p, cairn_query_node *query)
{
    cairn_lexer ahead = p->lex;

    if (ahead.token.kind != CAIRN_TOKEN_ID) return CAIRN_OK;
    cairn_lex_next(&ahead);
    if (!cairn_lex_is(&ahead, '=')) return CAIRN_OK;
    CAIRN_TRY(check_name(p));
    CAIRN_TRY(cairn_parse_text(p, &query->name));
    cairn_lex_next(&ahead);
    p->lex = ahead;
    return CAIRN_OK;
}

cairn_status cairn_parse_query(cairn_parser *p, cairn_query_node **query)
{
    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, query));
    (*query)->place = p->lex.token.place;
    CAIRN_TRY(parse_query_name(p, *query));
    if (cairn_at_angle_query(p)) return parse_angle(p, *query);
    if (p->lex.token.kind != CAIRN_TOKEN_ID || cairn_lex_find(&p->lex, funcs) < 0)
        return cairn_lex_expected_word(
            &p->lex, "a query (sum, enum, reorder or schedule)", funcs);
    return parse_call(p, *query);
}
