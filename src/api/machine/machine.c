// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The machine piece by piece, as records and as text.

#include "api/door.h"
#include "base/text.h"
#include "devices/drivers.h"

#include <stdio.h>
#include <string.h>

static void copy(const cairn_machine      *machine,
                 const cairn_machine_node *node,
                 cairn_machine_piece      *piece)
{
    *piece = (cairn_machine_piece){.depth  = node->depth,
                                   .index  = node->index,
                                   .level  = node->level,
                                   .bytes  = node->bytes,
                                   .cores  = node->cores,
                                   .domain = node->domain,
                                   .link   = node->link};
    snprintf(piece->kind, sizeof piece->kind, "%s", node->kind);
    snprintf(piece->name, sizeof piece->name, "%s",
             node->depth == 0 ? machine->name : node->name);
    memcpy(piece->pci, node->pci, sizeof piece->pci);
    memcpy(piece->interfaces, node->interfaces, sizeof piece->interfaces);
}

cairn_status cairn_machine_list_sized(cairn_context        *context,
                                      size_t                size,
                                      int                  *count,
                                      cairn_machine_piece **pieces)
{
    CAIRN_ENTER(context, CAIRN_ELEMENT(size), CAIRN_GIVEN(count), CAIRN_GIVEN(pieces));

    cairn_env           *env     = &context->env;
    cairn_machine       *machine = NULL;
    cairn_machine_piece *fresh   = NULL;
    cairn_drivers       *drivers = NULL;
    cairn_status         status;

    CAIRN_TRY(CAIRN_NEW(env, 1, &drivers));
    cairn_drivers_ask(drivers);
    CAIRN_GO(free_drivers, cairn_machine_survey(env, drivers, &machine));
    CAIRN_GO(destroy, CAIRN_NEW(env, machine->nodes, &fresh));
    for (int k = 0; k < machine->nodes; k++)
        copy(machine, &machine->node[k], &fresh[k]);
    CAIRN_GO(destroy, cairn_sized_list(env, size, sizeof *fresh, machine->nodes,
                                       (void **)&fresh));
    *count  = machine->nodes;
    *pieces = fresh;

destroy:
    cairn_machine_destroy(env, &machine);
free_drivers:
    cairn_free(env, drivers);
    return status;
}

void cairn_machine_free(cairn_context *context, cairn_machine_piece **pieces)
{
    if (!context || !pieces) return;
    cairn_free(&context->env, *pieces);
    *pieces = NULL;
}

/// 512 kB, 32 MB, 24 GB: in powers of 1024, as caches and memories are sold.
static void print_size(cairn_text *text, int64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double                   size    = (double)bytes;
    int                      unit    = 0;

    for (; size >= 1024 && unit < 4; unit++)
        size /= 1024;
    cairn_text_add(text, ", %.4g %s", size, units[unit]);
}

static bool is_offered(const cairn_machine_piece *piece)
{
    return strcmp(piece->kind, "opencl") == 0 || strcmp(piece->kind, "cuda") == 0;
}

/// "gpu 0: NVIDIA card 10de:2330, 0000:17:00.0, card1 renderD128, near numa 0"
static void print_device(cairn_text *text, const cairn_machine_piece *piece)
{
    const char *unit = is_offered(piece) ? "unit" : "core";

    cairn_text_add(text, "%s %d: %s", piece->kind, piece->index, piece->name);
    if (is_offered(piece) && piece->interfaces[0])
        cairn_text_add(text, " (%s)", piece->interfaces);
    if (piece->pci[0]) cairn_text_add(text, ", %s", piece->pci);
    if (!is_offered(piece) && piece->interfaces[0])
        cairn_text_add(text, ", %s", piece->interfaces);
    if (!is_offered(piece) && piece->domain >= 0)
        cairn_text_add(text, ", near numa %d", piece->domain);
    if (piece->link > 0) cairn_text_add(text, ", bus %.3g GB/s", 1e-9 * piece->link);
    if (piece->bytes > 0) print_size(text, piece->bytes);
    if (piece->cores > 0)
        cairn_text_add(text, ", %d %s%s", piece->cores, unit,
                       piece->cores == 1 ? "" : "s");
}

static void print_part(cairn_text *text, const cairn_machine_piece *piece)
{
    if (piece->depth == 0)
        cairn_text_add(text, "machine: %s", piece->name);
    else if (piece->level > 0)
        cairn_text_add(text, "L%d cache %d", piece->level, piece->index);
    else
        cairn_text_add(text, "%s %d", piece->kind, piece->index);
    if (piece->bytes > 0) print_size(text, piece->bytes);
    if (strcmp(piece->kind, "core") != 0)
        cairn_text_add(text, ", %d core%s", piece->cores, piece->cores == 1 ? "" : "s");
}

cairn_status cairn_devices_tree(cairn_context *context, char **text)
{
    CAIRN_ENTER(context, CAIRN_GIVEN(text));

    cairn_machine_piece *piece = NULL;
    cairn_text           out;
    int                  count = 0;

    CAIRN_TRY(cairn_machine_list(context, &count, &piece));
    cairn_text_init(&out, &context->env);
    for (int k = 0; k < count; k++) {
        cairn_text_add(&out, "%*s", 2 * piece[k].depth, "");
        if (piece[k].depth > 0 && piece[k].name[0])
            print_device(&out, &piece[k]);
        else
            print_part(&out, &piece[k]);
        cairn_text_add(&out, "\n");
    }
    cairn_machine_free(context, &piece);
    return cairn_text_take(&out, text);
}
