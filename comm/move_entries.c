// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries that are moved to the owners of their rows, in messages as narrow as what they
/// have.

#include "comm/move_entries.h"

#include "comm/message_words.h"

#include <string.h>

/// Entries on the way. Those that stay are packed in place; one array at a time of those
/// that go is packed by owner and exchanged, so that what is needed beside the entries is
/// one array of what goes and one of what comes.
typedef struct {
    int     *owner;              ///< [entries]
    int64_t *counts, *come_from; ///< [size of comm] each: entries to a rank, and from.
    int64_t *cursor;             ///< [size of comm]
    int64_t *send_bytes, *recv_bytes; ///< [size of comm] each, of one array.
    char    *packed, *arrived;        ///< What goes, and comes, at most 8 bytes each.
    /// Of the coordinates, then of the values; and 1 if anything goes. The same on all
    /// ranks.
    int64_t wires[CAIRN_MAX_ORDER + 2];
    int64_t stay, go, come;
    int64_t come_before; ///< Of those that come, from lower ranks.
} movers;

static cairn_status create_movers(cairn_comm          *comm,
                                  const cairn_rows    *rows,
                                  const cairn_entries *entries,
                                  movers              *m)
{
    const int64_t            size = comm->size;
    const cairn_coord *const row  = entries->coord[0];

    CAIRN_TRY(CAIRN_NEW_ZERO(comm->env, 5 * size, &m->counts));
    m->cursor     = m->counts + size;
    m->send_bytes = m->cursor + size;
    m->recv_bytes = m->send_bytes + size;
    m->come_from  = m->recv_bytes + size;
    CAIRN_TRY(CAIRN_NEW(comm->env, entries->n, &m->owner));
    /* Entries of one owner often follow each other. */
    for (cairn_pos p = 0, end; p < entries->n; p = end) {
        const int         owner = cairn_rows_owner(rows, row[p]);
        const cairn_coord lo = rows->first[owner], hi = rows->first[owner + 1];

        m->owner[p] = owner;
        for (end = p + 1; end < entries->n && row[end] >= lo && row[end] < hi; end++)
            m->owner[end] = owner;
        m->counts[owner] += end - p;
    }
    m->stay               = m->counts[comm->rank];
    m->go                 = entries->n - m->stay;
    m->counts[comm->rank] = 0;
    return CAIRN_OK;
}

/// Find the narrowest messages that hold what goes from any rank.
static cairn_status choose_wires(cairn_comm *comm, const cairn_entries *e, movers *m)
{
    cairn_coord most[CAIRN_MAX_ORDER] = {0};
    cairn_word  value                 = CAIRN_WORD_8;

    for (cairn_pos p = 0, end; p < e->n && m->go > 0; p = end) {
        for (end = p + 1; end < e->n && m->owner[end] == m->owner[p];)
            end++;
        if (m->owner[p] == comm->rank) continue;
        for (int k = 0; k < e->order; k++)
            for (cairn_pos q = p; q < end; q++)
                if (e->coord[k][q] > most[k]) most[k] = e->coord[k][q];
        value = cairn_word_of_values(value, e->value + p, end - p);
    }
    for (int k = 0; k < e->order; k++)
        m->wires[k] = cairn_word_of_coord(most[k]);
    m->wires[e->order]     = value;
    m->wires[e->order + 1] = m->go > 0;
    return comm->ops->allreduce(comm, m->wires, e->order + 2, CAIRN_MAX);
}

static void destroy_movers(cairn_env *env, movers *m)
{
    cairn_free(env, m->arrived);
    cairn_free(env, m->packed);
    cairn_free(env, m->owner);
    cairn_free(env, m->counts);
}

/// Exchange the counts.
static cairn_status count_movers(cairn_comm *comm, movers *m)
{
    for (int r = 0; r < comm->size; r++)
        m->send_bytes[r] = m->recv_bytes[r] = 8;
    CAIRN_TRY(
        comm->ops->alltoallv(comm, m->counts, m->send_bytes, m->cursor, m->recv_bytes));
    for (int r = 0; r < comm->size; r++) {
        m->come += m->cursor[r];
        if (r < comm->rank) m->come_before += m->cursor[r];
        m->come_from[r] = m->cursor[r];
    }
    return CAIRN_OK;
}

static void move_words(char *array, int64_t to, const void *from, int64_t n)
{
    if (n > 0) memmove(array + 8 * to, from, (size_t)(8 * n));
}

/// Pack what goes of the entries p .. end-1 behind what went before it to each rank.
static void pack(movers *m, const cairn_entries *e, int k, cairn_pos p, cairn_pos end)
{
    const cairn_word its   = (cairn_word)m->wires[k];
    const int64_t    bytes = cairn_word_bytes(m->wires[k]);

    for (; p < end; p++) {
        char *const to = m->packed + bytes * m->cursor[m->owner[p]]++;

        if (k < e->order)
            cairn_word_put_coord(its, e->coord[k][p], to);
        else
            cairn_word_put_value(its, e->value[p], to);
    }
}

/// What has come, from entry @p first on, goes to place @p at.
static void
unpack(const movers *m, cairn_entries *e, int k, int64_t first, int64_t n, int64_t at)
{
    const cairn_word  its  = (cairn_word)m->wires[k];
    const char *const from = m->arrived + cairn_word_bytes(m->wires[k]) * first;

    if (n <= 0) return;
    if (k < e->order)
        cairn_words_get_coords(its, from, n, e->coord[k] + at);
    else
        cairn_words_get_values(its, from, n, e->value + at);
}

/// Coordinates @p k, or the values. The array has room for what is there in the end.
static cairn_status
move_array(cairn_comm *comm, movers *m, cairn_pos n, cairn_entries *e, int k)
{
    char *const array  = (char *)(k < e->order ? (void *)e->coord[k] : e->value);
    int64_t     before = 0, stay = 0;

    for (int r = 0; r < comm->size; r++) {
        m->cursor[r]     = before;
        m->send_bytes[r] = m->counts[r] * cairn_word_bytes(m->wires[k]);
        m->recv_bytes[r] = m->come_from[r] * cairn_word_bytes(m->wires[k]);
        before += m->counts[r];
    }
    for (cairn_pos p = 0, end, next; p < n; p = next) {
        for (end = p; end < n && m->owner[end] == comm->rank;)
            end++;
        for (next = end; next < n && m->owner[next] != comm->rank;)
            next++;
        if (stay < p) move_words(array, stay, array + 8 * p, end - p);
        stay += end - p;
        pack(m, e, k, end, next);
    }
    CAIRN_TRY(comm->ops->alltoallv(comm, m->packed, m->send_bytes, m->arrived,
                                   m->recv_bytes));
    move_words(array, m->come_before, array, m->come_before > 0 ? stay : 0);
    unpack(m, e, k, 0, m->come_before, 0);
    unpack(m, e, k, m->come_before, m->come - m->come_before, m->come_before + stay);
    return CAIRN_OK;
}

/// Count what goes, on all ranks.
static cairn_status
count_sent(cairn_comm *comm, const movers *m, int order, cairn_entries_sent *sent)
{
    int64_t its[2] = {m->go, 0}, bytes = 0;

    for (int r = 0; r < comm->size; r++)
        its[1] += m->counts[r] > 0;
    for (int k = 0; k <= order; k++)
        bytes += cairn_word_bytes(m->wires[k]);
    CAIRN_TRY(comm->ops->allreduce(comm, its, 2, CAIRN_SUM));
    *sent = (cairn_entries_sent){its[0], its[0] * bytes + its[1] * 8, its[1]};
    return CAIRN_OK;
}

static cairn_status make_room(cairn_comm *comm, movers *m, cairn_entries *entries)
{
    int64_t widest = 0;

    for (int k = 0; k <= entries->order; k++)
        if (cairn_word_bytes(m->wires[k]) > widest)
            widest = cairn_word_bytes(m->wires[k]);
    CAIRN_TRY(CAIRN_NEW(comm->env, widest * m->go, &m->packed));
    CAIRN_TRY(CAIRN_NEW(comm->env, widest * m->come, &m->arrived));
    return cairn_entries_reserve(comm->env, entries, m->stay + m->come);
}

/// From here on only messages can fail; then the entries are lost.
static cairn_status move_entries(cairn_comm *comm, movers *m, cairn_entries *entries)
{
    const cairn_pos n = entries->n;

    entries->n = 0;
    for (int k = 0; k <= entries->order; k++)
        CAIRN_TRY(move_array(comm, m, n, entries, k));
    entries->n = m->stay + m->come;
    return CAIRN_OK;
}

cairn_status cairn_entries_to_owners(cairn_comm         *comm,
                                     const cairn_rows   *rows,
                                     cairn_entries      *entries,
                                     cairn_entries_sent *sent)
{
    movers       m = {0};
    cairn_status status;

    if (sent) *sent = (cairn_entries_sent){0};
    if (comm->size == 1) return CAIRN_OK;
    status = create_movers(comm, rows, entries, &m);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, choose_wires(comm, entries, &m));
    if (m.wires[entries->order + 1] == 0) goto done;
    CAIRN_GO(done, count_movers(comm, &m));
    if (sent) CAIRN_GO(done, count_sent(comm, &m, entries->order, sent));
    CAIRN_GO(done, cairn_comm_agree(comm, make_room(comm, &m, entries)));
    status = move_entries(comm, &m, entries);
done:
    destroy_movers(comm->env, &m);
    return status;
}
