// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// f32 products by tiles of rows, held bit by bit to the same product in f64, rounded once:
/// many tiles, several threads and both ways in which these share them, rows that are cut,
/// blocks and windows that tiles must not cut; and random formats.
///
/// The seed is printed; PROPERTY_SEED=N in the environment runs case N alone.

#include "plan/row_tiles.h"
#include "support/crash_note.h"
#include "support/device_file.h"
#include "support/random_format.h"
#include "support/seed.h"

#include <stdlib.h>

TestSuite(row_tiles, .init = up, .fini = down);

enum { SIDE = 9001, MOST_COLUMNS = 40, SMALL = 150, CASES = 40 };

/// A value that a float holds.
static double value_of(uint64_t *state)
{
    return (double)((float)random_below(state, 2000001) / 1e6f - 1);
}

/// Two diagonals and entries anywhere; rows without any, and one with an entry in each
/// column, which is cut.
static cairn_source *draw_matrix(uint64_t *state, int64_t side)
{
    const int64_t most      = 7 * side;
    int64_t      *coord     = malloc(2 * (size_t)most * sizeof *coord);
    double       *value     = malloc((size_t)most * sizeof *value);
    const int64_t extent[2] = {side, side};
    int64_t       n         = 0;
    bool          stored[SIDE]; ///< In the row at hand.
    cairn_source *source;

    for (int64_t i = 0; i < side; i++) {
        memset(stored, i == side / 3, sizeof stored);
        if (!random_chance(state, 10)) {
            stored[i] = stored[(i + 2) % side] = true;
            for (int k = 0; k < 4; k++)
                stored[random_below(state, (int)side)] = true;
        }
        for (int64_t j = 0; j < side; j++) {
            if (!stored[j]) continue;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = value_of(state);
        }
    }
    cr_assert_leq(n, most);
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, value,
                                           CAIRN_BY_ROWS, &source));
    free(coord);
    free(value);
    return source;
}

/// X and Y of one product in both types.
typedef struct {
    cairn_product_options op;
    int64_t               values; ///< Of X, and of Y.
    double               *x, *y;
    float                *x32, *y32;
} vectors;

static vectors draw_operands(uint64_t *state, int64_t side, int64_t columns)
{
    vectors o = {
        .op     = {.size    = sizeof(cairn_product_options),
                   .columns = columns,
                   .alpha   = random_chance(state, 60) ? 1 : -0.5,
                   .beta    = random_below(state, 3) * 0.5},
        .values = side * columns
    };

    o.x   = malloc((size_t)o.values * sizeof *o.x);
    o.y   = malloc((size_t)o.values * sizeof *o.y);
    o.x32 = malloc((size_t)o.values * sizeof *o.x32);
    o.y32 = malloc((size_t)o.values * sizeof *o.y32);
    for (int64_t k = 0; k < o.values; k++) {
        o.x[k] = o.x32[k] = (float)value_of(state);
        o.y[k] = o.y32[k] = random_chance(state, 10) ? -0.0F : (float)value_of(state);
    }
    return o;
}

static void free_operands(vectors *o)
{
    free(o->x);
    free(o->y);
    free(o->x32);
    free(o->y32);
}

static cairn_plan *make_plan(cairn_tensor *tensor, const vectors *o, const char *text)
{
    const cairn_plan_options options = {
        .size = sizeof options, .product = &o->op, .place = "cpu:0"};
    cairn_plan *plan = NULL;

    cr_assert_eq(cairn_plan_create_with(tensor, &options, &plan), CAIRN_OK, "%s: %s",
                 text, cairn_context_message(context));
    return plan;
}

/// Run once in both types, and compare. @return tiles that there were; 0: it was not by
/// tiles.
static int64_t compare(cairn_tensor *tensor[2], vectors *o, const char *text)
{
    cairn_plan            *wide   = make_plan(tensor[0], o, text);
    cairn_plan            *narrow = make_plan(tensor[1], o, text);
    const cairn_row_tiles *tiles  = narrow->replay->sums.tiles;
    int64_t                first, end, number = 0;

    cr_expect_null(wide->replay->sums.tiles);
    cairn_plan_rows(narrow, &first, &end);
    if (tiles) number = (end + tiles->tiles.rows - 1) / tiles->tiles.rows;
    MUST(context, cairn_plan_run(wide, o->x, o->y));
    MUST(context, cairn_plan_run(narrow, o->x32, o->y32));
    for (int64_t k = 0; k < o->values; k++) {
        const float expected = (float)o->y[k];

        cr_assert_eq(memcmp(&o->y32[k], &expected, sizeof expected), 0,
                     "%s, %d columns, alpha %g, beta %g: Y(%d) is %a, not %a", text,
                     (int)o->op.columns, o->op.alpha, o->op.beta, (int)k,
                     (double)o->y32[k], (double)expected);
    }
    cairn_plan_destroy(&wide);
    cairn_plan_destroy(&narrow);
    return number;
}

Test(row_tiles, have_the_bits_of_the_whole, .timeout = 600)
{
    static const char *const formats[] = {
        "hybrid<bdia<64>,csr,0.6>",     "hybrid<dia,sell-sigma<16,256>,0.6>",
        "hybrid<bdia<48>,sell<8>,0.6>", "hybrid<bell<2>,coo,0.5,0.5>",
        "hybrid<dia,ell,0.6>",          "hybrid<bcsr<2,3>,dcsr,0.4>",
    };
    static const int64_t columns[] = {1, 3, MOST_COLUMNS};
    uint64_t             state     = seed_clock();

    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        cairn_source *source    = draw_matrix(&state, SIDE);
        cairn_tensor *tensor[2] = {must_store(context, source, formats[f], CAIRN_F64),
                                   must_store(context, source, formats[f], CAIRN_F32)};

        for (int k = 0; k < 4; k++) {
            vectors o = draw_operands(&state, SIDE, columns[(k + f) % 3]);

            cairn_context_set_threads(context, k == 0 ? 1 : 2 + k % 2);
            use_devices("cpu");
            context->env.options.team = k == 2 ? CAIRN_TEAM_PIECES : CAIRN_TEAM_SHARES;
            cr_expect_geq(compare(tensor, &o, formats[f]), 4, "%s", formats[f]);
            free_operands(&o);
        }
        cairn_tensor_destroy(&tensor[0]);
        cairn_tensor_destroy(&tensor[1]);
        cairn_source_destroy(&source);
    }
}

/// A window of all rows cannot be cut, nor can what has no order of rows.
Test(row_tiles, are_not_taken_where_rows_cannot_be_cut, .timeout = 600)
{
    static const char *const formats[] = {
        "hybrid<dia,cisr-plus<2>,0.6>",
        "hybrid<bdia<4>,csc,0.6>",
        "hybrid<dia,#encoding<{ idx_map<(d0,d1)->(place,d0,d1)>, mutation<merge(0,1), "
        "trim(1,2)>, indirect<{ count = sum(value) groupBy (d0,d1)->(d0); place = "
        "reorder(count) descend }> }>,0.6>",
    };
    uint64_t state = seed_clock();

    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        cairn_source *source    = draw_matrix(&state, SMALL);
        cairn_tensor *tensor[2] = {must_store(context, source, formats[f], CAIRN_F64),
                                   must_store(context, source, formats[f], CAIRN_F32)};
        vectors       o         = draw_operands(&state, SMALL, 1);
        cairn_plan   *plan      = make_plan(tensor[1], &o, formats[f]);

        cr_expect(plan->replay->sums.wide);
        cr_expect_null(plan->replay->sums.tiles, "%s", formats[f]);
        cairn_plan_destroy(&plan);
        free_operands(&o);
        cairn_tensor_destroy(&tensor[0]);
        cairn_tensor_destroy(&tensor[1]);
        cairn_source_destroy(&source);
    }
}

/// One random format; @return as compare(), or -1 where it is refused.
static int64_t try_format(uint64_t seed)
{
    static char   text[RANDOM_FORMAT];
    uint64_t      state     = seed;
    cairn_format *format    = NULL;
    cairn_source *source    = draw_matrix(&state, SMALL);
    cairn_tensor *tensor[2] = {NULL};
    cairn_status  status;
    int64_t       tiles = -1;

    random_format(&state, 2, text, RANDOM_FORMAT);
    crash_note("seed %llu\n%s", (unsigned long long)seed, text);
    status = cairn_format_create(context, text, &format);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F64, &tensor[0]);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F32, &tensor[1]);
    if (status == CAIRN_OK) {
        /* A tile of SpMM has few rows; with beta one member alone needs f64 sums. */
        vectors o = draw_operands(&state, SMALL, MOST_COLUMNS);

        o.op.beta = 0.5;
        tiles     = compare(tensor, &o, text);
        free_operands(&o);
    }
    cairn_tensor_destroy(&tensor[0]);
    cairn_tensor_destroy(&tensor[1]);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return tiles;
}

Test(row_tiles, of_random_formats, .timeout = 1200)
{
    const char *const one     = getenv("PROPERTY_SEED");
    const uint64_t    seed    = one ? strtoull(one, NULL, 10) : seed_clock();
    int               several = 0;

    for (int k = 0; k < (one ? 1 : CASES); k++)
        several += try_format(seed + (uint64_t)k) > 1;
    cr_expect(one || several >= 5, "%d of %d by several tiles", several, CASES);
}
