// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Measurements as JSON.

#include "base/text_json.h"
#include "cost/cost_file.h"
#include "cost/cost_fit.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/// A string that fits, of printable ASCII; else NULL.
static const char *get_text(const json_t *object, const char *name, size_t capacity)
{
    const char *text = json_string_value(json_object_get(object, name));

    if (!text || !*text || strlen(text) >= capacity) return NULL;
    for (const char *c = text; *c; c++)
        if (*c < ' ' || *c > '~') return NULL;
    return text;
}

static double get_number(const json_t *array, size_t k)
{
    const json_t *value = json_array_get(array, k);

    return json_is_number(value) ? json_number_value(value) : -1;
}

/// Was it not too long ago?
static bool is_believed(const json_t *when, int64_t now)
{
    const int64_t then = json_integer_value(when);

    return json_is_integer(when) && then > now - CAIRN_COST_AGE
           && then <= now + 3600; /* clocks of nodes that share the file */
}

static bool get_sample(const json_t *array, int64_t now, cairn_cost_sample *sample)
{
    const json_t *when = json_array_get(array, 3);

    *sample = (cairn_cost_sample){.bytes   = get_number(array, 0),
                                  .entries = get_number(array, 1),
                                  .seconds = get_number(array, 2),
                                  .when    = json_integer_value(when)};
    return is_believed(when, now) && cairn_cost_sample_valid(sample);
}

static void parse_model(cairn_costs *costs, const json_t *object, int64_t now)
{
    const char            *device  = get_text(object, "device", CAIRN_COST_DEVICE);
    const char            *family  = get_text(object, "family", CAIRN_FAMILY);
    const json_t          *numbers = json_object_get(object, "prior");
    const json_t          *samples = json_object_get(object, "samples");
    const int64_t          count = json_integer_value(json_object_get(object, "count"));
    const cairn_cost_rates prior = {get_number(numbers, 0), get_number(numbers, 1),
                                    get_number(numbers, 2)};
    cairn_cost_model      *model = NULL;
    cairn_cost_sample      sample;

    if (!device || !family || !cairn_cost_rates_valid(&prior)) return;
    for (size_t k = 0; k < json_array_size(samples); k++) {
        if (!get_sample(json_array_get(samples, k), now, &sample)) continue;
        if (!model) model = cairn_cost_add_model(costs, device, family, &prior);
        if (!model) return;
        cairn_cost_add_sample(model, &sample);
    }
    if (!model) return;
    if (count > model->count && count < INT64_MAX / 2) model->count = count;
}

/// What memory takes, if that was measured, and not too long ago.
static void parse_memory(cairn_costs *costs, const json_t *array, int64_t now)
{
    const cairn_memory_rates rates = {get_number(array, 0), get_number(array, 1),
                                      get_number(array, 2)};
    const json_t            *when  = json_array_get(array, 3);

    if (!is_believed(when, now) || !cairn_memory_rates_valid(&rates)) return;
    costs->memory      = rates;
    costs->memory_when = json_integer_value(when);
}

static const char *parse_file(cairn_costs *costs, const json_t *file, int64_t now)
{
    const char   *what    = get_text(file, "cairn", 64);
    const char   *host    = get_text(file, "host", CAIRN_COST_HOST);
    const json_t *version = json_object_get(file, "version");
    const json_t *models  = json_object_get(file, "models");

    if (!what || strcmp(what, "cost models") != 0 || !host) return "no cost models";
    if (json_integer_value(version) != CAIRN_COST_VERSION) return "of another version";
    if (strcmp(host, costs->host) != 0) return "of another machine";
    parse_memory(costs, json_object_get(file, "memory"), now);
    for (size_t k = 0; k < json_array_size(models) && k < CAIRN_COST_MODELS; k++)
        parse_model(costs, json_array_get(models, k), now);
    return NULL;
}

const char *
cairn_cost_parse(cairn_costs *costs, const char *text, size_t length, int64_t now)
{
    json_t     *file = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    const char *why  = file ? parse_file(costs, file, now) : "no JSON";

    json_decref(file);
    return why;
}

static void print_model(cairn_text *out, const cairn_cost_model *model)
{
    cairn_text_add(out, "{\"device\": ");
    cairn_text_add_json(out, model->device);
    cairn_text_add(out, ",\n \"family\": ");
    cairn_text_add_json(out, model->family);
    cairn_text_add(out,
                   ",\n \"prior\": [%.9g, %.9g, %.9g], \"count\": %" PRId64
                   ",\n \"samples\": [",
                   model->prior.launch, model->prior.per_byte, model->prior.per_entry,
                   model->count);
    for (int k = 0; k < model->samples; k++) {
        const cairn_cost_sample *s = &model->sample[k];

        cairn_text_add(out, "%s[%.17g, %.17g, %.9g, %" PRId64 "]", k ? ", " : "",
                       s->bytes, s->entries, s->seconds, s->when);
    }
    cairn_text_add(out, "]}");
}

cairn_status cairn_cost_print(const cairn_costs *costs, char **text)
{
    cairn_text out;

    cairn_text_init(&out, costs->env);
    cairn_text_add(&out, "{\"cairn\": \"cost models\", \"version\": %d,\n\"host\": ",
                   CAIRN_COST_VERSION);
    cairn_text_add_json(&out, costs->host);
    if (costs->memory_when > 0)
        cairn_text_add(&out, ",\n\"memory\": [%.17g, %.17g, %.17g, %" PRId64 "]",
                       costs->memory.byte, costs->memory.near, costs->memory.far,
                       costs->memory_when);
    cairn_text_add(&out, ",\n\"models\": [");
    for (int k = 0; k < costs->models; k++) {
        cairn_text_add(&out, "%s\n", k ? "," : "");
        print_model(&out, &costs->model[k]);
    }
    cairn_text_add(&out, "]}\n");
    return cairn_text_take(&out, text);
}
