// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Resolving of uses: a name is looked up, its parameters are bound, its body resolved.

#include "base/text.h"
#include "format/resolve.h"

#include <string.h>

/// The catalogue, parsed when it is first needed.
static cairn_status open_catalogue(cairn_resolver *r)
{
    return r->catalogue ? CAIRN_OK : cairn_library_catalogue(r->env, &r->catalogue);
}

/// Fail with the nearest name of the library and of the catalogue; where the user chose a
/// library, with its name.
static cairn_status unknown_format(const cairn_scope *scope, const cairn_use_node *use)
{
    const cairn_library *const libraries[] = {scope->library,
                                              scope->resolver->catalogue};
    const char               **words;
    char                       hint[96];
    size_t                     n = 0;

    CAIRN_TRY(
        CAIRN_ARENA_NEW(scope->resolver->arena, 2 * CAIRN_MAX_DEFINITIONS + 1, &words));
    for (int k = 0; k < 2; k++) {
        if (!libraries[k]) continue;
        for (const cairn_definition *d = libraries[k]->definitions; d; d = d->next)
            words[n++] = d->name;
    }
    if (strcmp(use->name, "auto") == 0)
        strcpy(hint, "; it stands alone, where a matrix is to be stored");
    else
        cairn_did_you_mean(hint, use->name, words);
    if (scope->library && !scope->definition) {
        char origin[256];

        cairn_quote_origin(origin, scope->library->origin);
        return cairn_fail_in(scope, use->place,
                             "there is no format called %.60s in %s%s", use->name,
                             origin, hint);
    }
    return cairn_fail_in(scope, use->place, "there is no format called %.60s%s",
                         use->name, hint);
}

static cairn_status look_up(const cairn_scope       *scope,
                            const cairn_use_node    *use,
                            const cairn_definition **definition)
{
    if (scope->library) *definition = cairn_library_find(scope->library, use->name);
    if (*definition) return CAIRN_OK;
    CAIRN_TRY(open_catalogue(scope->resolver));
    *definition = cairn_library_find(scope->resolver->catalogue, use->name);
    return *definition ? CAIRN_OK : unknown_format(scope, use);
}

/// Refuse a definition that is being resolved already.
static cairn_status check_cycle(const cairn_scope      *scope,
                                const cairn_use_node   *use,
                                const cairn_definition *definition)
{
    for (const cairn_scope *s = scope; s; s = s->user)
        if (s->definition == definition)
            return cairn_fail_in(scope, use->place, "%.60s is defined by itself",
                                 use->name);
    return CAIRN_OK;
}

/// Add the names of parameters first..end-1: "r, c".
static void list_params(cairn_text *text, const cairn_definition *d, int first, int end)
{
    for (int k = first; k < end; k++)
        cairn_text_add(text, "%s%.40s", k > first ? ", " : "", d->param[k].name);
}

/// The catalogue's first definition that needs no arguments; NULL: there is none.
static const cairn_definition *bare_definition(const cairn_library *catalogue)
{
    for (const cairn_definition *d = catalogue->definitions; d; d = d->next) {
        bool bare = true;

        for (int k = 0; k < d->params; k++)
            bare = bare && d->param[k].standard;
        if (bare) return d;
    }
    return NULL;
}

/// ", as in 'NAME<2,2>'": quoted, since < means something else to a shell.
static void add_example(cairn_text             *text,
                        const cairn_definition *d,
                        int                     required,
                        const cairn_library    *catalogue)
{
    const cairn_definition *bare = bare_definition(catalogue);

    cairn_text_add(text, ", as in '%.60s<", d->name);
    for (int k = 0; k < required; k++)
        cairn_text_add(text, "%s%s", k ? "," : "",
                       d->param[k].kind == CAIRN_PARAM_FORMAT && bare ? bare->name
                                                                      : "2");
    cairn_text_add(text, ">'");
}

/// "NAME needs 1 argument: b, as in 'NAME<2>'"
static cairn_status wrong_arity(const cairn_scope      *scope,
                                const cairn_use_node   *use,
                                const cairn_definition *d,
                                int                     required,
                                bool                    too_many)
{
    const int    shown = too_many ? d->params : required;
    cairn_text   text;
    char        *line;
    cairn_status status;

    CAIRN_TRY(open_catalogue(scope->resolver));
    cairn_text_init(&text, scope->resolver->env);
    cairn_text_add(&text, too_many ? "at most %d argument%s" : "%d argument%s", shown,
                   shown == 1 ? "" : "s");
    if (shown > 0) cairn_text_add(&text, ": ");
    list_params(&text, d, 0, shown);
    if (shown < d->params) {
        cairn_text_add(&text, " (optional: ");
        list_params(&text, d, shown, d->params);
        cairn_text_add(&text, ")");
    }
    if (!too_many) add_example(&text, d, required, scope->resolver->catalogue);
    CAIRN_TRY(cairn_text_take(&text, &line));
    status =
        cairn_fail_in(scope, use->place, "%.60s %s %s", d->name,
                      too_many ? "takes" : "needs", shown > 0 ? line : "no arguments");
    cairn_free(scope->resolver->env, line);
    return status;
}

static cairn_status check_arity(const cairn_scope      *scope,
                                const cairn_use_node   *use,
                                const cairn_definition *d)
{
    int required = 0, given = 0;

    for (const cairn_arg_node *a = use->args; a; a = a->next)
        given++;
    /* A default before a parameter without one cannot be left out. */
    for (int k = 0; k < d->params; k++)
        if (!d->param[k].standard) required = k + 1;
    if (given < required || given > d->params)
        return wrong_arity(scope, use, d, required, given > d->params);
    return CAIRN_OK;
}

/// The binding that a lone parameter of the caller hands on, or NULL.
static const cairn_binding *handed_on(const cairn_scope    *scope,
                                      const cairn_arg_node *arg)
{
    const cairn_use_node *use = arg->member ? arg->member->use : NULL;
    const int             k   = use ? cairn_scope_param(scope, use->name) : -1;

    return k >= 0 && !use->args && !arg->member->distribution ? &scope->binding[k]
                                                              : NULL;
}

static cairn_status
resolve_arg(const cairn_scope *scope, const cairn_arg_node *arg, cairn_binding *binding)
{
    const cairn_binding *same = handed_on(scope, arg);

    if (same) {
        *binding = *same;
        return CAIRN_OK;
    }
    binding->is_number = arg->number != NULL;
    return arg->number ? cairn_resolve_number(scope, arg->number, &binding->number)
                       : cairn_resolve_member(scope, arg->member, &binding->format);
}

static cairn_status check_kind(const cairn_scope      *scope,
                               const cairn_arg_node   *arg,
                               const cairn_definition *d,
                               int                     k,
                               bool                    is_number)
{
    const cairn_param_kind    kind = d->param[k].kind;
    const cairn_text_position place =
        arg->number ? arg->number->place : arg->member->place;

    if (kind == CAIRN_PARAM_UNKNOWN || is_number == (kind == CAIRN_PARAM_NUMBER))
        return CAIRN_OK;
    return cairn_fail_in(scope, place, "argument %.60s of %.60s must be a %s, not a %s",
                         d->param[k].name, d->name, is_number ? "format" : "number",
                         is_number ? "number" : "format");
}

/// Bind the arguments, read where they are written, then the defaults, where they are.
static cairn_status
bind(const cairn_scope *scope, const cairn_use_node *use, cairn_scope *inner)
{
    const cairn_definition *d = inner->definition;
    const cairn_arg_node   *a = use->args;

    CAIRN_TRY(check_arity(scope, use, d));
    for (int k = 0; k < d->params; k++) {
        if (a) {
            CAIRN_TRY(resolve_arg(scope, a, &inner->binding[k]));
            CAIRN_TRY(check_kind(scope, a, d, k, inner->binding[k].is_number));
            a = a->next;
        } else {
            inner->binding[k].is_number = true;
            CAIRN_TRY(cairn_resolve_number(inner, d->param[k].standard,
                                           &inner->binding[k].number));
        }
    }
    return CAIRN_OK;
}

/// Say where a definition was used, when its body fails.
static cairn_status
in_use(const cairn_scope *scope, const cairn_use_node *use, cairn_status status)
{
    cairn_env *const env = scope->resolver->env;
    char             origin[256];

    if (status != CAIRN_BAD_FORMAT && status != CAIRN_BAD_SYNTAX) return status;
    cairn_quote_origin(origin, scope->origin);
    return cairn_fail(env, status, "%s (in %.60s, used at %.200s:%d:%d)", env->message,
                      use->name, origin, use->place.line, use->place.column);
}

static cairn_status
enter(cairn_resolver *r, const cairn_scope *scope, const cairn_use_node *use)
{
    if (r->depth == CAIRN_MAX_NESTING)
        return cairn_fail_in(scope, use->place, "uses nest deeper than %d",
                             CAIRN_MAX_NESTING);
    if (r->uses == CAIRN_MAX_USES)
        return cairn_fail_in(scope, use->place,
                             "a format uses more than %d definitions", CAIRN_MAX_USES);
    r->depth++;
    r->uses++;
    return CAIRN_OK;
}

static cairn_status instantiate(const cairn_scope      *scope,
                                const cairn_use_node   *use,
                                const cairn_definition *definition,
                                cairn_meaning          *meaning)
{
    cairn_resolver *const r = scope->resolver;
    cairn_scope          *inner;

    CAIRN_TRY(check_cycle(scope, use, definition));
    CAIRN_TRY(enter(r, scope, use));
    CAIRN_TRY(CAIRN_ARENA_NEW(r->arena, 1, &inner));
    inner->resolver   = r;
    inner->library    = definition->library;
    inner->origin     = definition->library->origin;
    inner->definition = definition;
    inner->user       = scope;
    CAIRN_TRY(bind(scope, use, inner));

    const cairn_status status = cairn_resolve_body(inner, &definition->body, meaning);

    r->depth--;
    return status == CAIRN_OK ? CAIRN_OK : in_use(scope, use, status);
}

/// A parameter that stands for a format.
static cairn_status resolve_param(const cairn_scope    *scope,
                                  const cairn_use_node *use,
                                  int                   k,
                                  cairn_meaning        *meaning)
{
    if (use->args)
        return cairn_fail_in(scope, use->place,
                             "%.60s is a parameter; it takes no arguments", use->name);
    if (scope->binding[k].is_number)
        return cairn_fail_in(scope, use->place, "parameter %.60s is a number here",
                             use->name);
    *meaning = scope->binding[k].format;
    return CAIRN_OK;
}

cairn_status cairn_resolve_use(const cairn_scope    *scope,
                               const cairn_use_node *use,
                               cairn_meaning        *meaning)
{
    const int               k          = cairn_scope_param(scope, use->name);
    const cairn_definition *definition = NULL;

    if (k >= 0) return resolve_param(scope, use, k, meaning);
    CAIRN_TRY(look_up(scope, use, &definition));
    return instantiate(scope, use, definition, meaning);
}

cairn_status cairn_resolve_member(const cairn_scope       *scope,
                                  const cairn_member_node *member,
                                  cairn_meaning           *meaning)
{
    *meaning = (cairn_meaning){.scope = scope};
    CAIRN_TRY(member->encoding
                  ? cairn_resolve_encoding(scope, member->encoding, &meaning->encoding)
                  : cairn_resolve_use(scope, member->use, meaning));
    return cairn_resolve_distributed(scope, member->distribution, meaning);
}

cairn_status cairn_resolve_distributed(const cairn_scope             *scope,
                                       const cairn_distribution_node *node,
                                       cairn_meaning                 *meaning)
{
    if (!node) return CAIRN_OK;
    if (meaning->query)
        return cairn_fail_in(scope, node->place, "a query has no distribution");
    if (meaning->distribution.kind != CAIRN_DISTRIBUTION_UNSAID)
        return cairn_fail_in(scope, node->place,
                             "the format has a distribution already");
    return cairn_resolve_distribution(scope, node,
                                      meaning->hybrid ? meaning->hybrid->order
                                                      : meaning->encoding->map.order,
                                      &meaning->distribution);
}

cairn_status cairn_resolve_body(const cairn_scope     *scope,
                                const cairn_body_node *body,
                                cairn_meaning         *meaning)
{
    *meaning = (cairn_meaning){.query = body->query, .scope = scope};
    if (body->encoding)
        return cairn_resolve_encoding(scope, body->encoding, &meaning->encoding);
    if (body->hybrid)
        return cairn_resolve_hybrid(scope, body->hybrid, &meaning->hybrid);
    if (body->use) return cairn_resolve_use(scope, body->use, meaning);
    return CAIRN_OK;
}
