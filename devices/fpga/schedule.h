// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The schedule that a stored member holds: levels (windows of columns,) cycles, engines,
/// and below them what says which entry an engine has in a cycle, if any. It is read from
/// the arrays and checked there; nothing is scheduled anew.

#ifndef CAIRN_DEVICES_FPGA_SCHEDULE_H
#define CAIRN_DEVICES_FPGA_SCHEDULE_H

#include "devices/fpga/model.h"
#include "devices/product.h"

/// Why a product cannot run on the card.
#define CAIRN_FPGA_WHY 200

/// Can the card do it, as far as levels and sizes tell?
///
/// @param[out] why  [CAIRN_FPGA_WHY] the reason, where it cannot; may be NULL.
bool cairn_fpga_can(const cairn_fpga_parameters *p,
                    const cairn_device_work     *work,
                    char                        *why);

/// Read the lengths of a schedule that cairn_fpga_can() accepts.
///
/// Local.
///
/// @param[out] matrix  `length` is freed with cairn_free(). Unchanged on failure.
cairn_status cairn_fpga_read(cairn_env               *env,
                             const cairn_device_work *work,
                             cairn_fpga_matrix       *matrix);

/// Check that the card computes what is stored: every entry is in the window of its
/// column and with the engine of its pair of rows, and the entries of a pair of rows are,
/// in a window, at least `distance` cycles apart.
///
/// Local.
///
/// @retval CAIRN_UNSUPPORTED  An entry that is not, which is named.
///
/// Cost: one reference walk (tensor/walk.h), 8 bytes for every pair of rows.
cairn_status cairn_fpga_check(cairn_env                   *env,
                              const cairn_fpga_parameters *p,
                              const char                  *device,
                              const cairn_device_work     *work);

#endif
