// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The kinds of devices that this build has (device_list.def), and how users name
/// them: `cpu`, or `cpu:0` for one of several.

#ifndef CAIRN_DEVICES_KINDS_H
#define CAIRN_DEVICES_KINDS_H

#include "devices/device.h"

/// The kind that is always there, can do everything, and shares main memory with its
/// callers. Its devices are parts of the processor.
#define CAIRN_HOST_KIND "cpu"

#define CAIRN_NO_NUMBER_GIVEN (-1) ///< A kind without a number.

/// `KIND` or `KIND:NUMBER`, as users write it.
typedef struct cairn_device_name {
    char kind[16]; ///< "": the user left it open.
    int  number;   ///< 0 or more, or CAIRN_NO_NUMBER_GIVEN.
} cairn_device_name;

/// Return the table of a kind, or NULL when this build has none of that name.
const cairn_device_ops *cairn_device_kind(const char *kind);

/// Return the k-th kind of the list, NULL past its end.
const cairn_device_ops *cairn_device_kind_at(int k);

/// The tables of all kinds, ended by NULL.
const cairn_device_ops *const *cairn_device_kinds(void);

/// Fail because there is no kind @p word, as cairn_device_kind_check() does.
cairn_status
cairn_device_kind_unknown(cairn_env *env, const char *where, const char *word);

/// Fail unless this build has the kind @p word, which @p where ("--place") names.
///
/// @retval CAIRN_UNSUPPORTED  A kind that Cairn knows, but this version lacks.
/// @retval CAIRN_BAD_OPTION   No kind; the nearest is named.
cairn_status
cairn_device_kind_check(cairn_env *env, const char *where, const char *word);

/// Read one name of @p length bytes; its kind must be one of this build's.
///
/// @param[in]  where  The option's name, for messages.
/// @param[out] name   Unchanged on failure.
/// @retval CAIRN_BAD_OPTION   Malformed, or an unknown kind.
/// @retval CAIRN_UNSUPPORTED  A kind that this version lacks.
cairn_status cairn_device_name_parse(cairn_env         *env,
                                     const char        *where,
                                     const char        *text,
                                     size_t             length,
                                     cairn_device_name *name);

/// The kind that serves what a device's own leaves out, and to which a simulated device
/// gives the arithmetic: its `build` may be called with @p device. NULL: none.
const cairn_device_ops *cairn_device_delegate(const cairn_device *device);

/// Slot `count` of kinds that are there when they are asked for by name: 0.
int cairn_device_none(const cairn_machine *machine);

/// Fill the slots that @p ops leaves NULL, and that may be delegated, with those of
/// @p delegate.
void cairn_device_inherit(cairn_device_ops *ops, const cairn_device_ops *delegate);

#endif
