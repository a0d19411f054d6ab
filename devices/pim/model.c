// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What processing in memory costs.

#include "devices/pim/model.h"

#include <math.h>
#include <stddef.h>

/// Cycles of one access: of the engine, and until the thread goes on.
typedef struct {
    double busy, wait;
} access_cycles;

static double largest(double a, double b)
{
    return a > b ? a : b;
}

/// One read or write of @p bytes, in 8-byte steps, cut where it is too long.
static access_cycles
access_of(const cairn_pim_parameters *p, double bytes, double latency)
{
    const double whole  = 8 * ceil(bytes / 8);
    const double pieces = ceil(whole / p->access_most);

    return (access_cycles){
        .busy =
            pieces * p->access.cycles + p->access.byte_cycles * (whole - 8 * pieces),
        .wait = pieces * latency + p->access.byte_cycles * whole,
    };
}

/// Cycles that a thread waits for an access after it might have issued again.
static double beyond(const cairn_pim_parameters *p, double wait)
{
    return wait > p->interval ? wait - p->interval : 0;
}

double cairn_pim_widening_of(const cairn_pim_parameters *p, cairn_pim_values values)
{
    const bool   wide   = values.bits == 64;
    const double single = wide ? p->widen.single : 0;

    switch (values.kind) {
    case CAIRN_VALUE_INTEGER: return p->widen.integer[wide];
    case CAIRN_VALUE_ONE: return 0;
    case CAIRN_VALUE_CODE: return p->widen.code;
    case CAIRN_VALUE_BFLOAT: return p->widen.bfloat + single;
    default:
        if (values.stored_bits == 16) return p->widen.half + single;
        return values.stored_bits < values.bits ? single : 0;
    }
}

static double dictionary_bytes(cairn_pim_values values)
{
    return values.kind == CAIRN_VALUE_CODE
               ? (double)(sizeof(double) << values.stored_bits)
               : 0;
}

bool cairn_pim_fetches_words(const cairn_pim_parameters *p, cairn_pim_values values)
{
    return dictionary_bytes(values) > p->widen.room;
}

/// Cycles of a core whose pipeline, engine and slowest thread run side by side.
static double threaded_cycles(const cairn_pim_parameters *p,
                              const cairn_pim_bank       *bank,
                              double                      columns,
                              cairn_pim_values            values)
{
    const int    wide    = values.bits == 64;
    const bool   fetches = cairn_pim_fetches_words(p, values);
    const double operand = columns * (values.bits / 8);
    const double entries = (double)bank->visited, rows = (double)bank->rows;
    const double threads = (double)p->threads;
    const double bytes =
        largest((double)bank->bytes - (fetches ? dictionary_bytes(values) : 0), 0);
    const double of_entry = p->entry_instructions + cairn_pim_widening_of(p, values)
                            + columns * (p->add[wide] + p->multiply[wide]);
    const double of_row = p->row_instructions + columns * p->add[wide];

    const access_cycles x = access_of(p, operand, p->access.read_latency);
    const access_cycles y = access_of(p, operand, p->access.read_latency);
    const access_cycles z = access_of(p, operand, p->access.write_latency);
    const access_cycles w =
        access_of(p, fetches ? sizeof(double) : 0, p->access.read_latency);

    const double issued = entries * of_entry + rows * of_row;
    const double busy   = entries * (x.busy + w.busy) + rows * (y.busy + z.busy)
                        + bytes * p->access.byte_cycles;

    /* Threads share entries, rows and arrays evenly, but for what cannot be cut. */
    const double waits =
        ceil(entries / threads)
            * (p->interval * of_entry + beyond(p, x.wait) + beyond(p, w.wait))
        + ceil(rows / threads)
              * (p->interval * of_row + beyond(p, y.wait) + beyond(p, z.wait))
        + bytes / threads
              * (p->access.read_latency / p->stream_bytes + p->access.byte_cycles);

    return largest(largest(issued, busy), waits);
}

double cairn_pim_cycles(const cairn_pim_parameters *p,
                        const cairn_pim_bank       *bank,
                        int64_t                     columns,
                        cairn_pim_values            values)
{
    if (bank->visited == 0) return 0;
    if (p->entry_cycles > 0)
        return (double)bank->visited * (double)columns * p->entry_cycles;
    return threaded_cycles(p, bank, (double)columns, values);
}

double
cairn_pim_rate(const cairn_pim_parameters *p, const cairn_pim_link *link, int64_t cores)
{
    if (cores >= p->group || p->group < 2) return cores > 1 ? link->all : link->one;
    return link->one
           * pow((double)cores, log(link->all / link->one) / log((double)p->group));
}

/// What the cores hold, over all rounds.
static int64_t fill_cores(const cairn_pim_parameters *p,
                          int64_t                     banks,
                          const cairn_pim_bank       *bank,
                          cairn_pim_bank             *core)
{
    const int64_t used = banks < p->cores ? banks : p->cores;

    for (int64_t k = 0; k < used; k++)
        core[k] = (cairn_pim_bank){.x_lo = 0, .x_hi = -1};
    for (int64_t b = 0; b < banks; b++) {
        cairn_pim_bank *c = &core[b % p->cores];

        c->entries += bank[b].entries;
        c->rows += bank[b].rows;
        c->bytes += bank[b].bytes;
        if (bank[b].x_lo > bank[b].x_hi) continue;
        if (c->x_lo > c->x_hi || bank[b].x_lo < c->x_lo) c->x_lo = bank[b].x_lo;
        if (bank[b].x_hi > c->x_hi) c->x_hi = bank[b].x_hi;
    }
    return used;
}

/// What every core of some moves: @p of of it, or as much each.
typedef struct {
    const cairn_pim_bank *core;
    int64_t               used;
    int64_t (*of)(const cairn_pim_bank *core); ///< Things; NULL: `each` of them.
    int64_t each;
    double  unit; ///< Bytes of a thing.
} cargo;

static int64_t window_of(const cairn_pim_bank *core)
{
    return core->x_hi - core->x_lo + 1;
}

static int64_t rows_of(const cairn_pim_bank *core)
{
    return core->rows;
}

static int64_t bytes_of(const cairn_pim_bank *core)
{
    return core->bytes;
}

/// Seconds until a group of cores from @p first on has moved its cargo: each as much as
/// the one that wants most.
static double move_group(const cairn_pim_parameters *p,
                         const cairn_pim_link       *link,
                         const cargo                *c,
                         int64_t                     first)
{
    const int64_t n    = c->used - first < p->group ? c->used - first : p->group;
    int64_t       most = c->of ? 0 : c->each;

    for (int64_t k = first; k < first + n && c->of; k++)
        if (c->of(&c->core[k]) > most) most = c->of(&c->core[k]);
    return (double)n * (double)most * c->unit / cairn_pim_rate(p, link, n);
}

/// Seconds until all have; groups go `groups_at_once` at a time.
static double
move(const cairn_pim_parameters *p, const cairn_pim_link *link, const cargo *c)
{
    double  seconds = 0, slowest = 0;
    int64_t group = 0;

    for (int64_t first = 0; first < c->used; first += p->group, group++) {
        if (group % p->groups_at_once == 0) {
            seconds += slowest;
            slowest = 0;
        }
        slowest = largest(slowest, move_group(p, link, c, first));
    }
    return seconds + slowest;
}

/// Bytes of one core's bank when X's rows are @p x_rows; -1: those that it reads.
static int64_t held(const cairn_pim_bank *core, int64_t x_rows, int64_t row_bytes)
{
    const int64_t in = x_rows < 0 ? window_of(core) : x_rows;

    return core->bytes + (in + core->rows) * row_bytes;
}

static int64_t fullest(const cargo *c, int64_t x_rows)
{
    int64_t most = 0;

    for (int64_t k = 0; k < c->used; k++) {
        const int64_t bytes = held(&c->core[k], x_rows, (int64_t)c->unit);

        if (bytes > most) most = bytes;
    }
    return most;
}

/// Choose how X is sent: so that it fits, then the faster way.
static void send_x(const cairn_pim_parameters *p,
                   const cairn_pim_product    *product,
                   cargo                       c,
                   cairn_pim_cost             *cost)
{
    c.of                  = window_of;
    const int64_t windows = fullest(&c, -1), whole = fullest(&c, product->rows_in);
    const double  sent = move(p, &p->in, &c);

    c.of   = NULL;
    c.each = product->rows_in;

    const double all = move(p, &p->broadcast, &c);

    cost->broadcast = whole <= p->memory && all <= sent;
    cost->in        = cost->broadcast ? all : sent;
    cost->needed    = cost->broadcast ? whole : windows;
    for (int64_t k = 0; k < c.used; k++)
        cost->bytes +=
            held(&c.core[k], cost->broadcast ? product->rows_in : -1, (int64_t)c.unit);
}

/// Start the cores until every bank had its turn: a round lasts as long as its slowest.
static void run_rounds(const cairn_pim_parameters *p,
                       const cairn_pim_product    *product,
                       const cairn_pim_bank       *bank,
                       cairn_pim_cost             *cost)
{
    for (int64_t first = 0; first < product->banks; first += p->cores) {
        double slowest = 0;

        for (int64_t b = first; b < product->banks && b < first + p->cores; b++) {
            slowest = largest(slowest, cairn_pim_cycles(p, &bank[b], product->columns,
                                                        product->values));
            cost->entries += bank[b].entries;
            cost->merge_bytes +=
                bank[b].merged * product->columns * (product->values.bits / 8);
            if (bank[b].entries > cost->most) cost->most = bank[b].entries;
        }
        cost->rounds++;
        cost->slowest += slowest;
    }
    cost->launch  = (double)cost->rounds * p->launch;
    cost->compute = cost->slowest / p->clock;
    if (cost->merge_bytes > 0) cost->merge = (double)cost->merge_bytes / p->merge;
}

cairn_pim_cost cairn_pim_estimate(const cairn_pim_parameters *p,
                                  const cairn_pim_product    *product,
                                  const cairn_pim_bank       *bank,
                                  cairn_pim_bank             *core)
{
    cairn_pim_cost cost = {.in = 0};
    cargo c = {.core = core, .used = fill_cores(p, product->banks, bank, core)};

    c.unit      = 1;
    c.of        = bytes_of;
    cost.upload = move(p, &p->in, &c);
    c.unit      = (double)(product->columns * (product->values.bits / 8));
    send_x(p, product, c, &cost);
    c.of     = rows_of;
    cost.out = move(p, &p->out, &c);
    run_rounds(p, product, bank, &cost);
    return cost;
}

double cairn_pim_bandwidth(const cairn_pim_parameters *p)
{
    return p->access.byte_cycles > 0
               ? (double)p->cores * p->clock / p->access.byte_cycles
               : 0;
}
