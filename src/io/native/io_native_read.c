// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading a segment back whole: its arrays are laid out, read where they are to stay, and
/// walked.

#include "io/native/io_native_check.h"
#include "io/native/io_native_segment.h"
#include "tensor/check.h"
#include "tensor/value_storage.h"

cairn_status cairn_native_check_sound(const cairn_native_segment *segment,
                                      const cairn_part           *part)
{
    cairn_fault fault;
    char        text[CAIRN_FAULT];

    if (!cairn_dictionary_fits(&part->view, segment->tensor->value_bits))
        return cairn_native_broken(segment, "a dictionary has values that are no f32");
    if (cairn_part_is_sound(part, &fault)) return CAIRN_OK;
    cairn_fault_print(&fault, text);
    return cairn_native_broken(segment, text);
}

static cairn_status load_part(const cairn_native_segment *segment, int64_t number)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    int64_t     at[CAIRN_MAX_ARRAYS + 1];
    const int   arrays = cairn_native_part_arrays(segment, number, array, at);

    for (int a = 0; a < arrays; a++)
        CAIRN_TRY(cairn_native_fetch(segment, array[a].data, array[a].bytes, at[a]));
    return cairn_native_check_sound(segment, &segment->tensor->part[number]);
}

static cairn_status load_group(const cairn_native_segment *segment, int member)
{
    cairn_local *t     = segment->tensor;
    cairn_group *group = &t->group[member];
    int64_t      total = 0, bytes = 0;

    for (int64_t k = 0; k < group->count; k++)
        cairn_part_place(group->layout,
                         segment->nodes + (group->first + k) * CAIRN_MAX_LEVELS, NULL,
                         &total, &bytes, &t->part[group->first + k]);
    CAIRN_TRY(cairn_check_memory(segment->env, segment->bytes.name, total));
    CAIRN_TRY(cairn_group_alloc_parts(segment->env, group, segment->nodes, t->part));
    if (group->layout->values.kind == CAIRN_VALUE_CODE && group->count > 0)
        CAIRN_TRY(cairn_group_add_dictionary(segment->env, group, NULL, t->part));
    for (int64_t k = 0; k < group->count; k++)
        CAIRN_TRY(load_part(segment, group->first + k));
    return CAIRN_OK;
}

cairn_status cairn_native_load(cairn_native_segment *segment,
                               cairn_local         **tensor,
                               struct cairn_format **format)
{
    cairn_local *t = segment->tensor;

    for (int m = 0; m < t->groups; m++)
        CAIRN_TRY(load_group(segment, m));
    for (int m = 0; m < t->groups; m++) {
        bool holds;

        CAIRN_TRY(cairn_native_check(segment->env, t, m, &holds));
        if (!holds)
            return cairn_native_broken(
                segment, "a part does not hold as many entries as it says");
    }
    *tensor         = t;
    *format         = segment->format;
    segment->tensor = NULL;
    segment->format = NULL;
    return CAIRN_OK;
}
