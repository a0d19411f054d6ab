// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows of a subproduct by themselves.

#include "plan/subproduct.h"

#include <assert.h>
#include <stdio.h>

cairn_row_pieces_of cairn_subproduct_pieces_of(const cairn_subproduct *subproduct)
{
    return (cairn_row_pieces_of){
        .tensor = subproduct->common->tensor,
        .member = subproduct->home.member,
        .device = subproduct->device,
        .work   = &subproduct->work,
        .halo   = subproduct->common->operands->halo,
        .x      = cairn_operands_x_rows(subproduct->common->operands)};
}

/// A device that copies what it needs has the window, and so has the reference way.
static bool may_be_cut(const cairn_subproduct *subproduct)
{
    return !cairn_operands_reads_owned_x(subproduct->common->operands)
           && cairn_device_is_host(subproduct->device)
           && !cairn_member_kernel_lacks(&subproduct->kernel)
           && !subproduct->kernel.wide && !cairn_subproduct_is_idle(subproduct);
}

int64_t cairn_subproduct_cut(cairn_subproduct *subproduct)
{
    int64_t bytes;

    cairn_row_pieces_fini(&subproduct->pieces);
    if (cairn_subproduct_is_idle(subproduct)) return 0;
    if (!may_be_cut(subproduct)) return -1;
    const cairn_row_pieces_of of = cairn_subproduct_pieces_of(subproduct);

    if (cairn_row_pieces_cut(subproduct->common->comm->env, &of, &subproduct->pieces,
                             &bytes)
        != CAIRN_OK)
        return -1; /* whatever it was, there is the way without */
    return subproduct->pieces.count > 0 ? bytes : -1;
}

cairn_status cairn_subproduct_build_pieces(cairn_subproduct *subproduct, bool compact)
{
    if (subproduct->pieces.count == 0) return CAIRN_OK;
    const cairn_row_pieces_of of = cairn_subproduct_pieces_of(subproduct);

    return cairn_row_pieces_build(&of, compact, &subproduct->pieces);
}

bool cairn_subproduct_reads_parted(const cairn_subproduct *subproduct)
{
    return subproduct->pieces.count > 0 || cairn_subproduct_is_idle(subproduct);
}

cairn_status cairn_subproduct_cut_again(cairn_subproduct *subproduct)
{
    const bool compact = !cairn_operands_has_window(subproduct->common->operands);

    cairn_subproduct_cut(subproduct);
    if (cairn_subproduct_build_pieces(subproduct, compact) == CAIRN_OK
        && (subproduct->pieces.count > 0 || !compact))
        return CAIRN_OK;
    return cairn_operands_add_window(subproduct->common->operands);
}

void cairn_subproduct_fill_window(const cairn_subproduct *subproduct)
{
    const cairn_operands *o = subproduct->common->operands;

    assert(cairn_operands_is_parted(o));
    for (int k = 0; k < subproduct->pieces.count; k++)
        cairn_operands_fill_window(o, subproduct->pieces.piece[k].needed,
                                   subproduct->pieces.piece[k].stretches);
}

/// X as a piece reads it; rows with a buffer are copied there first.
static const void *x_of(const cairn_operands *o, const cairn_row_piece *piece)
{
    if (piece->owned) return cairn_operands_owned_x(o);
    if (!piece->compact.value) return cairn_operands_x(o);
    cairn_compact_x_gather(&piece->compact, cairn_operands_x_rows(o).row_bytes,
                           o->now.x, cairn_halo_fetched(o->halo));
    return piece->compact.value;
}

/// @p y begins with the subproduct's rows.
static cairn_status
multiply_piece(cairn_subproduct *subproduct, cairn_row_piece *piece, void *y)
{
    const cairn_operands *o   = subproduct->common->operands;
    cairn_launch         *all = &subproduct->kernel.launch;
    const int64_t rows   = piece->share.rows.lo - subproduct->work.tensor->box[0].lo;
    const size_t  before = (size_t)(rows * o->op.columns);

    assert(piece->launch.rounds == all->rounds && piece->launch.sets == all->sets);
    if (all->rounds) piece->launch.sums = all->sums + before;
    const cairn_status status =
        piece->launch.run(&piece->launch, x_of(o, piece),
                          (char *)y + before * cairn_subproduct_sum_size(subproduct));

    if (status != CAIRN_OK)
        snprintf(all->message, sizeof all->message, "%s", piece->launch.message);
    all->crowded |= piece->launch.crowded;
    return status;
}

/// Where the first failed, the others do nothing.
static cairn_status compute_piece(const cairn_subproduct_step *step)
{
    cairn_subproduct *subproduct = step->subproduct;
    cairn_row_pieces *pieces     = &subproduct->pieces;
    const double      begin      = cairn_seconds();

    if (step->small && !cairn_operands_is_parted(subproduct->common->operands))
        return step->ends ? cairn_subproduct_compute(subproduct) : CAIRN_OK;
    if (step->begins) {
        pieces->seconds                   = 0;
        subproduct->runs.status           = CAIRN_OK;
        subproduct->kernel.launch.crowded = false;
    }
    if (subproduct->runs.status == CAIRN_OK) {
        void *const y = cairn_subproduct_begin_sums(subproduct, step->begins);

        subproduct->runs.status =
            multiply_piece(subproduct, &pieces->piece[step->piece], y);
    }
    pieces->seconds += cairn_seconds() - begin;
    if (step->ends)
        cairn_subproduct_ran(subproduct, subproduct->runs.status, pieces->seconds);
    return cairn_subproduct_is_collected(subproduct) ? CAIRN_OK
                                                     : subproduct->runs.status;
}

cairn_status cairn_subproduct_step_run(void *argument)
{
    const cairn_subproduct_step *step = argument;

    return step->piece == CAIRN_ALL_PIECES ? cairn_subproduct_compute(step->subproduct)
                                           : compute_piece(step);
}

cairn_interval cairn_subproduct_step_rows(const cairn_subproduct_step *step)
{
    return step->piece == CAIRN_ALL_PIECES
               ? step->subproduct->home.rows
               : step->subproduct->pieces.piece[step->piece].share.rows;
}

int64_t cairn_subproduct_step_bytes(const cairn_subproduct_step *step)
{
    const cairn_interval all   = step->subproduct->home.rows;
    const cairn_interval rows  = cairn_subproduct_step_rows(step);
    const double         share = (double)(rows.hi - rows.lo + 1)
                         / (double)(all.hi > all.lo ? all.hi - all.lo + 1 : 1);

    return (int64_t)(share * (double)cairn_subproduct_bytes(step->subproduct));
}

void cairn_subproduct_step_name(cairn_subproduct_step *step)
{
    const cairn_subproduct *subproduct = step->subproduct;

    if (step->piece == CAIRN_ALL_PIECES)
        snprintf(step->label, sizeof step->label, "%s", subproduct->label.compute);
    else
        snprintf(step->label, sizeof step->label, "%s, %s", subproduct->label.compute,
                 subproduct->pieces.piece[step->piece].owned ? "interior" : "boundary");
}
