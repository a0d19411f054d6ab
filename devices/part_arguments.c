// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments by their fields: where a field of the part points to is inside one of its
/// arrays; a field of the operation's arguments is where the list of share/abi.h has it.

#include "devices/part_arguments.h"

#include <string.h>

static const size_t product_offset[] = {
#define X(type, name, what) offsetof(cairn_product_args, name),
    CAIRN_PRODUCT_MAP(X)
#undef X
};

static const size_t grid_offset[] = {
#define X(type, name, what) offsetof(cairn_grid_args, name),
    CAIRN_GRID_MAP(X)
#undef X
};

static const size_t convert_offset[] = {
#define X(type, name, what) offsetof(cairn_convert_args, name),
    CAIRN_CONVERT_MAP(X)
#undef X
};

static const size_t grid_convert_offset[] = {
#define X(type, name, what) offsetof(cairn_grid_convert_args, name),
    CAIRN_GRID_CONVERT_MAP(X)
#undef X
};

/// Where the arguments of a calling convention have their fields.
static const size_t *const offset_of[] = {
    [CAIRN_ABI_PRODUCT]      = product_offset,
    [CAIRN_ABI_CONVERT]      = convert_offset,
    [CAIRN_ABI_GRID]         = grid_offset,
    [CAIRN_ABI_GRID_CONVERT] = grid_convert_offset,
};

void cairn_part_arguments_init(cairn_part_arguments *a,
                               const cairn_part     *part,
                               int                   abi,
                               const void           *args)
{
    *a        = (cairn_part_arguments){.part = part, .abi = abi, .args = args};
    a->arrays = cairn_part_arrays(part, a->array);
}

/// Where a field of the part points to.
static const void *address(const cairn_kernel_part *view, cairn_ir_field field)
{
    switch (field.source) {
    case CAIRN_IR_LEVEL_PTR: return view->level[field.level].ptr;
    case CAIRN_IR_LEVEL_IDX: return view->level[field.level].idx;
    case CAIRN_IR_DICTIONARY: return view->dictionary;
    default: return view->val;
    }
}

int cairn_part_arguments_array(const cairn_part_arguments *a,
                               cairn_ir_field              field,
                               int64_t                    *begin)
{
    const char *const at = address(&a->part->view, field);

    *begin = 0;
    for (int k = 0; k < a->arrays; k++) {
        const char *const first = a->array[k].data;

        if (!at || !first || at < first || at - first >= a->array[k].bytes) continue;
        *begin = at - first;
        return k;
    }
    return -1;
}

/// A field of the operation's arguments.
static const char *argument(const cairn_part_arguments *a, cairn_ir_field field)
{
    return (const char *)a->args + offset_of[a->abi][field.level];
}

uint64_t cairn_part_arguments_address(const cairn_part_arguments *a,
                                      cairn_ir_field              field)
{
    uint64_t at;

    memcpy(&at, argument(a, field), sizeof at);
    return at;
}

static int64_t integer(const cairn_part_arguments *a, cairn_ir_field field)
{
    const cairn_kernel_part *view = &a->part->view;
    int64_t                  given;

    switch (field.source) {
    case CAIRN_IR_LEVEL_LO: return view->level[field.level].lo;
    case CAIRN_IR_LEVEL_SIZE: return view->level[field.level].size;
    case CAIRN_IR_LEVEL_NODES: return view->level[field.level].nodes;
    case CAIRN_IR_LEVEL_HOLE: return view->level[field.level].hole;
    case CAIRN_IR_VALUES: return view->values;
    case CAIRN_IR_BANK: return view->bank;
    default: memcpy(&given, argument(a, field), sizeof given); return given;
    }
}

cairn_kernel_number cairn_part_arguments_number(const cairn_part_arguments   *a,
                                                const cairn_kernel_parameter *p)
{
    double factor;

    if (!cairn_ir_type_is_float(p->type))
        return (cairn_kernel_number){.bytes   = (size_t)cairn_ir_type_bytes(p->type),
                                     .integer = integer(a, p->field)};
    memcpy(&factor, argument(a, p->field), sizeof factor);
    if (p->type == CAIRN_IR_F32)
        return (cairn_kernel_number){.bytes = sizeof(float), .f32 = (float)factor};
    return (cairn_kernel_number){.bytes = sizeof factor, .f64 = factor};
}
