// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The registry: the devices that a context has opened. They are numbered in the order
/// of the user's list; rooms above know them by that number and by their id.

#ifndef CAIRN_DEVICES_REGISTRY_H
#define CAIRN_DEVICES_REGISTRY_H

#include "devices/config.h"
#include "devices/discover.h"

#define CAIRN_MAX_DEVICES 64 ///< On one rank.

typedef struct cairn_devices {
    cairn_machine *machine;
    int            listed; ///< Asked for; all are open once the registry is.
    int            count;
    cairn_device   device[CAIRN_MAX_DEVICES]; ///< The first `count` are open.

    cairn_device_config config[CAIRN_MAX_DEVICES]; ///< As listed.

    cairn_device spare; ///< The processor, where none of these is; else not open.
} cairn_devices;

/// The processor: the first device of its kind, or one that stands beside the list, for
/// what other devices leave or fail to do.
cairn_device *cairn_devices_host(cairn_devices *devices);

/// Is it a part of the processor, so that main memory is its memory?
bool cairn_device_is_host(const cairn_device *device);

/// Open the devices of a LIST: "all" (every kind, as many as there are), "" (of these the
/// kinds that need not be asked for, cairn_device_ops.presence), else `KIND`, `KIND:N` or
/// files (config_file.h) joined by commas. `cpu:2` makes two devices that split the
/// cores, each with one at least; a simulated kind that is named has one device unless
/// N says; files alone add to "".
///
/// Local.
///
/// @param[in]  where    The option's name, for messages: "--devices".
/// @param[out] devices  Closed with cairn_devices_close(). Unchanged on failure.
/// @retval CAIRN_BAD_OPTION   The list is malformed, names a kind twice, asks for none.
/// @retval CAIRN_UNSUPPORTED  A kind that this version lacks.
/// @retval CAIRN_NO_DEVICE    There are fewer than asked for.
/// @return Also what cairn_config_read() says of a file.
cairn_status cairn_devices_open(cairn_env      *env,
                                const char     *where,
                                const char     *list,
                                cairn_devices **devices);

/// Likewise for one of several processes, which share what the machine has.
cairn_status cairn_devices_open_in_turn(cairn_env         *env,
                                        const char        *where,
                                        const char        *list,
                                        cairn_machine_turn turn,
                                        cairn_devices    **devices);

void cairn_devices_close(cairn_env *env, cairn_devices **devices);

/// Get the loader of a device's kernels, opening it the first time.
///
/// Local.
///
/// @param[out] loader  The device's; valid until the devices are closed, before which all
///                     kernels are released. Unchanged on failure.
/// @retval CAIRN_NO_KERNEL  Its kind has no kernels, neither has its delegate.
cairn_status cairn_device_kernels(cairn_device               *device,
                                  const cairn_kernel_loader **loader);

/// Find number @p index among the open devices of @p kind.
///
/// @param[out] found  Its number in devices->device. Unchanged on failure.
/// @retval CAIRN_NO_DEVICE  There are fewer.
cairn_status cairn_devices_find(cairn_env           *env,
                                const cairn_devices *devices,
                                const char          *kind,
                                int                  index,
                                int                 *found);

#endif
