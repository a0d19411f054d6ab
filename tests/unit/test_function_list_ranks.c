// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What ranks ask for when they convert together is listed without any entry, too: each
/// pair of formats of the catalogue, on ranks that are threads. Ranks without rows, and
/// blocks that are cut, which ask for others, are not held to it (docs/kernels.md).

#include "support/asked_functions.h"
#include "support/conversion.h"
#include "support/every_format.h"
#include "support/query_net.h"
#include "support/seed.h"

enum { ROWS = 60, COLS = 48 };

/// Where rows are cut: at multiples of all grains, as they are if there are enough of them.
static const cairn_coord cuts[][NET_RANKS + 1] = {
    {0, 24, 60, 0,  0 },
    {0, 12, 36, 60, 0 },
    {0, 12, 24, 48, 60},
};
static const int sizes[] = {2, 3, 4};

typedef struct {
    cairn_format      *from, *to; ///< NULL: coordinates.
    const cairn_coord *cut;
    int                size, pattern;
    net_rank           rank[NET_RANKS];
    cairn_status       status[NET_RANKS];
} job;

static cairn_env env;
static int       asked_in_all; ///< Functions that were asked for.

static bool has_entry(int pattern, int64_t i, int64_t j)
{
    return pattern == 0   ? (7 * i + 13 * j) % 31 == 0
           : pattern == 1 ? i - j < 3 && j - i < 4
                          : (i / 6 + j / 6) % 3 == 0;
}

static cairn_status take_rows(const job *j, int r, cairn_env *own, cairn_entries *e)
{
    cairn_entries_init(e, 2);
    for (cairn_coord i = j->cut[r]; i < j->cut[r + 1]; i++)
        for (cairn_coord k = 0; k < COLS; k++)
            if (has_entry(j->pattern, i, k))
                CAIRN_TRY(cairn_entries_add(own, e, (cairn_coord[]){i, k},
                                            (double)(1 + i + k)));
    return CAIRN_OK;
}

static cairn_build
build_of(job *j, int r, const cairn_entries *entries, const cairn_local *from)
{
    cairn_build b = whole_build(
        (cairn_shape){
            2, {ROWS, COLS}
    },
        64, entries, from, NULL);

    b.box[0] = (cairn_interval){j->cut[r], j->cut[r + 1] - 1};
    b.net    = &j->rank[r].net;
    b.rank   = r;
    return b;
}

static cairn_status convert(job *j, int r)
{
    cairn_env    *own = &j->rank[r].env;
    cairn_entries entries;
    cairn_local  *source = NULL, *made = NULL;
    cairn_build   b;
    cairn_status  status;

    CAIRN_TRY(take_rows(j, r, own, &entries));
    b        = build_of(j, r, &entries, NULL);
    b.format = j->from;
    status   = j->from ? cairn_local_build(own, &b, &source) : CAIRN_OK;
    b        = build_of(j, r, &entries, source);
    b.format = j->to;
    b.loader = &interpreting;
    if (status == CAIRN_OK) status = cairn_build_judge(&b);
    if (status == CAIRN_OK) status = cairn_local_build(own, &b, &made);
    cairn_local_destroy(&made);
    cairn_local_destroy(&source);
    cairn_entries_fini(own, &entries);
    return status;
}

static void work(void *user, int r)
{
    job *j = user;

    j->rank[r].env.options.kernels = CAIRN_KERNELS_COMPILED;
    j->status[r]                   = convert(j, r);
}

/// What is listed for the pair, however many entries a rank, a member or a block gets.
static void list_pair(const job *j, cairn_function_list *list)
{
    static const int64_t members[] = {0, 1, 2, 4, 8, 16, 32, 64, INT64_MAX};
    static const int64_t entries[] = {0, 10, 40, 100, 200, 400, 900};
    const int64_t        extent[]  = {ROWS, COLS};
    cairn_plan_sample    sample    = {.extent = extent, .value_bits = 64};
    const size_t         shares = j->to->hybrid ? sizeof members / sizeof *members : 1;

    for (size_t n = 0; n < sizeof entries / sizeof *entries; n++)
        for (size_t k = 0; k < 2 * shares; k++) {
            sample.entries = entries[n];
            sample.apart   = k % 2;
            sample.members = members[k / 2];
            cr_expect_eq(
                cairn_function_list_add(list, j->from, j->to, &sample, &interpreting),
                CAIRN_OK, "%s", env.message);
        }
}

/// On each number of ranks in turn, or on all of them where cases are asked for (`slow`).
static void try_pair(job *j, const char *from, const char *to)
{
    static size_t       turn;
    cairn_function_list list;
    char                what[256];

    j->from = from ? parse_format(&env, from) : NULL;
    j->to   = parse_format(&env, to);
    cairn_function_list_init(&list, &env);
    list_pair(j, &list);
    turn++;
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        if (seed_cases(0) == 0 && c != turn % (sizeof sizes / sizeof *sizes)) continue;
        j->cut       = cuts[c];
        j->size      = sizes[c];
        j->pattern   = (int)c;
        asked.noting = true;
        net_run(j->rank, j->size, work, j);
        asked.noting = false;
        snprintf(what, sizeof what, "%s to %s on %d ranks", from ? from : "coordinates",
                 to, j->size);
        asked_in_all += asked.count;
        cr_expect_eq(j->status[0], CAIRN_OK, "%s: %s", what, j->rank[0].env.message);
        expect_all_listed(&list, what);
        forget_asked();
        for (int r = 0; r < j->size; r++) {
            cr_expect_eq(j->rank[r].env.live_blocks, 0);
            cairn_env_fini(&j->rank[r].env);
        }
    }
    cairn_function_list_fini(&list);
    if (j->from) cairn_format_destroy(&j->from);
    cairn_format_destroy(&j->to);
}

Test(function_list_ranks, every_pair_of_the_catalogue, .timeout = 600)
{
    static job j;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    for (int to = 0; to < FORMATS; to++)
        for (int from = -1; from < FORMATS; from++)
            try_pair(&j, from < 0 ? NULL : formats[from], formats[to]);
    cr_expect_gt(asked_in_all, 1000, "%d", asked_in_all);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
