// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is printed of the door: a table for each pass, a line a matrix, and at the end a line
/// for each thing that is aimed at. Ratios are the time of the best peer of all (loops by
/// hand are peers) over Cairn's. A ratio with a caller's x and y, or arrays, is what counts;
/// *inside*, with Cairn's own, stands before it.

#include "door.h"

#include <math.h>

/// Whose time is compared.
typedef enum {
    BY_AUTO, ///< The format that `auto` chose.
    BY_BEST, ///< The best of all.
    BY_CSR,  ///< CSR, with the best CSR of the peers.
} measure;

/// What is aimed at. 0 for a mean, or a least one, that nobody asks for.
typedef struct {
    const char *name;
    const char *section;
    int         groups; ///< BIT() of each.
    int         threads, columns;
    bool        small, larger, iso; ///< Only cells of these values; of these matrices.
    measure     by;
    double      mean, least;
    const char *special; ///< Matrices whose least ratio is another;
    double      special_least;
    bool        bound; ///< 0.9 of what can be read counts as met.
} row;

#define ALL   (BIT(MADE) | BIT(REAL))
#define HARD  "rmat18,rand16,mixed"
#define LINES "s5_1000,s7_100,s27_64,band15"

// clang-format off
static const row rows[] = {
    {"SpMV f64, generated, full values, 1 thread, auto",   "spmv",    BIT(MADE), 1, 1,  false, false, false, BY_AUTO, 1.25, 1.0, HARD, 1.2, true},
    {"SpMV f64, generated, full values, 2 threads, auto",  "spmv",    BIT(MADE), 2, 1,  false, false, false, BY_AUTO, 1.25, 1.0, HARD, 1.2, true},
    {"SpMV f64, generated, small values, 1 thread, auto",  "spmv",    BIT(MADE), 1, 1,  true,  false, false, BY_AUTO, 1.5,  0,   LINES, 2.0, false},
    {"SpMV f64, generated, small values, 2 threads, auto", "spmv",    BIT(MADE), 2, 1,  true,  false, false, BY_AUTO, 1.5,  0,   LINES, 2.0, false},
    {"SpMV f64, larger real matrices, 1 thread, auto",     "spmv",    BIT(REAL), 1, 1,  false, true,  false, BY_AUTO, 1.3,  1.0, NULL, 0, false},
    {"SpMV f64, larger real matrices, 2 threads, auto",    "spmv",    BIT(REAL), 2, 1,  false, true,  false, BY_AUTO, 1.3,  1.0, NULL, 0, false},
    {"  patterns and one value among them, 1 thread",      "spmv",    BIT(REAL), 1, 1,  false, true,  true,  BY_AUTO, 1.5,  0,   NULL, 0, false},
    {"  patterns and one value among them, 2 threads",     "spmv",    BIT(REAL), 2, 1,  false, true,  true,  BY_AUTO, 1.5,  0,   NULL, 0, false},
    {"SpMV f64, beyond caches, full values, 1 thread",     "spmv",    BIT(FAR),  1, 1,  false, false, false, BY_AUTO, 0,    1.0, "s7_300", 1.3, false},
    {"SpMV f64, beyond caches, full values, 2 threads",    "spmv",    BIT(FAR),  2, 1,  false, false, false, BY_AUTO, 0,    1.0, "s7_300", 1.3, false},
    {"SpMV f64, beyond caches, small values, 1 thread",    "spmv",    BIT(FAR),  1, 1,  true,  false, false, BY_AUTO, 0,    1.0, "s7_300", 2.8, false},
    {"our CSR, best CSR of anybody, 1 thread",             "spmv",    ALL,       1, 1,  false, false, false, BY_CSR,  0,    0.97, NULL, 0, false},
    {"our CSR, best CSR of anybody, 2 threads",            "spmv",    ALL,       2, 1,  false, false, false, BY_CSR,  0,    0.97, NULL, 0, false},
    {"SpMM f64, 8 columns, auto",                          "spmm",    BIT(MADE), 1, 8,  false, false, false, BY_AUTO, 1.4,  1.0, NULL, 0, false},
    {"SpMM f64, 64 columns, auto",                         "spmm",    BIT(MADE), 1, 64, false, false, false, BY_AUTO, 1.4,  1.0, NULL, 0, false},
    {"conversions, 1 thread",                              "convert", BIT(MADE), 1, 1,  false, false, false, BY_BEST, 1.3,  0.9, NULL, 0, false},
    {"conversions, 2 threads",                             "convert", BIT(MADE), 2, 1,  false, false, false, BY_BEST, 1.95, 1.35, NULL, 0, false},
    {"Matrix Market reading, 1 thread",                    "read",    BIT(MADE), 1, 1,  false, false, false, BY_BEST, 2.4,  0,   NULL, 0, false},
};
// clang-format on

enum { ROWS = sizeof rows / sizeof *rows };

static bool belongs(const row *r, const door_cell *c)
{
    const door_pass *p = c->pass;

    return strcmp(p->section, r->section) == 0 && (BIT(p->group) & (unsigned)r->groups)
           && p->threads == r->threads && p->columns == r->columns
           && p->small == r->small && (!r->larger || c->larger) && (!r->iso || c->iso);
}

static double get_peer(const row *r, const door_cell *c)
{
    return r->by == BY_CSR ? c->csr_peer : c->peer;
}

static door_times get_ours(const row *r, const door_cell *c)
{
    return r->by == BY_AUTO ? c->chosen_time : r->by == BY_CSR ? c->csr : c->best;
}

/// Of what can be read, or moved, a second.
static double get_fraction(const door_cell *c, double seconds)
{
    return c->bytes / seconds / c->read;
}

/// What the cells of a row come to.
typedef struct {
    int    cells, bound, below;
    double logs, own_logs, counted; ///< Sums over the cells; counted: with bounds.
    int    owns;
    double worst, own_worst, lack; ///< Lack: the most that a least ratio lacks.
    const door_cell *worst_cell, *own_cell, *lack_cell;
} sums;

static void add(const row *r, const door_cell *c, sums *s)
{
    const door_times ours = get_ours(r, c);
    const double ratio = get_peer(r, c) / ours.lent, own = get_peer(r, c) / ours.own;
    const bool   special = r->special && compare_in(r->special, c->matrix);
    const double least   = special ? r->special_least : r->least;
    const bool   bound   = r->bound && get_fraction(c, ours.lent) >= 0.9;

    if (isnan(ratio)) return;
    s->cells++;
    s->bound += bound;
    s->logs += log(ratio);
    s->counted += log(bound ? fmax(ratio, r->mean) : ratio);
    if (!s->worst_cell || ratio < s->worst) {
        s->worst      = ratio;
        s->worst_cell = c;
    }
    if (!isnan(own)) {
        s->owns++;
        s->own_logs += log(own);
        if (!s->own_cell || own < s->own_worst) {
            s->own_worst = own;
            s->own_cell  = c;
        }
    }
    if (ratio >= least || bound) return;
    s->below++;
    if (!s->lack_cell || least - ratio > s->lack) {
        s->lack      = least - ratio;
        s->lack_cell = c;
    }
}

static void print_target(const row *r)
{
    char text[64] = "", *at = text;

    if (r->mean > 0) at += sprintf(at, "mean %.2f", r->mean);
    if (r->least > 0) at += sprintf(at, "%sleast %.2f", *text ? ", " : "", r->least);
    printf(" | %-23s", text);
}

/// What it moves, how fast, and how near that is to what can be read or moved.
static void print_bound(const row *r, const door_cell *c)
{
    const double seconds = get_ours(r, c).lent;
    const double bytes   = r->by == BY_CSR ? c->csr_bytes : c->bytes;

    if (isnan(bytes))
        printf("%s takes %.3f ms", c->matrix, 1e3 * seconds);
    else
        printf("%s moves %.1f MB at %.1f GB/s, %.2f of the %s rate", c->matrix,
               1e-6 * bytes, 1e-9 * bytes / seconds, bytes / seconds / c->read,
               r->by == BY_BEST ? "triad's" : "read");
}

static void print_row(const row *r, const door_cells *cells)
{
    sums s = {0};

    for (int k = 0; k < cells->count; k++)
        if (belongs(r, &cells->cell[k])) add(r, &cells->cell[k], &s);
    printf("%-52s", r->name);
    print_target(r);
    if (!s.cells) {
        printf(" | not measured: no matrix, or no peer\n");
        return;
    }

    const double mean = exp(s.logs / s.cells), counted = exp(s.counted / s.cells);
    const double lack = fmax(r->mean - counted, 0);

    if (s.owns)
        printf(" | %5.2f %5.2f %-14.14s", exp(s.own_logs / s.owns), s.own_worst,
               s.own_cell->matrix);
    else
        printf(" | %5s %5s %-14s", "-", "-", "");
    printf(" | %5.2f %5.2f %-14.14s | %5.2f %5.2f | %-3s | ", mean, s.worst,
           s.worst_cell->matrix, lack, s.lack, lack > 0 || s.below ? "no" : "yes");
    if (s.below) printf("%d of %d below the least; ", s.below, s.cells);
    if (r->bound) printf("%d of %d read at 0.9; ", s.bound, s.cells);
    print_bound(r, s.lack_cell ? s.lack_cell : s.worst_cell);
    printf("\n");
}

/// A ratio, or a dash.
static void print_ratio(double ratio)
{
    if (isnan(ratio))
        printf(" %6s", "-");
    else
        printf(" %6.2f", ratio);
}

static void print_cell(const door_cell *c)
{
    const bool converts =
        strcmp(c->pass->section, "spmv") != 0 && strcmp(c->pass->section, "spmm") != 0;
    const door_times ours = converts ? c->best : c->chosen_time;

    printf("%-20.20s %9.0f %9.3f %9.3f", c->matrix, c->entries, 1e3 * c->peer,
           1e3 * ours.lent);
    print_ratio(c->peer / ours.own);
    print_ratio(c->peer / ours.lent);
    if (converts) {
        print_ratio(c->fresh_peer / c->fresh);
        print_ratio(get_fraction(c, ours.lent));
        printf("  %s; %s", c->title, c->peer_name);
        if (!isnan(c->loose)) printf("; rows in no order %.2f", c->loose / ours.lent);
    } else {
        print_ratio(c->peer / c->best.lent);
        print_ratio(get_fraction(c, ours.lent));
        print_ratio(c->csr_peer / c->csr.own);
        print_ratio(c->csr_peer / c->csr.lent);
        print_ratio(c->csr_peer / c->borrowed);
        printf("  %s, %s; %s; CSR: %s; best %s", c->chosen, c->values, c->peer_name,
               c->csr_name, c->best_name);
    }
    if (c->pass->group == FAR && compare_last_cache())
        printf("; CSR has %.1f times the last cache%s",
               12 * c->entries / (double)compare_last_cache(),
               12 * c->entries < 4 * (double)compare_last_cache() ? ", not 4" : "");
    printf("\n");
}

static void print_head(const door_pass *p)
{
    static const char *const groups[GROUPS] = {"generated", "", "real",
                                               "beyond caches"};

    printf("\n%s, %s%s, %d thread%s", p->section, groups[p->group],
           p->group == REAL || p->section[0] == 'r' ? ""
           : p->small                               ? ", small values"
                                                    : ", full values",
           p->threads, p->threads > 1 ? "s" : "");
    if (p->columns > 1) printf(", %d columns", p->columns);
    if (p->section[0] == 's')
        printf(
            "\n%-20s %9s %9s %9s %6s %6s %6s %6s %6s %6s %6s  %s\n", "", "entries",
            "peer ms", "auto ms", "inside", "auto", "best", "bound", "csr in", "csr",
            "borrow",
            "chosen by auto, its values; best peer; best CSR of a peer; best format");
    else
        printf("\n%-20s %9s %9s %9s %6s %6s %6s %6s  %s\n", "", "entries", "peer ms",
               "ours ms", "inside", "ours", "fresh", "bound", "what; best peer");
}

void door_print_pass(const door_cells *cells, const door_pass *pass)
{
    bool first = true;

    for (int k = 0; k < cells->count; k++) {
        if (cells->cell[k].pass != pass) continue;
        if (first) print_head(pass);
        print_cell(&cells->cell[k]);
        first = false;
    }
    fflush(stdout);
}

void door_print(const door_cells *cells)
{
    static const char *const legend[] = {
        "Ratios are the best peer's time over Cairn's; above 1 Cairn is faster. What "
        "makes",
        "rows in no order, where Cairn's are, is no peer of coordinates in any order.",
        "Inside: x and y, or the tensor, are Cairn's own. Caller's: they are the",
        "caller's, and that is what counts. Short: by how much the mean lacks, and the",
        "matrix that lacks most. Where it says so, a matrix that is gone through at "
        "0.9 of",
        "the rate at which as many bytes can be read counts as met.",
    };

    printf("\n");
    for (size_t k = 0; k < sizeof legend / sizeof *legend; k++)
        printf("%s\n", legend[k]);
    printf("\n%-52s | %-23s | %-26s | %-26s | %-11s | %s | %s\n", "the door",
           "aimed at", "inside: mean, worst", "caller's: mean, worst", "short", "met",
           "what bounds it");
    for (int k = 0; k < ROWS; k++)
        print_row(&rows[k], cells);
}
