// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products with several columns and transposes over ranks: verified, and bits as the
/// contract has them: of A*X none depends on the ranks, of the transpose none on the run.

#include "mpi_suite.h"
#include "walled.h"

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

/// Y(n) before a run that reads it, of any type.
static void fill_y(void *y, bool f32, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        if (f32)
            ((float *)y)[k] = (float)(k % 5 - 2) / 3;
        else
            ((double *)y)[k] = (double)(k % 5 - 2) / 3;
}

/// Run with vectors at the ends of memory, and with an x that overlaps y by half an
/// operand: the bits are those of the plan's own, and the last run is verified.
static bool same_with_lent(const job *j, const cairn_product_options *op)
{
    const bool   f32  = !cairn_plan_x(j->plan);
    const size_t size = f32 ? sizeof(float) : sizeof(double);
    void *const own_x = f32 ? (void *)cairn_plan_x_f32(j->plan) : cairn_plan_x(j->plan);
    void *const own_y = f32 ? (void *)cairn_plan_y_f32(j->plan) : cairn_plan_y(j->plan);
    int64_t     first, end;
    bool        same = true;

    cairn_plan_columns(j->plan, &first, &end);
    const size_t xs = (size_t)((end - first) * op->columns) * size;
    cairn_plan_rows(j->plan, &first, &end);
    const int64_t n  = (end - first) * op->columns;
    const size_t  ys = (size_t)n * size;
    walled        x = wall(xs), y = wall(ys + xs), want = wall(ys);
    char *const   at[] = {x.base + x.pages - xs, x.base, y.base + ys / 2 / size * size};

    for (int k = 0; k < 3; k++) {
        char *const to = k == 0 ? y.base + y.pages - ys : y.base;

        fill_x(j->plan, op->columns);
        fill_y(to, f32, n);
        memcpy(at[k], own_x, xs);
        memcpy(own_y, to, ys); /* half of it x, the last time */
        same = cairn_plan_run(j->plan, NULL, NULL) == CAIRN_OK && same;
        memcpy(want.base, own_y, ys);
        memset(own_y, 0x5a, ys);
        same = cairn_plan_run(j->plan, at[k], to) == CAIRN_OK && same;
        same = same && memcmp(to, want.base, ys) == 0;
        if (op->beta == 0 && k < 2) same = verifies(j) && same;
    }
    tear_down(&x);
    tear_down(&y);
    tear_down(&want);
    return same;
}

Test(product, a_callers_vectors_have_the_bits_of_the_plans, .timeout = 500)
{
    cairn_context *world = open_world();

    for (int k = 0; k < 8 * FORMATS; k++) {
        const cairn_product_options op   = {.size       = sizeof(cairn_product_options),
                                            .columns    = k & 1 ? 3 : 1,
                                            .transposed = k >> 1 & 1,
                                            .alpha      = 1,
                                            .beta       = k & 4 ? 0.75 : 0};
        const char *const           text = formats[k / 8];
        job                         j;

        ON_ALL_RANKS(run(world, text, k % 3 ? CAIRN_F64 : CAIRN_F32, &op, &j)
                         == CAIRN_OK,
                     "%s: %s", text, cairn_context_message(world));
        ON_ALL_RANKS(same_with_lent(&j, &op), "%s, %d columns%s, beta %g: %s", text,
                     (int)op.columns, op.transposed ? ", transposed" : "", op.beta,
                     cairn_context_message(world));
        end_job(&j);
    }
    cairn_context_destroy(&world);
}
