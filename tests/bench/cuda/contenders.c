// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Contenders: Cairn's formats, and rounds in which all take turns.

#include "devices/grid_hints.h"
#include "spmv.h"

#include <math.h>

enum { WARM = 3, TURNS = 20, MOST = CARD_CONTENDERS, MOST_ROUNDS = 51 };

/// X as a product has it; room on both sides for what padding reads, in rows.
static char *make_x(const card_task *t, size_t margin)
{
    const size_t  bytes   = t->dtype == CAIRN_F64 ? 8 : 4;
    const int64_t columns = t->op.columns, all = t->rows->cols * columns;
    char *const   block =
        card_take(((size_t)t->rows->cols + 2 * margin) * (size_t)columns, bytes);
    char *const x = block + margin * (size_t)columns * bytes;

    for (int64_t k = 0; k < all; k++) {
        const double value = card_x(k / columns) * card_scale(k % columns);

        if (t->dtype == CAIRN_F64)
            ((double *)(void *)x)[k] = value;
        else
            ((float *)(void *)x)[k] = (float)value;
    }
    return block;
}

/// One run on the card, and one on the processor. @return Whether the bits are the same.
static bool is_same(card *c, const card_task *t, cairn_launch *launch, double *seconds)
{
    enum { MARGIN = 4096, RUNS = 3 };
    const size_t columns = (size_t)t->op.columns,
                 bytes   = (t->dtype == CAIRN_F64 ? 8 : 4) * columns,
                 size    = (size_t)t->rows->rows * 8 * columns;
    char *const block = make_x(t, MARGIN), *const x = block + MARGIN * bytes;
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

void card_say_hints(const cairn_grid_hints *hints,
                    const char             *between,
                    char                   *text,
                    size_t                  size)
{
    const struct {
        const char *name;
        int         value;
    } each[] = {
        {"batch",  hints->batch },
        {"staged", hints->staged},
        {"pieces", hints->pieces},
        {"starts", hints->starts},
        {"early",  hints->early },
        {"groups", hints->groups},
        {"width",  hints->width },
        {"group",  hints->group },
    };

    for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
        const size_t at   = strlen(text);
        const bool   says = k == 3 || k == 4;

        if (each[k].value == 0) continue;
        snprintf(text + at, size - at, says ? "%s%s" : "%s%s %d", between, each[k].name,
                 each[k].value);
    }
}

/// Say how long it was stored, and with which hints it is lowered.
static void say_made(card *c, const card_task *t, double seconds, card_contender *new)
{
    const cairn_product    product = cairn_cuda_product_of(&t->work);
    const cairn_grid_hints hints =
        cairn_grid_hints_of(&t->work, &product, card_of(c)->units);

    snprintf(new->note, sizeof new->note, "stored in %.3g s", seconds);
    card_say_hints(&hints, "; ", new->note, sizeof new->note);
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

/// Let Cairn choose a format for the card; what it took is of what is prepared.
static cairn_status choose(cairn_source *source, card_task *t, card_contender *new)
{
    cairn_auto_options options = CAIRN_AUTO_OPTIONS;
    const double       begin   = bench_seconds();

    options.place = "cuda";
    CAIRN_TRY(cairn_format_auto(source, t->dtype, &t->op, &options, &t->format, NULL));
    const char *const text = cairn_format_text(t->format);

    printf("# auto chose %s in %.2f s\n", text, bench_seconds() - begin);
    snprintf(new->way, sizeof new->way, "auto: %.50s", text);
    return CAIRN_OK;
}

bool card_add_format(card            *c,
                     cairn_source    *source,
                     const card_rows *a,
                     cairn_dtype      dtype,
                     int64_t          columns,
                     card_contender *new)
{
    card_task   *t     = card_take(1, sizeof *t);
    const double begin = bench_seconds();
    const bool   asks  = strcmp(new->way, "auto") == 0;

    *t            = (card_task){.rows = a, .dtype = dtype, .op = CAIRN_PRODUCT_OPTIONS};
    t->op.columns = columns;
    if ((asks ? choose(source, t, new)
              : cairn_format_create(c->context, new->way, &t->format))
        || cairn_tensor_create(source, t->format, dtype, &t->tensor)) {
        printf("# %s: %s\n", new->way, cairn_context_message(c->context));
        leave_format(t);
        return false;
    }
    const double stored = bench_seconds();

    t->work =
        (cairn_device_work){.tensor = t->tensor->local, .op = &t->op, .alone = true};
    if (t->tensor->local->groups != 1
        || c->device->ops.build(c->device, &t->work, &t->launch) != CAIRN_OK) {
        printf("# %s: %s\n", new->way,
               t->tensor->local->groups != 1 ? "several members: see hybrid"
                                             : cairn_context_message(c->context));
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
    say_made(c, t, stored - begin, new);
    return true;
}

/* Rounds. */

void card_rounds(card *c, card_contender *list, int count)
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

double card_best_of_peers(const card_contender *list, int count)
{
    double best = INFINITY;

    for (int k = 0; k < count; k++)
        if (strcmp(list[k].who, "Cairn") != 0 && list[k].right && list[k].median < best)
            best = list[k].median;
    return best;
}
