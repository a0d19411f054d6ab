// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which rows several ranks of a node need is found out on ranks of that node, each for some
/// of the rows: the other ranks ask it which rank of the node receives a row.

#include "comm/halo_by_node.h"

#include "comm/halo_rows.h"

#include <stdlib.h>
#include <string.h>

/// Rows that one rank hands on, or gets handed.
typedef struct {
    cairn_pos  n;
    cairn_pos *place;    ///< [n] Among the wanted ones, those of a rank together.
    int64_t   *count;    ///< [ranks]
    char      *value;    ///< [n][bytes]
    int        messages; ///< Ranks that there are some of.
} handed;

/// Handing on, in the run at hand.
typedef struct {
    bool *came;  ///< [messages of owners]
    bool *taken; ///< [messages of owners] And brought to their places.
    bool *in;    ///< [messages of those that hand on]
    bool  begun, arrived;
} progress;

struct cairn_halo_by_node {
    cairn_comm       *comm;
    cairn_halo_wanted wanted;
    cairn_halo_direct direct;
    cairn_pos        *place;   ///< [direct.n] Of each among the wanted ones.
    int               owners;  ///< Ranks that wanted rows are of,
    int              *message; ///< [owners] the message of each, -1: it sends none,
    bool      *handed_on;      ///< [owners] and whether some of its rows are handed on.
    int        messages;       ///< Of owners,
    cairn_pos *first;          ///< [messages + 1] and where they begin in `direct`.
    handed     out, in;
    void      *exchange; ///< Of these.
    progress   now;
};

/* ---- who has what sent ---- */

/// A rank that asks for a row.
typedef struct {
    cairn_coord row;
    int         rank;
    int64_t     number; ///< Of all questions.
} question;

static int by_row(const void *a, const void *b)
{
    const question *x = a, *y = b;

    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int64_t sum_of(const int64_t *count, int n)
{
    int64_t sum = 0;

    for (int r = 0; r < n; r++)
        sum += count[r];
    return sum;
}

/// Where those of each rank begin: @p next, [ranks].
static void begin_each(const int64_t *count, int ranks, int64_t *next)
{
    next[0] = 0;
    for (int r = 1; r < ranks; r++)
        next[r] = next[r - 1] + count[r - 1];
}

/// The lowest rank that asks for each row.
static cairn_status
answer(cairn_comm *comm, const cairn_coord *row, const int64_t *count, int64_t *lowest)
{
    const int64_t n    = sum_of(count, comm->size);
    question     *list = NULL;

    CAIRN_TRY(CAIRN_NEW(comm->env, n, &list));
    for (int64_t k = 0, r = 0, end = count[0]; k < n; k++) {
        while (k == end)
            end += count[++r];
        list[k] = (question){row[k], (int)r, k};
    }
    if (n > 0) qsort(list, (size_t)n, sizeof *list, by_row);
    for (int64_t k = 0, first = 0; k < n; k++) {
        if (list[k].row != list[first].row) first = k;
        lowest[list[k].number] = list[first].rank;
    }
    cairn_free(comm->env, list);
    return CAIRN_OK;
}

/// Questions about rows of other nodes, by the rank that answers.
typedef struct {
    int     *local;   ///< Ranks of this node.
    int     *teller;  ///< [wanted n] Who does; -1: none is asked.
    int64_t *count;   ///< [3][ranks] Asked; asked here; where each rank's next one is.
    cairn_coord *row; ///< Asked.
} questions;

static cairn_status list_questions(const cairn_halo_by_node *by_node, questions *q)
{
    const cairn_comm        *comm = by_node->comm;
    const cairn_halo_wanted *w    = &by_node->wanted;
    int64_t                 *next;
    int                      local = 0;

    CAIRN_TRY(CAIRN_NEW(comm->env, comm->size, &q->local));
    for (int r = 0; r < comm->size; r++)
        if (comm->node_of[r] == comm->node) q->local[local++] = r;
    CAIRN_TRY(CAIRN_NEW(comm->env, w->n, &q->teller));
    CAIRN_TRY(CAIRN_NEW(comm->env, w->n, &q->row));
    CAIRN_TRY(CAIRN_NEW_ZERO(comm->env, 3 * (int64_t)comm->size, &q->count));
    next = q->count + 2 * comm->size;
    for (cairn_pos k = 0, owner = 0, end = w->count[0]; k < w->n; k++) {
        while (k == end)
            end += w->count[++owner];
        q->teller[k] = -1;
        if (comm->node_of[owner] == comm->node) continue;
        q->teller[k] = q->local[w->row[k] % local];
        q->count[q->teller[k]]++;
    }
    begin_each(q->count, comm->size, next);
    for (cairn_pos k = 0; k < w->n; k++)
        if (q->teller[k] >= 0) q->row[next[q->teller[k]]++] = w->row[k];
    return CAIRN_OK;
}

/// Ask. @p from, [wanted n]: who hands each row on; -1: its owner sends it.
///
/// Collective.
static cairn_status ask(cairn_halo_by_node *by_node, int *from)
{
    cairn_comm   *comm = by_node->comm;
    questions     q    = {0};
    cairn_coord  *here = NULL;
    int64_t      *told = NULL, *answers = NULL, *heard, *next;
    cairn_status  status = list_questions(by_node, &q);
    const int64_t n      = by_node->wanted.n;

    CAIRN_GO(done, cairn_comm_agree(comm, status));
    heard = q.count + comm->size;
    next  = heard + comm->size;
    CAIRN_GO(done, cairn_comm_exchange(comm, q.row, q.count, sizeof *q.row,
                                       (void **)&here, heard));
    status = CAIRN_NEW(comm->env, sum_of(heard, comm->size), &told);
    if (status == CAIRN_OK) status = answer(comm, here, heard, told);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, cairn_comm_exchange(comm, told, heard, sizeof *told,
                                       (void **)&answers, next));
    begin_each(q.count, comm->size, next);
    for (int64_t k = 0; k < n; k++) {
        const int64_t who = q.teller[k] < 0 ? comm->rank : answers[next[q.teller[k]]++];

        from[k] = who == comm->rank ? -1 : (int)who;
    }
done:
    cairn_free(comm->env, q.local);
    cairn_free(comm->env, q.teller);
    cairn_free(comm->env, q.row);
    cairn_free(comm->env, q.count);
    cairn_free(comm->env, here);
    cairn_free(comm->env, told);
    cairn_free(comm->env, answers);
    return status;
}

/* ---- lists ---- */

/// What owners send, and in which messages. Local.
static cairn_status list_direct(cairn_halo_by_node *by_node, const int *from)
{
    cairn_env               *env = by_node->comm->env;
    const cairn_halo_wanted *w   = &by_node->wanted;
    cairn_halo_direct       *d   = &by_node->direct;
    cairn_pos                k   = 0;

    for (cairn_pos p = 0; p < w->n; p++)
        d->n += from[p] < 0;
    for (int r = 0; r < by_node->comm->size; r++)
        by_node->owners += w->count[r] > 0;
    CAIRN_TRY(CAIRN_NEW(env, d->n, &d->row));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, by_node->comm->size, &d->count));
    CAIRN_TRY(cairn_alloc(env, d->n, w->bytes, (void **)&d->value));
    CAIRN_TRY(CAIRN_NEW(env, d->n, &by_node->place));
    CAIRN_TRY(CAIRN_NEW(env, by_node->owners, &by_node->message));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, by_node->owners, &by_node->handed_on));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, by_node->owners + 1, &by_node->first));
    CAIRN_TRY(CAIRN_NEW(env, by_node->owners, &by_node->now.came));
    CAIRN_TRY(CAIRN_NEW(env, by_node->owners, &by_node->now.taken));
    d->n = 0;
    for (int r = 0, owner = 0; r < by_node->comm->size; r++) {
        const cairn_pos end = k + w->count[r];

        if (k == end) continue;
        for (; k < end; k++) {
            by_node->handed_on[owner] |= from[k] >= 0;
            if (from[k] >= 0) continue;
            by_node->place[d->n] = k;
            d->row[d->n++]       = w->row[k];
            d->count[r]++;
        }
        by_node->message[owner]           = d->count[r] > 0 ? by_node->messages++ : -1;
        by_node->first[by_node->messages] = d->n;
        owner++;
    }
    return CAIRN_OK;
}

static cairn_status allocate_handed(cairn_halo_by_node *by_node, handed *h)
{
    CAIRN_TRY(CAIRN_NEW(by_node->comm->env, h->n, &h->place));
    return cairn_alloc_zero(by_node->comm->env, h->n, by_node->wanted.bytes,
                            (void **)&h->value);
}

/// What others hand on to this rank, by their ranks. Local.
static cairn_status
list_in(cairn_halo_by_node *by_node, const int *from, cairn_coord **rows)
{
    cairn_comm *comm = by_node->comm;
    handed     *in   = &by_node->in;
    int64_t    *next = NULL;

    CAIRN_TRY(CAIRN_NEW_ZERO(comm->env, comm->size, &in->count));
    CAIRN_TRY(CAIRN_NEW_ZERO(comm->env, comm->size, &by_node->out.count));
    for (cairn_pos k = 0; k < by_node->wanted.n; k++)
        if (from[k] >= 0) in->count[from[k]]++;
    in->n = sum_of(in->count, comm->size);
    CAIRN_TRY(allocate_handed(by_node, in));
    CAIRN_TRY(CAIRN_NEW(comm->env, in->n, rows));
    CAIRN_TRY(CAIRN_NEW(comm->env, comm->size, &by_node->now.in));
    CAIRN_TRY(CAIRN_NEW(comm->env, comm->size, &next));
    begin_each(in->count, comm->size, next);
    for (cairn_pos k = 0; k < by_node->wanted.n; k++) {
        if (from[k] < 0) continue;
        in->place[next[from[k]]] = k;
        (*rows)[next[from[k]]++] = by_node->wanted.row[k];
    }
    cairn_free(comm->env, next);
    return CAIRN_OK;
}

static cairn_pos place_of(const cairn_halo_wanted *w, cairn_coord row)
{
    cairn_pos low = 0, high = w->n;

    while (low + 1 < high) {
        const cairn_pos middle = low + (high - low) / 2;

        if (w->row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/// Exchange, between ranks of the node, which rows each hands on to which. Collective.
static cairn_status list_both(cairn_halo_by_node *by_node, int *from)
{
    cairn_comm  *comm = by_node->comm;
    handed      *out  = &by_node->out;
    cairn_coord *rows = NULL, *theirs = NULL;
    cairn_status status = list_direct(by_node, from);

    if (status == CAIRN_OK) status = list_in(by_node, from, &rows);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, cairn_comm_exchange(comm, rows, by_node->in.count, sizeof *rows,
                                       (void **)&theirs, out->count));
    out->n = sum_of(out->count, comm->size);
    CAIRN_GO(done, cairn_comm_agree(comm, allocate_handed(by_node, out)));
    for (cairn_pos k = 0; k < out->n; k++)
        out->place[k] = place_of(&by_node->wanted, theirs[k]);
done:
    cairn_free(comm->env, rows);
    cairn_free(comm->env, theirs);
    return status;
}

/// Arrays of messages, while they are set up.
typedef struct {
    int     *rank;  ///< [2][ranks]
    void   **data;  ///< [2][ranks]
    int64_t *bytes; ///< [2][ranks]
} messages;

/// One for each rank, from @p at on.
static void list_messages(cairn_halo_by_node *by_node, handed *h, int at, messages *m)
{
    char *next = h->value;

    for (int r = 0; r < by_node->comm->size; r++) {
        if (h->count[r] == 0) continue;
        m->rank[at]  = r;
        m->data[at]  = next;
        m->bytes[at] = h->count[r] * (int64_t)by_node->wanted.bytes;
        next += m->bytes[at++];
        h->messages++;
    }
}

/// Collective.
static cairn_status connect(cairn_halo_by_node *by_node)
{
    cairn_comm  *comm   = by_node->comm;
    const int    size   = comm->size;
    messages     m      = {0};
    cairn_status status = CAIRN_NEW(comm->env, 2 * (int64_t)size, &m.rank);

    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, 2 * (int64_t)size, &m.data);
    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, 2 * (int64_t)size, &m.bytes);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) {
        list_messages(by_node, &by_node->out, 0, &m);
        list_messages(by_node, &by_node->in, size, &m);
        status = comm->ops->exchange_create(
            comm, by_node->out.messages, m.rank, m.data, m.bytes, by_node->in.messages,
            m.rank + size, m.data + size, m.bytes + size, &by_node->exchange);
    }
    cairn_free(comm->env, m.rank);
    cairn_free(comm->env, m.data);
    cairn_free(comm->env, m.bytes);
    return status;
}

cairn_status cairn_halo_by_node_create(cairn_comm              *comm,
                                       const cairn_halo_wanted *wanted,
                                       cairn_halo_by_node     **by_node)
{
    cairn_halo_by_node *fresh  = NULL;
    int                *from   = NULL;
    int64_t             any    = 0;
    cairn_status        status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    *by_node = NULL;
    if (fresh) {
        fresh->comm   = comm;
        fresh->wanted = *wanted;
        status        = CAIRN_NEW(comm->env, wanted->n, &from);
    }
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, ask(fresh, from));
    for (cairn_pos k = 0; k < wanted->n; k++)
        any |= from[k] >= 0;
    CAIRN_GO(done, comm->ops->allreduce(comm, &any, 1, CAIRN_MAX));
    if (!any) goto done;
    CAIRN_GO(done, list_both(fresh, from));
    CAIRN_GO(done, connect(fresh));
    *by_node = fresh;
    fresh    = NULL;
done:
    cairn_free(comm->env, from);
    cairn_halo_by_node_destroy(&fresh);
    return status;
}

static void free_handed(cairn_env *env, handed *h)
{
    cairn_free(env, h->place);
    cairn_free(env, h->count);
    cairn_free(env, h->value);
}

void cairn_halo_by_node_destroy(cairn_halo_by_node **by_node)
{
    cairn_halo_by_node *r = *by_node;

    if (!r) return;
    cairn_env *env = r->comm->env;

    if (r->exchange) r->comm->ops->exchange_destroy(r->comm, r->exchange);
    free_handed(env, &r->out);
    free_handed(env, &r->in);
    cairn_free(env, r->direct.row);
    cairn_free(env, r->direct.count);
    cairn_free(env, r->direct.value);
    cairn_free(env, r->place);
    cairn_free(env, r->message);
    cairn_free(env, r->handed_on);
    cairn_free(env, r->first);
    cairn_free(env, r->now.came);
    cairn_free(env, r->now.taken);
    cairn_free(env, r->now.in);
    cairn_free(env, r);
    *by_node = NULL;
}

const cairn_halo_direct *cairn_halo_by_node_direct(const cairn_halo_by_node *by_node)
{
    return &by_node->direct;
}

int64_t cairn_halo_by_node_bytes(const cairn_halo_by_node *by_node)
{
    return (by_node->direct.n + by_node->out.n + by_node->in.n)
           * (int64_t)by_node->wanted.bytes;
}

/* ---- a run ---- */

/// To their places among the wanted rows.
static void scatter(const cairn_halo_by_node *by_node,
                    const cairn_pos          *place,
                    const char               *value,
                    cairn_pos                 n)
{
    const size_t bytes = by_node->wanted.bytes;

    for (cairn_pos k = 0; k < n; k++)
        cairn_halo_copy_row(by_node->wanted.value + (size_t)place[k] * bytes,
                            value + (size_t)k * bytes, bytes);
}

static void take(cairn_halo_by_node *by_node, int m)
{
    const cairn_pos first = by_node->first[m];

    by_node->now.came[m] = by_node->now.taken[m] = true;
    scatter(by_node, by_node->place + first,
            by_node->direct.value + (size_t)first * by_node->wanted.bytes,
            by_node->first[m + 1] - first);
}

/// All that owners send has come: hand on what others want of it.
static cairn_status hand_on(cairn_halo_by_node *by_node)
{
    cairn_comm   *comm = by_node->comm;
    const handed *out  = &by_node->out;
    cairn_pos     next = 0;

    for (int r = 0, k = 0; k < out->messages; r++) {
        if (out->count[r] == 0) continue;
        char *const value          = out->value + (size_t)next * by_node->wanted.bytes;
        const cairn_halo_message m = {
            out->place + next, out->count[r],
            cairn_halo_room(comm, by_node->exchange, k++, value),
            by_node->wanted.bytes};

        cairn_halo_write(&m, by_node->wanted.value, 0);
        next += out->count[r];
    }
    by_node->now.begun = true;
    return comm->ops->exchange_begin(comm, by_node->exchange);
}

/// All that is handed on to this rank has come.
static void arrive(cairn_halo_by_node *by_node)
{
    by_node->now.arrived = true;
    scatter(by_node, by_node->in.place, by_node->in.value, by_node->in.n);
}

static bool all_of(const bool *which, int n)
{
    bool all = true;

    for (int k = 0; k < n; k++)
        all = all && which[k];
    return all;
}

void cairn_halo_by_node_begin(cairn_halo_by_node *by_node)
{
    progress *now = &by_node->now;

    memset(now->came, 0, (size_t)by_node->messages * sizeof *now->came);
    memset(now->taken, 0, (size_t)by_node->messages * sizeof *now->taken);
    memset(now->in, 0, (size_t)by_node->in.messages * sizeof *now->in);
    now->begun = now->arrived = false;
}

cairn_status
cairn_halo_by_node_look(cairn_halo_by_node *by_node, void *exchange, bool *came)
{
    const cairn_comm_ops *ops = by_node->comm->ops;
    progress             *now = &by_node->now;

    if (!now->begun) {
        CAIRN_TRY(ops->exchange_test(by_node->comm, exchange, now->came));
        for (int m = 0; m < by_node->messages; m++)
            if (now->came[m] && !now->taken[m]) take(by_node, m);
        if (all_of(now->taken, by_node->messages)) CAIRN_TRY(hand_on(by_node));
    } else if (!now->arrived) {
        CAIRN_TRY(ops->exchange_test(by_node->comm, by_node->exchange, now->in));
        if (all_of(now->in, by_node->in.messages)) arrive(by_node);
    }
    for (int k = 0; k < by_node->owners; k++)
        came[k] |= (by_node->message[k] < 0 || now->taken[by_node->message[k]])
                   && (now->arrived || !by_node->handed_on[k]);
    return CAIRN_OK;
}

static cairn_status await_message(cairn_halo_by_node *by_node, void *exchange, int m)
{
    if (m < 0 || by_node->now.taken[m]) return CAIRN_OK;
    if (!by_node->now.came[m])
        CAIRN_TRY(by_node->comm->ops->exchange_await(by_node->comm, exchange, m));
    take(by_node, m);
    return CAIRN_OK;
}

/// Who waits for others hands on before what they wait for.
static cairn_status await_handed(cairn_halo_by_node *by_node, void *exchange)
{
    const cairn_comm_ops *ops = by_node->comm->ops;

    for (int m = 0; m < by_node->messages; m++)
        CAIRN_TRY(await_message(by_node, exchange, m));
    if (!by_node->now.begun) CAIRN_TRY(hand_on(by_node));
    for (int m = 0; m < by_node->in.messages && !by_node->now.arrived; m++)
        CAIRN_TRY(ops->exchange_await(by_node->comm, by_node->exchange, m));
    if (!by_node->now.arrived) arrive(by_node);
    return CAIRN_OK;
}

cairn_status
cairn_halo_by_node_await(cairn_halo_by_node *by_node, void *exchange, int k)
{
    CAIRN_TRY(await_message(by_node, exchange, by_node->message[k]));
    return by_node->handed_on[k] ? await_handed(by_node, exchange) : CAIRN_OK;
}

cairn_status cairn_halo_by_node_end(cairn_halo_by_node *by_node, void *exchange)
{
    CAIRN_TRY(await_handed(by_node, exchange));
    CAIRN_TRY(by_node->comm->ops->exchange_end(by_node->comm, exchange));
    return by_node->comm->ops->exchange_end(by_node->comm, by_node->exchange);
}
