// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Collective reading of binary files of PETSc: every rank opens the file and reads its
/// header, sums the lengths of its share of the rows, and reads its share of the entries.

#include "comm/petsc_file.h"

#include "io/petsc/io_petsc.h"

#include <string.h>

/// The begin of share @p rank of @p n things.
static int64_t share(const cairn_comm *comm, int64_t n, int rank)
{
    return (int64_t)((__int128)n * rank / comm->size);
}

/// The row from which this rank looks for its first value: with which the share of rows
/// begins that has it.
///
/// @param[in] sum  [size] Entries of each rank's share of the rows.
static cairn_petsc_stretch
stretch_of(const cairn_comm *comm, const cairn_petsc *file, const int64_t *sum)
{
    cairn_petsc_stretch s = {.first = share(comm, file->stored, comm->rank),
                             .last  = share(comm, file->stored, comm->rank + 1)};
    int                 r = 0;

    while (r + 1 < comm->size && s.begins + sum[r] <= s.first)
        s.begins += sum[r++];
    s.row = share(comm, file->shape.extent[0], r);
    return s;
}

static cairn_status
read_share(cairn_comm *comm, const cairn_petsc *file, cairn_entries *entries)
{
    const cairn_coord rows = file->shape.extent[0];
    int64_t           mine = 0, all = 0, *sum = NULL;

    cairn_status status = CAIRN_NEW(comm->env, comm->size, &sum);

    if (status == CAIRN_OK)
        status = cairn_petsc_sum_lengths(file, share(comm, rows, comm->rank),
                                         share(comm, rows, comm->rank + 1), &mine);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->allgather(comm, &mine, sizeof mine, sum));
    for (int r = 0; r < comm->size; r++)
        all = sum[r] > INT64_MAX - all ? INT64_MAX : all + sum[r];
    status = cairn_petsc_check_sum(file, all);
    if (status == CAIRN_OK) {
        const cairn_petsc_stretch stretch = stretch_of(comm, file, sum);

        status = cairn_petsc_entries(file, &stretch, entries);
    }
    status = cairn_comm_agree(comm, status);
done:
    cairn_free(comm->env, sum);
    return status;
}

cairn_status
cairn_petsc_read_file(cairn_comm *comm, const char *path, cairn_text_file *source)
{
    cairn_text_file fresh  = {.field = "real", .symmetry = "general"};
    cairn_petsc     file   = {.fd = -1};
    cairn_status    status = cairn_petsc_open(comm->env, path, &file);

    cairn_entries_init(&fresh.entries, 2);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) status = read_share(comm, &file, &fresh.entries);
    fresh.shape = file.shape;
    cairn_petsc_close(&file);
    if (status == CAIRN_OK)
        *source = fresh;
    else
        cairn_entries_fini(comm->env, &fresh.entries);
    return status;
}
