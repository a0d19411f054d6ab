// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Who warms a cache and goes where no compiler is misses nothing there: matrices of a few
/// entries and of more than a core's cache has room for, a solver's arrays among them, on
/// one thread and on two.

#include "support/api.h"

static cairn_context *context;
static char           cache[64];

/// A context that must compile, or find in the cache, all that it runs.
static void begin(void)
{
    setenv("CAIRN_CACHE", cache, 1);
    setenv("CAIRN_KERNELS", "compiled", 1);
    MUST(NULL, cairn_context_create(&context));
}

static void warm(const char *text, int64_t side)
{
    const cairn_kernel_target target = {
        .size   = sizeof(cairn_kernel_target),
        .dtype  = CAIRN_F64,
        .extent = {side, side}
    };
    cairn_kernel_counts counts = CAIRN_KERNEL_COUNTS;
    cairn_format       *format;

    begin();
    format = must_format(context, text);
    MUST(context, cairn_kernels_precompile(context, format, NULL, &target, &counts));
    cairn_format_destroy(&format);
    cairn_context_destroy(&context);
}

/// Degree entries in each row, as a file has them, or in the arrays of a solver.
typedef struct {
    int64_t side, degree;
    bool    solvers;
    int     threads;
} matrix;

static cairn_tensor *from_coords(const matrix *m, cairn_format *rows)
{
    const int64_t n        = m->side * m->degree;
    const int64_t extent[] = {m->side, m->side};
    int64_t      *coord    = malloc((size_t)n * sizeof *coord * 2);
    cairn_source *source;
    cairn_tensor *stored;

    for (int64_t k = 0; k < n; k++) {
        coord[2 * k]     = k / m->degree;
        coord[2 * k + 1] = k % m->degree * (m->side / m->degree);
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, NULL,
                                           CAIRN_BY_NNZ, &source));
    MUST(context, cairn_tensor_create(source, rows, CAIRN_F64, &stored));
    cairn_source_destroy(&source);
    free(coord);
    return stored;
}

static cairn_tensor *from_solver(const matrix *m, cairn_format *rows)
{
    const int64_t n   = m->side * m->degree;
    int64_t      *ptr = malloc((size_t)(m->side + 1) * sizeof *ptr);
    int64_t      *idx = malloc((size_t)n * sizeof *idx);
    double       *val = malloc((size_t)n * sizeof *val);
    cairn_tensor *stored;

    for (int64_t k = 0; k < n; k++) {
        idx[k] = k % m->degree * (m->side / m->degree);
        val[k] = (double)(k + 1);
    }
    for (int64_t i = 0; i <= m->side; i++)
        ptr[i] = i * m->degree;
    MUST(context,
         cairn_tensor_from_csr(context, m->side, m->side, 0, m->side, ptr, 64, idx, 64,
                               val, CAIRN_F64, CAIRN_COPY, rows, &stored));
    free(ptr);
    free(idx);
    free(val);
    return stored;
}

static void check_convert(const matrix *m, const char *text)
{
    cairn_format *rows, *format;
    cairn_tensor *given, *made = NULL;

    begin();
    cairn_context_set_threads(context, m->threads);
    rows   = must_format(context, "csr");
    format = must_format(context, text);
    given  = m->solvers ? from_solver(m, rows) : from_coords(m, rows);
    cr_expect_eq(cairn_tensor_convert(given, format, &made), CAIRN_OK,
                 "%" PRId64 " a row, solver's: %d, threads: %d, to %s: %s", m->degree,
                 m->solvers, m->threads, text, cairn_context_message(context));
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&given);
    cairn_format_destroy(&format);
    cairn_format_destroy(&rows);
    cairn_context_destroy(&context);
}

Test(warm, no_conversion_waits_for_a_compiler, .timeout = 240)
{
    enum { SIDE = 6000 };
    static const char *const formats[] = {
        "csr", "csc", "dcsr", "bcsr<2,2>", "ell", "hybrid<bdia<4>,csr,0.6>"};
    char *path = strdup(getenv("PATH"));
    char  remove[96];

    scratch_create(cache);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        warm(formats[k], SIDE);
    setenv("PATH", "/nonexistent", 1);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        for (int way = 0; way < 8; way++)
            check_convert(&(matrix){.side    = SIDE,
                                    .degree  = way & 1 ? 200 : 2,
                                    .solvers = way & 2,
                                    .threads = way & 4 ? 2 : 1},
                          formats[k]);
    setenv("PATH", path, 1);
    free(path);
    snprintf(remove, sizeof remove, "rm -rf '%s'", cache);
    cr_expect_eq(system(remove), 0);
}
