// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A kernel of two lines is compiled, loaded, run and looked at, on the first card.

#include "devices/cuda/pinned.h"
#include "devices/cuda/program.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TRIAL = 1000 };

static const char trial[] =
    "#ifndef ITEMS\n"
    "#define ITEMS 128\n"
    "#endif\n"
    "#ifdef __CUDACC__\n"
    "#define KERNEL(name) extern \"C\" __global__ void name(const name##_args op)\n"
    "#endif\n"
    "typedef struct { const double *x; double *y; long n; } cairn_sample_args;\n"
    "KERNEL(cairn_sample)\n"
    "{\n"
    "    for (long k = blockIdx.x * ITEMS + threadIdx.x; k < op.n;\n"
    "         k += gridDim.x * ITEMS)\n"
    "        op.y[k] = 3 * op.x[k];\n"
    "}\n";

/// What the trial has on the card.
typedef struct {
    cairn_device      *device;
    cairn_cuda_module  module;
    cairn_cuda_pointer memory;
    cairn_cuda_pinned  host;
    cairn_cuda_event   event;
} sample;

/// What the kernel is given.
typedef struct {
    cairn_cuda_pointer x, y;
    int64_t            n;
} sample_args;

static cairn_status load(sample *s)
{
    cairn_cuda_device *d      = cairn_cuda_of(s->device);
    cairn_object       object = {0};

    CAIRN_TRY(cairn_nvrtc_compile(s->device->env, &d->code.nvrtc, "cairn_sample", trial,
                                  &object));
    const cairn_cuda_result error =
        CAIRN_CUDA(d, cuModuleLoadData, &s->module, object.bytes);

    cairn_object_free(s->device->env, &object);
    if (error == CAIRN_CUDA_OK) return CAIRN_OK;
    s->module = NULL;
    return cairn_cuda_fail(s->device, error, "code of a trial");
}

static cairn_cuda_result enqueue(const sample *s)
{
    cairn_cuda_device *d           = cairn_cuda_of(s->device);
    const size_t       bytes       = TRIAL * sizeof(double);
    sample_args        args        = {s->memory, s->memory + bytes, TRIAL};
    void              *arguments[] = {&args};
    cairn_cuda_entry   entry;

    cairn_cuda_result error =
        CAIRN_CUDA(d, cuModuleGetFunction, &entry, s->module, "cairn_sample");

    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuMemcpyHtoDAsync_v2, args.x, s->host.begin, bytes,
                           d->stream);
    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuLaunchKernel, entry, 3, 1, 1, 128, 1, 1, 0, d->stream,
                           arguments, NULL);
    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2, s->host.begin + bytes, args.y,
                           bytes, d->stream);
    return cairn_cuda_settle(s->device, s->event, error);
}

/// Run it, and look at what came.
static cairn_status run(sample *s)
{
    const int64_t bytes = 2 * TRIAL * (int64_t)sizeof(double);
    double       *x, *y;

    CAIRN_TRY(load(s));
    CAIRN_TRY(cairn_cuda_alloc(s->device, bytes, "a trial", &s->memory));
    CAIRN_TRY(cairn_cuda_pin(s->device, bytes, &s->host));
    CAIRN_TRY(cairn_cuda_event_make(s->device, false, &s->event));
    x = (double *)(void *)s->host.begin;
    y = x + TRIAL;
    for (int k = 0; k < TRIAL; k++)
        x[k] = k;
    const cairn_cuda_result error = enqueue(s);

    if (error != CAIRN_CUDA_OK) return cairn_cuda_fail(s->device, error, "a trial");
    for (int k = 0; k < TRIAL; k++)
        CAIRN_CHECK(y[k] == 3.0 * k, s->device->env, CAIRN_NO_DEVICE,
                    "device: %s: it computes wrongly: 3 * %d is %.17g",
                    s->device->info.id, k, y[k]);
    return CAIRN_OK;
}

static void finish(sample *s)
{
    cairn_cuda_device *d = cairn_cuda_of(s->device);

    cairn_cuda_event_free(s->device, &s->event);
    cairn_cuda_unpin(s->device, &s->host);
    cairn_cuda_free(d, &s->memory, 2 * TRIAL * (int64_t)sizeof(double));
    if (s->module && !d->loss.lost) CAIRN_CUDA(d, cuModuleUnload, s->module);
}

/// How fast copies are, and what slows them down.
static void check_copies(const sample *s, cairn_diagnostics *findings)
{
    const double            slow  = 10e9;
    const cairn_device_link rates = s->device->info.link;

    if (s->host.begin && !s->host.locked)
        cairn_diagnostics_note(
            findings, "cuda",
            s->device->env->options.cuda_register == CAIRN_CUDA_REGISTER_NEVER
                ? "unset CAIRN_CUDA_REGISTER"
                : "let processes lock memory (ulimit -l)",
            "%s: memory cannot be pinned: copies to and from it are slow",
            s->device->info.id);
    if (rates.up <= 0 || rates.down <= 0) return;
    if (rates.up >= slow && rates.down >= slow)
        cairn_diagnostics_ok(findings, "cuda",
                             "%s: copies to it reach %.3g GB/s, from it %.3g, both at "
                             "once %.3g each",
                             s->device->info.id, rates.up * 1e-9, rates.down * 1e-9,
                             rates.both * 1e-9);
    else
        cairn_diagnostics_note(findings, "cuda",
                               "another slot, or a rank on the card's processor",
                               "%s: copies to it reach %.3g GB/s, from it %.3g",
                               s->device->info.id, rates.up * 1e-9, rates.down * 1e-9);
}

static void try_kernel(cairn_device *device, cairn_diagnostics *findings)
{
    const cairn_nvrtc *nvrtc  = &cairn_cuda_of(device)->code.nvrtc;
    const double       begin  = cairn_seconds();
    sample             s      = {.device = device};
    const cairn_status status = run(&s);

    if (status == CAIRN_OK)
        cairn_diagnostics_ok(findings, "cuda",
                             "%s (%s): NVRTC %d.%d makes %s_%d: a kernel was compiled, "
                             "loaded and run in %.0f ms",
                             device->info.id, device->info.name, nvrtc->major,
                             nvrtc->minor, nvrtc->text ? "compute" : "sm",
                             nvrtc->target, 1e3 * (cairn_seconds() - begin));
    else
        cairn_diagnostics_attention(
            findings, "cuda",
            status == CAIRN_NO_KERNEL
                ? "install all of NVRTC, its libnvrtc-builtins.so, too"
                : "look at what nvidia-smi says of the card",
            "%s", cairn_message(device->env));
    if (status == CAIRN_OK) check_copies(&s, findings);
    finish(&s);
}

/// Does MPS let processes share cards? Drivers that do not say have a pipe to it.
static bool has_mps(const cairn_cuda_device *d)
{
    const char *const folder = cairn_foreign_variable("CUDA_MPS_PIPE_DIRECTORY");
    char              pipe[CAIRN_OPTION_PATH + 16];

    if (cairn_cuda_number(&d->driver, d->card, CAIRN_CUDA_MPS) > 0) return true;
    snprintf(pipe, sizeof pipe, "%.*s/control", CAIRN_OPTION_PATH,
             folder ? folder : "/tmp/nvidia-mps");
    return access(pipe, F_OK) == 0;
}

/// Several ranks of a node, and a card that may not be theirs, or not at once. A launcher may
/// show each rank cards of its own, by CUDA_VISIBLE_DEVICES: then nothing is known.
static void
check_sharing(const cairn_device *device, int ranks, cairn_diagnostics *findings)
{
    static const char        start[] = "start MPS (nvidia-cuda-mps-control -d)";
    const cairn_cuda_device *d       = cairn_cuda_of(device);
    const bool exclusive = cairn_cuda_number(&d->driver, d->card, CAIRN_CUDA_MODE)
                           == CAIRN_CUDA_MODE_EXCLUSIVE;
    cairn_cuda_card card[CAIRN_CUDA_CARDS];
    const int       cards = cairn_cuda_cards(&d->driver, card);
    const bool      shared =
        ranks > cards && !has_mps(d) && !cairn_foreign_variable("CUDA_VISIBLE_DEVICES");

    if (exclusive && shared)
        cairn_diagnostics_attention(
            findings, "cuda", "nvidia-smi -c DEFAULT (as root), or start MPS",
            "%s: its compute mode is exclusive: of %d ranks that share %d card%s one "
            "each "
            "can use it",
            device->info.id, ranks, cards, cards == 1 ? "" : "s");
    else if (exclusive)
        cairn_diagnostics_note(
            findings, "cuda", "",
            "%s: its compute mode is exclusive: no other process can use it meanwhile",
            device->info.id);
    else if (shared)
        cairn_diagnostics_note(
            findings, "cuda", start,
            "%d ranks share %d card%s without MPS: what one has on a "
            "card waits for what another has",
            ranks, cards, cards == 1 ? "" : "s");
}

void cairn_cuda_check(const cairn_device *device,
                      int                 ranks,
                      cairn_diagnostics  *findings)
{
    cairn_device       mine = *device;
    cairn_cuda_device *d    = cairn_cuda_of(device);

    check_sharing(device, ranks, findings);

    if (!d->code.nvrtc.library) {
        cairn_diagnostics_note(
            findings, "cuda",
            "install NVRTC of the driver's release, or name it in CAIRN_NVRTC; until "
            "then "
            "what the cache of kernels does not hold is the processor's",
            "%s (%s): kernels cannot be compiled: %s", device->info.id,
            device->info.name, d->code.why);
        return;
    }
    if (cairn_cuda_enter(d) != CAIRN_CUDA_OK) {
        cairn_diagnostics_attention(
            findings, "cuda", "look at what nvidia-smi says of the card",
            "%s: its context: %s", device->info.id, d->loss.why);
        return;
    }
    try_kernel(&mine, findings);
    cairn_cuda_leave(d);
}
