// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The model of processing in memory against what was measured on UPMEM, against a
/// simulation of a core cycle by cycle, and against sums over cores written out.

#include "devices/pim/models.h"
#include "support/random_format.h"
#include "support/seed.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

static cairn_pim_parameters parameters_of(int model)
{
    cairn_device_config config;

    cairn_config_init(&cairn_pim_models[model], &config);
    return cairn_pim_parameters_of(&config);
}

/// Values as wide as the type.
static cairn_pim_values wide(int bits)
{
    return (cairn_pim_values){
        .bits = bits, .kind = CAIRN_VALUE_FLOAT, .stored_bits = bits};
}

static uint64_t seed_of(const char *name)
{
    const char    *given = getenv("PRODUCT_SEED");
    const uint64_t seed  = given ? strtoull(given, NULL, 10) : seed_clock();

    printf("%s: seed %llu\n", name, (unsigned long long)seed);
    return seed;
}

static void expect_near(double found, double right, double part, const char *what)
{
    cr_expect(fabs(found - right) <= part * fabs(right), "%s: %g, not %g", what, found,
              right);
}

/// Millions of entries a second of one core, as SparseP's COO keeps them: rows of 20,
/// a column, a row and a value for each.
static double entries_per_second(const cairn_pim_parameters *p, int bits)
{
    const int64_t        n    = 1000000;
    const cairn_pim_bank bank = {.entries = n,
                                 .visited = n,
                                 .rows    = n / 20,
                                 .bytes   = n * (8 + bits / 8),
                                 .x_hi    = 99999};

    return (double)n * p->clock / cairn_pim_cycles(p, &bank, 1, wide(bits));
}

Test(pim_model, an_upmem_core_does_what_sparsep_saw)
{
    const cairn_pim_parameters p = parameters_of(0);

    expect_near(entries_per_second(&p, 32), 1.25e6, 0.02, "f32 entries a second");
    /* Two operations an entry on 2528 cores: the whole system's upper bound. */
    expect_near(2528 * 2 * entries_per_second(&p, 32), 6.3e9, 0.03, "f32 operations");
    cr_expect_lt(entries_per_second(&p, 64), 0.5e6);
}

/// A value is widened once an entry: so many instructions more, whatever the columns.
Test(pim_model, narrow_values_are_widened)
{
    static const struct {
        cairn_value_kind kind;
        int              bits, of, instructions;
    } cases[] = {
        {CAIRN_VALUE_INTEGER, 8,  32, 20},
        {CAIRN_VALUE_INTEGER, 8,  64, 25},
        {CAIRN_VALUE_INTEGER, 16, 64, 25},
        {CAIRN_VALUE_ONE,     64, 64, 0 },
        {CAIRN_VALUE_FLOAT,   16, 32, 20},
        {CAIRN_VALUE_FLOAT,   16, 64, 40},
        {CAIRN_VALUE_BFLOAT,  16, 32, 1 },
        {CAIRN_VALUE_BFLOAT,  16, 64, 21},
        {CAIRN_VALUE_FLOAT,   32, 64, 20},
        {CAIRN_VALUE_FLOAT,   32, 32, 0 },
        {CAIRN_VALUE_CODE,    8,  64, 3 },
    };
    const cairn_pim_parameters p    = parameters_of(0);
    const cairn_pim_bank       bank = {.entries = 32000, .visited = 32000};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const cairn_pim_values values = {cases[c].of, cases[c].kind, cases[c].bits};

        for (int64_t columns = 1; columns <= 3; columns++)
            expect_near(cairn_pim_cycles(&p, &bank, columns, values)
                            - cairn_pim_cycles(&p, &bank, columns, wide(cases[c].of)),
                        32000.0 * cases[c].instructions, 1e-9, "widening");
        cr_expect_not(cairn_pim_fetches_words(&p, values));
    }
}

/// 65,536 words do not fit beside the core: each entry fetches its own, as it does X's.
Test(pim_model, words_of_a_large_dictionary_are_fetched)
{
    cairn_pim_parameters   p      = parameters_of(0);
    const cairn_pim_values values = {64, CAIRN_VALUE_CODE, 16};
    const cairn_pim_bank   codes  = {.visited = 32000, .bytes = 512 << 10};
    const cairn_pim_bank   plain  = {.visited = 32000};

    cr_expect(cairn_pim_fetches_words(&p, values));
    p.add[1] = p.multiply[1] = p.entry_instructions = p.widen.code = 0;
    expect_near(cairn_pim_cycles(&p, &codes, 1, values),
                2 * cairn_pim_cycles(&p, &plain, 1, wide(64)), 1e-9, "the engine");
    p.widen.room = 512 << 10;
    expect_near(cairn_pim_cycles(&p, &codes, 1, values),
                cairn_pim_cycles(&p, &codes, 1, wide(64)), 1e-9, "beside the core");
}

Test(pim_model, threads_fill_the_pipeline_from_eleven_on)
{
    cairn_pim_parameters p = parameters_of(0);

    p.threads         = 24;
    const double full = entries_per_second(&p, 32);

    p.threads = 12;
    expect_near(entries_per_second(&p, 32), full, 1e-9, "12 threads");
    for (int threads = 1; threads <= 8; threads++) {
        p.threads = threads;
        expect_near(entries_per_second(&p, 32), full * threads / 11, 0.05,
                    "few threads");
    }
}

Test(pim_model, without_arithmetic_the_dma_engine_is_the_limit)
{
    cairn_pim_parameters p = parameters_of(0);

    p.add[0] = p.multiply[0] = p.entry_instructions = p.row_instructions = 0;
    p.threads                                                            = 24;
    const cairn_pim_bank random = {.visited = 1000000, .x_hi = 0};
    const cairn_pim_bank stream = {.visited = 1, .bytes = 64 << 20};
    const double         taken  = cairn_pim_cycles(&p, &random, 1, wide(32)) / p.clock;
    const double         read   = cairn_pim_cycles(&p, &stream, 1, wide(32)) / p.clock;

    expect_near(8e6 / taken, 72.6e6, 1e-6, "bytes of random reads a second");
    expect_near((64 << 20) / read, 700e6, 1e-3, "streamed bytes a second");
    expect_near(cairn_pim_bandwidth(&p), 2048 * 700e6, 1e-12, "aggregate");
}

Test(pim_model, links_have_the_measured_rates_at_both_ends)
{
    const cairn_pim_parameters p = parameters_of(0);

    expect_near(cairn_pim_rate(&p, &p.in, 1), 0.33e9, 1e-12, "to one");
    expect_near(cairn_pim_rate(&p, &p.in, 64), 6.68e9, 1e-12, "to a rank");
    expect_near(cairn_pim_rate(&p, &p.out, 1), 0.12e9, 1e-12, "from one");
    expect_near(cairn_pim_rate(&p, &p.out, 64), 4.74e9, 1e-12, "from a rank");
    expect_near(cairn_pim_rate(&p, &p.broadcast, 64), 16.88e9, 1e-12, "broadcast");
    for (int n = 2; n <= 64; n++) {
        cr_expect_gt(cairn_pim_rate(&p, &p.in, n), cairn_pim_rate(&p, &p.in, n - 1));
        cr_expect_lt(cairn_pim_rate(&p, &p.in, n) / n,
                     cairn_pim_rate(&p, &p.in, n - 1) / (n - 1));
    }
}

/// A bank where all is even.
static cairn_pim_bank even_bank(int64_t entries)
{
    return (cairn_pim_bank){.entries = entries,
                            .visited = entries,
                            .rows    = 10,
                            .bytes   = 8 * entries,
                            .x_hi    = 999};
}

Test(pim_model, equal_banks_of_plain_cores_cost_what_devic_writes)
{
    const cairn_pim_parameters p       = parameters_of(1);
    const cairn_pim_product    product = {
           .banks = 512, .rows_in = 1000, .columns = 1, .values = wide(64)};
    cairn_pim_bank bank[512], core[512];

    for (int k = 0; k < 512; k++)
        bank[k] = even_bank(700);
    const cairn_pim_cost c = cairn_pim_estimate(&p, &product, bank, core);

    expect_near(c.in + c.launch + c.compute + c.out,
                p.launch + 512 * 8000 / 19.2e9 + 512 * 700 * 12 / (512 * 350e6)
                    + 512 * 80 / 19.2e9,
                1e-12, "T_off");
    cr_expect_eq(c.most * 512, c.entries);
}

Test(pim_model, more_banks_than_cores_take_rounds_and_fewer_leave_cores_idle)
{
    cairn_pim_parameters p       = parameters_of(0);
    cairn_pim_product    product = {.rows_in = 1000, .columns = 1, .values = wide(32)};
    cairn_pim_bank       bank[200], core[200];

    p.cores = 80;
    for (int k = 0; k < 200; k++)
        bank[k] = even_bank(500);
    product.banks              = 80;
    const cairn_pim_cost one   = cairn_pim_estimate(&p, &product, bank, core);
    product.banks              = 200;
    const cairn_pim_cost three = cairn_pim_estimate(&p, &product, bank, core);
    product.banks              = 3;
    const cairn_pim_cost few   = cairn_pim_estimate(&p, &product, bank, core);

    cr_expect_eq(one.rounds, 1);
    cr_expect_eq(three.rounds, 3);
    expect_near(three.compute, 3 * one.compute, 1e-12, "three rounds");
    expect_near(three.launch, 3 * p.launch, 1e-12, "launches");
    expect_near(three.in, one.in, 1e-12, "X is sent once");
    cr_expect_eq(few.rounds, 1);
    expect_near(few.compute, one.compute, 1e-12, "idle cores");
    cr_expect_lt(few.in, one.in);
}

Test(pim_model, the_host_adds_what_several_banks_have)
{
    cairn_pim_parameters p = parameters_of(0);
    /* A row that three banks have, and one that two have: 4 + 3 rows of Y. */
    const cairn_pim_bank bank[3] = {
        {.entries = 2,  .visited = 2, .rows = 2,   .bytes = 64, .x_hi = 1  },
        { .entries = 2, .visited = 2,    .rows = 2, .bytes = 64,   .x_hi = 1, .merged = 6},
        { .entries = 1, .visited = 1,    .rows = 1, .bytes = 64,   .x_hi = 1, .merged = 1},
    };
    const cairn_pim_product product = {
        .banks = 3, .rows_in = 2, .columns = 5, .values = wide(32)};
    cairn_pim_bank core[3];

    p.merge                = 1e6;
    const cairn_pim_cost c = cairn_pim_estimate(&p, &product, bank, core);

    cr_expect_eq(c.merge_bytes, 7 * 5 * 4);
    cr_expect_float_eq(c.merge, 140e-6, 1e-12);
}

Test(pim_model, nothing_costs_the_launch_alone)
{
    const cairn_pim_parameters p       = parameters_of(0);
    const cairn_pim_product    product = {.banks = 2, .columns = 1, .values = wide(64)};
    const cairn_pim_bank       none    = {.x_hi = -1};
    const cairn_pim_bank       bank[2] = {none, none};
    cairn_pim_bank             core[2];
    const cairn_pim_cost       c      = cairn_pim_estimate(&p, &product, bank, core);
    const cairn_pim_product    nobody = {.banks = 0, .columns = 1, .values = wide(64)};

    cr_expect_eq(c.in + c.compute + c.out, 0);
    cr_expect_eq(c.launch, p.launch);
    cr_expect_eq(cairn_pim_estimate(&p, &nobody, NULL, NULL).rounds, 0);
}

/* A core, cycle by cycle. */

enum { MOST_THREADS = 24 };

/// A tasklet: what is left of its entry, and when it may go on.
typedef struct {
    int64_t left;  ///< Entries after this one.
    int64_t issue; ///< Instructions of this one that are left.
    double  next;  ///< Cycle from which it may issue.
} tasklet;

/// Issue an instruction of the tasklet; with the last one of an entry it asks the engine
/// for X, and waits for it.
static void issue(tasklet *t,
                  double   cycle,
                  int64_t  of_entry,
                  double   busy,
                  double   wait,
                  double  *engine,
                  int      interval)
{
    t->next = cycle + interval;
    if (--t->issue > 0) return;
    const double from = *engine > cycle ? *engine : cycle;

    *engine  = from + busy;
    t->next  = from + wait > t->next ? from + wait : t->next;
    t->issue = t->left > 0 ? of_entry : 0;
    t->left--;
}

/// Cycles that a core takes, turn about among its tasklets.
static double simulate(const cairn_pim_parameters *p, int64_t entries, int64_t of_entry)
{
    const double wait            = p->access.read_latency + 8 * p->access.byte_cycles;
    tasklet      t[MOST_THREADS] = {{0}};
    double       engine = 0, cycle = 0, end = 0;
    int64_t      live = 0, turn = 0;

    for (int k = 0; k < p->threads; k++) {
        t[k].left  = entries * (k + 1) / p->threads - entries * k / p->threads - 1;
        t[k].issue = t[k].left >= 0 ? of_entry : 0;
        live += t[k].issue > 0;
    }
    for (; live > 0; cycle++)
        for (int k = 0; k < p->threads; k++) {
            tasklet *mine = &t[(turn + k) % p->threads];

            if (mine->issue == 0 || mine->next > cycle) continue;
            issue(mine, cycle, of_entry, p->access.cycles, wait, &engine,
                  (int)p->interval);
            if (mine->next > end) end = mine->next;
            live -= mine->issue == 0;
            turn += k + 1;
            break;
        }
    return end;
}

Test(pim_model, a_core_takes_the_cycles_of_its_simulation)
{
    uint64_t state = seed_of("cores");
    double   worst = 0;

    for (int n = 0; n < 60; n++) {
        cairn_pim_parameters p = parameters_of(0);

        p.threads            = 1 + random_below(&state, MOST_THREADS);
        p.entry_instructions = 5 + random_below(&state, 300);
        p.add[0] = p.multiply[0] = p.row_instructions = 0;
        const int64_t        entries = p.threads * (40 + random_below(&state, 60));
        const cairn_pim_bank bank    = {.visited = entries};
        const double         model   = cairn_pim_cycles(&p, &bank, 1, wide(32));
        const double real  = simulate(&p, entries, (int64_t)p.entry_instructions);
        const double error = fabs(model - real) / real;

        if (error > worst) worst = error;
        /* Never more than what the three limits let through, and little less: where two
           of them are close, threads queue. */
        cr_expect_leq(model, real * 1.01, "%lld threads, %g instructions: %g, not %g",
                      (long long)p.threads, p.entry_instructions, model, real);
        cr_expect_geq(model, real * 0.9, "%lld threads, %g instructions: %g, not %g",
                      (long long)p.threads, p.entry_instructions, model, real);
    }
    printf("a core: at most %.1f %% off\n", 100 * worst);
}

/* Transfers and rounds, core by core. */

static double straight_move(const cairn_pim_parameters *p,
                            const cairn_pim_link       *link,
                            const double               *bytes,
                            int64_t                     used)
{
    double  total = 0;
    int64_t at    = 0;

    while (at < used) {
        double slowest = 0;

        for (int64_t g = 0; g < p->groups_at_once && at < used; g++) {
            double  most = 0;
            int64_t n    = 0;

            for (; n < p->group && at < used; n++, at++)
                most = fmax(most, bytes[at]);
            slowest = fmax(slowest, (double)n * most / cairn_pim_rate(p, link, n));
        }
        total += slowest;
    }
    return total;
}

enum { MOST_BANKS = 700 };

typedef struct {
    cairn_pim_parameters p;
    cairn_pim_product    product;
    cairn_pim_bank       bank[MOST_BANKS];
} random_member;

static void random_banks(uint64_t *state, random_member *m)
{
    m->p                = parameters_of(random_below(state, 2));
    m->p.cores          = 1 + random_below(state, 400);
    m->p.group          = 1 + random_below(state, 100);
    m->p.groups_at_once = 1 + random_below(state, 4);
    m->p.memory         = 1000 + random_below(state, 60000);
    m->product =
        (cairn_pim_product){.banks   = random_below(state, MOST_BANKS),
                            .rows_in = 1 + random_below(state, 9000),
                            .columns = 1 + random_below(state, 3),
                            .values  = wide(random_chance(state, 50) ? 32 : 64)};
    for (int64_t k = 0; k < m->product.banks; k++) {
        const int64_t n  = random_chance(state, 20) ? 0 : random_below(state, 3000);
        const int64_t lo = random_below(state, (int)m->product.rows_in);

        m->bank[k] = (cairn_pim_bank){.entries = n,
                                      .visited = n + random_below(state, 2),
                                      .rows    = n / 7,
                                      .bytes   = 8 * n + 64,
                                      .x_hi    = -1};
        if (n == 0) continue;
        m->bank[k].x_lo = lo;
        m->bank[k].x_hi = lo + random_below(state, (int)(m->product.rows_in - lo));
    }
}

/// What a core holds in all rounds.
static void straight_cores(const random_member *m, double *x, double *y, double *held)
{
    const double row = (double)(m->product.columns * m->product.values.bits / 8);

    for (int64_t c = 0; c < m->p.cores && c < m->product.banks; c++) {
        int64_t lo = INT64_MAX, hi = -1;

        y[c] = held[c] = 0;
        for (int64_t k = c; k < m->product.banks; k += m->p.cores) {
            y[c] += row * (double)m->bank[k].rows;
            held[c] += (double)m->bank[k].bytes;
            if (m->bank[k].x_hi >= m->bank[k].x_lo && m->bank[k].x_lo < lo)
                lo = m->bank[k].x_lo;
            if (m->bank[k].x_hi > hi) hi = m->bank[k].x_hi;
        }
        x[c] = hi < 0 ? 0 : row * (double)(hi - lo + 1);
        held[c] += y[c];
    }
}

static void check_against_straight(const random_member *m, const cairn_pim_cost *c)
{
    static double x[MOST_BANKS], y[MOST_BANKS], held[MOST_BANKS], all[MOST_BANKS];
    const int64_t used = m->product.banks < m->p.cores ? m->product.banks : m->p.cores;
    const double  whole =
        (double)(m->product.rows_in * m->product.columns * m->product.values.bits / 8);
    double fullest_all = 0, fullest_rows = 0, compute = 0;

    straight_cores(m, x, y, held);
    for (int64_t k = 0; k < used; k++) {
        all[k]       = whole;
        fullest_all  = fmax(fullest_all, held[k] + whole);
        fullest_rows = fmax(fullest_rows, held[k] + x[k]);
    }
    for (int64_t first = 0; first < m->product.banks; first += m->p.cores) {
        double slowest = 0;

        for (int64_t k = first; k < first + m->p.cores && k < m->product.banks; k++)
            slowest =
                fmax(slowest, cairn_pim_cycles(&m->p, &m->bank[k], m->product.columns,
                                               m->product.values));
        compute += slowest / m->p.clock;
    }
    const double sent = straight_move(&m->p, &m->p.in, x, used);
    const double cast = straight_move(&m->p, &m->p.broadcast, all, used);
    const bool   fits = fullest_all <= (double)m->p.memory;

    expect_near(c->in, fits ? fmin(sent, cast) : sent, 1e-9, "in");
    expect_near(c->out, straight_move(&m->p, &m->p.out, y, used), 1e-9, "out");
    expect_near(c->compute, compute, 1e-9, "compute");
    expect_near((double)c->needed, c->broadcast ? fullest_all : fullest_rows, 1e-12,
                "needed");
}

Test(pim_model, random_banks_cost_what_a_sum_over_cores_says)
{
    static random_member m;
    uint64_t             state = seed_of("banks");
    cairn_pim_bank       core[MOST_BANKS];
    int                  broadcast = 0, rounds = 0;

    for (int n = 0; n < 300; n++) {
        random_banks(&state, &m);
        const cairn_pim_cost c = cairn_pim_estimate(&m.p, &m.product, m.bank, core);

        check_against_straight(&m, &c);
        broadcast += c.broadcast;
        rounds += c.rounds > 1;
    }
    cr_expect(broadcast > 0 && broadcast < 300 && rounds > 0, "one-sided cases");
}
