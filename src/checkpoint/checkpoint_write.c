// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Writing checkpoints beside the iterations. A writer is idle, or a thread writes this
/// rank's share, or rank 0's thread writes the manifest and removes what is old. Each step
/// ends for all ranks at the same cairn_checkpoint_advance().

#include "base/file.h"
#include "base/patience.h"
#include "checkpoint/generations.h"
#include "checkpoint/manifest.h"
#include "checkpoint/share.h"
#include "comm/collective.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef enum { IDLE, SHARE, MANIFEST } step;

/// What this rank's thread writes, and how it went.
typedef struct {
    char             path[CAIRN_GENERATION_PATH];
    cairn_share_head head;
    char            *values;   ///< [room] A copy, kept for the next time.
    int64_t          room;     ///< Bytes.
    char            *manifest; ///< [manifest_bytes] On rank 0 its bytes; else NULL.
    int64_t          manifest_bytes;
} work;

struct cairn_checkpoint_writer {
    cairn_comm    *comm;
    char          *folder;
    int            lock;       ///< On rank 0 the folder, locked; else -1.
    cairn_manifest constant;   ///< Run, shares and bounds.
    int64_t        generation; ///< The last that was begun, or is in the folder.
    int64_t        last; ///< The last that was completed, or restarted from; 0: none.
    bool         told; ///< A failure was logged, and no checkpoint has succeeded since.
    step         step;
    work         work;
    bool         running; ///< There is a thread to join.
    pthread_t    thread;
    _Atomic int  progress; ///< cairn_checkpoint_progress_kind of this step.
    cairn_status status;   ///< Why it failed,
    char         message[CAIRN_MESSAGE];
};

/* ---- the thread ---- */

static cairn_status write_manifest(const cairn_checkpoint_writer *w)
{
    CAIRN_TRY(cairn_file_put(w->comm->env, w->work.path, w->work.manifest,
                             (size_t)w->work.manifest_bytes));
    if (w->last > 0) cairn_generations_keep(w->folder, w->last, w->generation);
    return CAIRN_OK;
}

/// A step has ended; what is written here before is seen by who sees the progress.
static void
conclude(cairn_checkpoint_writer *w, cairn_status status, const char *message)
{
    w->status = status;
    if (status != CAIRN_OK) snprintf(w->message, sizeof w->message, "%s", message);
    atomic_store(&w->progress, status == CAIRN_OK ? CAIRN_CHECKPOINT_WRITTEN
                                                  : CAIRN_CHECKPOINT_FAILED);
}

static void *run(void *user)
{
    cairn_checkpoint_writer *w   = user;
    cairn_env               *env = w->comm->env;
    cairn_message_slot       slot;
    cairn_status             status;

    cairn_message_slot_begin(env, &slot);
    status = w->step == SHARE
                 ? cairn_share_write(env, w->work.path, &w->work.head, w->work.values)
                 : write_manifest(w);
    cairn_message_slot_end(env, &slot);
    conclude(w, status, slot.message);
    return NULL;
}

/// Start the thread of a step. Signals are for the threads that there were before.
static void start(cairn_checkpoint_writer *w)
{
    sigset_t all, before;

    atomic_store(&w->progress, CAIRN_CHECKPOINT_PENDING);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = pthread_create(&w->thread, NULL, run, w);

    pthread_sigmask(SIG_SETMASK, &before, NULL);
    w->running = failure == 0;
    if (failure) conclude(w, CAIRN_IO, "no thread can be started to write it");
}

static void join(cairn_checkpoint_writer *w)
{
    if (w->running) pthread_join(w->thread, NULL);
    w->running = false;
}

/* ---- one checkpoint ---- */

/// Grow the copy's memory, if need be: it is touched for the first time then, which takes
/// longer than the copy itself.
static cairn_status make_room(cairn_checkpoint_writer *w, int64_t bytes)
{
    cairn_env *env = w->comm->env;

    if (bytes <= w->work.room) return CAIRN_OK;
    cairn_free(env, w->work.values);
    w->work.values = NULL;
    w->work.room   = 0;
    CAIRN_TRY(cairn_alloc(env, bytes, 1, (void **)&w->work.values));
    w->work.room = bytes;
    return CAIRN_OK;
}

static cairn_status encode(cairn_checkpoint_writer *w, const cairn_manifest *manifest)
{
    cairn_text text;

    cairn_text_init(&text, w->comm->env);
    cairn_manifest_encode(manifest, &text);
    w->work.manifest_bytes = (int64_t)text.length;
    return cairn_text_take(&text, &w->work.manifest);
}

/// Copy all that is written later.
static cairn_status copy_state(cairn_checkpoint_writer *w,
                               const cairn_checkpoint  *state)
{
    const int      rank     = w->comm->rank;
    const int64_t *bound    = w->constant.bound;
    const int64_t  rows     = bound[rank + 1] - bound[rank];
    cairn_manifest manifest = w->constant;

    assert(state->n == bound[w->constant.shares]);
    assert(state->first_row == bound[rank] && state->end_row == bound[rank + 1]);
    manifest.state            = *state;
    manifest.state.generation = w->generation;
    cairn_share_expect(&manifest.state, w->constant.run, rank, bound[rank],
                       bound[rank + 1], &w->work.head);
    CAIRN_TRY(make_room(w, cairn_share_value_bytes(&w->work.head)));
    char *to = w->work.values;

    for (int v = 0; v < state->vectors && rows > 0; v++) {
        const size_t bytes = (size_t)rows * w->work.head.bits[v] / 8;

        memcpy(to, state->vector[v].value, bytes);
        to += bytes;
    }
    return rank == 0 ? encode(w, &manifest) : CAIRN_OK;
}

void cairn_checkpoint_begin(cairn_checkpoint_writer *writer,
                            const cairn_checkpoint  *state)
{
    assert(cairn_checkpoint_idle(writer));
    writer->generation++;
    writer->step = SHARE;
    cairn_generation_path(writer->work.path, writer->folder, writer->generation,
                          writer->comm->rank);
    const cairn_status status = copy_state(writer, state);

    if (status == CAIRN_OK)
        start(writer);
    else
        conclude(writer, status, cairn_message(writer->comm->env));
}

bool cairn_checkpoint_idle(const cairn_checkpoint_writer *writer)
{
    return writer->step == IDLE;
}

cairn_checkpoint_progress_kind
cairn_checkpoint_progress(const cairn_checkpoint_writer *writer)
{
    return writer->step == IDLE
               ? CAIRN_CHECKPOINT_WRITTEN
               : (cairn_checkpoint_progress_kind)atomic_load(&writer->progress);
}

/// Nothing is under way any more.
static void settle(cairn_checkpoint_writer *w)
{
    cairn_free(w->comm->env, w->work.manifest);
    w->work.manifest = NULL;
    w->step          = IDLE;
}

/// Leave this generation out: no share is removed before there is no manifest for sure.
///
/// Collective.
static void leave_out(cairn_checkpoint_writer *w)
{
    cairn_env   *env    = w->comm->env;
    cairn_status status = CAIRN_OK;
    char         path[CAIRN_GENERATION_PATH];

    if (atomic_load(&w->progress) == CAIRN_CHECKPOINT_FAILED)
        status = cairn_fail(env, w->status, "%s", w->message);
    if (w->comm->rank == 0) {
        cairn_generation_path(path, w->folder, w->generation, CAIRN_MANIFEST);
        unlink(path);
    }
    cairn_comm_agree(w->comm, status);
    if (w->comm->rank == 0 && !w->told)
        cairn_log(env, "checkpoint: %s: not written, and iterations go on: %s",
                  w->folder, env->message);
    w->told = true;
    cairn_generation_path(path, w->folder, w->generation, w->comm->rank);
    unlink(path);
    settle(w);
}

void cairn_checkpoint_advance(cairn_checkpoint_writer       *writer,
                              cairn_checkpoint_progress_kind least)
{
    if (writer->step == IDLE || least == CAIRN_CHECKPOINT_PENDING) return;
    join(writer);
    if (least == CAIRN_CHECKPOINT_FAILED) {
        leave_out(writer);
    } else if (writer->step == SHARE) {
        writer->step = MANIFEST;
        if (writer->comm->rank > 0) return; /* as WRITTEN as its share */
        cairn_generation_path(writer->work.path, writer->folder, writer->generation,
                              CAIRN_MANIFEST);
        start(writer);
    } else {
        writer->last = writer->generation;
        writer->told = false;
        settle(writer);
    }
}

/// Wait for the thread of this step: the disk's time, which nothing bounds.
static void await(const cairn_checkpoint_writer *w)
{
    cairn_patience patience = cairn_patience_begin(w->comm->env);

    while (cairn_checkpoint_progress(w) == CAIRN_CHECKPOINT_PENDING) {
        const double waited = cairn_patience_waited(&patience);

        if (cairn_patience_turn(&patience, waited) == CAIRN_WAIT_TELL)
            cairn_log(w->comm->env, "checkpoint: %s: the disk has taken %.3g s so far",
                      w->folder, patience.reached);
        cairn_patience_rest(&patience);
    }
}

int64_t cairn_checkpoint_finish(cairn_checkpoint_writer *writer)
{
    cairn_comm *comm = writer->comm;

    while (writer->step != IDLE) {
        await(writer);
        int64_t least = cairn_checkpoint_progress(writer);

        if (comm->ops->allreduce(comm, &least, 1, CAIRN_MIN) != CAIRN_OK) break;
        cairn_checkpoint_advance(writer, (cairn_checkpoint_progress_kind)least);
    }
    return writer->last;
}

/* ---- the folder ---- */

/// Have the folder for this job alone: what another has written half is not removed then.
/// File systems without such locks have to trust their users.
static cairn_status lock_folder(cairn_checkpoint_writer *w)
{
    cairn_env *env = w->comm->env;

    CAIRN_CHECK(mkdir(w->folder, 0777) == 0 || errno == EEXIST, env, CAIRN_IO,
                "checkpoint: %s: %s", w->folder, strerror(errno));
    w->lock = open(w->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CAIRN_CHECK(w->lock >= 0, env, CAIRN_IO, "checkpoint: %s: %s", w->folder,
                strerror(errno));
    CAIRN_CHECK(flock(w->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, env,
                CAIRN_IO, "checkpoint: %s: another job writes checkpoints there",
                w->folder);
    return CAIRN_OK;
}

/// A name under which all look for a file of rank 0; as temporary ones it is swept.
static void print_probe(const cairn_checkpoint_writer *w, char *path)
{
    cairn_generation_path(path, w->folder, w->generation + 1, 0);
    strcat(path, ".part-probe");
}

/// What rank 0 does alone: lock, clean up, number, draw the run.
static cairn_status take_folder(cairn_checkpoint_writer *w)
{
    cairn_env      *env = w->comm->env;
    char            path[CAIRN_GENERATION_PATH];
    int64_t         generation[CAIRN_GENERATION_MOST];
    int             count;
    struct timespec now;

    CAIRN_TRY(lock_folder(w));
    cairn_generations_sweep(env, w->folder);
    CAIRN_TRY(
        cairn_generations_list(env, w->folder, generation, &count, &w->generation));
    clock_gettime(CLOCK_REALTIME, &now);
    w->constant.run =
        ((uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec)
        ^ (uint64_t)getpid() << 44;
    print_probe(w, path);
    return cairn_file_put(env, path, &w->constant.run, sizeof w->constant.run);
}

/// Is the folder that this rank sees rank 0's?
static cairn_status see_folder(const cairn_checkpoint_writer *w)
{
    char     path[CAIRN_GENERATION_PATH];
    uint64_t run = 0;

    print_probe(w, path);
    const int  fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is = fd >= 0 && read(fd, &run, sizeof run) == (ssize_t)sizeof run
                    && run == w->constant.run;

    if (fd >= 0) close(fd);
    CAIRN_CHECK(is, w->comm->env, CAIRN_IO,
                "checkpoint: %s: is not the folder that rank 0 has", w->folder);
    return CAIRN_OK;
}

/// Who has which rows.
///
/// Collective.
static cairn_status gather_bounds(cairn_checkpoint_writer *w, const cairn_checkpoint *s)
{
    cairn_comm   *comm    = w->comm;
    const int64_t mine[2] = {s->first_row, s->end_row};
    int64_t(*all)[2]      = NULL;
    bool         follow   = true;
    cairn_status status =
        cairn_alloc(comm->env, comm->size, sizeof mine, (void **)&all);

    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->allgather(comm, mine, sizeof mine, all));
    for (int r = 0; r < comm->size; r++) {
        follow =
            follow && all[r][0] == (r ? all[r - 1][1] : 0) && all[r][0] <= all[r][1];
        w->constant.bound[r + 1] = all[r][1];
    }
    if (!follow || all[comm->size - 1][1] != s->n)
        status = cairn_fail(comm->env, CAIRN_BAD_ARGUMENT,
                            "checkpoint: the rows of the ranks do not follow each "
                            "other from 0 to %" PRId64,
                            s->n);
done:
    cairn_free(comm->env, all);
    return status;
}

/// Learn what rank 0 has drawn, and see its folder.
///
/// Collective.
static cairn_status join_folder(cairn_checkpoint_writer *w)
{
    cairn_comm *comm    = w->comm;
    int64_t     told[2] = {(int64_t)w->constant.run, w->generation};
    char        path[CAIRN_GENERATION_PATH];

    CAIRN_TRY(comm->ops->broadcast(comm, told, sizeof told, 0));
    w->constant.run           = (uint64_t)told[0];
    w->generation             = told[1];
    const cairn_status status = cairn_comm_agree(comm, see_folder(w));

    print_probe(w, path);
    if (comm->rank == 0) unlink(path);
    return status;
}

static cairn_status create(cairn_comm               *comm,
                           const char               *folder,
                           int64_t                   from,
                           cairn_checkpoint_writer **writer)
{
    cairn_env               *env = comm->env;
    cairn_checkpoint_writer *w;

    CAIRN_CHECK(folder[0] && strlen(folder) <= CAIRN_GENERATION_PATH - 128, env,
                CAIRN_BAD_ARGUMENT, "checkpoint: %.40s...: the name is too long",
                folder);
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &w));
    *writer            = w;
    w->comm            = comm;
    w->lock            = -1;
    w->last            = from;
    w->constant.shares = comm->size;
    CAIRN_TRY(cairn_strndup(env, folder, strlen(folder), &w->folder));
    return CAIRN_NEW_ZERO(env, comm->size + 1, &w->constant.bound);
}

cairn_status cairn_checkpoint_open(cairn_comm               *comm,
                                   const char               *folder,
                                   const cairn_checkpoint   *state,
                                   int64_t                   from,
                                   cairn_checkpoint_writer **writer)
{
    cairn_checkpoint_writer *w      = NULL;
    cairn_collective         same   = {0};
    cairn_status             status = create(comm, folder, from, &w);

    cairn_collective_text(&same, "method", state->method);
    cairn_collective_text(&same, "format", state->format);
    cairn_collective_int(&same, "dtype", state->dtype);
    cairn_collective_int(&same, "rows", state->n);
    cairn_collective_int(&same, "fingerprint", (int64_t)state->fingerprint[0]);
    cairn_collective_int(&same, "fingerprint", (int64_t)state->fingerprint[1]);
    cairn_collective_int(&same, "generation", from);
    status = cairn_comm_agree_on(comm, status, &same);
    if (status == CAIRN_OK) status = gather_bounds(w, state);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(comm, comm->rank == 0 ? take_folder(w) : CAIRN_OK);
    if (status == CAIRN_OK) status = join_folder(w);
    if (status == CAIRN_OK)
        *writer = w;
    else
        cairn_checkpoint_close(&w);
    return status;
}

void cairn_checkpoint_close(cairn_checkpoint_writer **writer)
{
    cairn_checkpoint_writer *w = *writer;

    if (!w) return;
    cairn_env *env = w->comm->env;

    cairn_checkpoint_finish(w);
    join(w); /* if ranks were lost meanwhile */
    if (w->lock >= 0) close(w->lock);
    cairn_free(env, w->work.values);
    cairn_free(env, w->work.manifest);
    cairn_free(env, w->constant.bound);
    cairn_free(env, w->folder);
    cairn_free(env, w);
    *writer = NULL;
}
