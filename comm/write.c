// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Collective writing. With several ranks every text is made twice: first to count its
/// bytes, which tell where each range begins, then to write it. That needs no memory,
/// whatever the size of the result.

#include "comm/collective.h"
#include "comm/output.h"
#include "comm/write_internal.h"
#include "io/petsc/io_petsc.h"

#include <string.h>
#include <unistd.h>

/// A sink that counts and, once a file is set, writes.
typedef struct {
    cairn_file *file; ///< NULL: only count.
    int64_t     at;   ///< Bytes counted, or the offset of the next.
} range_sink;

static cairn_status write_range(void *user, const char *bytes, size_t length)
{
    range_sink   *range = user;
    const int64_t at    = range->at;

    range->at += (int64_t)length;
    return range->file ? cairn_file_write_at(range->file, bytes, length, at) : CAIRN_OK;
}

static cairn_status entries_section(const cairn_output *output,
                                    int64_t             section,
                                    bool                header,
                                    const cairn_sink   *sink)
{
    (void)section;
    if (header && output->shape)
        CAIRN_TRY(cairn_mtx_write_coordinate_header(
            sink, output->shape->extent[0], output->shape->extent[1], output->nnz));
    return cairn_text_write_entries(sink, output->entries);
}

static cairn_status petsc_section(const cairn_output *output,
                                  int64_t             section,
                                  bool                header,
                                  const cairn_sink   *sink)
{
    if (header)
        CAIRN_TRY(cairn_petsc_write_header(sink, output->shape, output->nnz,
                                           output->int_bytes));
    return cairn_petsc_write_section(sink, (cairn_petsc_section)section,
                                     output->entries, output->first, output->last,
                                     output->int_bytes);
}

/// Section j is column j.
static cairn_status dense_section(const cairn_output *output,
                                  int64_t             section,
                                  bool                header,
                                  const cairn_sink   *sink)
{
    const cairn_dense_rows *d = output->dense;

    if (header) CAIRN_TRY(cairn_mtx_write_array_header(sink, d->rows, d->cols));
    if (section >= d->cols) return CAIRN_OK; /* no columns: the header alone */
    return cairn_mtx_write_values(sink, d->last - d->first, d->value + section * d->col,
                                  d->row);
}

/// Count the bytes of this rank's part of every section.
static cairn_status
count_parts(cairn_comm *comm, const cairn_output *output, int64_t *bytes)
{
    for (int64_t s = 0; s < output->sections; s++) {
        range_sink       range = {.at = 0};
        const cairn_sink sink  = {write_range, &range};

        CAIRN_TRY(output->section(output, s, s == 0 && comm->rank == 0, &sink));
        bytes[s] = range.at;
    }
    return CAIRN_OK;
}

/// Turn the counts of all ranks, [size][sections], into this rank's offsets.
static void place_parts(const cairn_comm *comm,
                        int64_t           sections,
                        const int64_t    *all,
                        int64_t          *offset)
{
    int64_t at = 0;

    for (int64_t s = 0; s < sections; s++) {
        for (int r = 0; r < comm->size; r++) {
            if (r == comm->rank) offset[s] = at;
            at += all[r * sections + s];
        }
    }
}

/// Find where this rank's part of each section begins. One rank writes in order and
/// needs no offsets but the first.
static cairn_status
find_offsets(cairn_comm *comm, const cairn_output *output, int64_t *offset)
{
    const int64_t n      = output->sections;
    int64_t      *all    = NULL;
    cairn_status  status = CAIRN_NEW(comm->env, n * comm->size, &all);

    if (status == CAIRN_OK) status = count_parts(comm, output, offset);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->allgather(comm, offset, n * (int64_t)sizeof *all, all));
    place_parts(comm, n, all, offset);
done:
    cairn_free(comm->env, all);
    return status;
}

static cairn_status write_parts(cairn_comm         *comm,
                                const cairn_output *output,
                                const int64_t      *offset,
                                cairn_file         *file)
{
    range_sink       range = {.file = file};
    const cairn_sink sink  = {write_range, &range};

    for (int64_t s = 0; s < output->sections; s++) {
        if (comm->size > 1) range.at = offset[s];
        CAIRN_TRY(output->section(output, s, s == 0 && comm->rank == 0, &sink));
    }
    /* Rank 0 syncs when it commits; what others wrote may be on another machine. */
    return comm->rank == 0 ? CAIRN_OK : cairn_file_sync(file);
}

typedef cairn_status create_fn(cairn_env *env, const char *path, cairn_file *file);

/// Rank 0 creates the file, the others open it.
static cairn_status
open_shared(cairn_comm *comm, const char *path, create_fn *create, cairn_file *file)
{
    cairn_file_way way    = {0};
    cairn_status   status = CAIRN_OK;

    if (comm->rank == 0) status = create(comm->env, path, file);
    if (comm->rank == 0 && status == CAIRN_OK) status = cairn_file_way_to(file, &way);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    CAIRN_TRY(comm->ops->broadcast(comm, &way, sizeof way, 0));
    if (comm->rank != 0) status = cairn_file_join(comm->env, path, &way, file);
    return cairn_comm_agree(comm, status);
}

cairn_status cairn_output_open(cairn_comm *comm, const char *path, cairn_file *file)
{
    int64_t open;

    if (comm->size == 1) return cairn_file_create(comm->env, path, file);
    if (comm->local_size == comm->size) {
        CAIRN_TRY(open_shared(comm, path, cairn_file_create, file));
        open = file->fd >= 0;
        CAIRN_TRY(comm->ops->allreduce(comm, &open, 1, CAIRN_MIN));
        if (open) return CAIRN_OK;
        /* Some rank cannot reach what has no name. */
        cairn_file_discard(file);
    }
    return open_shared(comm, path, cairn_file_create_named, file);
}

cairn_status
cairn_output_finish(cairn_comm *comm, cairn_status status, cairn_file *file)
{
    status = cairn_comm_agree(comm, status);
    if (comm->rank == 0 && status == CAIRN_OK)
        status = cairn_file_commit(file);
    else if (comm->rank == 0)
        cairn_file_discard(file);
    else
        cairn_file_close(file);
    return cairn_comm_agree(comm, status);
}

cairn_status cairn_write_output(cairn_comm         *comm,
                                cairn_status        mine,
                                const char         *path,
                                const cairn_output *output)
{
    cairn_file       file      = {.env = comm->env, .fd = -1};
    int64_t         *offset    = NULL;
    cairn_collective arguments = {0};
    cairn_status     status    = mine;

    cairn_collective_text(&arguments, "file", path);
    if (status == CAIRN_OK)
        status = CAIRN_NEW_ZERO(comm->env, output->sections, &offset);
    CAIRN_GO(done, cairn_comm_agree_on(comm, status, &arguments));
    if (comm->size > 1) CAIRN_GO(done, find_offsets(comm, output, offset));
    status = cairn_output_open(comm, path, &file);
    if (status == CAIRN_OK) status = write_parts(comm, output, offset, &file);
    status = cairn_output_finish(comm, status, &file);
done:
    cairn_free(comm->env, offset);
    return status;
}

cairn_status
cairn_write_dense(cairn_comm *comm, const char *path, const cairn_dense_rows *dense)
{
    const cairn_output output = {.section  = dense_section,
                                 .sections = dense->cols > 0 ? dense->cols : 1,
                                 .dense    = dense};

    return cairn_write_output(comm, CAIRN_OK, path, &output);
}

/* ---- entries ---- */

/// A kind of file, by the ending of its name.
typedef struct {
    const char *ending;
    cairn_status (*section)(const cairn_output *output,
                            int64_t             section,
                            bool                header,
                            const cairn_sink   *sink);
    int         sections;
    int         int_bytes; ///< PETSc: of an integer; 0: as many as the matrix needs.
    const char *hb; ///< Harwell-Boeing: the type of matrix; its `section` is NULL.
} entries_kind;

static const entries_kind kinds[] = {
    {".tns",     entries_section, 1,                    0, NULL },
    {".petsc",   petsc_section,   CAIRN_PETSC_SECTIONS, 0, NULL },
    {".petsc64", petsc_section,   CAIRN_PETSC_SECTIONS, 8, NULL },
    {".hb",      NULL,            0,                    0, "RUA"},
    {".rua",     NULL,            0,                    0, "RUA"},
    {".rsa",     NULL,            0,                    0, "RSA"},
    {".pua",     NULL,            0,                    0, "PUA"},
    {".psa",     NULL,            0,                    0, "PSA"},
    {".mtx",     entries_section, 1,                    0, NULL },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/// The kind that a name says; NULL: none.
static const entries_kind *kind_of(const char *path)
{
    const size_t n = strlen(path);

    for (int k = 0; k < KINDS; k++) {
        const size_t m = strlen(kinds[k].ending);

        if (n >= m && strcmp(path + n - m, kinds[k].ending) == 0) return &kinds[k];
    }
    return NULL;
}

bool cairn_is_entries_file(const char *path)
{
    return kind_of(path) != NULL;
}

/// What the kind of file cannot say is not written.
static cairn_status check_kind(cairn_comm        *comm,
                               const char        *path,
                               bool               tns,
                               const cairn_shape *shape,
                               cairn_pos          nnz)
{
    CAIRN_CHECK(tns || shape->order == 2, comm->env, CAIRN_BAD_SHAPE,
                "write: %s: a tensor of order %d is no matrix: write it as .tns", path,
                shape->order);
    CAIRN_CHECK(!tns || nnz > 0, comm->env, CAIRN_BAD_SHAPE,
                "write: %s: it would be empty: .tns has no way to say the order of a "
                "tensor without entries",
                path);
    return CAIRN_OK;
}

cairn_status cairn_rows_of_entries(cairn_comm          *comm,
                                   const cairn_entries *entries,
                                   cairn_coord          extent,
                                   cairn_rows          *rows)
{
    const cairn_pos   n      = entries->n;
    const cairn_coord end    = n > 0 ? entries->coord[0][n - 1] + 1 : 0;
    cairn_coord      *first  = NULL;
    cairn_status      status = CAIRN_NEW_ZERO(comm->env, comm->size + 1, &first);

    CAIRN_GO(failed, cairn_comm_agree(comm, status));
    CAIRN_GO(failed, comm->ops->allgather(comm, &end, sizeof end, first + 1));
    for (int r = 0; r < comm->size; r++)
        if (first[r + 1] < first[r]) first[r + 1] = first[r];
    first[comm->size] = extent;
    *rows             = (cairn_rows){comm->size, first};
    return CAIRN_OK;
failed:
    cairn_free(comm->env, first);
    return status;
}

/// PETSc reads FILE.info beside FILE, and would take an older one's words for this file's.
static cairn_status empty_info(cairn_comm *comm, const char *path)
{
    cairn_status status = CAIRN_OK;
    char        *info;

    if (comm->rank != 0) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(comm->env, (int64_t)strlen(path) + 6, &info));
    strcpy(info, path);
    strcat(info, ".info");
    if (access(info, F_OK) == 0) status = cairn_file_put(comm->env, info, "", 0);
    cairn_free(comm->env, info);
    return status;
}

cairn_status cairn_write_entries(cairn_comm          *comm,
                                 const char          *path,
                                 const cairn_shape   *shape,
                                 const cairn_entries *entries)
{
    const entries_kind *said      = kind_of(path);
    const entries_kind *kind      = said ? said : &kinds[KINDS - 1]; /* Matrix Market */
    const bool          tns       = kind == kinds;
    cairn_output        output    = {.section  = kind->section,
                                     .sections = kind->sections,
                                     .shape    = tns ? NULL : shape,
                                     .nnz      = entries->n,
                                     .entries  = entries};
    cairn_collective    arguments = {0};
    cairn_rows          rows      = {0};

    cairn_collective_text(&arguments, "file", path);
    CAIRN_TRY(cairn_comm_agree_on(comm, CAIRN_OK, &arguments));
    CAIRN_TRY(comm->ops->allreduce(comm, &output.nnz, 1, CAIRN_SUM));
    const cairn_status checked = check_kind(comm, path, tns, shape, output.nnz);

    if (kind->hb) {
        CAIRN_TRY(cairn_comm_agree(comm, checked));
        return cairn_write_hb(comm, path, kind->hb, shape, entries);
    }
    output.int_bytes =
        kind->int_bytes ? kind->int_bytes : cairn_petsc_int_bytes(shape, output.nnz);
    if (kind->section == petsc_section && checked == CAIRN_OK) {
        CAIRN_TRY(cairn_rows_of_entries(comm, entries, shape->extent[0], &rows));
        output.first = rows.first[comm->rank];
        output.last  = rows.first[comm->rank + 1];
        cairn_rows_fini(comm->env, &rows);
    }
    CAIRN_TRY(cairn_write_output(comm, checked, path, &output));
    if (kind->section != petsc_section) return CAIRN_OK;
    return cairn_comm_agree(comm, empty_info(comm, path));
}
