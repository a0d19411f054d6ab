// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Findings about machines that are made up.

#include "devices/checkup.h"
#include "support/brutal.h"

#include <criterion/criterion.h>

#include <string.h>

static cairn_env         env;
static cairn_diagnostics findings;

static void up(void)
{
    cairn_env_init(&env);
    findings = (cairn_diagnostics){.env = &env};
}

static void down(void)
{
    cairn_free(&env, findings.finding);
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(doctor, .init = up, .fini = down);

/// The worst finding about @p what, NULL where there is none.
static const cairn_diagnostic *worst(const char *what)
{
    const cairn_diagnostic *found = NULL;

    for (int64_t k = 0; k < findings.count; k++)
        if (strcmp(findings.finding[k].what, what) == 0
            && (!found || findings.finding[k].level > found->level))
            found = &findings.finding[k];
    return found;
}

static void expect_level(const char *what, int level, const char *why)
{
    const cairn_diagnostic *found = worst(what);

    cr_assert_not_null(found, "nothing about %s", what);
    cr_expect_eq(found->level, level, "%s: %s", what, found->why);
    cr_expect(strstr(found->why, why), "'%s' is not in '%s'", why, found->why);
    cr_expect(level != CAIRN_DIAGNOSTIC_ATTENTION || found->fix[0], "%s: no fix", what);
}

Test(doctor, threads_and_bindings)
{
    static const struct {
        int         bound, threads, ranks; ///< On a node of 8 cores.
        const char *what;
        int         level;
        const char *why;
    } rows[] = {
        {8, 8,  1, "threads", CAIRN_DIAGNOSTIC_OK,        "8 threads on 8 cores"       },
        {2, 2,  4, "threads", CAIRN_DIAGNOSTIC_OK,        "2 threads on 2 cores"       },
        {8, 8,  2, "threads", CAIRN_DIAGNOSTIC_ATTENTION,
         "2 ranks of 8 threads share 8"                                                },
        {8, 4,  2, "threads", CAIRN_DIAGNOSTIC_OK,        "4 threads on 8 cores"       },
        {2, 3,  1, "threads", CAIRN_DIAGNOSTIC_ATTENTION, "3 threads on 2 processors"  },
        {1, 1,  2, "binding", CAIRN_DIAGNOSTIC_ATTENTION, "has 4 for each of its ranks"},
        {1, 16, 8, "threads", CAIRN_DIAGNOSTIC_ATTENTION, "16 threads on 1 processor " },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        cairn_machine_node node    = {.kind = "machine", .cores = 8, .pus = 8};
        cairn_machine      machine = {
                 .cores = rows[k].bound, .pus = rows[k].bound, .nodes = 1, .node = &node};

        findings.count = 0;
        cairn_checkup_threads(
            &(cairn_checkup_rank){&machine, rows[k].threads, rows[k].ranks, 1},
            &findings);
        /* What a control group grants this test is no matter of it. */
        for (int64_t f = 0; f < findings.count; f++)
            if (strstr(findings.finding[f].why, "control group"))
                findings.finding[f].level = CAIRN_DIAGNOSTIC_OK;
        expect_level(rows[k].what, rows[k].level, rows[k].why);
    }
    findings.count = 0;
}

Test(doctor, limits_beyond_memory_need_attention)
{
    cairn_machine_node node    = {.kind = "machine", .cores = 1, .pus = 1};
    cairn_machine      machine = {.nodes = 1, .node = &node};

    cairn_checkup_memory(&(cairn_checkup_rank){&machine, 1, 4, (int64_t)1 << 50},
                         &findings);
    expect_level("memory", CAIRN_DIAGNOSTIC_ATTENTION, "GiB together");
}

Test(doctor, drivers_and_cards)
{
    cairn_machine_node node[] = {
        {.kind = "machine"     },
        {                      .kind = "gpu",      .depth = 1, .name = "NVIDIA card", .pci = "0000:01:00.0"},
        { .kind = "gpu",                   .depth = 1, .name = "AMD card", .pci = "0000:02:00.0"},
        {    .kind = "opencl",.depth = 2, .name = "AMD device"},
    };
    cairn_machine machine = {.here = true, .nodes = 4, .node = node};
    cairn_drivers drivers = {
        .opencl = {.found = true,            .platforms = 1, .devices = 1},
        .cuda   = {.why = "no libcuda.so.1"           },
        .count  = 1,
        .device = {{.driver = "opencl", .platform = "AMD"}}
    };

    cairn_checkup_drivers(&drivers, &machine, &findings);
    expect_level("cuda", CAIRN_DIAGNOSTIC_ATTENTION,
                 "1 NVIDIA GPU, but no libcuda.so.1");
    expect_level("opencl", CAIRN_DIAGNOSTIC_OK, "1 driver, 1 device: AMD");
    cr_expect_null(worst("cards"));

    findings.count = 0;
    drivers        = (cairn_drivers){
               .cuda   = {.found = true, .version = "12.4"},
               .opencl = {.why = "no libOpenCL.so.1"            }
    };
    node[3].depth = 1;
    cairn_checkup_drivers(&drivers, &machine, &findings);
    expect_level("cuda", CAIRN_DIAGNOSTIC_OK, "CUDA 12.4, 0 devices");
    expect_level("opencl", CAIRN_DIAGNOSTIC_NOTE, "no libOpenCL.so.1");
    expect_level("cards", CAIRN_DIAGNOSTIC_NOTE, "AMD card, 0000:02:00.0");

    findings.count = 0;
    machine.here   = false;
    drivers.cuda   = (cairn_driver){.why = "no libcuda.so.1"};
    cairn_checkup_drivers(&drivers, &machine, &findings);
    expect_level("cuda", CAIRN_DIAGNOSTIC_OK, "no NVIDIA GPU");
    cr_expect_null(worst("cards"));
}

/// More findings than there is room for at first.
static cairn_status fill(void)
{
    findings = (cairn_diagnostics){.env = &env};
    for (int k = 0; k < 100; k++)
        cairn_diagnostics_note(&findings, "test", "none", "number %d", k);
    if (findings.status == CAIRN_OK) return CAIRN_OK;
    cairn_free(&env, findings.finding);
    findings.finding = NULL;
    return findings.status;
}

Test(doctor, findings_grow_and_remember_that_there_was_no_memory)
{
    CAIRN_BRUTAL(&env, fill());
    cr_assert_eq(findings.count, 100);
    cr_expect_str_eq(findings.finding[99].why, "number 99");
}

Test(doctor, lines_of_the_system_are_read_without_their_end)
{
    char line[8] = "before";

    cr_expect_not(cairn_read_line("/nowhere", line, sizeof line));
    cr_expect_str_eq(line, "");
    cr_expect(cairn_read_line(CAIRN_SOURCE_DIR "/LICENSE", line, sizeof line));
    cr_expect_null(strchr(line, '\n'));
}
