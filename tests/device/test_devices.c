// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Discovery of described machines, the registry, lists of devices and placements.

#include "devices/domains.h"
#include "devices/drivers.h"
#include "devices/kinds.h"
#include "devices/pci.h"
#include "devices/place.h"
#include "devices/registry.h"
#include "support/brutal.h"

#include <criterion/criterion.h>

#include <sched.h>
#include <stdio.h>
#include <string.h>

static cairn_env env;

static void up(void)
{
    cairn_env_init(&env);
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(devices, .init = up, .fini = down);
TestSuite(placement, .init = up, .fini = down);

static void describe(const char *text)
{
    snprintf(env.options.topology, sizeof env.options.topology, "%s", text);
}

static int count_kind(const cairn_machine *machine, const char *kind)
{
    int n = 0;

    for (int k = 0; k < machine->nodes; k++)
        n += strcmp(machine->node[k].kind, kind) == 0;
    return n;
}

static cairn_devices *open_list(const char *list)
{
    cairn_devices *devices = NULL;

    cr_assert_eq(cairn_devices_open(&env, "--devices", list, &devices), CAIRN_OK, "%s",
                 env.message);
    return devices;
}

static void expect_message(const char *part)
{
    cr_expect(strstr(env.message, part), "'%s' is not in '%s'", part, env.message);
}

Test(devices, synthetic_machine_becomes_a_plain_tree)
{
    cairn_machine *machine = NULL;

    describe("pack:2 numa:2 l3:1(size=8388608) core:4 pu:2");
    cr_assert_eq(cairn_machine_discover(&env, &machine), CAIRN_OK, "%s", env.message);

    cr_expect_str_eq(machine->name, "synthetic");
    cr_expect_not(machine->here);
    cr_expect_eq(machine->cores, 16);
    cr_expect_eq(machine->pus, 32);
    cr_expect_eq(count_kind(machine, "machine"), 1);
    cr_expect_eq(count_kind(machine, "package"), 2);
    cr_expect_eq(count_kind(machine, "numa"), 4);
    cr_expect_eq(count_kind(machine, "cache"), 4);
    cr_expect_eq(count_kind(machine, "core"), 16);
    cr_expect_eq(machine->cache_bytes, 4 * 8388608LL);
    cairn_machine_destroy(&env, &machine);
    cr_expect_null(machine);
}

Test(devices, tree_is_depth_first_with_its_sizes)
{
    static const struct {
        const char *kind;
        int         depth, index, cores, pus;
    } expected[] = {
        {"machine", 0, 0, 2, 4},
        {"package", 1, 0, 1, 2},
        {"numa",    2, 0, 1, 2},
        {"core",    2, 0, 1, 2},
        {"package", 1, 1, 1, 2},
        {"numa",    2, 1, 1, 2},
        {"core",    2, 1, 1, 2},
    };
    cairn_machine *machine = NULL;

    describe("pack:2 [numa(memory=1048576)] core:1 pu:2");
    cr_assert_eq(cairn_machine_discover(&env, &machine), CAIRN_OK, "%s", env.message);

    cr_assert_eq(machine->nodes, (int)(sizeof expected / sizeof expected[0]));
    for (int k = 0; k < machine->nodes; k++) {
        const cairn_machine_node *node = &machine->node[k];

        cr_expect_str_eq(node->kind, expected[k].kind, "node %d is a %s", k,
                         node->kind);
        cr_expect_eq(node->depth, expected[k].depth, "node %d", k);
        cr_expect_eq(node->index, expected[k].index, "node %d", k);
        cr_expect_eq(node->cores, expected[k].cores, "node %d", k);
        cr_expect_eq(node->pus, expected[k].pus, "node %d", k);
    }
    cr_expect_eq(machine->node[2].bytes, 1048576);
    cr_expect_eq(machine->memory_bytes, 2 * 1048576);
    cairn_machine_destroy(&env, &machine);
}

Test(devices, this_machine_counts_only_what_the_process_is_bound_to)
{
    cairn_machine *machine = NULL;
    cpu_set_t      all, one;
    int            cpu = 0;

    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cr_assert_eq(cairn_machine_discover(&env, &machine), CAIRN_OK, "%s", env.message);

    cr_expect(machine->here);
    cr_expect_eq(machine->cores, 1);
    cr_expect_eq(machine->pus, 1);
    cr_expect_gt(machine->memory_bytes, 0);
    cr_expect_gt(strlen(machine->name), 0);
    cairn_machine_destroy(&env, &machine);
}

Test(devices, wrong_topologies_are_refused)
{
    static const struct {
        const char  *text;
        cairn_status status;
        const char  *message;
    } rows[] = {
        {"pack:2 wheel:4",            CAIRN_BAD_OPTION, "CAIRN_TOPOLOGY: 'pack:2 wheel:4'"},
        {"nothing",                   CAIRN_BAD_OPTION, "synthetic"                       },
        {"/nowhere/machine.xml",      CAIRN_IO,         "/nowhere/machine.xml"            },
        {CAIRN_SOURCE_DIR "/LICENSE", CAIRN_BAD_FILE,   "LICENSE"                         },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        cairn_machine *machine = NULL;

        describe(rows[k].text);
        cr_expect_eq(cairn_machine_discover(&env, &machine), rows[k].status, "%s",
                     rows[k].text);
        cr_expect_null(machine);
        expect_message(rows[k].message);
    }
}

Test(pci, functions_of_one_slot_are_one_card)
{
    static const cairn_pci_card manage = {0x1200, 0x10ee, 0x5000},
                                use    = {0x1200, 0x10ee, 0x5001},
                                gpu    = {0x0300, 0x1002, 0x6738},
                                screen = {0x0380, 0x1002, 0xaa88},
                                port   = {0x0200, 0x15b3, 0x1021};
    const struct {
        cairn_pci_card  card;
        cairn_pci_place at;
        cairn_pci_card  other;
        cairn_pci_place other_at;
        int             stands;
    } rows[] = {
        {manage, {0, 0x3b, 0, 0}, use,    {0, 0x3b, 0, 1}, 0},
        {use,    {0, 0x3b, 0, 1}, manage, {0, 0x3b, 0, 0}, 1},
        {use,    {0, 0x3b, 0, 1}, use,    {0, 0x3b, 0, 1}, 1},
        {manage, {0, 0x3b, 0, 0}, use,    {0, 0x3b, 1, 1}, 1},
        {manage, {0, 0x3b, 0, 0}, use,    {0, 0x3c, 0, 1}, 1},
        {manage, {1, 0x3b, 0, 0}, use,    {0, 0x3b, 0, 1}, 1},
        {gpu,    {0, 0x01, 0, 0}, screen, {0, 0x01, 0, 1}, 1},
        {screen, {0, 0x01, 0, 1}, gpu,    {0, 0x01, 0, 0}, 0},
        {screen, {0, 0x01, 0, 1}, manage, {0, 0x01, 0, 0}, 1},
        {port,   {0, 0x01, 0, 0}, port,   {0, 0x01, 0, 1}, 1},
        {port,   {0, 0x01, 0, 1}, port,   {0, 0x01, 0, 0}, 1},
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        cr_expect_eq(cairn_pci_stands(&rows[k].card, &rows[k].at, &rows[k].other,
                                      &rows[k].other_at),
                     rows[k].stands, "row %zu", k);
}

Test(pci, cards_are_known_by_class_vendor_and_device)
{
    static const struct {
        cairn_pci_card card;
        const char    *kind;
    } rows[] = {
        {{0x0302, 0x10de, 0x2330}, "gpu"        },
        {{0x0300, 0x10de, 0x2684}, "gpu"        },
        {{0x0380, 0x1002, 0x740c}, "gpu"        },
        {{0x0300, 0x1a03, 0x2000}, "display"    },
        {{0x1200, 0x10ee, 0x5001}, "fpga"       },
        {{0xff00, 0x10ee, 0x903f}, "fpga"       },
        {{0x0200, 0x10ee, 0x5084}, "network"    },
        {{0x1200, 0x1172, 0x0001}, "fpga"       },
        {{0x0580, 0x1172, 0x0001}, NULL         },
        {{0x1200, 0x8086, 0xbcce}, "fpga"       },
        {{0x0880, 0x8086, 0x0b30}, "fpga"       },
        {{0x0880, 0x8086, 0x0b25}, NULL         },
        {{0x1200, 0x1da3, 0x1020}, "accelerator"},
        {{0x0207, 0x15b3, 0x1021}, "network"    },
        {{0x0108, 0x144d, 0xa80a}, NULL         },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const char *kind = cairn_pci_kind(&rows[k].card);

        cr_expect_eq(kind == NULL, rows[k].kind == NULL, "row %zu: %s", k,
                     kind ? kind : "nothing");
        if (kind && rows[k].kind) cr_expect_str_eq(kind, rows[k].kind, "row %zu", k);
    }
    cr_expect_str_eq(cairn_pci_vendor(0x10ee), "Xilinx");
    cr_expect_null(cairn_pci_vendor(0xffff));
}

Test(devices, cards_are_found_by_a_survey_alone_and_at_their_domain)
{
    cairn_machine *plain = NULL, *survey = NULL;

    describe(CAIRN_SOURCE_DIR "/tests/topologies/accelerators.xml");
    cr_assert_eq(cairn_machine_discover(&env, &plain), CAIRN_OK, "%s", env.message);
    cr_assert_eq(cairn_machine_survey(&env, NULL, &survey), CAIRN_OK, "%s",
                 env.message);

    cr_expect_eq(count_kind(plain, "gpu"), 0);
    cr_expect_eq(count_kind(survey, "gpu"), 4);
    cr_expect_eq(count_kind(survey, "fpga"), 2);
    cr_expect_eq(count_kind(survey, "core"), count_kind(plain, "core"));
    for (int k = 0; k < survey->nodes; k++) {
        const cairn_machine_node *node = &survey->node[k];

        if (strcmp(node->kind, "fpga") != 0) continue;
        cr_expect_str_eq(node->pci, node->index ? "0000:af:00.0" : "0000:3b:00.1");
        cr_expect_eq(node->domain, node->index);
        cr_expect_eq(node->depth, 2);
        cr_expect_float_eq(node->link, 15.75e9, 1e7);
    }
    cairn_machine_destroy(&env, &plain);
    cairn_machine_destroy(&env, &survey);
}

Test(devices, what_drivers_offer_stands_under_its_card_or_at_the_end)
{
    cairn_drivers drivers = {
        .count  = 2,
        .device = {{.driver = "cuda", .name = "one", .pci = "0000:41:00.0", .units = 7},
                   {.driver = "cuda", .name = "two"}}
    };
    cairn_machine *machine = NULL;

    describe(CAIRN_SOURCE_DIR "/tests/topologies/domains.xml");
    cr_assert_eq(cairn_machine_survey(&env, NULL, &machine), CAIRN_OK);
    const int before = machine->nodes;

    CAIRN_BRUTAL(&env, cairn_machine_add_drivers(&env, &drivers, machine));
    cr_assert_eq(machine->nodes, before + 2);
    for (int k = 1; k < machine->nodes; k++) {
        const cairn_machine_node *node = &machine->node[k];

        if (strcmp(node->name, "one") != 0) continue;
        cr_expect_str_eq(node[-1].kind, "gpu");
        cr_expect_eq(node->depth, node[-1].depth + 1);
        cr_expect_eq(node->domain, 1);
        cr_expect_eq(node->cores, 7);
    }
    cr_expect_str_eq(machine->node[machine->nodes - 1].name, "two");
    cr_expect_eq(machine->node[machine->nodes - 1].index, 1);
    cairn_machine_destroy(&env, &machine);
}

Test(devices, all_means_one_processor)
{
    describe("core:4 pu:2");
    cairn_devices *devices = open_list("");

    cr_assert_eq(devices->count, 1);
    cr_expect_str_eq(devices->device[0].info.id, "cpu:0");
    cr_expect_str_eq(devices->device[0].info.kind, "cpu");
    cr_expect_eq(devices->device[0].info.clock, CAIRN_CLOCK_MEASURED);
    cr_expect_eq(devices->device[0].info.cores, 4);
    cr_expect_eq(devices->device[0].info.threads, 4);
    cr_expect_eq(devices->device[0].info.bandwidth, 0);
    cairn_devices_close(&env, &devices);
    cr_expect_null(devices);
}

Test(devices, two_processors_split_the_cores)
{
    describe("core:5 pu:1");
    env.options.threads    = 2;
    cairn_devices *devices = open_list("cpu:2");

    cr_assert_eq(devices->count, 2);
    cr_expect_str_eq(devices->device[1].info.id, "cpu:1");
    cr_expect_eq(devices->device[0].info.cores + devices->device[1].info.cores, 5);
    cr_expect_eq(devices->device[0].info.threads, 1);
    cr_expect_eq(devices->device[1].info.threads, 1);
    cairn_devices_close(&env, &devices);
}

/// The processors among the devices of a list, each "cores/MB: hardware threads".
static void print_processors(const cairn_devices *devices, char *text, size_t size)
{
    size_t n = 0;

    text[0] = '\0';
    for (int k = 0; k < devices->count && n < size; k++) {
        const cairn_device_facts *info = &devices->device[k].info;
        char                      bound[64];

        if (!cairn_device_is_host(&devices->device[k])) continue;
        cairn_pu_set_print(&info->bound, bound, sizeof bound);
        n += (size_t)snprintf(text + n, size - n, "%s%d/%d: %s", n ? "; " : "",
                              info->cores, (int)(info->memory_bytes >> 20), bound);
    }
}

#define TWO   "pack:2 [numa(memory=8388608)] core:4 pu:2"
#define FAST  "pack:1 [numa(memory=8388608)] [numa(memory=2097152)] core:4 pu:1"
#define ODD   "pack:1 numa:2(memory=8388608) core:2 pu:1(indexes=0,2,4,6)"
#define SMALL "pack:2 [numa(memory=8388608)] core:1 pu:1"
#define XML   CAIRN_SOURCE_DIR "/tests/topologies/domains.xml"

Test(devices, processors_divide_domains)
{
    static const struct {
        const char *machine, *list, *processors;
    } rows[] = {
        {TWO,   "",      "8/16: 0-15"                                               },
        {TWO,   "cpu:1", "8/16: 0-15"                                               },
        {TWO,   "cpu",   "4/8: 0-7; 4/8: 8-15"                                      },
        {TWO,   "all",   "4/8: 0-7; 4/8: 8-15"                                      },
        {TWO,   "cpu:4", "2/4: 0-3; 2/4: 4-7; 2/4: 8-11; 2/4: 12-15"                },
        {TWO,   "cpu:3", "2/5: 0-3; 3/5: 4-9; 3/5: 10-15"                           },
        {FAST,  "cpu",   "4/10: 0-3"                                                },
        {FAST,  "cpu:2", "2/5: 0-1; 2/5: 2-3"                                       },
        {ODD,   "cpu",   "2/8: 0,2; 2/8: 4,6"                                       },
        {SMALL, "cpu:4", "1/4: 0; 1/4: 0; 1/4: 1; 1/4: 1"                           },
        {XML,   "cpu",   "2/65536: 0-3; 2/65536: 4-7; 2/65536: 8-11; 2/65536: 12-15"},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[256];

        describe(rows[r].machine);
        cairn_devices *devices = open_list(rows[r].list);

        print_processors(devices, text, sizeof text);
        cr_expect_str_eq(text, rows[r].processors, "row %zu: %s", r, text);
        cairn_devices_close(&env, &devices);
    }
}

Test(devices, more_processors_than_cores_have_one_each)
{
    describe("core:2 pu:1");
    cairn_devices *devices = open_list("cpu:3");

    for (int k = 0; k < 3; k++)
        cr_expect_geq(devices->device[k].info.cores, 1);
    cairn_devices_close(&env, &devices);
}

Test(devices, wrong_lists_are_refused)
{
    static const struct {
        const char  *list;
        cairn_status status;
        const char  *message;
    } rows[] = {
        {"cpu,cuda:60",           CAIRN_NO_DEVICE,  "device: cuda:"        },
        {"cpi",                   CAIRN_BAD_OPTION, "did you mean cpu?"    },
        {"zzzzzzzz",              CAIRN_BAD_OPTION, "zzzzzzzz"             },
        {"cpu,cpu:2",             CAIRN_BAD_OPTION, "twice"                },
        {"cpu:0",                 CAIRN_BAD_OPTION, "no device"            },
        {"cpu:65",                CAIRN_BAD_OPTION, "more than 64"         },
        {"cpu:",                  CAIRN_BAD_OPTION, "'cpu:'"               },
        {"cpu:x",                 CAIRN_BAD_OPTION, "'cpu:x'"              },
        {"cpu:-1",                CAIRN_BAD_OPTION, "'cpu:-1'"             },
        {"cpu:99999999999",       CAIRN_BAD_OPTION, "cpu:99999999999"      },
        {"cpu,",                  CAIRN_BAD_OPTION, "''"                   },
        {",cpu",                  CAIRN_BAD_OPTION, "''"                   },
        {"averyveryverylongkind", CAIRN_BAD_OPTION, "averyveryverylongkind"},
    };

    describe("core:2 pu:1");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        cairn_devices *devices = NULL;

        cr_expect_eq(cairn_devices_open(&env, "--devices", rows[k].list, &devices),
                     rows[k].status, "%s", rows[k].list);
        cr_expect_null(devices);
        expect_message(rows[k].message);
        cr_expect_eq(env.live_blocks, 0, "%s leaks", rows[k].list);
    }
}

Test(devices, every_failed_allocation_is_reported_and_leaves_nothing)
{
    cairn_devices *devices = NULL;

    describe("pack:2 core:2 pu:1");
    for (int n = 0; !devices; n++) {
        env.allowed = n;
        const cairn_status status =
            cairn_devices_open(&env, "--devices", "cpu:2", &devices);

        env.allowed = -1;
        if (status == CAIRN_OK) break;
        cr_assert_eq(status, CAIRN_NO_MEMORY);
        cr_assert_eq(env.live_blocks, 0);
        cr_assert_lt(n, 100);
    }
    cairn_devices_close(&env, &devices);
}

Test(devices, bandwidth_is_measured_here_and_never_invented)
{
    const cairn_device_request gigabyte = {.moved_bytes = 1000000000};
    cairn_devices             *here     = open_list("cpu");
    cairn_device              *cpu      = &here->device[0];

    cr_expect_lt(cpu->ops.cost(cpu, &gigabyte), 0);
    cr_assert_eq(cpu->ops.measure(cpu), CAIRN_OK);
    cr_expect_gt(cpu->info.bandwidth, 1e8);
    cr_expect_float_eq(cpu->ops.cost(cpu, &gigabyte), 1e9 / cpu->info.bandwidth, 1e-9);
    cairn_devices_close(&env, &here);

    describe("core:8 pu:1");
    cairn_devices *described = open_list("cpu");

    cpu = &described->device[0];
    cr_assert_eq(cpu->ops.measure(cpu), CAIRN_OK);
    cr_expect_eq(cpu->info.bandwidth, 0);
    cairn_devices_close(&env, &described);
}

static cairn_status refuse_kernels(cairn_device *device, cairn_kernel_loader *loader)
{
    (void)loader;
    return cairn_fail(device->env, CAIRN_UNSUPPORTED, "kernels: test: refused");
}

static void close_nothing(cairn_device *device, cairn_kernel_loader *loader)
{
    (void)device, (void)loader;
}

Test(devices, null_slots_come_from_the_delegate_but_never_its_numbers)
{
    const cairn_device_ops *cpu  = cairn_device_kind("cpu");
    cairn_device_ops        ops  = {.kind          = "test",
                                    .delegate      = "cpu",
                                    .kernels.open  = refuse_kernels,
                                    .kernels.close = close_nothing};
    cairn_device_ops        none = {.kind = "test", .delegate = "cpu"};

    cairn_device_inherit(&ops, cpu);
    cairn_device_inherit(&none, cpu);

    cr_expect_eq(ops.build, cpu->build);
    cr_expect_eq(ops.kernels.open, refuse_kernels);
    cr_expect_eq(ops.kernels.close, close_nothing);
    cr_expect_null(ops.cost);
    cr_expect_null(ops.measure);
    cr_expect_str_eq(ops.kind, "test");
    cr_expect_eq(none.kernels.open, cpu->kernels.open);
    cr_expect_eq(none.kernels.close, cpu->kernels.close);
}

Test(devices, list_of_kinds_is_complete)
{
    const cairn_device_ops *kind;

    for (int k = 0; (kind = cairn_device_kind_at(k)); k++) {
        cr_expect_eq(cairn_device_kind(kind->kind), kind);
        cr_expect_not_null(kind->summary);
        cr_expect_not_null(kind->open);
        cr_expect_not_null(kind->count);
        cr_expect(kind->delegate || kind->build, "%s", kind->kind);
    }
    cr_expect_null(cairn_device_kind("cuda "));
    cr_expect_null(cairn_device_kind_at(-1));
}

static cairn_placement placed(const char *text)
{
    cairn_placement placement;

    cr_assert_eq(cairn_placement_parse(&env, "--place", text, &placement), CAIRN_OK,
                 "%s", env.message);
    return placement;
}

Test(placement, each_form_finds_its_device)
{
    static const struct {
        const char *text;
        int         named, found[3];
    } rows[] = {
        {"",                0, {-1, -1, -1}},
        {"auto",            0, {-1, -1, -1}},
        {"cpu",             0, {0, 0, 0}   },
        {"cpu:1",           0, {1, 1, 1}   },
        {"0=cpu:0,1=cpu:1", 2, {0, 1, -1}  },
        {"2=cpu:1,0=cpu",   3, {0, -1, 1}  },
    };

    describe("core:2 pu:1");
    cairn_devices *devices = open_list("cpu:2");

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const cairn_placement placement = placed(rows[k].text);

        cr_expect_eq(placement.named, rows[k].named, "%s", rows[k].text);
        for (int member = 0; member < 3; member++) {
            int found = -2;

            cr_expect_eq(
                cairn_placement_find(&env, &placement, devices, member, 0, &found),
                CAIRN_OK);
            cr_expect_eq(found, rows[k].found[member], "%s, member %d: %d",
                         rows[k].text, member, found);
        }
    }
    cairn_devices_close(&env, &devices);
}

Test(placement, devices_of_one_member_stand_in_their_order)
{
    const cairn_placement by_speed = placed("cpu:1+cpu"), one = placed("1=cpu+cpu:1");
    const cairn_placement stated = placed("0=cpu:1*0.25+cpu*0.75,1=cpu");
    int                   found;

    describe("core:2 pu:1");
    cairn_devices *devices = open_list("cpu:2");

    cr_expect_eq(by_speed.member[15].shares, 2);
    cr_expect_eq(by_speed.named, 0);
    cr_expect_eq(by_speed.member[3].share[1].fraction, 0);
    cr_expect_lt(by_speed.member[3].share[1].rows, 0);
    cr_expect_eq(one.member[0].shares, 0);
    cr_expect_eq(one.named, 2);
    cr_expect_eq(stated.member[0].share[0].fraction, 0.25);
    cr_expect_eq(stated.member[0].share[1].fraction, 0.75);
    cr_expect_eq(stated.member[1].shares, 1);
    cr_expect_eq(cairn_placement_find(&env, &stated, devices, 0, 0, &found), CAIRN_OK);
    cr_expect_eq(found, 1);
    cr_expect_eq(cairn_placement_find(&env, &stated, devices, 0, 1, &found), CAIRN_OK);
    cr_expect_eq(found, 0);
    cairn_devices_close(&env, &devices);
}

Test(placement, absent_device_is_said_when_it_is_looked_up)
{
    const cairn_placement placement = placed("cpu:7");
    int                   found     = -2;

    describe("core:2 pu:1");
    cairn_devices *devices = open_list("all");

    cr_expect_eq(cairn_placement_find(&env, &placement, devices, 0, 0, &found),
                 CAIRN_NO_DEVICE);
    cr_expect_eq(found, -2);
    cr_expect_str_eq(
        env.message,
        "device: cpu:7: this run has 1 cpu device; --devices says which it has");
    cairn_devices_close(&env, &devices);
}

Test(placement, wrong_texts_are_refused)
{
    static const struct {
        const char  *text;
        cairn_status status;
        const char  *message;
    } rows[] = {
        {"gpu",                                         CAIRN_BAD_OPTION, "did you mean cpu?"                },
        {"cpu,cpu",                                     CAIRN_BAD_OPTION, "'cpu' is not MEMBER=DEVICE"       },
        {"0=cpu,0=cpu:1",                               CAIRN_BAD_OPTION, "member 0 is placed twice"         },
        {"16=cpu",                                      CAIRN_BAD_OPTION, "0 to 15"                          },
        {"x=cpu",                                       CAIRN_BAD_OPTION, "x=cpu"                            },
        {"=cpu",                                        CAIRN_BAD_OPTION, "=cpu"                             },
        {"0=",                                          CAIRN_BAD_OPTION, "''"                               },
        {"0=cpu,",                                      CAIRN_BAD_OPTION, "''"                               },
        {"00000=cpu",                                   CAIRN_BAD_OPTION, "00000=cpu"                        },
        {"cpu+",                                        CAIRN_BAD_OPTION, "''"                               },
        {"0=cpu+cpu:0",                                 CAIRN_BAD_OPTION, "a device stands there twice"      },
        {"cpu*0.5+cpu:1",                               CAIRN_BAD_OPTION, "either all devices get a fraction"},
        {"cpu*1.5+cpu:1",                               CAIRN_BAD_OPTION, "'1.5' is no fraction"             },
        {"cpu*.+cpu:1*.5",                              CAIRN_BAD_OPTION, "'.' is no fraction"               },
        {"cpu*.1+cpu:1*.5",                             CAIRN_BAD_OPTION, "add up to 0.6, not to 1"          },
        {"cpu+cpu:1+cpu:2+cpu:3+cpu:4+cpu:5+cpu:6+cpu:7+cpu:8+cpu:9+cpu:10+cpu:11+"
         "cpu:12+cpu:13+cpu:14+cpu:15+cpu:16", CAIRN_BAD_OPTION, "16 devices at most"               },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        cairn_placement placement = {.named = 77};

        cr_expect_eq(cairn_placement_parse(&env, "--place", rows[k].text, &placement),
                     rows[k].status, "%s", rows[k].text);
        cr_expect_eq(placement.named, 77, "%s", rows[k].text);
        expect_message(rows[k].message);
    }
}
