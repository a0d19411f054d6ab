// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Runs the tests of a program under MPI, all in one launch:
///     test_mpi_SUITE [--only NAME | --without NAME]
/// Criterion gives each test a process of its own, and a rank can join a job only once, so
/// that with its runner a launch could run a single test; a launch takes longer than most
/// tests. Its macros stay, and what they call is defined here, before its library. A
/// verdict of ON_ALL_RANKS ends the test on all ranks, and the next begins; an assertion
/// that fails on one rank, where others may wait for it, ends the job.

#include <criterion/criterion.h>
#include <mpi.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* Where the macros Test and TestSuite put what they declare: the linker's names. */
extern struct criterion_test  *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[], *__stop_cr_sts[];

static struct criterion_test *now; ///< The test that runs.
static int                    rank, failures, skipped;
static jmp_buf                out_of_test;

static const struct criterion_test_extra_data *suite_of(const struct criterion_test *t)
{
    static const struct criterion_test_extra_data none;

    for (struct criterion_suite **s = __start_cr_sts; s < __stop_cr_sts; s++)
        if (*s && strcmp((*s)->name, t->category) == 0) return (*s)->data;
    return &none;
}

/* ---- how ranks wait ---- */

atomic_int mpi_naps; ///< For the test of this.

/// What Open MPI calls between two looks for a message, in place of the C library's, which
/// returns at once where nothing else is to run and by which ranks that wait take turns with
/// those that work: here they sleep.
int sched_yield(void)
{
    mpi_naps++;
    return nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

/* ---- what the macros call ---- */

void criterion_internal_test_setup(void)
{
    if (suite_of(now)->init) suite_of(now)->init();
    if (now->data->init) now->data->init();
}

void criterion_internal_test_main(void (*fn)(void))
{
    fn();
}

void criterion_internal_test_teardown(void)
{
    if (now->data->fini) now->data->fini();
    if (suite_of(now)->fini) suite_of(now)->fini();
}

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (stats->passed) return;
    failures++;
    printf("%s:%u: Assertion Failed: %s/%s: rank %d: %s\n", stats->file, stats->line,
           now->category, now->name, rank, stats->message);
    fflush(stdout);
}

void cri_asserts_passed_incr(void)
{
}

void criterion_continue_test(void)
{
}

void criterion_abort_test(void)
{
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

/* All ranks call it: data are there for all or for none. */
void criterion_skip_test(const char *format, ...)
{
    va_list words;

    va_start(words, format);
    if (rank == 0) {
        printf("%s/%s: skipped: ", now->category, now->name);
        vprintf(format, words);
        printf("\n");
    }
    va_end(words);
    skipped++;
    longjmp(out_of_test, 1);
}

/* ---- the runner ---- */

/// Run a test. A skipped one has its fixture taken down too.
static void run(struct criterion_test *test)
{
    const double begin  = MPI_Wtime();
    const int    before = failures;

    now = test;
    if (setjmp(out_of_test) == 0)
        test->test();
    else
        criterion_internal_test_teardown();
    if (rank == 0)
        printf("%s/%s: %s (%.2f s)\n", test->category, test->name,
               failures > before ? "failed here" : "done", MPI_Wtime() - begin);
    fflush(stdout);
}

static bool wanted(const struct criterion_test *test, int argc, char **argv)
{
    if (argc < 3) return true;
    return (strcmp(argv[1], "--only") == 0) == (strcmp(argv[2], test->name) == 0);
}

int main(int argc, char **argv)
{
    int tested = 0, all = 0;

    prctl(PR_SET_TIMERSLACK, 1UL); /* else Linux wakes after 70 us who asked for 20 */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (struct criterion_test **t = __start_cr_tst; t < __stop_cr_tst; t++)
        if (*t && wanted(*t, argc, argv)) {
            run(*t);
            tested++;
        }
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("Tested: %d | Skipped: %d | Failed assertions: %d\n", tested, skipped,
               all);
    MPI_Finalize();
    /* What MPI's modules keep has no name any more by which a leak checker could be told
       to pass over it. The library's own blocks are counted by every test. */
    fflush(NULL);
    _exit(all > 0 || tested == 0);
}
