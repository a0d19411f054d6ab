// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The table over MPI: collectives and messages, cut where MPI's int counts end.

#include "base/diagnostics.h"
#include "base/mix.h"
#include "comm/mpi/watch.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_CHUNK = 1 << 30 };

cairn_status cairn_mpi_fail(cairn_env *env, const char *what, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int  length                     = 0;

    MPI_Error_string(error, text, &length);
    return cairn_fail(env, CAIRN_COMM, "MPI: %s: %s", what, text);
}

static cairn_status
mpi_allreduce(cairn_comm *comm, int64_t *data, int64_t n, cairn_reduction op)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);
    const MPI_Op           ops[] = {
                  [CAIRN_SUM] = MPI_SUM, [CAIRN_MIN] = MPI_MIN, [CAIRN_MAX] = MPI_MAX};
    const int64_t most = state->chunk / 8 > 0 ? state->chunk / 8 : 1;

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    for (int64_t done = 0; done < n;) {
        const int64_t left  = n - done;
        const int     count = (int)(left < most ? left : most);
        MPI_Request   request;

        CAIRN_MPI(comm->env, "allreduce",
                  MPI_Iallreduce(MPI_IN_PLACE, data + done, count, MPI_INT64_T, ops[op],
                                 state->comm, &request));
        CAIRN_TRY(cairn_mpi_wait(comm, "allreduce", 1, &request, NULL));
        done += count;
    }
    return CAIRN_OK;
}

static cairn_status mpi_broadcast(cairn_comm *comm, void *data, int64_t bytes, int root)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    for (int64_t done = 0; done < bytes;) {
        const int   count = cairn_mpi_cut(state, bytes - done);
        MPI_Request request;

        CAIRN_MPI(comm->env, "broadcast",
                  MPI_Ibcast((char *)data + done, count, MPI_BYTE, root, state->comm,
                             &request));
        CAIRN_TRY(cairn_mpi_wait(comm, "broadcast", 1, &request, NULL));
        done += count;
    }
    return CAIRN_OK;
}

/// MPI gathers chunks side by side; a stride is needed when there are several. A vector
/// type of `size` blocks would count in int again, so the rest is broadcast in turn.
static cairn_status gather_by_broadcast(cairn_comm *comm, int64_t bytes, char *all)
{
    for (int r = 0; r < comm->size; r++)
        CAIRN_TRY(mpi_broadcast(comm, all + r * bytes, bytes, r));
    return CAIRN_OK;
}

static cairn_status
mpi_allgather(cairn_comm *comm, const void *mine, int64_t bytes, void *all)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);
    MPI_Request            request;

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    if (bytes > state->chunk) {
        memcpy((char *)all + comm->rank * bytes, mine, (size_t)bytes);
        return gather_by_broadcast(comm, bytes, all);
    }
    CAIRN_MPI(comm->env, "allgather",
              MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                             state->comm, &request));
    return cairn_mpi_wait(comm, "allgather", 1, &request, NULL);
}

/// MPI promises no more than that a sum is the same wherever it is called alike; those of
/// Open MPI and MPICH add the same two numbers on both ranks of a pair, or add once.
static cairn_status mpi_sum(cairn_comm *comm, double *data, int n)
{
    cairn_mpi_state *state = cairn_mpi_state_of(comm);

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    CAIRN_MPI(comm->env, "sum",
              MPI_Iallreduce(MPI_IN_PLACE, data, n, MPI_DOUBLE, MPI_SUM, state->comm,
                             &state->collect));
    return CAIRN_OK;
}

static cairn_status
mpi_gather(cairn_comm *comm, const void *mine, int64_t bytes, void *all)
{
    cairn_mpi_state *state = cairn_mpi_state_of(comm);

    if (bytes > state->chunk) { /* nothing is left to be waited for */
        state->collect = MPI_REQUEST_NULL;
        return mpi_allgather(comm, mine, bytes, all);
    }
    CAIRN_TRY(cairn_mpi_check_lost(comm));
    CAIRN_MPI(comm->env, "gather",
              MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                             state->comm, &state->collect));
    return CAIRN_OK;
}

static cairn_status mpi_collect_end(cairn_comm *comm)
{
    CAIRN_TRY(cairn_mpi_check_lost(comm));
    return cairn_mpi_wait(comm, "collect", 1, &cairn_mpi_state_of(comm)->collect, NULL);
}

static cairn_status
mpi_send(cairn_comm *comm, const void *data, int64_t bytes, int to, int tag)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    for (int64_t done = 0; done < bytes;) {
        const int   count = cairn_mpi_cut(state, bytes - done);
        MPI_Request request;

        CAIRN_MPI(comm->env, "send",
                  MPI_Isend((const char *)data + done, count, MPI_BYTE, to, tag,
                            state->comm, &request));
        CAIRN_TRY(cairn_mpi_wait(comm, "send", 1, &request, &to));
        done += count;
    }
    return CAIRN_OK;
}

static cairn_status
mpi_recv(cairn_comm *comm, void *data, int64_t bytes, int from, int tag)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    for (int64_t done = 0; done < bytes;) {
        const int   count = cairn_mpi_cut(state, bytes - done);
        MPI_Request request;

        CAIRN_MPI(comm->env, "receive",
                  MPI_Irecv((char *)data + done, count, MPI_BYTE, from, tag,
                            state->comm, &request));
        CAIRN_TRY(cairn_mpi_wait(comm, "receive", 1, &request, &from));
        done += count;
    }
    return CAIRN_OK;
}

static cairn_status mpi_barrier(cairn_comm *comm)
{
    MPI_Request request;

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    CAIRN_MPI(comm->env, "barrier",
              MPI_Ibarrier(cairn_mpi_state_of(comm)->comm, &request));
    return cairn_mpi_wait(comm, "barrier", 1, &request, NULL);
}

static void mpi_destroy(cairn_comm *comm)
{
    cairn_mpi_state *state = cairn_mpi_state_of(comm);
    int              ended = 0;

    MPI_Finalized(&ended);
    if (!ended && !comm->lost) {
        cairn_mpi_watch_end(comm);
        if (state->comm != MPI_COMM_NULL) MPI_Comm_free(&state->comm);
    }
    cairn_mpi_watch_destroy(comm->env, &state->watch);
    cairn_free(comm->env, state->local);
    cairn_free(comm->env, state);
    cairn_free(comm->env, comm->node_of);
    cairn_free(comm->env, comm);
}

static const cairn_comm_ops mpi_ops = {
    .allreduce        = mpi_allreduce,
    .broadcast        = mpi_broadcast,
    .allgather        = mpi_allgather,
    .alltoallv        = cairn_mpi_alltoallv,
    .send             = mpi_send,
    .recv             = mpi_recv,
    .exchange_create  = cairn_mpi_exchange_create,
    .exchange_room    = cairn_mpi_exchange_room,
    .exchange_begin   = cairn_mpi_exchange_begin,
    .exchange_test    = cairn_mpi_exchange_test,
    .exchange_await   = cairn_mpi_exchange_await,
    .exchange_end     = cairn_mpi_exchange_end,
    .exchange_destroy = cairn_mpi_exchange_destroy,
    .barrier          = mpi_barrier,
    .partition        = cairn_mpi_partition,
    .destroy          = mpi_destroy,
};

static const cairn_comm_collect mpi_collect = {
    .sum    = mpi_sum,
    .gather = mpi_gather,
    .end    = mpi_collect_end,
};

/// What a node is known by.
typedef struct {
    uint64_t word[2];
} node_id;

/// The name that MPI has for this host, and the number that its kernel was given when it
/// started: two hosts that have the same name differ by the number, and two names that MPI
/// has for parts of the same host make two nodes.
static cairn_status identify_node(cairn_env *env, node_id *id)
{
    char text[MPI_MAX_PROCESSOR_NAME + 64] = "", boot[64] = "";
    int  length = 0;

    *id = (node_id){
        {CAIRN_MIX_LOW, CAIRN_MIX_HIGH}
    };
    CAIRN_MPI(env, "name of node", MPI_Get_processor_name(text, &length));
    if (cairn_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot))
        snprintf(text + length, sizeof text - (size_t)length, " %s", boot);
    for (const char *at = text; *at; at++)
        for (int k = 0; k < 2; k++)
            id->word[k] = cairn_mix(id->word[k] ^ (unsigned char)*at);
    return CAIRN_OK;
}

static bool is_same_node(node_id a, node_id b)
{
    return a.word[0] == b.word[0] && a.word[1] == b.word[1];
}

/// Ranks of one host are on one node, which is called by the lowest of them. Ranks compare
/// what they know of their hosts: MPI_Comm_split_type() waits inside of MPI, without a limit.
static cairn_status find_node(cairn_comm *comm)
{
    cairn_mpi_state *state = cairn_mpi_state_of(comm);
    node_id          mine, *all = NULL;
    cairn_status     status = CAIRN_NEW(comm->env, comm->size, &all);

    if (status == CAIRN_OK) status = identify_node(comm->env, &mine);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, mpi_allgather(comm, &mine, sizeof mine, all));
    for (int r = 0; r < comm->size; r++) {
        int first = 0;

        while (!is_same_node(all[first], all[r]))
            first++;
        comm->node_of[r] = first;
        comm->nodes += first == r;
    }
    comm->node = comm->node_of[comm->rank];
    for (int r = 0; r < comm->size; r++) {
        const bool here = comm->node_of[r] == comm->node;

        if (r == comm->rank) comm->local_rank = comm->local_size;
        state->local[r] = here ? comm->local_size++ : -1;
    }
done:
    cairn_free(comm->env, all);
    return status;
}

/// Duplicate @p world, so that no message meets the caller's.
static cairn_status join(cairn_comm *comm, MPI_Comm world)
{
    cairn_mpi_state *state = cairn_mpi_state_of(comm);

    CAIRN_TRY(cairn_mpi_duplicate(comm->env, world, &state->comm));
    CAIRN_MPI(comm->env, "error handler",
              MPI_Comm_set_errhandler(state->comm, MPI_ERRORS_RETURN));
    CAIRN_MPI(comm->env, "rank", MPI_Comm_rank(state->comm, &comm->rank));
    CAIRN_MPI(comm->env, "size", MPI_Comm_size(state->comm, &comm->size));
    return find_node(comm);
}

static cairn_status
allocate(cairn_env *env, MPI_Comm world, cairn_comm **comm, cairn_mpi_state **state)
{
    int size;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, comm));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, state));
    CAIRN_MPI(env, "size", MPI_Comm_size(world, &size));
    CAIRN_TRY(CAIRN_NEW(env, size, &(*comm)->node_of));
    CAIRN_TRY(CAIRN_NEW(env, size, &(*state)->local));
    CAIRN_TRY(cairn_mpi_watch_create(env, size, &(*state)->watch));
    (*state)->comm    = MPI_COMM_NULL;
    (*state)->collect = MPI_REQUEST_NULL;
    (*state)->chunk   = FIRST_CHUNK;
    (*comm)->env      = env;
    (*comm)->ops      = &mpi_ops;
    (*comm)->collect  = &mpi_collect;
    (*comm)->state    = *state;
    return CAIRN_OK;
}

/// Before there is a communicator to agree on, MPI's own tells whether all can go on.
static cairn_status all_allocated(cairn_env *env, MPI_Comm world, cairn_status mine)
{
    const bool ok  = mine == CAIRN_OK;
    bool       all = false;

    CAIRN_TRY(cairn_mpi_meet(env, world, ok, &all));
    if (all || !ok) return mine;
    return cairn_fail(env, CAIRN_NO_MEMORY,
                      "out of memory: MPI: another rank has none");
}

cairn_status cairn_comm_mpi(cairn_env *env, MPI_Comm world, cairn_comm **comm)
{
    cairn_comm      *fresh  = NULL;
    cairn_mpi_state *state  = NULL;
    cairn_status     status = allocate(env, world, &fresh, &state);

    CAIRN_GO(failed, all_allocated(env, world, status));
    status = join(fresh, world);
    if (status == CAIRN_OK) {
        *comm = fresh;
        return CAIRN_OK;
    }
    /* What MPI has duplicated is left to it: freeing would wait for ranks once more. */
failed:
    if (state) cairn_mpi_watch_destroy(env, &state->watch);
    if (state) cairn_free(env, state->local);
    cairn_free(env, state);
    if (fresh) cairn_free(env, fresh->node_of);
    cairn_free(env, fresh);
    return status;
}

void cairn_comm_mpi_set_chunk(cairn_comm *comm, int64_t bytes)
{
    cairn_mpi_state_of(comm)->chunk = bytes;
}
