// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// MLIR's sparsifier: a product as linalg.generic over a CSR tensor, compiled by the
/// installed mlir-opt, opt and llc for each matrix (a sparse tensor that is put together
/// from arrays has a static shape), once in scalars and once in vectors.

#include "compare.h"

#include <dlfcn.h>

/// A tensor as compiled code has it.
typedef struct {
    void   *base, *data;
    int64_t offset, size[1], stride[1];
} vector;

typedef struct {
    void   *base, *data;
    int64_t offset, size[2], stride[2];
} matrix;

typedef void (*product)(void *, vector *, vector *, vector *, void *, void *);

typedef struct {
    const compare_task *task;
    void               *library;
    char                file[128]; ///< Of the library: each has a name of its own.
    product             run;
    vector              ptr, idx, val, x, y;
    matrix              dense_x, dense_y;
} state;

static char folder[64];
static int  libraries;

/// The iteration spaces of a product with one column, and with several.
static const char *const maps[2] = {
    "affine_map<(i,j) -> (i,j)>, affine_map<(i,j) -> (j)>, affine_map<(i,j) -> (i)> ],"
    " iterator_types = [\"parallel\", \"reduction\"]",
    "affine_map<(i,j,k) -> (i,j)>, affine_map<(i,j,k) -> (j,k)>,"
    " affine_map<(i,j,k) -> (i,k)> ],"
    " iterator_types = [\"parallel\", \"reduction\", \"parallel\"]"};

static void print_source(FILE *file, const compare_task *t)
{
    const char *const type = t->dtype == CAIRN_F64 ? "f64" : "f32";
    char              a[80], x[80], y[80], wide[16] = "";

    if (t->columns > 1) snprintf(wide, sizeof wide, "%dx", t->columns);
    snprintf(a, sizeof a, "tensor<%dx%dx%s, #csr>", t->matrix->rows, t->matrix->cols,
             type);
    snprintf(x, sizeof x, "tensor<%dx%s%s>", t->matrix->cols, wide, type);
    snprintf(y, sizeof y, "tensor<%dx%s%s>", t->matrix->rows, wide, type);
    fprintf(
        file,
        "#csr = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed),"
        " posWidth = 32, crdWidth = 32 }>\n"
        "#maps = { indexing_maps = [ %s }\n",
        maps[t->columns > 1]);
    fprintf(file,
            "func.func @product(%%ptr: tensor<?xi32>, %%idx: tensor<?xi32>,"
            " %%val: tensor<?x%s>, %%x: %s, %%y: %s {bufferization.writable = true})"
            " -> %s attributes { llvm.emit_c_interface } {\n",
            type, x, y, y);
    fprintf(file,
            "  %%A = sparse_tensor.assemble (%%ptr, %%idx), %%val :"
            " (tensor<?xi32>, tensor<?xi32>), tensor<?x%s> to %s\n",
            type, a);
    fprintf(file,
            "  %%0 = linalg.generic #maps ins(%%A, %%x : %s, %s) outs(%%y : %s) {\n", a,
            x, y);
    fprintf(file,
            "  ^bb0(%%a: %s, %%b: %s, %%c: %s):\n"
            "    %%m = arith.mulf %%a, %%b : %s\n"
            "    %%s = arith.addf %%c, %%m : %s\n"
            "    linalg.yield %%s : %s\n"
            "  } -> %s\n  return %%0 : %s\n}\n",
            type, type, type, type, type, type, y, y);
}

static bool write_source(const compare_task *t)
{
    char  path[128];
    FILE *file;

    snprintf(path, sizeof path, "%s/product.mlir", folder);
    file = fopen(path, "w");
    if (!file) return false;
    print_source(file, t);
    return fclose(file) == 0;
}

/// Compile the source for vectors of @p lanes elements (0: none), and load it.
static void compile(state *s, int lanes)
{
    char command[1024];

    snprintf(s->file, sizeof s->file, "%s/product-%d.so", folder, libraries++);
    snprintf(
        command, sizeof command,
        "cd '%s' && " COMPARE_MLIR_OPT " product.mlir --sparsifier='vl=%d"
        " reassociate-fp-reductions=true enable-index-optimizations=true"
        " enable-runtime-library=false' -o product.ll.mlir && " COMPARE_MLIR_TRANSLATE
        " --mlir-to-llvmir product.ll.mlir -o product.ll && " COMPARE_MLIR_LLVM_OPT
        " -O3 -mcpu=native product.ll -o product.bc && " COMPARE_MLIR_LLC
        " -O3 -mcpu=native -filetype=obj -relocation-model=pic product.bc"
        " -o product.o && " COMPARE_MLIR_CC " -shared product.o -o '%s'",
        folder, lanes, s->file);
    if (system(command)) return;
    s->library = dlopen(s->file, RTLD_NOW | RTLD_LOCAL);
    if (s->library) *(void **)&s->run = dlsym(s->library, "_mlir_ciface_product");
}

static vector wrap_vector(const void *data, int64_t n)
{
    return (vector){(void *)(uintptr_t)data, (void *)(uintptr_t)data, 0, {n}, {1}};
}

static matrix wrap_matrix(const void *data, int64_t n, int64_t columns)
{
    return (matrix){
        (void *)(uintptr_t)data,
        (void *)(uintptr_t)data,
        0,
        {n,       columns},
        {columns, 1      }
    };
}

static void destroy(void *given)
{
    state *s = given;

    if (s->library) dlclose(s->library);
    if (*s->file) unlink(s->file);
    free(s);
}

static void *prepare(const compare_way *way, const compare_task *task)
{
    const compare_matrix *m     = task->matrix;
    const int             wide  = task->dtype == CAIRN_F64 ? 8 : 16;
    state                *s     = compare_take(1, sizeof *s);
    const void           *value = task->dtype == CAIRN_F64 ? (void *)m->val : m->val32;

    *s = (state){.task    = task,
                 .ptr     = wrap_vector(m->ptr, m->rows + 1),
                 .idx     = wrap_vector(m->idx, m->nnz),
                 .val     = wrap_vector(value, m->nnz),
                 .x       = wrap_vector(task->x, m->cols),
                 .y       = wrap_vector(task->y, m->rows),
                 .dense_x = wrap_matrix(task->x, m->cols, task->columns),
                 .dense_y = wrap_matrix(task->y, m->rows, task->columns)};
    if (write_source(task)) compile(s, way->number ? wide : 0);
    if (s->run) return s;
    destroy(s);
    return NULL;
}

/// The product is added to y, which is cleared before the clock starts.
static double run(void *given)
{
    state *const        s    = given;
    const compare_task *t    = s->task;
    const bool          one  = t->columns == 1;
    const size_t        size = t->dtype == CAIRN_F64 ? sizeof(double) : sizeof(float);
    matrix              made;
    double              begin;

    memset(t->y, 0, (size_t)t->matrix->rows * (size_t)t->columns * size);
    begin = bench_seconds();
    s->run(&made, &s->ptr, &s->idx, &s->val, one ? (void *)&s->x : &s->dense_x,
           one ? (void *)&s->y : &s->dense_y);
    return bench_seconds() - begin;
}

static void result(void *given, compare_result *result)
{
    const compare_task *const t = ((const state *)given)->task;
    const int64_t             n = (int64_t)t->matrix->rows * t->columns;

    for (int64_t k = 0; k < n; k++)
        result->y[k] = t->dtype == CAIRN_F64 ? ((const double *)t->y)[k]
                                             : ((const float *)t->y)[k];
}

static const compare_way ways[] = {
    {.name       = "CSR, scalar",
     .operations = BIT(PRODUCT),
     .dtypes     = BIT(CAIRN_F64) | BIT(CAIRN_F32),
     .csr        = true,
     .prepare    = prepare,
     .run        = run,
     .result     = result,
     .destroy    = destroy},
    { .name       = "CSR, vectors of 64 bytes",
     .operations = BIT(PRODUCT),
     .dtypes     = BIT(CAIRN_F64) | BIT(CAIRN_F32),
     .number     = 1,
     .csr        = true,
     .prepare    = prepare,
     .run        = run,
     .result     = result,
     .destroy    = destroy},
};

static bool begin(int threads, char *version, int room)
{
    char line[256];

    (void)threads; /* its code has none */
    bench_first_line(COMPARE_MLIR_OPT " --version | sed -n 's/.*LLVM version //p'",
                     line, sizeof line);
    snprintf(version, (size_t)room, "%.20s", line);
    snprintf(folder, sizeof folder, "/tmp/compare-mlir-XXXXXX");
    return mkdtemp(folder) != NULL;
}

static void end(void)
{
    static const char *const files[] = {"product.mlir", "product.ll.mlir", "product.ll",
                                        "product.bc", "product.o"};
    char                     path[128];

    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        unlink(path);
    }
    rmdir(folder);
}

const compare_peer compare_mlir = {.name  = "MLIR",
                                   .begin = begin,
                                   .end   = end,
                                   .ways  = ways,
                                   .count = sizeof ways / sizeof *ways};
