// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What would go wrong with MPI. Open MPI loads a plug-in for each thing that it decided
/// to use, and unloads the others: which of them the process has is what is in force,
/// whatever variables and files say.

#include "comm/mpi/mpi.h"
#include "comm/mpi/state.h"
#include "comm/mpi/world.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The name and version that the library gives itself, on one line.
static void name_library(char *name, size_t size)
{
    char whole[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int  length                                = 0;

    MPI_Get_library_version(whole, &length);
    snprintf(name, size, "%.*s", (int)strcspn(whole, ",\n"), whole);
    for (char *c = name; *c; c++)
        if (*c == '\t') *c = ' ';
}

static const char *thread_level(int level)
{
    if (level == MPI_THREAD_SINGLE) return "single";
    if (level == MPI_THREAD_FUNNELED) return "funneled";
    return level == MPI_THREAD_SERIALIZED ? "serialized" : "multiple";
}

static void
check_level(const char *name, const cairn_comm *comm, cairn_diagnostics *findings)
{
    int level = MPI_THREAD_SINGLE, version = 0, minor = 0;

    MPI_Query_thread(&level);
    MPI_Get_version(&version, &minor);
    if (level < MPI_THREAD_FUNNELED)
        cairn_diagnostics_attention(
            findings, "mpi",
            "MPI_Init_thread() with MPI_THREAD_FUNNELED, or an MPI "
            "that was built with threads",
            "%s: started without threads, which Cairn has", name);
    else
        cairn_diagnostics_ok(findings, "mpi", "%s (MPI %d.%d), threads: %s; ranks: %d",
                             name, version, minor, thread_level(level), comm->size);
}

/// Started by a launcher that this library does not know, every process believes that it
/// is alone.
static void
check_launcher(const char *name, const cairn_comm *comm, cairn_diagnostics *findings)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const char *size = cairn_foreign_variable(sizes[k]);

        if (!size || atoi(size) < 2 || comm->size > 1) continue;
        cairn_diagnostics_attention(
            findings, "mpi",
            "start with the mpirun of the MPI that Cairn was built with",
            "the launcher has started %d processes, but %s sees one: they do not know "
            "of "
            "each other",
            atoi(size), name);
        return;
    }
}

/// Names of plug-ins of one framework: "self vader tcp".
typedef struct plugins {
    const char *prefix; ///< "mca_btl_"
    char        names[160];
} plugins;

static int note_plugin(struct dl_phdr_info *object, size_t size, void *user)
{
    plugins    *found = user;
    const char *slash = strrchr(object->dlpi_name, '/');
    const char *file  = slash ? slash + 1 : object->dlpi_name;
    size_t      n     = strlen(found->names);

    (void)size;
    if (strncmp(file, found->prefix, strlen(found->prefix)) == 0) {
        file += strlen(found->prefix);
        snprintf(found->names + n, sizeof found->names - n, "%s%.*s", n ? " " : "",
                 (int)strcspn(file, "."), file);
    }
    return 0;
}

static plugins find_plugins(const char *prefix)
{
    plugins found = {.prefix = prefix};

    dl_iterate_phdr(note_plugin, &found);
    return found;
}

/// Single copies between processes need a permission that some systems withhold.
static void check_copies(const plugins *btl, int local, cairn_diagnostics *findings)
{
    char line[16];

    if (local < 2 || !strstr(btl->names, "vader")
        || !cairn_read_line("/proc/sys/kernel/yama/ptrace_scope", line, sizeof line)
        || atoi(line) == 0)
        return;
    cairn_diagnostics_note(
        findings, "transport", "OMPI_MCA_btl_vader_single_copy_mechanism=none says so",
        "the system lets no process read another's memory (yama, scope %s): messages "
        "within a node are copied twice",
        line);
}

static void
check_transport(const cairn_comm *comm, int nodes, cairn_diagnostics *findings)
{
    const plugins pml = find_plugins("mca_pml_"), btl = find_plugins("mca_btl_");
    const plugins mtl = find_plugins("mca_mtl_");

    if (!pml.names[0]) return; /* Another MPI, or one without plug-ins. */
    cairn_diagnostics_ok(findings, "transport", "messages: pml %s; btl %s%s%s",
                         pml.names, btl.names[0] ? btl.names : "none",
                         mtl.names[0] ? "; mtl " : "", mtl.names);
    check_copies(&btl, comm->local_size, findings);
    if (nodes > 1 && strstr(pml.names, "ob1") && strstr(btl.names, "tcp"))
        cairn_diagnostics_note(
            findings, "transport",
            "mpirun --mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any",
            "between the nodes ob1 sends over TCP; UCX is usually faster");
}

/// Halos of cards, whatever MPI takes: the function is of MPI's extensions, which not all have.
static void check_cards(cairn_diagnostics *findings)
{
    static const char name[] = "MPIX_Query_cuda_support";
    int (*takes)(void)       = NULL;

    *(void **)&takes = dlsym(RTLD_DEFAULT, name);
    if (takes && takes() == 1)
        cairn_diagnostics_note(
            findings, "transport", "nothing: docs/limits.md",
            "%s says that this MPI takes cards' memory; halos of cards go through the "
            "host's all the same",
            name);
    else
        cairn_diagnostics_ok(
            findings, "transport", "halos of cards go through the host's memory; %s %s",
            name, takes ? "says that this MPI takes no other" : "is not of this MPI");
}

static bool has_fabric(void)
{
    return access("/sys/class/infiniband", F_OK) == 0;
}

/// A setting with which MPI does not start. Of Open MPI 4.1; seen there.
static void check_settings(cairn_diagnostics *findings)
{
    const char *pml = cairn_foreign_variable("OMPI_MCA_pml");
    const bool  any = cairn_foreign_variable("OMPI_MCA_pml_ucx_tls")
                     || cairn_foreign_variable("OMPI_MCA_opal_common_ucx_tls");

    if (pml && strcmp(pml, "ucx") == 0 && !any && !has_fabric())
        cairn_diagnostics_attention(
            findings, "transport",
            "OMPI_MCA_pml_ucx_tls=any "
            "OMPI_MCA_pml_ucx_devices=any, or leave OMPI_MCA_pml "
            "out",
            "OMPI_MCA_pml=ucx alone finds nothing to send by "
            "where there is no InfiniBand: "
            "MPI will not start");
}

/// What a distribution by the graph needs.
static void check_partition(cairn_diagnostics *findings)
{
    if (cairn_mpi_partition_check(findings->env) == CAIRN_OK)
        cairn_diagnostics_ok(findings, "graph",
                             "PT-Scotch is here, for formats @ graph");
    else
        cairn_diagnostics_note(
            findings, "graph",
            "install libptscotch-dev and build again, or distribute "
            "otherwise",
            "formats @ graph will be refused on several ranks: there is "
            "no PT-Scotch that this can use");
}

void cairn_mpi_check(const cairn_comm *comm, int nodes, cairn_diagnostics *findings)
{
    char name[128];
    int  running = 0, ended = 0;

    name_library(name, sizeof name);
    MPI_Initialized(&running);
    MPI_Finalized(&ended);
    if (strncmp(name, "Open MPI", strlen("Open MPI")) == 0) check_settings(findings);
    if (!running || ended) {
        cairn_diagnostics_ok(
            findings, "mpi",
            "%s; not started, for no launcher has started this process", name);
        return;
    }
    check_level(name, comm, findings);
    check_launcher(name, comm, findings);
    check_transport(comm, nodes, findings);
    check_cards(findings);
    check_partition(findings);
}
