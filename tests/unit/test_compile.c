// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The compiler: what it makes runs, and however it fails there is one line that says so
/// and nothing left behind, neither files nor descriptors nor processes.

#include "../support/brutal.h"
#include "../support/kernel_sources.h"
#include "../support/scratch.h"
#include "devices/cpu/compile.h"
#include "devices/cpu/library.h"
#include "devices/cpu/machine.h"
#include "devices/cpu/process.h"
#include "devices/cpu/scratch.h"

#include <omp.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static cairn_env      env;
static cairn_compiler compiler;
static char           folder[64], temporary[96], command[96];
static int            descriptors;

/// Temporary files go where a test sees what is left of them.
static void up(void)
{
    cairn_env_init(&env);
    scratch_create(folder);
    snprintf(temporary, sizeof temporary, "%s/tmp", folder);
    snprintf(command, sizeof command, "%s/compiler", folder);
    cr_assert_eq(mkdir(temporary, 0700), 0);
    setenv("TMPDIR", temporary, 1);
    cairn_compiler_init(&env, &compiler);
    descriptors = count_descriptors();
}

static void down(void)
{
    char remove[96];

    cr_expect_eq(count_entries(temporary), 0, "temporary files are left");
    cr_expect_eq(count_descriptors(), descriptors, "descriptors are left");
    cr_expect_not(has_children(), "processes are left");
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    snprintf(remove, sizeof remove, "rm -rf '%s'", folder);
    cr_expect_eq(system(remove), 0);
    cairn_env_fini(&env);
}

TestSuite(compile, .init = up, .fini = down, .timeout = 120);
TestSuite(process, .init = up, .fini = down, .timeout = 240);

static const char source[] =
    "long cairn_test(long n)\n"
    "{\n"
    "    long sum = 0;\n"
    "\n"
    "#pragma omp parallel for num_threads(n) reduction(+ : sum)\n"
    "    for (long t = 0; t < n; t++)\n"
    "        sum += t;\n"
    "    return sum;\n"
    "}\n";

/// Compile `source`, load it, call it.
static void expect_sum(void)
{
    cairn_object object = {0};
    void        *handle = NULL, *run = NULL;

    cr_assert_eq(cairn_compile(&compiler, "cairn_test", source, &object), CAIRN_OK,
                 "%s", env.message);
    cr_expect(cairn_library_is_whole(&object));
    cr_assert_eq(cairn_library_open(&env, &object, "cairn_test", &handle, &run),
                 CAIRN_OK, "%s", env.message);
    cr_expect_eq(((made_fn)run)(4), 6);
    cairn_library_close(handle);
    cairn_object_free(&env, &object);
}

/// Compilers that are scripts: what they do, and what is said of it.
static void write_command(const char *text)
{
    char script[512];

    snprintf(script, sizeof script, "#!/bin/sh\n%s\n", text);
    scratch_write(command, script, strlen(script));
    cr_assert_eq(chmod(command, 0700), 0);
    snprintf(env.options.cc, sizeof env.options.cc, "%s", command);
    cairn_compiler_init(&env, &compiler);
}

static void expect_refused(const char *part)
{
    cairn_object object = {0};

    cr_expect_eq(cairn_compile(&compiler, "cairn_test", source, &object),
                 CAIRN_NO_KERNEL);
    cr_expect_null(object.bytes);
    cr_expect(strstr(env.message, "compile: ") == env.message, "%s", env.message);
    cr_expect(strstr(env.message, part), "'%s' is not in '%s'", part, env.message);
    cr_expect_null(strchr(env.message, '\n'));
}

Test(compile, makes_what_runs)
{
    expect_sum();
}

Test(compile, every_compiler_of_this_machine_makes_what_runs_or_says_why_not)
{
    static const char *const names[] = {"gcc", "clang"};

    for (int k = 0; k < 2; k++) {
        cairn_object object = {0};
        void        *handle = NULL, *run = NULL;
        char         path[CAIRN_OPTION_PATH];

        if (!cairn_find_program(names[k], path)) continue;
        snprintf(env.options.cc, sizeof env.options.cc, "%s", names[k]);
        cairn_compiler_init(&env, &compiler);
        cr_assert_eq(cairn_compile(&compiler, "cairn_test", source, &object), CAIRN_OK,
                     "%s", env.message);
        if (cairn_library_open(&env, &object, "cairn_test", &handle, &run) == CAIRN_OK)
            cr_expect_eq(((made_fn)run)(4), 6);
        else /* it wants another OpenMP runtime */
            cr_expect(strstr(env.message, "undefined symbol"), "%s", env.message);
        cairn_library_close(handle);
        cairn_object_free(&env, &object);

        compiler.serial = true;
        expect_sum();
    }
}

Test(compile, runtime_is_that_of_this_process)
{
    cairn_object object = {0};
    void        *handle = NULL, *run = NULL;
    const char  *threads =
        "int omp_get_max_threads(void);\n"
        "long cairn_test(long n) { return omp_get_max_threads() + n; }\n";

    cr_expect(strstr(compiler.openmp, "omp"), "'%s'", compiler.openmp);
    omp_set_num_threads(7);
    cr_assert_eq(cairn_compile(&compiler, "cairn_test", threads, &object), CAIRN_OK);
    cr_assert_eq(cairn_library_open(&env, &object, "cairn_test", &handle, &run),
                 CAIRN_OK, "%s", env.message);
    cr_expect_eq(((made_fn)run)(0), 7);

    /* Also where Cairn, and with it the runtime, was loaded for itself alone. */
    const char *name = strrchr(compiler.openmp, '/') + 1;

    cr_expect_not_null(memmem(object.bytes, (size_t)object.length, name, strlen(name)));
    cairn_library_close(handle);
    cairn_object_free(&env, &object);
}

/// A contracted a*b + c keeps what the product's rounding drops.
Test(compile, products_and_sums_are_not_contracted)
{
    static const char text[] = "double cairn_test(double a, double b, double c)\n"
                               "{ return a * b + c; }\n";
    const double      a      = 1 + 0x1p-30;
    cairn_object      object = {0};
    void             *handle = NULL, *run = NULL;

    cr_assert_eq(cairn_compile(&compiler, "cairn_test", text, &object), CAIRN_OK);
    cr_assert_eq(cairn_library_open(&env, &object, "cairn_test", &handle, &run),
                 CAIRN_OK);
    double (*const product)(double, double, double) =
        (double (*)(double, double, double))run;

    cr_expect_eq(product(a, a, -(1 + 0x1p-29)), 0);
    cairn_library_close(handle);
    cairn_object_free(&env, &object);
}

/// Only the compiler knows what -march=native is; the library must come to the same.
Test(compile, vectors_are_as_wide_as_the_compiler_says)
{
#ifdef __x86_64__
    static const char text[] =
        "#if defined __AVX512F__ && defined __AVX512BW__ && defined __AVX512CD__ \\\n"
        "    && defined __AVX512DQ__ && defined __AVX512VL__\n"
        "enum { BYTES = 64 };\n"
        "#elif defined __AVX2__ && defined __FMA__ && defined __BMI2__ \\\n"
        "    && defined __LZCNT__ && defined __MOVBE__ && defined __F16C__\n"
        "enum { BYTES = 32 };\n"
        "#else\n"
        "enum { BYTES = 16 };\n"
        "#endif\n"
        "long cairn_test(long n) { return n * BYTES; }\n";
    cairn_object object = {0};
    void        *handle = NULL, *run = NULL;

    cr_assert_eq(cairn_compile(&compiler, "cairn_test", text, &object), CAIRN_OK, "%s",
                 env.message);
    cr_assert_eq(cairn_library_open(&env, &object, "cairn_test", &handle, &run),
                 CAIRN_OK);
    cr_expect_eq(((made_fn)run)(1), cairn_cpu_vector_bytes());
    cairn_library_close(handle);
    cairn_object_free(&env, &object);
#else
    cr_expect_eq(cairn_cpu_vector_bytes(), 16);
#endif
}

/// A compiler that runs where there is XOP, as far as it says: its native code could not be
/// run here. It is asked for this processor's level, and for native code once only.
Test(compile, native_of_another_processor_is_not_run)
{
#ifdef __x86_64__
    static const char text[] =
        "#ifdef __XOP__\n"
        "enum { OTHER = 1 };\n"
        "#else\n"
        "enum { OTHER = 0 };\n"
        "#endif\n"
        "#if defined __AVX512F__\n"
        "enum { BYTES = 64 };\n"
        "#elif defined __AVX2__\n"
        "enum { BYTES = 32 };\n"
        "#else\n"
        "enum { BYTES = 16 };\n"
        "#endif\n"
        "long cairn_test(long n) { return n * BYTES + OTHER; }\n";
    char calls[128];

    __builtin_cpu_init();
    if (__builtin_cpu_supports("xop")) return;
    write_command("echo >>${0%/*}/calls\n"
                  "for a do shift; [ $a != -march=native ] || set -- \"$@\" -mxop\n"
                  "set -- \"$@\" $a; done; exec cc \"$@\"");
    cr_expect_not(cairn_compiler_is_foreign(&compiler));
    for (int k = 0; k < 2; k++) {
        cairn_object object = {0};
        void        *handle = NULL, *run = NULL;

        cr_assert_eq(cairn_compile(&compiler, "cairn_test", text, &object), CAIRN_OK,
                     "%s", env.message);
        cr_expect(cairn_compiler_is_foreign(&compiler));
        cr_assert_eq(cairn_library_open(&env, &object, "cairn_test", &handle, &run),
                     CAIRN_OK, "%s", env.message);
        cr_expect_eq(((made_fn)run)(1), cairn_cpu_vector_bytes());
        cairn_library_close(handle);
        cairn_object_free(&env, &object);
    }
    snprintf(calls, sizeof calls, "%s/calls", folder);
    struct stat about;

    cr_assert_eq(stat(calls, &about), 0);
    cr_expect_eq(about.st_size, 3, "%d calls", (int)about.st_size);
#endif
}

Test(compile, missing_command_is_said_once_and_for_all)
{
    snprintf(env.options.cc, sizeof env.options.cc, "no-such-compiler");
    cairn_compiler_init(&env, &compiler);

    expect_refused("no-such-compiler: there is no such command");
    expect_refused("CAIRN_CC names another compiler");
    cr_expect_neq(compiler.broken[0], '\0');
}

Test(compile, option_is_a_command_without_arguments)
{
    snprintf(env.options.cc, sizeof env.options.cc, "cc -O2; touch %s/x", temporary);
    cairn_compiler_init(&env, &compiler);

    expect_refused("there is no such command");
}

Test(compile, what_is_no_program_cannot_be_started)
{
    write_command("");
    scratch_write(command, "no program", 10);

    expect_refused("Exec format error");
}

Test(compile, first_error_is_told)
{
    cairn_object object = {0};

    cr_expect_eq(cairn_compile(&compiler, "cairn_wrong", "int f(void)\n{ return x; }\n",
                               &object),
                 CAIRN_NO_KERNEL);
    cr_expect(strstr(env.message, "compile: cc: it ended with 1: cairn_wrong.c:2:"),
              "%s", env.message);
    cr_expect(strstr(env.message, "error: "), "%s", env.message);
    cr_expect_null(strstr(env.message, temporary), "%s", env.message);
    cr_expect_str_eq(compiler.broken, "");
}

Test(compile, failures_of_all_kinds_are_told)
{
    static const struct {
        const char *script, *message;
    } rows[] = {
        {"exit 3",                                                   "it ended with 3"                   },
        {"echo no licence; exit 1",                                  "it ended with 1: no licence"       },
        {"echo warm; echo an error here; exit 2",                    "it ended with 2: an error here"    },
        {"echo error >&2; exit 2",                                   "it ended with 2: error"            },
        {"printf 'a\\tb\\033[1m error'; exit 1",                     "ended with 1: a?b?[1m error"       },
        {"kill -9 $$",                                               "it was killed by signal 9 (Killed)"},
        {"kill -SEGV $$",                                            "it was killed by signal 11"        },
        {"exit 0",                                                   "it made no shared object"          },
        {"echo fine; exit 0",                                        "it made no shared object: fine"    },
        {"while [ $1 != -o ]; do shift; done; : >$2",                "it made no shared object"          },
        {"while [ $1 != -o ]; do shift; done; mkdir $2; rmdir $2",   "it made no shared"                 },
        {"while [ $1 != -o ]; do shift; done; ln -s /etc/passwd $2",
         "it made no shared"                                                                             },
        {"cat; exit 5",                                              "it ended with 5"                   },
        {"yes error | head -c 300000; exit 1",                       "it ended with 1: error"            },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        write_command(rows[k].script);
        expect_refused(rows[k].message);
        cr_expect_str_eq(compiler.broken, "", "%s", rows[k].script);
        cr_expect_eq(count_entries(temporary), 0, "%s", rows[k].script);
    }
}

/// The script's child holds its output open, too, and must end with it.
Test(compile, compiler_that_hangs_is_ended_with_all_it_started)
{
    write_command("echo $$ >"
                  "${0%/*}/pids; sleep 1000 & echo $! >>${0%/*}/pids; wait");
    compiler.time_limit = 0.3;
    const double start  = cairn_seconds();

    expect_refused("had not finished after 0.3 s");
    cr_expect_lt(cairn_seconds() - start, 50);

    char  name[128];
    FILE *pids;
    int   pid, seen = 0;

    snprintf(name, sizeof name, "%s/pids", folder);
    pids = fopen(name, "r");
    cr_assert_not_null(pids);
    for (; fscanf(pids, "%d", &pid) == 1; seen++)
        for (int wait = 0; kill(pid, 0) == 0; wait++) { /* reaped by init, soon */
            cr_assert_lt(wait, 1000, "%d is alive", pid);
            usleep(5000);
        }
    fclose(pids);
    cr_expect_eq(seen, 2);
    expect_refused("had not finished"); /* and is not tried again */
    cr_expect_lt(cairn_seconds() - start, 50);
}

Test(compile, deaf_compiler_is_killed)
{
    write_command("trap '' TERM; while :; do sleep 1; done");
    compiler.time_limit = 0.1;

    expect_refused("had not finished after 0.1 s");
}

/// What a compiler leaves running in the background does not hold us up.
Test(compile, leftover_process_is_ended)
{
    const double start = cairn_seconds();

    write_command("sleep 1000 & exit 1");
    expect_refused("it ended with 1");
    cr_expect_lt(cairn_seconds() - start, 50);
}

Test(compile, garbage_is_not_loaded)
{
    cairn_object object = {0};
    void        *handle = NULL, *run = NULL;

    write_command("while [ $1 != -o ]; do shift; done; echo garbage >$2");
    cr_assert_eq(cairn_compile(&compiler, "cairn_test", source, &object), CAIRN_OK);
    cr_expect_not(cairn_library_is_whole(&object));
    cr_expect_eq(cairn_library_open(&env, &object, "cairn_test", &handle, &run),
                 CAIRN_NO_KERNEL);
    cr_expect(strstr(env.message, "load: cairn_test: it is no whole"), "%s",
              env.message);
    cr_expect_null(handle);
    cairn_object_free(&env, &object);
}

Test(compile, cut_object_is_not_loaded)
{
    cairn_object object = {0};
    void        *handle = NULL, *run = NULL;
    int          whole = 0;

    cr_assert_eq(cairn_compile(&compiler, "cairn_test", source, &object), CAIRN_OK);
    const int64_t length = object.length;

    /* The last pages hold what only debuggers and linkers read. */
    for (object.length = 0; object.length < length; object.length += 61)
        if (cairn_library_is_whole(&object)) {
            whole++;
            cr_expect_gt(object.length, 4096);
            cairn_library_open(&env, &object, "cairn_test", &handle, &run);
            cairn_library_close(handle);
            handle = NULL;
        }
    cr_expect_gt(whole, 0);
    object.length = length;
    cairn_object_free(&env, &object);
}

Test(compile, object_without_the_function_is_not_loaded)
{
    cairn_object object = {0};
    void        *handle = NULL, *run = NULL;

    cr_assert_eq(cairn_compile(&compiler, "cairn_test", source, &object), CAIRN_OK);
    cr_expect_eq(cairn_library_open(&env, &object, "cairn_other", &handle, &run),
                 CAIRN_NO_KERNEL);
    cr_expect_str_eq(env.message, "load: cairn_other: it has no such function");
    cr_expect_null(handle);
    cairn_object_free(&env, &object);
}

Test(compile, object_that_wants_more_is_not_loaded)
{
    static const char text[] =
        "long nobody(void); long cairn_test(long n) { return nobody() + n; }\n";
    cairn_object object = {0};
    void        *handle = NULL, *run = NULL;

    cr_assert_eq(cairn_compile(&compiler, "cairn_test", text, &object), CAIRN_OK);
    cr_expect_eq(cairn_library_open(&env, &object, "cairn_test", &handle, &run),
                 CAIRN_NO_KERNEL);
    cr_expect(strstr(env.message, "undefined symbol: nobody"), "%s", env.message);
    cairn_object_free(&env, &object);
}

/// The loader knows libraries by path, and descriptors' numbers come back.
Test(compile, each_object_is_the_one_that_is_called)
{
    enum { MANY = 20 };
    void *handle[MANY], *run[MANY];

    for (int k = 0; k < MANY; k++) {
        char         text[128];
        cairn_object object = {0};

        snprintf(text, sizeof text, "long cairn_test(long n) { return n + %d; }\n", k);
        cr_assert_eq(cairn_compile(&compiler, "cairn_test", text, &object), CAIRN_OK);
        cr_assert_eq(
            cairn_library_open(&env, &object, "cairn_test", &handle[k], &run[k]),
            CAIRN_OK);
        cairn_object_free(&env, &object);
    }
    for (int k = 0; k < MANY; k++)
        cr_expect_eq(((made_fn)run[k])(100), 100 + k);
    for (int k = 0; k < MANY; k++)
        cairn_library_close(handle[k]);
}

Test(compile, without_a_place_for_files_there_is_no_compiler)
{
    cairn_object object = {0};

    setenv("TMPDIR", "/nowhere/at/all", 1);
    cr_expect_eq(cairn_compile(&compiler, "cairn_test", source, &object),
                 CAIRN_NO_KERNEL);
    cr_expect(strstr(env.message, "temporary folder: /nowhere/at/all: "), "%s",
              env.message);
}

Test(compile, survives_every_failed_allocation)
{
    cairn_object object = {0};

    CAIRN_BRUTAL(&env, cairn_compile(&compiler, "cairn_test", source, &object));
    cr_expect_not_null(object.bytes);
    cairn_object_free(&env, &object);
}

/// A host program may have its children reaped by the kernel.
Test(compile, works_where_children_are_not_waited_for)
{
    signal(SIGCHLD, SIG_IGN);
    expect_sum();
    write_command("exit 1");
    expect_refused("it made no shared object");
    signal(SIGCHLD, SIG_DFL);
}

static int forks;

static void count_fork(void)
{
    forks++;
}

/// MPI warns of processes that are forked; what spawns them must not be seen to.
Test(compile, no_fork_handler_is_called)
{
    cr_assert_eq(pthread_atfork(count_fork, count_fork, count_fork), 0);
    expect_sum();
    cr_expect_eq(forks, 0);
}

Test(compile, works_with_standard_files_closed)
{
    const int kept[3] = {dup(0), dup(1), dup(2)};

    for (int k = 0; k < 3; k++)
        close(k);
    cairn_object       object = {0};
    const cairn_status status = cairn_compile(&compiler, "cairn_test", source, &object);
    cairn_object       wrong  = {0};
    const cairn_status failed = cairn_compile(&compiler, "cairn_test", "wrong", &wrong);

    for (int k = 0; k < 3; k++) {
        dup2(kept[k], k);
        close(kept[k]);
    }
    cr_expect_eq(status, CAIRN_OK, "%s", env.message);
    cr_expect_eq(failed, CAIRN_NO_KERNEL);
    cr_expect(strstr(env.message, "error: "), "%s", env.message);
    cairn_object_free(&env, &object);
}

/// Run a shell's command, as a process.
static cairn_process run_shell(const char *text, char *output, size_t capacity)
{
    char *const   arguments[] = {"/bin/sh", "-c", (char *)text, NULL};
    char *const   none[]      = {NULL};
    cairn_process process     = {.arguments   = arguments,
                                 .environment = none,
                                 .time_limit  = 20,
                                 .output      = output,
                                 .capacity    = capacity};

    cairn_process_run(&process);
    return process;
}

Test(process, output_of_both_kinds_is_caught_and_cut)
{
    char output[8];

    cr_expect_eq(run_shell("printf ab; printf cd >&2; printf efghij", output, 8).end,
                 CAIRN_PROCESS_EXITED);
    cr_expect_str_eq(output, "abcdefg");
    run_shell("echo much", output, 1);
    cr_expect_str_eq(output, "");
}

/// (The C library ignores two signals of its own in what it spawns: bits 31 and 32.)
Test(process, starts_with_plain_signals_and_an_empty_input)
{
    char               output[128];
    sigset_t           all;
    unsigned long long blocked = 1, ignored = 1;

    signal(SIGPIPE, SIG_IGN);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    run_shell("grep -E '^Sig(Blk|Ign)' /proc/self/status; cat", output, sizeof output);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    cr_assert_eq(sscanf(output, "SigBlk:%llx SigIgn:%llx", &blocked, &ignored), 2);
    cr_expect_eq(blocked, 0, "%llx", blocked);
    cr_expect_eq(ignored & 0x7fffffff, 0, "%llx", ignored);
}

Test(process, one_that_closes_its_output_is_waited_for)
{
    char                output[8];
    const cairn_process process =
        run_shell("exec >&- 2>&-; sleep 0.2; exit 7", output, sizeof output);

    cr_expect_eq(process.end, CAIRN_PROCESS_EXITED);
    cr_expect_eq(process.number, 7);
}

Test(process, other_children_are_left_alone)
{
    char        output[8];
    const pid_t child = fork();
    int         status;

    if (child == 0) _exit(5);
    usleep(50000);
    run_shell("exit 0", output, sizeof output);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect_eq(WEXITSTATUS(status), 5);
}

Test(process, missing_program_is_told)
{
    char *const   arguments[] = {"/no/such/program", NULL};
    char *const   none[]      = {NULL};
    char          output[8];
    cairn_process process = {.arguments   = arguments,
                             .environment = none,
                             .time_limit  = 1,
                             .output      = output,
                             .capacity    = sizeof output};

    cairn_process_run(&process);
    cr_expect_eq(process.end, CAIRN_PROCESS_NOT_STARTED);
    cr_expect_eq(process.number, ENOENT);
}

/// Make folder @p name among the temporary files, with a file in it, @p seconds old.
static void leave(const char *name, int seconds, char path[128])
{
    const struct timespec old      = {.tv_sec = time(NULL) - seconds};
    const struct timespec times[2] = {old, old};
    char                  file[160];

    snprintf(path, 128, "%s/%s", temporary, name);
    snprintf(file, sizeof file, "%s/object", path);
    cr_assert_eq(mkdir(path, 0700), 0);
    scratch_write(file, "x", 1);
    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/// Remove what is there. @return was it?
static bool take_away(const char *path)
{
    char file[160];

    snprintf(file, sizeof file, "%s/object", path);
    unlink(file);
    return rmdir(path) == 0;
}

Test(compile, what_killed_processes_left_is_removed)
{
    char          old[128], young[128], other[128], longer[128], link[128];
    cairn_scratch scratch;

    leave("cairn-cc-abcdef", 3700, old);
    leave("cairn-cc-ghijkl", 3500, young);
    leave("cairn-ab-abcdef", 3700, other);
    leave("cairn-cc-abcdefg", 3700, longer);
    snprintf(link, sizeof link, "%s/cairn-cc-symlnk", temporary);
    cr_assert_eq(symlink(longer, link), 0);

    cr_assert_eq(cairn_scratch_make(&env, &scratch), CAIRN_OK);

    cr_expect_not(take_away(old));
    cr_expect(take_away(young));
    cr_expect(take_away(other));
    cr_expect(take_away(longer));
    cr_expect_eq(unlink(link), 0);
    cairn_scratch_remove(&scratch);
}
