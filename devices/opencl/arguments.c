// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments, one parameter of the kernel after the other.

#include "devices/opencl/arguments.h"

#include "devices/part_arguments.h"

#include <string.h>

/// The part's arrays as they lie in memory; those that are on the device have a buffer.
typedef struct {
    cairn_opencl_buffers    *list;
    const cairn_opencl_call *call;
    cairn_part_arguments     from;
    cl_mem                   buffer[CAIRN_MAX_ARRAYS];
} arrays;

/// The buffer that holds a field of the part, and the byte of it where that begins.
static cairn_status
find(arrays *a, cairn_ir_field field, cl_mem *buffer, int64_t *begin)
{
    const int          k     = cairn_part_arguments_array(&a->from, field, begin);
    const cairn_array *array = &a->from.array[k];

    if (k < 0) return cairn_opencl_buffer(a->list, 0, NULL, buffer);
    if (!a->buffer[k])
        CAIRN_TRY(
            cairn_opencl_buffer(a->list, array->bytes, array->data, &a->buffer[k]));
    *buffer = a->buffer[k];
    return CAIRN_OK;
}

/// One argument's bytes.
typedef struct {
    size_t size;
    union {
        cl_mem  buffer;
        int64_t integer;
        char    number[sizeof(double)];
    };
} value;

static cairn_status value_of(arrays *a, const cairn_kernel_parameter *p, value *v)
{
    cl_mem  buffer;
    int64_t begin = 0;

    if (p->what == CAIRN_PARAMETER_NUMBER) {
        const cairn_kernel_number n = cairn_part_arguments_number(&a->from, p);

        v->size = n.bytes;
        memcpy(v->number, &n.integer, n.bytes);
        return CAIRN_OK;
    }
    if (p->what == CAIRN_PARAMETER_FIRST) {
        *v = (value){.size = sizeof(int64_t), .integer = a->call->x_first};
        return CAIRN_OK;
    }
    if (p->field.source == CAIRN_IR_ARG)
        buffer = a->call->array[p->field.level];
    else
        CAIRN_TRY(find(a, p->field, &buffer, &begin));
    if (p->what == CAIRN_PARAMETER_AT)
        *v = (value){.size = sizeof begin, .integer = begin};
    else
        *v = (value){.size = sizeof buffer, .buffer = buffer};
    return CAIRN_OK;
}

cairn_status cairn_opencl_arguments(cairn_opencl_buffers      *list,
                                    const cairn_opencl_kernel *kernel,
                                    const cairn_opencl_call   *call,
                                    cl_kernel                  target)
{
    const cairn_opencl_device *d = cairn_opencl_of(list->device);
    arrays                     a = {.list = list, .call = call};
    value                      v;

    cairn_part_arguments_init(&a.from, call->part, call->abi,
                              call->abi == CAIRN_ABI_GRID ? (const void *)&call->grid
                                                          : &call->args);
    for (int k = 0; k < kernel->parameters; k++) {
        CAIRN_TRY(value_of(&a, &kernel->parameter[k], &v));
        const cl_int error =
            d->driver.SetKernelArg(target, (cl_uint)k, v.size, &v.integer);

        CAIRN_CHECK(error == CL_SUCCESS, list->device->env, CAIRN_NO_DEVICE,
                    "device: %s: argument %d: %s", list->device->info.id, k,
                    cairn_opencl_error(error));
    }
    return CAIRN_OK;
}
