// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The functions that bring matrices into a format are listed by the programs of their
/// conversions (convert/function_list.h), and got. Nothing is converted.
///
/// Programs depend on how many entries there are, and on a few things that are seen only
/// when entries are: whether they share nodes, how many of them a hybrid's member gets,
/// whether they come in order, whether the source's values may still change. So the list is
/// that of conversions of many sizes, and of all states of a source: a single one of them
/// needs some of it.

#include "api/warm/warm.h"
#include "convert/function_list.h"
#include "format/language.h"

#include <string.h>

/* Entries, growing by so many bits, so that no choice between two ways that a number of
 * entries makes falls between two of them unseen. */
enum { FEWEST_BITS = 12, MOST_BITS = 26, STEP_BITS = 2 };

/// What is converted from, beside coordinates: compressed rows and lists of coordinates, the
/// library's, and a caller's, which have ptr and idx of so many bits.
static const int array_bits[] = {0, 32, 64};

/// One of how many entries each member of a hybrid gets; 0: as many as each other; and
/// none.
static const int64_t shares[] = {0, 1, 4, 16, 64, INT64_MAX};

typedef struct {
    cairn_warming      *w;
    cairn_function_list list;
    const int64_t      *extent;
} lister;

/// A sample that is too large, or does not suit the format, or the method that is asked
/// for, is left out; and so is what is not compiled.
static cairn_status leave_out(cairn_status status)
{
    switch (status) {
    case CAIRN_NO_MEMORY:
    case CAIRN_OVERFLOW:
    case CAIRN_BAD_QUERY:
    case CAIRN_BAD_OPTION:
    case CAIRN_NO_KERNEL: return CAIRN_OK;
    default: return status;
    }
}

static cairn_status
list_one(lister *l, const cairn_format *from, const cairn_plan_sample *sample)
{
    return leave_out(
        cairn_function_list_add(&l->list, from, l->w->format, sample, l->w->loader));
}

/// From @p from, NULL being coordinates. Where entries lie far apart, other intermediates
/// may pay, but not before hybrids.
static cairn_status
list_state(lister *l, const cairn_format *from, cairn_plan_sample *sample)
{
    if (!l->w->format->hybrid) {
        sample->apart = true;
        CAIRN_TRY(list_one(l, from, sample));
        sample->apart = false;
        return list_one(l, from, sample);
    }
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        sample->members = shares[k];
        CAIRN_TRY(list_one(l, from, sample));
    }
    return CAIRN_OK;
}

/// Of sources in a format, or of coordinates, in all states that these may be in. A
/// caller's arrays whose rows do not ascend are stored by way of coordinates.
static cairn_status
list_states(lister *l, const cairn_format *from, bool lent, cairn_pos entries)
{
    cairn_plan_sample sample = {
        .extent = l->extent, .entries = entries, .value_bits = l->w->value_bits};

    if (lent) {
        sample.state = CAIRN_SAMPLE_LENT;
        return list_state(l, from, &sample);
    }
    CAIRN_TRY(list_state(l, from, &sample));
    sample.state = from ? CAIRN_SAMPLE_PATTERN : CAIRN_SAMPLE_BUCKETS;
    CAIRN_TRY(list_state(l, from, &sample));
    sample.state = from ? CAIRN_SAMPLE_UNSORTED : CAIRN_SAMPLE_LINES;
    return list_state(l, from, &sample);
}

/// Of all numbers of entries that the extents have room for.
static cairn_status list_sizes(lister *l, const cairn_format *from, bool lent)
{
    const __int128 cells = (__int128)l->extent[0] * l->extent[1];

    for (int bits = FEWEST_BITS; bits <= MOST_BITS; bits += STEP_BITS) {
        const cairn_pos n = (cairn_pos)1 << bits;

        CAIRN_TRY(list_states(l, from, lent, n < cells ? n : (cairn_pos)cells));
        if (n >= cells) break;
    }
    return CAIRN_OK;
}

/// @param[in] from  Destroyed.
static cairn_status list_source(lister *l, cairn_format *from, bool lent)
{
    const cairn_status status = list_sizes(l, from, lent);

    cairn_format_destroy(&from);
    return status;
}

static cairn_status list_sources(lister *l)
{
    cairn_env    *env = &l->w->context->env;
    cairn_format *from;

    CAIRN_TRY(list_sizes(l, NULL, false));
    for (size_t k = 0; k < sizeof array_bits / sizeof *array_bits; k++) {
        const int bits = array_bits[k];

        CAIRN_TRY(cairn_format_coordinates(env, bits, &from));
        CAIRN_TRY(list_source(l, from, bits > 0));
        CAIRN_TRY(cairn_format_compressed_rows(env, bits, bits, &from));
        CAIRN_TRY(list_source(l, from, bits > 0));
    }
    return CAIRN_OK;
}

/* ---- getting them ---- */

static cairn_status copy_source(cairn_env *env, void *user, char **source)
{
    const cairn_listed_function *function = user;

    return cairn_strndup(env, function->source, strlen(function->source), source);
}

/// Several compilers at the same time, then one after the other.
static cairn_status get(cairn_warming *w, const cairn_function_list *list)
{
    const cairn_kernel_loader *loader  = w->loader;
    cairn_kernel_request      *request = NULL;
    cairn_status               status  = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW_ZERO(list->env, list->count, &request));
    for (int k = 0; k < list->count; k++)
        request[k] = (cairn_kernel_request){.key    = list->function[k].key,
                                            .source = copy_source,
                                            .user   = &list->function[k]};
    if (loader->ahead) loader->ahead(loader->user, request, list->count);
    for (int k = 0; k < list->count && status == CAIRN_OK; k++) {
        cairn_kernel kernel;

        status = loader->load(loader->user, &request[k], &kernel);
        if (status == CAIRN_OK) status = cairn_warming_keep(w, &kernel);
    }
    cairn_free(list->env, request);
    return status;
}

cairn_status cairn_warming_convert(cairn_warming *w, const int64_t *extent)
{
    cairn_env *env = &w->context->env;
    lister     l   = {.w = w, .extent = extent};
    const int  way = env->options.kernels;

    cairn_function_list_init(&l.list, env);
    /* However few entries there are. */
    env->options.kernels = CAIRN_KERNELS_COMPILED;
    cairn_status status  = list_sources(&l);

    if (status == CAIRN_OK) status = get(w, &l.list);
    env->options.kernels = way;
    cairn_function_list_fini(&l.list);
    return status;
}
