// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions for the list. Which phases a conversion has is not written down anywhere:
/// a sample is converted with a loader that notes what is asked for and hands out a
/// function that has no memory, so that nothing is converted. (Rows that are counted
/// before are said to be empty.)

#include "convert/build.h"
#include "entries/entries_columns.h"
#include "format/language.h"
#include "kernels/gen.h"

#include <stdio.h>
#include <string.h>

/* Enough that no phase is chosen because there is little to do. */
enum { SAMPLE = 120000, PAIR = 128 };

static int64_t has_no_memory(void)
{
    return -1;
}

/// Counts that are asked for before the other phases are: all of them 0.
static int64_t finds_nothing(void)
{
    return 0;
}

static bool is_asked_first(const char *key)
{
    static const char first[] = "convert: tally";

    return strncmp(key, first, sizeof first - 1) == 0;
}

static cairn_status
note_request(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    generator *const   g = user;
    char               symbol[CAIRN_KERNEL_SYMBOL];
    char              *key;
    cairn_ir_function *function;

    *kernel =
        (cairn_kernel){.run   = is_asked_first(request->key) ? (void *)finds_nothing
                                                             : (void *)has_no_memory,
                       .route = CAIRN_ROUTE_PREBUILT};
    if (gen_has(g, request->key)) return CAIRN_OK;
    cairn_kernel_symbol(request->key, symbol);
    CAIRN_TRY(cairn_strndup(&g->env, request->key, strlen(request->key), &key));
    const cairn_status status =
        request->lower(&g->env, request->user, symbol, &function);

    if (status == CAIRN_OK) return gen_add(g, key, function, GEN_ANY_WIDTH);
    cairn_free(&g->env, key);
    return status;
}

static void forget(void *user, cairn_kernel *kernel)
{
    (void)user, (void)kernel;
}

/// Entries of all rows, sorted, each once.
static cairn_status
make_sample(generator *g, const int64_t *extent, cairn_entries *sample)
{
    const int64_t rows = extent[0], cols = extent[1];
    const int64_t wanted = (SAMPLE + rows - 1) / rows, most = (cols + 1) / 2;
    const int64_t each = wanted < most ? wanted : most,
                  n    = SAMPLE < rows ? SAMPLE : rows;

    cairn_entries_init(sample, 2);
    for (int64_t r = 0; r < n; r++)
        for (int64_t k = 0; k < each; k++) {
            const int64_t     width = cols / each;
            const cairn_coord d[2]  = {r * rows / n, k * width + r * 7919 % width};

            CAIRN_TRY(cairn_entries_add(&g->env, sample, d, 1));
        }
    return CAIRN_OK;
}

/// What both builds have in common.
static cairn_build
build_of(const cairn_format *format, const int64_t *extent, int value_bits)
{
    return (cairn_build){
        .format     = format,
        .shape      = {.order = 2,         .extent = {extent[0], extent[1]}},
        .box        = {{0, extent[0] - 1}, {0, extent[1] - 1}              },
        .value_bits = value_bits,
    };
}

/// Ask for the conversion of the sample, which fails for want of memory in the first phase
/// that runs, after all were asked for.
static cairn_status ask(generator *g, cairn_build *build)
{
    const cairn_kernel_loader loader = {.load         = note_request,
                                        .release      = forget,
                                        .user         = g,
                                        .vector_bytes = 16,
                                        .threads      = 1};
    cairn_local              *made   = NULL;

    build->loader             = &loader;
    g->env.options.kernels    = CAIRN_KERNELS_COMPILED;
    const cairn_status status = cairn_local_build(&g->env, build, &made);

    cairn_local_destroy(&made);
    return status == CAIRN_NO_MEMORY ? CAIRN_OK : status;
}

/// Ask for a conversion from arrays of a caller's: no block of the library's has them.
static cairn_status ask_lent(generator *g, cairn_build *build, cairn_group *group)
{
    const cairn_group own = *group;

    group->block              = NULL;
    group->apart              = 0;
    group->checked            = true;
    const cairn_status status = ask(g, build);

    *group = own;
    return status;
}

/// @param lent  The source's arrays are a caller's.
static cairn_status convert_sample(generator          *g,
                                   const cairn_format *from,
                                   bool                lent,
                                   const cairn_format *to,
                                   const int64_t      *extent,
                                   int                 bits)
{
    cairn_entries sample;
    cairn_local  *source = NULL;
    cairn_build   build  = build_of(to, extent, bits);
    cairn_status  status = make_sample(g, extent, &sample);

    build.entries = &sample;
    if (from && status == CAIRN_OK) {
        cairn_build first = build_of(from, extent, bits);

        first.entries          = &sample;
        g->env.options.kernels = CAIRN_KERNELS_REFERENCE;
        status                 = cairn_local_build(&g->env, &first, &source);
        build.entries          = NULL;
        build.from             = source;
    }
    if (status == CAIRN_OK)
        status = lent ? ask_lent(g, &build, &source->group[0]) : ask(g, &build);
    if (status == CAIRN_OK && source
        && !lent) { /* values that will change are copied */
        source->pattern = true;
        status          = ask(g, &build);
    }
    cairn_local_destroy(&source);
    cairn_entries_fini(&g->env, &sample);
    return status;
}

/// As convert_sample(), from coordinates in any order: few are dealt by column first, as
/// the sample is here, however far apart its columns are.
static cairn_status
convert_dealt(generator *g, const cairn_format *to, const int64_t *extent, int bits)
{
    cairn_entries sample;
    cairn_dealt   dealt  = {.n = 0};
    cairn_build   build  = build_of(to, extent, bits);
    cairn_status  status = make_sample(g, extent, &sample);
    cairn_given   given  = {
           .order  = 2,
           .n      = sample.n,
           .coord  = {sample.coord[0], sample.coord[1]},
           .stride = 1,
           .value  = sample.value,
           .extent = extent
    };
    cairn_words words;
    bool        inside;

    if (status == CAIRN_OK && cairn_words_within(&given, &words))
        status = cairn_columns_deal(&g->env, &given, &words, &inside, &dealt);
    build.entries = &sample;
    build.dealt   = &dealt;
    if (status == CAIRN_OK) status = ask(g, &build);
    cairn_dealt_fini(&g->env, &dealt);
    cairn_entries_fini(&g->env, &sample);
    return status == CAIRN_NO_KERNEL ? CAIRN_OK : status; /* too few for the rows */
}

/// @param from  Its name; "coords" and "entries" are none of a format, which is NULL then.
static cairn_status convert_all(generator          *g,
                                const char         *name,
                                const cairn_format *from,
                                const cairn_format *to)
{
    const bool dealt = strcmp(name, "coords") == 0, lent = gen_rows(name) != NULL;

    for (int e = 0; e < GEN_CONVERTED; e++)
        for (int bits = 32; bits <= 64; bits += 32)
            CAIRN_TRY(dealt ? convert_dealt(g, to, gen_extent[e], bits)
                            : convert_sample(g, from, lent, to, gen_extent[e], bits));
    return CAIRN_OK;
}

cairn_status gen_conversion(generator *g, const char *pair)
{
    const char *const arrow = strstr(pair, "->");
    char              name[PAIR];
    cairn_format     *from = NULL, *to = NULL;

    CAIRN_CHECK(arrow && arrow - pair < PAIR, &g->env, CAIRN_BAD_ARGUMENT,
                "prebuilt.txt: line %d: '%s' is not FROM->TO", g->line, pair);
    snprintf(name, sizeof name, "%.*s", (int)(arrow - pair), pair);
    cairn_status status =
        cairn_format_parse(&g->env, NULL, arrow + 2, "prebuilt.txt", &to);

    if (status == CAIRN_OK && strcmp(name, "coords") != 0
        && strcmp(name, "entries") != 0)
        status = gen_format(g, name, &from);
    if (status == CAIRN_OK) status = convert_all(g, name, from, to);
    cairn_format_destroy(&from);
    cairn_format_destroy(&to);
    return status;
}
