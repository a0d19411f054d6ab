// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Traces: what is written is JSON with one bar for every task that ran, on its track, with
/// its clock; a full ring says what it dropped; graphs go when nothing speaks of them.

#include "sched/trace.h"
#include "support/brutal.h"

#include <jansson.h>
#include <math.h>

static cairn_env    env;
static cairn_graph *graph;
static cairn_trace *trace;
static double       model[2] = {3e-6, 2e-6};

static const char *const names[2] = {"cpu:0", "pim \"0\"\xff"};

static cairn_status nothing(void *argument)
{
    (void)argument;
    return CAIRN_OK;
}

/// Two tasks on the processor, two on a device with a clock of its own.
static void make_graph(void)
{
    const cairn_task task[4] = {
        {.run = nothing,         .label = "spmv \"a\\b\"\n", .kind = "kernel", .bytes = 800         },
        {.run = nothing,         .queue = 1,                 .label = "one",   .modelled = &model[0]},
        {.run = nothing        },
        {.run = nothing, .queue = 1,                           .label = "two",                              .modelled = &model[1]                                        },
    };

    for (int t = 0; t < 4; t++)
        cr_assert_eq(cairn_graph_add(graph, &task[t], NULL, 0, NULL), CAIRN_OK);
}

static cairn_status make_trace(int64_t events)
{
    return cairn_trace_create(
        &env,
        &(cairn_trace_options){
            .rank = 3, .origin = 100, .events = events, .queues = 2, .name = names},
        &trace);
}

static void up(void)
{
    cairn_env_init(&env);
    cr_assert_eq(cairn_graph_create(&env, &graph), CAIRN_OK);
    make_graph();
}

static void down(void)
{
    cairn_trace_destroy(&trace);
    cairn_graph_destroy(&graph);
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(trace, .init = up, .fini = down, .timeout = 120);

/// Print the events as a file of one rank has them.
static cairn_status print_all(char **all)
{
    cairn_text text;

    cairn_text_init(&text, &env);
    cairn_text_add(&text,
                   "{\"otherData\":{\"kept\":%ld,\"dropped\":%ld},\"traceEvents\":[",
                   (long)cairn_trace_kept(trace), (long)cairn_trace_dropped(trace));
    cairn_trace_print_events(trace, &text);
    cairn_text_add(&text, "]}");
    if (text.status == CAIRN_OK) return cairn_text_take(&text, all);
    const cairn_status status = text.status;

    cairn_text_fini(&text);
    return status;
}

/// Print the trace and read it by the library, which refuses what is no JSON.
static json_t *written(void)
{
    json_error_t error;
    char        *text = NULL;

    cr_assert_eq(print_all(&text), CAIRN_OK, "%s", env.message);
    json_t *const all = json_loads(text, JSON_REJECT_DUPLICATES, &error);

    cairn_free(&env, text);

    cr_assert(all != NULL, "line %d: %s", error.line, error.text);
    return all;
}

/// The k-th event of a kind ('X', 'M', 'i'), or NULL.
static json_t *event_of(const json_t *all, const char *ph, int k)
{
    const json_t *const events = json_object_get(all, "traceEvents");

    for (size_t i = 0; i < json_array_size(events); i++) {
        json_t *const event = json_array_get(events, i);

        if (strcmp(json_string_value(json_object_get(event, "ph")), ph) == 0
            && k-- == 0)
            return event;
    }
    return NULL;
}

static const char *text_of(const json_t *event, const char *key)
{
    return json_string_value(json_object_get(event, key));
}

static double number_of(const json_t *event, const char *key)
{
    return json_number_value(json_object_get(event, key));
}

/// What a bar must be: where, from when and for how long, in microseconds.
typedef struct {
    const char *name, *cat, *clock;
    int         tid;
    double      ts, dur;
} bar;

static void check_bar(const json_t *event, const bar *b)
{
    const json_t *const args = json_object_get(event, "args");

    cr_expect_str_eq(text_of(event, "name"), b->name);
    cr_expect_str_eq(text_of(event, "cat"), b->cat);
    cr_expect_str_eq(text_of(args, "clock"), b->clock);
    cr_expect_eq(number_of(event, "pid"), 3);
    cr_expect_eq(number_of(event, "tid"), b->tid, "%s", b->name);
    cr_expect_lt(fabs(number_of(event, "ts") - b->ts), 1e-9, "%s: %g", b->name,
                 number_of(event, "ts"));
    cr_expect_lt(fabs(number_of(event, "dur") - b->dur), 1e-9, "%s: %g", b->name,
                 number_of(event, "dur"));
    cr_expect_eq(number_of(args, "iteration"), 7);
}

Test(trace, has_a_bar_for_every_task)
{
    /* 1.5 us after the origin and so on; the second bar of the model waits for its first. */
    static const cairn_task_time time[4] = {
        {100 + 2e-6,   100 + 3.25e-6},
        {100 + 1.5e-6, 100 + 1.75e-6},
        {99.5,         99.75        },
        {100 + 2.5e-6, 100 + 4e-6   }
    };
    static const bar bars[4] = {
        {"task",            "task",   "measured",  0, -500000, 250000},
        {"one",             "task",   "simulated", 3, 1.5,     3     },
        {"spmv \"a\\b\"\n", "kernel", "measured",  0, 2,       1.25  },
        {"two",             "task",   "simulated", 3, 4.5,     2     },
    };

    cr_assert_eq(make_trace(10), CAIRN_OK);
    cr_assert_eq(cairn_trace_begin(trace, graph), CAIRN_OK);
    cairn_graph_destroy(&graph);
    cairn_trace_add(trace, time, 7);
    json_t *const all = written();

    for (int k = 0; k < 4; k++)
        check_bar(event_of(all, "X", k), &bars[k]);
    cr_expect_null(event_of(all, "X", 4));
    cr_expect_null(event_of(all, "i", 0));
    cr_expect_eq(number_of(json_object_get(event_of(all, "X", 2), "args"), "bytes"),
                 800);
    cr_expect_eq(number_of(json_object_get(event_of(all, "X", 2), "args"), "task"), 0);
    cr_expect_eq(number_of(json_object_get(all, "otherData"), "dropped"), 0);
    json_decref(all);
}

Test(trace, names_ranks_queues_and_clocks)
{
    static const char *const     expect[4] = {"rank 3", "cpu:0", "pim \"0\"?",
                                              "pim \"0\"? (simulated clock)"};
    static const cairn_task_time time[4]   = {
          {101, 102},
          {101, 102},
          {0,   0  },
          {0,   0  }
    };

    cr_assert_eq(make_trace(10), CAIRN_OK);
    cr_assert_eq(cairn_trace_begin(trace, graph), CAIRN_OK);
    cairn_trace_add(trace, time, 0);
    cr_expect_eq(cairn_trace_kept(trace), 2, "two were skipped");
    json_t *const all = written();

    for (int k = 0; k < 4; k++)
        cr_expect_str_eq(
            text_of(json_object_get(event_of(all, "M", k), "args"), "name"), expect[k]);
    cr_expect_null(event_of(all, "M", 4));
    json_decref(all);
}

Test(trace, keeps_the_last_and_says_what_it_dropped)
{
    cairn_task_time time[4];
    const int64_t   blocks = env.live_blocks;

    cr_assert_eq(make_trace(6), CAIRN_OK);
    const int64_t held = env.live_blocks;

    for (int replay = 0; replay < 50; replay++) {
        /* A new graph each time: those of which nothing is kept go. */
        cr_assert_eq(cairn_trace_begin(trace, graph), CAIRN_OK);
        for (int t = 0; t < 4; t++)
            time[t] = (cairn_task_time){101 + replay + 0.1 * t, 101.1 + replay};
        cairn_trace_add(trace, time, replay);
    }
    cr_expect_leq(env.live_blocks, held + 3 * 3);
    cr_expect_eq(cairn_trace_kept(trace), 6);
    cr_expect_eq(cairn_trace_dropped(trace), 194);
    json_t *const all = written();

    for (int k = 0; k < 6; k++)
        cr_expect_eq(
            number_of(json_object_get(event_of(all, "X", k), "args"), "iteration"),
            k < 2 ? 48 : 49);
    cr_expect_str_eq(text_of(event_of(all, "i", 0), "name"),
                     "194 events before this were dropped");
    cr_expect_eq(number_of(json_object_get(all, "otherData"), "dropped"), 194);
    json_decref(all);
    cairn_trace_destroy(&trace);
    cr_expect_eq(env.live_blocks, blocks);
}

Test(trace, without_events_is_whole_json)
{
    cr_assert_eq(make_trace(1), CAIRN_OK);
    json_t *const all = written();

    cr_expect_null(event_of(all, "X", 0));
    cr_expect_eq(json_array_size(json_object_get(all, "traceEvents")), 3);
    json_decref(all);
}

Test(trace, records_replays_of_an_engine)
{
    cairn_task_time time[4];
    cairn_program  *program;
    cairn_engine   *engine;

    cr_assert_eq(make_trace(100), CAIRN_OK);
    cr_assert_eq(cairn_program_create(graph, 2, CAIRN_ORDER_URGENT, &program),
                 CAIRN_OK);
    cr_assert_eq(
        cairn_engine_create(&env, &(cairn_engine_options){.queues = 2}, &engine),
        CAIRN_OK);
    cr_assert_eq(cairn_engine_load(engine, program), CAIRN_OK);
    cr_assert_eq(cairn_trace_begin(trace, graph), CAIRN_OK);
    cairn_engine_record(engine, time);
    for (int k = 0; k < 3; k++) {
        cr_assert_eq(cairn_engine_run(engine, NULL), CAIRN_OK);
        cairn_trace_add(trace, time, k);
    }
    cairn_engine_destroy(&engine);
    cairn_program_destroy(&program);
    json_t *const all = written();

    cr_expect_eq(cairn_trace_kept(trace), 12);
    cr_expect(event_of(all, "X", 11) != NULL);
    json_decref(all);
}

Test(trace, refuses_what_is_none)
{
    cairn_trace_options options = {.events = 0, .queues = 2, .name = names};

    cr_expect_eq(cairn_trace_create(&env, &options, &trace), CAIRN_BAD_ARGUMENT);
    options = (cairn_trace_options){.events = 1, .queues = 1, .name = names};
    cr_assert_eq(cairn_trace_create(&env, &options, &trace), CAIRN_OK);
    cr_expect_eq(cairn_trace_begin(trace, graph), CAIRN_BAD_ARGUMENT);
    cr_expect_str_eq(env.message, "trace: task 1: queue 1 of 1");
}

Test(trace, survives_every_failed_allocation)
{
    static const cairn_task_time time[4] = {
        {101, 102},
        {101, 102},
        {101, 102},
        {101, 102}
    };

    CAIRN_BRUTAL_AND(&env, make_trace(10), trace == NULL);
    CAIRN_BRUTAL(&env, cairn_trace_begin(trace, graph));
    cairn_trace_add(trace, time, 0);
    char *text = NULL;

    CAIRN_BRUTAL(&env, print_all(&text));
    cairn_free(&env, text);
}

/// What a task waited for is a bar of its own, behind the clocks' tracks, as long as it was
/// under way; one that did not happen is none.
Test(trace, what_is_under_way_has_a_track)
{
    static cairn_task_time flight = {100.25, 100.75};
    const cairn_task_time  time[] = {
         {100.5, 101},
         {100.5, 101}
    };
    const cairn_task task = {.run    = nothing,
                             .label  = "rows",
                             .kind   = "arrival",
                             .flight = &flight,
                             .bytes  = 24};

    cairn_graph_clear(graph);
    for (int k = 0; k < 2; k++)
        cr_assert_eq(cairn_graph_add(graph, &task, NULL, 0, NULL), CAIRN_OK);
    graph->task[1].flight = &(cairn_task_time){0};
    cr_assert_eq(make_trace(10), CAIRN_OK);
    cr_assert_eq(cairn_trace_begin(trace, graph), CAIRN_OK);
    cairn_trace_add(trace, time, 7);
    cr_expect_eq(cairn_trace_kept(trace), 3);
    json_t *const       all   = written();
    const json_t *const event = event_of(all, "X", 0);
    const bar           want  = {"rows", "message", "measured", 4, 250000, 500000};

    check_bar(event, &want);
    cr_expect_eq(number_of(json_object_get(event, "args"), "bytes"), 24);
    cr_expect_eq(number_of(json_object_get(event, "args"), "task"), 0);
    cr_expect_str_eq(text_of(event_of(all, "X", 1), "cat"), "arrival");
    cr_expect_null(event_of(all, "X", 3));
    json_decref(all);
}
