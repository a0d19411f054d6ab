// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What drivers offer: OpenCL's platforms through the loader of its drivers, and CUDA.
/// Both are opened at run time by their names and never linked, so that everything runs
/// where they are absent. Opening them takes tenths of a second and a lot of memory: only
/// reports ask (`cairn devices`, `cairn doctor`), never a run. Nothing is computed here.

#ifndef CAIRN_DEVICES_DRIVERS_H
#define CAIRN_DEVICES_DRIVERS_H

#include "devices/discover.h"

#define CAIRN_DRIVER_DEVICES 64 ///< That are listed; more are counted.

/// One device that a driver offers.
typedef struct cairn_driver_device {
    const char *driver;       ///< "opencl" or "cuda".
    const char *type;         ///< "gpu", "cpu" or "accelerator".
    char        platform[64]; ///< OpenCL: whose driver: "Portable Computing Language".
    char        name[96];
    char        version[64]; ///< Of the interface: "OpenCL 3.0"; CUDA: "".
    char        pci[16];     ///< "0000:3b:00.0"; "": it does not say.
    int64_t     memory_bytes;
    int         units; ///< Compute units, multiprocessors.
} cairn_driver_device;

/// One way to devices.
typedef struct cairn_driver {
    bool found;       ///< The library is there, and answers.
    int  platforms;   ///< OpenCL: drivers. CUDA: 1 if found.
    int  devices;     ///< All of them.
    char version[64]; ///< CUDA: of the driver, "12.4"; OpenCL: "".
    int  failed;   ///< CUDA: the number of the error that its start ended with; 0: it
                   ///< started, or there is none.
    char why[160]; ///< What is amiss; "": nothing. One line.
} cairn_driver;

struct cairn_drivers {
    cairn_driver        opencl, cuda;
    int                 count; ///< Listed.
    cairn_driver_device device[CAIRN_DRIVER_DEVICES];
};

/// Ask the drivers of this machine.
///
/// Local. Cannot fail: what cannot be opened is absent, and `why` says why. The libraries
/// stay open, since drivers do not like to be closed.
void cairn_drivers_ask(cairn_drivers *drivers);

/// Find a function of an open library. @p function points to a pointer to one.
/// @return false: it has none of that name.
bool cairn_driver_function(void *library, const char *name, void *function);

/// Each of the two alone; they add to @p drivers.
void cairn_drivers_ask_opencl(cairn_drivers *drivers);
void cairn_drivers_ask_cuda(cairn_drivers *drivers);

/// Add the drivers' devices to a machine: under the card with their bus address, else at
/// the end. @p machine is unchanged on failure.
cairn_status cairn_machine_add_drivers(cairn_env           *env,
                                       const cairn_drivers *drivers,
                                       cairn_machine       *machine);

#endif
