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

enum { NO_STEP, DUPLICATE, SPLIT, NAME };

#define LATE 3 ///< Seconds; waits are told after one.

static int  step;       ///< To which the late rank comes late.
static int  sizes;      ///< MPI_Comm_size() so far.
static int  told;       ///< Messages of this rank's log.
static char words[500]; ///< The last.

static void come_late(int to)
{
    const int late = step == NAME ? 0 : size - 1; /* the name is rank 0's to send */

    if (step == to && rank == late) sleep(LATE);
}

int MPI_Comm_dup(MPI_Comm world, MPI_Comm *copy)
{
    come_late(DUPLICATE);
    return PMPI_Comm_dup(world, copy);
}

int MPI_Comm_idup(MPI_Comm world, MPI_Comm *copy, MPI_Request *request)
{
    come_late(DUPLICATE);
    return PMPI_Comm_idup(world, copy, request);
}

/// The last call between duplicating and splitting.
int MPI_Comm_rank(MPI_Comm on, int *mine)
{
    come_late(SPLIT);
    return PMPI_Comm_rank(on, mine);
}

/// Of the whole twice, then, before the name is sent, of the node.
int MPI_Comm_size(MPI_Comm on, int *all)
{
    if (++sizes == 3) come_late(NAME);
    return PMPI_Comm_size(on, all);
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
    told = sizes              = 0;
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

Test(late, to_duplicating)
{
    ON_ALL_RANKS(told_of(DUPLICATE), "%s", words);
}

Test(late, to_splitting)
{
    ON_ALL_RANKS(told_of(SPLIT), "%s", words);
}

Test(late, to_the_name_of_the_node)
{
    ON_ALL_RANKS(told_of(NAME), "%s", words);
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
