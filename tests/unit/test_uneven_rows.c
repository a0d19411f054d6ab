// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Compressed rows whose kernels are others than most: of different lengths, more for each
/// thread than a processor learns, which end without a branch; of columns that follow each
/// other, whose x is loaded as it lies, and of a caller's that only seem to; of the same
/// columns, or long, which are summed side by side; next to each other with columns that go
/// on by one, which are lanes; few that have entries. Sums have the bits that product.h
/// promises, and nothing of other rows or columns, whatever they hold.

#include "share/alike_rows.h"
#include "support/device_file.h"
#include "support/seed.h"

#include <math.h>

TestSuite(uneven_rows, .init = up, .fini = down);

/* Three threads have more than 8,192 rows each. */
enum { TALL = 26000, WIDTH = 9000, LONG = 411, CUT = 4096 };

static uint64_t state;
static int      tall = TALL; ///< Rows that a test has.

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/// Rows, in CSR, and X.
static struct {
    int64_t ptr[TALL + 1];
    int64_t idx[TALL * 24];
    double  val[TALL * 24], x[WIDTH];
} a;

/// Up to thirteen entries in a row, of the first row @p first; one row of 8,999, so that
/// it is cut and three are left. One value in forty is infinite or no number.
static void draw_rows(int first)
{
    static const double odd[] = {INFINITY, -INFINITY, NAN, -0.0};
    int64_t             n     = 0;

    for (int i = 0; i < TALL; i++) {
        const int64_t length = i == 0      ? first
                               : i == LONG ? 2 * CUT + 803
                                           : (int64_t)draw(14);

        for (int64_t k = 0; k < length; k++) {
            a.idx[n] = i == LONG ? k : k * 600 + (int64_t)draw(600);
            a.val[n] = draw(40) ? (double)draw(2000001) / 1e6 - 1 : odd[draw(4)];
            n++;
        }
        a.ptr[i + 1] = n;
    }
    for (int j = 0; j < WIDTH; j++)
        a.x[j] = draw(40) ? (double)draw(2000001) / 1e6 - 1 : odd[draw(4)];
}

/// Up to twenty entries in a row, in stretches of up to thirty columns, one of which may
/// end where x does; one row has thousands.
static void draw_stretches(void)
{
    static const double odd[] = {INFINITY, -INFINITY, NAN, -0.0};
    int64_t             n     = 0;

    for (int i = 0; i < TALL; i++) {
        const int64_t most = i == LONG ? WIDTH : (int64_t)draw(21);
        int64_t       j = i == LONG ? 0 : (int64_t)draw(WIDTH / 2), k = 0;

        while (k < most && j < WIDTH) {
            if (i != LONG && draw(9) == 0 && j < WIDTH - 12) j = WIDTH - 12;
            const int64_t end = j + 1 + (int64_t)draw(30);

            for (; j < end && j < WIDTH && k < most; k++) {
                a.idx[n] = j++;
                a.val[n] = draw(400) ? (double)draw(2000001) / 1e6 - 1 : odd[draw(4)];
                n++;
            }
            j += 1 + (int64_t)draw(20);
        }
        a.ptr[i + 1] = n;
    }
    for (int j = 0; j < WIDTH; j++)
        a.x[j] = draw(400) ? (double)draw(2000001) / 1e6 - 1 : odd[draw(4)];
}

/// Two or three turns of eight entries in a row, each from its first column to the seventh
/// behind it: by what is between these two alone all of them are columns that follow each
/// other, and two in three are not.
static void draw_turns_in_no_order(void)
{
    static const int turn[3][8] = {
        {0, 1, 2, 3, 4, 5, 6, 7},
        {0, 3, 1, 2, 5, 4, 6, 7},
        {0, 0, 1, 2, 3, 4, 6, 7}
    };
    int64_t n = 0;

    for (int i = 0; i < TALL; i++) {
        for (int t = 2 + (int)draw(2); t > 0; t--) {
            const int     kind  = (int)draw(3);
            const int64_t first = (int64_t)draw(WIDTH - 7);

            for (int k = 0; k < 8; k++) {
                a.idx[n]   = first + turn[kind][k];
                a.val[n++] = (double)draw(2000001) / 1e6 - 1;
            }
        }
        a.ptr[i + 1] = n;
    }
    for (int j = 0; j < WIDTH; j++)
        a.x[j] = (double)draw(2000001) / 1e6 - 1;
}

/// Entries of a row that begins at entry @p n, of other columns than any before: up to 30,
/// or @p length in a row.
static void draw_columns(int64_t n, int64_t length)
{
    int64_t j = (int64_t)draw(400);

    for (int64_t k = 0; k < length; k++) {
        a.idx[n + k] = j;
        j += length > 30 ? 1 : 1 + (int64_t)draw(20);
    }
}

/// Groups of one to five rows of the same columns, some of which are without entries. One
/// row in four is as long as the first one of its group, and has another last column. Each
/// 5,000 rows stands a group of rows as long as a cut, or longer by one. All values are
/// such that f32 has them, too.
static void draw_groups(void)
{
    int64_t n = 0;

    for (int i = 0; i < TALL;) {
        const int     rows = 1 + (int)draw(5);
        const int64_t length =
            i / 5000 == (i + rows) / 5000 ? (int64_t)draw(31) : CUT + (int64_t)draw(2);
        const int64_t first = n;

        for (int r = 0; r < rows && i < TALL; r++, i++) {
            if (r == 0) draw_columns(n, length);
            for (int64_t k = 0; k < length; k++, n++) {
                a.idx[n] = a.idx[first + k];
                a.val[n] = (double)draw(2001) / 64 - 15;
            }
            if (r > 0 && length > 0 && draw(4) == 0) a.idx[n - 1]++;
            a.ptr[i + 1] = n;
        }
    }
    for (int j = 0; j < WIDTH; j++)
        a.x[j] = (double)draw(2001) / 64 - 15;
}

/// Stretches of ten to seventy rows of 1 to 20 entries, mostly of 4 and more, each row with
/// the columns of the one before one further on; at times a column, or where a row ends, is
/// another one. The last columns are where x ends.
static void draw_rows_abreast(void)
{
    static const double odd[]  = {INFINITY, -INFINITY, NAN, -0.0};
    int64_t             n      = 0, column[20];
    int                 length = 0, left = 0;

    for (int i = 0; i < TALL; i++) {
        if (left-- == 0) {
            length            = draw(20) ? 4 + (int)draw(17) : 1 + (int)draw(3);
            left              = 9 + (int)draw(61);
            const int64_t end = draw(4) ? (int64_t)draw(WIDTH - 9) + 1 : WIDTH - left;

            for (int k = length - 1, j = (int)end; k >= 0; k--)
                column[k] = j -= 1 + (j > 3000 ? (int)draw(40) : 0);
            while (column[0] < 0)
                for (int k = 0; k < length; k++)
                    column[k]++;
        }
        const int own = length - (draw(200) == 0);

        for (int k = 0; k < own; k++) {
            a.idx[n] = column[k];
            a.val[n] = draw(900) ? (double)draw(2000001) / 1e6 - 1 : odd[draw(4)];
            n++;
        }
        if (own > 1 && draw(200) == 0) a.idx[n - 1] = WIDTH - 1;
        a.ptr[i + 1] = n;
        for (int k = 0; k < length; k++)
            if (column[k] < WIDTH - 1 - (length - 1 - k)) column[k]++;
    }
    for (int j = 0; j < WIDTH; j++)
        a.x[j] = draw(400) ? (double)draw(2000001) / 1e6 - 1 : odd[draw(4)];
}

/// Rows in eights of five entries, in which every entry is one more than that five before;
/// but in one eight of eight the second row ends an entry early, and the third begins with
/// it. No row is in order.
static void draw_rows_that_end_elsewhere(void)
{
    static const int64_t first[5] = {40, 10, 30, 20, 0};

    a.ptr[0] = 0;
    for (int64_t i = 0; i < TALL; i++) {
        const int64_t early = i % 8 == 1 && i / 8 % 8 == 3;

        for (int64_t k = 0; k < 5; k++) {
            a.idx[5 * i + k] = first[k] + i % 8 + i / 8 % 1000;
            a.val[5 * i + k] = (double)draw(2000001) / 1e6 - 1;
        }
        a.ptr[i + 1] = 5 * i + 5 - early;
    }
    for (int j = 0; j < WIDTH; j++)
        a.x[j] = (double)draw(2000001) / 1e6 - 1;
}

/// Rows of 400 to 1,400 entries, some that are shorter or have none, one that is cut twice
/// and one that is a cut. Values are such that f32 has them, too.
static void draw_long_rows(void)
{
    int64_t n = 0;

    for (int i = 0; i < tall; i++) {
        const int64_t length = i == LONG       ? 2 * CUT + 803
                               : i == LONG + 1 ? CUT
                               : draw(40) == 0 ? (int64_t)draw(20)
                                               : 400 + (int64_t)draw(1001);

        for (int64_t k = 0; k < length; k++, n++) {
            const int64_t wide = WIDTH / length;

            a.idx[n] = k * wide + (int64_t)draw((uint64_t)wide);
            a.val[n] = (double)draw(2001) / 64 - 15;
        }
        a.ptr[i + 1] = n;
    }
    for (int j = 0; j < WIDTH; j++)
        a.x[j] = (double)draw(2001) / 64 - 15;
}

/// One row in @p apart has one to thirteen entries, and one is cut twice; the first half of
/// the rows has none but that one.
static void draw_few_rows(uint64_t apart)
{
    int64_t n = 0;

    for (int i = 0; i < TALL; i++) {
        const bool    some   = i > TALL / 2 && draw(apart) == 0;
        const int64_t length = i == LONG ? 2 * CUT + 803
                               : some    ? 1 + (int64_t)draw(13)
                                         : 0;

        for (int64_t k = 0; k < length; k++, n++) {
            a.idx[n] = i == LONG ? k : k * 600 + (int64_t)draw(600);
            a.val[n] = (double)draw(2001) / 64 - 15;
        }
        a.ptr[i + 1] = n;
    }
    for (int j = 0; j < WIDTH; j++)
        a.x[j] = (double)draw(2001) / 64 - 15;
}

/// Entries @p p to @p end - 1 in four chains.
static double chains(int64_t p, int64_t end)
{
    double s[4] = {0};

    for (; p + 4 <= end; p += 4)
        for (int k = 0; k < 4; k++)
            s[k] += a.val[p + k] * a.x[a.idx[p + k]];
    for (; p < end; p++)
        s[0] += a.val[p] * a.x[a.idx[p]];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static double sum_of_row(int i)
{
    int64_t p   = a.ptr[i];
    double  row = 0;

    for (; a.ptr[i + 1] - p > CUT; p += CUT)
        row += chains(p, p + CUT);
    return row + chains(p, a.ptr[i + 1]);
}

/// The same bits, or both no number.
static bool is_same(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
}

static cairn_source *source_of(void)
{
    const int64_t extent[2] = {tall, WIDTH}, n = a.ptr[tall];
    int64_t      *coord = malloc(2 * (size_t)n * sizeof *coord);
    cairn_source *source;

    for (int i = 0; i < tall; i++)
        for (int64_t p = a.ptr[i]; p < a.ptr[i + 1]; p++) {
            coord[2 * p]     = i;
            coord[2 * p + 1] = a.idx[p];
        }
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, a.val,
                                           CAIRN_BY_ROWS, &source));
    free(coord);
    return source;
}

static void expect_sums(cairn_tensor *tensor, const char *format, int threads)
{
    static double y[TALL];
    cairn_plan   *plan;

    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    MUST(context, cairn_plan_run(plan, a.x, y));
    for (int i = 0; i < tall; i++)
        cr_assert(is_same(y[i], sum_of_row(i)),
                  "%s, %d threads: row %d of %d entries: %a, not %a", format, threads,
                  i, (int)(a.ptr[i + 1] - a.ptr[i]), y[i], sum_of_row(i));
    cairn_plan_destroy(&plan);
}

static void use_threads(int threads)
{
    cairn_context_set_threads(context, threads);
    use_devices("cpu");
}

static void hold(cairn_source *source, const char *format, int threads)
{
    use_threads(threads);
    cairn_tensor *tensor = must_store(context, source, format, CAIRN_F64);

    expect_sums(tensor, format, threads);
    cairn_tensor_destroy(&tensor);
}

Test(uneven_rows, have_the_bits_of_four_chains, .timeout = 600)
{
    static const char *const formats[] = {"csr", "dcsr", "lil", "coo"};

    state = seed_clock() * 2 + 1;
    for (int k = 0; k < 8; k++) {
        draw_rows(k % 5);
        cairn_source *source = source_of();

        for (int f = 0; f < 4; f++)
            hold(source, formats[f], 1 + k % 3);
        cairn_source_destroy(&source);
    }
}

Test(uneven_rows,
     columns_that_follow_each_other_have_the_bits_of_four_chains,
     .timeout = 600)
{
    static const char *const formats[] = {"csr", "dcsr", "lil", "coo"};

    state = seed_clock() * 2 + 1;
    for (int k = 0; k < 8; k++) {
        draw_stretches();
        cairn_source *source = source_of();

        for (int f = 0; f < 4; f++)
            hold(source, formats[f], 1 + k % 3);
        cairn_source_destroy(&source);
    }
}

Test(uneven_rows, abreast_have_the_bits_of_four_chains, .timeout = 600)
{
    static const char *const formats[] = {"csr", "dcsr", "lil", "coo"};

    state = seed_clock() * 2 + 1;
    for (int k = 0; k < 8; k++) {
        draw_rows_abreast();
        cairn_source *source = source_of();

        for (int f = 0; f < 4; f++)
            hold(source, formats[f], 1 + k % 3);
        cairn_source_destroy(&source);
    }
}

static void hold_borrowed(int threads)
{
    cairn_tensor *tensor;

    use_threads(threads);
    MUST(context,
         cairn_tensor_from_csr(context, tall, WIDTH, 0, tall, a.ptr, 64, a.idx, 64,
                               a.val, CAIRN_F64, CAIRN_BORROW, NULL, &tensor));
    expect_sums(tensor, "borrowed", threads);
    cairn_tensor_destroy(&tensor);
}

Test(uneven_rows, that_are_borrowed_are_abreast_where_they_end_alike, .timeout = 600)
{
    state = seed_clock() * 2 + 1;
    for (int threads = 1; threads <= 3; threads++) {
        draw_rows_that_end_elsewhere();
        hold_borrowed(threads);
        draw_rows_abreast();
        hold_borrowed(threads);
    }
}

/// A caller's rows, borrowed: they may stand in any order, with repeats, and nobody looks.
Test(uneven_rows, that_are_borrowed_in_no_order_are_not_taken_for_runs, .timeout = 600)
{
    state = seed_clock() * 2 + 1;
    for (int threads = 1; threads <= 3; threads++) {
        draw_turns_in_no_order();
        hold_borrowed(threads);
    }
}

static cairn_tensor *borrowed(void)
{
    cairn_tensor *tensor;

    MUST(context,
         cairn_tensor_from_csr(context, tall, WIDTH, 0, tall, a.ptr, 64, a.idx, 64,
                               a.val, CAIRN_F64, CAIRN_BORROW, NULL, &tensor));
    return tensor;
}

/// Groups are cut by threads wherever these begin.
Test(uneven_rows, alike_have_the_bits_of_four_chains, .timeout = 600)
{
    static const char *const formats[] = {"csr", "dcsr", "lil", "coo"};

    state = seed_clock() * 2 + 1;
    for (int k = 0; k < seed_cases(6); k++) {
        draw_groups();
        cairn_source *source = source_of();

        for (int f = 0; f < 4; f++)
            hold(source, formats[f], 1 + k % 3);
        use_threads(1 + k % 3);
        cairn_tensor *tensor = borrowed();

        expect_sums(tensor, "borrowed", 1 + k % 3);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
}

static void expect_narrow_sums(cairn_tensor *tensor)
{
    static float x[WIDTH], y[TALL];
    cairn_plan  *plan;

    for (int j = 0; j < WIDTH; j++)
        x[j] = (float)a.x[j];
    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    MUST(context, cairn_plan_run(plan, x, y));
    for (int i = 0; i < tall; i++)
        cr_assert_eq(y[i], (float)sum_of_row(i), "row %d: %a, not %a", i, y[i],
                     sum_of_row(i));
    cairn_plan_destroy(&plan);
}

Test(uneven_rows, alike_in_f32_have_the_bits_of_f64_rounded, .timeout = 600)
{
    state = seed_clock() * 2 + 1;
    for (int k = 0; k < seed_cases(3); k++) {
        draw_groups();
        cairn_source *source = source_of();

        use_threads(1 + k % 3);
        cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F32);

        expect_narrow_sums(tensor);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
}

/// Four at once, wherever the rows of a thread begin.
Test(uneven_rows, long_ones_have_the_bits_of_four_chains, .timeout = 600)
{
    static const char *const formats[] = {"csr", "dcsr", "lil", "coo"};

    state = seed_clock() * 2 + 1;
    for (int k = 0; k < 6; k++) {
        tall = 600 + k;
        draw_long_rows();
        cairn_source *source = source_of();

        for (int f = 0; f < 4; f++)
            hold(source, formats[f], 1 + k % 3);
        use_threads(1 + k % 3);
        cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F32);

        expect_narrow_sums(tensor);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
        hold_borrowed(1 + k % 3);
    }
}

/// Values that are stored in fewer bytes are widened before anything is added.
Test(uneven_rows, alike_of_narrow_values_have_the_same_bits, .timeout = 600)
{
    static const char *const stored[] = {"i8", "i16", "f16", "f32", "dict8"};
    enum { STORED = sizeof stored / sizeof *stored };

    state = seed_clock() * 2 + 1;
    for (int k = 0; k < seed_cases(2); k++) {
        draw_groups();
        for (int64_t p = 0; p < a.ptr[tall]; p++)
            a.val[p] = (double)draw(201) - 100;
        cairn_source *source = source_of();

        for (int t = 0; t < STORED; t++) {
            char text[200];

            snprintf(text, sizeof text,
                     "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), "
                     "trim(1,1)>, layout<val(%s)> }>",
                     stored[t]);
            hold(source, text, 1 + (k + t) % 3);
        }
        cairn_source_destroy(&source);
    }
}

/// Y = A*x + Y, scaled.
Test(uneven_rows, alike_join_what_y_has, .timeout = 600)
{
    cairn_product_options op = CAIRN_PRODUCT_OPTIONS;

    op.alpha = -0.5;
    op.beta  = 1;
    state    = seed_clock() * 2 + 1;
    for (int k = 0; k < seed_cases(3); k++) {
        static double y[TALL];
        cairn_plan   *plan;

        draw_groups();
        use_threads(1 + k % 3);
        cairn_tensor *tensor = borrowed();

        MUST(context, cairn_plan_create_product(tensor, &op, &plan));
        for (int i = 0; i < tall; i++)
            y[i] = i % 7 - 3;
        MUST(context, cairn_plan_run(plan, a.x, y));
        for (int i = 0; i < tall; i++)
            cr_assert_eq(y[i], i % 7 - 3 + -0.5 * sum_of_row(i), "row %d", i);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
    }
}

/// Rows without entries add 0 to what Y has, whatever that is, several at once or not.
Test(uneven_rows, few_join_what_y_has, .timeout = 600)
{
    static const double   before[] = {-0.0, 0.0, 3, INFINITY, NAN, -1};
    cairn_product_options op       = CAIRN_PRODUCT_OPTIONS;

    op.beta = 1;
    state   = seed_clock() * 2 + 1;
    for (int k = 0; k < 9; k++) {
        static double y[TALL];
        cairn_plan   *plan;

        draw_few_rows(k % 3 == 0 ? 2 : k % 3 == 1 ? 60 : 700);
        use_threads(1 + k / 3);
        cairn_tensor *tensor = borrowed();

        MUST(context, cairn_plan_create_product(tensor, &op, &plan));
        for (int i = 0; i < tall; i++)
            y[i] = before[i % 6];
        MUST(context, cairn_plan_run(plan, a.x, y));
        for (int i = 0; i < tall; i++)
            cr_assert(is_same(y[i], before[i % 6] + sum_of_row(i)),
                      "row %d of %d entries: %a", i, (int)(a.ptr[i + 1] - a.ptr[i]),
                      y[i]);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
    }
}

/// Are rows @p i and @p i + 1 alike, by their definition?
static bool are_alike(int64_t i)
{
    const int64_t p = a.ptr[i], q = a.ptr[i + 1], length = q - p;

    if (i + 2 > TALL || a.ptr[i + 2] - q != length || length < CAIRN_ALIKE_LEAST
        || length > CUT)
        return false;
    for (int64_t k = 0; k < length; k++)
        if (a.idx[p + k] != a.idx[q + k]) return false;
    return true;
}

Test(uneven_rows, alike_are_counted)
{
    cairn_kernel_level level = {.ptr        = a.ptr,
                                .ptr_length = TALL + 1,
                                .ptr_bits   = 64,
                                .idx        = a.idx,
                                .idx_bits   = 64,
                                .idx_stride = 8};
    cairn_env          env;
    uint8_t           *alike;
    int                found[CAIRN_ALIKE_MOST + 1] = {0};

    state = seed_clock() * 2 + 1;
    cairn_env_init(&env);
    draw_groups();
    cr_assert_eq(cairn_alike_rows_count(&env, &level, &alike), CAIRN_OK);
    for (int i = 0; i < TALL; i++) {
        int rows = 1;

        while (rows < CAIRN_ALIKE_MOST && are_alike(i + rows - 1))
            rows++;
        cr_assert_eq(alike[i], rows, "row %d: %d, not %d", i, alike[i], rows);
        found[rows]++;
    }
    for (int k = 1; k <= CAIRN_ALIKE_MOST; k++)
        cr_expect_gt(found[k], 1000);
    cairn_free(&env, alike);
    cairn_env_fini(&env);
}

/// Bytes that say which rows are alike are read in every run, and told.
Test(uneven_rows, alike_are_told)
{
    cairn_plan_info  info = CAIRN_PLAN_INFO;
    cairn_plan_part *part;
    cairn_plan      *plan;
    int64_t          parts;
    char             bytes[32];

    state = seed_clock() * 2 + 1;
    draw_groups();
    cairn_tensor *tensor = borrowed();

    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    MUST(context, cairn_plan_describe(plan, &info));
    MUST(context, cairn_plan_parts(plan, &parts, &part));
    snprintf(bytes, sizeof bytes, ": %d bytes", TALL);
    cr_assert_eq(parts, 1);
    cr_expect_not_null(strstr(part->note, bytes), "%s", part->note);
    cr_expect_eq(info.bytes_per_run, part->bytes + 8 * (WIDTH + TALL) + TALL);
    cairn_plan_parts_free(plan, &part);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
}
