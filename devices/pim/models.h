// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The models of processing in memory that users may choose: their numbers, by name.

#ifndef CAIRN_DEVICES_PIM_MODELS_H
#define CAIRN_DEVICES_PIM_MODELS_H

#include "devices/config.h"
#include "devices/pim/model.h"

/// "upmem" and "bank-cores", ended by a name NULL.
extern const cairn_device_model cairn_pim_models[];

/// The numbers of a configuration of one of them.
cairn_pim_parameters cairn_pim_parameters_of(const cairn_device_config *config);

#endif
