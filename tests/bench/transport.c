// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What messages cost over the transport that MPI has been given (ucx.sh has two of them take
/// turns): as many bytes each way between the ranks of a pair, by persistent requests, as a
/// halo's are; and runs of a plan whose halo is as long, by requests too (CAIRN_HALO). A line
/// for each: what, bytes each way, and microseconds, the least and the median of its rounds.
///
/// bench_transport [ROUNDS], on 2 ranks.

#include "bench.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <mpi.h>

enum {
    MOST = 1 << 20,
    EACH = 20
}; ///< Bytes; messages, or runs, that are timed together.

static int    rank, rounds = 200;
static double seconds[10000];

static void print(const char *what, long bytes)
{
    const double median = bench_median(seconds, rounds);

    if (rank == 0)
        printf("%s %ld %.3f %.3f\n", what, bytes, 1e6 * seconds[0] / EACH,
               1e6 * median / EACH);
}

static void time_messages(int bytes)
{
    static char out[MOST], in[MOST];
    MPI_Request request[2];

    MPI_Recv_init(in, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(out, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    for (int k = 0; k < rounds; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = bench_seconds();

        for (int each = 0; each < EACH; each++) {
            MPI_Startall(2, request);
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        }
        seconds[k] = bench_seconds() - begin;
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    print("message", bytes);
}

static void must(cairn_context *context, cairn_status status)
{
    if (status == CAIRN_OK) return;
    fprintf(stderr, "bench_transport: %s\n", cairn_context_message(context));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/// A 5-point stencil with few rows behind a long side: its halo is one side.
static void time_runs(cairn_context *context, int64_t side)
{
    cairn_problem of     = {.size = sizeof of, .nx = side, .ny = 4};
    cairn_source *source = NULL;
    cairn_format *csr    = NULL;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;

    must(context, cairn_source_generate(context, "stencil5", &of, &source));
    must(context, cairn_format_create(context, "csr", &csr));
    must(context, cairn_tensor_create(source, csr, CAIRN_F64, &tensor));
    must(context, cairn_plan_create_spmv(tensor, &plan));
    for (int k = 0; k < 10; k++)
        must(context, cairn_plan_run(plan, NULL, NULL));
    for (int k = 0; k < rounds; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = bench_seconds();

        for (int each = 0; each < EACH; each++)
            must(context, cairn_plan_run(plan, NULL, NULL));
        seconds[k] = bench_seconds() - begin;
    }
    print("run", 8 * (long)side);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&csr);
    cairn_source_destroy(&source);
}

int main(int count, char **word)
{
    cairn_context *context = NULL;

    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (count > 1) rounds = atoi(word[1]);
    if (rounds < 1 || rounds > (int)(sizeof seconds / sizeof *seconds)) rounds = 200;
    for (int bytes = 8; bytes <= MOST; bytes *= 8)
        time_messages(bytes);
    must(context, cairn_context_create_mpi(MPI_COMM_WORLD, &context));
    for (int64_t side = 8; side <= 32768; side *= 8)
        time_runs(context, side);
    cairn_context_destroy(&context);
    MPI_Finalize();
    return 0;
}
