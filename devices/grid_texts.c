// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Listing kernels of grids.

#include "devices/grid_texts.h"

#include "emit/cuda.h"
#include "lower/grid/grid.h"

#include <string.h>

static bool is_listed(const cairn_grid_texts *list, const char *key)
{
    for (int k = 0; k < list->texts; k++)
        if (strcmp(list->text[k].key, key) == 0) return true;
    return false;
}

static cairn_status print(cairn_env           *env,
                          const cairn_layout  *layout,
                          const cairn_product *product,
                          const char          *key,
                          char               **text)
{
    cairn_grid_kernel grid;
    cairn_cuda_kernel kernel;
    char              symbol[CAIRN_KERNEL_SYMBOL];

    cairn_kernel_symbol(key, symbol);
    CAIRN_TRY(cairn_grid_lower(env, layout, product, symbol, &grid));
    const cairn_status status =
        cairn_cuda_print(env, (const cairn_ir_function *const *)grid.function,
                         CAIRN_GRID_FUNCTIONS, &kernel);

    cairn_grid_kernel_fini(env, &grid);
    CAIRN_TRY(status);
    *text       = kernel.text;
    kernel.text = NULL;
    cairn_cuda_fini(env, &kernel);
    return CAIRN_OK;
}

cairn_status cairn_grid_texts_add(cairn_grid_texts    *list,
                                  const cairn_layout  *layout,
                                  const cairn_product *product,
                                  cairn_grid_has_fn    has,
                                  const void          *user)
{
    cairn_env   *env  = list->env;
    char        *key  = NULL;
    char        *text = NULL;
    cairn_status status;

    if (cairn_grid_of(layout, product).shape == CAIRN_GRID_NONE) return CAIRN_OK;
    CAIRN_TRY(cairn_grid_key(env, layout, product, &key));
    if (is_listed(list, key) || (has && has(user, key))) {
        cairn_free(env, key);
        return CAIRN_OK;
    }
    CAIRN_GO(discard, print(env, layout, product, key, &text));
    CAIRN_GO(discard, cairn_realloc(env, list->texts + 1, sizeof *list->text,
                                    (void **)&list->text));
    list->text[list->texts++] = (cairn_kernel_text){.key = key, .text = text};
    return CAIRN_OK;

discard:
    cairn_free(env, text);
    cairn_free(env, key);
    return status;
}

void cairn_grid_texts_fini(cairn_grid_texts *list)
{
    for (int k = 0; k < list->texts; k++) {
        cairn_free(list->env, list->text[k].key);
        cairn_free(list->env, list->text[k].text);
    }
    cairn_free(list->env, list->text);
    *list = (cairn_grid_texts){.env = list->env};
}
