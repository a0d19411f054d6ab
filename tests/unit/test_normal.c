// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The normal form of queries by the definition: every element has the number that the
/// text gives it.

#include "../support/query_fixture.h"
#include "../support/query_oracle.h"
#include "../support/query_random.h"
#include "../support/query_rewrite.h"
#include "../support/seed.h"
#include "format/normal.h"

TestSuite(normal, .init = up, .fini = down);

enum { DRAWS = 2500, REWRITES = 200 };

/// Numbers of a sum may be a multiple of the normal form's, where only their order and
/// comparisons matter; the factor is one for the query.
static bool are_multiples(const oracle *text, const oracle *normal, int q)
{
    const int64_t *a = text->query[q].value, *b = normal->query[q].value;
    int64_t        unit = 0;

    for (int p = 0; p < text->positions; p++) {
        if (b[p] && !unit) unit = a[p] / b[p];
        if (a[p] != (b[p] ? unit * b[p] : 0)) return false;
    }
    return unit >= 0;
}

/// @param two_normals  Both are normal forms, of texts in other words: a factor that one
///                     of them has may have stayed in either, such as one that an element
///                     which no value meets hides.
static void expect_same(const oracle *text,
                        const oracle *normal,
                        bool          two_normals,
                        const char   *what,
                        uint64_t      seed)
{
    cr_assert_eq(text->refused, normal->refused, "%s\nseed %lu", what,
                 (unsigned long)seed);
    for (int q = 0; q < text->encoding->queries && !text->refused; q++) {
        if (text->encoding->query[q].func == CAIRN_QUERY_SUM) {
            cr_assert(are_multiples(text, normal, q)
                          || (two_normals && are_multiples(normal, text, q)),
                      "%s\nseed %lu: sum %d", what, (unsigned long)seed, q);
            continue;
        }
        for (int p = 0; p < text->positions; p++)
            cr_assert_eq(text->query[q].value[p], normal->query[q].value[p],
                         "%s\nseed %lu: query %d at (%ld,%ld): %ld, not %ld", what,
                         (unsigned long)seed, q, (long)text->d[p][0],
                         (long)text->d[p][1], (long)normal->query[q].value[p],
                         (long)text->query[q].value[p]);
    }
}

/// One draw. @return 0: the text had no meaning; 1: it is its own normal form; 2: not.
static int try_one(uint64_t seed, int order, oracle *o)
{
    drawer        w      = {.state = seed, .order = order};
    const char   *text   = draw_text(&w);
    cairn_format *format = NULL;
    char         *what;

    if (cairn_format_parse(&env, NULL, text, "random", &format) != CAIRN_OK) return 0;

    const bool        changed = format->normal[0] != format->member[0];
    const cairn_shape shape   = draw_shape(&w);
    cairn_entries     entries = draw_entries(&w, &env, &shape);

    cr_assert_eq(cairn_normal_print(&env, format->normal[0], &what), CAIRN_OK);
    for (int k = 0; k < 2; k++) {
        oracle_init(&o[k], k ? format->normal[0] : format->member[0], &shape, &entries);
        oracle_run(&o[k]);
    }
    expect_same(&o[0], &o[1], false, text, seed);
    cairn_free(&env, what);
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&format);
    return 1 + changed;
}

static void try_many(int order)
{
    const char    *given = getenv("NORMAL_SEED");
    const uint64_t first = given ? strtoull(given, NULL, 10)
                                 : seed_clock() * UINT64_C(1000003) + (uint64_t)order;
    const int      cases = given ? 1 : seed_cases(DRAWS);
    oracle        *o     = malloc(2 * sizeof *o);
    int            ran = 0, changed = 0;

    printf("first seed %lu\n", (unsigned long)first);
    for (int k = 0; ran < cases && k < (given ? 1 : 40 * cases); k++) {
        const int result = try_one(first + (uint64_t)k, order, o);

        ran += result > 0;
        changed += result > 1;
    }
    free(o);
    printf("%d ran, %d of them changed\n", ran, changed);
    cr_expect(given || ran == cases, "%d of %d", ran, cases);
    cr_expect(given || !seed_whole() || changed > cases / 20, "%d of %d are changed",
              changed, cases);
}

/* ---- in other words ---- */

/// Numbers that an enum may not give are no terms of sums.
static bool uses_numbers(const cairn_encoding *e)
{
    bool uses = false;

    for (int q = 0; q < e->queries; q++) {
        const cairn_query *query = &e->query[q];

        for (int k = 0; k < query->group_by.count; k++)
            uses |= cairn_expr_is_indirect(query->group_by.expr[k]);
        for (int k = 0; query->traverse_by && k < query->traverse_by->count; k++)
            uses |= cairn_expr_is_indirect(query->traverse_by->expr[k]);
    }
    return uses;
}

/// Does the normal form print alike?
static bool
print_alike(const cairn_format *plain, const cairn_format *other, const char *text)
{
    char *a, *b;

    cr_assert_eq(cairn_normal_print(&env, plain->normal[0], &a), CAIRN_OK);
    cr_assert_eq(cairn_normal_print(&env, other->normal[0], &b), CAIRN_OK);

    const bool alike = strcmp(a, b) == 0;

    if (!alike && getenv("NORMAL_SHOW")) printf("%s\n%s\nnot %s\n\n", text, b, a);
    cairn_free(&env, a);
    cairn_free(&env, b);
    return alike;
}

/// Both texts and both normal forms on one tensor.
static void compare_rewritten(const cairn_format *plain,
                              const cairn_format *other,
                              drawer             *w,
                              const char         *text,
                              uint64_t            seed)
{
    const cairn_encoding *of[4] = {plain->member[0], plain->normal[0], other->member[0],
                                   other->normal[0]};
    const cairn_shape     shape = draw_shape(w);
    cairn_entries         entries = draw_entries(w, &env, &shape);
    oracle               *o       = malloc(4 * sizeof *o);

    for (int k = 0; k < 4; k++) {
        oracle_init(&o[k], of[k], &shape, &entries);
        oracle_run(&o[k]);
    }
    expect_same(&o[0], &o[1], false, text, seed);
    expect_same(&o[1], &o[3], true, text, seed);
    expect_same(&o[2], &o[3], false, text, seed);
    free(o);
    cairn_entries_fini(&env, &entries);
}

/// @return 0: the draw had no meaning, or none to rewrite; 1: rewritten; 2: and the normal
/// forms print alike.
static int try_rewrite(uint64_t seed)
{
    drawer        w     = {.state = seed, .order = 2, .global = true};
    cairn_format *plain = NULL, *other = NULL;
    char         *text;
    int           result = 0;

    if (cairn_format_parse(&env, NULL, draw_text(&w), "random", &plain) != CAIRN_OK)
        return 0;
    if (plain->normal[0] == plain->member[0] || uses_numbers(plain->member[0])) {
        cairn_format_destroy(&plain);
        return 0;
    }
    text = rewrite(&env, plain, seed);
    if (cairn_format_parse(&env, NULL, text, "rewritten", &other) == CAIRN_OK) {
        compare_rewritten(plain, other, &w, text, seed);
        result = 1 + print_alike(plain, other, text);
    }
    cairn_format_destroy(&other);
    cairn_format_destroy(&plain);
    cairn_free(&env, text);
    return result;
}

Test(normal, random_queries_in_other_words_have_the_numbers_of_their_text)
{
    const char    *given = getenv("NORMAL_SEED");
    const uint64_t first =
        given ? strtoull(given, NULL, 10) : seed_clock() * UINT64_C(1000003);
    const int cases = given ? 1 : seed_cases(REWRITES);
    int       ran = 0, alike = 0;

    printf("first seed %lu\n", (unsigned long)first);
    for (uint64_t k = 0; ran < cases && k < 20 * (uint64_t)cases; k++) {
        const int result = try_rewrite(first + k);

        ran += result > 0;
        alike += result > 1;
    }
    printf("%d of %d print alike\n", alike, ran);
    cr_expect(given || ran == cases, "%d of %d", ran, cases);
    cr_expect(given || alike * 10 >= ran * 9, "%d of %d print alike", alike, ran);
}

/// Along a diagonal the row follows from the column: one of them keeps the distance.
Test(normal, what_follows_from_the_groups_keeps_no_distance)
{
    static const char *const keys[] = {"d1", "d0", "d0,d1", "2*d1-d0"};

    for (int k = 0; k < 4; k++) {
        cairn_format *format = NULL;
        char          text[300], *print;

        snprintf(text, sizeof text,
                 "#encoding<{ idx_map<(d0,d1)->(slot,d0,d1)>, mutation<merge(0,1), "
                 "trim(1,2)>, indirect<{ slot = enum(value) groupBy (d0,d1)->(d1-d0) "
                 "traverseBy (d0,d1)->(d0) with value ne 0 -> 0 | otherwise -> none "
                 "distance 2 by (d0,d1)->(%s) }> }>",
                 keys[k]);
        cr_assert_eq(cairn_format_parse(&env, NULL, text, "text", &format), CAIRN_OK,
                     "%s", env.message);
        cr_assert_eq(cairn_normal_print(&env, format->normal[0], &print), CAIRN_OK);
        cr_expect(strstr(print, "distance 2 by (d0,d1)->(d0);"), "%s", print);
        cairn_free(&env, print);
        cairn_format_destroy(&format);
    }
}

/// Of the rewritten text an element that no value meets hides the factor of the others.
Test(normal, a_factor_may_stay_in_either_text)
{
    cr_expect_gt(try_rewrite(101048426), 0);
}

/// The normal form of a sum starts with another one, of which the text has a later spelling:
/// numbers of the earlier one are seen there alone.
Test(normal, a_number_that_the_normal_form_shows_is_not_multiplied)
{
    cr_expect_gt(try_rewrite(3000023001475), 0);
}

Test(normal, matrices_have_the_numbers_of_their_text)
{
    try_many(2);
}

Test(normal, tensors_of_order_3_have_the_numbers_of_their_text)
{
    try_many(3);
}
