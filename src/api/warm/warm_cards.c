// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Filling the cache of kernels for cards, which need not be here: all that devices of the
/// kind may ask for of a product, listed as text, then compiled side by side.

#include "api/warm/warm.h"
#include "devices/grid_hints.h"
#include "devices/grid_texts.h"
#include "devices/grids.h"
#include "devices/kinds.h"
#include "lower/product/product_choice.h"
#include "tensor/value_storage.h"

#include <string.h>

/// Whose products are grids.
static const char kind_of_cards[] = "cuda";

/// One product, and what is listed so far.
typedef struct {
    const cairn_warming         *w;
    const cairn_product_options *op;
    cairn_grid_texts             texts;
} listing;

/// The kernels of one product, whatever is known later of matrix and card. Y is f64 on
/// cards, since what one has lost is done again on the processor.
static cairn_status list_product(listing *l, const cairn_layout *layout, bool first)
{
    cairn_product product =
        cairn_product_choose(layout, l->op, first, true, CAIRN_ITEMS);
    const bool apart =
        layout->partition >= 0 && cairn_product_rows_of(layout, &product).apart;
    cairn_grid_hints hints[CAIRN_GRID_HINTS];
    const int count = cairn_grid_hints_all(&product, l->op->columns, apart, hints);

    for (int k = 0; k < count; k++) {
        product.grid_hints = hints[k];
        CAIRN_TRY(cairn_grid_texts_add(&l->texts, layout, &product, NULL, NULL));
    }
    return CAIRN_OK;
}

/// Those of member number @p member: later ones add to Y, or have one of their own.
static cairn_status list_layout(listing *l, const cairn_layout *layout, int member)
{
    if (l->op->beta == 0) CAIRN_TRY(list_product(l, layout, true));
    return member > 0 || l->op->beta != 0 ? list_product(l, layout, false) : CAIRN_OK;
}

static cairn_status list_member(listing *l, int member, const int64_t *extent)
{
    cairn_env    *env = l->texts.env;
    cairn_layout *layout;

    CAIRN_TRY(cairn_layout_create(env, l->w->format->member[member], extent, NULL, NULL,
                                  l->w->value_bits, &layout));
    cairn_status status = list_layout(l, layout, member);

    /* Kernels of wide values are for new ones that the type does not hold. */
    if (status == CAIRN_OK) status = cairn_layout_store_named(env, &layout);
    if (status == CAIRN_OK && !cairn_layout_is_wide(layout))
        status = list_layout(l, layout, member);
    cairn_layout_destroy(env, &layout);
    return status;
}

static cairn_status list_all(listing *l, const cairn_warming_extents *extents)
{
    for (int e = 0; e < extents->count; e++)
        for (int m = 0; m < l->w->format->members; m++)
            CAIRN_TRY(list_member(l, m, extents->extent[e]));
    return CAIRN_OK;
}

cairn_status cairn_warming_cards(cairn_warming               *w,
                                 const cairn_product_options *op,
                                 const cairn_kernel_target   *target,
                                 const cairn_warming_extents *extents)
{
    cairn_env              *env    = &w->context->env;
    const cairn_device_ops *kind   = cairn_device_kind(kind_of_cards);
    listing                 l      = {.w = w, .op = op, .texts = {.env = env}};
    cairn_precompiled       counts = {0};

    CAIRN_TRY(cairn_kernel_arch_check(env, target));
    CAIRN_CHECK(strcmp(env->options.cache, "none") != 0, env, CAIRN_BAD_OPTION,
                "emit: CAIRN_CACHE: it is \"none\", so that nothing is kept");
    cairn_status status = list_all(&l, extents);

    if (status == CAIRN_OK)
        status = kind->grids->precompile(env, target->cuda_arch,
                                         (int)cairn_context_threads(w->context),
                                         l.texts.text, l.texts.texts, &counts);
    cairn_grid_texts_fini(&l.texts);
    w->counts.cached += counts.cached;
    w->counts.compiled += counts.compiled;
    return status;
}
