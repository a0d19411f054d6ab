// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// hwloc's topology, copied into a plain tree: open it, copy it, ask for the binding.

#include "devices/discover.h"

#include "devices/domains.h"
#include "devices/drivers.h"
#include "devices/tree.h"

#include <omp.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static cairn_status refuse_text(cairn_env *env, const char *text)
{
    return cairn_fail(
        env, CAIRN_BAD_OPTION,
        "option: CAIRN_TOPOLOGY: '%.200s' is neither a file nor a synthetic "
        "description such as 'pack:2 core:4 pu:1'",
        text);
}

static bool looks_like_path(const char *text)
{
    const size_t n = strlen(text);

    return strchr(text, '/') || (n > 4 && strcmp(text + n - 4, ".xml") == 0);
}

/// Hand the user's description to @p topology.
static cairn_status
describe(cairn_env *env, hwloc_topology_t topology, const char *text)
{
    FILE *file = fopen(text, "r");

    if (file) {
        fclose(file);
        if (hwloc_topology_set_xml(topology, text) == 0) return CAIRN_OK;
        return cairn_fail(env, CAIRN_BAD_FILE,
                          "topology: %.200s: not an XML export that hwloc %d.%d reads",
                          text, HWLOC_API_VERSION >> 16, HWLOC_API_VERSION >> 8 & 255);
    }
    if (looks_like_path(text))
        return cairn_fail(env, CAIRN_IO, "topology: %.200s: cannot be opened: %s", text,
                          strerror(errno));
    if (hwloc_topology_set_synthetic(topology, text) != 0)
        return refuse_text(env, text);
    return CAIRN_OK;
}

/// Look for cards as well. All of them are kept, since what is of interest is decided by
/// more than hwloc looks at (pci.h). Drivers are asked by drivers.h, so that those
/// parts of hwloc that would load them stay out; the one for displays would open a
/// window server.
static void look_for_cards(hwloc_topology_t topology)
{
    static const char *const parts[] = {"opencl", "cuda", "gl"};

    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        hwloc_topology_set_components(
            topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, parts[k]);
}

static cairn_status load(cairn_env *env, bool cards, hwloc_topology_t *topology)
{
    const char  *text = env->options.topology, *why;
    cairn_status status;

    if (hwloc_topology_init(topology) != 0)
        return cairn_fail(env, CAIRN_NO_MEMORY, "out of memory: discovery: hwloc");
    if (cards) look_for_cards(*topology);
    CAIRN_GO(destroy_topology, text[0] ? describe(env, *topology, text) : CAIRN_OK);
    errno = 0;
    if (hwloc_topology_load(*topology) == 0) return CAIRN_OK;
    why    = errno ? strerror(errno) : "its objects do not make a machine";
    status = text[0]
                 ? cairn_fail(env, CAIRN_BAD_FILE,
                              "topology: %.200s: hwloc cannot load it: %s", text, why)
                 : cairn_fail(env, CAIRN_NO_DEVICE, "discovery: this machine: %s", why);
destroy_topology:
    hwloc_topology_destroy(*topology);
    return status;
}

static int64_t last_level_cache(const cairn_machine *machine)
{
    int64_t bytes = 0;
    int     level = 0;

    for (int k = 0; k < machine->nodes; k++)
        if (machine->node[k].level > level) level = machine->node[k].level;
    for (int k = 0; level > 0 && k < machine->nodes; k++)
        if (machine->node[k].level == level)
            bytes = cairn_bytes_add(bytes, (uint64_t)machine->node[k].bytes);
    return bytes;
}

static void
name_machine(hwloc_topology_t topology, bool synthetic, cairn_machine *machine)
{
    const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char       *model   = NULL;

    if (package) model = hwloc_obj_get_info_by_name(package, "CPUModel");
    if (!model)
        model = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "CPUModel");
    if (!model) model = synthetic ? "synthetic" : "unknown processor";
    snprintf(machine->name, sizeof machine->name, "%s", model);
}

/// Add the processors of OpenMP's places: with OMP_PROC_BIND the calling thread stands
/// on one of them already, but the process has them all.
static void add_places(hwloc_bitmap_t bound)
{
    int id[1024];

    for (int place = 0; place < omp_get_num_places(); place++) {
        const int n = omp_get_place_num_procs(place);

        if (n > (int)(sizeof id / sizeof id[0])) continue;
        omp_get_place_proc_ids(place, id);
        for (int k = 0; k < n; k++)
            hwloc_bitmap_set(bound, (unsigned)id[k]);
    }
}

/// What the process may use of a machine. A described one binds no thread, and where the
/// system does not say, all is ours.
static void narrow(hwloc_topology_t topology, hwloc_bitmap_t bound, hwloc_bitmap_t mine)
{
    if (hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_THREAD) != 0) return;
    add_places(mine);
    if (hwloc_bitmap_intersects(bound, mine)) hwloc_bitmap_and(bound, bound, mine);
}

static cairn_status
find_binding(cairn_env *env, hwloc_topology_t topology, cairn_machine *machine)
{
    const hwloc_bitmap_t bound =
        hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(topology));
    const hwloc_bitmap_t mine   = hwloc_bitmap_alloc();
    cairn_status         status = bound && mine ? CAIRN_OK
                                                : cairn_fail(env, CAIRN_NO_MEMORY,
                                                             "out of memory: discovery: hwloc");

    if (status == CAIRN_OK) {
        if (machine->here) narrow(topology, bound, mine);
        machine->memory_bytes =
            cairn_domains_memory(topology, bound, hwloc_bitmap_intersects);
        status = cairn_domains_list(env, topology, bound, machine);
    }
    for (int k = 0; k < machine->pus && status == CAIRN_OK; k++)
        cairn_pu_set_add(&machine->bound, machine->pu[k].number);
    hwloc_bitmap_free(bound);
    hwloc_bitmap_free(mine);
    return status;
}

/// With one memory for all, the system's total is its size: hwloc reads /sys, which may
/// be absent (then it knows of none) or, on virtual machines, lag behind.
static void correct_memory(cairn_machine *machine)
{
    const int64_t total   = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    int           domains = 0;

    for (int k = 0; k < machine->nodes; k++)
        domains += strcmp(machine->node[k].kind, "numa") == 0;
    if (!machine->here || domains > 1) return;
    machine->memory_bytes = machine->domain[0].bytes = total;
    for (int k = 0; k < machine->nodes; k++)
        if (k == 0 || strcmp(machine->node[k].kind, "numa") == 0)
            machine->node[k].bytes = total;
}

static cairn_status
copy(cairn_env *env, hwloc_topology_t topology, cairn_machine *machine)
{
    CAIRN_TRY(cairn_tree_copy(env, topology, machine));
    machine->here        = hwloc_topology_is_thissystem(topology);
    machine->cache_bytes = last_level_cache(machine);
    CAIRN_TRY(find_binding(env, topology, machine));
    correct_memory(machine);
    return CAIRN_OK;
}

static cairn_status discover(cairn_env *env, bool cards, cairn_machine **machine)
{
    const char      *text = env->options.topology;
    hwloc_topology_t topology;
    cairn_machine   *fresh = NULL;
    cairn_status     status;

    CAIRN_TRY(load(env, cards, &topology));
    CAIRN_GO(destroy_topology, CAIRN_NEW_ZERO(env, 1, &fresh));
    CAIRN_GO(destroy_machine, copy(env, topology, fresh));
    name_machine(topology, text[0] && !looks_like_path(text), fresh);
    *machine = fresh;
    goto destroy_topology;

destroy_machine:
    cairn_machine_destroy(env, &fresh);
destroy_topology:
    hwloc_topology_destroy(topology);
    return status;
}

cairn_status cairn_machine_discover(cairn_env *env, cairn_machine **machine)
{
    return discover(env, false, machine);
}

cairn_status cairn_machine_survey(cairn_env           *env,
                                  const cairn_drivers *drivers,
                                  cairn_machine      **machine)
{
    cairn_machine *fresh = NULL;
    cairn_status   status;

    CAIRN_TRY(discover(env, true, &fresh));
    CAIRN_GO(destroy, drivers && fresh->here
                          ? cairn_machine_add_drivers(env, drivers, fresh)
                          : CAIRN_OK);
    *machine = fresh;
    return CAIRN_OK;

destroy:
    cairn_machine_destroy(env, &fresh);
    return status;
}

void cairn_machine_destroy(cairn_env *env, cairn_machine **machine)
{
    if (!*machine) return;
    cairn_free(env, (*machine)->node);
    cairn_free(env, (*machine)->pu);
    cairn_free(env, (*machine)->domain);
    cairn_free(env, *machine);
    *machine = NULL;
}
