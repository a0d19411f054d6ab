// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading a machine's rates. What is not known, missing or out of its range is refused, with
/// its place in the file: a rate that is left out is never made up.

#include "cost/rated_machine.h"

#include "base/json.h"
#include "cost/cost_fit.h"

#include <string.h>

typedef struct reader {
    cairn_env *env;
    cairn_json json;
} reader;

/// An object of the file, and where it begins there.
typedef struct place {
    const json_t *object;
    const char   *at;
} place;

static cairn_status
refuse(const reader *read, const char *at, const char *name, const char *why)
{
    return cairn_fail(read->env, CAIRN_BAD_FILE, "machine: %s: %s: %s",
                      cairn_json_place(&read->json, at).text, name, why);
}

/// Where a field is, or the object without it.
static const char *place_of(const place *in, const char *name)
{
    const char *at = cairn_json_value(in->at, name);

    return at ? at : in->at;
}

/// It is an object with no other fields than these, whose list ends with NULL.
static cairn_status check_fields(const reader      *read,
                                 const place       *in,
                                 const char        *what,
                                 const char *const *known)
{
    const char *name;
    json_t     *value;

    if (!json_is_object(in->object)) return refuse(read, in->at, what, "is no object");
    json_object_foreach((json_t *)in->object, name, value)
    {
        int k = 0;

        while (known[k] && strcmp(known[k], name) != 0)
            k++;
        if (known[k]) continue;
        const char *const nearest = cairn_nearest_name(name, known);

        CAIRN_CHECK(
            nearest, read->env, CAIRN_BAD_FILE, "machine: %s: %.60s: no such field",
            cairn_json_place(&read->json, cairn_json_field(in->at, name)).text, name);
        return cairn_fail(
            read->env, CAIRN_BAD_FILE,
            "machine: %s: %.60s: no such field; did you mean %s?",
            cairn_json_place(&read->json, cairn_json_field(in->at, name)).text, name,
            nearest);
    }
    return CAIRN_OK;
}

static cairn_status read_name(const reader *read, const place *in, char *name)
{
    const json_t *const value = json_object_get(in->object, "name");
    const char *const   text  = json_string_value(value);

    if (!text || !*text || strlen(text) >= CAIRN_RATED_NAME)
        return refuse(read, place_of(in, "name"), "name",
                      "is no text of 1 to 63 bytes");
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            return refuse(read, place_of(in, "name"), "name", "has control characters");
    strcpy(name, text);
    return CAIRN_OK;
}

/// A number above 0 that a machine may have; 0 where it is missing and need not be there.
static cairn_status read_number(const reader *read,
                                const place  *in,
                                const char   *name,
                                bool          needed,
                                double       *number)
{
    const json_t *const value = json_object_get(in->object, name);
    const double        is    = json_number_value(value);

    *number = 0;
    if (!value && !needed) return CAIRN_OK;
    if (!value) return refuse(read, in->at, name, "is missing");
    if (!json_is_number(value) || !(is > 0) || is > 1e24)
        return refuse(read, place_of(in, name), name, "is no number above 0");
    *number = is;
    return CAIRN_OK;
}

/// A whole number from 1 on; @p standard where it is missing.
static cairn_status read_count(const reader *read,
                               const place  *in,
                               const char   *name,
                               int64_t       standard,
                               int64_t      *count)
{
    const json_t *const value = json_object_get(in->object, name);

    *count = standard;
    if (!value) return CAIRN_OK;
    *count = json_integer_value(value);
    if (!json_is_integer(value) || *count < 1 || *count > 1000000)
        return refuse(read, place_of(in, name), name,
                      "is no whole number from 1 to 1000000");
    return CAIRN_OK;
}

static cairn_status
read_device(const reader *read, const place *in, cairn_rated_device *device)
{
    static const char *const known[] = {"name",    "count", "bandwidth",
                                        "entries", "start", NULL};
    double                   bandwidth, entries;

    CAIRN_TRY(check_fields(read, in, "a device", known));
    CAIRN_TRY(read_name(read, in, device->name));
    CAIRN_TRY(read_count(read, in, "count", 1, &device->count));
    CAIRN_TRY(read_number(read, in, "bandwidth", true, &bandwidth));
    CAIRN_TRY(read_number(read, in, "entries", false, &entries));
    CAIRN_TRY(read_number(read, in, "start", false, &device->rates.launch));
    device->rates.per_byte  = 1 / bandwidth;
    device->rates.per_entry = entries > 0 ? 1 / entries : 0;
    if (!cairn_cost_rates_valid(&device->rates))
        return refuse(read, in->at, device->name, "has rates that no machine has");
    return CAIRN_OK;
}

static cairn_status read_devices(const reader *read, cairn_rated_machine *machine)
{
    const json_t *const list = json_object_get(read->json.root, "devices");
    const char *const   root = cairn_json_root(&read->json);
    const char *const   at   = cairn_json_value(root, "devices");

    if (!json_is_array(list) || json_array_size(list) == 0
        || json_array_size(list) > CAIRN_RATED_DEVICES)
        return refuse(read, at ? at : root, "devices", "is no list of 1 to 32 devices");
    machine->devices = (int)json_array_size(list);
    for (int k = 0; k < machine->devices; k++) {
        const place in = {json_array_get(list, (size_t)k),
                          cairn_json_element(at, (size_t)k)};

        CAIRN_TRY(read_device(read, &in, &machine->device[k]));
        machine->ranks += machine->device[k].count;
    }
    return CAIRN_OK;
}

/// @param[in] needed  There are ranks that it lies between.
static cairn_status
read_link(const reader *read, const char *name, bool needed, cairn_rated_link *link)
{
    static const char *const known[] = {"latency", "bandwidth", NULL};
    const char *const        root    = cairn_json_root(&read->json);
    const place              in      = {json_object_get(read->json.root, name),
                                        cairn_json_value(root, name)};
    double                   bandwidth;

    if (!in.object && !needed) return CAIRN_OK;
    if (!in.object)
        return refuse(read, root, name, "is missing: ranks that it lies between");
    CAIRN_TRY(check_fields(read, &in, name, known));
    CAIRN_TRY(read_number(read, &in, "latency", true, &link->latency));
    CAIRN_TRY(read_number(read, &in, "bandwidth", true, &bandwidth));
    link->per_byte = 1 / bandwidth;
    return CAIRN_OK;
}

static cairn_status read_machine(const reader *read, cairn_rated_machine *machine)
{
    static const char *const known[] = {"name", "devices", "host", "near", "far", NULL};
    const place              root    = {read->json.root, cairn_json_root(&read->json)};

    CAIRN_TRY(check_fields(read, &root, "a machine", known));
    CAIRN_TRY(read_name(read, &root, machine->name));
    CAIRN_TRY(read_devices(read, machine));
    CAIRN_TRY(read_count(read, &root, "host", machine->ranks, &machine->host));
    CAIRN_TRY(read_link(read, "near", machine->ranks > 1 && machine->host > 1,
                        &machine->near));
    return read_link(read, "far", machine->ranks > machine->host, &machine->far);
}

cairn_status
cairn_rated_machine_read(cairn_env *env, const char *path, cairn_rated_machine *machine)
{
    reader              read = {.env = env};
    cairn_rated_machine own  = {.devices = 0};

    CAIRN_TRY(cairn_json_read(env, "machine", path, &read.json));
    const cairn_status status = read_machine(&read, &own);

    if (status == CAIRN_OK) *machine = own;
    cairn_json_fini(env, &read.json);
    return status;
}

const cairn_rated_device *cairn_rated_device_of(const cairn_rated_machine *machine,
                                                int64_t                    rank)
{
    int k = 0;

    for (; k < machine->devices - 1 && rank >= machine->device[k].count; k++)
        rank -= machine->device[k].count;
    return &machine->device[k];
}

double cairn_rated_message(const cairn_rated_machine *machine,
                           int64_t                    from,
                           int64_t                    to,
                           double                     bytes)
{
    const cairn_rated_link *link =
        from / machine->host == to / machine->host ? &machine->near : &machine->far;

    return link->latency + bytes * link->per_byte;
}

/// Messages one after the other until all have heard of all.
static int doublings(int64_t ranks)
{
    int count = 0;

    for (int64_t heard = 1; heard < ranks; heard *= 2)
        count++;
    return count;
}

double cairn_rated_sum(const cairn_rated_machine *machine, int64_t ranks)
{
    const int64_t inside = ranks < machine->host ? ranks : machine->host;
    const int64_t hosts  = (ranks + machine->host - 1) / machine->host;

    return doublings(inside) * machine->near.latency
           + doublings(hosts) * machine->far.latency;
}
