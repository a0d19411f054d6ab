// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Seats: launches of one plan on one device, run together. Each works for itself as it is
/// (devices/product.h); in a seat an X that several of them read goes to the device once,
/// all of them are started by one call that does not wait, and their Ys are collected
/// afterwards, one by one. Between the two calls the caller's thread is free: it computes
/// what the processor does of the product.
///
/// Which launches may share their X is said when they are built: those whose work names the
/// same `seat`.

#ifndef CAIRN_DEVICES_SEAT_H
#define CAIRN_DEVICES_SEAT_H

#include "devices/product.h"

/// Launches that run together. Made by the slot `seat` of a device (devices/device.h).
struct cairn_seat {
    cairn_device *device;
    int           launches;

    /// Start all of them, and return. X is read before it returns; Ys are written by
    /// finish() alone. Touches no environment, as cairn_launch.run().
    ///
    /// @param[in] x  [launches] As cairn_launch.run() gets it.
    /// @retval CAIRN_NO_DEVICE  The device was lost: `message` says how. Nothing is under
    ///                          way then, and finish() says the same for every launch.
    /// @retval CAIRN_NO_MEMORY  On the device. Likewise.
    cairn_status (*start)(cairn_seat *seat, const void *const *x);
    /// Wait until launch @p k is done, copy its Y, and tell its times. Once for each launch
    /// after every start(), in any order, whatever has failed in between: after the last
    /// nothing is under way.
    ///
    /// @param[out] y  As cairn_launch.run() gets it; NULL: it is not wanted any more.
    /// @retval  As of start(), whose message the launch gets, too. Y is anything then.
    cairn_status (*finish)(cairn_seat *seat, int k, void *y);
    /// Give everything back, before or after the launches. Never NULL.
    void (*release)(cairn_seat *seat);

    void *state;        ///< The device's own.
    char  message[256]; ///< Why the last run failed, "WHAT: WHERE: WHY".
};

#endif
