// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An archive of a tensor's arrays, put together for all of its readers.

#include "io/archive/archive_tensor.h"

#include "io/archive/hdf5.h"
#include "io/archive/npz.h"
#include "tensor/value_storage.h"

#include <stdio.h>
#include <string.h>

static cairn_archive_out
array_of(char kind, int bits, int64_t elements, const void *data)
{
    cairn_archive_out out = {
        .elements = elements, .data = data, .bytes = elements * bits / 8};

    snprintf(out.descr, sizeof out.descr, "%c%c%d", bits == 8 ? '|' : '<', kind,
             bits / 8);
    return out;
}

cairn_archive_out cairn_archive_of_ptr(const cairn_kernel_level *level)
{
    return array_of('u', level->ptr_bits, level->ptr_length, level->ptr);
}

cairn_archive_out cairn_archive_of_idx(const cairn_kernel_level *level)
{
    return array_of(level->idx_signed ? 'i' : 'u', level->idx_bits, level->idx_length,
                    level->idx);
}

cairn_archive_out cairn_archive_of_values(const cairn_kernel_part *view)
{
    const char kind =
        view->val_kind == CAIRN_VALUE_INTEGER ? 'i'
        : view->val_kind == CAIRN_VALUE_CODE || view->val_kind == CAIRN_VALUE_BFLOAT
            ? 'u'
            : 'f';

    return array_of(kind, view->val_bits, cairn_stored_values(view), view->val);
}

/// How archives of a kind are written.
typedef struct {
    bool for_scipy; ///< SciPy reads them.
    cairn_status (*create)(cairn_env *env, const char *path, cairn_file *file);
    cairn_status (*write)(cairn_file               *file,
                          const cairn_archive_list *list,
                          int64_t                  *length);
} writer;

static cairn_status write_list(const cairn_archive_list *list,
                               const writer             *by,
                               const char               *path,
                               int64_t                  *bytes)
{
    cairn_file file = {.env = list->env, .fd = -1};

    CAIRN_TRY(by->create(list->env, path, &file));
    const cairn_status status = by->write(&file, list, bytes);

    if (status == CAIRN_OK) return cairn_file_commit(&file);
    cairn_file_discard(&file);
    return status;
}

/// Are all values of a matrix's only part stored as one?
static bool is_one(const cairn_local *tensor)
{
    return tensor->parts == 1 && tensor->part[0].view.val_kind == CAIRN_VALUE_ONE;
}

static cairn_status write_tensor(const cairn_local *tensor,
                                 const writer      *by,
                                 const char        *path,
                                 int64_t           *bytes)
{
    char               binsparse[8] = "";
    cairn_local       *wide         = NULL;
    cairn_archive_list list         = {.env = tensor->env};
    cairn_status       status       = CAIRN_OK;

    if (!cairn_binsparse_name(tensor, binsparse)) binsparse[0] = '\0';
    const char *scipy = by->for_scipy ? cairn_scipy_name(tensor, binsparse) : NULL;

    /* Others would take integers of 8 bits for just that, and no reader has one value for
       all positions. */
    const bool full =
        strncmp(binsparse, "DMAT", 4) == 0 || strcmp(binsparse, "DVEC") == 0;

    if ((scipy || binsparse[0]) && (full || !is_one(tensor)))
        status = cairn_local_widened(tensor, &wide);
    const cairn_local *what = wide ? wide : tensor;

    if (status == CAIRN_OK && binsparse[0])
        status = cairn_binsparse_add(what, binsparse, &list);
    if (status == CAIRN_OK && scipy) status = cairn_scipy_add(what, scipy, &list);
    if (status == CAIRN_OK) status = cairn_own_add(what, &list);
    if (status == CAIRN_OK) status = write_list(&list, by, path, bytes);
    cairn_archive_list_fini(&list);
    cairn_local_destroy(&wide);
    return status;
}

cairn_status
cairn_npz_write_tensor(const cairn_local *tensor, const char *path, int64_t *bytes)
{
    return write_tensor(tensor, &(writer){true, cairn_file_create, cairn_npz_write},
                        path, bytes);
}

cairn_status
cairn_hdf5_write_tensor(const cairn_local *tensor, const char *path, int64_t *bytes)
{
    /* The library finds the file by its name. */
    return write_tensor(tensor,
                        &(writer){false, cairn_file_create_named, cairn_hdf5_write},
                        path, bytes);
}
