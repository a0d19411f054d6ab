// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A method to keep checkpoints of, whose every bit after any number of iterations is known:
/// each row of each vector is a state of SplitMix64, which an iteration takes one step on.
/// Ranks have unlike numbers of rows, or none.

#ifndef CAIRN_TESTS_SUPPORT_CHECKPOINT_STATE_H
#define CAIRN_TESTS_SUPPORT_CHECKPOINT_STATE_H

#include "checkpoint/checkpoint.h"
#include "support/random_format.h"

#include <stdlib.h>

enum { METHOD_WIDE = 2 }; ///< Vectors of f64; there is one of f32, too.

typedef struct {
    uint64_t        *wide[METHOD_WIDE]; ///< [rows] The bits of an f64.
    uint32_t        *narrow;            ///< [rows] Of an f32.
    cairn_checkpoint state;
} method;

/// The first row of a rank; of rank @p size, the number of all.
static inline int64_t method_bound(int64_t n, int rank, int size)
{
    return n * rank * rank / ((int64_t)size * size);
}

/// What row @p row of vector @p vector has before the first iteration.
static inline uint64_t method_begin(int64_t row, int vector)
{
    return (uint64_t)row * 3 + (uint64_t)vector;
}

/// And after so many.
static inline uint64_t method_at(int64_t row, int vector, int64_t iterations)
{
    return method_begin(row, vector)
           + (uint64_t)iterations * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t method_bits(uint64_t state)
{
    return random_next(&state);
}

/// The method before its first iteration. free() by method_down().
static inline method method_up(int64_t n, int rank, int size)
{
    method        m    = {0};
    const int64_t rows = method_bound(n, rank + 1, size) - method_bound(n, rank, size);

    m.state = (cairn_checkpoint){
        .method      = "test:3",
        .format      = "csr",
        .plan        = "plan\nof two lines",
        .dtype       = CAIRN_F64,
        .n           = n,
        .first_row   = method_bound(n, rank, size),
        .end_row     = method_bound(n, rank + 1, size),
        .fingerprint = {UINT64_C(0xfedcba9876543210), 7},
    };
    for (int v = 0; v < METHOD_WIDE; v++)
        m.wide[v] = malloc((size_t)rows * 8 + 1);
    m.narrow = malloc((size_t)rows * 4 + 1);
    cairn_checkpoint_add_vector(&m.state, "r", CAIRN_F64, m.wide[0]);
    cairn_checkpoint_add_vector(&m.state, "half", CAIRN_F32, m.narrow);
    cairn_checkpoint_add_vector(&m.state, "p", CAIRN_F64, m.wide[1]);
    return m;
}

static inline void method_down(method *m)
{
    for (int v = 0; v < METHOD_WIDE; v++)
        free(m->wide[v]);
    free(m->narrow);
}

/// Put it where it is after so many iterations.
static inline void method_iterate(method *m, int64_t iterations)
{
    const cairn_checkpoint *s = &m->state;

    for (int64_t i = s->first_row; i < s->end_row; i++) {
        for (int v = 0; v < METHOD_WIDE; v++)
            m->wide[v][i - s->first_row] = method_bits(method_at(i, v, iterations));
        m->narrow[i - s->first_row] =
            (uint32_t)method_bits(method_at(i, 2, iterations));
    }
    m->state.iteration = iterations;
    m->state.scalars   = 0;
    cairn_checkpoint_add_scalar(&m->state, "rho", method_bits((uint64_t)iterations));
    cairn_checkpoint_add_scalar(&m->state, "steps", (uint64_t)iterations);
}

/// Is a state that was read the method's after its number of iterations, bit for bit?
static inline bool method_is(const cairn_checkpoint *s)
{
    const int rho = cairn_checkpoint_find_scalar(s, "rho");
    const int r   = cairn_checkpoint_find_vector(s, "r");
    const int p   = cairn_checkpoint_find_vector(s, "p");
    const int h   = cairn_checkpoint_find_vector(s, "half");

    if (rho < 0 || r < 0 || p < 0 || h < 0 || s->vectors != 3 || s->scalars != 2)
        return false;
    if (s->scalar[rho].bits != method_bits((uint64_t)s->iteration)) return false;
    if (strcmp(s->method, "test:3") != 0 || strcmp(s->format, "csr") != 0
        || strcmp(s->plan, "plan\nof two lines") != 0)
        return false;
    for (int64_t i = s->first_row; i < s->end_row; i++) {
        const uint64_t *a = s->vector[r].value, *b = s->vector[p].value;
        const uint32_t *c = s->vector[h].value;
        const int64_t   k = i - s->first_row;

        if (a[k] != method_bits(method_at(i, 0, s->iteration))
            || b[k] != method_bits(method_at(i, 1, s->iteration))
            || c[k] != (uint32_t)method_bits(method_at(i, 2, s->iteration)))
            return false;
    }
    return true;
}

#endif
