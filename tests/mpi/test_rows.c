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
                                           cases[k].grain, &rows)
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

Test(rows, entries_move_to_their_owners_in_order)
{
    cairn_entries entries;
    cairn_rows    rows;
    bool          ok = true;

    cairn_comm_mpi_set_chunk(comm, 1000);
    crowd(&entries, 5000, 40);
    ON_ALL_RANKS(cairn_rows_by_entries(comm, &entries, 40, 1, &rows) == CAIRN_OK, "%s",
                 env.message);
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
