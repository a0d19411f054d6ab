// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products whose vectors are the host's: Cairn's plans on the card alone, the processor
/// alone, rows divided between both, blocked diagonals on the processor beside compressed
/// rows on the card; and cuSPARSE's best with copies from and to pinned memory, one after
/// the other. Twice more with a caller's X and Y, which no card copies where they lie: above
/// 8 MB X goes by little memory, and the processor's part begins when all but its end has
/// gone; Y comes beside that part. All by the host's clock. What is on the card alone,
/// without copies, stands behind each. Every Y is held to 1e-12 of a row's absolute sum, and
/// where rows alone are divided to the processor's bits.

#include "cusparse.h"

#include <math.h>

enum { WARM = 3, TURNS = 5, MOST_WAYS = 8, MOST_ROUNDS = 51, MOST_TEXT = 400 };

/// A way that is Cairn's.
typedef struct {
    const char *name, *place;
    bool        hybrid;  ///< Members of their own: bits are its own.
    bool        callers; ///< X and Y are a caller's.
} place;

static const place places[] = {
    {"processor alone",             "cpu",           false, false},
    {"card alone",                  "cuda",          false, false},
    {"divided",                     "cpu+cuda",      false, false},
    {"bdia on cpu, csr on cuda",    "0=cpu,1=cuda",  true,  false},
    {"the same, all on the card",   "0=cuda,1=cuda", true,  false},
    {"card alone, a caller's X, Y", "cuda",          false, true },
    {"divided, a caller's X, Y",    "cpu+cuda",      false, true },
};

enum { PLACES = sizeof places / sizeof *places };

/// Matrices, and the format that is stored where no hybrid is.
static const struct {
    const char *matrix, *format;
} cases[] = {
    {"s7_200",    "bdia<64>"},
    {"mixed_4m",  "csr"     },
    {"band15_3m", "bdia<64>"},
    {"rand16_2m", "csr"     },
};

/// One way at work.
typedef struct {
    char          name[64], format[64];
    cairn_tensor *tensor;
    cairn_plan   *plan;
    double        times[MOST_ROUNDS];
    double       *x, *y; ///< A caller's; NULL: the plan's.
    double        median, least, resident;
    bool          right, same;
} way;

static void leave(way *w)
{
    cairn_plan_destroy(&w->plan);
    cairn_tensor_destroy(&w->tensor);
    free(w->x);
    free(w->y);
    w->x = w->y = NULL;
}

/// @return false: there is no such plan, and a line says why.
static bool open_way(card *c, cairn_source *source, const card_rows *a, int k, way *w)
{
    const cairn_plan_options options = {.size  = sizeof options,
                                        .place = places[k].place};
    cairn_format            *format  = NULL;

    snprintf(w->name, sizeof w->name, "%s", places[k].name);
    cairn_status status = cairn_format_create(c->context, w->format, &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F64, &w->tensor);
    if (status == CAIRN_OK)
        status = cairn_plan_create_with(w->tensor, &options, &w->plan);
    cairn_format_destroy(&format);
    if (status != CAIRN_OK) {
        printf("# %s, %s: %s\n", w->name, w->format, cairn_context_message(c->context));
        leave(w);
        return false;
    }
    if (places[k].callers) {
        w->x = card_take((size_t)a->cols, sizeof *w->x);
        w->y = card_take((size_t)a->rows, sizeof *w->y);
    }
    for (int64_t j = 0; j < a->cols; j++)
        (w->x ? w->x : cairn_plan_x(w->plan))[j] = card_x(j);
    return true;
}

/// Run some times. @return seconds of one; below 0: it failed.
static double run(const way *w, int times)
{
    const double begin = bench_seconds();

    for (int k = 0; k < times; k++)
        if (cairn_plan_run(w->plan, w->x, w->y) != CAIRN_OK) return -1;
    return (bench_seconds() - begin) / times;
}

static bool is_right(const card_rows *a, const double *y)
{
    for (int32_t i = 0; i < a->rows; i++)
        if (!(fabs(y[i] - a->want[i]) <= 1e-12 * a->sum[i])) return false;
    return true;
}

/// What each part had to do: "cpu:0 1200 entries 0.8 ms, cuda:0 ...". @return the seconds of
/// the one that took longest.
static double tell_parts(const way *w, double *resident, char text[MOST_TEXT])
{
    cairn_plan_part *part  = NULL;
    int64_t          count = 0;
    double           most  = 0;

    text[0]   = '\0';
    *resident = 0;
    if (cairn_plan_parts(w->plan, &count, &part) != CAIRN_OK) return 0;
    for (int64_t k = 0; k < count; k++) {
        const size_t length = strlen(text);

        most = fmax(most, part[k].seconds);
        *resident += part[k].on_device.kernel;
        snprintf(text + length, MOST_TEXT - length,
                 "%s%s %lld entries %.4g us (in %.4g kernel %.4g out %.4g)%s%s",
                 k ? "; " : "", part[k].device, (long long)part[k].nnz,
                 part[k].seconds * 1e6, part[k].on_device.in * 1e6,
                 part[k].on_device.kernel * 1e6, part[k].on_device.out * 1e6,
                 part[k].note[0] ? " " : "", part[k].note);
    }
    for (char *t = text; *t; t++)
        if (*t == ',' || *t == '"') *t = ' ';
    cairn_plan_parts_free(w->plan, &part);
    return most;
}

static void print(const char *matrix, const way *w)
{
    char         text[MOST_TEXT];
    double       resident;
    const double most = tell_parts(w, &resident, text);

    printf("hybrid,%s,f64,1,Cairn,\"%s, %s\",%.4g,%.4g,%.3f,%s,%s,%.4g,%s\n", matrix,
           w->name, w->format, w->median * 1e6, w->least * 1e6,
           w->median > 0 ? most / w->median : 0, w->right ? "yes" : "NO",
           w->same ? "same" : "own", resident * 1e6, text);
    fflush(stdout);
}

/* ---- cuSPARSE with copies ---- */

/// X up, a product, Y down, all in the device's stream, then wait. @return seconds.
static double run_copied(card                    *c,
                         const card_contender    *peer,
                         const cairn_cuda_pinned *x,
                         const cairn_cuda_pinned *y)
{
    const cusparse_product *p     = peer->state;
    cairn_cuda_device      *d     = card_of(c);
    cairn_cuda_event        event = NULL;
    const double            begin = bench_seconds();

    if (cairn_cuda_event_make(c->device, false, &event) != CAIRN_OK) return -1;
    cairn_cuda_result error = CAIRN_CUDA(d, cuMemcpyHtoDAsync_v2, p->array[3], x->begin,
                                         (size_t)p->bytes[3], d->stream);

    if (error == CAIRN_CUDA_OK) error = peer->run(peer->state, d);
    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2, y->begin, p->array[4],
                           (size_t)p->bytes[4], d->stream);
    error                = cairn_cuda_settle(c->device, event, error);
    const double seconds = bench_seconds() - begin;

    cairn_cuda_event_free(c->device, &event);
    return error == CAIRN_CUDA_OK ? seconds : -1;
}

/// Its best algorithm by kernels alone, timed with copies.
static void time_peer(card *c, const char *matrix, const card_rows *a)
{
    static card_contender list[CARD_CONTENDERS];
    const int count = card_cusparse(c, a, 1, CAIRN_F64, list, CARD_CONTENDERS);
    int       best  = -1;
    double    times[MOST_ROUNDS];

    card_rounds(c, list, count);
    for (int k = 0; k < count; k++)
        if (list[k].right && (best < 0 || list[k].median < list[best].median)) best = k;
    if (best >= 0 && cairn_cuda_enter(card_of(c)) == CAIRN_CUDA_OK) {
        const cusparse_product *p = list[best].state;
        cairn_cuda_pinned       x = {.begin = NULL}, y = {.begin = NULL};
        const int               rounds =
            c->settings->rounds < MOST_ROUNDS ? c->settings->rounds : MOST_ROUNDS;

        if (cairn_cuda_pin(c->device, p->bytes[3], &x) == CAIRN_OK
            && cairn_cuda_pin(c->device, p->bytes[4], &y) == CAIRN_OK) {
            for (int64_t j = 0; j < a->cols; j++)
                ((double *)(void *)x.begin)[j] = card_x(j);
            for (int r = -WARM; r < rounds; r++) {
                const double seconds = run_copied(c, &list[best], &x, &y);

                if (r >= 0) times[r] = seconds;
            }
            const double median = bench_median(times, rounds);

            printf("hybrid,%s,f64,1,cuSPARSE,\"pinned copies, %s\",%.4g,%.4g,,%s,own,"
                   "%.4g,\n",
                   matrix, list[best].way, median * 1e6, times[0] * 1e6,
                   is_right(a, (const double *)(const void *)y.begin) ? "yes" : "NO",
                   list[best].median * 1e6);
        }
        cairn_cuda_unpin(c->device, &x);
        cairn_cuda_unpin(c->device, &y);
        cairn_cuda_leave(card_of(c));
    }
    for (int k = 0; k < count; k++)
        list[k].leave(list[k].state);
}

/* ---- Rounds ---- */

static void time_ways(card *c, const card_rows *a, way *list, int count)
{
    const int rounds =
        c->settings->rounds < MOST_ROUNDS ? c->settings->rounds : MOST_ROUNDS;

    for (int k = 0; k < count; k++) {
        list[k].right = run(&list[k], WARM) >= 0;
        cairn_plan_forget_times(list[k].plan);
    }
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < count; k++) {
            list[k].times[r] = run(&list[k], TURNS);
            if (list[k].times[r] < 0) list[k].right = false;
        }
    for (int k = 0; k < count; k++) {
        const double *const y = list[k].y ? list[k].y : cairn_plan_y(list[k].plan);

        list[k].median = bench_median(list[k].times, rounds);
        list[k].least  = list[k].times[0];
        list[k].right  = list[k].right && is_right(a, y);
        list[k].same =
            memcmp(y, cairn_plan_y(list[0].plan), (size_t)a->rows * sizeof *y) == 0;
    }
}

/// All ways of one matrix. Rows that are divided have the processor's bits.
static bool try_case(card *c, const char *format, const card_recipe *r)
{
    static way    list[PLACES];
    cairn_source *source = NULL;
    card_rows     a      = {0};
    bool          right  = true;
    int           count  = 0;

    if (card_source(c, r, &source)) {
        printf("# %s: %s\n", r->name, cairn_context_message(c->context));
        return false;
    }
    card_rows_take(source, &a);
    for (int k = 0; k < PLACES; k++) {
        list[count] = (way){.plan = NULL};
        snprintf(list[count].format, sizeof list[count].format, "%s",
                 places[k].hybrid ? "hybrid<bdia<64>,csr,0.6>" : format);
        count += open_way(c, source, &a, k, &list[count]);
    }
    time_ways(c, &a, list, count);
    for (int k = 0; k < count; k++) {
        print(r->name, &list[k]);
        right = right && list[k].right
                && (list[k].same || strncmp(list[k].format, "hybrid", 6) == 0);
        leave(&list[k]);
    }
    time_peer(c, r->name, &a);
    card_rows_leave(&a);
    cairn_source_destroy(&source);
    return right && count >= 3;
}

bool card_hybrid(card *c)
{
    bool right = true;
    card plans;

    card_open_listed(c, "cpu,cuda", &plans);
    printf(
        "# by the host's clock; longest: of a part, of the whole; resident: kernels\n"
        "section,matrix,dtype,columns,who,way,median_us,least_us,longest_part,"
        "verified,bits,resident_us,parts\n");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int r = 0; r < card_recipes_count; r++) {
            const card_recipe *recipe = &card_recipes[r];

            if (strcmp(recipe->name, cases[k].matrix) != 0
                || !card_wants(c->settings, recipe->name))
                continue;
            if (card_is_over(c))
                printf("# no time for %s\n", recipe->name);
            else
                right = try_case(&plans, cases[k].format, recipe) && right;
        }
    cairn_context_destroy(&plans.context);
    return right;
}
