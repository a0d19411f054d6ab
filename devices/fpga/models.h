// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The models of FPGA cards that users may choose: their numbers, by name.

#ifndef CAIRN_DEVICES_FPGA_MODELS_H
#define CAIRN_DEVICES_FPGA_MODELS_H

#include "devices/config.h"
#include "devices/fpga/model.h"

/// "serpens-a16" and "serpens-a24", ended by a name NULL.
extern const cairn_device_model cairn_fpga_models[];

/// The numbers of a configuration of one of them.
cairn_fpga_parameters cairn_fpga_parameters_of(const cairn_device_config *config);

#endif
