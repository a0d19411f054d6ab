// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The lists of CUDA's functions (devices/cuda/driver.h, nvrtc.h) are held to CUDA's own
/// headers where these are installed, when this is compiled: result and arguments of each,
/// by CUDA's types in place of ours, and the sizes of these. Where CUDA's stub of the
/// driver is, it must export every name.

#include "devices/cuda/driver.h"
#include "devices/cuda/nvrtc.h"

#include <criterion/criterion.h>

#include <dlfcn.h>
#include <stdio.h>

#ifdef TEST_CUDA_HEADERS

typedef cairn_cuda_result     our_result;
typedef cairn_cuda_card       our_card;
typedef cairn_cuda_attribute  our_attribute;
typedef cairn_cuda_pointer    our_pointer;
typedef cairn_cuda_context    our_context;
typedef cairn_cuda_stream     our_stream;
typedef cairn_cuda_event      our_event;
typedef cairn_cuda_module     our_module;
typedef cairn_cuda_graph      our_graph;
typedef cairn_cuda_graph_exec our_graph_exec;
typedef cairn_cuda_capture    our_capture;
typedef cairn_cuda_entry      our_entry;
typedef cairn_cuda_uuid       our_uuid;
typedef cairn_nvrtc_result    our_nvrtc_result;
typedef cairn_nvrtc_program   our_nvrtc_program;

#    include <cuda.h>

#    include <nvrtc.h>

#    define SAME_SIZE(ours, theirs) \
        _Static_assert(sizeof(our_##ours) == sizeof(theirs), #theirs)

SAME_SIZE(result, CUresult);
SAME_SIZE(card, CUdevice);
SAME_SIZE(attribute, CUdevice_attribute);
SAME_SIZE(pointer, CUdeviceptr);
SAME_SIZE(context, CUcontext);
SAME_SIZE(stream, CUstream);
SAME_SIZE(event, CUevent);
SAME_SIZE(module, CUmodule);
SAME_SIZE(graph, CUgraph);
SAME_SIZE(graph_exec, CUgraphExec);
SAME_SIZE(capture, CUstreamCaptureMode);
SAME_SIZE(entry, CUfunction);
SAME_SIZE(uuid, CUuuid);
SAME_SIZE(nvrtc_result, nvrtcResult);
SAME_SIZE(nvrtc_program, nvrtcProgram);
_Static_assert(__builtin_types_compatible_p(our_pointer, CUdeviceptr), "an address");
_Static_assert(__builtin_types_compatible_p(our_card, CUdevice), "a card");

/* The lists with CUDA's types. */
#    define cairn_cuda_result     CUresult
#    define cairn_cuda_card       CUdevice
#    define cairn_cuda_attribute  CUdevice_attribute
#    define cairn_cuda_pointer    CUdeviceptr
#    define cairn_cuda_context    CUcontext
#    define cairn_cuda_stream     CUstream
#    define cairn_cuda_event      CUevent
#    define cairn_cuda_module     CUmodule
#    define cairn_cuda_graph      CUgraph
#    define cairn_cuda_graph_exec CUgraphExec
#    define cairn_cuda_capture    CUstreamCaptureMode
#    define cairn_cuda_entry      CUfunction
#    define cairn_cuda_uuid       CUuuid
#    define cairn_nvrtc_result    nvrtcResult
#    define cairn_nvrtc_program   nvrtcProgram

#    define X(name, arguments)                                                      \
        _Static_assert(                                                             \
            __builtin_types_compatible_p(__typeof__(&name), CUresult(*) arguments), \
            #name);
CAIRN_CUDA_MAP(X)
#    undef X

#    define X(name, result, arguments)                                            \
        _Static_assert(                                                           \
            __builtin_types_compatible_p(__typeof__(&name), result(*) arguments), \
            #name);
CAIRN_NVRTC_MAP(X)
#    undef X

#    define SAME_NUMBER(ours, theirs) \
        _Static_assert((int)(ours) == (int)(theirs), #theirs)

SAME_NUMBER(CAIRN_CUDA_OK, CUDA_SUCCESS);
SAME_NUMBER(CAIRN_CUDA_INVALID, CUDA_ERROR_INVALID_VALUE);
SAME_NUMBER(CAIRN_CUDA_NO_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME_NUMBER(CAIRN_CUDA_NOT_READY, CUDA_ERROR_NOT_READY);
SAME_NUMBER(CAIRN_CUDA_UNKNOWN, CUDA_ERROR_UNKNOWN);
SAME_NUMBER(CAIRN_CUDA_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME_NUMBER(CAIRN_CUDA_UNITS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_NUMBER(CAIRN_CUDA_MODE, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
SAME_NUMBER(CAIRN_CUDA_MODE_EXCLUSIVE, CU_COMPUTEMODE_EXCLUSIVE_PROCESS);
#    if CUDA_VERSION >= 12040
SAME_NUMBER(CAIRN_CUDA_MPS, CU_DEVICE_ATTRIBUTE_MPS_ENABLED);
#    endif
SAME_NUMBER(CAIRN_CUDA_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_NUMBER(CAIRN_CUDA_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);

/// What is known to stay, by its names.
static const unsigned sticky[] = {
    CUDA_ERROR_ECC_UNCORRECTABLE,
    CUDA_ERROR_NVLINK_UNCORRECTABLE,
    CUDA_ERROR_CONTAINED,
    CUDA_ERROR_ILLEGAL_ADDRESS,
    CUDA_ERROR_LAUNCH_TIMEOUT,
    CUDA_ERROR_CONTEXT_IS_DESTROYED,
    CUDA_ERROR_ASSERT,
    CUDA_ERROR_HARDWARE_STACK_ERROR,
    CUDA_ERROR_ILLEGAL_INSTRUCTION,
    CUDA_ERROR_MISALIGNED_ADDRESS,
    CUDA_ERROR_INVALID_ADDRESS_SPACE,
    CUDA_ERROR_INVALID_PC,
    CUDA_ERROR_LAUNCH_FAILED,
    CUDA_ERROR_TENSOR_MEMORY_LEAK,
    CUDA_ERROR_MPS_CLIENT_TERMINATED,
    CUDA_ERROR_UNKNOWN,
};

Test(cuda_abi, failures_that_stay)
{
    for (size_t k = 0; k < sizeof sticky / sizeof *sticky; k++)
        cr_expect(cairn_cuda_is_sticky(sticky[k]), "%u", sticky[k]);
    cr_expect_not(cairn_cuda_is_sticky(CUDA_ERROR_OUT_OF_MEMORY));
    cr_expect_not(cairn_cuda_is_sticky(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
    cr_expect_not(cairn_cuda_is_sticky(CUDA_ERROR_NOT_READY));
}
#endif

/// Every name of the list is one that the driver exports.
Test(cuda_abi, names_that_the_driver_exports)
{
    const char *const path = TEST_CUDA_STUB;
    void *const       stub = *path == '/' ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;

    if (!stub) {
        fprintf(stderr, "test_cuda_abi: no stub of CUDA's driver here: skipped\n");
        cr_skip_test("no stub of CUDA's driver here");
    }
#define X(name, arguments) cr_expect_not_null(dlsym(stub, #name), #name);
    CAIRN_CUDA_MAP(X)
#undef X
    dlclose(stub);
}
