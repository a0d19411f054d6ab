// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Dividing rows between devices that copy and devices that do not: held to divisions that
/// arithmetic gives, and to all divisions there are where they are few. Others with
/// BALANCE_SEED.

#include "api/api.h"
#include "place/balance.h"
#include "support/api.h"

#include <math.h>

enum { ROWS = 6400, BAND = 5 };

static cairn_context *context;

/// A band: every row has BAND entries, next to each other.
static cairn_tensor *store_band(const char *text)
{
    static int64_t coord[2 * ROWS * BAND];
    const int64_t  extent[2] = {ROWS, ROWS + BAND - 1};
    cairn_source  *source;

    for (int64_t k = 0; k < ROWS * BAND; k++) {
        coord[2 * k]     = k / BAND;
        coord[2 * k + 1] = k / BAND + k % BAND;
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, ROWS * BAND, coord, NULL,
                                           CAIRN_BY_ROWS, &source));
    cairn_tensor *const tensor = must_store(context, source, text, CAIRN_F64);

    cairn_source_destroy(&source);
    return tensor;
}

static void find(const cairn_tensor *tensor, bool columns, cairn_row_stretches *s)
{
    cairn_row_weights weights;

    MUST(context, cairn_row_weights_init(tensor->local, 0, &weights));
    MUST(context, cairn_row_stretches_find(&weights, columns, s));
    cairn_row_weights_fini(&weights);
}

Test(balance, stretches_know_their_rows_and_columns)
{
    static const char *const formats[] = {"csr", "coo", "ell", "bcsr<4,4>"};

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        cairn_tensor       *tensor = store_band(formats[f]);
        cairn_row_stretches s;

        find(tensor, true, &s);
        cr_assert_eq(s.count, CAIRN_ROW_STRETCHES, "%s", formats[f]);
        for (int k = 0; k < s.count; k++) {
            cr_expect_eq(s.row[k], k * ROWS / CAIRN_ROW_STRETCHES, "%s", formats[f]);
            cr_expect_float_eq(s.before[k], (double)k / CAIRN_ROW_STRETCHES, 0.01);
            cr_expect_leq(s.columns[k].lo, s.row[k], "%s", formats[f]);
            cr_expect_geq(s.columns[k].lo, s.row[k] - 4, "%s", formats[f]);
            cr_expect_geq(s.columns[k].hi, s.row[k + 1] - 1 + BAND - 1);
            cr_expect_leq(s.columns[k].hi, s.row[k + 1] - 1 + BAND + 4);
        }
        cr_expect_eq(s.before[s.count], 1);
        find(tensor, false, &s);
        cr_expect_eq(s.columns[0].hi, tensor->local->box[1].hi);
        cairn_tensor_destroy(&tensor);
    }
    cairn_context_destroy(&context);
}

/// Where both end at once, by arithmetic: p of the rows on the processor, which takes P for
/// all, and the rest on a card, which takes C for all with its copies, and S to start:
/// p P = S + (1 - p) C.
Test(balance, a_band_is_divided_where_both_end_at_once)
{
    const struct {
        double processor, start, kernel, in, out;
    } cases[] = {
        {10e-3, 25e-6, 1e-3, 1e-7, 1e-7}, /* copies: 1.28 ms of 2.3 */
        {4e-3,  25e-6, 1e-3, 5e-8, 5e-8},
        {1e-3,  25e-6, 1e-3, 1e-6, 1e-6}, /* copies rule */
        {1e-3,  2e-3,  1e-4, 1e-9, 1e-9}, /* the start alone is too much */
        {50e-3, 25e-6, 1e-4, 1e-9, 1e-9}, /* nearly all on the card */
    };
    cairn_row_stretches s;
    int                 end[2];

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    cairn_tensor *tensor = store_band("csr");

    find(tensor, true, &s);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double all = cases[k].kernel + ROWS * (cases[k].in + cases[k].out)
                           + (BAND - 1) * cases[k].in;
        const double part =
            fmin(1, (cases[k].start + all) / (cases[k].processor + all));
        const cairn_share_costs costs[2] = {
            {.kernel = cases[k].processor},
            { .start  = cases[k].start,
             .kernel = cases[k].kernel,
             .in     = cases[k].in,
             .out    = cases[k].out}
        };
        const double seconds = cairn_row_stretches_balance(&s, costs, 2, 0, end);

        cr_expect_float_eq((double)end[0] / s.count, part, 1.0 / CAIRN_ROW_STRETCHES,
                           "case %zu: %d of %d, not %g", k, end[0], s.count, part);
        cr_expect_eq(end[1], s.count);
        cr_expect_geq(seconds, part * cases[k].processor * (1 - 1e-9));
        cr_expect_leq(seconds, part * cases[k].processor
                                   + fmax(cases[k].processor, all) / CAIRN_ROW_STRETCHES
                                   + 1e-9);
    }
    cairn_tensor_destroy(&tensor);
    cairn_context_destroy(&context);
}

/* ---- Against all divisions ---- */

static uint64_t state;

static double draw(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 9007199254740992.0;
}

/// The least seconds of any division among @p devices devices, in their order, each with
/// @p each stretches at least.
static double least(const cairn_row_stretches *s,
                    const cairn_share_costs   *costs,
                    int                        devices,
                    int                        each,
                    int                        first)
{
    double found = INFINITY;

    if (devices == 1)
        return first + each > s->count
                   ? INFINITY
                   : cairn_row_stretches_seconds(s, costs, first, s->count);
    for (int end = first + each; end <= s->count; end++)
        found = fmin(found, fmax(cairn_row_stretches_seconds(s, costs, first, end),
                                 least(s, costs + 1, devices - 1, each, end)));
    return found;
}

Test(balance, no_division_is_better)
{
    enum { CASES = 2000, MOST = 12, DEVICES = 3 };
    const char *const given = getenv("BALANCE_SEED");

    state = given ? strtoull(given, NULL, 10) : 5;
    for (int c = 0; c < CASES; c++) {
        cairn_row_stretches s = {.count = 1 + (int)(draw() * MOST)};
        cairn_share_costs   costs[DEVICES];
        int                 end[DEVICES];

        for (int k = 0; k < s.count; k++) {
            s.row[k + 1]    = s.row[k] + 1 + (int)(draw() * 50);
            s.before[k + 1] = s.before[k] + draw();
            s.columns[k].lo = (int)(draw() * 100);
            s.columns[k].hi = s.columns[k].lo + (int)(draw() * 100) - 10;
        }
        for (int d = 0; d < DEVICES; d++)
            costs[d] = (cairn_share_costs){.start  = draw() < 0.5 ? 0 : draw(),
                                           .kernel = draw() * 5,
                                           .in     = draw() < 0.5 ? 0 : draw() * 0.01,
                                           .out    = draw() < 0.5 ? 0 : draw() * 0.01};
        const int    each = c % 2 && s.count >= DEVICES;
        const double best = least(&s, costs, DEVICES, each, 0);
        const double is   = cairn_row_stretches_balance(&s, costs, DEVICES, c % 2, end);
        double       last = 0;

        for (int d = 0; d < DEVICES; d++)
            last = fmax(last, cairn_row_stretches_seconds(&s, &costs[d],
                                                          d ? end[d - 1] : 0, end[d]));
        cr_expect_leq(is, best * (1 + 1e-9) + 1e-12, "case %d: %g, not %g", c, is,
                      best);
        cr_expect_leq(last, is * (1 + 1e-9), "case %d: it takes %g, not %g", c, last,
                      is);
        cr_expect_eq(end[DEVICES - 1], s.count);
        for (int d = 0; d < DEVICES; d++)
            cr_expect_geq(end[d] - (d ? end[d - 1] : 0), each, "case %d", c);
    }
}
