// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Each rank tells the owners which rows it needs; the lists become persistent messages,
/// one per pair of ranks that share something. Those who need send and those who own
/// receive when rows are summed.

#include "comm/halo.h"

#include "comm/halo_by_node.h"
#include "comm/halo_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// What is shared with others, and whose it is: rows by rank, and their values in a
/// buffer.
typedef struct {
    cairn_pos    n;
    cairn_coord *row;   ///< [n], those of one rank together.
    char        *value; ///< [n][row_bytes]
    int64_t     *count; ///< [size] by rank.
} side;

/// A message that is received.
typedef struct {
    cairn_halo_source source;
    double seen; ///< When it was found to have come; 0: it was not, or untimed.
} arrival;

/// A message that is sent: so many rows, behind those of the one before.
typedef struct {
    cairn_pos first, end;
    char     *to; ///< Where the first one is written to in this run.
} departure;

/// Messages on their way.
typedef struct {
    int        sinks;
    departure *departure; ///< [sinks] In the order of their ranks.
    int        sources;
    arrival   *arrival; ///< [sources] In the order of their ranks.
    bool      *came;    ///< [sources]
    bool       under_way, timed;
    double     begun; ///< 0: untimed.
} flight;

struct cairn_halo {
    cairn_comm    *comm;
    cairn_halo_row shape;
    size_t         row_bytes;
    void          *mapped;
    size_t         mapped_bytes;
    char          *window;
    cairn_coord    first;   ///< The first row that this rank owns.
    int64_t        touched; ///< Bytes of the window that take memory.
    side           need;    ///< Others' rows that this rank uses,
    side           own;     ///< and its own that others use.
    cairn_halo_by_node
          *by_node; ///< What several ranks of a node need, of other nodes'; or NULL.
    void  *exchange;
    flight flight;
};

static int by_value(const void *a, const void *b)
{
    const cairn_coord x = *(const cairn_coord *)a, y = *(const cairn_coord *)b;

    return (x > y) - (x < y);
}

/// Keep each row that another rank owns once; they are then grouped by owner.
static cairn_pos distinct_foreign(const cairn_comm *comm,
                                  const cairn_rows *owners,
                                  cairn_coord      *row,
                                  cairn_pos         n)
{
    const cairn_coord lo = owners->first[comm->rank],
                      hi = owners->first[comm->rank + 1];
    cairn_pos kept       = 0;

    for (cairn_pos k = 0; k < n; k++)
        if (row[k] < lo || row[k] >= hi) row[kept++] = row[k];
    if (kept > 0) qsort(row, (size_t)kept, sizeof *row, by_value);
    n    = kept;
    kept = 0;
    for (cairn_pos k = 0; k < n; k++)
        if (kept == 0 || row[kept - 1] != row[k]) row[kept++] = row[k];
    return kept;
}

static cairn_status create_needs(cairn_halo        *halo,
                                 const cairn_rows  *owners,
                                 const cairn_coord *row,
                                 cairn_pos          n)
{
    cairn_env *env = halo->comm->env;

    halo->need.n = n;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, halo->comm->size, &halo->need.count));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, halo->comm->size, &halo->own.count));
    CAIRN_TRY(CAIRN_NEW(env, n, &halo->need.row));
    CAIRN_TRY(cairn_alloc_zero(env, n, halo->row_bytes, (void **)&halo->need.value));
    for (cairn_pos k = 0; k < n; k++) {
        assert(k == 0 || row[k - 1] < row[k]); /* window_bytes() counts pages by it */
        halo->need.row[k] = row[k];
        halo->need.count[cairn_rows_owner(owners, row[k])]++;
    }
    return CAIRN_OK;
}

/// Huge pages where this rank's own rows are: the rest is touched here and there only,
/// and would come in pieces of 2 MB where the machine offers them unasked.
static void advise_owned(const cairn_halo *halo, const cairn_rows *owners)
{
    const uintptr_t page  = 2u << 20;
    const uintptr_t begin = (uintptr_t)halo->window
                            + (size_t)owners->first[halo->comm->rank] * halo->row_bytes;
    const uintptr_t end =
        (uintptr_t)halo->window
        + (size_t)owners->first[halo->comm->rank + 1] * halo->row_bytes;
    const uintptr_t from = (begin + page - 1) / page * page, to = end / page * page;

    madvise(halo->mapped, halo->mapped_bytes, MADV_NOHUGEPAGE);
    if (to > from) madvise((void *)from, to - from, MADV_HUGEPAGE); /* or small ones */
}

static void unmap(cairn_halo *halo)
{
    if (halo->mapped) munmap(halo->mapped, halo->mapped_bytes);
    halo->mapped = halo->window = NULL;
}

/// Bytes of all rows. @return false: they leave the address space.
static bool
window_length(const cairn_halo *halo, const cairn_rows *owners, size_t *bytes)
{
    const cairn_coord extent = owners->first[owners->size];

    return !__builtin_mul_overflow((size_t)extent, halo->row_bytes, bytes)
           && *bytes < PTRDIFF_MAX - 2 * (size_t)CAIRN_HALO_MARGIN;
}

static void *map_addresses(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static cairn_status map_window(cairn_halo *halo, const cairn_rows *owners)
{
    cairn_env *env = halo->comm->env;
    size_t     bytes;

    CAIRN_CHECK(window_length(halo, owners, &bytes), env, CAIRN_NO_MEMORY,
                "memory: x and y: a window leaves the address space");
    bytes += 2 * (size_t)CAIRN_HALO_MARGIN;
    void *at = map_addresses(bytes);

    if (at == MAP_FAILED) { /* blocks that are kept have addresses, too */
        cairn_pool_trim(&env->pool, 0);
        at = map_addresses(bytes);
    }
    CAIRN_CHECK(at != MAP_FAILED, env, CAIRN_NO_MEMORY,
                "memory: x and y: a window of %zu bytes of address space is not to be "
                "had",
                bytes);
    halo->mapped       = at;
    halo->mapped_bytes = bytes;
    halo->window       = (char *)at + CAIRN_HALO_MARGIN;
    advise_owned(halo, owners);
    return CAIRN_OK;
}

int64_t cairn_halo_window_bytes(const cairn_halo *halo, const cairn_rows *owners)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t base =
        CAIRN_HALO_MARGIN; /* where pages begin, as the window does */
    const size_t own    = (size_t)owners->first[halo->comm->rank + 1] * halo->row_bytes,
                 before = (size_t)owners->first[halo->comm->rank] * halo->row_bytes;
    const uintptr_t begin = (base + before) / page;
    const uintptr_t end   = (base + own + page - 1) / page;
    uintptr_t       next  = 0; /* the first page that is not counted yet */
    int64_t         pages = 0;
    size_t          all;

    if (!window_length(halo, owners, &all)) return INT64_MAX;
    for (cairn_pos k = 0; k < halo->need.n; k++) {
        const uintptr_t at = base + (size_t)halo->need.row[k] * halo->row_bytes;

        for (uintptr_t p = at / page; p <= (at + halo->row_bytes - 1) / page; p++) {
            if (p < next) continue;
            pages += own == before || p < begin || p >= end;
            next = p + 1;
        }
    }
    return (int64_t)(own - before) + pages * (int64_t)page;
}

/// Counted before anything of it is touched.
cairn_status cairn_halo_map(cairn_halo *halo, const cairn_rows *owners)
{
    const int64_t bytes = cairn_halo_window_bytes(halo, owners);

    assert(!halo->window && halo->touched == 0);
    CAIRN_TRY(map_window(halo, owners));
    const cairn_status status =
        cairn_memory_take(halo->comm->env, "x and y beside the arrays", bytes);

    if (status == CAIRN_OK)
        halo->touched = bytes;
    else
        unmap(halo);
    return status;
}

/// What this rank needs and is between it and the owners: all, or what is not handed on.
static side needed_of_owners(const cairn_halo *halo)
{
    if (!halo->by_node) return halo->need;
    const cairn_halo_direct *direct = cairn_halo_by_node_direct(halo->by_node);

    return (side){direct->n, direct->row, direct->value, direct->count};
}

static cairn_status exchange_lists(cairn_halo *halo)
{
    cairn_comm             *comm   = halo->comm;
    const cairn_halo_wanted wanted = {halo->need.n, halo->need.row, halo->need.count,
                                      halo->need.value, halo->row_bytes};

    assert(halo->need.count[comm->rank] == 0); /* a rank has its own rows */
    if (halo->shape.way == CAIRN_HALO_FETCH && comm->nodes > 1)
        CAIRN_TRY(cairn_halo_by_node_create(comm, &wanted, &halo->by_node));
    const side asked = needed_of_owners(halo);

    CAIRN_TRY(cairn_comm_exchange(comm, asked.row, asked.count, sizeof(cairn_coord),
                                  (void **)&halo->own.row, halo->own.count));
    for (int r = 0; r < comm->size; r++)
        halo->own.n += halo->own.count[r];
    return CAIRN_OK;
}

/// One message per rank that shares something with this one.
static int list_messages(const side       *s,
                         const cairn_halo *halo,
                         int              *rank,
                         void            **data,
                         int64_t          *bytes)
{
    int   messages = 0;
    char *at       = s->value;

    for (int r = 0; r < halo->comm->size; r++) {
        if (s->count[r] == 0) continue;
        rank[messages]  = r;
        data[messages]  = at;
        bytes[messages] = s->count[r] * (int64_t)halo->row_bytes;
        at += bytes[messages++];
    }
    return messages;
}

/// Arrays of the messages of both ways, only while they are set up.
typedef struct {
    int     *rank[2];
    void   **data[2];
    int64_t *bytes[2];
} messages;

static cairn_status allocate_messages(cairn_env *env, int size, messages *m)
{
    for (int way = 0; way < 2; way++) {
        CAIRN_TRY(CAIRN_NEW(env, size, &m->rank[way]));
        CAIRN_TRY(CAIRN_NEW(env, size, &m->data[way]));
        CAIRN_TRY(CAIRN_NEW(env, size, &m->bytes[way]));
    }
    return CAIRN_OK;
}

static void free_messages(cairn_env *env, messages *m)
{
    for (int way = 0; way < 2; way++) {
        cairn_free(env, m->rank[way]);
        cairn_free(env, m->data[way]);
        cairn_free(env, m->bytes[way]);
    }
}

/// The side whose rows are sent, and the one that receives.
static side *sender(cairn_halo *halo)
{
    return halo->shape.way == CAIRN_HALO_FETCH ? &halo->own : &halo->need;
}

static side *receiver(cairn_halo *halo)
{
    return halo->shape.way == CAIRN_HALO_FETCH ? &halo->need : &halo->own;
}

static cairn_status create_exchange(cairn_halo *halo, messages *m)
{
    const int sends =
        list_messages(sender(halo), halo, m->rank[0], m->data[0], m->bytes[0]);
    const side direct = needed_of_owners(halo);
    const int  recvs =
        list_messages(halo->shape.way == CAIRN_HALO_FETCH ? &direct : &halo->own, halo,
                      m->rank[1], m->data[1], m->bytes[1]);

    return halo->comm->ops->exchange_create(halo->comm, sends, m->rank[0], m->data[0],
                                            m->bytes[0], recvs, m->rank[1], m->data[1],
                                            m->bytes[1], &halo->exchange);
}

/// To whom this rank sends, and who sends to it.
static cairn_status list_neighbours(cairn_halo *halo)
{
    const side *out = sender(halo), *s = receiver(halo);
    flight     *f  = &halo->flight;
    cairn_pos   at = 0;

    for (int r = 0; r < halo->comm->size; r++)
        f->sinks += out->count[r] > 0;
    CAIRN_TRY(CAIRN_NEW(halo->comm->env, f->sinks, &f->departure));
    for (int r = 0, k = 0; r < halo->comm->size; at += out->count[r++])
        if (out->count[r] > 0)
            f->departure[k++] = (departure){at, at + out->count[r], NULL};
    at = 0;
    for (int r = 0; r < halo->comm->size; r++)
        f->sources += s->count[r] > 0;
    CAIRN_TRY(CAIRN_NEW_ZERO(halo->comm->env, f->sources, &f->arrival));
    CAIRN_TRY(CAIRN_NEW_ZERO(halo->comm->env, f->sources, &f->came));
    for (int r = 0, k = 0; r < halo->comm->size; r++) {
        if (s->count[r] == 0) continue;
        f->arrival[k++].source = (cairn_halo_source){r, at, at + s->count[r]};
        at += s->count[r];
    }
    return CAIRN_OK;
}

static cairn_status connect(cairn_halo *halo)
{
    cairn_env *env = halo->comm->env;
    messages   m   = {0};

    CAIRN_TRY(exchange_lists(halo));
    cairn_status status =
        cairn_alloc(env, halo->own.n, halo->row_bytes, (void **)&halo->own.value);

    if (status == CAIRN_OK) status = list_neighbours(halo);
    if (status == CAIRN_OK) status = allocate_messages(env, halo->comm->size, &m);
    status = cairn_comm_agree(halo->comm, status);
    if (status == CAIRN_OK) status = create_exchange(halo, &m);
    free_messages(env, &m);
    return cairn_comm_agree(halo->comm, status);
}

cairn_status cairn_halo_create(cairn_comm           *comm,
                               const cairn_rows     *owners,
                               const cairn_halo_row *row,
                               cairn_coord          *needs,
                               cairn_pos             n,
                               cairn_halo          **halo)
{
    cairn_halo  *fresh  = NULL;
    cairn_status status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    if (status == CAIRN_OK) {
        fresh->comm      = comm;
        fresh->shape     = *row;
        fresh->first     = owners->first[comm->rank];
        fresh->row_bytes = (size_t)row->columns * (size_t)row->value_bits / 8;
    }
    if (status == CAIRN_OK)
        status = create_needs(fresh, owners, needs,
                              distinct_foreign(comm, owners, needs, n));
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) status = connect(fresh);
    if (status == CAIRN_OK)
        *halo = fresh;
    else
        cairn_halo_destroy(&fresh);
    return status;
}

void cairn_halo_destroy(cairn_halo **halo)
{
    cairn_halo *h = *halo;

    if (!h) return;
    cairn_env *env = h->comm->env;

    if (h->exchange) h->comm->ops->exchange_destroy(h->comm, h->exchange);
    cairn_halo_by_node_destroy(&h->by_node);
    unmap(h);
    cairn_memory_give(env, h->touched);
    for (int which = 0; which < 2; which++) {
        side *s = which ? &h->need : &h->own;

        cairn_free(env, s->row);
        cairn_free(env, s->value);
        cairn_free(env, s->count);
    }
    cairn_free(env, h->flight.departure);
    cairn_free(env, h->flight.arrival);
    cairn_free(env, h->flight.came);
    cairn_free(env, h);
    *halo = NULL;
}

void *cairn_halo_window(const cairn_halo *halo)
{
    return halo->window;
}

const cairn_coord *cairn_halo_needs(const cairn_halo *halo, cairn_pos *n)
{
    *n = halo->need.n;
    return halo->need.row;
}

const void *cairn_halo_fetched(const cairn_halo *halo)
{
    assert(halo->shape.way == CAIRN_HALO_FETCH);
    return halo->need.value;
}

int64_t cairn_halo_bytes(const cairn_halo *halo)
{
    return halo->touched + (halo->need.n + halo->own.n) * (int64_t)halo->row_bytes
           + (halo->by_node ? cairn_halo_by_node_bytes(halo->by_node) : 0);
}

void cairn_halo_counts(const cairn_halo *halo, cairn_pos *received, cairn_pos *sent)
{
    const bool fetch = halo->shape.way == CAIRN_HALO_FETCH;

    *received = fetch ? halo->need.n : halo->own.n;
    *sent     = fetch ? halo->own.n : halo->need.n;
}

void cairn_halo_traffic(const cairn_halo *halo, int64_t *messages, int64_t *bytes)
{
    const cairn_pos rows = halo->need.n > halo->own.n ? halo->need.n : halo->own.n;

    *messages = 0;
    for (int r = 0; r < halo->comm->size; r++)
        *messages += (halo->need.count[r] > 0) + (halo->own.count[r] > 0);
    *bytes = rows * (int64_t)halo->row_bytes;
}

static char *row_at(const cairn_halo *halo, cairn_coord j)
{
    return halo->window + (size_t)j * halo->row_bytes;
}

void cairn_halo_clear(cairn_halo *halo)
{
    for (cairn_pos k = 0; k < halo->need.n; k++)
        memset(row_at(halo, halo->need.row[k]), 0, halo->row_bytes);
}

void cairn_halo_spoil(cairn_halo *halo)
{
    for (cairn_pos k = 0; k < halo->need.n; k++) /* a NaN of either width */
        memset(row_at(halo, halo->need.row[k]), 0xff, halo->row_bytes);
}

/* ---- rows, copied by threads ---- */

enum {
    PIECE       = 64 << 10, ///< Bytes of a piece,
    WORTH       = 1 << 20,  ///< and of as many rows as threads are woken for.
    MOST_PIECES = 1024
};

/// Some rows of a side, in pieces.
typedef struct {
    const cairn_halo *halo;
    const side       *s;
    cairn_pos         first, end;
    int               pieces;
    const char *rows; ///< Of what is packed: where row `of` is, and the rest behind.
    cairn_coord of;
} copies;

/// Where piece @p piece begins.
static cairn_pos piece_at(const copies *c, int piece)
{
    return c->first + (cairn_pos)((__int128)(c->end - c->first) * piece / c->pieces);
}

static void copy_pieces(copies *c, void (*task)(void *user, int piece))
{
    cairn_env *const env     = c->halo->comm->env;
    const int64_t    bytes   = (c->end - c->first) * (int64_t)c->halo->row_bytes;
    const int        threads = bytes < WORTH ? 1 : (int)env->options.threads;

    c->pieces = threads <= 1                  ? 1
                : bytes / PIECE > MOST_PIECES ? MOST_PIECES
                                              : (int)(bytes / PIECE);
    cairn_thread_team_do(&env->thread_team, threads, task, c, c->pieces);
}

/// Write what lies in a piece of each message.
static void pack_piece(void *user, int piece)
{
    const copies *const     c    = user;
    const cairn_halo *const halo = c->halo;
    const cairn_pos         lo = piece_at(c, piece), hi = piece_at(c, piece + 1);

    for (int k = 0; k < halo->flight.sinks; k++) {
        const departure *d     = &halo->flight.departure[k];
        const cairn_pos  first = d->first > lo ? d->first : lo;
        const cairn_pos  end   = d->end < hi ? d->end : hi;

        if (first >= end) continue;
        const cairn_halo_message m = {
            c->s->row + first, end - first,
            d->to + (size_t)(first - d->first) * halo->row_bytes, halo->row_bytes};

        cairn_halo_write(&m, c->rows, c->of);
    }
}

/// Into what is sent, or where its receiver reads it, from where row @p of and those
/// after it are.
static void
pack(const cairn_halo *halo, const side *s, const char *rows, cairn_coord of)
{
    copies c = {halo, s, 0, s->n, 1, rows, of};

    for (int k = 0; k < halo->flight.sinks; k++) {
        departure *d = &halo->flight.departure[k];

        d->to = cairn_halo_room(halo->comm, halo->exchange, k,
                                s->value + (size_t)d->first * halo->row_bytes);
    }
    copy_pieces(&c, pack_piece);
}

static void unpack_piece(void *user, int piece)
{
    const copies *const c     = user;
    const size_t        bytes = c->halo->row_bytes;
    const cairn_pos     end   = piece_at(c, piece + 1);

    for (cairn_pos k = piece_at(c, piece); k < end; k++)
        cairn_halo_copy_row(row_at(c->halo, c->s->row[k]),
                            c->s->value + (size_t)k * bytes, bytes);
}

/// From what came, rows first..end-1 of it, into the window.
static void
unpack(const cairn_halo *halo, const side *s, cairn_pos first, cairn_pos end)
{
    copies c = {halo, s, first, end, 1, NULL, 0};

    copy_pieces(&c, unpack_piece);
}

static void add_piece(void *user, int piece)
{
    const copies *const     c       = user;
    const cairn_halo *const halo    = c->halo;
    const cairn_pos         columns = halo->shape.columns;
    const cairn_pos         end     = piece_at(c, piece + 1);

    for (cairn_pos k = piece_at(c, piece); k < end; k++) {
        char *to   = row_at(halo, c->s->row[k]);
        char *from = c->s->value + (size_t)k * halo->row_bytes;

        for (cairn_pos i = 0; i < columns; i++)
            if (halo->shape.value_bits == 64)
                ((double *)to)[i] += ((double *)from)[i];
            else
                ((float *)to)[i] += ((float *)from)[i];
    }
}

/// Add what came in rank order. A rank sends a row once, so that its rows may be added at
/// the same time.
static void add_rows(const cairn_halo *halo)
{
    const flight *f = &halo->flight;

    for (int k = 0; k < f->sources; k++) {
        const cairn_halo_source source = f->arrival[k].source;
        copies c = {halo, &halo->own, source.first, source.end, 1, NULL, 0};

        copy_pieces(&c, add_piece);
    }
}

void cairn_halo_pack(cairn_halo *halo, const void *owned)
{
    if (owned)
        pack(halo, sender(halo), owned, halo->first);
    else
        pack(halo, sender(halo), halo->window, 0);
}

cairn_status cairn_halo_start(cairn_halo *halo)
{
    flight *f = &halo->flight;

    assert(!f->under_way);
    f->begun = f->timed ? cairn_seconds() : 0;
    for (int k = 0; k < f->sources; k++) {
        f->came[k]         = false;
        f->arrival[k].seen = 0;
    }
    CAIRN_TRY(halo->comm->ops->exchange_begin(halo->comm, halo->exchange));
    if (halo->by_node) cairn_halo_by_node_begin(halo->by_node);
    f->under_way = true;
    return CAIRN_OK;
}

/// Note when those were seen that had not been seen before.
static void note_times(flight *f)
{
    double now = 0;

    for (int k = 0; k < f->sources; k++) {
        if (!f->came[k] || f->arrival[k].seen > 0) continue;
        if (now == 0) now = cairn_seconds();
        f->arrival[k].seen = now;
    }
}

/// A wait that failed was given up (comm.h), and will not be taken up again.
static cairn_status end_flight(cairn_halo *halo, cairn_status status)
{
    if (status != CAIRN_OK) halo->flight.under_way = false;
    return status;
}

cairn_status cairn_halo_progress(cairn_halo *halo)
{
    flight *f = &halo->flight;

    if (!f->under_way) return CAIRN_OK;
    const cairn_status status =
        halo->by_node
            ? cairn_halo_by_node_look(halo->by_node, halo->exchange, f->came)
            : halo->comm->ops->exchange_test(halo->comm, halo->exchange, f->came);

    if (f->timed) note_times(f);
    return end_flight(halo, status);
}

cairn_status cairn_halo_arrive(cairn_halo *halo, int k)
{
    flight                 *f      = &halo->flight;
    const cairn_halo_source source = f->arrival[k].source;

    assert(halo->shape.way == CAIRN_HALO_FETCH);
    if (!f->under_way) return CAIRN_OK;
    if (!f->came[k])
        CAIRN_TRY(end_flight(halo, halo->by_node ? cairn_halo_by_node_await(
                                       halo->by_node, halo->exchange, k)
                                                 : halo->comm->ops->exchange_await(
                                                     halo->comm, halo->exchange, k)));
    f->came[k] = true;
    if (f->timed) note_times(f);
    if (halo->window) unpack(halo, &halo->need, source.first, source.end);
    return CAIRN_OK;
}

cairn_status cairn_halo_finish(cairn_halo *halo)
{
    if (!halo->flight.under_way) return CAIRN_OK;
    halo->flight.under_way = false;
    if (halo->by_node) return cairn_halo_by_node_end(halo->by_node, halo->exchange);
    return halo->comm->ops->exchange_end(halo->comm, halo->exchange);
}

int cairn_halo_sources(const cairn_halo *halo)
{
    return halo->flight.sources;
}

cairn_halo_source cairn_halo_source_at(const cairn_halo *halo, int k)
{
    assert(k >= 0 && k < halo->flight.sources);
    return halo->flight.arrival[k].source;
}

bool cairn_halo_is_under_way(const cairn_halo *halo)
{
    return halo->flight.under_way;
}

int64_t cairn_halo_between_nodes(const cairn_halo *halo)
{
    const side        needed = needed_of_owners(halo);
    const side *const s    = halo->shape.way == CAIRN_HALO_FETCH ? &needed : &halo->own;
    const cairn_comm *comm = halo->comm;
    int64_t           rows = 0;

    for (int r = 0; r < comm->size && comm->nodes > 1; r++)
        if (comm->node_of[r] != comm->node) rows += s->count[r];
    return rows;
}

const cairn_exchange_trials *cairn_halo_trials(const cairn_halo *halo)
{
    return halo->exchange;
}

void cairn_halo_time(cairn_halo *halo, bool timed)
{
    halo->flight.timed = timed;
}

void cairn_halo_flight(const cairn_halo *halo, int k, double *begin, double *end)
{
    *begin = halo->flight.begun;
    *end   = halo->flight.arrival[k].seen;
}

cairn_status cairn_halo_begin(cairn_halo *halo, const void *owned)
{
    cairn_halo_pack(halo, owned);
    return cairn_halo_start(halo);
}

cairn_status cairn_halo_end(cairn_halo *halo)
{
    CAIRN_TRY(cairn_halo_finish(halo));
    if (halo->shape.way == CAIRN_HALO_FETCH) {
        if (halo->window) unpack(halo, &halo->need, 0, halo->need.n);
    } else {
        add_rows(halo);
    }
    return CAIRN_OK;
}
