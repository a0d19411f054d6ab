// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries on Figure 1a: the numbers of docs/formats.md, section 5.

#include "../support/brutal.h"
#include "../support/query_fixture.h"

TestSuite(query_figure, .init = up, .fini = down);

/// Run the queries of a format on the figure.
typedef struct {
    cairn_format    *format;
    cairn_entries    entries;
    cairn_query_set *set;
} figure;

/// The set looks at the entries, so that the figure must stay where it is.
static void run(figure *f, const char *text)
{
    *f = (figure){.format = parse(text), .entries = figure_entries()};
    cr_assert_eq(run_queries(&env, f->format->member[0], &figure_shape, figure_box,
                             &f->entries, NULL, &f->set),
                 CAIRN_OK, "%s", env.message);
}

static void finish(figure *f)
{
    cairn_query_set_destroy(&env, &f->set);
    cairn_entries_fini(&env, &f->entries);
    cairn_format_destroy(&f->format);
}

static void expect_at_entries(const figure *f, int q, const int64_t *want)
{
    expect_values("value", cairn_query_at_entries(f->set, q), want, 6);
}

/// The element with @p number of a group is at @p want; NULL: there is none.
static void expect_element(const figure      *f,
                           int                q,
                           int64_t            number,
                           const int64_t     *group,
                           const cairn_coord *want)
{
    cairn_coord d[2]  = {-1, -1};
    const bool  found = element(f->set, q, number, group, d);

    cr_expect_eq(found, want != NULL, "number %ld of group %ld", (long)number,
                 (long)group[0]);
    if (found && want) expect_values("element", d, want, 2);
}

Test(query_figure, sum_counts_rows)
{
    figure        f;
    const int64_t sums[] = {1, 1, 3, 3, 3, 1};

    run(&f, "ell");
    expect_at_entries(&f, 0, sums);
    cr_expect_eq(cairn_query_span(f.set, 0).lo, 1);
    cr_expect_eq(cairn_query_span(f.set, 0).hi, 3);
    finish(&f);
}

Test(query_figure, ell_slots_and_padding_columns)
{
    figure                   f;
    const int64_t            slots[]      = {0, 0, 0, 1, 2, 0};
    static const cairn_coord column[3][5] = {
        {0, 1, 1, 0, 3},
        {1, 0, 2, 1, 0},
        {2, 2, 3, 2, 1}
    };

    run(&f, "ell");
    expect_at_entries(&f, 1, slots);
    for (int64_t slot = 0; slot < 3; slot++)
        for (int64_t row = 0; row < 5; row++)
            expect_element(&f, 1, slot, &row, (cairn_coord[]){row, column[slot][row]});
    expect_element(&f, 1, 4, (int64_t[]){2}, NULL);
    expect_element(&f, 1, -1, (int64_t[]){2}, NULL);
    expect_element(&f, 1, 0, (int64_t[]){5}, NULL);
    finish(&f);
}

Test(query_figure, sell_sigma_places)
{
    figure        f;
    const int64_t places[] = {1, 2, 0, 0, 0, 4};
    const int64_t rows[]   = {2, 0, 1, 3, 4};

    run(&f, "sell-sigma<2,4>");
    expect_at_entries(&f, 1, places);
    for (int64_t place = 0; place < 5; place++)
        expect_element(&f, 1, place, &place, (cairn_coord[]){rows[place], 0});
    expect_element(&f, 1, 5, rows, NULL);
    cr_expect_eq(cairn_query_span(f.set, 1).hi, 4);
    finish(&f);
}

Test(query_figure, bell_slots_and_padding_blocks)
{
    figure                   f;
    const int64_t            blocks[]     = {2, 2, 1, 2, 2, 1};
    const int64_t            widths[]     = {1, 1, 2, 2, 2, 1};
    const int64_t            slots[]      = {0, 0, 0, 1, 1, 0};
    static const cairn_coord column[2][3] = {
        {0, 0, 1},
        {1, 1, 0}
    };

    run(&f, "bell<2>");
    expect_at_entries(&f, 0, blocks);
    expect_at_entries(&f, 1, widths);
    expect_at_entries(&f, 2, slots);
    for (int64_t slot = 0; slot < 2; slot++)
        for (int64_t row = 0; row < 3; row++)
            expect_element(&f, 2, slot, &row,
                           (cairn_coord[]){2 * row, 2 * column[slot][row]});
    expect_element(&f, 2, 2, (int64_t[]){0}, NULL);
    expect_element(&f, 2, 0, (int64_t[]){3}, NULL);
    finish(&f);
}

Test(query_figure, cisr_buckets)
{
    figure        f;
    const int64_t buckets[] = {0, 1, 0, 0, 0, 1};

    run(&f, "cisr<2>");
    expect_at_entries(&f, 1, buckets);
    finish(&f);
}

Test(query_figure, cisr_plus_places_and_buckets)
{
    figure        f;
    const int64_t places[]  = {1, 2, 0, 0, 0, 3};
    const int64_t buckets[] = {1, 1, 0, 0, 0, 1};
    const int64_t rows[]    = {2, 0, 1, 4, 3};

    run(&f, "cisr-plus<2>");
    expect_at_entries(&f, 1, places);
    expect_at_entries(&f, 2, buckets);
    for (int64_t place = 0; place < 5; place++)
        expect_element(&f, 1, place, NULL, (cairn_coord[]){rows[place], 0});
    expect_element(&f, 2, 0, rows, NULL);
    finish(&f);
}

Test(query_figure, serpens_cycles)
{
    figure        f;
    const int64_t cycles[] = {0, 2, 0, 2, 4, 1};

    run(&f, "serpens<2,4,2>");
    expect_at_entries(&f, 0, cycles);
    cr_expect_eq(cairn_query_span(f.set, 0).hi, 4);
    expect_element(&f, 0, 1, (int64_t[]){0, 0}, (cairn_coord[]){4, 3});
    expect_element(&f, 0, 3, (int64_t[]){0, 0}, NULL);
    expect_element(&f, 0, 1, (int64_t[]){0, 1}, NULL);
    finish(&f);
}

Test(query_figure, schedule_without_buckets_takes_the_divisor)
{
    figure        f;
    const int64_t buckets[] = {0, 1, 0, 0, 0, 1};

    run(&f, "#encoding<{ idx_map<(d0,d1)->(indirect(d0),d0,d1)>, indirect<{ "
            "sum(value) groupBy (d0,d1)->(d0); "
            "schedule(d0) traverseBy (d0,d1)->(d0/2) }> }>");
    expect_at_entries(&f, 1, buckets);
    finish(&f);
}

Test(query_figure, sums_count_what_is_not_stored)
{
    figure        f;
    const int64_t mixed[] = {7, 7, 5, 5, 5, 7}, large[] = {1, 1, 2, 1, 1, 2},
                  all[] = {20, 20, 20, 20, 20, 20};

    run(&f,
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ "
        "sum(value) groupBy (d0,d1)->(d0) with value eq 0 -> 2 | otherwise -> 1; "
        "sum(value) groupBy (d0,d1)->(d1-d0) with value gt 2 -> 1 | otherwise -> 0; "
        "sum(value) with otherwise -> 1 }> }>");
    expect_at_entries(&f, 0, mixed);
    expect_at_entries(&f, 1, large);
    expect_at_entries(&f, 2, all);
    finish(&f);
}

Test(query_figure, two_equal_numbers_are_refused)
{
    const char *const texts[] = {
        "#encoding<{ idx_map<(d0,d1)->(x,d0,d1)>, indirect<{ x = enum(value) groupBy "
        "(d0,d1)->(d0) with value eq 0 -> 0 | otherwise -> 0 }> }>",
        "#encoding<{ idx_map<(d0,d1)->(x,d0,d1)>, indirect<{ x = enum(value) groupBy "
        "(d0,d1)->(d0) with value gt 3 -> 0 | value eq 0 -> none | otherwise -> 0 }> "
        "}>",
    };

    for (int k = 0; k < 2; k++) {
        cairn_format    *format  = parse(texts[k]);
        cairn_entries    entries = figure_entries();
        cairn_query_set *set     = NULL;

        cr_expect_eq(run_queries(&env, format->member[0], &figure_shape, figure_box,
                                 &entries, NULL, &set),
                     CAIRN_BAD_QUERY);
        cr_expect_not_null(strstr(env.message, "x: two elements of group ("));
        cr_expect_null(set);
        cairn_entries_fini(&env, &entries);
        cairn_format_destroy(&format);
    }
}

static cairn_status run_and_destroy(const cairn_encoding *encoding,
                                    const cairn_entries  *entries)
{
    cairn_query_set *set = NULL;
    cairn_coord      d[2];
    bool             found;
    cairn_status     status = CAIRN_OK;

    CAIRN_TRY(
        run_queries(&env, encoding, &figure_shape, figure_box, entries, NULL, &set));
    for (int q = 0; q < encoding->queries && status == CAIRN_OK; q++)
        status = cairn_query_element(set, q, 1, (int64_t[]){1, 1}, d, &found);
    cairn_query_set_destroy(&env, &set);
    return status;
}

/// Numbers of one group on both ends of what 64 bits hold, and between them those of what
/// is not stored.
Test(query_figure, numbers_may_lie_far_apart)
{
    static const int64_t far = INT64_C(9000000000000000000), group[1] = {2};

    figure        f;
    const int64_t want[6] = {far, far, far, -far, 1 - far, -far};

    run(&f, "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ enum(value) groupBy "
            "(d0,d1)->(d0) traverseBy (d0,d1)->(d1) with value eq 0 -> "
            "-9000000000000001000 | value lt 4 -> 9000000000000000000 | otherwise -> "
            "-9000000000000000000 }> }>");
    expect_at_entries(&f, 0, want);
    expect_element(&f, 0, far, group, (cairn_coord[]){2, 1});
    expect_element(&f, 0, -far, group, (cairn_coord[]){2, 2});
    expect_element(&f, 0, -far - 1000, group, (cairn_coord[]){2, 0});
    finish(&f);
}

Test(query_figure, survives_every_failed_allocation)
{
    const char *const texts[] = {
        "ell",
        "sell-sigma<2,4>",
        "bell<2>",
        "cisr-plus<2>",
        "serpens<2,4,2>",
        "#encoding<{ idx_map<(d0,d1)->(x,d0,d1)>, indirect<{ x = enum(value) groupBy "
        "(d0,d1)->(d1-d0) }> }>"};

    for (int k = 0; k < 6; k++) {
        cairn_format *format  = parse(texts[k]);
        cairn_entries entries = figure_entries();

        CAIRN_BRUTAL(&env, run_and_destroy(format->member[0], &entries));
        cairn_entries_fini(&env, &entries);
        cairn_format_destroy(&format);
    }
}

Test(query_figure, too_many_groups_are_refused_and_not_allocated)
{
    const cairn_shape shape = {
        2, {3000000000, 3000000000}
    };
    const cairn_interval box[2] = {
        {0, 2999999999},
        {0, 2999999999}
    };
    cairn_format    *format  = parse("sell-sigma<2,4>");
    cairn_entries    entries = figure_entries();
    cairn_query_set *set     = NULL;

    env.memory_limit = (int64_t)1 << 30;
    cr_expect_eq(
        run_queries(&env, format->member[0], &shape, box, &entries, NULL, &set),
        CAIRN_NO_MEMORY);
    cr_expect_not_null(strstr(env.message, "groups of a query"));
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&format);
}
