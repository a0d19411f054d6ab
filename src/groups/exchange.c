// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The records are put in the order of their destinations; `to` then keeps where each
/// one went, so that the answers, which come in that order, find their way.

#include "groups/exchange.h"

#include <string.h>

cairn_status
cairn_exchange_init(cairn_meeting *m, cairn_exchange *travel, int width, int64_t n)
{
    const int      size = m->net->size;
    cairn_exchange made = {.width = width, .n = n};
    cairn_status   status;

    CAIRN_GO(undo, CAIRN_NEW(m->env, n * width, &made.record));
    CAIRN_GO(undo, CAIRN_NEW(m->env, n, &made.to));
    CAIRN_GO(undo, CAIRN_NEW_ZERO(m->env, size, &made.counts));
    CAIRN_GO(undo, CAIRN_NEW_ZERO(m->env, size, &made.in_counts));
    *travel = made;
    return CAIRN_OK;
undo:
    cairn_exchange_fini(m, &made);
    return status;
}

void cairn_exchange_fini(cairn_meeting *m, cairn_exchange *travel)
{
    cairn_free(m->env, travel->record);
    cairn_free(m->env, travel->to);
    cairn_free(m->env, travel->in);
    cairn_free(m->env, travel->counts);
    cairn_free(m->env, travel->in_counts);
    memset(travel, 0, sizeof *travel);
}

/// A failure that all know of is not agreed on again.
static cairn_status together(cairn_meeting *m, cairn_status status)
{
    if (status != CAIRN_OK) m->agreed = true;
    return status;
}

cairn_status cairn_exchange_meet(cairn_meeting *m, cairn_status mine)
{
    if (!m->net || m->agreed) return mine;
    return together(m, m->net->agree(m->net->user, mine));
}

cairn_status cairn_exchange_max(cairn_meeting *m, cairn_status mine, int64_t *value)
{
    CAIRN_TRY(cairn_exchange_meet(m, mine));
    if (!m->net) return CAIRN_OK;
    return together(m, m->net->max(m->net->user, value));
}

/// Where the records of each destination begin, in the order of sending.
static cairn_status
destinations(cairn_meeting *m, const cairn_exchange *travel, int64_t **begin)
{
    int64_t before = 0;

    CAIRN_TRY(CAIRN_NEW(m->env, m->net->size, begin));
    for (int r = 0; r < m->net->size; r++) {
        (*begin)[r] = before;
        before += travel->counts[r];
    }
    return CAIRN_OK;
}

static cairn_status
sort_records(cairn_meeting *m, const cairn_exchange *travel, int64_t **sorted)
{
    const size_t bytes = (size_t)travel->width * sizeof **sorted;
    int64_t     *begin;
    cairn_status status;

    for (int64_t k = 0; k < travel->n; k++)
        travel->counts[travel->to[k]]++;
    CAIRN_TRY(destinations(m, travel, &begin));
    status = CAIRN_NEW(m->env, travel->n * travel->width, sorted);
    for (int64_t k = 0; status == CAIRN_OK && k < travel->n; k++)
        memcpy(*sorted + begin[travel->to[k]]++ * travel->width,
               travel->record + k * travel->width, bytes);
    cairn_free(m->env, begin);
    return status;
}

cairn_status
cairn_exchange_send(cairn_meeting *m, cairn_status mine, cairn_exchange *travel)
{
    int64_t     *sorted = NULL;
    cairn_status status = mine;

    if (status == CAIRN_OK) status = sort_records(m, travel, &sorted);
    status = cairn_exchange_meet(m, status);
    if (status == CAIRN_OK)
        status = together(m, m->net->exchange(m->net->user, sorted, travel->counts,
                                              (size_t)travel->width * sizeof *sorted,
                                              (void **)&travel->in, travel->in_counts));
    cairn_free(m->env, sorted);
    if (status != CAIRN_OK) return status;
    travel->received = 0;
    for (int r = 0; r < m->net->size; r++)
        travel->received += travel->in_counts[r];
    return CAIRN_OK;
}

cairn_status cairn_exchange_return(cairn_meeting  *m,
                                   cairn_status    mine,
                                   cairn_exchange *travel,
                                   const int64_t  *answer,
                                   int64_t        *result)
{
    int64_t     *begin = NULL, *back = NULL, *back_counts = NULL;
    cairn_status status = mine;

    if (status == CAIRN_OK) status = destinations(m, travel, &begin);
    if (status == CAIRN_OK) status = CAIRN_NEW(m->env, m->net->size, &back_counts);
    CAIRN_GO(done, cairn_exchange_meet(m, status));
    CAIRN_GO(done, together(m, m->net->exchange(m->net->user, answer, travel->in_counts,
                                                sizeof *answer, (void **)&back,
                                                back_counts)));
    for (int64_t k = 0; k < travel->n; k++)
        result[k] = back[begin[travel->to[k]]++];
done:
    cairn_free(m->env, back_counts);
    cairn_free(m->env, back);
    cairn_free(m->env, begin);
    return status;
}
