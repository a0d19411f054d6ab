// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products beside a busy process: one thread and two alone, and two while a process of
/// this program's own is busy on the last core, by shares, in pieces, and as it comes.
/// Means over some seconds.
///
/// bench_company [--seconds S] [--threads N] [--format TEXT] [N...] (stencil7 of N^3 rows)

#define _GNU_SOURCE
#include "bench.h"

#include <cairn/cairn.h>

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>

enum { MOST_SIZES = 16 };

typedef struct {
    double      seconds; ///< Of each measurement.
    int         threads;
    const char *format;
} settings;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_company: %s: %s\n", what, why);
    exit(1);
}

/// A process that does nothing but count, on the last core that this one may use.
static pid_t start_neighbour(void)
{
    cpu_set_t all, last;
    int       core = 0;

    sched_getaffinity(0, sizeof all, &all);
    for (int k = 0; k < CPU_SETSIZE; k++)
        if (CPU_ISSET((size_t)k, &all)) core = k;
    const pid_t pid = fork();

    if (pid < 0) stop("neighbour", "it cannot be started");
    if (pid > 0) return pid;
    /* It has no priority, whatever this process has. */
    sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    CPU_ZERO(&last);
    CPU_SET((size_t)core, &last);
    sched_setaffinity(0, sizeof last, &last);
    for (volatile unsigned long k = 0;; k++)
        ;
}

static void end_neighbour(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/// A plan of a stencil, with all that belongs to it.
typedef struct {
    cairn_context *context;
    cairn_source  *source;
    cairn_format  *format;
    cairn_tensor  *tensor;
    cairn_plan    *plan;
} product;

static product make(const settings *s, int64_t n, int threads, const char *team)
{
    const cairn_problem problem = {.size = sizeof problem, .nx = n, .ny = n, .nz = n};
    product             p       = {0};

    setenv("CAIRN_TEAM", team, 1);
    if (cairn_context_create(&p.context))
        stop("context", cairn_context_message(p.context));
    cairn_context_set_threads(p.context, threads);
    if (cairn_source_generate(p.context, "stencil7", &problem, &p.source)
        || cairn_format_create(p.context, s->format, &p.format)
        || cairn_tensor_create(p.source, p.format, CAIRN_F64, &p.tensor)
        || cairn_plan_create_product(p.tensor, NULL, &p.plan))
        stop(s->format, cairn_context_message(p.context));
    return p;
}

static void destroy(product *p)
{
    cairn_plan_destroy(&p->plan);
    cairn_tensor_destroy(&p->tensor);
    cairn_format_destroy(&p->format);
    cairn_source_destroy(&p->source);
    cairn_context_destroy(&p->context);
}

/// Mean seconds of a run.
static double measure(product *p, double seconds)
{
    const double begin = bench_seconds();
    double       now   = begin;
    int64_t      runs  = 0;

    for (; now - begin < seconds; runs++) {
        if (cairn_plan_run(p->plan, NULL, NULL))
            stop("run", cairn_context_message(p->context));
        now = bench_seconds();
    }
    return (now - begin) / (double)runs;
}

/// One size: alone and in company in turn.
static void measure_size(const settings *s, int64_t n)
{
    static const char *const ways[] = {"shares", "pieces", "auto"};
    product                  one    = make(s, n, 1, "shares");
    const double             single = measure(&one, s->seconds);

    destroy(&one);
    for (int k = 0; k < 3; k++) {
        product      p     = make(s, n, s->threads, ways[k]);
        const double alone = measure(&p, s->seconds);
        const pid_t  pid   = start_neighbour();
        const double both  = measure(&p, s->seconds);

        end_neighbour(pid);
        printf("%8lld %-7s %10.1f %10.1f %10.1f %9.2f %9.2f %9.2f\n", (long long)n,
               ways[k], 1e6 * single, 1e6 * alone, 1e6 * both, both / alone,
               both / single, alone / single);
        fflush(stdout);
        destroy(&p);
    }
}

int main(int argc, char **argv)
{
    settings s                = {.seconds = 2, .threads = 2, .format = "csr"};
    int64_t  size[MOST_SIZES] = {20, 60, 100, 160};
    int      sizes = 4, given = 0;

    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--seconds") == 0 && k + 1 < argc)
            s.seconds = atof(argv[++k]);
        else if (strcmp(argv[k], "--threads") == 0 && k + 1 < argc)
            s.threads = atoi(argv[++k]);
        else if (strcmp(argv[k], "--format") == 0 && k + 1 < argc)
            s.format = argv[++k];
        else if (given < MOST_SIZES)
            size[given++] = atoll(argv[k]);
    if (given) sizes = given;
    bench_print_machine(BENCH_SOURCE, 1);
    printf(
        "Means over %g s of runs in %s, us; company: a busy process on the last core\n"
        "%8s %-7s %10s %10s %10s %9s %9s %9s\n",
        s.seconds, s.format, "n", "way", "1 thread", "alone", "company", "/ alone",
        "/ 1 thread", "alone / 1");
    for (int k = 0; k < sizes; k++)
        measure_size(&s, size[k]);
    return 0;
}
