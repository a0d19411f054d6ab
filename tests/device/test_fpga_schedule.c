// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Schedules as they are stored, against the algorithm of the accelerator's own program,
/// written out here; and what is no schedule for the card.

#include "devices/fpga/models.h"
#include "devices/fpga/schedule.h"
#include "support/device_work.h"
#include "support/seed.h"
#include "support/suite_context.h"

TestSuite(fpga_schedule, .init = context_up, .fini = context_down);

static const cairn_product_options vector = CAIRN_PRODUCT_OPTIONS;

static cairn_fpga_parameters parameters_of(int model)
{
    cairn_device_config config;

    cairn_config_init(&cairn_fpga_models[model], &config);
    return cairn_fpga_parameters_of(&config);
}

static cairn_device_work work_of(const cairn_tensor *tensor)
{
    return (cairn_device_work){.tensor = tensor->local, .op = &vector, .alone = true};
}

/// Length and cost of a stored matrix on a card.
static void read_cost(const cairn_tensor          *tensor,
                      const cairn_fpga_parameters *p,
                      cairn_fpga_cost             *cost)
{
    const cairn_device_work work = work_of(tensor);
    cairn_fpga_matrix       matrix;
    char                    why[CAIRN_FPGA_WHY] = "";

    cr_assert(cairn_fpga_can(p, &work, why), "%s", why);
    MUST(context, cairn_fpga_check(&context->env, p, "card", &work));
    MUST(context, cairn_fpga_read(&context->env, &work, &matrix));
    *cost = cairn_fpga_estimate(p, &matrix, 1);
    cairn_free(&context->env, (void *)matrix.length);
}

Test(fpga_schedule, nasa4704_has_the_published_lengths)
{
    static const struct {
        const char *format;
        int64_t     length, cycles;
    } rows[] = {
        {"serpens<128>", 1316, 1923},
        {"serpens<192>", 1139, 1740},
    };
    cairn_source *source;

    if (access(CAIRN_TEST_DATA "/matrices/nasa4704.mtx.gz", R_OK) != 0)
        cr_skip_test("no test data");
    MUST(context,
         cairn_source_read(context, CAIRN_TEST_DATA "/matrices/nasa4704.mtx.gz",
                           CAIRN_BY_ROWS, &source));
    for (int k = 0; k < 2; k++) {
        const cairn_fpga_parameters p = parameters_of(k);
        cairn_tensor   *tensor = must_store(context, source, rows[k].format, CAIRN_F32);
        cairn_fpga_cost cost;

        read_cost(tensor, &p, &cost);
        cr_expect_eq(cost.length, rows[k].length, "%s: %lld", rows[k].format,
                     (long long)cost.length);
        cr_expect_eq(cost.cycles, rows[k].cycles, "%s: %lld", rows[k].format,
                     (long long)cost.cycles);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

/* The accelerator's host program: in every window, column by column, each entry goes to
   its engine's first free cycle that is `distance` after the last of its pair of rows. */

enum { MOST_ROWS = 90, MOST_COLS = 150, MOST_CYCLES = MOST_ROWS * MOST_COLS * 12 };

/// Place a window's entries. @return its length; @p closest: the least distance of two
/// entries of a pair of rows.
static int64_t schedule_window(const cairn_entries *e,
                               int64_t              engines,
                               int64_t              lo,
                               int64_t              hi,
                               int64_t              distance,
                               int64_t             *closest)
{
    static bool taken[MOST_CYCLES];
    int64_t     length = 0;

    for (int64_t engine = 0; engine < engines; engine++) {
        int64_t last[MOST_ROWS];

        memset(taken, 0, sizeof taken);
        for (int k = 0; k < MOST_ROWS; k++)
            last[k] = -distance;
        for (int64_t j = lo; j < hi; j++)
            for (cairn_pos n = 0; n < e->n; n++) {
                const int64_t pair  = e->coord[0][n] / 2;
                int64_t       cycle = last[pair] + distance;

                if (e->coord[1][n] != j || pair % engines != engine) continue;
                while (taken[cycle])
                    cycle++;
                if (last[pair] >= 0 && cycle - last[pair] < *closest)
                    *closest = cycle - last[pair];
                taken[cycle] = true;
                last[pair]   = cycle;
                if (cycle + 1 > length) length = cycle + 1;
            }
    }
    return length;
}

/// A random matrix with a random schedule, held to the algorithm above.
static void check_random(uint64_t *state)
{
    const int64_t rows           = 1 + random_below(state, MOST_ROWS);
    const int64_t cols           = 1 + random_below(state, MOST_COLS);
    const int64_t channels       = 1 + random_below(state, 3),
                  distance       = 1 + random_below(state, 12);
    const int64_t         window = 2 + random_below(state, 60);
    cairn_source         *source = random_source(context, state, rows, cols);
    cairn_fpga_parameters p      = parameters_of(0);
    cairn_fpga_matrix     matrix;
    int64_t               closest = INT64_MAX;
    char                  text[80];

    snprintf(text, sizeof text, "serpens<%d,%d,%d>", (int)(8 * channels), (int)window,
             (int)distance);
    p.channels                     = channels;
    p.window                       = window;
    p.distance                     = distance;
    cairn_tensor           *tensor = must_store(context, source, text, CAIRN_F32);
    const cairn_device_work work   = work_of(tensor);

    cr_assert(cairn_fpga_can(&p, &work, NULL), "%s", text);
    MUST(context, cairn_fpga_read(&context->env, &work, &matrix));
    cr_assert_eq(matrix.windows, (cols + window - 1) / window);
    for (int64_t w = 0; w < matrix.windows; w++) {
        const int64_t right =
            schedule_window(&source->entries, 8 * channels, w * window,
                            (w + 1) * window, distance, &closest);

        cr_assert_eq(matrix.length[w], right,
                     "%s, %lld x %lld: window %lld: %lld, not %lld", text,
                     (long long)rows, (long long)cols, (long long)w,
                     (long long)matrix.length[w], (long long)right);
    }
    cairn_free(&context->env, (void *)matrix.length);
    MUST(context, cairn_fpga_check(&context->env, &p, "card", &work));
    if (closest < INT64_MAX) {
        p.distance = closest + 1;
        REFUSED(context, UNSUPPORTED, "too soon",
                cairn_fpga_check(&context->env, &p, "card", &work));
    }
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(fpga_schedule, lengths_are_those_of_the_host_program, .timeout = 120)
{
    const char *given = getenv("PRODUCT_SEED");
    uint64_t    state = given ? strtoull(given, NULL, 10) : seed_clock();

    printf("seed %llu\n", (unsigned long long)state);
    for (int n = 0; n < 12; n++)
        check_random(&state);
}

/// A dense 40 x 30 matrix in some format, and a card of 8 engines that keeps 64 columns.
static void
expect_refused(const char *format, cairn_dtype dtype, int transposed, const char *words)
{
    uint64_t                    state  = 1;
    cairn_fpga_parameters       p      = parameters_of(0);
    cairn_source               *source = random_source(context, &state, 40, 130);
    cairn_tensor               *tensor = must_store(context, source, format, dtype);
    cairn_device_work           work   = work_of(tensor);
    const cairn_product_options op     = {.size       = sizeof(cairn_product_options),
                                          .columns    = 1,
                                          .transposed = transposed,
                                          .alpha      = 1};
    char                        why[CAIRN_FPGA_WHY] = "";

    p.channels = 1;
    p.window   = 64;
    p.rows     = 40;
    work.op    = &op;
    if (cairn_fpga_can(&p, &work, why)) {
        cr_expect_eq(cairn_fpga_check(&context->env, &p, "card", &work),
                     CAIRN_UNSUPPORTED, "%s", format);
        snprintf(why, sizeof why, "%s", context->env.message);
    }
    cr_expect(strstr(why, words), "%s: no '%s' in '%s'", format, words, why);
    p.rows = 39;
    if (!transposed && strstr(why, "soon")) {
        cr_expect_not(cairn_fpga_can(&p, &work, why));
        cr_expect(strstr(why, "40 rows") && strstr(why, "39"), "%s", why);
    }
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// As serpens<8,64>, with another engine for each row.
static const char other_engines[] =
    "#encoding<{ idx_map<(d0,d1)->(d1/64,cycle,d0%8,d0/8,d1%64)>, mutation<merge(0), "
    "trim(1,1)>, indirect<{ cycle = enum(value) groupBy (d0,d1)->(d1/64,d0%8) "
    "traverseBy "
    "(d0,d1)->(d1,d0) with value ne 0 -> 0 | otherwise -> none distance 10 by "
    "(d0,d1)->(d0) }> }>";

Test(fpga_schedule, what_the_card_would_compute_wrongly_is_refused)
{
    expect_refused("csr", CAIRN_F32, 0, "schedules alone");
    expect_refused("ell", CAIRN_F32, 0, "for 40 engines");
    expect_refused("cisr<8>", CAIRN_F32, 0, "schedules alone");
    expect_refused("dense<2>", CAIRN_F32, 0, "schedules alone");
    expect_refused("coo", CAIRN_F32, 0, "schedules alone");
    expect_refused("serpens<16,64>", CAIRN_F32, 0, "for 16 engines, it has 8");
    expect_refused("serpens<8,64>", CAIRN_F64, 0, "f32");
    expect_refused("serpens<8,64>", CAIRN_F32, 1, "transpose");
    expect_refused("serpens<8,64,9>", CAIRN_F32, 0, "too soon");
    expect_refused("serpens<8,32>", CAIRN_F32, 0, "window");
    expect_refused(other_engines, CAIRN_F32, 0, "with the engine");
}

Test(fpga_schedule, empty_matrices_have_no_cycles)
{
    static const int64_t extents[][2] = {
        {0, 0},
        {0, 9},
        {9, 0},
        {9, 9}
    };

    for (int k = 0; k < 4; k++) {
        const cairn_fpga_parameters p = parameters_of(0);
        cairn_source               *source;
        cairn_fpga_cost             cost;

        MUST(context, cairn_source_from_coords(context, 2, extents[k], 0, NULL, NULL,
                                               CAIRN_BY_ROWS, &source));
        cairn_tensor *tensor = must_store(context, source, "serpens<128>", CAIRN_F32);

        read_cost(tensor, &p, &cost);
        cr_expect_eq(cost.length, 0);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
}
