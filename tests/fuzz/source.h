// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes as a file that one rank reads whole.

#ifndef CAIRN_TESTS_FUZZ_SOURCE_H
#define CAIRN_TESTS_FUZZ_SOURCE_H

#include "comm/read.h"
#include "file.h"

/// All coordinates that were read are in the shape.
static inline void fuzz_check_entries(const cairn_shape   *shape,
                                      const cairn_entries *entries)
{
    FUZZ_CHECK(entries->n == 0 || entries->order == shape->order, "order");
    for (cairn_pos k = 0; k < entries->n; k++)
        for (int d = 0; d < shape->order; d++)
            FUZZ_CHECK(entries->coord[d][k] >= 0
                           && entries->coord[d][k] < shape->extent[d],
                       "entry %lld", (long long)k);
}

/// How a kind of file is read.
typedef cairn_status
fuzz_reader(cairn_comm *comm, const char *path, cairn_text_file *source);

/// What else is asked of a file. @param[in] whole  What was read; NULL: it was refused.
typedef void
fuzz_look(cairn_env *env, const fuzz_file *file, const cairn_entries *whole);

/// Read the bytes, look at what was read, and at the file.
static inline void
fuzz_read_file(const uint8_t *data, size_t size, fuzz_reader *read, fuzz_look *look)
{
    fuzz_file       file   = fuzz_open(data, size);
    cairn_text_file source = {.shape.order = 0};
    cairn_comm     *comm;
    cairn_env       env;

    fuzz_up(&env);
    FUZZ_CHECK(cairn_comm_self(&env, &comm) == CAIRN_OK, "self");
    if (fuzz_succeeded(&env, read(comm, file.path, &source))) {
        fuzz_check_entries(&source.shape, &source.entries);
        look(&env, &file, &source.entries);
        cairn_text_file_fini(&env, &source);
    } else {
        look(&env, &file, NULL);
    }
    cairn_comm_destroy(&comm);
    fuzz_down(&env);
    close(file.fd);
}

#endif
