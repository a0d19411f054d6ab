// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products with several columns and transposes over ranks: verified, and bits as the
/// contract has them: of A*X none depends on the ranks, of the transpose none on the run.

#include "mpi_suite.h"

#include <cairn/cairn.h>

#include <stdlib.h>
#include <string.h>

TestSuite(product, .init = mpi_up, .fini = mpi_down);

/// One product of one format, and what is needed on the way.
typedef struct {
    cairn_source *source;
    cairn_format *format;
    cairn_tensor *tensor;
    cairn_plan   *plan;
} job;

static void end_job(job *j)
{
    cairn_plan_destroy(&j->plan);
    cairn_tensor_destroy(&j->tensor);
    cairn_format_destroy(&j->format);
    cairn_source_destroy(&j->source);
}

/// Entry (j,c) of X, whoever owns it.
static void fill_x(cairn_plan *plan, int64_t columns)
{
    int64_t first, end;

    cairn_plan_columns(plan, &first, &end);
    for (int64_t n = 0; n < (end - first) * columns; n++) {
        const int64_t j = first + n / columns, c = n % columns;
        const double  x = (double)((j + 31 * c) % 97 + 1) / 97;

        if (cairn_plan_x(plan))
            cairn_plan_x(plan)[n] = x;
        else
            cairn_plan_x_f32(plan)[n] = (float)x;
    }
}

static cairn_status run(cairn_context               *context,
                        const char                  *text,
                        cairn_dtype                  dtype,
                        const cairn_product_options *op,
                        job                         *j)
{
    const cairn_problem size = {.size    = sizeof(cairn_problem),
                                .rows    = 90,
                                .cols    = 70,
                                .density = 0.08,
                                .seed    = 5};

    *j                  = (job){0};
    cairn_status status = cairn_source_generate(context, "pruned", &size, &j->source);
    if (status == CAIRN_OK) status = cairn_format_create(context, text, &j->format);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(j->source, j->format, dtype, &j->tensor);
    if (status == CAIRN_OK) status = cairn_plan_create_product(j->tensor, op, &j->plan);
    if (status != CAIRN_OK) return status;
    fill_x(j->plan, op->columns);
    return cairn_plan_run(j->plan, NULL, NULL);
}

static const char *const formats[] = {
    "csr", "csc", "coo", "ell", "bdia<8>", "bcsr<2,2>", "hybrid<bdia<8>,csr,0.4>",
};

enum { FORMATS = sizeof formats / sizeof *formats };

static bool verifies(const job *j)
{
    double rel, abs;

    return cairn_plan_verify(j->plan, j->source, &rel, &abs) == CAIRN_OK;
}

/// The rows of @p j's Y, on any number of ranks, are those of @p alone, which has all.
static bool same_rows(const job *j, const job *alone, int64_t columns)
{
    int64_t first, end;

    cairn_plan_rows(j->plan, &first, &end);
    if (cairn_plan_y(j->plan))
        return memcmp(cairn_plan_y(j->plan),
                      cairn_plan_y(alone->plan) + first * columns,
                      (size_t)((end - first) * columns) * sizeof(double))
               == 0;
    return memcmp(cairn_plan_y_f32(j->plan),
                  cairn_plan_y_f32(alone->plan) + first * columns,
                  (size_t)((end - first) * columns) * sizeof(float))
           == 0;
}

/// The same product again with every rank's members divided, on odd ranks alone or on all:
/// ranks need not have the same shares.
static void
divide(cairn_context *world, const cairn_product_options *op, bool all, job *j)
{
    const cairn_plan_options options = {.size    = sizeof(cairn_plan_options),
                                        .product = op,
                                        .place =
                                            all || rank % 2 ? "cpu:0+cpu:1" : "cpu:1"};

    cairn_plan_destroy(&j->plan);
    ON_ALL_RANKS(cairn_plan_create_with(j->tensor, &options, &j->plan) == CAIRN_OK,
                 "%s", cairn_context_message(world));
    fill_x(j->plan, op->columns);
    ON_ALL_RANKS(cairn_plan_run(j->plan, NULL, NULL) == CAIRN_OK && verifies(j),
                 "divided: %s", cairn_context_message(world));
}

/// Two runs: over all ranks, and alone or over all ranks again.
static void
compare(const cairn_product_options *op, cairn_context *world, cairn_context *other)
{
    for (int f = 0; f < FORMATS; f++)
        for (int t = 0; t < 2; t++) {
            const cairn_dtype dtype = t ? CAIRN_F32 : CAIRN_F64;
            job               a, b;
            const bool        fine = run(world, formats[f], dtype, op, &a) == CAIRN_OK;

            ON_ALL_RANKS(fine && verifies(&a), "%s: %s", formats[f],
                         cairn_context_message(world));
            ON_ALL_RANKS(run(other, formats[f], dtype, op, &b) == CAIRN_OK, "%s: %s",
                         formats[f], cairn_context_message(other));
            if (other != world)
                ON_ALL_RANKS(same_rows(&a, &b, op->columns), "%s: other bits",
                             formats[f]);
            else
                ON_ALL_RANKS(verifies(&b), "%s", cairn_context_message(world));
            end_job(&a);
            end_job(&b);
        }
}

static cairn_context *open_world(void)
{
    cairn_context *world = NULL;

    cr_assert_eq(
        cairn_context_create_fortran((int)MPI_Comm_c2f(MPI_COMM_WORLD), &world),
        CAIRN_OK);
    return world;
}

Test(product, several_columns_have_the_same_bits_on_any_ranks, .timeout = 500)
{
    const cairn_product_options one = {
        .size = sizeof(cairn_product_options), .columns = 1, .alpha = 1};
    const cairn_product_options many = {
        .size = sizeof(cairn_product_options), .columns = 5, .alpha = -0.5};
    cairn_context *world = open_world(), *alone = NULL;

    cr_assert_eq(cairn_context_create(&alone), CAIRN_OK);
    compare(&one, world, alone);
    compare(&many, world, alone);
    cairn_context_destroy(&alone);
    cairn_context_destroy(&world);
}

Test(product, transposes_are_summed_over_ranks, .timeout = 500)
{
    const cairn_product_options one   = {.size       = sizeof(cairn_product_options),
                                         .columns    = 1,
                                         .transposed = 1,
                                         .alpha      = 1};
    const cairn_product_options many  = {.size       = sizeof(cairn_product_options),
                                         .columns    = 3,
                                         .transposed = 1,
                                         .alpha      = 2};
    cairn_context              *world = open_world();

    compare(&one, world, world);
    compare(&many, world, world);
    cairn_context_destroy(&world);
}

/// Shares of a rank's rows have the bits that the rows have alone.
Test(product, divided_members_have_the_same_bits, .timeout = 500)
{
    const cairn_product_options op[] = {
        {sizeof *op, 1, false, 1,    0},
        {sizeof *op, 3, false, -0.5, 0},
        {sizeof *op, 1, true,  2,    0}
    };
    cairn_context *world = open_world(), *alone = NULL;

    cr_assert_eq(cairn_context_create(&alone), CAIRN_OK);
    ON_ALL_RANKS(cairn_devices_check(world, NULL, "cpu:2", 0) == CAIRN_OK, "%s",
                 cairn_context_message(world));
    for (int k = 0; k < 3 * (FORMATS - 1); k++) {
        const char *text = formats[k / 3]; /* hybrids have more to add where divided */
        job         a, b;

        ON_ALL_RANKS(run(world, text, CAIRN_F64, &op[k % 3], &a) == CAIRN_OK, "%s: %s",
                     text, cairn_context_message(world));
        ON_ALL_RANKS(run(alone, text, CAIRN_F64, &op[k % 3], &b) == CAIRN_OK, "%s: %s",
                     text, cairn_context_message(alone));
        for (int all = 0; all < 2; all++) {
            divide(world, &op[k % 3], all, &a);
            if (!op[k % 3].transposed)
                ON_ALL_RANKS(same_rows(&a, &b, op[k % 3].columns), "%s: other bits",
                             text);
        }
        end_job(&a);
        end_job(&b);
    }
    cairn_context_destroy(&alone);
    cairn_context_destroy(&world);
}

/// Sums of ranks come in rank order: twice the same bits, also for beta.
Test(product, transposes_have_the_same_bits_each_run, .timeout = 500)
{
    const cairn_product_options op    = {.size       = sizeof(cairn_product_options),
                                         .columns    = 2,
                                         .transposed = 1,
                                         .alpha      = 1};
    cairn_context              *world = open_world();
    job                         j;

    ON_ALL_RANKS(run(world, "csr", CAIRN_F64, &op, &j) == CAIRN_OK, "%s",
                 cairn_context_message(world));
    int64_t first, end;

    cairn_plan_rows(j.plan, &first, &end);
    const size_t bytes = (size_t)((end - first) * op.columns) * sizeof(double);
    double      *once  = malloc(bytes + 1);

    memcpy(once, cairn_plan_y(j.plan), bytes);
    for (int k = 0; k < 5; k++) {
        ON_ALL_RANKS(cairn_plan_run(j.plan, NULL, NULL) == CAIRN_OK, "%s",
                     cairn_context_message(world));
        ON_ALL_RANKS(memcmp(once, cairn_plan_y(j.plan), bytes) == 0, "other bits");
    }
    free(once);
    end_job(&j);
    cairn_context_destroy(&world);
}
