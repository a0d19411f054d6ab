// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows as the text of a format cuts them.

#include "comm/distribute_text.h"

#include "comm/graph.h"
#include "format/distribution.h"

#include <inttypes.h>

/* Rows that a rank looks at one by one: some ten seconds. */
static const cairn_coord MOST_ROWS = (cairn_coord)1 << 31;

/// An expression, and what it is asked about.
typedef struct {
    const cairn_expr *expr;
    cairn_coord       extent;
    int               ranks;
} owner_map;

/// What a rank found in its share of the rows: the first that goes nowhere, and the first
/// that goes to a rank below that of the row before; the extent where there is none.
typedef struct {
    int64_t nowhere, below;
} faults;

/// The rank of a row, or -1: there is none.
static int64_t owner_at(const owner_map *map, cairn_coord row)
{
    int64_t value;

    return cairn_distribution_at(map->expr, row, map->ranks, &value) && value >= 0
                   && value < map->ranks
               ? value
               : -1;
}

static cairn_status goes_nowhere(cairn_env *env, const owner_map *map, cairn_coord row)
{
    int64_t value;

    if (!cairn_distribution_at(map->expr, row, map->ranks, &value))
        return cairn_fail(env, CAIRN_BAD_QUERY,
                          "format: distribution: row %" PRId64
                          " has no rank: a number is beyond 64 bits or a divisor not "
                          "positive, on %d rank%s",
                          row, map->ranks, map->ranks == 1 ? "" : "s");
    return cairn_fail(env, CAIRN_BAD_QUERY,
                      "format: distribution: row %" PRId64 " goes to rank %" PRId64
                      ", but there %s 0..%d",
                      row, value, map->ranks == 1 ? "is only" : "are only ranks",
                      map->ranks - 1);
}

/// By the expression alone. @return False where it does not tell.
static bool find_faults(const owner_map *map, faults *found)
{
    const cairn_interval rows = {0, map->extent - 1};
    cairn_row_values     values;

    *found = (faults){map->extent, map->extent};
    if (map->extent == 0) return true;
    if (!cairn_distribution_over(map->expr, rows, map->ranks, &values)
        || values.trend == CAIRN_TREND_OTHER)
        return false;
    if (owner_at(map, 0) < 0)
        found->nowhere = 0;
    else if (owner_at(map, map->extent - 1) < 0)
        found->nowhere = map->extent - 1;
    if (values.trend == CAIRN_TREND_FALLS && values.range.lo < values.range.hi)
        found->below = map->extent - 1;
    return true;
}

/// By a look at every row of this rank's share, and at the one before.
static void look_at_rows(const owner_map *map, int rank, faults *found)
{
    const cairn_coord first = (cairn_coord)((__int128)map->extent * rank / map->ranks);
    const cairn_coord end =
        (cairn_coord)((__int128)map->extent * (rank + 1) / map->ranks);
    int64_t before = first > 0 && first < end ? owner_at(map, first - 1) : 0;

    *found = (faults){map->extent, map->extent};
    for (cairn_coord row = first; row < end; row++) {
        const int64_t owner = owner_at(map, row);

        if (owner < 0) {
            found->nowhere = row;
            return;
        }
        if (owner < before && found->below == map->extent) found->below = row;
        before = owner;
    }
}

/// The first row that goes to @p rank or one above; owners ascend.
static cairn_coord first_row(const owner_map *map, int rank)
{
    cairn_coord low = 0, high = map->extent;

    while (low < high) {
        const cairn_coord middle = low + (high - low) / 2;

        if (owner_at(map, middle) < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static cairn_status cut_by_map(cairn_comm       *comm,
                               const cairn_expr *expr,
                               cairn_coord       extent,
                               cairn_rows       *rows,
                               bool             *scattered)
{
    const owner_map map = {expr, extent, comm->size};
    faults          found;

    if (!find_faults(&map, &found)) {
        if (extent / comm->size > MOST_ROWS)
            return cairn_fail(comm->env, CAIRN_UNSUPPORTED,
                              "format: distribution: what ranks these rows have shows "
                              "row by row alone, and there are %" PRId64
                              ": not in this version",
                              extent);
        look_at_rows(&map, comm->rank, &found);
        CAIRN_TRY(comm->ops->allreduce(comm, &found.nowhere, 1, CAIRN_MIN));
        CAIRN_TRY(comm->ops->allreduce(comm, &found.below, 1, CAIRN_MIN));
    }
    if (found.nowhere < extent) return goes_nowhere(comm->env, &map, found.nowhere);
    if (scattered) *scattered = found.below < extent;
    if (found.below < extent && scattered) return CAIRN_OK;
    if (found.below < extent)
        return cairn_fail(comm->env, CAIRN_UNSUPPORTED,
                          "format: distribution: row %" PRId64
                          " goes to a rank below that of a row before it: ranks have "
                          "consecutive rows here",
                          found.below);
    CAIRN_TRY(cairn_rows_equal(comm, extent, 1, rows));
    for (int r = 1; r < comm->size; r++)
        rows->first[r] = first_row(&map, r);
    return CAIRN_OK;
}

static cairn_status not_here(cairn_env *env, const char *what)
{
    return cairn_fail(env, CAIRN_UNSUPPORTED,
                      "format: distribution: @ %s: not in this version", what);
}

cairn_status cairn_rows_by_text(cairn_comm               *comm,
                                const cairn_distribution *distribution,
                                cairn_coord               extent,
                                cairn_coord               grain,
                                cairn_rows               *rows,
                                bool                     *cut,
                                bool                     *scattered)
{
    int p, q;

    *cut = false;
    if (scattered) *scattered = false;
    switch (distribution->kind) {
    case CAIRN_DISTRIBUTION_UNSAID:
    case CAIRN_DISTRIBUTION_NNZ:
    case CAIRN_DISTRIBUTION_COST: return CAIRN_OK;
    case CAIRN_DISTRIBUTION_GRAPH:
        if (!scattered) return not_here(comm->env, "graph");
        *scattered = true;
        return CAIRN_OK;
    case CAIRN_DISTRIBUTION_ROWS:
        CAIRN_TRY(cairn_rows_equal(comm, extent, grain, rows));
        break;
    case CAIRN_DISTRIBUTION_MAP:
        CAIRN_TRY(cut_by_map(comm, distribution->a, extent, rows, scattered));
        if (scattered && *scattered) return CAIRN_OK;
        break;
    case CAIRN_DISTRIBUTION_BLOCKS:
        CAIRN_TRY(
            cairn_column_parts_count(comm->env, distribution, comm->size, &p, &q));
        if (!scattered) return not_here(comm->env, "blocks<p,q>");
        *scattered = true;
        return CAIRN_OK;
    }
    *cut = true;
    return CAIRN_OK;
}

/// Row parts have equal counts of entries: boundaries of as many cuts as ranks, of which
/// each q-th counts.
static cairn_status create_blocks(cairn_comm               *comm,
                                  const cairn_distribution *distribution,
                                  const cairn_shape        *shape,
                                  cairn_coord               grain,
                                  const cairn_entries      *entries,
                                  cairn_renumbering       **renumbering)
{
    cairn_rows rows = {0};
    int        p, q;

    CAIRN_TRY(cairn_column_parts_count(comm->env, distribution, comm->size, &p, &q));
    CAIRN_CHECK(
        shape->order == 2, comm->env, CAIRN_BAD_SHAPE,
        "format: distribution: @ blocks<%d,%d>: the tensor has order %d, and is "
        "no matrix",
        p, q, shape->order);
    CAIRN_TRY(
        cairn_rows_by_entries(comm, entries, shape->extent[0], grain, NULL, &rows));
    const cairn_status status =
        cairn_renumbering_create_parts(comm, p, q, shape, rows.first, renumbering);

    cairn_rows_fini(comm->env, &rows);
    return status;
}

cairn_status cairn_renumbering_by_text(cairn_comm               *comm,
                                       const cairn_distribution *distribution,
                                       const cairn_shape        *shape,
                                       cairn_coord               grain,
                                       const cairn_entries      *entries,
                                       cairn_renumbering       **renumbering)
{
    if (distribution->kind == CAIRN_DISTRIBUTION_BLOCKS)
        return create_blocks(comm, distribution, shape, grain, entries, renumbering);

    const owner_map map   = {distribution->a, shape->extent[0], comm->size};
    cairn_rows      rows  = {0};
    int64_t        *owner = NULL;
    cairn_status    status;

    CAIRN_TRY(cairn_rows_equal(comm, shape->extent[0], 1, &rows));
    const cairn_coord first = rows.first[comm->rank], end = rows.first[comm->rank + 1];

    CAIRN_GO(done, cairn_comm_agree(comm, CAIRN_NEW(comm->env, end - first, &owner)));
    if (distribution->kind == CAIRN_DISTRIBUTION_GRAPH)
        CAIRN_GO(done, cairn_graph_owners(comm, shape, entries, &rows, owner));
    else
        for (cairn_coord row = first; row < end; row++)
            owner[row - first] = owner_at(&map, row);
    status = cairn_renumbering_create(comm, &rows, owner, cairn_renumbers_all(shape),
                                      renumbering);
done:
    cairn_free(comm->env, owner);
    cairn_rows_fini(comm->env, &rows);
    return status;
}
