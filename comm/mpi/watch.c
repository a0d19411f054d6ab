// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Notes between ranks that wait.

#include "comm/mpi/watch.h"

#include <stdio.h>
#include <string.h>

#define TOGETHER 2.0 ///< Seconds within which two ranks ask at the same time.

enum { ASK, ANSWER, GIVEN_UP };

enum {
    TEXT  = 256,
    NAMED = 8, ///< Ranks that a message lists.
};

/// A note; small enough to be sent at once by every transport.
typedef struct {
    int     kind, round; ///< Of the question; an answer has that of its question.
    int     first;       ///< GIVEN_UP: the lowest rank that answers.
    bool    tells;       ///< ASK: it will tell what it hears.
    int64_t call;        ///< The collective call that the sender is in, or was last.
    char    text[TEXT];  ///< What it does; GIVEN_UP: why.
} note;

/// What is known of a rank.
typedef struct {
    int64_t     call;
    int         round; ///< The last question that it has answered.
    char        doing[TEXT];
    MPI_Request request; ///< Of `out`.
    note        out;
} other;

struct cairn_mpi_watch {
    int    round;  ///< Questions so far.
    bool   tells;  ///< This rank said with its last one that it will tell.
    int    teller; ///< The last other rank that said so, of several the lowest,
    double heard;  ///< and when it was heard; 0: none ever.
    char   why[CAIRN_MESSAGE]; ///< "": not lost.
    other  rank[];             ///< [size]
};

static cairn_mpi_watch *watch_of(const cairn_comm *comm)
{
    return cairn_mpi_state_of(comm)->watch;
}

cairn_status cairn_mpi_watch_create(cairn_env *env, int size, cairn_mpi_watch **watch)
{
    cairn_mpi_watch *fresh = NULL;

    CAIRN_TRY(cairn_alloc_zero(env, 1, sizeof *fresh + (size_t)size * sizeof(other),
                               (void **)&fresh));
    for (int r = 0; r < size; r++)
        fresh->rank[r].request = MPI_REQUEST_NULL;
    *watch = fresh;
    return CAIRN_OK;
}

void cairn_mpi_watch_destroy(cairn_env *env, cairn_mpi_watch **watch)
{
    cairn_free(env, *watch);
    *watch = NULL;
}

/// Send a note, unless the last one to that rank has not gone yet: then it reads none.
static void send_note(cairn_comm *comm, int to, note n)
{
    other *o    = &watch_of(comm)->rank[to];
    int    sent = 0;

    n.call = cairn_mpi_state_of(comm)->calls;
    if (MPI_Test(&o->request, &sent, MPI_STATUS_IGNORE) != MPI_SUCCESS || !sent) return;
    o->out = n;
    MPI_Isend(&o->out, sizeof o->out, MPI_BYTE, to, CAIRN_TAG_WATCH,
              cairn_mpi_state_of(comm)->comm, &o->request);
}

/// A note with what this rank does.
static note make_note(const cairn_comm *comm, int kind, int round)
{
    note n = {.kind = kind, .round = round, .tells = watch_of(comm)->tells};

    snprintf(n.text, sizeof n.text, "%s", comm->env->log.doing);
    return n;
}

void cairn_mpi_watch_ask(cairn_comm *comm, double since)
{
    cairn_mpi_watch *watch = watch_of(comm);

    watch->round++;
    watch->tells = watch->heard < since;
    for (int r = 0; r < comm->size; r++)
        if (r != comm->rank) send_note(comm, r, make_note(comm, ASK, watch->round));
}

/// What a note says of who sent it.
static bool read_note(cairn_comm *comm, int from, const note *n)
{
    cairn_mpi_watch *watch = watch_of(comm);
    other           *o     = &watch->rank[from];

    o->call = n->call;
    if (n->kind == GIVEN_UP) {
        cairn_mpi_watch_lose(comm, n->text, n->first, false);
        return true;
    }
    snprintf(o->doing, sizeof o->doing, "%s", n->text);
    o->round = n->kind == ANSWER ? n->round : watch->round;
    if (n->kind == ANSWER) return false;
    if (n->tells) {
        const double now = cairn_seconds();

        if (from < watch->teller || now > watch->heard + TOGETHER) watch->teller = from;
        watch->heard = now;
    }
    send_note(comm, from, make_note(comm, ANSWER, n->round));
    return false;
}

bool cairn_mpi_watch_listen(cairn_comm *comm)
{
    MPI_Comm   all = cairn_mpi_state_of(comm)->comm;
    MPI_Status about;
    note       n;
    int        there = 0;

    while (MPI_Iprobe(MPI_ANY_SOURCE, CAIRN_TAG_WATCH, all, &there, &about)
               == MPI_SUCCESS
           && there) {
        if (MPI_Recv(&n, sizeof n, MPI_BYTE, about.MPI_SOURCE, CAIRN_TAG_WATCH, all,
                     MPI_STATUS_IGNORE)
            != MPI_SUCCESS)
            return false;
        if (read_note(comm, about.MPI_SOURCE, &n)) return true;
    }
    return false;
}

bool cairn_mpi_watch_others_tell(const cairn_comm *comm, double since)
{
    const cairn_mpi_watch *watch = watch_of(comm);

    return !watch->tells || (watch->heard >= since && watch->teller < comm->rank);
}

/// Those of all ranks, or of some, that have a property.
typedef struct {
    const cairn_comm *comm;
    int               n;    ///< -1: all ranks.
    const int        *peer; ///< [n]
    bool (*is)(const cairn_comm *comm, int rank);
} choice;

static bool is_silent(const cairn_comm *comm, int rank)
{
    const cairn_mpi_watch *watch = watch_of(comm);

    return rank != comm->rank && watch->rank[rank].round != watch->round;
}

/// Has it not come to the collective call of this rank?
static bool is_behind(const cairn_comm *comm, int rank)
{
    return rank != comm->rank
           && watch_of(comm)->rank[rank].call < cairn_mpi_state_of(comm)->calls;
}

static bool is_silent_behind(const cairn_comm *comm, int rank)
{
    return is_silent(comm, rank) && is_behind(comm, rank);
}

static bool is_other(const cairn_comm *comm, int rank)
{
    return rank != comm->rank;
}

static bool is_meant(const choice *c, int rank)
{
    bool among = c->n < 0;

    for (int k = 0; k < c->n && !among; k++)
        among = c->peer[k] == rank;
    return among && c->is(c->comm, rank);
}

/// Print the ranks of a choice: "rank 2", "ranks 2, 5 and 7", "ranks 1, ... and 90 more".
/// @param[out] first  The lowest. @return how many there are.
static int print_ranks(const choice *c, char *text, size_t size, int *first)
{
    size_t length = 0;
    int    count = 0, named = 0;

    for (int r = 0; r < c->comm->size; r++)
        if (is_meant(c, r) && count++ == 0) *first = r;
    length += (size_t)snprintf(text, size, count == 1 ? "rank" : "ranks");
    for (int r = 0; r < c->comm->size && named < NAMED && length < size; r++) {
        const char *before = named == 0 ? " " : named == count - 1 ? " and " : ", ";

        if (!is_meant(c, r)) continue;
        named++;
        length += (size_t)snprintf(text + length, size - length, "%s%d", before, r);
    }
    if (named < count && length < size)
        snprintf(text + length, size - length, " and %d more", count - named);
    return count;
}

static int lowest_there(const cairn_comm *comm)
{
    int r = 0;

    while (r < comm->rank && is_silent(comm, r))
        r++;
    return r;
}

int cairn_mpi_watch_say(const cairn_comm *comm,
                        bool              collective,
                        int               n,
                        const int        *peer,
                        char             *text,
                        size_t            size)
{
    const char *const doing = comm->env->log.doing;
    char              ranks[200];
    int               first  = 0;
    choice            peers  = {comm, collective ? -1 : n, peer, is_silent_behind};
    choice            anyone = {comm, -1, NULL, is_silent};

    if (!collective) peers.is = is_silent;
    const int missing = print_ranks(&peers, ranks, sizeof ranks, &first);

    if (missing > 0) {
        snprintf(text, size, "%s %s not come to: %s", ranks,
                 missing > 1 ? "have" : "has", doing);
    } else if (print_ranks(&anyone, ranks, sizeof ranks, &first) > 0) {
        snprintf(text, size, "no answer from %s in: %s", ranks, doing);
    } else {
        peers.is = collective ? is_behind : is_other;
        if (print_ranks(&peers, ranks, sizeof ranks, &first) > 0)
            snprintf(text, size, "%s waits elsewhere, in: %s; here: %s", ranks,
                     watch_of(comm)->rank[first].doing, doing);
        else
            snprintf(text, size, "all ranks are there, and MPI does not end: %s",
                     doing);
    }
    return lowest_there(comm);
}

/// Let notes leave: MPI sends while it is called.
static void push(cairn_comm *comm)
{
    const double end = cairn_seconds() + 0.1;
    int          sent;

    do {
        sent = 1;
        for (int r = 0, one = 1; r < comm->size; r++, sent = sent && one)
            MPI_Test(&watch_of(comm)->rank[r].request, &one, MPI_STATUS_IGNORE);
    } while (!sent && cairn_seconds() < end);
}

void cairn_mpi_watch_lose(cairn_comm *comm, const char *why, int first, bool tell)
{
    cairn_mpi_watch *watch = watch_of(comm);
    note             n     = {.kind = GIVEN_UP, .first = first};

    snprintf(watch->why, sizeof watch->why, "%s", why);
    snprintf(n.text, sizeof n.text, "%.*s", TEXT - 1, why);
    for (int r = 0; r < comm->size && tell; r++)
        if (r != comm->rank) send_note(comm, r, n);
    if (tell) push(comm);
    comm->lost  = true;
    comm->first = first;
}

const char *cairn_mpi_watch_why(const cairn_comm *comm)
{
    return watch_of(comm)->why;
}

void cairn_mpi_watch_end(cairn_comm *comm)
{
    cairn_mpi_watch *watch = watch_of(comm);

    if (watch->round == 0 && watch->heard == 0) return; /* No wait has taken long. */
    cairn_mpi_watch_listen(comm);
    push(comm);
    /* What has not gone by now goes to a rank that will not read it. */
    for (int r = 0; r < comm->size; r++)
        if (watch->rank[r].request != MPI_REQUEST_NULL)
            MPI_Request_free(&watch->rank[r].request);
}
