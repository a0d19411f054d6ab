// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The product of one member, or of a share of it, on the device that it was given: asked
/// for when a plan is made, run by the device's queue. Where there is no code (the lowering has none for the
/// layout, there is no compiler, CAIRN_KERNELS says so), the member goes the reference
/// way, and the reason is kept.

#ifndef CAIRN_SCHED_MEMBER_KERNEL_H
#define CAIRN_SCHED_MEMBER_KERNEL_H

#include "comm/comm.h"
#include "devices/product.h"

typedef struct cairn_member_kernel {
    cairn_launch launch; ///< run NULL: the reference way.
    char        *why;    ///< Of the reference way, one line; NULL: it was asked for.
} cairn_member_kernel;

/// Who wants a kernel: one device, for its share of a member.
typedef struct cairn_member_request {
    cairn_device            *device; ///< Of this rank.
    const cairn_device_work *work;
    cairn_member_kernel     *kernel; ///< [out] cairn_member_kernel_release().
} cairn_member_request;

/// Get the kernels of all shares of a member on this rank, or the reason why there is
/// none, which the first of them keeps.
///
/// Collective: a member has kernels on every rank and for every share or nowhere, so that
/// its bits do not depend on where a row is.
///
/// @param[in]     count    At least 1; ranks may have different numbers of shares.
/// @param[in,out] request  [count] Kernels unchanged on failure.
/// @retval CAIRN_NO_KERNEL  There is none, and CAIRN_KERNELS is "compiled".
/// @retval CAIRN_UNSUPPORTED, CAIRN_NO_MEMORY, CAIRN_NO_DEVICE  The device cannot.
cairn_status cairn_member_kernels_get(cairn_comm                 *comm,
                                      int                         count,
                                      const cairn_member_request *request);

void cairn_member_kernel_release(cairn_env *env, cairn_member_kernel *kernel);

/// Is it the reference way?
bool cairn_member_kernel_lacks(const cairn_member_kernel *kernel);

/// Does the member want Y in f64? The reference way does, too.
bool cairn_member_kernel_is_wide(const cairn_member_kernel *kernel);

#endif
