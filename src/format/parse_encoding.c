// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parsing of encodings: the index map and the fields around it.

#include "format/parse.h"

#include <stdio.h>

enum { MAP, MUTATION, INDIRECT, LAYOUT, BITS, FIELDS };

/// A field, by its name or the released code's, and what may stand after its '='.
static const char *const names[]          = {"idx_map",     "mutation",     "indirect",
                                             "layout",      "bits",         "crdMap",
                                             "compressMap", "indirectFunc", NULL};
static const int         field_of[]       = {MAP,  MUTATION, INDIRECT, LAYOUT,
                                             BITS, MAP,      MUTATION, INDIRECT};
static const char *const kinds[FIELDS][3] = {
    [MAP]      = {"unisparse.map",       "unisparse.crd"},
    [MUTATION] = {"unisparse.prim",                     "unisparse.compress"},
    [INDIRECT] = {"unisparse.indirect"},
    [LAYOUT]   = {"unisparse.layout" },
};

static cairn_status
new_action(cairn_parser *p, cairn_action_kind kind, cairn_action_node **action)
{
    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, action));
    (*action)->kind  = kind;
    (*action)->place = p->lex.token.place;
    cairn_lex_next(&p->lex);
    return CAIRN_OK;
}

/// levels = CONST [ '..' CONST ]
static cairn_status parse_levels(cairn_parser *p, cairn_node **range)
{
    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, range));
    (*range)->op    = CAIRN_NODE_RANGE;
    (*range)->place = p->lex.token.place;
    CAIRN_TRY(cairn_parse_expr(p, &(*range)->a));
    if (p->lex.token.kind != CAIRN_TOKEN_DOTS) return CAIRN_OK;
    cairn_lex_next(&p->lex);
    return cairn_parse_expr(p, &(*range)->b);
}

static cairn_status parse_merge(cairn_parser *p, cairn_action_node *action)
{
    cairn_node **next = &action->levels;

    CAIRN_TRY(cairn_lex_need(&p->lex, '('));
    do {
        CAIRN_TRY(parse_levels(p, next));
        next = &(*next)->next;
    } while (cairn_lex_take(&p->lex, ','));
    return cairn_lex_take(&p->lex, ')') ? CAIRN_OK
                                        : cairn_lex_expected(&p->lex, "',' or ')'");
}

/// '(' CONST ',' CONST, without the closing bracket.
static cairn_status parse_pair(cairn_parser *p, cairn_action_node *action)
{
    CAIRN_TRY(cairn_lex_need(&p->lex, '('));
    CAIRN_TRY(cairn_parse_expr(p, &action->a));
    CAIRN_TRY(cairn_lex_need(&p->lex, ','));
    return cairn_parse_expr(p, &action->b);
}

static cairn_status parse_mutation(cairn_parser *p, cairn_action_node **action)
{
    static const char *const words[] = {"trim", "merge", "fuse", NULL};
    const int                word    = cairn_lex_find(&p->lex, words);

    if (p->lex.token.kind != CAIRN_TOKEN_ID || word < 0)
        return cairn_lex_expected_word(&p->lex, "trim or merge", words);
    CAIRN_TRY(
        new_action(p, word == 0 ? CAIRN_ACTION_TRIM : CAIRN_ACTION_MERGE, action));
    if (word != 0) return parse_merge(p, *action);
    CAIRN_TRY(parse_pair(p, *action));
    return cairn_lex_need(&p->lex, ')');
}

static cairn_status parse_pack(cairn_parser *p, cairn_action_node *action)
{
    CAIRN_TRY(parse_pair(p, action));
    if (cairn_lex_take(&p->lex, ',')) {
        if (!cairn_lex_take_word(&p->lex, "novalue"))
            return cairn_lex_expected(&p->lex, "novalue");
        action->novalue = true;
    }
    return cairn_lex_need(&p->lex, ')');
}

/// '(' vtype ')'
static cairn_status parse_val(cairn_parser *p, cairn_action_node *action)
{
    static const char *const words[] = {
#define X(id, text, kind, bits) text,
        CAIRN_VAL_TYPE_MAP(X)
#undef X
            NULL};

    CAIRN_TRY(cairn_lex_need(&p->lex, '('));
    action->val = cairn_lex_find(&p->lex, words);
    if (p->lex.token.kind != CAIRN_TOKEN_ID || action->val <= CAIRN_VAL_UNSAID)
        return cairn_lex_expected_word(
            &p->lex, "exact, iso, i8, i16, f16, bf16, f32, f64, dict8 or dict16",
            words + 1);
    cairn_lex_next(&p->lex);
    return cairn_lex_need(&p->lex, ')');
}

static cairn_status parse_arrange(cairn_parser *p, cairn_action_node **action)
{
    static const char *const       words[] = {"pack", "partition", "val", NULL};
    static const cairn_action_kind kind[]  = {CAIRN_ACTION_PACK, CAIRN_ACTION_PARTITION,
                                              CAIRN_ACTION_VAL};
    const int                      word    = cairn_lex_find(&p->lex, words);

    if (p->lex.token.kind != CAIRN_TOKEN_ID || word < 0)
        return cairn_lex_expected_word(&p->lex, "pack, partition or val", words);
    CAIRN_TRY(new_action(p, kind[word], action));
    if (kind[word] == CAIRN_ACTION_PACK) return parse_pack(p, *action);
    if (kind[word] == CAIRN_ACTION_VAL) return parse_val(p, *action);
    CAIRN_TRY(cairn_lex_need(&p->lex, '('));
    CAIRN_TRY(cairn_parse_expr(p, &(*action)->a));
    return cairn_lex_need(&p->lex, ')');
}

/// '8' | '16' | '32' | '64'
static cairn_status parse_bits(cairn_parser *p, int *bits)
{
    const cairn_token *t = &p->lex.token;

    if (t->kind != CAIRN_TOKEN_INT || t->big
        || (t->value != 8 && t->value != 16 && t->value != 32 && t->value != 64))
        return cairn_lex_expected(&p->lex, "8, 16, 32 or 64");
    *bits = (int)t->value;
    cairn_lex_next(&p->lex);
    return CAIRN_OK;
}

static cairn_status parse_width(cairn_parser *p, cairn_action_node **action)
{
    static const char *const words[] = {"ptr", "idx", NULL};
    const int                word    = cairn_lex_find(&p->lex, words);

    if (p->lex.token.kind != CAIRN_TOKEN_ID || word < 0)
        return cairn_lex_expected_word(&p->lex, "ptr or idx", words);
    CAIRN_TRY(new_action(p, word == 0 ? CAIRN_ACTION_PTR : CAIRN_ACTION_IDX, action));
    if (cairn_lex_take(&p->lex, '(')) {
        CAIRN_TRY(cairn_parse_expr(p, &(*action)->a));
        CAIRN_TRY(cairn_lex_need(&p->lex, ')'));
    }
    CAIRN_TRY(cairn_lex_need(&p->lex, '='));
    return parse_bits(p, &(*action)->bits);
}

/// action { ',' action }
static cairn_status parse_actions(cairn_parser *p,
                                  cairn_status (*parse)(cairn_parser *,
                                                        cairn_action_node **),
                                  cairn_action_node **list)
{
    do {
        CAIRN_TRY(parse(p, list));
        list = &(*list)->next;
    } while (cairn_lex_take(&p->lex, ','));
    return CAIRN_OK;
}

/// '{' query { [';'|','] query } '}'; the paper's print has no separators at all.
static cairn_status parse_queries(cairn_parser *p, cairn_query_node **list)
{
    CAIRN_TRY(cairn_lex_need(&p->lex, '{'));
    for (;;) {
        CAIRN_TRY(cairn_parse_query(p, list));
        list = &(*list)->next;
        if (cairn_lex_take(&p->lex, ';') || cairn_lex_take(&p->lex, ',')) continue;
        if (cairn_lex_take(&p->lex, '}')) return CAIRN_OK;
        if (p->lex.token.kind != CAIRN_TOKEN_ID
            && p->lex.token.kind != CAIRN_TOKEN_HASH)
            return cairn_lex_expected(&p->lex, "a clause, ';' or '}'");
    }
}

/// [ '=' '#unisparse.KIND' ] before a field's '<'.
static cairn_status skip_kind(cairn_parser *p, int field)
{
    char what[64];

    if (field == BITS || !cairn_lex_take(&p->lex, '=')) return CAIRN_OK;
    snprintf(what, sizeof what, "#%s", kinds[field][0]);
    if (p->lex.token.kind != CAIRN_TOKEN_HASH
        || cairn_lex_find(&p->lex, kinds[field]) < 0)
        return cairn_lex_expected(&p->lex, what);
    cairn_lex_next(&p->lex);
    return CAIRN_OK;
}

static cairn_status
parse_field(cairn_parser *p, int field, cairn_encoding_node *encoding)
{
    CAIRN_TRY(skip_kind(p, field));
    CAIRN_TRY(cairn_lex_need(&p->lex, '<'));
    switch (field) {
    case MAP: CAIRN_TRY(cairn_parse_map(p, &encoding->map)); break;
    case MUTATION:
        CAIRN_TRY(parse_actions(p, parse_mutation, &encoding->mutation));
        break;
    case INDIRECT: CAIRN_TRY(parse_queries(p, &encoding->queries)); break;
    case LAYOUT: CAIRN_TRY(parse_actions(p, parse_arrange, &encoding->layout)); break;
    case BITS: CAIRN_TRY(parse_actions(p, parse_width, &encoding->bits)); break;
    }
    return cairn_lex_take(&p->lex, '>') ? CAIRN_OK : cairn_lex_expected(&p->lex, "'>'");
}

static cairn_status parse_fields(cairn_parser *p, cairn_encoding_node *encoding)
{
    unsigned given = 0;

    do {
        const cairn_text_position place = p->lex.token.place;
        const int                 name  = cairn_lex_find(&p->lex, names);

        if (p->lex.token.kind != CAIRN_TOKEN_ID || name < 0)
            return cairn_lex_expected_word(
                &p->lex, "idx_map, mutation, indirect, layout or bits", names);
        if (given & 1u << field_of[name])
            return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin, place,
                                 "%s is given twice", names[field_of[name]]);
        given |= 1u << field_of[name];
        cairn_lex_next(&p->lex);
        CAIRN_TRY(parse_field(p, field_of[name], encoding));
    } while (cairn_lex_take(&p->lex, ','));
    return CAIRN_OK;
}

bool cairn_at_braced(const cairn_parser *p, const char *a, const char *b)
{
    cairn_lexer ahead = p->lex;

    if (!cairn_lex_is_hash(&ahead, a) && !cairn_lex_is_hash(&ahead, b)) return false;
    cairn_lex_next(&ahead);
    if (!cairn_lex_take(&ahead, '<')) return false;
    return cairn_lex_is(&ahead, '{');
}

cairn_status cairn_parse_encoding(cairn_parser *p, cairn_encoding_node **encoding)
{
    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, encoding));
    (*encoding)->place = p->lex.token.place;
    cairn_lex_next(&p->lex);
    CAIRN_TRY(cairn_lex_need(&p->lex, '<'));
    CAIRN_TRY(cairn_lex_need(&p->lex, '{'));
    CAIRN_TRY(parse_fields(p, *encoding));
    if (!cairn_lex_take(&p->lex, '}')) return cairn_lex_expected(&p->lex, "',' or '}'");
    CAIRN_TRY(cairn_lex_need(&p->lex, '>'));
    if (!(*encoding)->map)
        return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin,
                             (*encoding)->place, "the encoding has no idx_map");
    return CAIRN_OK;
}
