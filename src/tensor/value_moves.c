// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values of a group moved into another storage, and tensors whose values are as wide as
/// their type beside those that they were made of.

#include "tensor/value_moves.h"

#include "tensor/value_storage.h"

#include <string.h>

#define ALIGNMENT 64

/* ---- into another storage ---- */

/// Of the dictionary that the parts of a group have together.
static int64_t dictionary_bytes(const cairn_layout *layout)
{
    return layout->values.kind == CAIRN_VALUE_CODE
               ? (int64_t)sizeof(double) << layout->values.bits
               : 0;
}

int64_t cairn_group_values_room(const cairn_group  *group,
                                const cairn_part   *part,
                                const cairn_layout *layout)
{
    int64_t bytes = dictionary_bytes(layout);

    for (int64_t p = group->first; p < group->first + group->count; p++) {
        const int64_t n =
            layout->values.kind == CAIRN_VALUE_ONE ? 1 : part[p].view.values;

        bytes += (n * layout->values.bits / 8 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return bytes;
}

/// A view of values in another storage, at @p at; what else it says is @p view's.
static cairn_kernel_part
view_of_values(const cairn_kernel_part *view, const cairn_layout *layout, char *at)
{
    cairn_kernel_part to = *view;

    to.val       = at;
    to.val_kind  = layout->values.kind;
    to.val_bits  = layout->values.bits;
    to.val_block = 1;
    to.val_stride =
        layout->values.kind == CAIRN_VALUE_ONE ? 0 : layout->values.bits / 8;
    return to;
}

/// Move all values of a group into @p block, laid out by @p layout.
///
/// @param[in]  dictionary  Of CODE; else NULL.
/// @param[out] view        [count] of the parts, with the new values.
static void move_values(const cairn_group            *group,
                        const cairn_part             *part,
                        const cairn_layout           *layout,
                        const cairn_value_dictionary *dictionary,
                        char                         *block,
                        cairn_kernel_part            *view)
{
    const void *words = NULL;

    if (layout->values.kind == CAIRN_VALUE_CODE) {
        cairn_value_dictionary_write(dictionary, layout->values.bits, (double *)block);
        words = block;
        block += dictionary_bytes(layout);
    }
    for (int64_t k = 0; k < group->count; k++) {
        const cairn_kernel_part *from = &part[group->first + k].view;

        view[k]            = view_of_values(from, layout, block);
        view[k].dictionary = words;
        cairn_values_move(from, dictionary, &view[k]);
        block +=
            (cairn_stored_values(&view[k]) * layout->values.bits / 8 + ALIGNMENT - 1)
            / ALIGNMENT * ALIGNMENT;
    }
}

/// Bytes of the values of a part as they are stored, without a dictionary.
static int64_t value_bytes(const cairn_kernel_part *view)
{
    return cairn_stored_values(view) * view->val_bits / 8;
}

/// Free an array of the group, if it has a block of its own.
static void drop(cairn_env *env, cairn_group *group, const void *array)
{
    void *const block = array ? cairn_group_block(group, array) : NULL;

    if (block && block != group->block) cairn_group_drop(env, group, block);
}

/// A part has its values by another layout now.
static void turn_part(cairn_group             *group,
                      cairn_part              *part,
                      const cairn_kernel_part *view,
                      const cairn_layout      *layout)
{
    group->bytes += value_bytes(view) - value_bytes(&part->view);
    part->view   = *view;
    part->layout = layout;
}

/// And all of the group have.
static void turn_group(cairn_env *env, cairn_group *group, cairn_layout *layout)
{
    cairn_layout_destroy(env, &group->layout);
    group->restored++;
    group->layout = layout;
}

/// Was the array taken over from another tensor, which still has it?
static bool is_in_common(const cairn_group *group, const void *values)
{
    const void *block = group->shared > 0 ? cairn_group_block(group, values) : NULL;

    return block && cairn_is_shared(block);
}

cairn_status cairn_group_store(cairn_local                  *tensor,
                               cairn_group                  *group,
                               const cairn_value_dictionary *dictionary,
                               cairn_layout                 *layout)
{
    cairn_env *const   env  = tensor->env;
    cairn_part        *part = tensor->part;
    const int64_t      room = cairn_group_values_room(group, part, layout);
    cairn_kernel_part *view;
    char              *block = NULL;
    cairn_status       status;

    CAIRN_TRY(cairn_check_memory(env, "values in another type", room));
    CAIRN_TRY(CAIRN_NEW(env, group->count, &view));
    status = cairn_alloc(env, room, 1, (void **)&block);
    if (status == CAIRN_OK) {
        move_values(group, part, layout, dictionary, block, view);
        group->bytes += dictionary_bytes(layout) - dictionary_bytes(group->layout);
        for (int64_t k = 0; k < group->count; k++) {
            cairn_part *const its = &part[group->first + k];

            if (is_in_common(group, its->view.val))
                group->shared -= value_bytes(&its->view);
            drop(env, group, its->view.val);
            drop(env, group, its->view.dictionary);
            turn_part(group, its, &view[k], layout);
        }
        turn_group(env, group, layout);
        group->other[group->apart++] = block;
    }
    cairn_free(env, view);
    return status;
}

void cairn_group_store_in_place(cairn_local  *tensor,
                                cairn_group  *group,
                                cairn_layout *layout)
{
    for (int64_t k = 0; k < group->count; k++) {
        cairn_part *const its = &tensor->part[group->first + k];

        const cairn_kernel_part view =
            view_of_values(&its->view, layout, its->view.val);

        cairn_values_move(&its->view, NULL, &view);
        turn_part(group, its, &view, layout);
    }
    turn_group(tensor->env, group, layout);
}

cairn_status cairn_group_widen(cairn_local *tensor, int member)
{
    cairn_group  *group = &tensor->group[member];
    cairn_layout *wide;
    cairn_status  status;

    if (cairn_layout_is_wide(group->layout)) return CAIRN_OK;
    CAIRN_TRY(cairn_layout_store(tensor->env, group->layout, CAIRN_VALUE_FLOAT,
                                 tensor->value_bits, &wide));
    status = cairn_group_store(tensor, group, NULL, wide);
    if (status != CAIRN_OK) cairn_layout_destroy(tensor->env, &wide);
    return status;
}

/* ---- reading as wide as the type ---- */

/// A group that borrows all arrays of another but the values, which it has widened where
/// @p widens.
static cairn_status
widen_beside(const cairn_local *from, int member, bool widens, cairn_local *wide)
{
    const cairn_group *source = &from->group[member];
    cairn_group       *group  = &wide->group[member];

    *group = *source; /* whose blocks it holds: its own may be taken from there */
    group->shared = 0;
    group->layout = cairn_layout_hold(source->layout);
    if (group->block) cairn_hold(group->block);
    for (int k = 0; k < group->apart; k++)
        cairn_hold(group->other[k]);
    for (int64_t p = group->first; p < group->first + group->count; p++)
        wide->part[p].layout = group->layout;
    return widens ? cairn_group_widen(wide, member) : CAIRN_OK;
}

/// @param[in] member  -1: all; as many as there are: none.
static cairn_status widened(const cairn_local *tensor, int member, cairn_local **wide)
{
    cairn_local *t;
    cairn_status status = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW(tensor->env, 1, &t));
    *t                = *tensor;
    t->groups         = 0;
    t->pattern.column = NULL;
    t->part           = NULL;
    t->copies         = NULL;
    t->beside         = tensor->beside ? tensor->beside : tensor;
    status            = CAIRN_NEW(tensor->env, t->parts, &t->part);
    if (status == CAIRN_OK)
        memcpy(t->part, tensor->part, (size_t)t->parts * sizeof *t->part);
    for (int g = 0; g < tensor->groups && status == CAIRN_OK; g++) {
        t->groups = g + 1;
        status    = widen_beside(tensor, g, member < 0 || member == g, t);
    }
    if (status == CAIRN_OK)
        *wide = t;
    else
        cairn_local_destroy(&t);
    return status;
}

cairn_status cairn_local_widened(const cairn_local *tensor, cairn_local **wide)
{
    return widened(tensor, -1, wide);
}

cairn_status cairn_local_beside(const cairn_local *tensor, cairn_local **other)
{
    return widened(tensor, tensor->groups, other);
}

bool cairn_member_may_widen(const cairn_local *tensor, int member)
{
    const cairn_group *group = &tensor->group[member];
    __int128           bytes = atomic_load(&tensor->env->used_bytes);

    for (int64_t p = group->first; p < group->first + group->count; p++)
        bytes += (__int128)tensor->part[p].view.values * (tensor->value_bits / 8);
    for (int k = 0; k < tensor->shape.order; k++)
        bytes += (__int128)tensor->shape.extent[k] * (int64_t)sizeof(double);
    return bytes <= tensor->env->memory_limit;
}

cairn_status
cairn_member_widened(const cairn_local *tensor, int member, cairn_local **wide)
{
    return widened(tensor, member, wide);
}
