// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tensor's arrays by the names of the specification: which format of it they are follows
/// from the levels, whatever the tensor's format is called.

#include "io/archive/archive_tensor.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* ---- which format ---- */

/// Are levels the dimensions, in their order or, of a matrix, the other way round?
static bool are_dimensions(const cairn_encoding *encoding, bool *swapped)
{
    const cairn_map *map = &encoding->map;

    if (map->order > 2 || map->count != map->order) return false;
    for (int k = 0; k < map->count; k++)
        if (map->expr[k]->op != CAIRN_EXPR_DIM) return false;
    *swapped = map->expr[0]->value != 0;
    return map->order == 1 || map->expr[0]->value != map->expr[1]->value;
}

/// Are the arrays of the tensor's only part arrays of their own, with all indices from 0 on?
static bool are_plain(const cairn_local *tensor)
{
    const cairn_kernel_part *view  = &tensor->part[0].view;
    bool                     plain = view->val_block == 1;

    plain = plain
            && (view->val_kind == CAIRN_VALUE_ONE
                || view->val_stride == view->val_bits / 8);
    for (int k = 0; k < view->levels; k++) {
        const cairn_kernel_level *level = &view->level[k];

        plain = plain && (!level->idx || level->idx_stride == level->idx_bits / 8)
                && (level->idx || (level->lo == 0 && level->size == 0)
                    || (level->lo == 0 && level->kind == 0));
    }
    return plain;
}

bool cairn_binsparse_name(const cairn_local *tensor, char format[8])
{
    bool swapped, idx0, idx1, ptr0, ptr1;

    if (tensor->groups != 1 || tensor->parts != 1) return false;
    const cairn_encoding *encoding = tensor->group[0].layout->encoding;

    if (encoding->queries > 0 || encoding->packs > 0
        || !are_dimensions(encoding, &swapped) || !are_plain(tensor))
        return false;
    const cairn_kernel_level *level = tensor->part[0].view.level;
    const bool                two   = encoding->map.count == 2;

    idx0 = level[0].idx_bits > 0;
    ptr0 = level[0].ptr_bits > 0;
    idx1 = two && level[1].idx_bits > 0;
    ptr1 = two && level[1].ptr_bits > 0;
    if (ptr0 || (two && ptr1 && !idx1)) return false;
    if (!two)
        strcpy(format, idx0 ? "CVEC" : "DVEC");
    else if (ptr1)
        snprintf(format, 8, "%sCS%c", idx0 ? "D" : "", swapped ? 'C' : 'R');
    else if (!idx0 && !idx1)
        snprintf(format, 8, "DMAT%c", swapped ? 'C' : 'R');
    else if (idx0 && idx1 && !swapped)
        strcpy(format, "COO");
    else
        return false;
    return true;
}

/* ---- arrays and text ---- */

static bool is_iso(const cairn_kernel_part *view)
{
    return view->val_kind == CAIRN_VALUE_ONE && view->values > 0;
}

/// "uint32", "iso[float64]".
static json_t *type_of(const cairn_archive_out *array, bool iso)
{
    const char *const kind = array->descr[1] == 'f'   ? "float"
                             : array->descr[1] == 'u' ? "uint"
                                                      : "int";
    char              text[32];

    snprintf(text, sizeof text, "%s%s%d%s", iso ? "iso[" : "", kind,
             8 * (array->descr[2] - '0'), iso ? "]" : "");
    return json_string(text);
}

static cairn_status add(cairn_archive_list *list,
                        json_t             *types,
                        const char         *name,
                        bool                iso,
                        cairn_archive_out   array)
{
    snprintf(array.name, sizeof array.name, "%s", name);
    json_object_set_new(types, name, type_of(&array, iso));
    return cairn_archive_list_add(list, &array);
}

static cairn_status
add_arrays(const cairn_kernel_part *view, json_t *types, cairn_archive_list *list)
{
    static const char *const names[] = {"indices_0", "indices_1"};

    for (int k = 0; k < view->levels; k++) {
        const cairn_kernel_level *level = &view->level[k];

        if (level->ptr_bits > 0)
            CAIRN_TRY(
                add(list, types, "pointers_to_1", false, cairn_archive_of_ptr(level)));
        if (level->idx_bits > 0)
            CAIRN_TRY(add(list, types, names[k], false, cairn_archive_of_idx(level)));
    }
    return add(list, types, "values", is_iso(view), cairn_archive_of_values(view));
}

cairn_status cairn_binsparse_add(const cairn_local  *tensor,
                                 const char         *format,
                                 cairn_archive_list *list)
{
    const cairn_kernel_part *view  = &tensor->part[0].view;
    json_t                  *types = json_object(), *shape = json_array();
    cairn_status             status = add_arrays(view, types, list);
    char                    *text   = NULL;

    for (int k = 0; k < tensor->shape.order; k++)
        json_array_append_new(shape, json_integer(tensor->shape.extent[k]));
    json_t *json =
        json_pack("{s:{s:s, s:s, s:o, s:I, s:o}}", "binsparse", "version", "0.1.0",
                  "format", format, "shape", shape, "number_of_stored_values",
                  (json_int_t)view->values, "data_types", types);

    if (status == CAIRN_OK) text = json ? json_dumps(json, 0) : NULL;
    if (status == CAIRN_OK && !text)
        status = cairn_fail(list->env, CAIRN_NO_MEMORY, "memory: no room for a text");
    if (status == CAIRN_OK) status = cairn_archive_list_text(list, "binsparse", text);
    free(text);
    json_decref(json);
    return status;
}
