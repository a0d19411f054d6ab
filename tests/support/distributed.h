// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tests of how rows go to ranks: formats with a distribution behind them, and a matrix that
/// all ranks know, with where its rows are.

#ifndef CAIRN_TESTS_DISTRIBUTED_H
#define CAIRN_TESTS_DISTRIBUTED_H

#include "api/api.h"
#include "conversion.h"
#include "every_format.h"
#include "first_ranks.h"
#include "seed.h"
#include "tensor/walk.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <math.h>

enum { TEXT = RANDOM_FORMAT + 80 };

/// "FORMAT @ WHAT", or FORMAT where @p what is "".
static inline cairn_status make_format(cairn_context *context,
                                       const char    *name,
                                       const char    *what,
                                       cairn_format **format)
{
    char text[TEXT];

    by_name(name, text, RANDOM_FORMAT);
    if (what[0]) {
        strcat(text, " @ ");
        strcat(text, what);
    }
    return cairn_format_create(context, text, format);
}

static inline cairn_status store_as(cairn_source  *source,
                                    const char    *name,
                                    const char    *what,
                                    cairn_dtype    dtype,
                                    cairn_tensor **tensor)
{
    cairn_format *format = NULL;
    cairn_status  status = make_format(source->context, name, what, &format);

    if (status == CAIRN_OK) status = cairn_tensor_create(source, format, dtype, tensor);
    cairn_format_destroy(&format);
    return status;
}

static inline cairn_status
store(cairn_source *source, const char *name, const char *what, cairn_tensor **tensor)
{
    return store_as(source, name, what, CAIRN_F64, tensor);
}

static inline cairn_status convert(const cairn_tensor *from,
                                   const char         *name,
                                   const char         *what,
                                   cairn_tensor      **tensor)
{
    cairn_format *format = NULL;
    cairn_status  status = make_format(from->context, name, what, &format);

    if (status == CAIRN_OK) status = cairn_tensor_convert(from, format, tensor);
    cairn_format_destroy(&format);
    return status;
}

static inline bool same_rows(const cairn_tensor *a, const cairn_tensor *b)
{
    return memcmp(a->rows.first, b->rows.first,
                  (size_t)(a->rows.size + 1) * sizeof *a->rows.first)
           == 0;
}

/* ---- rows that are not consecutive ---- */

enum { SIDE = 53 };

/// Distributions of these, and the rank of a row.
static const char *const scatters[] = {"(d0%ranks)", "(ranks-1-d0*ranks/53)",
                                       "(d0/3*5%7%ranks)"};

enum { SCATTERS = sizeof scatters / sizeof *scatters };

static inline int64_t scattered(int word, int64_t row)
{
    return word == 0   ? row % size
           : word == 1 ? size - 1 - row * size / 53
                       : row / 3 * 5 % 7 % size;
}

/// A matrix with SIDE rows, as rank 0 gives it and as all know it.
typedef struct {
    int64_t       cols;
    double        a[SIDE][SIDE];
    cairn_source *source;
} known;

static inline void draw_known(cairn_context *context, known *m, int64_t cols)
{
    uint64_t      state    = 3;
    const int64_t extent[] = {SIDE, cols};
    int64_t       coord[SIDE * SIDE * 2], n = 0;
    double        value[SIDE * SIDE];

    memset(m, 0, sizeof *m);
    m->cols = cols;
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < cols; j++)
            if (random_chance(&state, i % 9 == 4 ? 70 : 8)) {
                m->a[i][j]       = 1 + random_below(&state, 900) / 8.0;
                coord[2 * n]     = i;
                coord[2 * n + 1] = j;
                value[n++]       = m->a[i][j];
            }
    cr_assert_eq(cairn_source_from_coords(context, 2, extent, rank == 0 ? n : 0, coord,
                                          value, CAIRN_BY_NNZ, &m->source),
                 CAIRN_OK);
}

/// Has the machine PT-Scotch?
static inline bool partitions(void)
{
    known         m;
    cairn_tensor *tensor = NULL;

    draw_known(all, &m, SIDE);
    const cairn_status status = store(m.source, "csr", "graph", &tensor);

    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&m.source);
    return on_all_ranks(status == CAIRN_OK);
}

/// Where all rows are: their own order, if they have no places.
static inline void gather_places(const cairn_tensor *tensor, int64_t *place)
{
    const int64_t  first = tensor->rows.first[rank], end = tensor->rows.first[rank + 1];
    const int64_t *own = cairn_tensor_places(tensor);

    memset(place, 0, SIDE * sizeof *place);
    for (int64_t i = first; i < end; i++)
        place[i] = own ? own[i - first] : i;
    MPI_Allreduce(MPI_IN_PLACE, place, SIDE, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

/// The places of all rows, one after the other: each once, on the rank that is asked for.
static inline bool find_places(const cairn_tensor *tensor, int word, int64_t *place)
{
    int64_t before[MOST] = {0};
    bool    good         = true;

    gather_places(tensor, place);
    for (int64_t i = 0; i < SIDE; i++) {
        const int64_t r = scattered(word, i);

        good = good && place[i] == tensor->rows.first[r] + before[r]++;
    }
    for (int r = 0; r < size; r++)
        good = good && tensor->rows.first[r] + before[r] == tensor->rows.first[r + 1];
    return good;
}

/// Are the stored entries those of the matrix in the order of places?
static inline bool
stores_places(const cairn_tensor *tensor, const known *m, const int64_t *place)
{
    double        b[SIDE][SIDE];
    cairn_entries e;
    int64_t       n = 0, want = 0;
    bool          good;

    memset(b, 0, sizeof b);
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < m->cols; j++) {
            b[place[i]][m->cols == SIDE ? place[j] : j] = m->a[i][j];
            want +=
                m->a[i][j] != 0 && cairn_rows_owner(&tensor->rows, place[i]) == rank;
        }
    cairn_entries_init(&e, 2);
    good = cairn_local_entries(tensor->local, &e) == CAIRN_OK;
    for (cairn_pos k = 0; k < e.n && good; k++) {
        good = e.value[k] == b[e.coord[0][k]][e.coord[1][k]];
        n += e.value[k] != 0;
    }
    cairn_entries_fini(tensor->local->env, &e);
    return good && n == want;
}

static inline double x_at(int64_t j, int64_t c)
{
    return (double)((j + 31 * c) % 97 + 1) / 97;
}

#endif
