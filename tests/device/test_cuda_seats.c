// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a plan's launches on one card do together, on a driver that pretends
/// (tests/fake_cuda): what waits for what, and what is copied. The driver does whatever may
/// be done in an order that is drawn, so that what should have waited shows in bits.

#include "devices/cuda/seat.h"
#include "support/card_plans.h"

/// X of run @p k, which differs from those before in every row.
static void fill(cairn_plan *plan, int k)
{
    int64_t first, end;

    cairn_plan_columns(plan, &first, &end);
    double *const x = cairn_plan_x(plan);
    float *const  f = cairn_plan_x_f32(plan);

    for (int64_t j = 0; j < end - first; j++)
        if (x)
            x[j] = ramp(j + 3 * k) + k;
        else
            f[j] = (float)(ramp(j + 3 * k) + k);
}

static const void *vector_y(const cairn_plan *plan)
{
    const double *const y = cairn_plan_y(plan);

    return y ? (const void *)y : cairn_plan_y_f32(plan);
}

/// Run a plan, and the processor's, with other X each time and another order.
/// @return how often Y is not the processor's.
static int wrong_runs(cairn_plan *plan, cairn_plan *host, int runs)
{
    static unsigned order = 1000;
    int             wrong = 0;
    int64_t         first, end;

    cairn_plan_rows(plan, &first, &end);
    for (int k = 0; k < runs; k++) {
        fake.shuffle(order++);
        fill(plan, k);
        fill(host, k);
        MUST(context, cairn_plan_run(plan, NULL, NULL));
        MUST(context, cairn_plan_run(host, NULL, NULL));
        wrong += memcmp(cairn_plan_y(plan), cairn_plan_y(host),
                        (size_t)(end - first) * sizeof(double))
                 != 0;
    }
    return wrong;
}

/* ---- Long lists beside others ---- */

enum { TALL = 200, BROAD = 10000 };

/// Short rows, and two that are done in pieces.
static cairn_tensor *store_long_rows(const char *format)
{
    static entries e;
    cairn_tensor  *tensor;

    e = (entries){.rows = TALL, .columns = BROAD};
    for (int64_t i = 0; i < TALL; i++)
        for (int64_t j = 0; j < (i == 7 ? 9000 : i == 60 ? 4097 : 3); j++)
            put(&e, i, (j + 31 * i) % BROAD);
    cairn_source *source = source_of(&e);

    tensor = must_store(context, source, format, CAIRN_F64);
    cairn_source_destroy(&source);
    return tensor;
}

static const char *const with_long[] = {"csr", "coo", "csc"};

/// Long lists are the second stream's, in one graph with all else.
Test(cuda_seats, long_lists_beside_others, .timeout = 240)
{
    BEGIN("seed=41");
    for (size_t k = 0; k < sizeof with_long / sizeof *with_long; k++) {
        cairn_tensor *tensor = store_long_rows(with_long[k]);
        cairn_plan   *host   = plan_of(tensor, "cpu", NULL);
        const long    starts = fake.calls("cuLaunchKernel");
        cairn_plan   *plan   = plan_of(tensor, "cuda", NULL);

        cr_expect_geq(fake.calls("cuLaunchKernel") - starts, 4, "%s", with_long[k]);
        const long graphs = fake.calls("cuGraphLaunch");

        cr_expect_eq(wrong_runs(plan, host, 30), 0, "%s: bits differ", with_long[k]);
        cr_expect_eq(fake.calls("cuGraphLaunch") - graphs, 30, "%s", with_long[k]);
        cairn_plan_destroy(&plan);
        cairn_plan_destroy(&host);
        cairn_tensor_destroy(&tensor);
    }
    end();
}

/// A graph that is left without anything that its work waits for computes other bits.
Test(cuda_seats, what_a_graph_waits_for, .timeout = 240)
{
    int needs = 1;

    BEGIN("seed=42");
    cairn_tensor *tensor = store_long_rows("csr");
    cairn_plan   *host   = plan_of(tensor, "cpu", NULL);

    for (int n = 0; n <= needs; n++) {
        fake.cut(n);
        cairn_plan *plan = plan_of(tensor, "cuda", NULL);

        needs           = fake.cut(-1);
        const int wrong = wrong_runs(plan, host, 60);

        if (n < needs)
            cr_expect_gt(wrong, 0, "without %d of %d", n, needs);
        else
            cr_expect_eq(wrong, 0, "with all");
        cairn_plan_destroy(&plan);
    }
    printf("a graph left without each of %d things\n", needs);
    cr_expect_geq(needs, 6);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    end();
}

/// Likewise without a graph: a stream that does not wait for the other.
Test(cuda_seats, what_streams_wait_for, .timeout = 240)
{
    BEGIN("seed=43 register=no");
    cairn_tensor *tensor = store_long_rows("csr");
    cairn_plan   *host   = plan_of(tensor, "cpu", NULL),
               *plan     = plan_of(tensor, "cuda", NULL);

    cr_expect_eq(wrong_runs(plan, host, 30), 0);
    for (int n = 0; n < 2; n++) {
        int wrong = 0;

        for (int k = 0; k < 60; k++) {
            fake.forget(n);
            wrong += wrong_runs(plan, host, 1 + k % 2) > 0;
        }
        fake.forget(-1);
        cr_expect_gt(wrong, 0, "the wait number %d is not needed", n);
        cr_expect_eq(wrong_runs(plan, host, 2), 0);
    }
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    end();
}

/* ---- The rows of X that are read ---- */

enum { SIDE = 4000, FROM = 1000, TILL = 1500 };

/// Entries in columns FROM .. TILL alone, one in each of the two,
static cairn_source *narrow_source(bool transposed)
{
    static entries e;

    e = (entries){.rows = SIDE, .columns = SIDE};
    for (int64_t i = 0; i < SIDE; i += 3)
        for (int64_t d = 0; d < 4; d++) {
            const int64_t j = FROM + (i / 8 + 120 * d) % (TILL - FROM + 1);

            if (transposed)
                put(&e, j, i);
            else
                put(&e, i, j);
        }
    return source_of(&e);
}

/// A format whose padding, if it has some, names what rows.
typedef struct {
    const char *text;
    int64_t     rows; ///< Of X, that are copied; 0: at least those that are read.
} windowed;

static void check_window(const windowed *w, bool transposed, const char *place)
{
    const cairn_product_options op = {
        .size = sizeof op, .columns = 1, .alpha = 1, .transposed = transposed};
    cairn_source *source = narrow_source(transposed);
    cairn_tensor *tensor = must_store(context, source, w->text, CAIRN_F64);
    cairn_plan *host = plan_of(tensor, "cpu", &op), *plan = plan_of(tensor, place, &op);

    cr_expect_eq(wrong_runs(plan, host, 3), 0, "%s at %s: bits differ", w->text, place);
    const size_t before = fake.up();

    cr_expect_eq(wrong_runs(plan, host, 1), 0, "%s at %s", w->text, place);
    const int64_t rows = (int64_t)(fake.up() - before) / 8;

    if (w->rows > 0)
        cr_expect_eq(rows, w->rows, "%s at %s: %lld rows", w->text, place,
                     (long long)rows);
    else
        cr_expect(rows >= TILL - FROM + 1 && rows <= SIDE, "%s at %s: %lld rows",
                  w->text, place, (long long)rows);
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// From the first row of X that is read to the last: nothing beside them is copied, nor is
/// there room for it.
Test(cuda_seats, rows_of_x_that_are_read, .timeout = 240)
{
    static const windowed formats[] = {
        {"csr",             TILL - FROM + 1},
        {"coo",             TILL - FROM + 1},
        {"csc",             TILL - FROM + 1},
        {"bcsr<4,3>",       TILL - FROM + 4},
        {"hybrid<dia,ell>", 0              },
        {"ell",             0              },
        {"sell<32>",        0              },
        {"dia",             0              },
    };

    BEGIN("seed=44");
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        check_window(&formats[k], false, "cuda");
        check_window(&formats[k], false, "cpu*0.3+cuda*0.7");
        if (formats[k].text[0] != 'b') check_window(&formats[k], true, "cuda");
    }
    end();
}

/* ---- An X and a Y that are lent ---- */

enum {
    LONG_SIDE = 2100000,
    PIECES    = 5,
    READ      = LONG_SIDE - 6 ///< Rows of X that store_long() reads, first to last.
};

/// One entry in each of @p rows rows, at most LONG_SIDE.
static cairn_tensor *store_rows(int64_t rows)
{
    static int64_t ptr[LONG_SIDE + 1], idx[LONG_SIDE];
    static double  val[LONG_SIDE];
    cairn_format  *format = must_format(context, "csr");
    cairn_tensor  *tensor = NULL;

    for (int64_t i = 0; i < rows; i++) {
        ptr[i + 1] = i + 1;
        idx[i]     = (i * 7 + 3) % rows;
        val[i]     = 1 + (double)(i % 9) / 8;
    }
    MUST(context, cairn_tensor_from_csr(context, rows, rows, 0, rows, ptr, 64, idx, 64,
                                        val, CAIRN_F64, CAIRN_COPY, format, &tensor));
    cairn_format_destroy(&format);
    return tensor;
}

/// More than a piece of X and of Y.
static cairn_tensor *store_long(void)
{
    return store_rows(LONG_SIDE);
}

/// A band, of which each stretch of rows reads the same stretch of X and a bit beside it.
static cairn_tensor *store_band(const char *text, cairn_dtype dtype)
{
    static const int64_t offset[] = {-900, -1, 0, 2, 700};
    enum { OFFSETS = 5 };
    static int64_t ptr[LONG_SIDE + 1], idx[OFFSETS * LONG_SIDE];
    static double  wide[OFFSETS * LONG_SIDE];
    static float   half[OFFSETS * LONG_SIDE];
    cairn_format  *format = must_format(context, text);
    cairn_tensor  *tensor = NULL;
    int64_t        n      = 0;

    for (int64_t i = 0; i < LONG_SIDE; i++) {
        for (int k = 0; k < OFFSETS && i % 1000 != 7; k++) {
            if (i + offset[k] < 0 || i + offset[k] >= LONG_SIDE) continue;
            idx[n]  = i + offset[k];
            wide[n] = 1 + (double)((i + k) % 9) / 8;
            half[n] = (float)wide[n];
            n++;
        }
        ptr[i + 1] = n;
    }
    MUST(context,
         cairn_tensor_from_csr(context, LONG_SIDE, LONG_SIDE, 0, LONG_SIDE, ptr, 64,
                               idx, 64, dtype == CAIRN_F64 ? (void *)wide : half, dtype,
                               CAIRN_COPY, format, &tensor));
    cairn_format_destroy(&format);
    return tensor;
}

/// A run with an X of the caller's, or with the plan's own. @return copies of X that were
/// asked for one by one.
static long run_with(cairn_plan *plan, cairn_plan *host, const double *x)
{
    const size_t bytes  = LONG_SIDE * sizeof(double);
    double      *y      = malloc(2 * bytes);
    const long   before = fake.calls("cuMemcpyHtoDAsync_v2");

    MUST(context, cairn_plan_run(plan, x, y));
    const long copies = fake.calls("cuMemcpyHtoDAsync_v2") - before;

    MUST(context, cairn_plan_run(host, x, y + LONG_SIDE));
    cr_expect_eq(memcmp(y, y + LONG_SIDE, bytes), 0, "%s: bits differ",
                 x ? "a caller's" : "the plan's own");
    free(y);
    return copies;
}

static void check_note(cairn_plan *plan, const char *words)
{
    cairn_plan_part *part;
    int64_t          count;

    MUST(context, cairn_plan_parts(plan, &count, &part));
    cr_expect(*words ? strstr(part[0].note, words) != NULL : !part[0].note[0],
              "'%s' is not in '%s'", words, part[0].note);
    cairn_plan_parts_free(plan, &part);
}

/// A run with the plan's own X and Y. @return copies of Y that were asked for: what shares
/// pages with others, on either side, and the rest.
static long run_own(cairn_plan *plan, cairn_plan *host)
{
    const long before = fake.calls("cuMemcpyDtoHAsync_v2");

    MUST(context, cairn_plan_run(plan, NULL, NULL));
    const long copies = fake.calls("cuMemcpyDtoHAsync_v2") - before;

    MUST(context, cairn_plan_run(host, NULL, NULL));
    cr_expect_eq(
        memcmp(cairn_plan_y(plan), cairn_plan_y(host), LONG_SIDE * sizeof(double)), 0,
        "bits differ where Y is the plan's own");
    return copies;
}

/// Pinned are the plan's X and Y where they lie, and two pieces each by which an X and a Y of
/// a caller's go: none of these is as long as X.
static void check_pinned(bool lent)
{
    const size_t bytes = LONG_SIDE * sizeof(double), piece = 4 << 20;
    const size_t pinned = fake.pinned();

    cr_expect_eq(pinned > 0, lent);
    cr_expect_leq(pinned, 2 * bytes + 4 * piece);
}

static void
check_lent(const char *settings, bool never, const char *note, long copies, long of_y)
{
    BEGIN(settings);
    if (never) context->env.options.cuda_register = CAIRN_CUDA_REGISTER_NEVER;
    cairn_tensor *tensor = store_long();
    cairn_plan   *host   = plan_of(tensor, "cpu", NULL),
               *plan     = plan_of(tensor, "cuda", NULL);
    double *x            = malloc(LONG_SIDE * sizeof *x);

    check_note(plan, note);
    for (int k = 0; k < 3; k++) {
        fill(plan, k);
        fill(host, k);
        for (int64_t j = 0; j < LONG_SIDE; j++)
            x[j] = ramp(j) - k;
        cr_expect_eq(run_with(plan, host, NULL), copies, "of the plan's own, in run %d",
                     k);
        cr_expect_eq(run_with(plan, host, x), PIECES, "of a caller's, in run %d", k);
        check_pinned(copies == 0);
        cr_expect_eq(run_own(plan, host), of_y, "of Y, in run %d", k);
    }
    free(x);
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    end();
}

/// The plan's own X goes to the card from where it lies, in the graph; a caller's is copied
/// to pinned memory first, in pieces of 4 MB.
Test(cuda_seats, the_x_of_a_plan_is_lent)
{
    check_lent("seed=48", false, "", 0, 3);
}

/// Where it cannot be pinned, or must not, it is copied as a caller's.
Test(cuda_seats, an_x_that_cannot_be_lent)
{
    check_lent("seed=49 register=no", false,
               "X is copied on the host first: CUDA_ERROR_NOT_SUPPORTED", PIECES,
               PIECES);
}

Test(cuda_seats, an_x_that_must_not_be_lent)
{
    check_lent("seed=50", true, "X is copied on the host first: CAIRN_CUDA_REGISTER",
               PIECES, PIECES);
}

/// Copies of a Y on its way to a caller's, all of which are asked for when the run starts:
/// eight pieces, of which the first and the last share pages with others.
enum { COPIED_ON = 10 };

/// What a run with an X and a Y of a caller's copies: every byte of Y comes over the bus
/// once, to where the plan has its own, and is copied on from there. Where the product is
/// added to it, the sums come to where the plan has them, once, and none but those that share
/// pages by way of other memory. Y itself never goes up.
Test(cuda_seats, the_way_of_a_callers_y)
{
    static double x[LONG_SIDE], y[2][LONG_SIDE];
    const size_t  bytes = sizeof x;

    BEGIN("seed=58");
    cairn_tensor *tensor = store_long();

    for (int added = 0; added < 2; added++) {
        cairn_product_options op = CAIRN_PRODUCT_OPTIONS;

        op.beta          = added ? 0.5 : 0;
        cairn_plan *host = plan_of(tensor, "cpu", &op),
                   *plan = plan_of(tensor, "cuda", &op);

        for (int run = 0; run < 3; run++) {
            for (int64_t j = 0; j < LONG_SIDE; j++) {
                x[j]    = ramp(j) - run;
                y[0][j] = y[1][j] = ramp(j + 1);
            }
            const long copies = fake.calls("cuMemcpyDtoHAsync_v2"),
                       graphs = fake.calls("cuGraphLaunch");
            const size_t up = fake.up(), down = fake.down();

            MUST(context, cairn_plan_run(plan, x, y[0]));
            cr_expect_eq(fake.calls("cuMemcpyDtoHAsync_v2") - copies,
                         added ? 3 : COPIED_ON);
            cr_expect_eq(fake.calls("cuGraphLaunch") - graphs, 1);
            cr_expect_eq(fake.down() - down, bytes, "%zu bytes of Y come down",
                         fake.down() - down);
            cr_expect_eq(fake.up() - up, READ * sizeof *x, "%zu bytes go up",
                         fake.up() - up);
            MUST(context, cairn_plan_run(host, x, y[1]));
            cr_expect_eq(memcmp(y[0], y[1], bytes), 0, "beta %g, run %d: bits differ",
                         op.beta, run);
        }
        cairn_plan_destroy(&plan);
        cairn_plan_destroy(&host);
    }
    cairn_tensor_destroy(&tensor);
    end();
}

/// A caller may have X, or Y, where the plan has its own Y, or beside it: nothing comes there
/// then that is not to be there.
Test(cuda_seats, a_callers_that_lies_in_the_plans)
{
    const size_t bytes = LONG_SIDE * sizeof(double);
    double      *other = malloc(2 * bytes);

    BEGIN("seed=82");
    cairn_tensor *tensor = store_long();
    cairn_plan   *host   = plan_of(tensor, "cpu", NULL),
               *plan     = plan_of(tensor, "cuda", NULL);
    double *const own    = cairn_plan_y(plan);
    const struct {
        double *x, *y;
        long    copies;
    } runs[] = {
        {own,               other,              PIECES   }, /* X in the plan's Y */
        {other,             own,                3        }, /* Y is the plan's own */
        {other,             cairn_plan_x(plan), COPIED_ON}, /* Y in its X */
        {other + LONG_SIDE, other,              COPIED_ON},
    };

    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        for (int64_t j = 0; j < LONG_SIDE; j++)
            runs[k].x[j] = ramp(j) - (double)k;
        MUST(context, cairn_plan_run(host, runs[k].x, NULL));
        const long copies = fake.calls("cuMemcpyDtoHAsync_v2");

        MUST(context, cairn_plan_run(plan, runs[k].x, runs[k].y));
        cr_expect_eq(fake.calls("cuMemcpyDtoHAsync_v2") - copies, runs[k].copies,
                     "%zu: %ld copies", k, fake.calls("cuMemcpyDtoHAsync_v2") - copies);
        cr_expect_eq(memcmp(runs[k].y, cairn_plan_y(host), bytes), 0,
                     "%zu: bits differ", k);
    }
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    free(other);
    end();
}

enum {
    FEWER = 1100000, ///< Rows: three pieces of a ring.
    LEAST = 140000   ///< Rows that are no piece by themselves.
};

/// A run in which call @p n fails: Y is the processor's then. @p y: it, and what it is to be.
/// @return was there such a call?
static bool fail_once(cairn_tensor *tensor,
                      const char   *name,
                      int           n,
                      int           code,
                      double       *x,
                      double       *y[2])
{
    cairn_plan *plan = plan_of(tensor, "cuda", NULL);
    int64_t     first, rows;

    cairn_plan_rows(plan, &first, &rows);
    memset(y[0], 0xff, (size_t)rows * sizeof(double));
    fake.fail(name, n, code);
    MUST(context, cairn_plan_run(plan, x, y[0]));
    const bool failed = fake.failed(), late = fake.late() != 0;

    fake.fail(NULL, -1, 0);
    cr_expect_not(late, "%s, call %d: asked after it", name, n);
    cr_expect_eq(memcmp(y[0], y[1], (size_t)rows * sizeof(double)), 0,
                 "%s, call %d: bits differ", name, n);
    cairn_plan_destroy(&plan);
    mend();
    return failed;
}

/// Every call that brings pieces of such a Y fails once. @p ring: by a ring of two pieces,
/// nothing of the plan's being pinned, for good; else with a failure that passes, since what
/// a lost card has pinned stays, and but one for good.
static void check_pieces_that_fail(const char *settings, int64_t rows, bool ring)
{
    static const char *const names[]    = {"cuMemcpyDtoHAsync_v2", "cuEventRecord",
                                           "cuEventQuery"};
    static const int         least[][3] = {
                {COPIED_ON, 9, 8},
                {3,         6, 3}
    };
    static double x[FEWER], got[FEWER], right[FEWER];
    double       *y[2] = {got, right};

    BEGIN(settings);
    if (ring) context->env.options.cuda_register = CAIRN_CUDA_REGISTER_NEVER;
    cairn_tensor *tensor = store_rows(rows);
    cairn_plan   *host   = plan_of(tensor, "cpu", NULL);

    for (int64_t j = 0; j < rows; j++)
        x[j] = ramp(j);
    MUST(context, cairn_plan_run(host, x, right));
    cairn_plan_destroy(&host);
    for (int k = 0; k < 3; k++) {
        int n = 0;

        while (fail_once(tensor, names[k], n, ring ? 700 : 801, x, y))
            n++;
        cr_expect_geq(n, least[ring][k], "%s: %d calls", names[k], n);
    }
    cr_expect(fail_once(tensor, names[0], 4, 700, x, y) || ring);
    cairn_tensor_destroy(&tensor);
    fake.mend();
    cairn_context_destroy(&context);
}

Test(cuda_seats, pieces_of_a_y_that_fail, .timeout = 240)
{
    check_pieces_that_fail("seed=59 memory=64G", FEWER, true);
}

Test(cuda_seats, pieces_of_a_y_that_land_and_fail, .timeout = 240)
{
    check_pieces_that_fail("seed=83 memory=64G", LEAST, false);
}

/// The driver refuses to pin the plan's X alone.
Test(cuda_seats, an_x_that_is_refused)
{
    BEGIN("seed=51");
    cairn_tensor *tensor = store_long();
    cairn_plan   *host   = plan_of(tensor, "cpu", NULL), *plan;
    long          pins   = fake.calls("cuMemHostRegister_v2");

    plan = plan_of(tensor, "cuda", NULL);
    pins = fake.calls("cuMemHostRegister_v2") - pins;
    cairn_plan_destroy(&plan);
    fake.fail("cuMemHostRegister_v2", pins - 2, 801); /* the last is Y's */
    plan = plan_of(tensor, "cuda", NULL);
    cr_expect(fake.failed());
    check_note(plan, "X is copied on the host first: CUDA_ERROR_NOT_SUPPORTED");
    fill(plan, 1);
    fill(host, 1);
    cr_expect_eq(run_with(plan, host, NULL), PIECES);
    cr_expect_eq(run_own(plan, host), 3);
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    fake.mend();
    end();
}

/// Two seats, as of two ways to run one product, have one X: it is pinned once, and let go
/// when the second leaves.
Test(cuda_seats, an_x_that_is_lent_twice)
{
    static const cairn_product_options op = CAIRN_PRODUCT_OPTIONS;
    static double                      x[LONG_SIDE], y[2][LONG_SIDE];
    cairn_launch                       launch[2] = {{0}, {0}};
    cairn_seat                         seat[2];
    const void                        *own  = x;
    static const cairn_seat_landing    none = {.y = NULL};
    const cairn_seat_loan              loan = {&own, &none};

    BEGIN("seed=55");
    cairn_device *card   = &context->devices->device[1];
    cairn_tensor *tensor = store_long();

    for (int k = 0; k < 2; k++) {
        const cairn_device_work work = {
            .tensor = tensor->local, .op = &op, .alone = true, .seat = &seat[k]};
        const long before = fake.calls("cuMemHostRegister_v2");

        MUST(context, card->ops.build(card, &work, &launch[k]));
        cairn_launch *const one    = &launch[k];
        const long          pinned = fake.calls("cuMemHostRegister_v2");

        MUST(context, card->ops.seat(card, &one, &loan, 1, &seat[k]));
        cr_expect_eq(fake.calls("cuMemHostRegister_v2") - pinned, 1 - k);
        cr_expect_gt(pinned, before);
    }
    for (int run = 0; run < 4; run++) {
        const int  k      = run % 2;
        const long before = fake.calls("cuMemcpyHtoDAsync_v2");

        for (int64_t j = 0; j < LONG_SIDE; j++)
            x[j] = ramp(j) + run / 2;
        void *const to = y[k];

        cr_expect_eq(seat[k].start(&seat[k], &own, &to), CAIRN_OK);
        cr_expect_eq(seat[k].finish(&seat[k], 0, y[k]), CAIRN_OK);
        cr_expect_eq(fake.calls("cuMemcpyHtoDAsync_v2"), before);
        if (k) cr_expect_eq(memcmp(y[0], y[1], sizeof y[0]), 0);
        cr_expect_eq(y[k][0], x[3], "row 0 has 1 in column 3");
    }
    for (int k = 0; k < 2; k++) {
        const long before = fake.calls("cuMemHostUnregister");

        seat[k].release(&seat[k]);
        cr_expect_eq(fake.calls("cuMemHostUnregister") - before, k);
        launch[k].release(&launch[k]);
    }
    cairn_tensor_destroy(&tensor);
    end();
}

/// X on its way up, kernels, and Y on its way down at once: all of it is one graph, and bits
/// are the processor's, also when X and Y are other ones in between.
Test(cuda_seats, stages, .timeout = 240)
{
    static const struct {
        const char *text;
        cairn_dtype dtype;
    } each[] = {
        {"csr",       CAIRN_F64},
        {"csr",       CAIRN_F32},
        {"bdia<64>",  CAIRN_F64},
        {"sell<32>",  CAIRN_F64},
        {"dia",       CAIRN_F32},
        {"bdia<64>",  CAIRN_F32},
        {"bcsr<2,2>", CAIRN_F32}
    };

    BEGIN("seed=57");
    for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
        const size_t  bytes  = LONG_SIDE * (each[k].dtype == CAIRN_F64 ? 8 : 4);
        cairn_tensor *tensor = store_band(each[k].text, each[k].dtype);
        cairn_plan   *host   = plan_of(tensor, "cpu", NULL),
                   *plan     = plan_of(tensor, "cuda", NULL);
        void *const y        = malloc(bytes);

        for (int run = 0; run < 3; run++) {
            fill(plan, run);
            fill(host, run);
            const long copies = fake.calls("cuMemcpyHtoDAsync_v2")
                                + fake.calls("cuMemcpyDtoHAsync_v2"),
                       graphs = fake.calls("cuGraphLaunch");

            MUST(context, cairn_plan_run(plan, NULL, run == 1 ? y : NULL));
            MUST(context, cairn_plan_run(host, NULL, NULL));
            if (run != 1)
                cr_expect_eq(fake.calls("cuMemcpyHtoDAsync_v2")
                                 + fake.calls("cuMemcpyDtoHAsync_v2"),
                             copies, "%s: copies beside the graph", each[k].text);
            cr_expect_eq(fake.calls("cuGraphLaunch"), graphs + 1);
            cr_expect_eq(memcmp(run == 1 ? y : vector_y(plan), vector_y(host), bytes),
                         0, "%s, run %d: bits differ", each[k].text, run);
        }
        cairn_plan_part *part;
        int64_t          count;

        MUST(context, cairn_plan_parts(plan, &count, &part));
        cr_expect(part[0].on_device.in > 0 && part[0].on_device.kernel > 0,
                  "%s: what it took is not known", each[k].text);
        cairn_plan_parts_free(plan, &part);
        free(y);
        cairn_plan_destroy(&plan);
        cairn_plan_destroy(&host);
        cairn_tensor_destroy(&tensor);
    }
    end();
}

/// What is given up, and comes back, finds no page of the plan's Y, which the processor has
/// computed meanwhile.
Test(cuda_seats, a_y_that_is_taken_away)
{
    void (*delay)(double) = NULL;

    BEGIN("delay=0 seed=56");
    cairn_tensor *tensor = store_long();
    cairn_plan   *host   = plan_of(tensor, "cpu", NULL),
               *plan     = plan_of(tensor, "cuda", NULL);

    fill(plan, 1);
    fill(host, 1);
    cr_expect_eq(run_own(plan, host), 3);
    *(void **)&delay = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fake_cuda_delay");
    cr_assert_not_null(delay);
    delay(0.6);
    context->env.options.give_up = (cairn_option_seconds){.seconds = 0.1, .set = true};
    fill(plan, 2);
    fill(host, 2);
    run_own(plan, host);
    fill(plan, 3); /* what the card makes late is another Y */
    usleep(1200000);
    cr_expect_eq(
        memcmp(cairn_plan_y(plan), cairn_plan_y(host), LONG_SIDE * sizeof(double)), 0,
        "Y was written after it was given up");
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    fake.mend();
    cairn_context_destroy(&context);
}

/* ---- Members without entries ---- */

/// What runs of a hybrid copy from the card, in elements of Y a run, and that a chain goes
/// there: its second member has entries, or none.
static void check_members(bool empty, size_t ys, cairn_dtype dtype)
{
    enum { SIDE = 300, RUNS = 3 };
    static entries e;
    const size_t   row = dtype == CAIRN_F64 ? sizeof(double) : sizeof(float);

    e = (entries){.rows = SIDE, .columns = SIDE};
    for (int64_t i = 0; i < SIDE; i++)
        put(&e, i, i);
    if (!empty) put(&e, 0, SIDE - 1);
    cairn_source *source = source_of(&e);
    cairn_tensor *tensor = must_store(context, source, "hybrid<dia,csr,0.5>", dtype);
    cairn_plan   *host   = plan_of(tensor, "cpu", NULL),
               *plan     = plan_of(tensor, "cuda", NULL);

    for (int k = 0; k < RUNS; k++) {
        const size_t before = fake.down();
        const long   graphs = fake.calls("cuGraphLaunch");

        fill(plan, k);
        fill(host, k);
        MUST(context, cairn_plan_run(plan, NULL, NULL));
        MUST(context, cairn_plan_run(host, NULL, NULL));
        cr_expect_eq(memcmp(vector_y(plan), vector_y(host), SIDE * row), 0, "run %d",
                     k);
        cr_expect_eq(fake.calls("cuGraphLaunch") - graphs, 1);
        if (dtype == CAIRN_F64)
            cr_expect_eq(fake.down() - before, ys * SIDE * row,
                         "run %d: %zu bytes of Y come down", k, fake.down() - before);
    }
    const size_t before = fake.up();

    MUST(context, cairn_plan_iterate(plan, 6));
    MUST(context, cairn_plan_iterate(host, 6));
    cr_expect_eq(memcmp(vector_y(plan), vector_y(host), SIDE * row), 0, "a chain");
    if (dtype == CAIRN_F64)
        cr_expect_eq(fake.up() - before, (empty ? 1 : 6) * SIDE * row, "a chain");
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// A member that stores nothing is not run: its Y, all 0, would have to come down and be
/// added, and no chain would stay on the card.
Test(cuda_seats, a_member_without_entries, .timeout = 240)
{
    BEGIN("seed=71");
    check_members(true, 1, CAIRN_F64);
    check_members(false, 2, CAIRN_F64);
    check_members(true, 1, CAIRN_F32);
    end();
}
