// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Filling as tasks, one a member, taken by threads that are free: those of one thread
/// are begun first, the longest before the others as their passes are predicted; ranges
/// of the others fill the gaps. Predictions are off by up to a factor of three, so that nothing
/// is laid out ahead: the threads are OpenMP's, as those of the passes' functions are,
/// and not an engine's, whose queues know their tasks before (docs/design.md has what
/// was measured).

#include "convert/build_steps.h"
#include "convert/compiled.h"

#define KIND "convert" /* of tasks, in traces */

typedef struct {
    cairn_env          *env;
    const cairn_build  *build;
    cairn_member_build *m;
    const cairn_group  *group; ///< [members]
    int                 members;
    int          task[CAIRN_MAX_MEMBERS]; ///< Member of each task, as they are begun.
    int          tasks;
    cairn_status status[CAIRN_MAX_MEMBERS];
    cairn_message_slot *voice; ///< [members]
    pthread_t           thread[CAIRN_MAX_MEMBERS];
    double              cost[CAIRN_MAX_MEMBERS]; ///< Predicted seconds; 0: unknown.
    cairn_task_time     time[CAIRN_MAX_MEMBERS];
} filling;

/* ---- what was done when ---- */

/// Bytes of the source: of arrays, or of coordinates and values.
static int64_t source_bytes(const cairn_build *build)
{
    const cairn_local *from  = build->from;
    int64_t            bytes = 0;

    if (!from) return build->entries->n * cairn_entry_bytes(build->shape.order);
    for (int g = 0; g < from->groups; g++)
        bytes += from->group[g].bytes;
    return bytes;
}

/// Note a task.
static void note(const cairn_build *build, const cairn_logged_task *task)
{
    if (build->report.log) cairn_task_log_add(build->report.log, task);
}

void cairn_build_note(const cairn_build *build,
                      const char        *what,
                      int                member,
                      bool               looks,
                      double             begin)
{
    note(build, &(cairn_logged_task){
                    .task   = {.label = what,
                               .kind  = KIND,
                               .bytes = looks ? source_bytes(build) : 0},
                    .number = member,
                    .time   = {begin,             cairn_seconds()      },
    });
}

/// The number of the thread that filled a member.
static int thread_of(const filling *f, int member)
{
    pthread_t known[1 + CAIRN_MAX_MEMBERS] = {pthread_self()};
    int       count                        = 1;

    for (int k = 0; k <= member; k++) {
        int t = 0;

        while (t < count && !pthread_equal(known[t], f->thread[k]))
            t++;
        if (t == count) known[count++] = f->thread[k];
        if (k == member) return t;
    }
    return 0;
}

static void note_all(const filling *f)
{
    for (int k = 0; k < f->members; k++)
        note(f->build, &(cairn_logged_task){
                           .task   = {.label = "fill",
                                      .kind  = KIND,
                                      .cost  = f->cost[k],
                                      .bytes = source_bytes(f->build) + f->group[k].bytes
                                               - 2 * f->group[k].shared,
                                      .queue = thread_of(f, k)},
                           .number = k,
                           .time   = f->time[k],
        });
}

/* ---- filling ---- */

enum { AHEAD = 2, LINE = 64 }; /* banks, bytes */

/// Of many banks ask for what describes the next ones: it lies further apart than machines
/// look ahead by themselves.
static void look_ahead(const cairn_member_build *m, int64_t bank)
{
    if (bank + AHEAD >= m->layout->banks) return;
    const cairn_part *const part = &m->part[bank + AHEAD];
    const char *const       end  = (const char *)&part->view.level[m->layout->levels];

    for (const char *at = (const char *)part; at < end; at += LINE)
        __builtin_prefetch(at);
    __builtin_prefetch(&part->view.val);
}

static cairn_status fill_banks(cairn_member_build *m)
{
    for (int64_t bank = 0; bank < m->layout->banks; bank++) {
        look_ahead(m, bank);
        CAIRN_TRY(m->compiled ? cairn_compiled_fill(m->compiled, bank, &m->part[bank])
                              : cairn_build_fill(m, bank, &m->part[bank]));
    }
    return CAIRN_OK;
}

/// Fill a member, on any thread.
static void fill_member(filling *f, int member)
{
    f->thread[member]     = pthread_self();
    f->time[member].begin = cairn_seconds();
    cairn_message_slot_begin(f->env, &f->voice[member]);
    f->status[member] = fill_banks(&f->m[member]);
    cairn_message_slot_end(f->env, &f->voice[member]);
    f->time[member].end = cairn_seconds();
}

/// Is a member one thread's, whatever there is?
static bool is_narrow(const cairn_member_build *m)
{
    return !m->compiled || m->compiled->ranges.n <= 1;
}

/// A card is one thread's at a time.
static bool is_on_card(const cairn_member_build *m)
{
    return m->compiled && m->compiled->program.card;
}

/// Predict the seconds that a member takes by its passes.
static void predict(filling *f, int member)
{
    const cairn_compiled *c = f->m[member].compiled;
    cairn_alternative     its;

    if (!c) return;
    cairn_pass_list_predict(&c->program.list, f->build->loader->moves, c->facts.entries,
                            &its);
    f->cost[member] = its.seconds;
}

/// Does member @p a take longer than @p b? The reference way, of which nothing is
/// predicted, takes longest.
static bool takes_longer(const filling *f, int a, int b)
{
    const bool known = f->m[a].compiled, other = f->m[b].compiled;

    return known == other ? f->cost[a] > f->cost[b] : other;
}

/// Insert a member behind those that take no less, from task @p first on.
static void insert_task(filling *f, int first, int member)
{
    int at = f->tasks++;

    for (; at > first && takes_longer(f, member, f->task[at - 1]); at--)
        f->task[at] = f->task[at - 1];
    f->task[at] = member;
}

/// List the members that can be filled at the same time, those of one thread first.
static void list_tasks(filling *f)
{
    for (int k = 0; k < f->members; k++)
        if (is_narrow(&f->m[k]) && !is_on_card(&f->m[k])) insert_task(f, 0, k);

    const int narrow = f->tasks;

    for (int k = 0; k < f->members; k++)
        if (!is_narrow(&f->m[k]) && !is_on_card(&f->m[k])
            && cairn_compiled_fits_beside(f->m[k].compiled))
            insert_task(f, narrow, k);
}

/// Have the team fill them. All of its threads come here; one makes the tasks.
static void give_out(filling *f)
{
#pragma omp single
    for (int k = 0; k < f->tasks; k++) {
#pragma omp task firstprivate(k)
        fill_member(f, f->task[k]);
    }
}

/// Fill them by at most @p threads threads. @return a set of members that are filled.
static uint32_t fill_beside(filling *f, int threads)
{
    uint32_t done   = 0;
    int64_t  useful = 0;

    list_tasks(f);
    if (f->tasks < 2 || threads < 2) return 0;
    for (int k = 0; k < f->tasks; k++) {
        cairn_member_build *m = &f->m[f->task[k]];

        if (m->compiled) m->compiled->stores.concurrent = true;
        useful += is_narrow(m) ? 1 : m->compiled->ranges.n;
        done |= 1U << f->task[k];
    }
    if (threads > useful) threads = (int)useful;
#pragma omp parallel num_threads(threads)
    give_out(f);
    return done;
}

/// The first member's failure, in its words.
static cairn_status first_failure(const filling *f)
{
    for (int k = 0; k < f->members; k++)
        if (f->status[k] != CAIRN_OK)
            return cairn_fail(f->env, f->status[k], "%s", f->voice[k].message);
    return CAIRN_OK;
}

cairn_status cairn_build_fill_members(cairn_env          *env,
                                      const cairn_build  *build,
                                      int                 members,
                                      cairn_member_build *m,
                                      const cairn_group  *group)
{
    filling f = {
        .env = env, .build = build, .m = m, .group = group, .members = members};

    CAIRN_TRY(CAIRN_NEW(env, members, &f.voice));
    for (int k = 0; k < members; k++)
        predict(&f, k);
    const uint32_t done   = fill_beside(&f, build->loader ? build->loader->threads : 1);
    cairn_status   status = first_failure(&f);

    for (int k = 0; k < members && status == CAIRN_OK; k++) {
        if (done >> k & 1) continue;
        fill_member(&f, k);
        status = first_failure(&f);
    }
    if (status == CAIRN_OK) note_all(&f);
    cairn_free(env, f.voice);
    return status;
}
