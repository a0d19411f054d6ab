// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A product prepared, and replayed.

#include "plan/replay.h"

#include "plan/replay_graph.h"
#include "plan/replay_halo.h"
#include "plan/replay_queues.h"
#include "plan/replay_subproducts.h"
#include "plan/trace_seats.h"
#include "plan/trace_storing.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/// Cut all rows by whose X they read. @return bytes of the buffers that let this rank do
/// without a window; -1: it needs one.
static int64_t cut(cairn_replay *replay)
{
    int64_t sum = 0;

    for (int p = 0; p < replay->subproducts; p++) {
        const int64_t bytes = cairn_subproduct_cut(&replay->subproduct[p]);

        sum = sum < 0 || bytes < 0 ? -1 : sum + bytes;
    }
    return sum;
}

/// Launches of what was cut. What cannot be had is done without, by way of the window.
static cairn_status build_pieces(cairn_replay *replay)
{
    cairn_operands *operands = replay->common.operands;
    const bool      compact  = !cairn_operands_has_window(operands);
    bool            parted   = true;

    for (int p = 0; p < replay->subproducts; p++) {
        cairn_subproduct *subproduct = &replay->subproduct[p];

        if (cairn_subproduct_build_pieces(subproduct, compact) != CAIRN_OK)
            assert(subproduct->pieces.count == 0);
        parted = parted && cairn_subproduct_reads_parted(subproduct);
    }
    return compact && !parted ? cairn_operands_add_window(operands) : CAIRN_OK;
}

/// Local.
static cairn_status prepare_here(cairn_replay *replay)
{
    for (int p = 0; p < replay->subproducts; p++)
        CAIRN_TRY(cairn_subproduct_allocate(&replay->subproduct[p]));
    CAIRN_TRY(cairn_plan_seats_init(replay->common.comm->env, replay->subproduct,
                                    replay->subproducts, &replay->seats));
    CAIRN_TRY(build_pieces(replay));
    if (replay->queues.count == 0)
        replay->queues.count = 1; /* a matrix without members */
    CAIRN_TRY(cairn_replay_lay_out(replay));
    return cairn_replay_create_engine(replay);
}

/// Bytes of all Ys apart and of shares.
static int64_t bytes_beside(const cairn_replay *replay)
{
    int64_t bytes = cairn_replay_share_bytes(replay);

    for (int p = 0; p < replay->subproducts; p++)
        bytes += cairn_subproduct_own_bytes(&replay->subproduct[p]);
    return bytes;
}

/// Without a window where buffers take less than its pages. Local.
static cairn_status allocate_operands(cairn_replay *replay, int64_t held)
{
    cairn_operands *operands = replay->common.operands;
    bool            window   = cairn_operands_reads_owned_x(operands);

    if (!window) {
        const int64_t bytes = cut(replay);

        window = bytes < 0 || bytes >= cairn_operands_window_bytes(operands);
    }
    return cairn_operands_allocate(operands, held + bytes_beside(replay),
                                   replay->sums.wide, window);
}

/// Collective.
static cairn_status
create_operands(cairn_replay *replay, const cairn_rows *rows, int64_t held)
{
    cairn_subproducts_common *c = &replay->common;

    CAIRN_TRY(cairn_operands_create(c->comm, c->tensor, rows, &replay->op,
                                    replay->threads, !replay->sums.across,
                                    &c->operands));
    return cairn_comm_agree(c->comm, allocate_operands(replay, held));
}

/// Local.
static cairn_status
share_operands(cairn_replay *replay, const cairn_replay *first, int64_t held)
{
    const int64_t beside = bytes_beside(first) + bytes_beside(replay);

    assert(first->common.operands && !replay->common.operands);
    assert(first->common.tensor == replay->common.tensor);

    CAIRN_TRY(
        cairn_operands_join(first->common.operands, held + beside, replay->sums.wide));
    replay->common.operands = first->common.operands;
    return CAIRN_OK;
}

/// Exchange what is summed at cuts of all ranks' rows. Collective.
static cairn_status
create_cut_sums(cairn_replay *replay, const cairn_placing *placing, int64_t held)
{
    const cairn_operands   *o                    = replay->common.operands;
    const cairn_row_cuts   *cuts                 = &placing->cuts;
    const cairn_cut_sums_of of                   = {.cuts       = cuts,
                                                    .x_rows     = &o->x_rows,
                                                    .y_rows     = &o->y_rows,
                                                    .columns    = replay->op.columns,
                                                    .value_bits = replay->common.tensor->value_bits,
                                                    .members    = replay->common.tensor->groups};
    double                 *own[CAIRN_MAX_HOMES] = {NULL};

    if (!replay->sums.across) return CAIRN_OK;
    for (int p = 0; p < replay->subproducts; p++)
        for (int k = 0; k < cuts->count; k++)
            if (replay->subproduct[p].home.rows.lo == cuts->row[k]
                && cuts->row[k] < cuts->row[k + 1])
                own[replay->subproduct[p].home.member * cuts->count + k] =
                    replay->subproduct[p].own.y;
    CAIRN_TRY(cairn_cut_sums_create(replay->common.comm, &of, own,
                                    held + bytes_beside(replay) + o->memory,
                                    &replay->sums.cuts));
    replay->common.x = cairn_cut_sums_x(replay->sums.cuts);
    return CAIRN_OK;
}

/// Start a replay without operands: its subproducts. Collective.
static cairn_status start(const cairn_subproducts_common *common,
                          const cairn_product_options    *op,
                          const cairn_placing            *placing,
                          int64_t                         held,
                          cairn_replay                  **replay)
{
    cairn_replay *fresh  = NULL;
    cairn_status  status = CAIRN_NEW_ZERO(common->comm->env, 1, &fresh);

    if (status == CAIRN_OK) {
        fresh->common            = *common;
        fresh->common.operands   = NULL;
        fresh->op                = *op;
        fresh->updates           = common->tensor->updates;
        fresh->sums.reproducible = placing->reproducible;
        fresh->sums.across       = placing->cuts.rows != NULL;
    }
    status = cairn_comm_agree(common->comm, status);
    if (status == CAIRN_OK) {
        cairn_replay_begin_queues(fresh, placing);
        fresh->threads = cairn_replay_sum_threads(fresh);
        status         = cairn_replay_create_subproducts(fresh, placing, held);
    }
    *replay = fresh;
    return status;
}

/// Hand out a replay that was created without failure, else free it.
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
                                 const cairn_placing         *placing,
                                 const cairn_local           *tensor,
                                 const cairn_rows            *rows,
                                 const cairn_product_options *op,
                                 int64_t                      held,
                                 cairn_replay               **replay)
{
    const cairn_subproducts_common common = {
        .comm = comm, .devices = devices, .tensor = tensor, .wide = placing->wide};
    cairn_replay *fresh;
    cairn_status  status = start(&common, op, placing, held, &fresh);

    if (status == CAIRN_OK) status = create_operands(fresh, rows, held);
    if (status == CAIRN_OK) status = cairn_comm_agree(comm, prepare_here(fresh));
    if (status == CAIRN_OK) status = create_cut_sums(fresh, placing, held);
    return finish(status, fresh, replay);
}

cairn_status cairn_replay_create_beside(const cairn_replay  *first,
                                        const cairn_placing *placing,
                                        int64_t              held,
                                        cairn_replay       **replay)
{
    const int64_t theirs = held + first->common.operands->memory;
    cairn_replay *fresh;
    cairn_status  status = start(&first->common, &first->op, placing, theirs, &fresh);

    if (status == CAIRN_OK) {
        status = share_operands(fresh, first, held);
        if (status == CAIRN_OK) cut(fresh);
        if (status == CAIRN_OK) status = prepare_here(fresh);
        status = cairn_comm_agree(first->common.comm, status);
    }
    return finish(status, fresh, replay);
}

cairn_status cairn_replay_create_again(const cairn_replay  *first,
                                       const cairn_placing *placing,
                                       const cairn_local   *tensor,
                                       int64_t              held,
                                       cairn_replay       **replay)
{
    cairn_subproducts_common common = first->common;
    cairn_replay            *fresh;

    common.tensor       = tensor;
    common.x            = NULL;
    cairn_status status = start(&common, &first->op, placing, held, &fresh);

    if (status == CAIRN_OK) {
        status = cairn_operands_join(first->common.operands, held, fresh->sums.wide);
        if (status == CAIRN_OK) fresh->common.operands = first->common.operands;
        if (status == CAIRN_OK) status = prepare_here(fresh);
        status = cairn_comm_agree(common.comm, status);
    }
    if (status == CAIRN_OK) status = create_cut_sums(fresh, placing, held);
    return finish(status, fresh, replay);
}

void cairn_replay_destroy(cairn_replay **replay)
{
    cairn_replay *p = *replay;

    if (!p) return;
    cairn_env *env = p->common.comm->env;

    cairn_engine_destroy(&p->engine);
    cairn_trace_destroy(&p->trace);
    cairn_replay_free_tasks(env, &p->tasks);
    cairn_plan_seats_fini(env, &p->seats);
    for (int k = 0; k < p->subproducts; k++)
        cairn_subproduct_fini(&p->subproduct[k]);
    cairn_cut_sums_destroy(&p->sums.cuts);
    cairn_operands_leave(&p->common.operands);
    cairn_free(env, p->time);
    cairn_free(env, p);
    *replay = NULL;
}

/// Does the first member set every row of Y, so that nothing need be done to it before?
static bool first_sets(const cairn_replay *replay)
{
    bool sets = replay->subproducts > 0;

    for (int p = 0; p < replay->subproducts && replay->subproduct[p].home.member == 0;
         p++)
        sets = sets && !replay->subproduct[p].own.wanted
               && cairn_subproduct_sets(&replay->subproduct[p]);
    return sets;
}

/// Times of tasks, and behind them of seats' bars.
static cairn_status new_times(cairn_replay *replay)
{
    const int64_t bars = cairn_trace_seat_bars(&replay->seats);

    return CAIRN_NEW_ZERO(replay->common.comm->env, replay->tasks.graph->tasks + bars,
                          &replay->time);
}

/// Lay the tasks out again, for pieces that were cut again. Local.
static cairn_status lay_out_again(cairn_replay *replay)
{
    cairn_env *env = replay->common.comm->env;

    CAIRN_TRY(cairn_engine_load(replay->engine, NULL));
    CAIRN_TRY(cairn_replay_lay_out(replay));
    if (replay->trace) {
        cairn_engine_record(replay->engine, NULL);
        cairn_free(env, replay->time);
        replay->time = NULL;
        CAIRN_TRY(new_times(replay));
        CAIRN_TRY(cairn_trace_begin_seats(replay->trace, replay->tasks.graph,
                                          &replay->seats, replay->queues.count));
        cairn_engine_record(replay->engine, replay->time);
    }
    return cairn_engine_load(replay->engine, replay->tasks.program);
}

cairn_status cairn_replay_renew(cairn_replay *replay)
{
    if (replay->updates == replay->common.tensor->updates) return CAIRN_OK;
    for (int p = 0; p < replay->subproducts; p++)
        CAIRN_TRY(cairn_subproduct_renew(&replay->subproduct[p], &replay->tasks.stale));
    if (replay->tasks.stale) CAIRN_TRY(lay_out_again(replay));
    replay->updates = replay->common.tensor->updates;
    return CAIRN_OK;
}

static cairn_status leave_lost(cairn_replay *replay)
{
    for (int p = 0; p < replay->subproducts; p++)
        CAIRN_TRY(cairn_subproduct_leave_lost(&replay->subproduct[p]));
    return CAIRN_OK;
}

static cairn_status run_subproducts(cairn_replay *replay)
{
    assert(replay->engine && replay->tasks.program);
    const cairn_status status = cairn_engine_run(replay->engine, NULL);

    cairn_plan_seats_settle(&replay->seats);
    for (int p = 0; p < replay->subproducts; p++)
        if (status != CAIRN_OK && replay->subproduct[p].runs.status == status)
            return cairn_fail(replay->common.comm->env, status, "%s",
                              replay->subproduct[p].kernel.launch.message[0]
                                  ? replay->subproduct[p].kernel.launch.message
                                  : "memory: a product: out of memory");
    return status;
}

/// Do others want the cores of its threads? Then what is done to all of Y is not divided:
/// the threads would wait for each other.
static bool is_crowded(const cairn_replay *replay)
{
    bool crowded = false;

    for (int p = 0; p < replay->subproducts; p++)
        crowded |= replay->subproduct[p].kernel.launch.crowded;
    return crowded;
}

/// Copy X into the window, unless all subproducts read it apart from that. Local.
static cairn_status place_x(const cairn_replay *replay)
{
    cairn_operands *operands = replay->common.operands;

    if (!cairn_operands_is_parted(operands)) return CAIRN_OK;
    for (int p = 0; p < replay->subproducts; p++)
        if (!cairn_subproduct_reads_parted(&replay->subproduct[p]))
            return cairn_operands_gather_x(operands);
    return CAIRN_OK;
}

/// Between runs, before Y is prepared: another kernel may add to Y where the one before set
/// it. A run that fails here runs nothing. Local.
static cairn_status make_ready(cairn_replay *replay)
{
    const cairn_status renewed = cairn_replay_renew(replay);
    const cairn_status left    = leave_lost(replay);

    cairn_plan_seats_renew(&replay->seats);
    replay->common.operands->threads   = is_crowded(replay) ? 1 : replay->threads;
    replay->common.operands->sums_wide = replay->sums.wide;
    replay->tasks.set                  = first_sets(replay);
    if (renewed != CAIRN_OK) return renewed;
    return left != CAIRN_OK ? left : place_x(replay);
}

/// Let what this rank sends of sums that failed be NaN: others add it up, and do not know.
static void spoil_sums(cairn_replay *replay)
{
    if (replay->op.transposed) cairn_halo_spoil(replay->common.operands->halo);
    for (int p = 0; p < replay->subproducts && replay->sums.cuts; p++)
        memset(replay->subproduct[p].own.y, 0xff,
               (size_t)cairn_subproduct_own_bytes(&replay->subproduct[p]));
}

/// Run with all of X exchanged before the first task, and sums after the last. Other ranks
/// wait for what this one sends, whatever failed here.
static cairn_status run_between(cairn_replay *replay, cairn_status status)
{
    cairn_operands *operands = replay->common.operands;

    CAIRN_TRY(cairn_operands_begin(operands, replay->tasks.set, replay->sums.joined));
    if (replay->sums.cuts)
        CAIRN_TRY(cairn_cut_sums_begin(replay->sums.cuts, operands->now.x));
    if (status == CAIRN_OK) status = run_subproducts(replay);
    if (status != CAIRN_OK) spoil_sums(replay);
    if (replay->sums.cuts)
        CAIRN_TRY(cairn_cut_sums_end(replay->sums.cuts, operands->wide));
    return status;
}

void cairn_replay_trace(cairn_replay *replay)
{
    cairn_trace_seat_times(&replay->seats, replay->time + replay->tasks.graph->tasks);
    cairn_trace_add(replay->trace, replay->time, replay->runs);
}

cairn_status cairn_replay_run(cairn_replay *replay)
{
    cairn_operands    *operands = replay->common.operands;
    cairn_status       status   = make_ready(replay);
    const cairn_status before   = status;

    assert(operands && replay->threads >= 1);
    if (!cairn_replay_travels(replay))
        status = run_between(replay, status);
    else if (status == CAIRN_OK)
        status = run_subproducts(replay);
    else
        CAIRN_TRY(cairn_replay_only_exchange(replay)); /* others wait */
    const cairn_status ended =
        cairn_operands_end(operands, replay->sums.rounded || replay->common.wide);

    assert(!cairn_halo_is_under_way(operands->halo));
    if (replay->trace && before == CAIRN_OK) cairn_replay_trace(replay);
    replay->runs++;
    return status != CAIRN_OK ? status : ended;
}

cairn_status cairn_replay_record(cairn_replay *replay, const cairn_recording *recording)
{
    cairn_env  *env = replay->common.comm->env;
    const char *name[2 * CAIRN_MAX_DEVICES + 1];
    char        track[CAIRN_MAX_DEVICES][48];

    for (int q = 0; q < replay->queues.count; q++)
        name[q] = cairn_replay_queue_name(replay, q);
    for (int k = 0; k < replay->seats.count; k++) {
        snprintf(track[k], sizeof track[k], "%s (its own clock)",
                 replay->seats.seat[k].device->info.id);
        name[replay->queues.count + k] = track[k];
    }
    const cairn_trace_options options = {.rank   = replay->common.comm->rank,
                                         .origin = recording->origin,
                                         .events = recording->events,
                                         .queues =
                                             replay->queues.count + replay->seats.count,
                                         .name = name};

    assert(!replay->trace); /* one recording at a time */
    if (!replay->time)      /* of an attempt that failed */
        CAIRN_TRY(new_times(replay));
    CAIRN_TRY(cairn_trace_storing(env, &options, recording->storing, &replay->trace));
    CAIRN_TRY(cairn_trace_begin_seats(replay->trace, replay->tasks.graph,
                                      &replay->seats, replay->queues.count));
    cairn_engine_record(replay->engine, replay->time);
    cairn_halo_time(replay->common.operands->halo, true);
    return CAIRN_OK;
}

void cairn_replay_stop_recording(cairn_replay *replay)
{
    cairn_engine_record(replay->engine, NULL);
    cairn_halo_time(replay->common.operands->halo, false);
    cairn_trace_destroy(&replay->trace);
    cairn_free(replay->common.comm->env, replay->time);
    replay->time = NULL;
}

void cairn_replay_begin_anew(cairn_replay *replay)
{
    const cairn_operands *operands = replay->common.operands;
    const int             rank     = replay->common.comm->rank;
    const cairn_interval  owned    = {operands->y_rows.first[rank],
                                      operands->y_rows.first[rank + 1] - 1};

    cairn_replay_forget_times(replay);
    replay->runs = 0;
    cairn_operands_clear(replay->common.operands, owned);
}
