// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What tests/bench/nodes.sh needs to know of ranks, each by a word of its own. To be started
/// by `mpirun -n N`; lines of numbers come out.
///
/// bench_nodes halo FORMAT FILE
///     A line for each rank: its first row and the one past its last, messages that it sends
///     in one product, and their bytes, counted where MPI is called (CAIRN_HALO=anew).
/// bench_nodes store FORMAT FILE
///     Seconds of reading, dividing and storing a file, the slowest rank's; CAIRN_THREADS
///     threads a rank.
/// bench_nodes redistribute FORMAT KIND ROWS ROUNDS
///     Of a problem of a kind (fem3, uniform) in compressed rows into a format with another
///     distribution, the least seconds: of the conversion; of messages as long as its, each
///     way at once, by MPI alone; of rows to coordinates, and of sorted entries to rows, on
///     each rank alone, of as many entries. And the bytes that went, those of questions
///     about places, the entries that went, and all entries.
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

static void begin(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context) != CAIRN_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void end(void)
{
    cairn_context_destroy(&context);
    MPI_Finalize();
}

static int count_halo(const char *text, const char *file)
{
    cairn_source *source = NULL;
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    int64_t       its[4];

    setenv("CAIRN_HALO", "anew", 1);
    begin();
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
    end();
    return 0;
}

/* ---- storing, and storing elsewhere ---- */

/// Since then, of the slowest rank.
static double seconds_since(double then)
{
    double took = bench_seconds() - then;

    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return took;
}

static double now_together(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return bench_seconds();
}

static int store(const char *text, const char *file)
{
    cairn_source *source = NULL;
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;

    begin();
    must(cairn_format_create(context, text, &format), text);
    const double then = now_together();

    must(cairn_source_read(context, file, CAIRN_BY_NNZ, &source), file);
    must(cairn_tensor_create(source, format, CAIRN_F64, &tensor), text);
    const double took = seconds_since(then);

    if (rank == 0) printf("%.9f\n", took);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    end();
    return 0;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/// So many bytes to the next rank and as many from the one before, at once.
static double exchange_bytes(int64_t length)
{
    char *const out = calloc(1, (size_t)length + 1), *const in =
                                                         calloc(1, (size_t)length + 1);
    const double then = now_together();

    MPI_Sendrecv(out, (int)length, MPI_BYTE, (rank + 1) % size, 0, in, (int)length,
                 MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    const double took = seconds_since(then);

    free(out);
    free(in);
    return took;
}

static cairn_source *make_entries(cairn_context *on, const char *kind, int64_t n)
{
    const cairn_problem of     = {.size = sizeof of, .n = n, .degree = 27};
    cairn_source       *source = NULL;

    must(cairn_source_generate(on, kind, &of, &source), kind);
    return source;
}

/// Each rank alone: rows to coordinates, and as many sorted entries to rows, for what is
/// divided anew has no arrays in common with what it was.
static double convert_alone(cairn_source *entries,
                            cairn_tensor *rows,
                            cairn_format *coo,
                            cairn_format *csr)
{
    cairn_tensor *list = NULL, *back = NULL;
    const double  then = now_together();

    must(cairn_tensor_convert(rows, coo, &list), "coo");
    must(cairn_tensor_create(entries, csr, CAIRN_F64, &back), "csr");
    const double took = seconds_since(then);

    cairn_tensor_destroy(&list);
    cairn_tensor_destroy(&back);
    return took;
}

static int redistribute(const char *text, const char *kind, int64_t n, int rounds)
{
    enum { THERE, SENT, ALONE, PARTS };
    cairn_context    *alone = NULL;
    cairn_format     *to = NULL, *rows_of = NULL, *coo = NULL, *csr = NULL;
    cairn_tensor     *rows = NULL, *share = NULL;
    cairn_source_info info        = CAIRN_SOURCE_INFO;
    double            best[PARTS] = {1e300, 1e300, 1e300};
    int64_t           sent = 0, asked = 0, went = 0;

    begin();
    if (cairn_context_create(&alone) != CAIRN_OK) MPI_Abort(MPI_COMM_WORLD, 1);
    must(cairn_format_create(context, text, &to), text);
    must(cairn_format_create(context, "csr", &rows_of), "csr");
    must(cairn_format_create(alone, "coo", &coo), "coo");
    must(cairn_format_create(alone, "csr", &csr), "csr");
    cairn_source *all = make_entries(context, kind, n),
                 *its = make_entries(alone, kind, n / size);

    must(cairn_source_describe(all, &info), kind);
    must(cairn_tensor_create(all, rows_of, CAIRN_F64, &rows), "csr");
    must(cairn_tensor_create(its, csr, CAIRN_F64, &share), "csr");

    for (int k = 0; k <= rounds; k++) {
        cairn_tensor *made = NULL;
        const double  then = now_together();

        must(cairn_tensor_convert(rows, to, &made), text);
        const double took = seconds_since(then);

        sent  = cairn_path_sent(cairn_tensor_path(made), &went, NULL);
        asked = cairn_path_asked(cairn_tensor_path(made));
        cairn_tensor_destroy(&made);
        const double by_mpi = exchange_bytes(sent / size);
        const double by_one = convert_alone(its, share, coo, csr);

        if (k == 0) continue; /* warm */
        best[THERE] = least(best[THERE], took);
        best[SENT]  = least(best[SENT], by_mpi);
        best[ALONE] = least(best[ALONE], by_one);
    }
    if (rank == 0)
        printf("%.9f %.9f %.9f %ld %ld %ld %ld\n", best[THERE], best[SENT], best[ALONE],
               (long)sent, (long)asked, (long)went, (long)info.nnz);
    cairn_tensor_destroy(&rows);
    cairn_tensor_destroy(&share);
    cairn_source_destroy(&all);
    cairn_source_destroy(&its);
    cairn_format_destroy(&rows_of);
    cairn_format_destroy(&to);
    cairn_format_destroy(&coo);
    cairn_format_destroy(&csr);
    cairn_context_destroy(&alone);
    end();
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

    setenv("CAIRN_THREADS", "1", 0);
    if (strcmp(word, "halo") == 0 && argc == 4) return count_halo(argv[2], argv[3]);
    if (strcmp(word, "store") == 0 && argc == 4) return store(argv[2], argv[3]);
    if (strcmp(word, "redistribute") == 0 && argc == 6)
        return redistribute(argv[2], argv[3], atoll(argv[4]), atoi(argv[5]));
    if (strcmp(word, "bare") == 0) return be_bare();
    if (strcmp(word, "held") == 0 && argc > 3) return hold(argv[2], argv + 3);
    return 2;
}
