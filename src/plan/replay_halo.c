// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tasks around messages; the halo knows what is under way.

#include "plan/replay_halo.h"

#include <stdio.h>

static cairn_halo *halo_of(const cairn_replay *replay)
{
    return replay->common.operands->halo;
}

bool cairn_replay_travels(const cairn_replay *replay)
{
    return replay->common.comm->size > 1 && !replay->op.transposed
           && !replay->sums.across;
}

cairn_status cairn_replay_list_arrivals(cairn_replay *replay, cairn_replay_tasks *tasks)
{
    const int sources = cairn_halo_sources(halo_of(replay));

    CAIRN_TRY(CAIRN_NEW_ZERO(replay->common.comm->env, sources, &tasks->arrival));
    tasks->arrivals = sources;
    for (int k = 0; k < sources; k++) {
        cairn_replay_arrival *arrival = &tasks->arrival[k];

        arrival->replay = replay;
        arrival->source = k;
        snprintf(arrival->label, sizeof arrival->label, "rows of rank %d",
                 cairn_halo_source_at(halo_of(replay), k).rank);
    }
    return CAIRN_OK;
}

static cairn_status pack(void *argument)
{
    const cairn_operands *o = ((cairn_replay *)argument)->common.operands;

    cairn_halo_pack(o->halo, o->now.x);
    return CAIRN_OK;
}

static cairn_status start(void *argument)
{
    cairn_replay      *replay = argument;
    const cairn_status status = cairn_halo_start(halo_of(replay));

    replay->tasks.way =
        cairn_exchange_way_name(cairn_halo_trials(halo_of(replay))->way);
    return status;
}

static cairn_status begin_sums(void *argument)
{
    const cairn_replay *replay = argument;

    cairn_operands_begin_y(replay->common.operands, replay->tasks.set,
                           replay->sums.joined);
    return CAIRN_OK;
}

static cairn_status progress(void *argument)
{
    return cairn_halo_progress(halo_of(argument));
}

static cairn_status fill_window(void *argument)
{
    const cairn_replay *replay = argument;

    if (!cairn_operands_is_parted(replay->common.operands)) return CAIRN_OK;
    for (int p = 0; p < replay->subproducts; p++)
        cairn_subproduct_fill_window(&replay->subproduct[p]);
    return CAIRN_OK;
}

static cairn_status finish(void *argument)
{
    return cairn_halo_finish(halo_of(argument));
}

/// Bytes of rows of X.
static int64_t bytes_of(const cairn_replay *replay, cairn_pos rows)
{
    return rows * replay->op.columns * replay->common.tensor->value_bits / 8;
}

cairn_task cairn_replay_halo_task(cairn_replay *replay, cairn_replay_halo_step step)
{
    static const cairn_task of[] = {
        [CAIRN_STEP_PACK]     = {.run = pack,          .label = "pack",       .always = true},
        [CAIRN_STEP_START]    = {.run = start,         .label = "start",      .always = true},
        [CAIRN_STEP_SUMS]     = {.run = begin_sums,    .label = "begin sums"},
        [CAIRN_STEP_PROGRESS] = {.run = progress, .label = "progress",        .always = true              },
        [CAIRN_STEP_WINDOW]   = {.run = fill_window, .label = "own rows"                     },
        [CAIRN_STEP_FINISH]   = {.run = finish,      .label = "finish",                           .always = true},
    };
    cairn_task task = of[step];
    cairn_pos  received, sent;

    cairn_halo_counts(halo_of(replay), &received, &sent);
    task.argument = replay;
    task.kind     = step == CAIRN_STEP_SUMS ? "sums" : "halo";
    if (step == CAIRN_STEP_PACK || step == CAIRN_STEP_START)
        task.bytes = bytes_of(replay, sent);
    if (step == CAIRN_STEP_START) task.how = &replay->tasks.way;
    return task;
}

static cairn_status arrive(void *argument)
{
    cairn_replay_arrival *arrival = argument;
    cairn_halo           *halo    = halo_of(arrival->replay);
    const cairn_status    status  = cairn_halo_arrive(halo, arrival->source);

    if (arrival->replay->trace)
        cairn_halo_flight(halo, arrival->source, &arrival->flight.begin,
                          &arrival->flight.end);
    return status;
}

cairn_task cairn_replay_arrival_task(cairn_replay_arrival *arrival)
{
    const cairn_halo_source source =
        cairn_halo_source_at(halo_of(arrival->replay), arrival->source);

    return (cairn_task){.run      = arrive,
                        .argument = arrival,
                        .label    = arrival->label,
                        .kind     = "arrival",
                        .flight   = &arrival->flight,
                        .bytes  = bytes_of(arrival->replay, source.end - source.first),
                        .always = true};
}

cairn_status cairn_replay_only_exchange(cairn_replay *replay)
{
    const cairn_operands *o = replay->common.operands;

    CAIRN_TRY(cairn_halo_begin(o->halo, o->now.x));
    return cairn_halo_end(o->halo);
}
