// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Looking for the narrowest storage of values, and moving them into it and back.

#include "tensor/value_storage.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define ALIGNMENT 64

const char *cairn_value_storage_name(cairn_value_kind kind, int bits)
{
    switch (kind) {
    case CAIRN_VALUE_ONE: return "iso";
    case CAIRN_VALUE_INTEGER: return bits == 8 ? "i8" : "i16";
    case CAIRN_VALUE_CODE: return bits == 8 ? "dict8" : "dict16";
    case CAIRN_VALUE_BFLOAT: return "bf16";
    default: return bits == 16 ? "f16" : bits == 32 ? "f32" : "f64";
    }
}

bool cairn_local_is_narrow(const cairn_local *tensor)
{
    for (int g = 0; g < tensor->groups; g++)
        if (!cairn_layout_is_wide(tensor->group[g].layout)) return true;
    return false;
}

/* ---- moving ---- */

/// Of the dictionary that the parts of a group have together.
static int64_t dictionary_bytes(const cairn_layout *layout)
{
    return layout->value_kind == CAIRN_VALUE_CODE
               ? (int64_t)sizeof(double) << layout->value_bits
               : 0;
}

/// Where the values of a group's parts go, behind a dictionary if there is one.
static int64_t values_room(const cairn_group  *group,
                           const cairn_part   *part,
                           const cairn_layout *layout)
{
    int64_t bytes = dictionary_bytes(layout);

    for (int64_t p = group->first; p < group->first + group->count; p++) {
        const int64_t n =
            layout->value_kind == CAIRN_VALUE_ONE ? 1 : part[p].view.values;

        bytes += (n * layout->value_bits / 8 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return bytes;
}

/// A view of values in another storage, at @p at; what else it says is @p view's.
static cairn_kernel_part
view_of_values(const cairn_kernel_part *view, const cairn_layout *layout, char *at)
{
    cairn_kernel_part to = *view;

    to.val        = at;
    to.val_kind   = layout->value_kind;
    to.val_bits   = layout->value_bits;
    to.val_block  = 1;
    to.val_stride = layout->value_kind == CAIRN_VALUE_ONE ? 0 : layout->value_bits / 8;
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

    if (layout->value_kind == CAIRN_VALUE_CODE) {
        cairn_value_dictionary_write(dictionary, layout->value_bits, (double *)block);
        words = block;
        block += dictionary_bytes(layout);
    }
    for (int64_t k = 0; k < group->count; k++) {
        const cairn_kernel_part *from = &part[group->first + k].view;

        view[k]            = view_of_values(from, layout, block);
        view[k].dictionary = words;
        cairn_values_move(from, dictionary, &view[k]);
        block +=
            (cairn_stored_values(&view[k]) * layout->value_bits / 8 + ALIGNMENT - 1)
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
    const int64_t      room = values_room(group, part, layout);
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

/// Do the values of a group lie in a block of their own, which is freed with them?
static bool lies_apart(const cairn_group *group, const cairn_part *part)
{
    const cairn_part *its   = &part[group->first];
    const void       *block = cairn_group_block(group, its->view.val);

    return group->count == 1 && block != NULL && block != group->block;
}

/// Would anybody else see a change of the values?
static bool is_shared(const cairn_group *group, const cairn_part *part)
{
    for (int64_t p = group->first; p < group->first + group->count; p++) {
        const void *block = part[p].view.values > 0
                                ? cairn_group_block(group, part[p].view.val)
                                : group->block;

        if (!block || cairn_is_shared(block)) return true;
    }
    return false;
}

/// The same by a narrower layout without a dictionary, each part's values where they are.
static void
store_in_place(cairn_local *tensor, cairn_group *group, cairn_layout *layout)
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

/* ---- choosing ---- */

bool cairn_val_type_is_named(cairn_val_type       type,
                             int                  carrier_bits,
                             cairn_value_storage *storage)
{
    static const cairn_value_storage named[] = {
#define X(id, text, kind, bits) {kind, bits, 0},
        CAIRN_VAL_TYPE_MAP(X)
#undef X
    };

    if (type == CAIRN_VAL_UNSAID || type == CAIRN_VAL_EXACT) return false;
    *storage = named[type];
    if (storage->bits == 0 || storage->bits > carrier_bits)
        storage->bits = carrier_bits;
    return true;
}

cairn_status cairn_layout_store_named(cairn_env *env, cairn_layout **layout)
{
    cairn_layout       *wide = *layout;
    cairn_value_storage named;

    if (wide->value_tuple >= 0
        || !cairn_val_type_is_named(wide->encoding->val, wide->carrier_bits, &named))
        return CAIRN_OK;
    CAIRN_TRY(cairn_layout_store(env, wide, named.kind, named.bits, layout));
    cairn_layout_destroy(env, &wide);
    return CAIRN_OK;
}

bool cairn_value_storage_fits(cairn_val_type type,
                              int            carrier_bits,
                              int64_t        kind,
                              int64_t        bits)
{
    cairn_value_storage named;

    if (kind == CAIRN_VALUE_FLOAT && bits == carrier_bits) return true;
    return !cairn_val_type_is_named(type, carrier_bits, &named)
           || (kind == named.kind && bits == named.bits);
}

bool cairn_dictionary_fits(const cairn_kernel_part *view, int carrier_bits)
{
    const double *word  = view->dictionary;
    const int64_t words = word && carrier_bits == 32 ? (int64_t)1 << view->val_bits : 0;
    uint64_t      differ = 0;

    for (int64_t k = 0; k < words; k++) {
        const double as = (double)(float)word[k];
        uint64_t     bits[2];

        memcpy(&bits[0], &word[k], sizeof as);
        memcpy(&bits[1], &as, sizeof as);
        differ |= bits[0] ^ bits[1];
    }
    return differ == 0;
}

/// How a group's values are to be stored.
static cairn_status choose(const cairn_local      *tensor,
                           int                     member,
                           cairn_value_dictionary *dictionary,
                           cairn_value_storage    *storage)
{
    const cairn_group   *group = &tensor->group[member];
    const cairn_val_type type  = group->layout->encoding->val;
    cairn_value_look     look;
    int64_t              values = 0;

    *storage         = (cairn_value_storage){CAIRN_VALUE_FLOAT, tensor->value_bits, 0};
    const bool named = cairn_val_type_is_named(type, tensor->value_bits, storage);

    if (type == CAIRN_VAL_UNSAID
        || (storage->kind == CAIRN_VALUE_FLOAT && storage->bits == tensor->value_bits
            && named))
        return CAIRN_OK;
    if (group->layout->value_tuple >= 0) {
        CAIRN_CHECK(!named, tensor->env, CAIRN_BAD_FORMAT,
                    "format: val(%s): values that are packed with their indices are of "
                    "the tensor's type",
                    cairn_value_storage_name(storage->kind, storage->bits));
        return CAIRN_OK;
    }
    cairn_value_look_begin(&look, tensor->value_bits, named ? storage : NULL,
                           dictionary);
    do
        for (int64_t p = group->first; p < group->first + group->count; p++)
            cairn_value_look_at_part(&look, &tensor->part[p].view);
    while (cairn_value_look_again(&look));
    for (int64_t p = group->first; p < group->first + group->count; p++)
        values += tensor->part[p].view.values;
    if (!named) {
        *storage = cairn_value_look_narrowest(&look, values);
        return CAIRN_OK;
    }
    if (dictionary->starved) return CAIRN_NO_MEMORY;
    CAIRN_CHECK(cairn_value_look_holds(&look), tensor->env, CAIRN_OVERFLOW,
                "format: val(%s): member %d has a value that it does not hold: %.17g",
                cairn_value_storage_name(storage->kind, storage->bits), member,
                look.refused);
    storage->error = look.error;
    return CAIRN_OK;
}

/// Has a part this dictionary?
static bool has_words(const cairn_kernel_part      *view,
                      const cairn_value_dictionary *dictionary)
{
    const int64_t words  = (int64_t)1 << view->val_bits;
    const char   *own    = view->dictionary;
    uint64_t      differ = 0;

    for (int64_t k = 0; k < words; k++) {
        uint64_t bits;

        memcpy(&bits, own + k * (int64_t)sizeof bits, sizeof bits);
        differ |= bits ^ (k < dictionary->count ? dictionary->word[k] : 0);
    }
    return differ == 0;
}

/// Are a group's values stored in this way already?
static bool is_stored_so(const cairn_local            *tensor,
                         const cairn_group            *group,
                         const cairn_value_storage    *storage,
                         const cairn_value_dictionary *dictionary)
{
    if (storage->kind != group->layout->value_kind
        || storage->bits != group->layout->value_bits)
        return false;
    return storage->kind != CAIRN_VALUE_CODE
           || has_words(&tensor->part[group->first].view, dictionary);
}

static cairn_status store_member(cairn_local *tensor, int member)
{
    cairn_group           *group = &tensor->group[member];
    cairn_value_dictionary dictionary;
    cairn_value_storage    storage;
    cairn_layout          *layout = NULL;
    cairn_status           status;

    cairn_value_dictionary_init(&dictionary, tensor->env);
    status = choose(tensor, member, &dictionary, &storage);
    if (status == CAIRN_OK && !is_stored_so(tensor, group, &storage, &dictionary)) {
        status = cairn_layout_store(tensor->env, group->layout, storage.kind,
                                    storage.bits, &layout);
        if (status == CAIRN_OK)
            status = cairn_group_store(tensor, group, &dictionary, layout);
        if (status != CAIRN_OK) cairn_layout_destroy(tensor->env, &layout);
        group->value_error = storage.error;
    }
    cairn_value_dictionary_fini(&dictionary);
    return status;
}

cairn_status cairn_local_store_values(cairn_local *tensor)
{
    cairn_status status = CAIRN_OK;

    for (int g = 0; g < tensor->groups && status == CAIRN_OK; g++)
        if (!tensor->pattern
            && tensor->group[g].layout->encoding->val != CAIRN_VAL_UNSAID)
            status = store_member(tensor, g);
    return status;
}

/* ---- where the format says nothing ---- */

/// The narrowest type for a group's values, but for those that only `exact` takes.
static cairn_value_storage narrowest(const cairn_local *tensor,
                                     const cairn_group *group)
{
    cairn_value_dictionary none = {.full = true};
    cairn_value_look       look;
    int64_t                values = 0;

    cairn_value_look_begin(&look, tensor->value_bits, NULL, &none);
    for (int64_t p = group->first; p < group->first + group->count; p++) {
        cairn_value_look_at_part(&look, &tensor->part[p].view);
        values += tensor->part[p].view.values;
    }
    return cairn_value_look_narrowest(&look, values);
}

/// Is there memory for narrow values beside the wide ones?
static bool fits_beside(const cairn_local  *tensor,
                        const cairn_group  *group,
                        const cairn_layout *layout)
{
    const cairn_env *env = tensor->env;

    return atomic_load(&env->used_bytes) + values_room(group, tensor->part, layout)
           <= env->memory_limit;
}

cairn_status cairn_group_narrow_again(cairn_local *tensor, int member)
{
    cairn_group              *group   = &tensor->group[member];
    const cairn_value_storage storage = narrowest(tensor, group);
    cairn_layout             *layout;
    cairn_status              status;

    if (group->count == 0
        || (storage.kind == group->layout->value_kind
            && storage.bits == group->layout->value_bits))
        return CAIRN_OK;
    CAIRN_TRY(cairn_layout_store(tensor->env, group->layout, storage.kind, storage.bits,
                                 &layout));
    status = cairn_group_store(tensor, group, NULL, layout);
    if (status != CAIRN_OK) cairn_layout_destroy(tensor->env, &layout);
    return status;
}

static cairn_status narrow_member(cairn_local *tensor, cairn_group *group)
{
    cairn_env *const env = tensor->env;

    if (group->layout->encoding->val != CAIRN_VAL_UNSAID || group->count == 0
        || group->layout->value_tuple >= 0 || !cairn_layout_is_wide(group->layout))
        return CAIRN_OK;
    const cairn_value_storage storage = narrowest(tensor, group);
    const bool                shared  = is_shared(group, tensor->part);
    cairn_layout             *layout;
    cairn_status              status = CAIRN_OK;

    if (storage.kind == CAIRN_VALUE_FLOAT && storage.bits == tensor->value_bits)
        return CAIRN_OK;
    CAIRN_TRY(
        cairn_layout_store(env, group->layout, storage.kind, storage.bits, &layout));
    const bool fits = fits_beside(tensor, group, layout);

    if (fits && (shared || lies_apart(group, tensor->part)))
        status = cairn_group_store(tensor, group, NULL, layout);
    else if (!shared)
        store_in_place(tensor, group, layout);
    else
        cairn_layout_destroy(env, &layout); /* they stay wide */
    if (status != CAIRN_OK) cairn_layout_destroy(env, &layout);
    return status;
}

cairn_status cairn_local_narrow(cairn_local *tensor)
{
    cairn_status status = CAIRN_OK;

    tensor->narrows = true;
    for (int g = 0; g < tensor->groups && status == CAIRN_OK; g++)
        status = narrow_member(tensor, &tensor->group[g]);
    return status;
}

/// Look at a part's values but for zeros that may be padding.
static void look_at_entries(const cairn_part *part, cairn_value_look *look)
{
    enum { STRIP = 512 };
    double strip[STRIP];
    int    n = 0;

    for (cairn_pos v = 0; v < part->view.values; v++) {
        const double value = cairn_value_get(&part->view, v);

        if (part->layout->pads && value == 0 && !signbit(value)) continue;
        strip[n++] = value;
        if (n < STRIP) continue;
        cairn_value_look_at(look, strip, n);
        n = 0;
    }
    cairn_value_look_at(look, strip, n);
}

cairn_value_storage cairn_local_narrowest(const cairn_local *tensor)
{
    cairn_value_dictionary none = {.full = true};
    cairn_value_look       look;

    cairn_value_look_begin(&look, 64, NULL, &none);
    for (int64_t p = 0; p < tensor->parts; p++)
        look_at_entries(&tensor->part[p], &look);
    cairn_value_storage storage = cairn_value_look_narrowest(&look, 0);

    if (storage.kind == CAIRN_VALUE_ONE || storage.bits > tensor->value_bits)
        storage.bits = tensor->value_bits;
    return storage;
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
    *t        = *tensor;
    t->groups = 0;
    t->column = NULL;
    t->part   = NULL;
    status    = CAIRN_NEW(tensor->env, t->parts, &t->part);
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
