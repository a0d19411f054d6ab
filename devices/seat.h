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

/// What a device does for a launch, one after the other.
typedef enum {
    CAIRN_SEAT_IN, ///< X to the device.
    CAIRN_SEAT_COMPUTE,
    CAIRN_SEAT_OUT, ///< Y back.
    CAIRN_SEAT_BARS
} cairn_seat_part;

/// When, in cairn_seconds(); both 0: not at all, or it is not known.
typedef struct cairn_seat_bar {
    double begin, end;
} cairn_seat_bar;

/// Memory of the library's own for a Y, which stays where it is until the seat is released.
typedef struct cairn_seat_landing {
    void   *y;     ///< As finish() gets it in most runs; NULL: there is none such.
    char   *block; ///< What it lies in, which others may land in, too:
    int64_t bytes; ///< so much.
} cairn_seat_landing;

/// What a plan lends to a seat.
typedef struct cairn_seat_loan {
    const void *const *x;        ///< [launches] The X of most runs, as start() gets it,
                                 ///< likewise. Each may be NULL.
    const cairn_seat_landing *y; ///< [launches]
} cairn_seat_loan;

/// Launches that run together. Made by the slot `seat` of a device (devices/device.h).
struct cairn_seat {
    cairn_device *device;
    int           launches;

    /// Start all of them, and return: an X that was not lent goes by little memory, so that
    /// all but its end has gone by then. X is read before it returns, unless it was lent:
    /// then till the last finish(). A Y is written by finish() alone, unless it was lent:
    /// then from now on. Touches no environment, as cairn_launch.run().
    ///
    /// @param[in] x  [launches] As cairn_launch.run() gets it.
    /// @param[in] y  [launches] What finish() will get.
    /// @retval CAIRN_NO_DEVICE  The device was lost: `message` says how. Nothing is under
    ///                          way then, and finish() says the same for every launch.
    /// @retval CAIRN_NO_MEMORY  On the device. Likewise.
    cairn_status (*start)(cairn_seat *seat, const void *const *x, void *const *y);
    /// Wait until launch @p k is done, copy its Y, and tell its times. Once for each launch
    /// after every start(), in any order, whatever has failed in between: after the last
    /// nothing is under way.
    ///
    /// @param[out] y  As cairn_launch.run() gets it; NULL: it is not wanted any more.
    /// @retval  As of start(), whose message the launch gets, too. Y is anything then, and
    ///          no device writes to it any more.
    cairn_status (*finish)(cairn_seat *seat, int k, void *y);
    /// Run its only launch again and again, each Y the next X, and wait for the end. NULL:
    /// it cannot.
    ///
    /// @param[in]     n  How often, at least once.
    /// @param[in,out] x  As start() gets it; then what the last Y was computed from.
    /// @param[out]    y  As finish() gets it.
    /// @retval CAIRN_UNSUPPORTED  There is no room for it, and nothing was done.
    /// @retval  Else as of start(). X is what it was, Y anything.
    cairn_status (*chain)(cairn_seat *seat, int64_t n, void *x, void *y);
    /// Tell when the device did what for launch @p k in the last run, which succeeded; of a
    /// chain, all of it. A moment of the host's when the run began is the device's first;
    /// from then on its clock counts. NULL: it cannot.
    void (*bars)(cairn_seat *seat, int k, cairn_seat_bar bar[CAIRN_SEAT_BARS]);
    /// Give everything back, before or after the launches. Never NULL.
    void (*release)(cairn_seat *seat);

    void *state; ///< The device's own.
    bool
        keeps; ///< It was given up, and may still read what was lent: that is never freed.
    char message[256]; ///< Why the last run failed, "WHAT: WHERE: WHY".
};

#endif
