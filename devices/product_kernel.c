// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The kernel of a member's product: its hints, and getting it.

#include "devices/product_kernel.h"

#include "emit/c.h"

/// Bytes of one cache of @p level; @p unknown where the system does not say.
static int64_t cache_bytes(const cairn_machine *machine, int level, int64_t unknown)
{
    for (int n = 0; n < machine->nodes; n++)
        if (machine->node[n].level == level && machine->node[n].bytes > 0)
            return machine->node[n].bytes;
    return unknown;
}

cairn_product_hints cairn_product_hints_here(const cairn_machine *machine,
                                             const cairn_layout  *layout,
                                             const cairn_product *product,
                                             int64_t              entries,
                                             int64_t              columns,
                                             cairn_product_seen   seen)
{
    const int64_t l2 = cache_bytes(machine, 2, 1 << 20);

    return cairn_product_hints_of(layout, product, entries, columns, seen, l2,
                                  cache_bytes(machine, 3, 8 * l2));
}

/// What the source of a kernel is made of.
typedef struct {
    const cairn_layout  *layout;
    const cairn_product *product;
    char                 symbol[CAIRN_KERNEL_SYMBOL];
} recipe;

static cairn_status write_source(cairn_env *env, void *user, char **source)
{
    const recipe        *r = user;
    cairn_product_kernel kernel;

    CAIRN_TRY(cairn_product_lower(env, r->layout, r->product, r->symbol, &kernel));
    const cairn_status status = cairn_c_print(env, kernel.function, r->symbol, source);

    cairn_ir_destroy(env, &kernel.function);
    return status;
}

static cairn_status load(cairn_env                 *env,
                         const cairn_kernel_loader *loader,
                         const cairn_layout        *layout,
                         const cairn_product       *product,
                         bool                       at_hand,
                         cairn_kernel              *kernel)
{
    recipe               r       = {.layout = layout, .product = product};
    cairn_kernel_request request = {
        .source = write_source, .user = &r, .at_hand = at_hand};
    char *key;

    CAIRN_TRY(cairn_product_key(env, layout, product, &key));
    cairn_kernel_symbol(key, r.symbol);
    request.key               = key;
    const cairn_status status = loader->load(loader->user, &request, kernel);

    cairn_free(env, key);
    return status;
}

cairn_status cairn_product_load(cairn_env                 *env,
                                const cairn_kernel_loader *loader,
                                const cairn_layout        *layout,
                                const cairn_product       *product,
                                cairn_kernel              *kernel)
{
    return load(env, loader, layout, product, false, kernel);
}

bool cairn_product_at_hand(cairn_env                 *env,
                           const cairn_kernel_loader *loader,
                           const cairn_layout        *layout,
                           const cairn_product       *product)
{
    cairn_kernel kernel;

    if (load(env, loader, layout, product, true, &kernel) != CAIRN_OK) return false;
    loader->release(loader->user, &kernel);
    return true;
}

static cairn_status request_all(cairn_env                 *env,
                                const cairn_kernel_loader *loader,
                                int                        products,
                                recipe                    *r,
                                cairn_kernel_request      *request)
{
    for (int k = 0; k < products; k++) {
        char *key;

        CAIRN_TRY(cairn_product_key(env, r[k].layout, r[k].product, &key));
        cairn_kernel_symbol(key, r[k].symbol);
        request[k] =
            (cairn_kernel_request){.key = key, .source = write_source, .user = &r[k]};
    }
    loader->ahead(loader->user, request, products);
    return CAIRN_OK;
}

void cairn_products_ahead(cairn_env                 *env,
                          const cairn_kernel_loader *loader,
                          const cairn_layout *const *layout,
                          const cairn_product       *product,
                          int                        products)
{
    cairn_kernel_request *request = NULL;
    recipe               *r       = NULL;

    if (!loader->ahead) return;
    if (CAIRN_NEW_ZERO(env, products, &request) == CAIRN_OK
        && CAIRN_NEW(env, products, &r) == CAIRN_OK) {
        for (int k = 0; k < products; k++)
            r[k] = (recipe){.layout = layout[k], .product = &product[k]};
        request_all(env, loader, products, r, request);
    }
    for (int k = 0; request && k < products; k++)
        cairn_free(env, (char *)request[k].key);
    cairn_free(env, request);
    cairn_free(env, r);
}
