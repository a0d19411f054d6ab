// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The first use of a format: how long making a plan takes when its kernel has to be
/// generated, compiled and loaded, when a folder of kernels has it, and when the process
/// has it. Every measurement is a process of its own, with a folder of its own.
///
/// bench_first [--rounds N] [FORMAT...]

#include "bench.h"

#include <cairn/cairn.h>

#include <stdbool.h>

enum { MOST_ROUNDS = 101, MOST_FORMATS = 16 };

/// Formats of no catalogue (and so never compiled with the library), and one that is.
static const char *const usual[] = {
    "#encoding<{ idx_map<(d0,d1)->(d0/5,d1/3,d1%3,d0%5)>, mutation<merge(0,1), "
    "trim(1,1)> "
    "}>",
    "#encoding<{ idx_map<(d0,d1)->(d0/24,d1-d0,d0%24)>, mutation<merge(0), trim(1,1)> "
    "}>",
    "csr",
};

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_first: %s: %s\n", what, why);
    exit(1);
}

/// Make two plans for a tensor in @p text, print the seconds of each and the route.
static int make_plans(const char *text)
{
    const cairn_problem problem = {
        .size = sizeof(cairn_problem), .n = 3000, .degree = 18, .seed = 1};
    cairn_context     *context = NULL;
    cairn_source      *source  = NULL;
    cairn_format      *format  = NULL;
    cairn_tensor      *tensor  = NULL;
    cairn_plan        *plan[2] = {0};
    cairn_plan_info    info    = CAIRN_PLAN_INFO;
    cairn_device_info *devices = NULL;
    int                count;
    double             t[3];

    if (cairn_context_create(&context)
        || cairn_source_generate(context, "fem3", &problem, &source)
        || cairn_format_create(context, text, &format)
        || cairn_tensor_create(source, format, CAIRN_F64, &tensor))
        stop(text, cairn_context_message(context));
    /* The devices are opened before the clock starts. */
    if (cairn_devices_list(context, &count, &devices))
        stop("devices", cairn_context_message(context));
    cairn_devices_free(context, &devices);
    for (int k = 0; k < 2; k++) {
        t[k] = bench_seconds();
        if (cairn_plan_create_product(tensor, NULL, &plan[k]))
            stop(text, cairn_context_message(context));
    }
    t[2] = bench_seconds();
    if (cairn_plan_describe(plan[0], &info)) stop(text, cairn_context_message(context));
    printf("%.9f %.9f %s\n", t[1] - t[0], t[2] - t[1], info.route);
    for (int k = 0; k < 2; k++)
        cairn_plan_destroy(&plan[k]);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    return 0;
}

/// One process with @p folder as its folder of kernels.
static void
run(const char *folder, const char *text, double *first, double *second, char *route)
{
    char command[1024];
    char line[256];

    snprintf(command, sizeof command, "CAIRN_CACHE='%s' /proc/%d/exe --child '%s'",
             folder, (int)getpid(), text);
    bench_first_line(command, line, sizeof line);
    if (sscanf(line, "%lf %lf %15s", first, second, route) != 3) stop("fails", command);
}

static void measure(const char *text, int rounds)
{
    double compiled[MOST_ROUNDS], kept[MOST_ROUNDS], loaded[MOST_ROUNDS], other;
    char   route[16], command[128];

    for (int k = 0; k < rounds; k++) {
        char folder[] = "/tmp/bench-first-XXXXXX";

        if (!mkdtemp(folder)) stop(folder, "cannot be made");
        run(folder, text, &compiled[k], &loaded[k], route);
        run(folder, text, &kept[k], &other, route);
        snprintf(command, sizeof command, "rm -r '%s'", folder);
        if (system(command)) stop(folder, "cannot be removed");
    }
    printf("%10.2f %10.2f %10.3f  %-9s  %s\n", 1e3 * bench_median(compiled, rounds),
           1e3 * bench_median(kept, rounds), 1e3 * bench_median(loaded, rounds), route,
           text);
}

int main(int argc, char **argv)
{
    const char *text[MOST_FORMATS];
    int         rounds = 7, count = 0;

    if (argc == 3 && strcmp(argv[1], "--child") == 0) return make_plans(argv[2]);
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--rounds") == 0 && k + 1 < argc)
            rounds = atoi(argv[++k]);
        else if (count < MOST_FORMATS)
            text[count++] = argv[k];
    if (rounds < 1 || rounds > MOST_ROUNDS) stop("rounds", "1..101");
    for (size_t k = 0; !count && k < sizeof usual / sizeof *usual; k++)
        text[k] = usual[k];
    if (!count) count = sizeof usual / sizeof *usual;
    bench_print_machine(BENCH_SOURCE, rounds);
    printf("Making a plan, ms, medians\n%10s %10s %10s  %-9s  format\n", "compiled",
           "from disk", "again", "route");
    for (int k = 0; k < count; k++)
        measure(text[k], rounds);
    return 0;
}
