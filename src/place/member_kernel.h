// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The product of one member, or of a share of it, on the device that it was given: asked
/// for when a plan is made, run by the device's queue. Where there is no code (the lowering
/// has none for the layout, there is no compiler, CAIRN_KERNELS says so), the member goes
/// the reference way, and the reason is kept.

#ifndef CAIRN_PLACE_MEMBER_KERNEL_H
#define CAIRN_PLACE_MEMBER_KERNEL_H

#include "comm/comm.h"
#include "devices/product.h"

typedef struct cairn_member_kernel {
    cairn_launch launch; ///< run NULL: the reference way.
    cairn_local
         *wide; ///< What it runs on where it cannot read narrow values; else NULL.
    char *why;  ///< Of the reference way, one line; NULL: it was asked for.
    cairn_status status; ///< Of building it here, until the ranks agree; `why` tells.
} cairn_member_kernel;

/// Build the kernel of a member, or find out why there is none.
///
/// Local.
///
/// @param[out] kernel  What came of it, for cairn_member_kernels_agree(). Released with
///                     cairn_member_kernel_release().
void cairn_member_kernel_build(cairn_device            *device,
                               const cairn_device_work *work,
                               cairn_member_kernel     *kernel);

/// Agree on what came of all shares of a member: it has kernels on every rank and for
/// every share or nowhere, so that its bits do not depend on where a row is. Of the reason
/// why there is none, the first keeps the text.
///
/// Collective; ranks may have different numbers of shares.
///
/// @param[in,out] kernel  [count] Those of this rank, at least one.
/// @retval CAIRN_NO_KERNEL  There is none, and CAIRN_KERNELS is "compiled".
/// @retval CAIRN_UNSUPPORTED, CAIRN_NO_MEMORY, CAIRN_NO_DEVICE  The device cannot.
cairn_status cairn_member_kernels_agree(cairn_comm                 *comm,
                                        cairn_member_kernel *const *kernel,
                                        int                         count);

void cairn_member_kernel_release(cairn_env *env, cairn_member_kernel *kernel);

/// Is it the reference way?
bool cairn_member_kernel_lacks(const cairn_member_kernel *kernel);

/// Does the product of a member meet each row of Y once, in all of its parts? Then its sum
/// of a row joins Y as one number, wherever it was made.
bool cairn_member_meets_once(const cairn_local           *tensor,
                             int                          member,
                             const cairn_product_options *op);

/// Does it meet each row of Y at least once?
bool cairn_member_meets_all(const cairn_local           *tensor,
                            int                          member,
                            const cairn_product_options *op);

#endif
