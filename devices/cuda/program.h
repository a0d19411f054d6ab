// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Code on a card: compiled now, or on another day and found in the cache of kernels, where
/// it lies beside the processor's, in the same form of file. Launches of one kernel share
/// it. Where no compiler is, what the cache holds still runs.

#ifndef CAIRN_DEVICES_CUDA_PROGRAM_H
#define CAIRN_DEVICES_CUDA_PROGRAM_H

#include "devices/cuda/compile.h"
#include "devices/cuda/device.h"

struct cairn_cuda_program {
    cairn_cuda_program *next;
    char               *key;
    int                 users;
    cairn_cuda_module   module;
};

/// Code that was got ahead.
struct cairn_cuda_fresh {
    cairn_cuda_fresh *next;
    char             *key;
    cairn_object      object; ///< None:
    char             *why;    ///< it cannot be compiled, for this reason.
};

/// Keep code for who asks for it next, or why there is none. Local; not entered.
///
/// @param[in,out] wanted  Its object and reason are taken over on success.
cairn_status cairn_cuda_fresh_keep(cairn_device *device, cairn_cuda_wanted *wanted);

/// Forget what is kept. Local; not entered.
void cairn_cuda_fresh_drop(cairn_device *device);

/// Is the code of @p key loaded, or kept?
bool cairn_cuda_code_has(const cairn_device *device, const char *key);

/// Get the code of a kernel. The device is entered.
///
/// Local; may wait for another process that compiles the same.
///
/// @param[in]  key      Everything that the text depends on.
/// @param[in]  text     What is compiled where the code is nowhere yet.
/// @param[out] program  cairn_cuda_program_leave(). Unchanged on failure.
/// @retval CAIRN_NO_KERNEL  There is no compiler, it fails, or the driver refuses the
///                          code.
/// @retval CAIRN_NO_MEMORY  The card's, the host's or the compiler's.
/// @retval CAIRN_NO_DEVICE
cairn_status cairn_cuda_program_get(cairn_device        *device,
                                    const char          *key,
                                    const char          *text,
                                    cairn_cuda_program **program);

/// Leave it; NULL is accepted. The last user unloads it, for which the device is entered
/// unless it was lost.
void cairn_cuda_program_leave(cairn_device *device, cairn_cuda_program **program);

/// Find a kernel of a program by its name. The device is entered.
cairn_status cairn_cuda_program_function(cairn_device             *device,
                                         const cairn_cuda_program *program,
                                         const char               *name,
                                         cairn_cuda_entry         *function);

/// Find a compiler for the device, and the cache; and close both.
void cairn_cuda_code_open(cairn_device *device);
void cairn_cuda_code_close(cairn_device *device);

#endif
