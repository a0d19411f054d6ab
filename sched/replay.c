// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A product prepared, and replayed.

#include "sched/replay.h"

#include "sched/trace_storing.h"

/// Do the sums of member @p m go straight into Y? Only while nothing that another device
/// computes comes before them, and where they can be made again: another device than the
/// processor may fail and leave anything behind.
static bool is_direct(const cairn_replay *replay, const cairn_homes *homes, int m)
{
    const cairn_devices *devices = replay->common.devices;

    for (int k = 0; k < m; k++)
        if (homes->device[k] != homes->device[m]) return false;
    if (cairn_device_is_host(&devices->device[homes->device[m]])) return true;
    return m == 0 && replay->op.beta == 0 && !replay->op.transposed;
}

static const cairn_device *queue_device(const cairn_replay *replay, int q)
{
    return &replay->common.devices->device[replay->queue_device[q]];
}

static bool is_host_queue(const cairn_replay *replay, int q)
{
    return cairn_device_is_host(queue_device(replay, q));
}

/// Threads of the host that a device may use: every queue but the processor's keeps one
/// busy, waiting or computing, and a team that shares its cores with others is many times
/// slower than a smaller one. Who says how many he wants gets them.
static int host_threads(const cairn_replay *replay, const cairn_device *device)
{
    const int all   = device->info.threads;
    int       hosts = 0;

    for (int q = 0; q < replay->queues; q++)
        hosts += is_host_queue(replay, q);
    const int others = replay->queues - hosts;

    if (hosts == 0 || others == 0 || device->env->threads_given) return all;
    const int left = all - (others + hosts - 1) / hosts;

    return left > 1 ? left : 1;
}

/// The queue of a device, a new one the first time. The host's thread serves the first
/// device that is the processor, and any device that is alone.
static int queue_of(cairn_replay *replay, int device)
{
    for (int q = 0; q < replay->queues; q++)
        if (replay->queue_device[q] == device) return q;
    replay->queue_device[replay->queues] = device;
    return replay->queues++;
}

/// Collective.
static cairn_status create_pieces(cairn_replay *replay, const cairn_homes *homes)
{
    const cairn_local *tensor = replay->common.tensor;

    for (int m = 0; m < tensor->groups; m++) {
        cairn_device *device = &replay->common.devices->device[homes->device[m]];

        replay->pieces = m + 1;
        cairn_piece_init(&replay->common, device, m, &replay->op,
                         host_threads(replay, device), !is_direct(replay, homes, m),
                         &replay->piece[m]);
        replay->piece[m].queue = queue_of(replay, homes->device[m]);
    }
    return cairn_pieces_get_kernels(replay->piece, replay->pieces);
}

/// Give the first queue to the host, if it has a piece.
static void begin_queues(cairn_replay *replay, const cairn_homes *homes)
{
    const int groups = replay->common.tensor->groups;

    for (int m = 0; m < groups && replay->queues == 0; m++)
        if (cairn_device_is_host(&replay->common.devices->device[homes->device[m]]))
            queue_of(replay, homes->device[m]);
    for (int m = 0; m < groups; m++)
        queue_of(replay, homes->device[m]);
}

/// X, which begins before all tasks, is no handle: nobody writes it meanwhile.
static cairn_status
add_piece(cairn_replay *replay, cairn_graph *graph, cairn_handle y, int p, int queue)
{
    cairn_piece     *piece   = &replay->piece[p];
    cairn_handle     own     = y;
    const cairn_task compute = {.run      = cairn_piece_compute,
                                .argument = piece,
                                .label    = piece->label,
                                .kind     = "kernel",
                                .modelled =
                                    cairn_piece_models(piece) ? &piece->modelled : NULL,
                                .bytes = cairn_piece_bytes(piece),
                                .queue = queue};
    const cairn_task collect = {.run      = cairn_piece_collect,
                                .argument = piece,
                                .label    = piece->collect_label,
                                .kind     = "add",
                                .queue    = 0};

    if (piece->has_own) CAIRN_TRY(cairn_graph_add_handle(graph, &own));
    const cairn_access access[] = {
        {own, CAIRN_READ_WRITE},
        {y,   CAIRN_READ_WRITE}
    };

    CAIRN_TRY(cairn_graph_add(graph, &compute, access, 1, NULL));
    if (!cairn_piece_is_collected(piece)) return CAIRN_OK;
    return cairn_graph_add(graph, &collect, access, 2, NULL);
}

static cairn_status fill_graph(cairn_replay *replay, cairn_graph *graph)
{
    cairn_handle y;

    CAIRN_TRY(cairn_graph_add_handle(graph, &y));
    for (int p = 0; p < replay->pieces; p++)
        CAIRN_TRY(add_piece(replay, graph, y, p, replay->piece[p].queue));
    return CAIRN_OK;
}

static cairn_status create_program(cairn_replay *replay)
{
    if (replay->queues == 0) replay->queues = 1; /* a matrix without members */
    CAIRN_TRY(cairn_graph_create(replay->common.comm->env, &replay->graph));
    CAIRN_TRY(fill_graph(replay, replay->graph));
    return cairn_program_create(replay->graph, replay->queues, CAIRN_ORDER_URGENT,
                                &replay->program);
}

/// Threads that run at once: those of all queues' devices, and of the ranks beside.
static int threads_at_once(const cairn_replay *replay)
{
    int threads = 0;

    for (int q = 0; q < replay->queues; q++)
        threads += is_host_queue(replay, q)
                       ? host_threads(replay, queue_device(replay, q))
                       : 1;
    return threads * replay->common.comm->local_size;
}

/// Local.
static cairn_status create_engine(cairn_replay *replay)
{
    const cairn_engine_options options = {.queues  = replay->program->queues,
                                          .threads = threads_at_once(replay)};

    CAIRN_TRY(cairn_engine_create(replay->common.comm->env, &options, &replay->engine));
    return cairn_engine_load(replay->engine, replay->program);
}

/// Local.
static cairn_status prepare_here(cairn_replay *replay)
{
    for (int p = 0; p < replay->pieces; p++)
        CAIRN_TRY(cairn_piece_allocate(&replay->piece[p]));
    CAIRN_TRY(create_program(replay));
    return create_engine(replay);
}

/// Bytes of all Ys apart, and whether some kernel in place wants Y in f64.
static int64_t look_at_pieces(const cairn_replay *replay, bool *wide)
{
    int64_t bytes = 0;

    *wide = false;
    for (int p = 0; p < replay->pieces; p++) {
        bytes += cairn_piece_own_bytes(&replay->piece[p]);
        if (!replay->piece[p].has_own)
            *wide |= cairn_member_kernel_is_wide(&replay->piece[p].kernel)
                     || cairn_piece_is_collected(&replay->piece[p]);
    }
    return bytes;
}

static cairn_status prepare(cairn_replay      *replay,
                            const cairn_homes *homes,
                            const cairn_rows  *rows,
                            int64_t            held)
{
    const cairn_pieces_common *c = &replay->common;
    bool                       wide;

    begin_queues(replay, homes);
    CAIRN_TRY(create_pieces(replay, homes));
    const int64_t apart   = look_at_pieces(replay, &wide);
    const int     threads = host_threads(replay, cairn_devices_host(c->devices));

    CAIRN_TRY(cairn_operands_init(c->comm, c->tensor, rows, &replay->op, threads,
                                  held + apart, wide, &replay->operands));
    return cairn_comm_agree(c->comm, prepare_here(replay));
}

cairn_status cairn_replay_create(cairn_comm                  *comm,
                                 cairn_devices               *devices,
                                 const cairn_homes           *homes,
                                 const cairn_local           *tensor,
                                 const cairn_rows            *rows,
                                 const cairn_product_options *op,
                                 int64_t                      held,
                                 cairn_replay               **replay)
{
    cairn_replay *fresh  = NULL;
    cairn_status  status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    if (status == CAIRN_OK) {
        fresh->common = (cairn_pieces_common){.comm     = comm,
                                              .devices  = devices,
                                              .tensor   = tensor,
                                              .operands = &fresh->operands};
        fresh->op     = *op;
    }
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) status = prepare(fresh, homes, rows, held);
    if (status == CAIRN_OK)
        *replay = fresh;
    else
        cairn_replay_destroy(&fresh);
    return status;
}

void cairn_replay_destroy(cairn_replay **replay)
{
    cairn_replay *p = *replay;

    if (!p) return;
    cairn_env *env = p->common.comm->env;

    cairn_engine_destroy(&p->engine);
    cairn_trace_destroy(&p->trace);
    cairn_program_destroy(&p->program);
    cairn_graph_destroy(&p->graph);
    for (int k = 0; k < p->pieces; k++)
        cairn_piece_fini(&p->piece[k]);
    cairn_operands_fini(&p->operands);
    cairn_free(env, p->time);
    cairn_free(env, p);
    *replay = NULL;
}

/// Does the first piece set every row of Y, so that nothing need be done to it before?
static bool first_sets(const cairn_replay *replay)
{
    return replay->pieces > 0 && !replay->piece[0].has_own
           && cairn_piece_sets(&replay->piece[0]);
}

static cairn_status run_pieces(cairn_replay *replay)
{
    for (int p = 0; p < replay->pieces; p++)
        CAIRN_TRY(cairn_piece_leave_lost(&replay->piece[p]));
    const cairn_status status = cairn_engine_run(replay->engine, NULL);

    for (int p = 0; p < replay->pieces; p++)
        if (status != CAIRN_OK && replay->piece[p].status == status)
            return cairn_fail(replay->common.comm->env, status, "%s",
                              replay->piece[p].kernel.launch.message[0]
                                  ? replay->piece[p].kernel.launch.message
                                  : "memory: a product: out of memory");
    return status;
}

cairn_status cairn_replay_run(cairn_replay *replay)
{
    CAIRN_TRY(cairn_operands_begin(&replay->operands, first_sets(replay)));
    const cairn_status status = run_pieces(replay);
    const cairn_status ended  = cairn_operands_end(&replay->operands); /* others wait */

    if (replay->trace) cairn_trace_add(replay->trace, replay->time, replay->runs);
    replay->runs++;
    return status != CAIRN_OK ? status : ended;
}

cairn_status cairn_replay_record(cairn_replay *replay, const cairn_recording *recording)
{
    cairn_env  *env = replay->common.comm->env;
    const char *name[CAIRN_MAX_DEVICES];

    for (int q = 0; q < replay->queues; q++)
        name[q] = queue_device(replay, q)->info.id;
    const cairn_trace_options options = {.rank   = replay->common.comm->rank,
                                         .origin = recording->origin,
                                         .events = recording->events,
                                         .queues = replay->queues,
                                         .name   = name};

    if (!replay->time) /* of an attempt that failed */
        CAIRN_TRY(CAIRN_NEW_ZERO(env, replay->graph->tasks, &replay->time));
    CAIRN_TRY(cairn_trace_storing(env, &options, recording->storing, &replay->trace));
    CAIRN_TRY(cairn_trace_begin(replay->trace, replay->graph));
    cairn_engine_record(replay->engine, replay->time);
    return CAIRN_OK;
}

void cairn_replay_stop_recording(cairn_replay *replay)
{
    cairn_engine_record(replay->engine, NULL);
    cairn_trace_destroy(&replay->trace);
    cairn_free(replay->common.comm->env, replay->time);
    replay->time = NULL;
}

void cairn_replay_times(const cairn_replay *replay, double *measured, double *simulated)
{
    *measured = *simulated = 0;
    for (int q = 0; q < replay->queues; q++) {
        double sum[2] = {0};

        for (int p = 0; p < replay->pieces; p++)
            if (replay->piece[p].queue == q)
                sum[cairn_piece_models(&replay->piece[p])] +=
                    cairn_piece_median(&replay->piece[p]);
        if (sum[0] > *measured) *measured = sum[0];
        if (sum[1] > *simulated) *simulated = sum[1];
    }
}

void cairn_replay_begin_anew(cairn_replay *replay)
{
    for (int p = 0; p < replay->pieces; p++)
        replay->piece[p].runs = 0;
    replay->runs = 0;
    cairn_operands_clear(&replay->operands);
}

/* Fewer runs say more of what else the machine did than of the kernel. */
enum { TELLING_RUNS = 5 };

/// Does a piece's median say what its device takes, alone and with all its threads?
static bool is_telling(const cairn_piece *piece)
{
    const int threads = piece->work.threads;

    return piece->runs >= TELLING_RUNS && !piece->retired[0]
           && !cairn_member_kernel_lacks(&piece->kernel)
           && (threads == 0 || threads == piece->device->info.threads);
}

void cairn_replay_observe(const cairn_replay *replay, cairn_costs *costs)
{
    const int ranks = replay->common.comm->local_size;

    for (int p = 0; p < replay->pieces && costs; p++) {
        const cairn_piece *piece = &replay->piece[p];
        cairn_cost_device  device;
        cairn_work         work;

        if (!is_telling(piece)) continue;
        cairn_work_of_product(&piece->work, cairn_piece_sets(piece), &work);
        cairn_cost_device_of(piece->device, ranks, &device);
        cairn_cost_observe(costs, &device, &work, cairn_piece_median(piece));
    }
}

int64_t cairn_replay_bytes(const cairn_replay *replay)
{
    int64_t bytes = cairn_operands_bytes(&replay->operands);

    for (int p = 0; p < replay->pieces; p++)
        bytes += cairn_piece_bytes(&replay->piece[p]);
    return bytes;
}
