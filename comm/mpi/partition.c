// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Partition of graphs by PT-Scotch, a library that is opened when it is first asked for: its
/// headers are needed to build this, and without them, or without the library, the call says
/// so. One thread, one seed. It waits for other ranks by itself, so that all come to a barrier
/// before, whose wait is reported.

#include "comm/mpi/state.h"

#include <string.h>

#ifdef CAIRN_WITH_PTSCOTCH

#    include <dlfcn.h>
#    include <ptscotch.h>
#    include <stdio.h>

/* Functions of the library, by their names. */
#    define FUNCTIONS(X)       \
        X(numSizeof)           \
        X(contextInit)         \
        X(contextExit)         \
        X(contextThreadSpawn)  \
        X(contextOptionSetNum) \
        X(contextRandomClone)  \
        X(contextRandomSeed)   \
        X(contextRandomReset)  \
        X(contextBindDgraph)   \
        X(dgraphInit)          \
        X(dgraphBuild)         \
        X(dgraphPart)          \
        X(dgraphExit)          \
        X(stratInit)           \
        X(stratExit)

typedef struct {
    void *handle;
#    define X(name) __typeof__(&SCOTCH_##name) name;
    FUNCTIONS(X)
#    undef X
} scotch;

static cairn_status missing(cairn_env *env, const char *why)
{
    return cairn_fail(
        env, CAIRN_ATTENTION,
        "format: distribution: @ graph: PT-Scotch cannot be used here: %s", why);
}

/// Open the library of the headers' version. It stays open: what threads and exits have of it
/// must not be unmapped.
static cairn_status open_library(cairn_env *env, scotch *lib)
{
    char name[64];

    snprintf(name, sizeof name, "libptscotch-%d.%d.so", SCOTCH_VERSION, SCOTCH_RELEASE);
    lib->handle = dlopen(name, RTLD_NOW);
    if (!lib->handle) lib->handle = dlopen("libptscotch.so", RTLD_NOW);
    if (!lib->handle) return missing(env, dlerror());
#    define X(function)                                                     \
        *(void **)&lib->function = dlsym(lib->handle, "SCOTCH_" #function); \
        if (!lib->function) return missing(env, "it has no SCOTCH_" #function);
    FUNCTIONS(X)
#    undef X
    if (lib->numSizeof() != (int)sizeof(SCOTCH_Num))
        return missing(env, "its numbers are not those that this was built for");
    return CAIRN_OK;
}

/// A graph in the library's numbers: ptr [n+1], weight [n], idx, part [n].
typedef struct {
    SCOTCH_Num *ptr, *weight, *idx, *part;
} numbers;

static cairn_status
as_numbers(cairn_env *env, const cairn_comm_graph *graph, int64_t total, numbers *own)
{
    const int64_t    n = graph->n, edges = graph->ptr[n];
    const SCOTCH_Num most = sizeof(SCOTCH_Num) == 4 ? INT32_MAX : (SCOTCH_Num)INT64_MAX;

    CAIRN_CHECK(
        total <= (int64_t)most, env, CAIRN_UNSUPPORTED,
        "format: distribution: @ graph: more rows and entries than the numbers of "
        "this PT-Scotch count");
    CAIRN_TRY(CAIRN_NEW(env, 3 * n + 1 + edges, &own->ptr));
    own->weight = own->ptr + n + 1;
    own->part   = own->weight + n;
    own->idx    = own->part + n;
    for (int64_t k = 0; k <= n; k++)
        own->ptr[k] = (SCOTCH_Num)graph->ptr[k];
    for (int64_t k = 0; k < n; k++)
        own->weight[k] = (SCOTCH_Num)graph->weight[k];
    for (int64_t k = 0; k < edges; k++)
        own->idx[k] = (SCOTCH_Num)graph->idx[k];
    return CAIRN_OK;
}

/// Between beginning and end of the library's objects. @return 0, or the call that failed.
static const char *
cut(const scotch *lib, cairn_comm *comm, int64_t n, const numbers *own)
{
    SCOTCH_Context   context;
    SCOTCH_Dgraph    graph, bound;
    SCOTCH_Strat     strategy;
    const SCOTCH_Num count  = (SCOTCH_Num)n;
    const SCOTCH_Num edges  = own->ptr[n];
    const char      *failed = NULL;

    if (lib->contextInit(&context)) return "contextInit";
    lib->stratInit(&strategy);
    if (lib->dgraphInit(&graph, cairn_mpi_state_of(comm)->comm)) {
        failed = "dgraphInit";
    } else {
        if (lib->contextThreadSpawn(&context, 1, NULL)
            || lib->contextRandomClone(&context)
            || lib->contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1))
            failed = "context";
        lib->contextRandomSeed(&context, 1);
        lib->contextRandomReset(&context);
        if (!failed
            && lib->dgraphBuild(&graph, 0, count, count, own->ptr, own->ptr + 1,
                                own->weight, NULL, edges, edges, own->idx, NULL, NULL))
            failed = "dgraphBuild";
        if (!failed && lib->contextBindDgraph(&context, &graph, &bound))
            failed = "contextBindDgraph";
        if (!failed) {
            if (lib->dgraphPart(&bound, comm->size, &strategy, own->part))
                failed = "dgraphPart";
            lib->dgraphExit(&bound);
        }
        lib->dgraphExit(&graph);
    }
    lib->stratExit(&strategy);
    lib->contextExit(&context);
    return failed;
}

cairn_status
cairn_mpi_partition(cairn_comm *comm, const cairn_comm_graph *graph, int64_t *part)
{
    scotch       lib   = {.handle = NULL};
    numbers      own   = {NULL, NULL, NULL, NULL};
    int64_t      total = graph->n + graph->ptr[graph->n];
    cairn_status status;

    if (comm->size == 1) {
        memset(part, 0, (size_t)graph->n * sizeof *part);
        return CAIRN_OK;
    }
    CAIRN_TRY(comm->ops->allreduce(comm, &total, 1, CAIRN_SUM));
    status = open_library(comm->env, &lib);
    if (status == CAIRN_OK) status = as_numbers(comm->env, graph, total, &own);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->barrier(comm));
    if (total > 0) {
        const char *failed = cut(&lib, comm, graph->n, &own);

        if (failed) status = missing(comm->env, failed);
        CAIRN_GO(done, cairn_comm_agree(comm, status));
    }
    for (int64_t k = 0; k < graph->n; k++)
        part[k] = own.part[k];
done:
    cairn_free(comm->env, own.ptr);
    return status;
}

cairn_status cairn_mpi_partition_check(cairn_env *env)
{
    scotch lib = {.handle = NULL};

    return open_library(env, &lib);
}

#else

cairn_status
cairn_mpi_partition(cairn_comm *comm, const cairn_comm_graph *graph, int64_t *part)
{
    if (comm->size == 1) {
        memset(part, 0, (size_t)graph->n * sizeof *part);
        return CAIRN_OK;
    }
    return cairn_comm_agree(comm, cairn_mpi_partition_check(comm->env));
}

cairn_status cairn_mpi_partition_check(cairn_env *env)
{
    return cairn_fail(
        env, CAIRN_ATTENTION,
        "format: distribution: @ graph: PT-Scotch cannot be used here: this "
        "was built without it");
}

#endif
