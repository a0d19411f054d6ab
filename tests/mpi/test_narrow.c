// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values that one rank stores wider than others, from the begin or after an update: plans
/// go on with the same bits, and ask for no compiler.

#include "api/api.h"
#include "mpi_suite.h"

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
    snprintf(spelled[1], sizeof spelled[1], text, "");
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
    char       path[100];
    pair       p    = {.context = NULL};
    const bool last = rank == size - 1;

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
