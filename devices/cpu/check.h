// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What could go wrong with kernels on the processor: its compiler, and their cache.

#ifndef CAIRN_DEVICES_CPU_CHECK_H
#define CAIRN_DEVICES_CPU_CHECK_H

#include "devices/device.h"

/// The slot `check` of the processor. Takes a tenth of a second or two: a small kernel is
/// compiled, loaded and run.
void cairn_cpu_check(const cairn_device *device,
                     int                 ranks,
                     cairn_diagnostics  *findings);

#endif
