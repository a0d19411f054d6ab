// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Blocks between guards, and members copied into them.

#include "devices/debug/guarded.h"

#include <string.h>

enum { GUARD = 256 };

cairn_status cairn_guarded_init(cairn_env *env, int64_t bytes, cairn_guarded *guarded)
{
    *guarded = (cairn_guarded){.bytes = bytes};
    CAIRN_TRY(CAIRN_NEW(env, bytes + (int64_t)2 * GUARD, &guarded->block));
    guarded->data = guarded->block + GUARD;
    memset(guarded->block, CAIRN_POISON, (size_t)bytes + (size_t)2 * GUARD);
    return CAIRN_OK;
}

void cairn_guarded_fini(cairn_env *env, cairn_guarded *guarded)
{
    cairn_free(env, guarded->block);
    *guarded = (cairn_guarded){0};
}

static bool is_poison(const unsigned char *at)
{
    for (int k = 0; k < GUARD; k++)
        if (at[k] != CAIRN_POISON) return false;
    return true;
}

bool cairn_guarded_is_whole(const cairn_guarded *guarded)
{
    return is_poison(guarded->block) && is_poison(guarded->data + guarded->bytes);
}

/// Where the copy of what @p at points to is, if @p at points into the array.
static void
move_pointer(const void **at, const cairn_array *array, const cairn_guarded *copy)
{
    const uintptr_t p = (uintptr_t)*at, begin = (uintptr_t)array->data;

    if (p >= begin && p < begin + (uintptr_t)array->bytes)
        *at = copy->data + (p - begin);
}

/// Point a part at the copy of one of its arrays. @p from is the part as it was.
static void use_copy(const cairn_kernel_part *from,
                     const cairn_array       *array,
                     const cairn_guarded     *copy,
                     cairn_kernel_part       *part)
{
    for (int l = 0; l < part->levels; l++) {
        if (part->level[l].ptr == from->level[l].ptr)
            move_pointer(&part->level[l].ptr, array, copy);
        if (part->level[l].idx == from->level[l].idx)
            move_pointer(&part->level[l].idx, array, copy);
    }
    if (part->val == from->val) {
        const void *val = part->val;

        move_pointer(&val, array, copy);
        part->val = (void *)(uintptr_t)val;
    }
    if (part->dictionary && part->dictionary == from->dictionary)
        move_pointer(&part->dictionary, array, copy);
}

static cairn_status copy_part(cairn_env            *env,
                              const cairn_part     *from,
                              cairn_guarded_member *copy,
                              int64_t               at)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(from, array);

    for (int k = 0; k < arrays; k++) {
        cairn_guarded *guarded = &copy->array[copy->arrays];

        CAIRN_TRY(cairn_guarded_init(env, array[k].bytes, guarded));
        copy->arrays++;
        if (array[k].bytes > 0)
            memcpy(guarded->data, array[k].data, (size_t)array[k].bytes);
        use_copy(&from->view, &array[k], guarded, &copy->part[at].view);
    }
    return CAIRN_OK;
}

cairn_status cairn_guarded_member_init(cairn_env               *env,
                                       const cairn_device_work *work,
                                       cairn_guarded_member    *copy)
{
    const cairn_group *group = cairn_work_group(work);
    const int64_t      parts = work->tensor->parts;

    *copy = (cairn_guarded_member){.tensor = *work->tensor};
    CAIRN_TRY(CAIRN_NEW(env, parts, &copy->part));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, group->count * CAIRN_MAX_ARRAYS, &copy->array));
    if (parts > 0)
        memcpy(copy->part, work->tensor->part, (size_t)parts * sizeof *copy->part);
    copy->tensor.part = copy->part;
    for (int64_t k = 0; k < group->count; k++)
        CAIRN_TRY(copy_part(env, cairn_work_part(work, k), copy, group->first + k));
    return CAIRN_OK;
}

void cairn_guarded_member_fini(cairn_env *env, cairn_guarded_member *copy)
{
    for (int64_t k = 0; k < copy->arrays; k++)
        cairn_guarded_fini(env, &copy->array[k]);
    cairn_free(env, copy->array);
    cairn_free(env, copy->part);
    *copy = (cairn_guarded_member){0};
}

bool cairn_guarded_member_is_whole(const cairn_guarded_member *copy)
{
    for (int64_t k = 0; k < copy->arrays; k++)
        if (!cairn_guarded_is_whole(&copy->array[k])) return false;
    return true;
}
