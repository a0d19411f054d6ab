// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products on several threads: long rows that are shared in cuts, and products that
/// scatter. Values are real numbers whose sums round, so that another order would show;
/// sums of cuts are held to sums made here.

#include "support/brutal.h"
#include "support/product_case.h"

#define COLUMNS_FIRST \
    "#encoding<{ idx_map<(d0,d1)->(d1,d0/2,d0%2)>, mutation<merge(0), trim(0,1)> }>"

/// A tensor of real values, @p percent of all positions and some diagonals stored.
static void open_case(product_case *c,
                      uint64_t      seed,
                      const char   *format,
                      int64_t       rows,
                      int64_t       cols,
                      int           percent)
{
    *c = (product_case){.seed         = seed,
                        .state        = seed + 11,
                        .wish.fixed   = true,
                        .wish.real    = true,
                        .wish.percent = percent};
    by_name(format, c->text, sizeof c->text);
    c->shape.extent[0] = rows;
    c->shape.extent[1] = cols;
    cr_assert(product_case_open(c), "%s: %s", c->text, c->env.message);
}

/// One variant a vector width; all of them the same product.
static void
lower_widths(product_case *c, kernel_batch *batch, int columns, bool transposed)
{
    for (int v = 0; v < PRODUCT_VARIANTS; v++) {
        c->product[v] = (cairn_product){
            .transposed   = transposed,
            .columns      = columns,
            .operand      = CAIRN_IR_F64,
            .accumulate   = CAIRN_IR_F64,
            .vector_bytes = 64 >> v,
            .hints        = {.stream = v == 1, .fetch_x = v == 1, .by_columns = v == 2},
        };
        product_case_kernels(c, batch, v);
    }
}

static void run_case(product_case       *c,
                     const kernel_batch *batch,
                     int                 v,
                     int                 threads,
                     product_operands   *o)
{
    product_operands_make(c, &c->product[v], o);
    for (int64_t i = 0; i < o->rows * o->y_stride; i++)
        product_set(o->y, o->narrow, i, 0);
    product_case_run(c, batch, v, o, threads);
}

static void release(product_operands *o)
{
    guarded_free(&o->memory);
    free(o->expected);
}

static void expect_same(const product_case     *c,
                        const product_operands *one,
                        const product_operands *other,
                        int                     v,
                        int                     threads)
{
    for (int64_t k = 0; k < one->rows * one->columns; k++) {
        const int64_t i = k / one->columns, col = k % one->columns;
        const double  a = product_get(one->y, one->narrow, i * one->y_stride + col),
                     b  = product_get(other->y, other->narrow,
                                      i * other->y_stride + col);

        cr_assert(memcmp(&a, &b, sizeof a) == 0,
                  "%s, variant %d, %d threads: y(%lld,%lld) is %a, not %a", c->text, v,
                  threads, (long long)i, (long long)col, b, a);
    }
}

/// Any number of threads, any width of vectors: the bits of one thread.
static void check_threads(product_case *c, const kernel_batch *batch)
{
    static const int threads[] = {2, 3, 5};
    const uint64_t   state     = c->state;
    product_operands one, other;

    run_case(c, batch, 0, 1, &one);
    for (int k = 0; k < 3 * PRODUCT_VARIANTS; k++) {
        c->state = state;
        run_case(c, batch, k / 3, threads[k % 3], &other);
        expect_same(c, &one, &other, k / 3, threads[k % 3]);
        release(&other);
    }
    c->state = state;
    release(&one);
}

/// What a row's sum is: its entries one after the other, in cuts.
static double sum_in_cuts(const product_case *c, int64_t row, int64_t column)
{
    const bool narrow = c->local->part[0].layout->values.bits == 32;
    double     sum = 0, cut = 0;
    int        seen = 0;

    for (cairn_pos e = 0; e < c->entries.n; e++) {
        if (c->entries.coord[0][e] != row) continue;
        if (seen == CAIRN_CUT) {
            sum += cut;
            seen = 0;
            cut  = 0;
        }
        cut += (narrow ? (float)c->entries.value[e] : c->entries.value[e])
               * (product_operand(c->entries.coord[1][e], column) / 7.0);
        seen++;
    }
    return sum + cut;
}

static void check_cuts(product_case *c, const kernel_batch *batch)
{
    product_operands o;

    run_case(c, batch, 0, 3, &o);
    for (int64_t k = 0; k < o.rows * o.columns; k++) {
        const int64_t i = k / o.columns, col = k % o.columns;
        const double  y        = product_get(o.y, o.narrow, i * o.y_stride + col);
        const double  expected = sum_in_cuts(c, i, col);

        cr_assert(memcmp(&y, &expected, sizeof y) == 0,
                  "%s: Y(%lld,%lld) is %a, not %a", c->text, (long long)i,
                  (long long)col, y, expected);
    }
    release(&o);
}

/// Rows of two cuts and a rest, of one cut and nothing, and short ones.
Test(product_threads, long_rows_have_the_bits_of_one_thread, .timeout = 600)
{
    static const char *const formats[] = {"csr", "coo",     "dcsr",  "lil",
                                          "dok", "c2sr<2>", "csf<2>"};
    enum { FORMATS = sizeof formats / sizeof *formats };
    static product_case cases[2 * FORMATS];
    static kernel_batch batch;

    batch_open(&batch);
    for (int k = 0; k < 2 * FORMATS; k++) {
        open_case(&cases[k], (uint64_t)k, formats[k / 2], 3, 10000 - 2000 * (k % 2),
                  90);
        lower_widths(&cases[k], &batch, k % 2 ? 0 : 1, false);
    }
    batch_build(&batch, "-O1");
    for (int k = 0; k < 2 * FORMATS; k++) {
        check_threads(&cases[k], &batch);
        if (k % 2) check_cuts(&cases[k], &batch);
        product_case_close(&cases[k]);
    }
    batch_close(&batch);
}

/// Exactly one cut, and one entry more: a row's last entries are no whole cut.
Test(product_threads, a_cut_is_whole_where_something_follows, .timeout = 600)
{
    static product_case cases[3];
    static kernel_batch batch;

    batch_open(&batch);
    for (int k = 0; k < 3; k++) {
        open_case(&cases[k], (uint64_t)k, "csr", 2, CAIRN_CUT + k - 1, 100);
        lower_widths(&cases[k], &batch, 0, false);
    }
    batch_build(&batch, "-O1");
    for (int k = 0; k < 3; k++) {
        const cairn_share share =
            cairn_product_share(cases[k].local->group[0].layout, &cases[k].product[0]);
        cairn_work_partition team;

        cr_assert_eq(cairn_work_partition_make(&cases[k].env, &share,
                                               &cases[k].local->part[0].view, 2, 3, 2,
                                               &team),
                     CAIRN_OK);
        cr_expect_eq(team.cuts, k == 2 ? 2 : 0);
        cairn_work_partition_fini(&cases[k].env, &team);
        check_cuts(&cases[k], &batch);
        product_case_close(&cases[k]);
    }
    batch_close(&batch);
}

/// Columns above rows, and transposes of rows above columns.
Test(product_threads, scattered_products_have_the_bits_of_one_thread, .timeout = 600)
{
    static const struct {
        const char *format;
        bool        transposed;
    } of[] = {
        {"csc",         false},
        {"dcsc",        false},
        {"bcsc<4,2>",   false},
        {COLUMNS_FIRST, false},
        {"csr",         true },
        {"dcsr",        true },
        {"csf<2>",      true },
        {"bcsr<2,3>",   true },
    };
    enum { FORMATS = sizeof of / sizeof *of };
    static product_case cases[2 * FORMATS];
    static kernel_batch batch;

    batch_open(&batch);
    for (int k = 0; k < 2 * FORMATS; k++) {
        open_case(&cases[k], (uint64_t)k, of[k / 2].format, 211, 187, 30);
        lower_widths(&cases[k], &batch, k % 2 ? 0 : 1, of[k / 2].transposed);
        cr_expect_eq(
            cairn_product_share(cases[k].local->group[0].layout, &cases[k].product[0])
                .kind,
            CAIRN_SHARE_SCATTER, "%s", cases[k].text);
    }
    batch_build(&batch, "-O1");
    for (int k = 0; k < 2 * FORMATS; k++) {
        check_threads(&cases[k], &batch);
        product_case_close(&cases[k]);
    }
    batch_close(&batch);
}

/// A team for @p threads threads of the product y = A*x.
static cairn_work_partition team_of(product_case *c, int threads)
{
    const cairn_product product = {.columns      = 1,
                                   .operand      = CAIRN_IR_F64,
                                   .accumulate   = CAIRN_IR_F64,
                                   .vector_bytes = 64};
    const cairn_share share = cairn_product_share(c->local->group[0].layout, &product);
    cairn_work_partition team;

    cr_assert_eq(cairn_work_partition_make(&c->env, &share, &c->local->part[0].view,
                                           c->shape.extent[0], 1, threads, &team),
                 CAIRN_OK);
    return team;
}

static int64_t load(const void *array, const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(array, k, level->ptr_bits / 8, level->ptr_bits, false);
}

/// Whose a node and its row are; a second owner fails.
static int owner_of_row[300], owner_of_node[300 * 80];

static void own(const cairn_kernel_level *level, int64_t p, int64_t t)
{
    const int64_t i = cairn_load_int(level->idx, p, level->idx_stride, level->idx_bits,
                                     level->idx_signed);

    cr_expect_eq(owner_of_node[p]++, 0);
    cr_expect(owner_of_row[i] == 0 || owner_of_row[i] == t + 1);
    owner_of_row[i] = (int)t + 1;
}

static void own_under_parents(const cairn_work_partition *team,
                              const cairn_kernel_level   *level,
                              int64_t                     t)
{
    const int64_t *const share = team->share + CAIRN_SHARE_FIELDS * t;

    for (int64_t q = share[0]; q < share[1]; q++)
        for (int64_t p = load(team->first, level, share[2] + q);
             p < load(team->last, level, share[2] + q); p++)
            own(level, p, t);
}

static void
own_steps(const cairn_work_partition *team, const cairn_kernel_level *level, int64_t t)
{
    const int64_t *const share = team->share + CAIRN_SHARE_FIELDS * t;
    int64_t              q = share[2], p = share[3];

    for (int64_t k = share[0]; k < share[1]; k++) {
        q += team->step[2 * k];
        p += team->step[2 * k + 1];
        own(level, p, t);
        cr_expect(load(level->ptr, level, q) <= p
                  && p < load(level->ptr, level, q + 1));
    }
}

/// Every node of a csc is one thread's, and no row has two: with many nodes under a
/// column, and with few.
Test(product_threads, every_node_has_one_thread)
{
    static product_case c;

    for (int few = 0; few < 2; few++) {
        open_case(&c, 5, "csc", 300, 80, few ? 10 : 100);
        const cairn_kernel_level *level = &c.local->part[0].view.level[1];
        cairn_work_partition      team  = team_of(&c, 4);

        memset(owner_of_row, 0, sizeof owner_of_row);
        memset(owner_of_node, 0, sizeof owner_of_node);
        cr_expect_eq(team.shares, 4);
        cr_expect_eq(team.steps > 0, few);
        for (int64_t t = 0; t < team.shares; t++)
            (few ? own_steps : own_under_parents)(&team, level, t);
        for (int64_t p = 0; p < level->nodes; p++)
            cr_expect_eq(owner_of_node[p], 1);
        cairn_work_partition_fini(&c.env, &team);
        product_case_close(&c);
    }
}

/// In a band, too, threads have as many nodes as others.
Test(product_threads, threads_of_a_band_have_as_much)
{
    static product_case c;

    open_case(&c, 6, "csc", 4000, 4000, 0);
    cairn_entries_fini(&c.env, &c.entries);
    cairn_local_destroy(&c.local);
    cairn_format_destroy(&c.format);
    c.state = 1;
    cairn_entries_init(&c.entries, 2);
    for (cairn_coord j = 0; j < 4000; j++)
        for (cairn_coord i = j; i < j + 3 && i < 4000; i++) {
            const cairn_coord d[2] = {i, j};

            cr_assert_eq(cairn_entries_add(&c.env, &c.entries, d, 1), CAIRN_OK);
        }
    cr_assert_eq(cairn_format_parse(&c.env, NULL, c.text, "band", &c.format), CAIRN_OK);
    cr_assert(product_case_build(&c));
    cairn_work_partition team = team_of(&c, 3);

    cr_expect_eq(team.shares, 3);
    for (int64_t t = 0; t < 3; t++) {
        const int64_t *const share = team.share + CAIRN_SHARE_FIELDS * t;

        cr_expect(share[1] - share[0] > 3900 && share[1] - share[0] < 4100);
    }
    cairn_work_partition_fini(&c.env, &team);
    product_case_close(&c);
}

/// Where so little stands under a parent that threads would look up more than they
/// multiply, and where indices do not ascend, one thread does all.
Test(product_threads, one_thread_where_more_have_nothing_to_gain)
{
    static product_case c;

    open_case(&c, 7, "bcsc<2,1>", 20, 3000, 3);
    cairn_work_partition team = team_of(&c, 8);

    cr_expect_eq(team.shares, 1);
    cairn_work_partition_fini(&c.env, &team);
    product_case_close(&c);

    open_case(&c, 8, "csc", 200, 30, 50);
    uint32_t *const idx = (uint32_t *)c.local->part[0].view.level[1].idx;

    if (c.local->part[0].view.level[1].idx_bits == 32) {
        const uint32_t swapped = idx[0];

        idx[0] = idx[1];
        idx[1] = swapped;
    }
    team = team_of(&c, 8);
    cr_expect_eq(team.shares,
                 c.local->part[0].view.level[1].idx_bits == 32 ? 1 : team.shares);
    cairn_work_partition_fini(&c.env, &team);
    product_case_close(&c);
}

/// Half of the entries in one row: the other rows are shared as if it were short.
Test(product_threads, rows_beside_a_long_one_are_shared)
{
    static const char *const formats[] = {"csr", "coo"};
    static product_case      c;

    for (int f = 0; f < 2; f++) {
        open_case(&c, 9, formats[f], 1, 20000, 100);
        cairn_entries_fini(&c.env, &c.entries);
        cairn_local_destroy(&c.local);
        cairn_format_destroy(&c.format);
        c.shape.extent[0] = 20000;
        c.box[0].hi       = 19999;
        cairn_entries_init(&c.entries, 2);
        for (cairn_coord k = 0; k < 40000; k++) {
            const cairn_coord d[2] = {k < 20000 ? 0 : k - 20000, k % 20000};

            if (k == 20000) continue;
            cr_assert_eq(cairn_entries_add(&c.env, &c.entries, d, 1), CAIRN_OK);
        }
        cr_assert_eq(cairn_format_parse(&c.env, NULL, c.text, "arrow", &c.format),
                     CAIRN_OK);
        cr_assert(product_case_build(&c));
        cairn_work_partition team = team_of(&c, 2);
        const int64_t cut = team.share[1] - (f ? 19999 : 0); /* rows of the first */

        cr_expect_eq(team.cuts, 20000 / CAIRN_CUT);
        cr_expect_eq(team.cutters, 2);
        cr_expect_eq(team.shares, 2);
        cr_expect(cut > 7000 && cut < 11000, "%s: %lld", formats[f], (long long)cut);
        cairn_work_partition_fini(&c.env, &team);
        product_case_close(&c);
    }
}

Test(product_threads, survives_every_failed_allocation)
{
    static product_case c;
    const cairn_product product = {.columns      = 1,
                                   .operand      = CAIRN_IR_F64,
                                   .accumulate   = CAIRN_IR_F64,
                                   .vector_bytes = 64};

    for (int f = 0; f < 2; f++) {
        cairn_work_partition team;

        open_case(&c, 3, f ? "csc" : "csr", f ? 100 : 3, f ? 30 : 9000, 90);
        const cairn_share share =
            cairn_product_share(c.local->group[0].layout, &product);

        CAIRN_BRUTAL(&c.env,
                     cairn_work_partition_make(&c.env, &share, &c.local->part[0].view,
                                               c.shape.extent[0], 1, 2, &team));
        cr_expect_eq(team.shares, 2);
        cairn_work_partition_fini(&c.env, &team);
        product_case_close(&c);
    }
}
