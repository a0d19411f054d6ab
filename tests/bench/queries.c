// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random formats with queries: what storing a matrix in them takes, as multiples of what
/// ELL takes of the same matrix. Formats that the memory limit refuses, since they store
/// most of the matrix, or whose entries get no number, are drawn again.
///
/// bench_queries [--formats N] [--seed N] [--rows N] [FILE]

#include "bench.h"
#include "support/random_format.h"

#include <cairn/cairn.h>

#include <stdbool.h>

enum { MOST_FORMATS = 2000, ROUNDS = 3, ROOM = 64 << 20 };

typedef struct {
    cairn_context *context;
    cairn_source  *source;
} problem;

/// What storing took, the least of some rounds, or -1: it was refused.
static double seconds_of(const problem *p, const char *text, int rounds, bool *other)
{
    cairn_format *format = NULL;
    double        least  = -1;

    *other = false;
    if (cairn_format_create(p->context, text, &format) != CAIRN_OK) return -1;
    for (int r = 0; r < rounds; r++) {
        cairn_tensor *tensor = NULL;
        const double  begin  = bench_seconds();

        if (cairn_tensor_create(p->source, format, CAIRN_F64, &tensor) != CAIRN_OK)
            break;
        const double      took = bench_seconds() - begin;
        const cairn_path *path = cairn_tensor_path(tensor);

        least = least < 0 || took < least ? took : least;
        for (int k = 0; k < cairn_path_passes(path); k++) {
            const char *name = cairn_path_pass(path, k).query_class;

            *other = *other || (name && strcmp(name, "other") == 0);
        }
        cairn_tensor_destroy(&tensor);
    }
    cairn_format_destroy(&format);
    return least;
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

static void open_problem(problem *p, const char *file, int64_t rows)
{
    const cairn_problem uniform = {.n = rows, .degree = 6, .seed = 1};

    if (cairn_context_create(&p->context) != CAIRN_OK
        || cairn_context_set_memory(p->context, ROOM) != CAIRN_OK)
        exit(1);
    if ((file ? cairn_source_read(p->context, file, CAIRN_BY_NNZ, &p->source)
              : cairn_source_generate(p->context, "uniform", &uniform, &p->source))
        != CAIRN_OK)
        stop(p, file ? file : "uniform");
}

int main(int argc, char **argv)
{
    static char   text[RANDOM_FORMAT], slowest[RANDOM_FORMAT];
    static double ratio[MOST_FORMATS];
    uint64_t      state = 7;
    int64_t       rows  = 15606;
    int           count = 200, n = 0, others = 0;
    const char   *file = NULL;
    problem       p    = {.context = NULL};
    double        most = 0;
    bool          other;

    for (int k = 1; k < argc; k++) {
        const bool more = k + 1 < argc;

        if (more && !strcmp(argv[k], "--formats"))
            count = atoi(argv[++k]);
        else if (more && !strcmp(argv[k], "--seed"))
            state = strtoull(argv[++k], NULL, 10);
        else if (more && !strcmp(argv[k], "--rows"))
            rows = atoll(argv[++k]);
        else
            file = argv[k];
    }
    if (count > MOST_FORMATS) count = MOST_FORMATS;
    open_problem(&p, file, rows);
    const double ell = seconds_of(&p, "ell", 2 * ROUNDS, &other);

    if (ell < 0) stop(&p, "ell");
    for (int drawn = 0; n < count && drawn < 50 * count; drawn++) {
        draw(&state, text);
        const double took = seconds_of(&p, text, ROUNDS, &other);

        if (took < 0) continue;
        others += other;
        ratio[n++] = took / ell;
        if (other || took / ell < most) continue;
        most = took / ell;
        strcpy(slowest, text);
    }
    if (n == 0) stop(&p, "no format was stored");
    printf("ell %.3f ms; %d random formats with queries: median %.1f of it, slowest of "
           "lines and boxes %.1f, %d neither\n",
           1e3 * ell, n, bench_median(ratio, n), most, others);
    printf("slowest: %s\n", slowest);
    cairn_source_destroy(&p.source);
    cairn_context_destroy(&p.context);
    return 0;
}
