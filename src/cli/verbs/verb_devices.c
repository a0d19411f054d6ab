// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn devices`: what was discovered.

#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/output/json.h"
#include "cli/output/words.h"
#include "cli/verbs/device_models.h"

#include <stdio.h>
#include <string.h>

static json_t *describe(const cairn_device_info *device)
{
    return json_pack(
        "{s:i, s:s, s:s, s:o, s:s, s:I, s:i, s:o, s:i}", "rank", device->rank, "id",
        device->id, "kind", device->kind, "name", cli_json_text(device->name), "clock",
        device->clock, "memory_bytes", (json_int_t)device->memory_bytes, "cores",
        device->cores, "bandwidth",
        device->bandwidth > 0 ? cli_json_real(device->bandwidth) : json_null(),
        "sharing", device->sharing);
}

static json_t *describe_piece(const cairn_machine_piece *piece)
{
    return json_pack("{s:s, s:i, s:i, s:i, s:o, s:i, s:I, s:i, s:o, s:o, s:o}", "kind",
                     piece->kind, "depth", piece->depth, "index", piece->index, "level",
                     piece->level, "name", cli_json_text(piece->name), "cores",
                     piece->cores, "bytes", (json_int_t)piece->bytes, "domain",
                     piece->domain, "pci",
                     piece->pci[0] ? cli_json_text(piece->pci) : json_null(),
                     "interfaces", cli_json_text(piece->interfaces), "link",
                     piece->link > 0 ? cli_json_real(piece->link) : json_null());
}

/// Append what may be NULL for want of memory; then all is.
static void append(json_t **list, json_t *item)
{
    if (*list && json_array_append_new(*list, item) == 0) return;
    json_decref(*list);
    *list = NULL;
}

/// An object that takes both lists over.
static json_t *object(json_t *devices, json_t *machine)
{
    return json_pack("{s:o, s:o}", "devices", devices, "machine", machine);
}

static cairn_status
write_json(cli_job *job, const cairn_device_info *devices, int count)
{
    cairn_machine_piece *piece = NULL;
    int                  n     = 0;
    json_t              *list = json_array(), *machine = json_array();

    const cairn_status status = cairn_machine_list(job->context, &n, &piece);

    for (int k = 0; k < count; k++)
        append(&list, describe(&devices[k]));
    for (int k = 0; k < n; k++)
        append(&machine, describe_piece(&piece[k]));
    if (status == CAIRN_OK) {
        cairn_machine_free(job->context, &piece);
        return cli_json_write(job, object(list, machine));
    }
    json_decref(list);
    json_decref(machine);
    return status;
}

static void print_device(const cairn_device_info *device)
{
    printf("rank %d  %s  %s, %d core%s, %s", device->rank, device->id, device->name,
           device->cores, device->cores == 1 ? "" : "s",
           cli_word_bytes(device->memory_bytes).text);
    if (device->bandwidth > 0) printf(", %.1f GB/s", 1e-9 * device->bandwidth);
    printf(", %s", device->clock);
    if (device->sharing > 1) printf(", shared by %d ranks", device->sharing);
    printf("\n");
}

static cairn_status report(cli_job *job, const cairn_device_info *devices, int count)
{
    char *tree = NULL;

    if (!cli_is_first(job)) return CAIRN_OK;
    if (cli_given(job, CLI_MODELS)) return cli_device_models(job);
    if (cli_given(job, CLI_JSON)) return write_json(job, devices, count);
    CLI_TRY(cairn_devices_tree(job->context, &tree));
    fputs(tree, stdout);
    cairn_text_free(job->context, &tree);
    for (int k = 0; k < count; k++)
        print_device(&devices[k]);
    return CAIRN_OK;
}

static json_t *describe_number(const cairn_model_number *number)
{
    return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:b, s:s, s:s}", "kind",
                     number->kind, "model", number->model, "name", number->name,
                     "default", number->standard, "least", number->least, "most",
                     number->most, "whole", number->whole, "unit", number->unit, "what",
                     number->what);
}

static cairn_status write_models(cli_job *job)
{
    cairn_model_number number = CAIRN_MODEL_NUMBER;
    json_t            *list   = json_array();

    for (int k = 0; cairn_model_number_at(k, &number); k++)
        append(&list, describe_number(&number));
    return cli_json_write(job, json_pack("{s:o}", "numbers", list));
}

/// One kind: its models, and under each its numbers.
static void print_kind(const char *kind)
{
    cairn_model_number number = CAIRN_MODEL_NUMBER;
    const char        *model  = NULL;

    printf("%s: %s\n", kind, cairn_device_kind_what(kind));
    for (int k = 0; cairn_model_number_at(k, &number); k++) {
        if (strcmp(number.kind, kind) != 0) continue;
        if (number.model != model)
            printf("  %s: %s\n", number.model, number.model_what);
        model = number.model;
        printf("    %-20s %g%s%s  (%g to %g%s) %s\n", number.name, number.standard,
               number.unit[0] ? " " : "", number.unit, number.least, number.most,
               number.whole ? ", whole" : "", number.what);
    }
    if (!model) printf("  measured: there is nothing to set\n");
}

static cairn_status print_models(cli_job *job)
{
    const char *kind;

    if (!cli_is_first(job)) return CAIRN_OK;
    if (cli_given(job, CLI_JSON)) return write_models(job);
    for (int k = 0; (kind = cairn_device_kind_name(k)); k++)
        print_kind(kind);
    return CAIRN_OK;
}

static cairn_status run(cli_job *job)
{
    cairn_device_info *devices = NULL;
    int                count   = 0;

    if (cli_given(job, CLI_NUMBERS)) return cli_agree(job, print_models(job));
    if (cli_given(job, CLI_DEVICES))
        CLI_TRY(cli_agree(job, cairn_devices_check(job->context, NULL,
                                                   cli_text(job, CLI_DEVICES), 0)));
    CLI_TRY(cairn_devices_list(job->context, &count, &devices));
    const cairn_status status = cli_agree(job, report(job, devices, count));

    cairn_devices_free(job->context, &devices);
    return status;
}

static const char about[] =
    "The tree is that of the first rank's machine, with its cards and what drivers "
    "offer; the devices are those of all ranks. A device that several ranks share is "
    "told whole: each has about its share of memory and bandwidth when all use it.\n"
    "\n"
    "Devices that are simulated are described in files: --numbers lists what they may "
    "say, docs/devices.md how.\n"
    "\n"
    "--models prints instead how long work takes on the first rank's devices, as far "
    "as "
    "it "
    "was measured: seconds a run, a byte and an entry, for every family of work.";

static const char json[] =
    "devices[]{rank id kind name clock memory_bytes cores bandwidth sharing} "
    "machine[]{kind depth index level name cores bytes domain pci interfaces link}; "
    "bandwidth and link in bytes per second, null when unknown; sharing: ranks that "
    "use "
    "it; with --numbers instead numbers[]{kind model name default least most whole "
    "unit "
    "what}; with --models instead models[]{device family clock launch per_byte "
    "per_entry "
    "count spread age} file note; family null for all that was not measured, age in "
    "seconds";

static const cli_example examples[] = {
    {"cairn devices",                      "what is here"                      },
    {"mpirun -n 2 cairn devices --json -", "on two ranks, as JSON"             },
    {"cairn devices --devices cpu:2",      "as a run with that option has them"},
    {"cairn devices --models",             "what was learned of their speed"   },
    {NULL,                                 NULL                                },
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
    .options =
        (const cli_option_id[]){CLI_DEVICES, CLI_NUMBERS, CLI_MODELS, CLI_OPTIONS},
    .run = run,
};
