// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An X for each stretch of rows that the launches of a seat read.

#include "devices/cuda/operand.h"

static void discard(cairn_device *device, cairn_cuda_x *x)
{
    cairn_cuda_unpin(device, &x->on.host);
    cairn_cuda_free(cairn_cuda_of(device), &x->on.at, x->on.bytes);
    cairn_free(device->env, x);
}

/// @p like has no memory yet.
static cairn_status
make(cairn_device *device, const cairn_cuda_x *like, cairn_cuda_x **made)
{
    cairn_cuda_device *d = cairn_cuda_of(device);
    cairn_cuda_x      *x;
    cairn_status       status;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &x));
    *x     = *like;
    status = cairn_cuda_alloc(device, x->on.bytes, "X", &x->on.at);
    if (status == CAIRN_OK) status = cairn_cuda_pin(device, x->on.bytes, &x->on.host);
    if (status != CAIRN_OK) {
        discard(device, x);
        return status;
    }
    x->next = d->x;
    d->x    = x;
    *made   = x;
    return CAIRN_OK;
}

cairn_status
cairn_cuda_x_get(cairn_device *device, const cairn_device_work *work, cairn_cuda_x **x)
{
    const bool         transposed = work->op->transposed;
    const cairn_coord  first      = work->tensor->box[transposed ? 0 : 1].lo;
    const int64_t      row        = work->op->columns * (work->tensor->value_bits / 8);
    const cairn_cuda_x wanted     = {.seat     = work->seat,
                                     .first    = first,
                                     .on.bytes = cairn_work_rows_in(work) * row,
                                     .on.begin = transposed ? 0 : first * row};
    cairn_cuda_x      *found      = work->seat ? cairn_cuda_of(device)->x : NULL;

    while (found
           && (found->seat != wanted.seat || found->first != wanted.first
               || found->on.bytes != wanted.on.bytes))
        found = found->next;
    if (!found) CAIRN_TRY(make(device, &wanted, &found));
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
    discard(device, left);
}
