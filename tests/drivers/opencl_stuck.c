// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A loader of OpenCL drivers with one device, which computes nothing and never ends a read:
/// its event stays where it is, clFinish() does not return, and neither does whatever lets
/// go of the queue or of its buffers while a read is under way.

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { COMPLETE = 0, SUBMITTED = 2, FAILURE = -30 };

static int platform, device, object, quick, stuck, reading;

static int32_t hang_if_reading(void)
{
    while (reading)
        pause();
    return 0;
}

static int32_t answer(const void *bytes, size_t n, size_t size, void *value)
{
    if (size < n) return FAILURE;
    memcpy(value, bytes, n);
    return 0;
}

/// An event, if somebody wants it.
static int32_t end_with(void **event, int *which)
{
    if (event) *event = which;
    return 0;
}

static void *make(int32_t *error)
{
    if (error) *error = 0;
    return &object;
}

EXPORT int32_t clGetPlatformIDs(uint32_t room, void **list, uint32_t *count)
{
    if (room > 0) list[0] = &platform;
    *count = 1;
    return 0;
}

EXPORT int32_t
clGetPlatformInfo(void *of, uint32_t what, size_t size, void *value, size_t *length)
{
    (void)of, (void)what, (void)length;
    return answer("Stuck", 6, size, value);
}

EXPORT int32_t
clGetDeviceIDs(void *of, uint64_t type, uint32_t room, void **list, uint32_t *count)
{
    (void)of, (void)type;
    if (room > 0) list[0] = &device;
    *count = 1;
    return 0;
}

EXPORT int32_t
clGetDeviceInfo(void *of, uint32_t what, size_t size, void *value, size_t *length)
{
    const uint64_t type = 4, memory = (uint64_t)1 << 30, doubles = 63;
    const uint32_t units = 4, yes = 1;

    (void)of, (void)length;
    if (what == 0x1000) return answer(&type, 8, size, value);
    if (what == 0x101f || what == 0x1010) return answer(&memory, 8, size, value);
    if (what == 0x1002) return answer(&units, 4, size, value);
    if (what == 0x1028) return answer(&yes, 4, size, value);
    if (what == 0x1032) return answer(&doubles, 8, size, value);
    return FAILURE;
}

EXPORT void *
clCreateContext(void *p, uint32_t n, void *list, void *f, void *user, int32_t *error)
{
    (void)p, (void)n, (void)list, (void)f, (void)user;
    return make(error);
}

EXPORT void *clCreateCommandQueue(void *c, void *d, uint64_t how, int32_t *error)
{
    (void)c, (void)d, (void)how;
    return make(error);
}

EXPORT void *
clCreateProgramWithSource(void *c, uint32_t n, void *text, void *size, int32_t *error)
{
    (void)c, (void)n, (void)text, (void)size;
    return make(error);
}

EXPORT void *clCreateProgramWithBinary(void)
{
    return NULL;
}

EXPORT int32_t clBuildProgram(void)
{
    return 0;
}

EXPORT int32_t clGetProgramBuildInfo(void)
{
    return FAILURE;
}

EXPORT int32_t clGetProgramInfo(void)
{
    return FAILURE;
}

EXPORT void *clCreateKernel(void *program, const char *name, int32_t *error)
{
    (void)program, (void)name;
    return make(error);
}

EXPORT int32_t clSetKernelArg(void)
{
    return 0;
}

EXPORT void *
clCreateBuffer(void *c, uint64_t how, size_t size, void *host, int32_t *error)
{
    (void)c, (void)how, (void)size, (void)host;
    return make(error);
}

EXPORT int32_t clEnqueueWriteBuffer(void       *queue,
                                    void       *buffer,
                                    uint32_t    blocking,
                                    size_t      at,
                                    size_t      size,
                                    const void *from,
                                    uint32_t    n,
                                    void       *list,
                                    void      **event)
{
    (void)queue, (void)buffer, (void)blocking, (void)at, (void)size, (void)from;
    (void)n, (void)list;
    return end_with(event, &quick);
}

EXPORT int32_t clEnqueueReadBuffer(void    *queue,
                                   void    *buffer,
                                   uint32_t blocking,
                                   size_t   at,
                                   size_t   size,
                                   void    *to,
                                   uint32_t n,
                                   void    *list,
                                   void   **event)
{
    (void)queue, (void)buffer, (void)at, (void)size, (void)to, (void)n, (void)list;
    reading = 1;
    if (blocking) hang_if_reading();
    return end_with(event, &stuck);
}

EXPORT int32_t clEnqueueCopyBuffer(void    *queue,
                                   void    *from,
                                   void    *to,
                                   size_t   at,
                                   size_t   there,
                                   size_t   size,
                                   uint32_t n,
                                   void    *list,
                                   void   **event)
{
    (void)queue, (void)from, (void)to, (void)at, (void)there, (void)size;
    (void)n, (void)list;
    return end_with(event, &quick);
}

EXPORT int32_t clEnqueueFillBuffer(void       *queue,
                                   void       *buffer,
                                   const void *pattern,
                                   size_t      length,
                                   size_t      at,
                                   size_t      size,
                                   uint32_t    n,
                                   void       *list,
                                   void      **event)
{
    (void)queue, (void)buffer, (void)pattern, (void)length, (void)at, (void)size;
    (void)n, (void)list;
    return end_with(event, &quick);
}

EXPORT int32_t clEnqueueNDRangeKernel(void         *queue,
                                      void         *kernel,
                                      uint32_t      dimensions,
                                      const size_t *offset,
                                      const size_t *items,
                                      const size_t *group,
                                      uint32_t      n,
                                      void         *list,
                                      void        **event)
{
    (void)queue, (void)kernel, (void)dimensions, (void)offset, (void)items;
    (void)group, (void)n, (void)list;
    return end_with(event, &quick);
}

EXPORT int32_t
clGetEventInfo(void *event, uint32_t what, size_t size, void *value, size_t *length)
{
    const int32_t state = event == &stuck ? SUBMITTED : COMPLETE;

    (void)length;
    return what == 0x11d3 ? answer(&state, sizeof state, size, value) : FAILURE;
}

EXPORT int32_t clGetEventProfilingInfo(void)
{
    return FAILURE;
}

EXPORT int32_t clFlush(void)
{
    return 0;
}

EXPORT int32_t clFinish(void)
{
    return hang_if_reading();
}

EXPORT int32_t clReleaseEvent(void *event)
{
    return event == &stuck ? hang_if_reading() : 0;
}

EXPORT int32_t clReleaseKernel(void)
{
    return hang_if_reading();
}

EXPORT int32_t clReleaseProgram(void)
{
    return hang_if_reading();
}

EXPORT int32_t clReleaseMemObject(void)
{
    return hang_if_reading();
}

EXPORT int32_t clReleaseCommandQueue(void)
{
    return hang_if_reading();
}

EXPORT int32_t clReleaseContext(void)
{
    return hang_if_reading();
}
