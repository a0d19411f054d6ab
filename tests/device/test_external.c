// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// External simulators: their products, and programs that die, hang, lie or print. The
/// plan survives all of it, and no process and no descriptor is left.

#include "devices/registry.h"
#include "support/device_work.h"
#include "support/small_product.h"
#include "support/suite_context.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int  files;
static char path[] = "/tmp/cairn-external-XXXXXX.json";

static int open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int  n      = 0;

    cr_assert_not_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

static void up(void)
{
    const int fd = mkstemps(path, 5);

    cr_assert_geq(fd, 0);
    close(fd);
    context_up();
    files = open_files();
}

static void down(void)
{
    MUST(context, cairn_devices_check(context, NULL, "cpu", 0));
    cr_expect_eq(open_files(), files, "%d descriptors left", open_files() - files);
    cr_expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "a child is left");
    context_down();
    unlink(path);
}

TestSuite(external, .init = up, .fini = down, .timeout = 120);

static void write_file(const char *words, double limit)
{
    FILE *f = fopen(path, "w");

    cr_assert_not_null(f);
    fprintf(f, "[{\"kind\": \"external\", \"limit\": %g, \"command\": [%s]}]\n", limit,
            words);
    cr_assert_eq(fclose(f), 0);
}

/// A device of a command's words.
static cairn_status use(cairn_context *c, const char *words, double limit)
{
    char list[64];

    write_file(words, limit);
    snprintf(list, sizeof list, "cpu,%s", path);
    return cairn_devices_check(c, NULL, list, 0);
}

#define EXAMPLE "\"" CAIRN_SIMULATOR_EXAMPLE "\""

/// Wicked in messages of one kind.
static const char *wicked(const char *how, int kind)
{
    static char words[1024];

    snprintf(words, sizeof words, "\"%s\", \"%s\", \"%d\"", CAIRN_SIMULATOR_WICKED, how,
             kind);
    return words;
}

static cairn_plan *make_plan(cairn_context *c, cairn_tensor *tensor, operands *o)
{
    const cairn_plan_options options = {
        .size = sizeof(cairn_plan_options), .product = &o->op, .place = "external"};
    cairn_plan *plan;

    MUST(c, cairn_plan_create_with(tensor, &options, &plan));
    return plan;
}

static void run_plan(cairn_context *c, cairn_plan *plan, operands *o, const char *text)
{
    const bool f32 = o->dtype == CAIRN_F32;

    fill(o);
    MUST(c, cairn_plan_run(plan, f32 ? (void *)o->x32 : (void *)o->x,
                           f32 ? (void *)o->y32 : (void *)o->y));
    check(o, text);
}

static void multiply(cairn_context *c, const char *format, operands *o)
{
    cairn_source   *source = make_source(c);
    cairn_tensor   *tensor = must_store(c, source, format, o->dtype);
    cairn_plan     *plan   = make_plan(c, tensor, o);
    cairn_plan_info info   = CAIRN_PLAN_INFO;

    for (int k = 0; k < 3; k++)
        run_plan(c, plan, o, format);
    MUST(c, cairn_plan_describe(plan, &info));
    cr_expect_str_eq(info.clock, "simulated");
    cr_expect_eq(info.retired, 0);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(external, a_program_computes_products)
{
    static const char *const some[] = {"csr",       "csc",     "coo", "dcsr",
                                       "bcsr<2,3>", "c2sr<2>", "dia", "lil"};
    static operands          o;

    MUST(context, use(context, EXAMPLE ", \"1e9\"", 60));
    for (size_t f = 0; f < sizeof some / sizeof *some; f++) {
        o = (operands){
            .dtype = f % 2 ? CAIRN_F32 : CAIRN_F64,
            .op    = {.size       = sizeof(cairn_product_options),
                      .columns    = 1 + (int)f % 3,
                      .transposed = f % 4 == 3,
                      .alpha      = 0.5,
                      .beta       = f % 2 ? 0 : 1.25}
        };
        multiply(context, some[f], &o);
    }
}

Test(external, two_contexts_have_their_own_programs)
{
    static operands o = {.op = CAIRN_PRODUCT_OPTIONS};
    cairn_context  *other;
    const int64_t   held = must_start(&other);

    MUST(context, use(context, EXAMPLE, 60));
    MUST(other, use(other, EXAMPLE ", \"1e8\"", 60));
    cairn_source *source[2] = {make_source(context), make_source(other)};
    cairn_tensor *tensor[2] = {must_store(context, source[0], "csr", CAIRN_F64),
                               must_store(other, source[1], "csc", CAIRN_F64)};
    cairn_plan   *plan[2]   = {make_plan(context, tensor[0], &o),
                               make_plan(other, tensor[1], &o)};

    for (int k = 0; k < 4; k++)
        run_plan(k % 2 ? other : context, plan[k % 2], &o, "in turns");
    for (int k = 0; k < 2; k++) {
        cairn_plan_destroy(&plan[k]);
        cairn_tensor_destroy(&tensor[k]);
        cairn_source_destroy(&source[k]);
    }
    must_end(&other, held);
}

/// Seconds to wait for a program's answer: none but one that hangs may seem to.
static double patience_with(const char *how)
{
    return strcmp(how, "hang") == 0 ? 2 : 60;
}

/// Programs that are no devices: the message says why.
Test(external, what_cannot_be_opened_is_refused)
{
    static const struct {
        const char *how, *message;
    } rows[] = {
        {"die",     "killed by signal 9" },
        {"exit",    "ended with status 7"},
        {"hang",    "did not answer"     },
        {"close",   "closed"             },
        {"garbage", "answer is none"     },
        {"version", "speaks version 99"  },
        {"kind",    "answer is none"     },
        {"text",    "answer is none"     },
        {"short",   "answer is none"     },
        {"half",    "answer is none"     },
        {"long",    "answer is none"     },
        {"number",  "was not asked for"  },
    };

    REFUSED(context, NO_DEVICE, "No such file", use(context, "\"/no/such\"", 1));
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        REFUSED(context, NO_DEVICE, rows[k].message,
                use(context, wicked(rows[k].how, 1), patience_with(rows[k].how)));
    REFUSED(context, NO_DEVICE, "external:0", use(context, "\"/bin/true\"", 1));
    REFUSED(context, NO_DEVICE, "no program",
            cairn_devices_check(context, NULL, "external", 0));
    REFUSED(context, BAD_OPTION, "is no text", use(context, "7", 1));
    REFUSED(context, BAD_OPTION, "must be a list", use(context, "", 1));
}

Test(external, what_fails_in_a_run_is_computed_again)
{
    static const char *const hows[] = {
        "die",   "exit",   "hang",      "close",   "garbage", "version",
        "kind",  "text",   "fail",      "short",   "half",    "long",
        "twice", "number", "no number", "below 0", "endless"};
    static operands o      = {.op = CAIRN_PRODUCT_OPTIONS};
    cairn_source   *source = make_source(context);

    for (size_t k = 0; k < sizeof hows / sizeof *hows; k++) {
        cairn_plan_info info = CAIRN_PLAN_INFO;

        MUST(context, use(context, wicked(hows[k], 3), patience_with(hows[k])));
        cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);
        cairn_plan   *plan   = make_plan(context, tensor, &o);

        for (int n = 0; n < 2; n++)
            run_plan(context, plan, &o, hows[k]);
        MUST(context, cairn_plan_describe(plan, &info));
        cr_expect_eq(info.retired, 1, "%s", hows[k]);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

Test(external, what_fails_in_a_build_is_said)
{
    static const struct {
        const char  *how;
        cairn_status status;
        const char  *message;
    } rows[] = {
        {"die",         CAIRN_NO_DEVICE,   "killed by signal 9"},
        {"fail",        CAIRN_NO_DEVICE,   "its lamp went out" },
        {"unsupported", CAIRN_UNSUPPORTED, "external:0"        },
        {"memory",      CAIRN_NO_MEMORY,   "external:0"        },
        {"no number",   CAIRN_NO_DEVICE,   "answer is none"    },
        {"below 0",     CAIRN_NO_DEVICE,   "answer is none"    },
    };
    const cairn_plan_options options = {.size  = sizeof(cairn_plan_options),
                                        .place = "external"};
    cairn_source            *source  = make_source(context);

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        cairn_plan *plan = NULL;

        MUST(context, use(context, wicked(rows[k].how, 2), 5));
        cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

        cr_expect_eq(cairn_plan_create_with(tensor, &options, &plan), rows[k].status);
        cr_expect(strstr(context->env.message, rows[k].message), "%s",
                  context->env.message);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

/// Answers that would shift all that come later. One that comes after its run is over is
/// found by a later run.
Test(external, an_answer_too_much_is_refused)
{
    static const struct {
        const char *how;
        int         good; ///< Runs before.
    } rows[] = {
        {"twice",  0},
        {"number", 0},
        {"later",  1},
    };
    static double                      x[COLS], y[ROWS];
    static const cairn_product_options op     = CAIRN_PRODUCT_OPTIONS;
    cairn_source                      *source = make_source(context);

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        cairn_launch launch = {0};

        MUST(context, use(context, wicked(rows[k].how, 3), 60));
        cairn_tensor           *tensor = must_store(context, source, "csr", CAIRN_F64);
        cairn_device           *device = &context->devices->device[1];
        const cairn_device_work work   = {
              .tensor = tensor->local, .op = &op, .alone = true};

        MUST(context, device->ops.build(device, &work, &launch));
        for (int n = 0; n < rows[k].good; n++)
            cr_expect_eq(launch.run(&launch, x, y), CAIRN_OK, "%s", launch.message);
        cairn_status status = launch.run(&launch, x, y);

        for (int n = 0; n < 1000 && rows[k].good > 0 && status == CAIRN_OK; n++) {
            usleep(20000);
            status = launch.run(&launch, x, y);
        }
        cr_expect_eq(status, CAIRN_NO_DEVICE, "%s", rows[k].how);
        cr_expect_str_eq(
            launch.message,
            "device: external:0: its program sent an answer that was not asked for");
        cr_expect_eq(launch.run(&launch, x, y), CAIRN_NO_DEVICE);
        launch.release(&launch);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

/// Kill the program that a note names, while it hangs in a run.
static void *kill_soon(void *pid)
{
    usleep(100000);
    kill((pid_t)(intptr_t)pid, SIGKILL);
    return NULL;
}

Test(external, a_program_killed_in_the_middle_of_a_run)
{
    static double                      x[COLS], y[ROWS];
    static const cairn_product_options op     = CAIRN_PRODUCT_OPTIONS;
    cairn_source                      *source = make_source(context);
    cairn_launch                       launch = {0};
    pthread_t                          thread;

    MUST(context, use(context, wicked("hang", 3), 60));
    cairn_tensor           *tensor = must_store(context, source, "csr", CAIRN_F64);
    cairn_device           *device = &context->devices->device[1];
    const cairn_device_work work = {.tensor = tensor->local, .op = &op, .alone = true};

    MUST(context, device->ops.build(device, &work, &launch));
    const intptr_t pid = atol(launch.note);

    cr_assert_gt(pid, 1);
    cr_assert_eq(pthread_create(&thread, NULL, kill_soon, (void *)pid), 0);
    cr_expect_eq(launch.run(&launch, x, y), CAIRN_NO_DEVICE);
    pthread_join(thread, NULL);
    cr_expect_not_null(strstr(launch.message, "killed by signal 9"), "%s",
                       launch.message);
    cr_expect_eq(launch.run(&launch, x, y), CAIRN_NO_DEVICE);
    cr_expect_not_null(strstr(launch.message, "is gone"), "%s", launch.message);
    launch.release(&launch);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// What a program prints does not come into our standard output.
Test(external, a_program_that_prints)
{
    char      text[64] = "";
    int       ends[2];
    const int kept = dup(STDOUT_FILENO);

    fflush(stdout);
    cr_assert_eq(pipe(ends), 0);
    dup2(ends[1], STDOUT_FILENO);
    const cairn_status status = use(context, wicked("print", 1), 60);

    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(ends[1]);
    cr_expect_eq(read(ends[0], text, sizeof text), 0, "it printed '%s'", text);
    close(ends[0]);
    MUST(context, status);
}
