// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes as a binary file of PETSc: read whole, and in stretches, which are the same.

#include "comm/petsc_file.h"
#include "io/petsc/io_petsc.h"
#include "source.h"

static bool are_same(const cairn_entries *a, const cairn_entries *b)
{
    const size_t bytes = (size_t)a->n * 8;

    return a->n == b->n
           && (bytes == 0
               || (memcmp(a->coord[0], b->coord[0], bytes) == 0
                   && memcmp(a->coord[1], b->coord[1], bytes) == 0
                   && memcmp(a->value, b->value, bytes) == 0));
}

/// What was read is there again in two stretches, cut anywhere.
static void
read_stretches(cairn_env *env, const fuzz_file *file, const cairn_entries *whole)
{
    cairn_petsc   petsc;
    cairn_entries entries;

    if (!whole) return;
    cairn_entries_init(&entries, 2);
    FUZZ_CHECK(cairn_petsc_open(env, file->path, &petsc) == CAIRN_OK, "opened before");
    const int64_t cut = (int64_t)(file->hash >> 1) % (petsc.stored + 1);

    for (int half = 0; half < 2; half++) {
        const cairn_petsc_stretch stretch = {.first = half ? cut : 0,
                                             .last  = half ? petsc.stored : cut};

        FUZZ_CHECK(cairn_petsc_entries(&petsc, &stretch, &entries) == CAIRN_OK,
                   "read before");
    }
    FUZZ_CHECK(are_same(whole, &entries), "cut at %lld", (long long)cut);
    cairn_entries_fini(env, &entries);
    cairn_petsc_close(&petsc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read_file(data, size, cairn_petsc_read_file, read_stretches);
    return 0;
}
