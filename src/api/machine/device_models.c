// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cost models as users see them.

#include "api/door.h"
#include "cost/cost_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void describe(cairn_cost_model *model, cairn_cost_model_info *info)
{
    const int64_t newest = model->sample[model->samples - 1].when;

    cairn_cost_refit(model);
    *info = (cairn_cost_model_info){.clock     = "measured",
                                    .launch    = model->rates.launch,
                                    .per_byte  = model->rates.per_byte,
                                    .per_entry = model->rates.per_entry,
                                    .count     = model->count,
                                    .spread    = cairn_cost_spread(model, -1),
                                    .age       = (double)(time(NULL) - newest)};
    if (info->age < 0) info->age = 0; /* by the clock of another node */
    memcpy(info->device, model->device, sizeof info->device);
    memcpy(info->family, model->family, sizeof info->family);
}

/// What is thought of a device before anything was measured.
static void
describe_prior(const cairn_device *device, int ranks, cairn_cost_model_info *info)
{
    cairn_cost_device described;

    cairn_cost_device_of(device, ranks, &described);
    *info = (cairn_cost_model_info){.clock = "simulated", .age = -1};
    memcpy(info->device, described.key, sizeof info->device);
    if (described.clock == CAIRN_CLOCK_SIMULATED) return;
    snprintf(info->clock, sizeof info->clock, "measured");
    info->launch    = described.prior.launch;
    info->per_byte  = described.prior.per_byte;
    info->per_entry = described.prior.per_entry;
    info->spread    = 1;
}

/// Is the device number @p n among those before it? Alike devices share their models.
static bool is_listed(const cairn_cost_model_info *info, int n)
{
    for (int k = 0; k < n; k++)
        if (strcmp(info[k].device, info[n].device) == 0) return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    const cairn_cost_model_info *x = a, *y = b;
    const int                    c = strcmp(x->device, y->device);

    return c ? c : strcmp(x->family, y->family);
}

static cairn_status list(cairn_context          *context,
                         cairn_costs            *costs,
                         int                    *count,
                         cairn_cost_model_info **all)
{
    const cairn_devices   *devices = context->devices;
    cairn_cost_model_info *fresh   = NULL;
    int                    n       = 0;

    CAIRN_TRY(CAIRN_NEW(&context->env, devices->count + costs->models, &fresh));
    for (int k = 0; k < devices->count; k++) {
        describe_prior(&devices->device[k], context->comm->local_size, &fresh[n]);
        n += !is_listed(fresh, n);
    }
    for (int k = 0; k < costs->models; k++)
        describe(&costs->model[k], &fresh[n++]);
    qsort(fresh, (size_t)n, sizeof *fresh, by_name);
    *count = n;
    *all   = fresh;
    return CAIRN_OK;
}

cairn_status cairn_devices_models_sized(cairn_context          *context,
                                        size_t                  size,
                                        int                    *count,
                                        cairn_cost_model_info **models)
{
    CAIRN_ENTER(context, CAIRN_ELEMENT(size), CAIRN_GIVEN(count), CAIRN_GIVEN(models));

    cairn_cost_model_info *all;
    cairn_costs           *costs;
    int                    n;

    CAIRN_TRY(cairn_context_costs(context, &costs));
    CAIRN_TRY(list(context, costs, &n, &all));
    CAIRN_TRY(cairn_sized_list(&context->env, size, sizeof *all, n, (void **)&all));
    *count  = n;
    *models = all;
    return CAIRN_OK;
}

void cairn_devices_models_free(cairn_context *context, cairn_cost_model_info **models)
{
    if (!context || !models) return;
    cairn_free(&context->env, *models);
    *models = NULL;
}

cairn_status cairn_devices_models_file(cairn_context *context, char **file, char **note)
{
    CAIRN_ENTER(context, CAIRN_GIVEN(file), CAIRN_GIVEN(note));

    cairn_env   *env = &context->env;
    cairn_costs *costs;
    char        *path = NULL;

    CAIRN_TRY(cairn_context_costs(context, &costs));
    CAIRN_TRY(cairn_strndup(env, costs->path, strlen(costs->path), &path));
    const cairn_status status =
        cairn_strndup(env, costs->note, strlen(costs->note), note);

    if (status == CAIRN_OK)
        *file = path;
    else
        cairn_free(env, path);
    return status;
}
