// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Placements: which member of a format goes to which device, as users write it.
/// `auto` leaves it open; `cpu` or `cpu:0` is for all members; `0=cpu:0,1=cuda` goes
/// member by member and leaves the others open. Where a device may stand, several may,
/// which divide the member's rows: `cpu:0+cpu:1` by the speeds that are predicted,
/// `cpu:0*0.6+opencl*0.4` so that each gets that part of the entries.

#ifndef CAIRN_DEVICES_PLACE_H
#define CAIRN_DEVICES_PLACE_H

#include "devices/kinds.h"
#include "devices/registry.h"
#include "format/encoding.h"

/* Devices that may divide one member. */
enum { CAIRN_MAX_SHARES = 16 };

/// One device's share of a member.
typedef struct cairn_place_share {
    cairn_device_name device;
    double            fraction;        ///< Of the entries; 0: as fast as the device is.
    int64_t           first_row, rows; ///< Where a file says these; else `rows` is -1.
} cairn_place_share;

/// Where one member goes.
typedef struct cairn_place {
    int               shares; ///< 0: it is left open.
    cairn_place_share share[CAIRN_MAX_SHARES];
} cairn_place;

typedef struct cairn_placement {
    cairn_place member[CAIRN_MAX_MEMBERS];
    int         named; ///< 1 + the highest member that the text names; 0: none.
} cairn_placement;

/// Read a placement. Whether the devices exist is seen when they are looked up.
///
/// Local.
///
/// @param[in]  where      The option's name, for messages: "--place".
/// @param[in]  text       "" means `auto`.
/// @param[out] placement  Unchanged on failure.
/// @retval CAIRN_BAD_OPTION   Malformed; a member twice or beyond CAIRN_MAX_MEMBERS; a
///                            device twice in one member; fractions for some devices of a
///                            member alone, or whose sum is not 1.
/// @retval CAIRN_UNSUPPORTED  A kind that this version lacks.
cairn_status cairn_placement_parse(cairn_env       *env,
                                   const char      *where,
                                   const char      *text,
                                   cairn_placement *placement);

/// Does the placement name a device of @p kind?
bool cairn_placement_names(const cairn_placement *placement, const char *kind);

/// The list of devices (registry.h) of a run that was given none: the kinds that need not
/// be asked for, and those that the placement names.
///
/// @param[out] list  Room for every kind's name.
void cairn_placement_list(const cairn_placement *placement, char *list, size_t size);

/// Find the device of share @p share of @p member; a kind without a number is its first
/// device.
///
/// Local.
///
/// @param[in]  share  0 of a member that is left open, or not divided.
/// @param[out] found  Number of the device; -1 when the placement leaves it open.
/// @retval CAIRN_NO_DEVICE  There is no such device here.
cairn_status cairn_placement_find(cairn_env             *env,
                                  const cairn_placement *placement,
                                  const cairn_devices   *devices,
                                  int                    member,
                                  int                    share,
                                  int                   *found);

/// Find the devices of all shares of @p members members, to say which is not there.
///
/// Local.
///
/// @retval CAIRN_NO_DEVICE  There is no such device here.
cairn_status cairn_placement_check(cairn_env             *env,
                                   const cairn_placement *placement,
                                   const cairn_devices   *devices,
                                   int                    members);

#endif
