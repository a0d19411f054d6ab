// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Subproducts of a product, each on its device.

#include "plan/subproduct.h"

#include "base/median.h"
#include "devices/kinds.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void write_labels(cairn_subproduct *subproduct, bool divided)
{
    const cairn_member_home *home = &subproduct->home;
    char                     what[24];

    snprintf(what, sizeof what, divided ? "member %d.%d" : "member %d", home->member,
             home->share);
    snprintf(subproduct->label, sizeof subproduct->label, "%s on %s", what,
             subproduct->device->info.id);
    snprintf(subproduct->collect_label, sizeof subproduct->collect_label, "add %s",
             what);
}

cairn_status cairn_subproduct_init(const cairn_subproducts_common *common,
                                   const cairn_subproduct_options *options,
                                   const cairn_product_options    *op,
                                   cairn_subproduct               *subproduct)
{
    const cairn_member_home *home   = &options->home;
    cairn_device            *device = &common->devices->device[home->device];

    assert(home->device >= 0 && home->device < common->devices->count);
    assert(home->rows.lo <= home->rows.hi + 1);
    *subproduct = (cairn_subproduct){.common  = common,
                                     .home    = *home,
                                     .device  = device,
                                     .op      = *op,
                                     .has_own = options->own};
    if (options->own) subproduct->op.beta = 0;
    write_labels(subproduct, options->divided);
    if (options->divided)
        CAIRN_TRY(cairn_row_share_init(common->tensor, home->member, home->rows,
                                       home->share, CAIRN_SHARE_LENT_IF_POSSIBLE,
                                       options->held, &subproduct->stored));
    subproduct->work = (cairn_device_work){
        .tensor  = options->divided ? subproduct->stored.local : common->tensor,
        .member  = options->divided ? 0 : home->member,
        .op      = &subproduct->op,
        .threads = options->threads,
        .alone   = options->own || home->member == 0};
    return CAIRN_OK;
}

void cairn_subproduct_fini(cairn_subproduct *subproduct)
{
    if (!subproduct->common) return;
    cairn_env *env = subproduct->common->comm->env;

    cairn_member_kernel_release(env, &subproduct->kernel);
    cairn_reference_destroy(&subproduct->reference);
    cairn_row_share_fini(&subproduct->stored);
    cairn_free(env, subproduct->own);
    *subproduct = (cairn_subproduct){0};
}

bool cairn_subproduct_is_idle(const cairn_subproduct *subproduct)
{
    return subproduct->common->tensor->value_bits == 32 && subproduct->home.member > 0
           && !subproduct->work.wide;
}

bool cairn_subproduct_meets(const cairn_subproduct *subproduct,
                            const cairn_subproduct *other)
{
    const cairn_interval *a = &subproduct->home.rows, *b = &other->home.rows;

    return subproduct->op.transposed || (a->lo <= b->hi && b->lo <= a->hi);
}

static int64_t own_values(const cairn_subproduct *subproduct)
{
    return cairn_work_rows_out(&subproduct->work) * subproduct->op.columns;
}

int64_t cairn_subproduct_own_bytes(const cairn_subproduct *subproduct)
{
    return subproduct->has_own ? own_values(subproduct) * (int64_t)sizeof(double) : 0;
}

/// The reference way, if it has no kernel.
static cairn_status create_reference(cairn_subproduct *subproduct)
{
    const cairn_product_options *op        = &subproduct->op;
    const cairn_reference_op     reference = {
            .columns = op->columns, .transposed = op->transposed != 0, .alpha = op->alpha};

    if (!cairn_member_kernel_lacks(&subproduct->kernel)) return CAIRN_OK;
    return cairn_reference_create(
        subproduct->common->comm->env, subproduct->work.tensor, &reference,
        subproduct->device->info.threads, &subproduct->reference);
}

cairn_status cairn_subproduct_allocate(cairn_subproduct *subproduct)
{
    assert(!subproduct->reference && !subproduct->own);
    CAIRN_TRY(create_reference(subproduct));
    if (!subproduct->has_own) return CAIRN_OK;
    /* First written by the thread of its queue, so that its pages lie near that thread. */
    return CAIRN_NEW(subproduct->common->comm->env, own_values(subproduct),
                     &subproduct->own);
}

bool cairn_subproduct_is_collected(const cairn_subproduct *subproduct)
{
    return subproduct->has_own || !cairn_device_is_host(subproduct->device);
}

bool cairn_subproduct_sets(const cairn_subproduct *subproduct)
{
    return subproduct->kernel.launch.sets;
}

/// The subproduct's rows of an operand that has rows of A.
static void *
own_rows(const cairn_subproduct *subproduct, const void *operand, size_t size)
{
    const int64_t row =
        subproduct->work.tensor->box[0].lo - subproduct->common->tensor->box[0].lo;

    return (char *)operand + (size_t)(row * subproduct->op.columns) * size;
}

/// @p y begins with the subproduct's rows.
static cairn_status multiply(cairn_subproduct *subproduct, void *y)
{
    const void *x = cairn_operands_x(subproduct->common->operands);

    if (subproduct->op.transposed)
        x = own_rows(subproduct, x, (size_t)subproduct->common->tensor->value_bits / 8);
    assert(subproduct->reference || subproduct->kernel.launch.run);
    if (subproduct->reference)
        return cairn_reference_run(subproduct->reference, subproduct->work.member, x,
                                   y);
    return subproduct->kernel.launch.run(&subproduct->kernel.launch, x, y);
}

/// Compute into its own Y, which is undefined before.
static cairn_status multiply_apart(cairn_subproduct *subproduct)
{
    assert(subproduct->has_own && subproduct->own);
    if (!cairn_subproduct_sets(subproduct))
        memset(subproduct->own, 0,
               (size_t)own_values(subproduct) * sizeof *subproduct->own);
    return multiply(subproduct, subproduct->own);
}

/// Compute into the accumulator.
static cairn_status multiply_in_place(cairn_subproduct *subproduct)
{
    const cairn_operands *operands = subproduct->common->operands;
    void                 *y        = cairn_operands_y(operands);

    assert(!subproduct->has_own && y);
    if (!subproduct->op.transposed)
        y = own_rows(subproduct, y, cairn_operands_sum_size(operands));
    return multiply(subproduct, y);
}

static void compute(cairn_subproduct *subproduct)
{
    const double              begin = cairn_seconds();
    const cairn_launch_times *times = &subproduct->kernel.launch.times;

    subproduct->status   = cairn_subproduct_is_idle(subproduct) ? CAIRN_OK
                           : subproduct->has_own ? multiply_apart(subproduct)
                                                 : multiply_in_place(subproduct);
    subproduct->seconds  = cairn_seconds() - begin;
    subproduct->modelled = cairn_subproduct_models(subproduct)
                               ? times->in + times->compute + times->out
                               : 0;
    subproduct->recent[subproduct->runs++ % CAIRN_SUBPRODUCT_RECENT] =
        cairn_subproduct_models(subproduct) ? subproduct->modelled
                                            : subproduct->seconds;
}

cairn_status cairn_subproduct_compute(void *argument)
{
    cairn_subproduct *subproduct = argument;

    compute(subproduct);
    return cairn_subproduct_is_collected(subproduct) ? CAIRN_OK : subproduct->status;
}

/// Another device for the subproduct: the processor. What it does not compile is
/// interpreted. After a failure it is where it was, and the next run tries again.
static cairn_status move_to_host(cairn_subproduct *subproduct)
{
    cairn_env          *env   = subproduct->common->comm->env;
    cairn_device       *lost  = subproduct->device;
    cairn_device       *host  = cairn_devices_host(subproduct->common->devices);
    cairn_member_kernel fresh = {0};
    cairn_status status       = host->ops.build(host, &subproduct->work, &fresh.launch);

    if (status != CAIRN_OK && status != CAIRN_NO_KERNEL) return status;
    cairn_member_kernel_release(env, &subproduct->kernel);
    subproduct->kernel = fresh;
    subproduct->device = host;
    assert(!subproduct->reference); /* only what had a kernel can lose its device */
    status = create_reference(subproduct);
    if (status != CAIRN_OK) subproduct->device = lost;
    return status;
}

/// Retire the device, and keep the reason of the first failed attempt.
static cairn_status retire(cairn_subproduct *subproduct, const char *why)
{
    if (!subproduct->retired[0]) {
        snprintf(subproduct->retired, sizeof subproduct->retired, "%s",
                 subproduct->device->info.id);
        snprintf(subproduct->why, sizeof subproduct->why, "%.255s", why);
    }
    subproduct->device->lost = true;
    return move_to_host(subproduct);
}

/// Compute a subproduct again whose device failed.
static cairn_status recover(cairn_subproduct *subproduct)
{
    CAIRN_TRY(retire(subproduct, subproduct->kernel.launch.message));
    if (!subproduct->has_own && !cairn_subproduct_sets(subproduct))
        cairn_operands_clear(subproduct->common->operands, subproduct->home.rows);
    compute(subproduct);
    return subproduct->status;
}

/// A device with arrays of its own gets them again.
static cairn_status rebuild(cairn_subproduct *subproduct)
{
    cairn_launch *launch = &subproduct->kernel.launch;

    if (cairn_member_kernel_lacks(&subproduct->kernel) || launch->bytes == 0
        || subproduct->device->lost)
        return CAIRN_OK;
    assert(launch->release && !subproduct->reference);
    launch->release(launch);
    if (subproduct->device->ops.build(subproduct->device, &subproduct->work, launch)
        == CAIRN_OK)
        return CAIRN_OK;
    *launch = (cairn_launch){.run = NULL};
    return retire(subproduct, subproduct->common->comm->env->message);
}

cairn_status cairn_subproduct_renew(cairn_subproduct *subproduct)
{
    if (subproduct->stored.local)
        CAIRN_TRY(cairn_row_share_refresh(&subproduct->stored));
    return rebuild(subproduct);
}

cairn_status cairn_subproduct_leave_lost(cairn_subproduct *subproduct)
{
    return subproduct->device->lost
               ? retire(subproduct, "another part of the matrix failed there")
               : CAIRN_OK;
}

cairn_status cairn_subproduct_collect(void *argument)
{
    cairn_subproduct *subproduct = argument;

    if (subproduct->status != CAIRN_OK && !cairn_device_is_host(subproduct->device))
        CAIRN_TRY(recover(subproduct));
    if (subproduct->status == CAIRN_OK && subproduct->has_own)
        cairn_operands_add(subproduct->common->operands, subproduct->home.rows,
                           subproduct->own);
    return subproduct->status;
}

int64_t cairn_subproduct_bytes(const cairn_subproduct *subproduct)
{
    return cairn_work_group(&subproduct->work)->bytes
           + 2 * cairn_subproduct_own_bytes(subproduct);
}

int64_t cairn_subproduct_added_bytes(const cairn_subproduct *subproduct)
{
    return 3 * cairn_subproduct_own_bytes(subproduct);
}

bool cairn_subproduct_models(const cairn_subproduct *subproduct)
{
    return subproduct->device->info.clock == CAIRN_CLOCK_SIMULATED;
}

double cairn_subproduct_median(const cairn_subproduct *subproduct)
{
    const int n = subproduct->runs < CAIRN_SUBPRODUCT_RECENT ? (int)subproduct->runs
                                                             : CAIRN_SUBPRODUCT_RECENT;
    double    sorted[CAIRN_SUBPRODUCT_RECENT];

    memcpy(sorted, subproduct->recent, (size_t)n * sizeof *sorted);
    return cairn_median(sorted, n);
}
