// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries answered by groups on several ranks, as threads, wherever rows are cut: the
/// values are those of one rank as src/query defines them, and of what is one rank's own
/// (schedules, distances) those that src/query gives on the same ranks. What each rank finds
/// by number is there, and what src/query finds on the same ranks it finds.

#include "../support/query_ranks.h"
#include "../support/seed.h"
#include "groups/groups.h"

TestSuite(group_ranks, .init = up, .fini = down);

enum { DRAWS = 2500, NUMBERS = 24 };

/// One rank's share and what it found.
typedef struct {
    cairn_interval   box[3];
    cairn_entries    entries;
    cairn_groups    *set;
    cairn_query_set *definition;
    cairn_status     status, defined;
} share;

typedef struct {
    cairn_format *format;
    cairn_shape   shape;
    int           size;
    net_rank      rank[NET_RANKS];
    share         share[NET_RANKS];
    bool          both;   ///< src/query too.
    int failing, allowed; ///< Rank that fails its allocation number `allowed`.
} job;

static cairn_status answer(job *j, int rank)
{
    share                 *s        = &j->share[rank];
    const cairn_encoding  *encoding = j->format->member[0];
    const cairn_query_net *net      = &j->rank[rank].net;

    CAIRN_TRY(net->agree(net->user,
                         cairn_groups_begin(&j->rank[rank].env, encoding, &j->shape,
                                            s->box, &s->entries, false, &s->set)));
    for (int q = 0; q < encoding->queries; q++)
        CAIRN_TRY(cairn_groups_step(s->set, q, net));
    return CAIRN_OK;
}

static void work(void *user, int rank)
{
    job   *j = user;
    share *s = &j->share[rank];

    if (rank == j->failing) j->rank[rank].env.allowed = j->allowed;
    s->status                 = answer(j, rank);
    j->rank[rank].env.allowed = -1;
    if (j->both)
        s->defined =
            run_queries(&j->rank[rank].env, j->format->member[0], &j->shape, s->box,
                        &s->entries, &j->rank[rank].net, &s->definition);
}

/// Rank r owns rows cut[r] .. cut[r+1]-1; some own none.
static void split(job *j, drawer *w, const cairn_entries *entries)
{
    cairn_coord cut[NET_RANKS + 1];

    draw_cuts(w, j->shape.extent[0], j->size, cut);
    for (int r = 0; r < j->size; r++) {
        share *s = &j->share[r];

        *s = (share){.status = CAIRN_OK};
        take_rows(entries, &j->shape, cut[r], cut[r + 1], s->box, &s->entries);
    }
}

static void release(job *j)
{
    for (int r = 0; r < j->size; r++) {
        cairn_groups_destroy(&j->rank[r].env, &j->share[r].set);
        cairn_query_set_destroy(&j->rank[r].env, &j->share[r].definition);
        cairn_entries_fini(&env, &j->share[r].entries);
        cr_assert_eq(j->rank[r].env.live_blocks, 0, "rank %d leaks", r);
        cairn_env_fini(&j->rank[r].env);
    }
}

/// The values of all ranks, one after the other, are those of one.
static void expect_values_of(const job *j, int q, const int64_t *want, const char *text)
{
    cairn_pos at = 0;

    for (int r = 0; r < j->size; r++) {
        const int64_t *got = cairn_groups_at_entries(j->share[r].set, q);

        for (cairn_pos p = 0; p < j->share[r].entries.n; p++, at++)
            cr_assert_eq(got[p], want[at],
                         "%s\nquery %d, rank %d of %d, entry %ld: %ld, not %ld", text,
                         q, r, j->size, (long)p, (long)got[p], (long)want[at]);
    }
}

/// Has the tensor positions of the group?
static bool exists(const job *j, int q, int64_t a, int64_t b)
{
    const cairn_query *query   = &j->format->member[0]->query[q];
    cairn_algebra     *algebra = malloc(sizeof *algebra);
    cairn_coord        d[3]    = {0};
    bool               found   = false;
    int                k;

    cairn_algebra_init(algebra, &env, j->shape.order);
    do {
        int64_t group[3] = {-1, -1}, none[CAIRN_MAX_QUERIES] = {0};

        for (int f = 0; f < query->group_by.count; f++) {
            cairn_form form;

            cr_assert_eq(cairn_form_of(algebra, query->group_by.expr[f], &form),
                         CAIRN_OK);
            group[f] = cairn_form_value(algebra, &form, d, none);
        }
        found = group[0] == a && group[1] == b;
        for (k = j->shape.order - 1; k >= 0 && ++d[k] == j->shape.extent[k]; k--)
            d[k] = 0;
    } while (k >= 0 && !found);
    free(algebra);
    return found;
}

/// What a rank finds is what one rank finds; what src/query finds on these ranks it finds.
static void
expect_elements_of(const job *j, int r, int q, cairn_query_set *one, const char *text)
{
    const share *s = &j->share[r];

    for (int64_t a = -1; a < 4; a++)
        for (int64_t b = -1; b < 4; b++) {
            if (!exists(j, q, a, b)) continue; /* src/query does not say */
            for (int64_t number = 0; number < NUMBERS; number++) {
                const int64_t group[3] = {a, b};
                cairn_coord   want[3] = {0}, got[3] = {0}, same[3] = {0};
                bool          found;

                const cairn_status status =
                    cairn_groups_element(s->set, q, number, group, got, &found);

                if (status == CAIRN_UNSUPPORTED) return; /* src/query's */
                cr_assert_eq(status, CAIRN_OK, "%s\nquery %d: %s", text, q,
                             j->rank[r].env.message);
                if (one && found)
                    cr_assert(element(one, q, number, group, want)
                                  && memcmp(got, want, sizeof got) == 0,
                              "%s\nquery %d, rank %d of %d: number %ld of (%ld,%ld)",
                              text, q, r, j->size, (long)number, (long)a, (long)b);
                if (s->defined != CAIRN_OK) continue;
                bool defined = false;

                cr_assert_eq(cairn_query_element(s->definition, q, number, group, same,
                                                 &defined),
                             CAIRN_OK);
                cr_assert(defined == found && memcmp(got, same, sizeof got) == 0,
                          "%s\nquery %d, rank %d of %d (rows %ld to %ld of %ldx%ld): "
                          "number %ld of (%ld,%ld) is found: %d",
                          text, q, r, j->size, (long)s->box[0].lo, (long)s->box[0].hi,
                          (long)j->shape.extent[0], (long)j->shape.extent[1],
                          (long)number, (long)a, (long)b, found);
            }
        }
}

static void compare(const job *j, cairn_query_set *one, bool *own, const char *text)
{
    const cairn_encoding *encoding = j->format->member[0];

    for (int q = 0; q < encoding->queries; q++) {
        const cairn_query *query = &encoding->query[q];

        /* a value of several ranks that is made from what is each rank's own is no value */
        if (*own && cairn_groups_is_joint(j->share[0].set, q)) return;
        *own = *own || query->func == CAIRN_QUERY_SCHEDULE || query->distance;
        if (!*own) expect_values_of(j, q, cairn_query_at_entries(one, q), text);
        for (int r = 0; r < j->size; r++) {
            const share *s = &j->share[r];

            if (s->defined == CAIRN_OK)
                cr_assert(memcmp(cairn_query_at_entries(s->definition, q),
                                 cairn_groups_at_entries(s->set, q),
                                 (size_t)s->entries.n * sizeof(int64_t))
                              == 0,
                          "%s\nquery %d, rank %d of %d", text, q, r, j->size);
            if (s->defined == CAIRN_OK) {
                const cairn_interval a = cairn_query_span(s->definition, q),
                                     b = cairn_groups_span(s->set, q);

                cr_assert(a.lo == b.lo && a.hi == b.hi,
                          "%s\nquery %d, rank %d of %d: span", text, q, r, j->size);
            }
            if (query->func != CAIRN_QUERY_SUM)
                expect_elements_of(j, r, q, *own ? NULL : one, text);
        }
    }
}

typedef struct {
    int ran, here;
} tally;

/// One draw on one rank and on several; counts what ran.
static bool try_one(drawer *w, job *j, tally *t)
{
    const char      *text = draw_text(w);
    cairn_interval   box[3];
    cairn_query_set *one = NULL;
    cairn_status     status;
    bool             own = false;

    if (cairn_format_parse(&env, NULL, named(text), "random", &j->format) != CAIRN_OK)
        return false;
    j->size               = 2 + (int)draw(w, 3);
    j->shape              = draw_shape(w);
    j->both               = true;
    cairn_entries entries = draw_entries(w, &env, &j->shape);

    for (int k = 0; k < j->shape.order; k++)
        box[k] = (cairn_interval){0, j->shape.extent[k] - 1};
    status =
        run_queries(&env, j->format->member[0], &j->shape, box, &entries, NULL, &one);
    split(j, w, &entries);
    net_run(j->rank, j->size, work, j);
    for (int r = 0; r < j->size; r++) {
        cr_assert_eq(j->share[r].status, j->share[0].status);
        cr_assert(!w->global || j->share[r].status == status,
                  "%s\nrank %d of %d: status %d, not %d: %s", text, r, j->size,
                  j->share[r].status, status, j->rank[r].env.message);
        /* nothing is refused that src/query answers */
        cr_assert(j->share[r].defined != CAIRN_OK || j->share[r].status == CAIRN_OK,
                  "%s\nrank %d of %d: %s", text, r, j->size, j->rank[r].env.message);
    }
    if (j->share[0].status == CAIRN_OK && status == CAIRN_OK)
        compare(j, one, &own, text);
    t->ran += status == CAIRN_OK;
    t->here += cairn_groups_class(j->share[0].set, 0) != CAIRN_CLASS_OTHER;
    release(j);
    cairn_query_set_destroy(&env, &one);
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&j->format);
    return true;
}

static void try_many(int order, uint64_t seed, bool global)
{
    drawer    w     = {.state = seed, .order = order, .global = global};
    job       j     = {.failing = -1};
    tally     t     = {0};
    const int cases = seed_cases(DRAWS);

    for (int k = 0; k < cases;)
        k += try_one(&w, &j, &t);
    cr_log_info("seed %lu: %d ran, %d by groups", (unsigned long)seed, t.ran, t.here);
    cr_expect_gt(t.here, t.ran / 4);
}

Test(group_ranks, matrices_do_not_depend_on_the_rank_count)
{
    try_many(2, seed_clock(), true);
}

Test(group_ranks, order_3_does_not_depend_on_the_rank_count)
{
    try_many(3, seed_clock(), true);
}

Test(group_ranks, what_is_a_ranks_own_is_what_the_definition_says)
{
    try_many(2, seed_clock(), false);
}

/// Among these draws are sums over groups that no rank has, whose start hangs on what
/// groups have: what one has does not speak for those that have nothing.
Test(group_ranks, groups_that_no_rank_has_are_added_up)
{
    try_many(2, 1, false);
}

static const char *const formats[] = {
    "ell",     "sell<2>", "sell-sigma<2,4>", "bell<2>",
    "bell<3>", "cisr<2>", "cisr-plus<2>",    "serpens<2,4,2>"};

/// One rank runs out of memory at any point: all return, with the same status.
static void fail_everywhere(const char *text)
{
    drawer        w       = {.state = 7, .order = 2};
    cairn_entries entries = figure_entries();
    cairn_status  status  = CAIRN_NO_MEMORY;

    for (int n = 0; status != CAIRN_OK; n++) {
        job j = {.failing = n % 3, .allowed = n / 3, .format = parse(text), .size = 3};

        cr_assert_lt(n, 3000);
        j.shape = figure_shape;
        split(&j, &w, &entries);
        net_run(j.rank, 3, work, &j);
        status = j.share[0].status;
        for (int r = 1; r < 3; r++)
            cr_assert_eq(j.share[r].status, status);
        cr_assert(status == CAIRN_OK || status == CAIRN_NO_MEMORY);
        release(&j);
        cairn_format_destroy(&j.format);
    }
    cairn_entries_fini(&env, &entries);
}

Test(group_ranks, one_rank_without_memory_stops_all)
{
    static const char *const crossing[] = {
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ c = sum(value) groupBy "
        "(d0,d1)->(d1); x = enum(value) groupBy (d0,d1)->(d1) traverseBy "
        "(d0,d1)->(d0%2) "
        "with value eq 0 -> c | otherwise -> 0; b = sum(c) groupBy (d0,d1)->(d1/2); r "
        "= "
        "reorder(c) groupBy (d0,d1)->() traverseBy (d0,d1)->(-d1) }> }>",
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ c = sum(value) groupBy "
        "(d0,d1)->(d0/2); x = enum(c) groupBy (d0,d1)->(); y = enum(value) groupBy "
        "(d0,d1)->(d0/3) traverseBy (d0,d1)->(d1,d0) }> }>"};

    for (int k = 0; k < 8; k++)
        fail_everywhere(formats[k]);
    for (int k = 0; k < 2; k++)
        fail_everywhere(crossing[k]);
}

typedef struct {
    long exchanges, records;
} traffic;

static traffic told[NET_RANKS];

static cairn_status counting(void          *user,
                             const void    *send,
                             const int64_t *counts,
                             size_t         size,
                             void         **recv,
                             int64_t       *recv_counts)
{
    net_rank *r = user;

    told[r->net.rank].exchanges++;
    for (int k = 0; k < r->net.size; k++)
        told[r->net.rank].records += counts[k];
    return net_exchange(user, send, counts, size, recv, recv_counts);
}

static void count_work(void *user, int rank)
{
    job *j = user;

    j->rank[rank].net.exchange = counting;
    work(user, rank);
}

/// Groups that stay on one rank are told to nobody: ranks exchange their rows, and the ends
/// of windows.
Test(group_ranks, groups_of_one_rank_stay_there)
{
    static const char *const stays[] = {"ell", "sell<2>", "sell-sigma<2,4>", "bell<2>"};
    cairn_entries            entries;

    cairn_entries_init(&entries, 2);
    for (int64_t k = 0; k < 4000; k++)
        cr_assert_eq(
            cairn_entries_add(&env, &entries, (cairn_coord[]){k / 10, 7 * (k % 10)}, 1),
            CAIRN_OK);
    for (size_t f = 0; f < sizeof stays / sizeof *stays; f++) {
        job j = {
            .failing = -1,
            .format  = parse(stays[f]),
            .size    = 2,
            .shape   = {2, {400, 100}}
        };

        memset(told, 0, sizeof told);
        for (int r = 0; r < 2; r++) {
            share *s = &j.share[r];

            s->box[0] = (cairn_interval){200 * r, 200 * r + 199};
            s->box[1] = (cairn_interval){0, 99};
            cairn_entries_init(&s->entries, 2);
            for (int64_t k = 2000 * r; k < 2000 * (r + 1); k++)
                cr_assert_eq(cairn_entries_add(&env, &s->entries,
                                               (cairn_coord[]){entries.coord[0][k],
                                                               entries.coord[1][k]},
                                               1),
                             CAIRN_OK);
        }
        net_run(j.rank, 2, count_work, &j);
        for (int r = 0; r < 2; r++) {
            cr_expect_eq(j.share[r].status, CAIRN_OK);
            cr_expect_leq(told[r].records, 4, "%s: %ld records", stays[f],
                          told[r].records);
        }
        for (int q = 0; q < j.format->member[0]->queries; q++)
            cr_expect(!cairn_groups_is_joint(j.share[0].set, q), "%s: query %d",
                      stays[f], q);
        release(&j);
        cairn_format_destroy(&j.format);
    }
    cairn_entries_fini(&env, &entries);
}
