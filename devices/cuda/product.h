// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The inside of a launch: code, arrays that it may share, X and Y on the card and in pinned
/// memory of the host's, and what is started one after the other.

#ifndef CAIRN_DEVICES_CUDA_PRODUCT_H
#define CAIRN_DEVICES_CUDA_PRODUCT_H

#include "devices/cuda/arrays.h"
#include "devices/cuda/pinned.h"
#include "devices/cuda/program.h"
#include "lower/product.h"

/// One start of a function.
typedef struct cairn_cuda_step {
    cairn_cuda_entry function;
    unsigned         groups;
    void            *arguments; ///< The struct that it is given.
} cairn_cuda_step;

/// X or Y.
typedef struct cairn_cuda_operand {
    int64_t            bytes;
    int64_t            begin; ///< Byte of the host's at which the card's begins.
    cairn_cuda_pointer at;
    cairn_cuda_pinned  host; ///< On its way.
} cairn_cuda_operand;

enum { CAIRN_CUDA_PIECES = 16 }; ///< Of Y, at most, one copied on while others come.

/// When things are done.
typedef struct cairn_cuda_moments {
    cairn_cuda_event begin, up, computed;
    cairn_cuda_event down[CAIRN_CUDA_PIECES];
} cairn_cuda_moments;

typedef struct cairn_cuda_product {
    cairn_device         *device;
    cairn_device_work     work;
    cairn_cuda_program   *program;
    cairn_cuda_arrays    *arrays;
    cairn_cuda_pointer    memory; ///< Of the launch's own,
    int64_t               bytes;  ///< so much.
    cairn_cuda_operand    x, y;
    cairn_cuda_step      *step; ///< [steps]
    int64_t               steps;
    cairn_cuda_moments    moment;
    cairn_cuda_graph_exec graph;    ///< What a run starts; NULL: one after the other.
    cairn_cuda_result     no_graph; ///< Why; OK: memory is not pinned.
    bool                  keeps;    ///< Y comes to the card first,
    bool                  clears;   ///< or is 0 there first.
} cairn_cuda_product;

/// The product that a work is lowered as.
cairn_product cairn_cuda_product_of(const cairn_device_work *work);

/// Put all steps into the stream. @return The first failure.
cairn_cuda_result cairn_cuda_start(const cairn_cuda_product *p);

/// Record what a run starts as one graph. The device is entered, and everything has run
/// once. What the driver refuses to record is started one after the other.
///
/// @retval CAIRN_NO_DEVICE  The device was lost.
cairn_status cairn_cuda_record(cairn_cuda_product *p);

/// Run it; a slot of cairn_launch.
cairn_status cairn_cuda_run(cairn_launch *launch, const void *x, void *y);

#endif
