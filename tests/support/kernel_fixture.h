// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A loader of the processor's kernels for tests, with a cache of its own and a script
/// before the compiler, which counts how often it runs.

#ifndef CAIRN_TESTS_KERNEL_FIXTURE_H
#define CAIRN_TESTS_KERNEL_FIXTURE_H

#include "devices/cpu/kernels.h"
#include "devices/registry.h"
#include "support/kernel_sources.h"
#include "support/scratch.h"

static cairn_env                  env;
static cairn_devices             *devices;
static const cairn_kernel_loader *loader;
static char                       folder[64], command[96], log_path[96];

static inline void open_loader(void)
{
    cr_assert_eq(cairn_devices_open(&env, "--devices", "cpu", &devices), CAIRN_OK, "%s",
                 env.message);
    cr_assert_eq(cairn_device_kernels(&devices->device[0], &loader), CAIRN_OK, "%s",
                 env.message);
}

static inline void close_loader(void)
{
    cairn_devices_close(&env, &devices);
    loader = NULL;
}

/// What another process, or this one on another day, would start with.
static inline void open_again(void)
{
    close_loader();
    open_loader();
}

static inline void set_command(const char *text)
{
    char script[512];

    snprintf(script, sizeof script, "#!/bin/sh\necho x >>%s\n%s\n", log_path, text);
    unlink(command);
    scratch_write(command, script, strlen(script));
    cr_assert_eq(chmod(command, 0700), 0);
    snprintf(env.options.cc, sizeof env.options.cc, "%s", command);
}

static inline void up(void)
{
    cairn_env_init(&env);
    scratch_create(folder);
    snprintf(command, sizeof command, "%s/compiler", folder);
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    snprintf(env.options.cache, sizeof env.options.cache, "%s/cache", folder);
    scratch_write(log_path, "", 0);
    set_command("exec cc \"$@\"");
    open_loader();
}

static inline void down(void)
{
    char remove[96];

    close_loader();
    snprintf(remove, sizeof remove, "rm -rf '%s'", folder);
    cr_expect_eq(system(remove), 0);
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

/// How often the compiler ran.
static inline int compilations(void)
{
    size_t length;

    free(scratch_read(log_path, &length));
    return (int)length / 2;
}

static inline cairn_cpu_kernels *inside(void)
{
    return loader->user;
}

/// Load a made kernel and call it.
static inline cairn_kernel load(made_kernel *made)
{
    const cairn_kernel_request request = request_of(made);
    cairn_kernel               kernel  = {0};

    cr_assert_eq(loader->load(loader->user, &request, &kernel), CAIRN_OK, "%s",
                 env.message);
    cr_expect_eq(((made_fn)kernel.run)(4), 6 * made->factor);
    return kernel;
}

static inline void release(cairn_kernel *kernel)
{
    loader->release(loader->user, kernel);
    cr_expect_null(kernel->run);
}

/// Load and release; @return whether it was there before.
static inline bool was_cached(made_kernel *made)
{
    cairn_kernel kernel = load(made);
    const bool   cached = kernel.cached;

    cr_expect_eq(kernel.route, CAIRN_ROUTE_COMPILED);
    release(&kernel);
    return cached;
}

static inline void expect_refused(made_kernel *made, const char *part)
{
    const cairn_kernel_request request = request_of(made);
    cairn_kernel               kernel  = {.seconds = 77};

    cr_expect_eq(loader->load(loader->user, &request, &kernel), CAIRN_NO_KERNEL);
    cr_expect(strstr(env.message, part), "'%s' is not in '%s'", part, env.message);
    cr_expect_eq(kernel.seconds, 77);
    cr_expect_null(kernel.run);
}

#endif
