// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries that are moved to the owners of their rows, in messages as narrow as what they
/// have.

#include "comm/move_entries.h"

#include "tensor/value_types.h"

#include <string.h>

/// What an array's words are in messages: what comes later holds all that came before.
typedef enum { WIRE_8, WIRE_16, WIRE_32, WIRE_64 } wire;

static int64_t wire_bytes(int64_t its)
{
    return (int64_t)1 << its;
}

static wire coord_wire(cairn_coord most)
{
    return most <= UINT8_MAX    ? WIRE_8
           : most <= UINT16_MAX ? WIRE_16
           : most <= UINT32_MAX ? WIRE_32
                                : WIRE_64;
}

/// The narrowest from @p least on that has the bits of a value.
static wire value_wire(wire least, double value)
{
    if (least <= WIRE_8 && cairn_value_is_of(CAIRN_VALUE_INTEGER, 8, value))
        return WIRE_8;
    if (least <= WIRE_16 && cairn_value_is_of(CAIRN_VALUE_INTEGER, 16, value))
        return WIRE_16;
    if (least <= WIRE_32 && cairn_value_is_of(CAIRN_VALUE_FLOAT, 32, value))
        return WIRE_32;
    return WIRE_64;
}

#define PACK_AS(type, from)            \
    do {                               \
        const type its = (type)(from); \
        memcpy(to, &its, sizeof its);  \
    } while (0)

static void pack_coord(wire its, cairn_coord coord, char *to)
{
    switch (its) {
    case WIRE_8: PACK_AS(uint8_t, coord); break;
    case WIRE_16: PACK_AS(uint16_t, coord); break;
    case WIRE_32: PACK_AS(uint32_t, coord); break;
    case WIRE_64: PACK_AS(cairn_coord, coord); break;
    }
}

static void pack_value(wire its, double value, char *to)
{
    switch (its) {
    case WIRE_8: PACK_AS(int8_t, value); break;
    case WIRE_16: PACK_AS(int16_t, value); break;
    case WIRE_32: PACK_AS(float, value); break;
    case WIRE_64: PACK_AS(double, value); break;
    }
}

#undef PACK_AS

#define UNPACK_AS(type, to)                                       \
    for (int64_t k = 0; k < n; k++) {                             \
        type its;                                                 \
        memcpy(&its, from + k * (int64_t)sizeof its, sizeof its); \
        (to)[k] = its;                                            \
    }

static void unpack_coords(wire its, const char *from, int64_t n, cairn_coord *to)
{
    switch (its) {
    case WIRE_8: UNPACK_AS(uint8_t, to); break;
    case WIRE_16: UNPACK_AS(uint16_t, to); break;
    case WIRE_32: UNPACK_AS(uint32_t, to); break;
    case WIRE_64: UNPACK_AS(cairn_coord, to); break;
    }
}

static void unpack_values(wire its, const char *from, int64_t n, double *to)
{
    switch (its) {
    case WIRE_8: UNPACK_AS(int8_t, to); break;
    case WIRE_16: UNPACK_AS(int16_t, to); break;
    case WIRE_32: UNPACK_AS(float, to); break;
    case WIRE_64: UNPACK_AS(double, to); break;
    }
}

#undef UNPACK_AS

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
    wire        value                 = WIRE_8;

    for (cairn_pos p = 0; p < e->n && m->go > 0; p++) {
        if (m->owner[p] == comm->rank) continue;
        for (int k = 0; k < e->order; k++)
            if (e->coord[k][p] > most[k]) most[k] = e->coord[k][p];
        if (value < WIRE_64) value = value_wire(value, e->value[p]);
    }
    for (int k = 0; k < e->order; k++)
        m->wires[k] = coord_wire(most[k]);
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
    const wire    its   = (wire)m->wires[k];
    const int64_t bytes = wire_bytes(m->wires[k]);

    for (; p < end; p++) {
        char *const to = m->packed + bytes * m->cursor[m->owner[p]]++;

        if (k < e->order)
            pack_coord(its, e->coord[k][p], to);
        else
            pack_value(its, e->value[p], to);
    }
}

/// What has come, from entry @p first on, goes to place @p at.
static void
unpack(const movers *m, cairn_entries *e, int k, int64_t first, int64_t n, int64_t at)
{
    const wire        its  = (wire)m->wires[k];
    const char *const from = m->arrived + wire_bytes(m->wires[k]) * first;

    if (n <= 0) return;
    if (k < e->order)
        unpack_coords(its, from, n, e->coord[k] + at);
    else
        unpack_values(its, from, n, e->value + at);
}

/// Coordinates @p k, or the values. The array has room for what is there in the end.
static cairn_status
move_array(cairn_comm *comm, movers *m, cairn_pos n, cairn_entries *e, int k)
{
    char *const array  = (char *)(k < e->order ? (void *)e->coord[k] : e->value);
    int64_t     before = 0, stay = 0;

    for (int r = 0; r < comm->size; r++) {
        m->cursor[r]     = before;
        m->send_bytes[r] = m->counts[r] * wire_bytes(m->wires[k]);
        m->recv_bytes[r] = m->come_from[r] * wire_bytes(m->wires[k]);
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
        bytes += wire_bytes(m->wires[k]);
    CAIRN_TRY(comm->ops->allreduce(comm, its, 2, CAIRN_SUM));
    *sent = (cairn_entries_sent){its[0], its[0] * bytes + its[1] * 8, its[1]};
    return CAIRN_OK;
}

static cairn_status make_room(cairn_comm *comm, movers *m, cairn_entries *entries)
{
    int64_t widest = 0;

    for (int k = 0; k <= entries->order; k++)
        if (wire_bytes(m->wires[k]) > widest) widest = wire_bytes(m->wires[k]);
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
