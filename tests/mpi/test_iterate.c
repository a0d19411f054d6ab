// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Chains of products: the bits of runs with Y copied to X in between, in every format, on
/// any number of ranks; the plan's X and Y stay where they are, and nothing is allocated.

#include "api/api.h"
#include "every_format.h"
#include "mpi_suite.h"
#include "names.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <stdlib.h>
#include <string.h>

TestSuite(iterate, .init = mpi_up, .fini = mpi_down);

/// A plan of a grid's matrix, or of its transpose, and the plan's own vectors.
typedef struct {
    cairn_tensor *tensor;
    cairn_plan   *plan;
    bool          f32;
    char         *x, *y;
    size_t        bytes; ///< Of each.
} product;

static cairn_status make(cairn_context               *context,
                         cairn_source                *source,
                         const char                  *text,
                         bool                         f32,
                         const cairn_product_options *op,
                         product                     *p)
{
    cairn_format *format = NULL;
    char          named[1024];
    int64_t       first, end;

    *p = (product){.f32 = f32};
    by_name(text, named, sizeof named);
    cairn_status status = cairn_format_create(context, named, &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, f32 ? CAIRN_F32 : CAIRN_F64,
                                     &p->tensor);
    cairn_format_destroy(&format);
    if (status == CAIRN_OK) status = cairn_plan_create_product(p->tensor, op, &p->plan);
    if (status != CAIRN_OK) return status;
    cairn_plan_rows(p->plan, &first, &end);
    p->x     = f32 ? (void *)cairn_plan_x_f32(p->plan) : (void *)cairn_plan_x(p->plan);
    p->y     = f32 ? (void *)cairn_plan_y_f32(p->plan) : (void *)cairn_plan_y(p->plan);
    p->bytes = (size_t)((end - first) * op->columns) * (f32 ? 4 : 8);
    return CAIRN_OK;
}

static void end_product(product *p)
{
    cairn_plan_destroy(&p->plan);
    cairn_tensor_destroy(&p->tensor);
}

/// Another in every place, so that rows that are exchanged show.
static void fill_x(const product *p, int64_t columns)
{
    int64_t first, end;

    cairn_plan_columns(p->plan, &first, &end);
    for (int64_t k = 0; k < (end - first) * columns; k++) {
        const double value = (double)((first * columns + k) * 7 % 97 + 1) / 97;

        if (p->f32)
            ((float *)(void *)p->x)[k] = (float)value;
        else
            ((double *)(void *)p->x)[k] = value;
    }
}

/// @p n runs, each Y copied to X: @p want is the last X, then the last Y.
static bool run_by_hand(const product *p, int64_t columns, int n, char *want)
{
    bool done = true;

    fill_x(p, columns);
    for (int k = 0; k < n; k++) {
        if (k > 0) memcpy(p->x, p->y, p->bytes);
        done = cairn_plan_run(p->plan, NULL, NULL) == CAIRN_OK && done;
    }
    memcpy(want, p->x, p->bytes);
    memcpy(want + p->bytes, p->y, p->bytes);
    return done;
}

static bool chain_has_bits(const product *p, int64_t columns, int n, const char *want)
{
    cairn_env *const env = &p->tensor->context->env;

    fill_x(p, columns);
    memset(p->y, 0x5a, p->bytes);
    env->allowed              = 0;
    const cairn_status status = cairn_plan_iterate(p->plan, n);

    env->allowed = -1;
    return status == CAIRN_OK && memcmp(p->x, want, p->bytes) == 0
           && memcmp(p->y, want + p->bytes, p->bytes) == 0;
}

Test(iterate, a_chain_has_the_bits_of_its_runs)
{
    const cairn_problem problem = {
        .size = sizeof(cairn_problem), .nx = 13, .ny = 11, .seed = 3};
    cairn_context *context = NULL;
    cairn_source  *source  = NULL;

    ON_ALL_RANKS(!cairn_context_create_mpi(MPI_COMM_WORLD, &context), "no context");
    ON_ALL_RANKS(!cairn_source_generate(context, "stencil5", &problem, &source), "%s",
                 cairn_context_message(context));
    for (int k = 0; k < 2 * FORMATS; k++) {
        cairn_product_options op = CAIRN_PRODUCT_OPTIONS;
        product               p;
        char                 *want;

        op.columns = k % 3 + 1;
        op.alpha   = 0.125;
        ON_ALL_RANKS(!make(context, source, formats[k / 2], k % 2, &op, &p), "%s: %s",
                     formats[k / 2], cairn_context_message(context));
        want = malloc(2 * p.bytes + 1);
        for (int n = 1; n <= 4; n++) {
            ON_ALL_RANKS(run_by_hand(&p, op.columns, n, want), "%s", formats[k / 2]);
            ON_ALL_RANKS(chain_has_bits(&p, op.columns, n, want),
                         "%s, %s, %d products: other bits", formats[k / 2],
                         k % 2 ? "f32" : "f64", n);
        }
        free(want);
        end_product(&p);
    }
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}

/// What it says, on all ranks.
static bool
refuses(cairn_context *context, cairn_plan *plan, int64_t n, const char *why)
{
    return cairn_plan_iterate(plan, n) == CAIRN_BAD_ARGUMENT
           && strstr(cairn_context_message(context), why);
}

Test(iterate, what_makes_no_next_x_is_refused)
{
    const cairn_problem problem = {
        .size = sizeof(cairn_problem), .rows = 30, .cols = 20, .density = 0.3};
    const cairn_problem         square  = {.size = sizeof(cairn_problem), .n = 40};
    const cairn_product_options plain   = CAIRN_PRODUCT_OPTIONS;
    cairn_product_options       other   = CAIRN_PRODUCT_OPTIONS;
    cairn_context              *context = NULL;
    cairn_source               *source  = NULL;
    product                     p;

    ON_ALL_RANKS(!cairn_context_create_mpi(MPI_COMM_WORLD, &context), "no context");
    ON_ALL_RANKS(!cairn_source_generate(context, "pruned", &problem, &source), "%s",
                 cairn_context_message(context));
    ON_ALL_RANKS(!make(context, source, "csr", false, &plain, &p), "oblong");
    ON_ALL_RANKS(refuses(context, p.plan, 2, "30 x 20"), "oblong: %s",
                 cairn_context_message(context));
    end_product(&p);
    cairn_source_destroy(&source);
    ON_ALL_RANKS(!cairn_source_generate(context, "tridiag", &square, &source), "%s",
                 cairn_context_message(context));
    other.transposed = true;
    ON_ALL_RANKS(!make(context, source, "csr", false, &other, &p), "transposed");
    ON_ALL_RANKS(refuses(context, p.plan, 2, "transposed"), "transposed");
    end_product(&p);
    other.transposed = false;
    other.beta       = 1;
    ON_ALL_RANKS(!make(context, source, "csr", false, &other, &p), "beta");
    ON_ALL_RANKS(refuses(context, p.plan, 2, "beta is 1"), "beta");
    end_product(&p);
    ON_ALL_RANKS(!make(context, source, "csr", false, &plain, &p), "plain");
    ON_ALL_RANKS(refuses(context, p.plan, 0, "n"), "no products");
    if (size > 1)
        ON_ALL_RANKS(refuses(context, p.plan, 2 + (rank == size - 1), "ranks disagree"),
                     "ranks with other numbers: %s", cairn_context_message(context));
    ON_ALL_RANKS(!cairn_plan_iterate(p.plan, 3), "the next chain");
    end_product(&p);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}
