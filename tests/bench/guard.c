// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a check by sums of columns adds to a product: products with and without, of the same
/// tensor, x and y, in turns; the least processor time of all threads, and the least that
/// checks took behind the kernels, by the clock. Numbers are rank 0's.
///
/// bench_guard FILE FORMAT [ROUNDS]

#include "bench.h"

#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Products in a turn: the first ones find the other's arrays in the caches. */
enum { PRODUCTS = 20 };

static cairn_context *context;

static void must(cairn_status status, const char *what)
{
    if (status == CAIRN_OK) return;
    fprintf(stderr, "bench_guard: %s: %s\n", what, cairn_context_message(context));
    exit(1);
}

/// Processor time of the process.
static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Seconds of one product.
static double take_turn(cairn_plan *plan, const double *x, double *y)
{
    const double begin = cpu_seconds();

    for (int k = 0; k < PRODUCTS; k++)
        must(cairn_plan_run(plan, x, y), "product");
    return (cpu_seconds() - begin) / PRODUCTS;
}

/// Seconds that checks have taken, a product of those since @p before.
static double checks_since(const cairn_plan *plan, double *before)
{
    cairn_guard_info info = CAIRN_GUARD_INFO;

    must(cairn_plan_guard_info(plan, &info), "guard");
    const double took = (info.seconds - *before) / PRODUCTS;

    *before = info.seconds;
    return took;
}

static double *vector_of(int64_t n)
{
    double *const v = malloc((size_t)(n + 1) * sizeof *v);

    for (int64_t i = 0; i < n; i++)
        v[i] = bench_value_of(i, 0);
    return v;
}

int main(int argc, char **argv)
{
    const int     rounds   = argc > 3 ? atoi(argv[3]) : 400;
    double        least[2] = {1e9, 1e9}, check = 1e9, before = 0;
    cairn_plan   *plan[2];
    cairn_source *source;
    cairn_format *format;
    cairn_tensor *tensor;
    int64_t       first, end, columns[2];

    if (argc < 3 || rounds < 1) {
        fprintf(stderr, "bench_guard FILE FORMAT [ROUNDS]\n");
        return 2;
    }
    if (cairn_context_create_world(&context) != CAIRN_OK) return 1;
    must(cairn_format_create(context, argv[2], &format), "format");
    must(cairn_source_read(context, argv[1], CAIRN_BY_NNZ, &source), "file");
    must(cairn_tensor_create(source, format, CAIRN_F64, &tensor), "tensor");
    for (int k = 0; k < 2; k++)
        must(cairn_plan_create_spmv(tensor, &plan[k]), "plan");
    must(cairn_plan_guard(plan[1]), "guard");
    cairn_plan_rows(plan[0], &first, &end);
    cairn_plan_columns(plan[0], &columns[0], &columns[1]);
    double *const x = vector_of(columns[1] - columns[0]);
    double *const y = vector_of(end - first);

    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < 2; k++) {
            const double seconds = take_turn(plan[k], x, y);

            if (seconds < least[k]) least[k] = seconds;
            if (k == 0) continue;
            const double took = checks_since(plan[k], &before);

            if (took < check) check = took;
        }
    if (cairn_context_rank(context) == 0)
        printf("%s, %s: %d ranks, %lld rows on this one; us a product, the least of "
               "%d: %.2f, checked %.2f, %+.1f %%; %.2f behind the kernels\n",
               argv[1], argv[2], cairn_context_size(context), (long long)(end - first),
               rounds, 1e6 * least[0], 1e6 * least[1], 100 * (least[1] / least[0] - 1),
               1e6 * check);
    for (int k = 0; k < 2; k++)
        cairn_plan_destroy(&plan[k]);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_format_destroy(&format);
    free(x);
    free(y);
    cairn_context_destroy(&context);
    return 0;
}
