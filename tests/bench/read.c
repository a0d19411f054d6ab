// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading Matrix Market files: Cairn, its peers as far as they are installed, and the
/// bounds, each reading a process of its own with fresh memory, in interleaved rounds.
/// Readers that see other entries than Cairn end the program with 1.
///
/// bench_read [--rounds N] [--n N] [--json] [FILE...]
///     --n    Size of the generated files (fem3 with N rows and 18 neighbours a node).
///     FILE   Files to read instead of the generated ones.

#include "bench.h"

#include <cairn/cairn.h>

#include <stdbool.h>
#include <sys/stat.h>

enum { MOST_ROUNDS = 101, MOST_FILES = 16, ABSENT = 77 };

/// %s of a command is the file.
typedef struct {
    const char *name;
    const char *command;
    bool        bound; ///< It sees no entries.
} reader;

#define BIN   BENCH_FOLDER "/"
#define SCIPY BENCH_PYTHON " " BENCH_SOURCE "/peers/read_python.py scipy "
#define FMM   BENCH_FMM_PYTHON " " BENCH_SOURCE "/peers/read_python.py fmm "
#define MPI                                                               \
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "          \
    "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 " \
    "OMPI_MCA_hwloc_base_binding_policy=none CAIRN_THREADS=1 "

/// The first one is what all others are compared with.
static const reader readers[] = {
    {"Cairn, 1 thread",                    "CAIRN_THREADS=1 " BIN "read_cairn %s",               false},
    {"Cairn, 2 threads",                   "CAIRN_THREADS=2 " BIN "read_cairn %s",               false},
#ifdef BENCH_MPIEXEC
    {"Cairn, 2 ranks",                     MPI BENCH_MPIEXEC " -n 2 " BIN "read_cairn %s ranks", false},
#endif
    {"Cairn, AVX-512 scanner alone",       BIN "read_parse %s avx512",                           false},
    {"Cairn, scanner of words alone",      BIN "read_parse %s words",                            false},
    {"Cairn, careful parser alone",        BIN "read_parse %s careful",                          false},
    {"fast_matrix_market, 1 thread",       FMM "1 %s",                                           false},
    {"fast_matrix_market, 2 threads",      FMM "2 %s",                                           false},
    {"fast_matrix_market, C++, 1 thread",  BIN "read_fmm 1 %s",                                  false},
    {"fast_matrix_market, C++, 2 threads", BIN "read_fmm 2 %s",                                  false},
    {"Eigen loadMarket",                   BIN "read_eigen %s",                                  false},
    {"CHOLMOD read_triplet",               BIN "read_cholmod %s",                                false},
    {"SciPy mmread",                       SCIPY "%s",                                           false},
    {"bytes read, nothing else",           BIN "read_bytes %s read",                             true },
    {"bytes read, newlines counted",       BIN "read_bytes %s newlines",                         true },
};

enum { READERS = sizeof readers / sizeof *readers };

typedef struct {
    bool     absent;
    int      rounds;
    double   seconds[MOST_ROUNDS];
    int64_t  entries;
    uint64_t sum;
} result;

typedef struct {
    int         rounds, files;
    long        n;
    bool        json;
    const char *file[MOST_FILES];
} settings;

/// Files that are generated; they go when the program ends, however it does.
static char made_folder[64], made[3][96];

static void remove_files(void)
{
    for (int k = 0; k < 3; k++)
        if (*made[k]) unlink(made[k]);
    if (*made_folder) rmdir(made_folder);
}

static void stop(const char *what, const char *which)
{
    fprintf(stderr, "bench_read: %s: %s\n", what, which);
    exit(1);
}

static void run(const reader *reader, const char *file, result *r)
{
    char               command[2048];
    double             seconds;
    long long          entries;
    unsigned long long sum;

    snprintf(command, sizeof command, reader->command, file);
    strcat(command, " 2>/dev/null");

    FILE *const out = popen(command, "r");

    if (!out) stop("cannot be started", command);

    const bool told   = fscanf(out, "%lf %lld %llu", &seconds, &entries, &sum) == 3;
    const int  status = pclose(out);

    r->absent = !told && (WEXITSTATUS(status) == ABSENT || WEXITSTATUS(status) == 127);
    if (r->absent) return;
    if (!told || status != 0) stop("fails", command);
    r->seconds[r->rounds++] = seconds;
    r->entries              = entries;
    r->sum                  = sum;
}

static void check(const char *file, const result *r)
{
    for (int k = 1; k < READERS; k++) {
        if (r[k].absent || readers[k].bound) continue;
        if (r[k].entries != r[0].entries || r[k].sum != r[0].sum) {
            fprintf(stderr, "bench_read: %s: %s sees other entries than Cairn\n", file,
                    readers[k].name);
            exit(1);
        }
    }
}

static void print_table(const char *file, double bytes, result *r)
{
    const double ours = bench_median(r[0].seconds, r[0].rounds);

    printf("\n%s: %.1f MB, %lld entries\n", file, bytes * 1e-6,
           (long long)r[0].entries);
    printf("%-30s %10s %10s %8s %8s\n", "", "median ms", "least ms", "GB/s", "ratio");
    for (int k = 0; k < READERS; k++) {
        if (r[k].absent) {
            printf("%-30s %10s\n", readers[k].name, "not installed");
            continue;
        }

        const double median = bench_median(r[k].seconds, r[k].rounds);

        printf("%-30s %10.1f %10.1f %8.2f %8.2f\n", readers[k].name, median * 1e3,
               r[k].seconds[0] * 1e3, bytes / median * 1e-9, median / ours);
    }
}

static void print_json(const char *file, double bytes, result *r, bool first)
{
    const double ours = bench_median(r[0].seconds, r[0].rounds);

    printf(
        "%s\n  {\"file\": \"%s\", \"bytes\": %.0f, \"entries\": %lld, \"readers\": [",
        first ? "" : ",", file, bytes, (long long)r[0].entries);
    for (int k = 0, printed = 0; k < READERS; k++) {
        if (r[k].absent) continue;

        const double median = bench_median(r[k].seconds, r[k].rounds);

        printf("%s\n    {\"name\": \"%s\", \"rounds\": %d, \"median_ms\": %.3f, "
               "\"least_ms\": %.3f, "
               "\"gb_per_s\": %.3f, \"ratio\": %.3f}",
               printed++ ? "," : "", readers[k].name, r[k].rounds, median * 1e3,
               r[k].seconds[0] * 1e3, bytes / median * 1e-9, median / ours);
    }
    printf("]}");
}

static void measure(const settings *s, int number)
{
    static result     r[READERS];
    const char *const file = s->file[number];
    struct stat       about;

    if (stat(file, &about) != 0) stop("no such file", file);
    memset(r, 0, sizeof r);
    for (int round = 0; round < s->rounds; round++)
        for (int k = 0; k < READERS; k++)
            if (!r[k].absent) run(&readers[k], file, &r[k]);
    if (r[0].absent) stop("is not there", readers[0].name);
    check(file, r);
    if (s->json)
        print_json(file, (double)about.st_size, r, number == 0);
    else
        print_table(file, (double)about.st_size, r);
}

/// fem3, with the generator's values, which are short.
static void generate(long n, const char *path)
{
    cairn_context      *context = NULL;
    cairn_source       *source  = NULL;
    const cairn_problem problem = {.size = sizeof(cairn_problem), .n = n, .degree = 18};

    if (cairn_context_create(&context) != CAIRN_OK)
        stop("context", cairn_context_message(context));
    if (cairn_source_generate(context, "fem3", &problem, &source) != CAIRN_OK
        || cairn_source_write(source, path) != CAIRN_OK)
        stop(path, cairn_context_message(context));
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}

/// The same places with random values of 17 digits, indices swapped or not: swapped, the
/// entries stand in the order of columns, as in most collections.
static void give_digits(const char *from, const char *path, bool swap)
{
    FILE    *in = fopen(from, "r"), *out = fopen(path, "w");
    char     line[256];
    uint64_t state = 1;

    if (!in || !out || !fgets(line, sizeof line, in)) stop("cannot be copied", from);
    fputs(line, out);
    if (!fgets(line, sizeof line, in)) stop("cannot be copied", from);
    fputs(line, out);
    for (long i, j; fscanf(in, "%ld %ld %*s", &i, &j) == 2;) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        fprintf(out, "%ld %ld %.17g\n", swap ? j : i, swap ? i : j,
                (double)(int64_t)state * 0x1p-63);
    }
    fclose(in);
    if (fclose(out) != 0) stop("cannot be written", path);
}

static void make_files(settings *s)
{
    static const char *const names[] = {"17-digits", "by-columns", "short"};

    strcpy(made_folder, "/tmp/cairn-bench-XXXXXX");
    if (!mkdtemp(made_folder)) stop("no folder", made_folder);
    atexit(remove_files);
    for (s->files = 0; s->files < 3; s->files++) {
        snprintf(made[s->files], sizeof made[0], "%s/fem3-%s.mtx", made_folder,
                 names[s->files]);
        s->file[s->files] = made[s->files];
    }
    generate(s->n, made[2]);
    give_digits(made[2], made[0], false);
    give_digits(made[2], made[1], true);
}

static void read_settings(int argc, char **argv, settings *s)
{
    *s = (settings){.rounds = 7, .n = 60000};
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--json") == 0)
            s->json = true;
        else if (strcmp(argv[k], "--rounds") == 0 && k + 1 < argc)
            s->rounds = atoi(argv[++k]);
        else if (strcmp(argv[k], "--n") == 0 && k + 1 < argc)
            s->n = atol(argv[++k]);
        else if (argv[k][0] != '-' && s->files < MOST_FILES)
            s->file[s->files++] = argv[k];
        else
            stop("cannot be understood", argv[k]);
    }
    if (s->rounds < 1 || s->rounds > MOST_ROUNDS) stop("rounds", "1..101");
}

int main(int argc, char **argv)
{
    settings s;

    read_settings(argc, argv, &s);
    if (s.files == 0) make_files(&s);
    if (!s.json) bench_print_machine(BENCH_SOURCE, s.rounds);
    if (s.json) printf("[");
    for (int k = 0; k < s.files; k++)
        measure(&s, k);
    if (s.json) printf("\n]\n");
    return 0;
}
