// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What rows read of X, listed, numbered and gathered.

#include "plan/compact_x.h"

#include "base/bits.h"

#include <string.h>

/// A bit for each of the groups that owned columns are in, and for each ghost: the first of
/// its group.
typedef struct {
    int64_t   first, end; ///< Groups of owned columns.
    uint64_t *owned, *ghost;
} marks;

cairn_pos cairn_x_rows_ghost(const cairn_x_rows *rows, cairn_coord j)
{
    cairn_pos lo = 0, hi = rows->ghosts;

    while (lo < hi) {
        const cairn_pos mid = lo + (hi - lo) / 2;

        if (rows->ghost[mid] < j)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static cairn_status
make_marks(cairn_env *env, const cairn_x_rows *rows, int64_t width, marks *m)
{
    m->first = rows->owned.lo / width;
    m->end   = rows->owned.lo > rows->owned.hi ? m->first : rows->owned.hi / width + 1;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, cairn_bits_words(m->end - m->first), &m->owned));
    return CAIRN_NEW_ZERO(env, cairn_bits_words(rows->ghosts), &m->ghost);
}

/// Mark the groups of all positions. @return is one of them in no group of ours?
static bool mark_all(const cairn_row_share     *share,
                     const cairn_x_rows        *rows,
                     const cairn_column_groups *groups,
                     const marks               *m)
{
    const int64_t length = share->local->part[0].view.level[groups->level].idx_length;
    bool          pads   = false;

    for (cairn_pos k = 0; k < length; k++) {
        const int64_t group = cairn_row_share_group_at(share, groups, k);

        if (cairn_row_share_is_hole(share, groups, group)) continue;
        if (group >= m->first && group < m->end) {
            cairn_bits_set(m->owned, group - m->first);
            continue;
        }
        const cairn_pos g = cairn_x_rows_ghost(rows, group * groups->width);

        if (g < rows->ghosts && rows->ghost[g] < (group + 1) * groups->width)
            cairn_bits_set(m->ghost, g);
        else
            pads = true;
    }
    return pads;
}

/// List groups in order; with @p list NULL they are counted.
static int64_t
list_groups(const cairn_x_rows *rows, int64_t width, const marks *m, int64_t *list)
{
    const cairn_pos behind = cairn_x_rows_ghost(rows, m->end * width);
    const int64_t   owned  = m->end - m->first;
    int64_t         n      = 0;

    for (int after = 0; after < 2; after++) {
        const cairn_pos to = after ? rows->ghosts : behind;

        for (cairn_pos g = cairn_bits_next(m->ghost, after ? behind : 0, to); g < to;
             g           = cairn_bits_next(m->ghost, g + 1, to), n++)
            if (list) list[n] = rows->ghost[g] / width;
        for (int64_t k = after ? owned : cairn_bits_next(m->owned, 0, owned); k < owned;
             k         = cairn_bits_next(m->owned, k + 1, owned), n++)
            if (list) list[n] = m->first + k;
    }
    return n;
}

cairn_status cairn_compact_x_list(const cairn_row_share *share,
                                  const cairn_x_rows    *rows,
                                  cairn_compact_x       *x)
{
    cairn_env *env = share->tensor->env;
    marks      m   = {.first = 0};

    *x = (cairn_compact_x){.groups =
                               cairn_column_groups_of(share->local->group[0].layout)};
    if (x->groups.level < 0) return CAIRN_OK;
    cairn_status status = make_marks(env, rows, x->groups.width, &m);

    if (status == CAIRN_OK) {
        x->pads = mark_all(share, rows, &x->groups, &m);
        x->n    = list_groups(rows, x->groups.width, &m, NULL);
        status  = CAIRN_NEW(env, x->n, &x->list);
    }
    if (status == CAIRN_OK) list_groups(rows, x->groups.width, &m, x->list);
    x->rows = (x->n + x->pads) * x->groups.width;
    cairn_free(env, m.owned);
    cairn_free(env, m.ghost);
    return status;
}

int64_t cairn_compact_x_bytes(const cairn_row_share *share,
                              const cairn_x_rows    *rows,
                              const cairn_compact_x *x)
{
    return cairn_row_share_column_bytes(share, &x->groups)
           + x->rows * (int64_t)(sizeof *x->source + rows->row_bytes);
}

static int64_t source_of(const cairn_x_rows *rows, cairn_coord j)
{
    if (j >= rows->owned.lo && j <= rows->owned.hi) return j - rows->owned.lo;
    const cairn_pos g = cairn_x_rows_ghost(rows, j);

    return g < rows->ghosts && rows->ghost[g] == j ? -2 - g : -1;
}

cairn_status cairn_compact_x_make(cairn_row_share    *share,
                                  const cairn_x_rows *rows,
                                  cairn_compact_x    *x)
{
    cairn_env    *env   = share->tensor->env;
    const int64_t width = x->groups.width;
    cairn_pos     row   = 0;

    CAIRN_TRY(CAIRN_NEW(env, x->rows, &x->source));
    CAIRN_TRY(cairn_alloc_zero(env, x->rows, rows->row_bytes, (void **)&x->value));
    while (row < x->pads * width)
        x->source[row++] = -1;
    for (int64_t k = 0; k < x->n; k++)
        for (int64_t w = 0; w < width; w++)
            x->source[row++] = source_of(rows, x->list[k] * width + w);
    CAIRN_TRY(
        cairn_row_share_number_columns(share, &x->groups, x->list, x->n, x->pads));
    cairn_free(env, x->list);
    x->list = NULL;
    return CAIRN_OK;
}

void cairn_compact_x_gather(const cairn_compact_x *x,
                            size_t                 row_bytes,
                            const char            *owned,
                            const char            *ghost)
{
    for (cairn_pos k = 0; k < x->rows; k++) {
        const int64_t source = x->source[k];
        const char   *from   = source >= 0 ? owned + (size_t)source * row_bytes
                                           : ghost + (size_t)(-2 - source) * row_bytes;

        if (source == -1) continue;
        if (row_bytes == sizeof(double))
            memcpy(x->value + (size_t)k * sizeof(double), from, sizeof(double));
        else
            memcpy(x->value + (size_t)k * row_bytes, from, row_bytes);
    }
}

void cairn_compact_x_fini(cairn_env *env, cairn_compact_x *x)
{
    cairn_free(env, x->list);
    cairn_free(env, x->source);
    cairn_free(env, x->value);
    *x = (cairn_compact_x){.rows = 0};
}
