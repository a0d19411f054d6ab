// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Checkpoints of ranks: written on some, read on others, some of which meet what the rest
/// do not; and what a process leaves that is killed while it writes.

#include "checkpoint/generations.h"
#include "rank_contexts.h"
#include "seed.h"
#include "support/checkpoint_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { ROWS = 50000, RANKS = 8 };

extern char **environ;

/// Of the first n ranks; NULL on the others.
static cairn_comm *first[RANKS + 1];
static char        folder[64], kept[80];
static char        log_text[4096];

static void note(void *user, const char *message)
{
    (void)user;
    strncat(log_text, message, sizeof log_text - strlen(log_text) - 2);
    strcat(log_text, "\n");
}

static void checkpoint_up(void)
{
    mpi_up();
    env.log.tell = note;
    log_text[0]  = '\0';
    for (int n = 1; n <= size; n++) {
        MPI_Comm group = first_ranks(n);

        first[n] = NULL;
        if (group == MPI_COMM_NULL) continue;
        if (cairn_comm_mpi(&env, group, &first[n]) != CAIRN_OK) abort();
        MPI_Comm_free(&group);
    }
    shared_scratch(folder);
    snprintf(kept, sizeof kept, "%s/kept", folder);
}

/// All ranks have done with the folder.
static void empty_folder(void)
{
    struct dirent *entry;
    DIR           *dir;

    MPI_Barrier(MPI_COMM_WORLD);
    dir = rank == 0 ? opendir(kept) : NULL;
    while (dir && (entry = readdir(dir)))
        unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir) closedir(dir);
    if (dir) rmdir(kept);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void checkpoint_down(void)
{
    empty_folder();
    if (rank == 0) cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
    for (int n = 1; n <= size; n++)
        if (first[n]) cairn_comm_destroy(&first[n]);
    mpi_down();
}

TestSuite(checkpoint_ranks,
          .init    = checkpoint_up,
          .fini    = checkpoint_down,
          .timeout = 900);

/// Write states after iterations 1 .. @p last on the first @p n ranks.
static cairn_status write_on(int n, int64_t rows, int64_t last)
{
    cairn_checkpoint_writer *writer = NULL;
    cairn_status             status;

    if (!first[n]) return CAIRN_OK;
    method m = method_up(rows, rank, n);

    status = cairn_checkpoint_open(first[n], kept, &m.state, 0, &writer);
    for (int64_t k = 1; k <= last && status == CAIRN_OK; k++) {
        method_iterate(&m, k);
        cairn_checkpoint_begin(writer, &m.state);
        if (cairn_checkpoint_finish(writer) != k) status = CAIRN_IO;
    }
    cairn_checkpoint_close(&writer);
    method_down(&m);
    return status;
}

/// Read on the first @p n ranks. @return The iteration, if every bit is right; 0 on the other
/// ranks, -1 where it fails.
static int64_t read_on(int n, int64_t rows)
{
    cairn_checkpoint state = {0};
    int64_t          found = -1;

    if (!first[n]) return 0;
    method m = method_up(rows, rank, n);

    if (cairn_checkpoint_read(first[n], kept, &m.state, &state) == CAIRN_OK) {
        if (method_is(&state)) found = state.iteration;
        cairn_checkpoint_fini(&env, &state);
    }
    method_down(&m);
    return found;
}

Test(checkpoint_ranks, any_number_reads_what_any_number_wrote)
{
    static const int64_t rows[] = {0, 2, ROWS};

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int w = 1; w <= size; w++) {
            ON_ALL_RANKS(write_on(w, rows[k], 3) == CAIRN_OK, "%s", env.message);
            MPI_Barrier(MPI_COMM_WORLD);
            for (int r = 1; r <= size; r++)
                ON_ALL_RANKS(read_on(r, rows[k]) == (rank < r ? 3 : 0),
                             "%ld rows of %d ranks on %d: %s", (long)rows[k], w, r,
                             env.message);
            empty_folder();
        }
    ON_ALL_RANKS(log_text[0] == '\0', "%s", log_text);
}

/// What one rank alone reads is damaged: all take the older one.
Test(checkpoint_ranks, all_take_the_generation_that_all_can)
{
    ON_ALL_RANKS(write_on(size, ROWS, 2) == CAIRN_OK, "%s", env.message);
    for (int w = 0; w < size; w++) {
        char          path[160];
        char          byte;
        const int64_t rows =
            method_bound(ROWS, w + 1, size) - method_bound(ROWS, w, size);

        if (rows == 0) continue;
        log_text[0] = '\0';
        snprintf(path, sizeof path, "%s/generation-000002.share-%d", kept, w);
        if (rank == 0) {
            const int fd = open(path, O_RDWR);

            cr_assert(pread(fd, &byte, 1, 4000) == 1);
            byte ^= 4;
            cr_assert(pwrite(fd, &byte, 1, 4000) == 1);
            close(fd);
        }
        for (int r = 1; r <= size; r++) {
            MPI_Barrier(MPI_COMM_WORLD);
            ON_ALL_RANKS(read_on(r, ROWS) == (rank < r ? 1 : 0), "share %d: %s", w,
                         env.message);
        }
        ON_ALL_RANKS(rank > 0 || strstr(log_text, path), "%s", log_text);
        if (rank > 0) continue;
        const int fd = open(path, O_RDWR);

        byte ^= 4;
        cr_assert(pwrite(fd, &byte, 1, 4000) == 1);
        close(fd);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    ON_ALL_RANKS(read_on(size, ROWS) == 2, "%s", env.message);
}

/// One rank's disk is full: none has a checkpoint, and rank 0 says so, once.
Test(checkpoint_ranks, one_full_disk_is_all_ranks)
{
    const struct rlimit      little = {4096, RLIM_INFINITY};
    const struct rlimit      none   = {RLIM_INFINITY, RLIM_INFINITY};
    cairn_checkpoint_writer *writer = NULL;
    method                   m      = method_up(ROWS, rank, size);
    char                     last[16];

    signal(SIGXFSZ, SIG_IGN);
    ON_ALL_RANKS(cairn_checkpoint_open(comm, kept, &m.state, 0, &writer) == CAIRN_OK,
                 "%s", env.message);
    for (int64_t k = 1; k <= 3; k++) {
        if (rank == size - 1 && k < 3) setrlimit(RLIMIT_FSIZE, &little);
        method_iterate(&m, k);
        cairn_checkpoint_begin(writer, &m.state);
        const int64_t newest = cairn_checkpoint_finish(writer);

        setrlimit(RLIMIT_FSIZE, &none);
        ON_ALL_RANKS(newest == (k < 3 ? 0 : 3), "%ld: %s", (long)newest, env.message);
    }
    const char *const said = strstr(log_text, "File too large");

    ON_ALL_RANKS(rank > 0 ? !log_text[0] : said && !strstr(said + 1, "File too large"),
                 "%s", log_text);
    snprintf(last, sizeof last, "rank %d: ", size - 1);
    ON_ALL_RANKS(rank > 0 || size == 1 || strstr(log_text, last), "%s", log_text);
    cairn_checkpoint_close(&writer);
    method_down(&m);
    ON_ALL_RANKS(read_on(size, ROWS) == 3, "%s", env.message);
}

/// The last rank has no memory for its first, second ... block: all ranks fail alike, or
/// leave the checkpoint out alike.
Test(checkpoint_ranks, one_rank_without_memory_is_all_ranks)
{
    cairn_checkpoint_writer *writer = NULL;
    method                   m      = method_up(ROWS, rank, size);
    cairn_checkpoint         state  = {0};
    int64_t                  live   = env.live_blocks;
    cairn_status             status;
    int                      failed = 0;

    for (int64_t k = 0;; k++, failed++) {
        if (rank == size - 1) env.allowed = k;
        status      = cairn_checkpoint_open(comm, kept, &m.state, 0, &writer);
        env.allowed = -1;
        ON_ALL_RANKS(status == CAIRN_OK || (status == CAIRN_NO_MEMORY && !writer), "%s",
                     env.message);
        if (on_all_ranks(status == CAIRN_OK)) break;
        ON_ALL_RANKS(status != CAIRN_OK && env.live_blocks == live, "block %ld",
                     (long)k);
    }
    live = env.live_blocks;
    for (int64_t k = 0;; k++, failed++) {
        method_iterate(&m, k + 1);
        if (rank == size - 1) env.allowed = k;
        cairn_checkpoint_begin(writer, &m.state);
        const bool written = cairn_checkpoint_finish(writer) > 0;

        env.allowed = -1;
        if (on_all_ranks(written)) break;
        ON_ALL_RANKS(!written, "block %ld", (long)k);
    }
    cairn_checkpoint_close(&writer);
    for (int64_t k = 0;; k++, failed++) {
        const int64_t before = env.live_blocks;

        if (rank == size - 1) env.allowed = k;
        status      = cairn_checkpoint_read(comm, kept, &m.state, &state);
        env.allowed = -1;
        if (on_all_ranks(status == CAIRN_OK)) break;
        ON_ALL_RANKS(status == CAIRN_NO_MEMORY && env.live_blocks == before,
                     "block %ld: %s", (long)k, env.message);
    }
    ON_ALL_RANKS(method_is(&state), "iteration %ld", (long)state.iteration);
    ON_ALL_RANKS(failed > 10, "only %d failed", failed);
    cairn_checkpoint_fini(&env, &state);
    method_down(&m);
}

Test(checkpoint_ranks, rows_that_do_not_follow_are_refused)
{
    cairn_checkpoint_writer *writer = NULL;
    method                   m      = method_up(ROWS, rank, size);

    if (rank == size - 1) m.state.end_row--;
    ON_ALL_RANKS(cairn_checkpoint_open(comm, kept, &m.state, 0, &writer)
                     == CAIRN_BAD_ARGUMENT,
                 "%s", env.message);
    m.state.end_row = method_bound(ROWS, rank + 1, size);
    if (rank == size - 1) m.state.method = "another";
    const cairn_status status = cairn_checkpoint_open(comm, kept, &m.state, 0, &writer);

    ON_ALL_RANKS(status == (size > 1 ? CAIRN_BAD_ARGUMENT : CAIRN_OK), "%s",
                 env.message);
    cairn_checkpoint_close(&writer);
    method_down(&m);
}

/* ---- kills ---- */

/// Start the worker, one process without MPI, whose output is read from @p out.
static pid_t start_worker(bool restart, int *out)
{
    char  rows[16];
    int   ends[2];
    char *argv[] = {CAIRN_CHECKPOINT_WORKER, rows, "1000000000", "200", "--self",
                    "--checkpoint",          kept, "--restart",  kept,  NULL};
    pid_t pid;

    snprintf(rows, sizeof rows, "%d", ROWS);
    if (!restart) argv[7] = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0) abort();
    pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execv(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    *out = ends[0];
    return pid;
}

/// How often a text is in another.
static int count(const char *text, const char *word)
{
    int times = 0;

    for (; (text = strstr(text, word)); text++)
        times++;
    return times;
}

/// Wait until a worker knows of some complete checkpoints, and kill it a moment later.
/// @return The last iteration whose checkpoint it knew to be complete; 0: it knew of none.
static int64_t kill_one(bool restart, uint64_t *random)
{
    static char text[1 << 20];
    const int   wanted = random_below(random, 4);
    size_t      length = 0;
    bool        killed = false;
    int64_t     last   = 0;
    int         out, status;
    ssize_t     n;
    const pid_t pid = start_worker(restart, &out);

    while ((n = read(out, text + length, sizeof text - 1 - length)) > 0) {
        length += (size_t)n;
        text[length] = '\0';
        if (killed || !strstr(text, "pid") || count(text, "written") < wanted) continue;
        usleep((useconds_t)random_below(random, 20000));
        kill(pid, SIGKILL);
        killed = true;
    }
    close(out);
    waitpid(pid, &status, 0);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
              "it ended by itself, with %d: %s", status, text);
    for (char *at = text; (at = strstr(at, "written ")); at++)
        if (strchr(at, '\n')) last = strtoll(at + strlen("written "), NULL, 10);
    return last;
}

/// 50 kills on three ranks, each of a worker that went on from where the last was killed.
Test(checkpoint_ranks, a_kill_leaves_what_was_complete)
{
    const int kills  = seed_cases(size == 3 ? 50 : 10);
    uint64_t  random = seed_clock() + (uint64_t)size;
    int64_t   known  = 0; /* the newest that must be there */
    int       found  = 0;

    for (int k = 0; k < kills; k++) {
        const int n = 1 + k % size;

        if (rank == 0) {
            const int64_t last = kill_one(known > 0, &random);

            if (last > known) known = last;
        }
        MPI_Bcast(&known, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
        const int64_t got = read_on(n, ROWS);

        ON_ALL_RANKS(!first[n] || got >= known || (known == 0 && got == -1),
                     "kill %d: %ld after %ld on %d ranks: %s", k, (long)got,
                     (long)known, n, env.message);
        if (rank == 0 && got > 0) known = got, found++;
        MPI_Bcast(&known, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    }
    ON_ALL_RANKS(rank > 0 || found > kills / 2, "%d of %d left anything", found, kills);
    ON_ALL_RANKS(log_text[0] == '\0', "a generation was refused: %s", log_text);
}
