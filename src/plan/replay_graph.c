// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Subproducts as tasks: the handles that each reads and writes give the dependencies. The
/// order of submission is that of sums in a row of Y, and, of what the caller's thread does,
/// the order in which it does it.

#include "plan/replay_graph.h"

#include "plan/replay_halo.h"

#include <assert.h>
#include <stdlib.h>

/// Handles while a graph is filled.
typedef struct {
    cairn_replay       *replay;
    cairn_replay_tasks *tasks;
    int                 stretches; ///< Of rows of Y that no step cuts, so that steps of
                                   ///< other rows do not wait. Transposed: all of Y.
    cairn_coord  *first;           ///< [stretches] Where each begins, ascending,
    cairn_handle *y;               ///< [stretches] and its handle.
    cairn_handle *ghost;           ///< [arrivals] Rows of X of each rank that sends.
    cairn_access *access;          ///< Room for those of one task.
    bool         *added;           ///< [steps] Its task is in the graph.
    cairn_handle  own[CAIRN_MAX_HOMES];      ///< Of Ys of their own, and in which the
                                             ///< steps of one subproduct follow.
    bool         collected[CAIRN_MAX_HOMES]; ///< Likewise: that of its sums is.
    bool         lined; ///< What is added now the caller's thread does in this order:
    cairn_handle line;
    cairn_handle window; ///< This rank's rows, beside those of others.
    bool         early;  ///< Steps may come before the messages.
    bool         waits; ///< The caller's thread takes nothing up before they have come.
} filling;

static int by_row(const void *a, const void *b)
{
    const cairn_coord x = *(const cairn_coord *)a, y = *(const cairn_coord *)b;

    return (x > y) - (x < y);
}

static bool travels(const filling *f)
{
    return cairn_replay_travels(f->replay);
}

/* ---- steps ---- */

/// Whose rows of X a whole subproduct reads, where that is worth a walk: it has some of the
/// rows, and another device, which can begin then.
static cairn_status
find_from(cairn_replay *replay, int p, bool *from, cairn_subproduct_step *step)
{
    const cairn_subproduct *subproduct = &replay->subproduct[p];

    if (!subproduct->stored.local || !cairn_replay_travels(replay)
        || cairn_device_is_host(subproduct->device))
        return CAIRN_OK;
    const cairn_row_pieces_of of = cairn_subproduct_pieces_of(subproduct);

    step->from = from;
    return cairn_row_pieces_find_sources(&of, subproduct->stored.local, from);
}

/// Append the steps of subproduct @p p: rows that need no messages, then the others.
static cairn_status add_steps(cairn_replay *replay, int p, cairn_replay_tasks *tasks)
{
    cairn_subproduct *subproduct = &replay->subproduct[p];
    const int         first      = tasks->steps;

    if (subproduct->pieces.count == 0) {
        cairn_subproduct_step *step = &tasks->step[tasks->steps++];

        *step = (cairn_subproduct_step){.subproduct = subproduct,
                                        .piece      = CAIRN_ALL_PIECES};
        CAIRN_TRY(find_from(replay, p,
                            tasks->from + (size_t)p * (size_t)tasks->arrivals, step));
    }
    for (int owned = 1; owned >= 0; owned--)
        for (int k = 0; k < subproduct->pieces.count; k++)
            if (subproduct->pieces.piece[k].owned == owned)
                tasks->step[tasks->steps++] =
                    (cairn_subproduct_step){.subproduct = subproduct,
                                            .piece      = k,
                                            .from = subproduct->pieces.piece[k].from};
    for (int s = first; s < tasks->steps; s++)
        cairn_subproduct_step_name(&tasks->step[s]);
    return CAIRN_OK;
}

static cairn_status list_steps(cairn_replay *replay, cairn_replay_tasks *tasks)
{
    cairn_env *env   = replay->common.comm->env;
    int        count = 0;

    for (int p = 0; p < replay->subproducts; p++) {
        const int pieces = replay->subproduct[p].pieces.count;

        count += pieces > 0 ? pieces : 1;
    }
    CAIRN_TRY(CAIRN_NEW_ZERO(env, count, &tasks->step));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, (int64_t)replay->subproducts * tasks->arrivals,
                             &tasks->from));
    for (int p = 0; p < replay->subproducts; p++)
        CAIRN_TRY(add_steps(replay, p, tasks));
    return CAIRN_OK;
}

static bool is_step_of(const filling *f, int s, int p)
{
    return f->tasks->step[s].subproduct == &f->replay->subproduct[p];
}

static bool is_interior(const cairn_subproduct_step *step)
{
    return step->piece != CAIRN_ALL_PIECES
           && step->subproduct->pieces.piece[step->piece].owned;
}

/// Does it read X beside the rows of others, where own ones are brought to? So do rows whose
/// padding names columns that no rank sends.
static bool is_boundary(const cairn_subproduct_step *step)
{
    return step->piece != CAIRN_ALL_PIECES && !is_interior(step);
}

static bool reads(const cairn_subproduct_step *step, int arrival)
{
    return !is_interior(step) && (!step->from || step->from[arrival]);
}

/* Before own rows are beside those of others. */
enum { BEFORE = -1 };

/// Can it be run when the first so many ranks' rows have come, or BEFORE?
static bool has_come(const filling *f, const cairn_subproduct_step *step, int arrived)
{
    if (arrived == BEFORE && is_boundary(step)) return false;
    for (int k = arrived == BEFORE ? 0 : arrived; k < f->tasks->arrivals; k++)
        if (reads(step, k)) return false;
    return true;
}

/* ---- handles ---- */

/// Y is cut where some step begins.
static cairn_status add_y_handles(filling *f)
{
    const cairn_coord begin = f->replay->common.tensor->box[0].lo;
    int               n     = 0;

    CAIRN_TRY(CAIRN_NEW(f->replay->common.comm->env, f->tasks->steps, &f->first));
    CAIRN_TRY(CAIRN_NEW(f->replay->common.comm->env, f->tasks->steps, &f->y));
    for (int s = 0; s < f->tasks->steps; s++)
        f->first[s] = f->replay->op.transposed
                          ? begin
                          : cairn_subproduct_step_rows(&f->tasks->step[s]).lo;
    if (f->tasks->steps > 0)
        qsort(f->first, (size_t)f->tasks->steps, sizeof *f->first, by_row);
    for (int s = 0; s < f->tasks->steps; s++)
        if (n == 0 || f->first[n - 1] != f->first[s]) f->first[n++] = f->first[s];
    f->stretches = n;
    for (int k = 0; k < n; k++)
        CAIRN_TRY(cairn_graph_add_handle(f->tasks->graph, &f->y[k]));
    return CAIRN_OK;
}

static cairn_status add_handles(filling *f)
{
    cairn_env *env = f->replay->common.comm->env;

    CAIRN_TRY(add_y_handles(f));
    for (int p = 0; p < f->replay->subproducts; p++)
        CAIRN_TRY(cairn_graph_add_handle(f->tasks->graph, &f->own[p]));
    CAIRN_TRY(CAIRN_NEW(env, f->tasks->arrivals, &f->ghost));
    for (int k = 0; k < f->tasks->arrivals; k++)
        CAIRN_TRY(cairn_graph_add_handle(f->tasks->graph, &f->ghost[k]));
    CAIRN_TRY(cairn_graph_add_handle(f->tasks->graph, &f->line));
    CAIRN_TRY(cairn_graph_add_handle(f->tasks->graph, &f->window));
    /* A start names the most: a Y, or stretches, and arrivals, of each that sits there. */
    const int64_t most =
        (int64_t)(f->stretches + f->tasks->arrivals + 4) * (f->replay->subproducts + 1);

    CAIRN_TRY(CAIRN_NEW_ZERO(env, f->tasks->steps, &f->added));
    return CAIRN_NEW(env, most, &f->access);
}

/// The stretches of rows that a subproduct, or a step of it, adds to; @return their number.
static int list_stretches(const filling *f, cairn_interval rows, cairn_access *list)
{
    int n = 0;

    for (int k = 0; k < f->stretches; k++)
        if (f->replay->op.transposed || f->first[k] == rows.lo
            || (f->first[k] > rows.lo && f->first[k] <= rows.hi))
            list[n++] = (cairn_access){f->y[k], CAIRN_READ_WRITE};
    return n;
}

/// What rows @p rows of subproduct @p p are computed into; @return the number of handles.
static int list_output(const filling *f, int p, cairn_interval rows, cairn_access *list)
{
    int n = 0;

    list[n++] = (cairn_access){f->own[p], CAIRN_READ_WRITE};
    if (!f->replay->subproduct[p].own.wanted) n += list_stretches(f, rows, list + n);
    return n;
}

/// What a step reads of X that this rank does not own. Where threads are bound to all cores
/// even what reads none of it comes when all is there.
static int
list_input(const filling *f, const cairn_subproduct_step *step, cairn_access *list)
{
    int n = 0;

    for (int k = 0; k < f->tasks->arrivals; k++)
        if (!f->early || reads(step, k))
            list[n++] = (cairn_access){f->ghost[k], CAIRN_READ};
    if (is_boundary(step)) list[n++] = (cairn_access){f->window, CAIRN_READ};
    return n;
}

/* ---- tasks ---- */

/// Add a task with the @p n accesses in `access`.
static cairn_status add_task(const filling *f, cairn_task task, int n)
{
    if (f->lined && task.queue == 0)
        f->access[n++] = (cairn_access){f->line, CAIRN_READ_WRITE};
    return cairn_graph_add(f->tasks->graph, &task, f->access, n, NULL);
}

static cairn_status add_halo_step(const filling *f, cairn_replay_halo_step step)
{
    int n = 0;

    if (step == CAIRN_STEP_WINDOW)
        f->access[n++] = (cairn_access){f->window, CAIRN_WRITE};
    if (step == CAIRN_STEP_SUMS)
        for (int k = 0; k < f->stretches; k++)
            f->access[n++] = (cairn_access){f->y[k], CAIRN_READ_WRITE};
    return add_task(f, cairn_replay_halo_task(f->replay, step), n);
}

static cairn_status add_arrival(const filling *f, int k)
{
    f->access[0] = (cairn_access){f->ghost[k], CAIRN_WRITE};
    return add_task(f, cairn_replay_arrival_task(&f->tasks->arrival[k]), 1);
}

/// Add step @p s, of subproduct @p p.
static cairn_status add_step(filling *f, int p, int s)
{
    cairn_subproduct_step *step       = &f->tasks->step[s];
    cairn_subproduct      *subproduct = step->subproduct;
    const cairn_task       compute    = {.run      = cairn_subproduct_step_run,
                                         .argument = step,
                                         .label    = step->label,
                                         .kind     = "kernel",
                                         .modelled = cairn_subproduct_models(subproduct)
                                                         ? &subproduct->runs.modelled
                                                         : NULL,
                                         .bytes    = cairn_subproduct_step_bytes(step),
                                         .queue    = subproduct->queue};
    int                    before = 0, left = 0;

    for (int k = 0; k < f->tasks->steps; k++) {
        before += is_step_of(f, k, p) && f->added[k];
        left += is_step_of(f, k, p) && !f->added[k];
    }
    step->begins = before == 0;
    step->ends   = left == 1;
    f->added[s]  = true;
    const int n  = list_output(f, p, cairn_subproduct_step_rows(step), f->access);

    return add_task(f, compute, n + list_input(f, step, f->access + n));
}

static cairn_status add_steps_left(filling *f, int p)
{
    for (int s = 0; s < f->tasks->steps; s++)
        if (is_step_of(f, s, p) && !f->added[s]) CAIRN_TRY(add_step(f, p, s));
    return CAIRN_OK;
}

static cairn_status add_collect(filling *f, int p)
{
    cairn_subproduct *subproduct = &f->replay->subproduct[p];
    const cairn_task  collect    = {.run      = cairn_subproduct_collect,
                                    .argument = subproduct,
                                    .label    = subproduct->label.collect,
                                    .kind     = "add",
                                    .bytes    = cairn_subproduct_added_bytes(subproduct),
                                    .queue    = f->replay->queues.collector};

    f->collected[p] = true;
    if (!cairn_subproduct_is_collected(subproduct)) return CAIRN_OK;
    const int n = list_stretches(f, subproduct->home.rows, f->access);

    f->access[n] = (cairn_access){f->own[p], CAIRN_READ_WRITE};
    return add_task(f, collect, n + 1);
}

/// Start what sits together. It touches the Ys of all, for what has lost its seat is
/// computed there.
static cairn_status add_start(filling *f, cairn_plan_seat *seat)
{
    const cairn_task start = {.run      = cairn_plan_seat_start,
                              .argument = seat,
                              .label    = seat->device->info.id,
                              .kind     = "start",
                              .queue    = f->replay->queues.collector};
    int              n     = 0;

    for (int s = 0; s < f->tasks->steps; s++) {
        const cairn_subproduct_step *step = &f->tasks->step[s];
        const int p = (int)(step->subproduct - f->replay->subproduct);

        /* Those without a Y of their own share no rows. */
        if (step->subproduct->seat.among != seat) continue;
        n += list_output(f, p, step->subproduct->home.rows, f->access + n);
        n += list_input(f, step, f->access + n);
        f->added[s] = true;
    }
    return add_task(f, start, n);
}

/* ---- order ---- */

/// Does everything that sits there read X of this rank alone?
static bool seat_is_early(const filling *f, const cairn_plan_seat *seat)
{
    for (int s = 0; s < f->tasks->steps; s++)
        if (f->tasks->step[s].subproduct->seat.among == seat
            && !has_come(f, &f->tasks->step[s], 0))
            return false;
    return f->early;
}

/// Start the seats that do, or those that do not.
static cairn_status add_starts(filling *f, bool early)
{
    for (int k = 0; k < f->replay->seats.count; k++)
        if (seat_is_early(f, &f->replay->seats.seat[k]) == early)
            CAIRN_TRY(add_start(f, &f->replay->seats.seat[k]));
    return CAIRN_OK;
}

/// Is something to come that adds to rows @p rows of Y, before subproduct @p p does?
static bool must_wait(const filling *f, int p, cairn_interval rows)
{
    for (int q = 0; q < p && !f->replay->subproduct[p].own.wanted; q++) {
        const cairn_subproduct *other = &f->replay->subproduct[q];
        const cairn_interval    its   = other->home.rows;

        if (its.lo > rows.hi || its.hi < rows.lo) continue;
        if (cairn_subproduct_is_collected(other)) {
            if (!f->collected[q]) return true;
            continue;
        }
        for (int s = 0; s < f->tasks->steps; s++) {
            const cairn_interval of = cairn_subproduct_step_rows(&f->tasks->step[s]);

            if (is_step_of(f, s, q) && !f->added[s] && of.lo <= rows.hi
                && of.hi >= rows.lo)
                return true;
        }
    }
    return false;
}

/// Add the steps that can be run when the rows of so many ranks have come. While others are
/// to come the caller's thread looks after them between its steps.
static cairn_status add_ready(filling *f, int arrived)
{
    bool looks = false;

    for (int p = 0; p < f->replay->subproducts; p++) {
        const cairn_subproduct *subproduct = &f->replay->subproduct[p];

        if (subproduct->seat.among || (f->waits && subproduct->queue == 0)) continue;
        for (int s = 0; s < f->tasks->steps; s++) {
            const cairn_subproduct_step *step = &f->tasks->step[s];

            if (f->added[s] || !is_step_of(f, s, p) || !has_come(f, step, arrived)
                || must_wait(f, p, cairn_subproduct_step_rows(step)))
                continue;
            if (looks) CAIRN_TRY(add_halo_step(f, CAIRN_STEP_PROGRESS));
            CAIRN_TRY(add_step(f, p, s));
            looks = subproduct->queue == 0 && arrived < f->tasks->arrivals;
        }
    }
    return CAIRN_OK;
}

/// Messages, and what does not wait for all of them.
static cairn_status add_halo(filling *f)
{
    CAIRN_TRY(add_halo_step(f, CAIRN_STEP_PACK));
    CAIRN_TRY(add_halo_step(f, CAIRN_STEP_START));
    CAIRN_TRY(add_halo_step(f, CAIRN_STEP_SUMS));
    CAIRN_TRY(add_starts(f, true));
    if (f->early) CAIRN_TRY(add_ready(f, BEFORE));
    CAIRN_TRY(add_halo_step(f, CAIRN_STEP_WINDOW));
    if (f->early) CAIRN_TRY(add_ready(f, 0));
    for (int k = 0; k < f->tasks->arrivals; k++) {
        CAIRN_TRY(add_arrival(f, k));
        if (f->early && k + 1 < f->tasks->arrivals) CAIRN_TRY(add_ready(f, k + 1));
    }
    return CAIRN_OK;
}

/// Is it computed while others are under way, before any of them is waited for? What it
/// writes must not have to wait for an earlier subproduct's sums.
static bool is_meanwhile(const cairn_replay *replay, int p)
{
    const cairn_subproduct *subproduct = &replay->subproduct[p];

    if (replay->seats.count == 0 || subproduct->seat.among) return false;
    for (int k = 0; k < p && !subproduct->own.wanted; k++)
        if (cairn_subproduct_meets(subproduct, &replay->subproduct[k])) return false;
    return true;
}

/// Does a device other than the caller's thread wait for messages with all that it has to
/// do? Of rows that are cut it has others to begin with.
static bool others_wait(const filling *f)
{
    for (int s = 0; s < f->tasks->steps; s++) {
        const cairn_subproduct_step *step = &f->tasks->step[s];

        if (step->piece == CAIRN_ALL_PIECES && !has_come(f, step, 0)
            && (step->subproduct->seat.among || step->subproduct->queue != 0))
            return true;
    }
    return false;
}

/* Bytes that a run reads of a matrix which is multiplied whole, some 25 us at 10 GB/s. A
   launch more takes 0.3 to 0.5 us (bench_halo), as long as a row from another rank of the
   node. */
static const int64_t small_bytes = 1 << 18;

/// Is it not worth while to compute some rows before messages have come? Then the last step
/// has all rows; it comes when all have, for it is the only subproduct, on this thread, and
/// @p last was added after all arrivals.
static void join_small(filling *f, bool last)
{
    const cairn_comm       *comm  = f->replay->common.comm;
    const cairn_subproduct *first = &f->replay->subproduct[0];

    if (!last || f->replay->subproducts != 1 || first->queue != 0
        || comm->local_size < comm->size || cairn_subproduct_bytes(first) > small_bytes)
        return;
    for (int s = 0; s < f->tasks->steps; s++)
        f->tasks->step[s].small = f->tasks->step[s].piece != CAIRN_ALL_PIECES;
}

static bool is_any_left(const filling *f)
{
    for (int s = 0; s < f->tasks->steps; s++)
        if (!f->added[s]) return true;
    return false;
}

static cairn_status fill(filling *f)
{
    CAIRN_TRY(add_handles(f));
    f->early = travels(f) && !f->replay->queues.pinned;
    f->waits = others_wait(f);
    f->lined = travels(f);
    if (travels(f)) CAIRN_TRY(add_halo(f));
    CAIRN_TRY(add_starts(f, false));
    f->lined = false;
    join_small(f, is_any_left(f));
    for (int p = 0; p < f->replay->subproducts; p++)
        if (is_meanwhile(f->replay, p)) CAIRN_TRY(add_steps_left(f, p));
    for (int p = 0; p < f->replay->subproducts; p++) {
        CAIRN_TRY(add_steps_left(f, p));
        CAIRN_TRY(add_collect(f, p));
    }
    if (!travels(f)) return CAIRN_OK;
    f->lined = true;
    return add_halo_step(f, CAIRN_STEP_FINISH);
}

static cairn_status make(cairn_replay *replay, cairn_replay_tasks *fresh)
{
    cairn_env *env = replay->common.comm->env;
    filling    f   = {.replay = replay, .tasks = fresh};

    CAIRN_TRY(cairn_graph_create(env, &fresh->graph));
    if (travels(&f)) CAIRN_TRY(cairn_replay_list_arrivals(replay, fresh));
    CAIRN_TRY(list_steps(replay, fresh));
    const cairn_status status = fill(&f);

    cairn_free(env, f.first);
    cairn_free(env, f.y);
    cairn_free(env, f.ghost);
    cairn_free(env, f.access);
    cairn_free(env, f.added);
    CAIRN_TRY(status);
    return cairn_program_create(fresh->graph, replay->queues.count, CAIRN_ORDER_URGENT,
                                &fresh->program);
}

cairn_status cairn_replay_lay_out(cairn_replay *replay)
{
    cairn_env         *env    = replay->common.comm->env;
    cairn_replay_tasks fresh  = {.steps = 0};
    const cairn_status status = make(replay, &fresh);

    if (status != CAIRN_OK) {
        cairn_replay_free_tasks(env, &fresh);
        return status;
    }
    cairn_replay_free_tasks(env, &replay->tasks);
    replay->tasks = fresh;
    return CAIRN_OK;
}

void cairn_replay_free_tasks(cairn_env *env, cairn_replay_tasks *tasks)
{
    cairn_program_destroy(&tasks->program);
    cairn_graph_destroy(&tasks->graph);
    cairn_free(env, tasks->step);
    cairn_free(env, tasks->from);
    cairn_free(env, tasks->arrival);
    *tasks = (cairn_replay_tasks){.steps = 0};
}
