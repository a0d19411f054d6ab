// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Each rank tells the owners which columns it needs; the lists become persistent
/// messages, one per pair of ranks that share something.

#include "comm/halo.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/// What goes one way: columns by rank, and their values in a buffer.
typedef struct {
    cairn_pos    n;
    cairn_coord *column; ///< [n], those of one rank together.
    double      *value;  ///< [n]
    int64_t     *count;  ///< [size] by rank.
} side;

struct cairn_halo {
    cairn_comm *comm;
    double     *window;
    size_t      window_bytes;
    side        need, give;
    void       *exchange;
};

static int by_value(const void *a, const void *b)
{
    const cairn_coord x = *(const cairn_coord *)a, y = *(const cairn_coord *)b;

    return (x > y) - (x < y);
}

/// Keep each column that another rank owns once; they are then grouped by owner.
static cairn_pos distinct_foreign(const cairn_comm *comm,
                                  const cairn_rows *owners,
                                  cairn_coord      *column,
                                  cairn_pos         n)
{
    const cairn_coord lo = owners->first[comm->rank],
                      hi = owners->first[comm->rank + 1];
    cairn_pos kept       = 0;

    for (cairn_pos k = 0; k < n; k++)
        if (column[k] < lo || column[k] >= hi) column[kept++] = column[k];
    if (kept > 0) qsort(column, (size_t)kept, sizeof *column, by_value);
    n    = kept;
    kept = 0;
    for (cairn_pos k = 0; k < n; k++)
        if (kept == 0 || column[kept - 1] != column[k]) column[kept++] = column[k];
    return kept;
}

static cairn_status create_needs(cairn_halo        *halo,
                                 const cairn_rows  *owners,
                                 const cairn_coord *column,
                                 cairn_pos          n)
{
    cairn_env *env = halo->comm->env;

    halo->need.n = n;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, halo->comm->size, &halo->need.count));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, halo->comm->size, &halo->give.count));
    CAIRN_TRY(CAIRN_NEW(env, n, &halo->need.column));
    CAIRN_TRY(CAIRN_NEW(env, n, &halo->need.value));
    for (cairn_pos k = 0; k < n; k++) {
        halo->need.column[k] = column[k];
        halo->need.count[cairn_rows_owner(owners, column[k])]++;
    }
    return CAIRN_OK;
}

static cairn_status map_window(cairn_halo *halo, cairn_coord extent)
{
    cairn_env *env = halo->comm->env;
    size_t     bytes;

    CAIRN_CHECK(!__builtin_mul_overflow((size_t)extent, sizeof(double), &bytes), env,
                CAIRN_NO_MEMORY, "memory: x: its window leaves the address space");
    bytes += sizeof(double); /* an empty range cannot be mapped */
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    CAIRN_CHECK(at != MAP_FAILED, env, CAIRN_NO_MEMORY,
                "memory: x: a window of %zu bytes of address space is not to be had",
                bytes);
    halo->window       = at;
    halo->window_bytes = bytes;
    return CAIRN_OK;
}

static cairn_status exchange_lists(cairn_halo *halo)
{
    cairn_comm *comm = halo->comm;

    CAIRN_TRY(cairn_comm_exchange(comm, halo->need.column, halo->need.count,
                                  sizeof(cairn_coord), (void **)&halo->give.column,
                                  halo->give.count));
    for (int r = 0; r < comm->size; r++)
        halo->give.n += halo->give.count[r];
    return CAIRN_OK;
}

/// One message per rank that shares something with this one.
static int
list_messages(const side *s, int size, int *rank, void **data, int64_t *bytes)
{
    int     messages = 0;
    int64_t at       = 0;

    for (int r = 0; r < size; r++) {
        if (s->count[r] == 0) continue;
        rank[messages]    = r;
        data[messages]    = s->value + at;
        bytes[messages++] = s->count[r] * (int64_t)sizeof(double);
        at += s->count[r];
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

static cairn_status create_exchange(cairn_halo *halo, messages *m)
{
    const int size = halo->comm->size;
    const int sends =
        list_messages(&halo->give, size, m->rank[0], m->data[0], m->bytes[0]);
    const int recvs =
        list_messages(&halo->need, size, m->rank[1], m->data[1], m->bytes[1]);

    return halo->comm->ops->exchange_create(halo->comm, sends, m->rank[0], m->data[0],
                                            m->bytes[0], recvs, m->rank[1], m->data[1],
                                            m->bytes[1], &halo->exchange);
}

static cairn_status connect(cairn_halo *halo)
{
    cairn_env *env = halo->comm->env;
    messages   m   = {0};

    CAIRN_TRY(exchange_lists(halo));
    cairn_status status = CAIRN_NEW(env, halo->give.n, &halo->give.value);

    if (status == CAIRN_OK) status = allocate_messages(env, halo->comm->size, &m);
    status = cairn_comm_agree(halo->comm, status);
    if (status == CAIRN_OK) status = create_exchange(halo, &m);
    free_messages(env, &m);
    return cairn_comm_agree(halo->comm, status);
}

cairn_status cairn_halo_create(cairn_comm       *comm,
                               const cairn_rows *owners,
                               cairn_coord      *columns,
                               cairn_pos         n,
                               cairn_halo      **halo)
{
    cairn_halo  *fresh  = NULL;
    cairn_status status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    if (status == CAIRN_OK) {
        fresh->comm = comm;
        status      = map_window(fresh, owners->first[owners->size]);
    }
    if (status == CAIRN_OK)
        status = create_needs(fresh, owners, columns,
                              distinct_foreign(comm, owners, columns, n));
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
    if (h->window) munmap(h->window, h->window_bytes);
    for (int way = 0; way < 2; way++) {
        side *s = way ? &h->need : &h->give;

        cairn_free(env, s->column);
        cairn_free(env, s->value);
        cairn_free(env, s->count);
    }
    cairn_free(env, h);
    *halo = NULL;
}

double *cairn_halo_window(cairn_halo *halo)
{
    return halo->window;
}

void cairn_halo_counts(const cairn_halo *halo, cairn_pos *received, cairn_pos *sent)
{
    *received = halo->need.n;
    *sent     = halo->give.n;
}

cairn_status cairn_halo_begin(cairn_halo *halo)
{
    for (cairn_pos k = 0; k < halo->give.n; k++)
        halo->give.value[k] = halo->window[halo->give.column[k]];
    return halo->comm->ops->exchange_begin(halo->comm, halo->exchange);
}

cairn_status cairn_halo_end(cairn_halo *halo)
{
    CAIRN_TRY(halo->comm->ops->exchange_end(halo->comm, halo->exchange));
    for (cairn_pos k = 0; k < halo->need.n; k++)
        halo->window[halo->need.column[k]] = halo->need.value[k];
    return CAIRN_OK;
}
