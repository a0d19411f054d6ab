// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Matrices of two blocks on each rank, a rank's own columns and all others, cut at random,
/// held to the tensors that the same entries make; new values in two arrays, too. What is
/// wrong on one rank is every rank's.

#include "api.h"
#include "api/api.h"
#include "arrays.h"
#include "every_format.h"
#include "mpi_suite.h"
#include "random_format.h"
#include "seed.h"
#include "tensor/value_storage.h"

#include <cairn/mpi.h>

enum { SIDE = 24, MOST = SIDE * SIDE, RANKS = 8, CASES = 20 };

static cairn_context *context;

static void blocks_up(void)
{
    mpi_up();
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context) != CAIRN_OK) abort();
}

static void blocks_down(void)
{
    cairn_context_destroy(&context);
    mpi_down();
}

TestSuite(blocks, .init = blocks_up, .fini = blocks_down, .timeout = 600);

/// Cuts of rows and of columns, and the entries of all rows, the same on all ranks. Some
/// stand twice: an own column may be among those of the ghost block, too.
typedef struct {
    int64_t     rows, cols, row[RANKS + 1], col[RANKS + 1];
    bool        at[SIDE][SIDE], twice[SIDE][SIDE];
    double      value[SIDE][SIDE], more[SIDE][SIDE];
    bool        small; ///< Values are small integers, which are stored narrow.
    cairn_dtype dtype;
    int         bits, base;
} matrix;

static void cut(uint64_t *state, int64_t extent, int64_t *at)
{
    at[0]    = 0;
    at[size] = extent;
    for (int r = 1; r < size; r++)
        at[r] = random_below(state, (int)extent + 1);
    for (int r = 1; r < size; r++) /* in order */
        for (int q = r; q > 1 && at[q] < at[q - 1]; q--) {
            const int64_t less = at[q];

            at[q]     = at[q - 1];
            at[q - 1] = less;
        }
}

static void draw_values(uint64_t *state, matrix *m)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            const double value = 1 + random_below(state, m->small ? 60 : 1000);
            const double more  = 1 + random_below(state, m->small ? 60 : 1000);

            m->value[i][j] = m->small ? value : (float)(value / 7);
            m->more[i][j]  = m->small ? more : (float)(more / 3);
        }
}

static void draw(uint64_t *state, matrix *m)
{
    const int repeats = random_chance(state, 30) ? 20 : 0; /* of a hundred */

    m->rows  = 1 + random_below(state, SIDE);
    m->cols  = 1 + random_below(state, SIDE);
    m->small = random_chance(state, 40);
    m->dtype = random_chance(state, 40) ? CAIRN_F32 : CAIRN_F64;
    m->bits  = random_chance(state, 50) ? 32 : 64;
    m->base  = random_below(state, 2);
    cut(state, m->rows, m->row);
    cut(state, m->cols, m->col);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            m->at[i][j]    = random_chance(state, 30);
            m->twice[i][j] = m->at[i][j] && random_chance(state, repeats);
        }
    draw_values(state, m);
}

/* ---- this rank's arrays ---- */

static void put(void *list, int64_t k, int bits, int64_t number)
{
    if (bits == 32)
        ((int32_t *)list)[k] = (int32_t)number;
    else
        ((int64_t *)list)[k] = number;
}

static void put_value(const matrix *m, void *list, int64_t k, double value)
{
    if (m->dtype == CAIRN_F32)
        ((float *)list)[k] = (float)value;
    else
        ((double *)list)[k] = value;
}

/// Compressed rows: [SIDE + 1], and [MOST] each.
typedef struct {
    int64_t   n;
    char      ptr[(SIDE + 1) * 8], idx[MOST * 8], val[MOST * 8];
    cairn_csr csr;
} lines;

/// Two of them, and which columns are a ghost's.
typedef struct {
    lines            block[2];
    char             col[SIDE * 8];
    int64_t          place[SIDE];
    cairn_column_map map;
} parts_given;

static bool is_own(const matrix *m, int64_t j)
{
    return j >= m->col[rank] && j < m->col[rank + 1];
}

/// Does the entry at i, j have a second value in the ghost block?
static bool is_in_both(const matrix *m, int64_t i, int64_t j)
{
    return is_own(m, j) && m->twice[i][j];
}

/// List the columns of the ghost block, from the last one on if `turned`.
static void list_ghosts(const matrix *m, bool turned, parts_given *p)
{
    p->map           = (cairn_column_map)CAIRN_COLUMN_MAP;
    p->map.first_col = m->col[rank];
    p->map.cols      = m->col[rank + 1] - m->col[rank];
    p->map.col       = p->col;
    p->map.bits      = m->bits;
    p->map.base      = m->base;
    for (int64_t c = 0; c < m->cols; c++) {
        const int64_t j    = turned ? m->cols - 1 - c : c;
        bool          used = false;

        for (int64_t i = m->row[rank]; i < m->row[rank + 1]; i++)
            used = used || (is_own(m, j) ? m->twice[i][j] : m->at[i][j]);
        if (!used) continue;
        p->place[j] = p->map.ghosts;
        put(p->col, p->map.ghosts++, m->bits, j + m->base);
    }
}

static void begin_lines(const matrix *m, lines *l)
{
    l->n               = 0;
    l->csr             = (cairn_csr)CAIRN_CSR;
    l->csr.global_rows = m->rows;
    l->csr.global_cols = m->cols;
    l->csr.first_row   = m->row[rank];
    l->csr.rows        = m->row[rank + 1] - m->row[rank];
    l->csr.ptr         = l->ptr;
    l->csr.idx         = l->idx;
    l->csr.val         = l->val;
    l->csr.ptr_bits    = m->bits;
    l->csr.idx_bits    = m->bits;
    l->csr.base        = m->base;
    l->csr.dtype       = m->dtype;
    put(l->ptr, 0, m->bits, m->base);
}

static void
put_entry(const matrix *m, parts_given *p, int block, int64_t j, double value)
{
    lines *l = &p->block[block];

    put(l->idx, l->n, m->bits, m->base + (block ? p->place[j] : j - m->col[rank]));
    put_value(m, l->val, l->n++, value);
}

static void divide(const matrix *m, bool turned, parts_given *p)
{
    list_ghosts(m, turned, p);
    for (int b = 0; b < 2; b++)
        begin_lines(m, &p->block[b]);
    for (int64_t i = m->row[rank]; i < m->row[rank + 1]; i++) {
        for (int64_t j = 0; j < m->cols; j++) {
            if (!m->at[i][j]) continue;
            put_entry(m, p, !is_own(m, j), j, m->value[i][j]);
            if (is_in_both(m, i, j)) put_entry(m, p, 1, j, m->more[i][j]);
        }
        for (int b = 0; b < 2; b++)
            put(p->block[b].ptr, i + 1 - m->row[rank], m->bits,
                p->block[b].n + m->base);
    }
}

/// The tensor that the same entries make.
static cairn_status
make_from_entries(const matrix *m, const cairn_format *format, cairn_tensor **made)
{
    static int64_t i_of[2 * MOST], j_of[2 * MOST];
    static char    val[2 * MOST * 8];
    cairn_coords   c = CAIRN_COORDS;

    c.extent[0] = m->rows;
    c.extent[1] = m->cols;
    c.first_row = m->row[rank];
    c.rows      = m->row[rank + 1] - m->row[rank];
    c.idx[0]    = i_of;
    c.idx[1]    = j_of;
    c.val       = val;
    c.dtype     = m->dtype;
    for (int64_t i = m->row[rank]; i < m->row[rank + 1]; i++)
        for (int64_t j = 0; j < m->cols; j++)
            for (int k = 0; k < m->at[i][j] + is_in_both(m, i, j); k++) {
                i_of[c.entries] = i;
                j_of[c.entries] = j;
                put_value(m, val, c.entries++, k ? m->more[i][j] : m->value[i][j]);
            }
    return cairn_tensor_from_coords(context, &c, CAIRN_COPY, format, made);
}

static bool same_parts(cairn_tensor *x, cairn_tensor *y)
{
    static parts_seen a, b;

    parts_get(context, x, &a);
    parts_get(context, y, &b);
    const bool same = parts_same(&a, &b);

    parts_restore(context, x, &a);
    parts_restore(context, y, &b);
    return same;
}

/// Are all values the same, however they are stored? A member whose values were all equal
/// is wide when others have come; made of these it is narrow.
static bool same_values(const cairn_tensor *x, const cairn_tensor *y)
{
    bool same = x->local->parts == y->local->parts;

    for (int64_t p = 0; same && p < x->local->parts; p++) {
        const cairn_kernel_part *a = &x->local->part[p].view,
                                *b = &y->local->part[p].view;

        same = a->values == b->values;
        for (int64_t v = 0; same && v < a->values; v++)
            same = cairn_value_get(a, v) == cairn_value_get(b, v);
    }
    return same;
}

/// Has a tensor that took new values those of one that is made of them?
static bool is_updated(const matrix *m, const cairn_format *format, cairn_tensor *made)
{
    cairn_tensor *fresh = NULL;
    bool          same  = make_from_entries(m, format, &fresh) == CAIRN_OK;

    if (same && m->small) same = same_values(made, fresh);
    if (same && !m->small)
        same = made->local->parts >= ARRAYS_PARTS || same_parts(made, fresh);
    cairn_tensor_destroy(&fresh);
    return same;
}

/// New values. For a tensor that has had some nothing is allocated, unless it has narrow
/// ones, which may have to be widened.
static cairn_status update(cairn_tensor *made, const parts_given *p, bool again)
{
    if (again && !cairn_local_is_narrow(made->local)) context->env.allowed = 0;
    const cairn_status status =
        cairn_tensor_update_blocks(made, p->block[0].val, p->block[1].val);

    context->env.allowed = -1;
    return status;
}

/* ---- random matrices ---- */

/// @return 1: they are the same, 0: not, -1: no tensor has this format.
static int check(uint64_t seed)
{
    static matrix      m;
    static parts_given p;
    uint64_t           state = seed;
    char               text[RANDOM_FORMAT];
    cairn_tensor      *made = NULL, *entries = NULL;

    draw(&state, &m);
    random_format(&state, 2, text, sizeof text);
    if (random_chance(&state, 50)) strcpy(text, formats[random_below(&state, FORMATS)]);
    if (random_compares_values(text)) return -1;
    const bool turned = random_chance(&state, 30);

    MUST(context, cairn_context_set_replays(context, m.small ? 1000 : 0));
    divide(&m, turned, &p);
    cairn_format      *format = must_format(context, text);
    const cairn_status status = make_from_entries(&m, format, &entries);
    bool               same   = status
                == cairn_tensor_from_blocks(context, &p.block[0].csr, &p.block[1].csr,
                                            &p.map, format, &made);

    if (status == CAIRN_OK && same)
        same = entries->local->parts >= ARRAYS_PARTS || same_parts(made, entries);
    for (int again = 0; status == CAIRN_OK && again < 2; again++) {
        draw_values(&state, &m);
        divide(&m, turned, &p);
        same = update(made, &p, again) == CAIRN_OK && same;
        same = is_updated(&m, format, made) && same;
    }
    if (!same)
        fprintf(stderr, "rank %d: seed %" PRIu64 ": %s: %s\n", rank, seed, text,
                cairn_context_message(context));
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&entries);
    cairn_format_destroy(&format);
    return !same ? 0 : status == CAIRN_OK ? 1 : -1;
}

Test(blocks, are_the_tensor_that_their_entries_make)
{
    const int cases = seed_cases(CASES);
    int       good  = 0;

    for (uint64_t k = 0; good < cases && k < 20 * (uint64_t)cases; k++) {
        const int its = check(seed_clock() * 1000003 + k);

        ON_ALL_RANKS(its != 0, "case %d", (int)k);
        good += its == 1;
    }
    ON_ALL_RANKS(good == cases, "only %d formats are good", good);
}

/* ---- on one rank alone ---- */

/// A call fails on all ranks with this status.
#define FAILS_ON_ALL(code)                                                       \
    do {                                                                         \
        cairn_tensor      *made_ = NULL;                                         \
        const cairn_status its_  = cairn_tensor_from_blocks(                     \
             context, &p.block[0].csr, &p.block[1].csr, &p.map, format, &made_); \
        cairn_tensor_destroy(&made_);                                            \
        ON_ALL_RANKS(its_ == CAIRN_##code, "%s: %d: %s", #code, its_,            \
                     cairn_context_message(context));                            \
    } while (0)

Test(blocks, what_is_wrong_on_one_rank_is_everybodys)
{
    static matrix      m;
    static parts_given p;
    uint64_t           state  = 7;
    cairn_format      *format = must_format(context, "csr");
    const bool         last   = rank == size - 1;

    draw(&state, &m);
    m.rows = m.cols = SIDE;
    m.base          = 0;
    for (int r = 0; r <= size; r++)
        m.row[r] = m.col[r] = r * SIDE / size;
    for (int i = 0; i < SIDE; i++)
        m.at[i][i] = m.at[i][(i + SIDE / 2) % SIDE] = true;
    divide(&m, false, &p);
    FAILS_ON_ALL(OK);
    if (last) put(p.block[0].idx, 0, m.bits, p.map.cols);
    FAILS_ON_ALL(BAD_COORD);
    if (last) put(p.block[0].idx, 0, m.bits, -1);
    FAILS_ON_ALL(BAD_COORD);
    divide(&m, false, &p);
    if (last) p.map.bits = 16;
    FAILS_ON_ALL(BAD_ARGUMENT);
    divide(&m, false, &p);
    if (last) p.map.cols = SIDE + 1;
    FAILS_ON_ALL(BAD_SHAPE);
    divide(&m, false, &p);
    if (last) p.block[1].csr.rows = 0;
    FAILS_ON_ALL(BAD_SHAPE);
    divide(&m, false, &p);
    if (last) put(p.block[1].ptr, 1, m.bits, -1);
    FAILS_ON_ALL(BAD_COORD);
    divide(&m, false, &p);
    if (last) context->env.allowed = 3;
    FAILS_ON_ALL(NO_MEMORY);
    context->env.allowed = -1;
    divide(&m, false, &p);
    FAILS_ON_ALL(OK);
    if (size > 1) {
        if (last) put(p.col, 0, m.bits, SIDE);
        FAILS_ON_ALL(BAD_COORD);
    }
    cairn_format_destroy(&format);
}
