// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files written by several ranks hold the bytes that one process writes.

#include "comm/write.h"
#include "mpi_suite.h"

#include <dirent.h>

TestSuite(write, .init = mpi_up, .fini = mpi_down, .timeout = 500);

enum { ROWS = 1000, COLS = 3 };

static double element(int64_t i, int64_t j)
{
    return i % 7 == 0 ? (double)i : (double)(i * COLS + j + 1) / 97;
}

/// Rows of a rank: rank 1 has none.
static cairn_coord first_row(int r)
{
    static const cairn_coord cut[] = {0, 300, 300, 999};

    return r >= size ? ROWS : cut[r];
}

/// The whole text as it should be, made here.
static char *expected_dense(void)
{
    char  *text = malloc(ROWS * COLS * 32 + 100);
    size_t n    = (size_t)sprintf(
           text, "%%%%MatrixMarket matrix array real general\n%d %d\n", ROWS, COLS);

    for (int j = 0; j < COLS; j++)
        for (int i = 0; i < ROWS; i++)
            n += (size_t)sprintf(text + n, "%.17g\n", element(i, j));
    return text;
}

/// Compare on rank 0; the folder holds nothing else.
static bool holds(const char *path, const char *expected)
{
    size_t length;
    bool   ok = true;

    if (rank == 0) {
        char *text = scratch_read(path, &length);

        ok = length == strlen(expected) && strcmp(text, expected) == 0;
        free(text);
        unlink(path);
    }
    return on_all_ranks(ok);
}

Test(write, dense_results_have_the_same_bytes)
{
    const cairn_coord first = first_row(rank), last = first_row(rank + 1);
    double           *value = malloc((size_t)(last - first + 1) * COLS * sizeof *value);
    const cairn_dense_rows dense    = {.rows  = ROWS,
                                       .cols  = COLS,
                                       .first = first,
                                       .last  = last,
                                       .value = value,
                                       .row   = COLS,
                                       .col   = 1};
    char                  *expected = expected_dense(), folder[64], path[96];

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/y.mtx", folder);
    for (cairn_coord i = first; i < last; i++)
        for (int j = 0; j < COLS; j++)
            value[(i - first) * COLS + j] = element(i, j);

    ON_ALL_RANKS(cairn_write_dense(comm, path, &dense) == CAIRN_OK, "%s", env.message);
    ON_ALL_RANKS(holds(path, expected), "other bytes");
    if (rank == 0)
        ON_ALL_RANKS(rmdir(folder) == 0, "something is left");
    else
        ON_ALL_RANKS(true, "rank 0 looks");
    free(value);
    free(expected);
}

Test(write, entries_have_the_same_bytes)
{
    static const double special[] = {0.0,    -0.0, 1e22,
                                     1e-300, 0.1,  -123456789012345678.0};
    cairn_entries       entries;
    char               *expected = malloc(ROWS * 80), folder[64], path[96];
    size_t              n        = (size_t)sprintf(
                            expected, "%%%%MatrixMarket matrix coordinate real general\n%d %ld %d\n", ROWS,
                            5000000000L, ROWS);
    bool ok = true;

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.mtx", folder);
    cairn_entries_init(&entries, 2);
    for (cairn_coord i = 0; i < ROWS; i++) {
        const cairn_coord j     = 4999999999 - i;
        const double      value = i < 6 ? special[i] : element(i, 1);

        n += (size_t)sprintf(expected + n, "%ld %ld %.17g\n", (long)i + 1, (long)j + 1,
                             value);
        if (i < first_row(rank) || i >= first_row(rank + 1)) continue;
        ok = ok
             && cairn_entries_add(&env, &entries, (cairn_coord[]){i, j}, value)
                    == CAIRN_OK;
    }

    ON_ALL_RANKS(ok, "%s", env.message);
    ON_ALL_RANKS(cairn_write_entries(comm, path,
                                     &(cairn_shape){
                                         2, {ROWS, 5000000000}
    },
                                     &entries)
                     == CAIRN_OK,
                 "%s", env.message);
    ON_ALL_RANKS(holds(path, expected), "other bytes");
    if (rank == 0) rmdir(folder);
    cairn_entries_fini(&env, &entries);
    free(expected);
}

Test(write, nothing_is_left_after_a_failure)
{
    cairn_entries entries;
    char          folder[64], path[96];

    shared_scratch(folder);
    cairn_entries_init(&entries, 2);
    snprintf(path, sizeof path, "%s/no/a.mtx", folder);
    ON_ALL_RANKS(cairn_write_entries(comm, path,
                                     &(cairn_shape){
                                         2, {3, 3}
    },
                                     &entries)
                     == CAIRN_IO,
                 "no folder");
    ON_ALL_RANKS(strstr(env.message, "No such file") != NULL, "%s", env.message);
    ON_ALL_RANKS(cairn_write_entries(comm, folder,
                                     &(cairn_shape){
                                         2, {3, 3}
    },
                                     &entries)
                     == CAIRN_IO,
                 "a folder");
    ON_ALL_RANKS(cairn_write_entries(comm, "/dev/null",
                                     &(cairn_shape){
                                         2, {3, 3}
    },
                                     &entries)
                     == CAIRN_IO,
                 "a device must not be replaced");

    snprintf(path, sizeof path, "%s/a.mtx", folder);
    for (int who = 0; who < size; who++) {
        for (int64_t n = 0; n < 12; n++) {
            env.allowed = rank == who ? n : -1;

            const cairn_status status = cairn_write_entries(comm, path,
                                                            &(cairn_shape){
                                                                2, {3, 3}
            },
                                                            &entries);

            env.allowed = -1;
            ON_ALL_RANKS(status == CAIRN_OK || status == CAIRN_NO_MEMORY, "%d %s",
                         status, env.message);
            if (rank == 0 && status == CAIRN_OK) unlink(path);
        }
    }
    cr_expect(rank != 0 || rmdir(folder) == 0, "something is left in %s", folder);
}

/// Columns go to other ranks, and there is no memory for them: all ranks fail, and nothing
/// is left; with memory for all of it the file has what one rank writes.
Test(write, columns_of_harwell_boeing_lack_memory)
{
    enum { N = 40 };
    static const char *const ending[] = {"rua", "rsa"};
    const cairn_shape        shape    = {
                  2, {N, N}
    };
    cairn_entries entries;
    char          folder[64], path[96];
    bool          ok = true;

    shared_scratch(folder);
    cairn_entries_init(&entries, 2);
    for (cairn_coord i = N * rank / size; i < N * (rank + 1) / size; i++)
        for (cairn_coord j = 0; j < N; j++)
            if ((i + j) % 13 == 0)
                ok = ok
                     && cairn_entries_add(&env, &entries, (cairn_coord[]){i, j},
                                          (double)(i * j) / 7)
                            == CAIRN_OK;
    ON_ALL_RANKS(ok, "%s", env.message);
    for (int k = 0; k < 2 * size; k++) {
        cairn_status status = CAIRN_NO_MEMORY;
        int64_t      n      = 0;

        snprintf(path, sizeof path, "%s/a.%s", folder, ending[k % 2]);
        for (; status != CAIRN_OK; n++) {
            env.allowed = rank == k / 2 ? n : -1;
            status      = cairn_write_entries(comm, path, &shape, &entries);
            env.allowed = -1;
            ON_ALL_RANKS(status == CAIRN_OK || status == CAIRN_NO_MEMORY, "%d %s",
                         status, env.message);
            ON_ALL_RANKS(status == CAIRN_OK || rank != 0 || access(path, F_OK) != 0,
                         "a file after failure %d", (int)n);
        }
        ON_ALL_RANKS(rank != k / 2 || n > 4, "%d allocations", (int)n);
        ON_ALL_RANKS(rank != 0 || unlink(path) == 0, "no file");
    }
    cairn_entries_fini(&env, &entries);
    ON_ALL_RANKS(rank != 0 || rmdir(folder) == 0, "something is left in %s", folder);
}
