// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Candidates from their text, a line each.

#include "auto/candidates.h"

#include "format/lex.h"

#include <cairn/auto.h>

#include <stdio.h>
#include <string.h>

/// A text while it is read.
typedef struct {
    cairn_env        *env;
    cairn_library    *catalogue; ///< Parsed once for all lines.
    const char       *origin;
    char              name[256]; ///< The origin, as messages have it.
    const char       *line;      ///< Where the line begins that is read.
    int               number;    ///< Of it.
    cairn_candidates *out;
} reader;

static const char *const products[] = {"one", "many", "transposed"};

static const char blanks[] = " \t\r\v\f";

static int column_of(const reader *r, const char *at)
{
    return (int)(at - r->line) + 1;
}

/// Fail about what stands at @p at.
static cairn_status refuse(const reader *r, const char *at, const char *why)
{
    return cairn_fail(r->env, CAIRN_BAD_FORMAT, "candidates: %s:%d:%d: %s", r->name,
                      r->number, column_of(r, at), why);
}

/// Put a message about a format into the form of all others here: those about the text of
/// a format have its place already, those about what it means have none.
static cairn_status refuse_format(const reader *r, const char *at, cairn_status status)
{
    char        message[CAIRN_MESSAGE], place[300];
    const char *why = message;

    if (status != CAIRN_BAD_FORMAT && status != CAIRN_BAD_SYNTAX
        && status != CAIRN_OVERFLOW && status != CAIRN_BAD_QUERY)
        return status;
    snprintf(message, sizeof message, "%s", cairn_message(r->env));
    if (strncmp(why, "format: ", 8) == 0) why += 8;
    snprintf(place, sizeof place, "%s:%d:", r->name, r->number);
    if (strncmp(why, place, strlen(place)) == 0)
        return cairn_fail(r->env, status, "candidates: %s", why);
    snprintf(place, sizeof place, "%s: ", r->name);
    if (strncmp(why, place, strlen(place)) == 0) why += strlen(place);
    return cairn_fail(r->env, status, "candidates: %s:%d:%d: %s", r->name, r->number,
                      column_of(r, at), why);
}

/// A word behind the colon: a product, or an estimator.
static cairn_status take_word(const reader *r, const char *word, cairn_candidate *c)
{
    char quoted[4 * 40 + 4], why[256];

    for (int k = 0; k < CAIRN_FOR_KINDS; k++)
        if (strcmp(word, products[k]) == 0) {
            c->products |= 1U << k;
            return CAIRN_OK;
        }
    const cairn_estimator *estimator = cairn_estimator_find(word);

    if (estimator && !c->estimator) {
        c->estimator = estimator;
        return CAIRN_OK;
    }
    cairn_quote(quoted, word, strlen(word), 40);
    snprintf(why, sizeof why,
             estimator ? "'%s' is a second count"
                       : "'%s' is no product (one, many, transposed), and no count",
             quoted);
    return refuse(r, word, why);
}

static cairn_status take_words(const reader *r, char *rest, cairn_candidate *c)
{
    const char *const begin = rest;
    int               words = 0;

    for (char *word = rest + strspn(rest, blanks); *word; words++) {
        char *const end  = word + strcspn(word, blanks);
        char *const next = end + strspn(end, blanks);

        *end = '\0';
        CAIRN_TRY(take_word(r, word, c));
        word = next;
    }
    return words > 0 ? CAIRN_OK
                     : refuse(r, begin, "expected a product behind the colon");
}

/// What is known of a member by its layout alone.
static void look_at(const cairn_layout *layout, int m, cairn_candidate *c)
{
    cairn_product_options ops[CAIRN_FOR_KINDS] = {
        [CAIRN_FOR_ONE]        = CAIRN_PRODUCT_OPTIONS,
        [CAIRN_FOR_MANY]       = CAIRN_PRODUCT_OPTIONS,
        [CAIRN_FOR_TRANSPOSED] = CAIRN_PRODUCT_OPTIONS};

    ops[CAIRN_FOR_MANY].columns          = 8;
    ops[CAIRN_FOR_TRANSPOSED].transposed = true;
    cairn_work_kinds(layout, c->kinds[m]);
    if (!c->estimator || m >= CAIRN_COUNTED) return;
    c->val[m] = layout->values.tuple >= 0 ? CAIRN_VAL_F64 : layout->encoding->val;
    for (int k = 0; k < CAIRN_FOR_KINDS; k++)
        c->leaf[k][m] = cairn_leaf_of(layout, &ops[k]);
}

/// How the loops of a format go that is counted without being stored, and what families its
/// products are of: extents do not matter if they are large. A layout that is not known
/// before it is stored is not looked at, unless it must be.
static cairn_status find_kinds(cairn_env *env, cairn_candidate *c)
{
    static const int64_t extent[] = {1 << 20, 1 << 20};

    CAIRN_TRY(CAIRN_NEW_ZERO(env, c->format->members, &c->kinds));
    for (int m = 0; m < c->format->members; m++) {
        cairn_layout      *layout = NULL;
        const cairn_status status = cairn_layout_create(
            env, c->format->member[m], extent, NULL, NULL, 64, &layout);

        if (status != CAIRN_OK && (c->estimator || status == CAIRN_NO_MEMORY))
            return status;
        if (status != CAIRN_OK) continue;
        look_at(layout, m, c);
        cairn_layout_destroy(env, &layout);
    }
    return CAIRN_OK;
}

/// A line with a format, at @p text.
static cairn_status read_format(reader *r, char *text, cairn_candidate *c)
{
    char *const  colon = strchr(text, ':');
    char        *end   = colon ? colon : text + strlen(text);
    const size_t room  = sizeof((cairn_auto_candidate *)0)->format;
    char         why[128];

    while (end > text && strchr(blanks, end[-1]))
        end--;
    if (colon) *colon = '\0';
    *end = '\0';
    if ((size_t)(end - text) >= room) {
        snprintf(why, sizeof why, "the format has %zu letters; at most %zu are read",
                 (size_t)(end - text), room - 1);
        return refuse(r, text, why);
    }
    c->text = text;
    if (colon) CAIRN_TRY(take_words(r, colon + 1, c));
    if (c->products == 0) c->products = (1U << CAIRN_FOR_KINDS) - 1;
    const cairn_status status =
        cairn_format_parse_line(r->env, &r->catalogue, text, r->origin, r->number,
                                column_of(r, text), &c->format);

    if (status != CAIRN_OK) return refuse_format(r, text, status);
    if (c->format->order != 2) {
        snprintf(why, sizeof why,
                 "it is for tensors of order %d, and only for matrices one is chosen",
                 c->format->order);
        return refuse(r, text, why);
    }
    return refuse_format(r, text, find_kinds(r->env, c));
}

static bool is_comment(const char *text)
{
    const char next = text[1];

    return *text == '#'
           && !((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z')
                || next == '_');
}

static cairn_status read_line(reader *r, char *line)
{
    char *const text = line + strspn(line, blanks);

    r->line = line;
    r->number++;
    if (!*text || is_comment(text)) return CAIRN_OK;
    if (r->out->count == CAIRN_AUTO_CANDIDATES) {
        char why[64];

        snprintf(why, sizeof why, "one format too many: at most %d are read",
                 CAIRN_AUTO_CANDIDATES);
        return refuse(r, text, why);
    }
    /* Counted before it is whole: what it has then goes with the others. */
    return read_format(r, text, &r->out->list[r->out->count++]);
}

static cairn_status read_lines(reader *r)
{
    for (char *line = r->out->text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        CAIRN_TRY(read_line(r, line));
    }
    r->out->lines = r->number;
    if (r->out->count > 0) return CAIRN_OK;
    return refuse(r, r->line, "there is no format");
}

cairn_status cairn_candidates_parse(cairn_env        *env,
                                    const char       *text,
                                    const char       *origin,
                                    cairn_candidates *candidates)
{
    cairn_candidates fresh = {0};
    reader           r     = {.env = env, .origin = origin, .out = &fresh};
    cairn_status     status;

    cairn_quote_origin(r.name, origin);
    CAIRN_GO(done, cairn_strndup(env, text, strlen(text), &fresh.text));
    CAIRN_GO(done, CAIRN_NEW_ZERO(env, CAIRN_AUTO_CANDIDATES, &fresh.list));
    CAIRN_GO(done, read_lines(&r));
done:
    cairn_library_destroy(env, &r.catalogue);
    if (status == CAIRN_OK)
        *candidates = fresh;
    else
        cairn_candidates_fini(env, &fresh);
    return status;
}

void cairn_candidates_fini(cairn_env *env, cairn_candidates *candidates)
{
    for (int k = 0; k < candidates->count; k++) {
        cairn_format_destroy(&candidates->list[k].format);
        cairn_free(env, candidates->list[k].kinds);
    }
    cairn_free(env, candidates->list);
    cairn_free(env, candidates->text);
    *candidates = (cairn_candidates){0};
}

/// Take the estimator of a known format that has the same print.
static cairn_status
recognise_one(cairn_env *env, const cairn_candidates *known, cairn_candidate *c)
{
    char *own = NULL, *other = NULL;

    CAIRN_TRY(cairn_format_print(env, c->format, &own));
    cairn_status status = CAIRN_OK;

    for (int k = 0; k < known->count && !c->estimator && status == CAIRN_OK; k++) {
        status = cairn_format_print(env, known->list[k].format, &other);
        if (status != CAIRN_OK) break;
        if (strcmp(own, other) == 0) {
            c->estimator = known->list[k].estimator;
            memcpy(c->leaf, known->list[k].leaf, sizeof c->leaf);
            memcpy(c->val, known->list[k].val, sizeof c->val);
        }
        cairn_free(env, other);
    }
    cairn_free(env, own);
    return status;
}

cairn_status cairn_candidates_recognise(cairn_env              *env,
                                        const cairn_candidates *known,
                                        cairn_candidates       *candidates)
{
    for (int k = 0; k < candidates->count; k++)
        if (!candidates->list[k].estimator)
            CAIRN_TRY(recognise_one(env, known, &candidates->list[k]));
    return CAIRN_OK;
}

cairn_status cairn_candidates_none(cairn_env              *env,
                                   const cairn_candidates *candidates,
                                   const char             *origin)
{
    char name[256];

    cairn_quote_origin(name, origin);
    return cairn_fail(env, CAIRN_BAD_FORMAT,
                      "candidates: %s:%d:1: no format is offered for this product",
                      name, candidates->lines);
}

void cairn_candidate_count(const cairn_candidate       *candidate,
                           const cairn_pattern         *structure,
                           const cairn_product_options *op,
                           const cairn_value_widths    *values,
                           cairn_counts                *counts)
{
    const cairn_leaf *leaf  = candidate->leaf[cairn_for_of(op)];
    cairn_counts      fresh = {0};

    *counts = fresh;
    if (!candidate->estimator) return;
    fresh.members = candidate->estimator->count(structure, fresh.work);
    for (int m = 0; m < fresh.members; m++) {
        fresh.leaf[m] = leaf[m];
        cairn_counts_store(&fresh, m, values, candidate->val[m]);
    }
    /* It is not for this structure, or what it stores was not counted. */
    if (cairn_counts_values(&fresh) >= (double)structure->entries) *counts = fresh;
}

cairn_for cairn_for_of(const cairn_product_options *op)
{
    return op->transposed    ? CAIRN_FOR_TRANSPOSED
           : op->columns > 1 ? CAIRN_FOR_MANY
                             : CAIRN_FOR_ONE;
}
