// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Transposed products that are to be reproducible: the bits of one rank on any number of
/// them, with any threads and places, of formats that are drawn, too.

#include "mpi_suite.h"
#include "random_format.h"
#include "seed.h"

#include <cairn/cairn.h>

#include <stdlib.h>
#include <string.h>

TestSuite(cuts, .init = mpi_up, .fini = mpi_down, .timeout = 800);

enum { MOST_ROWS = 60, MOST_COLS = 40, MOST_WIDE = 3, USUAL_CASES = 12 };

/// A matrix, and how it is multiplied.
typedef struct {
    int64_t     extent[2], n;
    int64_t     coord[2 * MOST_ROWS * MOST_COLS];
    double      value[MOST_ROWS * MOST_COLS];
    char        text[RANDOM_FORMAT];
    cairn_dtype dtype;
    int64_t     columns;
    double      beta;
} example;

/// What is needed on the way, and Y of rows first..end-1.
typedef struct {
    cairn_source *source;
    cairn_format *format;
    cairn_tensor *tensor;
    cairn_plan   *plan;
    int64_t       first, end;
    char          y[MOST_COLS * MOST_WIDE * sizeof(double)];
} job;

static void end_job(job *j)
{
    cairn_plan_destroy(&j->plan);
    cairn_tensor_destroy(&j->tensor);
    cairn_format_destroy(&j->format);
    cairn_source_destroy(&j->source);
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

/// Run it, X and Y of a caller's filled by their rows.
static cairn_status run(job *j, const example *e)
{
    char    x[MOST_ROWS * MOST_WIDE * sizeof(double)];
    int64_t first, end;

    cairn_plan_columns(j->plan, &first, &end);
    for (int64_t k = first * e->columns; k < end * e->columns; k++)
        set(e, x, k - first * e->columns, (double)(k % 97 + 1) / 97);
    cairn_plan_rows(j->plan, &j->first, &j->end);
    for (int64_t k = j->first * e->columns; k < j->end * e->columns; k++)
        set(e, j->y, k - j->first * e->columns, 1 / (double)(k + 3));
    return cairn_plan_run(j->plan, x, j->y);
}

static cairn_status
multiply(cairn_context *context, const example *e, const char *place, job *j)
{
    const cairn_product_options op      = {.size       = sizeof(cairn_product_options),
                                           .columns    = e->columns,
                                           .transposed = 1,
                                           .alpha      = 1.25,
                                           .beta       = e->beta};
    const cairn_plan_options    options = {.size         = sizeof(cairn_plan_options),
                                           .product      = &op,
                                           .place        = place,
                                           .reproducible = true};
    const int64_t               given   = cairn_context_rank(context) == 0 ? e->n : 0;

    memset(j, 0, sizeof *j);
    cairn_status status = cairn_source_from_coords(
        context, 2, e->extent, given, e->coord, e->value, CAIRN_BY_NNZ, &j->source);
    if (status == CAIRN_OK) status = cairn_format_create(context, e->text, &j->format);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(j->source, j->format, e->dtype, &j->tensor);
    if (status == CAIRN_OK)
        status = cairn_plan_create_with(j->tensor, &options, &j->plan);
    return status == CAIRN_OK ? run(j, e) : status;
}

/// The rows of @p j's Y are those of @p alone, which has all.
static bool same_rows(const example *e, const job *j, const job *alone)
{
    const size_t row = (size_t)e->columns * size_of(e);

    return memcmp(j->y, alone->y + (size_t)j->first * row,
                  (size_t)(j->end - j->first) * row)
           == 0;
}

static void draw(example *e, uint64_t *state)
{
    e->n              = 0;
    e->extent[0]      = 1 + random_below(state, MOST_ROWS);
    e->extent[1]      = random_chance(state, 50) && e->extent[0] <= MOST_COLS
                            ? e->extent[0]
                            : 1 + random_below(state, MOST_COLS);
    e->dtype          = random_chance(state, 50) ? CAIRN_F32 : CAIRN_F64;
    e->columns        = 1 + random_below(state, MOST_WIDE);
    e->beta           = random_below(state, 3) / 2.0;
    const int density = 5 + random_below(state, 60);

    for (int64_t i = 0; i < e->extent[0]; i++)
        for (int64_t j = 0; j < e->extent[1]; j++) {
            if (!random_chance(state, density)) continue;
            e->coord[2 * e->n]     = i;
            e->coord[2 * e->n + 1] = j;
            e->value[e->n++]       = 1 + random_below(state, 1000) / 7.0;
        }
}

static cairn_context *open_world(cairn_context **alone)
{
    cairn_context *world = NULL;

    cr_assert_eq(
        cairn_context_create_fortran((int)MPI_Comm_c2f(MPI_COMM_WORLD), &world),
        CAIRN_OK);
    cr_assert_eq(cairn_context_create(alone), CAIRN_OK);
    return world;
}

Test(cuts, have_the_bits_of_one_rank_in_every_place)
{
    static const char *const formats[] = {
        "csr",
        "csc",
        "coo",
        "ell",
        "sell<4>",
        "dia",
        "bdia<8>",
        "bcsr<2,2>",
        "dcsc",
        "csb<8,8>",
        "hybrid<bdia<4>,csr,0.6>",
        "hybrid<bdia<4>,csc,0.6>",
    };
    static const char *const places[] = {"", "cpu:0", "cpu:1", "cpu:0+cpu:1",
                                         "cpu:0*0.3+cpu:1*0.7"};
    cairn_context           *alone, *world = open_world(&alone);
    static example           e;
    static job               all, one;
    uint64_t                 state = 7;

    ON_ALL_RANKS(cairn_devices_check(world, NULL, "cpu:2", 0) == CAIRN_OK, "%s",
                 cairn_context_message(world));
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        draw(&e, &state);
        snprintf(e.text, sizeof e.text, "%s", formats[f]);
        ON_ALL_RANKS(multiply(alone, &e, "", &one) == CAIRN_OK, "%s: %s", e.text,
                     cairn_context_message(alone));
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            cairn_context_set_threads(world, 1 + (int)p % 2);
            cairn_devices_check(world, NULL, "cpu:2", 0);
            ON_ALL_RANKS(multiply(world, &e, places[p], &all) == CAIRN_OK,
                         "%s on %s: %s", e.text, places[p],
                         cairn_context_message(world));
            ON_ALL_RANKS(same_rows(&e, &all, &one), "%s on %s: other bits", e.text,
                         places[p]);
            ON_ALL_RANKS(run(&all, &e) == CAIRN_OK && same_rows(&e, &all, &one),
                         "%s on %s: another result the second time", e.text, places[p]);
            end_job(&all);
        }
        end_job(&one);
    }
    cairn_context_destroy(&alone);
    cairn_context_destroy(&world);
}

/// Orders that are one rank's own.
static bool order_is_local(const example *e)
{
    return strstr(e->text, "schedule") || strstr(e->text, "distance");
}

Test(cuts, have_the_bits_of_one_rank_in_formats_that_are_drawn)
{
    cairn_context *alone, *world = open_world(&alone);
    static example e;
    static job     all, one;
    const int      cases = seed_cases(USUAL_CASES);
    uint64_t       first = seed_clock() * 1000003;
    int            same  = 0;

    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("first seed %llu\n", (unsigned long long)first);
    cairn_context_set_memory(world, 16 << 20);
    cairn_context_set_memory(alone, 16 << 20);
    for (int k = 0; k < cases; k++) {
        uint64_t state = first + (uint64_t)k;

        draw(&e, &state);
        random_format(&state, 2, e.text, sizeof e.text);
        const cairn_status lone = multiply(alone, &e, "", &one);
        const cairn_status ours = multiply(world, &e, "", &all);
        /* One rank alone has all arrays, several a share each and more beside it. */
        const bool may = ours == CAIRN_UNSUPPORTED || ours == CAIRN_NO_MEMORY
                         || lone == CAIRN_NO_MEMORY;

        ON_ALL_RANKS(ours == lone || may, "%d: %s: %s; alone %s", k, e.text,
                     cairn_context_message(world), cairn_context_message(alone));
        if (ours == CAIRN_OK && lone == CAIRN_OK && !order_is_local(&e)) {
            same++;
            ON_ALL_RANKS(same_rows(&e, &all, &one), "%d: %s: other bits", k, e.text);
        }
        end_job(&all);
        end_job(&one);
    }
    ON_ALL_RANKS(same > cases / 4 || !seed_whole(), "only %d compared", same);
    cairn_context_destroy(&alone);
    cairn_context_destroy(&world);
}

/// New values reach what was stored again: twice the values, with their bits.
Test(cuts, have_the_values_that_a_tensor_got)
{
    enum { ROWS = 5 };
    const cairn_product_options op      = {.size       = sizeof(cairn_product_options),
                                           .columns    = 1,
                                           .transposed = 1,
                                           .alpha      = 1};
    const cairn_plan_options    options = {
           .size = sizeof(cairn_plan_options), .product = &op, .reproducible = true};
    cairn_context *alone, *world = open_world(&alone);
    cairn_format  *format        = NULL;
    cairn_tensor  *tensor        = NULL;
    cairn_plan    *plan          = NULL;
    const int64_t  n             = ROWS * size;
    int64_t        ptr[ROWS + 1] = {0}, idx[2 * ROWS];
    double         val[2 * ROWS], x[ROWS], y[ROWS], before[ROWS];

    for (int i = 0; i < ROWS; i++) {
        ptr[i + 1]     = 2 * i + 2;
        idx[2 * i]     = (rank * ROWS + i) % 3;
        idx[2 * i + 1] = n - 1 - i;
        x[i]           = 1 / (double)(3 + i);
    }
    for (int k = 0; k < 2 * ROWS; k++)
        val[k] = 1 + k / 7.0;
    ON_ALL_RANKS(cairn_format_create(world, "csr", &format) == CAIRN_OK, "%s",
                 cairn_context_message(world));
    ON_ALL_RANKS(cairn_tensor_from_csr(world, n, n, rank * ROWS, ROWS, ptr, 64, idx, 64,
                                       val, CAIRN_F64, CAIRN_COPY, format, &tensor)
                     == CAIRN_OK,
                 "%s", cairn_context_message(world));
    ON_ALL_RANKS(cairn_plan_create_with(tensor, &options, &plan) == CAIRN_OK, "%s",
                 cairn_context_message(world));
    ON_ALL_RANKS(cairn_plan_run(plan, x, before) == CAIRN_OK, "%s",
                 cairn_context_message(world));
    for (int k = 0; k < 2 * ROWS; k++)
        val[k] *= 2;
    ON_ALL_RANKS(cairn_tensor_update(tensor, val) == CAIRN_OK, "%s",
                 cairn_context_message(world));
    for (int again = 0; again < 2; again++) {
        ON_ALL_RANKS(cairn_plan_run(plan, x, y) == CAIRN_OK, "%s",
                     cairn_context_message(world));
        for (int i = 0; i < ROWS; i++)
            cr_expect_eq(y[i], 2 * before[i], "row %d: %g, not %g", i, y[i],
                         2 * before[i]);
    }
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_context_destroy(&alone);
    cairn_context_destroy(&world);
}
