// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Formats that nobody has thought of: texts that stand in no catalogue and in no list of
/// candidates, each made for one kind of matrix. Offered together, each is chosen for its
/// matrix, by what its layout does, and by a margin. Only the model decides, with the
/// rates that come with the library, so that no clock has a part in it. (bench_auto says
/// what clocks say.)

#include "api/api.h"
#include "support/suite_context.h"

#include <math.h>
#include <stdlib.h>

static void up(void)
{
    context_up();
    context->env.options.cost = CAIRN_RATES_SHIPPED;
    MUST(context, cairn_context_set_threads(context, 2));
    blocks_before = must_settle(context);
}

TestSuite(auto_offers, .init = up, .fini = context_down, .timeout = 240);

/* ---- matrices ---- */

/// Entries while a matrix is made.
typedef struct {
    int64_t n, capacity;
    int64_t (*at)[2];
    uint64_t random;
} maker;

static int64_t draw(maker *m, int64_t below)
{
    m->random =
        m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((m->random >> 33) % (uint64_t)below);
}

static void add(maker *m, int64_t i, int64_t j)
{
    if (m->n == m->capacity) {
        m->capacity = 2 * m->capacity + 1024;
        m->at       = realloc(m->at, (size_t)m->capacity * sizeof *m->at);
        cr_assert(m->at);
    }
    m->at[m->n][0] = i, m->at[m->n++][1] = j;
}

/// Dense blocks of r x c, @p each in a row of blocks, anywhere.
static void blocks(maker *m, int64_t rows, int64_t r, int64_t c, int each)
{
    for (int64_t i = 0; i < rows / r; i++)
        for (int k = 0; k < each; k++) {
            const int64_t j = draw(m, rows / c);

            for (int64_t a = 0; a < r * c; a++)
                add(m, i * r + a / c, j * c + a % c);
        }
}

static void blocks_5x5(maker *m)
{
    blocks(m, 10000, 5, 5, 3);
}

static void blocks_8x8(maker *m)
{
    blocks(m, 12000, 8, 8, 3);
}

static void blocks_16x2(maker *m)
{
    blocks(m, 16000, 16, 2, 6);
}

static void bands_of_8_rows(maker *m)
{
    blocks(m, 16000, 8, 1, 11);
}

static void bands_of_32_rows(maker *m)
{
    blocks(m, 16000, 32, 1, 11);
}

static void runs_of_8_columns(maker *m)
{
    blocks(m, 9000, 1, 8, 3);
}

/// Pieces of diagonals, of @p length rows each, @p each in as many rows.
static void stretches(maker *m, int64_t rows, int64_t length, int each)
{
    for (int64_t i = 0; i < rows / length; i++)
        for (int k = 0; k < each; k++) {
            const int64_t j = draw(m, rows - length);

            for (int64_t a = 0; a < length; a++)
                add(m, i * length + a, j + a);
        }
}

static void short_stretches(maker *m)
{
    stretches(m, 16000, 16, 6);
}

static void odd_stretches(maker *m)
{
    stretches(m, 16000, 40, 5);
}

/// Lists of columns anywhere, all of one length.
static void even_rows(maker *m)
{
    for (int64_t i = 0; i < 20000; i++)
        for (int64_t k = 0; k < 7; k++)
            add(m, i, (draw(m, 2000) + 2500 * k) % 20000);
}

/// Lists whose lengths follow no order at all.
static void uneven_rows(maker *m)
{
    for (int64_t i = 0; i < 60000; i++) {
        const int64_t length = draw(m, 12) + draw(m, 12);

        for (int64_t k = 0; k < length; k++)
            add(m, i, draw(m, 6000));
    }
}

/// Nearly all rows are empty, and those that are not stand together.
static void few_rows(maker *m)
{
    for (int64_t band = 0; band < 60; band++)
        for (int64_t i = 0; i < 256; i++)
            for (int k = 0; k < 3; k++)
                add(m, band * 16384 + i, draw(m, 3000));
}

/// Full diagonals, and as many entries anywhere.
static void diagonals_and_more(maker *m)
{
    for (int64_t i = 0; i < 30000; i++) {
        for (int64_t d = -6; d <= 6; d++)
            if (i + 3 * d >= 0 && i + 3 * d < 30000) add(m, i, i + 3 * d);
        for (int k = 0; k < 3; k++)
            add(m, i, draw(m, 30000));
    }
}

/* ---- formats ---- */

#define DIRECT(map, mutation) \
    "#encoding<{ idx_map<(d0,d1)->(" map ")>, mutation<" mutation "> }>"
#define INDIRECT(map, queries)                                                    \
    "#encoding<{ idx_map<(d0,d1)->(" map ")>, mutation<merge(0), trim(1,1)>, "    \
    "indirect<{ count = sum(value) groupBy (d0,d1)->(d0) with value ne 0 -> 1 | " \
    "otherwise -> 0; " queries "slot = enum(value) groupBy (d0,d1)->(d0) "        \
    "traverseBy (d0,d1)->(d1) with value eq 0 -> count | otherwise -> 0 }> }>"

static const char by_5x5[]   = DIRECT("d0/5,d1/5,d0%5,d1%5", "merge(0,1), trim(1,1)");
static const char by_8x8[]   = DIRECT("d0/8,d1/8,d1%8,d0%8", "merge(0,1), trim(1,1)");
static const char by_16x2[]  = DIRECT("d0/16,d1/2,d1%2,d0%16", "merge(0,1), trim(1,1)");
static const char by_8x1[]   = DIRECT("d0/8,d1,d0%8", "merge(0,1), trim(1,1)");
static const char by_32x1[]  = DIRECT("d0/32,d1,d0%32", "merge(0,1), trim(1,1)");
static const char by_1x8[]   = DIRECT("d0,d1/8,d1%8", "merge(0,1), trim(1,1)");
static const char by_16[]    = DIRECT("d0/16,d1-d0,d0%16", "merge(0), trim(1,1)");
static const char by_40[]    = DIRECT("d0/40,d1-d0,d0%40", "merge(0), trim(1,1)");
static const char by_slice[] = INDIRECT("d0/32,slot,d0%32,d1", "");
static const char by_place[] =
    INDIRECT("place/16,slot,place%16,d0,d1",
             "place = reorder(count) groupBy (d0,d1)->(d0/1024) descend; ");
static const char by_band[] = DIRECT("d0/16384,d0%16384,d1", "merge(0,1), trim(0,2)");
static const char by_both[] = "#hybrid<{ fmats = [" DIRECT(
    "d0/32,d1-d0,d0%32",
    "merge(0), trim(1,1)") ", " DIRECT("d0,d1", "merge(0), trim(1,1)") "], thresholds "
                                                                       "= [0.6] }>";

typedef struct {
    const char *format;
    void (*matrix)(maker *m);
    int64_t rows, cols;
} offered;

static const offered made[] = {
    {by_5x5,   blocks_5x5,         10000,      10000},
    {by_8x8,   blocks_8x8,         12000,      12000},
    {by_16x2,  blocks_16x2,        16000,      16000},
    {by_8x1,   bands_of_8_rows,    16000,      16000},
    {by_32x1,  bands_of_32_rows,   16000,      16000},
    {by_1x8,   runs_of_8_columns,  9000,       9000 },
    {by_16,    short_stretches,    16000,      16000},
    {by_40,    odd_stretches,      16000,      16000},
    {by_slice, even_rows,          20000,      20000},
    {by_place, uneven_rows,        60000,      6000 },
    {by_band,  few_rows,           60 * 16384, 3000 },
    {by_both,  diagonals_and_more, 30000,      30000},
};

enum { MADE = sizeof made / sizeof *made };

static cairn_source *make(int k)
{
    const int64_t extent[] = {made[k].rows, made[k].cols};
    cairn_source *source   = NULL;
    maker         m        = {.random = 5};

    made[k].matrix(&m);
    MUST(context, cairn_source_from_coords(context, 2, extent, m.n, m.at[0], NULL,
                                           CAIRN_BY_NNZ, &source));
    free(m.at);
    return source;
}

/// The first format and all that are made.
static const char *offer(void)
{
    static char text[16384];

    snprintf(text, sizeof text, "%s\n", DIRECT("d0,d1", "merge(0), trim(1,1)"));
    for (int k = 0; k < MADE; k++) {
        strcat(text, made[k].format);
        strcat(text, "\n");
    }
    return text;
}

static const char *print(const char *format)
{
    static char   text[2048];
    cairn_format *made_here = NULL;

    MUST(context, cairn_format_create(context, format, &made_here));
    snprintf(text, sizeof text, "%s", cairn_format_text(made_here));
    cairn_format_destroy(&made_here);
    return text;
}

/// The least prediction of all candidates but one.
static double second_best(const cairn_auto_info *info, int but)
{
    double least = INFINITY;

    for (int k = 0; k < info->candidates; k++)
        if (k != but) least = fmin(least, info->candidate[k].predicted);
    return least;
}

Test(auto_offers, each_is_chosen_for_its_own_matrix)
{
    const cairn_auto_options options = {
        .size = sizeof(cairn_auto_options), .tries = -1, .candidates = offer()};

    for (int k = 0; k < MADE; k++) {
        cairn_source          *source = make(k);
        cairn_format          *format = NULL;
        static cairn_auto_info info   = CAIRN_AUTO_INFO;

        MUST(context,
             cairn_format_auto(source, CAIRN_F64, NULL, &options, &format, &info));
        cr_expect_eq(info.candidates, MADE + 1);
        cr_expect_str_eq(cairn_format_text(format), print(made[k].format));
        for (int c = 0; c < info.candidates; c++)
            cr_log_info("%d: %9.2f us: %.60s", k, 1e6 * info.candidate[c].predicted,
                        info.candidate[c].format);
        cr_expect_gt(second_best(&info, 1 + k), 1.05 * info.candidate[1 + k].predicted,
                     "%d: %g", k,
                     second_best(&info, 1 + k) / info.candidate[1 + k].predicted);
        cr_expect(strstr(info.why[0], "an entry"), "%s", info.why[0]);
        cairn_format_destroy(&format);
        cairn_source_destroy(&source);
    }
}
