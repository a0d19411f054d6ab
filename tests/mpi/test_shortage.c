// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every allocation of one rank made to fail in turn, on the way from coordinates to a
/// verified product, and from file to file: all ranks learn of it, none waits, nothing
/// is left in memory or on the disk.

#include "api/api.h"
#include "mpi_suite.h"
#include "storage.h"

#include <cairn/mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

TestSuite(shortage, .init = mpi_up, .fini = mpi_down);

/// ELL, whose padding is found by listing what is not stored.
#define LISTED                                                                        \
    "#encoding<{ idx_map<(d0,d1)->(indirect(d1),d0,d1)>, mutation<merge(0), "         \
    "trim(0,0)>, indirect<{ sum(value) groupBy (d0,d1)->(d0); enum(value) groupBy "   \
    "(d0,d1)->(d0) traverseBy (d0,d1)->(2*d1) with value eq 0 -> sumVal | otherwise " \
    "-> 0 }> }>"

/* ---- steps, of which each is starved where those before it are done ---- */

/// What steps make for those after them.
static struct {
    cairn_source *source;
    cairn_format *format;
    cairn_tensor *tensor;
    cairn_plan   *plan;
} made;

/// A step takes memory on every rank. It is undone after a failure, too.
typedef struct {
    cairn_status (*make)(cairn_context *context, const char *text);
    void (*undo)(void);
} step;

static cairn_status gather(cairn_context *context, const char *text)
{
    (void)text;
    return cairn_source_from_coords(context, 2, figure_extent, rank == 0 ? 6 : 0,
                                    figure_coord, figure_value, CAIRN_BY_ROWS,
                                    &made.source);
}

static void undo_gather(void)
{
    cairn_source_destroy(&made.source);
}

static cairn_status store_entries(cairn_context *context, const char *text)
{
    cairn_status status =
        cairn_context_agree(context, cairn_format_create(context, text, &made.format));

    if (status == CAIRN_OK)
        status = cairn_tensor_create(made.source, made.format, CAIRN_F64, &made.tensor);
    return status;
}

static void undo_store(void)
{
    cairn_tensor_destroy(&made.tensor);
    cairn_format_destroy(&made.format);
}

static cairn_status multiply(cairn_context *context, const char *text)
{
    cairn_part_info  *parts = NULL;
    cairn_source_info info  = CAIRN_SOURCE_INFO;
    cairn_plan_info   moved = CAIRN_PLAN_INFO;
    int64_t           count;
    double            rel, abs;
    cairn_status      status = cairn_tensor_parts(made.tensor, &count, &parts);

    (void)context, (void)text;
    if (status == CAIRN_OK) status = cairn_source_describe(made.source, &info);
    if (status == CAIRN_OK) status = cairn_plan_create_spmv(made.tensor, &made.plan);
    if (status == CAIRN_OK) status = cairn_plan_run(made.plan, NULL, NULL);
    if (status == CAIRN_OK) status = cairn_plan_describe(made.plan, &moved);
    if (status == CAIRN_OK)
        status = cairn_plan_verify(made.plan, made.source, &rel, &abs);
    cairn_parts_free(made.tensor, &parts);
    return status;
}

static void undo_plan(void)
{
    cairn_plan_destroy(&made.plan);
}

/* A transposed product whose bits do not depend on the number of ranks: the matrix is
   stored again by its cuts when the plan is made, and anew after new values. */

enum { CUT_ROWS = 3 }; ///< Of each rank.
static const double cut_value[4] = {1, 2, 3, 4};

/// The tensor keeps what its first new values take.
static cairn_status store_rows(cairn_context *context, const char *text)
{
    static const int32_t ptr[CUT_ROWS + 1] = {0, 2, 2, 4};
    const int32_t        own = CUT_ROWS * rank, next = CUT_ROWS * ((rank + 1) % size);
    const int32_t idx[4] = {own < next ? own : next, own < next ? next : own, own,
                            own + 2};
    cairn_status  status =
        cairn_context_agree(context, cairn_format_create(context, text, &made.format));

    if (status == CAIRN_OK)
        status = cairn_tensor_from_csr(
            context, CUT_ROWS * size, CUT_ROWS * size, own, CUT_ROWS, ptr, 32, idx, 32,
            (double *)cut_value, CAIRN_F64, CAIRN_COPY, made.format, &made.tensor);
    if (status == CAIRN_OK)
        status =
            cairn_context_agree(context, cairn_tensor_update(made.tensor, cut_value));
    return status;
}

static cairn_status plan_at_cuts(cairn_context *context, const char *text)
{
    cairn_product_options op      = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;

    (void)context, (void)text;
    op.transposed        = 1;
    options.product      = &op;
    options.reproducible = 1;
    return cairn_plan_create_with(made.tensor, &options, &made.plan);
}

static cairn_status run_with_new_values(cairn_context *context, const char *text)
{
    cairn_status status = cairn_plan_run(made.plan, NULL, NULL);

    (void)text;
    if (status == CAIRN_OK)
        status =
            cairn_context_agree(context, cairn_tensor_update(made.tensor, cut_value));
    if (status == CAIRN_OK) status = cairn_plan_run(made.plan, NULL, NULL);
    return status;
}

static void undo_nothing(void)
{
}

/// Values changed in place, first made wide where they are stored narrow, and what is read
/// of them.
static cairn_status change_values(cairn_context *context, const char *text)
{
    enum { ROWS = 2 };
    static const int32_t ptr[ROWS + 1] = {0, 1, 3};
    static const double  value[3] = {1, 2, 3}, factor[ROWS] = {0.5, 3};
    const int32_t        own    = ROWS * rank;
    const int32_t        idx[3] = {own, own, own + 1};
    cairn_format        *format = NULL;
    cairn_tensor        *tensor = NULL;
    double               diagonal[ROWS], norm;
    cairn_status         status = cairn_context_set_replays(context, 1000);

    if (status == CAIRN_OK)
        status =
            cairn_context_agree(context, cairn_format_create(context, text, &format));
    if (status == CAIRN_OK)
        status = cairn_tensor_from_csr(context, ROWS * size, ROWS * size, own, ROWS,
                                       ptr, 32, idx, 32, value, CAIRN_F64, CAIRN_COPY,
                                       format, &tensor);
    if (status == CAIRN_OK) status = cairn_tensor_scale(tensor, factor, factor);
    if (status == CAIRN_OK) status = cairn_tensor_shift(tensor, 0.25);
    if (status == CAIRN_OK)
        status = cairn_context_agree(context, cairn_tensor_diagonal(tensor, diagonal));
    if (status == CAIRN_OK)
        status = cairn_tensor_norm(tensor, CAIRN_NORM_INFINITY, &norm);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    return status;
}

/// Something that takes memory on every rank; @p what is a format or a file.
typedef cairn_status (*work_fn)(cairn_context *context, const char *what);

/// All allocations of @p victim fail from the n-th on, for every n. What work leaves
/// behind when it succeeds is its own; after a failure `nothing` must be on the disk.
static void starve(cairn_context *context,
                   work_fn        work,
                   const char    *what,
                   const char    *nothing,
                   int            victim)
{
    struct stat  about;
    cairn_status status = work(context, what); /* kernels are loaded once, and kept */

    ON_ALL_RANKS(status == CAIRN_OK, "%s", context->env.message);
    if (nothing) unlink(nothing);
    const int64_t live = context->env.live_blocks;

    for (int64_t n = 0;; n++) {
        context->env.allowed = rank == victim ? n : -1;
        status               = work(context, what);
        context->env.allowed = -1;
        if (status == CAIRN_OK) break;
        /* one verdict: ranks that meet are most of what this takes */
        ON_ALL_RANKS(status == CAIRN_NO_MEMORY && context->env.live_blocks == live,
                     "%s: %ld blocks: %d: %s; %" PRId64 " blocks more than before",
                     what, (long)n, (int)status, context->env.message,
                     context->env.live_blocks - live);
        if (nothing) ON_ALL_RANKS(stat(nothing, &about) != 0, "%s was left", nothing);
    }
    ON_ALL_RANKS(status == CAIRN_OK, "%s", context->env.message);
}

/// The first rank starving, then the last.
static void
starve_each(cairn_context *context, work_fn work, const char *what, const char *nothing)
{
    for (int victim = 0; victim<size; victim += size> 1 ? size - 1 : 1)
        starve(context, work, what, nothing, victim);
}

static const step *tried; ///< The step that is starved.

static cairn_status try_step(cairn_context *context, const char *text)
{
    const cairn_status status = tried->make(context, text);

    tried->undo();
    return status;
}

enum { PLENTY = 1000000 };

/// Blocks that @p context has taken since its allowance was PLENTY.
static int64_t taken(cairn_context *context)
{
    const int64_t left = context->env.allowed;

    context->env.allowed = -1;
    return PLENTY - left;
}

/// All steps in turn, each of them starved, where those before it are done once. One after
/// the other they take as many blocks as all together, so that none is left out.
static void
starve_steps(cairn_context *context, const step *of, int steps, const char *text)
{
    cairn_status status = CAIRN_OK;
    int64_t      whole = 0, sum = 0;

    for (int turn = 0; turn < 2; turn++) { /* the first opens devices, loads kernels */
        context->env.allowed = PLENTY;
        for (int s = 0; s < steps && status == CAIRN_OK; s++)
            status = of[s].make(context, text);
        whole = taken(context);
        for (int s = steps - 1; s >= 0; s--)
            of[s].undo();
        ON_ALL_RANKS(status == CAIRN_OK, "%s: %s", text, context->env.message);
    }
    for (int s = 0; s < steps; s++) {
        tried = &of[s];
        starve_each(context, try_step, text, NULL);
        context->env.allowed = PLENTY;
        status               = of[s].make(context, text);
        sum += taken(context);
        ON_ALL_RANKS(status == CAIRN_OK, "%s: %s", text, context->env.message);
    }
    for (int s = steps - 1; s >= 0; s--)
        of[s].undo();
    ON_ALL_RANKS(sum == whole, "%s: %ld blocks one by one, %ld together", text,
                 (long)sum, (long)whole);
}

static const step products[] = {
    {gather,        undo_gather},
    {store_entries, undo_store },
    {multiply,      undo_plan  },
};

Test(shortage, of_one_rank_is_told_to_all)
{
    static const char *const formats[] = {"csr",
                                          "ell",
                                          "bell<2>",
                                          "cisr-plus<2>",
                                          "serpens<2,4,2>",
                                          "hybrid<bell<2>,coo,0,0.5>"};
    cairn_context           *context;

    cairn_context_create_mpi(MPI_COMM_WORLD, &context);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        starve_steps(context, products, 3, formats[k]);
    cairn_context_destroy(&context);
}

Test(shortage, of_one_rank_that_lists_what_is_not_stored)
{
    cairn_context *context;

    cairn_context_create_mpi(MPI_COMM_WORLD, &context);
    starve_steps(context, products, 3, LISTED);
    cairn_context_destroy(&context);
}

Test(shortage, of_one_rank_that_sums_at_cuts)
{
    static const char *const formats[] = {"csr", "csc", "hybrid<bell<2>,coo,0,0.5>"};
    static const step        steps[]   = {
                 {store_rows,          undo_store  },
                 {plan_at_cuts,        undo_plan   },
                 {run_with_new_values, undo_nothing},
    };
    cairn_context *context;

    cairn_context_create_mpi(MPI_COMM_WORLD, &context);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        starve_steps(context, steps, 3, formats[k]);
    cairn_context_destroy(&context);
}

Test(shortage, of_one_rank_that_changes_values)
{
    static const char *const formats[] = {"csr", "ell", "hybrid<bdia<2>,csr,0.6>"};
    cairn_context           *context;

    cairn_context_create_mpi(MPI_COMM_WORLD, &context);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        starve_each(context, change_values, formats[k], NULL);
    cairn_context_destroy(&context);
}

/* Files: rank 0 writes them into a folder that all ranks know. */
static char folder[64], path[128];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void make_folder(void)
{
    if (rank == 0) {
        snprintf(folder, sizeof folder, "/tmp/cairn-XXXXXX");
        cr_expect_not_null(mkdtemp(folder));
    }
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/// Put a text on the disk; all ranks return when it is there.
static void put(const char *name, const char *text, bool gzip)
{
    in_folder(name);
    if (rank == 0) {
        gzFile file = gzopen(path, gzip ? "wb" : "wbT"); /* T: as it is */

        gzputs(file, text);
        gzclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void drop(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) unlink(path);
    MPI_Barrier(MPI_COMM_WORLD);
}

static cairn_status read_it(cairn_context *context, const char *name)
{
    cairn_source      *source = NULL;
    const cairn_status status = cairn_source_read(context, name, CAIRN_BY_NNZ, &source);

    cairn_source_destroy(&source);
    return status;
}

Test(shortage, of_one_rank_while_reading)
{
    static const struct {
        const char *name, *text;
        bool        gzip;
    } files[] = {
        {"a.mtx",
         "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1\n2 1 2\n4 3 3\n"
         "4 4 4\n",                                                                     false},
        {"a.mtx.gz",
         "%%MatrixMarket matrix coordinate real general\n5 4 3\n1 1 1\n5 2 2\n3 4 3\n", true },
        {"d.mtx",    "%%MatrixMarket matrix array real general\n2 2\n1\n0\n2\n3\n",     false},
        {"a.tns",    "# three modes\n1 1 1 1.5\n2 3 1 -2\n2 3 4 7\n",                   false},
        {"a.tns.gz", "1 1 1 1.5\n2 3 1 -2\n2 3 4 7\n",                                  true },
        {"a.rua",
         "A matrix                                                                A    "
         "   "
         "\n             3             1             1             1             0\n"
         "RUA                        3             3             3             0\n"
         "(4I5)           (3I5)           (3E9.2)             \n"
         "    1    2    3    4\n    1    3    2\n 1.00E+00 2.00E+00 3.00E+00\n",        false},
    };
    cairn_context *context;

    cairn_context_create_mpi(MPI_COMM_WORLD, &context);
    make_folder();
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        put(files[k].name, files[k].text, files[k].gzip);
        starve_each(context, read_it, path, NULL);
        drop();
    }
    if (rank == 0) rmdir(folder);
    cairn_context_destroy(&context);
}

static cairn_tensor *stored; ///< What is written.

static cairn_status write_it(cairn_context *context, const char *name)
{
    (void)context;
    return cairn_tensor_write(stored, name, NULL);
}

static void store(cairn_context *context, const char *text)
{
    cairn_source *source = NULL;
    cairn_format *format = NULL;

    cairn_source_from_coords(context, 2, figure_extent, rank == 0 ? 6 : 0, figure_coord,
                             figure_value, CAIRN_BY_ROWS, &source);
    cairn_format_create(context, text, &format);
    const cairn_status status = cairn_tensor_create(source, format, CAIRN_F64, &stored);

    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    ON_ALL_RANKS(status == CAIRN_OK, "%s", context->env.message);
}

static cairn_status read_arrays(cairn_context *context, const char *name)
{
    cairn_tensor      *tensor = NULL;
    const cairn_status status = cairn_tensor_read(context, name, &tensor);

    cairn_tensor_destroy(&tensor);
    return status;
}

Test(shortage, of_one_rank_while_writing)
{
    static const char *const formats[] = {"csr", "hybrid<bell<2>,coo,0,0.5>",
                                          "csr @ (d0%ranks)"};
    static const char *const names[]   = {"a.cairn", "a.mtx", "a.tns"};
    cairn_context           *context;

    cairn_context_create_mpi(MPI_COMM_WORLD, &context);
    make_folder();
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
            store(context, formats[k]);
            for (int victim = 0; victim<size; victim += size> 1 ? size - 1 : 1) {
                starve(context, write_it, in_folder(names[f]), path, victim);
                if (victim < size - 1) drop();
            }
            cairn_tensor_destroy(&stored);
            starve_each(context, read_it, path, NULL);
            if (f == 0) starve_each(context, read_arrays, path, NULL);
            drop();
        }
    if (rank == 0) cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
    cairn_context_destroy(&context);
}

/// Rows of a file as they lie, as lists, and by way of entries.
Test(shortage, of_one_rank_that_reads_what_one_has_written)
{
    static const char *const formats[] = {"csr", "bcsr<2,2>", "csc",
                                          "csr @ (d0%ranks)"};
    cairn_context           *context, *own;

    cairn_context_create_mpi(MPI_COMM_WORLD, &context);
    cairn_context_create(&own);
    make_folder();
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        cairn_source *source = NULL;
        cairn_format *format = NULL;

        cairn_source_from_coords(own, 2, figure_extent, 6, figure_coord, figure_value,
                                 CAIRN_BY_ROWS, &source);
        cairn_format_create(own, formats[k], &format);
        cr_assert_eq(cairn_tensor_create(source, format, CAIRN_F64, &stored), CAIRN_OK);
        in_folder("b.cairn");
        if (rank == 0) cr_assert_eq(cairn_tensor_write(stored, path, NULL), CAIRN_OK);
        cairn_tensor_destroy(&stored);
        cairn_format_destroy(&format);
        cairn_source_destroy(&source);
        MPI_Barrier(MPI_COMM_WORLD);
        starve_each(context, read_arrays, path, NULL);
        starve_each(context, read_it, path, NULL);
        drop();
    }
    if (rank == 0) cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
    cairn_context_destroy(&own);
    cairn_context_destroy(&context);
}
