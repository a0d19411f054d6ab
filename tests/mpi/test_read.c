// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files read by several ranks: what one process reads, in the same order, and the same
/// verdict on what is wrong.

#include "comm/read.h"
#include "mpi_suite.h"
#include "random_format.h"

#include <dirent.h>

TestSuite(read, .init = mpi_up, .fini = mpi_down, .timeout = 500);

static const size_t chunks[] = {16, 1000, 1 << 22};

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
static bool is_part_of(const cairn_text_file *part, const cairn_text_file *whole)
{
    int64_t before = -1, total = part->entries.n;

    if (cairn_comm_exscan(comm, part->entries.n, &before) != CAIRN_OK) return false;
    comm->ops->allreduce(comm, &total, 1, CAIRN_SUM);
    if (total != whole->entries.n) return false;
    if (part->entries.n == 0) return true;

    const size_t bytes = (size_t)part->entries.n * 8;

    for (int k = 0; k < whole->entries.order; k++)
        if (memcmp(part->entries.coord[k], whole->entries.coord[k] + before, bytes)
            != 0)
            return false;
    return memcmp(part->entries.value, whole->entries.value + before, bytes) == 0
           && memcmp(&part->shape, &whole->shape, sizeof part->shape) == 0
           && strcmp(part->field, whole->field) == 0
           && strcmp(part->symmetry, whole->symmetry) == 0;
}

static bool reads_alike(const char *path, size_t chunk)
{
    cairn_comm     *self = NULL;
    cairn_text_file part = {0}, whole = {0};
    bool            ok = cairn_comm_self(&env, &self) == CAIRN_OK;

    ok = ok && cairn_read_text(self, path, &whole) == CAIRN_OK;
    ok = on_all_ranks(ok);
    ok = cairn_read_text_in_chunks(comm, path, chunk, &part) == CAIRN_OK && ok;
    ok = on_all_ranks(ok) && is_part_of(&part, &whole);
    cairn_text_file_fini(&env, &part);
    cairn_text_file_fini(&env, &whole);
    cairn_comm_destroy(&self);
    return ok;
}

/// This text is read alike, plain and gzip, in chunks of any size.
static void check_file(const char *path, const char *text)
{
    for (int gzip = 0; gzip < 2; gzip++) {
        publish(path, text, gzip);
        for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++)
            ON_ALL_RANKS(reads_alike(path, chunks[k]), "%.60s: gzip %d chunk %zu: %s",
                         text, gzip, chunks[k], env.message);
        remove_file(path);
    }
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
    default: /* one line longer than every share and chunk */
        n = (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate real general\n"
                                  "3 3 3\n1 1 1\n2 2 1.");
        memset(text + n, '0', 50000);
        strcpy(text + n + 50000, "\n3 3 3\n");
    }
    return text;
}

Test(read, file_order_survives_in_chunks_of_any_size)
{
    char folder[64], path[96];

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.mtx", folder);
    for (int kind = 0; kind < 6; kind++) {
        char *text = make_file(kind);

        check_file(path, text);
        free(text);
    }
    if (rank == 0) rmdir(folder);
}

/// Reading fails with @p status and a message with @p expect in it, on every rank.
static bool
fails_alike(const char *path, size_t chunk, cairn_status expected, const char *expect)
{
    cairn_text_file    source;
    const cairn_status status = cairn_read_text_in_chunks(comm, path, chunk, &source);
    char               first[CAIRN_MESSAGE];

    if (status == CAIRN_OK) cairn_text_file_fini(&env, &source);
    memcpy(first, env.message, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    return status == expected && strcmp(first, env.message) == 0
           && strstr(env.message, expect) != NULL;
}

/// This text is refused with @p expect, plain and gzip, in chunks of any size.
static void check_failure(const char *path, const char *text, const char *expect)
{
    for (int gzip = 0; gzip < 2; gzip++) {
        publish(path, text, gzip);
        for (size_t p = 0; p < sizeof chunks / sizeof *chunks; p++)
            ON_ALL_RANKS(fails_alike(path, chunks[p], CAIRN_BAD_FILE, expect),
                         "%s: gzip %d chunk %zu: %s", expect, gzip, chunks[p],
                         env.message);
        remove_file(path);
    }
}

/// A tensor with lines of many lengths, comments and blank lines between them.
static char *make_tensor(int lines)
{
    char  *text = malloc((size_t)lines * 80 + 100);
    size_t n    = (size_t)sprintf(text, "# a tensor\n\n");

    for (int k = 0; k < lines; k++)
        n += (size_t)sprintf(text + n, "%d %d %d %.*g\n%s", k * 31 % 900 + 1, k + 1,
                             k * k % 7 + 1, k % 17 + 1, k / 7.0,
                             k % 5   ? ""
                             : k % 2 ? "\n \r\n"
                                     : "# note\n");
    text[--n] = '\0';
    return text;
}

/// Lines that are cut at every byte, by chunks and by the ranks' shares.
Test(read, tensors_are_cut_at_every_byte)
{
    char  folder[64], path[96];
    char *text = make_tensor(9), *more = make_tensor(3000);

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.tns", folder);
    for (int gzip = 0; gzip < 2; gzip++) {
        publish(path, text, gzip);
        for (size_t chunk = 1; chunk < strlen(text) + 2; chunk += 1 + chunk / 20)
            ON_ALL_RANKS(reads_alike(path, chunk), "gzip %d chunk %zu: %s", gzip, chunk,
                         env.message);
        remove_file(path);
    }
    check_file(path, more);
    for (size_t length = strlen(text); length > 16;
         length--) { /* shares move by bytes */
        text[length] = '\0';
        publish(path, text, false);

        const bool alike = on_all_ranks(reads_alike(path, 64));

        ON_ALL_RANKS(alike || strstr(env.message, " numbers, ") != NULL,
                     "%zu bytes: %s", length, env.message);
        remove_file(path);
    }
    if (rank == 0) rmdir(folder);
    free(text);
    free(more);
}

/// Every rank gets a share of a gzip file whose entries are not counted beforehand.
Test(read, gzip_chunks_go_to_all_ranks)
{
    char            folder[64], path[96];
    char           *text = make_tensor(3000);
    cairn_text_file part;

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.tns", folder);
    publish(path, text, true);
    ON_ALL_RANKS(cairn_read_text_in_chunks(comm, path, 4096, &part) == CAIRN_OK, "%s",
                 env.message);
    ON_ALL_RANKS(part.entries.n > 3000 / size / 2
                     && part.entries.n < 3000 / size * 2 + 1,
                 "%ld entries", (long)part.entries.n);
    cairn_text_file_fini(&env, &part);
    remove_file(path);
    if (rank == 0) rmdir(folder);
    free(text);
}

enum { SHORT_LINES = 500, ALL_LINES = 4000 };

/// A matrix whose first lines are short beside those behind them.
static char *make_uneven(const char *symmetry)
{
    char *const text = malloc(50 * (ALL_LINES + 2));
    size_t      n    = (size_t)sprintf(text,
                                       "%%%%MatrixMarket matrix coordinate real %s\n"
                                               "9000000 9000000 %d\n",
                                       symmetry, ALL_LINES);

    for (int k = 0; k < ALL_LINES; k++)
        n += k < SHORT_LINES
                 ? (size_t)sprintf(text + n, "2 1 5\n")
                 : (size_t)sprintf(text + n, "8%06d 1234567 0.1234567890123456\n", k);
    return text;
}

/// Room for what the first lines, the shortest ones, promise is not taken where the header
/// says that there is less.
Test(read, little_more_room_than_entries)
{
    static const char *const symmetry[] = {"general", "symmetric"};
    char                     folder[64], path[96];
    cairn_text_file          part;

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.mtx", folder);
    for (int s = 0; s < 2; s++) {
        char *const text = make_uneven(symmetry[s]);

        publish(path, text, false);
        ON_ALL_RANKS(cairn_read_text_in_chunks(comm, path, 1000, &part) == CAIRN_OK,
                     "%s", env.message);
        ON_ALL_RANKS(part.entries.capacity <= part.entries.n + part.entries.n / 3,
                     "%s: room for %ld, %ld entries", symmetry[s],
                     (long)part.entries.capacity, (long)part.entries.n);
        cairn_text_file_fini(&env, &part);
        remove_file(path);
        free(text);
    }
    if (rank == 0) rmdir(folder);
}

/// A symmetric matrix with right-hand sides; @p values cards are left of its 100.
static char *make_harwell_boeing(int values)
{
    char  *text = malloc(20000);
    size_t n    = (size_t)sprintf(
           text,
           "A matrix of one full column\n%14d%14d%14d%14d%14d\n"
              "RSA           %14d%14d%14d%14d\n(5I6)           (10I4)          "
              "(1P,1E16.8)         (1E16.8)\nF%27d%14d\n",
           234, 21, 10, 100, 3, 100, 100, 100, 0, 1, 0);

    for (int j = 0; j <= 100; j++)
        n += (size_t)sprintf(text + n, "%6d%s", j ? 101 : 1,
                             j % 5 == 4 || j == 100 ? "\n" : "");
    for (int i = 0; i < 100; i++)
        n += (size_t)sprintf(text + n, "%4d%s", i + 1, i % 10 == 9 ? "\n" : "");
    for (int i = 0; i < values; i++)
        n += (size_t)sprintf(text + n, "%16.8E\n", 1.0 / (i + 1));
    if (values == 100) sprintf(text + n, "1.0\n2.0\n3.0\n");
    return text;
}

/// Add @p count numbers of @p width, @p repeat on a card.
static size_t add_cards(char *text, const int *number, int count, int repeat, int width)
{
    size_t n = 0;

    for (int k = 0; k < count; k++)
        n += (size_t)sprintf(text + n, "%*d%s", width, number[k],
                             k % repeat == repeat - 1 || k == count - 1 ? "\n" : "");
    return n;
}

/// A matrix with many empty columns, fields of drawn widths, and of drawn type, and where
/// its @p wrong -th pointer is too small (none: -1).
static char *draw_harwell_boeing(uint64_t *state, int wrong)
{
    static const char *const types[] = {"IUA", "PUA", "ISA", "PSA", "IZA"};
    enum { COLS = 300, MOST = COLS * 18 };
    const char *const type      = types[random_next(state) % 5];
    const int         repeat[3] = {1 + (int)(random_next(state) % 20),
                                   1 + (int)(random_next(state) % 9),
                                   1 + (int)(random_next(state) % 5)};
    const int         width     = 6 + (int)(random_next(state) % 6);
    int               pointer[COLS + 1], index[MOST], value[MOST], entries = 0;
    char             *text = malloc(100000);

    for (int j = 0; j < COLS; j++) {
        const int lowest = type[1] == 'U' ? 0 : j + 1; /* S, Z: below the diagonal */
        const int here   = random_next(state) % 3 || lowest == COLS
                               ? 0
                               : (int)(random_next(state) % 18);

        pointer[j] = 1 + entries;
        for (int k = 0; k < here; k++, entries++) {
            index[entries] =
                1 + lowest + (int)(random_next(state) % (uint64_t)(COLS - lowest));
            value[entries] = (int)(random_next(state) % 2000) - 1000;
        }
    }
    pointer[COLS] = 1 + entries;
    if (wrong >= 0) pointer[wrong] = 0;

    size_t n = (size_t)sprintf(
        text, "drawn\n%d %d %d %d\n%s %d %d %d 0\n(%dI%d) (%dI%d) (%dI%d)\n", 1, 1, 1,
        *type == 'P' ? 0 : 1, type, COLS, COLS, entries, repeat[0], width, repeat[1],
        width, repeat[2], width);

    n += add_cards(text + n, pointer, COLS + 1, repeat[0], width);
    n += add_cards(text + n, index, entries, repeat[1], width);
    if (*type != 'P') n += add_cards(text + n, value, entries, repeat[2], width);
    return text;
}

Test(read, harwell_boeing_files_are_read_by_all_ranks)
{
    char     folder[64], path[96];
    char    *whole = make_harwell_boeing(100), *cut = make_harwell_boeing(99);
    uint64_t state = 1;

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.rsa", folder);
    check_file(path, whole);
    check_failure(path, cut, "1 of 100 values are missing");
    free(whole);
    free(cut);
    for (int k = 0; k < 20; k++) {
        char *text = draw_harwell_boeing(&state, -1);

        check_file(path, text);
        free(text);
    }
    for (int k = 1; k < 300; k += 23) { /* wherever ranks are cut */
        char *text = draw_harwell_boeing(&state, k);

        check_failure(path, text, "column pointer 0 is below the one before");
        free(text);
    }
    if (rank == 0) rmdir(folder);
}

/// Of a file whose values are most of it, too.
Test(read, harwell_boeing_entries_are_cut_evenly)
{
    char            folder[64], path[96];
    char           *text = make_harwell_boeing(100);
    cairn_text_file part;

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.rsa", folder);
    for (int gzip = 0; gzip < 2; gzip++) {
        publish(path, text, gzip);
        ON_ALL_RANKS(cairn_read_text_in_chunks(comm, path, 100, &part) == CAIRN_OK,
                     "%s", env.message);
        /* All but the first are off the diagonal: two entries each. */
        ON_ALL_RANKS(part.entries.n >= 2 * (100 / size) - 1
                         && part.entries.n <= 2 * (100 / size + 1),
                     "%ld entries", (long)part.entries.n);
        cairn_text_file_fini(&env, &part);
        remove_file(path);
    }
    if (rank == 0) rmdir(folder);
    free(text);
}

/// Whatever allocation of whatever rank fails, all of them return.
Test(read, harwell_boeing_without_memory_ends_all)
{
    char     folder[64], path[96];
    uint64_t state = 7;
    char    *text  = draw_harwell_boeing(&state, -1);

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.rsa", folder);
    publish(path, text, false);
    for (int who = 0; who < size; who++) {
        bool done = false;

        for (int64_t n = 0; !done; n++) {
            cairn_text_file source;

            env.allowed = rank == who ? n : -1;

            const cairn_status status =
                cairn_read_text_in_chunks(comm, path, 1000, &source);

            done        = status == CAIRN_OK;
            env.allowed = -1;
            if (done) cairn_text_file_fini(&env, &source);
            ON_ALL_RANKS(status == CAIRN_NO_MEMORY || done,
                         "allocation %ld of rank %d: %s", (long)n, who, env.message);
        }
    }
    remove_file(path);
    if (rank == 0) rmdir(folder);
    free(text);
}

/// What is wrong in a line of a tensor is told with the line's number, whoever reads it.
Test(read, a_failure_in_a_tensor_is_the_same_on_every_rank)
{
    static const struct {
        int         k;
        const char *line, *expect;
    } cases[] = {
        {0,   "2 2 1\n",          "line 2: 4 numbers, but the first entry has 3"},
        {1,   "2 2 1\n",          "line 2: 3 numbers, but the first entry has 4"},
        {500, "1 1 0 1\n",        "line 501: index 3: 0 is below 1"             },
        {700, "\n# c\n1 x 1 1\n", "line 703: index 2: 'x' is not an integer"    },
        {999, "1 1 1 1 1",        "line 1000: 5 numbers"                        },
    };
    char  folder[64], path[96];
    char *text = malloc(100000);

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.tns", folder);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t n = 0;

        for (int k = 0; k < 1000; k++)
            n += k == cases[c].k ? (size_t)sprintf(text + n, "%s", cases[c].line)
                                 : (size_t)sprintf(text + n, "%d %d 3 1.5\n", k + 1, 7);
        check_failure(path, text, cases[c].expect);
    }
    if (rank == 0) rmdir(folder);
    free(text);
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

        check_failure(path, text, cases[c].expect);
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
                cairn_text_file source;

                env.allowed = rank == who ? n : -1;

                const cairn_status status =
                    cairn_read_text_in_chunks(comm, path, 100, &source);

                env.allowed = -1;
                if (status == CAIRN_OK) cairn_text_file_fini(&env, &source);
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

/// What memory is there for reading a malformed file: what its header merely declares is
/// not allocated.
enum { LITTLE = 64 << 20 };

/// All ranks say of the file what one process says, in the same words, or read the same
/// entries.
static bool same_verdict(const char *path, size_t chunk)
{
    cairn_comm     *self = NULL;
    cairn_text_file whole, part;
    char            message[CAIRN_MESSAGE] = "";
    bool            ok                     = cairn_comm_self(&env, &self) == CAIRN_OK;

    const cairn_status alone = cairn_read_text(self, path, &whole);

    if (alone != CAIRN_OK) memcpy(message, env.message, sizeof message);
    const int64_t limit = env.memory_limit;

    env.memory_limit       = LITTLE;
    const cairn_status all = cairn_read_text_in_chunks(comm, path, chunk, &part);

    env.memory_limit = limit;
    if (!on_all_ranks(ok && all == alone))
        ok = false;
    else if (all == CAIRN_OK)
        ok = is_part_of(&part, &whole);
    else
        ok = strcmp(message, env.message) == 0;
    if (alone == CAIRN_OK) cairn_text_file_fini(&env, &whole);
    if (all == CAIRN_OK) cairn_text_file_fini(&env, &part);
    cairn_comm_destroy(&self);
    return ok;
}

Test(read, the_malformed_set_gets_the_verdict_of_one_process)
{
    DIR *files = opendir(CAIRN_TEST_DATA "/malformed");
    char path[512];
    int  count = 0;

    if (!on_all_ranks(files != NULL)) cr_skip_test("no test data");
    for (;;) { /* rank 0's order of files is everybody's */
        const struct dirent *file = rank == 0 ? readdir(files) : NULL;

        snprintf(path, sizeof path, CAIRN_TEST_DATA "/malformed/%s",
                 file ? file->d_name : "");
        MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (path[strlen(path) - 1] == '/') break;
        if (strstr(path, "README") || strstr(path, "/.")) continue;
        for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++)
            ON_ALL_RANKS(same_verdict(path, chunks[k]), "%s, chunks of %zu: %s", path,
                         chunks[k], env.message);
        count++;
    }
    closedir(files);
    ON_ALL_RANKS(count > 0 || rank > 0, "no file in %s", CAIRN_TEST_DATA "/malformed");
}
