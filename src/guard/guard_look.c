// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What most checks end with.

#include "guard/guard_look.h"

#include <omp.h>

#include <math.h>

enum { LEAF = CAIRN_GUARD_LEAF };

/// 1'y - w.x, and a part of (1'|A|).|x|.
typedef struct {
    long double difference, size;
} first_look;

/// Numbers [begin, end) of a vector.
static cairn_guard_vector
stretch_of(const cairn_guard *g, const void *value, int64_t begin, int64_t end)
{
    const bool   narrow = cairn_guard_is_narrow(g);
    const size_t width  = narrow ? sizeof(float) : sizeof(double);

    return (cairn_guard_vector){(const char *)value + (size_t)begin * width,
                                end - begin, narrow};
}

/// Where thread @p t's share of @p n begins, a multiple of @p grain.
static int64_t begin_of(int64_t n, int64_t grain, int t, int threads)
{
    const int64_t grains = (n + grain - 1) / grain,
                  begin  = grains * t / threads * grain;

    return begin < n ? begin : n;
}

/// w.x over listed blocks [begin, end).
static long double multiply_listed(const cairn_guard_columns *all,
                                   const cairn_guard_vector  *x,
                                   int64_t                    begin,
                                   int64_t                    end)
{
    const int64_t *first = all->first;
    long double    sum   = 0;
    int64_t        k     = begin;

    for (int64_t q = 0; q < all->kinds && k < end; q++) {
        const int64_t its_end = first[q + 1] < end ? first[q + 1] : end;

        if (k >= its_end) continue; /* before the share */
        sum += cairn_guard_multiply_alike(all->w + q * CAIRN_GUARD_BLOCK, all->at + k,
                                          its_end - k, x);
        k = its_end;
    }
    if (k < end)
        sum += cairn_guard_multiply_blocks(
            all->w + (all->kinds + k - first[all->kinds]) * CAIRN_GUARD_BLOCK,
            all->at + k, end - k, x);
    return sum;
}

/// Thread @p t's share of w.x and of the sample of sizes.
static void take_columns(const cairn_guard         *g,
                         const cairn_guard_columns *all,
                         const void                *x,
                         int                        t,
                         int                        threads,
                         first_look                *look)
{
    const int64_t sample = cairn_guard_sample(all->columns);
    const int64_t from   = begin_of(all->columns, CAIRN_GUARD_STRETCH, t, threads);
    const int64_t to     = begin_of(all->columns, CAIRN_GUARD_STRETCH, t + 1, threads);
    const cairn_guard_vector own = stretch_of(g, x, from, to);
    const cairn_guard_vector v   = stretch_of(g, x, 0, all->columns);

    if (all->at) {
        const int64_t block = begin_of(all->blocks, 1, t, threads);
        const int64_t end   = begin_of(all->blocks, 1, t + 1, threads);

        look->difference -= multiply_listed(all, &v, block, end);
    } else {
        look->difference -= cairn_guard_multiply(all->w + from, &own);
    }
    look->size += cairn_guard_multiply_sizes(
        all->size + from / CAIRN_GUARD_STRETCH * sample, sample, &own);
}

/// @param[in] y  NULL: it has been added up.
static first_look
look_at_share(const cairn_guard_x *x, const void *y, int64_t rows, int t, int threads)
{
    const cairn_guard *g    = x->guard;
    first_look         look = {0, 0};

    if (y) {
        const cairn_guard_vector v = stretch_of(g, y, begin_of(rows, LEAF, t, threads),
                                                begin_of(rows, LEAF, t + 1, threads));

        look.difference = cairn_guard_add_up(&v);
    }
    take_columns(g, &g->all[CAIRN_GUARD_OWN], x->own, t, threads, &look);
    take_columns(g, &g->all[CAIRN_GUARD_GHOSTS], x->ghost, t, threads, &look);
    return look;
}

/// Sums of columns that a first look reads.
static int64_t listed_of(const cairn_guard *g)
{
    int64_t listed = 0;

    for (int k = 0; k < CAIRN_GUARD_SIDES; k++)
        listed +=
            g->all[k].at ? g->all[k].blocks * CAIRN_GUARD_BLOCK : g->all[k].columns;
    return listed;
}

bool cairn_guard_agrees(const cairn_guard_x *x, const void *y, const long double *sum)
{
    const cairn_guard *g       = x->guard;
    const int          threads = g->comm->env->options.threads;
    const int64_t      rows    = cairn_interval_size(g->rows);
    const int64_t      read    = (sum ? 0 : rows) + listed_of(g);
    first_look         all     = {sum ? *sum : 0, 0};

    if (!cairn_guard_are_listed(g)) return false;
    if (read <= CAIRN_GUARD_PARALLEL) {
        const first_look its = look_at_share(x, sum ? NULL : y, rows, 0, 1);

        all.difference += its.difference;
        all.size += its.size;
    } else {
        /* Not a reduction: clang adds long doubles by a library that is nowhere else
           needed. */
#pragma omp parallel num_threads(threads)
        {
            const first_look its = look_at_share(
                x, sum ? NULL : y, rows, omp_get_thread_num(), omp_get_num_threads());

#pragma omp critical(cairn_guard_sum)
            {
                all.difference += its.difference;
                all.size += its.size;
            }
        }
    }
    /* A NaN is not. */
    return fabsl(all.difference) <= cairn_guard_bound(g, all.size)
           && isfinite((double)all.size);
}
