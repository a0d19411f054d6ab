// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What iterations pay for checkpoints: the copy, and iterations while a thread writes,
/// beside iterations that have the machine to themselves, in turns. An iteration is one pass
/// over four vectors of f64, far less than a product and its vector work.
///
/// bench_checkpoint FOLDER [ROWS [CHECKPOINTS]]

#include "checkpoint/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { VECTORS = 4, ALONE = 5 };

static double *vector[VECTORS];

static double iterate(int64_t n)
{
    const double begin = cairn_seconds();

    for (int64_t i = 0; i < n; i++) {
        vector[0][i] += 0.5 * vector[1][i];
        vector[2][i] = vector[3][i] - 0.5 * vector[2][i];
    }
    return cairn_seconds() - begin;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/// What is measured of each checkpoint, in ms.
typedef enum {
    ALONE_MS,
    COPY_MS,
    COPY_CPU_MS,
    BESIDE_MS,
    ALL_CPU_MS,
    COMPLETE_MS,
    COLUMNS
} column;

/// Seconds of processor time: of this thread, or of the process.
static double cpu_seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// One checkpoint, and iterations before it and beside it.
static void
measure(cairn_checkpoint_writer *writer, cairn_checkpoint *state, double ms[COLUMNS])
{
    double alone = 1e9, beside = 0;
    int    iterations = 0;

    for (int k = 0; k < ALONE; k++) {
        const double s = iterate(state->n);

        if (s < alone) alone = s;
    }
    const double begin = cairn_seconds(), own = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    const double all = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);

    state->iteration++;
    cairn_checkpoint_begin(writer, state);
    const double copied = cairn_seconds();

    ms[COPY_CPU_MS] = 1e3 * (cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - own);

    while (!cairn_checkpoint_idle(writer)) {
        beside += iterate(state->n);
        iterations++;
        cairn_checkpoint_advance(writer, cairn_checkpoint_progress(writer));
    }
    ms[ALONE_MS]   = 1e3 * alone;
    ms[ALL_CPU_MS] = 1e3
                     * (cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - all
                        - (cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - own));
    ms[COPY_MS]     = 1e3 * (copied - begin);
    ms[BESIDE_MS]   = 1e3 * beside / iterations;
    ms[COMPLETE_MS] = 1e3 * (cairn_seconds() - begin);
}

int main(int argc, char **argv)
{
    const int64_t            n      = argc > 2 ? strtoll(argv[2], NULL, 10) : 1000000;
    const int                rounds = argc > 3 ? atoi(argv[3]) : 15;
    cairn_env                env;
    cairn_comm              *comm;
    cairn_checkpoint_writer *writer;
    cairn_checkpoint         state = {
                .method = "bench", .format = "csr", .plan = "", .n = n, .end_row = n};
    double(*ms)[COLUMNS] = calloc((size_t)rounds, sizeof *ms);
    double first[COLUMNS];

    if (argc < 2 || rounds < 1 || !ms) return 2;
    cairn_env_init(&env);
    for (int v = 0; v < VECTORS; v++) {
        char name[2] = {(char)('a' + v), '\0'};

        vector[v] = calloc((size_t)n, sizeof *vector[v]);
        for (int64_t i = 0; i < n; i++)
            vector[v][i] = (double)(i % 97) / (v + 1);
        cairn_checkpoint_add_vector(&state, name, CAIRN_F64, vector[v]);
    }
    if (cairn_comm_self(&env, &comm) != CAIRN_OK
        || cairn_checkpoint_open(comm, argv[1], &state, 0, &writer) != CAIRN_OK) {
        fprintf(stderr, "bench_checkpoint: %s\n", env.message);
        return 1;
    }
    measure(writer, &state, first);
    for (int k = 0; k < rounds; k++)
        measure(writer, &state, ms[k]);
    printf("%.1f MB in %d vectors; ms, the first checkpoint, then the least and the "
           "median "
           "of %d\n",
           8e-6 * VECTORS * (double)n, VECTORS, rounds);
    static const char *const name[COLUMNS] = {
        "an iteration alone",  "the copy",         "the copy, CPU",
        "an iteration beside", "the threads, CPU", "until complete"};

    for (int c = 0; c < COLUMNS; c++) {
        double *sorted = calloc((size_t)rounds, sizeof *sorted);

        for (int k = 0; sorted && k < rounds; k++)
            sorted[k] = ms[k][c];
        qsort(sorted, (size_t)rounds, sizeof *sorted, ascending);
        printf("%-20s %9.2f %9.2f %9.2f\n", name[c], first[c], sorted[0],
               sorted[rounds / 2]);
        free(sorted);
    }
    cairn_checkpoint_close(&writer);
    cairn_comm_destroy(&comm);
    cairn_env_fini(&env);
    for (int v = 0; v < VECTORS; v++)
        free(vector[v]);
    free(ms);
    return 0;
}
