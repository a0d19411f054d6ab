// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// SciPy, in a process of its own that lives as long as the task: it is handed the arrays
/// in a file, told when to run, and says how long that took by its own clock
/// (scipy_peer.py).

#include "compare.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

typedef struct {
    const compare_task *task;
    pid_t               process;
    FILE               *to, *from;
    char                file[64]; ///< The arrays.
} state;

static const char *const verbs[OPERATIONS] = {
    [PRODUCT] = "product",    [CSR_TO_CSC] = "csr-csc",  [ROWS_TO_CSR] = "coo-csr",
    [COO_TO_CSR] = "coo-csr", [ROWS_TO_DIA] = "coo-dia", [CSR_TO_BCSR] = "csr-bcsr",
};

static bool start(state *s, const char *argument)
{
    char *const                argv[] = {(char[]){COMPARE_PYTHON},
                                         (char[]){BENCH_SOURCE "/compare/scipy_peer.py"},
                                         (char *)(uintptr_t)argument, NULL};
    int                        in[2], out[2], failed;
    posix_spawn_file_actions_t actions;

    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
        compare_stop("pipe", "cannot be made");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    failed = posix_spawn(&s->process, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    s->to   = fdopen(in[1], "w");
    s->from = fdopen(out[0], "r");
    return !failed && s->to && s->from;
}

static void stop(state *s)
{
    if (s->to) fclose(s->to); /* it ends when nothing comes any more */
    if (s->from) fclose(s->from);
    if (s->process > 0) waitpid(s->process, NULL, 0);
    if (*s->file) unlink(s->file);
    free(s);
}

/// Say something, and hear the answer's first word.
static bool ask(state *s, const char *word, char *answer, int room)
{
    fprintf(s->to, "%s\n", word);
    return fflush(s->to) == 0 && fgets(answer, room, s->from);
}

static void put(FILE *file, const void *array, size_t count, size_t size)
{
    if (fwrite(array, size, count, file) != count)
        compare_stop("SciPy's arrays", "cannot be written");
}

/// The head (text, 256 bytes), then the arrays.
static void write_arrays(state *s)
{
    const compare_task   *t   = s->task;
    const compare_matrix *m   = t->matrix;
    const bool            f64 = t->dtype == CAIRN_F64;
    const bool coo = t->operation == ROWS_TO_CSR || t->operation == COO_TO_CSR
                     || t->operation == ROWS_TO_DIA;
    const bool   any       = t->operation == COO_TO_CSR;
    const size_t n         = (size_t)m->nnz;
    char         head[256] = "";
    int          out;
    FILE        *file;

    snprintf(s->file, sizeof s->file, "/dev/shm/compare-scipy-XXXXXX");
    out  = mkstemp(s->file);
    file = out < 0 ? NULL : fdopen(out, "w");
    if (!file) compare_stop(s->file, "cannot be made");
    snprintf(head, sizeof head, "%s %d %d %d %d %d %s\n", verbs[t->operation], m->rows,
             m->cols, m->nnz, t->columns, m->block, f64 ? "f8" : "f4");
    put(file, head, sizeof head, 1);
    if (coo)
        put(file, any ? m->any.row : m->row, n, sizeof(int32_t));
    else
        put(file, m->ptr, (size_t)m->rows + 1, sizeof(int32_t));
    put(file, any ? m->any.col : m->idx, n, sizeof(int32_t));
    put(file, f64 ? (void *)(any ? m->any.val : m->val) : m->val32, n, f64 ? 8 : 4);
    if (t->operation == PRODUCT)
        put(file, t->x, (size_t)m->cols * (size_t)t->columns, f64 ? 8 : 4);
    if (fclose(file)) compare_stop(s->file, "cannot be written");
}

static void *prepare(const compare_way *way, const compare_task *task)
{
    state *s;
    char   answer[128];

    (void)way;
    s  = compare_take(1, sizeof *s);
    *s = (state){.task = task};
    write_arrays(s);
    if (start(s, s->file) && fgets(answer, sizeof answer, s->from)) return s;
    stop(s);
    return NULL;
}

static double run(void *given)
{
    char answer[128];

    return ask(given, "run", answer, sizeof answer) ? atof(answer) : -1;
}

static void get_product(state *s, compare_result *result)
{
    const compare_task *t   = s->task;
    const bool          f64 = t->dtype == CAIRN_F64;
    const size_t        n   = (size_t)t->matrix->rows * (size_t)t->columns;

    if (fread(t->y, f64 ? 8 : 4, n, s->from) != n) return;
    for (size_t k = 0; k < n; k++)
        result->y[k] = f64 ? ((const double *)t->y)[k] : ((const float *)t->y)[k];
}

static void result(void *given, compare_result *result)
{
    state *const s = given;
    char         answer[128];

    if (!ask(s, "result", answer, sizeof answer)) return;
    if (s->task->operation == PRODUCT)
        get_product(s, result);
    else {
        long long          entries = 0;
        unsigned long long sum     = 0;

        sscanf(answer, "%lld %llu", &entries, &sum);
        result->entries = entries;
        result->sum     = sum;
    }
}

static void destroy(void *given)
{
    stop(given);
}

static const compare_way ways[] = {
    {.name       = "CSR @ x",
     .operations = BIT(PRODUCT),
     .dtypes     = BIT(CAIRN_F64) | BIT(CAIRN_F32),
     .csr        = true,
     .prepare    = prepare,
     .run        = run,
     .result     = result,
     .destroy    = destroy},
    {.name       = "tocsc, tocsr, todia, tobsr",
     .operations = BIT(CSR_TO_CSC) | BIT(ROWS_TO_CSR) | BIT(COO_TO_CSR)
                   | BIT(ROWS_TO_DIA) | BIT(CSR_TO_BCSR),
     .dtypes  = BIT(CAIRN_F64),
     .prepare = prepare,
     .run     = run,
     .result  = result,
     .destroy = destroy   },
};

static bool begin(int threads, char *version, int room)
{
    state s = {0};
    char  answer[64];
    bool  there;

    (void)threads; /* its sparse products have none */
    signal(SIGPIPE, SIG_IGN);
    there = start(&s, "version") && fgets(answer, sizeof answer, s.from);
    if (there) {
        answer[strcspn(answer, "\n")] = '\0';
        snprintf(version, (size_t)room, "%s", answer);
    }
    if (s.to) fclose(s.to);
    if (s.from) fclose(s.from);
    if (s.process > 0) waitpid(s.process, NULL, 0);
    return there;
}

const compare_peer compare_scipy = {.name  = "SciPy",
                                    .begin = begin,
                                    .ways  = ways,
                                    .count = sizeof ways / sizeof *ways};
