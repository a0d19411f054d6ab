// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays of a member on a card: brought there once, however many launches read them, with
/// new values once for every change of the tensor's; freed with the last launch. Arrays
/// that a conversion made there stay until their tensor is destroyed: at most a quarter of
/// the card's memory, counted when they are made, and only while no other arrays want it.
/// If the tensor's values have been stored in another type since, the values alone are
/// copied to the card, and indices stay in place.

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
    int              users;
    cairn_device    *device;
    cairn_local     *kept; ///< They stay as long as this tensor, NULL: as their users,
    cairn_local_copy copy; ///< in whose list this is.
    cairn_cuda_pointer base;
    int64_t            bytes;
    int64_t           *first;  ///< [parts + 1] arrays before each part's,
    int64_t           *offset; ///< [arrays] bytes from `base` to each,
    int64_t           *length; ///< [arrays] and of each, as they are on the card.
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

/// Those that are on the card, of the tensor or of the one that it borrows its arrays of;
/// NULL: none are. They may have old values, also in a type that these had before.
cairn_cuda_arrays *cairn_cuda_arrays_find(const cairn_device *device,
                                          const cairn_local  *tensor,
                                          int                 member);

/// Is array @p k of a member's only part among those that were found for it, and need not
/// be brought again?
bool cairn_cuda_arrays_have(const cairn_cuda_arrays *arrays,
                            const cairn_part        *part,
                            int                      k);

/// Has that part the values of the tensor for which they were made? It may have stored them
/// in another type.
bool cairn_cuda_arrays_have_values(const cairn_cuda_arrays *arrays,
                                   const cairn_part        *part);

/// Take over a block with all arrays of a member, as new ones lie, with the values that the
/// tensor has: they stay, those that stayed before giving way. The device is entered.
///
/// @return false: they do not; the block is the caller's still.
bool cairn_cuda_arrays_keep(cairn_device      *device,
                            cairn_local       *tensor,
                            int                member,
                            cairn_cuda_pointer block,
                            int64_t            bytes);

/// Free those that stayed and that nobody uses, on a card that is entered and has nothing to
/// do, or that was lost. @return bytes.
int64_t cairn_cuda_arrays_drop(cairn_device *device);

/// Bring the values again if the tensor's have changed. The device is entered.
cairn_status cairn_cuda_arrays_renew(cairn_device *device, cairn_cuda_arrays *arrays);

/// Become a user of those that were found. Where their values are read, too, these are
/// renewed: values of another type than they had, and their dictionary, take the place of
/// the old ones, or all arrays move to a larger block. The device is entered.
///
/// Local. Pairs with cairn_cuda_arrays_leave().
///
/// @param[in] values  They are read.
/// @retval CAIRN_NO_MEMORY  The card has too little; what was found is no more.
/// @retval CAIRN_NO_DEVICE  The device was lost.
cairn_status
cairn_cuda_arrays_use(cairn_device *device, cairn_cuda_arrays *arrays, bool values);

/// Leave them; NULL is accepted. The last user frees them, unless they stay, for which the
/// device is entered unless it was lost.
void cairn_cuda_arrays_leave(cairn_device *device, cairn_cuda_arrays **arrays);

/// Where array @p k of part @p part is (cairn_part_arrays()); parts are counted from the
/// member's first.
static inline cairn_cuda_pointer
cairn_cuda_array(const cairn_cuda_arrays *arrays, int64_t part, int k)
{
    return arrays->base + (cairn_cuda_pointer)arrays->offset[arrays->first[part] + k];
}

#endif
