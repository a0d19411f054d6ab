// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Functions by themselves on a card: one program, memory, copies by way of pinned pieces.

#include "devices/grids.h"

#include "devices/cuda/arrays.h"
#include "devices/cuda/pinned.h"
#include "devices/cuda/program.h"
#include "devices/part_arguments.h"
#include "emit/cuda.h"

#include <assert.h>
#include <string.h>

enum {
    TAKEN       = 64,      ///< Blocks of memory, at most.
    ARGUMENTS   = 1024,    ///< Bytes of a function's, at most.
    MOST_GROUPS = 1 << 20, ///< Groups take turns in a loop.
};

#define PIECE ((int64_t)4 << 20) ///< Bytes that are copied at once, at most.

struct cairn_grid_program {
    cairn_device       *device;
    cairn_cuda_kernel   kernel;
    cairn_cuda_program *code;
    cairn_cuda_entry   *entry; ///< [kernel.functions]; NULL: there is none.
    cairn_cuda_ring     ring;
    cairn_cuda_arrays  *borrowed; ///< NULL: none are.
    int                 blocks;
    struct {
        cairn_cuda_pointer at;
        int64_t            bytes;
    } block[TAKEN];
};

static cairn_status enter(const cairn_grid_program *p)
{
    const cairn_cuda_result error = cairn_cuda_enter(cairn_cuda_of(p->device));

    return error == CAIRN_CUDA_OK ? CAIRN_OK
                                  : cairn_cuda_fail(p->device, error, "its context");
}

/// Leave, with what failed before or the failure of what was asked for.
static cairn_status leave_with(const cairn_grid_program *p,
                               cairn_status              status,
                               cairn_cuda_result         error,
                               const char               *what)
{
    if (status == CAIRN_OK && error != CAIRN_CUDA_OK)
        status = cairn_cuda_fail(p->device, error, what);
    cairn_cuda_leave(cairn_cuda_of(p->device));
    return status;
}

static cairn_status
leave(const cairn_grid_program *p, cairn_cuda_result error, const char *what)
{
    return leave_with(p, CAIRN_OK, error, what);
}

static cairn_status get_entries(cairn_grid_program *p)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(p->device->env, p->kernel.functions, &p->entry));
    for (int k = 0; k < p->kernel.functions; k++)
        if (p->kernel.function[k].name[0])
            CAIRN_TRY(cairn_cuda_program_function(
                p->device, p->code, p->kernel.function[k].name, &p->entry[k]));
    return CAIRN_OK;
}

static cairn_status get_code(cairn_grid_program *p, const char *key)
{
    CAIRN_TRY(cairn_cuda_program_get(p->device, key, p->kernel.text, &p->code));
    return get_entries(p);
}

/// Pieces for copies, once there are some.
static cairn_status open_ring(cairn_grid_program *p)
{
    return p->ring.device ? CAIRN_OK : cairn_cuda_ring_open(p->device, PIECE, &p->ring);
}

static void grids_close(cairn_grid_program **program)
{
    cairn_grid_program *p = *program;
    cairn_cuda_device  *d = cairn_cuda_of(p->device);

    /* A device that is lost is not entered: nothing is asked of it below. */
    const bool entered = cairn_cuda_enter(d) == CAIRN_CUDA_OK;

    if (p->ring.device) cairn_cuda_ring_close(&p->ring, CAIRN_NO_DEVICE);
    for (int k = 0; k < p->blocks; k++)
        cairn_cuda_free(d, &p->block[k].at, p->block[k].bytes);
    cairn_cuda_arrays_leave(p->device, &p->borrowed);
    cairn_cuda_program_leave(p->device, &p->code);
    if (entered) cairn_cuda_leave(d);
    cairn_free(p->device->env, p->entry);
    cairn_cuda_fini(p->device->env, &p->kernel);
    cairn_free(p->device->env, p);
    *program = NULL;
}

static cairn_status grids_open(cairn_device                   *device,
                               const char                     *key,
                               const cairn_ir_function *const *function,
                               int                             functions,
                               cairn_grid_program            **program)
{
    cairn_grid_program *fresh = NULL;
    cairn_status        status;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &fresh));
    fresh->device = device;
    CAIRN_GO(discard,
             cairn_cuda_print(device->env, function, functions, &fresh->kernel));
    CAIRN_GO(discard, enter(fresh));
    status = get_code(fresh, key);
    cairn_cuda_leave(cairn_cuda_of(device));
    if (status != CAIRN_OK) goto discard;
    *program = fresh;
    return CAIRN_OK;

discard:
    grids_close(&fresh);
    return status;
}

static cairn_status grids_take(cairn_grid_program *program,
                               int64_t             bytes,
                               const char         *what,
                               cairn_grid_address *at)
{
    cairn_cuda_pointer fresh;

    assert(program->blocks < TAKEN);
    CAIRN_TRY(enter(program));
    const cairn_status status = cairn_cuda_alloc(program->device, bytes, what, &fresh);

    cairn_cuda_leave(cairn_cuda_of(program->device));
    CAIRN_TRY(status);
    program->block[program->blocks].at      = fresh;
    program->block[program->blocks++].bytes = bytes;
    *at                                     = fresh;
    return CAIRN_OK;
}

static cairn_status grids_send(cairn_grid_program *program,
                               cairn_grid_address  to,
                               const void         *from,
                               int64_t             bytes)
{
    CAIRN_TRY(enter(program));
    const cairn_status status = open_ring(program);

    if (status == CAIRN_OK) cairn_cuda_ring_send(&program->ring, to, from, bytes);
    return leave_with(program, status, program->ring.error, "arrays to it");
}

static cairn_status
grids_clear(cairn_grid_program *program, cairn_grid_address at, int64_t bytes)
{
    cairn_cuda_device *d     = cairn_cuda_of(program->device);
    cairn_cuda_result  error = CAIRN_CUDA_OK;

    CAIRN_TRY(enter(program));
    if (bytes > 0)
        error = CAIRN_CUDA(d, cuMemsetD8Async, at, 0, (size_t)bytes, d->stream);
    return leave(program, error, "arrays on it");
}

/* ---- starts ---- */

/// The address, or the number, that a parameter stands for.
static void write_argument(const cairn_grid_call        *call,
                           const cairn_part_arguments    from[2],
                           const cairn_kernel_parameter *parameter,
                           char                         *arguments)
{
    const int          which = parameter->field.part;
    cairn_grid_address at    = 0;
    int64_t            begin;

    if (parameter->what == CAIRN_PARAMETER_NUMBER) {
        const cairn_kernel_number number =
            cairn_part_arguments_number(&from[which], parameter);

        memcpy(arguments + parameter->offset, &number.integer, number.bytes);
        return;
    }
    if (parameter->field.source == CAIRN_IR_ARG) {
        at = cairn_part_arguments_address(&from[0], parameter->field);
    } else {
        const int k =
            cairn_part_arguments_array(&from[which], parameter->field, &begin);

        if (k >= 0) at = call->part[which].array[k] + (cairn_grid_address)begin;
    }
    memcpy(arguments + parameter->offset, &at, sizeof at);
}

static cairn_status grids_start(cairn_grid_program    *program,
                                const cairn_grid_call *call)
{
    cairn_cuda_device         *d = cairn_cuda_of(program->device);
    const cairn_cuda_function *f = &program->kernel.function[call->function];
    const int64_t groups = call->groups < MOST_GROUPS ? call->groups : MOST_GROUPS;
    char          bytes[ARGUMENTS] = {0};
    void         *argument[]       = {bytes};
    cairn_part_arguments from[2];

    assert(f->bytes <= ARGUMENTS && call->groups > 0 && program->entry[call->function]);
    for (int k = 0; k < 2; k++)
        cairn_part_arguments_init(&from[k], call->part[k].part, call->abi, call->args);
    for (int n = 0; n < f->parameters; n++)
        write_argument(call, from, &f->parameter[n], bytes);
    CAIRN_TRY(enter(program));
    return leave(program,
                 CAIRN_CUDA(d, cuLaunchKernel, program->entry[call->function],
                            (unsigned)groups, 1, 1, 128, 1, 1, 0, d->stream, argument,
                            NULL),
                 f->name);
}

/* ---- back ---- */

static cairn_status grids_fetch(cairn_grid_program *program,
                                void               *to,
                                cairn_grid_address  from,
                                int64_t             bytes)
{
    cairn_cuda_ring *ring = &program->ring;

    CAIRN_TRY(enter(program));
    const cairn_status status = open_ring(program);

    if (status == CAIRN_OK) {
        cairn_cuda_ring_ask(ring, from, bytes, NULL);
        cairn_cuda_ring_take(ring, to);
    }
    return leave_with(program, status, ring->error, "arrays from it");
}

/* ---- what stays ---- */

static void grids_keep(cairn_grid_program *program,
                       cairn_grid_address  block,
                       cairn_local        *tensor,
                       int                 member)
{
    int k = 0;

    while (program->block[k].at != block)
        k++;
    if (enter(program) != CAIRN_OK) return;
    if (cairn_cuda_arrays_keep(program->device, tensor, member, block,
                               program->block[k].bytes))
        program->block[k] = program->block[--program->blocks];
    cairn_cuda_leave(cairn_cuda_of(program->device));
}

static int64_t
grids_has(const cairn_device *device, const cairn_local *tensor, int member)
{
    const cairn_cuda_arrays *a    = cairn_cuda_arrays_find(device, tensor, member);
    const cairn_part        *part = &tensor->part[tensor->group[member].first];
    cairn_array              own[CAIRN_MAX_ARRAYS];
    int64_t                  bytes = 0;

    if (!a) return 0;
    const int arrays = cairn_part_arrays(part, own);

    for (int k = 0; k < arrays; k++)
        bytes += cairn_cuda_arrays_have(a, part, k) ? own[k].bytes : 0;
    return bytes;
}

static cairn_status grids_borrow(cairn_grid_program *program,
                                 const cairn_local  *tensor,
                                 int                 member,
                                 cairn_grid_address *array)
{
    cairn_device *const device = program->device;
    cairn_cuda_arrays  *a      = cairn_cuda_arrays_find(device, tensor, member);
    const cairn_group  *group  = &tensor->group[member];
    const cairn_part   *part   = &tensor->part[group->first];
    cairn_array         own[CAIRN_MAX_ARRAYS];

    assert(a && !program->borrowed && group->count == 1);
    CAIRN_TRY(enter(program));
    const cairn_status status =
        cairn_cuda_arrays_use(device, a, cairn_cuda_arrays_have_values(a, part));

    cairn_cuda_leave(cairn_cuda_of(device));
    CAIRN_TRY(status);
    program->borrowed = a;
    const int arrays  = cairn_part_arrays(part, own);

    for (int k = 0; k < arrays; k++)
        array[k] = cairn_cuda_arrays_have(a, part, k) ? cairn_cuda_array(a, 0, k) : 0;
    return CAIRN_OK;
}

const cairn_device_grids cairn_cuda_grids = {
    .precompile = cairn_cuda_precompile,
    .open       = grids_open,
    .take       = grids_take,
    .send       = grids_send,
    .clear      = grids_clear,
    .start      = grids_start,
    .fetch      = grids_fetch,
    .keep       = grids_keep,
    .has        = grids_has,
    .borrow     = grids_borrow,
    .close      = grids_close,
};
