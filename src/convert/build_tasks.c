// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Filling as tasks, one a member, taken by whoever is free: how long one will take is not
/// known before (by bytes and entries it is off by three), so that nothing is laid out
/// ahead. Those of one thread are taken first; shares of the others fill the gaps.

#include "convert/build_steps.h"
#include "convert/compiled.h"

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
    double              begin[CAIRN_MAX_MEMBERS], end[CAIRN_MAX_MEMBERS];
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

static void add_bar(const cairn_build *build, const cairn_build_bar *bar)
{
    cairn_build_log *log = build->log;

    if (log && log->bars < CAIRN_BUILD_BARS) log->bar[log->bars++] = *bar;
}

void cairn_build_note(const cairn_build *build,
                      const char        *what,
                      int                member,
                      bool               looks,
                      double             begin)
{
    add_bar(build, &(cairn_build_bar){.what   = what,
                                      .member = member,
                                      .bytes  = looks ? source_bytes(build) : 0,
                                      .begin  = begin,
                                      .end    = cairn_seconds()});
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
        add_bar(f->build,
                &(cairn_build_bar){.what   = "fill",
                                   .member = k,
                                   .thread = thread_of(f, k),
                                   .bytes  = source_bytes(f->build) + f->group[k].bytes
                                            - 2 * f->group[k].taken,
                                   .begin = f->begin[k],
                                   .end   = f->end[k]});
}

/* ---- filling ---- */

static cairn_status fill_banks(cairn_member_build *m)
{
    for (int64_t bank = 0; bank < m->layout->banks; bank++)
        CAIRN_TRY(m->compiled ? cairn_compiled_fill(m->compiled, bank, &m->part[bank])
                              : cairn_build_fill(m, bank, &m->part[bank]));
    return CAIRN_OK;
}

/// Fill a member, on any thread.
static void fill_member(filling *f, int member)
{
    f->thread[member] = pthread_self();
    f->begin[member]  = cairn_seconds();
    cairn_message_slot_begin(f->env, &f->voice[member]);
    f->status[member] = fill_banks(&f->m[member]);
    cairn_message_slot_end(f->env, &f->voice[member]);
    f->end[member] = cairn_seconds();
}

/// Is a member one thread's, whatever there is?
static bool is_narrow(const cairn_member_build *m)
{
    return !m->compiled || m->compiled->shares.n <= 1;
}

/// List the members that can be filled at the same time, those of one thread first.
static void list_tasks(filling *f)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < f->members; k++) {
            cairn_member_build *m = &f->m[k];

            if (is_narrow(m) != (pass == 0)) continue;
            if (!is_narrow(m) && !cairn_compiled_fits_beside(m->compiled)) continue;
            f->task[f->tasks++] = k;
        }
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
        useful += is_narrow(m) ? 1 : m->compiled->shares.n;
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
