// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A device that distrusts: the processor's kernels on copies of everything between
/// guards, in a memory of its own. Y that may not be read is poisoned before each run,
/// guards are looked at after it. On request it fails where other devices might: in a
/// build, for want of memory, in a run.

#include "devices/config.h"
#include "devices/debug/guarded.h"
#include "devices/kinds.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Bytes around X that may be read, as comm/halo.h has them around the host's. */
enum { MARGIN = 65536 };

/// What the user asked of one device, and how far it is.
typedef struct {
    int64_t fail_run, fail_build, memory;
    int64_t slow_from, slow_runs;
    double  slow;         ///< Seconds.
    int64_t builds, used; ///< Asked so far; bytes in use. The environment's thread's.
    _Atomic int64_t runs; ///< The queue's.
} debug_device;

typedef struct {
    cairn_env           *env;
    debug_device        *device;
    cairn_device_work    work; ///< On the copies.
    cairn_guarded_member member;
    cairn_guarded        x, y;
    cairn_launch         inner; ///< The delegate's.
    int64_t              bytes;
} debug_product;

static const cairn_device_key keys[] = {
    {"fail_run",   0,    0, 1e9,  true,  "",      "the run in which it is lost, from 1; 0: none"},
    {"fail_build", 0,    0, 1e9,  true,  "",      "the product that is not built, from 1"       },
    {"memory",     0,    0, 1e18, true,  "bytes", "of its own; 0: as much as the process may"   },
    {"slow_from",  0,    0, 1e9,  true,  "",      "the first run that is slow, from 1; 0: none" },
    {"slow_runs",  0,    0, 1e9,  true,  "",      "how many are; 0: all from then on"           },
    {"slow",       0.05, 0, 10,   false, "s",     "how much longer such a run takes"            },
    {NULL,         0,    0, 0,    false, NULL,    NULL                                          },
};

static const cairn_device_model models[] = {
    {"guards", "copies between guards, failures on request", keys},
    {NULL,     NULL,                                         NULL},
};

static cairn_status debug_open(cairn_device *device, int index, int count)
{
    const cairn_device_config *config = device->config;
    cairn_device_facts        *info   = &device->info;
    debug_device              *state  = NULL;

    (void)index;
    (void)count;
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &state));
    state->fail_run   = cairn_config_count(config, "fail_run");
    state->fail_build = cairn_config_count(config, "fail_build");
    state->memory     = cairn_config_count(config, "memory");
    state->slow_from  = cairn_config_count(config, "slow_from");
    state->slow_runs  = cairn_config_count(config, "slow_runs");
    state->slow       = cairn_config_number(config, "slow");
    if (state->memory == 0) state->memory = device->env->memory_limit;
    snprintf(info->name, sizeof info->name, "copies between guards, for tests");
    info->clock        = CAIRN_CLOCK_MEASURED;
    info->memory_bytes = state->memory;
    info->cores = info->threads = 1;
    device->state               = state;
    return CAIRN_OK;
}

static void debug_close(cairn_device *device)
{
    cairn_free(device->env, device->state);
}

static size_t value_bytes(const debug_product *p)
{
    return (size_t)p->work.tensor->value_bits / 8;
}

/// Bytes of Y; its values are f64 where the launch wants them so.
static int64_t y_bytes(const debug_product *p)
{
    const size_t size = p->inner.wide ? sizeof(double) : value_bytes(p);

    return cairn_work_rows_out(&p->work) * p->work.op->columns * (int64_t)size;
}

static int64_t x_bytes(const debug_product *p)
{
    return cairn_work_rows_in(&p->work) * p->work.op->columns * (int64_t)value_bytes(p);
}

/// Bytes before what the kernel reads of X: to the box, in a transposed product none.
static int64_t before_x(const debug_product *p)
{
    const int64_t lo = p->work.op->transposed ? 0 : p->work.tensor->box[1].lo;

    return lo * p->work.op->columns * (int64_t)value_bytes(p);
}

/// Bring X and Y in, run, look at the guards, and bring Y out.
static cairn_status run_apart(cairn_launch *launch, const void *x, void *y)
{
    debug_product *p  = launch->state;
    const size_t   in = (size_t)x_bytes(p), out = (size_t)y_bytes(p);
    const int64_t  before = before_x(p);
    char *const    copy_x = (char *)p->x.data + MARGIN;

    if (in > 0) memcpy(copy_x, (const char *)x + before, in);
    if (launch->sets)
        memset(p->y.data, CAIRN_POISON, out);
    else if (out > 0)
        memcpy(p->y.data, y, out);
    const cairn_status status = p->inner.run(
        &p->inner, (const void *)((uintptr_t)copy_x - (uintptr_t)before), p->y.data);

    if (status != CAIRN_OK) {
        memcpy(launch->message, p->inner.message, sizeof launch->message);
        return status;
    }
    if (!cairn_guarded_is_whole(&p->x) || !cairn_guarded_is_whole(&p->y)
        || !cairn_guarded_member_is_whole(&p->member)) {
        snprintf(launch->message, sizeof launch->message,
                 "device: %s: a kernel wrote past the end of an array",
                 launch->device->info.id);
        return CAIRN_NO_DEVICE;
    }
    if (out > 0) memcpy(y, p->y.data, out);
    return CAIRN_OK;
}

/// Take longer, as a device does that other processes use as well.
static void be_slow(const debug_device *device, int64_t run)
{
    const int64_t from = device->slow_from, runs = device->slow_runs;

    if (from == 0 || run < from || (runs > 0 && run >= from + runs)) return;
    const struct timespec pause = {
        .tv_sec  = (time_t)device->slow,
        .tv_nsec = (long)(1e9 * (device->slow - floor(device->slow)))};

    nanosleep(&pause, NULL);
}

static cairn_status run(cairn_launch *launch, const void *x, void *y)
{
    debug_product *p = launch->state;

    const int64_t n = ++p->device->runs;

    be_slow(p->device, n);
    if (p->device->fail_run == 0 || n < p->device->fail_run)
        return run_apart(launch, x, y);
    memset(y, CAIRN_POISON, (size_t)y_bytes(p)); /* What a lost device may leave. */
    snprintf(launch->message, sizeof launch->message,
             "device: %s: it failed in run %lld, as asked (fail_run)",
             launch->device->info.id, (long long)n);
    return CAIRN_NO_DEVICE;
}

static void discard(debug_product *p)
{
    if (p->inner.release) p->inner.release(&p->inner);
    cairn_guarded_member_fini(p->env, &p->member);
    cairn_guarded_fini(p->env, &p->x);
    cairn_guarded_fini(p->env, &p->y);
    p->device->used -= p->bytes;
    cairn_free(p->env, p);
}

static void release(cairn_launch *launch)
{
    discard(launch->state);
    *launch = (cairn_launch){0};
}

/// Take the bytes of the arrays and of X from the device's memory.
static cairn_status take_memory(cairn_device *device, debug_product *p)
{
    const int64_t bytes = cairn_work_group(&p->work)->bytes + x_bytes(p);
    const int64_t left  = p->device->memory - p->device->used;

    CAIRN_CHECK(bytes <= left, p->env, CAIRN_NO_MEMORY,
                "memory: %s: needs %lld bytes, but %lld are left", device->info.id,
                (long long)bytes, (long long)left);
    p->bytes = bytes;
    p->device->used += bytes;
    return CAIRN_OK;
}

static cairn_status make(cairn_device *device, debug_product *p)
{
    const cairn_device_ops *cpu = cairn_device_delegate(device);

    CAIRN_CHECK(++p->device->builds != p->device->fail_build, p->env, CAIRN_NO_KERNEL,
                "build: %s: it failed, as asked (fail_build)", device->info.id);
    CAIRN_TRY(take_memory(device, p));
    CAIRN_TRY(cairn_guarded_member_init(p->env, &p->work, &p->member));
    p->work.tensor = &p->member.tensor;
    CAIRN_TRY(cpu->build(device, &p->work, &p->inner));
    CAIRN_TRY(cairn_guarded_init(p->env, x_bytes(p) + 2 * (int64_t)MARGIN, &p->x));
    memset(p->x.data, 0, (size_t)p->x.bytes);
    return cairn_guarded_init(p->env, y_bytes(p), &p->y);
}

static cairn_status
debug_build(cairn_device *device, const cairn_device_work *work, cairn_launch *launch)
{
    debug_product *p = NULL;
    cairn_status   status;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &p));
    p->env          = device->env;
    p->device       = device->state;
    p->work         = *work;
    p->work.threads = 1;
    CAIRN_GO(discard, make(device, p));
    *launch = (cairn_launch){.device  = device,
                             .route   = p->inner.route,
                             .sets    = p->inner.sets,
                             .wide    = p->inner.wide,
                             .bytes   = {.own = p->bytes},
                             .run     = run,
                             .release = release,
                             .state   = p};
    return CAIRN_OK;

discard:
    discard(p);
    return status;
}

const cairn_device_ops cairn_device_debug = {
    .kind     = "debug",
    .summary  = "the processor, on guarded copies, with failures on request",
    .delegate = CAIRN_HOST_KIND,
    .models   = models,
    .count    = cairn_device_none,
    .open     = debug_open,
    .close    = debug_close,
    .build    = debug_build,
};
