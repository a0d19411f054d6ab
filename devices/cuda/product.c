// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Making a launch: the product lowered to a grid, printed, compiled; its parts divided and
/// their arrays brought to the card. What is started is made by steps.c.

#include "devices/cuda/making.h"
#include "devices/grid_hints.h"
#include "devices/registry.h"
#include "lower/grid/grid.h"
#include "lower/product/product_choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef cairn_cuda_making making;

/// Is Y on the host nothing that must be kept?
static bool is_alone(const cairn_device_work *work)
{
    return work->alone && work->op->beta == 0;
}

cairn_product cairn_cuda_product_of(const cairn_device_work *work)
{
    return cairn_product_choose(cairn_work_group(work)->layout, work->op,
                                is_alone(work), work->wide, CAIRN_ITEMS);
}

/* Code. */

/// Print the kernel's functions, and have them compiled and loaded.
static cairn_status get_program(making *m, const char *key, const char *symbol)
{
    cairn_cuda_product *p      = m->p;
    cairn_env          *env    = p->device->env;
    cairn_grid_kernel   kernel = {0};

    CAIRN_TRY(cairn_grid_lower(env, cairn_work_group(&p->work)->layout, &m->product,
                               symbol, &kernel));
    const cairn_status status =
        cairn_cuda_print(env, (const cairn_ir_function *const *)kernel.function,
                         CAIRN_GRID_FUNCTIONS, &m->kernel);

    cairn_grid_kernel_fini(env, &kernel);
    CAIRN_TRY(status);
    return cairn_cuda_program_get(p->device, key, m->kernel.text, &p->program);
}

static cairn_status get_functions(making *m)
{
    for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++)
        if (m->kernel.function[r].name[0])
            CAIRN_TRY(cairn_cuda_program_function(
                m->p->device, m->p->program, m->kernel.function[r].name, &m->entry[r]));
    return CAIRN_OK;
}

static cairn_status get_code(making *m)
{
    cairn_env          *env    = m->p->device->env;
    const cairn_layout *layout = cairn_work_group(&m->p->work)->layout;
    char                symbol[CAIRN_KERNEL_SYMBOL];
    char               *key = NULL;
    cairn_status        status;

    m->grid = cairn_grid_of(layout, &m->product);
    CAIRN_CHECK(m->grid.shape != CAIRN_GRID_NONE, env, CAIRN_UNSUPPORTED,
                "device: %s: member %d: such a product has no kernel for cards",
                m->p->device->info.id, cairn_work_number(&m->p->work));
    CAIRN_TRY(cairn_grid_key(env, layout, &m->product, &key));
    cairn_kernel_symbol(key, symbol);
    status = get_program(m, key, symbol);
    cairn_free(env, key);
    return status == CAIRN_OK ? get_functions(m) : status;
}

/* Memory. */

/// Divide what each part stores. What is done to all values of a large part is done by
/// functions of the processor's.
static cairn_status divide(making *m)
{
    cairn_env      *env  = m->p->device->env;
    cairn_grid_work work = {.layout  = cairn_work_group(&m->p->work)->layout,
                            .product = &m->product,
                            .args    = cairn_cuda_arguments_of(m->p),
                            .passes  = &m->passes};

    if (m->grid.shape == CAIRN_GRID_REGROUPED)
        CAIRN_TRY(cairn_device_kernels(m->p->device, &work.loader));
    m->parts            = cairn_work_group(&m->p->work)->count;
    cairn_status status = CAIRN_NEW_ZERO(env, m->parts, &m->tiles);

    for (int64_t k = 0; status == CAIRN_OK && k < m->parts; k++) {
        work.part = &cairn_work_part(&m->p->work, k)->view;
        if (work.part->values > 0)
            status = cairn_grid_tiles_make(env, &work, &m->tiles[k]);
    }
    return status;
}

/// One block for Y and what its steps need; X is its own.
static cairn_status allocate(making *m)
{
    cairn_cuda_product *p = m->p;

    p->y.bytes = cairn_work_rows_out(&p->work) * p->work.op->columns
                 * (m->product.wide ? 8 : p->work.tensor->value_bits / 8);

    const int64_t bytes = cairn_cuda_steps_bytes(m);

    CAIRN_TRY(cairn_cuda_alloc(p->device, bytes, "operands", &p->y.at));
    p->bytes = bytes;
    return cairn_cuda_is_piece(&p->y)
               ? cairn_cuda_pin(p->device, p->y.bytes, &p->y.host)
               : cairn_cuda_ring_open(p->device, p->y.bytes, &p->ring);
}

/* The launch. */

static cairn_status make_moments(cairn_cuda_product *p)
{
    cairn_cuda_moments *moment = &p->moment;

    CAIRN_TRY(cairn_cuda_event_make(p->device, true, &moment->begin));
    CAIRN_TRY(cairn_cuda_event_make(p->device, true, &moment->up));
    CAIRN_TRY(cairn_cuda_event_make(p->device, true, &moment->ready));
    CAIRN_TRY(cairn_cuda_event_make(p->device, true, &moment->computed));
    CAIRN_TRY(cairn_cuda_event_make(p->device, true, &moment->down));
    for (int k = 0; k < CAIRN_CUDA_TURNS; k++)
        CAIRN_TRY(cairn_cuda_event_make(p->device, false, &moment->turn[k]));
    return CAIRN_OK;
}

/// Start everything once: a driver loads code when it first runs. X is 0, and Y anything
/// then, as it was before.
static cairn_status warm_up(const cairn_cuda_product *p)
{
    cairn_cuda_device *d     = cairn_cuda_of(p->device);
    cairn_cuda_result  error = CAIRN_CUDA_OK;

    if (p->x->on.bytes > 0)
        error = CAIRN_CUDA(d, cuMemsetD8Async, p->x->on.at, 0, (size_t)p->x->on.bytes,
                           d->stream);
    if (error == CAIRN_CUDA_OK) error = cairn_cuda_start(p, cairn_cuda_vectors_of(p));
    error = cairn_cuda_settle(p->device, p->moment.up, error);
    return error == CAIRN_CUDA_OK ? CAIRN_OK
                                  : cairn_cuda_fail(p->device, error, "a kernel");
}

static cairn_status prepare(making *m)
{
    cairn_cuda_product *p     = m->p;
    const bool          alone = is_alone(&p->work);

    m->product = cairn_cuda_product_of(&p->work);
    m->product.grid_hints =
        cairn_grid_hints_of(&p->work, &m->product, cairn_cuda_of(p->device)->units);
    m->joined = m->product.grid_hints.banks;
    p->keeps  = !alone;
    p->clears = alone
                && (m->product.adds || cairn_work_group(&p->work)->count == 0
                    || cairn_work_part(&p->work, 0)->view.values == 0);
    CAIRN_TRY(get_code(m));
    CAIRN_TRY(cairn_cuda_x_get(p->device, &p->work, &p->x));
    CAIRN_TRY(divide(m));
    CAIRN_TRY(cairn_cuda_arrays_get(p->device, &p->work, &p->arrays));
    CAIRN_TRY(allocate(m));
    CAIRN_TRY(cairn_cuda_steps_make(m));
    CAIRN_TRY(cairn_cuda_steps_bring(m));
    CAIRN_TRY(make_moments(p));
    CAIRN_TRY(warm_up(p));
    p->self = p;
    p->alone =
        (cairn_cuda_seat){.device = p->device, .product = &p->self, .products = 1};
    return cairn_cuda_seat_open(&p->alone, !p->work.seat);
}

static void finish_making(making *m)
{
    cairn_env *env = m->p->device->env;

    for (int64_t k = 0; m->tiles && k < m->parts; k++)
        cairn_grid_tiles_fini(env, &m->tiles[k]);
    cairn_free(env, m->tiles);
    for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++)
        cairn_free(env, m->table[r]);
    cairn_grid_passes_fini(env, &m->passes);
    cairn_cuda_fini(env, &m->kernel);
}

/// Give everything back, of a card that is entered or lost.
static void discard(cairn_cuda_product *p)
{
    cairn_device *const device = p->device;
    cairn_env *const    env    = device->env;
    cairn_cuda_device  *d      = cairn_cuda_of(device);

    cairn_cuda_seat_close(&p->alone);
    cairn_cuda_event_free(device, &p->moment.begin);
    cairn_cuda_event_free(device, &p->moment.up);
    cairn_cuda_event_free(device, &p->moment.ready);
    cairn_cuda_event_free(device, &p->moment.computed);
    cairn_cuda_event_free(device, &p->moment.down);
    for (int k = 0; k < CAIRN_CUDA_TURNS; k++)
        cairn_cuda_event_free(device, &p->moment.turn[k]);
    cairn_cuda_x_leave(device, &p->x);
    cairn_cuda_unpin(device, &p->y.host);
    if (p->ring.device) cairn_cuda_ring_close(&p->ring, CAIRN_NO_DEVICE);
    cairn_cuda_free(d, &p->y.at, p->bytes);
    cairn_cuda_arrays_leave(device, &p->arrays);
    cairn_cuda_program_leave(device, &p->program);
    for (int64_t k = 0; p->step && k < p->steps + p->stages.count; k++)
        cairn_free(env, p->step[k].arguments);
    cairn_cuda_stages_close(device, &p->stages);
    cairn_free(env, p->step);
    cairn_free(env, p);
}

static void release(cairn_launch *launch)
{
    cairn_cuda_device *d       = cairn_cuda_of(launch->device);
    const bool         entered = cairn_cuda_enter(d) == CAIRN_CUDA_OK;

    discard(launch->state);
    if (entered) cairn_cuda_leave(d);
    *launch = (cairn_launch){0};
}

static cairn_status renew(cairn_launch *launch)
{
    cairn_cuda_product     *p     = launch->state;
    cairn_cuda_device      *d     = cairn_cuda_of(launch->device);
    const cairn_cuda_result error = cairn_cuda_enter(d);

    if (error != CAIRN_CUDA_OK)
        return cairn_cuda_fail(launch->device, error, "its context");
    const cairn_status status = cairn_cuda_arrays_renew(launch->device, p->arrays);

    cairn_cuda_leave(d);
    return status;
}

void cairn_cuda_remark(cairn_launch *launch, const char *what, const char *why)
{
    const size_t length = strlen(launch->note);

    if (strstr(launch->note, what)) return;
    snprintf(launch->note + length, sizeof launch->note - length, "%s%s: %s",
             length > 0 ? "; " : "", what, why);
}

/// How many starts a run's banks are.
static void remark_banks(const making *m, cairn_launch *launch)
{
    char starts[64];

    snprintf(starts, sizeof starts, "%" PRId64 " in %" PRId64 " start%s a run",
             m->parts, m->p->steps, m->p->steps == 1 ? "" : "s");
    cairn_cuda_remark(launch, "banks", starts);
}

static cairn_status
make(cairn_device *device, const cairn_device_work *work, cairn_launch *launch)
{
    cairn_cuda_product *p = NULL;
    cairn_status        status;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &p));
    making m = {.p = p};

    p->device = device;
    p->work   = *work;
    status    = prepare(&m);
    if (status != CAIRN_OK) {
        finish_making(&m);
        discard(p);
        return status;
    }
    *launch =
        (cairn_launch){.device  = device,
                       .route   = CAIRN_ROUTE_COMPILED,
                       .sets    = !p->keeps,
                       .wide    = m.product.wide,
                       .bytes   = {.own = p->bytes + p->x->on.bytes + p->arrays->bytes},
                       .run     = cairn_cuda_run,
                       .renew   = renew,
                       .release = release,
                       .state   = p};
    if (p->alone.no_graph != CAIRN_CUDA_OK)
        cairn_cuda_remark(
            launch, "started step by step",
            cairn_cuda_error(&cairn_cuda_of(device)->driver, p->alone.no_graph));
    if (m.parts > 1) remark_banks(&m, launch);
    if (m.passes.why[0])
        cairn_cuda_remark(launch, "visits were listed interpreted", m.passes.why);
    finish_making(&m);
    return CAIRN_OK;
}

cairn_status cairn_cuda_build(cairn_device            *device,
                              const cairn_device_work *work,
                              cairn_launch            *launch)
{
    cairn_cuda_device *d = cairn_cuda_of(device);

    CAIRN_CHECK(device->env->options.kernels != CAIRN_KERNELS_REFERENCE, device->env,
                CAIRN_NO_KERNEL, "CAIRN_KERNELS: it says \"reference\"");
    const cairn_cuda_result error = cairn_cuda_enter(d);

    if (error != CAIRN_CUDA_OK) return cairn_cuda_fail(device, error, "its context");
    const cairn_status status = make(device, work, launch);

    cairn_cuda_leave(d);
    return status;
}
