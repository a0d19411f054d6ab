// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows to blocks of the matrix and to places, from these, and between them: as runs of their
/// arrays, and entry by entry, by the reference way. Both make the same arrays, and send the
/// same entries, by runs in no more bytes, which are those of the messages.

#include "distributed.h"
#include "tensor/value_storage.h"

TestSuite(runs, .init = up, .fini = down, .timeout = 800);

enum {
    CASES        = 24,
    MOST_ROWS    = 300,
    MOST_COLUMNS = 700,
    MOST_ENTRIES = 12000,
    MANY         = 60000,
    FEW          = 200,
    SAID         = 80
};

typedef struct {
    int64_t     extent[2], n;
    int64_t     coord[2 * MOST_ENTRIES];
    double      value[MOST_ENTRIES];
    char        from[RANDOM_FORMAT], to[RANDOM_FORMAT];
    char        from_said[SAID], to_said[SAID];
    cairn_dtype dtype;
    bool        narrow; ///< Values are stored in the narrowest type before.
} draft;

/// A square matrix of long and short rows in `csr @ rows`, of @p each entries a rank, of which
/// MANY fill it.
static void store_many(int64_t each, cairn_source **source, cairn_tensor **rows)
{
    static int64_t coord[2 * MANY * MOST];
    static double  value[MANY * MOST];
    int64_t        n = 0, extent[2] = {1, 1};

    while (extent[0] * extent[0] * 11 / 18 < MANY * size)
        extent[1] = ++extent[0];
    for (int64_t i = 0; i < extent[0]; i++)
        for (int64_t j = i % 7; j < extent[1] && n < each * size; j += 1 + i % 3) {
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = (double)(i * extent[1] + j) / 7;
        }
    ON_ALL_RANKS(cairn_source_from_coords(all, 2, extent, rank == 0 ? n : 0, coord,
                                          value, CAIRN_BY_NNZ, source)
                         == CAIRN_OK
                     && store(*source, "csr", "rows", rows) == CAIRN_OK,
                 "%s", cairn_context_message(all));
}

/// Values that go in words of 8, 16, 32 and 64 bits.
static double value_of(uint64_t *state, int kind)
{
    switch (kind) {
    case 0: return random_below(state, 250) - 124.0;
    case 1: return random_below(state, 60000) - 29999.0;
    case 2: return (1 + random_below(state, 900)) / 8.0;
    default: return (1 + random_below(state, 900)) / 7.0;
    }
}

/// Rows are short and long, and some have no entry; here and there an entry is 0.
static void draw_matrix(uint64_t *state, draft *d)
{
    const int kind = random_below(state, 4), empty = 1 + random_below(state, 9);
    int       percent[2];

    d->n         = 0;
    d->extent[0] = 1 + random_below(state, MOST_ROWS);
    d->extent[1] =
        random_below(state, 2) ? d->extent[0] : 1 + random_below(state, MOST_COLUMNS);
    percent[0] = random_below(state, 12);
    percent[1] = random_below(state, 90);
    for (int64_t i = 0; i < d->extent[0]; i++)
        for (int64_t j = 0; j < d->extent[1] && d->n < MOST_ENTRIES; j++) {
            if (i % empty == 3 || !random_chance(state, percent[i % 23 == 5])) continue;
            d->coord[2 * d->n]     = i;
            d->coord[2 * d->n + 1] = j;
            d->value[d->n++] = random_below(state, 40) ? value_of(state, kind) : 0;
        }
}

/// Blocks or scattered rows, or, if @p any, now and then consecutive ones.
static void
draw_said(uint64_t *state, bool any, bool graphs, const draft *d, char *said)
{
    const int rows = (int)d->extent[0];
    const int a = 1 + random_below(state, 5), b = 1 + random_below(state, 8);
    int       q = 1 + random_below(state, size);

    while (size % q != 0)
        q--;
    switch (random_below(state, any ? 9 : 6)) {
    case 0:
    case 1: snprintf(said, SAID, "blocks<%d,%d>", size / q, q); break;
    case 2: snprintf(said, SAID, "(d0/%d%%ranks)", a); break;
    case 3: snprintf(said, SAID, "(ranks-1-d0*ranks/%d)", rows); break;
    case 4: snprintf(said, SAID, "(d0/%d*%d%%7%%ranks)", a, b); break;
    case 5:
        strcpy(said, graphs && d->extent[0] == d->extent[1] ? "graph" : "(d0%ranks)");
        break;
    case 6: strcpy(said, "rows"); break;
    case 7: strcpy(said, "nnz"); break;
    default: snprintf(said, SAID, "(d0*ranks/%d)", rows); break;
    }
}

static void draw_format(uint64_t *state, char *name)
{
    if (random_below(state, 2))
        strcpy(name, "csr");
    else
        strcpy(name, formats[random_below(state, FORMATS)]);
}

static void draw(uint64_t *state, bool graphs, draft *d)
{
    const bool first = random_below(state, 2);

    draw_matrix(state, d);
    draw_format(state, d->from);
    draw_format(state, d->to);
    draw_said(state, first, graphs, d, d->from_said);
    draw_said(state, !first, graphs, d, d->to_said);
    d->dtype  = random_below(state, 3) ? CAIRN_F64 : CAIRN_F32;
    d->narrow = random_below(state, 3) == 0;
}

static const cairn_comm_ops *plain;
static int64_t               handed; ///< Bytes of alltoallv for other ranks.

static cairn_status count_alltoallv(cairn_comm    *c,
                                    const void    *send,
                                    const int64_t *send_bytes,
                                    void          *recv,
                                    const int64_t *recv_bytes)
{
    for (int r = 0; r < c->size; r++)
        handed += r == c->rank ? 0 : send_bytes[r];
    return plain->alltoallv(c, send, send_bytes, recv, recv_bytes);
}

/// What the unit of a conversion's exchange is; NULL: it has none.
static const char *unit_of_exchange(const cairn_tensor *made)
{
    const cairn_path *path = cairn_tensor_path(made);

    for (int k = 0; k < cairn_path_passes(path); k++) {
        cairn_pass_info pass = CAIRN_PASS_INFO;

        if (cairn_path_get_pass(path, k, &pass) && strcmp(pass.pass, "Exchange") == 0
            && strcmp(pass.method, "places") == 0)
            return pass.unit;
    }
    return NULL;
}

/// Convert, and hold what is told to what is sent.
static void convert_one_way(const draft        *d,
                            const cairn_tensor *from,
                            cairn_kernels_way   kernels,
                            cairn_tensor      **made)
{
    cairn_comm_ops counting;
    int64_t        entries, messages;

    plain                     = all->comm->ops;
    counting                  = *plain;
    counting.alltoallv        = count_alltoallv;
    handed                    = 0;
    all->comm->ops            = &counting;
    all->env.options.kernels  = kernels;
    const cairn_status status = convert(from, d->to, d->to_said, made);

    all->env.options.kernels = CAIRN_KERNELS_AUTO;
    all->comm->ops           = plain;
    ON_ALL_RANKS(status == CAIRN_OK, "%s @ %s to %s @ %s: %s", d->from, d->from_said,
                 d->to, d->to_said, cairn_context_message(all));
    int64_t bytes = handed;

    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const int64_t sent = cairn_path_sent(cairn_tensor_path(*made), &entries, &messages);
    const int64_t asked = cairn_path_asked(cairn_tensor_path(*made));
    const char   *unit  = unit_of_exchange(*made);
    const int64_t each  = unit && strcmp(unit, "run") == 0 ? 16 : 8;
    const int64_t quiet = each * ((int64_t)size * (size - 1) - messages);

    /* queries of the formats send what is theirs */
    if (strcmp(d->from, "csr") == 0 && strcmp(d->to, "csr") == 0)
        cr_expect(bytes == sent + asked + quiet || (sent == 0 && bytes == asked),
                  "%s to %s: %ld bytes, not %ld and %ld", d->from_said, d->to_said,
                  (long)bytes, (long)(sent + quiet), (long)asked);
}

/// @param[out] runs  Whether rows went as runs.
static void check_both_ways(const draft *d, bool *runs)
{
    cairn_source *source = NULL;
    cairn_tensor *from   = NULL, *fast, *slow;
    int64_t       entries[2], messages[2];
    char          what[2 * RANDOM_FORMAT + 3 * SAID];

    snprintf(what, sizeof what, "%s @ %s to %s @ %s, %ld x %ld", d->from, d->from_said,
             d->to, d->to_said, (long)d->extent[0], (long)d->extent[1]);
    ON_ALL_RANKS(cairn_source_from_coords(all, 2, d->extent, rank == 0 ? d->n : 0,
                                          d->coord, d->value, CAIRN_BY_NNZ, &source)
                         == CAIRN_OK
                     && store_as(source, d->from, d->from_said, d->dtype, &from)
                            == CAIRN_OK,
                 "%s: %s", what, cairn_context_message(all));
    if (d->narrow) cr_assert_eq(cairn_local_narrow(from->local), CAIRN_OK);
    /* few entries are sorted once more by AUTO; compressed rows need no compiler */
    convert_one_way(d, from,
                    strcmp(d->from, "csr") == 0 && strcmp(d->to, "csr") == 0
                        ? CAIRN_KERNELS_COMPILED
                        : CAIRN_KERNELS_AUTO,
                    &fast);
    convert_one_way(d, from, CAIRN_KERNELS_REFERENCE, &slow);
    if (!fast || !slow) return; /* which has been told */
    const int64_t *p = cairn_tensor_places(fast), *q = cairn_tensor_places(slow);
    const int64_t  rows = fast->rows.first[rank + 1] - fast->rows.first[rank];

    cr_expect(same_rows(fast, slow), "%s: other rows", what);
    cr_expect(!p == !q
                  && (!p || rows == 0 || memcmp(p, q, (size_t)rows * sizeof *p) == 0),
              "%s: other places", what);
    check_same(slow->local, fast->local, what);
    const int64_t bytes[] = {
        cairn_path_sent(cairn_tensor_path(fast), &entries[0], &messages[0]),
        cairn_path_sent(cairn_tensor_path(slow), &entries[1], &messages[1])};
    const char *const unit = unit_of_exchange(fast), *const by = unit_of_exchange(slow);

    /* some expressions give consecutive rows after all, which are cut anew; what a message
       has is told in 16 bytes by runs, and in 8 by entries */
    *runs = unit && strcmp(unit, "run") == 0;
    cr_expect(!unit
                  || (bytes[0] <= bytes[1] + (*runs ? 8 * messages[1] : 0)
                      && entries[0] == entries[1] && messages[0] == messages[1]),
              "%s: %ld bytes of %ld entries in %ld messages, not %ld, %ld, %ld", what,
              (long)bytes[0], (long)entries[0], (long)messages[0], (long)bytes[1],
              (long)entries[1], (long)messages[1]);
    cr_expect(by == NULL || strcmp(by, "entry") == 0, "%s: by %s", what, by);
    cairn_tensor_destroy(&fast);
    cairn_tensor_destroy(&slow);
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
}

Test(runs, random_rows_go_as_they_do_one_by_one)
{
    static draft d;
    uint64_t     state = seed_clock() * 1000003;
    int          cases = seed_cases(CASES), gone = 0;
    const bool   graphs = partitions();
    bool         runs;

    MPI_Bcast(&state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int k = 0; k < cases; k++) {
        draw(&state, graphs, &d);
        check_both_ways(&d, &runs);
        gone += runs;
    }
    if (rank == 0) printf("%d of %d as runs\n", gone, cases);
    cr_expect(gone > 0 || cases < CASES, "none of %d", cases);
}

/// By two threads as by one: from long and short rows, in which not all stay, and back.
static void check_threads(const cairn_tensor *from, const char *said)
{
    cairn_tensor *there[2] = {NULL}, *back[2] = {NULL};
    const int64_t threads = all->env.options.threads;

    for (int k = 0; k < 2; k++) {
        all->env.options.threads = 1 + k;
        ON_ALL_RANKS(convert(from, "csr", said, &there[k]) == CAIRN_OK
                         && convert(there[k], "csr", "rows", &back[k]) == CAIRN_OK,
                     "%s", cairn_context_message(all));
    }
    all->env.options.threads = threads;
    check_same(there[0]->local, there[1]->local, said);
    check_same(from->local, back[0]->local, "back, one thread");
    check_same(from->local, back[1]->local, "back, two threads");
    for (int k = 0; k < 2; k++) {
        cairn_tensor_destroy(&there[k]);
        cairn_tensor_destroy(&back[k]);
    }
}

/// Columns to ranks, and every row to another rank than the one before.
static const char *said_of(int way)
{
    static char said[SAID];

    snprintf(said, sizeof said, way == 0 ? "blocks<1,%d>" : "(d0%%ranks)", size);
    return said;
}

Test(runs, threads_share_what_stays)
{
    cairn_source *source = NULL;
    cairn_tensor *from   = NULL;

    store_many(MANY, &source, &from);
    check_threads(from, said_of(0));
    check_threads(from, said_of(1));
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
}

/// From one column part to the other all that a row has, and back, where not a row is cut; and
/// a method that is asked for has no list to start from.
Test(runs, the_way_is_told)
{
    known         m;
    cairn_tensor *from = NULL, *made = NULL;
    char          said[SAID];

    draw_known(all, &m, SIDE);
    snprintf(said, sizeof said, "blocks<1,%d>", size);
    ON_ALL_RANKS(store(m.source, "csr", "rows", &from) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    ON_ALL_RANKS(convert(from, "csr", said, &made) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    const char *unit = unit_of_exchange(made);

    cr_expect(unit && strcmp(unit, "run") == 0, "%s", cairn_tensor_how(made));
    cr_expect_str_eq(made->how.log.entry[0].task.label, "places");
    cr_expect_str_eq(made->how.log.entry[1].task.label, "exchange");
    cr_expect_eq(made->how.log.entry[1].task.bytes,
                 cairn_path_sent(made->how.path, NULL, NULL));
    cairn_tensor_destroy(&made);
    strcpy(all->env.options.convert, "scatter");
    ON_ALL_RANKS(convert(from, "csr", said, &made) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    all->env.options.convert[0] = '\0';
    unit                        = unit_of_exchange(made);
    cr_expect(unit && strcmp(unit, "entry") == 0, "%s", cairn_tensor_how(made));
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&m.source);
}

/// Each allocation of one rank fails in turn: all learn of it, and, as the end of the suite
/// sees, nothing is left.
static void
starve(cairn_source *source, const char *name, const char *was, const char *said)
{
    cairn_tensor *from = NULL, *made = NULL;
    cairn_format *format = NULL;
    cairn_status  status = CAIRN_NO_MEMORY;
    int           k      = 0;

    ON_ALL_RANKS(store(source, name, was, &from) == CAIRN_OK
                     && make_format(all, "csr", said, &format) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    for (; status != CAIRN_OK && k < 10000; k++) {
        all->env.allowed = rank == size - 1 ? k : -1;
        status           = cairn_tensor_convert(from, format, &made);
        all->env.allowed = -1;
        ON_ALL_RANKS(status == CAIRN_OK || status == CAIRN_NO_MEMORY, "%s, %d: %s",
                     said, k, cairn_context_message(all));
    }
    cr_expect(k > 20, "%s: %d allocations", said, k);
    cr_expect_eq(status, CAIRN_OK);
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&from);
    cairn_format_destroy(&format);
}

Test(runs, memory_that_one_rank_lacks_is_missed_by_all)
{
    known m;
    char  said[SAID];

    draw_known(all, &m, SIDE);
    snprintf(said, sizeof said, "blocks<1,%d>", size);
    starve(m.source, "ell", "rows", said);
    starve(m.source, "csr", said, "(d0%ranks)");
    starve(m.source, "csr", "(d0%ranks)",
           partitions() ? "graph" : "(ranks-1-d0*ranks/53)");
    cairn_source_destroy(&m.source);
}

/// The most bytes that the ranks' arrays took at once beyond what was there before, those of
/// the tensor among them, which count against the limit as well.
static void convert_within(int64_t             limit,
                           const cairn_tensor *from,
                           const char         *said,
                           int64_t            *taken,
                           bool               *made)
{
    cairn_tensor *fresh  = NULL;
    const int64_t before = atomic_load(&all->env.live_bytes);

    atomic_store(&all->env.peak_bytes, before);
    cairn_context_set_memory(all, limit);
    const cairn_status status = convert(from, "csr", said, &fresh);

    *taken = atomic_load(&all->env.peak_bytes) - before
             + cairn_local_array_bytes(from->local);
    cairn_context_set_memory(all, INT64_MAX);
    ON_ALL_RANKS(status == CAIRN_OK || status == CAIRN_NO_MEMORY, "%ld: %s",
                 (long)limit, cairn_context_message(all));
    *made = status == CAIRN_OK;
    cairn_tensor_destroy(&fresh);
    MPI_Allreduce(MPI_IN_PLACE, taken, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
}

/// Whatever the limit, from what is held before on, no rank takes more, but for @p aside
/// bytes. The limits are far below what an environment may take beside its own, so that no
/// allocation is refused without being asked about before.
static void keep_to_limits(const cairn_tensor *from, const char *said, int64_t aside)
{
    enum { LIMITS = 20 };
    int64_t held    = cairn_local_array_bytes(from->local), needed, taken;
    int     refused = 0;
    bool    made;

    MPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    convert_within(INT64_MAX, from, said, &needed, &made);
    cr_expect(made && needed > 3 * aside && needed < CAIRN_MEMORY_ASIDE, "%ld bytes",
              (long)needed);
    for (int k = 0; k <= LIMITS; k++) {
        const int64_t limit = held + (2 * needed - held) * k / LIMITS;

        convert_within(limit, from, said, &taken, &made);
        cr_expect(taken <= limit + aside, "%s: %ld bytes of %ld", said, (long)taken,
                  (long)limit);
        refused += !made;
    }
    cr_expect(made, "%s: %ld bytes are not enough", said, (long)(2 * needed));
    cr_expect(refused > LIMITS / 4, "%s: %d refused", said, refused);
}

/// What does not grow with the matrix is what few entries of as many rows take, which are
/// just enough for a list of rows.
Test(runs, messages_keep_to_the_limit_of_memory)
{
    cairn_source *source = NULL;
    cairn_tensor *few = NULL, *from = NULL;
    int64_t       aside;
    bool          made;

    store_many(FEW, &source, &few);
    cairn_source_destroy(&source);
    store_many(MANY, &source, &from);
    cairn_source_destroy(&source);
    for (int way = 0; way < 2 && size > 1; way++) {
        convert_within(INT64_MAX, few, said_of(way), &aside, &made);
        keep_to_limits(from, said_of(way), aside);
    }
    cairn_tensor_destroy(&from);
    cairn_tensor_destroy(&few);
}
