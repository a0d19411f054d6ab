// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Programs laid out from graphs: on random ones every dependency is held by the order of
/// a queue or by waits, no wait is there for nothing, and no queues wait for each other;
/// on stencils the numbers of waits, and boundary before interior.
///
/// The seed is printed; PROGRAM_SEED=N begins with seed N.

#include "sched/program.h"
#include "support/brutal.h"
#include "support/seed.h"
#include "support/task_cases.h"

#include <stdlib.h>

enum { MOST_QUEUES = 5 };

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
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(program, .init = up, .fini = down, .timeout = 240);

static cairn_program *lay_out(int queues, cairn_order_rule rule)
{
    cairn_program *program = NULL;

    cr_assert_eq(cairn_program_create(graph, queues, rule, &program), CAIRN_OK, "%s",
                 env.message);
    return program;
}

/// A queue while a program is followed, a segment at a time, in any order that it allows.
typedef struct {
    uint32_t segment, need, step;
    uint32_t known[MOST_QUEUES]; ///< Steps of each queue that are done for sure.
} follower;

typedef struct {
    const cairn_program *program;
    follower             queue[MOST_QUEUES];
    uint32_t at[CASE_TASKS]; ///< Steps of its queue done with a task; 0: none.
    uint32_t known[MOST_QUEUES][CASE_TASKS + 1]
                  [MOST_QUEUES]; ///< When it had published.
} following;

/// Has the queue that a wait is for published so much?
static bool may_go_on(const following *f, int q)
{
    const cairn_queue_program *const p = &f->program->queue[q];
    const follower *const            w = &f->queue[q];

    if (w->segment == p->segments) return false;
    for (uint32_t k = 0; k < p->segment[w->segment].needs; k++) {
        const cairn_queue_need need = p->need[w->need + k];

        if (f->queue[need.queue].step < need.at) return false;
    }
    return true;
}

static void pass_waits(following *f, int q)
{
    const cairn_queue_program *const p = &f->program->queue[q];
    follower *const                  w = &f->queue[q];

    for (uint32_t k = 0; k < p->segment[w->segment].needs; k++) {
        const cairn_queue_need need = p->need[w->need++];
        const uint32_t        *then = f->known[need.queue][need.at];

        cr_assert_neq(need.queue, (uint32_t)q);
        cr_assert_gt(need.at, w->known[need.queue], "a wait for what is known");
        w->known[need.queue] = need.at;
        for (int r = 0; r < f->program->queues; r++)
            if (then[r] > w->known[r]) w->known[r] = then[r];
    }
}

static void pass_steps(following *f, int q)
{
    const cairn_queue_program *const p = &f->program->queue[q];
    follower *const                  w = &f->queue[q];
    const cairn_queue_segment        s = p->segment[w->segment++];

    cr_assert_gt(s.steps, 0);
    for (uint32_t k = 0; k < s.steps; k++) {
        const uint32_t  t = p->task[w->step];
        const uint32_t *need;
        const uint32_t  needs = cairn_graph_needs(graph, t, &need);

        cr_assert_eq(graph->task[t].queue, q);
        cr_assert_eq(p->step[w->step].argument, graph->task[t].argument);
        cr_assert_eq(f->at[t], 0, "task %u is there twice", t);
        for (uint32_t j = 0; j < needs; j++) {
            const int owner = graph->task[need[j]].queue;

            cr_assert_gt(f->at[need[j]], 0, "task %u begins before %u", t, need[j]);
            cr_assert(owner == q || f->at[need[j]] <= w->known[owner],
                      "task %u does not wait for %u", t, need[j]);
        }
        f->at[t] = ++w->step;
    }
    if (!s.publish) return;
    cr_assert_eq(s.publish, w->step);
    memcpy(f->known[q][w->step], w->known, sizeof w->known);
}

/// Is a published number of steps waited for, or the queue's end?
static bool is_wanted(const cairn_program *program, int q, uint32_t at)
{
    if (q && at == program->queue[q].steps) return true;
    for (int r = 0; r < program->queues; r++)
        for (uint32_t k = 0; k < program->queue[r].needs; k++)
            if (program->queue[r].need[k].queue == (uint32_t)q
                && program->queue[r].need[k].at == at)
                return true;
    return false;
}

static void check_published(const cairn_program *program)
{
    for (int q = 0; q < program->queues; q++) {
        const cairn_queue_program *const p   = &program->queue[q];
        uint32_t                         end = 0;

        for (uint32_t s = 0; s < p->segments; s++) {
            end = p->segment[s].publish;
            cr_assert(!end || is_wanted(program, q, end),
                      "queue %d publishes step %u, for which no queue waits", q,
                      (unsigned)end);
        }
        cr_assert(q == 0 || p->steps == end, "queue %d does not tell its end", q);
        cr_assert_leq(p->steps, program->span);
    }
}

/// Follow a program to its end, queues in random turns.
static void check_program(uint64_t *state, const cairn_program *program)
{
    static following f;
    uint32_t         steps = 0;
    int              idle  = 0;

    memset(&f, 0, sizeof f);
    f.program = program;
    for (int q = 0; idle < program->queues; q = (q + 1) % program->queues) {
        idle++;
        for (; may_go_on(&f, q); idle = 0) {
            if (random_chance(state, 10)) break; /* another queue goes first */
            pass_waits(&f, q);
            pass_steps(&f, q);
        }
        if (may_go_on(&f, q)) idle = 0;
    }
    for (int q = 0; q < program->queues; q++) {
        cr_assert_eq(f.queue[q].segment, program->queue[q].segments, "queues hang");
        cr_assert_eq(f.queue[q].need, program->queue[q].needs);
        steps += f.queue[q].step;
    }
    cr_assert_eq(steps, graph->tasks);
    check_published(program);
}

Test(program, random_graphs_keep_their_order_with_no_wait_too_many)
{
    const char      *given = getenv("PROGRAM_SEED");
    const uint64_t   first = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    static task_case c;

    printf("first seed %llu\n", (unsigned long long)first);
    for (uint64_t seed = first; seed < first + 1000; seed++) {
        uint64_t state = seed;

        cairn_graph_clear(graph);
        case_draw(&state, &c);
        cr_assert_eq(case_submit(&state, &c, graph), CAIRN_OK);
        for (cairn_order_rule rule = 0; rule <= CAIRN_ORDER_SUBMITTED; rule++) {
            cairn_program *program = lay_out(c.queues, rule);

            check_program(&state, program);
            cairn_program_destroy(&program);
        }
    }
}

static cairn_status nothing(void *argument)
{
    (void)argument;
    return CAIRN_OK;
}

/// A task for every cell of a square that needs the cells above and to the left; @p cut:
/// rows from that one on are on queue 1, or, if 0, the fields of a checkerboard.
static void make_stencil(int n, int cut)
{
    cairn_handle handle;

    for (int k = 0; k < n * n; k++)
        cr_assert_eq(cairn_graph_add_handle(graph, &handle), CAIRN_OK);
    for (int k = 0; k < n * n; k++) {
        const int        i = k / n, j = k % n;
        const cairn_task task = {.run = nothing, .queue = cut ? i >= cut : (i + j) % 2};
        cairn_access     access[3] = {
                {(cairn_handle)k, CAIRN_READ_WRITE}
        };
        int m = 1;

        if (i) access[m++] = (cairn_access){(cairn_handle)(k - n), CAIRN_READ};
        if (j) access[m++] = (cairn_access){(cairn_handle)(k - 1), CAIRN_READ};
        cr_assert_eq(cairn_graph_add(graph, &task, access, m, NULL), CAIRN_OK);
    }
}

Test(program, a_stencil_in_blocks_waits_once_a_column)
{
    make_stencil(141, 70);
    cairn_program *program = lay_out(2, CAIRN_ORDER_URGENT);

    cr_expect_eq(cairn_order_crossings(graph), 141);
    cr_expect_eq(program->queue[0].needs, 0);
    cr_expect_eq(program->queue[1].needs, 141);
    cr_expect_eq(program->queue[0].segments, 141);
    cr_expect_eq(program->span, 71 * 141);
    cairn_program_destroy(&program);
}

Test(program, the_boundary_comes_before_the_interior)
{
    make_stencil(40, 20);
    cairn_program *program = lay_out(2, CAIRN_ORDER_URGENT);

    /* Column by column, so that the second queue starts after 20 tasks, not after 761. */
    for (uint32_t j = 0; j < 40; j++)
        cr_expect_eq(program->queue[0].segment[j].publish, 20 * (j + 1));
    cairn_program_destroy(&program);
    program = lay_out(2, CAIRN_ORDER_SUBMITTED);
    cr_expect_eq(program->queue[0].segment[0].publish, 19 * 40 + 1);
    cairn_program_destroy(&program);
}

Test(program, a_queue_alone_has_one_segment_in_the_order_of_submission)
{
    make_stencil(10, 100);
    cairn_program *program = lay_out(1, CAIRN_ORDER_URGENT);

    cr_expect_eq(program->queue[0].segments, 1);
    cr_expect_eq(program->queue[0].segment[0].publish, 0);
    for (uint32_t k = 0; k < 100; k++)
        cr_expect_eq(program->queue[0].task[k], k);
    cairn_program_destroy(&program);
}

Test(program, what_another_queue_waited_for_is_not_waited_for_again)
{
    /* 0 on queue 0; 1 on queue 1 needs it; 2 on queue 2 needs both. */
    static const cairn_access access[3][2] = {
        {{0, CAIRN_WRITE} },
        { {0, CAIRN_READ}, {1, CAIRN_WRITE}},
        { {0, CAIRN_READ},  {1, CAIRN_READ}},
    };
    cairn_handle handle;

    for (int k = 0; k < 2; k++)
        cr_assert_eq(cairn_graph_add_handle(graph, &handle), CAIRN_OK);
    for (int t = 0; t < 3; t++) {
        const cairn_task task = {.run = nothing, .queue = t};

        cr_assert_eq(cairn_graph_add(graph, &task, access[t], t ? 2 : 1, NULL),
                     CAIRN_OK);
    }
    cairn_program *program = lay_out(3, CAIRN_ORDER_URGENT);

    cr_expect_eq(program->queue[1].needs, 1);
    cr_expect_eq(program->queue[2].needs, 1);
    cr_expect_eq(program->queue[2].need[0].queue, 1);
    cairn_program_destroy(&program);
}

Test(program, refuses_queues_that_are_none)
{
    const cairn_task task    = {.run = nothing, .queue = CAIRN_NO_QUEUE, .label = "x"};
    cairn_program   *program = NULL;

    cr_expect_eq(cairn_program_create(graph, 0, 0, &program), CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_program_create(graph, CAIRN_MOST_QUEUES + 1, 0, &program),
                 CAIRN_BAD_ARGUMENT);
    cr_assert_eq(cairn_graph_add(graph, &task, NULL, 0, NULL), CAIRN_OK);
    cr_expect_eq(cairn_program_create(graph, 2, 0, &program), CAIRN_BAD_ARGUMENT);
    cr_expect_str_eq(env.message, "program: task 0 (x): queue -1 of 2");
    graph->task[0].queue = 2;
    cr_expect_eq(cairn_program_create(graph, 2, 0, &program), CAIRN_BAD_ARGUMENT);
    cr_expect_null(program);
    graph->task[0].queue = 1;
    program              = lay_out(2, CAIRN_ORDER_URGENT);
    cr_expect_eq(program->queue[0].steps + program->queue[0].segments, 0);
    cairn_program_destroy(&program);
}

Test(program, of_no_tasks_is_empty)
{
    cairn_program *program = lay_out(3, CAIRN_ORDER_URGENT);

    cr_expect_eq(program->tasks + program->span, 0);
    cairn_program_destroy(&program);
}

Test(program, survives_every_failed_allocation)
{
    static task_case c;
    uint64_t         state   = 3;
    cairn_program   *program = NULL;

    do
        case_draw(&state, &c);
    while (c.tasks < 100 || c.queues < 3);
    cr_assert_eq(case_submit(&state, &c, graph), CAIRN_OK);
    CAIRN_BRUTAL_AND(
        &env, cairn_program_create(graph, c.queues, CAIRN_ORDER_URGENT, &program),
        program == NULL);
    cairn_program_destroy(&program);
}
