// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The text `cairn` of an archive: the format, and of each part how its levels number their
/// nodes, how coordinates come back, and where the arrays are. Who walks the levels as
/// include/cairn/kernel.h has it needs to infer nothing (docs/files.md has the fields).

#include "format/language.h"
#include "io/archive/archive_tensor.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A part that is being described.
typedef struct {
    cairn_archive_list      *list;
    const cairn_part        *stored;
    const cairn_layout      *layout;
    const cairn_kernel_part *view;
    char                     prefix[32]; ///< Of the names of its arrays.
} part;

/// Elements of an array, which may be fields of structs.
typedef struct {
    char    type[24]; ///< numpy's.
    int64_t offset, stride, length;
} elements;

/// Describe elements of an array of the archive, which gets it if it has it not yet.
static cairn_status describe(const part       *p,
                             const char       *name,
                             cairn_archive_out array,
                             elements          of,
                             json_t          **json)
{
    const cairn_archive_list *list = p->list;
    const char               *have = NULL;

    for (int k = 0; k < list->arrays && array.bytes > 0 && !have; k++)
        if (list->array[k].data == array.data && list->array[k].bytes == array.bytes)
            have = list->array[k].name;
    if (!have) {
        snprintf(array.name, sizeof array.name, "%s%s", p->prefix, name);
        CAIRN_TRY(cairn_archive_list_add(p->list, &array));
    }
    *json = json_pack("{s:s, s:s, s:I, s:I, s:I}", "array", have ? have : array.name,
                      "type", of.type, "offset", (json_int_t)of.offset, "stride",
                      (json_int_t)of.stride, "length", (json_int_t)of.length);
    return CAIRN_OK;
}

/// An array whose elements are all of it.
static cairn_status
describe_whole(const part *p, const char *name, cairn_archive_out array, json_t **json)
{
    elements of = {.stride = atoi(array.descr + 2), .length = array.elements};

    memcpy(of.type, array.descr, sizeof of.type);
    return describe(p, name, array, of, json);
}

/// Structs of a pack, as bytes.
static cairn_archive_out tuples_of(const part *p, const cairn_tuple *tuple)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    int         k = 0;

    cairn_part_arrays(p->stored, array);
    while (array[k].kind != CAIRN_ARRAY_TUPLES || array[k].level != tuple->first)
        k++;
    return (cairn_archive_out){.descr    = "|u1",
                               .elements = array[k].bytes,
                               .data     = array[k].data,
                               .bytes    = array[k].bytes};
}

/// A field of structs: @p array has its type.
static cairn_status describe_field(const part        *p,
                                   const cairn_tuple *tuple,
                                   int64_t            offset,
                                   cairn_archive_out  array,
                                   json_t           **json)
{
    char     name[24];
    elements of = {
        .offset = offset, .stride = (int64_t)tuple->size, .length = array.elements};

    snprintf(name, sizeof name, "tuples%d", tuple->first);
    memcpy(of.type, array.descr, sizeof of.type);
    return describe(p, name, tuples_of(p, tuple), of, json);
}

static cairn_status describe_idx(const part *p, int level, json_t **json)
{
    const int               number = p->layout->level[level].arrays.tuple;
    const cairn_archive_out array  = cairn_archive_of_idx(&p->view->level[level]);
    char                    name[24];
    int                     f = 0;

    snprintf(name, sizeof name, "idx%d", level);
    if (number < 0) return describe_whole(p, name, array, json);
    const cairn_tuple *tuple = &p->layout->packs.tuple[number];

    while (tuple->field[f] != level)
        f++;
    return describe_field(p, tuple, (int64_t)tuple->offset[f], array, json);
}

/// Levels over whose indices a determined level's `idx` runs, -1 being the nodes of the
/// last trimmed level.
static json_t *determined_by(const cairn_level *level)
{
    json_t *over = json_array();

    if (level->determined.per_node) json_array_append_new(over, json_integer(-1));
    for (int k = 0; k < CAIRN_MAX_LEVELS; k++)
        if (level->determined.by >> k & 1) json_array_append_new(over, json_integer(k));
    return over;
}

static cairn_status describe_level(const part *p, int k, json_t *levels)
{
    static const char *const  kinds[] = {"dense", "compressed", "singleton", "ragged"};
    const cairn_kernel_level *level   = &p->view->level[k];
    json_t                   *array   = NULL;
    char                      name[24];

    json_t *json = json_pack("{s:s, s:I, s:I, s:I}", "kind", kinds[level->kind], "lo",
                             (json_int_t)level->lo, "size", (json_int_t)level->size,
                             "nodes", (json_int_t)level->nodes);

    json_array_append_new(levels, json);
    if (level->ptr_bits > 0) {
        snprintf(name, sizeof name, "ptr%d", k);
        CAIRN_TRY(describe_whole(p, name, cairn_archive_of_ptr(level), &array));
        json_object_set_new(json, "ptr", array);
    }
    if (level->idx_bits > 0) {
        CAIRN_TRY(describe_idx(p, k, &array));
        json_object_set_new(json, "idx", array);
    }
    if (p->layout->level[k].determined.on)
        json_object_set_new(json, "over", determined_by(&p->layout->level[k]));
    return CAIRN_OK;
}

/// (constant + sum of factor * index of a level) / divisor, for each dimension.
static json_t *describe_dimensions(const part *p)
{
    json_t *dimensions = json_array();

    for (int d = 0; d < p->layout->order; d++) {
        const cairn_linear *linear                   = &p->layout->inverse.dim[d];
        int64_t             factor[CAIRN_MAX_LEVELS] = {0};
        json_t             *factors                  = json_array();

        for (int t = 0; t < linear->terms; t++)
            factor[linear->var[t]] += linear->num[t];
        for (int k = 0; k < p->layout->levels; k++)
            json_array_append_new(factors, json_integer(factor[k]));
        json_array_append_new(dimensions,
                              json_pack("{s:o, s:I, s:I}", "factors", factors,
                                        "constant", (json_int_t)linear->constant,
                                        "divisor", (json_int_t)linear->den));
    }
    return dimensions;
}

static cairn_status describe_values(const part *p, json_t *json)
{
    static const char *const kinds[] = {"float", "integer", "one", "code", "bfloat"};
    const cairn_archive_out  array   = cairn_archive_of_values(p->view);
    const int                number  = p->layout->values.tuple;
    json_t                  *values = NULL, *more = NULL;

    if (number >= 0)
        CAIRN_TRY(describe_field(p, &p->layout->packs.tuple[number],
                                 (int64_t)p->layout->packs.tuple[number].value_offset,
                                 array, &values));
    else
        CAIRN_TRY(describe_whole(p, "val", array, &values));
    json_object_set_new(json, "values", values);
    json_object_set_new(values, "kind", json_string(kinds[p->view->val_kind]));
    json_object_set_new(values, "count", json_integer(p->view->values));
    json_object_set_new(values, "block", json_integer(p->view->val_block));
    if (p->view->val_kind != CAIRN_VALUE_CODE) return CAIRN_OK;
    const int64_t           words      = INT64_C(1) << p->view->val_bits;
    const cairn_archive_out dictionary = {.descr    = "<f8",
                                          .elements = words,
                                          .data     = p->view->dictionary,
                                          .bytes    = 8 * words};

    CAIRN_TRY(describe_whole(p, "dict", dictionary, &more));
    json_object_set_new(values, "dictionary", more);
    return CAIRN_OK;
}

static cairn_status describe_part(const cairn_local  *tensor,
                                  int64_t             k,
                                  cairn_archive_list *list,
                                  json_t             *parts)
{
    const cairn_part *stored = &tensor->part[k];
    part              p      = {.list   = list,
                                .stored = stored,
                                .layout = stored->layout,
                                .view   = &stored->view};
    json_t           *levels = json_array();
    json_t           *json   = json_pack(
                    "{s:i, s:I, s:i, s:I, s:b, s:o, s:o}", "member", stored->where.member, "bank",
                    (json_int_t)stored->where.bank, "partition", p.layout->partition, "entries",
                    (json_int_t)stored->nnz, "pads", p.layout->pads, "dimensions",
                    describe_dimensions(&p), "levels", levels);

    if (tensor->parts > 1) snprintf(p.prefix, sizeof p.prefix, "part%" PRId64 "_", k);
    json_array_append_new(parts, json);
    for (int l = 0; l < p.layout->levels; l++)
        CAIRN_TRY(describe_level(&p, l, levels));
    return describe_values(&p, json);
}

cairn_status cairn_own_add(const cairn_local *tensor, cairn_archive_list *list)
{
    json_t      *parts = json_array(), *shape = json_array();
    char        *format = NULL, *text = NULL;
    cairn_status status = cairn_format_print(list->env, tensor->format, &format);

    for (int k = 0; k < tensor->shape.order; k++)
        json_array_append_new(shape, json_integer(tensor->shape.extent[k]));
    for (int64_t k = 0; k < tensor->parts && status == CAIRN_OK; k++)
        status = describe_part(tensor, k, list, parts);
    json_t *json =
        json_pack("{s:{s:i, s:s, s:o, s:s, s:o}}", "cairn", "version", 1, "format",
                  format ? format : "", "shape", shape, "type",
                  tensor->value_bits == 32 ? "float32" : "float64", "parts", parts);

    if (status == CAIRN_OK) {
        text = json ? json_dumps(json, 0) : NULL;
        if (!text)
            status =
                cairn_fail(list->env, CAIRN_NO_MEMORY, "memory: no room for a text");
    }
    if (status == CAIRN_OK) status = cairn_archive_list_text(list, "cairn", text);
    free(text);
    json_decref(json);
    cairn_free(list->env, format);
    return status;
}
