// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// CUDA's compiler of kernels, NVRTC: a library that is opened by name, as the driver is. Of
/// several releases that of the driver's is taken, else an older one: what a newer one
/// makes the driver may not load. A card that is older than all that a release knows is
/// left to the release before it.

#ifndef CAIRN_DEVICES_CUDA_NVRTC_H
#define CAIRN_DEVICES_CUDA_NVRTC_H

#include "emit/cache.h"

typedef unsigned cairn_nvrtc_result; ///< nvrtcResult; 0: success.
typedef void    *cairn_nvrtc_program;

/// The functions of NVRTC 12.0 that are used: name, result, arguments.
#define CAIRN_NVRTC_MAP(X)                                                          \
    X(nvrtcVersion, cairn_nvrtc_result, (int *, int *))                             \
    X(nvrtcGetErrorString, const char *, (cairn_nvrtc_result))                      \
    X(nvrtcGetNumSupportedArchs, cairn_nvrtc_result, (int *))                       \
    X(nvrtcGetSupportedArchs, cairn_nvrtc_result, (int *))                          \
    X(nvrtcCreateProgram, cairn_nvrtc_result,                                       \
      (cairn_nvrtc_program *, const char *, const char *, int, const char *const *, \
       const char *const *))                                                        \
    X(nvrtcDestroyProgram, cairn_nvrtc_result, (cairn_nvrtc_program *))             \
    X(nvrtcCompileProgram, cairn_nvrtc_result,                                      \
      (cairn_nvrtc_program, int, const char *const *))                              \
    X(nvrtcGetProgramLogSize, cairn_nvrtc_result, (cairn_nvrtc_program, size_t *))  \
    X(nvrtcGetProgramLog, cairn_nvrtc_result, (cairn_nvrtc_program, char *))        \
    X(nvrtcGetCUBINSize, cairn_nvrtc_result, (cairn_nvrtc_program, size_t *))       \
    X(nvrtcGetCUBIN, cairn_nvrtc_result, (cairn_nvrtc_program, char *))             \
    X(nvrtcGetPTXSize, cairn_nvrtc_result, (cairn_nvrtc_program, size_t *))         \
    X(nvrtcGetPTX, cairn_nvrtc_result, (cairn_nvrtc_program, char *))

typedef struct cairn_nvrtc {
    void *library;      ///< NULL: there is none that would do.
    int   major, minor; ///< Its version.
    int   target;       ///< What it compiles for: 90 for compute capability 9.0.
    bool  text;         ///< It makes PTX, which the driver compiles: the card is newer.
#define X(name, result, arguments) result(*name) arguments;
    CAIRN_NVRTC_MAP(X)
#undef X
} cairn_nvrtc;

/// Find a release that compiles for a card.
///
/// @param[in]  asked    CAIRN_NVRTC: the path of a library; "none"; "": by the rule above.
/// @param[in]  driver   The driver's version, 12040 for CUDA 12.4; 0: there is none here,
///                      and code is for another machine's.
/// @param[in]  capable  The card's compute capability, 90 for 9.0.
/// @param[out] why      One line, where it returns false.
/// @return false: there is none.
bool cairn_nvrtc_open(const char  *asked,
                      int          driver,
                      int          capable,
                      cairn_nvrtc *nvrtc,
                      char        *why,
                      size_t       size);
void cairn_nvrtc_close(cairn_nvrtc *nvrtc);

/// Write the option that names the target: "--gpu-architecture=sm_90".
void cairn_nvrtc_target(const cairn_nvrtc *nvrtc, char *option, size_t size);

/// Compile a kernel.
///
/// Any thread, but for the environment's message.
///
/// @param[in]  symbol  For messages.
/// @param[out] object  What the driver loads; cairn_object_free(). Unchanged on failure.
/// @retval CAIRN_NO_KERNEL  It does not compile; the message has the first line of what
///                          the compiler says.
/// @retval CAIRN_NO_MEMORY  Of the compiler's, too.
cairn_status cairn_nvrtc_compile(cairn_env         *env,
                                 const cairn_nvrtc *nvrtc,
                                 const char        *symbol,
                                 const char        *text,
                                 cairn_object      *object);

#endif
