// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The format that Cairn chooses beside fixed ones: what is chosen, how far it is from the
/// best of the fixed ones and from CSR, and how many products in CSR the search took. All
/// formats of a matrix are timed in turn, round by round.
///
/// bench_auto [--rounds N] [--f32] [--columns N] [--transposed] [--model] [--candidates]
///            [--regret] [--threads N] FILE...
///
/// --model: no trials. --candidates: what was thought of every format, too. --regret: one
/// table for all files instead, with one thread and with two, with shipped rates and with
/// what the fixed formats' own runs have taught: the time of what is chosen over that of the
/// best of all that were timed, of a product, and of 1, 100 and 10,000 products with storing
/// and, for what is chosen, the search; the least times of all rounds, and with --candidates
/// a line for each choice. Then one product of a caller's compressed rows, beside plain CSR
/// over them. --threads 1: not with two. Files are Matrix Market (what is no matrix is
/// passed over), or KIND:A,B,C for generated problems
/// (stencil5:NX,NY stencil7:NX,NY,NZ fem3:N,DEGREE rmat:SCALE,EDGES uniform:N,DEGREE
/// tridiag:N mixed:N,DEGREE).

#include "api/api.h"
#include "auto_caller.h"
#include "bench.h"

#include <cairn/cairn.h>

#include <math.h>
#include <stdbool.h>

enum { MOST_ROUNDS = 101, FORMATS = 14 };

/* Of --regret: ways of choosing, numbers of products, formats timed, files. */
enum { COSTS = 2, HORIZONS = 3, CHOICES = COSTS * HORIZONS, WAYS = FORMATS + CHOICES };
/* Rows of the table: a product, the numbers of products, and one product of a caller's rows
   beside plain CSR over them, and the share of it that choosing takes. */
enum { CALLERS = HORIZONS + 1, CALLERS_CHOICE, REGRETS };
enum { THREADS = 2, MOST_FILES = 1000 };

static const int horizons[HORIZONS] = {1, 100, 10000};

static const char *const fixed[FORMATS] = {
    "csr",
    "dcsr",
    "ell",
    "sell<8>",
    "sell-sigma<8,256>",
    "sell-sigma<8,262144>",
    "dia",
    "bdia<64>",
    "bcsr<2,2>",
    "bcsr<3,3>",
    "bcsr<4,4>",
    "coo",
    "hybrid<bdia<64>,csr,0.6>",
    "#encoding<{ idx_map<(d0,d1)->(d0/3,d1/3,d1%3,d0%3)>, mutation<merge(0,1), "
    "trim(1,1)> }>",
};

typedef struct {
    cairn_format *format;
    cairn_tensor *tensor;
    cairn_plan   *plan;
    double        time[MOST_ROUNDS], median;
    double        store; ///< Seconds, the least of some.
} way;

/// What is asked for.
typedef struct {
    cairn_dtype           dtype;
    cairn_product_options product;
    int                   rounds, tries;
    bool                  candidates; ///< Are printed.
    bool                  regret;     ///< Is what is asked for,
    int                   threads;    ///< with at most so many.
} question;

typedef struct {
    int    matrices, near, cheap;
    double log_best, log_csr, most;
} summary;

static void stop(cairn_context *context, const char *what)
{
    fprintf(stderr, "bench_auto: %s: %s\n", what, cairn_context_message(context));
    exit(1);
}

/// A file, or a problem to generate.
static bool read_source(cairn_context *context, const char *name, cairn_source **source)
{
    const char   *colon    = strchr(name, ':');
    long long     a[3]     = {0};
    char          kind[32] = "";
    cairn_problem p        = {.size = sizeof(cairn_problem), .seed = 7};

    if (!colon)
        return cairn_source_read(context, name, CAIRN_BY_NNZ, source) == CAIRN_OK;
    snprintf(kind, sizeof kind, "%.*s", (int)(colon - name), name);
    sscanf(colon + 1, "%lld,%lld,%lld", &a[0], &a[1], &a[2]);
    p.nx = p.n = p.scale = a[0];
    p.ny = p.degree = p.edges = a[1];
    p.nz                      = a[2];
    return cairn_source_generate(context, kind, &p, source) == CAIRN_OK;
}

/// Would the format store far too much? Asked before anything is stored.
static bool is_hopeless(const cairn_source_info *m, const char *format)
{
    const double most = 6.0 * (double)m->nnz + 10000;

    if (strcmp(format, "ell") == 0)
        return (double)m->max_row * (double)m->extent[0] > most;
    if (strcmp(format, "dia") == 0)
        return (double)m->diagonals * (double)m->extent[0] > most;
    return false;
}

static bool
prepare(cairn_context *context, cairn_source *source, const question *q, way *w)
{
    if (cairn_tensor_create(source, w->format, q->dtype, &w->tensor) != CAIRN_OK)
        return false;
    if (cairn_plan_create_product(w->tensor, &q->product, &w->plan) != CAIRN_OK)
        stop(context, "plan");
    int64_t first, end;

    cairn_plan_columns(w->plan, &first, &end);
    for (int64_t j = 0; j < (end - first) * q->product.columns; j++)
        if (q->dtype == CAIRN_F64)
            cairn_plan_x(w->plan)[j] = 1;
        else
            cairn_plan_x_f32(w->plan)[j] = 1;
    return true;
}

static double time_way(way *w, int repeats)
{
    const double begin = bench_seconds();

    for (int k = 0; k < repeats; k++)
        if (cairn_plan_run(w->plan, NULL, NULL) != CAIRN_OK) exit(1);
    return (bench_seconds() - begin) / repeats;
}

static void release(way *w)
{
    cairn_plan_destroy(&w->plan);
    cairn_tensor_destroy(&w->tensor);
    cairn_format_destroy(&w->format);
}

static void time_all(way *ways, int n, int rounds)
{
    int repeats[WAYS] = {0};

    for (int k = 0; k < n; k++)
        if (ways[k].plan) {
            const double once = fmin(time_way(&ways[k], 2), time_way(&ways[k], 2));

            repeats[k] = (int)fmin(400, fmax(2, 1e-3 / once));
        }
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < n; k++)
            if (ways[k].plan) {
                time_way(&ways[k], 1 + repeats[k] / 10);
                ways[k].time[r] = time_way(&ways[k], repeats[k]);
            }
    for (int k = 0; k < n; k++)
        ways[k].median =
            ways[k].plan ? bench_median(ways[k].time, rounds) : (double)INFINITY;
}

/// The least of the rounds instead of the median: what other work on the machine has not
/// slowed.
static void keep_least(way *ways, int n, int rounds)
{
    for (int k = 0; k < n; k++)
        for (int r = 0; r < rounds && ways[k].plan; r++)
            ways[k].median = fmin(ways[k].median, ways[k].time[r]);
}

static void report(const char              *name,
                   const cairn_source_info *m,
                   const way               *ways,
                   const char              *chosen,
                   const cairn_auto_info   *info,
                   summary                 *sum)
{
    const double own = ways[FORMATS].median, search = info->seconds / ways[0].median;
    int          best = 0;

    for (int k = 1; k < FORMATS; k++)
        if (ways[k].median < ways[best].median) best = k;
    const double ratio = fmin(own, INFINITY) / ways[best].median;
    const char  *slash = strrchr(name, '/');

    printf("%-22.22s %8lld %9.2f %6.2f %6.2f %7.1f %8.1f  %-22.22s %.22s\n",
           slash ? slash + 1 : name, (long long)m->nnz, 1e6 * own, ratio,
           ways[0].median / own, search, 1e3 * info->kernel_seconds, chosen,
           fixed[best]);
    fflush(stdout);
    sum->matrices++;
    sum->near += ratio <= 1.1;
    sum->cheap += search < 50;
    sum->log_best += log(ratio);
    sum->log_csr += log(ways[0].median / own);
    sum->most = fmax(sum->most, search);
}

/// What was predicted and tried, in us.
static void report_candidates(const cairn_auto_info *info, const way *ways)
{
    for (int k = 0; k < info->candidates; k++) {
        const cairn_auto_candidate *c         = &info->candidate[k];
        double                      true_time = NAN;

        for (int w = 0; w < FORMATS; w++)
            if (strcmp(fixed[w], c->format) == 0) true_time = ways[w].median;
        printf("    %-30.30s predicted %9.2f tried %9.2f is %9.2f\n", c->format,
               1e6 * c->predicted, 1e6 * c->tried, 1e6 * true_time);
    }
}

/// The choice among the fixed formats, if it is one: then there is no need to time it
/// twice.
static int find_fixed(const way *ways, const cairn_format *format)
{
    for (int k = 0; k < FORMATS; k++)
        if (ways[k].plan
            && strcmp(cairn_format_text(ways[k].format), cairn_format_text(format))
                   == 0)
            return k;
    return -1;
}

static const char *
short_name(const cairn_auto_info *info, cairn_context *context, const char *text)
{
    static char name[160];

    for (int k = 0; k < info->candidates; k++) {
        cairn_format *format;

        if (cairn_format_create(context, info->candidate[k].format, &format)
            != CAIRN_OK)
            continue;
        const bool same = strcmp(cairn_format_text(format), text) == 0;

        cairn_format_destroy(&format);
        if (!same) continue;
        snprintf(name, sizeof name, "%s", info->candidate[k].format);
        return name;
    }
    return text;
}

static void
measure(cairn_context *context, const char *name, const question *q, summary *sum)
{
    const cairn_auto_options options = {.size  = sizeof(cairn_auto_options),
                                        .tries = q->tries};
    cairn_source            *source  = NULL;
    cairn_source_info        m       = CAIRN_SOURCE_INFO;
    cairn_auto_info          info    = CAIRN_AUTO_INFO;
    way *const               ways    = calloc(FORMATS + 1, sizeof *ways);

    if (!ways || !read_source(context, name, &source)) stop(context, name);
    if (cairn_source_describe(source, &m) != CAIRN_OK) stop(context, name);
    if (cairn_format_auto(source, q->dtype, &q->product, &options,
                          &ways[FORMATS].format, &info)
        != CAIRN_OK)
        stop(context, name);
    for (int k = 0; k < FORMATS; k++) {
        if (is_hopeless(&m, fixed[k])) continue;
        if (cairn_format_create(context, fixed[k], &ways[k].format) != CAIRN_OK)
            stop(context, fixed[k]);
        prepare(context, source, q, &ways[k]);
    }
    const int same = find_fixed(ways, ways[FORMATS].format);

    if (same < 0 && !prepare(context, source, q, &ways[FORMATS])) stop(context, name);
    time_all(ways, FORMATS + 1, q->rounds);
    if (same >= 0) ways[FORMATS].median = ways[same].median;
    report(name, &m, ways,
           short_name(&info, context, cairn_format_text(ways[FORMATS].format)), &info,
           sum);
    if (q->candidates) report_candidates(&info, ways);
    for (int k = 0; k <= FORMATS; k++)
        release(&ways[k]);
    cairn_source_destroy(&source);
    free(ways);
}

/* ---- regret ---- */

/// What was lost by a choice: [products | horizons | callers][files so far].
typedef struct {
    double lost[REGRETS][MOST_FILES];
} losses;

typedef struct {
    int         files;
    const char *name[MOST_FILES];
    losses      of[THREADS][COSTS];
} regrets;

/// Store in all fixed formats and multiply a little: kernels are there afterwards, and the
/// file of costs knows how long products take.
static void run_fixed(cairn_context           *context,
                      cairn_source            *source,
                      const cairn_source_info *m,
                      const question          *q)
{
    for (int k = 0; k < FORMATS; k++) {
        way w = {0};

        if (is_hopeless(m, fixed[k])) continue;
        if (cairn_format_create(context, fixed[k], &w.format) != CAIRN_OK)
            stop(context, fixed[k]);
        if (prepare(context, source, q, &w)) time_way(&w, 8);
        release(&w);
    }
}

/// Choose by shipped rates, then by what is learned, for each number of products; the
/// search that took least of as many as there are rounds.
static void choose_all(cairn_context   *context,
                       cairn_source    *source,
                       const question  *q,
                       way             *chosen,
                       cairn_auto_info *info)
{
    for (int n = 0; n < q->rounds * CHOICES; n++) {
        const int                c       = n % CHOICES;
        const double             least   = n < CHOICES ? INFINITY : info[c].seconds;
        const cairn_auto_options options = {.size    = sizeof(cairn_auto_options),
                                            .tries   = q->tries,
                                            .replays = horizons[c % HORIZONS]};

        info[c].size = sizeof info[c];
        cairn_context_forget_costs(context); /* in its file they stay */
        context->env.options.cost =
            c < HORIZONS ? CAIRN_RATES_SHIPPED : CAIRN_RATES_LEARNED;
        cairn_format_destroy(&chosen[c].format);
        if (cairn_format_auto(source, q->dtype, &q->product, &options,
                              &chosen[c].format, &info[c])
            != CAIRN_OK)
            stop(context, "auto");
        info[c].seconds = fmin(info[c].seconds, least);
    }
}

/// The first way with the format of way @p w.
static int find_format(const way *ways, int w)
{
    const char *text = cairn_format_text(ways[w].format);

    for (int k = 0; k < w; k++)
        if (ways[k].format && strcmp(cairn_format_text(ways[k].format), text) == 0)
            return k;
    return w;
}

/// The way that stores like choice @p c: a fixed one, an earlier choice, or its own.
static int find_way(const way *ways, int c)
{
    return find_format(ways, FORMATS + c);
}

/// The fixed formats that are worth timing.
static void create_ways(cairn_context *context, const cairn_source_info *m, way *ways)
{
    for (int k = 0; k < FORMATS; k++)
        if (!is_hopeless(m, fixed[k])
            && cairn_format_create(context, fixed[k], &ways[k].format) != CAIRN_OK)
            stop(context, fixed[k]);
}

/// Time of a way for some products, stored once; of one product where @p products is 0.
static double time_of(const way *w, double products)
{
    if (!w->plan) return INFINITY;
    return products > 0 ? w->store + products * w->median : w->median;
}

static double least_time(const way *ways, double products)
{
    double least = INFINITY;

    for (int k = 0; k < WAYS; k++)
        least = fmin(least, time_of(&ways[k], products));
    return least;
}

/// One line for each choice of a file.
static void report_choices(cairn_context         *context,
                           const char            *name,
                           int                    threads,
                           const way             *ways,
                           const cairn_auto_info *info)
{
    int best = 0;

    for (int k = 1; k < WAYS; k++)
        if (ways[k].median < ways[best].median) best = k;
    printf("%s, %d threads: csr stored in %.1f us, a product %.2f us; best: %s, %.3f\n",
           name, threads, 1e6 * ways[0].store, 1e6 * ways[0].median,
           best < FORMATS ? fixed[best] : cairn_format_text(ways[best].format),
           ways[best].median / ways[0].median);
    for (int c = 0; c < CHOICES; c++) {
        const way   *w        = &ways[find_way(ways, c)];
        const double products = horizons[c % HORIZONS], csr = ways[0].median;

        printf(
            "  %s %5d: %-22.22s search %8.2f store %8.2f product %6.3f lost %7.3f\n",
            c < HORIZONS ? "shipped" : "learned", horizons[c % HORIZONS],
            short_name(&info[c], context, cairn_format_text(ways[FORMATS + c].format)),
            info[c].seconds / csr, w->store / csr, w->median / csr,
            (info[c].seconds + time_of(w, products)) / least_time(ways, products));
    }
}

static void
note_losses(const way *ways, const cairn_auto_info *info, losses of[COSTS], int file)
{
    for (int c = 0; c < CHOICES; c++) {
        const way   *w        = &ways[find_way(ways, c)];
        const double products = horizons[c % HORIZONS];
        losses      *its      = &of[c / HORIZONS];

        its->lost[1 + c % HORIZONS][file] =
            (info[c].seconds + time_of(w, products)) / least_time(ways, products);
        if (c % HORIZONS == HORIZONS - 1)
            its->lost[0][file] = time_of(w, 0) / least_time(ways, 0);
    }
}

/// Prepare some times, the first time with its kernels, and keep what storing took at
/// least.
static void
prepare_again(cairn_context *context, cairn_source *source, const question *q, way *w)
{
    enum { TIMES = 4 };

    w->store = INFINITY;
    for (int k = 0; k < TIMES; k++) {
        cairn_plan_destroy(&w->plan);
        cairn_tensor_destroy(&w->tensor);
        if (!prepare(context, source, q, w)) return;
        w->store = fmin(w->store, cairn_tensor_seconds(w->tensor));
    }
}

/// What is chosen for one product, beside plain CSR, from a caller's rows.
static void
note_caller(cairn_source *source, const question *q, losses of[COSTS], int file)
{
    for (int k = 0; k < COSTS; k++) {
        source->context->env.options.cost =
            k == 0 ? CAIRN_RATES_SHIPPED : CAIRN_RATES_LEARNED;
        const caller_costs t = time_caller(source, q->dtype, &q->product, q->rounds);

        of[k].lost[CALLERS][file] =
            (t.take + t.choose + t.store + t.product) / (t.take + t.plain);
        of[k].lost[CALLERS_CHOICE][file] = t.choose / t.plain;
    }
}

/// One file with some threads. @return false: it is no matrix that can be read.
static bool measure_regret(const char     *name,
                           const question *q,
                           const char     *costs,
                           int             threads,
                           regrets        *all)
{
    cairn_context    *context = NULL;
    cairn_source     *source  = NULL;
    cairn_source_info m       = CAIRN_SOURCE_INFO;
    cairn_auto_info  *info    = calloc(CHOICES, sizeof *info);
    way              *ways    = calloc(WAYS, sizeof *ways);

    if (!info || !ways || cairn_context_create(&context) != CAIRN_OK
        || cairn_context_set_threads(context, threads) != CAIRN_OK)
        stop(context, "start");
    context->env.options.cost = CAIRN_RATES_LEARNED;
    snprintf(context->env.options.costs, sizeof context->env.options.costs, "%s",
             costs);
    const bool reads = read_source(context, name, &source)
                       && cairn_source_describe(source, &m) == CAIRN_OK && m.order == 2
                       && m.nnz > 0;

    if (reads) {
        run_fixed(context, source, &m, q);
        choose_all(context, source, q, ways + FORMATS, info);
        create_ways(context, &m, ways);
        for (int k = 0; k < 2 * WAYS;
             k++) /* what was missing is there the second time */
            if (ways[k % WAYS].format && find_format(ways, k % WAYS) == k % WAYS)
                prepare_again(context, source, q, &ways[k % WAYS]);
        time_all(ways, WAYS, q->rounds);
        keep_least(ways, WAYS, q->rounds);
        note_losses(ways, info, all->of[threads - 1], all->files);
        if (!q->product.transposed)
            note_caller(source, q, all->of[threads - 1], all->files);
        if (q->candidates)
            report_choices(context, all->name[all->files], threads, ways, info);
    }
    for (int k = 0; k < WAYS; k++)
        release(&ways[k]);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    free(ways);
    free(info);
    return reads;
}

static void print_regret(const regrets *all, int threads, int cost, int row)
{
    static const char *const rows[REGRETS] = {"a product", "1",         "100",
                                              "10,000",    "1, caller", "choice"};
    const double            *lost          = all->of[threads][cost].lost[row];
    double                   sorted[MOST_FILES];
    int                      worst = 0;

    for (int f = 0; f < all->files; f++) {
        sorted[f] = lost[f];
        if (lost[f] > lost[worst]) worst = f;
    }
    printf("%7d  %-7s  %9s  %6.3f  %6.3f  %s\n", threads + 1,
           cost ? "learned" : "shipped", rows[row], bench_median(sorted, all->files),
           lost[worst], all->name[worst]);
}

/// All files; the file of costs is this process's own.
static int measure_regrets(int files, char **file, const question *q)
{
    static regrets all;
    char           costs[] = "/tmp/bench_auto-XXXXXX", path[64], command[80];

    if (!mkdtemp(costs)) return 1;
    snprintf(path, sizeof path, "%s/costs.json", costs);
    for (int f = 0; f < files && all.files < MOST_FILES; f++) {
        const char  *slash = strrchr(file[f], '/');
        const double begin = bench_seconds();
        bool         reads = true;

        all.name[all.files] = slash ? slash + 1 : file[f];
        for (int t = 1; t <= q->threads && reads; t++)
            reads = measure_regret(file[f], q, path, t, &all);
        fprintf(stderr, "%s: %s%.1f s\n", file[f], reads ? "" : "no matrix, ",
                bench_seconds() - begin);
        all.files += reads;
    }
    snprintf(command, sizeof command, "rm -r '%s'", costs);
    if (system(command) != 0 || all.files == 0) return 1;
    bench_print_machine(BENCH_SOURCE, q->rounds);
    printf("%d matrices\n%7s  %-7s  %9s  %6s  %6s  %s\n", all.files, "threads", "rates",
           "products", "median", "worst", "of");
    for (int t = 0; t < q->threads; t++)
        for (int c = 0; c < COSTS; c++)
            for (int r = 0; r < (q->product.transposed ? CALLERS : REGRETS); r++)
                print_regret(&all, t, c, r);
    if (!q->product.transposed)
        printf("\"1, caller\": what is chosen for one product beside plain CSR over a "
               "caller's rows, which is to be 1.1 at\nmost: his rows taken, looked at, "
               "stored if that is chosen, one product; \"choice\": what choosing "
               "takes\nof "
               "a product in plain CSR\n");
    return 0;
}

/// The options; @return the place of the first file.
static int read_options(int argc, char **argv, question *q)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--rounds") == 0 && k + 1 < argc)
            q->rounds = atoi(argv[++k]);
        else if (strcmp(argv[k], "--columns") == 0 && k + 1 < argc)
            q->product.columns = atoi(argv[++k]);
        else if (strcmp(argv[k], "--threads") == 0 && k + 1 < argc)
            q->threads = atoi(argv[++k]);
        else if (strcmp(argv[k], "--transposed") == 0)
            q->product.transposed = true;
        else if (strcmp(argv[k], "--f32") == 0)
            q->dtype = CAIRN_F32;
        else if (strcmp(argv[k], "--model") == 0)
            q->tries = -1;
        else if (strcmp(argv[k], "--candidates") == 0)
            q->candidates = true;
        else if (strcmp(argv[k], "--regret") == 0)
            q->regret = true;
        else
            return k;
    return argc;
}

int main(int argc, char **argv)
{
    cairn_context *context = NULL;
    summary        sum     = {0};
    question       q       = {.dtype   = CAIRN_F64,
                              .product = CAIRN_PRODUCT_OPTIONS,
                              .rounds  = 7,
                              .threads = THREADS};
    const int      first   = read_options(argc, argv, &q);

    if (q.rounds < 1 || q.rounds > MOST_ROUNDS || q.threads < 1 || q.threads > THREADS
        || first == argc)
        return 2;
    if (q.regret) return measure_regrets(argc - first, argv + first, &q);
    if (cairn_context_create(&context) != CAIRN_OK) stop(context, "start");
    bench_print_machine(BENCH_SOURCE, q.rounds);
    printf("%-22s %8s %9s %6s %6s %7s %8s  %-22s %s\n", "matrix", "entries", "us",
           "best", "csr", "search", "kernels", "chosen", "best fixed");
    for (int k = first; k < argc; k++)
        measure(context, argv[k], &q, &sum);
    const double n = sum.matrices;

    printf("%d matrices: within 10 %% of the best on %.0f %%, geometric mean %.3f of "
           "its time, %.2f times as fast as csr; search below 50 products on %.0f %%, "
           "at most %.1f\n",
           sum.matrices, 100 * sum.near / n, exp(sum.log_best / n),
           exp(sum.log_csr / n), 100 * sum.cheap / n, sum.most);
    cairn_context_destroy(&context);
    return 0;
}
