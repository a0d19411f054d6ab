// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// X of a caller on several ranks: rows that need no column of another rank read it where
/// it lies, up to the ends of mapped pages, the others read what they need beside the halo;
/// always the bits of the plan's own X, whatever the format.

#include "api/api.h"
#include "every_format.h"
#include "mpi_suite.h"
#include "names.h"
#include "walled.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(callers, .init = mpi_up, .fini = mpi_down);

enum { ROWS = 840, WIDE = 773 };

/// What a matrix has: bands, so that most rows of a rank have its columns alone; a few
/// rows inside that reach far; or any columns, so that hardly a row does.
typedef enum { BANDS, REACHING, SCATTERED, PATTERNS } pattern;

static bool is_stored(pattern p, int i, int j)
{
    if (i % 31 == 11) return false;
    if (p == SCATTERED) return (i * 7 + j * 13) % 97 == 0;
    if (p == REACHING && i % 105 == 52) return j % 40 == 3;
    return abs(i - j) < 3 || i - j == 20 || j - i == 9;
}

static cairn_status
make_source(cairn_context *context, pattern p, int cols, cairn_source **source)
{
    const int64_t extent[2] = {ROWS, cols};
    int64_t      *coord = malloc((size_t)ROWS * ROWS * 2 * sizeof *coord), n = 0;
    double       *value = malloc((size_t)ROWS * ROWS * sizeof *value);

    for (int i = 0; i < ROWS && rank == 0; i++)
        for (int j = 0; j < cols; j++) {
            if (!is_stored(p, i, j)) continue;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = (1 + (i * 31 + j * 17) % 23) / 7.0;
        }
    const cairn_status status = cairn_source_from_coords(context, 2, extent, n, coord,
                                                         value, CAIRN_BY_ROWS, source);

    free(coord);
    free(value);
    return status;
}

/// A plan, its own vectors, and how long they are.
typedef struct {
    cairn_tensor         *tensor;
    cairn_plan           *plan;
    cairn_product_options op;
    bool                  f32;
    char                 *x, *y;
    int64_t               first, xs, ys; ///< Values; the first is global.
    size_t                size;
} product;

static void look_at(product *p)
{
    int64_t first, end;

    p->x = p->f32 ? (void *)cairn_plan_x_f32(p->plan) : (void *)cairn_plan_x(p->plan);
    p->y = p->f32 ? (void *)cairn_plan_y_f32(p->plan) : (void *)cairn_plan_y(p->plan);
    cairn_plan_columns(p->plan, &p->first, &end);
    p->xs = (end - p->first) * p->op.columns;
    cairn_plan_rows(p->plan, &first, &end);
    p->ys   = (end - first) * p->op.columns;
    p->size = p->f32 ? sizeof(float) : sizeof(double);
}

static cairn_status make(cairn_context               *context,
                         cairn_source                *source,
                         const char                  *text,
                         bool                         f32,
                         const cairn_product_options *op,
                         product                     *p)
{
    cairn_format *format = NULL;
    char          named[1024];

    *p = (product){.op = *op, .f32 = f32};
    by_name(text, named, sizeof named);
    cairn_status status = cairn_format_create(context, named, &format);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, f32 ? CAIRN_F32 : CAIRN_F64,
                                     &p->tensor);
    cairn_format_destroy(&format);
    if (status == CAIRN_OK) status = cairn_plan_create_product(p->tensor, op, &p->plan);
    if (status == CAIRN_OK) look_at(p);
    return status;
}

static void end_product(product *p)
{
    cairn_plan_destroy(&p->plan);
    cairn_tensor_destroy(&p->tensor);
}

static void set(const product *p, char *values, int64_t k, double value)
{
    if (p->f32)
        ((float *)(void *)values)[k] = (float)value;
    else
        ((double *)(void *)values)[k] = value;
}

/// The same X on any number of ranks.
static void fill_x(const product *p, char *x)
{
    for (int64_t k = 0; k < p->xs; k++)
        set(p, x, k, (double)((p->first * p->op.columns + k) * 7 % 97 + 1) / 97);
}

static void fill_y(const product *p, char *y)
{
    for (int64_t k = 0; k < p->ys; k++)
        set(p, y, k, p->op.beta == 0 ? NAN : (double)(k % 5 - 2) / 3);
}

/// Nothing is allocated by a run.
static cairn_status run(const product *p, const void *x, void *y)
{
    cairn_env *const env = &p->tensor->context->env;

    env->allowed              = 0;
    const cairn_status status = cairn_plan_run(p->plan, x, y);

    env->allowed = -1;
    return status;
}

static bool run_own(const product *p)
{
    fill_x(p, p->x);
    fill_y(p, p->y);
    return run(p, NULL, NULL) == CAIRN_OK;
}

/// With a caller's X and Y at these places: the bits of @p want.
static bool has_bits(const product *p, char *x, char *y, const char *want)
{
    const size_t bytes = (size_t)p->ys * p->size;

    memset(p->x, 0x5a, (size_t)p->xs * p->size);
    memset(p->y, 0x5a, bytes);
    fill_x(p, x);
    fill_y(p, y);
    return run(p, x, y) == CAIRN_OK && memcmp(y, want, bytes) == 0;
}

/// X and Y end where memory ends, begin where it begins, and begin one element later.
static bool same_at_walls(const product *p, const char *want)
{
    const size_t xs = (size_t)p->xs * p->size, ys = (size_t)p->ys * p->size;
    walled       x = wall(xs), y = wall(ys);
    bool         same = has_bits(p, x.base + x.pages - xs, y.base + y.pages - ys, want);

    same = has_bits(p, x.base, y.base, want) && same;
    same = has_bits(p, x.base + p->size, y.base + p->size, want) && same;
    tear_down(&x);
    tear_down(&y);
    return same;
}

/// They overlap, or are the plan's, wholly or in part: copied, and the same bits.
static bool same_overlapping(const product *p, const char *want)
{
    const size_t xs = (size_t)p->xs * p->size, ys = (size_t)p->ys * p->size;
    char        *memory  = calloc(2 * (xs + ys) + 1, 1);
    char *const  at[][2] = {
         {memory + xs,                         memory},
         {memory,                              p->x  },
         {p->y,                                memory},
         {p->x,                                memory},
         {memory,                              p->y  },
         {memory + ys / 2 / p->size * p->size, memory}
    };
    bool same = true;

    for (size_t k = 0; k < sizeof at / sizeof *at && p->op.beta == 0; k++) {
        const bool fits = p->xs == p->ys || (at[k][0] != p->y && at[k][1] != p->x);

        if (!fits) continue;
        fill_y(p, at[k][1]); /* first: it may be where X is */
        fill_x(p, at[k][0]);
        same = run(p, at[k][0], at[k][1]) == CAIRN_OK && same;
        same = memcmp(at[k][1], want, ys) == 0 && same;
    }
    free(memory);
    return same;
}

static bool
same_bits(cairn_context *context, cairn_source *source, const char *text, int number)
{
    const cairn_product_options op = {.size    = sizeof(cairn_product_options),
                                      .columns = number % 3 == 2 ? 5 : 1,
                                      .alpha   = number % 4 == 3 ? -1.5 : 1,
                                      .beta    = number % 5 == 4 ? 0.75 : 0};
    product                     p;
    bool same = make(context, source, text, number % 2, &op, &p) == CAIRN_OK;

    if (same) {
        char *want = calloc((size_t)p.ys * p.size + 1, 1);

        same = run_own(&p);
        memcpy(want, p.y, (size_t)p.ys * p.size);
        same = same_at_walls(&p, want) && same;
        same = same_overlapping(&p, want) && same;
        same = run_own(&p) && memcmp(p.y, want, (size_t)p.ys * p.size) == 0 && same;
        free(want);
    }
    end_product(&p);
    return same;
}

static cairn_context *open_world(void)
{
    cairn_context *world;

    cr_assert_eq(cairn_context_create_mpi(MPI_COMM_WORLD, &world), CAIRN_OK);
    return world;
}

Test(callers, have_the_bits_of_the_plans_in_every_format, .timeout = 800)
{
    cairn_context *world = open_world();

    for (int p = 0; p < PATTERNS; p++)
        for (int cols = WIDE; cols <= ROWS; cols += ROWS - WIDE) {
            cairn_source *source = NULL;

            ON_ALL_RANKS(make_source(world, p, cols, &source) == CAIRN_OK, "%s",
                         cairn_context_message(world));
            for (int f = 0; f < FORMATS; f++)
                ON_ALL_RANKS(same_bits(world, source, formats[f], f + p + cols),
                             "pattern %d, %d columns, %s: %s", p, cols, formats[f],
                             cairn_context_message(world));
            cairn_source_destroy(&source);
        }
    cairn_context_destroy(&world);
}

/// Columns that a rank's rows read in rows that others' columns are in, too: 1 in @p reads.
static void list_reads(const product *p, pattern kind, bool *reads)
{
    int64_t first, end;

    cairn_plan_rows(p->plan, &first, &end);
    memset(reads, 0, ROWS * sizeof *reads);
    for (int64_t i = first; i < end; i++) {
        bool foreign = false;

        for (int j = 0; j < ROWS; j++)
            foreign |=
                is_stored(kind, (int)i, j) && (j < p->first || j >= p->first + p->xs);
        for (int j = 0; j < ROWS && foreign; j++)
            reads[j] |= is_stored(kind, (int)i, j);
    }
}

/// Values of the plan's own X that a run with a caller's has written, far from what
/// rows with others' columns read.
static int count_written(const product *p, pattern kind)
{
    enum { MARGIN = 24 }; /* pieces end at multiples of their grain; gaps are copied */
    bool reads[ROWS];
    int  written = 0;

    list_reads(p, kind, reads);
    for (int64_t j = p->first; j < p->first + p->xs; j++) {
        bool   near = false;
        double is;

        for (int64_t k = j - MARGIN; k <= j + MARGIN; k++)
            near |= k >= 0 && k < ROWS && reads[k];
        memcpy(&is, p->x + (size_t)(j - p->first) * sizeof is, sizeof is);
        written += !near && is != 1;
    }
    return written;
}

/// Rows that need nothing of others have their X read where it lies: it is not copied.
Test(callers, x_is_not_copied_for_rows_that_need_it_alone, .timeout = 500)
{
    static const char *const    texts[] = {"csr",
                                           "dcsr",
                                           "lil",
                                           "bcsr<2,2>",
                                           "bdia<8>",
                                           "bdcsr<4,2>",
                                           "hybrid<bdia<8>,csr,0.6>"};
    const cairn_product_options op      = CAIRN_PRODUCT_OPTIONS;
    cairn_context              *world   = open_world();
    cairn_source               *source  = NULL;

    ON_ALL_RANKS(make_source(world, BANDS, ROWS, &source) == CAIRN_OK, "%s",
                 cairn_context_message(world));
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        product p;

        ON_ALL_RANKS(make(world, source, texts[t], false, &op, &p) == CAIRN_OK,
                     "%s: %s", texts[t], cairn_context_message(world));
        double *x = malloc((size_t)p.xs * sizeof *x + 1),
               *y = malloc((size_t)p.ys * sizeof *y + 1);

        for (int64_t k = 0; k < p.xs; k++)
            ((double *)(void *)p.x)[k] = 1;
        fill_x(&p, (char *)x);
        const cairn_status status = run(&p, x, y);

        ON_ALL_RANKS(status == CAIRN_OK, "%s: %s", texts[t],
                     cairn_context_message(world));
        ON_ALL_RANKS(count_written(&p, BANDS) == 0, "%s: %d values of x were copied",
                     texts[t], count_written(&p, BANDS));
        free(x);
        free(y);
        end_product(&p);
    }
    cairn_source_destroy(&source);
    cairn_context_destroy(&world);
}

/* ---- wide matrices ---- */

enum { SIDE = 1 << 20, FILLED = 700, IN_ROW = 3 };

/// Entry k of filled row r, anywhere; some rows have two of one block.
static int64_t far_column(int64_t r, int64_t k)
{
    return k == 2 ? (far_column(r, 0) ^ 1)
                  : (int64_t)((uint64_t)(r * 2654435761 + k * 40503 * 65537) % SIDE);
}

static cairn_status make_wide(cairn_context *context, bool all, cairn_source **source)
{
    const int64_t  extent[2] = {SIDE, SIDE};
    static int64_t coord[FILLED * IN_ROW * 2];
    static double  value[FILLED * IN_ROW];
    int64_t        n = 0;

    for (int64_t r = 0; r < FILLED && (all || rank == 0); r++)
        for (int k = 0; k < IN_ROW; k++, n++) {
            coord[2 * n]     = r * (SIDE / FILLED);
            coord[2 * n + 1] = far_column(r, k);
            value[n]         = (double)(n % 31 + 1) / 7;
        }
    return cairn_source_from_coords(context, 2, extent, n, coord, value, CAIRN_BY_ROWS,
                                    source);
}

/// The rows of this rank, as one rank alone computes them.
static bool same_as_alone(cairn_context *alone, const char *text, const product *p)
{
    cairn_source *source = NULL;
    product       one;
    int64_t       first;
    bool          same = make_wide(alone, true, &source) == CAIRN_OK
                && make(alone, source, text, p->f32, &p->op, &one) == CAIRN_OK
                && run_own(&one);

    cairn_plan_rows(p->plan, &first, NULL);
    same = same
           && memcmp(p->y, one.y + (size_t)(first * p->op.columns) * p->size,
                     (size_t)p->ys * p->size)
                  == 0;
    end_product(&one);
    cairn_source_destroy(&source);
    return same;
}

/// A page of x for every entry would be more than the matrix: rows read what they need
/// from a buffer that is as long as that.
Test(callers, wide_matrices_take_what_their_rows_read, .timeout = 500)
{
    static const char *const texts[] = {"csr",       "dcsr",       "coo",    "csf<2>",
                                        "bcsr<2,2>", "bdcsr<4,2>", "sell<4>"};
    cairn_context           *world   = open_world(), *alone;
    cairn_source            *source  = NULL;

    cr_assert_eq(cairn_context_create(&alone), CAIRN_OK);
    ON_ALL_RANKS(make_wide(world, false, &source) == CAIRN_OK, "%s",
                 cairn_context_message(world));
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        const cairn_product_options op = {.size    = sizeof(cairn_product_options),
                                          .columns = t % 3 == 2 ? 3 : 1,
                                          .alpha   = 1};
        int64_t                     used;
        product                     p;

        ON_ALL_RANKS(make(world, source, texts[t], t % 2, &op, &p) == CAIRN_OK,
                     "%s: %s", texts[t], cairn_context_message(world));
        cairn_plan_destroy(&p.plan); /* once more, when its kernels are there */
        used = world->env.live_bytes;
        ON_ALL_RANKS(cairn_plan_create_product(p.tensor, &op, &p.plan) == CAIRN_OK,
                     "%s: %s", texts[t], cairn_context_message(world));
        look_at(&p);
        const cairn_operands *o    = p.plan->replay->common.operands;
        const int64_t         most = (p.xs + p.ys) * (int64_t)p.size + (1 << 20),
                      bytes        = world->env.live_bytes - used
                              - p.tensor->local->group[0].bytes;

        ON_ALL_RANKS(size == 1 || !cairn_operands_has_window(o), "%s has a window",
                     texts[t]);
        ON_ALL_RANKS(bytes < 2 * most, "%s takes %ld bytes, of %ld", texts[t],
                     (long)bytes, (long)most);
        ON_ALL_RANKS(run_own(&p), "%s: %s", texts[t], cairn_context_message(world));
        ON_ALL_RANKS(same_as_alone(alone, texts[t], &p), "%s: other bits than alone",
                     texts[t]);
        char *want = malloc((size_t)p.ys * p.size + 1);

        memcpy(want, p.y, (size_t)p.ys * p.size);
        ON_ALL_RANKS(same_at_walls(&p, want), "%s: other bits", texts[t]);
        ON_ALL_RANKS(same_overlapping(&p, want), "%s: other bits", texts[t]);
        free(want);
        double     rel, abs;
        const bool fine =
            run_own(&p) && cairn_plan_verify(p.plan, source, &rel, &abs) == CAIRN_OK;

        ON_ALL_RANKS(fine, "%s: %s", texts[t], cairn_context_message(world));
        end_product(&p);
    }
    cairn_source_destroy(&source);
    cairn_context_destroy(&alone);
    cairn_context_destroy(&world);
}
