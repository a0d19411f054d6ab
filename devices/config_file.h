// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files that describe devices, for --devices and CAIRN_DEVICES: JSON, one object a
/// device, or several in a list:
///
///     {"devices": [{"kind": "pim", "model": "upmem", "count": 2, "banks": 2048},
///                  {"kind": "fpga", "name": "a small card", "channels": 8}]}
///
/// `kind` is a kind of this build; `model` one of its models, the first unless given;
/// `count` how many alike, 1 unless given; `name` what reports call it; `note` is for
/// people; `command`, where the kind runs a program, is the list of its words, which no
/// shell reads: ["./simulator", "--fast"]. Every other field is a number of the model
/// (config.h).

#ifndef CAIRN_DEVICES_CONFIG_FILE_H
#define CAIRN_DEVICES_CONFIG_FILE_H

#include "devices/config.h"

/// One device that a file describes.
typedef struct cairn_described_device {
    const cairn_device_ops *kind;
    cairn_device_config     config; ///< model NULL: the kind has none.
} cairn_described_device;

/// Is this item of a list a file: does it have a slash, or end with ".json"?
bool cairn_config_is_file(const char *item);

/// Read a file. A message names file, line and column.
///
/// Local.
///
/// @param[in]  kinds    That may stand there, ended by NULL.
/// @param[in]  most     Devices at most.
/// @param[out] devices  [count] `count` fields spread out; freed with cairn_free().
///                      Unchanged on failure.
/// @retval CAIRN_IO          It cannot be read.
/// @retval CAIRN_BAD_FILE    It is no JSON.
/// @retval CAIRN_BAD_OPTION  A kind, model or field that there is not, a value of the
///                           wrong type or outside its range, too many devices.
/// @retval CAIRN_UNSUPPORTED A kind that this version lacks.
cairn_status cairn_config_read(cairn_env                     *env,
                               const char                    *path,
                               const cairn_device_ops *const *kinds,
                               int                            most,
                               int                           *count,
                               cairn_described_device       **devices);

#endif
