// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums of columns.

#include "guard/column_sums.h"

#include "base/mix.h"
#include "tensor/visit_values.h"

#include <math.h>
#include <string.h>

enum { STRETCH = CAIRN_GUARD_STRETCH, BLOCK = CAIRN_GUARD_BLOCK };

/// Sums on their way.
typedef struct {
    cairn_guard *guard;
    cairn_x_rows rows;
    long double *w;    ///< [columns] Of the member at hand,
    long double *size; ///< [columns]
    int64_t     *row;  ///< [rows] Entries, of all members.
    bool strays; ///< An index has turned: it has another row or column than can be.
} columns_summing;

static cairn_status
add_to_columns(void *user, const cairn_part *part, const cairn_batch *batch)
{
    columns_summing *s = user;

    for (int n = 0; n < batch->n; n++) {
        const double  a = cairn_value_get(&part->view, batch->value[n]);
        const int64_t i = batch->coord[0][n];
        const int64_t k = cairn_guard_place(s->guard, &s->rows, batch->coord[1][n]);

        if (!cairn_is_entry(part, a)) continue;
        if (k < 0 || i < s->guard->rows.lo || i > s->guard->rows.hi) {
            s->strays = true;
            continue;
        }
        s->row[i - s->guard->rows.lo]++;
        s->w[k] += a;
        s->size[k] += fabsl(a);
    }
    return CAIRN_OK;
}

static double sum_of_all(const cairn_guard *g, int64_t k)
{
    long double w = 0;

    for (int m = 0; m < g->members; m++)
        w += g->sums[m].w[k];
    return (double)w;
}

static double size_of_all(const cairn_guard *g, int64_t k)
{
    long double size = 0;

    for (int m = 0; m < g->members; m++)
        size += g->sums[m].size[k];
    return (double)size;
}

static void forget_columns(cairn_env *env, cairn_guard_columns *all)
{
    cairn_free(env, all->w);
    cairn_free(env, all->at);
    cairn_free(env, all->first);
    cairn_free(env, all->size);
    *all = (cairn_guard_columns){.w = NULL};
}

/* Where listed blocks have more sums than one for so many columns, all sums are kept in
   order: these are read in less time. */
enum { DENSE = 2 };

/* Blocks that a kind has at least: the end of one is no branch that a processor learns. */
enum { KIND = 16 };

/// Blocks that were met before, by their hash.
enum { REMEMBERED = 128 };

typedef struct {
    bool     any;
    uint32_t which;
    double   w[BLOCK];
} remembered;

/// Which of the different blocks is this one, of which @p n were met?
static uint32_t recognise(remembered *known, const double *w, int64_t n)
{
    uint64_t hash = 0, bits;

    for (int c = 0; c < BLOCK; c++) {
        memcpy(&bits, &w[c], sizeof bits);
        hash = cairn_mix(hash ^ bits);
    }
    remembered *const at = &known[hash % REMEMBERED];

    if (at->any && memcmp(at->w, w, sizeof at->w) == 0) return at->which;
    at->any   = true;
    at->which = (uint32_t)n;
    memcpy(at->w, w, sizeof at->w);
    return at->which;
}

/// Blocks on their way.
typedef struct {
    const cairn_guard *guard;
    int64_t            column;  ///< Of the guard's, from which on they are.
    int64_t            columns; ///< BLOCK at least.
    int64_t            blocks;
    int64_t            different;
    uint32_t          *begin; ///< [blocks] The first column whose sum is not 0.
    uint32_t          *which; ///< [blocks] Of the different ones.
    int64_t           *count; ///< [different] Blocks of each.
    int64_t           *kind;  ///< [different] Which kind each is; -1: of none.
} block_listing;

/// The sums of a block. The last one ends with the columns, and what others have is 0 there.
/// @return from which column on it is.
static int64_t take_block(const block_listing *b, int64_t begin, double *w)
{
    const int64_t at = begin + BLOCK <= b->columns ? begin : b->columns - BLOCK;

    for (int64_t c = 0; c < BLOCK; c++)
        w[c] = at + c < begin ? 0 : sum_of_all(b->guard, b->column + at + c);
    return at;
}

/// Find where blocks begin; without room for that, how many there are.
static void find_blocks(block_listing *b)
{
    b->blocks = 0;
    for (int64_t k = 0; k < b->columns; k++) {
        if (sum_of_all(b->guard, b->column + k) == 0) continue;
        if (b->begin) b->begin[b->blocks] = (uint32_t)k;
        b->blocks++;
        k += BLOCK - 1;
    }
}

/// Find which blocks are alike, and make kinds of those that are many.
static void tell_apart(block_listing *b, cairn_guard_columns *all)
{
    remembered known[REMEMBERED] = {{.any = false}};
    double     w[BLOCK];

    for (int64_t n = 0; n < b->blocks; n++) {
        take_block(b, b->begin[n], w);
        const uint32_t q = b->which[n] = recognise(known, w, b->different);

        if (q == b->different) b->different++;
        b->count[q]++;
    }
    for (int64_t q = 0; q < b->different; q++)
        b->kind[q] = b->count[q] >= KIND ? all->kinds++ : -1;
}

/// Blocks that are of no kind.
static int64_t alone_of(const block_listing *b)
{
    int64_t alone = 0;

    for (int64_t q = 0; q < b->different; q++)
        alone += b->kind[q] < 0 ? b->count[q] : 0;
    return alone;
}

/// Put each block where its kind's are, or behind all of these.
static void put_blocks(const block_listing *b, cairn_guard_columns *all)
{
    int64_t at = 0, alone = 0;
    double  w[BLOCK];

    /* Until its blocks are put, first[q + 1] is where the next one of kind q goes. */
    all->first[0] = 0;
    for (int64_t q = 0; q < b->different; q++) {
        if (b->kind[q] < 0) continue;
        all->first[b->kind[q] + 1] = at;
        at += b->count[q];
    }
    for (int64_t n = 0; n < b->blocks; n++) {
        const int64_t kind   = b->kind[b->which[n]];
        const int64_t column = take_block(b, b->begin[n], w);
        const int64_t sums   = kind < 0 ? all->kinds + alone : kind;
        const int64_t place  = kind < 0 ? at + alone++ : all->first[kind + 1]++;

        all->at[place] = (uint32_t)column;
        memcpy(all->w + sums * BLOCK, w, sizeof w);
    }
}

/// List the sums in blocks, if such a list is short enough; else all->at stays NULL.
static cairn_status
list_blocks(cairn_env *env, block_listing *b, cairn_guard_columns *all)
{
    find_blocks(b);
    CAIRN_TRY(CAIRN_NEW(env, b->blocks, &b->begin));
    CAIRN_TRY(CAIRN_NEW(env, b->blocks, &b->which));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, b->blocks, &b->count));
    CAIRN_TRY(CAIRN_NEW(env, b->blocks, &b->kind));
    find_blocks(b);
    tell_apart(b, all);
    const int64_t sums = (all->kinds + alone_of(b)) * BLOCK;

    if (sums > b->columns / DENSE) {
        all->kinds = 0;
        return CAIRN_OK;
    }
    CAIRN_TRY(CAIRN_NEW(env, all->kinds + 1, &all->first));
    CAIRN_TRY(CAIRN_NEW(env, sums, &all->w));
    CAIRN_TRY(CAIRN_NEW(env, b->blocks, &all->at));
    all->blocks = b->blocks;
    put_blocks(b, all);
    return CAIRN_OK;
}

/// Join the members' sums of @p columns columns from @p first on. Local.
static cairn_status join_columns(cairn_env           *env,
                                 const cairn_guard   *g,
                                 int64_t              first,
                                 int64_t              columns,
                                 cairn_guard_columns *all)
{
    const int64_t stretches = (columns + STRETCH - 1) / STRETCH,
                  sample    = cairn_guard_sample(columns);
    block_listing b         = {.guard = g, .column = first, .columns = columns};
    cairn_status  status    = CAIRN_OK;

    forget_columns(env, all);
    all->columns = columns;
    if (!cairn_guard_are_listed(g)) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, stretches * sample, &all->size));
    for (int64_t k = 0; k < columns; k++)
        if (k % STRETCH < sample)
            all->size[k / STRETCH * sample + k % STRETCH] = size_of_all(g, first + k);
    if (columns >= BLOCK) status = list_blocks(env, &b, all);
    cairn_free(env, b.begin);
    cairn_free(env, b.which);
    cairn_free(env, b.count);
    cairn_free(env, b.kind);
    if (status != CAIRN_OK || all->at) return status;
    CAIRN_TRY(CAIRN_NEW(env, columns, &all->w));
    for (int64_t k = 0; k < columns; k++)
        all->w[k] = sum_of_all(g, first + k);
    return CAIRN_OK;
}

cairn_status cairn_guard_sum_columns(cairn_guard *g, const cairn_operands *operands)
{
    const cairn_local *local = g->local;
    cairn_env         *env   = g->comm->env;
    cairn_visits       visits;
    const int64_t      rows   = cairn_interval_size(g->rows);
    columns_summing    s      = {.guard = g, .rows = cairn_operands_x_rows(operands)};
    cairn_status       status = cairn_visits_init(&visits, local);

    if (status == CAIRN_OK) status = CAIRN_NEW(env, g->columns, &s.w);
    if (status == CAIRN_OK) status = CAIRN_NEW(env, g->columns, &s.size);
    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(env, rows, &s.row);
    for (int m = 0; m < local->groups && status == CAIRN_OK; m++) {
        for (int64_t k = 0; k < g->columns; k++)
            s.w[k] = s.size[k] = 0;
        status = cairn_walk_member(visits.walker[m], local, m, add_to_columns, &s);
        if (s.strays)
            status =
                cairn_fail(env, CAIRN_NOT_VERIFIED,
                           "guard: rank %d: member %d: its arrays are not what they "
                           "were: an entry is in a row or column that it has not",
                           g->comm->rank, m);
        for (int64_t k = 0; k < g->columns; k++) {
            g->sums[m].w[k]    = (double)s.w[k];
            g->sums[m].size[k] = (double)s.size[k];
        }
    }
    g->longest = 0;
    for (int64_t i = 0; i < rows && status == CAIRN_OK; i++)
        if (s.row[i] > g->longest) g->longest = s.row[i];
    if (status == CAIRN_OK)
        status = join_columns(env, g, 0, g->own, &g->all[CAIRN_GUARD_OWN]);
    if (status == CAIRN_OK)
        status = join_columns(env, g, g->own, g->columns - g->own,
                              &g->all[CAIRN_GUARD_GHOSTS]);
    if (status == CAIRN_OK) g->updates = local->updates; /* else summed again */
    cairn_visits_fini(&visits);
    cairn_free(env, s.w);
    cairn_free(env, s.size);
    cairn_free(env, s.row);
    return status;
}

cairn_status cairn_guard_allocate_sums(cairn_guard *guard)
{
    for (int m = 0; m < guard->members; m++) {
        CAIRN_TRY(CAIRN_NEW(guard->comm->env, guard->columns, &guard->sums[m].w));
        CAIRN_TRY(CAIRN_NEW(guard->comm->env, guard->columns, &guard->sums[m].size));
    }
    return CAIRN_OK;
}

void cairn_guard_forget_sums(cairn_guard *guard)
{
    cairn_env *env = guard->comm->env;

    for (int m = 0; m < guard->members; m++) {
        cairn_free(env, guard->sums[m].w);
        cairn_free(env, guard->sums[m].size);
    }
    for (int k = 0; k < CAIRN_GUARD_SIDES; k++)
        forget_columns(env, &guard->all[k]);
}
