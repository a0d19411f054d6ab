// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The MPI table: every call also with messages cut into tiny chunks.

#include "mpi_suite.h"

TestSuite(comm, .init = mpi_up, .fini = mpi_down, .timeout = 500);

Test(comm, reductions_and_gathers_are_cut_without_a_trace)
{
    enum { N = 100 };
    int64_t sum[N], most[N], told[N], mine[N], *all = calloc((size_t)size * N, 8);
    bool    ok = true;

    cairn_comm_mpi_set_chunk(comm, 100);
    for (int k = 0; k < N; k++) {
        sum[k] = most[k] = mine[k] = rank * 1000 + k;
        told[k]                    = rank == size - 1 ? k : -1;
    }

    ok = ok && comm->ops->allreduce(comm, sum, N, CAIRN_SUM) == CAIRN_OK;
    ok = ok && comm->ops->allreduce(comm, most, N, CAIRN_MAX) == CAIRN_OK;
    ok = ok && comm->ops->broadcast(comm, told, sizeof told, size - 1) == CAIRN_OK;
    ok = ok && comm->ops->allgather(comm, mine, sizeof mine, all) == CAIRN_OK;
    ok = ok && comm->ops->barrier(comm) == CAIRN_OK;

    for (int k = 0; k < N; k++) {
        ok = ok && sum[k] == 1000L * (size - 1) * size / 2 + (int64_t)k * size;
        ok = ok && most[k] == (size - 1) * 1000 + k && told[k] == k;
        for (int r = 0; r < size; r++)
            ok = ok && all[r * N + k] == r * 1000 + k;
    }
    free(all);
    ON_ALL_RANKS(ok, "rank %d: %s", rank, env.message);
    ON_ALL_RANKS(comm->local_size >= 1 && comm->local_size <= size, "ranks of a node");
}

/// Bytes from rank @p from to rank @p to: very different, many 0.
static int64_t bytes_between(int from, int to)
{
    return (from + 2 * to) % 3 == 0 ? 0 : 700 * from + 3300 * to + 1;
}

static char byte_between(int from, int to, int64_t k)
{
    return (char)(31 * from + 17 * to + k * k % 251);
}

Test(comm, all_to_all_arrives_in_rank_order_in_chunks)
{
    int64_t out[16], in[16], outgoing = 0, incoming = 0, at = 0;
    bool    ok = true;

    cairn_comm_mpi_set_chunk(comm, 1000);
    for (int r = 0; r < size; r++) {
        outgoing += out[r] = bytes_between(rank, r);
        incoming += in[r]  = bytes_between(r, rank);
    }

    char *send = malloc((size_t)outgoing + 1), *recv = malloc((size_t)incoming + 1);

    for (int r = 0; r < size; r++)
        for (int64_t k = 0; k < out[r]; k++)
            send[at++] = byte_between(rank, r, k);
    ok = comm->ops->alltoallv(comm, send, out, recv, in) == CAIRN_OK;
    at = 0;
    for (int r = 0; r < size; r++)
        for (int64_t k = 0; k < in[r]; k++)
            ok = ok && recv[at++] == byte_between(r, rank, k);
    free(send);
    free(recv);
    ON_ALL_RANKS(ok, "rank %d: %s", rank, env.message);
}

Test(comm, exchanged_records_come_with_their_counts)
{
    int64_t  counts[16], recv_counts[16], total = 0;
    int64_t *recv = NULL;
    int32_t  send[64][4];
    bool     ok;

    for (int r = 0; r < size; r++) {
        counts[r] = r;
        for (int k = 0; k < r; k++, total++)
            for (int c = 0; c < 4; c++)
                send[total][c] = 100 * rank + 10 * r + k;
    }

    ok = cairn_comm_exchange(comm, send, counts, sizeof *send, (void **)&recv,
                             recv_counts)
         == CAIRN_OK;
    for (int r = 0; r < size && ok; r++) {
        ok = recv_counts[r] == rank;
        for (int k = 0; k < rank && ok; k++)
            ok = ((int32_t *)recv)[4 * (r * rank + k) + 3] == 100 * r + 10 * rank + k;
    }
    cairn_free(&env, recv);
    ON_ALL_RANKS(ok, "rank %d: %s", rank, env.message);

    int64_t before = -1;

    ok = cairn_comm_exscan(comm, rank + 1, &before) == CAIRN_OK;
    ON_ALL_RANKS(ok && before == (int64_t)rank * (rank + 1) / 2, "exscan %ld",
                 (long)before);
}

/// Both messages, in one of four ways; round 0: none of them.
static bool receive(void *x, int round)
{
    bool came[2] = {false, false}, ok = true;

    if (round == 2) ok = comm->ops->exchange_await(comm, x, 1) == CAIRN_OK;
    if (round == 3) ok = comm->ops->exchange_test(comm, x, came) == CAIRN_OK;
    if (round >= 2) return comm->ops->exchange_await(comm, x, 0) == CAIRN_OK && ok;
    while (ok && round == 1 && !(came[0] && came[1]))
        ok = comm->ops->exchange_test(comm, x, came) == CAIRN_OK;
    return ok;
}

Test(comm, neighbours_exchange_again_and_again)
{
    enum { N = 500 };
    double      out[2][N], in[2][N];
    const int   right = (rank + 1) % size, left = (rank + size - 1) % size;
    const int   to[] = {right, left}, from[] = {left, right};
    void *const send[] = {out[0], out[1]}, *const recv[] = {in[0], in[1]};
    const int64_t bytes[] = {sizeof out[0], 40};
    void         *x = NULL, *y = NULL;
    bool          ok = true;

    cairn_comm_mpi_set_chunk(comm, 1000);
    ok = comm->ops->exchange_create(comm, 2, to, send, bytes, 2, from, recv, bytes, &x)
         == CAIRN_OK;
    ok = ok
         && comm->ops->exchange_create(comm, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL,
                                       &y)
                == CAIRN_OK;
    ON_ALL_RANKS(ok, "%s", env.message);
    for (int round = 0; round < 80; round++) { /* trials of ways, and what they chose */
        for (int k = 0; k < N; k++)
            out[0][k] = out[1][k] = 1000 * rank + k + round;
        ok = ok && comm->ops->exchange_begin(comm, x) == CAIRN_OK
             && comm->ops->exchange_begin(comm, y) == CAIRN_OK
             && comm->ops->exchange_end(comm, y) == CAIRN_OK;
        ok = ok && receive(x, round % 5);
        for (int k = 0; k < N; k++) /* what came is not waited for again */
            ok = ok && (round % 5 == 0 || in[0][k] == 1000 * left + k + round);
        ok = ok && comm->ops->exchange_end(comm, x) == CAIRN_OK;
        for (int k = 0; k < N; k++)
            ok = ok && in[0][k] == 1000 * left + k + round;
        for (int k = 0; k < 5; k++)
            ok = ok && in[1][k] == 1000 * right + k + round;
    }
    comm->ops->exchange_destroy(comm, x);
    comm->ops->exchange_destroy(comm, y);
    ON_ALL_RANKS(ok, "rank %d: %s", rank, env.message);
}

/// Sums and gatherings that were begun stay so while other calls come and go.
Test(comm, sums_and_gatherings_go_on_beside_messages)
{
    enum { N = 20 };
    bool ok = true;

    for (int round = 0; round < 40; round++) {
        const int64_t chunk =
            round % 2 ? 100 : 1 << 20; /* a gathering beyond one, too */
        double  sum[3] = {rank + 0.25, 1, round}, mine[N];
        double *all    = calloc((size_t)size * N, sizeof *all);
        int64_t told   = rank == 0 ? round : -1;

        cairn_comm_mpi_set_chunk(comm, chunk);
        for (int k = 0; k < N; k++)
            mine[k] = 100 * rank + k + round;
        ok = ok && comm->collect->sum(comm, sum, 3) == CAIRN_OK;
        if (rank == 0 && size > 1)
            ok = ok
                 && comm->ops->send(comm, &told, sizeof told, size - 1, 5) == CAIRN_OK;
        if (rank == size - 1 && size > 1)
            ok = ok && comm->ops->recv(comm, &told, sizeof told, 0, 5) == CAIRN_OK;
        ok = ok && comm->collect->end(comm) == CAIRN_OK;
        ok = ok && comm->collect->gather(comm, mine, sizeof mine, all) == CAIRN_OK;
        ok = ok && comm->collect->end(comm) == CAIRN_OK;
        ok = ok && sum[0] == size * (size - 1) / 2 + 0.25 * size && sum[1] == size
             && sum[2] == round * size;
        ok = ok && ((rank > 0 && rank < size - 1) || told == round);
        for (int k = 0; k < size * N; k++)
            ok = ok && all[k] == 100 * (k / N) + k % N + round;
        free(all);
    }
    ON_ALL_RANKS(ok, "rank %d: %s", rank, env.message);
}

Test(comm, messages_travel_in_chunks)
{
    enum { N = 4567 };
    char text[N];
    bool ok = true;

    cairn_comm_mpi_set_chunk(comm, 100);
    memset(text, 0, N);
    if (rank == 0)
        for (int r = 1; r < size; r++) {
            for (int k = 0; k < N; k++)
                text[k] = byte_between(0, r, k);
            ok = ok && comm->ops->send(comm, text, N, r, 7) == CAIRN_OK;
        }
    else {
        ok = comm->ops->recv(comm, text, N, 0, 7) == CAIRN_OK;
        for (int k = 0; k < N; k++)
            ok = ok && text[k] == byte_between(0, rank, k);
    }
    ON_ALL_RANKS(ok, "rank %d: %s", rank, env.message);
}

Test(comm, the_lowest_failing_rank_is_told)
{
    const int    low    = size > 2 ? size - 2 : 0;
    cairn_status status = CAIRN_OK;
    char         expected[64];

    ON_ALL_RANKS(cairn_comm_agree(comm, CAIRN_OK) == CAIRN_OK, "no rank had failed");

    if (rank >= low)
        status =
            cairn_fail(&env, rank == low ? CAIRN_IO : CAIRN_BAD_FILE, "a: is %d", rank);
    status = cairn_comm_agree(comm, status);
    snprintf(expected, sizeof expected, size > 1 ? "rank %d: a: is %d" : "a: is 0", low,
             low);
    ON_ALL_RANKS(status == CAIRN_IO, "status %d", status);
    ON_ALL_RANKS(strcmp(env.message, expected) == 0, "%s, not %s", env.message,
                 expected);

    status =
        rank == size - 1 ? cairn_fail(&env, CAIRN_BAD_FILE, "f: line 3") : CAIRN_OK;
    status = cairn_comm_agree(comm, status);
    ON_ALL_RANKS(status == CAIRN_BAD_FILE && strcmp(env.message, "f: line 3") == 0,
                 "what is wrong anywhere names no rank: %s", env.message);
}

Test(comm, failures_alike_are_told_without_a_rank)
{
    const cairn_status status =
        cairn_comm_agree(comm, cairn_fail(&env, CAIRN_IO, "f: open: gone"));

    ON_ALL_RANKS(status == CAIRN_IO, "status %d", status);
    ON_ALL_RANKS(strcmp(env.message, "f: open: gone") == 0, "%s", env.message);
}
