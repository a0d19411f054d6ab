// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Programs, from text and from files.

#include "devices/opencl/program.h"

#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/// The first line that says something of what the compiler wrote.
static void
first_line(const cairn_opencl_device *d, cl_program program, char *line, size_t size)
{
    char   log[4096] = "";
    size_t length    = 0;

    /* A longer log is refused whole: the error's name is left. */
    d->driver.GetProgramBuildInfo(program, d->device, CL_PROGRAM_BUILD_LOG,
                                  sizeof log - 1, log, &length);
    const char *const text = log + strspn(log, " \t\r\n");

    snprintf(line, size, "%.*s", (int)strcspn(text, "\r\n"), text);
}

/// Build a program, which is released if it cannot be.
static cairn_status
build(cairn_device *device, const char *symbol, cl_program program, cl_program *built)
{
    const cairn_opencl_device *d = cairn_opencl_of(device);
    char                       line[300];
    const cl_int error = d->driver.BuildProgram(program, 1, &d->device, "", NULL, NULL);

    if (error == CL_SUCCESS) {
        *built = program;
        return CAIRN_OK;
    }
    first_line(d, program, line, sizeof line);
    d->driver.ReleaseProgram(program);
    return cairn_fail(device->env, CAIRN_NO_KERNEL, "device: %s: %s: %s%s%s",
                      device->info.id, symbol, cairn_opencl_error(error),
                      line[0] ? ": " : "", line);
}

/// A file's bytes, at most 256 MB of them.
static cairn_status
read_file(cairn_env *env, const char *path, unsigned char **bytes, size_t *length)
{
    const int64_t  most  = 256 << 20;
    unsigned char *fresh = NULL;
    int64_t        all;

    CAIRN_TRY(cairn_file_length(env, path, &all));
    CAIRN_CHECK(all > 0 && all <= most, env, CAIRN_IO,
                "read: %s: it has %" PRId64 " bytes", path, all);
    CAIRN_TRY(CAIRN_NEW(env, all, &fresh));
    FILE *const  file = fopen(path, "rbe");
    const size_t got  = file ? fread(fresh, 1, (size_t)all, file) : 0;

    if (file) fclose(file);
    if (got != (size_t)all) {
        cairn_free(env, fresh);
        return cairn_fail(env, CAIRN_IO, "read: %s: it cannot be read", path);
    }
    *bytes  = fresh;
    *length = got;
    return CAIRN_OK;
}

/// The program in a file.
static cairn_status
load(cairn_device *device, const char *path, const char *symbol, cl_program *program)
{
    const cairn_opencl_device *d      = cairn_opencl_of(device);
    unsigned char             *bytes  = NULL;
    size_t                     length = 0;
    cl_int                     taken  = CL_INVALID_BINARY, error;

    CAIRN_TRY(read_file(device->env, path, &bytes, &length));
    const cl_program fresh = d->driver.CreateProgramWithBinary(
        d->context, 1, &d->device, &length, (const unsigned char **)&bytes, &taken,
        &error);

    cairn_free(device->env, bytes);
    CAIRN_CHECK(fresh, device->env, CAIRN_NO_KERNEL, "device: %s: %s: %s",
                device->info.id, path, cairn_opencl_error(error));
    return build(device, symbol, fresh, program);
}

static cairn_status
compile(cairn_device *device, const char *text, const char *symbol, cl_program *program)
{
    const cairn_opencl_device *d = cairn_opencl_of(device);
    cl_int                     error;

    CAIRN_CHECK(d->compiles, device->env, CAIRN_NO_KERNEL,
                "device: %s: it does not compile, and there is no %s.clbin "
                "(CAIRN_OPENCL_BIN)",
                device->info.id, symbol);
    const cl_program fresh =
        d->driver.CreateProgramWithSource(d->context, 1, &text, NULL, &error);

    CAIRN_CHECK(fresh, device->env, cairn_opencl_status(error), "device: %s: %s: %s",
                device->info.id, symbol, cairn_opencl_error(error));
    return build(device, symbol, fresh, program);
}

cairn_status cairn_opencl_program(cairn_device              *device,
                                  const cairn_opencl_kernel *kernel,
                                  const char                *symbol,
                                  cl_program                *program,
                                  cairn_route               *route)
{
    const char *const folder = device->env->options.opencl_bin;
    char              path[CAIRN_OPTION_PATH + 64];
    struct stat       there;

    CAIRN_TRY(cairn_kernel_dump(device->env, symbol, ".cl", kernel->text));
    snprintf(path, sizeof path, "%s/%s.clbin", folder, symbol);
    if (folder[0] && stat(path, &there) == 0) {
        CAIRN_TRY(load(device, path, symbol, program));
        *route = CAIRN_ROUTE_PREBUILT;
        return CAIRN_OK;
    }
    CAIRN_TRY(compile(device, kernel->text, symbol, program));
    *route = CAIRN_ROUTE_COMPILED;
    return CAIRN_OK;
}
