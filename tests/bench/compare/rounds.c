// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Contenders in turn: every round each of them runs a while to warm up, then a few times,
/// and the median of these is its sample; the table shows the median of the samples. The
/// order turns by one from round to round, so that nobody always follows the same one.
/// Where other processes work too, turns that they disturb can be done again.

#include "compare.h"

#include <math.h>

enum { MOST_CALLS = 25, LEAST_CALLS = 3 };

static const double     turn_seconds = 0.02;  ///< A turn ends after so long.
static const useconds_t pause_us     = 50000; ///< After a disturbance.

/// Until then a turn's runs do not count. OpenMP's threads of the turn before spin for up to
/// 11 ms when their work is done, and have a processor meanwhile that this turn's want.
static const double warm_seconds = 0.02;

/// One turn: the median of a few runs; below 0 when a run failed.
static double take_turn(compare_contender *c)
{
    const double begin = bench_seconds();
    double       time[MOST_CALLS], spent = 0;
    int          calls = 0;
    double       first;

    compare_memory(c->memory);
    first = c->way->run(c->state);

    if (first < 0 || first > 0.25) return first;
    while (bench_seconds() - begin < warm_seconds)
        if (c->way->run(c->state) < 0) return -1;
    while (calls < MOST_CALLS && (calls < LEAST_CALLS || spent < turn_seconds)) {
        time[calls] = c->way->run(c->state);
        if (time[calls] < 0) return -1;
        spent += time[calls++];
    }
    return bench_median(time, calls);
}

static bool check_product(const compare_task *task, const compare_result *r)
{
    const compare_matrix *a     = task->matrix;
    const double          limit = task->dtype == CAIRN_F64 ? 1e-12 : 1e-5;

    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t c = 0; c < task->columns; c++) {
            const int64_t p = i * task->columns + c;

            if (!(fabs(r->y[p] - task->want[p]) <= limit * a->weight[i])) return false;
        }
    return true;
}

/// Run once, and see whether the result is right, and in order where rows are made of
/// coordinates in any order.
static bool check(const compare_task *task, compare_contender *c)
{
    const compare_matrix *a = task->matrix;
    compare_result        r = {0};
    bool                  right;

    if (task->operation == PRODUCT)
        r.y = compare_take((size_t)a->rows * (size_t)task->columns, sizeof *r.y);
    right = c->way->run(c->state) >= 0;
    if (right) c->way->result(c->state, &r);
    if (right)
        right = task->operation == PRODUCT ? check_product(task, &r)
                                           : r.entries == a->nnz && r.sum == a->sum;
    c->loose = task->operation == COO_TO_CSR && r.loose;
    free(r.y);
    return right;
}

/// After two rounds formats of ours that will not win do not run any more.
static void retire(const compare_task     *task,
                   const compare_settings *settings,
                   compare_contender      *list,
                   int                     count)
{
    double best = INFINITY;

    if (settings->keep || task->operation != PRODUCT) return;
    for (int k = 0; k < count; k++)
        if (!list[k].peer && !list[k].wrong)
            best = fmin(best, fmin(list[k].seconds[0], list[k].seconds[1]));
    for (int k = 0; k < count; k++)
        if (!list[k].peer && !*list[k].chosen && strcmp(list[k].name, "csr") != 0
            && strncmp(list[k].name, "csr, ", 5) != 0
            && fmin(list[k].seconds[0], list[k].seconds[1]) > 1.2 * best)
            list[k].retired = true;
}

/// Seconds that all processors have worked so far.
static double get_busy(void)
{
    long long part[8] = {0};
    FILE     *file    = fopen("/proc/stat", "r");
    double    sum     = 0;

    if (!file) return 0;
    if (fscanf(file, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &part[0], &part[1],
               &part[2], &part[3], &part[4], &part[5], &part[6], &part[7])
        == 8)
        for (int k = 0; k < 8; k++)
            if (k != 3 && k != 4)
                sum += (double)part[k]; /* idle, and waiting for disks */
    fclose(file);
    return sum / (double)sysconf(_SC_CLK_TCK);
}

/// What disturbances are told by and do.
typedef struct {
    int    threads; ///< Of ours, or of SciPy's process instead.
    double until;   ///< From then on they are accepted.
    double busy, begin, others, watched;
    int    again;
} watch;

static void begin_turn(watch *w)
{
    w->busy  = get_busy();
    w->begin = bench_seconds();
}

/// @return Whether the turn may stand: others worked for less than a tick and a half of
///         the clock that counts their work, and a tenth of the time.
static bool end_turn(watch *w)
{
    const double time   = bench_seconds() - w->begin;
    const double others = fmax(get_busy() - w->busy - w->threads * time, 0);

    if (others > 1.5 / (double)sysconf(_SC_CLK_TCK) + 0.1 * time
        && bench_seconds() < w->until) {
        w->again++;
        usleep(pause_us);
        return false;
    }
    w->others += others;
    w->watched += time;
    return true;
}

static void run_round(compare_contender *list, int count, int round, watch *w)
{
    for (int k = 0; k < count; k++) {
        compare_contender *c       = &list[(k + round) % count];
        double             seconds = 0;

        if (c->wrong || c->retired) continue;
        do {
            begin_turn(w);
            seconds = take_turn(c);
        } while (seconds >= 0 && !end_turn(w));
        if (seconds < 0)
            c->wrong = true;
        else
            c->seconds[c->samples++] = seconds;
    }
}

/// Bytes whose reading bounds a product: those that `auto`'s choice moves, else CSR's.
static double
get_bytes(const compare_task *task, const compare_contender *list, int count)
{
    for (int k = 0; k < count; k++)
        if (*list[k].chosen && list[k].lent && list[k].bytes > 0) return list[k].bytes;
    return compare_csr_bytes(task);
}

bool compare_rounds(const compare_task     *task,
                    const compare_settings *settings,
                    compare_contender      *list,
                    int                     count,
                    compare_bound          *bound)
{
    watch  w = {.threads = settings->threads,
                .until   = bench_seconds() + settings->quiet};
    double read[MOST_ROUNDS], triad[MOST_ROUNDS], near[MOST_ROUNDS];
    bool   right = true;

    for (int k = 0; k < count; k++)
        list[k].wrong = !check(task, &list[k]);
    for (int round = 0; round < settings->rounds; round++) {
        do {
            begin_turn(&w);
            const compare_rates rates = compare_bound_run(
                settings->tiny, settings->threads, get_bytes(task, list, count));

            read[round]  = rates.read;
            triad[round] = rates.triad;
            near[round]  = rates.near;
        } while (!end_turn(&w));
        run_round(list, count, round, &w);
        if (round == 1) retire(task, settings, list, count);
    }
    for (int k = 0; k < count; k++) {
        right          = right && !list[k].wrong;
        list[k].median = list[k].wrong || !list[k].samples
                             ? NAN
                             : bench_median(list[k].seconds, list[k].samples);
    }
    *bound = (compare_bound){.read   = bench_median(read, settings->rounds),
                             .triad  = bench_median(triad, settings->rounds),
                             .near   = bench_median(near, settings->rounds),
                             .others = w.others / w.watched,
                             .again  = w.again};
    return right;
}
