// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Collective reading of archives: every rank opens the file and reads its directory; arrays
/// are read by shares.

#include "comm/archive.h"

#include "io/archive/binsparse.h"
#include "io/archive/hdf5.h"
#include "io/archive/npz.h"
#include "io/native/io_native.h"

#include <string.h>

enum { CHUNK = 1 << 20 }; ///< Bytes that are summed at a time.

/// The begin of share @p rank of @p n things.
static int64_t share(const cairn_comm *comm, int64_t n, int rank)
{
    return (int64_t)((__int128)n * rank / comm->size);
}

/* ---- checksums ---- */

/// This rank's part of an array's checksum.
typedef struct {
    uint32_t crc[CAIRN_BINSPARSE_USED];
    int64_t  length[CAIRN_BINSPARSE_USED];
} sums;

static cairn_status
sum_share(const cairn_comm *comm, const cairn_binsparse *m, char *buffer, sums *mine)
{
    for (int k = 0; k < m->uses; k++) {
        const cairn_archive_array *array = m->used[k];
        const int64_t              first = share(comm, array->bytes, comm->rank),
                      last               = share(comm, array->bytes, comm->rank + 1);

        mine->length[k] = last - first;
        for (int64_t at = first; at < last; at += CHUNK) {
            const int64_t n = last - at < CHUNK ? last - at : CHUNK;

            CAIRN_TRY(cairn_npz_read(m->archive, array->member + at, buffer, n));
            mine->crc[k] = cairn_native_crc(mine->crc[k], buffer, n);
        }
    }
    return CAIRN_OK;
}

/// Hold what all ranks summed to what the directory says.
static cairn_status
compare(const cairn_comm *comm, const cairn_binsparse *m, const sums *all)
{
    for (int k = 0; k < m->uses; k++) {
        uint32_t crc = all[0].crc[k];

        for (int r = 1; r < comm->size; r++)
            crc = cairn_native_crc_join(crc, all[r].crc[k], all[r].length[k]);
        if (crc != m->used[k]->crc)
            return cairn_archive_refuse(m->archive, CAIRN_BAD_FILE,
                                        "%s: its checksum is wrong: it is damaged",
                                        m->used[k]->name);
    }
    return CAIRN_OK;
}

static cairn_status check_sums(cairn_comm *comm, const cairn_binsparse *m)
{
    sums  mine = {0}, *all = NULL;
    char *buffer = NULL;

    cairn_status status = CAIRN_NEW(comm->env, CHUNK, &buffer);

    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, comm->size, &all);
    if (status == CAIRN_OK) status = sum_share(comm, m, buffer, &mine);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->allgather(comm, &mine, sizeof mine, all));
    status = compare(comm, m, all);
done:
    cairn_free(comm->env, all);
    cairn_free(comm->env, buffer);
    return status;
}

/* ---- the file ---- */

static cairn_status
read_share(const cairn_comm *comm, const cairn_binsparse *m, cairn_entries *entries)
{
    const int64_t pointers = m->ptr ? m->ptr->elements : 0;

    CAIRN_TRY(cairn_binsparse_check_pointers(m, share(comm, pointers, comm->rank),
                                             share(comm, pointers, comm->rank + 1)));
    return cairn_binsparse_entries(m, share(comm, m->stored, comm->rank),
                                   share(comm, m->stored, comm->rank + 1), entries);
}

typedef cairn_status open_fn(cairn_env *env, const char *path, cairn_archive *archive);

static cairn_status
read_matrix(cairn_comm *comm, cairn_archive *archive, cairn_text_file *fresh)
{
    static const char *const symmetry[] = {"general", "symmetric", "skew-symmetric"};
    cairn_binsparse          matrix;

    CAIRN_TRY(cairn_comm_agree(comm, cairn_binsparse_describe(archive, &matrix)));
    CAIRN_TRY(check_sums(comm, &matrix));
    fresh->shape = matrix.shape;
    strcpy(fresh->field, matrix.val->kind == 'f' ? "real" : "integer");
    strcpy(fresh->symmetry, symmetry[matrix.symmetry]);
    cairn_entries_init(&fresh->entries, matrix.shape.order);
    return cairn_comm_agree(comm, read_share(comm, &matrix, &fresh->entries));
}

static cairn_status
read_file(cairn_comm *comm, const char *path, open_fn *open, cairn_text_file *source)
{
    cairn_text_file fresh   = {.shape.order = 0};
    cairn_archive  *archive = NULL;
    cairn_status    status =
        cairn_comm_agree(comm, CAIRN_NEW_ZERO(comm->env, 1, &archive));

    if (status == CAIRN_OK) {
        status = cairn_comm_agree(comm, open(comm->env, path, archive));
        if (status == CAIRN_OK) status = read_matrix(comm, archive, &fresh);
        cairn_archive_close(archive);
    }
    cairn_free(comm->env, archive);
    if (status == CAIRN_OK)
        *source = fresh;
    else
        cairn_entries_fini(comm->env, &fresh.entries);
    return status;
}

cairn_status
cairn_npz_read_file(cairn_comm *comm, const char *path, cairn_text_file *source)
{
    return read_file(comm, path, cairn_npz_open, source);
}

cairn_status
cairn_hdf5_read_file(cairn_comm *comm, const char *path, cairn_text_file *source)
{
    return read_file(comm, path, cairn_hdf5_open, source);
}
