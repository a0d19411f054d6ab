// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Formats with queries in other words: the same arrays, the same normal form, the same
/// program. Formats are those of the catalogue, whatever they are called, with numbers
/// drawn at random.

#include "rules/path.h"
#include "support/conversion.h"
#include "support/query_rewrite.h"
#include "support/seed.h"

enum { ROWS = 83, COLS = 71, REWRITES = 20 };

static const cairn_kernel_loader interpreter = {.interprets   = true,
                                                .vector_bytes = 32,
                                                .threads      = 1};

typedef struct {
    cairn_env     env;
    cairn_entries entries;
} fixture;

static void start(fixture *f, uint64_t seed)
{
    uint64_t state = seed;

    cairn_env_init(&f->env);
    f->env.options.kernels = CAIRN_KERNELS_AUTO;
    cairn_entries_init(&f->entries, 2);
    for (cairn_coord i = 0; i < ROWS; i++)
        for (cairn_coord j = 0; j < COLS; j++)
            if (random_chance(&state, i % 5 == 2 ? 0 : (i + j) % 9 < 2 ? 60 : 7))
                cr_assert_eq(cairn_entries_add(&f->env, &f->entries,
                                               (cairn_coord[]){i, j},
                                               1 + random_below(&state, 100)),
                             CAIRN_OK);
}

static void stop(fixture *f)
{
    cairn_entries_fini(&f->env, &f->entries);
    cr_expect_eq(f->env.live_blocks, 0);
    cairn_env_fini(&f->env);
}

/// @param[out] path  What was done; NULL: the reference way.
static cairn_local *
store(fixture *f, const cairn_format *format, const char *text, cairn_path **path)
{
    cairn_local *made  = NULL;
    cairn_build  build = whole_build(
         (cairn_shape){
             2, {ROWS, COLS}
    },
         64, &f->entries, NULL, path ? &interpreter : NULL);

    f->env.options.kernels = path ? CAIRN_KERNELS_COMPILED : CAIRN_KERNELS_REFERENCE;
    build.format           = format;
    build.report.executed  = path;
    cr_assert_eq(cairn_local_build(&f->env, &build, &made), CAIRN_OK, "%s\n%s", text,
                 f->env.message);
    return made;
}

static void
check_program(const cairn_pass_list *a, const cairn_pass_list *b, const char *text)
{
    cr_assert_eq(a->passes, b->passes, "%s: %d passes, not %d", text, b->passes,
                 a->passes);
    for (int k = 0; k < a->passes; k++) {
        const cairn_pass *x = &a->pass[k], *y = &b->pass[k];

        cr_assert(strcmp(x->method, y->method) == 0 && x->what == y->what
                      && x->unit == y->unit && x->rule == y->rule
                      && x->arrays == y->arrays && x->stores == y->stores
                      && x->interpreted == y->interpreted,
                  "%s: pass %d is another", text, k);
    }
}

static void check_normal(fixture            *f,
                         const cairn_format *plain,
                         const cairn_format *other,
                         const char         *text)
{
    char *a, *b;

    cr_assert_eq(cairn_normal_print(&f->env, plain->normal[0], &a), CAIRN_OK);
    cr_assert_eq(cairn_normal_print(&f->env, other->normal[0], &b), CAIRN_OK);
    cr_assert_str_eq(b, a, "%s", text);
    cairn_free(&f->env, a);
    cairn_free(&f->env, b);
}

/// One format in other words.
static void check_rewrite(fixture *f, const cairn_format *plain, uint64_t seed)
{
    char         *text  = rewrite(&f->env, plain, seed);
    cairn_format *other = NULL;
    cairn_path   *paths[2];
    cairn_local  *made[4];

    cr_assert_eq(cairn_format_parse(&f->env, NULL, text, "rewritten", &other), CAIRN_OK,
                 "%s\n%s", text, f->env.message);
    made[0] = store(f, plain, text, NULL);
    made[1] = store(f, other, text, NULL);
    made[2] = store(f, plain, text, &paths[0]);
    made[3] = store(f, other, text, &paths[1]);
    for (int k = 1; k < 4; k++)
        check_same(made[0], made[k], text);
    check_normal(f, plain, other, text);
    check_program(&paths[0]->program, &paths[1]->program, text);
    for (int k = 0; k < 4; k++)
        cairn_local_destroy(&made[k]);
    cairn_path_destroy(&paths[0]);
    cairn_path_destroy(&paths[1]);
    cairn_format_destroy(&other);
    cairn_free(&f->env, text);
}

/// Format number @p k of the catalogue with numbers drawn for its parameters; NULL: it
/// takes formats, or asks nothing of the data.
static cairn_format *
draw_format(fixture *f, const cairn_library *library, int k, uint64_t *state)
{
    const char   *name = cairn_library_name(library, k);
    char          use[200], *definition;
    cairn_format *format = NULL;
    int           missing, n = snprintf(use, sizeof use, "%s", name);

    cr_assert_eq(
        cairn_library_definition(&f->env, library, name, &definition, &missing),
        CAIRN_OK);
    cairn_free(&f->env, definition);
    for (int p = 0; p < missing; p++)
        n += snprintf(use + n, sizeof use - (size_t)n, "%c%d", p ? ',' : '<',
                      2 + (int)random_below(state, 7));
    if (missing) snprintf(use + n, sizeof use - (size_t)n, ">");
    if (cairn_format_parse(&f->env, NULL, use, "test", &format) != CAIRN_OK)
        return NULL;
    if (!format->hybrid && format->order == 2 && format->member[0]->queries > 0)
        return format;
    cairn_format_destroy(&format);
    return NULL;
}

/// So many rewrites of each format of the catalogue that has queries, each time with other
/// numbers.
static void check_catalogue(int rewrites)
{
    const char    *given = getenv("REWRITE_SEED");
    const uint64_t first =
        given ? strtoull(given, NULL, 10) : seed_clock() * UINT64_C(1000003);
    cairn_library *library;
    fixture        f;
    int            formats = 0;

    printf("first seed %lu\n", (unsigned long)first);
    start(&f, first);
    cr_assert_eq(cairn_library_catalogue(&f.env, &library), CAIRN_OK);
    for (int k = 0; k < cairn_library_size(library); k++)
        for (int r = 0; r < rewrites; r++) {
            uint64_t      state  = first + (uint64_t)(100 * k + r);
            cairn_format *format = draw_format(&f, library, k, &state);

            if (!format) break;
            formats += r == 0;
            check_rewrite(&f, format, state);
            cairn_format_destroy(&format);
        }
    cairn_library_destroy(&f.env, &library);
    cr_expect_gt(formats, 0);
    stop(&f);
}

Test(normal_rewrites, catalogue_formats_in_other_words_are_the_same, .timeout = 600)
{
    check_catalogue(seed_cases(REWRITES));
}
