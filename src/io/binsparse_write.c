// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tensor's arrays as an archive: which format of the specification they are follows from
/// the levels, whatever the tensor's format is called.

#include "io/binsparse.h"
#include "tensor/value_storage.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/// What is written.
typedef struct {
    const cairn_local       *tensor;
    const cairn_kernel_part *view;
    char                     format[8];
    bool                     iso;
    int                      arrays;
    cairn_npy_out array[CAIRN_BINSPARSE_USED + 1]; ///< The first is the text.
} archive;

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

/// Name the format that has these arrays. @return false: none does.
static bool name_format(archive *a)
{
    const cairn_local *tensor = a->tensor;
    bool               swapped, idx0, idx1, ptr0, ptr1;

    if (tensor->groups != 1 || tensor->parts != 1) return false;
    const cairn_encoding *encoding = tensor->group[0].layout->encoding;

    if (encoding->queries > 0 || encoding->packs > 0
        || !are_dimensions(encoding, &swapped) || !are_plain(tensor))
        return false;
    const cairn_kernel_level *level = a->view->level;
    const bool                two   = encoding->map.count == 2;

    idx0 = level[0].idx_bits > 0;
    ptr0 = level[0].ptr_bits > 0;
    idx1 = two && level[1].idx_bits > 0;
    ptr1 = two && level[1].ptr_bits > 0;
    if (ptr0 || (two && ptr1 && !idx1)) return false;
    if (!two)
        strcpy(a->format, idx0 ? "CVEC" : "DVEC");
    else if (ptr1)
        snprintf(a->format, sizeof a->format, "%sCS%c", idx0 ? "D" : "",
                 swapped ? 'C' : 'R');
    else if (!idx0 && !idx1)
        snprintf(a->format, sizeof a->format, "DMAT%c", swapped ? 'C' : 'R');
    else if (idx0 && idx1 && !swapped)
        strcpy(a->format, "COO");
    else
        return false;
    return true;
}

/* ---- arrays ---- */

static void add(archive    *a,
                const char *name,
                char        kind,
                int         bits,
                int64_t     elements,
                const void *data)
{
    cairn_npy_out *out = &a->array[a->arrays++];

    *out = (cairn_npy_out){
        .name = name, .elements = elements, .data = data, .bytes = elements * bits / 8};
    snprintf(out->descr, sizeof out->descr, "%c%c%d", bits == 8 ? '|' : '<', kind,
             bits / 8);
}

static void add_arrays(archive *a)
{
    static const char *const names[] = {"indices_0", "indices_1"};
    const cairn_kernel_part *view    = a->view;

    a->arrays = 1;
    for (int k = 0; k < view->levels; k++) {
        const cairn_kernel_level *level = &view->level[k];

        if (level->ptr_bits > 0)
            add(a, "pointers_to_1", 'u', level->ptr_bits, level->ptr_length,
                level->ptr);
        if (level->idx_bits > 0)
            add(a, names[k], level->idx_signed ? 'i' : 'u', level->idx_bits,
                level->idx_length, level->idx);
    }
    add(a, "values", 'f', view->val_bits, cairn_stored_values(view), view->val);
}

/* ---- the text ---- */

/// "uint32", "iso[float64]".
static json_t *type_of(const archive *a, const cairn_npy_out *array)
{
    const char *const kind = array->descr[1] == 'f'   ? "float"
                             : array->descr[1] == 'u' ? "uint"
                                                      : "int";
    const bool        iso  = a->iso && array == &a->array[a->arrays - 1];
    char              text[32];

    snprintf(text, sizeof text, "%s%s%d%s", iso ? "iso[" : "", kind,
             8 * (array->descr[2] - '0'), iso ? "]" : "");
    return json_string(text);
}

static json_t *describe(const archive *a)
{
    json_t *types = json_object(), *shape = json_array();

    for (int k = 1; k < a->arrays; k++)
        json_object_set_new(types, a->array[k].name, type_of(a, &a->array[k]));
    for (int k = 0; k < a->tensor->shape.order; k++)
        json_array_append_new(shape, json_integer(a->tensor->shape.extent[k]));
    return json_pack("{s:{s:s, s:s, s:o, s:I, s:o}}", "binsparse", "version", "0.1.0",
                     "format", a->format, "shape", shape, "number_of_stored_values",
                     (json_int_t)a->view->values, "data_types", types);
}

/// The description as numpy has a text: 32 bits a character.
static cairn_status print_text(archive *a, uint32_t **wide)
{
    cairn_env *env  = a->tensor->env;
    json_t    *json = describe(a);
    char      *text = json ? json_dumps(json, 0) : NULL;

    json_decref(json);
    CAIRN_CHECK(text, env, CAIRN_NO_MEMORY, "memory: no room for a text");
    const int64_t      n      = (int64_t)strlen(text);
    const cairn_status status = CAIRN_NEW(env, n, wide);

    for (int64_t k = 0; k < n && status == CAIRN_OK; k++)
        (*wide)[k] = (unsigned char)text[k];
    free(text);
    if (status != CAIRN_OK) return status;
    a->array[0] = (cairn_npy_out){
        .name = "binsparse", .elements = -1, .data = *wide, .bytes = 4 * n};
    snprintf(a->array[0].descr, sizeof a->array[0].descr, "<U%" PRId64, n);
    return CAIRN_OK;
}

static cairn_status write_archive(archive *a, const char *path, int64_t *bytes)
{
    cairn_env *env  = a->tensor->env;
    cairn_file file = {.env = env, .fd = -1};
    uint32_t  *text = NULL;

    add_arrays(a);
    cairn_status status = print_text(a, &text);

    if (status == CAIRN_OK) status = cairn_file_create(env, path, &file);
    if (status == CAIRN_OK) status = cairn_npz_write(&file, a->array, a->arrays, bytes);
    if (status == CAIRN_OK)
        status = cairn_file_commit(&file);
    else
        cairn_file_discard(&file);
    cairn_free(env, text);
    return status;
}

cairn_status
cairn_binsparse_write(const cairn_local *tensor, const char *path, int64_t *bytes)
{
    cairn_local *wide   = NULL;
    archive      a      = {.tensor = tensor};
    cairn_status status = CAIRN_OK;

    if (tensor->parts > 0) a.view = &tensor->part[0].view;
    CAIRN_CHECK(
        tensor->parts > 0 && name_format(&a), tensor->env, CAIRN_UNSUPPORTED,
        "write: %s: no format of binsparse has the arrays of this one: a .cairn file "
        "has them",
        path);
    a.iso = a.view->val_kind == CAIRN_VALUE_ONE && a.view->values > 0;
    if (!a.iso) {
        /* Integers of 8 bits would be just that to who reads them. */
        CAIRN_TRY(cairn_local_widened(tensor, &wide));
        a.tensor = wide;
        a.view   = &wide->part[0].view;
    }
    status = write_archive(&a, path, bytes);
    cairn_local_destroy(&wide);
    return status;
}
