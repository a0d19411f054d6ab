// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every rank checks its own matters, and the first of each node those of the node; the
/// findings are gathered, and alike ones become one that says whose it is.

#include "api/door.h"
#include "devices/checkup.h"
#include "devices/domains.h"
#include "devices/kinds.h"
#include "plan/affinity.h"

#ifdef CAIRN_WITH_MPI
#    include "comm/mpi/world.h"
#endif

#include <stdio.h>
#include <string.h>

/// A finding on its way: of a rank, or of all ranks of its node.
typedef struct traveller {
    int              rank;
    bool             whole_node;
    cairn_diagnostic finding;
} traveller;

/// The findings of all ranks, merged.
typedef struct summary {
    cairn_env        *env;
    int               ranks;
    const int        *node;    ///< [ranks] first rank of each rank's node
    int64_t           count;   ///< different ones
    cairn_diagnostic *finding; ///< [all]
    bool             *whose;   ///< [all][ranks]
} summary;

const char *cairn_diagnostic_level_name(int level)
{
    static const char *const names[] = {
        [CAIRN_DIAGNOSTIC_OK]        = "ok",
        [CAIRN_DIAGNOSTIC_NOTE]      = "note",
        [CAIRN_DIAGNOSTIC_ATTENTION] = "attention",
    };

    return level >= 0 && level < (int)(sizeof names / sizeof names[0]) ? names[level]
                                                                       : "unknown";
}

static cairn_checkup_rank rank_of(const cairn_context *context)
{
    return (cairn_checkup_rank){.machine      = context->devices->machine,
                                .threads      = (int)context->env.options.threads,
                                .ranks        = context->comm->local_size,
                                .memory_limit = context->env.memory_limit};
}

/// The devices of a run, and whether the machine is the real one.
static void check_devices(const cairn_context *context, cairn_diagnostics *findings)
{
    const cairn_devices *devices = context->devices;
    char                 ids[256];
    size_t               n = 0;

    for (int k = 0; k < devices->count && n < sizeof ids; k++)
        n += (size_t)snprintf(ids + n, sizeof ids - n, "%s%s", n ? " " : "",
                              devices->device[k].info.id);
    cairn_diagnostics_ok(findings, "devices", "%s", devices->count ? ids : "none");
    if (!devices->machine->here)
        cairn_diagnostics_note(
            findings, "devices", "unset CAIRN_TOPOLOGY for real runs",
            "CAIRN_TOPOLOGY describes another machine: cores and caches "
            "are its, not this one's");
}

/// Several devices that are the processor: are their threads bound to their cores?
static void check_pins(const cairn_context *context, cairn_diagnostics *findings)
{
    const cairn_devices *devices = context->devices;
    const int            ranks   = context->comm->local_size;
    int                  hosts = 0, threads = 0;
    char                 text[256], cores[64];
    size_t               n = 0;

    for (int k = 0; k < devices->count; k++) {
        const cairn_device *device = &devices->device[k];

        if (!cairn_device_is_host(device)) continue;
        hosts++;
        threads += device->info.threads;
        cairn_pu_set_print(&device->info.bound, cores, sizeof cores);
        if (n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s on processors %s",
                                  n ? ", " : "", device->info.id, cores);
    }
    if (hosts < 2) return;
    if (cairn_affinity_fit(devices->machine, threads, ranks))
        cairn_diagnostics_ok(findings, "binding", "%s", text);
    else
        cairn_diagnostics_note(
            findings, "binding", "fewer threads, or ranks that are bound to cores",
            "threads of the processor's %d devices run anywhere: %d "
            "threads of each of %d rank%s, %d processors",
            hosts, threads, ranks, ranks == 1 ? "" : "s", devices->machine->pus);
}

/// Devices that runs use only if they are asked for are looked at all the same, if there
/// are any.
static cairn_status check_asked(cairn_context *context, cairn_diagnostics *findings)
{
    const cairn_device_ops *kind;
    cairn_devices          *devices = NULL;

    for (int k = 0; (kind = cairn_device_kind_at(k)); k++) {
        bool here = false;

        for (int d = 0; d < context->devices->count; d++)
            here |= strcmp(context->devices->device[d].info.kind, kind->kind) == 0;
        if (here || kind->presence != CAIRN_PRESENT_ASKED || !kind->check
            || kind->count(context->devices->machine) == 0)
            continue;
        const cairn_status status =
            cairn_devices_open(&context->env, "doctor", kind->kind, &devices);

        if (status == CAIRN_NO_MEMORY) return status;
        if (status != CAIRN_OK) {
            cairn_diagnostics_attention(findings, kind->kind, "", "%s",
                                        cairn_message(&context->env));
            continue;
        }
        if (devices->device[0].ops.measure)
            devices->device[0].ops.measure(&devices->device[0]);
        kind->check(&devices->device[0], context->comm->local_size, findings);
        cairn_devices_close(&context->env, &devices);
    }
    return CAIRN_OK;
}

/// Each kind looks after itself; the processor also where the list leaves it out, since
/// it does what other devices leave.
static void check_kinds(const cairn_context *context, cairn_diagnostics *findings)
{
    cairn_devices      *devices = context->devices;
    const cairn_device *host    = cairn_devices_host(devices);
    const int           ranks   = context->comm->local_size;

    for (int k = 0; k < devices->count; k++) {
        const cairn_device *device = &devices->device[k];
        bool                first  = true;

        for (int before = 0; before < k; before++)
            if (strcmp(devices->device[before].info.kind, device->info.kind) == 0)
                first = false;
        if (!first || !device->ops.check) continue;
        if (device->ops.presence == CAIRN_PRESENT_ASKED && device->ops.measure)
            device->ops.measure(&devices->device[k]);
        device->ops.check(device, ranks, findings);
    }
    if (host == &devices->spare && host->ops.check)
        host->ops.check(host, ranks, findings);
}

static cairn_status check_drivers(cairn_context *context, cairn_diagnostics *findings)
{
    cairn_env     *env     = &context->env;
    cairn_drivers *drivers = NULL;
    cairn_machine *survey  = NULL;
    cairn_status   status;

    CAIRN_TRY(CAIRN_NEW(env, 1, &drivers));
    cairn_drivers_ask(drivers);
    CAIRN_GO(free_drivers, cairn_machine_survey(env, drivers, &survey));
    cairn_checkup_drivers(drivers, survey, findings);
    cairn_machine_destroy(env, &survey);

free_drivers:
    cairn_free(env, drivers);
    return status;
}

/// What is each rank's own.
static void
check_rank(const cairn_context *context, int nodes, cairn_diagnostics *findings)
{
    const cairn_checkup_rank rank = rank_of(context);

#ifdef CAIRN_WITH_MPI
    cairn_mpi_check(context->comm, nodes, findings);
#else
    (void)nodes;
    cairn_diagnostics_note(findings, "mpi", "", "this library was built without MPI");
#endif
    cairn_checkup_threads(&rank, findings);
    check_devices(context, findings);
    check_pins(context, findings);
}

/// What the ranks of a node have in common.
static cairn_status check_node(cairn_context *context, cairn_diagnostics *findings)
{
    const cairn_checkup_rank rank = rank_of(context);

    check_kinds(context, findings);
    cairn_checkup_memory(&rank, findings);
    CAIRN_TRY(check_drivers(context, findings));
    CAIRN_TRY(check_asked(context, findings));
    cairn_checkup_clock(&rank, findings);
    return CAIRN_OK;
}

/// Check, and make the findings ready to travel.
static cairn_status
look(cairn_context *context, int nodes, traveller **own, int64_t *count)
{
    const int         rank     = context->comm->rank;
    cairn_diagnostics findings = {.env = &context->env};
    int64_t           common   = 0;
    cairn_status      status   = cairn_context_devices(context);

    if (status == CAIRN_OK) check_rank(context, nodes, &findings);
    common = findings.count;
    if (status == CAIRN_OK && context->comm->node == rank)
        status = check_node(context, &findings);
    if (status == CAIRN_OK) status = findings.status;
    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(&context->env, findings.count, own);
    for (int64_t k = 0; k < findings.count && status == CAIRN_OK; k++)
        (*own)[k] = (traveller){rank, k >= common, findings.finding[k]};
    *count = findings.count;
    cairn_free(&context->env, findings.finding);
    return status;
}

/// Number of the finding in the summary; it is added where there is none like it.
static int64_t find_alike(summary *all, const cairn_diagnostic *finding)
{
    int64_t k = 0;

    while (k < all->count && memcmp(&all->finding[k], finding, sizeof *finding) != 0)
        k++;
    if (k == all->count) all->finding[all->count++] = *finding;
    return k;
}

static void add(summary *all, const traveller *traveller)
{
    bool *whose = all->whose + find_alike(all, &traveller->finding) * all->ranks;

    for (int rank = 0; rank < all->ranks; rank++)
        if (traveller->whole_node ? all->node[rank] == traveller->rank
                                  : rank == traveller->rank)
            whose[rank] = true;
}

/// "2-3, 7"; "" for all; what does not fit ends with dots.
static void name_ranks(const bool *whose, int ranks, char *text, size_t size)
{
    size_t n = 0;

    text[0] = '\0';
    if (!memchr(whose, false, (size_t)ranks)) return;
    for (int first = 0; first < ranks; first++) {
        int last = first;

        if (!whose[first]) continue;
        while (last + 1 < ranks && whose[last + 1])
            last++;
        if (n + 32 > size) {
            snprintf(text + n, size - n, ", ...");
            return;
        }
        n += (size_t)snprintf(text + n, size - n, "%s%d", n ? ", " : "", first);
        if (last > first) n += (size_t)snprintf(text + n, size - n, "-%d", last);
        first = last;
    }
}

/// Put alike findings together.
static cairn_status merge(summary *all, const traveller *traveller, int64_t count)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(all->env, count, &all->finding));
    CAIRN_TRY(CAIRN_NEW_ZERO(all->env, count * all->ranks, &all->whose));
    for (int64_t k = 0; k < count; k++)
        add(all, &traveller[k]);
    for (int64_t k = 0; k < all->count; k++)
        name_ranks(all->whose + k * all->ranks, all->ranks, all->finding[k].ranks,
                   sizeof all->finding[k].ranks);
    return CAIRN_OK;
}

/// List the node of every rank, and count the nodes.
static cairn_status list_nodes(cairn_comm *comm, int **node, int *nodes)
{
    cairn_status status =
        cairn_comm_agree(comm, CAIRN_NEW(comm->env, comm->size, node));

    if (status == CAIRN_OK)
        status = comm->ops->allgather(comm, &comm->node, sizeof comm->node, *node);
    *nodes = 0;
    for (int rank = 0; rank < comm->size && status == CAIRN_OK; rank++)
        *nodes += (*node)[rank] == rank;
    return status;
}

cairn_status cairn_doctor_sized(cairn_context     *context,
                                size_t             size,
                                int               *count,
                                cairn_diagnostic **diagnostics)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_ELEMENT(size), CAIRN_GIVEN(count),
                         CAIRN_GIVEN(diagnostics));
    cairn_doing(&context->env, "looking at the machine");

    cairn_env   *env  = &context->env;
    cairn_comm  *comm = context->comm;
    traveller   *own = NULL, *everybody = NULL;
    int64_t      n = 0, gathered = 0;
    int         *node = NULL, nodes;
    summary      all  = {.env = env, .ranks = comm->size};
    cairn_status status;

    CAIRN_GO(done, list_nodes(comm, &node, &nodes));
    CAIRN_GO(done, cairn_comm_agree(comm, look(context, nodes, &own, &n)));
    CAIRN_GO(done, cairn_comm_gather(comm, own, n, sizeof *own, (void **)&everybody,
                                     &gathered));
    all.node = node;
    CAIRN_GO(done, cairn_comm_agree(comm, merge(&all, everybody, gathered)));
    CAIRN_GO(done, cairn_list_fit(comm, size, sizeof *all.finding, all.count,
                                  (void **)&all.finding));
    *count       = (int)all.count;
    *diagnostics = all.finding;
    all.finding  = NULL;

done:
    cairn_free(env, all.finding);
    cairn_free(env, all.whose);
    cairn_free(env, everybody);
    cairn_free(env, own);
    cairn_free(env, node);
    return status;
}

void cairn_diagnostics_free(cairn_context *context, cairn_diagnostic **diagnostics)
{
    if (!context || !diagnostics) return;
    cairn_free(&context->env, *diagnostics);
    *diagnostics = NULL;
}
