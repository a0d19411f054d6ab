// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a halo costs. First one row each way: runs of a tridiagonal matrix on all ranks,
/// beside runs of as many rows alone with MPI_Neighbor_alltoallv of as many bytes after
/// them, in turn; of both the time of rows alone is taken off. And that call by itself, its
/// code at hand. Then a link that is late: messages
/// which are seen a while after they began, and runs of a 5-point stencil beside those
/// without; and what it would be if nothing were computed meanwhile. To be started by
/// `mpirun -n 2 --bind-to core`.
///
/// bench_halo [--rounds N] [--n ROWS] [--side POINTS]

#include "api/api.h"
#include "bench.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <mpi.h>

enum { TOGETHER, ALONE, AND_MPI, MPI_ALONE, WAYS, DELAYS = 3 };

static int            rank, size;
static cairn_context *world, *alone;

static void must(cairn_context *context, cairn_status status, const char *what)
{
    if (status == CAIRN_OK) return;
    fprintf(stderr, "bench_halo: %s: %s\n", what, cairn_context_message(context));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

typedef struct {
    cairn_source *source;
    cairn_format *csr;
    cairn_tensor *tensor;
    cairn_plan   *plan;
} product;

static void
open_product(cairn_context *context, const char *kind, cairn_problem of, product *p)
{
    of.size = sizeof of;
    must(context, cairn_source_generate(context, kind, &of, &p->source), kind);
    must(context, cairn_format_create(context, "csr", &p->csr), "csr");
    must(context, cairn_tensor_create(p->source, p->csr, CAIRN_F64, &p->tensor), "csr");
    must(context, cairn_plan_create_spmv(p->tensor, &p->plan), "plan");
}

static void close_product(product *p)
{
    cairn_plan_destroy(&p->plan);
    cairn_tensor_destroy(&p->tensor);
    cairn_format_destroy(&p->csr);
    cairn_source_destroy(&p->source);
}

/* ---- one row each way ---- */

/// Eight bytes to each neighbour and from it, by MPI alone.
typedef struct {
    MPI_Comm comm;
    int      n, count[2], at[2];
    double   out[2], in[2];
} neighbours;

static void connect(neighbours *nb)
{
    const int weight[2] = {1, 1};
    int       who[2];

    nb->n = 0;
    if (rank > 0) who[nb->n++] = rank - 1;
    if (rank < size - 1) who[nb->n++] = rank + 1;
    for (int k = 0; k < nb->n; k++) {
        nb->count[k] = 1;
        nb->at[k]    = k;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, nb->n, who, weight, nb->n, who,
                                   weight, MPI_INFO_NULL, 0, &nb->comm);
}

static double mean(const double *time, int n)
{
    double sum = 0;

    for (int k = 0; k < n; k++)
        sum += time[k];
    return sum / n;
}

/// The time that 99 of 100 do not exceed; they get sorted.
static double p99(double *time, int n)
{
    qsort(time, (size_t)n, sizeof *time, bench_compare);
    return time[n - 1 - n / 100];
}

static void time_rows(int rounds, int64_t n)
{
    product    p[2];
    double    *time[WAYS];
    neighbours nb = {.n = 0};

    open_product(world, "tridiag", (cairn_problem){.n = n}, &p[0]);
    open_product(alone, "tridiag", (cairn_problem){.n = n / size}, &p[1]);
    connect(&nb);
    for (int way = 0; way < WAYS; way++)
        time[way] = malloc((size_t)rounds * sizeof **time);
    for (int k = -rounds / 10; k < rounds; k++)
        for (int way = 0; way < WAYS; way++) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = bench_seconds();

            if (way == TOGETHER)
                must(world, cairn_plan_run(p[0].plan, NULL, NULL), "run");
            else if (way != MPI_ALONE)
                must(alone, cairn_plan_run(p[1].plan, NULL, NULL), "run");
            if (way >= AND_MPI)
                MPI_Neighbor_alltoallv(nb.out, nb.count, nb.at, MPI_DOUBLE, nb.in,
                                       nb.count, nb.at, MPI_DOUBLE, nb.comm);
            if (k >= 0) time[way][k] = bench_seconds() - begin;
        }
    const double kernel[2] = {mean(time[ALONE], rounds),
                              bench_median(time[ALONE], rounds)};
    double       took[WAYS][2];

    for (int way = 0; way < WAYS; way++) {
        took[way][0] = mean(time[way], rounds) - (way == MPI_ALONE ? 0 : kernel[0]);
        took[way][1] = p99(time[way], rounds) - (way == MPI_ALONE ? 0 : kernel[1]);
    }
    for (int m = 0; m < 2 && rank == 0; m++)
        printf(
            "tridiagonal, %ld rows, %d ranks, %s, us: %.2f beside the kernel's %.2f; "
            "MPI_Neighbor_alltoallv after a kernel %.2f, by itself %.2f: %.2f, %.2f\n",
            (long)n, size, m ? "p99" : "mean", 1e6 * took[TOGETHER][m], 1e6 * kernel[m],
            1e6 * took[AND_MPI][m], 1e6 * took[MPI_ALONE][m],
            took[TOGETHER][m] / took[AND_MPI][m],
            took[TOGETHER][m] / took[MPI_ALONE][m]);
    for (int way = 0; way < WAYS; way++)
        free(time[way]);
    for (int k = 0; k < 2; k++)
        close_product(&p[k]);
    MPI_Comm_free(&nb.comm);
}

/* ---- a late link ---- */

static const cairn_comm_ops *real;
static double                delay, begun;

static cairn_status begin_late(cairn_comm *c, void *exchange)
{
    begun = bench_seconds();
    return real->exchange_begin(c, exchange);
}

static cairn_status test_late(cairn_comm *c, void *exchange, bool *came)
{
    bool ignored[2] = {false, false};

    return real->exchange_test(c, exchange,
                               bench_seconds() - begun < delay ? ignored : came);
}

static cairn_status await_late(cairn_comm *c, void *exchange, int k)
{
    while (bench_seconds() - begun < delay)
        ;
    return real->exchange_await(c, exchange, k);
}

/// Seconds of a run of the slowest rank.
static double run(cairn_plan *plan)
{
    double its, all;

    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = bench_seconds();

    must(world, cairn_plan_run(plan, NULL, NULL), "run");
    its = bench_seconds() - begin;
    MPI_Allreduce(&its, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void time_delays(int rounds, int64_t side)
{
    static const double   late[DELAYS] = {0, 0.2e-3, 1e-3};
    static cairn_comm_ops slow;
    product               p;
    double               *time[DELAYS];

    open_product(world, "stencil5", (cairn_problem){.nx = side, .ny = side}, &p);
    real                = world->comm->ops;
    slow                = *real;
    slow.exchange_begin = begin_late;
    slow.exchange_test  = test_late;
    slow.exchange_await = await_late;
    world->comm->ops    = &slow;
    for (int d = 0; d < DELAYS; d++)
        time[d] = malloc((size_t)rounds * sizeof **time);
    for (int k = -2; k < rounds; k++)
        for (int d = 0; d < DELAYS; d++) {
            delay             = late[d];
            const double took = run(p.plan);

            if (k >= 0) time[d][k] = took;
        }
    world->comm->ops  = real;
    const double none = bench_median(time[0], rounds);

    for (int d = 0; d < DELAYS && rank == 0; d++) {
        const double took = bench_median(time[d], rounds);

        printf(
            "5-point stencil, side %ld, messages %.1f ms late: %.3f ms, %.2f times as "
            "long as without; with nothing computed meanwhile %.3f ms\n",
            (long)side, 1e3 * late[d], 1e3 * took, took / none, 1e3 * (none + late[d]));
    }
    for (int d = 0; d < DELAYS; d++)
        free(time[d]);
    close_product(&p);
}

int main(int argc, char **argv)
{
    int     rounds = 1000;
    int64_t n = 2000, side = 1000;

    setenv("CAIRN_THREADS", "1", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int at = 1; at + 1 < argc; at += 2) {
        if (strcmp(argv[at], "--rounds") == 0) rounds = atoi(argv[at + 1]);
        if (strcmp(argv[at], "--n") == 0) n = atoll(argv[at + 1]);
        if (strcmp(argv[at], "--side") == 0) side = atoll(argv[at + 1]);
    }
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &world) != CAIRN_OK
        || cairn_context_create(&alone) != CAIRN_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    time_rows(10 * rounds, n);
    time_delays(rounds / 20 + 1, side);
    cairn_context_destroy(&alone);
    cairn_context_destroy(&world);
    MPI_Finalize();
    return 0;
}
