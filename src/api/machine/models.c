// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The models of simulated devices, number by number.

#include "api/api.h"
#include "api/door.h"
#include "devices/config.h"
#include "devices/kinds.h"

const char *cairn_device_kind_what(const char *kind)
{
    const cairn_device_ops *ops = kind ? cairn_device_kind(kind) : NULL;

    return ops ? ops->summary : NULL;
}

static void copy(const cairn_device_ops   *kind,
                 const cairn_device_model *model,
                 const cairn_device_key   *key,
                 cairn_model_number       *number)
{
    const cairn_model_number own = {.kind       = kind->kind,
                                    .model      = model->name,
                                    .model_what = model->what,
                                    .name       = key->name,
                                    .what       = key->what,
                                    .unit       = key->unit,
                                    .standard   = key->standard,
                                    .least      = key->least,
                                    .most       = key->most,
                                    .whole      = key->whole};

    CAIRN_WRITE(number, own);
}

bool cairn_model_number_at(int k, cairn_model_number *number)
{
    const cairn_device_ops *kind;

    if (k < 0 || !number || !cairn_sized_fits(number, sizeof *number)) return false;
    for (int i = 0; (kind = cairn_device_kind_at(i)); i++)
        for (const cairn_device_model *model = kind->models; model && model->name;
             model++)
            for (const cairn_device_key *key = model->key; key->name; key++)
                if (k-- == 0) {
                    copy(kind, model, key, number);
                    return true;
                }
    return false;
}
