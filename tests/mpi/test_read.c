// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files read by several ranks: what one process reads, in the same order, and the same
/// verdict on what is wrong.

#include "comm/read.h"
#include "mpi_suite.h"

#include <dirent.h>

TestSuite(read, .init = mpi_up, .fini = mpi_down, .timeout = 55);

static const size_t pieces[] = {16, 1000, 1 << 22};

/// Write @p text on rank 0 as the file @p path, for all.
static void publish(const char *path, const char *text, bool gzip)
{
    if (rank == 0) {
        unlink(path);
        if (gzip)
            scratch_append_gzip(path, text, strlen(text));
        else
            scratch_write(path, text, strlen(text));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void remove_file(const char *path)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) unlink(path);
}

/// Whether this rank's entries are those that one process reads behind those of the
/// ranks before.
static bool is_part_of(const cairn_matrix_file *part, const cairn_matrix_file *whole)
{
    int64_t before = -1, total = part->entries.n;

    if (cairn_comm_exscan(comm, part->entries.n, &before) != CAIRN_OK) return false;
    comm->ops->allreduce(comm, &total, 1, CAIRN_SUM);
    if (total != whole->entries.n) return false;
    if (part->entries.n == 0) return true;

    const size_t bytes = (size_t)part->entries.n * 8;

    return memcmp(part->entries.coord[0], whole->entries.coord[0] + before, bytes) == 0
           && memcmp(part->entries.coord[1], whole->entries.coord[1] + before, bytes)
                  == 0
           && memcmp(part->entries.value, whole->entries.value + before, bytes) == 0
           && memcmp(&part->shape, &whole->shape, sizeof part->shape) == 0
           && strcmp(part->field, whole->field) == 0
           && strcmp(part->symmetry, whole->symmetry) == 0;
}

static bool reads_alike(const char *path, size_t piece)
{
    cairn_comm       *self = NULL;
    cairn_matrix_file part = {0}, whole = {0};
    bool              ok = cairn_comm_self(&env, &self) == CAIRN_OK;

    ok = ok && cairn_read_matrix(self, path, &whole) == CAIRN_OK;
    ok = on_all_ranks(ok);
    ok = cairn_read_matrix_in_pieces(comm, path, piece, &part) == CAIRN_OK && ok;
    ok = on_all_ranks(ok) && is_part_of(&part, &whole);
    cairn_matrix_file_fini(&env, &part);
    cairn_matrix_file_fini(&env, &whole);
    cairn_comm_destroy(&self);
    return ok;
}

/// Files with few lines, more ranks than lines, comments, symmetric and dense ones.
static char *make_file(int kind)
{
    char  *text = malloc(200000);
    size_t n    = 0;

    switch (kind) {
    case 0:
        n = (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate real general\n"
                                  "%% c\n900 900 2000\n");
        for (int k = 0; k < 2000; k++)
            n += (size_t)sprintf(text + n, "%d %d %.*g\n%s", k * 31 % 900 + 1,
                                 k * 17 % 900 + 1, k % 17 + 1, k / 7.0,
                                 k % 5   ? ""
                                 : k % 2 ? "\n \r\n"
                                         : "% note\n");
        break;
    case 1:
        n = (size_t)sprintf(text,
                            "%%%%MatrixMarket matrix coordinate integer symmetric\n"
                            "900 900 1000\n");
        for (int k = 0; k < 1000; k++)
            n +=
                (size_t)sprintf(text + n, "%d %d %d\n", k % 450 + 450, k % 400 + 1, -k);
        text[--n] = '\0';
        break;
    case 2:
        n = (size_t)sprintf(text,
                            "%%%%MatrixMarket matrix array real symmetric\n40 40\n");
        for (int k = 0; k < 820; k++)
            n += (size_t)sprintf(text + n, "%d\n%s", k % 4, k % 9 ? "" : "\n%\n");
        break;
    case 3:
        sprintf(text,
                "%%%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 "
                "1\n");
        break;
    case 4:
        sprintf(text, "%%%%MatrixMarket matrix coordinate real general\n3 3 0\n");
        break;
    default: /* one line longer than every share and piece */
        n = (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate real general\n"
                                  "3 3 3\n1 1 1\n2 2 1.");
        memset(text + n, '0', 50000);
        strcpy(text + n + 50000, "\n3 3 3\n");
    }
    return text;
}

Test(read, file_order_survives_in_pieces_of_any_size)
{
    char folder[64], path[96];

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.mtx", folder);
    for (int kind = 0; kind < 6; kind++) {
        char *text = make_file(kind);

        for (int gzip = 0; gzip < 2; gzip++) {
            publish(path, text, gzip);
            for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
                ON_ALL_RANKS(reads_alike(path, pieces[k]),
                             "kind %d gzip %d piece %zu: %s", kind, gzip, pieces[k],
                             env.message);
            remove_file(path);
        }
        free(text);
    }
    if (rank == 0) rmdir(folder);
}

/// Reading fails with @p status and a message with @p expect in it, on every rank.
static bool
fails_alike(const char *path, size_t piece, cairn_status expected, const char *expect)
{
    cairn_matrix_file  source;
    const cairn_status status = cairn_read_matrix_in_pieces(comm, path, piece, &source);
    char               first[CAIRN_MESSAGE];

    if (status == CAIRN_OK) cairn_matrix_file_fini(&env, &source);
    memcpy(first, env.message, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    return status == expected && strcmp(first, env.message) == 0
           && strstr(env.message, expect) != NULL;
}

/// @p k-th entry line of 1000 replaced by @p line (none: left out); the header has two
/// lines, so it is line k + 3 of the file.
static char *spoiled(int k, const char *line)
{
    char  *text = malloc(100000);
    size_t n = (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate real general\n"
                                     "1000 1000 1000\n");

    for (int l = 0; l < 1000; l++)
        n += l == k ? (size_t)sprintf(text + n, "%s", line)
                    : (size_t)sprintf(text + n, "%d %d 1.5\n", l + 1, 1000 - l);
    return text;
}

Test(read, a_failure_is_the_same_on_every_rank)
{
    static const struct {
        int         k;
        const char *line, *expect;
    } cases[] = {
        {0,   "x\n",            "line 3: row index 'x'"                      },
        {999, "1 1\n",          "line 1002: the value is missing"            },
        {400, "1 1 1 1\n",      "line 403: '1' follows"                      },
        {700, "1 1001 1\n",     "line 703: column index 1001"                },
        {500, "\n% c\n1 0 1\n", "line 505: column index 0"                   },
        {300, "",               "declares 1000 entries, but the file has 999"},
        {600, "1 1 1\n2 2 2\n", "line 1003: more entries than the 1000"      },
    };
    char folder[64], path[96];

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.mtx", folder);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char *text = spoiled(cases[c].k, cases[c].line);

        for (int gzip = 0; gzip < 2; gzip++) {
            publish(path, text, gzip);
            for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++)
                ON_ALL_RANKS(
                    fails_alike(path, pieces[p], CAIRN_BAD_FILE, cases[c].expect),
                    "case %zu gzip %d piece %zu: %s", c, gzip, pieces[p], env.message);
            remove_file(path);
        }
        free(text);
    }
    if (rank == 0) rmdir(folder);
}

Test(read, a_file_missing_on_one_rank_is_told_once)
{
    char  folder[64], path[96], expect[32];
    char *text = spoiled(0, "1 1 1\n");

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/%s", folder,
             rank == size - 1 ? "none.mtx" : "a.mtx");
    if (rank == 0 && size > 1) scratch_write(path, text, strlen(text));
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(expect, sizeof expect, size > 1 ? "rank %d: " : "none.mtx: No such file",
             size - 1);
    ON_ALL_RANKS(fails_alike(path, 1000, CAIRN_IO, expect), "%s", env.message);
    ON_ALL_RANKS(strstr(env.message, "No such file") != NULL, "%s", env.message);
    remove_file(path);
    if (rank == 0) rmdir(folder);
    free(text);
}

Test(read, no_memory_on_one_rank_ends_all)
{
    char  folder[64], path[96];
    char *text = spoiled(0, "1 1 1\n");

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.mtx", folder);
    for (int gzip = 0; gzip < 2; gzip++) {
        publish(path, text, gzip);
        for (int who = 0; who < size; who++) {
            env.memory_limit = rank == who ? 1000 : INT64_MAX;
            ON_ALL_RANKS(fails_alike(path, 100, CAIRN_NO_MEMORY, "limit"), "%s",
                         env.message);
            env.memory_limit = INT64_MAX;
            for (int64_t n = 0; n < 8; n++) { /* some allocation of that rank fails */
                cairn_matrix_file source;

                env.allowed = rank == who ? n : -1;

                const cairn_status status =
                    cairn_read_matrix_in_pieces(comm, path, 100, &source);

                env.allowed = -1;
                if (status == CAIRN_OK) cairn_matrix_file_fini(&env, &source);
                ON_ALL_RANKS(status == CAIRN_NO_MEMORY || status == CAIRN_OK,
                             "allocation %ld of rank %d: %s", (long)n, who,
                             env.message);
            }
        }
        remove_file(path);
    }
    if (rank == 0) rmdir(folder);
    free(text);
}

static bool same_verdict(const char *path)
{
    cairn_comm       *self = NULL;
    cairn_matrix_file source;
    char              message[CAIRN_MESSAGE] = "";
    bool              ok                     = cairn_comm_self(&env, &self) == CAIRN_OK;

    const cairn_status alone = cairn_read_matrix(self, path, &source);

    if (alone == CAIRN_OK)
        cairn_matrix_file_fini(&env, &source);
    else
        memcpy(message, env.message, sizeof message);
    cairn_comm_destroy(&self);

    const cairn_status all = cairn_read_matrix_in_pieces(comm, path, 32, &source);

    if (all == CAIRN_OK) cairn_matrix_file_fini(&env, &source);
    return ok && all == alone && (all == CAIRN_OK || strcmp(message, env.message) == 0);
}

Test(read, the_malformed_set_gets_the_verdict_of_one_process)
{
    DIR *files = opendir(CAIRN_TEST_DATA "/malformed");
    char path[512];

    if (!on_all_ranks(files != NULL)) cr_skip_test("no test data");
    for (;;) { /* rank 0's order of files is everybody's */
        const struct dirent *file = rank == 0 ? readdir(files) : NULL;

        snprintf(path, sizeof path, CAIRN_TEST_DATA "/malformed/%s",
                 file ? file->d_name : "");
        MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (path[strlen(path) - 1] == '/') break;
        if (strstr(path, "README") || strstr(path, "/.")) continue;
        ON_ALL_RANKS(same_verdict(path), "%s: %s", path, env.message);
    }
    closedir(files);
}
