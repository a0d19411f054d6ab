// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Contexts.

#include "api/door.h"
#include "base/file.h"
#include "base/options.h"
#include "base/text.h"
#include "comm/collective.h"
#include "comm/relay.h"
#include "convert/method.h"

#ifdef CAIRN_WITH_MPI
#    include "comm/mpi/world.h"
#endif

#include <omp.h>

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// Bytes the machine could give now; half of its memory where the kernel does not say.
static int64_t available_bytes(void)
{
    FILE   *f = fopen("/proc/meminfo", "re");
    char    line[256];
    int64_t kilobytes = 0;

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %" SCNd64, &kilobytes) == 1) break;
    if (f) fclose(f);
    if (kilobytes > 0) return kilobytes * 1024;
    return (int64_t)sysconf(_SC_PHYS_PAGES) / 2 * sysconf(_SC_PAGESIZE);
}

static void set_memory(cairn_context *context)
{
    cairn_env *env = &context->env;

    env->memory_limit = env->options.memory > 0
                            ? env->options.memory
                            : available_bytes() / 2 / context->comm->local_size;
}

/// Ranks of a node that are bound nowhere share its cores, unless OMP_NUM_THREADS says
/// how many threads each has. That is for all programs, so what is too many is cut, not
/// refused.
static void set_threads(cairn_context *context)
{
    cairn_env *env = &context->env;
    cpu_set_t  bound;
    int        threads = omp_get_max_threads();

    env->threads_given = env->options.threads > 0 || cairn_threads_are_set();
    if (env->options.threads > 0) return;
    if (!env->threads_given && sched_getaffinity(0, sizeof bound, &bound) == 0
        && CPU_COUNT(&bound) == sysconf(_SC_NPROCESSORS_ONLN))
        threads /= context->comm->local_size;
    if (threads > cairn_threads_most()) threads = (int)cairn_threads_most();
    env->options.threads = threads > 1 ? threads : 1;
}

static cairn_status read_options(cairn_context *context)
{
    char why[512];

    if (cairn_options_read(&context->env.options, why, sizeof why) == 0)
        return cairn_method_check(&context->env, context->env.options.convert);
    return cairn_fail(&context->env, CAIRN_BAD_OPTION, "%s", why);
}

static cairn_status start(cairn_context **context)
{
    cairn_context *fresh = calloc(1, sizeof *fresh);

    if (!fresh) return CAIRN_NO_MEMORY;
    cairn_env_init(&fresh->env);
    *context = fresh;
    return CAIRN_OK;
}

/// The communicator is there: agree on the options, set the limit.
static cairn_status settle(cairn_context *context, cairn_status options)
{
    CAIRN_TRY(cairn_comm_agree(context->comm, options));
    set_memory(context);
    set_threads(context);
    return CAIRN_OK;
}

cairn_status cairn_context_create(cairn_context **context)
{
    if (!context) return CAIRN_BAD_ARGUMENT;
    *context = NULL;
    CAIRN_TRY(start(context));
    CAIRN_TRY(cairn_comm_self(&(*context)->env, &(*context)->comm));
    return settle(*context, read_options(*context));
}

/// What the first thread's limit leaves: what it holds stays, as long as it iterates.
static int64_t left_memory(cairn_env *of)
{
    const int64_t used = atomic_load(&of->used_bytes);

    return of->memory_limit > used ? of->memory_limit - used : 1;
}

cairn_status cairn_context_create_beside(cairn_context *of, cairn_context **beside)
{
    cairn_context *fresh = NULL;

    CAIRN_CHECK(start(&fresh) == CAIRN_OK, &of->env, CAIRN_NO_MEMORY,
                "memory: a context for another thread");
    fresh->env.options       = of->env.options;
    fresh->env.threads_given = of->env.threads_given;
    fresh->env.memory_limit  = left_memory(&of->env);
    if (of->listed[0])
        snprintf(fresh->env.options.devices, sizeof fresh->env.options.devices, "%s",
                 of->listed);
    const cairn_status status = cairn_relay_create(&fresh->env, of->comm, &fresh->comm);

    fresh->company.relayed = true;
    if (status == CAIRN_OK) {
        atomic_store(&of->company.beside, fresh);
        *beside = fresh;
        return CAIRN_OK;
    }
    (void)cairn_fail(&of->env, status, "%s", fresh->env.message);
    cairn_context_destroy(&fresh);
    return status;
}

void cairn_context_destroy_beside(cairn_context *of, cairn_context **beside)
{
    atomic_store(&of->company.beside, NULL);
    cairn_context_destroy(beside);
}

#ifdef CAIRN_WITH_MPI

/// While a context is made its user cannot have set a log, and at the end of the job, where
/// a program has set none, a wait has no other place.
static void tell_on_stderr(void *user, const char *message)
{
    (void)user;
    fprintf(stderr, "cairn: warning: %s\n", message);
}

cairn_status cairn_context_create_fortran(int comm, cairn_context **context)
{
    if (!context) return CAIRN_BAD_ARGUMENT;
    *context = NULL;
    CAIRN_TRY(start(context));
    const cairn_status options = read_options(*context);

    (*context)->env.log.tell = tell_on_stderr;
    cairn_status status =
        cairn_comm_mpi_fortran(&(*context)->env, comm, &(*context)->comm);

    if (status == CAIRN_OK) status = settle(*context, options);
    (*context)->env.log.tell = NULL;
    return status;
}

cairn_status cairn_context_create_world(cairn_context **context)
{
    if (!context) return CAIRN_BAD_ARGUMENT;
    *context = NULL;
    CAIRN_TRY(start(context));
    const cairn_status options = read_options(*context);

    CAIRN_TRY(cairn_mpi_start(&(*context)->env, &(*context)->started_mpi));
    (*context)->env.log.tell = tell_on_stderr;
    cairn_status status = cairn_comm_mpi_world(&(*context)->env, &(*context)->comm);

    /* MPI, which failed or was given up waiting for, is not to be waited for again. */
    if (status == CAIRN_COMM) (*context)->started_mpi = false;
    if (status == CAIRN_OK) status = settle(*context, options);
    (*context)->env.log.tell = NULL;
    return status;
}

/// Leave the job. Who has started MPI ends it: then ranks meet before, for its own wait has
/// no limit, and where they do not, it is left running.
static void leave(cairn_context *context)
{
    cairn_comm *comm = context->comm;
    bool        met  = true;

    if (comm && context->started_mpi) {
        cairn_doing(&context->env, "the end");
        if (!context->env.log.tell) context->env.log.tell = tell_on_stderr;
        met = comm->ops->barrier(comm) == CAIRN_OK;
    }
    if (comm) cairn_comm_destroy(&context->comm);
    if (met && context->started_mpi) cairn_mpi_stop();
}

#else

static cairn_status no_mpi(cairn_context **context)
{
    if (!context) return CAIRN_BAD_ARGUMENT;
    CAIRN_TRY(start(context));
    return cairn_fail(&(*context)->env, CAIRN_UNSUPPORTED,
                      "MPI: context: this library was built without MPI");
}

cairn_status cairn_context_create_fortran(int comm, cairn_context **context)
{
    (void)comm;
    return no_mpi(context);
}

cairn_status cairn_context_create_world(cairn_context **context)
{
    return no_mpi(context);
}

static void leave(cairn_context *context)
{
    if (context->comm) cairn_comm_destroy(&context->comm);
}

#endif

void cairn_context_destroy(cairn_context **context)
{
    if (!context || !*context) return;
    cairn_context_forget_costs(*context);
    cairn_devices_close(&(*context)->env, &(*context)->devices);
    cairn_candidates_fini(&(*context)->env, &(*context)->candidates);
    cairn_context_forget_lent(*context);
    leave(*context);
    cairn_env_fini(&(*context)->env);
    free(*context);
    *context = NULL;
}

const char *cairn_context_message(const cairn_context *context)
{
    return context ? context->env.message : cairn_status_text(CAIRN_NO_MEMORY);
}

int cairn_context_rank(const cairn_context *context)
{
    return cairn_door_comm((cairn_context *)context) ? context->comm->rank : 0;
}

int cairn_context_size(const cairn_context *context)
{
    return cairn_door_comm((cairn_context *)context) ? context->comm->size : 1;
}

cairn_status cairn_context_set_memory(cairn_context *context, int64_t bytes)
{
    CAIRN_ENTER(context, CAIRN_WITHIN(bytes, 1, INT64_MAX));
    context->env.memory_limit = bytes;
    return CAIRN_OK;
}

cairn_status cairn_context_set_convert(cairn_context *context, const char *method)
{
    CAIRN_ENTER(context, CAIRN_GIVEN(method));
    cairn_options *const options = &context->env.options;

    CAIRN_TRY(cairn_method_check(&context->env, method));
    snprintf(options->convert, sizeof options->convert, "%s", method);
    return CAIRN_OK;
}

const char *cairn_context_convert(const cairn_context *context)
{
    return context ? context->env.options.convert : NULL;
}

cairn_status cairn_context_set_threads(cairn_context *context, int threads)
{
    CAIRN_ENTER(context, CAIRN_WITHIN(threads, 1, CAIRN_THREADS_MOST));
    context->env.options.threads = threads;
    context->env.threads_given   = true;
    if (context->plans > 0) return CAIRN_OK;
    cairn_context_forget_costs(context);
    cairn_candidates_fini(&context->env, &context->candidates);
    cairn_context_forget_lent(context);
    cairn_devices_close(&context->env, &context->devices); /* opened when needed */
    return CAIRN_OK;
}

cairn_status cairn_context_set_replays(cairn_context *context, int64_t replays)
{
    CAIRN_ENTER(context, CAIRN_WITHIN(replays, 0, INT64_MAX));
    context->env.options.replays = replays;
    return CAIRN_OK;
}

int cairn_context_threads(const cairn_context *context)
{
    return context ? (int)context->env.options.threads : 0;
}

void cairn_context_memory(const cairn_context *context,
                          int64_t             *bytes,
                          int64_t             *blocks,
                          int64_t             *peak)
{
    cairn_env *env = context ? &((cairn_context *)context)->env : NULL;

    if (bytes) *bytes = env ? atomic_load(&env->live_bytes) : 0;
    if (blocks) *blocks = env ? atomic_load(&env->live_blocks) : 0;
    if (peak) *peak = env ? atomic_load(&env->peak_bytes) : 0;
}

void cairn_context_set_progress(cairn_context *context,
                                void (*progress)(void       *user,
                                                 const char *what,
                                                 double      fraction),
                                void *user)
{
    if (!context) return;
    context->env.log.progress      = progress;
    context->env.log.progress_user = user;
}

void cairn_context_abandon(cairn_context *context)
{
    if (!context) return;
    cairn_context *const beside = atomic_load(&context->company.beside);

    cairn_remains_remove(&context->env.remains);
    if (beside) cairn_remains_remove(&beside->env.remains);
}

cairn_status cairn_context_write_file(cairn_context *context,
                                      const char    *path,
                                      const void    *bytes,
                                      size_t         length)
{
    CAIRN_ENTER(context, CAIRN_GIVEN(path), CAIRN_WITHIN(length, 0, PTRDIFF_MAX));
    if (length > 0) CAIRN_ENTER(context, CAIRN_GIVEN(bytes));
    return cairn_file_put(&context->env, path, bytes, length);
}

void cairn_context_set_log(cairn_context *context,
                           void (*log)(void *user, const char *message),
                           void *user)
{
    if (!context) return;
    cairn_env_log *l = &context->env.log;

    pthread_mutex_lock(&l->lock);
    l->tell = log;
    l->user = user;
    pthread_mutex_unlock(&l->lock);
}

void cairn_context_set_patience(cairn_context *context, double warn, double give_up)
{
    if (!context) return;
    cairn_options *o = &context->env.options;

    if (warn >= 0) o->wait_warn = (cairn_option_seconds){.seconds = warn, .set = true};
    if (give_up >= 0)
        o->give_up = (cairn_option_seconds){.seconds = give_up, .set = true};
}

int cairn_context_given_up(const cairn_context *context)
{
    return context && context->comm && context->comm->lost ? context->comm->first : -1;
}

cairn_status cairn_context_agree(cairn_context *context, cairn_status mine)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_WITHIN(mine, CAIRN_ATTENTION, CAIRN_OK));
    return cairn_comm_agree(context->comm, mine);
}

cairn_status
cairn_context_max_if(cairn_context *context, cairn_status mine, double *values, int n)
{
    cairn_comm      *comm      = context->comm;
    double          *all       = NULL;
    cairn_collective arguments = {0};
    cairn_status     status    = mine;

    if (!comm || comm->size == 1) return mine;
    cairn_collective_int(&arguments, "numbers", n);
    if (status == CAIRN_OK)
        status = CAIRN_NEW(&context->env, (int64_t)n * comm->size, &all);
    CAIRN_GO(done, cairn_comm_agree_on(comm, status, &arguments));
    CAIRN_GO(done,
             comm->ops->allgather(comm, values, n * (int64_t)sizeof *values, all));
    for (int r = 0; r < comm->size; r++)
        for (int k = 0; k < n; k++)
            if (all[r * n + k] > values[k]) values[k] = all[r * n + k];
done:
    cairn_free(&context->env, all);
    return status;
}

cairn_status cairn_context_max(cairn_context *context, double *values, int n)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_WITHIN(n, 0, INT_MAX));
    if (n > 0) CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(values));

    return cairn_context_max_if(context, CAIRN_OK, values, n);
}

/// Row @p k of the options' table; an empty one past its ends.
static cairn_option_row option_row(int k)
{
    int                     count;
    const cairn_option_row *rows = cairn_options_rows(&count);

    return k >= 0 && k < count ? rows[k] : (cairn_option_row){NULL, NULL, NULL};
}

const char *cairn_option_name(int k)
{
    return option_row(k).variable;
}

const char *cairn_option_default(int k)
{
    return option_row(k).standard;
}

const char *cairn_option_help(int k)
{
    return option_row(k).help;
}

const char *cairn_version(void)
{
    return CAIRN_VERSION;
}

const char *cairn_nearest_name(const char *word, const char *const *names)
{
    return word && names ? cairn_nearest(word, names) : NULL;
}

void cairn_text_free(cairn_context *context, char **text)
{
    if (!context || !text) return;
    cairn_free(&context->env, *text);
    *text = NULL;
}

static cairn_status net_exchange(void          *user,
                                 const void    *send,
                                 const int64_t *counts,
                                 size_t         size,
                                 void         **recv,
                                 int64_t       *recv_counts)
{
    return cairn_comm_exchange(user, send, counts, size, recv, recv_counts);
}

static cairn_status net_reduce(cairn_comm *comm, int64_t *value, cairn_reduction op)
{
    return comm->ops->allreduce(comm, value, 1, op);
}

static cairn_status net_max(void *user, int64_t *value)
{
    return net_reduce(user, value, CAIRN_MAX);
}

static cairn_status net_sum(void *user, int64_t *value)
{
    return net_reduce(user, value, CAIRN_SUM);
}

static cairn_status net_agree(void *user, cairn_status mine)
{
    return cairn_comm_agree(user, mine);
}

cairn_query_net cairn_net_of(cairn_comm *comm)
{
    return (cairn_query_net){.user     = comm,
                             .rank     = comm->rank,
                             .size     = comm->size,
                             .exchange = net_exchange,
                             .max      = net_max,
                             .sum      = net_sum,
                             .agree    = net_agree};
}
