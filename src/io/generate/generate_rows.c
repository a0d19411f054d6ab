// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The rows of the test problems, kind by kind; generate.h defines every number.

#include "io/generate/generate_rows.h"

#include <stdlib.h>
#include <string.h>

double cairn_maker_value(const cairn_maker *maker, cairn_coord i, cairn_coord j)
{
    const uint64_t random =
        cairn_random(cairn_random(maker->value, (uint64_t)i), (uint64_t)j);
    const int number = (int)(random % 2046);

    return (number < 1023 ? number - 1023 : number - 1022) / 1024.0;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/// The points around row i's, at most @p reach steps along the axes away. A grid of
/// two dimensions is one layer of one of three.
static void
make_grid_row(cairn_maker *maker, cairn_coord i, int64_t nz, int reach, double middle)
{
    const int64_t nx = maker->problem->nx, ny = maker->problem->ny;
    const int64_t x = i % nx, y = i / nx % ny, z = i / nx / ny;

    for (int k = 0; k < 27; k++) {
        const int  dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
        const bool within = x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny
                            && z + dz >= 0 && z + dz < nz;

        if (within && abs(dx) + abs(dy) + abs(dz) <= reach)
            cairn_maker_add(maker, i, i + dx + nx * (dy + ny * dz),
                            k == 13 ? middle : -1);
    }
}

static void make_stencil5(cairn_maker *maker, cairn_coord i)
{
    make_grid_row(maker, i, 1, 1, 4);
}

static void make_stencil7(cairn_maker *maker, cairn_coord i)
{
    make_grid_row(maker, i, maker->problem->nz, 1, 6);
}

static void make_stencil27(cairn_maker *maker, cairn_coord i)
{
    make_grid_row(maker, i, maker->problem->nz, 3, 26);
}

/// Neighbours along one axis at most.
static int64_t beside(int64_t extent)
{
    return smaller(extent - 1, 2);
}

static int64_t most_stencil5(const cairn_generator *problem)
{
    return 1 + beside(problem->nx) + beside(problem->ny);
}

static int64_t most_stencil7(const cairn_generator *problem)
{
    return most_stencil5(problem) + beside(problem->nz);
}

static int64_t most_stencil27(const cairn_generator *problem)
{
    return (1 + beside(problem->nx)) * (1 + beside(problem->ny))
           * (1 + beside(problem->nz));
}

static void make_tridiag(cairn_maker *maker, cairn_coord i)
{
    if (i > 0) cairn_maker_add(maker, i, i - 1, -1);
    cairn_maker_add(maker, i, i, 2);
    if (i + 1 < maker->problem->n) cairn_maker_add(maker, i, i + 1, -1);
}

static int64_t most_tridiag(const cairn_generator *problem)
{
    return 1 + beside(problem->n);
}

static void make_banded(cairn_maker *maker, cairn_coord i)
{
    const cairn_generator *problem = maker->problem;
    int                    others  = problem->offsets;

    for (int k = 0; k < problem->offsets; k++)
        others -= problem->offset[k] == 0;
    for (int k = 0; k < problem->offsets; k++) {
        const cairn_coord j = i + problem->offset[k];

        if (j >= 0 && j < problem->n)
            cairn_maker_add(maker, i, j, j != i ? -1 : others > 0 ? others : 1);
    }
}

static int64_t most_banded(const cairn_generator *problem)
{
    return smaller(problem->offsets, problem->n);
}

/// Put a column into the hash table; false when it was there.
static bool take_column(cairn_maker *maker, int64_t j)
{
    const int64_t mask = maker->slots - 1;
    int64_t       at   = (int64_t)(cairn_random(0, (uint64_t)j) & (uint64_t)mask);

    while (maker->slot[at] != 0) {
        if (maker->slot[at] == j + 1) return false;
        at = (at + 1) & mask;
    }
    maker->slot[at] = j + 1;
    return true;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/// Floyd: after step t every set of t+1 columns below j+1 is alike likely.
static void pick_columns(cairn_maker *maker, cairn_coord i, int64_t n, int64_t picked)
{
    const uint64_t key = cairn_random(maker->pattern, (uint64_t)i);

    memset(maker->slot, 0, (size_t)maker->slots * sizeof *maker->slot);
    for (int64_t t = 0; t < picked; t++) {
        const int64_t j = n - picked + t;
        const int64_t c = (int64_t)(cairn_random(key, (uint64_t)t) % (uint64_t)(j + 1));
        const bool    fresh = take_column(maker, c);

        if (!fresh) take_column(maker, j);
        maker->column[t] = fresh ? c : j;
    }
    qsort(maker->column, (size_t)picked, sizeof *maker->column, compare);
}

static void
make_picked_row(cairn_maker *maker, cairn_coord i, int64_t n, int64_t picked)
{
    pick_columns(maker, i, n, picked);
    for (int64_t t = 0; t < picked; t++)
        cairn_maker_add(maker, i, maker->column[t],
                        cairn_maker_value(maker, i, maker->column[t]));
}

static int64_t degree(const cairn_generator *problem)
{
    return problem->degree;
}

static void make_uniform(cairn_maker *maker, cairn_coord i)
{
    make_picked_row(maker, i, maker->problem->n, maker->problem->degree);
}

static int64_t kept(const cairn_generator *problem)
{
    const int64_t count = (int64_t)((double)problem->cols * problem->density + 0.5);

    return smaller(count, problem->cols);
}

static void make_pruned(cairn_maker *maker, cairn_coord i)
{
    make_picked_row(maker, i, maker->problem->cols, kept(maker->problem));
}

/// The tridiagonal part stands between the random columns before and behind it.
static void make_mixed(cairn_maker *maker, cairn_coord i)
{
    const int64_t picked = maker->problem->degree;
    int64_t       t      = 0;

    pick_columns(maker, i, maker->problem->n, picked);
    for (; t < picked && maker->column[t] < i - 1; t++)
        cairn_maker_add(maker, i, maker->column[t],
                        cairn_maker_value(maker, i, maker->column[t]));
    make_tridiag(maker, i);
    while (t < picked && maker->column[t] <= i + 1)
        t++;
    for (; t < picked; t++)
        cairn_maker_add(maker, i, maker->column[t],
                        cairn_maker_value(maker, i, maker->column[t]));
}

static int64_t most_mixed(const cairn_generator *problem)
{
    return smaller(problem->n, most_tridiag(problem) + problem->degree);
}

static bool joined(const cairn_maker *maker, int64_t p, int64_t q)
{
    const uint64_t low = (uint64_t)smaller(p, q), high = (uint64_t)(p > q ? p : q);
    const uint64_t blocks = (uint64_t)maker->problem->degree;

    return p == q
           || cairn_random(cairn_random(maker->pattern, low), high) % (8 * blocks)
                  < blocks - 1;
}

/// Entry (i,j), off the diagonal, of a matrix that is symmetric.
static double fem3_value(const cairn_maker *maker, cairn_coord i, cairn_coord j)
{
    const uint64_t low = (uint64_t)smaller(i, j), high = (uint64_t)(i > j ? i : j);

    return -(double)(1 + cairn_random(cairn_random(maker->value, low), high) % 128)
           / 128;
}

static void make_fem3(cairn_maker *maker, cairn_coord i)
{
    const int64_t p = i / 3, nodes = maker->problem->n / 3,
                  reach    = 4 * maker->problem->degree;
    const int64_t end      = smaller(nodes, p + reach + 1);
    cairn_pos     diagonal = 0;
    double        sum      = 1;

    for (int64_t q = p > reach ? p - reach : 0; q < end; q++) {
        if (!joined(maker, p, q)) continue;
        for (cairn_coord j = 3 * q; j < 3 * q + 3; j++) {
            const double value = i == j ? 0 : fem3_value(maker, i, j);

            if (i == j) diagonal = maker->count;
            cairn_maker_add(maker, i, j, value);
            sum -= value; /* values are below 0 */
        }
    }
    if (maker->entries) maker->entries->value[diagonal] = sum;
}

void cairn_maker_edges(cairn_maker *maker, cairn_coord first, cairn_coord last)
{
    for (int64_t e = 0; e < maker->problem->edges; e++) {
        const uint64_t key = cairn_random(maker->pattern, (uint64_t)e);
        cairn_coord    i = 0, j = 0;

        for (int64_t level = 0; level < maker->problem->scale; level++) {
            const int percent = (int)(cairn_random(key, (uint64_t)level) % 100);

            i = 2 * i + (percent >= 76);
            j = 2 * j + ((percent >= 57 && percent < 76) || percent >= 95);
        }
        if (i >= first && i < last) cairn_maker_add(maker, i, j, 0);
    }
}

const cairn_row_kind *cairn_row_kind_of(cairn_generator_kind kind)
{
    static const cairn_row_kind kinds[] = {
        [CAIRN_GENERATOR_stencil5]  = {make_stencil5,  most_stencil5,  NULL  },
        [CAIRN_GENERATOR_stencil7]  = {make_stencil7,  most_stencil7,  NULL  },
        [CAIRN_GENERATOR_stencil27] = {make_stencil27, most_stencil27, NULL  },
        [CAIRN_GENERATOR_banded]    = {make_banded,    most_banded,    NULL  },
        [CAIRN_GENERATOR_fem3]      = {make_fem3,      NULL,           NULL  },
        [CAIRN_GENERATOR_rmat]      = {NULL,           NULL,           NULL  },
        [CAIRN_GENERATOR_uniform]   = {make_uniform,   degree,         degree},
        [CAIRN_GENERATOR_tridiag]   = {make_tridiag,   most_tridiag,   NULL  },
        [CAIRN_GENERATOR_pruned]    = {make_pruned,    kept,           kept  },
        [CAIRN_GENERATOR_mixed]     = {make_mixed,     most_mixed,     degree},
    };

    return &kinds[kind];
}
