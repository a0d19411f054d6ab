// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What tests/bench/nodes.sh needs to know of ranks, each by a word of its own. To be started
/// by `mpirun -n N`; lines of numbers come out.
///
/// bench_nodes halo FORMAT FILE
///     A line for each rank: its first row and the one past its last, messages that it sends
///     in one product, and their bytes, counted where MPI is called (CAIRN_HALO=anew).
/// bench_nodes bare
///     Bytes of a rank that has done no more than MPI_Init(), of all ranks the most: resident
///     at most (VmHWM), and of addresses (VmPeak).
/// bench_nodes held ADDRESSES COMMAND...
///     Run a command with so many bytes of addresses (0: as many as it likes), its output to
///     nowhere: its status, and the bytes that it had resident at most.

#include "bench.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <mpi.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int            rank, size;
static cairn_context *context;

static void must(cairn_status status, const char *what)
{
    if (status == CAIRN_OK) return;
    fprintf(stderr, "bench_nodes: %s: %s\n", what, cairn_context_message(context));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- messages of a product ---- */

static int64_t messages, bytes; ///< Sent by this rank since they were 0.

/// In place of MPI's own, which it calls.
int MPI_Isend(const void  *data,
              int          n,
              MPI_Datatype type,
              int          to,
              int          tag,
              MPI_Comm     on,
              MPI_Request *request)
{
    int each;

    MPI_Type_size(type, &each);
    messages++;
    bytes += (int64_t)n * each;
    return PMPI_Isend(data, n, type, to, tag, on, request);
}

static int count_halo(const char *text, const char *file)
{
    cairn_source *source = NULL;
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    int64_t       its[4];

    setenv("CAIRN_HALO", "anew", 1);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context) != CAIRN_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    must(cairn_source_read(context, file, CAIRN_BY_NNZ, &source), file);
    must(cairn_format_create(context, text, &format), text);
    must(cairn_tensor_create(source, format, CAIRN_F64, &tensor), text);
    must(cairn_plan_create_spmv(tensor, &plan), "plan");
    must(cairn_plan_run(plan, NULL, NULL), "run");
    cairn_tensor_rows(tensor, &its[0], &its[1]);
    messages = bytes = 0;
    must(cairn_plan_run(plan, NULL, NULL), "run");
    its[2]       = messages;
    its[3]       = bytes;
    int64_t *all = malloc((size_t)size * sizeof its);

    MPI_Gather(its, 4, MPI_INT64_T, all, 4, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int r = 0; r < size && rank == 0; r++)
        printf("%ld %ld %ld %ld\n", (long)all[4 * r], (long)all[4 * r + 1],
               (long)all[4 * r + 2], (long)all[4 * r + 3]);
    free(all);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    MPI_Finalize();
    return 0;
}

/* ---- memory ---- */

/// Bytes that a line of /proc/self/status says; 0: it has none of that name.
static int64_t status_bytes(const char *name)
{
    FILE *const  file   = fopen("/proc/self/status", "r");
    const size_t length = strlen(name);
    char         line[200];
    long long    kilobytes = 0;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, length) == 0 && line[length] == ':')
            sscanf(line + length + 1, "%lld", &kilobytes);
    if (file) fclose(file);
    return kilobytes * 1024;
}

static int be_bare(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int64_t its[2] = {status_bytes("VmHWM"), status_bytes("VmPeak")}, most[2];

    MPI_Reduce(its, most, 2, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%ld %ld\n", (long)most[0], (long)most[1]);
    MPI_Finalize();
    return 0;
}

static int hold(const char *addresses, char **command)
{
    const rlim_t  most = strtoull(addresses, NULL, 10);
    struct rusage used;
    int           status = 0;

    fflush(stdout);
    const pid_t child = fork();

    if (child == 0) {
        const struct rlimit limit = {most, most};
        const int           out   = open("/dev/null", O_WRONLY);

        if (most > 0 && setrlimit(RLIMIT_AS, &limit) != 0) _exit(126);
        dup2(out, STDOUT_FILENO);
        execvp(command[0], command);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0) return 1;
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    printf("%d %ld\n", status, used.ru_maxrss * 1024);
    return status;
}

int main(int argc, char **argv)
{
    const char *const word = argc > 1 ? argv[1] : "";

    setenv("CAIRN_THREADS", "1", 1);
    if (strcmp(word, "halo") == 0 && argc == 4) return count_halo(argv[2], argv[3]);
    if (strcmp(word, "bare") == 0) return be_bare();
    if (strcmp(word, "held") == 0 && argc > 3) return hold(argv[2], argv + 3);
    return 2;
}
