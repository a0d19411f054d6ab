// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments, one parameter of the kernel after the other. Which arrays and numbers there
/// are follows from the fields that the kernel's list names, never from a format.

#include "devices/opencl/arguments.h"

/// The part's arrays as they lie in memory; those that are on the device have a buffer.
typedef struct {
    cairn_opencl_buffers    *list;
    const cairn_opencl_call *call;
    cairn_array              array[CAIRN_MAX_ARRAYS];
    cl_mem                   buffer[CAIRN_MAX_ARRAYS];
    int                      arrays;
} arrays;

/// Where a field of the part points to.
static const void *address(const cairn_part *part, cairn_ir_field field)
{
    switch (field.source) {
    case CAIRN_IR_LEVEL_PTR: return part->view.level[field.level].ptr;
    case CAIRN_IR_LEVEL_IDX: return part->view.level[field.level].idx;
    default: return part->view.val;
    }
}

/// The array in which @p at lies; -1: none, since it has no bytes.
static int holder(const arrays *a, const char *at)
{
    for (int k = 0; k < a->arrays; k++) {
        const char *const begin = a->array[k].data;

        if (at && begin && at >= begin && at - begin < a->array[k].bytes) return k;
    }
    return -1;
}

/// The buffer that holds a field of the part, and the byte of it where that begins.
static cairn_status
find(arrays *a, cairn_ir_field field, cl_mem *buffer, int64_t *begin)
{
    const char *const at = address(a->call->part, field);
    const int         k  = holder(a, at);

    *begin = 0;
    if (k < 0) return cairn_opencl_buffer(a->list, 0, NULL, buffer);
    if (!a->buffer[k])
        CAIRN_TRY(cairn_opencl_buffer(a->list, a->array[k].bytes, a->array[k].data,
                                      &a->buffer[k]));
    *buffer = a->buffer[k];
    *begin  = at - (const char *)a->array[k].data;
    return CAIRN_OK;
}

/// A number of the operation's.
static int64_t argument(const cairn_product_args *args, int field)
{
    switch (field) {
    case CAIRN_PRODUCT_x_stride: return args->x_stride;
    case CAIRN_PRODUCT_y_stride: return args->y_stride;
    case CAIRN_PRODUCT_columns: return args->columns;
    case CAIRN_PRODUCT_row_lo: return args->row_lo;
    case CAIRN_PRODUCT_row_end: return args->row_end;
    case CAIRN_PRODUCT_col_lo: return args->col_lo;
    case CAIRN_PRODUCT_col_end: return args->col_end;
    case CAIRN_PRODUCT_steps: return args->steps;
    case CAIRN_PRODUCT_y_aligned: return args->y_aligned;
    default: return args->shares;
    }
}

/// A number of the part, or of the operation.
static int64_t number(const cairn_opencl_call *call, cairn_ir_field field)
{
    const cairn_kernel_part  *view  = &call->part->view;
    const cairn_kernel_level *level = view->level;

    switch (field.source) {
    case CAIRN_IR_LEVEL_LO: return level[field.level].lo;
    case CAIRN_IR_LEVEL_SIZE: return level[field.level].size;
    case CAIRN_IR_LEVEL_NODES: return level[field.level].nodes;
    case CAIRN_IR_LEVEL_HOLE: return level[field.level].hole;
    case CAIRN_IR_VALUES: return view->values;
    case CAIRN_IR_BANK: return view->bank;
    default: return argument(&call->args, field.level);
    }
}

/// X, Y, or what the team says of the items.
static cl_mem operand(const cairn_opencl_call *call, int field)
{
    switch (field) {
    case CAIRN_PRODUCT_x: return call->x;
    case CAIRN_PRODUCT_y: return call->y;
    case CAIRN_PRODUCT_first: return call->first;
    case CAIRN_PRODUCT_last: return call->last;
    case CAIRN_PRODUCT_step: return call->step;
    default: return call->share;
    }
}

/// One argument's bytes.
typedef struct {
    size_t size;
    union {
        cl_mem  buffer;
        int64_t integer;
        float   f32;
        double  f64;
    };
} value;

static value number_value(const cairn_opencl_call      *call,
                          const cairn_opencl_parameter *p)
{
    const double alpha = call->args.alpha;

    if (p->type == CAIRN_IR_F64) return (value){.size = sizeof alpha, .f64 = alpha};
    if (p->type == CAIRN_IR_F32)
        return (value){.size = sizeof(float), .f32 = (float)alpha};
    return (value){.size = sizeof(int64_t), .integer = number(call, p->field)};
}

static cairn_status value_of(arrays *a, const cairn_opencl_parameter *p, value *v)
{
    const bool operands = p->field.source == CAIRN_IR_ARG;
    cl_mem     buffer;
    int64_t    begin = 0;

    if (p->what == CAIRN_OPENCL_NUMBER) {
        *v = number_value(a->call, p);
        return CAIRN_OK;
    }
    if (p->what == CAIRN_OPENCL_FIRST) {
        *v = (value){.size = sizeof(int64_t), .integer = a->call->x_first};
        return CAIRN_OK;
    }
    if (operands)
        buffer = operand(a->call, p->field.level);
    else
        CAIRN_TRY(find(a, p->field, &buffer, &begin));
    if (p->what == CAIRN_OPENCL_AT)
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

    a.arrays = cairn_part_arrays(call->part, a.array);
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
