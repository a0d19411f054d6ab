// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Row ownership on one process, and for other sizes where no message is needed.

#include "comm/move_entries.h"

#include <criterion/criterion.h>

static cairn_env   env;
static cairn_comm *comm;

static void up(void)
{
    cairn_env_init(&env);
    cr_assert_eq(cairn_comm_self(&env, &comm), CAIRN_OK);
}

static void down(void)
{
    cairn_comm_destroy(&comm);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

TestSuite(distribute, .init = up, .fini = down, .timeout = 240);

Test(distribute, one_process_owns_every_row)
{
    const cairn_coord extents[] = {0, 1, 10, INT64_MAX};

    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++) {
        cairn_entries entries;
        cairn_rows    rows;

        cairn_entries_init(&entries, 2);
        cr_assert_eq(cairn_rows_equal(comm, extents[k], 4, &rows), CAIRN_OK);
        cr_expect(rows.size == 1 && rows.first[0] == 0 && rows.first[1] == extents[k]);
        cairn_rows_fini(&env, &rows);
        cr_assert_eq(cairn_rows_by_entries(comm, &entries, extents[k], 4, NULL, &rows),
                     CAIRN_OK);
        cr_expect(rows.size == 1 && rows.first[0] == 0 && rows.first[1] == extents[k]);
        cr_assert_eq(cairn_entries_to_owners(comm, &rows, &entries, NULL), CAIRN_OK);
        cairn_rows_fini(&env, &rows);
    }
}

Test(distribute, owners_skip_ranks_without_rows)
{
    cairn_coord      first[] = {0, 0, 3, 3, 3, 10, 10};
    const cairn_rows rows    = {.size = 6, .first = first};

    for (cairn_coord row = 0; row < 3; row++)
        cr_expect_eq(cairn_rows_owner(&rows, row), 1);
    for (cairn_coord row = 3; row < 10; row++)
        cr_expect_eq(cairn_rows_owner(&rows, row), 4);
}

Test(distribute, records_to_oneself_are_copied)
{
    const int64_t send[] = {1, 2, 3}, counts[] = {3};
    int64_t       recv_counts[1];
    int64_t      *recv = NULL;

    cr_assert_eq(
        cairn_comm_exchange(comm, send, counts, 8, (void **)&recv, recv_counts),
        CAIRN_OK);
    cr_expect_eq(recv_counts[0], 3);
    cr_expect_arr_eq(recv, send, sizeof send);
    cairn_free(&env, recv);
}

Test(distribute, a_prepared_exchange_with_oneself_copies_each_time)
{
    int         from[2] = {1, 2}, to[2] = {0, 0};
    const int   self[1] = {0};
    void *const send[1] = {from}, *const recv[1] = {to};
    const int64_t bytes[1] = {sizeof from};
    void         *x        = NULL;

    cr_assert_eq(comm->ops->exchange_create(comm, 1, self, send, bytes, 1, self, recv,
                                            bytes, &x),
                 CAIRN_OK);
    for (int round = 0; round < 3; round++) {
        from[0] = round;
        cr_assert_eq(comm->ops->exchange_begin(comm, x), CAIRN_OK);
        cr_assert_eq(comm->ops->exchange_end(comm, x), CAIRN_OK);
        cr_expect(to[0] == round && to[1] == 2);
    }
    comm->ops->exchange_destroy(comm, x);
}

Test(distribute, agreement_of_one_is_its_own_status)
{
    int64_t before = -1;

    cr_expect_eq(cairn_comm_agree(comm, CAIRN_OK), CAIRN_OK);
    cr_expect_eq(cairn_comm_agree(comm, cairn_fail(&env, CAIRN_IO, "a: b")), CAIRN_IO);
    cr_expect_str_eq(env.message, "a: b");
    cr_expect_eq(cairn_comm_exscan(comm, 5, &before), CAIRN_OK);
    cr_expect_eq(before, 0);
}

enum { RANKS = 100000 };

/// Every row has three entries.
static int64_t three_each(const void *user, cairn_coord row)
{
    (void)user;
    return 3 * row;
}

/// This process is all of the ranks: sums over them are its own. Boundary r is nearest to
/// the part of the rows that the ranks before it have of all speeds: |row * every - extent *
/// before| is at most half of `every`, but for the fraction of a cost that a goal drops.
Test(distribute, a_hundred_thousand_ranks_of_unlike_speed)
{
    static int64_t         speed[RANKS];
    const cairn_coord      extent = INT64_C(1) << 59;
    const cairn_row_counts counts = {3 * extent, three_each, NULL};
    const cairn_row_costs  costs  = {1 << 30, (INT64_C(1) << 31) - 1, speed};
    const __int128         each   = costs.row + 3 * (__int128)costs.entry;
    cairn_comm             many   = *comm;
    __int128               every = 0, before = 0;
    cairn_rows             rows;

    many.size = RANKS;
    for (int r = 0; r < RANKS; r++)
        every += speed[r] = (1 << 20) - r % 1000;
    cr_assert_eq(cairn_rows_by_counts(&many, &counts, extent, 1, &costs, &rows),
                 CAIRN_OK);
    for (int r = 1; r < RANKS; r++) {
        before += speed[r - 1];
        const __int128 off = rows.first[r] * every - extent * before;

        cr_assert(2 * (off < 0 ? -off : off) <= every + 2 * every / each + 2,
                  "rank %d begins at row %ld", r, (long)rows.first[r]);
    }
    cairn_rows_fini(&env, &rows);
}
