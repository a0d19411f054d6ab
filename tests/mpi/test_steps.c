// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The tasks of a product on several ranks: every one failed in turn, on all ranks and on
/// each, leaves nothing under way, and the next run has the bits of one that never failed;
/// a trace shows what travelled while interior rows were computed.

#include "api/api.h"
#include "mpi_suite.h"
#include "names.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(steps, .init = mpi_up, .fini = mpi_down, .timeout = 500);

enum { MOST = 40000 };

static int32_t ptr[MOST + 1], idx[4 * MOST];
static double  val[4 * MOST];

/// `mpi/steps_nodes`: ranks on several nodes, as they believe, all of which need column 0.
static bool on_nodes(void)
{
    return getenv("PRETEND_NODES") != NULL;
}

/// Three diagonals; this rank's @p rows of them.
static int make_pattern(int rows)
{
    const int n = rows * size;
    int       k = 0;

    for (int i = 0; i < rows; i++) {
        ptr[i] = k;
        if (on_nodes() && rank * rows + i > 1) idx[k++] = 0;
        for (int j = rank * rows + i - 1; j <= rank * rows + i + 1; j++)
            if (j >= 0 && j < n) idx[k++] = j;
    }
    return ptr[rows] = k;
}

static void make_values(int n, double factor)
{
    for (int k = 0; k < n; k++)
        val[k] = factor * (1 + (idx[k] * 17 + k) % 23) / 7.0;
}

typedef struct {
    cairn_context *context;
    cairn_tensor  *tensor;
    cairn_plan    *plan;
    int            rows;
    double        *x, *y, *want;
} product;

static void fill_x(const product *p, double factor)
{
    for (int k = 0; k < p->rows; k++)
        p->x[k] = factor * ((rank * p->rows + k) % 97 / 96.0 + 1);
}

/// Each time with another power of two, so that rows of a run before would be seen.
static bool run_right(const product *p)
{
    static int   turn;
    const double factor = 1 << turn++ % 7;
    bool         right;

    fill_x(p, factor);
    for (int k = 0; k < p->rows; k++)
        p->y[k] = NAN;
    right = cairn_plan_run(p->plan, p->x, p->y) == CAIRN_OK;
    for (int k = 0; k < p->rows; k++)
        right = right && p->y[k] == factor * p->want[k];
    return right;
}

static bool open_product(const char *text, const char *place, int rows, product *p)
{
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;
    cairn_format      *format  = NULL;
    char               named[1024];

    *p            = (product){.rows = rows};
    options.place = place;
    by_name(text, named, sizeof named);
    make_values(make_pattern(rows), 1);
    cairn_status status = cairn_context_create_mpi(MPI_COMM_WORLD, &p->context);

    if (status == CAIRN_OK && on_nodes()) pretend_nodes(p->context->comm);
    if (status == CAIRN_OK) status = cairn_format_create(p->context, named, &format);
    if (status == CAIRN_OK)
        status = cairn_tensor_from_csr(p->context, (int64_t)rows * size,
                                       (int64_t)rows * size, (int64_t)rank * rows, rows,
                                       ptr, 32, idx, 32, val, CAIRN_F64, CAIRN_COPY,
                                       format, &p->tensor);
    cairn_format_destroy(&format);
    if (status == CAIRN_OK)
        status = cairn_plan_create_with(p->tensor, &options, &p->plan);
    p->x    = malloc((size_t)rows * sizeof *p->x);
    p->y    = malloc((size_t)rows * sizeof *p->y);
    p->want = malloc((size_t)rows * sizeof *p->want);
    fill_x(p, 1);
    return status == CAIRN_OK && cairn_plan_run(p->plan, p->x, p->want) == CAIRN_OK;
}

static void close_product(product *p)
{
    cairn_plan_destroy(&p->plan);
    cairn_tensor_destroy(&p->tensor);
    cairn_context_destroy(&p->context);
    free(p->x);
    free(p->y);
    free(p->want);
}

/* ---- failures ---- */

/// A step that fails: before it has done anything, or after.
typedef struct {
    cairn_queue_step is;
    bool             after;
    int              runs;
} faulty;

static cairn_status fail_step(void *argument)
{
    faulty *f = argument;

    f->runs++;
    if (f->after) f->is.run(f->is.argument);
    return CAIRN_NO_MEMORY;
}

/// Step @p k of a replay, over all queues; NULL: it has fewer.
static cairn_queue_step *step_at(const product *p, int k, const cairn_task **task)
{
    const cairn_replay_tasks *tasks = &p->plan->replay->tasks;

    for (int q = 0; q < tasks->program->queues; q++) {
        const cairn_queue_program *queue = &tasks->program->queue[q];

        if (k < (int)queue->steps) {
            *task = &tasks->graph->task[queue->task[k]];
            return &queue->step[k];
        }
        k -= (int)queue->steps;
    }
    return NULL;
}

/// Run with a step that fails here, or with none. What nothing skips is done all the same,
/// for other ranks wait for it, unless @p start: the start of messages, on all ranks.
static bool survive(const product *p, cairn_queue_step *step, bool always, bool start)
{
    const cairn_halo  *halo  = p->plan->replay->common.operands->halo;
    faulty             fault = {.after = always && !start};
    const cairn_status want  = step ? CAIRN_NO_MEMORY : CAIRN_OK;

    fill_x(p, 1024);
    if (step) {
        fault.is = *step;
        *step    = (cairn_queue_step){.run = fail_step, .argument = &fault};
    }
    const cairn_status status = cairn_plan_run(p->plan, p->x, p->y);

    for (int k = 0; k < p->rows; k++)
        p->x[k] = NAN;
    if (step) *step = fault.is;
    return status == want && fault.runs == (step != NULL)
           && !cairn_halo_is_under_way(halo);
}

/// Each step on all ranks, and on one.
static bool survive_each(const product *p)
{
    bool ok = true;

    for (int victim = -1; victim < size; victim++)
        for (int k = 0;; k++) {
            const cairn_task *task = NULL;
            cairn_queue_step *step =
                victim < 0 || victim == rank ? step_at(p, k, &task) : NULL;
            const bool start = victim < 0 && task && strcmp(task->label, "start") == 0;
            int        steps = step != NULL, more = 0;

            MPI_Allreduce(&steps, &more, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            if (!more) break;
            if (!survive(p, step, task && task->always, start)) {
                fprintf(stderr, "rank %d: step %d (%s)\n", rank, k,
                        task ? task->label : "none");
                ok = false;
            }
            ok = run_right(p) && ok;
        }
    return ok;
}

Test(steps, each_failed_in_turn_leaves_nothing_under_way)
{
    static const char *const texts[]  = {"csr", "csc", "hybrid<bdia<8>,csr,0.6>"};
    static const char *const places[] = {NULL, "cpu:0*0.5+cpu:1*0.5", "cpu:1"};

    for (int t = 0; t < 3; t++)
        for (int k = 0; k < 3; k++) {
            product p;

            if (k == 1 && t == 2)
                continue; /* the whole is divided, no hybrid's member */
            setenv("CAIRN_DEVICES", k ? "cpu:2" : "cpu", 1);
            const bool open = open_product(texts[t], places[k], 300, &p);

            unsetenv("CAIRN_DEVICES");
            ON_ALL_RANKS(open, "%s: %s", texts[t], cairn_context_message(p.context));
            ON_ALL_RANKS(survive_each(&p) && run_right(&p), "%s at %s", texts[t],
                         places[k] ? places[k] : "the first");
            close_product(&p);
        }
}

static bool is_product(const product *p, const double *y)
{
    for (int i = 0; i < p->rows; i++) {
        double sum = 0;

        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            sum += val[k] * (idx[k] % 97 / 96.0 + 1);
        if (fabs(sum - y[i]) > 1e-12 * fabs(sum)) return false;
    }
    return true;
}

/// Where a task of queue 0 stands among its steps; -1: nowhere. @p k of those of the kind.
static int place_of(const product *p, const char *kind, int k)
{
    const cairn_task *task;

    for (int s = 0; s < (int)p->plan->replay->tasks.program->queue[0].steps; s++) {
        step_at(p, s, &task);
        if (strcmp(task->kind, kind) == 0 && k-- == 0) return s;
    }
    return -1;
}

/// A card's rows of this rank: those of the last rank need nothing of others, and start
/// before messages are waited for; those of the others start when all have come, which the
/// processor's rows do not keep from coming.
static bool starts_in_time(const product *p)
{
    const int arrivals = (rank > 0) + (rank < size - 1);
    const int start    = place_of(p, "start", 0);
    const int kernel   = place_of(p, "kernel", 0);
    const int first    = place_of(p, "arrival", 0);
    const int last     = place_of(p, "arrival", arrivals - 1);

    if (start < 0 || kernel < 0) return false;
    if (size == 1) return start < kernel;
    return rank == size - 1 ? start < first && start < kernel
                            : last < start && start < kernel;
}

/// On the driver that pretends: `mpi/steps_card`, whose environment has it.
Test(steps, a_card_starts_when_it_can, .timeout = 300)
{
    product cpu, both;

    if (!getenv("FAKE_CUDA")) return;
    setenv("CAIRN_DEVICES", "cpu,cuda", 1);
    const bool open = open_product("csr", "cpu", 300, &cpu)
                      && open_product("csr", "cpu:0*0.5+cuda:0*0.5", 300, &both);

    unsetenv("CAIRN_DEVICES");
    ON_ALL_RANKS(open, "%s", cairn_context_message(cpu.context));
    ON_ALL_RANKS(memcmp(cpu.want, both.want, (size_t)cpu.rows * sizeof *cpu.want) == 0,
                 "rank %d: other bits", rank);
    ON_ALL_RANKS(starts_in_time(&both), "rank %d", rank);
    ON_ALL_RANKS(survive_each(&both) && run_right(&both), "with a card");
    close_product(&both);
    close_product(&cpu);
}

/// A rank that has no memory to make its kernel and its pieces again, for values of another
/// type, fails before its first task. The others have what they wait for, and so has its
/// next run.
Test(steps, a_rank_that_cannot_begin_lets_others_go_on)
{
    product p;

    ON_ALL_RANKS(open_product("csr", NULL, 300, &p), "%s",
                 cairn_context_message(p.context));
    for (int victim = 0; victim < size; victim++) {
        make_values(ptr[p.rows], victim + 2);
        ON_ALL_RANKS(cairn_tensor_update(p.tensor, val) == CAIRN_OK, "%s",
                     cairn_context_message(p.context));
        p.tensor->local->group[0].restored++;
        fill_x(&p, 1);
        if (rank == victim) p.context->env.allowed = 0;
        const cairn_status status = cairn_plan_run(p.plan, p.x, p.y);

        p.context->env.allowed = -1;
        ON_ALL_RANKS(rank == victim ? status == CAIRN_NO_MEMORY
                                    : status == CAIRN_OK && is_product(&p, p.y),
                     "rank %d: %d: %s", rank, (int)status,
                     cairn_context_message(p.context));
        ON_ALL_RANKS(cairn_plan_run(p.plan, p.x, p.y) == CAIRN_OK
                         && is_product(&p, p.y),
                     "%s", cairn_context_message(p.context));
    }
    close_product(&p);
}

/* ---- traces ---- */

static const cairn_comm_ops *real;
static int                   looks;

static cairn_status begin_late(cairn_comm *c, void *exchange)
{
    looks = 0;
    return real->exchange_begin(c, exchange);
}

/// Messages come between the first look and the second, whatever the clocks say.
static cairn_status come_at_the_second_look(cairn_comm *c, void *exchange, bool *came)
{
    const int sources = (rank > 0) + (rank < size - 1);
    int       there   = 0;

    if (++looks < 2) return CAIRN_OK;
    while (there < sources) {
        CAIRN_TRY(real->exchange_test(c, exchange, came));
        there = 0;
        for (int k = 0; k < sources; k++)
            there += came[k];
    }
    return CAIRN_OK;
}

typedef struct {
    char    name[64], kind[16];
    int64_t bytes;
    double  begin, end;
} bar;

/// The bars of an iteration of this rank, in order of their begins. @return how many.
static int read_bars(const char *path, int iteration, bar *list, int most)
{
    FILE *file = fopen(path, "r");
    char  line[1000];
    int   n = 0;

    while (file && fgets(line, sizeof line, file)) {
        int    pid, tid, of;
        bar    b;
        double took;

        if (sscanf(
                line,
                "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"name\":\"%63[^\"]\","
                "\"cat\":\"%15[^\"]\",\"ts\":%lf,\"dur\":%lf,\"args\":{\"bytes\":%ld,"
                "\"clock\":\"measured\",\"iteration\":%d",
                &pid, &tid, b.name, b.kind, &b.begin, &took, &b.bytes, &of)
                != 8
            || pid != rank || of != iteration || n == most)
            continue;
        b.end     = b.begin + took;
        list[n++] = b;
    }
    if (file) fclose(file);
    return n;
}

/// The k-th bar of that kind whose name ends so.
static const bar *
find(const bar *list, int n, const char *kind, const char *ends, int k)
{
    for (int b = 0; b < n; b++) {
        const size_t name = strlen(list[b].name), tail = strlen(ends);

        if (strcmp(list[b].kind, kind) == 0 && name >= tail
            && strcmp(list[b].name + name - tail, ends) == 0 && k-- == 0)
            return &list[b];
    }
    return NULL;
}

/// Microseconds in a trace have three places.
static bool precedes(double a, double b)
{
    return a <= b + 0.0015;
}

/// Each message of a run: eight bytes, under way over the first interior rows and there
/// before the last of them, and taken in after these.
static bool message_is_inside(const bar *list, int n, int from)
{
    char ends[32];

    snprintf(ends, sizeof ends, "rank %d", from);
    const bar *message  = find(list, n, "message", ends, 0);
    const bar *arrival  = find(list, n, "arrival", ends, 0);
    const bar *first    = find(list, n, "kernel", "interior", 0);
    const bar *second   = find(list, n, "kernel", "interior", 1);
    const bar *third    = find(list, n, "kernel", "interior", 2);
    const bar *last     = find(list, n, "kernel", "interior", 3);
    const bar *boundary = find(list, n, "kernel", "boundary", 0);

    return message && arrival && last && boundary && message->bytes == 8
           && arrival->bytes == 8 && precedes(message->begin, first->begin)
           && precedes(second->end, message->end)
           && precedes(message->end, third->begin)
           && precedes(last->end, arrival->begin)
           && precedes(arrival->begin, boundary->end);
}

static bool shows_overlap(const char *path, int iteration)
{
    bar        list[64];
    const int  n    = read_bars(path, iteration, list, 64);
    const bar *pack = find(list, n, "halo", "pack", 0);
    const int  sent = (rank > 0) + (rank < size - 1);
    bool       ok   = pack && pack->bytes == 8 * sent
              && find(list, n, "halo", "start", 0)->bytes == 8 * sent;

    for (int from = rank - 1; from <= rank + 1; from += 2)
        if (from >= 0 && from < size) ok = message_is_inside(list, n, from) && ok;
    return ok;
}

Test(steps, a_trace_shows_messages_under_way_over_interior_rows)
{
    enum { RUNS = 5 };
    static cairn_comm_ops late;
    char                  folder[64], path[100];
    product               p;

    if (size == 1) return;
    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/trace.json", folder);
    ON_ALL_RANKS(open_product("csr", NULL, MOST, &p), "%s",
                 cairn_context_message(p.context));
    cairn_comm *const c = p.context->comm;

    real                = c->ops;
    late                = *real;
    late.exchange_begin = begin_late;
    late.exchange_test  = come_at_the_second_look;
    c->ops              = &late;
    bool ok             = cairn_plan_record(p.plan, 0) == CAIRN_OK;

    for (int k = 0; k < RUNS; k++)
        ok = run_right(&p) && ok;
    c->ops = real;
    ok     = cairn_plan_write_trace(p.plan, path) == CAIRN_OK && ok;
    ON_ALL_RANKS(ok, "%s", cairn_context_message(p.context));
    for (int k = 1; k <= RUNS; k++) /* 0: that of open_product() */
        ON_ALL_RANKS(shows_overlap(path, k), "rank %d: run %d", rank, k);
    close_product(&p);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) unlink(path);
    if (rank == 0) rmdir(folder);
}
