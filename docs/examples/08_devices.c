// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 8: devices. Two members of one matrix on two devices at once, the decision kept
/// in a file and loaded again, and a trace of who worked when.

#include <cairn/cairn.h>

#include <stdio.h>
#include <string.h>

enum { N = 20000 };

static const char plan_file[]  = "08_devices.plan.json";
static const char trace_file[] = "08_devices.trace.json";

/// Which device does what?
static cairn_status print_parts(const cairn_plan *plan)
{
    cairn_plan_part *parts  = NULL;
    int64_t          count  = 0;
    cairn_status     status = cairn_plan_parts(plan, &count, &parts);

    for (int64_t p = 0; p < count && !status; p++)
        printf("  member %d on %s, %s\n", parts[p].member, parts[p].device,
               parts[p].clock);
    cairn_plan_parts_free(plan, &parts);
    return status;
}

/// Make a plan, run it three times under the eyes of a trace, keep plan and trace.
static cairn_status place_and_keep(cairn_tensor *tensor, const double *x, double *y)
{
    const cairn_plan_options options = {.size  = sizeof(cairn_plan_options),
                                        .place = "0=cpu:0,1=cpu:1"};

    cairn_plan  *plan   = NULL;
    cairn_status status = cairn_plan_create_with(tensor, &options, &plan);

    if (!status) status = cairn_plan_record(plan, 0);
    for (int run = 0; run < 3 && !status; run++)
        status = cairn_plan_run(plan, x, y);
    if (!status) status = print_parts(plan);
    if (!status) status = cairn_plan_save(plan, plan_file);
    if (!status) status = cairn_plan_write_trace(plan, trace_file);

    cairn_plan_destroy(&plan);
    return status;
}

/// Run as somebody has decided before: in a file, or, without one, all on one device.
static cairn_status
run_by(cairn_tensor *tensor, const char *file, const double *x, double *y)
{
    const cairn_plan_options options = {.size  = sizeof(cairn_plan_options),
                                        .plan  = file,
                                        .place = file ? NULL : "cpu:0"};

    cairn_plan  *plan   = NULL;
    cairn_status status = cairn_plan_create_with(tensor, &options, &plan);

    if (!status) status = cairn_plan_run(plan, x, y);
    if (!status) status = print_parts(plan);

    cairn_plan_destroy(&plan);
    return status;
}

int main(void)
{
    static double x[N], alone[N], both[N], again[N];

    const cairn_problem size = {
        .size = sizeof(cairn_problem), .n = N, .degree = 4, .seed = 1};
    cairn_context *context = NULL;
    cairn_source  *source  = NULL;
    cairn_format  *format  = NULL;
    cairn_tensor  *tensor  = NULL;
    int            same    = 0;

    for (int j = 0; j < N; j++)
        x[j] = 1.0 / (j + 1);

    cairn_status status = cairn_context_create(&context);

    /* The processor as two devices, each with half of the cores. */
    if (!status) status = cairn_devices_check(context, NULL, "cpu:2", 2);
    if (!status) status = cairn_source_generate(context, "mixed", &size, &source);
    if (!status)
        status = cairn_format_create(context, "hybrid<bdia<64>,csr,0.6>", &format);
    if (!status) status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);

    if (!status) printf("one device\n");
    if (!status) status = run_by(tensor, NULL, x, alone);
    if (!status) printf("two devices\n");
    if (!status) status = place_and_keep(tensor, x, both);
    if (!status) printf("as the file says\n");
    if (!status) status = run_by(tensor, plan_file, x, again);
    if (!status) {
        same = !memcmp(alone, both, sizeof both) && !memcmp(alone, again, sizeof again);
        printf("%s\n", same ? "three times the same bits" : "the results differ");
    }
    if (status && context) fprintf(stderr, "%s\n", cairn_context_message(context));

    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    remove(plan_file);
    remove(trace_file);
    return status || !same;
}
