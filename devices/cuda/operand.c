// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An X for all launches of a seat that read rows of the same one.

#include "devices/cuda/operand.h"

#include "devices/x_window.h"

#define PIECE ((int64_t)1 << 20) /* bytes of what is one piece */

bool cairn_cuda_is_piece(const cairn_cuda_operand *operand)
{
    return operand->bytes <= PIECE;
}

static void free_memory(cairn_device *device, cairn_cuda_operand *o)
{
    cairn_cuda_unpin(device, &o->host);
    cairn_cuda_free(cairn_cuda_of(device), &o->at, o->bytes);
}

static void close_ring(cairn_cuda_ring *ring)
{
    if (ring->device) cairn_cuda_ring_close(ring, CAIRN_NO_DEVICE);
    *ring = (cairn_cuda_ring){.device = NULL};
}

/// Memory for the way there, which nothing is on by now: of one piece its own.
static cairn_status
hold_way(cairn_device *device, cairn_cuda_x *x, cairn_cuda_operand *fresh)
{
    if (cairn_cuda_is_piece(fresh))
        return cairn_cuda_pin(device, fresh->bytes, &fresh->host);
    if (x->ring.device) return CAIRN_OK;
    const cairn_status status = cairn_cuda_ring_open(device, fresh->bytes, &x->ring);

    if (status != CAIRN_OK) close_ring(&x->ring);
    return status;
}

/// Have these rows, instead of those that it has; after a failure it has those.
static cairn_status hold(cairn_device *device, cairn_cuda_x *x, cairn_interval rows)
{
    cairn_cuda_operand fresh = {
        .bytes = rows.hi < rows.lo ? 0 : (rows.hi - rows.lo + 1) * x->row,
        .begin = (rows.lo - x->from) * x->row};
    cairn_status status = cairn_cuda_alloc(device, fresh.bytes, "X", &fresh.at);

    if (status == CAIRN_OK) status = hold_way(device, x, &fresh);
    if (status != CAIRN_OK) {
        free_memory(device, &fresh);
        return status;
    }
    free_memory(device, &x->on);
    x->on   = fresh;
    x->rows = rows;
    return CAIRN_OK;
}

/// @p like has no memory yet.
static cairn_status make(cairn_device       *device,
                         const cairn_cuda_x *like,
                         cairn_interval      rows,
                         cairn_cuda_x      **made)
{
    cairn_cuda_device *d = cairn_cuda_of(device);
    cairn_cuda_x      *x;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &x));
    *x                        = *like;
    const cairn_status status = hold(device, x, rows);

    if (status != CAIRN_OK) {
        cairn_free(device->env, x);
        return status;
    }
    x->next = d->x;
    d->x    = x;
    *made   = x;
    return CAIRN_OK;
}

static cairn_interval hull(cairn_interval a, cairn_interval b)
{
    if (a.hi < a.lo) return b;
    if (b.hi < b.lo) return a;
    return (cairn_interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/// The X of another launch of the seat; NULL: there is none.
static cairn_cuda_x *find(const cairn_cuda_device *d, const cairn_cuda_x *wanted)
{
    cairn_cuda_x *x = wanted->seat ? d->x : NULL;

    while (x
           && (x->seat != wanted->seat || x->box.lo != wanted->box.lo
               || x->box.hi != wanted->box.hi || x->row != wanted->row))
        x = x->next;
    return x;
}

cairn_status
cairn_cuda_x_get(cairn_device *device, const cairn_device_work *work, cairn_cuda_x **x)
{
    const bool         transposed = work->op->transposed;
    const cairn_cuda_x wanted     = {.seat = work->seat,
                                     .box  = work->tensor->box[transposed ? 0 : 1],
                                     .row =
                                         work->op->columns * (work->tensor->value_bits / 8),
                                     .from = transposed ? work->tensor->box[0].lo : 0};
    cairn_cuda_x      *found      = find(cairn_cuda_of(device), &wanted);
    cairn_interval     rows       = cairn_x_window(work, device->info.threads);

    if (!found) {
        CAIRN_TRY(make(device, &wanted, rows, &found));
    } else {
        rows = hull(found->rows, rows);
        if (rows.lo < found->rows.lo || rows.hi > found->rows.hi)
            CAIRN_TRY(hold(device, found, rows));
    }
    found->users++;
    *x = found;
    return CAIRN_OK;
}

void cairn_cuda_x_leave(cairn_device *device, cairn_cuda_x **x)
{
    cairn_cuda_x **link = &cairn_cuda_of(device)->x, *left = *x;

    *x = NULL;
    if (!left || --left->users > 0) return;
    while (*link != left)
        link = &(*link)->next;
    *link = left->next;
    close_ring(&left->ring);
    free_memory(device, &left->on);
    cairn_free(device->env, left);
}
