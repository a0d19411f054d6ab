// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// X and Y on a card, and in pinned memory on their way. An X may be several launches': all
/// those of one plan that read rows of the same X (devices/seat.h). On the card are the rows
/// from the least to the greatest that one of them reads (devices/x_window.h), so that X
/// may grow, and move, while launches are made. A long X or Y has no pinned memory of its
/// length: a plan's own is copied from and to where it lies, all others go by way of two
/// pieces.

#ifndef CAIRN_DEVICES_CUDA_OPERAND_H
#define CAIRN_DEVICES_CUDA_OPERAND_H

#include "devices/cuda/pinned.h"
#include "devices/product.h"

/// X or Y.
typedef struct cairn_cuda_operand {
    int64_t            bytes;
    int64_t            begin; ///< Byte of the host's at which the card's begins.
    cairn_cuda_pointer at;
    cairn_cuda_pinned  host; ///< On its way; none of one of several pieces.
} cairn_cuda_operand;

/// Is it one piece, so that its copy is the same in every run?
bool cairn_cuda_is_piece(const cairn_cuda_operand *operand);

/// An X, and whose.
struct cairn_cuda_x {
    cairn_cuda_x      *next;
    const void        *seat; ///< Of the works; NULL: one launch's.
    cairn_interval     box;  ///< The rows that the host has,
    cairn_interval     rows; ///< and those on the card; hi < lo: none.
    int64_t            row;  ///< Bytes of one.
    cairn_coord        from; ///< The row at the host's address.
    int                users;
    cairn_cuda_operand on;   ///< With memory of its own.
    cairn_cuda_ring    ring; ///< Rows on their way, if they are several pieces.
    const char
        *lent; ///< Those rows of the host's, which the card copies from where they
               ///< lie, while a seat that has them is open; NULL: none.
};

/// Get the X of a work: that of another launch of its seat, which then has the rows that
/// either reads, or a new one. The device is entered, and nothing is under way there.
///
/// Local.
///
/// @param[out] x  cairn_cuda_x_leave(). Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  The card or the host has too little.
/// @retval CAIRN_NO_DEVICE  The device was lost.
cairn_status
cairn_cuda_x_get(cairn_device *device, const cairn_device_work *work, cairn_cuda_x **x);

/// Leave it; NULL is accepted. The last user frees it, for which the device is entered
/// unless it was lost.
void cairn_cuda_x_leave(cairn_device *device, cairn_cuda_x **x);

#endif
