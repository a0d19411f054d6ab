// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Test problems: small ones by hand, random ones against numbers that were computed
/// from the header's definitions by another program, all of them for any cutting.

#include "io/generate/generate.h"

#include <criterion/criterion.h>

#include <string.h>

typedef struct {
    cairn_coord i, j;
    double      value;
} triple;

static cairn_env env;

static void up(void)
{
    cairn_env_init(&env);
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(generate, .init = up, .fini = down);

static cairn_generator start(const char *kind)
{
    cairn_generator problem;

    cr_assert_eq(cairn_generator_init(&env, kind, &problem), CAIRN_OK, "%s",
                 env.message);
    return problem;
}

static cairn_generator grid(const char *kind, int64_t nx, int64_t ny, int64_t nz)
{
    cairn_generator problem = start(kind);

    problem.nx = nx, problem.ny = ny, problem.nz = nz;
    return problem;
}

static cairn_generator square(const char *kind, int64_t n, int64_t degree)
{
    cairn_generator problem = start(kind);

    problem.n = n, problem.degree = degree;
    return problem;
}

static cairn_generator rmat(int64_t scale, int64_t edges)
{
    cairn_generator problem = start("rmat");

    problem.scale = scale, problem.edges = edges;
    return problem;
}

static cairn_generator pruned(int64_t rows, int64_t cols, double density)
{
    cairn_generator problem = start("pruned");

    problem.rows = rows, problem.cols = cols, problem.density = density;
    return problem;
}

static cairn_generator banded(int64_t n, int count, const int64_t *offsets)
{
    cairn_generator problem = start("banded");

    problem.n = n;
    cr_assert_eq(cairn_generator_set_offsets(&env, offsets, count, &problem), CAIRN_OK,
                 "%s", env.message);
    return problem;
}

static void make(const cairn_generator *problem,
                 cairn_coord            first,
                 cairn_coord            last,
                 cairn_entries         *entries)
{
    cairn_entries_init(entries, 2);
    cr_assert_eq(cairn_generator_run(&env, problem, first, last, entries), CAIRN_OK,
                 "%s", env.message);
}

static void make_all(const cairn_generator *problem, cairn_entries *entries)
{
    cairn_shape shape;

    cr_assert_eq(cairn_generator_shape(&env, problem, &shape), CAIRN_OK, "%s",
                 env.message);
    make(problem, 0, shape.extent[0], entries);
}

static void
expect_entries(const cairn_generator *problem, const triple *expected, cairn_pos n)
{
    cairn_entries entries;

    make_all(problem, &entries);
    cr_assert_eq(entries.n, n, "%ld entries", (long)entries.n);
    for (cairn_pos p = 0; p < n; p++) {
        cr_expect_eq(entries.coord[0][p], expected[p].i, "entry %ld", (long)p);
        cr_expect_eq(entries.coord[1][p], expected[p].j, "entry %ld", (long)p);
        cr_expect_eq(entries.value[p], expected[p].value, "entry %ld: %.17g", (long)p,
                     entries.value[p]);
    }
    cairn_entries_fini(&env, &entries);
}

#define EXPECT_ENTRIES(problem, expected) \
    expect_entries(&(problem), expected, sizeof(expected) / sizeof(expected)[0])

Test(generate, random_numbers_are_those_of_splitmix64)
{
    cr_expect_eq(cairn_random(1234567, 0), UINT64_C(6457827717110365317));
    cr_expect_eq(cairn_random(1234567, 1), UINT64_C(3203168211198807973));
    cr_expect_eq(cairn_random(1234567, 2), UINT64_C(9817491932198370423));
}

Test(generate, stencil5_of_a_small_grid)
{
    /* 0 1
       2 3
       4 5 */
    static const triple expected[] = {
        {0, 0, 4 },
        {0, 1, -1},
        {0, 2, -1},
        {1, 0, -1},
        {1, 1, 4 },
        {1, 3, -1},
        {2, 0, -1},
        {2, 2, 4 },
        {2, 3, -1},
        {2, 4, -1},
        {3, 1, -1},
        {3, 2, -1},
        {3, 3, 4 },
        {3, 5, -1},
        {4, 2, -1},
        {4, 4, 4 },
        {4, 5, -1},
        {5, 3, -1},
        {5, 4, -1},
        {5, 5, 4 },
    };
    const cairn_generator problem = grid("stencil5", 2, 3, CAIRN_NOT_GIVEN);

    EXPECT_ENTRIES(problem, expected);
}

Test(generate, tridiag_of_three)
{
    static const triple expected[] = {
        {0, 0, 2 },
        {0, 1, -1},
        {1, 0, -1},
        {1, 1, 2 },
        {1, 2, -1},
        {2, 1, -1},
        {2, 2, 2 }
    };
    const cairn_generator problem = square("tridiag", 3, CAIRN_NOT_GIVEN);

    EXPECT_ENTRIES(problem, expected);
}

Test(generate, banded_sorts_its_offsets_and_clips_them)
{
    static const triple expected[] = {
        {0, 0, 2 },
        {0, 2, -1},
        {1, 0, -1},
        {1, 1, 2 },
        {2, 1, -1},
        {2, 2, 2 }
    };
    const cairn_generator problem = banded(3, 3, (const int64_t[]){2, -1, 0});

    EXPECT_ENTRIES(problem, expected);
}

Test(generate, banded_with_the_diagonal_alone_is_the_identity)
{
    static const triple expected[] = {
        {0, 0, 1},
        {1, 1, 1}
    };
    const cairn_generator problem = banded(2, 1, (const int64_t[]){0});

    EXPECT_ENTRIES(problem, expected);
}

Test(generate, uniform_as_computed_elsewhere)
{
    static const triple expected[] = {
        {0, 3, 985 / 1024. },
        {0, 4, -911 / 1024.},
        {1, 1, -859 / 1024.},
        {1, 3, -808 / 1024.},
        {2, 0, 431 / 1024. },
        {2, 2, 497 / 1024. },
        {3, 0, -739 / 1024.},
        {3, 3, 401 / 1024. },
        {4, 0, 674 / 1024. },
        {4, 2, 75 / 1024.  }
    };
    const cairn_generator problem = square("uniform", 5, 2);

    EXPECT_ENTRIES(problem, expected);
}

Test(generate, pruned_as_computed_elsewhere)
{
    static const triple expected[] = {
        {0, 1, -403 / 1024.},
        {0, 3, 985 / 1024. },
        {0, 4, -911 / 1024.},
        {0, 6, -753 / 1024.},
        {1, 1, -859 / 1024.},
        {1, 3, -808 / 1024.},
        {1, 5, 204 / 1024. },
        {1, 6, 913 / 1024. }
    };
    const cairn_generator problem = pruned(2, 7, 0.5);

    EXPECT_ENTRIES(problem, expected);
}

Test(generate, mixed_as_computed_elsewhere)
{
    static const triple expected[] = {
        {0, 0, 2            },
        {0, 1, -1           },
        {0, 3, 0.9619140625 },
        {0, 4, -0.8896484375},
        {1, 0, -1           },
        {1, 1, 2            },
        {1, 2, -1           },
        {1, 3, -0.7890625   },
        {2, 0, 0.4208984375 },
        {2, 1, -1           },
        {2, 2, 2            },
        {2, 3, -1           },
        {3, 0, -0.7216796875},
        {3, 2, -1           },
        {3, 3, 2            },
        {3, 4, -1           },
        {4, 0, 0.658203125  },
        {4, 2, 0.0732421875 },
        {4, 3, -1           },
        {4, 4, 2            },
    };
    const cairn_generator problem = square("mixed", 5, 2);

    EXPECT_ENTRIES(problem, expected);
}

Test(generate, rmat_as_computed_elsewhere_with_repeats_once)
{
    static const triple expected[] = {
        {0, 0, 709 / 1024. },
        {0, 2, 581 / 1024. },
        {1, 0, -298 / 1024.},
        {1, 1, -859 / 1024.},
        {2, 0, 431 / 1024. },
        {2, 2, 497 / 1024. }
    };
    const cairn_generator problem = rmat(2, 8);

    EXPECT_ENTRIES(problem, expected);
}

Test(generate, fem3_as_computed_elsewhere)
{
    static const triple expected[] = {
        {0, 0, 309 / 128. },
        {0, 1, -67 / 128. },
        {0, 2, -114 / 128.},
        {1, 0, -67 / 128. },
        {1, 1, 204 / 128. },
        {1, 2, -9 / 128.  },
        {2, 0, -114 / 128.},
        {2, 1, -9 / 128.  },
        {2, 2, 251 / 128. }
    };
    const cairn_generator problem = square("fem3", 9, 2);
    cairn_entries         entries;

    make_all(&problem, &entries);
    cr_assert_eq(entries.n, 27);
    for (cairn_pos p = 0; p < 9; p++) {
        cr_expect_eq(entries.coord[0][p], expected[p].i);
        cr_expect_eq(entries.coord[1][p], expected[p].j);
        cr_expect_eq(entries.value[p], expected[p].value);
    }
    cairn_entries_fini(&env, &entries);
}

Test(generate, counts_of_larger_problems)
{
    const struct {
        cairn_generator problem;
        cairn_pos       nnz;
    } rows[] = {
        {grid("stencil5",          10,                   7,                                         CAIRN_NOT_GIVEN), 5 * 70 - 2 * 10 - 2 * 7},
        {grid("stencil7", 4,                     3,                                                2), 7 * 24 - 2 * (4 * 3 + 4 * 2 + 3 * 2)},
        {grid("stencil27",                       3,                     4,5), 7 * 10 * 13},
        {grid("stencil27",         1,      1,                          1), 1},
        {grid("stencil5",             1,                                 1,                                                           CAIRN_NOT_GIVEN), 1},
        {square("tridiag",                       1,                                    CAIRN_NOT_GIVEN),                                                   1},
        {banded(100,          4,                 (const int64_t[]){-99, 0, 1, 99}),                         1 + 100 + 99 + 1},
        {square("uniform",                       50,                                           50),                                                                     2500},
        {square("uniform",        50,0),0},
        {square("mixed",              50,0),148},
        {square("mixed",         20,     20), 400},
        {pruned(3,                        1000,                             0.1),                                                             300},
        {pruned(3,                       1000,                                           1),                                                                                         3000},
        {pruned(3,                      1000,                                                       0),                                                                                                               0},
        {square("fem3",              90,                           6),                                                                 1044},
        {rmat(5,                 0),          0                  },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        cairn_entries entries;

        make_all(&rows[k].problem, &entries);
        cr_expect_eq(entries.n, rows[k].nnz, "row %zu: %ld", k, (long)entries.n);
        cairn_entries_fini(&env, &entries);
    }
}

/// Every kind once, large enough to be cut in three.
static int all_kinds(cairn_generator problem[10])
{
    int n = 0;

    problem[n++] = grid("stencil5", 5, 4, CAIRN_NOT_GIVEN);
    problem[n++] = grid("stencil7", 3, 4, 2);
    problem[n++] = grid("stencil27", 3, 4, 2);
    problem[n++] = banded(20, 4, (const int64_t[]){-3, -1, 0, 7});
    problem[n++] = square("fem3", 60, 4);
    problem[n++] = rmat(5, 200);
    problem[n++] = square("uniform", 40, 7);
    problem[n++] = square("tridiag", 20, CAIRN_NOT_GIVEN);
    problem[n++] = pruned(20, 33, 0.3);
    problem[n++] = square("mixed", 40, 7);
    return n;
}

static void
expect_piece(const cairn_entries *whole, cairn_pos at, const cairn_entries *piece)
{
    cr_assert_leq(at + piece->n, whole->n);
    for (cairn_pos p = 0; p < piece->n; p++) {
        cr_expect_eq(piece->coord[0][p], whole->coord[0][at + p]);
        cr_expect_eq(piece->coord[1][p], whole->coord[1][at + p]);
        cr_expect_eq(piece->value[p], whole->value[at + p]);
    }
}

Test(generate, any_cutting_gives_the_same_sorted_entries)
{
    cairn_generator problem[10];
    const int       kinds = all_kinds(problem);

    for (int k = 0; k < kinds; k++) {
        cairn_shape       shape;
        cairn_entries     whole;
        cairn_pos         at     = 0;
        const cairn_coord cut[6] = {0, 1, 1, 8, 17, 0};

        cr_assert_eq(cairn_generator_shape(&env, &problem[k], &shape), CAIRN_OK);
        make(&problem[k], 0, shape.extent[0], &whole);
        for (int c = 0; c < 5; c++) {
            cairn_entries piece;

            make(&problem[k], cut[c], c < 4 ? cut[c + 1] : shape.extent[0], &piece);
            expect_piece(&whole, at, &piece);
            at += piece.n;
            cairn_entries_fini(&env, &piece);
        }
        cr_expect_eq(at, whole.n, "kind %d", k);
        for (cairn_pos p = 1; p < whole.n; p++)
            cr_expect(whole.coord[0][p - 1] < whole.coord[0][p]
                          || (whole.coord[0][p - 1] == whole.coord[0][p]
                              && whole.coord[1][p - 1] < whole.coord[1][p]),
                      "kind %d, entry %ld", k, (long)p);
        cairn_entries_fini(&env, &whole);
    }
}

Test(generate, another_seed_gives_other_entries)
{
    cairn_generator one = square("uniform", 100, 5), two = one;
    cairn_entries   a, b;

    two.seed = 2;
    make_all(&one, &a);
    make_all(&two, &b);

    cr_expect_neq(memcmp(a.coord[1], b.coord[1], (size_t)a.n * 8), 0);
    cairn_entries_fini(&env, &a);
    cairn_entries_fini(&env, &b);
}

Test(generate, fem3_is_symmetric_and_diagonally_dominant)
{
    const cairn_generator problem = square("fem3", 60, 5);
    static double         dense[60][60];
    cairn_entries         entries;

    make_all(&problem, &entries);
    for (cairn_pos p = 0; p < entries.n; p++)
        dense[entries.coord[0][p]][entries.coord[1][p]] = entries.value[p];

    for (int i = 0; i < 60; i++) {
        double others = 0;

        for (int j = 0; j < 60; j++) {
            cr_expect_eq(dense[i][j], dense[j][i]);
            if (j != i) others += dense[i][j] < 0 ? -dense[i][j] : dense[i][j];
        }
        cr_expect_eq(dense[i][i], 1 + others);
    }
    cairn_entries_fini(&env, &entries);
}

Test(generate, rows_of_an_immense_problem_need_only_their_own_memory)
{
    const cairn_generator problem = grid("stencil7", 1 << 20, 1 << 20, 1 << 19);
    const cairn_coord     middle  = (cairn_coord)1 << 58;
    cairn_entries         entries;

    make(&problem, middle, middle + 10, &entries);

    cr_expect_gt(entries.n, 50);
    cr_expect_lt(env.peak_bytes, 10000);
    cairn_entries_fini(&env, &entries);
}

static void
expect_refused(const cairn_generator *problem, cairn_status status, const char *message)
{
    cairn_shape shape = {.order = 7};

    cr_expect_eq(cairn_generator_shape(&env, problem, &shape), status, "%s", message);
    cr_expect_eq(shape.order, 7);
    cr_expect(strstr(env.message, message), "'%s' is not in '%s'", message,
              env.message);
}

Test(generate, wrong_parameters_are_refused)
{
    const struct {
        cairn_generator problem;
        const char     *message;
    } rows[] = {
        {start("stencil5"),     "stencil5: needs a --nx" },
        {                       grid("stencil5",                              3,                                           0, 1), "needs a --ny of 1"},
        {    grid("stencil7",                                                3,                         3, CAIRN_NOT_GIVEN), "needs a --nz"},
        {       grid("stencil7",         1 << 21,                   1 << 21, 1 << 21), "more than"},
        {         grid("stencil7",                                           1 << 30,                                1 << 30, 1 << 30), "more than"},
        {                  square("tridiag",  -5,                                   0), "needs a --n"},
        {                        square("uniform",                                                                 5,                                 6), "--degree of 0 to 5"},
        {                square("uniform",5,                          CAIRN_NOT_GIVEN), "--degree"},
        {                 square("fem3",                                                                  10,                                    2), "multiple of 3"},
        {                             square("fem3",      9,                               0), "--degree of 1"},
        {            rmat(41,                                                  1),                               "--scale of 1 to 40"},
        {                                   rmat(0,                            1),                                         "--scale"},
        {      rmat(4,-2),                       "--edges"},
        {        pruned(2,                                                                          2,                      1.5), "--density of 0 to 1"},
        {  pruned(2,2,        __builtin_nan("")), "--density"},
        {            banded(5,                                                                                    2,  (const int64_t[]){0, 5}),
         "offset 5 is outside a matrix of 5 rows"},
        {                                 banded(5,                                                                             2, (const int64_t[]){0, -5}), "offset -5 is outside"},
        { square("banded",5,          CAIRN_NOT_GIVEN), "--offsets"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        expect_refused(&rows[k].problem, CAIRN_BAD_OPTION, rows[k].message);
}

Test(generate, unknown_kinds_are_refused)
{
    cairn_generator problem;

    cr_expect_eq(cairn_generator_init(&env, "stencil6", &problem), CAIRN_BAD_OPTION);
    cr_expect(strstr(env.message, "did you mean stencil5?"), "%s", env.message);
}

Test(generate, wrong_offsets_are_refused_and_change_nothing)
{
    static const int64_t many[CAIRN_MAX_OFFSETS + 1];
    const struct {
        const int64_t *offset;
        int            count;
        const char    *message;
    } rows[] = {
        {(const int64_t[]){1, 0, 1},      3,                     "offset 1 stands there twice"},
        {(const int64_t[]){0, INT64_MIN}, 2,                     "beyond 2^60"                },
        {many,                            0,                     "needs 1 to"                 },
        {many,                            CAIRN_MAX_OFFSETS + 1, "needs 1 to"                 },
    };
    cairn_generator problem = start("banded");

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        cr_expect_eq(
            cairn_generator_set_offsets(&env, rows[k].offset, rows[k].count, &problem),
            CAIRN_BAD_OPTION);
        cr_expect(strstr(env.message, rows[k].message), "%s", env.message);
        cr_expect_eq(problem.offsets, CAIRN_NOT_GIVEN);
    }
}

Test(generate, what_exceeds_the_limit_is_refused_before_it_is_allocated)
{
    const cairn_generator problems[] = {
        grid("stencil7", 1000, 1000, 1000),
        square("uniform", (int64_t)1 << 50, (int64_t)1 << 50),
        square("fem3", (int64_t)3 << 50, 8),
        pruned((int64_t)1 << 60, (int64_t)1 << 60, 1),
        rmat(30, (int64_t)1 << 39),
    };

    env.memory_limit = 1 << 20;
    for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++) {
        cairn_entries entries;
        cairn_shape   shape;

        cairn_entries_init(&entries, 2);
        cr_assert_eq(cairn_generator_shape(&env, &problems[k], &shape), CAIRN_OK);
        cr_expect_eq(
            cairn_generator_run(&env, &problems[k], 0, shape.extent[0], &entries),
            CAIRN_NO_MEMORY);
        cr_expect(strstr(env.message, "generate: needs"), "%s", env.message);
        cr_expect_eq(entries.n, 0);
        cr_expect_eq(env.peak_bytes, 0, "%zu", k);
        cairn_entries_fini(&env, &entries);
    }
}

Test(generate, every_failed_allocation_is_reported_and_leaves_nothing)
{
    const cairn_generator problems[] = {square("uniform", 20, 3), rmat(4, 50),
                                        square("fem3", 30, 3)};

    for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++)
        for (int n = 0;; n++) {
            cairn_entries entries;
            cairn_shape   shape;

            cairn_entries_init(&entries, 2);
            cr_assert_eq(cairn_generator_shape(&env, &problems[k], &shape), CAIRN_OK);
            env.allowed = n;
            const cairn_status status =
                cairn_generator_run(&env, &problems[k], 0, shape.extent[0], &entries);

            env.allowed = -1;
            cr_expect(status == CAIRN_OK || entries.n == 0);
            cairn_entries_fini(&env, &entries);
            cr_assert_eq(env.live_blocks, 0);
            cr_assert_lt(n, 100);
            if (status == CAIRN_OK) break;
            cr_assert_eq(status, CAIRN_NO_MEMORY);
        }
}

Test(generate, kinds_are_listed_with_their_parameters)
{
    int                        count;
    const cairn_generator_row *rows = cairn_generator_rows(&count);

    cr_assert_eq(count, 10);
    cr_expect_str_eq(rows[CAIRN_GENERATOR_pruned].name, "pruned");
    cr_expect_str_eq(rows[CAIRN_GENERATOR_pruned].parameters, "rows cols density");
    for (int k = 0; k < count; k++)
        cr_expect_gt(strlen(rows[k].summary), 0);
}
