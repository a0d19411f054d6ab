// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Criterion's macros under MPI: a launch runs all tests of a program (mpi_main.c), and
/// verdicts are shared by every rank.

#ifndef CAIRN_TESTS_MPI_SUITE_H
#define CAIRN_TESTS_MPI_SUITE_H

#include "comm/mpi/mpi.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <mpi.h>

static int         rank, size;
static cairn_env   env;
static cairn_comm *comm;

static void mpi_up(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cairn_env_init(&env);
    if (cairn_comm_mpi(&env, MPI_COMM_WORLD, &comm) != CAIRN_OK) abort();
}

static void mpi_down(void)
{
    cairn_comm_destroy(&comm);
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

/// Whether @p mine holds on every rank.
static inline int on_all_ranks(int mine)
{
    int all = 0;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

/// Stop on every rank when @p cond fails on any, so that none waits for a dead peer;
/// the ranks on which it failed report it.
#define ON_ALL_RANKS(cond, ...)           \
    do {                                  \
        const int mine_ = !!(cond);       \
        cr_expect(mine_, __VA_ARGS__);    \
        if (!on_all_ranks(mine_)) return; \
    } while (0)

/// Two ranks each are on a node, as far as rows that travel are concerned.
static inline void pretend_nodes(cairn_comm *its)
{
    its->nodes = (size + 1) / 2;
    its->node  = rank / 2 * 2;
    for (int r = 0; r < size; r++)
        its->node_of[r] = r / 2 * 2;
}

/// A folder that all ranks know; rank 0 makes it.
static inline void shared_scratch(char folder[64])
{
    if (rank == 0) scratch_create(folder);
    MPI_Bcast(folder, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
}

#endif
