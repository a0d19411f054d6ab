// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products that fail on one rank alone, before they compute or with some of their sums
/// made, of which others have something: transposed ones, rows that are not consecutive or
/// in parts, chains. The others' Y has what it should or NaN, never another number, none
/// waits for ever, and the next run is right everywhere.

#include "api/api.h"
#include "mpi_suite.h"
#include "random_format.h"
#include "seed.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(failing, .init = mpi_up, .fini = mpi_down, .timeout = 800);

enum { MOST_ROWS = 40, MOST_COLS = 40, MOST_WIDE = 3, USUAL_CASES = 60 };

/// Rows of a rank, and how they are multiplied.
typedef struct {
    int64_t     rows, cols; ///< Of all ranks.
    int64_t     own;        ///< Of each.
    int64_t     ptr[MOST_ROWS + 1];
    int64_t     idx[MOST_ROWS * MOST_COLS];
    double      value[MOST_ROWS * MOST_COLS];
    char        given[MOST_ROWS * MOST_COLS * sizeof(double)]; ///< Of `dtype`.
    const char *format, *place;
    cairn_dtype dtype;
    int64_t     columns;
    double      beta;
    bool        reproducible;
} example;

typedef struct {
    cairn_format *format;
    cairn_tensor *tensor;
    cairn_plan   *plan;
    size_t        bytes; ///< Of the rows of Y that this rank owns.
    char          y[MOST_COLS * MOST_WIDE * sizeof(double)];
} job;

static void end_job(job *j)
{
    cairn_plan_destroy(&j->plan);
    cairn_tensor_destroy(&j->tensor);
    cairn_format_destroy(&j->format);
}

static size_t size_of(const example *e)
{
    return e->dtype == CAIRN_F32 ? sizeof(float) : sizeof(double);
}

static void set(const example *e, void *vector, int64_t k, double number)
{
    if (e->dtype == CAIRN_F32)
        ((float *)vector)[k] = (float)number;
    else
        ((double *)vector)[k] = number;
}

/// The same on all ranks, but for whose rows it holds.
static void draw(example *e, uint64_t *state)
{
    static const char *const formats[] = {
        "csr",     "csc", "coo",       "dia",
        "bdia<4>", "ell", "bcsr<2,2>", "hybrid<bdia<4>,csr,0.6>",
    };
    int64_t n = 0;

    e->own    = 2 + random_below(state, MOST_ROWS / size - 1);
    e->rows   = e->own * size;
    e->cols   = random_chance(state, 50) ? e->rows : 1 + random_below(state, MOST_COLS);
    e->format = formats[random_below(state, sizeof formats / sizeof *formats)];
    e->place  = random_chance(state, 60) ? "cpu:0+cpu:1" : "cpu:0";
    e->dtype  = random_chance(state, 50) ? CAIRN_F32 : CAIRN_F64;
    e->columns        = 1 + random_below(state, MOST_WIDE);
    e->beta           = random_below(state, 3) / 2.0;
    e->reproducible   = random_chance(state, 30);
    const int density = 5 + random_below(state, 60);

    for (int64_t i = 0; i < e->rows; i++) {
        const int64_t at   = i - rank * e->own;
        const bool    mine = at >= 0 && at < e->own;

        if (at == 0) e->ptr[0] = 0;
        for (int64_t c = 0; c < e->cols; c++) {
            if (!random_chance(state, density)) continue;
            const double value = 1 + random_below(state, 1000) / 7.0;

            if (!mine) continue;
            e->idx[n]     = c;
            e->value[n++] = value;
        }
        if (mine) e->ptr[at + 1] = n;
    }
}

/// Values as they are brought: @p factor times those drawn.
static const void *give(example *e, double factor)
{
    for (int64_t k = 0; k < e->ptr[e->own]; k++)
        set(e, e->given, k, factor * e->value[k]);
    return e->given;
}

static cairn_status make(cairn_context *world, example *e, job *j)
{
    const cairn_product_options op      = {.size       = sizeof(cairn_product_options),
                                           .columns    = e->columns,
                                           .transposed = 1,
                                           .alpha      = 1.25,
                                           .beta       = e->beta};
    const cairn_plan_options    options = {.size         = sizeof(cairn_plan_options),
                                           .product      = &op,
                                           .place        = e->place,
                                           .reproducible = e->reproducible};
    int64_t                     first, end;

    *j                  = (job){0};
    cairn_status status = cairn_format_create(world, e->format, &j->format);
    if (status == CAIRN_OK)
        status = cairn_tensor_from_csr(world, e->rows, e->cols, rank * e->own, e->own,
                                       e->ptr, 64, e->idx, 64, (void *)give(e, 1),
                                       e->dtype, CAIRN_COPY, j->format, &j->tensor);
    if (status == CAIRN_OK)
        status = cairn_plan_create_with(j->tensor, &options, &j->plan);
    if (status != CAIRN_OK) return status;
    cairn_plan_rows(j->plan, &first, &end);
    j->bytes = (size_t)((end - first) * e->columns) * size_of(e);
    return CAIRN_OK;
}

/// Run it with an X that is @p factor times the usual one.
static cairn_status run(job *j, const example *e, double factor)
{
    char    x[MOST_ROWS * MOST_WIDE * sizeof(double)];
    int64_t first, end;

    cairn_plan_columns(j->plan, &first, &end);
    for (int64_t k = first * e->columns; k < end * e->columns; k++)
        set(e, x, k - first * e->columns, factor * (double)(k % 97 + 1) / 97);
    cairn_plan_rows(j->plan, &first, &end);
    for (int64_t k = first * e->columns; k < end * e->columns; k++)
        set(e, j->y, k - first * e->columns, 1 / (double)(k + 3));
    return cairn_plan_run(j->plan, x, j->y);
}

static cairn_status bring(job *j, example *e, double factor)
{
    return cairn_tensor_update(j->tensor, give(e, factor));
}

/* ---- faults ---- */

/// What fails on the victim: its memory for new values, or one of its kernels, which
/// computes all the same, or does nothing.
typedef struct {
    int  victim;
    bool memory, computes;
    int  which; ///< Of its subproducts.
} fault;

typedef cairn_status (*run_fn)(cairn_launch *launch, const void *x, void *y);

static cairn_subproduct *broken; ///< Whose kernel fails, if one does,
static run_fn            kernel; ///< and that of all its rows, which may be NULL,
static run_fn            first;  ///< and of its first piece, likewise.
static bool              computes;

static cairn_status fail(cairn_launch *launch, const void *x, void *y)
{
    const run_fn was = launch == &broken->kernel.launch ? kernel : first;

    if (computes) (void)was(launch, x, y);
    return CAIRN_NO_MEMORY;
}

/// Have the kernels of the subproduct that is broken, those that there are.
static void put(run_fn all, run_fn piece)
{
    if (kernel) broken->kernel.launch.run = all;
    if (first) broken->pieces.piece[0].launch.run = piece;
}

static void break_it(cairn_context *world, const job *j, const fault *f)
{
    cairn_replay *replay = j->plan->replay;

    broken = NULL;
    if (rank != f->victim) return;
    if (f->memory) cairn_context_set_memory(world, 1);
    if (f->memory || replay->subproducts == 0) return;
    broken   = &replay->subproduct[f->which % replay->subproducts];
    computes = f->computes;
    kernel   = broken->kernel.launch.run;
    first    = broken->pieces.count > 0 ? broken->pieces.piece[0].launch.run : NULL;
    put(fail, fail);
}

static void repair(cairn_context *world, const fault *f)
{
    if (broken) put(kernel, first);
    if (rank == f->victim && f->memory) cairn_context_set_memory(world, 1 << 30);
}

/* ---- verdicts ---- */

/// Values of Y that are NaN; -1: another is not what it should be.
static int spoilt(const job *j, const example *e, const char *want)
{
    const size_t size = size_of(e);
    int          n    = 0;

    for (size_t at = 0; at < j->bytes; at += size) {
        const bool nan = e->dtype == CAIRN_F32 ? isnan(*(const float *)(j->y + at))
                                               : isnan(*(const double *)(j->y + at));

        if (!nan && memcmp(j->y + at, want + at, size) != 0) return -1;
        n += nan;
    }
    return n;
}

/// What was seen on all ranks.
typedef struct {
    int failed, of_memory; ///< Runs that failed on their victims.
    int spoilt;            ///< Others' values that were NaN then.
} tally;

/// A run that fails, or does not, behind one with other numbers, whose sums would be wrong.
static bool
fails_alone(cairn_context *world, example *e, const fault *f, job *j, tally *seen)
{
    const double values = f->memory ? 2 : 1;
    char         want[sizeof j->y];
    bool         fine;
    int          failed, nans = 0;

    fine = bring(j, e, values) == CAIRN_OK && run(j, e, 2) == CAIRN_OK;
    memcpy(want, j->y, j->bytes);
    fine = bring(j, e, 1) == CAIRN_OK && run(j, e, 1) == CAIRN_OK && fine;
    break_it(world, j, f);
    if (on_all_ranks(!f->memory || bring(j, e, values) == CAIRN_OK)) {
        const cairn_status status = run(j, e, 2);

        failed = status != CAIRN_OK;
        MPI_Bcast(&failed, 1, MPI_INT, f->victim, MPI_COMM_WORLD);
        if (rank != f->victim) nans = spoilt(j, e, want);
        fine = fine && nans >= 0 && (status == CAIRN_OK || rank == f->victim)
               && (nans == 0 || failed);
        seen->failed += failed;
        seen->of_memory += failed && f->memory;
        seen->spoilt += nans;
    }
    repair(world, f);
    return bring(j, e, values) == CAIRN_OK && run(j, e, 2) == CAIRN_OK
           && memcmp(j->y, want, j->bytes) == 0 && fine;
}

Test(failing, transposes_of_one_rank_are_no_sums_of_others)
{
    cairn_context *world = NULL;
    static example e;
    static job     j;
    const int      cases = seed_cases(USUAL_CASES);
    uint64_t       first = seed_clock() * 1000003;
    tally          seen  = {0};

    cr_assert_eq(cairn_context_create_mpi(MPI_COMM_WORLD, &world), CAIRN_OK);
    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("first seed %llu\n", (unsigned long long)first);
    ON_ALL_RANKS(cairn_devices_check(world, NULL, "cpu:2", 0) == CAIRN_OK, "%s",
                 cairn_context_message(world));
    for (int k = 0; k < cases; k++) {
        uint64_t state = first + (uint64_t)k;
        fault    f;

        draw(&e, &state);
        f.victim   = random_below(&state, size);
        f.memory   = !e.reproducible && random_chance(&state, 40);
        f.computes = random_chance(&state, 50);
        f.which    = random_below(&state, 4);
        ON_ALL_RANKS(make(world, &e, &j) == CAIRN_OK, "%d: %s: %s", k, e.format,
                     cairn_context_message(world));
        ON_ALL_RANKS(fails_alone(world, &e, &f, &j, &seen),
                     "%d: %s on %s%s, rank %d without %s: another number", k, e.format,
                     e.place, e.reproducible ? ", reproducible" : "", f.victim,
                     f.memory ? "memory" : "a kernel");
        end_job(&j);
    }
    MPI_Allreduce(MPI_IN_PLACE, &seen.spoilt, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    ON_ALL_RANKS(
        !seed_whole()
            || (seen.failed > cases / 2 && seen.of_memory > 0 && seen.spoilt > 0),
        "%d failed, %d of them without memory; %d values spoilt", seen.failed,
        seen.of_memory, seen.spoilt);
    cairn_context_destroy(&world);
}

/* ---- rows that others get ---- */

enum { SQUARE = 24, PRODUCTS = 3 };

static cairn_status make_square(cairn_context *world, const char *text, job *j)
{
    const int64_t extent[2] = {SQUARE, SQUARE};
    int64_t       coord[2 * 3 * SQUARE], n = 0;
    double        value[3 * SQUARE];
    cairn_source *source = NULL;

    for (int64_t i = 0; i < SQUARE && rank == 0; i++)
        for (int64_t k = 0; k < 3; k++) {
            coord[2 * n]     = i;
            coord[2 * n + 1] = (i + 7 * k) % SQUARE;
            value[n++]       = 1 + (double)(i + k) / 7;
        }
    *j                  = (job){0};
    cairn_status status = cairn_source_from_coords(world, 2, extent, n, coord, value,
                                                   CAIRN_BY_ROWS, &source);
    if (status == CAIRN_OK) status = cairn_format_create(world, text, &j->format);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, j->format, CAIRN_F64, &j->tensor);
    if (status == CAIRN_OK) status = cairn_plan_create_spmv(j->tensor, &j->plan);
    cairn_source_destroy(&source);
    return status;
}

/// Some products, by runs of Y copied to X or by a chain. Y is copied here, too.
static cairn_status multiply(job *j, bool chain, double factor)
{
    double *const x = cairn_plan_x(j->plan);
    int64_t       first, end;

    cairn_plan_columns(j->plan, &first, &end);
    for (int64_t k = first; k < end; k++)
        x[k - first] = factor * (double)(k % 97 + 1) / 97;
    const cairn_status status = chain ? cairn_plan_iterate(j->plan, PRODUCTS)
                                      : cairn_plan_run(j->plan, NULL, NULL);

    cairn_plan_rows(j->plan, &first, &end);
    j->bytes = (size_t)(end - first) * sizeof(double);
    memcpy(j->y, cairn_plan_y(j->plan), j->bytes);
    return status;
}

/// As fails_alone(). @param[in] reached  Others get what fails.
static bool others_hear(cairn_context *world, job *j, bool chain, bool reached)
{
    static const example plain = {.dtype = CAIRN_F64};
    const fault          f     = {.victim = size - 1};
    char                 want[sizeof j->y];
    int                  seen[2]; /* it failed, and values that are NaN */

    bool fine = multiply(j, chain, 2) == CAIRN_OK;
    memcpy(want, j->y, j->bytes);
    fine = multiply(j, chain, 1) == CAIRN_OK && fine;
    break_it(world, j, &f);
    const cairn_status status = multiply(j, chain, 2);

    repair(world, &f);
    seen[0] = status != CAIRN_OK;
    seen[1] = rank == f.victim ? 0 : spoilt(j, &plain, want);
    fine    = fine && seen[0] == (rank == f.victim) && seen[1] >= 0;
    MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return multiply(j, chain, 2) == CAIRN_OK && memcmp(j->y, want, j->bytes) == 0
           && fine && seen[0] == 1 && (seen[1] > 0) == reached;
}

Test(failing, rows_of_one_rank_are_not_numbers_of_others)
{
    static const struct {
        const char *text;
        bool        whole; ///< Rows: they can be iterated.
        bool        elsewhere;
    } formats[] = {
        {"csr",                               true,  false},
        {"csr @ (d0%ranks)",                  true,  true },
        {"csr @ blocks<1,ranks>",             false, true },
        {"hybrid<bdia<4> @ rows, csr @ nnz>", false, true },
    };
    cairn_context *world = NULL;
    static job     j;

    cr_assert_eq(cairn_context_create_mpi(MPI_COMM_WORLD, &world), CAIRN_OK);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        for (int chain = 0; chain <= formats[k].whole; chain++) {
            ON_ALL_RANKS(make_square(world, formats[k].text, &j) == CAIRN_OK, "%s: %s",
                         formats[k].text, cairn_context_message(world));
            ON_ALL_RANKS(others_hear(world, &j, chain, chain || formats[k].elsewhere),
                         "%s%s: other numbers, or none that is NaN", formats[k].text,
                         chain ? ", iterated" : "");
            end_job(&j);
        }
    cairn_context_destroy(&world);
}
