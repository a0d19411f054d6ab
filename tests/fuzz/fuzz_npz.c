// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes as an archive of arrays, as they are and with checksums that fit.

#include "comm/archive.h"
#include "io/archive/binsparse.h"
#include "io/archive/npz.h"
#include "source.h"

/// What is behind the checksums, which few inputs have right.
static void
read_arrays(cairn_env *env, const fuzz_file *file, const cairn_entries *whole)
{
    cairn_binsparse matrix;
    cairn_entries   entries;
    cairn_archive   archive;

    (void)whole; /* The arrays are looked at in any case. */
    if (fuzz_succeeded(env, cairn_npz_open(env, file->path, &archive))
        && fuzz_succeeded(env, cairn_binsparse_describe(&archive, &matrix))) {
        cairn_entries_init(&entries, matrix.shape.order);
        if (fuzz_succeeded(
                env, cairn_binsparse_entries(&matrix, 0, matrix.stored, &entries)))
            fuzz_check_entries(&matrix.shape, &entries);
        fuzz_succeeded(env, cairn_binsparse_check_pointers(
                                &matrix, 0, matrix.ptr ? matrix.ptr->elements : 0));
        cairn_entries_fini(env, &entries);
    }
    cairn_archive_close(&archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read_file(data, size, cairn_npz_read_file, read_arrays);
    return 0;
}
