// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels that are got several at once: compilers that run at the same time, each kernel
/// once, and failures that are told to whoever asks for the kernel.

#include "../support/brutal.h"
#include "../support/kernel_fixture.h"

#include <sched.h>
#include <sys/wait.h>

TestSuite(ahead, .init = up, .fini = down, .timeout = 120);

enum { KERNELS = 4 };

/// Make kernels and ask for all of them.
static void get(made_kernel *made, int n, int at_once)
{
    cairn_kernel_request request[KERNELS + 1];

    for (int k = 0; k < n; k++) {
        made[k]    = make_kernel(2 + k);
        request[k] = request_of(&made[k]);
    }
    const int descriptors = count_descriptors();

    inside()->at_once = at_once;
    loader->ahead(loader->user, request, n);
    cr_expect_not(has_children());
    cr_expect_eq(count_descriptors(), descriptors);
}

/// Every compiler waits for another one; alone it fails.
Test(ahead, compilers_run_at_the_same_time)
{
    made_kernel made[2];

    set_command("touch $0.$$; for k in $(seq 2000); do [ $(ls $0.* | wc -l) -ge 2 ] && "
                "exec cc \"$@\"; sleep 0.01; done; exit 1");
    open_again();
    get(made, 2, 2);
    cr_expect_eq(compilations(), 2);
    for (int k = 0; k < 2; k++) {
        cr_expect_not(was_cached(&made[k]), "the first who asks is told");
        cr_expect(was_cached(&made[k]));
    }
    cr_expect_eq(compilations(), 2);
}

/// As OMP_PROC_BIND has it: the thread that asks stands on one core of several.
Test(ahead, compilers_run_on_all_cores_of_the_device)
{
    made_kernel made[2];
    cpu_set_t   before, one, after;
    char        text[256];
    int         first = 0;

    cr_assert_eq(sched_getaffinity(0, sizeof before, &before), 0);
    while (!CPU_ISSET((size_t)first, &before))
        first++;
    CPU_ZERO(&one);
    CPU_SET((size_t)first, &one);
    snprintf(text, sizeof text,
             "unset OMP_NUM_THREADS OMP_THREAD_LIMIT\n"
             "[ $(nproc) = %d ] && exec cc \"$@\"",
             CPU_COUNT(&before));
    set_command(text);
    open_again();
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    get(made, 2, 2);
    cr_expect_eq(sched_getaffinity(0, sizeof after, &after), 0);
    cr_expect(CPU_EQUAL(&one, &after), "the caller stays where it was");
    sched_setaffinity(0, sizeof before, &before);
    for (int k = 0; k < 2; k++)
        cr_expect_not(was_cached(&made[k]));
    cr_expect_eq(compilations(), 2);
}

Test(ahead, no_more_run_than_there_are_cores)
{
    made_kernel made[KERNELS];

    set_command("mkdir $0.alone || exit 1; sleep 0.05; cc \"$@\"; rmdir $0.alone");
    open_again();
    get(made, KERNELS, 1);
    for (int k = 0; k < KERNELS; k++)
        cr_expect_not(was_cached(&made[k]));
    cr_expect_eq(compilations(), KERNELS);
}

Test(ahead, what_is_there_is_not_compiled_again)
{
    made_kernel          made[KERNELS], twice = make_kernel(9);
    cairn_kernel_request request[] = {request_of(&twice), request_of(&twice),
                                      request_of(&made[0])};

    get(made, KERNELS, 2);
    get(made, KERNELS, 2);
    cr_expect_eq(compilations(), KERNELS);
    open_again();
    get(made, KERNELS, 2);
    cr_expect_eq(compilations(), KERNELS);
    cr_expect(was_cached(&made[0]));
    request[2]         = request_of(&made[0]);
    request[2].key     = "test: only at hand";
    request[2].at_hand = true;
    loader->ahead(loader->user, request, 3);
    cr_expect_eq(compilations(), KERNELS + 1);
    cr_expect_not(was_cached(&twice));
}

Test(ahead, more_than_stay_loaded_are_in_the_cache)
{
    made_kernel made[KERNELS];

    inside()->idle = CAIRN_CPU_IDLE - 1; /* as if others were */
    get(made, KERNELS, 4);
    inside()->idle -= CAIRN_CPU_IDLE - 1;
    for (int k = 0; k < KERNELS; k++)
        was_cached(&made[k]);
    cr_expect_eq(compilations(), KERNELS);
}

Test(ahead, failures_are_told_once_each)
{
    made_kernel made[2];

    set_command("echo 'no licence' >&2; exit 3");
    open_again();
    get(made, 2, 2);
    cr_expect_eq(compilations(), 2);
    expect_refused(&made[1], "it ended with 3: no licence");
    expect_refused(&made[0], "it ended with 3: no licence");
    cr_expect_eq(compilations(), 2, "not tried twice for one who asks");
    set_command("exec cc \"$@\"");
    cr_expect_not(was_cached(&made[0]), "but for the next");
}

Test(ahead, a_killed_compiler_leaves_the_others)
{
    made_kernel made[2];

    set_command("mkdir $0.first 2>/dev/null && kill -9 $$; exec cc \"$@\"");
    open_again();
    get(made, 2, 2);
    int refused = 0;

    for (int k = 0; k < 2; k++) {
        const cairn_kernel_request request = request_of(&made[k]);
        cairn_kernel               kernel  = {0};

        if (loader->load(loader->user, &request, &kernel) == CAIRN_OK)
            release(&kernel);
        else
            refused += strstr(env.message, "killed by signal 9") != NULL;
    }
    cr_expect_eq(refused, 1);
    cr_expect_eq(compilations(), 2);
}

Test(ahead, hanging_compilers_take_one_limit)
{
    const double begin = cairn_seconds();
    made_kernel  made[KERNELS];

    set_command("sleep 1000");
    open_again();
    inside()->compiler.time_limit = 5;
    get(made, KERNELS, KERNELS);
    cr_expect_lt(cairn_seconds() - begin, 5 * KERNELS, "one after the other");
    for (int k = 0; k < KERNELS; k++)
        expect_refused(&made[k], "had not finished after 5 s");
}

Test(ahead, missing_compiler_is_told)
{
    made_kernel made[2];

    snprintf(env.options.cc, sizeof env.options.cc, "/nonexistent/cc");
    open_again();
    get(made, 2, 2);
    expect_refused(&made[0], "no such command");
    expect_refused(&made[1], "no such command");
}

Test(ahead, works_without_a_cache)
{
    made_kernel made[KERNELS];

    snprintf(env.options.cache, sizeof env.options.cache, "/dev/null/cache");
    open_again();
    get(made, KERNELS, 2);
    cr_expect_eq(compilations(), KERNELS);
    for (int k = 0; k < KERNELS; k++)
        cr_expect_not(was_cached(&made[k]));
    cr_expect_eq(compilations(), KERNELS);
}

/// What another process is at is left to load(), without a wait.
Test(ahead, waits_for_no_other_process)
{
    made_kernel      made[2];
    cairn_cache      cache;
    cairn_cache_lock lock;
    char            *key;

    made[0]                            = make_kernel(2);
    const cairn_kernel_request request = request_of(&made[0]);

    cr_assert_eq(cairn_cpu_kernels_key(inside(), &request, &key), CAIRN_OK);
    cairn_cache_open(&env, &cache);
    cr_assert(cairn_cache_try_lock(&cache, key, &lock) && lock.fd >= 0);
    get(made, 2, 2);
    cr_expect_eq(compilations(), 1);
    cr_expect_not(made[0].printed);
    cairn_cache_unlock(&lock);
    cairn_cache_close(&cache);
    cairn_free(&env, key);
    cr_expect_not(was_cached(&made[0]));
    cr_expect_eq(compilations(), 2);
}

/// Get all, in an order of its own, and run them; the status says if that was right.
static void child_gets(int number)
{
    cairn_kernel_request       request[KERNELS];
    made_kernel                made[KERNELS];
    cairn_devices             *mine = NULL;
    const cairn_kernel_loader *theirs;

    if (cairn_devices_open(&env, "--devices", "cpu", &mine) != CAIRN_OK
        || cairn_device_kernels(&mine->device[0], &theirs) != CAIRN_OK)
        _exit(8);
    for (int k = 0; k < KERNELS; k++) {
        made[k]    = make_kernel(2 + (k + number) % KERNELS);
        request[k] = request_of(&made[k]);
    }
    ((cairn_cpu_kernels *)theirs->user)->at_once = 2;
    theirs->ahead(theirs->user, request, KERNELS);
    for (int k = 0; k < KERNELS; k++) {
        cairn_kernel kernel = {0};

        if (theirs->load(theirs->user, &request[k], &kernel) != CAIRN_OK) _exit(7);
        if (((made_fn)kernel.run)(4) != 6 * made[k].factor) _exit(6);
    }
    _exit(0);
}

Test(ahead, of_many_processes_one_compiles_each)
{
    pid_t child[8];

    close_loader();
    for (int k = 0; k < 8; k++) {
        child[k] = fork();
        if (child[k] == 0) child_gets(k);
    }
    for (int k = 0; k < 8; k++) {
        int status;

        cr_assert_eq(waitpid(child[k], &status, 0), child[k]);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child %d: %x", k,
                  status);
    }
    cr_expect_eq(compilations(), KERNELS);
    open_loader();
}

/// Without a block something is left out, and load() makes it.
Test(ahead, survives_every_failed_allocation)
{
    made_kernel made[2];
    bool        enough = false;

    for (long allowed = 0; !enough; allowed++) {
        char remove[96];

        snprintf(remove, sizeof remove, "rm -rf '%s'", env.options.cache);
        cr_assert_eq(system(remove), 0);
        open_again();
        env.allowed = allowed;
        get(made, 2, 2);
        enough      = env.allowed > 0;
        env.allowed = -1;
        for (int k = 0; k < 2; k++)
            was_cached(&made[k]);
        cr_assert_lt(allowed, 200, "never succeeds");
    }
    cr_expect_gt(compilations(), 4);
}
