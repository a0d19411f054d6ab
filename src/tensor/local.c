// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tensor's parts and arrays.

#include "tensor/local.h"

#include "format/encoding.h"

#include <limits.h>
#include <string.h>

void *cairn_group_block(const cairn_group *group, const void *at)
{
    if (group->block && cairn_alloc_has(group->block, at)) return group->block;
    for (int k = 0; k < group->apart; k++)
        if (cairn_alloc_has(group->other[k], at)) return group->other[k];
    return NULL;
}

void cairn_group_take(cairn_group *group, const cairn_group *from, const void *at)
{
    void *const block = cairn_group_block(from, at);

    cairn_hold(block);
    group->other[group->apart++] = block;
}

void cairn_group_drop(cairn_env *env, cairn_group *group, const void *at)
{
    for (int k = 0; k < group->apart; k++)
        if (group->other[k] == at) {
            cairn_free(env, group->other[k]);
            group->other[k] = group->other[--group->apart];
            return;
        }
}

cairn_status cairn_group_add_dictionary(cairn_env    *env,
                                        cairn_group  *group,
                                        const double *word,
                                        cairn_part   *part)
{
    const int64_t bytes = (int64_t)sizeof(double) << group->layout->values.bits;
    void         *block;

    CAIRN_TRY(cairn_alloc_zero(env, bytes, 1, &block));
    if (word) memcpy(block, word, (size_t)bytes);
    group->other[group->apart++] = block;
    group->bytes += bytes;
    for (int64_t p = group->first; p < group->first + group->count; p++)
        part[p].view.dictionary = block;
    return CAIRN_OK;
}

static void free_blocks(cairn_env *env, cairn_group *group)
{
    cairn_free(env, group->block);
    while (group->apart > 0)
        cairn_free(env, group->other[--group->apart]);
}

void cairn_local_destroy(cairn_local **tensor)
{
    cairn_local *t = *tensor;

    if (!t) return;
    while (t->copies) {
        cairn_local_copy *const copy = t->copies;

        t->copies = copy->next;
        copy->drop(copy);
    }
    for (int g = 0; g < t->groups; g++) {
        cairn_layout_destroy(t->env, &t->group[g].layout);
        free_blocks(t->env, &t->group[g]);
    }
    cairn_free(t->env, t->part);
    cairn_free(t->env, t->pattern.column);
    cairn_free(t->env, t);
    *tensor = NULL;
}

static cairn_array tuple_array(const cairn_part *part, int number)
{
    const cairn_tuple        *tuple = &part->layout->packs.tuple[number];
    const cairn_kernel_level *field = &part->view.level[tuple->field[0]];

    return (cairn_array){.kind  = CAIRN_ARRAY_TUPLES,
                         .level = tuple->first,
                         .tuple = number,
                         .bits =
                             tuple->size > INT_MAX / 8 ? INT_MAX : (int)tuple->size * 8,
                         .length = field->idx_length,
                         .bytes  = field->idx_length * (int64_t)tuple->size,
                         .data   = field->idx ? (char *)field->idx - tuple->offset[0]
                                              : NULL}; /* described, not read yet */
}

/// Tuples that start at @p level.
static int add_tuples(const cairn_part *part, int level, cairn_array *array)
{
    int n = 0;

    for (int t = 0; t < part->layout->packs.count; t++)
        if (part->layout->packs.tuple[t].first == level)
            array[n++] = tuple_array(part, t);
    return n;
}

static int add_level(const cairn_part *part, int l, cairn_array *array)
{
    const cairn_kernel_level *level = &part->view.level[l];
    int                       n     = 0;

    if (level->ptr_bits)
        array[n++] = (cairn_array){CAIRN_ARRAY_PTR,
                                   l,
                                   -1,
                                   level->ptr_bits,
                                   false,
                                   level->ptr_length,
                                   level->ptr_length * level->ptr_bits / 8,
                                   (void *)level->ptr};
    if (level->idx_bits && part->layout->level[l].arrays.tuple < 0)
        array[n++] = (cairn_array){CAIRN_ARRAY_IDX,
                                   l,
                                   -1,
                                   level->idx_bits,
                                   level->idx_signed,
                                   level->idx_length,
                                   level->idx_length * level->idx_bits / 8,
                                   (void *)level->idx};
    return n + add_tuples(part, l, array + n);
}

int cairn_part_arrays(const cairn_part *part, cairn_array *array)
{
    const cairn_kernel_part *view = &part->view;
    int                      n    = 0;

    for (int l = 0; l < view->levels; l++)
        n += add_level(part, l, array + n);
    if (part->layout->values.tuple < 0)
        array[n++] = (cairn_array){CAIRN_ARRAY_VAL,
                                   -1,
                                   -1,
                                   view->val_bits,
                                   view->val_kind != CAIRN_VALUE_CODE,
                                   cairn_stored_values(view),
                                   cairn_stored_values(view) * view->val_bits / 8,
                                   view->val};
    if (view->dictionary)
        array[n++] = (cairn_array){CAIRN_ARRAY_DICTIONARY,
                                   -1,
                                   -1,
                                   64,
                                   true,
                                   (int64_t)1 << view->val_bits,
                                   (int64_t)sizeof(double) << view->val_bits,
                                   (void *)view->dictionary};
    return n;
}

int cairn_part_own_arrays(const cairn_part *part, cairn_array *array)
{
    return cairn_part_arrays(part, array)
           - (part->view.dictionary && part->where.bank > 0);
}

static bool
level_fits(const cairn_layout *layout, int l, const cairn_kernel_level *view)
{
    const cairn_level *level  = &layout->level[l];
    const int64_t      stride = level->arrays.tuple >= 0
                                    ? (int64_t)layout->packs.tuple[level->arrays.tuple].size
                                    : view->idx_bits / 8;

    return (!level->arrays.has_ptr || view->ptr_bits == level->arrays.ptr_bits)
           && (!view->idx_bits
               || (view->idx_bits == level->arrays.idx_bits
                   && view->idx_stride == stride
                   && view->idx_signed == level->arrays.idx_signed));
}

bool cairn_parts_fit(const cairn_part *part, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        for (int l = 0; l < part[k].layout->levels; l++)
            if (!level_fits(part[k].layout, l, &part[k].view.level[l])) return false;
    return true;
}
