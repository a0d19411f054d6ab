// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Placement policies: small random problems against the best of all placements and
/// orders, memories, affinities, clocks, what cannot be placed, and failing
/// allocations. Other problems with POLICY_SEED.

#include "place/policy.h"
#include "support/brutal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 6, DEVICES = 3, EDGES = 16 };

#define CAIRN_POLICY(name) extern const cairn_policy cairn_policy_##name;
#include "place/policy_list.def"
#undef CAIRN_POLICY

/// The k-th policy of the list; NULL: there is none.
static const cairn_policy *policy_at(int k)
{
    static const cairn_policy *const all[] = {
#define CAIRN_POLICY(name) &cairn_policy_##name,
#include "place/policy_list.def"
#undef CAIRN_POLICY
    };

    return k < (int)(sizeof all / sizeof *all) ? all[k] : NULL;
}

/// A problem with room for its parts.
typedef struct {
    cairn_policy_problem problem;
    cairn_policy_device  device[DEVICES];
    cairn_policy_task    task[TASKS];
    cairn_policy_edge    edge[EDGES];
    double               seconds[TASKS * DEVICES];
    double               latency[DEVICES * DEVICES], per_byte[DEVICES * DEVICES];
} net;

static const char *const ids[]   = {"a:0", "b:0", "c:0"};
static const char *const names[] = {"member 0", "member 1", "member 2",
                                    "member 3", "member 4", "member 5"};

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

static void seed(uint64_t more)
{
    const char *given = getenv("POLICY_SEED");

    state = (given ? strtoull(given, NULL, 10) : 1) * 1000003 + more;
}

/// Devices that can do everything in a second, and data that travel in none.
static void plain(net *n, int tasks, int devices)
{
    memset(n, 0, sizeof *n);
    n->problem = (cairn_policy_problem){.tasks    = tasks,
                                        .devices  = devices,
                                        .device   = n->device,
                                        .task     = n->task,
                                        .edge     = n->edge,
                                        .seconds  = n->seconds,
                                        .latency  = n->latency,
                                        .per_byte = n->per_byte};
    for (int d = 0; d < devices; d++)
        n->device[d] = (cairn_policy_device){ids[d], CAIRN_CLOCK_MEASURED, -1};
    for (int t = 0; t < tasks; t++)
        n->task[t].name = names[t];
    for (int k = 0; k < tasks * devices; k++)
        n->seconds[k] = 1;
}

static void join(net *n, int from, int to, double bytes)
{
    n->edge[n->problem.edges++] = (cairn_policy_edge){from, to, bytes};
}

/// Times of 1 to 20, edges forward with probability 2/5, travel of up to 10.
static void random_net(net *n, int tasks, int devices)
{
    plain(n, tasks, devices);
    for (int k = 0; k < tasks * devices; k++)
        n->seconds[k] = 1 + (double)draw(20);
    for (int k = 0; k < devices * devices; k++) {
        n->latency[k]  = (double)draw(3);
        n->per_byte[k] = 0.1 * (double)draw(10);
    }
    for (int a = 0; a < tasks; a++)
        for (int b = a + 1; b < tasks; b++)
            if (draw(5) < 2) join(n, a, b, (double)draw(8));
}

static double travel(const net *n, int from, int to, double bytes)
{
    const int k = from * n->problem.devices + to;

    return from == to ? 0 : n->latency[k] + n->per_byte[k] * bytes;
}

/// Run tasks in an order on given devices, each as early as it can behind the one before
/// it on its device. @return when all is done; -1: the order is none.
static double run_in_order(const net *n, const int *order, const int *device)
{
    double done[TASKS], free_at[DEVICES] = {0}, all = 0;
    bool   seen[TASKS] = {false};

    for (int k = 0; k < n->problem.tasks; k++) {
        const int t     = order[k];
        double    begin = free_at[device[t]];

        for (int e = 0; e < n->problem.edges; e++) {
            const cairn_policy_edge *edge = &n->edge[e];

            if (edge->to != t) continue;
            if (!seen[edge->from]) return -1;
            begin = fmax(begin,
                         done[edge->from]
                             + travel(n, device[edge->from], device[t], edge->bytes));
        }
        done[t]            = begin + n->seconds[t * n->problem.devices + device[t]];
        seen[t]            = true;
        free_at[device[t]] = done[t];
        all                = fmax(all, done[t]);
    }
    return all;
}

static void swap(int *a, int *b)
{
    const int c = *a;

    *a = *b, *b = c;
}

/// The best of all orders from position @p k on.
static double best_order(const net *n, int *order, int k, const int *device)
{
    double best = INFINITY;

    if (k == n->problem.tasks) {
        const double time = run_in_order(n, order, device);

        return time < 0 ? INFINITY : time;
    }
    for (int j = k; j < n->problem.tasks; j++) {
        swap(&order[k], &order[j]);
        best = fmin(best, best_order(n, order, k + 1, device));
        swap(&order[k], &order[j]);
    }
    return best;
}

/// The best of all placements that fit, and all orders.
static double best_of_all(const net *n)
{
    const cairn_policy_problem *p = &n->problem;
    int                         device[TASKS], order[TASKS], all = 1;
    double                      best = INFINITY;

    for (int t = 0; t < p->tasks; t++)
        all *= p->devices, order[t] = t;
    for (int k = 0; k < all; k++) {
        int64_t left[DEVICES];
        bool    fits = true;

        for (int d = 0; d < p->devices; d++)
            left[d] = n->device[d].memory < 0 ? INT64_MAX : n->device[d].memory;
        for (int t = 0, rest = k; t < p->tasks; t++, rest /= p->devices) {
            device[t] = rest % p->devices;
            left[device[t]] -= n->task[t].memory;
            fits = fits && left[device[t]] >= 0;
        }
        if (fits) best = fmin(best, best_order(n, order, 0, device));
    }
    return best;
}

/// Times must be those of a schedule: nothing before what it waits for, nothing at once
/// on one device, finish times and makespan its last.
static void expect_schedule(const net *n, const cairn_policy_answer *a)
{
    const cairn_policy_problem *p    = &n->problem;
    double                      last = 0;

    for (int t = 0; t < p->tasks; t++) {
        const double end = a->start[t] + n->seconds[t * p->devices + a->device[t]];

        for (int u = 0; u < p->tasks; u++) {
            const double other =
                a->start[u] + n->seconds[u * p->devices + a->device[u]];

            cr_assert(u == t || a->device[u] != a->device[t]
                          || a->start[u] >= end - 1e-9 || a->start[t] >= other - 1e-9,
                      "tasks %d and %d at once", t, u);
        }
        cr_assert_leq(end, a->finish[a->device[t]] + 1e-9);
        last = fmax(last, end);
    }
    for (int e = 0; e < p->edges; e++) {
        const cairn_policy_edge *edge = &n->edge[e];
        const int                from = a->device[edge->from], to = a->device[edge->to];
        const double             end =
            a->start[edge->from] + n->seconds[edge->from * p->devices + from];

        cr_assert_geq(a->start[edge->to], end + travel(n, from, to, edge->bytes) - 1e-9,
                      "edge %d", e);
    }
    cr_assert_float_eq(a->makespan[CAIRN_CLOCK_MEASURED], last, 1e-9);
    cr_assert_eq(a->makespan[CAIRN_CLOCK_SIMULATED], 0);
    cr_assert(!a->mixed);
}

static const cairn_policy *policy(cairn_env *env, const char *name)
{
    const cairn_policy *found = NULL;

    cr_assert_eq(cairn_policy_find(env, name, &found), CAIRN_OK);
    return found;
}

static double place(cairn_env *env, const char *name, const net *n, int *device)
{
    cairn_policy_answer answer;

    cr_assert_eq(cairn_policy_place(env, policy(env, name), &n->problem, &answer),
                 CAIRN_OK, "%s", env->message);
    expect_schedule(n, &answer);
    memcpy(device, answer.device, (size_t)n->problem.tasks * sizeof *device);
    cairn_policy_answer_fini(env, &answer);
    return answer.makespan[CAIRN_CLOCK_MEASURED];
}

static double best_single(const net *n)
{
    double best = INFINITY;

    for (int d = 0; d < n->problem.devices; d++) {
        double sum = 0;

        for (int t = 0; t < n->problem.tasks; t++)
            sum += n->seconds[t * n->problem.devices + d];
        best = fmin(best, sum);
    }
    return best;
}

Test(policy, random_problems_against_the_best_of_all)
{
    enum { CASES = 150 };
    cairn_env env;
    double    worst = 1, sum = 0;

    cairn_env_init(&env);
    for (int k = 0; k < CASES; k++) {
        net n;
        int device[TASKS];

        seed((uint64_t)k);
        random_net(&n, 1 + k % 5, 1 + k % 3);
        const double best = best_of_all(&n), heft = place(&env, "heft", &n, device);
        const double greedy = place(&env, "greedy", &n, device);

        place(&env, "fixed", &n, device);
        cr_expect_geq(heft, best - 1e-9, "case %d: better than the best", k);
        cr_expect_leq(heft, best_single(&n) + 1e-9, "case %d", k);
        cr_expect_leq(greedy, best_single(&n) + 1e-9, "case %d", k);
        worst = fmax(worst, heft / best);
        sum += heft / best;
    }
    if (getenv("POLICY_SEED"))
        cr_log_warn("heft takes %.3f of the best, in the mean %.4f", worst,
                    sum / CASES);
    cr_expect_leq(worst, 1.8, "heft takes %.2f of the best", worst);
    cr_expect_leq(sum / CASES, 1.05, "heft takes %.3f of the best in the mean",
                  sum / CASES);
    cairn_env_fini(&env);
}

Test(policy, memory_limits_hold)
{
    cairn_env env;
    int       placed = 0;

    cairn_env_init(&env);
    for (int k = 0; k < 300; k++) {
        cairn_policy_answer answer;
        net                 n;

        seed(5000 + (uint64_t)k);
        random_net(&n, 5, 3);
        for (int d = 0; d < 3; d++)
            n.device[d].memory = 4 + (int64_t)draw(12);
        for (int t = 0; t < 5; t++)
            n.task[t].memory = (int64_t)draw(9);
        const bool         can = best_of_all(&n) < INFINITY;
        const cairn_status status =
            cairn_policy_place(&env, policy_at(k % 3), &n.problem, &answer);

        cr_assert_eq(status, can ? CAIRN_OK : CAIRN_NO_MEMORY, "case %d: %s", k,
                     env.message);
        if (!can) continue;
        placed++;
        expect_schedule(&n, &answer);
        for (int d = 0; d < 3; d++) {
            int64_t bytes = 0;

            for (int t = 0; t < 5; t++)
                bytes += answer.device[t] == d ? n.task[t].memory : 0;
            cr_assert_eq(bytes, answer.memory[d]);
            cr_assert_leq(bytes, n.device[d].memory, "case %d, device %d", k, d);
        }
        cairn_policy_answer_fini(&env, &answer);
    }
    cr_expect_gt(placed, 100);
    cr_expect_lt(placed, 300);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

Test(policy, pins_are_respected)
{
    cairn_env env;

    cairn_env_init(&env);
    for (int k = 0; k < 200; k++) {
        cairn_policy_answer answer;
        net                 n;

        seed(9000 + (uint64_t)k);
        random_net(&n, TASKS, DEVICES);
        for (int t = 0; t < TASKS; t++)
            n.task[t].affinity = draw(8); /* 0: none */
        cr_assert_eq(cairn_policy_place(&env, policy_at(k % 3), &n.problem, &answer),
                     CAIRN_OK, "%s", env.message);
        for (int t = 0; t < TASKS; t++)
            cr_assert(!n.task[t].affinity
                      || n.task[t].affinity >> answer.device[t] & 1);
        expect_schedule(&n, &answer);
        cairn_policy_answer_fini(&env, &answer);
    }
    cairn_env_fini(&env);
}

/// Device 1 is simulated, and a thousand times as fast.
static void two_clocks(net *n, int tasks)
{
    plain(n, tasks, 2);
    n->device[1].clock = CAIRN_CLOCK_SIMULATED;
    for (int t = 0; t < tasks; t++)
        n->seconds[2 * t + 1] = 1e-3;
}

Test(policy, simulated_devices_are_named_or_asked_for)
{
    cairn_env           env;
    cairn_policy_answer answer;
    net                 n;

    cairn_env_init(&env);
    two_clocks(&n, 3);
    join(&n, 0, 1, 8), join(&n, 1, 2, 8);
    for (int k = 0; k < 3; k++) {
        n.problem.clock = CAIRN_CLOCK_MEASURED, n.task[1].affinity = 0;
        cr_assert_eq(cairn_policy_place(&env, policy_at(k), &n.problem, &answer),
                     CAIRN_OK);
        for (int t = 0; t < 3; t++)
            cr_expect_eq(answer.device[t], 0, "task %d is on device %d", t,
                         answer.device[t]);
        cr_expect(!answer.mixed);
        cairn_policy_answer_fini(&env, &answer);

        n.task[1].affinity = 2;
        cr_assert_eq(cairn_policy_place(&env, policy_at(k), &n.problem, &answer),
                     CAIRN_OK);
        cr_expect(answer.device[0] == 0 && answer.device[1] == 1
                  && answer.device[2] == 0);
        cr_expect(answer.mixed);
        cr_expect_float_eq(answer.makespan[CAIRN_CLOCK_MEASURED], 2, 1e-12,
                           "clocks were added");
        cr_expect_float_eq(answer.makespan[CAIRN_CLOCK_SIMULATED], 1e-3, 1e-12);
        cairn_policy_answer_fini(&env, &answer);

        n.problem.clock = CAIRN_CLOCK_SIMULATED, n.task[1].affinity = 0;
        n.seconds[2 * 2 + 1] = INFINITY; /* and what only the other can do */
        cr_assert_eq(cairn_policy_place(&env, policy_at(k), &n.problem, &answer),
                     CAIRN_OK);
        cr_expect(answer.device[0] == 1 && answer.device[1] == 1
                  && answer.device[2] == 0);
        cairn_policy_answer_fini(&env, &answer);
        n.seconds[2 * 2 + 1] = 1e-3;
    }
    cairn_env_fini(&env);
}

Test(policy, travel_to_a_simulated_device_is_simulated)
{
    cairn_env           env;
    cairn_policy_answer answer;
    net                 n;

    cairn_env_init(&env);
    two_clocks(&n, 3);
    join(&n, 0, 1, 8), join(&n, 1, 2, 8);
    n.task[1].affinity = 2;
    for (int k = 0; k < 4; k++)
        n.latency[k] = 0.5;
    cr_assert_eq(cairn_policy_place(&env, policy_at(0), &n.problem, &answer), CAIRN_OK);
    cr_expect_float_eq(answer.makespan[CAIRN_CLOCK_MEASURED], 2, 1e-12);
    cr_expect_float_eq(answer.makespan[CAIRN_CLOCK_SIMULATED], 1.001, 1e-12);
    cairn_policy_answer_fini(&env, &answer);
    cairn_env_fini(&env);
}

/// All policies refuse, with a message that says @p why.
static void refuses(cairn_env *env, const net *n, cairn_status status, const char *why)
{
    for (int k = 0; policy_at(k); k++) {
        cairn_policy_answer answer = {.alone = 77};

        cr_expect_eq(cairn_policy_place(env, policy_at(k), &n->problem, &answer),
                     status, "%s: %s", policy_at(k)->name, env->message);
        cr_expect(strstr(env->message, why), "'%s' is not in '%s'", why, env->message);
        cr_expect_eq(answer.alone, 77, "touched");
        cr_expect_eq(env->live_blocks, 0);
    }
}

Test(policy, what_cannot_be_placed_is_refused)
{
    cairn_env env;
    net       n;

    cairn_env_init(&env);
    plain(&n, 2, 2);
    n.seconds[2] = n.seconds[3] = INFINITY;
    refuses(&env, &n, CAIRN_UNSUPPORTED, "place: member 1: no device");
    n.task[1].affinity = 2;
    refuses(&env, &n, CAIRN_UNSUPPORTED, "place: member 1: b:0 cannot do it");

    plain(&n, 2, 2);
    n.device[0].memory = 10, n.device[1].memory = 12;
    n.task[1].memory = 13;
    refuses(&env, &n, CAIRN_NO_MEMORY,
            "place: member 1: needs 13 bytes, but the limit of b:0 is 12");
    n.task[0].memory = n.task[1].memory = 7;
    n.task[0].affinity = n.task[1].affinity = 2;
    refuses(&env, &n, CAIRN_NO_MEMORY, "needs 7 bytes of 14");

    plain(&n, 2, 1);
    n.seconds[1] = NAN;
    refuses(&env, &n, CAIRN_BAD_ARGUMENT, "seconds");
    n.seconds[1] = -1;
    refuses(&env, &n, CAIRN_BAD_ARGUMENT, "seconds");
    n.seconds[1]       = 1;
    n.task[1].affinity = 2;
    refuses(&env, &n, CAIRN_BAD_ARGUMENT, "pinned");
    n.task[1].affinity = 0;
    n.task[0].memory = n.task[1].memory = INT64_MAX;
    refuses(&env, &n, CAIRN_BAD_ARGUMENT, "memory");

    plain(&n, 3, 2);
    join(&n, 0, 1, 1), join(&n, 1, 2, 1), join(&n, 2, 0, 1);
    refuses(&env, &n, CAIRN_BAD_ARGUMENT, "circle");
    n.edge[2].to = 3;
    refuses(&env, &n, CAIRN_BAD_ARGUMENT, "edge 2");
    n.edge[2] = (cairn_policy_edge){0, 2, NAN};
    refuses(&env, &n, CAIRN_BAD_ARGUMENT, "edge 2");
    n.edge[2].bytes = 1, n.latency[1] = -1;
    refuses(&env, &n, CAIRN_BAD_ARGUMENT, "travel");
    n.latency[1] = 0, n.problem.devices = 0;
    refuses(&env, &n, CAIRN_BAD_ARGUMENT, "devices");
    cairn_env_fini(&env);
}

Test(policy, a_gap_is_filled)
{
    cairn_env           env;
    cairn_policy_answer answer;
    net                 n;

    /* 0 on a, 2 behind it on b; 1 fits on b before 2 comes. */
    cairn_env_init(&env);
    plain(&n, 3, 2);
    n.task[0].affinity = 1, n.task[1].affinity = 2, n.task[2].affinity = 2;
    n.seconds[0] = 4, n.seconds[3] = 3, n.seconds[5] = 9;
    join(&n, 0, 2, 0);
    cr_assert_eq(cairn_policy_place(&env, policy(&env, "heft"), &n.problem, &answer),
                 CAIRN_OK);
    cr_expect_float_eq(answer.start[1], 0, 1e-12);
    cr_expect_float_eq(answer.start[2], 4, 1e-12);
    cr_expect_float_eq(answer.makespan[0], 13, 1e-12);
    cr_expect_float_eq(answer.finish[0], 4, 1e-12);
    cr_expect_float_eq(answer.finish[1], 13, 1e-12);
    cairn_policy_answer_fini(&env, &answer);
    cairn_env_fini(&env);
}

Test(policy, nothing_to_place)
{
    cairn_env           env;
    cairn_policy_answer answer;
    net                 n;

    cairn_env_init(&env);
    plain(&n, 0, 1);
    for (int k = 0; policy_at(k); k++) {
        cr_assert_eq(cairn_policy_place(&env, policy_at(k), &n.problem, &answer),
                     CAIRN_OK);
        cr_expect_eq(answer.makespan[0], 0);
        cairn_policy_answer_fini(&env, &answer);
    }
    cairn_env_fini(&env);
}

Test(policy, names)
{
    const cairn_policy *found = NULL;
    cairn_env           env;

    cairn_env_init(&env);
    cr_expect_eq(cairn_policy_find(&env, "heft", &found), CAIRN_OK);
    cr_expect_str_eq(found->name, "heft");
    cr_expect_eq(cairn_policy_find(&env, "greedi", &found), CAIRN_BAD_OPTION);
    cr_expect(strstr(env.message, "did you mean greedy?"), "%s", env.message);
    cr_expect_str_eq(found->name, "heft");
    cairn_env_fini(&env);
}

static cairn_status place_once(cairn_env *env, const net *n, int k)
{
    cairn_policy_answer answer;

    CAIRN_TRY(cairn_policy_place(env, policy_at(k), &n->problem, &answer));
    cairn_policy_answer_fini(env, &answer);
    return CAIRN_OK;
}

Test(policy, failing_allocations)
{
    cairn_env env;
    net       n;

    cairn_env_init(&env);
    seed(1);
    random_net(&n, TASKS, DEVICES);
    for (int d = 0; d < DEVICES; d++)
        n.device[d].memory = 4;
    for (int t = 0; t < TASKS; t++)
        n.task[t].memory = 2; /* full to the last byte: it is packed again */
    for (int k = 0; policy_at(k); k++)
        CAIRN_BRUTAL(&env, place_once(&env, &n, k));
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
