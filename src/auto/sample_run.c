// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Storing a sample and multiplying with it.

#include "auto/sample_run.h"

#include "plan/replay.h"
#include "tensor/value_storage.h"

#include <math.h>
#include <string.h>

/* Products before the clock starts, and with it. Few: the processor learns the lengths
   of a small sample's rows by heart, as it cannot those of the whole. */
enum { WARM = 1, TIMED = 3 };

/// A loader that adds up how long it takes.
typedef struct {
    const cairn_kernel_loader *inner;
    double                     seconds;
} stopwatch;

static cairn_status
load_timed(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    stopwatch         *watch  = user;
    const double       begin  = cairn_seconds();
    const cairn_status status = watch->inner->load(watch->inner->user, request, kernel);

    watch->seconds += cairn_seconds() - begin;
    return status;
}

static void ahead_timed(void *user, const cairn_kernel_request *request, int requests)
{
    stopwatch   *watch = user;
    const double begin = cairn_seconds();

    watch->inner->ahead(watch->inner->user, request, requests);
    watch->seconds += cairn_seconds() - begin;
}

static void release_timed(void *user, cairn_kernel *kernel)
{
    const stopwatch *watch = user;

    watch->inner->release(watch->inner->user, kernel);
}

/// Store the sample.
static cairn_status store(const cairn_sample_runs   *trials,
                          const cairn_format        *format,
                          const cairn_kernel_loader *loader,
                          cairn_sample_run          *trial,
                          cairn_local              **local)
{
    const cairn_sample *sample = trials->sample;
    stopwatch           watch  = {.inner = loader};
    cairn_kernel_loader timed  = loader ? *loader : (cairn_kernel_loader){0};
    cairn_build         build  = {.format     = format,
                                  .shape      = sample->shape,
                                  .entries    = &sample->entries,
                                  .value_bits = trials->value_bits,
                                  .held       = trials->held,
                                  .loader     = loader ? &timed : NULL};
    const double        begin  = cairn_seconds();

    timed.load    = load_timed;
    timed.release = release_timed;
    timed.ahead   = loader && loader->ahead ? ahead_timed : NULL;
    timed.user    = &watch;
    for (int k = 0; k < 2; k++)
        build.box[k] = (cairn_interval){0, sample->shape.extent[k] - 1};
    CAIRN_TRY(cairn_local_build(trials->env, &build, local));
    if (trials->narrows) CAIRN_TRY(cairn_local_narrow(*local));
    trial->kernels += watch.seconds;
    trial->search += cairn_seconds() - begin - watch.seconds;
    return CAIRN_OK;
}

/// Multiply with some X that is really in memory.
static cairn_status time_products(cairn_replay *replay, cairn_sample_run *trial)
{
    const cairn_operands *o     = replay->common.operands;
    const double          start = cairn_seconds();
    const int64_t         owned = o->x_rows.first[1] - o->x_rows.first[0];
    double                least = INFINITY;

    memset(o->x, 0x3f, (size_t)(owned * o->op.columns) * (size_t)o->value_bits / 8);
    for (int k = 0; k < WARM + TIMED; k++) {
        const double begin = cairn_seconds();

        CAIRN_TRY(cairn_replay_run(replay));
        if (k >= WARM) least = fmin(least, cairn_seconds() - begin);
    }
    trial->product = least;
    trial->search += cairn_seconds() - start;
    return CAIRN_OK;
}

static cairn_status multiply(const cairn_sample_runs *trials,
                             cairn_comm              *alone,
                             const cairn_local       *local,
                             cairn_sample_run        *trial)
{
    cairn_coord            first[2] = {0, local->shape.extent[0]};
    const cairn_rows       rows     = {.size = 1, .first = first};
    cairn_placing_question question = trials->placing;
    const double           begin    = cairn_seconds();
    cairn_replay          *replay   = NULL;
    cairn_placing          placing;

    question.tensor = local;
    CAIRN_TRY(cairn_placing_choose(trials->env, &question, &placing));
    CAIRN_TRY(cairn_replay_create(alone, trials->devices, &placing, local, &rows,
                                  trials->op, trials->held, &replay));
    trial->kernels += cairn_seconds() - begin;
    const cairn_status status = time_products(replay, trial);

    cairn_replay_destroy(&replay);
    return status;
}

cairn_status cairn_sample_run_run(const cairn_sample_runs   *trials,
                                  const cairn_format        *format,
                                  const cairn_kernel_loader *loader,
                                  cairn_sample_run          *trial)
{
    cairn_sample_run fresh = {0};
    cairn_comm      *alone = NULL;
    cairn_local     *local = NULL;

    CAIRN_TRY(cairn_comm_self(trials->env, &alone));
    cairn_status status = store(trials, format, loader, &fresh, &local);

    if (status == CAIRN_OK) status = multiply(trials, alone, local, &fresh);
    cairn_local_destroy(&local);
    cairn_comm_destroy(&alone);
    if (status == CAIRN_OK) *trial = fresh;
    return status;
}
