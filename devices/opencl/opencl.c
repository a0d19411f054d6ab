// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// OpenCL devices of all platforms, numbered in their order. Main memory and the queue
/// that calls a launch are the processor's; the device's own queue is used inside a run.

#include "devices/discover.h"
#include "devices/opencl/device.h"
#include "devices/product.h"

#include <stdio.h>
#include <string.h>

static int opencl_count(const cairn_machine *machine)
{
    cairn_opencl_handle handle[CAIRN_OPENCL_DEVICES];
    cairn_opencl_driver driver;
    int                 count;

    (void)machine;
    if (!cairn_opencl_driver_open(&driver)) return 0;
    count = cairn_opencl_devices(&driver, handle);
    cairn_opencl_driver_close(&driver);
    return count;
}

void cairn_opencl_text(const cairn_opencl_device *device,
                       cl_device_info             what,
                       char                      *text,
                       size_t                     size)
{
    char whole[1024] = "";

    if (device->driver.GetDeviceInfo(device->device, what, sizeof whole - 1, whole,
                                     NULL)
        != CL_SUCCESS)
        whole[0] = '\0';
    /* It is put into messages and keys. */
    for (char *at = whole; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f) *at = ' ';
    snprintf(text, size, "%s", whole + strspn(whole, " "));
}

/// A fact of @p size bytes; it stays what it is where the device does not say.
static void ask(cairn_opencl_device *d, cl_device_info what, size_t size, void *fact)
{
    char answer[16];

    if (d->driver.GetDeviceInfo(d->device, what, size, answer, NULL) == CL_SUCCESS)
        memcpy(fact, answer, size);
}

static void ask_all(cairn_opencl_device *d)
{
    cl_device_type      type    = 0;
    cl_bool             compile = CL_FALSE;
    cl_device_fp_config doubles = 0;

    ask(d, CL_DEVICE_TYPE, sizeof type, &type);
    ask(d, CL_DEVICE_COMPILER_AVAILABLE, sizeof compile, &compile);
    ask(d, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles);
    ask(d, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof d->memory, &d->memory);
    ask(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof d->most_bytes, &d->most_bytes);
    ask(d, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof d->units, &d->units);
    ask(d, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof d->group, &d->group);
    d->processor = (type & CL_DEVICE_TYPE_CPU) != 0;
    d->doubles   = doubles != 0;
    d->compiles  = compile != CL_FALSE;
}

/// Take number @p index of the devices there are.
static cairn_status take(cairn_env *env, cairn_opencl_device *d, int index)
{
    cairn_opencl_handle handle[CAIRN_OPENCL_DEVICES];

    CAIRN_CHECK(cairn_opencl_driver_open(&d->driver), env, CAIRN_NO_DEVICE,
                "device: opencl:%d: there is no libOpenCL.so.1 here", index);
    const int count = cairn_opencl_devices(&d->driver, handle);

    CAIRN_CHECK(index < count, env, CAIRN_NO_DEVICE,
                "device: opencl:%d: OpenCL has %d device%s here", index, count,
                count == 1 ? "" : "s");
    d->platform = handle[index].platform;
    d->device   = handle[index].device;
    return CAIRN_OK;
}

static cairn_status create(cairn_env *env, cairn_opencl_device *d, int index)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)d->platform, 0};
    cl_int                      error;

    d->context = d->driver.CreateContext(properties, 1, &d->device, NULL, NULL, &error);
    CAIRN_CHECK(d->context, env, cairn_opencl_status(error),
                "device: opencl:%d: a context: %s", index, cairn_opencl_error(error));
    d->queue = d->driver.CreateCommandQueue(d->context, d->device,
                                            CL_QUEUE_PROFILING_ENABLE, &error);
    CAIRN_CHECK(d->queue, env, cairn_opencl_status(error),
                "device: opencl:%d: a queue: %s", index, cairn_opencl_error(error));
    return CAIRN_OK;
}

static void discard(cairn_env *env, cairn_opencl_device *d)
{
    if (d->queue && !d->lost) d->driver.ReleaseCommandQueue(d->queue);
    if (d->context && !d->lost) d->driver.ReleaseContext(d->context);
    cairn_opencl_driver_close(&d->driver);
    cairn_free(env, d);
}

/// Driver and highest clock. A processor's clock is the host's (cost/cost_file.h has it),
/// and drivers give the one of the moment for it.
static void describe_driver(const cairn_opencl_device *d, char *text, size_t size)
{
    cl_uint clock = 0;
    char    version[40];

    cairn_opencl_text(d, CL_DRIVER_VERSION, version, sizeof version);
    if (!d->processor)
        d->driver.GetDeviceInfo(d->device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof clock,
                                &clock, NULL);
    if (clock)
        snprintf(text, size, "%s, %u MHz", version, clock);
    else
        snprintf(text, size, "%s", version);
}

static void describe(cairn_device *device, const cairn_opencl_device *d)
{
    cairn_device_facts *info  = &device->info;
    const int64_t       asked = device->env->options.threads;

    cairn_opencl_text(d, CL_DEVICE_NAME, info->name, sizeof info->name);
    describe_driver(d, info->driver, sizeof info->driver);
    info->clock        = CAIRN_CLOCK_MEASURED;
    info->memory_bytes = d->memory < INT64_MAX ? (int64_t)d->memory : INT64_MAX;
    info->cores        = (int)d->units;
    /* What is delegated to the processor runs on its threads. */
    info->threads = asked > 0 ? (int)asked : device->machine->cores;
}

static cairn_status opencl_open(cairn_device *device, int index, int count)
{
    cairn_opencl_device *d = NULL;
    cairn_status         status;

    (void)count;
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &d));
    CAIRN_GO(discard, take(device->env, d, index));
    ask_all(d);
    CAIRN_GO(discard, create(device->env, d, index));
    describe(device, d);
    device->state = d;
    return CAIRN_OK;

discard:
    discard(device->env, d);
    return status;
}

static void opencl_close(cairn_device *device)
{
    discard(device->env, device->state);
    device->state = NULL;
}

static bool opencl_can(const cairn_device *device, const cairn_device_request *request)
{
    const cairn_opencl_device *d = cairn_opencl_of(device);

    return d->doubles && (cl_ulong)request->memory_bytes <= d->memory;
}

const cairn_device_ops cairn_device_opencl = {
    .kind     = "opencl",
    .summary  = "devices of OpenCL platforms: graphics cards, FPGA cards, processors",
    .delegate = "cpu",
    .presence = CAIRN_PRESENT_ASKED,
    .count    = opencl_count,
    .open     = opencl_open,
    .close    = opencl_close,
    .measure  = cairn_opencl_measure,
    .cost     = cairn_opencl_cost,
    .can      = opencl_can,
    .build    = cairn_opencl_build,
};
