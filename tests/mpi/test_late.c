// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A rank that comes late to any step of making a context: the others say that they wait.
/// MPI's own functions are wrapped here, where the late rank sleeps before it goes on.

#include "mpi_suite.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/// Steps of it, each a call that all ranks make.
enum { NO_STEP, MEET, DUPLICATE, AGREE, NODES };

#define LATE 3 ///< Seconds; waits are told after one.

static int  step;       ///< To which the late rank comes late.
static int  reductions; ///< MPI_Iallreduce() so far.
static int  told;       ///< Messages of this rank's log.
static char words[500]; ///< The last.

static void come_late(int to)
{
    if (step == to && rank == size - 1) sleep(LATE);
}

int MPI_Iallreduce(const void  *mine,
                   void        *all,
                   int          n,
                   MPI_Datatype type,
                   MPI_Op       op,
                   MPI_Comm     on,
                   MPI_Request *request)
{
    reductions++;
    if (reductions == 1) come_late(MEET);
    if (reductions == 2) come_late(AGREE);
    return PMPI_Iallreduce(mine, all, n, type, op, on, request);
}

int MPI_Comm_idup(MPI_Comm world, MPI_Comm *copy, MPI_Request *request)
{
    come_late(DUPLICATE);
    return PMPI_Comm_idup(world, copy, request);
}

int MPI_Iallgather(const void  *mine,
                   int          n,
                   MPI_Datatype type,
                   void        *all,
                   int          m,
                   MPI_Datatype of,
                   MPI_Comm     on,
                   MPI_Request *request)
{
    come_late(NODES);
    return PMPI_Iallgather(mine, n, type, all, m, of, on, request);
}

static void keep(void *user, const char *message)
{
    (void)user;
    told++;
    snprintf(words, sizeof words, "%s", message);
}

TestSuite(late, .init = mpi_up, .fini = mpi_down, .timeout = 500);

/// Make a communicator to whose step @p to a rank comes late. @return whether a rank told.
static bool told_of(int to)
{
    cairn_env   own;
    cairn_comm *fresh = NULL;
    int         any;

    cairn_env_init(&own);
    own.options.wait_warn = (cairn_option_seconds){.set = true, .seconds = 1};
    own.log.tell          = keep;
    told = reductions         = 0;
    step                      = to;
    const cairn_status status = cairn_comm_mpi(&own, MPI_COMM_WORLD, &fresh);

    step = NO_STEP;
    cr_expect_eq(status, CAIRN_OK, "%s", own.message);
    cairn_comm_destroy(&fresh);
    cr_expect_eq(own.live_blocks, 0);
    cairn_env_fini(&own);
    MPI_Allreduce(&told, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any > 0 && (told == 0 || strstr(words, "to: starting"));
}

Test(late, to_the_first_meeting)
{
    ON_ALL_RANKS(told_of(MEET), "%s", words);
}

Test(late, to_duplicating)
{
    ON_ALL_RANKS(told_of(DUPLICATE), "%s", words);
}

Test(late, to_the_first_agreement)
{
    ON_ALL_RANKS(told_of(AGREE), "%s", words);
}

Test(late, to_finding_nodes)
{
    ON_ALL_RANKS(told_of(NODES), "%s", words);
}

/// Who makes a context cannot have set a log: standard error has it.
Test(late, to_a_context)
{
    cairn_context *context = NULL;
    char           file[64], text[1000] = "";

    setenv("CAIRN_WAIT_WARN", "1", 1);
    snprintf(file, sizeof file, "/tmp/late-%d-%d", (int)getpid(), rank);
    const int own = dup(2), fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);

    unlink(file);
    dup2(fd, 2);
    if (rank == size - 1) sleep(LATE);
    const cairn_status status = cairn_context_create_mpi(MPI_COMM_WORLD, &context);

    dup2(own, 2);
    close(own);
    unsetenv("CAIRN_WAIT_WARN");
    if (pread(fd, text, sizeof text - 1, 0) < 0) text[0] = '\0';
    close(fd);
    ON_ALL_RANKS(status == CAIRN_OK, "%s", cairn_context_message(context));
    const int says =
        strstr(text, "cairn: warning: MPI: waited for 1 s: some rank has not come to")
        != NULL;
    int any = 0;

    MPI_Allreduce(&says, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    cairn_context_destroy(&context);
    ON_ALL_RANKS(any, "nothing of it: %s", text);
}
