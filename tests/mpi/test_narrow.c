// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values that one rank stores wider than others, from the begin or after an update: plans
/// go on with the bits of `val(f64)`, and ask for no compiler. Random formats and matrices
/// of others have its bits, too.

#include "api/api.h"
#include "mpi_suite.h"
#include "names.h"
#include "narrow_values.h"
#include "same_sums.h"
#include "seed.h"

#include <cairn/cairn.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(narrow, .init = mpi_up, .fini = mpi_down, .timeout = 500);

enum { ROWS = 40, BAND = 3, N = ROWS * BAND }; ///< Of each rank.

#define CSR "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>%s }>"
#define SELL                                                                           \
    "#encoding<{ idx_map<(d0,d1)->(d0/8,slot,d0%%8,d1)>, mutation<merge(0), "          \
    "trim(1,1)>, "                                                                     \
    "indirect<{ count = sum(value) groupBy (d0,d1)->(d0); slot = enum(value) groupBy " \
    "(d0,d1)->(d0) traverseBy (d0,d1)->(d1) with value eq 0 -> count | otherwise -> "  \
    "0 }>%s }>"

static int32_t ptr[ROWS + 1], idx[N];
static double  val[N];

static void make_pattern(void)
{
    for (int i = 0; i <= ROWS; i++)
        ptr[i] = BAND * i;
    for (int k = 0; k < N; k++)
        idx[k] = (rank * ROWS + k / BAND + k % BAND * 11) % (ROWS * size);
}

/// Integers of 8 bits, but for the last rank's first one.
static void make_values(int seed, double odd)
{
    for (int k = 0; k < N; k++)
        val[k] = (k * 37 + seed * 11 + rank) % 200 - 99;
    if (rank == size - 1) val[0] = odd;
}

static cairn_tensor *take(cairn_context *context, const char *text)
{
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    const int64_t n      = (int64_t)ROWS * size;

    if (cairn_format_create(context, text, &format) == CAIRN_OK)
        cairn_tensor_from_csr(context, n, n, (int64_t)rank * ROWS, ROWS, ptr, 32, idx,
                              32, val, CAIRN_F64, CAIRN_COPY, format, &tensor);
    cairn_format_destroy(&format);
    return tensor;
}

/// A compiler that can be taken away, and no cache.
static void lend_compiler(char *path, size_t bytes)
{
    static char folder[64];

    shared_scratch(folder);
    snprintf(path, bytes, "%s/cc", folder);
    FILE *script = rank == 0 ? fopen(path, "w") : NULL;

    if (script) {
        fprintf(script, "#!/bin/sh\nexec cc \"$@\"\n");
        fclose(script);
        if (chmod(path, 0700) != 0) abort();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    setenv("CAIRN_CC", path, 1);
    setenv("CAIRN_CACHE", "none", 1);
    setenv("CAIRN_KERNELS", "compiled", 1);
}

/// As it was before, for the tests that follow in this process.
static void return_compiler(const char *cache)
{
    unsetenv("CAIRN_CC");
    unsetenv("CAIRN_KERNELS");
    unsetenv("CAIRN_DEVICES");
    if (cache[0])
        setenv("CAIRN_CACHE", cache, 1);
    else
        unsetenv("CAIRN_CACHE");
}

typedef struct {
    cairn_context *context;
    cairn_tensor  *tensor[2]; ///< Narrow, wide.
    cairn_plan    *plan[2];
} pair;

static bool open_pair(pair *p, const char *text, const char *placed)
{
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;
    char               spelled[2][400];

    options.place = placed;
    snprintf(spelled[0], sizeof spelled[0], text, ", layout<val(exact)>");
    snprintf(spelled[1], sizeof spelled[1], text, ", layout<val(f64)>");
    for (int k = 0; k < 2; k++) {
        p->tensor[k] = take(p->context, spelled[k]);
        if (!p->tensor[k]
            || cairn_plan_create_with(p->tensor[k], &options, &p->plan[k]) != CAIRN_OK)
            return false;
    }
    return true;
}

static bool is_narrow(const pair *p)
{
    return !cairn_layout_is_wide(p->tensor[0]->local->group[0].layout);
}

static bool same_bits(pair *p)
{
    static double x[ROWS], y[2][ROWS];

    for (int k = 0; k < ROWS; k++)
        x[k] = (double)((rank + k) % 97 + 1) / 97;
    for (int k = 0; k < 2; k++)
        if (cairn_plan_run(p->plan[k], x, y[k]) != CAIRN_OK) return false;
    return memcmp(y[0], y[1], sizeof y[0]) == 0;
}

static bool update(pair *p, int seed, double odd)
{
    make_values(seed, odd);
    for (int k = 0; k < 2; k++)
        if (cairn_tensor_update(p->tensor[k], val) != CAIRN_OK) return false;
    return same_bits(p);
}

static void close_pair(pair *p)
{
    for (int k = 0; k < 2; k++) {
        cairn_plan_destroy(&p->plan[k]);
        cairn_tensor_destroy(&p->tensor[k]);
    }
}

static void check(const char *text, const char *placed)
{
    const char *given = getenv("CAIRN_CACHE");
    char        path[100], cache[4096];
    pair        p    = {.context = NULL};
    const bool  last = rank == size - 1;

    snprintf(cache, sizeof cache, "%s", given ? given : "");
    lend_compiler(path, sizeof path);
    make_pattern();
    make_values(0, 7);
    ON_ALL_RANKS(
        cairn_context_create_fortran((int)MPI_Comm_c2f(MPI_COMM_WORLD), &p.context)
            == CAIRN_OK,
        "no context");
    ON_ALL_RANKS(open_pair(&p, text, placed), "%s", cairn_context_message(p.context));
    ON_ALL_RANKS(is_narrow(&p) && same_bits(&p), "%s",
                 cairn_context_message(p.context));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && unlink(path) != 0) abort();
    MPI_Barrier(MPI_COMM_WORLD);
    ON_ALL_RANKS(update(&p, 1, -100), "in place: %s", cairn_context_message(p.context));
    ON_ALL_RANKS(is_narrow(&p), "in place");
    ON_ALL_RANKS(update(&p, 2, 0.1), "wider: %s", cairn_context_message(p.context));
    ON_ALL_RANKS(is_narrow(&p) == !last, "wider");
    ON_ALL_RANKS(update(&p, 3, 7), "again: %s", cairn_context_message(p.context));
    close_pair(&p);
    cairn_context_destroy(&p.context);
    return_compiler(cache);
}

Test(narrow, an_update_widens_one_rank_without_a_compiler)
{
    check(CSR, NULL);
}

Test(narrow, an_update_widens_padded_slices)
{
    check(SELL, NULL);
}

Test(narrow, an_update_widens_shares_of_devices)
{
    setenv("CAIRN_DEVICES", "cpu:2,debug", 1);
    check(CSR, "cpu:0*0.3+debug*0.3+cpu:1*0.4");
}

/* ---- random formats ---- */

enum { USUAL_CASES = 40, MOST_ROWS = 24, MOST_COLS = 16, MOST = MOST_ROWS * MOST_COLS };

typedef struct {
    uint64_t seed, state;
    int64_t  extent[2], first, rows; ///< Those of this rank.
    int32_t  ptr[MOST_ROWS + 1], idx[MOST];
    double   value[MOST];
    char     text[2][RANDOM_FORMAT]; ///< Narrow, wide.
} example;

/// Values of a set, but for those of one rank, if there is one, of another; all ranks draw
/// those of all.
static void draw_values(example *e, narrow_set set, int odd, narrow_set other)
{
    uint64_t own = e->state + (uint64_t)rank;

    for (int k = 0; k < e->ptr[e->rows]; k++)
        e->value[k] = narrow_value(&own, rank == odd ? other : set);
    random_next(&e->state);
}

static narrow_set any_set(example *e)
{
    return (narrow_set)random_below(&e->state, NARROW_SETS);
}

/// Rows of a random matrix are cut where it falls: some ranks may have none.
static void draw_rows(example *e)
{
    const int density = random_below(&e->state, 101);
    int64_t   end     = 0;
    int32_t   n       = 0;

    for (int r = 0; r <= rank; r++) {
        e->first = end;
        end      = r == size - 1
                       ? e->extent[0]
                       : end + random_below(&e->state, (int)(e->extent[0] - end + 1));
    }
    for (int r = rank + 1; r < size - 1; r++)
        random_next(&e->state);
    e->rows = end - e->first;
    for (int64_t i = 0; i < e->extent[0]; i++) {
        const bool mine = i >= e->first && i < end;

        if (mine) e->ptr[i - e->first] = n;
        for (int j = 0; j < e->extent[1]; j++)
            if (random_chance(&e->state, density) && mine) e->idx[n++] = j;
    }
    e->ptr[e->rows] = n;
}

static void draw(example *e, uint64_t seed)
{
    const narrow_set set = (narrow_set)(seed % NARROW_SETS);

    memset(e, 0, sizeof *e);
    e->seed = e->state = seed;
    e->extent[0]       = 1 + random_below(&e->state, MOST_ROWS);
    e->extent[1]       = 1 + random_below(&e->state, MOST_COLS);
    draw_rows(e);
    random_format(&e->state, 2, e->text[0], RANDOM_FORMAT);
    strcpy(e->text[1], e->text[0]);
    narrow_text(e->text[0], "exact");
    narrow_text(e->text[1], "f64");
    draw_values(e, set, random_below(&e->state, 2 * size), any_set(e));
}

static cairn_status make(cairn_context *context,
                         const example *e,
                         const char    *text,
                         cairn_tensor **tensor,
                         cairn_plan   **plan)
{
    cairn_format *format = NULL;
    cairn_status  status = cairn_format_create(context, text, &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_from_csr(context, e->extent[0], e->extent[1], e->first,
                                       e->rows, e->ptr, 32, e->idx, 32, e->value,
                                       CAIRN_F64, CAIRN_COPY, format, tensor);
    if (status == CAIRN_OK) status = cairn_plan_create_spmv(*tensor, plan);
    cairn_format_destroy(&format);
    return status;
}

static bool alike(cairn_plan *plan[2])
{
    static double y[2][MOST_ROWS];
    int64_t       first, end, row, row_end;

    for (int k = 0; k < 2; k++) {
        cairn_plan_columns(plan[k], &first, &end);
        cairn_plan_rows(plan[k], &row, &row_end);
        for (int64_t j = first; j < end; j++)
            cairn_plan_x(plan[k])[j - first] = (double)(j % 97 + 1) / 97;
        if (cairn_plan_run(plan[k], NULL, y[k]) != CAIRN_OK) return false;
    }
    return first_other(y[0], y[1], row_end - row) < 0;
}

/// New values of a set, on one rank perhaps of another.
static bool
refill(example *e, narrow_set set, cairn_tensor *tensor[2], cairn_plan *plan[2])
{
    const int        odd   = random_below(&e->state, 2 * size);
    const narrow_set other = any_set(e);

    bool holds = true;

    draw_values(e, set, odd, other);
    for (int k = 0; k < 2; k++)
        holds &= cairn_tensor_update(tensor[k], e->value) == CAIRN_OK;
    return on_all_ranks(holds) && alike(plan);
}

/// What several ranks may refuse: what must fit on a rank of its own, say.
static bool case_holds(cairn_context *context, example *e, int *ran)
{
    const narrow_set set       = (narrow_set)(e->seed % NARROW_SETS);
    cairn_tensor    *tensor[2] = {NULL, NULL};
    cairn_plan      *plan[2]   = {NULL, NULL};
    cairn_status     status[2];
    bool             holds;

    for (int k = 0; k < 2; k++)
        status[k] = make(context, e, e->text[k], &tensor[k], &plan[k]);
    /* There may be room for the one, and none for the other beside it. */
    holds = status[0] == status[1] || status[0] == CAIRN_NO_MEMORY
            || status[1] == CAIRN_NO_MEMORY;
    if (status[0] == CAIRN_OK && status[1] == CAIRN_OK) {
        holds = on_all_ranks(alike(plan)) && on_all_ranks(refill(e, set, tensor, plan))
                && on_all_ranks(refill(e, any_set(e), tensor, plan));
        ++*ran;
    }
    for (int k = 0; k < 2; k++) {
        cairn_plan_destroy(&plan[k]);
        cairn_tensor_destroy(&tensor[k]);
    }
    return holds;
}

Test(narrow, random_formats_have_the_bits_of_f64, .timeout = 3600)
{
    static example e;
    uint64_t       first   = seed_clock() * 1000003;
    const int      cases   = seed_cases(USUAL_CASES);
    cairn_context *context = NULL;
    int            ran     = 0;

    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("first seed %llu\n", (unsigned long long)first);
    ON_ALL_RANKS(
        cairn_context_create_fortran((int)MPI_Comm_c2f(MPI_COMM_WORLD), &context)
            == CAIRN_OK,
        "no context");
    cairn_context_set_memory(context, 16 << 20);
    for (int k = 0; k < 2 * cases && ran < cases; k++) {
        draw(&e, first + (uint64_t)k);
        ON_ALL_RANKS(case_holds(context, &e, &ran), "seed %llu: %s\n%s",
                     (unsigned long long)e.seed, cairn_context_message(context),
                     e.text[0]);
    }
    ON_ALL_RANKS(ran == cases, "only %d of %d cases ran", ran, cases);
    cairn_context_destroy(&context);
}

/* ---- matrices of others ---- */

/// y of this rank's rows, in a format's text. @return The status of storing.
static cairn_status
product_of(cairn_context *context, cairn_source *source, const char *text, double *y)
{
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    int64_t       first, end;
    cairn_status  status = cairn_format_create(context, text, &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);
    if (status == CAIRN_OK) status = cairn_plan_create_spmv(tensor, &plan);
    if (status == CAIRN_OK) {
        cairn_plan_columns(plan, &first, &end);
        for (int64_t j = first; j < end; j++)
            cairn_plan_x(plan)[j - first] = (double)(j % 97 + 1) / 97;
        status = cairn_plan_run(plan, NULL, y);
    }
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    return status;
}

static bool
file_holds(cairn_context *context, const char *file, int64_t rows, int *compared)
{
    static const char *const names[] = {"csr", "sell<8>", "bcsr<2,2>", "coo",
                                        "hybrid<dia,csr,0.5>"};
    static char              named[RANDOM_FORMAT], text[3][RANDOM_FORMAT];
    double                  *y[2]   = {calloc((size_t)rows + 1, sizeof(double)),
                                       calloc((size_t)rows + 1, sizeof(double))};
    cairn_source            *source = NULL;
    bool holds = cairn_source_read(context, file, CAIRN_BY_NNZ, &source) == CAIRN_OK;

    for (size_t k = 0; k < sizeof names / sizeof *names && holds; k++) {
        cairn_format *format = NULL;

        by_name(names[k], named, sizeof named);
        holds = cairn_format_create(context, named, &format) == CAIRN_OK;
        for (int t = 0; t < 3 && holds; t++)
            strcpy(text[t], cairn_format_text(format));
        cairn_format_destroy(&format);
        narrow_text(text[0], "f64");
        narrow_text(text[2], "exact");
        if (!holds || product_of(context, source, text[0], y[0]) != CAIRN_OK) continue;
        for (int t = 1; t < 3 && holds; t++, ++*compared)
            holds = on_all_ranks(product_of(context, source, text[t], y[1]) == CAIRN_OK
                                 && first_other(y[0], y[1], rows) < 0);
    }
    cairn_source_destroy(&source);
    free(y[0]);
    free(y[1]);
    return holds;
}

/// Those of at most SEED_ENTRIES entries.
Test(narrow, matrices_have_the_bits_of_f64, .timeout = 7200)
{
    FILE          *list     = fopen(CAIRN_TEST_DATA "/matrices/manifest.tsv", "r");
    const long     most     = seed_entries(20000);
    cairn_context *context  = NULL;
    char          *line     = NULL, *rest;
    size_t         room     = 0;
    int            compared = 0;

    if (!on_all_ranks(list != NULL)) cr_skip_test("no test data");
    ON_ALL_RANKS(
        cairn_context_create_fortran((int)MPI_Comm_c2f(MPI_COMM_WORLD), &context)
            == CAIRN_OK,
        "no context");
    cairn_context_set_memory(context, (int64_t)1 << 30);
    while (getline(&line, &room, list) > 0) {
        const char *field[14];
        char        file[512];

        rest = line;
        for (int k = 0; k < 14; k++)
            field[k] = strsep(&rest, "\t\n");
        if (!field[13] || !strstr(field[13], ".mtx") || !strcmp(field[8], "complex")
            || atol(field[5]) > most)
            continue;
        snprintf(file, sizeof file, CAIRN_TEST_DATA "/matrices/%s", field[13]);
        ON_ALL_RANKS(file_holds(context, file, atol(field[2]), &compared), "%s: %s",
                     file, cairn_context_message(context));
    }
    free(line);
    fclose(list);
    ON_ALL_RANKS(compared > 20, "only %d products", compared);
    cairn_context_destroy(&context);
}
