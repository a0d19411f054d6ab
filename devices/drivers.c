// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The drivers together, and their devices in the tree.

#include "devices/drivers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/// dlsym() gives functions as pointers to data; POSIX has them alike.
bool cairn_driver_function(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

void cairn_drivers_ask(cairn_drivers *drivers)
{
    memset(drivers, 0, sizeof *drivers);
    cairn_drivers_ask_cuda(drivers);
    cairn_drivers_ask_opencl(drivers);
}

static cairn_machine_node
node_of(const cairn_drivers *drivers, int k, int depth, int domain)
{
    const cairn_driver_device *device = &drivers->device[k];
    cairn_machine_node         node   = {.kind   = device->driver,
                                         .depth  = depth,
                                         .domain = domain,
                                         .bytes  = device->memory_bytes,
                                         .cores  = device->units};

    for (int before = 0; before < k; before++)
        node.index += strcmp(drivers->device[before].driver, device->driver) == 0;
    snprintf(node.name, sizeof node.name, "%s", device->name);
    snprintf(node.pci, sizeof node.pci, "%s", device->pci);
    snprintf(node.interfaces, sizeof node.interfaces, "%s", device->platform);
    return node;
}

/// The card at this address, else one in the same slot, whose function that stands for it
/// is another; NULL: there is none.
static const cairn_machine_node *card_at(const cairn_machine *machine, const char *pci)
{
    const size_t              slot = strcspn(pci, ".");
    const cairn_machine_node *near = NULL;

    for (int k = 0; pci[0] && k < machine->nodes; k++) {
        const cairn_machine_node *node = &machine->node[k];

        if (strcmp(node->pci, pci) == 0) return node;
        if (!near && strncmp(node->pci, pci, slot + 1) == 0) near = node;
    }
    return near;
}

/// Write down the devices at @p card, or with NULL those at none.
static void add_at(const cairn_drivers      *drivers,
                   const cairn_machine      *machine,
                   const cairn_machine_node *card,
                   cairn_machine_node      **node)
{
    for (int k = 0; k < drivers->count; k++)
        if (card_at(machine, drivers->device[k].pci) == card)
            *(*node)++ = node_of(drivers, k, card ? card->depth + 1 : 1,
                                 card ? card->domain : -1);
}

cairn_status cairn_machine_add_drivers(cairn_env           *env,
                                       const cairn_drivers *drivers,
                                       cairn_machine       *machine)
{
    cairn_machine_node *node = NULL, *next;

    CAIRN_TRY(CAIRN_NEW(env, machine->nodes + drivers->count, &node));
    next = node;
    for (int k = 0; k < machine->nodes; k++) {
        *next++ = machine->node[k];
        if (machine->node[k].pci[0]) add_at(drivers, machine, &machine->node[k], &next);
    }
    add_at(drivers, machine, NULL, &next);
    cairn_free(env, machine->node);
    machine->node  = node;
    machine->nodes = (int)(next - node);
    return CAIRN_OK;
}
