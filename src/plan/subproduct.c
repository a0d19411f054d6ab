// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Pieces of a product, each on its device.

#include "plan/subproduct.h"

#include "base/median.h"
#include "devices/kinds.h"

#include <stdio.h>
#include <string.h>

static void write_labels(cairn_subproduct *piece, bool divided)
{
    const cairn_member_home *home = &piece->home;
    char                     what[24];

    snprintf(what, sizeof what, divided ? "member %d.%d" : "member %d", home->member,
             home->share);
    snprintf(piece->label, sizeof piece->label, "%s on %s", what,
             piece->device->info.id);
    snprintf(piece->collect_label, sizeof piece->collect_label, "add %s", what);
}

cairn_status cairn_subproduct_init(const cairn_subproducts_common *common,
                                   const cairn_subproduct_options *options,
                                   const cairn_product_options    *op,
                                   cairn_subproduct               *piece)
{
    const cairn_member_home *home   = &options->home;
    cairn_device            *device = &common->devices->device[home->device];

    *piece = (cairn_subproduct){.common  = common,
                                .home    = *home,
                                .device  = device,
                                .op      = *op,
                                .has_own = options->own};
    if (options->own) piece->op.beta = 0;
    write_labels(piece, options->divided);
    if (options->divided)
        CAIRN_TRY(cairn_row_share_init(common->tensor, home->member, home->rows,
                                       home->share, CAIRN_SHARE_LENT_IF_POSSIBLE,
                                       options->held, &piece->stored));
    piece->work = (cairn_device_work){.tensor  = options->divided ? piece->stored.local
                                                                  : common->tensor,
                                      .member  = options->divided ? 0 : home->member,
                                      .op      = &piece->op,
                                      .threads = options->threads,
                                      .alone   = options->own || home->member == 0};
    return CAIRN_OK;
}

void cairn_subproduct_fini(cairn_subproduct *piece)
{
    if (!piece->common) return;
    cairn_env *env = piece->common->comm->env;

    cairn_member_kernel_release(env, &piece->kernel);
    cairn_reference_destroy(&piece->reference);
    cairn_row_share_fini(&piece->stored);
    cairn_free(env, piece->own);
    *piece = (cairn_subproduct){0};
}

bool cairn_subproduct_meets(const cairn_subproduct *piece,
                            const cairn_subproduct *other)
{
    const cairn_interval *a = &piece->home.rows, *b = &other->home.rows;

    return piece->op.transposed || (a->lo <= b->hi && b->lo <= a->hi);
}

static int64_t own_values(const cairn_subproduct *piece)
{
    return cairn_work_rows_out(&piece->work) * piece->op.columns;
}

int64_t cairn_subproduct_own_bytes(const cairn_subproduct *piece)
{
    return piece->has_own ? own_values(piece) * (int64_t)sizeof(double) : 0;
}

/// The reference way, if it has no kernel.
static cairn_status create_reference(cairn_subproduct *piece)
{
    const cairn_product_options *op        = &piece->op;
    const cairn_reference_op     reference = {
            .columns = op->columns, .transposed = op->transposed != 0, .alpha = op->alpha};

    if (!cairn_member_kernel_lacks(&piece->kernel)) return CAIRN_OK;
    return cairn_reference_create(piece->common->comm->env, piece->work.tensor,
                                  &reference, piece->device->info.threads,
                                  &piece->reference);
}

cairn_status cairn_subproduct_allocate(cairn_subproduct *piece)
{
    CAIRN_TRY(create_reference(piece));
    if (!piece->has_own) return CAIRN_OK;
    /* Nobody writes it before the thread of its queue, near which it is to lie. */
    return CAIRN_NEW(piece->common->comm->env, own_values(piece), &piece->own);
}

bool cairn_subproduct_is_collected(const cairn_subproduct *piece)
{
    return piece->has_own || !cairn_device_is_host(piece->device);
}

bool cairn_subproduct_sets(const cairn_subproduct *piece)
{
    return piece->kernel.launch.sets;
}

/// The piece's rows of an operand that has rows of A.
static void *own_rows(const cairn_subproduct *piece, const void *operand, size_t size)
{
    const int64_t row =
        piece->work.tensor->box[0].lo - piece->common->tensor->box[0].lo;

    return (char *)operand + (size_t)(row * piece->op.columns) * size;
}

/// @p y begins with the piece's rows.
static cairn_status multiply(cairn_subproduct *piece, void *y)
{
    const void *x = cairn_operands_x(piece->common->operands);

    if (piece->op.transposed)
        x = own_rows(piece, x, (size_t)piece->common->tensor->value_bits / 8);
    if (piece->reference)
        return cairn_reference_run(piece->reference, piece->work.member, x, y);
    return piece->kernel.launch.run(&piece->kernel.launch, x, y);
}

/// Into a Y of its own, which may hold anything.
static cairn_status multiply_apart(cairn_subproduct *piece)
{
    if (!cairn_subproduct_sets(piece))
        memset(piece->own, 0, (size_t)own_values(piece) * sizeof *piece->own);
    return multiply(piece, piece->own);
}

/// Into Y, where its sums are made.
static cairn_status multiply_in_place(cairn_subproduct *piece)
{
    const cairn_operands *operands = piece->common->operands;
    void                 *y        = cairn_operands_y(operands);

    if (!piece->op.transposed)
        y = own_rows(piece, y, cairn_operands_sum_size(operands));
    return multiply(piece, y);
}

static void compute(cairn_subproduct *piece)
{
    const double              begin = cairn_seconds();
    const cairn_launch_times *times = &piece->kernel.launch.times;

    piece->status  = piece->has_own ? multiply_apart(piece) : multiply_in_place(piece);
    piece->seconds = cairn_seconds() - begin;
    piece->modelled =
        cairn_subproduct_models(piece) ? times->in + times->compute + times->out : 0;
    piece->recent[piece->runs++ % CAIRN_SUBPRODUCT_RECENT] =
        cairn_subproduct_models(piece) ? piece->modelled : piece->seconds;
}

cairn_status cairn_subproduct_compute(void *argument)
{
    cairn_subproduct *piece = argument;

    compute(piece);
    return cairn_subproduct_is_collected(piece) ? CAIRN_OK : piece->status;
}

/// Another device for the piece: the processor. What it does not compile is interpreted.
/// After a failure it is where it was, and the next run tries again.
static cairn_status move_to_host(cairn_subproduct *piece)
{
    cairn_env          *env    = piece->common->comm->env;
    cairn_device       *lost   = piece->device;
    cairn_device       *host   = cairn_devices_host(piece->common->devices);
    cairn_member_kernel fresh  = {0};
    cairn_status        status = host->ops.build(host, &piece->work, &fresh.launch);

    if (status != CAIRN_OK && status != CAIRN_NO_KERNEL) return status;
    cairn_member_kernel_release(env, &piece->kernel);
    piece->kernel = fresh;
    piece->device = host;
    status        = create_reference(piece);
    if (status != CAIRN_OK) piece->device = lost;
    return status;
}

/// Leave the device, and remember why, of several attempts at the first.
static cairn_status retire(cairn_subproduct *piece, const char *why)
{
    if (!piece->retired[0]) {
        snprintf(piece->retired, sizeof piece->retired, "%s", piece->device->info.id);
        snprintf(piece->why, sizeof piece->why, "%.255s", why);
    }
    piece->device->lost = true;
    return move_to_host(piece);
}

/// Compute again what a device failed to.
static cairn_status recover(cairn_subproduct *piece)
{
    CAIRN_TRY(retire(piece, piece->kernel.launch.message));
    if (!piece->has_own && !cairn_subproduct_sets(piece))
        cairn_operands_clear(piece->common->operands, piece->home.rows);
    compute(piece);
    return piece->status;
}

/// A device with arrays of its own gets them again.
static cairn_status rebuild(cairn_subproduct *piece)
{
    cairn_launch *launch = &piece->kernel.launch;

    if (cairn_member_kernel_lacks(&piece->kernel) || launch->bytes == 0
        || piece->device->lost)
        return CAIRN_OK;
    launch->release(launch);
    if (piece->device->ops.build(piece->device, &piece->work, launch) == CAIRN_OK)
        return CAIRN_OK;
    *launch = (cairn_launch){.run = NULL};
    return retire(piece, piece->common->comm->env->message);
}

cairn_status cairn_subproduct_renew(cairn_subproduct *piece)
{
    if (piece->stored.local) CAIRN_TRY(cairn_row_share_refresh(&piece->stored));
    return rebuild(piece);
}

cairn_status cairn_subproduct_leave_lost(cairn_subproduct *piece)
{
    return piece->device->lost
               ? retire(piece, "another part of the matrix failed there")
               : CAIRN_OK;
}

cairn_status cairn_subproduct_collect(void *argument)
{
    cairn_subproduct *piece = argument;

    if (piece->status != CAIRN_OK && !cairn_device_is_host(piece->device))
        CAIRN_TRY(recover(piece));
    if (piece->status == CAIRN_OK && piece->has_own)
        cairn_operands_add(piece->common->operands, piece->home.rows, piece->own);
    return piece->status;
}

int64_t cairn_subproduct_bytes(const cairn_subproduct *piece)
{
    return cairn_work_group(&piece->work)->bytes
           + 2 * cairn_subproduct_own_bytes(piece);
}

int64_t cairn_subproduct_added_bytes(const cairn_subproduct *piece)
{
    return 3 * cairn_subproduct_own_bytes(piece);
}

bool cairn_subproduct_models(const cairn_subproduct *piece)
{
    return piece->device->info.clock == CAIRN_CLOCK_SIMULATED;
}

double cairn_subproduct_median(const cairn_subproduct *piece)
{
    const int n = piece->runs < CAIRN_SUBPRODUCT_RECENT ? (int)piece->runs
                                                        : CAIRN_SUBPRODUCT_RECENT;
    double    sorted[CAIRN_SUBPRODUCT_RECENT];

    memcpy(sorted, piece->recent, (size_t)n * sizeof *sorted);
    return cairn_median(sorted, n);
}
