// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Named numbers: their defaults, their ranges, and how they are looked up.

#include "devices/config.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/// Number of a key in the model's table; -1: there is none.
static int find(const cairn_device_model *model, const char *name)
{
    for (int k = 0; model->key[k].name; k++)
        if (strcmp(model->key[k].name, name) == 0) return k;
    return -1;
}

void cairn_config_init(const cairn_device_model *model, cairn_device_config *config)
{
    *config = (cairn_device_config){.model = model};
    for (int k = 0; model->key[k].name; k++) {
        assert(k < CAIRN_CONFIG_KEYS);
        config->value[k] = model->key[k].standard;
    }
}

bool cairn_config_has(const cairn_device_config *config, const char *name)
{
    return find(config->model, name) >= 0;
}

double cairn_config_number(const cairn_device_config *config, const char *name)
{
    const int k = find(config->model, name);

    assert(k >= 0);
    return k >= 0 ? config->value[k] : 0;
}

int64_t cairn_config_count(const cairn_device_config *config, const char *name)
{
    return llround(cairn_config_number(config, name));
}

static cairn_status unknown_number(cairn_env                *env,
                                   const char               *where,
                                   const cairn_device_model *model,
                                   const char               *name)
{
    const char *names[CAIRN_CONFIG_KEYS + 1] = {NULL};

    for (int k = 0; model->key[k].name; k++)
        names[k] = model->key[k].name;

    const char *nearest = cairn_nearest(name, names);

    return cairn_fail(env, CAIRN_BAD_OPTION,
                      "devices: %s: the model '%s' has no number '%.100s'%s%s%s", where,
                      model->name, name, nearest ? "; did you mean " : "",
                      nearest ? nearest : "",
                      nearest ? "?" : " (cairn devices --numbers lists them)");
}

cairn_status cairn_config_set(cairn_env           *env,
                              const char          *where,
                              const char          *name,
                              double               value,
                              cairn_device_config *config)
{
    const int               k   = find(config->model, name);
    const cairn_device_key *key = &config->model->key[k < 0 ? 0 : k];

    if (k < 0) return unknown_number(env, where, config->model, name);
    CAIRN_CHECK(value >= key->least && value <= key->most, env, CAIRN_BAD_OPTION,
                "devices: %s: '%s' is %.10g, but must be %.10g to %.10g%s%s", where,
                name, value, key->least, key->most, key->unit[0] ? " " : "", key->unit);
    CAIRN_CHECK(!key->whole || value == floor(value), env, CAIRN_BAD_OPTION,
                "devices: %s: '%s' is %.10g, but must be a whole number", where, name,
                value);
    config->value[k] = value;
    return CAIRN_OK;
}

cairn_status cairn_config_model(cairn_env                 *env,
                                const char                *where,
                                const cairn_device_ops    *ops,
                                const char                *name,
                                const cairn_device_model **model)
{
    const char *names[CAIRN_CONFIG_KEYS + 1] = {NULL};

    for (int k = 0; ops->models[k].name; k++) {
        if (strcmp(ops->models[k].name, name) == 0) {
            *model = &ops->models[k];
            return CAIRN_OK;
        }
        if (k < CAIRN_CONFIG_KEYS) names[k] = ops->models[k].name;
    }
    const char *nearest = cairn_nearest(name, names);

    return cairn_fail(env, CAIRN_BAD_OPTION,
                      "devices: %s: %s has no model '%.100s'%s%s%s", where, ops->kind,
                      name, nearest ? "; did you mean " : "", nearest ? nearest : "",
                      nearest ? "?" : " (cairn devices --numbers lists them)");
}
