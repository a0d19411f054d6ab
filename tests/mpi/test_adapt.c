// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans that change their way to run, on several ranks: what one of them finds slow all
/// of them leave, in the same run, and a device lost on one ends the trials of all.

#include "api/api.h"
#include "mpi_suite.h"

#include <cairn/mpi.h>

#include <stdio.h>
#include <unistd.h>

TestSuite(adapt, .init = mpi_up, .fini = mpi_down);

static cairn_context *context;
static cairn_source  *source;
static cairn_format  *format;
static cairn_tensor  *tensor;
static cairn_plan    *plan;

/// Open the processor and two devices, the first being on the last rank what @p last says.
static cairn_status open_devices(const char *last)
{
    char  path[64], list[96];
    FILE *f;

    snprintf(path, sizeof path, "/tmp/cairn-adapt-%d.json", (int)getpid());
    f = fopen(path, "w");
    if (!f) return CAIRN_IO;
    fprintf(f, "[{\"kind\": \"debug\"%s}, {\"kind\": \"debug\"}]\n",
            rank == size - 1 ? last : "");
    fclose(f);
    snprintf(list, sizeof list, "cpu,%s", path);
    const cairn_status status = cairn_devices_check(context, NULL, list, 0);

    unlink(path);
    return status;
}

/// A plan on debug:0 whose other way is debug:1, as if a race had found them alike.
static cairn_status make_plan(void)
{
    const cairn_problem size_of = {
        .size = sizeof(cairn_problem), .rows = 90, .cols = 70, .density = 0.08};
    const cairn_plan_options options  = {.size  = sizeof(cairn_plan_options),
                                         .place = "debug:0"};
    const double             alike[2] = {1e-3, 1e-3};
    cairn_replay            *other;

    CAIRN_TRY(cairn_source_generate(context, "pruned", &size_of, &source));
    CAIRN_TRY(cairn_format_create(context, "csr", &format));
    CAIRN_TRY(cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    CAIRN_TRY(cairn_plan_create_with(tensor, &options, &plan));
    plan->other                = plan->homes;
    plan->other.home[0].device = plan->homes.home[0].device + 1;
    CAIRN_TRY(cairn_replay_create_beside(plan->replay, &plan->other,
                                         cairn_plan_held(tensor), &other));
    cairn_autotune_init(&plan->adapt, other, alike);
    return CAIRN_OK;
}

static cairn_status begin(const char *last)
{
    CAIRN_TRY(cairn_context_create_mpi(MPI_COMM_WORLD, &context));
    CAIRN_TRY(open_devices(last));
    return make_plan();
}

static void end(void)
{
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}

/// Run, with an X of its own for every run, and verify each.
static bool runs_verify(int runs)
{
    double rel, abs;

    for (int k = 0; k < runs; k++) {
        int64_t first, last;

        cairn_plan_columns(plan, &first, &last);
        for (int64_t j = first; j < last; j++)
            cairn_plan_x(plan)[j - first] = (double)((j + k) % 97 + 1) / 97;
        if (cairn_plan_run(plan, NULL, NULL) != CAIRN_OK
            || cairn_plan_verify(plan, source, &rel, &abs) != CAIRN_OK)
            return false;
    }
    return true;
}

enum { TRIAL = 2 * CAIRN_COMPARE_ROUNDS + 1 };

Test(adapt, what_is_slow_on_one_rank_is_left_by_all)
{
    cairn_plan_info info = CAIRN_PLAN_INFO;

    ON_ALL_RANKS(begin(", \"slow\": 0.4, \"slow_from\": 33") == CAIRN_OK, "%s",
                 context ? cairn_context_message(context) : "no context");
    ON_ALL_RANKS(runs_verify(32 + TRIAL - 1), "%s", cairn_context_message(context));
    ON_ALL_RANKS(cairn_plan_describe(plan, &info) == CAIRN_OK, "no description");
    ON_ALL_RANKS(info.trials == 0, "%s", info.placement);
    ON_ALL_RANKS(runs_verify(1 + 40), "%s", cairn_context_message(context));
    ON_ALL_RANKS(cairn_plan_describe(plan, &info) == CAIRN_OK, "no description");
    ON_ALL_RANKS(info.trials == 1 && info.switches == 1, "%s", info.placement);
    ON_ALL_RANKS(strcmp(info.device, "debug:1") == 0, "on %s", info.device);
    end();
}

Test(adapt, what_fails_on_one_rank_ends_the_trials_of_all)
{
    cairn_plan_info info = CAIRN_PLAN_INFO;

    ON_ALL_RANKS(begin(", \"fail_run\": 20") == CAIRN_OK, "%s",
                 context ? cairn_context_message(context) : "no context");
    ON_ALL_RANKS(runs_verify(100), "%s", cairn_context_message(context));
    ON_ALL_RANKS(cairn_plan_describe(plan, &info) == CAIRN_OK, "no description");
    ON_ALL_RANKS(info.trials == 0 && info.retired == 1, "%s", info.placement);
    ON_ALL_RANKS(strstr(info.placement, "a device failed"), "%s", info.placement);
    end();
}
