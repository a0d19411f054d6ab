// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The graph of a matrix, and its partition.

#include "comm/graph.h"

#include "comm/move_entries.h"

#include <inttypes.h>
#include <string.h>

/// Every entry, with 1, and what mirrors it, with 0: so a row's values sum to its entries.
static cairn_status
mirror(cairn_env *env, const cairn_entries *entries, cairn_entries *both)
{
    CAIRN_TRY(cairn_entries_reserve(env, both, 2 * entries->n));
    for (cairn_pos k = 0; k < entries->n; k++) {
        const cairn_coord i = entries->coord[0][k], j = entries->coord[1][k];

        CAIRN_TRY(cairn_entries_add(env, both, (cairn_coord[]){i, j}, 1));
        if (i != j) CAIRN_TRY(cairn_entries_add(env, both, (cairn_coord[]){j, i}, 0));
    }
    return CAIRN_OK;
}

/// The lists of neighbours of rows first .. first+n-1, from sorted entries. Entries that
/// mirror each other are one edge.
static cairn_status list_edges(cairn_env           *env,
                               const cairn_entries *both,
                               cairn_coord          first,
                               cairn_comm_graph    *graph)
{
    int64_t *weight, *ptr, *idx, edges = 0;

    CAIRN_TRY(CAIRN_NEW(env, 2 * graph->n + 1 + both->n, &ptr));
    graph->ptr    = ptr;
    graph->weight = weight = ptr + graph->n + 1;
    graph->idx = idx = weight + graph->n;
    ptr[0]           = 0;
    for (cairn_pos k = 0, row = 0; row < graph->n; row++) {
        cairn_coord last = -1;

        weight[row] = 1;
        for (; k < both->n && both->coord[0][k] == first + row; k++) {
            const cairn_coord j = both->coord[1][k];

            weight[row] += both->value[k] != 0;
            if (j != first + row && j != last) idx[edges++] = j;
            last = j;
        }
        ptr[row + 1] = edges;
    }
    return CAIRN_OK;
}

cairn_status cairn_graph_owners(cairn_comm          *comm,
                                const cairn_shape   *shape,
                                const cairn_entries *entries,
                                const cairn_rows    *rows,
                                int64_t             *owner)
{
    const cairn_coord first = rows->first[comm->rank];
    cairn_comm_graph  graph = {.n = rows->first[comm->rank + 1] - first};
    cairn_entries     both;
    cairn_status      status;

    if (shape->order != 2 || shape->extent[0] != shape->extent[1])
        return cairn_fail(comm->env, CAIRN_BAD_SHAPE,
                          "format: distribution: @ graph: the matrix is not square");
    cairn_entries_init(&both, 2);
    CAIRN_GO(done, cairn_comm_agree(comm, mirror(comm->env, entries, &both)));
    CAIRN_GO(done, cairn_entries_to_owners(comm, rows, &both, NULL));
    status = cairn_entries_sort(comm->env, &both);
    if (status == CAIRN_OK) status = list_edges(comm->env, &both, first, &graph);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    status = comm->ops->partition(comm, &graph, owner);
done:
    cairn_free(comm->env, (void *)graph.ptr);
    cairn_entries_fini(comm->env, &both);
    return status;
}
