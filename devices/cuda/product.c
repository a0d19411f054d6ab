// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Making a launch: the product lowered to a grid, printed, compiled; its part's arrays
/// brought to the card, and what the division of its lists adds to them.

#include "devices/cuda/product.h"

#include "devices/grid_hints.h"
#include "devices/grid_tiles.h"
#include "devices/part_arguments.h"
#include "devices/registry.h"
#include "emit/cuda.h"
#include "lower/grid/grid.h"
#include "lower/product/product_choice.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { ALIGNED = 256 };

/// Groups of one start; more take turns.
#define MOST_GROUPS ((int64_t)1 << 30)

/// A launch while it is made.
typedef struct {
    cairn_cuda_product *p;
    cairn_product       product;
    cairn_grid          grid;
    cairn_cuda_kernel   kernel;
    cairn_cuda_entry    entry[CAIRN_GRID_FUNCTIONS];
    cairn_grid_tiles   *tiles; ///< [parts]
    int64_t             parts;
    cairn_grid_passes   passes;
} making;

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

static int64_t aligned(int64_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static const cairn_part *part_of(const making *m, int64_t k)
{
    return cairn_work_part(&m->p->work, k);
}

/// An address on the card, as arguments have it.
static void *address(cairn_cuda_pointer at)
{
    return (void *)(uintptr_t)at;
}

cairn_cuda_vectors cairn_cuda_vectors_of(const cairn_cuda_product *p)
{
    const cairn_cuda_operand *x = &p->x->on;

    return (cairn_cuda_vectors){x->at - (cairn_cuda_pointer)x->begin, p->y.at};
}

/// The operation's arguments, with addresses of the card.
static cairn_grid_args operation(const cairn_cuda_product *p, cairn_cuda_vectors at)
{
    const cairn_product_args a =
        cairn_work_arguments(&p->work, address(at.x), address(at.y));

    return (cairn_grid_args){
#define X(type, name, what) .name = a.name,
        CAIRN_OPERANDS_MAP(X)
#undef X
    };
}

static void write_address(const cairn_cuda_step *step, int at, const void *address)
{
    if (at >= 0) memcpy((char *)step->arguments + at, &address, sizeof address);
}

void cairn_cuda_point(const cairn_cuda_product *p, cairn_cuda_vectors at)
{
    const cairn_grid_args args = operation(p, at);

    for (int64_t k = 0; k < p->steps + p->stages.count; k++) {
        write_address(&p->step[k], p->step[k].x_at, args.x);
        write_address(&p->step[k], p->step[k].y_at, args.y);
    }
}

/// Divide what each part stores. What is done to all values of a large part is done by
/// functions of the processor's.
static cairn_status divide(making *m)
{
    cairn_env      *env  = m->p->device->env;
    cairn_grid_work work = {.layout  = cairn_work_group(&m->p->work)->layout,
                            .product = &m->product,
                            .args    = operation(m->p, cairn_cuda_vectors_of(m->p)),
                            .passes  = &m->passes};

    if (m->grid.shape == CAIRN_GRID_REGROUPED)
        CAIRN_TRY(cairn_device_kernels(m->p->device, &work.loader));
    m->parts            = cairn_work_group(&m->p->work)->count;
    cairn_status status = CAIRN_NEW_ZERO(env, m->parts, &m->tiles);

    for (int64_t k = 0; status == CAIRN_OK && k < m->parts; k++) {
        work.part = &part_of(m, k)->view;
        if (work.part->values > 0)
            status = cairn_grid_tiles_make(env, &work, &m->tiles[k]);
    }
    return status;
}

/// One block for Y and what divisions need; X is its own.
static cairn_status allocate(making *m)
{
    cairn_cuda_product *p = m->p;
    cairn_grid_array_of array[CAIRN_GRID_ARRAYS];
    int64_t             bytes;

    p->y.bytes = cairn_work_rows_out(&p->work) * p->work.op->columns
                 * (m->product.wide ? 8 : p->work.tensor->value_bits / 8);
    bytes = aligned(p->y.bytes);
    for (int64_t k = 0; k < m->parts; k++) {
        const int arrays = cairn_grid_tiles_arrays(&m->tiles[k], array);

        for (int n = 0; n < arrays; n++)
            bytes += aligned(array[n].bytes);
    }
    CAIRN_TRY(cairn_cuda_alloc(p->device, bytes, "operands", &p->y.at));
    p->bytes = bytes;
    return cairn_cuda_is_piece(&p->y)
               ? cairn_cuda_pin(p->device, p->y.bytes, &p->y.host)
               : cairn_cuda_ring_open(p->device, p->y.bytes, &p->ring);
}

/* Arguments. */

static const size_t field_at[] = {
#define X(type, name, what) offsetof(cairn_grid_args, name),
    CAIRN_GRID_MAP(X)
#undef X
};

/// Where the arrays of part @p k's division are, from @p at on.
static void
use_arrays(const making *m, int64_t k, cairn_cuda_pointer at, cairn_grid_args *args)
{
    cairn_grid_array_of array[CAIRN_GRID_ARRAYS];
    const int           arrays = cairn_grid_tiles_arrays(&m->tiles[k], array);

    for (int n = 0; n < arrays; n++) {
        void *const here = address(at);

        memcpy((char *)args + field_at[array[n].field], &here, sizeof here);
        at += (cairn_cuda_pointer)aligned(array[n].bytes);
    }
}

/// Is it an array of the arguments, this one?
static bool is_field(const cairn_kernel_parameter *parameter, cairn_grid_field field)
{
    return parameter->what != CAIRN_PARAMETER_NUMBER
           && parameter->field.source == CAIRN_IR_ARG
           && parameter->field.level == (int)field;
}

/// One field of the struct that a function is given.
static void write_argument(const making                 *m,
                           int64_t                       part,
                           const cairn_part_arguments   *from,
                           const cairn_kernel_parameter *parameter,
                           char                         *arguments)
{
    cairn_cuda_pointer at = 0;
    int64_t            begin;

    if (parameter->what == CAIRN_PARAMETER_NUMBER) {
        const cairn_kernel_number number = cairn_part_arguments_number(from, parameter);

        memcpy(arguments + parameter->offset, &number.integer, number.bytes);
        return;
    }
    if (parameter->field.source == CAIRN_IR_ARG) {
        memcpy(&at, (const char *)from->args + field_at[parameter->field.level],
               sizeof(void *));
    } else {
        const int k = cairn_part_arguments_array(from, parameter->field, &begin);

        if (k >= 0)
            at = cairn_cuda_array(m->p->arrays, part, k) + (cairn_cuda_pointer)begin;
    }
    memcpy(arguments + parameter->offset, &at, sizeof at);
}

/// Are functions of part @p k of this role started?
static bool is_started(const making *m, int64_t k, cairn_grid_role role)
{
    return m->entry[role] && m->tiles[k].turns[role] > 0;
}

/// The start of function @p role for part @p k, of the turns that @p args say.
static cairn_status make_step(making                *m,
                              int64_t                k,
                              cairn_grid_role        role,
                              const cairn_grid_args *args,
                              cairn_cuda_step       *made)
{
    cairn_cuda_product        *p        = m->p;
    const cairn_cuda_function *function = &m->kernel.function[role];
    const int64_t              groups =
        cairn_grid_groups(&m->grid, role, args->to - args->from, p->work.op->columns);
    cairn_cuda_step step = {
        .function = m->entry[role],
        .groups   = (unsigned)(groups < MOST_GROUPS ? groups : MOST_GROUPS),
        .beside   = role == CAIRN_GRID_LONG && is_started(m, k, CAIRN_GRID_MAIN)};
    cairn_part_arguments from;
    char                *bytes = NULL;

    step.x_at = step.y_at = -1;

    CAIRN_TRY(CAIRN_NEW_ZERO(p->device->env, function->bytes + 1, &bytes));
    cairn_part_arguments_init(&from, part_of(m, k), CAIRN_ABI_GRID, args);
    for (int n = 0; n < function->parameters; n++) {
        const cairn_kernel_parameter *parameter = &function->parameter[n];

        write_argument(m, k, &from, parameter, bytes);
        if (is_field(parameter, CAIRN_GRID_x)) step.x_at = parameter->offset;
        if (is_field(parameter, CAIRN_GRID_y)) step.y_at = parameter->offset;
    }
    step.arguments = bytes;
    *made          = step;
    return CAIRN_OK;
}

/// All starts, part by part: lists that are long are done beside the others, and joined.
static cairn_status add_steps(making *m)
{
    static const cairn_grid_role order[] = {CAIRN_GRID_LONG, CAIRN_GRID_MAIN,
                                            CAIRN_GRID_JOIN};
    cairn_cuda_product          *p       = m->p;
    cairn_cuda_pointer           at = p->y.at + (cairn_cuda_pointer)aligned(p->y.bytes);
    cairn_grid_array_of          array[CAIRN_GRID_ARRAYS];

    CAIRN_TRY(CAIRN_NEW_ZERO(
        p->device->env, m->parts * CAIRN_GRID_FUNCTIONS + CAIRN_CUDA_STAGES, &p->step));
    for (int64_t k = 0; k < m->parts; k++) {
        for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++) {
            cairn_grid_args args = operation(p, cairn_cuda_vectors_of(p));

            if (!is_started(m, k, order[r])) continue;
            cairn_grid_tiles_use(&m->tiles[k], order[r], &args);
            use_arrays(m, k, at, &args);
            CAIRN_TRY(make_step(m, k, order[r], &args, &p->step[p->steps]));
            p->steps++;
        }
        const int arrays = cairn_grid_tiles_arrays(&m->tiles[k], array);

        for (int n = 0; n < arrays; n++)
            at += (cairn_cuda_pointer)aligned(array[n].bytes);
    }
    return CAIRN_OK;
}

/// The starts of stages, where the product has some: of the turns of its only step.
static cairn_status add_stages(making *m)
{
    cairn_cuda_product *p    = m->p;
    cairn_grid_args     args = operation(p, cairn_cuda_vectors_of(p));
    cairn_cuda_stages   found;

    if (p->steps != 1 || m->parts != 1 || p->keeps || p->clears) return CAIRN_OK;
    assert(cairn_work_rows_out(&p->work) > 0); /* there is a step */
    CAIRN_TRY(cairn_cuda_stages_find(p->device, &p->work, &m->grid, &m->tiles[0],
                                     p->y.bytes / cairn_work_rows_out(&p->work),
                                     &found));
    cairn_grid_tiles_use(&m->tiles[0], CAIRN_GRID_MAIN, &args);
    use_arrays(m, 0, p->y.at + (cairn_cuda_pointer)aligned(p->y.bytes), &args);
    for (int k = 0; k < found.count; k++) {
        args.from = k > 0 ? found.stage[k - 1].turn : 0;
        args.to   = found.stage[k].turn;
        CAIRN_TRY(make_step(m, 0, CAIRN_GRID_MAIN, &args, &p->step[p->steps + k]));
        p->stages.stage[k] = found.stage[k];
        p->stages.count    = k + 1;
    }
    return cairn_cuda_stages_open(p->device, &p->stages);
}

/// Bring what divisions say to the card.
static cairn_status bring(making *m)
{
    cairn_cuda_product *p  = m->p;
    cairn_cuda_pointer  at = p->y.at + (cairn_cuda_pointer)aligned(p->y.bytes);
    cairn_grid_array_of array[CAIRN_GRID_ARRAYS];
    cairn_cuda_ring     ring;

    if (at == p->y.at + (cairn_cuda_pointer)p->bytes) return CAIRN_OK;
    const cairn_status status = cairn_cuda_ring_open(p->device, p->bytes, &ring);

    for (int64_t k = 0; k < m->parts && status == CAIRN_OK; k++) {
        const int arrays = cairn_grid_tiles_arrays(&m->tiles[k], array);

        for (int n = 0; n < arrays; n++) {
            if (array[n].data)
                cairn_cuda_ring_gather(&ring, at, array[n].data, array[n].bytes);
            at += (cairn_cuda_pointer)aligned(array[n].bytes);
        }
    }
    return cairn_cuda_ring_close(&ring, status);
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
    p->keeps  = !alone;
    p->clears = alone
                && (m->product.adds || cairn_work_group(&p->work)->count == 0
                    || cairn_work_part(&p->work, 0)->view.values == 0);
    CAIRN_TRY(get_code(m));
    CAIRN_TRY(cairn_cuda_x_get(p->device, &p->work, &p->x));
    CAIRN_TRY(divide(m));
    CAIRN_TRY(cairn_cuda_arrays_get(p->device, &p->work, &p->arrays));
    CAIRN_TRY(allocate(m));
    CAIRN_TRY(add_steps(m));
    CAIRN_TRY(add_stages(m));
    CAIRN_TRY(bring(m));
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
