// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The sum of Y, of kernels that make it.

#include "plan/replay_y_sum.h"

/// Does nothing come to Y but what kernels add to it?
static bool is_plain(const cairn_replay *replay)
{
    return !replay->sums.across && !replay->op.transposed && replay->op.beta == 0;
}

/// Have a subproduct's kernel, and those of its pieces, add up. @return Does it?
static bool ask(cairn_subproduct *s)
{
    cairn_launch *const launch = &s->kernel.launch;

    if (cairn_member_kernel_lacks(&s->kernel) || !launch->y_sum.make
        || !launch->y_sum.make(launch))
        return false;
    for (int k = 0; k < s->pieces.count; k++) {
        cairn_launch *const its = &s->pieces.piece[k].launch;

        if (!its->y_sum.make || !its->y_sum.make(its)) return false;
    }
    return true;
}

void cairn_replay_sum_y(cairn_replay *replay)
{
    bool all = is_plain(replay);

    for (int k = 0; k < replay->subproducts && all; k++)
        if (!cairn_subproduct_is_idle(&replay->subproduct[k]))
            all = ask(&replay->subproduct[k]);
}

void cairn_replay_forget_y_sum(cairn_replay *replay)
{
    for (int k = 0; k < replay->subproducts; k++) {
        cairn_subproduct *const s = &replay->subproduct[k];

        s->kernel.launch.y_sum.leaves = 0;
        for (int n = 0; n < s->pieces.count; n++)
            s->pieces.piece[n].launch.y_sum.leaves = 0;
    }
}

static long double sum_of(const cairn_launch *launch)
{
    long double sum = 0;

    for (int64_t k = 0; k < launch->y_sum.leaves; k++)
        sum += launch->y_sum.leaf[k];
    return sum;
}

/// What a subproduct has added, if it has been added up.
static bool add(const cairn_subproduct *s, long double *sum)
{
    if (s->kernel.launch.y_sum.leaves > 0) { /* it ran whole, perhaps after a failure */
        *sum += sum_of(&s->kernel.launch);
        return true;
    }
    for (int k = 0; k < s->pieces.count; k++) {
        if (s->pieces.piece[k].launch.y_sum.leaves == 0) return false;
        *sum += sum_of(&s->pieces.piece[k].launch);
    }
    return s->pieces.count > 0;
}

bool cairn_replay_y_sum(const cairn_replay *replay, long double *sum)
{
    long double all = 0;

    if (!is_plain(replay)) return false;
    for (int k = 0; k < replay->subproducts; k++)
        if (!cairn_subproduct_is_idle(&replay->subproduct[k])
            && !add(&replay->subproduct[k], &all))
            return false;
    *sum = all;
    return true;
}
