// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Matrix Market text: the bytes are those of "%.17g", and read back the same.

#include "../support/read_cases.h"
#include "comm/write.h"
#include "io/text/io_write.h"

#include <math.h>

static void up(void)
{
    read_up();
    snprintf(path, sizeof path, "%s/a.mtx", folder);
}

TestSuite(io_write, .init = up, .fini = read_down, .timeout = 240);

static void expect_printed(double value)
{
    char         mine[32], expected[32];
    const size_t n = cairn_print_double(mine, value);

    snprintf(expected, sizeof expected, "%.17g", value);
    mine[n] = '\0';
    cr_assert_str_eq(mine, expected);
    if (isfinite(value)) {
        mine[cairn_print_fortran(mine, value)] = '\0';
        snprintf(expected, sizeof expected, "%.16E", value);
        cr_assert_str_eq(mine, expected);
    }
}

Test(io_write, doubles_are_printed_as_by_17g)
{
    static const double cases[] = {
        0.0,   -0.0,   1.0,         -1.0, 0.1,      1e14,     999999999999999.0,
        1e15,  1e16,   1e17,        1e22, 1e23,     1e-5,     5e-324,
        1e300, -1e300, 123456789.5, -7.0, INFINITY, -INFINITY};
    uint64_t state = 5;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_printed(cases[k]);
    for (int k = 0; k < 100000; k++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        expect_printed((double)(int64_t)state / (double)(1 << (state >> 60)));
        expect_printed((double)((int64_t)state >> (state >> 58)));
    }
}

/// All exponents, short fractions, ties of the 17th digit, powers.
Test(io_write, all_kinds_of_doubles_are_printed_as_by_17g)
{
    uint64_t state = 11;
    double   value;

    for (int k = 0; k < 300000; k++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;

        const uint64_t bits = state ^ state >> 29;

        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) expect_printed(value);
        expect_printed(ldexp((double)(bits >> 44), -(int)(bits % 60)));
        expect_printed(ldexp((double)(bits >> 11), (int)(bits % 140) - 70));
        expect_printed((double)(bits >> (bits & 63)) + 0.5);
        expect_printed((double)(bits % 100000) / 100);
    }
    for (int e = -1074; e < 1024; e++) {
        expect_printed(ldexp(1.0, e));
        expect_printed(nextafter(ldexp(1.0, e), 0.0));
        expect_printed(-nextafter(ldexp(1.0, e), INFINITY));
    }
    for (int e = -308; e <= 308; e++) {
        expect_printed(pow(10.0, e));
        expect_printed(nextafter(pow(10.0, e), 0.0));
        expect_printed(-nextafter(pow(10.0, e), INFINITY));
    }
}

Test(io_write, entries_are_lines_from_1)
{
    static const char expected[] = "%%MatrixMarket matrix coordinate real general\n"
                                   "3 4 3\n1 1 0.5\n1 4 0\n3 2 -2\n";
    cairn_entries     entries;
    size_t            length;

    cairn_entries_init(&entries, 2);
    cairn_entries_add(&env, &entries, (cairn_coord[]){0, 0}, 0.5);
    cairn_entries_add(&env, &entries, (cairn_coord[]){0, 3}, 0.0);
    cairn_entries_add(&env, &entries, (cairn_coord[]){2, 1}, -2.0);
    cr_assert_eq(cairn_write_entries(comm, path,
                                     &(cairn_shape){
                                         2, {3, 4}
    },
                                     &entries),
                 CAIRN_OK);

    char *text = scratch_read(path, &length);

    cr_expect_str_eq(text, expected);
    free(text);
    cairn_entries_fini(&env, &entries);
}

Test(io_write, dense_results_are_columns_whatever_their_strides)
{
    static const char   expected[] = "%%MatrixMarket matrix array real general\n"
                                     "2 3\n1\n4\n2\n5\n3\n6.5\n";
    static const double by_row[]   = {1, 2, 3, 4, 5, 6.5},
                        by_col[]   = {1, 4, 2, 5, 3, 6.5};
    const cairn_dense_rows dense[] = {
        {.rows = 2, .cols = 3, .last = 2, .value = by_row, .row = 3, .col = 1},
        {.rows = 2, .cols = 3, .last = 2, .value = by_col, .row = 1, .col = 2},
    };

    for (int k = 0; k < 2; k++) {
        size_t length;

        cr_assert_eq(cairn_write_dense(comm, path, &dense[k]), CAIRN_OK);

        char *text = scratch_read(path, &length);

        cr_expect_str_eq(text, expected);
        free(text);
    }
}

Test(io_write, nothing_at_all_is_a_header)
{
    const cairn_dense_rows none = {.rows = 5, .cols = 0, .last = 5};
    cairn_text_file        source;

    cr_assert_eq(cairn_write_dense(comm, path, &none), CAIRN_OK);
    cr_assert_eq(cairn_read_text(comm, path, &source), CAIRN_OK, "%s", env.message);
    cr_expect(source.entries.n == 0 && source.shape.extent[0] == 5
              && source.shape.extent[1] == 0);
    cairn_text_file_fini(&env, &source);
}

/// More text than one chunk of the writer or of the reader.
Test(io_write, what_is_written_reads_back_bit_for_bit)
{
    enum { N = 20000 };
    cairn_entries   entries;
    cairn_text_file source;
    uint64_t        state = 11;

    cairn_entries_init(&entries, 2);
    for (int k = 0; k < N; k++) {
        double value;

        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        memcpy(&value, &state, sizeof value);
        if (!isfinite(value)) value = INFINITY;
        cairn_entries_add(&env, &entries, (cairn_coord[]){k, (cairn_coord)(state >> 8)},
                          value);
    }
    cr_assert_eq(cairn_write_entries(comm, path,
                                     &(cairn_shape){
                                         2, {N, INT64_C(1) << 56}
    },
                                     &entries),
                 CAIRN_OK);
    cr_assert_eq(cairn_read_text_in_chunks(comm, path, 5000, &source), CAIRN_OK, "%s",
                 env.message);
    cr_assert_eq(source.entries.n, N);
    cr_expect_arr_eq(source.entries.coord[0], entries.coord[0],
                     N * sizeof(cairn_coord));
    cr_expect_arr_eq(source.entries.coord[1], entries.coord[1],
                     N * sizeof(cairn_coord));
    cr_expect_arr_eq(source.entries.value, entries.value, N * sizeof(double));
    cairn_text_file_fini(&env, &source);
    cairn_entries_fini(&env, &entries);
}
