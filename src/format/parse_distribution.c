// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parsing of what says how a format's rows go to ranks.

#include "format/parse.h"

/// '<' CONST ',' CONST '>'
static cairn_status parse_blocks(cairn_parser *p, cairn_distribution_node *node)
{
    CAIRN_TRY(cairn_lex_need(&p->lex, '<'));
    CAIRN_TRY(cairn_parse_expr(p, &node->a));
    CAIRN_TRY(cairn_lex_need(&p->lex, ','));
    CAIRN_TRY(cairn_parse_expr(p, &node->b));
    return cairn_lex_need(&p->lex, '>');
}

static cairn_status parse_owner(cairn_parser *p, cairn_distribution_node *node)
{
    CAIRN_TRY(cairn_lex_need(&p->lex, '('));
    CAIRN_TRY(cairn_parse_enter(p));
    CAIRN_TRY(cairn_parse_expr(p, &node->a));
    p->depth--;
    return cairn_lex_need(&p->lex, ')');
}

cairn_status cairn_parse_distribution(cairn_parser             *p,
                                      cairn_distribution_node **distribution)
{
    static const char *const words[] = {"rows", "nnz", "cost", "graph", "blocks", NULL};
    static const cairn_distribution_kind kinds[] = {
        CAIRN_DISTRIBUTION_ROWS, CAIRN_DISTRIBUTION_NNZ, CAIRN_DISTRIBUTION_COST,
        CAIRN_DISTRIBUTION_GRAPH, CAIRN_DISTRIBUTION_BLOCKS};
    const cairn_text_position place = p->lex.token.place;

    if (!cairn_lex_take(&p->lex, '@')) return CAIRN_OK;
    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, distribution));
    (*distribution)->place = place;
    (*distribution)->kind  = CAIRN_DISTRIBUTION_MAP;
    if (cairn_lex_is(&p->lex, '(')) return parse_owner(p, *distribution);

    const int word =
        p->lex.token.kind == CAIRN_TOKEN_ID ? cairn_lex_find(&p->lex, words) : -1;

    if (word < 0)
        return cairn_lex_expected_word(
            &p->lex, "rows, nnz, cost, graph, blocks<p,q> or '('", words);
    (*distribution)->kind = kinds[word];
    cairn_lex_next(&p->lex);
    return kinds[word] == CAIRN_DISTRIBUTION_BLOCKS ? parse_blocks(p, *distribution)
                                                    : CAIRN_OK;
}
