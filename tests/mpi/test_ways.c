// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The ways in which rows travel between ranks: whichever it is, named by CAIRN_HALO or
/// found in the first runs, what comes is what was sent in that run, bit by bit, and all
/// ranks go the same way. Nothing is left of what they made together.
///
/// `mpi/ways_without_shared` runs this where the system has no memory that ranks share
/// (WITHOUT_SHARED=1), `mpi/ways_another_shm` where the second rank sees another /dev/shm
/// and finds nobody's (WITHOUT_SHARED=find).

#include "api/api.h"
#include "comm/mpi/exchange.h"
#include "mpi_suite.h"
#include "names.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(ways, .init = mpi_up, .fini = mpi_down, .timeout = 500);

static bool can_share(void)
{
    return getenv("WITHOUT_SHARED") == NULL;
}

/// What goes wrong with such memory while a test has it so.
typedef enum {
    NONE,
    HIDDEN,     ///< The second rank finds nobody's by its name,
    NO_STAT,    ///< or finds it, and cannot know its length.
    SIGNAL,     ///< A signal comes while a rank's own is allocated,
    SIGNALS_ON, ///< and one each time that it is tried again.
} fault;

static fault faulty;
static int   faults_met;

static bool is_another_shm(void)
{
    const char *without = getenv("WITHOUT_SHARED");

    if (rank != 1 || faulty == NO_STAT || faulty == SIGNALS_ON) return false;
    return faulty == HIDDEN || (without && strcmp(without, "find") == 0);
}

enum { MOST_NAMES = 64 };

static char name_made[MOST_NAMES][100];
static int  names_made;

/// In place of the C library's: it keeps names, and stands for systems without such memory.
int shm_open(const char *name, int flags, mode_t mode)
{
    const char *without = getenv("WITHOUT_SHARED");
    char        path[100];

    if (without && strcmp(without, "find") != 0) {
        errno = ENOSYS;
        return -1;
    }
    if (!(flags & O_CREAT) && strncmp(name, "/cairn-", 7) == 0 && is_another_shm()) {
        faults_met++;
        errno = ENOENT;
        return -1;
    }
    snprintf(path, sizeof path, "/dev/shm%s", name);
    if (flags & O_CREAT)
        memcpy(name_made[names_made++ % MOST_NAMES], path, sizeof path);
    return open(path, flags | O_CLOEXEC, mode);
}

int fstat(int file, struct stat *about)
{
    if (faulty == NO_STAT && rank == 1) {
        faults_met++;
        errno = EIO;
        return -1;
    }
    return fstatat(file, "", about, AT_EMPTY_PATH);
}

int posix_fallocate(int file, off_t from, off_t bytes)
{
    if (faulty == SIGNALS_ON || (faulty == SIGNAL && faults_met < 3)) {
        faults_met++;
        return EINTR;
    }
    return fallocate(file, 0, from, bytes) == 0 ? 0 : errno;
}

/// Open descriptors of such memory.
static int count_open(void)
{
    int count = 0;

    for (int file = 0; file < 1000; file++) {
        char from[40], to[100];

        snprintf(from, sizeof from, "/proc/self/fd/%d", file);
        const ssize_t n = readlink(from, to, sizeof to - 1);

        to[n < 0 ? 0 : n] = '\0';
        count += strncmp(to, "/dev/shm/cairn-", 15) == 0;
    }
    return count;
}

/// Parts of memory of this node that this process has mapped.
static int count_parts(void)
{
    FILE *maps  = fopen("/proc/self/maps", "r");
    int   count = 0;
    char  line[500];

    while (maps && fgets(line, sizeof line, maps))
        count += strstr(line, "/dev/shm/cairn-") != NULL;
    if (maps) fclose(maps);
    return count;
}

/// Those that this process has made, and that can still be found.
static int count_names(void)
{
    int count = 0;

    for (int k = 0; k < names_made && k < MOST_NAMES; k++)
        count += access(name_made[k], F_OK) == 0;
    return count;
}

/// Is it the way that was asked for, or what stands for it where it cannot be had?
static bool is_way(const cairn_exchange_trials *t, int asked)
{
    const int way = (int)t->way;

    if (size == 1) return way == CAIRN_EXCHANGE_PERSISTENT || way == asked;
    if (asked == CAIRN_EXCHANGE_SHARED && !can_share())
        return way == CAIRN_EXCHANGE_PERSISTENT && strstr(t->without, "shared: ");
    return way == asked;
}

/// The same number on all ranks.
static bool is_alike(int64_t number)
{
    int64_t most[2] = {number, -number};

    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return most[0] == -most[1];
}

/* ---- messages ---- */

enum { MOST = 3000 };

/// Bytes that one rank sends to another: for many pairs none, or one way alone.
static int64_t bytes_between(int from, int to)
{
    if (from == to || (from + 2 * to) % 5 == 1) return 0;
    return (from + 1) * 700 + to * 13 + 1;
}

static char byte_between(int from, int to, int64_t k, int round)
{
    return (char)(31 * from + 17 * to + k * 5 + 7 * round);
}

typedef struct {
    int     sends, recvs;
    int     to[8], from[8];
    char    out[8][MOST], in[8][MOST];
    void   *send[8], *recv[8];
    int64_t send_bytes[8], recv_bytes[8];
    void   *exchange;
} mail;

static cairn_status open_mail(mail *m)
{
    memset(m, 0, sizeof *m);
    for (int r = 0; r < size; r++) {
        const int64_t out = bytes_between(rank, r), in = bytes_between(r, rank);

        if (out > 0) {
            m->to[m->sends]           = r;
            m->send[m->sends]         = m->out[m->sends];
            m->send_bytes[m->sends++] = out;
        }
        if (in > 0) {
            m->from[m->recvs]         = r;
            m->recv[m->recvs]         = m->in[m->recvs];
            m->recv_bytes[m->recvs++] = in;
        }
    }
    return comm->ops->exchange_create(comm, m->sends, m->to, m->send, m->send_bytes,
                                      m->recvs, m->from, m->recv, m->recv_bytes,
                                      &m->exchange);
}

/// Write what goes out in this round: where it is asked to be, or where it always is.
static void write_mail(mail *m, int round, bool asks)
{
    for (int s = 0; s < m->sends; s++) {
        char *to = asks ? comm->ops->exchange_room(comm, m->exchange, s) : NULL;

        if (!to) to = m->out[s];
        for (int64_t k = 0; k < m->send_bytes[s]; k++)
            to[k] = byte_between(rank, m->to[s], k, round);
    }
}

static bool is_there(const mail *m, int r, int round)
{
    for (int64_t k = 0; k < m->recv_bytes[r]; k++)
        if (m->in[r][k] != byte_between(m->from[r], rank, k, round)) return false;
    return true;
}

/// Take it all in, some of it by looks, some by waits, in another order each round.
static bool receive_mail(mail *m, int round)
{
    bool came[8] = {false}, ok = true;

    for (int k = 0; k < m->recvs && ok && round % 4 == 1; k++)
        while (ok && !came[k])
            ok = comm->ops->exchange_test(comm, m->exchange, came) == CAIRN_OK;
    if (round % 4 == 2)
        ok = comm->ops->exchange_test(comm, m->exchange, came) == CAIRN_OK;
    for (int n = 0; n < m->recvs && ok && round % 4 >= 2; n++) {
        const int k = round % 8 >= 4 ? m->recvs - 1 - n : n;

        ok = came[k] || comm->ops->exchange_await(comm, m->exchange, k) == CAIRN_OK;
        ok = ok && is_there(m, k, round);
    }
    for (int k = 0; k < m->recvs && ok && round % 4 == 1; k++)
        ok = is_there(m, k, round);
    ok = ok && comm->ops->exchange_end(comm, m->exchange) == CAIRN_OK;
    for (int k = 0; k < m->recvs && ok; k++)
        ok = is_there(m, k, round);
    return ok;
}

static bool exchange_once(mail *m, int round)
{
    write_mail(m, round, true);
    return comm->ops->exchange_begin(comm, m->exchange) == CAIRN_OK
           && receive_mail(m, round);
}

/// Ranks come late by turns, and two exchanges are under way at once.
static bool exchange_twice(mail *one, mail *other, int round)
{
    bool ok = true;

    write_mail(one, round, round % 3 > 0);
    ok = ok && comm->ops->exchange_begin(comm, one->exchange) == CAIRN_OK;
    if (round % size == rank && round % 7 == 0) usleep(100);
    write_mail(other, round + 100, round % 2);
    ok = ok && comm->ops->exchange_begin(comm, other->exchange) == CAIRN_OK;
    ok = ok && receive_mail(other, round + 100);
    return receive_mail(one, round) && ok;
}

/// Is there, of what ranks made together, what the way agreed on needs, and nothing else?
static bool has_its_own(const mail *m)
{
    const cairn_mpi_exchange *x = m->exchange;

    return (x->shared.memory.part != NULL) == (x->trials.way == CAIRN_EXCHANGE_SHARED)
           && (x->collective.comm != MPI_COMM_NULL)
                  == (x->trials.way == CAIRN_EXCHANGE_COLLECTIVE);
}

Test(ways, each_brings_what_was_sent_in_that_run)
{
    static mail one, other;

    for (int way = CAIRN_EXCHANGE_AUTO; way < CAIRN_EXCHANGE_WAYS; way++) {
        bool ok = true;

        env.options.halo = way;
        ok               = open_mail(&one) == CAIRN_OK;
        ok               = open_mail(&other) == CAIRN_OK && ok;
        ON_ALL_RANKS(ok, "%s", env.message);
        for (int round = 0; round < 150 && ok; round++)
            ok = exchange_twice(&one, &other, round);
        const cairn_exchange_trials *t = one.exchange;

        ON_ALL_RANKS(ok, "rank %d: %s: %s", rank,
                     cairn_exchange_way_name((cairn_exchange_way)way), env.message);
        ON_ALL_RANKS(t->ended && is_alike(t->way), "way %d", (int)t->way);
        ON_ALL_RANKS(way == CAIRN_EXCHANGE_AUTO || is_way(t, way), "%d is %d: %s", way,
                     (int)t->way, t->without);
        ON_ALL_RANKS(way != CAIRN_EXCHANGE_AUTO || size == 1
                         || (t->had[CAIRN_EXCHANGE_COLLECTIVE]
                             && t->had[CAIRN_EXCHANGE_SHARED] == can_share()
                             && t->least[t->way] > 0),
                     "not tried: %s", t->without);
        ON_ALL_RANKS(has_its_own(&one) && has_its_own(&other), "way %d", (int)t->way);
        comm->ops->exchange_destroy(comm, one.exchange);
        comm->ops->exchange_destroy(comm, other.exchange);
    }
}

/// Ranks end their exchanges in different orders: what they made together goes with each.
Test(ways, what_ranks_made_together_does_not_add_up)
{
    static mail one, other;
    int         most = 0;

    env.options.halo = CAIRN_EXCHANGE_SHARED;
    for (int k = 0; k < 6; k++) {
        bool ok = open_mail(&one) == CAIRN_OK;

        ok = open_mail(&other) == CAIRN_OK && ok;
        ON_ALL_RANKS(ok, "%s", env.message);
        ON_ALL_RANKS(exchange_twice(&one, &other, k), "%s", env.message);
        const int there = count_parts();

        most = there > most ? there : most;
        comm->ops->exchange_destroy(comm, (rank % 2 ? &one : &other)->exchange);
        comm->ops->exchange_destroy(comm, (rank % 2 ? &other : &one)->exchange);
        ON_ALL_RANKS(count_parts() == 0, "%d are left", count_parts());
        ON_ALL_RANKS(count_names() == 0, "%d names are left", count_names());
    }
    if (size > 1 && can_share()) ON_ALL_RANKS(most >= 2, "%d: there were none", most);
}

/// A rank that has no room for its part: all do without, and go on.
Test(ways, memory_beyond_the_limit_is_done_without)
{
    static mail m;
    bool        ok;

    if (size == 1) return;
    ok = open_mail(&m) == CAIRN_OK;
    ON_ALL_RANKS(ok, "%s", env.message);
    env.memory_limit = rank == size - 1 ? 1000 : 0; /* less than its part */
    for (int round = 0; round < 70 && ok; round++)
        ok = exchange_once(&m, round);
    const cairn_exchange_trials *t = m.exchange;

    ON_ALL_RANKS(ok && t->ended && is_alike(t->way), "%s", env.message);
    ON_ALL_RANKS(!t->had[CAIRN_EXCHANGE_SHARED] && t->without[0], "%s", t->without);
    comm->ops->exchange_destroy(comm, m.exchange);
}

/// What one rank cannot have or find none keeps, and all say so; what comes late is waited for.
Test(ways, memory_that_one_rank_lacks_is_done_without)
{
    static const char *const said[] = {
        [HIDDEN]     = "No such file",
        [NO_STAT]    = "Input/output error",
        [SIGNAL]     = NULL,
        [SIGNALS_ON] = "Interrupted system call",
    };
    static mail m;

    if (size == 1) return;
    env.options.halo = CAIRN_EXCHANGE_SHARED;
    for (fault each = HIDDEN; each <= SIGNALS_ON; each++) {
        faults_met    = 0;
        faulty        = each;
        const bool ok = open_mail(&m) == CAIRN_OK;

        faulty = NONE;
        ON_ALL_RANKS(ok, "%s", env.message);
        const cairn_exchange_trials *t   = m.exchange;
        int64_t                      met = faults_met;

        MPI_Allreduce(MPI_IN_PLACE, &met, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        if (met > 0 && said[each])
            ON_ALL_RANKS(
                t->way == CAIRN_EXCHANGE_PERSISTENT && !t->had[CAIRN_EXCHANGE_SHARED]
                    && strstr(t->without, "shared: ") && strstr(t->without, said[each]),
                "rank %d: %d: %s", rank, (int)t->way, t->without);
        else
            ON_ALL_RANKS(is_way(t, CAIRN_EXCHANGE_SHARED), "%d: %s", (int)t->way,
                         t->without);
        ON_ALL_RANKS(has_its_own(&m) && count_open() == 0,
                     "rank %d: fault %d: %d are open", rank, (int)each, count_open());
        ON_ALL_RANKS(count_names() == 0, "%d names are left", count_names());
        if (t->way != CAIRN_EXCHANGE_SHARED)
            ON_ALL_RANKS(count_parts() == 0, "%d are left", count_parts());
        ON_ALL_RANKS(exchange_once(&m, (int)each), "%s", env.message);
        comm->ops->exchange_destroy(comm, m.exchange);
        ON_ALL_RANKS(count_parts() == 0, "%d are left", count_parts());
    }
}

/// Each rank on a node of its own: there is nothing to share, and it is said.
Test(ways, shared_between_nodes_alone_is_done_without)
{
    static mail      m;
    cairn_mpi_state *state = cairn_mpi_state_of(comm);
    int *const       local = state->local;
    int              alone[8];
    bool             ok;

    if (size == 1) return;
    for (int r = 0; r < size; r++)
        alone[r] = r == rank ? 0 : -1;
    state->local     = alone;
    env.options.halo = CAIRN_EXCHANGE_SHARED;
    ok               = open_mail(&m) == CAIRN_OK;
    ON_ALL_RANKS(ok, "%s", env.message);
    const cairn_exchange_trials *t = m.exchange;

    ON_ALL_RANKS(t->way == CAIRN_EXCHANGE_PERSISTENT
                     && strstr(t->without, "shared: no rank has a neighbour"),
                 "%d: %s", (int)t->way, t->without);
    comm->ops->exchange_destroy(comm, m.exchange);
    state->local = local;
}

Test(ways, ranks_that_name_different_ones_are_told)
{
    static mail m;

    if (size == 1) return;
    env.options.halo = rank == 0 ? CAIRN_EXCHANGE_ANEW : CAIRN_EXCHANGE_PERSISTENT;
    const cairn_status status = open_mail(&m);

    ON_ALL_RANKS(status == CAIRN_BAD_ARGUMENT && strstr(env.message, "CAIRN_HALO"),
                 "%d: %s", (int)status, env.message);
}

/* ---- products ---- */

enum { ROWS = 600 };

/// Column @p k of row @p i, 0 to 5: near the diagonal, and one that rows of all ranks have;
/// -1: none.
static int column_of(int i, int k)
{
    const int far = (i * 37 + 11) % 90 * 6;

    if (k == 5) return abs(far - i) < 3 ? -1 : far;
    return i - 2 + k < ROWS ? i - 2 + k : -1;
}

static cairn_status make_source(cairn_context *context, cairn_source **source)
{
    const int64_t extent[2] = {ROWS, ROWS};
    int64_t      *coord = malloc((size_t)ROWS * 8 * 2 * sizeof *coord), n = 0;
    double       *value = malloc((size_t)ROWS * 8 * sizeof *value);

    for (int i = 0; i < ROWS && rank == 0; i++)
        for (int k = 0; k < 6; k++) {
            const int column = column_of(i, k);

            if (column < 0) continue;
            coord[2 * n]     = i;
            coord[2 * n + 1] = column;
            value[n++]       = (1 + (i * 31 + column * 17) % 23) / 7.0;
        }
    const cairn_status status = cairn_source_from_coords(context, 2, extent, n, coord,
                                                         value, CAIRN_BY_ROWS, source);

    free(coord);
    free(value);
    return status;
}

/// What is multiplied, and how.
typedef struct {
    const char *text;
    cairn_dtype type;
    int64_t     columns;
    bool        transposed;
} setting;

/// Rows of X that must go from one node to another, if each goes once to each.
static int64_t expected_between(int64_t first, int64_t end)
{
    static bool needed[16][ROWS]; /* by the node's first rank */
    static int  owner[ROWS];
    int64_t     count = 0;

    memset(needed, 0, sizeof needed);
    memset(owner, 0, sizeof owner);
    for (int64_t i = first; i < end; i++) {
        owner[i] = rank;
        for (int k = 0; k < 6; k++)
            if (column_of((int)i, k) >= 0)
                needed[rank / 2 * 2][column_of((int)i, k)] = true;
    }
    MPI_Allreduce(MPI_IN_PLACE, owner, ROWS, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, needed, sizeof needed, MPI_BYTE, MPI_BOR,
                  MPI_COMM_WORLD);
    for (int node = 0; node < size; node += 2)
        for (int j = 0; j < ROWS; j++)
            count += needed[node][j] && owner[j] / 2 * 2 != node;
    return count;
}

typedef struct {
    cairn_context *context;
    cairn_tensor  *tensor;
    cairn_plan    *plan[2];
    int64_t        first, xs, ys; ///< Values of this rank.
    size_t         width;
} product;

static cairn_status open_product(const setting *s, int way, bool nodes, product *p)
{
    cairn_product_options op     = CAIRN_PRODUCT_OPTIONS;
    cairn_source         *source = NULL;
    cairn_format         *format = NULL;
    char                  named[256];
    int64_t               from, end;

    *p            = (product){.width = s->type == CAIRN_F32 ? 4 : 8};
    op.columns    = s->columns;
    op.transposed = s->transposed;
    by_name(s->text, named, sizeof named);
    setenv("CAIRN_HALO", cairn_exchange_way_name((cairn_exchange_way)way), 1);
    cairn_status status = cairn_context_create_mpi(MPI_COMM_WORLD, &p->context);

    unsetenv("CAIRN_HALO");
    if (status == CAIRN_OK && nodes) pretend_nodes(p->context->comm);
    if (status == CAIRN_OK) status = make_source(p->context, &source);
    if (status == CAIRN_OK) status = cairn_format_create(p->context, named, &format);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, s->type, &p->tensor);
    for (int k = 0; k < 2 && status == CAIRN_OK; k++)
        status = cairn_plan_create_product(p->tensor, &op, &p->plan[k]);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    if (status != CAIRN_OK) return status;
    cairn_plan_columns(p->plan[0], &p->first, &end);
    p->xs = (end - p->first) * s->columns;
    cairn_plan_rows(p->plan[0], &from, &end);
    p->ys = (end - from) * s->columns;
    return CAIRN_OK;
}

static void close_product(product *p)
{
    cairn_plan_destroy(&p->plan[0]);
    cairn_plan_destroy(&p->plan[1]);
    cairn_tensor_destroy(&p->tensor);
    cairn_context_destroy(&p->context);
}

enum { AGES = 3 };

/// Contexts over all ranks, whose plans share memory where they can.
static bool open_all(product p[AGES])
{
    const setting s  = {"csr", CAIRN_F64, 1, false};
    bool          ok = true;

    for (int k = 0; k < AGES; k++)
        ok = open_product(&s, CAIRN_EXCHANGE_SHARED, false, &p[k]) == CAIRN_OK && ok;
    return ok;
}

/// Each rank ends them in an order of its own, @p order of those that there are, and all
/// meet between two ends, so that none ends while another waits inside of one.
static void close_in_turns(product p[AGES], int order)
{
    for (int k = 0; k < AGES; k++) {
        close_product(&p[(order % 2 ? AGES - 1 - k : k + order / 2) % AGES]);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/// The end of a context waits for nobody, and its memory goes with it.
Test(ways, contexts_end_in_any_order)
{
    product p[AGES];

    for (int round = 0; round < 2 * AGES; round++) {
        if (round % 2) setenv("CAIRN_GIVE_UP", "20", 1);
        const bool open = open_all(p);

        unsetenv("CAIRN_GIVE_UP");
        ON_ALL_RANKS(open, "%s", cairn_context_message(p[0].context));
        if (size > 1 && can_share())
            ON_ALL_RANKS(count_parts() >= 2 * AGES, "round %d: %d", round,
                         count_parts());
        close_in_turns(p, round * rank);
        ON_ALL_RANKS(count_parts() == 0, "round %d: %d are left", round, count_parts());
    }
}

/// One rank ends a context in which the others wait for it and give up: contexts that are
/// made behind it neither wait for it nor keep the others.
Test(ways, a_context_that_was_given_up_holds_up_no_other)
{
    product p[AGES], next[AGES];

    if (size == 1) return;
    ON_ALL_RANKS(open_all(p), "%s", cairn_context_message(p[0].context));
    if (rank > 0) {
        cairn_context_set_patience(p[1].context, -1, 0.5);
        cr_expect_eq(p[1].context->comm->ops->barrier(p[1].context->comm), CAIRN_COMM);
    }
    close_in_turns(p, rank);
    ON_ALL_RANKS(count_parts() == 0, "%d are left", count_parts());
    ON_ALL_RANKS(open_all(next), "%s", cairn_context_message(next[0].context));
    close_in_turns(next, rank);
}

static void fill_x(const product *p, char *x, int round)
{
    for (int64_t k = 0; k < p->xs; k++) {
        const double value = (double)((p->first + k) * 7 % 97 + round % 13 + 1) / 97;

        if (p->width == 4)
            ((float *)(void *)x)[k] = (float)value;
        else
            ((double *)(void *)x)[k] = value;
    }
}

static char *own(const product *p, int which, bool y)
{
    if (p->width == 4)
        return y ? (void *)cairn_plan_y_f32(p->plan[which])
                 : (void *)cairn_plan_x_f32(p->plan[which]);
    return y ? (void *)cairn_plan_y(p->plan[which])
             : (void *)cairn_plan_x(p->plan[which]);
}

enum { FEW = 20, ROUNDS = 64 }; /* ways are agreed on after 56 */

/// Run with another X each time, a caller's and a plan's own by turns, two plans by turns.
/// @p kept, [rounds][ys]: what comes.
static bool run_rounds(const product *p, int rounds, char *kept)
{
    char *x = malloc((size_t)p->xs * p->width + 1), *y = kept;
    bool  ok = true;

    for (int round = 0; round < rounds && ok; round++) {
        const int  which = round % 5 == 3;
        const bool lent  = round % 3 > 0;

        fill_x(p, lent ? x : own(p, which, false), round);
        ok = cairn_plan_run(p->plan[which], lent ? x : NULL, lent ? y : NULL)
             == CAIRN_OK;
        if (!lent) memcpy(y, own(p, which, true), (size_t)p->ys * p->width);
        memset(x, 0x7f, (size_t)p->xs * p->width); /* nobody reads it any more */
        y += (size_t)p->ys * p->width;
    }
    free(x);
    return ok;
}

static bool has_way(const product *p, int way)
{
    cairn_plan_info info = CAIRN_PLAN_INFO;

    if (cairn_plan_describe(p->plan[0], &info) != CAIRN_OK) return false;
    if (size == 1) return !info.ways.now;
    if (way == CAIRN_EXCHANGE_AUTO) return info.ways.now != NULL;
    if (way == CAIRN_EXCHANGE_SHARED && !can_share())
        return info.ways.without && strcmp(info.ways.now, "persistent") == 0;
    return info.ways.decided
           && strcmp(info.ways.now, cairn_exchange_way_name((cairn_exchange_way)way))
                  == 0;
}

/// As often as it must be, and no oftener.
static bool crosses_once(const product *p, bool nodes)
{
    cairn_plan_info info  = CAIRN_PLAN_INFO;
    int64_t         first = 0, end = 0;

    cairn_tensor_rows(p->tensor, &first, &end);
    const int64_t want = nodes ? expected_between(first, end) : 0;

    return cairn_plan_describe(p->plan[0], &info) == CAIRN_OK
           && info.ways.between == want && (!nodes || size < 3 || want > 0);
}

Test(ways, products_have_the_same_bits_by_each)
{
    static const setting settings[] = {
        {"csr",                     CAIRN_F64, 1, false},
        {"csr",                     CAIRN_F32, 3, false},
        {"csr",                     CAIRN_F64, 1, true },
        {"hybrid<bdia<8>,csr,0.6>", CAIRN_F64, 2, false},
        {"csc",                     CAIRN_F32, 1, false},
    };

    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        char  *kept[2] = {NULL, NULL};
        size_t bytes   = 0;

        for (int turn = 0; turn < (size > 1 ? 2 : 1) * CAIRN_EXCHANGE_WAYS; turn++) {
            const int  asked = (turn + 1) % CAIRN_EXCHANGE_WAYS; /* AUTO is the last */
            const bool nodes = turn >= CAIRN_EXCHANGE_WAYS;
            const int  slot  = turn > 0;
            const int rounds = turn == 0 || asked == CAIRN_EXCHANGE_AUTO ? ROUNDS : FEW;
            product   p;
            const bool open = open_product(&settings[k], asked, nodes, &p) == CAIRN_OK;

            ON_ALL_RANKS(open, "%s", cairn_context_message(p.context));
            bytes      = (size_t)p.ys * p.width * (size_t)rounds;
            kept[slot] = realloc(kept[slot], bytes + 1);
            ON_ALL_RANKS(run_rounds(&p, rounds, kept[slot]), "%s",
                         cairn_context_message(p.context));
            ON_ALL_RANKS(has_way(&p, asked), "%s: way %d", settings[k].text, asked);
            ON_ALL_RANKS(settings[k].transposed || crosses_once(&p, nodes),
                         "%s: way %d: rows between nodes", settings[k].text, asked);
            ON_ALL_RANKS(slot == 0 || memcmp(kept[0], kept[1], bytes) == 0,
                         "rank %d: %s: other bits by way %d", rank, settings[k].text,
                         asked);
            close_product(&p);
        }
        free(kept[0]);
        free(kept[1]);
    }
}
