// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries over several ranks against the same on one: sum, enum, reorder and hybrids
/// are global whatever the rows' owners.

#include "../support/query_ranks.h"
#include "../support/seed.h"
#include "groups/decompose.h"

TestSuite(query_ranks, .init = up, .fini = down);

enum { USUAL_CASES = 2500, NUMBERS = 24 };

/// One rank's share and what it found.
typedef struct {
    cairn_interval   box[3];
    cairn_entries    entries;
    cairn_query_set *set;
    cairn_status     status;
    uint8_t         *member;
} share;

typedef struct {
    cairn_format *format;
    cairn_shape   shape;
    net_rank      rank[NET_RANKS];
    share         share[NET_RANKS];
    bool          hybrid, definition;
    int failing, allowed; ///< Rank that fails its allocation number `allowed`.
} job;

static void work(void *user, int rank)
{
    job   *j = user;
    share *s = &j->share[rank];

    if (rank == j->failing) j->rank[rank].env.allowed = j->allowed;
    s->status =
        j->hybrid
            ? cairn_decompose(&j->rank[rank].env, j->format, &j->shape, s->box,
                              &s->entries, j->definition, &j->rank[rank].net, s->member)
            : run_queries(&j->rank[rank].env, j->format->member[0], &j->shape, s->box,
                          &s->entries, &j->rank[rank].net, &s->set);
    j->rank[rank].env.allowed = -1;
}

/// Rank r owns rows cut[r] .. cut[r+1]-1; some own none.
static void split(job *j, drawer *w, const cairn_entries *entries, int size)
{
    cairn_coord cut[NET_RANKS + 1];

    draw_cuts(w, j->shape.extent[0], size, cut);
    for (int r = 0; r < size; r++) {
        share *s = &j->share[r];

        *s = (share){.status = CAIRN_OK};
        take_rows(entries, &j->shape, cut[r], cut[r + 1], s->box, &s->entries);
    }
}

static void release(job *j, int size)
{
    for (int r = 0; r < size; r++) {
        cairn_query_set_destroy(&j->rank[r].env, &j->share[r].set);
        cairn_entries_fini(&env, &j->share[r].entries);
        cr_assert_eq(j->rank[r].env.live_blocks, 0, "rank %d leaks", r);
        cairn_env_fini(&j->rank[r].env);
    }
}

/// The values of all ranks, one after the other, are those of one.
static void
expect_values_of(const job *j, int size, int q, const int64_t *want, const char *text)
{
    cairn_pos at = 0;

    for (int r = 0; r < size; r++) {
        const int64_t *got = cairn_query_at_entries(j->share[r].set, q);

        for (cairn_pos p = 0; p < j->share[r].entries.n; p++, at++)
            cr_assert_eq(got[p], want[at],
                         "%s\nquery %d, rank %d of %d, entry %ld: %ld, not %ld", text,
                         q, r, size, (long)p, (long)got[p], (long)want[at]);
    }
}

/// What a rank finds is what one rank finds.
static void expect_elements_of(const job       *j,
                               int              size,
                               int              q,
                               cairn_query_set *one,
                               const char      *text)
{
    for (int r = 0; r < size; r++)
        for (int64_t number = 0; number < NUMBERS; number++)
            for (int64_t a = -1; a < 4; a++)
                for (int64_t b = -1; b < 4; b++) {
                    const int64_t group[2] = {a, b};
                    cairn_coord   want[3] = {0}, got[3] = {0};

                    if (!element(j->share[r].set, q, number, group, got)) continue;
                    cr_assert(element(one, q, number, group, want)
                                  && memcmp(got, want, sizeof got) == 0,
                              "%s\nquery %d, rank %d of %d: number %ld of (%ld,%ld)",
                              text, q, r, size, (long)number, (long)a, (long)b);
                }
}

static void compare(const job *j, int size, cairn_query_set *one, const char *text)
{
    const cairn_encoding *encoding = j->format->member[0];

    for (int q = 0; q < encoding->queries; q++) {
        expect_values_of(j, size, q, cairn_query_at_entries(one, q), text);
        if (encoding->query[q].func != CAIRN_QUERY_SUM)
            expect_elements_of(j, size, q, one, text);
    }
}

/// One draw on one rank and on several; counts what ran.
static void try_one(drawer *w, job *j, int *ran)
{
    const char      *text = draw_text(w);
    const int        size = 2 + (int)draw(w, 3);
    cairn_interval   box[3];
    cairn_query_set *one = NULL;
    cairn_status     status;

    if (cairn_format_parse(&env, NULL, named(text), "random", &j->format) != CAIRN_OK)
        return;
    j->shape              = draw_shape(w);
    cairn_entries entries = draw_entries(w, &env, &j->shape);

    for (int k = 0; k < j->shape.order; k++)
        box[k] = (cairn_interval){0, j->shape.extent[k] - 1};
    status =
        run_queries(&env, j->format->member[0], &j->shape, box, &entries, NULL, &one);
    split(j, w, &entries, size);
    net_run(j->rank, size, work, j);
    for (int r = 0; r < size; r++)
        cr_assert_eq(j->share[r].status, status,
                     "%s\nrank %d of %d: status %d, not %d: %s", text, r, size,
                     j->share[r].status, status, j->rank[r].env.message);
    if (j->share[0].status == CAIRN_OK) compare(j, size, one, text);
    *ran += status == CAIRN_OK;
    release(j, size);
    cairn_query_set_destroy(&env, &one);
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&j->format);
}

static void try_many(int order, uint64_t seed)
{
    drawer    w     = {.state = seed, .order = order, .global = true};
    job       j     = {.failing = -1};
    const int cases = seed_cases(USUAL_CASES);
    int       ran   = 0;

    for (int k = 0; ran < cases && k < 40 * cases; k++)
        try_one(&w, &j, &ran);
    printf("seed %lu: %d ran\n", (unsigned long)seed, ran);
    cr_expect_eq(ran, cases);
}

Test(query_ranks, matrices_do_not_depend_on_the_rank_count)
{
    try_many(2, seed_clock() * 1000003 + 2);
}

Test(query_ranks, order_3_does_not_depend_on_the_rank_count)
{
    try_many(3, seed_clock() * 1000003 + 3);
}

static const char *const formats[] = {
    "ell",     "sell<2>", "sell-sigma<2,4>", "bell<2>",
    "bell<3>", "cisr<2>", "cisr-plus<2>",    "serpens<2,4,2>"};

/// Buckets and cycles are one rank's own; everything else of the catalogue is global.
Test(query_ranks, catalogue_formats_do_not_depend_on_the_rank_count)
{
    drawer w = {.state = 5, .order = 2};

    for (int k = 0; k < 400; k++) {
        job              j    = {.failing = -1, .format = parse(formats[k % 6])};
        const int        size = 2 + (int)draw(&w, 3);
        cairn_query_set *one  = NULL;
        cairn_entries    entries;
        cairn_interval   box[2];

        j.shape = draw_shape(&w);
        entries = draw_entries(&w, &env, &j.shape);
        for (int d = 0; d < 2; d++)
            box[d] = (cairn_interval){0, j.shape.extent[d] - 1};
        cr_assert_eq(
            run_queries(&env, j.format->member[0], &j.shape, box, &entries, NULL, &one),
            CAIRN_OK);
        split(&j, &w, &entries, size);
        net_run(j.rank, size, work, &j);
        for (int q = 0; q < j.format->member[0]->queries; q++) {
            cr_assert_eq(j.share[0].status, CAIRN_OK, "%s", j.rank[0].env.message);
            if (j.format->member[0]->query[q].func != CAIRN_QUERY_SCHEDULE)
                expect_values_of(&j, size, q, cairn_query_at_entries(one, q),
                                 formats[k % 6]);
        }
        release(&j, size);
        cairn_query_set_destroy(&env, &one);
        cairn_entries_fini(&env, &entries);
        cairn_format_destroy(&j.format);
    }
}

/// Group 1 of q0 has its entry on rank 1, and so its number: rank 0, which lists it as
/// well, must not take it for one without.
Test(query_ranks, a_number_of_another_rank_is_not_none)
{
    job j = {
        .failing = -1,
        .shape   = {.order = 2, .extent = {2, 2}},
        .format  = parse("#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ "
                          "q0 = sum(value) groupBy (d0,d1)->(d1); "
                          "q1 = enum(q0) groupBy (d0,d1)->(d1) with q0 eq 0 -> "
                          "none | otherwise -> 5; q2 = reorder(q0) groupBy "
                          "(d0,d1)->(d1) traverseBy (d0,d1)->(q1) }> }>")
    };
    const int64_t places[2] = {0, 1};

    for (int r = 0; r < 2; r++) {
        const cairn_coord d[2] = {r, r};
        share            *s    = &j.share[r];

        *s = (share){
            .box = {{r, r}, {0, 1}}
        };
        cairn_entries_init(&s->entries, 2);
        cr_assert_eq(cairn_entries_add(&env, &s->entries, d, 1), CAIRN_OK);
    }
    net_run(j.rank, 2, work, &j);
    for (int r = 0; r < 2; r++)
        cr_assert_eq(j.share[r].status, CAIRN_OK, "%s", j.rank[r].env.message);
    expect_values_of(&j, 2, 2, places, "a place for each group");
    release(&j, 2);
    cairn_format_destroy(&j.format);
}

Test(query_ranks, hybrids_do_not_depend_on_the_rank_count)
{
    static const char *const texts[] = {
        "hybrid<bdia<3>,csr,0.5>", "hybrid<bell<2>,coo,0.25,0.5>",
        "hybrid<dia,csr,0.3>",
        "#hybrid<{ fmats = [ell, bell<2>, coo], query = sum(value) groupBy "
        "(d0,d1)->(d1/3), "
        "maximum thresholds = [0.7, 0.2], keep = [0.4, 0.6] }>"};
    drawer w = {.state = 6, .order = 2};

    for (int k = 0; k < 400; k++) {
        job            j    = {.failing    = -1,
                               .format     = parse(texts[k % 4]),
                               .hybrid     = true,
                               .definition = k / 4 % 2};
        const int      size = 2 + (int)draw(&w, 3);
        cairn_entries  entries;
        cairn_interval box[2];
        uint8_t        want[256], got[256];
        cairn_pos      at = 0;

        j.shape = draw_shape(&w);
        entries = draw_entries(&w, &env, &j.shape);
        for (int d = 0; d < 2; d++)
            box[d] = (cairn_interval){0, j.shape.extent[d] - 1};
        cr_assert_eq(
            cairn_decompose(&env, j.format, &j.shape, box, &entries, true, NULL, want),
            CAIRN_OK, "%s", env.message);
        split(&j, &w, &entries, size);
        for (int r = 0; r < size; r++) {
            j.share[r].member = got + at;
            at += j.share[r].entries.n;
        }
        net_run(j.rank, size, work, &j);
        for (int r = 0; r < size; r++)
            cr_assert_eq(j.share[r].status, CAIRN_OK, "%s", j.rank[r].env.message);
        cr_assert(memcmp(want, got, (size_t)entries.n) == 0, "%s on %d ranks",
                  texts[k % 4], size);
        release(&j, size);
        cairn_entries_fini(&env, &entries);
        cairn_format_destroy(&j.format);
    }
}

/// One rank runs out of memory at any point: all return, with the same status.
static void fail_everywhere(const char *text, bool hybrid, bool definition)
{
    drawer        w       = {.state = 7, .order = 2};
    cairn_entries entries = figure_entries();
    uint8_t       member[6];
    cairn_status  status = CAIRN_NO_MEMORY;

    for (int n = 0; status != CAIRN_OK; n++) {
        job j = {.failing = n % 2 ? 1 : 0, .allowed = n / 2, .format = parse(text)};

        cr_assert_lt(n, 2000);
        j.hybrid     = hybrid;
        j.definition = definition;
        j.shape      = figure_shape;
        split(&j, &w, &entries, 3);
        for (int r = 0; r < 3; r++)
            j.share[r].member = member;
        if (hybrid)
            for (int r = 1; r < 3; r++)
                j.share[r].member =
                    member + j.share[0].entries.n + (r == 2 ? j.share[1].entries.n : 0);
        net_run(j.rank, 3, work, &j);
        status = j.share[0].status;
        for (int r = 1; r < 3; r++)
            cr_assert_eq(j.share[r].status, status);
        release(&j, 3);
        cairn_format_destroy(&j.format);
    }
    cairn_entries_fini(&env, &entries);
}

Test(query_ranks, one_rank_without_memory_stops_all)
{
    for (int k = 0; k < 8; k++)
        fail_everywhere(formats[k], false, true);
    fail_everywhere("hybrid<bell<2>,coo,0,0.5>", true, false);
    fail_everywhere("hybrid<bell<2>,coo,0,0.5>", true, true);
}
