// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The inside of a launch: code, arrays and an X that it may share, Y on the card and in
/// pinned memory of the host's, and what is started one after the other.

#ifndef CAIRN_DEVICES_CUDA_PRODUCT_H
#define CAIRN_DEVICES_CUDA_PRODUCT_H

#include "devices/cuda/arrays.h"
#include "devices/cuda/operand.h"
#include "devices/cuda/program.h"
#include "devices/cuda/seat.h"
#include "devices/cuda/stages.h"
#include "lower/product/product.h"

/// One start of a function.
typedef struct cairn_cuda_step {
    cairn_cuda_entry function;
    unsigned         groups;
    bool             beside;     ///< The next one may be done at the same time.
    void            *arguments;  ///< The struct that it is given, with the addresses
    int              x_at, y_at; ///< of X and Y at these bytes; below 0: without.
} cairn_cuda_step;

enum { CAIRN_CUDA_TURNS = 16 }; ///< Products of a chain, at most, that are under way.

/// When things are done.
typedef struct cairn_cuda_moments {
    cairn_cuda_event begin, up; ///< Of its X, if it is the one that brings it.
    cairn_cuda_event ready, computed;
    cairn_cuda_event down; ///< All of its Y has come, to pinned memory at least.
    cairn_cuda_event turn[CAIRN_CUDA_TURNS];
} cairn_cuda_moments;

struct cairn_cuda_product {
    cairn_device       *device;
    cairn_device_work   work;
    cairn_cuda_program *program;
    cairn_cuda_arrays  *arrays;
    cairn_cuda_x       *x;
    cairn_cuda_operand  y;     ///< The begin of the launch's own memory,
    int64_t             bytes; ///< so much.
    cairn_cuda_ring     ring;  ///< Y on its way, if it is several pieces.
    cairn_cuda_step    *step;  ///< [steps], and behind them those of stages.
    int64_t             steps;
    cairn_cuda_stages   stages;
    cairn_cuda_moments  moment;
    bool                keeps;  ///< Y comes to the card first,
    bool                clears; ///< or is 0 there first.
    cairn_cuda_product *self;   ///< The only one
    cairn_cuda_seat     alone;  ///< of its own seat.
};

/// The product that a work is lowered as.
cairn_product cairn_cuda_product_of(const cairn_device_work *work);

/// Add to what people would like to know of a launch; said once, however often its seats are
/// made.
void cairn_cuda_remark(cairn_launch *launch, const char *what, const char *why);

/// Where X and Y are on the card.
typedef struct cairn_cuda_vectors {
    cairn_cuda_pointer x; ///< As cairn_launch.run() gets it.
    cairn_cuda_pointer y;
} cairn_cuda_vectors;

/// Those that the product has by now.
cairn_cuda_vectors cairn_cuda_vectors_of(const cairn_cuda_product *p);

/// Say to all steps where X and Y are.
void cairn_cuda_point(const cairn_cuda_product *p, cairn_cuda_vectors at);

/// Put one step into a stream.
cairn_cuda_result cairn_cuda_start_step(cairn_cuda_device     *d,
                                        const cairn_cuda_step *step,
                                        cairn_cuda_stream      stream);

/// Put all steps into the streams, the second of which the first waits for. @return The
/// first failure.
cairn_cuda_result cairn_cuda_start(const cairn_cuda_product *p, cairn_cuda_vectors at);

/// Run it; a slot of cairn_launch.
cairn_status cairn_cuda_run(cairn_launch *launch, const void *x, void *y);

#endif
