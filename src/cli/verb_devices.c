// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn devices`: what was discovered.

#include "json.h"
#include "values.h"
#include "verbs.h"
#include "words.h"

#include <stdio.h>

static json_t *describe(const cairn_device_info *device)
{
    return json_pack(
        "{s:i, s:s, s:s, s:o, s:s, s:I, s:i, s:o}", "rank", device->rank, "id",
        device->id, "kind", device->kind, "name", cli_json_text(device->name), "clock",
        device->clock, "memory_bytes", (json_int_t)device->memory_bytes, "cores",
        device->cores, "bandwidth",
        device->bandwidth > 0 ? cli_json_real(device->bandwidth) : json_null());
}

static json_t *object(const cairn_device_info *devices, int count)
{
    json_t *list = json_array();

    for (int k = 0; k < count; k++)
        if (json_array_append_new(list, describe(&devices[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{s:o}", "devices", list);
}

static void print(const char *tree, const cairn_device_info *devices, int count)
{
    fputs(tree, stdout);
    for (int k = 0; k < count; k++) {
        const cairn_device_info *device = &devices[k];

        printf("rank %d  %s  %s, %d core%s, %s", device->rank, device->id, device->name,
               device->cores, device->cores == 1 ? "" : "s",
               cli_word_bytes(device->memory_bytes).text);
        if (device->bandwidth > 0) printf(", %.1f GB/s", 1e-9 * device->bandwidth);
        printf(", %s\n", device->clock);
    }
}

static cairn_status report(cli_job *job, const cairn_device_info *devices, int count)
{
    char *tree = NULL;

    if (!cli_is_first(job)) return CAIRN_OK;
    if (cli_given(job, CLI_JSON)) return cli_json_write(job, object(devices, count));
    CLI_TRY(cairn_devices_tree(job->context, &tree));
    print(tree, devices, count);
    cairn_text_free(job->context, &tree);
    return CAIRN_OK;
}

static cairn_status run(cli_job *job)
{
    cairn_device_info *devices = NULL;
    int                count   = 0;

    if (cli_given(job, CLI_MODELS)) return cli_not_yet(job, "option", "--models");
    CLI_TRY(cairn_devices_list(job->context, &count, &devices));
    const cairn_status status = cli_agree(job, report(job, devices, count));

    cairn_devices_free(job->context, &devices);
    return status;
}

static const char about[] =
    "The tree is that of the first rank's machine; the devices are those of all ranks.";

static const char json[] =
    "devices[]{rank id kind name clock memory_bytes cores bandwidth}; bandwidth in "
    "bytes per second, null when it was not measured";

static const cli_example examples[] = {
    {"cairn devices",                      "what is here"         },
    {"mpirun -n 2 cairn devices --json -", "on two ranks, as JSON"},
    {NULL,                                 NULL                   },
};

const cli_verb cli_verb_devices = {
    .name     = "devices",
    .operands = "",
    .least    = 0,
    .most     = 0,
    .summary  = "What this machine has",
    .about    = about,
    .json     = json,
    .examples = examples,
    .options  = (const cli_option_id[]){CLI_MODELS, CLI_OPTIONS},
    .run      = run,
};
