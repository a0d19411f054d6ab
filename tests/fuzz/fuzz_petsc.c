// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes as a binary file of PETSc: read whole, and in stretches, which are the same.

#include "comm/petsc_file.h"
#include "file.h"
#include "io/io_petsc.h"

static void check_entries(const cairn_shape *shape, const cairn_entries *entries)
{
    for (cairn_pos k = 0; k < entries->n; k++)
        for (int d = 0; d < shape->order; d++)
            FUZZ_CHECK(entries->coord[d][k] >= 0
                           && entries->coord[d][k] < shape->extent[d],
                       "entry %lld", (long long)k);
}

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
static void read_stretches(cairn_env           *env,
                           const fuzz_file     *file,
                           int64_t              cut,
                           const cairn_entries *whole)
{
    cairn_petsc   petsc;
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    FUZZ_CHECK(cairn_petsc_open(env, file->path, &petsc) == CAIRN_OK, "opened before");
    cut %= petsc.stored + 1;
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
    fuzz_file       file   = fuzz_open(data, size);
    cairn_text_file source = {.shape.order = 0};
    cairn_comm     *comm;
    cairn_env       env;

    fuzz_up(&env);
    FUZZ_CHECK(cairn_comm_self(&env, &comm) == CAIRN_OK, "self");
    if (fuzz_succeeded(&env, cairn_petsc_read_file(comm, file.path, &source))) {
        check_entries(&source.shape, &source.entries);
        read_stretches(&env, &file, (int64_t)(fuzz_hash(data, size) >> 1),
                       &source.entries);
        cairn_text_file_fini(&env, &source);
    }
    cairn_comm_destroy(&comm);
    fuzz_down(&env);
    close(file.fd);
    return 0;
}
