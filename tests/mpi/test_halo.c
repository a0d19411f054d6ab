// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The halo holds exactly the columns of stored entries that other ranks own: padding
/// pulls in nothing.

#include "api/api.h"
#include "comm/halo.h"
#include "mpi_suite.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

TestSuite(halo, .init = mpi_up, .fini = mpi_down);

enum { N = 60, PER_ROW = 3 };

/// Column k of row i, the same on every rank; some rows are empty.
static int column_of(int i, int k)
{
    return (i * 7 + k * k * 13 + (i * k) % 5) % N;
}

static bool is_empty_row(int i)
{
    return i % 11 == 4;
}

static cairn_status make_source(cairn_context *context, cairn_source **source)
{
    const int64_t extent[2] = {N, N};
    int64_t       coord[2 * N * PER_ROW], n = 0;

    for (int i = 0; i < N && rank == 0; i++)
        for (int k = 0; k < PER_ROW && !is_empty_row(i); k++, n++) {
            coord[2 * n]     = i;
            coord[2 * n + 1] = column_of(i, k);
        }
    return cairn_source_from_coords(context, 2, extent, n, coord, NULL, CAIRN_BY_ROWS,
                                    source);
}

/// Distinct columns of this rank's entries outside its own range, counted one by one.
static int64_t expected_halo(int64_t first, int64_t end)
{
    bool    needed[N] = {false};
    int64_t count     = 0;

    for (int64_t i = first; i < end; i++)
        for (int k = 0; k < PER_ROW && !is_empty_row((int)i); k++)
            needed[column_of((int)i, k)] = true;
    for (int j = 0; j < N; j++)
        count += needed[j] && (j < first || j >= end);
    return count;
}

static bool halo_is_exact(cairn_context *context, const char *text)
{
    cairn_source   *source = NULL;
    cairn_format   *format = NULL;
    cairn_tensor   *tensor = NULL;
    cairn_plan     *plan   = NULL;
    cairn_plan_info info   = CAIRN_PLAN_INFO;
    int64_t         first = 0, end = 0, mine, all = -1;

    bool fine = make_source(context, &source) == CAIRN_OK
                && cairn_format_create(context, text, &format) == CAIRN_OK
                && cairn_tensor_create(source, format, CAIRN_F64, &tensor) == CAIRN_OK
                && cairn_plan_create_spmv(tensor, &plan) == CAIRN_OK
                && cairn_plan_describe(plan, &info) == CAIRN_OK;

    if (fine) cairn_tensor_rows(tensor, &first, &end);
    mine = expected_halo(first, end);
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    fine = fine && info.halo == all;
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return fine;
}

Test(halo, holds_exactly_the_stored_columns, .timeout = 500)
{
    static const char *const formats[] = {"csr",     "csc",     "ell",     "dia",
                                          "bell<4>", "bdia<4>", "csb<8,8>"};
    cairn_context           *context;

    cr_assert_eq(
        cairn_context_create_fortran((int)MPI_Comm_c2f(MPI_COMM_WORLD), &context),
        CAIRN_OK);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        ON_ALL_RANKS(halo_is_exact(context, formats[f]), "%s: %s", formats[f],
                     cairn_context_message(context));
    cairn_context_destroy(&context);
}

/* ---- threads ---- */

enum {
    WIDE  = 3,
    OWNED = 150000
}; ///< Columns; rows of each rank, of which all need half.

static double x_of(cairn_coord row, int column)
{
    return (double)(row * WIDE + column) + 0.5;
}

/// Every second row of all ranks, and as @p halo brings them.
static cairn_status every_second_row(cairn_comm    *comm,
                                     cairn_halo_way way,
                                     cairn_rows    *rows,
                                     cairn_halo   **halo)
{
    const cairn_halo_row shape = {way, WIDE, 64};
    const cairn_coord    n     = (cairn_coord)OWNED * size / 2;
    cairn_coord         *need  = malloc((size_t)n * sizeof *need);

    for (cairn_coord k = 0; k < n; k++)
        need[k] = 2 * k;
    cairn_status status = cairn_halo_create(comm, rows, &shape, need, n, halo);

    free(need);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(comm, cairn_halo_map(*halo, rows));
    return status;
}

/// Exchange rows again and again, which are brought, or added up by their owners.
/// @return Did each exchange give the rows that were sought the values that they should have?
static bool comes_right(cairn_context *context, cairn_rows *rows, cairn_halo_way way)
{
    const cairn_coord first = rows->first[rank], end = rows->first[rank + 1];
    const bool        sums = way == CAIRN_HALO_SUM;
    cairn_halo       *halo = NULL;
    bool          right = every_second_row(context->comm, way, rows, &halo) == CAIRN_OK;
    double *const x     = right ? cairn_halo_window(halo) : NULL;

    /* rounds enough for every way of messages, the memory that ranks share among them */
    for (int round = 0; round < 12 && right; round++) {
        for (cairn_coord i = 0; i < (cairn_coord)OWNED * size; i++)
            for (int c = 0; c < WIDE; c++)
                if (i % 2 == 0 || (i >= first && i < end))
                    x[i * WIDE + c] =
                        sums ? (rank + 1) * x_of(i, c)
                             : (i >= first && i < end ? x_of(i, c) + round : -1);
        right = cairn_halo_begin(halo, NULL) == CAIRN_OK
                && cairn_halo_end(halo) == CAIRN_OK;
        for (cairn_coord i = 0; i < (cairn_coord)OWNED * size && right; i += 2)
            for (int c = 0; c < WIDE; c++)
                right = right
                        && (sums ? i < first || i >= end
                                       || x[i * WIDE + c]
                                              == size * (size + 1) / 2 * x_of(i, c)
                                 : x[i * WIDE + c] == x_of(i, c) + round);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    cairn_halo_destroy(&halo);
    return right;
}

/// Messages of more than a megabyte are packed and unpacked by all threads of a rank.
Test(halo, threads_copy_large_messages, .timeout = 500)
{
    for (int way = 0; way < 2; way++)
        for (int threads = 1; threads <= 3; threads += 2) {
            cairn_context *context;
            cairn_rows     rows = {0};

            cairn_context_create_mpi(MPI_COMM_WORLD, &context);
            context->env.options.threads = threads;
            ON_ALL_RANKS(
                cairn_rows_equal(context->comm, (cairn_coord)OWNED * size, 1, &rows)
                    == CAIRN_OK,
                "%s", cairn_context_message(context));
            ON_ALL_RANKS(comes_right(context, &rows, (cairn_halo_way)way),
                         "way %d, %d threads: %s", way, threads,
                         cairn_context_message(context));
            ON_ALL_RANKS(context->env.thread_team.threads
                             == (size > 1 ? threads - 1 : 0),
                         "%d threads were made", context->env.thread_team.threads);
            cairn_rows_fini(&context->env, &rows);
            cairn_context_destroy(&context);
        }
}

/* ---- memory ---- */

enum { PAGE_ROWS = 512, PAGES = 8192 }; /* of values of 8 bytes, on pages of 4 KB */

/// Every rank needs one row of each page of the others' rows.
static cairn_status
one_row_a_page(cairn_comm *comm, cairn_rows *rows, cairn_halo **halo)
{
    const cairn_halo_row shape = {CAIRN_HALO_FETCH, 1, 64};
    const cairn_coord    pages = (cairn_coord)PAGES * size;
    cairn_coord         *need  = malloc((size_t)pages * sizeof *need);

    for (cairn_coord p = 0; p < pages; p++)
        need[p] = p * PAGE_ROWS + 7;
    cairn_status status = cairn_halo_create(comm, rows, &shape, need, pages, halo);

    free(need);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(comm, cairn_halo_map(*halo, rows));
    return status;
}

/// Bytes of the window's pages that are in memory.
static int64_t resident(cairn_halo *halo)
{
    const int64_t  page  = sysconf(_SC_PAGESIZE);
    const int64_t  bytes = (int64_t)PAGES * PAGE_ROWS * 8 * size;
    char *const    from  = (char *)cairn_halo_window(halo);
    unsigned char *in    = malloc((size_t)(bytes / page));
    int64_t        pages = 0;

    cr_expect_eq(mincore(from, (size_t)bytes, in), 0);
    for (int64_t p = 0; p < bytes / page; p++)
        pages += in[p] & 1;
    free(in);
    return pages * page;
}

/// A page of x is memory, however few of its values a rank needs: it is counted, refused
/// where it exceeds the limit, before it is touched, and no more than that is touched.
Test(halo, pages_of_others_rows_are_counted)
{
    cairn_context *context;
    cairn_rows     rows = {0};
    cairn_halo    *halo = NULL;

    cairn_context_create_mpi(MPI_COMM_WORLD, &context);
    cairn_env *const env    = &context->env;
    const int64_t    owned  = (int64_t)PAGES * PAGE_ROWS * 8;
    const int64_t    ghosts = (int64_t)PAGES * (size - 1) * sysconf(_SC_PAGESIZE);
    cairn_status     status = cairn_rows_equal(
            context->comm, (cairn_coord)PAGES * PAGE_ROWS * size, 1, &rows);

    ON_ALL_RANKS(status == CAIRN_OK, "%s", env->message);
    const int64_t used = env->used_bytes;

    env->memory_limit = used + owned;
    status            = one_row_a_page(context->comm, &rows, &halo);
    ON_ALL_RANKS(status == (size > 1 ? CAIRN_NO_MEMORY : CAIRN_OK), "%s", env->message);
    ON_ALL_RANKS(size == 1 || strstr(env->message, "x and y beside the arrays: needs"),
                 "%s", env->message);
    cairn_halo_destroy(&halo);
    ON_ALL_RANKS(env->used_bytes == used, "%ld bytes more",
                 (long)(env->used_bytes - used));
    env->memory_limit = used + 2 * (owned + ghosts);
    status            = one_row_a_page(context->comm, &rows, &halo);
    ON_ALL_RANKS(status == CAIRN_OK, "%s", env->message);
    ON_ALL_RANKS(cairn_halo_bytes(halo) >= owned + ghosts, "%ld bytes",
                 (long)cairn_halo_bytes(halo));
    status = cairn_halo_begin(halo, NULL);
    if (status == CAIRN_OK) status = cairn_halo_end(halo);
    ON_ALL_RANKS(status == CAIRN_OK, "%s", env->message);
    ON_ALL_RANKS(resident(halo) >= ghosts && resident(halo) <= owned + ghosts,
                 "%ld bytes in memory", (long)resident(halo));
    cairn_halo_destroy(&halo);
    cairn_rows_fini(env, &rows);
    cairn_context_destroy(&context);
}

#ifndef __SANITIZE_ADDRESS__ /* with which no block is kept */
/// Bytes of addresses that this process has.
static int64_t addresses(void)
{
    FILE *const file  = fopen("/proc/self/statm", "r");
    long        pages = 0;

    cr_expect(file && fscanf(file, "%ld", &pages) == 1);
    if (file) fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/// Blocks that wait to be used again give their addresses to a window that finds none.
Test(halo, what_is_kept_makes_room_for_a_window)
{
    const int64_t  bytes = (int64_t)PAGES * PAGE_ROWS * 8 * size;
    cairn_context *context;
    cairn_rows     rows  = {0};
    cairn_halo    *halo  = NULL;
    void          *block = NULL;
    struct rlimit  old, limit;

    cairn_context_create_mpi(MPI_COMM_WORLD, &context);
    cairn_env *const env    = &context->env;
    cairn_status     status = cairn_rows_equal(
            context->comm, (cairn_coord)PAGES * PAGE_ROWS * size, 1, &rows);

    if (status == CAIRN_OK) status = cairn_alloc(env, bytes, 1, &block);
    ON_ALL_RANKS(status == CAIRN_OK, "%s", env->message);
    cairn_free(env, block);
    ON_ALL_RANKS(env->pool.kept >= bytes, "%ld bytes kept", (long)env->pool.kept);
    getrlimit(RLIMIT_AS, &old);
    limit          = old;
    limit.rlim_cur = (rlim_t)(addresses() + bytes / 2);
    setrlimit(RLIMIT_AS, &limit);
    status = one_row_a_page(context->comm, &rows, &halo);
    setrlimit(RLIMIT_AS, &old);
    ON_ALL_RANKS(status == CAIRN_OK, "%s", env->message);
    ON_ALL_RANKS(env->pool.kept < bytes, "%ld bytes kept", (long)env->pool.kept);
    cairn_halo_destroy(&halo);
    cairn_rows_fini(env, &rows);
    cairn_context_destroy(&context);
}
#endif
