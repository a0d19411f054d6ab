// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays of a member on a card: brought there once, however many launches read them, with
/// new values once for every change of the tensor's; freed with the last launch.

#ifndef CAIRN_DEVICES_CUDA_ARRAYS_H
#define CAIRN_DEVICES_CUDA_ARRAYS_H

#include "devices/cuda/device.h"
#include "devices/product.h"

struct cairn_cuda_arrays {
    cairn_cuda_arrays *next;
    const cairn_local *tensor; ///< Whose member they are of; outlives every launch.
    int                member;
    int64_t            updates, restored; ///< Of the tensor and the member, as they are
                                          ///< on the card.
    int                users;
    cairn_cuda_pointer base;
    int64_t            bytes;
    int64_t           *first;  ///< [parts + 1] arrays before each part's,
    int64_t           *offset; ///< [arrays] bytes from `base` to each.
};

/// Get the arrays of a work's member: those that are on the card, with the values that they
/// have by now, or new ones. The device is entered.
///
/// Local.
///
/// @param[out] arrays  cairn_cuda_arrays_leave(). Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  The card has too little.
/// @retval CAIRN_NO_DEVICE  The device was lost.
cairn_status cairn_cuda_arrays_get(cairn_device            *device,
                                   const cairn_device_work *work,
                                   cairn_cuda_arrays      **arrays);

/// Bring the values again if the tensor's have changed. The device is entered.
cairn_status cairn_cuda_arrays_renew(cairn_device *device, cairn_cuda_arrays *arrays);

/// Leave them; NULL is accepted. The last user frees them, for which the device is
/// entered unless it was lost.
void cairn_cuda_arrays_leave(cairn_device *device, cairn_cuda_arrays **arrays);

/// Where array @p k of part @p part is (cairn_part_arrays()); parts are counted from the
/// member's first.
static inline cairn_cuda_pointer
cairn_cuda_array(const cairn_cuda_arrays *arrays, int64_t part, int k)
{
    return arrays->base + (cairn_cuda_pointer)arrays->offset[arrays->first[part] + k];
}

#endif
