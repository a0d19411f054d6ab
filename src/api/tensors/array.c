// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays of a part as users see them: a tuple array and the ptr over its lists are one.

#include "api/door.h"
#include "base/text.h"
#include "comm/collective.h"
#include "tensor/value_storage.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/// Is array @p a the ptr over the lists of a tuple?
static const cairn_tuple *lists_over(const cairn_layout *layout, const cairn_array *a)
{
    for (int t = 0; t < layout->packs.count && a->kind == CAIRN_ARRAY_PTR; t++)
        if (layout->packs.tuple[t].lists
            && layout->packs.tuple[t].first + 1 == a->level)
            return &layout->packs.tuple[t];
    return NULL;
}

/// List the arrays without the ptr over lists.
static int visible_arrays(const cairn_part *part, cairn_array *array)
{
    const int n    = cairn_part_own_arrays(part, array);
    int       kept = 0;

    for (int a = 0; a < n; a++)
        if (!lists_over(part->layout, &array[a])) array[kept++] = array[a];
    return kept;
}

static int64_t list_bytes(const cairn_part *part, const cairn_array *a)
{
    if (a->tuple < 0 || !part->layout->packs.tuple[a->tuple].lists) return 0;
    const cairn_kernel_level *inner = &part->view.level[a->level + 1];

    return inner->ptr_length * inner->ptr_bits / 8;
}

static cairn_status
find_array(const cairn_tensor *tensor, int64_t part, int k, cairn_array *found)
{
    cairn_env  *env = &tensor->context->env;
    cairn_array array[CAIRN_MAX_ARRAYS];

    CAIRN_CHECK(part >= 0 && part < tensor->local->parts, env, CAIRN_BAD_ARGUMENT,
                "tensor: there is no local part %" PRId64, part);
    const int n = visible_arrays(&tensor->local->part[part], array);

    CAIRN_CHECK(k >= 0 && k < n, env, CAIRN_BAD_ARGUMENT,
                "tensor: part %" PRId64 " has no array %d", part, k);
    *found = array[k];
    return CAIRN_OK;
}

static const char *stored_as(const cairn_tensor *tensor, int64_t part)
{
    const cairn_kernel_part *view = &tensor->local->part[part].view;

    return cairn_value_storage_name((cairn_value_kind)view->val_kind, view->val_bits);
}

static double error_of(const cairn_tensor *tensor, int64_t part)
{
    return tensor->local->group[tensor->local->part[part].where.member].value_error;
}

cairn_status cairn_tensor_array(const cairn_tensor *tensor,
                                int64_t             part,
                                int                 k,
                                cairn_array_info   *info)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(info),
                CAIRN_SIZED(info, cairn_array_info));

    static const char *const kinds[] = {"ptr", "idx", "val", "tuples", "dict"};
    cairn_array              a;

    CAIRN_TRY(find_array(tensor, part, k, &a));
    const cairn_array_info own = {
        .level  = a.level,
        .kind   = kinds[a.kind],
        .bits   = a.bits,
        .length = a.length,
        .bytes  = a.bytes + list_bytes(&tensor->local->part[part], &a),
        .stored = a.kind == CAIRN_ARRAY_VAL ? stored_as(tensor, part) : NULL,
        .error  = a.kind == CAIRN_ARRAY_VAL ? error_of(tensor, part) : 0};

    CAIRN_WRITE(info, own);
    return CAIRN_OK;
}

static void add_value(cairn_text *text, double value)
{
    if (isfinite(value))
        cairn_text_add(text, value == 0 && signbit(value) ? "%.1f" : "%.17g", value);
    else
        cairn_text_add(text, isnan(value) ? "\"nan\""
                             : value > 0  ? "\"inf\""
                                          : "\"-inf\"");
}

static void
add_element(cairn_text *text, const cairn_part *part, const cairn_array *a, int64_t k)
{
    if (a->kind == CAIRN_ARRAY_VAL)
        add_value(text, cairn_value_get(&part->view, k));
    else if (a->kind == CAIRN_ARRAY_DICTIONARY)
        add_value(text, ((const double *)a->data)[k]);
    else
        cairn_text_add(text, "%" PRId64,
                       cairn_load_int(a->data, k, a->bits / 8, a->bits, a->is_signed));
}

/// [idx, ..., values of the block]
static void
add_tuple(cairn_text *text, const cairn_part *part, const cairn_array *a, int64_t k)
{
    const cairn_tuple *tuple = &part->layout->packs.tuple[a->tuple];

    cairn_text_add(text, "[");
    for (int f = 0; f < tuple->fields; f++) {
        const cairn_kernel_level *level = &part->view.level[tuple->field[f]];

        cairn_text_add(text, f ? ",%" PRId64 : "%" PRId64,
                       cairn_load_int(level->idx, k, level->idx_stride, level->idx_bits,
                                      level->idx_signed));
    }
    for (int64_t v = 0; tuple->values && v < tuple->block; v++) {
        cairn_text_add(text, ",");
        add_value(text, cairn_value_get(&part->view, k * tuple->block + v));
    }
    cairn_text_add(text, "]");
}

static void add_tuples(cairn_text        *text,
                       const cairn_part  *part,
                       const cairn_array *a,
                       int64_t            begin,
                       int64_t            end)
{
    cairn_text_add(text, "[");
    for (int64_t k = begin; k < end; k++) {
        if (k > begin) cairn_text_add(text, ",");
        add_tuple(text, part, a, k);
    }
    cairn_text_add(text, "]");
}

static void add_lists(cairn_text *text, const cairn_part *part, const cairn_array *a)
{
    const cairn_kernel_level *inner = &part->view.level[a->level + 1];
    const int                 bits  = inner->ptr_bits;

    cairn_text_add(text, "[");
    for (int64_t p = 0; p + 1 < inner->ptr_length; p++) {
        if (p) cairn_text_add(text, ",");
        add_tuples(text, part, a, cairn_load_int(inner->ptr, p, bits / 8, bits, false),
                   cairn_load_int(inner->ptr, p + 1, bits / 8, bits, false));
    }
    cairn_text_add(text, "]");
}

/// How many are printed: of values that are all equal, too, one for each position.
static int64_t elements(const cairn_part *part, const cairn_array *a)
{
    return a->kind == CAIRN_ARRAY_VAL ? part->view.values : a->length;
}

cairn_status cairn_tensor_array_text(const cairn_tensor *tensor,
                                     int64_t             part_number,
                                     int                 k,
                                     char              **text)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(text));

    cairn_array a;
    cairn_text  out;

    CAIRN_TRY(find_array(tensor, part_number, k, &a));
    const cairn_part *part = &tensor->local->part[part_number];

    cairn_text_init(&out, &tensor->context->env);
    if (a.kind == CAIRN_ARRAY_TUPLES && part->layout->packs.tuple[a.tuple].lists) {
        add_lists(&out, part, &a);
    } else if (a.kind == CAIRN_ARRAY_TUPLES) {
        add_tuples(&out, part, &a, 0, a.length);
    } else {
        cairn_text_add(&out, "[");
        for (int64_t n = 0; n < elements(part, &a); n++) {
            if (n) cairn_text_add(&out, ",");
            add_element(&out, part, &a, n);
        }
        cairn_text_add(&out, "]");
    }
    return cairn_text_take(&out, text);
}

cairn_status cairn_tensor_part_text(const cairn_tensor    *tensor,
                                    const cairn_part_info *part,
                                    int                    k,
                                    char                 **text)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(part),
                         CAIRN_SIZED(part, cairn_part_info), CAIRN_GIVEN(text));
    cairn_part_info its = CAIRN_PART_INFO;

    CAIRN_READ(part, its);
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor),
                         CAIRN_WITHIN(part->rank, 0, tensor->context->comm->size - 1));

    cairn_comm      *comm      = tensor->context->comm;
    char            *own       = NULL;
    cairn_status     status    = CAIRN_OK;
    cairn_collective arguments = {0};

    cairn_collective_int(&arguments, "part of rank", part->rank);
    cairn_collective_int(&arguments, "array", k);
    if (part->rank == comm->rank)
        status = cairn_tensor_array_text(tensor, part->local, k, &own);
    status = cairn_comm_agree_on(comm, status, &arguments);
    if (status == CAIRN_OK) status = cairn_comm_share_text(comm, part->rank, &own);
    if (status == CAIRN_OK)
        *text = own;
    else
        cairn_free(comm->env, own);
    return status;
}
