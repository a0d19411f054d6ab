// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Libraries of definitions, the catalogue among them.

#include "format/library.h"

#include "base/text.h"
#include "format/parse.h"

#include <string.h>

/// Parse into a library whose arena is there.
static cairn_status fill(cairn_env      *env,
                         const char     *text,
                         size_t          length,
                         const char     *origin,
                         cairn_arena    *arena,
                         cairn_library **library)
{
    cairn_parser p = {.arena = arena};
    const char  *copy;

    CAIRN_TRY(CAIRN_ARENA_NEW(arena, 1, library));
    (*library)->arena = arena;
    CAIRN_TRY(cairn_arena_copy(arena, origin, strlen(origin), &(*library)->origin));
    /* The length is checked before anything of that length is allocated. */
    CAIRN_TRY(cairn_lex_start(&p.lex, env, text, length, origin,
                              (cairn_text_position){1, 1}));
    CAIRN_TRY(cairn_arena_copy(arena, text, length, &copy));
    CAIRN_TRY(cairn_lex_start(&p.lex, env, copy, length, (*library)->origin,
                              (cairn_text_position){1, 1}));
    return cairn_parse_file(&p, *library, &(*library)->definitions, &(*library)->size);
}

cairn_status cairn_library_parse(cairn_env      *env,
                                 const char     *text,
                                 size_t          length,
                                 const char     *origin,
                                 cairn_library **library)
{
    cairn_arena   *arena;
    cairn_library *fresh;
    cairn_status   status;

    CAIRN_TRY(cairn_arena_create(env, &arena));
    status = fill(env, text, length, origin, arena, &fresh);
    if (status == CAIRN_OK)
        *library = fresh;
    else
        cairn_arena_destroy(env, &arena);
    return status;
}

cairn_status cairn_library_catalogue(cairn_env *env, cairn_library **library)
{
    return cairn_library_parse(env, cairn_catalogue_text, strlen(cairn_catalogue_text),
                               "catalogue", library);
}

void cairn_library_destroy(cairn_env *env, cairn_library **library)
{
    if (!*library) return;

    cairn_arena *arena = (*library)->arena;

    cairn_arena_destroy(env, &arena);
    *library = NULL;
}

int cairn_library_size(const cairn_library *library)
{
    return library->size;
}

const char *cairn_library_name(const cairn_library *library, int k)
{
    const cairn_definition *d = library->definitions;

    while (k-- > 0)
        d = d->next;
    return d->name;
}

const cairn_definition *cairn_library_find(const cairn_library *library,
                                           const char          *name)
{
    for (const cairn_definition *d = library->definitions; d; d = d->next)
        if (strcmp(d->name, name) == 0) return d;
    return NULL;
}

static cairn_status
unknown_definition(cairn_env *env, const cairn_library *library, const char *name)
{
    const char **words, *nearest;
    char         quoted[256];
    int          n = 0;

    CAIRN_TRY(CAIRN_NEW(env, library->size + 1, &words));
    for (const cairn_definition *d = library->definitions; d; d = d->next)
        words[n++] = d->name;
    words[n] = NULL;
    cairn_quote(quoted, name, strlen(name), 60);
    nearest = cairn_nearest(name, words);
    cairn_fail(env, CAIRN_BAD_FORMAT,
               "format: %s: there is no format called %s%s%.60s%s", library->origin,
               quoted, nearest ? "; did you mean " : "", nearest ? nearest : "",
               nearest ? "?" : "");
    cairn_free(env, words);
    return CAIRN_BAD_FORMAT;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// End of the white space and comments that begin at @p at.
static const char *skip_space(const char *at, const char *end)
{
    for (;;) {
        if (at < end && is_space(*at)) {
            at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
            while (at < end && *at != '\n')
                at++;
        } else {
            return at;
        }
    }
}

/// Copy with each run of white space and comments made one space.
static void add_single_spaced(cairn_text *text, const char *at, const char *end)
{
    while (at < end) {
        const char *from = at;

        while (at < end && skip_space(at, end) == at)
            at++;
        cairn_text_add_bytes(text, from, (size_t)(at - from));
        at = skip_space(at, end);
        if (at < end) cairn_text_add_bytes(text, " ", 1);
    }
}

cairn_status cairn_library_definition(cairn_env           *env,
                                      const cairn_library *library,
                                      const char          *name,
                                      char               **text,
                                      int                 *missing)
{
    const cairn_definition *d = cairn_library_find(library, name);
    cairn_text              out;
    char                   *taken;

    if (!d) return unknown_definition(env, library, name);
    cairn_text_init(&out, env);
    add_single_spaced(&out, d->text, d->text + d->text_length);
    CAIRN_TRY(cairn_text_take(&out, &taken));
    *missing = 0;
    for (int k = 0; k < d->params; k++)
        *missing += !d->param[k].standard;
    *text = taken;
    return CAIRN_OK;
}

cairn_status cairn_library_note(cairn_env           *env,
                                const cairn_library *library,
                                const char          *name,
                                char               **text)
{
    const cairn_definition *d = cairn_library_find(library, name);

    if (!d) return unknown_definition(env, library, name);
    return cairn_strndup(env, d->note ? d->note : "", d->note_length, text);
}
