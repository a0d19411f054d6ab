// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Harwell-Boeing files, written by all ranks: entries go to the owners of their columns,
/// who write these as other files have rows.

#include "comm/move_entries.h"
#include "comm/write_internal.h"

#include <inttypes.h>
#include <string.h>

/// What goes on while a file is written.
typedef struct {
    cairn_comm          *comm;
    const char          *path;
    const cairn_shape   *shape;
    const cairn_entries *entries; ///< This rank's, by rows.
    cairn_entries        columns; ///< ... and by columns: coordinate 0 is the column.
    cairn_rows           owners;  ///< Of columns.
    cairn_hb_form        form;
} writing;

static bool is_symmetric(const writing *w)
{
    return w->form.type[1] == 'S';
}

/// Header cards have 14 digits for a number; column pointers go to one beyond the entries.
static cairn_status check_sizes(const writing *w, cairn_pos nnz)
{
    const int64_t numbers[] = {w->shape->extent[0], w->shape->extent[1], nnz + 1};

    for (int k = 0; k < 3; k++)
        CAIRN_CHECK(numbers[k] <= CAIRN_HB_MOST, w->comm->env, CAIRN_BAD_SHAPE,
                    "write: %s: %" PRId64 " %s: Harwell-Boeing has 14 digits for them",
                    w->path, numbers[k] - (k == 2),
                    k == 0   ? "rows"
                    : k == 1 ? "columns"
                             : "entries");
    CAIRN_CHECK(
        !is_symmetric(w) || numbers[0] == numbers[1], w->comm->env, CAIRN_BAD_SHAPE,
        "write: %s: a symmetric matrix is square, but this is %" PRId64 " x %" PRId64
        ": write it as .%s",
        w->path, numbers[0], numbers[1], w->form.type[0] == 'P' ? "pua" : "rua");
    return CAIRN_OK;
}

/// Values that a pattern leaves out are 1 when it is read.
static cairn_status check_pattern(const writing *w)
{
    const cairn_entries *e = w->entries;

    for (cairn_pos p = 0; w->form.type[0] == 'P' && p < e->n; p++)
        CAIRN_CHECK(e->value[p] == 1.0, w->comm->env, CAIRN_BAD_ARGUMENT,
                    "write: %s: entry (%" PRId64 ", %" PRId64
                    ") is %.17g: a pattern has entries that are 1: write it as .%s",
                    w->path, e->coord[0][p] + 1, e->coord[1][p] + 1, e->value[p],
                    is_symmetric(w) ? "rsa" : "rua");
    return CAIRN_OK;
}

static cairn_status copy_by_columns(writing *w)
{
    const cairn_entries *e = w->entries;
    const size_t         n = (size_t)e->n;

    CAIRN_TRY(cairn_entries_reserve(w->comm->env, &w->columns, e->n));
    if (n > 0) {
        memcpy(w->columns.coord[0], e->coord[1], n * sizeof(cairn_coord));
        memcpy(w->columns.coord[1], e->coord[0], n * sizeof(cairn_coord));
        memcpy(w->columns.value, e->value, n * sizeof(double));
    }
    w->columns.n = e->n;
    return CAIRN_OK;
}

/// Are the columns that this rank owns the same, bit for bit, as its rows?
static cairn_status check_symmetry(const writing *w)
{
    const cairn_entries *e = w->entries, *c = &w->columns;
    const cairn_pos      n = e->n < c->n ? e->n : c->n;
    cairn_pos            p = 0;

    while (p < n && e->coord[0][p] == c->coord[0][p] && e->coord[1][p] == c->coord[1][p]
           && memcmp(&e->value[p], &c->value[p], sizeof(double)) == 0)
        p++;
    if (p == e->n && p == c->n) return CAIRN_OK;

    /* The one that comes first has no mirror image, or another one. */
    const bool by_row =
        p < e->n
        && (p == c->n || e->coord[0][p] < c->coord[0][p]
            || (e->coord[0][p] == c->coord[0][p] && e->coord[1][p] <= c->coord[1][p]));
    const cairn_coord i = by_row ? e->coord[0][p] : c->coord[1][p],
                      j = by_row ? e->coord[1][p] : c->coord[0][p];

    return cairn_fail(w->comm->env, CAIRN_BAD_ARGUMENT,
                      "write: %s: entry (%" PRId64 ", %" PRId64
                      ") is not its mirror image to the bit: write it as .%s",
                      w->path, i + 1, j + 1, w->form.type[0] == 'P' ? "pua" : "rua");
}

/// Keep the lower triangle, which a symmetric file has.
static void drop_upper(cairn_entries *columns)
{
    cairn_pos n = 0;

    for (cairn_pos p = 0; p < columns->n; p++) {
        if (columns->coord[1][p] < columns->coord[0][p]) continue;
        columns->coord[0][n] = columns->coord[0][p];
        columns->coord[1][n] = columns->coord[1][p];
        columns->value[n++]  = columns->value[p];
    }
    columns->n = n;
}

/// Bring the entries to the owners of their columns, in the order of the file.
static cairn_status arrange(writing *w)
{
    cairn_comm *const comm = w->comm;
    cairn_pos         nnz  = w->entries->n;

    CAIRN_TRY(comm->ops->allreduce(comm, &nnz, 1, CAIRN_SUM));
    cairn_status status = check_sizes(w, nnz);

    if (status == CAIRN_OK) status = check_pattern(w);
    if (status == CAIRN_OK) status = copy_by_columns(w);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    if (is_symmetric(w))
        CAIRN_TRY(
            cairn_rows_of_entries(comm, w->entries, w->shape->extent[0], &w->owners));
    else
        CAIRN_TRY(cairn_rows_by_entries(comm, &w->columns, w->shape->extent[1], 1, NULL,
                                        &w->owners));
    CAIRN_TRY(cairn_entries_to_owners(comm, &w->owners, &w->columns, NULL));
    status = cairn_entries_sort(comm->env, &w->columns);
    if (status == CAIRN_OK && is_symmetric(w)) status = check_symmetry(w);
    if (is_symmetric(w)) drop_upper(&w->columns);
    w->form.stored = w->columns.n;
    CAIRN_TRY(cairn_comm_agree(comm, status));
    return comm->ops->allreduce(comm, &w->form.stored, 1, CAIRN_SUM);
}

static cairn_status hb_section(const cairn_output *output,
                               int64_t             section,
                               bool                header,
                               const cairn_sink   *sink)
{
    const cairn_hb_part part = {.entries = output->entries,
                                .first   = output->first,
                                .last    = output->last,
                                .before  = output->before};

    if (header) CAIRN_TRY(cairn_hb_write_header(sink, output->hb));
    return cairn_hb_write_section(sink, (cairn_hb_section)section, output->hb, &part);
}

/// Write what was arranged.
static cairn_status write_arranged(const writing *w)
{
    cairn_comm *const  comm   = w->comm;
    const cairn_coord *first  = &w->owners.first[comm->rank];
    cairn_output       output = {.section  = hb_section,
                                 .sections = cairn_hb_sections(&w->form),
                                 .entries  = &w->columns,
                                 .first    = first[0],
                                 .last     = first[1] + (comm->rank == comm->size - 1),
                                 .hb       = &w->form};

    CAIRN_TRY(cairn_comm_exscan(comm, w->columns.n, &output.before));
    return cairn_write_output(comm, CAIRN_OK, w->path, &output);
}

cairn_status cairn_write_hb(cairn_comm          *comm,
                            const char          *path,
                            const char          *type,
                            const cairn_shape   *shape,
                            const cairn_entries *entries)
{
    writing w = {
        .comm    = comm,
        .path    = path,
        .shape   = shape,
        .entries = entries,
        .form    = {.rows = shape->extent[0], .cols = shape->extent[1]},
    };

    strcpy(w.form.type, type);
    cairn_entries_init(&w.columns, 2);
    cairn_status status = arrange(&w);

    if (status == CAIRN_OK) status = write_arranged(&w);
    cairn_rows_fini(comm->env, &w.owners);
    cairn_entries_fini(comm->env, &w.columns);
    return status;
}
