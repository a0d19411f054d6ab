// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The queues of a replay, and the threads that serve them.

#include "plan/replay_queues.h"

#include "plan/affinity.h"
#include "plan/replay_halo.h"

#include <string.h>

static const cairn_device *queue_device(const cairn_replay *replay, int q)
{
    return &replay->common.devices->device[replay->queues.device[q]];
}

static bool is_device_queue(const cairn_replay *replay, int q)
{
    return replay->queues.device[q] != CAIRN_NO_DEVICE_HERE;
}

static bool is_host_queue(const cairn_replay *replay, int q)
{
    return is_device_queue(replay, q) && cairn_device_is_host(queue_device(replay, q));
}

const char *cairn_replay_queue_name(const cairn_replay *replay, int queue)
{
    if (is_device_queue(replay, queue)) return queue_device(replay, queue)->info.id;
    return cairn_replay_travels(replay) ? "halo" : NULL;
}

static int count_hosts(const cairn_replay *replay)
{
    int hosts = 0;

    for (int q = 0; q < replay->queues.count; q++)
        hosts += is_host_queue(replay, q);
    return hosts;
}

int cairn_replay_host_threads(const cairn_replay *replay, const cairn_device *device)
{
    const int all    = device->info.threads;
    const int hosts  = count_hosts(replay);
    int       others = 0;

    for (int q = 0; q < replay->queues.count; q++)
        others += is_device_queue(replay, q) && !is_host_queue(replay, q);
    if (hosts == 0 || others == 0 || device->env->threads_given) return all;
    const int left = all - (others + hosts - 1) / hosts;

    return left > 1 ? left : 1;
}

int cairn_replay_sum_threads(const cairn_replay *replay)
{
    const cairn_device *device = replay->queues.pinned
                                     ? queue_device(replay, replay->queues.collector)
                                     : cairn_devices_host(replay->common.devices);

    return cairn_replay_host_threads(replay, device);
}

int cairn_replay_queue_of(cairn_replay *replay, int device)
{
    for (int q = 0; q < replay->queues.count; q++)
        if (replay->queues.device[q] == device) return q;
    if (replay->queues.count > 0 && replay->common.devices->device[device].ops.seat)
        return replay->queues.collector;
    replay->queues.device[replay->queues.count] = device;
    return replay->queues.count++;
}

/// Threads that run at once: those of all queues' devices.
static int threads_at_once(const cairn_replay *replay)
{
    int threads = 0;

    for (int q = 0; q < replay->queues.count; q++)
        if (is_device_queue(replay, q))
            threads += is_host_queue(replay, q)
                           ? cairn_replay_host_threads(replay, queue_device(replay, q))
                           : 1;
    return threads;
}

/// Where several queues are the processor, and their threads can have their own cores, a
/// first one with a team moves from the caller's thread to one of its own: the teams of
/// the caller's thread are the user's, too, and are bound nowhere. Without a team that is
/// not worth its hops (20 to 100 us where no core is left for a thread that waits).
static void pin_queues(cairn_replay *replay)
{
    const cairn_subproducts_common *c = &replay->common;

    replay->queues.pinned =
        count_hosts(replay) > 1
        && cairn_affinity_fit(c->devices->machine, threads_at_once(replay),
                              c->comm->local_size);
    if (!replay->queues.pinned
        || cairn_replay_host_threads(replay, queue_device(replay, 0)) == 1)
        return;
    memmove(&replay->queues.device[1], &replay->queues.device[0],
            (size_t)replay->queues.count * sizeof *replay->queues.device);
    replay->queues.device[0] = CAIRN_NO_DEVICE_HERE;
    replay->queues.count++;
    replay->queues.collector = 1;
}

void cairn_replay_begin_queues(cairn_replay *replay, const cairn_placing *placing)
{
    const cairn_device *device = replay->common.devices->device;

    for (int k = 0; k < placing->count && replay->queues.count == 0; k++)
        if (cairn_device_is_host(&device[placing->home[k].device]))
            cairn_replay_queue_of(replay, placing->home[k].device);
    for (int k = 0; k < placing->count; k++)
        cairn_replay_queue_of(replay, placing->home[k].device);
    pin_queues(replay);
}

/// An engine whose threads are bound, if that is wanted; if the system refuses, they are
/// not.
static cairn_status start_engine(cairn_replay *replay, cairn_engine_options *options)
{
    cairn_env     *env = replay->common.comm->env;
    cairn_affinity affinity;
    cairn_status   status;

    if (!replay->queues.pinned)
        return cairn_engine_create(env, options, &replay->engine);
    CAIRN_TRY(cairn_affinity_init(env, replay->common.devices->machine,
                                  replay->queues.count, &affinity));
    for (int q = 0; q < replay->queues.count; q++)
        if (is_host_queue(replay, q))
            cairn_affinity_bind(
                &affinity, q, &queue_device(replay, q)->info.bound,
                cairn_replay_host_threads(replay, queue_device(replay, q)));
    options->pin = affinity.set;
    status       = cairn_engine_create(env, options, &replay->engine);
    if (status == CAIRN_OK)
        status = cairn_affinity_settle(env, &affinity, replay->engine);
    else if (status == CAIRN_BAD_ARGUMENT) {
        replay->queues.pinned = false;
        options->pin          = NULL;
        status                = cairn_engine_create(env, options, &replay->engine);
    }
    cairn_affinity_fini(env, &affinity);
    return status;
}

cairn_status cairn_replay_create_engine(cairn_replay *replay)
{
    const int            ranks   = replay->common.comm->local_size;
    cairn_engine_options options = {.queues  = replay->tasks.program->queues,
                                    .threads = threads_at_once(replay) * ranks};

    CAIRN_TRY(start_engine(replay, &options));
    return cairn_engine_load(replay->engine, replay->tasks.program);
}
