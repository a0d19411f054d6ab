// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that stand once for each part of the columns.

#include "comm/column_parts.h"

#include "format/distribution.h"

#include <inttypes.h>
#include <string.h>

cairn_status cairn_column_parts_count(cairn_env                *env,
                                      const cairn_distribution *distribution,
                                      int                       ranks,
                                      int                      *p,
                                      int                      *q)
{
    int64_t down, across;

    CAIRN_CHECK(cairn_distribution_at(distribution->a, 0, ranks, &down)
                    && cairn_distribution_at(distribution->b, 0, ranks, &across)
                    && down > 0 && across > 0,
                env, CAIRN_BAD_QUERY,
                "format: distribution: p or q of @ blocks<p,q> is no number above 0 on "
                "%d rank%s",
                ranks, ranks == 1 ? "" : "s");
    CAIRN_CHECK((__int128)down * across == ranks, env, CAIRN_ATTENTION,
                "format: distribution: @ blocks<%" PRId64 ",%" PRId64
                "> is for %" PRId64 " times %" PRId64 " ranks, and there %s %d",
                down, across, down, across, ranks == 1 ? "is" : "are", ranks);
    *p = (int)down;
    *q = (int)across;
    return CAIRN_OK;
}

void cairn_column_parts_destroy(cairn_env *env, cairn_column_parts **parts)
{
    if (!*parts) return;
    cairn_rows_fini(env, &(*parts)->user);
    cairn_free(env, (*parts)->row);
    cairn_free(env, (*parts)->first);
    cairn_free(env, *parts);
    *parts = NULL;
}

/// Local. What there is of it is freed with the renumbering.
static cairn_status
cut_parts(cairn_env *env, const cairn_coord *row, cairn_column_parts *parts)
{
    const int     p = parts->p, q = parts->q;
    const int64_t columns = parts->shape.extent[1];

    CAIRN_TRY(CAIRN_NEW(env, p + 1 + q + 1, &parts->row));
    parts->col = parts->row + p + 1;
    for (int i = 0; i <= p; i++)
        parts->row[i] = row[i * q];
    for (int j = 0; j <= q; j++)
        parts->col[j] = (cairn_coord)((__int128)columns * j / q);
    return CAIRN_OK;
}

/// The part that an index is in: the last one that does not begin after it.
static int part_of(const cairn_coord *first, int parts, cairn_coord index)
{
    const cairn_rows rows = {.size = parts, .first = (cairn_coord *)first};

    return cairn_rows_owner(&rows, index);
}

/// Where the stored rows of a rank begin.
static cairn_coord first_place(const cairn_column_parts *b, int i, int j)
{
    return b->q * b->row[i] + j * (b->row[i + 1] - b->row[i]);
}

cairn_status cairn_column_parts_create(cairn_comm          *comm,
                                       int                  p,
                                       int                  q,
                                       const cairn_shape   *shape,
                                       const cairn_coord   *row,
                                       cairn_column_parts **parts,
                                       cairn_rows          *stored)
{
    const cairn_coord   extent = shape->extent[0];
    cairn_column_parts *fresh  = NULL;
    cairn_rows          rows   = {0};
    cairn_status        status;

    CAIRN_CHECK((__int128)extent * q < INT64_MAX / 4, comm->env, CAIRN_UNSUPPORTED,
                "format: distribution: @ blocks<%d,%d>: %" PRId64
                " rows once for each part of the columns: not in this version",
                p, q, extent);
    status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);
    if (status == CAIRN_OK) {
        *fresh =
            (cairn_column_parts){.p = p, .q = q, .shape = *shape, .rank = comm->rank};
        status = cut_parts(comm->env, row, fresh);
    }
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, cairn_rows_equal(comm, extent, 1, &fresh->user));
    CAIRN_GO(done, cairn_rows_equal(comm, extent * q, 1, &rows));
    for (int r = 1; r < comm->size; r++)
        rows.first[r] = first_place(fresh, r / q, r % q);
    for (int r = 1; r < comm->size && q == 1; r++)
        fresh->user.first[r] = rows.first[r];
    *parts  = fresh;
    *stored = rows;
    return CAIRN_OK;
done:
    cairn_column_parts_destroy(comm->env, &fresh);
    return status;
}

void cairn_column_parts_number(const cairn_column_parts *parts, cairn_entries *entries)
{
    const cairn_column_parts *b = parts;

    for (cairn_pos k = 0; k < entries->n; k++) {
        cairn_coord *const row = &entries->coord[0][k];
        const int          i   = part_of(b->row, b->p, *row);
        const int          j   = part_of(b->col, b->q, entries->coord[1][k]);

        *row = first_place(b, i, j) + (*row - b->row[i]);
    }
}

/* ---- a row once for each member ---- */

/// Where the rows of member @p m begin that a rank has.
static cairn_coord first_row(const cairn_column_parts *b, int m, int rank)
{
    return b->first[(int64_t)m * (b->user.size + 1) + rank];
}

static int64_t member_rows(const cairn_column_parts *b, int m, int rank)
{
    return first_row(b, m, rank + 1) - first_row(b, m, rank);
}

/// Local. What there is of it is freed with the parts.
static cairn_status
list_members(cairn_env *env, const cairn_rows *rows, cairn_column_parts *b)
{
    const int64_t each = b->user.size + 1;

    CAIRN_TRY(CAIRN_NEW(env, b->q * each + b->q + 1, &b->first));
    b->place = b->first + b->q * each;
    for (int m = 0; m < b->q; m++)
        memcpy(b->first + m * each, rows[m].first, (size_t)each * sizeof *b->first);
    return CAIRN_OK;
}

cairn_status cairn_member_parts_create(cairn_comm          *comm,
                                       int                  members,
                                       const cairn_shape   *shape,
                                       const cairn_rows    *rows,
                                       const cairn_rows    *user,
                                       cairn_column_parts **parts,
                                       cairn_rows          *stored)
{
    const cairn_coord   extent = shape->extent[0];
    cairn_column_parts *b      = NULL;
    cairn_rows          places = {0};
    cairn_status        status;

    CAIRN_CHECK((__int128)extent * members < INT64_MAX / 4, comm->env,
                CAIRN_UNSUPPORTED,
                "format: distribution: %" PRId64
                " rows once for each member: not in this version",
                extent);
    status = CAIRN_NEW_ZERO(comm->env, 1, &b);
    if (status == CAIRN_OK) {
        *b = (cairn_column_parts){.q = members, .shape = *shape, .rank = comm->rank};
        status = cairn_rows_copy(comm->env, user, &b->user);
    }
    if (status == CAIRN_OK) status = list_members(comm->env, rows, b);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, cairn_rows_equal(comm, extent * members, 1, &places));
    for (int r = 0; r < comm->size; r++) {
        cairn_coord next = places.first[r];

        for (int m = 0; m < members; m++) {
            if (r == comm->rank) b->place[m] = next;
            next += member_rows(b, m, r);
        }
        if (r == comm->rank) b->place[members] = next;
        places.first[r + 1] = next;
    }
    *parts  = b;
    *stored = places;
    return CAIRN_OK;
done:
    cairn_column_parts_destroy(comm->env, &b);
    return status;
}

void cairn_member_parts_number(const cairn_column_parts *b,
                               const cairn_rows         *stored,
                               const uint8_t            *member,
                               cairn_entries            *entries)
{
    for (cairn_pos k = 0; k < entries->n; k++) {
        const cairn_rows   rows  = {.size  = b->user.size,
                                    .first = b->first
                                             + (int64_t)member[k] * (b->user.size + 1)};
        cairn_coord *const row   = &entries->coord[0][k];
        const int          r     = cairn_rows_owner(&rows, *row);
        cairn_coord        place = stored->first[r] + (*row - rows.first[r]);

        for (int m = 0; m < member[k]; m++)
            place += member_rows(b, m, r);
        *row = place;
    }
}

static cairn_coord row_of_member(const cairn_column_parts *b, cairn_coord place)
{
    const int m = part_of(b->place, b->q, place);

    return first_row(b, m, b->rank) + (place - b->place[m]);
}

/* ---- rows again, and their sums ---- */

cairn_coord cairn_column_parts_row(const cairn_column_parts *parts, cairn_coord place)
{
    if (parts->first) return row_of_member(parts, place);
    const int         i    = part_of(parts->row, parts->p, place / parts->q);
    const cairn_coord rows = parts->row[i + 1] - parts->row[i];

    return parts->row[i] + (place - first_place(parts, i, 0)) % rows;
}

void cairn_column_parts_undo(const cairn_column_parts *parts, cairn_entries *entries)
{
    for (cairn_pos k = 0; k < entries->n; k++)
        entries->coord[0][k] = cairn_column_parts_row(parts, entries->coord[0][k]);
}

/// Rows that two ranks' rows have in common.
static int64_t
in_both(cairn_coord a, cairn_coord a_end, cairn_coord b, cairn_coord b_end)
{
    const cairn_coord first = a > b ? a : b, end = a_end < b_end ? a_end : b_end;

    return end > first ? end - first : 0;
}

/// The user's rows that @p rank stores, and that @p owner has of Y.
static int64_t shared_rows(const cairn_column_parts *b, int rank, int owner)
{
    const int i = rank / b->q;

    return in_both(b->row[i], b->row[i + 1], b->user.first[owner],
                   b->user.first[owner + 1]);
}

static double value_at(const void *values, int bits, int64_t k)
{
    return bits == 64 ? ((const double *)values)[k] : ((const float *)values)[k];
}

static void set_value(void *values, int bits, int64_t k, double value)
{
    if (bits == 64)
        ((double *)values)[k] = value;
    else
        ((float *)values)[k] = (float)value;
}

/// The user's rows that @p rank stores of member @p m, and that @p owner has of Y.
static int64_t shared_member(const cairn_column_parts *b, int m, int rank, int owner)
{
    return in_both(first_row(b, m, rank), first_row(b, m, rank + 1),
                   b->user.first[owner], b->user.first[owner + 1]);
}

static int64_t shared_members(const cairn_column_parts *b, int rank, int owner)
{
    int64_t rows = 0;

    for (int m = 0; m < b->q; m++)
        rows += shared_member(b, m, rank, owner);
    return rows;
}

/// Add what has come for the rows of one row part: the same of each column part, one behind
/// the other.
static void add_parts(const cairn_column_parts *b,
                      const cairn_part_sums    *sums,
                      int64_t                   n,
                      int64_t                   from,
                      int64_t                   to,
                      void                     *y)
{
    const int bits = sums->value_bits;

    for (int64_t k = 0; k < n; k++) {
        double sum = sums->buffer[from + k];

        for (int j = 1; j < b->q; j++)
            sum += sums->buffer[from + j * n + k];
        if (sums->beta != 0) sum += sums->beta * value_at(y, bits, to + k);
        set_value(y, bits, to + k, sum);
    }
}

/// The sums of this rank's rows by the ranks that have them of Y, member by member.
static void
pack_members(const cairn_column_parts *b, int64_t bytes, const char *from, char *to)
{
    for (int r = 0; r < b->user.size; r++)
        for (int m = 0; m < b->q; m++) {
            const cairn_coord own  = first_row(b, m, b->rank);
            const cairn_coord lo   = own > b->user.first[r] ? own : b->user.first[r];
            const int64_t     rows = shared_member(b, m, b->rank, r);

            if (rows == 0) continue;
            memcpy(to, from + (b->place[m] - b->place[0] + lo - own) * bytes,
                   (size_t)(rows * bytes));
            to += rows * bytes;
        }
}

/// Where the sums of a member's next row stand among all that have come.
typedef struct {
    int     rank; ///< From this one they came,
    int64_t left; ///< so many more of them,
    int64_t at;   ///< and this is the next.
    int64_t end;  ///< Here ends what came from that rank.
} next_sums;

/// The next rank that has rows of the member.
static void go_on(const cairn_column_parts *b, int m, next_sums *s)
{
    while (s->left == 0) {
        s->rank++;
        s->at = s->end;
        for (int k = 0; k < m; k++)
            s->at += shared_member(b, k, s->rank, b->rank);
        s->left = shared_member(b, m, s->rank, b->rank);
        s->end += shared_members(b, s->rank, b->rank);
    }
}

/// Each row's sums in the order of members.
static void
add_members(const cairn_column_parts *b, const cairn_part_sums *sums, void *y)
{
    const int64_t rows = b->user.first[b->rank + 1] - b->user.first[b->rank];
    const int     bits = sums->value_bits;
    next_sums     next[CAIRN_MAX_MEMBERS];

    for (int m = 0; m < b->q; m++)
        next[m] = (next_sums){.rank = -1};
    for (int64_t i = 0; i < rows; i++) {
        for (int m = 0; m < b->q; m++)
            go_on(b, m, &next[m]);
        for (cairn_pos c = 0; c < sums->columns; c++) {
            const int64_t at  = i * sums->columns + c;
            double        sum = sums->beta == 0
                                    ? -0.0 /* which changes nothing that is added */
                                    : sums->beta * value_at(y, bits, at) + 0.0;

            for (int m = 0; m < b->q; m++)
                sum += sums->buffer[next[m].at * sums->columns + c];
            set_value(y, bits, i * sums->columns + c, sum);
        }
        for (int m = 0; m < b->q; m++) {
            next[m].at++;
            next[m].left--;
        }
    }
}

static cairn_status sum_members(cairn_comm               *comm,
                                const cairn_column_parts *b,
                                const cairn_part_sums    *sums,
                                const double             *from,
                                void                     *to)
{
    const int64_t  bytes = sums->columns * (int64_t)sizeof(double);
    const int64_t  rows  = b->user.first[comm->rank + 1] - b->user.first[comm->rank];
    int64_t *const send = sums->counts, *const recv = sums->counts + comm->size;
    char *const packed = (char *)sums->buffer + b->q * rows * bytes;

    for (int r = 0; r < comm->size; r++) {
        send[r] = bytes * shared_members(b, comm->rank, r);
        recv[r] = bytes * shared_members(b, r, comm->rank);
    }
    pack_members(b, bytes, (const char *)from, packed);
    CAIRN_TRY(comm->ops->alltoallv(comm, packed, send, sums->buffer, recv));
    add_members(b, sums, to);
    return CAIRN_OK;
}

int64_t cairn_column_parts_room(const cairn_column_parts *b)
{
    const int64_t rows = b->user.first[b->rank + 1] - b->user.first[b->rank];

    return b->q * rows + (b->first ? b->place[b->q] - b->place[0] : 0);
}

cairn_status cairn_column_parts_sum(cairn_comm               *comm,
                                    const cairn_column_parts *parts,
                                    const cairn_part_sums    *sums,
                                    const double             *from,
                                    void                     *to)
{
    const int64_t  bytes = sums->columns * (int64_t)sizeof(double);
    int64_t *const send = sums->counts, *const recv = sums->counts + comm->size;
    int64_t came = 0, done = 0;

    if (parts->first) return sum_members(comm, parts, sums, from, to);

    /* Rows of Y ascend with ranks, and so do those of a row part: they go as they lie. */
    for (int r = 0; r < comm->size; r++) {
        send[r] = bytes * shared_rows(parts, comm->rank, r);
        recv[r] = bytes * shared_rows(parts, r, comm->rank);
    }
    CAIRN_TRY(comm->ops->alltoallv(comm, from, send, sums->buffer, recv));
    for (int i = 0; i < parts->p; i++) {
        const int64_t n = sums->columns * shared_rows(parts, i * parts->q, comm->rank);

        add_parts(parts, sums, n, came, done, to);
        came += n * parts->q;
        done += n;
    }
    return CAIRN_OK;
}
