// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 10: a system of equations, by a plan, and by an operator without a matrix.

#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 100 };

/// y = A x without a matrix: 2 on the diagonal, -1 beside it.
static cairn_status second_difference(void *user, const double *x, double *y)
{
    (void)user;
    for (int i = 0; i < N; i++)
        y[i] = 2 * x[i] - (i > 0 ? x[i - 1] : 0) - (i < N - 1 ? x[i + 1] : 0);
    return CAIRN_OK;
}

int main(void)
{
    cairn_context      *context = NULL;
    cairn_source       *source  = NULL;
    cairn_format       *format  = NULL;
    cairn_tensor       *tensor  = NULL;
    cairn_plan         *plan    = NULL;
    cairn_problem       problem = CAIRN_PROBLEM;
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    cairn_solve_info    info    = CAIRN_SOLVE_INFO;
    static double       b[N], x[N], again[N];

    cairn_status status = cairn_context_create(&context);

    problem.n = N;
    for (int i = 0; i < N; i++)
        b[i] = 1;
    if (status == CAIRN_OK)
        status = cairn_source_generate(context, "tridiag", &problem, &source);
    if (status == CAIRN_OK) status = cairn_format_create(context, "dia", &format);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);
    if (status == CAIRN_OK) status = cairn_plan_create_spmv(tensor, &plan);

    options.precondition = "block-jacobi:10";
    if (status == CAIRN_OK) status = cairn_solve(plan, &options, b, x, &info);
    if (status == CAIRN_OK)
        printf("a plan: residual below 1e-8: %s\n",
               info.true_residual <= 1.1e-8 ? "yes" : "no");

    const cairn_solve_operator a = {second_difference, NULL};

    options.precondition = NULL;
    options.method       = "cg";
    if (status == CAIRN_OK)
        status = cairn_solve_with(context, N, &a, &options, b, again, &info);
    if (status == CAIRN_OK) printf("an operator: x(0) = %.3f\n", again[0]);

    if (status != CAIRN_OK) fprintf(stderr, "%s\n", cairn_context_message(context));
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    return status == CAIRN_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
