// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks as threads of one process, for rooms that are handed a cairn_query_net.

#ifndef CAIRN_TESTS_QUERY_NET_H
#define CAIRN_TESTS_QUERY_NET_H

#include "query/query.h"

#include <pthread.h>
#include <string.h>

enum { NET_RANKS = 5 };

/// What ranks have put in for one call.
typedef struct {
    const void    *send[NET_RANKS];
    const int64_t *counts[NET_RANKS];
    int64_t        value[NET_RANKS];
    cairn_status   status[NET_RANKS];
} net_turn;

/// What the ranks share. Each puts its own into a turn, and behind the barrier reads the
/// others'. Turns alternate, so that there is no second barrier: whoever writes to a turn
/// again has passed the barrier of the other one, which all reach when they have read this.
typedef struct {
    int               size;
    pthread_barrier_t barrier;
    net_turn          turn[2];
} net_hub;

/// One rank: its environment, and its end of the hub.
typedef struct {
    net_hub        *hub;
    unsigned        turns; ///< That it has taken.
    cairn_env       env;
    cairn_query_net net;
    void (*work)(void *user, int rank);
    void *user;
} net_rank;

/// The turn that a rank puts its own into.
static net_turn *net_begin(net_rank *r)
{
    return &r->hub->turn[r->turns++ % 2];
}

static cairn_status net_agree(void *user, cairn_status mine)
{
    net_rank    *r     = user;
    net_turn    *turn  = net_begin(r);
    cairn_status first = CAIRN_OK;

    turn->status[r->net.rank] = mine;
    pthread_barrier_wait(&r->hub->barrier);
    for (int k = r->hub->size - 1; k >= 0; k--)
        if (turn->status[k] != CAIRN_OK) first = turn->status[k];
    return first;
}

static cairn_status net_reduce(net_rank *r, int64_t *value, bool sum)
{
    net_turn *turn = net_begin(r);

    turn->value[r->net.rank] = *value;
    pthread_barrier_wait(&r->hub->barrier);
    *value = turn->value[0];
    for (int k = 1; k < r->hub->size; k++) {
        const int64_t other = turn->value[k];

        if (sum)
            *value += other;
        else if (other > *value)
            *value = other;
    }
    return CAIRN_OK;
}

static cairn_status net_max(void *user, int64_t *value)
{
    return net_reduce(user, value, false);
}

static cairn_status net_sum(void *user, int64_t *value)
{
    return net_reduce(user, value, true);
}

static cairn_status net_exchange(void          *user,
                                 const void    *send,
                                 const int64_t *counts,
                                 size_t         size,
                                 void         **recv,
                                 int64_t       *recv_counts)
{
    net_rank    *r     = user;
    net_turn    *turn  = net_begin(r);
    int64_t      total = 0, at = 0;
    char        *all = NULL;
    cairn_status status;

    turn->send[r->net.rank]   = send;
    turn->counts[r->net.rank] = counts;
    pthread_barrier_wait(&r->hub->barrier);
    for (int k = 0; k < r->hub->size; k++)
        total += recv_counts[k] = turn->counts[k][r->net.rank];
    status = cairn_alloc(&r->env, total, size, (void **)&all);
    for (int k = 0; status == CAIRN_OK && k < r->hub->size; k++) {
        int64_t before = 0;

        for (int j = 0; j < r->net.rank; j++)
            before += turn->counts[k][j];
        if (recv_counts[k])
            memcpy(all + (size_t)at * size,
                   (const char *)turn->send[k] + (size_t)before * size,
                   (size_t)recv_counts[k] * size);
        at += recv_counts[k];
    }
    /* what ranks send is read by then, and may go */
    status = net_agree(r, status);
    if (status == CAIRN_OK)
        *recv = all;
    else
        cairn_free(&r->env, all);
    return status;
}

static void *net_thread(void *user)
{
    net_rank *r = user;

    r->work(r->user, r->net.rank);
    return NULL;
}

/// Run work(user, rank) on @p size threads; rank[k].net and .env are theirs.
static void net_run(net_rank *rank, int size, void (*work)(void *, int), void *user)
{
    net_hub   hub = {.size = size};
    pthread_t thread[NET_RANKS];

    pthread_barrier_init(&hub.barrier, NULL, (unsigned)size);
    for (int k = 0; k < size; k++) {
        cairn_env_init(&rank[k].env);
        rank[k].hub   = &hub;
        rank[k].turns = 0;
        rank[k].work  = work;
        rank[k].user  = user;
        rank[k].net   = (cairn_query_net){&rank[k], k,       size,     net_exchange,
                                          net_max,  net_sum, net_agree};
        pthread_create(&thread[k], NULL, net_thread, &rank[k]);
    }
    for (int k = 0; k < size; k++)
        pthread_join(thread[k], NULL);
    pthread_barrier_destroy(&hub.barrier);
}

#endif
