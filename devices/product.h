// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products on devices: what a device is asked to prepare (work), and what it makes of it
/// (a launch). The work is one member of a stored matrix on this rank and the product
/// that is wanted. A launch is that product ready to run: code found or built, arrays
/// where the device wants them, nothing left to allocate. It is made once and run many
/// times, by the thread of the device's queue.
///
/// X and Y are the host's. A device with a memory of its own copies them in and out
/// within a run and says how long that took; one that reads main memory does not.

#ifndef CAIRN_DEVICES_PRODUCT_H
#define CAIRN_DEVICES_PRODUCT_H

#include "devices/device.h"
#include "share/abi.h"
#include "tensor/local.h"

#include <cairn/expr.h>

/// A product that a device is asked to prepare. All of it outlives the launch.
struct cairn_device_work {
    const cairn_local           *tensor;
    int                          member; ///< Its parts: tensor->group[member].
    const cairn_product_options *op;     ///< Whose beta is not the device's concern.
    int threads; ///< Of the host's that it may use; 0: as many as the device has.
    bool
        alone; ///< Y holds nothing to be kept: the launch may set all of its rows. Else
               ///< it adds.
    bool wide; ///< Y is f64, for others' sums come to it before it is rounded. Else the
               ///< launch says what it is.
    bool free; ///< The host's threads may be any: none is bound to cores.
    bool rounds; ///< No sums come after its own, and every row is its: the launch may
                 ///< round what comes of an f64 Y into an f32 one.
    const cairn_device_work
        *as; ///< It has some of the rows of this one, whose function it is to have, so
             ///< that nothing else is compiled; NULL: its own.
    const void
        *seat; ///< Whose launches run together (devices/seat.h), by any address of
               ///< its own; NULL: alone.
};

/// Where the time of one run went, in seconds of the device's clock.
typedef struct cairn_launch_times {
    double in;      ///< X to the device.
    double compute; ///< The kernel; banks and channels that work at once count once.
    double out;     ///< Y back.
} cairn_launch_times;

/// What a launch's runs add to Y, or set, summed on the way; Y stays as it is.
typedef struct cairn_launch_sums {
    const double
           *leaf;   ///< [leaves] Come to that sum of the last run; no leaves: it was
    int64_t leaves; ///< not made, or is forgotten.
    /// Make it from now on. Called between runs by the thread that uses the environment.
    /// NULL: it cannot. Twice is once.
    ///
    /// @return false: this product cannot either, and nothing has changed.
    bool (*make)(cairn_launch *launch);
} cairn_launch_sums;

/// What it takes of memory, in bytes.
typedef struct cairn_launch_bytes {
    int64_t own;    ///< Of the device's own; 0 where it reads the host's.
    int64_t beside; ///< Of the host's, which every run reads beside the parts' arrays.
} cairn_launch_bytes;

/// A product, ready.
struct cairn_launch {
    cairn_device *device;
    cairn_route   route;  ///< REFERENCE: it interprets the arrays.
    bool          sets;   ///< It sets every row of Y; else it adds to what is there.
    bool          wide;   ///< Its Y is f64 whatever the element type.
    bool          rounds; ///< It adds to `sums`, and rounds what comes of that into Y.
    bool
        crowded; ///< The last run was one beside other processes: what has no pieces is
                 ///< better left to one thread.
    const double      *sums; ///< Rows of Y as others left them; said before every run.
    cairn_launch_sums  y_sum;
    cairn_launch_bytes bytes;

    /// Run once. Called by the thread of the device's queue alone, so that it must not
    /// touch the environment: neither its message nor its allocator.
    ///
    /// @param[in]     x  X(j,c) is x[j*columns + c] for a global j; transposed
    ///                   x[(i - first row)*columns + c]. Of the tensor's element type.
    ///                   Readable for the rank's box, and nothing beside it.
    /// @param[in,out] y  Likewise: rows of the box, transposed global columns.
    /// @retval CAIRN_NO_DEVICE  The device was lost: `message` says how. Y is anything.
    /// @retval CAIRN_NO_MEMORY  On the device.
    cairn_status (*run)(cairn_launch *launch, const void *x, void *y);
    /// Bring the values of the tensor, which have changed while the pattern stays, to where
    /// it keeps a copy of them. Called between runs by the thread that uses the
    /// environment. NULL: a launch with arrays of its own is built anew.
    /// @retval CAIRN_NO_DEVICE  The device was lost.
    /// @retval CAIRN_NO_MEMORY
    cairn_status (*renew)(cairn_launch *launch);
    /// Give everything back. Called by the thread that uses the environment. Never NULL.
    void (*release)(cairn_launch *launch);

    /// Of the last run: modelled where the device's clock is simulated, and known as soon
    /// as the launch is made; measured elsewhere, where all is 0 if the device cannot
    /// tell them apart and the caller's clock must do.
    cairn_launch_times times;

    void *state;     ///< The device's own.
    char  note[256]; ///< What people would like to know of it, one line; "": nothing.
    char  message[256]; ///< Why the last run failed, "WHAT: WHERE: WHY".
};

/// The group of parts that the work is about.
static inline const cairn_group *cairn_work_group(const cairn_device_work *work)
{
    return &work->tensor->group[work->member];
}

/// Its k-th part.
static inline const cairn_part *cairn_work_part(const cairn_device_work *work,
                                                int64_t                  k)
{
    return &work->tensor->part[cairn_work_group(work)->first + k];
}

/// The number of the member in its format, for messages: a share of one is the only member
/// of a tensor of its own.
int cairn_work_number(const cairn_device_work *work);

/// Entries stored in its parts, padding not counted.
int64_t cairn_work_entries(const cairn_device_work *work);

/// Rows of X that it reads and rows of Y that it writes on this rank.
int64_t cairn_work_rows_in(const cairn_device_work *work);
int64_t cairn_work_rows_out(const cairn_device_work *work);

/// Fill the arguments of a product's function (share/abi.h), but for the team's, as
/// cairn_launch.run() gets X and Y.
cairn_product_args
cairn_work_arguments(const cairn_device_work *work, const void *x, void *y);

#endif
