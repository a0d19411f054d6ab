// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Words of the format language.

#include "format/lex.h"

#include "base/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Bytes of input that a message quotes.
enum { QUOTED = 40 };

/* The C library's isalpha() follows the locale; the language does not. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_id(char c)
{
    return is_letter(c) || is_digit(c);
}

static bool is_name(char c)
{
    return is_id(c) || c == '.' || c == '+' || c == '-';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_byte(cairn_lexer *lex)
{
    if (*lex->at++ == '\n') {
        lex->here.line++;
        lex->here.column = 1;
    } else {
        lex->here.column++;
    }
}

static bool next_is(const cairn_lexer *lex, const char *text)
{
    const size_t length = strlen(text);

    return (size_t)(lex->end - lex->at) >= length && memcmp(lex->at, text, length) == 0;
}

static void skip_space(cairn_lexer *lex)
{
    while (lex->at < lex->end) {
        if (next_is(lex, "//")) {
            while (lex->at < lex->end && *lex->at != '\n')
                skip_byte(lex);
        } else if (is_space(*lex->at)) {
            skip_byte(lex);
        } else {
            return;
        }
    }
}

/// Take bytes while @p member holds, and let the token end there.
static void read_while(cairn_lexer *lex, bool (*member)(char))
{
    while (lex->at < lex->end && member(*lex->at))
        skip_byte(lex);
    lex->token.length = (size_t)(lex->at - lex->token.start);
}

static void read_number(cairn_lexer *lex)
{
    cairn_token *t = &lex->token;

    read_while(lex, is_digit);
    t->kind = CAIRN_TOKEN_INT;
    for (size_t k = 0; k < t->length; k++)
        t->big |= __builtin_mul_overflow(t->value, (uint64_t)10, &t->value)
                  || __builtin_add_overflow(t->value, (uint64_t)(t->start[k] - '0'),
                                            &t->value);
    /* 0..2 is a range, 0.2 a decimal. */
    if (lex->end - lex->at >= 2 && lex->at[0] == '.' && is_digit(lex->at[1])) {
        skip_byte(lex);
        read_while(lex, is_digit);
        t->kind = CAIRN_TOKEN_DECIMAL;
    }
}

static void read_mark(cairn_lexer *lex)
{
    cairn_token *t = &lex->token;

    t->kind   = next_is(lex, "->")   ? CAIRN_TOKEN_ARROW
                : next_is(lex, "..") ? CAIRN_TOKEN_DOTS
                                     : CAIRN_TOKEN_CHAR;
    t->length = t->kind == CAIRN_TOKEN_CHAR ? 1 : 2;
    for (size_t k = 0; k < t->length; k++)
        skip_byte(lex);
}

static void read_hash(cairn_lexer *lex)
{
    skip_byte(lex);
    lex->token.kind  = CAIRN_TOKEN_HASH;
    lex->token.start = lex->at;
    read_while(lex, is_name);
}

static bool at_hash(const cairn_lexer *lex)
{
    return *lex->at == '#' && lex->end - lex->at >= 2 && is_letter(lex->at[1]);
}

void cairn_lex_next(cairn_lexer *lex)
{
    lex->before = lex->at;
    skip_space(lex);
    lex->token = (cairn_token){.start = lex->at, .place = lex->here};
    if (lex->at == lex->end) return;
    if (at_hash(lex)) {
        read_hash(lex);
    } else if (is_letter(*lex->at)) {
        lex->token.kind = CAIRN_TOKEN_ID;
        read_while(lex, is_id);
    } else if (is_digit(*lex->at)) {
        read_number(lex);
    } else {
        read_mark(lex);
    }
}

cairn_status cairn_lex_start(cairn_lexer        *lex,
                             cairn_env          *env,
                             const char         *text,
                             size_t              length,
                             const char         *origin,
                             cairn_text_position place)
{
    *lex = (cairn_lexer){
        .env    = env,
        .origin = origin,
        .at     = text,
        .end    = text + length,
        .here   = place,
    };
    if (length > CAIRN_MAX_TEXT)
        return cairn_fail_at(env, CAIRN_BAD_SYNTAX, origin, lex->here,
                             "the text has %zu bytes; at most %d are read", length,
                             CAIRN_MAX_TEXT);
    cairn_lex_next(lex);
    return CAIRN_OK;
}

void cairn_lex_name(cairn_lexer *lex)
{
    if (lex->token.kind == CAIRN_TOKEN_ID) read_while(lex, is_name);
}

bool cairn_lex_is(const cairn_lexer *lex, char mark)
{
    return lex->token.kind == CAIRN_TOKEN_CHAR && *lex->token.start == mark;
}

bool cairn_lex_take(cairn_lexer *lex, char mark)
{
    if (!cairn_lex_is(lex, mark)) return false;
    cairn_lex_next(lex);
    return true;
}

cairn_status cairn_lex_need(cairn_lexer *lex, char mark)
{
    const char what[] = {'\'', mark, '\'', '\0'};

    return cairn_lex_take(lex, mark) ? CAIRN_OK : cairn_lex_expected(lex, what);
}

static bool is_text(const cairn_token *token, const char *text)
{
    return strlen(text) == token->length
           && memcmp(text, token->start, token->length) == 0;
}

bool cairn_lex_is_word(const cairn_lexer *lex, const char *word)
{
    return lex->token.kind == CAIRN_TOKEN_ID && is_text(&lex->token, word);
}

bool cairn_lex_take_word(cairn_lexer *lex, const char *word)
{
    if (!cairn_lex_is_word(lex, word)) return false;
    cairn_lex_next(lex);
    return true;
}

bool cairn_lex_is_hash(const cairn_lexer *lex, const char *name)
{
    return lex->token.kind == CAIRN_TOKEN_HASH && is_text(&lex->token, name);
}

int cairn_lex_find(const cairn_lexer *lex, const char *const *words)
{
    for (int k = 0; words[k]; k++)
        if (is_text(&lex->token, words[k])) return k;
    return -1;
}

/// Describe the token for "found ...".
static void describe(char out[4 * QUOTED + 16], const cairn_token *token)
{
    char text[4 * QUOTED + 4];

    cairn_quote(text, token->start, token->length, QUOTED);
    if (token->kind == CAIRN_TOKEN_END)
        snprintf(out, 4 * QUOTED + 16, "the end");
    else
        snprintf(out, 4 * QUOTED + 16, "'%s%s'",
                 token->kind == CAIRN_TOKEN_HASH ? "#" : "", text);
}

cairn_status cairn_lex_expected(const cairn_lexer *lex, const char *what)
{
    char found[4 * QUOTED + 16];

    describe(found, &lex->token);
    return cairn_fail_at(lex->env, CAIRN_BAD_SYNTAX, lex->origin, lex->token.place,
                         "expected %s, found %s", what, found);
}

cairn_status cairn_lex_expected_word(const cairn_lexer *lex,
                                     const char        *what,
                                     const char *const *words)
{
    char        found[4 * QUOTED + 16], word[4 * QUOTED + 4];
    const char *nearest = NULL;

    describe(found, &lex->token);
    cairn_quote(word, lex->token.start, lex->token.length, QUOTED);
    if (lex->token.kind == CAIRN_TOKEN_ID) nearest = cairn_nearest(word, words);
    return cairn_fail_at(lex->env, CAIRN_BAD_SYNTAX, lex->origin, lex->token.place,
                         "expected %s, found %s%s%s%s", what, found,
                         nearest ? "; did you mean " : "", nearest ? nearest : "",
                         nearest ? "?" : "");
}

void cairn_quote_origin(char out[256], const char *origin)
{
    snprintf(out, 256, "%s", origin);
    for (; *out; out++)
        if ((unsigned char)*out < ' ' || *out == 0x7f) *out = '?';
}

cairn_status cairn_fail_at(cairn_env          *env,
                           cairn_status        status,
                           const char         *origin,
                           cairn_text_position place,
                           const char         *fmt,
                           ...)
{
    char    name[256], why[CAIRN_MESSAGE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    cairn_quote_origin(name, origin);
    return cairn_fail(env, status, "format: %s:%d:%d: %s", name, place.line,
                      place.column, why);
}

void cairn_quote(char *out, const char *text, size_t length, size_t limit)
{
    static const char hex[] = "0123456789abcdef";

    for (size_t k = 0; k < length && k < limit; k++) {
        const unsigned char c = (unsigned char)text[k];

        if (c >= ' ' && c < 0x7f) {
            *out++ = (char)c;
        } else {
            *out++ = '\\', *out++ = 'x', *out++ = hex[c >> 4], *out++ = hex[c & 15];
        }
    }
    strcpy(out, length > limit ? "..." : "");
}
