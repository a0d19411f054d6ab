// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries on matrices of several chunks of entries against the definition: groups that
/// are runs of entries and such that are not, in all the orders that are told apart.

#define ORACLE_POSITIONS 1840

#include "../support/brutal.h"
#include "../support/query_fixture.h"
#include "../support/query_oracle.h"

#include <criterion/parameterized.h>

TestSuite(query_large, .init = up, .fini = down);

#define COUNT(by) "groupBy (d0,d1)->(" by ") with value ne 0 -> 1 | otherwise -> 0;"
#define SLOTS(by, order) \
    "enum(value) groupBy (d0,d1)->(" by ") traverseBy (d0,d1)->(" order ")"

static struct query_case {
    char name[48];
    char queries[400];
} cases[] = {
    {"rows, padding behind them",
     "a = sum(value) " COUNT(
         "d0") "b = " SLOTS("d0",                                                      "d1") "with value eq 0 -> a | otherwise -> 0;"},
    {"rows, no expression orders them",
     "a = sum(value) " COUNT("d0") "b = enum(value) groupBy (d0,d1)->(d0)"
                                   "with value eq 0 -> none | otherwise -> 5;"                                             },
    {"rows by an expression of rows, then columns",
     "b = " SLOTS("d0","d0/3,d1") "with value eq 0 -> none | otherwise -> 0;"},
    {"rows from the last column on",
     "b = " SLOTS("d0",                                    "-d1") "with value eq 0 -> none | otherwise -> 0;"},
    {"rows by halved columns",
     "b = " SLOTS("d0","d1/2") "with value eq 0 -> none | otherwise -> 0;"},
    {"columns, which come again and again",
     "a = sum(value) " COUNT(
         "d1") "b = " SLOTS("d1",                                                                "d0") "with value eq 0 -> a | otherwise -> 0;"},
    {"columns, rows backwards",
     "b = " SLOTS("d1",                                          "-d0") "with value eq 0 -> none | otherwise -> 0;"},
    {"diagonals",
     "a = sum(value) " COUNT(
         "d1-d0") "b = " SLOTS("d1-d0","d0") "with value eq 0 -> a | otherwise -> 0;"},
    {"groups in another order than the earlier sum's",
     "a = sum(value) " COUNT("d0/3,d1/3") "b = " SLOTS(
         "d1/3,d0/3","d1,d0") "with value eq 0 -> none | otherwise -> 0;"},
    {"the same blocks, summed and numbered",
     "a = sum(value) " COUNT("d0/7,d1/7") "b = " SLOTS(
         "d0/7,d1/7",                                                "d0,d1") "with value eq 0 -> a | otherwise -> 0;"},
    {"several classes in a group",
     "b = " SLOTS("d0",                               "d1") "with value gt 4 -> 0 | value gt 2 -> 1000 |"
                              "otherwise -> 2000;"},
    {"one group of all",                          "a = sum(value) groupBy (d0,d1)->(d0*0)"
                         "with value ne 0 -> 3 | otherwise -> 0; b = " SLOTS(
                             "d0*0",                                                        "d1,d0") "with value eq 0 -> none | otherwise -> -7;"},
    {"sums over all positions",
     "a = sum(value) groupBy (d0,d1)->(d0/2) with value eq 0 -> 2 | otherwise -> 5;"
     "c = sum(value) groupBy (d0,d1)->(d1) with value gt 3 -> -1 | otherwise -> 1;"},
    {"windows of rows by their counts",
     "a = sum(value) " COUNT(
         "d0") "b = reorder(a) groupBy (d0,d1)->(d0/8) descend;"
               "c = reorder(a) groupBy (d0,d1)->(d0/8); d = reorder(a) descend;"                                                               },
    {"buckets of rows",
     "a = sum(value) " COUNT("d0") "b = schedule(a) traverseBy (d0,d1)->(d0) buckets 7;"
                                   "c = reorder(a) descend; e = schedule(a) traverseBy "
                                   "(d0,d1)->(c) buckets 40;"                                                            },
    {"buckets in windows",
     "a = sum(value) " COUNT("d0,d1/9") "b = schedule(a) groupBy (d0,d1)->(d0/5) "
                                        "traverseBy (d0,d1)->(d1/9) buckets 4;"},
    {"blocks, their rows, their slots",
     "a = sum(value) " COUNT(
         "d0/3,d1/3") "b = sum(a) groupBy (d0,d1)->(d0/3) with a ne 0 -> 1 | otherwise "
                      "-> 0;"
                      "c = enum(a) groupBy (d0,d1)->(d0/3) traverseBy (d0,d1)->(d1/3)"
                      "with a eq 0 -> b | otherwise -> 0;"
                      "e = reorder(b) descend;"                                 },
};

/// Every entry its own element of a box, some rows and columns empty.
static cairn_entries draw_entries(const cairn_shape *shape, uint32_t of_ten)
{
    uint64_t      state = 11;
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    for (cairn_coord i = 0; i < shape->extent[0]; i++)
        for (cairn_coord j = 0; j < shape->extent[1]; j++) {
            const cairn_coord at[2] = {i, j};

            state =
                state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            if (i % 11 == 4 || j % 13 == 12 || (state >> 33) % 10 >= of_ten) continue;
            cr_assert_eq(
                cairn_entries_add(&env, &entries, at, (double)(1 + (state >> 45) % 6)),
                CAIRN_OK);
        }
    return entries;
}

static void
expect_all(const oracle *o, cairn_query_set *set, const char *name, uint32_t of_ten)
{
    for (int q = 0; q < o->encoding->queries; q++) {
        const int64_t       *got  = cairn_query_at_entries(set, q);
        const cairn_interval span = cairn_query_span(set, q);
        int64_t              lo = INT64_MAX, hi = INT64_MIN, at = 0;

        for (int p = 0; p < o->positions; p++) {
            const int64_t want = o->query[q].value[p];

            if (!o->stored[p]) continue;
            cr_assert_eq(got[at], want,
                         "%s, %u of 10: query %d at entry %ld: %ld, not %ld", name,
                         of_ten, q, (long)at, (long)got[at], (long)want);
            at++;
            lo = want != CAIRN_NO_NUMBER && want < lo ? want : lo;
            hi = want > hi ? want : hi;
        }
        if (lo > hi || o->encoding->query[q].func == CAIRN_QUERY_REORDER
            || o->encoding->query[q].func == CAIRN_QUERY_SCHEDULE)
            continue; /* empty groups count there */
        cr_expect(span.lo == lo && span.hi == hi,
                  "%s: query %d spans %ld..%ld, not %ld..%ld", name, q, (long)span.lo,
                  (long)span.hi, (long)lo, (long)hi);
    }
}

/// The element with each number of some groups, as the oracle numbers them.
static void expect_elements(const oracle *o, cairn_query_set *set, const char *name)
{
    for (int q = 0; q < o->encoding->queries; q++) {
        const oracle_query *out = &o->query[q];

        if (o->encoding->query[q].func != CAIRN_QUERY_ENUM) continue;
        for (int e = 0; e < out->elements; e += 5) {
            const int   at   = out->at[e];
            cairn_coord d[2] = {-1, -1};

            if (out->number[e] == CAIRN_NO_NUMBER) continue;
            cr_assert(element(set, q, out->number[e], out->group[at], d)
                          && d[0] == o->d[at][0] && d[1] == o->d[at][1],
                      "%s: query %d: number %ld is at (%ld,%ld), not (%ld,%ld)", name,
                      q, (long)out->number[e], (long)d[0], (long)d[1],
                      (long)o->d[at][0], (long)o->d[at][1]);
        }
    }
}

ParameterizedTestParameters(query_large, agrees_with_the_definition)
{
    return cr_make_param_array(struct query_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct query_case *c,
                  query_large,
                  agrees_with_the_definition,
                  .init = up,
                  .fini = down)
{
    static const cairn_shape shape = {
        2, {46, 40}
    };
    static const cairn_interval box[2] = {
        {0, 45},
        {0, 39}
    };
    static const uint32_t density[] = {0, 1, 4, 10};
    oracle               *o         = malloc(sizeof *o);
    char                  text[600];
    cairn_format         *format;

    snprintf(text, sizeof text,
             "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{%.*s }> }>",
             (int)strlen(c->queries) - 1, c->queries);
    format = parse(text);
    for (int k = 0; k < 4; k++) {
        cairn_entries    entries = draw_entries(&shape, density[k]);
        cairn_query_set *set     = NULL;

        oracle_init(o, format->member[0], &shape, &entries);
        oracle_run(o);
        cr_assert_not(o->refused, "%s", c->name);
        cr_assert_eq(
            run_queries(&env, format->member[0], &shape, box, &entries, NULL, &set),
            CAIRN_OK, "%s: %s", c->name, env.message);
        expect_all(o, set, c->name, density[k]);
        expect_elements(o, set, c->name);
        cairn_query_set_destroy(&env, &set);
        cairn_entries_fini(&env, &entries);
    }
    cairn_format_destroy(&format);
    free(o);
}

static cairn_status run_and_forget(const cairn_format  *format,
                                   const cairn_entries *entries)
{
    static const cairn_shape shape = {
        2, {46, 40}
    };
    static const cairn_interval box[2] = {
        {0, 45},
        {0, 39}
    };
    cairn_query_set   *set = NULL;
    const cairn_status status =
        run_queries(&env, format->member[0], &shape, box, entries, NULL, &set);

    cairn_query_set_destroy(&env, &set);
    return status;
}

Test(query_large, survives_every_failed_allocation)
{
    static const cairn_shape shape = {
        2, {46, 40}
    };
    cairn_entries entries = draw_entries(&shape, 4);

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char          text[600];
        cairn_format *format;

        snprintf(text, sizeof text,
                 "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{%.*s }> }>",
                 (int)strlen(cases[k].queries) - 1, cases[k].queries);
        format = parse(text);
        CAIRN_BRUTAL(&env, run_and_forget(format, &entries));
        cairn_format_destroy(&format);
    }
    cairn_entries_fini(&env, &entries);
}
