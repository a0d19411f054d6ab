// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Chains: one product again and again, each Y the next X, on the card alone. X goes up
/// once; then two vectors take turns, by two graphs, from the one to the other and back; at
/// the end both come down. x is not touched before all has come; y, where it is long, is.

#include "devices/cuda/product.h"

#include <string.h>

static cairn_cuda_product *product_of(const cairn_cuda_seat *s)
{
    return s->product[0];
}

void cairn_cuda_chain_open(cairn_cuda_seat *seat)
{
    const cairn_cuda_product *p   = product_of(seat);
    const cairn_interval     *box = p->work.tensor->box;

    seat->chain.can = seat->products == 1 && !p->keeps && !p->work.op->transposed
                      && box[0].lo == box[1].lo && box[0].hi == box[1].hi
                      && p->y.bytes == (box[1].hi - box[1].lo + 1) * p->x->row;
}

/// A vector for all rows of X: the product's, if it has them.
static cairn_status make_x(cairn_cuda_seat *s)
{
    const cairn_cuda_product *p    = product_of(s);
    cairn_cuda_chain         *c    = &s->chain;
    const cairn_interval      rows = p->x->box;

    c->x   = p->x->on;
    c->own = c->x.bytes != p->y.bytes;
    if (c->own) {
        c->x = (cairn_cuda_operand){.bytes = p->y.bytes,
                                    .begin = (rows.lo - p->x->from) * p->x->row};
        CAIRN_TRY(cairn_cuda_alloc(s->device, c->x.bytes, "a chain", &c->x.at));
    }
    if (c->x.host.begin) return CAIRN_OK;
    CAIRN_TRY(cairn_cuda_pin(s->device, c->x.bytes, &c->host));
    c->x.host = c->host;
    return CAIRN_OK;
}

/// One product of a chain: from X to Y, or from Y to X.
static void enqueue_turn(cairn_cuda_seat *s, int back)
{
    const cairn_cuda_product *p = product_of(s);
    const cairn_cuda_operand *x = &s->chain.x, *y = &p->y;
    cairn_cuda_device        *d  = cairn_cuda_of(s->device);
    const cairn_cuda_pointer  to = back ? x->at : y->at;

    if (p->clears && y->bytes > 0 && s->error == CAIRN_CUDA_OK)
        cairn_cuda_seat_note(
            s, CAIRN_CUDA(d, cuMemsetD8Async, to, 0, (size_t)y->bytes, d->stream),
            "Y set to 0");
    if (s->error != CAIRN_CUDA_OK) return;
    const cairn_cuda_vectors at = {
        (back ? y->at : x->at) - (cairn_cuda_pointer)x->begin, to};

    cairn_cuda_seat_note(s, cairn_cuda_start(p, at), "a kernel");
}

bool cairn_cuda_chain_prepare(cairn_cuda_seat *seat)
{
    cairn_cuda_chain *c = &seat->chain;

    if (c->ready) return true;
    const cairn_status status = make_x(seat);

    if (status == CAIRN_NO_DEVICE)
        cairn_cuda_seat_note(seat, CAIRN_CUDA_UNKNOWN, "memory of a chain");
    if (status != CAIRN_OK) {
        cairn_cuda_chain_close(seat);
        return false;
    }
    for (int k = 0; k < 2; k++) {
        const cairn_cuda_result error =
            cairn_cuda_seat_record(seat, enqueue_turn, k, &c->turn[k]);

        /* What the driver refuses to record is started step by step. */
        if (cairn_cuda_of(seat->device)->loss.lost)
            cairn_cuda_seat_note(seat, error, "a graph");
    }
    c->ready = seat->error == CAIRN_CUDA_OK;
    return c->ready;
}

void cairn_cuda_chain_close(cairn_cuda_seat *seat)
{
    cairn_cuda_chain  *c = &seat->chain;
    cairn_cuda_device *d = cairn_cuda_of(seat->device);

    for (int k = 0; k < 2; k++) {
        if (c->turn[k] && !d->loss.lost) CAIRN_CUDA(d, cuGraphExecDestroy, c->turn[k]);
        c->turn[k] = NULL;
    }
    cairn_cuda_unpin(seat->device, &c->host);
    if (c->own) cairn_cuda_free(d, &c->x.at, c->x.bytes);
    c->own = c->ready = false;
}

/// All products, at most as many under way as there are events: so a product that does not
/// end is found by itself, however many there are.
static void enqueue_turns(cairn_cuda_seat *s, int64_t n)
{
    const cairn_cuda_product *p = product_of(s);
    cairn_cuda_device        *d = cairn_cuda_of(s->device);

    for (int64_t k = 0; k < n && s->error == CAIRN_CUDA_OK; k++) {
        const cairn_cuda_event over = p->moment.turn[k % CAIRN_CUDA_TURNS];
        const int              back = (int)(k % 2);

        if (k >= CAIRN_CUDA_TURNS) cairn_cuda_seat_wait(s, over);
        if (s->error != CAIRN_CUDA_OK) return;
        if (s->chain.turn[back])
            cairn_cuda_seat_note(
                s, CAIRN_CUDA(d, cuGraphLaunch, s->chain.turn[back], d->stream),
                "a graph");
        else
            enqueue_turn(s, back);
        cairn_cuda_seat_mark(s, over);
    }
}

/// The last vector comes to @p y, by pieces where it is long, and the one before it, if @p x is
/// wanted, after that: x is not touched before all has come.
static void bring_down(cairn_cuda_seat          *s,
                       const cairn_cuda_operand *last,
                       const cairn_cuda_operand *before,
                       char                     *x,
                       char                     *y)
{
    const cairn_cuda_product *p     = product_of(s);
    const cairn_cuda_pinned  *host  = &s->chain.x.host;
    const bool                piece = cairn_cuda_is_piece(&p->y);

    if (x) cairn_cuda_seat_down(s, before, host);
    if (piece) {
        cairn_cuda_seat_down(s, last, &p->y.host);
        cairn_cuda_seat_mark(s, p->moment.down);
    } else {
        cairn_cuda_seat_ask(s, 0, last->at);
        cairn_cuda_seat_take(s, 0, y);
    }
    cairn_cuda_seat_wait(s, p->moment.down);
    cairn_cuda_seat_settle(s);
    if (s->error != CAIRN_CUDA_OK) return;
    if (piece) cairn_cuda_copy(s->device, y, p->y.host.begin, last->bytes);
    if (x) cairn_cuda_copy(s->device, x, host->begin, before->bytes);
}

void cairn_cuda_seat_chain(cairn_cuda_seat    *seat,
                           int64_t             n,
                           void               *x,
                           void               *y,
                           cairn_launch_times *times)
{
    const cairn_cuda_product *p      = product_of(seat);
    const cairn_cuda_moments *m      = &p->moment;
    const cairn_cuda_operand *last   = n % 2 ? &p->y : &seat->chain.x;
    const cairn_cuda_operand *before = n % 2 ? &seat->chain.x : &p->y;

    seat->begun.host = 0;
    cairn_cuda_seat_begin(seat, m->begin);
    cairn_cuda_seat_mark(seat, m->begin);
    cairn_cuda_seat_up(seat, &seat->chain.x, (const char *)x + seat->chain.x.begin,
                       "X to it");
    cairn_cuda_seat_mark(seat, m->up);
    cairn_cuda_seat_mark(seat, m->ready);
    enqueue_turns(seat, n);
    cairn_cuda_seat_mark(seat, m->computed);
    bring_down(seat, last, before, n > 1 ? (char *)x + seat->chain.x.begin : NULL, y);
    if (seat->error != CAIRN_CUDA_OK) return;
    *times = (cairn_launch_times){
        .in      = cairn_cuda_seat_seconds(seat, m->begin, m->up) / (double)n,
        .compute = cairn_cuda_seat_seconds(seat, m->ready, m->computed) / (double)n,
        .out     = cairn_cuda_seat_seconds(seat, m->computed, m->down) / (double)n};
}
