// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Devices: where parts live and kernels run. A kind of device ("cpu") is a constant
/// table of functions. What it leaves NULL is served by the kind that it names as its
/// delegate, so that a new device starts from almost nothing. Memory and queues are a
/// kind's own business: arrays are brought to the device when a launch is built, and a
/// plan runs launches on threads of its own (sched/engine.h). The table is completed
/// once, when the device is opened (registry.h), and nothing above this room names a
/// vendor.
///
/// A slot that a delegate serves is called with the other kind's device. It may use
/// the device's environment and info, and never its state.

#ifndef CAIRN_DEVICES_DEVICE_H
#define CAIRN_DEVICES_DEVICE_H

#include "base/diagnostics.h"
#include "emit/kernel.h"

typedef struct cairn_device      cairn_device;
typedef struct cairn_machine     cairn_machine;     // devices/discover.h
typedef struct cairn_device_work cairn_device_work; // devices/product.h
typedef struct cairn_launch      cairn_launch;      // devices/product.h
typedef struct cairn_seat        cairn_seat;        // devices/seat.h,
typedef struct cairn_seat_loan   cairn_seat_loan;   // likewise

typedef struct cairn_device_grids cairn_device_grids; // devices/grids.h

typedef struct cairn_device_config cairn_device_config; // devices/config.h
typedef struct cairn_device_model  cairn_device_model;  // devices/config.h

#define CAIRN_PU_MOST 1024 ///< Hardware threads that a set can tell apart.

/// Hardware threads, by the system's numbers from 0 on; those beyond are left out.
typedef struct cairn_pu_set {
    uint64_t bits[CAIRN_PU_MOST / 64];
} cairn_pu_set;

static inline void cairn_pu_set_add(cairn_pu_set *set, int number)
{
    if (number >= 0 && number < CAIRN_PU_MOST)
        set->bits[number / 64] |= (uint64_t)1 << number % 64;
}

static inline bool cairn_pu_set_has(const cairn_pu_set *set, int number)
{
    return set->bits[number / 64] >> number % 64 & 1;
}

/// A device measures its times, or models them; the two are never added.
typedef enum { CAIRN_CLOCK_MEASURED, CAIRN_CLOCK_SIMULATED } cairn_clock;

/// "measured" or "simulated", as reports write it.
static inline const char *cairn_clock_name(cairn_clock clock)
{
    return clock == CAIRN_CLOCK_MEASURED ? "measured" : "simulated";
}

/// Bytes per second between the host's memory and a device's own; 0: it reads the host's,
/// or it was not measured.
typedef struct cairn_device_link {
    double up, down; ///< Each alone,
    double both;     ///< and each while the other goes, too.
} cairn_device_link;

typedef struct cairn_device_facts {
    char id[24];     ///< "cpu:0", as --place writes it.
    char kind[16];   ///< "cpu".
    char name[128];  ///< Its maker's name for it.
    char driver[64]; ///< What its speed depends on and may change: "535.54.03, 1980
                     ///< MHz". "": that is the host's.
    cairn_clock       clock;
    int64_t           memory_bytes; ///< Its share, where devices split one memory.
    int               cores;        ///< Of the process's binding.
    int               threads;   ///< That its tasks use: CAIRN_THREADS, else `cores`.
    double            bandwidth; ///< Reading memory, bytes per second; 0: not measured.
    cairn_device_link link;      ///< Measured with it.
    cairn_pu_set      bound; ///< Where its tasks run on the processor; empty: anywhere.
    double
        halo_latency; ///< Simulated: seconds of a message between its host and that of
    double
        halo_rate; ///< another rank, bytes per second each way; 0: they take no time.
} cairn_device_facts;

/// A product that may be run on a device, as far as devices need to know it.
typedef struct cairn_device_request {
    int64_t memory_bytes;          ///< Arrays and operands that must lie on the device.
    int64_t moved_bytes;           ///< Read and written by one run.
    const cairn_device_work *work; ///< What runs; NULL: not known yet.
} cairn_device_request;

/// A kernel as a device's compiler is given it.
typedef struct cairn_kernel_text {
    char *key;  ///< Everything that the text depends on.
    char *text; ///< Defines the symbol of the key (emit/kernel.h).
} cairn_kernel_text;

/// How many kernels were there, and how many were not.
typedef struct cairn_precompiled {
    int cached, compiled;
} cairn_precompiled;

/// Which devices of a kind a context has where no list says how many. PRESENT: as many as
/// there are. ASKED: none, unless a list or a placement names the kind, or says "all":
/// looking for them takes long, or starts something. AS_ONE: they are parts of one
/// processor, which is one device unless parts are asked for: where the list is empty, or
/// has no more than what a placement names.
typedef enum {
    CAIRN_PRESENT,
    CAIRN_PRESENT_ASKED,
    CAIRN_PRESENT_AS_ONE,
} cairn_device_presence;

/// How the loader of a device's kernels begins and ends. Both slots are NULL, or none.
typedef struct cairn_device_loader {
    /// Open it: called once, when the first kernel is asked for (registry.h). What it keeps
    /// is `loader->user`. NULL, also in the delegate: there are no kernels, and work runs
    /// the reference way.
    cairn_status (*open)(cairn_device *device, cairn_kernel_loader *loader);
    /// Close it; all its kernels were released.
    void (*close)(cairn_device *device, cairn_kernel_loader *loader);
} cairn_device_loader;

/// A kind of device. All slots are called by the thread that uses the environment.
typedef struct cairn_device_ops {
    const char *kind;     ///< Lower case, as users write it: "cpu".
    const char *summary;  ///< One line for `cairn devices`.
    const char *delegate; ///< The kind that serves NULL slots; NULL: none.

    /// What a user may say of a device of this kind, ended by a name NULL (config.h).
    /// NULL: nothing. Never delegated.
    const cairn_device_model *models;

    /// Files name a program for it, in "command" (config_file.h). Never delegated.
    bool command;

    cairn_device_presence presence; ///< Which of them a context has unasked.

    /* About the device itself: never delegated, since another kind's answers are not
       this one's. */

    /// Number of devices of this kind when the user asks for none by number. 0 is no
    /// error. Never NULL; of kinds that are there when they are asked for by name
    /// cairn_device_none() (kinds.h).
    int (*count)(const cairn_machine *machine);
    /// Write why there are none, one line, for who asked for some. NULL: nobody knows.
    void (*lacks)(const cairn_machine *machine, char *why, size_t size);
    /// Open number @p index of @p count: fill device->info, except id and kind, and
    /// device->state. Called once, first. Never NULL.
    /// @retval CAIRN_NO_DEVICE  There are fewer, or it cannot be used.
    cairn_status (*open)(cairn_device *device, int index, int count);
    /// Release the state. Called once, last; nothing is running. NULL: nothing to do.
    void (*close)(cairn_device *device);
    /// Measure info.bandwidth, in about 50 ms. Called when it is to be shown, or
    /// before costs are compared; may leave 0. NULL: it stays what open() said.
    cairn_status (*measure)(cairn_device *device);
    /// Seconds that one run of @p request takes, transfers included; below 0: unknown.
    /// NULL: unknown.
    double (*cost)(const cairn_device *device, const cairn_device_request *request);
    /// Say what would go wrong with devices of this kind here, for `cairn doctor`; once
    /// for all of them and on one rank of a node, so it may take a while. NULL: nothing.
    /// @param[in] ranks  Of the node, each of which may have devices of the kind.
    void (*check)(const cairn_device *device, int ranks, cairn_diagnostics *findings);

    /* About running things: NULL is served by the delegate. */

    /// Say whether the device can do @p request; "no" makes placement look elsewhere.
    /// NULL, also in the delegate: it can do everything.
    bool (*can)(const cairn_device *device, const cairn_device_request *request);
    /// Prepare a product (devices/product.h): find or build its code, bring the arrays to
    /// where it wants them. A kind that delegates the arithmetic calls its delegate's
    /// (cairn_device_delegate()) from its own.
    ///
    /// Local.
    ///
    /// @param[out] launch  Released by its `release`. Unchanged on failure.
    /// @retval CAIRN_NO_KERNEL    There is no code for it: on the processor the reference
    ///                            way is left (expr/reference.h).
    /// @retval CAIRN_UNSUPPORTED  The device cannot do such a product at all.
    /// @retval CAIRN_NO_MEMORY    Its arrays do not fit.
    /// @retval CAIRN_NO_DEVICE    The device was lost.
    cairn_status (*build)(cairn_device            *device,
                          const cairn_device_work *work,
                          cairn_launch            *launch);
    /// Make a seat (devices/seat.h) of launches that this device built and that set their Ys,
    /// in the order in which they are to run. NULL, whatever the delegate does: launches run
    /// one after the other, on a thread of the device's queue.
    ///
    /// Local.
    ///
    /// @param[in]  launch  [launches] Outlive the seat's runs, not its release.
    /// @param[in]  loan    What runs most often read and write; NULL: nothing is lent.
    /// @param[out] seat    Released by its `release`. Unchanged on failure.
    /// @retval CAIRN_UNSUPPORTED  Not such launches.
    /// @retval CAIRN_NO_MEMORY
    /// @retval CAIRN_NO_DEVICE    The device was lost.
    cairn_status (*seat)(cairn_device          *device,
                         cairn_launch *const   *launch,
                         const cairn_seat_loan *loan,
                         int                    launches,
                         cairn_seat            *seat);
    /// Get the code that build() will want for several products, side by side where it
    /// has to be compiled. Local. Cannot fail: build() tells what has failed. NULL,
    /// whatever the delegate does: build() gets each. Touches nothing but the
    /// environment's allocator and the device's kernels.
    void (*ahead)(cairn_device *device, const cairn_device_work *work, int works);
    /// Functions of groups and items by themselves (devices/grids.h). NULL: it has none such,
    /// or the processor's loader keeps them. Never delegated.
    const cairn_device_grids *grids;
    /// The loader of its kernels.
    cairn_device_loader kernels;
} cairn_device_ops;

/// An open device.
struct cairn_device {
    cairn_env           *env;
    const cairn_machine *machine; ///< Where it stands; outlives it.

    /// What the user said of it, over the model's defaults; outlives it. NULL exactly
    /// where the kind has no models.
    const cairn_device_config *config;

    cairn_device_facts  info;
    cairn_device_ops    ops;     ///< Completed by the delegates.
    void               *state;   ///< The kind's own.
    bool                lost;    ///< It failed: nothing more is placed on it.
    cairn_kernel_loader kernels; ///< `load` NULL: not opened yet.
};

#endif
