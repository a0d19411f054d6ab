// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Dependencies from accesses: small cases by hand, random ones against all pairs of
/// tasks, refusals and failed allocations that leave the graph as it was.
///
/// The seed is printed; GRAPH_SEED=N begins with seed N.

#include "sched/graph.h"
#include "support/brutal.h"
#include "support/seed.h"
#include "support/task_cases.h"

#include <math.h>
#include <stdlib.h>

static cairn_env    env;
static cairn_graph *graph;

static void up(void)
{
    cairn_env_init(&env);
    cr_assert_eq(cairn_graph_create(&env, &graph), CAIRN_OK);
}

static void down(void)
{
    cairn_graph_destroy(&graph);
    cr_expect_null(graph);
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(graph, .init = up, .fini = down, .timeout = 240);

static cairn_status nothing(void *argument)
{
    (void)argument;
    return CAIRN_OK;
}

/// Add a task from a text such as "ra wb xc": reads handle a, writes b, both with c.
static void submit(const char *text)
{
    cairn_access     access[8];
    int              n    = 0;
    const cairn_task task = {.run = nothing, .queue = CAIRN_NO_QUEUE};

    for (; *text; text += text[2] ? 3 : 2)
        access[n++] = (cairn_access){.handle = (cairn_handle)(text[1] - 'a'),
                                     .mode   = *text == 'r'   ? CAIRN_READ
                                               : *text == 'w' ? CAIRN_WRITE
                                                              : CAIRN_READ_WRITE};
    cr_assert_eq(cairn_graph_add(graph, &task, access, n, NULL), CAIRN_OK, "%s",
                 env.message);
}

/// Print what each task needs, in rising order: "0: 1: 0 2: 0,1".
static void needs_text(char *out, size_t size)
{
    size_t n = 0;

    for (uint32_t t = 0; t < graph->tasks; t++) {
        const uint32_t *need;
        const uint32_t  needs = cairn_graph_needs(graph, t, &need);
        int             shown = 0;

        n += (size_t)snprintf(out + n, size - n, "%s%u:", t ? " " : "", t);
        for (uint32_t p = 0; p < t; p++)
            for (uint32_t k = 0; k < needs; k++)
                if (need[k] == p)
                    n += (size_t)snprintf(out + n, size - n, "%s%u",
                                          shown++ ? "," : " ", p);
    }
}

typedef struct {
    const char *task[6];
    const char *needs;
} small_case;

static const small_case small[] = {
    {{"wa", "ra"},                            "0: 1: 0"                 },
    {{"ra", "ra"},                            "0: 1:"                   },
    {{"ra", "wa"},                            "0: 1: 0"                 },
    {{"wa", "wa"},                            "0: 1: 0"                 },
    {{"wa", "wb"},                            "0: 1:"                   },
    {{"", "wa", ""},                          "0: 1: 2:"                },
    {{"wa", "ra", "ra", "wa"},                "0: 1: 0 2: 0 3: 1,2"     },
    {{"wa", "ra", "wa", "ra"},                "0: 1: 0 2: 1 3: 2"       },
    {{"xa", "xa", "xa"},                      "0: 1: 0 2: 1"            },
    {{"wa wb", "ra rb", "xa xb"},             "0: 1: 0 2: 1"            },
    {{"wa", "ra wa ra", "ra"},                "0: 1: 0 2: 1"            },
    {{"wa", "ra ra", "wa wa", "ra"},          "0: 1: 0 2: 1 3: 2"       },
    {{"wa", "wb", "ra rb wc", "wa", "rc rb"}, "0: 1: 2: 0,1 3: 2 4: 1,2"},
};

Test(graph, dependencies_follow_from_accesses)
{
    char text[256];

    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        cairn_handle handle;

        cairn_graph_clear(graph);
        for (cairn_handle h = 0; h < 3; h++) {
            cr_assert_eq(cairn_graph_add_handle(graph, &handle), CAIRN_OK);
            cr_assert_eq(handle, h);
        }
        for (int t = 0; t < 6 && small[k].task[t]; t++)
            submit(small[k].task[t]);
        needs_text(text, sizeof text);
        cr_expect_str_eq(text, small[k].needs, "case %zu: %s", k, text);
    }
}

/// May two tasks not change places? Some handle is used by both and written by one.
static bool conflict(const case_task *a, const case_task *b)
{
    for (int i = 0; i < a->accesses; i++)
        for (int k = 0; k < b->accesses; k++)
            if (a->access[i].handle == b->access[k].handle
                && ((a->access[i].mode | b->access[k].mode) & CAIRN_WRITE))
                return true;
    return false;
}

/// Hold the graph to all pairs: who conflicts must be ordered, through others perhaps, and
/// whoever waits for another must conflict with it.
static void check_pairs(const task_case *c, uint64_t seed)
{
    static bool reach[CASE_TASKS][CASE_TASKS]; /* [later][earlier] */

    memset(reach, 0, sizeof reach);
    for (int t = 0; t < c->tasks; t++) {
        const uint32_t *need;
        const uint32_t  needs = cairn_graph_needs(graph, (uint32_t)t, &need);

        for (uint32_t k = 0; k < needs; k++) {
            cr_assert_lt(need[k], (uint32_t)t);
            cr_assert(conflict(&c->task[need[k]], &c->task[t]),
                      "seed %llu: task %d waits for %u for nothing",
                      (unsigned long long)seed, t, need[k]);
            for (uint32_t j = 0; j < k; j++)
                cr_assert_neq(need[j], need[k], "task %d needs %u twice", t, need[k]);
            reach[t][need[k]] = true;
            for (uint32_t p = 0; p < need[k]; p++)
                reach[t][p] = reach[t][p] || reach[need[k]][p];
        }
        for (int p = 0; p < t; p++)
            cr_assert(reach[t][p] || !conflict(&c->task[p], &c->task[t]),
                      "seed %llu: task %d does not wait for %d",
                      (unsigned long long)seed, t, p);
    }
}

Test(graph, random_graphs_order_what_conflicts_and_nothing_else)
{
    const char      *given = getenv("GRAPH_SEED");
    const uint64_t   first = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    static task_case c;

    printf("first seed %llu\n", (unsigned long long)first);
    for (uint64_t seed = first; seed < first + 400; seed++) {
        uint64_t state = seed;

        cairn_graph_clear(graph);
        case_draw(&state, &c);
        cr_assert_eq(case_submit(&state, &c, graph), CAIRN_OK);
        cr_assert_eq(graph->tasks, (uint32_t)c.tasks);
        check_pairs(&c, seed);
    }
}

typedef struct {
    cairn_task   task;
    cairn_access access;
    int          accesses;
    const char  *says;
} refusal;

static const refusal refusals[] = {
    {{.run = NULL},                                {0},                               0,  "no function"  },
    {{.run = nothing, .queue = -2},                {0},                               0,  "queue -2"     },
    {{.run = nothing, .queue = CAIRN_MOST_QUEUES}, {0},                               0,  "queue 1024"   },
    {{.run = nothing, .cost = -1},                 {0},                               0,  "-1 seconds"   },
    {{.run = nothing, .cost = INFINITY},           {0},                               0,  "inf seconds"  },
    {{.run = nothing},                             {0},                               -1, "-1 accesses"  },
    {{.run = nothing},                             {.handle = 1, .mode = CAIRN_READ}, 1,  "handle 1 of 1"},
    {{.run = nothing},                             {.handle = 0, .mode = 0},          1,  "mode 0"       },
    {{.run = nothing},                             {.handle = 0, .mode = 4},          1,  "mode 4"       },
};

Test(graph, refusals_leave_it_as_it_was)
{
    cairn_handle handle;
    uint32_t     number = 7;

    cr_assert_eq(cairn_graph_add_handle(graph, &handle), CAIRN_OK);
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        const refusal *const r = &refusals[k];

        cr_expect_eq(cairn_graph_add(graph, &r->task, &r->access, r->accesses, &number),
                     CAIRN_BAD_ARGUMENT);
        cr_expect(strstr(env.message, r->says) != NULL, "%s: %s", r->says, env.message);
        cr_expect_eq(graph->tasks + graph->needs + number, 7);
    }
}

/// Build a case from nothing; what was built goes again on failure.
static cairn_status build(task_case *c, uint64_t seed)
{
    uint64_t     state = seed;
    cairn_graph *fresh;

    CAIRN_TRY(cairn_graph_create(&env, &fresh));
    const cairn_status status = case_submit(&state, c, fresh);

    if (status != CAIRN_OK) {
        const uint32_t tasks = fresh->tasks, needs = fresh->needs;

        cr_assert(tasks == 0 || fresh->link[tasks - 1].end == needs);
        cr_assert_lt(tasks, (uint32_t)c->tasks);
    }
    cairn_graph_destroy(&fresh);
    return status;
}

Test(graph, survives_every_failed_allocation)
{
    static task_case c;
    uint64_t         state = 5;

    do
        case_draw(&state, &c);
    while (c.tasks < 100);
    CAIRN_BRUTAL(&env, build(&c, state));
}
