// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Two walks over hwloc's objects: one counts those that are shown, one writes them down.

#include "devices/tree.h"

#include "devices/domains.h"
#include "devices/pci.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static cairn_pci_card card_of(const struct hwloc_obj *object)
{
    return (cairn_pci_card){.type   = object->attr->pcidev.class_id,
                            .vendor = object->attr->pcidev.vendor_id,
                            .device = object->attr->pcidev.device_id};
}

static cairn_pci_place place_of(const struct hwloc_obj *object)
{
    return (cairn_pci_place){.domain   = object->attr->pcidev.domain,
                             .bus      = object->attr->pcidev.bus,
                             .slot     = object->attr->pcidev.dev,
                             .function = object->attr->pcidev.func};
}

/// The kind of the card that a function of the bus stands for; NULL: another one does. The
/// functions of a card are siblings.
static const char *card_kind(const struct hwloc_obj *object)
{
    const cairn_pci_card  card = card_of(object);
    const cairn_pci_place at   = place_of(object);

    for (hwloc_obj_t o = object->parent->io_first_child; o; o = o->next_sibling) {
        if (o->type != HWLOC_OBJ_PCI_DEVICE) continue;
        const cairn_pci_card  other    = card_of(o);
        const cairn_pci_place other_at = place_of(o);

        if (!cairn_pci_stands(&card, &at, &other, &other_at)) return NULL;
    }
    return cairn_pci_kind(&card);
}

/// A co-processor that is on no bus that hwloc knows; else its card is what is shown.
static const char *coprocessor_kind(const struct hwloc_obj *object)
{
    return object->attr->osdev.type == HWLOC_OBJ_OSDEV_COPROC
                   && object->parent->type != HWLOC_OBJ_PCI_DEVICE
               ? "accelerator"
               : NULL;
}

/// The kind under which an object is shown; NULL: passed over, its children are not.
static const char *shown_kind(const struct hwloc_obj *object)
{
    if (object->type == HWLOC_OBJ_MACHINE) return "machine";
    if (object->type == HWLOC_OBJ_PACKAGE) return "package";
    if (object->type == HWLOC_OBJ_NUMANODE) return "numa";
    if (object->type == HWLOC_OBJ_CORE) return "core";
    if (object->type == HWLOC_OBJ_OS_DEVICE) return coprocessor_kind(object);
    if (object->type == HWLOC_OBJ_PCI_DEVICE) return card_kind(object);
    return hwloc_obj_type_is_dcache(object->type) ? "cache" : NULL;
}

static int
inside(hwloc_topology_t topology, const struct hwloc_obj *object, hwloc_obj_type_t type)
{
    return object->cpuset
               ? hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, type)
               : 0;
}

static int64_t bytes_of(const struct hwloc_obj *object)
{
    if (object->type == HWLOC_OBJ_NUMANODE)
        return cairn_bytes_add(0, object->attr->numanode.local_memory);
    if (object->type == HWLOC_OBJ_MACHINE)
        return cairn_bytes_add(0, object->total_memory);
    return hwloc_obj_type_is_cache(object->type)
               ? cairn_bytes_add(0, object->attr->cache.size)
               : 0;
}

/// The NUMA domain that a card is at; -1: several, or unknown.
static int domain_of(hwloc_topology_t topology, hwloc_obj_t object)
{
    const hwloc_obj_t at = hwloc_get_non_io_ancestor_obj(topology, object);

    for (hwloc_obj_t o = NULL;
         (o = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, o));)
        if (hwloc_bitmap_isequal(o->nodeset, at->nodeset)) return (int)o->logical_index;
    return -1;
}

/// Join the names under which the system knows a card: "card0 renderD128", "ib0 mlx5_0".
static void name_interfaces(const struct hwloc_obj *card, char *names, size_t size)
{
    size_t n = 0;

    for (hwloc_obj_t o = card->io_first_child; o && n < size; o = o->next_sibling)
        if (o->type == HWLOC_OBJ_OS_DEVICE && o->name
            && o->attr->osdev.type != HWLOC_OBJ_OSDEV_DMA)
            n += (size_t)snprintf(names + n, size - n, "%s%s", n ? " " : "", o->name);
}

/// What its driver calls a card; NULL: hwloc asked none.
static const char *model_of(const struct hwloc_obj *card)
{
    for (hwloc_obj_t o = card->io_first_child; o; o = o->next_sibling) {
        const char *model = hwloc_obj_get_info_by_name(o, "GPUModel");

        if (model) return model;
    }
    return NULL;
}

/// Name a card as its driver does, else as lists of PCI numbers do, else by number.
static void name_card(hwloc_obj_t object, cairn_machine_node *node)
{
    const cairn_pci_card card   = card_of(object);
    const char          *model  = model_of(object);
    const char          *vendor = cairn_pci_vendor(card.vendor);
    const char          *device = hwloc_obj_get_info_by_name(object, "PCIDevice");

    if (!vendor) vendor = hwloc_obj_get_info_by_name(object, "PCIVendor");
    if (model)
        snprintf(node->name, sizeof node->name, "%s", model);
    else if (device)
        snprintf(node->name, sizeof node->name, "%s%s%s", vendor ? vendor : "",
                 vendor ? " " : "", device);
    else
        snprintf(node->name, sizeof node->name, "%s%scard %04x:%04x",
                 vendor ? vendor : "", vendor ? " " : "", card.vendor, card.device);
}

/// What only cards have.
static void
describe_card(hwloc_topology_t topology, hwloc_obj_t object, cairn_machine_node *node)
{
    node->domain = domain_of(topology, object);
    if (object->type == HWLOC_OBJ_OS_DEVICE) {
        snprintf(node->name, sizeof node->name, "%s", object->name ? object->name : "");
        return;
    }
    name_card(object, node);
    name_interfaces(object, node->interfaces, sizeof node->interfaces);
    if (isfinite(object->attr->pcidev.linkspeed))
        node->link = 1e9 * (double)object->attr->pcidev.linkspeed;
    snprintf(node->pci, sizeof node->pci, "%04x:%02x:%02x.%01x",
             object->attr->pcidev.domain, object->attr->pcidev.bus,
             object->attr->pcidev.dev, object->attr->pcidev.func);
}

/// Number among its kind and level, of those written down so far.
static int count_alike(const cairn_machine *machine, const cairn_machine_node *node)
{
    int n = 0;

    for (int k = 0; k < machine->nodes; k++)
        n += strcmp(machine->node[k].kind, node->kind) == 0
             && machine->node[k].level == node->level;
    return n;
}

static void
show(hwloc_topology_t topology, hwloc_obj_t object, int depth, cairn_machine *machine)
{
    cairn_machine_node node = {
        .kind   = shown_kind(object),
        .depth  = depth,
        .domain = -1,
        .level =
            hwloc_obj_type_is_cache(object->type) ? (int)object->attr->cache.depth : 0,
        .bytes = bytes_of(object),
        .cores = inside(topology, object, HWLOC_OBJ_CORE),
        .pus   = inside(topology, object, HWLOC_OBJ_PU),
    };

    node.index = hwloc_obj_type_is_io(object->type) ? count_alike(machine, &node)
                                                    : (int)object->logical_index;
    if (hwloc_obj_type_is_io(object->type)) describe_card(topology, object, &node);
    machine->node[machine->nodes++] = node;
}

/// Depth first. With no array yet: count only.
static void
walk(hwloc_topology_t topology, hwloc_obj_t object, int depth, cairn_machine *machine)
{
    const bool        shown   = shown_kind(object) != NULL;
    const hwloc_obj_t first[] = {object->memory_first_child, object->first_child,
                                 object->io_first_child};

    if (shown && machine->node)
        show(topology, object, depth, machine);
    else if (shown)
        machine->nodes++;
    for (int k = 0; k < 3; k++)
        for (hwloc_obj_t child = first[k]; child; child = child->next_sibling)
            walk(topology, child, depth + shown, machine);
}

cairn_status
cairn_tree_copy(cairn_env *env, hwloc_topology_t topology, cairn_machine *machine)
{
    walk(topology, hwloc_get_root_obj(topology), 0, machine);
    CAIRN_TRY(CAIRN_NEW(env, machine->nodes, &machine->node));
    machine->nodes = 0;
    walk(topology, hwloc_get_root_obj(topology), 0, machine);
    return CAIRN_OK;
}
