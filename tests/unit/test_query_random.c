// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random queries on random small tensors against the definition.

#include "../support/query_fixture.h"
#include "../support/query_oracle.h"
#include "../support/query_random.h"
#include "../support/seed.h"

TestSuite(query_random, .init = up, .fini = down);

enum { USUAL_CASES = 2500 };

/// The oracle's element of a group with a number, or -1.
static int find(const oracle *o, int q, int64_t number, const int64_t *group)
{
    const cairn_query  *query = &o->encoding->query[q];
    const oracle_query *out   = &o->query[q];

    for (int e = 0; e < out->elements; e++)
        if (out->number[e] == number
            && (query->func == CAIRN_QUERY_REORDER
                || oracle_compare(out->group[out->at[e]], group, query->group_by.count)
                       == 0))
            return e;
    return -1;
}

/// All numbers that elements have, and some that none has.
static void
expect_elements(const oracle *o, int q, cairn_query_set *set, const char *text)
{
    const oracle_query *out = &o->query[q];

    for (int e = 0; e < out->elements; e++)
        for (int64_t number = -1; number < out->elements + 6; number++) {
            const int64_t *group = out->group[out->at[e]];
            const int      want  = find(o, q, number, group);
            cairn_coord    d[3]  = {-1, -1, -1};
            const bool     found = element(set, q, number, group, d);

            cr_assert_eq(found, want >= 0,
                         "%s\nquery %d: number %ld of the group of %d", text, q,
                         (long)number, e);
            if (found)
                cr_assert(memcmp(d, o->d[out->at[want]], (size_t)o->order * sizeof *d)
                              == 0,
                          "%s\nquery %d: number %ld is at (%ld,%ld), not (%ld,%ld)",
                          text, q, (long)number, (long)d[0], (long)d[1],
                          (long)o->d[out->at[want]][0], (long)o->d[out->at[want]][1]);
        }
}

static void expect_all(const oracle *o, cairn_query_set *set, const char *text)
{
    for (int q = 0; q < o->encoding->queries; q++) {
        const int64_t *got = cairn_query_at_entries(set, q);
        int            at  = 0;

        for (int p = 0; p < o->positions; p++) {
            if (!o->stored[p]) continue;
            cr_assert_eq(got[at], o->query[q].value[p],
                         "%s\nquery %d at entry %d: %ld, not %ld", text, q, at,
                         (long)got[at], (long)o->query[q].value[p]);
            at++;
        }
        if (o->encoding->query[q].func == CAIRN_QUERY_ENUM
            || o->encoding->query[q].func == CAIRN_QUERY_REORDER)
            expect_elements(o, q, set, text);
    }
}

/// One draw; false if the text had no meaning.
static bool try_one(drawer *w, oracle *o, int *refused)
{
    const char      *text   = draw_text(w);
    cairn_format    *format = NULL;
    cairn_query_set *set    = NULL;
    cairn_interval   box[3];

    if (cairn_format_parse(&env, NULL, text, "random", &format) != CAIRN_OK)
        return false;

    const cairn_shape shape   = draw_shape(w);
    cairn_entries     entries = draw_entries(w, &env, &shape);
    cairn_status      status;

    for (int k = 0; k < shape.order; k++)
        box[k] = (cairn_interval){0, shape.extent[k] - 1};
    oracle_init(o, format->member[0], &shape, &entries);
    oracle_run(o);
    status = run_queries(&env, format->member[0], &shape, box, &entries, NULL, &set);
    cr_assert_eq(status, o->refused ? CAIRN_BAD_QUERY : CAIRN_OK, "%s\n%ldx%ldx%ld: %s",
                 text, (long)shape.extent[0], (long)shape.extent[1],
                 (long)shape.extent[2], status ? env.message : "should be refused");
    *refused += o->refused;
    if (status == CAIRN_OK) expect_all(o, set, text);
    cairn_query_set_destroy(&env, &set);
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&format);
    return true;
}

static void try_many(int order, uint64_t seed)
{
    drawer    w     = {.state = seed, .order = order};
    oracle   *o     = malloc(sizeof *o);
    const int cases = seed_cases(USUAL_CASES);
    int       ran = 0, refused = 0;

    for (int k = 0; ran - refused < cases && k < 40 * cases; k++)
        ran += try_one(&w, o, &refused);
    free(o);
    printf("seed %lu: %d ran, %d of them refused\n", (unsigned long)seed, ran, refused);
    cr_expect_eq(ran - refused, cases);
}

Test(query_random, matrices_agree_with_the_definition)
{
    try_many(2, seed_clock() * 1000003 + 2);
}

Test(query_random, order_3_agrees_with_the_definition)
{
    try_many(3, seed_clock() * 1000003 + 3);
}
