// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products with a vector: Cairn's formats and cuSPARSE's on large matrices, kernels alone
/// with all arrays on the card, in interleaved rounds; and Cairn's from host to host. A
/// matrix is made once for both element types. What Cairn makes is held to the processor's
/// bits; what cuSPARSE makes to 1e-12 (f32: 1e-5) of a row's absolute sum.

#include "spmv.h"

#include <math.h>

enum { MOST = CARD_CONTENDERS };

static bool print(card                 *c,
                  const char           *matrix,
                  cairn_dtype           dtype,
                  const card_contender *list,
                  int                   count)
{
    const double copy = c->device->info.bandwidth,
                 best = card_best_of_peers(list, count);
    bool right        = true;

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

static bool try_type(card              *c,
                     const card_recipe *r,
                     cairn_source      *source,
                     card_rows         *a,
                     cairn_dtype        dtype)
{
    static card_contender list[MOST];
    char                  texts[256], *rest = texts;
    int                   count = 0;

    snprintf(texts, sizeof texts, "%s", r->formats);
    for (char *text; (text = strtok_r(NULL, ";", &rest)) && count < MOST / 2;) {
        list[count] = (card_contender){.whole = 0};
        snprintf(list[count].way, sizeof list[count].way, "%s", text);
        count += card_add_format(c, source, a, dtype, 1, &list[count]);
    }
    /* What is chosen for f32 is hardly another, and the minutes are few. */
    list[count] = (card_contender){.way = "auto"};
    if (dtype == CAIRN_F64)
        count += card_add_format(c, source, a, dtype, 1, &list[count]);
    count += card_cusparse(c, a, r->block, dtype, &list[count], MOST - count);
    card_rounds(c, list, count);
    const bool right = print(c, r->name, dtype, list, count);

    for (int k = 0; k < count; k++)
        list[k].leave(list[k].state);
    return right;
}

static bool try_matrix(card *c, const card_recipe *r)
{
    const double  begin  = bench_seconds();
    cairn_source *source = NULL;
    card_rows     a      = {0};
    bool          right  = true;

    if (card_source(c, r, &source)) {
        printf("# %s: %s\n", r->name, cairn_context_message(c->context));
        return r->kind == NULL;
    }
    card_rows_take(source, &a);
    printf("# %s: %d x %d, %d entries, made in %.2f s\n", r->name, a.rows, a.cols,
           a.nnz, bench_seconds() - begin);
    fflush(stdout);
    for (int k = 0; k < 2 && !card_is_over(c); k++)
        right = try_type(c, r, source, &a, k ? CAIRN_F32 : CAIRN_F64) && right;
    card_rows_leave(&a);
    cairn_source_destroy(&source);
    return right;
}

bool card_spmv(card *c)
{
    bool right = true;

    /* For the choice; nothing has asked for the context's devices before. */
    snprintf(c->context->env.options.devices, sizeof c->context->env.options.devices,
             "cpu,cuda");
    if (c->device->ops.measure(c->device) != CAIRN_OK)
        card_stop("copies", cairn_context_message(c->context));
    printf(
        "# copy in the card's memory %.1f GB/s, bytes read and written\n"
        "section,matrix,dtype,columns,who,way,median_us,least_us,GB/s,fraction_of_copy,"
        "times_the_best_peer,verified,prepare_ms,host_to_host_us,note\n",
        c->device->info.bandwidth * 1e-9);
    for (size_t k = 0; k < (size_t)card_recipes_count; k++) {
        const card_recipe *r = &card_recipes[k];

        if (!card_wants(c->settings, r->name) || (!r->kind && !c->settings->data))
            continue;
        if (card_is_over(c))
            printf("# no time for %s\n", r->name);
        else
            right = try_matrix(c, r) && right;
    }
    return right;
}
