// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Functions of groups and items (ir/ir.h) by themselves, on memory of a device's own: what
/// conversions do there. A program has its functions and its memory, from open to close;
/// what it is given is done in order, and fetch() waits for it. One thread at a time, any
/// thread; nothing of a plan's may run on the device meanwhile.
///
/// After a failure nothing but close() is called.

#ifndef CAIRN_DEVICES_GRIDS_H
#define CAIRN_DEVICES_GRIDS_H

#include "devices/device.h"
#include "ir/ir.h"
#include "share/abi.h"
#include "tensor/local.h"

typedef struct cairn_grid_program cairn_grid_program; ///< The device's own.

/// An address in the device's memory.
typedef uint64_t cairn_grid_address;

/// One part as a function sees it.
typedef struct cairn_grid_part {
    const cairn_part         *part;  ///< Its numbers are seen by functions,
    const cairn_grid_address *array; ///< and its arrays: where each is, as
                                     ///< cairn_part_arrays() has them. NULL: none is.
} cairn_grid_part;

/// What a function is started with.
typedef struct cairn_grid_call {
    int             function; ///< Of those that the program was opened with.
    int64_t         groups;   ///< More than 0.
    cairn_grid_part part[2];
    int             abi;  ///< Of the function.
    const void     *args; ///< The struct of that convention, arrays as addresses there.
} cairn_grid_call;

struct cairn_device_grids {
    /// Compile kernels into the cache of kernels, for devices that need not be here: those
    /// of @p generation, a number of the kind's own (of sm_90 it is 90); 0: all that are
    /// here. Local.
    ///
    /// @param[in]  threads  That may compile.
    /// @param[in]  text     [texts], keys all different.
    /// @param[out] counts   Unchanged on failure.
    /// @retval CAIRN_NO_DEVICE  @p generation is 0, and there is none.
    /// @retval CAIRN_NO_KERNEL  There is no compiler for it, or it failed.
    /// @retval CAIRN_IO         The cache cannot be used.
    cairn_status (*precompile)(cairn_env               *env,
                               int                      generation,
                               int                      threads,
                               const cairn_kernel_text *text,
                               int                      texts,
                               cairn_precompiled       *counts);

    /// Get the code of functions.
    ///
    /// Local.
    ///
    /// @param[in]  key       Everything that the functions depend on.
    /// @param[in]  function  [functions], names all different, each that of the key's
    ///                       symbol and more; NULL: none. Not needed afterwards.
    /// @param[out] program   close(). Unchanged on failure.
    /// @retval CAIRN_NO_KERNEL  There is no code for them.
    /// @retval CAIRN_NO_DEVICE, CAIRN_NO_MEMORY
    cairn_status (*open)(cairn_device                   *device,
                         const char                     *key,
                         const cairn_ir_function *const *function,
                         int                             functions,
                         cairn_grid_program            **program);
    /// Get memory, of anything, which functions of all programs may use till close() gives
    /// it back. 0 bytes are
    /// some. @p what: for messages, "keys".
    /// @retval CAIRN_NO_DEVICE, CAIRN_NO_MEMORY
    cairn_status (*take)(cairn_grid_program *program,
                         int64_t             bytes,
                         const char         *what,
                         cairn_grid_address *at);
    /// Bring bytes to the device, which are read before it returns; make some 0.
    /// @retval CAIRN_NO_DEVICE
    cairn_status (*send)(cairn_grid_program *program,
                         cairn_grid_address  to,
                         const void         *from,
                         int64_t             bytes);
    cairn_status (*clear)(cairn_grid_program *program,
                          cairn_grid_address  at,
                          int64_t             bytes);
    /// Start a function. @retval CAIRN_NO_DEVICE
    cairn_status (*start)(cairn_grid_program *program, const cairn_grid_call *call);
    /// Wait for all that came before, and bring bytes back. @retval CAIRN_NO_DEVICE
    cairn_status (*fetch)(cairn_grid_program *program,
                          void               *to,
                          cairn_grid_address  from,
                          int64_t             bytes);
    /// Give everything back, once nothing of it runs.
    void (*close)(cairn_grid_program **program);
};

#endif
