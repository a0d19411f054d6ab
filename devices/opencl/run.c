// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One run: everything is enqueued at once on the device's queue, which is in order, and
/// its last command is waited for. Times come from the events' profiles. The environment
/// is not touched.

#include "devices/opencl/product.h"

#include <stdio.h>
#include <string.h>

/// Where a time is taken.
typedef enum { X_IN, Y_IN, FIRST, LAST, Y_OUT, EVENTS } moment;

typedef struct {
    const cairn_opencl_product *p;
    const cairn_opencl_device  *d;
    cl_event                    event[EVENTS];
    cl_int                      error; ///< The first,
    const char                 *where; ///< and what met it.
} attempt;

static void note(attempt *s, cl_int error, const char *where)
{
    if (s->error != CL_SUCCESS || error == CL_SUCCESS) return;
    s->error = error;
    s->where = where;
}

static void copy_in(attempt *s, moment m, cl_mem to, const void *from, int64_t bytes)
{
    if (s->error != CL_SUCCESS || bytes == 0) return;
    note(s,
         s->d->driver.EnqueueWriteBuffer(s->d->queue, to, CL_FALSE, 0, (size_t)bytes,
                                         from, 0, NULL, &s->event[m]),
         m == X_IN ? "X to it" : "Y to it");
}

static void clear_y(attempt *s)
{
    const cl_uint zero = 0;

    if (s->error != CL_SUCCESS || s->p->y_bytes == 0) return;
    note(s,
         s->d->driver.EnqueueFillBuffer(s->d->queue, s->p->y, &zero, sizeof zero, 0,
                                        (size_t)s->p->y_bytes, 0, NULL, NULL),
         "Y set to 0");
}

static void copy_out(attempt *s, void *to)
{
    if (s->error != CL_SUCCESS || s->p->y_bytes == 0) return;
    note(s,
         s->d->driver.EnqueueReadBuffer(s->d->queue, s->p->y, CL_FALSE, 0,
                                        (size_t)s->p->y_bytes, to, 0, NULL,
                                        &s->event[Y_OUT]),
         "Y from it");
}

/// Number of the first part, or of the last, that has a kernel; -1: none has.
static int64_t end_of(const cairn_opencl_product *p, bool last)
{
    for (int64_t n = 0; n < p->tasks; n++) {
        const int64_t k = last ? p->tasks - 1 - n : n;

        if (p->task[k].kernel) return k;
    }
    return -1;
}

static void start_kernels(attempt *s)
{
    const int64_t first = end_of(s->p, false), last = end_of(s->p, true);

    for (int64_t k = first; k >= 0 && k <= last && s->error == CL_SUCCESS; k++) {
        const cairn_opencl_task *task  = &s->p->task[k];
        cl_event                *event = k == first  ? &s->event[FIRST]
                                         : k == last ? &s->event[LAST]
                                                     : NULL;

        if (!task->kernel) continue;
        note(s,
             s->d->driver.EnqueueNDRangeKernel(s->d->queue, task->kernel, 1, NULL,
                                               &task->items, &task->group, 0, NULL,
                                               event),
             "a kernel");
    }
}

/// A moment in seconds of the device's clock; 0: it was not met, or is not told.
static double at(const attempt *s, moment m, cl_profiling_info what)
{
    cl_ulong time = 0;

    if (!s->event[m]
        || s->d->driver.GetEventProfilingInfo(s->event[m], what, sizeof time, &time,
                                              NULL)
               != CL_SUCCESS)
        return 0;
    return (double)time * 1e-9;
}

/// Seconds from the start of one to the end of another.
static double between(const attempt *s, moment from, moment to)
{
    const double begin = at(s, from, CL_PROFILING_COMMAND_START);
    const double end   = at(s, to, CL_PROFILING_COMMAND_END);

    return end > begin ? end - begin : 0;
}

static void take_times(const attempt *s, cairn_launch_times *times)
{
    times->in      = between(s, X_IN, X_IN) + between(s, Y_IN, Y_IN);
    times->compute = between(s, FIRST, s->event[LAST] ? LAST : FIRST);
    times->out     = between(s, Y_OUT, Y_OUT);
}

/// Wait for the last command that was taken, also after a failure: what was enqueued reads X
/// and writes Y.
static void finish(attempt *s)
{
    int m = EVENTS - 1;

    while (m > 0 && !s->event[m])
        m--;
    if (s->event[m]) note(s, cairn_opencl_wait(s->p->device, s->event[m]), "its queue");
}

/// All of it on the queue, and its end.
static void attempt_all(attempt *s, const void *x, void *y)
{
    const cairn_opencl_product *p = s->p;

    copy_in(s, X_IN, p->x, x, p->x_bytes);
    if (p->keeps) copy_in(s, Y_IN, p->y, y, p->y_bytes);
    if (p->clears) clear_y(s);
    start_kernels(s);
    copy_out(s, y);
    finish(s);
}

/// The same with operands of the launch's own.
static void attempt_apart(attempt *s, const void *x, void *y)
{
    const cairn_opencl_product *p = s->p;

    memcpy(p->own.x, x, (size_t)p->x_bytes);
    if (p->keeps) memcpy(p->own.y, y, (size_t)p->y_bytes);
    attempt_all(s, p->own.x, p->own.y);
    if (s->error == CL_SUCCESS) memcpy(y, p->own.y, (size_t)p->y_bytes);
}

cairn_status cairn_opencl_run(cairn_launch *launch, const void *x, void *y)
{
    const cairn_opencl_product *p     = launch->state;
    attempt                     s     = {.p = p, .d = cairn_opencl_of(p->device)};
    const char *const           begin = (const char *)x + p->x_begin;

    if (s.d->lost)
        note(&s, CAIRN_OPENCL_GIVEN_UP, "its queue");
    else if (p->own.x)
        attempt_apart(&s, begin, y);
    else
        attempt_all(&s, begin, y);
    if (s.error == CL_SUCCESS) take_times(&s, &launch->times);
    for (moment m = X_IN; m < EVENTS; m++)
        if (s.event[m] && !s.d->lost) s.d->driver.ReleaseEvent(s.event[m]);
    if (s.error == CL_SUCCESS) return CAIRN_OK;
    snprintf(launch->message, sizeof launch->message, "device: %s: %s: %s",
             launch->device->info.id, s.where, cairn_opencl_error(s.error));
    return cairn_opencl_status(s.error);
}
