// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Programs, compiled by the device's own compiler.

#include "devices/opencl/program.h"

#include <stdio.h>
#include <string.h>

/// The first line that says something of what the compiler wrote.
static void
first_line(const cairn_opencl_device *d, cl_program program, char *line, size_t size)
{
    char   log[2048] = "";
    size_t length    = 0;

    /* A longer log is refused whole: then its end is all that is lost. */
    d->driver.GetProgramBuildInfo(program, d->device, CL_PROGRAM_BUILD_LOG,
                                  sizeof log - 1, log, &length);
    const char  *text = log + strspn(log, " \t\r\n");
    const size_t end  = strcspn(text, "\r\n");

    snprintf(line, size, "%.*s", (int)end, text);
}

/// Build a program, which is released if it cannot be.
static cairn_status build(cairn_device *device, const char *symbol, cl_program *program)
{
    const cairn_opencl_device *d = cairn_opencl_of(device);
    char                       line[300];
    const cl_int               error =
        d->driver.BuildProgram(*program, 1, &d->device, "", NULL, NULL);

    if (error == CL_SUCCESS) return CAIRN_OK;
    first_line(d, *program, line, sizeof line);
    d->driver.ReleaseProgram(*program);
    *program = NULL;
    return cairn_fail(device->env, CAIRN_NO_KERNEL, "device: %s: %s: %s%s%s",
                      device->info.id, symbol, cairn_opencl_error(error),
                      line[0] ? ": " : "", line);
}

cairn_status cairn_opencl_program(cairn_device              *device,
                                  const cairn_opencl_kernel *kernel,
                                  const char                *symbol,
                                  cl_program                *program,
                                  cairn_route               *route)
{
    const cairn_opencl_device *d      = cairn_opencl_of(device);
    const char                *source = kernel->text;
    cl_int                     error;
    cl_program                 fresh =
        d->driver.CreateProgramWithSource(d->context, 1, &source, NULL, &error);

    CAIRN_CHECK(fresh, device->env, cairn_opencl_status(error), "device: %s: %s: %s",
                device->info.id, symbol, cairn_opencl_error(error));
    CAIRN_TRY(build(device, symbol, &fresh));
    *program = fresh;
    *route   = CAIRN_ROUTE_COMPILED;
    return CAIRN_OK;
}
