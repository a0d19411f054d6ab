// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions for the list. Which functions a conversion calls is not written down
/// anywhere: conversions of a sample are planned, without any entry, and the loader that a
/// plan asks for functions lowers them.

#include "convert/build_plan.h"
#include "format/language.h"
#include "kernels/gen.h"

#include <stdio.h>
#include <string.h>

/* Few, of short rows where there are few rows; enough that no function is chosen because
   there is little to do; and so many that what is far apart goes by way of buckets. */
static const int64_t sizes[] = {2000, 120000, 4 << 20};

/* Machines whose vectors can be masked are asked for other functions than all others. */
static const int vectors[] = {16, 64};

enum {
    SIZES   = sizeof sizes / sizeof *sizes,
    VECTORS = sizeof vectors / sizeof *vectors,
    PAIR    = 128,
    STATES  = 2
};

/// A conversion of the list, while functions are asked for.
typedef struct {
    generator          *g;
    const cairn_format *from, *to; ///< `from` NULL: coordinates.
    int                 states;
    int                 state[STATES]; ///< [states] What the source may be like.
    int                 vector_bytes;  ///< Of the machine that is planned for.
    int                 requests;      ///< So far.
} conversion;

/// What the narrowest vectors ask for every machine may, and is compiled for each; what
/// only wider ones ask for is theirs.
static int width_of(const conversion *c)
{
    return c->vector_bytes == vectors[0] ? GEN_ANY_WIDTH
                                         : __builtin_ctz((unsigned)c->vector_bytes) - 4;
}

static cairn_status
lower_request(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    conversion *const  c = user;
    generator *const   g = c->g;
    char               symbol[CAIRN_KERNEL_SYMBOL];
    char              *key;
    cairn_ir_function *function;

    *kernel = (cairn_kernel){.route = CAIRN_ROUTE_PREBUILT};
    c->requests++;
    if (gen_has(g, request->key)) return CAIRN_OK;
    cairn_kernel_symbol(request->key, symbol);
    CAIRN_TRY(cairn_strndup(&g->env, request->key, strlen(request->key), &key));
    const cairn_status status =
        request->lower(&g->env, request->user, symbol, &function);

    if (status == CAIRN_OK) return gen_add(g, key, function, width_of(c));
    cairn_free(&g->env, key);
    return status;
}

static void forget(void *user, cairn_kernel *kernel)
{
    (void)user, (void)kernel;
}

/// Plan the conversion of one sample. Few coordinates are not always put into a format
/// from buckets; then they are sorted before, as entries are.
static cairn_status plan_sample(conversion *c, const cairn_plan_sample *sample)
{
    cairn_env *const          env    = &c->g->env;
    const cairn_kernel_loader loader = {.load         = lower_request,
                                        .release      = forget,
                                        .user         = c,
                                        .vector_bytes = c->vector_bytes,
                                        .threads      = 1};
    cairn_pass_list           program;

    cairn_pass_list_init(&program, env);
    const cairn_status status =
        cairn_build_plan_sample(env, c->from, c->to, sample, &loader, &program);

    cairn_pass_list_fini(&program);
    return status == CAIRN_NO_KERNEL && sample->state >= CAIRN_SAMPLE_BUCKETS ? CAIRN_OK
                                                                              : status;
}

/// Samples of some extents, entries and element type, in all states, whether nodes of the
/// target have one entry each or many.
static cairn_status
plan_samples(conversion *c, const int64_t *extent, int64_t entries, int value_bits)
{
    const int64_t     half   = (extent[0] * extent[1] + 1) / 2;
    cairn_plan_sample sample = {.extent     = extent,
                                .entries    = half < entries ? half : entries,
                                .value_bits = value_bits};

    for (int k = 0; k < c->states; k++) {
        sample.state = c->state[k];
        sample.apart = false;
        CAIRN_TRY(plan_sample(c, &sample));
        sample.apart = true;
        CAIRN_TRY(plan_sample(c, &sample));
    }
    return CAIRN_OK;
}

/// Values of all widths; only those of tensors are narrower than 32 bits. Few entries are
/// those of few rows and columns.
static cairn_status plan_extents(conversion *c, const int64_t *extent)
{
    const int     least = c->from && c->state[0] != CAIRN_SAMPLE_LENT ? 8 : 32;
    const int64_t side  = extent[0] > extent[1] ? extent[0] : extent[1];

    for (int bits = least; bits <= 64; bits *= 2)
        for (int n = 0; n < SIZES; n++)
            if (n > 0 || side <= sizes[n])
                CAIRN_TRY(plan_samples(c, extent, sizes[n], bits));
    return CAIRN_OK;
}

static cairn_status plan_all(conversion *c, const char *pair)
{
    c->g->env.options.kernels = CAIRN_KERNELS_COMPILED;
    for (int v = 0; v < VECTORS && vectors[v] <= c->g->widest; v++) {
        c->vector_bytes = vectors[v];
        for (int e = 0; e < GEN_CONVERTED; e++)
            CAIRN_TRY(plan_extents(c, gen_extent[e]));
    }
    CAIRN_CHECK(c->requests > 0, &c->g->env, CAIRN_BAD_ARGUMENT,
                "prebuilt.txt: line %d: '%s' calls no function", c->g->line, pair);
    return CAIRN_OK;
}

/// Find what a conversion starts from, by its name in the list. Arrays of a caller's that
/// are filled are no more the source's than those that are read.
///
/// @param[out] from  Destroy with cairn_format_destroy().
static cairn_status
find_source(conversion *c, const char *name, const char *to, cairn_format **from)
{
    c->states   = 1;
    c->state[0] = CAIRN_SAMPLE_SORTED;
    if (strcmp(name, "entries") == 0) return CAIRN_OK;
    if (strcmp(name, "coords") == 0) {
        c->states   = 2;
        c->state[0] = CAIRN_SAMPLE_BUCKETS;
        c->state[1] = CAIRN_SAMPLE_LINES;
        return CAIRN_OK;
    }
    if (gen_callers_bits(name) > 0 || gen_callers_bits(to) > 0) {
        c->state[0] = CAIRN_SAMPLE_LENT;
    } else {
        c->states   = 2;
        c->state[1] = CAIRN_SAMPLE_PATTERN;
    }
    CAIRN_TRY(gen_format(c->g, name, from));
    c->from = *from;
    return CAIRN_OK;
}

cairn_status gen_conversion(generator *g, const char *pair)
{
    const char *const arrow = strstr(pair, "->");
    char              name[PAIR];
    cairn_format     *from = NULL, *to = NULL;
    conversion        c = {.g = g};

    CAIRN_CHECK(arrow && arrow - pair < PAIR, &g->env, CAIRN_BAD_ARGUMENT,
                "prebuilt.txt: line %d: '%s' is not FROM->TO", g->line, pair);
    snprintf(name, sizeof name, "%.*s", (int)(arrow - pair), pair);
    cairn_status status = gen_format(g, arrow + 2, &to);

    c.to = to;
    if (status == CAIRN_OK) status = find_source(&c, name, arrow + 2, &from);
    if (status == CAIRN_OK) status = plan_all(&c, pair);
    cairn_format_destroy(&from);
    cairn_format_destroy(&to);
    return status;
}
