// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An iteration that keeps checkpoints, to be killed by tests and to be launched again:
///     checkpoint_worker ROWS ITERATIONS MICROSECONDS [--self] [--every N]
///                       [--checkpoint DIR] [--restart DIR]
/// It prints "pid RANK ID" of each rank, "written K" when the checkpoint of iteration K is
/// complete, and at last "done K SUM", where SUM depends on every bit of all vectors. On
/// SIGTERM and SIGUSR1 it writes a checkpoint and exits 1, as `cairn solve` does. With --self
/// it is one process, without MPI. Exit 3: what it restarted from was not what was written.

#include "comm/mpi/mpi.h"
#include "support/checkpoint_state.h"

#include <mpi.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t ended; ///< A signal came.

static void end(int number)
{
    (void)number;
    ended = 1;
}

typedef struct {
    int64_t     rows, iterations;
    useconds_t  pause; ///< Microseconds an iteration.
    int64_t     every; ///< Iterations from checkpoint to checkpoint, at least.
    bool        self;
    const char *checkpoint, *restart; ///< NULL: none.
} options;

static options read_options(int argc, char **argv)
{
    options o = {.every = 1};

    if (argc < 4) exit(2);
    o.rows       = strtoll(argv[1], NULL, 10);
    o.iterations = strtoll(argv[2], NULL, 10);
    o.pause      = (useconds_t)strtol(argv[3], NULL, 10);
    for (int k = 4; k < argc; k++)
        if (strcmp(argv[k], "--self") == 0)
            o.self = true;
        else if (k + 1 == argc)
            exit(2);
        else if (strcmp(argv[k], "--every") == 0)
            o.every = strtoll(argv[++k], NULL, 10);
        else if (strcmp(argv[k], "--checkpoint") == 0)
            o.checkpoint = argv[++k];
        else if (strcmp(argv[k], "--restart") == 0)
            o.restart = argv[++k];
        else
            exit(2);
    return o;
}

static void say(void *user, const char *message)
{
    (void)user;
    fprintf(stderr, "worker: %s\n", message);
}

static void must(cairn_comm *comm, cairn_status status)
{
    if (status == CAIRN_OK) return;
    if (comm->rank == 0) fprintf(stderr, "worker: %s\n", comm->env->message);
    if (comm->size > 1) MPI_Finalize();
    _exit(cairn_status_failed_here(status) ? 1 : 2);
}

/// Where to go on; what was read must be what was written.
static void go_on(cairn_comm *comm, const char *folder, method *m, int64_t *generation)
{
    cairn_checkpoint state;

    must(comm, cairn_checkpoint_read(comm, folder, &m->state, &state));
    if (!method_is(&state)) {
        fprintf(stderr, "worker: rank %d read other bits than were written\n",
                comm->rank);
        _exit(3);
    }
    method_iterate(m, state.iteration);
    *generation = state.generation;
    if (comm->rank == 0) printf("restarted %" PRId64 "\n", state.iteration);
    cairn_checkpoint_fini(comm->env, &state);
}

/// A number of all bits.
static int64_t sum_up(cairn_comm *comm, const method *m)
{
    int64_t sum = 0;

    for (int64_t k = 0; k < m->state.end_row - m->state.first_row; k++)
        sum += (int64_t)((m->wide[0][k] ^ m->wide[1][k] * 3 ^ m->narrow[k]) >> 20);
    must(comm, comm->ops->allreduce(comm, &sum, 1, CAIRN_SUM));
    return sum;
}

/// Iterate. @return false: a signal has ended it.
static bool
iterate(cairn_comm *comm, const options *o, method *m, cairn_checkpoint_writer *writer)
{
    int64_t begun = m->state.iteration;

    for (int64_t k = m->state.iteration + 1; k <= o->iterations; k++) {
        method_iterate(m, k);
        usleep(o->pause);
        if (writer && k >= begun + o->every && cairn_checkpoint_idle(writer)) {
            cairn_checkpoint_begin(writer, &m->state);
            begun = k;
        }
        int64_t least[2] = {writer ? cairn_checkpoint_progress(writer) : 0, -ended};

        must(comm, comm->ops->allreduce(comm, least, 2, CAIRN_MIN));
        if (writer && !cairn_checkpoint_idle(writer)) {
            cairn_checkpoint_advance(writer, (cairn_checkpoint_progress_kind)least[0]);
            if (cairn_checkpoint_idle(writer) && least[0] == CAIRN_CHECKPOINT_WRITTEN
                && comm->rank == 0) {
                printf("written %" PRId64 "\n", begun);
                fflush(stdout);
            }
        }
        if (least[1] == 0) continue;
        if (writer) cairn_checkpoint_finish(writer);
        if (writer) cairn_checkpoint_begin(writer, &m->state);
        if (writer) cairn_checkpoint_finish(writer);
        if (comm->rank == 0) printf("ended %" PRId64 "\n", k);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const options            o = read_options(argc, argv);
    cairn_env                env;
    cairn_comm              *comm;
    cairn_checkpoint_writer *writer     = NULL;
    int64_t                  generation = 0;

    signal(SIGTERM, end);
    signal(SIGUSR1, end);
    cairn_env_init(&env);
    env.log.tell = say;
    if (!o.self) MPI_Init(&argc, &argv);
    if ((o.self ? cairn_comm_self(&env, &comm)
                : cairn_comm_mpi(&env, MPI_COMM_WORLD, &comm))
        != CAIRN_OK)
        return 1;
    printf("pid %d %ld\n", comm->rank, (long)getpid());
    fflush(stdout);
    method m = method_up(o.rows, comm->rank, comm->size);

    method_iterate(&m, 0);
    if (o.restart) go_on(comm, o.restart, &m, &generation);
    if (o.checkpoint)
        must(comm,
             cairn_checkpoint_open(comm, o.checkpoint, &m.state, generation, &writer));
    const bool    done = iterate(comm, &o, &m, writer);
    const int64_t sum  = sum_up(comm, &m);

    if (done && comm->rank == 0)
        printf("done %" PRId64 " %016" PRIx64 "\n", m.state.iteration, (uint64_t)sum);
    fflush(stdout);
    cairn_checkpoint_close(&writer);
    method_down(&m);
    cairn_comm_destroy(&comm);
    if (!o.self) MPI_Finalize();
    cairn_env_fini(&env);
    return !done;
}
