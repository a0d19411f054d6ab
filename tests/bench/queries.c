// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random formats with queries: what storing a matrix in them takes, as multiples of what
/// ELL takes of the same matrix, and which way they went. Formats that the memory limit
/// refuses, since they store most of the matrix, or whose entries get no number, are drawn
/// again.
///
/// bench_queries [--formats N | --format TEXT] [--seed N] [--rows N] [--rounds N] [--list]
///               [--processor] [FILE]
///
/// --processor: the time that processors worked for it, of all threads, in place of what
/// passed: on a machine with other work the one hardly changes from run to run.
/// --format TEXT: this one in place of random ones.
/// --list: for each format, the slowest first, as multiples of ELL: its time, the bytes of
/// its arrays, its time by these bytes, the bytes that are read and written at the least,
/// and those that its passes are predicted to read and write; the multiple of writing as
/// many bytes as its arrays have; the way, the parts of its time (queries and coordinates,
/// counting, filling), method, classes of queries; milliseconds, megabytes of arrays,
/// values with padding, nanoseconds for each of them.
///
/// A format that stores hundreds of values for an entry cannot be near ELL: what it takes
/// is then held to writing its bytes, once, into memory that was written before. At the
/// least the entries are read and the arrays written, once each. What is predicted is the
/// planner's, which knows no digits that a sort may leave out; queries that come before
/// count nothing there, and it is never less than the least.

#include "api/api.h"
#include "bench.h"
#include "support/random_format.h"

#include <cairn/cairn.h>

#include <stdbool.h>

enum {
    MOST_FORMATS = 2000,
    ROUNDS       = 3, ///< Unless told; from the fourth on small builds are compiled.
    ROOM         = 64 << 20, ///< Bytes for a tensor, at least,
    ROOM_ENTRY   = 640,      ///< and for each entry.
    DEGREE       = 6,
    ENTRY        = 24, ///< Bytes of one, as it is given: two coordinates, a value.
    WRITES       = 4,  ///< The first of which touches the memory.
};

typedef struct {
    cairn_context *context;
    cairn_source  *source;
    int64_t        entries;
} problem;

static bool processor; ///< Time is that of processors.

static double seconds_now(void)
{
    struct timespec t;

    if (!processor) return bench_seconds();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// By what the entries came to their places.
typedef enum { COMPILED, QUERIES, REFERENCE, WAYS } way;

static const char *const way_name[WAYS] = {
    "compiled", "interpreted queries, compiled methods", "reference"};

/// How one format was stored.
typedef struct {
    double seconds; ///< The least of some rounds; -1: it was refused.
    double first;   ///< The first of them.
    double deal, count, fill;
    double bytes, values; ///< Of its arrays.
    double least, moved;  ///< Bytes read and written: at the least, as predicted.
    double written;       ///< Seconds that writing so many bytes takes.
    way    way;
    bool   other; ///< A query's class.
    char   method[16], classes[64];
    char  *text; ///< Own.
} storing;

/// Seconds of all bars of one name.
static double log_of(const cairn_tensor *tensor, const char *what)
{
    const cairn_task_log *log  = &tensor->how.log;
    double                took = 0;

    for (int k = 0; k < log->tasks; k++)
        if (strcmp(log->entry[k].task.label, what) == 0)
            took += log->entry[k].time.end - log->entry[k].time.begin;
    return took;
}

/// What the tensor's program says.
static void describe(const cairn_tensor *tensor, storing *s)
{
    const cairn_path *path = cairn_tensor_path(tensor);
    const int         last = cairn_path_passes(path) - 1;

    s->classes[0] = '\0';
    s->other      = false;
    s->moved      = 0;
    for (int k = 0; k <= last; k++) {
        const cairn_pass_info pass = cairn_path_pass(path, k);
        const size_t          at   = strlen(s->classes);

        s->moved += pass.bytes;
        if (!pass.query_class) continue;
        s->other = s->other || strcmp(pass.query_class, "other") == 0;
        snprintf(s->classes + at, sizeof s->classes - at, " %s", pass.query_class);
    }
    snprintf(s->method, sizeof s->method, "%s",
             last < 0 ? "" : cairn_path_pass(path, last).method);
    s->way = strcmp(cairn_tensor_route(tensor), "reference") != 0 ? COMPILED
             : strcmp(s->method, "reference") != 0                ? QUERIES
                                                                  : REFERENCE;
}

/// The least of some times that writing @p bytes takes.
static double time_writing(double bytes)
{
    const size_t n     = (size_t)bytes + 1;
    char *const  block = malloc(n);
    double       least = -1;

    for (int r = 0; block && r < WRITES; r++) {
        const double begin = seconds_now();

        memset(block, r, n);
        const double took = seconds_now() - begin + 1e-9 * (block[n / 2] != r);

        if (r > 0 && (least < 0 || took < least)) least = took;
    }
    free(block);
    return least;
}

/// What its arrays have; and what is moved, which describe() has left for an entry.
static void measure(const problem *p, const cairn_tensor *tensor, storing *s)
{
    const cairn_local *local = tensor->local;

    s->bytes = s->values = 0;
    for (int g = 0; g < local->groups; g++)
        s->bytes += (double)local->group[g].bytes;
    for (int64_t k = 0; k < local->parts; k++)
        s->values += (double)local->part[k].view.values;
    s->least = ENTRY * (double)p->entries + s->bytes;
    s->moved *= (double)p->entries;
    if (s->moved < s->least) s->moved = s->least;
}

static storing store(const problem *p, const char *text, int rounds)
{
    cairn_format *format = NULL;
    storing       s      = {.seconds = -1};

    if (cairn_format_create(p->context, text, &format) != CAIRN_OK) return s;
    for (int r = 0; r < rounds; r++) {
        cairn_tensor *tensor = NULL;
        const double  begin  = seconds_now();

        if (cairn_tensor_create(p->source, format, CAIRN_F64, &tensor) != CAIRN_OK)
            break;
        const double took = seconds_now() - begin;

        if (r == 0) s.first = took;
        if (s.seconds < 0 || took < s.seconds) {
            s.seconds = took;
            s.deal    = log_of(tensor, "deal");
            s.count   = log_of(tensor, "count");
            s.fill    = log_of(tensor, "fill");
            describe(tensor, &s);
            measure(p, tensor, &s);
        }
        cairn_tensor_destroy(&tensor);
    }
    cairn_format_destroy(&format);
    if (s.seconds >= 0) s.written = time_writing(s.bytes);
    return s;
}

static void draw(uint64_t *state, char *text)
{
    do
        random_encoding_of(state, 2, true, text, RANDOM_FORMAT);
    while (!strstr(text, "indirect<{"));
}

static void stop(const problem *p, const char *what)
{
    fprintf(stderr, "bench_queries: %s: %s\n", what, cairn_context_message(p->context));
    exit(1);
}

/// The memory limit grows with the matrix: what a format stores of it is to be refused
/// only where that is most of the positions.
static void open_problem(problem *p, const char *file, int64_t rows)
{
    const cairn_problem uniform = {
        .size = sizeof(cairn_problem), .n = rows, .degree = DEGREE, .seed = 1};
    cairn_source_info info = CAIRN_SOURCE_INFO;

    if (cairn_context_create(&p->context) != CAIRN_OK) stop(p, "context");
    if ((file ? cairn_source_read(p->context, file, CAIRN_BY_NNZ, &p->source)
              : cairn_source_generate(p->context, "uniform", &uniform, &p->source))
        != CAIRN_OK)
        stop(p, file ? file : "uniform");
    if (cairn_source_describe(p->source, &info) != CAIRN_OK) stop(p, "info");
    p->entries         = info.nnz;
    const int64_t room = p->entries * ROOM_ENTRY;

    if (cairn_context_set_memory(p->context, room > ROOM ? room : ROOM) != CAIRN_OK)
        stop(p, "memory limit");
}

/* ---- what is printed ---- */

static int slower(const void *a, const void *b)
{
    const double x = ((const storing *)a)->seconds, y = ((const storing *)b)->seconds;

    return (x < y) - (x > y);
}

static void print_list(const storing *s, int n, const storing *ell)
{
    printf("    time   bytes  by byte  least  moved  writing\n");
    for (int k = 0; k < n; k++) {
        const double time  = s[k].seconds / ell->seconds,
                     bytes = s[k].bytes / ell->bytes;

        printf("%8.1f %7.2f %8.2f %6.2f %6.2f %8.1f  %-9.9s  "
               "%4.0f%% queries %4.0f%% count %4.0f%% fill  %-11s %s\n"
               "          %8.3f ms %8.2f MB %9.0f values %6.1f ns  %s\n",
               time, bytes, time / bytes, s[k].least / ell->least,
               s[k].moved / ell->moved, s[k].seconds / s[k].written, way_name[s[k].way],
               100 * s[k].deal / s[k].seconds, 100 * s[k].count / s[k].seconds,
               100 * s[k].fill / s[k].seconds, s[k].method, s[k].classes,
               1e3 * s[k].seconds, 1e-6 * s[k].bytes, s[k].values,
               1e9 * s[k].seconds / s[k].values, s[k].text);
    }
}

/// Shares of the time of all formats, and what each way took.
static void print_sums(const storing *s, int n, double ell)
{
    static double ratio[MOST_FORMATS];
    double        all = 0, first = 0, deal = 0, count = 0, fill = 0;

    for (int k = 0; k < n; k++) {
        all += s[k].seconds;
        first += s[k].first;
        deal += s[k].deal;
        count += s[k].count;
        fill += s[k].fill;
    }
    printf(
        "all: %.3f s (the first time %.3f s): %.0f%% queries and coordinates, %.0f%% "
        "count, %.0f%% fill\n",
        all, first, 100 * deal / all, 100 * count / all, 100 * fill / all);
    for (int w = 0; w < WAYS; w++) {
        int its = 0;

        for (int k = 0; k < n; k++)
            if ((int)s[k].way == w) ratio[its++] = s[k].seconds / ell;
        if (its == 0) continue;
        const double median = bench_median(ratio, its);

        printf("%s: %d (%.0f%%), median %.1f, slowest %.1f\n", way_name[w], its,
               100.0 * its / n, median, ratio[its - 1]);
    }
}

/// What writing the bytes of all arrays would take, and the formats of that.
static void print_writing(const storing *s, int n, double ell)
{
    static double alone[MOST_FORMATS], times[MOST_FORMATS];

    for (int k = 0; k < n; k++) {
        alone[k] = s[k].written / ell;
        times[k] = s[k].seconds / s[k].written;
    }
    /* medians sort */
    const double bytes = bench_median(alone, n), usual = bench_median(times, n);

    printf(
        "writing the bytes of their arrays alone: median %.2f of ell, most %.1f; what "
        "they take of that: least %.1f, median %.1f, most %.1f\n",
        bytes, alone[n - 1], times[0], usual, times[n - 1]);
}

/// What a format that stores more than ELL can take, and what is left beside that.
static void print_bytes(const storing *s, int n, const storing *ell)
{
    static double bytes[MOST_FORMATS], by_byte[MOST_FORMATS], least[MOST_FORMATS],
        moved[MOST_FORMATS], by_moved[MOST_FORMATS];

    for (int k = 0; k < n; k++) {
        const double time = s[k].seconds / ell->seconds;

        bytes[k]    = s[k].bytes / ell->bytes;
        by_byte[k]  = time / bytes[k];
        least[k]    = s[k].least / ell->least;
        moved[k]    = s[k].moved / ell->moved;
        by_moved[k] = time / moved[k];
    }
    /* medians sort */
    const double stored = bench_median(bytes, n), time = bench_median(by_byte, n);
    const double once = bench_median(least, n), predicted = bench_median(moved, n);

    printf(
        "of ell's, in the median: bytes stored %.2f, time by these %.1f; bytes read "
        "and written at the least %.2f, as predicted %.2f, time by the latter %.1f\n",
        stored, time, once, predicted, bench_median(by_moved, n));
}

/// @p s is sorted, the slowest first.
static void print_all(const storing *s, int n, const storing *of_ell)
{
    static double ratio[MOST_FORMATS];
    const double  ell     = of_ell->seconds;
    const char   *slowest = "";
    double        most    = 0;
    int           others  = 0;

    for (int k = 0; k < n; k++) {
        ratio[k] = s[k].seconds / ell;
        others += s[k].other;
        if (s[k].other || ratio[k] < most) continue;
        most    = ratio[k];
        slowest = s[k].text;
    }
    printf("ell %.3f ms; %d random formats with queries: median %.1f of it, slowest of "
           "lines and boxes %.1f, %d neither\n",
           1e3 * ell, n, bench_median(ratio, n), most, others);
    print_bytes(s, n, of_ell);
    print_writing(s, n, ell);
    print_sums(s, n, ell);
    printf("slowest: %s\n", slowest);
}

int main(int argc, char **argv)
{
    static char    text[RANDOM_FORMAT];
    static storing all[MOST_FORMATS];
    uint64_t       state = 7;
    int64_t        rows  = 15606;
    int            count = 200, rounds = ROUNDS, n = 0;
    bool           list = false;
    const char    *file = NULL, *given = NULL;
    problem        p = {.context = NULL};

    for (int k = 1; k < argc; k++) {
        const bool more = k + 1 < argc;

        if (more && !strcmp(argv[k], "--formats"))
            count = atoi(argv[++k]);
        else if (more && !strcmp(argv[k], "--format"))
            given = argv[++k];
        else if (more && !strcmp(argv[k], "--seed"))
            state = strtoull(argv[++k], NULL, 10);
        else if (more && !strcmp(argv[k], "--rows"))
            rows = atoll(argv[++k]);
        else if (more && !strcmp(argv[k], "--rounds"))
            rounds = atoi(argv[++k]);
        else if (!strcmp(argv[k], "--list"))
            list = true;
        else if (!strcmp(argv[k], "--processor"))
            processor = true;
        else
            file = argv[k];
    }
    if (count > MOST_FORMATS) count = MOST_FORMATS;
    if (given) count = 1;
    open_problem(&p, file, rows);
    storing ell = store(&p, "ell", 2 * rounds);

    if (ell.seconds < 0) stop(&p, "ell");
    for (int drawn = 0; n < count && drawn < (given ? 1 : 50 * count); drawn++) {
        if (!given) draw(&state, text);
        all[n] = store(&p, given ? given : text, rounds);
        if (all[n].seconds < 0) continue;
        all[n++].text = strdup(given ? given : text);
    }
    if (n == 0) stop(&p, "no format was stored");
    const double again = store(&p, "ell", 2 * rounds).seconds;

    if (again >= 0 && again < ell.seconds) ell.seconds = again;
    qsort(all, (size_t)n, sizeof *all, slower);
    if (list) print_list(all, n, &ell);
    print_all(all, n, &ell);
    for (int k = 0; k < n; k++)
        free(all[k].text);
    cairn_source_destroy(&p.source);
    cairn_context_destroy(&p.context);
    return 0;
}
