// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Row ownership and moving entries to owners.

#include "comm/distribute.h"

#include "tensor/value_types.h"

#include <string.h>

void cairn_rows_fini(cairn_env *env, cairn_rows *rows)
{
    cairn_free(env, rows->first);
    *rows = (cairn_rows){0};
}

cairn_status cairn_rows_copy(cairn_env *env, const cairn_rows *rows, cairn_rows *copy)
{
    cairn_rows fresh = {.size = rows->size};

    CAIRN_TRY(CAIRN_NEW(env, rows->size + 1, &fresh.first));
    memcpy(fresh.first, rows->first, (size_t)(rows->size + 1) * sizeof *rows->first);
    *copy = fresh;
    return CAIRN_OK;
}

int cairn_rows_owner(const cairn_rows *rows, cairn_coord row)
{
    int low = 0, high = rows->size - 1;

    /* The last rank whose first row is not after `row`: empty ranks before it lose. */
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;

        if (rows->first[middle] <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// 1 where there are too few rows to keep grains whole.
static cairn_coord
usable_grain(const cairn_comm *comm, cairn_coord extent, cairn_coord grain)
{
    return grain > 1 && (__int128)comm->size * grain <= extent ? grain : 1;
}

static cairn_coord row_of_grain(cairn_coord g, cairn_coord grain, cairn_coord extent)
{
    const __int128 row = (__int128)g * grain;

    return row < extent ? (cairn_coord)row : extent;
}

/// Every rank allocates alike, or none keeps anything.
static cairn_status create_rows(cairn_comm *comm, cairn_coord extent, cairn_rows *rows)
{
    cairn_rows         fresh  = {.size = comm->size};
    const cairn_status mine   = CAIRN_NEW_ZERO(comm->env, comm->size + 1, &fresh.first);
    const cairn_status status = cairn_comm_agree(comm, mine);

    if (status != CAIRN_OK) {
        cairn_rows_fini(comm->env, &fresh);
        return status;
    }
    fresh.first[comm->size] = extent;
    *rows                   = fresh;
    return CAIRN_OK;
}

static void cut_equally(const cairn_comm *comm, cairn_coord grain, cairn_rows *rows)
{
    const cairn_coord extent = rows->first[comm->size];

    for (int r = 1; r < comm->size; r++) {
        const cairn_coord row = (cairn_coord)((__int128)extent * r / comm->size);
        const cairn_coord g   = row / grain + (row % grain > grain / 2);

        rows->first[r] = row_of_grain(g, grain, extent);
    }
}

cairn_status cairn_rows_equal(cairn_comm *comm,
                              cairn_coord extent,
                              cairn_coord grain,
                              cairn_rows *rows)
{
    CAIRN_TRY(create_rows(comm, extent, rows));
    cut_equally(comm, usable_grain(comm, extent, grain), rows);
    return CAIRN_OK;
}

/// The search for all boundaries at once. Boundary b (0 .. cuts-1) is a number of
/// grains; `low` and `high` close in on the first one with `goal` entries before it.
typedef struct {
    const cairn_row_counts *counts; ///< Of this rank.
    cairn_coord             extent, grain;
    int                     cuts;
    int64_t                 total;              ///< Entries of all ranks.
    int64_t                *low, *high, *count; ///< [cuts] each, one block.
} search;

/// Entries of this rank in the rows before grain @p g.
static int64_t entries_before(const search *s, cairn_coord g)
{
    return s->counts->before(s->counts->user, row_of_grain(g, s->grain, s->extent));
}

static int64_t goal(const search *s, int b)
{
    return (int64_t)((__int128)s->total * (b + 1) / (s->cuts + 1));
}

static bool closed(const search *s)
{
    for (int b = 0; b < s->cuts; b++)
        if (s->low[b] < s->high[b]) return false;
    return true;
}

/// Halve every interval; the counts are the same on all ranks, so all take one course.
static cairn_status halve(cairn_comm *comm, search *s)
{
    for (int b = 0; b < s->cuts; b++)
        s->count[b] = entries_before(s, s->low[b] + (s->high[b] - s->low[b]) / 2);
    CAIRN_TRY(comm->ops->allreduce(comm, s->count, s->cuts, CAIRN_SUM));
    for (int b = 0; b < s->cuts; b++) {
        const int64_t middle = s->low[b] + (s->high[b] - s->low[b]) / 2;

        if (s->low[b] == s->high[b]) continue;
        if (s->count[b] >= goal(s, b))
            s->high[b] = middle;
        else
            s->low[b] = middle + 1;
    }
    return CAIRN_OK;
}

/// The boundary found has enough entries before it, the one below too few: take the
/// nearer. Boundaries stay in order, since goals are and both choices are monotone.
static cairn_status take_nearer(cairn_comm *comm, search *s, cairn_rows *rows)
{
    int64_t *const below = s->high; /* the interval is closed: high is free */

    for (int b = 0; b < s->cuts; b++) {
        s->count[b] = entries_before(s, s->low[b]);
        below[b]    = entries_before(s, s->low[b] > 0 ? s->low[b] - 1 : 0);
    }
    CAIRN_TRY(comm->ops->allreduce(comm, s->count, s->cuts, CAIRN_SUM));
    CAIRN_TRY(comm->ops->allreduce(comm, below, s->cuts, CAIRN_SUM));
    for (int b = 0; b < s->cuts; b++) {
        const bool        nearer = goal(s, b) - below[b] < s->count[b] - goal(s, b);
        const cairn_coord g      = s->low[b] - (nearer && s->low[b] > 0);

        rows->first[b + 1] = row_of_grain(g, s->grain, s->extent);
    }
    return CAIRN_OK;
}

static cairn_status run_search(cairn_comm *comm, search *s, cairn_rows *rows)
{
    const cairn_coord grains = s->extent / s->grain + (s->extent % s->grain != 0);

    for (int b = 0; b < s->cuts; b++) {
        s->low[b]  = 0;
        s->high[b] = grains;
    }
    while (!closed(s))
        CAIRN_TRY(halve(comm, s));
    return take_nearer(comm, s, rows);
}

/// This rank's rows in ascending order; @p copy is NULL when they are so already.
static cairn_status
ascending_rows(cairn_env *env, const cairn_entries *entries, cairn_coord **copy)
{
    const cairn_pos    n     = entries->n;
    const cairn_coord *row   = entries->coord[0];
    cairn_pos         *order = NULL, p = 1;
    cairn_coord       *fresh = NULL;
    cairn_status       status;

    while (p < n && row[p - 1] <= row[p])
        p++;
    if (p >= n) return CAIRN_OK;
    CAIRN_GO(done, CAIRN_NEW(env, n, &order));
    CAIRN_GO(done, cairn_sort_order(env, n, 1, &row, order));
    CAIRN_GO(done, CAIRN_NEW(env, n, &fresh));
    for (p = 0; p < n; p++)
        fresh[p] = row[order[p]];
    *copy = fresh;
done:
    cairn_free(env, order);
    return status;
}

static cairn_status cut_by_counts(cairn_comm             *comm,
                                  const cairn_row_counts *counts,
                                  cairn_coord             grain,
                                  int64_t                 total,
                                  cairn_rows             *rows)
{
    search       s      = {.counts = counts,
                           .extent = rows->first[comm->size],
                           .grain  = grain,
                           .cuts   = comm->size - 1,
                           .total  = total};
    cairn_status status = CAIRN_NEW(comm->env, 3 * (int64_t)s.cuts, &s.low);

    CAIRN_GO(done, cairn_comm_agree(comm, status));
    s.high  = s.low + s.cuts;
    s.count = s.high + s.cuts;
    status  = run_search(comm, &s, rows);
done:
    cairn_free(comm->env, s.low);
    return status;
}

cairn_status cairn_rows_by_counts(cairn_comm             *comm,
                                  const cairn_row_counts *counts,
                                  cairn_coord             extent,
                                  cairn_coord             grain,
                                  cairn_rows             *rows)
{
    const cairn_coord usable = usable_grain(comm, extent, grain);
    int64_t           total  = counts->entries;
    cairn_rows        fresh;

    CAIRN_TRY(comm->ops->allreduce(comm, &total, 1, CAIRN_SUM));
    /* Without entries no boundary is better than another: cut the rows equally. */
    if (comm->size == 1 || total == 0)
        return cairn_rows_equal(comm, extent, grain, rows);
    CAIRN_TRY(create_rows(comm, extent, &fresh));

    const cairn_status status = cut_by_counts(comm, counts, usable, total, &fresh);

    if (status == CAIRN_OK)
        *rows = fresh;
    else
        cairn_rows_fini(comm->env, &fresh);
    return status;
}

/// Rows of entries, ascending.
typedef struct {
    const cairn_coord *row; ///< [n]
    cairn_pos          n;
} row_list;

static int64_t before_in_list(const void *user, cairn_coord row)
{
    const row_list *list = user;
    cairn_pos       low = 0, high = list->n;

    while (low < high) {
        const cairn_pos middle = low + (high - low) / 2;

        if (list->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

cairn_status cairn_rows_by_entries(cairn_comm          *comm,
                                   const cairn_entries *entries,
                                   cairn_coord          extent,
                                   cairn_coord          grain,
                                   cairn_rows          *rows)
{
    row_list               list   = {.row = entries->coord[0], .n = entries->n};
    const cairn_row_counts counts = {entries->n, before_in_list, &list};
    cairn_coord           *copy   = NULL;
    cairn_status           status = CAIRN_OK;

    if (comm->size > 1) status = ascending_rows(comm->env, entries, &copy);
    if (copy) list.row = copy;
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = cairn_rows_by_counts(comm, &counts, extent, grain, rows);
    cairn_free(comm->env, copy);
    return status;
}

/* ---- entries ---- */

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

#define CAST(type, from)               \
    {                                  \
        const type its = (type)(from); \
        memcpy(to, &its, sizeof its);  \
        return;                        \
    }

static void pack_coord(wire its, cairn_coord coord, char *to)
{
    switch (its) {
    case WIRE_8: CAST(uint8_t, coord)
    case WIRE_16: CAST(uint16_t, coord)
    case WIRE_32: CAST(uint32_t, coord)
    case WIRE_64: CAST(cairn_coord, coord)
    }
}

static void pack_value(wire its, double value, char *to)
{
    switch (its) {
    case WIRE_8: CAST(int8_t, value)
    case WIRE_16: CAST(int16_t, value)
    case WIRE_32: CAST(float, value)
    case WIRE_64: CAST(double, value)
    }
}

#undef CAST
#define CAST(type, to)                                            \
    for (int64_t k = 0; k < n; k++) {                             \
        type its;                                                 \
        memcpy(&its, from + k * (int64_t)sizeof its, sizeof its); \
        (to)[k] = its;                                            \
    }                                                             \
    return;

static void unpack_coords(wire its, const char *from, int64_t n, cairn_coord *to)
{
    switch (its) {
    case WIRE_8: CAST(uint8_t, to)
    case WIRE_16: CAST(uint16_t, to)
    case WIRE_32: CAST(uint32_t, to)
    case WIRE_64: CAST(cairn_coord, to)
    }
}

static void unpack_values(wire its, const char *from, int64_t n, double *to)
{
    switch (its) {
    case WIRE_8: CAST(int8_t, to)
    case WIRE_16: CAST(int16_t, to)
    case WIRE_32: CAST(float, to)
    case WIRE_64: CAST(double, to)
    }
}

#undef CAST

/// Entries on the way. Those that stay are packed in place; one array at a time of those
/// that go is packed by owner and exchanged, so that what is needed beside the entries is
/// one array of what goes and one of what comes.
typedef struct {
    int     *owner; ///< [entries]
    int64_t *counts, *cursor,
        *come_from; ///< [size of comm] each: entries to a rank, and from.
    int64_t *send_bytes, *recv_bytes; ///< [size of comm] each, of one array.
    char    *packed, *arrived;        ///< What goes, and comes, at most 8 bytes each.
    int64_t  wires[CAIRN_MAX_ORDER
                  + 2]; ///< Of the coordinates, then of the values; and 1 if
                         ///< anything goes. The same on all ranks.
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
