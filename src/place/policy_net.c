// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Edges of a problem in order, the ranks of its tasks, and a schedule under way.

#include "place/policy_net.h"

#include <math.h>
#include <string.h>

void cairn_policy_net_destroy(cairn_policy_net **net)
{
    cairn_policy_net *n = *net;

    if (!n) return;
    cairn_free(n->env, n->in_first);
    cairn_free(n->env, n->in);
    cairn_free(n->env, n->out_first);
    cairn_free(n->env, n->out);
    cairn_free(n->env, n->topological);
    cairn_free(n->env, n->order);
    cairn_free(n->env, n->only);
    cairn_free(n->env, n->rank);
    cairn_free(n->env, n->done);
    cairn_free(n->env, n->start);
    cairn_free(n->env, n->next);
    cairn_free(n->env, n);
    *net = NULL;
}

static cairn_status allocate(cairn_policy_net *n)
{
    const int tasks = n->problem->tasks, edges = n->problem->edges;

    CAIRN_TRY(CAIRN_NEW_ZERO(n->env, tasks + 1, &n->in_first));
    CAIRN_TRY(CAIRN_NEW_ZERO(n->env, tasks + 1, &n->out_first));
    CAIRN_TRY(CAIRN_NEW(n->env, edges, &n->in));
    CAIRN_TRY(CAIRN_NEW(n->env, edges, &n->out));
    CAIRN_TRY(CAIRN_NEW(n->env, tasks, &n->topological));
    CAIRN_TRY(CAIRN_NEW(n->env, tasks, &n->order));
    CAIRN_TRY(CAIRN_NEW(n->env, tasks, &n->only));
    CAIRN_TRY(CAIRN_NEW(n->env, tasks, &n->rank));
    CAIRN_TRY(CAIRN_NEW(n->env, tasks, &n->done));
    CAIRN_TRY(CAIRN_NEW(n->env, tasks, &n->start));
    return CAIRN_NEW(n->env, tasks, &n->next);
}

/// Sort edges by one of their ends, stably: counted, then dealt out from the back.
static void
deal(const cairn_policy_problem *problem, bool by_end, int *first, int *list)
{
    const cairn_policy_edge *edge = problem->edge;

    for (int e = 0; e < problem->edges; e++)
        first[by_end ? edge[e].to : edge[e].from]++;
    for (int t = 1; t <= problem->tasks; t++)
        first[t] += first[t - 1];
    for (int e = problem->edges - 1; e >= 0; e--)
        list[--first[by_end ? edge[e].to : edge[e].from]] = e;
}

/// Kahn's algorithm, in the order of the tasks' numbers as far as edges allow; `order`
/// counts what a task still waits for. @return tasks that were reached.
static int sort_tasks(cairn_policy_net *n)
{
    const cairn_policy_problem *problem = n->problem;
    int                         reached = 0;

    for (int t = 0; t < problem->tasks; t++) {
        n->order[t] = n->in_first[t + 1] - n->in_first[t];
        if (n->order[t] == 0) n->topological[reached++] = t;
    }
    for (int k = 0; k < reached; k++) {
        const int t = n->topological[k];

        for (int e = n->out_first[t]; e < n->out_first[t + 1]; e++) {
            const int to = problem->edge[n->out[e]].to;

            if (--n->order[to] == 0) n->topological[reached++] = to;
        }
    }
    return reached;
}

cairn_status cairn_policy_net_create(cairn_env                  *env,
                                     const cairn_policy_problem *problem,
                                     cairn_policy_net          **net)
{
    cairn_policy_net *fresh = NULL;
    cairn_status      status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    fresh->env     = env;
    fresh->problem = problem;
    CAIRN_GO(destroy, allocate(fresh));
    deal(problem, true, fresh->in_first, fresh->in);
    deal(problem, false, fresh->out_first, fresh->out);
    if (sort_tasks(fresh) == problem->tasks) {
        *net = fresh;
        return CAIRN_OK;
    }
    status = cairn_fail(env, CAIRN_BAD_ARGUMENT,
                        "place: tasks: they wait for each other in a circle");

destroy:
    cairn_policy_net_destroy(&fresh);
    return status;
}

static double
travel(const cairn_policy_problem *problem, int from, int to, double bytes, int *clock)
{
    const size_t k        = (size_t)from * (size_t)problem->devices + (size_t)to;
    const bool   modelled = problem->device[from].clock == CAIRN_CLOCK_SIMULATED
                          || problem->device[to].clock == CAIRN_CLOCK_SIMULATED;

    *clock = modelled ? CAIRN_CLOCK_SIMULATED : CAIRN_CLOCK_MEASURED;
    if (from == to) return 0;
    return (problem->latency ? problem->latency[k] : 0)
           + (problem->per_byte ? problem->per_byte[k] * bytes : 0);
}

/// The mean time of an edge over the choices of both ends, on each clock.
static cairn_policy_time
mean_travel(const cairn_policy_problem *problem, const uint64_t *choice, int e)
{
    const cairn_policy_edge *edge = &problem->edge[e];
    const uint64_t           from = choice[edge->from], to = choice[edge->to];
    const double      pairs = __builtin_popcountll(from) * __builtin_popcountll(to);
    cairn_policy_time time  = {
         {0, 0}
    };

    for (int a = 0; a < problem->devices; a++)
        for (int b = 0; b < problem->devices && from >> a & 1; b++) {
            int clock;

            if (!(to >> b & 1)) continue;
            const double seconds = travel(problem, a, b, edge->bytes, &clock);

            time.on[clock] += seconds / pairs;
        }
    return time;
}

static cairn_policy_time
mean_seconds(const cairn_policy_problem *problem, uint64_t choice, int task)
{
    cairn_policy_time time = {
        {0, 0}
    };

    for (int d = 0; d < problem->devices; d++)
        if (choice >> d & 1)
            time.on[problem->device[d].clock] +=
                cairn_policy_seconds(problem, task, d) / __builtin_popcountll(choice);
    return time;
}

static void rank_task(cairn_policy_net *n, const uint64_t *choice, int t)
{
    const cairn_policy_time own   = mean_seconds(n->problem, choice[t], t);
    cairn_policy_time       ahead = {
              {0, 0}
    };

    for (int k = n->out_first[t]; k < n->out_first[t + 1]; k++) {
        const int               e = n->out[k], to = n->problem->edge[e].to;
        const cairn_policy_time time = mean_travel(n->problem, choice, e);

        for (int c = 0; c < 2; c++)
            ahead.on[c] = fmax(ahead.on[c], time.on[c] + n->rank[to].on[c]);
    }
    for (int c = 0; c < 2; c++)
        n->rank[t].on[c] = own.on[c] + ahead.on[c];
}

bool cairn_policy_is_better(const cairn_policy_problem *problem,
                            cairn_policy_time           a,
                            cairn_policy_time           b)
{
    const int c = problem->clock;

    if (a.on[c] != b.on[c]) return a.on[c] < b.on[c];
    return a.on[1 - c] < b.on[1 - c];
}

/// Largest rank first; from topological order, stably, so that predecessors, whose rank
/// is at least as large on both clocks, stay before.
void cairn_policy_rank(cairn_policy_net *n, const uint64_t *choice)
{
    const int tasks = n->problem->tasks;

    for (int k = tasks - 1; k >= 0; k--)
        rank_task(n, choice, n->topological[k]);
    for (int k = 0; k < tasks; k++) {
        const int t     = n->topological[k];
        int       place = k;

        for (; place > 0; place--) {
            const int other = n->order[place - 1];

            if (!cairn_policy_is_better(n->problem, n->rank[other], n->rank[t])) break;
            n->order[place] = other;
        }
        n->order[place] = t;
    }
}

void cairn_policy_begin(cairn_policy_net *n)
{
    for (int d = 0; d < n->problem->devices; d++) {
        n->head[d] = -1;
        n->left[d] = n->problem->device[d].memory;
    }
}

/// The earliest moment on both clocks at which everything is there.
static cairn_policy_time
ready(const cairn_policy_net *n, const int *device, int task, int d)
{
    cairn_policy_time time = {
        {0, 0}
    };

    for (int k = n->in_first[task]; k < n->in_first[task + 1]; k++) {
        const cairn_policy_edge *edge = &n->problem->edge[n->in[k]];
        cairn_policy_time        at   = n->done[edge->from];
        int                      clock;
        const double             seconds =
            travel(n->problem, device[edge->from], d, edge->bytes, &clock);

        at.on[clock] += seconds;
        for (int c = 0; c < 2; c++)
            time.on[c] = fmax(time.on[c], at.on[c]);
    }
    return time;
}

double cairn_policy_try(const cairn_policy_net *n,
                        const int              *device,
                        int                     task,
                        int                     d,
                        double                 *start)
{
    const int    clock   = n->problem->device[d].clock;
    const double seconds = cairn_policy_seconds(n->problem, task, d);
    double       begin   = ready(n, device, task, d).on[clock];

    for (int t = n->head[d]; t >= 0; t = n->next[t]) {
        if (begin + seconds <= n->start[t]) break; /* the gap before t is long enough */
        begin = fmax(begin, n->done[t].on[clock]);
    }
    *start = begin;
    return begin + seconds;
}

void cairn_policy_put(cairn_policy_net *n, int *device, int task, int d)
{
    const int clock = n->problem->device[d].clock;
    int      *link  = &n->head[d];

    n->done[task]           = ready(n, device, task, d);
    n->done[task].on[clock] = cairn_policy_try(n, device, task, d, &n->start[task]);
    device[task]            = d;
    n->left[d] -= n->problem->task[task].memory;
    while (*link >= 0
           && (n->start[*link] < n->start[task]
               || (n->start[*link] == n->start[task]
                   && n->done[*link].on[clock] <= n->start[task])))
        link = &n->next[*link];
    n->next[task] = *link;
    *link         = task;
}

void cairn_policy_put_best(cairn_policy_net *n,
                           const uint64_t   *choice,
                           int              *device,
                           int               task)
{
    const int64_t bytes = n->problem->task[task].memory;
    double        least = INFINITY, start;
    int           best  = -1;
    bool          room  = false;

    for (int d = 0; d < n->problem->devices; d++) {
        const bool fits = cairn_policy_has_room(n, d, bytes);

        if (!(choice[task] >> d & 1) || (room && !fits)) continue;
        const double end = cairn_policy_try(n, device, task, d, &start);

        if (best < 0 || (fits && !room) || end < least) least = end, best = d;
        room |= fits;
    }
    cairn_policy_put(n, device, task, best);
}
