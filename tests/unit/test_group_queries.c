// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries answered by groups against src/query: random ones on random small tensors, all
/// values at entries, spans, and elements by their numbers.

#include "../support/brutal.h"
#include "../support/query_fixture.h"
#include "../support/query_random.h"
#include "../support/seed.h"
#include "groups/elements.h"

#include <math.h>

TestSuite(group_queries, .init = up, .fini = down);

enum { DRAWS = 2500 };

typedef struct {
    int ran, refused, here; ///< here: without src/query.
} tally;

/// One encoding on one tensor, both ways.
typedef struct {
    const char      *text;
    cairn_format    *format;
    cairn_shape      shape;
    cairn_entries    entries;
    cairn_interval   box[3];
    cairn_query_set *want;
    cairn_groups    *got;
} both;

static cairn_status run_groups(both *b)
{
    const cairn_encoding *e = b->format->member[0];

    CAIRN_TRY(
        cairn_groups_begin(&env, e, &b->shape, b->box, &b->entries, false, &b->got));
    for (int q = 0; q < e->queries; q++)
        CAIRN_TRY(cairn_groups_step(b->got, q, NULL));
    return CAIRN_OK;
}

static void expect_values_of(const both *b, int q)
{
    const int64_t       *want = cairn_query_at_entries(b->want, q);
    const int64_t       *got  = cairn_groups_at_entries(b->got, q);
    const cairn_interval s    = cairn_query_span(b->want, q),
                         t    = cairn_groups_span(b->got, q);

    for (cairn_pos p = 0; p < b->entries.n; p++)
        cr_assert_eq(got[p], want[p], "%s\nquery %d at entry %ld: %ld, not %ld",
                     b->text, q, (long)p, (long)got[p], (long)want[p]);
    cr_assert(s.lo == t.lo && s.hi == t.hi, "%s\nquery %d: span %ld..%ld, not %ld..%ld",
              b->text, q, (long)t.lo, (long)t.hi, (long)s.lo, (long)s.hi);
}

/// The elements of one group of a query, by all numbers that it may have.
static void expect_elements_of(const both *b, int q, const int64_t *group)
{
    for (int64_t number = -2; number < 140; number++) {
        cairn_coord d[3] = {-1, -1, -1}, e[3] = {-1, -1, -1};
        bool        want, got;

        cr_assert_eq(cairn_query_element(b->want, q, number, group, d, &want),
                     CAIRN_OK);
        cr_assert_eq(cairn_groups_element(b->got, q, number, group, e, &got), CAIRN_OK);
        cr_assert(
            want == got && memcmp(d, e, sizeof d) == 0,
            "%s\nquery %d: number %ld of group (%ld,%ld) is at (%ld,%ld,%ld), not "
            "(%ld,%ld,%ld)",
            b->text, q, (long)number, (long)group[0], (long)group[1], (long)e[0],
            (long)e[1], (long)e[2], (long)d[0], (long)d[1], (long)d[2]);
    }
}

/// The same in runs of numbers, each of which goes on where one ended, or begins elsewhere.
static void
expect_runs_of(const both *b, int q, const int64_t *group, cairn_elements *e)
{
    enum { MOST = 40 };
    int64_t      number = (q + b->entries.n) % 5 - 2;
    cairn_coord  column[3][MOST], at[3];
    cairn_coord *d[3] = {column[0], column[1], column[2]};
    bool         got[MOST], want;

    for (int k = 0; k < 12; k++) {
        const int n = 1 + (int)((number * 7 + k * 13 + b->entries.n + 100) % MOST);

        cr_assert_eq(cairn_elements_read(e, group, number, n, d, got), CAIRN_OK);
        for (int p = 0; p < n; p++) {
            cr_assert_eq(cairn_groups_element(b->got, q, number + p, group, at, &want),
                         CAIRN_OK);
            cr_assert_eq(got[p], want, "%s\nquery %d: number %ld of group (%ld,%ld)",
                         b->text, q, (long)number + p, (long)group[0], (long)group[1]);
            for (int j = 0; j < b->shape.order; j++)
                cr_assert_eq(d[j][p], want ? at[j] : 0,
                             "%s\nquery %d: number %ld of group (%ld,%ld): d%d is %ld, "
                             "not %ld",
                             b->text, q, (long)number + p, (long)group[0],
                             (long)group[1], j, (long)d[j][p], (long)at[j]);
        }
        number += k % 3 == 2 ? -n / 2 : k % 3 == 1 ? n + 3 : n;
    }
    if (!cairn_elements_are_places(e)) return;
    for (int p = 0; p < MOST; p++)
        column[0][p] = p - 3;
    memset(got, true, sizeof got);
    got[5] = false;
    cr_assert_eq(cairn_elements_places(
                     e, MOST, column[0],
                     (cairn_coord *[]){column[1], column[2], (cairn_coord[MOST]){0}},
                     got),
                 CAIRN_OK);
    for (int p = 0; p < MOST; p++) {
        cr_assert_eq(cairn_groups_element(b->got, q, p - 3, group, at, &want),
                     CAIRN_OK);
        cr_assert_eq(got[p], want && p != 5);
        if (got[p])
            cr_assert(column[1][p] == at[0]
                      && (b->shape.order < 2 || column[2][p] == at[1]));
    }
}

/// Of all groups that have a position, and some beside them.
static void expect_elements(const both *b, int q)
{
    const cairn_query *query = &b->format->member[0]->query[q];
    cairn_algebra     *a     = malloc(sizeof *a);
    cairn_coord        d[3]  = {0};
    cairn_elements    *runs  = NULL;
    int                k;

    if (query->func == CAIRN_QUERY_SUM) goto done;
    cr_assert_eq(cairn_elements_create(&env, b->got, q, &runs), CAIRN_OK);
    cairn_algebra_init(a, &env, b->shape.order);
    do {
        int64_t group[CAIRN_MAX_LEVELS] = {0}, none[CAIRN_MAX_QUERIES] = {0};

        for (int f = 0; f < query->group_by.count; f++) {
            cairn_form form;

            cr_assert_eq(cairn_form_of(a, query->group_by.expr[f], &form), CAIRN_OK);
            group[f] = cairn_form_value(a, &form, d, none);
        }
        expect_elements_of(b, q, group);
        expect_runs_of(b, q, group, runs);
        for (k = b->shape.order - 1; k >= 0 && ++d[k] == b->shape.extent[k]; k--)
            d[k] = 0;
    } while (k >= 0);
    expect_elements_of(b, q, (int64_t[]){-1, -1, -1});
    expect_elements_of(b, q, (int64_t[]){20, 20, 20});
    expect_runs_of(b, q, (int64_t[]){20, 20, 20}, runs);
done:
    cairn_elements_destroy(&env, &runs);
    free(a);
}

static void compare(both *b, bool elements, tally *t)
{
    const cairn_encoding *e = b->format->member[0];
    const cairn_status    want =
        run_queries(&env, e, &b->shape, b->box, &b->entries, NULL, &b->want);
    const cairn_status got = run_groups(b);

    cr_assert_eq(got, want, "%s\n%ldx%ldx%ld: %d, not %d: %s", b->text,
                 (long)b->shape.extent[0], (long)b->shape.extent[1],
                 (long)b->shape.extent[2], got, want, env.message);
    t->ran++;
    t->refused += want != CAIRN_OK;
    t->here += cairn_groups_class(b->got, 0) != CAIRN_CLASS_OTHER;
    for (int q = 0; q < e->queries && want == CAIRN_OK; q++) {
        expect_values_of(b, q);
        if (elements) expect_elements(b, q);
    }
    cairn_query_set_destroy(&env, &b->want);
    cairn_groups_destroy(&env, &b->got);
}

static bool try_one(drawer *w, tally *t)
{
    both b = {.text = draw_text(w)};

    if (cairn_format_parse(&env, NULL, b.text, "random", &b.format) != CAIRN_OK)
        return false;
    b.shape   = draw_shape(w);
    b.entries = draw_entries(w, &env, &b.shape);
    for (int k = 0; k < b.shape.order; k++)
        b.box[k] = (cairn_interval){0, b.shape.extent[k] - 1};
    compare(&b, true, t);
    cairn_entries_fini(&env, &b.entries);
    cairn_format_destroy(&b.format);
    return true;
}

static void try_many(int order, uint64_t seed)
{
    drawer    w     = {.state = seed, .order = order};
    tally     t     = {0};
    const int cases = seed_cases(DRAWS);

    for (int k = 0; k < cases;)
        k += try_one(&w, &t);
    cr_log_info("seed %lu: %d ran, %d of them refused, %d answered by groups",
                (unsigned long)seed, t.ran, t.refused, t.here);
    cr_expect_gt(t.ran - t.refused, t.ran / 4);
    cr_expect_gt(t.here, t.ran / 4);
}

Test(group_queries, matrices_get_what_the_definition_says)
{
    try_many(2, seed_clock());
}

Test(group_queries, order_3_gets_what_the_definition_says)
{
    try_many(3, seed_clock());
}

/* ---- work goes with what is stored ---- */

enum { ROWS = 15606, PER_ROW = 6, FACTOR = 8, BYTES = 64 };

/// A matrix with few entries in many rows, some of them far from the diagonal.
static cairn_entries mesh(const cairn_shape *shape)
{
    uint64_t      state = 12;
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    for (int64_t i = 0; i < shape->extent[0]; i++)
        for (int k = 0; k < PER_ROW; k++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            const int64_t at   = (int64_t)(state >> 33);
            const int64_t near = (i + at % 64) % shape->extent[1];

            cr_assert_eq(cairn_entries_add(
                             &env, &entries,
                             (cairn_coord[]){i, k ? near : at % shape->extent[1]}, 1),
                         CAIRN_OK);
        }
    cr_assert_eq(cairn_entries_sort(&env, &entries), CAIRN_OK);
    return entries;
}

/// Ask for all numbers below the largest in every group of up to @p width rows.
static int64_t ask(cairn_groups *set, int64_t rows, int64_t width)
{
    const cairn_interval span  = cairn_groups_span(set, 1);
    int64_t              asked = 0;

    for (int64_t number = 0; number <= span.hi; number++)
        for (int64_t g = 0; g * width < rows; g++, asked++) {
            cairn_coord d[2] = {-1, -1};
            bool        found;

            cr_assert_eq(cairn_groups_element(set, 1, number, &g, d, &found), CAIRN_OK);
            cr_assert(found && d[0] / width == g, "number %ld of %ld", (long)number,
                      (long)g);
        }
    return asked;
}

static void expect_bounded(const char *group, const char *key, int64_t width)
{
    const cairn_shape shape = {
        2, {ROWS, ROWS}
    };
    cairn_entries  entries = mesh(&shape);
    cairn_interval box[2]  = {
         {0, ROWS - 1},
         {0, ROWS - 1}
    };
    cairn_groups *set = NULL;
    char          text[600];

    snprintf(
        text, sizeof text,
        "#encoding<{ idx_map<(d0,d1)->(slot,d0,d1)>, mutation<merge(0), trim(0,0)>, "
        "indirect<{ count = sum(value) groupBy (d0,d1)->(%s); slot = enum(value) "
        "groupBy (d0,d1)->(%s) traverseBy (d0,d1)->(%s) with value eq 0 -> count | "
        "otherwise -> 0 }> }>",
        group, group, key);
    cairn_format *format = parse(text);

    env.visited = env.allocated = 0;
    cr_assert_eq(
        cairn_groups_begin(&env, format->member[0], &shape, box, &entries, false, &set),
        CAIRN_OK);
    cr_assert_eq(cairn_groups_step(set, 0, NULL), CAIRN_OK);
    cr_assert_eq(cairn_groups_step(set, 1, NULL), CAIRN_OK);
    cr_expect_neq(cairn_groups_class(set, 1), CAIRN_CLASS_OTHER, "%s by %s", group,
                  key);

    const double n = (double)entries.n, padded = (double)ask(set, ROWS, width);

    cr_expect_leq((double)env.visited, FACTOR * (n * log2(n) + padded + ROWS),
                  "%s by %s: %ld visited", group, key, (long)env.visited);
    cr_expect_leq((double)env.allocated, BYTES * (4 * n + padded + ROWS),
                  "%s by %s: %ld bytes", group, key, (long)env.allocated);
    cairn_groups_destroy(&env, &set);
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&format);
}

/// Visits of an enum for each entry.
static double visits_of(const char *group, const char *key)
{
    const cairn_shape shape = {
        2, {ROWS, ROWS}
    };
    cairn_entries  entries = mesh(&shape);
    cairn_interval box[2]  = {
         {0, ROWS - 1},
         {0, ROWS - 1}
    };
    cairn_groups *set = NULL;
    char          text[400];

    snprintf(text, sizeof text,
             "#encoding<{ idx_map<(d0,d1)->(slot,d0,d1)>, mutation<merge(0), "
             "trim(0,0)>, indirect<{ slot = enum(value) groupBy (d0,d1)->(%s) "
             "traverseBy (d0,d1)->(%s) with value ne 0 -> 0 | otherwise -> none }> }>",
             group, key);
    cairn_format *format = parse(text);

    cr_assert_eq(
        cairn_groups_begin(&env, format->member[0], &shape, box, &entries, false, &set),
        CAIRN_OK);
    env.visited = 0;
    cr_assert_eq(cairn_groups_step(set, 0, NULL), CAIRN_OK);
    const double visits = (double)env.visited / (double)entries.n;

    cairn_groups_destroy(&env, &set);
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&format);
    return visits;
}

/// Elements stand in key order within their groups, or have few places to go.
Test(group_queries, keys_in_order_are_not_sorted)
{
    cr_expect_leq(visits_of("d1", "d0"), 15, "%.1f", visits_of("d1", "d0"));
    cr_expect_leq(visits_of("d1", "-d0"), 15, "%.1f", visits_of("d1", "-d0"));
    cr_expect_leq(visits_of("d0", "-d1"), 15, "%.1f", visits_of("d0", "-d1"));
    cr_expect_leq(visits_of("d0/2", "d1,d0"), 15, "%.1f", visits_of("d0/2", "d1,d0"));
}

Test(group_queries, keys_of_lines_visit_what_is_stored)
{
    expect_bounded("d0", "2*d1", 1);
    expect_bounded("d0", "-3*d1", 1);
    expect_bounded("d0", "d1%7,d1", 1);
    expect_bounded("d0", "(d0+d1)%3+d1", 1);
    expect_bounded("d0", "(d0+3*d1)/5", 1);
}

Test(group_queries, keys_of_boxes_visit_what_is_stored)
{
    expect_bounded("d0/8", "d1/4", 8);
    expect_bounded("d0/8", "d1/4,d0%2,-d1", 8);
    expect_bounded("d0/2", "4*(d1%32)+d0%2", 2);
}

/// Groups without an entry are listed where there are far more of them than entries, in a
/// score of integers each, with the places of src/query; the program does not call it a box.
Test(group_queries, many_groups_without_entries_are_put_in_order)
{
    const cairn_shape shape = {
        2, {600, 500}
    };
    const cairn_interval box[2] = {
        {0, 599},
        {0, 499}
    };
    cairn_format *format = parse(
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ c = sum(value) groupBy "
        "(d0,d1)->(d0,d1); r = reorder(c) groupBy (d0,d1)->(d1/2) traverseBy "
        "(d0,d1)->(-d0) descend }> }>");
    const cairn_encoding *e       = format->member[0];
    cairn_entries         entries = figure_entries();
    cairn_query_set      *want    = NULL;
    cairn_groups         *got     = NULL;

    cr_assert_eq(run_queries(&env, e, &shape, box, &entries, NULL, &want), CAIRN_OK);
    env.allocated = 0;
    cr_assert_eq(cairn_groups_begin(&env, e, &shape, box, &entries, false, &got),
                 CAIRN_OK);
    for (int q = 0; q < 2; q++)
        cr_assert_eq(cairn_groups_step(got, q, NULL), CAIRN_OK);
    cr_expect_leq(env.allocated, 300000 * 20 * 8, "%ld bytes", (long)env.allocated);
    cr_expect_eq(cairn_groups_class(got, 1), CAIRN_CLASS_OTHER);
    expect_values("places", cairn_groups_at_entries(got, 1),
                  cairn_query_at_entries(want, 1), entries.n);
    for (int64_t number = 0; number < 300000; number += 997) {
        cairn_coord d[2] = {-1, -1}, at[2] = {-1, -1};
        bool        found;

        cr_assert(element(want, 1, number, NULL, d));
        cr_assert_eq(cairn_groups_element(got, 1, number, NULL, at, &found), CAIRN_OK);
        cr_assert(found && memcmp(d, at, sizeof d) == 0, "place %ld", (long)number);
    }
    cairn_query_set_destroy(&env, &want);
    cairn_groups_destroy(&env, &got);
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&format);
}

/// Where every row has an entry, none is numbered from where rows without would be.
Test(group_queries, a_start_of_elements_that_are_not_there_takes_no_number)
{
    both b = {
        .text  = "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ q0 = sum(value) "
                 "groupBy (d0,d1)->(d0); q1 = enum(q0) groupBy (d0,d1)->() with q0 ne "
                 "1 -> q0 | otherwise -> 0 }> }>",
        .shape = {2,      {2, 3}},
        .box   = {{0, 1}, {0, 2}}
    };
    tally t = {0};

    b.format = parse(b.text);
    cairn_entries_init(&b.entries, 2);
    for (int k = 0; k < 3; k++)
        cr_assert_eq(cairn_entries_add(&env, &b.entries, (cairn_coord[]){k > 0, k}, 1),
                     CAIRN_OK);
    compare(&b, true, &t);
    cr_expect_eq(t.refused, 0);
    cairn_entries_fini(&env, &b.entries);
    cairn_format_destroy(&b.format);
}

/* ---- allocations that fail ---- */

static cairn_status run_and_destroy(const cairn_encoding *e,
                                    const cairn_entries  *entries)
{
    cairn_groups *set    = NULL;
    cairn_status  status = CAIRN_OK;
    cairn_coord   d[2];
    bool          found;

    CAIRN_TRY(
        cairn_groups_begin(&env, e, &figure_shape, figure_box, entries, false, &set));
    for (int q = 0; q < e->queries && status == CAIRN_OK; q++)
        status = cairn_groups_step(set, q, NULL);
    for (int q = 0; q < e->queries && status == CAIRN_OK; q++)
        status = cairn_groups_element(set, q, 2, (int64_t[]){1, 1}, d, &found);
    cairn_groups_destroy(&env, &set);
    return status;
}

Test(group_queries, survive_every_failed_allocation)
{
    const char *const keys[] = {"d1", "-d1", "(d0+d1)%3+d1", "d1%2"};

    for (int k = 0; k < 4; k++) {
        cairn_entries entries = figure_entries();
        char          text[600];

        snprintf(
            text, sizeof text,
            "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ "
            "c = sum(value) groupBy (d0,d1)->(d0); x = enum(value) groupBy "
            "(d0,d1)->(d0) traverseBy (d0,d1)->(%s) with value eq 0 -> c | otherwise "
            "-> 0; y = enum(value) groupBy (d0,d1)->(d0) traverseBy (d0,d1)->(%s); "
            "z = enum(value) groupBy (d0,d1)->(x) with value ne 0 -> 0 | otherwise "
            "-> none distance 2 by (d0,d1)->(d1) }> }>",
            keys[k], keys[k]);
        cairn_format *format = parse(text);

        CAIRN_BRUTAL(&env, run_and_destroy(format->member[0], &entries));
        cairn_entries_fini(&env, &entries);
        cairn_format_destroy(&format);
    }
}

/// What leaves 64 bits is refused as src/query refuses it.
Test(group_queries, forms_beyond_64_bits_are_refused_alike)
{
    const char *const texts[] = {
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ enum(value) groupBy "
        "(d0,d1)->(4611686018427387904*d0) with value ne 0 -> 0 | otherwise -> none }> "
        "}>",
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ sum(value) groupBy "
        "(d0,d1)->(4611686018427387904*d0+d1) }> }>",
    };

    for (int k = 0; k < 2; k++) {
        cairn_query_set      *want    = NULL;
        cairn_entries         entries = figure_entries();
        cairn_format         *format  = parse(texts[k]);
        cairn_groups         *got     = NULL;
        const cairn_encoding *e       = format->member[0];

        cr_expect_eq(
            run_queries(&env, e, &figure_shape, figure_box, &entries, NULL, &want),
            CAIRN_OVERFLOW);
        cr_expect_eq(cairn_groups_begin(&env, e, &figure_shape, figure_box, &entries,
                                        false, &got),
                     CAIRN_OK);
        cr_expect_eq(cairn_groups_step(got, 0, NULL), CAIRN_OVERFLOW, "%s", texts[k]);
        cairn_groups_destroy(&env, &got);
        cairn_entries_fini(&env, &entries);
        cairn_format_destroy(&format);
    }
}
