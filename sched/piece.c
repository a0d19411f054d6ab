// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Pieces of a product, each on its device.

#include "sched/piece.h"

#include "base/median.h"
#include "devices/kinds.h"

#include <stdio.h>
#include <string.h>

void cairn_piece_init(const cairn_pieces_common   *common,
                      cairn_device                *device,
                      int                          member,
                      const cairn_product_options *op,
                      int                          threads,
                      bool                         own,
                      cairn_piece                 *piece)
{
    *piece =
        (cairn_piece){.common = common, .device = device, .op = *op, .has_own = own};
    if (own) piece->op.beta = 0;
    snprintf(piece->label, sizeof piece->label, "member %d on %s", member,
             device->info.id);
    snprintf(piece->collect_label, sizeof piece->collect_label, "add member %d",
             member);
    piece->work = (cairn_device_work){.tensor  = common->tensor,
                                      .member  = member,
                                      .op      = &piece->op,
                                      .threads = threads,
                                      .alone   = own || member == 0};
}

void cairn_piece_fini(cairn_piece *piece)
{
    if (!piece->common) return;
    cairn_env *env = piece->common->comm->env;

    cairn_member_kernel_release(env, &piece->kernel);
    cairn_reference_destroy(&piece->reference);
    cairn_free(env, piece->own);
    *piece = (cairn_piece){0};
}

static int64_t own_values(const cairn_piece *piece)
{
    return cairn_work_rows_out(&piece->work) * piece->op.columns;
}

int64_t cairn_piece_own_bytes(const cairn_piece *piece)
{
    return piece->has_own ? own_values(piece) * (int64_t)sizeof(double) : 0;
}

/// The reference way, if it has no kernel.
static cairn_status create_reference(cairn_piece *piece)
{
    const cairn_product_options *op        = &piece->op;
    const cairn_reference_op     reference = {
            .columns = op->columns, .transposed = op->transposed != 0, .alpha = op->alpha};

    if (!cairn_member_kernel_lacks(&piece->kernel)) return CAIRN_OK;
    return cairn_reference_create(piece->common->comm->env, piece->common->tensor,
                                  &reference, piece->device->info.threads,
                                  &piece->reference);
}

cairn_status cairn_piece_allocate(cairn_piece *piece)
{
    CAIRN_TRY(create_reference(piece));
    if (!piece->has_own) return CAIRN_OK;
    /* Nobody writes it before the thread of its queue, near which it is to lie. */
    return cairn_alloc(piece->common->comm->env, own_values(piece), sizeof(double),
                       &piece->own);
}

bool cairn_piece_is_collected(const cairn_piece *piece)
{
    return piece->has_own || !cairn_device_is_host(piece->device);
}

bool cairn_piece_sets(const cairn_piece *piece)
{
    return piece->kernel.launch.sets;
}

static cairn_status multiply(cairn_piece *piece, void *y)
{
    const void *x = cairn_operands_x(piece->common->operands);

    if (piece->reference)
        return cairn_reference_run(piece->reference, piece->work.member, x, y);
    return piece->kernel.launch.run(&piece->kernel.launch, x, y);
}

/// Into a Y of its own, which may hold anything.
static cairn_status multiply_apart(cairn_piece *piece)
{
    const bool   wide = cairn_member_kernel_is_wide(&piece->kernel);
    const size_t size =
        wide ? sizeof(double) : (size_t)piece->common->tensor->value_bits / 8;

    if (!cairn_piece_sets(piece))
        memset(piece->own, 0, (size_t)own_values(piece) * size);
    return multiply(piece, piece->own);
}

/// Into Y, or its f64 twin.
static cairn_status multiply_in_place(cairn_piece *piece)
{
    cairn_operands *operands = piece->common->operands;
    const bool      wide     = cairn_member_kernel_is_wide(&piece->kernel);

    if (wide) cairn_operands_widen(operands);
    const cairn_status status = multiply(piece, cairn_operands_y(operands, wide));

    if (wide) cairn_operands_narrow(operands);
    return status;
}

static void compute(cairn_piece *piece)
{
    const double              begin = cairn_seconds();
    const cairn_launch_times *times = &piece->kernel.launch.times;

    piece->status  = piece->has_own ? multiply_apart(piece) : multiply_in_place(piece);
    piece->seconds = cairn_seconds() - begin;
    piece->modelled =
        cairn_piece_models(piece) ? times->in + times->compute + times->out : 0;
    piece->recent[piece->runs++ % CAIRN_PIECE_RECENT] =
        cairn_piece_models(piece) ? piece->modelled : piece->seconds;
}

cairn_status cairn_piece_compute(void *argument)
{
    cairn_piece *piece = argument;

    compute(piece);
    return cairn_piece_is_collected(piece) ? CAIRN_OK : piece->status;
}

/// Another device for the piece: the processor. What it does not compile is interpreted.
static cairn_status move_to_host(cairn_piece *piece)
{
    cairn_env          *env    = piece->common->comm->env;
    cairn_device       *host   = cairn_devices_host(piece->common->devices);
    cairn_member_kernel fresh  = {0};
    const cairn_status  status = host->ops.build(host, &piece->work, &fresh.launch);

    if (status != CAIRN_OK && status != CAIRN_NO_KERNEL) return status;
    cairn_member_kernel_release(env, &piece->kernel);
    piece->kernel = fresh;
    piece->device = host;
    return create_reference(piece);
}

/// Leave the device, and remember why.
static cairn_status retire(cairn_piece *piece, const char *why)
{
    snprintf(piece->retired, sizeof piece->retired, "%s", piece->device->info.id);
    snprintf(piece->why, sizeof piece->why, "%s", why);
    piece->device->lost = true;
    return move_to_host(piece);
}

/// Compute again what a device failed to.
static cairn_status recover(cairn_piece *piece)
{
    CAIRN_TRY(retire(piece, piece->kernel.launch.message));
    if (!piece->has_own && !cairn_piece_sets(piece))
        cairn_operands_clear(piece->common->operands);
    compute(piece);
    return piece->status;
}

cairn_status cairn_piece_leave_lost(cairn_piece *piece)
{
    return piece->device->lost
               ? retire(piece, "another part of the matrix failed there")
               : CAIRN_OK;
}

cairn_status cairn_piece_collect(void *argument)
{
    cairn_piece *piece = argument;

    if (piece->status != CAIRN_OK && !cairn_device_is_host(piece->device))
        CAIRN_TRY(recover(piece));
    if (piece->status == CAIRN_OK && piece->has_own)
        cairn_operands_add(piece->common->operands, piece->own,
                           cairn_member_kernel_is_wide(&piece->kernel));
    return piece->status;
}

int64_t cairn_piece_bytes(const cairn_piece *piece)
{
    const int64_t size = cairn_member_kernel_is_wide(&piece->kernel)
                             ? (int64_t)sizeof(double)
                             : piece->common->tensor->value_bits / 8;

    return cairn_work_group(&piece->work)->bytes
           + (piece->has_own ? 2 * own_values(piece) * size : 0);
}

int64_t cairn_piece_added_bytes(const cairn_piece *piece)
{
    const int64_t value = piece->common->tensor->value_bits / 8, f64 = sizeof(double);
    const int64_t part = cairn_member_kernel_is_wide(&piece->kernel) ? f64 : value;
    const int64_t sum  = piece->op.transposed ? f64 : value;

    return piece->has_own ? own_values(piece) * (part + 2 * sum) : 0;
}

bool cairn_piece_models(const cairn_piece *piece)
{
    return piece->device->info.clock == CAIRN_CLOCK_SIMULATED;
}

double cairn_piece_median(const cairn_piece *piece)
{
    const int n =
        piece->runs < CAIRN_PIECE_RECENT ? (int)piece->runs : CAIRN_PIECE_RECENT;
    double sorted[CAIRN_PIECE_RECENT];

    memcpy(sorted, piece->recent, (size_t)n * sizeof *sorted);
    return cairn_median(sorted, n);
}
