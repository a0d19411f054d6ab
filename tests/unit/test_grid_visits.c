// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a device is given to run a product as a grid: visits of rows, the same by compiled
/// functions as by interpreted ones, and in order; and all of it without memory.

#include "devices/grid_tiles.h"
#include "devices/registry.h"
#include "support/brutal.h"
#include "support/device_work.h"

static cairn_context    *context;
static int64_t           blocks;
static cairn_grid_passes passes;

static void open_context(void)
{
    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    blocks = must_settle(context);
}

static void close_context(void)
{
    must_end(&context, blocks);
}

TestSuite(grid_visits, .init = open_context, .fini = close_context);

/// A product with the only part of a tensor.
static cairn_grid_work work_of(const cairn_tensor *tensor, const cairn_product *product)
{
    const cairn_local *local = tensor->local;

    return (cairn_grid_work){
        .layout  = local->group[0].layout,
        .product = product,
        .part    = &local->part[0].view,
        .args    = {.row_lo  = local->box[0].lo,
                    .row_end = local->box[0].hi + 1,
                    .col_lo  = local->box[1].lo,
                    .col_end = local->box[1].hi + 1},
        .passes  = &passes
    };
}

static const cairn_product adds = {.adds         = true,
                                   .columns      = 1,
                                   .operand      = CAIRN_IR_F64,
                                   .accumulate   = CAIRN_IR_F64,
                                   .vector_bytes = CAIRN_ITEMS};

/// Every row's visits come in the order of columns, which are stored one after the other.
static void check_order(const cairn_grid_visits *v, int64_t rows, int64_t entries)
{
    cr_assert_eq(v->first[0], 0);
    cr_assert_eq(v->first[rows], entries);
    for (int64_t i = 0; i < rows; i++)
        for (uint32_t k = v->first[i]; k + 1 < v->first[i + 1]; k++) {
            cr_assert_lt(v->at[k], v->at[k + 1]);
            cr_assert_lt(v->via[k], v->via[k + 1]);
        }
}

Test(grid_visits, are_the_same_compiled_and_interpreted)
{
    const cairn_problem problem = {
        .size = sizeof problem, .n = 60000, .degree = 5, .seed = 3};
    cairn_devices    *devices = must_devices(context, "cpu");
    cairn_grid_visits here, there;
    cairn_source     *source;

    MUST(context, cairn_source_generate(context, "uniform", &problem, &source));
    cairn_tensor   *tensor = must_store(context, source, "csc", CAIRN_F64);
    cairn_grid_work work   = work_of(tensor, &adds);
    const int64_t   rows   = cairn_grid_rows(&work);

    cr_assert_gt(work.part->values, 200000);
    MUST(context, cairn_grid_visits_make(&context->env, &work, &here));
    cairn_grid_passes_fini(&context->env, &passes);
    MUST(context, cairn_device_kernels(&devices->device[0], &work.loader));
    MUST(context, cairn_grid_visits_make(&context->env, &work, &there));

    check_order(&here, rows, work.part->values);
    cr_assert_eq(here.count, there.count);
    cr_assert_arr_eq(here.first, there.first, 4 * (size_t)(rows + 1));
    cr_assert_arr_eq(here.via, there.via, 4 * (size_t)here.count);
    cr_assert_arr_eq(here.at, there.at, 8 * (size_t)here.count);
    cairn_grid_visits_fini(&context->env, &here);
    cairn_grid_visits_fini(&context->env, &there);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_devices_close(&context->env, &devices);
}

/// Divide the work and give it back.
static cairn_status divide(const cairn_grid_work *work)
{
    cairn_grid_tiles   tiles;
    const cairn_status status = cairn_grid_tiles_make(&context->env, work, &tiles);

    if (status == CAIRN_OK) cairn_grid_tiles_fini(&context->env, &tiles);
    cairn_grid_passes_fini(&context->env, &passes);
    return status;
}

Test(grid_visits, divisions_survive_the_end_of_memory)
{
    static const char *const formats[] = {"csr", "coo", "csc", "dense<2>", "ell"};
    uint64_t                 state     = 5;
    cairn_source            *source    = random_source(context, &state, 7, 1500);

    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        cairn_tensor *tensor       = must_store(context, source, formats[k], CAIRN_F64);
        const cairn_grid_work work = work_of(tensor, &adds);

        CAIRN_BRUTAL(&context->env, divide(&work));
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

/// Lower it and give it back.
static cairn_status lower(const cairn_layout *layout)
{
    cairn_grid_kernel kernel;

    CAIRN_TRY(cairn_grid_lower(&context->env, layout, &adds, "grid", &kernel));
    cairn_grid_kernel_fini(&context->env, &kernel);
    return CAIRN_OK;
}

Test(grid_visits, functions_survive_the_end_of_memory)
{
    static const char *const formats[] = {"bcsr<2,3>", "csc", "ell"};
    uint64_t                 state     = 5;
    cairn_source            *source    = random_source(context, &state, 9, 11);

    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        cairn_tensor *tensor = must_store(context, source, formats[k], CAIRN_F64);

        CAIRN_BRUTAL(&context->env, lower(tensor->local->group[0].layout));
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}
