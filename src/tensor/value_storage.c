// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which storage is the narrowest for values, and who gets it.

#include "tensor/value_storage.h"

#include "tensor/value_moves.h"

#include <math.h>
#include <string.h>

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

/* ---- choosing ---- */

/// As a text names them.
static const cairn_value_storage val_types[CAIRN_VAL_TYPES] = {
#define X(id, text, kind, bits) {kind, bits, 0},
    CAIRN_VAL_TYPE_MAP(X)
#undef X
};

cairn_val_type cairn_val_type_of(cairn_value_kind kind, int bits)
{
    cairn_val_type type = CAIRN_VAL_ISO;

    while (val_types[type].kind != kind
           || (val_types[type].bits != bits && kind != CAIRN_VALUE_ONE))
        type++;
    return type;
}

bool cairn_val_type_is_named(cairn_val_type       type,
                             int                  carrier_bits,
                             cairn_value_storage *storage)
{
    if (type == CAIRN_VAL_UNSAID || type == CAIRN_VAL_EXACT) return false;
    *storage = val_types[type];
    if (storage->bits == 0 || storage->bits > carrier_bits)
        storage->bits = carrier_bits;
    return true;
}

cairn_status cairn_layout_store_named(cairn_env *env, cairn_layout **layout)
{
    cairn_layout       *wide = *layout;
    cairn_value_storage named;

    if (wide->values.tuple >= 0
        || !cairn_val_type_is_named(wide->encoding->val, wide->values.carrier_bits,
                                    &named))
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
    if (group->layout->values.tuple >= 0) {
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
    if (storage->kind != group->layout->values.kind
        || storage->bits != group->layout->values.bits)
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
        if (!tensor->pattern.kept
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

/// Is there memory for narrow values beside the wide ones?
static bool fits_beside(const cairn_local  *tensor,
                        const cairn_group  *group,
                        const cairn_layout *layout)
{
    const cairn_env *env = tensor->env;

    return atomic_load(&env->used_bytes)
               + cairn_group_values_room(group, tensor->part, layout)
           <= env->memory_limit;
}

cairn_status cairn_group_narrow_again(cairn_local *tensor, int member)
{
    cairn_group              *group   = &tensor->group[member];
    const cairn_value_storage storage = narrowest(tensor, group);
    cairn_layout             *layout;
    cairn_status              status;

    if (group->count == 0
        || (storage.kind == group->layout->values.kind
            && storage.bits == group->layout->values.bits))
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
        || group->layout->values.tuple >= 0 || !cairn_layout_is_wide(group->layout))
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
        cairn_group_store_in_place(tensor, group, layout);
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
