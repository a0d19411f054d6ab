// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Making a launch: the kernel lowered, printed and built, the parts' arrays brought to
/// the device, and for each part as many work-items as the device has use for.

#include "devices/opencl/product.h"

#include "devices/opencl/program.h"
#include "lower/product_choice.h"
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
                                  partition->share, &call->share));
    if (!scatter) return CAIRN_OK;
    /* Who goes by steps looks up no parents. */
    const int64_t visits =
        partition->steps > 0
            ? 0
            : partition->visits * (part->view.level[division->level].ptr_bits / 8);

    CAIRN_TRY(cairn_opencl_buffer(list, visits, partition->first, &call->first));
    CAIRN_TRY(cairn_opencl_buffer(list, visits, partition->last, &call->last));
    return cairn_opencl_buffer(list,
                               2 * partition->steps * (int64_t)sizeof *partition->step,
                               partition->step, &call->step);
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

/// The kernel of one part, ready to be started.
static cairn_status prepare_part(cairn_opencl_product *p,
                                 const cairn_share    *division,
                                 const char           *symbol,
                                 int64_t               k)
{
    const cairn_opencl_device *d    = cairn_opencl_of(p->device);
    const cairn_part          *part = cairn_work_part(&p->work, k);
    cairn_opencl_task         *task = &p->task[k];
    cairn_opencl_call          call = {.part = part, .x = p->x, .y = p->y};
    cl_int                     error;

    if (part->view.values == 0) return CAIRN_OK;
    call.args = cairn_work_arguments(&p->work, NULL, NULL);
    call.x_first =
        p->work.tensor->box[p->work.op->transposed ? 0 : 1].lo * p->work.op->columns;
    CAIRN_TRY(divide(p, division, part, &call));
    task->kernel = d->driver.CreateKernel(p->program, symbol, &error);
    CAIRN_CHECK(task->kernel, p->device->env, cairn_opencl_status(error),
                "device: %s: kernel %s: %s", p->device->info.id, symbol,
                cairn_opencl_error(error));
    task->items = p->kernel.items ? (size_t)call.args.shares : 1;
    task->group = d->processor || task->items < CARD_GROUP ? 1 : CARD_GROUP;
    task->items = (task->items + task->group - 1) / task->group * task->group;
    return cairn_opencl_arguments(&p->buffers, &p->kernel, &call, task->kernel);
}

static cairn_status
prepare_parts(cairn_opencl_product *p, const cairn_share *division, const char *symbol)
{
    p->tasks = cairn_work_group(&p->work)->count;
    CAIRN_TRY(CAIRN_NEW_ZERO(p->device->env, p->tasks, &p->task));
    for (int64_t k = 0; k < p->tasks; k++)
        CAIRN_TRY(prepare_part(p, division, symbol, k));
    return CAIRN_OK;
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
    p->own_x = malloc((size_t)p->x_bytes + 1);
    p->own_y = malloc((size_t)p->y_bytes + 1);
    CAIRN_CHECK(p->own_x && p->own_y, p->device->env, CAIRN_NO_MEMORY,
                "out of memory: %s: operands of %" PRId64 " bytes", p->device->info.id,
                p->x_bytes + p->y_bytes);
    return CAIRN_OK;
}

/// Lower the product and build its kernel.
static cairn_status get_kernel(cairn_opencl_product *p,
                               const cairn_product  *product,
                               cairn_share          *division,
                               char                  symbol[CAIRN_KERNEL_SYMBOL],
                               cairn_route          *route)
{
    cairn_env           *env    = p->device->env;
    const cairn_layout  *layout = cairn_work_group(&p->work)->layout;
    cairn_product_kernel lowered;
    char                *key;

    CAIRN_TRY(cairn_product_key(env, layout, product, &key));
    cairn_kernel_symbol(key, symbol);
    cairn_free(env, key);
    CAIRN_TRY(cairn_product_lower(env, layout, product, symbol, &lowered));
    *division = lowered.share;

    const cairn_status status =
        cairn_opencl_print(env, lowered.function, symbol, &p->kernel);

    cairn_ir_destroy(env, &lowered.function);
    CAIRN_TRY(status);
    return cairn_opencl_program(p->device, &p->kernel, symbol, &p->program, route);
}

/// Start the kernel once, so that a driver that goes on compiling when a kernel first
/// runs is done with it. Y is anything then, as it was before.
static cairn_status warm_up(const cairn_opencl_product *p)
{
    const cairn_opencl_device *d     = cairn_opencl_of(p->device);
    cl_int                     error = CL_SUCCESS;
    cl_event                   event = NULL;

    for (int64_t k = 0; k < p->tasks && !event && error == CL_SUCCESS; k++)
        if (p->task[k].kernel)
            error = d->driver.EnqueueNDRangeKernel(d->queue, p->task[k].kernel, 1, NULL,
                                                   &p->task[k].items, &p->task[k].group,
                                                   0, NULL, &event);
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
    char        symbol[CAIRN_KERNEL_SYMBOL];
    cairn_share division;
    const bool  alone = is_alone(&p->work);

    *product  = cairn_product_choose(cairn_work_group(&p->work)->layout, p->work.op,
                                     alone, p->work.wide, CAIRN_OPENCL_VECTOR);
    p->keeps  = !alone;
    p->clears = alone
                && (product->adds || cairn_work_group(&p->work)->count == 0
                    || cairn_work_part(&p->work, 0)->view.values == 0);
    CAIRN_TRY(get_kernel(p, product, &division, symbol, route));
    CAIRN_TRY(prepare_operands(p, product->wide));
    CAIRN_TRY(prepare_parts(p, &division, symbol));
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
    if (p->program && !lost) cl->ReleaseProgram(p->program);
    if (!lost) {
        free(p->own_x);
        free(p->own_y);
    }
    cairn_opencl_buffers_fini(&p->buffers);
    cairn_opencl_fini(env, &p->kernel);
    cairn_free(env, p->task);
    cairn_free(env, p);
}

static void release(cairn_launch *launch)
{
    discard(launch->state);
    *launch = (cairn_launch){0};
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
                             .bytes   = p->buffers.bytes,
                             .run     = cairn_opencl_run,
                             .release = release,
                             .state   = p};
    if (!p->kernel.items)
        snprintf(launch->note, sizeof launch->note,
                 "one work-item does all of it: it meets rows of Y again and again");
    return CAIRN_OK;

discard:
    discard(p);
    return status;
}
