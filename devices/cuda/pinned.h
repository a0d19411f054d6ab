// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Memory of the host's that a card copies from and to by itself: pages that stay where they
/// are, of our own, so that nothing of a caller's is ever in a card's hands. Where they
/// cannot be kept so (a limit of the system's, CAIRN_CUDA_REGISTER), the driver copies by
/// way of memory of its own, and slower. A plan's own X may be pinned where it lies.

#ifndef CAIRN_DEVICES_CUDA_PINNED_H
#define CAIRN_DEVICES_CUDA_PINNED_H

#include "devices/cuda/device.h"

typedef struct cairn_cuda_pinned {
    char   *begin; ///< NULL: there is none.
    int64_t bytes; ///< Whole pages.
    bool    locked;
} cairn_cuda_pinned;

/// Get @p bytes, which count against the limit. The device is entered.
///
/// Local.
///
/// @param[out] memory  cairn_cuda_unpin(). Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  The host has less.
/// @retval CAIRN_NO_DEVICE  The device was lost.
cairn_status
cairn_cuda_pin(cairn_device *device, int64_t bytes, cairn_cuda_pinned *memory);

/// Give it back; that of a device that is gone, which may come back to it, stays till the
/// process ends.
void cairn_cuda_unpin(cairn_device *device, cairn_cuda_pinned *memory);

/// Copy memory of the host's by all threads of the device's tasks, where that is worth it.
void cairn_cuda_copy(const cairn_device *device,
                     void               *to,
                     const void         *from,
                     int64_t             bytes);

/// Memory of the library's own that is pinned where it lies, for all seats that have it: ways
/// to run one product have one X.
struct cairn_cuda_borrowed {
    cairn_cuda_borrowed *next;
    const char          *at;
    int64_t              bytes;
    int                  users;
};

/// Pin it, unless it is. The device is entered.
///
/// Local. Pairs with cairn_cuda_give_back().
///
/// @return CAIRN_CUDA_OK, or why it is not: the driver's reason, or that there is no memory to
///         note it.
cairn_cuda_result
cairn_cuda_borrow(cairn_device *device, const char *at, int64_t bytes);

/// The last user lets it go, for which the device is entered unless it was lost: then it
/// stays as it is.
void cairn_cuda_give_back(cairn_device *device, const char *at);

/// An array that comes back by way of a ring.
typedef struct cairn_cuda_coming {
    cairn_cuda_pointer from;
    int64_t            bytes;
    int64_t            asked, taken; ///< Pieces.
    cairn_cuda_event   last;         ///< Recorded behind the last; NULL: none is.
} cairn_cuda_coming;

/// Two pieces of such memory: one is filled, or emptied, while the other travels.
typedef struct cairn_cuda_ring {
    cairn_device      *device;
    cairn_cuda_pinned  half[2];
    cairn_cuda_event   event[2]; ///< Says that it is free again, or has come.
    int64_t            sent;     ///< Pieces.
    cairn_cuda_pointer to;       ///< Where what is gathered goes,
    int64_t            held;     ///< and how much of it there is.
    cairn_cuda_coming  coming;
    cairn_cuda_result  error; ///< The first.
} cairn_cuda_ring;

/// Prepare to bring arrays of @p bytes in all to the card, which is entered.
///
/// Local.
///
/// @param[out] ring  cairn_cuda_ring_close(), after a failure, too.
/// @retval CAIRN_NO_MEMORY, CAIRN_NO_DEVICE
cairn_status
cairn_cuda_ring_open(cairn_device *device, int64_t bytes, cairn_cuda_ring *ring);

/// Send an array; after a failure nothing.
void cairn_cuda_ring_send(cairn_cuda_ring   *ring,
                          cairn_cuda_pointer to,
                          const void        *from,
                          int64_t            bytes);

/// Send an array, perhaps together with those that are gathered after it and lie behind it on
/// the card, fewer bytes apart than arrays are aligned to, of which anything may be written:
/// banks have thousands of small arrays, and each copy takes a start. All has been sent when
/// the ring was closed. After a failure nothing is.
void cairn_cuda_ring_gather(cairn_cuda_ring   *ring,
                            cairn_cuda_pointer to,
                            const void        *from,
                            int64_t            bytes);

/// Enqueue the first pieces of an array's way back, as many as there are halves, behind all
/// that was sent; after a failure nothing.
///
/// @param[in] last  Recorded behind the array's last piece; NULL: none is.
void cairn_cuda_ring_ask(cairn_cuda_ring   *ring,
                         cairn_cuda_pointer from,
                         int64_t            bytes,
                         cairn_cuda_event   last);

/// Wait for the pieces that were asked for, one by one, copy each to where it belongs, and
/// ask for the next. Each half is free then.
///
/// @param[out] to  [bytes] NULL: it is not wanted any more, and nothing more is asked for.
void cairn_cuda_ring_take(cairn_cuda_ring *ring, char *to);

/// Wait until all has arrived, and tell the first failure. @p status: of opening.
cairn_status cairn_cuda_ring_close(cairn_cuda_ring *ring, cairn_status status);

#endif
