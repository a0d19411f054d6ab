// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a user writes where a format is expected: a name, a whole text, FILE:NAME.

#include "format/normal.h"
#include "format/parse.h"
#include "format/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Find the normal forms.
static cairn_status normalise(cairn_resolver *r, cairn_format *f)
{
    for (int k = 0; k < f->members; k++)
        CAIRN_TRY(cairn_encoding_normal(r->env, r->arena, f->member[k], &f->normal[k]));
    return cairn_format_normal_query(r->env, r->arena, f, &f->normal_query);
}

/// Numbers by which encodings and formats are told apart, also after they are gone.
static uint64_t next_number(void)
{
    static _Atomic uint64_t last;

    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/// The encoding is constant to its users; it has none yet, so its number may be written.
static void give_number(const cairn_encoding *encoding)
{
    cairn_encoding *const fresh = (cairn_encoding *)encoding;

    if (fresh->number == 0) fresh->number = next_number();
}

static void give_numbers(cairn_format *f)
{
    f->life.number = next_number();
    for (int k = 0; k < f->members; k++) {
        give_number(f->member[k]);
        give_number(f->normal[k]);
    }
}

/// Make the format that a body means.
static cairn_status
finish(cairn_resolver *r, const cairn_meaning *meaning, cairn_format **format)
{
    cairn_format *f;

    CAIRN_TRY(CAIRN_ARENA_NEW(r->arena, 1, &f));
    if (meaning->hybrid) {
        *f = *meaning->hybrid;
    } else {
        f->members   = 1;
        f->member[0] = meaning->encoding;
        f->order     = meaning->encoding->map.order;
    }
    f->distribution = meaning->distribution;
    f->env          = r->env;
    f->arena        = r->arena;
    *format         = f;
    CAIRN_TRY(normalise(r, f));
    give_numbers(f);
    return CAIRN_OK;
}

/// Parse and resolve; what it allocates is in the resolver's arena, or in the one here
/// that goes away with the parse tree.
static cairn_status read_format(cairn_resolver      *r,
                                const cairn_library *library,
                                cairn_parser        *p,
                                cairn_format       **format)
{
    cairn_body_node          body = {NULL, NULL, NULL, NULL};
    cairn_distribution_node *said = NULL;
    cairn_meaning            meaning;
    cairn_scope             *scope;

    const cairn_text_position place = p->lex.token.place;

    CAIRN_TRY(cairn_parse_body(p, &body));
    CAIRN_TRY(cairn_parse_distribution(p, &said));
    if (p->lex.token.kind != CAIRN_TOKEN_END)
        return cairn_lex_expected(&p->lex, "the end of the format");
    CAIRN_TRY(CAIRN_ARENA_NEW(r->arena, 1, &scope));
    scope->resolver = r;
    scope->library  = library;
    scope->origin   = p->lex.origin;
    CAIRN_TRY(cairn_resolve_body(scope, &body, &meaning));
    if (meaning.query) return cairn_fail_in(scope, place, "a query is not a format");
    CAIRN_TRY(cairn_resolve_distributed(scope, said, &meaning));
    return finish(r, &meaning, format);
}

/// As cairn_format_parse(), where the text begins at @p place of what the user wrote.
///
/// @param[in,out] catalogue  Parsed if it is NULL and needed.
static cairn_status parse_format(cairn_env           *env,
                                 const cairn_library *library,
                                 cairn_library      **catalogue,
                                 const char          *text,
                                 cairn_text_position  place,
                                 const char          *origin,
                                 cairn_format       **format)
{
    cairn_resolver r = {.env = env, .catalogue = *catalogue};
    cairn_parser   p = {.arena = NULL};
    cairn_status   status;
    cairn_format  *fresh = NULL;

    CAIRN_TRY(cairn_lex_start(&p.lex, env, text, strlen(text), origin, place));
    CAIRN_TRY(cairn_arena_create(env, &r.arena));
    CAIRN_GO(out, cairn_arena_create(env, &p.arena));
    CAIRN_GO(out, read_format(&r, library, &p, &fresh));
    *format = fresh;
out:
    if (status != CAIRN_OK) cairn_arena_destroy(env, &r.arena);
    cairn_arena_destroy(env, &p.arena);
    *catalogue = r.catalogue;
    return status;
}

cairn_status cairn_format_parse(cairn_env           *env,
                                const cairn_library *library,
                                const char          *text,
                                const char          *origin,
                                cairn_format       **format)
{
    cairn_library     *catalogue = NULL;
    const cairn_status status    = parse_format(
           env, library, &catalogue, text, (cairn_text_position){1, 1}, origin, format);

    cairn_library_destroy(env, &catalogue);
    return status;
}

cairn_status cairn_format_parse_line(cairn_env      *env,
                                     cairn_library **catalogue,
                                     const char     *text,
                                     const char     *origin,
                                     int             line,
                                     int             column,
                                     cairn_format  **format)
{
    return parse_format(env, NULL, catalogue, text, (cairn_text_position){line, column},
                        origin, format);
}

/// Compressed lines of a matrix, by its dimensions in the order of @p map.
static cairn_status parse_compressed(cairn_env     *env,
                                     const char    *map,
                                     int            ptr_bits,
                                     int            idx_bits,
                                     cairn_format **format)
{
    static const char lines[] =
        "#encoding<{ idx_map<(d0,d1)->(%s)>, mutation<merge(0), trim(1,1)>";
    char text[160];
    int  n = snprintf(text, sizeof text, lines, map);

    if (ptr_bits == 0 && idx_bits == 0)
        snprintf(text + n, sizeof text - (size_t)n, " }>");
    else
        snprintf(text + n, sizeof text - (size_t)n, ", bits<ptr = %d, idx = %d> }>",
                 ptr_bits, idx_bits);
    return cairn_format_parse(env, NULL, text, "compressed lines", format);
}

cairn_status cairn_format_compressed_rows(cairn_env     *env,
                                          int            ptr_bits,
                                          int            idx_bits,
                                          cairn_format **format)
{
    return parse_compressed(env, "d0,d1", ptr_bits, idx_bits, format);
}

cairn_status cairn_format_compressed_columns(cairn_env     *env,
                                             int            ptr_bits,
                                             int            idx_bits,
                                             cairn_format **format)
{
    return parse_compressed(env, "d1,d0", ptr_bits, idx_bits, format);
}

cairn_status
cairn_format_coordinates(cairn_env *env, int idx_bits, cairn_format **format)
{
    static const char list[] =
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<trim(0,1)>";
    char text[160];

    if (idx_bits == 0)
        snprintf(text, sizeof text, "%s }>", list);
    else
        snprintf(text, sizeof text, "%s, bits<idx = %d> }>", list, idx_bits);
    return cairn_format_parse(env, NULL, text, "coordinates", format);
}

/// Length of FILE in FILE:NAME<...>, or 0: the last ':' before any '<' or '@'.
static size_t file_length(const char *spec)
{
    const size_t head = strcspn(spec, "<@");

    if (spec[0] == '#') return 0;
    for (size_t k = head; k-- > 0;)
        if (spec[k] == ':') return k;
    return 0;
}

static cairn_status cannot_read(cairn_env *env, const char *path)
{
    const char *const why = strerror(errno);
    char              origin[256];

    cairn_quote_origin(origin, path);
    return cairn_fail(env, CAIRN_IO, "format: %s: cannot be read: %s", origin, why);
}

/// Read the whole of an open file into @p text, up to one byte beyond the limit, which
/// the lexer then refuses with its own words.
static cairn_status
read_all(cairn_env *env, const char *path, FILE *file, char **text, size_t *length)
{
    size_t capacity = 0, got;

    *length = 0;
    do {
        capacity = capacity ? 2 * capacity : 64 << 10;
        CAIRN_TRY(cairn_realloc(env, (int64_t)capacity, 1, (void **)text));
        got = fread(*text + *length, 1, capacity - *length, file);
        *length += got;
    } while (*length == capacity && capacity <= CAIRN_MAX_TEXT);
    return ferror(file) ? cannot_read(env, path) : CAIRN_OK;
}

/// Not blocking: a pipe may never be written to. It is refused, as for matrices.
static cairn_status open_regular(cairn_env *env, const char *path, FILE **file)
{
    const int   fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    char        origin[256];

    if (fd < 0) return cannot_read(env, path);
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
        *file = fdopen(fd, "rb");
        if (*file) return CAIRN_OK;
    }
    close(fd);
    cairn_quote_origin(origin, path);
    return cairn_fail(env, CAIRN_IO,
                      "format: %s: cannot be read: it is not a regular file", origin);
}

static cairn_status
read_library(cairn_env *env, const char *path, cairn_library **library)
{
    FILE        *file = NULL;
    char        *text = NULL;
    size_t       length;
    cairn_status status;

    CAIRN_TRY(open_regular(env, path, &file));
    CAIRN_GO(out, read_all(env, path, file, &text, &length));
    CAIRN_GO(out, cairn_library_parse(env, text, length, path, library));
out:
    cairn_free(env, text);
    fclose(file);
    return status;
}

/// Where a file has the name that means no format, the user has forgotten which of its.
static cairn_status file_alone(cairn_env *env, const char *spec, cairn_status status)
{
    struct stat about;
    char        path[256];

    if (status != CAIRN_BAD_FORMAT && status != CAIRN_BAD_SYNTAX) return status;
    if (stat(spec, &about) != 0 || !S_ISREG(about.st_mode)) return status;
    cairn_quote_origin(path, spec);
    return cairn_fail(env, status,
                      "format: %s: it is a file; FILE:NAME is a format that it defines",
                      path);
}

cairn_status cairn_format_open(cairn_env     *env,
                               const char    *spec,
                               const char    *origin,
                               cairn_format **format)
{
    const size_t   length  = file_length(spec);
    cairn_library *library = NULL, *catalogue = NULL;
    char          *path = NULL;
    cairn_status   status;

    if (length == 0)
        return file_alone(env, spec,
                          cairn_format_parse(env, NULL, spec, origin, format));
    CAIRN_TRY(cairn_strndup(env, spec, length, &path));
    CAIRN_GO(out, read_library(env, path, &library));
    CAIRN_GO(out,
             parse_format(env, library, &catalogue, spec + length + 1,
                          (cairn_text_position){1, (int)length + 2}, origin, format));
out:
    cairn_library_destroy(env, &catalogue);
    cairn_library_destroy(env, &library);
    cairn_free(env, path);
    return status;
}

cairn_format *cairn_format_hold(const cairn_format *format)
{
    cairn_format *const held =
        (cairn_format *)format; /* constant but for who holds it */

    held->life.others++;
    return held;
}

void cairn_format_destroy(cairn_format **format)
{
    if (!format || !*format) return;

    cairn_env   *env   = (*format)->env;
    cairn_arena *arena = (*format)->arena;

    if ((*format)->life.others-- == 0) {
        if ((*format)->life.kept) (*format)->life.forget(env, (*format)->life.kept);
        cairn_arena_destroy(env, &arena);
    }
    *format = NULL;
}
