// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A file of devices, object by object, field by field.

#include "devices/config_file.h"

#include "base/json.h"
#include "devices/kinds.h"

#include <stdio.h>
#include <string.h>

/// Fields of every kind.
static const char *const common[] = {"kind", "model", "count", "name", "note", NULL};

/// What is read, and from where.
typedef struct reader {
    cairn_env                     *env;
    cairn_json                     json;
    const cairn_device_ops *const *kinds;
    int                            most, count;
    cairn_described_device        *device; ///< [most]
} reader;

/// Print where the value of a field stands: its line and column, or the object's.
static cairn_json_where place(const reader *read, const char *at, const char *field)
{
    const char *value = cairn_json_value(at, field);

    return cairn_json_place(&read->json, value ? value : at);
}

/// A field that is a text; @p text keeps its default where the field is absent.
static cairn_status text_of(reader       *read,
                            const json_t *object,
                            const char   *at,
                            const char   *field,
                            const char  **text)
{
    const json_t *value = json_object_get(object, field);

    CAIRN_CHECK(!value || json_is_string(value), read->env, CAIRN_BAD_OPTION,
                "devices: %s: '%s' must be a text in quotes",
                place(read, at, field).text, field);
    if (value) *text = json_string_value(value);
    return CAIRN_OK;
}

static cairn_status find_kind(reader                  *read,
                              const json_t            *object,
                              const char              *at,
                              const cairn_device_ops **kind)
{
    const cairn_json_where where = place(read, at, "kind");
    const char            *word  = NULL;

    CAIRN_TRY(text_of(read, object, at, "kind", &word));
    CAIRN_CHECK(word, read->env, CAIRN_BAD_OPTION,
                "devices: %s: a device without \"kind\"", where.text);
    for (int k = 0; read->kinds[k]; k++) {
        if (strcmp(read->kinds[k]->kind, word) != 0) continue;
        *kind = read->kinds[k];
        return CAIRN_OK;
    }
    return cairn_device_kind_unknown(read->env, where.text, word);
}

static cairn_status start(reader                 *read,
                          const json_t           *object,
                          const char             *at,
                          cairn_described_device *device)
{
    const cairn_device_model *model = device->kind->models;
    const char               *name = "", *word = model ? model->name : NULL;

    if (!model)
        CAIRN_CHECK(!json_object_get(object, "model"), read->env, CAIRN_BAD_OPTION,
                    "devices: %s: %s has no models", place(read, at, "model").text,
                    device->kind->kind);
    CAIRN_TRY(text_of(read, object, at, "model", &word));
    CAIRN_TRY(text_of(read, object, at, "name", &name));
    if (model) {
        CAIRN_TRY(cairn_config_model(read->env, place(read, at, "model").text,
                                     device->kind, word, &model));
        cairn_config_init(model, &device->config);
    }
    snprintf(device->config.name, sizeof device->config.name, "%s", name);
    return CAIRN_OK;
}

static bool is_common(const char *field)
{
    for (int k = 0; common[k]; k++)
        if (strcmp(common[k], field) == 0) return true;
    return false;
}

/// The words of a program's command, one behind the other.
static cairn_status set_command(reader                 *read,
                                const char             *at,
                                const json_t           *words,
                                cairn_described_device *device)
{
    const cairn_json_where where = place(read, at, "command");
    char         *to = device->config.command, *end = to + CAIRN_CONFIG_COMMAND;
    const json_t *word;
    size_t        k;

    CAIRN_CHECK(json_array_size(words) > 0, read->env, CAIRN_BAD_OPTION,
                "devices: %s: 'command' must be a list of texts, [\"./program\", ...]",
                where.text);
    json_array_foreach(words, k, word)
    {
        const size_t length = json_is_string(word) ? json_string_length(word) : 0;

        CAIRN_CHECK(length > 0 && strlen(json_string_value(word)) == length, read->env,
                    CAIRN_BAD_OPTION, "devices: %s: word %d of 'command' is no text",
                    where.text, (int)k + 1);
        CAIRN_CHECK(k < 60 && length + 2 <= (size_t)(end - to), read->env,
                    CAIRN_BAD_OPTION, "devices: %s: 'command' is longer than %d bytes",
                    where.text, CAIRN_CONFIG_COMMAND);
        memcpy(to, json_string_value(word), length + 1);
        to += length + 1;
    }
    return CAIRN_OK;
}

static cairn_status set_number(reader                 *read,
                               const char             *at,
                               const char             *field,
                               const json_t           *value,
                               cairn_described_device *device)
{
    const bool known = device->config.model && cairn_config_has(&device->config, field);
    const cairn_json_where where = cairn_json_place(
        &read->json, known ? cairn_json_value(at, field) : cairn_json_field(at, field));

    CAIRN_CHECK(device->config.model, read->env, CAIRN_BAD_OPTION,
                "devices: %s: %s has no numbers that could be set, and none is called "
                "'%.100s'",
                where.text, device->kind->kind, field);
    CAIRN_CHECK(!known || json_is_number(value), read->env, CAIRN_BAD_OPTION,
                "devices: %s: '%s' must be a number", where.text, field);
    return cairn_config_set(read->env, where.text, field, json_number_value(value),
                            &device->config);
}

/// How many alike: 1 unless the object says.
static cairn_status
count_of(reader *read, const json_t *object, const char *at, int *count)
{
    const json_t    *value = json_object_get(object, "count");
    const json_int_t n     = value ? json_integer_value(value) : 1;

    CAIRN_CHECK(n >= 1 && n <= read->most, read->env, CAIRN_BAD_OPTION,
                "devices: %s: 'count' must be a whole number from 1 to %d",
                place(read, at, "count").text, read->most);
    CAIRN_CHECK(read->count + n <= read->most, read->env, CAIRN_BAD_OPTION,
                "devices: %s: more than %d devices",
                cairn_json_place(&read->json, at).text, read->most);
    *count = (int)n;
    return CAIRN_OK;
}

static cairn_status read_device(reader *read, json_t *object, const char *at)
{
    cairn_described_device device = {0};
    const char            *note   = NULL, *field;
    json_t                *value;
    int                    count;

    CAIRN_CHECK(json_is_object(object), read->env, CAIRN_BAD_OPTION,
                "devices: %s: a device is an object, {\"kind\": ...}",
                cairn_json_place(&read->json, at).text);
    CAIRN_TRY(find_kind(read, object, at, &device.kind));
    CAIRN_TRY(start(read, object, at, &device));
    CAIRN_TRY(text_of(read, object, at, "note", &note));
    CAIRN_TRY(count_of(read, object, at, &count));
    json_object_foreach(object, field, value)
    {
        if (device.kind->command && strcmp(field, "command") == 0)
            CAIRN_TRY(set_command(read, at, value, &device));
        else if (!is_common(field))
            CAIRN_TRY(set_number(read, at, field, value, &device));
    }
    while (count-- > 0)
        read->device[read->count++] = device;
    return CAIRN_OK;
}

/// The list of devices, when the whole is an object around it.
static cairn_status find_list(reader *read, json_t **list, const char **at)
{
    static const char *const names[] = {"devices", "note", NULL};
    const char              *field, *note = NULL;
    json_t                  *value;

    json_object_foreach(*list, field, value)
    {
        const cairn_json_where where =
            cairn_json_place(&read->json, cairn_json_field(*at, field));
        const char *nearest = cairn_nearest(field, names);

        CAIRN_CHECK(
            strcmp(field, "devices") == 0 || strcmp(field, "note") == 0, read->env,
            CAIRN_BAD_OPTION, "devices: %s: no such field, '%.100s'%s%s%s", where.text,
            field, nearest ? "; did you mean " : "", nearest ? nearest : "",
            nearest ? "?" : "; the list is \"devices\", a device has a \"kind\"");
    }
    CAIRN_TRY(text_of(read, *list, *at, "note", &note));
    *at   = cairn_json_value(*at, "devices");
    *list = json_object_get(*list, "devices");
    CAIRN_CHECK(json_is_array(*list), read->env, CAIRN_BAD_OPTION,
                "devices: %s: \"devices\" must be a list, [...]",
                cairn_json_place(&read->json, *at).text);
    return CAIRN_OK;
}

static cairn_status read_all(reader *read)
{
    json_t     *list = read->json.root, *object;
    const char *at   = cairn_json_root(&read->json);
    size_t      k;

    if (json_object_get(list, "kind")) return read_device(read, list, at);
    if (json_is_object(list)) CAIRN_TRY(find_list(read, &list, &at));
    CAIRN_CHECK(json_is_array(list), read->env, CAIRN_BAD_OPTION,
                "devices: %s: neither a device nor a list of them",
                cairn_json_place(&read->json, at).text);
    json_array_foreach(list, k, object)
    {
        CAIRN_TRY(read_device(read, object, cairn_json_element(at, k)));
    }
    return CAIRN_OK;
}

bool cairn_config_is_file(const char *item)
{
    const size_t n = strlen(item);

    return strchr(item, '/') || (n > 5 && strcmp(item + n - 5, ".json") == 0);
}

cairn_status cairn_config_read(cairn_env                     *env,
                               const char                    *path,
                               const cairn_device_ops *const *kinds,
                               int                            most,
                               int                           *count,
                               cairn_described_device       **devices)
{
    reader       read = {.env = env, .kinds = kinds, .most = most};
    cairn_status status;

    CAIRN_TRY(cairn_json_read(env, "devices", path, &read.json));
    CAIRN_GO(fini, CAIRN_NEW(env, most, &read.device));
    CAIRN_GO(free_devices, read_all(&read));
    *count   = read.count;
    *devices = read.device;
    goto fini;

free_devices:
    cairn_free(env, read.device);
fini:
    cairn_json_fini(env, &read.json);
    return status;
}
