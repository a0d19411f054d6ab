// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Making a launch: the kernel lowered, printed and built, the parts' arrays brought to
/// the device, and for each part as many work-items as the device has use for.

#include "devices/opencl/product.h"

#include "devices/grid_hints.h"
#include "devices/grid_tiles.h"
#include "devices/opencl/program.h"
#include "devices/registry.h"
#include "lower/product/product_choice.h"
#include "share/work_partition.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A processor's item is a thread's turn, and should outweigh its start; items of cards
   hide each other's latency, and there are thousands. */
enum { TURN_VALUES = 2000, ITEM_VALUES = 16, TURNS_A_UNIT = 16, ITEMS_A_UNIT = 2048 };
enum { CARD_GROUP = 64 };

/// Is Y on the host nothing that must be kept?
static bool is_alone(const cairn_device_work *work)
{
    return work->alone && work->op->beta == 0;
}

/// Work-items that the device has use for. Where they scatter, each passes over all the
/// lines that the arrays lie in, which a processor's would have to read again.
static int64_t all_items(const cairn_opencl_device *d, const cairn_share *division)
{
    if (!d->processor) return (int64_t)d->units * ITEMS_A_UNIT;
    return (int64_t)d->units
           * (division->kind == CAIRN_SHARE_SCATTER ? 1 : TURNS_A_UNIT);
}

/// Those that the part has work for.
static int64_t useful_items(const cairn_opencl_product *p,
                            const cairn_share          *division,
                            const cairn_part           *part)
{
    const cairn_opencl_device *d    = cairn_opencl_of(p->device);
    const int64_t              each = d->processor ? TURN_VALUES : ITEM_VALUES;
    const int64_t              all  = all_items(d, division);
    const __int128             useful =
        (__int128)part->view.values * p->work.op->columns / each + 1;

    return useful < all ? (int64_t)useful : all;
}

/// What the partition says of the items, on the device.
static cairn_status bring_team(cairn_opencl_product       *p,
                               const cairn_share          *division,
                               const cairn_part           *part,
                               const cairn_work_partition *partition,
                               cairn_opencl_call          *call)
{
    const bool    scatter = division->kind == CAIRN_SHARE_SCATTER;
    const int64_t words   = partition->shares * (scatter ? CAIRN_SHARE_FIELDS : 1) + 1;
    cairn_opencl_buffers *list = &p->buffers;

    cairn_work_partition_use(partition, &call->args);
    CAIRN_TRY(cairn_opencl_buffer(list, words * (int64_t)sizeof *partition->share,
                                  partition->share, &call->array[CAIRN_PRODUCT_share]));
    if (!scatter) return CAIRN_OK;
    /* Who goes by steps looks up no parents. */
    const int64_t visits =
        partition->steps > 0
            ? 0
            : partition->visits * (part->view.level[division->level].ptr_bits / 8);

    CAIRN_TRY(cairn_opencl_buffer(list, visits, partition->first,
                                  &call->array[CAIRN_PRODUCT_first]));
    CAIRN_TRY(cairn_opencl_buffer(list, visits, partition->last,
                                  &call->array[CAIRN_PRODUCT_last]));
    return cairn_opencl_buffer(list,
                               2 * partition->steps * (int64_t)sizeof *partition->step,
                               partition->step, &call->array[CAIRN_PRODUCT_step]);
}

/// Divide a part among work-items.
static cairn_status divide(cairn_opencl_product *p,
                           const cairn_share    *division,
                           const cairn_part     *part,
                           cairn_opencl_call    *call)
{
    cairn_env           *env = p->device->env;
    cairn_work_partition partition;
    cairn_status         status;

    CAIRN_TRY(cairn_work_partition_make(
        env, division, &part->view, cairn_work_rows_out(&p->work), p->work.op->columns,
        useful_items(p, division, part), &partition));
    status = bring_team(p, division, part, &partition, call);
    cairn_work_partition_fini(env, &partition);
    return status;
}

/// The parts of a call that all functions share.
static cairn_opencl_call call_of(const cairn_opencl_product *p, const cairn_part *part)
{
    const cairn_device_work *work = &p->work;

    return (cairn_opencl_call){
        .part    = part,
        .args    = cairn_work_arguments(work, NULL, NULL),
        .array   = {[CAIRN_PRODUCT_x] = p->x, [CAIRN_PRODUCT_y] = p->y},
        .x_first = work->tensor->box[!work->op->transposed].lo * work->op->columns
    };
}

/// A kernel with its arguments, ready to be started.
static cairn_status make_task(cairn_opencl_product    *p,
                              const cairn_opencl_code *code,
                              const cairn_opencl_call *call,
                              cairn_opencl_task       *task)
{
    const cairn_opencl_device *d = cairn_opencl_of(p->device);
    cl_int                     error;

    task->kernel = d->driver.CreateKernel(code->program, code->symbol, &error);
    CAIRN_CHECK(task->kernel, p->device->env, cairn_opencl_status(error),
                "device: %s: kernel %s: %s", p->device->info.id, code->symbol,
                cairn_opencl_error(error));
    return cairn_opencl_arguments(&p->buffers, &code->kernel, call, task->kernel);
}

/// One part by turns, @p task being its only one.
static cairn_status prepare_turns(cairn_opencl_product *p,
                                  const cairn_share    *division,
                                  const cairn_part     *part,
                                  cairn_opencl_task    *task)
{
    const cairn_opencl_device *d    = cairn_opencl_of(p->device);
    cairn_opencl_call          call = call_of(p, part);

    call.abi = CAIRN_ABI_PRODUCT;
    CAIRN_TRY(divide(p, division, part, &call));
    task->items = p->code->kernel.items ? (size_t)call.args.shares : 1;
    task->group = d->processor || task->items < CARD_GROUP ? 1 : CARD_GROUP;
    task->items = (task->items + task->group - 1) / task->group * task->group;
    return make_task(p, p->code, &call, task);
}

/// Numbers of the operation, as a grid's functions take them.
static cairn_grid_args grid_args(const cairn_product_args *args)
{
    return (cairn_grid_args){
#define X(type, name, what) .name = args->name,
        CAIRN_OPERANDS_MAP(X)
#undef X
    };
}

/// One part as a grid: a task a function that has turns.
static cairn_status prepare_roles(cairn_opencl_product   *p,
                                  cairn_opencl_call      *call,
                                  const cairn_grid_tiles *tiles,
                                  cairn_opencl_task      *task)
{
    cairn_grid_array_of array[CAIRN_GRID_ARRAYS];
    const int           arrays = cairn_grid_tiles_arrays(tiles, array);

    for (int k = 0; k < arrays; k++)
        CAIRN_TRY(cairn_opencl_buffer(&p->buffers, array[k].bytes, array[k].data,
                                      &call->array[array[k].field]));
    for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++) {
        if (!p->code[r].program || tiles->turns[r] == 0) continue;
        cairn_grid_tiles_use(tiles, r, &call->grid);
        task[r].group = CAIRN_GRID_ITEMS;
        task[r].items =
            (size_t)cairn_grid_groups(&p->grid, r, tiles->turns[r], p->work.op->columns)
            * CAIRN_GRID_ITEMS;
        CAIRN_TRY(make_task(p, &p->code[r], call, &task[r]));
    }
    return CAIRN_OK;
}

static cairn_status prepare_grid(cairn_opencl_product *p,
                                 const cairn_product  *product,
                                 const cairn_part     *part,
                                 cairn_grid_passes    *passes,
                                 cairn_opencl_task    *task)
{
    cairn_env        *env  = p->device->env;
    cairn_opencl_call call = call_of(p, part);
    cairn_grid_work   work = {.layout  = cairn_work_group(&p->work)->layout,
                              .product = product,
                              .part    = &part->view,
                              .args    = grid_args(&call.args),
                              .passes  = passes};
    cairn_grid_tiles  tiles;

    CAIRN_TRY(cairn_device_kernels(p->device, &work.loader)); /* the processor's */
    call.abi  = CAIRN_ABI_GRID;
    call.grid = work.args;
    CAIRN_TRY(cairn_grid_tiles_make(env, &work, &tiles));

    const cairn_status status = prepare_roles(p, &call, &tiles, task);

    cairn_grid_tiles_fini(env, &tiles);
    return status;
}

static cairn_status prepare_parts(cairn_opencl_product *p,
                                  const cairn_product  *product,
                                  const cairn_share    *division)
{
    const int64_t     parts  = cairn_work_group(&p->work)->count;
    const bool        grid   = p->grid.shape != CAIRN_GRID_NONE;
    const int64_t     each   = grid ? CAIRN_GRID_FUNCTIONS : 1;
    cairn_grid_passes passes = {.code = {NULL}};

    p->tasks            = parts * each;
    cairn_status status = CAIRN_NEW_ZERO(p->device->env, p->tasks, &p->task);

    for (int64_t k = 0; status == CAIRN_OK && k < parts; k++) {
        const cairn_part *part = cairn_work_part(&p->work, k);

        if (part->view.values == 0) continue;
        status = grid ? prepare_grid(p, product, part, &passes, &p->task[k * each])
                      : prepare_turns(p, division, part, &p->task[k]);
    }
    snprintf(p->interpreted, sizeof p->interpreted, "%.120s", passes.why);
    cairn_grid_passes_fini(p->device->env, &passes);
    return status;
}

/// X and Y of this rank, without contents.
static cairn_status prepare_operands(cairn_opencl_product *p, bool wide)
{
    const cairn_device_work *work    = &p->work;
    const int64_t            bytes   = work->tensor->value_bits / 8;
    const int64_t            columns = work->op->columns;

    p->x_bytes = cairn_work_rows_in(work) * columns * bytes;
    p->y_bytes = cairn_work_rows_out(work) * columns * (wide ? 8 : bytes);
    p->x_begin = work->op->transposed ? 0 : work->tensor->box[1].lo * columns * bytes;
    CAIRN_TRY(cairn_opencl_buffer(&p->buffers, p->x_bytes, NULL, &p->x));
    return cairn_opencl_buffer(&p->buffers, p->y_bytes, NULL, &p->y);
}

/// Where the device may be given up, it is given operands that are never freed: not
/// counted, for it may come back to them when the environment is gone.
static cairn_status prepare_own(cairn_opencl_product *p)
{
    if (p->device->env->options.give_up.seconds <= 0) return CAIRN_OK;
    p->own.x = malloc((size_t)p->x_bytes + 1);
    p->own.y = malloc((size_t)p->y_bytes + 1);
    CAIRN_CHECK(p->own.x && p->own.y, p->device->env, CAIRN_NO_MEMORY,
                "out of memory: %s: operands of %" PRId64 " bytes", p->device->info.id,
                p->x_bytes + p->y_bytes);
    return CAIRN_OK;
}

/// Is the product done by a grid? On cards, where neighbouring items load what lies side
/// by side; where an item is a processor's thread, rows one by one are slower than its
/// share of them.
static bool takes_grid(const cairn_opencl_product *p, const cairn_grid *grid)
{
    const cairn_opencl_device *d = cairn_opencl_of(p->device);

    if (grid->shape == CAIRN_GRID_NONE || d->group < CAIRN_GRID_ITEMS) return false;
    switch ((cairn_opencl_lowering)p->device->env->options.opencl_lowering) {
    case CAIRN_OPENCL_TURNS: return false;
    case CAIRN_OPENCL_GRID: return true;
    case CAIRN_OPENCL_AUTO: break;
    }
    return !d->processor && (grid->shape != CAIRN_GRID_LANES || grid->beside);
}

/// Print a function and build its program.
static cairn_status get_code(cairn_opencl_product    *p,
                             const cairn_ir_function *function,
                             cairn_opencl_code       *code,
                             cairn_route             *route)
{
    snprintf(code->symbol, sizeof code->symbol, "%s", function->name);
    CAIRN_TRY(
        cairn_opencl_print(p->device->env, function, code->symbol, &code->kernel));
    return cairn_opencl_program(p->device, &code->kernel, code->symbol, &code->program,
                                route);
}

static cairn_status get_grid(cairn_opencl_product *p,
                             const cairn_layout   *layout,
                             const cairn_product  *product,
                             cairn_route          *route)
{
    cairn_env        *env = p->device->env;
    char              symbol[CAIRN_KERNEL_SYMBOL], *key;
    cairn_grid_kernel kernel;
    cairn_status      status = CAIRN_OK;

    CAIRN_TRY(cairn_grid_key(env, layout, product, &key));
    cairn_kernel_symbol(key, symbol);
    cairn_free(env, key);
    CAIRN_TRY(cairn_grid_lower(env, layout, product, symbol, &kernel));
    for (int r = 0; r < CAIRN_GRID_FUNCTIONS && status == CAIRN_OK; r++)
        if (kernel.function[r])
            status = get_code(p, kernel.function[r], &p->code[r], route);
    cairn_grid_kernel_fini(env, &kernel);
    return status;
}

static cairn_status get_turns(cairn_opencl_product *p,
                              const cairn_layout   *layout,
                              const cairn_product  *product,
                              cairn_route          *route)
{
    cairn_env           *env = p->device->env;
    char                 symbol[CAIRN_KERNEL_SYMBOL], *key;
    cairn_product_kernel kernel;

    CAIRN_TRY(cairn_product_key(env, layout, product, &key));
    cairn_kernel_symbol(key, symbol);
    cairn_free(env, key);
    CAIRN_TRY(cairn_product_lower(env, layout, product, symbol, &kernel));

    const cairn_status status = get_code(p, kernel.function, p->code, route);

    cairn_ir_destroy(env, &kernel.function);
    return status;
}

/// Lower the product and build its kernels.
static cairn_status get_kernels(cairn_opencl_product *p,
                                cairn_product        *product,
                                cairn_share          *division,
                                cairn_route          *route)
{
    const cairn_layout *layout = cairn_work_group(&p->work)->layout;
    const cairn_grid    grid   = cairn_grid_of(layout, product);

    *division = cairn_product_share(layout, product);
    if (!takes_grid(p, &grid)) return get_turns(p, layout, product, route);
    p->grid = grid;
    product->grid_hints =
        cairn_grid_hints_of(&p->work, product, cairn_opencl_of(p->device)->units);
    product->grid_hints.banks = false; /* each is a task of its own */
    return get_grid(p, layout, product, route);
}

/// Start a kernel of each function once, so that a driver that goes on compiling when a
/// kernel first runs is done with it. Y is anything then, as it was before.
static cairn_status warm_up(const cairn_opencl_product *p)
{
    const cairn_opencl_device *d     = cairn_opencl_of(p->device);
    const int64_t              codes = p->grid.shape ? CAIRN_GRID_FUNCTIONS : 1;
    cl_int                     error = CL_SUCCESS;
    bool                       warm[CAIRN_GRID_FUNCTIONS] = {false};
    cl_event                   event                      = NULL;

    for (int64_t k = 0; k < p->tasks && error == CL_SUCCESS; k++) {
        if (!p->task[k].kernel || warm[k % codes]) continue;
        if (event) d->driver.ReleaseEvent(event);
        event           = NULL;
        warm[k % codes] = true;
        error = d->driver.EnqueueNDRangeKernel(d->queue, p->task[k].kernel, 1, NULL,
                                               &p->task[k].items, &p->task[k].group, 0,
                                               NULL, &event);
    }
    if (event && error == CL_SUCCESS) error = cairn_opencl_wait(p->device, event);
    if (event && !d->lost) d->driver.ReleaseEvent(event);
    CAIRN_CHECK(error == CL_SUCCESS, p->device->env, cairn_opencl_status(error),
                "device: %s: a kernel: %s", p->device->info.id,
                cairn_opencl_error(error));
    return CAIRN_OK;
}

static cairn_status
prepare(cairn_opencl_product *p, cairn_product *product, cairn_route *route)
{
    cairn_share division;
    const bool  alone = is_alone(&p->work);

    *product  = cairn_product_choose(cairn_work_group(&p->work)->layout, p->work.op,
                                     alone, p->work.wide, CAIRN_OPENCL_VECTOR);
    p->keeps  = !alone;
    p->clears = alone
                && (product->adds || cairn_work_group(&p->work)->count == 0
                    || cairn_work_part(&p->work, 0)->view.values == 0);
    CAIRN_TRY(get_kernels(p, product, &division, route));
    CAIRN_TRY(prepare_operands(p, product->wide));
    CAIRN_TRY(prepare_parts(p, product, &division));
    CAIRN_TRY(prepare_own(p));
    return warm_up(p);
}

static void discard(cairn_opencl_product *p)
{
    const cairn_opencl_driver *cl   = &cairn_opencl_of(p->device)->driver;
    const bool                 lost = cairn_opencl_of(p->device)->lost;
    cairn_env                 *env  = p->device->env;

    for (int64_t k = 0; p->task && k < p->tasks; k++)
        if (p->task[k].kernel && !lost) cl->ReleaseKernel(p->task[k].kernel);
    for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++) {
        if (p->code[r].program && !lost) cl->ReleaseProgram(p->code[r].program);
        cairn_opencl_fini(env, &p->code[r].kernel);
    }
    if (!lost) {
        free(p->own.x);
        free(p->own.y);
    }
    cairn_opencl_buffers_fini(&p->buffers);
    cairn_free(env, p->task);
    cairn_free(env, p);
}

static void release(cairn_launch *launch)
{
    discard(launch->state);
    *launch = (cairn_launch){0};
}

/// What people would like to know of how it goes.
static void describe(const cairn_opencl_product *p, cairn_launch *launch)
{
    const char *const why = p->interpreted;

    if (p->grid.shape == CAIRN_GRID_REGROUPED)
        snprintf(launch->note, sizeof launch->note,
                 "it meets rows of Y again and again: listed by row, 12 bytes a "
                 "visit%s%s",
                 why[0] ? ", interpreted: " : "", why);
    else if (!p->code->kernel.items)
        snprintf(launch->note, sizeof launch->note,
                 "one work-item does all of it: it meets rows of Y again and again");
}

cairn_status cairn_opencl_build(cairn_device            *device,
                                const cairn_device_work *work,
                                cairn_launch            *launch)
{
    cairn_opencl_product *p = NULL;
    cairn_product         product;
    cairn_route           route = CAIRN_ROUTE_COMPILED;
    cairn_status          status;

    CAIRN_CHECK(device->env->options.kernels != CAIRN_KERNELS_REFERENCE, device->env,
                CAIRN_NO_KERNEL, "CAIRN_KERNELS: it says \"reference\"");
    CAIRN_CHECK(cairn_opencl_of(device)->doubles, device->env, CAIRN_UNSUPPORTED,
                "device: %s: it has no f64, in which sums are made", device->info.id);
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &p));
    p->device         = device;
    p->work           = *work;
    p->buffers.device = device;
    CAIRN_GO(discard, prepare(p, &product, &route));
    *launch = (cairn_launch){.device  = device,
                             .route   = route,
                             .sets    = !p->keeps,
                             .wide    = product.wide,
                             .bytes   = {.own = p->buffers.bytes},
                             .run     = cairn_opencl_run,
                             .release = release,
                             .state   = p};
    describe(p, launch);
    return CAIRN_OK;

discard:
    discard(p);
    return status;
}
