// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which rows go to which rank, and entries on their way there.

#include "comm/move_entries.h"
#include "mpi_suite.h"
#include "random_format.h"

#include <math.h>

TestSuite(rows, .init = mpi_up, .fini = mpi_down, .timeout = 500);

/// Boundaries from 0 to the extent, in order, at grains where there are rows enough,
/// the same on every rank.
static bool well_formed(const cairn_rows *rows, cairn_coord extent, cairn_coord grain)
{
    bool ok = rows->size == size && rows->first[0] == 0 && rows->first[size] == extent;
    uint64_t sum = 0, same;

    for (int r = 0; r < size; r++) {
        ok  = ok && rows->first[r] <= rows->first[r + 1];
        ok  = ok && (extent < size * grain || rows->first[r] % grain == 0);
        sum = sum * 31 + (uint64_t)rows->first[r];
    }
    same = sum;
    comm->ops->broadcast(comm, &same, sizeof same, 0);
    return ok && same == sum;
}

Test(rows, equal_rows_are_cut_at_grains)
{
    static const cairn_coord cases[][2] = {
        {0,         1 },
        {1,         1 },
        {3,         1 },
        {100,       1 },
        {100,       8 },
        {101,       10},
        {7,         4 },
        {16,        4 },
        {INT64_MAX, 64}
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const cairn_coord extent = cases[k][0], grain = cases[k][1];
        cairn_rows        rows;
        bool              even = true;

        ON_ALL_RANKS(cairn_rows_equal(comm, extent, grain, &rows) == CAIRN_OK, "%s",
                     env.message);
        for (int r = 0; r < size; r++)
            even =
                even && rows.first[r + 1] - rows.first[r] - extent / size <= grain + 1;
        even = even && well_formed(&rows, extent, grain);
        cairn_rows_fini(&env, &rows);
        ON_ALL_RANKS(even, "extent %ld, grain %ld", (long)extent, (long)grain);
    }
}

/// This rank's part of n entries whose rows crowd at the begin.
static void crowd(cairn_entries *entries, cairn_pos n, cairn_coord extent)
{
    cairn_entries_init(entries, 2);
    for (cairn_pos p = n * rank / size; p < n * (rank + 1) / size; p++) {
        const cairn_pos   q   = p * 7919 % n; /* a mixed order */
        const cairn_coord row = (cairn_coord)((__int128)q * q / n * extent / n);

        cr_assert_eq(
            cairn_entries_add(&env, entries, (cairn_coord[]){row, p}, (double)p),
            CAIRN_OK);
    }
}

/// The largest number of entries that a rank would own.
static int64_t largest_share(const cairn_rows *rows, const cairn_entries *entries)
{
    int64_t share[16] = {0}, most = 0;

    for (cairn_pos p = 0; p < entries->n; p++)
        share[cairn_rows_owner(rows, entries->coord[0][p])]++;
    comm->ops->allreduce(comm, share, size, CAIRN_SUM);
    for (int r = 0; r < size; r++)
        most = share[r] > most ? share[r] : most;
    return most;
}

Test(rows, entries_are_balanced)
{
    static const struct {
        cairn_pos   n;
        cairn_coord extent, grain;
        int64_t     slack; /* entries above the equal share: of one grain */
    } cases[] = {
        {0,     0,         1,     0    },
        {0,     100,       8,     0    },
        {20000, 100000,    1,     20   },
        {20000, 100000,    8,     200  },
        {20000, INT64_MAX, 1,     20   },
        {20000, 5,         1,     9000 },
        {20000, 1,         1,     20000},
        {20000, 100000,    99999, 20000},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cairn_entries entries;
        cairn_rows    rows;

        crowd(&entries, cases[k].n, cases[k].extent);
        ON_ALL_RANKS(cairn_rows_by_entries(comm, &entries, cases[k].extent,
                                           cases[k].grain, NULL, &rows)
                         == CAIRN_OK,
                     "%s", env.message);

        const int64_t most = largest_share(&rows, &entries);
        const bool    ok   = well_formed(&rows, cases[k].extent, cases[k].grain);

        cairn_rows_fini(&env, &rows);
        cairn_entries_fini(&env, &entries);
        ON_ALL_RANKS(ok, "case %zu", k);
        ON_ALL_RANKS(most <= cases[k].n / size + cases[k].slack, "case %zu: %ld", k,
                     (long)most);
    }
}

/// Where a boundary is to be, found by trying all: the grain before which rows cost as nearly
/// as can be what the ranks before it are to take, the later one of two as near.
static cairn_coord nearest_cut(const cairn_row_costs *costs,
                               const int64_t         *before,
                               cairn_coord            extent,
                               cairn_coord            grain,
                               int                    rank_after)
{
    double      all = 0, mine = 0, least = INFINITY, goal;
    cairn_coord best = 0;

    for (int r = 0; r < size; r++) {
        all += (double)costs->speed[r];
        if (r < rank_after) mine += (double)costs->speed[r];
    }
    goal = floor(((double)costs->entry * (double)before[extent]
                  + (double)costs->row * (double)extent)
                 * mine / all);
    for (cairn_coord row = 0; row < extent + grain; row += grain) {
        const cairn_coord at = row < extent ? row : extent;
        const double      cost =
            (double)costs->entry * (double)before[at] + (double)costs->row * (double)at;

        if (fabs(cost - goal) < least
            || (fabs(cost - goal) == least && cost > goal && best == at - grain))
            least = fabs(cost - goal), best = at;
    }
    return best;
}

Test(rows, costs_of_ranks_are_as_their_speeds)
{
    enum { EXTENT = 300, ENTRIES = 700 };
    uint64_t state = 17;

    for (int k = 0; k < 60; k++) {
        int64_t           speed[16], before[EXTENT + 1] = {0};
        cairn_row_costs   costs = {.row   = random_below(&state, 50),
                                   .entry = random_below(&state, 9),
                                   .speed = speed};
        const cairn_coord grain = 1 + random_below(&state, 5);
        const int64_t     n     = k % 7 ? ENTRIES : 0;
        cairn_entries     entries;
        cairn_rows        rows;
        bool              good;

        costs.row += costs.entry == 0;
        for (int r = 0; r < size; r++)
            speed[r] = 1 + random_below(&state, 1 << 10);
        crowd(&entries, n, EXTENT);
        for (cairn_pos p = 0; p < entries.n; p++)
            before[entries.coord[0][p] + 1]++;
        for (int row = 0; row < EXTENT; row++)
            before[row + 1] += before[row];
        comm->ops->allreduce(comm, before, EXTENT + 1, CAIRN_SUM);
        ON_ALL_RANKS(cairn_rows_by_entries(comm, &entries, EXTENT, grain, &costs, &rows)
                         == CAIRN_OK,
                     "%s", env.message);
        good = well_formed(&rows, EXTENT, grain);
        for (int r = 1; r < size && (n > 0 || costs.row > 0); r++) {
            const cairn_coord want = nearest_cut(&costs, before, EXTENT, grain, r);
            const cairn_coord got  = rows.first[r];

            /* rows that cost nothing may go to either rank */
            good = good
                   && (got == want || (costs.row == 0 && before[got] == before[want]));
        }
        cairn_rows_fini(&env, &rows);
        cairn_entries_fini(&env, &entries);
        ON_ALL_RANKS(good, "case %d: %ld a row, %ld an entry, grain %ld", k,
                     (long)costs.row, (long)costs.entry, (long)grain);
    }
}

/// The largest of everything: no product of costs is beyond what it is counted in.
Test(rows, costs_may_be_large)
{
    int64_t           speed[16];
    cairn_row_costs   costs  = {.row = 1000000000, .entry = 1000000000, .speed = speed};
    const cairn_coord extent = (cairn_coord)1 << 61;
    cairn_entries     entries;
    cairn_rows        rows;
    int64_t           all = 0, first = 0;
    bool              good = true;

    for (int r = 0; r < size; r++)
        all += speed[r] = (1 << 20) - 1000 * r;
    crowd(&entries, 3000, extent);
    ON_ALL_RANKS(cairn_rows_by_entries(comm, &entries, extent, 1, &costs, &rows)
                     == CAIRN_OK,
                 "%s", env.message);
    for (int r = 0; r < size; first += speed[r++])
        good = good
               && fabs((double)rows.first[r] / (double)extent
                       - (double)first / (double)all)
                      < 1e-9;
    good = good && well_formed(&rows, extent, 1);
    cairn_rows_fini(&env, &rows);
    cairn_entries_fini(&env, &entries);
    ON_ALL_RANKS(good, "other rows than as speeds");
}

Test(rows, entries_move_to_their_owners_in_order)
{
    cairn_entries entries;
    cairn_rows    rows;
    bool          ok = true;

    cairn_comm_mpi_set_chunk(comm, 1000);
    crowd(&entries, 5000, 40);
    ON_ALL_RANKS(cairn_rows_by_entries(comm, &entries, 40, 1, NULL, &rows) == CAIRN_OK,
                 "%s", env.message);
    ON_ALL_RANKS(cairn_entries_to_owners(comm, &rows, &entries, NULL) == CAIRN_OK, "%s",
                 env.message);

    int64_t total = entries.n;

    comm->ops->allreduce(comm, &total, 1, CAIRN_SUM);
    ok = total == 5000;
    for (cairn_pos p = 0; p < entries.n; p++) {
        ok = ok && entries.coord[0][p] >= rows.first[rank]
             && entries.coord[0][p] < rows.first[rank + 1];
        ok = ok && entries.value[p] == (double)entries.coord[1][p];
        ok = ok && (p == 0 || entries.value[p - 1] < entries.value[p]);
    }
    cairn_rows_fini(&env, &rows);
    cairn_entries_fini(&env, &entries);
    ON_ALL_RANKS(ok, "rank %d", rank);
}

/// Values of one width, of which some have no other.
static double draw_value(uint64_t *state, int bytes)
{
    const uint64_t odd   = 0x7ff0000000000123;
    double         value = (double)(random_below(state, 256) - 128);

    switch (bytes) {
    case 1: return value;
    case 2: return value * 256 + 255;
    case 4: return random_chance(state, 20) ? -0.0 : value / 8;
    default:
        if (random_chance(state, 20)) memcpy(&value, &odd, sizeof value);
        return random_chance(state, 20) ? INFINITY : value / 3;
    }
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/// All entries of rank r are (r * 100 + k) % extents, and all ranks can draw them.
static void
draw_narrow(cairn_entries *e, int from, const cairn_coord *extent, int bytes)
{
    uint64_t state = 77 + (uint64_t)from;

    cairn_entries_init(e, 2);
    for (int k = 0; k < 100; k++) {
        const cairn_coord coord[] = {
            (cairn_coord)((uint64_t)(from * 100 + k) * 0x9e3779b97f4a7c15u
                          % (uint64_t)extent[0]),
            extent[1] - 1 - k};

        cairn_entries_add(&env, e, coord, draw_value(&state, bytes));
    }
}

/// What a rank has then: of each rank in turn what has its rows, with the bits that it had.
static bool is_narrow_share(const cairn_entries *e,
                            const cairn_rows    *rows,
                            const cairn_coord   *extent,
                            int                  bytes,
                            int64_t             *moved)
{
    cairn_pos at   = 0;
    bool      good = true;

    *moved = 0;
    for (int r = 0; r < size; r++) {
        cairn_entries its;

        draw_narrow(&its, r, extent, bytes);
        for (cairn_pos k = 0; k < its.n; k++) {
            const int owner = cairn_rows_owner(rows, its.coord[0][k]);

            *moved += owner != r;
            if (owner != rank) continue;
            good = good && at < e->n && e->coord[0][at] == its.coord[0][k]
                   && e->coord[1][at] == its.coord[1][k]
                   && same_bits(e->value[at], its.value[k]);
            at++;
        }
        cairn_entries_fini(&env, &its);
    }
    return good && at == e->n;
}

/// Every width that a coordinate and a value can have.
Test(rows, messages_are_as_narrow_as_what_they_have)
{
    const struct {
        cairn_coord extent[2];
        int         coords, value; ///< Bytes of an entry.
    } cases[] = {
        {{200, 256},           2,  1},
        {{200, 400},           3,  2},
        {{40000, 1 << 16},     4,  4},
        {{256, 70000},         5,  8},
        {{1 << 30, 1l << 32},  8,  4},
        {{1l << 40, 1l << 50}, 16, 8},
        {{1l << 40, 1l << 50}, 16, 1},
    };

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        cairn_entries      entries;
        cairn_entries_sent sent;
        cairn_rows         rows;
        int64_t            moved;

        draw_narrow(&entries, rank, cases[c].extent, cases[c].value);
        ON_ALL_RANKS(cairn_rows_equal(comm, cases[c].extent[0], 1, &rows) == CAIRN_OK
                         && cairn_entries_to_owners(comm, &rows, &entries, &sent)
                                == CAIRN_OK,
                     "%s", env.message);
        const bool good =
            is_narrow_share(&entries, &rows, cases[c].extent, cases[c].value, &moved);

        cairn_rows_fini(&env, &rows);
        cairn_entries_fini(&env, &entries);
        ON_ALL_RANKS(good, "case %zu", c);
        cr_expect_eq(sent.entries, moved, "case %zu", c);
        cr_expect(sent.bytes
                      == sent.entries * (cases[c].coords + cases[c].value)
                             + 8 * sent.messages,
                  "case %zu: %ld bytes for %ld", c, (long)sent.bytes,
                  (long)sent.entries);
    }
}
