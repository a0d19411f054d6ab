// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The template device, and the products that it makes.

#ifndef CAIRN_DEVICES_TEMPLATE_PRODUCT_H
#define CAIRN_DEVICES_TEMPLATE_PRODUCT_H

#include "devices/product.h"

#include <stdatomic.h>

/// What one open device keeps. Decide who touches what: `open`, `build` and `release` are
/// called by the thread that uses the environment, `run` by the queue's.
typedef struct cairn_template_device {
    int64_t memory, used; ///< Bytes: there are, in use. The environment's thread.
    double  rate;         ///< Copies, bytes per second; 0: not measured.
    int64_t fail_run;     ///< 0: none.
    _Atomic int64_t runs; ///< So far. The queue's.
} cairn_template_device;

static inline cairn_template_device *cairn_template_of(const cairn_device *device)
{
    return device->state;
}

/// Is a member stored as rows of columns: d0 complete, below it the d1 of its entries?
bool cairn_template_reads(const cairn_device_work *work);

/// Bytes of the device's memory that a product takes: arrays, X and Y.
int64_t cairn_template_bytes(const cairn_device_work *work);

/// Slot `build` (device.h).
cairn_status cairn_template_build(cairn_device            *device,
                                  const cairn_device_work *work,
                                  cairn_launch            *launch);

#endif
