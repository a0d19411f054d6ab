// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the files of neighbour exchanges share: messages, requests, and the ways of one
/// exchange. Internal to comm/mpi.

#ifndef CAIRN_COMM_MPI_EXCHANGE_H
#define CAIRN_COMM_MPI_EXCHANGE_H

#include "comm/mpi/node_memory.h"

/// Messages that are sent, or those that are received, with one peer each.
typedef struct cairn_mpi_messages {
    int      n;
    int     *peer;  ///< [n]
    char   **data;  ///< [n]
    int64_t *bytes; ///< [n]
} cairn_mpi_messages;

/// A piece of a message that one request carries.
typedef struct cairn_mpi_piece {
    char *data;
    int   bytes;
    int   message; ///< Which of those received; -1: none of them.
} cairn_mpi_piece;

/// The requests by which all messages travel once. Receives come first: they should be
/// posted when data arrive.
typedef struct cairn_mpi_requests {
    int              n, received;
    cairn_mpi_piece *piece; ///< [n]
    int             *peer;  ///< [n]
    int             *first; ///< [received messages + 1] Where each one's begin.
} cairn_mpi_requests;

/// Messages through memory that a node shares (node_memory.h).
typedef struct cairn_mpi_shared {
    cairn_mpi_requests notes; ///< Empty ones to ranks of this node; others' messages.
    char             **out;   ///< [sent] Where each is written, in even runs; NULL: it
                              ///< leaves the node.
    char            **in;     ///< [received] Where each is read, likewise,
    int64_t          *ahead;  ///< [received] and how far behind in odd ones.
    int64_t           half;   ///< The same of what this rank writes.
    unsigned          turn; ///< Runs so far that went this way; the same on all ranks.
    bool              roomed; ///< The caller has written the next ones there.
    cairn_node_memory memory;
} cairn_mpi_shared;

/// Messages as one collective call. Arrays of 2 size: what goes to each rank, then what
/// comes from each.
typedef struct cairn_mpi_collective {
    int          *counts; ///< 1; 0: there is no message.
    int          *at;     ///< 0: types say where messages lie.
    MPI_Datatype *types;
    int          *peer;  ///< Ranks that a message goes to or comes from,
    int           peers; ///< so many.
    MPI_Comm      comm;  ///< Of the calls, whose order is no other's; or MPI_COMM_NULL.
} cairn_mpi_collective;

typedef struct cairn_mpi_exchange {
    cairn_exchange_trials trials; ///< First: comm.h says so.
    cairn_mpi_messages    out, in;
    cairn_mpi_requests    own;        ///< Each message by itself.
    cairn_mpi_shared      shared;     ///< Where ways has CAIRN_EXCHANGE_SHARED,
    cairn_mpi_collective  collective; ///< and CAIRN_EXCHANGE_COLLECTIVE.
    cairn_exchange_way    next;       ///< The way of the next run.
    double                seconds;    ///< Of the run at hand, inside calls.
    int                   tag;  ///< Its own, so that two may be under way at once.
    int                   left; ///< Requests that are under way, of those of its way.
    int                  *missing; ///< [received] Of each message.
    int                  *done;    ///< Requests that one test found.
    MPI_Request          *kept;    ///< [own.n] Persistent.
    MPI_Request          *made;    ///< Made anew in a run.
} cairn_mpi_exchange;

/// Build the requests of @p x: every message cut in pieces that MPI can count; or, with @p
/// shared, an empty note in place of each within this node, and one the other way where
/// there is no message. The arrays have room for them.
void cairn_mpi_list_requests(const cairn_mpi_state    *state,
                             const cairn_mpi_exchange *x,
                             bool                      shared,
                             cairn_mpi_requests       *list);

/// The requests of the run at hand.
static inline const cairn_mpi_requests *
cairn_mpi_requests_now(const cairn_mpi_exchange *x)
{
    return x->trials.way == CAIRN_EXCHANGE_SHARED ? &x->shared.notes : &x->own;
}

/// Begin the next run's choice of a way: the one that CAIRN_HALO names, or the first.
///
/// Collective.
cairn_status cairn_mpi_ways_begin(cairn_comm *comm, cairn_mpi_exchange *x);

/// Turn to the way of the run that begins, and decide on the next one's. Once ways are made
/// that ranks make together, once ranks agree on the fastest, and in the run behind that
/// each frees what it does not need.
///
/// Collective.
cairn_status cairn_mpi_ways_turn(cairn_comm *comm, cairn_mpi_exchange *x);

/// Let go of what ways have. Local: MPI frees a communicator without waiting.
///
/// @param[in] usable  MPI may be called.
void cairn_mpi_ways_end(cairn_comm *comm, cairn_mpi_exchange *x, bool usable);

#endif
