// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Words in place of values, and back.

#include "convert/value_words.h"

#include "convert/card.h"
#include "tensor/value_storage.h"

#include <math.h>

/* ---- what may be moved as words ---- */

/// Do entries stand in order, each once, all in one type?
static bool is_uniform(const cairn_local *from)
{
    const cairn_layout *first = from->group[0].layout;
    bool                same  = !from->pattern.kept;

    for (int g = 0; g < from->groups; g++) {
        const cairn_group *group = &from->group[g];

        same = same && cairn_group_is_ordered(group)
               && group->layout->values.kind == first->values.kind
               && group->layout->values.bits == first->values.bits
               && group->layout->values.tuple < 0;
    }
    /* Members have a dictionary each. */
    return same && (first->values.kind != CAIRN_VALUE_CODE || from->groups == 1);
}

bool cairn_compares_values(const cairn_encoding *encoding)
{
    bool compares = false;

    for (int q = 0; q < encoding->queries; q++)
        for (int k = 0; k < encoding->query[q].cases; k++) {
            const cairn_case *when = &encoding->query[q].when[k];

            compares =
                compares || when->constant != 0
                || (when->relation != CAIRN_REL_EQ && when->relation != CAIRN_REL_NE);
        }
    return compares;
}

/// As numbers words are these values.
static bool are_numbers(const cairn_layout *layout)
{
    return layout->values.kind == CAIRN_VALUE_INTEGER
           || layout->values.kind == CAIRN_VALUE_ONE
           || (layout->values.kind == CAIRN_VALUE_FLOAT && layout->values.bits == 32);
}

/// Are a member's values to be narrow, in a type that is found from narrow ones? @p widens:
/// or as wide as the type, which they become when they have been moved.
static bool takes_words(const cairn_local *from, const cairn_encoding *to, bool widens)
{
    const cairn_layout *source = from->group[0].layout;
    cairn_value_storage named;

    if (to->packs > 0) return false;
    if (to->val == CAIRN_VAL_UNSAID)
        return from->narrows ? are_numbers(source) : widens;
    return widens || !cairn_val_type_is_named(to->val, from->value_bits, &named)
           || named.kind != CAIRN_VALUE_FLOAT || named.bits < from->value_bits;
}

/// Is there a card that a conversion may go on? What is sent there and brought back is less
/// as words, whatever becomes of them.
static bool may_be_sent(const cairn_build *build)
{
    return build->loader->card && !build->loader->card->failed;
}

static bool is_moved(const cairn_build *build)
{
    const cairn_local  *from   = build->from;
    const cairn_format *format = build->format;

    if (build->net || build->into || !build->loader || from->groups == 0
        || build->duty == CAIRN_BUILD_STRICT || !is_uniform(from))
        return false;
    const bool numbers = are_numbers(from->group[0].layout);

    if (format->hybrid && !numbers) return false;
    for (int k = 0; k < format->members; k++)
        if (!takes_words(from, format->member[k], may_be_sent(build))
            || (!numbers && cairn_compares_values(format->member[k])))
            return false;
    return true;
}

/// Has the source, or what is made of it, positions that hold 0 without being entries?
/// What cannot be told without sizes may have some.
static bool has_padding(cairn_env *env, const cairn_build *build)
{
    bool pads = false;

    for (int g = 0; g < build->from->groups; g++)
        pads |= build->from->group[g].layout->pads;
    for (int k = 0; k < build->format->members && !pads; k++) {
        cairn_layout *layout = NULL;

        pads = cairn_layout_create(env, build->format->member[k], NULL, NULL, NULL,
                                   build->value_bits, &layout)
                   != CAIRN_OK
               || layout->pads;
        cairn_layout_destroy(env, &layout);
    }
    return pads;
}

/* ---- words ---- */

/// Values that are all equal take no room: give them the narrowest type that holds them
/// and 0. @param[out] done  False: there is none that is narrower than the tensor's.
static cairn_status spread(cairn_local *t, bool *done)
{
    double                 both[2] = {0};
    cairn_value_dictionary none    = {.full = true};
    cairn_value_look       look;

    cairn_value_look_begin(&look, 64, NULL, &none);
    for (int g = 0; g < t->groups; g++) {
        const cairn_kernel_part *view = &t->part[t->group[g].first].view;

        if (view->values == 0) continue;
        both[1] = cairn_value_get(view, 0);
        cairn_value_look_at(&look, both, 2);
    }
    cairn_value_storage storage = cairn_value_look_narrowest(&look, 0);

    *done = storage.bits < t->value_bits;
    if (storage.kind == CAIRN_VALUE_ONE) /* 0 alone */
        storage = (cairn_value_storage){CAIRN_VALUE_INTEGER, 8, 0}, *done = true;
    for (int g = 0; g < t->groups && *done; g++) {
        cairn_layout *layout;

        CAIRN_TRY(cairn_layout_store(t->env, t->group[g].layout, storage.kind,
                                     storage.bits, &layout));
        const cairn_status status = cairn_group_store(t, &t->group[g], NULL, layout);

        if (status != CAIRN_OK) cairn_layout_destroy(t->env, &layout);
        CAIRN_TRY(status);
    }
    return CAIRN_OK;
}

/// Let 0 be number 0 of the dictionary. @param[out] done  False: there is no room for it,
/// or there is a -0, too, which is another value and yet no entry.
static cairn_status number_zero(cairn_local *t, bool *done, bool *own)
{
    cairn_group           *group = &t->group[0];
    const double          *word  = t->part[group->first].view.dictionary;
    const int              bits  = group->layout->values.bits;
    const double           zero  = 0;
    cairn_value_dictionary dictionary;
    cairn_layout          *layout;
    cairn_status           status = CAIRN_OK;

    *done = true;
    for (int k = 0; k < 1 << bits; k++)
        *done &= word[k] != 0 || !signbit(word[k]);
    if (!*done || word[0] == 0) return CAIRN_OK;
    cairn_value_dictionary_init(&dictionary, t->env);
    cairn_value_dictionary_add(&dictionary, &zero, 1);
    cairn_value_dictionary_add(&dictionary, word, 1 << bits);
    *done = !dictionary.full && dictionary.count <= 1 << bits;
    if (*done) {
        status =
            cairn_layout_store(t->env, group->layout, CAIRN_VALUE_CODE, bits, &layout);
        if (status == CAIRN_OK) {
            status = cairn_group_store(t, group, &dictionary, layout);
            if (status != CAIRN_OK) cairn_layout_destroy(t->env, &layout);
        }
        *own = true;
    }
    cairn_value_dictionary_fini(&dictionary);
    return status;
}

/// Is some value -0, which is a word of its own? Of f16 and bf16.
static bool has_negative_zero(const cairn_local *t)
{
    bool found = false;

    for (int64_t p = 0; p < t->parts; p++) {
        const uint16_t *word = t->part[p].view.val;

        for (cairn_pos v = 0; v < t->part[p].view.values; v++)
            found |= word[v] == 0x8000;
    }
    return found;
}

/// See to it that 0 is 0 and nothing else is.
static cairn_status
settle_zero(const cairn_build *build, cairn_value_words *words, bool *done)
{
    cairn_local *const     t    = words->tensor;
    const cairn_value_kind kind = t->group[0].layout->values.kind;
    const bool             pads = has_padding(t->env, build);

    *done = true;
    if (kind == CAIRN_VALUE_ONE) {
        words->own = true;
        return spread(t, done);
    }
    if (!pads) return CAIRN_OK;
    if (kind == CAIRN_VALUE_CODE) return number_zero(t, done, &words->own);
    if (!are_numbers(t->group[0].layout)) *done = !has_negative_zero(t);
    return CAIRN_OK;
}

/// Give a tensor another type of the same width, of values that are stored so.
static cairn_status
rename_values(cairn_local *t, int carrier_bits, cairn_value_kind kind, int bits)
{
    for (int g = 0; g < t->groups; g++) {
        cairn_group  *group = &t->group[g];
        cairn_layout *layout;

        CAIRN_TRY(cairn_layout_carry(t->env, group->layout, carrier_bits, kind, bits,
                                     &layout));
        cairn_layout_destroy(t->env, &group->layout);
        group->layout = layout;
        for (int64_t p = group->first; p < group->first + group->count; p++) {
            t->part[p].layout          = layout;
            t->part[p].view.val_kind   = kind;
            t->part[p].view.dictionary = NULL;
        }
    }
    t->value_bits = carrier_bits;
    return CAIRN_OK;
}

cairn_status cairn_value_words_create(const cairn_build *build,
                                      cairn_value_words *words)
{
    bool         done = false;
    cairn_status status;

    *words = (cairn_value_words){.tensor = NULL};
    if (!is_moved(build)) return CAIRN_OK;
    CAIRN_TRY(cairn_local_beside(build->from, &words->tensor));
    status = settle_zero(build, words, &done);
    if (status == CAIRN_OK && done) {
        const cairn_group *group = &words->tensor->group[0];

        words->kind   = group->layout->values.kind;
        words->bits   = group->layout->values.bits;
        words->word   = words->tensor->part[group->first].view.dictionary;
        words->widens = !build->from->narrows;
        status        = rename_values(
                   words->tensor, words->bits,
            words->bits < 32 ? CAIRN_VALUE_INTEGER : CAIRN_VALUE_FLOAT, words->bits);
    }
    if (status != CAIRN_OK || !done) cairn_local_destroy(&words->tensor);
    return status;
}

void cairn_value_words_destroy(cairn_value_words *words)
{
    cairn_local_destroy(&words->tensor);
}

/* ---- back ---- */

/// The dictionary is copied for each member that was built; all have the same numbers.
cairn_status cairn_value_words_restore(const cairn_value_words *words,
                                       int                      value_bits,
                                       cairn_local             *built)
{
    CAIRN_TRY(rename_values(built, value_bits, words->kind, words->bits));
    for (int g = 0; g < built->groups && words->word; g++)
        CAIRN_TRY(cairn_group_add_dictionary(built->env, &built->group[g], words->word,
                                             built->part));
    for (int g = 0; g < built->groups; g++)
        if (built->group[g].layout->encoding->val == CAIRN_VAL_UNSAID)
            CAIRN_TRY(words->widens ? cairn_group_widen(built, g)
                                    : cairn_group_narrow_again(built, g));
    return cairn_local_store_values(built);
}
