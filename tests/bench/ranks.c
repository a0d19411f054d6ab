// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A conversion on all ranks of a job beside the same on its first rank alone, each rank
/// with one thread: the times of both, and of what share of the one the other is. To be
/// started by `mpirun -n 2 --bind-to core`. Rows are cut where --by FORMAT wants it, and
/// stay with their ranks where that suits the formats that are timed.
///
/// bench_ranks [--rounds N] [--n N] [--by FORMAT] [--from FORMAT] [--problem KIND]
/// [FORMAT...]

#include "bench.h"
#include "support/every_format.h"

#include <cairn/cairn.h>

#include <mpi.h>

enum { WAYS = 2 };

/// On the first rank alone, and on all.
typedef struct {
    int            rank, rounds;
    int64_t        n;
    const char    *by, *from, *problem;
    cairn_context *context[WAYS]; ///< The first: NULL on other ranks.
    cairn_tensor  *source[WAYS];
} bench;

static void must(const bench *b, int way, cairn_status status, const char *what)
{
    if (status == CAIRN_OK) return;
    fprintf(stderr, "bench_ranks: %s: %s\n", what,
            cairn_context_message(b->context[way]));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static cairn_format *format_of(const bench *b, int way, const char *text)
{
    cairn_format *format = NULL;

    must(b, way, cairn_format_create(b->context[way], text, &format), text);
    return format;
}

/// The same matrix on one rank and on all.
static void open_way(bench *b, int way)
{
    const cairn_problem p          = {.size = sizeof p, .n = b->n, .degree = 27};
    const MPI_Comm      comm[WAYS] = {MPI_COMM_SELF, MPI_COMM_WORLD};
    cairn_source       *source     = NULL;

    if (way == 0 && b->rank > 0) return;
    if (cairn_context_create_fortran((int)MPI_Comm_c2f(comm[way]), &b->context[way])
        != CAIRN_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    must(b, way, cairn_source_generate(b->context[way], b->problem, &p, &source),
         b->problem);

    /* Rows are cut at multiples of what the first format wants, and stay so. */
    cairn_format *by = format_of(b, way, b->by), *from = format_of(b, way, b->from);
    cairn_tensor *first = NULL;

    must(b, way, cairn_tensor_create(source, by, CAIRN_F64, &first), b->by);
    must(b, way, cairn_tensor_convert(first, from, &b->source[way]), b->from);
    cairn_tensor_destroy(&first);
    cairn_format_destroy(&by);
    cairn_format_destroy(&from);
    cairn_source_destroy(&source);
}

static void close_way(bench *b, int way)
{
    cairn_tensor_destroy(&b->source[way]);
    cairn_context_destroy(&b->context[way]);
}

/// One conversion: seconds of the slowest rank.
static double convert(const bench *b, int way, cairn_format *format, const char *name)
{
    cairn_tensor *made = NULL;
    double        its  = 0, all;

    MPI_Barrier(MPI_COMM_WORLD);
    if (b->context[way]) {
        const double begin = bench_seconds();

        must(b, way, cairn_tensor_convert(b->source[way], format, &made), name);
        its = bench_seconds() - begin;
        cairn_tensor_destroy(&made);
    }
    MPI_Allreduce(&its, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void time_format(const bench *b, const char *name)
{
    cairn_format *format[WAYS] = {NULL};
    double        least[WAYS]  = {1e300, 1e300};

    for (int way = 0; way < WAYS; way++)
        if (b->context[way]) format[way] = format_of(b, way, name);
    for (int k = 0; k <= b->rounds; k++)
        for (int way = 0; way < WAYS; way++) {
            const double seconds = convert(b, way, format[way], name);

            if (k > 0 && seconds < least[way]) least[way] = seconds; /* warm */
        }
    if (b->rank == 0)
        printf("%-32s %8.2f %8.2f %6.2f\n", name, 1e3 * least[0], 1e3 * least[1],
               least[1] / least[0]);
    for (int way = 0; way < WAYS; way++)
        cairn_format_destroy(&format[way]);
}

/// What a format takes is too much for a matrix of this size.
static bool is_too_large(const char *name)
{
    return strncmp(name, "dense", 5) == 0;
}

int main(int argc, char **argv)
{
    bench b = {
        .rounds = 7, .n = 150000, .by = "c2sr<24>", .from = "csr", .problem = "fem3"};
    int at = 1;

    setenv("CAIRN_THREADS", "1", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--rounds") == 0) b.rounds = atoi(argv[at + 1]);
        if (strcmp(argv[at], "--n") == 0) b.n = atoll(argv[at + 1]);
        if (strcmp(argv[at], "--by") == 0) b.by = argv[at + 1];
        if (strcmp(argv[at], "--from") == 0) b.from = argv[at + 1];
        if (strcmp(argv[at], "--problem") == 0) b.problem = argv[at + 1];
    }
    for (int way = 0; way < WAYS; way++)
        open_way(&b, way);
    if (b.rank == 0)
        printf("from %s, %s, ms: one rank, all ranks, share\n", b.from, b.problem);
    for (int k = at; k < argc; k++)
        time_format(&b, argv[k]);
    for (int k = 0; k < FORMATS && at == argc; k++)
        if (!is_too_large(formats[k])) time_format(&b, formats[k]);
    for (int way = 0; way < WAYS; way++)
        close_way(&b, way);
    MPI_Finalize();
    return 0;
}
