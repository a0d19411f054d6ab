// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An archive of a tensor's arrays, put together for all of its readers.

#include "io/npz_tensor.h"

#include "tensor/value_storage.h"

#include <stdio.h>

static cairn_npy_out array_of(char kind, int bits, int64_t elements, const void *data)
{
    cairn_npy_out out = {
        .elements = elements, .data = data, .bytes = elements * bits / 8};

    snprintf(out.descr, sizeof out.descr, "%c%c%d", bits == 8 ? '|' : '<', kind,
             bits / 8);
    return out;
}

cairn_npy_out cairn_npy_of_ptr(const cairn_kernel_level *level)
{
    return array_of('u', level->ptr_bits, level->ptr_length, level->ptr);
}

cairn_npy_out cairn_npy_of_idx(const cairn_kernel_level *level)
{
    return array_of(level->idx_signed ? 'i' : 'u', level->idx_bits, level->idx_length,
                    level->idx);
}

cairn_npy_out cairn_npy_of_values(const cairn_kernel_part *view)
{
    const char kind =
        view->val_kind == CAIRN_VALUE_INTEGER ? 'i'
        : view->val_kind == CAIRN_VALUE_CODE || view->val_kind == CAIRN_VALUE_BFLOAT
            ? 'u'
            : 'f';

    return array_of(kind, view->val_bits, cairn_stored_values(view), view->val);
}

static cairn_status
add_all(const cairn_local *tensor, const char *binsparse, cairn_npz_list *list)
{
    const char *const scipy = cairn_scipy_name(tensor, binsparse);

    if (binsparse[0]) CAIRN_TRY(cairn_binsparse_add(tensor, binsparse, list));
    if (scipy) CAIRN_TRY(cairn_scipy_add(tensor, scipy, list));
    return cairn_own_add(tensor, list);
}

static cairn_status
write_list(const cairn_npz_list *list, const char *path, int64_t *bytes)
{
    cairn_file file = {.env = list->env, .fd = -1};

    CAIRN_TRY(cairn_file_create(list->env, path, &file));
    const cairn_status status = cairn_npz_write(&file, list, bytes);

    if (status == CAIRN_OK) return cairn_file_commit(&file);
    cairn_file_discard(&file);
    return status;
}

/// Are all values of a matrix's only part stored as one?
static bool is_one(const cairn_local *tensor)
{
    return tensor->parts == 1 && tensor->part[0].view.val_kind == CAIRN_VALUE_ONE;
}

cairn_status
cairn_npz_write_tensor(const cairn_local *tensor, const char *path, int64_t *bytes)
{
    char           binsparse[8] = "";
    cairn_local   *wide         = NULL;
    cairn_npz_list list         = {.env = tensor->env};
    cairn_status   status       = CAIRN_OK;

    if (!cairn_binsparse_name(tensor, binsparse)) binsparse[0] = '\0';
    /* Others would take integers of 8 bits for just that. */
    if (cairn_scipy_name(tensor, binsparse) || binsparse[0])
        if (!is_one(tensor)) status = cairn_local_widened(tensor, &wide);
    if (status == CAIRN_OK) status = add_all(wide ? wide : tensor, binsparse, &list);
    if (status == CAIRN_OK) status = write_list(&list, path, bytes);
    cairn_npz_list_fini(&list);
    cairn_local_destroy(&wide);
    return status;
}
