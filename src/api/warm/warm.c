// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Filling the cache of kernels: what plans and conversions would ask for is asked for
/// now. Which kernels a plan's are depends on a matrix through widths and a few numbers (is
/// it larger than the caches, are its rows long), so that some of each stand for all.

#include "api/warm/warm.h"

#include "api/door.h"
#include "devices/product_kernel.h"
#include "expr/operation.h"
#include "tensor/value_storage.h"

#include <string.h>

/* Extents on both sides of what indices of 8, 16 and 32 bits hold, and of caches. */
static const int64_t usual[][2] = {
    {1000,    1000   },
    {30000,   30000  },
    {60000,   60000  },
    {1000000, 30000  },
    {30000,   1000000},
    {1000000, 1000000},
    {8000000, 8000000},
};

/// Entries in a row that a matrix may have.
static const int64_t degrees[] = {1, 4, 16, 64, 512};

enum { DEGREES = sizeof degrees / sizeof *degrees };

cairn_status cairn_warming_keep(cairn_warming *w, cairn_kernel *kernel)
{
    cairn_env *env = &w->context->env;

    for (int k = 0; k < w->kernels; k++)
        if (w->kernel[k].run == kernel->run) {
            w->loader->release(w->loader->user, kernel);
            return CAIRN_OK;
        }
    const cairn_status status =
        cairn_realloc(env, w->kernels + 1, sizeof *w->kernel, (void **)&w->kernel);

    if (status != CAIRN_OK) {
        w->loader->release(w->loader->user, kernel);
        return status;
    }
    w->kernel[w->kernels++] = *kernel;
    if (kernel->route == CAIRN_ROUTE_PREBUILT)
        w->counts.prebuilt++;
    else if (kernel->cached)
        w->counts.cached++;
    else
        w->counts.compiled++;
    return CAIRN_OK;
}

static bool same_hints(cairn_product_hints a, cairn_product_hints b)
{
    return a.stream == b.stream && a.scattered == b.scattered && a.fetch_x == b.fetch_x
           && a.bypass_y == b.bypass_y && a.by_columns == b.by_columns
           && a.follow_x == b.follow_x && a.uneven == b.uneven && a.runs == b.runs
           && a.alike == b.alike && a.abreast == b.abreast && a.beside == b.beside;
}

/// The kernels of one product, for matrices of the layout's extents.
static cairn_status warm_product(cairn_warming               *w,
                                 const cairn_product_options *op,
                                 const cairn_layout          *layout,
                                 cairn_product                product)
{
    const cairn_machine *machine = w->context->devices->machine;
    cairn_product_hints  before  = {0};

    for (int d = 0; d < 7 * DEGREES; d++) {
        const cairn_product_seen seen = {.follows = d / DEGREES == 1,
                                         .uneven  = d / DEGREES == 2,
                                         .runs    = d / DEGREES == 3,
                                         .alike   = d / DEGREES == 4,
                                         .abreast = d / DEGREES == 5,
                                         .beside  = d / DEGREES == 6};

        product.hints = cairn_product_hints_here(
            machine, layout, &product, degrees[d % DEGREES] * layout->extent[0],
            op->columns, seen);
        if (d > 0 && same_hints(product.hints, before)) continue;
        before = product.hints;
        cairn_kernel kernel;

        CAIRN_TRY(
            cairn_product_load(&w->context->env, w->loader, layout, &product, &kernel));
        CAIRN_TRY(cairn_warming_keep(w, &kernel));
    }
    return CAIRN_OK;
}

/// All kernels of one member: the last one may round what comes of Y, and does not where
/// it is placed elsewhere.
static cairn_status warm_layout(cairn_warming               *w,
                                const cairn_product_options *op,
                                const cairn_layout          *layout,
                                int                          member)
{
    const int     members = w->format->members;
    cairn_product product = cairn_product_choose(layout, op, member == 0, members > 1,
                                                 w->loader->vector_bytes);

    CAIRN_TRY(warm_product(w, op, layout, product));
    if (member < members - 1 || !cairn_product_round(layout, &product)) return CAIRN_OK;
    return warm_product(w, op, layout, product);
}

static cairn_status
warm_extents(cairn_warming *w, const cairn_product_options *op, const int64_t *extent)
{
    cairn_env *env = &w->context->env;

    for (int m = 0; m < w->format->members; m++) {
        cairn_layout *layout;

        CAIRN_TRY(cairn_layout_create(env, w->format->member[m], extent, NULL, NULL,
                                      w->value_bits, &layout));
        cairn_status status = warm_layout(w, op, layout, m);

        /* Kernels of wide values are for new ones that the type does not hold. */
        if (status == CAIRN_OK) status = cairn_layout_store_named(env, &layout);
        if (status == CAIRN_OK && !cairn_layout_is_wide(layout))
            status = warm_layout(w, op, layout, m);
        cairn_layout_destroy(env, &layout);
        CAIRN_TRY(status);
    }
    return cairn_warming_convert(w, extent);
}

/// What was compiled and not kept is of no use to those for whom it was.
static cairn_status check_kept(const cairn_warming *w)
{
    cairn_env *env = &w->context->env;

    if (w->counts.compiled == 0) return CAIRN_OK;
    CAIRN_CHECK(strcmp(env->options.cache, "none") != 0, env, CAIRN_BAD_OPTION,
                "emit: CAIRN_CACHE: it is \"none\", so that nothing is kept");
    CAIRN_CHECK(strncmp(w->loader->note, "cache: ", strlen("cache: ")) != 0, env,
                CAIRN_IO, "emit: nothing is kept: %s", w->loader->note);
    return CAIRN_OK;
}

cairn_status cairn_kernels_precompile(cairn_context               *context,
                                      const cairn_format          *format,
                                      const cairn_product_options *options,
                                      const cairn_kernel_target   *target,
                                      cairn_kernel_counts         *counts)
{
    cairn_product_options op = CAIRN_PRODUCT_OPTIONS;

    CAIRN_ENTER(context, CAIRN_GIVEN(format),
                CAIRN_SIZED(options, cairn_product_options), CAIRN_GIVEN(target),
                CAIRN_SIZED(target, cairn_kernel_target), CAIRN_GIVEN(counts),
                CAIRN_SIZED(counts, cairn_kernel_counts));
    cairn_kernel_target own = CAIRN_KERNEL_TARGET;

    CAIRN_READ(options, op);
    CAIRN_READ(target, own);
    CAIRN_ENTER(context, CAIRN_ONE_OF(target->dtype, CAIRN_F32),
                CAIRN_ONE_OF(target->language, CAIRN_KERNEL_CUDA),
                CAIRN_WITHIN(target->extent[0], 0, INT64_MAX),
                CAIRN_WITHIN(target->extent[1], 0, INT64_MAX));

    cairn_warming w = {.context    = context,
                       .format     = format,
                       .value_bits = target->dtype == CAIRN_F32 ? 32 : 64};

    enum { USUAL = sizeof usual / sizeof *usual };
    const int64_t given[1][2] = {
        {target->extent[0], target->extent[1]}
    };
    const bool                  is_given = given[0][0] > 0 || given[0][1] > 0;
    const cairn_warming_extents extents  = {.extent = is_given ? given : usual,
                                            .count  = is_given ? 1 : USUAL};

    CAIRN_TRY(cairn_product_valid(&context->env, &op, cairn_format_order(format)));
    if (target->language == CAIRN_KERNEL_CUDA) {
        CAIRN_TRY(cairn_warming_cards(&w, &op, target, &extents));
        CAIRN_WRITE(counts, w.counts);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_context_devices(context));
    CAIRN_TRY(cairn_device_kernels(&context->devices->device[0], &w.loader));
    cairn_status status = CAIRN_OK;

    for (int e = 0; e < extents.count && status == CAIRN_OK; e++)
        status = warm_extents(&w, &op, extents.extent[e]);
    for (int k = 0; k < w.kernels; k++)
        w.loader->release(w.loader->user, &w.kernel[k]);
    cairn_free(&context->env, w.kernel);
    CAIRN_TRY(status);
    CAIRN_TRY(check_kept(&w));
    CAIRN_WRITE(counts, w.counts);
    return CAIRN_OK;
}
