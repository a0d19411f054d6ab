// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the machine has, as far as this version can use it.

#ifndef CAIRN_DEVICE_H
#define CAIRN_DEVICE_H

#include <cairn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One device of one rank.
typedef struct cairn_device_info {
    int     rank;
    char    id[32];    ///< "cpu:0", as --place writes it.
    char    kind[16];  ///< "cpu".
    char    name[128]; ///< The processor's name.
    char    clock[16]; ///< "measured" or "simulated".
    int64_t memory_bytes;
    int     cores;
    double  bandwidth; ///< Bytes per second, measured; 0: not measured.
} cairn_device_info;

/// List the devices of all ranks, by rank.
///
/// Collective. @p devices is freed with cairn_devices_free().
CAIRN_API cairn_status cairn_devices_list(cairn_context      *context,
                                          int                *count,
                                          cairn_device_info **devices);
CAIRN_API void cairn_devices_free(cairn_context *context, cairn_device_info **devices);

/// The kinds of devices that this build has ("cpu"); NULL past the last.
CAIRN_API const char *cairn_device_kind_name(int k);

/// The cores that this rank may run on, and those that its node has for each of its
/// ranks: where the first is 1 and the second more, a launcher or a shell has bound the
/// rank to one core.
///
/// Local.
CAIRN_API cairn_status cairn_devices_cores(cairn_context *context,
                                           int           *bound,
                                           int           *share);

/// The machine of this rank as a tree, one line an object, ready to print.
/// @param[out] text  Freed with cairn_text_free() (<cairn/format.h>).
CAIRN_API cairn_status cairn_devices_tree(cairn_context *context, char **text);

/// Is @p place (as --place takes it) satisfied by this version and machine, for a format
/// of @p members members? And @p devices (as --devices)? Either may be NULL.
///
/// Local. With @p devices these are the context's devices from then on; no plan may be
/// alive.
///
/// @retval CAIRN_BAD_OPTION, CAIRN_UNSUPPORTED, CAIRN_NO_DEVICE  with the cause.
CAIRN_API cairn_status cairn_devices_check(cairn_context *context,
                                           const char    *place,
                                           const char    *devices,
                                           int            members);

#ifdef __cplusplus
}
#endif

#endif
