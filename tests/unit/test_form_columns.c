// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Forms over columns give at every position what they give there alone: all signs, values
/// that lie near each other and far apart, divisors up to 2^40.

#include "../support/random_format.h"
#include "../support/seed.h"
#include "base/env.h"
#include "format/columns.h"

#include <criterion/criterion.h>

enum { ORDER = 2, N = 2500, DRAWS = 400 };

static int64_t column[ORDER + 1][N], made[N];

static int64_t below(uint64_t *state, uint64_t n)
{
    return (int64_t)(random_next(state) % n);
}

static int64_t draw_divisor(uint64_t *state)
{
    static const int64_t one[] = {
        2,       3,       4,          5,          7,          13,         64,       127,
        1000003, 1 << 30, 2147483647, 2147483648, 2147483649, 6700417000, 1LL << 40};

    return one[below(state, sizeof one / sizeof *one)];
}

/// Values from some least one on: coordinates, or what skews make of them.
static void draw_column(uint64_t *state, int64_t *to)
{
    static const int64_t widths[] = {1, 9, 4000, 1 << 20, 1LL << 31, 1LL << 45};
    const int64_t        width    = widths[below(state, 6)];
    const int64_t least = below(state, 2) ? 0 : below(state, 1ULL << 46) - (1LL << 45);

    for (int k = 0; k < N; k++)
        to[k] = least + below(state, (uint64_t)width);
    to[below(state, N)] = least + width; /* where a reciprocal is worst */
}

/// A form over the atoms that there are.
static cairn_form draw_form(uint64_t *state, const cairn_algebra *a)
{
    cairn_form form = {.constant = below(state, 9) - 4,
                       .terms    = 1 + (int)below(state, 2)};

    for (int t = 0; t < form.terms; t++)
        form.term[t] = (cairn_term){.atom   = (int)below(state, (uint64_t)a->atoms),
                                    .factor = below(state, 2) ? 1 : -3};
    return form;
}

static void draw_algebra(uint64_t *state, cairn_env *env, cairn_algebra *a)
{
    cairn_algebra_init(a, env, ORDER);
    a->atom[a->atoms++] = (cairn_atom){.kind = CAIRN_ATOM_QUERY};
    for (int k = 0; k < 6; k++) {
        const cairn_form inner = draw_form(state, a);

        a->atom[a->atoms++] =
            (cairn_atom){.kind    = below(state, 2) ? CAIRN_ATOM_DIV : CAIRN_ATOM_MOD,
                         .divisor = draw_divisor(state),
                         .form    = inner};
    }
}

Test(form_columns, give_what_forms_give_one_by_one)
{
    static cairn_algebra a;
    cairn_env            env;
    const uint64_t       seed   = seed_clock();
    uint64_t             state  = seed;
    const int64_t       *dims[] = {column[0], column[1]}, *queries[] = {column[2]};

    cairn_env_init(&env);
    for (int draw = 0; draw < seed_cases(DRAWS); draw++) {
        draw_algebra(&state, &env, &a);
        for (int k = 0; k <= ORDER; k++)
            draw_column(&state, column[k]);
        const cairn_form form = draw_form(&state, &a);
        const int64_t    n    = below(&state, 2) ? N : below(&state, N);

        cairn_form_columns(&a, &form, dims, queries, n, made);
        for (int64_t k = 0; k < n; k++) {
            const int64_t d[] = {column[0][k], column[1][k]}, q[] = {column[2][k]};

            cr_assert_eq(made[k], cairn_form_value(&a, &form, d, q),
                         "seed %lu, draw %d, at %ld: %ld, not %ld", (unsigned long)seed,
                         draw, (long)k, (long)made[k],
                         (long)cairn_form_value(&a, &form, d, q));
        }
    }
}
