// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// CUDA's driver as a table of functions, found when a device is asked for: libcuda.so.1 is
/// opened by name and never linked, and none of its headers is needed. Prototypes are
/// ours. A name as it is exported, with its version, is the interface; where the driver's
/// header is installed a test holds every line of the list to it.

#ifndef CAIRN_DEVICES_CUDA_DRIVER_H
#define CAIRN_DEVICES_CUDA_DRIVER_H

#include "base/env.h"

typedef unsigned           cairn_cuda_result;    ///< CUresult; 0: success.
typedef int                cairn_cuda_card;      ///< CUdevice.
typedef unsigned           cairn_cuda_attribute; ///< CUdevice_attribute.
typedef unsigned long long cairn_cuda_pointer;   ///< CUdeviceptr.
typedef void              *cairn_cuda_context;
typedef void              *cairn_cuda_stream;
typedef void              *cairn_cuda_event;
typedef void              *cairn_cuda_graph;
typedef void              *cairn_cuda_graph_exec;
typedef unsigned           cairn_cuda_capture; ///< CUstreamCaptureMode.
typedef void              *cairn_cuda_module;
typedef void              *cairn_cuda_entry;

/// What tells cards apart.
typedef struct cairn_cuda_uuid {
    char bytes[16];
} cairn_cuda_uuid;

/// The functions of CUDA 12.0 that are used: name, arguments. All return a result.
#define CAIRN_CUDA_MAP(X)                                                              \
    X(cuInit, (unsigned))                                                              \
    X(cuDriverGetVersion, (int *))                                                     \
    X(cuGetErrorName, (cairn_cuda_result, const char **))                              \
    X(cuDeviceGetCount, (int *))                                                       \
    X(cuDeviceGet, (cairn_cuda_card *, int))                                           \
    X(cuDeviceGetName, (char *, int, cairn_cuda_card))                                 \
    X(cuDeviceGetUuid_v2, (cairn_cuda_uuid *, cairn_cuda_card))                        \
    X(cuDeviceTotalMem_v2, (size_t *, cairn_cuda_card))                                \
    X(cuDeviceGetAttribute, (int *, cairn_cuda_attribute, cairn_cuda_card))            \
    X(cuDevicePrimaryCtxRetain, (cairn_cuda_context *, cairn_cuda_card))               \
    X(cuDevicePrimaryCtxRelease_v2, (cairn_cuda_card))                                 \
    X(cuCtxPushCurrent_v2, (cairn_cuda_context))                                       \
    X(cuCtxPopCurrent_v2, (cairn_cuda_context *))                                      \
    X(cuMemGetInfo_v2, (size_t *, size_t *))                                           \
    X(cuMemAlloc_v2, (cairn_cuda_pointer *, size_t))                                   \
    X(cuMemFree_v2, (cairn_cuda_pointer))                                              \
    X(cuMemHostRegister_v2, (void *, size_t, unsigned))                                \
    X(cuMemHostUnregister, (void *))                                                   \
    X(cuMemcpyHtoDAsync_v2,                                                            \
      (cairn_cuda_pointer, const void *, size_t, cairn_cuda_stream))                   \
    X(cuMemcpyDtoHAsync_v2, (void *, cairn_cuda_pointer, size_t, cairn_cuda_stream))   \
    X(cuMemcpyDtoDAsync_v2,                                                            \
      (cairn_cuda_pointer, cairn_cuda_pointer, size_t, cairn_cuda_stream))             \
    X(cuMemsetD8Async, (cairn_cuda_pointer, unsigned char, size_t, cairn_cuda_stream)) \
    X(cuStreamCreate, (cairn_cuda_stream *, unsigned))                                 \
    X(cuStreamDestroy_v2, (cairn_cuda_stream))                                         \
    X(cuStreamWaitEvent, (cairn_cuda_stream, cairn_cuda_event, unsigned))              \
    X(cuEventCreate, (cairn_cuda_event *, unsigned))                                   \
    X(cuEventDestroy_v2, (cairn_cuda_event))                                           \
    X(cuEventRecord, (cairn_cuda_event, cairn_cuda_stream))                            \
    X(cuEventRecordWithFlags, (cairn_cuda_event, cairn_cuda_stream, unsigned))         \
    X(cuEventQuery, (cairn_cuda_event))                                                \
    X(cuEventElapsedTime, (float *, cairn_cuda_event, cairn_cuda_event))               \
    X(cuStreamBeginCapture_v2, (cairn_cuda_stream, cairn_cuda_capture))                \
    X(cuStreamEndCapture, (cairn_cuda_stream, cairn_cuda_graph *))                     \
    X(cuGraphInstantiateWithFlags,                                                     \
      (cairn_cuda_graph_exec *, cairn_cuda_graph, unsigned long long))                 \
    X(cuGraphDestroy, (cairn_cuda_graph))                                              \
    X(cuGraphLaunch, (cairn_cuda_graph_exec, cairn_cuda_stream))                       \
    X(cuGraphExecDestroy, (cairn_cuda_graph_exec))                                     \
    X(cuModuleLoadData, (cairn_cuda_module *, const void *))                           \
    X(cuModuleUnload, (cairn_cuda_module))                                             \
    X(cuModuleGetFunction, (cairn_cuda_entry *, cairn_cuda_module, const char *))      \
    X(cuLaunchKernel,                                                                  \
      (cairn_cuda_entry, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
       unsigned, cairn_cuda_stream, void **, void **))

/// Results that are told apart, by the driver's numbers.
enum {
    CAIRN_CUDA_OK             = 0,
    CAIRN_CUDA_INVALID        = 1,
    CAIRN_CUDA_NO_MEMORY      = 2,
    CAIRN_CUDA_NOT_READY      = 600,
    CAIRN_CUDA_UNKNOWN        = 999,
    CAIRN_CUDA_GIVEN_UP       = 9000, ///< Ours: CAIRN_GIVE_UP has passed.
    CAIRN_CUDA_OLDEST_DRIVER  = 12000,
    CAIRN_CUDA_OLDEST_CAPABLE = 70, ///< Compute capability 7.0.
};

/// Attributes of a card, likewise.
enum {
    CAIRN_CUDA_CLOCK_KHZ = 13,
    CAIRN_CUDA_UNITS     = 16,
    CAIRN_CUDA_MODE      = 20, ///< Who may use it at a time.
    CAIRN_CUDA_MAJOR     = 75,
    CAIRN_CUDA_MINOR     = 76,
    CAIRN_CUDA_MPS       = 133, ///< Contexts are shared by MPS; drivers of 12.4 on say.
};

enum { CAIRN_CUDA_MODE_EXCLUSIVE = 3 }; ///< One process.

typedef struct cairn_cuda_driver {
    void *library; ///< NULL: it is not open.
    int   version; ///< 1000 * major + 10 * minor of the newest CUDA that it runs.
#define X(name, arguments) cairn_cuda_result(*name) arguments;
    CAIRN_CUDA_MAP(X)
#undef X
} cairn_cuda_driver;

/// Find the driver and start it. It stays in memory till the process ends.
///
/// @param[out] why  One line, where it returns false.
/// @return false: there is none, it does not start, or it is older than CUDA 12.0.
bool cairn_cuda_driver_open(cairn_cuda_driver *driver, char *why, size_t size);

#define CAIRN_CUDA_CARDS 64 ///< More are not looked at.

/// List the cards that can be used: those of compute capability 7.0 and later.
///
/// @param[out] card  Room for CAIRN_CUDA_CARDS.
/// @return how many there are.
int cairn_cuda_cards(const cairn_cuda_driver *driver,
                     cairn_cuda_card          card[CAIRN_CUDA_CARDS]);

/// A number that a card has; 0 where it does not say.
int cairn_cuda_number(const cairn_cuda_driver *driver,
                      cairn_cuda_card          card,
                      cairn_cuda_attribute     what);

/// A card's compute capability, 90 for 9.0.
int cairn_cuda_capable(const cairn_cuda_driver *driver, cairn_cuda_card card);

/// The name of a failure, as the driver has it: "CUDA_ERROR_LAUNCH_FAILED".
const char *cairn_cuda_error(const cairn_cuda_driver *driver, cairn_cuda_result error);

/// Does a failure stay: is nothing that is asked of the context answered after it?
bool cairn_cuda_is_sticky(cairn_cuda_result error);

/// What a failure is for who asked: NO_MEMORY or NO_DEVICE.
cairn_status cairn_cuda_status(cairn_cuda_result error);

#endif
