// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the card is, and what it takes to ask it for anything: rates of copies, alone and
/// both ways at once, and the time of starting a kernel.

#include "card.h"

enum {
    L2_BYTES   = 38, /* attributes of a card, by the driver's numbers */
    MEMORY_KHZ = 36,
    BUS_BITS   = 37,
    REGISTERS  = 82, /* of a multiprocessor */
    SHARED     = 81,
};

static void say(const char *what, double value, const char *unit)
{
    printf("facts,%s,%.6g,%s\n", what, value, unit);
    fflush(stdout);
}

/// What is copied, and how.
typedef struct {
    cairn_cuda_pinned  up, down;
    cairn_cuda_pointer block[2];
    cairn_cuda_stream  other; ///< Beside the device's own.
    int64_t            bytes;
} copies;

static cairn_cuda_result copy_up(void *state, cairn_cuda_device *d)
{
    const copies *s = state;

    return CAIRN_CUDA(d, cuMemcpyHtoDAsync_v2, s->block[0], s->up.begin,
                      (size_t)s->bytes, d->stream);
}

static cairn_cuda_result copy_down(void *state, cairn_cuda_device *d)
{
    const copies *s = state;

    return CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2, s->down.begin, s->block[1],
                      (size_t)s->bytes, d->stream);
}

/// Seconds of both ways at once, by the wall's clock.
static double both_ways(card *c, const copies *s)
{
    cairn_cuda_device *d     = card_of(c);
    cairn_cuda_event   event = NULL, later = NULL;
    const double       begin = bench_seconds();
    cairn_cuda_result  error = CAIRN_CUDA(d, cuEventCreate, &event, 0);

    if (error == CAIRN_CUDA_OK) error = CAIRN_CUDA(d, cuEventCreate, &later, 0);
    if (error == CAIRN_CUDA_OK) error = copy_up((void *)s, d);
    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2, s->down.begin, s->block[1],
                           (size_t)s->bytes, s->other);
    if (error == CAIRN_CUDA_OK) error = CAIRN_CUDA(d, cuEventRecord, later, s->other);
    if (error == CAIRN_CUDA_OK) error = cairn_cuda_wait(c->device, later);
    error = cairn_cuda_settle(c->device, event, error);

    const double seconds = bench_seconds() - begin;

    cairn_cuda_event_free(c->device, &event);
    cairn_cuda_event_free(c->device, &later);
    return error == CAIRN_CUDA_OK ? seconds : -1;
}

static void prepare(card *c, copies *s)
{
    cairn_cuda_device *d = card_of(c);

    s->bytes = c->settings->tiny ? 1 << 16 : 64 << 20;
    if (cairn_cuda_pin(c->device, s->bytes, &s->up) != CAIRN_OK
        || cairn_cuda_pin(c->device, s->bytes, &s->down) != CAIRN_OK
        || cairn_cuda_alloc(c->device, s->bytes, "copies", &s->block[0]) != CAIRN_OK
        || cairn_cuda_alloc(c->device, s->bytes, "copies", &s->block[1]) != CAIRN_OK
        || CAIRN_CUDA(d, cuStreamCreate, &s->other, 1) != CAIRN_CUDA_OK)
        card_stop("copies", cairn_context_message(c->context));
    memset(s->up.begin, 1, (size_t)s->bytes);
    memset(s->down.begin, 1, (size_t)s->bytes);
}

static void finish(card *c, copies *s)
{
    cairn_cuda_device *d = card_of(c);

    CAIRN_CUDA(d, cuStreamDestroy_v2, s->other);
    for (int k = 0; k < 2; k++)
        cairn_cuda_free(d, &s->block[k], s->bytes);
    cairn_cuda_unpin(c->device, &s->up);
    cairn_cuda_unpin(c->device, &s->down);
}

static void measure_copies(card *c)
{
    enum { TURNS = 5 };
    copies s  = {.bytes = 0};
    double up = -1, down = -1, both = -1;

    if (cairn_cuda_enter(card_of(c)) != CAIRN_CUDA_OK) card_stop("context", "lost");
    prepare(c, &s);
    for (int k = 0; k < TURNS; k++) {
        const double now[3] = {card_time(c, copy_up, &s, 1),
                               card_time(c, copy_down, &s, 1), both_ways(c, &s)};

        up   = up < 0 || now[0] < up ? now[0] : up;
        down = down < 0 || now[1] < down ? now[1] : down;
        both = both < 0 || now[2] < both ? now[2] : both;
    }
    say("pinned up", (double)s.bytes / up * 1e-9, "GB/s");
    say("pinned down", (double)s.bytes / down * 1e-9, "GB/s");
    say("pinned both ways in sum", 2 * (double)s.bytes / both * 1e-9, "GB/s");
    finish(c, &s);
    cairn_cuda_leave(card_of(c));
}

/// With what was recorded as a graph, and step by step.
static void measure_runs(cairn_launch *launch, int n, const double *x, double *y)
{
    cairn_cuda_product         *p     = launch->state;
    cairn_cuda_graph_exec const graph = p->alone.graph;

    for (int way = graph ? 0 : 1; way < 2; way++) {
        const double begin = bench_seconds();

        if (way == 1) p->alone.graph = NULL;
        for (int k = 0; k < n; k++)
            launch->run(launch, x, y);
        say(way ? "a run from host to host step by step" : "a run from host to host",
            1e6 * (bench_seconds() - begin) / n, "us");
    }
    p->alone.graph = graph;
}

/// A product of two rows: what remains is the starting.
static void measure_starts(card *c)
{
    const int64_t               coord[4] = {0, 0, 1, 1}, extent[2] = {2, 2};
    const double                value[2] = {1.25, 0.75};
    const cairn_product_options op       = CAIRN_PRODUCT_OPTIONS;
    const int                   n        = c->settings->tiny ? 10 : 1000;
    cairn_source               *source   = NULL;
    cairn_format               *format   = NULL;
    cairn_tensor               *tensor   = NULL;
    cairn_launch                launch   = {0};
    double                      x[2]     = {1, 2}, y[2];

    if (cairn_source_from_coords(c->context, 2, extent, 2, coord, value, CAIRN_BY_ROWS,
                                 &source)
        || cairn_format_create(c->context, "ell", &format)
        || cairn_tensor_create(source, format, CAIRN_F64, &tensor))
        card_stop("a small product", cairn_context_message(c->context));
    const cairn_device_work work  = {.tensor = tensor->local, .op = &op, .alone = true};
    double                  begin = bench_seconds();

    if (c->device->ops.build(c->device, &work, &launch) != CAIRN_OK)
        card_stop("a small product", cairn_context_message(c->context));
    say("first use of a format", 1e3 * (bench_seconds() - begin), "ms");
    say("a kernel behind others", 1e6 * card_time(c, card_kernels, launch.state, n) / n,
        "us");
    launch.run(&launch, x, y);
    measure_runs(&launch, n, x, y);
    launch.release(&launch);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

bool card_facts(card *c)
{
    const cairn_cuda_device *d = card_of(c);

    printf("facts,card,%s,\nfacts,driver,%s,\n", c->device->info.name,
           c->device->info.driver);
    printf("facts,NVRTC,%d.%d for %s_%d%s%s,\n", d->code.nvrtc.major,
           d->code.nvrtc.minor, d->code.nvrtc.text ? "compute" : "sm",
           d->code.nvrtc.target, d->code.nvrtc.library ? "" : ": ", d->code.why);
    say("compute capability", d->capable / 10.0, "");
    say("multiprocessors", d->units, "");
    say("free memory", (double)c->device->info.memory_bytes * 1e-9, "GB");
    say("L2", cairn_cuda_number(&d->driver, d->card, L2_BYTES) * 1e-6, "MB");
    say("memory's clock", cairn_cuda_number(&d->driver, d->card, MEMORY_KHZ) * 1e-3,
        "MHz");
    say("memory's bus", cairn_cuda_number(&d->driver, d->card, BUS_BITS), "bits");
    say("registers", cairn_cuda_number(&d->driver, d->card, REGISTERS), "");
    say("shared memory", cairn_cuda_number(&d->driver, d->card, SHARED), "bytes");
    if (c->device->ops.measure(c->device) != CAIRN_OK)
        card_stop("copies", cairn_context_message(c->context));
    say("copy in its memory", c->device->info.bandwidth * 1e-9, "GB/s");
    measure_copies(c);
    measure_starts(c);
    return true;
}
