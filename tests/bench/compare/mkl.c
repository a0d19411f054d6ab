// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// oneMKL's inspector and executor, opened when the program runs: it is never needed to
/// build, and what is declared here is all that is used of it. Products with and without
/// the inspector's hints; conversions between handles. Its threads are those of libgomp,
/// which the other libraries have, too: two runtimes would spin beside each other.

#include "compare.h"

#include <dlfcn.h>

typedef struct mkl_matrix *handle;

enum { OK = 0, ZERO_BASED = 0, AS_IS = 10, TRANSPOSED = 11, ROW_MAJOR = 101 };
enum { GENERAL = 20, UPPER = 41, NON_UNIT = 50, CONVERT_FREELY = 81 };
enum { LP64 = 0, GNU_THREADS = 3 };

typedef struct {
    int type, mode, diagonal;
} descr;

typedef int create_csr(handle *, int, int, int, int *, int *, int *, void *);
typedef int create_coo(handle *, int, int, int, int, int *, int *, void *);
typedef int export_csr(handle, int *, int *, int *, int **, int **, int **, double **);
typedef int multiply64(int, double, handle, descr, const void *, double, void *);
typedef int multiply32(int, float, handle, descr, const void *, float, void *);
typedef int
columns64(int, double, handle, descr, int, const void *, int, int, double, void *, int);
typedef int
columns32(int, float, handle, descr, int, const void *, int, int, float, void *, int);

/// The functions of the library that are used, by name.
static struct {
    int (*set_layer)(int);
    int (*set_threading)(int);
    void (*set_threads)(int);
    void (*version)(char *, int);
    create_csr *create_csr64, *create_csr32;
    create_coo *create_coo64;
    int (*hint_vector)(handle, int, descr, int);
    int (*hint_columns)(handle, int, descr, int, int, int);
    int (*hint_memory)(handle, int);
    int (*optimize)(handle);
    multiply64 *mv64;
    multiply32 *mv32;
    columns64  *mm64;
    columns32  *mm32;
    int (*to_csr)(handle, int, handle *);
    int (*to_coo)(handle, int, handle *);
    int (*to_bsr)(handle, int, int, int, handle *);
    export_csr *get_csr;
    int (*get_coo)(handle, int *, int *, int *, int *, int **, int **, double **);
    int (*get_bsr)(handle,
                   int *,
                   int *,
                   int *,
                   int *,
                   int *,
                   int **,
                   int **,
                   int **,
                   double **);
    int (*destroy)(handle);
} mkl;

static const descr general = {GENERAL, UPPER, NON_UNIT};

typedef struct {
    const compare_task *task;
    handle              a, made;
} state;

static handle wrap_csr(const compare_task *t)
{
    const compare_matrix *m   = t->matrix;
    const bool            f64 = t->dtype == CAIRN_F64;
    handle                a   = NULL;

    return (f64 ? mkl.create_csr64 : mkl.create_csr32)(&a, ZERO_BASED, m->rows, m->cols,
                                                       m->ptr, m->ptr + 1, m->idx,
                                                       f64 ? (void *)m->val : m->val32)
                   == OK
               ? a
               : NULL;
}

static handle wrap_coo(const compare_task *t)
{
    const compare_matrix *m   = t->matrix;
    const bool            any = t->operation == COO_TO_CSR;
    handle                a   = NULL;

    return mkl.create_coo64(&a, ZERO_BASED, m->rows, m->cols, m->nnz,
                            any ? m->any.row : m->row, any ? m->any.col : m->idx,
                            any ? m->any.val : m->val)
                   == OK
               ? a
               : NULL;
}

/// Tell the inspector what comes: as many products as pay for anything it may do.
static bool inspect(state *s)
{
    enum { PRODUCTS = 10000 };
    const int columns = s->task->columns;
    int       failed;

    if (columns == 1)
        failed = mkl.hint_vector(s->a, AS_IS, general, PRODUCTS);
    else
        failed = mkl.hint_columns(s->a, AS_IS, general, ROW_MAJOR, columns, PRODUCTS);
    failed = failed || mkl.hint_memory(s->a, CONVERT_FREELY);
    return mkl.optimize(s->a) == OK && !failed;
}

static void *prepare(const compare_way *way, const compare_task *task)
{
    const bool coo = task->operation == ROWS_TO_CSR || task->operation == COO_TO_CSR;
    state     *s   = compare_take(1, sizeof *s);

    *s   = (state){.task = task};
    s->a = coo ? wrap_coo(task) : wrap_csr(task);
    if (s->a && way->number) inspect(s); /* what it refuses it does without hints */
    if (s->a) return s;
    free(s);
    return NULL;
}

static int multiply(const state *s)
{
    const compare_task *t = s->task;
    const int           k = t->columns;

    if (t->dtype == CAIRN_F64)
        return k == 1 ? mkl.mv64(AS_IS, 1, s->a, general, t->x, 0, t->y)
                      : mkl.mm64(AS_IS, 1, s->a, general, ROW_MAJOR, t->x, k, k, 0,
                                 t->y, k);
    return k == 1
               ? mkl.mv32(AS_IS, 1, s->a, general, t->x, 0, t->y)
               : mkl.mm32(AS_IS, 1, s->a, general, ROW_MAJOR, t->x, k, k, 0, t->y, k);
}

static double run(void *given)
{
    const state *const s     = given;
    const double       begin = bench_seconds();

    return multiply(s) == OK ? bench_seconds() - begin : -1;
}

static void result(void *given, compare_result *result)
{
    const compare_task *const t = ((const state *)given)->task;
    const int64_t             n = (int64_t)t->matrix->rows * t->columns;

    for (int64_t k = 0; k < n; k++)
        result->y[k] = t->dtype == CAIRN_F64 ? ((const double *)t->y)[k]
                                             : ((const float *)t->y)[k];
}

static void destroy(void *given)
{
    state *s = given;

    if (s->made) mkl.destroy(s->made);
    mkl.destroy(s->a);
    free(s);
}

static int convert(state *s)
{
    switch (s->task->operation) {
    case CSR_TO_CSC: return mkl.to_csr(s->a, TRANSPOSED, &s->made);
    case CSR_TO_BCSR: return mkl.to_bsr(s->a, 3, ROW_MAJOR, AS_IS, &s->made);
    case CSR_TO_COO: return mkl.to_coo(s->a, AS_IS, &s->made);
    default: return mkl.to_csr(s->a, AS_IS, &s->made);
    }
}

static double run_conversion(void *given)
{
    state *const s = given;
    double       begin;

    if (s->made) mkl.destroy(s->made);
    s->made = NULL;
    begin   = compare_begin();
    return convert(s) == OK ? bench_seconds() - begin : -1;
}

static void show_csr(const state *s, compare_result *result)
{
    const bool turned = s->task->operation == CSR_TO_CSC;
    int        base, rows, cols, *begin, *end, *idx;
    double    *val;

    if (mkl.get_csr(s->made, &base, &rows, &cols, &begin, &end, &idx, &val) != OK)
        return;
    for (int i = 0; i < rows; i++)
        for (int p = begin[i] - base; p < end[i] - base; p++)
            compare_see(result, turned ? idx[p] - base : i, turned ? i : idx[p] - base,
                        val[p]);
}

static void show_coo(const state *s, compare_result *result)
{
    int     base, rows, cols, nnz, *row, *col;
    double *val;

    if (mkl.get_coo(s->made, &base, &rows, &cols, &nnz, &row, &col, &val) != OK) return;
    for (int p = 0; p < nnz; p++)
        compare_see(result, row[p] - base, col[p] - base, val[p]);
}

static void show_bsr(const state *s, compare_result *result)
{
    int     base, layout, rows, cols, size, *begin, *end, *idx;
    double *val;

    if (mkl.get_bsr(s->made, &base, &layout, &rows, &cols, &size, &begin, &end, &idx,
                    &val)
        != OK)
        return;
    for (int i = 0; i < rows; i++)
        for (int p = begin[i] - base; p < end[i] - base; p++)
            for (int k = 0; k < size * size; k++)
                compare_see(result, (int64_t)i * size + k / size,
                            (int64_t)(idx[p] - base) * size + k % size,
                            val[(int64_t)p * size * size + k]);
}

static void show_conversion(void *given, compare_result *result)
{
    switch (((const state *)given)->task->operation) {
    case CSR_TO_BCSR: show_bsr(given, result); break;
    case CSR_TO_COO: show_coo(given, result); break;
    default: show_csr(given, result);
    }
}

#define MKL_PRODUCT(text, hints)                                                 \
    {                                                                            \
        .name = text, .operations = BIT(PRODUCT),                                \
        .dtypes = BIT(CAIRN_F64) | BIT(CAIRN_F32), .csr = true, .number = hints, \
        .prepare = prepare, .run = run, .result = result, .destroy = destroy     \
    }

static const compare_way ways[] = {
    MKL_PRODUCT("CSR, inspected", 1),
    MKL_PRODUCT("CSR, no hints", 0),
    {.name       = "convert_csr, _bsr, _coo",
                          .operations = BIT(CSR_TO_CSC) | BIT(ROWS_TO_CSR) | BIT(COO_TO_CSR)
                   | BIT(CSR_TO_BCSR) | BIT(CSR_TO_COO),
                          .dtypes  = BIT(CAIRN_F64),
                          .prepare = prepare,
                          .run     = run_conversion,
                          .result  = show_conversion,
                          .destroy = destroy},
};

static bool find_all(void *library)
{
    const struct {
        const char *name;
        void       *function; ///< A pointer to the pointer.
    } list[] = {
        {"MKL_Set_Interface_Layer",    &mkl.set_layer    },
        {"MKL_Set_Threading_Layer",    &mkl.set_threading},
        {"MKL_Set_Num_Threads",        &mkl.set_threads  },
        {"MKL_Get_Version_String",     &mkl.version      },
        {"mkl_sparse_d_create_csr",    &mkl.create_csr64 },
        {"mkl_sparse_s_create_csr",    &mkl.create_csr32 },
        {"mkl_sparse_d_create_coo",    &mkl.create_coo64 },
        {"mkl_sparse_set_mv_hint",     &mkl.hint_vector  },
        {"mkl_sparse_set_mm_hint",     &mkl.hint_columns },
        {"mkl_sparse_set_memory_hint", &mkl.hint_memory  },
        {"mkl_sparse_optimize",        &mkl.optimize     },
        {"mkl_sparse_d_mv",            &mkl.mv64         },
        {"mkl_sparse_s_mv",            &mkl.mv32         },
        {"mkl_sparse_d_mm",            &mkl.mm64         },
        {"mkl_sparse_s_mm",            &mkl.mm32         },
        {"mkl_sparse_convert_csr",     &mkl.to_csr       },
        {"mkl_sparse_convert_coo",     &mkl.to_coo       },
        {"mkl_sparse_convert_bsr",     &mkl.to_bsr       },
        {"mkl_sparse_d_export_csr",    &mkl.get_csr      },
        {"mkl_sparse_d_export_coo",    &mkl.get_coo      },
        {"mkl_sparse_d_export_bsr",    &mkl.get_bsr      },
        {"mkl_sparse_destroy",         &mkl.destroy      },
    };

    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        void *const found = dlsym(library, list[k].name);

        if (!found) return false;
        memcpy(list[k].function, &found, sizeof found);
    }
    return true;
}

static bool begin(int threads, char *version, int room)
{
    const char *path = getenv("BENCH_MKL"), *at;
    char        text[256];
    void *const library = dlopen(path ? path : COMPARE_MKL, RTLD_LAZY | RTLD_LOCAL);

    if (!library || !find_all(library)) return false;
    mkl.set_layer(LP64);
    mkl.set_threading(GNU_THREADS);
    mkl.set_threads(threads);
    mkl.version(text, sizeof text);
    text[sizeof text - 1] = '\0';
    at                    = strstr(text, "Version ");
    snprintf(version, (size_t)room, "%.20s", at ? at + 8 : text);
    return true;
}

const compare_peer compare_mkl = {.name  = "MKL",
                                  .begin = begin,
                                  .ways  = ways,
                                  .count = sizeof ways / sizeof *ways};
