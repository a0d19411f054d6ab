// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Words of the format language. What a word is depends on where it stands: an `id` has
/// no dots, signs or dashes, a NAME has them and is read as long as possible. The lexer
/// reads ids, and the parser asks for the long reading where a NAME is expected. After
/// '#' it is always long.
///
/// A lexer is a small value: copying it is how the parser looks ahead.

#ifndef CAIRN_FORMAT_LEX_H
#define CAIRN_FORMAT_LEX_H

#include "base/env.h"
#include "format/text_position.h"

#define CAIRN_MAX_TEXT (1 << 20) ///< Bytes of one text; a format needs some hundreds.

typedef enum {
    CAIRN_TOKEN_END,
    CAIRN_TOKEN_ID,      ///< id, or NAME after cairn_lex_name().
    CAIRN_TOKEN_HASH,    ///< '#' NAME; start and length are the NAME's.
    CAIRN_TOKEN_INT,     ///< `value`; `big` when it is beyond 64 bits.
    CAIRN_TOKEN_DECIMAL, ///< digits '.' digits
    CAIRN_TOKEN_ARROW,   ///< ->
    CAIRN_TOKEN_DOTS,    ///< ..
    CAIRN_TOKEN_CHAR,    ///< Any other byte, `*start`.
} cairn_token_kind;

typedef struct cairn_token {
    cairn_token_kind    kind;
    const char         *start;
    size_t              length;
    cairn_text_position place;
    uint64_t            value;
    bool                big;
} cairn_token;

typedef struct cairn_lexer {
    cairn_env          *env;
    const char         *origin;
    const char         *at, *end; ///< What follows the token.
    cairn_text_position here;     ///< Place of `at`.
    cairn_token         token;    ///< The token to be taken next.
    const char         *before;   ///< End of the token taken last.
} cairn_lexer;

/// Start at the first word of @p text.
///
/// @param[in] place  Of the text's first byte.
/// @retval CAIRN_BAD_SYNTAX  The text is longer than CAIRN_MAX_TEXT.
cairn_status cairn_lex_start(cairn_lexer        *lex,
                             cairn_env          *env,
                             const char         *text,
                             size_t              length,
                             const char         *origin,
                             cairn_text_position place);

/// Take the token.
void cairn_lex_next(cairn_lexer *lex);

/// Read the id at hand as a NAME, as long as possible.
void cairn_lex_name(cairn_lexer *lex);

/// True if the token is the byte @p mark.
bool cairn_lex_is(const cairn_lexer *lex, char mark);

/// Take the token if it is the byte @p mark.
bool cairn_lex_take(cairn_lexer *lex, char mark);

/// Take the byte @p mark, or fail with what was expected.
cairn_status cairn_lex_need(cairn_lexer *lex, char mark);

/// True if the token is the id @p word.
bool cairn_lex_is_word(const cairn_lexer *lex, const char *word);

/// Take the token if it is the id @p word.
bool cairn_lex_take_word(cairn_lexer *lex, const char *word);

/// True if the token is '#' @p name.
bool cairn_lex_is_hash(const cairn_lexer *lex, const char *name);

/// Index of the token's text among @p words (NULL-terminated), or -1.
int cairn_lex_find(const cairn_lexer *lex, const char *const *words);

/// Fail: "format: ORIGIN:LINE:COLUMN: expected WHAT, found TOKEN".
cairn_status cairn_lex_expected(const cairn_lexer *lex, const char *what);

/// Fail as cairn_lex_expected() does, naming the word among @p words nearest to the token.
cairn_status cairn_lex_expected_word(const cairn_lexer *lex,
                                     const char        *what,
                                     const char *const *words);

/// Fail at a place: "format: ORIGIN:LINE:COLUMN: ...", on one line whatever the input.
cairn_status cairn_fail_at(cairn_env          *env,
                           cairn_status        status,
                           const char         *origin,
                           cairn_text_position place,
                           const char         *fmt,
                           ...) __attribute__((format(printf, 5, 6)));

/// Copy an origin for a message; control bytes become '?', so that a strange file name
/// cannot break the line.
void cairn_quote_origin(char out[256], const char *origin);

/// Copy at most @p limit bytes of @p text for a message, control bytes and bytes beyond
/// ASCII as \xNN, the rest as "...". @p out has at least 4 * limit + 4 bytes.
void cairn_quote(char *out, const char *text, size_t length, size_t limit);

#endif
