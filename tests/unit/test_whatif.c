// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Machines that are not here: files of rates and what is wrong with them, rates beside
/// products that they were not fitted to, and predictions on machines that are made up so
/// that each has one right value.

#include "cost/held_out.h"
#include "cost/rated_machine.h"
#include "solve/solver.h"
#include "support/api.h"
#include "support/brutal.h"
#include "support/scratch.h"

#include <cairn/cairn.h>

#include <math.h>

static char      folder[64], path[80];
static cairn_env env;

static void files_up(void)
{
    scratch_create(folder);
    snprintf(path, sizeof path, "%s/m.json", folder);
    cairn_env_init(&env);
}

static void files_down(void)
{
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

static cairn_status read_text(const char *text, cairn_rated_machine *machine)
{
    scratch_write(path, text, strlen(text));
    return cairn_rated_machine_read(&env, path, machine);
}

TestSuite(rated_machine, .init = files_up, .fini = files_down);

static const char cluster[] =
    "{\"name\": \"c\", \"host\": 2,\n"
    " \"devices\": [{\"name\": \"a\", \"count\": 3, \"bandwidth\": 4e9, \"start\": "
    "1e-6},\n"
    "  {\"name\": \"b\", \"bandwidth\": 5e8, \"entries\": 2e8}],\n"
    " \"near\": {\"latency\": 1e-6, \"bandwidth\": 1e9},\n"
    " \"far\": {\"latency\": 1e-5, \"bandwidth\": 1e8}}";

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

Test(rated_machine, devices_and_links_are_those_of_ranks)
{
    cairn_rated_machine m;

    cr_assert_eq(read_text(cluster, &m), CAIRN_OK, "%s", env.message);

    cr_expect_eq(m.ranks, 4);
    for (int rank = 0; rank < 4; rank++)
        cr_expect_str_eq(cairn_rated_device_of(&m, rank)->name, rank < 3 ? "a" : "b");
    cr_expect(near(cairn_rated_device_of(&m, 3)->rates.per_entry, 5e-9));
    cr_expect(near(cairn_rated_device_of(&m, 2)->rates.launch, 1e-6));
    cr_expect(near(cairn_rated_message(&m, 0, 1, 1000), 2e-6));
    cr_expect(near(cairn_rated_message(&m, 1, 2, 1000), 2e-5));
    cr_expect_eq(cairn_rated_sum(&m, 1), 0);
    cr_expect(near(cairn_rated_sum(&m, 2), 1e-6));
    cr_expect(near(cairn_rated_sum(&m, 3), 1.1e-5));
    cr_expect(near(cairn_rated_sum(&m, 4), 1.1e-5));
}

/// A machine with such devices, and one of a device with such fields.
#define MACHINE(devices) "{\"name\": \"x\", \"devices\": [" devices "]}"
#define DEVICE(fields)   MACHINE("{\"name\": \"d\", \"bandwidth\": " fields "}")

Test(rated_machine, what_is_wrong_is_told_with_its_place)
{
    static const struct {
        const char *says, *text;
    } wrong[] = {
        {"m.json:1:",                               "{"                               },
        {"a machine: is no object",                 "[]"                              },
        {"name: is no text",                        "{\"devices\": []}"               },
        {"devices: is no list",                     "{\"name\": \"x\"}"               },
        {":1:26: devices: is no list",              MACHINE("")                       },
        {":1:27: a device: is no object",           MACHINE("3")                      },
        {":1:27: bandwidth: is missing",            MACHINE("{\"name\": \"d\"}")      },
        {"bandwidth: is no number above 0",         DEVICE("0")                       },
        {"bandwidth: is no number above 0",         DEVICE("\"1\"")                   },
        {"start: is no number above 0",             DEVICE("1e9, \"start\": -1")      },
        {"count: is no whole number",               DEVICE("1e9, \"count\": 0")       },
        {"near: is missing",                        DEVICE("1e9, \"count\": 2")       },
        {"hots: no such field; did you mean host?", "{\"name\": \"x\",\n \"hots\": 1}"},
    };

    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        cairn_rated_machine m = {.devices = -7};

        cr_expect_eq(read_text(wrong[k].text, &m), CAIRN_BAD_FILE, "%s", wrong[k].text);
        cr_expect(strstr(env.message, wrong[k].says), "%s: says %s", wrong[k].text,
                  env.message);
        cr_expect_eq(m.devices, -7);
    }
    cairn_rated_machine m;

    cr_expect_eq(read_text("{\"name\": \"x\", \"host\": 1,\n \"devices\": [{\"name\": "
                           "\"d\", \"count\": 2,\n \"bandwidth\": 1e9}]}",
                           &m),
                 CAIRN_BAD_FILE);
    cr_expect(strstr(env.message, "far: is missing"), "%s", env.message);
    cr_expect_eq(cairn_rated_machine_read(&env, "nowhere/m.json", &m), CAIRN_IO);
    CAIRN_BRUTAL(&env, read_text(cluster, &m));
}

TestSuite(held_out, .init = files_up, .fini = files_down);

static const cairn_cost_device processor = {
    "cpu: test",
    CAIRN_CLOCK_MEASURED,
    {1e-6, 1e-10, 0}
};

/// Measurements of a family whose products take @p factor times what the others' do.
static void observe(cairn_costs *costs, const char *family, double factor)
{
    for (int k = 0; k < 8; k++) {
        cairn_work work = {.bytes = 1e4 * pow(4, k), .entries = 1e3 * pow(4, k)};

        snprintf(work.family, sizeof work.family, "%s", family);
        cairn_cost_observe(costs, &processor, &work,
                           factor * (1e-6 + 1e-10 * work.bytes));
    }
}

Test(held_out, the_error_is_that_of_families_that_rates_do_not_know)
{
    cairn_costs    costs;
    cairn_held_out held = {.families = -1};

    cairn_costs_init(&env, NULL, &costs);
    cr_assert_eq(cairn_cost_held_out(&costs, &held), CAIRN_OK);
    cr_expect_eq(held.measurements, 0);
    observe(&costs, "product a", 1);
    observe(&costs, "copies", 50);
    cr_assert_eq(cairn_cost_held_out(&costs, &held), CAIRN_OK);
    cr_expect_eq(held.measurements, 0, "one family alone is held out");

    observe(&costs, "product b", 1);
    cr_assert_eq(cairn_cost_held_out(&costs, &held), CAIRN_OK);
    cr_expect_eq(held.measurements, 16);
    cr_expect_eq(held.families, 2);
    cr_expect(fabs(held.low - 1) < 0.02 && fabs(held.high - 1) < 0.02, "%g to %g",
              held.low, held.high);

    /* Rates of the two say of a third that takes three times as long a third. */
    observe(&costs, "product c", 3);
    CAIRN_BRUTAL(&env, cairn_cost_held_out(&costs, &held));
    cr_expect_eq(held.measurements, 24);
    cr_expect(fabs(held.high - 3) < 0.1, "%g", held.high);
    cr_expect(held.low <= held.middle && held.middle <= held.high);
    cairn_costs_fini(&costs);
}

Test(held_out, more_families_than_a_fit_takes_measurements_of)
{
    enum { FAMILIES = 40 };
    cairn_costs    costs;
    cairn_held_out held = {.families = -1};
    char           family[32];

    cairn_costs_init(&env, NULL, &costs);
    for (int k = 0; k < FAMILIES; k++) {
        snprintf(family, sizeof family, "product %d", k);
        observe(&costs, family, k % 2 ? 2 : 1);
    }
    CAIRN_BRUTAL(&env, cairn_cost_held_out(&costs, &held));
    cr_expect_eq(held.measurements, 8 * FAMILIES);
    cr_expect_eq(held.families, FAMILIES);
    cr_expect(held.low > 0.3 && held.high < 3, "%g to %g", held.low, held.high);
    cairn_costs_fini(&costs);
}

TestSuite(method_counts, .init = files_up, .fini = files_down);

/// The identity, as an operator.
static cairn_status copy(void *user, const double *x, double *y)
{
    memcpy(y, x, *(const size_t *)user * sizeof *y);
    return CAIRN_OK;
}

/// A diagonal of different elements, so that there are many steps.
static cairn_status stretch(void *user, const double *x, double *y)
{
    for (size_t k = 0; k < *(const size_t *)user; k++)
        y[k] = (double)(k + 1) * x[k];
    return CAIRN_OK;
}

Test(method_counts, products_and_sums_are_those_that_solvers_have)
{
    static const char *const methods[] = {"cg", "pipelined-cg", "bicgstab",
                                          "chebyshev:1,9"};
    enum { ROWS = 200 };
    static double  b[ROWS], x[ROWS];
    size_t         rows    = ROWS;
    cairn_context *context = NULL;

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    for (int k = 0; k < ROWS; k++)
        b[k] = 1 + k % 7;
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        const cairn_solve_operator matrix = {
            strncmp(methods[k], "cheb", 4) ? stretch : copy, &rows};
        cairn_solve_info           info[2] = {CAIRN_SOLVE_INFO, CAIRN_SOLVE_INFO};
        cairn_solve_method         method;
        cairn_step_counts          counts;
        const cairn_preconditioner none = {.kind = CAIRN_PRECONDITION_NONE};

        for (int more = 0; more < 2; more++) {
            cairn_solve_options options = CAIRN_SOLVE_OPTIONS;

            options.method         = methods[k];
            options.tolerance      = 0;
            options.max_iterations = 4 + 3 * more;
            memset(x, 0, sizeof x);
            cr_assert_eq(
                cairn_solve_with(context, ROWS, &matrix, &options, b, x, &info[more]),
                CAIRN_NOT_CONVERGED, "%s", methods[k]);
        }
        cr_assert_eq(cairn_method_parse(&env, methods[k], &method), CAIRN_OK);
        cr_assert(cairn_method_counts(&method, &none, &counts));
        cr_expect_eq(info[1].products - info[0].products, 3 * counts.products, "%s",
                     methods[k]);
        cr_expect_eq(info[1].reductions - info[0].reductions, 3 * counts.sums, "%s: %d",
                     methods[k], (int)(info[1].reductions - info[0].reductions));
    }
    cairn_context_destroy(&context);
}

Test(method_counts, others_are_not_counted)
{
    cairn_solve_method         method;
    cairn_step_counts          counts;
    const cairn_preconditioner none   = {.kind = CAIRN_PRECONDITION_NONE},
                               blocks = {.kind = CAIRN_PRECONDITION_BLOCKS};

    cr_assert_eq(cairn_method_parse(&env, "gmres:5", &method), CAIRN_OK);
    cr_expect_not(cairn_method_counts(&method, &none, &counts));
    cr_assert_eq(cairn_method_parse(&env, "cg", &method), CAIRN_OK);
    cr_expect_not(cairn_method_counts(&method, &blocks, &counts));
}

/// The line about the last plan that was refused.
static char refused[400];

/// The predicted seconds of vectors in a step of a method, or of none; -1: refused, for the
/// product that it is.
static double predict_vectors(cairn_context *context,
                              cairn_dtype    dtype,
                              int            columns,
                              const char    *method)
{
    const int64_t         extent[2] = {2, 2}, coord[4] = {0, 0, 1, 1};
    const double          value[2] = {1, 2};
    cairn_product_options product  = CAIRN_PRODUCT_OPTIONS;
    cairn_whatif_options  options  = CAIRN_WHATIF_OPTIONS;
    cairn_whatif          answer   = CAIRN_WHATIF;
    cairn_source         *source;
    cairn_plan           *plan;

    product.columns = columns;
    options.machine = path;
    options.method  = method;
    cr_assert_eq(cairn_source_from_coords(context, 2, extent, 2, coord, value,
                                          CAIRN_BY_NNZ, &source),
                 CAIRN_OK);
    cairn_tensor *tensor = must_store(context, source, "csr", dtype);

    cr_assert_eq(cairn_plan_create_product(tensor, &product, &plan), CAIRN_OK);
    const cairn_status status = cairn_plan_whatif(plan, &options, &answer);

    if (status != CAIRN_OK) {
        cr_assert_eq(status, CAIRN_UNSUPPORTED);
        snprintf(refused, sizeof refused, "%s", cairn_context_message(context));
    }
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    return status == CAIRN_OK ? answer.mine.vectors : -1;
}

TestSuite(whatif_plans, .init = files_up, .fini = files_down);

Test(whatif_plans, steps_are_those_that_solvers_take)
{
    cairn_context *context;
    const int64_t  before = must_start(&context);

    scratch_write(path, DEVICE("1e9"), strlen(DEVICE("1e9")));
    cr_expect(near(predict_vectors(context, CAIRN_F64, 1, "cg"), 10 * 2 * 8 / 1e9));
    cr_expect_eq(predict_vectors(context, CAIRN_F32, 1, "cg"), -1);
    cr_expect(strstr(refused, "whatif: plan: its tensor is f32"), "%s", refused);
    cr_expect_eq(predict_vectors(context, CAIRN_F64, 4, "cg"), -1);
    cr_expect(strstr(refused, "whatif: plan: it is for another product than y = A x: "
                              "it has several columns"),
              "%s", refused);
    /* Products alone are of any kind. */
    cr_expect_eq(predict_vectors(context, CAIRN_F32, 4, NULL), 0);
    must_end(&context, before);
}
