// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The matrices of the comparison: made by Cairn's generators, the same bytes everywhere,
/// or read from a folder of Matrix Market files.

#include "api/api.h"
#include "compare.h"

#include <math.h>

static const int64_t band[15] = {-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};

/// Full size, and as small as the tests want it.
static const struct {
    const char   *name, *kind;
    int           block;
    cairn_problem size[2];
} made[] = {
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

static const char *const graphs[] = {"wiki-Vote", "email-Eu-core", "p2p-Gnutella31"};

enum { MADE = sizeof made / sizeof *made, GRAPHS = sizeof graphs / sizeof *graphs };

const char *compare_matrix_name(int k, bool graph)
{
    if (graph) return k < GRAPHS ? graphs[k] : NULL;
    return k < MADE ? made[k].name : NULL;
}

static int find_made(const char *name)
{
    for (int k = 0; k < MADE; k++)
        if (strcmp(made[k].name, name) == 0) return k;
    return -1;
}

/// CSR arrays of the source's entries, which are sorted; explicit zeros go.
static void copy_entries(compare_matrix *a)
{
    const cairn_entries *e = &a->source->entries;
    const size_t         n = (size_t)e->n;

    a->ptr    = compare_take((size_t)a->rows + 1, sizeof *a->ptr);
    a->row    = compare_take(n, sizeof *a->row);
    a->idx    = compare_take(n, sizeof *a->idx);
    a->val    = compare_take(n, sizeof *a->val);
    a->val32  = compare_take(n, sizeof *a->val32);
    a->weight = compare_take((size_t)a->rows, sizeof *a->weight);
    memset(a->ptr, 0, ((size_t)a->rows + 1) * sizeof *a->ptr);
    memset(a->weight, 0, (size_t)a->rows * sizeof *a->weight);
    for (cairn_pos p = 0; p < e->n; p++) {
        const int32_t i = (int32_t)e->coord[0][p], q = a->nnz;

        if (e->value[p] == 0) continue;
        a->row[q]   = i;
        a->idx[q]   = (int32_t)e->coord[1][p];
        a->val[q]   = e->value[p];
        a->val32[q] = (float)e->value[p];
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
make(compare_matrix *a, const char *name, const char *folder, int size)
{
    const int k = find_made(name);
    char      path[512];

    if (k >= 0) {
        cairn_problem problem = made[k].size[size];

        problem.size = sizeof problem;

        problem.seed = 1;
        a->block     = made[k].block;
        return cairn_source_generate(a->context, made[k].kind, &problem, &a->source);
    }
    snprintf(path, sizeof path, "%s/matrices/%s.mtx.gz", folder, name);
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
    if (cairn_context_create(&a->context)) compare_stop("context", "cannot be created");
    cairn_context_set_threads(a->context, settings->threads);
    if (make(a, name, settings->data, settings->tiny)
        || cairn_source_describe(a->source, &info)) {
        fprintf(stderr, "%s\n", cairn_context_message(a->context));
        cairn_context_destroy(&a->context);
        return false;
    }
    if (info.order != 2 || info.nnz > INT32_MAX || info.extent[0] > INT32_MAX
        || info.extent[1] > INT32_MAX)
        compare_stop(name, "no matrix, or too large for 32-bit indices");
    a->rows = (int32_t)info.extent[0];
    a->cols = (int32_t)info.extent[1];
    copy_entries(a);
    shuffle(a);
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
