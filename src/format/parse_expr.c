// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parsing of expressions, numbers and maps.

#include "format/parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Digits of the longest decimal; the smallest doubles need some 340 in print.
enum { MAX_DECIMAL = 400 };

cairn_status cairn_parse_text(cairn_parser *p, const char **text)
{
    return cairn_arena_copy(p->arena, p->lex.token.start, p->lex.token.length, text);
}

cairn_status cairn_parse_id(cairn_parser *p, const char *what, const char **id)
{
    if (p->lex.token.kind != CAIRN_TOKEN_ID) return cairn_lex_expected(&p->lex, what);
    CAIRN_TRY(cairn_parse_text(p, id));
    cairn_lex_next(&p->lex);
    return CAIRN_OK;
}

cairn_status cairn_parse_enter(cairn_parser *p)
{
    if (p->depth == CAIRN_MAX_NESTING)
        return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin,
                             p->lex.token.place, "nested deeper than %d",
                             CAIRN_MAX_NESTING);
    p->depth++;
    return CAIRN_OK;
}

cairn_param *cairn_find_param(const cairn_parser *p)
{
    const cairn_token *t = &p->lex.token;

    for (int k = 0; p->definition && k < p->definition->params; k++) {
        cairn_param *param = &p->definition->param[k];

        if (strlen(param->name) == t->length
            && !memcmp(param->name, t->start, t->length))
            return param;
    }
    return NULL;
}

cairn_status cairn_use_param(cairn_parser *p, cairn_param *param, cairn_param_kind kind)
{
    if (param->kind != CAIRN_PARAM_UNKNOWN && param->kind != kind)
        return cairn_fail_at(
            p->lex.env, CAIRN_BAD_FORMAT, p->lex.origin, p->lex.token.place,
            "parameter %s is used as a number and as a format", param->name);
    param->kind = kind;
    return CAIRN_OK;
}

static cairn_status new_node(cairn_parser *p, cairn_node_op op, cairn_node **node)
{
    cairn_node *fresh;

    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, &fresh));
    fresh->op     = op;
    fresh->place  = p->lex.token.place;
    fresh->height = 1;
    *node         = fresh;
    return CAIRN_OK;
}

/// Make *node the parent of itself and @p b (NULL: of itself alone).
static cairn_status wrap(cairn_parser       *p,
                         cairn_node_op       op,
                         cairn_text_position place,
                         cairn_node        **node,
                         cairn_node         *b)
{
    cairn_node *fresh;
    const int   below = b && b->height > (*node)->height ? b->height : (*node)->height;

    if (below == CAIRN_MAX_HEIGHT)
        return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin, place,
                             "an expression has more than %d operators in a row",
                             CAIRN_MAX_HEIGHT);
    CAIRN_TRY(new_node(p, op, &fresh));
    fresh->place  = place;
    fresh->height = below + 1;
    fresh->a      = *node;
    fresh->b      = b;
    *node         = fresh;
    return CAIRN_OK;
}

static cairn_status parse_integer(cairn_parser *p, uint64_t limit, cairn_node **node)
{
    const cairn_token t = p->lex.token;

    if (t.big || t.value > limit)
        return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin, t.place,
                             "a number is beyond 64 bits");
    CAIRN_TRY(new_node(p, CAIRN_NODE_INT, node));
    (*node)->value = (int64_t)t.value;
    cairn_lex_next(&p->lex);
    return CAIRN_OK;
}

/// expr { ',' expr } up to ')'; an empty list is one too.
static cairn_status parse_list(cairn_parser *p, cairn_node **list)
{
    if (cairn_lex_take(&p->lex, ')')) return CAIRN_OK;
    do {
        CAIRN_TRY(cairn_parse_expr(p, list));
        list = &(*list)->next;
    } while (cairn_lex_take(&p->lex, ','));
    if (!cairn_lex_take(&p->lex, ')')) return cairn_lex_expected(&p->lex, "',' or ')'");
    return CAIRN_OK;
}

/// d[n], or indirect(...); the name has been taken.
static cairn_status parse_dims(cairn_parser *p, cairn_node *node)
{
    node->op = CAIRN_NODE_DIMS;
    cairn_lex_next(&p->lex);
    CAIRN_TRY(cairn_parse_enter(p));
    CAIRN_TRY(cairn_parse_expr(p, &node->a));
    p->depth--;
    return cairn_lex_need(&p->lex, ']');
}

static cairn_status parse_indirect(cairn_parser *p, cairn_node *node)
{
    const cairn_text_position place = p->lex.token.place;

    node->op = CAIRN_NODE_INDIRECT;
    CAIRN_TRY(cairn_lex_need(&p->lex, '('));
    CAIRN_TRY(cairn_parse_enter(p));
    CAIRN_TRY(parse_list(p, &node->a));
    p->depth--;
    if (!node->a)
        return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin, place,
                             "indirect needs an expression in its brackets");
    return CAIRN_OK;
}

static cairn_status parse_name(cairn_parser *p, cairn_node **node)
{
    cairn_param *const param = cairn_find_param(p);

    CAIRN_TRY(new_node(p, CAIRN_NODE_ID, node));
    if (param) CAIRN_TRY(cairn_use_param(p, param, CAIRN_PARAM_NUMBER));
    CAIRN_TRY(cairn_parse_id(p, "a name", &(*node)->name));
    if (strcmp((*node)->name, "indirect") == 0) return parse_indirect(p, *node);
    if (strcmp((*node)->name, "d") == 0 && cairn_lex_is(&p->lex, '['))
        return parse_dims(p, *node);
    return CAIRN_OK;
}

static cairn_status parse_primary(cairn_parser *p, cairn_node **node)
{
    switch (p->lex.token.kind) {
    case CAIRN_TOKEN_INT: return parse_integer(p, INT64_MAX, node);
    case CAIRN_TOKEN_ID: return parse_name(p, node);
    case CAIRN_TOKEN_DECIMAL: return cairn_lex_expected(&p->lex, "an integer");
    default: break;
    }
    if (!cairn_lex_is(&p->lex, '('))
        return cairn_lex_expected(&p->lex, "an expression");
    cairn_lex_next(&p->lex);
    CAIRN_TRY(cairn_parse_enter(p));
    CAIRN_TRY(cairn_parse_expr(p, node));
    p->depth--;
    return cairn_lex_need(&p->lex, ')');
}

static bool take_minus(cairn_parser *p)
{
    return cairn_lex_take(&p->lex, '-') || cairn_lex_take_word(&p->lex, "minus");
}

static cairn_status parse_unary(cairn_parser *p, cairn_node **node)
{
    const cairn_text_position place = p->lex.token.place;

    if (!take_minus(p)) return parse_primary(p, node);
    /* The least integer has no positive counterpart that a literal could hold. */
    if (p->lex.token.kind == CAIRN_TOKEN_INT && !p->lex.token.big
        && p->lex.token.value == (uint64_t)INT64_MAX + 1) {
        CAIRN_TRY(parse_integer(p, (uint64_t)INT64_MAX + 1, node));
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_parse_enter(p));
    CAIRN_TRY(parse_unary(p, node));
    p->depth--;
    return wrap(p, CAIRN_NODE_NEG, place, node, NULL);
}

/// The operator at hand with the precedence of `*` or of `+`, or -1.
static int operator_at(const cairn_parser *p, bool product)
{
    static const struct {
        const char   *text;
        bool          product;
        cairn_node_op op;
    } table[] = {
        {"*",        true,  CAIRN_NODE_MUL},
        {"/",        true,  CAIRN_NODE_DIV},
        {"floordiv", true,  CAIRN_NODE_DIV},
        {"%",        true,  CAIRN_NODE_MOD},
        {"mod",      true,  CAIRN_NODE_MOD},
        {"+",        false, CAIRN_NODE_ADD},
        {"-",        false, CAIRN_NODE_SUB},
        {"minus",    false, CAIRN_NODE_SUB},
    };

    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        const bool here = table[k].text[1] ? cairn_lex_is_word(&p->lex, table[k].text)
                                           : cairn_lex_is(&p->lex, table[k].text[0]);

        if (here && table[k].product == product) return (int)table[k].op;
    }
    return -1;
}

static cairn_status parse_product(cairn_parser *p, cairn_node **node)
{
    int op;

    CAIRN_TRY(parse_unary(p, node));
    while ((op = operator_at(p, true)) >= 0) {
        const cairn_text_position place = p->lex.token.place;
        cairn_node               *right = NULL;

        cairn_lex_next(&p->lex);
        CAIRN_TRY(parse_unary(p, &right));
        CAIRN_TRY(wrap(p, (cairn_node_op)op, place, node, right));
    }
    return CAIRN_OK;
}

cairn_status cairn_parse_expr(cairn_parser *p, cairn_node **expr)
{
    int op;

    CAIRN_TRY(parse_product(p, expr));
    while ((op = operator_at(p, false)) >= 0) {
        const cairn_text_position place = p->lex.token.place;
        cairn_node               *right = NULL;

        cairn_lex_next(&p->lex);
        CAIRN_TRY(parse_product(p, &right));
        CAIRN_TRY(wrap(p, (cairn_node_op)op, place, expr, right));
    }
    return CAIRN_OK;
}

/// Read digits '.' digits as the nearest double, whatever the locale's decimal point:
/// the digits without the point, with an exponent.
static cairn_status parse_decimal(cairn_parser *p, cairn_node **number)
{
    const cairn_token t     = p->lex.token;
    const char *const point = memchr(t.start, '.', t.length);
    const size_t      whole = (size_t)(point - t.start), rest = t.length - whole - 1;
    char              text[MAX_DECIMAL + 16];

    if (t.length > MAX_DECIMAL)
        return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin, t.place,
                             "a number has more than %d digits", MAX_DECIMAL);
    memcpy(text, t.start, whole);
    memcpy(text + whole, point + 1, rest);
    snprintf(text + whole + rest, 16, "e-%zu", rest);
    CAIRN_TRY(new_node(p, CAIRN_NODE_DECIMAL, number));
    (*number)->decimal = strtod(text, NULL);
    if (!isfinite((*number)->decimal))
        return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin, t.place,
                             "a number is beyond double precision");
    cairn_lex_next(&p->lex);
    return CAIRN_OK;
}

cairn_status cairn_parse_number(cairn_parser *p, cairn_node **number)
{
    return p->lex.token.kind == CAIRN_TOKEN_DECIMAL ? parse_decimal(p, number)
                                                    : cairn_parse_expr(p, number);
}

cairn_status cairn_parse_numbers(cairn_parser *p, cairn_node **numbers)
{
    CAIRN_TRY(cairn_lex_need(&p->lex, '['));
    do {
        CAIRN_TRY(cairn_parse_number(p, numbers));
        numbers = &(*numbers)->next;
    } while (cairn_lex_take(&p->lex, ','));
    if (!cairn_lex_take(&p->lex, ']')) return cairn_lex_expected(&p->lex, "',' or ']'");
    return CAIRN_OK;
}

/// One dimension of the left-hand side: an id, or d[n].
static cairn_status parse_dim(cairn_parser *p, cairn_node **dim)
{
    static const char *const operators[] = {"indirect", "floordiv", "mod", "minus",
                                            NULL};

    CAIRN_TRY(new_node(p, CAIRN_NODE_ID, dim));
    if (cairn_lex_find(&p->lex, operators) >= 0)
        return cairn_lex_expected(&p->lex, "a dimension");
    CAIRN_TRY(cairn_parse_id(p, "a dimension", &(*dim)->name));
    if (strcmp((*dim)->name, "d") == 0 && cairn_lex_is(&p->lex, '['))
        return parse_dims(p, *dim);
    return CAIRN_OK;
}

static cairn_status parse_dim_list(cairn_parser *p, cairn_node **list)
{
    CAIRN_TRY(cairn_lex_need(&p->lex, '('));
    if (cairn_lex_take(&p->lex, ')')) return CAIRN_OK;
    do {
        CAIRN_TRY(parse_dim(p, list));
        list = &(*list)->next;
    } while (cairn_lex_take(&p->lex, ','));
    if (!cairn_lex_take(&p->lex, ')')) return cairn_lex_expected(&p->lex, "',' or ')'");
    return CAIRN_OK;
}

cairn_status cairn_parse_map(cairn_parser *p, cairn_map_node **map)
{
    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, map));
    (*map)->place = p->lex.token.place;
    CAIRN_TRY(parse_dim_list(p, &(*map)->dims));
    if (p->lex.token.kind != CAIRN_TOKEN_ARROW)
        return cairn_lex_expected(&p->lex, "'->'");
    cairn_lex_next(&p->lex);
    CAIRN_TRY(cairn_lex_need(&p->lex, '('));
    return parse_list(p, &(*map)->exprs);
}
