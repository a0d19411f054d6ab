// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a native file says of the places of its rows: read by as many ranks as wrote it, or
/// by others in equal shares.

#include "comm/native.h"
#include "tensor/walk.h"

#include <inttypes.h>
#include <string.h>

/// Which of the user's rows are at places @p first .. @p first + @p n - 1 of the file.
static cairn_status
read_rows(const cairn_native_file *f, cairn_coord first, int64_t n, cairn_coord *row)
{
    for (int64_t s = 0; s < f->segments && n > 0; s++) {
        const int64_t        left  = f->fact[s].rows.hi + 1 - first;
        const int64_t        count = left < n ? left : n;
        cairn_native_segment segment;

        if (count <= 0) continue;
        CAIRN_TRY(cairn_native_file_segment(f, s, &segment));
        const cairn_status status = cairn_native_read_rows(&segment, first, count, row);

        cairn_native_segment_close(&segment);
        CAIRN_TRY(status);
        for (int64_t k = 0; k < count && f->fact[0].blocks; k++)
            CAIRN_CHECK(row[k] == cairn_native_file_row(f, s, first + k), f->comm->env,
                        CAIRN_BAD_FILE,
                        "read: %s: a place of segment %" PRId64
                        " has not the row of its block",
                        f->path, s);
        first += count;
        row += count;
        n -= count;
    }
    return CAIRN_OK;
}

/// The rows at this rank's places; of blocks they are held to theirs.
static cairn_status
read_own(const cairn_native_file *f, const cairn_rows *rows, cairn_coord **row)
{
    cairn_comm   *comm  = f->comm;
    const int64_t first = rows->first[comm->rank];
    const int64_t n     = rows->first[comm->rank + 1] - first;
    cairn_status  status;

    status = CAIRN_NEW(comm->env, n, row);
    if (status == CAIRN_OK) status = read_rows(f, first, n, *row);
    return cairn_comm_agree(comm, status);
}

/// Rows by the ranks that have equal parts of the tensor's own rows. Local.
static cairn_status sort_rows(const cairn_native_file *f,
                              const cairn_rows        *users,
                              const cairn_coord       *row,
                              int64_t                  n,
                              cairn_coord             *sorted,
                              int64_t                 *count)
{
    cairn_coord *const next = sorted + n;

    for (int64_t k = 0; k < n; k++) {
        CAIRN_CHECK(row[k] < users->first[users->size], f->comm->env, CAIRN_BAD_FILE,
                    "read: %s: a place has a row beyond the last", f->path);
        count[cairn_rows_owner(users, row[k])]++;
    }
    int64_t at = 0;

    for (int r = 0; r < users->size; at += count[r++])
        next[r] = at;
    for (int64_t k = 0; k < n; k++)
        sorted[next[cairn_rows_owner(users, row[k])]++] = row[k];
    return CAIRN_OK;
}

/// Does each row stand once for each member, wherever? Collective.
static cairn_status check_members(const cairn_native_file *f,
                                  const cairn_rows        *rows,
                                  const cairn_coord       *row)
{
    cairn_comm       *comm   = f->comm;
    const int         rank   = comm->rank;
    const int64_t     n      = rows->first[rank + 1] - rows->first[rank];
    const cairn_shape shape  = cairn_native_file_shape(f);
    cairn_rows        users  = {0};
    cairn_coord      *sorted = NULL, *named = NULL;
    int64_t          *count = NULL, *times = NULL, came = 0;
    cairn_status      status;

    CAIRN_TRY(cairn_rows_equal(comm, shape.extent[0], 1, &users));
    const cairn_coord first = users.first[rank], own = users.first[rank + 1] - first;

    status = CAIRN_NEW(comm->env, n + comm->size, &sorted);
    if (status == CAIRN_OK)
        status = CAIRN_NEW_ZERO(comm->env, 2 * (int64_t)comm->size, &count);
    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(comm->env, own, &times);
    if (status == CAIRN_OK) status = sort_rows(f, &users, row, n, sorted, count);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, cairn_comm_exchange(comm, sorted, count, sizeof *sorted,
                                       (void **)&named, count + comm->size));
    for (int r = 0; r < comm->size; r++)
        came += count[comm->size + r];
    for (int64_t k = 0; k < came; k++)
        times[named[k] - first]++;
    for (cairn_coord k = 0; k < own && status == CAIRN_OK; k++)
        if (times[k] != f->fact[0].across)
            status = cairn_fail(comm->env, CAIRN_BAD_FILE,
                                "read: %s: a row is not there once for each member",
                                f->path);
    status = cairn_comm_agree(comm, status);
done:
    cairn_rows_fini(comm->env, &users);
    cairn_free(comm->env, sorted);
    cairn_free(comm->env, named);
    cairn_free(comm->env, count);
    cairn_free(comm->env, times);
    return status;
}

/// The rows at this rank's places, and whose places this rank's rows have.
static cairn_status find_owners(const cairn_native_file *f,
                                const cairn_rows        *rows,
                                cairn_coord            **row,
                                int64_t                **owner)
{
    cairn_comm   *comm  = f->comm;
    const int64_t first = rows->first[comm->rank];
    const int64_t n     = rows->first[comm->rank + 1] - first;
    cairn_status  status;

    status = CAIRN_NEW(comm->env, n, row);
    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, n, owner);
    if (status == CAIRN_OK) status = read_rows(f, first, n, *row);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    CAIRN_TRY(cairn_rows_named(comm, rows, *row, *owner));
    for (int64_t k = 0; k < n && status == CAIRN_OK; k++)
        if ((*owner)[k] < 0)
            status = cairn_fail(comm->env, CAIRN_BAD_FILE,
                                "read: %s: two places have one row", f->path);
    return cairn_comm_agree(comm, status);
}

cairn_status cairn_native_undo_places(const cairn_native_file *f,
                                      cairn_entries           *entries)
{
    cairn_comm        *comm  = f->comm;
    const cairn_shape *shape = &f->fact[0].shape;
    const bool         once  = !f->fact[0].blocks && !f->fact[0].members;
    cairn_rows         rows  = {0};
    cairn_coord       *row   = NULL;
    int64_t           *owner = NULL;
    cairn_status       status;

    CAIRN_TRY(cairn_rows_equal(comm, shape->extent[0], 1, &rows));
    CAIRN_GO(done,
             once ? find_owners(f, &rows, &row, &owner) : read_own(f, &rows, &row));
    if (f->fact[0].members) CAIRN_GO(done, check_members(f, &rows, row));
    status = cairn_entries_renumber(
        comm, &rows, row, once && cairn_renumbers_all(shape) ? shape->order : 1,
        entries);
done:
    cairn_free(comm->env, owner);
    cairn_free(comm->env, row);
    cairn_rows_fini(comm->env, &rows);
    return status;
}

/// The blocks of a file that as many ranks wrote, whose rows say how row parts are cut.
static cairn_status take_blocks(const cairn_native_file  *f,
                                const cairn_distribution *said,
                                const cairn_rows         *rows,
                                cairn_renumbering       **renumbering)
{
    cairn_comm       *comm  = f->comm;
    const cairn_shape shape = cairn_native_file_shape(f);
    cairn_rows        cut   = {0};
    cairn_coord      *row   = NULL;
    int               p, q;
    cairn_status      status;

    CAIRN_TRY(cairn_column_parts_count(comm->env, said, comm->size, &p, &q));
    CAIRN_GO(done, read_own(f, rows, &row));
    CAIRN_GO(done, cairn_comm_agree(comm, cairn_rows_copy(comm->env, rows, &cut)));
    for (int r = 0; r <= comm->size; r++)
        cut.first[r] /= q;
    status = cairn_renumbering_create_parts(comm, p, q, &shape, cut.first, renumbering);
done:
    cairn_free(comm->env, row);
    cairn_rows_fini(comm->env, &cut);
    return status;
}

cairn_status cairn_native_take_places(const cairn_native_file  *f,
                                      const cairn_distribution *said,
                                      const cairn_rows         *rows,
                                      cairn_renumbering       **renumbering)
{
    cairn_comm  *comm  = f->comm;
    cairn_coord *row   = NULL;
    int64_t     *owner = NULL;
    cairn_status status;

    if (said->kind == CAIRN_DISTRIBUTION_BLOCKS)
        return take_blocks(f, said, rows, renumbering);
    CAIRN_GO(done, find_owners(f, rows, &row, &owner));
    status = cairn_renumbering_create(
        comm, rows, owner, cairn_renumbers_all(&f->fact[0].shape), renumbering);
done:
    cairn_free(comm->env, owner);
    cairn_free(comm->env, row);
    return status;
}

/* ---- entries of blocks ---- */

static cairn_status refuse_column(const cairn_native_file *f, int64_t s)
{
    return cairn_fail(f->comm->env, CAIRN_BAD_FILE,
                      "read: %s: an entry of segment %" PRId64
                      " has a column of another block",
                      f->path, s);
}

cairn_status cairn_native_check_columns(const cairn_native_file *f,
                                        int64_t                  s,
                                        const cairn_entries     *entries,
                                        cairn_pos                first)
{
    if (!f->fact[0].blocks) return CAIRN_OK;
    const cairn_interval own = cairn_native_file_columns(f, s);

    for (cairn_pos k = first; k < entries->n; k++)
        if (entries->coord[1][k] < own.lo || entries->coord[1][k] > own.hi)
            return refuse_column(f, s);
    return CAIRN_OK;
}

/// The columns of a segment's entries. Padding lies in any.
typedef struct {
    const cairn_native_file *file;
    int64_t                  segment;
    cairn_interval           own;
} own_columns;

static cairn_status
see_columns(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const own_columns *c = user;

    for (int k = 0; k < batch->n; k++)
        if ((batch->coord[1][k] < c->own.lo || batch->coord[1][k] > c->own.hi)
            && !(part->layout->pads
                 && cairn_value_get(&part->view, batch->value[k]) == 0))
            return refuse_column(c->file, c->segment);
    return CAIRN_OK;
}

cairn_status cairn_native_check_own_columns(const cairn_native_file *f,
                                            const cairn_local       *tensor)
{
    cairn_env    *env    = f->comm->env;
    cairn_status  status = CAIRN_OK;
    own_columns   c      = {.file = f, .segment = f->comm->rank};
    cairn_walker *walker;

    if (!f->fact[0].blocks) return CAIRN_OK;
    c.own = cairn_native_file_columns(f, c.segment);
    for (int m = 0; m < tensor->groups && status == CAIRN_OK; m++) {
        CAIRN_TRY(cairn_walker_create(env, tensor->group[m].layout, &walker));
        status = cairn_walk_member(walker, tensor, m, see_columns, &c);
        cairn_walker_destroy(env, &walker);
    }
    return status;
}
