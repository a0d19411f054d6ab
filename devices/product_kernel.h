// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which kernel computes a member's product: what it is asked for follows from the
/// layout, the operation, and whether the member is the first one. Plans ask for it, and
/// `cairn emit` prints it.

#ifndef CAIRN_DEVICES_PRODUCT_KERNEL_H
#define CAIRN_DEVICES_PRODUCT_KERNEL_H

#include "devices/discover.h"
#include "lower/product/product_choice.h"

/// What numbers say of how a kernel may be made faster on a machine.
///
/// @param[in] entries  Stored on this rank.
/// @param[in] columns  Of X and Y.
/// @param[in] seen     cairn_product_look() at its first part.
cairn_product_hints cairn_product_hints_here(const cairn_machine *machine,
                                             const cairn_layout  *layout,
                                             const cairn_product *product,
                                             int64_t              entries,
                                             int64_t              columns,
                                             cairn_product_seen   seen);

/// Get a kernel from a loader, which has it or gets its source: lowered and printed.
///
/// Local.
///
/// @param[out] kernel  Released by the loader. Unchanged on failure.
cairn_status cairn_product_load(cairn_env                 *env,
                                const cairn_kernel_loader *loader,
                                const cairn_layout        *layout,
                                const cairn_product       *product,
                                cairn_kernel              *kernel);

/// Can a loader get a kernel without compiling anything? Local.
bool cairn_product_at_hand(cairn_env                 *env,
                           const cairn_kernel_loader *loader,
                           const cairn_layout        *layout,
                           const cairn_product       *product);

/// Have a loader get the kernels of several products side by side. Local. Cannot fail.
///
/// @param[in] layout, product  [products]
void cairn_products_ahead(cairn_env                 *env,
                          const cairn_kernel_loader *loader,
                          const cairn_layout *const *layout,
                          const cairn_product       *product,
                          int                        products);

#endif
