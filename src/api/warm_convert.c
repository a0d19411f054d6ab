// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which functions a conversion runs follows from both layouts, from what can be proved
/// about them, from how many entries there are, and from how many threads. Rather than to
/// foresee all that, samples are converted, and what is loaded on the way is kept.

#include "api/warm.h"
#include "convert/build.h"
#include "format/language.h"

/* Enough to be converted; more than a 16th of the columns, on which it may depend whether
 * an array of them is made (convert/facts.c). */
enum { LEAST_ENTRIES = 4096, COLUMNS_PER_ENTRY = 16 };

/* Enough for two threads; and for groups that a core's cache does not hold. */
enum { SOME_ENTRIES = 1 << 18, MANY_ENTRIES = 5 << 18 };

#define MOST_BYTES ((int64_t)512 << 20) /* of a sample in the format */

/// What is converted from, beside coordinates: compressed rows, coordinates stored.
static const char *const sources[] = {
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<trim(0,1)> }>",
};

typedef struct {
    cairn_warming      *w;
    cairn_kernel_loader loader; ///< Of ours, before the device's.
    cairn_status        failed; ///< The device's loader, if it did.
} rehearsal;

static cairn_status
load(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    rehearsal                 *r      = user;
    const cairn_kernel_loader *device = r->w->loader;
    cairn_kernel               loaded;

    r->failed = device->load(device->user, request, &loaded);
    if (r->failed != CAIRN_OK) return r->failed;
    const cairn_kernel same = loaded; /* a second one is released, and emptied */

    r->failed = cairn_warming_keep(r->w, &loaded);
    if (r->failed == CAIRN_OK) *kernel = same;
    return r->failed;
}

static void ahead(void *user, const cairn_kernel_request *request, int requests)
{
    const cairn_kernel_loader *device = ((const rehearsal *)user)->w->loader;

    device->ahead(device->user, request, requests);
}

/// Kernels are kept until the warming ends.
static void release(void *user, cairn_kernel *kernel)
{
    (void)user;
    (void)kernel;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/// Neighbours in each of some rows, from the first to the last: two, or as many as make
/// about @p want entries, or MANY_ENTRIES.
static cairn_status make_entries(cairn_env     *env,
                                 const int64_t *extent,
                                 int64_t        want,
                                 cairn_entries *entries)
{
    const int64_t rows = smaller(extent[0], want / 2);
    const int64_t each =
        rows ? smaller(extent[1], larger(2, smaller(want, MANY_ENTRIES) / rows)) : 0;

    CAIRN_TRY(cairn_entries_reserve(env, entries, each * rows));
    for (int64_t k = 0; k < rows; k++) {
        const cairn_coord i     = (cairn_coord)((__int128)k * extent[0] / rows);
        const cairn_coord j     = (cairn_coord)((__int128)i * extent[1] / extent[0]);
        const cairn_coord first = smaller(j, extent[1] - each);

        for (cairn_coord e = first; e < first + each; e++)
            CAIRN_TRY(cairn_entries_add(env, entries, (cairn_coord[]){i, e}, 1));
    }
    return CAIRN_OK;
}

/// A sample, or its result, that is too large, or does not suit the format, is left out.
static cairn_status leave_out(cairn_status status)
{
    switch (status) {
    case CAIRN_NO_MEMORY:
    case CAIRN_OVERFLOW:
    case CAIRN_BAD_QUERY: return CAIRN_OK;
    default: return status;
    }
}

/// Convert the sample, and forget the result.
static cairn_status convert(rehearsal *r, const cairn_build *given)
{
    cairn_build  build  = *given;
    cairn_env   *env    = &r->w->context->env;
    cairn_local *result = NULL;

    r->failed                 = CAIRN_OK;
    build.format              = r->w->format;
    build.loader              = &r->loader;
    const cairn_status status = cairn_local_build(env, &build, &result);

    cairn_local_destroy(&result);
    if (r->failed != CAIRN_OK) return r->failed;
    /* Without a kernel it goes the reference way, always. */
    return status == CAIRN_NO_KERNEL ? CAIRN_OK : leave_out(status);
}

/// From a tensor in another format: one of ours, whose arrays may be taken over, and one of
/// a solver's, whose values change, and are copied.
static cairn_status
convert_stored(rehearsal *r, const cairn_build *sample, const char *source)
{
    cairn_env    *env    = &r->w->context->env;
    cairn_build   build  = *sample;
    cairn_local  *stored = NULL;
    cairn_format *format;

    CAIRN_TRY(cairn_format_parse(env, NULL, source, "warm", &format));
    build.format        = format;
    cairn_status status = cairn_local_build(env, &build, &stored);

    if (status == CAIRN_OK) {
        build.entries = NULL;
        build.from    = stored;
        status        = convert(r, &build);
        if (status == CAIRN_OK) {
            stored->pattern = true;
            status          = convert(r, &build);
        }
    } else {
        status = leave_out(status);
    }
    cairn_local_destroy(&stored);
    cairn_format_destroy(&format);
    return status;
}

static cairn_status convert_all(rehearsal *r, const cairn_build *sample)
{
    CAIRN_TRY(convert(r, sample));
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
        CAIRN_TRY(convert_stored(r, sample, sources[k]));
    return CAIRN_OK;
}

/// Convert a sample of about @p want entries.
static cairn_status rehearse(rehearsal *r, const int64_t *extent, int64_t want)
{
    cairn_env    *env = &r->w->context->env;
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    cairn_status status = make_entries(env, extent, want, &entries);

    if (status == CAIRN_OK) {
        const cairn_build sample = {
            .shape      = {.order = 2,         .extent = {extent[0], extent[1]}},
            .box        = {{0, extent[0] - 1}, {0, extent[1] - 1}              },
            .entries    = &entries,
            .value_bits = r->w->value_bits,
        };

        status = convert_all(r, &sample);
    } else {
        status = leave_out(status);
    }
    cairn_entries_fini(env, &entries);
    return status;
}

/// Convert samples of all sizes that the extents have room for, the larger ones on one
/// thread and on two.
static cairn_status rehearse_all(rehearsal *r, const int64_t *extent)
{
    static const int64_t want[] = {SOME_ENTRIES, MANY_ENTRIES};
    const int64_t        least  = LEAST_ENTRIES + extent[1] / COLUMNS_PER_ENTRY;

    CAIRN_TRY(rehearse(r, extent, least));
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        if (want[k] <= least || (__int128)extent[0] * extent[1] < want[k]) continue;
        for (r->loader.threads = 1; r->loader.threads <= 2; r->loader.threads++)
            CAIRN_TRY(rehearse(r, extent, want[k]));
    }
    return CAIRN_OK;
}

cairn_status cairn_warming_convert(cairn_warming *w, const int64_t *extent)
{
    cairn_env    *env   = &w->context->env;
    rehearsal     r     = {.w = w, .loader = *w->loader};
    const int64_t limit = env->memory_limit;
    const int64_t most  = MOST_BYTES + atomic_load(&env->used_bytes);
    const int     way   = env->options.kernels;

    r.loader.load    = load;
    r.loader.release = release;
    r.loader.ahead   = w->loader->ahead ? ahead : NULL;
    r.loader.user    = &r;
    /* However few entries the sample has. */
    env->options.kernels = CAIRN_KERNELS_COMPILED;
    if (limit > most) env->memory_limit = most;
    const cairn_status status = rehearse_all(&r, extent);

    env->memory_limit    = limit;
    env->options.kernels = way;
    return status;
}
