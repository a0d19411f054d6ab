// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// X and Y of a caller, used where they lie: at the ends of mapped pages, so that whoever
/// touches a byte beside them is stopped; at any address that the element type allows;
/// overlapping each other or what is the plan's. Always the bits that the plan's own have.

#include "api/api.h"
#include "support/seed.h"
#include "support/suite_context.h"
#include "support/walled.h"

#include <math.h>

enum { ROWS = 203, COLS = 197, MOST = 17 };

TestSuite(callers, .init = context_up, .fini = context_down, .timeout = 600);

/// Diagonals that leave the matrix on both sides, blocks in its corners, rows that are
/// empty, and one that is full.
static bool is_stored(int i, int j)
{
    if (i == 19) return true;
    if (i % 31 == 11) return false;
    return abs(i - j) < 3 || i - j == 40 || j - i == 64 || (i < 5 && j > COLS - 6)
           || (i > ROWS - 6 && (j < 4 || j > COLS - 5)) || (i * 5 + j * 3) % 53 == 0;
}

static cairn_source *make_source(int rows, int cols)
{
    static int64_t coord[2 * ROWS * ROWS];
    static double  value[ROWS * ROWS];
    const int64_t  extent[2] = {rows, cols};
    int64_t        n         = 0;
    cairn_source  *source;

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            if (!is_stored(i, j)) continue;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = (1 + (i * 31 + j * 17) % 23) / 7.0;
        }
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, value,
                                           CAIRN_BY_ROWS, &source));
    return source;
}

static cairn_plan *make_plan(cairn_tensor *tensor, const cairn_product_options *op)
{
    cairn_plan *plan;

    MUST(context, cairn_plan_create_product(tensor, op, &plan));
    return plan;
}

static void set(void *values, bool f32, int64_t k, double value)
{
    if (f32)
        ((float *)values)[k] = (float)value;
    else
        ((double *)values)[k] = value;
}

static void fill_x(void *x, bool f32, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        set(x, f32, k, (double)(k * 7 % 97 + 1) / 97);
}

/// What Y holds before: nothing that may be looked at where beta is 0.
static void fill_y(void *y, bool f32, int64_t n, double beta)
{
    for (int64_t k = 0; k < n; k++)
        set(y, f32, k, beta == 0 ? NAN : (double)(k % 5 - 2) / 3);
}

/// A plan, its own vectors, and how long they are.
typedef struct {
    cairn_plan *plan;
    bool        f32;
    double      beta;
    void       *x, *y; ///< The plan's own.
    int64_t     xs, ys;
    size_t      size;
} product;

static product look_at(cairn_plan *plan, const cairn_product_options *op)
{
    product p = {.plan = plan, .beta = op->beta, .f32 = !cairn_plan_x(plan)};
    int64_t first, end;

    p.x = p.f32 ? (void *)cairn_plan_x_f32(plan) : (void *)cairn_plan_x(plan);
    p.y = p.f32 ? (void *)cairn_plan_y_f32(plan) : (void *)cairn_plan_y(plan);
    cairn_plan_columns(plan, &first, &end);
    p.xs = (end - first) * op->columns;
    cairn_plan_rows(plan, &first, &end);
    p.ys   = (end - first) * op->columns;
    p.size = p.f32 ? sizeof(float) : sizeof(double);
    return p;
}

/// The Y of the plan's own vectors, in the plan.
static void run_own(const product *p)
{
    fill_x(p->x, p->f32, p->xs);
    fill_y(p->y, p->f32, p->ys, p->beta);
    MUST(context, cairn_plan_run(p->plan, NULL, NULL));
}

/// The same of a caller's, twice: nothing is left in them, and the plan's stay.
static void run_lent(const product *p, void *x, void *y, const char *text)
{
    static _Alignas(64) char want[ROWS * MOST * sizeof(double)];
    const size_t             bytes = (size_t)p->ys * p->size;

    run_own(p);
    memcpy(want, p->y, bytes);
    memset(p->x, 0x5a, (size_t)p->xs * p->size);
    memset(p->y, 0x5a, bytes);
    for (int again = 0; again < 2; again++) {
        fill_x(x, p->f32, p->xs);
        fill_y(y, p->f32, p->ys, p->beta);
        MUST(context, cairn_plan_run(p->plan, x, y));
        cr_assert_eq(memcmp(y, want, bytes), 0, "%s: other bits", text);
    }
    memset(want, 0x5a, sizeof want);
    cr_assert_eq(memcmp(p->x, want, (size_t)p->xs * p->size), 0, "%s: x was copied",
                 text);
}

/// X and Y end where memory ends, begin where it begins, and begin one element later.
static void run_at_walls(const product *p, const char *text)
{
    const size_t xs = (size_t)p->xs * p->size, ys = (size_t)p->ys * p->size;
    walled       x = wall(xs), y = wall(ys);

    run_lent(p, x.base + x.pages - xs, y.base + y.pages - ys, text);
    run_lent(p, x.base, y.base, text);
    run_lent(p, x.base + p->size, y.base + p->size, text);
    tear_down(&x);
    tear_down(&y);
}

/// One column, and one of each @p step numbers of them, which ones by @p number.
static void check_tensor(cairn_tensor         *tensor,
                         cairn_product_options op,
                         int                   step,
                         int                   number,
                         const char           *name)
{
    char text[256];

    for (op.columns = 1; op.columns <= MOST; op.columns++) {
        if (op.columns > 1 && (op.columns + number) % step) continue;
        cairn_plan   *plan = make_plan(tensor, &op);
        const product p    = look_at(plan, &op);

        snprintf(text, sizeof text, "%s%s, %d columns, %s, alpha %g, beta %g", name,
                 op.transposed ? " transposed" : "", (int)op.columns,
                 p.f32 ? "f32" : "f64", op.alpha, op.beta);
        run_at_walls(&p, text);
        cairn_plan_destroy(&plan);
    }
}

/// The products that a name is tried with: both types, plain; and another, in one type.
/// Kernels for that many columns are compiled, so every run has a third of the numbers of
/// f64, another third with the next name; SEED_CASES of them are tried under `slow`.
static void check_name(cairn_source *source, const char *text, int number)
{
    const cairn_product_options plain = CAIRN_PRODUCT_OPTIONS;
    const int                   step  = MOST / seed_cases(MOST / 3);

    for (int t = 0; t < 2; t++) {
        cairn_tensor *tensor =
            must_store(context, source, text, t ? CAIRN_F32 : CAIRN_F64);
        cairn_product_options other = plain;

        check_tensor(tensor, plain, t ? 3 : step, number, text);
        other.alpha = -1.5;
        if (number % 2)
            other.transposed = 1;
        else
            other.beta = 0.75;
        if ((number / 2 + t) % 2) check_tensor(tensor, other, 4, number, text);
        cairn_tensor_destroy(&tensor);
    }
}

/// Every format of the catalogue, in four tests that run side by side.
static void check_catalogue(int part)
{
    cairn_source *source = make_source(ROWS, COLS);
    const char   *name;

    for (int k = part; (name = cairn_catalogue_name(context, k)); k += 4) {
        char text[128];

        sample_use(context, name, text, sizeof text);
        check_name(source, text, k / 4);
    }
    cairn_source_destroy(&source);
}

Test(callers, catalogue_first)
{
    check_catalogue(0);
}

Test(callers, catalogue_second)
{
    check_catalogue(1);
}

Test(callers, catalogue_third)
{
    check_catalogue(2);
}

Test(callers, catalogue_fourth)
{
    check_catalogue(3);
}

/// Tiles and blocks of other sizes than the catalogue's samples, and hybrids, of which an
/// f32 one sums in f64.
Test(callers, tiles_and_hybrids)
{
    static const char *const text[] = {"sell<8>",
                                       "bdia<64>",
                                       "bdia<16>",
                                       "bcsr<3,3>",
                                       "bcsr<4,4>",
                                       "bell<3>",
                                       "dia",
                                       "hybrid<bdia<64>,csr,0.6>",
                                       "hybrid<bcsr<3,3>,coo,0.5>"};
    cairn_source            *source = make_source(ROWS, COLS);

    for (int k = 0; k < (int)(sizeof text / sizeof *text); k++)
        check_name(source, text[k], k);
    cairn_source_destroy(&source);
}

/// Interpreted, too.
Test(callers, the_reference_way)
{
    cairn_source *source = make_source(ROWS, COLS);

    context->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    check_name(source, "csr", 0);
    check_name(source, "ell", 1);
    check_name(source, "hybrid<bdia<16>,csr,0.6>", 0);
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
    cairn_source_destroy(&source);
}

/// A run from the bytes of @p x and @p y as they stand, of which a second plan with its
/// own vectors says what they make.
static void run_overlapping(const product *p,
                            const product *other,
                            void          *x,
                            void          *y,
                            const char    *text)
{
    void *const from = x ? x : p->x, *const to = y ? y : p->y;
    const size_t ys = (size_t)p->ys * p->size;

    fill_y(to, p->f32, p->ys, p->beta == 0 ? 1 : p->beta);
    fill_x(from, p->f32, p->xs);
    memcpy(other->x, from, (size_t)p->xs * p->size);
    memcpy(other->y, to, ys);
    MUST(context, cairn_plan_run(other->plan, NULL, NULL));
    MUST(context, cairn_plan_run(p->plan, x, y));
    cr_assert_eq(memcmp(to, other->y, ys), 0, "%s: other bits", text);
}

static void
check_overlaps(cairn_tensor *tensor, const cairn_product_options *op, const char *name)
{
    static _Alignas(64) char memory[9 * COLS * sizeof(double)];
    cairn_plan              *plan[2] = {make_plan(tensor, op), make_plan(tensor, op)};
    const product            p = look_at(plan[0], op), other = look_at(plan[1], op);
    char *const              y = memory + 3 * COLS * sizeof(double);
    char                     text[128];

    for (int64_t by = -p.ys; by <= p.ys; by += by == -p.ys || by == p.ys - 1 ? 1 : 3) {
        snprintf(text, sizeof text, "%s: x %d elements after y", name, (int)by);
        run_overlapping(&p, &other, y + by * (int64_t)p.size, y, text);
    }
    run_overlapping(&p, &other, y, y, "x is y");
    run_overlapping(&p, &other, p.y, y, "x is the plan's y");
    run_overlapping(&p, &other, y, p.x, "y is the plan's x");
    run_overlapping(&p, &other, p.y, p.x, "they are the plan's, the other way round");
    run_overlapping(&p, &other, p.x, p.y, "they are the plan's");
    run_overlapping(&p, &other, p.x, p.x, "both are the plan's x");
    run_overlapping(&p, &other, p.y, p.y, "both are the plan's y");
    run_overlapping(&p, &other, NULL, p.x, "y is the plan's x, which is meant");
    run_overlapping(&p, &other, p.y, NULL, "x is the plan's y, which is meant");
    cairn_plan_destroy(&plan[0]);
    cairn_plan_destroy(&plan[1]);
}

Test(callers, overlapping_ones_are_copied)
{
    static const char *const text[] = {"csr", "csc", "bdia<16>",
                                       "hybrid<bdia<16>,csr,0.6>"};
    cairn_source            *source = make_source(COLS, COLS);

    for (int k = 0; k < 4; k++)
        for (int t = 0; t < 2; t++) {
            cairn_tensor *tensor =
                must_store(context, source, text[k], t ? CAIRN_F32 : CAIRN_F64);

            for (int v = 0; v < 8; v++) {
                const cairn_product_options op = {.size = sizeof(cairn_product_options),
                                                  .columns    = v & 1 ? 3 : 1,
                                                  .transposed = v >> 1 & 1,
                                                  .alpha      = 1,
                                                  .beta       = v & 4 ? 0.75 : 0};

                check_overlaps(tensor, &op, text[k]);
            }
            cairn_tensor_destroy(&tensor);
        }
    cairn_source_destroy(&source);
}

/// What follows a run looks at the vectors that it had.
Test(callers, are_verified_and_written)
{
    const cairn_product_options op     = CAIRN_PRODUCT_OPTIONS;
    cairn_source               *source = make_source(ROWS, COLS);
    cairn_tensor               *tensor = must_store(context, source, "csr", CAIRN_F64);
    cairn_plan                 *plan   = make_plan(tensor, &op);
    const product               p      = look_at(plan, &op);
    static double               x[COLS], y[ROWS];
    double                      rel, abs;

    fill_x(x, false, COLS);
    MUST(context, cairn_plan_run(plan, x, y));
    MUST(context, cairn_plan_verify(plan, source, &rel, &abs));
    cr_expect_eq(memcmp(p.x, x, sizeof x), 0);
    cr_expect_eq(memcmp(p.y, y, sizeof y), 0);
    MUST(context, cairn_plan_run(plan, x, y));
    y[19] *= 1 + 1e-9;
    REFUSED(context, NOT_VERIFIED, "1e-12",
            cairn_plan_verify(plan, source, &rel, &abs));
    y[0] = 77;
    MUST(context, cairn_plan_run(plan, x, NULL)); /* which keeps both */
    memset(x, 0, sizeof x);
    MUST(context, cairn_plan_verify(plan, source, &rel, &abs));
    cr_expect_eq(y[0], 77);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}
