// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Functions of groups and items (ir/ir.h) by themselves, on memory of a device's own: what
/// conversions do there. A program has its functions and its memory, from open to close;
/// what it is given is done in order, and fetch() waits for it. One thread at a time, any
/// thread; nothing of a plan's may run on the device meanwhile.
///
/// Arrays that it made may stay on the device for whoever reads that tensor there next, a
/// conversion or a plan.
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

enum { CAIRN_GRID_ALIGNED = 256 }; ///< Bytes at which arrays that may stay begin.

/// Where the arrays of a part lie in a block of memory that may stay.
///
/// @param[out] at  [cairn_part_arrays()] Bytes from the block's begin.
/// @return bytes of the block.
static inline int64_t cairn_grid_places(const cairn_part *part, int64_t *at)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(part, array);
    int64_t     bytes  = 0;

    for (int k = 0; k < arrays; k++) {
        at[k] = bytes;
        bytes += (array[k].bytes + CAIRN_GRID_ALIGNED - 1) / CAIRN_GRID_ALIGNED
                 * CAIRN_GRID_ALIGNED;
    }
    return bytes;
}

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
    /// Let a block that was taken stay, with the arrays of a member of one part, as they are
    /// on the host, where cairn_grid_places() says: until the tensor goes, or its memory is
    /// wanted. All that was started has been waited for. Cannot fail: what cannot stay is
    /// given back as ever. NULL: nothing stays, and nothing is there.
    void (*keep)(cairn_grid_program *program,
                 cairn_grid_address  block,
                 cairn_local        *tensor,
                 int                 member);
    /// How many bytes of the arrays of a member of one part are there, of a plan's or since
    /// they stayed? Those are, too, that a tensor borrows of another whose are there.
    int64_t (*has)(const cairn_device *device, const cairn_local *tensor, int member);
    /// Use those that are there, of a member of which some are, until close(), with the
    /// values that the tensor has.
    ///
    /// @param[out] array  [cairn_part_arrays()] 0: this one is not there.
    /// @retval CAIRN_NO_DEVICE, CAIRN_NO_MEMORY
    cairn_status (*borrow)(cairn_grid_program *program,
                           const cairn_local  *tensor,
                           int                 member,
                           cairn_grid_address *array);
    /// Give everything back, once nothing of it runs.
    void (*close)(cairn_grid_program **program);
};

#endif
