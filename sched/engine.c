// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Replaying. A queue's counter is at `base` + steps done; base grows with every replay
/// by more than any queue has steps, so that no counter of the last one is taken for
/// one of this. What a thread reads of the engine, the caller wrote before it advanced
/// the thread's `go`, and writes again only when the thread's last segment has
/// published.

#include "sched/engine.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#define NO_FAILURE UINT64_MAX

/// What queues tell each other.
typedef struct {
    cairn_counter done; ///< Steps.
    cairn_counter go;   ///< Replays that it takes part in; the last one ends it.
    uint32_t      base; ///< Of the replay that `go` starts.
} signals;

typedef struct {
    signals      *tell;
    cairn_engine *engine;
    int           self;
    pthread_t     thread;
    bool          started;
} queue_state;

/// Cores of a thread; `bound` false: wherever it is.
typedef struct {
    bool bound;
#ifdef __linux__
    cpu_set_t cores;
#endif
} core_mask;

struct cairn_engine {
    cairn_env           *env;
    int                  queues;
    cairn_waiting        waiting;
    const cairn_program *program;
    cairn_task_time     *time;
    bool                 ends;
    core_mask            own;   ///< Of the caller's thread while it replays.
    void                *block; ///< Of all signals.
    queue_state         *queue; ///< [queues]
    /* Each on a line of its own: threads read what is above, and this in every segment,
       which the caller writes only after a failure, */
    _Alignas(64) _Atomic uint64_t failure; ///< Task, then the status below 0, negated.
    /* and this is the caller's alone, who writes it in every replay. */
    _Alignas(64) uint32_t base; ///< Of the next replay.
};

/// Note a failure, unless one of a task submitted earlier is known.
static void note(cairn_engine *engine, uint32_t task, cairn_status status)
{
    const uint64_t mine = (uint64_t)task << 32 | (uint32_t) - (int)status;
    uint64_t       seen = atomic_load(&engine->failure);

    assert(status < CAIRN_OK); /* its negative is in the word */

    while (mine < seen && !atomic_compare_exchange_weak(&engine->failure, &seen, mine))
        ;
}

static inline bool has_failed(const cairn_engine *engine)
{
    return atomic_load_explicit(&engine->failure, memory_order_relaxed) != NO_FAILURE;
}

static inline void await_needs(cairn_engine           *engine,
                               const cairn_queue_need *need,
                               uint32_t                needs,
                               uint32_t                base)
{
    for (const cairn_queue_need *end = need + needs; need < end; need++)
        cairn_counter_wait(&engine->queue[need->queue].tell->done, base + need->at,
                           &engine->waiting);
}

/// Run steps until one fails. @return how many succeeded.
static inline uint32_t
run_steps(const cairn_queue_step *step, uint32_t steps, cairn_status *status)
{
    for (uint32_t k = 0; k < steps; k++) {
        *status = step[k].run(step[k].argument);
        if (__builtin_expect(*status != CAIRN_OK, 0)) return k;
    }
    return steps;
}

/// Run, of the queue's steps first..end-1, those that no failure skips.
static void run_always(cairn_engine              *engine,
                       const cairn_queue_program *program,
                       uint32_t                   first,
                       uint32_t                   end)
{
    for (uint32_t k = first; k < end; k++) {
        cairn_task_time *const time =
            engine->time ? &engine->time[program->task[k]] : NULL;

        if (time) *time = (cairn_task_time){0};
        if (!program->always[k]) continue;
        if (time) time->begin = cairn_seconds();
        const cairn_status status = program->step[k].run(program->step[k].argument);

        if (time) time->end = cairn_seconds();
        if (status != CAIRN_OK) note(engine, program->task[k], status);
    }
}

static void
run_queue(cairn_engine *engine, const cairn_queue_program *program, int self)
{
    const uint32_t          base = engine->queue[self].tell->base;
    const cairn_queue_need *need = program->need;
    uint32_t                k    = 0;

    for (const cairn_queue_segment *s = program->segment, *end = s + program->segments;
         s < end; s++) {
        const uint32_t next = k + s->steps;

        await_needs(engine, need, s->needs, base);
        need += s->needs;
        if (!has_failed(engine)) {
            cairn_status status = CAIRN_OK;

            k += run_steps(program->step + k, s->steps, &status);
            if (k < next) note(engine, program->task[k++], status);
        }
        if (k < next) run_always(engine, program, k, next);
        k = next;
        if (s->publish)
            cairn_counter_advance(&engine->queue[self].tell->done, base + s->publish);
    }
}

/// As run_steps(), and record; one look at the clock is the end of a step and the begin
/// of the next.
static uint32_t record_steps(const cairn_engine     *engine,
                             const cairn_queue_step *step,
                             const uint32_t         *task,
                             uint32_t                steps,
                             cairn_status           *status)
{
    double   now  = cairn_seconds();
    uint32_t good = 0;

    for (bool fails = false; good < steps && !fails; good += !fails) {
        cairn_task_time *const time = &engine->time[task[good]];

        *status     = step[good].run(step[good].argument);
        fails       = *status != CAIRN_OK;
        time->begin = now;
        time->end = now = cairn_seconds();
    }
    return good;
}

/// As run_queue(), and record.
static void
record_queue(cairn_engine *engine, const cairn_queue_program *program, int self)
{
    const uint32_t          base = engine->queue[self].tell->base;
    const cairn_queue_need *need = program->need;
    uint32_t                k    = 0;

    for (uint32_t g = 0; g < program->segments; g++) {
        const cairn_queue_segment *const s    = &program->segment[g];
        const uint32_t                   next = k + s->steps;

        await_needs(engine, need, s->needs, base);
        need += s->needs;
        if (!has_failed(engine)) {
            cairn_status status = CAIRN_OK;

            k += record_steps(engine, program->step + k, program->task + k, s->steps,
                              &status);
            if (k < next) note(engine, program->task[k++], status);
        }
        if (k < next) run_always(engine, program, k, next);
        k = next;
        if (s->publish)
            cairn_counter_advance(&engine->queue[self].tell->done, base + s->publish);
    }
}

static void take_part(cairn_engine *engine, int self)
{
    const cairn_queue_program *const program = &engine->program->queue[self];

    if (engine->time)
        record_queue(engine, program, self);
    else
        run_queue(engine, program, self);
}

static void *serve_queue(void *given)
{
    queue_state *const  queue   = given;
    cairn_engine *const engine  = queue->engine;
    const cairn_waiting waiting = engine->waiting;

    for (uint32_t replay = 1;; replay++) {
        cairn_counter_wait(&queue->tell->go, replay, &waiting);
        if (engine->ends) return NULL;
        take_part(engine, queue->self);
    }
}

/// Start the queues that have something to do, but for the caller's.
static void start_queues(cairn_engine *engine, const cairn_program *program)
{
    engine->queue[0].tell->base = engine->base;
    for (int q = 1; q < program->queues; q++) {
        signals *const tell = engine->queue[q].tell;

        if (!program->queue[q].steps) continue;
        assert(engine->queue[q].started);
        tell->base = engine->base;
        cairn_counter_advance(
            &tell->go, 1 + atomic_load_explicit(&tell->go.now, memory_order_relaxed));
    }
}

/// Wait until they have done it. A caller that had nothing to do gives its core away, for
/// it may be one of theirs.
static void join_queues(cairn_engine *engine, const cairn_program *program)
{
    static const cairn_waiting idle = {.spins = 4, .yields = 100};
    const cairn_waiting *waiting = program->queue[0].steps ? &engine->waiting : &idle;

    for (int q = 1; q < program->queues; q++)
        if (program->queue[q].steps)
            cairn_counter_wait(&engine->queue[q].tell->done,
                               engine->base + program->queue[q].steps, waiting);
    engine->base += program->span + 1;
}

#ifdef __linux__
/// @return false: some core is none.
static bool make_mask(const cairn_core_set *set, core_mask *mask)
{
    CPU_ZERO(&mask->cores);
    for (int k = 0; k < set->cores; k++) {
        if (set->core[k] < 0 || set->core[k] >= CPU_SETSIZE) return false;
        CPU_SET((size_t)set->core[k], &mask->cores);
    }
    mask->bound = set->cores > 0;
    return true;
}

/// Let a thread run on these cores alone.
static cairn_status pin(cairn_env *env, queue_state *queue, const cairn_core_set *set)
{
    core_mask  mask;
    const bool valid =
        make_mask(set, &mask)
        && pthread_setaffinity_np(queue->thread, sizeof mask.cores, &mask.cores) == 0;

    CAIRN_CHECK(valid, env, CAIRN_BAD_ARGUMENT,
                "engine: queue %d: its %d cores, from %d on, are not this process's",
                queue->self, set->cores, set->core[0]);
    return CAIRN_OK;
}

/// The caller's thread goes where it is to be in a replay. @return Where it was.
static core_mask bind_caller(const core_mask *own)
{
    core_mask was = {.bound = false};

    if (own->bound && sched_getaffinity(0, sizeof was.cores, &was.cores) == 0)
        was.bound = sched_setaffinity(0, sizeof own->cores, &own->cores) == 0;
    return was;
}

static void release_caller(const core_mask *was)
{
    if (was->bound) sched_setaffinity(0, sizeof was->cores, &was->cores);
}
#else
/// Where threads cannot be pinned, they run anywhere.
static bool make_mask(const cairn_core_set *set, core_mask *mask)
{
    (void)set;
    *mask = (core_mask){.bound = false};
    return true;
}

static cairn_status pin(cairn_env *env, queue_state *queue, const cairn_core_set *set)
{
    (void)env, (void)queue, (void)set;
    return CAIRN_OK;
}

static core_mask bind_caller(const core_mask *own)
{
    return *own;
}

static void release_caller(const core_mask *was)
{
    (void)was;
}
#endif

static cairn_status start_threads(cairn_engine               *engine,
                                  const cairn_engine_options *options)
{
    if (options->pin)
        CAIRN_CHECK(make_mask(&options->pin[0], &engine->own), engine->env,
                    CAIRN_BAD_ARGUMENT, "engine: queue 0: its cores are none");
    for (int q = 1; q < engine->queues; q++) {
        queue_state *const queue = &engine->queue[q];
        const int error = pthread_create(&queue->thread, NULL, serve_queue, queue);

        CAIRN_CHECK(error == 0, engine->env, CAIRN_NO_MEMORY,
                    "engine: thread of queue %d: %s", q, strerror(error));
        queue->started = true;
        if (options->pin && options->pin[q].cores > 0)
            CAIRN_TRY(pin(engine->env, queue, &options->pin[q]));
    }
    return CAIRN_OK;
}

/// Allocate the queues and their signals. Those of two queues share a line of the
/// cache: a hop then moves one line to who reads and writes it next, instead of taking
/// one away and fetching another (50 against 144 ns between two cores of a Sapphire
/// Rapids). Of more, each has its own pair of lines, lest two that talk disturb a third
/// that waits.
static cairn_status make_queues(cairn_engine               *engine,
                                const cairn_engine_options *options)
{
    const size_t grain  = 128;
    const size_t stride = engine->queues > 2
                              ? (sizeof(signals) + grain - 1) / grain * grain
                              : sizeof(signals);
    const size_t bytes  = (size_t)engine->queues * stride + 2 * grain;

    CAIRN_TRY(CAIRN_NEW_ZERO(engine->env, engine->queues, &engine->queue));
    CAIRN_TRY(cairn_alloc_zero(engine->env, (int64_t)bytes, 1, &engine->block));
    char *const first =
        (char *)(((uintptr_t)engine->block + grain - 1) / grain * grain);

    for (int q = 0; q < engine->queues; q++) {
        queue_state *const queue = &engine->queue[q];

        queue->engine = engine;
        queue->self   = q;
        queue->tell   = (signals *)(void *)(first + (size_t)q * stride);
        cairn_counter_init(&queue->tell->done, options->base);
        cairn_counter_init(&queue->tell->go, 0);
    }
    return CAIRN_OK;
}

cairn_status cairn_engine_create(cairn_env                  *env,
                                 const cairn_engine_options *options,
                                 cairn_engine              **engine)
{
    cairn_engine *fresh;

    CAIRN_CHECK(options->queues >= 1 && options->queues <= CAIRN_MOST_QUEUES, env,
                CAIRN_BAD_ARGUMENT, "engine: %d queues: not 1..%d", options->queues,
                CAIRN_MOST_QUEUES);
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    fresh->env    = env;
    fresh->queues = options->queues;
    fresh->base   = options->base;
    atomic_init(&fresh->failure, NO_FAILURE);
    fresh->waiting =
        options->waiting
            ? *options->waiting
            : cairn_waiting_choose(
                options->threads ? options->threads : options->queues, options->cores);
    cairn_status status = make_queues(fresh, options);

    if (status == CAIRN_OK) status = start_threads(fresh, options);
    if (status == CAIRN_OK)
        *engine = fresh;
    else
        cairn_engine_destroy(&fresh);
    return status;
}

void cairn_engine_destroy(cairn_engine **engine)
{
    cairn_engine *const e = *engine;

    if (!e) return;
    assert(!e->ends);
    e->ends = true;
    for (int q = 0; e->block && q < e->queues; q++) {
        queue_state *const queue = &e->queue[q];

        if (queue->started) {
            const uint32_t last =
                atomic_load_explicit(&queue->tell->go.now, memory_order_relaxed);

            cairn_counter_advance(&queue->tell->go, last + 1);
            pthread_join(queue->thread, NULL);
        }
        cairn_counter_fini(&queue->tell->done);
        cairn_counter_fini(&queue->tell->go);
    }
    cairn_free(e->env, e->block);
    cairn_free(e->env, e->queue);
    cairn_free(e->env, e);
    *engine = NULL;
}

cairn_status cairn_engine_run(cairn_engine *engine, uint32_t *failed)
{
    const cairn_program *const program = engine->program;

    if (has_failed(engine)) /* last time */
        atomic_store_explicit(&engine->failure, NO_FAILURE, memory_order_relaxed);
    if (program) {
        assert(program->queues <= engine->queues && !engine->ends);
        start_queues(engine, program);
        const core_mask was = bind_caller(&engine->own);

        take_part(engine, 0);
        join_queues(engine, program);
        release_caller(&was);
    }
    const uint64_t failure =
        atomic_load_explicit(&engine->failure, memory_order_relaxed);

    if (failed)
        *failed = failure == NO_FAILURE ? CAIRN_NO_TASK : (uint32_t)(failure >> 32);
    return failure == NO_FAILURE ? CAIRN_OK : (cairn_status) - (int)(uint32_t)failure;
}

cairn_status cairn_engine_load(cairn_engine *engine, const cairn_program *program)
{
    CAIRN_CHECK(!program || program->queues <= engine->queues, engine->env,
                CAIRN_BAD_ARGUMENT, "engine: a program of %d queues: it has %d",
                program->queues, engine->queues);
    engine->program = program;
    /* Counters that no queue has read for long are moved on, lest they look as if they
       were ahead. */
    for (int q = 0; q < engine->queues; q++)
        atomic_store_explicit(&engine->queue[q].tell->done.now, engine->base,
                              memory_order_relaxed);
    return CAIRN_OK;
}

void cairn_engine_record(cairn_engine *engine, cairn_task_time *time)
{
    engine->time = time;
}
