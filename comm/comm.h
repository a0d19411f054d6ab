// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks and what they exchange. A communicator is a table of a few collective calls;
/// `self` is the table of one process, `mpi` that of a job. Counts are 64-bit
/// everywhere; tables cut what their transport cannot count.
///
/// Every call here is collective on the communicator unless it says Local.

#ifndef CAIRN_COMM_COMM_H
#define CAIRN_COMM_COMM_H

#include "base/env.h"

typedef struct cairn_comm cairn_comm;

typedef enum { CAIRN_SUM, CAIRN_MIN, CAIRN_MAX } cairn_reduction;

/// Consecutive vertices of an undirected graph, those of lower ranks before this one's.
typedef struct cairn_comm_graph {
    int64_t        n;      ///< Vertices of this rank.
    const int64_t *ptr;    ///< [n+1] Where each one's neighbours begin,
    const int64_t *idx;    ///< [ptr[n]] and they, by their numbers; none is its own.
    const int64_t *weight; ///< [n] At least 1.
} cairn_comm_graph;

/// What an exchange has found out of the ways in which its messages can travel.
typedef struct cairn_exchange_trials {
    cairn_exchange_way way; ///< Of the last run, or the one at hand; AUTO: there is one
                            ///< process.
    int    runs;            ///< While ways were tried.
    bool   ended;           ///< It stays as it is: the same on all ranks.
    bool   had[CAIRN_EXCHANGE_WAYS];   ///< Can be taken.
    double least[CAIRN_EXCHANGE_WAYS]; ///< Seconds inside calls, of the fastest run on
                                       ///< this rank, then of the slowest rank; 0: not
                                       ///< tried.
    char without[160]; ///< Why a way cannot be had that others could; "": all can.
} cairn_exchange_trials;

/// Transport of one kind of communicator. Every slot is set.
typedef struct cairn_comm_ops {
    /// Reduce @p n integers over the ranks, in place; the same result on every rank.
    cairn_status (*allreduce)(cairn_comm     *comm,
                              int64_t        *data,
                              int64_t         n,
                              cairn_reduction op);
    /// Copy @p bytes from rank @p root to all.
    cairn_status (*broadcast)(cairn_comm *comm, void *data, int64_t bytes, int root);
    /// Give every rank every rank's @p bytes (equal on all): @p all is [size][bytes].
    cairn_status (*allgather)(cairn_comm *comm,
                              const void *mine,
                              int64_t     bytes,
                              void       *all);
    /// Send send_bytes[r] bytes to rank r (consecutive in @p send); receive in rank
    /// order. recv_bytes[r] are known to the caller (exchanged before).
    cairn_status (*alltoallv)(cairn_comm    *comm,
                              const void    *send,
                              const int64_t *send_bytes,
                              void          *recv,
                              const int64_t *recv_bytes);
    /// Point to point, blocking, for pipelines; tags 0 .. 999. Not collective.
    cairn_status (
        *send)(cairn_comm *comm, const void *data, int64_t bytes, int to, int tag);
    cairn_status (
        *recv)(cairn_comm *comm, void *data, int64_t bytes, int from, int tag);
    /// Begin and finish an exchange with neighbours: messages to[k] of send_bytes[k]
    /// from send[k], and likewise received; the arrays stay in use until finished.
    /// Prepared once, started many times, the same times on all ranks: in the first of
    /// them ways are tried, and ranks agree on one, unless CAIRN_HALO names it. An exchange
    /// begins with a cairn_exchange_trials.
    cairn_status (*exchange_create)(cairn_comm    *comm,
                                    int            sends,
                                    const int     *to,
                                    void *const   *send,
                                    const int64_t *send_bytes,
                                    int            recvs,
                                    const int     *from,
                                    void *const   *recv,
                                    const int64_t *recv_bytes,
                                    void         **exchange);
    /// Where the k-th message of the next run is to be written in place of send[k], which
    /// saves a copy; NULL: there. Who asks for one asks for all. Local.
    void *(*exchange_room)(cairn_comm *comm, void *exchange, int k);
    cairn_status (*exchange_begin)(cairn_comm *comm, void *exchange);
    /// See which messages of one that has begun have come, and let the others get on;
    /// waits for nothing, and is local. @p came[k] becomes true when the k-th that is
    /// received is there, and else stays as it is.
    cairn_status (*exchange_test)(cairn_comm *comm, void *exchange, bool *came);
    /// Wait for the k-th that is received, whatever is still under way. Local.
    cairn_status (*exchange_await)(cairn_comm *comm, void *exchange, int k);
    cairn_status (*exchange_end)(cairn_comm *comm, void *exchange);
    void (*exchange_destroy)(cairn_comm *comm, void *exchange);
    cairn_status (*barrier)(cairn_comm *comm);
    /// Cut a graph into a part for each rank, of about the same weight, with few edges
    /// between them; the same on every run. @p part is [n].
    /// @retval CAIRN_ATTENTION  What does so is missing here, on some rank.
    cairn_status (*partition)(cairn_comm             *comm,
                              const cairn_comm_graph *graph,
                              int64_t                *part);
    void (*destroy)(cairn_comm *comm);
} cairn_comm_ops;

/// Collective calls that others go on beside: one of them is under way at a time, while
/// neighbours may exchange. Every slot is set.
typedef struct cairn_comm_collect {
    /// Begin to add @p n numbers over the ranks, in place, in an order that is the
    /// transport's own. The sums are the same on every rank.
    cairn_status (*sum)(cairn_comm *comm, double *data, int n);
    /// Begin to give every rank every rank's @p bytes, as allgather does.
    cairn_status (*gather)(cairn_comm *comm,
                           const void *mine,
                           int64_t     bytes,
                           void       *all);
    /// Wait for what was begun; until then its arrays are in use.
    cairn_status (*end)(cairn_comm *comm);
} cairn_comm_collect;

struct cairn_comm {
    cairn_env                *env;
    int                       rank, size;
    int                       local_size; ///< Ranks on this node, this one included,
    int                       local_rank; ///< and this one's number among them.
    int                       node;       ///< The node, by the lowest rank on it.
    int                      *node_of; ///< [size] That of each rank; NULL: there is one
    int                       nodes;   ///< of so many.
    const cairn_comm_ops     *ops;
    const cairn_comm_collect *collect;
    void                     *state; ///< The transport's own.
    int64_t swapped;                 ///< Bytes that alltoallv has sent to other ranks.
    bool lost;  ///< A wait was given up: every call fails from now on, and none waits.
    int  first; ///< The lowest rank that answers: 0, until one does not.
};

/// A communicator of one process. Local. Destroy with cairn_comm_destroy().
cairn_status cairn_comm_self(cairn_env *env, cairn_comm **comm);

void cairn_comm_destroy(cairn_comm **comm);

/// Agree on a status: every rank passes its own and returns the same one, that of the
/// lowest rank that failed; the message of that rank becomes the message on all. What
/// failed on this machine only (exit status 1) gets "rank N: " before it when more than
/// one rank exists and not all failed alike; what is wrong whatever the machine has the
/// same message on any number of ranks.
cairn_status cairn_comm_agree(cairn_comm *comm, cairn_status mine);

/// Sum over the ranks before this one (0 on rank 0).
cairn_status cairn_comm_exscan(cairn_comm *comm, int64_t mine, int64_t *before);

/// Exchange records: counts[r] records of @p size bytes to rank r, consecutive in
/// @p send. @p recv (freed with cairn_free()) holds theirs in rank order, and
/// recv_counts[r] their numbers (caller's array, [size of comm]).
/// @retval CAIRN_NO_MEMORY  On any rank; every rank then returns it.
cairn_status cairn_comm_exchange(cairn_comm    *comm,
                                 const void    *send,
                                 const int64_t *counts,
                                 size_t         size,
                                 void         **recv,
                                 int64_t       *recv_counts);

/// Give every rank a copy of rank @p root's text.
///
/// Collective.
///
/// @param[in,out] text  On @p root the text; elsewhere NULL, and freed with cairn_free().
cairn_status cairn_comm_share_text(cairn_comm *comm, int root, char **text);

/// Give every rank the records of all: @p n records of @p size bytes from this one.
/// @p all (freed with cairn_free()) holds them in rank order, @p count is their number.
/// @retval CAIRN_NO_MEMORY  On any rank; every rank then returns it.
///
/// Cost: sends size-of-comm copies; for descriptions, not for data.
cairn_status cairn_comm_gather(cairn_comm *comm,
                               const void *mine,
                               int64_t     n,
                               size_t      size,
                               void      **all,
                               int64_t    *count);

#endif
