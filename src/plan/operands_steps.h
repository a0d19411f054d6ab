// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the files of operands share. Internal to them.

#ifndef CAIRN_PLAN_OPERANDS_STEPS_H
#define CAIRN_PLAN_OPERANDS_STEPS_H

#include "plan/operands.h"

/// Values of X, or of Y, that this rank owns.
static inline cairn_pos cairn_operands_owned_values(const cairn_operands *o,
                                                    const cairn_rows     *rows)
{
    const int rank = o->comm->rank;

    return (rows->first[rank + 1] - rows->first[rank]) * o->op.columns;
}

/// Has this rank all rows of the window?
static inline bool cairn_operands_owns_window(const cairn_operands *o)
{
    return o->comm->size == 1;
}

/// The t-th of the threads' shares of n things begins here.
static inline cairn_pos
cairn_operands_share_begin(const cairn_operands *o, cairn_pos n, int t)
{
    return n / o->threads * t + n % o->threads * t / o->threads;
}

#endif
