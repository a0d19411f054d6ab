// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The options table, nearest names, and text that grows.

#include "base/env.h"
#include "base/text.h"

#include <criterion/criterion.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static cairn_env env;

/// Every test starts without any CAIRN_* variable of the person who runs it.
static void up(void)
{
    static char *none[] = {NULL};

    environ = none;
    cairn_env_init(&env);
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(options, .init = up, .fini = down);
TestSuite(text, .init = up, .fini = down);

Test(options, bytes_take_decimal_and_binary_units)
{
    static const struct {
        const char *text;
        int64_t     bytes;
    } rows[] = {
        {"0",                   0               },
        {"1",                   1               },
        {"12k",                 12000           },
        {"12K",                 12000           },
        {"3M",                  3000000         },
        {"2G",                  2000000000      },
        {"1T",                  1000000000000   },
        {"1Ki",                 1024            },
        {"1ki",                 1024            },
        {"5Mi",                 5 << 20         },
        {"2Gi",                 (int64_t)2 << 30},
        {"1Ti",                 (int64_t)1 << 40},
        {"9223372036854775807", INT64_MAX       },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        int64_t bytes = -1;

        cr_expect_eq(cairn_parse_bytes(rows[k].text, &bytes), 0, "%s", rows[k].text);
        cr_expect_eq(bytes, rows[k].bytes, "%s is %ld", rows[k].text, (long)bytes);
    }
}

Test(options, what_is_no_number_of_bytes_is_refused)
{
    static const char *const texts[] = {"",
                                        "-1",
                                        " 1",
                                        "+1",
                                        "1 ",
                                        "k",
                                        "1B",
                                        "1kB",
                                        "1Kib",
                                        "1i",
                                        "0x10",
                                        "1e9",
                                        "1.5G",
                                        "9223372036854775808",
                                        "9223372036854775807k",
                                        "16777216Ti"};

    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        int64_t bytes = 0;

        cr_expect_eq(cairn_parse_bytes(texts[k], &bytes), -1, "'%s'", texts[k]);
    }
}

Test(options, variables_are_read)
{
    char why[512] = "";

    setenv("CAIRN_MEMORY", "2Gi", 1);
    setenv("CAIRN_THREADS", "3", 1);
    setenv("CAIRN_DEVICES", "cpu:2", 1);
    setenv("CAIRN_TOPOLOGY", "pack:2 core:2 pu:1", 1);
    setenv("CAIRN_KERNELS", "compiled", 1);
    setenv("CAIRN_COST", "shipped", 1);
    setenv("CAIRN_CC", "clang", 1);
    setenv("CAIRN_CACHE", "/somewhere", 1);
    setenv("CAIRN_CACHE_SIZE", "1M", 1);
    setenv("CAIRN_REPLAYS", "1000000000000000", 1);
    setenv("CAIRN_DUMP_KERNELS", "out", 1);
    setenv("CAIRNS", "not ours", 1);
    cr_assert_eq(cairn_options_read(&env.options, why, sizeof why), 0, "%s", why);

    cr_expect_eq(env.options.memory, (int64_t)2 << 30);
    cr_expect_eq(env.options.threads, 3);
    cr_expect_str_eq(env.options.devices, "cpu:2");
    cr_expect_str_eq(env.options.topology, "pack:2 core:2 pu:1");
    cr_expect_eq(env.options.kernels, CAIRN_KERNELS_COMPILED);
    cr_expect_eq(env.options.cost, CAIRN_RATES_SHIPPED);
    cr_expect_str_eq(env.options.cc, "clang");
    cr_expect_str_eq(env.options.cache, "/somewhere");
    cr_expect_eq(env.options.cache_size, 1000000);
    cr_expect_eq(env.options.replays, (int64_t)1000000000000000);
    cr_expect_str_eq(env.options.dump_kernels, "out");
}

Test(options, defaults_stay_where_no_variable_is)
{
    char why[512] = "";

    cr_assert_eq(cairn_options_read(&env.options, why, sizeof why), 0, "%s", why);

    cr_expect_eq(env.options.memory, 0);
    cr_expect_eq(env.options.threads, 0);
    cr_expect_str_eq(env.options.devices, "");
    cr_expect_str_eq(env.options.topology, "");
    cr_expect_eq(env.options.kernels, CAIRN_KERNELS_AUTO);
    cr_expect_eq(env.options.cost, CAIRN_RATES_LEARNED);
    cr_expect_str_eq(env.options.cc, "");
    cr_expect_str_eq(env.options.cache, "");
    cr_expect_eq(env.options.cache_size, 0);
    cr_expect_str_eq(env.options.dump_kernels, "");
}

Test(options, wrong_variables_are_refused_and_change_nothing)
{
    static char long_list[CAIRN_OPTION_PATH + 1];

    memset(long_list, 'x', sizeof long_list - 1);

    const struct {
        const char *name, *value, *message;
    } rows[] = {
        {"CAIRN_MEMROY",                "1G",                   "did you mean CAIRN_MEMORY?" },
        {"CAIRN_TREADS",                "1",                    "did you mean CAIRN_THREADS?"},
        {"CAIRN_QQQQQQQQQQQQQQQQQQQQQ", "1",                    "cairn --options"            },
        {"CAIRN_",                      "1",                    "CAIRN_: no such variable"   },
        {"CAIRN_MEMORY",                "lots",                 "CAIRN_MEMORY: 'lots'"       },
        {"CAIRN_MEMORY",                "0",                    "CAIRN_MEMORY: '0'"          },
        {"CAIRN_MEMORY",                "-1",                   "CAIRN_MEMORY: '-1'"         },
        {"CAIRN_MEMORY",                "",                     "CAIRN_MEMORY: ''"           },
        {"CAIRN_THREADS",               "100000",               "4 times the processors"     },
        {"CAIRN_THREADS",               "2k",                   "CAIRN_THREADS: '2k'"        },
        {"CAIRN_THREADS",               "0",                    "CAIRN_THREADS: '0'"         },
        {"CAIRN_THREADS",               "-1",                   "CAIRN_THREADS: '-1'"        },
        {"CAIRN_THREADS",               "99999999999999999999", "CAIRN_THREADS"              },
        {"CAIRN_DEVICES",               long_list,              "CAIRN_DEVICES"              },
        {"CAIRN_KERNELS",               "fast",                 "CAIRN_KERNELS: 'fast'"      },
        {"CAIRN_KERNELS",               "",                     "CAIRN_KERNELS: ''"          },
        {"CAIRN_COST",                  "measured",             "CAIRN_COST: 'measured'"     },
        {"CAIRN_CACHE_SIZE",            "0",                    "CAIRN_CACHE_SIZE: '0'"      },
        {"CAIRN_CACHE",                 "off",                  "a path of that name: ./off" },
        {"CAIRN_CACHE",                 "0",                    "none: nothing is kept"      },
        {"CAIRN_COSTS",                 "None",                 "none: nothing is kept"      },
        {"CAIRN_COSTS",                 "no",                   "a path of that name: ./no"  },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char why[512] = "";

        setenv("CAIRN_TOPOLOGY", "core:2 pu:1", 1);
        setenv(rows[k].name, rows[k].value, 1);
        cr_expect_eq(cairn_options_read(&env.options, why, sizeof why), -1, "%s",
                     rows[k].name);
        cr_expect(strstr(why, rows[k].message), "'%s' is not in '%s'", rows[k].message,
                  why);
        cr_expect_str_eq(env.options.topology, "");
        unsetenv(rows[k].name);
    }
}

Test(options, a_variable_of_any_length_is_reported_safely)
{
    char name[600] = "CAIRN_", why[512] = "";

    memset(name + 6, 'A', sizeof name - 7);
    setenv(name, "1", 1);

    cr_expect_eq(cairn_options_read(&env.options, why, sizeof why), -1);
    cr_expect(strstr(why, "CAIRN_AAAA"), "%s", why);
}

Test(options, folder_of_the_cache_follows_its_variables)
{
    static const struct {
        const char *cache, *xdg, *home, *folder; /* folder NULL: there is none */
    } rows[] = {
        {"",     "/x",  "/h", "/x/cairn"       },
        {"",     NULL,  "/h", "/h/.cache/cairn"},
        {"",     "",    "/h", "/h/.cache/cairn"},
        {"",     "rel", "/h", "/h/.cache/cairn"},
        {"",     NULL,  NULL, NULL             },
        {"/c",   "/x",  "/h", "/c"             },
        {"c",    NULL,  NULL, "c"              },
        {"none", "/x",  "/h", NULL             },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char folder[CAIRN_OPTION_PATH] = "";

        unsetenv("XDG_CACHE_HOME"), unsetenv("HOME");
        if (rows[k].xdg) setenv("XDG_CACHE_HOME", rows[k].xdg, 1);
        if (rows[k].home) setenv("HOME", rows[k].home, 1);
        snprintf(env.options.cache, sizeof env.options.cache, "%s", rows[k].cache);

        const bool found = cairn_options_cache(&env.options, folder);

        cr_expect_eq(found, rows[k].folder != NULL, "row %zu", k);
        if (found) cr_expect_str_eq(folder, rows[k].folder, "row %zu: %s", k, folder);
    }
}

Test(options, folder_of_the_cache_is_not_cut)
{
    static char home[CAIRN_OPTION_PATH];
    char        folder[CAIRN_OPTION_PATH];

    memset(home, 'h', sizeof home - 1);
    home[0] = '/';
    setenv("HOME", home, 1);
    cr_expect_not(cairn_options_cache(&env.options, folder));
}

Test(options, commands_are_found_along_path)
{
    static const struct {
        const char *path, *name, *found;
        int         why;
    } rows[] = {
        {"/nowhere:/bin", "sh",          "/bin/sh",  0     },
        {"/bin/",         "sh",          "/bin//sh", 0     },
        {"/nowhere",      "sh",          NULL,       ENOENT},
        {"",              "sh",          NULL,       ENOENT},
        {":.:bin:/bin",   "sh",          "/bin/sh",  0     },
        {"/nowhere",      "/bin/sh",     "/bin/sh",  0     },
        {"/bin",          "/bin/no-one", NULL,       ENOENT},
        {"/bin",          "sh -x",       NULL,       ENOENT},
        {"/bin",          "",            NULL,       ENOENT},
        {"/",             "etc",         NULL,       ENOENT}, /* a folder */
        {"/etc",          "/etc/passwd", NULL,       EACCES},
        {"/etc:/bin",     "sh",          "/bin/sh",  0     },
        {"/etc",          "passwd",      NULL,       EACCES}, /* may not be executed */
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char path[CAIRN_OPTION_PATH] = "";

        setenv("PATH", rows[k].path, 1);
        cr_expect_eq(cairn_locate_program(rows[k].name, path), rows[k].why, "row %zu",
                     k);
        const bool found = cairn_find_program(rows[k].name, path);

        cr_expect_eq(found, rows[k].found != NULL, "row %zu: %s", k, path);
        if (found) cr_expect_str_eq(path, rows[k].found);
    }
}

Test(options, environment_of_a_child_has_the_changes_once)
{
    static const char *const changes[] = {"TMPDIR=/new", "LC_ALL=C", NULL};
    char                    *list[8];

    setenv("A", "1", 1);
    setenv("TMPDIR", "/old", 1);
    setenv("TMPDIR2", "/kept", 1);
    cr_assert_eq(cairn_environment(changes, NULL, 0), 5);
    cr_assert_eq(cairn_environment(changes, list, 8), 5);

    cr_expect_str_eq(list[0], "A=1");
    cr_expect_str_eq(list[1], "TMPDIR2=/kept");
    cr_expect_str_eq(list[2], "TMPDIR=/new");
    cr_expect_str_eq(list[3], "LC_ALL=C");
    cr_expect_null(list[4]);
    cr_expect_str_eq(cairn_temporary_folder(), "/old");
    unsetenv("TMPDIR");
    cr_expect_str_eq(cairn_temporary_folder(), "/tmp");
}

Test(options, rows_name_every_variable)
{
    int                     count;
    const cairn_option_row *rows = cairn_options_rows(&count);

    cr_assert_geq(count, 4);
    for (int k = 0; k < count; k++) {
        cr_expect_eq(strncmp(rows[k].variable, "CAIRN_", 6), 0);
        cr_expect_gt(strlen(rows[k].standard), 0);
        cr_expect_gt(strlen(rows[k].help), 0);
    }
}

Test(options, nearest_name_is_near)
{
    static const char *const names[] = {"csr", "coo", "ell", "bdia", NULL};

    cr_expect_str_eq(cairn_nearest("bida", names), "bdia");
    cr_expect_str_eq(cairn_nearest("csrr", names), "csr");
    cr_expect_str_eq(cairn_nearest("ell", names), "ell");
    cr_expect_null(cairn_nearest("hybrid", names));
    cr_expect_null(cairn_nearest("", names));
}

Test(text, grows_and_is_taken)
{
    cairn_text text;
    char      *string = NULL;

    cairn_text_init(&text, &env);
    for (int k = 0; k < 100; k++)
        cairn_text_add(&text, "%d,", k);
    cairn_text_add_bytes(&text, "end!", 3);
    cr_assert_eq(cairn_text_take(&text, &string), CAIRN_OK);

    cr_expect_eq(strlen(string), 10 * 2 + 90 * 3 + 3);
    cr_expect_eq(strncmp(string, "0,1,2,", 6), 0);
    cr_expect_str_eq(string + strlen(string) - 6, "99,end");
    cairn_free(&env, string);
}

/// Pieces of text of each kind, as the C library formats them.
#define EXPECT_LIKE_PRINTF(...)                           \
    do {                                                  \
        cairn_text text;                                  \
        char       expected[600], *string = NULL;         \
                                                          \
        cairn_text_init(&text, &env);                     \
        cairn_text_add(&text, __VA_ARGS__);               \
        cr_assert_eq(cairn_text_take(&text, &string), 0); \
        snprintf(expected, sizeof expected, __VA_ARGS__); \
        cr_expect_str_eq(string, expected);               \
        cairn_free(&env, string);                         \
    } while (0)

Test(text, pieces_are_what_the_c_library_prints)
{
    static const int64_t numbers[] = {
        0, 1, -1, 9, 10, -10, 123456, INT_MAX, INT_MIN, INT64_MAX, INT64_MIN};
    char wide[500];

    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const long long n = numbers[k];
        const int       i = (int)n;

        EXPECT_LIKE_PRINTF("%d", i);
        EXPECT_LIKE_PRINTF("a%lldb%+lldc", n, n);
        EXPECT_LIKE_PRINTF("%x, %d%%", (unsigned)i, i);
        EXPECT_LIKE_PRINTF("%s%d%s%lld", "x = ", i, "", n);
        EXPECT_LIKE_PRINTF("%c%lld%c", '[', n, ']');
        /* Others, behind what was added already. */
        EXPECT_LIKE_PRINTF("%d %5d %lld", i, i, n);
        EXPECT_LIKE_PRINTF("%s %ld %zu", "l", (long)n, (size_t)n);
        EXPECT_LIKE_PRINTF("%lld%+d", n, i);
        EXPECT_LIKE_PRINTF("%s, %.3g", wide, (double)n);
        EXPECT_LIKE_PRINTF("%s%s", "", wide);
    }
}

Test(text, nothing_is_an_empty_string)
{
    cairn_text text;
    char      *string = NULL;

    cairn_text_init(&text, &env);
    cr_assert_eq(cairn_text_take(&text, &string), CAIRN_OK);

    cr_expect_str_eq(string, "");
    cairn_free(&env, string);
}

Test(text, first_failed_allocation_is_told_once_at_the_end)
{
    for (int n = 0;; n++) {
        cairn_text text;
        char      *string = NULL;

        cairn_text_init(&text, &env);
        env.allowed = n;
        for (int k = 0; k < 200; k++)
            cairn_text_add(&text, "%d ", k);
        const cairn_status status = cairn_text_take(&text, &string);

        env.allowed = -1;
        if (status == CAIRN_OK) {
            cairn_free(&env, string);
            cr_expect_gt(n, 1);
            break;
        }
        cr_assert_eq(status, CAIRN_NO_MEMORY);
        cr_assert_null(string);
        cr_assert_eq(env.live_blocks, 0);
        cr_assert_lt(n, 100);
    }
}

Test(text, decimals_are_short_and_read_back)
{
    static const struct {
        double      value;
        const char *text;
    } rows[] = {
        {0,       "0"                 },
        {12,      "12"                },
        {0.5,     "0.5"               },
        {0.1,     "0.1"               },
        {-2.25,   "-2.25"             },
        {1e-7,    "0.0000001"         },
        {1.0 / 3, "0.3333333333333333"},
        {1e15,    "1000000000000000"  },
    };
    static const double extremes[] = {5e-324, 2.2250738585072014e-308,
                                      1.7976931348623157e308};
    char                out[400];

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        cairn_print_decimal(out, rows[k].value);
        cr_expect_str_eq(out, rows[k].text, "%s", out);
    }
    for (size_t k = 0; k < sizeof extremes / sizeof extremes[0]; k++) {
        cairn_print_decimal(out, extremes[k]);
        cr_expect_eq(strtod(out, NULL), extremes[k]);
        cr_expect_null(strpbrk(out, "eE"));
    }
}

Test(options, what_is_kept_goes_to_paths_or_nowhere)
{
    static const char *const words[] = {"none", "./off", "offers", "/var/no", ""};
    char                     why[512];

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        setenv("CAIRN_CACHE", words[k], 1);
        setenv("CAIRN_COSTS", words[k], 1);
        cr_assert_eq(cairn_options_read(&env.options, why, sizeof why), 0, "%s", why);
        cr_expect_str_eq(env.options.cache, words[k]);
        cr_expect_str_eq(env.options.costs, words[k]);
    }
}
