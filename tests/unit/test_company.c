// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Threads beside other processes: pieces of a late thread are taken over, products in
/// pieces have the bits of those by shares and allocate nothing, and which of the two runs
/// follows from what runs take.

#include "api/api.h"
#include "devices/cpu/company.h"
#include "support/api.h"
#include "support/seed.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

/* ---- The team ---- */

enum { PIECES = 16 };

static _Atomic int done[PIECES];
static _Atomic int late;

static int64_t do_piece(void *user, int piece)
{
    (void)user;
    atomic_fetch_add(&done[piece], 1);
    return 0;
}

static void sleep_if_late(int member)
{
    if (member == atomic_load(&late))
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}

Test(company, who_is_done_takes_over_pieces_of_who_is_late, .timeout = 60)
{
    static cairn_thread_team    team;
    const cairn_thread_team_job job = {.task = do_piece};

    cairn_thread_team_init(&team);
    cr_assert_eq(cairn_thread_team_prepare(&team, 2), 2);
    team.before = sleep_if_late;
    for (int member = 0; member < 2; member++) {
        const int64_t before = atomic_load(&team.taken_over);
        int64_t       status = -1;

        atomic_store(&late, member);
        cr_assert(cairn_thread_team_run(&team, 2, &job, PIECES, &status));
        cr_expect_eq(status, 0);
        for (int k = 0; k < PIECES; k++)
            cr_expect_eq(atomic_load(&done[k]), member + 1, "piece %d", k);
        /* The other one needs a moment to wake up, where the first has seconds. */
        cr_expect_gt(atomic_load(&team.taken_over), before, "member %d", member);
    }
    cairn_thread_team_fini(&team);
}

static cairn_thread_team *own_team;

/// A run inside of a run has no threads.
static int64_t run_again(void *user, int piece)
{
    const cairn_thread_team_job job    = {.task = do_piece};
    int64_t                     status = -1;

    (void)user, (void)piece;
    return cairn_thread_team_run(own_team, 2, &job, 2, &status);
}

Test(company, a_team_has_one_run_at_a_time, .timeout = 60)
{
    static cairn_thread_team    team;
    const cairn_thread_team_job job    = {.task = run_again};
    int64_t                     status = -1;

    own_team = &team;
    cairn_thread_team_init(&team);
    cairn_thread_team_prepare(&team, 2);
    for (int k = 0; k < 3; k++) {
        cr_assert(cairn_thread_team_run(&team, 2, &job, 4, &status));
        cr_expect_eq(status, 0, "a run had threads that were another's");
    }
    cairn_thread_team_fini(&team);
}

static bool sleeps(cairn_thread_team *team)
{
    return atomic_load(&team->go.sleepers) == 1;
}

/// How often the threads of the process beside this one have gone to sleep.
static long sleeps_of_others(void)
{
    DIR *const     folder = opendir("/proc/self/task");
    struct dirent *entry;
    long           count = 0;

    cr_assert_not_null(folder);
    while ((entry = readdir(folder))) {
        char  path[64], line[128];
        long  slept = 0;
        FILE *file;

        if (atoi(entry->d_name) <= 0 || atoi(entry->d_name) == getpid()) continue;
        snprintf(path, sizeof path, "/proc/self/task/%d/status", atoi(entry->d_name));
        file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file))
            sscanf(line, "voluntary_ctxt_switches: %ld", &slept);
        if (file) fclose(file);
        count += slept;
    }
    closedir(folder);
    return count;
}

/// A run of no pieces wakes a thread that sleeps, which sleeps again when no other comes.
Test(company, a_run_of_no_pieces_wakes_threads, .timeout = 60)
{
    const struct timespec    moment = {.tv_nsec = 1000000};
    static cairn_thread_team team;

    cairn_thread_team_init(&team);
    cr_assert_eq(cairn_thread_team_prepare(&team, 2), 2);
    for (int turn = 0; turn < 3; turn++) {
        while (!sleeps(&team))
            nanosleep(&moment, NULL);
        /* It counts itself before it sleeps. */
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);

        const long before = sleeps_of_others();

        cr_assert_gt(before, 0);
        cairn_thread_team_do(&team, 2, NULL, NULL, 0);
        for (int wait = 0; wait < 10000 && sleeps_of_others() == before; wait++)
            nanosleep(&moment, NULL);
        cr_expect_gt(sleeps_of_others(), before);
    }
    cairn_thread_team_fini(&team);
}

/* ---- Products ---- */

enum { SIDE = 1500, WIDE = 9000, COLUMNS = 3 };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static double draw_value(void)
{
    return (double)draw(2000001) / 1e6 - 1;
}

/// A few diagonals and entries anywhere; with @p full a row that is cut.
static cairn_source *draw_matrix(cairn_context *context, bool full)
{
    const int64_t most  = (int64_t)SIDE * 40 + WIDE;
    int64_t      *coord = malloc((size_t)most * 2 * sizeof *coord), n = 0;
    int64_t       extent[2] = {SIDE, full ? WIDE : SIDE};
    double       *value     = malloc((size_t)most * sizeof *value);
    cairn_source *source;

    for (int64_t i = 0; i < SIDE; i++) {
        const bool all = full && i == 700;

        for (int64_t j = 0; j < extent[1]; j += all || j < i + 3 ? 1 : 37 + i % 11) {
            if (j < i) j = i; /* the band, then every 37th or so */
            if (!all && j > i + 1500) break;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = draw_value();
            cr_assert_lt(n, most);
        }
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, value,
                                           CAIRN_BY_ROWS, &source));
    free(coord);
    free(value);
    return source;
}

static void nap(int member)
{
    static _Atomic unsigned turn;

    if (atomic_fetch_add(&turn, 1) % 7 == 0)
        nanosleep(&(struct timespec){.tv_nsec = 100000 * (member + 1)}, NULL);
}

typedef struct {
    const char *format;
    bool        full, pieces;
} sort;

static const sort sorts[] = {
    {"csr",                          true,  true },
    {"coo",                          true,  true },
    {"dcsr",                         true,  true },
    {"sell<8>",                      false, true },
    {"sell-sigma<4,64>",             false, true },
    {"bdia<64>",                     false, true },
    {"bcsr<2,2>",                    false, true },
    {"ell",                          false, true },
    {"hybrid<bdia<16>,csr,0.6>",     true,  true },
    {"hybrid<bdia<16>,sell<8>,0.6>", false, true },
    {"csc",                          true,  false},
    {"csb<64,64>",                   false, true },
};

/// A product by shares, and some in pieces with threads that are late.
static void hold(cairn_context *context, const sort *s, cairn_dtype dtype, int columns)
{
    static double               x[WIDE * COLUMNS], y[2][SIDE * COLUMNS];
    const cairn_product_options op     = {.size    = sizeof op,
                                          .columns = columns,
                                          .alpha   = draw(2) ? 1 : -0.5,
                                          .beta    = draw(2) ? 0 : 0.75};
    cairn_thread_team          *team   = &context->env.thread_team;
    cairn_source               *source = draw_matrix(context, s->full);
    cairn_tensor               *tensor = must_store(context, source, s->format, dtype);
    const size_t size = dtype == CAIRN_F32 ? sizeof(float) : sizeof(double);
    cairn_plan  *plan;

    for (int k = 0; k < WIDE * COLUMNS; k++)
        if (dtype == CAIRN_F32)
            ((float *)x)[k] = (float)draw_value();
        else
            x[k] = draw_value();
    MUST(context, cairn_plan_create_product(tensor, &op, &plan));
    for (int k = 0; k < 5; k++) {
        double *const  into      = y[k > 0];
        const uint32_t runs      = atomic_load(&team->go.now);
        const int64_t  allocated = atomic_load(&context->env.allocated);

        context->env.options.team = k ? CAIRN_TEAM_PIECES : CAIRN_TEAM_AUTO;
        team->before              = k > 1 ? nap : NULL;
        for (size_t n = 0; n < SIDE * COLUMNS; n++)
            if (dtype == CAIRN_F32)
                ((float *)into)[n] = (float)(n % 17) / 7;
            else
                into[n] = (double)(n % 17) / 7;
        MUST(context, cairn_plan_run(plan, x, into));
        cr_expect_eq(atomic_load(&team->go.now) != runs, k > 0 && s->pieces, "%s",
                     s->format);
        cr_expect_eq(atomic_load(&context->env.allocated), allocated, "%s allocates",
                     s->format);
        cr_assert_eq(memcmp(y[0], into, SIDE * (size_t)columns * size), 0,
                     "%s, %s, %d columns: other bits in pieces", s->format,
                     dtype == CAIRN_F32 ? "f32" : "f64", columns);
    }
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(company, products_in_pieces_have_the_same_bits, .timeout = 600)
{
    cairn_context *context;

    state                = seed_clock() * 2 + 1;
    const int64_t blocks = must_start(&context);

    for (int threads = 2; threads <= 3; threads++) {
        cairn_context_set_threads(context, threads);
        for (size_t f = 0; f < sizeof sorts / sizeof *sorts; f++)
            hold(context, &sorts[f], (f + (size_t)threads) % 2 ? CAIRN_F32 : CAIRN_F64,
                 (f + (size_t)threads) % 3 ? 1 : COLUMNS);
    }
    cr_expect_gt(atomic_load(&context->env.thread_team.taken_over), 0);
    must_end(&context, blocks);
}

/* ---- Which way ---- */

/// Seconds of runs, and which share of them was in pieces.
static double share_of_pieces(cairn_company *company,
                              double         total,
                              double         by_shares,
                              double         in_pieces)
{
    double all = 0, pieces = 0;

    while (all < total) {
        const bool   way     = cairn_company_wants_pieces(company);
        const double seconds = way ? in_pieces : by_shares;

        cairn_company_note(company, seconds);
        all += seconds;
        pieces += way ? seconds : 0;
    }
    return pieces / all;
}

Test(company, the_faster_way_runs_most_of_the_time)
{
    static const double sizes[] = {1e-5, 1e-3, 0.015};

    for (int k = 0; k < 3; k++) {
        const double  t = sizes[k];
        cairn_company c = {.pieces = false};

        /* Alone: pieces take a little longer. */
        cr_expect_lt(share_of_pieces(&c, 2, t, 1.02 * t), 0.15, "%g s", t);
        cr_expect_lt(share_of_pieces(&c, 20, t, 1.02 * t), 0.02, "%g s", t);
        /* In company, of which one run that took long tells. */
        cr_expect_gt(share_of_pieces(&c, 2, 3 * t, 1.4 * t), 0.6, "%g s", t);
        cr_expect_gt(share_of_pieces(&c, 20, 3 * t, 1.4 * t), 0.95, "%g s", t);
        /* And alone again. */
        share_of_pieces(&c, 10, t, 1.1 * t);
        cr_expect_not(c.pieces);
        cr_expect_lt(share_of_pieces(&c, 20, t, 1.1 * t), 0.02, "%g s", t);
    }
}

Test(company, short_runs_that_are_all_alike_seldom_try_the_other_way)
{
    static const struct {
        double seconds, now_and_then; ///< Of a run; times as long is one in 97.
        bool   tries;
    } runs[] = {
        {4e-5, 1.2, false},
        {1e-3, 1.2, false},
        {4e-5, 1.4, true }, /* somebody has had a core */
        {3e-3, 1.0, true }, /* a trial is a few runs */
    };

    for (int k = 0; k < 4; k++) {
        const double  t   = runs[k].seconds;
        cairn_company c   = {.pieces = false};
        double        all = 0, pieces = 0;

        for (int n = 0; all < 2; n++) {
            const bool   way     = cairn_company_wants_pieces(&c);
            const double seconds = (n % 97 ? t : runs[k].now_and_then * t) * (1 + way);

            cairn_company_note(&c, seconds);
            all += seconds;
            pieces += way ? seconds : 0;
        }
        cr_expect_eq(pieces > 0, runs[k].tries, "case %d: %g s in pieces", k, pieces);
        /* All the same, now and then. */
        cr_expect_gt(share_of_pieces(&c, 10, t, 1.5 * t), 0, "case %d", k);
        /* Runs that are alike and longer are no calm ones. */
        cr_expect_gt(share_of_pieces(&c, 2, 4 * t, 1.4 * t), 0.6, "case %d", k);
        cr_expect(c.pieces);
        /* Nor do pieces stay because they are. */
        share_of_pieces(&c, 10, t, 1.1 * t);
        cr_expect_not(c.pieces);
    }
}
