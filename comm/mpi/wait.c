// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every wait for other ranks. It looks again and again, as MPI itself does; only what has
/// lasted some time looks at the clock, and at notes of others (comm/mpi/watch.h).

#include "base/patience.h"
#include "comm/mpi/watch.h"

#include <stdio.h>

enum {
    QUICK  = 256, ///< Looks before the clock is looked at at all,
    STRIDE = 64,  ///< and between two looks at it.
};

#define FIRST_NOTES 0.01 ///< Seconds of waiting before notes of others are read.
#define GRACE       1.0  ///< Seconds for answers at most.

/// A wait that lasts.
typedef struct {
    cairn_comm    *comm;
    int            n;
    MPI_Request   *request; ///< [n]
    int            peers;   ///< n; or of one collective call of neighbours.
    const int     *peer;    ///< [peers]; NULL: collective.
    cairn_patience patience;
    bool           asked; ///< In this turn,
    double         since; ///< which began then (cairn_seconds()).
} long_wait;

cairn_status cairn_mpi_check_lost(cairn_comm *comm)
{
    CAIRN_CHECK(!comm->lost, comm->env, CAIRN_COMM, "MPI: %s",
                cairn_mpi_watch_why(comm));
    return CAIRN_OK;
}

/// Who has not sent, or not received, yet: at most @p most ranks. A collective call of
/// neighbours does not tell which of them.
static int list_peers(const long_wait *w, int *peer, int most)
{
    int count = 0;

    for (int k = 0; w->peer && k < w->peers && count < most; k++) {
        int done = w->peers == w->n;

        if (w->peers == w->n && w->request[k] != MPI_REQUEST_NULL)
            MPI_Request_get_status(w->request[k], &done, MPI_STATUS_IGNORE);
        if (!done) peer[count++] = w->peer[k];
    }
    return count;
}

/// The time has come to tell, or to give up.
static cairn_status conclude(long_wait *w, double waited)
{
    cairn_comm           *comm = w->comm;
    const cairn_wait_turn turn = cairn_patience_turn(&w->patience, waited);
    char                  who[480], why[CAIRN_MESSAGE];
    int                   peer[64];
    const int             n = list_peers(w, peer, 64);
    const int first = cairn_mpi_watch_say(comm, !w->peer, n, peer, who, sizeof who);

    w->asked = false;
    if (turn == CAIRN_WAIT_GIVE_UP) {
        snprintf(why, sizeof why, "given up after %.3g s: %s", w->patience.reached,
                 who);
        cairn_mpi_watch_lose(comm, why, first, true);
        return cairn_mpi_check_lost(comm);
    }
    if (turn == CAIRN_WAIT_TELL && !cairn_mpi_watch_others_tell(comm, w->since))
        cairn_log(comm->env, "MPI: waited for %.3g s: %s", w->patience.reached, who);
    w->since = cairn_seconds();
    return CAIRN_OK;
}

/// Read notes, and see whether it is time to ask or to conclude.
static cairn_status look_around(long_wait *w)
{
    const double waited = cairn_patience_waited(&w->patience);
    const double due    = cairn_patience_due(&w->patience);
    const double grace  = due / 4 < GRACE ? due / 4 : GRACE;

    if (waited < FIRST_NOTES) return CAIRN_OK;
    if (cairn_mpi_watch_listen(w->comm)) return cairn_mpi_check_lost(w->comm);
    if (due <= 0 || waited < due - grace) return CAIRN_OK;
    if (!w->asked) {
        cairn_mpi_watch_ask(w->comm, w->since);
        w->asked = true;
    }
    return waited < due ? CAIRN_OK : conclude(w, waited);
}

static cairn_status wait_long(long_wait *w, const char *what)
{
    cairn_env *env  = w->comm->env;
    int        done = 0;

    for (int64_t k = 0;; k++) {
        CAIRN_MPI(env, what, MPI_Testall(w->n, w->request, &done, MPI_STATUSES_IGNORE));
        if (done) return CAIRN_OK;
        if (k == QUICK) {
            w->patience = cairn_patience_begin(env);
            w->since    = w->patience.begin;
        }
        if (k > QUICK && k % STRIDE == 0) CAIRN_TRY(look_around(w));
    }
}

cairn_status cairn_mpi_wait(cairn_comm  *comm,
                            const char  *what,
                            int          n,
                            MPI_Request *request,
                            const int   *peer)
{
    long_wait w = {.comm = comm, .n = n, .request = request, .peers = n, .peer = peer};

    if (!peer) cairn_mpi_state_of(comm)->calls++;
    return wait_long(&w, what);
}

cairn_status cairn_mpi_wait_neighbours(cairn_comm  *comm,
                                       MPI_Request *request,
                                       int          peers,
                                       const int   *peer)
{
    long_wait w = {
        .comm = comm, .n = 1, .request = request, .peers = peers, .peer = peer};

    return wait_long(&w, "neighbours");
}

/// Wait where there is no communicator yet, whose ranks could be asked who is late.
static cairn_status wait_without(cairn_env *env, const char *what, MPI_Request *request)
{
    cairn_patience  patience = cairn_patience_begin(env);
    cairn_wait_turn turn     = CAIRN_WAIT_ON;
    int             done     = 0;

    while (!done) {
        const double waited = cairn_patience_waited(&patience);

        CAIRN_MPI(env, what, MPI_Test(request, &done, MPI_STATUS_IGNORE));
        if (!done) turn = cairn_patience_turn(&patience, waited);
        CAIRN_CHECK(done || turn != CAIRN_WAIT_GIVE_UP, env, CAIRN_COMM,
                    "MPI: given up after %.3g s: some rank has not come to: %s",
                    patience.reached, env->log.doing);
        if (!done && turn == CAIRN_WAIT_TELL)
            cairn_log(env, "MPI: waited for %.3g s: some rank has not come to: %s",
                      patience.reached, env->log.doing);
    }
    return CAIRN_OK;
}

cairn_status cairn_mpi_meet(cairn_env *env, MPI_Comm world, bool mine, bool *all)
{
    const int   ok  = mine;
    int         sum = 0;
    MPI_Request request;

    CAIRN_MPI(env, "allreduce",
              MPI_Iallreduce(&ok, &sum, 1, MPI_INT, MPI_MIN, world, &request));
    CAIRN_TRY(wait_without(env, "allreduce", &request));
    *all = sum;
    return CAIRN_OK;
}

cairn_status cairn_mpi_duplicate(cairn_env *env, MPI_Comm world, MPI_Comm *copy)
{
    MPI_Request request;

    CAIRN_MPI(env, "duplicate", MPI_Comm_idup(world, copy, &request));
    return wait_without(env, "duplicate", &request);
}

cairn_status cairn_mpi_duplicate_own(cairn_comm *comm, MPI_Comm *copy)
{
    MPI_Request request;

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    CAIRN_MPI(comm->env, "duplicate",
              MPI_Comm_idup(cairn_mpi_state_of(comm)->comm, copy, &request));
    CAIRN_TRY(cairn_mpi_wait(comm, "duplicate", 1, &request, NULL));
    CAIRN_MPI(comm->env, "error handler",
              MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN));
    return CAIRN_OK;
}
