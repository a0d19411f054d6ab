// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// CHECK: a caller's arrays are looked at; and SORT and COMBINE, which go on where their
/// entries do not ascend, or not each once.

#include "convert/compiled.h"
#include "convert/given_arrays.h"
#include "entries/entries_columns.h"
#include "phases/thread_ranges.h"
#include "tensor/check.h"

#include <assert.h>
#include <stdatomic.h>

#define KIND "convert" /* of tasks, in traces */

static cairn_given_arrays *given_of(const cairn_compiled *c)
{
    assert(c->origin.given);
    return c->origin.given;
}

static cairn_pos entries_of(const cairn_given_arrays *given)
{
    return given->lists ? given->lists->n : given->lent->part[0].nnz;
}

static void note(cairn_given_arrays *given, const char *what, double begin)
{
    cairn_task_log_add(
        &given->log,
        &(cairn_logged_task){
            .task   = {.label = what, .kind = KIND, .bytes = 8 * entries_of(given)},
            .number = -1,
            .time   = {begin,             cairn_seconds()                    }
    });
}

/* ---- CHECK ---- */

/// Pieces of compressed lines.
typedef struct {
    const cairn_part *part;
    int64_t           entries;
    int               pieces;
    _Atomic bool      wrong; ///< One is in no order.
} looking;

static void look_at_piece(void *user, int piece)
{
    looking *const l = user;

    if (!cairn_part_is_in_order(l->part, l->entries * piece / l->pieces,
                                l->entries * (piece + 1) / l->pieces))
        atomic_store_explicit(&l->wrong, true, memory_order_relaxed);
}

/// Are these so few that threads which count and deal them out must be awake by then?
static bool are_few(const cairn_env *env, cairn_pos entries)
{
    return env->options.threads > 1 && entries >= CAIRN_RANGES_DEALT
           && entries < CAIRN_RANGES_WORTH;
}

/// Wake those threads, and go on.
static void announce(cairn_env *env)
{
    cairn_thread_team_do(&env->thread_team, env->options.threads, NULL, NULL, 0);
}

/// Compressed lines, each index read once. Of few, the threads that will count and deal
/// them out take pieces, too: a thread that sleeps is woken by the look, comes late for it,
/// and is awake for the passes that follow.
static bool is_in_order(cairn_env *env, const cairn_part *part)
{
    enum {
        PIECE = 1 << 19, ///< Entries, 60 us and more: worth a thread (a guess),
        SOME  = 1 << 14, ///< a piece of a team that takes over late ones: 2 us.
    };

    if (!cairn_part_has_one_list(part)) return false;
    const int64_t all  = part->view.level[part->layout->last].idx_length;
    const int64_t most = env->options.threads;
    looking       l    = {.part = part, .entries = all, .pieces = 1};

    if (are_few(env, all)) {
        l.pieces = (int)(all / SOME);
        cairn_thread_team_do(&env->thread_team, (int)most, look_at_piece, &l, l.pieces);
        announce(env);
        return !l.wrong;
    }
    if (most > 1 && all / PIECE > 1)
        l.pieces = (int)(all / PIECE < most ? all / PIECE : most);
#pragma omp parallel for schedule(static, 1) num_threads(l.pieces) if (l.pieces > 1)
    for (int k = 0; k < l.pieces; k++)
        look_at_piece(&l, k);
    return !l.wrong;
}

static void look(cairn_env *env, cairn_given_arrays *given)
{
    cairn_fault fault;

    if (given->lists) {
        if (are_few(env, given->lists->n)) announce(env);
        cairn_given_look(env, given->lists, given->least, given->most, &given->seen);
        return;
    }
    const cairn_part *part = &given->lent->part[0];

    if (is_in_order(env, part)) {
        given->seen = (cairn_given_seen){.inside = true, .sorted = true, .once = true};
        return;
    }
    given->seen.inside = cairn_part_is_sound(part, &fault);
    given->seen.once   = given->seen.inside && cairn_part_ascends(part, &fault);
    given->seen.sorted = given->seen.once; /* of others nothing more is asked */
}

bool cairn_given_may_wait(const cairn_given_arrays *given, const cairn_format *format)
{
    enum { FIRST = 1 << 12 }; /* entries; of fewer nothing is gained */
    const cairn_encoding *const to  = format->member[0];
    const cairn_map *const      map = &to->map;

    return format->members == 1 && to->queries == 0 && cairn_encoding_levels(to) == 2
           && to->trim_first == 1 && to->trim_last == 1
           && map->expr[0]->op == CAIRN_EXPR_DIM && map->expr[0]->value == 0
           && map->expr[1]->op == CAIRN_EXPR_DIM && map->expr[1]->value == 1
           && given->lists && given->lists->n >= FIRST
           && cairn_given_ascends(given->lists, given->least, given->most, 0, FIRST);
}

cairn_status cairn_given_looked(cairn_env *env, cairn_given_arrays *given, bool once)
{
    given->looked = true;
    given->seen   = (cairn_given_seen){.inside = once, .sorted = once, .once = once};
    CAIRN_CHECK(once, env, CAIRN_BAD_COORD, "coordinates: they are in no order");
    return CAIRN_OK;
}

cairn_status cairn_given_look_now(const cairn_local *tensor)
{
    cairn_given_arrays *const given = tensor ? tensor->waiting : NULL;

    if (!given || given->looked) return CAIRN_OK;
    cairn_given_look(tensor->env, given->lists, given->least, given->most,
                     &given->seen);
    return cairn_given_looked(tensor->env, given, given->seen.once);
}

/* Ranks whose arrays are in order go the way of those whose are not, if these go on. */
static cairn_status check(cairn_compiled *c)
{
    cairn_given_arrays *given = given_of(c);
    const double        begin = cairn_seconds();

    if (given->waits) {
        given->seen = (cairn_given_seen){.inside = true, .sorted = true, .once = true};
        return CAIRN_OK;
    }
    look(c->m->env, given);
    cairn_status status = given->seen.inside ? CAIRN_OK : given->refuse(given->user);

    if (given->entries) {
        CAIRN_TRY(cairn_build_all(c->build, status, &given->seen.once));
        if (!given->seen.once) cairn_pass_break(c);
        status = CAIRN_OK;
    }
    if (status == CAIRN_OK && given->lent)
        given->lent->group[0].checked = given->seen.once;
    note(given, "check", begin);
    return status;
}

static const cairn_pass_work check_given = {.prepare = check, .together = true};

/* ---- what goes on ---- */

static cairn_status copy(cairn_compiled *c)
{
    cairn_given_arrays *given = given_of(c);
    const double        begin = cairn_seconds();

    assert(given->seen.once && given->lists);
    CAIRN_TRY(cairn_entries_take(c->m->env, given->lists, given->entries));
    note(given, "copy", begin);
    return CAIRN_OK;
}

static const cairn_pass_work copy_given = {.prepare = copy};

bool cairn_given_may_stay_bucketed(const cairn_env *env, const cairn_given *lists)
{
    const cairn_entries number = {.n = lists->n};
    const cairn_build   build  = {.entries = &number};

    switch (cairn_build_worth(env, &build)) {
    case CAIRN_BUILD_COMPILED: return true;
    case CAIRN_BUILD_AT_HAND: return cairn_columns_fit(lists);
    default: return false;
    }
}

/* Entries that meet in a bucket are added up there, while they are in cache. */
static cairn_status sort(cairn_compiled *c)
{
    cairn_env *const    env   = c->m->env;
    cairn_given_arrays *given = given_of(c);
    const double        begin = cairn_seconds();

    assert(given->entries && given->entries->n == 0);
    c->step->idle = given->seen.sorted;
    if (given->seen.sorted) return CAIRN_OK;
    if (given->lent) {
        CAIRN_TRY(cairn_entries_reserve(env, given->entries, entries_of(given)));
        CAIRN_TRY(cairn_local_entries(given->lent, given->entries));
        CAIRN_TRY(cairn_entries_sort(env, given->entries));
    } else {
        cairn_given lists = *given->lists;

        lists.unsorted = true;
        if (given->bucketed && cairn_given_may_stay_bucketed(env, &lists))
            CAIRN_TRY(cairn_entries_take_or_partition(env, &lists, given->entries,
                                                      given->bucketed));
        else
            CAIRN_TRY(cairn_entries_take(env, &lists, given->entries));
    }
    note(given, "sort", begin);
    return CAIRN_OK;
}

static const cairn_pass_work sort_given = {.prepare = sort};

/* Repeats of lists that are sorted stand side by side, and are added up as they are copied;
 * those of buckets that wait are added up when these are sorted. */
static cairn_status combine(cairn_compiled *c)
{
    cairn_given_arrays *given = given_of(c);
    const double        begin = cairn_seconds();

    if (given->seen.sorted)
        CAIRN_TRY(given->lent
                      ? cairn_local_entries(given->lent, given->entries)
                      : cairn_entries_take(c->m->env, given->lists, given->entries));
    c->step->idle = (given->bucketed && given->bucketed->n > 0)
                    || given->entries->n == entries_of(given);
    if (!c->step->idle) note(given, "combine", begin);
    return CAIRN_OK;
}

static const cairn_pass_work combine_given = {.prepare = combine};

/* ---- the program ---- */

/// Bytes of an entry where it was given: coordinates, or an index.
static double index_bytes(const cairn_given_arrays *given)
{
    const cairn_layout *layout = given->lent ? given->lent->group[0].layout : NULL;

    return layout ? (double)layout->level[layout->last].arrays.idx_bits / 8
                  : given->lists->order * (double)given->lists->bits / 8;
}

static cairn_status write(const cairn_compiled *c, cairn_pass_writer *w)
{
    const cairn_given_arrays *given = given_of(c);
    const int    order = given->lists ? given->lists->order : given->lent->shape.order;
    const double look = index_bytes(given), entry = (double)cairn_entry_bytes(order);

    w->pass.member = -1;
    w->pass.method = "arrays";
    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_CHECK, CAIRN_UNIT_ENTRY, 0,
                               CAIRN_STORES_NONE, given->waits ? 0 : look,
                               &check_given)); /* who waits is read once, when copied */
    if (!given->entries) return CAIRN_OK;
    if (given->copies)
        CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_APPEND, CAIRN_UNIT_ENTRY, 0,
                                   CAIRN_STORES_DIRECT, look + 8 + 2 * entry,
                                   &copy_given));
    cairn_passes_otherwise(w, 0, "the entries ascend, each once", "arrays");
    /* Items of 16 bytes go to buckets, and are sorted there. */
    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_SORT, CAIRN_UNIT_ENTRY, 0,
                               CAIRN_STORES_BUCKETED, look + 8 + 64 + entry,
                               &sort_given));
    return cairn_passes_add(w, CAIRN_PASS_COMBINE, CAIRN_UNIT_ENTRY, 0,
                            CAIRN_STORES_NONE, 16, &combine_given);
}

cairn_status cairn_given_arrays_run(cairn_env             *env,
                                    const cairn_query_net *net,
                                    cairn_given_arrays    *given,
                                    cairn_status           mine)
{
    const cairn_build  build  = {.net = net};
    cairn_member_build m      = {.env = env, .number = -1};
    cairn_origin       origin = {.given = given};

    assert(!given->lists != !given->lent);
    cairn_pass_list_init(&given->program, env);
    return cairn_compiled_run_early(&m, &build, &origin, write, mine, &given->program);
}

cairn_status cairn_given_arrays_tell(const cairn_given_arrays *given,
                                     cairn_pass_list          *program,
                                     cairn_task_log           *log)
{
    const cairn_pos left = !given->bucketed            ? 0
                           : given->bucketed->combined ? given->bucketed->n
                                                       : given->entries->n;
    cairn_pass_list all;
    cairn_task_log  times = given->log;

    cairn_pass_list_init(&all, program->env);
    cairn_status status = cairn_pass_list_append(&all, &given->program, 0);

    if (status == CAIRN_OK && left > 0 && left < entries_of(given)
        && all.pass[all.passes - 1].what == CAIRN_PASS_SORT)
        status = cairn_pass_list_add(&all, &(cairn_pass){.method = "arrays",
                                                         .what   = CAIRN_PASS_COMBINE,
                                                         .member = -1,
                                                         .index  = -1,
                                                         .bytes  = 16});
    if (status == CAIRN_OK) status = cairn_pass_list_append(&all, program, 0);
    if (status != CAIRN_OK) {
        cairn_pass_list_fini(&all);
        return status;
    }
    cairn_pass_list_fini(program);
    *program = all;
    for (int k = 0; k < log->tasks; k++)
        cairn_task_log_add(&times, &log->entry[k]);
    *log = times;
    return CAIRN_OK;
}

void cairn_given_arrays_fini(cairn_given_arrays *given)
{
    if (given->program.env) cairn_pass_list_fini(&given->program);
}
