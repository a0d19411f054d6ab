// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A product prepared, and replayed.

#include "sched/replay.h"

#include "sched/replay_queues.h"
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

/// Collective.
static cairn_status create_pieces(cairn_replay *replay, const cairn_homes *homes)
{
    const cairn_local *tensor = replay->common.tensor;

    for (int m = 0; m < tensor->groups; m++) {
        cairn_device *device = &replay->common.devices->device[homes->device[m]];

        replay->pieces = m + 1;
        cairn_piece_init(&replay->common, device, m, &replay->op,
                         cairn_replay_host_threads(replay, device),
                         !is_direct(replay, homes, m), &replay->piece[m]);
        replay->piece[m].queue = cairn_replay_queue_of(replay, homes->device[m]);
    }
    return cairn_pieces_get_kernels(replay->piece, replay->pieces);
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
                                .bytes    = cairn_piece_added_bytes(piece),
                                .queue    = replay->collector};

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

/// Local.
static cairn_status prepare_here(cairn_replay *replay)
{
    for (int p = 0; p < replay->pieces; p++)
        CAIRN_TRY(cairn_piece_allocate(&replay->piece[p]));
    CAIRN_TRY(create_program(replay));
    return cairn_replay_create_engine(replay);
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

/// Collective.
static cairn_status
create_operands(cairn_replay *replay, const cairn_rows *rows, int64_t held)
{
    cairn_pieces_common *c = &replay->common;
    bool                 wide;
    const int64_t        apart = look_at_pieces(replay, &wide);

    return cairn_operands_create(c->comm, c->tensor, rows, &replay->op, replay->threads,
                                 held + apart, wide, &c->operands);
}

/// Local.
static cairn_status
share_operands(cairn_replay *replay, const cairn_replay *first, int64_t held)
{
    bool          wide;
    const int64_t theirs = look_at_pieces(first, &wide);
    const int64_t apart  = look_at_pieces(replay, &wide);

    CAIRN_TRY(cairn_operands_join(first->common.operands, held + theirs + apart, wide));
    replay->common.operands = first->common.operands;
    return CAIRN_OK;
}

/// Start a replay without operands: its pieces. Collective.
static cairn_status start(const cairn_pieces_common   *common,
                          const cairn_product_options *op,
                          const cairn_homes           *homes,
                          cairn_replay               **replay)
{
    cairn_replay *fresh  = NULL;
    cairn_status  status = CAIRN_NEW_ZERO(common->comm->env, 1, &fresh);

    if (status == CAIRN_OK) {
        fresh->common          = *common;
        fresh->common.operands = NULL;
        fresh->op              = *op;
    }
    status = cairn_comm_agree(common->comm, status);
    if (status == CAIRN_OK) {
        cairn_replay_begin_queues(fresh, homes);
        fresh->threads =
            cairn_replay_host_threads(fresh, cairn_devices_host(common->devices));
        status = create_pieces(fresh, homes);
    }
    *replay = fresh;
    return status;
}

/// Hand out a replay that is whole, and free another.
static cairn_status
finish(cairn_status status, cairn_replay *fresh, cairn_replay **replay)
{
    if (status == CAIRN_OK)
        *replay = fresh;
    else
        cairn_replay_destroy(&fresh);
    return status;
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
    const cairn_pieces_common common = {
        .comm = comm, .devices = devices, .tensor = tensor};
    cairn_replay *fresh;
    cairn_status  status = start(&common, op, homes, &fresh);

    if (status == CAIRN_OK) status = create_operands(fresh, rows, held);
    if (status == CAIRN_OK) status = cairn_comm_agree(comm, prepare_here(fresh));
    return finish(status, fresh, replay);
}

cairn_status cairn_replay_create_beside(const cairn_replay *first,
                                        const cairn_homes  *homes,
                                        int64_t             held,
                                        cairn_replay      **replay)
{
    cairn_replay *fresh;
    cairn_status  status = start(&first->common, &first->op, homes, &fresh);

    if (status == CAIRN_OK) {
        status = share_operands(fresh, first, held);
        if (status == CAIRN_OK) status = prepare_here(fresh);
        status = cairn_comm_agree(first->common.comm, status);
    }
    return finish(status, fresh, replay);
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
    cairn_operands_leave(&p->common.operands);
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
    cairn_operands *operands = replay->common.operands;

    operands->threads = replay->threads;
    CAIRN_TRY(cairn_operands_begin(operands, first_sets(replay)));
    const cairn_status status = run_pieces(replay);
    const cairn_status ended  = cairn_operands_end(operands); /* others wait */

    if (replay->trace) cairn_trace_add(replay->trace, replay->time, replay->runs);
    replay->runs++;
    return status != CAIRN_OK ? status : ended;
}

cairn_status cairn_replay_record(cairn_replay *replay, const cairn_recording *recording)
{
    cairn_env  *env = replay->common.comm->env;
    const char *name[CAIRN_MAX_DEVICES + 1];

    for (int q = 0; q < replay->queues; q++)
        name[q] = cairn_replay_queue_name(replay, q);
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

void cairn_replay_begin_anew(cairn_replay *replay)
{
    cairn_replay_forget_times(replay);
    replay->runs = 0;
    cairn_operands_clear(replay->common.operands);
}
