// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every allocation of one rank made to fail in turn, on the way from coordinates to a
/// verified product: all ranks learn of it, none waits, nothing is left.

#include "api/api.h"
#include "mpi_suite.h"
#include "storage.h"

#include <cairn/mpi.h>

TestSuite(shortage, .init = mpi_up, .fini = mpi_down);

/// What comes after the tensor, which is there.
static cairn_status use(cairn_tensor *tensor, const cairn_source *source)
{
    cairn_part_info  *parts = NULL;
    cairn_plan       *plan  = NULL;
    cairn_source_info info;
    cairn_plan_info   moved;
    int64_t           count;
    double            rel, abs;
    cairn_status      status = cairn_tensor_parts(tensor, &count, &parts);

    if (status == CAIRN_OK) status = cairn_source_describe(source, &info);
    if (status == CAIRN_OK) status = cairn_plan_spmv(tensor, &plan);
    if (status == CAIRN_OK) status = cairn_plan_run(plan, NULL, NULL);
    if (status == CAIRN_OK) status = cairn_plan_describe(plan, &moved);
    if (status == CAIRN_OK) status = cairn_plan_verify(plan, source, &rel, &abs);
    cairn_parts_free(tensor, &parts);
    cairn_plan_destroy(&plan);
    return status;
}

static cairn_status multiply(cairn_context *context, const char *text)
{
    const int64_t nnz    = rank == 0 ? 6 : 0;
    cairn_source *source = NULL;
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    cairn_status  status =
        cairn_source_from_coords(context, 2, figure_extent, nnz, figure_coord,
                                 figure_value, CAIRN_BY_ROWS, &source);

    if (status == CAIRN_OK)
        status =
            cairn_context_agree(context, cairn_format_create(context, text, &format));
    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);
    if (status == CAIRN_OK) status = use(tensor, source);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return status;
}

/// All allocations of @p victim fail from the n-th on, for every n.
static void starve(cairn_context *context, const char *text, int victim)
{
    const int64_t live = context->env.live_blocks;
    cairn_status  status;

    for (int64_t n = 0;; n++) {
        context->env.allowed = rank == victim ? n : -1;
        status               = multiply(context, text);
        context->env.allowed = -1;
        if (status == CAIRN_OK) break;
        ON_ALL_RANKS(status == CAIRN_NO_MEMORY, "%s", context->env.message);
        ON_ALL_RANKS(context->env.live_blocks == live, "%s: leak after %ld blocks",
                     text, (long)n);
    }
    ON_ALL_RANKS(status == CAIRN_OK, "%s", context->env.message);
}

Test(shortage, of_one_rank_is_told_to_all)
{
    static const char *const formats[] = {"csr",
                                          "ell",
                                          "bell<2>",
                                          "cisr-plus<2>",
                                          "serpens<2,4,2>",
                                          "hybrid<bell<2>,coo,0,0.5>"};
    cairn_context           *context;

    cairn_context_create_mpi(MPI_COMM_WORLD, &context);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        const cairn_status status = multiply(context, formats[k]); /* opens devices */

        ON_ALL_RANKS(status == CAIRN_OK, "%s: %s", formats[k], context->env.message);
        for (int victim = 0; victim<size; victim += size> 1 ? size - 1 : 1)
            starve(context, formats[k], victim);
    }
    cairn_context_destroy(&context);
}
