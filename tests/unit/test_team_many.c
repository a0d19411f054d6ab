// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Scattered products divided among as many work-items as cards have: in a time that does
/// not grow with columns times items, and into more than a few.

#include "share/work_partition.h"

#include <criterion/criterion.h>

#include <stdlib.h>

enum { COLUMNS = 100000, ROWS = 1000000, EACH = 8, ENTRIES = COLUMNS * EACH };

/// Columns above rows, each with entries all over them.
typedef struct {
    int64_t           ptr[COLUMNS + 1];
    uint32_t          idx[ENTRIES];
    cairn_kernel_part part;
} columns;

static columns *make_columns(void)
{
    columns *c = calloc(1, sizeof *c);

    cr_assert_not_null(c);
    for (int64_t j = 0; j <= COLUMNS; j++)
        c->ptr[j] = j * EACH;
    for (int64_t p = 0; p < ENTRIES; p++)
        c->idx[p] =
            (uint32_t)(ROWS / EACH * (p % EACH) + p / EACH * 7919 % (ROWS / EACH));
    c->part =
        (cairn_kernel_part){.values = ENTRIES, .val_bits = 64, .first = 0, .last = 1};
    c->part.level[0] = (cairn_kernel_level){.size = COLUMNS, .nodes = COLUMNS};
    c->part.level[1] = (cairn_kernel_level){.ptr        = c->ptr,
                                            .ptr_bits   = 64,
                                            .ptr_length = COLUMNS + 1,
                                            .idx        = c->idx,
                                            .idx_bits   = 32,
                                            .idx_stride = sizeof *c->idx,
                                            .size       = ROWS,
                                            .nodes      = ENTRIES};
    return c;
}

/// Everybody's steps meet every node once, under its own parent, and no row has two owners.
static void check_steps(const columns *c, const cairn_work_partition *team)
{
    int32_t *const owner = calloc(ROWS, sizeof *owner);
    int64_t        met   = 0;

    cr_assert_not_null(owner);
    for (int64_t t = 0; t < team->shares; t++) {
        const int64_t *const share = team->share + CAIRN_SHARE_FIELDS * t;
        int64_t              q = share[2], p = share[3], last = -1;

        for (int64_t k = share[0]; k < share[1]; k++, met++) {
            q += team->step[2 * k];
            p += team->step[2 * k + 1];
            cr_assert(p > last && p < ENTRIES && q == p / EACH);
            int32_t *const own = &owner[c->idx[p]];

            cr_assert(*own == 0 || *own == t + 1);
            *own = (int32_t)(t + 1);
            last = p;
        }
    }
    cr_expect_eq(met, ENTRIES);
    free(owner);
}

Test(team_many, cards_have_many_items_soon, .timeout = 60)
{
    const cairn_share share = {
        .kind = CAIRN_SHARE_SCATTER, .level = 1, .ptr = 0, .grain = 1, .listed = true};
    columns *const c = make_columns();
    cairn_env      env;

    cairn_env_init(&env);
    for (int64_t threads = 50; threads <= 500000; threads *= 100) {
        cairn_work_partition team;

        cr_assert_eq(
            cairn_work_partition_make(&env, &share, &c->part, ROWS, 1, threads, &team),
            CAIRN_OK);
        cr_expect_geq(team.shares, threads < 2000 ? threads : 2000);
        cr_assert_eq(team.steps, ENTRIES);
        check_steps(c, &team);
        cairn_work_partition_fini(&env, &team);
    }
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
    free(c);
}
