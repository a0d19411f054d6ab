// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which way an exchange goes. It depends on the library, on sizes and on the machine (Open
/// MPI 4.1 between two cores: 8 bytes each way take 1.06 us by persistent requests and 0.45
/// by those made anew). So the first exchanges try them by turns; those that need something
/// that ranks make together, which takes as long as thousands of small exchanges, are tried
/// only where the first few have shown that there will be more. Then ranks agree on the way
/// whose slowest rank was the fastest.

#include "comm/mpi/exchange.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
    FEW    = 16, ///< Exchanges before anything is made for the others,
    TRIALS = 56, ///< and before ranks agree.
};

enum { HEADER = 64 }; ///< Bytes that parts of shared memory begin at multiples of.

/// What all ranks have to know of an exchange: the greatest of theirs.
enum { ANY, UNFIT, LOCAL, FACTS };

/// Is there anything to send; can it be one collective call, or lie in shared memory: at most
/// one message to each other rank, none to oneself, none of several pieces; does some of it
/// stay inside a node?
static void find_facts(const cairn_comm         *comm,
                       const cairn_mpi_messages *m,
                       bool                     *seen,
                       int64_t                   fact[FACTS])
{
    const int64_t chunk = cairn_mpi_state_of(comm)->chunk;

    memset(seen, 0, (size_t)comm->size * sizeof *seen);
    for (int k = 0; k < m->n; k++) {
        if (m->bytes[k] == 0) continue;
        fact[ANY] = 1;
        fact[UNFIT] |=
            m->peer[k] == comm->rank || seen[m->peer[k]] || m->bytes[k] > chunk;
        fact[LOCAL] |= cairn_mpi_local_rank(comm, m->peer[k]) >= 0;
        seen[m->peer[k]] = true;
    }
}

static cairn_status
learn_facts(cairn_comm *comm, const cairn_mpi_exchange *x, int64_t fact[FACTS])
{
    bool              *seen   = NULL;
    const cairn_status status = CAIRN_NEW(comm->env, comm->size, &seen);

    if (status == CAIRN_OK) {
        find_facts(comm, &x->out, seen, fact);
        find_facts(comm, &x->in, seen, fact);
    }
    cairn_free(comm->env, seen);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    return comm->ops->allreduce(comm, fact, FACTS, CAIRN_MAX);
}

/* ---- one collective call ---- */

static cairn_status allocate_collective(cairn_comm *comm, cairn_mpi_collective *c)
{
    const int n = 2 * comm->size;

    CAIRN_TRY(CAIRN_NEW(comm->env, n, &c->peer));
    CAIRN_TRY(CAIRN_NEW_ZERO(comm->env, n, &c->counts));
    CAIRN_TRY(CAIRN_NEW_ZERO(comm->env, n, &c->at));
    CAIRN_TRY(CAIRN_NEW(comm->env, n, &c->types));
    for (int k = 0; k < n; k++)
        c->types[k] = MPI_BYTE;
    return CAIRN_OK;
}

/// Describe messages by what MPI takes, from place @p first on, one place for each rank. A
/// place in memory is part of a message's type, for MPI's displacements are ints.
static cairn_status describe_messages(cairn_comm               *comm,
                                      const cairn_mpi_messages *m,
                                      int                       first,
                                      cairn_mpi_collective     *c)
{
    for (int k = 0; k < m->n; k++) {
        const int bytes = (int)m->bytes[k], at = first + m->peer[k];
        MPI_Aint  where;

        if (bytes == 0) continue;
        MPI_Get_address(m->data[k], &where);
        CAIRN_MPI(
            comm->env, "type of a message",
            MPI_Type_create_hindexed_block(1, bytes, &where, MPI_BYTE, &c->types[at]));
        CAIRN_MPI(comm->env, "type of a message", MPI_Type_commit(&c->types[at]));
        c->counts[at]       = 1;
        c->peer[c->peers++] = m->peer[k];
    }
    return CAIRN_OK;
}

/// A call of all ranks, in which most pairs have nothing for each other. One of neighbours
/// (MPI_Ineighbor_alltoallw) needs MPI_Dist_graph_create_adjacent(), which waits inside of
/// MPI, without a limit; a duplicate can be waited for. Collective.
static cairn_status open_collective(cairn_comm *comm, cairn_mpi_exchange *x)
{
    cairn_mpi_collective *c      = &x->collective;
    cairn_status          status = allocate_collective(comm, c);

    if (status == CAIRN_OK) status = describe_messages(comm, &x->out, 0, c);
    if (status == CAIRN_OK) status = describe_messages(comm, &x->in, comm->size, c);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    return cairn_comm_agree(comm, cairn_mpi_duplicate_own(comm, &c->comm));
}

/// Let go of what MPI has of it.
static void close_collective(const cairn_comm *comm, cairn_mpi_collective *c)
{
    for (int k = 0; c->types && k < 2 * comm->size; k++)
        if (c->types[k] != MPI_BYTE) MPI_Type_free(&c->types[k]);
    cairn_free(comm->env, c->types);
    c->types = NULL;
    if (c->comm != MPI_COMM_NULL) MPI_Comm_free(&c->comm);
}

/* ---- shared memory ---- */

/// What a reader has to know of a part: where its message is, and the length of what there
/// is twice. One for each rank of the node, before the messages.
typedef struct {
    int64_t offset, half;
} sign;

static int64_t rounded(int64_t bytes)
{
    return (bytes + HEADER - 1) / HEADER * HEADER;
}

static bool is_local(const cairn_comm *comm, const cairn_mpi_messages *m, int k)
{
    return m->bytes[k] > 0 && cairn_mpi_local_rank(comm, m->peer[k]) >= 0;
}

static cairn_status allocate_shared(cairn_comm *comm, cairn_mpi_exchange *x)
{
    cairn_mpi_shared *shared = &x->shared;
    const int64_t     most   = x->own.n + 2 * ((int64_t)x->in.n + x->out.n);

    CAIRN_TRY(CAIRN_NEW_ZERO(comm->env, x->out.n, &shared->out));
    CAIRN_TRY(CAIRN_NEW_ZERO(comm->env, x->in.n, &shared->in));
    CAIRN_TRY(CAIRN_NEW_ZERO(comm->env, x->in.n, &shared->ahead));
    CAIRN_TRY(CAIRN_NEW(comm->env, most, &shared->notes.piece));
    CAIRN_TRY(CAIRN_NEW(comm->env, most, &shared->notes.peer));
    return CAIRN_NEW(comm->env, x->in.n + 1, &shared->notes.first);
}

/// Put up signs for those that read here.
static void show_messages(const cairn_comm *comm, cairn_mpi_exchange *x, int64_t signs)
{
    const cairn_node_memory *memory = &x->shared.memory;
    char *const              own    = memory->part[memory->own].at;
    sign *const              at     = (sign *)(void *)own;
    int64_t                  next   = signs;

    for (int k = 0; k < x->out.n; k++) {
        if (!is_local(comm, &x->out, k)) continue;
        x->shared.out[k]                               = own + next;
        at[cairn_mpi_local_rank(comm, x->out.peer[k])] = (sign){next, x->shared.half};
        next += rounded(x->out.bytes[k]);
    }
}

/// Read those of others.
static cairn_status find_messages(cairn_comm *comm, cairn_mpi_exchange *x)
{
    char *part;

    for (int k = 0; k < x->in.n; k++) {
        if (!is_local(comm, &x->in, k)) continue;
        CAIRN_TRY(
            cairn_node_memory_find(comm, &x->shared.memory, x->in.peer[k], &part));
        const sign its = ((const sign *)(const void *)part)[comm->local_rank];

        x->shared.in[k]    = part + its.offset;
        x->shared.ahead[k] = its.half;
    }
    return CAIRN_OK;
}

/// Collective.
static cairn_status open_shared(cairn_comm *comm, cairn_mpi_exchange *x)
{
    cairn_mpi_shared *shared = &x->shared;
    const int64_t     signs  = rounded(comm->local_size * (int64_t)sizeof(sign));

    CAIRN_TRY(cairn_comm_agree(comm, allocate_shared(comm, x)));
    for (int k = 0; k < x->out.n; k++)
        if (is_local(comm, &x->out, k)) shared->half += rounded(x->out.bytes[k]);
    CAIRN_TRY(cairn_node_memory_create(
        comm, shared->half > 0 ? signs + 2 * shared->half : 0, &shared->memory));
    if (shared->half > 0) show_messages(comm, x, signs);
    atomic_thread_fence(memory_order_seq_cst);
    CAIRN_TRY(comm->ops->barrier(comm));
    atomic_thread_fence(memory_order_seq_cst);
    const cairn_status found = cairn_comm_agree(comm, find_messages(comm, x));

    cairn_node_memory_hide(&shared->memory);
    if (found != CAIRN_OK) {
        cairn_node_memory_destroy(comm->env, &shared->memory);
        return found;
    }
    cairn_mpi_list_requests(cairn_mpi_state_of(comm), x, true, &shared->notes);
    return CAIRN_OK;
}

/* ---- which of them ---- */

/// What may fail here is done without.
static cairn_status
open_way(cairn_comm *comm, cairn_mpi_exchange *x, cairn_exchange_way way)
{
    cairn_exchange_trials *t = &x->trials;
    const cairn_status     status =
        way == CAIRN_EXCHANGE_SHARED ? open_shared(comm, x) : open_collective(comm, x);

    if (comm->lost) return status;
    t->had[way] = status == CAIRN_OK;
    if (status != CAIRN_OK && !t->without[0])
        snprintf(t->without, sizeof t->without, "%s: %.140s",
                 cairn_exchange_way_name(way), comm->env->message);
    return CAIRN_OK;
}

/// Have the ways that ranks make together, or the one of them that is @p asked for.
///
/// Collective.
static cairn_status
open_ways(cairn_comm *comm, cairn_mpi_exchange *x, cairn_exchange_way asked)
{
    cairn_exchange_trials *t           = &x->trials;
    int64_t                fact[FACTS] = {0};

    CAIRN_TRY(learn_facts(comm, x, fact));
    if (!fact[ANY]) t->ended = true; /* nothing is ever sent */
    if (fact[UNFIT])
        snprintf(t->without, sizeof t->without,
                 "messages to oneself, in pieces, or several to a rank");
    else if (fact[ANY] && !fact[LOCAL] && asked == CAIRN_EXCHANGE_SHARED)
        snprintf(t->without, sizeof t->without,
                 "shared: no rank has a neighbour on its node");
    if (!fact[ANY] || t->without[0]) return CAIRN_OK;
    if (asked != CAIRN_EXCHANGE_SHARED)
        CAIRN_TRY(open_way(comm, x, CAIRN_EXCHANGE_COLLECTIVE));
    if (fact[LOCAL] && asked != CAIRN_EXCHANGE_COLLECTIVE)
        CAIRN_TRY(open_way(comm, x, CAIRN_EXCHANGE_SHARED));
    return CAIRN_OK;
}

/// The same where it may fail, on all ranks, and is done without: for want of memory.
static cairn_status
try_ways(cairn_comm *comm, cairn_mpi_exchange *x, cairn_exchange_way asked)
{
    const cairn_status status = open_ways(comm, x, asked);

    return comm->lost ? status : CAIRN_OK;
}

cairn_status cairn_mpi_ways_begin(cairn_comm *comm, cairn_mpi_exchange *x)
{
    const cairn_exchange_way asked = (cairn_exchange_way)comm->env->options.halo;
    cairn_exchange_trials   *t     = &x->trials;

    t->had[CAIRN_EXCHANGE_PERSISTENT] = t->had[CAIRN_EXCHANGE_ANEW] = true;
    t->way = x->next = CAIRN_EXCHANGE_PERSISTENT;
    if (asked == CAIRN_EXCHANGE_AUTO) return CAIRN_OK;
    if (asked >= CAIRN_EXCHANGE_COLLECTIVE) CAIRN_TRY(try_ways(comm, x, asked));
    if (t->had[asked]) t->way = x->next = asked;
    t->ended = true;
    return CAIRN_OK;
}

/// The next way that can be had, round and round.
static cairn_exchange_way following(const cairn_exchange_trials *t)
{
    int way = t->way;

    do
        way = way + 1 < CAIRN_EXCHANGE_WAYS ? way + 1 : CAIRN_EXCHANGE_PERSISTENT;
    while (!t->had[way]);
    return (cairn_exchange_way)way;
}

/// Agree on the way whose slowest rank took least. Collective.
static cairn_status agree_on_way(cairn_comm *comm, cairn_mpi_exchange *x)
{
    cairn_exchange_trials *t = &x->trials;
    int64_t                ns[CAIRN_EXCHANGE_WAYS];

    for (int way = 0; way < CAIRN_EXCHANGE_WAYS; way++)
        ns[way] = t->had[way] ? (int64_t)(1e9 * t->least[way]) : INT64_MAX;
    CAIRN_TRY(comm->ops->allreduce(comm, ns, CAIRN_EXCHANGE_WAYS, CAIRN_MAX));
    x->next = CAIRN_EXCHANGE_PERSISTENT;
    for (int way = CAIRN_EXCHANGE_PERSISTENT; way < CAIRN_EXCHANGE_WAYS; way++) {
        if (!t->had[way]) continue;
        t->least[way] = 1e-9 * (double)ns[way];
        if (ns[way] < ns[x->next]) x->next = (cairn_exchange_way)way;
    }
    t->ended = true;
    return CAIRN_OK;
}

/// The run in which ranks agreed has ended, by the way that it went: free what the chosen one
/// does not need. Nothing is under way there. Local.
static void free_others(const cairn_comm *comm, cairn_mpi_exchange *x)
{
    x->trials.runs++;
    if (x->trials.way != CAIRN_EXCHANGE_SHARED)
        cairn_node_memory_destroy(comm->env, &x->shared.memory);
    if (x->trials.way != CAIRN_EXCHANGE_COLLECTIVE)
        close_collective(comm, &x->collective);
}

cairn_status cairn_mpi_ways_turn(cairn_comm *comm, cairn_mpi_exchange *x)
{
    cairn_exchange_trials *t = &x->trials;

    if (t->runs > 0 && !t->ended
        && (t->least[t->way] == 0 || x->seconds < t->least[t->way]))
        t->least[t->way] = x->seconds;
    t->way     = x->next;
    x->seconds = 0;
    if (t->way == CAIRN_EXCHANGE_SHARED) x->shared.turn++;
    if (t->ended && t->runs == TRIALS) free_others(comm, x);
    if (t->ended) return CAIRN_OK;
    if (++t->runs == FEW) CAIRN_TRY(try_ways(comm, x, CAIRN_EXCHANGE_AUTO));
    if (t->runs == TRIALS) return agree_on_way(comm, x);
    x->next = t->ended ? t->way : following(t);
    return CAIRN_OK;
}

void cairn_mpi_ways_end(cairn_comm *comm, cairn_mpi_exchange *x, bool usable)
{
    cairn_env            *env    = comm->env;
    cairn_mpi_shared     *shared = &x->shared;
    cairn_mpi_collective *c      = &x->collective;

    if (usable) close_collective(comm, c);
    cairn_node_memory_destroy(env, &shared->memory);
    cairn_free(env, shared->out);
    cairn_free(env, shared->in);
    cairn_free(env, shared->ahead);
    cairn_free(env, shared->notes.piece);
    cairn_free(env, shared->notes.peer);
    cairn_free(env, shared->notes.first);
    cairn_free(env, c->peer);
    cairn_free(env, c->counts);
    cairn_free(env, c->types);
    cairn_free(env, c->at);
}
