// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The matrices of the comparison: made by Cairn's generators, the same bytes everywhere,
/// or read from a folder of Matrix Market files.

#include "api/api.h"
#include "compare.h"

#include <math.h>

static const int64_t band[15] = {-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};

/// Full size, and as small as the tests want it.
typedef struct {
    const char   *name, *kind;
    int           block;
    cairn_problem size[2];
} recipe;

static const recipe made[] = {
    {"s5_1000",    "stencil5", 1, {{.nx = 1000, .ny = 1000}, {.nx = 20, .ny = 17}}       },
    {"s7_100",
     "stencil7",               1,
     {{.nx = 100, .ny = 100, .nz = 100}, {.nx = 7, .ny = 6, .nz = 5}}                    },
    {"s27_64",
     "stencil27",              1,
     {{.nx = 64, .ny = 64, .nz = 64}, {.nx = 6, .ny = 5, .nz = 5}}                       },
    {"band15",
     "banded",                 1,
     {{.n = 400000, .offsets = band, .offset_count = 15},
      {.n = 300, .offsets = band, .offset_count = 15}}                                   },
    {"band15_odd",
     "banded",                 1,
     {{.n = 400003, .offsets = band, .offset_count = 15},
      {.n = 303, .offsets = band, .offset_count = 15}}                                   },
    {"fem3",       "fem3",     3, {{.n = 60000, .degree = 18}, {.n = 300, .degree = 6}}  },
    {"fem3_odd",   "fem3",     3, {{.n = 60003, .degree = 18}, {.n = 303, .degree = 6}}  },
    {"rmat18",
     "rmat",                   1,
     {{.scale = 18, .edges = 4000000}, {.scale = 8, .edges = 2000}}                      },
    {"rand16",     "uniform",  1, {{.n = 200000, .degree = 16}, {.n = 300, .degree = 16}}},
    {"pruned",
     "pruned",                 1,
     {{.rows = 512, .cols = 33000, .density = 0.1},
      {.rows = 30, .cols = 300, .density = 0.1}}                                         },
    {"mixed",      "mixed",    1, {{.n = 500000, .degree = 5}, {.n = 400, .degree = 5}}  },
};

/// What fits no cache; as large as memory allows (fit()).
static const recipe far[] = {
    {"s7_300",
     "stencil7", 1,
     {{.nx = 300, .ny = 300, .nz = 300}, {.nx = 7, .ny = 6, .nz = 5}}},
    {"rand16_8m",
     "uniform",  1,
     {{.n = 8000000, .degree = 16}, {.n = 300, .degree = 16}}        },
    {"rmat22",
     "rmat",     1,
     {{.scale = 22, .edges = 64000000}, {.scale = 8, .edges = 2000}} },
};

static const char *const graphs[] = {"wiki-Vote", "email-Eu-core", "p2p-Gnutella31"};

/// Of the shared folder, those of more than 50,000 entries.
static const char *const real[] = {
    "cnr-2000",
    "gowalla-adj",
    "fb-Cornell5",
    "bundle1",
    "amazon-book-test",
    "email-Enron",
    "rgg_n_2_15_s0",
    "bcsstk16",
    "luxembourg_osm",
    "delaunay_n15",
    "facebook_combined",
    "Groebner_id2003_aug",
    "p2p-Gnutella31",
    "arrow",
    "memplus",
    "as-caida",
    "nasa4704",
    "wiki-Vote",
    "4elt",
    "bcsstk13",
    "faer_n15960",
    "cavity14",
    "bloweybq",
    "bcsstk14",
    "Chem97Zt",
    "fidap007",
    "lap3D_7pt_n20",
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

const char *compare_matrix_name(int k, compare_group group)
{
    switch (group) {
    case MADE: return k < COUNT(made) ? made[k].name : NULL;
    case GRAPHS: return k < COUNT(graphs) ? graphs[k] : NULL;
    case REAL: return k < COUNT(real) ? real[k] : NULL;
    case FAR: return k < COUNT(far) ? far[k].name : NULL;
    default: return NULL;
    }
}

static const recipe *find_recipe(const char *name)
{
    for (int k = 0; k < COUNT(made); k++)
        if (strcmp(made[k].name, name) == 0) return &made[k];
    for (int k = 0; k < COUNT(far); k++)
        if (strcmp(far[k].name, name) == 0) return &far[k];
    return NULL;
}

/// Entries of a large problem, about.
static double count_entries(const cairn_problem *p)
{
    if (p->nx) return 7.0 * (double)p->nx * (double)p->ny * (double)p->nz;
    return p->edges ? (double)p->edges : (double)p->n * (double)p->degree;
}

/// Make a problem that is to fit no cache smaller where memory lacks, and larger where
/// four times the last cache is more than it has. An entry takes up to 120 bytes: 24 in the
/// source, 12 with the caller, 12 in each format of Cairn's and each library that has its
/// own, and for R-MAT, whose edges are sorted, 160 (the most in memory, of rmat18 and s7_100
/// beside MKL, PETSc and Eigen).
static void fit(const char *name, cairn_problem *p)
{
    const double entries = count_entries(p), cache = (double)compare_last_cache();
    const double most =
        fmin(0.85 * compare_free_memory(), 24e9) / (p->edges ? 160 : 120);
    const double wanted = fmin(fmax(entries, 4 * cache / 12), most);
    const double factor = wanted / entries;

    if (factor > 0.99 && factor < 1.01) return;
    if (p->nx)
        p->nx = p->ny = p->nz = (int64_t)((double)p->nx * cbrt(factor));
    else if (p->edges)
        p->edges = (int64_t)wanted;
    else
        p->n = (int64_t)((double)p->n * factor);
    fprintf(stderr, "%s: %.2f times its entries, for %s\n", name, factor,
            factor < 1 ? "memory has no more" : "the last cache is large");
}

/// Every value as its place gives it.
static void fill_values(cairn_entries *e)
{
    for (cairn_pos p = 0; p < e->n; p++)
        e->value[p] = bench_value_of(e->coord[0][p], e->coord[1][p]);
}

static void take_arrays(compare_matrix *a, size_t n, const compare_settings *settings)
{
    a->ptr    = compare_take((size_t)a->rows + 1, sizeof *a->ptr);
    a->idx    = compare_take(n, sizeof *a->idx);
    a->val    = compare_take(n, sizeof *a->val);
    a->weight = compare_take((size_t)a->rows, sizeof *a->weight);
    if (compare_in(settings->dtypes, "f32")) a->val32 = compare_take(n, sizeof(float));
    if (compare_in(settings->sections, "convert"))
        a->row = compare_take(n, sizeof *a->row);
    memset(a->ptr, 0, ((size_t)a->rows + 1) * sizeof *a->ptr);
    memset(a->weight, 0, (size_t)a->rows * sizeof *a->weight);
}

/// CSR arrays of the source's entries, which are sorted; explicit zeros go.
static void copy_entries(compare_matrix *a, const compare_settings *settings)
{
    const cairn_entries *e = &a->source->entries;

    take_arrays(a, (size_t)e->n, settings);
    a->iso = true;
    for (cairn_pos p = 0; p < e->n; p++) {
        const int32_t i = (int32_t)e->coord[0][p], q = a->nnz;

        if (e->value[p] == 0) continue;
        if (a->row) a->row[q] = i;
        if (a->val32) a->val32[q] = (float)e->value[p];
        a->idx[q] = (int32_t)e->coord[1][p];
        a->val[q] = e->value[p];
        a->iso    = a->iso && a->val[q] == a->val[0];
        a->ptr[i + 1]++;
        a->weight[i] += fabs(e->value[p]);
        a->sum += bench_sum_of(i, a->idx[q], e->value[p]);
        a->nnz++;
    }
    for (int32_t i = 0; i < a->rows; i++)
        a->ptr[i + 1] += a->ptr[i];
}

static void shuffle(compare_matrix *a)
{
    const size_t n     = (size_t)a->nnz;
    uint64_t     state = 1;

    a->any.row = compare_take(n, sizeof *a->any.row);
    a->any.col = compare_take(n, sizeof *a->any.col);
    a->any.val = compare_take(n, sizeof *a->any.val);
    for (size_t p = 0; p < n; p++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);

        const size_t q = (size_t)((state >> 11) % (p + 1));

        a->any.row[p] = a->any.row[q];
        a->any.col[p] = a->any.col[q];
        a->any.val[p] = a->any.val[q];
        a->any.row[q] = a->row[p];
        a->any.col[q] = a->idx[p];
        a->any.val[q] = a->val[p];
    }
}

static cairn_status
make(compare_matrix *a, const char *name, const compare_settings *settings)
{
    const recipe *r = find_recipe(name);
    char          path[512];

    if (r) {
        cairn_problem problem = r->size[settings->tiny];
        cairn_status  status;

        problem.size = sizeof problem;
        problem.seed = 1;
        a->block     = r->block;
        if (!settings->tiny && r >= far && r < far + COUNT(far)) fit(name, &problem);
        status = cairn_source_generate(a->context, r->kind, &problem, &a->source);
        if (!status && settings->values[0] == 'f') fill_values(&a->source->entries);
        return status;
    }
    snprintf(path, sizeof path, "%s/matrices/%s.mtx.gz", settings->data, name);
    if (access(path, R_OK)) snprintf(path, sizeof path, "%s", name);
    return cairn_source_read(a->context, path, CAIRN_BY_NNZ, &a->source);
}

bool compare_matrix_make(compare_matrix         *a,
                         const char             *name,
                         const compare_settings *settings)
{
    cairn_source_info info = CAIRN_SOURCE_INFO;

    *a = (compare_matrix){.block = 1};
    snprintf(a->name, sizeof a->name, "%s", name);
    if (cairn_context_create(&a->context))
        compare_stop("context", cairn_context_message(a->context));
    cairn_context_set_threads(a->context, settings->threads);
    if (make(a, name, settings) || cairn_source_describe(a->source, &info)) {
        fprintf(stderr, "%s\n", cairn_context_message(a->context));
        cairn_context_destroy(&a->context);
        return false;
    }
    if (info.order != 2 || info.nnz > INT32_MAX || info.extent[0] > INT32_MAX
        || info.extent[1] > INT32_MAX)
        compare_stop(name, "no matrix, or too large for 32-bit indices");
    a->rows = (int32_t)info.extent[0];
    a->cols = (int32_t)info.extent[1];
    copy_entries(a, settings);
    if (a->row) shuffle(a);
    return true;
}

void compare_matrix_fini(compare_matrix *a)
{
    cairn_source_destroy(&a->source);
    cairn_context_destroy(&a->context);
    free(a->ptr);
    free(a->row);
    free(a->idx);
    free(a->val);
    free(a->val32);
    free(a->weight);
    free(a->any.row);
    free(a->any.col);
    free(a->any.val);
}

void compare_forget(cairn_context *context)
{
    cairn_pool_fini(&context->env.pool);
    cairn_pool_init(&context->env.pool);
}
