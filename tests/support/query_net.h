// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks as threads of one process, for rooms that are handed a cairn_query_net.

#ifndef CAIRN_TESTS_QUERY_NET_H
#define CAIRN_TESTS_QUERY_NET_H

#include "query/query.h"

#include <pthread.h>
#include <string.h>

enum { NET_RANKS = 5 };

/// What the ranks share; each puts its own in, and after a barrier reads the others'.
typedef struct {
    int               size;
    pthread_barrier_t barrier;
    const void       *send[NET_RANKS];
    const int64_t    *counts[NET_RANKS];
    int64_t           value[NET_RANKS];
    cairn_status      status[NET_RANKS];
} net_hub;

/// One rank: its environment, and its end of the hub.
typedef struct {
    net_hub        *hub;
    cairn_env       env;
    cairn_query_net net;
    void (*work)(void *user, int rank);
    void *user;
} net_rank;

static cairn_status net_agree(void *user, cairn_status mine)
{
    net_rank    *r     = user;
    cairn_status first = CAIRN_OK;

    r->hub->status[r->net.rank] = mine;
    pthread_barrier_wait(&r->hub->barrier);
    for (int k = r->hub->size - 1; k >= 0; k--)
        if (r->hub->status[k] != CAIRN_OK) first = r->hub->status[k];
    pthread_barrier_wait(&r->hub->barrier);
    return first;
}

static cairn_status net_reduce(net_rank *r, int64_t *value, bool sum)
{
    int64_t result;

    r->hub->value[r->net.rank] = *value;
    pthread_barrier_wait(&r->hub->barrier);
    result = r->hub->value[0];
    for (int k = 1; k < r->hub->size; k++) {
        const int64_t other = r->hub->value[k];

        if (sum)
            result += other;
        else if (other > result)
            result = other;
    }
    pthread_barrier_wait(&r->hub->barrier);
    *value = result;
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
    int64_t      total = 0, at = 0;
    char        *all = NULL;
    cairn_status status;

    r->hub->send[r->net.rank]   = send;
    r->hub->counts[r->net.rank] = counts;
    pthread_barrier_wait(&r->hub->barrier);
    for (int k = 0; k < r->hub->size; k++)
        total += recv_counts[k] = r->hub->counts[k][r->net.rank];
    status = net_agree(r, cairn_alloc(&r->env, total, size, (void **)&all));
    for (int k = 0; status == CAIRN_OK && k < r->hub->size; k++) {
        int64_t before = 0;

        for (int j = 0; j < r->net.rank; j++)
            before += r->hub->counts[k][j];
        if (recv_counts[k])
            memcpy(all + (size_t)at * size,
                   (const char *)r->hub->send[k] + (size_t)before * size,
                   (size_t)recv_counts[k] * size);
        at += recv_counts[k];
    }
    pthread_barrier_wait(&r->hub->barrier);
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
        rank[k].hub  = &hub;
        rank[k].work = work;
        rank[k].user = user;
        rank[k].net  = (cairn_query_net){&rank[k], k,       size,     net_exchange,
                                         net_max,  net_sum, net_agree};
        pthread_create(&thread[k], NULL, net_thread, &rank[k]);
    }
    for (int k = 0; k < size; k++)
        pthread_join(thread[k], NULL);
    pthread_barrier_destroy(&hub.barrier);
}

#endif
