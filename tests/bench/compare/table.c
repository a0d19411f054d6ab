// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the comparison prints: a table for each task, fastest first, and a summary of all
/// tasks; or the same for programs, as JSON or CSV. GFLOP/s are useful ones, 2*nnz*columns
/// a run, padding left out. The fraction is of the bound measured in the same rounds:
/// bytes that a run has to move (the arrays of the format, dense operands once) over the
/// reading rate for products and the triad's for conversions. Above 1: caches helped.

#include "compare.h"

#include <math.h>

static const char *const titles[OPERATIONS] = {
    [PRODUCT]      = "product",
    [CSR_TO_CSC]   = "CSR to CSC",
    [ROWS_TO_CSR]  = "COO (by rows) to CSR",
    [COO_TO_CSR]   = "COO (any order) to CSR",
    [ROWS_TO_DIA]  = "COO (by rows) to DIA",
    [CSR_TO_ELL]   = "CSR to ELL",
    [CSR_TO_BCSR]  = "CSR to BCSR 3x3",
    [CSR_TO_SELL]  = "CSR to SELL 8",
    [CSR_TO_BDIA]  = "CSR to BDIA 64 and CSR",
    [ROWS_TO_BELL] = "COO to BELL 3 and COO",
    [ROWS_TO_C2SR] = "COO to C2SR 16",
    [ROWS_TO_CISR] = "COO to CISR 1024",
    [DCSC_TO_BCSR] = "DCSC to BCSR 3x3",
    [CSB_TO_DIA]   = "CSB 4096 to DIA by columns",
    [CSR_TO_COO]   = "CSR to COO",
};

/// What the summary says of one task.
typedef struct {
    char   title[80], matrix[64], peer[100], ours[160], route[16];
    double flops, hand, csr_peer_ms, csr_ms, fraction;
    char   chosen[160];           ///< By `auto`.
    double auto_ms, auto_lent_ms; ///< With its own x and y, and with a caller's.
    /// By where memory comes from; products have what is kept. Lent: Cairn's best with a
    /// caller's x and y, or from a caller's arrays.
    double peer_ms[MEMORY_KINDS], ours_ms[MEMORY_KINDS], lent_ms[MEMORY_KINDS];
} summary;

static summary rows[MOST_ROWS];
static int     row_count;
static bool    first = true;

static double rate(const compare_task *task, const compare_bound *bound)
{
    return task->operation == PRODUCT ? bound->read : bound->triad;
}

static double fraction(const compare_task      *task,
                       const compare_contender *c,
                       const compare_bound     *bound)
{
    return c->bytes > 0 ? c->bytes / c->median / rate(task, bound) : NAN;
}

static double flops(const compare_task *task)
{
    return 2.0 * task->matrix->nnz * task->columns;
}

static void get_title(const compare_task *task, char *title, size_t room)
{
    const char *type = task->dtype == CAIRN_F64 ? "f64" : "f32";

    if (task->operation != PRODUCT)
        snprintf(title, room, "%s %s", titles[task->operation], type);
    else if (task->columns == 1)
        snprintf(title, room, "SpMV %s", type);
    else
        snprintf(title, room, "SpMM %s, %d columns", type, task->columns);
}

static const char *owner(const compare_contender *c)
{
    return c->peer ? c->peer->name : "Cairn";
}

static int by_median(const void *a, const void *b)
{
    const compare_contender *x = a, *y = b;

    if (x->wrong != y->wrong) return x->wrong - y->wrong;
    return (x->median > y->median) - (x->median < y->median);
}

/// A number in @p width columns, or a dash.
static void print_number(double value, int width, int digits)
{
    if (isnan(value))
        printf(" %*s", width, "-");
    else
        printf(" %*.*f", width, digits, value);
}

static void print_rows(const compare_task      *task,
                       const compare_contender *list,
                       int                      count,
                       const compare_bound     *bound)
{
    double plain = NAN;

    for (int k = 0; k < count; k++)
        if (list[k].peer && list[k].peer->by_hand && !list[k].loose && isnan(plain))
            plain = list[k].median;
    for (int k = 0; k < count; k++) {
        const compare_contender *c = &list[k];

        printf("  %-9s %-44.44s %-9s %-11.11s", owner(c), c->name, c->route, c->values);
        if (c->wrong) {
            printf("  WRONG\n");
            continue;
        }
        print_number(1e3 * c->median, 9, 3);
        print_number(1e3 * c->seconds[0], 9, 3); /* the least: they are sorted */
        print_number(task->operation == PRODUCT ? 1e-9 * flops(task) / c->median : NAN,
                     8, 2);
        print_number(c->bytes > 0 ? 1e-9 * c->bytes / c->median : NAN, 6, 1);
        print_number(fraction(task, c, bound), 6, 2);
        print_number(plain / c->median, 7, 2);
        printf("%s%s\n", c->retired ? "  (two rounds)" : "",
               c->loose ? "  (rows in no order)" : "");
    }
}

static void print_text(const compare_task      *task,
                       const compare_contender *list,
                       int                      count,
                       const compare_bound     *bound)
{
    const compare_matrix *m = task->matrix;
    char                  title[80];

    get_title(task, title, sizeof title);
    printf("\n%s: %s, %d x %d, %d entries; reading %.1f GB/s, triad %.1f, others' "
           "cores %.2f",
           title, m->name, m->rows, m->cols, m->nnz, 1e-9 * bound->read,
           1e-9 * bound->triad, bound->others);
    if (bound->again) printf(", %d disturbed turns repeated", bound->again);
    printf("\n");
    printf("  %-9s %-44s %-9s %-11s %9s %9s %8s %6s %6s %7s\n", "", "", "route",
           "values", "median ms", "least ms", "GFLOP/s", "GB/s", "bound", "plain C");
    print_rows(task, list, count, bound);
}

/// What the contender stands for in tables made of records.
static const char *get_role(const compare_contender *c)
{
    if (!c->peer) return c->borrowed ? "borrowed" : c->lent ? "lent" : "own";
    if (c->loose) return "loose";
    if (c->peer->by_hand) return c->way->csr ? "hand-csr" : "hand";
    return c->way->csr ? "peer-csr" : "peer";
}

/// Quotes in names of formats do not occur; nothing needs escaping.
static void print_record(const compare_settings  *settings,
                         const compare_task      *task,
                         const compare_contender *c,
                         const compare_bound     *bound)
{
    const bool ok = !c->wrong;
    char       title[80];

    get_title(task, title, sizeof title);
    if (settings->json) {
        printf("%s\n  {\"task\": \"%s\", \"matrix\": \"%s\", \"entries\": %d, "
               "\"peer\": \"%s\","
               " \"way\": \"%s\", \"route\": \"%s\", \"right\": %s, \"rounds\": %d",
               first ? "" : ",", title, task->matrix->name, task->matrix->nnz, owner(c),
               c->name, c->route, ok ? "true" : "false", c->samples);
        if (ok)
            printf(", \"median_ms\": %.6f, \"least_ms\": %.6f", 1e3 * c->median,
                   1e3 * c->seconds[0]);
        if (ok && c->bytes > 0)
            printf(", \"bytes\": %.0f, \"bound\": %.4f", c->bytes,
                   fraction(task, c, bound));
        printf(", \"read_gbs\": %.2f, \"triad_gbs\": %.2f, \"others\": %.2f"
               ", \"near_gbs\": %.2f, \"role\": \"%s\", \"memory\": \"%s\", "
               "\"iso\": %s, \"values\": \"%s\", \"chosen\": \"%s\"}",
               1e-9 * bound->read, 1e-9 * bound->triad, bound->others,
               1e-9 * bound->near, get_role(c), compare_memory_name(c->memory),
               task->matrix->iso ? "true" : "false", c->values, c->chosen);
    } else
        printf("\"%s\",%s,%d,%s,\"%s\",%s,%d,%d,%.6f,%.6f,%.0f,%.2f,%.2f,%.2f,%.2f,%s,"
               "%s,%d,%s,\"%s\"\n",
               title, task->matrix->name, task->matrix->nnz, owner(c), c->name,
               c->route, ok, c->samples, 1e3 * c->median, 1e3 * c->seconds[0], c->bytes,
               1e-9 * bound->read, 1e-9 * bound->triad, bound->others,
               1e-9 * bound->near, get_role(c), compare_memory_name(c->memory),
               task->matrix->iso, c->values, c->chosen);
    first = false;
}

/// A number that the first of a kind sets.
static void set_once(double *number, double value)
{
    if (isnan(*number)) *number = value;
}

static void note_ours(summary                 *s,
                      const compare_task      *task,
                      const compare_contender *c,
                      const compare_bound     *bound)
{
    if (*c->chosen) {
        set_once(c->lent ? &s->auto_lent_ms : &s->auto_ms, 1e3 * c->median);
        snprintf(s->chosen, sizeof s->chosen, "%s", c->chosen);
    }
    if (c->lent) {
        set_once(&s->lent_ms[c->memory], 1e3 * c->median);
        return;
    }
    if (strcmp(c->name, "csr") == 0) s->csr_ms = 1e3 * c->median;
    if (!isnan(s->ours_ms[c->memory])) return;
    s->ours_ms[c->memory] = 1e3 * c->median;
    if (c->memory == MEMORY_FRESH) return;
    s->fraction = fraction(task, c, bound);
    snprintf(s->ours, sizeof s->ours, "%s", *c->chosen ? c->chosen : c->name);
    snprintf(s->route, sizeof s->route, "%s", c->route);
}

static void note_peer(summary *s, const compare_task *task, const compare_contender *c)
{
    const bool product = task->operation == PRODUCT;

    if (c->loose) return;
    if (c->peer->by_hand && c->memory == MEMORY_KEPT)
        set_once(&s->hand, 1e3 * c->median);
    if (c->way->csr) set_once(&s->csr_peer_ms, 1e3 * c->median);
    if ((!product && c->peer->by_hand) || !isnan(s->peer_ms[c->memory])) return;
    s->peer_ms[c->memory] = 1e3 * c->median;
    if (c->memory == MEMORY_FRESH) return;
    snprintf(s->peer, sizeof s->peer, "%s %s", c->peer->name,
             product ? c->name : c->way->name);
}

/// The contenders are sorted: the first of a kind is its best.
static void note(const compare_task      *task,
                 const compare_contender *list,
                 int                      count,
                 const compare_bound     *bound)
{
    summary *const s = &rows[row_count];

    if (row_count == MOST_ROWS) return;
    *s = (summary){.flops        = flops(task),
                   .hand         = NAN,
                   .csr_peer_ms  = NAN,
                   .csr_ms       = NAN,
                   .auto_ms      = NAN,
                   .auto_lent_ms = NAN,
                   .fraction     = NAN};
    for (int m = 0; m < MEMORY_KINDS; m++)
        s->peer_ms[m] = s->ours_ms[m] = s->lent_ms[m] = NAN;
    get_title(task, s->title, sizeof s->title);
    snprintf(s->matrix, sizeof s->matrix, "%s", task->matrix->name);
    for (int k = 0; k < count; k++)
        if (list[k].wrong)
            continue;
        else if (list[k].peer)
            note_peer(s, task, &list[k]);
        else
            note_ours(s, task, &list[k], bound);
    row_count++;
}

void compare_print_task(const compare_settings *settings,
                        const compare_task     *task,
                        compare_contender      *list,
                        int                     count,
                        const compare_bound    *bound)
{
    qsort(list, (size_t)count, sizeof *list, by_median);
    note(task, list, count, bound);
    if (!settings->json && !settings->csv)
        print_text(task, list, count, bound);
    else
        for (int k = 0; k < count; k++)
            print_record(settings, task, &list[k], bound);
    fflush(stdout);
}

void compare_print_begin(const compare_settings *settings)
{
    if (settings->json)
        printf("[");
    else if (settings->csv)
        printf(
            "task,matrix,entries,peer,way,route,right,rounds,median_ms,least_ms,bytes,"
            "read_gbs,triad_gbs,others,near_gbs,role,memory,iso,values,chosen\n");
    else
        compare_print_machine(settings);
}

/// One line of the summary of products, in GFLOP/s.
static void print_product(const summary *s)
{
    const double g = 1e-6 * s->flops, ours_ms = s->ours_ms[MEMORY_KEPT];
    const double lent_ms = s->lent_ms[MEMORY_KEPT], peer_ms = s->peer_ms[MEMORY_KEPT];

    printf("%-22s %-16s", s->title, s->matrix);
    print_number(g / s->hand, 7, 2);
    print_number(g / peer_ms, 7, 2);
    printf(" %-26.26s", s->peer);
    print_number(g / s->csr_ms, 7, 2);
    print_number(s->csr_peer_ms / s->csr_ms, 6, 2);
    print_number(g / ours_ms, 7, 2);
    print_number(peer_ms / ours_ms, 6, 2);
    print_number(s->fraction, 6, 2);
    print_number(g / lent_ms, 7, 2);
    print_number(peer_ms / lent_ms, 6, 2);
    print_number(peer_ms / s->auto_ms, 6, 2);
    print_number(peer_ms / s->auto_lent_ms, 6, 2);
    printf("  %s [%s]; auto: %s\n", s->ours, s->route, s->chosen);
}

static void print_conversion(const summary *s)
{
    printf("%-27s %-14s", s->title, s->matrix);
    print_number(s->hand, 8, 2);
    printf(" %-20.20s", s->peer);
    for (int m = 0; m < MEMORY_KINDS; m++) {
        print_number(s->peer_ms[m], 8, 2);
        print_number(s->ours_ms[m], 8, 2);
        print_number(s->peer_ms[m] / s->ours_ms[m], 6, 2);
        print_number(s->peer_ms[m] / s->lent_ms[m], 6, 2);
    }
    print_number(s->fraction, 6, 2);
    printf("\n");
}

/// All rows with the title, and the geometric mean of their ratios.
static void print_group(const char *title)
{
    double sum = 0;
    int    n   = 0;

    for (int k = 0; k < row_count; k++) {
        const bool   product = strncmp(title, "Sp", 2) == 0;
        const int    kind    = product ? MEMORY_KEPT : MEMORY_SHIPPED;
        const double ratio   = rows[k].peer_ms[kind] / rows[k].ours_ms[kind];

        if (strcmp(rows[k].title, title) != 0) continue;
        if (product)
            print_product(&rows[k]);
        else
            print_conversion(&rows[k]);
        if (isnan(ratio)) continue;
        sum += log(ratio);
        n++;
    }
    if (n)
        printf("  geometric mean of best peer / Cairn, %d matrices: %.2f\n", n,
               exp(sum / n));
}

static bool seen_before(int k)
{
    for (int j = 0; j < k; j++)
        if (strcmp(rows[j].title, rows[k].title) == 0) return true;
    return false;
}

void compare_print_end(const compare_settings *settings)
{
    if (settings->json) printf("\n]\n");
    if (settings->json || settings->csv) return;
    compare_print_pages();
    printf("\nProducts, GFLOP/s; ratios are the peer's time over Cairn's\n%-22s %-16s "
           "%7s %7s "
           "%-26s %7s %6s %7s %6s %6s %7s %6s %6s %6s  %s\n",
           "", "", "plain C", "peer", "", "csr", "ratio", "Cairn", "ratio", "bound",
           "lent", "ratio", "auto", "lent", "format [route]");
    for (int k = 0; k < row_count; k++)
        if (!seen_before(k) && strncmp(rows[k].title, "Sp", 2) == 0)
            print_group(rows[k].title);
    printf(
        "\nConversions, ms, by where memory comes from\n%-27s %-14s %8s %-20s %8s %8s "
        "%6s %6s %8s %8s %6s %6s %8s %8s %6s %6s %6s\n",
        "", "", "by hand", " peer", "fresh", "Cairn", "ratio", "lent", "shipped",
        "Cairn", "ratio", "lent", "kept", "Cairn", "ratio", "lent", "bound");
    for (int k = 0; k < row_count; k++)
        if (!seen_before(k) && strncmp(rows[k].title, "Sp", 2) != 0)
            print_group(rows[k].title);
}
