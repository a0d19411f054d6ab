// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels from request to function: loaded, prebuilt, from the cache or compiled, by one
/// process or several. Compilations are counted by a script that stands before the
/// compiler.

#include "../support/brutal.h"
#include "../support/kernel_fixture.h"

#include <signal.h>
#include <sys/wait.h>

TestSuite(kernels, .init = up, .fini = down, .timeout = 120);

Test(kernels, loader_says_what_the_machine_has)
{
    const int bytes = loader->vector_bytes;

    cr_expect(bytes == 16 || bytes == 32 || bytes == 64, "%d", bytes);
    cr_expect_eq(loader->threads, devices->device[0].info.threads);
    cr_expect_str_eq(loader->note, "");
}

Test(kernels, are_compiled_once_then_loaded)
{
    made_kernel made = make_kernel(3);

    cr_expect_not(was_cached(&made));
    cr_expect(was_cached(&made));
    cr_expect_eq(compilations(), 1);
    cr_expect_eq(made.printed, 1);

    open_again();
    cr_expect(was_cached(&made));
    cr_expect_eq(compilations(), 1);
    cr_expect_eq(made.printed, 1);
    cr_expect_str_eq(loader->note, "");
}

Test(kernels, same_key_twice_is_one_library)
{
    made_kernel  made = make_kernel(3), other = make_kernel(4);
    cairn_kernel a = load(&made), b = load(&made), c = load(&other);

    cr_expect_eq(a.run, b.run);
    cr_expect_neq(a.run, c.run);
    release(&a);
    cr_expect_eq(((made_fn)b.run)(4), 18);
    release(&b);
    release(&c);
}

Test(kernels, keys_on_disk_say_what_code_depends_on)
{
    static const char *const parts[] = {
        "build: ",    "\nabi: cairn ", "\ncompiler: ",     "-march=native",
        "\nopenmp: ", "\ncpu: ",       "-ffp-contract=off"};

    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        cr_expect(strstr(inside()->machine, parts[k]), "'%s' is not in '%s'", parts[k],
                  inside()->machine);
}

Test(kernels, what_was_compiled_serves_without_the_compiler)
{
    made_kernel made = make_kernel(3);

    was_cached(&made);
    cr_assert_eq(unlink(env.options.cc), 0);
    open_again();
    cr_expect(was_cached(&made));
}

Test(kernels, other_name_of_the_compiler_other_file)
{
    made_kernel made = make_kernel(3);

    was_cached(&made);
    strcpy(env.options.cc, "cc");
    open_again();
    cr_expect_not(was_cached(&made));
}

Test(kernels, other_processor_other_file)
{
    made_kernel made = make_kernel(3);

    was_cached(&made);
    open_again();
    char *cpu = strstr(inside()->machine, "\ncpu: ");

    cr_assert_not_null(cpu);
    cpu[6] ^= 1;
    cr_expect_not(was_cached(&made));
}

/// Every file of the cache, changed by a shell command on $f.
static void change_files(const char *what)
{
    char text[512];

    snprintf(text, sizeof text, "for f in %s/*.so; do %s; done", env.options.cache,
             what);
    cr_assert_eq(system(text), 0, "%s", text);
}

Test(kernels, damaged_files_are_compiled_again_and_replaced)
{
    static const char *const damage[] = {
        ": >$f",
        "truncate -s 5000 $f",
        "truncate -s -1 $f",
        "printf X | dd of=$f bs=1 seek=4200 conv=notrunc status=none",
        "cp /bin/true $f",
        "cp /etc/passwd $f",
        "head -c 20000 /dev/urandom >$f",
        "chmod 666 $f",
        "rm $f; ln -s /bin/true $f",
        "rm $f; mkfifo $f",
    };
    made_kernel made = make_kernel(3);

    was_cached(&made);
    for (int k = 0; k < (int)(sizeof damage / sizeof damage[0]); k++) {
        change_files(damage[k]);
        open_again();
        cr_expect_not(was_cached(&made), "%s", damage[k]);
        cr_expect_eq(compilations(), k + 2);
        open_again();
        cr_expect(was_cached(&made), "%s: not replaced", damage[k]);
        cr_expect_str_eq(loader->note, "");
    }
}

/// A whole file, sealed by this build, whose object is none: as a bad disk cannot make.
Test(kernels, sealed_garbage_is_compiled_again)
{
    static char        garbage[5000];
    const cairn_object object = {garbage, sizeof garbage};
    made_kernel        made   = make_kernel(3);
    char               key[9000];

    snprintf(key, sizeof key, "kernel: %s\n%s", made.key, inside()->machine);
    cairn_cache_store(&inside()->cache, key, &object);
    cr_expect_not(was_cached(&made));
    open_again();
    cr_expect(was_cached(&made));
}

Test(kernels, work_without_a_cache)
{
    made_kernel made = make_kernel(3);

    snprintf(env.options.cache, sizeof env.options.cache, "none");
    open_again();
    cr_expect_not(was_cached(&made));
    cr_expect(was_cached(&made));
    open_again();
    cr_expect_not(was_cached(&made));
    cr_expect_str_eq(loader->note, "");
}

Test(kernels, work_with_a_cache_that_cannot_be_used_and_say_so)
{
    made_kernel made = make_kernel(3);

    snprintf(env.options.cache, sizeof env.options.cache, "%s/log/no", folder);
    open_again();
    cr_expect_not(was_cached(&made));
    cr_expect(strstr(loader->note, "cache: "), "%s", loader->note);
    cr_expect(strstr(loader->note, "Not a directory"), "%s", loader->note);
}

Test(kernels, reference_way_loads_nothing)
{
    made_kernel made = make_kernel(3);

    env.options.kernels = CAIRN_KERNELS_REFERENCE;
    expect_refused(&made, "CAIRN_KERNELS");
    cr_expect_eq(made.printed, 0);
    cr_expect_eq(compilations(), 0);
}

Test(kernels, failing_compiler_is_told_and_nothing_is_kept)
{
    made_kernel made = make_kernel(3);

    set_command("echo out of cheese error; exit 1");
    open_again();
    expect_refused(&made, "it ended with 1: out of cheese error");
    set_command("kill -9 $$");
    open_again();
    expect_refused(&made, "it was killed by signal 9");
    set_command("while [ $1 != -o ]; do shift; done; head -c 9000 /dev/urandom >$2");
    open_again();
    expect_refused(&made, "no whole shared object");
    snprintf(env.options.cc, sizeof env.options.cc, "no-such-compiler");
    open_again();
    expect_refused(&made, "there is no such command");
    cr_expect_null(inside()->first);
}

Test(kernels, hanging_compiler_is_tried_once)
{
    made_kernel made = make_kernel(3), other = make_kernel(4);

    set_command("sleep 1000");
    open_again();
    inside()->compiler.time_limit = 0.2;
    expect_refused(&made, "had not finished after 0.2 s");
    expect_refused(&other, "had not finished after 0.2 s");
    cr_expect_eq(compilations(), 1);
}

static cairn_status print_wrong(cairn_env *e, void *user, char **source)
{
    (void)user;
    return cairn_strndup(e, "long wrong(long n)\n{\n    return m;\n}\n", 100, source);
}

Test(kernels, wrong_source_is_told_by_its_line)
{
    const cairn_kernel_request request = {.key = "wrong", .source = print_wrong};
    cairn_kernel               kernel  = {0};

    cr_expect_eq(loader->load(loader->user, &request, &kernel), CAIRN_NO_KERNEL);
    cr_expect(strstr(env.message, ".c:3:"), "%s", env.message);
    cr_expect_not(inside()->compiler.serial);
}

static cairn_status print_wanting(cairn_env *e, void *user, char **source)
{
    return cairn_strndup(
        e, "long nobody(void);\nlong wanting(long n)\n{\n    return nobody() + n;\n}\n",
        ((void)user, 200), source);
}

/// That it cannot be loaded has nothing to do with threads, and is not taken for it.
Test(kernels, what_cannot_be_loaded_does_not_cost_the_threads)
{
    const cairn_kernel_request request = {.key = "wanting", .source = print_wanting};
    cairn_kernel               kernel  = {0};

    cr_expect_eq(loader->load(loader->user, &request, &kernel), CAIRN_NO_KERNEL);
    cr_expect(strstr(env.message, "undefined symbol: nobody"), "%s", env.message);
    cr_expect_not(inside()->compiler.serial);
}

static cairn_status refuse_source(cairn_env *e, void *user, char **source)
{
    (void)user, (void)source;
    return cairn_fail(e, CAIRN_NO_KERNEL, "lower: test: refused");
}

Test(kernels, refused_source_is_passed_up)
{
    const cairn_kernel_request request = {.key = "refused", .source = refuse_source};
    cairn_kernel               kernel  = {0};

    cr_expect_eq(loader->load(loader->user, &request, &kernel), CAIRN_NO_KERNEL);
    cr_expect_str_eq(env.message, "lower: test: refused");
}

/// A compiler whose code wants an OpenMP runtime that is not in the process: with threads
/// it makes a reference that nothing resolves.
Test(kernels, compiler_of_another_runtime_compiles_without_threads)
{
    static const char wants[] = "void another_runtime(void);\n"
                                "void (*cairn_wants)(void) = another_runtime;\n";
    made_kernel       made = make_kernel(3), other = make_kernel(4);
    char              name[128];

    snprintf(name, sizeof name, "%s/wants.c", folder);
    scratch_write(name, wants, strlen(wants));
    set_command("case $1 in -fopenmp) set -- \"$@\" ${0%/*}/wants.c;; esac\n"
                "exec cc \"$@\"");
    open_again();
    cr_expect_not(was_cached(&made));
    cr_expect(inside()->compiler.serial);
    cr_expect(strstr(loader->note, "kernels run on one"), "%s", loader->note);
    cr_expect_eq(compilations(), 2);
    cr_expect_not(was_cached(&other));
    cr_expect_eq(compilations(), 3);
}

Test(kernels, real_clang_works_with_or_without_threads)
{
    made_kernel made = make_kernel(3);
    char        path[CAIRN_OPTION_PATH];

    if (!cairn_find_program("clang", path)) cr_skip_test("there is no clang");
    set_command("exec clang \"$@\"");
    open_again();
    cr_expect_not(was_cached(&made));
    open_again();
    cr_expect(was_cached(&made));
}

/// A prebuilt function, and a table of them.
static long times_five(long n)
{
    return 5 * n * (n - 1) / 2;
}

static long times_five_wide(long n)
{
    return times_five(n);
}

static cairn_prebuilt table[4];

static void point(int32_t *field, const void *to)
{
    *field = (int32_t)((intptr_t)to - (intptr_t)field);
}

static void make_table(void)
{
    static const char *const key[] = {"test: a", "test: nobody", "test: times 5",
                                      "test: wide"};

    for (int k = 0; k < 4; k++)
        point(&table[k].key, key[k]);
    point(&table[0].run[0], (void *)times_five);
    point(&table[2].run[0], (void *)times_five);
    point(&table[2].run[1], (void *)times_five_wide);
    point(&table[3].run[2], (void *)times_five);
}

Test(kernels, prebuilt_ones_are_searched_first)
{
    made_kernel  made = make_kernel(5);
    cairn_kernel kernel;

    make_table();
    inside()->prebuilt       = table;
    inside()->prebuilt_count = 4;
    kernel                   = load(&made);
    cr_expect_eq(kernel.route, CAIRN_ROUTE_PREBUILT);
    cr_expect_not(kernel.cached);
    cr_expect_eq(made.printed, 0);
    release(&kernel);
}

Test(kernels, prebuilt_ones_are_for_the_widest_vectors_there_are)
{
    make_table();
    cr_expect_eq(cairn_prebuilt_find(table, 4, "test: times 5", 16),
                 (void *)times_five);
    cr_expect_eq(cairn_prebuilt_find(table, 4, "test: times 5", 32),
                 (void *)times_five_wide);
    cr_expect_eq(cairn_prebuilt_find(table, 4, "test: times 5", 64),
                 (void *)times_five_wide);
    cr_expect_null(cairn_prebuilt_find(table, 4, "test: wide", 32));
    cr_expect_eq(cairn_prebuilt_find(table, 4, "test: wide", 64), (void *)times_five);
    cr_expect_null(cairn_prebuilt_find(table, 4, "test: nobody", 64));
    cr_expect_null(cairn_prebuilt_find(table, 4, "test: times", 64));
    cr_expect_null(cairn_prebuilt_find(table, 0, "test: a", 64));
}

Test(kernels, prebuilt_table_of_this_build_is_sorted)
{
    for (int k = 1; k < cairn_prebuilt_count; k++)
        cr_expect_lt(strcmp(cairn_prebuilt_at(&cairn_prebuilt_table[k - 1].key),
                            cairn_prebuilt_at(&cairn_prebuilt_table[k].key)),
                     0, "row %d", k);
}

Test(kernels, sources_are_written_where_asked)
{
    made_kernel made = make_kernel(3);
    char        symbol[CAIRN_KERNEL_SYMBOL], path[256], *expected = NULL;
    size_t      length;

    snprintf(env.options.dump_kernels, sizeof env.options.dump_kernels, "%s/out",
             folder);
    was_cached(&made);
    cairn_kernel_symbol(made.key, symbol);
    snprintf(path, sizeof path, "%s/out/%s.c", folder, symbol);
    char *text = scratch_read(path, &length);

    cr_assert_eq(print_made(&env, &made, &expected), CAIRN_OK);
    cr_expect_str_eq(text, expected);
    cairn_free(&env, expected);
    free(text);

    cr_assert_eq(unlink(path), 0);
    open_again(); /* also of a kernel that is in the cache */
    cr_expect(was_cached(&made));
    cr_expect_eq(access(path, F_OK), 0);
}

Test(kernels, sources_that_cannot_be_written_are_an_error)
{
    made_kernel                made    = make_kernel(3);
    const cairn_kernel_request request = request_of(&made);
    cairn_kernel               kernel  = {0};

    snprintf(env.options.dump_kernels, sizeof env.options.dump_kernels, "%s/no/where",
             folder);
    cr_expect_eq(loader->load(loader->user, &request, &kernel), CAIRN_IO);
    cr_expect_null(kernel.run);
}

Test(kernels, idle_libraries_stay_for_a_while)
{
    enum { MANY = CAIRN_CPU_IDLE + 6 };
    made_kernel first       = make_kernel(0), made[MANY];
    const int   descriptors = count_descriptors();
    int         loaded      = 0;

    set_command("exec cc -O0 \"$@\"");
    open_again();
    cairn_kernel used = load(&first);

    for (int k = 0; k < MANY; k++) {
        made[k] = make_kernel(k + 1);
        was_cached(&made[k]);
    }
    for (cairn_cpu_library *l = inside()->first; l; l = l->next)
        loaded++;
    cr_expect_eq(loaded, CAIRN_CPU_IDLE + 1);
    cr_expect_eq(inside()->idle, CAIRN_CPU_IDLE);
    cr_expect_eq(((made_fn)used.run)(4), 0, "unloaded while in use");
    cr_expect_eq(count_descriptors(), descriptors);

    cairn_kernel again = load(&made[MANY - 1]);

    cr_expect_eq(inside()->idle, CAIRN_CPU_IDLE - 1);
    release(&again);
    release(&used);
}

/// Load in a child process, once the parent has closed its end of @p gate.
static void child_loads(int gate, made_kernel *made)
{
    const cairn_kernel_request request = request_of(made);
    cairn_kernel               kernel  = {0};
    cairn_devices             *mine    = NULL;
    const cairn_kernel_loader *theirs;
    char                       word;

    if (read(gate, &word, 1) != 0) _exit(9);
    if (cairn_devices_open(&env, "--devices", "cpu", &mine) != CAIRN_OK
        || cairn_device_kernels(&mine->device[0], &theirs) != CAIRN_OK)
        _exit(8);
    if (theirs->load(theirs->user, &request, &kernel) != CAIRN_OK) _exit(7);
    if (((made_fn)kernel.run)(4) != 6 * made->factor) _exit(6);
    _exit(made->printed); /* 1: it compiled, 0: it found */
}

/// @return how many of @p n processes at once compiled.
static int load_in_processes(int n, made_kernel *made)
{
    int   gate[2], compiled = 0;
    pid_t child[32];

    cr_assert_eq(pipe(gate), 0);
    for (int k = 0; k < n; k++) {
        child[k] = fork();
        if (child[k] != 0) continue;
        close(gate[1]);
        child_loads(gate[0], made);
    }
    close(gate[0]);
    close(gate[1]);
    for (int k = 0; k < n; k++) {
        int status;

        cr_assert_eq(waitpid(child[k], &status, 0), child[k]);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) <= 1, "child %d: %x", k,
                  status);
        compiled += WEXITSTATUS(status);
    }
    return compiled;
}

Test(kernels, of_many_processes_one_compiles)
{
    close_loader();
    for (int round = 0; round < 5; round++) {
        made_kernel made = make_kernel(round);

        cr_expect_eq(load_in_processes(12, &made), 1);
        cr_expect_eq(compilations(), round + 1);
    }
    open_loader();
}

/// End the compiler that a killed process has left, and what it has started.
static void end_orphan(void)
{
    char   name[128];
    size_t length;

    snprintf(name, sizeof name, "%s.pid", command);
    char     *text = scratch_read(name, &length);
    const int pid  = atoi(text);

    free(text);
    cr_assert_gt(pid, 1);
    cr_expect_eq(kill(-pid, SIGKILL), 0);
}

/// The first compiler dies with the process that runs it; another process takes over.
Test(kernels, killed_compiling_process_is_replaced)
{
    made_kernel made = make_kernel(3);
    int         gate[2];
    char        name[128];

    set_command("[ -e $0.pid ] || { echo $$ >$0.pid; sleep 1000; }; exec cc \"$@\"");
    close_loader();
    cr_assert_eq(pipe(gate), 0);
    const pid_t child = fork();

    if (child == 0) {
        close(gate[1]);
        child_loads(gate[0], &made);
    }
    close(gate[0]);
    close(gate[1]);
    snprintf(name, sizeof name, "%s.pid", command);
    while (access(name, F_OK) != 0)
        usleep(1000);
    cr_assert_eq(kill(child, SIGKILL), 0);
    open_loader();
    cr_expect_not(was_cached(&made));
    cr_expect_eq(compilations(), 2);
    waitpid(child, NULL, 0);
    end_orphan();
}

Test(kernels, survive_every_failed_allocation)
{
    made_kernel                made    = make_kernel(3);
    const cairn_kernel_request request = request_of(&made);
    const cairn_kernel_loader *ready;
    cairn_kernel               kernel = {0};

    CAIRN_BRUTAL_AND(&env, loader->load(loader->user, &request, &kernel),
                     kernel.run == NULL);
    cr_expect_eq(((made_fn)kernel.run)(4), 18);
    release(&kernel);
    close_loader();
    cr_assert_eq(cairn_devices_open(&env, "--devices", "cpu", &devices), CAIRN_OK);
    CAIRN_BRUTAL(&env, cairn_device_kernels(&devices->device[0], &ready));
    loader = ready;
    CAIRN_BRUTAL_AND(&env, loader->load(loader->user, &request, &kernel),
                     kernel.run == NULL);
    cr_expect(kernel.cached);
    release(&kernel);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/// Not asserted: machines differ and are shared.
Test(kernels, times_are_shown)
{
    enum { TIMES = 11 };
    double compiled[TIMES], cached[TIMES];

    env.options.cc[0] = '\0';
    for (int k = 0; k < TIMES; k++) {
        made_kernel  made = make_kernel(k);
        cairn_kernel kernel;

        open_again();
        kernel      = load(&made);
        compiled[k] = kernel.seconds;
        cr_expect_not(kernel.cached);
        release(&kernel);
        open_again();
        kernel    = load(&made);
        cached[k] = kernel.seconds;
        cr_expect(kernel.cached);
        release(&kernel);
    }
    qsort(compiled, TIMES, sizeof *compiled, compare_doubles);
    qsort(cached, TIMES, sizeof *cached, compare_doubles);
    printf("first use %.1f ms, from the cache %.3f ms (medians of %d)\n",
           1e3 * compiled[TIMES / 2], 1e3 * cached[TIMES / 2], TIMES);
}
