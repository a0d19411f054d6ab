// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows by a partition of the matrix's graph: neighbours on one rank, the same in every run,
/// and of square matrices alone.

#include "distributed.h"

TestSuite(graph, .init = up, .fini = down, .timeout = 800);

enum { GRID = 24, NODES = GRID * GRID };

/// A five-point stencil whose rows are numbered at random: by number, ranks need almost all
/// of X; by the grid, what is along a few lines.
static cairn_source *draw_shuffled(void)
{
    static int64_t coord[NODES * 5 * 2];
    static double  value[NODES * 5];
    int64_t        name[NODES], n = 0;
    const int64_t  extent[] = {NODES, NODES};
    uint64_t       state    = 5;
    cairn_source  *source   = NULL;

    for (int k = 0; k < NODES; k++) {
        const int j = random_below(&state, k + 1);

        name[k] = name[j];
        name[j] = k;
    }
    for (int i = 0; i < GRID && rank == 0; i++)
        for (int j = 0; j < GRID; j++)
            for (int k = 0; k < 5; k++) {
                const int a = i + (k == 1) - (k == 2), b = j + (k == 3) - (k == 4);

                if (a < 0 || b < 0 || a == GRID || b == GRID) continue;
                coord[2 * n]     = name[i * GRID + j];
                coord[2 * n + 1] = name[a * GRID + b];
                value[n++]       = k == 0 ? 4 : -1;
            }
    cairn_source_from_coords(all, 2, extent, n, coord, value, CAIRN_BY_NNZ, &source);
    return source;
}

/// Rows of X from other ranks, in a product that is right.
static bool find_halo(cairn_tensor *tensor, const cairn_source *source, int64_t *halo)
{
    cairn_plan     *plan = NULL;
    cairn_plan_info info = CAIRN_PLAN_INFO;
    int64_t         lo, hi;
    double          rel, abs;
    bool            good = cairn_plan_create_spmv(tensor, &plan) == CAIRN_OK;

    if (!good) return false;
    cairn_plan_columns(plan, &lo, &hi);
    for (int64_t j = lo; j < hi; j++)
        cairn_plan_x(plan)[j - lo] = x_at(j, 0);
    good = cairn_plan_run(plan, NULL, NULL) == CAIRN_OK
           && cairn_plan_verify(plan, source, &rel, &abs) == CAIRN_OK
           && cairn_plan_describe(plan, &info) == CAIRN_OK;
    *halo = info.halo;
    cairn_plan_destroy(&plan);
    return on_all_ranks(good);
}

Test(graph, the_graph_keeps_neighbours_together)
{
    cairn_source      *source = draw_shuffled();
    cairn_tensor      *plain = NULL, *graph = NULL, *again = NULL;
    int64_t            before = 0, halo = 0, own, most;
    known              wide;
    const cairn_status status = store(source, "csr", "nnz", &plain);

    ON_ALL_RANKS(status == CAIRN_OK && find_halo(plain, source, &before), "%s",
                 cairn_context_message(all));
    const cairn_status made = store(source, "csr", "graph", &graph);

    if (made == CAIRN_ATTENTION) { /* without the library: never another distribution */
        cr_expect(strstr(cairn_context_message(all), "PT-Scotch cannot be used here"));
    } else {
        ON_ALL_RANKS(made == CAIRN_OK && find_halo(graph, source, &halo)
                         && store(source, "csr", "graph", &again) == CAIRN_OK,
                     "%s", cairn_context_message(all));
        cr_expect(halo <= before / 3, "%ld rows of X travel, %ld by number", (long)halo,
                  (long)before);
        own = most = graph->local->part[0].nnz;
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        cr_expect(most * size <= 1.25 * 5 * NODES, "%ld entries on a rank", (long)most);
        cr_expect(same_rows(graph, again)
                      && memcmp(cairn_tensor_places(graph), cairn_tensor_places(again),
                                (size_t)(graph->rows.first[rank + 1]
                                         - graph->rows.first[rank])
                                    * sizeof own)
                             == 0,
                  "another run, another partition");
    }
    cairn_tensor_destroy(&plain);
    cairn_tensor_destroy(&graph);
    cairn_tensor_destroy(&again);
    cairn_source_destroy(&source);
    draw_known(all, &wide, SIDE - 1);
    ON_ALL_RANKS(store(wide.source, "csr", "graph", &graph) == CAIRN_BAD_SHAPE
                     && strstr(cairn_context_message(all), "the matrix is not square"),
                 "%s", cairn_context_message(all));
    cairn_source_destroy(&wide.source);
}
