// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Recursive descent over the grammar of the format language: text in, parse tree out. Every
/// function takes the tokens of its rule, or fails at the first that does not fit. The
/// depth is counted, so that no text can exhaust the stack.

#ifndef CAIRN_FORMAT_PARSE_H
#define CAIRN_FORMAT_PARSE_H

#include "base/arena.h"
#include "format/ast.h"

typedef struct cairn_parser {
    cairn_lexer       lex;
    cairn_arena      *arena;
    cairn_definition *definition; ///< Whose parameters are known here; NULL: none.
    int               depth;      ///< Of nesting.
    bool guessed; ///< Some arg was read before its parameter's kind was known;
    bool second;  ///< this is the reading after that.
} cairn_parser;

/// file = { definition }, into a list.
cairn_status cairn_parse_file(cairn_parser        *p,
                              const cairn_library *library,
                              cairn_definition   **definitions,
                              int                 *count);

/// What stands where a format is expected: encoding | hybrid | query | use, without what
/// says how it is distributed.
cairn_status cairn_parse_body(cairn_parser *p, cairn_body_node *body);

cairn_status cairn_parse_encoding(cairn_parser *p, cairn_encoding_node **encoding);
cairn_status cairn_parse_hybrid(cairn_parser *p, cairn_hybrid_node **hybrid);
cairn_status cairn_parse_query(cairn_parser *p, cairn_query_node **query);
cairn_status cairn_parse_member(cairn_parser *p, cairn_member_node **member);
cairn_status cairn_parse_use(cairn_parser *p, cairn_use_node **use);

/// [ '@' dist ]; stays NULL where there is no '@'.
cairn_status cairn_parse_distribution(cairn_parser             *p,
                                      cairn_distribution_node **distribution);

/// map = '(' dims ')' '->' '(' exprs ')'
cairn_status cairn_parse_map(cairn_parser *p, cairn_map_node **map);

/// An expression; also a CONST, whose names are parameters.
cairn_status cairn_parse_expr(cairn_parser *p, cairn_node **expr);

/// NUM = CONST | decimal
cairn_status cairn_parse_number(cairn_parser *p, cairn_node **number);

/// '[' NUM { ',' NUM } ']'
cairn_status cairn_parse_numbers(cairn_parser *p, cairn_node **numbers);

/// True at '#' NAME '<' '{' with one of the names @p a and @p b.
bool cairn_at_braced(const cairn_parser *p, const char *a, const char *b);

/// True at '#unisparse.' func '<'.
bool cairn_at_angle_query(const cairn_parser *p);

/// Copy the token's text into the arena.
cairn_status cairn_parse_text(cairn_parser *p, const char **text);

/// Take an id and copy it; otherwise fail with "expected @p what".
cairn_status cairn_parse_id(cairn_parser *p, const char *what, const char **id);

/// Enter one level of nesting; pairs with `p->depth--`.
cairn_status cairn_parse_enter(cairn_parser *p);

/// The parameter that the token's text names, or NULL.
cairn_param *cairn_find_param(const cairn_parser *p);

/// Note that a parameter was used as @p kind; both kinds are an error.
cairn_status
cairn_use_param(cairn_parser *p, cairn_param *param, cairn_param_kind kind);

/// Words that cannot name a query, because they would be read as something else.
extern const char *const cairn_reserved_words[];

#endif
