// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Checkpoints of a solver.

#include "solve/keep.h"

#include "base/mix.h"

#include <string.h>

/// What tells right-hand sides apart, among the numbers of a state.
static const char *const prints[] = {"b, low half", "b, high half"};

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/// What all states of this system have in common.
static cairn_checkpoint frame(const cairn_keeper *k)
{
    const cairn_solve_rows *rows = &k->sums->rows;

    return (cairn_checkpoint){
        .method      = k->identity->method,
        .format      = k->format,
        .plan        = "",
        .dtype       = CAIRN_F64,
        .n           = rows->total,
        .first_row   = rows->first,
        .end_row     = rows->first + rows->count,
        .fingerprint = {k->identity->fingerprint[0], k->identity->fingerprint[1]}
    };
}

/* ---- reading ---- */

/// The fingerprint of b: a sum over its elements that are not 0, so that the cuts of ranks do
/// not matter. Collective.
static cairn_status print_b(cairn_keeper *k)
{
    const cairn_solve_rows *rows = &k->sums->rows;
    cairn_comm             *comm = k->sums->comm;
    uint64_t                low = 0, high = 0;

    for (int64_t i = 0; i < rows->count; i++) {
        const uint64_t row = (uint64_t)(rows->first + i), bits = bits_of(k->b[i]);

        if (k->b[i] == 0) continue;
        low += cairn_mix(cairn_mix(CAIRN_MIX_LOW ^ row) ^ bits);
        high += cairn_mix(cairn_mix(CAIRN_MIX_HIGH ^ row) ^ bits);
    }
    /* Of halves, whose sums over ranks do not overflow. */
    int64_t half[] = {(uint32_t)low, (int64_t)(low >> 32), (uint32_t)high,
                      (int64_t)(high >> 32)};

    CAIRN_TRY(comm->ops->allreduce(comm, half, 4, CAIRN_SUM));
    k->print[0] = (uint64_t)half[0] + ((uint64_t)half[1] << 32);
    k->print[1] = (uint64_t)half[2] + ((uint64_t)half[3] << 32);
    return CAIRN_OK;
}

/// The state that was read, as a solver takes it; the right-hand side is not its business.
static cairn_status take(cairn_keeper *k, const char *method)
{
    const cairn_checkpoint *from = &k->restart;
    cairn_env              *env  = k->sums->comm->env;
    const int               low  = cairn_checkpoint_find_scalar(from, prints[0]);
    const int               high = cairn_checkpoint_find_scalar(from, prints[1]);

    CAIRN_CHECK(low >= 0 && high >= 0 && from->vectors <= CAIRN_SOLVE_VECTORS
                    && from->scalars - 2 <= CAIRN_SOLVE_SCALARS,
                env, CAIRN_BAD_FILE, "restart: %s: it is no solver's", k->how->restart);
    CAIRN_CHECK(from->scalar[low].bits == k->print[0]
                    && from->scalar[high].bits == k->print[1],
                env, CAIRN_BAD_FILE, "restart: %s: it is of another right-hand side",
                k->how->restart);
    k->start = (cairn_solve_state){.size      = sizeof k->start,
                                   .method    = method,
                                   .iteration = from->iteration,
                                   .rows      = from->end_row - from->first_row,
                                   .whole     = true};
    for (int v = 0; v < from->vectors; v++)
        k->start.vector[k->start.vectors++] =
            (cairn_solve_vector){from->vector[v].name, from->vector[v].value};
    for (int n = 0; n < from->scalars; n++)
        if (n != low && n != high)
            k->start.scalar[k->start.scalars++] = (cairn_solve_scalar){
                from->scalar[n].name, value_of(from->scalar[n].bits)};
    return CAIRN_OK;
}

cairn_status cairn_keeper_read(cairn_keeper             *keeper,
                               const char               *method,
                               const cairn_solve_state **start)
{
    cairn_keeper    *k = keeper;
    cairn_checkpoint expected;

    CAIRN_TRY(print_b(k));
    if (!k->how->restart) return CAIRN_OK;
    expected = frame(k);
    CAIRN_TRY(
        cairn_checkpoint_read(k->sums->comm, k->how->restart, &expected, &k->restart));
    CAIRN_TRY(cairn_comm_agree(k->sums->comm, take(k, method)));
    k->from = k->restart.generation;
    k->kept = k->restart.iteration;
    *start  = &k->start;
    return CAIRN_OK;
}

/* ---- writing ---- */

/// Is the folder that is written to the one that was read?
static bool is_same(const cairn_solve_checkpoints *how)
{
    return how->restart && how->folder && strcmp(how->restart, how->folder) == 0;
}

cairn_status cairn_keeper_open(cairn_keeper *keeper)
{
    cairn_keeper          *k   = keeper;
    const cairn_checkpoint all = frame(k);

    k->begun = cairn_seconds();
    if (!k->how->folder) return CAIRN_OK;
    k->complete = is_same(k->how) ? k->from : 0;
    return cairn_checkpoint_open(k->sums->comm, k->how->folder, &all, k->complete,
                                 &k->writer);
}

/// Begin to write a state, on all ranks.
static void begin(cairn_keeper *k, const cairn_solve_state *state)
{
    const double     from = cairn_seconds();
    cairn_checkpoint c    = frame(k);

    c.iteration = state->iteration;
    for (int v = 0; v < state->vectors; v++)
        cairn_checkpoint_add_vector(&c, state->vector[v].name, CAIRN_F64,
                                    state->vector[v].data);
    for (int n = 0; n < state->scalars; n++)
        cairn_checkpoint_add_scalar(&c, state->scalar[n].name,
                                    bits_of(state->scalar[n].value));
    for (int half = 0; half < 2; half++)
        cairn_checkpoint_add_scalar(&c, prints[half], k->print[half]);
    cairn_checkpoint_begin(k->writer, &c);
    k->kept  = state->iteration;
    k->due   = false;
    k->begun = cairn_seconds();
    k->info->checkpoint_seconds += k->begun - from;
}

/// Wait for what is under way, if anything is, and count it if it was completed.
static void finish(cairn_keeper *k)
{
    const int64_t last = cairn_checkpoint_finish(k->writer);

    k->info->checkpoints += last > k->complete;
    k->complete = last;
}

/// A reduction that is under way at an iteration's end says what was so before it.
enum { QUIET = 2 };

/// Go on with what is under way, by what the ranks said with the last sums.
static void advance(cairn_keeper *k)
{
    const double *heard = k->sums->notices.heard;

    if (cairn_checkpoint_idle(k->writer) || (k->quiet > 0 && --k->quiet > 0)
        || heard[CAIRN_SUMS_PENDING] > 0)
        return;
    cairn_checkpoint_advance(k->writer, heard[CAIRN_SUMS_FAILED] > 0
                                            ? CAIRN_CHECKPOINT_FAILED
                                            : CAIRN_CHECKPOINT_WRITTEN);
    k->quiet = QUIET;
    if (cairn_checkpoint_idle(k->writer)) finish(k);
}

/// Should the next one begin? By iterations all ranks know; by seconds rank 0 says so.
static void look(cairn_keeper *k, const cairn_solve_state *state)
{
    const int64_t every = k->how->iterations;

    k->due |=
        k->sums->notices.heard[CAIRN_SUMS_DUE] > 0
        || (every > 0 && state->iteration > k->kept && state->iteration % every == 0);
    if (state->iteration == k->kept) k->due = false;
}

/// What the next sums say of this rank.
static void say(cairn_keeper *k)
{
    const bool                           idle = cairn_checkpoint_idle(k->writer);
    const cairn_checkpoint_progress_kind how  = cairn_checkpoint_progress(k->writer);
    double *const                        says = k->sums->notices.says;

    says[CAIRN_SUMS_PENDING] = !idle && how == CAIRN_CHECKPOINT_PENDING;
    says[CAIRN_SUMS_FAILED]  = !idle && how == CAIRN_CHECKPOINT_FAILED;
    says[CAIRN_SUMS_DUE]     = k->sums->comm->rank == 0 && idle && !k->due
                           && k->how->seconds > 0
                           && cairn_seconds() - k->begun >= k->how->seconds;
}

void cairn_keeper_step(cairn_keeper *keeper, const cairn_solve_state *state)
{
    cairn_keeper *k = keeper;

    if (!k->writer) return;
    advance(k);
    look(k, state);
    if (k->due && state->whole && !state->last && cairn_checkpoint_idle(k->writer)) {
        begin(k, state);
        k->quiet = QUIET;
    }
    say(k);
}

void cairn_keeper_end(cairn_keeper *keeper, const cairn_solve_state *state)
{
    cairn_keeper *k = keeper;

    if (k->writer) {
        finish(k);
        if (state && state->whole && state->iteration > k->kept) {
            begin(k, state);
            finish(k);
        }
    }
    cairn_checkpoint_close(&k->writer);
    cairn_checkpoint_fini(k->sums->comm->env, &k->restart);
    memset(k->sums->notices.says, 0, sizeof k->sums->notices.says);
}
