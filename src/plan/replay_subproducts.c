// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which subproducts there are, and how their sums come into Y.

#include "plan/replay_subproducts.h"

#include "plan/replay_queues.h"

/// Is a subproduct at @p home the first in its rows of Y, but for subproducts of device
/// @p but? That may be CAIRN_NO_DEVICE_HERE.
static bool is_first(const cairn_replay *replay, const cairn_member_home *home, int but)
{
    const cairn_subproduct here = {.home = *home, .op = replay->op};

    for (int p = 0; p < replay->subproducts; p++)
        if (replay->subproduct[p].home.device != but
            && cairn_subproduct_meets(&here, &replay->subproduct[p]))
            return false;
    return true;
}

/// Are the rows of Y 0 when the subproduct at @p home begins?
static bool finds_zero(const cairn_replay *replay, const cairn_member_home *home)
{
    return replay->op.beta == 0 && is_first(replay, home, CAIRN_NO_DEVICE_HERE);
}

/// Must the sums be computed apart, so that their bits do not depend on other summands
/// of Y?
static bool must_be_apart(const cairn_replay *replay, const cairn_member_home *home)
{
    return replay->sums.reproducible && !finds_zero(replay, home)
           && (replay->op.transposed
               || !cairn_member_meets_once(replay->common.tensor, home->member,
                                           &replay->op));
}

/// Does the next subproduct, at @p home, add to Y itself? Only while no subproduct of
/// another device comes before it in these rows, and where it could be computed again: a
/// device other than the processor may fail and leave undefined values in Y.
static bool is_direct(const cairn_replay *replay, const cairn_member_home *home)
{
    const cairn_devices *devices = replay->common.devices;

    if (replay->sums.across || must_be_apart(replay, home)
        || !is_first(replay, home, home->device))
        return false;
    if (cairn_device_is_host(&devices->device[home->device])) return true;
    return home->member == 0 && replay->op.beta == 0 && !replay->op.transposed;
}

/// Prepare the subproduct of home @p k. Local.
static cairn_status
init_subproduct(cairn_replay *replay, const cairn_placing *placing, int k, int64_t held)
{
    const cairn_member_home *home   = &placing->home[k];
    const cairn_device      *device = &replay->common.devices->device[home->device];
    const cairn_subproduct_options options = {
        .home    = *home,
        .divided = cairn_placing_shares(placing, home->member) > 1,
        .threads = cairn_replay_host_threads(replay, device),
        .own     = !is_direct(replay, home),
        .free    = !replay->queues.pinned,
        .held    = held + cairn_replay_share_bytes(replay)};

    const bool apart = replay->sums.across || must_be_apart(replay, home);

    replay->subproducts = k + 1;
    CAIRN_TRY(cairn_subproduct_init(&replay->common, &options, &replay->op,
                                    &replay->subproduct[k]));
    if (device->ops.seat) replay->subproduct[k].work.seat = replay;
    replay->subproduct[k].own.apart = apart;
    replay->subproduct[k].queue     = cairn_replay_queue_of(replay, home->device);
    return CAIRN_OK;
}

/// Stored zeros that look like padding are counted once for all shares of a member: with the
/// last one.
static void settle_shares(cairn_replay *replay, int first, int shares)
{
    cairn_row_share *share[CAIRN_MAX_HOMES];

    for (int k = 0; k < shares; k++)
        share[k] = &replay->subproduct[first + k].stored;
    if (shares > 1) cairn_row_shares_settle(share, shares);
}

/// Local.
static cairn_status
init_subproducts(cairn_replay *replay, const cairn_placing *placing, int64_t held)
{
    for (int k = 0; k < placing->count; k++)
        CAIRN_TRY(init_subproduct(replay, placing, k, held));
    for (int k = 0, shares; k < placing->count; k += shares) {
        shares = cairn_placing_shares(placing, placing->home[k].member);
        settle_shares(replay, k, shares);
    }
    return CAIRN_OK;
}

/// Does it belong to a later member that stores nothing here, so that it leaves Y as it
/// is? (Times alpha 0 may be no number.)
static bool adds_nothing(const cairn_replay *replay, const cairn_subproduct *subproduct)
{
    const cairn_device_work *work = &subproduct->work;

    if (subproduct->home.member == 0 || replay->op.alpha != 1) return false;
    for (int64_t k = 0; k < cairn_work_group(work)->count; k++)
        if (cairn_work_part(work, k)->view.values > 0) return false;
    return true;
}

/// Is the f32 Y of a subproduct where its sums are made? Where one member sets each row
/// once, and on the processor, which never has to do it again in another way.
static bool sums_narrow(const cairn_replay *replay, const cairn_subproduct *subproduct)
{
    return replay->common.tensor->value_bits == 32 && subproduct->home.member == 0
           && replay->op.beta == 0 && cairn_device_is_host(subproduct->device)
           && cairn_member_meets_once(subproduct->work.tensor, subproduct->work.member,
                                      &replay->op);
}

/// Is a subproduct that adds nothing not run at all? An f32 Y whose sums are narrow has no
/// room for its; and it saves starting a card, and Ys on their way from there. Y is 0 where
/// nothing was added, never -0, which adding 0 would change.
static bool is_left_out(const cairn_replay *replay, const cairn_subproduct *subproduct)
{
    if (!adds_nothing(replay, subproduct) || replay->sums.across) return false;
    return (replay->common.tensor->value_bits == 32 && !replay->sums.wide)
           || (subproduct->device->ops.seat && replay->op.beta == 0);
}

/// Decide the type of the accumulator, before there are kernels, and what is not run.
static void choose_width(cairn_replay *replay)
{
    replay->sums.wide = replay->sums.across || replay->common.wide;
    for (int p = 0; p < replay->subproducts; p++)
        replay->sums.wide |= !adds_nothing(replay, &replay->subproduct[p])
                             && !sums_narrow(replay, &replay->subproduct[p]);
    for (int p = 0; p < replay->subproducts; p++) {
        cairn_subproduct *subproduct = &replay->subproduct[p];

        subproduct->work.wide = replay->sums.wide;
        subproduct->own.none  = is_left_out(replay, subproduct);
        if (!cairn_subproduct_is_idle(subproduct)) continue;
        subproduct->own.wanted = subproduct->own.apart = false;
    }
}

/// Let the last that adds anything round what comes of Y, if it is a whole member that
/// meets every row once and adds to Y itself, on the processor.
static void choose_rounding(cairn_replay *replay)
{
    int p = replay->subproducts - 1;

    while (p >= 0 && adds_nothing(replay, &replay->subproduct[p]))
        p--;
    if (!replay->sums.wide || replay->common.wide || replay->op.transposed || p < 0)
        return;
    cairn_subproduct        *last = &replay->subproduct[p];
    const cairn_device_work *work = &last->work;

    last->work.rounds =
        !last->own.wanted && !last->stored.local && cairn_device_is_host(last->device)
        && cairn_member_meets_once(work->tensor, work->member, &replay->op)
        && cairn_member_meets_all(work->tensor, work->member, &replay->op);
}

/// Does the first member add to every row of Y?
static bool first_joins(const cairn_replay *replay)
{
    for (int p = 0; p < replay->subproducts && replay->subproduct[p].home.member == 0;
         p++) {
        const cairn_device_work *work = &replay->subproduct[p].work;

        if (!cairn_member_meets_all(work->tensor, work->member, &replay->op))
            return false;
    }
    return true;
}

/// An interpreted member adds term by term: it gets a Y of its own, so that each row of Y
/// is added to once, unless that gives the same bits.
static void part_interpreted(cairn_replay *replay)
{
    const int subproducts = replay->subproducts;

    for (int p = 0; p < subproducts; p++) {
        cairn_subproduct *subproduct = &replay->subproduct[p];

        if (!cairn_member_kernel_lacks(&subproduct->kernel)
            || cairn_subproduct_is_idle(subproduct))
            continue;
        replay->sums.wide   = true;
        replay->subproducts = p; /* those before it */
        subproduct->own.wanted |= !finds_zero(replay, &subproduct->home);
    }
    replay->subproducts = subproducts;
}

cairn_status cairn_replay_create_subproducts(cairn_replay        *replay,
                                             const cairn_placing *placing,
                                             int64_t              held)
{
    CAIRN_TRY(
        cairn_comm_agree(replay->common.comm, init_subproducts(replay, placing, held)));
    choose_width(replay);
    choose_rounding(replay);
    replay->sums.joined = first_joins(replay);
    CAIRN_TRY(cairn_subproducts_get_kernels(replay->subproduct, replay->subproducts));
    part_interpreted(replay);
    for (int p = 0; p < replay->subproducts; p++)
        replay->sums.rounded |= replay->subproduct[p].kernel.launch.rounds;
    return CAIRN_OK;
}
