// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products on ranks that are not there: a plain MPI program for SimGrid's smpirun, which
/// replays what `cairn run --trace` has recorded of each rank, or `cairn scale` counted.
/// Computing takes no time but what the recording says, at the speed of the host;
/// messages are SimGrid's.
/// Usage: smpirun -np RANKS ... cairn-smpi RECORD PRODUCTS (docs/scaling.md has the record)

#include <mpi.h>

#include <simgrid/host.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SUM = 1024 }; ///< Bytes.

/// What a rank does, in order.
typedef enum { COMPUTE, START, RECEIVE, SUM } kind;

typedef struct {
    kind   what;
    double seconds;     ///< Of COMPUTE.
    int    rank, bytes; ///< Of RECEIVE; bytes also of SUM.
    int    request;     ///< Likewise: which.
} step;

typedef struct {
    int rank, bytes;
} message;

/// What this rank does in a product.
typedef struct {
    step    *step; ///< [steps]
    message *sent; ///< [sends]
    int      steps, sends, receives, most, sums;
} record;

static void stop(const char *what)
{
    fprintf(stderr, "cairn-smpi: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/// Grow an array of @p size bytes an element by one.
static void *grow(void *array, int count, size_t size)
{
    void *const grown = realloc(array, ((size_t)count + 1) * size);

    if (!grown) stop("out of memory");
    return grown;
}

static void add_step(record *r, step s)
{
    r->step             = grow(r->step, r->steps, sizeof *r->step);
    r->step[r->steps++] = s;
}

static void add_sent(record *r, message m)
{
    r->sent             = grow(r->sent, r->sends, sizeof *r->sent);
    r->sent[r->sends++] = m;
}

/// One line of a record: "rank R" begins a rank's steps, "compute SECONDS", "start",
/// "receive FROM BYTES", "sum BYTES" over all ranks.
static void read_line(record *r, const char *line, int me, int size, int *whose)
{
    double seconds;
    int    from, bytes;

    if (sscanf(line, "rank %d", whose) == 1) return;
    if (sscanf(line, "receive %d %d", &from, &bytes) == 2) {
        if (from < 0 || from >= size || bytes < 0) stop("a message of no rank");
        if (*whose == me)
            add_step(r, (step){.what    = RECEIVE,
                               .rank    = from,
                               .bytes   = bytes,
                               .request = r->receives++});
        if (from == me) add_sent(r, (message){*whose, bytes});
        if (bytes > r->most) r->most = bytes;
    } else if (*whose == me && sscanf(line, "compute %lf", &seconds) == 1) {
        add_step(r, (step){.what = COMPUTE, .seconds = seconds});
    } else if (*whose == me && strcmp(line, "start\n") == 0) {
        add_step(r, (step){.what = START});
    } else if (*whose == me && sscanf(line, "sum %d", &bytes) == 1) {
        if (bytes < 0 || bytes > MOST_SUM) stop("a sum of too many numbers");
        add_step(r, (step){.what = SUM, .bytes = bytes});
        r->sums++;
    }
}

static void read_record(record *r, const char *path, int me, int size)
{
    FILE *const file = fopen(path, "r");
    char        line[256];
    int         ranks = 0, whose = -1;

    *r = (record){.most = 1};
    if (!file) stop("the record cannot be read");
    if (!fgets(line, sizeof line, file)
        || sscanf(line, "cairn-smpi 1 ranks %d", &ranks) != 1 || ranks != size)
        stop("the record is not of as many ranks");
    while (fgets(line, sizeof line, file))
        read_line(r, line, me, size, &whose);
    fclose(file);
}

/// Post all messages. Their contents are of no interest: all share one buffer each way.
static void post(const record *r, char *buffer, MPI_Request *request)
{
    for (int k = 0; k < r->steps; k++)
        if (r->step[k].what == RECEIVE)
            MPI_Irecv(buffer, r->step[k].bytes, MPI_BYTE, r->step[k].rank, 0,
                      MPI_COMM_WORLD, &request[r->step[k].request]);
    for (int k = 0; k < r->sends; k++)
        MPI_Isend(buffer + r->most, r->sent[k].bytes, MPI_BYTE, r->sent[k].rank, 0,
                  MPI_COMM_WORLD, &request[r->receives + k]);
}

/// Numbers over all ranks.
static void sum(int bytes)
{
    double mine[MOST_SUM / sizeof(double)] = {0}, all[MOST_SUM / sizeof(double)];

    MPI_Allreduce(mine, all, bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
}

/// Do all steps once.
static void go(const record *r, double speed, char *buffer, MPI_Request *request)
{
    for (int k = 0; k < r->steps; k++) {
        const step *s = &r->step[k];

        if (s->what == COMPUTE) smpi_execute_flops(s->seconds * speed);
        if (s->what == START) post(r, buffer, request);
        if (s->what == RECEIVE) MPI_Wait(&request[s->request], MPI_STATUS_IGNORE);
        if (s->what == SUM) sum(s->bytes);
    }
    MPI_Waitall(r->sends, request + r->receives, MPI_STATUSES_IGNORE);
}

/// Seconds of products, each between two barriers as `cairn run` times it; of a solver's
/// steps, which have sums over ranks and follow each other, the mean of all.
static void measure(const record *r,
                    double        speed,
                    char         *buffer,
                    MPI_Request  *request,
                    int           products,
                    double       *seconds)
{
    const int at_once = r->sums > 0 ? products : 1;

    for (int k = 0; k < products; k += at_once) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begun = MPI_Wtime();

        for (int n = 0; n < at_once; n++)
            go(r, speed, buffer, request);
        if (at_once == 1) MPI_Barrier(MPI_COMM_WORLD);
        for (int n = 0; n < at_once; n++)
            seconds[k + n] = (MPI_Wtime() - begun) / at_once;
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/// Multiply, and have rank 0 print what it took, and what was sent in one product.
static void run(const record *r, int me, int products)
{
    double      *seconds = calloc((size_t)products, sizeof *seconds);
    char        *buffer  = malloc(2 * (size_t)r->most);
    MPI_Request *request =
        calloc((size_t)(r->receives + r->sends + 1), sizeof *request);
    double             speed   = sg_host_get_speed(sg_host_self());
    unsigned long long mine[2] = {(unsigned long long)r->sends, 0}, all[2];

    if (!seconds || !buffer || !request) stop("out of memory");
    for (int k = 0; k < r->sends; k++)
        mine[1] += (unsigned long long)r->sent[k].bytes;
    /* Seconds are those of rank 0's host: others are as much slower as their speeds are. */
    MPI_Bcast(&speed, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    measure(r, speed, buffer, request, products, seconds);
    MPI_Allreduce(MPI_IN_PLACE, seconds, products, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce(mine, all, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0) {
        qsort(seconds, (size_t)products, sizeof *seconds, by_size);
        printf(
            "{\"simulated\": true, \"seconds_median\": %.17g, \"seconds_min\": %.17g, "
            "\"messages\": %llu, \"bytes\": %llu}\n",
            seconds[products / 2], seconds[0], all[0], all[1]);
    }
    free(seconds);
    free(buffer);
    free(request);
}

int main(int argc, char **argv)
{
    record r;
    int    me, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3 || atoi(argv[2]) < 1) stop("usage: cairn-smpi RECORD PRODUCTS");
    read_record(&r, argv[1], me, size);
    run(&r, me, atoi(argv[2]));
    free(r.step);
    free(r.sent);
    MPI_Finalize();
    return 0;
}
