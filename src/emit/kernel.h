// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Requests for kernels: a key that says everything the code depends on, and a function
/// that writes the source if there is no code for that key yet. The loader of kernels
/// (a device: prebuilt, from the cache, or compiled now) hands a loader down to the
/// rooms that may not know devices.

#ifndef CAIRN_EMIT_KERNEL_H
#define CAIRN_EMIT_KERNEL_H

#include "ir/ir.h"

/// How a kernel came to be.
typedef enum {
    CAIRN_ROUTE_REFERENCE, ///< It did not: interpreted.
    CAIRN_ROUTE_PREBUILT,  ///< It came with the library.
    CAIRN_ROUTE_COMPILED,  ///< Compiled now, or on another day and found in the cache.
} cairn_route;

/// Write the source of a kernel. Called only where there is no code for its key.
/// @param[out] source  C text that defines the request's symbol; cairn_free().
typedef cairn_status (*cairn_source_fn)(cairn_env *env, void *user, char **source);

/// Lower a kernel: what its source is printed from.
/// @param[out] function  Its name is @p symbol; cairn_ir_destroy().
typedef cairn_status (*cairn_lower_fn)(cairn_env          *env,
                                       void               *user,
                                       const char         *symbol,
                                       cairn_ir_function **function);

typedef struct cairn_kernel_request {
    const char *key; ///< Printable, one line: operation, layouts, types, schedule. Two
                     ///< requests of one key are for the same source.
    cairn_source_fn source;
    cairn_lower_fn  lower; ///< For who prints many in one file; NULL: only as text.
    void           *user;  ///< Handed to both.
    bool at_hand; ///< Only if nothing has to be compiled for it; else NO_KERNEL.
    bool spare;   ///< Nor is it compiled for having been missed often: the caller has
                  ///< another kernel that serves.
} cairn_kernel_request;

/// A loaded function.
typedef struct cairn_kernel {
    void       *run;     ///< To be cast to the convention's type (share/abi.h).
    cairn_route route;   ///< PREBUILT or COMPILED.
    bool        cached;  ///< COMPILED: before, by this process or, on disk, by another.
    double      seconds; ///< That getting it took, measured.
    void       *library; ///< What must stay loaded; the loader's.
} cairn_kernel;

/// Who loads kernels.
typedef struct cairn_kernel_loader {
    /// Get a kernel.
    ///
    /// Local; may wait for another process that is compiling the same one.
    ///
    /// @param[out] kernel  Give back with release(). Unchanged on failure.
    /// @retval CAIRN_NO_KERNEL  There is no compiler, it failed or was killed: run the
    ///                            reference way. The message says why.
    cairn_status (*load)(void                       *user,
                         const cairn_kernel_request *request,
                         cairn_kernel               *kernel);
    void (*release)(void *user, cairn_kernel *kernel);
    /// Get several kernels that load() will be asked for, side by side where they have to
    /// be compiled. NULL: load() gets each.
    ///
    /// Local; does not wait for other processes. Cannot fail: load() reports failures.
    void (*ahead)(void *user, const cairn_kernel_request *request, int requests);
    void *user;
    int   vector_bytes; ///< Of the machine's widest useful vectors: 16, 32 or 64.
    int   threads;      ///< That kernels shall use.
    const struct cairn_move_rates *moves; ///< What conversions are chosen by
                                          ///< (rules/pass_list.h); NULL: as shipped.
    struct cairn_conversion_card *card;   ///< A card that conversions may use
                                          ///< (convert/card.h); NULL: none.
    bool interprets; ///< Nothing is compiled or looked for: who asks interprets what it
                     ///< lowered (ir/ir_run.h). load() and release() may be NULL.

    /// What makes kernels slower to get or to run than they could be (a cache that cannot
    /// be used, a compiler without threads), "WHAT: WHERE: WHY"; "": nothing. The
    /// loader's; it may change with every load.
    const char *note;
} cairn_kernel_loader;

/// The symbol of a key: "cairn_" and 16 hexadecimal digits.
#define CAIRN_KERNEL_SYMBOL 32
void cairn_kernel_symbol(const char *key, char symbol[CAIRN_KERNEL_SYMBOL]);

/// Write a kernel's source where CAIRN_DUMP_KERNELS says, as SYMBOL and @p suffix (".c").
/// Nothing happens where it says nothing. Local.
/// @retval CAIRN_IO  It cannot be written.
cairn_status cairn_kernel_dump(cairn_env  *env,
                               const char *symbol,
                               const char *suffix,
                               const char *source);

#endif
