// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The same bits wherever members are, on the first one to four ranks of a job while the
/// others wait: of products, of one with several columns, and of a transposed one that is to
/// be reproducible. All start from CAIRN_DEVICES=cpu:2. The command is held to the same in
/// cli/ranks_same_bits, by a few of these.

#include "api.h"
#include "rank_contexts.h"

#include <string.h>

enum { SIDE = 600, MOST_COLUMNS = 3, PLACES = 3, RANKS = 8 };

static cairn_context
    *some[RANKS + 1]; ///< Of the first n ranks; [0] is this rank's alone.

static void places_up(void)
{
    mpi_up();
    if (cairn_context_create(&some[0]) != CAIRN_OK) abort();
    rank_contexts_open(some);
}

static void places_down(void)
{
    cairn_context_destroy(&some[0]);
    rank_contexts_close(some);
    mpi_down();
}

TestSuite(places, .init = places_up, .fini = places_down);

/// A product, and where its members are in turn.
typedef struct {
    const char           *format;
    cairn_dtype           dtype;
    cairn_product_options op;
    bool                  reproducible;
    int                   threads; ///< 0: as many as the context has.
    const char           *place[PLACES];
} product;

/// A Y of the whole matrix, in the product's type.
typedef struct {
    char   bytes[SIDE * MOST_COLUMNS * sizeof(double)];
    size_t row; ///< Bytes of one.
} result;

/// Entry (j,c) of X, whoever owns it.
static void fill_x(cairn_plan *plan, int64_t columns)
{
    int64_t first, end;

    cairn_plan_columns(plan, &first, &end);
    for (int64_t n = 0; n < (end - first) * columns; n++) {
        const double x = (double)((first * columns + n) % 97 + 1) / 97;

        if (cairn_plan_x(plan))
            cairn_plan_x(plan)[n] = x;
        else
            cairn_plan_x_f32(plan)[n] = (float)x;
    }
}

/// The rows of this rank, into the whole Y (@p keep) or held to those there.
static bool take_rows(const cairn_plan *plan, const product *p, bool keep, result *y)
{
    const void *const from = p->dtype == CAIRN_F64 ? (void *)cairn_plan_y(plan)
                                                   : (void *)cairn_plan_y_f32(plan);
    int64_t           first, end;

    y->row = (size_t)p->op.columns
             * (p->dtype == CAIRN_F64 ? sizeof(double) : sizeof(float));
    cairn_plan_rows(plan, &first, &end);

    char *const  at    = y->bytes + (size_t)first * y->row;
    const size_t bytes = (size_t)(end - first) * y->row;

    if (keep) memcpy(at, from, bytes);
    return memcmp(at, from, bytes) == 0;
}

/// Every place on the ranks of @p context.
/// @param keep  The first place's result is kept, all others are held to it.
static cairn_status
try_places(cairn_context *context, const product *p, bool keep, result *y, bool *same)
{
    const cairn_problem size    = {.size = sizeof size, .n = SIDE, .degree = 6};
    cairn_plan_options  options = CAIRN_PLAN_OPTIONS;
    cairn_source       *source  = NULL;
    cairn_format       *format  = NULL;
    cairn_tensor       *tensor  = NULL;
    cairn_plan         *plan    = NULL;
    double              rel, abs;
    cairn_status status = cairn_source_generate(context, "mixed", &size, &source);

    options.product      = &p->op;
    options.reproducible = p->reproducible;
    if (status == CAIRN_OK && p->threads)
        status = cairn_context_set_threads(context, p->threads);
    if (status == CAIRN_OK) status = cairn_format_create(context, p->format, &format);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, p->dtype, &tensor);
    for (int k = 0; k < PLACES && status == CAIRN_OK; k++) {
        options.place = p->place[k];
        status        = cairn_plan_create_with(tensor, &options, &plan);
        if (status == CAIRN_OK) fill_x(plan, p->op.columns);
        if (status == CAIRN_OK) status = cairn_plan_run(plan, NULL, NULL);
        if (status == CAIRN_OK) status = cairn_plan_verify(plan, source, &rel, &abs);
        if (status == CAIRN_OK) *same = take_rows(plan, p, keep && k == 0, y) && *same;
        cairn_plan_destroy(&plan);
    }
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return status;
}

/// Alone first, whose result all others must have.
static void compare(const product *p, int ranks)
{
    static result y;

    for (int n = 0; n <= ranks && n <= size; n++) {
        cairn_status status = CAIRN_OK;
        bool         same   = true;

        if (some[n]) status = try_places(some[n], p, n == 0, &y, &same);
        ON_ALL_RANKS(status == CAIRN_OK, "%s on %d ranks: %s", p->format, n,
                     cairn_context_message(some[n]));
        ON_ALL_RANKS(same, "%s on %d ranks: other bits", p->format, n);
    }
}

#define DIVIDED                                                     \
    {                                                               \
        "cpu:0", "0=cpu:0,1=cpu:1", "0=cpu:0*0.3+cpu:1*0.7,1=cpu:0" \
    }

Test(places, of_a_product)
{
    static const char *const second[] = {"csr", "csc", "csb<8,8>"};

    for (int s = 0; s < 3; s++)
        for (int t = 0; t < 2; t++) {
            char          format[64];
            const product p = {
                format, t ? CAIRN_F32 : CAIRN_F64, CAIRN_PRODUCT_OPTIONS, true, 0,
                DIVIDED};

            snprintf(format, sizeof format, "hybrid<bdia<4>,%s,0.6>", second[s]);
            compare(&p, 3);
        }
}

Test(places, of_a_product_with_columns)
{
    for (int t = 0; t < 2; t++) {
        const product p = {
            "hybrid<bdia<4>,csr,0.6>",
            t ? CAIRN_F32 : CAIRN_F64,
            {sizeof p.op, MOST_COLUMNS, false, 1, 0},
            false,
            0,
            {"cpu:1",          "0=cpu:1,1=cpu:0",                      "auto"                    }
        };

        compare(&p, 2);
    }
}

/// Of the transpose only those that are to be reproducible.
Test(places, of_a_transposed_product)
{
    static const char *const second[] = {"csr", "csc"};

    for (int s = 0; s < 2; s++) {
        char          format[64];
        const product p = {
            format, CAIRN_F64, {sizeof p.op, 1, true, 1, 0},
              true, 2, DIVIDED
        };

        snprintf(format, sizeof format, "hybrid<bdia<4>,%s,0.6>", second[s]);
        compare(&p, 4);
    }
}
