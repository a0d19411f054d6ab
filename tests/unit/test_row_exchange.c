// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that change their ranks, which are threads here: what each rank has then is what
/// storing its new rows would have made, in formats that list rows and in those made from
/// them; messages have as many bytes as the rows need that go, counted here from the
/// entries; and a rank that runs out of memory ends the exchange of all.

#include "rows/row_exchange.h"
#include "support/conversion.h"
#include "support/crash_note.h"
#include "support/query_net.h"
#include "support/seed.h"

enum { MOST_ROWS = 40, MOST_COLS = 30, CASES = 600, ALLOCATIONS = 40 };

/// A tensor, where its rows are cut, and where they are cut then.
typedef struct {
    uint64_t      state;
    cairn_shape   shape;
    cairn_entries entries;
    cairn_format *format, *to;
    int           size, bits, locals;
    cairn_coord   cut[NET_RANKS + 1], next[NET_RANKS + 1];
    int           failing, allowed; ///< Rank that fails its allocation `allowed`.
} example;

enum { LOCALS = 3 };

typedef struct {
    cairn_entries      entries[LOCALS], later;
    cairn_local       *own[LOCALS], *fresh, *expected, *made, *reference;
    cairn_status       prepared, status, build_status, reference_status;
    cairn_entries_sent sent;
    int64_t            handed; ///< Bytes that were handed to the transport for others.
} part;

typedef struct {
    example *e;
    net_rank rank[NET_RANKS];
    part     part[NET_RANKS];
} job;

static cairn_env env;

static const cairn_kernel_loader interpreter = {.interprets   = true,
                                                .vector_bytes = 32,
                                                .threads      = 1};

static void up(void)
{
    cairn_env_init(&env);
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

TestSuite(row_exchange, .init = up, .fini = down);

/* ---- one rank ---- */

static cairn_status
take_rows(job *j, int r, cairn_coord first, cairn_coord end, cairn_entries *its)
{
    const cairn_entries *all = &j->e->entries;

    cairn_entries_init(its, all->order);
    for (cairn_pos k = 0; k < all->n; k++) {
        cairn_coord d[CAIRN_MAX_ORDER];

        for (int m = 0; m < all->order; m++)
            d[m] = all->coord[m][k];
        if (d[0] >= first && d[0] < end)
            CAIRN_TRY(cairn_entries_add(&j->rank[r].env, its, d, all->value[k]));
    }
    return CAIRN_OK;
}

static cairn_build build_of(job                 *j,
                            int                  r,
                            const cairn_format  *format,
                            cairn_coord          first,
                            cairn_coord          end,
                            const cairn_entries *entries,
                            const cairn_local   *from)
{
    cairn_build b = whole_build(j->e->shape, j->e->bits, entries, from, NULL);

    b.format = format;
    b.box[0] = (cairn_interval){first, end - 1};
    b.rank   = r;
    return b;
}

/// What a rank has before: its rows in one tensor or in several.
static cairn_status prepare(job *j, int r)
{
    const example    *e    = j->e;
    const cairn_coord rows = e->cut[r + 1] - e->cut[r];
    part             *p    = &j->part[r];

    for (int k = 0; k < e->locals; k++) {
        const cairn_coord first = e->cut[r] + rows * k / e->locals;
        const cairn_coord end   = e->cut[r] + rows * (k + 1) / e->locals;

        CAIRN_TRY(take_rows(j, r, first, end, &p->entries[k]));
        const cairn_build b =
            build_of(j, r, e->format, first, end, &p->entries[k], NULL);

        CAIRN_TRY(cairn_local_build(&j->rank[r].env, &b, &p->own[k]));
    }
    CAIRN_TRY(take_rows(j, r, e->next[r], e->next[r + 1], &p->later));
    const cairn_build b =
        build_of(j, r, e->format, e->next[r], e->next[r + 1], &p->later, NULL);

    return cairn_local_build(&j->rank[r].env, &b, &p->expected);
}

/// As net_exchange(), and count.
static cairn_status count_exchange(void          *user,
                                   const void    *send,
                                   const int64_t *counts,
                                   size_t         size,
                                   void         **recv,
                                   int64_t       *recv_counts)
{
    net_rank *rank = user;
    job      *j    = rank->user;

    for (int r = 0; r < rank->net.size; r++)
        if (r != rank->net.rank)
            j->part[rank->net.rank].handed += counts[r] * (int64_t)size;
        else
            cr_expect_eq(counts[r], 0, "a message to itself");
    return net_exchange(user, send, counts, size, recv, recv_counts);
}

/// Into another format, as a source like any other, beside what storing entries makes.
static void go_on(job *j, int r)
{
    const example *e   = j->e;
    cairn_env     *own = &j->rank[r].env;
    part          *p   = &j->part[r];
    cairn_build b = build_of(j, r, e->to, e->next[r], e->next[r + 1], &p->later, NULL);

    b.net               = &j->rank[r].net;
    p->reference_status = cairn_local_build(own, &b, &p->reference);
    b.from              = p->fresh ? p->fresh : p->own[0];
    b.entries           = NULL;
    b.loader            = &interpreter;
    p->build_status     = cairn_build_judge(&b);
    if (p->build_status == CAIRN_OK)
        p->build_status = cairn_local_build(own, &b, &p->made);
}

static void work(void *user, int r)
{
    job                   *j   = user;
    part                  *p   = &j->part[r];
    cairn_env             *own = &j->rank[r].env;
    cairn_query_net        net = j->rank[r].net;
    const cairn_local     *locals[LOCALS];
    const cairn_query_net *hub = &j->rank[r].net;

    p->prepared = hub->agree(hub->user, prepare(j, r));
    if (p->prepared != CAIRN_OK) return;
    net.exchange = count_exchange;
    for (int k = 0; k < j->e->locals; k++)
        locals[k] = p->own[k];
    if (r == j->e->failing) own->allowed = j->e->allowed;
    p->status    = cairn_rows_exchange(own, locals, j->e->locals, j->e->next, &net, 0,
                                       &p->fresh, &p->sent);
    own->allowed = -1;
    if (p->status == CAIRN_OK) go_on(j, r);
}

/* ---- what has to travel ---- */

/// Bytes of numbers up to @p most.
static int bytes_of(int64_t most)
{
    return most <= 0 ? 0 : most < 256 ? 1 : most < 65536 ? 2 : 4;
}

/// Bytes of one message of compressed rows with a pointer each, by their definition: 8
/// bytes each for rows, entries, widths and values' type; the shorter of counts and
/// parents; columns and values.
static int64_t message_of_rows(const example *e, cairn_coord first, cairn_coord end)
{
    int64_t count[MOST_ROWS] = {0}, n = 0, least = INT64_MAX, most = 0;

    for (cairn_pos k = 0; k < e->entries.n; k++)
        if (e->entries.coord[0][k] >= first && e->entries.coord[0][k] < end) {
            count[e->entries.coord[0][k] - first]++;
            n++;
        }
    for (int64_t i = 0; i < end - first; i++) {
        least = count[i] < least ? count[i] : least;
        most  = count[i] > most ? count[i] : most;
    }
    const int64_t counts  = (end - first) * bytes_of(most - least);
    const int64_t parents = n * bytes_of(end - first - 1);

    return 32 + (counts < parents ? counts : parents) + n * (1 + e->bits / 8);
}

/// The same of coordinates: nodes of two levels, the type; rows, columns, values.
static int64_t message_of_list(const example *e, cairn_coord first, cairn_coord end)
{
    int64_t n = 0;

    for (cairn_pos k = 0; k < e->entries.n; k++)
        n += e->entries.coord[0][k] >= first && e->entries.coord[0][k] < end;
    return 24 + n * (2 + e->bits / 8);
}

/// What all ranks must send. @param[out] most  The bound: indices and a value an entry, 64
/// bytes a message.
static int64_t needed(const example *e,
                      int64_t (*message)(const example *, cairn_coord, cairn_coord),
                      cairn_entries_sent *all,
                      int64_t            *most)
{
    int64_t bytes = 0;

    *all  = (cairn_entries_sent){0};
    *most = 0;
    for (int p = 0; p < e->size; p++)
        for (int q = 0; q < e->size; q++) {
            const cairn_coord lo = e->cut[p] > e->next[q] ? e->cut[p] : e->next[q];
            const cairn_coord hi =
                e->cut[p + 1] < e->next[q + 1] ? e->cut[p + 1] : e->next[q + 1];
            int64_t n = 0;

            if (p == q || lo >= hi) continue;
            for (cairn_pos k = 0; k < e->entries.n; k++)
                n += e->entries.coord[0][k] >= lo && e->entries.coord[0][k] < hi;
            bytes += message(e, lo, hi);
            all->messages++;
            all->entries += n;
            *most += 64 + n * (e->entries.order + e->bits / 8);
        }
    return bytes;
}

/* ---- all ranks ---- */

static bool next_position(const cairn_shape *shape, cairn_coord *d)
{
    for (int m = shape->order; m-- > 0;) {
        if (++d[m] < shape->extent[m]) return true;
        d[m] = 0;
    }
    return false;
}

/// Some rows have no entries; values are small numbers, all equal, any, or zero.
static void draw_entries(example *e, int order)
{
    const int density = random_below(&e->state, 60), kind = random_below(&e->state, 4);
    cairn_coord d[CAIRN_MAX_ORDER] = {0};

    e->shape = (cairn_shape){
        order,
        {1 + random_below(&e->state, MOST_ROWS),
          1 + random_below(&e->state, order > 2 ? 6 : MOST_COLS),
          1 + random_below(&e->state, 5)}
    };
    cairn_entries_init(&e->entries, order);
    do {
        const double any[] = {1.0 + random_below(&e->state, 100), 7,
                              1.0 / (1 + random_below(&e->state, 9)),
                              random_below(&e->state, 3)};

        if (random_chance(&e->state, d[0] % 7 == 3 ? 0 : density))
            cr_assert_eq(
                cairn_entries_add(&env, &e->entries, d,
                                  e->bits == 32 ? (float)any[kind] : any[kind]),
                CAIRN_OK);
    } while (next_position(&e->shape, d));
}

static void draw_cut(example *e, cairn_coord *cut)
{
    cut[0] = 0;
    for (int r = 1; r < e->size; r++)
        cut[r] = cut[r - 1]
                 + random_below(&e->state, (int)(e->shape.extent[0] - cut[r - 1]) + 1);
    cut[e->size] = e->shape.extent[0];
}

static void draw(example *e, uint64_t seed, int order, const char *format)
{
    *e        = (example){.state = seed, .failing = -1};
    e->format = parse_format(&env, format);
    e->bits   = random_chance(&e->state, 50) ? 64 : 32;
    e->locals = 1 + random_below(&e->state, LOCALS);
    e->size   = 1 + random_below(&e->state, NET_RANKS);
    draw_entries(e, order);
    draw_cut(e, e->cut);
    draw_cut(e, e->next);
}

static void release(job *j)
{
    for (int r = 0; r < j->e->size; r++) {
        cairn_env *own = &j->rank[r].env;
        part      *p   = &j->part[r];

        cairn_local_destroy(&p->made);
        cairn_local_destroy(&p->reference);
        cairn_local_destroy(&p->fresh);
        cairn_local_destroy(&p->expected);
        for (int k = 0; k < LOCALS; k++) {
            cairn_local_destroy(&p->own[k]);
            cairn_entries_fini(own, &p->entries[k]);
        }
        cairn_entries_fini(own, &p->later);
        cr_assert_eq(own->live_blocks, 0, "rank %d leaks", r);
        cairn_env_fini(own);
    }
    cairn_entries_fini(&env, &j->e->entries);
    cairn_format_destroy(&j->e->format);
    cairn_format_destroy(&j->e->to);
}

/// Arrays are those of storing the new rows, and so is what is made from them.
static void expect_rows(const job *j, const char *what, bool narrow)
{
    for (int r = 0; r < j->e->size; r++) {
        const part *p = &j->part[r];

        cr_assert(p->prepared == CAIRN_OK && p->status == CAIRN_OK, "%s, rank %d: %s",
                  what, r, j->rank[r].env.message);
        if (p->fresh && !narrow) check_same(p->expected, p->fresh, what);
        cr_assert(p->fresh
                      || (j->e->locals == 1 && j->e->cut[r] == j->e->next[r]
                          && j->e->cut[r + 1] == j->e->next[r + 1]),
                  "%s, rank %d", what, r);
        cr_assert_eq(p->build_status, p->reference_status, "%s, rank %d: %s", what, r,
                     j->rank[r].env.message);
        if (p->build_status == CAIRN_OK) check_same(p->reference, p->made, what);
    }
}

static void expect_bytes(const job  *j,
                         const char *what,
                         int64_t (*message)(const example *, cairn_coord, cairn_coord))
{
    cairn_entries_sent all;
    int64_t            most, handed = 0;
    const int64_t      bytes = needed(j->e, message, &all, &most);

    for (int r = 0; r < j->e->size; r++) {
        const cairn_entries_sent *sent = &j->part[r].sent;

        cr_expect_eq(sent->bytes, bytes, "%s: %ld bytes, not %ld", what,
                     (long)sent->bytes, (long)bytes);
        cr_expect_eq(sent->entries, all.entries, "%s", what);
        cr_expect_eq(sent->messages, all.messages, "%s", what);
        handed += j->part[r].handed;
    }
    cr_expect_eq(handed, bytes, "%s: %ld bytes were sent, not %ld", what, (long)handed,
                 (long)bytes);
    cr_expect_leq(bytes, most, "%s: %ld bytes, above %ld", what, (long)bytes,
                  (long)most);
}

static const char *const targets[] = {"csr", "sell<2>", "bcsr<2,3>", "csc",
                                      "hybrid<bdia<4>,csr,0.6>"};

static const char pointers[]  = "csr";
static const char listed[]    = "coo";
static const char nonempty[]  = "dcsr";
static const char by_column[] = "#encoding<{ idx_map<(d0,d1)->(d0,-d1)>, "
                                "mutation<merge(0), trim(1,1)> }>";
static const char narrow[]    = "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, "
                                "mutation<merge(0), trim(1,1)>, layout<val(exact)> }>";

#define TENSOR(trim) \
    "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, mutation<" trim "> }>"

static const struct {
    const char *format;
    int         order;
    int64_t (*message)(const example *, cairn_coord, cairn_coord);
} cases[] = {
    {pointers,                                                  2, message_of_rows},
    {listed,                                                    2, message_of_list},
    {nonempty,                                                  2, NULL           },
    {by_column,                                                 2, NULL           },
    {narrow,                                                    2, NULL           },
    {TENSOR("merge(0,1), trim(0,2)"),                           3, NULL           },
    {TENSOR("merge(0,1), trim(1,2)"),                           3, NULL           },
    {TENSOR("merge(0), trim(1,2)"),                             3, NULL           },
    {TENSOR("trim(0,2)"),                                       3, NULL           },
    {"#encoding<{ idx_map<(d0)->(d0)>, mutation<trim(0,0)> }>", 1, NULL           },
};

enum { KINDS = sizeof cases / sizeof *cases };

Test(row_exchange, rows_are_as_if_they_had_been_stored_there, .timeout = 600)
{
    static example e;
    static job     j;
    const uint64_t seed  = seed_clock();
    const int      count = seed_cases(CASES);

    for (int k = 0; k < count; k++) {
        const int   c = k % KINDS;
        char        what[RANDOM_FORMAT];
        const char *to = cases[c].order == 2 ? targets[k / KINDS % 5] : cases[c].format;

        snprintf(what, sizeof what, "seed %llu, case %d: %s to %s",
                 (unsigned long long)seed, k, cases[c].format, to);
        crash_note("%s", what);
        draw(&e, seed * 1000003 + (uint64_t)k, cases[c].order, cases[c].format);
        e.to = parse_format(&env, to);
        j    = (job){.e = &e};
        net_run(j.rank, e.size, work, &j);
        expect_rows(&j, what, cases[c].format == narrow);
        if (cases[c].message && e.locals == 1) expect_bytes(&j, what, cases[c].message);
        release(&j);
    }
}

/// A rank without memory at any point: all fail alike, or it was not needed.
Test(row_exchange, shortage_of_one_is_everybodys, .timeout = 600)
{
    static example e;
    static job     j;
    int            failed = 0;

    for (int k = 0; k < 4 * ALLOCATIONS; k++) {
        draw(&e, 77 + (uint64_t)k % 19, 2, k % 2 ? pointers : listed);
        e.to      = parse_format(&env, "csr");
        e.failing = k % e.size;
        e.allowed = k / 4;
        j         = (job){.e = &e};
        net_run(j.rank, e.size, work, &j);
        for (int r = 1; r < e.size; r++)
            cr_expect_eq(j.part[r].status, j.part[0].status, "case %d: %d, not %d", k,
                         j.part[r].status, j.part[0].status);
        failed += j.part[0].status == CAIRN_NO_MEMORY;
        release(&j);
    }
    cr_expect_gt(failed, ALLOCATIONS / 2);
}

/// Formats that pad, number, pack, or do not begin with the row are told from those whose
/// rows can be cut as they lie.
Test(row_exchange, other_formats_are_not_cut)
{
    static const char *const others[] = {
        "csc", "ell", "bcsr<2,2>", "sell<2>",
        "dia", "dok", "cisr<2>",   "hybrid<dia,csr,0.4>"};

    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        example       e = {.state = 5, .bits = 64};
        cairn_local  *local;
        cairn_format *format;

        draw_entries(&e, 2);
        local = must_build(&env, whole_build(e.shape, 64, &e.entries, NULL, NULL),
                           others[k], &format);
        cr_expect(!cairn_rows_exchangeable(local), "%s", others[k]);
        cairn_local_destroy(&local);
        cairn_format_destroy(&format);
        cairn_entries_fini(&env, &e.entries);
    }
}
