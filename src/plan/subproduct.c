// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Subproducts of a product, each on its device.

#include "plan/subproduct.h"

#include "base/median.h"
#include "devices/kinds.h"
#include "plan/seats.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void write_labels(cairn_subproduct *subproduct, bool divided)
{
    const cairn_member_home *home = &subproduct->home;
    char                     what[24];

    snprintf(what, sizeof what, divided ? "member %d.%d" : "member %d", home->member,
             home->share);
    snprintf(subproduct->label.compute, sizeof subproduct->label.compute, "%s on %s",
             what, subproduct->device->info.id);
    snprintf(subproduct->label.collect, sizeof subproduct->label.collect, "add %s",
             what);
}

/// How often values of the tensor were stored in another type: layouts of members that a
/// reference walks are older where it was less.
static int64_t restored(const cairn_local *tensor)
{
    int64_t times = 0;

    for (int g = 0; g < tensor->groups; g++)
        times += tensor->group[g].restored;
    return times;
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
    *subproduct = (cairn_subproduct){.common     = common,
                                     .home       = *home,
                                     .device     = device,
                                     .op         = *op,
                                     .own.wanted = options->own};
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
        .alone   = options->own || home->member == 0,
        .free    = options->free};
    subproduct->restored = restored(common->tensor);
    return CAIRN_OK;
}

void cairn_subproduct_fini(cairn_subproduct *subproduct)
{
    if (!subproduct->common) return;
    cairn_env *env = subproduct->common->comm->env;

    cairn_row_pieces_fini(&subproduct->pieces);
    cairn_member_kernel_release(env, &subproduct->kernel);
    cairn_reference_destroy(&subproduct->reference);
    cairn_row_share_fini(&subproduct->stored);
    cairn_free(env, subproduct->own.y);
    *subproduct = (cairn_subproduct){0};
}

bool cairn_subproduct_is_idle(const cairn_subproduct *subproduct)
{
    return subproduct->own.none;
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
    return subproduct->own.wanted ? own_values(subproduct) * (int64_t)sizeof(double)
                                  : 0;
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
    assert(!subproduct->reference && !subproduct->own.y);
    CAIRN_TRY(create_reference(subproduct));
    if (!subproduct->own.wanted) return CAIRN_OK;
    /* First written by the thread of its queue, so that its pages lie near that thread. */
    return CAIRN_NEW(subproduct->common->comm->env, own_values(subproduct),
                     &subproduct->own.y);
}

bool cairn_subproduct_is_collected(const cairn_subproduct *subproduct)
{
    return subproduct->own.wanted || !cairn_device_is_host(subproduct->device);
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

size_t cairn_subproduct_sum_size(const cairn_subproduct *subproduct)
{
    if (subproduct->own.wanted) return sizeof(double);
    if (subproduct->kernel.launch.rounds) return sizeof(float);
    return cairn_operands_sum_size(subproduct->common->operands);
}

const void *cairn_subproduct_x(const cairn_subproduct *subproduct)
{
    const cairn_subproducts_common *c = subproduct->common;
    const void *const               x = c->x ? c->x : cairn_operands_x(c->operands);

    assert(!cairn_operands_is_parted(c->operands));
    return subproduct->op.transposed
               ? own_rows(subproduct, x, (size_t)c->tensor->value_bits / 8)
               : x;
}

const void *cairn_subproduct_own_x(const cairn_subproduct *subproduct)
{
    const cairn_subproducts_common *c = subproduct->common;
    const void *const               x = c->x ? NULL : cairn_operands_own_x(c->operands);

    return x && subproduct->op.transposed
               ? own_rows(subproduct, x, (size_t)c->tensor->value_bits / 8)
               : x;
}

/// All rows. @p y begins with the subproduct's.
static cairn_status multiply(cairn_subproduct *subproduct, void *y)
{
    const void *const x = cairn_subproduct_x(subproduct);

    if (!subproduct->reference && !subproduct->kernel.launch.run) /* build_again() */
        return subproduct->kernel.status;
    if (subproduct->reference)
        return cairn_reference_run(subproduct->reference, subproduct->work.member, x,
                                   y);
    return subproduct->kernel.launch.run(&subproduct->kernel.launch, x, y);
}

/// Its rows of the accumulator.
static void *rows_of_y(const cairn_subproduct *subproduct)
{
    const cairn_operands *operands = subproduct->common->operands;
    void                 *y        = cairn_operands_y(operands);

    assert(!subproduct->own.wanted && y);
    return subproduct->op.transposed
               ? y
               : own_rows(subproduct, y, cairn_operands_sum_size(operands));
}

void *cairn_subproduct_y(const cairn_subproduct *subproduct)
{
    return subproduct->own.wanted ? subproduct->own.y : rows_of_y(subproduct);
}

cairn_seat_landing cairn_subproduct_own_y(const cairn_subproduct *subproduct)
{
    const cairn_operands *operands = subproduct->common->operands;

    if (subproduct->own.wanted)
        return (cairn_seat_landing){subproduct->own.y, (char *)subproduct->own.y,
                                    cairn_subproduct_own_bytes(subproduct)};
    /* Sums of several ranks, or of several members, come together in a transposed one. */
    if (subproduct->op.transposed) return (cairn_seat_landing){.y = NULL};
    const cairn_operands_sums sums =
        cairn_operands_own_sums(operands, subproduct->kernel.launch.wide);

    return sums.at ? (cairn_seat_landing){own_rows(subproduct, sums.at, sums.size),
                                          sums.at, sums.bytes}
                   : (cairn_seat_landing){.y = NULL};
}

void *cairn_subproduct_begin_sums(cairn_subproduct *subproduct, bool anew)
{
    const cairn_operands *operands = subproduct->common->operands;
    cairn_launch         *launch   = &subproduct->kernel.launch;

    if (subproduct->own.wanted) {
        assert(subproduct->own.y);
        if (anew && !cairn_subproduct_sets(subproduct))
            memset(subproduct->own.y, 0,
                   (size_t)own_values(subproduct) * sizeof *subproduct->own.y);
        return subproduct->own.y;
    }
    void *const y = rows_of_y(subproduct);

    if (!launch->rounds) return y;
    assert(operands->sums_wide && !subproduct->stored.local);
    launch->sums = y;
    return operands->now.y;
}

void cairn_subproduct_ran(cairn_subproduct *subproduct,
                          cairn_status      status,
                          double            seconds)
{
    const cairn_launch_times *times  = &subproduct->kernel.launch.times;
    const bool                models = cairn_subproduct_models(subproduct);

    subproduct->runs.status   = status;
    subproduct->runs.modelled = models ? times->in + times->compute + times->out : 0;
    subproduct->runs.recent[subproduct->runs.count++ % CAIRN_SUBPRODUCT_RECENT] =
        (cairn_subproduct_run){.seconds = models ? subproduct->runs.modelled : seconds,
                               .times   = *times};
}

static void compute(cairn_subproduct *subproduct)
{
    const double       begin = cairn_seconds();
    const cairn_status status =
        cairn_subproduct_is_idle(subproduct)
            ? CAIRN_OK
            : multiply(subproduct, cairn_subproduct_begin_sums(subproduct, true));

    cairn_subproduct_ran(subproduct, status, cairn_seconds() - begin);
}

cairn_status cairn_subproduct_compute(void *argument)
{
    cairn_subproduct *subproduct = argument;

    compute(subproduct);
    return cairn_subproduct_is_collected(subproduct) ? CAIRN_OK
                                                     : subproduct->runs.status;
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
    subproduct->seat.taken = false;
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
    if (!subproduct->lost.device[0]) {
        snprintf(subproduct->lost.device, sizeof subproduct->lost.device, "%s",
                 subproduct->device->info.id);
        snprintf(subproduct->lost.why, sizeof subproduct->lost.why, "%.255s", why);
    }
    subproduct->device->lost = true;
    return move_to_host(subproduct);
}

/// Compute a subproduct again whose device failed.
static cairn_status recover(cairn_subproduct *subproduct)
{
    CAIRN_TRY(retire(subproduct, subproduct->kernel.launch.message));
    if (!subproduct->own.wanted && !cairn_subproduct_sets(subproduct))
        cairn_operands_clear(subproduct->common->operands, subproduct->home.rows);
    compute(subproduct);
    return subproduct->runs.status;
}

/// A device with arrays of its own gets their values again, or all of them.
static cairn_status rebuild(cairn_subproduct *subproduct)
{
    cairn_launch *launch = &subproduct->kernel.launch;

    if (cairn_member_kernel_lacks(&subproduct->kernel) || launch->bytes.own == 0
        || subproduct->device->lost)
        return CAIRN_OK;
    assert(launch->release && !subproduct->reference);
    if (launch->renew && launch->renew(launch) == CAIRN_OK) return CAIRN_OK;
    subproduct->seat.taken = false;
    launch->release(launch);
    if (subproduct->device->ops.build(subproduct->device, &subproduct->work, launch)
        == CAIRN_OK)
        return CAIRN_OK;
    *launch = (cairn_launch){.run = NULL};
    return retire(subproduct, subproduct->common->comm->env->message);
}

/// The share again, of the member's arrays as they are now.
static cairn_status store_again(cairn_subproduct *subproduct)
{
    cairn_row_share *share = &subproduct->stored, fresh;
    cairn_status     status =
        cairn_row_share_init(share->tensor, share->member, share->rows, share->number,
                             CAIRN_SHARE_LENT_IF_POSSIBLE, 0, &fresh);

    if (status != CAIRN_OK) {
        cairn_row_share_fini(&fresh);
        return status;
    }
    for (int64_t k = 0; k < fresh.local->parts; k++) /* as they were settled */
        fresh.local->part[k].nnz = share->local->part[k].nnz;
    cairn_row_share_fini(share);
    *share                  = fresh;
    subproduct->work.tensor = share->local;
    return CAIRN_OK;
}

/// The kernel again. That for wider values was loaded with the one that goes now: nothing
/// is compiled. On failure there is none, and the next run tries again.
static cairn_status build_again(cairn_subproduct *subproduct)
{
    cairn_env *env   = subproduct->common->comm->env;
    const bool apart = subproduct->kernel.launch.bytes.own > 0; /* no room for two */
    cairn_member_kernel fresh;

    subproduct->seat.taken = false;
    if (apart) cairn_member_kernel_release(env, &subproduct->kernel);
    cairn_member_kernel_build(subproduct->device, &subproduct->work, &fresh);
    cairn_member_kernel_release(env, &subproduct->kernel);
    subproduct->kernel = fresh;
    if (fresh.status == CAIRN_OK) return CAIRN_OK;
    const char *why = fresh.why ? fresh.why : cairn_status_text(fresh.status);

    if (!cairn_device_is_host(subproduct->device)) return retire(subproduct, why);
    snprintf(subproduct->kernel.launch.message,
             sizeof subproduct->kernel.launch.message, "%s", why);
    return fresh.status;
}

/// Everything that was made for values of other types.
static cairn_status make_again(cairn_subproduct *subproduct)
{
    const cairn_local *tensor = subproduct->common->tensor;

    cairn_row_pieces_fini(&subproduct->pieces);
    if (subproduct->stored.local) CAIRN_TRY(store_again(subproduct));
    if (subproduct->reference) {
        cairn_reference_destroy(&subproduct->reference);
        CAIRN_TRY(create_reference(subproduct));
    } else {
        CAIRN_TRY(build_again(subproduct));
        CAIRN_TRY(cairn_subproduct_cut_again(subproduct));
    }
    subproduct->restored = restored(tensor);
    return CAIRN_OK;
}

cairn_status cairn_subproduct_renew(cairn_subproduct *subproduct, bool *again)
{
    if (subproduct->restored != restored(subproduct->common->tensor)
        || subproduct->kernel.wide) {
        *again = true;
        return make_again(subproduct);
    }
    if (subproduct->stored.local) {
        CAIRN_TRY(cairn_row_share_refresh(&subproduct->stored));
        subproduct->stored.local->updates = subproduct->common->tensor->updates;
    }
    return rebuild(subproduct);
}

cairn_status cairn_subproduct_leave_lost(cairn_subproduct *subproduct)
{
    const char *why = subproduct->kernel.launch.message;

    if (!subproduct->device->lost) return CAIRN_OK;
    if (subproduct->runs.status == CAIRN_OK || !why[0])
        why = "another part of the matrix failed there";
    return retire(subproduct, why);
}

cairn_status cairn_subproduct_collect(void *argument)
{
    cairn_subproduct *subproduct = argument;

    if (subproduct->seat.among)
        cairn_plan_seat_finish(subproduct, cairn_subproduct_y(subproduct));
    if (subproduct->runs.status != CAIRN_OK
        && !cairn_device_is_host(subproduct->device))
        CAIRN_TRY(recover(subproduct));
    if (subproduct->runs.status == CAIRN_OK && subproduct->own.wanted
        && !subproduct->common->x)
        cairn_operands_add(subproduct->common->operands, subproduct->home.rows,
                           subproduct->own.y);
    return subproduct->runs.status;
}

int64_t cairn_subproduct_bytes(const cairn_subproduct *subproduct)
{
    const cairn_local *wide = subproduct->kernel.wide;

    return (wide ? &wide->group[subproduct->work.member]
                 : cairn_work_group(&subproduct->work))
               ->bytes
           + subproduct->kernel.launch.bytes.beside
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

/// The median of one number of each recent run, which is @p offset bytes from its begin.
static double median_of(const cairn_subproduct *subproduct, size_t offset)
{
    const int n = subproduct->runs.count < CAIRN_SUBPRODUCT_RECENT
                      ? (int)subproduct->runs.count
                      : CAIRN_SUBPRODUCT_RECENT;
    double    sorted[CAIRN_SUBPRODUCT_RECENT];

    for (int k = 0; k < n; k++)
        memcpy(&sorted[k], (const char *)&subproduct->runs.recent[k] + offset,
               sizeof *sorted);
    return cairn_median(sorted, n);
}

double cairn_subproduct_median(const cairn_subproduct *subproduct)
{
    return median_of(subproduct, offsetof(cairn_subproduct_run, seconds));
}

cairn_launch_times cairn_subproduct_median_times(const cairn_subproduct *subproduct)
{
    return (cairn_launch_times){
        .in      = median_of(subproduct, offsetof(cairn_subproduct_run, times.in)),
        .compute = median_of(subproduct, offsetof(cairn_subproduct_run, times.compute)),
        .out     = median_of(subproduct, offsetof(cairn_subproduct_run, times.out))};
}
