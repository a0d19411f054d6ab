// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Grids on OpenCL devices, with groups of 1, 7, 64 and 128 items: real barriers and local
/// memory, the processor's bits, on rows that end around tiles and cuts. Formats are taken
/// in turn, with 1, 3 and 32 columns, other ones every second; SEED_CASES says how many.

#include "devices/opencl/product.h"
#include "devices/registry.h"
#include "support/device_work.h"
#include "support/every_format.h"
#include "support/grid_case.h"
#include "support/seed.h"

enum { USUAL_CASES = 3, SIZES = 4 };

static const int64_t columns[] = {1, 3, 32};

static const size_t items[SIZES] = {1, 7, 64, 128};

static bool has_device(void)
{
    cairn_opencl_handle handle[CAIRN_OPENCL_DEVICES];
    cairn_opencl_driver driver;
    int                 count = 0;

    if (cairn_opencl_driver_open(&driver)) {
        count = cairn_opencl_devices(&driver, handle);
        cairn_opencl_driver_close(&driver);
    }
    if (count == 0)
        fprintf(stderr, "test_opencl_grids: no OpenCL device here: skipped\n");
    return count > 0;
}

static cairn_source *make_source(cairn_context *context)
{
    const int64_t extent[2] = {GRID_ROWS, GRID_COLUMN};
    int64_t      *coord     = malloc(sizeof *coord * 2 * GRID_ROWS * GRID_COLUMN);
    double       *value     = malloc(sizeof *value * GRID_ROWS * GRID_COLUMN);
    cairn_source *source;
    int64_t       n = 0;

    for (int64_t i = 0; i < GRID_ROWS; i++)
        for (int64_t k = 0; k < grid_lengths[i]; k++) {
            coord[2 * n]     = i;
            coord[2 * n + 1] = k * GRID_COLUMN / grid_lengths[i];
            value[n]         = (float)((double)(1 + (n * 7919) % 500) / 97.0);
            n++;
        }
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, value,
                                           CAIRN_BY_ROWS, &source));
    free(coord);
    free(value);
    return source;
}

/// Have all kernels of a launch run in groups of @p size items.
static void regroup(cairn_launch *launch, size_t size)
{
    cairn_opencl_product *p = launch->state;

    for (int64_t k = 0; k < p->tasks; k++) {
        if (p->task[k].group == 0) continue; /* a function without turns */
        p->task[k].items = p->task[k].items / p->task[k].group * size;
        p->task[k].group = size;
    }
}

/// What the device makes of it in groups of all sizes. @return Is it a grid?
static bool try_sizes(cairn_device            *device,
                      const cairn_device_work *work,
                      const work_operands     *o,
                      const double            *right,
                      const char              *text)
{
    cairn_launch launch = {0};

    cr_assert_eq(device->ops.build(device, work, &launch), CAIRN_OK, "%s: %s", text,
                 device->env->message);
    cr_assert_eq(launch.route, CAIRN_ROUTE_COMPILED);
    const bool grid =
        ((cairn_opencl_product *)launch.state)->grid.shape != CAIRN_GRID_NONE;

    for (int k = 0; k < SIZES && grid; k++) {
        regroup(&launch, items[k]);
        double *y = run_launch(&launch, o);

        cr_assert_arr_eq(y, right, 8 * (size_t)(o->rows_out * o->columns),
                         "%s: groups of %d", text, (int)items[k]);
        free(y);
    }
    launch.release(&launch);
    return grid;
}

static int try_format(cairn_context *context,
                      cairn_source  *source,
                      const char    *name,
                      cairn_dtype    type,
                      int64_t        columns)
{
    cairn_devices        *cpu    = must_devices(context, "cpu");
    cairn_devices        *opencl = must_devices(context, "opencl");
    cairn_tensor         *tensor = must_store(context, source, name, type);
    cairn_product_options op     = CAIRN_PRODUCT_OPTIONS;
    int                   grids  = 0;

    op.columns = columns;
    for (int m = 0; m < tensor->local->groups; m++) {
        const cairn_device_work work = {
            .tensor = tensor->local, .member = m, .op = &op, .alone = true};
        work_operands o;

        work_operands_make(&work, &o);
        double *right = run_on(&cpu->device[0], &work, &o);

        grids += try_sizes(&opencl->device[0], &work, &o, right, name);
        free(right);
        free(o.block);
    }
    cairn_tensor_destroy(&tensor);
    cairn_devices_close(&context->env, &opencl);
    cairn_devices_close(&context->env, &cpu);
    return grids;
}

Test(opencl_grids, groups_of_any_size_have_the_bits_of_the_processor, .timeout = 3600)
{
    cairn_context *context;
    int            grids = 0;
    const uint64_t first = seed_clock();

    if (!has_device()) return;
    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    context->env.options.opencl_lowering = CAIRN_OPENCL_GRID;
    cairn_source *source                 = make_source(context);
    const int     cases                  = seed_cases(USUAL_CASES);

    printf("SEED_CLOCK=%llu\n", (unsigned long long)first);
    for (int k = 0; k < cases; k++) {
        const uint64_t at = first * (uint64_t)cases + (uint64_t)k;

        grids += try_format(context, source, formats[at % FORMATS],
                            at % 2 ? CAIRN_F32 : CAIRN_F64, columns[at / 2 % 3]);
    }
    printf("%d members of %d formats as grids\n", grids, cases);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}
