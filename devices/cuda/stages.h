// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A product in stages, for X and Y that lie in a plan: while rows are computed, what of X
/// the next need is on its way to the card, and Y of those before on its way back, so that
/// a bus that goes both ways at once does. Stages are rows in ascending order, which read X
/// up to a row that rises with them: bands, stencils, meshes with a good numbering. A
/// matrix whose first rows read all of X has none.

#ifndef CAIRN_DEVICES_CUDA_STAGES_H
#define CAIRN_DEVICES_CUDA_STAGES_H

#include "devices/cuda/seat.h"
#include "devices/grid_tiles.h"
#include "lower/grid/grid.h"

enum { CAIRN_CUDA_STAGES = 8 }; ///< At most.

typedef struct cairn_cuda_stage {
    int64_t          turn;       ///< Where the kernel's turns end,
    int64_t          y;          ///< and rows of Y that are made then, in bytes.
    cairn_coord      x;          ///< The last row of X that was read by then.
    cairn_cuda_event begin, end; ///< Of its kernel.
} cairn_cuda_stage;

typedef struct cairn_cuda_stages {
    int              count; ///< 0: it has none.
    cairn_cuda_stage stage[CAIRN_CUDA_STAGES];
} cairn_cuda_stages;

/// Find the stages of a product of one part and one kernel, which sets a Y of @p y_row bytes
/// a row, by a walk over what is stored, by all threads.
///
/// Local. @retval CAIRN_NO_MEMORY
cairn_status cairn_cuda_stages_find(cairn_device            *device,
                                    const cairn_device_work *work,
                                    const cairn_grid        *grid,
                                    const cairn_grid_tiles  *tiles,
                                    int64_t                  y_row,
                                    cairn_cuda_stages       *stages);

/// Events for them, on a card that is entered; and away with them.
cairn_status cairn_cuda_stages_open(cairn_device *device, cairn_cuda_stages *stages);
void         cairn_cuda_stages_close(cairn_device *device, cairn_cuda_stages *stages);

/// Enqueue a run of a seat's only product in stages, X and Y where they were lent.
void cairn_cuda_seat_staged(cairn_cuda_seat *seat, int which);

/// What such a run took: `out` is what is left of Y's way when all else is done.
void cairn_cuda_staged_times(const cairn_cuda_seat *seat, cairn_launch_times *times);

#endif
