// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The models of simulated devices, number by number.

#include "api/api.h"
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
    *number = (cairn_model_number){.kind       = kind->kind,
                                   .model      = model->name,
                                   .model_what = model->what,
                                   .name       = key->name,
                                   .what       = key->what,
                                   .unit       = key->unit,
                                   .standard   = key->standard,
                                   .least      = key->least,
                                   .most       = key->most,
                                   .whole      = key->whole};
}

int cairn_model_number_at(int k, cairn_model_number *number)
{
    const cairn_device_ops *kind;

    if (k < 0 || !number) return 0;
    for (int i = 0; (kind = cairn_device_kind_at(i)); i++)
        for (const cairn_device_model *model = kind->models; model && model->name;
             model++)
            for (const cairn_device_key *key = model->key; key->name; key++)
                if (k-- == 0) {
                    copy(kind, model, key, number);
                    return 1;
                }
    return 0;
}
