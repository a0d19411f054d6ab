// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a plan lends a seat: its X, which the card copies from where it lies, and its Ys, of
/// which whole pages come straight to where they belong, or, where a run has an X and a Y of
/// a caller's, on their way to that Y. No page of them is another launch's, so that those of
/// a card that was given up can be taken away from it.

#include "devices/cuda/product.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static cairn_cuda_device *device_of(const cairn_cuda_seat *s)
{
    return cairn_cuda_of(s->device);
}

/// Pin the X of product @p k where it lies: all rows of it, which others may read, too.
static void lend_x(cairn_cuda_seat *s, int k, const char *at)
{
    cairn_cuda_x           *x = s->product[k]->x;
    const cairn_cuda_result error =
        cairn_cuda_borrow(s->device, at, (x->box.hi - x->box.lo + 1) * x->row);

    if (error != CAIRN_CUDA_OK) {
        s->loan.refused = error;
        return;
    }
    s->loan.lent[s->loan.count++] = (cairn_cuda_lent){at, k};
    x->lent                       = at + x->on.begin - (x->box.lo - x->from) * x->row;
}

/// Pin the block that Y of product @p k lands in: what of Y is whole pages of the block.
static void lend_y(cairn_cuda_seat *s, int k, const cairn_seat_landing *rows)
{
    const uintptr_t           page  = (uintptr_t)sysconf(_SC_PAGESIZE);
    const cairn_cuda_product *p     = s->product[k];
    const uintptr_t           y     = (uintptr_t)rows->y;
    const uintptr_t           block = (uintptr_t)rows->block;
    const uintptr_t           first = (block + page - 1) / page * page;
    const uintptr_t           last  = (block + (uintptr_t)rows->bytes) / page * page;
    const uintptr_t           begin = (y + page - 1) / page * page;
    const uintptr_t           end   = (y + (uintptr_t)p->y.bytes) / page * page;

    if (begin >= end || y + (uintptr_t)p->y.bytes > block + (uintptr_t)rows->bytes
        || cairn_cuda_borrow(s->device, rows->block + (first - block),
                             (int64_t)(last - first))
               != CAIRN_CUDA_OK)
        return;
    s->loan.landing[k] = (cairn_cuda_landing){.y     = rows->y,
                                              .begin = (int64_t)(begin - y),
                                              .end   = (int64_t)(end - y),
                                              .block = rows->block + (first - block)};
}

static void lend_xs(cairn_cuda_seat *s, const void *const *x)
{
    const cairn_cuda_device *d = device_of(s);
    cairn_cuda_loan         *l = &s->loan;

    for (int k = 0; k < s->products && !d->loss.lost; k++) {
        const cairn_cuda_x *mine = s->product[k]->x;

        if (x[k] && mine->on.bytes > 0 && cairn_cuda_seat_brings(s, k))
            lend_x(s, k, (const char *)x[k] + (mine->box.lo - mine->from) * mine->row);
    }
    if (l->count == 0 || d->loss.lost) return;
    const cairn_cuda_result error =
        cairn_cuda_seat_record(s, cairn_cuda_seat_same, 1, &l->graph);

    if (error != CAIRN_CUDA_OK) l->refused = error;
}

/// Of the pieces of a Y that is copied on. Without them there is none.
static void make_events(cairn_cuda_seat *s)
{
    cairn_cuda_landing *l = &s->loan.landing[0];

    for (int n = 0; n < CAIRN_CUDA_LANDED; n++)
        if (cairn_cuda_event_make(s->device, false, &l->piece[n]) != CAIRN_OK) return;
}

cairn_status cairn_cuda_seat_lend(cairn_cuda_seat *seat, const cairn_seat_loan *loan)
{
    const cairn_cuda_device *d = device_of(seat);
    cairn_cuda_loan         *l = &seat->loan;

    if (!seat->graph) return CAIRN_OK;
    lend_xs(seat, loan->x);
    for (int k = 0; k < seat->products && !d->loss.lost; k++)
        if (loan->y[k].y && !cairn_cuda_is_piece(&seat->product[k]->y))
            lend_y(seat, k, &loan->y[k]);
    if (l->count == 1 && seat->products == 1 && l->graph && l->landing[0].y
        && !d->loss.lost)
        make_events(seat);
    if (l->count == 1 && seat->products == 1 && l->graph && l->landing[0].y
        && seat->product[0]->stages.count > 0 && seat->product[0]->ring.half[0].locked
        && seat->product[0]->ring.half[1].locked && !d->loss.lost)
        cairn_cuda_seat_record(seat, cairn_cuda_seat_staged, 0, &l->staged);
    return d->loss.lost ? cairn_cuda_fail(seat->device, CAIRN_CUDA_GIVEN_UP,
                                          "what is lent to it")
                        : CAIRN_OK;
}

/// What a card may still read, since it was given up, stays pinned.
void cairn_cuda_seat_return(cairn_cuda_seat *seat)
{
    cairn_cuda_seat   *s = seat;
    cairn_cuda_device *d = device_of(s);
    cairn_cuda_loan   *l = &s->loan;

    if (l->graph && !d->loss.lost) CAIRN_CUDA(d, cuGraphExecDestroy, l->graph);
    if (l->staged && !d->loss.lost) CAIRN_CUDA(d, cuGraphExecDestroy, l->staged);
    l->graph = l->staged = NULL;
    for (int n = 0; n < l->count; n++)
        cairn_cuda_give_back(s->device, l->lent[n].at);
    for (int k = 0; l->landing && k < s->products; k++) {
        for (int n = 0; n < CAIRN_CUDA_LANDED; n++)
            cairn_cuda_event_free(s->device, &l->landing[k].piece[n]);
        if (l->landing[k].block) cairn_cuda_give_back(s->device, l->landing[k].block);
        l->landing[k] = (cairn_cuda_landing){.y = NULL};
    }
    l->count = 0;
}

/* ---- a run ---- */

/// Is it the X that was lent, of all that is?
static bool has_lent(const cairn_cuda_seat *s, const void *const *x)
{
    bool has = s->loan.graph != NULL;

    for (int n = 0; n < s->loan.count && has; n++) {
        const cairn_cuda_lent *lent = &s->loan.lent[n];
        const cairn_cuda_x    *mine = s->product[lent->product]->x;

        has = (const char *)x[lent->product] + mine->on.begin == mine->lent;
    }
    return has;
}

static bool are_apart(const char *a, int64_t a_bytes, const char *b, int64_t b_bytes)
{
    return (uintptr_t)a + (uintptr_t)a_bytes <= (uintptr_t)b
           || (uintptr_t)b + (uintptr_t)b_bytes <= (uintptr_t)a;
}

/// May Y come to the plan's own Y first, and be copied from there to the caller's? The
/// plan's own Y is free in a run whose X and Y are both a caller's, unless the caller's X or
/// Y overlaps it.
static bool is_copied_on(const cairn_cuda_seat *s, const char *x, const char *y)
{
    const cairn_cuda_landing *l    = s->loan.landing;
    const cairn_cuda_product *p    = s->product[0];
    const cairn_cuda_x       *mine = p->x;
    const int64_t             row  = mine->row;

    return l->piece[CAIRN_CUDA_LANDED - 1] && l->y && !s->lending
           && are_apart(l->y, p->y.bytes, y, p->y.bytes)
           && are_apart(l->y, p->y.bytes, x + (mine->box.lo - mine->from) * row,
                        (mine->box.hi - mine->box.lo + 1) * row);
}

void cairn_cuda_seat_meet(cairn_cuda_seat *seat, const void *const *x, void *const *y)
{
    cairn_cuda_landing *l = seat->loan.landing;

    seat->lending = has_lent(seat, x);
    for (int k = 0; l && k < seat->products; k++) {
        l[k].now = l[k].y && y[k] == l[k].y;
        l[k].on  = !l[k].now && k == 0 && is_copied_on(seat, x[k], y[k]);
    }
    seat->staged =
        seat->lending && seat->loan.staged && cairn_cuda_seat_landing(seat, 0);
}

void cairn_cuda_seat_land(cairn_cuda_seat  *seat,
                          int               k,
                          cairn_interval    bytes,
                          cairn_cuda_stream stream)
{
    const cairn_cuda_product *p      = seat->product[k];
    const cairn_cuda_landing *l      = &seat->loan.landing[k];
    cairn_cuda_device        *d      = device_of(seat);
    const int64_t             cut[4] = {0, l->begin, l->end, p->y.bytes};

    for (int part = 0; part < 3; part++) {
        const int64_t begin = bytes.lo > cut[part] ? bytes.lo : cut[part];
        const int64_t last =
            bytes.hi < cut[part + 1] - 1 ? bytes.hi : cut[part + 1] - 1;
        char *const host = part == 1   ? l->y + begin
                           : part == 0 ? p->ring.half[0].begin + begin
                                       : p->ring.half[1].begin + (begin - l->end);

        if (begin > last || seat->error != CAIRN_CUDA_OK) continue;
        cairn_cuda_seat_note(seat,
                             CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2, host,
                                        p->y.at + (cairn_cuda_pointer)begin,
                                        (size_t)(last - begin + 1), stream),
                             "Y from it");
    }
}

void cairn_cuda_seat_withdraw(cairn_cuda_seat *seat, int k)
{
    cairn_cuda_landing *l = seat->loan.landing ? &seat->loan.landing[k] : NULL;

    if (!l || !l->y) return;
    if ((l->now || l->on)
        && mmap(l->y + l->begin, (size_t)(l->end - l->begin), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
               == MAP_FAILED)
        cairn_log(
            seat->device->env,
            "%s: it was given up, and may still write to Y: no other memory can be "
            "had there",
            seat->device->info.id);
    l->y   = NULL;
    l->now = l->on = false;
}

const cairn_cuda_landing *cairn_cuda_seat_landing(const cairn_cuda_seat *seat, int k)
{
    const cairn_cuda_landing *l = seat->loan.landing;

    return l && (l[k].now || l[k].on) ? &l[k] : NULL;
}

/// Where piece @p n of a Y of so many bytes begins that is copied on.
static int64_t begin_of_piece(int64_t bytes, int n)
{
    const int64_t line = 64;

    return n == CAIRN_CUDA_LANDED ? bytes : bytes / line * n / CAIRN_CUDA_LANDED * line;
}

void cairn_cuda_seat_land_all(cairn_cuda_seat *seat, int k)
{
    const cairn_cuda_product *p      = seat->product[k];
    const cairn_cuda_landing *l      = &seat->loan.landing[k];
    const cairn_cuda_stream   stream = device_of(seat)->stream;

    for (int n = 0; n < CAIRN_CUDA_LANDED && l->on; n++) {
        const cairn_interval bytes = {begin_of_piece(p->y.bytes, n),
                                      begin_of_piece(p->y.bytes, n + 1) - 1};

        cairn_cuda_seat_land(seat, k, bytes, stream);
        cairn_cuda_seat_mark(seat, l->piece[n]);
    }
    if (!l->on)
        cairn_cuda_seat_land(seat, k, (cairn_interval){0, p->y.bytes - 1}, stream);
    cairn_cuda_seat_mark(seat, p->moment.down);
}

/// What of bytes @p from to @p to has come to whole pages is copied on to @p y.
static void copy_on(const cairn_cuda_seat    *s,
                    const cairn_cuda_landing *l,
                    int64_t                   from,
                    int64_t                   to,
                    char                     *y)
{
    const int64_t begin = from > l->begin ? from : l->begin;
    const int64_t end   = to < l->end ? to : l->end;

    if (begin < end) cairn_cuda_copy(s->device, y + begin, l->y + begin, end - begin);
}

void cairn_cuda_seat_take_landed(cairn_cuda_seat *seat, int k, char *y)
{
    const cairn_cuda_product *p = seat->product[k];
    const cairn_cuda_landing *l = &seat->loan.landing[k];

    for (int n = 0; n < CAIRN_CUDA_LANDED && l->on && y; n++) {
        cairn_cuda_seat_wait(seat, l->piece[n]);
        if (seat->error != CAIRN_CUDA_OK) return;
        copy_on(seat, l, begin_of_piece(p->y.bytes, n),
                begin_of_piece(p->y.bytes, n + 1), y);
    }
    if (!seat->staged) cairn_cuda_seat_wait(seat, p->moment.down);
    if (seat->error != CAIRN_CUDA_OK || !y) return;
    memcpy(y, p->ring.half[0].begin, (size_t)l->begin);
    memcpy(y + l->end, p->ring.half[1].begin, (size_t)(p->y.bytes - l->end));
}
