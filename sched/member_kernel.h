// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The kernel of one member's product: asked for when a plan is made, called on every
/// part when it runs. Where there is none (the lowering has no code for the layout, there
/// is no compiler, CAIRN_KERNELS says so), the member goes the reference way, and the
/// reason is kept.

#ifndef CAIRN_SCHED_MEMBER_KERNEL_H
#define CAIRN_SCHED_MEMBER_KERNEL_H

#include "comm/comm.h"
#include "devices/registry.h"
#include "lower/abi.h"
#include "tensor/local.h"

#include <cairn/expr.h>

/// A member, and what is to be computed.
typedef struct cairn_member {
    cairn_comm                  *comm;
    cairn_device                *device;
    const cairn_local           *tensor;
    int                          member;
    const cairn_product_options *op;
} cairn_member;

typedef struct cairn_member_kernel {
    cairn_kernel               kernel; ///< run NULL: the reference way.
    const cairn_kernel_loader *loader; ///< That gave it.
    bool                       sets;   ///< It sets every row of Y; else it adds to Y.
    bool                       wide;   ///< It wants Y in f64 whatever the element type.
    int64_t                    threads;
    int64_t *shares; ///< [parts] threads that have work in a part of the member,
    int64_t *share;  ///< [parts][threads + 1] and where it begins.
    char    *why; ///< Reason for the reference way, one line; NULL: it was asked for.
} cairn_member_kernel;

/// Get the kernel of a member, or the reason why there is none.
///
/// Collective: a member has a kernel on every rank or on none, so that its bits do not
/// depend on the rank that a row is on.
///
/// @param[out] kernel  Released with cairn_member_kernel_release(). Unchanged on failure.
/// @retval CAIRN_NO_KERNEL  There is none, and CAIRN_KERNELS is "compiled".
cairn_status cairn_member_kernel_get(const cairn_member  *member,
                                     cairn_member_kernel *kernel);

void cairn_member_kernel_release(cairn_env *env, cairn_member_kernel *kernel);

/// Is it the reference way?
bool cairn_member_kernel_lacks(const cairn_member_kernel *kernel);

/// Does the member want Y in f64? The reference way does, too.
bool cairn_member_kernel_is_wide(const cairn_member_kernel *kernel);

/// Multiply all parts of the member. Allocates nothing.
///
/// Local.
///
/// @param[in]     x, y  As cairn_operands_x() and _y() give them.
cairn_status cairn_member_kernel_run(const cairn_member_kernel *kernel,
                                     const cairn_member        *member,
                                     const void                *x,
                                     void                      *y);

#endif
