// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The system's compiler, from the text of a kernel to a shared object in memory. It is
/// called by its path, with arguments that are fixed here (docs/kernels.md says what each
/// is for), on a file in a folder that only this user can look into; no shell has a part
/// in it, and nothing of it is left afterwards, however it ended.
///
/// Kernels use the OpenMP runtime that the process already has, so that one pool of
/// threads does all work: they are linked with that file and nothing else. A compiler
/// whose code wants another runtime (clang's, in a process of gcc's, or the other way
/// round where the runtime does not speak both) compiles them without threads.

#ifndef CAIRN_DEVICES_CPU_COMPILE_H
#define CAIRN_DEVICES_CPU_COMPILE_H

#include "base/text.h"
#include "devices/device.h"
#include "emit/cache.h"

typedef struct cairn_compiler {
    cairn_env *env;
    char       path[CAIRN_OPTION_PATH];   ///< "": there is no such command.
    char       openmp[CAIRN_OPTION_PATH]; ///< File of the runtime; "": not known.
    double     time_limit;                ///< Seconds that one kernel may take.
    const cairn_pu_set *cores;  ///< Where it may run; NULL: where the caller does.
    bool                serial; ///< Compile without threads.
    const char
        *march; ///< "-march=native", or this processor's level where the compiler
                ///< takes another one for native.
    char broken[CAIRN_MESSAGE]; ///< Why it is not tried again; "": it is.
} cairn_compiler;

/// Find the compiler that the options name, and the runtime.
///
/// Local. Cannot fail: with none, cairn_compile() says so.
void cairn_compiler_init(cairn_env *env, cairn_compiler *compiler);

/// It has been seen to take another processor than this process's for native, so that
/// kernels are for this one's level.
bool cairn_compiler_is_foreign(const cairn_compiler *compiler);

/// Add what the code depends on beside its source, a line each: the compiler as it is
/// named, the flags, the runtime. It stays the same for the compiler's life.
void cairn_compiler_describe(const cairn_compiler *compiler, cairn_text *text);

/// One compiler at work.
typedef struct cairn_compilation cairn_compilation;

/// Start compiling, and do not wait for it. Several may be under way.
///
/// Local.
///
/// @param[out] compilation  To be given to cairn_compile_finish(). Unchanged on failure.
/// @retval CAIRN_NO_KERNEL    There is no compiler, or no place for its files.
cairn_status cairn_compile_start(cairn_compiler     *compiler,
                                 const char         *name,
                                 const char         *source,
                                 cairn_compilation **compilation);

/// See it through; what it returns is as of cairn_compile().
///
/// Local. @param[in,out] compilation  NULL afterwards, in any case.
cairn_status cairn_compile_finish(cairn_compilation **compilation,
                                  cairn_object       *object);

/// Compile.
///
/// Local. Takes 40 to 150 ms, and `time_limit` at most.
///
/// @param[in]  name    The function's name, and the file's.
/// @param[in]  source  C text.
/// @param[out] object  Freed by cairn_object_free(). Unchanged on failure.
/// @retval CAIRN_NO_KERNEL  There is no compiler, it failed, was killed, took too long,
///                            or made nothing; the message has its first line of error.
///                            One that is missing or took too long is not tried again.
cairn_status cairn_compile(cairn_compiler *compiler,
                           const char     *name,
                           const char     *source,
                           cairn_object   *object);

#endif
