// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A caller's X and Y: addresses decide which of them are used without a copy.

#include "plan/callers.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

/// Copy, unless an operand is missing or both are the same.
static void copy(void *to, const void *from, size_t bytes)
{
    if (from && from != to && bytes > 0) memmove(to, from, bytes);
}

static bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    const uintptr_t p = (uintptr_t)a, q = (uintptr_t)b;

    return p < q + b_bytes && q < p + a_bytes;
}

/// May the run read the caller's @p x without a copy, while it writes @p y? Several
/// ranks make the sums of a transposed product in the plan's Y, and copy some of an X that
/// lies outside of the window into it.
static bool reads_there(const cairn_operands *o, const void *x, const void *y)
{
    const size_t xs = cairn_operands_x_bytes(o), ys = cairn_operands_y_bytes(o);

    return !overlap(x, xs, y, ys) && !(o->comm->size > 1 && overlap(x, xs, o->y, ys))
           && (cairn_operands_reads_owned_x(o)
               || (!overlap(x, xs, o->x, xs) && !overlap(y, ys, o->x, xs)));
}

void cairn_operands_lend(cairn_operands *operands, const void *x, void *y)
{
    cairn_operands *o  = operands;
    const size_t    xs = cairn_operands_x_bytes(o), ys = cairn_operands_y_bytes(o);

    o->now = (cairn_vectors){o->x, o->y};
    if (x && y && reads_there(o, x, y)) o->now.x = x;
    if (y && !overlap(o->now.x, xs, y, ys)) o->now.y = y;
    /* The source of the copy may lie in the plan's other vector. */
    const bool y_stays = o->now.y == y || o->op.beta == 0;
    const bool x_first = y_stays || overlap(x, xs, o->y, ys);

    if (!x_first) copy(o->y, y, ys);
    if (o->now.x == o->x) copy(o->x, x, xs);
    if (x_first && !y_stays) copy(o->y, y, ys);
    o->last = (cairn_vectors){o->now.x == o->x ? NULL : o->now.x,
                              o->now.y == o->y ? NULL : o->now.y};
}

void cairn_operands_give_back(cairn_operands *operands, void *y)
{
    cairn_operands *o = operands;

    if (y && o->now.y == o->y) copy(y, o->y, cairn_operands_y_bytes(o));
    o->now = (cairn_vectors){o->x, o->y};
}

bool cairn_operands_chain(cairn_operands *operands, bool turned)
{
    cairn_operands *o = operands;

    assert(!o->op.transposed && cairn_operands_x_bytes(o) == cairn_operands_y_bytes(o));
    if (o->comm->size > 1) {
        copy(o->x, o->y, cairn_operands_x_bytes(o));
        return false;
    }
    o->now = turned ? (cairn_vectors){o->x, o->y} : (cairn_vectors){o->y, o->x};
    return !turned;
}

void cairn_operands_end_chain(cairn_operands *operands, bool turned)
{
    cairn_operands *o     = operands;
    const size_t    bytes = turned ? cairn_operands_x_bytes(o) : 0;
    char           *x = o->x, *y = o->y, held[4096];

    for (size_t at = 0; at < bytes; at += sizeof held) {
        const size_t n = bytes - at < sizeof held ? bytes - at : sizeof held;

        memcpy(held, x + at, n);
        memcpy(x + at, y + at, n);
        memcpy(y + at, held, n);
    }
    o->now  = (cairn_vectors){o->x, o->y};
    o->last = (cairn_vectors){NULL, NULL};
}

void cairn_operands_keep_last(cairn_operands *operands)
{
    cairn_operands *o = operands;

    copy(o->x, o->last.x, cairn_operands_x_bytes(o));
    copy(o->y, o->last.y, cairn_operands_y_bytes(o));
    o->last = (cairn_vectors){NULL, NULL};
}
