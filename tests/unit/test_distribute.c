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
