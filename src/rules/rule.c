// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rules as text.

#include "base/text.h"
#include "rules/path.h"

#include <inttypes.h>

typedef enum { NONE, LEVEL, LEVELS, FACTOR, BOTH, QUERY, PACK, WIDTH, TYPE } arguments;

static const struct {
    const char *name;
    arguments   arguments;
    const char *sentence;
} rules[] = {
#define X(id, name, arguments, sentence) {name, arguments, sentence},
    CAIRN_RULE_MAP(X)
#undef X
};

static const char *const types[] = {
#define X(id, name, kind, bits) name,
    CAIRN_VAL_TYPE_MAP(X)
#undef X
};

static void add_width(cairn_text *text, const cairn_rule *rule)
{
    cairn_text_add(text, "(%s", rule->b == 0 ? "ptr" : "idx");
    if (rule->a >= 0) cairn_text_add(text, "(%d)", rule->a);
    if (rule->c > 0) cairn_text_add(text, "=%" PRId64, rule->c);
    cairn_text_add(text, ")");
}

cairn_status cairn_rule_print(cairn_env *env, const cairn_rule *rule, char **out)
{
    cairn_text text;

    cairn_text_init(&text, env);
    cairn_text_add(&text, "%s", rules[rule->kind].name);
    switch (rules[rule->kind].arguments) {
    case NONE: break;
    case LEVEL: cairn_text_add(&text, "(%d)", rule->a); break;
    case LEVELS: cairn_text_add(&text, "(%d,%d)", rule->a, rule->b); break;
    case FACTOR: cairn_text_add(&text, "(%d,%" PRId64 ")", rule->a, rule->c); break;
    case BOTH:
        cairn_text_add(&text, "(%d,%d,%" PRId64 ")", rule->a, rule->b, rule->c);
        break;
    case QUERY:
        if (rule->query)
            cairn_text_add(&text, "(%s)", rule->query);
        else
            cairn_text_add(&text, "(%d)", rule->a);
        break;
    case PACK:
        cairn_text_add(&text, "(%d,%d%s)", rule->a, rule->b, rule->c ? ",novalue" : "");
        break;
    case WIDTH: add_width(&text, rule); break;
    case TYPE:
        if (rule->a != CAIRN_VAL_UNSAID) cairn_text_add(&text, "(%s)", types[rule->a]);
        break;
    }
    return cairn_text_take(&text, out);
}

const char *cairn_rule_sentence(cairn_rule_kind kind)
{
    return rules[kind].sentence;
}

cairn_status cairn_path_print(cairn_path *path)
{
    cairn_status status = CAIRN_OK;

    if (path->text) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(path->env, path->rules, &path->text));
    for (int k = 0; k < path->rules && status == CAIRN_OK; k++)
        status = cairn_rule_print(path->env, &path->rule[k], &path->text[k]);
    if (status != CAIRN_OK) cairn_path_drop_text(path);
    return status;
}

void cairn_path_drop_text(cairn_path *path)
{
    for (int k = 0; k < path->rules && path->text; k++)
        cairn_free(path->env, path->text[k]);
    cairn_free(path->env, path->text);
    path->text = NULL;
}

/// The program, and what ranks sent each other.
static cairn_status print_how(const cairn_path *path, char **how)
{
    cairn_text text;
    char      *program;

    CAIRN_TRY(cairn_pass_list_print(&path->program, &program));
    cairn_text_init(&text, path->env);
    cairn_text_add(&text, "%s", program);
    if (path->moves.messages > 0)
        cairn_text_add(&text,
                       "sent %" PRId64 " entries, %" PRId64 " bytes, %" PRId64
                       " messages\n",
                       path->moves.entries, path->moves.bytes, path->moves.messages);
    if (path->moves.asked > 0)
        cairn_text_add(&text, "asked about places in %" PRId64 " bytes\n",
                       path->moves.asked);
    cairn_free(path->env, program);
    return cairn_text_take(&text, how);
}

const char *cairn_path_how(const cairn_path *path)
{
    cairn_path *const own = (cairn_path *)path; /* constant but for its text */

    if (!path->how && print_how(path, &own->how) != CAIRN_OK) return NULL;
    return path->how;
}

const char *cairn_path_rule(const cairn_path *path, int k)
{
    if (cairn_path_print((cairn_path *)path) != CAIRN_OK) return NULL;
    return path->text[k];
}
