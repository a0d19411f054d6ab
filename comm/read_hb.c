// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A Harwell-Boeing file on all ranks. Its sections follow each other, so the ranks that
/// read the row indices are not those that read the values. Every rank gets an equal
/// stretch of the entries: their indices and values, and the columns that begin there.

#include "comm/read_internal.h"

/// The first entry of a rank's stretch; of rank `size`: behind the last.
static cairn_pos cut(const cairn_file_reading *r, int rank)
{
    return (cairn_pos)((__int128)r->head.hb.entries * rank / r->comm->size);
}

cairn_status cairn_hb_check_pointers_of_all(cairn_file_reading *reading)
{
    cairn_file_reading *const r    = reading;
    const cairn_hb_span       span = r->cards.span[CAIRN_HB_POINTERS];
    const int64_t mine   = span.count ? r->cards.pointer[span.count - 1] : INT64_MIN;
    int64_t       before = INT64_MIN, *all = NULL;
    cairn_status  status;

    CAIRN_GO(done,
             cairn_comm_agree(r->comm, CAIRN_NEW(r->comm->env, r->comm->size, &all)));
    CAIRN_GO(done, r->comm->ops->allgather(r->comm, &mine, sizeof mine, all));
    for (int k = 0; k < r->comm->rank; k++)
        if (all[k] != INT64_MIN) before = all[k];
    status = cairn_comm_agree(
        r->comm,
        cairn_hb_check_pointers(r->comm->env, r->path, &r->head.hb, &r->cards, before));
done:
    cairn_free(r->comm->env, all);
    return status;
}

/// Send the fields of a section, 8 bytes each, to the ranks whose stretches they are in.
static cairn_status send_fields(cairn_file_reading *r,
                                cairn_hb_section    section,
                                const void         *fields,
                                int64_t            *counts,
                                void              **got)
{
    const cairn_hb_span span = r->cards.span[section];
    const int64_t       end  = span.first + span.count;
    const int           size = r->comm->size;

    for (int k = 0; k < size; k++) {
        const int64_t from = cut(r, k) > span.first ? cut(r, k) : span.first;
        const int64_t to   = cut(r, k + 1) < end ? cut(r, k + 1) : end;

        counts[k] = to > from ? to - from : 0;
    }
    return cairn_comm_exchange(r->comm, fields, counts, 8, got, counts + size);
}

/// Indices and values of this rank's stretch, to be completed. One rank has its own.
static cairn_status take_fields(cairn_file_reading *r, int64_t *counts)
{
    cairn_hb_cards *const cards   = &r->cards;
    cairn_entries *const  entries = &r->entries;
    void                 *got     = NULL;

    entries->n = cut(r, r->comm->rank + 1) - cut(r, r->comm->rank);
    if (r->comm->size == 1) {
        entries->coord[0] = cards->index;
        entries->value    = cards->value;
        cards->index      = NULL;
        cards->value      = NULL;
        return CAIRN_OK;
    }
    CAIRN_TRY(send_fields(r, CAIRN_HB_INDICES, cards->index, counts, &got));
    entries->coord[0] = got;
    cairn_free(r->comm->env, cards->index);
    cards->index = NULL;
    CAIRN_TRY(send_fields(r, CAIRN_HB_VALUES, cards->value, counts, &got));
    entries->value = got;
    cairn_free(r->comm->env, cards->value);
    cards->value = NULL;
    return CAIRN_OK;
}

/// Send every rank the columns that begin behind its first entry. @p counts and @p sent
/// have room for two and one number a rank.
static cairn_status take_columns(cairn_file_reading *r,
                                 int64_t            *counts,
                                 int64_t            *sent,
                                 cairn_hb_columns   *columns,
                                 void              **steps)
{
    cairn_comm *const comm = r->comm;
    const int         size = comm->size;
    cairn_hb_step    *mine = NULL;
    int64_t           n    = 0;
    cairn_status      status;

    for (int k = 0; k < size; k++) {
        sent[k]   = cairn_hb_pointers_to(&r->cards, cut(r, k));
        counts[k] = cut(r, k) < cut(r, k + 1)
                        ? cairn_hb_steps(&r->cards, cut(r, k), cut(r, k + 1), NULL)
                        : 0;
        n += counts[k];
    }
    CAIRN_GO(done, cairn_comm_agree(comm, CAIRN_NEW(comm->env, n, &mine)));
    n = 0;
    for (int k = 0; k < size; k++)
        if (counts[k])
            n += cairn_hb_steps(&r->cards, cut(r, k), cut(r, k + 1), mine + n);
    CAIRN_GO(done, comm->ops->allreduce(comm, sent, size, CAIRN_SUM));
    CAIRN_GO(done, cairn_comm_exchange(comm, mine, counts, sizeof *mine, steps,
                                       counts + size));
    *columns = (cairn_hb_columns){
        .first = cut(r, comm->rank), .column = sent[comm->rank] - 1, .step = *steps};
    for (int k = 0; k < size; k++)
        columns->steps += counts[size + k];
done:
    cairn_free(comm->env, mine);
    return status;
}

cairn_status cairn_hb_join_cards(cairn_file_reading *reading)
{
    cairn_file_reading *const r      = reading;
    cairn_env *const          env    = r->comm->env;
    int64_t                  *counts = NULL;
    void                     *steps  = NULL;
    cairn_hb_columns          columns;
    cairn_status              status;

    CAIRN_GO(done,
             cairn_comm_agree(r->comm, CAIRN_NEW(env, 3 * r->comm->size, &counts)));
    CAIRN_GO(done,
             take_columns(r, counts, counts + 2 * r->comm->size, &columns, &steps));
    CAIRN_GO(done, take_fields(r, counts));
    status = cairn_comm_agree(
        r->comm, cairn_hb_complete(env, r->path, &r->head.hb, &columns, &r->entries));
done:
    cairn_free(env, steps);
    cairn_free(env, counts);
    return status;
}
