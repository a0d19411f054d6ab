// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes as an archive of arrays, as they are and with checksums that fit.

#include "comm/npz.h"
#include "file.h"
#include "io/binsparse.h"

static void check_entries(const cairn_shape *shape, const cairn_entries *entries)
{
    FUZZ_CHECK(entries->n == 0 || entries->order == shape->order, "order");
    for (cairn_pos k = 0; k < entries->n; k++)
        for (int d = 0; d < shape->order; d++)
            FUZZ_CHECK(entries->coord[d][k] >= 0
                           && entries->coord[d][k] < shape->extent[d],
                       "entry %lld", (long long)k);
}

/// What is behind the checksums, which few inputs have right.
static void read_arrays(cairn_env *env, const fuzz_file *file)
{
    cairn_binsparse matrix;
    cairn_entries   entries;
    cairn_npz       npz;

    if (fuzz_succeeded(env, cairn_npz_open(env, file->path, &npz))
        && fuzz_succeeded(env, cairn_binsparse_describe(&npz, &matrix))) {
        cairn_entries_init(&entries, matrix.shape.order);
        if (fuzz_succeeded(
                env, cairn_binsparse_entries(&matrix, 0, matrix.stored, &entries)))
            check_entries(&matrix.shape, &entries);
        fuzz_succeeded(env, cairn_binsparse_check_pointers(
                                &matrix, 0, matrix.ptr ? matrix.ptr->elements : 0));
        cairn_entries_fini(env, &entries);
    }
    cairn_npz_close(&npz);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file       file   = fuzz_open(data, size);
    cairn_text_file source = {.shape.order = 0};
    cairn_comm     *comm;
    cairn_env       env;

    fuzz_up(&env);
    FUZZ_CHECK(cairn_comm_self(&env, &comm) == CAIRN_OK, "self");
    if (fuzz_succeeded(&env, cairn_npz_read_file(comm, file.path, &source))) {
        check_entries(&source.shape, &source.entries);
        cairn_text_file_fini(&env, &source);
    }
    read_arrays(&env, &file);
    cairn_comm_destroy(&comm);
    fuzz_down(&env);
    close(file.fd);
    return 0;
}
