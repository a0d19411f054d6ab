// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products with a vector: Cairn's formats and cuSPARSE's on large matrices, kernels alone
/// with all arrays on the card, in interleaved rounds; and Cairn's from host to host. A
/// matrix is made once for both element types. What Cairn makes is held to the processor's
/// bits; what cuSPARSE makes to 1e-12 (f32: 1e-5) of a row's absolute sum.

#include "spmv.h"

#include <math.h>

enum { WARM = 3, TURNS = 20, MOST = 24, MOST_ROUNDS = 51 };

static const int64_t band[15] = {-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};

/// Full size, and as small as the tests want it; formats separated by ';'.
typedef struct {
    const char   *name, *kind; ///< `kind` NULL: a file of the shared folder.
    int           block;
    const char   *formats;
    cairn_problem size[2];
} recipe;

#define STENCIL "csr;sell<32>;dia;bdia<64>"

/// Arrays above three times the 50 MB of an H100's L2, and a few that lie in it. Those
/// that say most stand first.
static const recipe recipes[] = {
    {"s7_200",
     "stencil7",            1,
     STENCIL,                                             {{.nx = 200, .ny = 200, .nz = 200}, {.nx = 7, .ny = 6, .nz = 5}}},
    {"rand16_2m",
     "uniform",             1,
     "csr;sell<32>;ell",                                  {{.n = 2000000, .degree = 16}, {.n = 300, .degree = 16}}        },
    {"fem3_800k",
     "fem3",                3,
     "csr;bcsr<3,3>;sell<32>",                            {{.n = 800000, .degree = 18}, {.n = 300, .degree = 6}}          },
    {"rmat21",
     "rmat",                1,
     "csr;sell-sigma<32,4096>",                           {{.scale = 21, .edges = 32000000}, {.scale = 8, .edges = 2000}} },
    {"band15_3m",
     "banded",              1,
     "csr;dia;ell;sell<32>",                              {{.n = 3000000, .offsets = band, .offset_count = 15},
      {.n = 300, .offsets = band, .offset_count = 15}}                                        },
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

/* ---- A matrix ---- */

static cairn_status make_source(card *c, const recipe *r, cairn_source **source)
{
    cairn_problem problem = r->size[c->settings->tiny];
    char          path[512];

    if (!r->kind) {
        snprintf(path, sizeof path, "%s/matrices/%s.mtx.gz", c->settings->data,
                 r->name);
        return cairn_source_read(c->context, path, CAIRN_BY_NNZ, source);
    }
    problem.size = sizeof problem;
    problem.seed = 1;
    const cairn_status status =
        cairn_source_generate(c->context, r->kind, &problem, source);

    if (status != CAIRN_OK) return status;
    cairn_entries *e = &(*source)->entries;

    for (cairn_pos p = 0; p < e->n; p++)
        e->value[p] = bench_value_of(e->coord[0][p], e->coord[1][p]);
    return CAIRN_OK;
}

/// Compressed rows of a source's entries, which are sorted.
static void take_rows(const cairn_source *source, card_rows *a)
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

static void leave_rows(card_rows *a)
{
    free(a->ptr);
    free(a->idx);
    free(a->val);
    free(a->want);
    free(a->sum);
}

/* ---- Cairn's ---- */

/// X as a product has it; room on both sides for what padding reads.
static char *make_x(const card_rows *a, cairn_dtype dtype, size_t margin)
{
    const size_t bytes = dtype == CAIRN_F64 ? 8 : 4;
    char *const  block = card_take((size_t)a->cols + 2 * margin, bytes);

    for (int64_t j = 0; j < a->cols; j++)
        if (dtype == CAIRN_F64)
            ((double *)(void *)block)[(int64_t)margin + j] = card_x(j);
        else
            ((float *)(void *)block)[(int64_t)margin + j] = (float)card_x(j);
    return block;
}

/// One run on the card, and one on the processor. @return Whether the bits are the same.
static bool is_same(card *c, const card_task *t, cairn_launch *launch, double *seconds)
{
    enum { MARGIN = 4096, RUNS = 3 };
    const size_t bytes = t->dtype == CAIRN_F64 ? 8 : 4,
                 size  = (size_t)t->rows->rows * 8;
    char *const block  = make_x(t->rows, t->dtype, MARGIN), *const x =
                                                               block + MARGIN * bytes;
    char *const is = card_take(size, 1), *const right = card_take(size, 1);
    cairn_launch host = {0};
    bool         same = c->host->ops.build(c->host, &t->work, &host) == CAIRN_OK
                && host.wide == launch->wide && host.run(&host, x, right) == CAIRN_OK;

    *seconds = INFINITY;
    for (int k = 0; k < RUNS && same; k++) {
        const double begin = bench_seconds();

        same = launch->run(launch, x, is) == CAIRN_OK;
        if (bench_seconds() - begin < *seconds) *seconds = bench_seconds() - begin;
    }
    same = same && memcmp(is, right, size) == 0;
    if (host.release) host.release(&host);
    free(block);
    free(is);
    free(right);
    return same;
}

static void leave_format(card_task *t)
{
    if (t->launch.release) t->launch.release(&t->launch);
    cairn_tensor_destroy(&t->tensor);
    cairn_format_destroy(&t->format);
    free(t);
}

static void leave_ours(void *state)
{
    leave_format(state);
}

static cairn_cuda_result run_ours(void *state, cairn_cuda_device *d)
{
    return card_kernels(((card_task *)state)->launch.state, d);
}

/// A contender of Cairn's. @return false: there is none, and a line says why.
static bool add_format(card            *c,
                       cairn_source    *source,
                       const card_rows *a,
                       cairn_dtype      dtype,
                       card_contender *new)
{
    static const cairn_product_options op    = CAIRN_PRODUCT_OPTIONS;
    card_task                         *t     = card_take(1, sizeof *t);
    const double                       begin = bench_seconds();

    *t = (card_task){.rows = a, .dtype = dtype};
    if (cairn_format_create(c->context, new->way, &t->format)
        || cairn_tensor_create(source, t->format, dtype, &t->tensor)) {
        printf("# %s: %s\n", new->way, cairn_context_message(c->context));
        leave_format(t);
        return false;
    }
    const double stored = bench_seconds();

    t->work = (cairn_device_work){.tensor = t->tensor->local, .op = &op, .alone = true};
    if (t->tensor->local->groups != 1
        || c->device->ops.build(c->device, &t->work, &t->launch) != CAIRN_OK) {
        printf("# %s: %s\n", new->way, cairn_context_message(c->context));
        leave_format(t);
        return false;
    }
    const cairn_cuda_product *p = t->launch.state;

    new->who     = "Cairn";
    new->prepare = bench_seconds() - begin;
    new->bytes   = (double)(p->arrays->bytes + p->x->on.bytes + p->y.bytes);
    new->run     = run_ours;
    new->leave   = leave_ours;
    new->state   = t;
    new->right   = is_same(c, t, &t->launch, &new->whole);
    snprintf(new->note, sizeof new->note, "stored in %.3g s", stored - begin);
    return true;
}

/* ---- Rounds ---- */

static void run_rounds(card *c, card_contender *list, int count)
{
    const int rounds =
        c->settings->rounds < MOST_ROUNDS ? c->settings->rounds : MOST_ROUNDS;
    static double times[MOST][MOST_ROUNDS];

    for (int k = 0; k < count; k++)
        card_time(c, list[k].run, list[k].state, WARM);
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < count; k++) {
            times[k][r] = card_time(c, list[k].run, list[k].state, TURNS) / TURNS;
            if (times[k][r] < 0) list[k].right = false;
        }
    for (int k = 0; k < count; k++) {
        list[k].median = bench_median(times[k], rounds);
        list[k].least  = times[k][0];
    }
}

/// cuSPARSE's best; INFINITY where it has none.
static double best_of_peers(const card_contender *list, int count)
{
    double best = INFINITY;

    for (int k = 0; k < count; k++)
        if (strcmp(list[k].who, "Cairn") != 0 && list[k].right && list[k].median < best)
            best = list[k].median;
    return best;
}

static bool print(card                 *c,
                  const char           *matrix,
                  cairn_dtype           dtype,
                  const card_contender *list,
                  int                   count)
{
    const double copy = c->device->info.bandwidth, best = best_of_peers(list, count);
    bool         right = true;

    for (int k = 0; k < count; k++) {
        const card_contender *n    = &list[k];
        const double          rate = n->bytes / n->median;

        printf("spmv,%s,%s,1,%s,\"%s\",%.4g,%.4g,%.4g,%.3f,", matrix,
               dtype == CAIRN_F64 ? "f64" : "f32", n->who, n->way, n->median * 1e6,
               n->least * 1e6, rate * 1e-9, copy > 0 ? rate / copy : 0);
        if (isfinite(best)) printf("%.3f", best / n->median);
        printf(",%s,%.4g,%.4g,%s\n", n->right ? "yes" : "NO", n->prepare * 1e3,
               n->whole * 1e6, n->note);
        right = right && n->right;
    }
    fflush(stdout);
    return right;
}

static bool try_type(card         *c,
                     const recipe *r,
                     cairn_source *source,
                     card_rows    *a,
                     cairn_dtype   dtype)
{
    static card_contender list[MOST];
    char                  texts[256], *rest = texts;
    int                   count = 0;

    snprintf(texts, sizeof texts, "%s", r->formats);
    for (char *text; (text = strtok_r(NULL, ";", &rest)) && count < MOST / 2;) {
        list[count] = (card_contender){.whole = 0};
        snprintf(list[count].way, sizeof list[count].way, "%s", text);
        count += add_format(c, source, a, dtype, &list[count]);
    }
    count += card_cusparse(c, a, r->block, dtype, &list[count], MOST - count);
    run_rounds(c, list, count);
    const bool right = print(c, r->name, dtype, list, count);

    for (int k = 0; k < count; k++)
        list[k].leave(list[k].state);
    return right;
}

static bool try_matrix(card *c, const recipe *r)
{
    const double  begin  = bench_seconds();
    cairn_source *source = NULL;
    card_rows     a      = {0};
    bool          right  = true;

    if (make_source(c, r, &source)) {
        printf("# %s: %s\n", r->name, cairn_context_message(c->context));
        return r->kind == NULL;
    }
    take_rows(source, &a);
    printf("# %s: %d x %d, %d entries, made in %.2f s\n", r->name, a.rows, a.cols,
           a.nnz, bench_seconds() - begin);
    fflush(stdout);
    for (int k = 0; k < 2 && !card_is_over(c); k++)
        right = try_type(c, r, source, &a, k ? CAIRN_F32 : CAIRN_F64) && right;
    leave_rows(&a);
    cairn_source_destroy(&source);
    return right;
}

static bool is_wanted(const card_settings *settings, const char *name)
{
    const char  *at = settings->matrices;
    const size_t n  = strlen(name);

    for (; at && (at = strstr(at, name)); at += n)
        if ((at == settings->matrices || at[-1] == ',') && (!at[n] || at[n] == ','))
            return true;
    return !settings->matrices;
}

bool card_spmv(card *c)
{
    bool right = true;

    if (c->device->ops.measure(c->device) != CAIRN_OK)
        card_stop("copies", cairn_context_message(c->context));
    printf(
        "# copy in the card's memory %.1f GB/s, bytes read and written\n"
        "section,matrix,dtype,columns,who,way,median_us,least_us,GB/s,fraction_of_copy,"
        "times_the_best_peer,verified,prepare_ms,host_to_host_us,note\n",
        c->device->info.bandwidth * 1e-9);
    for (size_t k = 0; k < sizeof recipes / sizeof *recipes; k++) {
        const recipe *r = &recipes[k];

        if (!is_wanted(c->settings, r->name) || (!r->kind && !c->settings->data))
            continue;
        if (card_is_over(c))
            printf("# no time for %s\n", r->name);
        else
            right = try_matrix(c, r) && right;
    }
    return right;
}
