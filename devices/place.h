// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Placements: which member of a format goes to which device, as users write it.
/// `auto` leaves it open; `cpu` or `cpu:0` is for all members; `0=cpu:0,1=cuda` goes
/// member by member and leaves the others open.

#ifndef CAIRN_DEVICES_PLACE_H
#define CAIRN_DEVICES_PLACE_H

#include "devices/kinds.h"
#include "devices/registry.h"
#include "format/encoding.h"

typedef struct cairn_placement {
    cairn_device_name member[CAIRN_MAX_MEMBERS];
    int               named; ///< 1 + the highest member that the text names; 0: none.
} cairn_placement;

/// Read a placement. Whether the devices exist is seen when they are looked up.
///
/// Local.
///
/// @param[in]  where      The option's name, for messages: "--place".
/// @param[in]  text       "" means `auto`.
/// @param[out] placement  Unchanged on failure.
/// @retval CAIRN_BAD_OPTION   Malformed; a member twice or beyond CAIRN_MAX_MEMBERS.
/// @retval CAIRN_UNSUPPORTED  A kind that this version lacks.
cairn_status cairn_placement_parse(cairn_env       *env,
                                   const char      *where,
                                   const char      *text,
                                   cairn_placement *placement);

/// The list of devices (registry.h) of a run that nobody gave one: the kinds that need not
/// be asked for, and those that the placement names.
///
/// @param[out] list  Room for every kind's name.
void cairn_placement_list(const cairn_placement *placement, char *list, size_t size);

/// Find the device of @p member; a kind without a number is its first device.
///
/// Local.
///
/// @param[out] found  Number of the device; -1 when the placement leaves it open.
/// @retval CAIRN_NO_DEVICE  There is no such device here.
cairn_status cairn_placement_find(cairn_env             *env,
                                  const cairn_placement *placement,
                                  const cairn_devices   *devices,
                                  int                    member,
                                  int                   *found);

#endif
