// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A rank's rows in two blocks, one of its own columns and one of all others. They are merged
/// into rows with the matrix's columns, of which a tensor is made as of any; where each entry
/// came from stays with it, so that values that come in two arrays find their places.

#include "api/arrays/given_rows.h"
#include "api/door.h"

#include <inttypes.h>
#include <string.h>

/// What is merged, and into what.
typedef struct {
    cairn_context          *context;
    const cairn_column_map *map;
    cairn_given_rows        block[2]; ///< Local, ghost.
    cairn_solver_rows       whole;
    int64_t                *ptr;
    void                   *idx, *val, *from;
    int                     from_bits;
} merger;

/* ---- what is looked at ---- */

static cairn_status
check_map(cairn_env *env, const cairn_column_map *map, int64_t extent)
{
    CAIRN_CHECK(map->bits == 32 || map->bits == 64, env, CAIRN_BAD_ARGUMENT,
                "blocks: map: bits: %d is neither 32 nor 64", map->bits);
    CAIRN_CHECK(map->base == 0 || map->base == 1, env, CAIRN_BAD_ARGUMENT,
                "blocks: map: base: %d is neither 0 nor 1", map->base);
    CAIRN_CHECK(map->first_col >= 0 && map->cols >= 0 && map->first_col <= extent
                    && map->cols <= extent - map->first_col,
                env, CAIRN_BAD_SHAPE,
                "blocks: map: %" PRId64 " columns from %" PRId64
                " on are not within 0..%" PRId64,
                map->cols, map->first_col, extent - 1);
    CAIRN_CHECK(map->ghosts >= 0, env, CAIRN_BAD_ARGUMENT,
                "blocks: map: ghosts: %" PRId64 " is negative", map->ghosts);
    CAIRN_CHECK(map->col || map->ghosts == 0, env, CAIRN_BAD_ARGUMENT,
                "blocks: map: col: is NULL");
    for (int64_t k = 0; k < map->ghosts; k++) {
        const int64_t col = cairn_load_int(map->col, k, map->bits / 8, map->bits, true);

        CAIRN_CHECK(col >= map->base && col - map->base < extent, env, CAIRN_BAD_COORD,
                    "blocks: map: col[%" PRId64 "]: %" PRId64
                    " is not within %d..%" PRId64,
                    k, col, map->base, extent - 1 + map->base);
    }
    return CAIRN_OK;
}

/// Lines that rise, and indices of the block.
static cairn_status
check_block(const cairn_solver_rows *a, const char *name, int64_t cols)
{
    cairn_env               *env = &a->context->env;
    const cairn_line_arrays *l   = &a->lines;
    const int64_t            n   = cairn_lines_entries(l);

    CAIRN_CHECK(cairn_lines_ptr(l, 0) == 0, env, CAIRN_BAD_COORD,
                "blocks: %s: ptr[0] is %" PRId64 ", not %d", name,
                cairn_lines_ptr(l, 0) + a->base, a->base);
    for (int64_t i = 0; i < l->rows; i++)
        CAIRN_CHECK(cairn_lines_ptr(l, i) <= cairn_lines_ptr(l, i + 1), env,
                    CAIRN_BAD_COORD, "blocks: %s: ptr descends after row %" PRId64,
                    name, l->first_row + i);
    CAIRN_CHECK(n == 0 || (l->idx && l->val), env, CAIRN_BAD_ARGUMENT,
                "blocks: %s: %s: is NULL", name, l->idx ? "val" : "idx");
    for (int64_t k = 0; k < n; k++)
        CAIRN_CHECK(cairn_lines_idx(l, k) >= 0 && cairn_lines_idx(l, k) < cols, env,
                    CAIRN_BAD_COORD,
                    "blocks: %s: entry %" PRId64 ": column %" PRId64
                    " is not within %d..%" PRId64,
                    name, k, cairn_lines_idx(l, k) + a->base, a->base,
                    cols - 1 + a->base);
    return CAIRN_OK;
}

static cairn_status check(const merger *m)
{
    const cairn_line_arrays *a = &m->block[0].rows.lines, *b = &m->block[1].rows.lines;
    cairn_env               *env = &m->context->env;

    CAIRN_CHECK(a->first_row == b->first_row && a->rows == b->rows
                    && memcmp(a->shape.extent, b->shape.extent, 2 * sizeof(int64_t))
                           == 0,
                env, CAIRN_BAD_SHAPE,
                "blocks: local has %" PRId64 " rows from %" PRId64 " on, ghost %" PRId64
                " from %" PRId64 " on, or other extents",
                a->rows, a->first_row, b->rows, b->first_row);
    CAIRN_CHECK(a->dtype == b->dtype, env, CAIRN_BAD_ARGUMENT,
                "blocks: local and ghost are not of one dtype");
    CAIRN_TRY(check_map(env, m->map, a->shape.extent[1]));
    CAIRN_TRY(check_block(&m->block[0].rows, "local", m->map->cols));
    return check_block(&m->block[1].rows, "ghost", m->map->ghosts);
}

/* ---- merging ---- */

static int64_t column_of(const merger *m, int block, int64_t k)
{
    const cairn_column_map *map = m->map;
    const int64_t           its = cairn_lines_idx(&m->block[block].rows.lines, k);

    if (block == 0) return map->first_col + its;
    return cairn_load_int(map->col, its, map->bits / 8, map->bits, true) - map->base;
}

static void put(void *list, int64_t k, int bits, int64_t number)
{
    if (bits == 32)
        ((int32_t *)list)[k] = (int32_t)number;
    else
        ((int64_t *)list)[k] = number;
}

/// The entry of the blocks that comes next in a row: that of the smaller column, as long as
/// both have one.
static int next_block(const merger *m, const int64_t at[2], const int64_t end[2])
{
    if (at[0] == end[0]) return 1;
    return at[1] < end[1] && column_of(m, 1, at[1]) < column_of(m, 0, at[0]);
}

static void merge(merger *m)
{
    const cairn_line_arrays *a = &m->block[0].rows.lines, *b = &m->block[1].rows.lines;
    const size_t  width = a->dtype == CAIRN_F32 ? sizeof(float) : sizeof(double);
    const int64_t local = cairn_lines_entries(a);
    int64_t       n     = 0;

    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t end[2] = {cairn_lines_ptr(a, i + 1), cairn_lines_ptr(b, i + 1)};
        int64_t       at[2]  = {cairn_lines_ptr(a, i), cairn_lines_ptr(b, i)};

        for (m->ptr[i] = n; at[0] < end[0] || at[1] < end[1]; n++) {
            const int     block = next_block(m, at, end);
            const int64_t k     = at[block]++;

            put(m->idx, n, m->whole.lines.idx_bits, column_of(m, block, k));
            put(m->from, n, m->from_bits, block == 0 ? k : local + k);
            memcpy((char *)m->val + (size_t)n * width,
                   (const char *)m->block[block].rows.lines.val + (size_t)k * width,
                   width);
        }
    }
    m->ptr[a->rows] = n;
}

/// Memory for the merged rows, and merge them.
static cairn_status make_whole(merger *m)
{
    const cairn_line_arrays *a = &m->block[0].rows.lines, *b = &m->block[1].rows.lines;
    cairn_env               *env = &m->context->env;
    const int64_t            n   = cairn_lines_entries(a) + cairn_lines_entries(b);
    const size_t width = a->dtype == CAIRN_F32 ? sizeof(float) : sizeof(double);

    m->from_bits            = n > INT32_MAX ? 64 : 32;
    m->whole                = m->block[0].rows;
    m->whole.base           = 0;
    m->whole.lines.ptr_bits = 64;
    m->whole.lines.idx_bits = a->shape.extent[1] > INT32_MAX ? 64 : 32;
    if (m->block[1].rows.replays > m->whole.replays)
        m->whole.replays = m->block[1].rows.replays;
    CAIRN_TRY(CAIRN_NEW(env, a->rows + 1, &m->ptr));
    CAIRN_TRY(cairn_alloc(env, n, (size_t)m->whole.lines.idx_bits / 8, &m->idx));
    CAIRN_TRY(cairn_alloc(env, n, (size_t)m->from_bits / 8, &m->from));
    CAIRN_TRY(cairn_alloc(env, n, width, &m->val));
    merge(m);
    m->whole.lines.ptr = m->ptr;
    m->whole.lines.idx = m->idx;
    m->whole.lines.val = m->val;
    return CAIRN_OK;
}

/// Let the tensor know where values of the blocks go.
static void keep_order(merger *m, cairn_tensor *tensor)
{
    cairn_refill *refill = tensor->refill;

    refill->blocks = true;
    refill->split  = cairn_lines_entries(&m->block[0].rows.lines);
    refill->bits   = m->from_bits;
    refill->from   = m->from;
    m->from        = NULL;
}

cairn_status cairn_tensor_from_blocks(cairn_context          *context,
                                      const cairn_csr        *local,
                                      const cairn_csr        *ghost,
                                      const cairn_column_map *map,
                                      const cairn_format     *format,
                                      cairn_tensor          **tensor)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(local), CAIRN_GIVEN(ghost),
                         CAIRN_GIVEN(map), CAIRN_SIZED(local, cairn_csr),
                         CAIRN_SIZED(ghost, cairn_csr),
                         CAIRN_SIZED(map, cairn_column_map), CAIRN_GIVEN(tensor));
    cairn_csr        a = CAIRN_CSR, b = CAIRN_CSR;
    cairn_column_map columns = CAIRN_COLUMN_MAP;

    CAIRN_READ(local, a);
    CAIRN_READ(ghost, b);
    CAIRN_READ(map, columns);
    CAIRN_ENTER_TOGETHER(context, CAIRN_ONE_OF(local->dtype, CAIRN_F32),
                         CAIRN_ONE_OF(ghost->dtype, CAIRN_F32));

    cairn_env    *env    = &context->env;
    merger        m      = {.context = context, .map = map};
    cairn_tensor *fresh  = NULL;
    cairn_status  status = cairn_given_rows_init(context, "blocks", local, &m.block[0]);

    if (status == CAIRN_OK)
        status = cairn_given_rows_init(context, "blocks", ghost, &m.block[1]);
    if (status == CAIRN_OK) status = check(&m);
    if (status == CAIRN_OK) status = make_whole(&m);
    if (status != CAIRN_OK) m.whole = m.block[0].rows; /* whose context is looked at */
    status = cairn_solver_rows_take(&m.whole, status, CAIRN_COPY, format, &fresh);
    if (status == CAIRN_OK) {
        keep_order(&m, fresh);
        *tensor = fresh;
    }
    cairn_given_rows_fini(env, &m.block[0]);
    cairn_given_rows_fini(env, &m.block[1]);
    cairn_free(env, m.ptr);
    cairn_free(env, m.idx);
    cairn_free(env, m.val);
    cairn_free(env, m.from);
    return status;
}

/* ---- new values ---- */

cairn_status cairn_tensor_update_blocks(cairn_tensor *tensor,
                                        const void   *local_val,
                                        const void   *ghost_val)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor));
    const cairn_refill       *refill = tensor->refill;
    const cairn_refill_values val    = {
           {local_val, ghost_val}
    };

    CAIRN_CHECK(refill && refill->blocks, &tensor->context->env, CAIRN_BAD_ARGUMENT,
                "update_blocks: the tensor was not made of two blocks");
    if (refill->split > 0) CAIRN_ENTER(tensor->context, CAIRN_GIVEN(local_val));
    if (refill->split < refill->n) CAIRN_ENTER(tensor->context, CAIRN_GIVEN(ghost_val));
    CAIRN_TRY(cairn_tensor_check_views(tensor, "update_blocks"));
    return cairn_tensor_refill(tensor, &val);
}
