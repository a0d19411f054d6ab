// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files that describe devices: what they may say, and where a message says it is wrong.

#include "devices/config_file.h"
#include "devices/kinds.h"
#include "devices/registry.h"
#include "support/brutal.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cairn_env env;
static char      path[] = "/tmp/cairn-devices-XXXXXX.json";

static void up(void)
{
    const int fd = mkstemps(path, 5);

    cr_assert_geq(fd, 0);
    close(fd);
    cairn_env_init(&env);
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
    unlink(path);
}

TestSuite(device_config, .init = up, .fini = down);

static const cairn_device_key dimm[] = {
    {"banks",    2048,  1,   65536, true,  "",   "processors beside memory"},
    {"clock_hz", 350e6, 1e6, 1e10,  false, "Hz", "of each"                 },
    {NULL,       0,     0,   0,     false, NULL, NULL                      },
};
static const cairn_device_key bank[] = {
    {"rows", 8, 1, 100, true,  "",   "of each"},
    {NULL,   0, 0, 0,   false, NULL, NULL     },
};
static const cairn_device_model models[] = {
    {"dimm", "modules of banks", dimm},
    {"bank", "one bank",         bank},
    {NULL,   NULL,               NULL},
};
static const cairn_device_ops modelled = {.kind = "pim", .models = models};
static const cairn_device_ops plain    = {.kind = "cpu"};

static const cairn_device_ops *const kinds[] = {&plain, &modelled, NULL};

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static cairn_described_device *read_file(const char *text, int *count)
{
    cairn_described_device *device = NULL;

    write_file(text);
    cr_assert_eq(cairn_config_read(&env, path, kinds, 64, count, &device), CAIRN_OK,
                 "%s", env.message);
    return device;
}

Test(device_config, defaults_stand_where_a_file_says_nothing)
{
    int                     count  = 0;
    cairn_described_device *device = read_file("{\"kind\": \"pim\"}", &count);

    cr_assert_eq(count, 1);
    cr_expect_eq(device->kind, &modelled);
    cr_expect_str_eq(device->config.model->name, "dimm");
    cr_expect_str_eq(device->config.name, "");
    cr_expect_eq(cairn_config_count(&device->config, "banks"), 2048);
    cr_expect_eq(cairn_config_number(&device->config, "clock_hz"), 350e6);
    cr_expect(cairn_config_has(&device->config, "banks"));
    cr_expect_not(cairn_config_has(&device->config, "rows"));
    cairn_free(&env, device);
}

Test(device_config, file_says_models_numbers_names_and_how_many)
{
    int                     count  = 0;
    cairn_described_device *device = read_file(
        "{\"note\": \"for tests\", \"devices\": [\n"
        "  {\"kind\": \"pim\", \"count\": 2, \"banks\": 64, \"clock_hz\": 4e8},\n"
        "  {\"kind\": \"cpu\"},\n"
        "  {\"kind\": \"pim\", \"model\": \"bank\", \"name\": \"mine\",\n"
        "   \"note\": \"[R]\", \"rows\": 100}]}\n",
        &count);

    cr_assert_eq(count, 4);
    for (int k = 0; k < 2; k++) {
        cr_expect_eq(cairn_config_count(&device[k].config, "banks"), 64);
        cr_expect_eq(cairn_config_number(&device[k].config, "clock_hz"), 4e8);
    }
    cr_expect_eq(device[2].kind, &plain);
    cr_expect_null(device[2].config.model);
    cr_expect_str_eq(device[3].config.name, "mine");
    cr_expect_eq(cairn_config_count(&device[3].config, "rows"), 100);
    cairn_free(&env, device);
}

/// A file that is refused, and a part of the message, behind the file's name.
typedef struct {
    const char  *text;
    cairn_status status;
    const char  *message;
} wrong;

static const wrong wrongs[] = {
    {"",                                                                           CAIRN_BAD_FILE,    ":1:0: "                           },
    {"{\"kind\": \"pim\",\n  \"banks\": 12,,}",                                    CAIRN_BAD_FILE,    ":2:"                              },
    {"{\"kind\": \"pim\", \"kind\": \"cpu\"}",                                     CAIRN_BAD_FILE,    "duplicate"                        },
    {"7",                                                                          CAIRN_BAD_FILE,    ":1:"                              },
    {"[7]",                                                                        CAIRN_BAD_OPTION,  ":1:2: a device is an object"      },
    {"{\"devices\": 7}",                                                           CAIRN_BAD_OPTION,  ":1:13: \"devices\" must be a list"},
    {"{}",                                                                         CAIRN_BAD_OPTION,  ": \"devices\" must be a list"     },
    {"{\"device\": []}",                                                           CAIRN_BAD_OPTION,
     ":1:2: no such field, 'device'; did you mean devices?"                                                                              },
    {"[{\"banks\": 3}]",                                                           CAIRN_BAD_OPTION,  ":1:2: a device without \"kind\""  },
    {"[{\"kind\": 3}]",                                                            CAIRN_BAD_OPTION,  ":1:11: 'kind' must be a text"     },
    {"[{\"kind\": \"pin\"}]",                                                      CAIRN_BAD_OPTION,
     ":1:11: no kind of device is called 'pin'; did you mean pim?"                                                                       },
    {"[{\"kind\": \"cuda\"}]",                                                     CAIRN_UNSUPPORTED,
     ":1:11: 'cuda' is not in this version"                                                                                              },
    {"[{\"kind\": \"cpu\", \"model\": \"x\"}]",                                    CAIRN_BAD_OPTION,
     ":1:27: cpu has no models"                                                                                                          },
    {"[{\"kind\": \"cpu\", \"banks\": 1}]",                                        CAIRN_BAD_OPTION,
     ":1:18: cpu has no numbers"                                                                                                         },
    {"[{\"kind\": \"pim\", \"model\": \"dim\"}]",                                  CAIRN_BAD_OPTION,
     ":1:27: pim has no model 'dim'; did you mean dimm?"                                                                                 },
    {"[{\"kind\": \"pim\",\n\n  \"bank\": 1}]",                                    CAIRN_BAD_OPTION,
     ":3:3: the model 'dimm' has no number 'bank'; did you mean banks?"                                                                  },
    {"[{\"kind\": \"pim\"}, {\"kind\": \"pim\", \"banks\": 0}]",                   CAIRN_BAD_OPTION,
     ":1:44: 'banks' is 0, but must be 1 to 65536"                                                                                       },
    {"[{\"kind\": \"pim\", \"banks\": 1.5}]",                                      CAIRN_BAD_OPTION,
     ":1:27: 'banks' is 1.5, but must be a whole"                                                                                        },
    {"[{\"kind\": \"pim\", \"clock_hz\": 1}]",                                     CAIRN_BAD_OPTION,
     "must be 1000000 to 1e+10 Hz"                                                                                                       },
    {"[{\"kind\": \"pim\", \"banks\": \"many\"}]",                                 CAIRN_BAD_OPTION,
     ":1:27: 'banks' must be a number"                                                                                                   },
    {"[{\"kind\": \"pim\", \"count\": 0}]",                                        CAIRN_BAD_OPTION,
     ":1:27: 'count' must be a whole number from 1 to 64"                                                                                },
    {"[{\"kind\": \"pim\", \"count\": \"2\"}]",                                    CAIRN_BAD_OPTION,  "'count' must be"                  },
    {"[{\"kind\": \"pim\", \"count\": 2.5}]",                                      CAIRN_BAD_OPTION,  "'count' must be"                  },
    {"[{\"kind\": \"pim\", \"count\": 40},\n {\"kind\": \"pim\", \"count\": 40}]",
     CAIRN_BAD_OPTION,                                                                                ":2:2: more than 64 devices"       },
    {"[{\"kind\": \"pim\", \"note\": 1}]",                                         CAIRN_BAD_OPTION,  "'note' must be a text"            },
    {"[{\"no\\\"te\": \"}]\", \"kind\": \"pim\",\n \"x\": 1}]",                    CAIRN_BAD_OPTION,
     "no number"                                                                                                                         },
};

Test(device_config, wrong_files_are_refused_by_line_and_column)
{
    for (size_t k = 0; k < sizeof wrongs / sizeof wrongs[0]; k++) {
        cairn_described_device *device = NULL;
        int                     count  = -1;

        write_file(wrongs[k].text);
        cr_expect_eq(cairn_config_read(&env, path, kinds, 64, &count, &device),
                     wrongs[k].status, "%s: %s", wrongs[k].text, env.message);
        cr_expect(strstr(env.message, path), "%s", env.message);
        cr_expect(strstr(env.message, wrongs[k].message), "'%s' is not in '%s'",
                  wrongs[k].message, env.message);
        cr_expect_eq(count, -1);
        cr_expect_null(device);
        cr_expect_eq(env.live_blocks, 0, "%s leaks", wrongs[k].text);
    }
}

/// Read what may be a file or nonsense: whatever it is, nothing is left.
static void try_text(const char *text)
{
    cairn_described_device *device = NULL;
    int                     count  = 0;

    write_file(text);
    if (cairn_config_read(&env, path, kinds, 64, &count, &device) == CAIRN_OK)
        cairn_free(&env, device);
    else
        cr_expect(strstr(env.message, path), "%s: %s", text, env.message);
    cr_expect_eq(env.live_blocks, 0, "%s leaks", text);
}

Test(device_config, damaged_files_are_refused_or_read_and_leave_nothing)
{
    static const char whole[] = "{\"note\": \"x\", \"devices\": [{\"kind\": \"pim\", "
                                "\"model\": \"bank\", \"rows\": 7}]}";
    static const char odd[]   = "{}[],:\"\\ 0-e\n\t";
    char              text[sizeof whole];

    for (size_t k = 0; k < sizeof whole; k++) {
        snprintf(text, k + 1, "%s", whole);
        try_text(text);
        for (size_t c = 0; c < sizeof odd - 1; c++) {
            memcpy(text, whole, sizeof whole);
            if (k < sizeof whole - 1) text[k] = odd[c];
            try_text(text);
        }
    }
}

Test(device_config, files_that_cannot_be_read_are_failures_of_the_machine)
{
    cairn_described_device *device = NULL;
    int                     count;

    cr_expect_eq(cairn_config_read(&env, "/nowhere/a.json", kinds, 64, &count, &device),
                 CAIRN_IO);
    cr_expect(strstr(env.message, "devices: /nowhere/a.json: cannot be opened"));
    cr_expect_eq(cairn_config_read(&env, "/tmp", kinds, 64, &count, &device), CAIRN_IO);
    cr_expect(strstr(env.message, "devices: /tmp: "), "%s", env.message);
}

Test(device_config, no_memory_is_said_and_leaves_nothing)
{
    cairn_described_device *device = NULL;
    int                     count  = 0;

    write_file("[{\"kind\": \"pim\", \"count\": 3}]");
    CAIRN_BRUTAL(&env, cairn_config_read(&env, path, kinds, 64, &count, &device));
    cr_expect_eq(count, 3);
    cairn_free(&env, device);
}

static cairn_devices *open_list(const char *list)
{
    cairn_devices *devices = NULL;

    snprintf(env.options.topology, sizeof env.options.topology, "core:4 pu:1");
    cr_assert_eq(cairn_devices_open(&env, "--devices", list, &devices), CAIRN_OK, "%s",
                 env.message);
    return devices;
}

Test(device_config, files_of_a_list_add_devices)
{
    static const struct {
        const char *list;
        int         count;
    } rows[] = {
        {"%s",       3},
        {"cpu,%s",   3},
        {"all,%s",   3},
        {"%s,cpu:2", 4},
        {"%s,%s",    5},
    };
    char list[2 * sizeof path + 8];

    write_file("{\"kind\": \"cpu\", \"count\": 2}");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        snprintf(list, sizeof list, rows[k].list, path, path);
        cairn_devices *devices = open_list(list);
        int            cores = 0, found = 0;

        /* "all" may have devices of other kinds. */
        for (int d = 0; d < devices->count; d++) {
            char id[24];

            if (!cairn_device_is_host(&devices->device[d])) continue;
            snprintf(id, sizeof id, "cpu:%d", found++);
            cr_expect_str_eq(devices->device[d].info.id, id);
            cores += devices->device[d].info.cores;
        }
        cr_expect_eq(found, rows[k].count, "%s: %d processors", list, found);
        cr_expect_geq(cores, 4);
        cairn_devices_close(&env, &devices);
    }
}

Test(device_config, tables_of_all_kinds_are_consistent)
{
    const cairn_device_ops *kind;

    for (int k = 0; (kind = cairn_device_kind_at(k)); k++)
        for (const cairn_device_model *m = kind->models; m && m->name; m++)
            for (const cairn_device_key *key = m->key; key->name; key++) {
                cairn_device_config config;

                cr_assert_lt(key - m->key, CAIRN_CONFIG_KEYS);
                cairn_config_init(m, &config);
                cr_expect_eq(
                    cairn_config_set(&env, "test", key->name, key->standard, &config),
                    CAIRN_OK, "%s", env.message);
                cr_expect_eq(cairn_config_number(&config, key->name), key->standard,
                             "%s stands there twice", key->name);
                cr_expect_gt(strlen(key->what), 0);
                cr_expect_not_null(key->unit);
            }
}
