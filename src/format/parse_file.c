// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parsing of definitions, uses and hybrids.

#include "format/parse.h"

#include <string.h>

/// In the first reading of a body, what looks like arithmetic says nothing yet about the
/// parameter's kind: `f-name` may be a name.
static cairn_status
guess_number(cairn_parser *p, cairn_param *param, cairn_arg_node *arg)
{
    if (p->second) return cairn_parse_number(p, &arg->number);
    p->guessed = true;

    const cairn_status status = cairn_parse_number(p, &arg->number);

    param->kind = CAIRN_PARAM_UNKNOWN;
    return status;
}

/// An arg that begins with an id that is a parameter: a number, a format, or, alone, what
/// the parameter is bound to. More text after the id is read as arithmetic while nothing
/// else in the definition says that the parameter is a format.
static cairn_status
parse_param_arg(cairn_parser *p, cairn_param *param, cairn_arg_node *arg)
{
    cairn_lexer name = p->lex;

    if (param->kind == CAIRN_PARAM_NUMBER) return cairn_parse_number(p, &arg->number);
    cairn_lex_name(&name);

    const bool alone = name.token.length == p->lex.token.length;

    cairn_lex_next(&name);
    if (param->kind == CAIRN_PARAM_FORMAT || cairn_lex_is(&name, '@')
        || (alone && (cairn_lex_is(&name, ',') || cairn_lex_is(&name, '>'))))
        return cairn_parse_member(p, &arg->member);
    return alone ? cairn_parse_number(p, &arg->number) : guess_number(p, param, arg);
}

static cairn_status parse_arg(cairn_parser *p, cairn_arg_node **arg)
{
    const cairn_token_kind kind = p->lex.token.kind;

    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, arg));
    if (kind == CAIRN_TOKEN_INT || kind == CAIRN_TOKEN_DECIMAL
        || cairn_lex_is(&p->lex, '-') || cairn_lex_is(&p->lex, '('))
        return cairn_parse_number(p, &(*arg)->number);
    if (kind == CAIRN_TOKEN_ID && cairn_find_param(p))
        return parse_param_arg(p, cairn_find_param(p), *arg);
    if (kind == CAIRN_TOKEN_ID || kind == CAIRN_TOKEN_HASH)
        return cairn_parse_member(p, &(*arg)->member);
    return cairn_lex_expected(&p->lex, "a number or a format");
}

static cairn_status parse_args(cairn_parser *p, cairn_arg_node **list)
{
    if (!cairn_lex_take(&p->lex, '<')) return CAIRN_OK;
    do {
        CAIRN_TRY(parse_arg(p, list));
        list = &(*list)->next;
    } while (cairn_lex_take(&p->lex, ','));
    return cairn_lex_take(&p->lex, '>') ? CAIRN_OK
                                        : cairn_lex_expected(&p->lex, "',' or '>'");
}

cairn_status cairn_parse_use(cairn_parser *p, cairn_use_node **use)
{
    CAIRN_TRY(cairn_parse_enter(p));
    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, use));
    (*use)->place = p->lex.token.place;
    cairn_lex_name(&p->lex);
    if (p->lex.token.kind != CAIRN_TOKEN_ID && p->lex.token.kind != CAIRN_TOKEN_HASH)
        return cairn_lex_expected(&p->lex, "a format");
    CAIRN_TRY(cairn_parse_text(p, &(*use)->name));
    cairn_lex_next(&p->lex);
    CAIRN_TRY(parse_args(p, &(*use)->args));
    p->depth--;
    return CAIRN_OK;
}

/// encoding | use
static cairn_status parse_stored(cairn_parser *p, cairn_member_node **member)
{
    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, member));
    (*member)->place = p->lex.token.place;
    if (cairn_at_braced(p, "encoding", "unisparse.encoding"))
        return cairn_parse_encoding(p, &(*member)->encoding);
    if (cairn_at_braced(p, "hybrid", "unisparse.hybrid"))
        return cairn_fail_at(p->lex.env, CAIRN_BAD_FORMAT, p->lex.origin,
                             p->lex.token.place,
                             "a hybrid cannot stand here: members are encodings");
    return cairn_parse_use(p, &(*member)->use);
}

cairn_status cairn_parse_member(cairn_parser *p, cairn_member_node **member)
{
    CAIRN_TRY(parse_stored(p, member));
    return cairn_parse_distribution(p, &(*member)->distribution);
}

/// A parameter that stands here is a format.
static cairn_status take_for_format(cairn_parser *p)
{
    cairn_lexer  id = p->lex;
    cairn_param *param;

    cairn_lex_name(&p->lex);
    param = p->lex.token.kind == CAIRN_TOKEN_ID || p->lex.token.kind == CAIRN_TOKEN_HASH
                ? cairn_find_param(p)
                : NULL;
    p->lex = id;
    return param ? cairn_use_param(p, param, CAIRN_PARAM_FORMAT) : CAIRN_OK;
}

static cairn_status parse_fmats(cairn_parser *p, cairn_member_node **list)
{
    if (!cairn_lex_take_word(&p->lex, "fmats"))
        return cairn_lex_expected(&p->lex, "fmats");
    CAIRN_TRY(cairn_lex_need(&p->lex, '='));
    CAIRN_TRY(cairn_lex_need(&p->lex, '['));
    do {
        CAIRN_TRY(take_for_format(p));
        CAIRN_TRY(cairn_parse_member(p, list));
        list = &(*list)->next;
    } while (cairn_lex_take(&p->lex, ','));
    return cairn_lex_take(&p->lex, ']') ? CAIRN_OK
                                        : cairn_lex_expected(&p->lex, "',' or ']'");
}

static cairn_status parse_hybrid_query(cairn_parser *p, cairn_hybrid_node *hybrid)
{
    cairn_lex_next(&p->lex);
    CAIRN_TRY(cairn_lex_need(&p->lex, '='));
    if (p->lex.token.kind != CAIRN_TOKEN_HASH || cairn_at_angle_query(p))
        return cairn_parse_query(p, &hybrid->query);
    return cairn_parse_use(p, &hybrid->query_use);
}

static cairn_status parse_thresholds(cairn_parser *p, cairn_hybrid_node *hybrid)
{
    hybrid->thresholds_place = p->lex.token.place;
    if (cairn_lex_take_word(&p->lex, "absolute"))
        hybrid->mode = CAIRN_THRESHOLD_ABSOLUTE;
    else if (cairn_lex_take_word(&p->lex, "maximum"))
        hybrid->mode = CAIRN_THRESHOLD_MAXIMUM;
    else
        cairn_lex_take_word(&p->lex, "capacity");
    if (!cairn_lex_take_word(&p->lex, "thresholds"))
        return cairn_lex_expected(&p->lex, "thresholds");
    CAIRN_TRY(cairn_lex_need(&p->lex, '='));
    return cairn_parse_numbers(p, &hybrid->thresholds);
}

static cairn_status parse_keep(cairn_parser *p, cairn_hybrid_node *hybrid)
{
    hybrid->keep_place = p->lex.token.place;
    cairn_lex_next(&p->lex);
    CAIRN_TRY(cairn_lex_need(&p->lex, '='));
    return cairn_parse_numbers(p, &hybrid->keep);
}

/// Rank of the word at hand among the parts of a hybrid, 0 if it is none.
static int hybrid_part(const cairn_parser *p)
{
    static const char *const words[] = {"query",      "absolute", "capacity", "maximum",
                                        "thresholds", "keep",     NULL};
    static const int         parts[] = {1, 2, 2, 2, 2, 3};
    const int                word    = cairn_lex_find(&p->lex, words);

    return p->lex.token.kind == CAIRN_TOKEN_ID && word >= 0 ? parts[word] : 0;
}

/// The parts after fmats: each at most once, in the order of the grammar.
static cairn_status parse_hybrid_parts(cairn_parser *p, cairn_hybrid_node *hybrid)
{
    static const char *const words[]    = {"query", "thresholds", "keep", NULL};
    static const char *const expected[] = {"query, thresholds or keep",
                                           "thresholds or keep", "keep", "'}'"};
    int                      done       = 0;

    while (cairn_lex_take(&p->lex, ',')) {
        const int part = hybrid_part(p);

        if (part == 0 && done < 3)
            return cairn_lex_expected_word(&p->lex, expected[done], words + done);
        if (part <= done) return cairn_lex_expected(&p->lex, expected[done]);
        done = part;
        CAIRN_TRY(part == 1   ? parse_hybrid_query(p, hybrid)
                  : part == 2 ? parse_thresholds(p, hybrid)
                              : parse_keep(p, hybrid));
    }
    return CAIRN_OK;
}

cairn_status cairn_parse_hybrid(cairn_parser *p, cairn_hybrid_node **hybrid)
{
    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, hybrid));
    (*hybrid)->place = p->lex.token.place;
    cairn_lex_next(&p->lex);
    CAIRN_TRY(cairn_lex_need(&p->lex, '<'));
    CAIRN_TRY(cairn_lex_need(&p->lex, '{'));
    CAIRN_TRY(parse_fmats(p, &(*hybrid)->members));
    CAIRN_TRY(parse_hybrid_parts(p, *hybrid));
    if (!cairn_lex_take(&p->lex, '}')) return cairn_lex_expected(&p->lex, "',' or '}'");
    return cairn_lex_need(&p->lex, '>');
}

/// A query begins with `func(` or `id =`; a use does not.
static bool at_plain_query(const cairn_parser *p)
{
    cairn_lexer ahead = p->lex;

    if (ahead.token.kind != CAIRN_TOKEN_ID) return false;
    cairn_lex_next(&ahead);
    return cairn_lex_is(&ahead, '(') || cairn_lex_is(&ahead, '=');
}

/// A body that is only a parameter makes it a format.
static cairn_status parse_body_use(cairn_parser *p, cairn_use_node **use)
{
    cairn_member_node *member = NULL;

    CAIRN_TRY(take_for_format(p));
    CAIRN_TRY(parse_stored(p, &member));
    *use = member->use;
    return CAIRN_OK;
}

cairn_status cairn_parse_body(cairn_parser *p, cairn_body_node *body)
{
    if (cairn_at_braced(p, "encoding", "unisparse.encoding"))
        return cairn_parse_encoding(p, &body->encoding);
    if (cairn_at_braced(p, "hybrid", "unisparse.hybrid"))
        return cairn_parse_hybrid(p, &body->hybrid);
    if (cairn_at_angle_query(p) || at_plain_query(p))
        return cairn_parse_query(p, &body->query);
    return parse_body_use(p, &body->use);
}

static cairn_status check_param(cairn_parser *p)
{
    const cairn_token *t = &p->lex.token;

    if (t->kind != CAIRN_TOKEN_ID) return cairn_lex_expected(&p->lex, "a parameter");
    if (cairn_lex_find(&p->lex, cairn_reserved_words) >= 0)
        return cairn_fail_at(
            p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin, t->place,
            "a parameter cannot be called %.*s: the word has a meaning", (int)t->length,
            t->start);
    if (cairn_find_param(p))
        return cairn_fail_at(p->lex.env, CAIRN_BAD_FORMAT, p->lex.origin, t->place,
                             "parameter %s is given twice", cairn_find_param(p)->name);
    if (p->definition->params == CAIRN_MAX_PARAMS)
        return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin, t->place,
                             "more than %d parameters", CAIRN_MAX_PARAMS);
    return CAIRN_OK;
}

/// param = id [ '=' NUM ]; a default may use the parameters before it.
static cairn_status parse_param(cairn_parser *p)
{
    CAIRN_TRY(check_param(p));

    cairn_param *const param = &p->definition->param[p->definition->params];

    param->place = p->lex.token.place;
    CAIRN_TRY(cairn_parse_id(p, "a parameter", &param->name));
    if (cairn_lex_take(&p->lex, '=')) {
        CAIRN_TRY(cairn_parse_number(p, &param->standard));
        param->kind = CAIRN_PARAM_NUMBER;
    }
    p->definition->params++;
    return CAIRN_OK;
}

static cairn_status parse_params(cairn_parser *p)
{
    if (!cairn_lex_take(&p->lex, '<')) return CAIRN_OK;
    do {
        CAIRN_TRY(parse_param(p));
    } while (cairn_lex_take(&p->lex, ','));
    return cairn_lex_take(&p->lex, '>') ? CAIRN_OK
                                        : cairn_lex_expected(&p->lex, "',' or '>'");
}

/// Read the body. When an arg had to be guessed, what the first reading learnt about the
/// parameters' kinds serves a second, final one.
static cairn_status parse_defined(cairn_parser *p)
{
    const cairn_lexer start = p->lex;
    cairn_status      status;

    p->guessed = p->second = false;
    status                 = cairn_parse_body(p, &p->definition->body);
    if (!p->guessed || status == CAIRN_NO_MEMORY) return status;
    p->lex              = start;
    p->depth            = 0;
    p->second           = true;
    p->definition->body = (cairn_body_node){NULL, NULL, NULL, NULL};
    return cairn_parse_body(p, &p->definition->body);
}

/// Keep the last comment before @p hash; @p from is where the definition before it ends,
/// or the text begins.
static void
keep_note(cairn_definition *definition, const char *from, const char *hash, bool first)
{
    const char *end = hash, *line;

    while (end > from && strchr(" \t\r\n", end[-1]))
        end--;
    for (line = end; line > from && line[-1] != '\n';)
        line--;
    if (line == from && !first) return; /* beside the end of another */
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if (end - line < 2 || line[0] != '/' || line[1] != '/') return;
    for (line += 2; line < end && *line == ' ';)
        line++;
    definition->note        = line;
    definition->note_length = (size_t)(end - line);
}

static cairn_status
parse_definition(cairn_parser *p, bool first, cairn_definition **definition)
{
    if (p->lex.token.kind != CAIRN_TOKEN_HASH)
        return cairn_lex_expected(&p->lex, "a definition (#NAME = ...)");

    const char *const start = p->lex.token.start - 1;

    CAIRN_TRY(CAIRN_ARENA_NEW(p->arena, 1, definition));
    p->definition        = *definition;
    (*definition)->place = p->lex.token.place;
    keep_note(*definition, p->lex.before, start, first);
    CAIRN_TRY(cairn_parse_text(p, &(*definition)->name));
    cairn_lex_next(&p->lex);
    CAIRN_TRY(parse_params(p));
    CAIRN_TRY(cairn_lex_need(&p->lex, '='));
    CAIRN_TRY(parse_defined(p));
    if (cairn_lex_is(&p->lex, '@'))
        return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin,
                             p->lex.token.place,
                             "a definition has no distribution; it is said where the "
                             "format is used");
    (*definition)->text        = start;
    (*definition)->text_length = (size_t)(p->lex.before - start);
    p->definition              = NULL;
    return CAIRN_OK;
}

static cairn_status check_duplicate(const cairn_parser     *p,
                                    const cairn_definition *first,
                                    const cairn_definition *last)
{
    for (const cairn_definition *d = first; d != last; d = d->next)
        if (strcmp(d->name, last->name) == 0)
            return cairn_fail_at(p->lex.env, CAIRN_BAD_FORMAT, p->lex.origin,
                                 last->place, "#%s is defined twice, first in line %d",
                                 last->name, d->place.line);
    return CAIRN_OK;
}

cairn_status cairn_parse_file(cairn_parser        *p,
                              const cairn_library *library,
                              cairn_definition   **definitions,
                              int                 *count)
{
    cairn_definition **next = definitions;

    while (p->lex.token.kind != CAIRN_TOKEN_END) {
        if (*count == CAIRN_MAX_DEFINITIONS)
            return cairn_fail_at(p->lex.env, CAIRN_BAD_SYNTAX, p->lex.origin,
                                 p->lex.token.place, "more than %d definitions",
                                 CAIRN_MAX_DEFINITIONS);
        CAIRN_TRY(parse_definition(p, next == definitions, next));
        (*next)->library = library;
        CAIRN_TRY(check_duplicate(p, *definitions, *next));
        next = &(*next)->next;
        ++*count;
    }
    return CAIRN_OK;
}
