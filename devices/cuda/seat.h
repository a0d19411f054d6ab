// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Launches that run together, or one alone: what a run starts, and what became of it.

#ifndef CAIRN_DEVICES_CUDA_SEAT_H
#define CAIRN_DEVICES_CUDA_SEAT_H

#include "devices/cuda/device.h"
#include "devices/seat.h"

typedef struct cairn_cuda_product cairn_cuda_product; // devices/cuda/product.h

typedef struct cairn_cuda_seat {
    cairn_device         *device;
    cairn_cuda_product  **product; ///< [products] In the order in which they run.
    int                   products;
    cairn_cuda_event      done;     ///< What is the same in every run is.
    cairn_cuda_graph_exec graph;    ///< Of that; NULL: started one after the other.
    cairn_cuda_result     no_graph; ///< Why; OK: memory is not pinned.
    bool                  recorded; ///< Nothing is started: it becomes a graph.
    bool                  came;     ///< `done` was waited for.
    cairn_cuda_result     error;    ///< The first of the run at hand,
    const char           *where;    ///< and what met it.
} cairn_cuda_seat;

/// Make the event, and record what a run starts as one graph if @p graph is set. The device
/// is entered, and everything has run once. What the driver refuses to record is started
/// one after the other.
///
/// @param[in,out] seat  With its products; cairn_cuda_seat_close(), also after a failure.
/// @retval CAIRN_NO_MEMORY, CAIRN_NO_DEVICE
cairn_status cairn_cuda_seat_open(cairn_cuda_seat *seat, bool graph);

/// The device is entered, or lost.
void cairn_cuda_seat_close(cairn_cuda_seat *seat);

/// As the functions of cairn_seat.
void cairn_cuda_seat_start(cairn_cuda_seat *seat, const void *const *x);
void cairn_cuda_seat_finish(cairn_cuda_seat    *seat,
                            int                 k,
                            void               *y,
                            cairn_launch_times *times);

/// What became of the run at hand, and why it failed.
cairn_status cairn_cuda_seat_status(const cairn_cuda_seat *seat, char message[256]);

#endif
