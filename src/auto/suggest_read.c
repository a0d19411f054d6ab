// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Suggestions from their text, a line each.

#include "auto/suggest.h"
#include "io/io_number.h"

#include <cairn/auto.h>

#include <stddef.h>
#include <string.h>

/* A number of a line, in their order, is that field. */
static const size_t rate_field[] = {
    offsetof(cairn_suggestion, launch), offsetof(cairn_suggestion, team),
    offsetof(cairn_suggestion, row),    offsetof(cairn_suggestion, unit),
    offsetof(cairn_suggestion, turn),   offsetof(cairn_suggestion, value),
    offsetof(cairn_suggestion, byte),   offsetof(cairn_suggestion, near),
    offsetof(cairn_suggestion, far),    offsetof(cairn_suggestion, lead),
    offsetof(cairn_suggestion, edge),   offsetof(cairn_suggestion, strew),
    offsetof(cairn_suggestion, convert)};

enum { RATES = sizeof rate_field / sizeof *rate_field };

/// A text while it is read.
typedef struct {
    cairn_env  *env;
    const char *origin;
    int         line;
    const char *kind; ///< Of the product.
} reader;

static const char *kind_of(const cairn_product_options *op)
{
    return op->transposed ? "transposed" : op->columns > 1 ? "many" : "one";
}

/// Cut the next word off; "" at the end of the line.
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t");

    *rest = word + strcspn(word, " \t");
    if (**rest) *(*rest)++ = '\0';
    return word;
}

/// Cut the blanks around a text off.
static char *trimmed(char *text)
{
    text += strspn(text, " \t\r");
    for (size_t n = strlen(text); n > 0 && strchr(" \t\r", text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

static cairn_status read_rates(const reader *r, char *rest, cairn_suggestion *s)
{
    for (int k = 0; k < RATES; k++) {
        const char *word = next_word(&rest);
        double      rate;

        CAIRN_CHECK(*word && cairn_parse_double(word, word + strlen(word), &rate) == 0
                        && rate >= 0,
                    r->env, CAIRN_BAD_FORMAT,
                    "candidates: %s:%d: number %d of %d: %.40s: it is no rate",
                    r->origin, r->line, k + 1, RATES, *word ? word : "missing");
        memcpy((char *)s + rate_field[k], &rate, sizeof rate);
    }
    CAIRN_CHECK(!*next_word(&rest), r->env, CAIRN_BAD_FORMAT,
                "candidates: %s:%d: there are more than %d rates", r->origin, r->line,
                RATES);
    return CAIRN_OK;
}

/// What stands behind the colon. @p mine: it is for this product.
static cairn_status
read_model(const reader *r, char *rest, cairn_suggestion *s, bool *mine)
{
    static const char *const kinds[] = {"one", "many", "transposed"};
    const char *const        kind    = next_word(&rest);
    const char *const        model   = next_word(&rest);
    bool                     known   = false;

    for (int k = 0; k < 3; k++)
        known = known || strcmp(kind, kinds[k]) == 0;
    s->model = cairn_suggest_model_find(model);
    CAIRN_CHECK(known, r->env, CAIRN_BAD_FORMAT,
                "candidates: %s:%d: '%.40s' is not one, many or transposed", r->origin,
                r->line, kind);
    CAIRN_CHECK(s->model, r->env, CAIRN_BAD_FORMAT,
                "candidates: %s:%d: there is no model called '%.40s'", r->origin,
                r->line, model);
    *mine = strcmp(kind, r->kind) == 0;
    return *mine ? read_rates(r, rest, s) : CAIRN_OK;
}

/// @p mine: there is a suggestion in the line, for this product.
static cairn_status
read_line(const reader *r, char *line, cairn_suggestion *s, bool *mine)
{
    char *const  text  = trimmed(line);
    char *const  colon = strchr(text, ':');
    const size_t room  = sizeof((cairn_auto_candidate *)0)->format;

    *mine = false;
    if (!*text || (*text == '#' && strchr(" \t#", text[1]))) return CAIRN_OK;
    *s = (cairn_suggestion){.format = text};
    if (colon) {
        *colon = '\0';
        CAIRN_TRY(read_model(r, colon + 1, s, mine));
    } else {
        s->model = cairn_suggest_model_find("unknown");
        *mine    = true;
    }
    trimmed(text);
    CAIRN_CHECK(*text && strlen(text) < room, r->env, CAIRN_BAD_FORMAT,
                "candidates: %s:%d: the format has %zu letters, not 1 to %zu",
                r->origin, r->line, strlen(text), room - 1);
    return CAIRN_OK;
}

static int count_lines(const char *text)
{
    int lines = 1;

    while ((text = strchr(text, '\n'))) {
        text++;
        lines++;
    }
    return lines;
}

static cairn_status read_lines(reader *r, cairn_suggestions *s)
{
    for (char *line = s->text, *next; line; line = next) {
        bool mine;

        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        r->line++;
        CAIRN_TRY(read_line(r, line, &s->list[s->count], &mine));
        s->count += mine;
    }
    CAIRN_CHECK(s->count > 0, r->env, CAIRN_BAD_FORMAT,
                "candidates: %s: there is no format for this product", r->origin);
    return CAIRN_OK;
}

cairn_status cairn_suggestions_read(cairn_env                   *env,
                                    const char                  *text,
                                    const char                  *origin,
                                    const cairn_product_options *op,
                                    cairn_suggestions           *suggestions)
{
    reader            r      = {.env = env, .origin = origin, .kind = kind_of(op)};
    cairn_suggestions fresh  = {0};
    cairn_status      status = cairn_strndup(env, text, strlen(text), &fresh.text);

    if (status == CAIRN_OK) status = CAIRN_NEW(env, count_lines(text), &fresh.list);
    if (status == CAIRN_OK) status = read_lines(&r, &fresh);
    if (status == CAIRN_OK)
        *suggestions = fresh;
    else
        cairn_suggestions_fini(env, &fresh);
    return status;
}

void cairn_suggestions_fini(cairn_env *env, cairn_suggestions *suggestions)
{
    cairn_free(env, suggestions->list);
    cairn_free(env, suggestions->text);
    *suggestions = (cairn_suggestions){0};
}
