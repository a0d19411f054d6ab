// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Samples go to all ranks, which sort them alike and come to the same splitters.

#include "groups/splitters.h"

#include "entries/entries.h"

#include <string.h>

enum {
    OVER = 16,      ///< Samples for each rank there is,
    ALL  = 1 << 16, ///< but of all ranks together no more than about so many.
};

int64_t cairn_samples(const cairn_query_net *net, int64_t n)
{
    int64_t most = (int64_t)OVER * net->size;

    if (most > ALL / net->size) most = ALL / net->size;
    if (most < 1) most = 1;
    return n < most ? n : most;
}

/// Send every rank what this one has; freed with cairn_free().
static cairn_status send_to_all(cairn_env             *env,
                                const cairn_query_net *net,
                                cairn_status           mine,
                                int64_t                n,
                                size_t                 bytes,
                                const void            *record,
                                void                 **all,
                                int64_t               *received)
{
    char    *send   = NULL;
    int64_t *counts = NULL;

    if (mine == CAIRN_OK) mine = cairn_alloc(env, n * net->size, bytes, (void **)&send);
    if (mine == CAIRN_OK) mine = CAIRN_NEW(env, 2 * (int64_t)net->size, &counts);
    cairn_status status = net->agree(net->user, mine);

    if (status == CAIRN_OK) {
        for (int r = 0; r < net->size; r++) {
            counts[r] = n;
            if (n > 0)
                memcpy(send + (size_t)(r * n) * bytes, record, (size_t)n * bytes);
        }
        status = net->exchange(net->user, send, counts, bytes, all, counts + net->size);
    }
    *received = 0;
    for (int r = 0; r < net->size && status == CAIRN_OK; r++)
        *received += counts[net->size + r];
    cairn_free(env, send);
    cairn_free(env, counts);
    return status;
}

/// Samples, each with how many records it stands for behind it.
static cairn_status weigh(cairn_env     *env,
                          int64_t        samples,
                          int64_t        n,
                          int            width,
                          const int64_t *sample,
                          int64_t      **weighed)
{
    CAIRN_TRY(CAIRN_NEW(env, samples * (width + 1), weighed));
    for (int64_t k = 0; k < samples; k++) {
        int64_t *to = *weighed + k * (width + 1);

        memcpy(to, sample + k * width, (size_t)width * sizeof *to);
        to[width] = cairn_sample_at(n, samples, k + 1) - cairn_sample_at(n, samples, k);
    }
    return CAIRN_OK;
}

/// All samples in order.
static cairn_status
sort_samples(cairn_env *env, int64_t n, int width, const int64_t *all, cairn_pos *order)
{
    const int64_t *column[CAIRN_MAX_SORT_KEYS];
    int64_t       *own;

    CAIRN_TRY(CAIRN_NEW(env, n * width, &own));
    for (int k = 0; k < width; k++) {
        column[k] = own + k * n;
        for (int64_t i = 0; i < n; i++)
            own[k * n + i] = all[i * (width + 1) + k];
    }
    const cairn_status status = cairn_sort_order(env, n, width, column, order);

    cairn_free(env, own);
    return status;
}

/// A rank begins at the sample before which there are its lower ranks' shares.
static void cut(int              ranks,
                int64_t          n,
                int              width,
                const int64_t   *all,
                const cairn_pos *order,
                int64_t         *splitter)
{
    int64_t total = 0, before = 0, k = 0;

    for (int64_t i = 0; i < n; i++)
        total += all[i * (width + 1) + width];
    for (int r = 1; r < ranks; r++) {
        int64_t *const to = splitter + (int64_t)(r - 1) * width;

        for (; k < n && before < (int64_t)((__int128)total * r / ranks); k++)
            before += all[order[k] * (width + 1) + width];
        for (int f = 0; f < width; f++)
            to[f] = k < n ? all[order[k] * (width + 1) + f] : INT64_MAX;
    }
}

cairn_status cairn_splitters_choose(cairn_env             *env,
                                    const cairn_query_net *net,
                                    cairn_status           mine,
                                    int64_t                n,
                                    int                    width,
                                    const int64_t         *sample,
                                    int64_t               *splitter)
{
    const int64_t samples = cairn_samples(net, n);
    int64_t      *weighed = NULL, *all = NULL, received;
    cairn_pos    *order  = NULL;
    cairn_status  status = mine;

    if (status == CAIRN_OK) status = weigh(env, samples, n, width, sample, &weighed);
    CAIRN_GO(done,
             send_to_all(env, net, status, samples, (size_t)(width + 1) * sizeof *all,
                         weighed, (void **)&all, &received));
    status = CAIRN_NEW(env, received, &order);
    if (status == CAIRN_OK) status = sort_samples(env, received, width, all, order);
    CAIRN_GO(done, net->agree(net->user, status));
    cut(net->size, received, width, all, order, splitter);
done:
    cairn_free(env, order);
    cairn_free(env, all);
    cairn_free(env, weighed);
    return status;
}

int cairn_splitters_rank(int            ranks,
                         int            width,
                         const int64_t *splitter,
                         const int64_t *record)
{
    int low = 0, high = ranks - 1; /* splitters that are not behind the record */

    while (low < high) {
        const int      middle = low + (high - low) / 2;
        const int64_t *its    = splitter + (int64_t)middle * width;
        int            k      = 0;

        while (k < width && its[k] == record[k])
            k++;
        if (k == width || its[k] < record[k])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

cairn_status cairn_sum_before(cairn_env             *env,
                              const cairn_query_net *net,
                              cairn_status           mine,
                              int64_t                number,
                              int64_t               *before)
{
    int64_t *all = NULL, received;

    CAIRN_TRY(send_to_all(env, net, mine, 1, sizeof number, &number, (void **)&all,
                          &received));
    *before = 0;
    for (int r = 0; r < net->rank; r++)
        *before += all[r];
    cairn_free(env, all);
    return CAIRN_OK;
}
