// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A caller's part against the layout that it is to have: what is not 0 must be right.

#include "api/arrays/from_parts.h"
#include "format/language.h"
#include "tensor/value_storage.h"

#include <inttypes.h>
#include <string.h>

const cairn_part_view *
cairn_handed_find(const cairn_handed *handed, int member, int64_t bank)
{
    for (int64_t k = 0; k < handed->parts; k++) {
        const cairn_part_view *view = &handed->part[k];

        if (view->member == member && (bank < 0 || view->arrays->bank == bank))
            return view;
    }
    return NULL;
}

cairn_status cairn_handed_refuse(const cairn_handed *handed, const cairn_fault *fault)
{
    char text[CAIRN_FAULT];

    cairn_fault_print(fault, text);
    return cairn_fail(&handed->context->env, CAIRN_BAD_ARGUMENT,
                      CAIRN_FROM_PARTS ": %s", text);
}

/* ---- widths ---- */

static bool is_width(int bits)
{
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static const char *const kinds[] = {"floating-point numbers", "integers", "one for all",
                                    "places in a dictionary", "numbers of bf16"};

/// Widths of one part that its layout does not have.
static void take_widths(const cairn_kernel_part *arrays,
                        const cairn_layout      *layout,
                        cairn_encoding          *encoding,
                        bool                    *differs)
{
    for (int l = 0; l < layout->levels; l++) {
        const cairn_kernel_level *theirs = &arrays->level[l];
        const cairn_level        *ours   = &layout->level[l];

        if (ours->arrays.has_ptr && is_width(theirs->ptr_bits)
            && theirs->ptr_bits != ours->arrays.ptr_bits) {
            encoding->bits[l].ptr = theirs->ptr_bits;
            *differs              = true;
        }
        if (ours->arrays.has_idx && is_width(theirs->idx_bits)
            && theirs->idx_bits != ours->arrays.idx_bits) {
            encoding->bits[l].idx = theirs->idx_bits;
            *differs              = true;
        }
    }
}

static cairn_status take_member_widths(const cairn_handed *handed,
                                       int                 member,
                                       cairn_encoding     *encoding,
                                       bool               *differs)
{
    cairn_env             *env    = &handed->context->env;
    const cairn_part_view *view   = cairn_handed_find(handed, member, -1);
    cairn_layout          *layout = NULL;
    cairn_interval         span[CAIRN_MAX_QUERIES];

    if (!view || view->arrays->levels != encoding->map.count) return CAIRN_OK;
    CAIRN_TRY(cairn_handed_spans(handed, encoding, view, span));
    CAIRN_TRY(cairn_layout_create(env, encoding, handed->shape.extent, handed->box,
                                  span, 64, &layout));
    take_widths(view->arrays, layout, encoding, differs);
    cairn_layout_destroy(env, &layout);
    return CAIRN_OK;
}

/// Print the format with other widths, and read it.
static cairn_status reparse(const cairn_handed   *handed,
                            const cairn_encoding *encoding,
                            cairn_format        **format)
{
    cairn_format with = *handed->format;
    char        *text;

    for (int m = 0; m < with.members; m++)
        with.member[m] = &encoding[m];
    CAIRN_TRY(cairn_format_print(&handed->context->env, &with, &text));
    const cairn_status status = cairn_format_create(handed->context, text, format);

    cairn_free(&handed->context->env, text);
    return status;
}

cairn_status cairn_handed_format(const cairn_handed *handed, cairn_format **format)
{
    cairn_env      *env     = &handed->context->env;
    cairn_encoding *copy    = NULL;
    bool            differs = false;
    cairn_status    status  = CAIRN_NEW(env, handed->format->members, &copy);

    for (int m = 0; m < handed->format->members && status == CAIRN_OK; m++) {
        copy[m] = *handed->format->member[m];
        status  = take_member_widths(handed, m, &copy[m], &differs);
    }
    if (status == CAIRN_OK)
        status = differs ? reparse(handed, copy, format)
                         : cairn_format_copy(handed->context, handed->format, format);
    cairn_free(env, copy);
    return status;
}

/* ---- values ---- */

/// What a caller's part says of its values; widths that are 0 follow from the kind.
static void
stored_as(const cairn_kernel_part *theirs, int carrier_bits, int *kind, int *bits)
{
    *kind = theirs->val_kind;
    *bits = theirs->val_bits;
    if (*bits == 0 && (*kind == CAIRN_VALUE_FLOAT || *kind == CAIRN_VALUE_ONE))
        *bits = carrier_bits;
}

/// Is there such a type, no wider than the tensor's?
static bool is_type(int carrier_bits, int kind, int bits)
{
    switch (kind) {
    case CAIRN_VALUE_FLOAT: return bits == carrier_bits || bits == 32 || bits == 16;
    case CAIRN_VALUE_BFLOAT: return bits == 16;
    case CAIRN_VALUE_ONE: return bits == carrier_bits;
    case CAIRN_VALUE_INTEGER:
    case CAIRN_VALUE_CODE: return bits == 8 || bits == 16;
    default: return false;
    }
}

cairn_status cairn_handed_storage(const cairn_handed    *handed,
                                  const cairn_part_view *view,
                                  cairn_layout         **layout)
{
    cairn_env    *env  = &handed->context->env;
    cairn_layout *wide = *layout;
    int           kind, bits;

    stored_as(view->arrays, wide->values.carrier_bits, &kind, &bits);
    CAIRN_CHECK(kind >= CAIRN_VALUE_FLOAT && kind <= CAIRN_VALUE_BFLOAT, env,
                CAIRN_BAD_ARGUMENT, CAIRN_FROM_PARTS ": member %d: val_kind is %d",
                view->member, kind);
    CAIRN_CHECK(is_type(wide->values.carrier_bits, kind, bits), env, CAIRN_BAD_ARGUMENT,
                CAIRN_FROM_PARTS
                ": member %d: val_bits is %d, but the values are %s of %s",
                view->member, bits, kinds[kind],
                wide->values.carrier_bits == 32 ? "f32" : "f64");
    if (kind == CAIRN_VALUE_FLOAT && bits == wide->values.carrier_bits) return CAIRN_OK;
    CAIRN_CHECK(wide->values.tuple < 0, env, CAIRN_BAD_ARGUMENT,
                CAIRN_FROM_PARTS ": member %d: values that are packed with their "
                                 "indices are of the tensor's type",
                view->member);
    CAIRN_CHECK(cairn_value_storage_fits(wide->encoding->val, wide->values.carrier_bits,
                                         kind, bits),
                env, CAIRN_BAD_ARGUMENT,
                CAIRN_FROM_PARTS ": member %d: values are %s, which is not the type "
                                 "that the format says",
                view->member, cairn_value_storage_name((cairn_value_kind)kind, bits));
    CAIRN_TRY(cairn_layout_store(env, wide, (cairn_value_kind)kind, bits, layout));
    cairn_layout_destroy(env, &wide);
    return CAIRN_OK;
}

/* ---- numbers ---- */

/// A number that is 0 for "as the format says", or what it says.
static bool agrees(const cairn_part *part,
                   int               level,
                   const char       *name,
                   int64_t           theirs,
                   int64_t           ours,
                   cairn_fault      *fault)
{
    if (theirs == 0 || theirs == ours) return true;
    return cairn_fault_note(fault, part, level, NULL, 0,
                            "%s is %" PRId64 ", but the format says %" PRId64, name,
                            theirs, ours);
}

static bool level_agrees(const cairn_part         *part,
                         int                       l,
                         const cairn_kernel_level *theirs,
                         cairn_fault              *fault)
{
    const cairn_kernel_level *ours    = &part->view.level[l];
    const bool                trimmed = part->layout->level[l].trimmed;

    if (theirs->size != 0 ? theirs->lo != ours->lo || theirs->size != ours->size
                          : theirs->lo != 0 && theirs->lo != ours->lo)
        return cairn_fault_note(fault, part, l, NULL, 0,
                                "its range is %" PRId64 " from %" PRId64
                                " on, but the format says %" PRId64 " from %" PRId64,
                                theirs->size, theirs->lo, ours->size, ours->lo);
    return agrees(part, l, "nodes", trimmed ? 0 : theirs->nodes, ours->nodes, fault)
           && agrees(part, l, "ptr_bits", theirs->ptr_bits, ours->ptr_bits, fault)
           && agrees(part, l, "idx_bits", theirs->idx_bits, ours->idx_bits, fault)
           && agrees(part, l, "ptr_length", theirs->ptr_length, ours->ptr_length, fault)
           && agrees(part, l, "idx_length", theirs->idx_length, ours->idx_length, fault)
           && agrees(part, l, "idx_stride", theirs->idx_stride, ours->idx_stride, fault)
           && agrees(part, l, "hole", theirs->hole, ours->hole, fault)
           && agrees(part, l, "kind", theirs->kind, ours->kind, fault);
}

static bool
part_agrees(const cairn_part *part, const cairn_kernel_part *theirs, cairn_fault *fault)
{
    const cairn_kernel_part *ours   = &part->view;
    const bool               stated = theirs->first != 0 || theirs->last != 0;

    if (stated && (theirs->first != ours->first || theirs->last != ours->last))
        return cairn_fault_note(fault, part, -1, NULL, 0,
                                "levels %d to %d are trimmed, but the format says %d "
                                "to %d",
                                theirs->first, theirs->last, ours->first, ours->last);
    for (int l = 0; l < ours->levels; l++)
        if (!level_agrees(part, l, &theirs->level[l], fault)) return false;
    if (theirs->val_kind != ours->val_kind)
        return cairn_fault_note(fault, part, -1, NULL, 0,
                                "val_kind is %d, but that of the member's first part "
                                "%d",
                                theirs->val_kind, ours->val_kind);
    return agrees(part, -1, "val_bits", theirs->val_bits, ours->val_bits, fault)
           && agrees(part, -1, "values", theirs->values, ours->values, fault)
           && agrees(part, -1, "val_block", theirs->val_block, ours->val_block, fault)
           && agrees(part, -1, "val_stride", theirs->val_stride, ours->val_stride,
                     fault);
}

/* ---- pointers ---- */

/// An array that there is, and lies as its elements must; or none.
static bool pointer_fits(const cairn_part *part,
                         int               level,
                         const char       *name,
                         const void       *at,
                         int64_t           length,
                         int               bits,
                         cairn_fault      *fault)
{
    if (!at && length > 0)
        return cairn_fault_note(fault, part, level, NULL, 0,
                                "%s is NULL, but has %" PRId64 " elements", name,
                                length);
    if (at && bits == 0)
        return cairn_fault_note(fault, part, level, NULL, 0,
                                "there is a %s, but the format has none", name);
    if ((uintptr_t)at % (uintptr_t)(bits ? bits / 8 : 1) != 0)
        return cairn_fault_note(fault, part, level, NULL, 0,
                                "%s is not at a multiple of %d bytes", name, bits / 8);
    return true;
}

/// Fields of one array of tuples stand where its struct has them.
static bool
tuple_fits(const cairn_part *part, const cairn_tuple *tuple, cairn_fault *fault)
{
    const cairn_kernel_part *view = &part->view;
    const uintptr_t          base =
        (uintptr_t)view->level[tuple->field[0]].idx - tuple->offset[0];

    if (view->level[tuple->field[0]].idx_length == 0) return true;
    for (int f = 1; f < tuple->fields; f++)
        if ((uintptr_t)view->level[tuple->field[f]].idx != base + tuple->offset[f])
            return cairn_fault_note(fault, part, tuple->field[f], NULL, 0,
                                    "its idx is not %zu bytes from the tuple's begin",
                                    tuple->offset[f]);
    if (tuple->values && (uintptr_t)view->val != base + tuple->value_offset)
        return cairn_fault_note(fault, part, -1, NULL, 0,
                                "values are not %zu bytes from the tuple's begin",
                                tuple->value_offset);
    return true;
}

static bool dictionary_fits(const cairn_part *part, cairn_fault *fault)
{
    const bool is_code = part->view.val_kind == CAIRN_VALUE_CODE;

    if (!pointer_fits(part, -1, "dictionary", part->view.dictionary,
                      is_code ? (int64_t)1 << part->view.val_bits : 0, is_code ? 64 : 0,
                      fault))
        return false;
    if (cairn_dictionary_fits(&part->view, part->layout->values.carrier_bits))
        return true;
    return cairn_fault_note(fault, part, -1, NULL, 0,
                            "the dictionary has values that are no f32");
}

static bool pointers_fit(const cairn_part *part, cairn_fault *fault)
{
    const cairn_layout *layout = part->layout;

    for (int l = 0; l < layout->levels; l++) {
        const cairn_kernel_level *level = &part->view.level[l];

        if (!pointer_fits(part, l, "ptr", level->ptr, level->ptr_length,
                          level->ptr_bits, fault)
            || !pointer_fits(part, l, "idx", level->idx, level->idx_length,
                             level->idx_bits, fault))
            return false;
    }
    if (!pointer_fits(part, -1, "val", part->view.val, cairn_stored_values(&part->view),
                      part->view.val_bits, fault)
        || !dictionary_fits(part, fault))
        return false;
    for (int t = 0; t < layout->packs.count; t++)
        if (!tuple_fits(part, &layout->packs.tuple[t], fault)) return false;
    return true;
}

bool cairn_handed_point(const cairn_part_view *view,
                        const cairn_layout    *layout,
                        cairn_part            *part,
                        cairn_pos             *nodes,
                        int64_t               *bytes,
                        cairn_fault           *fault)
{
    const cairn_kernel_part *theirs = view->arrays;
    int64_t                  offset = 0;

    part->layout = layout;
    for (int l = 0; l < layout->levels; l++) {
        nodes[l] = layout->level[l].trimmed ? theirs->level[l].nodes : 0;
        if (nodes[l] < 0 || nodes[l] > INT64_MAX / 256)
            return cairn_fault_note(fault, part, l, NULL, 0,
                                    "there cannot be %" PRId64 " nodes", nodes[l]);
    }
    cairn_part_place(layout, nodes, NULL, &offset, bytes, part);
    if (!part_agrees(part, theirs, fault)) return false;
    for (int l = 0; l < layout->levels; l++) {
        part->view.level[l].ptr = theirs->level[l].ptr;
        part->view.level[l].idx = theirs->level[l].idx;
    }
    part->view.val        = theirs->val;
    part->view.dictionary = theirs->dictionary;
    part->nnz             = view->nnz;
    return pointers_fit(part, fault);
}
