// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where tasks run: devices that are the processor on their own cores, teams and all, and
/// the caller's thread in the end where it was. Threads are looked at from inside the
/// tasks. The whole file is run again with OMP_PROC_BIND, which has other wishes.

#include "api/api.h"
#include "plan/affinity.h"
#include "support/small_product.h"
#include "support/suite_context.h"

#include <omp.h>

#include <sched.h>

/// OpenMP has bound this thread to its first place by now. A test's process would inherit
/// that from the one that starts it, and have one place.
__attribute__((constructor)) static void stand_on_all_places(void)
{
    cpu_set_t all;
    int       id[CPU_SETSIZE];

    CPU_ZERO(&all);
    for (int place = 0; place < omp_get_num_places(); place++) {
        omp_get_place_proc_ids(place, id);
        for (int k = 0; k < omp_get_place_num_procs(place); k++)
            CPU_SET((size_t)id[k], &all);
    }
    if (CPU_COUNT(&all) > 0) sched_setaffinity(0, sizeof all, &all);
}

static void down(void)
{
    MUST(context, cairn_devices_check(context, NULL, "all", 0));
    context_down();
}

TestSuite(pins, .init = context_up, .fini = down, .timeout = 240);

/// What a task saw: where its thread, and those of its team, may run.
typedef struct {
    cairn_status (*run)(cairn_launch *launch, const void *x, void *y);
    cpu_set_t thread, team;
    int       threads;
} look;

enum { MEMBERS = 2 };

static look seen[MEMBERS];

static cairn_status look_around(look *at, cairn_launch *launch, const void *x, void *y)
{
    const cairn_status status = at->run(launch, x, y);

    sched_getaffinity(0, sizeof at->thread, &at->thread);
    CPU_ZERO(&at->team);
#pragma omp parallel num_threads(at->threads)
    {
        cpu_set_t mine;

        sched_getaffinity(0, sizeof mine, &mine);
#pragma omp critical
        CPU_OR(&at->team, &at->team, &mine);
    }
    return status;
}

static cairn_status look_first(cairn_launch *launch, const void *x, void *y)
{
    return look_around(&seen[0], launch, x, y);
}

static cairn_status look_second(cairn_launch *launch, const void *x, void *y)
{
    return look_around(&seen[1], launch, x, y);
}

/// Put an eye into the launches of a plan.
static void watch(cairn_plan *plan)
{
    for (int m = 0; m < MEMBERS; m++) {
        cairn_subproduct *subproduct = &plan->replay->subproduct[m];

        seen[m] = (look){.run     = subproduct->kernel.launch.run,
                         .threads = subproduct->device->info.threads};
        cr_assert_not_null(seen[m].run);
        subproduct->kernel.launch.run = m == 0 ? look_first : look_second;
    }
}

static cpu_set_t set_of(const cairn_pu_set *bound)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int k = 0; k < CAIRN_PU_MOST; k++)
        if (cairn_pu_set_has(bound, k)) CPU_SET((size_t)k, &set);
    return set;
}

/// Run members on cpu:0 and cpu:1 and look where they are. @return Whether threads were
/// bound.
static bool run_and_look(const char *place)
{
    static operands          o       = {.op = CAIRN_PRODUCT_OPTIONS};
    const cairn_plan_options options = {.size  = sizeof(cairn_plan_options),
                                        .place = place};
    cairn_source            *source  = make_source(context);
    cairn_tensor            *tensor =
        must_store(context, source, "hybrid<bdia<4>,csr,0.6>", CAIRN_F64);
    cairn_plan *plan;
    cpu_set_t   before, after;

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    const bool pinned = plan->replay->queues.pinned;

    watch(plan);
    sched_getaffinity(0, sizeof before, &before);
    for (int k = 0; k < 3; k++) {
        fill(&o);
        MUST(context, cairn_plan_run(plan, o.x, o.y));
        check(&o, place);
    }
    sched_getaffinity(0, sizeof after, &after);
    cr_expect(CPU_EQUAL(&before, &after), "the caller's thread was left elsewhere");
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    return pinned;
}

static void expect_own_cores(int member, int device)
{
    const cpu_set_t own = set_of(&context->devices->device[device].info.bound);

    cr_expect(CPU_EQUAL(&seen[member].thread, &own),
              "member %d: its thread is elsewhere", member);
    cr_expect(CPU_EQUAL(&seen[member].team, &own), "member %d: its team is elsewhere",
              member);
}

static void use_processors(const char *list)
{
    MUST(context, cairn_devices_check(context, NULL, list, 0));
    if (context->devices->machine->cores < 2)
        cr_skip_test("one core cannot be divided");
}

/// Each device has one thread, and the first one is the caller's.
Test(pins, tasks_are_on_their_devices_cores)
{
    cairn_context_set_threads(context, 2);
    use_processors("cpu:2");
    for (int first = 0; first < 2; first++) {
        cr_assert(run_and_look(first ? "0=cpu:1,1=cpu:0" : "0=cpu:0,1=cpu:1"));
        expect_own_cores(0, first);
        expect_own_cores(1, 1 - first);
    }
}

/// Each device has a team, and a thread of its own that made it. The machine is said to
/// have hardware threads enough for them.
Test(pins, teams_are_on_their_devices_cores)
{
    cairn_context_set_threads(context, 4);
    use_processors("cpu:2");
    const int pus = context->devices->machine->pus;

    if (pus < 4) context->devices->machine->pus = 4;
    cr_assert(run_and_look("0=cpu:0,1=cpu:1"));
    expect_own_cores(0, 0);
    expect_own_cores(1, 1);
    context->devices->machine->pus = pus;
}

/// Ys are added by no larger team than the thread has that adds: its device's, also where
/// the first processor has more cores than that.
Test(pins, sums_are_made_by_the_team_of_the_member_that_adds)
{
    const cairn_plan_options options = {.size  = sizeof(cairn_plan_options),
                                        .place = "0=cpu:1,1=cpu:0"};
    cairn_plan              *plan;

    use_processors("cpu:2");
    cairn_devices *devices = context->devices;
    const int      pus     = devices->machine->pus;
    cairn_source  *source  = make_source(context);
    cairn_tensor  *tensor =
        must_store(context, source, "hybrid<bdia<4>,csr,0.6>", CAIRN_F64);

    for (int most = 0; most < 2; most++) {
        devices->device[most].info.threads     = 3;
        devices->device[1 - most].info.threads = 1;
        devices->machine->pus                  = pus < 4 ? 4 : pus;
        MUST(context, cairn_plan_create_with(tensor, &options, &plan));
        devices->machine->pus = pus;
        cr_expect(plan->replay->queues.pinned);
        cr_expect_eq(plan->replay->threads, most ? 3 : 1);
        cairn_plan_destroy(&plan);
    }
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// More threads than processors, one device, devices of a process that is bound to one
/// core: all stay where they are.
Test(pins, crowds_are_left_alone)
{
    cairn_context_set_threads(context, 64);
    use_processors("cpu:2");
    if (context->devices->machine->pus < 64)
        cr_expect_not(run_and_look("0=cpu:0,1=cpu:1"));
    cr_expect_not(run_and_look("cpu:0"));
}

Test(pins, ranks_that_share_cores_are_left_alone)
{
    static cairn_machine_node all  = {.kind = "machine", .pus = 16};
    cairn_machine             mine = {.here = true, .pus = 16, .node = &all};

    cr_expect(cairn_affinity_fit(&mine, 16, 1));
    cr_expect_not(cairn_affinity_fit(&mine, 17, 1));
    cr_expect_not(cairn_affinity_fit(&mine, 8, 2));
    mine.pus = 8;
    cr_expect(cairn_affinity_fit(&mine, 8, 2));
    cr_expect_not(cairn_affinity_fit(&mine, 9, 2));
    mine.here = false;
    cr_expect_not(cairn_affinity_fit(&mine, 1, 1));
}
