// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Two things that must cost nothing: the queries of a format in other words, and one
/// stored zero. Every format of the catalogue that asks something of the data is stored as
/// it is written and in rewrites drawn at random, and from a matrix with a zero among its
/// entries and from the same one without, in turn; the least times are compared.
///
/// bench_rewrites [--rewrites N] [--rows N] [--rounds N] [--seed N] [--list]
///
/// --list: also each rewrite and its ratio; below 0: it was refused.

#define REWRITE_CHECK(condition)                                         \
    do {                                                                 \
        if (!(condition)) {                                              \
            fprintf(stderr, "bench_rewrites: not so: %s\n", #condition); \
            exit(1);                                                     \
        }                                                                \
    } while (0)

#include "bench.h"
#include "support/query_rewrite.h"

#include <cairn/cairn.h>

#include <stdbool.h>

enum {
    DEGREE        = 6,
    PARAMETER     = 4, ///< Every parameter of a format.
    MOST_RATIOS   = 4096,
    MOST_REWRITES = 64,
    TEXT          = 200,
};

typedef struct {
    cairn_context *context;
    cairn_source  *plain, *zero; ///< Without a stored zero, and with one.
    int            rounds, rewrites;
    uint64_t       state;
    bool           list;
} bench;

/// Ratios of times, and the worst of them.
typedef struct {
    int    n, beyond, refused;
    double ratio[MOST_RATIOS], worst;
    char   name[TEXT]; ///< Of the format that has the worst.
} ratios;

static void stop(const bench *b, const char *what)
{
    fprintf(stderr, "bench_rewrites: %s: %s\n", what,
            cairn_context_message(b->context));
    exit(1);
}

/* ---- matrices ---- */

/// DEGREE entries a row, one of which is 0 or not.
static cairn_source *make_source(const bench *b, int64_t rows, bool zero)
{
    const int64_t  n = rows * DEGREE, extent[2] = {rows, rows};
    int64_t *const coord  = malloc((size_t)(2 * n) * sizeof *coord);
    double *const  value  = malloc((size_t)n * sizeof *value);
    uint64_t       state  = 11;
    cairn_source  *source = NULL;

    REWRITE_CHECK(coord && value);
    for (int64_t p = 0; p < n; p++) {
        const int64_t band = rows / DEGREE;

        coord[2 * p] = p / DEGREE;
        coord[2 * p + 1] =
            p % DEGREE * band + (int64_t)(random_next(&state) % (uint64_t)band);
        value[p] = 1 + (double)(random_next(&state) % 1000);
    }
    if (zero) value[n / 2] = 0;
    if (cairn_source_from_coords(b->context, 2, extent, n, coord, value, CAIRN_BY_NNZ,
                                 &source)
        != CAIRN_OK)
        stop(b, "matrix");
    free(coord);
    free(value);
    return source;
}

/* ---- times ---- */

/// Seconds of one build, or -1: it is refused.
static double store(cairn_source *source, cairn_format *format)
{
    cairn_tensor *tensor = NULL;
    const double  begin  = bench_seconds();

    if (cairn_tensor_create(source, format, CAIRN_F64, &tensor) != CAIRN_OK) return -1;
    const double took = bench_seconds() - begin;

    cairn_tensor_destroy(&tensor);
    return took;
}

static void keep_least(double took, double *least)
{
    if (took < *least) *least = took;
}

static void add_ratio(ratios *all, double ratio, double bound, const char *name)
{
    if (all->n == MOST_RATIOS) return;
    all->ratio[all->n++] = ratio;
    all->beyond += ratio > bound;
    if (ratio <= all->worst) return;
    all->worst = ratio;
    snprintf(all->name, sizeof all->name, "%s", name);
}

/// Time rewrites of a format beside itself, in turn.
static void
time_rewrites(bench *b, const char *use, const cairn_format *inner, ratios *all)
{
    double        least[1 + MOST_REWRITES];
    cairn_format *format[1 + MOST_REWRITES] = {NULL};
    char         *text[1 + MOST_REWRITES]   = {NULL};
    cairn_env     env;

    cairn_env_init(&env);
    for (int k = 0; k <= b->rewrites; k++) {
        const char *its = use;

        if (k > 0) its = text[k] = rewrite(&env, inner, random_next(&b->state));
        if (cairn_format_create(b->context, its, &format[k]) != CAIRN_OK) stop(b, its);
        least[k] = 1e9;
    }
    for (int r = 0; r <= b->rounds; r++)
        for (int k = 0; k <= b->rewrites; k++) {
            const double took = least[k] < 0 ? -1 : store(b->plain, format[k]);

            if (took < 0 && k == 0) stop(b, use);
            if (took < 0)
                least[k] = -1;
            else if (r > 0) /* the first may compile */
                keep_least(took, &least[k]);
        }
    for (int k = 0; k <= b->rewrites; k++) {
        all->refused += least[k] < 0;
        if (b->list && k > 0)
            printf("%8.3f  %s\n          %s\n", least[k] / least[0], use, text[k]);
        if (k > 0 && least[k] > 0) add_ratio(all, least[k] / least[0], 1 / 0.9, use);
        cairn_format_destroy(&format[k]);
        cairn_free(&env, text[k]);
    }
    cairn_env_fini(&env);
}

/// Time a format with a stored zero beside the same without, in turn.
static void time_zero(bench *b, const char *use, ratios *all)
{
    double        least[2] = {1e9, 1e9};
    cairn_format *format   = NULL;

    if (cairn_format_create(b->context, use, &format) != CAIRN_OK) stop(b, use);
    for (int r = 0; r <= b->rounds; r++)
        for (int k = 0; k < 2; k++) {
            const double took = store(k ? b->zero : b->plain, format);

            if (took < 0) stop(b, use);
            if (r > 0) keep_least(took, &least[k]);
        }
    if (b->list) printf("%8.3f  %s, a stored zero\n", least[1] / least[0], use);
    add_ratio(all, least[1] / least[0], 1.1, use);
    cairn_format_destroy(&format);
}

/* ---- formats ---- */

/// Format number @p k of the catalogue, with PARAMETER for each of its numbers; NULL: it
/// takes formats, asks nothing of the data, or is not a matrix's.
static cairn_format *
find_format(cairn_env *env, const cairn_library *library, int k, char *use)
{
    const char   *name = cairn_library_name(library, k);
    cairn_format *format;
    char         *definition;
    int           missing = 0, n = snprintf(use, TEXT, "%s", name);

    REWRITE_CHECK(cairn_library_definition(env, library, name, &definition, &missing)
                  == CAIRN_OK);
    cairn_free(env, definition);
    for (int p = 0; p < missing; p++)
        n += snprintf(use + n, TEXT - (size_t)n, "%c%d", p ? ',' : '<', PARAMETER);
    if (missing) snprintf(use + n, TEXT - (size_t)n, ">");
    if (cairn_format_parse(env, NULL, use, "bench", &format) != CAIRN_OK) return NULL;
    if (!format->hybrid && format->order == 2 && format->member[0]->queries > 0)
        return format;
    cairn_format_destroy(&format);
    return NULL;
}

static void print(const char *what, ratios *all, double bound)
{
    printf("%s: %d, median %.3f of the time, worst %.3f (%s), %d beyond %.2f, %d "
           "refused\n",
           what, all->n, bench_median(all->ratio, all->n), all->worst, all->name,
           all->beyond, bound, all->refused);
}

static void run(bench *b)
{
    static ratios  rewrites, zeros;
    cairn_library *library;
    cairn_env      env;

    cairn_env_init(&env);
    REWRITE_CHECK(cairn_library_catalogue(&env, &library) == CAIRN_OK);
    for (int k = 0; k < cairn_library_size(library); k++) {
        char          use[TEXT];
        cairn_format *format = find_format(&env, library, k, use);

        if (!format) continue;
        time_rewrites(b, use, format, &rewrites);
        time_zero(b, use, &zeros);
        cairn_format_destroy(&format);
    }
    print("rewrites of the catalogue's queries", &rewrites, 1 / 0.9);
    print("one stored zero", &zeros, 1.1);
    cairn_library_destroy(&env, &library);
    cairn_env_fini(&env);
}

int main(int argc, char **argv)
{
    bench   b    = {.rounds = 5, .rewrites = 5, .state = 7};
    int64_t rows = 170000; /* a million entries */

    for (int k = 1; k < argc; k++) {
        const bool more = k + 1 < argc;

        if (more && !strcmp(argv[k], "--rewrites"))
            b.rewrites = atoi(argv[++k]);
        else if (more && !strcmp(argv[k], "--rows"))
            rows = atoll(argv[++k]);
        else if (more && !strcmp(argv[k], "--rounds"))
            b.rounds = atoi(argv[++k]);
        else if (more && !strcmp(argv[k], "--seed"))
            b.state = strtoull(argv[++k], NULL, 10);
        else if (!strcmp(argv[k], "--list"))
            b.list = true;
    }
    if (b.rewrites > MOST_REWRITES) b.rewrites = MOST_REWRITES;
    if (rows < DEGREE) rows = DEGREE;
    if (cairn_context_create(&b.context) != CAIRN_OK) stop(&b, "context");
    b.plain = make_source(&b, rows, false);
    b.zero  = make_source(&b, rows, true);
    run(&b);
    cairn_source_destroy(&b.plain);
    cairn_source_destroy(&b.zero);
    cairn_context_destroy(&b.context);
    return 0;
}
