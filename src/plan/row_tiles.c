// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Subproducts run together, by tiles of rows.

#include "plan/row_tiles.h"

#include <stdio.h>

/// Does it add to all rows of an f32 Y, which this rank has alone, on the processor?
static bool may_be_tiled(const cairn_subproduct *subproduct)
{
    const cairn_subproducts_common *c = subproduct->common;

    return c->tensor->value_bits == 32 && c->comm->size == 1
           && !subproduct->op.transposed && subproduct->work.wide
           && !subproduct->has_own && !subproduct->stored.local
           && cairn_device_is_host(subproduct->device) && subproduct->device->ops.tile;
}

bool cairn_row_tiles_fit(const cairn_subproduct *subproduct, int subproducts)
{
    int64_t grain = 1;

    for (int p = 0; p < subproducts; p++) {
        const cairn_subproduct *s = &subproduct[p];
        const int64_t           own =
            may_be_tiled(s)
                          ? cairn_member_row_grain(s->work.tensor, s->work.member, &s->op)
                          : 0;

        if (own == 0 || s->device != subproduct[0].device
            || __builtin_mul_overflow(grain / cairn_gcd(grain, own), own, &grain))
            return false;
    }
    return subproducts > 0 && grain <= CAIRN_TILE_VALUES / subproduct[0].op.columns;
}

static void write_label(cairn_row_tiles *tiles)
{
    const char *device = tiles->subproduct[0].device->info.id;

    if (tiles->subproducts == 1)
        snprintf(tiles->label, sizeof tiles->label, "member 0 on %s, by tiles", device);
    else
        snprintf(tiles->label, sizeof tiles->label, "members 0 to %d on %s, by tiles",
                 tiles->subproducts - 1, device);
}

cairn_status cairn_row_tiles_create(cairn_subproduct *subproduct,
                                    int               subproducts,
                                    cairn_row_tiles **tiles)
{
    cairn_device    *device = subproduct[0].device;
    cairn_row_tiles *fresh  = NULL;
    cairn_launch    *launch[CAIRN_MAX_MEMBERS];

    *tiles = NULL;
    for (int p = 0; p < subproducts; p++) {
        if (cairn_member_kernel_lacks(&subproduct[p].kernel)) return CAIRN_OK;
        launch[p] = &subproduct[p].kernel.launch;
    }
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &fresh));
    const cairn_status status =
        device->ops.tile(device, launch, subproducts, &fresh->tiles);

    if (status != CAIRN_OK) {
        cairn_free(device->env, fresh);
        return status == CAIRN_UNSUPPORTED ? CAIRN_OK : status;
    }
    fresh->subproduct  = subproduct;
    fresh->subproducts = subproducts;
    write_label(fresh);
    *tiles = fresh;
    return CAIRN_OK;
}

void cairn_row_tiles_destroy(cairn_row_tiles **tiles)
{
    cairn_row_tiles *t = *tiles;

    *tiles = NULL;
    if (!t) return;
    cairn_env *env = t->tiles.device->env;

    t->tiles.release(&t->tiles);
    cairn_free(env, t);
}

/// What kept a kernel from being built again for new values. @return CAIRN_OK: nothing did.
static cairn_status missing(const cairn_row_tiles *t)
{
    for (int p = 0; p < t->subproducts; p++)
        if (cairn_member_kernel_lacks(&t->subproduct[p].kernel))
            return t->subproduct[p].kernel.status;
    return CAIRN_OK;
}

cairn_status cairn_row_tiles_run(void *tiles)
{
    cairn_row_tiles *t      = tiles;
    cairn_status     status = missing(t);

    if (status != CAIRN_OK) return status;
    status = t->tiles.run(&t->tiles, cairn_subproduct_x(&t->subproduct[0]),
                          t->subproduct[0].common->operands->now.y);
    for (int p = 0; p < t->subproducts; p++) {
        cairn_launch *launch = &t->subproduct[p].kernel.launch;

        snprintf(launch->message, sizeof launch->message, "%s", t->tiles.message);
        cairn_subproduct_ran(&t->subproduct[p], status, t->tiles.seconds[p]);
    }
    return status;
}

int64_t cairn_row_tiles_bytes(const cairn_row_tiles *tiles)
{
    int64_t bytes = 0;

    for (int p = 0; p < tiles->subproducts; p++)
        bytes += cairn_subproduct_bytes(&tiles->subproduct[p]);
    return bytes;
}
