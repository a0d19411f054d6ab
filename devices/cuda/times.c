// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a run took, by the card's clock: for reports, and as bars of a trace.

#include "devices/cuda/product.h"

#include <string.h>

double cairn_cuda_seat_seconds(const cairn_cuda_seat *seat,
                               cairn_cuda_event       from,
                               cairn_cuda_event       to)
{
    cairn_cuda_device *d  = cairn_cuda_of(seat->device);
    float              ms = 0;

    /* Without times Y is as right as with them. */
    if (d->loss.lost
        || CAIRN_CUDA(d, cuEventElapsedTime, &ms, from, to) != CAIRN_CUDA_OK || ms < 0)
        return 0;
    return (double)ms * 1e-3;
}

/// What the stream did last before Y of product @p k: Ys of one piece go before others.
static cairn_cuda_event before_down(const cairn_cuda_seat *s, int k)
{
    const bool       piece = cairn_cuda_is_piece(&s->product[k]->y);
    cairn_cuda_event event = s->product[s->products - 1]->moment.computed;

    for (int j = 0; !piece && j < s->products; j++)
        if (cairn_cuda_is_piece(&s->product[j]->y) && s->product[j]->y.bytes > 0)
            event = s->product[j]->moment.down;
    for (int j = 0; j < k; j++)
        if (cairn_cuda_is_piece(&s->product[j]->y) == piece
            && s->product[j]->y.bytes > 0)
            event = s->product[j]->moment.down;
    return event;
}

void cairn_cuda_seat_times(const cairn_cuda_seat *seat,
                           int                    k,
                           cairn_launch_times    *times)
{
    const cairn_cuda_seat    *s = seat;
    const cairn_cuda_product *p = s->product[k];
    const cairn_cuda_moments *m = &p->moment;

    if (s->staged) {
        cairn_cuda_staged_times(s, times);
        return;
    }
    times->in =
        cairn_cuda_seat_brings(s, k) ? cairn_cuda_seat_seconds(s, m->begin, m->up) : 0;
    times->compute = cairn_cuda_seat_seconds(s, m->ready, m->computed);
    times->out =
        p->y.bytes > 0 ? cairn_cuda_seat_seconds(s, before_down(s, k), m->down) : 0;
}

static cairn_seat_bar
bar_between(const cairn_cuda_seat *s, cairn_cuda_event from, cairn_cuda_event to)
{
    const double first = s->begun.host;

    return (cairn_seat_bar){first + cairn_cuda_seat_seconds(s, s->begun.card, from),
                            first + cairn_cuda_seat_seconds(s, s->begun.card, to)};
}

void cairn_cuda_seat_bars(const cairn_cuda_seat *seat,
                          int                    k,
                          cairn_seat_bar         bar[CAIRN_SEAT_BARS])
{
    const cairn_cuda_product *p = seat->product[k];
    const cairn_cuda_moments *m = &p->moment;

    memset(bar, 0, CAIRN_SEAT_BARS * sizeof *bar);
    if (seat->error != CAIRN_CUDA_OK || seat->begun.host == 0) return;
    if (cairn_cuda_seat_brings(seat, k))
        bar[CAIRN_SEAT_IN] = bar_between(seat, m->begin, m->up);
    if (seat->staged) {
        const cairn_cuda_stages *stages = &p->stages;

        bar[CAIRN_SEAT_COMPUTE] = bar_between(seat, stages->stage[0].begin,
                                              stages->stage[stages->count - 1].end);
        bar[CAIRN_SEAT_OUT]     = bar_between(seat, stages->stage[0].end, m->down);
        return;
    }
    bar[CAIRN_SEAT_COMPUTE] = bar_between(seat, m->ready, m->computed);
    if (p->y.bytes > 0)
        bar[CAIRN_SEAT_OUT] = bar_between(seat, before_down(seat, k), m->down);
}
