// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What steps of CG pay for the same bits on any ranks, for checkpoints and for checks of
/// products, beside steps with nothing of it, in turns: 200 steps each time, from the end of
/// the first to that of the last. Under a launcher on its ranks; numbers are rank 0's.
///
/// bench_solver FILE FORMAT FOLDER [ROUNDS]

#include "bench.h"

#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 200, EVERY = 50 };

typedef enum { PLAIN, REPRODUCIBLE, CHECKPOINTS, GUARD, WAYS } way;

static const char *const name[WAYS] = {"nothing", "--reproducible",
                                       "a checkpoint every 50", "--guard"};

/// A way's matrix, plan, and least times of a step.
typedef struct {
    cairn_tensor *tensor;
    cairn_plan   *plan;
    double        wall;
    double        own; ///< Processor time of the thread that iterates,
    double        all; ///< and of all threads.
} arm;

/// A clock of each kind at the ends of the first and the last step.
typedef struct {
    double wall[2], own[2], all[2];
} clocks;

static cairn_context *context;

static void must(cairn_status status, const char *what)
{
    if (status == CAIRN_OK) return;
    fprintf(stderr, "bench_solver: %s: %s\n", what, cairn_context_message(context));
    exit(1);
}

/// Processor time: of this thread, or of the process.
static double cpu_seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int read_clocks(void *user, const cairn_solve_state *state)
{
    clocks *const c = user;

    if (state->iteration != 1 && state->iteration != STEPS) return 0;
    const int end = state->iteration == STEPS;

    c->wall[end] = bench_seconds();
    c->own[end]  = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    c->all[end]  = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
    return 0;
}

static void arm_up(arm *a, way w, const char *file, const char *text)
{
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;
    cairn_source      *source;
    cairn_format      *format;

    options.reproducible = w == REPRODUCIBLE;
    must(cairn_format_create(context, text, &format), "format");
    must(cairn_format_align(format, 64), "format");
    must(cairn_source_read(context, file, CAIRN_BY_NNZ, &source), "file");
    must(cairn_tensor_create(source, format, CAIRN_F64, &a->tensor), "tensor");
    must(cairn_plan_create_with(a->tensor, &options, &a->plan), "plan");
    if (w == GUARD) must(cairn_plan_guard(a->plan), "guard");
    cairn_source_destroy(&source);
    cairn_format_destroy(&format);
    a->wall = a->own = a->all = 1e9;
}

/// The lesser of @p so_far and a step between two clocks.
static double least(double so_far, const double *clock)
{
    const double step = (clock[1] - clock[0]) / (STEPS - 1);

    return step < so_far ? step : so_far;
}

/// Steps of one way, from x = 0.
static void
take_steps(arm *a, way w, const char *folder, const double *b, double *x, int64_t rows)
{
    cairn_solve_checkpoints kept    = CAIRN_SOLVE_CHECKPOINTS;
    cairn_solve_options     options = CAIRN_SOLVE_OPTIONS;
    clocks                  c;

    kept.folder            = folder;
    kept.iterations        = EVERY;
    options.tolerance      = 0;
    options.max_iterations = STEPS;
    options.reproducible   = w == REPRODUCIBLE;
    options.checkpoints    = w == CHECKPOINTS ? &kept : NULL;
    options.step           = read_clocks;
    options.user           = &c;
    memset(x, 0, (size_t)rows * sizeof *x);
    const cairn_status status = cairn_solve(a->plan, &options, b, x, NULL);

    if (status != CAIRN_NOT_CONVERGED) must(status, name[w]);
    a->wall = least(a->wall, c.wall);
    a->own  = least(a->own, c.own);
    a->all  = least(a->all, c.all);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 4 ? atoi(argv[4]) : 20;
    arm       a[WAYS];
    int64_t   first, end;

    if (argc < 4 || rounds < 1) {
        fprintf(stderr, "bench_solver FILE FORMAT FOLDER [ROUNDS]\n");
        return 2;
    }
    if (cairn_context_create_world(&context) != CAIRN_OK) return 1;
    for (int w = 0; w < WAYS; w++)
        arm_up(&a[w], w, argv[1], argv[2]);
    cairn_plan_rows(a[PLAIN].plan, &first, &end);
    double *const b = malloc((size_t)(end - first + 1) * sizeof *b);
    double *const x = malloc((size_t)(end - first + 1) * sizeof *x);

    for (int64_t i = first; i < end; i++)
        b[i - first] = 1 + (double)(i * 7 % 13);
    for (int k = 0; k < rounds; k++)
        for (int w = 0; w < WAYS; w++)
            take_steps(&a[w], w, argv[3], b, x, end - first);
    if (cairn_context_rank(context) == 0) {
        printf(
            "%s in %s, ranks %d; us a step, the least of %d: wall, processor time of "
            "the thread that iterates, of all threads\n",
            argv[1], argv[2], cairn_context_size(context), rounds);
        for (int w = 0; w < WAYS; w++)
            printf("%-24s %9.2f %+6.1f %% %9.2f %+6.1f %% %9.2f %+6.1f %%\n", name[w],
                   1e6 * a[w].wall, 100 * (a[w].wall / a[PLAIN].wall - 1),
                   1e6 * a[w].own, 100 * (a[w].own / a[PLAIN].own - 1), 1e6 * a[w].all,
                   100 * (a[w].all / a[PLAIN].all - 1));
    }
    for (int w = 0; w < WAYS; w++) {
        cairn_plan_destroy(&a[w].plan);
        cairn_tensor_destroy(&a[w].tensor);
    }
    free(b);
    free(x);
    cairn_context_destroy(&context);
    return 0;
}
