// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random tensors: orders 1 to 4, any density, now and then without rows or entries.

#ifndef CAIRN_TESTS_SUPPORT_RANDOM_TENSOR_H
#define CAIRN_TESTS_SUPPORT_RANDOM_TENSOR_H

#include "entries/entries.h"
#include "random_format.h"

#include <criterion/criterion.h>

enum { RANDOM_POSITIONS = 200 }; ///< Most positions.

static inline int random_positions(const cairn_shape *shape)
{
    int n = 1;

    for (int k = 0; k < shape->order; k++)
        n *= (int)shape->extent[k];
    return n;
}

static inline void random_shape(uint64_t *state, cairn_shape *shape)
{
    const int order = random_chance(state, 5) ? 1 : 2 + random_below(state, 3);

    shape->order = order;
    do
        for (int k = 0; k < order; k++)
            shape->extent[k] = 1 + random_below(state, order <= 2 ? 20 : 8);
    while (random_positions(shape) > RANDOM_POSITIONS);
    if (random_chance(state, 2)) shape->extent[random_below(state, order)] = 0;
}

/// Draw a shape and entries, sorted, their values positive.
static inline void random_tensor(cairn_env     *env,
                                 uint64_t      *state,
                                 cairn_shape   *shape,
                                 cairn_entries *entries)
{
    const int density = random_below(state, 101);

    random_shape(state, shape);
    cairn_entries_init(entries, shape->order);
    for (int q = 0; q < random_positions(shape); q++) {
        cairn_coord d[4];
        int         rest = q;

        for (int k = shape->order - 1; k >= 0; k--) {
            d[k] = rest % shape->extent[k];
            rest /= (int)shape->extent[k];
        }
        if (random_chance(state, density))
            cr_assert_eq(
                cairn_entries_add(env, entries, d, 1 + random_below(state, 1000) / 8.0),
                CAIRN_OK);
    }
}

#endif
