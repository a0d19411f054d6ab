// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Several ranks: each learns the entries of all, and then says by itself what the
/// queries mean for the whole tensor. Nothing else is exchanged: no answer of one rank
/// depends on another's.

#include "query/set.h"

/// What goes wrong on one rank is known to all before the next exchange.
static cairn_status meet(const cairn_query_net *net, cairn_status mine)
{
    return net->agree(net->user, mine);
}

/// Rows and numbers of entries: [size][3].
static cairn_status
exchange_rows(cairn_query_set *set, const cairn_query_net *net, int64_t **rows)
{
    const int64_t mine[3] = {set->box[0].lo, set->box[0].hi, set->entries->n};
    int64_t      *send = NULL, *counts = NULL;
    cairn_status  status = CAIRN_NEW(set->env, 3 * (int64_t)net->size, &send);

    if (status == CAIRN_OK) status = CAIRN_NEW(set->env, 2 * net->size, &counts);
    if (status == CAIRN_OK) status = CAIRN_NEW(set->env, net->size, &set->rows);
    CAIRN_GO(done, meet(net, status));
    for (int r = 0; r < net->size; r++) {
        memcpy(send + 3 * r, mine, sizeof mine);
        counts[r] = 1;
    }
    status = net->exchange(net->user, send, counts, sizeof mine, (void **)rows,
                           counts + net->size);
done:
    cairn_free(set->env, send);
    cairn_free(set->env, counts);
    return status;
}

/// This rank's entries as records: coordinates, and the value's bits.
static cairn_status pack(const cairn_query_set *set, int64_t **records)
{
    const cairn_entries *e     = set->entries;
    const int            width = set->order + 1;

    CAIRN_TRY(CAIRN_NEW(set->env, e->n * width, records));
    for (cairn_pos p = 0; p < e->n; p++) {
        for (int k = 0; k < set->order; k++)
            (*records)[p * width + k] = e->coord[k][p];
        memcpy(&(*records)[p * width + set->order], &e->value[p], sizeof *e->value);
    }
    return CAIRN_OK;
}

/// Every rank in turn receives what all have: no rank holds more than that at a time.
static cairn_status exchange_entries(cairn_query_set       *set,
                                     const cairn_query_net *net,
                                     const int64_t         *records,
                                     int64_t              **all)
{
    int64_t     *counts = NULL;
    cairn_status status = CAIRN_NEW_ZERO(set->env, 2 * net->size, &counts);

    CAIRN_GO(done, meet(net, status));
    for (int r = 0; r < net->size; r++) {
        void *came = NULL;

        counts[r] = set->entries->n;
        CAIRN_GO(done, net->exchange(net->user, records, counts,
                                     (size_t)(set->order + 1) * sizeof *records, &came,
                                     counts + net->size));
        counts[r] = 0;
        if (r == net->rank)
            *all = came;
        else
            cairn_free(set->env, came);
    }
done:
    cairn_free(set->env, counts);
    return status;
}

static cairn_status unpack(cairn_query_set *set, int64_t n, const int64_t *all)
{
    const int      width = set->order + 1;
    cairn_entries *e     = &set->gathered;

    CAIRN_TRY(cairn_entries_reserve(set->env, e, n));
    e->n = n;
    for (cairn_pos p = 0; p < n; p++) {
        for (int k = 0; k < set->order; k++)
            e->coord[k][p] = all[p * width + k];
        memcpy(&e->value[p], &all[p * width + set->order], sizeof *e->value);
    }
    set->entries = e;
    return CAIRN_OK;
}

cairn_status cairn_query_gather(cairn_query_set *set, const cairn_query_net *net)
{
    int64_t     *rows = NULL, *records = NULL, *all = NULL, n = 0;
    cairn_status status;

    CAIRN_GO(done, exchange_rows(set, net, &rows));
    set->size = net->size;
    set->rank = net->rank;
    for (int r = 0; r < net->size; r++) {
        set->rows[r] = (cairn_interval){rows[3 * r], rows[3 * r + 1]};
        if (r == net->rank) set->offset = n;
        n += rows[3 * r + 2];
    }
    memcpy(set->domain, set->global, sizeof set->domain);
    status = cairn_check_room(set->env, "the entries of all ranks",
                              (__int128)n * 2 * cairn_entry_bytes(set->order));
    if (status == CAIRN_OK) status = pack(set, &records);
    CAIRN_GO(done, meet(net, status));
    CAIRN_GO(done, exchange_entries(set, net, records, &all));
    cairn_visit(set->env, n);
    status = unpack(set, n, all);
    status = meet(net, status);
done:
    cairn_free(set->env, rows);
    cairn_free(set->env, records);
    cairn_free(set->env, all);
    return status;
}

int64_t cairn_query_owner(const cairn_query_set *set, cairn_coord row)
{
    int r = 0;

    while (r < set->size - 1 && (row < set->rows[r].lo || row > set->rows[r].hi))
        r++;
    return r;
}
