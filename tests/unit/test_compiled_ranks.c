// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Compiled conversions over several ranks, which are threads here: the arrays of every
/// rank are those of the reference way, wherever rows are cut, ranks without rows or
/// entries among them; queries are not interpreted; and a rank that runs out of memory
/// ends the conversion of all.

#include "convert/build.h"
#include "rules/path.h"
#include "support/conversion.h"
#include "support/crash_note.h"
#include "support/query_net.h"
#include "support/random_format.h"
#include "support/seed.h"

enum { MOST_ROWS = 40, MOST_COLS = 30, ALLOCATIONS = 60, GRAIN = 4, CASES = 300 };

/// A matrix, what it is stored in first, and where its rows are cut.
typedef struct {
    uint64_t      state;
    cairn_shape   shape;
    cairn_entries entries;
    cairn_format *from, *to; ///< `from` may be NULL.
    int           size, bits;
    cairn_coord   cut[NET_RANKS + 1];
    int failing, allowed; ///< Rank that fails its allocation number `allowed`.
} example;

/// What one rank makes of its rows.
typedef struct {
    cairn_entries entries;
    cairn_local  *source, *reference, *compiled;
    cairn_status  source_status, reference_status, status;
    int           interpreted;
    char         *program;
} part;

typedef struct {
    example *e;
    net_rank rank[NET_RANKS];
    part     part[NET_RANKS];
} job;

static cairn_env env;

static const cairn_kernel_loader interpreter = {.interprets   = true,
                                                .vector_bytes = 32,
                                                .threads      = 1};

static void up(void)
{
    cairn_env_init(&env);
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

TestSuite(compiled_ranks, .init = up, .fini = down);

/* ---- one rank ---- */

static cairn_build build_of(job *j, int r, const cairn_format *format)
{
    const part *p = &j->part[r];
    cairn_build b = whole_build(j->e->shape, j->e->bits, &p->entries, p->source, NULL);

    b.format = format;
    b.box[0] = (cairn_interval){j->e->cut[r], j->e->cut[r + 1] - 1};
    b.net    = &j->rank[r].net;
    b.rank   = r;
    return b;
}

static cairn_status take_rows(job *j, int r)
{
    const cairn_entries *all = &j->e->entries;

    cairn_entries_init(&j->part[r].entries, 2);
    for (cairn_pos k = 0; k < all->n; k++) {
        const cairn_coord d[] = {all->coord[0][k], all->coord[1][k]};

        if (d[0] >= j->e->cut[r] && d[0] < j->e->cut[r + 1])
            CAIRN_TRY(cairn_entries_add(&j->rank[r].env, &j->part[r].entries, d,
                                        all->value[k]));
    }
    return CAIRN_OK;
}

/// Store the compiled way, and note what was done.
static cairn_status store(job *j, int r)
{
    part        *p    = &j->part[r];
    cairn_env   *own  = &j->rank[r].env;
    cairn_path  *path = NULL;
    cairn_build  b    = build_of(j, r, j->e->to);
    cairn_status status;

    b.loader             = &interpreter;
    b.report.interpreted = &p->interpreted;
    b.report.executed    = &path;
    CAIRN_TRY(cairn_build_judge(&b));
    status = cairn_local_build(own, &b, &p->compiled);
    if (status == CAIRN_OK) status = cairn_pass_list_print(&path->program, &p->program);
    cairn_path_destroy(&path);
    return status;
}

static void work(void *user, int r)
{
    job        *j   = user;
    part       *p   = &j->part[r];
    cairn_env  *own = &j->rank[r].env;
    cairn_build b;

    own->options.kernels = CAIRN_KERNELS_COMPILED;
    p->source_status     = take_rows(j, r);
    if (j->e->from) {
        b                = build_of(j, r, j->e->from);
        p->source_status = cairn_local_build(own, &b, &p->source);
    }
    if (p->source_status != CAIRN_OK) return;
    b                   = build_of(j, r, j->e->to);
    p->reference_status = cairn_local_build(own, &b, &p->reference);
    if (r == j->e->failing) own->allowed = j->e->allowed;
    p->status    = store(j, r);
    own->allowed = -1;
}

/* ---- all ranks ---- */

static void draw_entries(example *e)
{
    const int density = random_below(&e->state, 60), zeros = random_below(&e->state, 3);

    e->shape = (cairn_shape){
        2,
        {1 + random_below(&e->state, MOST_ROWS),
          1 + random_below(&e->state, MOST_COLS)}
    };
    cairn_entries_init(&e->entries, 2);
    for (cairn_coord i = 0; i < e->shape.extent[0]; i++)
        for (cairn_coord k = 0; k < e->shape.extent[1]; k++)
            if (random_chance(&e->state, i % 7 == 3 ? 0 : i == k ? 90 : density))
                cr_assert_eq(cairn_entries_add(&env, &e->entries, (cairn_coord[]){i, k},
                                               random_chance(&e->state, zeros * 20)
                                                   ? 0
                                                   : 1 + random_below(&e->state, 100)),
                             CAIRN_OK);
}

/// Rank r owns rows cut[r] .. cut[r+1]-1, multiples of @p grain but the last; some none.
static void cut_rows(example *e, int64_t grain)
{
    const int64_t rows = e->shape.extent[0];

    e->size   = 1 + random_below(&e->state, NET_RANKS);
    e->cut[0] = 0;
    for (int r = 1; r < e->size; r++) {
        e->cut[r] =
            e->cut[r - 1]
            + random_below(&e->state, (int)(rows - e->cut[r - 1]) + 1) / grain * grain;
    }
    e->cut[e->size] = rows;
}

static void release(job *j)
{
    for (int r = 0; r < j->e->size; r++) {
        cairn_env *own = &j->rank[r].env;

        cairn_local_destroy(&j->part[r].compiled);
        cairn_local_destroy(&j->part[r].reference);
        cairn_local_destroy(&j->part[r].source);
        cairn_free(own, j->part[r].program);
        cairn_entries_fini(own, &j->part[r].entries);
        cr_assert_eq(own->live_blocks, 0, "rank %d leaks", r);
        cairn_env_fini(own);
    }
    cairn_entries_fini(&env, &j->e->entries);
}

/// Run on all ranks, and hold every rank's arrays against the reference.
static void compare(job *j, const char *what)
{
    char name[RANDOM_FORMAT + 100];

    memset(j->part, 0, sizeof j->part);
    net_run(j->rank, j->e->size, work, j);
    for (int r = 0; r < j->e->size; r++) {
        const part *p = &j->part[r];

        snprintf(name, sizeof name, "rank %d of %d: %s", r, j->e->size, what);
        if (p->source_status != CAIRN_OK) continue;
        cr_assert_eq(p->status, p->reference_status, "%s: status %d, not %d: %s", name,
                     p->status, p->reference_status, j->rank[r].env.message);
        if (p->status == CAIRN_OK) check_same(p->reference, p->compiled, name);
    }
}

/* ---- formats of the catalogue ---- */

static const char *const sources[] = {
    "", "csr", "coo", "csc", "dcsr", "bcsr<2,2>", "hybrid<bdia<4>,csr,0.6>"};

static const char *const by_rows[] = {
    "ell",
    "sell<4>",
    "sell-sigma<2,4>",
    "sell-sigma<4,4>",
    "sell-sigma<4,40>",
    "cisr<3>",
    "cisr-plus<3>",
    "#encoding<{ idx_map<(d0,d1)->(place,d0,d1)>, mutation<merge(0,1), trim(1,2)>, "
    "indirect<{ n = sum(value) groupBy (d0,d1)->(d0) with value ne 0 -> 1 | otherwise "
    "-> 0; place = reorder(n) groupBy (d0,d1)->(d0%3) traverseBy (d0,d1)->(-(d0)) }> "
    "}>",
    "#encoding<{ idx_map<(d0,d1)->(slot,d0/7,d0%7,d1)>, mutation<merge(0), trim(0,0)>, "
    "indirect<{ n = sum(value) groupBy (d0,d1)->(d0) with value ne 0 -> 1 | otherwise "
    "-> 0; slot = enum(value) groupBy (d0,d1)->(d0) traverseBy (d0,d1)->(d1) with "
    "value "
    "eq 0 -> n | otherwise -> 0 }> }>",
};

static int by_way; ///< Ranks that went by an intermediate, others being there.
static int told;   ///< And such that told others what they had counted.

/// How often a word stands in a program.
static int count_words(const char *program, const char *word)
{
    int count = 0;

    for (const char *at = strstr(program, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

/// Entries are assigned once by groups, and once more for each member that is cut, after
/// what is counted and numbered for it.
static void expect_assigned(const cairn_format *format, const char *program)
{
    int assigned = format->members > 1;

    for (int k = 0; k < format->members - 1; k++)
        assigned += format->keep[k] < 1;
    cr_expect_eq(count_words(program, "Assign"), assigned, "%s", program);
    if (!assigned) return;
    cr_expect_lt(strstr(program, "Count"), strstr(program, "Assign"), "%s", program);
}

static void expect_compiled(const part *p, const char *what, int r, int size)
{
    cr_assert(p->source_status == CAIRN_OK && p->status == CAIRN_OK, "%s", what);
    cr_expect_eq(p->interpreted, 0, "%s, rank %d of %d: %d", what, r, size,
                 p->interpreted);
    cr_expect(!strstr(p->program, "Rules"), "%s, rank %d of %d:\n%s", what, r, size,
              p->program);
    expect_assigned(p->compiled->format, p->program);
    cr_expect(size > 1 || !strstr(p->program, "Exchange"), "%s", p->program);
    by_way += size > 1 && strstr(p->program, "intermediate 1") != NULL;
    told += strstr(p->program, "Exchange") != NULL;
}

/// Hybrids: groups of blocks, diagonals, columns, shares of the fullest, weights.
static const char *const hybrids[] = {
    "hybrid<bdia<4>,csr,0.6>",
    "hybrid<bcsr<2,2>,coo,0.5>",
    "hybrid<dia,csr,0.4>",
    "hybrid<dia,ell,0.5>",
    "hybrid<bdia<4>,sell-sigma<4,8>,0.6>",
    "hybrid<ell,coo,0.5,0.5>",
    "hybrid<sell<4>,csr,0.2,0.3>",
    "hybrid<sell-sigma<4,8>,csr,0.2,0.6>",
    "#hybrid<{ fmats = [csc, csr, coo], query = sum(value) groupBy (d0,d1)->(d1) with "
    "value gt 30 -> 3 | value ne 0 -> 1 | otherwise -> 0, maximum thresholds = [0.5, "
    "0.1] }>",
    "#hybrid<{ fmats = [csr, csc, coo], query = sum(value) groupBy "
    "(d0,d1)->(d1/3,d0/5) with value gt 20 -> 2 | otherwise -> 0, maximum thresholds = "
    "[0.5, 0.1] }>",
    "#hybrid<{ fmats = [csr, coo], query = sum(value) groupBy (d0,d1)->(d0) with value "
    "ne 0 -> 1 | otherwise -> 0, absolute thresholds = [6] }>",
};

/// Blocks along rows of blocks and along columns of them; behind each other by their
/// rows, or by their columns first.
#define BLOCKS(rows, cols, line, along, otherwise)                                     \
    "indirect<{ n = sum(value) groupBy (d0,d1)->(d0/" rows ",d1/" cols ") with value " \
    "ne 0 -> 1 | otherwise -> 0; w = sum(n) groupBy (d0,d1)->(" line                   \
    ") with n ne 0 -> "                                                                \
    "1 | otherwise -> 0; slot = enum(n) groupBy (d0,d1)->(" line ") traverseBy "       \
    "(d0,d1)->(" along ") with n eq 0 -> " otherwise " | otherwise -> 0 }> }>"

static const char *const blocks[] = {
    "bell<2>",
    "bell<4>",
    "hybrid<bell<4>,csr,0.3>",
    "hybrid<bell<2>,coo,0.4,0.5>",
    "#encoding<{ idx_map<(d0,d1)->(slot,d1/3,d0/4,d1%3,d0%4)>, mutation<merge(0), "
    "trim(0,0)>, " BLOCKS("4", "3", "d1/3", "d0/4", "w"),
    "#encoding<{ idx_map<(d0,d1)->(d1/2,slot,d0/2,d0%2,d1%2)>, mutation<merge(0), "
    "trim(1,1)>, " BLOCKS("2", "2", "d1/2", "d0/2", "w"),
    "#encoding<{ idx_map<(d0,d1)->(d0/4,slot,d1/3,d0%4,d1%3)>, mutation<merge(0,1), "
    "trim(1,2)>, " BLOCKS("4", "3", "d0/4", "d1/3", "w"),
    "#encoding<{ idx_map<(d0,d1)->(d0/3,slot,d1/2,d0%3,d1%2)>, mutation<merge(0), "
    "trim(1,2)>, " BLOCKS("3", "2", "d0/3", "d1/2", "none"),
    "#encoding<{ idx_map<(d0,d1)->(slot,d0,d1)>, mutation<trim(0,2)>, indirect<{ n = "
    "sum(value) groupBy (d0,d1)->(d1/4) with value ne 0 -> 1 | otherwise -> 0; slot = "
    "enum(n) groupBy (d0,d1)->() with n ne 0 -> 0 | otherwise -> none }> }>",
    "#encoding<{ idx_map<(d0,d1)->(slot,d0,d1)>, mutation<trim(0,2)>, indirect<{ n = "
    "sum(value) groupBy (d0,d1)->(d0/5,d1/3) with value ne 0 -> 1 | otherwise -> 0; "
    "slot = enum(n) groupBy (d0,d1)->() with n ne 0 -> 0 | otherwise -> none }> }>",
};

static void try_formats(const char *const *to, size_t count, uint64_t seed, int cases)
{
    static example e;
    static job     j;

    for (int k = 0; k < cases; k++) {
        const size_t t = (size_t)k % count;
        const size_t s = (size_t)k / count % (sizeof sources / sizeof *sources);
        char         what[RANDOM_FORMAT];

        e = (example){.state = seed + (uint64_t)k, .failing = -1};
        j = (job){.e = &e};
        snprintf(what, sizeof what, "case %d: %s to %.300s", k, sources[s], to[t]);
        crash_note("%s", what);
        e.from = sources[s][0] ? parse_format(&env, sources[s]) : NULL;
        e.to   = parse_format(&env, to[t]);
        e.bits = k % 3 ? 64 : 32;
        draw_entries(&e);
        cut_rows(&e, k % 4 ? GRAIN : 1);
        compare(&j, what);
        for (int r = 0; r < e.size; r++)
            expect_compiled(&j.part[r], what, r, e.size);
        release(&j);
        cairn_format_destroy(&e.from);
        cairn_format_destroy(&e.to);
    }
}

Test(compiled_ranks, rows_are_one_ranks_own, .timeout = 600)
{
    try_formats(by_rows, sizeof by_rows / sizeof *by_rows, 100, seed_cases(720));
}

Test(compiled_ranks, groups_of_hybrids_cross_ranks, .timeout = 600)
{
    try_formats(hybrids, sizeof hybrids / sizeof *hybrids, 5000, seed_cases(1320));
    cr_expect(told > 500 || !seed_whole(), "%d", told);
}

/// A source in another order is brought into the target's first, by each rank that has
/// entries, as on one.
Test(compiled_ranks, ranks_go_by_intermediates, .timeout = 600)
{
    static const char *const to[] = {"bcsr<4,2>", "dcsr", "sell<4>",
                                     "hybrid<bdia<4>,csr,0.6>"};

    try_formats(to, sizeof to / sizeof *to, 12000, seed_cases(960));
    cr_expect(by_way > 100 || !seed_whole(), "%d", by_way);
}

Test(compiled_ranks, blocks_are_numbered_along_lines, .timeout = 600)
{
    try_formats(blocks, sizeof blocks / sizeof *blocks, 9000, seed_cases(1440));
}

/// Formats with any queries, from any others.
Test(compiled_ranks, random_formats_are_as_the_reference, .timeout = 3600)
{
    static example e;
    static job     j;
    static char    text[RANDOM_FORMAT], via[RANDOM_FORMAT];
    const uint64_t seed  = seed_clock();
    const int      cases = seed_cases(CASES);
    int            done  = 0;

    for (int k = 0; done < cases && k < 4 * cases; k++) {
        e = (example){.state = seed * 1000003 + (uint64_t)k, .failing = -1};
        j = (job){.e = &e};
        random_format(&e.state, 2, text, sizeof text);
        random_format(&e.state, 2, via, sizeof via);
        crash_note("seed %llu, case %d: %.300s", (unsigned long long)seed, k, text);
        if (cairn_format_parse(&env, NULL, text, "random", &e.to) != CAIRN_OK) continue;
        if (k % 3 == 0) e.from = parse_format(&env, sources[1 + k / 3 % 5]);
        if (k % 3 == 1
            && cairn_format_parse(&env, NULL, via, "random", &e.from) != CAIRN_OK)
            e.from = NULL;
        e.bits = 64;
        draw_entries(&e);
        cut_rows(&e, k % 2 ? GRAIN : 1);
        compare(&j, text);
        done += j.part[0].status == CAIRN_OK;
        release(&j);
        cairn_format_destroy(&e.from);
        cairn_format_destroy(&e.to);
    }
    cr_expect_eq(done, cases);
}

/// One rank has no memory at any point: all fail alike, or it was not needed.
static void try_shortage(const char *const *to, size_t count, uint64_t seed)
{
    static example e;
    static job     j;
    int            failed = 0;

    for (int k = 0; k < 6 * ALLOCATIONS; k++) {
        const size_t t = (size_t)k % count, s = (size_t)k / count % 4;

        e      = (example){.state = seed + (uint64_t)k % 17};
        j      = (job){.e = &e};
        e.from = sources[s][0] ? parse_format(&env, sources[s]) : NULL;
        e.to   = parse_format(&env, to[t]);
        e.bits = 64;
        draw_entries(&e);
        cut_rows(&e, GRAIN);
        e.failing = k % e.size;
        e.allowed = k / 6;
        net_run(j.rank, e.size, work, &j);
        for (int r = 1; r < e.size && j.part[0].source_status == CAIRN_OK; r++)
            cr_expect_eq(j.part[r].status, j.part[0].status, "case %d, %s: %d, not %d",
                         k, to[t], j.part[r].status, j.part[0].status);
        failed += j.part[0].status == CAIRN_NO_MEMORY;
        release(&j);
        cairn_format_destroy(&e.from);
        cairn_format_destroy(&e.to);
    }
    cr_expect_gt(failed, ALLOCATIONS);
}

Test(compiled_ranks, shortage_of_one_is_everybodys, .timeout = 600)
{
    try_shortage(by_rows, sizeof by_rows / sizeof *by_rows, 900);
}

Test(compiled_ranks, shortage_in_hybrids_is_everybodys, .timeout = 600)
{
    try_shortage(hybrids, sizeof hybrids / sizeof *hybrids, 950);
}

Test(compiled_ranks, shortage_in_blocks_is_everybodys, .timeout = 600)
{
    try_shortage(blocks, sizeof blocks / sizeof *blocks, 980);
}
