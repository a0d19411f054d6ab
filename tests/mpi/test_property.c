// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random formats on several ranks: what one rank can store all can, the product is the
/// same, and its bits too unless an order is a schedule's.

#include "mpi_suite.h"
#include "narrow_values.h"
#include "seed.h"

#include <cairn/cairn.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(property, .init = mpi_up, .fini = mpi_down);

enum { USUAL_CASES = 80, MOST_ROWS = 24, MOST_COLS = 16 };

typedef struct {
    uint64_t seed;
    int64_t  extent[2], n;
    int64_t  coord[2 * MOST_ROWS * MOST_COLS];
    double   value[MOST_ROWS * MOST_COLS];
    char     text[RANDOM_FORMAT];
    char     via[RANDOM_FORMAT];  ///< Stored in this first, and converted; empty: not.
    char     wide[RANDOM_FORMAT]; ///< What one rank stores it in.
    double   y[2][MOST_ROWS];     ///< Of all ranks, of one.
} example;

static void draw(example *e, uint64_t seed)
{
    uint64_t state = seed;

    e->seed           = seed;
    e->n              = 0;
    e->extent[0]      = 1 + random_below(&state, MOST_ROWS);
    e->extent[1]      = 1 + random_below(&state, MOST_COLS);
    const int density = random_below(&state, 101);

    for (int64_t i = 0; i < e->extent[0]; i++)
        for (int64_t j = 0; j < e->extent[1]; j++) {
            if (!random_chance(&state, density)) continue;
            e->coord[2 * e->n]     = i;
            e->coord[2 * e->n + 1] = j;
            e->value[e->n++]       = 1 + random_below(&state, 1000) / 7.0;
        }
    random_format(&state, 2, e->text, sizeof e->text);
    e->via[0] = '\0';
    strcpy(e->wide, e->text);
}

/// Store a source in a format, by way of another if one is given.
static cairn_status store(cairn_source       *source,
                          const cairn_format *format,
                          const cairn_format *via,
                          cairn_tensor      **tensor)
{
    cairn_tensor *first = NULL;

    if (!via) return cairn_tensor_create(source, format, CAIRN_F64, tensor);
    cairn_status status = cairn_tensor_create(source, via, CAIRN_F64, &first);

    if (status == CAIRN_OK) status = cairn_tensor_convert(first, format, tensor);
    cairn_tensor_destroy(&first);
    return status;
}

/// A plan whose kernels are compiled: one that went the reference way is a failure.
static cairn_status make_plan(cairn_tensor *tensor, cairn_plan **plan)
{
    cairn_plan_info info = CAIRN_PLAN_INFO;

    cairn_status status = cairn_plan_create_spmv(tensor, plan);
    if (status == CAIRN_OK) status = cairn_plan_describe(*plan, &info);
    return status == CAIRN_OK && info.why ? CAIRN_NOT_VERIFIED : status;
}

/// Store and multiply over the ranks of @p context; entries come from its rank 0.
static cairn_status multiply(cairn_context *context,
                             const example *e,
                             const char    *text,
                             const char    *by,
                             double        *y)
{
    cairn_source *source = NULL;
    cairn_format *format = NULL, *via = NULL;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    int64_t       first, end;
    const int64_t given = cairn_context_rank(context) == 0 ? e->n : 0;

    cairn_status status = cairn_source_from_coords(
        context, 2, e->extent, given, e->coord, e->value, CAIRN_BY_NNZ, &source);
    if (status == CAIRN_OK) status = cairn_format_create(context, text, &format);
    if (status == CAIRN_OK && *by) status = cairn_format_create(context, by, &via);
    if (status == CAIRN_OK) status = store(source, format, via, &tensor);
    if (status == CAIRN_OK) status = make_plan(tensor, &plan);
    if (status == CAIRN_OK) {
        cairn_plan_columns(plan, &first, &end);
        for (int64_t j = first; j < end; j++)
            cairn_plan_x(plan)[j - first] = (double)(j % 97 + 1) / 97;
        cairn_tensor_rows(tensor, &first, &end);
        memset(y, 0, MOST_ROWS * sizeof *y);
        status = cairn_plan_run(plan, NULL, y + first);
    }
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_format_destroy(&via);
    cairn_source_destroy(&source);
    return status;
}

/// Orders that are one rank's own.
static bool order_is_local(const example *e)
{
    return strstr(e->text, "schedule") || strstr(e->text, "distance");
}

static bool same_product(const example *e)
{
    for (int64_t i = 0; i < e->extent[0]; i++) {
        const double all = e->y[0][i], one = e->y[1][i];

        if (order_is_local(e) ? fabs(all - one) > 1e-13 * fabs(one)
                              : memcmp(&all, &one, sizeof all) != 0)
            return false;
    }
    return true;
}

/// What several ranks may refuse though one does not: a query's value at a position of
/// another rank, and what must fit on a rank of its own.
static bool may_differ(cairn_status all)
{
    return all == CAIRN_UNSUPPORTED || all == CAIRN_NO_MEMORY;
}

static bool case_holds(cairn_context *world, cairn_context *alone, example *e)
{
    const cairn_status all = multiply(world, e, e->text, e->via, e->y[0]);
    const cairn_status one = multiply(alone, e, e->wide, "", e->y[1]);

    MPI_Allreduce(MPI_IN_PLACE, e->y[0], MOST_ROWS, MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
    if (all == CAIRN_NOT_VERIFIED || one == CAIRN_NOT_VERIFIED) return false;
    if (all != CAIRN_OK || one != CAIRN_OK)
        return all == one || may_differ(all) || (e->via[0] && all != CAIRN_COMM);
    return same_product(e);
}

/// Where all ranks begin.
static uint64_t first_seed(void)
{
    uint64_t first = seed_clock() * 1000003;

    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("first seed %llu\n", (unsigned long long)first);
    return first;
}

/// All ranks, and this one alone.
static void open_contexts(cairn_context **world, cairn_context **alone)
{
    cr_assert_eq(cairn_context_create_fortran((int)MPI_Comm_c2f(MPI_COMM_WORLD), world),
                 CAIRN_OK);
    cr_assert_eq(cairn_context_create(alone), CAIRN_OK);
    cairn_context_set_memory(*world, 16 << 20);
    cairn_context_set_memory(*alone, 16 << 20);
}

Test(property, random_formats_multiply_alike_on_all_ranks, .timeout = 500)
{
    static example e;
    const uint64_t first = first_seed();
    const int      cases = seed_cases(USUAL_CASES);
    cairn_context *world, *alone;
    int            stored = 0;

    open_contexts(&world, &alone);
    for (int k = 0; k < cases; k++) {
        draw(&e, first + (uint64_t)k);
        ON_ALL_RANKS(case_holds(world, alone, &e), "seed %llu: %s | %s\n%s",
                     (unsigned long long)e.seed, cairn_context_message(world),
                     cairn_context_message(alone), e.text);
        stored += order_is_local(&e) ? 0 : 1;
    }
    ON_ALL_RANKS(stored > cases / 2 || !seed_whole(),
                 "only %d cases held to their bits", stored);
    cairn_context_destroy(&alone);
    cairn_context_destroy(&world);
}

Test(property, conversions_multiply_alike_on_all_ranks, .timeout = 500)
{
    static example e, other;
    const uint64_t first = first_seed();
    const int      cases = seed_cases(USUAL_CASES);
    cairn_context *world, *alone;

    open_contexts(&world, &alone);
    for (int k = 0; k < cases; k++) {
        draw(&e, first + (uint64_t)k);
        draw(&other, ~(first + (uint64_t)k));
        strcpy(e.via, other.text);
        ON_ALL_RANKS(case_holds(world, alone, &e), "seed %llu: %s | %s\n%s\nby %s",
                     (unsigned long long)e.seed, cairn_context_message(world),
                     cairn_context_message(alone), e.text, e.via);
    }
    cairn_context_destroy(&alone);
    cairn_context_destroy(&world);
}

/// Some rows have narrower values than others, so that ranks store them in other types.
/// Formats that pad lose stored zeros, without which a row is summed by other pieces.
static void draw_narrow(example *e, uint64_t seed, bool zeros)
{
    uint64_t state = ~seed;

    draw(e, seed);
    const int plain = random_below(&state, MOST_ROWS);

    for (int64_t k = 0; k < e->n; k++)
        do
            e->value[k] = narrow_value(
                &state, e->coord[2 * k] < plain ? (narrow_set)(seed % 5) : NARROW_I16);
        while (!zeros && e->value[k] == 0);
    narrow_text(e->text, "exact");
}

Test(property, narrow_values_multiply_alike_on_all_ranks, .timeout = 500)
{
    static example e;
    const uint64_t first = first_seed();
    const int      cases = seed_cases(USUAL_CASES);
    cairn_context *world, *alone;

    open_contexts(&world, &alone);
    for (int k = 0; k < cases; k++) {
        draw_narrow(&e, first + (uint64_t)k, true);
        ON_ALL_RANKS(case_holds(world, alone, &e), "seed %llu: %s | %s\n%s",
                     (unsigned long long)e.seed, cairn_context_message(world),
                     cairn_context_message(alone), e.text);
    }
    cairn_context_destroy(&alone);
    cairn_context_destroy(&world);
}

Test(property, narrow_values_are_converted_on_all_ranks, .timeout = 500)
{
    static example e, other;
    const uint64_t first = first_seed();
    const int      cases = seed_cases(USUAL_CASES) / 2;
    cairn_context *world, *alone;

    open_contexts(&world, &alone);
    for (int k = 0; k < cases; k++) {
        draw_narrow(&e, first + (uint64_t)k, false);
        draw_narrow(&other, ~(first + (uint64_t)k), false);
        strcpy(e.via, other.text);
        ON_ALL_RANKS(case_holds(world, alone, &e), "seed %llu: %s | %s\n%s\nby %s",
                     (unsigned long long)e.seed, cairn_context_message(world),
                     cairn_context_message(alone), e.text, e.via);
    }
    cairn_context_destroy(&alone);
    cairn_context_destroy(&world);
}
