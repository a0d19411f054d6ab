// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The matrices of the sections, made once for all who are timed on one.

#include "matrices.h"

#include <math.h>

static const int64_t band[15] = {-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};

#define STENCIL "csr;sell<32>;dia;bdia<64>"

/// Arrays above three times the 50 MB of an H100's L2, and a few that lie in it. Those
/// that say most stand first.
const card_recipe card_recipes[] = {
    {"s7_200",
     "stencil7",            1,
     STENCIL,                                             {{.nx = 200, .ny = 200, .nz = 200}, {.nx = 7, .ny = 6, .nz = 5}}},
    {"rand16_2m",
     "uniform",             1,
     "csr;sell<32>;ell",                                  {{.n = 2000000, .degree = 16}, {.n = 300, .degree = 16}}        },
    {"fem3_800k",
     "fem3",                3,
     "csr;bcsr<3,3>;sell<32>",                            {{.n = 799998, .degree = 18}, {.n = 300, .degree = 6}}          },
    {"rmat21",
     "rmat",                1,
     "csr;sell-sigma<32,4096>",                           {{.scale = 21, .edges = 32000000}, {.scale = 8, .edges = 2000}} },
    {"band15_3m",
     "banded",              1,
     "csr;dia;bdia<64>;sell<32>",                         {{.n = 3000000, .offsets = band, .offset_count = 15},
      {.n = 300, .offsets = band, .offset_count = 15}}                                   },
    {"s27_120",
     "stencil27",           1,
     STENCIL,                                             {{.nx = 120, .ny = 120, .nz = 120}, {.nx = 6, .ny = 5, .nz = 5}}},
    {"s5_3000",
     "stencil5",            1,
     STENCIL,                                             {{.nx = 3000, .ny = 3000}, {.nx = 20, .ny = 17}}                },
    {"mixed_4m",
     "mixed",               1,
     "csr;sell-sigma<32,4096>",                           {{.n = 4000000, .degree = 5}, {.n = 400, .degree = 5}}          },
    {"pruned_4k",
     "pruned",              1,
     "csr;sell<32>",                                      {{.rows = 4096, .cols = 33000, .density = 0.1},
      {.rows = 30, .cols = 300, .density = 0.1}}                                                      },
    {"s7_50",
     "stencil7",            1,
     STENCIL,                                             {{.nx = 50, .ny = 50, .nz = 50}, {.nx = 5, .ny = 4, .nz = 3}}   },
    {"wiki-Vote",     NULL, 1, "csr;sell-sigma<32,4096>", {{.n = 0}, {.n = 0}}                                            },
    {"email-Eu-core", NULL, 1, "csr;sell-sigma<32,4096>", {{.n = 0}, {.n = 0}}                                            },
};

const int card_recipes_count = sizeof card_recipes / sizeof *card_recipes;

cairn_status card_source(card *c, const card_recipe *r, cairn_source **source)
{
    cairn_problem problem = r->size[c->settings->tiny];
    char          path[512];
    cairn_status  status;

    if (!r->kind) {
        snprintf(path, sizeof path, "%s/matrices/%s.mtx.gz", c->settings->data,
                 r->name);
        status = cairn_source_read(c->context, path, CAIRN_BY_NNZ, source);
    } else {
        problem.size = sizeof problem;
        problem.seed = 1;
        status       = cairn_source_generate(c->context, r->kind, &problem, source);
    }
    if (status != CAIRN_OK) return status;
    cairn_entries *e = &(*source)->entries;

    /* Of no file's own values: what is narrow has other kernels, on either side. */
    for (cairn_pos p = 0; p < e->n; p++)
        e->value[p] = bench_value_of(e->coord[0][p], e->coord[1][p]);
    return CAIRN_OK;
}

void card_rows_take(const cairn_source *source, card_rows *a)
{
    const cairn_entries *e = &source->entries;

    a->rows = (int32_t)source->shape.extent[0];
    a->cols = (int32_t)source->shape.extent[1];
    a->nnz  = (int32_t)e->n;
    a->ptr  = card_take((size_t)a->rows + 1, sizeof *a->ptr);
    a->idx  = card_take((size_t)e->n, sizeof *a->idx);
    a->val  = card_take((size_t)e->n, sizeof *a->val);
    a->want = card_take((size_t)a->rows, sizeof *a->want);
    a->sum  = card_take((size_t)a->rows, sizeof *a->sum);
    for (cairn_pos p = 0; p < e->n; p++) {
        const int32_t i = (int32_t)e->coord[0][p];
        const double  t = e->value[p] * card_x(e->coord[1][p]);

        a->idx[p] = (int32_t)e->coord[1][p];
        a->val[p] = e->value[p];
        a->ptr[i + 1]++;
        a->want[i] += t;
        a->sum[i] += fabs(t);
    }
    for (int32_t i = 0; i < a->rows; i++)
        a->ptr[i + 1] += a->ptr[i];
}

void card_rows_leave(card_rows *a)
{
    free(a->ptr);
    free(a->idx);
    free(a->val);
    free(a->want);
    free(a->sum);
}

bool card_wants(const card_settings *settings, const char *name)
{
    const char  *at = settings->matrices;
    const size_t n  = strlen(name);

    for (; at && (at = strstr(at, name)); at += n)
        if ((at == settings->matrices || at[-1] == ',') && (!at[n] || at[n] == ','))
            return true;
    return !settings->matrices;
}
