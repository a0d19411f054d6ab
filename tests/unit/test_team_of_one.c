// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loops of one thread are called without OpenMP's runtime, which would allocate a team for
/// each: in kernels of the library and in those that are compiled at run time. Calls of the
/// runtime are counted on their way there.

#include "support/api.h"

#include <omp.h>

#include <dlfcn.h>
#include <stdatomic.h>

typedef void parallel(void (*)(void *), void *, unsigned, unsigned);

static atomic_int teams;

/// Stands before the runtime's, also for kernels in a library that the tests share. clang's
/// code does not call it.
__attribute__((visibility("default"))) void
GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    parallel *const next = (parallel *)dlsym(RTLD_NEXT, "GOMP_parallel");

    teams++;
    next(body, data, threads, flags);
}

enum { ROWS = 999 };

static double x[ROWS], expected[ROWS], y[ROWS];

typedef struct {
    cairn_source *source;
    cairn_tensor *tensor;
    cairn_plan   *plan;
} product;

static product up(cairn_context *context, const char *format, int threads)
{
    const cairn_problem size = {
        .size = sizeof(cairn_problem), .n = ROWS, .degree = 6, .seed = 1};
    cairn_format *f = NULL;
    product       p = {0};

    MUST(context, cairn_context_set_threads(context, threads));
    MUST(context, cairn_source_generate(context, "fem3", &size, &p.source));
    MUST(context, cairn_format_create(context, named(format), &f));
    MUST(context, cairn_tensor_create(p.source, f, CAIRN_F64, &p.tensor));
    MUST(context, cairn_plan_create_spmv(p.tensor, &p.plan));
    cairn_format_destroy(&f);
    for (int j = 0; j < ROWS; j++)
        x[j] = j;
    MUST(context, cairn_plan_run(p.plan, x, y)); /* the first may prepare */
    memset(y, 0, sizeof y);
    teams = 0;
    return p;
}

static void down(product *p)
{
    cairn_plan_destroy(&p->plan);
    cairn_tensor_destroy(&p->tensor);
    cairn_source_destroy(&p->source);
}

/// One that the library has a kernel for, and one that is compiled.
static const char *const formats[] = {
    "csr", "#encoding<{ idx_map<(i, j) -> (i/16, j/16, i%16 + j%16, i%16)>,"
           "mutation<merge(0, 1), trim(1, 2)> }>"};

Test(team_of_one, no_team_is_made)
{
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        cairn_context *context = NULL;

        cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
        product p = up(context, formats[k], 1);

        for (int run = 0; run < 3; run++)
            MUST(context, cairn_plan_run(p.plan, x, y));
        cr_expect_eq(teams, 0, "%s: %d", formats[k], teams);
        down(&p);
        cairn_context_destroy(&context);
    }
}

/// What is counted: two threads are a team.
Test(team_of_one, a_team_of_two_is_seen)
{
    cairn_context *context = NULL;

    setenv("CAIRN_TEAM", "shares", 1);
    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    product p = up(context, formats[0], 2);

    MUST(context, cairn_plan_run(p.plan, x, y));
#if defined(__GNUC__) && !defined(__clang__)
    cr_expect_gt(teams, 0);
#endif
    down(&p);
    cairn_context_destroy(&context);
}

/// What the kernel asks there would be answered for the team that is at work: each of its
/// threads would compute a share, or none.
Test(team_of_one, inside_a_team_the_runtime_is_asked)
{
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        cairn_context *context = NULL;

        cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
        product p = up(context, formats[k], 1);

        MUST(context, cairn_plan_run(p.plan, x, expected));
#pragma omp parallel num_threads(3)
        {
            if (omp_get_thread_num() == omp_get_num_threads() - 1)
                MUST(context, cairn_plan_run(p.plan, x, y));
        }
        cr_expect_arr_eq(y, expected, sizeof y, "%s", formats[k]);
        down(&p);
        cairn_context_destroy(&context);
    }
}
