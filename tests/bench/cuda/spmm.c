// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products with several columns: 32 and 128, in both element types; and label propagation,
/// twenty products of f32 with 64, 256 and 1,000 columns, which costs what a product takes
/// twenty times, and once what brought the matrix there; there also blocks on the card
/// beside coordinates, a hybrid, by a plan's own times. Cairn's are held to the processor's
/// bits, cuSPARSE's, and the hybrid's, as in spmv.c.

#include "spmv.h"

#include <math.h>

enum { MOST = CARD_CONTENDERS, PROPAGATIONS = 20, BLOCK = 16, BLOCKS_A_ROW = 12 };

/// X has as many rows as the matrix has columns: these are smaller than those of spmv.
/// Products of 32 and 128 columns, and label propagation, each where it says something.
static const struct {
    card_recipe recipe;
    bool        products, labels;
} trials[] = {
    {{"rand16_200k",
      "uniform",
      1,
      "csr;sell<32>",
      {{.n = 200000, .degree = 16}, {.n = 200, .degree = 8}}},
     true,                                                                               false},
    {{"block16", NULL, BLOCK, "csr;bcsr<16,16>;coo", {{.n = 64000}, {.n = 320}}},
     true,                                                                               true },
    {{"wiki-Vote", NULL, 1, "csr;coo", {{.n = 0}, {.n = 0}}},                     false, true },
    {{"email-Eu-core", NULL, 1, "csr;coo", {{.n = 0}, {.n = 0}}},                 false, true },
    {{"p2p-Gnutella31", NULL, 1, "csr;coo", {{.n = 0}, {.n = 0}}},                false, true },
    {{"rmat17",
      "rmat",
      1,
      "csr;sell-sigma<32,4096>",
      {{.scale = 17, .edges = 2000000}, {.scale = 7, .edges = 600}}},
     false,                                                                              true },
    {{"fem3_100k",
      "fem3",
      3,
      "csr;bcsr<3,3>",
      {{.n = 99999, .degree = 18}, {.n = 150, .degree = 6}}},
     true,                                                                               false},
};

/// Dense blocks of 16 x 16, so many in each row of blocks, at places that are drawn.
static cairn_status make_blocks(card *c, int64_t n, cairn_source **source)
{
    const int64_t  entries   = n / BLOCK * BLOCKS_A_ROW * BLOCK * BLOCK;
    const int64_t  extent[2] = {n, n};
    int64_t *const coord     = card_take((size_t)(2 * entries), sizeof *coord);
    double *const  value     = card_take((size_t)entries, sizeof *value);
    const int64_t  apart     = n / BLOCK / BLOCKS_A_ROW;
    uint64_t       state     = 7;
    int64_t        k         = 0;

    for (int64_t r = 0; r < n / BLOCK; r++)
        for (int b = 0; b < BLOCKS_A_ROW; b++) {
            state =
                state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const int64_t at = b * apart + (int64_t)(state >> 33) % apart;

            for (int e = 0; e < BLOCK * BLOCK; e++, k++) {
                coord[2 * k]     = r * BLOCK + e / BLOCK;
                coord[2 * k + 1] = at * BLOCK + e % BLOCK;
                value[k]         = bench_value_of(coord[2 * k], coord[2 * k + 1]);
            }
        }
    cairn_status status = cairn_source_from_coords(c->context, 2, extent, entries,
                                                   coord, value, CAIRN_BY_ROWS, source);

    if (status == CAIRN_OK) status = cairn_source_sort(*source); /* peers read them */
    free(coord);
    free(value);
    return status;
}

static cairn_status make(card *c, const card_recipe *r, cairn_source **source)
{
    return r->block == BLOCK ? make_blocks(c, r->size[c->settings->tiny].n, source)
                             : card_source(c, r, source);
}

/// A line for each; of label propagation what twenty products take, with what came before.
static bool print(const char           *section,
                  const char           *matrix,
                  cairn_dtype           dtype,
                  int64_t               columns,
                  const card_contender *list,
                  int                   count)
{
    const bool   label = strcmp(section, "label") == 0;
    const double best  = card_best_of_peers(list, count);
    bool         right = true;

    for (int k = 0; k < count; k++) {
        const card_contender *n     = &list[k];
        const double          times = label ? PROPAGATIONS : 1;

        printf("%s,%s,%s,%d,%s,\"%s\",%.4g,%.4g,%.4g,", section, matrix,
               dtype == CAIRN_F64 ? "f64" : "f32", (int)columns, n->who, n->way,
               times * n->median * 1e6, times * n->least * 1e6,
               n->bytes / n->median * 1e-9);
        if (isfinite(best)) printf("%.3f", best / n->median);
        printf(",%s,%.4g,%.4g,%s\n", n->right ? "yes" : "NO", n->prepare * 1e3,
               (times * n->median + n->prepare) * 1e6, n->note);
        right = right && n->right;
    }
    fflush(stdout);
    return right;
}

/* ---- A hybrid ---- */

/// A plan of a hybrid's, which a card_contender has.
typedef struct {
    cairn_tensor *tensor;
    cairn_plan   *plan;
} planned;

static void leave_plan(void *state)
{
    planned *const p = state;

    cairn_plan_destroy(&p->plan);
    cairn_tensor_destroy(&p->tensor);
    free(p);
}

/// Store the matrix, and make the plan with all members on the card.
static cairn_status
make_plan(card *c, cairn_source *source, const char *text, int64_t columns, planned *p)
{
    const cairn_product_options op = {
        .size = sizeof op, .columns = columns, .alpha = 1};
    const cairn_plan_options options = {
        .size = sizeof options, .product = &op, .place = "cuda"};
    cairn_format *format = NULL;

    cairn_status status = cairn_format_create(c->context, text, &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F32, &p->tensor);
    if (status == CAIRN_OK)
        status = cairn_plan_create_with(p->tensor, &options, &p->plan);
    cairn_format_destroy(&format);
    return status;
}

/// Run it some times. @return Whether Y is right.
static bool run_plan(const planned *p, const card_rows *a, int64_t columns)
{
    enum { WARM = 2, RUNS = 7 };
    float *const x = cairn_plan_x_f32(p->plan);

    for (int64_t k = 0; k < a->cols * columns; k++)
        x[k] = (float)(card_x(k / columns) * card_scale(k % columns));
    for (int k = 0; k < WARM + RUNS; k++) {
        if (k == WARM) cairn_plan_forget_times(p->plan);
        if (cairn_plan_run(p->plan, NULL, NULL) != CAIRN_OK) return false;
    }
    const float *const y = cairn_plan_y_f32(p->plan);

    for (int64_t k = 0; k < a->rows * columns; k++) {
        const double scale = card_scale(k % columns);

        if (!(fabs((double)y[k] - scale * a->want[k / columns])
              <= 1e-5 * scale * a->sum[k / columns]))
            return false;
    }
    return true;
}

/// Blocks, and what no block has as coordinates: what its kernels take by the card's clock.
/// @return false: there is none, and a line says why.
static bool add_hybrid(card            *c,
                       cairn_source    *source,
                       const card_rows *a,
                       const char      *text,
                       int64_t          columns,
                       card_contender *new)
{
    planned *const   p     = card_take(1, sizeof *p);
    const double     begin = bench_seconds();
    cairn_plan_part *part  = NULL;
    int64_t          parts = 0;

    if (make_plan(c, source, text, columns, p) != CAIRN_OK) {
        printf("# %s: %s\n", text, cairn_context_message(c->context));
        leave_plan(p);
        return false;
    }
    *new = (card_contender){.who     = "Cairn",
                            .leave   = leave_plan,
                            .state   = p,
                            .prepare = bench_seconds() - begin,
                            .right   = run_plan(p, a, columns)};
    snprintf(new->way, sizeof new->way, "%s", text);
    new->right = cairn_plan_parts(p->plan, &parts, &part) == CAIRN_OK &&new->right;
    for (int64_t k = 0; k < parts; k++) {
        const size_t at = strlen(new->note);

        new->median += part[k].on_device.kernel;
        new->right = new->right &&strncmp(part[k].device, "cuda", 4) == 0;
        snprintf(new->note + at, sizeof new->note - at, "%s%lld entries %.4g us",
                 k ? "; " : "", (long long)part[k].nnz, part[k].on_device.kernel * 1e6);
    }
    new->least = new->median;
    cairn_plan_parts_free(p->plan, &part);
    return true;
}

static bool try_columns(card              *c,
                        const card_recipe *r,
                        cairn_source      *source,
                        const card_rows   *a,
                        const char        *section,
                        cairn_dtype        dtype,
                        int64_t            columns)
{
    static card_contender list[MOST];
    char                  texts[256], *rest = texts;
    int                   count = 0;

    snprintf(texts, sizeof texts, "%s", r->formats);
    for (char *text; (text = strtok_r(NULL, ";", &rest)) && count < MOST / 2;) {
        list[count] = (card_contender){.whole = 0};
        snprintf(list[count].way, sizeof list[count].way, "%s", text);
        count += card_add_format(c, source, a, dtype, columns, &list[count]);
    }
    count += card_cusparse_columns(c, a, r->block, dtype, columns, &list[count],
                                   MOST - count);
    card_rounds(c, list, count);
    if (strcmp(section, "label") == 0 && count < MOST)
        count += add_hybrid(c, source, a,
                            r->block == BLOCK ? "hybrid<bell<16>,coo>"
                                              : "hybrid<bell<4>,coo>",
                            columns, &list[count]);
    const bool right = print(section, r->name, dtype, columns, list, count);

    for (int k = 0; k < count; k++)
        list[k].leave(list[k].state);
    return right;
}

static bool try_matrix(card *c, const card_recipe *r, bool products, bool labelled)
{
    static const int64_t columns[] = {32, 128}, labels[] = {64, 256, 1000};
    const bool           tiny   = c->settings->tiny;
    cairn_source        *source = NULL;
    card_rows            a      = {0};
    bool                 right  = true;

    if (make(c, r, &source)) {
        printf("# %s: %s\n", r->name, cairn_context_message(c->context));
        return r->kind == NULL && r->block == 1;
    }
    card_rows_take(source, &a);
    printf("# %s: %d x %d, %d entries\n", r->name, a.rows, a.cols, a.nnz);
    for (int k = 0; products && k < 4 && !card_is_over(c); k++)
        right = try_columns(c, r, source, &a, "spmm", k % 2 ? CAIRN_F64 : CAIRN_F32,
                            columns[k / 2])
                && right;
    for (int k = 0; labelled && k < (tiny ? 1 : 3) && !card_is_over(c); k++)
        right = try_columns(c, r, source, &a, "label", CAIRN_F32, labels[k]) && right;
    card_rows_leave(&a);
    cairn_source_destroy(&source);
    return right;
}

bool card_spmm(card *c)
{
    bool right = true;

    /* For the plans of hybrids; nothing has asked for the context's devices before. */
    snprintf(c->context->env.options.devices, sizeof c->context->env.options.devices,
             "cpu,cuda");
    printf("# label: %d products; the last number is with what was prepared\n"
           "section,matrix,dtype,columns,who,way,median_us,least_us,GB/s,"
           "times_the_best_peer,verified,prepare_ms,all_us,note\n",
           PROPAGATIONS);
    for (size_t k = 0; k < sizeof trials / sizeof *trials; k++) {
        const card_recipe *r = &trials[k].recipe;

        if (!card_wants(c->settings, r->name)
            || (!r->kind && r->block == 1 && !c->settings->data))
            continue;
        if (card_is_over(c))
            printf("# no time for %s\n", r->name);
        else
            right = try_matrix(c, r, trials[k].products, trials[k].labels) && right;
    }
    return right;
}
